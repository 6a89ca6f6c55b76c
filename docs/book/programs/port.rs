//! The program that the book's chapter "From D3D11 C++" ports: a rotating triangle.

use glam::Mat4;
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc};

// ANCHOR: shader
const SHADER: &str = "
    cbuffer Constants : register(b0) { float4x4 turn; };
    struct Pixel { float4 position : SV_Position; float4 color : COLOR; };

    Pixel VS(float3 position : POSITION, float4 color : COLOR) {
        Pixel pixel;
        pixel.position = mul(turn, float4(position, 1.0));
        pixel.color = color;
        return pixel;
    }

    float4 PS(Pixel pixel) : SV_Target { return pixel.color; }";
// ANCHOR_END: shader

// ANCHOR: vertex
#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    color: [u8; 4],
}

const CORNERS: [Corner; 3] = [
    Corner { position: [0.0, 0.7, 0.0], color: [255, 64, 32, 255] },
    Corner { position: [0.6, -0.5, 0.0], color: [32, 200, 64, 255] },
    Corner { position: [-0.6, -0.5, 0.0], color: [64, 96, 255, 255] },
];
// ANCHOR_END: vertex

fn main() -> onze_winit::Result<()> {
    // ANCHOR: window
    onze_winit::run(WindowDesc::new("Port", 640, 480).with_args(), |setup| {
        let device = setup.device;
        // ANCHOR_END: window
        // ANCHOR: create
        let vs = device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VS"))?;
        let ps = device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?;
        let layout = device.create_input_layout(
            &[
                InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
                InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM),
            ],
            &vs,
        )?;
        let vertices = device.create_vertex_buffer(&CORNERS)?;
        let constants = device.create_buffer(&BufferDesc::dynamic(64, BindFlags::CONSTANT_BUFFER), None)?;
        // ANCHOR_END: create
        // ANCHOR: frame
        Ok(move |frame: &mut Frame<'_>| {
            let turn = Mat4::from_rotation_z(-frame.time);
            let context = frame.begin([0.02, 0.02, 0.04, 1.0]);
            // The guard unmaps the buffer at the end of this line.
            context.map(&constants, 0, MapType::WriteDiscard)?.write(0, &turn);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&vs);
            context.vs_set_constant_buffers(0, &constants);
            context.ps_set_shader(&ps);
            context.draw(3, 0);
            Ok(())
        })
        // ANCHOR_END: frame
    })
}
