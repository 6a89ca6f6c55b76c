//! Software command lists, which the runtime records for drivers without command lists.
//!
//! The table stores each call with its handles, and [`SoftwareList::replay`] makes the same calls in the
//! context that executes the list. Handles need no translation, because they have the same value in every
//! context and the list keeps its objects alive. They refer to the memory that is current at execution.
//!
//! The stored calls, their recording and their replay are generated from the table of entries
//! ([`onze_ddi::context_entries`]). [`owned`] defines how arguments are stored.

mod owned;

use std::{collections::HashMap, convert::Infallible, sync::Arc};

use onze_ddi::*;

use self::owned::{Lend, Own};
use crate::{
    context::{DeviceContext, bound::BoundSlots, map::dynamic_layout},
    device_core::ObjectShared,
};

struct MapWrite {
    resource: ResourceHandle,
    subresource: u32,
    map_type: MapType,
    data: Arc<MappedMemory>,
    written: Written,
}

/// The private data of a context whose commands the runtime records.
#[derive(Default)]
pub(crate) struct SoftwareRecording {
    commands: Vec<Command<'static>>,
    /// The last map of each resource, because a later `WriteNoOverwrite` starts with its contents.
    latest: HashMap<Key, Arc<MappedMemory>>,
    /// Open maps of the recording, identified by cookie.
    maps: Vec<(u64, MapType)>,
    next_cookie: u64,
}

#[derive(Clone)]
pub(crate) struct SoftwareList {
    commands: Arc<Vec<Command<'static>>>,
}

/// The table of a context whose commands the runtime records.
pub(crate) struct SoftwareFuncs;

fn record(cx: Entry<'_>, command: Command<'static>) {
    if let Some(recording) = cx.private.downcast_mut::<SoftwareRecording>() {
        recording.commands.push(command);
    }
}

/// Returns the size of a dynamic resource in bytes, its row pitch and its depth pitch.
fn layout(handles: &HandleStorage, resource: ResourceHandle) -> (usize, u32, u32) {
    let object = handles.runtime_object(resource.key()).and_then(|o| o.downcast_ref::<ObjectShared>());
    dynamic_layout(object.and_then(ObjectShared::resource_desc))
}

macro_rules! software {
    ($($(#[$doc:meta])* $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        /// One recorded call, with copies of the arguments that it borrows.
        #[allow(non_camel_case_types, reason = "a call is named after its entry")]
        #[allow(dead_code, reason = "entries that are recorded differently are never stored")]
        enum Command<'a> {
            $($name(software! { @kept $class $($type),* }),)*
            Write(Box<MapWrite>),
        }

        impl ContextFuncs for SoftwareFuncs {
            $(software! { @$class fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)? })*
        }

        impl Command<'static> {
            /// Makes the recorded call in the context that executes the list.
            fn replay(&self, context: &mut DeviceContext) {
                match self {
                    $(Self::$name(kept) => software! { @replay $class context $name kept ($($arg),*) },)*
                    Self::Write(write) => write.replay(context),
                }
            }
        }
    };
    // Entries of the class `special` are recorded differently, so their command is never stored.
    (@kept special $($type:ty),*) => { Infallible };
    (@kept $class:ident $($type:ty),*) => { ($(<$type as Own>::Owned,)*) };
    // Setters change the shadow state of the executing context, whereas all other entries call its driver
    // directly.
    (@replay state $context:ident $name:ident $kept:ident ($($arg:ident),*)) => {{
        let ($($arg,)*) = $kept;
        set::$name($context, $($arg.lend()),*);
    }};
    (@replay special $context:ident $name:ident $kept:ident ($($arg:ident),*)) => { match *$kept {} };
    (@replay $class:ident $context:ident $name:ident $kept:ident ($($arg:ident),*)) => {{
        let ($($arg,)*) = $kept;
        $context.core.with(|funcs, cx| funcs.$name(cx.entry(), $($arg.lend()),*));
    }};
    (@special fn renew_upload_page $($rest:tt)*) => {
        // Empty, because without an upload page the runtime maps all buffers.
    };
    (@special fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)? {
            special::$name(cx, $($arg),*)
        }
    };
    (@$class:ident fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*)) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) {
            record(cx, Command::$name(($($arg.own(),)*)));
        }
    };
}
context_entries!(software);

mod special {
    use super::*;

    pub(super) fn dynamic_map(
        cx: Entry<'_>,
        resource: ResourceHandle,
        _subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        let (size, row, slice) = layout(cx.handles, resource);
        let Some(recording) = cx.private.downcast_mut::<SoftwareRecording>() else {
            return Err(DriverBug("a context of another table".into()).into());
        };
        recording.next_cookie += 1;
        let cookie = recording.next_cookie;
        recording.maps.push((cookie, map_type));
        let mut memory = MappedMemory::new(zeroed_page(size), 0..size, cookie, row, slice);
        if map_type == MapType::WriteNoOverwrite
            && let Some(latest) = recording.latest.get(&resource.key())
        {
            memory.bytes_mut().copy_from_slice(latest.bytes());
        }
        Ok(memory)
    }
    pub(super) fn dynamic_unmap(
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        let Some(recording) = cx.private.downcast_mut::<SoftwareRecording>() else { return };
        let Some(at) = recording.maps.iter().position(|(cookie, _)| *cookie == memory.cookie()) else {
            return;
        };
        let (_, map_type) = recording.maps.swap_remove(at);
        let data = Arc::new(memory);
        recording.latest.insert(resource.key(), data.clone());
        recording.commands.push(Command::Write(Box::new(MapWrite {
            resource,
            subresource,
            map_type,
            data,
            written,
        })));
    }

    pub(super) fn command_list_execute(_cx: Entry<'_>, _list: &DriverList<Live>) {
        // Not called, because the runtime records and replays all lists of such a device.
    }
}

/// The entries of the class `state`, as calls of the executing context.
mod set {
    use super::*;

    pub(super) fn ia_set_input_layout(context: &mut DeviceContext, layout: Option<ElementLayoutHandle>) {
        context.bind_input_layout(layout);
    }

    pub(super) fn ia_set_vertex_buffers(
        context: &mut DeviceContext,
        start: u32,
        buffers: &[VertexBufferBinding],
    ) {
        context.bind_vertex_buffers(start as usize, buffers.iter().copied());
    }

    pub(super) fn ia_set_index_buffer(context: &mut DeviceContext, buffer: IndexBufferBinding) {
        context.bind_index_buffer(buffer);
    }

    pub(super) fn ia_set_primitive_topology(context: &mut DeviceContext, topology: PrimitiveTopology) {
        context.ia_set_primitive_topology(topology);
    }

    pub(super) fn set_shader(context: &mut DeviceContext, stage: ShaderStage, shader: Option<ShaderHandle>) {
        context.bind_shader(stage, shader);
    }

    fn slots<C: BoundSlots>(
        context: &mut DeviceContext,
        stage: ShaderStage,
        start: u32,
        bindings: &[C::Binding],
    ) {
        context.bind_slots::<C>(stage, start as usize, bindings.iter().copied());
    }

    pub(super) fn set_constant_buffers(
        context: &mut DeviceContext,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        slots::<ConstantBuffers>(context, stage, start, buffers);
    }

    pub(super) fn set_shader_resources(
        context: &mut DeviceContext,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        slots::<ShaderResources>(context, stage, start, views);
    }

    pub(super) fn set_samplers(
        context: &mut DeviceContext,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        slots::<Samplers>(context, stage, start, samplers);
    }

    pub(super) fn set_unordered_access_views(
        context: &mut DeviceContext,
        stage: ShaderStage,
        start: u32,
        views: &[Option<UnorderedAccessViewHandle>],
    ) {
        slots::<UnorderedAccessViews>(context, stage, start, views);
    }

    pub(super) fn rs_set_state(context: &mut DeviceContext, state: Option<RasterizerStateHandle>) {
        context.bind_rasterizer_state(state);
    }

    pub(super) fn rs_set_viewports(context: &mut DeviceContext, viewports: &[Viewport]) {
        context.bind_viewports(viewports);
    }

    pub(super) fn rs_set_scissor_rects(context: &mut DeviceContext, rects: &[Rect]) {
        context.bind_scissor_rects(rects);
    }

    pub(super) fn set_predication(context: &mut DeviceContext, predication: PredicationBinding) {
        context.bind_predication(predication);
    }

    pub(super) fn om_set_blend_state(context: &mut DeviceContext, blend: BlendBinding) {
        context.bind_blend(blend);
    }

    pub(super) fn om_set_depth_stencil_state(context: &mut DeviceContext, state: DepthStencilBinding) {
        context.bind_depth_stencil(state);
    }

    pub(super) fn so_set_targets(context: &mut DeviceContext, targets: &[Option<ResourceHandle>]) {
        context.bind_stream_targets(targets);
    }

    pub(super) fn om_set_render_targets(context: &mut DeviceContext, targets: TargetsBinding<'_>) {
        context.bind_render_targets(targets.color, targets.depth_stencil);
    }
}

impl DeferredFuncs for SoftwareFuncs {
    fn open(&self, _cx: Entry<'_>, _args: OpenArgs<'_>) -> Result<(), RecordError> {
        Ok(())
    }
    fn close(&self, _cx: ClosingEntry<'_>, _kind: HandleType, _key: Key) {}
    fn recycle_command_list(&self, _cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached> {
        list.cache()
    }
    fn create_command_list(
        &self,
        cx: Entry<'_>,
        _cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError> {
        let Some(recording) = cx.private.downcast_mut::<SoftwareRecording>() else {
            return Err(DriverBug("a context of another table".into()).into());
        };
        let commands = Arc::new(std::mem::take(&mut recording.commands));
        *recording = SoftwareRecording::default();
        Ok(DriverList::new(Arc::new(SoftwareList { commands })))
    }
    fn abandon_command_list(&self, cx: ClosingEntry<'_>) {
        if let Some(recording) = cx.private.downcast_mut::<SoftwareRecording>() {
            *recording = SoftwareRecording::default();
        }
    }
}

impl SoftwareList {
    /// Makes the recorded calls in another context, in which the objects must be open.
    pub(crate) fn replay(&self, context: &mut DeviceContext) {
        for command in self.commands.iter() {
            command.replay(context);
        }
    }
}

impl MapWrite {
    /// Maps again in the executing context and copies the written data.
    fn replay(&self, context: &mut DeviceContext) {
        let (resource, subresource, map_type) = (self.resource, self.subresource, self.map_type);
        let mapped = context.core.with(|f, cx| f.dynamic_map(cx.entry(), resource, subresource, map_type));
        let mut memory = match mapped {
            Some(Ok(memory)) => memory,
            Some(Err(RecordError::OutOfMemory)) => {
                CoreLayer::set_error(&mut context.core.rt, ContextError::OutOfMemory);
                return;
            }
            // On these errors, the driver removes the device itself. A lost recording has nothing to map.
            Some(Err(RecordError::DeviceRemoved(_) | RecordError::Bug(_))) | None => return,
        };
        if memory.row_pitch == self.data.row_pitch {
            let (source, target) = (self.data.bytes(), memory.bytes_mut());
            for range in self.written.ranges(source.len().min(target.len()) as u32) {
                let range = range.start as usize..range.end as usize;
                target[range.clone()].copy_from_slice(&source[range]);
            }
        } else {
            // The driver pads the rows of this texture, so the data is copied row by row. Copying whole rows
            // is correct, because a discard keeps no old contents.
            let (from, to) = (self.data.row_pitch as usize, memory.row_pitch as usize);
            for (source, target) in
                self.data.bytes().chunks(from.max(1)).zip(memory.bytes_mut().chunks_mut(to.max(1)))
            {
                target[..source.len()].copy_from_slice(source);
            }
        }
        let written =
            if memory.row_pitch == self.data.row_pitch { self.written.clone() } else { Written::All };
        context.core.with(|f, cx| f.dynamic_unmap(cx.entry(), resource, subresource, memory, written));
    }
}
