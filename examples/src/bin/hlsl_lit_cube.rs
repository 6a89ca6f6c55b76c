//! A rotating cube lit by two lamps, one of which circles it. The shaders are HLSL with a constant buffer of
//! matrices, as in Direct3D 11 courses.
//!
//! Each lamp is drawn as a small cube in the lamp's colour. By Direct3D's conventions, the axes are
//! left-handed and front faces are clockwise. Escape closes the window.
//!
//! With `--watch` the program recompiles `hlsl_lit_cube.hlsl` whenever it is saved, so a changed colour
//! appears on the cube at once. An error is shown in the terminal and in the window's title, and the last
//! working shaders stay in use.

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3, Vec4};
use onze::prelude::*;
use onze_examples::watched::{self, Watched};
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("hlsl_lit_cube.hlsl");

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct SimpleVertex {
    position: Vec3,
    normal: Vec3,
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    world: Mat4,
    view: Mat4,
    projection: Mat4,
    light_direction: [Vec4; 2],
    light_color: [Vec4; 2],
    output_color: Vec4,
}

/// Returns six sides with four corners and two triangles each, clockwise as seen from outside.
fn cube() -> (Vec<SimpleVertex>, Vec<u16>) {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = normal.cross(up);
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)]
            .map(|(x, y)| SimpleVertex { position: normal + right * x + up * y, normal })
    };
    let vertices = sides.into_iter().flat_map(side).collect();
    let indices = (0..6).flat_map(|n| [0, 1, 2, 0, 2, 3].map(|corner| n * 4 + corner)).collect();
    (vertices, indices)
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Lit cube in HLSL", 800, 600).with_depth();
    let (desc, watch) = watched::with_args(desc);
    onze_winit::run(desc, move |setup| {
        let device = setup.device;
        let maker = device.clone();
        let mut shaders = Watched::new(watch, "hlsl_lit_cube.hlsl", SHADER, move |text| {
            let vs = maker.create_vertex_shader(ShaderSource::hlsl(text, "VS"))?;
            // Without this check, a mismatch between the shader's offsets and the Rust struct's would go
            // unnoticed.
            vs.check_constant_buffer::<Constants>(0)?;
            let ps = maker.create_pixel_shader(ShaderSource::hlsl(text, "PS"))?;
            Ok((vs, ps, maker.create_pixel_shader(ShaderSource::hlsl(text, "PSSolid"))?))
        })?;
        let layout = device.create_input_layout(
            &[
                InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
                InputElementDesc::new("NORMAL", 0, Format::R32G32B32_FLOAT),
            ],
            &shaders.0,
        )?;
        let (vertices, indices) = cube();
        let vertices = device.create_vertex_buffer(&vertices)?;
        let indices = device.create_index_buffer(&indices)?;
        let constants = device.create_constant_buffer(&Constants::default())?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            shaders.update(frame);
            let (vs, ps, ps_solid) = &*shaders;
            let time = frame.time;
            let light_direction = [
                Vec3::new(-0.577, 0.577, -0.577).extend(0.0),
                Mat4::from_rotation_y(-0.9 - time * 1.6) * Vec4::new(0.0, 0.25, -0.97, 0.0),
            ];
            let light_color = [Vec4::new(0.3, 0.34, 0.42, 1.0), Vec4::new(0.75, 0.2, 0.04, 1.0)];
            let scene = Constants {
                world: Mat4::from_rotation_y(0.6 + time * 0.5),
                view: look_at_mat4(Vec3::new(0.0, 3.0, -7.5), Vec3::Y * 0.3, Vec3::Y),
                projection: perspective(45_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0),
                light_direction,
                light_color,
                output_color: Vec4::ZERO,
            };
            let context = frame.begin([0.02, 0.03, 0.09, 1.0]);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(vs);
            context.vs_set_constant_buffers(0, &constants);
            context.ps_set_constant_buffers(0, &constants);

            context.update(&constants, &scene)?;
            context.ps_set_shader(ps);
            context.draw_indexed(indices.len(), 0, 0);

            context.ps_set_shader(ps_solid);
            for (direction, output_color) in light_direction.into_iter().zip(light_color) {
                let place = Mat4::from_translation(direction.truncate() * 2.6);
                let world = place * Mat4::from_scale(Vec3::splat(0.15));
                context.update(&constants, &Constants { world, output_color, ..scene })?;
                context.draw_indexed(indices.len(), 0, 0);
            }
            Ok(())
        })
    })
}
