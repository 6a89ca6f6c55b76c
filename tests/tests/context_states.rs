//! Tests that swap the whole state of a context, and tests of an immediate context that several owners share.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::mpsc::channel;

use onze::{SharedContext, prelude::*};
use onze_tests::{
    Config, Harness, Quad, Watch, assert_error, gpu_matrix, matrix, on_each,
    state::{Everything, Snapshot},
    watched_device,
};

#[test]
fn a_swap_exchanges_all_that_is_bound() {
    on_each(&matrix(), |h| {
        let (one, two) = (Everything::new(&h.device, 0), Everything::new(&h.device, 1));
        let mut state = h.device.create_device_context_state();
        one.bind(&mut h.immediate);
        h.immediate.swap_device_context_state(&mut state);
        assert_eq!(Snapshot::of(&h.immediate), Snapshot::default_state());
        two.bind(&mut h.immediate);
        h.immediate.swap_device_context_state(&mut state);
        assert_eq!(Snapshot::of(&h.immediate), one.snapshot());
        h.immediate.swap_device_context_state(&mut state);
        assert_eq!(Snapshot::of(&h.immediate), two.snapshot());
        let mut other = h.device.create_device_context_state();
        h.immediate.swap_device_context_state(&mut other);
        h.immediate.swap_device_context_state(&mut state);
        assert_eq!(Snapshot::of(&h.immediate), one.snapshot());
        h.immediate.swap_device_context_state(&mut other);
        assert_eq!(Snapshot::of(&h.immediate), two.snapshot());
        h.assert_silent();
    });
}

#[test]
fn a_state_keeps_what_it_binds() {
    on_each(&matrix(), |h| {
        let mut state = h.device.create_device_context_state();
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        drop(everything);
        h.immediate.flush();
        let bound = h.device.statistics().live_objects;
        let names = |h: &Harness| format!("{:?}", Snapshot::of(&h.immediate));
        let before = names(h);
        h.immediate.swap_device_context_state(&mut state);
        // Only the state object still owns the bound objects.
        for _ in 0..3 {
            h.wait();
            h.immediate.flush();
        }
        assert_eq!(h.device.statistics().live_objects, bound);
        h.immediate.swap_device_context_state(&mut state);
        assert_eq!(names(h), before);
        h.immediate.swap_device_context_state(&mut state);
        drop(state);
        // The harness asserts that no object is left.
    });
}

#[test]
fn draws_after_a_swap_use_the_state_that_was_swapped_in() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let [first, second] =
            [(); 2].map(|()| h.device.create_render_target(Format::R8G8B8A8_UNORM, 2, 2).unwrap());
        let mut state = h.device.create_device_context_state();
        let bind = |context: &mut DeviceContext, target: &RenderTarget| {
            context.om_set_render_targets(&target.render_target_view, None);
            context.rs_set_viewports(Viewport::sized(2.0, 2.0));
        };
        bind(&mut h.immediate, &first);
        h.immediate.swap_device_context_state(&mut state);
        bind(&mut h.immediate, &second);
        quad.draw(&mut h.immediate, [0.0, 0.0, 1.0, 1.0]);
        h.immediate.swap_device_context_state(&mut state);
        quad.draw(&mut h.immediate, [0.0, 1.0, 0.0, 1.0]);
        h.immediate.swap_device_context_state(&mut state);
        assert_eq!(h.read_u32(&first.texture, 0), [0xff00_ff00; 4]);
        assert_eq!(h.read_u32(&second.texture, 0), [0xffff_0000; 4]);
    });
}

#[test]
fn states_and_fences_of_another_device_are_refused() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let null = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
        let (_watch, other, _context) = watched_device(&null).unwrap();
        h.immediate.swap_device_context_state(&mut other.create_device_context_state());
        h.assert_reported(MessageId::ForeignObject);
        assert_error!(h.immediate.signal(&other.create_fence(0), 1), InvalidArg);
        assert_error!(h.immediate.wait(&other.create_fence(5), 1), InvalidArg);
    });
}

fn null_device() -> (Watch, Device, ImmediateContext) {
    watched_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() }).unwrap()
}

#[test]
fn a_shared_context_is_entered_once_at_a_time() {
    let (_watch, _device, immediate) = null_device();
    let shared = SharedContext::new(immediate);
    let clone = shared.clone();
    let mut guard = shared.enter().unwrap();
    guard.ia_set_primitive_topology(PrimitiveTopology::LineList);
    // On the thread that holds the guard, this call fails at once, although it would wait on any other
    // thread.
    assert_error!(clone.enter().map(drop), InvalidCall);
    assert!(!clone.set_multithread_protected(true) && clone.is_multithread_protected());
    assert_error!(clone.enter().map(drop), InvalidCall);
    assert!(clone.set_multithread_protected(false));
    std::thread::scope(|scope| {
        let refused = scope.spawn(|| clone.enter().map(drop)).join().unwrap();
        assert_error!(refused, InvalidCall);
    });
    drop(guard);
    assert_eq!(clone.enter().unwrap().ia_get_primitive_topology(), PrimitiveTopology::LineList);
    let shared = shared.into_inner().unwrap_err();
    drop(clone);
    drop(shared.into_inner().unwrap());
}

#[test]
fn threads_wait_for_a_protected_context() {
    let (_watch, _device, immediate) = null_device();
    let shared = SharedContext::new(immediate);
    shared.set_multithread_protected(true);
    std::thread::scope(|scope| {
        let guard = shared.enter().unwrap();
        let (done, is_done) = channel();
        for _ in 0..4 {
            let (shared, done) = (shared.clone(), done.clone());
            scope.spawn(move || {
                let mut context = shared.enter().unwrap();
                context.flush();
                // The next thread waits until this guard is dropped, so no call is lost.
                done.send(()).unwrap();
            });
        }
        assert!(is_done.try_recv().is_err(), "the guard is held");
        drop(guard);
        for _ in 0..4 {
            is_done.recv().unwrap();
        }
    });
    // A panic while a guard is held leaves the context usable.
    let panicking = shared.clone();
    std::thread::spawn(move || {
        let _guard = panicking.enter().unwrap();
        std::panic::resume_unwind(Box::new("made up"));
    })
    .join()
    .unwrap_err();
    shared.enter().unwrap().flush();
    shared.set_multithread_protected(false);
    shared.enter().unwrap().flush();
}
