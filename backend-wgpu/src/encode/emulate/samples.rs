//! Copies of parts of multisampled textures, which wgpu does not have: draws, in which a shader runs for each sample.

use crate::{
    encode::{encoder::Encoder, parts::locations::TextureLocation},
    services::gpu::Gpu,
};

/// The pipelines that copy samples, by format and number of samples; `None` where the adapter has none.
#[derive(Debug, Default)]
pub(in crate::encode) struct SampleCopies(Vec<(wgpu::TextureFormat, u32, Option<wgpu::RenderPipeline>)>);

/// Whether samples of a texture can be copied from.
pub(in crate::encode) fn can_copy_samples(gpu: &Gpu, texture: &wgpu::Texture) -> bool {
    texture.usage().contains(wgpu::TextureUsages::TEXTURE_BINDING)
        && gpu.downlevel.flags.contains(wgpu::DownlevelFlags::MULTISAMPLED_SHADING)
}

/// The shader for a format: how it declares the texture, and what it returns where.
fn source(format: wgpu::TextureFormat) -> String {
    let [texture, output, value] = match format.sample_type(None, None) {
        Some(wgpu::TextureSampleType::Depth) => {
            ["texture_depth_multisampled_2d", "@builtin(frag_depth)", "f32"]
        }
        Some(wgpu::TextureSampleType::Uint) => ["texture_multisampled_2d<u32>", "@location(0)", "vec4<u32>"],
        Some(wgpu::TextureSampleType::Sint) => ["texture_multisampled_2d<i32>", "@location(0)", "vec4<i32>"],
        _ => ["texture_multisampled_2d<f32>", "@location(0)", "vec4<f32>"],
    };
    let text = include_str!("samples.wgsl");
    text.replace("TEXTURE", texture).replace("OUTPUT", output).replace("VALUE", value)
}

fn pipeline(gpu: &Gpu, format: wgpu::TextureFormat, samples: u32) -> Option<wgpu::RenderPipeline> {
    let is_depth = format.is_depth_stencil_format();
    let target = (!is_depth).then(|| wgpu::ColorTargetState::from(format));
    let depth = is_depth.then(|| wgpu::DepthStencilState {
        format,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Always),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    });
    crate::services::error_scope::scoped(&gpu.device, || {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("samples"),
            source: wgpu::ShaderSource::Wgsl(source(format).into()),
        });
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("samples"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("cover"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: depth,
            multisample: wgpu::MultisampleState { count: samples, ..wgpu::MultisampleState::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("copy"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: if is_depth { &[] } else { std::slice::from_ref(&target) },
            }),
            multiview_mask: None,
            cache: gpu.pipeline_cache.load().as_deref(),
        })
    })
    .ok()
}

impl<'r> Encoder<'r> {
    /// Copies a part of a multisampled texture to one of the same format and number of samples.
    pub(in crate::encode) fn copy_samples(
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

    /// Draws the samples of a rectangle of one slice to another texture, with the encoder, which has no pass open.
    pub(in crate::encode) fn draw_samples(
        &mut self,
        from: wgpu::TexelCopyTextureInfo<'_>,
        to: wgpu::TexelCopyTextureInfo<'_>,
        [width, height]: [u32; 2],
    ) {
        let (format, samples) = (from.texture.format(), from.texture.sample_count());
        let SampleCopies(known) = &mut self.caches.sample_copies;
        let at =
            known.iter().position(|known| (known.0, known.1) == (format, samples)).unwrap_or_else(|| {
                let made = self.encoding.compilers.make(move |gpu| pipeline(gpu, format, samples));
                known.push((format, samples, made));
                known.len() - 1
            });
        let Some(pipeline) = known[at].2.clone() else {
            self.report("samples are lost: the adapter's shaders do not read the multisampled format");
            return;
        };
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
