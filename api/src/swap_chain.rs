//! Swap chains, which present images in a window (D3D11: `IDXGISwapChain1`).

mod desc;

use std::{collections::VecDeque, sync::Arc};

use onze_ddi::{
    ColorSpace, CreateSwapChainArgs, CreatedSwapChain, DriverObject, Fence, Format, Handle, HandleType,
    KernelCallbacks as _, ObjectDesc, PresentStatus, ResourceDesc, Texture2dDesc, TextureDesc, WindowHandle,
};

use crate::{
    Device, Error, ImmediateContext, RenderTargetView, Texture2d,
    device_core::{Attachments, DeviceCore, NewObject, ObjectData, ObjectShared, PrivateBytes, attachments},
    objects::sealed::Sealed as _,
    report::MessageId,
    validate,
};

pub use desc::SwapChainDesc;
use desc::{check_counts, check_desc, check_size};

bitflags::bitflags! {
    /// Options for a present (DXGI: `DXGI_PRESENT`, with its values).
    #[doc(alias = "DXGI_PRESENT")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct PresentFlags: u32 {
        /// Presents nothing and returns whether a present would be visible, so that applications can wait
        /// until their window can be seen again (`DXGI_PRESENT_TEST`).
        #[doc(alias = "DXGI_PRESENT_TEST")]
        const TEST = 1;
        /// Allows tearing with an interval of 0, but has no effect because tearing is allowed wherever the
        /// window supports it (`DXGI_PRESENT_ALLOW_TEARING`).
        #[doc(alias = "DXGI_PRESENT_ALLOW_TEARING")]
        const ALLOW_TEARING = 0x200;
        /// Makes a present fail with [`Error::WasStillDrawing`] instead of waiting
        /// (`DXGI_PRESENT_DO_NOT_WAIT`).
        #[doc(alias = "DXGI_PRESENT_DO_NOT_WAIT")]
        const DO_NOT_WAIT = 8;
    }
}

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

    /// Submits the recorded commands and shows the back buffer (D3D11: `IDXGISwapChain::Present`).
    ///
    /// A sync interval of 0 does not wait, and 1 waits for the next refresh of the display if the system
    /// supports it. Intervals of 2 to 4 act as 1, although Direct3D waits for that many refreshes. If the
    /// back buffer is the window's own memory, a change of the interval takes effect from the next frame on.
    /// If the frame cannot be shown, the call does not fail but returns [`PresentStatus::Occluded`] at once,
    /// so a render loop should sleep before its next frame.
    ///
    /// [`SwapChainDesc::swap_effect`] determines the state of the back buffer afterwards:
    ///
    /// * [`SwapEffect::FlipDiscard`](crate::SwapEffect::FlipDiscard), the default: the contents are
    ///   undefined, so draw or clear the whole back buffer in each frame. It is unbound from the context, so
    ///   bind it again in each frame.
    /// * [`SwapEffect::FlipSequential`](crate::SwapEffect::FlipSequential): the back buffer is unbound, and
    ///   the `n` back buffers rotate. Each back buffer gets the memory of the next one, and the last one gets
    ///   the memory of the first, which is on the screen. After this present, the back buffer therefore
    ///   contains the image that was presented `n - 1` presents earlier. With two buffers, that is the image
    ///   of the present before this one. All back buffers initially contain zeros.
    /// * [`SwapEffect::Sequential`](crate::SwapEffect::Sequential): the back buffer stays bound. A single
    ///   back buffer keeps its contents, and several back buffers rotate.
    /// * [`SwapEffect::Discard`](crate::SwapEffect::Discard): the contents are undefined, and the back buffer
    ///   stays bound.
    ///
    /// The texture and its views stay valid and refer to the new memory. A command list uses the memory that
    /// is current when the immediate context executes the list. A present that returns
    /// [`PresentStatus::Occluded`] does not rotate the buffers.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a sync interval above 4; [`Error::DeviceRemoved`] if the device was removed;
    /// [`Error::Fail`] if the window no longer exists; [`Error::InvalidCall`] for a context of another
    /// device.
    #[doc(alias = "Present")]
    pub fn present(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        let result = self.try_present(context, sync_interval);
        self.device.reject(MessageId::PresentInvalid, result)
    }

    /// Works like [`present`](Self::present), but fails instead of waiting if the GPU has
    /// [`SwapChainDesc::maximum_frame_latency`] unfinished frames (D3D11: `Present` with
    /// `DXGI_PRESENT_DO_NOT_WAIT`).
    ///
    /// # Errors
    /// [`Error::WasStillDrawing`] if the call would have to wait, in which case the recorded commands are
    /// submitted, but nothing is shown and the back buffer keeps its contents. Otherwise returns the same
    /// errors as [`present`](Self::present).
    #[doc(alias = "Present")]
    #[doc(alias = "DXGI_PRESENT_DO_NOT_WAIT")]
    pub fn try_present_now(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        let ready = self.check_context(context).and_then(|()| {
            // The flush also updates which fences the GPU has passed.
            context.flush();
            if self.frames_in_flight() < self.desc.maximum_frame_latency as usize {
                Ok(())
            } else {
                Err(Error::WasStillDrawing)
            }
        });
        match ready {
            Ok(()) => self.present(context, sync_interval),
            Err(Error::WasStillDrawing) => Err(Error::WasStillDrawing),
            refused => {
                self.device.reject(MessageId::PresentInvalid, refused.map(|()| PresentStatus::Occluded))
            }
        }
    }

    /// Works like [`present`](Self::present), but accepts flags (DXGI: `Present` and `Present1`).
    ///
    /// With [`PresentFlags::DO_NOT_WAIT`], the call works like [`try_present_now`](Self::try_present_now).
    /// DXGI flags that [`PresentFlags`] does not define are refused.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for unknown flags, and for [`PresentFlags::ALLOW_TEARING`] with an interval
    /// other than 0. Also returns the errors of [`present`](Self::present).
    #[doc(alias = "Present")]
    #[doc(alias = "Present1")]
    pub fn present_with_flags(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
        flags: PresentFlags,
    ) -> Result<PresentStatus, Error> {
        let unknown = flags.difference(PresentFlags::all()).bits();
        if unknown != 0 {
            let text = format!(
                "{}: the flags have unknown bits {unknown:#x}; pass only flags of `PresentFlags`",
                self.name()
            );
            return self.device.reject(MessageId::PresentInvalid, Err(Error::InvalidArg(text)));
        }
        if flags.contains(PresentFlags::ALLOW_TEARING) && sync_interval != 0 {
            let text =
                format!("{}: ALLOW_TEARING needs a sync interval of 0, found {sync_interval}", self.name());
            return self.device.reject(MessageId::PresentInvalid, Err(Error::InvalidArg(text)));
        }
        if flags.contains(PresentFlags::TEST) {
            let result = self.test(context);
            return self.device.reject(MessageId::PresentInvalid, result);
        }
        if flags.contains(PresentFlags::DO_NOT_WAIT) {
            return self.try_present_now(context, sync_interval);
        }
        self.present(context, sync_interval)
    }

    fn test(&mut self, context: &mut ImmediateContext) -> Result<PresentStatus, Error> {
        self.check_context(context)?;
        self.device.check_removed()?;
        let Some(driver) = &self.driver else { return Err(no_presenting_half()) };
        let status = context.core.with_immediate(|f, cx| f.test_present(cx.entry(), driver));
        status.unwrap_or(Ok(PresentStatus::Occluded)).map_err(|error| self.device.driver_error(error))
    }

    /// Returns the number of images shown since the swap chain was created (DXGI:
    /// `IDXGISwapChain::GetLastPresentCount`).
    #[doc(alias = "GetLastPresentCount")]
    pub fn last_present_count(&self) -> u32 {
        self.presents
    }

    /// Returns the maximum number of frames that may wait for the display (DXGI:
    /// `IDXGISwapChain2::GetMaximumFrameLatency`).
    #[doc(alias = "GetMaximumFrameLatency")]
    pub fn maximum_frame_latency(&self) -> u32 {
        self.desc.maximum_frame_latency
    }

    /// Sets the maximum number of frames that may wait for the display, from the next frame on (DXGI:
    /// `IDXGISwapChain2::SetMaximumFrameLatency`).
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a number outside the range 1 to 16; [`Error::InvalidCall`] for a context of
    /// another device.
    #[doc(alias = "SetMaximumFrameLatency")]
    pub fn set_maximum_frame_latency(
        &mut self,
        context: &mut ImmediateContext,
        frames: u32,
    ) -> Result<(), Error> {
        let desc = SwapChainDesc { maximum_frame_latency: frames, ..self.desc.clone() };
        let checked = self.check_context(context).and_then(|()| check_counts(&desc));
        self.device.reject(MessageId::PresentInvalid, checked)?;
        if let Some(driver) = &self.driver {
            context.core.with_immediate(|f, cx| f.set_maximum_frame_latency(cx.entry(), driver, frames));
        }
        self.desc = desc;
        Ok(())
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

    /// Returns the number of presents that the GPU has not finished.
    fn frames_in_flight(&mut self) -> usize {
        let done = self.device.kernel.signalled();
        while self.in_flight.front().is_some_and(|fence| *fence <= done) {
            self.in_flight.pop_front();
        }
        self.in_flight.len()
    }

    fn try_present(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        self.check_context(context)?;
        if sync_interval > 4 {
            return Err(Error::InvalidArg(format!(
                "{}: the sync interval is {sync_interval} and must be at most 4; pass 1 to wait for the next refresh \
                 of the display, or 0 not to wait",
                self.name()
            )));
        }
        self.device.check_removed()?;
        let buffer = self.get_buffer()?;
        if self.desc.swap_effect.is_flip() {
            for buffer in &self.back_buffers {
                context.unbind_presented(buffer.key());
            }
        }
        context.drain_released();
        _ = context.handle_state(&buffer);
        let handle = Handle::new(buffer.key());
        let Some(driver) = &self.driver else { return Err(no_presenting_half()) };
        let status =
            context.core.with_immediate(|f, cx| f.present(cx.entry(), driver, handle, sync_interval));
        if matches!(status, Some(Ok(PresentStatus::Presented))) {
            self.presents = self.presents.wrapping_add(1);
            self.rotate(context);
            self.frames_in_flight();
            self.in_flight.push_back(Fence(self.device.kernel.submissions()));
        }
        context.drain_released();
        status.unwrap_or(Ok(PresentStatus::Occluded)).map_err(|error| self.device.driver_error(error))
    }

    /// Gives each back buffer the memory of the next one.
    fn rotate(&self, context: &mut ImmediateContext) {
        if self.back_buffers.len() < 2
            || !self.back_buffers.iter().all(|buffer| context.is_known(Some(buffer)))
        {
            return;
        }
        let handles: Vec<_> = self.back_buffers.iter().map(|buffer| Handle::new(buffer.key())).collect();
        context.core.with_immediate(|f, cx| f.rotate_resource_identities(cx.entry(), &handles));
    }

    fn unbind(&self, context: &mut ImmediateContext) {
        for buffer in &self.back_buffers {
            context.unbind_views_of(buffer.key());
        }
    }

    /// Gives the back buffers a new size and discards their contents (D3D11:
    /// `IDXGISwapChain::ResizeBuffers`).
    ///
    /// The call unbinds the old back buffer from the immediate context, as D3D11's flip model does at each present.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if the application, a deferred context or a command list still uses the old
    /// back buffer or a view of it. The error message lists these users. Otherwise returns the same errors as
    /// [`ImmediateContext::create_swap_chain`].
    #[doc(alias = "ResizeBuffers")]
    pub fn resize_buffers(
        &mut self,
        context: &mut ImmediateContext,
        width: u32,
        height: u32,
    ) -> Result<(), Error> {
        let result = self.try_resize(context, width, height);
        self.device.reject(MessageId::ResizeBuffersInvalid, result)
    }

    fn try_resize(&mut self, context: &mut ImmediateContext, width: u32, height: u32) -> Result<(), Error> {
        self.check_context(context)?;
        let desc = SwapChainDesc { width, height, ..self.desc.clone() };
        check_size(&self.device, &desc)?;
        self.drop_back_buffers(context)?;
        let Some(driver) = &self.driver else { return Err(no_presenting_half()) };
        if let Some(resized) =
            context.core.with_immediate(|f, cx| f.resize_swap_chain(cx.entry(), driver, width, height))
        {
            resized.map_err(|error| self.device.driver_error(error))?;
        }
        self.desc = desc;
        self.create_back_buffers(context)
    }

    /// Replaces the description of the swap chain, and keeps its window (DXGI: `ResizeBuffers` with all its
    /// arguments). The description contains the size, number, format and usage of the back buffers, and the
    /// swap effect. The contents of the back buffers are lost.
    ///
    /// Otherwise the call works like [`resize_buffers`](Self::resize_buffers), but the label applies only to
    /// the new back buffers.
    ///
    /// # Errors
    /// Returns the same errors as [`resize_buffers`](Self::resize_buffers) and
    /// [`ImmediateContext::create_swap_chain`]. If the window refuses the description, the swap chain has no
    /// back buffer until a later call passes a description that the window accepts.
    #[doc(alias = "ResizeBuffers")]
    pub fn resize_buffers_with(
        &mut self,
        context: &mut ImmediateContext,
        desc: &SwapChainDesc,
    ) -> Result<(), Error> {
        let result = self.try_resize_with(context, desc);
        self.device.reject(MessageId::ResizeBuffersInvalid, result)
    }

    fn try_resize_with(&mut self, context: &mut ImmediateContext, desc: &SwapChainDesc) -> Result<(), Error> {
        self.check_context(context)?;
        self.device.check_removed()?;
        check_desc(&self.device, desc)?;
        self.drop_back_buffers(context)?;
        // The old driver half is destroyed first, because a window can have only one swap chain.
        if let Some(driver) = self.driver.take() {
            self.device.release_swap_chain(driver);
            context.flush();
        }
        let created = context.create_presenting_half(&self.device, self.window.clone(), desc)?;
        self.driver = Some(created.object);
        self.desc = SwapChainDesc { format: created.format, ..desc.clone() };
        self.color_space = first_color_space(&created.color_spaces, created.format);
        self.color_spaces = created.color_spaces;
        self.create_back_buffers(context)
    }

    /// Drops the back buffers, or returns an error if something else uses them.
    fn drop_back_buffers(&mut self, context: &mut ImmediateContext) -> Result<(), Error> {
        self.unbind(context);
        context.flush();
        let held: Vec<_> =
            self.back_buffers.iter().flat_map(|buffer| self.holders(context, buffer)).collect();
        if !held.is_empty() {
            return Err(Error::InvalidCall(format!(
                "{}: the old back buffer is in use: {}. Drop this before the resize, and ask \
                 `SwapChain::render_target_view` for the view in each frame",
                self.name(),
                held.join("; ")
            )));
        }
        self.target = None;
        if !self.back_buffers.is_empty() {
            self.back_buffers.clear();
            context.flush();
        }
        Ok(())
    }

    /// Lists the users of a back buffer other than the swap chain and the immediate context.
    fn holders(&self, context: &ImmediateContext, buffer: &Texture2d) -> Vec<String> {
        let mut held = Vec::new();
        let shared = &buffer.owner().shared;
        if buffer.owner().clones() > 1 {
            held.push(format!("the application has {}, from `get_buffer`", shared.name()));
        }
        let mut is_used = false;
        let used = |what: String| format!("a deferred context or a command list uses {what}");
        let open_here = |object: &ObjectShared| usize::from(context.core.handles.contains(object.key));
        let views = shared.views();
        for view in &views {
            let what = view.name();
            let own = self.target.as_ref().filter(|target| target.key() == view.key);
            if own.map_or_else(|| view.is_owned(), |target| target.owner().clones() > 1) {
                held.push(format!("the application has {what}"));
            }
            // Expected references: the owner, the context's handle, and the list of views.
            if Arc::strong_count(view) > usize::from(view.is_owned()) + open_here(view) + 1 {
                held.push(used(what));
                is_used = true;
            }
        }
        // Expected references: the owner, the context's handle, and the views, because a use of a view is also a use of
        // the texture.
        if !is_used && Arc::strong_count(shared) > 1 + open_here(shared) + views.len() {
            held.push(used(shared.name()));
        }
        held
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

    /// Creates all back buffers, or none of them if the driver cannot create one.
    fn create_back_buffers(&mut self, context: &mut ImmediateContext) -> Result<(), Error> {
        let Some(driver) = &self.driver else { return Ok(()) };
        let made = (0..self.desc.created_buffers()).map(|_| self.create_back_buffer(driver, context));
        let made = made.collect::<Result<Vec<_>, _>>()?;
        if let Some(first) = made.first() {
            self.target = Some(Device::from_core(&self.device).create_render_target_view(first, None)?);
        }
        self.back_buffers = made;
        Ok(())
    }

    fn create_back_buffer(
        &self,
        driver: &DriverObject,
        context: &mut ImmediateContext,
    ) -> Result<Texture2d, Error> {
        let label = self.desc.label.clone().unwrap_or("back buffer".into());
        let desc = Texture2dDesc {
            bind_flags: self.desc.buffer_usage,
            mip_levels: 1,
            ..Texture2dDesc::new(self.desc.format, self.desc.width, self.desc.height)
        }
        .label(label.clone());
        let desc = TextureDesc::from(desc);
        let resource = ResourceDesc::Texture(desc.clone());
        let args = ObjectDesc::Resource { desc: &resource, initial_data: &[] };
        let mut immediate = PrivateBytes::zeroed(self.device.funcs().calc_private_size(&args));
        let created =
            context.core.with_immediate(|f, cx| f.create_primary(cx.entry(), driver, &desc, &mut immediate));
        let created = created
            .unwrap_or(Err(onze_ddi::CreateError::OutOfMemory))
            .map_err(|error| self.device.driver_error(error))?;
        let owner = Device::from_core(&self.device).here().adopt(NewObject {
            key: self.device.new_key(),
            kind: HandleType::Resource,
            driver: created,
            immediate,
            data: ObjectData::Resource(resource),
            attachments: Attachments::named(&label),
            depends_on: None,
            primary: true,
        });
        Ok(Texture2d::from_shared(&owner.shared))
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
