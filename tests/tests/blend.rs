//! The colour output of the output merger: blending, write masks, the sample mask and multiple targets.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Features, prelude::*};
use onze_tests::{
    CommandPath, Config, Harness, Quad, Target,
    drawing::{assert_all, assert_texel, is_close},
    gpu_matrix, on_each,
    shapes::{BLACK, WHITE, expect},
};

const ALL: u32 = u32::MAX;

fn blend(device: &Device, desc: RenderTargetBlendDesc) -> BlendState {
    device.create_blend_state(&BlendDesc::all(desc)).unwrap()
}

/// Returns a description that uses the same factors and operation for colour and alpha.
fn both(src: Blend, dest: Blend, op: BlendOp) -> RenderTargetBlendDesc {
    RenderTargetBlendDesc {
        blend_enable: true,
        src_blend: src,
        dest_blend: dest,
        blend_op: op,
        src_blend_alpha: of_alpha(src),
        dest_blend_alpha: of_alpha(dest),
        blend_op_alpha: op,
        ..Default::default()
    }
}

/// Returns the factor that alpha uses in place of a colour factor, because alpha factors cannot be colours.
fn of_alpha(blend: Blend) -> Blend {
    match blend {
        Blend::SrcColor => Blend::SrcAlpha,
        Blend::InvSrcColor => Blend::InvSrcAlpha,
        Blend::DestColor => Blend::DestAlpha,
        Blend::InvDestColor => Blend::InvDestAlpha,
        other => other,
    }
}

const FACTORS: [Blend; 13] = [
    Blend::Zero,
    Blend::One,
    Blend::SrcColor,
    Blend::InvSrcColor,
    Blend::SrcAlpha,
    Blend::InvSrcAlpha,
    Blend::DestAlpha,
    Blend::InvDestAlpha,
    Blend::DestColor,
    Blend::InvDestColor,
    Blend::SrcAlphaSat,
    Blend::BlendFactor,
    Blend::InvBlendFactor,
];
const OPS: [BlendOp; 5] = [BlendOp::Add, BlendOp::Subtract, BlendOp::RevSubtract, BlendOp::Min, BlendOp::Max];

const SRC: [f32; 4] = [0.8, 0.3, 0.1, 0.6];
const DEST: [f32; 4] = [0.2, 0.5, 0.9, 0.7];
const FACTOR: [f32; 4] = [0.4, 0.25, 0.75, 0.55];

fn factor(blend: Blend, channel: usize, src: [f32; 4], dest: [f32; 4], constant: [f32; 4]) -> f32 {
    match blend {
        Blend::Zero => 0.0,
        Blend::SrcColor => src[channel],
        Blend::InvSrcColor => 1.0 - src[channel],
        Blend::SrcAlpha => src[3],
        Blend::InvSrcAlpha => 1.0 - src[3],
        Blend::DestAlpha => dest[3],
        Blend::InvDestAlpha => 1.0 - dest[3],
        Blend::DestColor => dest[channel],
        Blend::InvDestColor => 1.0 - dest[channel],
        Blend::SrcAlphaSat if channel < 3 => src[3].min(1.0 - dest[3]),
        Blend::BlendFactor => constant[channel],
        Blend::InvBlendFactor => 1.0 - constant[channel],
        _ => 1.0,
    }
}

/// Returns the word of an R8G8B8A8_UNORM texel after `src` is drawn on `dest`.
fn blended(desc: &RenderTargetBlendDesc, src: [f32; 4], dest: [f32; 4], constant: [f32; 4]) -> u32 {
    let channel = |c: usize| {
        let (s, d, op) = if c < 3 {
            (desc.src_blend, desc.dest_blend, desc.blend_op)
        } else {
            (desc.src_blend_alpha, desc.dest_blend_alpha, desc.blend_op_alpha)
        };
        let s = src[c] * factor(s, c, src, dest, constant);
        let d = dest[c] * factor(d, c, src, dest, constant);
        match op {
            BlendOp::Add => s + d,
            BlendOp::Subtract => s - d,
            BlendOp::RevSubtract => d - s,
            BlendOp::Min => src[c].min(dest[c]),
            BlendOp::Max => src[c].max(dest[c]),
        }
    };
    pack([0, 1, 2, 3].map(channel))
}

fn pack(color: [f32; 4]) -> u32 {
    u32::from_le_bytes(color.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8))
}

/// Tests each factor as source and as destination factor, with each operation, in one texel per combination,
/// although `Min` and `Max` ignore their factors.
#[test]
fn factors_and_operation_combine_source_and_destination() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 13, 3), Quad::new(&h.device));
        for op in OPS {
            let pairs = (0..13).flat_map(|n| {
                let (one, other) = (FACTORS[n], FACTORS[(n + 5) % 13]);
                // `Add` is tested with each factor alone, as source and as destination factor, and all
                // operations with pairs.
                let alone = [(one, Blend::Zero), (Blend::Zero, one)];
                alone.into_iter().filter(move |_| op == BlendOp::Add).chain([(one, other)])
            });
            let states: Vec<_> = pairs
                .map(|(src, dest)| both(src, dest, op))
                .map(|desc| (desc, blend(&h.device, desc)))
                .collect();
            let draw = |cx: &mut DeviceContext| {
                cx.clear_render_target_view(&target.view, DEST);
                quad.bind(cx);
                quad.set(cx, SRC, Quad::ALL, 0.0);
                for (n, (_, state)) in states.iter().enumerate() {
                    let place = ((n % 13) as f32, (n / 13) as f32);
                    cx.rs_set_viewports(Viewport {
                        top_left_x: place.0,
                        top_left_y: place.1,
                        ..Viewport::sized(1.0, 1.0)
                    });
                    cx.om_set_blend_state(state, FACTOR, ALL);
                    cx.draw(4, 0);
                }
            };
            expect(h, &target, &format!("{op:?}"), draw, |x, y| match states.get((y * 13 + x) as usize) {
                Some((desc, _)) => blended(desc, SRC, DEST, FACTOR),
                None => pack(DEST),
            });
        }
    });
}

#[test]
fn alpha_is_combined_apart_from_colour() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        for (color_op, alpha_op) in OPS.into_iter().flat_map(|c| OPS.map(|a| (c, a))) {
            let desc = RenderTargetBlendDesc {
                blend_op: color_op,
                blend_op_alpha: alpha_op,
                src_blend_alpha: Blend::InvDestAlpha,
                dest_blend_alpha: Blend::BlendFactor,
                ..both(Blend::SrcAlpha, Blend::InvSrcColor, color_op)
            };
            let state = blend(&h.device, desc);
            let draw = |cx: &mut DeviceContext| {
                cx.clear_render_target_view(&target.view, DEST);
                cx.om_set_blend_state(&state, FACTOR, ALL);
                quad.draw(cx, SRC);
            };
            let expected = blended(&desc, SRC, DEST, FACTOR);
            expect(h, &target, &format!("{color_op:?}, {alpha_op:?}"), draw, |_, _| expected);
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 8499.
#[test]
fn two_quads_blend_over_a_clear_as_direct3d_11_does_it() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let (low, high) = ([-1.0, -1.0, 1.0, 0.0], [-1.0, 0.0, 1.0, 1.0]);
        let (green, blue) = ([0.0, 1.0, 0.0, 0x40 as f32 / 255.0], [0.0, 0.0, 1.0, 0xc0 as f32 / 255.0]);
        let source = both(Blend::SrcAlpha, Blend::InvSrcAlpha, BlendOp::Add);
        let destination = both(Blend::DestAlpha, Blend::InvDestAlpha, BlendOp::Add);
        let constant = RenderTargetBlendDesc {
            src_blend: Blend::BlendFactor,
            dest_blend: Blend::InvBlendFactor,
            ..destination
        };
        let rows = [
            (source, destination, [1.0; 4], 0x7000_40bf, 0xa080_007f),
            (constant, constant, [0.3, 0.4, 0.8, 0.9], 0x6000_66b3, 0xa0cc_00b3),
        ];
        for (bottom, top, factor, expected_bottom, expected_top) in rows {
            let (bottom, top) = (blend(&h.device, bottom), blend(&h.device, top));
            let draw = |cx: &mut DeviceContext| {
                cx.clear_render_target_view(&target.view, [1.0, 0.0, 0.0, 0.5]);
                cx.om_set_blend_state(&bottom, factor, ALL);
                quad.draw_at(cx, green, low, 0.0);
                cx.om_set_blend_state(&top, factor, ALL);
                quad.draw_at(cx, blue, high, 0.0);
            };
            expect(h, &target, &format!("factor {factor:?}"), draw, |_, y| {
                if y < 4 { expected_top } else { expected_bottom }
            });
        }
    });
}

#[test]
fn without_a_blend_state_the_source_replaces_the_destination() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        let state = blend(&h.device, both(Blend::Zero, Blend::One, BlendOp::Add));
        let draw = |cx: &mut DeviceContext| {
            cx.om_set_blend_state(&state, [1.0; 4], ALL);
            cx.om_set_blend_state(None, [0.0; 4], ALL);
            quad.draw(cx, SRC);
        };
        expect(h, &target, "none", draw, |_, _| pack(SRC));
    });
}

#[test]
fn a_blend_factor_is_in_effect_from_one_draw_to_the_next() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 16, 1), Quad::new(&h.device));
        let state = blend(&h.device, both(Blend::BlendFactor, Blend::Zero, BlendOp::Add));
        let factor = |x: u32| [x as f32 / 15.0, 1.0 - x as f32 / 15.0, 0.5, 1.0];
        let draw = |cx: &mut DeviceContext| {
            quad.bind(cx);
            quad.set(cx, [1.0; 4], Quad::ALL, 0.0);
            for x in 0..16 {
                cx.rs_set_viewports(Viewport { top_left_x: x as f32, ..Viewport::sized(1.0, 1.0) });
                cx.om_set_blend_state(&state, factor(x), ALL);
                cx.draw(4, 0);
            }
        };
        expect(h, &target, "factors", draw, |x, _| pack(factor(x)));
    });
}

#[test]
fn a_normalised_target_clamps_the_source_before_blending() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        let add = blend(&h.device, both(Blend::One, Blend::One, BlendOp::Add));
        let subtract = blend(&h.device, both(Blend::One, Blend::One, BlendOp::RevSubtract));
        let (half, quarter) = ([0.5; 4], [0.25; 4]);
        for (state, color, expected) in [
            (&add, [3.0, -2.0, 0.5, 0.25], [1.0, 0.5, 1.0, 0.75]),
            (&subtract, [3.0, -2.0, 0.25, 0.5], [0.0, 0.5, 0.25, 0.0]),
        ] {
            let draw = |cx: &mut DeviceContext| {
                cx.clear_render_target_view(&target.view, half);
                cx.om_set_blend_state(state, quarter, ALL);
                quad.draw(cx, color);
            };
            expect(h, &target, &format!("{color:?}"), draw, |_, _| pack(expected));
        }
    });
}

#[test]
fn a_float_target_is_blended_without_a_clamp() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::with_format(&h.device, Format::R16G16B16A16_FLOAT, 2, 2);
        let quad = Quad::new(&h.device);
        let add = blend(&h.device, both(Blend::One, Blend::One, BlendOp::Add));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&target.view, [2.0, 1.0, -1.0, 0.5]);
                target.bind(cx);
                cx.om_set_blend_state(&add, [1.0; 4], ALL);
                quad.draw(cx, [3.0, -2.0, -3.0, 4.0]);
            });
            // 5, -1, -4 and 4.5 as half-precision floats.
            let expected = [0x00, 0x45, 0x00, 0xbc, 0x00, 0xc4, 0x80, 0x44].repeat(4);
            assert_eq!(h.read(&target.texture, 0), expected, "{how:?}");
        }
    });
}

/// White blended over black with weight 0.5 has half of white's linear intensity, so the stored value is
/// above 50 %.
#[test]
fn an_srgb_target_is_blended_in_linear_space() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::with_format(&h.device, Format::R8G8B8A8_UNORM_SRGB, 4, 4);
        let quad = Quad::new(&h.device);
        let state = blend(&h.device, RenderTargetBlendDesc::alpha());
        let draw = |cx: &mut DeviceContext| {
            cx.om_set_blend_state(&state, [1.0; 4], ALL);
            quad.draw(cx, [1.0, 1.0, 1.0, 0.5]);
        };
        expect(h, &target, "half", draw, |_, _| 0xffbc_bcbc);
    });
}

const EIGHT: &str = "
    struct Constants { color: vec4<f32> }
    @group(0) @binding(0) var<uniform> constants: Constants;

    struct Colors {
        @location(0) a: vec4<f32>, @location(1) b: vec4<f32>, @location(2) c: vec4<f32>,
        @location(3) d: vec4<f32>, @location(4) e: vec4<f32>, @location(5) f: vec4<f32>,
        @location(6) g: vec4<f32>, @location(7) h: vec4<f32>,
    }

    @fragment
    fn ps_main() -> Colors {
        let color = constants.color;
        return Colors(color, color, color, color, color, color, color, color);
    }

    struct Two { @location(0) a: vec4<f32>, @location(2) c: vec4<f32> }

    @fragment
    fn ps_two() -> Two {
        return Two(constants.color, constants.color.wzyx);
    }

    @fragment
    fn ps_none() {}
";

struct Targets {
    targets: Vec<Target>,
    quad: Quad,
}

impl Targets {
    fn new(h: &Harness, count: u32) -> Self {
        let targets = (0..count).map(|_| Target::new(&h.device, 4, 4)).collect();
        Self { targets, quad: Quad::new(&h.device) }
    }

    fn bind(&self, cx: &mut DeviceContext, color: [f32; 4]) {
        let views: Vec<_> = self.targets.iter().map(|t| Some(&t.view)).collect();
        self.targets.iter().for_each(|t| cx.clear_render_target_view(&t.view, color));
        cx.om_set_render_targets(&views[..], None);
        cx.rs_set_viewports(self.targets[0].viewport());
    }

    fn draw(&self, cx: &mut DeviceContext, ps: &PixelShader, color: [f32; 4]) {
        self.quad.bind(cx);
        cx.ps_set_shader(ps);
        self.quad.set(cx, color, Quad::ALL, 0.0);
        cx.draw(4, 0);
    }

    fn check(&self, h: &mut Harness, what: &str, expected: &[u32]) {
        for (n, (target, expected)) in self.targets.iter().zip(expected).enumerate() {
            assert_all(&target.read(h), *expected, &format!("{what}, target {n}"));
        }
    }
}

fn shader(h: &Harness, entry: &str) -> PixelShader {
    h.device.create_pixel_shader(ShaderSource::wgsl(EIGHT, entry)).unwrap()
}

/// See Wine 10.0, d3d11 tests, line 32797.
#[test]
fn each_target_has_its_write_mask_only_if_independent() {
    on_each(&gpu_matrix(), |h| {
        let (targets, ps) = (Targets::new(h, 8), shader(h, "ps_main"));
        use ColorWrite as C;
        let masks =
            [C::RED, C::GREEN, C::BLUE, C::ALL, C::ALPHA, C::RED | C::GREEN, C::GREEN | C::ALPHA, C::empty()];
        let each = [
            0xff00_0080,
            0xff00_80ff,
            0xff80_00ff,
            0x8080_8080,
            0x8000_00ff,
            0xff00_8080,
            0x8000_80ff,
            0xff00_00ff,
        ];
        let of = |mask| RenderTargetBlendDesc { render_target_write_mask: mask, ..Default::default() };
        for independent in [true, false] {
            let desc = BlendDesc {
                independent_blend_enable: independent,
                render_target: masks.map(of),
                ..Default::default()
            };
            let state = h.device.create_blend_state(&desc).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    targets.bind(cx, [1.0, 0.0, 0.0, 1.0]);
                    cx.om_set_blend_state(&state, [1.0; 4], ALL);
                    targets.draw(cx, &ps, [0.5; 4]);
                });
                let expected = if independent { each } else { [each[0]; 8] };
                targets.check(h, &format!("independent {independent}, {how:?}"), &expected);
            }
        }
    });
}

#[test]
fn a_write_mask_keeps_the_channels_that_it_leaves_out() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let (target, quad) = (Target::new(&h.device, 16, 1), Quad::new(&h.device));
        let states: Vec<_> = (0..16)
            .map(|bits| {
                let mask = ColorWrite::from_bits_retain(bits);
                let of = |desc| RenderTargetBlendDesc { render_target_write_mask: mask, ..desc };
                (
                    blend(&h.device, of(Default::default())),
                    blend(&h.device, of(RenderTargetBlendDesc::alpha())),
                )
            })
            .collect();
        for blended_too in [false, true] {
            let draw = |cx: &mut DeviceContext| {
                cx.clear_render_target_view(&target.view, DEST);
                for (n, (plain, blending)) in states.iter().enumerate() {
                    cx.rs_set_viewports(Viewport { top_left_x: n as f32, ..Viewport::sized(1.0, 1.0) });
                    cx.om_set_blend_state(if blended_too { blending } else { plain }, [1.0; 4], ALL);
                    quad.draw(cx, SRC);
                }
            };
            let source = if blended_too {
                blended(&RenderTargetBlendDesc::alpha(), SRC, DEST, [1.0; 4])
            } else {
                pack(SRC)
            };
            expect(h, &target, &format!("blending {blended_too}"), draw, |x, _| {
                let mask =
                    (0..4).filter(|bit| x >> bit & 1 == 1).fold(0, |mask, bit| mask | 0xff << (8 * bit));
                source & mask | pack(DEST) & !mask
            });
        }
    });
}

#[test]
fn each_target_is_blended_by_itself_only_if_independent() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawRenderTargetNotSet]);
        let (targets, ps) = (Targets::new(h, 4), shader(h, "ps_main"));
        let mut desc = BlendDesc { independent_blend_enable: true, ..Default::default() };
        desc.render_target[0] = both(Blend::SrcAlpha, Blend::InvSrcAlpha, BlendOp::Add);
        desc.render_target[2] = both(Blend::One, Blend::One, BlendOp::Max);
        desc.render_target[3] = both(Blend::BlendFactor, Blend::One, BlendOp::RevSubtract);
        for independent in [true, false] {
            let desc = BlendDesc { independent_blend_enable: independent, ..desc };
            let state = h.device.create_blend_state(&desc).unwrap();
            let expected = [0, 1, 2, 3].map(|n| {
                let target = desc.render_target[if independent { n } else { 0 }];
                if target.blend_enable { blended(&target, SRC, DEST, FACTOR) } else { pack(SRC) }
            });
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    targets.bind(cx, DEST);
                    cx.om_set_blend_state(&state, FACTOR, ALL);
                    targets.draw(cx, &ps, SRC);
                });
                targets.check(h, &format!("independent {independent}, {how:?}"), &expected);
            }
        }
    });
}

#[test]
fn outputs_go_to_the_targets_of_their_slots() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten, MessageId::DrawRenderTargetNotSet]);
        let (targets, eight) = (Targets::new(h, 4), shader(h, "ps_main"));
        let (two, none) = (shader(h, "ps_two"), shader(h, "ps_none"));
        let (clear, color, swapped) = (pack(DEST), pack(SRC), pack([SRC[3], SRC[2], SRC[1], SRC[0]]));
        for how in CommandPath::ALL {
            // Targets without a shader output keep their contents, and outputs without a target are dropped.
            for (ps, expected) in
                [(&two, [color, clear, swapped, clear]), (&none, [clear; 4]), (&eight, [color; 4])]
            {
                h.record(how, |cx| {
                    targets.bind(cx, DEST);
                    targets.draw(cx, ps, SRC);
                });
                targets.check(h, &format!("{how:?}"), &expected);
            }
            h.record(how, |cx| {
                targets.bind(cx, DEST);
                let views = [None, Some(&targets.targets[1].view), None, Some(&targets.targets[3].view)];
                cx.om_set_render_targets(&views[..], None);
                targets.draw(cx, &eight, SRC);
            });
            targets.check(h, &format!("gaps, {how:?}"), &[clear, color, clear, color]);
            h.record(how, |cx| {
                targets.bind(cx, DEST);
                let views = [None, None, Some(&targets.targets[2].view)];
                cx.om_set_render_targets(&views[..], None);
                targets.draw(cx, &two, SRC);
            });
            targets.check(h, &format!("one behind a gap, {how:?}"), &[clear, clear, swapped, clear]);
        }
    });
}

#[test]
fn targets_of_several_formats_are_written_together() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawRenderTargetNotSet]);
        let d = h.device.clone();
        let formats = [
            Format::R8G8B8A8_UNORM,
            Format::B8G8R8A8_UNORM,
            Format::R8G8B8A8_UNORM_SRGB,
            Format::R16G16B16A16_FLOAT,
            Format::R32_FLOAT,
            Format::R8_UNORM,
        ];
        let all: Vec<_> = formats.iter().map(|format| Target::with_format(&d, *format, 2, 2)).collect();
        let targets = Targets { targets: all, quad: Quad::new(&d) };
        let ps = shader(h, "ps_main");
        let expected: [&[u8]; 6] = [
            &[0x80, 0x33, 0xff, 0x66],
            &[0xff, 0x33, 0x80, 0x66],
            &[0xbc, 0x7c, 0xff, 0x66],
            &[0x00, 0x38, 0x66, 0x32, 0x00, 0x3c, 0x66, 0x36],
            &[0, 0, 0, 0x3f],
            &[0x80],
        ];
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                targets.bind(cx, [0.0; 4]);
                targets.draw(cx, &ps, [0.5, 0.2, 1.0, 0.4]);
            });
            for ((target, expected), format) in targets.targets.iter().zip(expected).zip(formats) {
                let read = h.read(&target.texture, 0);
                let near = read.iter().zip(expected.repeat(4)).all(|(a, e)| a.abs_diff(e) <= 1);
                assert!(near, "{format:?}, {how:?}: {read:x?}, not {expected:x?}");
            }
        }
    });
}

/// Without multisampling, bit 0 of the sample mask controls the only sample and all other bits have no
/// effect.
#[test]
fn a_sample_mask_without_the_targets_sample_writes_nothing() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        for (mask, written) in [(1, true), (0xffff_fffe, false), (0, false), (0x8000_0001, true), (2, false)]
        {
            let draw = |cx: &mut DeviceContext| {
                cx.om_set_blend_state(None, [1.0; 4], mask);
                quad.draw(cx, [1.0; 4]);
            };
            let expected = if written { WHITE } else { BLACK };
            expect(h, &target, &format!("mask {mask:#x}"), draw, |_, _| expected);
        }
    });
}

const DUAL: &str = "
    enable dual_source_blending;

    struct Colors {
        @location(0) @blend_src(0) first: vec4<f32>,
        @location(0) @blend_src(1) second: vec4<f32>,
    }

    @fragment
    fn ps_main() -> Colors {
        return Colors(vec4<f32>(0.5, 0.5, 0.0, 0.5), vec4<f32>(0.0, 0.5, 0.5, 0.0));
    }
";

/// HLSL cannot mark an output as the second source, so the blend state determines whether it is one.
const DUAL_HLSL: &str = "
    void ps_main(out float4 first : SV_Target0, out float4 second : SV_Target1) {
        first = float4(0.5, 0.5, 0, 0.5);
        second = float4(0, 0.5, 0.5, 0);
    }";

/// The same two colours as three-component outputs, with additional outputs that have no target.
const DUAL_AMONG_OTHERS: &str = "
    struct O { float3 first : SV_Target0; float depth : SV_Depth; float3 second : SV_Target1; float4 third : SV_Target2; };
    O ps_main() {
        O o = { float3(0.5, 0.5, 0), 0.5, float3(0, 0.5, 0.5), float4(1, 1, 1, 1) };
        return o;
    }";

/// See Wine 10.0, d3d11 tests, line 33074.
#[test]
fn a_second_output_of_the_shader_can_be_a_factor() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawRenderTargetNotSet]);
        if !h.device.check_feature_support().features.contains(Features::DUAL_SOURCE_BLEND) {
            return;
        }
        let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        let sources = [
            (ShaderSource::wgsl(DUAL, "ps_main"), 0x8080_4000),
            (ShaderSource::hlsl(DUAL_HLSL, "ps_main"), 0x8080_4000),
            // The first output has three components, so its alpha is 1.
            (ShaderSource::hlsl(DUAL_AMONG_OTHERS, "ps_main"), 0xff80_4000),
        ];
        let desc = RenderTargetBlendDesc {
            src_blend_alpha: Blend::One,
            dest_blend_alpha: Blend::Zero,
            ..both(Blend::Src1Color, Blend::Src1Color, BlendOp::Add)
        };
        let state = blend(&h.device, desc);
        for (source, expected) in sources {
            let ps = h.device.create_pixel_shader(source).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&target.view, [0.7, 0.0, 1.0, 1.0]);
                    target.bind(cx);
                    quad.bind(cx);
                    cx.ps_set_shader(&ps);
                    cx.om_set_blend_state(&state, [1.0; 4], ALL);
                    quad.set(cx, [0.0; 4], Quad::ALL, 0.0);
                    cx.draw(4, 0);
                });
                let texels = target.read(h);
                assert!(is_close(texels[0], expected, 1), "{how:?}: {:#x}", texels[0]);
            }
        }
    });
}

/// Binds a shader with two colour outputs, two targets and a blend state, then draws.
fn draw_two(
    cx: &mut DeviceContext,
    targets: [&Target; 2],
    quad: &Quad,
    ps: &PixelShader,
    state: Option<&BlendState>,
) {
    for target in targets {
        cx.clear_render_target_view(&target.view, [0.7, 0.0, 1.0, 1.0]);
    }
    targets[0].bind(cx);
    cx.om_set_render_targets(&[&targets[0].view, &targets[1].view][..], None);
    quad.bind(cx);
    cx.ps_set_shader(ps);
    cx.om_set_blend_state(state, [1.0; 4], ALL);
    quad.set(cx, [0.0; 4], Quad::ALL, 0.0);
    cx.draw(4, 0);
}

#[test]
fn two_outputs_go_to_two_targets_without_factors_of_the_second() {
    on_each(&gpu_matrix(), |h| {
        let (first, second) = (Target::new(&h.device, 4, 4), Target::new(&h.device, 4, 4));
        let quad = Quad::new(&h.device);
        let ps = h.device.create_pixel_shader(ShaderSource::hlsl(DUAL_HLSL, "ps_main")).unwrap();
        let add = blend(&h.device, both(Blend::One, Blend::Zero, BlendOp::Add));
        for state in [None, Some(&add)] {
            for how in CommandPath::ALL {
                h.record(how, |cx| draw_two(cx, [&first, &second], &quad, &ps, state));
                let texels = [first.read(h)[0], second.read(h)[0]];
                assert!(is_close(texels[0], 0x8000_8080, 1), "{how:?}: {texels:x?}");
                assert!(is_close(texels[1], 0x0080_8000, 1), "{how:?}: {texels:x?}");
            }
        }
    });
}

/// Direct3D 11 leaves both cases undefined (functional specification, 17.6).
#[test]
fn two_sources_need_both_outputs_and_one_target() {
    on_each(&[Config::GPU], |h| {
        if !h.has_feature(Features::DUAL_SOURCE_BLEND) {
            return;
        }
        let (first, second) = (Target::new(&h.device, 4, 4), Target::new(&h.device, 4, 4));
        let quad = Quad::new(&h.device);
        let desc = RenderTargetBlendDesc {
            src_blend_alpha: Blend::One,
            dest_blend_alpha: Blend::Zero,
            ..both(Blend::Src1Color, Blend::Src1Color, BlendOp::Add)
        };
        let state = blend(&h.device, desc);
        let two = h.device.create_pixel_shader(ShaderSource::hlsl(DUAL_HLSL, "ps_main")).unwrap();
        draw_two(&mut h.immediate, [&first, &second], &quad, &two, Some(&state));
        let found = first.read(h)[0];
        assert!(is_close(found, 0xffff_00b3, 1), "{found:#x}");
        h.assert_reported(MessageId::DrawDualSourceInvalid);
        let cx = &mut h.immediate;
        first.bind(cx);
        quad.draw(cx, [1.0; 4]);
        let found = first.read(h)[0];
        assert!(is_close(found, 0xffff_00b3, 1), "{found:#x}");
        h.assert_reported(MessageId::DrawDualSourceInvalid);
    });
}

/// Where draws overlap, the later draw covers the earlier draw, even if they are in different lists.
#[test]
fn draws_blend_in_the_order_in_which_they_were_made() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let state = blend(&h.device, RenderTargetBlendDesc::alpha());
        let colors: Vec<[f32; 4]> = (0..64)
            .map(|n| [(n * 37 % 64) as f32 / 63.0, (n * 11 % 64) as f32 / 63.0, (n % 7) as f32 / 6.0, 0.3])
            .collect();
        let mut expected = [0.0, 0.0, 0.0, 1.0];
        for color in &colors {
            for c in 0..3 {
                expected[c] = color[c] * 0.3 + expected[c] * 0.7;
            }
        }
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
                target.bind(cx);
                cx.om_set_blend_state(&state, [1.0; 4], ALL);
                colors.iter().for_each(|color| quad.draw(cx, *color));
            });
            let texels = target.read(h);
            // The tolerance allows for rounding in each step.
            let near = is_close(texels[0], pack(expected), 3);
            assert!(near, "{how:?}: {:#x}, not {:#x}", texels[0], pack(expected));
            assert_texel(&target, &texels, (7, 7), texels[0], "everywhere the same");
        }
    });
}
