//! The render targets of the passes.

use onze::prelude::*;

/// Pixels along each edge of the shadow map.
pub(crate) const SHADOW_EXTENT: u32 = 2048;

/// The sun's depth, written by one pass and compared with in the others.
#[derive(Debug)]
pub(crate) struct ShadowMap {
    /// To draw into.
    pub(crate) depth: DepthStencilView,
    /// To compare with.
    pub(crate) view: ShaderResourceView,
    /// Compares and filters.
    pub(crate) sampler: SamplerState,
}

impl ShadowMap {
    /// A depth format cannot be read by shaders, so the texture is typeless and each view says what
    /// it sees.
    pub(crate) fn new(device: &Device) -> Result<Self, onze::Error> {
        let desc = Texture2dDesc {
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, SHADOW_EXTENT, SHADOW_EXTENT)
        };
        let texture = device.create_texture_2d(&desc.label("shadow map"), None)?;
        let depth = DepthStencilViewDesc::format(Format::D32_FLOAT);
        let view = ShaderResourceViewDesc::format(Format::R32_FLOAT);
        Ok(Self {
            depth: device.create_depth_stencil_view(&texture, Some(&depth))?,
            view: device.create_shader_resource_view(&texture, Some(&view))?,
            sampler: device.create_sampler_state(&SamplerDesc::comparison(
                Filter::MIN_MAG_LINEAR_MIP_POINT,
                ComparisonFunc::LessEqual,
            ))?,
        })
    }
}

/// A picture with its depth and stencil.
#[derive(Debug)]
pub(crate) struct Targets {
    /// The colour, in a texture of the caller's.
    pub(crate) color: RenderTargetView,
    /// Depth and stencil.
    pub(crate) depth: DepthStencilView,
    /// The whole picture.
    pub(crate) viewport: Viewport,
}

impl Targets {
    /// Targets that draw into `color`.
    pub(crate) fn new(device: &Device, color: &Texture2d) -> Result<Self, onze::Error> {
        let (width, height) = (color.desc().width, color.desc().height);
        let desc = Texture2dDesc::depth_stencil(Format::D24_UNORM_S8_UINT, width, height);
        let depth = device.create_texture_2d(&desc.label("depth"), None)?;
        Ok(Self {
            color: device.create_render_target_view(color, None)?,
            depth: device.create_depth_stencil_view(&depth, None)?,
            viewport: Viewport::sized(width as f32, height as f32),
        })
    }

    /// Width over height.
    pub(crate) fn aspect(&self) -> f32 {
        self.viewport.width / self.viewport.height
    }
}
