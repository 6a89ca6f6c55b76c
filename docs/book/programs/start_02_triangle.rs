//! Step 2 of the book's chapter "Start": a triangle with its corners in the shader.

// ANCHOR: all
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

// ANCHOR: shader
const SHADER: &str = "
struct Corner {
    @builtin(position) position: vec4f,
    @location(0) color: vec3f,
}

@vertex
fn vs_main(@builtin(vertex_index) i: u32) -> Corner {
    let positions = array(vec2f(0.0, 0.7), vec2f(0.6, -0.6), vec2f(-0.6, -0.6));
    let colors = array(vec3f(1.0, 0.2, 0.1), vec3f(0.1, 0.8, 0.2), vec3f(0.2, 0.3, 1.0));
    return Corner(vec4f(positions[i], 0.0, 1.0), colors[i]);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    return vec4f(corner.color, 1.0);
}";
// ANCHOR_END: shader

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Start", 960, 540).with_args(), |setup| {
        // ANCHOR: create
        let vs = setup.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = setup.device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        // ANCHOR_END: create
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            // ANCHOR: draw
            let context = frame.begin([0.03, 0.04, 0.07, 1.0]);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            context.draw(3, 0);
            // ANCHOR_END: draw
            Ok(())
        })
    })
}
// ANCHOR_END: all
