//! A textured cube in a changing tint. The HLSL shaders use a texture, a sampler, and three constant buffers
//! grouped by how often they change.
//!
//! By Direct3D's conventions, the axes are left-handed and front faces are clockwise. Escape closes the
//! window.

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3, Vec4};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("hlsl_textured_cube.hlsl");
const IMAGE: &[u8] = include_bytes!("../../assets/crate.png");

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct SimpleVertex {
    position: Vec3,
    texcoord: Vec2,
}

#[derive(Clone, Copy, Default, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct ChangesEveryFrame {
    world: Mat4,
    mesh_color: Vec4,
}

/// Returns six sides with four corners and two triangles each, clockwise as seen from outside.
fn cube() -> (Vec<SimpleVertex>, Vec<u16>) {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = normal.cross(up);
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map(|(x, y)| SimpleVertex {
            position: normal + right * x + up * y,
            texcoord: Vec2::new(x * 0.5 + 0.5, 0.5 - y * 0.5),
        })
    };
    let vertices = sides.into_iter().flat_map(side).collect();
    let indices = (0..6).flat_map(|n| [0, 1, 2, 0, 2, 3].map(|corner| n * 4 + corner)).collect();
    (vertices, indices)
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Textured cube in HLSL", 800, 600).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VS"))?;
        let ps = device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?;
        let layout = device.create_input_layout(
            &[
                InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
                InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
            ],
            &vs,
        )?;
        let (vertices, indices) = cube();
        let vertices = device.create_vertex_buffer(&vertices)?;
        let indices = device.create_index_buffer(&indices)?;
        let image = device.create_texture_from_memory(setup.context, IMAGE)?.create_shader_resource_view()?;
        let sampler = device.create_sampler_state(&SamplerDesc {
            filter: Filter::MIN_MAG_MIP_LINEAR,
            address_u: TextureAddressMode::Wrap,
            address_v: TextureAddressMode::Wrap,
            ..SamplerDesc::default()
        })?;
        let view = look_at_mat4(Vec3::new(0.0, 2.2, -5.0), Vec3::ZERO, Vec3::Y);
        let never_changes = device.create_constant_buffer(&view)?;
        let changes_on_resize = device.create_constant_buffer(&Mat4::ZERO)?;
        let changes_every_frame = device.create_constant_buffer(&ChangesEveryFrame::default())?;
        let mut size = (0, 0);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let (time, aspect_ratio) = (frame.time, frame.aspect_ratio());
            let is_resized = std::mem::replace(&mut size, (frame.width, frame.height)) != size;
            let context = frame.begin([0.02, 0.03, 0.09, 1.0]);
            if is_resized {
                let projection = perspective(45_f32.to_radians(), aspect_ratio, 0.1, 100.0);
                context.update(&changes_on_resize, &projection)?;
            }
            let tint = Vec3::new(time + 1.2, time * 3.0 + 0.3, time * 5.0 - 0.3).map(|t| t.sin() * 0.5 + 0.7);
            let world = Mat4::from_rotation_y(time + 0.6);
            let constants = ChangesEveryFrame { world, mesh_color: tint.extend(1.0) };
            context.update(&changes_every_frame, &constants)?;
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&vs);
            context.vs_set_constant_buffers(0, &never_changes);
            context.vs_set_constant_buffers(1, &changes_on_resize);
            context.vs_set_constant_buffers(2, &changes_every_frame);
            context.ps_set_shader(&ps);
            context.ps_set_constant_buffers(2, &changes_every_frame);
            context.ps_set_shader_resources(0, &image);
            context.ps_set_samplers(0, &sampler);
            context.draw_indexed(indices.len(), 0, 0);
            Ok(())
        })
    })
}
