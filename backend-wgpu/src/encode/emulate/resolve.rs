//! `ResolveSubresource`, which averages samples with a resolve target or with a draw.
//!
//! If the adapter can resolve the format, a pass without draws has the source as its target and the
//! destination as its resolve target. A draw that averages the samples of each pixel replaces it for 32-bit
//! floats, for other formats on some adapters, and for all array slices except the first. If the destination
//! cannot be a render target, the result is drawn into a temporary texture and copied.

use onze_ddi::Format;

use crate::{
    encode::{
        emulate_hooks::Resolves,
        encoder::Encoder,
        own_pipelines::CoverPipeline,
        parts::{clears::operations, locations::TextureLocation},
    },
    objects::texture::TextureMemory,
    services::convert,
};

/// Returns whether views of a texture can have a format.
fn is_seen(texture: &TextureMemory, format: wgpu::TextureFormat) -> bool {
    texture.format == format || texture.twin == Some(format)
}

fn view(
    texels: &TextureLocation<'_>,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    texels.texture.texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some("resolve"),
        format: Some(format),
        dimension: Some(wgpu::TextureViewDimension::D2),
        usage: Some(usage),
        base_mip_level: texels.mip,
        mip_level_count: Some(1),
        base_array_layer: texels.origin[2],
        array_layer_count: Some(1),
        ..wgpu::TextureViewDescriptor::default()
    })
}

impl<'r> Resolves<'r> for Encoder<'r> {
    fn resolve(&mut self, src: TextureLocation<'r>, dst: TextureLocation<'r>, format: Format) {
        let seen = convert::texture_format(format)
            .filter(|format| is_seen(src.texture, *format) && is_seen(dst.texture, *format));
        let Some(seen) = seen else {
            self.report(&format!(
                "a resolve is lost: wgpu does not see textures of {:?} and {:?} as {format:?}",
                src.texture.format, dst.texture.format
            ));
            return;
        };
        self.reads(src.part(1));
        self.writes(dst.part(1));
        if dst.texture.texture.usage().contains(wgpu::TextureUsages::RENDER_ATTACHMENT) {
            let to = view(&dst, seen, wgpu::TextureUsages::RENDER_ATTACHMENT);
            return self.resolve_into(src, seen, &to);
        }
        let (width, height) = dst.texture.mip_size(dst.mip);
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let between = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("resolved"),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: seen,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let to = between.create_view(&wgpu::TextureViewDescriptor::default());
        self.resolve_into(src, seen, &to);
        let all = wgpu::TextureAspect::All;
        self.outside().copy_texture_to_texture(between.as_image_copy(), dst.info(all), size);
    }
}

impl<'r> Encoder<'r> {
    fn resolve_into(
        &mut self,
        src: TextureLocation<'r>,
        format: wgpu::TextureFormat,
        to: &wgpu::TextureView,
    ) {
        let flags = self.gpu.format_features(format).flags;
        // Mesa's software adapter (22.3) always resolves the first slice, regardless of the view's slice.
        let is_first = src.origin[2] == 0;
        if !flags.contains(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE) || !is_first {
            return self.draw_average(src, format, to);
        }
        let from = view(&src, format, wgpu::TextureUsages::RENDER_ATTACHMENT);
        drop(self.outside_for_pass().begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("resolve"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &from,
                depth_slice: None,
                resolve_target: Some(to),
                ops: operations(None),
            })],
            ..wgpu::RenderPassDescriptor::default()
        }));
    }

    fn draw_average(
        &mut self,
        src: TextureLocation<'r>,
        format: wgpu::TextureFormat,
        to: &wgpu::TextureView,
    ) {
        let lost = "a resolve is lost: the adapter cannot draw it";
        let Some(pipeline) = self.own_cover(CoverPipeline::Resolve { format }, lost) else { return };
        let from = view(&src, format, wgpu::TextureUsages::TEXTURE_BINDING);
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&from),
            }],
        });
        let mut pass = self.outside_for_pass().begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("resolve"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: to,
                depth_slice: None,
                resolve_target: None,
                // All texels are drawn, so loading the old ones would be a waste.
                ops: operations(Some(wgpu::Color::TRANSPARENT)),
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
}
