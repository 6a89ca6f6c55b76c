//! The render targets of the passes: a shadow map, and the picture with its depth and stencil.

use onze::prelude::*;

pub(crate) const SHADOW_EXTENT: u32 = 2048;

/// Depth as seen from the sun, which the shadow pass writes and the other passes compare with.
#[derive(Debug)]
pub(crate) struct ShadowMap {
    pub(crate) depth: DepthStencilView,
    pub(crate) view: ShaderResourceView,
    /// Compares with a reference depth and filters the results (D3D11: `SampleCmp`).
    pub(crate) sampler: SamplerState,
}

impl ShadowMap {
    /// Creates the texture and its views.
    ///
    /// Shaders cannot read a depth format, so the texture is typeless, and each view has its own format.
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

#[derive(Debug)]
pub(crate) struct Targets {
    pub(crate) color: RenderTargetView,
    pub(crate) depth: DepthStencilView,
    pub(crate) viewport: Viewport,
}

impl Targets {
    /// Creates a depth buffer in the size of `color`, and views of both.
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

    pub(crate) fn aspect(&self) -> f32 {
        self.viewport.width / self.viewport.height
    }
}
