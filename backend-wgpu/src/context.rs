//! Contexts: their creation, and the table entries that immediate and deferred contexts share.
//!
//! A [`ContextTable`] is for immediate or deferred contexts, depending on the [`PageSink`] of the recorder.
//! The entries that only one kind of context has are in [`crate::immediate`] and [`crate::deferred`].

use std::{marker::PhantomData, sync::Arc};

use onze_ddi::{
    BlendBinding, Box3d, ClearFlags, ConstantBufferBinding, ContextFuncs, CreateDeferredContextArgs,
    CreatedDeferredContext, DepthStencilBinding, DepthStencilViewHandle, DriverBug, DriverContext,
    DriverList, ElementLayoutHandle, Entry, Format, ImmediateFuncs, IndexBufferBinding, Live, MapType,
    MappedMemory, OutOfMemory, PredicationBinding, PrimitiveTopology, PrivateData, QueryHandle,
    RasterizerStateHandle, RecordError, Rect, RenderTargetViewHandle, ResourceHandle, SamplerHandle,
    ShaderHandle, ShaderResourceViewHandle, ShaderStage, SubresourceData, TargetsBinding,
    UnorderedAccessViewHandle, VertexBufferBinding, Viewport, Written,
};

use crate::{
    record::{
        command::Command,
        deferred::Deferred,
        page::InstancedDraw,
        recorder::{
            PageSink, RecordScope, Recorder, after_entry, predication::set_predication, record, record_bind,
            record_draw, record_update, set_min_lod,
        },
    },
    services::gpu::Gpu,
    submit::{DeviceSubmission, immediate::Immediate},
};

#[derive(Debug)]
pub(crate) struct ContextTable<E>(PhantomData<fn() -> E>);

pub(crate) type ImmediateTable = ContextTable<Immediate>;

pub(crate) type DeferredTable = ContextTable<Deferred>;

impl<E> Default for ContextTable<E> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

pub(crate) fn create_immediate(device: &Arc<DeviceSubmission>) -> (Box<dyn ImmediateFuncs>, PrivateData) {
    let recorder = Recorder::new(&device.gpu, Immediate::new(device));
    (Box::new(ImmediateTable::default()), Box::new(recorder))
}

pub(crate) fn create_deferred(gpu: &Arc<Gpu>, _args: &CreateDeferredContextArgs) -> CreatedDeferredContext {
    created_deferred(DriverContext::new(Box::new(Recorder::new(gpu, Deferred::default()))))
}

pub(crate) fn created_deferred(private: DriverContext<Live>) -> CreatedDeferredContext {
    CreatedDeferredContext { funcs: Arc::new(DeferredTable::default()), private }
}

impl<E: PageSink> ContextFuncs for ContextTable<E> {
    fn ia_set_input_layout(&self, entry: Entry<'_>, layout: Option<ElementLayoutHandle>) {
        record_bind::<E>(entry, |writer| writer.set_input_layout(layout));
    }

    fn ia_set_vertex_buffers(&self, entry: Entry<'_>, start: u32, buffers: &[VertexBufferBinding]) {
        record_bind::<E>(entry, |writer| writer.set_vertex_buffers(start, buffers));
    }

    fn ia_set_index_buffer(&self, entry: Entry<'_>, buffer: IndexBufferBinding) {
        record_bind::<E>(entry, |writer| writer.set_index_buffer(buffer));
    }

    fn ia_set_primitive_topology(&self, entry: Entry<'_>, topology: PrimitiveTopology) {
        record_bind::<E>(entry, |writer| writer.set_topology(topology));
    }

    fn set_shader(&self, entry: Entry<'_>, stage: ShaderStage, shader: Option<ShaderHandle>) {
        record_bind::<E>(entry, |writer| writer.set_shader(stage, shader));
    }

    fn set_constant_buffers(
        &self,
        entry: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        record_bind::<E>(entry, |writer| writer.set_constant_buffers(stage, start, buffers));
    }

    fn set_shader_resources(
        &self,
        entry: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        record_bind::<E>(entry, |writer| writer.set_shader_resources(stage, start, views));
    }

    fn set_samplers(
        &self,
        entry: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        record_bind::<E>(entry, |writer| writer.set_samplers(stage, start, samplers));
    }

    fn set_unordered_access_views(
        &self,
        entry: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        views: &[Option<UnorderedAccessViewHandle>],
    ) {
        record_bind::<E>(entry, |writer| writer.set_unordered_access_views(stage, start, views));
    }

    fn rs_set_state(&self, entry: Entry<'_>, state: Option<RasterizerStateHandle>) {
        record_bind::<E>(entry, |writer| writer.set_rasterizer_state(state));
    }

    fn rs_set_viewports(&self, entry: Entry<'_>, viewports: &[Viewport]) {
        record::<E>(entry, |scope| scope.writer.set_viewports(viewports));
    }

    fn rs_set_scissor_rects(&self, entry: Entry<'_>, rects: &[Rect]) {
        record::<E>(entry, |scope| scope.writer.set_scissor_rects(rects));
    }

    fn om_set_blend_state(&self, entry: Entry<'_>, blend: BlendBinding) {
        record_bind::<E>(entry, |writer| writer.set_blend(blend));
    }

    fn om_set_depth_stencil_state(&self, entry: Entry<'_>, state: DepthStencilBinding) {
        record_bind::<E>(entry, |writer| writer.set_depth_stencil(state));
    }

    fn om_set_render_targets(&self, entry: Entry<'_>, targets: TargetsBinding<'_>) {
        record::<E>(entry, |scope| scope.writer.set_targets(targets));
    }

    fn so_set_targets(&self, entry: Entry<'_>, targets: &[Option<ResourceHandle>]) {
        record::<E>(entry, |scope| scope.writer.set_stream_targets(targets));
    }

    fn draw(&self, entry: Entry<'_>, vertex_count: u32, start_vertex: u32) {
        record_draw::<E>(entry, |writer| writer.draw(vertex_count, start_vertex));
    }

    fn draw_indexed(&self, entry: Entry<'_>, index_count: u32, start_index: u32, base_vertex: i32) {
        record_draw::<E>(entry, |writer| writer.draw_indexed(index_count, start_index, base_vertex));
    }

    fn draw_auto(&self, entry: Entry<'_>) {
        record::<E>(entry, |scope| {
            if let [binding, ..] = scope.core.vertex_buffers(Some(0..1)) {
                scope.writer.draw_auto(binding);
            }
        });
    }

    fn prepare_draw(&self, entry: Entry<'_>) {
        record::<E>(entry, |scope| scope.writer.work(Command::PrepareDraw));
    }

    fn draw_instanced(
        &self,
        entry: Entry<'_>,
        vertex_count: u32,
        instance_count: u32,
        start_vertex: u32,
        start_instance: u32,
    ) {
        let draw = InstancedDraw {
            count: vertex_count,
            instance_count,
            start: start_vertex,
            base_vertex: 0,
            start_instance,
        };
        record_draw::<E>(entry, |writer| writer.draw_instanced(draw, false));
    }

    fn draw_indexed_instanced(
        &self,
        entry: Entry<'_>,
        index_count: u32,
        instance_count: u32,
        start_index: u32,
        base_vertex: i32,
        start_instance: u32,
    ) {
        let draw = InstancedDraw {
            count: index_count,
            instance_count,
            start: start_index,
            base_vertex,
            start_instance,
        };
        record_draw::<E>(entry, |writer| writer.draw_instanced(draw, true));
    }

    fn dispatch(&self, entry: Entry<'_>, x: u32, y: u32, z: u32) {
        record::<E>(entry, |scope| {
            scope.writer.work(Command::Dispatch([x, y, z].map(|groups| groups as u16)));
        });
    }

    fn draw_instanced_indirect(&self, entry: Entry<'_>, arguments: ResourceHandle, offset: u32) {
        record::<E>(entry, |scope| scope.writer.draw_indirect(arguments, offset, false));
    }

    fn draw_indexed_instanced_indirect(&self, entry: Entry<'_>, arguments: ResourceHandle, offset: u32) {
        record::<E>(entry, |scope| scope.writer.draw_indirect(arguments, offset, true));
    }

    fn dispatch_indirect(&self, entry: Entry<'_>, arguments: ResourceHandle, offset: u32) {
        record::<E>(entry, |scope| scope.writer.dispatch_indirect(arguments, offset));
    }

    fn clear_render_target_view(&self, entry: Entry<'_>, view: RenderTargetViewHandle, color: [f32; 4]) {
        record::<E>(entry, |scope| scope.writer.clear_render_target(view, color));
    }

    fn clear_depth_stencil_view(
        &self,
        entry: Entry<'_>,
        view: DepthStencilViewHandle,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    ) {
        record::<E>(entry, |scope| scope.writer.clear_depth_stencil(view, flags, depth, stencil));
    }

    fn resource_copy(&self, entry: Entry<'_>, dst: ResourceHandle, src: ResourceHandle) {
        record::<E>(entry, |scope| {
            let done = scope.resource_copy(dst, src);
            scope.expect_done(done, "a copy");
        });
    }

    fn resource_copy_region(
        &self,
        entry: Entry<'_>,
        dst: ResourceHandle,
        dst_subresource: u32,
        dst_at: [u32; 3],
        src: ResourceHandle,
        src_subresource: u32,
        src_box: Option<Box3d>,
    ) {
        record::<E>(entry, |scope| {
            let done =
                scope.resource_copy_region(dst, dst_subresource, dst_at, src, src_subresource, src_box);
            scope.expect_done(done, "a copy of a region");
        });
    }

    fn resource_resolve_subresource(
        &self,
        entry: Entry<'_>,
        dst: ResourceHandle,
        dst_subresource: u32,
        src: ResourceHandle,
        src_subresource: u32,
        format: Format,
    ) {
        record::<E>(entry, |scope| {
            let done = scope.resolve(dst, dst_subresource, src, src_subresource, format);
            scope.expect_done(done, "a resolve");
        });
    }

    fn set_structure_count(&self, entry: Entry<'_>, view: UnorderedAccessViewHandle, count: u32) {
        record::<E>(entry, |scope| {
            scope.writer.r.is_unconditional = true;
            let done = scope.set_structure_count(view, count);
            scope.writer.r.is_unconditional = false;
            scope.expect_done(done, "setting a counter");
        });
    }

    fn so_set_offset(&self, entry: Entry<'_>, target: ResourceHandle, offset: u32) {
        record::<E>(entry, |scope| {
            scope.writer.r.is_unconditional = true;
            let done = scope.set_filled_size(target, offset);
            scope.writer.r.is_unconditional = false;
            scope.expect_done(done, "setting a filled size");
        });
    }

    fn set_resource_min_lod(&self, mut entry: Entry<'_>, resource: ResourceHandle, min_lod: f32) {
        set_min_lod::<E>(&mut entry, resource, min_lod);
    }

    fn copy_structure_count(
        &self,
        entry: Entry<'_>,
        dst: ResourceHandle,
        offset: u32,
        view: UnorderedAccessViewHandle,
    ) {
        record::<E>(entry, |scope| {
            let done = scope.copy_structure_count(dst, offset, view);
            scope.expect_done(done, "a copy of a counter");
        });
    }

    fn resource_update_subresource(
        &self,
        entry: Entry<'_>,
        dst: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    ) {
        record_update::<E>(entry, dst, subresource, dst_box, data);
    }

    fn clear_unordered_access_view_uint(
        &self,
        entry: Entry<'_>,
        view: UnorderedAccessViewHandle,
        values: [u32; 4],
    ) {
        record::<E>(entry, |scope| {
            // The result is ignored, because a missing view is already reported when it is opened.
            let _cleared = scope.clear_unordered_view(view, values);
        });
    }

    fn generate_mips(&self, entry: Entry<'_>, view: ShaderResourceViewHandle) {
        record::<E>(entry, |scope| scope.writer.generate_mips(view));
    }

    fn dynamic_map(
        &self,
        mut entry: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        if map_type == MapType::WriteDiscard
            && let Some(memory) =
                RecordScope::<E>::enter(&mut entry).and_then(|mut scope| scope.lend_scratch(resource))
        {
            return Ok(memory);
        }
        let foreign = || RecordError::Bug(DriverBug("an entry got another context's data".into()));
        let mut scope = RecordScope::<E>::enter(&mut entry).ok_or_else(foreign)?;
        if scope.writer.must_read_base(resource, map_type) {
            E::bring_to_upload(&mut entry, resource)?;
            scope = RecordScope::<E>::enter(&mut entry).ok_or_else(foreign)?;
        }
        scope.take_page_back();
        let mapped = scope.dynamic_map(resource, subresource, map_type);
        // The result of the map reports exhausted memory, so the flag is cleared.
        scope.writer.r.out_of_memory = false;
        mapped
    }

    fn dynamic_unmap(
        &self,
        entry: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        record::<E>(entry, |scope| {
            if let Err(memory) = scope.unmap_scratch(resource, memory, &written) {
                scope.take_page_back();
                scope.writer.r.is_unconditional = true;
                let done = scope.dynamic_unmap(resource, subresource, memory, &written);
                scope.writer.r.is_unconditional = false;
                scope.expect_done(done, "an unmap");
            }
        });
    }

    fn renew_upload_page(&self, mut entry: Entry<'_>) -> Result<(), RecordError> {
        let foreign = || RecordError::Bug(DriverBug("an entry got another context's data".into()));
        let scope = RecordScope::<E>::enter(&mut entry).ok_or_else(foreign)?;
        let lent = scope.writer.r.uploads.lend_page(&mut scope.writer.handles.uploads);
        let is_waited_for = scope.writer.r.is_waited_for();
        if is_waited_for {
            after_entry::<E>(&mut entry);
        }
        lent.map_err(|OutOfMemory| RecordError::OutOfMemory)
    }

    fn set_predication(&self, mut entry: Entry<'_>, predication: PredicationBinding) {
        set_predication::<E>(&mut entry, predication);
    }

    fn query_begin(&self, entry: Entry<'_>, query: QueryHandle) {
        record::<E>(entry, |scope| scope.writer.begin_query(query));
    }

    fn query_end(&self, entry: Entry<'_>, query: QueryHandle) {
        record::<E>(entry, |scope| scope.writer.end_query(query));
    }

    fn begin_event(&self, entry: Entry<'_>, name: &str) {
        record::<E>(entry, |scope| scope.writer.begin_event(name));
    }

    fn end_event(&self, entry: Entry<'_>) {
        record::<E>(entry, |scope| scope.writer.end_event());
    }

    fn set_marker(&self, entry: Entry<'_>, name: &str) {
        record::<E>(entry, |scope| scope.writer.set_marker(name));
    }

    fn command_list_execute(&self, mut entry: Entry<'_>, list: &DriverList<Live>) {
        let Some(scope) = RecordScope::<E>::enter(&mut entry) else {
            return;
        };
        let Ok(list) = list.object().clone().downcast() else {
            scope.writer.bug("a command list of another driver was executed");
            return;
        };
        E::execute(&mut entry, &list);
    }
}
