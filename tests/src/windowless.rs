//! A driver wrapper whose swap chains need no window. A present submits all commands and shows nothing, and
//! the inner driver does everything else, including the rotation of back buffers. A sync interval of
//! [`HIDDEN`] simulates a hidden window.

use std::sync::Arc;

use onze_ddi::{
    forward::{ForwardAdapter, ForwardContext, ForwardDriver, ForwardImmediate},
    raw_window_handle::{DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle},
    *,
};

/// The sync interval that simulates a hidden window: a present with it returns [`PresentStatus::Occluded`].
pub const HIDDEN: u32 = 4;

/// Wraps a driver so that its swap chains need no window, as tests on machines without a display require.
pub fn windowless(inner: Arc<dyn Driver>) -> Arc<dyn Driver> {
    Arc::new(Windowless { inner })
}

/// A window source without a window, accepted only by the drivers that [`windowless`] returns.
#[derive(Clone, Copy, Debug)]
pub struct NoWindow;

impl HasWindowHandle for NoWindow {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

impl HasDisplayHandle for NoWindow {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

/// A wrapper around a driver, an adapter or the entry table of an immediate context.
struct Windowless<T: ?Sized> {
    inner: Arc<T>,
}

impl ForwardDriver for Windowless<dyn Driver> {
    type Inner = dyn Driver;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        Box::pin(async {
            let inner = self.inner.open_adapter(args).await?;
            Ok(Arc::new(Windowless { inner }) as Arc<dyn AdapterFuncs>)
        })
    }
}

impl ForwardAdapter for Windowless<dyn AdapterFuncs> {
    type Inner = dyn AdapterFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        Box::pin(async {
            let created = self.inner.create_device(args).await?;
            let inner = Arc::<dyn ImmediateFuncs>::from(created.immediate_funcs);
            Ok(CreatedDevice { immediate_funcs: Box::new(Windowless { inner }), ..created })
        })
    }
}

impl ForwardContext for Windowless<dyn ImmediateFuncs> {
    type Inner = dyn ImmediateFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }
}

impl ForwardImmediate for Windowless<dyn ImmediateFuncs> {
    fn create_swap_chain(
        &self,
        _: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<CreatedSwapChain, PresentError> {
        let own = Format::B8G8R8A8_UNORM_SRGB;
        let format = if args.format == Format::UNKNOWN { own } else { args.format };
        Ok(CreatedSwapChain {
            object: Arc::new(()),
            format,
            color_spaces: vec![ColorSpace::of_format(format)],
        })
    }

    fn destroy_swap_chain(&self, _: Entry<'_>, swap_chain: DriverObject) {
        drop(swap_chain);
    }

    fn resize_swap_chain(
        &self,
        cx: Entry<'_>,
        _: &DriverObject,
        width: u32,
        height: u32,
    ) -> Result<(), PresentError> {
        Ok(cx.core.set_display_mode(DisplayMode { width, height })?)
    }

    fn set_maximum_frame_latency(&self, _: Entry<'_>, _: &DriverObject, _: u32) {}

    fn set_color_space(&self, _: Entry<'_>, _: &DriverObject, _: ColorSpace) {}

    fn test_present(&self, _: Entry<'_>, _: &DriverObject) -> Result<PresentStatus, PresentError> {
        Ok(PresentStatus::Presented)
    }

    fn present(
        &self,
        mut cx: Entry<'_>,
        _: &DriverObject,
        _: ResourceHandle,
        sync_interval: u32,
    ) -> Result<PresentStatus, PresentError> {
        self.inner.flush(cx.reborrow(), FlushFlags::empty());
        if sync_interval == HIDDEN {
            return Ok(PresentStatus::Occluded);
        }
        cx.core.present(PresentArgs { sync_interval, copied: false })?;
        Ok(PresentStatus::Presented)
    }
}
