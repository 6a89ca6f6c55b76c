//! The immediate table of a removed device: every call does nothing.
//!
//! D3D11: after device removal, calls fail silently except for the few that report it.

use onze_ddi::*;

/// See the [module](self).
pub(crate) struct RemovedFuncs;

fn removed() -> std::borrow::Cow<'static, str> {
    "the device was removed before".into()
}

impl ContextFuncs for RemovedFuncs {
    fn ia_set_input_layout(&self, _: Entry<'_>, _: Option<ElementLayoutHandle>) {}
    fn ia_set_vertex_buffers(&self, _: Entry<'_>, _: u32, _: &[VertexBufferBinding]) {}
    fn ia_set_index_buffer(&self, _: Entry<'_>, _: IndexBufferBinding) {}
    fn ia_set_primitive_topology(&self, _: Entry<'_>, _: PrimitiveTopology) {}
    fn set_shader(&self, _: Entry<'_>, _: ShaderStage, _: Option<ShaderHandle>) {}
    fn set_constant_buffers(&self, _: Entry<'_>, _: ShaderStage, _: u32, _: &[ConstantBufferBinding]) {}
    fn set_shader_resources(
        &self,
        _: Entry<'_>,
        _: ShaderStage,
        _: u32,
        _: &[Option<ShaderResourceViewHandle>],
    ) {
    }
    fn set_samplers(&self, _: Entry<'_>, _: ShaderStage, _: u32, _: &[Option<SamplerHandle>]) {}
    fn rs_set_state(&self, _: Entry<'_>, _: Option<RasterizerStateHandle>) {}
    fn rs_set_viewports(&self, _: Entry<'_>, _: &[Viewport]) {}
    fn rs_set_scissor_rects(&self, _: Entry<'_>, _: &[Rect]) {}
    fn om_set_blend_state(&self, _: Entry<'_>, _: BlendBinding) {}
    fn om_set_depth_stencil_state(&self, _: Entry<'_>, _: DepthStencilBinding) {}
    fn om_set_render_targets(&self, _: Entry<'_>, _: TargetsBinding<'_>) {}
    fn draw(&self, _: Entry<'_>, _: u32, _: u32) {}
    fn draw_indexed(&self, _: Entry<'_>, _: u32, _: u32, _: i32) {}
    fn draw_instanced(&self, _: Entry<'_>, _: u32, _: u32, _: u32, _: u32) {}
    fn draw_indexed_instanced(&self, _: Entry<'_>, _: u32, _: u32, _: u32, _: i32, _: u32) {}
    fn clear_render_target_view(&self, _: Entry<'_>, _: RenderTargetViewHandle, _: [f32; 4]) {}
    fn clear_depth_stencil_view(
        &self,
        _: Entry<'_>,
        _: DepthStencilViewHandle,
        _: ClearFlags,
        _: f32,
        _: u8,
    ) {
    }
    fn resource_copy(&self, _: Entry<'_>, _: ResourceHandle, _: ResourceHandle) {}
    fn resource_copy_region(
        &self,
        _: Entry<'_>,
        _: ResourceHandle,
        _: u32,
        _: [u32; 3],
        _: ResourceHandle,
        _: u32,
        _: Option<Box3d>,
    ) {
    }
    fn resource_update_subresource(
        &self,
        _: Entry<'_>,
        _: ResourceHandle,
        _: u32,
        _: Option<Box3d>,
        _: SubresourceData<'_>,
    ) {
    }
    fn generate_mips(&self, _: Entry<'_>, _: ShaderResourceViewHandle) {}
    fn dynamic_map(
        &self,
        _: Entry<'_>,
        _: ResourceHandle,
        _: u32,
        _: MapType,
    ) -> Result<MappedMemory, RecordError> {
        Err(RecordError::DeviceRemoved(removed()))
    }
    fn dynamic_replace(&self, _: Entry<'_>, _: ResourceHandle, _: u32, _: &[u8]) {}
    fn dynamic_unmap(&self, _: Entry<'_>, _: ResourceHandle, _: u32, _: MappedMemory, _: Written) {}
    fn query_begin(&self, _: Entry<'_>, _: QueryHandle) {}
    fn query_end(&self, _: Entry<'_>, _: QueryHandle) {}
    fn begin_event(&self, _: Entry<'_>, _: &str) {}
    fn end_event(&self, _: Entry<'_>) {}
    fn set_marker(&self, _: Entry<'_>, _: &str) {}
    fn command_list_execute(&self, _: Entry<'_>, _: &DriverList<Live>) {}
}

impl ImmediateFuncs for RemovedFuncs {
    fn staging_map(
        &self,
        _: Entry<'_>,
        _: ResourceHandle,
        _: u32,
        _: MapType,
        _: bool,
    ) -> Result<MappedMemory, MapError> {
        Err(MapError::DeviceRemoved(removed()))
    }
    fn staging_unmap(&self, _: Entry<'_>, _: ResourceHandle, _: u32, _: MappedMemory, _: Written) {}
    fn query_get_data(&self, _: Entry<'_>, _: QueryHandle, _: bool) -> Result<QueryData, GetDataError> {
        Err(GetDataError::DeviceRemoved(removed()))
    }
    fn flush(&self, _: Entry<'_>, _: FlushFlags) -> bool {
        false
    }
    fn close(&self, _: ClosingEntry<'_>, _: HandleType, _: Key) {}
    fn create_swap_chain(&self, _: Entry<'_>, _: &CreateSwapChainArgs) -> Result<DriverObject, PresentError> {
        Err(PresentError::DeviceRemoved(removed()))
    }
    fn destroy_swap_chain(&self, _: Entry<'_>, _: DriverObject) {}
    fn create_primary(
        &self,
        _: Entry<'_>,
        _: &DriverObject,
        _: &Texture2dDesc,
        _: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        Err(CreateError::DeviceRemoved(removed()))
    }
    fn destroy_primary(&self, _: Entry<'_>, _: DriverObject) {}
    fn resize_swap_chain(&self, _: Entry<'_>, _: &DriverObject, _: u32, _: u32) -> Result<(), PresentError> {
        Err(PresentError::DeviceRemoved(removed()))
    }
    fn present(
        &self,
        _: Entry<'_>,
        _: &DriverObject,
        _: ResourceHandle,
        _: u32,
    ) -> Result<PresentStatus, PresentError> {
        Err(PresentError::DeviceRemoved(removed()))
    }
}
