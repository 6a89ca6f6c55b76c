//! The device table: create, destroy, calc and check.
//!
//! The table is fixed for the device's life. What holds for all its entries stands at [`DeviceFuncs`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use onze_ddi::DriverObject;
//!
//! /// What a driver keeps of a buffer.
//! struct Buffer {
//!     bytes: u64,
//! }
//!
//! // The create entry returns it, and all contexts share it.
//! let object: DriverObject = Arc::new(Buffer { bytes: 64 });
//! // Every entry that gets the object finds it there again.
//! let buffer = object.downcast_ref::<Buffer>();
//! assert_eq!(buffer.map(|buffer| buffer.bytes), Some(64));
//! ```

use std::{any::Any, sync::Arc};

use crate::{
    CreateError, Format, ShaderCode,
    caps::{FormatSupport, FormatSupport2},
    context::DeferredFuncs,
    handle::{Handle, HandleType, kind},
    query::QueryDesc,
    recycle::{Cached, Dead, DriverContext, DriverList, Ended, Live},
    resource::{ResourceDesc, SubresourceData},
    sampler::SamplerDesc,
    state::{BlendDesc, DepthStencilDesc, ElementDesc, RasterizerDesc},
    statistics::DriverStatistics,
    view::ViewDesc,
};

/// The read-only half of an object, as its create entry returned it: made once, shared by all contexts.
pub type DriverObject = Arc<dyn Any + Send + Sync>;

/// A driver's private data of a context.
pub type PrivateData = Box<dyn Any + Send>;

/// An object with its handle.
#[derive(Debug)]
pub struct ObjectRef<'a, K> {
    /// The handle.
    pub handle: Handle<K>,
    /// The read-only half.
    pub object: &'a DriverObject,
}

impl<K> Copy for ObjectRef<'_, K> {}

impl<K> Clone for ObjectRef<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Size of the private data of handles of deferred contexts. D3D11: `D3D11DDI_HANDLESIZE`.
#[doc(alias = "D3D11DDI_HANDLESIZE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct HandleSize {
    /// The kind.
    pub kind: HandleType,
    /// Bytes, at most [`crate::storage::MAX_PRIVATE_BYTES`].
    pub size: usize,
}

/// What an object is made from.
#[derive(Copy, Clone, Debug)]
pub enum ObjectDesc<'a> {
    /// A buffer or texture, with the contents of every subresource if it is given any.
    Resource {
        /// The descriptor, with every default resolved.
        desc: &'a ResourceDesc,
        /// One entry per subresource, or none.
        initial_data: &'a [SubresourceData<'a>],
    },
    /// A shader-resource view.
    ShaderResourceView {
        /// The resource, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The resolved descriptor.
        desc: &'a ViewDesc,
    },
    /// A render-target view.
    RenderTargetView {
        /// The resource, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The resolved descriptor.
        desc: &'a ViewDesc,
    },
    /// A depth-stencil view.
    DepthStencilView {
        /// The resource, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The resolved descriptor.
        desc: &'a ViewDesc,
    },
    /// An unordered-access view.
    UnorderedAccessView {
        /// The resource, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The resolved descriptor.
        desc: &'a ViewDesc,
    },
    /// A shader.
    Shader {
        /// The counterpart of D3D11's token stream, validated and reflected.
        code: &'a Arc<ShaderCode>,
        /// A name for people.
        label: &'a str,
    },
    /// An input layout, matched to the shader that it was made with.
    ElementLayout {
        /// The elements.
        elements: &'a [ElementDesc],
    },
    /// A blend state.
    BlendState(&'a BlendDesc),
    /// A depth-stencil state.
    DepthStencilState(&'a DepthStencilDesc),
    /// A rasterizer state.
    RasterizerState(&'a RasterizerDesc),
    /// A sampler.
    Sampler(&'a SamplerDesc),
    /// A query.
    Query(QueryDesc),
}

impl<'a> ObjectDesc<'a> {
    /// A view's resource and descriptor; `None` for all else, which depends on nothing.
    pub const fn view(&self) -> Option<(ObjectRef<'a, kind::Resource>, &'a ViewDesc)> {
        match self {
            Self::ShaderResourceView { resource, desc }
            | Self::RenderTargetView { resource, desc }
            | Self::DepthStencilView { resource, desc }
            | Self::UnorderedAccessView { resource, desc } => Some((*resource, *desc)),
            Self::Resource { .. }
            | Self::Shader { .. }
            | Self::ElementLayout { .. }
            | Self::BlendState(_)
            | Self::DepthStencilState(_)
            | Self::RasterizerState(_)
            | Self::Sampler(_)
            | Self::Query(_) => None,
        }
    }

    /// The kind of object.
    pub const fn kind(&self) -> HandleType {
        match self {
            Self::Resource { .. } => HandleType::Resource,
            Self::ShaderResourceView { .. } => HandleType::ShaderResourceView,
            Self::RenderTargetView { .. } => HandleType::RenderTargetView,
            Self::DepthStencilView { .. } => HandleType::DepthStencilView,
            Self::UnorderedAccessView { .. } => HandleType::UnorderedAccessView,
            Self::Shader { .. } => HandleType::Shader,
            Self::ElementLayout { .. } => HandleType::ElementLayout,
            Self::BlendState(_) => HandleType::BlendState,
            Self::DepthStencilState(_) => HandleType::DepthStencilState,
            Self::RasterizerState(_) => HandleType::RasterizerState,
            Self::Sampler(_) => HandleType::Sampler,
            Self::Query(_) => HandleType::Query,
        }
    }
}

/// What only one context needs at its creation.
#[derive(Clone, Debug, Default)]
pub struct CreateDeferredContextArgs {
    /// A name for people.
    pub label: crate::Label,
}

/// A deferred context as its driver made it.
pub struct CreatedDeferredContext {
    /// The table.
    pub funcs: Arc<dyn DeferredFuncs>,
    /// The private data.
    pub private: DriverContext<Live>,
}

impl std::fmt::Debug for CreatedDeferredContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedDeferredContext").finish_non_exhaustive()
    }
}

/// The device table. D3D11: the entries of `D3D11DDI_DEVICEFUNCS` that start with `pfnCreate`,
/// `pfnDestroy`, `pfnCalc` and `pfnCheck`.
///
/// **Threads.** With [`crate::ThreadingCaps::FreeThreaded`] and better any thread enters, several at
/// once, also while contexts are entered. With [`crate::ThreadingCaps::Serialized`] one thread at a
/// time is in the driver. The two calc entries are free-threaded always; they depend on nothing but
/// their arguments and call no callback. A destroy entry may come from within amortized processing,
/// on a thread that is in the immediate context.
///
/// **Order.** For each object `calc_private_size`, `create`, `calc_deferred_context_handle_size`; then
/// its use in contexts; then `destroy`. A view is created after its resource and destroyed before it. On
/// a device that is removed the runtime creates nothing more, and goes on destroying. `destroy_device`
/// is the last entry of all.
///
/// **Errors.** The destroy and check entries have none to answer; a device that is found lost there is
/// told to [`crate::DeviceCoreLayer::device_removed`].
#[doc(alias = "D3D11DDI_DEVICEFUNCS")]
pub trait DeviceFuncs: Send + Sync {
    /// Lists the sizes of deferred contexts' handles; a kind may have several.
    ///
    /// Asked twice at device creation: with `None` for how many there are, then with that many to fill.
    /// Returns the same number and sizes each time. A size that is larger than
    /// [`crate::storage::MAX_PRIVATE_BYTES`] makes device creation fail.
    /// D3D11: `pfnCheckDeferredContextHandleSizes`.
    #[doc(alias = "pfnCheckDeferredContextHandleSizes")]
    fn check_deferred_context_handle_sizes(&self, sizes: Option<&mut [HandleSize]>) -> usize;

    /// Private bytes of the immediate handle of an object to be, a primary included; at most
    /// [`crate::storage::MAX_PRIVATE_BYTES`]. Asked right before the object is created.
    /// D3D11: `pfnCalcPrivateResourceSize` and its kin.
    #[doc(alias = "pfnCalcPrivateResourceSize")]
    fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize;

    /// Private bytes of a deferred context's handle to an object: one of the sizes that were listed for
    /// its kind. Asked once, right after the object was created, also where no deferred context reaches
    /// the driver. D3D11: `pfnCalcDeferredContextHandleSize`.
    #[doc(alias = "pfnCalcDeferredContextHandleSize")]
    fn calc_deferred_context_handle_size(&self, kind: HandleType, object: &DriverObject) -> usize;

    /// Creates an object with its immediate handle. D3D11: `pfnCreateResource` and its kin.
    ///
    /// No object that lives has the key. The private bytes are zeroed and as many as were asked for; the
    /// immediate context finds what is written there. Initial data is read before this returns; without
    /// it a resource reads as zeros.
    ///
    /// # Errors
    /// The object does not exist then and is not destroyed. [`CreateError::Application`] becomes
    /// `E_INVALIDARG`; [`CreateError::DeviceRemoved`] and [`CreateError::Bug`] remove the device.
    #[doc(alias = "pfnCreateResource")]
    fn create(
        &self,
        key: crate::Key,
        desc: &ObjectDesc<'_>,
        private: &mut [u8],
    ) -> Result<DriverObject, CreateError>;

    /// Destroys an object: all its handles are closed, nothing that depends on it exists, and no list
    /// holds it. D3D11: `pfnDestroyResource` and its kin.
    ///
    /// Commands that were recorded or submitted may still use it, and this thread cannot know: so what
    /// the GPU may use is retired later, in [`crate::ImmediateFuncs::flush`] and after submissions.
    /// Submits nothing and waits for nothing. On a removed device primaries come here too.
    #[doc(alias = "pfnDestroyResource")]
    fn destroy(&self, kind: HandleType, object: DriverObject);

    /// As [`DeviceFuncs::destroy`], for an object that no context has ever had open, which is no primary:
    /// no command uses it, so that its memory may be given back at once. By default it is destroyed as any
    /// other.
    fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
        self.destroy(kind, object);
    }

    /// Makes a deferred context, in its default state and recording. D3D11: `pfnCreateDeferredContext`.
    ///
    /// Only with [`crate::ThreadingCaps::CommandLists`], and not on a device that is
    /// [`SINGLETHREADED`](crate::CreateDeviceFlags::SINGLETHREADED).
    ///
    /// # Errors
    /// The context does not exist then, and is not destroyed. As [`DeviceFuncs::create`].
    #[doc(alias = "pfnCreateDeferredContext")]
    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError>;

    /// A deferred context dies: its recording was abandoned and its handles are closed; its lists live on.
    /// What it keeps, besides memory, is let go of. D3D11: the counterpart of
    /// `pfnRecycleCreateDeferredContext`.
    ///
    /// Called by the thread that drops the application's context. By default the context stays as it is.
    #[doc(alias = "pfnRecycleCreateDeferredContext")]
    fn recycle_destroy_deferred_context(&self, context: DriverContext<Live>) -> DriverContext<Dead> {
        context.die()
    }

    /// A dead context is about to be used again, by this thread. By default nothing happens.
    fn recycle_deferred_context(&self, context: DriverContext<Dead>) -> DriverContext<Cached> {
        context.cache()
    }

    /// Makes a deferred context of a cached one, as [`DeviceFuncs::create_deferred_context`] would make it.
    /// D3D11: `pfnRecycleCreateDeferredContext`.
    ///
    /// By default the cached one is destroyed and another one created.
    ///
    /// # Errors
    /// As [`DeviceFuncs::create_deferred_context`]. The cached one is gone then, too.
    #[doc(alias = "pfnRecycleCreateDeferredContext")]
    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.destroy_deferred_context(context.end());
        self.create_deferred_context(args)
    }

    /// Destroys a deferred context, at whatever stage; one that is alive has abandoned its recording and
    /// closed its handles. Its lists live on. D3D11: `pfnDestroyDevice` on the deferred context.
    #[doc(alias = "pfnDestroyDevice")]
    fn destroy_deferred_context(&self, context: DriverContext<Ended>);

    /// A list dies, after the lists that execute it: it lets go of all objects, and keeps its memory for
    /// the context that recorded it ([`crate::DeferredFuncs::recycle_command_list`]). As in
    /// [`DeviceFuncs::destroy`], commands of it may not have been submitted yet.
    /// D3D11: `pfnRecycleDestroyCommandList`.
    #[doc(alias = "pfnRecycleDestroyCommandList")]
    fn recycle_destroy_command_list(&self, list: DriverList<Live>) -> DriverList<Dead>;

    /// Destroys a list, at whatever stage; one that is alive after the lists that execute it. As in
    /// [`DeviceFuncs::destroy`], commands of it may not have been submitted yet.
    /// D3D11: `pfnDestroyCommandList`.
    #[doc(alias = "pfnDestroyCommandList")]
    fn destroy_command_list(&self, list: DriverList<Ended>);

    /// What can be done with a format; the same each time. D3D11: `pfnCheckFormatSupport`.
    #[doc(alias = "pfnCheckFormatSupport")]
    fn check_format_support(&self, format: Format) -> FormatSupport;

    /// What else can be done with a format; the same each time. Of the answer of Direct3D 11's entry, the bits that the
    /// runtime shows as `D3D11_FORMAT_SUPPORT2`.
    fn check_format_support2(&self, format: Format) -> FormatSupport2;

    /// Quality levels of a number of samples: 0 if it does not work; the same each time.
    /// D3D11: `pfnCheckMultisampleQualityLevels`.
    #[doc(alias = "pfnCheckMultisampleQualityLevels")]
    fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32;

    /// What the driver has counted so far. Asked at any time, so it takes no lock that a draw could wait
    /// for. By default nothing is counted.
    fn statistics(&self) -> DriverStatistics {
        DriverStatistics::default()
    }

    /// Hears what the GPU has done, without waiting, and signals it ([`crate::KernelCallbacks::signal`]). Asked at any
    /// time, also while contexts are entered: a thread that waits for a fence asks again and again. By default nothing
    /// happens, for drivers that signal when a submission is made.
    fn poll(&self) {}

    /// By this an application that knows the driver reaches what lies below it: the runtime passes it on and
    /// looks at nothing in it. No D3D11 counterpart.
    ///
    /// Asked at any time. The application may keep it for longer than the device, so it holds nothing that
    /// [`DeviceFuncs::destroy_device`] gives back. By default there is nothing in it.
    fn driver_object(&self) -> DriverObject {
        Arc::new(())
    }

    /// The same for an object of the device, which is neither destroyed sooner nor kept by it.
    fn driver_object_of(&self, _kind: HandleType, _object: &DriverObject) -> DriverObject {
        Arc::new(())
    }

    /// Destroys the device. D3D11: `pfnDestroyDevice`. The immediate context's private data comes back.
    ///
    /// Every object, list, deferred context and swap chain is destroyed, and no thread is in the driver.
    /// Called once, on the thread that lets go of the device last; waits for the GPU if it must. When it
    /// returns, all memory is deallocated. The tables are dropped after it.
    #[doc(alias = "pfnDestroyDevice")]
    fn destroy_device(&self, immediate: PrivateData);
}
