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
    /// Width of the back buffer in pixels.
    pub width: u32,
    /// Height of the back buffer in pixels.
    pub height: u32,
    /// Format of the back buffer: one that can be rendered to and shown (`FormatSupport::DISPLAY`).
    pub format: Format,
    /// A name for people.
    pub label: onze_ddi::Label,
}

impl Default for SwapChainDesc {
    fn default() -> Self {
        Self { width: 0, height: 0, format: Format::R8G8B8A8_UNORM_SRGB, label: None }
    }
}

impl SwapChainDesc {
    /// A back buffer in sRGB of a size in pixels.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, ..Self::default() }
    }
}

/// Shows pictures in a window. D3D11: `IDXGISwapChain1`.
///
/// There is one back buffer, an ordinary texture: it can be drawn into, copied, read and sampled, and
/// keeps its contents when it is presented.
pub struct SwapChain {
    device: Arc<DeviceCore>,
    driver: Option<DriverObject>,
    desc: SwapChainDesc,
    back_buffer: Option<Texture2d>,
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
    /// [`Error::InvalidArg`] for a size of 0, or beyond what a texture may have, or a format that cannot
    /// be drawn to; [`Error::Fail`] when the adapter cannot present to the window.
    pub fn create_swap_chain(
        &mut self,
        window: WindowHandle,
        desc: &SwapChainDesc,
    ) -> Result<SwapChain, Error> {
        let device = self.core.device.clone();
        let result =
            check_size(&device, desc).and_then(|()| check_format(&device, desc.format)).and_then(|()| {
                let args = CreateSwapChainArgs {
                    window,
                    width: desc.width,
                    height: desc.height,
                    format: desc.format,
                    buffer_count: 1,
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
                    back_buffer: None,
                };
                chain.create_back_buffer(self)?;
                Ok(chain)
            });
        device.reject(MessageId::CreateSwapChainInvalid, result)
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

impl SwapChain {
    /// What the swap chain was made from, with its present size. D3D11: `IDXGISwapChain1::GetDesc1`.
    pub fn desc(&self) -> &SwapChainDesc {
        &self.desc
    }

    /// The back buffer. D3D11: `IDXGISwapChain::GetBuffer(0)`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] after a resize that failed: resize again.
    pub fn get_buffer(&self) -> Result<Texture2d, Error> {
        let lost =
            || Error::InvalidCall("the swap chain has no back buffer: its last resize failed".to_owned());
        self.back_buffer.clone().ok_or_else(lost)
    }

    /// Submits what was recorded and shows the back buffer. D3D11: `IDXGISwapChain::Present`.
    ///
    /// A sync interval of 1 to 4 waits for that many refreshes of the display, as far as the system can; 0
    /// does not wait. A window that nobody sees is no error.
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
        context.drain_released();
        status.unwrap_or(Ok(PresentStatus::Occluded)).map_err(|error| self.device.driver_error(error))
    }

    /// Gives the back buffer a new size; its contents are lost. D3D11: `IDXGISwapChain::ResizeBuffers`.
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
        if let Some(buffer) = self.back_buffer.take() {
            let shared = buffer.owner().shared.clone();
            let here = usize::from(context.core.handles.contains(shared.key));
            // This function, the owner, and the context's handle; the owner is ours alone.
            let held = buffer.owner().clones() > 1 || Arc::strong_count(&shared) > 2 + here;
            if held {
                self.back_buffer = Some(buffer);
                return Err(Error::InvalidCall(
                    "the old back buffer is still in use: drop its texture, views and command lists, and unbind it"
                        .to_owned(),
                ));
            }
            drop((buffer, shared));
            context.flush();
        }
        let Some(driver) = &self.driver else { return Err(Error::InvalidCall("no swap chain".to_owned())) };
        if let Some(resized) =
            context.core.with_immediate(|f, cx| f.resize_swap_chain(cx.entry(), driver, width, height))
        {
            resized.map_err(|error| self.device.driver_error(error))?;
        }
        self.desc = desc;
        self.create_back_buffer(context)
    }

    fn check_context(&self, context: &ImmediateContext) -> Result<(), Error> {
        if Arc::ptr_eq(&self.device, &context.core.device) {
            Ok(())
        } else {
            Err(Error::InvalidCall("the swap chain belongs to another device".to_owned()))
        }
    }

    fn create_back_buffer(&mut self, context: &mut ImmediateContext) -> Result<(), Error> {
        let Some(driver) = &self.driver else { return Ok(()) };
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
        self.back_buffer = Some(Texture2d::from_shared(&owner.shared));
        Ok(())
    }
}

impl Drop for SwapChain {
    fn drop(&mut self) {
        self.back_buffer = None;
        if let Some(driver) = self.driver.take() {
            self.device.release_swap_chain(driver);
        }
    }
}
