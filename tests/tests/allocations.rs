//! Recording the same frame repeatedly allocates nothing, neither in the runtime nor in the drivers.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Quad, Target, watched_device};

/// Records several frames and returns each frame's number of allocations. In a frame, three contexts record a
/// list each, and the first context then records another list that executes its own first list. The draws of
/// a list fill several command pages. With `dropped_early`, the lists are dropped before their work is
/// submitted.
fn frames(driver_type: DriverType, dropped_early: bool) -> Vec<u64> {
    let desc = DeviceDesc { driver_type, page_draws: Some(16), workers: Some(0), ..DeviceDesc::default() };
    let (_watch, device, mut immediate) = watched_device(&desc).unwrap();
    let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
    let mut contexts: Vec<_> = (0..3).map(|_| device.create_deferred_context().unwrap()).collect();
    let mut lists = Vec::with_capacity(4);
    let mut allocations = Vec::new();
    for _ in 0..8 {
        let cost = allocation_counter::measure(|| {
            for context in &mut contexts {
                target.bind(context);
                quad.bind(context);
                for draw in 0..50 {
                    context.rs_set_viewports(Viewport::sized(16.0, 1.0 + draw as f32 / 8.0));
                    context.draw(4, 0);
                }
                lists.push(context.finish_command_list(false).unwrap());
            }
            contexts[0].execute_command_list(&lists[0], false);
            lists.push(contexts[0].finish_command_list(false).unwrap());
        });
        allocations.push(cost.count_total);
        lists.iter().for_each(|list| immediate.execute_command_list(list, false));
        if !dropped_early {
            immediate.flush();
        }
        // Outer lists are dropped first, so that each inner list has no other owner when it is dropped.
        while lists.pop().is_some() {}
        // The next flush returns the pages that were in flight.
        immediate.flush();
    }
    allocations
}

#[test]
fn recording_the_same_lists_again_allocates_nothing() {
    let wgpu = || DriverType::Custom(onze_wgpu::noop_driver());
    for (driver_type, dropped_early) in [(DriverType::Null, false), (wgpu(), false), (wgpu(), true)] {
        let allocations = frames(driver_type.clone(), dropped_early);
        assert!(allocations[0] > 0, "the first frame has no memory to reuse");
        assert_eq!(allocations[4..], [0; 4], "{driver_type:?}, {dropped_early}: {allocations:?}");
    }
}
