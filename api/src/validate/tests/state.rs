//! Tests of the validation of state objects' descriptors.

use onze_ddi::{
    Blend, BlendDesc, BlendOp, ColorWrite, ComparisonFunc, ConservativeRasterizationMode, DepthStencilDesc,
    FillMode, Filter, FilterReduction, LogicOp, RasterizerDesc, RenderTargetBlendDesc, SamplerDesc,
    StencilOp, TextureAddressMode,
};

use super::*;
use crate::validate::{blend, depth_stencil, rasterizer, sampler};

const FACTORS: [(Blend, bool); 17] = [
    (Blend::Zero, false),
    (Blend::One, false),
    (Blend::SrcColor, true),
    (Blend::InvSrcColor, true),
    (Blend::SrcAlpha, false),
    (Blend::InvSrcAlpha, false),
    (Blend::DestAlpha, false),
    (Blend::InvDestAlpha, false),
    (Blend::DestColor, true),
    (Blend::InvDestColor, true),
    (Blend::SrcAlphaSat, false),
    (Blend::BlendFactor, false),
    (Blend::InvBlendFactor, false),
    (Blend::Src1Color, true),
    (Blend::InvSrc1Color, true),
    (Blend::Src1Alpha, false),
    (Blend::InvSrc1Alpha, false),
];

/// Returns the default sampler descriptor with one value changed.
fn changed(change: impl FnOnce(&mut SamplerDesc)) -> SamplerDesc {
    let mut desc = SamplerDesc::default();
    change(&mut desc);
    desc
}

#[test]
fn the_defaults_are_valid_and_come_back_as_they_are() {
    let none = without(Features::all());
    assert_eq!(blend(&BlendDesc::default(), &none), Ok(BlendDesc::default()));
    assert_eq!(rasterizer(&RasterizerDesc::default(), &none), Ok(RasterizerDesc::default()));
    assert_eq!(depth_stencil(&DepthStencilDesc::default(), &none), Ok(DepthStencilDesc::default()));
    let default = sampler(&SamplerDesc::default(), &none);
    assert_eq!(default.map(|d| d.filter), Ok(Filter::MIN_MAG_MIP_LINEAR));
}

#[test]
fn factors_of_alpha_may_not_be_colours() {
    for (factor, is_color) in FACTORS {
        let on = RenderTargetBlendDesc { blend_enable: true, ..Default::default() };
        for (target, expected) in [
            (RenderTargetBlendDesc { src_blend: factor, dest_blend: factor, ..on }, true),
            (RenderTargetBlendDesc { src_blend_alpha: factor, ..on }, !is_color),
            (RenderTargetBlendDesc { dest_blend_alpha: factor, ..on }, !is_color),
        ] {
            let result = blend(&BlendDesc::all(target), &full());
            assert_eq!(
                verdict(&result),
                if expected { Verdict::Valid } else { Verdict::Invalid },
                "{target:?}"
            );
            let off = BlendDesc::all(RenderTargetBlendDesc { blend_enable: false, ..target });
            assert_eq!(blend(&off, &full()), Ok(BlendDesc::default()), "what is off is not looked at");
        }
    }
}

#[test]
fn later_targets_count_only_when_they_are_independent() {
    let bad =
        RenderTargetBlendDesc { blend_enable: true, src_blend_alpha: Blend::SrcColor, ..Default::default() };
    for slot in 0..8 {
        for independent_blend_enable in [false, true] {
            let mut desc = BlendDesc { independent_blend_enable, ..Default::default() };
            desc.render_target[slot] = bad;
            let result = blend(&desc, &full());
            assert_eq!(
                result.is_err(),
                slot == 0 || independent_blend_enable,
                "{slot} {independent_blend_enable}"
            );
            match result {
                Ok(kept) => assert_eq!(kept, BlendDesc::default(), "the first target is that of all"),
                Err(e) => assert!(e.to_string().contains(&format!("target {slot}")), "{e}"),
            }
        }
    }
}

/// Each function changes one field of a target that is used only if blending is on.
const BLEND_CHANGES: [fn(&mut RenderTargetBlendDesc); 6] = [
    |t| t.src_blend = Blend::DestAlpha,
    |t| t.dest_blend = Blend::DestAlpha,
    |t| t.blend_op = BlendOp::Max,
    |t| t.src_blend_alpha = Blend::DestAlpha,
    |t| t.dest_blend_alpha = Blend::DestAlpha,
    |t| t.blend_op_alpha = BlendOp::Max,
];

#[test]
fn a_blend_that_is_off_has_its_defaults() {
    let mask = ColorWrite::from_bits_retain(5);
    for change in BLEND_CHANGES {
        for blend_enable in [false, true] {
            for (slot, independent_blend_enable) in [(0, false), (0, true), (3, true)] {
                let mut desc = BlendDesc {
                    independent_blend_enable,
                    alpha_to_coverage_enable: true,
                    ..Default::default()
                };
                desc.render_target[slot] = RenderTargetBlendDesc {
                    blend_enable,
                    render_target_write_mask: mask,
                    ..Default::default()
                };
                let plain = desc;
                change(&mut desc.render_target[slot]);
                let kept = blend(&desc, &full()).unwrap();
                let mut expected = if blend_enable { desc } else { plain };
                if !independent_blend_enable {
                    expected.render_target = [expected.render_target[0]; 8];
                }
                assert_eq!(kept, expected);
                assert_eq!(blend(&kept, &full()), Ok(kept), "what comes back makes the same state");
            }
        }
    }
}

/// The rule is from the D3D11.3 functional specification, 17.1 and 17.7.2.
#[test]
fn a_logic_operation_excludes_blending_and_independent_targets() {
    for number in 0..16 {
        let logic_op = LogicOp::from_u32(number).unwrap();
        let on = RenderTargetBlendDesc { logic_op_enable: true, logic_op, ..Default::default() };
        let desc = BlendDesc::all(on);
        assert_eq!(blend(&desc, &full()), Ok(desc));
        let missing = blend(&desc, &without(Features::LOGIC_OPS));
        assert_eq!(verdict(&missing), Verdict::Unsupported);
        assert!(reason(missing).contains("LOGIC_OPS"));

        let off = BlendDesc::all(RenderTargetBlendDesc { logic_op_enable: false, ..on });
        assert_eq!(blend(&off, &without(Features::LOGIC_OPS)), Ok(BlendDesc::default()));
        let blended = RenderTargetBlendDesc { logic_op, ..RenderTargetBlendDesc::alpha() };
        let expected = BlendDesc::all(RenderTargetBlendDesc::alpha());
        assert_eq!(blend(&BlendDesc::all(blended), &full()), Ok(expected));
    }
    let on = RenderTargetBlendDesc { logic_op_enable: true, ..Default::default() };
    let both = BlendDesc::all(RenderTargetBlendDesc { blend_enable: true, ..on });
    for caps in [full(), without(Features::all())] {
        assert_eq!(
            verdict(&blend(&both, &caps)),
            Verdict::Invalid,
            "a mistake is named before what is missing"
        );
        for slot in [0, 1, 7] {
            let mut desc = BlendDesc { independent_blend_enable: true, ..BlendDesc::default() };
            desc.render_target[slot] = on;
            let refused = blend(&desc, &caps);
            assert_eq!(verdict(&refused), Verdict::Invalid, "{slot}");
            assert!(reason(refused).contains(&format!("target {slot}")));
        }
    }
    let mut unseen = BlendDesc::default();
    unseen.render_target[3] = both.render_target[3];
    assert_eq!(blend(&unseen, &without(Features::all())), Ok(BlendDesc::default()));
}

#[test]
fn a_test_that_is_off_has_its_defaults() {
    let default = DepthStencilDesc::default();
    let depth: [fn(&mut DepthStencilDesc); 2] =
        [|d| d.depth_write = false, |d| d.depth_func = ComparisonFunc::Greater];
    let stencil: [fn(&mut DepthStencilDesc); 10] = [
        |d| d.stencil_read_mask = 1,
        |d| d.stencil_write_mask = 1,
        |d| d.front_face.stencil_fail_op = StencilOp::Zero,
        |d| d.front_face.stencil_depth_fail_op = StencilOp::Zero,
        |d| d.front_face.stencil_pass_op = StencilOp::Zero,
        |d| d.front_face.stencil_func = ComparisonFunc::Less,
        |d| d.back_face.stencil_fail_op = StencilOp::Zero,
        |d| d.back_face.stencil_depth_fail_op = StencilOp::Zero,
        |d| d.back_face.stencil_pass_op = StencilOp::Zero,
        |d| d.back_face.stencil_func = ComparisonFunc::Less,
    ];
    let changes = depth.map(|change| (change, true)).into_iter();
    for (change, is_depth) in changes.chain(stencil.map(|change| (change, false))) {
        for (depth_enable, stencil_enable) in [(false, false), (false, true), (true, false), (true, true)] {
            let plain = DepthStencilDesc { depth_enable, stencil_enable, ..default };
            let mut desc = plain;
            change(&mut desc);
            let is_on = if is_depth { depth_enable } else { stencil_enable };
            let kept = depth_stencil(&desc, &full());
            assert_eq!(kept, Ok(if is_on { desc } else { plain }));
        }
    }
}

#[test]
fn write_masks_have_four_bits() {
    for bits in 0..=255u8 {
        let mask = ColorWrite::from_bits_retain(bits);
        let target = RenderTargetBlendDesc { render_target_write_mask: mask, ..Default::default() };
        assert_eq!(blend(&BlendDesc::all(target), &full()).is_ok(), bits < 16, "{bits:#x}");
    }
}

#[test]
fn dual_source_blending_is_refused_by_name_if_missing() {
    for (factor, _) in FACTORS {
        let target = RenderTargetBlendDesc { blend_enable: true, dest_blend: factor, ..Default::default() };
        let result = blend(&BlendDesc::all(target), &without(Features::DUAL_SOURCE_BLEND));
        let second = format!("{factor:?}").contains("Src1");
        assert_eq!(
            verdict(&result),
            if second { Verdict::Unsupported } else { Verdict::Valid },
            "{factor:?}"
        );
        if second {
            assert!(reason(result).contains("DUAL_SOURCE_BLEND"));
        }
    }
}

#[test]
fn missing_rasterizer_modes_are_refused_by_name() {
    let default = RasterizerDesc::default();
    for (desc, feature, name) in [
        (RasterizerDesc { fill_mode: FillMode::Wireframe, ..default }, Features::WIREFRAME, "WIREFRAME"),
        (
            RasterizerDesc { depth_clip_enable: false, ..default },
            Features::DEPTH_CLIP_DISABLE,
            "DEPTH_CLIP_DISABLE",
        ),
        (
            RasterizerDesc { antialiased_line_enable: true, ..default },
            Features::ANTIALIASED_LINES,
            "ANTIALIASED_LINES",
        ),
        (
            RasterizerDesc { forced_sample_count: 1, ..default },
            Features::FORCED_SAMPLE_COUNT,
            "FORCED_SAMPLE_COUNT",
        ),
        (
            RasterizerDesc { conservative_raster: ConservativeRasterizationMode::On, ..default },
            Features::CONSERVATIVE_RASTERIZATION,
            "CONSERVATIVE_RASTERIZATION",
        ),
    ] {
        assert_eq!(rasterizer(&desc, &full()), Ok(desc));
        let refused = rasterizer(&desc, &without(feature));
        assert_eq!(verdict(&refused), Verdict::Unsupported, "{desc:?}");
        assert!(reason(refused).contains(name), "{name}");
    }
    for desc in [
        RasterizerDesc { depth_bias_clamp: f32::NAN, ..default },
        RasterizerDesc { slope_scaled_depth_bias: f32::NAN, ..default },
        RasterizerDesc {
            conservative_raster: ConservativeRasterizationMode::On,
            fill_mode: FillMode::Wireframe,
            ..default
        },
    ] {
        for caps in [full(), without(Features::all())] {
            assert_eq!(verdict(&rasterizer(&desc, &caps)), Verdict::Invalid, "{desc:?}");
        }
    }
}

#[test]
fn forced_sample_counts_are_powers_of_two_up_to_16() {
    for forced_sample_count in (0..40).chain([64, u32::MAX]) {
        let desc = RasterizerDesc { forced_sample_count, ..RasterizerDesc::default() };
        let is_count = [0, 1, 2, 4, 8, 16].contains(&forced_sample_count);
        let is_off = forced_sample_count == 0;
        assert_eq!(rasterizer(&desc, &full()).ok(), is_count.then_some(desc));
        let expected = match (is_count, is_off) {
            (false, _) => Verdict::Invalid,
            (true, false) => Verdict::Unsupported,
            (true, true) => Verdict::Valid,
        };
        let found = rasterizer(&desc, &without(Features::FORCED_SAMPLE_COUNT));
        assert_eq!(verdict(&found), expected, "{forced_sample_count}");
    }
}

/// The rule is from the D3D11.3 functional specification, 15.14.1.
#[test]
fn quadrilateral_lines_are_never_antialiased() {
    for (multisample_enable, antialiased_line_enable, is_alpha) in
        [(false, false, false), (false, true, true), (true, false, false), (true, true, false)]
    {
        let desc = RasterizerDesc { multisample_enable, antialiased_line_enable, ..Default::default() };
        let found = rasterizer(&desc, &without(Features::ANTIALIASED_LINES));
        assert_eq!(found.ok(), (!is_alpha).then_some(desc), "{desc:?}");
    }
}

#[test]
fn a_sampler_is_reported_without_what_it_does_not_use() {
    use FilterReduction as R;
    let addresses = [TextureAddressMode::Clamp, TextureAddressMode::Border, TextureAddressMode::Wrap];
    let reductions = [R::Standard, R::Comparison, R::Minimum, R::Maximum];
    for (bits, reduction) in (0..16).flat_map(|bits| reductions.map(|reduction| (bits, reduction))) {
        let [min_linear, mag_linear, mip_linear, anisotropic] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        for address in addresses {
            let desc = SamplerDesc {
                filter: Filter { min_linear, mag_linear, mip_linear, anisotropic, reduction },
                address_v: address,
                max_anisotropy: 7,
                comparison_func: ComparisonFunc::GreaterEqual,
                border_color: [0.1, 0.2, 0.3, 0.4],
                min_lod: -3.0,
                max_lod: 9.0,
                ..SamplerDesc::default()
            };
            let found = sampler(&desc, &full()).expect("valid");
            assert_eq!(found.max_anisotropy, if anisotropic { 7 } else { 0 }, "{desc:?}");
            let func =
                if reduction == R::Comparison { ComparisonFunc::GreaterEqual } else { ComparisonFunc::Never };
            assert_eq!(found.comparison_func, func, "{desc:?}");
            let border = address == TextureAddressMode::Border;
            assert_eq!(found.border_color, if border { desc.border_color } else { [0.0; 4] }, "{desc:?}");
            assert_eq!((found.min_lod, found.max_lod), (-3.0, 9.0), "{desc:?}");
            let linear = [found.filter.min_linear, found.filter.mag_linear, found.filter.mip_linear];
            let given = [min_linear, mag_linear, mip_linear];
            assert_eq!(linear, if anisotropic { [true; 3] } else { given }, "{desc:?}");
            assert_eq!(sampler(&found, &full()), Ok(found), "what is reported makes the same object");
        }
    }
}

#[test]
fn limits_of_samplers() {
    for anisotropy in 0..20 {
        for filter in [Filter::ANISOTROPIC, Filter::MIN_MAG_MIP_POINT] {
            let desc = SamplerDesc { filter, max_anisotropy: anisotropy, ..Default::default() };
            let expected = !filter.anisotropic || (1..=16).contains(&anisotropy);
            assert_eq!(sampler(&desc, &full()).is_ok(), expected, "{desc:?}");
        }
    }
    for (bias, expected) in
        [(-16.01, false), (-16.0, true), (0.0, true), (15.99, true), (16.0, false), (f32::NAN, false)]
    {
        assert_eq!(sampler(&changed(|d| d.mip_lod_bias = bias), &full()).is_ok(), expected, "{bias}");
    }
    for (min, max, expected) in [
        (0.0, 0.0, true),
        (1.0, 0.5, true),
        (f32::MAX, f32::MIN, true),
        (f32::NEG_INFINITY, f32::INFINITY, true),
        (f32::NAN, 1.0, false),
    ] {
        let desc = SamplerDesc { min_lod: min, max_lod: max, ..Default::default() };
        assert_eq!(sampler(&desc, &full()).is_ok(), expected, "{desc:?}");
    }
    for channel in 0..4 {
        let nan = changed(|d| d.border_color[channel] = f32::NAN);
        assert_eq!(verdict(&sampler(&nan, &full())), Verdict::Invalid, "{nan:?}");
    }
}

#[test]
fn every_filter_of_direct3d_11_has_a_number() {
    for filter in Filter::ALL {
        assert_eq!(Filter::from_u32(filter.to_u32()), Some(filter));
        let desc = SamplerDesc { max_anisotropy: 2, ..SamplerDesc::new(filter, TextureAddressMode::Wrap) };
        assert_eq!(sampler(&desc, &full()).map(|desc| desc.filter), Ok(filter));
        let is_extreme = filter.to_u32() >= 0x100;
        let refused = sampler(&desc, &without(Features::MIN_MAX_FILTERS));
        assert_eq!(
            verdict(&refused),
            if is_extreme { Verdict::Unsupported } else { Verdict::Valid },
            "{filter:?}"
        );
    }
    let known: Vec<u32> = (0..0x400).filter(|bits| Filter::from_u32(*bits).is_some()).collect();
    let parts = [0, 1, 4, 5, 0x10, 0x11, 0x14, 0x15, 0x55];
    let expected: Vec<u32> =
        [0, 0x80, 0x100, 0x180].iter().flat_map(|reduction| parts.map(|part| part | reduction)).collect();
    assert_eq!(known, expected);
    assert_eq!(Filter::from_u32(1 << 31), None);
}

#[test]
fn missing_address_modes_and_border_colours_are_refused() {
    use TextureAddressMode as A;
    let grey = [0.5; 4];
    for (mode, color, feature, name) in [
        (A::MirrorOnce, [0.0; 4], Features::MIRROR_ONCE, "MIRROR_ONCE"),
        (A::Border, [0.0; 4], Features::BORDER_ADDRESS, "BORDER_ADDRESS"),
        (A::Border, grey, Features::BORDER_COLOR, "BORDER_COLOR"),
    ] {
        for axis in 0..3 {
            let desc = changed(|d| {
                *[&mut d.address_u, &mut d.address_v, &mut d.address_w][axis] = mode;
                d.border_color = color;
            });
            assert!(sampler(&desc, &full()).is_ok(), "{desc:?}");
            let refused = sampler(&desc, &without(feature));
            assert_eq!(verdict(&refused), Verdict::Unsupported, "{desc:?}");
            assert!(reason(refused).contains(name), "{name}");
        }
    }
    for color in [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [1.0; 4]] {
        let desc = SamplerDesc {
            border_color: color,
            ..SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Border)
        };
        assert!(sampler(&desc, &without(Features::BORDER_COLOR)).is_ok(), "{color:?}");
    }
    let unused = changed(|d| d.border_color = grey);
    assert!(sampler(&unused, &without(Features::BORDER_COLOR)).is_ok(), "a border that is not seen");
}
