//! Tables that the driver replaces while the application calls them.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{device, spy::Spy, with};

fn tables(spy: &Spy) -> Vec<usize> {
    spy.take_of("set_marker").iter().map(|call| call.table).collect()
}

#[test]
fn a_table_replaced_in_mid_frame_gets_the_next_call() {
    let (spy, _device, mut immediate) = device();
    let publisher = spy.clone();
    let mut published = 0;
    spy.on_marker(move |name, _| {
        if name == "replace" {
            published += 1;
            publisher.publish(published);
        }
    });
    for frame in 0..2 {
        for name in ["draw", "replace", "draw", "replace", "draw"] {
            immediate.set_marker(name);
        }
        // The call that replaces the table finishes in the table that it entered.
        let expected = [0, 0, 1, 1, 2].map(|table| table + 2 * frame);
        assert_eq!(tables(&spy), expected);
        immediate.flush();
    }
}

#[test]
fn no_call_is_lost_when_another_thread_replaces_the_table() {
    const CALLS: usize = 20_000;
    let (spy, _device, mut immediate) = with(|desc| desc.verify_driver = false);
    let done = AtomicBool::new(false);
    let published = std::thread::scope(|scope| {
        let publisher = scope.spawn(|| {
            let mut table = 0;
            while !done.load(Ordering::SeqCst) {
                table += 1;
                spy.publish(table);
                std::thread::yield_now();
            }
            table
        });
        (0..CALLS).for_each(|_| immediate.set_marker("draw"));
        done.store(true, Ordering::SeqCst);
        publisher.join().unwrap()
    });
    let reached = tables(&spy);
    assert_eq!(reached.len(), CALLS, "each call reached one table, once");
    assert!(reached.is_sorted() && *reached.last().unwrap() <= published, "never back to an older one");
    immediate.set_marker("draw");
    assert_eq!(tables(&spy), [published]);
}
