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

mod deferred;
mod immediate;

pub use deferred::DeferredFuncs;
pub(crate) use deferred::deferred_entries;
pub use immediate::ImmediateFuncs;

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

        /// Replaces all buffers that draws write vertices to, by slot (D3D11: `pfnSoSetTargets`, whose offsets are set
        /// by [`so_set_offset`](ContextFuncs::so_set_offset)). Slots beyond the slice become empty.
        ///
        /// Only called with [`Features::STREAM_OUTPUT`]. Every buffer has [`BindFlags::STREAM_OUTPUT`], is in one slot
        /// only, and is not bound elsewhere.
        #[doc(alias = "pfnSoSetTargets")]
        state so_set_targets<'a>(targets: &'a [Option<ResourceHandle>]);

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

        /// Draws one instance of the vertices that stream output has written to the buffer in vertex-buffer slot 0
        /// (D3D11: `pfnDrawAuto`). The number of vertices is the buffer's filled size minus the offset of the binding,
        /// divided by its stride and rounded down, and 0 if this is negative or if the stride is 0.
        ///
        /// Only called with [`Features::STREAM_OUTPUT`], and only if that buffer has
        /// [`BindFlags::STREAM_OUTPUT`] and [`BindFlags::VERTEX_BUFFER`].
        #[doc(alias = "pfnDrawAuto")]
        draw draw_auto();

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

        /// Sets the filled size of a buffer for the commands that follow (D3D11: an offset of `pfnSoSetTargets`). In a
        /// list, this happens at each execution. A preamble does not contain this command.
        ///
        /// The buffer has [`BindFlags::STREAM_OUTPUT`]. The offset is a multiple of 4, and may lie beyond the buffer,
        /// which then receives nothing.
        #[doc(alias = "pfnSoSetTargets")]
        command so_set_offset(target: ResourceHandle, offset: u32);

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

        /// Lends the context an upload page ([`crate::UploadPage`]) with room for a slice of at least
        /// [`crate::PipelineCaps::max_replaced_buffer`] bytes, and takes back the previous page.
        ///
        /// This entry has no counterpart in Direct3D 11. The runtime calls it if the page lacks room for a
        /// discard of a dynamic constant buffer or shader-resource buffer. A driver may take the page back in
        /// any entry. If the page still lacks room after this entry, the runtime maps the buffer instead, so
        /// the default implementation does nothing.
        special renew_upload_page() -> Result<(), RecordError>;

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
        /// inputs, a layout that provides them is bound. Each other bound shader is compatible with the bound
        /// shader before it. A hull and a domain shader are bound together, with a patch list. An indexed draw
        /// also has an index buffer. All other bindings may be missing, and counts may be 0. Reads from an
        /// unbound slot or outside a buffer's range return 0, and nothing is drawn without viewports.
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
    (@entry $(#[$doc:meta])* fn renew_upload_page() -> $answer:ty) => {
        $(#[$doc])*
        fn renew_upload_page(&self, _cx: Entry<'_>) -> $answer {
            Ok(())
        }
    };
    (@entry $(#[$doc:meta])* fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)?;
    };
}
context_entries!(context_funcs);
