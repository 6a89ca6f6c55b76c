//! Multisampled textures: supported sample counts, views, clears, copies and shader reads.

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Quad, assert_error, drawing::assert_all, gpu_matrix, on_each};

use super::{ALL, RGBA8, SIZE, Samples, WHITE, counts, cover, read_samples};

#[test]
fn quality_levels_match_the_textures_that_can_be_created() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let levels = |format, count| h.device.check_multisample_quality_levels(format, count);
        assert_eq!([0, 1, 4, 3, 33, ALL].map(|count| levels(RGBA8, count)), [0, 1, 1, 0, 0, 0]);
        assert_eq!([0, 1, 4].map(|count| levels(Format::UNKNOWN, count)), [0; 3]);
        assert_eq!([1, 4].map(|count| levels(Format::BC1_UNORM, count)), [0; 2]);
        for format in Format::ALL {
            for sample_count in [1, 2, 3, 4, 5, 8, 16, 32] {
                let make = |bind_flags| {
                    let desc = Texture2dDesc {
                        bind_flags,
                        sample_count,
                        ..Texture2dDesc::render_target(*format, SIZE, SIZE)
                    };
                    h.device.create_texture_2d(&desc, None).is_ok()
                };
                let is_made = make(BindFlags::RENDER_TARGET) || make(BindFlags::DEPTH_STENCIL);
                let has_levels = levels(*format, sample_count) > 0;
                assert!(is_made || !has_levels, "{sample_count} of {format:?}");
                // The reverse is not true for typeless formats, because a texture may be created for one type
                // of target only.
                assert!(has_levels || !is_made || format.is_typeless(), "{sample_count} of {format:?}");
            }
        }
        h.take_errors();
    });
}

#[test]
fn unsupported_sample_counts_are_refused() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let with =
            |sample_count| Texture2dDesc { sample_count, ..Texture2dDesc::render_target(RGBA8, SIZE, SIZE) };
        for count in 0..=33 {
            let made = h.device.create_texture_2d(&with(count), None);
            if !count.is_power_of_two() || count > 32 {
                assert_error!(made, InvalidArg, "{count} samples");
            } else if h.device.check_multisample_quality_levels(RGBA8, count) == 0 {
                assert_error!(made, Unsupported, "{count} samples");
            } else {
                assert_eq!(made.unwrap().desc().sample_count, count);
            }
        }
        h.take_errors();
    });
}

/// Multisampled views also accept single-sample textures, because in Direct3D 11 the texture decides whether
/// a view is multisampled.
#[test]
fn multisampled_views_accept_single_sample_textures() {
    use RenderTargetViewDimension as R;
    on_each(&[Config::NULL, Config::GPU], |h| {
        for sample_count in [1, 4] {
            let desc = Texture2dDesc {
                sample_count,
                array_size: 3,
                ..Texture2dDesc::render_target(RGBA8, SIZE, SIZE)
            };
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            let array = R::Texture2dMsArray { first_array_slice: 1, array_size: 2 };
            for dimension in [R::Texture2dMs, array] {
                let desc =
                    RenderTargetViewDesc { format: RGBA8, dimension: Some(dimension), ..Default::default() };
                h.device.create_render_target_view(&texture, Some(&desc)).unwrap();
            }
            let array = ShaderResourceViewDimension::Texture2dMsArray { first_array_slice: 1, array_size: 2 };
            for dimension in [ShaderResourceViewDimension::Texture2dMs, array] {
                let desc = ShaderResourceViewDesc {
                    format: RGBA8,
                    dimension: Some(dimension),
                    ..Default::default()
                };
                h.device.create_shader_resource_view(&texture, Some(&desc)).unwrap();
            }
            let plain = R::Texture2d { mip_slice: 0 };
            let desc = RenderTargetViewDesc { format: RGBA8, dimension: Some(plain), ..Default::default() };
            let made = h.device.create_render_target_view(&texture, Some(&desc));
            assert_eq!(made.is_ok(), sample_count == 1, "{made:?}");
        }
        h.take_errors();
    });
}

/// A clear fills all samples in all slices of a view, even if it becomes the load operation of a pass.
#[test]
fn clears_fill_every_sample_of_every_slice() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        for count in counts(h, RGBA8) {
            let samples = Samples::new(h, RGBA8, count);
            for how in CommandPath::ALL {
                for draws in [false, true] {
                    h.record(how, |cx| {
                        cx.clear_render_target_view(&samples.target, [0.2, 0.4, 0.6, 0.8]);
                        if draws {
                            cover(cx, &samples, &quad, [1.0, 0.0, 0.0, 1.0], 1);
                        }
                    });
                    let found = samples.read(h);
                    for (at, texel) in found.iter().enumerate() {
                        let drawn = draws && (at as u32).is_multiple_of(count);
                        let expected = if drawn { 0xff00_00ff } else { 0xcc99_6633 };
                        assert_eq!(*texel, expected, "sample {at} of {count}, {how:?}, draws: {draws}");
                    }
                }
            }
        }
    });
}

/// Shaders load each sample in each component type, and load zeros if nothing is bound.
#[test]
fn shaders_load_samples_of_every_component_type() {
    use Format as F;
    let rows = [
        (F::R8G8B8A8_UNORM, F::R8G8B8A8_UNORM, "texture_multisampled_2d<f32>", "vec4f(KEY) / 255.0"),
        (F::R32_FLOAT, F::R32_FLOAT, "texture_multisampled_2d<f32>", "vec4f(KEY / 255.0)"),
        (F::R8G8B8A8_UINT, F::R8G8B8A8_UINT, "texture_multisampled_2d<u32>", "vec4u(u32(KEY))"),
        (F::R16_SINT, F::R16_SINT, "texture_multisampled_2d<i32>", "vec4i(i32(KEY))"),
    ];
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let quad = Quad::new(&h.device);
        for (format, view, declared, value) in rows {
            for count in counts(h, format) {
                let samples = Samples::seen_as(h, format, view, count);
                let kind = ["f32", "u32", "i32"].into_iter().find(|kind| declared.contains(kind)).unwrap();
                let source = format!(
                    "@fragment fn main(@builtin(position) at: vec4f, @builtin(sample_index) sample: u32)
                        -> @location(0) vec4<{kind}> {{
                        let key = floor(at.x) + 16.0 * f32(sample) + 4.0 * floor(at.y);
                        return {};
                    }}",
                    value.replace("KEY", "key")
                );
                let ps = h.device.create_pixel_shader(ShaderSource::wgsl(&source, "main")).unwrap();
                h.record(CommandPath::Deferred, |cx| {
                    samples.bind(cx);
                    quad.bind(cx);
                    cx.ps_set_shader(&ps);
                    quad.set(cx, WHITE, Quad::ALL, 0.0);
                    cx.draw(4, 0);
                });
                let found = read_samples(h, &samples.texture, 0, count, declared);
                for (at, texel) in (0..).zip(&found) {
                    let (row, x) = (at / (SIZE * count), at % (SIZE * count));
                    let expected = x / count + 16 * (x % count) + 4 * row;
                    let what = format!("{format:?}, {count} samples, texel {at}");
                    assert!((texel & 0xff).abs_diff(expected) <= 1, "{what}: {texel:#x}, not {expected:#x}");
                }
            }
        }
        let nothing = "@group(1) @binding(0) var samples: texture_multisampled_2d<f32>;
            @fragment fn main() -> @location(0) vec4f {
                return textureLoad(samples, vec2u(), 3) + vec4f(f32(textureNumSamples(samples)));
            }";
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(nothing, "main")).unwrap();
        let target = onze_tests::Target::new(&h.device, SIZE, SIZE);
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&target.view, WHITE);
            target.bind(cx);
            quad.bind(cx);
            cx.ps_set_shader(&ps);
            quad.set(cx, WHITE, Quad::ALL, 0.0);
            cx.draw(4, 0);
        });
        assert_all(&target.read(h), 0, "nothing is bound");
    });
}

/// Multisampled depth is tested per sample and then read by shaders.
#[test]
fn multisampled_depth_is_tested_and_read() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let desc = Texture2dDesc {
            sample_count: 4,
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, SIZE, SIZE)
        };
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let desc = DepthStencilViewDesc { format: Format::D32_FLOAT, ..Default::default() };
        let view = h.device.create_depth_stencil_view(&depth, Some(&desc)).unwrap();
        let desc = ShaderResourceViewDesc { format: Format::R32_FLOAT, ..Default::default() };
        let seen = h.device.create_shader_resource_view(&depth, Some(&desc)).unwrap();
        let samples = Samples::new(h, RGBA8, 4);
        let source = "@group(1) @binding(0) var depth: texture_depth_multisampled_2d;
            @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
                let place = vec2u(at.xy);
                return vec4f(textureLoad(depth, place, 0), textureLoad(depth, place, 1), textureLoad(depth, place, 2),
                    textureLoad(depth, place, 3));
            }";
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(source, "main")).unwrap();
        let target = onze_tests::Target::new(&h.device, SIZE, SIZE);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 1.0, 0);
                cx.clear_render_target_view(&samples.target, [0.0; 4]);
                cx.om_set_render_targets(&samples.target, &view);
                cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
                // Samples 0 and 2 have a smaller depth, so they hide the second draw.
                cx.om_set_blend_state(None, [1.0; 4], 0b0101);
                quad.draw_at(cx, [1.0, 0.0, 0.0, 1.0], Quad::ALL, 0.25);
                cx.om_set_blend_state(None, [1.0; 4], 0b1110);
                quad.draw_at(cx, [0.0, 1.0, 0.0, 1.0], Quad::ALL, 0.75);
                target.bind(cx);
                cx.om_set_blend_state(None, [1.0; 4], ALL);
                quad.bind(cx);
                cx.ps_set_shader(&ps);
                cx.ps_set_shader_resources(0, &seen);
                quad.set(cx, WHITE, Quad::ALL, 0.0);
                cx.draw(4, 0);
            });
            assert_all(&target.read(h), 0xbf40_bf40, &format!("depths, {how:?}"));
            let found = samples.read(h);
            for texel in found.chunks_exact(4) {
                assert_eq!(texel, [0xff00_00ff, 0xff00_ff00, 0xff00_00ff, 0xff00_ff00], "{how:?}");
            }
        }
    });
}

/// Copies transfer only whole subresources, with all samples.
#[test]
fn copies_take_whole_subresources_with_all_samples() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        for count in counts(h, RGBA8) {
            let (from, to) = (Samples::new(h, RGBA8, count), Samples::new(h, RGBA8, count));
            for (how, whole) in [(CommandPath::Immediate, true), (CommandPath::Nested, false)] {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&to.target, [0.0; 4]);
                    cx.clear_render_target_view(&from.target, [0.0, 0.0, 1.0, 1.0]);
                    cover(cx, &from, &quad, WHITE, 0b10);
                    if whole {
                        cx.copy_resource(&to.texture, &from.texture);
                    } else {
                        cx.copy_subresource_region(&to.texture, 0, [0; 3], &from.texture, 0, None);
                    }
                    cx.clear_render_target_view(&from.target, [0.0; 4]);
                });
                let found = to.read(h);
                for (at, texel) in found.iter().enumerate() {
                    let expected = if at as u32 % count == 1 { 0xffff_ffff } else { 0xffff_0000 };
                    assert_eq!(*texel, expected, "sample {at} of {count}, {how:?}");
                }
            }
            let one = super::result(h, RGBA8);
            h.immediate.copy_resource(&one, &from.texture);
            h.assert_reported(MessageId::CopyResourceInvalid);
            let part = Some(Box3d::rect(0, 0, 2, 2));
            h.immediate.copy_subresource_region(&to.texture, 0, [0; 3], &from.texture, 0, part);
            h.assert_reported(MessageId::CopySubresourceRegionInvalid);
            h.immediate.update_subresource(&to.texture, 0, None, &[0_u32; 16], 16, 0);
            h.assert_reported(MessageId::UpdateSubresourceInvalid);
        }
    });
}

#[test]
fn all_targets_must_have_one_sample_count() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let (one, four) = (onze_tests::Target::new(&h.device, SIZE, SIZE), Samples::new(h, RGBA8, 4));
        h.immediate.om_set_render_targets([&four.target, &one.view], None);
        h.assert_reported(MessageId::SetRenderTargetsInvalid);
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIZE, SIZE);
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let depth = h.device.create_depth_stencil_view(&depth, None).unwrap();
        h.immediate.om_set_render_targets(&four.target, &depth);
        h.assert_reported(MessageId::SetRenderTargetsInvalid);
        assert_eq!(h.immediate.om_get_render_targets().0[0], None);
    });
}

/// Shaders with multisampled and with single-sample declarations read both types of textures.
#[test]
fn the_debug_layer_reports_sample_count_mismatches() {
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceMismatch]);
        let quad = Quad::new(&h.device);
        let target = onze_tests::Target::new(&h.device, SIZE, SIZE);
        let shaders = ["texture_2d<f32>", "texture_multisampled_2d<f32>"].map(|declared| {
            let text = format!(
                "@group(1) @binding(0) var t: {declared};
                @fragment fn main() -> @location(0) vec4f {{ return textureLoad(t, vec2u(), 0); }}"
            );
            h.device.create_pixel_shader(ShaderSource::wgsl(&text, "main")).unwrap()
        });
        for (sample_count, dimension) in [
            (1, ShaderResourceViewDimension::Texture2d { most_detailed_mip: 0, mip_levels: 1 }),
            (1, ShaderResourceViewDimension::Texture2dMs),
            (4, ShaderResourceViewDimension::Texture2dMs),
        ] {
            let desc = Texture2dDesc { sample_count, ..Texture2dDesc::render_target(RGBA8, SIZE, SIZE) };
            let image = h.device.create_texture_2d(&desc, None).unwrap();
            let written = h.device.create_render_target_view(&image, None).unwrap();
            let desc =
                ShaderResourceViewDesc { format: RGBA8, dimension: Some(dimension), ..Default::default() };
            let view = h.device.create_shader_resource_view(&image, &desc).unwrap();
            for (ps, multisampled) in shaders.iter().zip([false, true]) {
                h.assert_silent();
                h.record(CommandPath::Immediate, |cx| {
                    cx.clear_render_target_view(&written, WHITE);
                    target.bind(cx);
                    quad.bind(cx);
                    cx.ps_set_shader(ps);
                    cx.ps_set_shader_resources(0, &view);
                    quad.set(cx, WHITE, Quad::ALL, 0.0);
                    cx.draw(4, 0);
                });
                let is_for_samples = dimension == ShaderResourceViewDimension::Texture2dMs;
                let fits = if multisampled { is_for_samples } else { sample_count == 1 };
                let what = format!("{sample_count} {dimension:?}");
                assert_all(&target.read(h), if fits { u32::MAX } else { 0 }, &what);
                let messages = h.device.info_queue().take();
                let said: Vec<_> =
                    messages.iter().filter(|m| m.id == MessageId::DrawShaderResourceMismatch).collect();
                assert_eq!(
                    said.is_empty(),
                    fits,
                    "{what}, declared multisampled {multisampled}: {messages:?}"
                );
            }
        }
    });
}
