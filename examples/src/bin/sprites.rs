//! A galaxy of 100,000 sprites, all rewritten by the program in every frame.
//!
//! The sprites reach the GPU through one dynamic vertex buffer that is used as a ring. The sprites arrive in
//! chunks, as in an engine that does not know the total in advance. Each chunk is drawn as soon as it is
//! written:
//!
//! * **`WRITE_NO_OVERWRITE`** appends a chunk after the earlier chunks. With this flag, the program promises
//!   not to touch data that a draw may still read. The map therefore neither waits for the GPU nor gives the
//!   buffer new memory, and the existing contents stay. The library uploads only the written bytes.
//! * **`WRITE_DISCARD`** restarts at the beginning when the ring is full. Because the GPU may still read the
//!   old contents, the buffer gets new memory, and earlier draws keep their data.
//!
//! Overwriting data that an earlier draw of this frame reads, without a discard, would break the promise,
//! because those draws might show the old or the new sprites. If all sprites are known in advance, the
//! technique of `sprite_batch` is simpler, because it needs only one `WRITE_DISCARD` and one draw.

use std::f32::consts::TAU;

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("sprites.wgsl");

const COUNT: u32 = 100_000;

const CHUNK: u32 = 4096;

/// Capacity of the ring in sprites, with room for more than two frames, so fewer than half of the frames
/// discard.
const RING: u32 = 1 << 18;

/// Edge length of a shape in the atlas, in texels. The shapes are side by side.
const SHAPE: u32 = 32;

/// Number of shapes: a glow, a star, a ring and a diamond.
const SHAPES: u32 = 4;

/// A sprite: an instance of 16 bytes, drawn as a strip of four corners.
#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Sprite {
    /// Position of the sprite's centre, in a window that has a height of 2 and (0, 0) at its centre.
    position: [f32; 2],
    /// Size, angle and shape, in bytes that the shader reads as UNORM values from 0 to 1.
    look: [u8; 4],
    color: [u8; 4],
}

fn random(n: u32) -> [f32; 4] {
    let mut hash = n.wrapping_mul(0x9E37_79B1) ^ 0x5bd1_e995;
    let mut next = || {
        hash ^= hash >> 15;
        hash = hash.wrapping_mul(0x85EB_CA6B);
        hash ^= hash >> 13;
        (hash >> 8) as f32 / (1 << 24) as f32
    };
    [next(), next(), next(), next()]
}

/// Computes star `n` at `time` seconds, as it orbits the middle, more slowly if it is farther out.
fn sprite(n: u32, time: f32) -> Sprite {
    let [a, b, c, d] = random(n);
    // Most stars are near the middle, and each star is near one of two arms that wind outwards.
    let distance = 0.02 + 1.75 * a * a.sqrt();
    let arm = if (n ^ n >> 9).is_multiple_of(2) { 0.0 } else { TAU * 0.5 };
    let spread = (b + c + d - 1.5) * (0.75 + 1.1 * (1.0 - a));
    let angle = arm + spread + 3.4 * (distance + 0.08).ln() - time * 0.12 / (0.25 + distance);
    // The disc is tilted towards the viewer and is thicker in the middle.
    let (x, z) = (angle.cos() * distance, angle.sin() * distance);
    let y = (c - 0.5) * (d - 0.5) * 0.8 * (-distance * 3.0).exp();
    let (sin, cos) = 0.35_f32.sin_cos();
    let (x, y) = (x, z * 0.42 + y);

    // Colours are warm in the middle and blue in the arms, with a few pink clouds.
    let warm = (-distance * 2.6).exp();
    let mut color = [0.30 + 0.70 * warm, 0.38 + 0.34 * warm, 0.85 - 0.45 * warm];
    let (mut size, mut shape, mut light) = (0.006 + 0.006 * d, 0_u8, 0.22 + 0.36 * b * b);
    match n % 512 {
        0 => (size, shape, light) = (0.13, 1, 0.6 + 0.4 * (time * (1.0 + 4.0 * c) + d * TAU).sin()),
        1..4 => (size, shape, light, color) = (0.026, 2, 0.4, [1.0, 0.3, 0.45]),
        4..16 => (size, shape, light) = (0.022, 3, 0.55),
        16..24 => (size, light, color) = (0.16, 0.04, [0.8, 0.3, 0.7]),
        _ => {}
    }
    let fraction = |value: f32| (value.clamp(0.0, 1.0) * 255.0) as u8;
    let [red, green, blue] = color.map(|part| fraction(part * light));
    Sprite {
        position: [x * cos - y * sin, x * sin + y * cos],
        look: [fraction(size * 2.0), fraction((b + time * 0.1 * (c - 0.5)).rem_euclid(1.0)), shape, 0],
        color: [red, green, blue, 255],
    }
}

fn shape(number: u32, x: f32, y: f32) -> f32 {
    let distance = x.hypot(y);
    let edge = (1.0 - distance).clamp(0.0, 1.0);
    match number {
        0 => edge * edge * edge,
        1 => edge * (0.06 / (x.abs() * 8.0 + 0.05) + 0.06 / (y.abs() * 8.0 + 0.05)).min(1.0) + edge.powi(8),
        2 => (1.0 - (distance - 0.72).abs() * 8.0).max(0.0),
        _ => ((0.8 - x.abs() - y.abs()) * 6.0).clamp(0.0, 1.0),
    }
}

fn atlas() -> Vec<u8> {
    let texels = (0..SHAPE).flat_map(|y| (0..SHAPE * SHAPES).map(move |x| (x, y)));
    let place = |texel: u32| (texel as f32 + 0.5) / SHAPE as f32 * 2.0 - 1.0;
    texels.map(|(x, y)| (shape(x / SHAPE, place(x % SHAPE), place(y)).min(1.0) * 255.0) as u8).collect()
}

/// A dynamic vertex buffer to which chunks are appended until it is full.
struct Ring {
    buffer: VertexBuffer<Sprite>,
    end: u32,
}

impl Ring {
    fn write(&mut self, context: &mut DeviceContext, sprites: &[Sprite]) -> Result<u32, onze::Error> {
        let count = sprites.len() as u32;
        let map_type = if self.end + count > self.buffer.len() {
            self.end = 0;
            MapType::WriteDiscard
        } else {
            MapType::WriteNoOverwrite
        };
        let first = self.end;
        // `write_slice` marks only these bytes as written, so only these bytes are uploaded.
        let mut mapped = context.map(self.buffer.buffer(), 0, map_type)?;
        mapped.write_slice(first as usize * size_of::<Sprite>(), sprites);
        self.end += count;
        Ok(first)
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Sprites", 960, 540).with_args(), |setup| {
        let device = setup.device.clone();
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Sprite>(&vs)?;
        let atlas = device.create_texture_2d_with_mips(
            setup.context,
            Format::R8_UNORM,
            SHAPE * SHAPES,
            SHAPE,
            &atlas(),
        )?;
        let atlas = atlas.create_shader_resource_view()?;
        let sampler = device.create_sampler_state(&SamplerDesc::default())?;
        // Additive blending does not depend on the order of the sprites, so they are not sorted.
        let blend = device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?;
        let aspect_ratio = device.create_constant_buffer(&0.0_f32)?;
        // The ring starts full, so the first write discards the buffer's uninitialised contents.
        let mut ring = Ring { buffer: device.create_dynamic_vertex_buffer(RING as usize)?, end: RING };
        let mut chunk = Vec::with_capacity(CHUNK as usize);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let time = frame.time;
            let width_to_height = frame.aspect_ratio();
            let context = frame.begin([0.0015, 0.0015, 0.005, 1.0]);
            context.update(&aspect_ratio, &width_to_height)?;
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &ring.buffer);
            context.vs_set_shader(&vs);
            context.vs_set_constant_buffers(0, &aspect_ratio);
            context.ps_set_shader(&ps);
            context.ps_set_shader_resources(0, &atlas);
            context.ps_set_samplers(0, &sampler);
            context.om_set_blend_state(&blend, [1.0; 4], u32::MAX);
            for first in (0..COUNT).step_by(CHUNK as usize) {
                chunk.clear();
                chunk.extend((first..COUNT.min(first + CHUNK)).map(|n| sprite(n, time)));
                let start = ring.write(context, &chunk)?;
                context.draw_instanced(4, chunk.len() as u32, 0, start);
            }
            Ok(())
        })
    })
}
