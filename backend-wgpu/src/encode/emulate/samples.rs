//! Copies of rectangles of multisampled textures, which wgpu lacks, so they are draws whose shader runs for
//! each sample.

use crate::{
    encode::{
        emulate_hooks::SampleCopies, encoder::Encoder, own_pipelines::CoverPipeline,
        parts::locations::TextureLocation,
    },
    services::gpu::Gpu,
};

/// Returns whether shaders can read the samples of a texture one by one.
pub(crate) fn can_copy_samples(gpu: &Gpu, texture: &wgpu::Texture) -> bool {
    texture.usage().contains(wgpu::TextureUsages::TEXTURE_BINDING)
        && gpu.downlevel.flags.contains(wgpu::DownlevelFlags::MULTISAMPLED_SHADING)
}

impl<'r> SampleCopies<'r> for Encoder<'r> {
    fn copy_samples(
        &mut self,
        src: TextureLocation<'r>,
        dst: TextureLocation<'r>,
        [width, height, slices]: [u32; 3],
    ) {
        if !can_copy_samples(self.gpu, &src.texture.texture) {
            self.report(
                "a copy of a part of a multisampled texture is lost: the adapter's shaders do not read it",
            );
            return;
        }
        self.reads(src.part(slices));
        self.writes(dst.part(slices));
        for slice in 0..slices {
            let info = |texels: &TextureLocation<'r>| {
                let mut info = texels.info(wgpu::TextureAspect::All);
                info.origin.z += slice;
                info
            };
            self.outside_for_pass();
            self.draw_samples(info(&src), info(&dst), [width, height]);
        }
    }
}

impl<'r> Encoder<'r> {
    /// Draws the samples of a rectangle of one slice to another texture, while no pass is open.
    pub(crate) fn draw_samples(
        &mut self,
        from: wgpu::TexelCopyTextureInfo<'_>,
        to: wgpu::TexelCopyTextureInfo<'_>,
        [width, height]: [u32; 2],
    ) {
        let (format, samples) = (from.texture.format(), from.texture.sample_count());
        let lost = "samples are lost: the adapter's shaders do not read the multisampled format";
        let Some(pipeline) = self.own_cover(CoverPipeline::Samples { format, samples }, lost) else { return };
        let view = |place: &wgpu::TexelCopyTextureInfo<'_>, usage| {
            place.texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                usage: Some(usage),
                base_array_layer: place.origin.z,
                array_layer_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let source = view(&from, wgpu::TextureUsages::TEXTURE_BINDING);
        let drawn = view(&to, wgpu::TextureUsages::RENDER_ATTACHMENT);
        let wgpu::Origin3d { x, y, .. } = to.origin;
        let ahead = [from.origin.x.wrapping_sub(x), from.origin.y.wrapping_sub(y)];
        let place = self.parameters(&[ahead[0], ahead[1], x, y, x + width, y + height, 0, 0]);
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&source) },
                wgpu::BindGroupEntry { binding: 1, resource: place.as_entire_binding() },
            ],
        });
        let is_depth = format.is_depth_stencil_format();
        let color = (!is_depth).then(|| wgpu::RenderPassColorAttachment {
            view: &drawn,
            depth_slice: None,
            resolve_target: None,
            ops: crate::encode::parts::clears::operations(None),
        });
        let mut pass = self.encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("samples"),
            color_attachments: if is_depth { &[] } else { std::slice::from_ref(&color) },
            depth_stencil_attachment: is_depth.then(|| wgpu::RenderPassDepthStencilAttachment {
                view: &drawn,
                depth_ops: Some(crate::encode::parts::clears::operations(None)),
                stencil_ops: format
                    .has_stencil_aspect()
                    .then(|| crate::encode::parts::clears::operations(None)),
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_scissor_rect(x, y, width, height);
        pass.draw(0..3, 0..1);
    }
}
