//! `GenerateMips`, which draws each mip level from the next larger level, with one draw for each array slice
//! or depth slice.

use crate::{
    encode::{emulate_hooks::MipGeneration, encoder::Encoder, own_pipelines::CoverPipeline},
    objects::view::View,
};

/// Creates a view of one level of one array slice, or of all depth slices, in the format of the application's
/// view.
fn level(
    texture: &wgpu::Texture,
    view: &View,
    mip: u32,
    slice: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some("mips"),
        format: Some(view.format),
        dimension: Some(match view.memory.depth {
            None => wgpu::TextureViewDimension::D2,
            Some(_) => wgpu::TextureViewDimension::D3,
        }),
        usage: Some(usage),
        base_mip_level: mip,
        mip_level_count: Some(1),
        base_array_layer: slice,
        array_layer_count: Some(1),
        ..wgpu::TextureViewDescriptor::default()
    })
}

impl<'r> MipGeneration<'r> for Encoder<'r> {
    fn generate_mips(&mut self, view: &'r View) {
        let texture = view.member_texture();
        let usage = texture.usage();
        let needed = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let is_float = matches!(view.sample_type, wgpu::TextureSampleType::Float { .. });
        let allowed = self.gpu.format_features(view.format).allowed_usages;
        if view.samples > 1 || !is_float || !usage.contains(needed) || !allowed.contains(needed) {
            return;
        }
        self.writes_view(view);
        let which = CoverPipeline::Mip { format: view.format, is_3d: view.memory.depth.is_some() };
        let lost = "mip levels are not made: the adapter cannot draw them";
        let Some(pipeline) = self.own_cover(which, lost) else { return };
        let range = view.desc.range;
        for slice in range.first_slice..range.first_slice + range.slices {
            for mip in range.first_mip + 1..range.first_mip + range.mips {
                let from = level(texture, view, mip - 1, slice, wgpu::TextureUsages::TEXTURE_BINDING);
                let to = level(texture, view, mip, slice, wgpu::TextureUsages::RENDER_ATTACHMENT);
                match view.memory.depth.map(|depth| depth.checked_shr(mip).unwrap_or(0).max(1)) {
                    None => self.draw_mip(&pipeline, &from, (&to, None)),
                    Some(depth) => {
                        (0..depth).for_each(|w| self.draw_mip(&pipeline, &from, (&to, Some(w))));
                    }
                }
            }
        }
    }
}

impl<'r> Encoder<'r> {
    fn draw_mip(
        &mut self,
        pipeline: &wgpu::RenderPipeline,
        from: &wgpu::TextureView,
        (to, depth_slice): (&wgpu::TextureView, Option<u32>),
    ) {
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(from),
            }],
        });
        let mut pass = self.outside_for_pass().begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("mips"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: to,
                depth_slice,
                resolve_target: None,
                // All texels are drawn, so loading the old ones would be a waste.
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        let slice = depth_slice.unwrap_or(0);
        pass.draw(0..3, slice..slice + 1);
    }
}
