//! The second program of the book's chapter "HLSL". Its shaders are compiled when the program is built.

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc};

// ANCHOR: bytes
/// Shaders that `build.rs` compiled from `hlsl_compiled.hlsl`.
const VS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/hlsl_compiled.VS.shader"));
const PS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/hlsl_compiled.PS.shader"));
// ANCHOR_END: bytes

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Waves", 480, 270).with_args(), |setup| {
        let device = setup.device;
        // ANCHOR: shaders
        let vs = device.create_vertex_shader(ShaderSource::compiled(VS))?;
        let ps = device.create_pixel_shader(ShaderSource::compiled(PS))?;
        // ANCHOR_END: shaders
        Ok(move |frame: &mut Frame<'_>| {
            let context = frame.begin([0.0; 4]);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            context.draw(3, 0);
            Ok(())
        })
    })
}
