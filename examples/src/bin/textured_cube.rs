//! A rotating cube with an image on its sides, drawn with a mipmapped texture, a depth buffer and a camera.
//! Escape closes the window.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("textured_cube.wgsl");
const IMAGE: &[u8] = include_bytes!("../../assets/crate.png");

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
struct Constants {
    to_clip: Mat4,
    to_world: Mat4,
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

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Textured cube", 800, 600).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let device = setup.device.clone();
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Corner>(&vs)?;
        let (corners, indices) = cube();
        let vertices = device.create_vertex_buffer(&corners)?;
        let indices = device.create_index_buffer(&indices)?;
        let image = device.create_texture_from_memory(setup.context, IMAGE)?.create_shader_resource_view()?;
        let sampler = device.create_sampler_state(&SamplerDesc {
            filter: Filter::ANISOTROPIC,
            max_anisotropy: 8,
            ..SamplerDesc::default()
        })?;
        let rasterizer = device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?;
        let zero = Constants { to_clip: Mat4::ZERO, to_world: Mat4::ZERO };
        let constants = device.create_constant_buffer(&zero)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let camera = look_at_mat4(Vec3::new(0.0, 2.4, 5.0), Vec3::ZERO, Vec3::Y);
            let projection = perspective(45_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0);
            let to_world = Mat4::from_rotation_y(frame.time * 0.8 + 0.6);
            let context = frame.begin([0.05, 0.06, 0.09, 1.0]);
            context.update(&constants, &Constants { to_clip: projection * camera * to_world, to_world })?;
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.rs_set_state(&rasterizer);
            context.vs_set_shader(&vs);
            context.vs_set_constant_buffers(0, &constants);
            context.ps_set_shader(&ps);
            context.ps_set_shader_resources(0, &image);
            context.ps_set_samplers(0, &sampler);
            context.draw_indexed(indices.len(), 0, 0);
            Ok(())
        })
    })
}
