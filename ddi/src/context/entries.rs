//! The entries of the context tables, one row each.
//!
//! [`context_entries!`](crate::context_entries) hands the rows to a macro. From them come the trait
//! [`ContextFuncs`], the verifier's table, the runtime's table of a removed device, its software command
//! lists, and every wrapper that passes calls on. So a new entry is one row here, its validation in the
//! runtime, and its implementation in each driver; what was forgotten does not compile.
//!
//! A row is `class name(arguments) -> answer;`. An entry that borrows names the lifetime `'a`. The class says
//! how the entry is treated where all of a class are treated alike:
//!
//! | class | what it is |
//! | --- | --- |
//! | `state` | binds something; a state callback shows what it has bound |
//! | `draw` | uses all that is bound for drawing |
//! | `dispatch` | uses all that is bound for computing |
//! | `indirect` | as one of the two, with arguments from a buffer |
//! | `command` | uses the handles among its arguments |
//! | `query` | begins or ends a query |
//! | `special` | has a treatment of its own everywhere |
//!
//! A macro that takes the rows has a rule for each class that it tells apart, and none for all others: so a
//! new class does not compile either. The types of the arguments stand there without their path: what takes
//! the rows has `use onze_ddi::*`.

use crate::*;

/// Hands the entries of [`ContextFuncs`](crate::ContextFuncs) to a macro, one row each; see
/// [the module](crate::context::entries).
#[macro_export]
macro_rules! context_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// D3D11: `pfnIaSetInputLayout`.
        #[doc(alias = "pfnIaSetInputLayout")]
        state ia_set_input_layout(layout: Option<ElementLayoutHandle>);

        /// D3D11: `pfnIaSetVertexBuffers`. Slots `start..start + buffers.len()`; the others stay.
        #[doc(alias = "pfnIaSetVertexBuffers")]
        state ia_set_vertex_buffers<'a>(start: u32, buffers: &'a [VertexBufferBinding]);

        /// D3D11: `pfnIaSetIndexBuffer`.
        #[doc(alias = "pfnIaSetIndexBuffer")]
        state ia_set_index_buffer(buffer: IndexBufferBinding);

        /// D3D11: `pfnIaSetTopology`.
        #[doc(alias = "pfnIaSetTopology")]
        state ia_set_primitive_topology(topology: PrimitiveTopology);

        /// D3D11: `pfnVsSetShader` and its kin.
        #[doc(alias = "pfnVsSetShader")]
        state set_shader(stage: ShaderStage, shader: Option<ShaderHandle>);

        /// D3D11: `pfnVsSetConstantBuffers` and its kin. Slots `start..start + buffers.len()`; the others
        /// stay.
        #[doc(alias = "pfnVsSetConstantBuffers")]
        state set_constant_buffers<'a>(stage: ShaderStage, start: u32, buffers: &'a [ConstantBufferBinding]);

        /// D3D11: `pfnVsSetShaderResources` and its kin. Slots `start..start + views.len()`; the others stay.
        #[doc(alias = "pfnVsSetShaderResources")]
        state set_shader_resources<'a>(
            stage: ShaderStage, start: u32, views: &'a [Option<ShaderResourceViewHandle>]
        );

        /// D3D11: `pfnVsSetSamplers` and its kin. Slots `start..start + samplers.len()`; the others stay.
        #[doc(alias = "pfnVsSetSamplers")]
        state set_samplers<'a>(stage: ShaderStage, start: u32, samplers: &'a [Option<SamplerHandle>]);

        /// D3D11: `pfnCsSetUnorderedAccessViews`, and the unordered-access views of `pfnSetRenderTargets`, which are
        /// those of the pixel stage. Slots `start..start + views.len()`; the others stay. The stage is one of these
        /// two. The views' counters stay as they are.
        #[doc(alias = "pfnCsSetUnorderedAccessViews")]
        state set_unordered_access_views<'a>(
            stage: ShaderStage, start: u32, views: &'a [Option<UnorderedAccessViewHandle>]
        );

        /// D3D11: `pfnSetRasterizerState`.
        #[doc(alias = "pfnSetRasterizerState")]
        state rs_set_state(state: Option<RasterizerStateHandle>);

        /// D3D11: `pfnSetViewports`. Replaces all viewports.
        #[doc(alias = "pfnSetViewports")]
        state rs_set_viewports<'a>(viewports: &'a [Viewport]);

        /// D3D11: `pfnSetScissorRects`. Replaces all rectangles.
        #[doc(alias = "pfnSetScissorRects")]
        state rs_set_scissor_rects<'a>(rects: &'a [Rect]);

        /// D3D11: `pfnSetBlendState`.
        #[doc(alias = "pfnSetBlendState")]
        state om_set_blend_state(blend: BlendBinding);

        /// D3D11: `pfnSetDepthStencilState`.
        #[doc(alias = "pfnSetDepthStencilState")]
        state om_set_depth_stencil_state(state: DepthStencilBinding);

        /// D3D11: `pfnSetRenderTargets`, without its unordered-access views. Replaces all targets.
        #[doc(alias = "pfnSetRenderTargets")]
        state om_set_render_targets<'a>(targets: TargetsBinding<'a>);

        /// D3D11: `pfnSetPredication`. Until it is set anew, draws, dispatches, clears, copies, updates, resolves and the
        /// making of mips are skipped if the answer of the predicate is the value. All else goes on: state, maps, counters
        /// that are set, queries, and lists that are executed, which start without a predicate.
        ///
        /// Only with [`Features::PREDICATION`], and only with a query that is a predicate
        /// ([`crate::QueryType::is_predicate`]) and that is not begun here; it is neither begun nor ended in this context
        /// while it is set. In a list the answer is that of each execution. A query that was never ended has seen
        /// nothing. The answer of a hint ([`crate::QueryMiscFlags::PREDICATEHINT`]) may be taken for the other one while
        /// it is not known: then commands are executed.
        #[doc(alias = "pfnSetPredication")]
        state set_predication(predication: PredicationBinding);

        /// D3D11: `pfnDraw`.
        #[doc(alias = "pfnDraw")]
        draw draw(vertex_count: u32, start_vertex: u32);

        /// D3D11: `pfnDrawIndexed`.
        #[doc(alias = "pfnDrawIndexed")]
        draw draw_indexed(index_count: u32, start_index: u32, base_vertex: i32);

        /// D3D11: `pfnDrawInstanced`.
        #[doc(alias = "pfnDrawInstanced")]
        draw draw_instanced(vertex_count: u32, instance_count: u32, start_vertex: u32, start_instance: u32);

        /// D3D11: `pfnDrawIndexedInstanced`.
        #[doc(alias = "pfnDrawIndexedInstanced")]
        draw draw_indexed_instanced(
            index_count: u32, instance_count: u32, start_index: u32, base_vertex: i32, start_instance: u32
        );

        /// Makes ready what a draw needs with all that is bound now, and draws nothing: what holds before a draw
        /// holds here. For drivers that compile pipelines. It need not be done when the flush returns that
        /// carries it; a draw waits for what it needs. Nothing of D3D11's. The provided one does nothing.
        draw prepare_draw();

        /// D3D11: `pfnDispatch`. Runs the compute shader in `x` times `y` times `z` groups; each number is at
        /// most 65,535 and may be 0.
        #[doc(alias = "pfnDispatch")]
        dispatch dispatch(x: u32, y: u32, z: u32);

        /// D3D11: `pfnDrawInstancedIndirect`. As `draw_instanced`, with the arguments
        /// ([`DrawInstancedIndirectArgs`]) that the buffer has when the GPU comes to the draw, at `offset` bytes.
        ///
        /// The buffer has [`MiscFlags::DRAWINDIRECT_ARGS`]; the offset is a multiple of 4, and the arguments lie
        /// within the buffer. Only with [`Features::INDIRECT_DRAWS`].
        #[doc(alias = "pfnDrawInstancedIndirect")]
        indirect draw_instanced_indirect(arguments: ResourceHandle, offset: u32);

        /// D3D11: `pfnDrawIndexedInstancedIndirect`. The same for `draw_indexed_instanced` and
        /// [`DrawIndexedInstancedIndirectArgs`].
        #[doc(alias = "pfnDrawIndexedInstancedIndirect")]
        indirect draw_indexed_instanced_indirect(arguments: ResourceHandle, offset: u32);

        /// D3D11: `pfnDispatchIndirect`. The same for `dispatch` and [`DispatchIndirectArgs`]. With more than 65,535
        /// groups in a dimension nothing runs.
        #[doc(alias = "pfnDispatchIndirect")]
        indirect dispatch_indirect(arguments: ResourceHandle, offset: u32);

        /// D3D11: `pfnClearRenderTargetView`. Viewport and scissor do not matter; all slices are cleared.
        #[doc(alias = "pfnClearRenderTargetView")]
        command clear_render_target_view(view: RenderTargetViewHandle, color: [f32; 4]);

        /// D3D11: `pfnClearDepthStencilView`. At least one flag; the depth is within 0 and 1. Viewport and
        /// scissor do not matter.
        #[doc(alias = "pfnClearDepthStencilView")]
        command clear_depth_stencil_view(
            view: DepthStencilViewHandle, flags: ClearFlags, depth: f32, stencil: u8
        );

        /// D3D11: `pfnClearUnorderedAccessViewUint`. Texels, and elements of a typed view of a buffer: their components
        /// become the lowest bits of the values. Other views of buffers: each word becomes `values[0]`.
        #[doc(alias = "pfnClearUnorderedAccessViewUint")]
        command clear_unordered_access_view_uint(view: UnorderedAccessViewHandle, values: [u32; 4]);

        /// D3D11: `pfnResourceCopy`. Same kind, size, mips, slices; compatible formats; not the same resource.
        #[doc(alias = "pfnResourceCopy")]
        command resource_copy(dst: ResourceHandle, src: ResourceHandle);

        /// D3D11: `pfnResourceCopyRegion`. The source box is never empty and lies inside; so does what is
        /// written. `None` is the whole subresource.
        ///
        /// Applications copy whole subresources of depth and of multisampled textures. Parts of them come of clears of
        /// rectangles: both textures have one format and one number of samples then, and are targets.
        #[doc(alias = "pfnResourceCopyRegion")]
        command resource_copy_region(
            dst: ResourceHandle, dst_subresource: u32, dst_at: [u32; 3], src: ResourceHandle,
            src_subresource: u32, src_box: Option<Box3d>
        );

        /// D3D11: `pfnResourceResolveSubresource`. Averages the samples of each texel, as numbers of `format`; of an
        /// sRGB format as light.
        ///
        /// The source has several samples and the destination one; both subresources are of one size. The format is
        /// typed, can be resolved ([`FormatSupport::MULTISAMPLE_RESOLVE`]), and is that of both resources, or a member
        /// of the family of one that is typeless.
        #[doc(alias = "pfnResourceResolveSubresource")]
        command resource_resolve_subresource(
            dst: ResourceHandle, dst_subresource: u32, src: ResourceHandle, src_subresource: u32, format: Format
        );

        /// Sets the counter of a view, for what follows; in a list each time that the list is executed.
        /// D3D11: an initial count of `pfnCsSetUnorderedAccessViews` or `pfnSetRenderTargets`.
        ///
        /// The view has a counter ([`BufferViewDesc::counter`]).
        #[doc(alias = "pUAVInitialCounts")]
        #[doc(alias = "pfnCsSetUnorderedAccessViews")]
        #[doc(alias = "pfnSetRenderTargets")]
        command set_structure_count(view: UnorderedAccessViewHandle, count: u32);

        /// D3D11: `pfnSetResourceMinLOD`. The least mip level that shaders see of a texture through shader-resource views,
        /// for what follows; in a list also for what follows the list, each time that it is executed. It counts from the
        /// texture's first level, is 0 at first, and never negative.
        ///
        /// The texture has [`MiscFlags::RESOURCE_CLAMP`](crate::MiscFlags::RESOURCE_CLAMP).
        #[doc(alias = "pfnSetResourceMinLOD")]
        command set_resource_min_lod(resource: ResourceHandle, min_lod: f32);

        /// D3D11: `pfnCopyStructureCount`. Copies the counter of a view, 4 bytes, to `offset` bytes of a buffer, as
        /// `resource_copy_region` copies bytes.
        ///
        /// The view has a counter ([`BufferViewDesc::counter`]); the offset is a multiple of 4, and the bytes lie
        /// within the buffer.
        #[doc(alias = "pfnCopyStructureCount")]
        command copy_structure_count(dst: ResourceHandle, offset: u32, view: UnorderedAccessViewHandle);

        /// D3D11: `pfnResourceUpdateSubresourceUP`, `pfnDefaultConstantBufferUpdateSubresourceUP`. The data
        /// is read before the entry returns. Constant buffers are always updated whole.
        #[doc(alias = "pfnResourceUpdateSubresourceUP")]
        #[doc(alias = "pfnDefaultConstantBufferUpdateSubresourceUP")]
        command resource_update_subresource<'a>(
            dst: ResourceHandle, subresource: u32, dst_box: Option<Box3d>, data: SubresourceData<'a>
        );

        /// D3D11: `pfnGenMips`. Fills the view's levels from its first one; the format can do it
        /// ([`crate::FormatSupport::MIP_AUTOGEN`]).
        #[doc(alias = "pfnGenMips")]
        command generate_mips(view: ShaderResourceViewHandle);

        /// Maps a dynamic resource with `WriteDiscard` or `WriteNoOverwrite`.
        ///
        /// D3D11: `pfnDynamicConstantBufferMapDiscard`, `pfnDynamicIABufferMapDiscard`,
        /// `pfnDynamicIABufferMapNoOverwrite`, `pfnDynamicResourceMapDiscard`; the driver tells them apart
        /// by the resource. Without overwriting a recording maps only what it has discarded itself.
        ///
        /// The memory is the whole subresource. That of a discard holds arbitrary bytes, never uninitialised
        /// ones; the other one holds what was written there before. Until the unmap the driver does not have
        /// the memory and the context does not use the resource; other calls may come, a flush too.
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

        /// D3D11: `pfnDynamicConstantBufferUnmap` and its kin. Takes back what `dynamic_map` lent.
        ///
        /// Commands that follow see what was written. Maps are ended before a list is finished. The memory of
        /// a recording that is lost, or of the immediate context when the device is removed, is dropped
        /// instead of given back.
        #[doc(alias = "pfnDynamicConstantBufferUnmap")]
        special dynamic_unmap(
            resource: ResourceHandle, subresource: u32, memory: MappedMemory, written: Written
        );

        /// A discard in one call: a dynamic buffer of constants, or for shader-resource views, then has `data` from `offset` on, and zeros elsewhere.
        ///
        /// No D3D11 counterpart: where the application's bytes are copied in any case, a map and an unmap are one
        /// call too many. It comes instead of those two for buffers of up to
        /// [`crate::PipelineCaps::max_replaced_buffer`] bytes, which may be mapped all the same, and does what they
        /// do, with the whole buffer written. The provided one maps, copies and unmaps.
        special dynamic_replace<'a>(resource: ResourceHandle, offset: u32, data: &'a [u8]);

        /// D3D11: `pfnQueryBegin`. Only for queries that have a beginning ([`crate::QueryType::has_beginning`]),
        /// and in turn with `query_end`: the runtime ends a query before it begins it again, and begins one that
        /// the application only ends.
        ///
        /// What follows counts until the query is ended in this context, also what lists do that are executed
        /// meanwhile. In a list: each time that the list is executed; an answer that the query had before is
        /// void. Closing the handle of a begun query ends it for nothing, and so does abandoning the recording.
        #[doc(alias = "pfnQueryBegin")]
        query query_begin(query: QueryHandle);

        /// D3D11: `pfnQueryEnd`. In a list: each time that the list is executed. All queries that a recording has
        /// begun are ended before its list is finished.
        #[doc(alias = "pfnQueryEnd")]
        query query_end(query: QueryHandle);

        /// Opens a named group of commands, perhaps within another one.
        /// D3D11: `ID3DUserDefinedAnnotation::BeginEvent`.
        #[doc(alias = "BeginEvent")]
        command begin_event<'a>(name: &'a str);

        /// Closes the innermost group, of which there is one. All are closed before a list is finished.
        /// D3D11: `ID3DUserDefinedAnnotation::EndEvent`.
        #[doc(alias = "EndEvent")]
        command end_event();

        /// Marks a point. D3D11: `ID3DUserDefinedAnnotation::SetMarker`.
        #[doc(alias = "SetMarker")]
        command set_marker<'a>(name: &'a str);

        /// Executes a list that the same device's driver made and that is not destroyed.
        /// D3D11: `pfnCommandListExecute`.
        ///
        /// The list starts in the default state, not in the context's. The runtime has opened every renamable
        /// resource of the list ([`crate::ResourceDesc::is_renamable`]) and every back buffer in this context, and
        /// none of the queries that the list begins is begun here. Afterwards the context is in its default state; what the runtime
        /// wants bound it sets again. On a deferred context the list is nested: it is destroyed after the list
        /// that is being recorded.
        #[doc(alias = "pfnCommandListExecute")]
        special command_list_execute<'a>(list: &'a DriverList<Live>);
    } };
}

/// Hands the entries of [`ImmediateFuncs`](crate::ImmediateFuncs) to a macro, one row each. The class of a row
/// is `entry`, or `closing` for one that gets a [`ClosingEntry`](crate::ClosingEntry).
#[macro_export]
macro_rules! immediate_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Maps a staging resource with `Read`, `Write` or `ReadWrite`. D3D11: `pfnStagingResourceMap`.
        ///
        /// The memory is the whole subresource with its contents, whichever the map type. Waits until the GPU
        /// has done what the map depends on, unless `do_not_wait`; then it makes sure that a later call will
        /// succeed.
        ///
        /// # Errors
        /// [`MapError::StillDrawing`] only with `do_not_wait`, or where nothing may block.
        #[doc(alias = "pfnStagingResourceMap")]
        entry staging_map(
            resource: ResourceHandle, subresource: u32, map_type: MapType, do_not_wait: bool
        ) -> Result<MappedMemory, MapError>;

        /// D3D11: `pfnStagingResourceUnmap`. Takes back what `staging_map` lent; as
        /// [`ContextFuncs::dynamic_unmap`].
        #[doc(alias = "pfnStagingResourceUnmap")]
        entry staging_unmap(
            resource: ResourceHandle, subresource: u32, memory: MappedMemory, written: Written
        );

        /// Asks for a query's answer without waiting. D3D11: `pfnQueryGetData`.
        ///
        /// The query was ended and is not begun. The answer is of the query's kind, and about its last end.
        /// Unless `do_not_flush`, what it waits for is submitted, so that asking again and again comes to an end.
        ///
        /// # Errors
        /// [`GetDataError::StillDrawing`] while the answer is not known.
        #[doc(alias = "pfnQueryGetData")]
        entry query_get_data(query: QueryHandle, do_not_flush: bool) -> Result<QueryData, GetDataError>;

        /// Submits what was recorded and retires what was destroyed, also when nothing was recorded.
        /// D3D11: `pfnFlush`. True if something was submitted.
        ///
        /// Does not wait for the GPU. When it returns, the memory of all destroyed shared resources is
        /// deallocated, and of all else that was destroyed before and that the GPU has done with.
        #[doc(alias = "pfnFlush")]
        entry flush(flags: FlushFlags) -> bool;

        /// Forgets what the context knows of an object that is about to be destroyed, the last of its
        /// handles. D3D11: the immediate half of `pfnDestroyResource` and its kin.
        ///
        /// Called in amortized processing, beside a flush or present, and when the application drops the
        /// context; dependants first. The object is not bound or mapped; commands that are not submitted may
        /// use it. The handle is still open, and leaves the storage right after. The destroy entry follows,
        /// perhaps later and on another thread. An object that this context has never used has no handle here
        /// to close.
        #[doc(alias = "pfnDestroyResource")]
        closing close(kind: HandleType, key: Key);

        /// Makes the presenting half of a swap chain; its back buffers come next.
        /// D3D11: DXGI's `CreateSwapChain`.
        ///
        /// The format is one that the driver shows and renders to
        /// ([`DISPLAY`](crate::FormatSupport::DISPLAY)), or [`Format::UNKNOWN`](crate::Format::UNKNOWN): then the
        /// driver chooses the one that the window shows at the least cost.
        ///
        /// # Errors
        /// [`PresentError::SurfaceLost`]: the window cannot be presented to by this adapter.
        #[doc(alias = "CreateSwapChain")]
        entry create_swap_chain<'a>(args: &'a CreateSwapChainArgs) -> Result<CreatedSwapChain, PresentError>;

        /// Destroys the presenting half. Its back buffers may still live; they are presented no more.
        entry destroy_swap_chain(swap_chain: DriverObject);

        /// Creates a back buffer: a primary, in this context's threading domain.
        /// D3D11: `pfnCreateResource` with a primary description.
        ///
        /// Its memory is allocated here, with [`crate::AllocateArgs::primary`]. The private bytes are zeroed,
        /// and as many as [`crate::DeviceFuncs::calc_private_size`] asks for a texture of the description. Of the
        /// swap chain fewer back buffers exist than its
        /// [`buffer_count`](CreateSwapChainArgs::buffer_count); those that do have the same description.
        ///
        /// # Errors
        /// As [`crate::DeviceFuncs::create`].
        #[doc(alias = "pfnCreateResource")]
        entry create_primary<'a>(
            swap_chain: &'a DriverObject, desc: &'a TextureDesc, private: &'a mut [u8]
        ) -> Result<DriverObject, CreateError>;

        /// Destroys a back buffer, whose handles are closed; its memory is deallocated before this returns.
        ///
        /// Commands that are recorded may use it: they are submitted first. A shared one follows the rules of
        /// shared resources instead.
        entry destroy_primary(primary: DriverObject);

        /// Adapts a swap chain to a new size of its window; the runtime makes new back buffers itself.
        /// D3D11: `ResizeBuffers`.
        ///
        /// The old back buffers are destroyed. The driver announces the size with
        /// [`CoreLayer::set_display_mode`].
        ///
        /// # Errors
        /// [`PresentError::SurfaceLost`]: the window is gone. The swap chain has no back buffer then; the
        /// application may resize again.
        #[doc(alias = "ResizeBuffers")]
        entry resize_swap_chain<'a>(
            swap_chain: &'a DriverObject, width: u32, height: u32) -> Result<(
        ), PresentError>;

        /// How many frames may wait for the display from now on, 1 to 16.
        /// DXGI: `IDXGISwapChain2::SetMaximumFrameLatency`.
        ///
        /// A frame that has begun may wait as before.
        #[doc(alias = "SetMaximumFrameLatency")]
        entry set_maximum_frame_latency<'a>(swap_chain: &'a DriverObject, frames: u32);

        /// What the numbers of the back buffers mean from the next frame on: one of
        /// [`CreatedSwapChain::color_spaces`]. DXGI: `IDXGISwapChain3::SetColorSpace1`.
        #[doc(alias = "SetColorSpace1")]
        entry set_color_space<'a>(swap_chain: &'a DriverObject, color_space: ColorSpace);

        /// Whether a present would show something now; nothing is shown, and the back buffers stay as they are.
        /// DXGI: `Present` with `DXGI_PRESENT_TEST`.
        ///
        /// # Errors
        /// As [`present`](ImmediateFuncs::present).
        #[doc(alias = "Present")]
        #[doc(alias = "DXGI_PRESENT_TEST")]
        entry test_present<'a>(swap_chain: &'a DriverObject) -> Result<PresentStatus, PresentError>;

        /// Submits what was recorded and shows a back buffer. D3D11: `PresentDXGI`.
        ///
        /// The driver calls [`CoreLayer::present`] after the submission, unless it answers
        /// [`PresentStatus::Occluded`]. The back buffer is the swap chain's; whether it keeps its contents says the
        /// [`SwapEffect`](crate::SwapEffect). Where that is of the flip model, nothing of the swap chain's back buffers
        /// is bound. A window that is busy, outdated or hidden is no error. A sync interval of 0 does not wait for the
        /// display; 1 to 4 wait for that many refreshes, as far as the system can.
        ///
        /// # Errors
        /// [`PresentError::SurfaceLost`]: the window is gone. What was recorded is submitted then or later.
        #[doc(alias = "PresentDXGI")]
        entry present<'a>(
            swap_chain: &'a DriverObject, back_buffer: ResourceHandle, sync_interval: u32
        ) -> Result<PresentStatus, PresentError>;

        /// Rotates the identities of back buffers: each gets the memory of the next one, and the last one that
        /// of the first. DXGI: `pfnRotateResourceIdentities` of `DXGI_DDI_BASE_FUNCTIONS`.
        ///
        /// All are back buffers of one swap chain, each once, and at least two. Handles stay and views follow;
        /// what is bound stays bound. All of it means the new memory from here on. Commands that were recorded
        /// in this context before mean the old memory. A list means the memory of the moment when the immediate
        /// context executes it, however deep it is nested.
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
        /// What a context can do, whichever its kind is.
        ///
        /// **Threads.** The thread that holds the application's context enters; one at a time, but another one
        /// from call to call. Several contexts are entered at once, and so is the device table, unless the
        /// device is [`Serialized`](crate::ThreadingCaps::Serialized). Nothing enters a context that is entered,
        /// except to close and destroy within
        /// [`perform_amortized_processing`](CoreLayer::perform_amortized_processing).
        ///
        /// **Before.** Arguments are valid, slots within D3D11's limits (by stage 14 constant buffers,
        /// 128 resources and 16 samplers; 8 unordered-access views; 32 vertex buffers, 8 render targets, 16 viewports and scissor
        /// rectangles), handles of the right kind and open in the context, views with their resources. What is
        /// mapped in the context is not drawn with, copied, updated or part of a list that is executed. No
        /// subresource is bound for reading and for writing at once.
        ///
        /// **Setters** come only when something changes. `None` unbinds, or sets the default state. In the
        /// default state nothing is bound, the topology is undefined, there are no viewports and no scissor
        /// rectangles, and the rest is what the binding types have as [`Default`].
        ///
        /// **Draws** come only with a topology, a vertex shader, a layout that feeds it if it has inputs, a pixel
        /// shader that fits it or none, and an index buffer where indices are read. All else may be missing:
        /// what is read of an unbound slot, and beyond the end of a buffer, is 0; without viewports nothing is
        /// drawn. Counts may be 0.
        ///
        /// **Dispatches** come only with a compute shader. All else may be missing, as for draws: a write through an
        /// unbound slot, or beyond the end of a view, has no effect.
        ///
        /// **Errors.** An entry with a [`ClosingEntry`] has nothing to report. Any other one without a `Result` reports
        /// through [`CoreLayer::set_error`], which says what comes of it: on the immediate context only a lost device, on a deferred one also
        /// [`crate::ContextError::OutOfMemory`]. A mistake that the runtime could not catch is
        /// [`crate::ContextError::Application`], anything else [`crate::ContextError::Bug`].
        ///
        /// **After.** Borrowed arguments are read before the entry returns. Handles are not kept: one may be
        /// closed, and its object destroyed, before the commands that use it are submitted. So what is recorded
        /// holds the object's read-only half ([`HandleStorage::object`]).
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
        /// What only the immediate context can do.
        ///
        /// As [`ContextFuncs`], and besides:
        ///
        /// **Table.** It may be replaced at any time with
        /// [`crate::DeviceCoreLayer::publish_immediate_table`]. Of a removed device nothing of it is called, as
        /// the runtime replaces it; only calls that are under way go on.
        ///
        /// **Submitting.** Any entry may submit, in this order: [`CoreLayer::render`], the submission,
        /// [`CoreLayer::perform_amortized_processing`], deallocations, the preamble of the next command buffer.
        ///
        /// **Errors.** Entries with a `Result` return theirs, and need not report it to [`CoreLayer::set_error`]
        /// as well. `DeviceRemoved` and `Bug` remove the device.
        ///
        /// **After the application's context.** When that is dropped, the runtime flushes and closes all handles.
        /// Then only `destroy_primary` and `destroy_swap_chain` may come, from the threads that drop the last
        /// owners, still one at a time and with the context's private data, but with an empty handle storage and
        /// nothing bound.
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
