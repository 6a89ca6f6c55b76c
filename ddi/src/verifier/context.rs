//! The verifier's table for the entries that immediate and deferred contexts share.

use std::{ops::Range, sync::Arc};

use super::{
    breach::{CheckResult, Rule, ensure, lock},
    callbacks::WatchedCoreLayer,
    registry::{ObjectAddress, address},
    stream_output::used,
    watch::{ContextWatch, EntryRole, private_address},
};
use crate::{forward::ForwardContext, *};

pub(super) struct VerifiedTable<T: ?Sized> {
    pub(super) inner: Arc<T>,
    pub(super) watch: Arc<ContextWatch>,
    /// The number of an immediate table, in the order of publication, starting with 0.
    pub(super) number: u64,
}

impl<T: ContextFuncs + ?Sized> VerifiedTable<T> {
    /// Checks, before the driver's entry is called, that this table is the newest one.
    fn check_table(&self, entry: &'static str) {
        let watch = &*self.watch;
        if watch.deferred {
            return;
        }
        let newer = lock(&watch.device.tables).by_thread.get(&std::thread::current().id()).copied();
        let newest = ensure(newer.is_none_or(|newer| newer <= self.number), Rule::NewestTable, || {
            format!("table {}, but this thread has published {newer:?}", self.number)
        });
        self.record(entry, newest);
    }

    /// Calls an entry of the driver that receives a [`ClosingEntry`], and tracks the call.
    pub(super) fn call_closing<R>(
        &self,
        entry: &'static str,
        role: EntryRole,
        cx: ClosingEntry<'_>,
        call: impl FnOnce(&T, ClosingEntry<'_>) -> R,
    ) -> R {
        let _serial = self.watch.device.enter(entry);
        self.check_table(entry);
        let _visit = self.watch.enter(entry, role, cx.private);
        call(&self.inner, cx)
    }

    pub(super) fn call<R>(
        &self,
        entry: &'static str,
        role: EntryRole,
        cx: Entry<'_>,
        call: impl FnOnce(&T, Entry<'_>) -> R,
    ) -> R {
        let watch = &*self.watch;
        let _serial = watch.device.enter(entry);
        self.check_table(entry);
        let takes_slices = matches!(role, EntryRole::Command | EntryRole::State);
        let _visit = watch.enter(entry, role, cx.private);
        let arguments = (private_address(cx.private), std::ptr::from_ref(&*cx.handles).addr());
        self.check_slices(entry, cx.handles);
        let mut core = WatchedCoreLayer { inner: cx.core, watch, entry, arguments, owed: false };
        let inner = Entry { private: cx.private, handles: &mut *cx.handles, core: &mut core };
        let result = call(&self.inner, inner);
        if takes_slices {
            let waiting = cx.handles.uploads.slices().len();
            let words = || format!("{waiting} slices still wait");
            self.record(entry, ensure(waiting == 0, Rule::SlicesTaken, words));
        }
        result
    }

    /// Checks, before the driver's entry is called, the slices of the upload page that wait for it.
    fn check_slices(&self, entry: &'static str, storage: &HandleStorage) {
        for PageSlice { resource, offset } in storage.uploads.slices() {
            let key = resource.key();
            self.check_handles(entry, storage, resource);
            self.watch.uses(storage, [key]);
            self.record(entry, self.watch.may_map(key, 0));
            let object = storage.object(*resource).map(address);
            let bytes = object.map_or(0, |object| lock(&self.watch.device.registry).buffer_bytes(object));
            let (end, used) = (u64::from(*offset) + u64::from(bytes), storage.uploads.used());
            let is_inside = bytes > 0 && end <= used.into();
            let words = || format!("{bytes} bytes at {offset} of {used} for {resource:?}");
            self.record(entry, ensure(is_inside, Rule::SliceInside, words));
            if self.watch.deferred {
                lock(&self.watch.state).discarded.insert(key);
            }
        }
    }

    pub(super) fn command(&self, entry: &'static str, cx: Entry<'_>, call: impl FnOnce(&T, Entry<'_>)) {
        self.call(entry, EntryRole::Command, cx, call);
    }

    /// Checks, before a draw, the rules about its bindings.
    pub(super) fn check_draw(&self, entry: &'static str, cx: &Entry<'_>) {
        self.check_written_alone(entry, cx, ShaderStage::Pixel);
        self.check_stream_targets(entry, cx);
        self.check_tessellation(entry, cx);
        self.uses_bound(cx);
    }

    fn uses_bound(&self, cx: &Entry<'_>) {
        if !self.watch.deferred {
            let mut bound = Vec::new();
            cx.core.for_each_bound(&mut |key| bound.push(key));
            self.watch.uses(cx.handles, bound);
        }
    }

    /// Checks, before a dispatch, that a compute shader is bound and that the group counts are valid.
    fn check_dispatch(&self, entry: &'static str, cx: &Entry<'_>, groups: [u32; 3]) {
        const MOST: u32 = 65_535;
        let ready =
            cx.core.shader(ShaderStage::Compute).is_some() && groups.iter().all(|groups| *groups <= MOST);
        self.record(entry, ensure(ready, Rule::DispatchReady, || format!("{groups:?} groups")));
        self.check_written_alone(entry, cx, ShaderStage::Compute);
    }

    /// Checks, before a draw or dispatch, that memory has no other binding if a stage can write it through
    /// unordered-access views.
    pub(super) fn check_written_alone(&self, entry: &'static str, cx: &Entry<'_>, stage: ShaderStage) {
        let written = bound_views(cx, cx.core.unordered_access_views(stage, None));
        if written.is_empty() {
            return;
        }
        let mut others = bound_views(cx, cx.core.render_targets().color);
        others.extend(bound_views(cx, &[cx.core.render_targets().depth_stencil]));
        for stage in ShaderStage::ALL {
            others.extend(bound_views(cx, cx.core.shader_resources(stage, None)));
        }
        for other in [ShaderStage::Pixel, ShaderStage::Compute].into_iter().filter(|other| *other != stage) {
            others.extend(bound_views(cx, cx.core.unordered_access_views(other, None)));
        }
        let registry = lock(&self.watch.device.registry);
        let mut shared = None;
        for (at, view) in written.iter().enumerate() {
            let mut elsewhere = others.iter().chain(&written[..at]);
            shared = shared.or(elsewhere.any(|other| registry.overlap(*view, *other)).then_some(view.1));
        }
        drop(registry);
        self.record(entry, ensure(shared.is_none(), Rule::WrittenAlone, || format!("{shared:?}")));
    }

    /// Checks, before an indirect draw or dispatch, that the `size` bytes of its arguments are within a
    /// buffer that was created for indirect arguments.
    fn check_arguments(
        &self,
        entry: &'static str,
        cx: &Entry<'_>,
        arguments: ResourceHandle,
        offset: u32,
        size: usize,
    ) {
        let object = cx.handles.object(arguments).map(address);
        let bytes = object.map_or(0, |object| lock(&self.watch.device.registry).argument_bytes(object));
        let inside = offset.is_multiple_of(4) && offset as usize + size <= bytes as usize;
        let words = || format!("{size} bytes at {offset} of {bytes} in {arguments:?}");
        self.record(entry, ensure(inside, Rule::ArgumentsInside, words));
    }

    fn has_counter(&self, cx: &Entry<'_>, view: UnorderedAccessViewHandle) -> bool {
        let object = cx.handles.object(view).map(address);
        object.is_some_and(|object| lock(&self.watch.device.registry).has_counter(object, view.key()))
    }

    pub(super) fn uses<A: Argument>(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        argument: A,
        call: impl FnOnce(&T, Entry<'_>),
    ) {
        self.check_handles(entry, cx.handles, &argument);
        argument.for_each_handle(&mut |_, key| self.watch.uses(cx.handles, [key]));
        self.command(entry, cx, call);
    }

    pub(super) fn check_handles(
        &self,
        entry: &'static str,
        storage: &HandleStorage,
        argument: &impl Argument,
    ) {
        argument.for_each_handle(&mut |kind, key| self.watch.handle(entry, storage, kind, key));
    }

    pub(super) fn record(&self, entry: &'static str, check: CheckResult) {
        self.watch.device.record(entry, check);
    }

    pub(super) fn map<E: Clone + Into<MapError>>(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: (MapType, &[MapType]),
        call: impl FnOnce(&T, Entry<'_>) -> Result<MappedMemory, E>,
    ) -> Result<MappedMemory, E> {
        let (map_type, allowed) = map_type;
        self.check_handles(entry, cx.handles, &resource);
        let check = ensure(allowed.contains(&map_type), Rule::MapTypeAllowed, || format!("{map_type:?}"));
        self.record(entry, check);
        self.record(entry, self.watch.may_map(resource.key(), subresource));
        let object = cx.handles.object(resource).map(address);
        let bytes = object.map_or(0, |object| lock(&self.watch.device.registry).buffer_bytes(object));
        let memory = self.call(entry, EntryRole::Command, cx, call).inspect_err(|error| {
            let error: MapError = error.clone().into();
            let bug = matches!(error, MapError::Bug(_));
            self.record(entry, ensure(!bug, Rule::ErrorAllowed, || error.to_string()));
        })?;
        self.record(entry, self.watch.mapped(resource.key(), subresource, &memory, bytes));
        Ok(memory)
    }

    pub(super) fn unmap(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        (memory, written): (MappedMemory, Written),
        call: impl FnOnce(&T, Entry<'_>, MappedMemory, Written),
    ) {
        self.check_handles(entry, cx.handles, &resource);
        self.record(entry, self.watch.unmap(resource.key(), subresource, &memory, &written));
        self.command(entry, cx, |t, cx| call(t, cx, memory, written));
    }
}

pub(super) fn bound_views<K: HandleKind>(
    cx: &Entry<'_>,
    views: &[Option<Handle<K>>],
) -> Vec<(ObjectAddress, Key)> {
    let seen = |view: Handle<K>| Some((address(cx.handles.object(view)?), view.key()));
    views.iter().flatten().filter_map(|view| seen(*view)).collect()
}

macro_rules! watched {
    ($($(#[$doc:meta])* $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        impl<T: ContextFuncs + ?Sized> ForwardContext for VerifiedTable<T> {
            type Inner = T;

            fn inner(&self) -> &T {
                &self.inner
            }

            fn forward<R>(
                &self,
                entry: &'static str,
                cx: Entry<'_>,
                call: impl FnOnce(&T, Entry<'_>) -> R,
            ) -> R {
                self.call(entry, EntryRole::Other, cx, call)
            }

            fn forward_closing<R>(
                &self,
                entry: &'static str,
                cx: ClosingEntry<'_>,
                call: impl FnOnce(&T, ClosingEntry<'_>) -> R,
            ) -> R {
                self.call_closing(entry, EntryRole::Close, cx, call)
            }

            $(watched! { @$class $name ($($arg: $type),*) fn $name $(<$life>)? $(-> $answer)? })*
        }
    };
    (@state so_set_targets $($entry:tt)*) => { watched! { @special so_set_targets $($entry)* } };
    (@command so_set_offset $($entry:tt)*) => { watched! { @special so_set_offset $($entry)* } };
    (@draw draw_auto $($entry:tt)*) => { watched! { @special draw_auto $($entry)* } };
    (@command set_structure_count $($entry:tt)*) => { watched! { @special set_structure_count $($entry)* } };
    (@command copy_structure_count $($entry:tt)*) => { watched! { @special copy_structure_count $($entry)* } };
    (@command resource_resolve_subresource $($entry:tt)*) => {
        watched! { @special resource_resolve_subresource $($entry)* }
    };
    // For a setter, checks that its handles are open and that the state callback returns the new binding.
    (@state $entry:ident ($($arg:ident: $type:ty),*) fn $name:ident $(<$life:lifetime>)?) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) {
            let entry = stringify!($name);
            $(self.check_handles(entry, cx.handles, &$arg);)*
            let shown = shown::$name(&*cx.core, $($arg),*);
            self.record(entry, ensure(shown, Rule::StateShowsNewBinding, || "another binding is shown".into()));
            self.call(entry, EntryRole::State, cx, |t, cx| t.$name(cx, $($arg),*));
        }
    };
    (@draw $entry:ident ($($arg:ident: $type:ty),*) fn $name:ident) => {
        fn $name(&self, cx: Entry<'_>, $($arg: $type),*) {
            self.check_draw(stringify!($name), &cx);
            self.command(stringify!($name), cx, |t, cx| t.$name(cx, $($arg),*));
        }
    };
    (@dispatch $entry:ident ($($arg:ident: $type:ty),*) fn $name:ident) => {
        fn $name(&self, cx: Entry<'_>, $($arg: $type),*) {
            self.check_dispatch(stringify!($name), &cx, [$($arg),*]);
            self.uses_bound(&cx);
            self.command(stringify!($name), cx, |t, cx| t.$name(cx, $($arg),*));
        }
    };
    (@command $entry:ident ($($arg:ident: $type:ty),*) fn $name:ident $(<$life:lifetime>)?) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) {
            let entry = stringify!($name);
            $(
                self.check_handles(entry, cx.handles, &$arg);
                $arg.for_each_handle(&mut |_, key| self.watch.uses(cx.handles, [key]));
            )*
            self.command(entry, cx, |t, cx| t.$name(cx, $($arg),*));
        }
    };
    (@query $($entry:tt)*) => { watched! { @special $($entry)* } };
    (@indirect $($entry:tt)*) => { watched! { @special $($entry)* } };
    (@special $entry:ident ($($arg:ident: $type:ty),*) fn $name:ident $(<$life:lifetime>)? $(-> $answer:ty)?) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)? {
            special::$name(self, cx, $($arg),*)
        }
    };
}
context_entries!(watched);

/// Checks for each entry of the class `state` that the state callback returns the new binding.
mod shown {
    use super::*;

    fn slots<T>(start: u32, bindings: &[T]) -> Option<Range<u32>> {
        Some(start..start + bindings.len() as u32)
    }

    pub(super) fn ia_set_input_layout(core: &dyn CoreLayer, layout: Option<ElementLayoutHandle>) -> bool {
        core.input_layout() == layout
    }

    pub(super) fn ia_set_vertex_buffers(
        core: &dyn CoreLayer,
        start: u32,
        buffers: &[VertexBufferBinding],
    ) -> bool {
        core.vertex_buffers(slots(start, buffers)) == buffers
    }

    pub(super) fn ia_set_index_buffer(core: &dyn CoreLayer, buffer: IndexBufferBinding) -> bool {
        core.index_buffer() == buffer
    }

    pub(super) fn ia_set_primitive_topology(core: &dyn CoreLayer, topology: PrimitiveTopology) -> bool {
        core.primitive_topology() == topology
    }

    pub(super) fn set_shader(core: &dyn CoreLayer, stage: ShaderStage, shader: Option<ShaderHandle>) -> bool {
        core.shader(stage) == shader
    }

    fn stage_slots<C: StageSlots>(
        core: &dyn CoreLayer,
        stage: ShaderStage,
        start: u32,
        bindings: &[C::Binding],
    ) -> bool {
        C::bound(core, stage, slots(start, bindings)) == bindings
    }

    pub(super) fn set_constant_buffers(
        core: &dyn CoreLayer,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) -> bool {
        stage_slots::<ConstantBuffers>(core, stage, start, buffers)
    }

    pub(super) fn set_shader_resources(
        core: &dyn CoreLayer,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) -> bool {
        stage_slots::<ShaderResources>(core, stage, start, views)
    }

    pub(super) fn set_samplers(
        core: &dyn CoreLayer,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) -> bool {
        stage_slots::<Samplers>(core, stage, start, samplers)
    }

    pub(super) fn set_unordered_access_views(
        core: &dyn CoreLayer,
        stage: ShaderStage,
        start: u32,
        views: &[Option<UnorderedAccessViewHandle>],
    ) -> bool {
        stage_slots::<UnorderedAccessViews>(core, stage, start, views)
    }

    pub(super) fn rs_set_state(core: &dyn CoreLayer, state: Option<RasterizerStateHandle>) -> bool {
        core.rasterizer_state() == state
    }

    pub(super) fn rs_set_viewports(core: &dyn CoreLayer, viewports: &[Viewport]) -> bool {
        core.viewports() == viewports
    }

    pub(super) fn rs_set_scissor_rects(core: &dyn CoreLayer, rects: &[Rect]) -> bool {
        core.scissor_rects() == rects
    }

    /// Ignores the blend factor, because a NaN does not equal itself.
    pub(super) fn om_set_blend_state(core: &dyn CoreLayer, blend: BlendBinding) -> bool {
        let shown = core.blend_state();
        (shown.state, shown.sample_mask) == (blend.state, blend.sample_mask)
    }

    pub(super) fn om_set_depth_stencil_state(core: &dyn CoreLayer, state: DepthStencilBinding) -> bool {
        core.depth_stencil_state() == state
    }

    pub(super) fn set_predication(core: &dyn CoreLayer, predication: PredicationBinding) -> bool {
        core.predication() == predication
    }

    pub(super) fn om_set_render_targets(core: &dyn CoreLayer, targets: TargetsBinding<'_>) -> bool {
        let shown = core.render_targets();
        used(shown.color) == used(targets.color) && shown.depth_stencil == targets.depth_stencil
    }
}

/// The entries of the classes `query`, `indirect` and `special`, and commands with additional rules.
mod special {
    pub(super) use super::super::stream_output::{draw_auto, so_set_offset, so_set_targets};
    use super::*;

    pub(super) fn set_structure_count<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        view: UnorderedAccessViewHandle,
        count: u32,
    ) {
        let entry = "set_structure_count";
        let has_counter = table.has_counter(&cx, view);
        table.record(entry, ensure(has_counter, Rule::CountsCounters, || format!("{view:?}")));
        table.uses(entry, cx, view, |t, cx| t.set_structure_count(cx, view, count));
    }

    pub(super) fn copy_structure_count<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        dst: ResourceHandle,
        offset: u32,
        view: UnorderedAccessViewHandle,
    ) {
        let entry = "copy_structure_count";
        let object = cx.handles.object(dst).map(address);
        let bytes = object.map_or(0, |object| lock(&table.watch.device.registry).buffer_bytes(object));
        let inside = offset.is_multiple_of(4) && offset.checked_add(4).is_some_and(|end| end <= bytes);
        let fits = inside && table.has_counter(&cx, view);
        let words = || format!("{view:?} to {offset} of {bytes} bytes");
        table.record(entry, ensure(fits, Rule::CountCopied, words));
        table.check_handles(entry, cx.handles, &dst);
        dst.for_each_handle(&mut |_, key| table.watch.uses(cx.handles, [key]));
        table.uses(entry, cx, view, |t, cx| t.copy_structure_count(cx, dst, offset, view));
    }

    pub(super) fn resource_resolve_subresource<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        dst: ResourceHandle,
        dst_subresource: u32,
        src: ResourceHandle,
        src_subresource: u32,
        format: Format,
    ) {
        let entry = "resource_resolve_subresource";
        let samples = |resource: ResourceHandle| {
            let object = cx.handles.object(resource).map(address);
            object.map_or(0, |object| lock(&table.watch.device.registry).samples(object))
        };
        let (from, to) = (samples(src), samples(dst));
        let words = || format!("{from} samples to {to}");
        table.record(entry, ensure(from > 1 && to == 1, Rule::ResolvesSamples, words));
        table.check_handles(entry, cx.handles, &dst);
        dst.for_each_handle(&mut |_, key| table.watch.uses(cx.handles, [key]));
        table.uses(entry, cx, src, |t, cx| {
            t.resource_resolve_subresource(cx, dst, dst_subresource, src, src_subresource, format);
        });
    }

    pub(super) fn dynamic_map<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        let entry = "dynamic_map";
        if table.watch.deferred {
            let mut slices = cx.handles.uploads.slices().iter();
            let has_slice = slices.any(|slice| slice.resource == resource);
            let mut state = lock(&table.watch.state);
            let discarded = if map_type == MapType::WriteDiscard {
                state.discarded.insert(resource.key());
                true
            } else {
                has_slice || state.discarded.contains(&resource.key())
            };
            drop(state);
            table.record(entry, ensure(discarded, Rule::DiscardFirst, || format!("{resource:?}")));
        }
        let types = (map_type, &[MapType::WriteDiscard, MapType::WriteNoOverwrite][..]);
        table.map(entry, cx, resource, subresource, types, |t, cx| {
            t.dynamic_map(cx, resource, subresource, map_type)
        })
    }

    pub(super) fn dynamic_unmap<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        let back = (memory, written);
        table.unmap("dynamic_unmap", cx, resource, subresource, back, |t, cx, memory, written| {
            t.dynamic_unmap(cx, resource, subresource, memory, written);
        });
    }

    pub(super) fn renew_upload_page<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
    ) -> Result<(), RecordError> {
        let entry = "renew_upload_page";
        table.call(entry, EntryRole::Command, cx, |t, cx| t.renew_upload_page(cx)).inspect_err(|error| {
            let is_bug = matches!(error, RecordError::Bug(_));
            table.record(entry, ensure(!is_bug, Rule::ErrorAllowed, || error.to_string()));
        })
    }

    pub(super) fn draw_instanced_indirect<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        arguments: ResourceHandle,
        offset: u32,
    ) {
        let entry = "draw_instanced_indirect";
        table.check_arguments(entry, &cx, arguments, offset, size_of::<DrawInstancedIndirectArgs>());
        table.check_draw(entry, &cx);
        table.uses(entry, cx, arguments, |t, cx| t.draw_instanced_indirect(cx, arguments, offset));
    }

    pub(super) fn draw_indexed_instanced_indirect<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        arguments: ResourceHandle,
        offset: u32,
    ) {
        let entry = "draw_indexed_instanced_indirect";
        table.check_arguments(entry, &cx, arguments, offset, size_of::<DrawIndexedInstancedIndirectArgs>());
        table.check_draw(entry, &cx);
        table.uses(entry, cx, arguments, |t, cx| t.draw_indexed_instanced_indirect(cx, arguments, offset));
    }

    pub(super) fn dispatch_indirect<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        arguments: ResourceHandle,
        offset: u32,
    ) {
        let entry = "dispatch_indirect";
        table.check_arguments(entry, &cx, arguments, offset, size_of::<DispatchIndirectArgs>());
        // The number of groups is known only to the GPU, so it cannot be checked here.
        table.check_dispatch(entry, &cx, [0; 3]);
        table.uses_bound(&cx);
        table.uses(entry, cx, arguments, |t, cx| t.dispatch_indirect(cx, arguments, offset));
    }

    pub(super) fn query_begin<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        query: QueryHandle,
    ) {
        let entry = "query_begin";
        table.record(entry, table.watch.begin_or_end(cx.handles, query, true));
        table.uses(entry, cx, query, |t, cx| t.query_begin(cx, query));
    }

    pub(super) fn query_end<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        query: QueryHandle,
    ) {
        let entry = "query_end";
        table.record(entry, table.watch.begin_or_end(cx.handles, query, false));
        table.uses(entry, cx, query, |t, cx| t.query_end(cx, query));
    }

    pub(super) fn command_list_execute<T: ContextFuncs + ?Sized>(
        table: &VerifiedTable<T>,
        cx: Entry<'_>,
        list: &DriverList<Live>,
    ) {
        let entry = "command_list_execute";
        let mut begun = Vec::new();
        let closed = lock(&table.watch.device.registry).list(address(list.object())).map(|known| {
            begun.extend(known.queries.iter().copied().filter(|key| table.watch.is_begun(*key)));
            if table.watch.deferred {
                let mut state = lock(&table.watch.state);
                state.nested.extend(&known.objects);
                state.queries.extend(&known.queries);
            } else {
                let mut memory = lock(&table.watch.device.memory);
                known.objects.iter().for_each(|object| memory.uses(*object));
            }
            let closed = known.renamable.iter().filter(|key| !cx.handles.contains(**key));
            closed.copied().collect::<Vec<_>>()
        });
        table.record(entry, ensure(closed.is_some(), Rule::ListExists, || "there is no such list".into()));
        let closed = closed.unwrap_or_default();
        table.record(
            entry,
            ensure(closed.is_empty(), Rule::RenamableOpen, || format!("{closed:?} are not open")),
        );
        let free = ensure(begun.is_empty(), Rule::ListQueriesFree, || format!("{begun:?} are begun"));
        table.record(entry, free);
        table.command(entry, cx, |t, cx| t.command_list_execute(cx, list));
    }
}
