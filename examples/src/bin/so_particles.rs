//! A fountain of several thousand particles, simulated by stream output. The CPU writes the nozzles into a
//! buffer at the start, and afterwards only submits draws.
//!
//! A geometry shader reads each particle as a point, and appends the points that the particle becomes: a nozzle
//! appends itself and new drops, a flying drop appends itself, a drop that falls into the water appends a ring
//! and splashes, and an old ring appends nothing. The points are written to the other one of two buffers, which
//! change roles after each step. `draw_auto` draws all points of a buffer, and the CPU does not know their
//! number. A second geometry shader expands the points to quads. Escape closes the window.

use std::f32::consts::TAU;

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("so_particles.hlsl");

/// Maximum number of particles, more than the fountain ever has. A full buffer would drop the last particles of
/// a step, and nozzles might be among them.
const CAPACITY: usize = 1 << 15;

/// Simulation steps per second, as in the shader.
const STEPS_PER_SECOND: f32 = 60.0;
/// Number of steps before the first picture, so that it is not empty.
const FIRST_STEPS: u32 = 200;
/// Maximum number of steps per frame, so on a slow machine the fountain is slower.
const MOST_STEPS: u32 = 4;

/// The kind of a particle that emits others, as in the shader.
const NOZZLE: u32 = 0;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    age: f32,
    tint: f32,
    kind: u32,
    seed: u32,
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct View {
    to_clip: Mat4,
    camera: Vec3,
    exposure: f32,
    right: Vec3,
    unused0: f32,
    up: Vec3,
    unused1: f32,
    forward: Vec3,
    unused2: f32,
}

impl View {
    fn new(time: f32, aspect_ratio: f32) -> Self {
        let turn = 0.15 * time + 0.2;
        let camera = Vec3::new(8.6 * turn.sin(), 2.3, -8.6 * turn.cos());
        let target = Vec3::new(0.0, 1.45, 0.0);
        let angle = 40_f32.to_radians();
        let forward = (target - camera).normalize();
        let right = Vec3::Y.cross(forward).normalize();
        let up = forward.cross(right);
        let half_height = (angle * 0.5).tan();
        Self {
            to_clip: perspective(angle, aspect_ratio, 0.1, 100.0) * look_at_mat4(camera, target, Vec3::Y),
            camera,
            exposure: 0.035,
            right: right * half_height * aspect_ratio,
            up: up * half_height,
            forward,
            ..Self::default()
        }
    }
}

/// Returns the nozzles: one in the middle, an inner circle whose jets lean outwards, and an outer circle whose
/// jets lean inwards.
fn nozzles() -> Vec<Particle> {
    let nozzle = |position: Vec3, velocity: Vec3, tint: f32| Particle {
        position: position.to_array(),
        velocity: velocity.to_array(),
        age: 0.0,
        tint,
        kind: NOZZLE,
        seed: 0,
    };
    let circle = |count: u8, radius: f32, outwards: f32, upwards: f32, tint: f32| {
        (0..count).map(move |n| {
            let angle = (f32::from(n) + 0.5) / f32::from(count) * TAU;
            let way = Vec3::new(angle.cos(), 0.0, angle.sin());
            nozzle(way * radius, way * outwards + Vec3::Y * upwards, tint)
        })
    };
    let middle = nozzle(Vec3::ZERO, Vec3::Y * 9.2, 0.3);
    let circles = circle(10, 0.25, 1.1, 7.0, 0.0).chain(circle(14, 3.1, -1.1, 4.8, 1.0));
    let all = std::iter::once(middle).chain(circles);
    all.zip(1..).map(|(nozzle, seed)| Particle { seed, ..nozzle }).collect()
}

struct Fountain {
    nozzles: VertexBuffer<Particle>,
    /// The particles of this step and those of the next step.
    particles: [VertexBuffer<Particle>; 2],
    steps: u32,
    layout: InputLayout,
    vs: VertexShader,
    step_gs: GeometryShader,
}

impl Fountain {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vs = device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VS"))?;
        let entries = SoDeclarationEntry::of::<Particle>()?;
        let step = ShaderSource::hlsl(SHADER, "GSStep");
        let buffer = || device.create_stream_vertex_buffer(CAPACITY);
        Ok(Self {
            nozzles: device.create_vertex_buffer(&nozzles())?,
            particles: [buffer()?, buffer()?],
            steps: 0,
            layout: device.create_input_layout_of::<Particle>(&vs)?,
            vs,
            // Without a rasterized stream, the steps draw nothing.
            step_gs: device.create_geometry_shader_with_stream_output(step, &entries, &[], None)?,
        })
    }

    /// Binds the particles of the current step as points.
    fn bind(&self, context: &mut DeviceContext) {
        context.ia_set_primitive_topology(PrimitiveTopology::PointList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.particles[0]);
        context.vs_set_shader(&self.vs);
    }

    fn step(&mut self, context: &mut DeviceContext) {
        self.bind(context);
        context.gs_set_shader(&self.step_gs);
        context.ps_set_shader(None);
        context.so_set_targets(StreamOutputBinding::new(&self.particles[1], 0));
        if self.steps == 0 {
            context.ia_set_vertex_buffers(0, &self.nozzles);
            context.draw(self.nozzles.len(), 0);
        } else {
            context.draw_auto();
        }
        // The next draw reads this buffer, so it must no longer be a target.
        context.so_set_targets(None);
        self.particles.swap(0, 1);
        self.steps += 1;
    }
}

struct Renderer {
    fountain: Fountain,
    view: ConstantBuffer<View>,
    draw_gs: GeometryShader,
    ps: PixelShader,
    background_vs: VertexShader,
    background_ps: PixelShader,
    additive: BlendState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let pixel = |name| device.create_pixel_shader(ShaderSource::hlsl(SHADER, name));
        let draw_gs = device.create_geometry_shader(ShaderSource::hlsl(SHADER, "GSDraw"))?;
        draw_gs.check_constant_buffer::<View>(0)?;
        Ok(Self {
            fountain: Fountain::new(device)?,
            view: device.create_constant_buffer(&View::default())?,
            draw_gs,
            ps: pixel("PS")?,
            background_vs: device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VSBackground"))?,
            background_ps: pixel("PSBackground")?,
            additive: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?,
        })
    }

    fn draw(&mut self, frame: &mut Frame<'_>) -> Result<(), onze::Error> {
        let view = View::new(frame.time, frame.aspect_ratio());
        // The first frame runs `FIRST_STEPS` steps, and later frames run the steps of the elapsed time.
        let wanted = FIRST_STEPS + (frame.time * STEPS_PER_SECOND).round() as u32;
        let most = if self.fountain.steps == 0 { FIRST_STEPS } else { MOST_STEPS };
        for _ in 0..wanted.saturating_sub(self.fountain.steps).min(most) {
            self.fountain.step(frame.context);
        }

        let context = frame.begin([0.0, 0.0, 0.0, 1.0]);
        context.update(&self.view, &view)?;
        context.gs_set_constant_buffers(0, &self.view);
        context.ps_set_constant_buffers(0, &self.view);
        context.om_set_blend_state(None, [1.0; 4], u32::MAX);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(None);
        context.vs_set_shader(&self.background_vs);
        context.gs_set_shader(None);
        context.ps_set_shader(&self.background_ps);
        context.draw(3, 0);

        // Additive blending does not depend on the order of the particles.
        context.om_set_blend_state(&self.additive, [1.0; 4], u32::MAX);
        self.fountain.bind(context);
        context.gs_set_shader(&self.draw_gs);
        context.ps_set_shader(&self.ps);
        context.draw_auto();
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Particles by stream output", 960, 540).with_args(), |setup| {
        let mut renderer = Renderer::new(setup.device)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            renderer.draw(frame)?;
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffers_hold_all_particles() -> Result<(), onze::Error> {
        let made = create_device(&DeviceDesc::default());
        if made.is_err() && std::env::var_os("ONZE_ALLOW_NO_GPU").is_some() {
            println!("not run: there is no adapter to draw with");
            return Ok(());
        }
        let (device, mut context) = made?;
        let mut fountain = Fountain::new(&device)?;
        let query = device.create_so_statistics_query(Some(0))?;
        // After 160 steps, the first drops and splashes have ended. The jets repeat their heights after 157 steps.
        for n in 0..320 {
            context.begin(&query);
            fountain.step(&mut context);
            context.end(&query);
            if n < 160 || n % 8 != 0 {
                continue;
            }
            let statistics = loop {
                if let Some(statistics) = context.get_data(&query, false)? {
                    break statistics;
                }
            };
            let points = statistics.num_primitives_written;
            assert_eq!(points, statistics.primitives_storage_needed, "step {n}");
            assert!(points > 10_000, "step {n}: {points} particles");
        }
        Ok(())
    }
}
