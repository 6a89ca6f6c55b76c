//! The depth and stencil tests of the output merger, with a model that predicts the result of each stencil
//! cell.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{FormatSupport, prelude::*};
use onze_tests::{
    CommandPath, DepthScene, Harness, Quad, Target,
    drawing::assert_all,
    gpu_matrix, on_each,
    shapes::{BLACK, COMPARISONS, GREEN, RED, WHITE, expect, passes},
};

const WHITE_F: [f32; 4] = [1.0; 4];

fn state(h: &Harness, desc: DepthStencilDesc) -> DepthStencilState {
    h.device.create_depth_stencil_state(&desc).unwrap()
}

fn is_near(a: f32, b: f32) -> bool {
    (a - b).abs() < 2e-5
}

const DEPTH_FORMATS: [Format; 4] =
    [Format::D16_UNORM, Format::D24_UNORM_S8_UINT, Format::D32_FLOAT, Format::D32_FLOAT_S8X24_UINT];

/// Compares a lower, an equal and a higher depth with each function, with and without depth writes.
#[test]
fn the_depth_test_compares_new_with_old_and_writes_if_enabled() {
    on_each(&gpu_matrix(), |h| {
        for format in DEPTH_FORMATS {
            if !h.has_format(format, FormatSupport::DEPTH_STENCIL) {
                continue;
            }
            let scene = DepthScene::new(h, format, 8, 6);
            let depths = [0.25, 0.5, 0.75];
            let cells: Vec<_> = [true, false]
                .into_iter()
                .flat_map(|write| depths.map(|z| (write, z)))
                .flat_map(|(write, z)| COMPARISONS.map(|func| (write, z, func)))
                .collect();
            let states: Vec<_> = cells
                .iter()
                .map(|(depth_write, _, depth_func)| {
                    let (depth_write, depth_func) = (*depth_write, *depth_func);
                    state(h, DepthStencilDesc { depth_write, depth_func, ..Default::default() })
                })
                .collect();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    scene.begin(cx, 0.5, 0);
                    for (n, ((_, z, _), state)) in (0..).zip(cells.iter().zip(&states)) {
                        cx.om_set_depth_stencil_state(state, 0);
                        scene.cell(cx, n, *z, WHITE_F);
                    }
                });
                let (texels, depths) = (scene.target.read(h), scene.read(h));
                for (n, (write, z, func)) in cells.iter().enumerate() {
                    let passes = passes(*func, *z, 0.5);
                    let row = format!("{format:?}, {how:?}, {func:?} {z}, write {write}");
                    assert_eq!(texels[n], if passes { WHITE } else { BLACK }, "{row}");
                    let expected = if passes && *write { *z } else { 0.5 };
                    assert!(is_near(depths[n].0, expected), "{row}: {}, not {expected}", depths[n].0);
                }
            }
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 17047.
#[test]
fn without_a_state_nearer_pixels_win_and_write_depth() {
    on_each(&gpu_matrix(), |h| {
        let scene = DepthScene::new(h, Format::D32_FLOAT, 4, 4);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.begin(cx, 0.5, 0);
                scene.quad.draw_at(cx, [0.0, 1.0, 0.0, 1.0], Quad::ALL, 0.4);
                scene.quad.draw_at(cx, WHITE_F, Quad::ALL, 0.4);
                scene.quad.draw_at(cx, WHITE_F, Quad::ALL, 0.6);
            });
            assert_all(&scene.target.read(h), GREEN, &format!("{how:?}"));
            assert!(scene.read(h).iter().all(|(depth, _)| is_near(*depth, 0.4)), "{how:?}");
        }
    });
}

#[test]
fn disabled_depth_neither_tests_nor_writes() {
    on_each(&gpu_matrix(), |h| {
        let scene = DepthScene::new(h, Format::D32_FLOAT, 4, 4);
        for depth_func in [ComparisonFunc::Never, ComparisonFunc::Less] {
            let off = DepthStencilDesc { depth_enable: false, depth_func, ..Default::default() };
            let off = state(h, off);
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    scene.begin(cx, 0.5, 0);
                    cx.om_set_depth_stencil_state(&off, 0);
                    scene.quad.draw_at(cx, WHITE_F, Quad::ALL, 0.9);
                });
                assert_all(&scene.target.read(h), WHITE, &format!("{depth_func:?}, {how:?}"));
                assert!(scene.read(h).iter().all(|(depth, _)| *depth == 0.5), "{depth_func:?}, {how:?}");
            }
        }
    });
}

#[test]
fn without_a_depth_target_both_tests_pass() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        let never = DepthStencilOpDesc { stencil_func: ComparisonFunc::Never, ..Default::default() };
        let desc = DepthStencilDesc {
            depth_func: ComparisonFunc::Never,
            stencil_enable: true,
            front_face: never,
            back_face: never,
            ..Default::default()
        };
        let never = state(h, desc);
        let draw = |cx: &mut DeviceContext| {
            cx.om_set_depth_stencil_state(&never, 0);
            quad.draw(cx, WHITE_F);
        };
        expect(h, &target, "no depth target", draw, |_, _| WHITE);
    });
}

#[test]
fn shader_depth_is_ignored_without_a_depth_target() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            struct Out { @location(0) color: vec4f, @builtin(frag_depth) depth: f32 }
            @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
                return vec4f(f32(n & 1u) * 4.0 - 1.0, 1.0 - f32(n >> 1u) * 4.0, 0.0, 1.0);
            }
            @fragment fn ps() -> Out { return Out(vec4f(1.0), 0.5); }";
        let vertex = h.device.create_vertex_shader(ShaderSource::wgsl(text, "vs")).unwrap();
        let pixel = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        let targets: Vec<_> = (0..3)
            .map(|_| {
                let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
                let texture = h.device.create_texture_2d(&desc, None).unwrap();
                let view = h.device.create_render_target_view(&texture, None).unwrap();
                (texture, view)
            })
            .collect();
        let views: Vec<_> = targets.iter().map(|(_, view)| view).collect();
        for how in CommandPath::ALL {
            // The shader writes only the first of the bound targets.
            for count in [1, 2, 3, 1] {
                h.record(how, |cx| {
                    views.iter().for_each(|view| cx.clear_render_target_view(view, [0.2; 4]));
                    cx.om_set_render_targets(&views[..count], None);
                    cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.vs_set_shader(&vertex);
                    cx.ps_set_shader(&pixel);
                    cx.draw(3, 0);
                });
                for (at, (texture, _)) in targets.iter().enumerate() {
                    let picture = h.immediate.read_texture_2d(texture, 0).unwrap();
                    let expected = if at == 0 { [255; 4] } else { [51; 4] };
                    assert_eq!(picture[..4], expected, "target {at} of {count}, {how:?}");
                }
            }
        }
    });
}

#[test]
fn without_a_stencil_plane_the_stencil_test_passes() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawStencilNotSet]);
        let scene = DepthScene::new(h, Format::D32_FLOAT, 4, 4);
        let never = DepthStencilOpDesc { stencil_func: ComparisonFunc::Never, ..Default::default() };
        let desc = DepthStencilDesc {
            stencil_enable: true,
            front_face: never,
            back_face: never,
            ..Default::default()
        };
        let never = state(h, desc);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.begin(cx, 1.0, 0);
                cx.om_set_depth_stencil_state(&never, 0);
                scene.quad.draw(cx, WHITE_F);
            });
            assert_all(&scene.target.read(h), WHITE, &format!("{how:?}"));
        }
    });
}

const OPS: [StencilOp; 8] = [
    StencilOp::Keep,
    StencilOp::Zero,
    StencilOp::Replace,
    StencilOp::IncrSat,
    StencilOp::DecrSat,
    StencilOp::Invert,
    StencilOp::Incr,
    StencilOp::Decr,
];

fn applied(op: StencilOp, old: u8, reference: u8) -> u8 {
    match op {
        StencilOp::Keep => old,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrSat => old.saturating_add(1),
        StencilOp::DecrSat => old.saturating_sub(1),
        StencilOp::Invert => !old,
        StencilOp::Incr => old.wrapping_add(1),
        StencilOp::Decr => old.wrapping_sub(1),
    }
}

#[derive(Clone, Debug)]
struct StencilCell {
    old: u8,
    reference: u32,
    desc: DepthStencilDesc,
    depth: f32,
    front: bool,
}

impl StencilCell {
    /// Returns whether the cell is drawn, and the cell's stencil value after the draw.
    fn outcome(&self) -> (bool, u8) {
        let face = if self.front { self.desc.front_face } else { self.desc.back_face };
        let reference = self.reference as u8;
        let mask = self.desc.stencil_read_mask;
        let stencil = passes(face.stencil_func, reference & mask, self.old & mask);
        let depth = !self.desc.depth_enable || self.depth < 0.5;
        let op = match (stencil, depth) {
            (false, _) => face.stencil_fail_op,
            (true, false) => face.stencil_depth_fail_op,
            (true, true) => face.stencil_pass_op,
        };
        let written = self.desc.stencil_write_mask;
        (stencil && depth, applied(op, self.old, reference) & written | self.old & !written)
    }
}

/// Draws each cell, then compares the colour target and the stencil plane with the predictions.
fn check_cells(h: &mut Harness, cells: &[StencilCell]) {
    let scene = DepthScene::with_stencil(h, 16, (cells.len() as u32).div_ceil(16));
    let states: Vec<_> = cells.iter().map(|cell| state(h, cell.desc)).collect();
    // Culling is off, so the front-face rule only decides whether a quad is front-facing.
    let facing = |front_counter_clockwise| RasterizerDesc {
        cull_mode: CullMode::None,
        front_counter_clockwise,
        ..Default::default()
    };
    let front = h.device.create_rasterizer_state(&facing(false)).unwrap();
    let back = h.device.create_rasterizer_state(&facing(true)).unwrap();
    for how in CommandPath::ALL {
        h.record(how, |cx| {
            scene.begin(cx, 0.5, 0);
            for (n, cell) in (0..).zip(cells) {
                cx.om_set_depth_stencil_state(&scene.stencil_setter, cell.old.into());
                scene.cell(cx, n, 0.0, [0.0, 0.0, 0.0, 1.0]);
            }
            for (n, (cell, state)) in (0..).zip(cells.iter().zip(&states)) {
                cx.rs_set_state(if cell.front { &front } else { &back });
                cx.om_set_depth_stencil_state(state, cell.reference);
                scene.cell(cx, n, cell.depth, WHITE_F);
            }
        });
        let (texels, planes) = (scene.target.read(h), scene.read(h));
        for (n, cell) in cells.iter().enumerate() {
            let (drawn, stencil) = cell.outcome();
            assert_eq!(texels[n], if drawn { WHITE } else { BLACK }, "{how:?}, {cell:?}");
            assert_eq!(planes[n].1, stencil, "{how:?}, {cell:?}");
        }
    }
}

const VALUES: [u8; 5] = [0, 1, 0x5a, 254, 255];

/// Covers all operations with several values, for both faces and for each of the three test results.
#[test]
fn face_and_test_results_choose_the_stencil_operation() {
    on_each(&gpu_matrix(), |h| {
        let other = DepthStencilOpDesc {
            stencil_fail_op: StencilOp::Invert,
            stencil_depth_fail_op: StencilOp::Invert,
            stencil_pass_op: StencilOp::Invert,
            stencil_func: ComparisonFunc::Always,
        };
        for front in [true, false] {
            let mut cells = Vec::new();
            for (n, op) in OPS.into_iter().enumerate() {
                // The other two test results have different operations.
                let (second, third) = (OPS[(n + 3) % 8], OPS[(n + 5) % 8]);
                for old in VALUES {
                    let cell = |func, depth, [fail, depth_fail, pass]: [StencilOp; 3]| {
                        let face = DepthStencilOpDesc {
                            stencil_fail_op: fail,
                            stencil_depth_fail_op: depth_fail,
                            stencil_pass_op: pass,
                            stencil_func: func,
                        };
                        let (front_face, back_face) = if front { (face, other) } else { (other, face) };
                        let desc = DepthStencilDesc {
                            depth_write: false,
                            stencil_enable: true,
                            front_face,
                            back_face,
                            ..Default::default()
                        };
                        StencilCell { old, reference: 0x77, desc, depth, front }
                    };
                    cells.push(cell(ComparisonFunc::Never, 0.25, [op, second, third]));
                    cells.push(cell(ComparisonFunc::Always, 0.75, [second, op, third]));
                    cells.push(cell(ComparisonFunc::Always, 0.25, [second, third, op]));
                }
            }
            check_cells(h, &cells);
        }
    });
}

#[test]
fn the_stencil_test_compares_through_the_read_mask() {
    on_each(&gpu_matrix(), |h| {
        let mut cells = Vec::new();
        for func in COMPARISONS {
            for (old, reference) in [(5, 4), (5, 5), (5, 6), (0xf5, 0x05), (0x05, 0xf4), (0, 0x1ff)] {
                for stencil_read_mask in [0xff, 0x0f, 0] {
                    let face = DepthStencilOpDesc { stencil_func: func, ..Default::default() };
                    let desc = DepthStencilDesc {
                        depth_enable: false,
                        stencil_enable: true,
                        stencil_read_mask,
                        front_face: face,
                        back_face: face,
                        ..Default::default()
                    };
                    cells.push(StencilCell { old, reference, desc, depth: 0.25, front: true });
                }
            }
        }
        check_cells(h, &cells);
    });
}

#[test]
fn only_the_bits_of_the_write_mask_are_written() {
    on_each(&gpu_matrix(), |h| {
        let mut cells = Vec::new();
        for op in OPS {
            for stencil_write_mask in [0xff, 0xf0, 0x0f, 0x81, 0] {
                for old in [0, 0x3c, 0xff] {
                    let face = DepthStencilOpDesc { stencil_pass_op: op, ..Default::default() };
                    let desc = DepthStencilDesc {
                        depth_enable: false,
                        stencil_enable: true,
                        stencil_write_mask,
                        front_face: face,
                        back_face: face,
                        ..Default::default()
                    };
                    cells.push(StencilCell { old, reference: 0xa5, desc, depth: 0.25, front: true });
                }
            }
        }
        check_cells(h, &cells);
    });
}

#[test]
fn disabled_stencil_neither_tests_nor_writes() {
    on_each(&gpu_matrix(), |h| {
        let face = DepthStencilOpDesc {
            stencil_fail_op: StencilOp::Zero,
            stencil_depth_fail_op: StencilOp::Zero,
            stencil_pass_op: StencilOp::Zero,
            stencil_func: ComparisonFunc::Never,
        };
        let desc = DepthStencilDesc { front_face: face, back_face: face, ..Default::default() };
        let off = state(h, desc);
        let scene = DepthScene::with_stencil(h, 4, 4);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.begin(cx, 0.5, 0xab);
                cx.om_set_depth_stencil_state(&off, 1);
                scene.quad.draw_at(cx, WHITE_F, Quad::ALL, 0.25);
            });
            assert_all(&scene.target.read(h), WHITE, &format!("{how:?}"));
            let holds =
                scene.read(h).iter().all(|(depth, stencil)| is_near(*depth, 0.25) && *stencil == 0xab);
            assert!(holds, "{how:?}");
        }
    });
}

/// After a mask is drawn into the stencil plane, later draws are limited to the masked pixels.
#[test]
fn a_reference_is_in_effect_from_one_draw_to_the_next() {
    on_each(&gpu_matrix(), |h| {
        let scene = DepthScene::with_stencil(h, 16, 16);
        let equal = DepthStencilOpDesc {
            stencil_func: ComparisonFunc::Equal,
            stencil_pass_op: StencilOp::Keep,
            ..Default::default()
        };
        let desc = DepthStencilDesc {
            depth_enable: false,
            stencil_enable: true,
            front_face: equal,
            back_face: equal,
            ..Default::default()
        };
        let equal = state(h, desc);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.begin(cx, 1.0, 0);
                for n in 0..16 {
                    cx.om_set_depth_stencil_state(&scene.stencil_setter, n);
                    let left = n as f32 / 8.0 - 1.0;
                    scene.quad.draw_at(cx, [0.0; 4], [left, -1.0, left + 0.125, 1.0], 0.5);
                }
                for n in [3, 7, 4, 15] {
                    cx.om_set_depth_stencil_state(&equal, n);
                    scene.quad.draw_at(cx, [n as f32 / 255.0, 1.0, 0.0, 1.0], Quad::ALL, 0.5);
                }
            });
            let texels = scene.target.read(h);
            for (x, texel) in (0..16).zip(&texels) {
                let expected = if [3, 7, 4, 15].contains(&x) { GREEN | x } else { 0 };
                assert_eq!(*texel, expected, "{how:?}, column {x}");
            }
        }
    });
}

#[test]
fn without_a_pixel_shader_only_depth_and_stencil_are_written() {
    on_each(&gpu_matrix(), |h| {
        let scene = DepthScene::with_stencil(h, 4, 4);
        let count = DepthStencilOpDesc { stencil_pass_op: StencilOp::Incr, ..Default::default() };
        let desc = DepthStencilDesc {
            stencil_enable: true,
            front_face: count,
            back_face: count,
            ..Default::default()
        };
        let count = state(h, desc);
        for how in CommandPath::ALL {
            for with_color in [true, false] {
                h.record(how, |cx| {
                    scene.begin(cx, 1.0, 4);
                    if !with_color {
                        cx.om_set_render_targets(None::<&RenderTargetView>, &scene.depth);
                    }
                    cx.om_set_depth_stencil_state(&count, 0);
                    scene.quad.bind(cx);
                    cx.ps_set_shader(None);
                    scene.quad.set(cx, WHITE_F, Quad::ALL, 0.25);
                    cx.draw(4, 0);
                });
                assert_all(&scene.target.read(h), BLACK, &format!("{how:?}"));
                let planes = scene.read(h);
                let holds = planes.iter().all(|(depth, stencil)| is_near(*depth, 0.25) && *stencil == 5);
                assert!(holds, "{how:?}, with a colour target: {with_color}: {planes:?}");
            }
        }
    });
}

/// Planes that are read-only in the view are tested but not written, even if the state enables writes.
#[test]
fn a_read_only_view_is_tested_and_not_written() {
    on_each(&gpu_matrix(), |h| {
        let scene = DepthScene::with_stencil(h, 4, 4);
        let d = h.device.clone();
        let replace = DepthStencilOpDesc { stencil_pass_op: StencilOp::Replace, ..Default::default() };
        let desc = DepthStencilDesc {
            stencil_enable: true,
            front_face: replace,
            back_face: replace,
            ..Default::default()
        };
        let replace = state(h, desc);
        let (depth, stencil) = (DsvFlags::READ_ONLY_DEPTH, DsvFlags::READ_ONLY_STENCIL);
        for flags in [DsvFlags::empty(), depth, stencil, depth | stencil] {
            let desc = DepthStencilViewDesc { flags, ..Default::default() };
            let view = d.create_depth_stencil_view(&scene.texture, Some(&desc)).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    scene.begin(cx, 0.5, 3);
                    cx.om_set_render_targets(&scene.target.view, &view);
                    cx.om_set_depth_stencil_state(&replace, 9);
                    scene.quad.draw_at(cx, WHITE_F, [-1.0, -1.0, 1.0, 0.0], 0.75);
                    scene.quad.draw_at(cx, [1.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 1.0, 1.0], 0.25);
                });
                let (texels, planes) = (scene.target.read(h), scene.read(h));
                for n in 0..16 {
                    let drawn = n < 8;
                    let z = if drawn && !flags.contains(depth) { 0.25 } else { 0.5 };
                    let value = if drawn && !flags.contains(stencil) { 9 } else { 3 };
                    assert_eq!(texels[n], if drawn { RED } else { BLACK }, "{flags:?}, {how:?}, {n}");
                    let (read_z, read_value) = planes[n];
                    assert!(
                        is_near(read_z, z) && read_value == value,
                        "{flags:?}, {how:?}, {n}: {:?}",
                        planes[n]
                    );
                }
            }
        }
    });
}

const GIVEN_DEPTH: &str = "
    struct Constants { color: vec4<f32> }
    @group(0) @binding(0) var<uniform> constants: Constants;

    struct Pixel { @location(0) color: vec4<f32>, @builtin(frag_depth) depth: f32 }

    @fragment
    fn ps_main() -> Pixel { return Pixel(vec4<f32>(1.0), constants.color.x); }

    @fragment
    fn ps_half(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
        if position.x < 2.0 { discard; }
        return vec4<f32>(1.0);
    }
";

#[test]
fn a_pixel_shaders_depth_is_clamped_and_replaces_the_triangles() {
    on_each(&gpu_matrix(), |h| {
        let scene = DepthScene::new(h, Format::D32_FLOAT, 4, 4);
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(GIVEN_DEPTH, "ps_main")).unwrap();
        for (given, expected) in [(0.3, 0.3), (0.5, 0.5), (0.0, 0.0), (-4.0, 0.0), (1.0, 1.0), (9.0, 1.0)] {
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    scene.begin(cx, 1.0, 0);
                    scene.quad.bind(cx);
                    cx.ps_set_shader(&ps);
                    cx.om_set_depth_stencil_state(&scene.depth_setter, 0);
                    scene.quad.set(cx, [given; 4], Quad::ALL, 0.5);
                    cx.draw(4, 0);
                });
                let read = scene.read(h);
                let near = read.iter().all(|(depth, _)| is_near(*depth, expected));
                assert!(near, "given {given}, {how:?}: {read:?}, not {expected}");
            }
        }
    });
}

#[test]
fn a_discarded_pixel_writes_no_colour_depth_or_stencil() {
    on_each(&gpu_matrix(), |h| {
        let scene = DepthScene::with_stencil(h, 4, 4);
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(GIVEN_DEPTH, "ps_half")).unwrap();
        let replace = DepthStencilOpDesc { stencil_pass_op: StencilOp::Replace, ..Default::default() };
        let desc = DepthStencilDesc {
            stencil_enable: true,
            front_face: replace,
            back_face: replace,
            ..Default::default()
        };
        let replace = state(h, desc);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.begin(cx, 1.0, 1);
                scene.quad.bind(cx);
                cx.ps_set_shader(&ps);
                cx.om_set_depth_stencil_state(&replace, 2);
                scene.quad.set(cx, WHITE_F, Quad::ALL, 0.5);
                cx.draw(4, 0);
            });
            let (texels, planes) = (scene.target.read(h), scene.read(h));
            for n in 0..16 {
                let (color, depth, stencil) = if n % 4 < 2 { (BLACK, 1.0, 1) } else { (WHITE, 0.5, 2) };
                assert_eq!(texels[n], color, "{how:?}, {n}");
                let (read, value) = planes[n];
                assert!(is_near(read, depth) && value == stencil, "{how:?}, {n}: {:?}", planes[n]);
            }
        }
    });
}
