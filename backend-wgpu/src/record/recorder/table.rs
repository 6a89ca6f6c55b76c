//! The part of the tables that both kinds of context share, written once.

use std::marker::PhantomData;

use onze_ddi::{
    BlendBinding, Box3d, ClearFlags, ConstantBufferBinding, ContextFuncs, DepthStencilBinding,
    DepthStencilViewHandle, DriverBug, DriverList, ElementLayoutHandle, Entry, IndexBufferBinding, Live,
    MapType, MappedMemory, PrimitiveTopology, QueryHandle, RasterizerStateHandle, RecordError, Rect,
    RenderTargetViewHandle, ResourceHandle, SamplerHandle, ShaderHandle, ShaderResourceViewHandle,
    ShaderStage, SubresourceData, TargetsBinding, VertexBufferBinding, Viewport, Written,
};

use crate::record::{
    command::Command,
    page::InstancedDraw,
    recorder::{Cx, Kind, record, record_bind, record_draw, record_replace, record_update, rename::Contents},
};

/// Marks the table of the immediate context.
#[derive(Debug)]
pub(crate) enum ImmediateEnd {}

/// Marks the table of deferred contexts.
#[derive(Debug)]
pub(crate) enum DeferredEnd {}

/// A table of either kind.
#[derive(Debug)]
pub(crate) struct Table<E>(PhantomData<fn() -> E>);

/// The immediate context's table.
pub(crate) type ImmediateTable = Table<ImmediateEnd>;

/// The deferred contexts' table.
pub(crate) type DeferredTable = Table<DeferredEnd>;

impl<E> Default for Table<E> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<E: 'static> ContextFuncs for Table<E> {
    fn ia_set_input_layout(&self, cx: Entry<'_>, layout: Option<ElementLayoutHandle>) {
        record_bind(cx, |pen| pen.set_input_layout(layout));
    }

    fn ia_set_vertex_buffers(&self, cx: Entry<'_>, start: u32, buffers: &[VertexBufferBinding]) {
        record_bind(cx, |pen| pen.set_vertex_buffers(start, buffers));
    }

    fn ia_set_index_buffer(&self, cx: Entry<'_>, buffer: IndexBufferBinding) {
        record_bind(cx, |pen| pen.set_index_buffer(buffer));
    }

    fn ia_set_primitive_topology(&self, cx: Entry<'_>, topology: PrimitiveTopology) {
        record_bind(cx, |pen| pen.set_topology(topology));
    }

    fn set_shader(&self, cx: Entry<'_>, stage: ShaderStage, shader: Option<ShaderHandle>) {
        record_bind(cx, |pen| pen.set_shader(stage, shader));
    }

    fn set_constant_buffers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        record_bind(cx, |pen| pen.set_constant_buffers(stage, start, buffers));
    }

    fn set_shader_resources(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        record_bind(cx, |pen| pen.set_shader_resources(stage, start, views));
    }

    fn set_samplers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        record_bind(cx, |pen| pen.set_samplers(stage, start, samplers));
    }

    fn rs_set_state(&self, cx: Entry<'_>, state: Option<RasterizerStateHandle>) {
        record_bind(cx, |pen| pen.set_rasterizer_state(state));
    }

    fn rs_set_viewports(&self, cx: Entry<'_>, viewports: &[Viewport]) {
        record(cx, |cx| cx.pen.set_viewports(viewports));
    }

    fn rs_set_scissor_rects(&self, cx: Entry<'_>, rects: &[Rect]) {
        record(cx, |cx| cx.pen.set_scissor_rects(rects));
    }

    fn om_set_blend_state(&self, cx: Entry<'_>, blend: BlendBinding) {
        record_bind(cx, |pen| pen.set_blend(blend));
    }

    fn om_set_depth_stencil_state(&self, cx: Entry<'_>, state: DepthStencilBinding) {
        record_bind(cx, |pen| pen.set_depth_stencil(state));
    }

    fn om_set_render_targets(&self, cx: Entry<'_>, targets: TargetsBinding<'_>) {
        record(cx, |cx| cx.pen.set_targets(targets));
    }

    fn draw(&self, cx: Entry<'_>, vertex_count: u32, start_vertex: u32) {
        record_draw(cx, |pen| pen.draw(vertex_count, start_vertex));
    }

    fn draw_indexed(&self, cx: Entry<'_>, index_count: u32, start_index: u32, base_vertex: i32) {
        record_draw(cx, |pen| pen.draw_indexed(index_count, start_index, base_vertex));
    }

    fn prepare_draw(&self, cx: Entry<'_>) {
        record(cx, |cx| cx.pen.work(Command::PrepareDraw));
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
        record_draw(cx, |pen| pen.draw_instanced(draw, false));
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
        record_draw(cx, |pen| pen.draw_instanced(draw, true));
    }

    fn clear_render_target_view(&self, cx: Entry<'_>, view: RenderTargetViewHandle, color: [f32; 4]) {
        record(cx, |cx| cx.pen.clear_render_target(view, color));
    }

    fn clear_depth_stencil_view(
        &self,
        cx: Entry<'_>,
        view: DepthStencilViewHandle,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    ) {
        record(cx, |cx| cx.pen.clear_depth_stencil(view, flags, depth, stencil));
    }

    fn resource_copy(&self, cx: Entry<'_>, dst: ResourceHandle, src: ResourceHandle) {
        record(cx, |cx| {
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
        record(cx, |cx| {
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
        record_update(cx, dst, subresource, dst_box, data);
    }

    fn generate_mips(&self, cx: Entry<'_>, view: ShaderResourceViewHandle) {
        record(cx, |cx| cx.pen.generate_mips(view));
    }

    fn dynamic_map(
        &self,
        mut cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        if map_type == MapType::WriteDiscard
            && let Some(memory) = Cx::enter(&mut cx).and_then(|mut cx| cx.lend_scratch(resource))
        {
            return Ok(memory);
        }
        let foreign = || RecordError::Bug(DriverBug("an entry got another context's data".into()));
        let mut inner = Cx::enter(&mut cx).ok_or_else(foreign)?;
        if inner.pen.must_read_home(resource, map_type) {
            crate::submit::immediate::bring_to_upload(&mut cx, resource)?;
            inner = Cx::enter(&mut cx).ok_or_else(foreign)?;
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
        record(cx, |cx| {
            if let Err(memory) = cx.unmap_scratch(resource, memory, &written) {
                let done = cx.dynamic_unmap(resource, subresource, memory, &written);
                cx.expect_done(done, "an unmap");
            }
        });
    }

    fn dynamic_replace(&self, cx: Entry<'_>, resource: ResourceHandle, offset: u32, data: &[u8]) {
        record_replace(cx, resource, offset, data);
    }

    fn query_begin(&self, cx: Entry<'_>, query: QueryHandle) {
        record(cx, |cx| cx.pen.begin_query(query));
    }

    fn query_end(&self, cx: Entry<'_>, query: QueryHandle) {
        record(cx, |cx| cx.pen.end_query(query));
    }

    fn begin_event(&self, cx: Entry<'_>, name: &str) {
        record(cx, |cx| cx.pen.begin_event(name));
    }

    fn end_event(&self, cx: Entry<'_>) {
        record(cx, |cx| cx.pen.end_event());
    }

    fn set_marker(&self, cx: Entry<'_>, name: &str) {
        record(cx, |cx| cx.pen.set_marker(name));
    }

    fn command_list_execute(&self, mut cx: Entry<'_>, list: &DriverList<Live>) {
        let Some(mut inner) = Cx::enter(&mut cx) else {
            return;
        };
        let Ok(list) = list.object().clone().downcast() else {
            inner.pen.bug("a command list of another driver was executed");
            return;
        };
        match inner.pen.r.kind {
            Kind::Immediate(_) => crate::submit::immediate::execute(&mut cx, &list),
            Kind::Deferred(_) => crate::record::deferred::execute(&mut inner, &list),
        }
    }
}

/// An update that takes more than its usual way.
#[cold]
#[inline(never)]
pub(super) fn update_any(
    cx: Entry<'_>,
    dst: ResourceHandle,
    subresource: u32,
    dst_box: Option<Box3d>,
    data: SubresourceData<'_>,
) {
    record(cx, |cx| {
        if cx.replace_in_next_page(dst, Contents::Whole(data.bytes)) {
            return;
        }
        let done = cx.update(dst, subresource, dst_box, data);
        cx.expect_done(done, "an update");
    });
}

/// A discard that takes more than its usual way.
#[cold]
#[inline(never)]
pub(super) fn replace_any(cx: Entry<'_>, resource: ResourceHandle, offset: u32, data: &[u8]) {
    record(cx, |cx| {
        if cx.replace_in_next_page(resource, Contents::Part(offset, data)) {
            return;
        }
        let done = cx.replace_any(resource, offset, data);
        cx.expect_done(done, "a discard");
    });
}

impl Cx<'_> {
    /// Reports a call that could not be recorded although it was valid. Spent memory is reported apart.
    fn expect_done(&mut self, done: Option<()>, what: &str) {
        if done.is_none() && !self.pen.r.out_of_memory {
            self.pen.bug(format!("{what} could not be recorded"));
        }
    }
}
