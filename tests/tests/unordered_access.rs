//! Rules for unordered-access views of buffers and textures: conflicts with other bindings, and out-of-range
//! accesses.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, gpu_matrix, matrix, on_each};

const VIEWED: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS);

/// Returns the first index and the length of each range within `0..total`.
fn ranges(total: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..total).flat_map(move |first| (1..=total - first).map(move |count| (first, count)))
}

fn overlap((a, count): (u32, u32), (b, other): (u32, u32)) -> bool {
    a < b + other && b < a + count
}

fn warned(h: &Harness, id: MessageId) -> bool {
    h.device.info_queue().take().iter().any(|message| message.id == id)
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Stage {
    Compute,
    Pixel,
}

impl Stage {
    const ALL: [Self; 2] = [Self::Compute, Self::Pixel];

    /// Binds only this view to the stage's last slot for unordered-access views.
    fn set(self, cx: &mut DeviceContext, view: Option<&UnorderedAccessView>) {
        match self {
            Self::Compute => cx.cs_set_unordered_access_views(7, view),
            Self::Pixel => cx.om_set_unordered_access_views(7, view),
        }
    }

    fn get(self, cx: &DeviceContext) -> Option<UnorderedAccessView> {
        match self {
            Self::Compute => cx.cs_get_unordered_access_views(7, 1)[0].clone(),
            Self::Pixel => cx.om_get_render_targets_and_unordered_access_views(7, 1).2[0].clone(),
        }
    }
}

/// Binds an input view and a writable view in both orders, and checks which of them stays bound.
fn check_input(
    h: &mut Harness,
    row: &str,
    input: &ShaderResourceView,
    view: &UnorderedAccessView,
    hit: bool,
) {
    for stage in Stage::ALL {
        let expected = [(!hit).then(|| input.clone())];
        let cx = &mut h.immediate;
        cx.clear_state();
        cx.vs_set_shader_resources(2, input);
        cx.cs_set_shader_resources(5, input);
        stage.set(cx, Some(view));
        assert_eq!(cx.vs_get_shader_resources(2, 1), expected, "output last, {stage:?}: {row}");
        assert_eq!(cx.cs_get_shader_resources(5, 1), expected, "output last, {stage:?}: {row}");
        assert_eq!(stage.get(cx).as_ref(), Some(view), "{row}");
        assert_eq!(warned(h, MessageId::SetUnorderedAccessViewsHazard), hit, "{row}");
        let cx = &mut h.immediate;
        cx.clear_state();
        stage.set(cx, Some(view));
        cx.ps_set_shader_resources(2, input);
        assert_eq!(cx.ps_get_shader_resources(2, 1), expected, "input last, {stage:?}: {row}");
        assert_eq!(stage.get(cx).as_ref(), Some(view), "{row}");
        assert_eq!(warned(h, MessageId::SetShaderResourcesHazard), hit, "{row}");
    }
    h.immediate.clear_state();
}

fn texture(h: &Harness) -> Texture2d {
    let desc = Texture2dDesc {
        mip_levels: 3,
        array_size: 3,
        bind_flags: VIEWED | BindFlags::RENDER_TARGET,
        ..Texture2dDesc::new(Format::R32_FLOAT, 8, 8)
    };
    h.device.create_texture_2d(&desc, None).unwrap()
}

fn written_part(
    h: &Harness,
    texture: &Texture2d,
    mip: u32,
    (slice, slices): (u32, u32),
) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::texture_2d_array(Format::UNKNOWN, mip, slice, slices);
    h.device.create_unordered_access_view(texture, Some(&desc)).unwrap()
}

/// Tries every range that is read with every range that is written, in the subresources of one texture.
#[test]
fn a_written_texture_excludes_inputs_by_subresource() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetShaderResourcesHazard, MessageId::SetUnorderedAccessViewsHazard]);
        let texture = texture(h);
        for ((mip, mips), slices) in ranges(3).flat_map(|mips| ranges(3).map(move |slices| (mips, slices))) {
            let desc = ShaderResourceViewDesc::dimension(ShaderResourceViewDimension::Texture2dArray {
                most_detailed_mip: mip,
                mip_levels: mips,
                first_array_slice: slices.0,
                array_size: slices.1,
            });
            let input = h.device.create_shader_resource_view(&texture, Some(&desc)).unwrap();
            for (out_mip, out_slices) in (0..3).flat_map(|mip| ranges(3).map(move |slices| (mip, slices))) {
                let view = written_part(h, &texture, out_mip, out_slices);
                let hit = (mip..mip + mips).contains(&out_mip) && overlap(slices, out_slices);
                let row = format!("mips {mip}+{mips} {slices:?} / {out_mip} {out_slices:?}");
                check_input(h, &row, &input, &view, hit);
            }
        }
    });
}

/// Tries every pair of ranges in a buffer of four structures, and also typed views with raw views, because
/// their elements have different sizes.
#[test]
fn a_written_buffer_excludes_inputs_by_its_bytes() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetShaderResourcesHazard, MessageId::SetUnorderedAccessViewsHazard]);
        let desc = BufferDesc::structured(8, 4, VIEWED);
        let structured = h.device.create_buffer(&desc, None).unwrap();
        let raw = h.device.create_buffer(&BufferDesc::raw(32, VIEWED), None).unwrap();
        for (read, written) in ranges(4).flat_map(|read| ranges(4).map(move |written| (read, written))) {
            let input = ShaderResourceViewDesc::buffer(read.0, read.1);
            let input = h.device.create_shader_resource_view(&structured, Some(&input)).unwrap();
            let view = UnorderedAccessViewDesc::buffer(written.0, written.1);
            let view = h.device.create_unordered_access_view(&structured, Some(&view)).unwrap();
            let row = format!("structures {read:?} / {written:?}");
            check_input(h, &row, &input, &view, overlap(read, written));
        }
        // The typed view has elements of 2 bytes, but the raw view has words of 4 bytes and begins at a
        // multiple of 16 bytes.
        for (read, written) in ranges(16).flat_map(|read| [(0, 4), (4, 4), (4, 1), (0, 8)].map(|w| (read, w)))
        {
            let input = ShaderResourceViewDesc::typed_buffer(Format::R16_UINT, read.0, read.1);
            let input = h.device.create_shader_resource_view(&raw, Some(&input)).unwrap();
            let view = UnorderedAccessViewDesc::raw_buffer(written.0, written.1);
            let view = h.device.create_unordered_access_view(&raw, Some(&view)).unwrap();
            let hit = overlap((2 * read.0, 2 * read.1), (4 * written.0, 4 * written.1));
            check_input(h, &format!("halves {read:?} / words {written:?}"), &input, &view, hit);
        }
    });
}

/// A render target and a writable view with a common subresource exclude each other, and the later binding
/// wins. If one call binds both, the call is invalid and changes nothing.
#[test]
fn a_target_and_a_written_view_exclude_each_other() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[
            MessageId::SetRenderTargetsHazard,
            MessageId::SetRenderTargetsInvalid,
            MessageId::SetUnorderedAccessViewsHazard,
        ]);
        let texture = texture(h);
        let apart = self::texture(h);
        let apart = written_part(h, &apart, 0, (0, 3));
        for (mip, slices) in (0..3).flat_map(|mip| ranges(3).map(move |slices| (mip, slices))) {
            let desc = RenderTargetViewDesc::texture_2d_array(Format::UNKNOWN, mip, slices.0, slices.1);
            let target = h.device.create_render_target_view(&texture, Some(&desc)).unwrap();
            for (out_mip, out_slices) in (0..3).flat_map(|mip| ranges(3).map(move |slices| (mip, slices))) {
                let view = written_part(h, &texture, out_mip, out_slices);
                let hit = mip == out_mip && overlap(slices, out_slices);
                let row = format!("{mip} {slices:?} / {out_mip} {out_slices:?}");
                for stage in Stage::ALL {
                    let cx = &mut h.immediate;
                    cx.clear_state();
                    cx.om_set_render_targets(&target, None);
                    stage.set(cx, Some(&view));
                    let left = (!hit).then(|| target.clone());
                    assert_eq!(cx.om_get_render_targets().0[0], left, "view last, {stage:?}: {row}");
                    assert_eq!(stage.get(cx).as_ref(), Some(&view), "{row}");
                    assert_eq!(warned(h, MessageId::SetUnorderedAccessViewsHazard), hit, "{row}");
                    let cx = &mut h.immediate;
                    cx.clear_state();
                    stage.set(cx, Some(&view));
                    cx.om_set_render_targets(&target, None);
                    let left = (!hit).then(|| view.clone());
                    assert_eq!(stage.get(cx), left, "target last, {stage:?}: {row}");
                    assert_eq!(cx.om_get_render_targets().0[0].as_ref(), Some(&target), "{row}");
                    assert_eq!(warned(h, MessageId::SetRenderTargetsHazard), hit, "{row}");
                }
                let cx = &mut h.immediate;
                cx.clear_state();
                Stage::Pixel.set(cx, Some(&apart));
                cx.om_set_render_targets_and_unordered_access_views(&target, None, 7, &view, &[]);
                let (targets, _, views) = cx.om_get_render_targets_and_unordered_access_views(7, 1);
                let expected = if hit { (None, Some(&apart)) } else { (Some(&target), Some(&view)) };
                assert_eq!((targets[0].as_ref(), views[0].as_ref()), expected, "in one call: {row}");
                assert_eq!(warned(h, MessageId::SetRenderTargetsInvalid), hit, "{row}");
            }
        }
        h.immediate.clear_state();
    });
}

/// Writable views of the two stages exclude each other if they have a common subresource, and the later
/// binding wins.
#[test]
fn pixel_and_compute_stage_views_exclude_each_other() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetUnorderedAccessViewsHazard]);
        let texture = texture(h);
        let parts = || (0..3).flat_map(|mip| ranges(3).map(move |slices| (mip, slices)));
        let views: Vec<_> =
            parts().map(|(mip, slices)| (mip, slices, written_part(h, &texture, mip, slices))).collect();
        for (first, then) in [(Stage::Compute, Stage::Pixel), (Stage::Pixel, Stage::Compute)] {
            for ((mip, slices, before), (other_mip, other_slices, view)) in
                views.iter().flat_map(|before| views.iter().map(move |view| (before, view)))
            {
                let hit = mip == other_mip && overlap(*slices, *other_slices);
                let row = format!("{mip} {slices:?} in {first:?}, then {other_mip} {other_slices:?}");
                let cx = &mut h.immediate;
                cx.clear_state();
                first.set(cx, Some(before));
                then.set(cx, Some(view));
                assert_eq!(first.get(cx).as_ref(), (!hit).then_some(before), "{row}");
                assert_eq!(then.get(cx).as_ref(), Some(view), "{row}");
                assert_eq!(warned(h, MessageId::SetUnorderedAccessViewsHazard), hit, "{row}");
            }
        }
        h.immediate.clear_state();
    });
}

/// A call that binds overlapping views is ignored as a whole, but views of adjacent parts are allowed.
#[test]
fn a_call_with_overlapping_views_changes_nothing() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let buffer = h.device.create_buffer(&BufferDesc::structured(4, 6, VIEWED), None).unwrap();
        let texture = texture(h);
        let part = |(first, count): (u32, u32)| {
            let desc = UnorderedAccessViewDesc::buffer(first, count);
            h.device.create_unordered_access_view(&buffer, Some(&desc)).unwrap()
        };
        let slices = |range| written_part(h, &texture, 1, range);
        let mut pairs: Vec<_> = ranges(3)
            .flat_map(|a| ranges(3).map(move |b| (a, b)))
            .flat_map(|(a, b)| [(part(a), part(b), overlap(a, b)), (slices(a), slices(b), overlap(a, b))])
            .collect();
        pairs.push((part((0, 3)), slices((0, 3)), false));
        let other = h.device.create_buffer(&BufferDesc::structured(4, 6, VIEWED), None).unwrap();
        let before = other.create_unordered_access_view().unwrap();
        type Call = fn(&mut DeviceContext, [&UnorderedAccessView; 2]);
        let calls: [(Stage, MessageId, Call); 4] = [
            (Stage::Compute, MessageId::SetUnorderedAccessViewsInvalid, |cx, views| {
                cx.cs_set_unordered_access_views(6, views);
            }),
            (Stage::Compute, MessageId::SetUnorderedAccessViewsInvalid, |cx, views| {
                cx.cs_set_unordered_access_views_with_counts(6, views, &[1, 2]);
            }),
            (Stage::Pixel, MessageId::SetUnorderedAccessViewsInvalid, |cx, views| {
                cx.om_set_unordered_access_views(6, views);
            }),
            (Stage::Pixel, MessageId::SetRenderTargetsInvalid, |cx, views| {
                cx.om_set_render_targets_and_unordered_access_views(None, None, 6, views, &[]);
            }),
        ];
        for (a, b, common) in &pairs {
            for (stage, id, call) in calls {
                let cx = &mut h.immediate;
                cx.clear_state();
                stage.set(cx, Some(&before));
                call(cx, [a, b]);
                let expected = if *common { &before } else { b };
                assert_eq!(stage.get(cx).as_ref(), Some(expected), "{a:?} {b:?}");
                if *common {
                    h.assert_reported(id);
                } else {
                    h.assert_silent();
                }
            }
        }
        h.immediate.clear_state();
    });
}

/// With `D3D11_KEEP_RENDER_TARGETS_AND_DEPTH_STENCIL`, the depth target and the targets in lower slots than
/// the first view stay bound, but all other targets are unbound.
#[test]
fn views_keep_the_depth_and_the_targets_in_lower_slots() {
    on_each(&matrix(), |h| {
        let colors = [(); 8].map(|()| {
            let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
            h.device.create_texture_2d(&desc, None).unwrap().create_render_target_view().unwrap()
        });
        let depth = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4);
        let depth = h.device.create_texture_2d(&depth, None).unwrap().create_depth_stencil_view().unwrap();
        let buffer = h.device.create_buffer(&BufferDesc::structured(4, 8, VIEWED), None).unwrap();
        let view = buffer.create_unordered_access_view().unwrap();
        for start in 0..8 {
            let cx = &mut h.immediate;
            cx.om_set_render_targets(colors.each_ref(), &depth);
            cx.om_set_unordered_access_views(start, &view);
            let (targets, bound_depth, views) = cx.om_get_render_targets_and_unordered_access_views(0, 8);
            let kept = (0..8).map(|slot| (slot < start).then(|| colors[slot as usize].clone()));
            assert!(targets.into_iter().eq(kept), "{start}");
            assert_eq!(bound_depth.as_ref(), Some(&depth), "{start}");
            let written = (0..8).map(|slot| (slot == start).then(|| view.clone()));
            assert!(views.into_iter().eq(written), "{start}");
            h.assert_silent();
        }
        h.immediate.clear_state();
    });
}

/// If some slots of a call conflict, these slots become empty and the call's other slots are bound as usual.
#[test]
fn only_the_conflicting_slots_of_a_call_become_empty() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::SetShaderResourcesHazard, MessageId::SetUnorderedAccessViewsHazard]);
        let [written, other] =
            [(); 2].map(|()| h.device.create_buffer(&BufferDesc::structured(4, 8, VIEWED), None).unwrap());
        let read = |buffer: &Buffer| buffer.create_shader_resource_view().unwrap();
        let (hit, kept) = (read(&written), read(&other));
        let view = written.create_unordered_access_view().unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        for cx in [&mut h.immediate as &mut DeviceContext, &mut deferred] {
            for stage in Stage::ALL {
                cx.clear_state();
                stage.set(cx, Some(&view));
                cx.cs_set_shader_resources(3, [&kept, &hit, &kept]);
                assert_eq!(cx.cs_get_shader_resources(3, 3), [Some(kept.clone()), None, Some(kept.clone())]);
                cx.vs_set_shader_resources(127, &hit);
                assert_eq!(cx.vs_get_shader_resources(127, 1), [None]);
                // The slot of the excluded input stays empty, even after the writable view is unbound.
                stage.set(cx, None);
                assert_eq!(cx.cs_get_shader_resources(4, 1), [None]);
                cx.vs_set_shader_resources(127, [&hit]);
                cx.hs_set_shader_resources(0, [&hit, &kept]);
                stage.set(cx, Some(&view));
                assert_eq!(cx.vs_get_shader_resources(127, 1), [None]);
                assert_eq!(cx.hs_get_shader_resources(0, 2), [None, Some(kept.clone())]);
                cx.clear_state();
            }
        }
        h.device.info_queue().clear();
    });
}

/// Nothing runs without a shader or without groups, although a dispatch of zero groups is valid.
#[test]
fn a_dispatch_without_a_shader_or_groups_writes_nothing() {
    const SHADER: &str = "
        @group(3) @binding(0) var<storage, read_write> output: array<atomic<u32>>;
        @compute @workgroup_size(1) fn main() { atomicAdd(&output[0], 1u); }";
    on_each(&gpu_matrix(), |h| {
        let cs = h.device.create_compute_shader(ShaderSource::wgsl(SHADER, "main")).unwrap();
        for how in CommandPath::ALL {
            let output = h.device.create_buffer(&BufferDesc::structured(4, 1, VIEWED), None).unwrap();
            let view = output.create_unordered_access_view().unwrap();
            h.record(how, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, &view);
                for [x, y, z] in [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [65_535, 65_535, 0]] {
                    cx.dispatch(x, y, z);
                }
            });
            h.assert_silent();
            assert_eq!(h.immediate.read_buffer::<u32>(&output).unwrap(), [0], "no groups, {how:?}");
            h.record(how, |cx| {
                cx.cs_set_unordered_access_views(0, &view);
                cx.dispatch(1, 1, 1);
                cx.cs_set_shader(&cs);
                cx.cs_set_shader(None);
                cx.dispatch(1, 1, 1);
            });
            h.assert_reported(MessageId::DispatchNoComputeShader);
            assert_eq!(h.immediate.read_buffer::<u32>(&output).unwrap(), [0], "no shader, {how:?}");
        }
    });
}

/// Elements outside a view are neither read nor written, wherever the view begins, so loads return 0 and
/// stores are skipped. Indices whose byte offset wraps into the view are not tested, because llvmpipe
/// accesses the view there.
#[test]
fn out_of_range_loads_are_zero_and_stores_are_skipped() {
    const BEYOND: [u32; 6] = [5, 6, 7, 100, 0x7fff_ffff, u32::MAX];
    on_each(&gpu_matrix(), |h| {
        // Each row has the element type, its size in words, and whether the view is raw.
        for (element, words, raw) in [
            ("u32", 1, false),
            ("u32", 1, true),
            ("vec2u", 2, false),
            ("array<u32, 3>", 3, false),
            ("vec4u", 4, false),
        ] {
            let sum = match words {
                1 => "value".to_owned(),
                _ => (0..words).map(|word| format!("value[{word}]")).collect::<Vec<_>>().join(" + "),
            };
            let nines = match words {
                1 => "9u",
                3 => "array<u32, 3>(9u, 9u, 9u)",
                _ => "VALUE(9u)",
            };
            let text = format!(
                "alias VALUE = {element};
                @group(1) @binding(0) var<storage> indices: array<u32>;
                @group(1) @binding(1) var<storage> input: array<VALUE>;
                @group(3) @binding(0) var<storage, read_write> place: array<VALUE>;
                @group(3) @binding(1) var<storage, read_write> found: array<vec2u>;
                @compute @workgroup_size(1) fn main() {{
                    for (var i = 0u; i < arrayLength(&indices); i++) {{
                        let at = indices[i];
                        var value = place[at];
                        found[i].x = {sum} + 1u;
                        value = input[at];
                        found[i].y = {sum} + 1u;
                        place[at] = {nines};
                    }}
                }}"
            );
            let cs = h.device.create_compute_shader(ShaderSource::wgsl(&text, "main")).unwrap();
            let buffer = |words: &[u32]| {
                let bytes: &[u8] = bytemuck::cast_slice(words);
                let count = words.len() as u32;
                h.device.create_buffer(&BufferDesc::structured(4, count, VIEWED), Some(bytes)).unwrap()
            };
            // The last index is in range, so its result shows that the views are bound.
            let indices = [&BEYOND[..], &[4]].concat();
            let indices = buffer(&indices).create_shader_resource_view().unwrap();
            let contents = vec![0x0101; 16 * words as usize];
            let resources = [(); 2].map(|()| {
                let desc = if raw {
                    BufferDesc::raw(64, VIEWED)
                } else {
                    BufferDesc::structured(4 * words, 16, VIEWED)
                };
                h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&contents))).unwrap()
            });
            for first in [0, 4, if raw { 8 } else { 3 }] {
                let read = match raw {
                    true => ShaderResourceViewDesc::raw_buffer(first, 5),
                    false => ShaderResourceViewDesc::buffer(first, 5),
                };
                let written = match raw {
                    true => UnorderedAccessViewDesc::raw_buffer(first, 5),
                    false => UnorderedAccessViewDesc::buffer(first, 5),
                };
                let read = h.device.create_shader_resource_view(&resources[0], Some(&read)).unwrap();
                let written = h.device.create_unordered_access_view(&resources[1], Some(&written)).unwrap();
                let found = h.device.create_buffer(&BufferDesc::structured(8, 7, VIEWED), None).unwrap();
                let found_view = found.create_unordered_access_view().unwrap();
                h.record(CommandPath::Immediate, |cx| {
                    cx.update_subresource(
                        &resources[1],
                        0,
                        None,
                        bytemuck::cast_slice::<u32, u8>(&contents),
                        0,
                        0,
                    );
                    cx.cs_set_shader(&cs);
                    cx.cs_set_shader_resources(0, [&indices, &read]);
                    cx.cs_set_unordered_access_views(0, [&written, &found_view]);
                    cx.dispatch(1, 1, 1);
                });
                let row = format!("{element}, raw {raw}, from {first}");
                let found: Vec<[u32; 2]> = h.immediate.read_buffer(&found).unwrap();
                for (index, found) in BEYOND.iter().zip(&found) {
                    assert_eq!(*found, [1, 1], "element {index:#x} of {row}");
                }
                assert_eq!(found[6], [words * 0x0101 + 1; 2], "{row}");
                let mut expected = contents.clone();
                expected[((first + 4) * words) as usize..][..words as usize].fill(9);
                assert_eq!(h.immediate.read_buffer::<u32>(&resources[1]).unwrap(), expected, "{row}");
            }
        }
    });
}
