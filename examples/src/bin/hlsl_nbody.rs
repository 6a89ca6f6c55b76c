//! Two colliding galaxies of 4,096 bodies that all attract each other. A compute shader in HLSL moves the
//! bodies and keeps tiles of them in group-shared memory, and a vertex shader reads the bodies from the same
//! buffer. Escape closes the window.

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("hlsl_nbody.hlsl");
const BODIES: u32 = 4096;
const TILE: u32 = 128;
const STEPS_PER_SECOND: f32 = 60.0;
/// Maximum number of steps per frame, so on a slow machine the galaxies move more slowly.
const MOST_STEPS: u32 = 2;
/// Mass of the body in the middle of a galaxy.
const CORE_MASS: f32 = 12.0;
/// Total mass of the other bodies of a galaxy.
const DISC_MASS: f32 = 3.0;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Body {
    position: Vec3,
    mass: f32,
    velocity: Vec3,
    galaxy: f32,
}

#[derive(Clone, Copy, Default, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    view: Mat4,
    projection: Mat4,
    body_count: u32,
    time_step: f32,
    softening_squared: f32,
    pixel: f32,
}

/// Returns four pseudo-random numbers from 0 to 1 that depend only on `n`.
fn random(n: u32) -> [f32; 4] {
    let hash = n.wrapping_mul(0x9E37_79B1) ^ 0x68BC_21EB;
    let hash = (hash ^ hash >> 15).wrapping_mul(0x85EB_CA6B);
    (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35).to_le_bytes().map(|byte| f32::from(byte) / 255.0)
}

/// Creates a body of a galaxy, where body 0 is in the middle, and all other bodies orbit it in two arms.
fn body(galaxy: u32, n: u32) -> Body {
    let side = if galaxy == 0 { -1.0 } else { 1.0 };
    let (center, drift) = (Vec3::new(4.2, 0.5, 1.4) * side, Vec3::new(-0.75, 0.0, 0.85) * side);
    let (a, b) = (random(n * 2 + galaxy), random(n * 2 + galaxy + BODIES));
    let galaxy = galaxy as f32;
    if n == 0 {
        return Body { position: center, mass: CORE_MASS, velocity: drift, galaxy };
    }
    let radius = 0.4 + 3.0 * (a[0] + b[0] / 256.0);
    // A sum of random numbers is most often near its mean. The sum here concentrates the bodies along the
    // arm, and the sum below concentrates them near the plane of the disc.
    let from_arm = (a[1] + a[2] + b[1] - 1.5) * 1.1;
    let arm = std::f32::consts::PI * f32::from(b[2] < 0.5);
    let angle = arm + from_arm - radius.ln() * 2.2 + side;
    let height = (a[3] + b[3] - 1.0) * 0.25;
    let lean = Mat4::from_rotation_x(if galaxy == 0.0 { 0.2 } else { -0.8 });
    let place = Vec3::new(angle.cos(), 0.0, angle.sin());
    let along = Vec3::new(-angle.sin(), 0.0, angle.cos());
    // The speed of a circular orbit around the mass inside the orbit.
    let speed = ((CORE_MASS + DISC_MASS * (radius - 0.4) / 3.0) / radius).sqrt();
    Body {
        position: center + lean.transform_vector3(place * radius + Vec3::Y * height),
        mass: DISC_MASS / (BODIES / 2) as f32,
        velocity: drift + lean.transform_vector3(along * speed),
        galaxy,
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("N-body gravity in HLSL", 1280, 720).with_args(), |setup| {
        let device = setup.device;
        let cs = device.create_compute_shader(ShaderSource::hlsl(SHADER, "CS"))?;
        let vs = device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VS"))?;
        let ps = device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?;
        let bodies: Vec<Body> = (0..BODIES).map(|n| body(n % 2, n / 2)).collect();
        let mut buffers =
            [device.create_structured_buffer(&bodies)?, device.create_structured_buffer(&bodies)?];
        let constants = device.create_constant_buffer(&Constants::default())?;
        let additive = device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?;
        let mut steps = 0;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let angle = frame.time * 0.1;
            let eye = Vec3::new(10.5 * angle.sin(), 6.2, -10.5 * angle.cos());
            let scene = Constants {
                view: look_at_mat4(eye, Vec3::ZERO, Vec3::Y),
                projection: perspective(45_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0),
                body_count: BODIES,
                time_step: 1.0 / STEPS_PER_SECOND,
                softening_squared: 0.01,
                pixel: 2.0 / frame.height as f32,
            };
            let wanted = (frame.time * STEPS_PER_SECOND).round() as u32;
            let context = frame.begin([0.002, 0.002, 0.006, 1.0]);
            context.update(&constants, &scene)?;

            context.cs_set_shader(&cs);
            context.cs_set_constant_buffers(0, &constants);
            for _ in 0..wanted.saturating_sub(steps).min(MOST_STEPS) {
                context.cs_set_shader_resources(0, &buffers[0].shader_resource_view);
                context.cs_set_unordered_access_views(0, &buffers[1].unordered_access_view);
                context.dispatch(BODIES / TILE, 1, 1);
                // The next dispatch reads the buffer that this one wrote, so unbind its unordered access
                // view.
                context.cs_set_shader_resources(0, None);
                context.cs_set_unordered_access_views(0, None);
                buffers.swap(0, 1);
                steps += 1;
            }

            context.om_set_blend_state(&additive, [1.0; 4], u32::MAX);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
            context.vs_set_shader(&vs);
            context.vs_set_constant_buffers(0, &constants);
            context.vs_set_shader_resources(0, &buffers[0].shader_resource_view);
            context.ps_set_shader(&ps);
            context.draw_instanced(4, BODIES, 0, 0);
            context.vs_set_shader_resources(0, None);
            Ok(())
        })
    })
}
