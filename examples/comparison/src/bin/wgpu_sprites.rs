//! The example `sprite_batch`, written with wgpu instead of Onze to compare the number of lines.

use std::error::Error;

use bytemuck::NoUninit;
use onze_comparison::window::{Game, Gpu, run};
use wgpu::util::DeviceExt;

const SHADER: &str = include_str!("../../../src/bin/sprite_batch.wgsl");
const IMAGE: &[u8] = include_bytes!("../../../assets/crate.png");
const COUNT: u32 = 1000;

#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Sprite {
    position: [f32; 2],
    size: f32,
    angle: f32,
    color: [u8; 4],
}

/// Returns the position of a point that has moved `way` back and forth between 0 and `end`.
fn bounce(way: f32, end: f32) -> f32 {
    end - (way.rem_euclid(2.0 * end.max(1.0)) - end).abs()
}

fn sprite(n: u32, time: f32, width: f32, height: f32) -> Sprite {
    let hash = n.wrapping_mul(0x9E37_79B1);
    let bytes = (hash ^ hash >> 15).wrapping_mul(0x85EB_CA6B).to_le_bytes();
    let [a, b, c, d] = bytes.map(|byte| f32::from(byte) / 255.0);
    let (x, y) = (a * width + time * (40.0 + 160.0 * c), b * height + time * (40.0 + 160.0 * d));
    Sprite {
        position: [bounce(x, width), bounce(y, height)],
        size: 12.0 + 20.0 * d,
        angle: time * (c - 0.5) * 6.0 + a * 6.0,
        color: [a, b, c, 1.0].map(|part| (127.0 + part * 128.0) as u8),
    }
}

struct Sprites {
    began: std::time::Instant,
    pipeline: wgpu::RenderPipeline,
    sprites: wgpu::Buffer,
    window: wgpu::Buffer,
    groups: [wgpu::BindGroup; 3],
}

impl Game for Sprites {
    const TITLE: &'static str = "Sprite batch";

    fn new(gpu: &Gpu) -> Result<Self, Box<dyn Error>> {
        let device = &gpu.device;
        let source = wgpu::ShaderSource::Wgsl(SHADER.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<Sprite>() as u64,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &wgpu::vertex_attr_array![
                        0 => Float32x2, 1 => Float32, 2 => Float32, 3 => Unorm8x4
                    ],
                })],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                ..Default::default()
            },
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("ps_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                    ..gpu.configuration.format.into()
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        let sprites = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(COUNT) * size_of::<Sprite>() as u64,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let window = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 8,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let image = image::load_from_memory(IMAGE)?.into_rgba8();
        let image = device.create_texture_with_data(
            &gpu.queue,
            &wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d {
                    width: image.width(),
                    height: image.height(),
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::Rgba8UnormSrgb,
                usage: wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            },
            wgpu::util::TextureDataOrder::LayerMajor,
            &image,
        );
        let image = image.create_view(&wgpu::TextureViewDescriptor::default());
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let resources = [
            window.as_entire_binding(),
            wgpu::BindingResource::TextureView(&image),
            wgpu::BindingResource::Sampler(&sampler),
        ];
        let mut n = 0;
        let groups = resources.map(|resource| {
            let layout = pipeline.get_bind_group_layout(n);
            n += 1;
            let entries = &[wgpu::BindGroupEntry { binding: 0, resource }];
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries })
        });
        Ok(Self { began: std::time::Instant::now(), pipeline, sprites, window, groups })
    }

    fn frame(&mut self, gpu: &Gpu, view: &wgpu::TextureView, encoder: &mut wgpu::CommandEncoder) {
        let time = self.began.elapsed().as_secs_f32();
        let (width, height) = (gpu.configuration.width as f32, gpu.configuration.height as f32);
        let sprites: Vec<_> = (0..COUNT).map(|n| sprite(n, time, width, height)).collect();
        gpu.queue.write_buffer(&self.window, 0, bytemuck::cast_slice(&[width, height]));
        gpu.queue.write_buffer(&self.sprites, 0, bytemuck::cast_slice(&sprites));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r: 0.05, g: 0.06, b: 0.09, a: 1.0 }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        for (n, group) in (0..).zip(&self.groups) {
            pass.set_bind_group(n, group, &[]);
        }
        pass.set_vertex_buffer(0, self.sprites.slice(..));
        pass.draw(0..4, 0..COUNT);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    run::<Sprites>()
}
