//! The entries of the immediate table, one row each, and the trait that a macro generates from them.

use crate::*;

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
pub(super) use immediate_funcs;
immediate_entries!(immediate_funcs);
