//! Contexts: how they are made, and the part of their tables that both kinds share, written once.
//!
//! A [`Table`] is of the immediate context or of deferred contexts by the [`End`] of its recorder. What only one of
//! them has stands in [`crate::immediate`] and [`crate::deferred`].

use std::{marker::PhantomData, sync::Arc};

use onze_ddi::{
    BlendBinding, Box3d, ClearFlags, ConstantBufferBinding, ContextFuncs, CreateDeferredContextArgs,
    CreatedDeferredContext, DepthStencilBinding, DepthStencilViewHandle, DriverBug, DriverContext,
    DriverList, ElementLayoutHandle, Entry, ImmediateFuncs, IndexBufferBinding, Live, MapType, MappedMemory,
    PrimitiveTopology, PrivateData, QueryHandle, RasterizerStateHandle, RecordError, Rect,
    RenderTargetViewHandle, ResourceHandle, SamplerHandle, ShaderHandle, ShaderResourceViewHandle,
    ShaderStage, SubresourceData, TargetsBinding, UnorderedAccessViewHandle, VertexBufferBinding, Viewport,
    Written,
};

use crate::{
    record::{
        command::Command,
        deferred::Deferred,
        page::InstancedDraw,
        recorder::{Cx, End, Recorder, record, record_bind, record_draw, record_replace, record_update},
    },
    services::gpu::Gpu,
    submit::{DeviceSubmission, immediate::Immediate},
};

/// A context's table.
#[derive(Debug)]
pub(crate) struct Table<E>(PhantomData<fn() -> E>);

/// The immediate context's table.
pub(crate) type ImmediateTable = Table<Immediate>;

/// The deferred contexts' table.
pub(crate) type DeferredTable = Table<Deferred>;

impl<E> Default for Table<E> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Makes the immediate context.
pub(crate) fn create_immediate(device: &Arc<DeviceSubmission>) -> (Box<dyn ImmediateFuncs>, PrivateData) {
    let recorder = Recorder::new(&device.gpu, Immediate::new(device));
    (Box::new(ImmediateTable::default()), Box::new(recorder))
}

/// Makes a deferred context.
pub(crate) fn create_deferred(gpu: &Arc<Gpu>, _args: &CreateDeferredContextArgs) -> CreatedDeferredContext {
    created_deferred(DriverContext::new(Box::new(Recorder::new(gpu, Deferred::default()))))
}

/// A deferred context whose private data is there.
pub(crate) fn created_deferred(private: DriverContext<Live>) -> CreatedDeferredContext {
    CreatedDeferredContext { funcs: Arc::new(DeferredTable::default()), private }
}

impl<E: End> ContextFuncs for Table<E> {
    fn ia_set_input_layout(&self, cx: Entry<'_>, layout: Option<ElementLayoutHandle>) {
        record_bind::<E>(cx, |pen| pen.set_input_layout(layout));
    }

    fn ia_set_vertex_buffers(&self, cx: Entry<'_>, start: u32, buffers: &[VertexBufferBinding]) {
        record_bind::<E>(cx, |pen| pen.set_vertex_buffers(start, buffers));
    }

    fn ia_set_index_buffer(&self, cx: Entry<'_>, buffer: IndexBufferBinding) {
        record_bind::<E>(cx, |pen| pen.set_index_buffer(buffer));
    }

    fn ia_set_primitive_topology(&self, cx: Entry<'_>, topology: PrimitiveTopology) {
        record_bind::<E>(cx, |pen| pen.set_topology(topology));
    }

    fn set_shader(&self, cx: Entry<'_>, stage: ShaderStage, shader: Option<ShaderHandle>) {
        record_bind::<E>(cx, |pen| pen.set_shader(stage, shader));
    }

    fn set_constant_buffers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        record_bind::<E>(cx, |pen| pen.set_constant_buffers(stage, start, buffers));
    }

    fn set_shader_resources(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        record_bind::<E>(cx, |pen| pen.set_shader_resources(stage, start, views));
    }

    fn set_samplers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        record_bind::<E>(cx, |pen| pen.set_samplers(stage, start, samplers));
    }

    fn cs_set_unordered_access_views(
        &self,
        cx: Entry<'_>,
        start: u32,
        views: &[Option<UnorderedAccessViewHandle>],
    ) {
        record_bind::<E>(cx, |pen| pen.set_unordered_access_views(start, views));
    }

    fn rs_set_state(&self, cx: Entry<'_>, state: Option<RasterizerStateHandle>) {
        record_bind::<E>(cx, |pen| pen.set_rasterizer_state(state));
    }

    fn rs_set_viewports(&self, cx: Entry<'_>, viewports: &[Viewport]) {
        record::<E>(cx, |cx| cx.pen.set_viewports(viewports));
    }

    fn rs_set_scissor_rects(&self, cx: Entry<'_>, rects: &[Rect]) {
        record::<E>(cx, |cx| cx.pen.set_scissor_rects(rects));
    }

    fn om_set_blend_state(&self, cx: Entry<'_>, blend: BlendBinding) {
        record_bind::<E>(cx, |pen| pen.set_blend(blend));
    }

    fn om_set_depth_stencil_state(&self, cx: Entry<'_>, state: DepthStencilBinding) {
        record_bind::<E>(cx, |pen| pen.set_depth_stencil(state));
    }

    fn om_set_render_targets(&self, cx: Entry<'_>, targets: TargetsBinding<'_>) {
        record::<E>(cx, |cx| cx.pen.set_targets(targets));
    }

    fn draw(&self, cx: Entry<'_>, vertex_count: u32, start_vertex: u32) {
        record_draw::<E>(cx, |pen| pen.draw(vertex_count, start_vertex));
    }

    fn draw_indexed(&self, cx: Entry<'_>, index_count: u32, start_index: u32, base_vertex: i32) {
        record_draw::<E>(cx, |pen| pen.draw_indexed(index_count, start_index, base_vertex));
    }

    fn prepare_draw(&self, cx: Entry<'_>) {
        record::<E>(cx, |cx| cx.pen.work(Command::PrepareDraw));
    }

    fn draw_instanced(
        &self,
        cx: Entry<'_>,
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
        record_draw::<E>(cx, |pen| pen.draw_instanced(draw, false));
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
        let draw = InstancedDraw {
            count: index_count,
            instance_count,
            start: start_index,
            base_vertex,
            start_instance,
        };
        record_draw::<E>(cx, |pen| pen.draw_instanced(draw, true));
    }

    fn dispatch(&self, cx: Entry<'_>, x: u32, y: u32, z: u32) {
        record::<E>(cx, |cx| cx.pen.work(Command::Dispatch([x, y, z].map(|groups| groups as u16))));
    }

    fn clear_render_target_view(&self, cx: Entry<'_>, view: RenderTargetViewHandle, color: [f32; 4]) {
        record::<E>(cx, |cx| cx.pen.clear_render_target(view, color));
    }

    fn clear_depth_stencil_view(
        &self,
        cx: Entry<'_>,
        view: DepthStencilViewHandle,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    ) {
        record::<E>(cx, |cx| cx.pen.clear_depth_stencil(view, flags, depth, stencil));
    }

    fn resource_copy(&self, cx: Entry<'_>, dst: ResourceHandle, src: ResourceHandle) {
        record::<E>(cx, |cx| {
            let done = cx.resource_copy(dst, src);
            cx.expect_done(done, "a copy");
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
        record::<E>(cx, |cx| {
            let done = cx.resource_copy_region(dst, dst_subresource, dst_at, src, src_subresource, src_box);
            cx.expect_done(done, "a copy of a region");
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
        record_update::<E>(cx, dst, subresource, dst_box, data);
    }

    fn generate_mips(&self, cx: Entry<'_>, view: ShaderResourceViewHandle) {
        record::<E>(cx, |cx| cx.pen.generate_mips(view));
    }

    fn dynamic_map(
        &self,
        mut cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        if map_type == MapType::WriteDiscard
            && let Some(memory) = Cx::<E>::enter(&mut cx).and_then(|mut cx| cx.lend_scratch(resource))
        {
            return Ok(memory);
        }
        let foreign = || RecordError::Bug(DriverBug("an entry got another context's data".into()));
        let mut inner = Cx::<E>::enter(&mut cx).ok_or_else(foreign)?;
        if inner.pen.must_read_home(resource, map_type) {
            E::bring_to_upload(&mut cx, resource)?;
            inner = Cx::<E>::enter(&mut cx).ok_or_else(foreign)?;
        }
        let mapped = inner.dynamic_map(resource, subresource, map_type);
        // A map says itself that memory is spent.
        inner.pen.r.out_of_memory = false;
        mapped
    }

    fn dynamic_unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        record::<E>(cx, |cx| {
            if let Err(memory) = cx.unmap_scratch(resource, memory, &written) {
                let done = cx.dynamic_unmap(resource, subresource, memory, &written);
                cx.expect_done(done, "an unmap");
            }
        });
    }

    fn dynamic_replace(&self, cx: Entry<'_>, resource: ResourceHandle, offset: u32, data: &[u8]) {
        record_replace::<E>(cx, resource, offset, data);
    }

    fn query_begin(&self, cx: Entry<'_>, query: QueryHandle) {
        record::<E>(cx, |cx| cx.pen.begin_query(query));
    }

    fn query_end(&self, cx: Entry<'_>, query: QueryHandle) {
        record::<E>(cx, |cx| cx.pen.end_query(query));
    }

    fn begin_event(&self, cx: Entry<'_>, name: &str) {
        record::<E>(cx, |cx| cx.pen.begin_event(name));
    }

    fn end_event(&self, cx: Entry<'_>) {
        record::<E>(cx, |cx| cx.pen.end_event());
    }

    fn set_marker(&self, cx: Entry<'_>, name: &str) {
        record::<E>(cx, |cx| cx.pen.set_marker(name));
    }

    fn command_list_execute(&self, mut cx: Entry<'_>, list: &DriverList<Live>) {
        let Some(inner) = Cx::<E>::enter(&mut cx) else {
            return;
        };
        let Ok(list) = list.object().clone().downcast() else {
            inner.pen.bug("a command list of another driver was executed");
            return;
        };
        E::execute(&mut cx, &list);
    }
}
