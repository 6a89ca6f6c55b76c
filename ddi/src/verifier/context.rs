//! What both kinds of context table have in common, under watch.

use std::sync::Arc;

use super::{
    breach::{Check, Rule, ensure, lock},
    callbacks::WatchedCore,
    registry::address,
    watch::{ContextWatch, Role, private_address},
};
use crate::{
    MapError, RecordError, ShaderStage,
    binding::{
        BlendBinding, ConstantBufferBinding, DepthStencilBinding, IndexBufferBinding, PrimitiveTopology,
        Rect, TargetsBinding, VertexBufferBinding, Viewport,
    },
    callbacks::CoreLayer,
    context::{ClearFlags, ClosingEntry, ContextFuncs, Entry},
    handle::{
        DepthStencilViewHandle, ElementLayoutHandle, Handle, HandleKind, QueryHandle, RasterizerStateHandle,
        RenderTargetViewHandle, ResourceHandle, SamplerHandle, ShaderHandle, ShaderResourceViewHandle,
    },
    map::{MapType, MappedMemory, Written},
    recycle::{DriverList, Live},
    resource::{Box3d, SubresourceData},
    storage::HandleStorage,
};

/// A context table under watch.
pub(super) struct Table<T: ?Sized> {
    pub(super) inner: Arc<T>,
    pub(super) watch: Arc<ContextWatch>,
    /// The immediate context's tables are numbered as they were published; 0 is the first.
    pub(super) number: u64,
}

impl<T: ContextFuncs + ?Sized> Table<T> {
    /// Before the driver is called: the table is the newest.
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

    /// Calls an entry of the driver that only lets go, with the books kept.
    pub(super) fn call_closing<R>(
        &self,
        entry: &'static str,
        role: Role,
        cx: ClosingEntry<'_>,
        call: impl FnOnce(&T, ClosingEntry<'_>) -> R,
    ) -> R {
        let _serial = self.watch.device.enter(entry);
        self.check_table(entry);
        let _visit = self.watch.enter(entry, role, cx.private);
        call(&self.inner, cx)
    }

    /// Calls the driver, with the books kept and the callbacks under watch.
    pub(super) fn call<R>(
        &self,
        entry: &'static str,
        role: Role,
        cx: Entry<'_>,
        call: impl FnOnce(&T, Entry<'_>) -> R,
    ) -> R {
        let watch = &*self.watch;
        let _serial = watch.device.enter(entry);
        self.check_table(entry);
        let _visit = watch.enter(entry, role, cx.private);
        let arguments = (private_address(cx.private), std::ptr::from_ref(&*cx.handles).addr());
        let mut core = WatchedCore { inner: cx.core, watch, entry, arguments, owed: false };
        call(&self.inner, Entry { private: cx.private, handles: cx.handles, core: &mut core })
    }

    /// A setter: its handles are open, and the state callbacks show what it sets.
    fn set<K: HandleKind>(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        handles: impl IntoIterator<Item = Handle<K>>,
        shows: impl FnOnce(&dyn CoreLayer) -> bool,
        call: impl FnOnce(&T, Entry<'_>),
    ) {
        self.open(entry, cx.handles, handles);
        let shown = ensure(shows(&*cx.core), Rule::StateShowsNewBinding, || "another one is shown".into());
        self.record(entry, shown);
        self.call(entry, Role::State, cx, call);
    }

    fn command(&self, entry: &'static str, cx: Entry<'_>, call: impl FnOnce(&T, Entry<'_>)) {
        self.call(entry, Role::Command, cx, call);
    }

    /// A command that uses all that is bound.
    fn draws(&self, entry: &'static str, cx: Entry<'_>, call: impl FnOnce(&T, Entry<'_>)) {
        if !self.watch.deferred {
            let mut bound = Vec::new();
            cx.core.for_each_bound(&mut |key| bound.push(key));
            self.watch.uses(cx.handles, bound);
        }
        self.command(entry, cx, call);
    }

    /// A command that uses one object.
    fn uses<K: HandleKind>(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        handle: Handle<K>,
        call: impl FnOnce(&T, Entry<'_>),
    ) {
        self.open(entry, cx.handles, [handle]);
        self.watch.uses(cx.handles, [handle.key()]);
        self.command(entry, cx, call);
    }

    /// A copy.
    fn copies(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        of: [ResourceHandle; 2],
        call: impl FnOnce(&T, Entry<'_>),
    ) {
        self.open(entry, cx.handles, of);
        self.watch.uses(cx.handles, of.map(Handle::key));
        self.command(entry, cx, call);
    }

    fn open<K: HandleKind>(
        &self,
        entry: &'static str,
        storage: &HandleStorage,
        handles: impl IntoIterator<Item = Handle<K>>,
    ) {
        for handle in handles {
            self.watch.handle(entry, storage, handle);
        }
    }

    pub(super) fn record(&self, entry: &'static str, check: Check) {
        self.watch.device.record(entry, check);
    }

    /// A map of either family.
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
        self.open(entry, cx.handles, [resource]);
        let check = ensure(allowed.contains(&map_type), Rule::MapTypeAllowed, || format!("{map_type:?}"));
        self.record(entry, check);
        self.record(entry, self.watch.may_map(resource.key(), subresource));
        let object = cx.handles.object(resource).map(address);
        let bytes = object.map_or(0, |object| lock(&self.watch.device.registry).buffer_bytes(object));
        let memory = self.call(entry, Role::Command, cx, call).inspect_err(|error| {
            let error: MapError = error.clone().into();
            let bug = matches!(error, MapError::Bug(_));
            self.record(entry, ensure(!bug, Rule::ErrorAllowed, || error.to_string()));
        })?;
        self.record(entry, self.watch.mapped(resource.key(), subresource, &memory, bytes));
        Ok(memory)
    }

    /// An unmap of either family.
    pub(super) fn unmap(
        &self,
        entry: &'static str,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        (memory, written): (MappedMemory, Written),
        call: impl FnOnce(&T, Entry<'_>, MappedMemory, Written),
    ) {
        self.open(entry, cx.handles, [resource]);
        self.record(entry, self.watch.unmap(resource.key(), subresource, &memory, &written));
        self.command(entry, cx, |t, cx| call(t, cx, memory, written));
    }
}

/// Targets without the empty slots at the end: whether those are shown is the runtime's affair.
fn bound<'a>(targets: &TargetsBinding<'a>) -> &'a [Option<RenderTargetViewHandle>] {
    let used = targets.color.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    &targets.color[..used]
}

impl<T: ContextFuncs + ?Sized> ContextFuncs for Table<T> {
    fn ia_set_input_layout(&self, cx: Entry<'_>, layout: Option<ElementLayoutHandle>) {
        let shows = |core: &dyn CoreLayer| core.input_layout() == layout;
        self.set("ia_set_input_layout", cx, layout, shows, |t, cx| t.ia_set_input_layout(cx, layout));
    }

    fn ia_set_vertex_buffers(&self, cx: Entry<'_>, start: u32, buffers: &[VertexBufferBinding]) {
        let slots = start..start + buffers.len() as u32;
        let shows = |core: &dyn CoreLayer| core.vertex_buffers(Some(slots)) == buffers;
        self.set("ia_set_vertex_buffers", cx, buffers.iter().filter_map(|b| b.buffer), shows, |t, cx| {
            t.ia_set_vertex_buffers(cx, start, buffers);
        });
    }

    fn ia_set_index_buffer(&self, cx: Entry<'_>, buffer: IndexBufferBinding) {
        let shows = |core: &dyn CoreLayer| core.index_buffer() == buffer;
        self.set("ia_set_index_buffer", cx, buffer.buffer, shows, |t, cx| t.ia_set_index_buffer(cx, buffer));
    }

    fn ia_set_primitive_topology(&self, cx: Entry<'_>, topology: PrimitiveTopology) {
        let shows = |core: &dyn CoreLayer| core.primitive_topology() == topology;
        let none: Option<ResourceHandle> = None;
        self.set("ia_set_primitive_topology", cx, none, shows, |t, cx| {
            t.ia_set_primitive_topology(cx, topology);
        });
    }

    fn set_shader(&self, cx: Entry<'_>, stage: ShaderStage, shader: Option<ShaderHandle>) {
        let shows = |core: &dyn CoreLayer| core.shader(stage) == shader;
        self.set("set_shader", cx, shader, shows, |t, cx| t.set_shader(cx, stage, shader));
    }

    fn set_constant_buffers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        let slots = start..start + buffers.len() as u32;
        let shows = |core: &dyn CoreLayer| core.constant_buffers(stage, Some(slots)) == buffers;
        self.set("set_constant_buffers", cx, buffers.iter().filter_map(|b| b.buffer), shows, |t, cx| {
            t.set_constant_buffers(cx, stage, start, buffers);
        });
    }

    fn set_shader_resources(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        let slots = start..start + views.len() as u32;
        let shows = |core: &dyn CoreLayer| core.shader_resources(stage, Some(slots)) == views;
        self.set("set_shader_resources", cx, views.iter().copied().flatten(), shows, |t, cx| {
            t.set_shader_resources(cx, stage, start, views);
        });
    }

    fn set_samplers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        let slots = start..start + samplers.len() as u32;
        let shows = |core: &dyn CoreLayer| core.samplers(stage, Some(slots)) == samplers;
        self.set("set_samplers", cx, samplers.iter().copied().flatten(), shows, |t, cx| {
            t.set_samplers(cx, stage, start, samplers);
        });
    }

    fn rs_set_state(&self, cx: Entry<'_>, state: Option<RasterizerStateHandle>) {
        let shows = |core: &dyn CoreLayer| core.rasterizer_state() == state;
        self.set("rs_set_state", cx, state, shows, |t, cx| t.rs_set_state(cx, state));
    }

    fn rs_set_viewports(&self, cx: Entry<'_>, viewports: &[Viewport]) {
        let shows = |core: &dyn CoreLayer| core.viewports() == viewports;
        let none: Option<ResourceHandle> = None;
        self.set("rs_set_viewports", cx, none, shows, |t, cx| t.rs_set_viewports(cx, viewports));
    }

    fn rs_set_scissor_rects(&self, cx: Entry<'_>, rects: &[Rect]) {
        let shows = |core: &dyn CoreLayer| core.scissor_rects() == rects;
        let none: Option<ResourceHandle> = None;
        self.set("rs_set_scissor_rects", cx, none, shows, |t, cx| t.rs_set_scissor_rects(cx, rects));
    }

    fn om_set_blend_state(&self, cx: Entry<'_>, blend: BlendBinding) {
        // Not the factor, in which a NaN would be unlike itself.
        let same = |shown: BlendBinding| (shown.state, shown.sample_mask) == (blend.state, blend.sample_mask);
        let shows = |core: &dyn CoreLayer| same(core.blend_state());
        self.set("om_set_blend_state", cx, blend.state, shows, |t, cx| t.om_set_blend_state(cx, blend));
    }

    fn om_set_depth_stencil_state(&self, cx: Entry<'_>, state: DepthStencilBinding) {
        let shows = |core: &dyn CoreLayer| core.depth_stencil_state() == state;
        self.set("om_set_depth_stencil_state", cx, state.state, shows, |t, cx| {
            t.om_set_depth_stencil_state(cx, state);
        });
    }

    fn om_set_render_targets(&self, cx: Entry<'_>, targets: TargetsBinding<'_>) {
        let entry = "om_set_render_targets";
        self.open(entry, cx.handles, targets.depth_stencil);
        let shows = |core: &dyn CoreLayer| {
            let shown = core.render_targets();
            bound(&shown) == bound(&targets) && shown.depth_stencil == targets.depth_stencil
        };
        self.set(entry, cx, targets.color.iter().copied().flatten(), shows, |t, cx| {
            t.om_set_render_targets(cx, targets);
        });
    }

    fn draw(&self, cx: Entry<'_>, vertex_count: u32, start_vertex: u32) {
        self.draws("draw", cx, |t, cx| t.draw(cx, vertex_count, start_vertex));
    }

    fn draw_indexed(&self, cx: Entry<'_>, index_count: u32, start_index: u32, base_vertex: i32) {
        self.draws("draw_indexed", cx, |t, cx| t.draw_indexed(cx, index_count, start_index, base_vertex));
    }

    fn draw_instanced(
        &self,
        cx: Entry<'_>,
        vertex_count: u32,
        instance_count: u32,
        start_vertex: u32,
        start_instance: u32,
    ) {
        self.draws("draw_instanced", cx, |t, cx| {
            t.draw_instanced(cx, vertex_count, instance_count, start_vertex, start_instance);
        });
    }

    fn draw_indexed_instanced(
        &self,
        cx: Entry<'_>,
        index_count: u32,
        instance_count: u32,
        start_index: u32,
        base_vertex: i32,
        start_instance: u32,
    ) {
        self.draws("draw_indexed_instanced", cx, |t, cx| {
            t.draw_indexed_instanced(
                cx,
                index_count,
                instance_count,
                start_index,
                base_vertex,
                start_instance,
            );
        });
    }

    fn prepare_draw(&self, cx: Entry<'_>) {
        self.draws("prepare_draw", cx, |t, cx| t.prepare_draw(cx));
    }

    fn clear_render_target_view(&self, cx: Entry<'_>, view: RenderTargetViewHandle, color: [f32; 4]) {
        let entry = "clear_render_target_view";
        self.uses(entry, cx, view, |t, cx| t.clear_render_target_view(cx, view, color));
    }

    fn clear_depth_stencil_view(
        &self,
        cx: Entry<'_>,
        view: DepthStencilViewHandle,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    ) {
        let entry = "clear_depth_stencil_view";
        self.uses(entry, cx, view, |t, cx| t.clear_depth_stencil_view(cx, view, flags, depth, stencil));
    }

    fn resource_copy(&self, cx: Entry<'_>, dst: ResourceHandle, src: ResourceHandle) {
        self.copies("resource_copy", cx, [dst, src], |t, cx| t.resource_copy(cx, dst, src));
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
        self.copies("resource_copy_region", cx, [dst, src], |t, cx| {
            t.resource_copy_region(cx, dst, dst_subresource, dst_at, src, src_subresource, src_box);
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
        let entry = "resource_update_subresource";
        self.uses(entry, cx, dst, |t, cx| t.resource_update_subresource(cx, dst, subresource, dst_box, data));
    }

    fn generate_mips(&self, cx: Entry<'_>, view: ShaderResourceViewHandle) {
        self.uses("generate_mips", cx, view, |t, cx| t.generate_mips(cx, view));
    }

    fn dynamic_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        let entry = "dynamic_map";
        if self.watch.deferred {
            let mut state = lock(&self.watch.state);
            let discarded = if map_type == MapType::WriteDiscard {
                state.discarded.insert(resource.key());
                true
            } else {
                state.discarded.contains(&resource.key())
            };
            drop(state);
            self.record(entry, ensure(discarded, Rule::DiscardFirst, || format!("{resource:?}")));
        }
        let types = (map_type, &[MapType::WriteDiscard, MapType::WriteNoOverwrite][..]);
        self.map(entry, cx, resource, subresource, types, |t, cx| {
            t.dynamic_map(cx, resource, subresource, map_type)
        })
    }

    fn dynamic_unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        let back = (memory, written);
        self.unmap("dynamic_unmap", cx, resource, subresource, back, |t, cx, memory, written| {
            t.dynamic_unmap(cx, resource, subresource, memory, written);
        });
    }

    fn dynamic_replace(&self, cx: Entry<'_>, resource: ResourceHandle, offset: u32, data: &[u8]) {
        let entry = "dynamic_replace";
        self.record(entry, self.watch.may_map(resource.key(), 0));
        let object = cx.handles.object(resource).map(address);
        let bytes = object.map_or(0, |object| lock(&self.watch.device.registry).buffer_bytes(object));
        let end = (offset as usize).saturating_add(data.len());
        let words = || format!("bytes {offset}..{end} of {bytes} are written");
        self.record(entry, ensure(end <= bytes as usize, Rule::MapTypeAllowed, words));
        if self.watch.deferred {
            lock(&self.watch.state).discarded.insert(resource.key());
        }
        self.uses(entry, cx, resource, |t, cx| t.dynamic_replace(cx, resource, offset, data));
    }

    fn query_begin(&self, cx: Entry<'_>, query: QueryHandle) {
        let entry = "query_begin";
        self.record(entry, self.watch.begin_or_end(cx.handles, query, true));
        self.uses(entry, cx, query, |t, cx| t.query_begin(cx, query));
    }

    fn query_end(&self, cx: Entry<'_>, query: QueryHandle) {
        let entry = "query_end";
        self.record(entry, self.watch.begin_or_end(cx.handles, query, false));
        self.uses(entry, cx, query, |t, cx| t.query_end(cx, query));
    }

    fn begin_event(&self, cx: Entry<'_>, name: &str) {
        self.command("begin_event", cx, |t, cx| t.begin_event(cx, name));
    }

    fn end_event(&self, cx: Entry<'_>) {
        self.command("end_event", cx, |t, cx| t.end_event(cx));
    }

    fn set_marker(&self, cx: Entry<'_>, name: &str) {
        self.command("set_marker", cx, |t, cx| t.set_marker(cx, name));
    }

    fn command_list_execute(&self, cx: Entry<'_>, list: &DriverList<Live>) {
        let entry = "command_list_execute";
        let mut begun = Vec::new();
        let closed = lock(&self.watch.device.registry).list(address(list.object())).map(|known| {
            begun.extend(known.queries.iter().copied().filter(|key| self.watch.is_begun(*key)));
            if self.watch.deferred {
                let mut state = lock(&self.watch.state);
                state.nested.extend(&known.objects);
                state.queries.extend(&known.queries);
            } else {
                let mut memory = lock(&self.watch.device.memory);
                known.objects.iter().for_each(|object| memory.uses(*object));
            }
            let closed = known.renamable.iter().filter(|key| !cx.handles.contains(**key));
            closed.copied().collect::<Vec<_>>()
        });
        self.record(entry, ensure(closed.is_some(), Rule::ListExists, || "there is no such list".into()));
        let closed = closed.unwrap_or_default();
        self.record(
            entry,
            ensure(closed.is_empty(), Rule::RenamableOpen, || format!("{closed:?} are not open")),
        );
        let free = ensure(begun.is_empty(), Rule::ListQueriesFree, || format!("{begun:?} are begun"));
        self.record(entry, free);
        self.command(entry, cx, |t, cx| t.command_list_execute(cx, list));
    }

    fn shader_resource_view_read_after_write_hazard(&self, cx: Entry<'_>, view: ShaderResourceViewHandle) {
        let entry = "shader_resource_view_read_after_write_hazard";
        self.open(entry, cx.handles, [view]);
        self.call(entry, Role::State, cx, |t, cx| t.shader_resource_view_read_after_write_hazard(cx, view));
    }
}
