//! Sample coverage of draws: sample masks, alpha to coverage, coverage outputs and per-sample shading.

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Quad, Target,
    drawing::{assert_all, is_close},
    gpu_matrix, on_each,
};

use super::{ALL, RGBA8, SIZE, Samples, WHITE, counts, result};

const MASKED: &str = "
    struct Constants { color: vec4<f32>, rect: vec4<f32>, depth: vec4<f32> }
    @group(0) @binding(0) var<uniform> constants: Constants;
    struct Out { @location(0) color: vec4f, @builtin(sample_mask) mask: u32 }
    @fragment fn main() -> Out { return Out(vec4f(1.0, 1.0, 1.0, constants.color.y), u32(constants.color.x)); }
";

/// For example, coverage 5 selects two of four samples, and the sample mask 0xb keeps only one of them.
#[test]
fn the_masks_of_shader_and_output_merger_are_combined() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let quad = Quad::new(&h.device);
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(MASKED, "main")).unwrap();
        let (samples, result) = (Samples::new(h, RGBA8, 4), result(h, RGBA8));
        for (coverage, mask, part) in [
            (5.0, ALL, 2),
            (5.0, 0xb, 1),
            (15.0, 0, 0),
            (0.0, ALL, 0),
            (31.0, 15, 4),
            (8.0, 8, 1),
            (8.0, 7, 0),
        ] {
            h.record(CommandPath::Deferred, |cx| {
                cx.clear_render_target_view(&samples.target, [0.0; 4]);
                samples.bind(cx);
                quad.bind(cx);
                cx.ps_set_shader(&ps);
                cx.om_set_blend_state(None, [1.0; 4], mask);
                quad.set(cx, [coverage, 1.0, 0.0, 0.0], Quad::ALL, 0.0);
                cx.draw(4, 0);
                cx.resolve_subresource(&result, 0, &samples.texture, 0, RGBA8);
            });
            let expected = [0, 0x4040_4040, 0x8080_8080, 0xbfbf_bfbf, ALL][part];
            assert_all(&h.read_u32(&result, 0), expected, &format!("{coverage} and {mask:#x}"));
        }
    });
}

/// Tries each mask bit with each sample count in consecutive draws that differ only in the mask.
#[test]
fn a_sample_mask_chooses_the_samples_that_are_written() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        for count in counts(h, RGBA8) {
            let samples = Samples::new(h, RGBA8, count);
            h.record(CommandPath::Deferred, |cx| {
                cx.clear_render_target_view(&samples.target, [0.0; 4]);
                samples.bind(cx);
                for sample in 0..count {
                    cx.om_set_blend_state(None, [1.0; 4], 1 << sample);
                    quad.draw(cx, [(sample + 1) as f32 / 255.0, 0.0, 0.0, 0.0]);
                }
            });
            let found = samples.read(h);
            assert!(found.iter().enumerate().all(|(at, texel)| *texel == at as u32 % count + 1), "{found:?}");
        }
    });
}

/// The mask selects sample 0 for every count, so the pipelines differ only in the sample count.
#[test]
fn one_sample_mask_applies_to_every_sample_count() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let several: Vec<_> = counts(h, RGBA8).map(|count| Samples::new(h, RGBA8, count)).collect();
        let one = Target::new(&h.device, SIZE, SIZE);
        h.record(CommandPath::Deferred, |cx| {
            cx.clear_render_target_view(&one.view, [0.0; 4]);
            cx.om_set_blend_state(None, [1.0; 4], 1);
            one.bind(cx);
            quad.draw(cx, WHITE);
            for samples in &several {
                cx.clear_render_target_view(&samples.target, [0.0; 4]);
                samples.bind(cx);
                quad.draw(cx, WHITE);
            }
        });
        assert_all(&one.read(h), ALL, "one sample");
        for samples in several {
            let found = samples.read(h);
            let expected = |at: usize| if (at as u32).is_multiple_of(samples.count) { ALL } else { 0 };
            assert!(found.iter().enumerate().all(|(at, texel)| *texel == expected(at)), "{found:?}");
        }
    });
}

const COUNTED: &str = "
    override render_target_sample_count: u32 = 1;
    @fragment fn main() -> @location(0) vec4f { return vec4f(f32(render_target_sample_count) / 255.0); }
";

/// Consecutive draws with the same shader differ only in their targets.
#[test]
fn shaders_read_the_sample_count_of_their_targets() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(COUNTED, "main")).unwrap();
        let several: Vec<_> = counts(h, RGBA8).map(|count| Samples::new(h, RGBA8, count)).collect();
        let one = Target::new(&h.device, SIZE, SIZE);
        h.record(CommandPath::Deferred, |cx| {
            quad.bind(cx);
            cx.ps_set_shader(&ps);
            quad.set(cx, WHITE, Quad::ALL, 0.0);
            one.bind(cx);
            cx.draw(4, 0);
            for samples in &several {
                samples.bind(cx);
                cx.draw(4, 0);
            }
        });
        assert_all(&one.read(h), 0x0101_0101, "one sample");
        for samples in several {
            assert_all(&samples.read(h), 0x0101_0101 * samples.count, "several samples");
        }
    });
}

/// On single-sample targets, only bit 0 of the mask decides whether a pixel is written.
#[test]
fn masks_without_bit_0_skip_single_sample_targets() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let quad = Quad::new(&h.device);
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(MASKED, "main")).unwrap();
        let target = Target::new(&h.device, SIZE, SIZE);
        for (coverage, mask) in [(1.0, ALL), (1.0, 2), (2.0, ALL), (3.0, 1), (0.0, 1), (255.0, 0xfe)] {
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                target.bind(cx);
                quad.bind(cx);
                cx.ps_set_shader(&ps);
                cx.om_set_blend_state(None, [1.0; 4], mask);
                quad.set(cx, [coverage, 1.0, 0.0, 0.0], Quad::ALL, 0.0);
                cx.draw(4, 0);
            });
            let is_drawn = coverage as u32 & mask & 1 != 0;
            assert_all(&target.read(h), if is_drawn { ALL } else { 0 }, &format!("{coverage}, {mask:#x}"));
        }
    });
}

/// A coverage output also works together with a colour output that has no alpha.
#[test]
fn a_coverage_output_works_with_a_two_component_colour() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let target = Samples::new(h, Format::R8G8_UNORM, 1);
        for mask in [1, 2] {
            let source = format!(
                "struct Out {{ @location(0) color: vec2f, @builtin(sample_mask) mask: u32 }}
                @fragment fn main() -> Out {{ return Out(vec2f(1.0), {mask}u); }}"
            );
            let ps = h.device.create_pixel_shader(ShaderSource::wgsl(&source, "main")).unwrap();
            h.record(CommandPath::Deferred, |cx| {
                cx.clear_render_target_view(&target.target, [0.0; 4]);
                target.bind(cx);
                quad.bind(cx);
                cx.ps_set_shader(&ps);
                quad.set(cx, WHITE, Quad::ALL, 0.0);
                cx.draw(4, 0);
            });
            let expected = if mask == 1 { 255 } else { 0 };
            let bytes = h.read(&target.texture, 0);
            assert!(bytes.iter().all(|byte| *byte == expected), "mask {mask}: {bytes:?}");
        }
    });
}

/// A shader that writes through views runs even if no sample is written.
#[test]
fn an_empty_sample_mask_keeps_unordered_access_writes() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let source = "@group(3) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
            @fragment fn main() -> @location(0) vec4f { atomicAdd(&counts[0], 1u); return vec4f(1.0); }";
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(source, "main")).unwrap();
        let target = Target::new(&h.device, SIZE, SIZE);
        let desc = BufferDesc::structured(4, 1, BindFlags::UNORDERED_ACCESS);
        let counts = h.device.create_buffer(&desc, None).unwrap();
        let written = counts.create_unordered_access_view().unwrap();
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIZE, SIZE);
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let view = h.device.create_depth_stencil_view(&depth, None).unwrap();
        h.record(CommandPath::Deferred, |cx| {
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 1.0, 0);
            quad.bind(cx);
            cx.ps_set_shader(&ps);
            cx.rs_set_viewports(target.viewport());
            cx.om_set_render_targets_and_unordered_access_views(&target.view, &view, 1, &written, &[]);
            cx.om_set_blend_state(None, [1.0; 4], 0);
            quad.set(cx, WHITE, Quad::ALL, 0.5);
            cx.draw(4, 0);
        });
        assert_all(&target.read(h), 0, "no sample is written");
        assert_eq!(h.immediate.read_buffer::<u32>(&counts).unwrap(), [SIZE * SIZE]);
        assert!(h.read_u32(&depth, 0).iter().all(|depth| f32::from_bits(*depth) == 1.0), "nor any depth");
    });
}

fn alpha_to_coverage(device: &Device) -> BlendState {
    let desc = BlendDesc { alpha_to_coverage_enable: true, ..Default::default() };
    device.create_blend_state(&desc).unwrap()
}

/// Zero alpha covers no sample, full alpha covers all samples, and a larger alpha never covers fewer samples.
/// With one sample, or a first target without alpha, the exact threshold is known.
#[test]
fn alpha_to_coverage_covers_more_samples_as_alpha_grows() {
    on_each(&gpu_matrix(), |h| {
        let (quad, covers) = (Quad::new(&h.device), alpha_to_coverage(&h.device));
        for (format, exact) in [(RGBA8, false), (Format::R8_UNORM, true)] {
            for count in std::iter::once(1).chain(counts(h, format)) {
                let samples = Samples::new(h, format, count);
                let mut before = 0;
                for step in 0..=16 {
                    let alpha = step as f32 / 16.0;
                    h.record(CommandPath::Deferred, |cx| {
                        cx.clear_render_target_view(&samples.target, [0.0; 4]);
                        samples.bind(cx);
                        cx.om_set_blend_state(&covers, [1.0; 4], ALL);
                        quad.draw(cx, [1.0, 1.0, 1.0, alpha]);
                    });
                    let texels = if count == 1 {
                        h.read(&samples.texture, 0)
                            .chunks_exact(if exact { 1 } else { 4 })
                            .map(|t| t[0].into())
                            .collect()
                    } else {
                        samples.read(h)
                    };
                    let drawn = texels.iter().filter(|texel| **texel & 0xff == 0xff).count() as u32;
                    let what = format!("{format:?}, {count} samples, alpha {alpha}: {drawn}");
                    assert!(drawn >= before, "{what} after {before}");
                    before = drawn;
                    match step {
                        0 => assert_eq!(drawn, 0, "{what}"),
                        16 => assert_eq!(drawn, SIZE * SIZE * count, "{what}"),
                        _ if exact || count == 1 => {
                            let covered = (alpha * count as f32 + 0.5) as u32;
                            assert_eq!(drawn, SIZE * SIZE * covered, "{what}");
                        }
                        _ => {}
                    }
                }
            }
        }
    });
}

/// With alpha to coverage, the output merger's mask still removes samples, but a coverage output replaces the
/// alpha coverage.
#[test]
fn alpha_to_coverage_combines_with_the_masks() {
    on_each(&gpu_matrix(), |h| {
        let (quad, covers) = (Quad::new(&h.device), alpha_to_coverage(&h.device));
        let masked = h.device.create_pixel_shader(ShaderSource::wgsl(MASKED, "main")).unwrap();
        let samples = Samples::new(h, RGBA8, 4);
        // Each row has the alpha, the coverage output, the output merger's sample mask and the expected
        // samples.
        for (alpha, coverage, mask, drawn) in [
            (1.0, None, 0b0110, 0b0110),
            (0.0, None, ALL, 0),
            (0.0, Some(0b1010), ALL, 0b1010),
            (0.0, Some(0b1010), 0b0011, 0b0010),
            (1.0, Some(0b0001), ALL, 0b0001),
        ] {
            h.record(CommandPath::Nested, |cx| {
                cx.clear_render_target_view(&samples.target, [0.0; 4]);
                samples.bind(cx);
                quad.bind(cx);
                if coverage.is_some() {
                    cx.ps_set_shader(&masked);
                }
                cx.om_set_blend_state(&covers, [1.0; 4], mask);
                let color = coverage.map_or([1.0, 1.0, 1.0, alpha], |c: u32| [c as f32, alpha, 0.0, 0.0]);
                quad.set(cx, color, Quad::ALL, 0.0);
                cx.draw(4, 0);
            });
            for texel in samples.read(h).chunks_exact(4) {
                let found = (0..4).filter(|at| texel[*at] & 0xff == 0xff).fold(0, |mask, at| mask | 1 << at);
                assert_eq!(found, drawn, "{alpha} {coverage:?} {mask:#b}");
            }
        }
    });
}

/// The pixel shader's alpha decides which depth samples are written, for example in shadows of leaves.
#[test]
fn alpha_to_coverage_works_without_a_colour_target() {
    on_each(&gpu_matrix(), |h| {
        let (quad, covers) = (Quad::new(&h.device), alpha_to_coverage(&h.device));
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIZE, SIZE);
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let view = h.device.create_depth_stencil_view(&depth, None).unwrap();
        for alpha in [0.25, 0.75] {
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 1.0, 0);
                cx.om_set_render_targets(None, &view);
                cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
                cx.om_set_blend_state(&covers, [1.0; 4], ALL);
                quad.draw_at(cx, [1.0, 1.0, 1.0, alpha], Quad::ALL, 0.5);
            });
            let expected: f32 = if alpha < 0.5 { 1.0 } else { 0.5 };
            let depths = h.read_u32(&depth, 0);
            assert!(depths.iter().all(|depth| *depth == expected.to_bits()), "{alpha}: {depths:x?}");
        }
    });
}

/// The pixel shader's input is evaluated at each sample.
#[test]
fn sample_interpolation_shades_each_sample() {
    let source = "
        struct Varying { @builtin(position) position: vec4f, @location(0) @interpolate(linear, sample) x: f32 }
        @vertex fn vs(@builtin(vertex_index) index: u32) -> Varying {
            let at = vec2f(f32(index & 2u) - 1.0, f32(index & 1u) * 2.0 - 1.0);
            return Varying(vec4f(at, 0.0, 1.0), at.x);
        }
        @fragment fn by_sample(in: Varying) -> @location(0) vec4f { return vec4f(in.x * 0.5 + 0.5); }";
    on_each(&gpu_matrix(), |h| {
        let samples = Samples::new(h, RGBA8, 4);
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(source, "vs")).unwrap();
        let by_sample = h.device.create_pixel_shader(ShaderSource::wgsl(source, "by_sample")).unwrap();
        h.record(CommandPath::Deferred, |cx| {
            samples.bind(cx);
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&by_sample);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
            cx.draw(4, 0);
        });
        for (at, texel) in samples.read(h).chunks_exact(4).enumerate() {
            let x = (at as u32 % SIZE) as f32;
            let places = texel.iter().map(|value| f32::from(*value as u8) / 255.0 * SIZE as f32 - x);
            let places: Vec<_> = places.collect();
            assert!(places.iter().all(|place| (-0.01..1.01).contains(place)), "{places:?}");
            let differ = places.iter().any(|place| (place - places[0]).abs() > 0.05);
            assert!(differ, "all samples of texel {at} lie at {places:?}");
        }
    });
}

/// A pixel that is half covered by an edge gets half of the colour.
#[test]
fn edges_are_smooth_with_4_samples() {
    on_each(&[Config::GPU], |h| {
        let quad = Quad::new(&h.device);
        let (samples, result) = (Samples::new(h, RGBA8, 4), result(h, RGBA8));
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&samples.target, [0.0; 4]);
            samples.bind(cx);
            // The edge runs through the middle of the third column of pixels.
            quad.draw_at(cx, WHITE, [-1.0, -1.0, 0.25, 1.0], 0.0);
            cx.resolve_subresource(&result, 0, &samples.texture, 0, RGBA8);
        });
        let texels = h.read_u32(&result, 0);
        for row in texels.chunks_exact(SIZE as usize) {
            assert_eq!((row[0], row[1], row[3]), (ALL, ALL, 0));
            assert!(is_close(row[2], 0x8080_8080, 1), "half of the samples: {:#x}", row[2]);
        }
    });
}
