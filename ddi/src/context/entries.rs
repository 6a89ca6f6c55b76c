//! The entries of the context tables, one row each, as the source of every table and wrapper of them.
//!
//! [`context_entries!`](crate::context_entries) passes the rows to a macro, which generates the trait
//! [`ContextFuncs`], the verifier's table, the runtime's table of a removed device, its software command
//! lists, and every wrapper that forwards calls. A new entry needs one row here, its validation in the
//! runtime, and its implementation in each driver, and a forgotten part does not compile.
//!
//! A row is `class name(arguments) -> answer;`, with the lifetime `'a` if the entry borrows. Code that treats
//! a class of entries alike matches the class:
//!
//! | class | meaning |
//! | --- | --- |
//! | `state` | sets state or binds objects; a state callback returns the current value |
//! | `draw` | uses all bindings for drawing |
//! | `dispatch` | uses all bindings for computing |
//! | `indirect` | draws or dispatches, with arguments from a buffer |
//! | `command` | uses the handles among its arguments |
//! | `query` | begins or ends a query |
//! | `special` | needs individual treatment everywhere |
//!
//! A macro that takes the rows has a rule for each class that it distinguishes and no catch-all, so a new class does
//! not compile either. Argument types are written without a path, so the caller of the macro needs `use onze_ddi::*`.

use crate::*;

/// Passes the entries of [`ContextFuncs`](crate::ContextFuncs) to a macro, one row each; see [the
/// module](crate::context::entries).
#[macro_export]
macro_rules! context_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Binds an input layout, which is already matched to its shader (D3D11: `pfnIaSetInputLayout`).
        #[doc(alias = "pfnIaSetInputLayout")]
        state ia_set_input_layout(layout: Option<ElementLayoutHandle>);

        /// Binds vertex buffers to slots `start..start + buffers.len()` and leaves the other slots unchanged
        /// (D3D11: `pfnIaSetVertexBuffers`).
        #[doc(alias = "pfnIaSetVertexBuffers")]
        state ia_set_vertex_buffers<'a>(start: u32, buffers: &'a [VertexBufferBinding]);

        /// Binds an index buffer with its format and offset (D3D11: `pfnIaSetIndexBuffer`).
        #[doc(alias = "pfnIaSetIndexBuffer")]
        state ia_set_index_buffer(buffer: IndexBufferBinding);

        /// Sets the topology by which vertices form primitives (D3D11: `pfnIaSetTopology`).
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
        /// `pfnCsSetUnorderedAccessViews`) or of the pixel stage (D3D11: a part of `pfnSetRenderTargets`).
        /// The other slots and the views' counters stay unchanged.
        #[doc(alias = "pfnCsSetUnorderedAccessViews")]
        state set_unordered_access_views<'a>(
            stage: ShaderStage, start: u32, views: &'a [Option<UnorderedAccessViewHandle>]
        );

        /// Binds a rasterizer state, or the default for `None` (D3D11: `pfnSetRasterizerState`).
        #[doc(alias = "pfnSetRasterizerState")]
        state rs_set_state(state: Option<RasterizerStateHandle>);

        /// Replaces all viewports, at most 16, by those of the slice (D3D11: `pfnSetViewports`).
        #[doc(alias = "pfnSetViewports")]
        state rs_set_viewports<'a>(viewports: &'a [Viewport]);

        /// Replaces all scissor rectangles, at most 16, by those of the slice (D3D11: `pfnSetScissorRects`).
        #[doc(alias = "pfnSetScissorRects")]
        state rs_set_scissor_rects<'a>(rects: &'a [Rect]);

        /// Binds a blend state and its parameters (D3D11: `pfnSetBlendState`).
        #[doc(alias = "pfnSetBlendState")]
        state om_set_blend_state(blend: BlendBinding);

        /// Binds a depth-stencil state and its parameter (D3D11: `pfnSetDepthStencilState`).
        #[doc(alias = "pfnSetDepthStencilState")]
        state om_set_depth_stencil_state(state: DepthStencilBinding);

        /// Replaces all targets (D3D11: `pfnSetRenderTargets`, without its unordered-access views).
        #[doc(alias = "pfnSetRenderTargets")]
        state om_set_render_targets<'a>(targets: TargetsBinding<'a>);

        /// Binds a predicate, until the next call replaces it (D3D11: `pfnSetPredication`). Draws,
        /// dispatches, clears, copies, updates, resolves and mip generation are skipped if the predicate's
        /// result equals the value. All other calls go on: state, maps, setting counters, queries, and
        /// executing lists, which start without a predicate.
        ///
        /// Only called with [`Features::PREDICATION`], and only with a query that is a predicate
        /// ([`crate::QueryType::is_predicate`]) and is not begun in this context. While the query is bound,
        /// this context neither begins nor ends it. In a list, each execution uses the result at that time. A
        /// query that was never ended has seen nothing, but while the result of a hint
        /// ([`crate::QueryMiscFlags::PREDICATEHINT`]) is unknown, the commands are executed.
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

        /// Prepares everything that a draw with the current bindings needs, and draws nothing; the provided
        /// method does nothing. The entry has the preconditions of a draw and exists for drivers that compile
        /// pipelines, without a counterpart in Direct3D 11. The preparation may still be unfinished when the
        /// flush that carries it returns, because each draw waits for its own needs.
        draw prepare_draw();

        /// Runs the compute shader in `x` times `y` times `z` groups, where each number is at most 65,535 and
        /// may be 0 (D3D11: `pfnDispatch`).
        #[doc(alias = "pfnDispatch")]
        dispatch dispatch(x: u32, y: u32, z: u32);

        /// Draws as `draw_instanced`, with [`DrawInstancedIndirectArgs`] that the GPU reads from the buffer
        /// at `offset` bytes when it reaches the draw (D3D11: `pfnDrawInstancedIndirect`).
        ///
        /// Only called with [`Features::INDIRECT_DRAWS`], for a buffer with [`MiscFlags::DRAWINDIRECT_ARGS`],
        /// with an offset that is a multiple of 4 and with the arguments within the buffer.
        #[doc(alias = "pfnDrawInstancedIndirect")]
        indirect draw_instanced_indirect(arguments: ResourceHandle, offset: u32);

        /// Draws as `draw_indexed_instanced`, with [`DrawIndexedInstancedIndirectArgs`] from a buffer, under
        /// the rules of `draw_instanced_indirect` (D3D11: `pfnDrawIndexedInstancedIndirect`).
        #[doc(alias = "pfnDrawIndexedInstancedIndirect")]
        indirect draw_indexed_instanced_indirect(arguments: ResourceHandle, offset: u32);

        /// Runs groups as `dispatch`, with [`DispatchIndirectArgs`] from a buffer, under the rules of
        /// `draw_instanced_indirect`, and runs nothing if a dimension has more than 65,535 groups (D3D11:
        /// `pfnDispatchIndirect`).
        #[doc(alias = "pfnDispatchIndirect")]
        indirect dispatch_indirect(arguments: ResourceHandle, offset: u32);

        /// Clears all slices of a view, regardless of viewports and scissor rectangles (D3D11:
        /// `pfnClearRenderTargetView`).
        #[doc(alias = "pfnClearRenderTargetView")]
        command clear_render_target_view(view: RenderTargetViewHandle, color: [f32; 4]);

        /// Clears depth, stencil or both, regardless of viewports and scissor rectangles (D3D11:
        /// `pfnClearDepthStencilView`), where at least one flag is set and the depth is within 0 and 1.
        #[doc(alias = "pfnClearDepthStencilView")]
        command clear_depth_stencil_view(
            view: DepthStencilViewHandle, flags: ClearFlags, depth: f32, stencil: u8
        );

        /// Clears a view to raw values (D3D11: `pfnClearUnorderedAccessViewUint`): in textures and typed
        /// buffers, each component gets the lowest bits of its value, and in other buffers, each word becomes
        /// `values[0]`.
        #[doc(alias = "pfnClearUnorderedAccessViewUint")]
        command clear_unordered_access_view_uint(view: UnorderedAccessViewHandle, values: [u32; 4]);

        /// Copies a whole resource (D3D11: `pfnResourceCopy`) to a different one of the same kind, size, mip
        /// levels and slices, and of a compatible format.
        #[doc(alias = "pfnResourceCopy")]
        command resource_copy(dst: ResourceHandle, src: ResourceHandle);

        /// Copies a box of a subresource, or the whole subresource for `None` (D3D11:
        /// `pfnResourceCopyRegion`). The box is never empty, and both the box and the region that is written
        /// are within their subresources.
        ///
        /// Applications copy depth and multisampled textures only by whole subresources. Copies of parts come
        /// from clears of rectangles, and both textures are then targets with the same format and sample
        /// count.
        #[doc(alias = "pfnResourceCopyRegion")]
        command resource_copy_region(
            dst: ResourceHandle, dst_subresource: u32, dst_at: [u32; 3], src: ResourceHandle,
            src_subresource: u32, src_box: Option<Box3d>
        );

        /// Averages the samples of each texel as numbers of `format`; sRGB formats are averaged as linear
        /// light (D3D11: `pfnResourceResolveSubresource`).
        ///
        /// The source is multisampled, the destination has one sample, and both subresources have the same
        /// size. The format is typed and supports resolving ([`FormatSupport::MULTISAMPLE_RESOLVE`]), and
        /// each resource has this format or the typeless format of its family.
        #[doc(alias = "pfnResourceResolveSubresource")]
        command resource_resolve_subresource(
            dst: ResourceHandle, dst_subresource: u32, src: ResourceHandle, src_subresource: u32, format: Format
        );

        /// Sets the counter of a view for the following commands, in a list each time that the list is
        /// executed (D3D11: an initial count of `pfnCsSetUnorderedAccessViews` or `pfnSetRenderTargets`). The
        /// view has a counter ([`BufferViewDesc::counter`]).
        ///
        #[doc(alias = "pUAVInitialCounts")]
        #[doc(alias = "pfnCsSetUnorderedAccessViews")]
        #[doc(alias = "pfnSetRenderTargets")]
        command set_structure_count(view: UnorderedAccessViewHandle, count: u32);

        /// Sets the minimum mip level that shaders see of a texture through shader-resource views (D3D11:
        /// `pfnSetResourceMinLOD`). The level applies to the following commands, and if it is set in a list,
        /// also to the commands that follow each execution. It counts from the texture's first level, is
        /// initially 0 and is never negative.
        ///
        /// Only called for a texture with [`MiscFlags::RESOURCE_CLAMP`](crate::MiscFlags::RESOURCE_CLAMP).
        #[doc(alias = "pfnSetResourceMinLOD")]
        command set_resource_min_lod(resource: ResourceHandle, min_lod: f32);

        /// Copies the 4-byte counter of a view to `offset` bytes in a buffer, in the same way as
        /// `resource_copy_region` copies bytes (D3D11: `pfnCopyStructureCount`).
        ///
        /// The view has a counter ([`BufferViewDesc::counter`]), the offset is a multiple of 4, and the bytes are
        /// within the buffer.
        #[doc(alias = "pfnCopyStructureCount")]
        command copy_structure_count(dst: ResourceHandle, offset: u32, view: UnorderedAccessViewHandle);

        /// Writes data, which is read before the entry returns, into a subresource, which is the whole buffer
        /// for a constant buffer (D3D11: `pfnResourceUpdateSubresourceUP`,
        /// `pfnDefaultConstantBufferUpdateSubresourceUP`).
        #[doc(alias = "pfnResourceUpdateSubresourceUP")]
        #[doc(alias = "pfnDefaultConstantBufferUpdateSubresourceUP")]
        command resource_update_subresource<'a>(
            dst: ResourceHandle, subresource: u32, dst_box: Option<Box3d>, data: SubresourceData<'a>
        );

        /// Generates the view's mip levels from its first one, in a format that supports it (D3D11:
        /// `pfnGenMips`, see [`crate::FormatSupport::MIP_AUTOGEN`]).
        #[doc(alias = "pfnGenMips")]
        command generate_mips(view: ShaderResourceViewHandle);

        /// Maps a dynamic resource with `WriteDiscard` or `WriteNoOverwrite`.
        ///
        /// D3D11's entries `pfnDynamicConstantBufferMapDiscard`, `pfnDynamicIABufferMapDiscard`,
        /// `pfnDynamicIABufferMapNoOverwrite` and `pfnDynamicResourceMapDiscard` are cases that the driver
        /// distinguishes by the resource. With `WriteNoOverwrite`, a recording maps only resources that it
        /// has discarded itself.
        ///
        /// The memory covers the whole subresource. After a discard it holds arbitrary bytes, which are never
        /// uninitialised, and without a discard it holds the bytes that were written there before. Until the
        /// unmap, the driver does not have the memory and the context does not use the resource, but other
        /// calls may come, including a flush.
        ///
        /// # Errors
        /// [`RecordError::OutOfMemory`] loses the recording of a deferred context.
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
        /// The following commands see the written bytes. Maps are ended before a list is finished, but when a
        /// recording is lost or the device is removed, the memory is dropped instead of given back.
        #[doc(alias = "pfnDynamicConstantBufferUnmap")]
        special dynamic_unmap(
            resource: ResourceHandle, subresource: u32, memory: MappedMemory, written: Written
        );

        /// Discards a dynamic constant buffer or shader-resource buffer in one call, after which the buffer
        /// holds `data` from `offset` on, and zeros elsewhere.
        ///
        /// This entry, which Direct3D 11 lacks, exists because a map and an unmap are one call too many if
        /// the application's bytes are copied anyway. It replaces the two for buffers of up to
        /// [`crate::PipelineCaps::max_replaced_buffer`] bytes, which may still be mapped, and has the effect
        /// of a map and an unmap with the whole buffer written. The provided method maps, copies and unmaps.
        special dynamic_replace<'a>(resource: ResourceHandle, offset: u32, data: &'a [u8]);

        /// Begins a query that has a beginning (D3D11: `pfnQueryBegin`, see
        /// [`crate::QueryType::has_beginning`]). The calls alternate with `query_end`, because the runtime
        /// ends a query before it begins it again, and begins a query that the application only ends.
        ///
        /// The query covers all commands until it is ended in this context, including the lists that are
        /// executed meanwhile. In a list, it begins each time that the list is executed, and a previous
        /// result becomes invalid. Closing the handle of a begun query or abandoning the recording ends the
        /// query without a result.
        #[doc(alias = "pfnQueryBegin")]
        query query_begin(query: QueryHandle);

        /// Ends a query, in a list each time that the list is executed (D3D11: `pfnQueryEnd`). All queries
        /// begun by a recording are ended before its list is finished.
        #[doc(alias = "pfnQueryEnd")]
        query query_end(query: QueryHandle);

        /// Opens a named group of commands, which may be nested in another (D3D11:
        /// `ID3DUserDefinedAnnotation::BeginEvent`).
        #[doc(alias = "BeginEvent")]
        command begin_event<'a>(name: &'a str);

        /// Closes the innermost group, which always exists, and a list is finished only after all groups are
        /// closed (D3D11: `ID3DUserDefinedAnnotation::EndEvent`).
        #[doc(alias = "EndEvent")]
        command end_event();

        /// Marks a point in the command stream (D3D11: `ID3DUserDefinedAnnotation::SetMarker`).
        #[doc(alias = "SetMarker")]
        command set_marker<'a>(name: &'a str);

        /// Executes a live list of the same device (D3D11: `pfnCommandListExecute`).
        ///
        /// The list starts in the default state instead of the context's state. The runtime has opened every
        /// back buffer and every renamable resource of the list ([`crate::ResourceDesc::is_renamable`]) in
        /// this context. None of the queries that the list begins is begun in this context. Afterwards the
        /// context is in its default state, and the runtime sets the bindings that it needs again. On a
        /// deferred context the nested list is destroyed after the list that is being recorded.
        #[doc(alias = "pfnCommandListExecute")]
        special command_list_execute<'a>(list: &'a DriverList<Live>);
    } };
}

/// Passes the entries of [`ImmediateFuncs`](crate::ImmediateFuncs) to a macro, one row each. The class of a row is
/// `entry`, or `closing` for an entry that gets a [`ClosingEntry`](crate::ClosingEntry).
#[macro_export]
macro_rules! immediate_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Maps a staging resource with `Read`, `Write` or `ReadWrite` (D3D11: `pfnStagingResourceMap`).
        ///
        /// The memory is the whole subresource with its contents, whatever the map type. The entry waits
        /// until the GPU has done everything that the map depends on. If `do_not_wait` is set, it does not
        /// wait, but makes sure that a later call will succeed.
        ///
        /// # Errors
        /// [`MapError::StillDrawing`] occurs only with `do_not_wait`, or where nothing may block.
        #[doc(alias = "pfnStagingResourceMap")]
        entry staging_map(
            resource: ResourceHandle, subresource: u32, map_type: MapType, do_not_wait: bool
        ) -> Result<MappedMemory, MapError>;

        /// Takes back the memory that `staging_map` lent, and otherwise works as
        /// [`ContextFuncs::dynamic_unmap`] (D3D11: `pfnStagingResourceUnmap`).
        #[doc(alias = "pfnStagingResourceUnmap")]
        entry staging_unmap(
            resource: ResourceHandle, subresource: u32, memory: MappedMemory, written: Written
        );

        /// Returns the result of a query without waiting (D3D11: `pfnQueryGetData`).
        ///
        /// The query was ended and is not begun, and the result is of the query's kind and belongs to its
        /// last end. Unless `do_not_flush` is set, the commands that the result depends on are submitted, so
        /// that repeated calls eventually succeed.
        ///
        /// # Errors
        /// [`GetDataError::StillDrawing`] while the result is unknown, because the GPU has not completed the
        /// query.
        #[doc(alias = "pfnQueryGetData")]
        entry query_get_data(query: QueryHandle, do_not_flush: bool) -> Result<QueryData, GetDataError>;

        /// Submits the recorded commands and retires destroyed objects, even if nothing was recorded, and
        /// returns whether something was submitted (D3D11: `pfnFlush`).
        ///
        /// Does not wait for the GPU. When it returns, the memory of all destroyed shared resources is
        /// deallocated, and so is the memory of all other objects that were destroyed before, if the GPU has
        /// finished with them.
        #[doc(alias = "pfnFlush")]
        entry flush(flags: FlushFlags) -> bool;

        /// Forgets everything that the context knows about an object whose destruction is imminent and whose
        /// last handle this is (D3D11: the immediate half of `pfnDestroyResource` and its counterparts).
        ///
        /// Called in amortized processing, around a flush or present, and when the application drops the
        /// context, for dependants before the objects that they depend on. The object is neither bound nor
        /// mapped, but unsubmitted commands may use it. The handle is still open and leaves the storage right
        /// afterwards, and the destroy entry follows, perhaps later and on another thread. If this context
        /// has never used the object, it has no handle to close.
        #[doc(alias = "pfnDestroyResource")]
        closing close(kind: HandleType, key: Key);

        /// Creates the presenting half of a swap chain; its back buffers follow (D3D11: DXGI's
        /// `CreateSwapChain`).
        ///
        /// The format is one that the driver displays and renders to
        /// ([`DISPLAY`](crate::FormatSupport::DISPLAY)), or [`Format::UNKNOWN`](crate::Format::UNKNOWN), for
        /// which the driver chooses the format that the window shows at the least cost.
        ///
        /// # Errors
        /// [`PresentError::SurfaceLost`] if this adapter cannot present to the window.
        #[doc(alias = "CreateSwapChain")]
        entry create_swap_chain<'a>(args: &'a CreateSwapChainArgs) -> Result<CreatedSwapChain, PresentError>;

        /// Destroys the presenting half, whose back buffers may still exist but are never presented again.
        entry destroy_swap_chain(swap_chain: DriverObject);

        /// Creates a back buffer, which is a primary in this context's threading domain (D3D11:
        /// `pfnCreateResource` with a primary description).
        ///
        /// The memory is allocated here, with [`crate::AllocateArgs::primary`], and the private bytes are
        /// zeroed and have the size that [`crate::DeviceFuncs::calc_private_size`] returns for a texture with
        /// this descriptor. The swap chain has fewer back buffers than its
        /// [`buffer_count`](CreateSwapChainArgs::buffer_count), and the existing ones have the same
        /// descriptor.
        ///
        /// # Errors
        /// The errors are those of [`crate::DeviceFuncs::create`].
        #[doc(alias = "pfnCreateResource")]
        entry create_primary<'a>(
            swap_chain: &'a DriverObject, desc: &'a TextureDesc, private: &'a mut [u8]
        ) -> Result<DriverObject, CreateError>;

        /// Destroys a back buffer whose handles are closed, and deallocates its memory before this returns.
        ///
        /// Recorded commands that use the back buffer are submitted first, unless the back buffer is shared,
        /// because it then follows the rules of shared resources instead.
        entry destroy_primary(primary: DriverObject);

        /// Adapts a swap chain to a new window size, for which the runtime creates the new back buffers
        /// itself afterwards (D3D11: `ResizeBuffers`).
        ///
        /// The old back buffers are already destroyed, and the driver announces the size with
        /// [`CoreLayer::set_display_mode`].
        ///
        /// # Errors
        /// [`PresentError::SurfaceLost`] if the window is gone, which leaves the swap chain without back buffers until
        /// the application resizes again.
        #[doc(alias = "ResizeBuffers")]
        entry resize_swap_chain<'a>(
            swap_chain: &'a DriverObject, width: u32, height: u32) -> Result<(
        ), PresentError>;

        /// Sets how many frames may wait for the display, 1 to 16 (DXGI:
        /// `IDXGISwapChain2::SetMaximumFrameLatency`), although a frame that has already begun may wait
        /// according to the previous number.
        ///
        #[doc(alias = "SetMaximumFrameLatency")]
        entry set_maximum_frame_latency<'a>(swap_chain: &'a DriverObject, frames: u32);

        /// Sets the colour space of the back buffers' values from the next frame on, one of
        /// [`CreatedSwapChain::color_spaces`] (DXGI: `IDXGISwapChain3::SetColorSpace1`).
        #[doc(alias = "SetColorSpace1")]
        entry set_color_space<'a>(swap_chain: &'a DriverObject, color_space: ColorSpace);

        /// Tests whether a present would show something, without showing anything or changing the back
        /// buffers (DXGI: `Present` with `DXGI_PRESENT_TEST`).
        ///
        /// # Errors
        /// The errors are those of [`present`](ImmediateFuncs::present).
        #[doc(alias = "Present")]
        #[doc(alias = "DXGI_PRESENT_TEST")]
        entry test_present<'a>(swap_chain: &'a DriverObject) -> Result<PresentStatus, PresentError>;

        /// Submits the recorded commands and shows a back buffer (D3D11: `PresentDXGI`).
        ///
        /// The driver calls [`CoreLayer::present`] after the submission, unless it returns
        /// [`PresentStatus::Occluded`]. The back buffer belongs to the swap chain, whose
        /// [`SwapEffect`](crate::SwapEffect) determines whether the contents are kept. With an effect of the
        /// flip model, none of the swap chain's back buffers is bound. A busy, outdated or hidden window is
        /// not an error. A sync interval of 0 does not wait for the display, while 1 to 4 wait for that many
        /// refreshes, as far as the system supports it.
        ///
        /// # Errors
        /// [`PresentError::SurfaceLost`] if the window is gone, in which case the recorded commands are submitted then
        /// or later.
        #[doc(alias = "PresentDXGI")]
        entry present<'a>(
            swap_chain: &'a DriverObject, back_buffer: ResourceHandle, sync_interval: u32
        ) -> Result<PresentStatus, PresentError>;

        /// Rotates the identities of back buffers: each handle gets the memory of the next one, and the last
        /// handle that of the first (DXGI: `pfnRotateResourceIdentities` of `DXGI_DDI_BASE_FUNCTIONS`).
        ///
        /// All are back buffers of one swap chain, each occurs once, and there are at least two. Handles,
        /// views and bindings stay, and they refer to the new memory from here on, while commands that this
        /// context recorded before refer to the old memory. A list refers to the memory at the moment when
        /// the immediate context executes it, however deeply it is nested.
        #[doc(alias = "pfnRotateResourceIdentities")]
        #[doc(alias = "DXGI_DDI_BASE_FUNCTIONS")]
        entry rotate_resource_identities<'a>(back_buffers: &'a [ResourceHandle]);
    } };
}

macro_rules! context_funcs {
    (
        $(
            $(#[$doc:meta])*
            $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;
        )*
    ) => {
        /// The operations of every context, immediate or deferred.
        ///
        /// **Threads.** The thread that holds the application's context enters, only one at a time, although
        /// it may be a different one for each call. Several contexts and the device table are entered at
        /// once, unless the device is [`Serialized`](crate::ThreadingCaps::Serialized). A context that is
        /// already entered is entered again only to close and destroy within
        /// [`perform_amortized_processing`](CoreLayer::perform_amortized_processing).
        ///
        /// **Before.** Arguments are valid, and slots are within D3D11's limits: per stage 14 constant
        /// buffers, 128 resources and 16 samplers; 8 unordered-access views; 32 vertex buffers, 8 render
        /// targets, 16 viewports and 16 scissor rectangles. Handles have the right kind and are open in the
        /// context, views together with their resources. A resource that is mapped in the context is not used
        /// by draws, copies, updates or executed lists, and no subresource is bound for reading and for
        /// writing at once.
        ///
        /// **Setters** come only when something changes, with `None` to unbind or to set the default state.
        /// In the default state nothing is bound, the topology is undefined, there are no viewports and no
        /// scissor rectangles, and all other bindings have the [`Default`] of their types.
        ///
        /// **Draws** come only with a topology, a vertex shader, a layout that provides its inputs if it has
        /// any, a compatible pixel shader or none, and an index buffer if indices are read. Everything else
        /// may be missing, and counts may be 0. Reads from an unbound slot or out of a buffer's range return
        /// 0, and nothing is drawn without viewports.
        ///
        /// **Dispatches** come only with a compute shader. Everything else may be missing, as for draws, and writes
        /// through an unbound slot or out of a view's range have no effect.
        ///
        /// **Errors.** An entry with a [`ClosingEntry`] reports nothing, while any other entry without a
        /// `Result` reports through [`CoreLayer::set_error`], which documents the consequences. The immediate
        /// context reports only a lost device, and a deferred context also
        /// [`crate::ContextError::OutOfMemory`]. A mistake that the runtime could not catch is
        /// [`crate::ContextError::Application`], and anything else is [`crate::ContextError::Bug`].
        ///
        /// **After.** Borrowed arguments are read before the entry returns. Handles are not kept, because a
        /// handle may be closed and its object destroyed before the commands that use it are submitted, so
        /// recorded commands hold the object's read-only half ([`HandleStorage::object`]).
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
        /// The operations of the immediate context alone. The rules of [`ContextFuncs`] apply, with these
        /// additions:
        ///
        ///
        /// **Table.** The table may be replaced at any time with
        /// [`crate::DeviceCoreLayer::publish_immediate_table`]. After a device is removed, none of its
        /// entries is called, because the runtime replaces the table and only lets calls that are under way
        /// go on.
        ///
        /// **Submitting.** Any entry may submit, in this order: [`CoreLayer::render`], the submission,
        /// [`CoreLayer::perform_amortized_processing`], deallocations, the preamble of the next command buffer.
        ///
        /// **Errors.** Entries with a `Result` return their errors and need not report them to
        /// [`CoreLayer::set_error`] as well. Errors of the kinds `DeviceRemoved` and `Bug` remove the device.
        ///
        /// **After the application's context.** When the context is dropped, the runtime flushes and closes
        /// all handles. Afterwards, from the threads that drop the last owners, only `destroy_primary` and
        /// `destroy_swap_chain` may come, still one at a time and with the context's private data, but with
        /// an empty handle storage and no bindings.
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
    (@closing $(#[$doc:meta])* fn $name:ident ($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        fn $name(&self, cx: ClosingEntry<'_>, $($arg: $type),*);
    };
}
immediate_entries!(immediate_funcs);
