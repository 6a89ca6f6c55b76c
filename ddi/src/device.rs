//! The device table: the entries that create, destroy, calculate and check, which any thread may call.
//!
//! The table does not change during the device's life, and [`DeviceFuncs`] documents the rules for all its
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
//! // The create entry returns the object, and all contexts share it.
//! let object: DriverObject = Arc::new(Buffer { bytes: 64 });
//! // An entry that receives the object can access the driver's data.
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
    stream_output::StreamOutputDesc,
    view::ViewDesc,
};

/// The read-only half of an object, which the create entry returns once and which all contexts share.
pub type DriverObject = Arc<dyn Any + Send + Sync>;

/// A driver's private data of a context, lent to each entry of that context.
pub type PrivateData = Box<dyn Any + Send>;

/// An object with its handle, passed when another object that depends on it is created or opened.
#[derive(Debug)]
pub struct ObjectRef<'a, K> {
    /// The object's handle in the context that was entered, or in the immediate context during creation.
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

/// The size of the private data of a deferred context's handle, for one handle type (D3D11:
/// `D3D11DDI_HANDLESIZE`).
#[doc(alias = "D3D11DDI_HANDLESIZE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct HandleSize {
    /// The type of object that the handle refers to.
    pub kind: HandleType,
    /// Size of the private data in bytes, at most [`crate::storage::MAX_PRIVATE_BYTES`].
    pub size: usize,
}

/// The description of an object to create, with resolved descriptors and with the objects that the new object
/// depends on.
#[derive(Copy, Clone, Debug)]
pub enum ObjectDesc<'a> {
    /// A buffer or texture, with optional initial contents.
    Resource {
        /// The descriptor of the resource, with all defaults resolved.
        desc: &'a ResourceDesc,
        /// The initial contents, one element per subresource, or an empty slice.
        initial_data: &'a [SubresourceData<'a>],
    },
    /// A shader-resource view of a texture or buffer.
    ShaderResourceView {
        /// The view's resource, with its handle in the immediate context.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with all defaults resolved.
        desc: &'a ViewDesc,
    },
    /// A render-target view of a texture.
    RenderTargetView {
        /// The view's resource, with its handle in the immediate context.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with all defaults resolved.
        desc: &'a ViewDesc,
    },
    /// A depth-stencil view of a texture.
    DepthStencilView {
        /// The view's resource, with its handle in the immediate context.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with all defaults resolved.
        desc: &'a ViewDesc,
    },
    /// An unordered-access view of a texture or buffer.
    UnorderedAccessView {
        /// The view's resource, with its handle in the immediate context.
        resource: ObjectRef<'a, kind::Resource>,
        /// The descriptor of the view, with all defaults resolved.
        desc: &'a ViewDesc,
    },
    /// A shader, which the runtime has already validated.
    Shader {
        /// The validated module with its reflection, the counterpart of D3D11's token stream.
        code: &'a Arc<ShaderCode>,
        /// The vertices that a shader of the geometry stage writes to buffers, if it does. `code` is then a geometry
        /// shader, or a vertex or domain shader whose results are written as they are. Only with
        /// [`Features::STREAM_OUTPUT`](crate::Features::STREAM_OUTPUT) (D3D11:
        /// `pfnCreateGeometryShaderWithStreamOutput`).
        #[doc(alias = "pfnCreateGeometryShaderWithStreamOutput")]
        stream_output: Option<&'a Arc<StreamOutputDesc>>,
        /// A name for log messages and graphics debuggers.
        label: &'a str,
    },
    /// An input layout that the runtime has already matched to its shader.
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
    /// A query of any type, including predicates.
    Query(QueryDesc),
}

impl<'a> ObjectDesc<'a> {
    /// Returns a view's resource and descriptor, or `None` for all other objects.
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

    /// The type of object that the description creates.
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

/// A deferred context as its driver returns it, recording and in its default state.
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

/// Passes the entries of [`DeviceFuncs`] to a macro, as the declarations of a trait.
macro_rules! device_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Lists the private sizes of deferred contexts' handles, with one or more sizes per handle type.
        ///
        /// Called twice at device creation (D3D11: `pfnCheckDeferredContextHandleSizes`): first with `None`
        /// to get the count, and then with a slice of that length for the driver to fill. Both calls must
        /// return the same count. Device creation fails if a size exceeds
        /// [`crate::storage::MAX_PRIVATE_BYTES`].
        #[doc(alias = "pfnCheckDeferredContextHandleSizes")]
        fn check_deferred_context_handle_sizes(&self, sizes: Option<&mut [HandleSize]>) -> usize;

        /// Returns the number of private bytes for an object's handle in the immediate context, at most
        /// [`crate::storage::MAX_PRIVATE_BYTES`] (D3D11: `pfnCalcPrivateResourceSize` and its counterparts
        /// for other objects). Called before the object is created, for primaries as well.
        #[doc(alias = "pfnCalcPrivateResourceSize")]
        fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize;

        /// Returns the number of private bytes for an object's handle in a deferred context (D3D11:
        /// `pfnCalcDeferredContextHandleSize`). The number is one of the sizes that the driver listed for the
        /// handle type. Called once, right after the object was created, even if the driver has no deferred
        /// contexts.
        #[doc(alias = "pfnCalcDeferredContextHandleSize")]
        fn calc_deferred_context_handle_size(&self, kind: HandleType, object: &DriverObject) -> usize;

        /// Creates an object and its handle in the immediate context (D3D11: `pfnCreateResource` and its
        /// counterparts for other objects).
        ///
        /// No live object has the same key. The private bytes, which are zeroed and have the requested size,
        /// become the handle's private bytes in the immediate context. The driver reads initial data before
        /// the entry returns, and a resource without initial data contains zeros.
        ///
        /// # Errors
        /// Returns a [`CreateError`] if the object cannot be created, and the runtime then does not destroy
        /// the object. The application receives [`CreateError::Application`] as `E_INVALIDARG`.
        /// [`CreateError::DeviceRemoved`] and [`CreateError::Bug`] remove the device.
        #[doc(alias = "pfnCreateResource")]
        fn create(
            &self,
            key: crate::Key,
            desc: &ObjectDesc<'_>,
            private: &mut [u8],
        ) -> Result<DriverObject, CreateError>;

        /// Destroys an object (D3D11: `pfnDestroyResource` and its counterparts for other objects). All its
        /// handles are closed, and no list or other object needs it.
        ///
        /// Recorded or submitted commands may still use the object, and the calling thread cannot know this.
        /// The driver therefore deallocates memory that the GPU may use later, in
        /// [`crate::ImmediateFuncs::flush`] or after a submission. The entry neither submits nor waits, and
        /// on a removed device, it also destroys primaries.
        #[doc(alias = "pfnDestroyResource")]
        fn destroy(&self, kind: HandleType, object: DriverObject);

        /// Destroys an object that no context has ever opened and that is not a primary. No command uses the
        /// object, so the driver may deallocate its memory at once. The default implementation calls
        /// [`DeviceFuncs::destroy`].
        fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
            self.destroy(kind, object);
        }

        /// Creates a deferred context that is recording and in its default state (D3D11:
        /// `pfnCreateDeferredContext`).
        ///
        /// Only called with [`crate::ThreadingCaps::CommandLists`], and not on a
        /// [`SINGLETHREADED`](crate::CreateDeviceFlags::SINGLETHREADED) device.
        ///
        /// # Errors
        /// Returns the same errors as [`DeviceFuncs::create`] if the context cannot be created, in which case
        /// the runtime does not destroy it.
        #[doc(alias = "pfnCreateDeferredContext")]
        fn create_deferred_context(
            &self,
            args: &CreateDeferredContextArgs,
        ) -> Result<CreatedDeferredContext, CreateError>;

        /// Turns a live deferred context into a dead one (D3D11: the counterpart of
        /// `pfnRecycleCreateDeferredContext`). The context's recording was abandoned and its handles are
        /// closed, but its lists may still exist. The driver releases all objects that the context uses, and
        /// keeps the context's memory.
        ///
        /// Called by the thread that drops the application's context. The default implementation releases
        /// nothing.
        #[doc(alias = "pfnRecycleCreateDeferredContext")]
        fn recycle_destroy_deferred_context(&self, context: DriverContext<Live>) -> DriverContext<Dead> {
            context.die()
        }

        /// Turns a dead context into a cached one, which the calling thread is about to use again. The
        /// default implementation does nothing else.
        fn recycle_deferred_context(&self, context: DriverContext<Dead>) -> DriverContext<Cached> {
            context.cache()
        }

        /// Turns a cached context into a live one that is recording and in its default state (D3D11:
        /// `pfnRecycleCreateDeferredContext`). The default implementation destroys the cached context and
        /// creates a new one.
        ///
        /// # Errors
        /// Returns the same errors as [`DeviceFuncs::create_deferred_context`]. An error also ends the cached
        /// context.
        #[doc(alias = "pfnRecycleCreateDeferredContext")]
        fn recycle_create_deferred_context(
            &self,
            context: DriverContext<Cached>,
            args: &CreateDeferredContextArgs,
        ) -> Result<CreatedDeferredContext, CreateError> {
            self.destroy_deferred_context(context.end());
            self.create_deferred_context(args)
        }

        /// Destroys a deferred context at any stage (D3D11: `pfnDestroyDevice` on the deferred context). If
        /// the context is live, its recording was abandoned and its handles are closed, but its lists may
        /// still exist.
        #[doc(alias = "pfnDestroyDevice")]
        fn destroy_deferred_context(&self, context: DriverContext<Ended>);

        /// Turns a live list into a dead one, after the lists that execute it (D3D11:
        /// `pfnRecycleDestroyCommandList`). The driver releases all objects that the list uses, and keeps the
        /// list's memory for the context that recorded it ([`crate::DeferredFuncs::recycle_command_list`]).
        /// As in [`DeviceFuncs::destroy`], some of the list's commands may not have been submitted yet.
        #[doc(alias = "pfnRecycleDestroyCommandList")]
        fn recycle_destroy_command_list(&self, list: DriverList<Live>) -> DriverList<Dead>;

        /// Destroys a list at any stage (D3D11: `pfnDestroyCommandList`). A live list is destroyed only after
        /// the lists that execute it. As in [`DeviceFuncs::destroy`], some of the list's commands may not
        /// have been submitted yet.
        #[doc(alias = "pfnDestroyCommandList")]
        fn destroy_command_list(&self, list: DriverList<Ended>);

        /// Returns the supported uses of a format, which do not change during the device's life (D3D11:
        /// `pfnCheckFormatSupport`).
        #[doc(alias = "pfnCheckFormatSupport")]
        fn check_format_support(&self, format: Format) -> FormatSupport;

        /// Returns further supported uses of a format, which do not change during the device's life (D3D11:
        /// the bits that the runtime exposes as `D3D11_FORMAT_SUPPORT2`).
        #[doc(alias = "D3D11_FORMAT_SUPPORT2")]
        fn check_format_support2(&self, format: Format) -> FormatSupport2;

        /// Returns the number of quality levels for a sample count, or 0 if the count is not supported
        /// (D3D11: `pfnCheckMultisampleQualityLevels`). The result does not change during the device's life.
        #[doc(alias = "pfnCheckMultisampleQualityLevels")]
        fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32;

        /// Returns the driver's counters, which the default implementation leaves at zero. This may be called
        /// at any time, so it must not take a lock that a draw could wait for.
        fn statistics(&self) -> DriverStatistics {
            DriverStatistics::default()
        }

        /// Checks the GPU's progress without waiting, and signals completed work
        /// ([`crate::KernelCallbacks::signal`]). A thread that waits for a fence polls, so this may be called
        /// at any time, even while other threads are in contexts. The default implementation does nothing,
        /// which suits drivers that signal when they submit.
        fn poll(&self) {}

        /// Returns an object through which an application that knows the driver reaches the underlying API.
        /// The runtime forwards it without inspecting it, and Direct3D 11 has no counterpart.
        ///
        /// May be called at any time. The application may keep the object longer than the device, so the
        /// object must own no memory that [`DeviceFuncs::destroy_device`] deallocates. The default
        /// implementation returns an empty object.
        fn driver_object(&self) -> DriverObject {
            Arc::new(())
        }

        /// Returns a driver-specific object, as in [`DeviceFuncs::driver_object`], for one object of the
        /// device. It must not keep that object alive, and the application may keep it longer.
        fn driver_object_of(&self, _kind: HandleType, _object: &DriverObject) -> DriverObject {
            Arc::new(())
        }

        /// Destroys the device and takes the immediate context's private data back (D3D11:
        /// `pfnDestroyDevice`).
        ///
        /// Called once, on the thread that releases the device last. All objects, lists, deferred contexts
        /// and swap chains are already destroyed, and no thread is in the driver. The driver waits for the
        /// GPU if necessary, and deallocates all memory before it returns. The runtime then drops the tables.
        #[doc(alias = "pfnDestroyDevice")]
        fn destroy_device(&self, immediate: PrivateData);
    } };
}
pub(crate) use device_entries;

macro_rules! device_funcs {
    ($($entries:tt)*) => {
        /// The device table (D3D11: the entries of `D3D11DDI_DEVICEFUNCS` that start with `pfnCreate`,
        /// `pfnDestroy`, `pfnCalc` and `pfnCheck`).
        ///
        /// **Threads.** With [`crate::ThreadingCaps::FreeThreaded`] or
        /// [`crate::ThreadingCaps::CommandLists`], any number of threads may be in the device table at the
        /// same time, even while other threads are in contexts. With [`crate::ThreadingCaps::Serialized`],
        /// only one thread at a time is in the driver. The two calc entries are free-threaded in all cases,
        /// because they depend only on their arguments and call no callback. A destroy entry may be called
        /// within amortized processing, on a thread that is in the immediate context.
        ///
        /// **Order.** For each object, the runtime calls `calc_private_size`, `create` and
        /// `calc_deferred_context_handle_size`. It then uses the object in contexts, and finally calls
        /// `destroy`. A view is created after its resource and destroyed before it. On a removed device, the
        /// runtime creates no more objects but still destroys existing ones. The last entry that it calls is
        /// `destroy_device`.
        ///
        /// **Errors.** The destroy and check entries cannot return errors. If the driver detects a lost
        /// device there, it calls [`crate::DeviceCoreLayer::device_removed`].
        #[doc(alias = "D3D11DDI_DEVICEFUNCS")]
        pub trait DeviceFuncs: Send + Sync {
            $($entries)*
        }
    };
}
device_entries!(device_funcs);
