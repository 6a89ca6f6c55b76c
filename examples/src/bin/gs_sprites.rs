//! A planet with rings of 40,000 grains. Each grain is a point in a vertex buffer, and is drawn as a quad that
//! faces the camera, in two ways:
//!
//! * **Geometry shader**: the buffer is drawn as a list of points, and the geometry shader appends a triangle
//!   strip of four corners for each point.
//! * **Instancing**: the same buffer contains instances, and each instance is a triangle strip of four
//!   corners, which the vertex shader distinguishes by `SV_VertexID`.
//!
//! I switches between the two. The pictures are the same, and the window's title shows the last GPU time of
//! each way. Escape closes the window.

use std::f32::consts::TAU;

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("gs_sprites.hlsl");

const GRAINS: u32 = 40_000;

const STARS: u32 = 1200;

/// Number of vertices that `VSPlanet` computes: 48 by 24 cells with two triangles each.
const PLANET: u32 = 48 * 24 * 6;

/// A way of drawing the points, and its index in arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expansion {
    GeometryShader = 0,
    Instancing = 1,
}

/// Names of the expansions, for the timer and the window's title.
const NAMES: [&str; 2] = ["Geometry shader", "Instancing"];

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Grain {
    /// Radius, angle at time 0, height above the plane of the rings, and size.
    orbit: [f32; 4],
    color: [u8; 4],
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    view: Mat4,
    projection: Mat4,
    sun: Vec3,
    time: f32,
}

fn random(n: u32) -> [f32; 4] {
    let mut hash = n.wrapping_mul(0x9E37_79B1) ^ 0x5bd1_e995;
    let mut next = || {
        hash ^= hash >> 15;
        hash = hash.wrapping_mul(0x85EB_CA6B);
        hash ^= hash >> 13;
        (hash >> 8) as f32 / (1 << 24) as f32
    };
    [next(), next(), next(), next()]
}

fn color(color: [f32; 3], light: f32) -> [u8; 4] {
    let [red, green, blue] = color.map(|part| (part * light * 255.0) as u8);
    [red, green, blue, 255]
}

/// Returns grain `n` of two rings with a gap between them.
fn grain(n: u32) -> Grain {
    let [a, b, c, d] = random(n);
    let (radius, tint) = match a {
        a if a < 0.68 => (1.38 + 0.52 * a / 0.68, [0.80, 0.62, 0.42]),
        a => (1.98 + 0.34 * (a - 0.68) / 0.32, [0.55, 0.58, 0.66]),
    };
    // Narrow ringlets of different brightness, and a few large grains.
    let ringlet = 0.6 + 0.4 * (radius * 61.0).sin() * (radius * 23.0).cos();
    let (size, light) =
        if n.is_multiple_of(160) { (0.028, 1.0) } else { (0.008 + 0.008 * c, 0.42 * ringlet) };
    Grain { orbit: [radius, b * TAU, (d - 0.5) * 0.02, size], color: color(tint, light) }
}

/// Returns star `n` of the background, which is a grain in a distant orbit.
fn star(n: u32) -> Grain {
    let [a, b, c, d] = random(!n);
    let tint = [0.75 + 0.25 * c, 0.85, 1.0 - 0.25 * c];
    Grain {
        orbit: [60.0, b * TAU, (a - 0.5) * 110.0, 0.12 + 0.16 * d.powi(6)],
        color: color(tint, 0.25 + 0.75 * d),
    }
}

struct Renderer {
    grains: VertexBuffer<Grain>,
    /// The vertex shader, the geometry shader and the input layout of each expansion.
    expansions: [(VertexShader, Option<GeometryShader>, InputLayout); 2],
    ps: PixelShader,
    planet_vs: VertexShader,
    planet_ps: PixelShader,
    constants: ConstantBuffer<Constants>,
    additive: BlendState,
    read_only_depth: DepthStencilState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::hlsl(SHADER, name));
        let pixel = |name| device.create_pixel_shader(ShaderSource::hlsl(SHADER, name));
        let (vs, vs_instanced) = (vertex("VS")?, vertex("VSInstanced")?);
        let gs = device.create_geometry_shader(ShaderSource::hlsl(SHADER, "GS"))?;
        let elements = [
            InputElementDesc::new("ORBIT", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM),
        ];
        let points = device.create_input_layout(&elements, &vs)?;
        let instances =
            device.create_input_layout(&elements.map(InputElementDesc::per_instance), &vs_instanced)?;
        let grains: Vec<Grain> = (0..GRAINS).map(grain).chain((0..STARS).map(star)).collect();
        let constants = device.create_constant_buffer(&Constants::default())?;
        vs.check_constant_buffer::<Constants>(0)?;
        Ok(Self {
            grains: device.create_vertex_buffer(&grains)?,
            expansions: [(vs, Some(gs), points), (vs_instanced, None, instances)],
            ps: pixel("PS")?,
            planet_vs: vertex("VSPlanet")?,
            planet_ps: pixel("PSPlanet")?,
            constants,
            additive: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?,
            read_only_depth: device
                .create_depth_stencil_state(&DepthStencilDesc::default().read_only_depth())?,
        })
    }

    fn draw_planet(
        &self,
        context: &mut DeviceContext,
        time: f32,
        aspect_ratio: f32,
    ) -> Result<(), onze::Error> {
        let camera = Vec3::new(1.2, 1.75, -4.4);
        let constants = Constants {
            view: Mat4::from_rotation_z(0.2) * look_at_mat4(camera, Vec3::new(0.0, -0.05, 0.0), Vec3::Y),
            projection: perspective(40_f32.to_radians(), aspect_ratio, 0.1, 200.0),
            sun: Vec3::new(-0.86, 0.36, -0.42).normalize(),
            time,
        };
        context.update(&self.constants, &constants)?;
        context.vs_set_constant_buffers(0, &self.constants);
        context.gs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(None);
        context.vs_set_shader(&self.planet_vs);
        context.ps_set_shader(&self.planet_ps);
        context.draw(PLANET, 0);
        Ok(())
    }

    /// Draws the grains with additive blending, which does not depend on their order.
    fn draw_grains(&self, context: &mut DeviceContext, expansion: Expansion) {
        let (vs, gs, layout) = &self.expansions[expansion as usize];
        context.om_set_blend_state(&self.additive, [1.0; 4], u32::MAX);
        context.om_set_depth_stencil_state(&self.read_only_depth, 0);
        context.ia_set_input_layout(layout);
        context.ia_set_vertex_buffers(0, &self.grains);
        context.vs_set_shader(vs);
        context.gs_set_shader(gs.as_ref());
        context.ps_set_shader(&self.ps);
        match expansion {
            Expansion::GeometryShader => {
                context.ia_set_primitive_topology(PrimitiveTopology::PointList);
                context.draw(self.grains.len(), 0);
            }
            Expansion::Instancing => {
                context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                context.draw_instanced(4, self.grains.len(), 0, 0);
            }
        }
        context.gs_set_shader(None);
        context.om_set_depth_stencil_state(None, 0);
        context.om_set_blend_state(None, [1.0; 4], u32::MAX);
    }
}

/// Returns the window's title: the expansion in use, and the last measured time of each expansion.
fn title(expansion: Expansion, milliseconds: [Option<f32>; 2]) -> String {
    let mut title = format!("{} (press I)", NAMES[expansion as usize]);
    for (name, time) in NAMES.iter().zip(milliseconds) {
        if let Some(time) = time {
            title += &format!(" - {name}: {time:.2} ms");
        }
    }
    title
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Sprites by a geometry shader", 960, 540).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let renderer = Renderer::new(setup.device)?;
        let mut timer = GpuTimer::new(setup.device);
        let mut expansion = Expansion::GeometryShader;
        let mut milliseconds = [None; 2];
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            if frame.input.key_pressed(KeyCode::KeyI) {
                expansion = match expansion {
                    Expansion::GeometryShader => Expansion::Instancing,
                    Expansion::Instancing => Expansion::GeometryShader,
                };
            }
            let (time, aspect_ratio) = (frame.time, frame.aspect_ratio());
            renderer.draw_planet(frame.begin([0.0010, 0.0012, 0.003, 1.0]), time, aspect_ratio)?;
            timer.begin(frame.context)?;
            renderer.draw_grains(frame.context, expansion);
            timer.end_pass(frame.context, NAMES[expansion as usize])?;
            timer.end(frame.context);
            // The timer forgets a pass that the last frames did not have.
            for (last, name) in milliseconds.iter_mut().zip(NAMES) {
                *last = timer.milliseconds(name).or(*last);
            }
            frame.set_title(&title(expansion, milliseconds));
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_expansions_draw_the_same_picture() -> Result<(), onze::Error> {
        let made = create_device(&DeviceDesc::default());
        if made.is_err() && std::env::var_os("ONZE_ALLOW_NO_GPU").is_some() {
            println!("not run: there is no adapter to draw with");
            return Ok(());
        }
        let (device, mut context) = made?;
        let renderer = Renderer::new(&device)?;
        let target = device.create_render_target(Format::R8G8B8A8_UNORM, 160, 90)?;
        let depth = device.create_depth_target(Format::D32_FLOAT, 160, 90)?;
        let mut draw = |expansion: Option<Expansion>| {
            context.clear_render_target_view(&target.render_target_view, [0.0; 4]);
            context.clear_depth_stencil(&depth.depth_stencil_view);
            context.om_set_render_targets(&target.render_target_view, &depth.depth_stencil_view);
            context.rs_set_viewports(Viewport::sized(160.0, 90.0));
            renderer.draw_planet(&mut context, 0.5, 16.0 / 9.0)?;
            if let Some(expansion) = expansion {
                renderer.draw_grains(&mut context, expansion);
            }
            context.read_texture_2d(&target.texture, 0)
        };
        let expected = draw(Some(Expansion::Instancing))?;
        let mut differing = |expansion| -> Result<usize, onze::Error> {
            let picture = draw(expansion)?;
            Ok(picture.iter().zip(&expected).filter(|(a, b)| a.abs_diff(**b) > 8).count())
        };
        // An adapter may round the positions of two shaders differently.
        let most = 160 * 90 * 4 / 100;
        assert!(differing(Some(Expansion::GeometryShader))? <= most);
        assert!(differing(None)? > most, "the grains are not visible");
        Ok(())
    }
}
