//! The description of a swap chain, and the rules for its fields.

use std::sync::Arc;

use onze_ddi::{AlphaMode, BindFlags, Format, FormatSupport, SwapEffect};

use crate::{Device, Error, device_core::DeviceCore, validate};

/// Describes a swap chain and its back buffers (D3D11: `DXGI_SWAP_CHAIN_DESC1`).
///
/// The default presents in the window's own format at the lowest cost: the back buffer is the window's own memory, so a
/// present copies nothing.
#[doc(alias = "DXGI_SWAP_CHAIN_DESC1")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwapChainDesc {
    /// Width of each back buffer in pixels, usually the width of the window, and required because the default
    /// of 0 is not a valid size.
    pub width: u32,
    /// Height of each back buffer in pixels, usually the height of the window, and required because the
    /// default of 0 is not a valid size.
    pub height: u32,
    /// Format of the back buffers, which must support rendering and presenting (`FormatSupport::DISPLAY`).
    ///
    /// [`Format::UNKNOWN`], the default, selects the window's own format: an sRGB format if the window has one, so that
    /// shaders compute with linear colours. [`SwapChain::desc`](super::SwapChain::desc) returns the selected format,
    /// and a present converts from any other format, which costs a pass over the whole image.
    pub format: Format,
    /// Bind flags of the back buffers. `RENDER_TARGET`, the default, is required. With `SHADER_RESOURCE`,
    /// shaders can read the back buffers, while copies need no flag (D3D11:
    /// `DXGI_SWAP_CHAIN_DESC1::BufferUsage`).
    #[doc(alias = "BufferUsage")]
    pub buffer_usage: BindFlags,
    /// Number of back buffers, by default 2, at most [`SwapChainDesc::MAX_BUFFER_COUNT`], and at least 2 for
    /// the flip model (D3D11: `DXGI_SWAP_CHAIN_DESC1::BufferCount`).
    #[doc(alias = "BufferCount")]
    pub buffer_count: u32,
    /// Effect of a present on the back buffer, by default [`SwapEffect::FlipDiscard`], with all effects
    /// described at [`SwapChain::present`](super::SwapChain::present) (D3D11:
    /// `DXGI_SWAP_CHAIN_DESC1::SwapEffect`).
    #[doc(alias = "SwapEffect")]
    pub swap_effect: SwapEffect,
    /// Maximum number of frames that may wait for the display, 1 to 16, by default 2 (D3D11:
    /// `IDXGISwapChain2::SetMaximumFrameLatency` and `GetMaximumFrameLatency`). A small number reduces input
    /// latency, and a large one evens out slow frames.
    #[doc(alias = "SetMaximumFrameLatency")]
    #[doc(alias = "GetMaximumFrameLatency")]
    pub maximum_frame_latency: u32,
    /// How the alpha of the back buffer blends the window with its background, by default
    /// [`AlphaMode::Unspecified`] (D3D11: `DXGI_SWAP_CHAIN_DESC1::AlphaMode`).
    #[doc(alias = "AlphaMode")]
    pub alpha_mode: AlphaMode,
    /// A name for error messages and graphics debuggers, not necessarily unique.
    pub label: onze_ddi::Label,
}

impl Default for SwapChainDesc {
    fn default() -> Self {
        Self {
            width: 0,
            height: 0,
            format: Format::UNKNOWN,
            buffer_usage: BindFlags::RENDER_TARGET,
            buffer_count: 2,
            swap_effect: SwapEffect::FlipDiscard,
            maximum_frame_latency: 2,
            alpha_mode: AlphaMode::Unspecified,
            label: None,
        }
    }
}

impl SwapChainDesc {
    /// Maximum number of back buffers in a swap chain (D3D11: `DXGI_MAX_SWAP_CHAIN_BUFFERS`).
    #[doc(alias = "DXGI_MAX_SWAP_CHAIN_BUFFERS")]
    pub const MAX_BUFFER_COUNT: u32 = 16;
    /// Maximum number of frames that can wait for the display (DXGI: the limit of `SetMaximumFrameLatency`).
    #[doc(alias = "SetMaximumFrameLatency")]
    pub const MAX_FRAME_LATENCY: u32 = 16;

    /// Creates a default description with a size in pixels.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, ..Self::default() }
    }

    /// Number of buffers to create: the application's back buffer and the buffers that rotate with it, or one
    /// buffer if a present makes the contents undefined.
    pub(super) fn created_buffers(&self) -> u32 {
        if self.swap_effect.keeps_contents() { self.buffer_count } else { 1 }
    }
}

/// Returns the kind and the label of the swap chain, for messages.
fn name(desc: &SwapChainDesc) -> String {
    validate::named("swap chain", desc.label.as_deref().unwrap_or_default())
}

pub(super) fn check_desc(device: &Arc<DeviceCore>, desc: &SwapChainDesc) -> Result<(), Error> {
    check_size(device, desc)?;
    check_format(device, desc)?;
    check_usage(desc)?;
    check_counts(desc)
}

pub(super) fn check_size(device: &DeviceCore, desc: &SwapChainDesc) -> Result<(), Error> {
    let limit = device.caps.max_texture_2d;
    let (width, height) = (desc.width, desc.height);
    let cure = if width == 0 || height == 0 {
        "has at least 1; a minimised window has a size of 0, so skip its frames until its size changes"
            .to_owned()
    } else if width > limit || height > limit {
        format!("has at most {limit}; ask for the window's size in pixels")
    } else {
        return Ok(());
    };
    Err(Error::InvalidArg(format!("{} of {width} x {height} pixels: each side {cure}", name(desc))))
}

fn check_format(device: &Arc<DeviceCore>, desc: &SwapChainDesc) -> Result<(), Error> {
    let format = desc.format;
    let needed = FormatSupport::DISPLAY | FormatSupport::RENDER_TARGET;
    if format == Format::UNKNOWN || Device::from_core(device).check_format_support(format).contains(needed) {
        return Ok(());
    }
    Err(Error::InvalidArg(format!(
        "{}: {format:?} cannot be shown in a window; ask for Format::UNKNOWN, the window's own, or for a format with \
         `FormatSupport::DISPLAY`",
        name(desc)
    )))
}

fn check_usage(desc: &SwapChainDesc) -> Result<(), Error> {
    let usage = desc.buffer_usage;
    let most = BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE;
    if usage.contains(BindFlags::RENDER_TARGET) && most.contains(usage) {
        return Ok(());
    }
    Err(Error::InvalidArg(format!(
        "{}: `SwapChainDesc::buffer_usage` is {}; it must contain RENDER_TARGET, and SHADER_RESOURCE if shaders \
         read them",
        name(desc),
        validate::flag_names(usage)
    )))
}

pub(super) fn check_counts(desc: &SwapChainDesc) -> Result<(), Error> {
    const MOST: u32 = SwapChainDesc::MAX_BUFFER_COUNT;
    const LATENCY: u32 = SwapChainDesc::MAX_FRAME_LATENCY;
    let (count, effect) = (desc.buffer_count, desc.swap_effect);
    let least = if effect.is_flip() { 2 } else { 1 };
    if !(least..=MOST).contains(&count) {
        return Err(Error::InvalidArg(format!(
            "{}: SwapEffect::{effect:?} needs {least} to {MOST} back buffers, found {count}; set \
             `SwapChainDesc::buffer_count` to a number in this range",
            name(desc)
        )));
    }
    if !(1..=LATENCY).contains(&desc.maximum_frame_latency) {
        let latency = desc.maximum_frame_latency;
        return Err(Error::InvalidArg(format!(
            "{}: `SwapChainDesc::maximum_frame_latency` is {latency}; 1 to {LATENCY} frames can wait for the display",
            name(desc)
        )));
    }
    Ok(())
}
