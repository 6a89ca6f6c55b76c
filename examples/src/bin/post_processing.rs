//! Lamps among dark balls: high dynamic range, bloom and tone mapping.
//!
//! * **Scene**: drawn into half floats (`R16G16B16A16_FLOAT`), because they can store values above 1.
//! * **Bloom**: the picture is repeatedly halved into the mips of one texture, and the mips are then summed
//!   from the smallest to the largest. Each mip has a render target view and a shader resource view, so a
//!   pass can read one mip and draw into the next.
//! * **Tone mapping**: all brightness is mapped to the range of the screen, and a vignette is added. Noise of
//!   less than one 8-bit step hides banding in dark gradients.
//!
//! B toggles the bloom, T toggles the tone mapping, and Escape closes the window.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("post_processing.wgsl");

const LAMPS: usize = 16;
/// Number of balls from left to right, and from front to back.
const BALLS: (u32, u32) = (44, 38);
/// Maximum number of bloom mips, where smaller mips spread the glow farther.
const MIPS: u32 = 6;
const HDR: Format = Format::R16G16B16A16_FLOAT;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
}

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Ball {
    center: [f32; 3],
    radius: f32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Lamp {
    center: [f32; 3],
    radius: f32,
    color: [f32; 3],
    padding: f32,
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Scene {
    to_clip: Mat4,
    camera: [f32; 3],
    bloom_mips: f32,
    lamps: [Lamp; LAMPS],
    maps_tones: u32,
    padding: [u32; 3],
}

fn sphere() -> (Vec<Corner>, Vec<u16>) {
    let corner = |n: u16| {
        let around = f32::from(n % 49) * std::f32::consts::TAU / 48.0;
        let down = f32::from(n / 49) * std::f32::consts::PI / 24.0;
        Corner { position: [down.sin() * around.cos(), down.cos(), -down.sin() * around.sin()] }
    };
    let cell = |n: u16| [0, 49, 50, 0, 50, 1].map(|corner| n / 48 * 49 + n % 48 + corner);
    ((0..49 * 25).map(corner).collect(), (0..48 * 24).flat_map(cell).collect())
}

/// Returns balls of many sizes in rows, where every second row is shifted by half a ball.
fn balls() -> Vec<Ball> {
    let ball = |n: u32| {
        let (x, z) = ((n % BALLS.0) as f32, (n / BALLS.0) as f32);
        let (x, z) = (x - BALLS.0 as f32 / 2.0 + 0.5 * (z % 2.0), (z - BALLS.1 as f32) * 0.87 + 5.0);
        let radius = 0.33 + 0.15 * (0.7 * x + 0.3 * z).sin() * (0.5 * z - 0.2 * x).cos();
        Ball { center: [x, radius, z], radius }
    };
    (0..BALLS.0 * BALLS.1).map(ball).collect()
}

/// Computes lamp `n` at `time` seconds, as it rises and sinks while it crosses over the balls.
fn lamp(n: usize, time: f32) -> Lamp {
    let turn = n as f32 / LAMPS as f32 * std::f32::consts::TAU;
    let angle = turn + 0.22 * time;
    let center =
        [8.5 * angle.sin(), 1.75 + 0.75 * (3.0 * angle + 0.5 * time).sin(), 5.5 * (2.0 * angle).sin() - 3.8];
    // A colour of the rainbow, because the cosines of the channels are a third of a turn apart.
    let color = [0.0, 1.0, 2.0].map(|part: f32| {
        let value = 0.5 + 0.5 * (turn * 2.0 + part / 3.0 * std::f32::consts::TAU).cos();
        90.0 * (0.02 + value * value * value)
    });
    Lamp { center, radius: 0.16 + 0.06 * (turn * 5.0).sin(), color, padding: 0.0 }
}

/// A mip of the bloom texture, whose views cover only this mip.
struct Mip {
    size: (u32, u32),
    target: RenderTargetView,
    read: ShaderResourceView,
}

struct SizedTargets {
    size: (u32, u32),
    scene: RenderTarget,
    depth: DepthTarget,
    /// The mips of the bloom, from half of the window's size downwards.
    bloom: Vec<Mip>,
}

impl SizedTargets {
    fn new(device: &Device, width: u32, height: u32) -> Result<Self, onze::Error> {
        let (half_width, half_height) = (width.div_ceil(2), height.div_ceil(2));
        let mips = half_width.min(half_height).ilog2().saturating_sub(1).clamp(1, MIPS);
        let desc =
            Texture2dDesc { mip_levels: mips, ..Texture2dDesc::render_target(HDR, half_width, half_height) };
        let texture = device.create_texture_2d(&desc, None)?;
        let mip = |mip: u32| -> Result<Mip, onze::Error> {
            let target = RenderTargetViewDesc::texture_2d(HDR, mip);
            let read = ShaderResourceViewDesc::texture_2d(HDR, mip, 1);
            Ok(Mip {
                size: desc.mip_size(mip),
                target: device.create_render_target_view(&texture, &target)?,
                read: device.create_shader_resource_view(&texture, &read)?,
            })
        };
        Ok(Self {
            size: (width, height),
            scene: device.create_render_target(HDR, width, height)?,
            depth: device.create_depth_target(Format::D32_FLOAT, width, height)?,
            bloom: (0..mips).map(mip).collect::<Result<_, _>>()?,
        })
    }
}

struct Renderer {
    corners: VertexBuffer<Corner>,
    indices: IndexBuffer<u16>,
    balls: VertexBuffer<Ball>,
    ball_layout: InputLayout,
    lamp_layout: InputLayout,
    ground_vs: VertexShader,
    ground_ps: PixelShader,
    ball_vs: VertexShader,
    ball_ps: PixelShader,
    lamp_vs: VertexShader,
    lamp_ps: PixelShader,
    whole_vs: VertexShader,
    down_ps: PixelShader,
    up_ps: PixelShader,
    picture_ps: PixelShader,
    scene: ConstantBuffer<Scene>,
    solid: RasterizerState,
    linear: SamplerState,
    additive: BlendState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::wgsl(SHADER, name));
        let pixel = |name| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
        let (corners, indices) = sphere();
        let (ball_vs, lamp_vs) = (vertex("ball_vs_main")?, vertex("lamp_vs_main")?);
        let zero = Scene {
            to_clip: Mat4::ZERO,
            camera: [0.0; 3],
            bloom_mips: 0.0,
            lamps: [lamp(0, 0.0); LAMPS],
            maps_tones: 1,
            padding: [0; 3],
        };
        let linear = SamplerDesc::new(Filter::MIN_MAG_LINEAR_MIP_POINT, TextureAddressMode::Clamp);
        Ok(Self {
            corners: device.create_vertex_buffer(&corners)?,
            indices: device.create_index_buffer(&indices)?,
            balls: device.create_vertex_buffer(&balls())?,
            ball_layout: device.create_input_layout_of::<(Corner, Ball)>(&ball_vs)?,
            lamp_layout: device.create_input_layout_of::<Corner>(&lamp_vs)?,
            ground_vs: vertex("ground_vs_main")?,
            ground_ps: pixel("ground_ps_main")?,
            ball_vs,
            ball_ps: pixel("ball_ps_main")?,
            lamp_vs,
            lamp_ps: pixel("lamp_ps_main")?,
            whole_vs: vertex("whole_vs_main")?,
            down_ps: pixel("down_ps_main")?,
            up_ps: pixel("up_ps_main")?,
            picture_ps: pixel("picture_ps_main")?,
            scene: device.create_constant_buffer(&zero)?,
            solid: device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?,
            linear: device.create_sampler_state(&linear)?,
            additive: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?,
        })
    }

    fn draw_scene(&self, context: &mut DeviceContext, sized: &SizedTargets) {
        let (target, depth) = (&sized.scene.render_target_view, &sized.depth.depth_stencil_view);
        context.clear_render_target_view(target, [0.0, 0.0, 0.0, 1.0]);
        context.clear_depth_stencil(depth);
        context.om_set_render_targets(target, depth);
        context.rs_set_viewports(Viewport::sized(sized.size.0 as f32, sized.size.1 as f32));

        context.ia_set_input_layout(&self.ball_layout);
        context.ia_set_vertex_buffers(0, (&self.corners, &self.balls));
        context.ia_set_indices(&self.indices);
        context.vs_set_shader(&self.ball_vs);
        context.ps_set_shader(&self.ball_ps);
        context.draw_indexed_instanced(self.indices.len(), self.balls.len(), 0, 0, 0);

        context.ia_set_input_layout(&self.lamp_layout);
        context.vs_set_shader(&self.lamp_vs);
        context.ps_set_shader(&self.lamp_ps);
        context.draw_indexed_instanced(self.indices.len(), LAMPS as u32, 0, 0, 0);

        context.ia_set_input_layout(None);
        context.vs_set_shader(&self.ground_vs);
        context.ps_set_shader(&self.ground_ps);
        context.draw(6, 0);
    }

    /// Covers a whole target with the output of a pixel shader that reads textures.
    fn draw_whole(
        &self,
        context: &mut DeviceContext,
        shader: &PixelShader,
        from: &[&ShaderResourceView],
        to: &RenderTargetView,
        (width, height): (u32, u32),
    ) {
        // This order ensures that no mip is bound for reading and as a target at the same time.
        context.ps_set_shader_resources(0, [None, None]);
        context.om_set_render_targets(to, None);
        context.ps_set_shader_resources(0, from);
        context.rs_set_viewports(Viewport::sized(width as f32, height as f32));
        context.ps_set_shader(shader);
        context.draw(3, 0);
    }

    /// Computes the bloom, after which the first mip contains the sum of all mips.
    fn draw_bloom(&self, context: &mut DeviceContext, sized: &SizedTargets) {
        let mut from = &sized.scene.shader_resource_view;
        for mip in &sized.bloom {
            self.draw_whole(context, &self.down_ps, &[from], &mip.target, mip.size);
            from = &mip.read;
        }
        context.om_set_blend(&self.additive);
        for pair in sized.bloom.windows(2).rev() {
            if let [larger, smaller] = pair {
                self.draw_whole(context, &self.up_ps, &[&smaller.read], &larger.target, larger.size);
            }
        }
        context.om_set_blend(None);
    }

    fn draw(
        &self,
        frame: &mut Frame<'_>,
        sized: &SizedTargets,
        (has_bloom, maps_tones): (bool, bool),
    ) -> Result<(), onze::Error> {
        let sway = (0.15 * frame.time + 0.4).sin();
        let camera = Vec3::new(4.0 * sway, 4.2, 7.5);
        let view = look_at_mat4(camera, Vec3::new(-0.5 * sway, -0.1, -5.0), Vec3::Y);
        let scene = Scene {
            to_clip: perspective(45_f32.to_radians(), frame.aspect_ratio(), 0.2, 100.0) * view,
            camera: camera.to_array(),
            bloom_mips: if has_bloom { sized.bloom.len() as f32 } else { 0.0 },
            lamps: std::array::from_fn(|n| lamp(n, frame.time)),
            maps_tones: maps_tones.into(),
            padding: [0; 3],
        };
        let (context, target) = (&mut *frame.context, frame.target);
        context.update(&self.scene, &scene)?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.rs_set_state(&self.solid);
        context.vs_set_constant_buffers(0, &self.scene);
        context.ps_set_constant_buffers(0, &self.scene);
        context.ps_set_samplers(0, &self.linear);
        self.draw_scene(context, sized);

        context.vs_set_shader(&self.whole_vs);
        if has_bloom {
            self.draw_bloom(context, sized);
        }
        let from: Vec<_> = std::iter::once(&sized.scene.shader_resource_view)
            .chain(sized.bloom.first().map(|mip| &mip.read))
            .collect();
        self.draw_whole(context, &self.picture_ps, &from, target, sized.size);
        // The next frame draws into these textures, so they must not stay bound for reading.
        context.ps_set_shader_resources(0, [None, None]);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Post-processing", 960, 540).with_args(), |setup| {
        let renderer = Renderer::new(setup.device)?;
        let mut sized = SizedTargets::new(setup.device, setup.width, setup.height)?;
        let (mut has_bloom, mut maps_tones) = (true, true);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            has_bloom ^= frame.input.key_pressed(KeyCode::KeyB);
            maps_tones ^= frame.input.key_pressed(KeyCode::KeyT);
            if sized.size != (frame.width, frame.height) {
                sized = SizedTargets::new(frame.device, frame.width, frame.height)?;
            }
            renderer.draw(frame, &sized, (has_bloom, maps_tones))?;
            Ok(())
        })
    })
}
