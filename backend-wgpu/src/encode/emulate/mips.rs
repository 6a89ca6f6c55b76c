//! `GenerateMips`: draws each mip level from the level above, slice by slice, of 3D textures depth slice by depth slice.

use std::{collections::HashMap, sync::Mutex};

use crate::{
    encode::{compiler::Compilers, encoder::Encoder},
    objects::view::View,
    services::{gpu::Gpu, sync::lock},
};

/// One pipeline per format of a view, and another one for 3D textures.
#[derive(Debug, Default)]
pub(in crate::encode) struct MipPipelines(Mutex<HashMap<(wgpu::TextureFormat, bool), wgpu::RenderPipeline>>);

impl MipPipelines {
    #[cfg(test)]
    pub(in crate::encode) fn hold_lock(&self) -> impl Sized {
        lock(&self.0)
    }

    fn get(&self, compilers: &Compilers, format: wgpu::TextureFormat, is_3d: bool) -> wgpu::RenderPipeline {
        let make = || compilers.make(move |gpu| pipeline(gpu, format, is_3d));
        lock(&self.0).entry((format, is_3d)).or_insert_with(make).clone()
    }
}

fn pipeline(gpu: &Gpu, format: wgpu::TextureFormat, is_3d: bool) -> wgpu::RenderPipeline {
    let source = if is_3d { wgpu::include_wgsl!("mips_3d.wgsl") } else { wgpu::include_wgsl!("mips.wgsl") };
    let module = gpu.device.create_shader_module(source);
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("mips"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("cover"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("halve"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: gpu.pipeline_cache.load().as_deref(),
    })
}

/// One level of one slice, or of all depth slices, in the format of the view whose mips are made.
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

impl<'r> Encoder<'r> {
    /// Makes all levels of a view but the first from the first. sRGB levels are averaged as light.
    pub(in crate::encode) fn generate_mips(&mut self, view: &'r View) {
        let texture = view.member_texture();
        let usage = texture.usage();
        let needed = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let is_float = matches!(view.sample_type, wgpu::TextureSampleType::Float { .. });
        let allowed = self.gpu.format_features(view.format).allowed_usages;
        if view.samples > 1 || !is_float || !usage.contains(needed) || !allowed.contains(needed) {
            return;
        }
        self.writes_view(view);
        let pipeline =
            self.caches.shared.mips.get(&self.encoding.compilers, view.format, view.memory.depth.is_some());
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
                // All of it is drawn; a load would only cost.
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        // The instance tells the shader the depth slice.
        let slice = depth_slice.unwrap_or(0);
        pass.draw(0..3, slice..slice + 1);
    }
}
