//! The example `triangle_window`, written with wgpu instead of Onze to compare the number of lines.

use std::error::Error;

use onze_comparison::window::{Game, Gpu, run};

const SHADER: &str = "
    struct Corner { @builtin(position) position: vec4f, @location(0) color: vec3f }
    @vertex fn vs_main(@builtin(vertex_index) i: u32) -> Corner {
        let positions = array(vec2f(0.0, 0.7), vec2f(0.7, -0.6), vec2f(-0.7, -0.6));
        let colors = array(vec3f(1.0, 0.2, 0.1), vec3f(0.1, 0.8, 0.2), vec3f(0.2, 0.3, 1.0));
        return Corner(vec4f(positions[i], 0.0, 1.0), colors[i]);
    }
    @fragment fn ps_main(corner: Corner) -> @location(0) vec4f { return vec4f(corner.color, 1.0); }";

struct Triangle(wgpu::RenderPipeline);

impl Game for Triangle {
    const TITLE: &'static str = "Triangle";

    fn new(gpu: &Gpu) -> Result<Self, Box<dyn Error>> {
        let source = wgpu::ShaderSource::Wgsl(SHADER.into());
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        Ok(Self(gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("ps_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(gpu.configuration.format.into())],
            }),
            multiview_mask: None,
            cache: None,
        })))
    }

    fn frame(&mut self, _: &Gpu, view: &wgpu::TextureView, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r: 0.02, g: 0.02, b: 0.04, a: 1.0 }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.0);
        pass.draw(0..3, 0..1);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    run::<Triangle>()
}
