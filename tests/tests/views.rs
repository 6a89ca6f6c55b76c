//! Views and state objects: default values, validation, and the sharing of objects with equal descriptors.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{
    Features, RenderTargetViewDimension as Out, ShaderResourceViewDimension as In, ViewDesc, ViewDimension,
    prelude::*,
};
use onze_tests::{Config, Harness, assert_error, on_each};

const REST: u32 = u32::MAX;

fn texture(h: &Harness, format: Format, mips: u32, slices: u32, misc_flags: MiscFlags) -> Texture2d {
    let desc = Texture2dDesc {
        mip_levels: mips,
        array_size: slices,
        misc_flags,
        ..Texture2dDesc::render_target(format, 512, 512)
    };
    h.device.create_texture_2d(&desc, None).unwrap()
}

/// Returns the dimension of a view, its first mip level and number of mip levels, and its first slice and
/// number of slices.
fn range(view: Option<&ViewDesc>) -> (ViewDimension, [u32; 4]) {
    let view = view.unwrap();
    let view = view.texture().unwrap();
    let r = view.range;
    (view.dimension, [r.first_mip, r.mips, r.first_slice, r.slices])
}

/// See Wine 10.0, d3d11 tests, lines 4470 to 4589.
#[test]
fn a_shader_resource_view_without_a_descriptor_sees_everything() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let arrays = !h.device.check_feature_support().missing.contains(Features::CUBE_ARRAYS);
        let plain = MiscFlags::empty();
        let rows = [
            (1, plain, ViewDimension::Texture2d, 1),
            (4, plain, ViewDimension::Texture2dArray, 4),
            (6, plain, ViewDimension::Texture2dArray, 6),
            (6, MiscFlags::TEXTURECUBE, ViewDimension::TextureCube, 6),
            (9, MiscFlags::TEXTURECUBE, ViewDimension::TextureCube, 6),
            (11, MiscFlags::TEXTURECUBE, ViewDimension::TextureCube, 6),
            (12, MiscFlags::TEXTURECUBE, ViewDimension::TextureCubeArray, 12),
            (13, MiscFlags::TEXTURECUBE, ViewDimension::TextureCubeArray, 12),
            (14, MiscFlags::TEXTURECUBE, ViewDimension::TextureCubeArray, 12),
            (18, MiscFlags::TEXTURECUBE, ViewDimension::TextureCubeArray, 18),
        ];
        for (slices, misc, dimension, seen) in rows {
            let texture = texture(h, Format::R8_UNORM, 0, slices, misc);
            let result = h.device.create_shader_resource_view(&texture, None);
            if dimension == ViewDimension::TextureCubeArray && !arrays {
                assert_error!(result, Unsupported);
                h.take_errors();
                continue;
            }
            let view = result.unwrap();
            assert_eq!(range(view.desc()), (dimension, [0, 10, 0, seen]), "{slices} slices, {misc:?}");
            assert_eq!(view.desc().unwrap().texture().unwrap().format, Format::R8_UNORM);
            assert_eq!(view.texture_2d(), Some(texture));
        }
    });
}

#[test]
fn ranges_of_shader_resource_views_are_resolved_and_checked() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let texture = texture(h, Format::R8_UNORM, 10, 5, MiscFlags::empty());
        let create = |dimension| {
            h.device
                .create_shader_resource_view(&texture, Some(&ShaderResourceViewDesc::dimension(dimension)))
        };
        let numbers = [0, 1, 2, 3, 4, 5, 9, 10, 11, REST];
        for most_detailed_mip in numbers {
            for mip_levels in numbers {
                let rest = 10_u32.saturating_sub(most_detailed_mip);
                let mips = if mip_levels == REST { rest } else { mip_levels };
                let mips_valid = mips > 0 && mips <= rest;
                let row = format!("mips {most_detailed_mip} + {mip_levels}");
                let result = create(In::Texture2d { most_detailed_mip, mip_levels });
                assert_eq!(result.is_ok(), mips_valid, "{row}");
                if let Ok(view) = result {
                    let expected = (ViewDimension::Texture2d, [most_detailed_mip, mips, 0, 1]);
                    assert_eq!(range(view.desc()), expected, "{row}");
                }
                for (first_array_slice, array_size) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
                    let rest = 5_u32.saturating_sub(first_array_slice);
                    let slices = if array_size == REST { rest } else { array_size };
                    let valid = mips_valid && slices > 0 && slices <= rest;
                    let row = format!("{row}, slices {first_array_slice} + {array_size}");
                    let result = create(In::Texture2dArray {
                        most_detailed_mip,
                        mip_levels,
                        first_array_slice,
                        array_size,
                    });
                    assert_eq!(result.is_ok(), valid, "{row}");
                    if let Ok(view) = result {
                        let expected = [most_detailed_mip, mips, first_array_slice, slices];
                        assert_eq!(range(view.desc()), (ViewDimension::Texture2dArray, expected), "{row}");
                    }
                }
            }
        }
        // A cube view requires `MiscFlags::TEXTURECUBE`.
        assert_error!(create(In::TextureCube { most_detailed_mip: 0, mip_levels: 1 }), InvalidArg);
        h.assert_reported(MessageId::CreateShaderResourceViewInvalid);
    });
}

/// See Wine 10.0, d3d11 tests, lines 4470 to 4589.
#[test]
fn cube_views_stay_within_the_slices() {
    on_each(&[Config::NULL], |h| {
        for slices in [6, 8, 12, 18] {
            let texture = texture(h, Format::R8_UNORM, 1, slices, MiscFlags::TEXTURECUBE);
            for first_2d_array_face in 0..=slices {
                for num_cubes in [0, 1, 2, 3, 4, REST] {
                    let dimension = In::TextureCubeArray {
                        most_detailed_mip: 0,
                        mip_levels: 1,
                        first_2d_array_face,
                        num_cubes,
                    };
                    let desc = ShaderResourceViewDesc::dimension(dimension);
                    let result = h.device.create_shader_resource_view(&texture, Some(&desc));
                    let most = (slices - first_2d_array_face) / 6;
                    let cubes = if num_cubes == REST { most } else { num_cubes };
                    let row = format!("{slices} slices, {num_cubes} cubes from {first_2d_array_face}");
                    assert_eq!(result.is_ok(), cubes > 0 && cubes <= most, "{row}");
                    if let Ok(view) = result {
                        assert_eq!(range(view.desc()).1, [0, 1, first_2d_array_face, cubes * 6], "{row}");
                    }
                }
            }
        }
        h.take_errors();
    });
}

/// See Wine 10.0, d3d11 tests, lines 4151 to 4245.
#[test]
fn a_target_view_without_a_descriptor_is_all_slices_of_mip_0() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        for (slices, dimension) in [(1, ViewDimension::Texture2d), (4, ViewDimension::Texture2dArray)] {
            let color = texture(h, Format::R8_UNORM, 3, slices, MiscFlags::empty());
            let view = h.device.create_render_target_view(&color, None).unwrap();
            assert_eq!(range(view.desc()), (dimension, [0, 1, 0, slices]));
            assert_eq!(view.texture_2d(), Some(color));
            let desc = Texture2dDesc {
                mip_levels: 3,
                array_size: slices,
                ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, 16, 16)
            };
            let depth = h.device.create_texture_2d(&desc, None).unwrap();
            let view = h.device.create_depth_stencil_view(&depth, None).unwrap();
            assert_eq!(range(view.desc()), (dimension, [0, 1, 0, slices]));
            assert_eq!(
                (view.desc().unwrap().texture().unwrap().flags, view.texture_2d()),
                (DsvFlags::empty(), Some(depth))
            );
        }
    });
}

#[test]
fn the_ranges_of_target_views_are_resolved_and_checked() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let color = texture(h, Format::R8_UNORM, 3, 4, MiscFlags::empty());
        let desc = Texture2dDesc {
            mip_levels: 3,
            array_size: 4,
            ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, 16, 16)
        };
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let numbers = [0, 1, 2, 3, 4, 5, REST];
        for mip_slice in numbers {
            for (first_array_slice, array_size) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
                let dimension = Some(Out::Texture2dArray { mip_slice, first_array_slice, array_size });
                let rest = 4_u32.saturating_sub(first_array_slice);
                let slices = if array_size == REST { rest } else { array_size };
                let valid = mip_slice < 3 && slices > 0 && slices <= rest;
                let row = format!("mip {mip_slice}, slices {first_array_slice} + {array_size}");
                let desc = RenderTargetViewDesc { dimension, ..Default::default() };
                let target = h.device.create_render_target_view(&color, Some(&desc));
                let desc =
                    DepthStencilViewDesc { format: Format::D32_FLOAT, dimension, ..Default::default() };
                let stencil = h.device.create_depth_stencil_view(&depth, Some(&desc));
                assert_eq!((target.is_ok(), stencil.is_ok()), (valid, valid), "{row}");
                if let (Ok(target), Ok(stencil)) = (target, stencil) {
                    let expected = (ViewDimension::Texture2dArray, [mip_slice, 1, first_array_slice, slices]);
                    assert_eq!(range(target.desc()), expected, "{row}");
                    assert_eq!(range(stencil.desc()), expected, "{row}");
                }
            }
        }
        // A multisampled view of a single-sample texture is allowed.
        let flat = texture(h, Format::R8_UNORM, 1, 1, MiscFlags::empty());
        let desc = RenderTargetViewDesc { dimension: Some(Out::Texture2dMs), ..Default::default() };
        assert!(h.device.create_render_target_view(&flat, Some(&desc)).is_ok());
        h.take_errors();
    });
}

/// See Wine 10.0, d3d11 tests, lines 4151 to 4245.
#[test]
fn a_views_format_fits_its_textures_format_or_family() {
    use Format as F;
    on_each(&[Config::NULL, Config::GPU], |h| {
        let views = [
            F::UNKNOWN,
            F::R8G8B8A8_TYPELESS,
            F::R8G8B8A8_UNORM,
            F::R8G8B8A8_UNORM_SRGB,
            F::R8G8B8A8_UINT,
            F::B8G8R8A8_UNORM,
            F::R32_FLOAT,
            F::R16G16_UNORM,
        ];
        for resource in [F::R8G8B8A8_TYPELESS, F::R8G8B8A8_UNORM, F::R8G8B8A8_UNORM_SRGB, F::R8G8B8A8_UINT] {
            let texture = texture(h, resource, 1, 1, MiscFlags::empty());
            for view in views {
                let valid = match resource {
                    F::R8G8B8A8_TYPELESS => {
                        [F::R8G8B8A8_UNORM, F::R8G8B8A8_UNORM_SRGB, F::R8G8B8A8_UINT].contains(&view)
                    }
                    _ => view == resource || view == F::UNKNOWN,
                };
                let row = format!("{view:?} of {resource:?}");
                let target =
                    h.device.create_render_target_view(&texture, Some(&RenderTargetViewDesc::format(view)));
                let input = h
                    .device
                    .create_shader_resource_view(&texture, Some(&ShaderResourceViewDesc::format(view)));
                if valid {
                    let expected = if view == F::UNKNOWN { resource } else { view };
                    let format = |desc: Option<&ViewDesc>| desc.unwrap().texture().unwrap().format;
                    for made in [target.map(|v| format(v.desc())), input.map(|v| format(v.desc()))] {
                        match made {
                            // A device that cannot reinterpret the format returns an error.
                            Err(onze::Error::Unsupported(text)) => {
                                assert!(view == F::R8G8B8A8_UINT && h.draws(), "{row}: {text}");
                            }
                            made => assert_eq!(made, Ok(expected), "{row}"),
                        }
                    }
                } else {
                    assert_error!(target, InvalidArg, "{row}");
                    assert_error!(input, InvalidArg, "{row}");
                }
            }
            let without = h.device.create_render_target_view(&texture, None);
            assert_eq!(without.is_ok(), resource != F::R8G8B8A8_TYPELESS, "no descriptor of {resource:?}");
        }
        h.take_errors();
    });
}

#[test]
fn a_view_needs_the_bind_flag_of_its_resource() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        for bind_flags in [BindFlags::SHADER_RESOURCE, BindFlags::RENDER_TARGET] {
            let desc =
                Texture2dDesc { mip_levels: 1, bind_flags, ..Texture2dDesc::new(Format::R8_UNORM, 4, 4) };
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            let input = h.device.create_shader_resource_view(&texture, None);
            let target = h.device.create_render_target_view(&texture, None);
            assert_eq!(input.is_ok(), bind_flags == BindFlags::SHADER_RESOURCE);
            assert_eq!(target.is_ok(), bind_flags == BindFlags::RENDER_TARGET);
            assert_error!(h.device.create_depth_stencil_view(&texture, None), InvalidArg);
        }
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None).unwrap();
        assert_error!(h.device.create_shader_resource_view(&buffer, None), InvalidArg);
        assert_error!(h.device.create_render_target_view(&buffer, None), InvalidArg);
        assert_error!(h.device.create_depth_stencil_view(&buffer, None), InvalidArg);
        h.take_errors();
    });
}

fn equal_states_are_one_object(d: &Device, sampler: &SamplerDesc) {
    let blend = BlendDesc::all(RenderTargetBlendDesc::alpha());
    let a = [d.create_blend_state(&blend).unwrap(), d.create_blend_state(&blend).unwrap()];
    let other_blend = d.create_blend_state(&BlendDesc::default()).unwrap();
    assert_eq!((&a[0], a[0].desc()), (&a[1], blend));
    assert_ne!(a[0], other_blend);

    let depth = DepthStencilDesc { depth_write: false, ..Default::default() };
    let b = [d.create_depth_stencil_state(&depth).unwrap(), d.create_depth_stencil_state(&depth).unwrap()];
    let other_depth = d.create_depth_stencil_state(&DepthStencilDesc::default()).unwrap();
    assert_eq!((&b[0], b[0].desc()), (&b[1], depth));
    assert_ne!(b[0], other_depth);

    let raster = RasterizerDesc { depth_bias: 3, ..Default::default() };
    let c = [d.create_rasterizer_state(&raster).unwrap(), d.create_rasterizer_state(&raster).unwrap()];
    let other_raster = d.create_rasterizer_state(&RasterizerDesc::default()).unwrap();
    assert_eq!((&c[0], c[0].desc()), (&c[1], raster));
    assert_ne!(c[0], other_raster);

    let e = [d.create_sampler_state(sampler).unwrap(), d.create_sampler_state(sampler).unwrap()];
    assert_eq!(e[0], e[1]);
    assert_eq!(d.statistics().live_objects, 7, "one object for each descriptor");
}

#[test]
fn equal_state_descriptors_share_one_object() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let sampler = SamplerDesc::default();
        equal_states_are_one_object(&h.device, &sampler);
        // All references have been dropped, so the state is created again.
        h.immediate.flush();
        assert_eq!(h.device.statistics().live_objects, 0);
        assert_eq!(
            h.device.create_sampler_state(&sampler).unwrap().desc().address_u,
            TextureAddressMode::Clamp
        );
    });
}

/// See Wine 10.0, d3d11 tests, line 5270.
#[test]
fn a_sampler_is_normalised() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let border = [0.0, 0.0, 0.0, 1.0];
        let points = Filter::MIN_MAG_MIP_POINT;
        let can = h.device.check_feature_support().features;
        let is_there = |filter: &Filter| filter.to_u32() < 0x100 || can.contains(Features::MIN_MAX_FILTERS);
        let filters: Vec<_> = Filter::ALL.into_iter().filter(is_there).collect();
        let has_border = !h.device.check_feature_support().missing.contains(Features::BORDER_ADDRESS);
        for filter in filters {
            for address in [TextureAddressMode::Wrap, TextureAddressMode::Clamp, TextureAddressMode::Border] {
                if address == TextureAddressMode::Border && !has_border {
                    continue;
                }
                let desc = SamplerDesc {
                    max_anisotropy: 4,
                    comparison_func: ComparisonFunc::Less,
                    border_color: border,
                    min_lod: -1.0,
                    max_lod: 16.0,
                    address_v: address,
                    ..SamplerDesc::new(filter, TextureAddressMode::Mirror)
                };
                let made = h.device.create_sampler_state(&desc).unwrap().desc();
                let row = format!("{filter:?} {address:?}");
                assert_eq!(made.max_anisotropy, if filter.anisotropic { 4 } else { 0 }, "{row}");
                let func = if filter.is_comparison() { ComparisonFunc::Less } else { ComparisonFunc::Never };
                assert_eq!(made.comparison_func, func, "{row}");
                let uses_border = address == TextureAddressMode::Border;
                assert_eq!(made.border_color, if uses_border { border } else { [0.0; 4] }, "{row}");
                assert_eq!((made.min_lod, made.max_lod), (-1.0, 16.0), "{row}");
            }
        }
        let bad =
            |desc: SamplerDesc| assert_error!(h.device.create_sampler_state(&desc), InvalidArg, "{desc:?}");
        let anisotropic = |max_anisotropy| SamplerDesc {
            max_anisotropy,
            ..SamplerDesc::new(Filter::ANISOTROPIC, TextureAddressMode::Wrap)
        };
        bad(anisotropic(0));
        bad(anisotropic(17));
        bad(SamplerDesc { mip_lod_bias: 16.0, ..SamplerDesc::new(points, TextureAddressMode::Wrap) });
        bad(SamplerDesc { min_lod: f32::NAN, ..SamplerDesc::default() });
        let reversed = SamplerDesc { min_lod: 2.0, max_lod: 1.0, ..SamplerDesc::default() };
        let made = h.device.create_sampler_state(&reversed).unwrap().desc();
        assert_eq!((made.min_lod, made.max_lod), (2.0, 1.0));
        h.assert_reported(MessageId::CreateStateInvalid);
    });
}

#[test]
fn alpha_factors_are_not_colours_where_blending_is_on() {
    use Blend as B;
    let factors = [
        (B::Zero, false),
        (B::One, false),
        (B::SrcColor, true),
        (B::InvSrcColor, true),
        (B::SrcAlpha, false),
        (B::InvSrcAlpha, false),
        (B::DestAlpha, false),
        (B::InvDestAlpha, false),
        (B::DestColor, true),
        (B::InvDestColor, true),
        (B::SrcAlphaSat, false),
        (B::BlendFactor, false),
        (B::InvBlendFactor, false),
    ];
    on_each(&[Config::NULL, Config::GPU], |h| {
        for (factor, is_color) in factors {
            for blend_enable in [false, true] {
                for source in [false, true] {
                    let mut target = RenderTargetBlendDesc { blend_enable, ..Default::default() };
                    *if source { &mut target.src_blend_alpha } else { &mut target.dest_blend_alpha } = factor;
                    let result = h.device.create_blend_state(&BlendDesc::all(target));
                    let row = format!("{factor:?}, enabled {blend_enable}, source {source}");
                    assert_eq!(result.is_ok(), !(is_color && blend_enable), "{row}");
                    // Without independent blending, the second target's description has no effect.
                    let mut desc = BlendDesc::default();
                    desc.render_target[1] = target;
                    assert!(h.device.create_blend_state(&desc).is_ok(), "{row}");
                    desc.independent_blend_enable = true;
                    let result = h.device.create_blend_state(&desc);
                    assert_eq!(result.is_ok(), !(is_color && blend_enable), "{row}, independent");
                }
            }
        }
        h.assert_reported(MessageId::CreateStateInvalid);
    });
}

#[test]
fn a_device_has_at_most_4096_different_states_of_a_kind() {
    on_each(&[Config::NULL], |h| {
        let create = |bias| {
            h.device.create_rasterizer_state(&RasterizerDesc { depth_bias: bias, ..Default::default() })
        };
        let mut states: Vec<_> = (0..4096).map(|bias| create(bias).unwrap()).collect();
        assert_error!(create(5000), TooManyUniqueStateObjects);
        h.assert_reported(MessageId::CreateStateInvalid);
        // An existing state does not count again, and each type of state has its own limit.
        assert_eq!(create(17).unwrap(), states[17]);
        assert!(h.device.create_blend_state(&BlendDesc::default()).is_ok());
        states.pop();
        assert!(create(5000).is_ok());
    });
}

#[test]
fn unsupported_features_are_refused_by_name() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let missing = h.device.check_feature_support().missing;
        let raster = |desc: RasterizerDesc| h.device.create_rasterizer_state(&desc).map(|_| ());
        let rows = [
            (
                Features::WIREFRAME,
                raster(RasterizerDesc { fill_mode: FillMode::Wireframe, ..Default::default() }),
            ),
            (
                Features::DEPTH_CLIP_DISABLE,
                raster(RasterizerDesc { depth_clip_enable: false, ..Default::default() }),
            ),
            (
                Features::ANTIALIASED_LINES,
                raster(RasterizerDesc { antialiased_line_enable: true, ..Default::default() }),
            ),
            (
                Features::FORCED_SAMPLE_COUNT,
                raster(RasterizerDesc { forced_sample_count: 4, ..Default::default() }),
            ),
            (
                Features::CONSERVATIVE_RASTERIZATION,
                raster(RasterizerDesc {
                    conservative_raster: ConservativeRasterizationMode::On,
                    ..Default::default()
                }),
            ),
            (
                Features::LOGIC_OPS,
                h.device
                    .create_blend_state(&BlendDesc::all(RenderTargetBlendDesc {
                        logic_op_enable: true,
                        ..Default::default()
                    }))
                    .map(|_| ()),
            ),
            (
                Features::MIRROR_ONCE,
                h.device
                    .create_sampler_state(&SamplerDesc::new(
                        Filter::MIN_MAG_MIP_POINT,
                        TextureAddressMode::MirrorOnce,
                    ))
                    .map(|_| ()),
            ),
        ];
        for (feature, result) in rows {
            if missing.contains(feature) {
                assert!(matches!(&result, Err(onze::Error::Unsupported(_))), "{feature:?}: {result:?}");
            } else {
                assert_eq!(result, Ok(()), "{feature:?}");
            }
        }
        h.take_errors();
    });
}
