//! Software command lists: the runtime records, for drivers that cannot.
//!
//! A table like a driver's: it stores each call with its handles, and [`SoftwareList::replay`] makes the
//! same calls in the context that executes the list. Handles have the same value in every context, and
//! the list keeps its objects alive, so nothing is translated; late identity comes by itself.

use std::{collections::HashMap, sync::Arc};

use onze_ddi::*;

use crate::{DeviceContext, object::ObjectShared};

/// One recorded call. Data that the caller lent is kept.
enum Command {
    InputLayout(Option<ElementLayoutHandle>),
    VertexBuffers(u32, Box<[VertexBufferBinding]>),
    IndexBuffer(IndexBufferBinding),
    Topology(PrimitiveTopology),
    Shader(ShaderStage, Option<ShaderHandle>),
    ConstantBuffers(ShaderStage, u32, Box<[ConstantBufferBinding]>),
    ShaderResources(ShaderStage, u32, Box<[Option<ShaderResourceViewHandle>]>),
    Samplers(ShaderStage, u32, Box<[Option<SamplerHandle>]>),
    RasterizerState(Option<RasterizerStateHandle>),
    Viewports(Box<[Viewport]>),
    ScissorRects(Box<[Rect]>),
    Blend(BlendBinding),
    DepthStencil(DepthStencilBinding),
    RenderTargets(Box<[Option<RenderTargetViewHandle>]>, Option<DepthStencilViewHandle>),
    Draw(u32, u32),
    DrawIndexed(u32, u32, i32),
    DrawInstanced(u32, u32, u32, u32),
    DrawIndexedInstanced(u32, u32, u32, i32, u32),
    PrepareDraw,
    ClearRenderTarget(RenderTargetViewHandle, [f32; 4]),
    ClearDepthStencil(DepthStencilViewHandle, ClearFlags, f32, u8),
    Copy(ResourceHandle, ResourceHandle),
    CopyRegion(ResourceHandle, u32, [u32; 3], ResourceHandle, u32, Option<Box3d>),
    Update(ResourceHandle, u32, Option<Box3d>, Box<[u8]>, u32, u32),
    Write(Box<Write>),
    GenerateMips(ShaderResourceViewHandle),
    QueryBegin(QueryHandle),
    QueryEnd(QueryHandle),
    BeginEvent(Box<str>),
    EndEvent,
    SetMarker(Box<str>),
}

/// A map with what was written.
struct Write {
    resource: ResourceHandle,
    subresource: u32,
    map_type: MapType,
    data: Arc<MappedMemory>,
    written: Written,
}

/// The private data of a context that the runtime records for.
#[derive(Default)]
pub(crate) struct SoftwareRecording {
    commands: Vec<Command>,
    /// The last map of each resource, for the contents of `WriteNoOverwrite`.
    latest: HashMap<Key, Arc<MappedMemory>>,
    /// Maps that are going on, by cookie.
    maps: Vec<(u64, MapType)>,
    next_cookie: u64,
}

/// A finished recording.
#[derive(Clone)]
pub(crate) struct SoftwareList {
    commands: Arc<Vec<Command>>,
}

/// The table of a context that the runtime records for.
pub(crate) struct SoftwareFuncs;

fn record(cx: Entry<'_>, command: Command) {
    if let Some(recording) = cx.private.downcast_mut::<SoftwareRecording>() {
        recording.commands.push(command);
    }
}

/// Size in bytes and row pitch of a dynamic resource.
fn layout(handles: &HandleStorage, resource: ResourceHandle) -> (u32, u32) {
    let object = handles.runtime_object(resource.key()).and_then(|o| o.downcast_ref::<ObjectShared>());
    match object.and_then(ObjectShared::resource_desc) {
        Some(ResourceDesc::Buffer(desc)) => (desc.byte_width, desc.byte_width),
        Some(ResourceDesc::Texture2d(desc)) => {
            let row = desc.format.row_pitch(desc.width);
            (row * desc.format.rows(desc.height), row)
        }
        _ => (0, 0),
    }
}

impl ContextFuncs for SoftwareFuncs {
    fn ia_set_input_layout(&self, cx: Entry<'_>, layout: Option<ElementLayoutHandle>) {
        record(cx, Command::InputLayout(layout));
    }
    fn ia_set_vertex_buffers(&self, cx: Entry<'_>, start: u32, buffers: &[VertexBufferBinding]) {
        record(cx, Command::VertexBuffers(start, buffers.into()));
    }
    fn ia_set_index_buffer(&self, cx: Entry<'_>, buffer: IndexBufferBinding) {
        record(cx, Command::IndexBuffer(buffer));
    }
    fn ia_set_primitive_topology(&self, cx: Entry<'_>, topology: PrimitiveTopology) {
        record(cx, Command::Topology(topology));
    }
    fn set_shader(&self, cx: Entry<'_>, stage: ShaderStage, shader: Option<ShaderHandle>) {
        record(cx, Command::Shader(stage, shader));
    }
    fn set_constant_buffers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        record(cx, Command::ConstantBuffers(stage, start, buffers.into()));
    }
    fn set_shader_resources(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        record(cx, Command::ShaderResources(stage, start, views.into()));
    }
    fn set_samplers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        record(cx, Command::Samplers(stage, start, samplers.into()));
    }
    fn rs_set_state(&self, cx: Entry<'_>, state: Option<RasterizerStateHandle>) {
        record(cx, Command::RasterizerState(state));
    }
    fn rs_set_viewports(&self, cx: Entry<'_>, viewports: &[Viewport]) {
        record(cx, Command::Viewports(viewports.into()));
    }
    fn rs_set_scissor_rects(&self, cx: Entry<'_>, rects: &[Rect]) {
        record(cx, Command::ScissorRects(rects.into()));
    }
    fn om_set_blend_state(&self, cx: Entry<'_>, blend: BlendBinding) {
        record(cx, Command::Blend(blend));
    }
    fn om_set_depth_stencil_state(&self, cx: Entry<'_>, state: DepthStencilBinding) {
        record(cx, Command::DepthStencil(state));
    }
    fn om_set_render_targets(&self, cx: Entry<'_>, targets: TargetsBinding<'_>) {
        record(cx, Command::RenderTargets(targets.color.into(), targets.depth_stencil));
    }
    fn draw(&self, cx: Entry<'_>, vertex_count: u32, start_vertex: u32) {
        record(cx, Command::Draw(vertex_count, start_vertex));
    }
    fn draw_indexed(&self, cx: Entry<'_>, index_count: u32, start_index: u32, base_vertex: i32) {
        record(cx, Command::DrawIndexed(index_count, start_index, base_vertex));
    }
    fn draw_instanced(
        &self,
        cx: Entry<'_>,
        count: u32,
        instances: u32,
        start_vertex: u32,
        start_instance: u32,
    ) {
        record(cx, Command::DrawInstanced(count, instances, start_vertex, start_instance));
    }
    fn draw_indexed_instanced(
        &self,
        cx: Entry<'_>,
        count: u32,
        instances: u32,
        start_index: u32,
        base_vertex: i32,
        start_instance: u32,
    ) {
        record(cx, Command::DrawIndexedInstanced(count, instances, start_index, base_vertex, start_instance));
    }
    fn prepare_draw(&self, cx: Entry<'_>) {
        record(cx, Command::PrepareDraw);
    }
    fn clear_render_target_view(&self, cx: Entry<'_>, view: RenderTargetViewHandle, color: [f32; 4]) {
        record(cx, Command::ClearRenderTarget(view, color));
    }
    fn clear_depth_stencil_view(
        &self,
        cx: Entry<'_>,
        view: DepthStencilViewHandle,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    ) {
        record(cx, Command::ClearDepthStencil(view, flags, depth, stencil));
    }
    fn resource_copy(&self, cx: Entry<'_>, dst: ResourceHandle, src: ResourceHandle) {
        record(cx, Command::Copy(dst, src));
    }
    fn resource_copy_region(
        &self,
        cx: Entry<'_>,
        dst: ResourceHandle,
        dst_subresource: u32,
        at: [u32; 3],
        src: ResourceHandle,
        src_subresource: u32,
        src_box: Option<Box3d>,
    ) {
        record(cx, Command::CopyRegion(dst, dst_subresource, at, src, src_subresource, src_box));
    }
    fn resource_update_subresource(
        &self,
        cx: Entry<'_>,
        dst: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    ) {
        let (row, depth) = (data.row_pitch, data.depth_pitch);
        record(cx, Command::Update(dst, subresource, dst_box, data.bytes.into(), row, depth));
    }
    fn generate_mips(&self, cx: Entry<'_>, view: ShaderResourceViewHandle) {
        record(cx, Command::GenerateMips(view));
    }
    fn dynamic_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        _subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        let (size, row) = layout(cx.handles, resource);
        let Some(recording) = cx.private.downcast_mut::<SoftwareRecording>() else {
            return Err(DriverBug("a context of another table".into()).into());
        };
        recording.next_cookie += 1;
        let cookie = recording.next_cookie;
        recording.maps.push((cookie, map_type));
        let mut memory = MappedMemory::new(zeroed_page(size as usize), 0..size as usize, cookie, row, size);
        if map_type == MapType::WriteNoOverwrite
            && let Some(latest) = recording.latest.get(&resource.key())
        {
            memory.bytes_mut().copy_from_slice(latest.bytes());
        }
        Ok(memory)
    }
    fn dynamic_unmap(
        &self,
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
        recording.commands.push(Command::Write(Box::new(Write {
            resource,
            subresource,
            map_type,
            data,
            written,
        })));
    }
    fn query_begin(&self, cx: Entry<'_>, query: QueryHandle) {
        record(cx, Command::QueryBegin(query));
    }
    fn query_end(&self, cx: Entry<'_>, query: QueryHandle) {
        record(cx, Command::QueryEnd(query));
    }
    fn begin_event(&self, cx: Entry<'_>, name: &str) {
        record(cx, Command::BeginEvent(name.into()));
    }
    fn end_event(&self, cx: Entry<'_>) {
        record(cx, Command::EndEvent);
    }
    fn set_marker(&self, cx: Entry<'_>, name: &str) {
        record(cx, Command::SetMarker(name.into()));
    }
    fn command_list_execute(&self, _cx: Entry<'_>, _list: &DriverList<Live>) {
        // All lists of such a device are the runtime's, and are replayed instead.
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
    /// Makes the recorded calls in another context. What they use is open there.
    pub(crate) fn replay(&self, context: &mut DeviceContext) {
        for command in self.commands.iter() {
            command.replay(context);
        }
    }
}

impl Command {
    fn replay(&self, context: &mut DeviceContext) {
        match self {
            Self::InputLayout(layout) => context.bind_input_layout(*layout),
            Self::VertexBuffers(start, buffers) => {
                context.bind_vertex_buffers(*start as usize, buffers.iter().copied());
            }
            Self::IndexBuffer(buffer) => context.bind_index_buffer(*buffer),
            Self::Topology(topology) => context.ia_set_primitive_topology(*topology),
            Self::Shader(stage, shader) => context.bind_shader(*stage, *shader),
            Self::ConstantBuffers(stage, start, buffers) => {
                context.bind_constant_buffers(*stage, *start as usize, buffers.iter().copied());
            }
            Self::ShaderResources(stage, start, views) => {
                context.bind_shader_resources(*stage, *start as usize, views.iter().copied());
            }
            Self::Samplers(stage, start, samplers) => {
                context.bind_samplers(*stage, *start as usize, samplers.iter().copied());
            }
            Self::RasterizerState(state) => context.bind_rasterizer_state(*state),
            Self::Viewports(viewports) => context.bind_viewports(viewports),
            Self::ScissorRects(rects) => context.bind_scissor_rects(rects),
            Self::Blend(blend) => context.bind_blend(*blend),
            Self::DepthStencil(binding) => context.bind_depth_stencil(*binding),
            Self::RenderTargets(color, depth_stencil) => context.bind_render_targets(color, *depth_stencil),
            Self::Write(write) => write.replay(context),
            other => {
                context.core.with(|f, cx| other.enter(f, cx.entry()));
            }
        }
    }

    /// The calls that change no shadowed state go straight to the driver.
    fn enter(&self, f: &dyn ContextFuncs, cx: Entry<'_>) {
        match self {
            Self::Draw(count, start) => f.draw(cx, *count, *start),
            Self::DrawIndexed(count, start, base) => f.draw_indexed(cx, *count, *start, *base),
            Self::DrawInstanced(count, instances, start, first) => {
                f.draw_instanced(cx, *count, *instances, *start, *first);
            }
            Self::DrawIndexedInstanced(count, instances, start, base, first) => {
                f.draw_indexed_instanced(cx, *count, *instances, *start, *base, *first);
            }
            Self::PrepareDraw => f.prepare_draw(cx),
            Self::ClearRenderTarget(view, color) => f.clear_render_target_view(cx, *view, *color),
            Self::ClearDepthStencil(view, flags, depth, stencil) => {
                f.clear_depth_stencil_view(cx, *view, *flags, *depth, *stencil);
            }
            Self::Copy(dst, src) => f.resource_copy(cx, *dst, *src),
            Self::CopyRegion(dst, dst_subresource, at, src, src_subresource, src_box) => {
                f.resource_copy_region(cx, *dst, *dst_subresource, *at, *src, *src_subresource, *src_box);
            }
            Self::Update(dst, subresource, dst_box, bytes, row_pitch, depth_pitch) => {
                let data = SubresourceData { bytes, row_pitch: *row_pitch, depth_pitch: *depth_pitch };
                f.resource_update_subresource(cx, *dst, *subresource, *dst_box, data);
            }
            Self::GenerateMips(view) => f.generate_mips(cx, *view),
            Self::QueryBegin(query) => f.query_begin(cx, *query),
            Self::QueryEnd(query) => f.query_end(cx, *query),
            Self::BeginEvent(name) => f.begin_event(cx, name),
            Self::EndEvent => f.end_event(cx),
            Self::SetMarker(name) => f.set_marker(cx, name),
            _ => {}
        }
    }
}

impl Write {
    /// Maps again in the executing context and copies what was written.
    fn replay(&self, context: &mut DeviceContext) {
        let (resource, subresource, map_type) = (self.resource, self.subresource, self.map_type);
        let mapped = context.core.with(|f, cx| f.dynamic_map(cx.entry(), resource, subresource, map_type));
        let mut memory = match mapped {
            Some(Ok(memory)) => memory,
            Some(Err(RecordError::OutOfMemory)) => {
                CoreLayer::set_error(&mut context.core.rt, ContextError::OutOfMemory);
                return;
            }
            _ => return,
        };
        if memory.row_pitch == self.data.row_pitch {
            let (source, target) = (self.data.bytes(), memory.bytes_mut());
            for range in self.written.ranges(source.len().min(target.len()) as u32) {
                let range = range.start as usize..range.end as usize;
                target[range.clone()].copy_from_slice(&source[range]);
            }
        } else {
            // A texture whose rows the driver pads: whole rows, as a discard leaves nothing to keep.
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
