//! A city at night with deferred shading. Hundreds of lamps move through the streets, and each lamp shades
//! only nearby pixels.
//!
//! * **Geometry**: the scene is drawn once into the G-buffer, which consists of three colour targets and the
//!   depth.
//! * **Lighting**: a triangle over the whole picture draws the light of the sky and the moon. Then each lamp
//!   is drawn as a sphere that adds the lamp's light to the pixels it covers. Both draws read the depth as a
//!   texture, which is also bound for the depth test through a read-only view.
//! * **Picture**: the sum of all light is fogged and then tone mapped to the range of the screen.
//!
//! Key 1 shows the picture, keys 2 to 5 show albedo, normals, material and depth, and key 6 shows how many
//! lamps shaded each pixel. Tab cycles through these views, and Escape closes the window.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("deferred_shading.wgsl");

const LAMPS: u32 = 800;
const PITCH: f32 = 4.0;
const STREETS: u32 = 22;
/// The keys that select a view, in the order of the shader's cases.
const KEYS: [KeyCode; 6] =
    [KeyCode::Digit1, KeyCode::Digit2, KeyCode::Digit3, KeyCode::Digit4, KeyCode::Digit5, KeyCode::Digit6];

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
}

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Block {
    center: [f32; 3],
    half_size: [f32; 3],
    color: [f32; 3],
    material: [f32; 3],
}

/// A lamp, which is drawn twice: as a small glowing sphere, and as a large sphere that encloses everything
/// the lamp lights.
#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Lamp {
    center: [f32; 3],
    radius: f32,
    color: [f32; 3],
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Scene {
    to_clip: Mat4,
    /// The matrix from clip space to world space, which shaders use to compute a surface's position from the
    /// depth.
    to_world: Mat4,
    camera: [f32; 3],
    shown: u32,
}

/// Returns four pseudo-random numbers from 0 to 1 that depend only on `n`.
fn random(n: u32) -> [f32; 4] {
    let hash = n.wrapping_mul(0x9E37_79B1) ^ 0x7F4A_7C15;
    let hash = (hash ^ hash >> 15).wrapping_mul(0x2C1B_3C6D);
    (hash ^ hash >> 12).wrapping_mul(0x297A_2D39).to_le_bytes().map(|byte| f32::from(byte) / 255.0)
}

fn cube() -> Vec<Corner> {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = up.cross(normal);
        corners.map(|(x, y)| Corner {
            position: (normal + right * x + up * y).to_array(),
            normal: normal.to_array(),
        })
    };
    sides.into_iter().flat_map(side).collect()
}

/// Returns a sphere of radius 1 with 12 by 8 cells, counter-clockwise as seen from outside.
fn sphere() -> Vec<Corner> {
    let corner = |x: u8, y: u8| {
        let (around, down) =
            (f32::from(x) * std::f32::consts::TAU / 12.0, f32::from(y) * std::f32::consts::PI / 8.0);
        let normal = Vec3::new(down.sin() * around.cos(), down.cos(), -down.sin() * around.sin()).to_array();
        Corner { position: normal, normal }
    };
    let cell =
        |x: u8, y: u8| [(0, 0), (0, 1), (1, 1), (0, 0), (1, 1), (1, 0)].map(|(i, j)| corner(x + i, y + j));
    (0..8).flat_map(|y| (0..12).flat_map(move |x| cell(x, y))).collect()
}

fn street(n: u32) -> f32 {
    (n as f32 - (STREETS - 1) as f32 / 2.0) * PITCH
}

/// Returns the ground and the houses, with a house of up to three boxes in each block between the streets.
fn city() -> Vec<Block> {
    let ground = Block {
        center: [0.0, -0.5, 0.0],
        half_size: [120.0, 0.5, 120.0],
        color: [0.16, 0.165, 0.18],
        material: [0.32, 0.0, 0.0],
    };
    let mut blocks = vec![ground];
    for n in 0..(STREETS - 1) * (STREETS - 1) {
        let (x, z) = (street(n % (STREETS - 1)) + PITCH / 2.0, street(n / (STREETS - 1)) + PITCH / 2.0);
        let [a, b, c, d] = random(n);
        let far = (x * x + z * z) / 1400.0;
        let mut height = 0.5 + 1.2 * a * a + 2.6 * b * b * b * (1.0 - far).max(0.0);
        let (mut half_x, mut half_z) = (0.85 + 0.4 * c, 0.85 + 0.4 * d);
        let mut bottom = 0.0;
        let grey = 0.35 + 0.3 * c;
        let color = [grey, grey * (0.9 + 0.1 * d), grey * (0.8 + 0.25 * b)];
        for step in 0..1 + u32::from(height > 1.2) + u32::from(height > 2.4) {
            blocks.push(Block {
                center: [x, bottom + height / 2.0, z],
                half_size: [half_x, height / 2.0, half_z],
                color,
                material: [0.35 + 0.4 * a, 0.6 * f32::from(d > 0.7), 0.05 + 0.25 * b * c],
            });
            bottom += height;
            height *= 0.35 + 0.2 * random(n + step)[3];
            half_x *= 0.5 + 0.3 * a;
            half_z *= 0.5 + 0.3 * a;
        }
    }
    blocks
}

/// Computes lamp `n` at `time` seconds, as it travels along the right side of a street and restarts at its
/// beginning.
fn lamp(n: u32, time: f32) -> Lamp {
    let [a, b, c, d] = random(n + 9000);
    let length = STREETS as f32 * PITCH;
    let way = (a * length + time * (1.2 + 1.5 * b)).rem_euclid(length) - length / 2.0;
    let middle = street((c * 255.0) as u32 % STREETS);
    let height = 0.22 + 0.9 * d * d * d;
    let center = match n % 4 {
        0 => [middle + 0.35, height, -way],
        1 => [middle - 0.35, height, way],
        2 => [way, height, middle + 0.35],
        _ => [-way, height, middle - 0.35],
    };
    let colors =
        [[1.0, 0.10, 0.14], [1.0, 0.42, 0.10], [0.08, 0.55, 1.0], [0.75, 0.12, 1.0], [0.1, 1.0, 0.55]];
    let color = colors[n as usize % colors.len()].map(|part: f32| part * 3.0);
    Lamp { center, radius: 3.0 + 1.5 * d, color }
}

/// The textures that depend on the window's size: the G-buffer and the lit picture.
struct SizedTargets {
    size: (u32, u32),
    albedo: RenderTarget,
    normal: RenderTarget,
    material: RenderTarget,
    depth: DepthTarget,
    /// A read-only view of the depth, which allows the depth test while shaders read the same texture.
    depth_read_only: DepthStencilView,
    /// The sum of all light, in half floats because the values exceed 1.
    light: RenderTarget,
}

impl SizedTargets {
    fn new(device: &Device, width: u32, height: u32) -> Result<Self, onze::Error> {
        let target = |format| device.create_render_target(format, width, height);
        let depth = device.create_depth_target(Format::D32_FLOAT, width, height)?;
        let read_only = DepthStencilViewDesc::format(Format::D32_FLOAT).read_only(DsvFlags::READ_ONLY_DEPTH);
        Ok(Self {
            size: (width, height),
            albedo: target(Format::R8G8B8A8_UNORM_SRGB)?,
            normal: target(Format::R10G10B10A2_UNORM)?,
            material: target(Format::R8G8B8A8_UNORM)?,
            depth_read_only: device.create_depth_stencil_view(&depth.texture, &read_only)?,
            depth,
            light: target(Format::R16G16B16A16_FLOAT)?,
        })
    }
}

struct Renderer {
    cube: VertexBuffer<Corner>,
    sphere: VertexBuffer<Corner>,
    blocks: VertexBuffer<Block>,
    lamps: VertexBuffer<Lamp>,
    block_layout: InputLayout,
    lamp_layout: InputLayout,
    block_vs: VertexShader,
    block_ps: PixelShader,
    lamp_vs: VertexShader,
    lamp_ps: PixelShader,
    whole_vs: VertexShader,
    sky_ps: PixelShader,
    volume_vs: VertexShader,
    volume_ps: PixelShader,
    show_ps: PixelShader,
    scene: ConstantBuffer<Scene>,
    solid: RasterizerState,
    inside: RasterizerState,
    no_depth: DepthStencilState,
    /// Passes if the scene is in front of the drawn surface.
    in_front: DepthStencilState,
    additive: BlendState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::wgsl(SHADER, name));
        let pixel = |name| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
        let (block_vs, lamp_vs) = (vertex("block_vs_main")?, vertex("lamp_vs_main")?);
        let zero = Scene { to_clip: Mat4::ZERO, to_world: Mat4::ZERO, camera: [0.0; 3], shown: 0 };
        let solid = RasterizerDesc::counter_clockwise();
        let depth = DepthStencilDesc { depth_write: false, ..Default::default() };
        Ok(Self {
            cube: device.create_vertex_buffer(&cube())?,
            sphere: device.create_vertex_buffer(&sphere())?,
            blocks: device.create_vertex_buffer(&city())?,
            lamps: device.create_dynamic_vertex_buffer(LAMPS as usize)?,
            block_layout: device.create_input_layout_of::<(Corner, Block)>(&block_vs)?,
            lamp_layout: device.create_input_layout_of::<(Corner, Lamp)>(&lamp_vs)?,
            block_vs,
            block_ps: pixel("block_ps_main")?,
            lamp_vs,
            lamp_ps: pixel("lamp_ps_main")?,
            whole_vs: vertex("whole_vs_main")?,
            sky_ps: pixel("sky_ps_main")?,
            volume_vs: vertex("volume_vs_main")?,
            volume_ps: pixel("volume_ps_main")?,
            show_ps: pixel("show_ps_main")?,
            scene: device.create_constant_buffer(&zero)?,
            solid: device.create_rasterizer_state(&solid)?,
            inside: device
                .create_rasterizer_state(&RasterizerDesc { cull_mode: CullMode::Front, ..solid })?,
            no_depth: device
                .create_depth_stencil_state(&DepthStencilDesc { depth_enable: false, ..depth })?,
            in_front: device.create_depth_stencil_state(&DepthStencilDesc {
                depth_func: ComparisonFunc::GreaterEqual,
                ..depth
            })?,
            additive: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?,
        })
    }

    /// Draws all surfaces into the G-buffer without light, after which `draw_light` lights each visible
    /// pixel.
    fn draw_geometry(&self, context: &mut DeviceContext, sized: &SizedTargets) {
        let targets =
            [&sized.albedo, &sized.normal, &sized.material].map(|target| &target.render_target_view);
        let depth = &sized.depth.depth_stencil_view;
        for target in targets {
            context.clear_render_target_view(target, [0.0; 4]);
        }
        context.clear_depth_stencil(depth);
        context.om_set_render_targets(targets, depth);
        context.om_set_depth_stencil(None);
        context.rs_set_state(&self.solid);

        context.ia_set_input_layout(&self.block_layout);
        context.ia_set_vertex_buffers(0, (&self.cube, &self.blocks));
        context.vs_set_shader(&self.block_vs);
        context.ps_set_shader(&self.block_ps);
        context.draw_instanced(self.cube.len(), self.blocks.len(), 0, 0);

        context.ia_set_input_layout(&self.lamp_layout);
        context.ia_set_vertex_buffers(0, (&self.sphere, &self.lamps));
        context.vs_set_shader(&self.lamp_vs);
        context.ps_set_shader(&self.lamp_ps);
        context.draw_instanced(self.sphere.len(), LAMPS, 0, 0);
    }

    /// Sums the light: the light of the sky and the moon replaces the target's contents, and each lamp's
    /// light is added.
    fn draw_light(&self, context: &mut DeviceContext, sized: &SizedTargets) {
        // Use the read-only view, because binding the writable depth view would unbind the texture from `t3`.
        context.om_set_render_targets(&sized.light.render_target_view, &sized.depth_read_only);
        context.ps_set_shader_resources(
            0,
            [
                &sized.albedo.shader_resource_view,
                &sized.normal.shader_resource_view,
                &sized.material.shader_resource_view,
                &sized.depth.shader_resource_view,
            ],
        );
        context.om_set_depth_stencil(&self.no_depth);
        context.vs_set_shader(&self.whole_vs);
        context.ps_set_shader(&self.sky_ps);
        context.draw(3, 0);

        // Draw the back faces of the spheres where the scene is in front of them, which shades each pixel
        // once, even if the camera is inside a sphere. Surfaces in front of the whole sphere are shaded
        // without effect, which a second test, with the front faces and the stencil, would avoid.
        context.om_set_depth_stencil(&self.in_front);
        context.om_set_blend(&self.additive);
        context.rs_set_state(&self.inside);
        context.vs_set_shader(&self.volume_vs);
        context.ps_set_shader(&self.volume_ps);
        context.draw_instanced(self.sphere.len(), LAMPS, 0, 0);
        context.om_set_blend(None);
    }

    fn draw_picture(&self, context: &mut DeviceContext, sized: &SizedTargets, target: &RenderTargetView) {
        context.om_set_render_targets(target, None);
        context.ps_set_shader_resources(4, &sized.light.shader_resource_view);
        context.rs_set_state(&self.solid);
        context.vs_set_shader(&self.whole_vs);
        context.ps_set_shader(&self.show_ps);
        context.draw(3, 0);
        // The next frame draws into these textures, so they must not stay bound for reading.
        context.ps_set_shader_resources(0, [None; 5]);
    }

    fn draw(&self, frame: &mut Frame<'_>, sized: &SizedTargets, shown: u32) -> Result<(), onze::Error> {
        let sway = (0.2 * frame.time + 0.6).sin();
        let camera = Vec3::new(2.0 + 5.0 * sway, 8.5, 17.0);
        let view = look_at_mat4(camera, Vec3::new(2.0 - 0.5 * sway, 0.0, 2.5), Vec3::Y);
        let to_clip = perspective(45_f32.to_radians(), frame.aspect_ratio(), 0.3, 200.0) * view;
        let scene = Scene { to_clip, to_world: to_clip.inverse(), camera: camera.to_array(), shown };
        let lamps: Vec<Lamp> = (0..LAMPS).map(|n| lamp(n, frame.time)).collect();

        let (context, target) = (&mut *frame.context, frame.target);
        context.update(&self.scene, &scene)?;
        context.update(&self.lamps, &lamps)?;
        context.rs_set_viewports(Viewport::sized(frame.width as f32, frame.height as f32));
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_constant_buffers(0, &self.scene);
        context.ps_set_constant_buffers(0, &self.scene);
        self.draw_geometry(context, sized);
        self.draw_light(context, sized);
        self.draw_picture(context, sized, target);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Deferred shading", 960, 540).with_args(), |setup| {
        let renderer = Renderer::new(setup.device)?;
        let mut sized = SizedTargets::new(setup.device, setup.width, setup.height)?;
        let mut shown = 0;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            if frame.input.key_pressed(KeyCode::Tab) {
                shown = (shown + 1) % KEYS.len() as u32;
            }
            for (n, key) in (0..).zip(KEYS) {
                if frame.input.key_pressed(key) {
                    shown = n;
                }
            }
            if sized.size != (frame.width, frame.height) {
                sized = SizedTargets::new(frame.device, frame.width, frame.height)?;
            }
            renderer.draw(frame, &sized, shown)?;
            Ok(())
        })
    })
}
