//! Hazards: a resource that is bound as an output cannot be bound as an input at the same time.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Target, drawing::assert_all, gpu_matrix, matrix, on_each};

fn texture(device: &Device, mips: u32, slices: u32) -> Texture2d {
    let desc = Texture2dDesc {
        mip_levels: mips,
        array_size: slices,
        ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 16, 16)
    };
    device.create_texture_2d(&desc, None).unwrap()
}

fn input(texture: &Texture2d, mip: u32, mips: u32, slice: u32, slices: u32) -> ShaderResourceView {
    let dimension = ShaderResourceViewDimension::Texture2dArray {
        most_detailed_mip: mip,
        mip_levels: mips,
        first_array_slice: slice,
        array_size: slices,
    };
    let desc =
        ShaderResourceViewDesc { format: Format::UNKNOWN, dimension: Some(dimension), ..Default::default() };
    texture.device().create_shader_resource_view(texture, Some(&desc)).unwrap()
}

fn output(texture: &Texture2d, mip: u32, slice: u32, slices: u32) -> RenderTargetView {
    let desc = RenderTargetViewDesc::texture_2d_array(Format::UNKNOWN, mip, slice, slices);
    texture.device().create_render_target_view(texture, Some(&desc)).unwrap()
}

fn inputs(cx: &DeviceContext, count: u32) -> Vec<Option<ShaderResourceView>> {
    cx.ps_get_shader_resources(0, count)
}

fn warned(h: &Harness, id: MessageId) -> bool {
    h.device.info_queue().take().iter().any(|m| m.id == id)
}

/// Binds every pair of an input view and an output view of one texture in both orders. The views conflict if
/// and only if they have a common subresource (see Wine 10.0, d3d11 tests, line 32419).
#[test]
fn views_conflict_exactly_when_they_share_a_subresource() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetRenderTargetsHazard, MessageId::SetShaderResourcesHazard]);
        let texture = texture(&h.device, 3, 3);
        let ranges =
            |total: u32| (0..total).flat_map(move |first| (1..=total - first).map(move |n| (first, n)));
        for (mip, mips) in ranges(3) {
            for (slice, slices) in ranges(3) {
                let input = input(&texture, mip, mips, slice, slices);
                for (out_mip, (out_slice, out_slices)) in (0..3).flat_map(|m| ranges(3).map(move |s| (m, s)))
                {
                    let output = output(&texture, out_mip, out_slice, out_slices);
                    let overlaps = (mip..mip + mips).contains(&out_mip)
                        && slice < out_slice + out_slices
                        && out_slice < slice + slices;
                    let row = format!("{mip}+{mips} {slice}+{slices} / {out_mip} {out_slice}+{out_slices}");
                    let expected = [(!overlaps).then(|| input.clone())];
                    let cx = &mut h.immediate;
                    cx.clear_state();
                    cx.ps_set_shader_resources(0, &input);
                    cx.om_set_render_targets(&output, None);
                    assert_eq!(inputs(cx, 1), expected, "output last: {row}");
                    assert_eq!(cx.om_get_render_targets().0[0], Some(output.clone()), "{row}");
                    assert_eq!(warned(h, MessageId::SetRenderTargetsHazard), overlaps, "{row}");
                    let cx = &mut h.immediate;
                    cx.clear_state();
                    cx.om_set_render_targets(&output, None);
                    cx.ps_set_shader_resources(0, &input);
                    assert_eq!(inputs(cx, 1), expected, "input last: {row}");
                    assert_eq!(cx.om_get_render_targets().0[0], Some(output.clone()), "{row}");
                    assert_eq!(warned(h, MessageId::SetShaderResourcesHazard), overlaps, "{row}");
                }
            }
        }
    });
}

#[test]
fn an_output_unbinds_only_its_own_inputs_in_every_stage() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::SetRenderTargetsHazard, MessageId::SetShaderResourcesHazard]);
        let (texture, other) = (texture(&h.device, 1, 1), texture(&h.device, 1, 1));
        let (hit, kept) = (input(&texture, 0, 1, 0, 1), input(&other, 0, 1, 0, 1));
        let output = output(&texture, 0, 0, 1);
        let mut deferred = h.device.create_deferred_context().unwrap();
        for cx in [&mut h.immediate as &mut DeviceContext, &mut deferred] {
            cx.vs_set_shader_resources(126, [&hit, &kept]);
            cx.ps_set_shader_resources(0, [&kept, &hit, &hit]);
            cx.ps_set_shader_resources(127, &hit);
            cx.om_set_render_targets([None, Some(&output)], None);
            assert_eq!(cx.vs_get_shader_resources(126, 2), [None, Some(kept.clone())]);
            assert_eq!(cx.ps_get_shader_resources(0, 3), [Some(kept.clone()), None, None]);
            assert_eq!(cx.ps_get_shader_resources(127, 1), [None]);
            cx.vs_set_shader_resources(3, [&kept, &hit, &kept]);
            assert_eq!(cx.vs_get_shader_resources(3, 3), [Some(kept.clone()), None, Some(kept.clone())]);
            // Unbinding the output does not bind the conflicting input again.
            cx.om_set_render_targets(None, None);
            assert_eq!(cx.vs_get_shader_resources(3, 3), [Some(kept.clone()), None, Some(kept.clone())]);
            cx.vs_set_shader_resources(4, &hit);
            assert_eq!(cx.vs_get_shader_resources(4, 1), [Some(hit.clone())]);
        }
    });
}

#[test]
fn a_conflicting_input_leaves_its_slot_empty() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetShaderResourcesHazard]);
        let (texture, other) = (texture(&h.device, 1, 1), texture(&h.device, 1, 1));
        let (hit, kept) = (input(&texture, 0, 1, 0, 1), input(&other, 0, 1, 0, 1));
        let output = output(&texture, 0, 0, 1);
        h.immediate.om_set_render_targets(&output, None);
        h.immediate.ps_set_shader_resources(0, &kept);
        h.immediate.ps_set_shader_resources(0, &hit);
        assert_eq!(inputs(&h.immediate, 1), [None]);
    });
}

#[test]
fn write_masks_do_not_matter_to_hazards() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetShaderResourcesHazard]);
        let texture = texture(&h.device, 1, 1);
        let (input, output) = (input(&texture, 0, 1, 0, 1), output(&texture, 0, 0, 1));
        let target =
            RenderTargetBlendDesc { render_target_write_mask: ColorWrite::empty(), ..Default::default() };
        let no_write = h.device.create_blend_state(&BlendDesc::all(target)).unwrap();
        h.immediate.om_set_blend_state(&no_write, [1.0; 4], u32::MAX);
        h.immediate.om_set_render_targets(&output, None);
        h.immediate.ps_set_shader_resources(0, &input);
        assert_eq!(inputs(&h.immediate, 1), [None]);
        assert!(warned(h, MessageId::SetShaderResourcesHazard));
    });
}

/// Each plane of a depth-stencil texture conflicts in both orders, unless the depth-stencil view only reads
/// the plane (see Wine 10.0, d3d11 tests, line 32419).
#[test]
fn a_depth_stencil_view_conflicts_by_writable_plane() {
    use Format as F;
    let formats = [
        (F::R24G8_TYPELESS, F::D24_UNORM_S8_UINT, F::R24_UNORM_X8_TYPELESS, Some(F::X24_TYPELESS_G8_UINT)),
        (
            F::R32G8X24_TYPELESS,
            F::D32_FLOAT_S8X24_UINT,
            F::R32_FLOAT_X8X24_TYPELESS,
            Some(F::X32_TYPELESS_G8X24_UINT),
        ),
        (F::R32_TYPELESS, F::D32_FLOAT, F::R32_FLOAT, None),
        (F::R16_TYPELESS, F::D16_UNORM, F::R16_UNORM, None),
    ];
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetRenderTargetsHazard, MessageId::SetShaderResourcesHazard]);
        let mut checked = 0;
        for (typeless, depth_format, depth_read, stencil_read) in formats {
            if !h.has_format(depth_format, FormatSupport::DEPTH_STENCIL) {
                continue;
            }
            let desc = Texture2dDesc {
                bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
                ..Texture2dDesc::depth_stencil(typeless, 8, 8)
            };
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            for flags in (0..4).map(DsvFlags::from_bits_retain) {
                let desc = DepthStencilViewDesc::format(depth_format).read_only(flags);
                let output = h.device.create_depth_stencil_view(&texture, Some(&desc)).unwrap();
                let planes = [
                    (Some(depth_read), DsvFlags::READ_ONLY_DEPTH),
                    (stencil_read, DsvFlags::READ_ONLY_STENCIL),
                ];
                for (format, plane) in planes.into_iter().filter_map(|(f, plane)| Some((f?, plane))) {
                    if !h.has_format(format, FormatSupport::SHADER_LOAD) {
                        continue;
                    }
                    let desc = ShaderResourceViewDesc::format(format);
                    let input = h.device.create_shader_resource_view(&texture, Some(&desc)).unwrap();
                    let expected = [flags.contains(plane).then(|| input.clone())];
                    let row = format!("{typeless:?} {flags:?} {format:?}");
                    let cx = &mut h.immediate;
                    cx.clear_state();
                    cx.om_set_render_targets(None, &output);
                    cx.ps_set_shader_resources(0, &input);
                    assert_eq!(inputs(cx, 1), expected, "input last: {row}");
                    cx.clear_state();
                    cx.ps_set_shader_resources(0, &input);
                    cx.om_set_render_targets(None, &output);
                    assert_eq!(inputs(cx, 1), expected, "output last: {row}");
                    assert_eq!(cx.om_get_render_targets().1, Some(output.clone()), "{row}");
                    checked += 1;
                }
            }
        }
        assert!(checked >= 8, "only {checked} pairs could be made");
    });
}

#[test]
fn a_subresource_twice_in_a_call_ignores_the_whole_call() {
    on_each(&matrix(), |h| {
        let texture = texture(&h.device, 1, 4);
        let old = Target::new(&h.device, 16, 16);
        let (first, second) = (output(&texture, 0, 0, 2), output(&texture, 0, 2, 2));
        let (overlapping, same_again) = (output(&texture, 0, 1, 2), output(&texture, 0, 0, 2));
        let cx = &mut h.immediate;
        cx.om_set_render_targets([&first, &second], None);
        assert_eq!(cx.om_get_render_targets().0[..2], [Some(first.clone()), Some(second.clone())]);
        for pair in [[&first, &first], [&first, &overlapping], [&overlapping, &second], [&first, &same_again]]
        {
            h.immediate.om_set_render_targets(&old.view, None);
            h.immediate.om_set_render_targets(pair, None);
            assert_eq!(h.immediate.om_get_render_targets().0[..2], [Some(old.view.clone()), None]);
            h.assert_reported(MessageId::SetRenderTargetsInvalid);
        }
        // An ignored call unbinds no inputs.
        let input = input(&texture, 0, 1, 0, 4);
        h.immediate.ps_set_shader_resources(0, &input);
        h.immediate.om_set_render_targets([&first, &first], None);
        assert_eq!(inputs(&h.immediate, 1), [Some(input)]);
        h.assert_reported(MessageId::SetRenderTargetsInvalid);
    });
}

#[test]
fn targets_agree_in_size_and_depth_is_at_least_as_large() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let sizes = [(8, 8), (8, 16), (16, 8), (16, 16)];
        let color = sizes.map(|(w, height)| Target::new(&h.device, w, height).view);
        let depth = sizes.map(|(w, height)| {
            let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, w, height);
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            h.device.create_depth_stencil_view(&texture, None).unwrap()
        });
        let old = Target::new(&h.device, 4, 4);
        for (i, first) in color.iter().enumerate() {
            for (j, second) in [0, 1, 2, 3].map(|j| (j, Target::new(&h.device, sizes[j].0, sizes[j].1).view))
            {
                h.immediate.om_set_render_targets(&old.view, None);
                h.immediate.om_set_render_targets([first, &second], None);
                let bound = h.immediate.om_get_render_targets().0[0].clone();
                assert_eq!(bound.as_ref() == Some(first), i == j, "{:?} {:?}", sizes[i], sizes[j]);
            }
            for (j, depth) in depth.iter().enumerate() {
                h.immediate.om_set_render_targets(&old.view, None);
                h.immediate.om_set_render_targets(first, depth);
                let (bound, bound_depth) = h.immediate.om_get_render_targets();
                let valid = sizes[j].0 >= sizes[i].0 && sizes[j].1 >= sizes[i].1;
                let expected = if valid { (first, Some(depth)) } else { (&old.view, None) };
                assert_eq!((bound[0].as_ref().unwrap(), bound_depth.as_ref()), expected, "{i} {j}");
            }
        }
        // All targets must have the same array size.
        let texture = texture(&h.device, 1, 4);
        let (one, two) = (output(&texture, 0, 0, 1), output(&texture, 0, 2, 2));
        h.immediate.om_set_render_targets(&old.view, None);
        h.take_errors();
        h.immediate.om_set_render_targets([&one, &two], None);
        assert_eq!(h.immediate.om_get_render_targets().0[0], Some(old.view.clone()));
        h.assert_reported(MessageId::SetRenderTargetsInvalid);
    });
}

#[test]
fn a_call_that_names_fewer_targets_unbinds_the_others() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let targets: Vec<_> = (0..8).map(|_| Target::new(&h.device, 4, 4).view).collect();
        h.immediate.om_set_render_targets(&targets, None);
        h.immediate.om_set_render_targets([&targets[5], &targets[6]], None);
        let expected: Vec<_> = targets[5..7].iter().cloned().map(Some).chain(vec![None; 6]).collect();
        assert_eq!(h.immediate.om_get_render_targets(), (expected, None));
    });
}

#[test]
fn an_output_that_was_replaced_can_be_bound_as_input() {
    on_each(&matrix(), |h| {
        let (texture, other) = (texture(&h.device, 1, 1), Target::new(&h.device, 16, 16));
        let (input, output) = (input(&texture, 0, 1, 0, 1), output(&texture, 0, 0, 1));
        h.immediate.om_set_render_targets(&output, None);
        h.immediate.om_set_render_targets(&other.view, None);
        h.immediate.ps_set_shader_resources(0, &input);
        assert_eq!(inputs(&h.immediate, 1), [Some(input)]);
        assert!(!warned(h, MessageId::SetShaderResourcesHazard));
    });
}

#[test]
fn bindings_of_a_list_do_not_conflict_with_the_contexts() {
    on_each(&matrix(), |h| {
        let texture = texture(&h.device, 1, 1);
        let (input, output) = (input(&texture, 0, 1, 0, 1), output(&texture, 0, 0, 1));
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.om_set_render_targets(&output, None);
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.ps_set_shader_resources(0, &input);
        h.immediate.execute_command_list(&list, true);
        assert_eq!(inputs(&h.immediate, 1), [Some(input)]);
        assert_eq!(h.immediate.om_get_render_targets().0[0], None);
    });
}

const COPY_MIP: &str = "
    @group(1) @binding(0) var source: texture_2d<f32>;
    @vertex
    fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
        return vec4<f32>(f32(i & 2u) * 2.0 - 1.0, f32(i & 1u) * 4.0 - 1.0, 0.0, 1.0);
    }
    @fragment
    fn ps_main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        return textureLoad(source, vec2<i32>(at.xy) / 2, 0) + vec4<f32>(0.0, 0.0, 1.0, 0.0);
    }
";

/// See Wine 10.0, d3d11 tests, line 32419.
#[test]
fn one_mip_is_drawn_into_while_another_is_read() {
    on_each(&gpu_matrix(), |h| {
        let texture = texture(&h.device, 2, 1);
        let mip = |mip| {
            let desc = RenderTargetViewDesc::texture_2d(Format::UNKNOWN, mip);
            h.device.create_render_target_view(&texture, Some(&desc)).unwrap()
        };
        let (large, small) = (mip(0), mip(1));
        let desc = ShaderResourceViewDesc::texture_2d(Format::UNKNOWN, 1, 1);
        let source = h.device.create_shader_resource_view(&texture, Some(&desc)).unwrap();
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(COPY_MIP, "vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(COPY_MIP, "ps_main")).unwrap();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&large, [0.0; 4]);
                cx.clear_render_target_view(&small, [1.0, 0.0, 0.0, 1.0]);
                cx.om_set_render_targets(&large, None);
                cx.rs_set_viewports(Viewport::sized(16.0, 16.0));
                cx.ps_set_shader_resources(0, &source);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.draw(3, 0);
                assert_eq!(inputs(cx, 1), [Some(source.clone())]);
            });
            assert_all(&h.read_u32(&texture, 0), 0xffff_00ff, "mip 0");
            assert_all(&h.read_u32(&texture, 1), 0xff00_00ff, "mip 1");
        }
    });
}
