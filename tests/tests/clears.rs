//! Clears cover exactly the view's subresources and use the view's format.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Harness, Quad, Target, assert_error,
    drawing::{assert_all, is_close},
    gpu_matrix, on_each,
};

const COLOR: [f32; 4] = [0.1, 0.5, 0.3, 0.75];
/// [`COLOR`] in R8G8B8A8_UNORM.
const LINEAR: u32 = 0xbf4c_7f19;
/// [`COLOR`] in R8G8B8A8_UNORM_SRGB.
const SRGB: u32 = 0xbf95_bc59;

/// See Wine 10.0, d3d11 tests, line 16161.
#[test]
fn a_clear_converts_to_the_format_of_the_view() {
    on_each(&gpu_matrix(), |h| {
        let targets = [(Format::R8G8B8A8_UNORM, LINEAR), (Format::R8G8B8A8_UNORM_SRGB, SRGB)];
        let typeless = Texture2dDesc::render_target(Format::R8G8B8A8_TYPELESS, 8, 8);
        let typeless = h.device.create_texture_2d(&typeless, None).unwrap();
        for (format, expected) in targets {
            let target = Target::with_format(&h.device, format, 8, 8);
            let desc = RenderTargetViewDesc::format(format);
            let view = h.device.create_render_target_view(&typeless, Some(&desc)).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&target.view, [1.0; 4]);
                    cx.clear_render_target_view(&target.view, COLOR);
                    cx.clear_render_target_view(&view, [1.0; 4]);
                    cx.clear_render_target_view(&view, COLOR);
                });
                assert_all(&target.read(h), expected, &format!("{format:?}, {how:?}"));
                assert_all(&h.read_u32(&typeless, 0), expected, &format!("typeless as {format:?}, {how:?}"));
            }
        }
    });
}

#[test]
fn a_clear_keeps_floats_and_clamps_normalised_formats() {
    on_each(&[Config::GPU], |h| {
        let color = [2.0, -1.0, 0.5, 1.0];
        let clear = |h: &mut Harness, format| {
            let target = Target::with_format(&h.device, format, 2, 2);
            h.immediate.clear_render_target_view(&target.view, color);
            let texels = h.read(&target.texture, 0);
            texels[..texels.len() / 4].to_vec()
        };
        let floats: Vec<u8> = color.iter().flat_map(|f| f.to_le_bytes()).collect();
        assert_eq!(clear(h, Format::R32G32B32A32_FLOAT), floats);
        assert_eq!(clear(h, Format::R32_FLOAT), 2.0_f32.to_le_bytes());
        assert_eq!(clear(h, Format::R16G16B16A16_FLOAT), [0, 0x40, 0, 0xbc, 0, 0x38, 0, 0x3c]);
        let rgba = u32::from_le_bytes(clear(h, Format::R8G8B8A8_UNORM).try_into().unwrap());
        assert!(is_close(rgba, 0xff80_00ff, 1), "{rgba:#x}");
        let bgra = u32::from_le_bytes(clear(h, Format::B8G8R8A8_UNORM).try_into().unwrap());
        assert!(is_close(bgra, 0xffff_0080, 1), "{bgra:#x}");
        assert_eq!(clear(h, Format::R8_UNORM), [255]);
        assert_eq!(clear(h, Format::R8G8_UNORM), [255, 0]);
    });
}

/// Clears with numbers outside a format's range (functional specification 3.2.2 and 3.2.3), compared by the
/// bytes of the first texel.
#[test]
fn a_clear_with_nan_and_infinities_follows_the_rules() {
    const INF: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;
    use Format as F;

    on_each(&[Config::GPU], |h| {
        let all = [NAN, INF, -INF, -0.0];
        let rows: [(Format, [f32; 4], &[u8]); 16] = [
            (F::R8G8B8A8_UNORM, all, &[0, 255, 0, 0]),
            (F::R8G8B8A8_UNORM, [-NAN, 1.5, -0.5, 1e-40], &[0, 255, 0, 0]),
            (F::R8G8B8A8_UNORM_SRGB, all, &[0, 255, 0, 0]),
            (F::B8G8R8A8_UNORM, all, &[0, 255, 0, 0]),
            (F::R8G8B8A8_SNORM, all, &[0, 127, 0x81, 0]),
            (F::R8_SNORM, [-NAN, 0.0, 0.0, 0.0], &[0]),
            (F::R16G16B16A16_SNORM, all, &[0, 0, 0xff, 0x7f, 1, 0x80, 0, 0]),
            (F::R16G16_UNORM, all, &[0, 0, 0xff, 0xff]),
            (F::R10G10B10A2_UNORM, all, &0x000f_fc00_u32.to_le_bytes()),
            (F::R16G16_FLOAT, [INF, -INF, 0.0, 0.0], &[0, 0x7c, 0, 0xfc]),
            // The conversion rounds towards zero, so no finite number becomes infinite.
            (F::R16G16_FLOAT, [1e6, -1e6, 0.0, 0.0], &[0xff, 0x7b, 0xff, 0xfb]),
            (F::R16G16_FLOAT, [1.0 + 1.9 / 1024.0, 5.9e-8, 0.0, 0.0], &[1, 0x3c, 0, 0]),
            (F::R11G11B10_FLOAT, [-1.0, INF, 1e9, 0.0], &(0x7c0_u32 << 11 | 0x3df << 22).to_le_bytes()),
            (F::R32G32_FLOAT, [INF, -0.0, 0.0, 0.0], &[0, 0, 0x80, 0x7f, 0, 0, 0, 0x80]),
            (F::R8G8B8A8_SINT, [NAN, INF, -INF, -0.9], &[0, 127, 0x80, 0]),
            (F::R16G16_UINT, [NAN, INF, 0.0, 0.0], &[0, 0, 0xff, 0xff]),
        ];
        for (format, color, expected) in rows {
            let target = Target::with_format(&h.device, format, 2, 2);
            h.immediate.clear_render_target_view(&target.view, color);
            let texels = h.read(&target.texture, 0);
            assert_eq!(texels[..expected.len()], *expected, "{format:?}: {color:?}");
        }
        for format in [F::R16_FLOAT, F::R32_FLOAT] {
            let target = Target::with_format(&h.device, format, 2, 2);
            h.immediate.clear_render_target_view(&target.view, all);
            let texels = h.read(&target.texture, 0);
            let infinity = if format == F::R16_FLOAT { 0x7c00 } else { 0x7f80_0000 };
            let bits = match texels.get(..texels.len() / 4) {
                Some([low, high]) => u32::from(u16::from_le_bytes([*low, *high])),
                Some([a, b, c, d]) => u32::from_le_bytes([*a, *b, *c, *d]),
                _ => 0,
            };
            let magnitude = bits & if format == F::R16_FLOAT { 0x7fff } else { 0x7fff_ffff };
            assert!(magnitude > infinity, "{format:?}: {bits:#x} is not NaN");
        }
    });
}

#[test]
fn a_clear_of_integers_converts_the_numbers() {
    on_each(&[Config::GPU], |h| {
        for (format, expected) in [
            (Format::R8G8B8A8_UINT, vec![1, 2, 3, 200]),
            (Format::R16G16_UINT, vec![1, 0, 2, 0]),
            (Format::R32_UINT, vec![1, 0, 0, 0]),
        ] {
            let target = Target::with_format(&h.device, format, 2, 2);
            h.immediate.clear_render_target_view(&target.view, [1.0, 2.0, 3.0, 200.0]);
            assert_eq!(h.read(&target.texture, 0)[..4], expected, "{format:?}");
        }
        let target = Target::with_format(&h.device, Format::R32_SINT, 2, 2);
        h.immediate.clear_render_target_view(&target.view, [-7.0, 0.0, 0.0, 0.0]);
        assert_eq!(h.read(&target.texture, 0)[..4], (-7_i32).to_le_bytes());
    });
}

/// See Wine 10.0, d3d11 tests, line 16161.
#[test]
fn a_clear_ignores_viewport_scissor_and_bindings() {
    on_each(&gpu_matrix(), |h| {
        let (target, other) = (Target::new(&h.device, 8, 8), Target::new(&h.device, 8, 8));
        let scissor = RasterizerDesc { scissor_enable: true, ..Default::default() };
        let scissor = h.device.create_rasterizer_state(&scissor).unwrap();
        let mask =
            RenderTargetBlendDesc { render_target_write_mask: ColorWrite::empty(), ..Default::default() };
        let mask = h.device.create_blend_state(&BlendDesc::all(mask)).unwrap();
        for how in CommandPath::ALL {
            for bound in [&target, &other] {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&target.view, [0.0; 4]);
                    cx.clear_render_target_view(&other.view, [0.0; 4]);
                    cx.om_set_render_targets(&bound.view, None);
                    cx.om_set_blend_state(&mask, [1.0; 4], 0);
                    cx.rs_set_state(&scissor);
                    cx.rs_set_viewports(Viewport::sized(2.0, 2.0));
                    cx.rs_set_scissor_rects(onze::Rect { left: 1, top: 1, right: 2, bottom: 2 });
                    cx.clear_render_target_view(&target.view, COLOR);
                });
                assert_all(&target.read(h), LINEAR, &format!("{how:?}"));
                assert_all(&other.read(h), 0, &format!("{how:?}, the other"));
            }
        }
    });
}

/// Each subresource is cleared with its own colour, and a view of several slices clears exactly these slices.
#[test]
fn a_clear_touches_exactly_the_subresources_of_its_view() {
    on_each(&gpu_matrix(), |h| {
        let (mips, slices) = (3, 4);
        let desc = Texture2dDesc {
            mip_levels: mips,
            array_size: slices,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 12, 8)
        };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let view = |mip, slice, count| {
            let desc = RenderTargetViewDesc::texture_2d_array(Format::UNKNOWN, mip, slice, count);
            h.device.create_render_target_view(&texture, Some(&desc)).unwrap()
        };
        let shade =
            |mip: u32, slice: u32| [(mip * 40 + 5) as f32 / 255.0, (slice * 40 + 5) as f32 / 255.0, 0.0, 1.0];
        let packed = |mip: u32, slice: u32| 0xff00_0000 | (slice * 40 + 5) << 8 | (mip * 40 + 5);
        let each: Vec<_> = (0..mips).flat_map(|m| (0..slices).map(move |s| (m, s))).collect();
        let views: Vec<_> = each.iter().map(|(m, s)| view(*m, *s, 1)).collect();
        let (pair, rest) = (view(1, 1, 2), view(2, 1, u32::MAX));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                for ((mip, slice), view) in each.iter().zip(&views) {
                    cx.clear_render_target_view(view, shade(*mip, *slice));
                }
            });
            for (mip, slice) in &each {
                let subresource = texture.subresource(*mip, *slice);
                assert_eq!(subresource, mip + slice * mips);
                let texels = h.read_u32(&texture, subresource);
                assert_eq!(texels.len() as u32, (12 >> mip) * (8 >> mip));
                assert_all(&texels, packed(*mip, *slice), &format!("{how:?}, mip {mip}, slice {slice}"));
            }
            h.record(how, |cx| {
                cx.clear_render_target_view(&pair, [1.0; 4]);
                cx.clear_render_target_view(&rest, [0.0; 4]);
            });
            for (mip, slice) in &each {
                let expected = match (mip, slice) {
                    (1, 1 | 2) => u32::MAX,
                    (2, 1..) => 0,
                    _ => packed(*mip, *slice),
                };
                let texels = h.read_u32(&texture, texture.subresource(*mip, *slice));
                assert_all(&texels, expected, &format!("{how:?}, ranges, mip {mip}, slice {slice}"));
            }
        }
    });
}

#[test]
fn draws_after_a_clear_are_not_cleared_and_draws_before_it_are() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let left = [-1.0, -1.0, 0.0, 1.0];
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                target.bind(cx);
                quad.draw(cx, [1.0, 0.0, 0.0, 1.0]);
                cx.clear_render_target_view(&target.view, [0.0, 0.0, 1.0, 1.0]);
                quad.draw_at(cx, [0.0, 1.0, 0.0, 1.0], left, 0.0);
            });
            let texels = target.read(h);
            for y in 0..8 {
                for x in 0..8 {
                    let expected = if x < 4 { 0xff00_ff00 } else { 0xffff_0000 };
                    assert_eq!(target.at(&texels, x, y), expected, "{how:?}, ({x}, {y})");
                }
            }
        }
    });
}

/// Reads a depth-stencil texture by testing which of many reference values pass.
struct DepthProbe {
    target: Target,
    quad: Quad,
    equal: DepthStencilState,
}

impl DepthProbe {
    fn new(h: &Harness) -> Self {
        let face = DepthStencilOpDesc { stencil_func: ComparisonFunc::Equal, ..Default::default() };
        let desc = DepthStencilDesc {
            depth_write: false,
            depth_func: ComparisonFunc::Equal,
            stencil_enable: true,
            front_face: face,
            back_face: face,
            ..Default::default()
        };
        Self {
            target: Target::new(&h.device, 4, 4),
            quad: Quad::new(&h.device),
            equal: h.device.create_depth_stencil_state(&desc).unwrap(),
        }
    }

    fn holds(&self, h: &mut Harness, view: &DepthStencilView, depth: f32, stencil: u8) -> bool {
        let cx = &mut h.immediate;
        cx.clear_state();
        cx.clear_render_target_view(&self.target.view, [0.0; 4]);
        self.target.bind(cx);
        cx.om_set_render_targets(&self.target.view, view);
        cx.om_set_depth_stencil_state(&self.equal, stencil.into());
        self.quad.draw_at(cx, [1.0; 4], Quad::ALL, depth);
        cx.clear_state();
        self.target.read(h).iter().all(|texel| *texel == u32::MAX)
    }
}

#[test]
fn depth_and_stencil_are_cleared_apart_or_together() {
    on_each(&gpu_matrix(), |h| {
        let probe = DepthProbe::new(h);
        for format in [Format::D24_UNORM_S8_UINT, Format::D32_FLOAT_S8X24_UINT] {
            if !h.has_format(format, FormatSupport::DEPTH_STENCIL) {
                continue;
            }
            let texture =
                h.device.create_texture_2d(&Texture2dDesc::depth_stencil(format, 4, 4), None).unwrap();
            let view = h.device.create_depth_stencil_view(&texture, None).unwrap();
            let both = ClearFlags::DEPTH | ClearFlags::STENCIL;
            for how in CommandPath::ALL {
                let steps = [
                    (both, 1.0, 3, (1.0, 3)),
                    (ClearFlags::DEPTH, 0.5, 9, (0.5, 3)),
                    (ClearFlags::STENCIL, 0.25, 200, (0.5, 200)),
                    (ClearFlags::empty(), 0.0, 0, (0.5, 200)),
                    (both, 0.0, 255, (0.0, 255)),
                    (ClearFlags::DEPTH, 7.0, 0, (1.0, 255)),
                    (ClearFlags::DEPTH, -7.0, 0, (0.0, 255)),
                    // A clear with a NaN depth is reported and ignored, so it changes neither depth nor
                    // stencil.
                    (both, f32::NAN, 0, (0.0, 255)),
                ];
                for (flags, depth, stencil, (holds_depth, holds_stencil)) in steps {
                    h.record(how, |cx| cx.clear_depth_stencil_view(&view, flags, depth, stencil));
                    let row = format!("{format:?}, {how:?}, {flags:?} {depth} {stencil}");
                    assert!(probe.holds(h, &view, holds_depth, holds_stencil), "{row}");
                    assert!(!probe.holds(h, &view, holds_depth, holds_stencil ^ 1), "{row}");
                    let reported = h.take_errors();
                    assert_eq!(reported.len(), usize::from(depth.is_nan()), "{row}: {reported:?}");
                }
            }
        }
    });
}

#[test]
fn a_depth_clear_touches_only_the_slices_and_mips_of_its_view() {
    on_each(&gpu_matrix(), |h| {
        let desc = Texture2dDesc {
            mip_levels: 2,
            array_size: 3,
            ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, 8, 8)
        };
        let device = h.device.clone();
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let view = |mip, slice, count| {
            let desc = DepthStencilViewDesc::texture_2d_array(Format::UNKNOWN, mip, slice, count);
            device.create_depth_stencil_view(&texture, Some(&desc)).unwrap()
        };
        let small = view(1, 1, 2);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_depth_stencil_view(&view(0, 0, 3), ClearFlags::DEPTH, 1.0, 0);
                cx.clear_depth_stencil_view(&view(1, 0, 3), ClearFlags::DEPTH, 1.0, 0);
                cx.clear_depth_stencil_view(&small, ClearFlags::DEPTH, 0.25, 0);
                cx.clear_depth_stencil_view(&view(0, 1, 1), ClearFlags::DEPTH, 0.5, 0);
            });
            for (mip, slice) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
                let expected: f32 = match (mip, slice) {
                    (0, 1) => 0.5,
                    (1, 1 | 2) => 0.25,
                    _ => 1.0,
                };
                let read = h.read(&texture, texture.subresource(mip, slice));
                let floats: Vec<f32> = bytemuck::pod_collect_to_vec(&read);
                assert!(
                    floats.iter().all(|f| *f == expected),
                    "{how:?}, mip {mip}, slice {slice}: {floats:?}"
                );
            }
        }
    });
}

#[test]
fn views_of_another_device_are_not_cleared() {
    on_each(&[Config::NULL], |h| {
        let Some(other) = Harness::start(Config::NULL) else { return };
        let target = Target::new(&other.device, 4, 4);
        h.immediate.clear_render_target_view(&target.view, [1.0; 4]);
        h.assert_reported(MessageId::ForeignObject);
        assert_error!(h.device.create_render_target_view(&target.texture, None), InvalidArg);
        h.assert_reported(MessageId::CreateRenderTargetViewInvalid);
        drop(target);
        other.finish();
    });
}

/// See Wine 10.0, d3d11 tests, line 30400.
#[test]
fn mips_are_generated_from_the_most_detailed_one_of_the_view() {
    on_each(&gpu_matrix(), |h| {
        let block = [0xffff_0000_u32, 0xff00_ff00, 0xff00_00ff, 0xff00_0000];
        let texels: Vec<u32> = (0..256).map(|i| block[(i % 16 / 8 + i / 16 / 8 * 2) as usize]).collect();
        for format in [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB] {
            for typeless in [false, true] {
                for how in CommandPath::ALL {
                    let desc = Texture2dDesc {
                        mip_levels: 0,
                        array_size: 2,
                        misc_flags: MiscFlags::GENERATE_MIPS,
                        ..Texture2dDesc::render_target(
                            if typeless { format.family() } else { format },
                            16,
                            16,
                        )
                    };
                    let texture = h.device.create_texture_2d(&desc, None).unwrap();
                    let desc = ShaderResourceViewDesc::texture_2d_array(format, 0, 2);
                    let view = h.device.create_shader_resource_view(&texture, Some(&desc)).unwrap();
                    h.record(how, |cx| {
                        for slice in 0..2 {
                            cx.update_subresource(
                                &texture,
                                texture.subresource(0, slice),
                                None,
                                &texels,
                                64,
                                0,
                            );
                        }
                        cx.generate_mips(&view);
                    });
                    let row = format!("{format:?}, typeless {typeless}, {how:?}");
                    for slice in 0..2 {
                        for mip in 1..4 {
                            let read = h.read_u32(&texture, texture.subresource(mip, slice));
                            let size = 16_u32 >> mip;
                            for (i, texel) in (0..).zip(read) {
                                let (x, y) = (i % size, i / size);
                                let expected =
                                    block[(x / size.div_ceil(2) + y / size.div_ceil(2) * 2) as usize];
                                assert_eq!(texel, expected, "{row}, slice {slice}, mip {mip}, ({x}, {y})");
                            }
                        }
                    }
                }
            }
        }
        h.assert_silent();
    });
}

/// The average is computed in linear space (see Wine 10.0, d3d11 tests, line 30400).
#[test]
fn mips_of_a_checkerboard_are_its_average_in_linear_space() {
    on_each(&gpu_matrix(), |h| {
        let texels: Vec<u32> = (0..64).map(|i| if (i % 8 + i / 8) % 2 == 0 { 0 } else { u32::MAX }).collect();
        for (format, expected) in
            [(Format::R8G8B8A8_UNORM, 0x7f7f_7f7f), (Format::R8G8B8A8_UNORM_SRGB, 0x7fbc_bcbc)]
        {
            let desc = Texture2dDesc {
                mip_levels: 0,
                misc_flags: MiscFlags::GENERATE_MIPS,
                ..Texture2dDesc::render_target(Format::R8G8B8A8_TYPELESS, 8, 8)
            };
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            let view = ShaderResourceViewDesc::format(format);
            let view = h.device.create_shader_resource_view(&texture, Some(&view)).unwrap();
            h.immediate.update_subresource(&texture, 0, None, &texels, 32, 0);
            h.immediate.generate_mips(&view);
            for mip in 1..4 {
                assert_all(&h.read_u32(&texture, mip), expected, &format!("{format:?}, mip {mip}"));
            }
        }
    });
}

#[test]
fn mips_are_generated_only_within_the_view() {
    on_each(&gpu_matrix(), |h| {
        let desc = Texture2dDesc {
            mip_levels: 4,
            array_size: 2,
            misc_flags: MiscFlags::GENERATE_MIPS,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8)
        };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        for subresource in 0..8 {
            let (width, height) = desc.mip_size(subresource % 4);
            let texels = vec![0x1010_1010 * (1 + subresource); (width * height) as usize];
            h.immediate.update_subresource(&texture, subresource, None, &texels, width * 4, 0);
        }
        let view = ShaderResourceViewDesc {
            format: Format::UNKNOWN,
            dimension: Some(ShaderResourceViewDimension::Texture2dArray {
                most_detailed_mip: 1,
                mip_levels: 2,
                first_array_slice: 1,
                array_size: 1,
            }),
            ..Default::default()
        };
        let view = h.device.create_shader_resource_view(&texture, Some(&view)).unwrap();
        h.immediate.generate_mips(&view);
        for subresource in 0..8 {
            // Mip level 2 of slice 1 is generated from mip level 1.
            let from = if subresource == 6 { 5 } else { subresource };
            assert_all(
                &h.read_u32(&texture, subresource),
                0x1010_1010 * (1 + from),
                &format!("{subresource}"),
            );
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 30400.
#[test]
fn mips_are_not_generated_without_the_flag_or_for_integers() {
    on_each(&[Config::GPU], |h| {
        let descs = [
            Texture2dDesc { mip_levels: 2, ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4) },
            Texture2dDesc {
                mip_levels: 2,
                misc_flags: MiscFlags::GENERATE_MIPS,
                ..Texture2dDesc::render_target(Format::R8G8B8A8_UINT, 4, 4)
            },
        ];
        for desc in descs {
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            let view = h.device.create_shader_resource_view(&texture, None).unwrap();
            h.immediate.update_subresource(&texture, 0, None, &[u32::MAX; 16], 16, 0);
            h.immediate.generate_mips(&view);
            h.assert_reported(MessageId::GenerateMipsInvalid);
            assert_eq!(h.read_u32(&texture, 1), [0; 4], "{desc:?}");
        }
    });
}
