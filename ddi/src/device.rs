//! The device table: the entries that create, destroy, calculate and check, for any thread.
//!
//! The table never changes during the device's life, and [`DeviceFuncs`] documents the rules for all its
//! entries.
//!
//! ```
//! use std::sync::Arc;
//!
//! use onze_ddi::DriverObject;
//!
//! /// The driver's data for a buffer.
//! struct Buffer {
//!     bytes: u64,
//! }
//!
//! // The create entry returns it, and all contexts share it.
//! let object: DriverObject = Arc::new(Buffer { bytes: 64 });
//! // Every entry that gets the object finds the driver's data in it.
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

/// The read-only half of an object, which its create entry returns once and which all contexts share.
pub type DriverObject = Arc<dyn Any + Send + Sync>;

/// A driver's private data of a context, lent to each entry of that context.
pub type PrivateData = Box<dyn Any + Send>;

/// An object together with its handle, as a driver needs it to create a dependent object.
#[derive(Debug)]
pub struct ObjectRef<'a, K> {
    /// The handle in the immediate context.
    pub handle: Handle<K>,
    /// The read-only half, which all contexts share.
    pub object: &'a DriverObject,
}

impl<K> Copy for ObjectRef<'_, K> {}

impl<K> Clone for ObjectRef<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

/// The size of a deferred context's private data per handle, as the driver lists them (D3D11:
/// `D3D11DDI_HANDLESIZE`).
#[doc(alias = "D3D11DDI_HANDLESIZE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct HandleSize {
    /// The kind of object that the handle refers to.
    pub kind: HandleType,
    /// Size of the private data in bytes, at most [`crate::storage::MAX_PRIVATE_BYTES`].
    pub size: usize,
}

/// The description of an object to create, with resolved descriptors and the objects that it depends on.
#[derive(Copy, Clone, Debug)]
pub enum ObjectDesc<'a> {
    /// A buffer or texture, with optional initial contents.
    Resource {
        /// The descriptor of the resource, with every default resolved.
        desc: &'a ResourceDesc,
        /// The initial contents, as one element per subresource, or none.
        initial_data: &'a [SubresourceData<'a>],
    },
    /// A shader-resource view of a texture or buffer.
    ShaderResourceView {
        /// The resource that the view shows, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with every default resolved by the runtime.
        desc: &'a ViewDesc,
    },
    /// A render-target view of a texture.
    RenderTargetView {
        /// The resource that the view shows, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with every default resolved by the runtime.
        desc: &'a ViewDesc,
    },
    /// A depth-stencil view of a texture.
    DepthStencilView {
        /// The resource that the view shows, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with every default resolved by the runtime.
        desc: &'a ViewDesc,
    },
    /// An unordered-access view of a texture or buffer.
    UnorderedAccessView {
        /// The resource that the view shows, with its immediate handle.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with every default resolved by the runtime.
        desc: &'a ViewDesc,
    },
    /// A shader, which the runtime has already validated.
    Shader {
        /// The validated module with its reflection, the counterpart of D3D11's token stream.
        code: &'a Arc<ShaderCode>,
        /// A name for log messages and graphics debuggers.
        label: &'a str,
    },
    /// An input layout, already matched to the shader that it was created with.
    ElementLayout {
        /// The elements, with resolved locations and offsets.
        elements: &'a [ElementDesc],
    },
    /// A blend state with the descriptor of its eight targets.
    BlendState(&'a BlendDesc),
    /// A depth-stencil state with the descriptor of both tests.
    DepthStencilState(&'a DepthStencilDesc),
    /// A rasterizer state with the descriptor of culling, bias and clipping.
    RasterizerState(&'a RasterizerDesc),
    /// A sampler state with the descriptor of filtering and addressing.
    Sampler(&'a SamplerDesc),
    /// A query of any kind, including predicates.
    Query(QueryDesc),
}

impl<'a> ObjectDesc<'a> {
    /// Returns a view's resource and descriptor, or `None` for all other objects, which depend on nothing.
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

    /// The kind of object that the description creates.
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

/// The arguments of [`DeviceFuncs::create_deferred_context`].
#[derive(Clone, Debug, Default)]
pub struct CreateDeferredContextArgs {
    /// A name for log messages and debuggers, if the application gave one.
    pub label: crate::Label,
}

/// A deferred context as returned by its driver, recording and in its default state.
pub struct CreatedDeferredContext {
    /// The table, which stays the same for the life of the context.
    pub funcs: Arc<dyn DeferredFuncs>,
    /// The private data, lent to each entry of the context.
    pub private: DriverContext<Live>,
}

impl std::fmt::Debug for CreatedDeferredContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedDeferredContext").finish_non_exhaustive()
    }
}

/// The device table (D3D11: the entries of `D3D11DDI_DEVICEFUNCS` that start with `pfnCreate`, `pfnDestroy`,
/// `pfnCalc` and `pfnCheck`).
///
/// **Threads.** With [`crate::ThreadingCaps::FreeThreaded`] or better, any number of threads may enter at
/// once, even while contexts are entered. With [`crate::ThreadingCaps::Serialized`], only one thread at a
/// time is in the driver. The two calc entries are always free-threaded, because they depend on nothing but
/// their arguments and call no callback. A destroy entry may come from within amortized processing, on a
/// thread that is in the immediate context.
///
/// **Order.** Each object goes through `calc_private_size`, `create`, `calc_deferred_context_handle_size`,
/// its use in contexts, and then `destroy`, where a view is created after its resource and destroyed before
/// it. On a removed device the runtime creates nothing more but continues to destroy, up to `destroy_device`,
/// the last entry of all.
///
/// **Errors.** The destroy and check entries cannot return errors, so a driver that finds the device lost there reports
/// it to [`crate::DeviceCoreLayer::device_removed`].
#[doc(alias = "D3D11DDI_DEVICEFUNCS")]
pub trait DeviceFuncs: Send + Sync {
    /// Lists the sizes of deferred contexts' handles, with one or more sizes per kind.
    ///
    /// Called twice at device creation: with `None` for the count, then with that many elements to fill
    /// (D3D11: `pfnCheckDeferredContextHandleSizes`). Returns the same count and sizes each time, and device
    /// creation fails if a size exceeds [`crate::storage::MAX_PRIVATE_BYTES`].
    #[doc(alias = "pfnCheckDeferredContextHandleSizes")]
    fn check_deferred_context_handle_sizes(&self, sizes: Option<&mut [HandleSize]>) -> usize;

    /// Returns the number of private bytes, at most [`crate::storage::MAX_PRIVATE_BYTES`], for the immediate
    /// handle of an object that is about to be created, including primaries (D3D11:
    /// `pfnCalcPrivateResourceSize` and its counterparts for other objects).
    #[doc(alias = "pfnCalcPrivateResourceSize")]
    fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize;

    /// Returns the number of private bytes for a deferred context's handle to an object, which is one of the
    /// sizes listed for its kind (D3D11: `pfnCalcDeferredContextHandleSize`). Called once, right after the
    /// object was created, even if no deferred context reaches the driver.
    #[doc(alias = "pfnCalcDeferredContextHandleSize")]
    fn calc_deferred_context_handle_size(&self, kind: HandleType, object: &DriverObject) -> usize;

    /// Creates an object with its immediate handle (D3D11: `pfnCreateResource` and its counterparts for other
    /// objects).
    ///
    /// No live object has the key, the private bytes are zeroed and have the requested size, and the
    /// immediate context finds the values that are written there. Initial data is read before this returns,
    /// and a resource without initial data reads as zeros.
    ///
    /// # Errors
    /// The object then does not exist and is not destroyed, and [`CreateError::Application`] becomes
    /// `E_INVALIDARG`, while [`CreateError::DeviceRemoved`] and [`CreateError::Bug`] remove the device.
    #[doc(alias = "pfnCreateResource")]
    fn create(
        &self,
        key: crate::Key,
        desc: &ObjectDesc<'_>,
        private: &mut [u8],
    ) -> Result<DriverObject, CreateError>;

    /// Destroys an object whose handles are all closed and that no other object and no list needs (D3D11:
    /// `pfnDestroyResource` and its counterparts for other objects).
    ///
    /// Recorded or submitted commands may still use the object, and this thread cannot know that, so memory
    /// that the GPU may use is retired later, in [`crate::ImmediateFuncs::flush`] and after submissions. The
    /// entry submits nothing, waits for nothing, and on a removed device also destroys primaries.
    #[doc(alias = "pfnDestroyResource")]
    fn destroy(&self, kind: HandleType, object: DriverObject);

    /// Destroys an object that no context has ever had open and that is not a primary, so its memory may be
    /// given back at once, because no command uses it. By default this calls [`DeviceFuncs::destroy`].
    fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
        self.destroy(kind, object);
    }

    /// Creates a deferred context that is recording and in its default state (D3D11:
    /// `pfnCreateDeferredContext`).
    ///
    /// Only called with [`crate::ThreadingCaps::CommandLists`], and never on a
    /// [`SINGLETHREADED`](crate::CreateDeviceFlags::SINGLETHREADED) device.
    ///
    /// # Errors
    /// The context then does not exist and is not destroyed, and the errors are those of
    /// [`DeviceFuncs::create`].
    #[doc(alias = "pfnCreateDeferredContext")]
    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError>;

    /// Turns a live deferred context into a dead one (D3D11: the counterpart of
    /// `pfnRecycleCreateDeferredContext`), whose recording was abandoned and whose handles are closed, but
    /// whose lists live on. The driver releases everything that the context holds except memory.
    ///
    /// Called by the thread that drops the application's context, and by default leaves the context
    /// unchanged.
    #[doc(alias = "pfnRecycleCreateDeferredContext")]
    fn recycle_destroy_deferred_context(&self, context: DriverContext<Live>) -> DriverContext<Dead> {
        context.die()
    }

    /// Takes back a dead context that this thread is about to use again, which needs nothing by default.
    fn recycle_deferred_context(&self, context: DriverContext<Dead>) -> DriverContext<Cached> {
        context.cache()
    }

    /// Turns a cached context into a live one, in the state that [`DeviceFuncs::create_deferred_context`]
    /// would give it (D3D11: `pfnRecycleCreateDeferredContext`). By default the cached context is destroyed
    /// and a new one created.
    ///
    ///
    /// # Errors
    /// As for [`DeviceFuncs::create_deferred_context`], except that the cached context is also gone.
    #[doc(alias = "pfnRecycleCreateDeferredContext")]
    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.destroy_deferred_context(context.end());
        self.create_deferred_context(args)
    }

    /// Destroys a deferred context at any stage (D3D11: `pfnDestroyDevice` on the deferred context). A live
    /// context has abandoned its recording and closed its handles, but its lists live on.
    #[doc(alias = "pfnDestroyDevice")]
    fn destroy_deferred_context(&self, context: DriverContext<Ended>);

    /// Turns a live list into a dead one, after the lists that execute it (D3D11:
    /// `pfnRecycleDestroyCommandList`). The list releases all objects and keeps its memory for the context
    /// that recorded it ([`crate::DeferredFuncs::recycle_command_list`]). As in [`DeviceFuncs::destroy`],
    /// some of its commands may not have been submitted yet.
    #[doc(alias = "pfnRecycleDestroyCommandList")]
    fn recycle_destroy_command_list(&self, list: DriverList<Live>) -> DriverList<Dead>;

    /// Destroys a list at any stage, but a live list only after the lists that execute it (D3D11:
    /// `pfnDestroyCommandList`). As in [`DeviceFuncs::destroy`], some of its commands may not have been
    /// submitted yet.
    #[doc(alias = "pfnDestroyCommandList")]
    fn destroy_command_list(&self, list: DriverList<Ended>);

    /// Returns the supported uses of a format, which never change (D3D11: `pfnCheckFormatSupport`).
    #[doc(alias = "pfnCheckFormatSupport")]
    fn check_format_support(&self, format: Format) -> FormatSupport;

    /// Returns further supported uses of a format, which never change: the bits of Direct3D 11's entry that
    /// the runtime exposes as `D3D11_FORMAT_SUPPORT2`.
    fn check_format_support2(&self, format: Format) -> FormatSupport2;

    /// Returns the number of quality levels for a sample count, which never changes and is 0 if the count is
    /// not supported (D3D11: `pfnCheckMultisampleQualityLevels`).
    #[doc(alias = "pfnCheckMultisampleQualityLevels")]
    fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32;

    /// Returns the driver's counters, which are all 0 by default, and is called at any time, so it must not
    /// take a lock that a draw could wait for.
    fn statistics(&self) -> DriverStatistics {
        DriverStatistics::default()
    }

    /// Checks the GPU's progress without waiting and signals it ([`crate::KernelCallbacks::signal`]). Called
    /// at any time, even while contexts are entered, because a thread that waits for a fence polls. By
    /// default nothing happens, which suits drivers that signal when they submit.
    fn poll(&self) {}

    /// Returns an object through which an application that knows the driver reaches the underlying API. The runtime
    /// forwards it without inspecting it, and Direct3D 11 has no counterpart.
    ///
    /// Called at any time, and empty by default. The application may keep the object longer than the device,
    /// so it holds nothing that [`DeviceFuncs::destroy_device`] gives back.
    fn driver_object(&self) -> DriverObject {
        Arc::new(())
    }

    /// Returns such an object for one object of the device, which it neither keeps alive nor is destroyed
    /// with.
    fn driver_object_of(&self, _kind: HandleType, _object: &DriverObject) -> DriverObject {
        Arc::new(())
    }

    /// Destroys the device and takes the immediate context's private data back (D3D11: `pfnDestroyDevice`).
    ///
    /// Called once, on the thread that releases the device last, when every object, list, deferred context
    /// and swap chain is destroyed and no thread is in the driver. It waits for the GPU if necessary, and
    /// when it returns, all memory is deallocated, and the tables are dropped afterwards.
    #[doc(alias = "pfnDestroyDevice")]
    fn destroy_device(&self, immediate: PrivateData);
}
