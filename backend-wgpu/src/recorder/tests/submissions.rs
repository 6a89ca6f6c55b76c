//! When work is submitted that nobody asked for.

use std::time::{Duration, Instant};

use onze_ddi::{BindFlags, BufferDesc, ResourceHandle, Tuning};

use super::{Rig, lists::drawn};
use crate::testing::noop_with;

/// Far longer than a worker takes for a run.
const PATIENCE: Duration = Duration::from_secs(60);

fn one_worker() -> Rig {
    Rig::new(noop_with(Tuning { workers: Some(1), page_draws: None }))
}

fn vertices(rig: &mut Rig, size: u32) -> ResourceHandle {
    rig.buffer(BufferDesc::new(size, BindFlags::VERTEX_BUFFER), None)
}

#[test]
fn what_is_encoded_is_submitted_unasked_when_it_has_waited_long_enough_and_the_gpu_has_nothing_to_do() {
    let mut rig = one_worker();
    // Nothing is drawn without a target, so it is the copy that is submitted.
    let (from, to) = (vertices(&mut rig, 64), vertices(&mut rig, 64));
    let early = |rig: &Rig| rig.device.counters.read(&rig.device.allocator).early_submissions;
    // A run is encoded when it returns; whether it may go is asked when the next one is handed over.
    let record = |rig: &mut Rig, idle_time| {
        rig.context.immediate().set_idle_time(idle_time);
        let handed = rig.context.immediate().pool().handed();
        rig.context.copy(to, from);
        while rig.context.immediate().pool().handed() == handed {
            rig.context.draw();
        }
        let begun = Instant::now();
        while rig.context.immediate().pool().pending() > 0 && !rig.context.immediate().pool().is_answered() {
            assert!(begun.elapsed() < PATIENCE, "the worker does not answer");
            std::thread::yield_now();
        }
        early(rig)
    };
    assert_eq!(record(&mut rig, Duration::MAX), 0);
    assert_eq!(record(&mut rig, Duration::MAX), 0, "it may wait longer");
    assert_eq!(record(&mut rig, Duration::ZERO), 1);
    assert_eq!(record(&mut rig, Duration::MAX), 1);
    rig.runtime.assert_clean();
}

#[test]
fn the_first_that_waits_starts_the_clock_be_it_a_page_or_a_list() {
    for is_list in [false, true] {
        let mut rig = one_worker();
        rig.dynamic_constants(64);
        let mut deferred = rig.deferred();
        let finished = drawn(&rig, &mut deferred, 300, None);
        for frame in 0..3 {
            let queue = |rig: &mut Rig| {
                let before = Instant::now();
                if is_list {
                    rig.context.execute(&finished);
                } else {
                    (0..300).for_each(|_| rig.context.draw());
                }
                (before, rig.context.immediate().waiting().unwrap())
            };
            let (before, first) = queue(&mut rig);
            assert!(first >= before, "list: {is_list}, frame {frame}: a pause before it counts");
            assert_eq!(queue(&mut rig).1, first, "list: {is_list}, frame {frame}");
            rig.context.flush();
        }
    }
}
