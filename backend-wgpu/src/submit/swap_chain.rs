//! Swap chains: the surface of a window, and the blit of a back buffer into it.
//!
//! A back buffer is a texture of this driver, which can be read, copied and sampled as Direct3D 11 allows. Presenting
//! has three steps:
//!
//! 1. [`SwapChain::acquire`] acquires the surface's texture. It answers nothing if the window is hidden or busy.
//! 2. [`SwapChain::blit`] copies or draws the back buffer into it, in an encoder that is submitted last.
//! 3. [`SwapChain::present`] shows it after the submission.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use onze_ddi::{
    CreateError, CreateSwapChainArgs, DriverBug, Format, Key, PresentError, ResourceDesc, Texture2dDesc,
    WindowHandle,
};

use crate::{
    encode::{
        DeviceEncoding,
        blit::{Blit, Plan},
    },
    objects::{DeviceObjects, resource::Resource, texture::TextureMemory},
    services::{convert, gpu::Gpu},
};

/// Back buffers that can be shown.
pub(crate) const fn is_displayable(format: Format) -> bool {
    matches!(
        format,
        Format::R8G8B8A8_UNORM
            | Format::R8G8B8A8_UNORM_SRGB
            | Format::B8G8R8A8_UNORM
            | Format::B8G8R8A8_UNORM_SRGB
            | Format::R10G10B10A2_UNORM
            | Format::R16G16B16A16_FLOAT
    )
}

/// A back buffer has no handle's value when it is made, and none is asked for.
const NO_KEY: Key = Key::new(u32::MAX, NonZeroU32::MAX);

/// The presenting half of a swap chain. One thread at a time uses it, that of the immediate context.
#[derive(Debug)]
pub(crate) struct SwapChain {
    window: HeldWindow,
    /// Kept here to make the surface anew when it is lost.
    state: Mutex<State>,
    /// What the surface can do.
    capabilities: wgpu::SurfaceCapabilities,
    blit: Blit,
}

#[derive(Debug)]
struct State {
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    /// The surface was told the configuration, and nothing changed since.
    configured: bool,
}

struct HeldWindow(WindowHandle);

impl std::fmt::Debug for HeldWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("window")
    }
}

fn lost(words: impl std::fmt::Display) -> PresentError {
    PresentError::SurfaceLost(words.to_string().into())
}

/// What a wgpu call that presents may end with.
fn present_error(error: CreateError) -> PresentError {
    match error {
        CreateError::OutOfMemory => PresentError::OutOfMemory,
        CreateError::DeviceRemoved(words) => PresentError::DeviceRemoved(words),
        CreateError::Application(words) => PresentError::SurfaceLost(words),
        CreateError::Bug(bug) => PresentError::Bug(bug),
    }
}

/// A surface's format for a back buffer: the same bytes if there is such a one, else the same components,
/// else the surface's favourite; without sRGB where there is a choice, as the bytes are already encoded.
fn surface_format(
    offered: &[wgpu::TextureFormat],
    back_buffer: wgpu::TextureFormat,
) -> Option<wgpu::TextureFormat> {
    let same_bytes = |f: &&wgpu::TextureFormat| f.remove_srgb_suffix() == back_buffer.remove_srgb_suffix();
    let plain = |f: &&wgpu::TextureFormat| !f.is_srgb();
    let eight_bits = |f: &&wgpu::TextureFormat| {
        matches!(f.remove_srgb_suffix(), wgpu::TextureFormat::Rgba8Unorm | wgpu::TextureFormat::Bgra8Unorm)
    };
    offered
        .iter()
        .find(|f| **f == back_buffer)
        .or_else(|| offered.iter().filter(plain).find(same_bytes))
        .or_else(|| offered.iter().find(same_bytes))
        .or_else(|| offered.iter().filter(plain).find(eight_bits))
        .or_else(|| offered.iter().find(eight_bits))
        .or_else(|| offered.first())
        .copied()
}

/// How to wait for the display, by D3D11's sync interval. wgpu cannot wait for several refreshes.
fn present_mode(offered: &[wgpu::PresentMode], sync_interval: u32) -> wgpu::PresentMode {
    let wishes: &[wgpu::PresentMode] = match sync_interval {
        0 => &[wgpu::PresentMode::Immediate, wgpu::PresentMode::Mailbox],
        _ => &[],
    };
    wishes.iter().find(|mode| offered.contains(mode)).copied().unwrap_or(wgpu::PresentMode::Fifo)
}

impl SwapChain {
    /// Makes the presenting half for a window.
    ///
    /// # Errors
    /// The adapter cannot present to the window, or not this format.
    pub(crate) fn new(encoding: &DeviceEncoding, args: &CreateSwapChainArgs) -> Result<Self, PresentError> {
        let gpu = &*encoding.gpu;
        let surface = gpu.instance.create_surface(args.window.clone()).map_err(lost)?;
        if !gpu.adapter.is_surface_supported(&surface) {
            return Err(lost("the adapter cannot present to this window"));
        }
        let back_buffer = convert::texture_format(args.format).filter(|_| is_displayable(args.format));
        let Some(back_buffer) = back_buffer else {
            return Err(lost(format!("{:?} cannot be shown", args.format)));
        };
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let Some(format) = surface_format(&capabilities.formats, back_buffer) else {
            return Err(lost("the window offers no formats"));
        };
        let has_views = gpu.downlevel.flags.contains(wgpu::DownlevelFlags::SURFACE_VIEW_FORMATS);
        let twin = convert::srgb_twin(format).filter(|_| has_views);
        let plan = Plan::new(back_buffer, format, twin.is_some());
        let blit = encoding.compilers.make(move |gpu| gpu.guarded(|| Blit::new(gpu, plan)));
        let configuration = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | (wgpu::TextureUsages::COPY_DST & capabilities.usages),
            format,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width: args.width.max(1),
            height: args.height.max(1),
            present_mode: wgpu::PresentMode::Fifo,
            desired_maximum_frame_latency: 2,
            alpha_mode: if capabilities.alpha_modes.contains(&wgpu::CompositeAlphaMode::Opaque) {
                wgpu::CompositeAlphaMode::Opaque
            } else {
                wgpu::CompositeAlphaMode::Auto
            },
            view_formats: twin.into_iter().collect(),
        };
        let this = Self {
            window: HeldWindow(args.window.clone()),
            state: Mutex::new(State { surface, configuration, configured: false }),
            capabilities,
            blit: blit.map_err(present_error)?,
        };
        this.configure(gpu, &mut this.lock())?;
        Ok(this)
    }

    /// Adapts to a new size of the window; 0 counts as 1. The surface learns of it at the next present.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let mut state = self.lock();
        let size = (width.max(1), height.max(1));
        if (state.configuration.width, state.configuration.height) != size {
            (state.configuration.width, state.configuration.height) = size;
            state.configured = false;
        }
    }

    /// Makes a back buffer.
    ///
    /// # Errors
    /// The memory is spent, or the adapter cannot do it.
    pub(crate) fn create_primary(
        objects: &DeviceObjects,
        desc: &Texture2dDesc,
    ) -> Result<Arc<Resource>, CreateError> {
        Resource::new_primary(objects, NO_KEY, &ResourceDesc::Texture2d(desc.clone()))
    }

    /// The surface's next texture, `None` when the window is hidden or busy.
    ///
    /// # Errors
    /// The window is gone, or the gpu.
    pub(crate) fn acquire(
        &self,
        gpu: &Gpu,
        sync_interval: u32,
    ) -> Result<Option<wgpu::SurfaceTexture>, PresentError> {
        let mut state = self.lock();
        let mode = present_mode(&self.capabilities.present_modes, sync_interval);
        if state.configuration.present_mode != mode {
            state.configuration.present_mode = mode;
            state.configured = false;
        }
        // An outdated surface is told its configuration again, a lost one is made anew, once.
        for _ in 0..2 {
            if !state.configured {
                self.configure(gpu, &mut state)?;
            }
            let answer = gpu.guarded(|| state.surface.get_current_texture()).map_err(present_error)?;
            match answer {
                wgpu::CurrentSurfaceTexture::Success(texture) => return Ok(Some(texture)),
                wgpu::CurrentSurfaceTexture::Suboptimal(texture) => {
                    state.configured = false;
                    return Ok(Some(texture));
                }
                wgpu::CurrentSurfaceTexture::Timeout | wgpu::CurrentSurfaceTexture::Occluded => {
                    return Ok(None);
                }
                wgpu::CurrentSurfaceTexture::Outdated => state.configured = false,
                wgpu::CurrentSurfaceTexture::Lost => {
                    state.surface = gpu.instance.create_surface(self.window.0.clone()).map_err(lost)?;
                    state.configured = false;
                }
                wgpu::CurrentSurfaceTexture::Validation => {
                    return Err(PresentError::Bug(DriverBug("wgpu refused the surface's texture".into())));
                }
            }
        }
        Ok(None)
    }

    /// Records that a back buffer's texture is put into the surface's, stretched if it is of another size.
    pub(crate) fn blit(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        from: &TextureMemory,
        to: &wgpu::SurfaceTexture,
    ) {
        self.blit.record(&gpu.device, encoder, from, &to.texture);
    }

    /// Shows the surface's texture, after what draws it was submitted.
    pub(crate) fn present(&self, gpu: &Gpu, texture: wgpu::SurfaceTexture) {
        gpu.queue.present(texture);
    }

    fn configure(&self, gpu: &Gpu, state: &mut State) -> Result<(), PresentError> {
        gpu.validated(|| state.surface.configure(&gpu.device, &state.configuration))
            .map_err(present_error)?;
        state.configured = true;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::{PresentMode as P, TextureFormat as T};

    #[test]
    fn the_surface_takes_the_back_buffers_bytes_where_it_can() {
        for (offered, back_buffer, expected) in [
            (&[T::Bgra8UnormSrgb, T::Bgra8Unorm][..], T::Bgra8Unorm, Some(T::Bgra8Unorm)),
            (&[T::Bgra8UnormSrgb, T::Bgra8Unorm], T::Bgra8UnormSrgb, Some(T::Bgra8UnormSrgb)),
            (&[T::Bgra8UnormSrgb, T::Bgra8Unorm], T::Rgba8Unorm, Some(T::Bgra8Unorm)),
            (&[T::Rgba16Float, T::Rgba8UnormSrgb], T::Rgba8Unorm, Some(T::Rgba8UnormSrgb)),
            (&[T::Rgba16Float], T::Rgba8Unorm, Some(T::Rgba16Float)),
            (&[], T::Rgba8Unorm, None),
        ] {
            assert_eq!(surface_format(offered, back_buffer), expected, "{back_buffer:?} of {offered:?}");
        }
    }

    #[test]
    fn interval_zero_presents_without_waiting() {
        assert_eq!(present_mode(&[P::Fifo, P::Mailbox, P::Immediate], 0), P::Immediate);
        assert_eq!(present_mode(&[P::Fifo, P::Mailbox], 0), P::Mailbox);
        assert_eq!(present_mode(&[P::Fifo], 0), P::Fifo);
        assert_eq!(present_mode(&[P::Fifo, P::Immediate], 3), P::Fifo);
    }
}
