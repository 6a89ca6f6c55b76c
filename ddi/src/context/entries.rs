//! The entries of the context tables, one row each, from which macros generate the tables and their wrappers.
//!
//! [`context_entries!`](crate::context_entries) passes the rows to a macro, which generates the trait
//! [`ContextFuncs`], the verifier's table, the runtime's table of a removed device, its software command
//! lists, and the trait that forwards calls in wrappers ([`crate::forward`]). A new entry needs one row here,
//! validation in the runtime, and an implementation in each driver, without which the driver does not
//! compile.
//!
//! A row has the form `class name(arguments) -> answer;`, with the lifetime `'a` if the entry borrows an
//! argument. Code that handles all entries of a class in the same way matches on the class:
//!
//! | class | meaning |
//! | --- | --- |
//! | `state` | sets state or binds objects; a `StateRefresh` callback returns the current value |
//! | `draw` | uses all bindings of the graphics pipeline |
//! | `dispatch` | uses all bindings of the compute stage |
//! | `indirect` | draws or dispatches with arguments from a buffer |
//! | `command` | uses only the handles in its arguments |
//! | `query` | begins or ends a query |
//! | `special` | needs separate code in every macro |
//!
//! A macro that receives the rows has a rule for each class and no catch-all rule, so the crate does not
//! compile with a new class until every macro handles it. Argument types are written without a path, so the
//! caller of the macro needs `use onze_ddi::*`.

use crate::*;

/// Passes the table of the entries of [`ContextFuncs`](crate::ContextFuncs) to a macro; see [the
/// module](crate::context::entries).
#[macro_export]
macro_rules! context_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Binds an input layout, which the runtime has already matched to its shader (D3D11:
        /// `pfnIaSetInputLayout`).
        #[doc(alias = "pfnIaSetInputLayout")]
        state ia_set_input_layout(layout: Option<ElementLayoutHandle>);

        /// Binds vertex buffers to slots `start..start + buffers.len()` and leaves the other slots unchanged
        /// (D3D11: `pfnIaSetVertexBuffers`).
        #[doc(alias = "pfnIaSetVertexBuffers")]
        state ia_set_vertex_buffers<'a>(start: u32, buffers: &'a [VertexBufferBinding]);

        /// Binds an index buffer with its format and offset (D3D11: `pfnIaSetIndexBuffer`).
        #[doc(alias = "pfnIaSetIndexBuffer")]
        state ia_set_index_buffer(buffer: IndexBufferBinding);

        /// Sets the topology, which determines how vertices form primitives (D3D11: `pfnIaSetTopology`).
        #[doc(alias = "pfnIaSetTopology")]
        state ia_set_primitive_topology(topology: PrimitiveTopology);

        /// Binds the shader of a stage (D3D11: `pfnVsSetShader` and its counterparts for other stages).
        #[doc(alias = "pfnVsSetShader")]
        state set_shader(stage: ShaderStage, shader: Option<ShaderHandle>);

        /// Binds constant buffers to slots `start..start + buffers.len()` and leaves the other slots
        /// unchanged (D3D11: `pfnVsSetConstantBuffers` and its counterparts for other stages).
        #[doc(alias = "pfnVsSetConstantBuffers")]
        state set_constant_buffers<'a>(stage: ShaderStage, start: u32, buffers: &'a [ConstantBufferBinding]);

        /// Binds shader-resource views to slots `start..start + views.len()` and leaves the other slots
        /// unchanged (D3D11: `pfnVsSetShaderResources` and its counterparts for other stages).
        #[doc(alias = "pfnVsSetShaderResources")]
        state set_shader_resources<'a>(
            stage: ShaderStage, start: u32, views: &'a [Option<ShaderResourceViewHandle>]
        );

        /// Binds samplers to slots `start..start + samplers.len()` and leaves the other slots unchanged
        /// (D3D11: `pfnVsSetSamplers` and its counterparts for other stages).
        #[doc(alias = "pfnVsSetSamplers")]
        state set_samplers<'a>(stage: ShaderStage, start: u32, samplers: &'a [Option<SamplerHandle>]);

        /// Binds unordered-access views to slots `start..start + views.len()` of the compute stage (D3D11:
        /// `pfnCsSetUnorderedAccessViews`) or of the pixel stage (D3D11: arguments of `pfnSetRenderTargets`).
        /// The other slots and the views' counters stay unchanged.
        #[doc(alias = "pfnCsSetUnorderedAccessViews")]
        state set_unordered_access_views<'a>(
            stage: ShaderStage, start: u32, views: &'a [Option<UnorderedAccessViewHandle>]
        );

        /// Binds a rasterizer state, or the default for `None` (D3D11: `pfnSetRasterizerState`).
        #[doc(alias = "pfnSetRasterizerState")]
        state rs_set_state(state: Option<RasterizerStateHandle>);

        /// Replaces all viewports with those in the slice, at most 16 (D3D11: `pfnSetViewports`). Primitives
        /// use the first viewport, unless a shader selects another one (`SV_ViewportArrayIndex`).
        #[doc(alias = "pfnSetViewports")]
        state rs_set_viewports<'a>(viewports: &'a [Viewport]);

        /// Replaces all scissor rectangles with those in the slice, at most 16 (D3D11: `pfnSetScissorRects`).
        /// Primitives use the rectangle with the index of their viewport.
        #[doc(alias = "pfnSetScissorRects")]
        state rs_set_scissor_rects<'a>(rects: &'a [Rect]);

        /// Binds a blend state, its blend factor and its sample mask (D3D11: `pfnSetBlendState`).
        #[doc(alias = "pfnSetBlendState")]
        state om_set_blend_state(blend: BlendBinding);

        /// Binds a depth-stencil state and its stencil reference (D3D11: `pfnSetDepthStencilState`).
        #[doc(alias = "pfnSetDepthStencilState")]
        state om_set_depth_stencil_state(state: DepthStencilBinding);

        /// Replaces all render targets and the depth-stencil target (D3D11: `pfnSetRenderTargets`, without
        /// its unordered-access views).
        #[doc(alias = "pfnSetRenderTargets")]
        state om_set_render_targets<'a>(targets: TargetsBinding<'a>);

        /// Binds a predicate until the next call replaces it (D3D11: `pfnSetPredication`). Draws, dispatches,
        /// clears, copies, updates, resolves and mip generation are skipped if the predicate's result equals
        /// the value. All other calls are executed: calls that set state, map, set counters, use queries or
        /// execute lists. An executed list, however, starts without a predicate.
        ///
        /// Only called with [`Features::PREDICATION`], and only with a query that is a predicate
        /// ([`crate::QueryType::is_predicate`]) and is not begun in this context. While the query is bound,
        /// this context neither begins nor ends it. Each execution of a list uses the query's result at that
        /// time, which is false if the query was never ended. If the query is a hint
        /// ([`crate::QueryMiscFlags::PREDICATEHINT`]), commands are executed while its result is unknown.
        #[doc(alias = "pfnSetPredication")]
        state set_predication(predication: PredicationBinding);

        /// Draws one instance of `vertex_count` vertices without indices (D3D11: `pfnDraw`).
        #[doc(alias = "pfnDraw")]
        draw draw(vertex_count: u32, start_vertex: u32);

        /// Draws one instance of `index_count` indices, with `base_vertex` added to each (D3D11:
        /// `pfnDrawIndexed`).
        #[doc(alias = "pfnDrawIndexed")]
        draw draw_indexed(index_count: u32, start_index: u32, base_vertex: i32);

        /// Draws `instance_count` instances of `vertex_count` vertices without indices (D3D11:
        /// `pfnDrawInstanced`).
        #[doc(alias = "pfnDrawInstanced")]
        draw draw_instanced(vertex_count: u32, instance_count: u32, start_vertex: u32, start_instance: u32);

        /// Draws `instance_count` instances of `index_count` indices, with `base_vertex` added to each
        /// (D3D11: `pfnDrawIndexedInstanced`).
        #[doc(alias = "pfnDrawIndexedInstanced")]
        draw draw_indexed_instanced(
            index_count: u32, instance_count: u32, start_index: u32, base_vertex: i32, start_instance: u32
        );

        /// Prepares the objects that a draw with the current bindings needs, without drawing, although the
        /// default implementation does nothing.
        ///
        /// The entry has the same preconditions as a draw. It exists for drivers that compile pipelines, and
        /// Direct3D 11 has no counterpart. A flush may return before the preparation is finished, because
        /// each later draw waits for the objects that it needs.
        draw prepare_draw();

        /// Runs the compute shader in `x` times `y` times `z` groups (D3D11: `pfnDispatch`), with each of the
        /// three counts between 0 and 65,535.
        #[doc(alias = "pfnDispatch")]
        dispatch dispatch(x: u32, y: u32, z: u32);

        /// Draws like `draw_instanced`, but the GPU reads the [`DrawInstancedIndirectArgs`] at `offset` bytes
        /// in the buffer when it reaches the draw (D3D11: `pfnDrawInstancedIndirect`).
        ///
        /// Only called with [`Features::INDIRECT_DRAWS`] and for a buffer with
        /// [`MiscFlags::DRAWINDIRECT_ARGS`]. The offset is a multiple of 4, and the arguments are within the
        /// buffer.
        #[doc(alias = "pfnDrawInstancedIndirect")]
        indirect draw_instanced_indirect(arguments: ResourceHandle, offset: u32);

        /// Draws like `draw_indexed_instanced`, with [`DrawIndexedInstancedIndirectArgs`] from a buffer and
        /// under the rules of `draw_instanced_indirect` (D3D11: `pfnDrawIndexedInstancedIndirect`).
        #[doc(alias = "pfnDrawIndexedInstancedIndirect")]
        indirect draw_indexed_instanced_indirect(arguments: ResourceHandle, offset: u32);

        /// Runs groups like `dispatch`, with [`DispatchIndirectArgs`] from a buffer and under the rules of
        /// `draw_instanced_indirect` (D3D11: `pfnDispatchIndirect`). If a dimension has more than 65,535
        /// groups, no group runs.
        #[doc(alias = "pfnDispatchIndirect")]
        indirect dispatch_indirect(arguments: ResourceHandle, offset: u32);

        /// Clears all slices of a view, regardless of viewports and scissor rectangles (D3D11:
        /// `pfnClearRenderTargetView`).
        #[doc(alias = "pfnClearRenderTargetView")]
        command clear_render_target_view(view: RenderTargetViewHandle, color: [f32; 4]);

        /// Clears depth, stencil or both, regardless of viewports and scissor rectangles (D3D11:
        /// `pfnClearDepthStencilView`). At least one flag is set, and the depth is between 0 and 1.
        #[doc(alias = "pfnClearDepthStencilView")]
        command clear_depth_stencil_view(
            view: DepthStencilViewHandle, flags: ClearFlags, depth: f32, stencil: u8
        );

        /// Clears a view to raw values (D3D11: `pfnClearUnorderedAccessViewUint`). In textures and typed
        /// buffers, each component is set to the lowest bits of its value; in structured and raw buffers,
        /// each 4-byte word is set to `values[0]`.
        #[doc(alias = "pfnClearUnorderedAccessViewUint")]
        command clear_unordered_access_view_uint(view: UnorderedAccessViewHandle, values: [u32; 4]);

        /// Copies a whole resource to another resource (D3D11: `pfnResourceCopy`). Both have the same
        /// dimension, size, mip levels and slices, and compatible formats.
        #[doc(alias = "pfnResourceCopy")]
        command resource_copy(dst: ResourceHandle, src: ResourceHandle);

        /// Copies a box of a subresource, or the whole subresource for `None` (D3D11:
        /// `pfnResourceCopyRegion`). The box is not empty, and both the box and the written region are within
        /// their subresources.
        ///
        /// Applications can copy depth textures and multisampled textures only as whole subresources. To
        /// clear rectangles, the runtime also copies boxes of such textures. Source and destination are then
        /// targets with the same format and sample count.
        #[doc(alias = "pfnResourceCopyRegion")]
        command resource_copy_region(
            dst: ResourceHandle, dst_subresource: u32, dst_at: [u32; 3], src: ResourceHandle,
            src_subresource: u32, src_box: Option<Box3d>
        );

        /// Averages the samples of each texel as values of `format`, or as linear light for an sRGB format
        /// (D3D11: `pfnResourceResolveSubresource`).
        ///
        /// The source is multisampled, the destination has one sample, and both subresources have the same
        /// size. `format` is typed and supports resolving ([`FormatSupport::MULTISAMPLE_RESOLVE`]), and each
        /// resource has this format or the typeless format of its family.
        #[doc(alias = "pfnResourceResolveSubresource")]
        command resource_resolve_subresource(
            dst: ResourceHandle, dst_subresource: u32, src: ResourceHandle, src_subresource: u32, format: Format
        );

        /// Sets the counter of a view for the commands that follow (D3D11: an initial count of
        /// `pfnCsSetUnorderedAccessViews` or `pfnSetRenderTargets`). In a list, this happens at each
        /// execution. The view has a counter ([`BufferViewDesc::counter`]).
        #[doc(alias = "pUAVInitialCounts")]
        #[doc(alias = "pfnCsSetUnorderedAccessViews")]
        #[doc(alias = "pfnSetRenderTargets")]
        command set_structure_count(view: UnorderedAccessViewHandle, count: u32);

        /// Sets the minimum mip level that shaders can read from a texture through shader-resource views
        /// (D3D11: `pfnSetResourceMinLOD`). The level applies to all later commands and, if a list sets it,
        /// also to the commands after the execution of the list. It is counted from the texture's first
        /// level, is initially 0, and is not negative.
        ///
        /// Only called for a texture with [`MiscFlags::RESOURCE_CLAMP`](crate::MiscFlags::RESOURCE_CLAMP).
        #[doc(alias = "pfnSetResourceMinLOD")]
        command set_resource_min_lod(resource: ResourceHandle, min_lod: f32);

        /// Copies the 4-byte counter of a view to `offset` bytes in a buffer, like `resource_copy_region`
        /// (D3D11: `pfnCopyStructureCount`).
        ///
        /// The view has a counter ([`BufferViewDesc::counter`]), the offset is a multiple of 4, and the bytes are
        /// within the buffer.
        #[doc(alias = "pfnCopyStructureCount")]
        command copy_structure_count(dst: ResourceHandle, offset: u32, view: UnorderedAccessViewHandle);

        /// Writes data into a box of a subresource, or into the whole subresource for `None` (D3D11:
        /// `pfnResourceUpdateSubresourceUP`, `pfnDefaultConstantBufferUpdateSubresourceUP`). An update of a
        /// constant buffer covers the whole buffer. The driver reads the data before the entry returns.
        #[doc(alias = "pfnResourceUpdateSubresourceUP")]
        #[doc(alias = "pfnDefaultConstantBufferUpdateSubresourceUP")]
        command resource_update_subresource<'a>(
            dst: ResourceHandle, subresource: u32, dst_box: Option<Box3d>, data: SubresourceData<'a>
        );

        /// Generates the view's mip levels from its first level, in a format that supports
        /// [`crate::FormatSupport::MIP_AUTOGEN`] (D3D11: `pfnGenMips`).
        #[doc(alias = "pfnGenMips")]
        command generate_mips(view: ShaderResourceViewHandle);

        /// Maps a dynamic resource with `WriteDiscard` or `WriteNoOverwrite`.
        ///
        /// D3D11 has separate entries: `pfnDynamicConstantBufferMapDiscard`, `pfnDynamicIABufferMapDiscard`,
        /// `pfnDynamicIABufferMapNoOverwrite` and `pfnDynamicResourceMapDiscard`. Here a driver that needs to
        /// distinguish these cases uses the resource and the map type. With `WriteNoOverwrite`, a recording
        /// maps only resources that it has discarded itself.
        ///
        /// The memory covers the whole subresource. With `WriteDiscard`, it contains arbitrary but
        /// initialised bytes, and with `WriteNoOverwrite`, it contains the bytes that were most recently
        /// written to it. Until the unmap, the runtime owns the memory, and the context does not use the
        /// resource, but other calls may occur, including a flush.
        ///
        /// # Errors
        /// Returns a [`RecordError`] if the memory cannot be lent. On a deferred context, the recording is
        /// lost after [`RecordError::OutOfMemory`].
        #[doc(alias = "pfnDynamicConstantBufferMapDiscard")]
        #[doc(alias = "pfnDynamicIABufferMapDiscard")]
        #[doc(alias = "pfnDynamicIABufferMapNoOverwrite")]
        #[doc(alias = "pfnDynamicResourceMapDiscard")]
        special dynamic_map(
            resource: ResourceHandle, subresource: u32, map_type: MapType
        ) -> Result<MappedMemory, RecordError>;

        /// Takes back the memory that `dynamic_map` lent (D3D11: `pfnDynamicConstantBufferUnmap` and its
        /// counterparts).
        ///
        /// Later commands see the written bytes. The runtime ends all maps before it finishes a list, unless
        /// the recording is lost or the device is removed, in which case it drops the memory instead of
        /// giving it back.
        #[doc(alias = "pfnDynamicConstantBufferUnmap")]
        special dynamic_unmap(
            resource: ResourceHandle, subresource: u32, memory: MappedMemory, written: Written
        );

        /// Replaces the contents of a dynamic constant buffer or shader-resource buffer in one call, after
        /// which the buffer contains `data`, starting at `offset`, and zeros elsewhere.
        ///
        /// This entry has no counterpart in Direct3D 11. It is cheaper than a map and an unmap if the
        /// application's bytes are copied anyway. The runtime may use it for buffers of up to
        /// [`crate::PipelineCaps::max_replaced_buffer`] bytes, but may also map such buffers. The entry has
        /// the same effect as a map with `WriteDiscard` and an unmap with the whole buffer written, so the
        /// default implementation maps, copies and unmaps.
        special dynamic_replace<'a>(resource: ResourceHandle, offset: u32, data: &'a [u8]);

        /// Begins a query that has a beginning (D3D11: `pfnQueryBegin`, see
        /// [`crate::QueryType::has_beginning`]). For each query, calls of this entry and of `query_end`
        /// alternate. If the application begins an already begun query, the runtime first ends it, and if the
        /// application only ends a query, the runtime first begins it.
        ///
        /// The query covers all commands of this context until its end, including executed lists. In a list,
        /// the query begins at each execution, and its previous result becomes invalid. Closing the handle of
        /// a begun query or abandoning the recording ends the query without a result.
        #[doc(alias = "pfnQueryBegin")]
        query query_begin(query: QueryHandle);

        /// Ends a query (D3D11: `pfnQueryEnd`). In a list, this happens at each execution. All queries begun
        /// in a recording are ended before its list is finished.
        #[doc(alias = "pfnQueryEnd")]
        query query_end(query: QueryHandle);

        /// Opens a named group of commands, which may be nested in another (D3D11:
        /// `ID3DUserDefinedAnnotation::BeginEvent`).
        #[doc(alias = "BeginEvent")]
        command begin_event<'a>(name: &'a str);

        /// Closes the innermost open group (D3D11: `ID3DUserDefinedAnnotation::EndEvent`). Called only if a
        /// group is open. The runtime closes all open groups of a recording before it finishes the list.
        #[doc(alias = "EndEvent")]
        command end_event();

        /// Marks a point in the command stream (D3D11: `ID3DUserDefinedAnnotation::SetMarker`).
        #[doc(alias = "SetMarker")]
        command set_marker<'a>(name: &'a str);

        /// Executes a live list of the same device (D3D11: `pfnCommandListExecute`).
        ///
        /// The list starts in the default state instead of the context's state. The runtime has opened every
        /// back buffer and every renamable resource of the list ([`crate::ResourceDesc::is_renamable`]) in
        /// this context. None of the queries that the list begins is already begun in this context. After the
        /// call, the context is in its default state, and the runtime sets the required bindings again. If a
        /// deferred context executes the list, the list outlives the list that is being recorded.
        #[doc(alias = "pfnCommandListExecute")]
        special command_list_execute<'a>(list: &'a DriverList<Live>);
    } };
}

/// Passes the entries of [`ImmediateFuncs`](crate::ImmediateFuncs) to a macro, one row each. The class of a
/// row is `closing` if the entry receives a [`ClosingEntry`](crate::ClosingEntry), and `entry` otherwise.
#[macro_export]
macro_rules! immediate_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Maps a staging resource with `Read`, `Write` or `ReadWrite` (D3D11: `pfnStagingResourceMap`).
        ///
        /// With any map type, the memory covers the whole subresource and contains its current contents. The
        /// entry waits until the GPU has completed all work on which the map depends, but if `do_not_wait` is
        /// set, the entry only submits this work so that a later call eventually succeeds.
        ///
        /// # Errors
        /// Returns [`MapError::StillDrawing`] if the resource is still in use and `do_not_wait` is set or the
        /// platform does not allow blocking.
        #[doc(alias = "pfnStagingResourceMap")]
        entry staging_map(
            resource: ResourceHandle, subresource: u32, map_type: MapType, do_not_wait: bool
        ) -> Result<MappedMemory, MapError>;

        /// Takes back the memory that `staging_map` lent, under the rules of [`ContextFuncs::dynamic_unmap`]
        /// (D3D11: `pfnStagingResourceUnmap`).
        #[doc(alias = "pfnStagingResourceUnmap")]
        entry staging_unmap(
            resource: ResourceHandle, subresource: u32, memory: MappedMemory, written: Written
        );

        /// Returns the result of a query without waiting (D3D11: `pfnQueryGetData`).
        ///
        /// The query has been ended and is not begun again, and the result belongs to the query's most recent
        /// end and matches its type. Unless `do_not_flush` is set, the driver submits the commands on which
        /// the result depends, so that repeated calls eventually succeed.
        ///
        /// # Errors
        /// Returns [`GetDataError::StillDrawing`] if the GPU has not completed the query.
        #[doc(alias = "pfnQueryGetData")]
        entry query_get_data(query: QueryHandle, do_not_flush: bool) -> Result<QueryData, GetDataError>;

        /// Submits the recorded commands, retires destroyed objects, and returns whether something was
        /// submitted (D3D11: `pfnFlush`).
        ///
        /// Retires objects even if nothing was recorded, and does not wait for the GPU. Before returning, the
        /// driver deallocates the memory of all destroyed shared resources, and of all other destroyed
        /// objects with which the GPU has finished.
        #[doc(alias = "pfnFlush")]
        entry flush(flags: FlushFlags) -> bool;

        /// Closes the last handle of an object that is about to be destroyed (D3D11: the immediate half of
        /// `pfnDestroyResource` and its counterparts). The driver discards the context's data about the
        /// object.
        ///
        /// Called in amortized processing, before or after a flush or present, and when the application drops
        /// the context. Views are closed before their resources. The object is neither bound nor mapped, but
        /// unsubmitted commands may use it. The handle is still open during the call, after which the runtime
        /// removes it from the storage and calls the object's destroy entry, possibly on another thread. The
        /// entry is not called for an object that this context has never used, because there is no handle to
        /// close.
        #[doc(alias = "pfnDestroyResource")]
        closing close(kind: HandleType, key: Key);

        /// Creates a swap chain (DXGI: `CreateSwapChain`), whose back buffers the runtime creates after this
        /// call.
        ///
        /// The driver can display the format and render to it ([`DISPLAY`](crate::FormatSupport::DISPLAY)),
        /// or the format is [`Format::UNKNOWN`](crate::Format::UNKNOWN). For `UNKNOWN`, the driver chooses
        /// the format that is cheapest to show in the window.
        ///
        /// # Errors
        /// Returns [`PresentError::SurfaceLost`] if this adapter cannot present to the window.
        #[doc(alias = "CreateSwapChain")]
        entry create_swap_chain<'a>(args: &'a CreateSwapChainArgs) -> Result<CreatedSwapChain, PresentError>;

        /// Destroys a swap chain, whose back buffers may still exist but are not presented again.
        entry destroy_swap_chain(swap_chain: DriverObject);

        /// Creates a back buffer: a primary, which belongs to this context's threading domain (D3D11:
        /// `pfnCreateResource` with a primary description).
        ///
        /// The driver allocates the memory in this entry, with [`crate::AllocateArgs::primary`]. The private
        /// bytes are zeroed, and [`crate::DeviceFuncs::calc_private_size`] has returned their size for a
        /// texture with this descriptor. The swap chain still has fewer back buffers than its
        /// [`buffer_count`](CreateSwapChainArgs::buffer_count). All its back buffers have the same
        /// descriptor.
        ///
        /// # Errors
        /// Returns the same errors as [`crate::DeviceFuncs::create`].
        #[doc(alias = "pfnCreateResource")]
        entry create_primary<'a>(
            swap_chain: &'a DriverObject, desc: &'a TextureDesc, private: &'a mut [u8]
        ) -> Result<DriverObject, CreateError>;

        /// Destroys a back buffer whose handles are closed, and deallocates its memory before the entry
        /// returns.
        ///
        /// The driver first submits recorded commands that use the back buffer, but a shared back buffer
        /// follows the rules of shared resources instead.
        entry destroy_primary(primary: DriverObject);

        /// Adapts a swap chain to a new window size (DXGI: `ResizeBuffers`).
        ///
        /// The old back buffers are already destroyed, and the runtime creates the new back buffers after the
        /// call. The driver reports the new size with [`CoreLayer::set_display_mode`].
        ///
        /// # Errors
        /// Returns [`PresentError::SurfaceLost`] if the window is gone, in which case the swap chain has no
        /// back buffers until the application resizes it again.
        #[doc(alias = "ResizeBuffers")]
        entry resize_swap_chain<'a>(
            swap_chain: &'a DriverObject, width: u32, height: u32) -> Result<(
        ), PresentError>;

        /// Sets how many frames may wait for the display, 1 to 16 (DXGI:
        /// `IDXGISwapChain2::SetMaximumFrameLatency`), but the previous number may still apply to a frame
        /// that has already begun.
        #[doc(alias = "SetMaximumFrameLatency")]
        entry set_maximum_frame_latency<'a>(swap_chain: &'a DriverObject, frames: u32);

        /// Sets the colour space of the back buffers' values to one of [`CreatedSwapChain::color_spaces`],
        /// starting with the next frame (DXGI: `IDXGISwapChain3::SetColorSpace1`).
        #[doc(alias = "SetColorSpace1")]
        entry set_color_space<'a>(swap_chain: &'a DriverObject, color_space: ColorSpace);

        /// Tests whether a present would show an image, without showing an image or changing the back buffers
        /// (DXGI: `Present` with `DXGI_PRESENT_TEST`).
        ///
        /// # Errors
        /// Returns the same errors as [`present`](ImmediateFuncs::present).
        #[doc(alias = "Present")]
        #[doc(alias = "DXGI_PRESENT_TEST")]
        entry test_present<'a>(swap_chain: &'a DriverObject) -> Result<PresentStatus, PresentError>;

        /// Submits the recorded commands and shows a back buffer (D3D11: `PresentDXGI`).
        ///
        /// The driver calls [`CoreLayer::present`] after the submission, unless it returns
        /// [`PresentStatus::Occluded`]. The back buffer belongs to the swap chain, and the swap chain's
        /// [`SwapEffect`](crate::SwapEffect) determines whether the contents are kept. In the flip model, no
        /// back buffer of the swap chain is bound. A busy, outdated or hidden window is not an error. With a
        /// sync interval of 0, the image is shown without waiting for the display, and with 1 to 4, it is
        /// shown after that number of refreshes if the system supports this.
        ///
        /// # Errors
        /// Returns [`PresentError::SurfaceLost`] if the window is gone, but the driver still submits the
        /// recorded commands, either in this entry or later.
        #[doc(alias = "PresentDXGI")]
        entry present<'a>(
            swap_chain: &'a DriverObject, back_buffer: ResourceHandle, sync_interval: u32
        ) -> Result<PresentStatus, PresentError>;

        /// Rotates the identities of back buffers: each handle gets the memory of the next handle, and the
        /// last handle gets the memory of the first (DXGI: `pfnRotateResourceIdentities` of
        /// `DXGI_DDI_BASE_FUNCTIONS`).
        ///
        /// The slice contains at least two back buffers of one swap chain, without duplicates. Handles, views
        /// and bindings stay valid and refer to the new memory from now on. Commands that this context
        /// recorded earlier refer to the old memory. The commands of a list, even of a nested list, refer to
        /// the memory that the handles have when the immediate context executes the list.
        #[doc(alias = "pfnRotateResourceIdentities")]
        #[doc(alias = "DXGI_DDI_BASE_FUNCTIONS")]
        entry rotate_resource_identities<'a>(back_buffers: &'a [ResourceHandle]);
    } };
}

/// Passes the entries of [`DeferredFuncs`] to a macro, one row each, with the classes of
/// [`immediate_entries!`](crate::immediate_entries).
macro_rules! deferred_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Opens a handle in this context, at its first use in a recording (D3D11: `pfnCreateResource` and
        /// its counterparts on the deferred table). A view's resource is opened before the view.
        ///
        /// The storage already contains the object, with zeroed private bytes of the requested size, but the
        /// handle is not yet open in this recording.
        ///
        /// # Errors
        /// Returns a [`RecordError`] if the handle cannot be opened. The runtime then removes the handle from
        /// the storage, and may or may not call [`DeferredFuncs::close`]. After [`RecordError::OutOfMemory`],
        /// the recording is also lost.
        #[doc(alias = "pfnCreateResource")]
        entry open<'a>(args: OpenArgs<'a>) -> Result<(), RecordError>;

        /// Closes a handle (D3D11: `pfnDestroyResource` and its counterparts on the deferred table). Views
        /// are closed before their resources.
        ///
        /// Called for all open handles when the recording was ended or abandoned, while no object is bound or
        /// mapped. The runtime removes the handle from the storage after the call. A list made from the
        /// recording may still use the object, which lives at least as long as the list.
        #[doc(alias = "pfnDestroyResource")]
        closing close(kind: HandleType, key: Key);

        /// Takes back a dead list that this context recorded (D3D11: `pfnRecycleCommandList`).
        ///
        /// The list has already released its objects ([`crate::DeviceFuncs::recycle_destroy_command_list`]).
        /// Here the driver may move the list's memory to the context for reuse.
        #[doc(alias = "pfnRecycleCommandList")]
        closing recycle_command_list(list: DriverList<Dead>) -> DriverList<Cached>;

        /// Ends the recording and returns it as a list that reuses the memory of a cached list, if there is
        /// one (D3D11: `pfnCreateCommandList`, `pfnRecycleCreateCommandList`).
        ///
        /// All maps, queries and groups are already ended, but during the call, the state callbacks still
        /// return the last bindings. Afterwards the runtime closes the handles, and the context is in its
        /// default state. The list can be executed any number of times, on any context of the device.
        ///
        /// # Errors
        /// Returns [`RecordError::OutOfMemory`] if there is not enough memory for the list, but the context
        /// stays usable. After any error, the driver has discarded the recording and dropped the cached list,
        /// and the runtime does not call [`DeferredFuncs::abandon_command_list`].
        #[doc(alias = "pfnCreateCommandList")]
        #[doc(alias = "pfnRecycleCreateCommandList")]
        entry create_command_list(
            cached: Option<DriverList<Cached>>
        ) -> Result<DriverList<Live>, RecordError>;

        /// Discards the recording, which may be empty (D3D11: `pfnAbandonCommandList`).
        ///
        /// Called when the recording is lost, when the application finishes it on a removed device, and
        /// before the context is destroyed. Afterwards the runtime closes the handles.
        #[doc(alias = "pfnAbandonCommandList")]
        closing abandon_command_list();
    } };
}
pub(crate) use deferred_entries;

macro_rules! context_funcs {
    (
        $(
            $(#[$doc:meta])*
            $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;
        )*
    ) => {
        /// The operations of every context, immediate or deferred.
        ///
        /// **Threads.** The thread that holds the application's context enters the driver. Only one thread at
        /// a time is in a context, but each call may come from a different thread. Several contexts and the
        /// device table may be entered at the same time, unless the device is
        /// [`Serialized`](crate::ThreadingCaps::Serialized). A context that is already entered is entered
        /// again only to close and destroy within
        /// [`perform_amortized_processing`](CoreLayer::perform_amortized_processing).
        ///
        /// **Preconditions.** Arguments are valid, and slots are within D3D11's limits. Each stage has 14
        /// constant buffers, 128 resources and 16 samplers. A context has 8 unordered-access views, 32 vertex
        /// buffers, 8 render targets, 16 viewports and 16 scissor rectangles. Handles have the right type and
        /// are open in the context, and the resources of views are also open. A resource that is mapped in
        /// the context is not used by draws, copies, updates or executed lists. No subresource is bound for
        /// reading and for writing at the same time.
        ///
        /// **Setters** are called only when a binding changes, and `None` unbinds an object or sets the
        /// default state. In the default state, no object, viewport or scissor rectangle is bound, the
        /// topology is undefined, and all other bindings have the [`Default`] of their types.
        ///
        /// **Draws** are called only if a topology and a vertex shader are bound. If the vertex shader has
        /// inputs, a layout that provides them is bound, and if a pixel shader is bound, it is compatible
        /// with the vertex shader. An indexed draw also has an index buffer. All other bindings may be
        /// missing, and counts may be 0. Reads from an unbound slot or outside a buffer's range return 0, and
        /// nothing is drawn without viewports.
        ///
        /// **Dispatches** are called only if a compute shader is bound, but all other bindings may be
        /// missing, as for draws. Writes through an unbound slot or outside a view's range have no effect.
        ///
        /// **Errors.** An entry with a [`ClosingEntry`] reports no errors. Any other entry without a `Result`
        /// reports errors through [`CoreLayer::set_error`], which documents their consequences. A lost device
        /// is [`crate::ContextError::DeviceRemoved`], and only a deferred context reports
        /// [`crate::ContextError::OutOfMemory`]. A mistake of the application that the runtime could not
        /// detect is [`crate::ContextError::Application`], and any other error is
        /// [`crate::ContextError::Bug`].
        ///
        /// **After the call.** The driver keeps neither borrowed arguments nor handles. A handle may be
        /// closed and its object destroyed before the commands that use it are submitted, so recorded
        /// commands must refer to the object's read-only half ([`HandleStorage::object`]).
        pub trait ContextFuncs: Send + Sync {
            $(context_funcs! {
                @entry $(#[$doc])* fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)?
            })*
        }
    };
    (@entry $(#[$doc:meta])* fn prepare_draw()) => {
        $(#[$doc])*
        fn prepare_draw(&self, _cx: Entry<'_>) {}
    };
    (@entry $(#[$doc:meta])* fn dynamic_replace<'a>($($argument:tt)*)) => {
        $(#[$doc])*
        fn dynamic_replace(&self, mut cx: Entry<'_>, resource: ResourceHandle, offset: u32, data: &[u8]) {
            match self.dynamic_map(cx.reborrow(), resource, 0, MapType::WriteDiscard) {
                Ok(mut memory) => {
                    let bytes = memory.bytes_mut();
                    bytes.fill(0);
                    let offset = offset as usize;
                    if let Some(to) = bytes.get_mut(offset..offset.saturating_add(data.len())) {
                        to.copy_from_slice(data);
                    }
                    self.dynamic_unmap(cx, resource, 0, memory, Written::All);
                }
                Err(error) => cx.core.set_error(error.into()),
            }
        }
    };
    (@entry $(#[$doc:meta])* fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)?;
    };
}
context_entries!(context_funcs);

macro_rules! immediate_funcs {
    (
        $(
            $(#[$doc:meta])*
            $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;
        )*
    ) => {
        /// The operations that only the immediate context has. The rules of [`ContextFuncs`] apply, with
        /// these additions:
        ///
        /// **Table.** The table may be replaced at any time with
        /// [`crate::DeviceCoreLayer::publish_immediate_table`]. When a device is removed, the runtime
        /// replaces the table with its own; calls that are already running end normally, and no further entry
        /// of the driver's table is called.
        ///
        /// **Submitting.** Any entry may submit. A submission has these steps, in this order:
        /// [`CoreLayer::render`], the submission itself, [`CoreLayer::perform_amortized_processing`],
        /// deallocations, and the preamble of the next command buffer.
        ///
        /// **Errors.** Entries with a `Result` return their errors, and need not also pass them to
        /// [`CoreLayer::set_error`]. The errors `DeviceRemoved` and `Bug` remove the device.
        ///
        /// **After the application's context.** When the application drops the context, the runtime flushes
        /// it and closes all handles. From then on, only `destroy_primary` and `destroy_swap_chain` may be
        /// called, on the threads that drop the last owners of back buffers and swap chains. These calls are
        /// still made one at a time and with the context's private data, but with an empty handle storage and
        /// no bindings.
        pub trait ImmediateFuncs: ContextFuncs {
            $(immediate_funcs! { @$class $(#[$doc])*
                fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)?
            })*
        }
    };
    (@entry $(#[$doc:meta])* fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)?;
    };
    (@closing $(#[$doc:meta])* fn $name:ident ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        fn $name(&self, cx: ClosingEntry<'_>, $($arg: $type),*) $(-> $answer)?;
    };
}
immediate_entries!(immediate_funcs);

macro_rules! deferred_funcs {
    (
        $(
            $(#[$doc:meta])*
            $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;
        )*
    ) => {
        /// The operations that only deferred contexts have, in a table that does not change.
        ///
        /// The rules of [`ContextFuncs`] apply, with these additions. A recording begins when the context is
        /// created, and the next one begins when the previous recording was ended or abandoned and all its
        /// handles are closed. If a recording runs out of memory, it is lost, and only
        /// [`DeferredFuncs::abandon_command_list`] and [`DeferredFuncs::close`] are then called for it. The
        /// entries are also called on a removed device, but its recordings are not executed.
        pub trait DeferredFuncs: ContextFuncs {
            $(immediate_funcs! { @$class $(#[$doc])*
                fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)?
            })*
        }
    };
}
deferred_entries!(deferred_funcs);
