//! Fences, the removal event, and the report of live objects.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::{
    sync::{Arc, mpsc::channel},
    time::Duration,
};

use onze::{ReportFlags, prelude::*};
use onze_tests::{
    Config, Faults, assert_error, gpu_matrix, null_matrix, on_each, wait_until, watched_device,
};

#[test]
fn a_fence_reaches_its_value_after_all_earlier_work() {
    let mut configs = null_matrix();
    configs.extend(gpu_matrix());
    on_each(&configs, |h| {
        let fence = h.device.labelled("frames").create_fence(3);
        assert_eq!((fence.completed_value(), fence.label().as_str()), (3, "frames"));
        // The immediate context refuses a wait if no earlier command signals the value.
        assert_error!(h.immediate.wait(&fence, 4), InvalidCall);
        h.immediate.wait(&fence, 3).unwrap();
        assert_eq!(fence.wait_for_value(4, Some(Duration::from_millis(1))), Ok(false));
        let target = h.device.create_render_target(Format::R8G8B8A8_UNORM, 64, 64).unwrap();
        for value in [4, 10, 11] {
            h.immediate.clear_render_target_view(&target.render_target_view, [0.5; 4]);
            h.immediate.signal(&fence, value).unwrap();
            h.immediate.wait(&fence, value).unwrap();
            assert!(fence.completed_value() <= value);
        }
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| fence.clone().wait_for_value(11, None));
            assert_eq!(waiting.join().unwrap(), Ok(true));
        });
        assert_eq!(fence.completed_value(), 11);
        assert_eq!(fence.wait_for_value(11, Some(Duration::ZERO)), Ok(true));
        pollster::block_on(fence.wait_for_value_async(11)).unwrap();
        // All work before the signal completes, although the application has not flushed the context.
        let query = h.device.create_query(QueryType::Event).unwrap();
        h.immediate.clear_render_target_view(&target.render_target_view, [0.25; 4]);
        h.immediate.end(&query);
        h.immediate.signal(&fence, 12).unwrap();
        fence.wait_for_value(12, None).unwrap();
        assert_eq!(h.immediate.get_data(&query, true), Ok(Some(QueryData::Event(true))));
        // Values may decrease, and a value is signalled even if no other command is recorded.
        h.immediate.signal(&fence, 2).unwrap();
        wait_until("the fence goes back", || fence.completed_value() == 2);
    });
}

#[test]
fn a_thread_may_wait_for_a_value_before_it_is_signalled() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let fence = h.device.create_fence(0);
        let (begin, has_begun) = channel();
        let clone = fence.clone();
        let waiting = std::thread::spawn(move || {
            begin.send(()).unwrap();
            clone.wait_for_value(1, None)
        });
        has_begun.recv().unwrap();
        h.immediate.signal(&fence, 1).unwrap();
        assert_eq!(waiting.join().unwrap(), Ok(true));
    });
}

#[test]
fn a_removal_wakes_all_waiting_threads() {
    let faults = Faults::default();
    let driver = faults.driver(Arc::new(onze_null::NullDriver::default()));
    let desc = DeviceDesc { driver_type: DriverType::Custom(driver), ..Default::default() };
    let (watch, device, mut immediate) = watched_device(&desc).unwrap();
    watch.expect(&[MessageId::DeviceRemoved]);
    let (fence, removed) = (device.create_fence(0), device.removed_event());
    assert!(!removed.is_set() && !removed.wait(Some(Duration::from_millis(1))));
    let (event, blocked) = (removed.clone(), fence.clone());
    let waiting = std::thread::spawn(move || event.wait(None));
    let task = removed.clone();
    let task = std::thread::spawn(move || pollster::block_on(task.removed()));
    let blocked = std::thread::spawn(move || blocked.wait_for_value(1, None));
    faults.lose_device("made up");
    assert!(waiting.join().unwrap());
    task.join().unwrap();
    assert_error!(blocked.join().unwrap(), DeviceRemoved);
    assert!(removed.is_set() && removed.wait(None));
    // When a device is lost, every fence gets the largest value, as in Direct3D 11.
    assert_eq!(fence.completed_value(), u64::MAX);
    assert_error!(immediate.signal(&fence, 1), DeviceRemoved);
    assert_error!(immediate.wait(&fence, 0), DeviceRemoved);
    drop((device, immediate, fence));
    assert!(removed.is_set(), "it outlives the device");
}

#[test]
fn live_objects_are_reported_with_their_holders() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::LiveObject, MessageId::LiveObjectSummary]);
        let texts = |h: &onze_tests::Harness, id| {
            let messages = h.device.info_queue().take();
            let mut texts: Vec<_> = messages.iter().filter(|m| m.id == id).map(ToString::to_string).collect();
            texts.sort_unstable();
            texts
        };
        assert_eq!(h.device.report_live_device_objects(ReportFlags::all()), 0);
        h.device.info_queue().take();
        let target = h.device.labelled("map").create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER).label("old");
        let buffer = h.device.create_buffer(&desc, None).unwrap();
        buffer.set_label("mesh");
        let clone = buffer.clone();
        assert_eq!(h.device.report_live_device_objects(ReportFlags::DETAIL), 4);
        let found = texts(h, MessageId::LiveObject);
        assert_eq!(found.len(), 4);
        assert!(
            found.iter().any(|t| t.contains("buffer \"mesh\": 2 of the application, 0 of others")),
            "{found:?}"
        );
        assert!(
            found.iter().any(|t| t.contains("texture \"map\": 1 of the application, 2 of others")),
            "{found:?}"
        );
        // Only the binding still keeps the buffer alive.
        h.immediate.ia_set_vertex_buffers(0, [VertexBufferBinding::new(&buffer, 16)]);
        drop((buffer, clone));
        let flags = ReportFlags::SUMMARY | ReportFlags::IGNORE_INTERNAL;
        assert_eq!(h.device.report_live_device_objects(flags), 3);
        let found = texts(h, MessageId::LiveObjectSummary);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("texture: 1") && !found[0].contains("buffer"), "{found:?}");
        assert_eq!(h.device.report_live_device_objects(ReportFlags::empty()), 4);
        h.immediate.clear_state();
        h.immediate.flush();
        drop(target);
        h.immediate.flush();
        h.wait();
        wait_until("all is gone", || {
            h.immediate.flush();
            h.device.report_live_device_objects(ReportFlags::empty()) == 0
        });
        h.device.info_queue().take();
    });
}

#[test]
fn a_context_is_validated_without_a_draw() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::DrawNoTargets, MessageId::DrawViewportNotSet]);
        assert!(!h.immediate.validate_context());
        h.assert_reported(MessageId::DrawTopologyUndefined);
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        for _ in 0..2 {
            assert!(!h.immediate.validate_context(), "it is said each time");
            h.assert_reported(MessageId::DrawNoVertexShader);
        }
        assert!(!h.immediate.validate_context_for_dispatch());
        h.assert_reported(MessageId::DispatchNoComputeShader);
        let wgsl = "
            @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
            @compute @workgroup_size(1) fn cs() {}";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(wgsl, "vs")).unwrap();
        h.immediate.vs_set_shader(&vs);
        assert!(h.immediate.validate_context());
        if let Ok(cs) = h.device.create_compute_shader(ShaderSource::wgsl(wgsl, "cs")) {
            h.immediate.cs_set_shader(&cs);
            assert!(h.immediate.validate_context_for_dispatch());
        }
        h.take_errors();
        h.immediate.clear_state();
    });
}

#[test]
fn exception_flags_are_kept() {
    on_each(&[Config::NULL], |h| {
        use onze::RaiseFlags;
        assert_eq!(h.device.exception_mode(), RaiseFlags::empty());
        h.device.clone().set_exception_mode(RaiseFlags::DRIVER_INTERNAL_ERROR);
        assert_eq!(h.device.exception_mode().bits(), 1);
    });
}
