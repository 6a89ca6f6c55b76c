//! The context tables: everything that is called on one context, by one thread at a time.
//!
//! [`ContextFuncs`] has what every context can do. [`ImmediateFuncs`] and [`DeferredFuncs`] add what
//! only one of the two kinds can: so a deferred context cannot be asked to read back or to flush.
//!
//! Every entry gets an [`Entry`]: the context's state. The tables themselves are `&self` and hold
//! nothing of a context's, so that the immediate one may be replaced between two calls.

use std::any::Any;

use crate::{
    GetDataError, MapError, PresentError, QueryData, RecordError, ShaderStage,
    binding::{
        BlendBinding, ConstantBufferBinding, DepthStencilBinding, IndexBufferBinding, PrimitiveTopology,
        Rect, TargetsBinding, VertexBufferBinding, Viewport,
    },
    callbacks::{CoreLayer, StateRefresh},
    device::{DriverObject, ObjectRef},
    handle::{
        DepthStencilViewHandle, ElementLayoutHandle, HandleType, Key, QueryHandle, RasterizerStateHandle,
        RenderTargetViewHandle, ResourceHandle, SamplerHandle, ShaderHandle, ShaderResourceViewHandle,
    },
    map::{MapType, MappedMemory, Written},
    recycle::{Cached, Dead, DriverList, Live},
    resource::{Box3d, SubresourceData, Texture2dDesc},
    storage::HandleStorage,
    swap_chain::{CreateSwapChainArgs, PresentStatus},
};

/// What the runtime hands to every entry of a context. The parts are borrowed apart, so that a driver
/// can hold its own state and a handle's data while it calls back.
pub struct Entry<'a> {
    /// The driver's private data of the context, as it returned it at creation.
    pub private: &'a mut (dyn Any + Send),
    /// The context's handles.
    pub handles: &'a mut HandleStorage,
    /// The runtime's callbacks.
    pub core: &'a mut dyn CoreLayer,
}

impl std::fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("handles", &self.handles).finish_non_exhaustive()
    }
}

impl Entry<'_> {
    /// The same entry for a shorter time: to pass it on to another entry.
    pub fn reborrow(&mut self) -> Entry<'_> {
        Entry { private: &mut *self.private, handles: &mut *self.handles, core: &mut *self.core }
    }
}

/// What the runtime hands to an entry that only lets go, or takes back: it has nothing to report. A device
/// that is found lost there is told to [`crate::DeviceCoreLayer::device_removed`].
pub struct ClosingEntry<'a> {
    /// As [`Entry::private`].
    pub private: &'a mut (dyn Any + Send),
    /// As [`Entry::handles`].
    pub handles: &'a mut HandleStorage,
    /// What is bound.
    pub state: &'a dyn StateRefresh,
}

impl std::fmt::Debug for ClosingEntry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClosingEntry").field("handles", &self.handles).finish_non_exhaustive()
    }
}

bitflags::bitflags! {
    /// What `clear_depth_stencil_view` clears. D3D11: `D3D11_CLEAR_FLAG`, with its values.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct ClearFlags: u32 {
        /// Depth.
        const DEPTH = 1;
        /// Stencil.
        const STENCIL = 2;
    }

    /// How to flush. D3D11: `D3D11_1_DDI_FLUSH_FLAGS`.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct FlushFlags: u32 {
        /// Submit only if there are commands. Destroyed objects are retired all the same.
        const UNLESS_NO_COMMANDS = 1;
        /// Give back memory that nothing uses.
        const TRIM_MEMORY = 2;
    }
}

/// What a context can do, whichever its kind is.
///
/// **Threads.** The thread that holds the application's context enters; one at a time, but another one
/// from call to call. Several contexts are entered at once, and so is the device table, unless the
/// device is [`Serialized`](crate::ThreadingCaps::Serialized). Nothing enters a context that is entered,
/// except to close and destroy within
/// [`perform_amortized_processing`](CoreLayer::perform_amortized_processing).
///
/// **Before.** Arguments are valid, slots within D3D11's limits (by stage 14 constant buffers,
/// 128 resources and 16 samplers; 32 vertex buffers, 8 render targets, 16 viewports and scissor
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
/// **Errors.** An entry with a [`ClosingEntry`] has nothing to report. Any other one without a `Result` reports through [`CoreLayer::set_error`], which says what comes
/// of it: on the immediate context only a lost device, on a deferred one also
/// [`crate::ContextError::OutOfMemory`]. A mistake that the runtime could not catch is
/// [`crate::ContextError::Application`], anything else [`crate::ContextError::Bug`].
///
/// **After.** Borrowed arguments are read before the entry returns. Handles are not kept: one may be
/// closed, and its object destroyed, before the commands that use it are submitted. So what is recorded
/// holds the object's read-only half ([`HandleStorage::object`]).
pub trait ContextFuncs: Send + Sync {
    /// D3D11: `pfnIaSetInputLayout`.
    fn ia_set_input_layout(&self, cx: Entry<'_>, layout: Option<ElementLayoutHandle>);
    /// D3D11: `pfnIaSetVertexBuffers`. Slots `start..start + buffers.len()`; the others stay.
    fn ia_set_vertex_buffers(&self, cx: Entry<'_>, start: u32, buffers: &[VertexBufferBinding]);
    /// D3D11: `pfnIaSetIndexBuffer`.
    fn ia_set_index_buffer(&self, cx: Entry<'_>, buffer: IndexBufferBinding);
    /// D3D11: `pfnIaSetTopology`.
    fn ia_set_primitive_topology(&self, cx: Entry<'_>, topology: PrimitiveTopology);

    /// D3D11: `pfnVsSetShader`, `pfnPsSetShader`.
    fn set_shader(&self, cx: Entry<'_>, stage: ShaderStage, shader: Option<ShaderHandle>);
    /// D3D11: `pfnVsSetConstantBuffers` and its kin. Slots `start..start + buffers.len()`; the others
    /// stay.
    fn set_constant_buffers(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    );
    /// D3D11: `pfnVsSetShaderResources` and its kin. Slots `start..start + views.len()`; the others stay.
    fn set_shader_resources(
        &self,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    );
    /// D3D11: `pfnVsSetSamplers` and its kin. Slots `start..start + samplers.len()`; the others stay.
    fn set_samplers(&self, cx: Entry<'_>, stage: ShaderStage, start: u32, samplers: &[Option<SamplerHandle>]);

    /// D3D11: `pfnSetRasterizerState`.
    fn rs_set_state(&self, cx: Entry<'_>, state: Option<RasterizerStateHandle>);
    /// D3D11: `pfnSetViewports`. Replaces all viewports.
    fn rs_set_viewports(&self, cx: Entry<'_>, viewports: &[Viewport]);
    /// D3D11: `pfnSetScissorRects`. Replaces all rectangles.
    fn rs_set_scissor_rects(&self, cx: Entry<'_>, rects: &[Rect]);

    /// D3D11: `pfnSetBlendState`.
    fn om_set_blend_state(&self, cx: Entry<'_>, blend: BlendBinding);
    /// D3D11: `pfnSetDepthStencilState`.
    fn om_set_depth_stencil_state(&self, cx: Entry<'_>, state: DepthStencilBinding);
    /// D3D11: `pfnSetRenderTargets`. Replaces all targets.
    fn om_set_render_targets(&self, cx: Entry<'_>, targets: TargetsBinding<'_>);

    /// D3D11: `pfnDraw`.
    fn draw(&self, cx: Entry<'_>, vertex_count: u32, start_vertex: u32);
    /// D3D11: `pfnDrawIndexed`.
    fn draw_indexed(&self, cx: Entry<'_>, index_count: u32, start_index: u32, base_vertex: i32);
    /// D3D11: `pfnDrawInstanced`.
    fn draw_instanced(
        &self,
        cx: Entry<'_>,
        vertex_count: u32,
        instance_count: u32,
        start_vertex: u32,
        start_instance: u32,
    );
    /// D3D11: `pfnDrawIndexedInstanced`.
    fn draw_indexed_instanced(
        &self,
        cx: Entry<'_>,
        index_count: u32,
        instance_count: u32,
        start_index: u32,
        base_vertex: i32,
        start_instance: u32,
    );
    /// Makes ready what a draw needs with all that is bound now, and draws nothing: what holds before a draw
    /// holds here. For drivers that compile pipelines. It need not be done when the flush returns that carries it; a
    /// draw waits for what it needs. Nothing of D3D11's. By default nothing happens.
    fn prepare_draw(&self, _cx: Entry<'_>) {}

    /// D3D11: `pfnClearRenderTargetView`. Viewport and scissor do not matter; all slices are cleared.
    fn clear_render_target_view(&self, cx: Entry<'_>, view: RenderTargetViewHandle, color: [f32; 4]);
    /// D3D11: `pfnClearDepthStencilView`. At least one flag; the depth is within 0 and 1. Viewport and
    /// scissor do not matter.
    fn clear_depth_stencil_view(
        &self,
        cx: Entry<'_>,
        view: DepthStencilViewHandle,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    );

    /// D3D11: `pfnResourceCopy`. Same kind, size, mips, slices; compatible formats; not the same resource.
    fn resource_copy(&self, cx: Entry<'_>, dst: ResourceHandle, src: ResourceHandle);
    /// D3D11: `pfnResourceCopyRegion`. The source box is never empty and lies inside; so does what is
    /// written. `None` is the whole subresource.
    fn resource_copy_region(
        &self,
        cx: Entry<'_>,
        dst: ResourceHandle,
        dst_subresource: u32,
        dst_at: [u32; 3],
        src: ResourceHandle,
        src_subresource: u32,
        src_box: Option<Box3d>,
    );
    /// D3D11: `pfnResourceUpdateSubresourceUP`, `pfnDefaultConstantBufferUpdateSubresourceUP`. The data
    /// is read before the entry returns. Constant buffers are always updated whole.
    fn resource_update_subresource(
        &self,
        cx: Entry<'_>,
        dst: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    );
    /// D3D11: `pfnGenMips`. Fills the view's levels from its first one; the format can do it
    /// ([`crate::FormatSupport::MIP_AUTOGEN`]).
    fn generate_mips(&self, cx: Entry<'_>, view: ShaderResourceViewHandle);

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
    fn dynamic_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError>;
    /// D3D11: `pfnDynamicConstantBufferUnmap` and its kin. Takes back what `dynamic_map` lent.
    ///
    /// Commands that follow see what was written. Maps are ended before a list is finished. The memory of
    /// a recording that is lost, or of the immediate context when the device is removed, is dropped
    /// instead of given back.
    fn dynamic_unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    );

    /// A discard in one call: a dynamic constant buffer then has `data` from `offset` on, and zeros elsewhere.
    ///
    /// No D3D11 counterpart: where the application's bytes are copied in any case, a map and an unmap are one
    /// call too many. It comes instead of those two for buffers of up to
    /// [`crate::PipelineCaps::max_replaced_buffer`] bytes, which may be mapped all the same, and does what they
    /// do, with the whole buffer written. The provided one maps, copies and unmaps.
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

    /// D3D11: `pfnQueryBegin`. Only for queries that have a beginning ([`crate::QueryType::has_beginning`]),
    /// and in turn with `query_end`: the runtime ends a query before it begins it again, and begins one that
    /// the application only ends.
    ///
    /// What follows counts until the query is ended in this context, also what lists do that are executed
    /// meanwhile. In a list: each time that the list is executed; an answer that the query had before is
    /// void. Closing the handle of a begun query ends it for nothing, and so does abandoning the recording.
    fn query_begin(&self, cx: Entry<'_>, query: QueryHandle);
    /// D3D11: `pfnQueryEnd`. In a list: each time that the list is executed. All queries that a recording has
    /// begun are ended before its list is finished.
    fn query_end(&self, cx: Entry<'_>, query: QueryHandle);

    /// Opens a named group of commands, perhaps within another one.
    /// D3D11: `ID3DUserDefinedAnnotation::BeginEvent`.
    fn begin_event(&self, cx: Entry<'_>, name: &str);
    /// Closes the innermost group, of which there is one. All are closed before a list is finished.
    /// D3D11: `ID3DUserDefinedAnnotation::EndEvent`.
    fn end_event(&self, cx: Entry<'_>);
    /// Marks a point. D3D11: `ID3DUserDefinedAnnotation::SetMarker`.
    fn set_marker(&self, cx: Entry<'_>, name: &str);

    /// Executes a list that the same device's driver made and that is not destroyed.
    /// D3D11: `pfnCommandListExecute`.
    ///
    /// The list starts in the default state, not in the context's. The runtime has opened every renamable
    /// resource of the list ([`crate::ResourceDesc::is_renamable`]) in this context, and none of the queries
    /// that the list begins is begun here. Afterwards the context is in its default state; what the runtime
    /// wants bound it sets again. On a deferred context the list is nested: it is destroyed after the list
    /// that is being recorded.
    fn command_list_execute(&self, cx: Entry<'_>, list: &DriverList<Live>);

    /// A hint: a resource that was written is about to be read through a view.
    /// D3D11: `pfnShaderResourceViewReadAfterWriteHazard`. The runtime does not give it yet.
    fn shader_resource_view_read_after_write_hazard(&self, _cx: Entry<'_>, _view: ShaderResourceViewHandle) {}
}

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
    /// Maps a staging resource with `Read`, `Write` or `ReadWrite`. D3D11: `pfnStagingResourceMap`.
    ///
    /// The memory is the whole subresource with its contents, whichever the map type. Waits until the GPU
    /// has done what the map depends on, unless `do_not_wait`; then it makes sure that a later call will
    /// succeed.
    ///
    /// # Errors
    /// [`MapError::StillDrawing`] only with `do_not_wait`, or where nothing may block.
    fn staging_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
        do_not_wait: bool,
    ) -> Result<MappedMemory, MapError>;
    /// D3D11: `pfnStagingResourceUnmap`. Takes back what `staging_map` lent; as
    /// [`ContextFuncs::dynamic_unmap`].
    fn staging_unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    );

    /// Asks for a query's answer without waiting. D3D11: `pfnQueryGetData`.
    ///
    /// The query was ended and is not begun. The answer is of the query's kind, and about its last end.
    /// Unless `do_not_flush`, what it waits for is submitted, so that asking again and again comes to an end.
    ///
    /// # Errors
    /// [`GetDataError::StillDrawing`] while the answer is not known.
    fn query_get_data(
        &self,
        cx: Entry<'_>,
        query: QueryHandle,
        do_not_flush: bool,
    ) -> Result<QueryData, GetDataError>;

    /// Submits what was recorded and retires what was destroyed, also when nothing was recorded.
    /// D3D11: `pfnFlush`. True if something was submitted.
    ///
    /// Does not wait for the GPU. When it returns, the memory of all destroyed shared resources is
    /// deallocated, and of all else that was destroyed before and that the GPU has done with.
    fn flush(&self, cx: Entry<'_>, flags: FlushFlags) -> bool;

    /// Forgets what the context knows of an object that is about to be destroyed, the last of its
    /// handles. D3D11: the immediate half of `pfnDestroyResource` and its kin.
    ///
    /// Called in amortized processing, beside a flush or present, and when the application drops the
    /// context; dependants first. The object is not bound or mapped; commands that are not submitted may
    /// use it. The handle is still open, and leaves the storage right after. The destroy entry follows,
    /// perhaps later and on another thread. An object that this context has never used has no handle here
    /// to close.
    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key);

    /// Makes the presenting half of a swap chain; its back buffer comes next.
    /// D3D11: DXGI's `CreateSwapChain`.
    ///
    /// The format is one that the driver shows and renders to
    /// ([`DISPLAY`](crate::FormatSupport::DISPLAY)).
    ///
    /// # Errors
    /// [`PresentError::SurfaceLost`]: the window cannot be presented to by this adapter.
    fn create_swap_chain(
        &self,
        cx: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<DriverObject, PresentError>;
    /// Destroys the presenting half. Its back buffer may still live; it is presented no more.
    fn destroy_swap_chain(&self, cx: Entry<'_>, swap_chain: DriverObject);
    /// Creates a back buffer: a primary, in this context's threading domain.
    /// D3D11: `pfnCreateResource` with a primary description.
    ///
    /// Its memory is allocated here, with [`crate::AllocateArgs::primary`]. The private bytes are zeroed,
    /// and as many as [`crate::DeviceFuncs::calc_private_size`] asks for a texture of the description. No
    /// other back buffer of the swap chain exists.
    ///
    /// # Errors
    /// As [`crate::DeviceFuncs::create`].
    fn create_primary(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        desc: &Texture2dDesc,
        private: &mut [u8],
    ) -> Result<DriverObject, crate::CreateError>;
    /// Destroys a back buffer, whose handles are closed; its memory is deallocated before this returns.
    ///
    /// Commands that are recorded may use it: they are submitted first. A shared one follows the rules of
    /// shared resources instead.
    fn destroy_primary(&self, cx: Entry<'_>, primary: DriverObject);
    /// Adapts a swap chain to a new size of its window; the runtime makes new back buffers itself.
    /// D3D11: `ResizeBuffers`.
    ///
    /// The old back buffer is destroyed. The driver announces the size with
    /// [`CoreLayer::set_display_mode`].
    ///
    /// # Errors
    /// [`PresentError::SurfaceLost`]: the window is gone. The swap chain has no back buffer then; the
    /// application may resize again.
    fn resize_swap_chain(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        width: u32,
        height: u32,
    ) -> Result<(), PresentError>;
    /// Submits what was recorded and shows a back buffer. D3D11: `PresentDXGI`.
    ///
    /// The driver calls [`CoreLayer::present`] after the submission, unless it answers
    /// [`PresentStatus::Occluded`]. The back buffer is the swap chain's and keeps its contents. A window
    /// that is busy, outdated or hidden is no error. A sync interval of 0 does not wait for the
    /// display; 1 to 4 wait for that many refreshes, as far as the system can.
    ///
    /// # Errors
    /// [`PresentError::SurfaceLost`]: the window is gone. What was recorded is submitted then or later.
    fn present(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        back_buffer: ResourceHandle,
        sync_interval: u32,
    ) -> Result<PresentStatus, PresentError>;
}

/// What an object depends on, with the handles of the context that opens it.
#[derive(Copy, Clone, Debug)]
pub enum Dependency<'a> {
    /// Nothing.
    None,
    /// A view's resource.
    Resource(ObjectRef<'a, crate::kind::Resource>),
}

/// An object that a deferred context opens. D3D11: the arguments of a create entry of the deferred
/// table, in which only the dependency and the immediate handle are valid.
#[derive(Copy, Clone, Debug)]
pub struct OpenArgs<'a> {
    /// The kind.
    pub kind: HandleType,
    /// The handle's value, the same as in the immediate context. Its private bytes are zeroed.
    pub key: Key,
    /// The read-only half that creation returned.
    pub object: &'a DriverObject,
    /// What it depends on; open in this context.
    pub dependency: Dependency<'a>,
}

/// What only a deferred context can do. Its table never changes.
///
/// As [`ContextFuncs`], and besides: a recording begins when the context is made, and again when the last
/// one was ended or abandoned and all its handles are closed. One that has run out of memory is lost: of
/// it only [`DeferredFuncs::abandon_command_list`] and [`DeferredFuncs::close`] are called. Contexts of a
/// removed device are called as before; nothing that they record will be executed.
pub trait DeferredFuncs: ContextFuncs {
    /// Opens a handle in this context, at its first use in a recording, dependencies first.
    /// D3D11: `pfnCreateResource` and its kin on the deferred table.
    ///
    /// The object stands in the storage already, with the private bytes that were asked for, zeroed.
    /// It is not open in this recording yet.
    ///
    /// # Errors
    /// The handle is not open then: the runtime takes it out of the storage, and may call
    /// [`DeferredFuncs::close`] or not. [`RecordError::OutOfMemory`] loses the recording.
    fn open(&self, cx: Entry<'_>, args: OpenArgs<'_>) -> Result<(), RecordError>;
    /// Closes a handle, dependants first. D3D11: `pfnDestroyResource` and its kin on the deferred table.
    ///
    /// Called for all that is open when the recording was ended or abandoned. Nothing is bound or mapped;
    /// the handle leaves the storage right after. A list that was made goes on using the object, which
    /// lives as long as the list.
    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key);

    /// Takes back a dead list that this context has recorded. D3D11: `pfnRecycleCommandList`.
    ///
    /// It has let go of its objects already ([`crate::DeviceFuncs::recycle_destroy_command_list`]); here its
    /// memory may be moved to where the context needs it.
    fn recycle_command_list(&self, cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached>;

    /// Ends the recording and returns it as a list, with the memory of a cached one if there is one.
    /// D3D11: `pfnCreateCommandList`, `pfnRecycleCreateCommandList`.
    ///
    /// All maps and groups are ended. While it runs, the state callbacks still show what is bound; the
    /// runtime closes the handles afterwards. The context is in its default state then. The list can be
    /// executed any number of times, on any context of the device.
    ///
    /// # Errors
    /// [`RecordError::OutOfMemory`]: the recording is lost, the context is good. Whatever the error, the
    /// driver has thrown the recording away, and is not told to abandon it; the cached list is gone.
    fn create_command_list(
        &self,
        cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError>;
    /// Throws the recording away, of which there may be nothing. D3D11: `pfnAbandonCommandList`.
    ///
    /// Called when the recording is lost, when it would be finished on a removed device, and before the
    /// context is destroyed. The handles are closed afterwards.
    fn abandon_command_list(&self, cx: ClosingEntry<'_>);
}
