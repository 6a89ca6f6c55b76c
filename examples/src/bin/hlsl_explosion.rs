//! A sphere that explodes: a geometry shader in HLSL moves each triangle along its face normal, as in
//! Direct3D 11 courses.
//!
//! The vertex shader sees one vertex at a time and the mesh shares its vertices between triangles, so only the
//! geometry shader can compute the normal of a triangle and tear the triangles apart. By Direct3D's conventions,
//! the axes are left-handed and front faces are clockwise. Escape closes the window.

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3, Vec4};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("hlsl_explosion.hlsl");

/// Number of times that each triangle of an octahedron is divided into four.
const DIVISIONS: u32 = 4;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct SimpleVertex {
    position: Vec3,
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    world: Mat4,
    view: Mat4,
    projection: Mat4,
    light_direction: Vec4,
    core: Vec4,
    explode: f32,
    padding: [f32; 3],
}

/// Returns a sphere of radius 1, whose triangles are clockwise as seen from outside.
fn sphere() -> (Vec<SimpleVertex>, Vec<u16>) {
    let mut triangles = Vec::new();
    for (x, y, z) in [-1.0, 1.0].into_iter().flat_map(|x| {
        [-1.0, 1.0].into_iter().flat_map(move |y| [-1.0, 1.0].into_iter().map(move |z| (x, y, z)))
    }) {
        let [a, b, c] = [Vec3::X * x, Vec3::Y * y, Vec3::Z * z];
        triangles.push(if x * y * z > 0.0 { [a, b, c] } else { [a, c, b] });
    }
    for _ in 0..DIVISIONS {
        let divide = |[a, b, c]: [Vec3; 3]| {
            let [ab, bc, ca] = [(a + b).normalize(), (b + c).normalize(), (c + a).normalize()];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(divide).collect();
    }
    let mut vertices: Vec<SimpleVertex> = Vec::new();
    let index = |position: Vec3| {
        let near = |vertex: &SimpleVertex| vertex.position.abs_diff_eq(position, 1e-4);
        let found = vertices.iter().position(near).unwrap_or_else(|| {
            vertices.push(SimpleVertex { position });
            vertices.len() - 1
        });
        found as u16
    };
    let indices = triangles.into_iter().flatten().map(index).collect();
    (vertices, indices)
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Explosion in HLSL", 800, 600).with_depth().with_samples(4).with_args();
    onze_winit::run(desc, |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VS"))?;
        let gs = device.create_geometry_shader(ShaderSource::hlsl(SHADER, "GS"))?;
        let ps = device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?;
        let ps_solid = device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PSSolid"))?;
        // Without this check, a mismatch between the shader's offsets and the Rust struct's would go
        // unnoticed.
        gs.check_constant_buffer::<Constants>(0)?;
        let elements = [InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT)];
        let layout = device.create_input_layout(&elements, &vs)?;
        let (vertices, indices) = sphere();
        let vertices = device.create_vertex_buffer(&vertices)?;
        let indices = device.create_index_buffer(&indices)?;
        let constants = device.create_constant_buffer(&Constants::default())?;
        // The inner sides of the triangles are visible through the gaps.
        let two_sided = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let two_sided = device.create_rasterizer_state(&two_sided)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            // The sphere explodes and comes together again. In the first picture, it is exploding.
            let explode = 0.5 - 0.5 * (frame.time * 1.2 + 1.9).cos();
            let scene = Constants {
                world: Mat4::from_rotation_z(-0.35) * Mat4::from_rotation_y(frame.time * 0.4),
                view: look_at_mat4(Vec3::new(0.0, 1.1, -4.6), Vec3::new(0.12, 0.36, 0.0), Vec3::Y),
                projection: perspective(45_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0),
                light_direction: Vec3::new(-0.5, 0.6, -0.62).normalize().extend(0.0),
                core: Vec4::new(2.4, 1.0, 0.25, 1.0) * (0.25 + 0.75 * explode),
                explode: explode * 1.4,
                ..Constants::default()
            };
            let context = frame.begin([0.005, 0.008, 0.022, 1.0]);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.rs_set_state(&two_sided);
            context.vs_set_shader(&vs);
            context.gs_set_shader(&gs);
            context.gs_set_constant_buffers(0, &constants);
            context.ps_set_constant_buffers(0, &constants);

            context.update(&constants, &scene)?;
            context.ps_set_shader(&ps);
            context.draw_indexed(indices.len(), 0, 0);

            // The core is the same mesh, small and without an explosion.
            let world = Mat4::from_scale(Vec3::splat(0.24));
            context.update(&constants, &Constants { world, explode: 0.0, ..scene })?;
            context.ps_set_shader(&ps_solid);
            context.draw_indexed(indices.len(), 0, 0);
            Ok(())
        })
    })
}
