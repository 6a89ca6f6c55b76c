//! `ResolveSubresource`, compared with averages that the CPU computes from the samples.

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Harness, Quad,
    drawing::{assert_all, is_close},
    gpu_matrix, on_each,
};

use super::{ALL, RGBA8, SIZE, Samples, WHITE, counts, cover, mixed, pack, result};

/// Two of four samples have one colour, and the other two keep the white background.
#[test]
fn a_resolve_averages_srgb_samples_in_linear_space() {
    use Format as F;
    let green = [0.0, 1.0, 0.0, 1.0];
    let other = [0.25, 0.5, 0.75, 1.0];
    let (unorm, srgb, typeless) = (F::R8G8B8A8_UNORM, F::R8G8B8A8_UNORM_SRGB, F::R8G8B8A8_TYPELESS);
    let rows = [
        (unorm, unorm, unorm, green, 0xff80_ff80),
        (srgb, srgb, srgb, green, 0xffbc_ffbc),
        (unorm, unorm, unorm, other, 0xffdf_c0a0),
        (srgb, srgb, srgb, other, 0xfff1_e1cf),
        (typeless, typeless, unorm, other, 0xffdf_c0a0),
        (typeless, typeless, srgb, other, 0xfff1_e1cf),
        (unorm, typeless, unorm, green, 0xff80_ff80),
        (typeless, srgb, srgb, green, 0xffbc_ffbc),
    ];
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        for (to, from, format, color, expected) in rows {
            let (source, result) = (Samples::seen_as(h, from, format, 4), result(h, to));
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&source.target, WHITE);
                    cover(cx, &source, &quad, color, 3);
                    cx.resolve_subresource(&result, 0, &source.texture, 0, format);
                });
                let what = format!("{from:?} to {to:?} as {format:?}, {how:?}");
                assert_all(&h.read_u32(&result, 0), expected, &what);
            }
        }
    });
}

/// Decodes texels to floats, one for each component of the format.
fn decode(format: Format, bytes: &[u8]) -> Vec<f32> {
    let halves = || bytemuck::pod_collect_to_vec::<u8, u16>(bytes);
    match format {
        Format::R8_UNORM | Format::R8G8_UNORM | Format::R8G8B8A8_UNORM => {
            bytes.iter().map(|byte| f32::from(*byte) / 255.0).collect()
        }
        Format::R16G16B16A16_FLOAT | Format::R16_FLOAT => halves().into_iter().map(half_to_f32).collect(),
        Format::R16_UNORM => halves().into_iter().map(|bits| f32::from(bits) / 65535.0).collect(),
        _ => bytemuck::pod_collect_to_vec(bytes),
    }
}

/// Converts a half-precision float from 0 to 2 that is not denormal.
fn half_to_f32(bits: u16) -> f32 {
    if bits == 0 {
        return 0.0;
    }
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31) - 15, f32::from(bits & 1023) / 1024.0);
    (1.0 + mantissa) * 2f32.powi(exponent)
}

/// Tries every sample count with every number of drawn samples. wgpu resolves some formats, and the driver
/// resolves the other formats with draws.
#[test]
fn a_resolve_averages_every_sample_count_and_format() {
    use Format as F;
    let formats = [
        F::R8_UNORM,
        F::R8G8_UNORM,
        F::R8G8B8A8_UNORM,
        F::R16_UNORM,
        F::R16_FLOAT,
        F::R16G16B16A16_FLOAT,
        F::R32_FLOAT,
        F::R32G32_FLOAT,
        F::R32G32B32A32_FLOAT,
    ];
    let (color, over) = ([0.75, 0.25, 0.5, 1.0], [0.25, 1.0, 0.0, 0.5]);
    on_each(&[Config::GPU, Config::GPU.by_index()], |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let quad = Quad::new(&h.device);
        let mut tested = 0;
        for format in formats {
            if !h.has_format(format, FormatSupport::MULTISAMPLE_RESOLVE) {
                continue;
            }
            for count in counts(h, format) {
                let (source, result) = (Samples::new(h, format, count), result(h, format));
                for drawn in 0..=count {
                    h.record(CommandPath::Immediate, |cx| {
                        cx.clear_render_target_view(&source.target, over);
                        cover(cx, &source, &quad, color, (1 << drawn) - 1);
                        cx.resolve_subresource(&result, 0, &source.texture, 0, format);
                    });
                    let found = decode(format, &h.read(&result, 0));
                    let components = format.component_count() as usize;
                    let expected = mixed(color, over, drawn, count);
                    for (at, value) in found.iter().enumerate() {
                        let wanted = expected[at % components];
                        let what = format!("{drawn} of {count} samples of {format:?}");
                        assert!((value - wanted).abs() < 0.0045, "{what}: {value}, not {wanted}");
                    }
                    tested += 1;
                }
            }
        }
        assert!(tested > 5 * 4, "there are formats of several samples");
    });
}

/// The source has slices, and the destination has mip levels and slices and is either only a shader resource
/// or also a render target.
#[test]
fn a_resolve_accepts_any_slice_and_level_of_equal_size() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let (format, slices) = (RGBA8, 3);
        let desc = Texture2dDesc {
            sample_count: 4,
            array_size: slices,
            ..Texture2dDesc::render_target(format, SIZE, SIZE)
        };
        let source = h.device.create_texture_2d(&desc, None).unwrap();
        let views: Vec<_> = (0..slices)
            .map(|first_array_slice| {
                let dimension =
                    RenderTargetViewDimension::Texture2dMsArray { first_array_slice, array_size: 1 };
                let desc = RenderTargetViewDesc { format, dimension: Some(dimension), ..Default::default() };
                h.device.create_render_target_view(&source, Some(&desc)).unwrap()
            })
            .collect();
        let both = BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET;
        for (bind_flags, how) in
            [(BindFlags::SHADER_RESOURCE, CommandPath::Deferred), (both, CommandPath::Immediate)]
        {
            // Level 2 of the destination has the size of the source.
            let desc = Texture2dDesc {
                bind_flags,
                array_size: 2,
                mip_levels: 4,
                ..Texture2dDesc::new(format, 4 * SIZE, 4 * SIZE)
            };
            let result = h.device.create_texture_2d(&desc, None).unwrap();
            h.record(how, |cx| {
                for (slice, view) in (0..).zip(&views) {
                    cx.clear_render_target_view(view, [0.2 * slice as f32, 0.0, 0.0, 1.0]);
                    cx.om_set_render_targets(view, None);
                    cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
                    cx.om_set_blend_state(None, [1.0; 4], 1);
                    quad.draw(cx, [0.0, 1.0, 0.0, 1.0]);
                }
                cx.resolve_subresource(&result, result.subresource(2, 1), &source, 2, format);
                cx.resolve_subresource(&result, result.subresource(2, 0), &source, 1, format);
            });
            for slice in 0..2 {
                for mip in 0..4 {
                    let texels = h.read_u32(&result, result.subresource(mip, slice));
                    let expected = match mip {
                        2 => pack([0.2 * (1 + slice) as f32 * 0.75, 0.25, 0.0, 1.0]),
                        _ => 0,
                    };
                    assert_all(&texels, expected, &format!("{bind_flags:?}: level {mip} of slice {slice}"));
                }
            }
        }
    });
}

/// Each resolve sees the draws before it, and another resolve writes a texture that later commands read.
#[test]
fn a_resolve_keeps_its_order_among_other_commands() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let source = Samples::new(h, RGBA8, 4);
        let results = [0; 5].map(|_| result(h, RGBA8));
        let target = onze_tests::Target::new(&h.device, SIZE, SIZE);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                let resolve = |cx: &mut DeviceContext, at: usize| {
                    cx.resolve_subresource(&results[at], 0, &source.texture, 0, RGBA8);
                };
                cx.clear_render_target_view(&source.target, [1.0, 0.0, 0.0, 1.0]);
                resolve(cx, 0);
                cover(cx, &source, &quad, [0.0, 1.0, 0.0, 1.0], ALL);
                resolve(cx, 1);
                // The targets are still bound, so this draw sets no other state.
                quad.draw(cx, [0.0, 0.0, 1.0, 1.0]);
                resolve(cx, 2);
                cx.clear_render_target_view(&source.target, WHITE);
                resolve(cx, 3);
                // The destination is a bound target that is cleared and drawn to before the resolve, and
                // cleared again afterwards.
                target.bind(cx);
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                quad.draw(cx, [0.5; 4]);
                cx.resolve_subresource(&target.texture, 0, &source.texture, 0, RGBA8);
                cx.copy_resource(&results[4], &target.texture);
                cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
            });
            let expected = [0xff00_00ff, 0xff00_ff00, 0xffff_0000, 0xffff_ffff, 0xffff_ffff];
            for (result, expected) in results.iter().zip(expected) {
                assert_all(&h.read_u32(result, 0), expected, &format!("{how:?}"));
            }
            assert_all(&target.read(h), 0xff00_0000, "cleared afterwards");
        }
    });
}

/// A list with a resolve is executed again after the samples have changed.
#[test]
fn a_list_resolves_the_contents_at_its_execution() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let (source, result) = (Samples::new(h, RGBA8, 4), result(h, RGBA8));
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.resolve_subresource(&result, 0, &source.texture, 0, RGBA8);
        let list = deferred.finish_command_list(false).unwrap();
        for (mask, expected) in [(1, 0x4040_4040), (7, 0xbfbf_bfbf), (ALL, 0xffff_ffff)] {
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&source.target, [0.0; 4]);
                cover(cx, &source, &quad, WHITE, mask);
            });
            h.immediate.execute_command_list(&list, false);
            let texels = h.read_u32(&result, 0);
            assert!(texels.iter().all(|texel| is_close(*texel, expected, 1)), "{mask}: {texels:x?}");
        }
    });
}

/// An invalid `ResolveSubresource` call is ignored, so the destination keeps its contents.
#[test]
fn invalid_resolves_are_reported_and_change_nothing() {
    use Format as F;
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::ResolveSubresourceInvalid]);
        let texture = |desc: Texture2dDesc| h.device.create_texture_2d(&desc, None).unwrap();
        let plain = |format| Texture2dDesc::render_target(format, SIZE, SIZE);
        let several = |format| Texture2dDesc { sample_count: 4, ..plain(format) };
        let (one, many) = (texture(plain(RGBA8)), texture(several(RGBA8)));
        let typeless = F::R8G8B8A8_TYPELESS;
        let small = texture(Texture2dDesc { width: 2, ..plain(RGBA8) });
        let dynamic = texture(Texture2dDesc {
            usage: Usage::Dynamic,
            bind_flags: BindFlags::SHADER_RESOURCE,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..plain(RGBA8)
        });
        let depth = Texture2dDesc::depth_stencil(F::D32_FLOAT, SIZE, SIZE);
        let rows = [
            (&one, 0, &one, 0, RGBA8, "one sample"),
            (&many, 0, &many, 0, RGBA8, "4 samples"),
            (&one, 1, &many, 0, RGBA8, "index 1 is out of range"),
            (&one, 0, &many, 1, RGBA8, "index 1 is out of range"),
            (&small, 0, &many, 0, RGBA8, "2 x 4"),
            (&dynamic, 0, &many, 0, RGBA8, "Usage::Default"),
            (&one, 0, &many, 0, F::R8G8B8A8_UNORM_SRGB, "R8G8B8A8_UNORM"),
            (&one, 0, &many, 0, typeless, "typed format"),
            (&one, 0, &many, 0, F::UNKNOWN, "typed format"),
            (&texture(plain(F::B8G8R8A8_UNORM)), 0, &many, 0, RGBA8, "cannot be resolved to"),
            (&texture(plain(F::R8G8B8A8_UNORM_SRGB)), 0, &many, 0, RGBA8, "the destination is of"),
            (&texture(plain(typeless)), 0, &many, 0, F::R8G8B8A8_UNORM_SRGB, "the source is of"),
            (&texture(plain(typeless)), 0, &texture(several(typeless)), 0, F::R8G8B8A8_UINT, "integers"),
            (
                &texture(plain(F::R8G8B8A8_UINT)),
                0,
                &texture(several(F::R8G8B8A8_UINT)),
                0,
                F::R8G8B8A8_UINT,
                "integers",
            ),
            (
                &texture(depth.clone()),
                0,
                &texture(Texture2dDesc { sample_count: 4, ..depth.clone() }),
                0,
                F::D32_FLOAT,
                "integers and depth",
            ),
        ];
        for (dst, to, src, from, format, why) in rows {
            h.device.info_queue().take();
            h.immediate.resolve_subresource(dst, to, src, from, format);
            let messages = h.device.info_queue().take();
            let found = messages.iter().find(|m| m.id == MessageId::ResolveSubresourceInvalid);
            let text = found.map(|m| m.description.as_str()).unwrap_or_default();
            assert!(text.contains(why), "{why}: {messages:?}");
        }
        if h.draws() {
            assert_all(&h.read_u32(&one, 0), 0, "nothing was resolved");
        }
    });
}

/// A texture of another device is reported as in all other commands.
#[test]
fn a_resolve_refuses_foreign_textures() {
    let Some(mut other) = Harness::start(Config::NULL) else { return };
    on_each(&[Config::NULL], |h| {
        let (foreign, own) = (result(&other, RGBA8), Samples::new(h, RGBA8, 4));
        h.immediate.resolve_subresource(&foreign, 0, &own.texture, 0, RGBA8);
        h.assert_reported(MessageId::ForeignObject);
    });
    other.immediate.flush();
    other.finish();
}
