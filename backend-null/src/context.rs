//! What both kinds of context do, written once; [`End`] is what differs.

use std::any::Any;

use onze_ddi::*;

use crate::{
    command_list::{Command, NullCommandList},
    device::Device,
    page::Page,
    resource::NullResource,
};

/// What the immediate context and a deferred one do in ways of their own.
pub(crate) trait End: Send + Sync + 'static {
    /// The private data of the context.
    type State: Any + Send;

    fn device(&self) -> &Device;
    fn page(state: &mut Self::State) -> &mut Page;

    /// Does what a command says, or records it. `None` is a command that changes no bytes.
    fn command(&self, state: &mut Self::State, draws: u32, command: Option<Command>) -> Answer;

    /// The command buffer is full. Called at the end of an entry, when nothing of it is borrowed.
    fn page_full(&self, cx: Entry<'_>);

    /// Lends a subresource of a resource.
    fn map(&self, cx: Entry<'_>, of: (ResourceHandle, u32), t: MapType) -> Mapped;
    /// Takes it back.
    fn unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        memory: MappedMemory,
        written: &Written,
    ) -> Answer;
}

/// What an entry that returns nothing has to report.
pub(crate) type Answer = Result<(), ContextError>;

/// What is lent by a map that does not wait.
pub(crate) type Mapped = Result<MappedMemory, RecordError>;

/// A context table. It holds nothing of a context, so the runtime may replace it between two calls.
pub(crate) struct Context<E>(pub(crate) E);

/// The private data as its type. The runtime hands over what the driver made, so this cannot fail
/// unless two drivers' data were mixed up.
pub(crate) fn state<S: Any>(private: &mut (dyn Any + Send)) -> Result<&mut S, DriverBug> {
    private.downcast_mut().ok_or_else(|| DriverBug("the private data is of another context".into()))
}

impl<E: End> Context<E> {
    /// Enters what is being bound: only the first bind of an object in a command buffer costs more
    /// than a look at its private bytes.
    fn enter(&self, cx: Entry<'_>, keys: impl IntoIterator<Item = Key>) {
        let result = state::<E::State>(cx.private).and_then(|state| {
            keys.into_iter().try_for_each(|key| E::page(state).enter(cx.handles, key).map(drop))
        });
        if let Err(bug) = result {
            cx.core.set_error(bug.into());
        }
    }

    /// Records a command, and turns the page when it is full.
    fn record(
        &self,
        mut cx: Entry<'_>,
        draws: u32,
        make: impl FnOnce(&mut Page, &mut HandleStorage) -> Result<Option<Command>, DriverBug>,
    ) {
        match self.try_record(cx.reborrow(), draws, make) {
            Ok(false) => {}
            Ok(true) => self.0.page_full(cx),
            Err(error) => cx.core.set_error(error),
        }
    }

    fn try_record(
        &self,
        cx: Entry<'_>,
        draws: u32,
        make: impl FnOnce(&mut Page, &mut HandleStorage) -> Result<Option<Command>, DriverBug>,
    ) -> Result<bool, ContextError> {
        let state = state::<E::State>(cx.private)?;
        let command = make(E::page(state), cx.handles)?;
        self.0.command(state, draws, command)?;
        let page = E::page(state);
        page.count(draws);
        Ok(page.commands >= self.0.device().page_commands)
    }
}

/// The read-only half of a resource.
pub(crate) fn resource(handles: &HandleStorage, handle: ResourceHandle) -> Result<&NullResource, DriverBug> {
    let object = handles.object(handle).and_then(|object| object.downcast_ref());
    object.ok_or_else(|| DriverBug("the handle is not open, or no resource of this driver".into()))
}

/// Entries that bind objects: the objects are entered into the page's table.
macro_rules! binds {
    ($($name:ident($($arg:ident: $type:ty),*) => $handles:expr;)*) => {
        $(fn $name(&self, cx: Entry<'_>, $($arg: $type),*) {
            self.enter(cx, $handles.into_iter().map(Handle::key));
        })*
    };
}

/// Entries that use an object and change no bytes.
macro_rules! uses {
    ($($name:ident($handle:ty $(, $type:ty)*);)*) => {
        $(fn $name(&self, cx: Entry<'_>, handle: $handle, $(_: $type),*) {
            self.record(cx, 0, |page, handles| page.enter(handles, handle.key()).map(|_| None));
        })*
    };
}

/// Entries that count as a command and change no bytes.
macro_rules! counts {
    ($draws:literal: $($name:ident($($type:ty),*);)*) => {
        $(fn $name(&self, cx: Entry<'_>, $(_: $type),*) {
            self.record(cx, $draws, |_, _| Ok(None));
        })*
    };
}

impl<E: End> ContextFuncs for Context<E> {
    binds! {
        ia_set_input_layout(layout: Option<ElementLayoutHandle>) => layout;
        ia_set_vertex_buffers(_start: u32, buffers: &[VertexBufferBinding]) =>
            buffers.iter().filter_map(|b| b.buffer);
        ia_set_index_buffer(buffer: IndexBufferBinding) => buffer.buffer;
        set_shader(_stage: ShaderStage, shader: Option<ShaderHandle>) => shader;
        set_constant_buffers(_stage: ShaderStage, _start: u32, buffers: &[ConstantBufferBinding]) =>
            buffers.iter().filter_map(|b| b.buffer);
        set_shader_resources(_stage: ShaderStage, _start: u32, views: &[Option<ShaderResourceViewHandle>]) =>
            views.iter().copied().flatten();
        set_samplers(_stage: ShaderStage, _start: u32, samplers: &[Option<SamplerHandle>]) =>
            samplers.iter().copied().flatten();
        rs_set_state(state: Option<RasterizerStateHandle>) => state;
        om_set_blend_state(blend: BlendBinding) => blend.state;
        om_set_depth_stencil_state(state: DepthStencilBinding) => state.state;
    }

    // Two kinds of handles at once.
    fn om_set_render_targets(&self, cx: Entry<'_>, targets: TargetsBinding<'_>) {
        let color = targets.color.iter().flatten().map(|view| view.key());
        self.enter(cx, color.chain(targets.depth_stencil.map(Handle::key)));
    }

    // State without objects is fetched with the preamble, when it is needed; here it never is.
    fn ia_set_primitive_topology(&self, _: Entry<'_>, _: PrimitiveTopology) {}
    fn rs_set_viewports(&self, _: Entry<'_>, _: &[Viewport]) {}
    fn rs_set_scissor_rects(&self, _: Entry<'_>, _: &[Rect]) {}

    counts! { 1:
        draw(u32, u32);
        draw_indexed(u32, u32, i32);
        draw_instanced(u32, u32, u32, u32);
        draw_indexed_instanced(u32, u32, u32, i32, u32);
    }

    counts! { 0:
        begin_event(&str);
        end_event();
        set_marker(&str);
    }

    uses! {
        clear_render_target_view(RenderTargetViewHandle, [f32; 4]);
        clear_depth_stencil_view(DepthStencilViewHandle, ClearFlags, f32, u8);
        generate_mips(ShaderResourceViewHandle);
        // Nothing is drawn, so nothing lies between a query's beginning and its end.
        query_begin(QueryHandle);
    }

    fn resource_copy(&self, cx: Entry<'_>, dst: ResourceHandle, src: ResourceHandle) {
        self.record(cx, 0, |page, handles| {
            let (dst, src) = (page.enter(handles, dst.key())?, page.enter(handles, src.key())?);
            Ok(Some(Command::Copy { dst, src }))
        });
    }

    fn resource_copy_region(
        &self,
        cx: Entry<'_>,
        dst: ResourceHandle,
        dst_subresource: u32,
        dst_at: [u32; 3],
        src: ResourceHandle,
        src_subresource: u32,
        src_box: Option<Box3d>,
    ) {
        self.record(cx, 0, |page, handles| {
            let (dst, src) = (page.enter(handles, dst.key())?, page.enter(handles, src.key())?);
            Ok(Some(Command::CopyRegion { dst, dst_subresource, dst_at, src, src_subresource, src_box }))
        });
    }

    fn resource_update_subresource(
        &self,
        cx: Entry<'_>,
        dst: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    ) {
        self.record(cx, 0, |page, handles| {
            let region = resource(handles, dst)?.region(subresource, dst_box);
            let dst = page.enter(handles, dst.key())?;
            Ok(Some(Command::Update { dst, subresource, region, bytes: region.pack(&data) }))
        });
    }

    fn dynamic_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Mapped {
        self.0.map(cx, (resource, subresource), map_type)
    }

    fn dynamic_unmap(
        &self,
        mut cx: Entry<'_>,
        resource: ResourceHandle,
        _subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        match self.0.unmap(cx.reborrow(), resource, memory, &written) {
            Ok(()) => self.record(cx, 0, |_, _| Ok(None)),
            Err(error) => cx.core.set_error(error),
        }
    }

    fn query_end(&self, cx: Entry<'_>, query: QueryHandle) {
        self.record(cx, 0, |page, handles| Ok(Some(Command::EndQuery(page.enter(handles, query.key())?))));
    }

    fn command_list_execute(&self, cx: Entry<'_>, list: &DriverList<Live>) {
        // A list brings its own table, and the immediate context its resources' contents of now: that
        // is the late identity. The runtime has opened the list's renamable resources here, for drivers
        // that keep identities by context.
        let draws = list.object().downcast_ref::<NullCommandList>().map_or(0, |list| list.recording.draws);
        self.record(cx, draws, |page, _| {
            page.objects.push(list.object().clone());
            Ok(Some(Command::Execute(page.objects.len() as u32 - 1)))
        });
    }
}
