//! What a driver may call in the runtime.
//!
//! Three tables, as in Direct3D 11: the adapter's ([`AdapterCallbacks`]), the kernel's
//! ([`KernelCallbacks`]: memory and fences, from any thread) and the core layer's. The core layer has a
//! half for the device ([`DeviceCoreLayer`], from any thread) and one for each context
//! ([`CoreLayer`]), which a driver holds only while it is inside one of that context's entries: so the
//! rules "render only inside an entry of the immediate context" and "amortized processing only on the
//! thread that entered" need no check, they cannot be broken.
//!
//! ```
//! use onze_ddi::{AllocateArgs, KernelCallbacks, OutOfMemory};
//!
//! /// A driver tells the runtime of memory that it takes, and may hear that there is none left.
//! fn take(kernel: &dyn KernelCallbacks, size: u64) -> Result<(), OutOfMemory> {
//!     let allocation = kernel.allocate(AllocateArgs { size, primary: false, shared: false })?;
//!     // The memory is in use until here.
//!     kernel.deallocate(allocation);
//!     Ok(())
//! }
//! ```

use std::{any::Any, borrow::Cow, ops::Range};

use crate::*;

/// What a driver learns about the machine from [`AdapterCallbacks::query_adapter_info`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardwareInfo {
    /// Processors that threads can run on.
    pub processors: u32,
    /// Whether threads can be started at all.
    pub threads: bool,
    /// Bytes of GPU memory that the runtime lets a device allocate; `None` for no limit.
    pub memory_budget: Option<u64>,
}

/// The adapter's callbacks: any thread may call them, as long as it holds them.
/// D3D11: `D3D10DDI_ADAPTERCALLBACKS`.
#[doc(alias = "D3D10DDI_ADAPTERCALLBACKS")]
pub trait AdapterCallbacks: Send + Sync {
    /// Tells what the machine can do; the same each time. D3D11: `pfnQueryAdapterInfoCb`.
    #[doc(alias = "pfnQueryAdapterInfoCb")]
    fn query_adapter_info(&self) -> HardwareInfo;
}

/// What an allocation is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AllocateArgs {
    /// Bytes.
    pub size: u64,
    /// Whether it backs a swap chain's buffer. Such memory is allocated inside
    /// [`ImmediateFuncs::create_primary`], on its thread.
    pub primary: bool,
    /// Whether it backs a shared resource ([`crate::ResourceDesc::is_shared`]). Such memory is allocated
    /// inside the create entry, on its thread; all other memory anywhere.
    pub shared: bool,
}

/// Memory that the runtime has counted. Given back with [`KernelCallbacks::deallocate`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    id: u64,
    size: u64,
}

impl Allocation {
    /// Runtime only. `id` is not that of any other allocation; `size` is that of [`AllocateArgs`].
    pub const fn new(id: u64, size: u64) -> Self {
        Self { id, size }
    }

    /// Runtime only.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Bytes: so that a runtime needs no list of what is allocated.
    pub const fn size(&self) -> u64 {
        self.size
    }
}

/// The point of the immediate context's timeline at which a submission is done.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub u64);

/// The kernel's callbacks. D3D11: `D3DDDI_DEVICECALLBACKS`.
///
/// Any thread may call them, also one of the driver's own, within an entry or outside; only the calc
/// entries may not. None of them enters the driver.
#[doc(alias = "D3DDDI_DEVICECALLBACKS")]
pub trait KernelCallbacks: Send + Sync {
    /// Counts memory for a resource against the budget. D3D11: `pfnAllocateCb`.
    ///
    /// Memory of a primary or of a shared resource is counted within the entry that creates it, by the
    /// thread that entered; see [`AllocateArgs`].
    ///
    /// # Errors
    /// Over budget, and nothing is counted: the create entry answers
    /// [`crate::CreateError::OutOfMemory`].
    #[doc(alias = "pfnAllocateCb")]
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory>;

    /// Gives memory back, after [`CoreLayer::render`] for the commands that used it last.
    /// D3D11: `pfnDeallocateCb`.
    ///
    /// Once for each allocation, and before [`crate::DeviceFuncs::destroy_device`] returns. A shared
    /// resource's memory goes in the next [`ImmediateFuncs::flush`] at the latest, a primary's before
    /// [`ImmediateFuncs::destroy_primary`] returns.
    #[doc(alias = "pfnDeallocateCb")]
    fn deallocate(&self, allocation: Allocation);

    /// Says that the GPU has done everything up to a fence that [`CoreLayer::render`] returned.
    /// D3D11: `pfnSignalSynchronizationObjectCb`.
    ///
    /// An older fence than the last one changes nothing.
    #[doc(alias = "pfnSignalSynchronizationObjectCb")]
    fn signal(&self, fence: Fence);

    /// The last fence that was signalled, 0 before the first.
    /// D3D11: `pfnWaitForSynchronizationObjectCb`, without waiting.
    #[doc(alias = "pfnWaitForSynchronizationObjectCb")]
    fn signalled(&self) -> Fence;
}

/// The budget is spent.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory")]
pub struct OutOfMemory;

/// The core layer's callbacks for a device.
///
/// Any thread may call them, also one of the driver's own, within an entry or outside; only the calc
/// entries may not. None of them enters the driver. A driver may keep them: they do not keep the
/// runtime's device alive.
pub trait DeviceCoreLayer: Send + Sync {
    /// Replaces the immediate context's table, for good; the next call of the context uses the new one.
    ///
    /// A call that is under way ends in the table that it entered; the old table is dropped when none is.
    /// The context's private data stays what it was. On a removed device nothing happens. The device's
    /// table and the deferred contexts' never change.
    fn publish_immediate_table(&self, table: Box<dyn ImmediateFuncs>);

    /// Removes the device, for good: it is lost, or its driver has a bug. The first reason counts.
    ///
    /// The runtime replaces the immediate table with one of its own that does nothing, and creates no
    /// more objects. A call that is under way ends as it likes; deferred contexts still record with the
    /// driver's table, until their recordings are abandoned; the device table still destroys.
    fn device_removed(&self, reason: Cow<'static, str>);

    /// Reports a mistake of the driver that harms nothing else, for the log. The device lives on.
    fn report_bug(&self, bug: DriverBug);

    /// Reports a command that was ignored because this driver or its adapter cannot do it, found out
    /// after the entry that recorded it. The runtime puts it into the debug layer's messages.
    fn report_unsupported(&self, what: Cow<'static, str>);

    /// Reports what would make draws like the recorded ones cheaper. The runtime puts it into the debug layer's
    /// messages, at the level of information.
    fn report_hint(&self, what: Cow<'static, str>);
}

/// What a submission holds, for the runtime's books.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderArgs {
    /// Command buffers.
    pub command_buffers: u32,
    /// Draws in them.
    pub draws: u32,
}

/// A picture that goes to a window.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PresentArgs {
    /// As the present entry got it.
    pub sync_interval: u32,
    /// The back buffer was copied into the window's memory; otherwise it is that memory.
    pub copied: bool,
}

/// How a swap chain's pictures are shown. D3D11: `DXGI_DDI_MODE_DESC`, as far as windows have it.
#[doc(alias = "DXGI_DDI_MODE_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DisplayMode {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The core layer's callbacks for a context, while one of its entries runs.
///
/// They are lent with the call and cannot be sent to another thread, nor kept: what has to be called on
/// the thread that entered cannot be called on another one.
///
/// Only [`CoreLayer::perform_amortized_processing`] enters the driver again.
///
/// ```compile_fail,E0277
/// fn render_elsewhere(core: &mut dyn onze_ddi::CoreLayer) {
///     std::thread::scope(|s| {
///         s.spawn(|| drop(core.render(onze_ddi::RenderArgs::default())));
///     });
/// }
/// ```
///
/// D3D11: `D3D11DDI_CORELAYER_DEVICECALLBACKS`.
#[doc(alias = "D3D11DDI_CORELAYER_DEVICECALLBACKS")]
pub trait CoreLayer: StateRefresh {
    /// Reports what an entry without a `Result` has to say, for the context that was entered alone.
    /// D3D11: `pfnSetErrorCb`.
    ///
    /// What the runtime makes of it:
    ///
    /// | error | immediate context | deferred context |
    /// | --- | --- | --- |
    /// | [`ContextError::DeviceRemoved`] | the device is removed | the same |
    /// | [`ContextError::OutOfMemory`] | a bug: the device is removed | the recording is [lost](crate::DeferredFuncs) |
    /// | [`ContextError::Application`] | a message; the call is ignored | the same |
    /// | [`ContextError::Bug`] | a message; the device is removed | the same |
    ///
    /// Entries that destroy report [`ContextError::DeviceRemoved`] only.
    #[doc(alias = "pfnSetErrorCb")]
    fn set_error(&mut self, error: ContextError);

    /// Lets the runtime trim and destroy. D3D11: `pfnPerformAmortizedProcessingCb`.
    ///
    /// To be called once after each submission on the immediate context, and on a deferred context each
    /// time that its command buffer is full, before the next preamble is written.
    ///
    /// The driver hands over what it was entered with: on the immediate context the runtime destroys
    /// what waits for it, and so enters [`ImmediateFuncs::close`], [`ImmediateFuncs::destroy_primary`],
    /// [`ImmediateFuncs::destroy_swap_chain`] and the destroy entries of [`crate::DeviceFuncs`] before
    /// this returns. So the driver holds no lock meanwhile that those entries take. Everywhere the
    /// runtime trims the handle storage, in which blocks may move, and what the state callbacks show
    /// for all slots.
    #[doc(alias = "pfnPerformAmortizedProcessingCb")]
    fn perform_amortized_processing(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage);

    /// Announces a submission and returns its fence, which is one more than the last one.
    /// D3D11: `pfnRenderCb`.
    ///
    /// Only in entries of the immediate context: all that submit may do so, not only a flush. Amortized
    /// processing follows in the same entry.
    ///
    /// # Errors
    /// The device is removed already: the driver drops what it was about to submit.
    #[doc(alias = "pfnRenderCb")]
    fn render(&mut self, args: RenderArgs) -> Result<Fence, DeviceRemoved>;

    /// Announces that a back buffer goes to its window, after the submission that draws it.
    /// D3D11: `pfnPresentCb`.
    ///
    /// Only in [`ImmediateFuncs::present`].
    ///
    /// # Errors
    /// The device is removed already: nothing is shown.
    #[doc(alias = "pfnPresentCb")]
    fn present(&mut self, args: PresentArgs) -> Result<(), DeviceRemoved>;

    /// Announces the size that a window's pictures will have. D3D11: `pfnSetDisplayModeCb`.
    ///
    /// Only in [`ImmediateFuncs::resize_swap_chain`], which stands for D3D11's `SetDisplayModeDXGI`.
    ///
    /// # Errors
    /// The device is removed already: nothing changes.
    #[doc(alias = "pfnSetDisplayModeCb")]
    fn set_display_mode(&mut self, mode: DisplayMode) -> Result<(), DeviceRemoved>;
}

/// Hands the callbacks of [`StateRefresh`](crate::StateRefresh) to a macro, one row each:
/// `class name -> what is bound;`. The class says what the callback is asked with: nothing (`one`), slots
/// (`slots`), a stage (`stage`), or a stage and slots (`stage_slots`).
#[macro_export]
macro_rules! state_callbacks {
    ($($callback:tt)+) => { $($callback)+! {
        /// `ia_set_input_layout`.
        one input_layout -> Option<ElementLayoutHandle>;
        /// `ia_set_vertex_buffers`.
        slots vertex_buffers -> VertexBufferBinding;
        /// `ia_set_index_buffer`.
        one index_buffer -> IndexBufferBinding;
        /// `ia_set_primitive_topology`.
        one primitive_topology -> PrimitiveTopology;
        /// `set_shader`.
        stage shader -> Option<ShaderHandle>;
        /// `set_constant_buffers`.
        stage_slots constant_buffers -> ConstantBufferBinding;
        /// `set_shader_resources`.
        stage_slots shader_resources -> Option<ShaderResourceViewHandle>;
        /// `set_samplers`.
        stage_slots samplers -> Option<SamplerHandle>;
        /// `set_unordered_access_views`.
        stage_slots unordered_access_views -> Option<UnorderedAccessViewHandle>;
        /// `rs_set_state`.
        one rasterizer_state -> Option<RasterizerStateHandle>;
        /// `rs_set_viewports`.
        one viewports -> &[Viewport];
        /// `rs_set_scissor_rects`.
        one scissor_rects -> &[Rect];
        /// `om_set_blend_state`.
        one blend_state -> BlendBinding;
        /// `om_set_depth_stencil_state`.
        one depth_stencil_state -> DepthStencilBinding;
        /// `set_predication`.
        one predication -> PredicationBinding;
        /// `om_set_render_targets`.
        one render_targets -> TargetsBinding<'_>;
    } };
}

macro_rules! state_refresh {
    ($($(#[doc = $doc:literal])* $class:ident $name:ident -> $bound:ty;)*) => {
        /// What is bound now, for the preamble of a command buffer.
        ///
        /// Asked on the thread that entered, in any entry of a context; after a submission only when amortized
        /// processing is done. What is shown is open in the context. Within a setter it is the new binding;
        /// within `command_list_execute` what was bound before the list; within `create_command_list` what was
        /// bound last, and nothing when the handles are closed afterwards.
        ///
        /// Each callback is named after the entry that sets what it shows. Ranges of slots are Rust ranges;
        /// slots that do not exist are left out, and `None` asks for all slots up to the highest that is in use.
        /// D3D11: `pfnStateVsConstBufCb` and its kin.
        #[doc(alias = "pfnStateVsConstBufCb")]
        pub trait StateRefresh {
            $(state_refresh! { @$class $(#[doc = $doc])* $name -> $bound })*

            /// Visits everything that is bound; what is bound twice comes twice.
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
