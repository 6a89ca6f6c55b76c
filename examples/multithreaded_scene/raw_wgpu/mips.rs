//! Generates mip levels by drawing each level from the next larger level, because wgpu has no function for
//! that.

use super::device::Gpu;

#[derive(Debug)]
pub(super) struct Mips {
    plain: wgpu::RenderPipeline,
    srgb: wgpu::RenderPipeline,
}

impl Mips {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let module = device.create_shader_module(wgpu::include_wgsl!("mips.wgsl"));
        Self {
            plain: pipeline(device, &module, wgpu::TextureFormat::Rgba8Unorm),
            srgb: pipeline(device, &module, wgpu::TextureFormat::Rgba8UnormSrgb),
        }
    }

    pub(super) fn generate(&self, gpu: &Gpu, texture: &wgpu::Texture) {
        let pipeline = if texture.format().is_srgb() { &self.srgb } else { &self.plain };
        let level = |mip| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level: mip,
                mip_level_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let mut encoder = gpu.encoder();
        for mip in 1..texture.mip_level_count() {
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(&level(mip - 1)),
                }],
            });
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("mips"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &level(mip),
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations::default(),
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
        gpu.queue.submit([encoder.finish()]);
    }
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    format: wgpu::TextureFormat,
) -> wgpu::RenderPipeline {
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("mips"),
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vs_cover"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("ps_halve"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
