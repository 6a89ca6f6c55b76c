//! A thousand bouncing sprites in one draw, whose instance buffer the program rewrites in every frame.

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc};

const SHADER: &str = include_str!("sprite_batch.wgsl");
const IMAGE: &[u8] = include_bytes!("../../assets/crate.png");
const COUNT: u32 = 1000;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Sprite {
    position: [f32; 2],
    size: f32,
    angle: f32,
    color: [u8; 4],
}

/// Returns the position of a point that has moved `way` back and forth between 0 and `end`.
fn bounce(way: f32, end: f32) -> f32 {
    end - (way.rem_euclid(2.0 * end.max(1.0)) - end).abs()
}

fn sprite(n: u32, time: f32, width: f32, height: f32) -> Sprite {
    let hash = n.wrapping_mul(0x9E37_79B1);
    let bytes = (hash ^ hash >> 15).wrapping_mul(0x85EB_CA6B).to_le_bytes();
    let [a, b, c, d] = bytes.map(|byte| f32::from(byte) / 255.0);
    let (x, y) = (a * width + time * (40.0 + 160.0 * c), b * height + time * (40.0 + 160.0 * d));
    Sprite {
        position: [bounce(x, width), bounce(y, height)],
        size: 12.0 + 20.0 * d,
        angle: time * (c - 0.5) * 6.0 + a * 6.0,
        color: [a, b, c, 1.0].map(|part| (127.0 + part * 128.0) as u8),
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Sprite batch", 800, 600).with_args(), |setup| {
        let device = setup.device.clone();
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Sprite>(&vs)?;
        let image = device.create_texture_from_memory(setup.context, IMAGE)?.create_shader_resource_view()?;
        let sampler = device.create_sampler_state(&SamplerDesc::default())?;
        let blend = device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?;
        let sprites = device.create_dynamic_vertex_buffer::<Sprite>(COUNT as usize)?;
        let window = device.create_constant_buffer(&[0.0_f32; 2])?;
        Ok(move |frame: &mut Frame<'_>| {
            let (time, width, height) = (frame.time, frame.width as f32, frame.height as f32);
            let context = frame.begin([0.05, 0.06, 0.09, 1.0]);
            context.update(&window, &[width, height])?;
            context
                .update(&sprites, &(0..COUNT).map(|n| sprite(n, time, width, height)).collect::<Vec<_>>())?;
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &sprites);
            context.vs_set_shader(&vs);
            context.vs_set_constant_buffers(0, &window);
            context.ps_set_shader(&ps);
            context.ps_set_shader_resources(0, &image);
            context.ps_set_samplers(0, &sampler);
            context.om_set_blend_state(&blend, [1.0; 4], u32::MAX);
            context.draw_instanced(4, COUNT, 0, 0);
            Ok(())
        })
    })
}
