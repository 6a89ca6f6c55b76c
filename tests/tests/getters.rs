//! Getters return the state of the last valid setter call, because invalid calls change nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "getters/round_trips.rs"]
mod round_trips;

use onze::prelude::*;
use onze_tests::{
    Config, Harness, Random, matrix, on_each,
    state::{Everything, Snapshot},
};

fn on_both_contexts(h: &mut Harness, test: impl Fn(&Device, &mut DeviceContext)) {
    test(&h.device, &mut h.immediate);
    h.immediate.clear_state();
    let mut deferred = h.device.create_deferred_context().unwrap();
    test(&h.device, &mut deferred);
}

/// See Wine 10.0, d3d11 tests, line 12037.
#[test]
fn a_new_context_is_in_the_default_state() {
    on_each(&matrix(), |h| {
        on_both_contexts(h, |_, cx| assert_eq!(Snapshot::of(cx), Snapshot::default_state()));
    });
}

#[test]
fn every_getter_returns_the_objects_of_its_setter() {
    on_each(&matrix(), |h| {
        let (one, two) = (Everything::new(&h.device, 0), Everything::new(&h.device, 1));
        on_both_contexts(h, |_, cx| {
            for everything in [&one, &two, &one] {
                everything.bind(cx);
                assert_eq!(Snapshot::of(cx), everything.snapshot());
            }
        });
        h.assert_silent();
    });
}

#[test]
fn clear_state_sets_everything_to_its_default() {
    on_each(&matrix(), |h| {
        let everything = Everything::new(&h.device, 0);
        on_both_contexts(h, |_, cx| {
            everything.bind(cx);
            cx.clear_state();
            assert_eq!(Snapshot::of(cx), Snapshot::default_state());
        });
    });
}

#[test]
fn setting_none_unbinds_every_slot() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let everything = Everything::new(&h.device, 0);
        on_both_contexts(h, |_, cx| {
            everything.bind(cx);
            cx.ia_set_input_layout(None);
            cx.ia_set_vertex_buffers(0, &[None; 32][..]);
            cx.ia_set_index_buffer(None, Format::R32_UINT, 4);
            cx.ia_set_primitive_topology(PrimitiveTopology::Undefined);
            cx.vs_set_shader(None);
            cx.ps_set_shader(None);
            cx.vs_set_constant_buffers(0, [None; 14]);
            cx.ps_set_constant_buffers(0, [None; 14]);
            cx.vs_set_shader_resources(0, [None; 128]);
            cx.ps_set_shader_resources(0, [None; 128]);
            cx.vs_set_samplers(0, [None; 16]);
            cx.ps_set_samplers(0, [None; 16]);
            cx.rs_set_state(None);
            cx.rs_set_viewports(&[] as &[Viewport]);
            cx.rs_set_scissor_rects(&[] as &[onze::Rect]);
            cx.om_set_blend_state(None, [1.0; 4], u32::MAX);
            cx.om_set_depth_stencil_state(None, 0);
            cx.om_set_render_targets(None, None);
            cx.set_predication(None, false);
            assert_eq!(Snapshot::of(cx), Snapshot::default_state());
        });
    });
}

#[test]
fn a_setter_changes_only_the_slots_that_it_names() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let make =
            || h.device.create_buffer(&BufferDesc::new(256, BindFlags::CONSTANT_BUFFER), None).unwrap();
        let buffers = [make(), make(), make()];
        let desc = Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4);
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let views = [0, 1].map(|mip| {
            let desc = ShaderResourceViewDesc::texture_2d(Format::UNKNOWN, mip, 1);
            h.device.create_shader_resource_view(&texture, Some(&desc)).unwrap()
        });
        on_both_contexts(h, |_, cx| {
            let mut random = Random::new(5);
            let (mut constants, mut resources) = (vec![None; 14], vec![None; 128]);
            for _ in 0..200 {
                let start = random.below(14) as usize;
                let count = random.below(15 - start as u32) as usize;
                let new: Vec<Option<&Buffer>> =
                    (0..count).map(|_| buffers.get(random.below(4) as usize)).collect();
                cx.ps_set_constant_buffers(start as u32, &new[..]);
                for (slot, buffer) in constants[start..].iter_mut().zip(new) {
                    *slot = buffer.cloned();
                }
                let start = random.below(128) as usize;
                let count = random.below(129 - start as u32) as usize;
                let new: Vec<Option<&ShaderResourceView>> =
                    (0..count).map(|_| views.get(random.below(3) as usize)).collect();
                cx.vs_set_shader_resources(start as u32, &new[..]);
                for (slot, view) in resources[start..].iter_mut().zip(new) {
                    *slot = view.cloned();
                }
                assert_eq!(cx.ps_get_constant_buffers(0, 14), constants);
                assert_eq!(cx.vs_get_shader_resources(0, 128), resources);
            }
            assert_eq!(cx.vs_get_constant_buffers(0, 14), vec![None; 14], "the other stage");
            assert_eq!(cx.ps_get_shader_resources(0, 128), vec![None; 128], "the other stage");
        });
        h.assert_silent();
    });
}

#[test]
fn slots_out_of_range_make_the_whole_call_ignored() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[
            MessageId::SetConstantBuffersInvalid,
            MessageId::SetRenderTargetsInvalid,
            MessageId::SetSamplersInvalid,
            MessageId::SetScissorRectsInvalid,
            MessageId::SetShaderResourcesInvalid,
            MessageId::SetVertexBuffersInvalid,
            MessageId::SetViewportsInvalid,
        ]);
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        let before = everything.snapshot();
        let nothing: [Option<&Buffer>; 15] = [None; 15];
        let no_views: [Option<&ShaderResourceView>; 129] = [None; 129];
        let no_samplers: [Option<&SamplerState>; 17] = [None; 17];
        let device = h.device.clone();
        let check = |cx: &DeviceContext, id: MessageId| {
            assert_eq!(Snapshot::of(cx), before, "{id:?}");
            let messages = device.info_queue().take();
            assert!(messages.iter().all(|m| m.id == id) && !messages.is_empty(), "{id:?}: {messages:?}");
        };
        let cx: &mut DeviceContext = &mut h.immediate;
        for (start, count) in [(0, 15), (14, 1), (13, 2), (u32::MAX, 1)] {
            cx.vs_set_constant_buffers(start, &nothing[..count]);
            check(cx, MessageId::SetConstantBuffersInvalid);
            cx.ps_set_constant_buffers(start, &nothing[..count]);
            check(cx, MessageId::SetConstantBuffersInvalid);
        }
        for (start, count) in [(0, 129), (128, 1), (127, 2), (u32::MAX, 3)] {
            cx.vs_set_shader_resources(start, &no_views[..count]);
            check(cx, MessageId::SetShaderResourcesInvalid);
            cx.ps_set_shader_resources(start, &no_views[..count]);
            check(cx, MessageId::SetShaderResourcesInvalid);
        }
        for (start, count) in [(0, 17), (16, 1), (15, 2)] {
            cx.vs_set_samplers(start, &no_samplers[..count]);
            check(cx, MessageId::SetSamplersInvalid);
            cx.ps_set_samplers(start, &no_samplers[..count]);
            check(cx, MessageId::SetSamplersInvalid);
        }
        for (start, count) in [(0, 33), (32, 1), (31, 2), (u32::MAX, 2)] {
            cx.ia_set_vertex_buffers(start, &vec![None; count][..]);
            check(cx, MessageId::SetVertexBuffersInvalid);
        }
        cx.om_set_render_targets([None; 9], None);
        check(cx, MessageId::SetRenderTargetsInvalid);
        cx.rs_set_viewports([Viewport::sized(1.0, 1.0); 17]);
        check(cx, MessageId::SetViewportsInvalid);
        cx.rs_set_scissor_rects([onze::Rect::default(); 17]);
        check(cx, MessageId::SetScissorRectsInvalid);
    });
}

#[test]
fn an_empty_range_after_the_last_slot_is_valid() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        let none: [Option<&Buffer>; 0] = [];
        h.immediate.vs_set_constant_buffers(14, none);
        h.immediate.ps_set_constant_buffers(0, none);
        let none: [Option<&ShaderResourceView>; 0] = [];
        h.immediate.ps_set_shader_resources(128, none);
        let none: [Option<VertexBufferBinding<'_>>; 0] = [];
        h.immediate.ia_set_vertex_buffers(32, none);
        assert_eq!(Snapshot::of(&h.immediate), everything.snapshot());
        h.assert_silent();
    });
}

#[test]
fn a_buffer_without_the_bind_flag_makes_the_whole_call_ignored() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let flags = [BindFlags::VERTEX_BUFFER, BindFlags::INDEX_BUFFER, BindFlags::CONSTANT_BUFFER];
        let buffers = flags.map(|f| h.device.create_buffer(&BufferDesc::new(256, f), None).unwrap());
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        for (buffer, flag) in buffers.iter().zip(flags) {
            if flag != BindFlags::VERTEX_BUFFER {
                let good = VertexBufferBinding::new(&buffers[0], 4);
                h.immediate.ia_set_vertex_buffers(3, [good, VertexBufferBinding::new(buffer, 4)]);
                h.assert_reported(MessageId::SetVertexBuffersInvalid);
            }
            if flag != BindFlags::INDEX_BUFFER {
                h.immediate.ia_set_index_buffer(buffer, Format::R32_UINT, 0);
                h.assert_reported(MessageId::SetIndexBufferInvalid);
            }
            if flag != BindFlags::CONSTANT_BUFFER {
                h.immediate.vs_set_constant_buffers(2, [&buffers[2], buffer]);
                h.assert_reported(MessageId::SetConstantBuffersInvalid);
                let range = ConstantRange { first_constant: 0, num_constants: 16 };
                h.immediate.ps_set_constant_buffers1(2, [&buffers[2], buffer], &[range; 2]);
                h.assert_reported(MessageId::SetConstantBuffers1Invalid);
            }
            assert_eq!(Snapshot::of(&h.immediate), everything.snapshot(), "{flag:?}");
        }
    });
}

#[test]
fn a_vertex_stride_is_at_most_2048_bytes() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None).unwrap();
        let bind = |stride, offset| VertexBufferBinding { buffer: &buffer, stride, offset };
        for stride in [0, 1, 3, 2047, 2048] {
            h.immediate.ia_set_vertex_buffers(7, bind(stride, 5));
            assert_eq!(h.immediate.ia_get_vertex_buffers(7, 1), [(Some(buffer.clone()), stride, 5)]);
            h.assert_silent();
        }
        for stride in [2049, u32::MAX] {
            h.immediate.ia_set_vertex_buffers(7, bind(stride, 0));
            h.assert_reported(MessageId::SetVertexBuffersInvalid);
            assert_eq!(h.immediate.ia_get_vertex_buffers(7, 1), [(Some(buffer.clone()), 2048, 5)]);
        }
        // An offset after the buffer's end is allowed, because reads past the end return 0.
        h.immediate.ia_set_vertex_buffers(7, bind(4, u32::MAX));
        assert_eq!(h.immediate.ia_get_vertex_buffers(7, 1), [(Some(buffer.clone()), 4, u32::MAX)]);
        h.assert_silent();
    });
}

#[test]
fn an_index_buffer_has_16_or_32_bits_and_a_whole_offset() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::INDEX_BUFFER), None).unwrap();
        for format in Format::ALL.iter().copied().chain([Format::UNKNOWN]) {
            for offset in 0..9 {
                h.immediate.ia_set_index_buffer(None, Format::UNKNOWN, 0);
                h.immediate.ia_set_index_buffer(&buffer, format, offset);
                let valid = match format {
                    Format::R16_UINT => offset % 2 == 0,
                    Format::R32_UINT => offset % 4 == 0,
                    _ => false,
                };
                if valid {
                    assert_eq!(h.immediate.ia_get_index_buffer(), (Some(buffer.clone()), format, offset));
                    h.assert_silent();
                } else {
                    assert_eq!(
                        h.immediate.ia_get_index_buffer(),
                        (None, Format::UNKNOWN, 0),
                        "{format:?} {offset}"
                    );
                    h.assert_reported(MessageId::SetIndexBufferInvalid);
                }
            }
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 34140.
#[test]
fn calls_with_unaligned_constant_ranges_are_ignored_whole() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let desc = BufferDesc::new(1024, BindFlags::CONSTANT_BUFFER);
        let [a, b] = [0, 1].map(|_| h.device.create_buffer(&desc, None).unwrap());
        let whole = ConstantRange { first_constant: 0, num_constants: 4096 };
        let good = ConstantRange { first_constant: 16, num_constants: 32 };
        let numbers = [0, 1, 8, 15, 16, 17, 31, 32, 4080, 4095, 4096, 4097, 4112, 8192, u32::MAX];
        for first_constant in numbers {
            for num_constants in numbers {
                let range = ConstantRange { first_constant, num_constants };
                h.immediate.ps_set_constant_buffers(0, &a);
                let expected = (vec![Some(a.clone())], vec![whole]);
                assert_eq!(h.immediate.ps_get_constant_buffers1(0, 1), expected);
                h.immediate.ps_set_constant_buffers1(0, [&b, &b], &[range, good]);
                let valid = first_constant.is_multiple_of(16)
                    && num_constants.is_multiple_of(16)
                    && num_constants <= 4096;
                let bound = h.immediate.ps_get_constant_buffers1(0, 2);
                if valid {
                    assert_eq!(bound, (vec![Some(b.clone()); 2], vec![range, good]), "{range:?}");
                    h.assert_silent();
                } else {
                    assert_eq!((&bound.0[0], bound.1[0]), (&Some(a.clone()), whole), "{range:?}");
                    h.assert_reported(MessageId::SetConstantBuffers1Invalid);
                }
            }
        }
        for ranges in [&[good][..], &[good, good, good]] {
            h.immediate.vs_set_constant_buffers1(0, [&a, &b], ranges);
            assert_eq!(h.immediate.vs_get_constant_buffers(0, 2), [None, None], "a range for each buffer");
            h.assert_reported(MessageId::SetConstantBuffers1Invalid);
        }
    });
}

#[test]
fn viewports_that_break_a_rule_make_the_whole_call_ignored() {
    let numbers = [-32768.5, -32768.0, -1.0, 0.0, 0.5, 1.0, 2.0, 32767.0, 32768.0, f32::NAN, f32::INFINITY];
    on_each(&[Config::NULL, Config::GPU], |h| {
        let old = Viewport::sized(3.0, 3.0);
        let mut random = Random::new(66);
        for _ in 0..3000 {
            let mut number = || *random.pick(&numbers);
            let v = Viewport {
                top_left_x: number(),
                top_left_y: number(),
                width: number(),
                height: number(),
                min_depth: number(),
                max_depth: number(),
            };
            let fits = |at: f32, size: f32| {
                size >= 0.0
                    && (-32768.0..=32767.0).contains(&at)
                    && (-32768.0..=32767.0).contains(&(at + size))
            };
            let valid = fits(v.top_left_x, v.width)
                && fits(v.top_left_y, v.height)
                && 0.0 <= v.min_depth
                && v.min_depth <= v.max_depth
                && v.max_depth <= 1.0;
            h.immediate.rs_set_viewports(old);
            h.immediate.rs_set_viewports([old, v]);
            if valid {
                assert_eq!(h.immediate.rs_get_viewports(), [old, v]);
                h.assert_silent();
            } else {
                assert_eq!(h.immediate.rs_get_viewports(), [old], "{v:?}");
                h.assert_reported(MessageId::SetViewportsInvalid);
            }
        }
    });
}

#[test]
fn sixteen_viewports_and_scissors_are_replaced_together() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let everything =
            |i: u32| (Viewport::sized(i as f32, 1.0), onze::Rect { left: i as i32, ..onze::Rect::default() });
        let (viewports, rects): (Vec<_>, Vec<_>) = (0..16).map(everything).unzip();
        h.immediate.rs_set_viewports(&viewports[..]);
        h.immediate.rs_set_scissor_rects(&rects[..]);
        assert_eq!(h.immediate.rs_get_viewports(), viewports);
        assert_eq!(h.immediate.rs_get_scissor_rects(), rects);
        h.immediate.rs_set_viewports(viewports[3]);
        h.immediate.rs_set_scissor_rects(onze::Rect { left: 5, top: 5, right: -5, bottom: -5 });
        assert_eq!(h.immediate.rs_get_viewports(), [viewports[3]]);
        assert_eq!(
            h.immediate.rs_get_scissor_rects(),
            [onze::Rect { left: 5, top: 5, right: -5, bottom: -5 }]
        );
        h.assert_silent();
    });
}

#[test]
fn only_eight_bits_of_a_stencil_reference_count() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        for (given, counts) in [(0x12a, 0x2a), (0x1ff, 0xff), (7, 7), (0x100, 0), (u32::MAX, 0xff)] {
            h.immediate.om_set_depth_stencil_state(None, given);
            assert_eq!(h.immediate.om_get_depth_stencil_state(), (None, counts), "{given:#x}");
        }
    });
}

#[test]
fn objects_of_another_device_are_ignored_by_every_setter() {
    on_each(&[Config::NULL], |h| {
        let Some(other) = Harness::start(Config::NULL) else { return };
        let (mine, theirs) = (Everything::new(&h.device, 0), Everything::new(&other.device, 1));
        mine.bind(&mut h.immediate);
        // Setters without objects take effect, but setters with an object of another device are ignored.
        let before = Snapshot::of(&h.immediate);
        theirs.bind(&mut h.immediate);
        let after = Snapshot::of(&h.immediate);
        let expected = Snapshot {
            topology: after.topology,
            viewports: after.viewports.clone(),
            scissor_rects: after.scissor_rects.clone(),
            ..before
        };
        assert_eq!(after, expected);
        h.assert_reported(MessageId::ForeignObject);
        drop(theirs);
        other.finish();
    });
}
