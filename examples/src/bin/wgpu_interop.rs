//! wgpu and Onze on one device. wgpu draws a kaleidoscope into a texture that Onze created, and Onze shows
//! this texture on boxes. Then wgpu draws a stopwatch over Onze's picture. Existing wgpu code therefore
//! continues to work. Escape closes the window.
//!
//! `onze_wgpu::interop` returns the wgpu objects that back Onze's objects. Only the order of work matters:
//! wgpu sees the work that Onze has flushed, and Onze sees the work that wgpu has submitted.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{EulerRot, Mat4, Quat, Vec3, Vec4};
use onze::prelude::*;
use onze_wgpu::interop;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("wgpu_interop.wgsl");

const SIDE: u32 = 512;

const RING: u8 = 11;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    texcoord: [f32; 2],
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Block {
    to_clip: Mat4,
    to_world: Mat4,
    eye: Vec4,
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

fn boxes(time: f32) -> Vec<Mat4> {
    let turned = |x, y| Quat::from_euler(EulerRot::YXZ, y, x, 0.0);
    let middle =
        Mat4::from_scale_rotation_translation(Vec3::splat(1.25), turned(0.35, time * 0.5 + 0.6), Vec3::ZERO);
    let ring = (0..RING).map(|n| {
        let part = f32::from(n) / f32::from(RING) * std::f32::consts::TAU;
        let angle = part - time * 0.25;
        let place = Vec3::new(angle.cos() * 4.2, (part * 3.0 + time).sin() * 0.7, angle.sin() * 4.2);
        Mat4::from_scale_rotation_translation(Vec3::splat(0.5), turned(part + time * 0.6, time + part), place)
    });
    std::iter::once(middle).chain(ring).collect()
}

struct Boxes {
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    vertices: VertexBuffer<Corner>,
    indices: IndexBuffer<u16>,
    block: ConstantBuffer<Block>,
    sampler: SamplerState,
    solid: RasterizerState,
    /// Views of the texture that wgpu draws into: a target for the first mip level, and a view of all levels.
    pattern: (RenderTargetView, ShaderResourceView),
}

impl Boxes {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_block"))?;
        let (corners, indices) = cube();
        let pattern = device.labelled("pattern").create_texture_2d(
            &Texture2dDesc {
                bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
                misc_flags: MiscFlags::GENERATE_MIPS,
                ..Texture2dDesc::new(Format::R8G8B8A8_UNORM_SRGB, SIDE, SIDE)
            },
            None,
        )?;
        let filter = SamplerDesc {
            max_anisotropy: 8,
            ..SamplerDesc::new(Filter::ANISOTROPIC, TextureAddressMode::Clamp)
        };
        let zero = Block { to_clip: Mat4::ZERO, to_world: Mat4::ZERO, eye: Vec4::ZERO };
        Ok(Self {
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_block"))?,
            layout: device.create_input_layout_of::<Corner>(&vs)?,
            vs,
            vertices: device.create_vertex_buffer(&corners)?,
            indices: device.create_index_buffer(&indices)?,
            block: device.create_constant_buffer(&zero)?,
            sampler: device.create_sampler_state(&filter)?,
            solid: device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?,
            pattern: (pattern.create_render_target_view()?, pattern.create_shader_resource_view()?),
        })
    }

    fn draw(&self, frame: &mut Frame<'_>) -> Result<(), onze::Error> {
        let (time, aspect_ratio) = (frame.time, frame.aspect_ratio());
        let eye = Vec3::new(0.0, 3.2, 8.2);
        let camera = look_at_mat4(eye, Vec3::new(0.0, -0.2, 0.0), Vec3::Y);
        let to_clip = perspective(40_f32.to_radians(), aspect_ratio, 0.1, 100.0) * camera;
        // wgpu has drawn the first mip level, so generate the other levels from it.
        frame.context.generate_mips(&self.pattern.1);
        let context = frame.begin([0.012, 0.014, 0.022, 1.0]);
        context.rs_set_state(&self.solid);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.vertices);
        context.ia_set_indices(&self.indices);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, &self.block);
        context.ps_set_shader(&self.ps);
        context.ps_set_constant_buffers(0, &self.block);
        context.ps_set_shader_resources(0, &self.pattern.1);
        context.ps_set_samplers(0, &self.sampler);
        for to_world in boxes(time) {
            context.update(&self.block, &Block { to_clip, to_world, eye: eye.extend(1.0) })?;
            context.draw_indexed(self.indices.len(), 0, 0);
        }
        Ok(())
    }
}

/// A pure wgpu pass that draws one shape into any view with a given format, without any Onze objects.
struct Pass {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::RenderPipeline,
    now: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    load: wgpu::LoadOp<wgpu::Color>,
    vertices: u32,
}

impl Pass {
    fn new(
        (device, queue): (wgpu::Device, wgpu::Queue),
        format: wgpu::TextureFormat,
        (vs, ps): (&str, &str),
        load: wgpu::LoadOp<wgpu::Color>,
        vertices: u32,
    ) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(ps),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let blend = Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(ps),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(vs),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                ..Default::default()
            },
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(ps),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    format,
                    blend,
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        let now = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("now"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("now"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: now.as_entire_binding() }],
        });
        Self { device, queue, pipeline, now, bindings, load, vertices }
    }

    fn draw(&self, view: &wgpu::TextureView, now: [f32; 4]) {
        self.queue.write_buffer(&self.now, 0, bytemuck::bytes_of(&now));
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let attachment = wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: self.load, store: wgpu::StoreOp::Store },
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.draw(0..self.vertices, 0..1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("wgpu beside Onze", 960, 540).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let boxes = Boxes::new(setup.device)?;
        // The wgpu objects that back Onze's objects. The view of a texture that the application created does
        // not change, so request it once.
        let wgpu =
            interop::device_and_queue(&setup.device.driver_object()).ok_or("the driver is not wgpu's")?;
        let texture = interop::texture_view(&boxes.pattern.0.driver_object()).ok_or("no view of wgpu's")?;
        let clear = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        let format = texture.texture().format();
        let pattern = Pass::new(wgpu.clone(), format, ("vs_pattern", "ps_pattern"), clear, 3);
        let mut watch: Option<Pass> = None;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let now = [frame.time, frame.aspect_ratio(), 0.0, 0.0];
            // A resized window has a new back buffer, so request its view in every frame. Do this before
            // anything is drawn into the back buffer, because the request makes Onze draw into a separate
            // texture instead of the window's memory.
            let target = interop::texture_view(&frame.target.driver_object()).ok_or("no view of wgpu's")?;
            let watch = watch.get_or_insert_with(|| {
                let format = target.texture().format();
                Pass::new(wgpu.clone(), format, ("vs_watch", "ps_watch"), wgpu::LoadOp::Load, 4)
            });
            // Presenting the previous frame submitted Onze's reads of the texture.
            pattern.draw(&texture, now);
            boxes.draw(frame)?;
            frame.context.flush();
            watch.draw(&target, now);
            Ok(())
        })
    })
}
