//! The runtime functions that a driver may call, in tables for the adapter, the kernel and the core layer.
//!
//! As in Direct3D 11, there are three groups of callbacks. [`AdapterCallbacks`] belong to the adapter.
//! [`KernelCallbacks`] manage memory and fences. The core layer has a table for the device
//! ([`DeviceCoreLayer`]) and a table for each context ([`CoreLayer`]). Any thread may call the callbacks of
//! the kernel and of the device. A driver can use a context's table only inside an entry of that context, so
//! the type system ensures, for example, that only the thread that entered calls amortized processing.
//!
//! ```
//! use onze_ddi::{AllocateArgs, KernelCallbacks, OutOfMemory};
//!
//! /// Allocates memory for a driver, unless the runtime reports that the budget is exhausted.
//! fn take(kernel: &dyn KernelCallbacks, size: u64) -> Result<(), OutOfMemory> {
//!     let allocation = kernel.allocate(AllocateArgs { size, primary: false, shared: false })?;
//!     // A driver would use the memory here.
//!     kernel.deallocate(allocation);
//!     Ok(())
//! }
//! ```

use std::{any::Any, borrow::Cow, ops::Range};

use crate::*;

/// Properties of the machine that a driver may need, from [`AdapterCallbacks::query_adapter_info`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardwareInfo {
    /// Number of CPU cores on which threads can run.
    pub processors: u32,
    /// Whether the platform can start threads for a driver.
    pub threads: bool,
    /// Bytes of GPU memory that the runtime lets a device allocate, or `None` for no limit.
    pub memory_budget: Option<u64>,
}

/// The adapter's callbacks, which any thread may call (D3D11: `D3D10DDI_ADAPTERCALLBACKS`).
#[doc(alias = "D3D10DDI_ADAPTERCALLBACKS")]
pub trait AdapterCallbacks: Send + Sync {
    /// Returns the properties of the machine, which never change (D3D11: `pfnQueryAdapterInfoCb`).
    #[doc(alias = "pfnQueryAdapterInfoCb")]
    fn query_adapter_info(&self) -> HardwareInfo;
}

/// The size and purpose of memory that a driver allocates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AllocateArgs {
    /// Size in bytes, which counts against the budget.
    pub size: u64,
    /// Whether the memory is for a swap chain's back buffer, in which case the driver must allocate it inside
    /// [`ImmediateFuncs::create_primary`], on the thread that entered.
    pub primary: bool,
    /// Whether the memory is for a shared resource ([`crate::ResourceDesc::is_shared`]). Such memory must be
    /// allocated inside the create entry, on the thread that entered. Memory that is neither shared nor for a
    /// primary may be allocated on any thread, at any time.
    pub shared: bool,
}

/// An allocation that the runtime has counted against the budget, and that the driver gives back with
/// [`KernelCallbacks::deallocate`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    id: u64,
    size: u64,
}

impl Allocation {
    /// Creates an allocation with the `size` of [`AllocateArgs`] and an `id` that is unique among all
    /// allocations, and is called only by a runtime.
    pub const fn new(id: u64, size: u64) -> Self {
        Self { id, size }
    }

    /// The identifier that the runtime assigned, unique among all allocations.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Size in bytes, stored here so that a runtime needs no list of allocations.
    pub const fn size(&self) -> u64 {
        self.size
    }
}

/// A point on the immediate context's timeline: the completion of a submission.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub u64);

/// The kernel's callbacks for memory and fences (D3D11: `D3DDDI_DEVICECALLBACKS`).
///
/// Any thread may call them, including the driver's own threads, inside or outside of an entry, but not
/// inside a calc entry. The callbacks do not enter the driver.
#[doc(alias = "D3DDDI_DEVICECALLBACKS")]
pub trait KernelCallbacks: Send + Sync {
    /// Counts memory for a resource against the budget (D3D11: `pfnAllocateCb`).
    ///
    /// For a primary or a shared resource, the driver must call this inside the entry that creates the
    /// resource, on the thread that entered; see [`AllocateArgs`].
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the allocation would exceed the budget, in which case the create entry
    /// fails with [`crate::CreateError::OutOfMemory`].
    #[doc(alias = "pfnAllocateCb")]
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory>;

    /// Gives memory back (D3D11: `pfnDeallocateCb`). Before that, the driver must have called
    /// [`CoreLayer::render`] for all commands that use the memory.
    ///
    /// Called once for each allocation, before [`crate::DeviceFuncs::destroy_device`] returns. The memory of
    /// a destroyed shared resource is given back no later than in the next [`ImmediateFuncs::flush`], and the
    /// memory of a primary before [`ImmediateFuncs::destroy_primary`] returns.
    #[doc(alias = "pfnDeallocateCb")]
    fn deallocate(&self, allocation: Allocation);

    /// Reports that the GPU has completed all work up to a fence that [`CoreLayer::render`] returned (D3D11:
    /// `pfnSignalSynchronizationObjectCb`). Signalling a fence that is older than the newest signalled fence
    /// has no effect.
    #[doc(alias = "pfnSignalSynchronizationObjectCb")]
    fn signal(&self, fence: Fence);

    /// Returns the newest signalled fence, which is 0 before the first signal (D3D11:
    /// `pfnWaitForSynchronizationObjectCb`, without waiting).
    #[doc(alias = "pfnWaitForSynchronizationObjectCb")]
    fn signalled(&self) -> Fence;
}

/// The error of an allocation that would exceed the memory budget.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory")]
pub struct OutOfMemory;

/// The core layer's callbacks for a device, while those for a context are in [`CoreLayer`].
///
/// Any thread may call them, including the driver's own threads, inside or outside of an entry, but not
/// inside a calc entry. The callbacks do not enter the driver. A driver may store these callbacks, because
/// they do not keep the runtime's device alive.
pub trait DeviceCoreLayer: Send + Sync {
    /// Replaces the immediate context's table permanently, starting with the context's next call.
    ///
    /// A call that is already running ends in the table that it entered, and the runtime drops the old table
    /// when no call is running in it any more. The context's private data stays unchanged. On a removed
    /// device, publishing has no effect. The tables of the device and of deferred contexts cannot be
    /// replaced.
    fn publish_immediate_table(&self, table: Box<dyn ImmediateFuncs>);

    /// Removes the device permanently, because it is lost or its driver has a bug, but only the first call
    /// has an effect.
    ///
    /// The runtime replaces the immediate table with a no-op table and creates no more objects. Calls that
    /// are already running end normally, and deferred contexts still record with the driver's table until
    /// their recordings are abandoned. Objects are still destroyed with the device table.
    fn device_removed(&self, reason: Cow<'static, str>);

    /// Reports a mistake of the driver for the log, while the device stays usable.
    fn report_bug(&self, bug: DriverBug);

    /// Reports to the debug layer that a command was ignored because the driver or its adapter does not
    /// support it. A driver calls this if it detects the problem only after the recording entry has returned.
    fn report_unsupported(&self, what: Cow<'static, str>);

    /// Reports advice that would make the application's draws cheaper, and that the runtime adds to the debug
    /// layer's messages at the information level.
    fn report_hint(&self, what: Cow<'static, str>);
}

/// The contents of a submission, for the runtime's statistics.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderArgs {
    /// Number of command buffers that are submitted together.
    pub command_buffers: u32,
    /// Number of draws in all command buffers of the submission.
    pub draws: u32,
}

/// Properties of a present, as the driver reports them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PresentArgs {
    /// The sync interval that the present entry received.
    pub sync_interval: u32,
    /// Whether the present copied the back buffer, or false if the back buffer is the window's own memory.
    pub copied: bool,
}

/// The display mode of a swap chain (D3D11: the fields of `DXGI_DDI_MODE_DESC` that apply to windows).
#[doc(alias = "DXGI_DDI_MODE_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DisplayMode {
    /// Width of the window's images in pixels.
    pub width: u32,
    /// Height of the window's images in pixels.
    pub height: u32,
}

/// The core layer's callbacks for a context, available while one of its entries runs.
///
/// The runtime lends the callbacks for the duration of a call. They can be neither stored nor sent to another
/// thread, so only the thread that entered can call them. The only callback that enters the driver again is
/// [`CoreLayer::perform_amortized_processing`].
///
/// ```compile_fail,E0277
/// fn render_elsewhere(core: &mut dyn onze_ddi::CoreLayer) {
///     std::thread::scope(|s| {
///         s.spawn(|| drop(core.render(onze_ddi::RenderArgs::default())));
///     });
/// }
/// ```
///
/// The counterpart in D3D11 is `D3D11DDI_CORELAYER_DEVICECALLBACKS`.
#[doc(alias = "D3D11DDI_CORELAYER_DEVICECALLBACKS")]
pub trait CoreLayer: StateRefresh {
    /// Reports an error from an entry without a `Result` (D3D11: `pfnSetErrorCb`). The error concerns only
    /// the context that was entered.
    ///
    /// The runtime responds as follows:
    ///
    /// | error | immediate context | deferred context |
    /// | --- | --- | --- |
    /// | [`ContextError::DeviceRemoved`] | the device is removed | the device is removed |
    /// | [`ContextError::OutOfMemory`] | a bug: the device is removed | the recording is [lost](crate::DeferredFuncs) |
    /// | [`ContextError::Application`] | a message; the call is ignored | a message; the call is ignored |
    /// | [`ContextError::Bug`] | a message; the device is removed | a message; the device is removed |
    ///
    /// Entries that destroy objects may only report [`ContextError::DeviceRemoved`], because destruction
    /// cannot fail.
    #[doc(alias = "pfnSetErrorCb")]
    fn set_error(&mut self, error: ContextError);

    /// Lets the runtime trim its storage and destroy objects (D3D11: `pfnPerformAmortizedProcessingCb`).
    ///
    /// A driver calls this once after each submission on the immediate context, and on a deferred context
    /// each time that its command buffer is full, before it writes the next preamble.
    ///
    /// The driver passes the private data and handles of the current entry. On the immediate context, the
    /// runtime destroys the objects that are waiting for destruction. The runtime calls
    /// [`ImmediateFuncs::close`], [`ImmediateFuncs::destroy_primary`], [`ImmediateFuncs::destroy_swap_chain`]
    /// and the destroy entries of [`crate::DeviceFuncs`] before this call returns, so the driver must not
    /// hold a lock that those entries take. On every context, the runtime trims the handle storage, so blocks
    /// of private bytes may move, and also trims the slot ranges that the state callbacks return for `None`.
    #[doc(alias = "pfnPerformAmortizedProcessingCb")]
    fn perform_amortized_processing(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage);

    /// Reports a submission and returns its fence, which is the previous fence plus 1 (D3D11: `pfnRenderCb`).
    ///
    /// Called in every entry of the immediate context that submits, not only in a flush. The driver then
    /// calls amortized processing in the same entry.
    ///
    /// # Errors
    /// Returns [`DeviceRemoved`] if the device is already removed, in which case the driver drops the
    /// commands instead of submitting them.
    #[doc(alias = "pfnRenderCb")]
    fn render(&mut self, args: RenderArgs) -> Result<Fence, DeviceRemoved>;

    /// Reports, after the submission that draws a back buffer, that the back buffer is presented to its
    /// window (D3D11: `pfnPresentCb`).
    ///
    /// Only called in [`ImmediateFuncs::present`], by the thread that entered it.
    ///
    /// # Errors
    /// Returns [`DeviceRemoved`] if the device is already removed, in which case the driver shows nothing.
    #[doc(alias = "pfnPresentCb")]
    fn present(&mut self, args: PresentArgs) -> Result<(), DeviceRemoved>;

    /// Reports the new size of a window's images (D3D11: `pfnSetDisplayModeCb`).
    ///
    /// Only called in [`ImmediateFuncs::resize_swap_chain`], the counterpart of D3D11's `SetDisplayModeDXGI`.
    ///
    /// # Errors
    /// Returns [`DeviceRemoved`] if the device is already removed, in which case the size does not change.
    #[doc(alias = "pfnSetDisplayModeCb")]
    fn set_display_mode(&mut self, mode: DisplayMode) -> Result<(), DeviceRemoved>;
}

/// Passes a table of the callbacks of [`StateRefresh`](crate::StateRefresh) to a macro. Each callback is a
/// row of the form `class name -> type;`. The class determines the callback's arguments: none (`one`), slots
/// (`slots`), a stage (`stage`), or a stage and slots (`stage_slots`).
#[macro_export]
macro_rules! state_callbacks {
    ($($callback:tt)+) => { $($callback)+! {
        /// The layout set by `ia_set_input_layout`, or `None` if none is bound.
        one input_layout -> Option<ElementLayoutHandle>;
        /// The buffers set by `ia_set_vertex_buffers`, one element per slot.
        slots vertex_buffers -> VertexBufferBinding;
        /// The buffer set by `ia_set_index_buffer`, with its format and offset.
        one index_buffer -> IndexBufferBinding;
        /// The topology set by `ia_set_primitive_topology`, which is undefined in the default state.
        one primitive_topology -> PrimitiveTopology;
        /// The stage's shader set by `set_shader`, or `None` if none is bound.
        stage shader -> Option<ShaderHandle>;
        /// The stage's buffers set by `set_constant_buffers`, one element per slot.
        stage_slots constant_buffers -> ConstantBufferBinding;
        /// The stage's views set by `set_shader_resources`, one element per slot.
        stage_slots shader_resources -> Option<ShaderResourceViewHandle>;
        /// The stage's samplers set by `set_samplers`, one element per slot.
        stage_slots samplers -> Option<SamplerHandle>;
        /// The stage's views set by `set_unordered_access_views`, one element per slot.
        stage_slots unordered_access_views -> Option<UnorderedAccessViewHandle>;
        /// The state set by `rs_set_state`, or `None` for the default.
        one rasterizer_state -> Option<RasterizerStateHandle>;
        /// The viewports set by `rs_set_viewports`, or none in the default state.
        one viewports -> &[Viewport];
        /// The rectangles set by `rs_set_scissor_rects`, or none in the default state.
        one scissor_rects -> &[Rect];
        /// The state set by `om_set_blend_state`, with its factor and sample mask.
        one blend_state -> BlendBinding;
        /// The state set by `om_set_depth_stencil_state`, with its stencil reference.
        one depth_stencil_state -> DepthStencilBinding;
        /// The predicate set by `set_predication`, with the result for which commands are skipped.
        one predication -> PredicationBinding;
        /// The colour and depth-stencil targets set by `om_set_render_targets`.
        one render_targets -> TargetsBinding<'_>;
        /// The buffers set by `so_set_targets`, by slot.
        one stream_targets -> &[Option<ResourceHandle>];
    } };
}

macro_rules! state_refresh {
    ($($(#[doc = $doc:literal])* $class:ident $name:ident -> $bound:ty;)*) => {
        /// The current bindings of a context, for the preamble of a command buffer.
        ///
        /// The driver may call these callbacks on the thread that entered, in any entry of a context. After a
        /// submission, it must not call them until amortized processing has returned. All returned objects
        /// are open in the context. Within a setter, the callbacks return the new binding, and within
        /// `command_list_execute`, they return the bindings from before the list. Within
        /// `create_command_list`, they return the bindings at the end of the recording, but when the handles
        /// are closed after this call, no object is bound.
        ///
        /// Each callback corresponds to the entry that sets its value (D3D11: `pfnStateVsConstBufCb` and its
        /// counterparts for other bindings). If a range contains slots that do not exist, these are left out
        /// of the result, and `None` returns all slots up to the highest slot in use.
        #[doc(alias = "pfnStateVsConstBufCb")]
        pub trait StateRefresh {
            $(state_refresh! { @$class $(#[doc = $doc])* $name -> $bound })*

            /// Visits every bound object of any type, once for each binding.
            fn for_each_bound(&self, visit: &mut dyn FnMut(Key)) {
                let mut visit = |_: HandleType, key| visit(key);
                $(state_refresh! { @visit $class $name (self, visit) })*
            }
        }
    };
    (@one $(#[$doc:meta])* $name:ident -> $bound:ty) => {
        $(#[$doc])*
        fn $name(&self) -> $bound;
    };
    (@slots $(#[$doc:meta])* $name:ident -> $bound:ty) => {
        $(#[$doc])*
        fn $name(&self, slots: Option<Range<u32>>) -> &[$bound];
    };
    (@stage $(#[$doc:meta])* $name:ident -> $bound:ty) => {
        $(#[$doc])*
        fn $name(&self, stage: ShaderStage) -> $bound;
    };
    (@stage_slots $(#[$doc:meta])* $name:ident -> $bound:ty) => {
        $(#[$doc])*
        fn $name(&self, stage: ShaderStage, slots: Option<Range<u32>>) -> &[$bound];
    };
    (@visit one $name:ident ($this:ident, $visit:ident)) => { $this.$name().for_each_handle(&mut $visit); };
    (@visit slots $name:ident ($this:ident, $visit:ident)) => { $this.$name(None).for_each_handle(&mut $visit); };
    (@visit stage $name:ident ($this:ident, $visit:ident)) => {
        ShaderStage::ALL.into_iter().for_each(|stage| $this.$name(stage).for_each_handle(&mut $visit));
    };
    (@visit stage_slots $name:ident ($this:ident, $visit:ident)) => {
        ShaderStage::ALL.into_iter().for_each(|stage| $this.$name(stage, None).for_each_handle(&mut $visit));
    };
}
state_callbacks!(state_refresh);
