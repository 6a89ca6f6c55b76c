//! The first triangle of a Direct3D 11 course: HLSL shaders, a vertex buffer, and an input layout with
//! semantics. Escape closes the window.

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("hlsl_triangle.hlsl");

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct SimpleVertex {
    position: [f32; 3],
    color: [u8; 4],
}

/// The corners in clockwise order, because clockwise triangles are front faces in Direct3D 11 unless a
/// rasterizer state says otherwise.
const VERTICES: [SimpleVertex; 3] = [
    SimpleVertex { position: [0.0, 0.6, 0.5], color: [255, 190, 40, 255] },
    SimpleVertex { position: [0.55, -0.5, 0.5], color: [240, 60, 80, 255] },
    SimpleVertex { position: [-0.55, -0.5, 0.5], color: [60, 130, 255, 255] },
];

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Triangle in HLSL", 800, 600).with_args(), |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VS"))?;
        let ps = device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?;
        // The colours are UNORM bytes, which the input assembler converts from 0..255 to floats from 0 to 1.
        let layout = device.create_input_layout(
            &[
                InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
                InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM),
            ],
            &vs,
        )?;
        let vertices = device.create_vertex_buffer(&VERTICES)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let context = frame.begin([0.02, 0.03, 0.09, 1.0]);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            context.draw(vertices.len(), 0);
            Ok(())
        })
    })
}
