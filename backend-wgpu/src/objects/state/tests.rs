//! Tests of state objects on the current adapter: each creation succeeds or returns the reason why not.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::{Blend, ComparisonFunc, DepthStencilOpDesc, Filter, Format, RenderTargetBlendDesc, StencilOp};

use super::*;
use crate::testing::{self, assert_no_bug, assert_refused};

#[test]
fn every_sampler_works() {
    let Some((device, runtime)) = testing::gpu() else { return };
    use TextureAddressMode::{Border, Clamp, Mirror, MirrorOnce, Wrap};
    for filter in Filter::ALL {
        for address in [Wrap, Mirror, Clamp, Border, MirrorOnce] {
            for max_anisotropy in [0, 1, 16] {
                for (min_lod, max_lod) in [(f32::MIN, f32::MAX), (-5.0, -2.0), (3.0, 1.0), (0.0, 1000.0)] {
                    let desc =
                        SamplerDesc { max_anisotropy, min_lod, max_lod, ..SamplerDesc::new(filter, address) };
                    let made = Sampler::new(&device.gpu, &desc);
                    assert_no_bug(&made, desc);
                    let made = made.unwrap();
                    assert_eq!(made.comparison, filter.is_comparison());
                    let filters = filter.to_u32() & 0x55 != 0;
                    assert_eq!(made.point_twin == made.sampler, !filters && !made.comparison);
                }
            }
        }
    }
    runtime.assert_clean();
}

#[test]
fn blend_state_repeats_target_0_unless_independent() {
    let Some((device, _)) = testing::gpu() else { return };
    let mut desc = BlendDesc::default();
    desc.render_target[0] = RenderTargetBlendDesc::alpha();
    let state = BlendState::new(&device.gpu, &desc).unwrap();
    assert!(state.targets.iter().all(|t| t.is_some() && *t == state.targets[0]));
    desc.independent_blend_enable = true;
    let state = BlendState::new(&device.gpu, &desc).unwrap();
    assert!(state.targets[0].is_some() && state.targets[1..].iter().all(Option::is_none));
    desc.render_target[0].dest_blend = Blend::InvSrc1Color;
    let state = BlendState::new(&device.gpu, &desc);
    match device.gpu.features.contains(wgpu::Features::DUAL_SOURCE_BLENDING) {
        true => assert!(state.unwrap().dual_source),
        false => assert_refused(state, "DUAL_SOURCE_BLEND"),
    }
}

#[test]
fn depth_is_neither_tested_nor_written_when_it_is_off() {
    let (device, _) = testing::noop();
    let off = DepthStencilState::new(
        &device.gpu,
        &DepthStencilDesc { depth_enable: false, ..DepthStencilDesc::default() },
    );
    assert!(!off.depth_write && off.depth_compare == wgpu::CompareFunction::Always);
    let face = DepthStencilOpDesc { stencil_pass_op: StencilOp::Replace, ..DepthStencilOpDesc::default() };
    let on = DepthStencilDesc { stencil_enable: true, front_face: face, ..DepthStencilDesc::default() };
    let state = DepthStencilState::new(&device.gpu, &on);
    assert!(state.depth_write && state.depth_compare == wgpu::CompareFunction::Less);
    let never = DepthStencilDesc { depth_func: ComparisonFunc::Never, ..on };
    assert_eq!(DepthStencilState::new(&device.gpu, &never).depth_compare, wgpu::CompareFunction::Never);
}

#[test]
fn rasterizer_states_need_the_features_that_they_name() {
    let Some((device, _)) = testing::gpu() else { return };
    let plain = RasterizerState::new(&device.gpu, &RasterizerDesc::default()).unwrap();
    assert_eq!((plain.front_face, plain.cull_mode), (wgpu::FrontFace::Cw, Some(wgpu::Face::Back)));
    let wire = RasterizerDesc { fill_mode: FillMode::Wireframe, ..RasterizerDesc::default() };
    let has = |feature| device.gpu.features.contains(feature);
    assert_eq!(RasterizerState::new(&device.gpu, &wire).is_ok(), has(wgpu::Features::POLYGON_MODE_LINE));
    let unclipped = RasterizerDesc { depth_clip_enable: false, ..RasterizerDesc::default() };
    assert_eq!(
        RasterizerState::new(&device.gpu, &unclipped).is_ok(),
        has(wgpu::Features::DEPTH_CLIP_CONTROL)
    );
    let smooth = RasterizerDesc { antialiased_line_enable: true, ..RasterizerDesc::default() };
    assert_refused(RasterizerState::new(&device.gpu, &smooth), "ANTIALIASED_LINES");
    let quadrilateral = RasterizerDesc { multisample_enable: true, ..smooth };
    assert!(RasterizerState::new(&device.gpu, &quadrilateral).is_ok());
    let forced = RasterizerDesc { forced_sample_count: 1, ..RasterizerDesc::default() };
    assert_refused(RasterizerState::new(&device.gpu, &forced), "FORCED_SAMPLE_COUNT");
    let on = RasterizerDesc {
        conservative_raster: ConservativeRasterizationMode::On,
        ..RasterizerDesc::default()
    };
    let on = RasterizerState::new(&device.gpu, &on);
    match has(wgpu::Features::CONSERVATIVE_RASTERIZATION) {
        true => assert!(on.unwrap().conservative),
        false => assert_refused(on, "CONSERVATIVE_RASTERIZATION"),
    }
}

#[test]
fn logic_operations_are_refused_by_name() {
    let (device, _) = testing::noop();
    for slot in [0, 7] {
        let mut desc = BlendDesc::default();
        desc.render_target[slot].logic_op_enable = true;
        assert_refused(BlendState::new(&device.gpu, &desc), "LOGIC_OPS");
    }
}

#[test]
fn input_layouts_are_split_by_slot() {
    let Some((device, _)) = testing::gpu() else { return };
    use InputClassification::{PerInstanceData, PerVertexData};
    let element = |location, format, input_slot, offset, class| {
        let step_rate = (class == PerInstanceData).into();
        ElementDesc { location, format, input_slot, offset, class, step_rate }
    };
    let elements = [
        element(3, Format::R32G32B32A32_FLOAT, 5, 16, PerInstanceData),
        element(1, Format::R8G8B8A8_UNORM, 0, 12, PerVertexData),
        element(0, Format::R32G32B32_FLOAT, 0, 0, PerVertexData),
    ];
    let layout = ElementLayout::new(&device.gpu, &elements).unwrap();
    let slots: Vec<_> = layout.slots.iter().map(|s| (s.slot, s.step, s.elements.len(), s.end)).collect();
    assert_eq!(slots, [(0, StepRate::Vertex, 2, 16), (5, StepRate::Instances(1), 1, 32)]);
    assert_eq!(layout.slots[0].elements[0].location, 0);
    assert!(!layout.is_pulled && !layout.has_step_rates && layout.reads_by_instance);
    let pulls = device.gpu.pulls_vertices();
    let packed = ElementLayout::new(&device.gpu, &[element(0, Format::R11G11B10_FLOAT, 0, 0, PerVertexData)]);
    let stepped = ElementDesc { step_rate: 2, ..elements[0] };
    let stepped = ElementLayout::new(&device.gpu, &[stepped]);
    if pulls {
        assert!(packed.unwrap().is_pulled);
        let stepped = stepped.unwrap();
        assert!(stepped.is_pulled && stepped.has_step_rates);
    } else {
        assert_refused(packed, "R11G11B10_FLOAT");
        assert_refused(stepped, "INSTANCE_STEP_RATE");
    }
}
