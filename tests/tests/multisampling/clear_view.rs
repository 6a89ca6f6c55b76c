//! `clear_view` with rectangles on multisampled targets, which must change all samples inside and none
//! outside.

use onze::{Rect, prelude::*};
use onze_tests::{CommandPath, Config, Quad, gpu_matrix, null_matrix, on_each};

use super::{ALL, RGBA8, SIZE, Samples, WHITE, counts, cover, pack, read_samples, result};

/// Two of these rectangles overlap, and one extends beyond the edge.
const RECTS: [Rect; 3] = [
    Rect { left: 1, top: 0, right: 3, bottom: 2 },
    Rect { left: 2, top: 1, right: 3, bottom: 3 },
    Rect { left: -5, top: 3, right: 1, bottom: 90 },
];

fn is_cleared(x: u32, y: u32) -> bool {
    let (x, y) = (x as i32, y as i32);
    RECTS.iter().any(|r| r.left <= x && x < r.right && r.top <= y && y < r.bottom)
}

/// Returns the expected samples row by row. `of` gets whether a texel was cleared and a sample's index, and
/// returns the sample's value.
fn expected(count: u32, of: impl Fn(bool, u32) -> u32) -> Vec<u32> {
    let mut all = Vec::new();
    for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
        all.extend((0..count).map(|sample| of(is_cleared(x, y), sample)));
    }
    all
}

#[test]
fn clear_view_sets_exactly_the_samples_in_the_rectangles() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let color = [1.0, 0.0, 1.0, 0.0];
        let srgb = Format::R8G8B8A8_UNORM_SRGB;
        for count in counts(h, RGBA8) {
            for (format, view) in [(RGBA8, RGBA8), (Format::R8G8B8A8_TYPELESS, srgb)] {
                let samples = Samples::seen_as(h, format, view, count);
                for how in CommandPath::ALL {
                    h.record(how, |cx| {
                        cx.clear_render_target_view(&samples.target, [0.0, 1.0, 0.0, 1.0]);
                        cover(cx, &samples, &quad, WHITE, 2);
                        cx.clear_view(&samples.target, color, &RECTS);
                    });
                    if format == RGBA8 {
                        let expected = expected(count, |is_cleared, sample| match (is_cleared, sample) {
                            (true, _) => pack(color),
                            (false, 1) => ALL,
                            (false, _) => pack([0.0, 1.0, 0.0, 1.0]),
                        });
                        assert_eq!(samples.read(h), expected, "{count} samples, {how:?}");
                    }
                }
                if view == srgb {
                    // A linear 0.5 is encoded as about 0.74 in sRGB.
                    h.immediate.clear_view(&samples.target, [0.5; 4], &RECTS);
                    let resolved = result(h, RGBA8);
                    h.immediate.resolve_subresource(&resolved, 0, &samples.texture, 0, RGBA8);
                    for (at, texel) in (0..).zip(h.read_u32(&resolved, 0)) {
                        let red = texel & 0xff;
                        let is_half = (0xba..=0xbe).contains(&red);
                        assert_eq!(is_half, is_cleared(at % SIZE, at / SIZE), "{count} samples: {texel:#x}");
                    }
                }
            }
        }
        h.assert_silent();
    });
}

#[test]
fn clear_view_converts_the_colour_for_integer_samples() {
    on_each(&[Config::GPU], |h| {
        for (format, declared, color) in [
            (Format::R8G8B8A8_UINT, "texture_multisampled_2d<u32>", [255.9, 7.0, -3.0, 300.0]),
            (Format::R8G8B8A8_SINT, "texture_multisampled_2d<i32>", [100.9, 7.0, 0.0, f32::NAN]),
        ] {
            for count in counts(h, format) {
                let samples = Samples::new(h, format, count);
                h.immediate.clear_render_target_view(&samples.target, [1.0, 2.0, 3.0, 4.0]);
                h.immediate.clear_view(&samples.target, color, &RECTS);
                let bytes = color.map(|n| n.clamp(0.0, 255.0) as u8);
                let expected = expected(count, |is_cleared, _| {
                    u32::from_le_bytes(if is_cleared { bytes } else { [1, 2, 3, 4] })
                });
                let found = read_samples(h, &samples.texture, 0, count, declared);
                assert_eq!(found, expected, "{format:?} of {count} samples");
            }
        }
        h.assert_silent();
    });
}

/// Draws at smaller and larger depths show the depth of each sample.
#[test]
fn clear_view_clears_depth_samples_in_the_rectangles() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        for (format, seen) in [
            (Format::D32_FLOAT, Format::D32_FLOAT),
            (Format::D16_UNORM, Format::D16_UNORM),
            (Format::R32_TYPELESS, Format::D32_FLOAT),
        ] {
            let depth_counts: Vec<_> = counts(h, seen).collect();
            for count in counts(h, RGBA8).filter(|count| depth_counts.contains(count)) {
                let desc =
                    Texture2dDesc { sample_count: count, ..Texture2dDesc::depth_stencil(format, SIZE, SIZE) };
                let depth = h.device.create_texture_2d(&desc, None).unwrap();
                let view = DepthStencilViewDesc { format: seen, ..Default::default() };
                let view = h.device.create_depth_stencil_view(&depth, Some(&view)).unwrap();
                let samples = Samples::new(h, RGBA8, count);
                for how in CommandPath::ALL {
                    let draw = |cx: &mut DeviceContext, color, mask, depth| {
                        samples.bind(cx);
                        cx.om_set_render_targets(&samples.target, &view);
                        cx.om_set_blend_state(None, [1.0; 4], mask);
                        quad.bind(cx);
                        quad.set(cx, color, Quad::ALL, depth);
                        cx.draw(4, 0);
                    };
                    h.record(how, |cx| {
                        cx.clear_render_target_view(&samples.target, [0.0; 4]);
                        cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 1.0, 0);
                        // Only the second sample gets a small depth.
                        draw(cx, [0.0; 4], 2, 0.125);
                        cx.clear_view(&view, [0.5, 9.0, 9.0, 9.0], &RECTS);
                        draw(cx, WHITE, ALL, 0.75);
                    });
                    let what = format!("{format:?} of {count} samples, {how:?}");
                    let beside = |sample, color| if sample == 1 { 0 } else { color };
                    let behind = expected(count, |is_cleared, n| if is_cleared { 0 } else { beside(n, ALL) });
                    assert_eq!(samples.read(h), behind, "{what}");
                    h.record(how, |cx| draw(cx, [1.0, 0.0, 0.0, 0.0], ALL, 0.25));
                    let front =
                        expected(count, |is_cleared, n| if is_cleared { 255 } else { beside(n, 255) });
                    assert_eq!(samples.read(h), front, "{what}");
                }
            }
        }
        h.assert_silent();
    });
}

#[test]
fn clear_view_clears_every_slice_of_the_view() {
    let mut configs = null_matrix();
    configs.extend(gpu_matrix());
    on_each(&configs, |h| {
        let desc = Texture2dDesc {
            sample_count: 4,
            array_size: 3,
            ..Texture2dDesc::render_target(RGBA8, SIZE, SIZE)
        };
        let Ok(texture) = h.device.create_texture_2d(&desc, None) else {
            h.take_errors();
            return;
        };
        let dimension = RenderTargetViewDimension::Texture2dMsArray { first_array_slice: 1, array_size: 2 };
        let view = RenderTargetViewDesc { dimension: Some(dimension), ..RenderTargetViewDesc::format(RGBA8) };
        let view = h.device.create_render_target_view(&texture, Some(&view)).unwrap();
        let resolved = result(h, RGBA8);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&view, [0.0; 4]);
                cx.clear_view(&view, WHITE, &RECTS);
            });
            for slice in 0..3 {
                h.immediate.resolve_subresource(&resolved, 0, &texture, slice, RGBA8);
                if h.draws() {
                    let expected = expected(1, |is_cleared, _| if is_cleared && slice > 0 { ALL } else { 0 });
                    assert_eq!(h.read_u32(&resolved, 0), expected, "slice {slice}, {how:?}");
                }
            }
        }
        h.assert_silent();
    });
}
