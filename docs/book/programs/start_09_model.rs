//! Step 9 of the book's chapter "Start": the shape of a glTF model.

// ANCHOR: all
use std::f32::consts::FRAC_PI_2;

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::winit::{event::MouseButton, keyboard::KeyCode};
use onze_winit::{Frame, WindowDesc};

// ANCHOR: file
const MODEL: &[u8] = include_bytes!("../../../examples/assets/pawn.glb");
// ANCHOR_END: file

// ANCHOR: shader
const SHADER: &str = "
@group(0) @binding(0) var<uniform> to_clip: mat4x4f; // register b0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f,
}

@vertex
fn vs_main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Corner {
    return Corner(to_clip * vec4f(position, 1.0), normal);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let normal = normalize(corner.normal);
    let sun = max(dot(normal, normalize(vec3f(0.4, 0.9, 0.6))), 0.0);
    let sky = 0.5 + 0.5 * normal.y;
    let light = sun * vec3f(1.0, 0.92, 0.8) + sky * vec3f(0.20, 0.26, 0.36);
    return vec4f(vec3f(0.6) * light, 1.0);
}";
// ANCHOR_END: shader

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
}

// ANCHOR: load
/// Returns the corners of a binary glTF file, and the indices of its triangles.
fn load(glb: &[u8]) -> onze_winit::Result<(Vec<Corner>, Vec<u32>)> {
    let file = gltf::Gltf::from_slice(glb)?;
    let (mut corners, mut indices) = (Vec::new(), Vec::new());
    for node in file.nodes() {
        let to_world = Mat4::from_cols_array_2d(&node.transform().matrix());
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            let reader = primitive.reader(|_| file.blob.as_deref());
            let positions = reader.read_positions().ok_or("a mesh has no positions")?;
            let normals = reader.read_normals().ok_or("a mesh has no normals")?;
            let triangles = reader.read_indices().ok_or("a mesh has no indices")?.into_u32();
            let first = corners.len() as u32;
            indices.extend(triangles.map(|index| first + index));
            corners.extend(positions.zip(normals).map(|(position, normal)| Corner {
                position: to_world.transform_point3(position.into()).to_array(),
                normal: to_world.transform_vector3(normal.into()).to_array(),
            }));
        }
    }
    Ok((corners, indices))
}
// ANCHOR_END: load

/// A camera that orbits a point. Angles are in radians.
struct Orbit {
    target: Vec3,
    yaw: f32,
    pitch: f32,
    distance: f32,
}

impl Orbit {
    // ANCHOR: around
    /// Creates a camera that sees all corners.
    fn around(corners: &[Corner]) -> Self {
        let positions = || corners.iter().map(|corner| Vec3::from(corner.position));
        let low = positions().fold(Vec3::INFINITY, Vec3::min);
        let high = positions().fold(Vec3::NEG_INFINITY, Vec3::max);
        Self { target: (low + high) / 2.0, yaw: -0.4, pitch: 0.35, distance: (high - low).length() * 1.2 }
    }
    // ANCHOR_END: around

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
        // ANCHOR: planes
        let (near, far) = (self.distance * 0.05, self.distance * 10.0);
        perspective(45_f32.to_radians(), aspect_ratio, near, far) * view
        // ANCHOR_END: planes
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Start", 960, 540).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Corner>(&vs)?;
        // ANCHOR: create
        let (corners, indices) = load(MODEL)?;
        let vertices = device.create_vertex_buffer(&corners)?;
        let indices = device.create_index_buffer(&indices)?;
        let mut camera = Orbit::around(&corners);
        // ANCHOR_END: create
        let rasterizer = device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?;
        let to_clip = device.create_constant_buffer(&Mat4::IDENTITY)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            camera.follow_input(frame);
            let aspect_ratio = frame.aspect_ratio();
            let context = frame.begin([0.03, 0.04, 0.07, 1.0]);
            context.update(&to_clip, &camera.to_clip(aspect_ratio))?;
            context.vs_set_constant_buffers(0, &to_clip);
            context.rs_set_state(&rasterizer);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            context.draw_indexed(indices.len(), 0, 0);
            Ok(())
        })
    })
}
// ANCHOR_END: all
