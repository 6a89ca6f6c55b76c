//! Swap chains: they show pictures in a window. D3D11: `IDXGISwapChain1`.

use std::sync::Arc;

use onze_ddi::{
    BindFlags, CreateSwapChainArgs, DriverObject, Format, FormatSupport, Handle, HandleType, ObjectDesc,
    PresentStatus, ResourceDesc, Texture2dDesc, WindowHandle,
};

use crate::{
    Error, ImmediateContext, Texture2d,
    device_core::{DeviceCore, NewObject, ObjectData, PrivateBytes},
    objects::sealed::Sealed as _,
    report::MessageId,
};

/// What a swap chain is made from. D3D11: `DXGI_SWAP_CHAIN_DESC1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwapChainDesc {
    /// Width of a back buffer in pixels.
    pub width: u32,
    /// Height of a back buffer in pixels.
    pub height: u32,
    /// Format of the back buffers: one that can be rendered to and shown (`FormatSupport::DISPLAY`).
    pub format: Format,
    /// Number of back buffers, 1 to [`SwapChainDesc::MAX_BUFFER_COUNT`].
    /// D3D11: `DXGI_SWAP_CHAIN_DESC1::BufferCount`.
    ///
    /// * 1, the default: the back buffer keeps its contents when it is presented.
    /// * More, D3D11's `DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL`: each present rotates the buffers, see
    ///   [`SwapChain::present`].
    pub buffer_count: u32,
    /// A name for people.
    pub label: onze_ddi::Label,
}

impl Default for SwapChainDesc {
    fn default() -> Self {
        Self { width: 0, height: 0, format: Format::R8G8B8A8_UNORM_SRGB, buffer_count: 1, label: None }
    }
}

impl SwapChainDesc {
    /// The most back buffers that a swap chain can have. D3D11: `DXGI_MAX_SWAP_CHAIN_BUFFERS`.
    pub const MAX_BUFFER_COUNT: u32 = 16;

    /// One back buffer in sRGB of a size in pixels.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, ..Self::default() }
    }
}

/// Shows pictures in a window. D3D11: `IDXGISwapChain1`.
///
/// The application has one back buffer, an ordinary texture: it can be drawn into, copied, read and sampled. It keeps
/// its contents when it is presented, unless the swap chain has [several](SwapChainDesc::buffer_count) to rotate.
pub struct SwapChain {
    device: Arc<DeviceCore>,
    driver: Option<DriverObject>,
    desc: SwapChainDesc,
    /// The first is the application's. None after a resize that failed.
    back_buffers: Vec<Texture2d>,
}

impl std::fmt::Debug for SwapChain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SwapChain").field("desc", &self.desc).finish_non_exhaustive()
    }
}

impl ImmediateContext {
    /// Makes a swap chain for a window. D3D11: `IDXGIFactory2::CreateSwapChainForHwnd`.
    ///
    /// The window may be anything that has raw handles, in an `Arc`. Where several adapters exist, give
    /// the window to the [`DeviceDesc`](crate::DeviceDesc) too.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a size of 0, or beyond what a texture may have, a format that cannot be drawn
    /// to, or a number of back buffers beyond 1 to 16; [`Error::Fail`] when the adapter cannot present to the
    /// window.
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
        check_size(device, desc)?;
        check_format(device, desc.format)?;
        check_buffer_count(desc.buffer_count)?;
        let args = CreateSwapChainArgs {
            window,
            width: desc.width,
            height: desc.height,
            format: desc.format,
            buffer_count: desc.buffer_count,
            label: desc.label.clone(),
        };
        let driver = self.core.with_immediate(|f, cx| f.create_swap_chain(cx.entry(), &args));
        let driver = driver
            .unwrap_or(Err(onze_ddi::PresentError::OutOfMemory))
            .map_err(|error| device.driver_error(error))?;
        let mut chain = SwapChain {
            device: device.clone(),
            driver: Some(driver),
            desc: desc.clone(),
            back_buffers: Vec::new(),
        };
        chain.create_back_buffers(self)?;
        Ok(chain)
    }
}

fn check_size(device: &DeviceCore, desc: &SwapChainDesc) -> Result<(), Error> {
    let limit = device.caps.max_texture_2d;
    if desc.width == 0 || desc.height == 0 || desc.width > limit || desc.height > limit {
        let (width, height) = (desc.width, desc.height);
        return Err(Error::InvalidArg(format!("{width}x{height} is not within 1x1 and {limit}x{limit}")));
    }
    Ok(())
}

fn check_format(device: &Arc<DeviceCore>, format: Format) -> Result<(), Error> {
    let needed = FormatSupport::DISPLAY | FormatSupport::RENDER_TARGET;
    if crate::Device::from_core(device).check_format_support(format).contains(needed) {
        return Ok(());
    }
    Err(Error::InvalidArg(format!("{format:?} is no format of back buffers")))
}

fn check_buffer_count(count: u32) -> Result<(), Error> {
    const MOST: u32 = SwapChainDesc::MAX_BUFFER_COUNT;
    if (1..=MOST).contains(&count) {
        return Ok(());
    }
    Err(Error::InvalidArg(format!(
        "a swap chain has 1 to {MOST} back buffers, not {count}: ask for 1 to keep its contents, for 2 or 3 to flip"
    )))
}

impl SwapChain {
    /// What the swap chain was made from, with its present size. D3D11: `IDXGISwapChain1::GetDesc1`.
    pub fn desc(&self) -> &SwapChainDesc {
        &self.desc
    }

    /// The back buffer to draw into. D3D11: `IDXGISwapChain::GetBuffer(0)`.
    ///
    /// It is one texture until the next resize, whose memory a present may exchange. Of the other buffers of
    /// D3D11's flip model an application can only read; here they are the swap chain's own.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] after a resize that failed: resize again.
    pub fn get_buffer(&self) -> Result<Texture2d, Error> {
        let lost =
            || Error::InvalidCall("the swap chain has no back buffer: its last resize failed".to_owned());
        self.back_buffers.first().cloned().ok_or_else(lost)
    }

    /// Submits what was recorded and shows the back buffer. D3D11: `IDXGISwapChain::Present`.
    ///
    /// A sync interval of 1 to 4 waits for that many refreshes of the display, as far as the system can; 0
    /// does not wait. A window that nobody sees is no error.
    ///
    /// With `n` back buffers, more than one, a present that shows the picture rotates them: each means the memory
    /// of the next one afterwards, and the last one that of the first, which is shown. So the back buffer has what
    /// it had `n - 1` presents ago, counted from the one just made: with two buffers, what the present before
    /// showed. At first all are zero. A present that answers [`PresentStatus::Occluded`] rotates nothing.
    ///
    /// The texture, its views and what is bound stay and mean the new memory; command lists mean what is current
    /// when the immediate context executes them. D3D11's flip model unbinds the back buffer at a present; here it
    /// stays bound.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a sync interval beyond 4; [`Error::DeviceRemoved`]; [`Error::Fail`] when
    /// the window is gone; [`Error::InvalidCall`] with a context of another device.
    pub fn present(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        let result = self.try_present(context, sync_interval);
        self.device.reject(MessageId::PresentInvalid, result)
    }

    fn try_present(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        self.check_context(context)?;
        if sync_interval > 4 {
            return Err(Error::InvalidArg(format!("a sync interval of {sync_interval} is more than 4")));
        }
        self.device.check_removed()?;
        let buffer = self.get_buffer()?;
        context.drain_released();
        context.handle_state(&buffer);
        let handle = Handle::new(buffer.key());
        let Some(driver) = &self.driver else { return Err(Error::InvalidCall("no swap chain".to_owned())) };
        let status =
            context.core.with_immediate(|f, cx| f.present(cx.entry(), driver, handle, sync_interval));
        if matches!(status, Some(Ok(PresentStatus::Presented))) {
            self.rotate(context);
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

    /// Gives the back buffers a new size; their contents are lost. D3D11: `IDXGISwapChain::ResizeBuffers`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] while anything still holds the old back buffer: the application (with its
    /// views), a binding, a command list. As [`ImmediateContext::create_swap_chain`].
    pub fn resize_buffers(
        &mut self,
        context: &mut ImmediateContext,
        width: u32,
        height: u32,
    ) -> Result<(), Error> {
        let result = self.try_resize(context, width, height);
        self.device.reject(MessageId::PresentInvalid, result)
    }

    fn try_resize(&mut self, context: &mut ImmediateContext, width: u32, height: u32) -> Result<(), Error> {
        self.check_context(context)?;
        let desc = SwapChainDesc { width, height, ..self.desc.clone() };
        check_size(&self.device, &desc)?;
        context.flush();
        let is_held = |buffer: &Texture2d| {
            let shared = &buffer.owner().shared;
            let here = usize::from(context.core.handles.contains(shared.key));
            // The owner, and the context's handle; the owner is ours alone.
            buffer.owner().clones() > 1 || Arc::strong_count(shared) > 1 + here
        };
        if self.back_buffers.iter().any(is_held) {
            return Err(Error::InvalidCall(
                "the old back buffer is still in use: drop its texture, views and command lists, and unbind it"
                    .to_owned(),
            ));
        }
        if !self.back_buffers.is_empty() {
            self.back_buffers.clear();
            context.flush();
        }
        let Some(driver) = &self.driver else { return Err(Error::InvalidCall("no swap chain".to_owned())) };
        if let Some(resized) =
            context.core.with_immediate(|f, cx| f.resize_swap_chain(cx.entry(), driver, width, height))
        {
            resized.map_err(|error| self.device.driver_error(error))?;
        }
        self.desc = desc;
        self.create_back_buffers(context)
    }

    fn check_context(&self, context: &ImmediateContext) -> Result<(), Error> {
        if Arc::ptr_eq(&self.device, &context.core.device) {
            Ok(())
        } else {
            Err(Error::InvalidCall("the swap chain belongs to another device".to_owned()))
        }
    }

    /// Makes all of them, or none.
    fn create_back_buffers(&mut self, context: &mut ImmediateContext) -> Result<(), Error> {
        let Some(driver) = &self.driver else { return Ok(()) };
        let made = (0..self.desc.buffer_count).map(|_| self.create_back_buffer(driver, context));
        self.back_buffers = made.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn create_back_buffer(
        &self,
        driver: &DriverObject,
        context: &mut ImmediateContext,
    ) -> Result<Texture2d, Error> {
        let label = self.desc.label.clone().unwrap_or("back buffer".into());
        let desc = Texture2dDesc {
            bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
            mip_levels: 1,
            ..Texture2dDesc::new(self.desc.format, self.desc.width, self.desc.height)
        }
        .label(label.clone());
        let resource = ResourceDesc::Texture2d(desc.clone());
        let args = ObjectDesc::Resource { desc: &resource, initial_data: &[] };
        let mut immediate = PrivateBytes::zeroed(self.device.funcs().calc_private_size(&args));
        let created =
            context.core.with_immediate(|f, cx| f.create_primary(cx.entry(), driver, &desc, &mut immediate));
        let created = created
            .unwrap_or(Err(onze_ddi::CreateError::OutOfMemory))
            .map_err(|error| self.device.driver_error(error))?;
        let owner = crate::Device::from_core(&self.device).here().adopt(NewObject {
            key: self.device.new_key(),
            kind: HandleType::Resource,
            driver: created,
            immediate,
            data: ObjectData::Resource(resource),
            label: label.into_owned(),
            depends_on: None,
            primary: true,
        });
        Ok(Texture2d::from_shared(&owner.shared))
    }
}

impl Drop for SwapChain {
    fn drop(&mut self) {
        self.back_buffers.clear();
        if let Some(driver) = self.driver.take() {
            self.device.release_swap_chain(driver);
        }
    }
}
