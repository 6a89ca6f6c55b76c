//! The example `textured_cube`, written with wgpu instead of Onze to compare the number of lines.

use std::error::Error;

use bytemuck::NoUninit;
use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze_comparison::window::{Game, Gpu, run};
use wgpu::util::DeviceExt;

const SHADER: &str = include_str!("../../../src/bin/textured_cube.wgsl");
const IMAGE: &[u8] = include_bytes!("../../../assets/crate.png");

#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    texcoord: [f32; 2],
}

#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Constants {
    to_clip: Mat4,
    to_world: Mat4,
}

/// Returns six sides with four corners and two triangles each, counter-clockwise as seen from outside.
fn cube() -> (Vec<Corner>, Vec<u16>) {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = up.cross(normal);
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Corner {
            position: (normal + right * x + up * y).to_array(),
            normal: normal.to_array(),
            texcoord: [x * 0.5 + 0.5, 0.5 - y * 0.5],
        })
    };
    let corners = sides.into_iter().flat_map(side).collect();
    let indices = (0..6).flat_map(|n| [0, 1, 2, 0, 2, 3].map(|corner| n * 4 + corner)).collect();
    (corners, indices)
}

/// Loads a texture and computes all mip levels on the CPU, because wgpu does not generate mip levels. The
/// stored sRGB bytes are averaged instead of the linear light that they encode.
fn load(gpu: &Gpu, file: &[u8]) -> Result<wgpu::TextureView, Box<dyn Error>> {
    let image = image::load_from_memory(file)?.into_rgba8();
    let (width, height) = image.dimensions();
    let mips = width.max(height).ilog2() + 1;
    let mut texels = image.to_vec();
    for mip in 1..mips {
        let (width, height) = ((width >> mip).max(1), (height >> mip).max(1));
        texels.extend(image::imageops::thumbnail(&image, width, height).into_raw());
    }
    let texture = gpu.device.create_texture_with_data(
        &gpu.queue,
        &wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: mips,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8UnormSrgb,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        },
        wgpu::util::TextureDataOrder::LayerMajor,
        &texels,
    );
    Ok(texture.create_view(&wgpu::TextureViewDescriptor::default()))
}

fn create_depth(gpu: &Gpu) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d {
            width: gpu.configuration.width,
            height: gpu.configuration.height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Depth32Float,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    })
}

struct Cube {
    began: std::time::Instant,
    pipeline: wgpu::RenderPipeline,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    index_count: u32,
    constants: wgpu::Buffer,
    groups: [wgpu::BindGroup; 3],
    depth: wgpu::Texture,
}

impl Game for Cube {
    const TITLE: &'static str = "Textured cube";

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
                    array_stride: size_of::<Corner>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2],
                })],
            },
            primitive: wgpu::PrimitiveState { cull_mode: Some(wgpu::Face::Back), ..Default::default() },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: wgpu::TextureFormat::Depth32Float,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("ps_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(gpu.configuration.format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let buffer = |contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
        };
        let (corners, triangles) = cube();
        let vertices = buffer(bytemuck::cast_slice(&corners), wgpu::BufferUsages::VERTEX);
        let indices = buffer(bytemuck::cast_slice(&triangles), wgpu::BufferUsages::INDEX);
        let constants = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size_of::<Constants>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let image = load(gpu, IMAGE)?;
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            anisotropy_clamp: 8,
            ..Default::default()
        });
        let resources = [
            constants.as_entire_binding(),
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
        let (began, depth) = (std::time::Instant::now(), create_depth(gpu));
        let index_count = triangles.len() as u32;
        Ok(Self { began, pipeline, vertices, indices, index_count, constants, groups, depth })
    }

    fn frame(&mut self, gpu: &Gpu, view: &wgpu::TextureView, encoder: &mut wgpu::CommandEncoder) {
        let (width, height) = (gpu.configuration.width, gpu.configuration.height);
        if (self.depth.width(), self.depth.height()) != (width, height) {
            self.depth = create_depth(gpu);
        }
        let camera = look_at_mat4(Vec3::new(0.0, 2.4, 5.0), Vec3::ZERO, Vec3::Y);
        let projection = perspective(45_f32.to_radians(), width as f32 / height as f32, 0.1, 100.0);
        let to_world = Mat4::from_rotation_y(self.began.elapsed().as_secs_f32() * 0.8 + 0.6);
        let constants = Constants { to_clip: projection * camera * to_world, to_world };
        gpu.queue.write_buffer(&self.constants, 0, bytemuck::bytes_of(&constants));
        let depth = self.depth.create_view(&wgpu::TextureViewDescriptor::default());
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
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        for (n, group) in (0..).zip(&self.groups) {
            pass.set_bind_group(n, group, &[]);
        }
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..self.index_count, 0, 0..1);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    run::<Cube>()
}
