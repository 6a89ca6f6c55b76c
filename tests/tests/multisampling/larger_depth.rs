//! Multisampled targets with a larger depth-stencil target, where each sample is drawn separately.

use onze::prelude::*;
use onze_tests::{CommandPath, Quad, gpu_matrix, on_each};

use super::{ALL, RGBA8, SIZE, Samples, counts, cover, read_samples};

/// Draws change only their samples, and all other samples keep their contents.
#[test]
fn a_larger_depth_target_keeps_and_draws_each_sample() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        for count in counts(h, RGBA8) {
            let samples = Samples::new(h, RGBA8, count);
            let size = 2 * SIZE;
            let desc = Texture2dDesc {
                sample_count: count,
                ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, size, size)
            };
            let depth = h.device.create_texture_2d(&desc, None).unwrap().create_depth_stencil_view().unwrap();
            h.record(CommandPath::Deferred, |cx| {
                cx.clear_render_target_view(&samples.target, [0.0; 4]);
                for sample in 0..count {
                    let color = [(sample + 1) as f32 / 255.0, 0.0, 0.0, 0.0];
                    cover(cx, &samples, &quad, color, 1 << sample);
                }
                cx.clear_depth_stencil_view(&depth, ClearFlags::DEPTH, 1.0, 0);
                cx.om_set_render_targets(&samples.target, &depth);
                cx.rs_set_viewports(Viewport::sized(size as f32, size as f32));
                cx.om_set_blend_state(None, [1.0; 4], 2);
                quad.draw_at(cx, [0.0, 1.0 / 255.0, 0.0, 0.0], [-1.0, -1.0, -0.5, 1.0], 0.5);
            });
            let found = samples.read(h);
            for (at, texel) in found.iter().enumerate() {
                let (x, sample) = (at as u32 / count % SIZE, at as u32 % count);
                let expected = if sample == 1 && x < SIZE / 2 { 0x100 } else { sample + 1 };
                assert_eq!(*texel, expected, "sample {sample} of column {x}, of {count}");
            }
            // These integer targets are cleared by the load operation of a pass.
            if h.device.check_multisample_quality_levels(Format::R8G8B8A8_UINT, count) == 0 {
                continue;
            }
            let samples = Samples::new(h, Format::R8G8B8A8_UINT, count);
            let source = "@fragment fn main() -> @location(0) vec4u { return vec4u(9u, 8u, 7u, 255u); }";
            let ps = h.device.create_pixel_shader(ShaderSource::wgsl(source, "main")).unwrap();
            h.immediate.clear_render_target_view(&samples.target, [1.0, 2.0, 3.0, 255.0]);
            for (mask, left) in [(1, -1.0), (ALL, -0.5)] {
                h.record(CommandPath::Immediate, |cx| {
                    cx.om_set_render_targets(&samples.target, &depth);
                    cx.rs_set_viewports(Viewport::sized(size as f32, size as f32));
                    quad.bind(cx);
                    cx.ps_set_shader(&ps);
                    cx.om_set_blend_state(None, [1.0; 4], mask);
                    quad.set(cx, [0.0; 4], [left, -1.0, 0.0, 1.0], 0.25);
                    cx.draw(4, 0);
                });
                // After the flush, the next draw starts another pass.
                h.immediate.flush();
            }
            let found = read_samples(h, &samples.texture, 0, count, "texture_multisampled_2d<u32>");
            for (at, texel) in found.iter().enumerate() {
                let (x, sample) = (at as u32 / count % SIZE, at as u32 % count);
                // Where the draws overlap, the second draw fails the depth test, because the depths are
                // equal.
                let is_drawn = sample == 0 || x >= SIZE / 2;
                let expected = if is_drawn { 0xff07_0809 } else { 0xff03_0201 };
                assert_eq!(*texel, expected, "sample {sample} of column {x}, of {count}");
            }
        }
        h.assert_silent();
    });
}
