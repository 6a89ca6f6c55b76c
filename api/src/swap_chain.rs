//! Swap chains, which present images in a window (D3D11: `IDXGISwapChain1`).

mod back_buffers;
mod desc;
mod present;

use std::{collections::VecDeque, sync::Arc};

use onze_ddi::{
    ColorSpace, CreateSwapChainArgs, CreatedSwapChain, DriverObject, Fence, Format, WindowHandle,
};

use crate::{
    Device, Error, ImmediateContext, RenderTargetView, Texture2d,
    device_core::{Attachments, DeviceCore, attachments},
    report::MessageId,
    validate,
};

pub use desc::SwapChainDesc;
use desc::check_desc;
pub use present::PresentFlags;

/// Presents back buffers in a window (D3D11: `IDXGISwapChain1`).
///
/// The application draws into a single back buffer, through the view
/// [`render_target_view`](Self::render_target_view).
///
/// ```
/// use onze::prelude::*;
///
/// /// Shows a colour, in a window of any size.
/// fn frame(
///     context: &mut ImmediateContext,
///     swap_chain: &mut SwapChain,
///     (width, height): (u32, u32),
/// ) -> Result<(), onze::Error> {
///     if (swap_chain.desc().width, swap_chain.desc().height) != (width, height) {
///         swap_chain.resize_buffers(context, width, height)?;
///     }
///     context.clear_render_target_view(swap_chain.render_target_view()?, [0.1, 0.2, 0.4, 1.0]);
///     swap_chain.present(context, 1)?;
///     Ok(())
/// }
/// ```
#[doc(alias = "IDXGISwapChain1")]
pub struct SwapChain {
    device: Arc<DeviceCore>,
    /// The window, kept for creating the driver half again.
    window: WindowHandle,
    /// The driver half; `None` after a failed change of the description.
    driver: Option<DriverObject>,
    desc: SwapChainDesc,
    color_space: ColorSpace,
    /// Colour spaces that the window supports for the format.
    color_spaces: Vec<ColorSpace>,
    /// The view that the application draws into; `None` after a failed resize.
    target: Option<RenderTargetView>,
    /// The back buffers, with only the first one visible to the application.
    back_buffers: Vec<Texture2d>,
    /// Fences of presents that the GPU may not have finished.
    in_flight: VecDeque<Fence>,
    presents: u32,
    attachments: Attachments,
}

impl std::fmt::Debug for SwapChain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SwapChain").field("desc", &self.desc).finish_non_exhaustive()
    }
}

impl ImmediateContext {
    /// Creates a swap chain for a window (D3D11: `IDXGIFactory2::CreateSwapChainForHwnd` and
    /// `IDXGIFactory::CreateSwapChain`).
    ///
    /// The window is an `Arc` of any type with raw handles. If the machine has several adapters, also pass it
    /// in the [`DeviceDesc`](crate::DeviceDesc).
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a size of 0 or above the texture limit, a format that cannot be rendered to, or a
    /// number of back buffers or frames out of range; [`Error::Fail`] if the adapter cannot present to the window.
    #[doc(alias = "CreateSwapChainForHwnd")]
    #[doc(alias = "CreateSwapChain")]
    pub fn create_swap_chain(
        &mut self,
        window: WindowHandle,
        desc: &SwapChainDesc,
    ) -> Result<SwapChain, Error> {
        let device = self.core.device.clone();
        let result = self.try_create_swap_chain(&device, window, desc);
        device.reject(MessageId::CreateSwapChainInvalid, result)
    }

    fn try_create_swap_chain(
        &mut self,
        device: &Arc<DeviceCore>,
        window: WindowHandle,
        desc: &SwapChainDesc,
    ) -> Result<SwapChain, Error> {
        // A window can have only one swap chain, so the flush destroys a swap chain that was dropped earlier.
        self.flush();
        check_desc(device, desc)?;
        let created = self.create_presenting_half(device, window.clone(), desc)?;
        let mut chain = SwapChain {
            device: device.clone(),
            window,
            driver: Some(created.object),
            desc: SwapChainDesc { format: created.format, ..desc.clone() },
            color_space: first_color_space(&created.color_spaces, created.format),
            color_spaces: created.color_spaces,
            target: None,
            back_buffers: Vec::new(),
            in_flight: VecDeque::new(),
            presents: 0,
            attachments: Attachments::named(desc.label.as_deref().unwrap_or_default()),
        };
        chain.create_back_buffers(self)?;
        Ok(chain)
    }

    /// Creates the driver half. The driver determines the format and the colour spaces of the back buffers.
    fn create_presenting_half(
        &mut self,
        device: &DeviceCore,
        window: WindowHandle,
        desc: &SwapChainDesc,
    ) -> Result<CreatedSwapChain, Error> {
        let args = CreateSwapChainArgs {
            window,
            width: desc.width,
            height: desc.height,
            format: desc.format,
            bind_flags: desc.buffer_usage,
            buffer_count: desc.created_buffers(),
            swap_effect: desc.swap_effect,
            maximum_frame_latency: desc.maximum_frame_latency,
            alpha_mode: desc.alpha_mode,
            label: desc.label.clone(),
        };
        let driver = self.core.with_immediate(|f, cx| f.create_swap_chain(cx.entry(), &args));
        driver.unwrap_or(Err(onze_ddi::PresentError::OutOfMemory)).map_err(|error| device.driver_error(error))
    }
}

attachments!(SwapChain);

impl SwapChain {
    /// Returns the device that presents the images (D3D11: `IDXGIDeviceSubObject::GetDevice`).
    #[doc(alias = "GetDevice")]
    pub fn device(&self) -> Device {
        Device::from_core(&self.device)
    }

    fn attachments(&self) -> &Attachments {
        &self.attachments
    }

    fn current_label(&self) -> String {
        self.attachments.name()
    }

    /// Returns the description with the current size (D3D11: `IDXGISwapChain1::GetDesc1`).
    #[doc(alias = "GetDesc1")]
    pub fn desc(&self) -> &SwapChainDesc {
        &self.desc
    }

    /// Returns the back buffer to draw into (D3D11: `IDXGISwapChain::GetBuffer(0)`).
    ///
    /// The texture stays the same until the next resize, although a present may exchange its memory. In
    /// D3D11's flip model an application can read the other back buffers; here it has no access to them.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if the last resize failed. In this case, repeat the resize.
    #[doc(alias = "GetBuffer")]
    pub fn get_buffer(&self) -> Result<Texture2d, Error> {
        self.back_buffers.first().cloned().ok_or_else(no_back_buffer)
    }

    /// Returns the view for drawing into the back buffer, valid until the next resize.
    ///
    /// The view is borrowed, so that nothing refers to the old back buffer during a resize; call this method
    /// in each frame. No D3D11 counterpart: it replaces `GetBuffer` and `CreateRenderTargetView`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if the last resize failed. In this case, repeat the resize.
    pub fn render_target_view(&self) -> Result<&RenderTargetView, Error> {
        self.target.as_ref().ok_or_else(no_back_buffer)
    }

    /// Returns whether the window supports a colour space for the format of the back buffers (DXGI:
    /// `IDXGISwapChain3::CheckColorSpaceSupport`, with `DXGI_SWAP_CHAIN_COLOR_SPACE_SUPPORT_FLAG_PRESENT`).
    #[doc(alias = "CheckColorSpaceSupport")]
    pub fn check_color_space_support(&self, color_space: ColorSpace) -> bool {
        self.color_spaces.contains(&color_space)
    }

    /// Returns the colour space of the back buffers, initially scRGB for the format `R16G16B16A16_FLOAT` if
    /// the window supports scRGB, or sRGB otherwise.
    pub fn color_space(&self) -> ColorSpace {
        self.color_space
    }

    /// Sets the colour space in which the application writes the back buffers, from the next frame on (DXGI:
    /// `IDXGISwapChain3::SetColorSpace1`).
    ///
    /// [`resize_buffers_with`](Self::resize_buffers_with) resets the colour space.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a colour space that the window does not support for the format
    /// ([`check_color_space_support`](Self::check_color_space_support)); [`Error::InvalidCall`] for a context of
    /// another device.
    #[doc(alias = "SetColorSpace1")]
    pub fn set_color_space1(
        &mut self,
        context: &mut ImmediateContext,
        color_space: ColorSpace,
    ) -> Result<(), Error> {
        let checked = self.check_context(context).and_then(|()| self.check_color_space(color_space));
        self.device.reject(MessageId::PresentInvalid, checked)?;
        if let Some(driver) = &self.driver {
            context.core.with_immediate(|f, cx| f.set_color_space(cx.entry(), driver, color_space));
        }
        self.color_space = color_space;
        Ok(())
    }

    fn check_color_space(&self, color_space: ColorSpace) -> Result<(), Error> {
        if self.check_color_space_support(color_space) {
            return Ok(());
        }
        let format = self.desc.format;
        Err(Error::InvalidArg(format!(
            "{}: the window does not show {format:?} in ColorSpace::{color_space:?}, only in {}; ask \
             `check_color_space_support` first",
            self.name(),
            self.color_spaces
                .iter()
                .map(|space| format!("ColorSpace::{space:?}"))
                .collect::<Vec<_>>()
                .join(" and ")
        )))
    }

    /// Returns the kind and the label of the swap chain, for messages.
    fn name(&self) -> String {
        validate::named("swap chain", &self.attachments.name())
    }

    fn check_context(&self, context: &ImmediateContext) -> Result<(), Error> {
        if Arc::ptr_eq(&self.device, &context.core.device) {
            Ok(())
        } else {
            Err(Error::InvalidCall(format!(
                "{} does not belong to the context's device; pass the immediate context that made it",
                self.name()
            )))
        }
    }
}

/// Returns the initial colour space of a window: the first supported one, or the format's colour space if the
/// list is empty.
fn first_color_space(color_spaces: &[ColorSpace], format: Format) -> ColorSpace {
    color_spaces.first().copied().unwrap_or_else(|| ColorSpace::of_format(format))
}

fn no_presenting_half() -> Error {
    Error::InvalidCall(
        "the window refused the last description of the swap chain; call `resize_buffers_with` with another one"
            .to_owned(),
    )
}

fn no_back_buffer() -> Error {
    Error::InvalidCall(
        "the swap chain has no back buffer because its last resize failed; resize again".to_owned(),
    )
}

impl Drop for SwapChain {
    fn drop(&mut self) {
        self.target = None;
        self.back_buffers.clear();
        if let Some(driver) = self.driver.take() {
            self.device.release_swap_chain(driver);
        }
    }
}
