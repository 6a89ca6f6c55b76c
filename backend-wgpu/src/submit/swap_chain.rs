//! Swap chains: the surface of a window, and the textures of its back buffers.
//!
//! Applications can draw to, read and copy all back buffers as Direct3D 11 allows. There are two kinds of
//! back buffers:
//!
//! * **Direct**: the back buffer refers to the texture that the window's surface lends for the frame
//!   (`objects/surface.rs`), so a present copies nothing. This requires `SwapEffect::FlipDiscard`, a surface
//!   with the back buffer's format or its sRGB twin, and surface textures that allow every use of a back
//!   buffer.
//! * **Copied**: the back buffer is a texture of this driver. A present acquires the surface's texture and
//!   copies or draws the back buffer into it (`encode/emulate/blit.rs`), in an encoder that is submitted last.

use std::{
    num::NonZeroU32,
    sync::{Arc, OnceLock},
};

use onze_ddi::{
    AlphaMode, BindFlags, ColorSpace, CreateError, CreateSwapChainArgs, Format, Key, PresentError,
    ResourceDesc, SwapEffect, TextureDesc,
};

use crate::{
    encode::{
        DeviceEncoding,
        emulate::blit::{Blit, BlitPlan},
    },
    objects::{
        DeviceObjects,
        resource::Resource,
        surface::{Picture, Screen, ScreenFrame, Surface, WindowScreen, lost, present_error},
        texture::TextureMemory,
    },
    services::{convert, gpu::Gpu},
};

/// Back buffer formats that can be presented, sorted by preference for windows that support several.
const DISPLAYABLE: [Format; 6] = [
    Format::B8G8R8A8_UNORM_SRGB,
    Format::R8G8B8A8_UNORM_SRGB,
    Format::B8G8R8A8_UNORM,
    Format::R8G8B8A8_UNORM,
    Format::R10G10B10A2_UNORM,
    Format::R16G16B16A16_FLOAT,
];

pub(crate) fn is_displayable(format: Format) -> bool {
    DISPLAYABLE.contains(&format)
}

/// Placeholder for a back buffer's key, because back buffers have no key when they are created, and this
/// driver does not need one.
const NO_KEY: Key = Key::new(u32::MAX, NonZeroU32::MAX);

/// The driver's part of a swap chain, used only by the immediate context's thread.
#[derive(Debug)]
pub(crate) struct SwapChain {
    surface: Arc<Surface>,
    pub(crate) format: Format,
    /// Colour spaces that the surface supports for the format, beginning with the initial one.
    pub(crate) color_spaces: Vec<ColorSpace>,
    pub(crate) is_direct: bool,
    plan: BlitPlan,
    /// The pipeline for copies, created when a back buffer is first copied.
    blit: OnceLock<Blit>,
}

/// A surface's texture for one present; if it is not the back buffer's texture, the back buffer must still be
/// copied into it.
pub(crate) struct Presentable {
    picture: Box<dyn Picture>,
    pub(crate) is_copied: bool,
}

struct SurfaceFit {
    format: wgpu::TextureFormat,
    /// A second format for views of the surface's textures, which differs from the first only in sRGB.
    twin: Option<wgpu::TextureFormat>,
}

impl SurfaceFit {
    /// Chooses the best format of a surface for a back buffer.
    fn new(gpu: &Gpu, offered: &[wgpu::TextureFormat], back_buffer: wgpu::TextureFormat) -> Option<Self> {
        let format = surface_format(offered, back_buffer)?;
        let has_views = gpu.downlevel.flags.contains(wgpu::DownlevelFlags::SURFACE_VIEW_FORMATS);
        Some(Self { format, twin: convert::srgb_twin(format).filter(|_| has_views) })
    }

    /// Whether the surface's textures can be viewed in the back buffer's format and have the same bytes.
    fn is_direct(&self, back_buffer: wgpu::TextureFormat) -> bool {
        self.format == back_buffer || self.twin == Some(back_buffer)
    }
}

/// Chooses a surface's format for a back buffer. Formats with the same bytes come first, then formats with
/// 8-bit components, then the surface's first format. Unless the back buffer's own format is offered, formats
/// without sRGB are preferred, because the bytes are already encoded.
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

/// The formats that can be presented, sorted for a surface. Formats with the same byte order as the surface's
/// first format come first, because a browser copies every frame that has another byte order.
fn displayable_on(offered: &[wgpu::TextureFormat]) -> [Format; 6] {
    let mut formats = DISPLAYABLE;
    if offered.first().map(wgpu::TextureFormat::remove_srgb_suffix) == Some(wgpu::TextureFormat::Rgba8Unorm) {
        formats.swap(0, 1);
        formats.swap(2, 3);
    }
    formats
}

/// The default format for a window: the first format of [`displayable_on`] that needs no copy, or an sRGB
/// format if every format needs a copy.
fn own_format(gpu: &Gpu, offered: &[wgpu::TextureFormat]) -> Format {
    let needs_no_copy = |format: &Format| {
        convert::texture_format(*format).is_some_and(|back_buffer| {
            SurfaceFit::new(gpu, offered, back_buffer).is_some_and(|fit| fit.is_direct(back_buffer))
        })
    };
    displayable_on(offered).into_iter().find(needs_no_copy).unwrap_or(Format::B8G8R8A8_UNORM_SRGB)
}

/// The usages that a surface's texture needs to be a direct back buffer, always including copies.
fn direct_usages(bind_flags: BindFlags) -> wgpu::TextureUsages {
    let mut usages = wgpu::TextureUsages::RENDER_ATTACHMENT
        | wgpu::TextureUsages::COPY_SRC
        | wgpu::TextureUsages::COPY_DST;
    usages.set(wgpu::TextureUsages::TEXTURE_BINDING, bind_flags.contains(BindFlags::SHADER_RESOURCE));
    usages
}

/// The mode in which a surface is composited with the content behind it.
///
/// # Errors
/// Fails if the surface does not support the mode.
fn composite_alpha_mode(
    offered: &[wgpu::CompositeAlphaMode],
    asked: AlphaMode,
) -> Result<wgpu::CompositeAlphaMode, PresentError> {
    let mode = match asked {
        AlphaMode::Unspecified if offered.contains(&wgpu::CompositeAlphaMode::Opaque) => {
            wgpu::CompositeAlphaMode::Opaque
        }
        AlphaMode::Unspecified => return Ok(wgpu::CompositeAlphaMode::Auto),
        AlphaMode::Premultiplied => wgpu::CompositeAlphaMode::PreMultiplied,
        AlphaMode::Straight => wgpu::CompositeAlphaMode::PostMultiplied,
        AlphaMode::Ignore => wgpu::CompositeAlphaMode::Opaque,
    };
    if offered.contains(&mode) {
        return Ok(mode);
    }
    Err(lost(format!(
        "the window does not support AlphaMode::{asked:?}; ask for AlphaMode::Unspecified, which every window supports"
    )))
}

fn surface_color_space(color_space: ColorSpace) -> wgpu::SurfaceColorSpace {
    match color_space {
        ColorSpace::RgbFullG22NoneP709 => wgpu::SurfaceColorSpace::Srgb,
        ColorSpace::RgbFullG10NoneP709 => wgpu::SurfaceColorSpace::ExtendedSrgbLinear,
        ColorSpace::RgbFullG2084NoneP2020 => wgpu::SurfaceColorSpace::Bt2100Pq,
    }
}

/// The colour spaces for back buffers on a surface, given the `offered` colour spaces of the surface's
/// format. The first result is the colour space that wgpu's `Auto` selects.
///
/// If the surface lacks the back buffer's format, the back buffer is converted to an sRGB format, whose only
/// colour space is sRGB.
fn color_spaces(
    offered: wgpu::SurfaceColorSpaces,
    format: Format,
    surface_format: wgpu::TextureFormat,
) -> Vec<ColorSpace> {
    let is_offered = |space: ColorSpace| {
        surface_color_space(space).to_color_spaces().is_some_and(|space| offered.contains(space))
    };
    let own = ColorSpace::of_format(format);
    let is_linear = own == ColorSpace::RgbFullG10NoneP709
        && surface_format == wgpu::TextureFormat::Rgba16Float
        && is_offered(own);
    let first = if is_linear { own } else { ColorSpace::RgbFullG22NoneP709 };
    let others = ColorSpace::ALL.into_iter().filter(|space| *space != first && is_offered(*space));
    std::iter::once(first).chain(others).collect()
}

impl SwapChain {
    /// Creates the driver's part of a swap chain for a window.
    ///
    /// # Errors
    /// Fails if the adapter cannot present to the window or cannot present the back buffers' format.
    pub(crate) fn new(gpu: &Gpu, args: &CreateSwapChainArgs) -> Result<Self, PresentError> {
        let screen = WindowScreen::new(gpu, &args.window)?;
        let capabilities = screen.capabilities(gpu);
        Self::of_screen(gpu, Box::new(screen), capabilities, args)
    }

    /// Creates the driver's part of a swap chain for a screen, which in tests lacks a window.
    pub(crate) fn of_screen(
        gpu: &Gpu,
        screen: Box<dyn Screen>,
        capabilities: wgpu::SurfaceCapabilities,
        args: &CreateSwapChainArgs,
    ) -> Result<Self, PresentError> {
        let format = match args.format {
            Format::UNKNOWN => own_format(gpu, &capabilities.formats),
            asked => asked,
        };
        let Some(back_buffer) = convert::texture_format(format).filter(|_| is_displayable(format)) else {
            return Err(lost(format!("{format:?} cannot be shown")));
        };
        let Some(fit) = SurfaceFit::new(gpu, &capabilities.formats, back_buffer) else {
            return Err(lost("the window offers no formats"));
        };
        let direct = direct_usages(args.bind_flags);
        // With all other swap effects, a present leaves the back buffer bound or keeps its contents.
        let is_direct = args.swap_effect == SwapEffect::FlipDiscard
            && fit.is_direct(back_buffer)
            && capabilities.usages.contains(direct);
        let copied =
            wgpu::TextureUsages::RENDER_ATTACHMENT | (wgpu::TextureUsages::COPY_DST & capabilities.usages);
        let configuration = wgpu::SurfaceConfiguration {
            usage: if is_direct { direct } else { copied },
            format: fit.format,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width: args.width.max(1),
            height: args.height.max(1),
            present_mode: wgpu::PresentMode::Fifo,
            desired_maximum_frame_latency: args.maximum_frame_latency,
            alpha_mode: composite_alpha_mode(&capabilities.alpha_modes, args.alpha_mode)?,
            view_formats: fit.twin.into_iter().collect(),
        };
        let color_spaces = color_spaces(capabilities.color_spaces(fit.format), format, fit.format);
        Ok(Self {
            color_spaces,
            surface: Surface::new(gpu, screen, configuration, capabilities.present_modes)?,
            format,
            is_direct,
            plan: BlitPlan::new(back_buffer, fit.format, fit.twin.is_some()),
            blit: OnceLock::new(),
        })
    }

    /// Adapts to a new size of the window in pixels, and treats a size of 0 as 1.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        self.surface.resize(width, height);
    }

    /// Closes the surface of a destroyed swap chain. All recorded work must have been submitted.
    pub(crate) fn close(&self) {
        self.surface.close();
    }

    /// Creates a back buffer, with `this` being `None` for a swap chain of another driver.
    ///
    /// # Errors
    /// Fails if memory runs out or the adapter does not support the descriptor.
    pub(crate) fn create_primary(
        this: Option<&Self>,
        objects: &DeviceObjects,
        desc: &TextureDesc,
    ) -> Result<Arc<Resource>, CreateError> {
        let surface = this.filter(|this| this.is_direct).map(|this| this.surface.clone());
        Resource::new_primary(objects, NO_KEY, &ResourceDesc::Texture(desc.clone()), surface)
    }

    /// Takes the surface's texture for presenting `from`, the back buffer's texture, or returns `None` if the
    /// window is hidden or busy.
    ///
    /// # Errors
    /// Fails if the window or the device is lost.
    pub(crate) fn take_presentable(
        &self,
        gpu: &Gpu,
        from: &TextureMemory,
    ) -> Result<Option<Presentable>, PresentError> {
        match self.surface.end_frame() {
            ScreenFrame::Lent(picture, memory) => {
                let is_copied = memory.id != from.id;
                Ok(Some(Presentable { picture, is_copied }))
            }
            ScreenFrame::Refused(answer) => answer.map(|()| None),
            ScreenFrame::Unasked => {
                Ok(self.surface.acquire(gpu)?.map(|picture| Presentable { picture, is_copied: true }))
            }
        }
    }

    /// Records commands that copy a back buffer's texture into the surface's texture, stretched if the sizes
    /// differ, or returns `None` if both are the same texture.
    ///
    /// # Errors
    /// Fails if the pipeline for the copy cannot be created.
    pub(crate) fn blit(
        &self,
        encoding: &DeviceEncoding,
        from: &TextureMemory,
        to: &Presentable,
    ) -> Result<Option<wgpu::CommandBuffer>, PresentError> {
        if !to.is_copied {
            return Ok(None);
        }
        let blit = match self.blit.get() {
            Some(blit) => blit,
            None => {
                let plan = self.plan;
                let made = encoding.compilers.make(move |gpu| gpu.guarded(|| Blit::new(gpu, plan)));
                let made = made.map_err(present_error)?;
                self.blit.get_or_init(|| made)
            }
        };
        let device = &encoding.gpu.device;
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("present") });
        blit.record(device, &mut encoder, from, to.picture.texture());
        Ok(Some(encoder.finish()))
    }

    /// Presents the surface's texture. The commands that draw it must have been submitted.
    pub(crate) fn show(&self, gpu: &Gpu, presentable: Presentable) {
        presentable.picture.show(gpu);
    }

    /// Sets the maximum number of frames that wait for the display, with effect from the next frame on.
    pub(crate) fn set_maximum_frame_latency(&self, frames: u32) {
        self.surface.set_maximum_frame_latency(frames);
    }

    /// Sets the colour space of the back buffers, with effect from the next frame on.
    pub(crate) fn set_color_space(&self, color_space: ColorSpace) {
        // wgpu may not report the initial colour space, so `Auto` is used for it.
        let is_first = self.color_spaces.first() == Some(&color_space);
        self.surface.set_color_space(if is_first {
            wgpu::SurfaceColorSpace::Auto
        } else {
            surface_color_space(color_space)
        });
    }

    /// Whether the window would show a frame if one were presented now.
    ///
    /// # Errors
    /// Fails if the window or the device is lost.
    pub(crate) fn test(&self, gpu: &Gpu) -> Result<bool, PresentError> {
        self.surface.test(gpu)
    }

    /// Sets how the next present waits for the display, unless the surface has already lent the texture for
    /// that present, to which the previous interval then still applies.
    pub(crate) fn set_sync_interval(&self, sync_interval: u32) {
        self.surface.set_sync_interval(sync_interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::TextureFormat as T;

    #[test]
    fn the_first_offered_order_of_bytes_is_the_best() {
        for (offered, expected) in [
            (&[T::Bgra8Unorm, T::Rgba8Unorm][..], [Format::B8G8R8A8_UNORM_SRGB, Format::R8G8B8A8_UNORM_SRGB]),
            (&[T::Rgba8Unorm, T::Bgra8Unorm], [Format::R8G8B8A8_UNORM_SRGB, Format::B8G8R8A8_UNORM_SRGB]),
            (&[T::Rgba8UnormSrgb], [Format::R8G8B8A8_UNORM_SRGB, Format::B8G8R8A8_UNORM_SRGB]),
            (&[T::Rgba16Float], [Format::B8G8R8A8_UNORM_SRGB, Format::R8G8B8A8_UNORM_SRGB]),
        ] {
            let formats = displayable_on(offered);
            assert_eq!(formats[..2], expected, "{offered:?}");
            assert!(DISPLAYABLE.iter().all(|format| formats.contains(format)), "{offered:?}");
        }
    }

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
}
