//! The program of the book's chapter "HLSL": waves on a square.

use onze::hlsl::{CompileOptions, Macro, PreprocessOptions, TextIncludes};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc};

const SHADER: &str = include_str!("hlsl.hlsl");

/// The shader's `VS_INPUT`.
#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 2],
    texcoord: [f32; 2],
}

/// The shader's `Frame`.
#[derive(Clone, Copy, Default, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    center: [f32; 2],
    time: f32,
    padding: f32,
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Waves", 640, 480).with_args(), |setup| {
        let device = setup.device;
        // ANCHOR: options
        let include = TextIncludes::new().with_text("wave.hlsli", include_str!("wave.hlsli"));
        let macros = [Macro::new("RINGS", "12.0")];
        let preprocess = PreprocessOptions { macros: &macros, include: Some(&include) };
        let options = CompileOptions { preprocess, ..CompileOptions::default() };
        let vs = device.create_vertex_shader(ShaderSource::hlsl_with(SHADER, "VS", &options))?;
        let ps = device.create_pixel_shader(ShaderSource::hlsl_with(SHADER, "PS", &options))?;
        // ANCHOR_END: options
        let layout = device.create_input_layout(
            &[
                InputElementDesc::new("POSITION", 0, Format::R32G32_FLOAT),
                InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
            ],
            &vs,
        )?;
        let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
            .map(|(x, y)| Corner { position: [x * 0.8, y * 0.8], texcoord: [x * 0.5 + 0.5, 0.5 - y * 0.5] });
        let vertices = device.create_vertex_buffer(&corners)?;
        let constants = device.create_constant_buffer(&Constants::default())?;
        Ok(move |frame: &mut Frame<'_>| {
            let time = frame.time;
            let center = [0.5 + 0.3 * (time * 0.7).sin(), 0.4];
            let context = frame.begin([0.02, 0.02, 0.04, 1.0]);
            context.update(&constants, &Constants { center, time, ..Constants::default() })?;
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            context.ps_set_constant_buffers(0, &constants);
            context.draw(vertices.len(), 0);
            Ok(())
        })
    })
}
