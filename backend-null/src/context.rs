//! What both kinds of context do, written once; [`End`] is what differs.

use std::any::Any;

use onze_ddi::{
    BlendBinding, Box3d, ClearFlags, ConstantBufferBinding, ContextError, ContextFuncs, DepthStencilBinding,
    DepthStencilViewHandle, DriverBug, DriverObject, ElementLayoutHandle, Entry, Handle, HandleStorage,
    IndexBufferBinding, MapError, MapType, MappedMemory, PrimitiveTopology, QueryHandle,
    RasterizerStateHandle, Rect, RenderTargetViewHandle, ResourceHandle, SamplerHandle, ShaderHandle,
    ShaderResourceViewHandle, ShaderStage, SubresourceData, TargetsBinding, VertexBufferBinding, Viewport,
    Written,
};

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
    fn command(
        &self,
        state: &mut Self::State,
        draws: u32,
        command: Option<Command>,
    ) -> Result<(), ContextError>;

    /// The command buffer is full. Called at the end of an entry, when nothing of it is borrowed.
    fn page_full(&self, cx: Entry<'_>);

    fn dynamic_map(
        &self,
        state: &mut Self::State,
        handles: &mut HandleStorage,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, MapError>;

    fn dynamic_unmap(
        &self,
        state: &mut Self::State,
        handles: &HandleStorage,
        resource: ResourceHandle,
        memory: MappedMemory,
    );
}

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
    fn enter(
        &self,
        cx: Entry<'_>,
        enter: impl FnOnce(&mut Page, &mut HandleStorage) -> Result<(), DriverBug>,
    ) {
        let result = state::<E::State>(cx.private).and_then(|state| enter(E::page(state), cx.handles));
        if let Err(bug) = result {
            cx.core.set_error(bug.into());
        }
    }

    fn bind<K>(&self, cx: Entry<'_>, handles: impl IntoIterator<Item = Handle<K>>) {
        self.enter(cx, |page, storage| {
            handles.into_iter().try_for_each(|handle| page.enter(storage, handle).map(drop))
        });
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

    fn draws(&self, cx: Entry<'_>) {
        self.record(cx, 1, |_, _| Ok(None));
    }

    /// A command that uses an object and changes no bytes.
    fn uses<K>(&self, cx: Entry<'_>, handle: Handle<K>) {
        self.record(cx, 0, |page, handles| page.enter(handles, handle).map(|_| None));
    }
}

/// The resource in a slot of the table.
fn resource(page: &Page, slot: u32) -> Result<&NullResource, DriverBug> {
    page.objects
        .get(slot as usize)
        .and_then(|object| object.downcast_ref())
        .ok_or_else(|| DriverBug("the object is no resource of this driver".into()))
}

impl<E: End> ContextFuncs for Context<E> {
    fn ia_set_input_layout(&self, cx: Entry<'_>, layout: Option<ElementLayoutHandle>) {
        self.bind(cx, layout);
    }

    fn ia_set_vertex_buffers(&self, cx: Entry<'_>, _start: u32, buffers: &[VertexBufferBinding]) {
        self.bind(cx, buffers.iter().filter_map(|b| b.buffer));
    }

    fn ia_set_index_buffer(&self, cx: Entry<'_>, buffer: IndexBufferBinding) {
        self.bind(cx, buffer.buffer);
    }

    // State without objects is fetched with the preamble, when it is needed; here it never is.
    fn ia_set_primitive_topology(&self, _cx: Entry<'_>, _topology: PrimitiveTopology) {}

    fn set_shader(&self, cx: Entry<'_>, _stage: ShaderStage, shader: Option<ShaderHandle>) {
        self.bind(cx, shader);
    }

    fn set_constant_buffers(
        &self,
        cx: Entry<'_>,
        _stage: ShaderStage,
        _start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        self.bind(cx, buffers.iter().filter_map(|b| b.buffer));
    }

    fn set_shader_resources(
        &self,
        cx: Entry<'_>,
        _stage: ShaderStage,
        _start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        self.bind(cx, views.iter().copied().flatten());
    }

    fn set_samplers(
        &self,
        cx: Entry<'_>,
        _stage: ShaderStage,
        _start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        self.bind(cx, samplers.iter().copied().flatten());
    }

    fn rs_set_state(&self, cx: Entry<'_>, state: Option<RasterizerStateHandle>) {
        self.bind(cx, state);
    }

    fn rs_set_viewports(&self, _cx: Entry<'_>, _viewports: &[Viewport]) {}

    fn rs_set_scissor_rects(&self, _cx: Entry<'_>, _rects: &[Rect]) {}

    fn om_set_blend_state(&self, cx: Entry<'_>, blend: BlendBinding) {
        self.bind(cx, blend.state);
    }

    fn om_set_depth_stencil_state(&self, cx: Entry<'_>, state: DepthStencilBinding) {
        self.bind(cx, state.state);
    }

    fn om_set_render_targets(&self, cx: Entry<'_>, targets: TargetsBinding<'_>) {
        self.enter(cx, |page, handles| {
            for &view in targets.color.iter().flatten() {
                page.enter(handles, view)?;
            }
            targets.depth_stencil.map_or(Ok(()), |view| page.enter(handles, view).map(drop))
        });
    }

    fn draw(&self, cx: Entry<'_>, _vertex_count: u32, _start_vertex: u32) {
        self.draws(cx);
    }

    fn draw_indexed(&self, cx: Entry<'_>, _index_count: u32, _start_index: u32, _base_vertex: i32) {
        self.draws(cx);
    }

    fn draw_instanced(
        &self,
        cx: Entry<'_>,
        _vertex_count: u32,
        _instance_count: u32,
        _start_vertex: u32,
        _start_instance: u32,
    ) {
        self.draws(cx);
    }

    fn draw_indexed_instanced(
        &self,
        cx: Entry<'_>,
        _index_count: u32,
        _instance_count: u32,
        _start_index: u32,
        _base_vertex: i32,
        _start_instance: u32,
    ) {
        self.draws(cx);
    }

    fn clear_render_target_view(&self, cx: Entry<'_>, view: RenderTargetViewHandle, _color: [f32; 4]) {
        self.uses(cx, view);
    }

    fn clear_depth_stencil_view(
        &self,
        cx: Entry<'_>,
        view: DepthStencilViewHandle,
        _flags: ClearFlags,
        _depth: f32,
        _stencil: u8,
    ) {
        self.uses(cx, view);
    }

    fn resource_copy(&self, cx: Entry<'_>, dst: ResourceHandle, src: ResourceHandle) {
        self.record(cx, 0, |page, handles| {
            let (dst, src) = (page.enter(handles, dst)?, page.enter(handles, src)?);
            let subresources = resource(page, src)?.subresources();
            Ok(Some(Command::Copy { dst, src, subresources }))
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
            let (dst, src) = (page.enter(handles, dst)?, page.enter(handles, src)?);
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
            let dst = page.enter(handles, dst)?;
            let region = resource(page, dst)?.region(subresource, dst_box);
            Ok(Some(Command::Update { dst, subresource, region, bytes: region.pack(&data) }))
        });
    }

    fn generate_mips(&self, cx: Entry<'_>, view: ShaderResourceViewHandle) {
        self.uses(cx, view);
    }

    fn dynamic_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, MapError> {
        self.0.dynamic_map(state(cx.private)?, cx.handles, resource, subresource, map_type)
    }

    fn dynamic_unmap(
        &self,
        mut cx: Entry<'_>,
        resource: ResourceHandle,
        _subresource: u32,
        memory: MappedMemory,
        // Where the memory is the resource's own, what was written is there already.
        _written: Written,
    ) {
        let Entry { private, handles, .. } = cx.reborrow();
        match state(private) {
            Ok(state) => self.0.dynamic_unmap(state, handles, resource, memory),
            Err(bug) => return cx.core.set_error(bug.into()),
        }
        self.record(cx, 0, |_, _| Ok(None));
    }

    fn query_begin(&self, cx: Entry<'_>, query: QueryHandle) {
        self.uses(cx, query);
    }

    fn query_end(&self, cx: Entry<'_>, query: QueryHandle) {
        self.record(cx, 0, |page, handles| Ok(Some(Command::EndQuery(page.enter(handles, query)?))));
    }

    fn begin_event(&self, cx: Entry<'_>, _name: &str) {
        self.record(cx, 0, |_, _| Ok(None));
    }

    fn end_event(&self, cx: Entry<'_>) {
        self.record(cx, 0, |_, _| Ok(None));
    }

    fn set_marker(&self, cx: Entry<'_>, _name: &str) {
        self.record(cx, 0, |_, _| Ok(None));
    }

    fn command_list_execute(&self, cx: Entry<'_>, list: &DriverObject) {
        // A list brings its own table, and the immediate context its resources' contents of now: that
        // is the late identity. The runtime has opened the list's renamable resources here, for drivers
        // that keep identities by context.
        let draws = list.downcast_ref::<NullCommandList>().map_or(0, |list| list.recording.draws);
        self.record(cx, draws, |page, _| {
            page.objects.push(list.clone());
            Ok(Some(Command::Execute(page.objects.len() as u32 - 1)))
        });
    }
}
