//! Textures to draw into, with views for drawing and for reading.

use onze_ddi::{BindFlags, Format, Texture2dDesc};

use super::{DepthStencilView, Device, RenderTargetView, ShaderResourceView, Texture2d};
use crate::{
    report::{Error, MessageId},
    validate::{DepthStencilViewDesc, ShaderResourceViewDesc},
};

/// A colour texture that can be drawn into and then read by shaders, created by
/// [`Device::create_render_target`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RenderTarget {
    /// The texture, which has one mip level.
    pub texture: Texture2d,
    /// The view for drawing, for `om_set_render_targets` and `clear_render_target_view`.
    pub render_target_view: RenderTargetView,
    /// The view for reading, for example for `ps_set_shader_resources`, except while the texture is a target.
    pub shader_resource_view: ShaderResourceView,
}

/// A depth texture that can be used for depth tests and then read by shaders, created by
/// [`Device::create_depth_target`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthTarget {
    /// The texture, which has one mip level and a typeless format; the views have typed formats.
    pub texture: Texture2d,
    /// The view for depth tests, for `om_set_render_targets` and `clear_depth_stencil`.
    pub depth_stencil_view: DepthStencilView,
    /// The view for reading the depth, for example of a shadow map with `ps_set_shader_resources`, except
    /// while the texture is a target.
    pub shader_resource_view: ShaderResourceView,
}

/// Returns the format in which shaders read the depth of a depth format.
const fn depth_as_read(format: Format) -> Option<Format> {
    match format {
        Format::D16_UNORM => Some(Format::R16_UNORM),
        Format::D24_UNORM_S8_UINT => Some(Format::R24_UNORM_X8_TYPELESS),
        Format::D32_FLOAT => Some(Format::R32_FLOAT),
        Format::D32_FLOAT_S8X24_UINT => Some(Format::R32_FLOAT_X8X24_TYPELESS),
        _ => None,
    }
}

impl Device {
    /// Creates a colour texture to draw into, with its views (D3D11: `CreateTexture2D` with
    /// `D3D11_BIND_RENDER_TARGET | D3D11_BIND_SHADER_RESOURCE`, `CreateRenderTargetView` and
    /// `CreateShaderResourceView`).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let scene = device.create_render_target(Format::R16G16B16A16_FLOAT, 640, 360)?;
    /// let depth = device.create_depth_target(Format::D32_FLOAT, 640, 360)?;
    /// context.clear_render_target_view(&scene.render_target_view, [0.0, 0.0, 0.0, 1.0]);
    /// context.clear_depth_stencil(&depth.depth_stencil_view);
    /// context.om_set_render_targets(&scene.render_target_view, &depth.depth_stencil_view);
    /// // ... draws, then another target, and:
    /// context.om_set_render_targets(None, None);
    /// context.ps_set_shader_resources(0, [&scene.shader_resource_view, &depth.shader_resource_view]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_2d`](Self::create_texture_2d) and the calls for the views.
    #[doc(alias = "CreateTexture2D")]
    #[doc(alias = "D3D11_BIND_RENDER_TARGET")]
    #[doc(alias = "D3D11_BIND_SHADER_RESOURCE")]
    #[doc(alias = "CreateShaderResourceView")]
    #[doc(alias = "CreateRenderTargetView")]
    pub fn create_render_target(
        &self,
        format: Format,
        width: u32,
        height: u32,
    ) -> Result<RenderTarget, Error> {
        self.create_render_target_with_samples(format, width, height, 1)
    }

    /// Works like [`create_render_target`](Self::create_render_target), but creates a multisampled texture
    /// (D3D11: `CreateTexture2D` with `SampleDesc.Count`).
    ///
    /// [`resolve_subresource`](crate::DeviceContext::resolve_subresource) averages the samples into a texture
    /// with one sample per texel. Shaders can read individual samples through the shader-resource view
    /// (HLSL's `Texture2DMS`). Most formats support sample counts of 1 and 4, and
    /// [`check_multisample_quality_levels`](Self::check_multisample_quality_levels) returns whether another
    /// count is supported.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let format = Format::R8G8B8A8_UNORM_SRGB;
    /// let scene = device.create_render_target_with_samples(format, 640, 360, 4)?;
    /// let depth = device.create_depth_target_with_samples(Format::D32_FLOAT, 640, 360, 4)?;
    /// let picture = device.create_render_target(format, 640, 360)?;
    /// context.om_set_render_targets(&scene.render_target_view, &depth.depth_stencil_view);
    /// // ... draws, and then:
    /// context.resolve_subresource(&picture.texture, 0, &scene.texture, 0, format);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_render_target`](Self::create_render_target), and
    /// [`Error::InvalidArg`] and [`Error::Unsupported`] for a sample count that the adapter does not support
    /// for the format.
    #[doc(alias = "CreateTexture2D")]
    pub fn create_render_target_with_samples(
        &self,
        format: Format,
        width: u32,
        height: u32,
        sample_count: u32,
    ) -> Result<RenderTarget, Error> {
        let desc = Texture2dDesc { sample_count, ..Texture2dDesc::render_target(format, width, height) };
        let texture = self.create_texture_2d(&desc, None)?;
        Ok(RenderTarget {
            render_target_view: texture.create_render_target_view()?,
            shader_resource_view: texture.create_shader_resource_view()?,
            texture,
        })
    }

    /// Creates a depth texture, with its views (D3D11: `CreateTexture2D` with
    /// `D3D11_BIND_DEPTH_STENCIL | D3D11_BIND_SHADER_RESOURCE` in the typeless format,
    /// `CreateDepthStencilView`, and `CreateShaderResourceView` of the depth).
    ///
    /// The format must be `D32_FLOAT` or `D16_UNORM`, or, with stencil, `D24_UNORM_S8_UINT` or
    /// `D32_FLOAT_S8X24_UINT`.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for another format. Also returns the errors of
    /// [`create_texture_2d`](Self::create_texture_2d) and the calls for the views.
    #[doc(alias = "CreateTexture2D")]
    #[doc(alias = "D3D11_BIND_DEPTH_STENCIL")]
    #[doc(alias = "D3D11_BIND_SHADER_RESOURCE")]
    #[doc(alias = "CreateDepthStencilView")]
    pub fn create_depth_target(&self, format: Format, width: u32, height: u32) -> Result<DepthTarget, Error> {
        self.create_depth_target_with_samples(format, width, height, 1)
    }

    /// Works like [`create_depth_target`](Self::create_depth_target), but creates a multisampled texture,
    /// which needs the same sample count as the render targets that are bound with it (D3D11:
    /// `CreateTexture2D` with `SampleDesc.Count`).
    ///
    /// # Errors
    /// Returns the same errors as [`create_depth_target`](Self::create_depth_target) and
    /// [`create_render_target_with_samples`](Self::create_render_target_with_samples).
    #[doc(alias = "CreateTexture2D")]
    pub fn create_depth_target_with_samples(
        &self,
        format: Format,
        width: u32,
        height: u32,
        sample_count: u32,
    ) -> Result<DepthTarget, Error> {
        let as_read = depth_as_read(format).ok_or_else(|| {
            Error::InvalidArg(format!(
                "{format:?} is not a depth format: use D32_FLOAT or D16_UNORM, or with stencil D24_UNORM_S8_UINT or \
                 D32_FLOAT_S8X24_UINT"
            ))
        });
        let as_read = self.core.reject(MessageId::CreateTexture2dInvalid, as_read)?;
        let desc = Texture2dDesc {
            sample_count,
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::depth_stencil(format.family(), width, height)
        };
        let texture = self.create_texture_2d(&desc, None)?;
        let read = ShaderResourceViewDesc::format(as_read);
        Ok(DepthTarget {
            depth_stencil_view: self
                .create_depth_stencil_view(&texture, &DepthStencilViewDesc::format(format))?,
            shader_resource_view: self.create_shader_resource_view(&texture, &read)?,
            texture,
        })
    }
}
