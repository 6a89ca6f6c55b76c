//! The frame's textures other than the back buffer: the multisampled colour texture and the depth buffer.

use onze::{
    DepthStencilView, DepthTarget, Device, DeviceContext, Format, RenderTarget, RenderTargetView, Texture2d,
};

use crate::{Result, WindowDesc};

pub(crate) struct Targets {
    /// The multisampled colour texture, or `None` if frames have one sample and need no resolve.
    multisampled: Option<RenderTarget>,
    depth: Option<DepthTarget>,
}

impl Targets {
    pub(crate) fn new(
        device: &Device,
        desc: &WindowDesc,
        format: Format,
        (width, height): (u32, u32),
    ) -> Result<Self> {
        let samples = desc.samples.max(1);
        let multisampled = (samples > 1)
            .then(|| device.create_render_target_with_samples(format, width, height, samples))
            .transpose()?;
        let depth = desc
            .depth
            .map(|format| device.create_depth_target_with_samples(format, width, height, samples))
            .transpose()?;
        Ok(Self { multisampled, depth })
    }

    /// Returns the view to draw into: the multisampled texture's view, or `picture` if there is no such
    /// texture.
    pub(crate) fn target<'a>(&'a self, picture: &'a RenderTargetView) -> &'a RenderTargetView {
        self.multisampled.as_ref().map_or(picture, |target| &target.render_target_view)
    }

    pub(crate) fn depth(&self) -> Option<&DepthStencilView> {
        self.depth.as_ref().map(|depth| &depth.depth_stencil_view)
    }

    /// Averages the samples into `picture` after the frame has been drawn.
    pub(crate) fn resolve(&self, context: &mut DeviceContext, picture: &Texture2d) {
        if let Some(target) = &self.multisampled {
            context.resolve_subresource(picture, 0, &target.texture, 0, target.texture.desc().format);
        }
    }
}
