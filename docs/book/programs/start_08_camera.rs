//! Step 8 of the book's chapter "Start": many crates, and a camera that the mouse and the arrow keys move.

// ANCHOR: all
use std::f32::consts::FRAC_PI_2;

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::winit::{event::MouseButton, keyboard::KeyCode};
use onze_winit::{Frame, WindowDesc};

const IMAGE: &[u8] = include_bytes!("../../../examples/assets/crate.png");

// ANCHOR: shader
const SHADER: &str = "
@group(0) @binding(0) var<uniform> to_clip: mat4x4f; // register b0, once a frame
@group(0) @binding(1) var<uniform> to_world: mat4x4f; // register b1, for each crate
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(2) @binding(0) var image_sampler: sampler; // register s0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f,
    @location(1) texcoord: vec2f,
}

@vertex
fn vs_main(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoord: vec2f,
) -> Corner {
    let turned = (to_world * vec4f(normal, 0.0)).xyz;
    return Corner(to_clip * to_world * vec4f(position, 1.0), turned, texcoord);
}
// ANCHOR_END: shader

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let normal = normalize(corner.normal);
    let sun = max(dot(normal, normalize(vec3f(0.4, 0.9, 0.6))), 0.0);
    let sky = 0.5 + 0.5 * normal.y;
    let light = sun * vec3f(1.0, 0.92, 0.8) + sky * vec3f(0.20, 0.26, 0.36);
    let color = textureSample(image, image_sampler, corner.texcoord).rgb;
    return vec4f(color * light, 1.0);
}";

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    texcoord: [f32; 2],
}

/// Returns six sides with four corners and two triangles each, counter-clockwise when seen from outside.
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

// ANCHOR: orbit
/// A camera that orbits a point. Angles are in radians.
struct Orbit {
    target: Vec3,
    yaw: f32,
    pitch: f32,
    distance: f32,
}

impl Orbit {
    /// Turns the camera with the arrow keys or by dragging with the left button, and zooms with the wheel.
    fn follow_input(&mut self, frame: &Frame<'_>) {
        let input = frame.input;
        if input.mouse_held(MouseButton::Left) {
            let (x, y) = input.cursor_diff();
            self.yaw -= x * 0.01;
            self.pitch += y * 0.01;
        }
        let held = |key| if input.key_held(key) { frame.delta } else { 0.0 };
        self.yaw += held(KeyCode::ArrowLeft) - held(KeyCode::ArrowRight);
        self.pitch += held(KeyCode::ArrowUp) - held(KeyCode::ArrowDown);
        self.pitch = self.pitch.clamp(0.05, FRAC_PI_2 - 0.01);
        self.distance *= 0.9_f32.powf(input.scroll_diff().1);
    }

    fn to_clip(&self, aspect_ratio: f32) -> Mat4 {
        let (sin, cos) = self.pitch.sin_cos();
        let direction = Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos);
        let view = look_at_mat4(self.target + direction * self.distance, self.target, Vec3::Y);
        perspective(45_f32.to_radians(), aspect_ratio, 0.1, 200.0) * view
    }
}
// ANCHOR_END: orbit

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Start", 960, 540).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Corner>(&vs)?;
        let (corners, indices) = cube();
        let vertices = device.create_vertex_buffer(&corners)?;
        let indices = device.create_index_buffer(&indices)?;
        let rasterizer = device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?;
        let texture = device.create_texture_from_memory(setup.context, IMAGE)?;
        let image = texture.create_shader_resource_view()?;
        let sampler = device.create_sampler_state(&SamplerDesc {
            filter: Filter::ANISOTROPIC,
            max_anisotropy: 8,
            ..SamplerDesc::default()
        })?;
        // ANCHOR: create
        let to_clip = device.create_constant_buffer(&Mat4::IDENTITY)?;
        let to_world = device.create_constant_buffer(&Mat4::IDENTITY)?;
        let mut camera = Orbit { target: Vec3::ZERO, yaw: 0.5, pitch: 0.5, distance: 24.0 };
        // ANCHOR_END: create
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            // ANCHOR: frame
            camera.follow_input(frame);
            let (time, aspect_ratio) = (frame.time, frame.aspect_ratio());
            let context = frame.begin([0.03, 0.04, 0.07, 1.0]);
            context.update(&to_clip, &camera.to_clip(aspect_ratio))?;
            context.vs_set_constant_buffers(0, &to_clip);
            context.vs_set_constant_buffers(1, &to_world);
            // ANCHOR_END: frame
            context.ps_set_shader_resources(0, &image);
            context.ps_set_samplers(0, &sampler);
            context.rs_set_state(&rasterizer);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            // ANCHOR: loop
            for n in 0..25_u8 {
                let (x, z) = (f32::from(n % 5) - 2.0, f32::from(n / 5) - 2.0);
                let place = Mat4::from_translation(Vec3::new(x, 0.0, z) * 3.2);
                context.update(&to_world, &(place * Mat4::from_rotation_y(time + x * 0.3 + z * 0.2)))?;
                context.draw_indexed(indices.len(), 0, 0);
            }
            // ANCHOR_END: loop
            Ok(())
        })
    })
}
// ANCHOR_END: all
