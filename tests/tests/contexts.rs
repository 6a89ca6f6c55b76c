//! Contexts and command lists: the initial state, the state after a list, and the order in which lists run.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::Arc;

use onze::prelude::*;
use onze_null::NullDriver;
use onze_tests::{
    Config, Harness, Quad, Random, Target, assert_error,
    drawing::assert_all,
    gpu_matrix, matrix, on_each,
    state::{Everything, Snapshot},
};

const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const WHITE: [f32; 4] = [1.0; 4];

fn constant_buffer(device: &Device) -> Buffer {
    device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap()
}

fn word(device: &Device) -> Buffer {
    device.create_buffer(&BufferDesc::new(4, BindFlags::VERTEX_BUFFER), None).unwrap()
}

fn set_word(cx: &mut DeviceContext, buffer: &Buffer, value: u32) {
    cx.update_subresource(buffer, 0, None, &[value], 0, 0);
}

fn get_word(h: &mut Harness, buffer: &Buffer) -> u32 {
    h.immediate.read_buffer::<u32>(buffer).unwrap()[0]
}

fn list(device: &Device, record: impl FnOnce(&mut DeviceContext)) -> CommandList {
    let mut deferred = device.create_deferred_context().unwrap();
    record(&mut deferred);
    deferred.finish_command_list(false).unwrap()
}

#[test]
fn contexts_know_their_kind_and_device() {
    on_each(&matrix(), |h| {
        let deferred = h.device.create_deferred_context().unwrap();
        assert!(deferred.is_deferred() && !h.immediate.is_deferred());
        assert_eq!((deferred.device(), h.immediate.device()), (h.device.clone(), h.device.clone()));
        let list = list(&h.device, |_| ());
        assert_eq!((list.device(), list.clone()), (h.device.clone(), list));
    });
}

/// See Wine 10.0, d3d11 tests, line 33144.
#[test]
fn deferred_contexts_inherit_nothing_and_keep_state_if_asked() {
    on_each(&matrix(), |h| {
        let (green, blue) = (constant_buffer(&h.device), constant_buffer(&h.device));
        h.immediate.ps_set_constant_buffers(0, &green);
        let mut deferred = h.device.create_deferred_context().unwrap();
        assert_eq!(deferred.ps_get_constant_buffers(0, 1), [None]);
        deferred.ps_set_constant_buffers(0, &blue);
        assert_eq!(deferred.ps_get_constant_buffers(0, 1), [Some(blue.clone())]);
        assert_eq!(h.immediate.ps_get_constant_buffers(0, 1), [Some(green.clone())]);
        let _kept = deferred.finish_command_list(true).unwrap();
        assert_eq!(deferred.ps_get_constant_buffers(0, 1), [Some(blue)]);
        let _reset = deferred.finish_command_list(false).unwrap();
        assert_eq!(deferred.ps_get_constant_buffers(0, 1), [None]);
        assert_eq!(h.immediate.ps_get_constant_buffers(0, 1), [Some(green)]);
    });
}

#[test]
fn finish_restores_all_of_the_state_or_none_of_it() {
    on_each(&matrix(), |h| {
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        let mut deferred = h.device.create_deferred_context().unwrap();
        assert_eq!(Snapshot::of(&deferred), Snapshot::default_state());
        everything.bind(&mut deferred);
        for round in 0..3 {
            let _list = deferred.finish_command_list(true).unwrap();
            assert_eq!(Snapshot::of(&deferred), everything.snapshot(), "round {round}");
        }
        let _list = deferred.finish_command_list(false).unwrap();
        assert_eq!(Snapshot::of(&deferred), Snapshot::default_state());
        assert_eq!(Snapshot::of(&h.immediate), everything.snapshot());
    });
}

/// See Wine 10.0, d3d11 tests, lines 33195 and 33211.
#[test]
fn execute_restores_all_of_the_state_or_leaves_the_default() {
    on_each(&matrix(), |h| {
        let (mine, theirs) = (Everything::new(&h.device, 0), Everything::new(&h.device, 1));
        let list = list(&h.device, |cx| theirs.bind(cx));
        let mut deferred = h.device.create_deferred_context().unwrap();
        for cx in [&mut h.immediate as &mut DeviceContext, &mut deferred] {
            mine.bind(cx);
            cx.execute_command_list(&list, true);
            assert_eq!(Snapshot::of(cx), mine.snapshot());
            cx.execute_command_list(&list, false);
            assert_eq!(Snapshot::of(cx), Snapshot::default_state());
            // The result is the same if the context is in the default state before it executes the list.
            cx.execute_command_list(&list, true);
            assert_eq!(Snapshot::of(cx), Snapshot::default_state());
        }
        let _outer = deferred.finish_command_list(false).unwrap();
    });
}

#[test]
fn the_short_forms_of_finish_and_execute_reset_the_state() {
    on_each(&matrix(), |h| {
        let (mine, theirs) = (Everything::new(&h.device, 0), Everything::new(&h.device, 1));
        let mut deferred = h.device.create_deferred_context().unwrap();
        theirs.bind(&mut deferred);
        let list = deferred.finish().unwrap();
        assert_eq!(Snapshot::of(&deferred), Snapshot::default_state());
        for cx in [&mut h.immediate as &mut DeviceContext, &mut deferred] {
            mine.bind(cx);
            cx.execute(&list);
            assert_eq!(Snapshot::of(cx), Snapshot::default_state());
        }
        let _outer = deferred.finish().unwrap();
    });
}

/// Follows Wine 10.0, d3d11 tests, line 33371, but checks data instead of colours.
#[test]
fn lists_run_when_they_are_executed_and_as_often() {
    on_each(&matrix(), |h| {
        let buffer = word(&h.device);
        set_word(&mut h.immediate, &buffer, 1);
        let mut deferred = h.device.create_deferred_context().unwrap();
        set_word(&mut deferred, &buffer, 2);
        let first = deferred.finish_command_list(false).unwrap();
        let empty = deferred.finish_command_list(false).unwrap();
        assert_eq!(get_word(h, &buffer), 1, "recording runs nothing");
        h.immediate.execute_command_list(&first, true);
        assert_eq!(get_word(h, &buffer), 2);
        set_word(&mut h.immediate, &buffer, 1);
        h.immediate.execute_command_list(&first, true);
        assert_eq!(get_word(h, &buffer), 2, "a list can run again");
        set_word(&mut h.immediate, &buffer, 1);
        h.immediate.execute_command_list(&empty, true);
        assert_eq!(get_word(h, &buffer), 1, "the second list is empty");

        deferred.execute_command_list(&first, false);
        let nested = deferred.finish_command_list(false).unwrap();
        assert_eq!(get_word(h, &buffer), 1, "executing into a recording runs nothing");
        drop(first);
        h.immediate.execute_command_list(&nested, true);
        assert_eq!(get_word(h, &buffer), 2);
    });
}

/// See Wine 10.0, d3d11 tests, line 33371.
#[test]
fn clears_in_lists_happen_in_the_order_of_execution() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, 8, 8);
        let all = |h: &mut Harness, expected: u32, what: &str| assert_all(&target.read(h), expected, what);
        h.immediate.clear_render_target_view(&target.view, WHITE);
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.clear_render_target_view(&target.view, GREEN);
        let first = deferred.finish_command_list(false).unwrap();
        let second = deferred.finish_command_list(false).unwrap();
        all(h, 0xffff_ffff, "recorded");
        h.immediate.execute_command_list(&first, true);
        all(h, 0xff00_ff00, "executed");
        h.immediate.clear_render_target_view(&target.view, WHITE);
        h.immediate.execute_command_list(&first, true);
        all(h, 0xff00_ff00, "executed again");
        h.immediate.clear_render_target_view(&target.view, WHITE);
        h.immediate.execute_command_list(&second, true);
        all(h, 0xffff_ffff, "empty");
        deferred.execute_command_list(&first, false);
        let nested = deferred.finish_command_list(false).unwrap();
        h.immediate.clear_render_target_view(&target.view, WHITE);
        h.immediate.execute_command_list(&nested, false);
        all(h, 0xff00_ff00, "nested");
    });
}

#[test]
fn lists_run_in_the_order_of_execution_not_of_recording() {
    on_each(&matrix(), |h| {
        let buffer = word(&h.device);
        let lists: Vec<_> = (0..6).map(|i| list(&h.device, |cx| set_word(cx, &buffer, i))).collect();
        let mut random = Random::new(3);
        for _ in 0..8 {
            let mut order: Vec<usize> = (0..6).collect();
            random.shuffle(&mut order);
            order.iter().for_each(|i| h.immediate.execute_command_list(&lists[*i], random.one_in(2)));
            assert_eq!(get_word(h, &buffer), order[5] as u32, "{order:?}");
        }
    });
}

#[test]
fn lists_nest_to_any_depth_and_run_once_per_execution() {
    on_each(&matrix(), |h| {
        // Each level executes the next inner level twice, and the innermost list moves the words by one
        // position.
        let desc = BufferDesc::new(4 * 20, BindFlags::VERTEX_BUFFER);
        let words: Vec<u32> = (100..120).collect();
        let buffer = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap();
        let mut nested = list(&h.device, |cx| {
            cx.copy_subresource_region(&buffer, 0, [0, 0, 0], &buffer, 0, Some(Box3d::bytes(4..80)));
        });
        for _ in 0..3 {
            nested = list(&h.device, |cx| {
                cx.execute_command_list(&nested, false);
                cx.execute_command_list(&nested, true);
            });
        }
        h.immediate.execute_command_list(&nested, false);
        let moved = h.immediate.read_buffer::<u32>(&buffer).unwrap();
        assert_eq!(moved[0], 108, "two to the third times: {moved:?}");
        h.immediate.execute_command_list(&nested, false);
        assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap()[0], 116);
    });
}

/// See Wine 10.0, d3d11 tests, line 33438.
#[test]
fn the_state_of_a_list_does_not_reach_later_draws() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let mask = |mask| {
            let target = RenderTargetBlendDesc { render_target_write_mask: mask, ..Default::default() };
            h.device.create_blend_state(&BlendDesc::all(target)).unwrap()
        };
        let (green_only, blue_only) = (mask(ColorWrite::GREEN), mask(ColorWrite::BLUE));
        let list = list(&h.device, |cx| cx.om_set_blend_state(&green_only, [1.0; 4], u32::MAX));
        let cx = &mut h.immediate;
        target.bind(cx);
        cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
        cx.om_set_blend_state(&blue_only, [1.0; 4], u32::MAX);
        cx.execute_command_list(&list, true);
        quad.draw(cx, WHITE);
        assert_eq!(cx.om_get_blend_state(), (Some(blue_only), [1.0; 4], u32::MAX));
        assert_all(&target.read(h), 0xffff_0000, "restored");

        let cx = &mut h.immediate;
        cx.execute_command_list(&list, false);
        target.bind(cx);
        quad.draw(cx, WHITE);
        assert_eq!(cx.om_get_blend_state(), (None, [1.0; 4], u32::MAX));
        assert_all(&target.read(h), 0xffff_ffff, "reset");
    });
}

#[test]
fn the_state_of_the_executing_context_does_not_reach_a_list() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNoTargets, MessageId::DrawViewportNotSet]);
        let (target, other) = (Target::new(&h.device, 8, 8), Target::new(&h.device, 8, 8));
        let quad = Quad::new(&h.device);
        // The list has no target and no viewport, so it draws nothing whatever the context has bound.
        let unbound = list(&h.device, |cx| quad.draw(cx, GREEN));
        // This list has its own target and the default blend state.
        let bound = list(&h.device, |cx| {
            target.bind(cx);
            quad.draw(cx, GREEN);
        });
        let no_write =
            RenderTargetBlendDesc { render_target_write_mask: ColorWrite::empty(), ..Default::default() };
        let no_write = h.device.create_blend_state(&BlendDesc::all(no_write)).unwrap();
        for restore in [true, false] {
            h.immediate.clear_render_target_view(&target.view, BLUE);
            h.immediate.clear_render_target_view(&other.view, BLUE);
            other.bind(&mut h.immediate);
            h.immediate.execute_command_list(&unbound, restore);
            other.bind(&mut h.immediate);
            h.immediate.om_set_blend_state(&no_write, [1.0; 4], u32::MAX);
            h.immediate.execute_command_list(&bound, restore);
            assert_all(&other.read(h), 0xffff_0000, "the context's target");
            assert_all(&target.read(h), 0xff00_ff00, "the list's target");
        }
    });
}

#[test]
fn state_kept_by_finish_is_in_effect_in_the_next_recording() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let mut deferred = h.device.create_deferred_context().unwrap();
        target.bind(&mut deferred);
        quad.bind(&mut deferred);
        let _first = deferred.finish_command_list(true).unwrap();
        quad.set(&mut deferred, GREEN, Quad::ALL, 0.0);
        deferred.draw(4, 0);
        let second = deferred.finish_command_list(false).unwrap();
        // The list starts in the default state, so this draws nothing.
        quad.set(&mut deferred, BLUE, Quad::ALL, 0.0);
        deferred.draw(4, 0);
        let third = deferred.finish_command_list(false).unwrap();
        h.immediate.clear_render_target_view(&target.view, WHITE);
        h.immediate.execute_command_list(&second, false);
        assert_all(&target.read(h), 0xff00_ff00, "kept");
        h.immediate.execute_command_list(&third, false);
        assert_all(&target.read(h), 0xff00_ff00, "reset");
        h.assert_reported(MessageId::DrawTopologyUndefined);
    });
}

#[test]
fn state_restored_by_execute_is_in_effect_in_the_next_draw() {
    on_each(&gpu_matrix(), |h| {
        let (target, other) = (Target::new(&h.device, 8, 8), Target::new(&h.device, 4, 4));
        let quad = Quad::new(&h.device);
        let list = list(&h.device, |cx| {
            other.bind(cx);
            quad.draw(cx, BLUE);
        });
        let mut deferred = h.device.create_deferred_context().unwrap();
        let commands = |cx: &mut DeviceContext| {
            cx.clear_render_target_view(&target.view, WHITE);
            target.bind(cx);
            quad.bind(cx);
            quad.set(cx, GREEN, Quad::ALL, 0.0);
            cx.execute_command_list(&list, true);
            // The list has discarded the constant buffer, so this draw uses the contents that the list wrote.
            cx.draw(4, 0);
        };
        commands(&mut h.immediate);
        assert_all(&target.read(h), 0xffff_0000, "immediate");
        assert_all(&other.read(h), 0xffff_0000, "immediate, the list's");
        commands(&mut deferred);
        let outer = deferred.finish_command_list(false).unwrap();
        h.immediate.clear_render_target_view(&target.view, WHITE);
        h.immediate.execute_command_list(&outer, false);
        assert_all(&target.read(h), 0xffff_0000, "deferred");
    });
}

#[test]
fn a_list_is_recorded_on_one_thread_and_executed_on_another() {
    on_each(&matrix(), |h| {
        let buffers: Vec<_> = (0..4).map(|_| word(&h.device)).collect();
        let device = &h.device;
        let contexts: Vec<_> = std::thread::scope(|s| {
            let start = |(i, buffer): (u32, &Buffer)| {
                let buffer = buffer.clone();
                s.spawn(move || {
                    let mut deferred = device.create_deferred_context().unwrap();
                    set_word(&mut deferred, &buffer, 10 + i);
                    deferred
                })
            };
            let threads: Vec<_> = (0..).zip(&buffers).map(start).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        // A list is finished on a thread that did not record it, and executed on a third thread.
        let lists: Vec<_> = std::thread::scope(|s| {
            let finish = |mut cx: DeferredContext| s.spawn(move || cx.finish_command_list(false).unwrap());
            let threads: Vec<_> = contexts.into_iter().map(finish).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let immediate = &mut h.immediate;
        std::thread::scope(|s| {
            s.spawn(|| lists.iter().for_each(|list| immediate.execute_command_list(list, false)));
        });
        for (i, buffer) in (0..).zip(&buffers) {
            assert_eq!(get_word(h, buffer), 10 + i);
        }
    });
}

#[test]
fn a_list_of_another_device_is_ignored_and_leaves_the_state() {
    on_each(&[Config::NULL], |h| {
        let Some(other) = Harness::start(Config::NULL) else { return };
        let foreign = list(&other.device, |_| ());
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        for restore in [false, true] {
            h.immediate.execute_command_list(&foreign, restore);
            h.assert_reported(MessageId::ForeignObject);
            assert_eq!(Snapshot::of(&h.immediate), everything.snapshot());
        }
        drop(foreign);
        other.finish();
    });
}

#[test]
fn a_list_whose_resource_is_mapped_does_not_run() {
    on_each(&matrix(), |h| {
        let cpu = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
        let staging = h.device.create_buffer(&BufferDesc::staging(4, cpu), Some(&[7, 0, 0, 0])).unwrap();
        let buffer = word(&h.device);
        let inner = list(&h.device, |cx| cx.copy_resource(&buffer, &staging));
        let outer = list(&h.device, |cx| cx.execute_command_list(&inner, false));
        for (list, what) in [(&inner, "list"), (&outer, "list in a list")] {
            let token = h.immediate.map_owned(&staging, 0, MapType::Read).unwrap();
            h.immediate.execute_command_list(list, false);
            h.assert_reported(MessageId::ExecuteCommandListMappedResource);
            assert_eq!(get_word(h, &buffer), 0, "{what}");
            h.immediate.unmap(token);
        }
        h.immediate.execute_command_list(&outer, false);
        assert_eq!(get_word(h, &buffer), 7);
    });
}

#[test]
fn a_context_works_again_after_a_recording_without_memory() {
    for threading in [ThreadingCaps::CommandLists] {
        let driver = NullDriver { recording_budget: Some(20), threading, ..NullDriver::default() };
        let desc = DeviceDesc { driver_type: DriverType::Custom(Arc::new(driver)), ..Config::NULL.desc() };
        let mut h = Harness::start_with(Config::NULL, &desc).unwrap();
        let buffer = word(&h.device);
        let dynamic =
            h.device.create_buffer(&BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), None).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        for restore in [false, true] {
            for value in 0..100 {
                set_word(&mut deferred, &buffer, value);
            }
            // The application can continue to record after the failure, but its commands have no effect.
            deferred.map(&dynamic, 0, MapType::WriteDiscard).unwrap().fill(1);
            deferred.copy_resource(&dynamic, &dynamic);
            assert_error!(deferred.finish_command_list(restore), OutOfMemory);
            assert_eq!(Snapshot::of(&deferred), Snapshot::default_state());
            set_word(&mut deferred, &buffer, 5);
            let list = deferred.finish_command_list(restore).unwrap();
            set_word(&mut h.immediate, &buffer, 1);
            h.immediate.execute_command_list(&list, false);
            assert_eq!(get_word(&mut h, &buffer), 5);
        }
        let ids: Vec<_> = h.take_errors().into_iter().map(|m| m.id).collect();
        assert!(ids.contains(&MessageId::RecordingOutOfMemory), "{ids:?}");
        assert!(!ids.contains(&MessageId::DriverBug) && !ids.contains(&MessageId::DeviceRemoved), "{ids:?}");
        drop((deferred, buffer, dynamic));
        h.finish();
    }
}

#[test]
fn annotations_pair_within_a_recording() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::EndEventWithoutBegin]);
        let buffer = word(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.begin_event("left open");
        deferred.begin_event_int("and one more: #d", 2);
        deferred.set_marker("here");
        deferred.set_marker_int("step #d", -7);
        assert!(deferred.is_annotation_enabled() && h.immediate.is_annotation_enabled());
        set_word(&mut deferred, &buffer, 3);
        let open = deferred.finish_command_list(false).unwrap();
        assert!(h.device.info_queue().take().is_empty());
        deferred.end_event();
        assert_eq!(h.device.info_queue().take()[0].id, MessageId::EndEventWithoutBegin);
        h.immediate.begin_event("outside");
        h.immediate.execute_command_list(&open, false);
        h.immediate.end_event();
        assert!(h.device.info_queue().take().is_empty());
        h.immediate.end_event();
        assert_eq!(h.device.info_queue().take()[0].id, MessageId::EndEventWithoutBegin);
        assert_eq!(get_word(h, &buffer), 3);
    });
}

#[test]
fn an_abandoned_recording_leaves_nothing() {
    on_each(&matrix(), |h| {
        let buffer = word(&h.device);
        let everything = Everything::new(&h.device, 0);
        let mut deferred = h.device.create_deferred_context().unwrap();
        everything.bind(&mut deferred);
        set_word(&mut deferred, &buffer, 9);
        deferred.begin_event("open");
        drop(everything);
        drop(deferred);
        assert_eq!(get_word(h, &buffer), 0);
    });
}
