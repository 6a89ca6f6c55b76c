//! Step 4 of the book's chapter "Start": a matrix in a constant buffer rotates the square.

// ANCHOR: all
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

// ANCHOR: shader
const SHADER: &str = "
@group(0) @binding(0) var<uniform> to_clip: mat4x4f; // register b0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) color: vec3f,
}

@vertex
fn vs_main(@location(0) position: vec2f, @location(1) color: vec3f) -> Corner {
    return Corner(to_clip * vec4f(position, 0.0, 1.0), color);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    return vec4f(corner.color, 1.0);
}";
// ANCHOR_END: shader

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 2],
    color: [f32; 3],
}

const CORNERS: [Corner; 4] = [
    Corner { position: [-0.6, 0.6], color: [1.0, 0.2, 0.1] },
    Corner { position: [0.6, 0.6], color: [0.9, 0.8, 0.1] },
    Corner { position: [0.6, -0.6], color: [0.1, 0.8, 0.2] },
    Corner { position: [-0.6, -0.6], color: [0.2, 0.3, 1.0] },
];
const INDICES: [u16; 6] = [0, 1, 2, 0, 2, 3];

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Start", 960, 540).with_args(), |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Corner>(&vs)?;
        let vertices = device.create_vertex_buffer(&CORNERS)?;
        let indices = device.create_index_buffer(&INDICES)?;
        // ANCHOR: create
        let constants = device.create_constant_buffer(&Mat4::IDENTITY)?;
        // ANCHOR_END: create
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            // ANCHOR: update
            let turn = Mat4::from_rotation_z(frame.time * 0.8 + 0.4);
            let square_pixels = Mat4::from_scale(Vec3::new(1.0 / frame.aspect_ratio(), 1.0, 1.0));
            let context = frame.begin([0.03, 0.04, 0.07, 1.0]);
            context.update(&constants, &(square_pixels * turn))?;
            context.vs_set_constant_buffers(0, &constants);
            // ANCHOR_END: update
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
