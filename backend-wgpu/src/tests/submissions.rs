//! Tests of early submissions, and of the maximum number of submissions in flight.

use std::time::Duration;

use onze_ddi::{BindFlags, BufferDesc, FlushFlags, ImmediateFuncs, KernelCallbacks, ResourceHandle, Tuning};

use super::{Rig, lists::drawn};
use crate::{
    context::ImmediateTable, encode::compiler::tests::wait_until, record::upload::SHARED_BLOCK,
    testing::noop_with,
};

fn one_worker() -> Rig {
    Rig::new(noop_with(Tuning { workers: Some(1), page_draws: None, ..Tuning::default() }))
}

fn vertices(rig: &mut Rig, size: u32) -> ResourceHandle {
    rig.buffer(BufferDesc::new(size, BindFlags::VERTEX_BUFFER), None)
}

#[test]
fn an_idle_gpu_gets_encoded_runs_after_a_delay() {
    for is_list in [false, true] {
        submitted_unasked(is_list);
    }
}

fn submitted_unasked(is_list: bool) {
    let mut rig = one_worker();
    // Draws without a target have no effect, so the submission consists of the copy.
    let (from, to) = (vertices(&mut rig, 64), vertices(&mut rig, 64));
    let early = |rig: &Rig| rig.device.submission.counters.read(&rig.device.encoding).early_submissions;
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, from);
    rig.open(&mut deferred, to);
    deferred.copy(to, from);
    deferred.draw();
    let list = deferred.finish();
    // A run is encoded when it is returned, and the next run that is handed over triggers the check for an
    // early submission.
    let record = |rig: &mut Rig, idle_time| {
        rig.context.immediate().set_idle_time(idle_time);
        let handed = rig.context.immediate().pool().handed();
        rig.context.copy(to, from);
        while rig.context.immediate().pool().handed() == handed {
            if is_list {
                rig.context.execute(&list);
            } else {
                rig.context.draw();
            }
        }
        let pool = rig.context.immediate().pool();
        wait_until("the worker answers", || pool.pending() == 0 || pool.is_answered());
        early(rig)
    };
    assert_eq!(record(&mut rig, Duration::MAX), 0);
    assert_eq!(record(&mut rig, Duration::MAX), 0, "lists: {is_list}: it may wait longer");
    // A fast worker also answers the new run before the last check.
    let submitted = record(&mut rig, Duration::ZERO);
    assert!(submitted > 0, "lists: {is_list}");
    assert_eq!(record(&mut rig, Duration::MAX), submitted, "lists: {is_list}");
    rig.runtime.assert_clean();
}

#[test]
fn no_worker_is_woken_for_a_few_draws() {
    let mut rig = one_worker();
    for (draws, handed) in [(1, 0), (2000, 0), (2001, 1), (3, 1), (3100, 3)] {
        (0..draws).for_each(|_| rig.context.draw());
        rig.context.flush();
        assert_eq!(rig.context.immediate().pool().handed(), handed, "{draws} draws");
    }
    rig.runtime.assert_clean();
}

/// Uses the run length of adapters with expensive pass splits.
#[test]
fn a_gpu_that_has_nothing_to_do_gets_a_part_of_a_long_run() {
    let mut rig =
        Rig::new(noop_with(Tuning { workers: Some(1), run_draws: Some(16_000), ..Tuning::default() }));
    let (from, to) = (vertices(&mut rig, 64), vertices(&mut rig, 64));
    let early = |rig: &Rig| rig.device.submission.counters.read(&rig.device.encoding).early_submissions;
    let record = |rig: &mut Rig, idle_time| {
        rig.context.immediate().set_idle_time(idle_time);
        rig.context.copy(to, from);
        (0..2000).for_each(|_| rig.context.draw());
    };
    record(&mut rig, Duration::MAX);
    assert_eq!((early(&rig), rig.context.immediate().pool().handed()), (0, 0));
    record(&mut rig, Duration::ZERO);
    assert!(rig.context.immediate().pool().handed() > 0 || early(&rig) > 0);
    wait_until("it is encoded", || {
        let pool = rig.context.immediate().pool();
        pool.unanswered() == 0 || pool.is_answered()
    });
    record(&mut rig, Duration::ZERO);
    assert!(early(&rig) > 0);
    rig.runtime.assert_clean();
}

#[test]
fn runs_that_are_many_are_submitted_unasked_however_short() {
    for workers in [0, 1] {
        let tuning =
            Tuning { workers: Some(workers), page_draws: Some(1), run_draws: Some(1), ..Tuning::default() };
        let mut rig = Rig::new(noop_with(tuning));
        let (from, to) = (vertices(&mut rig, 64), vertices(&mut rig, 64));
        for _ in 0..3000 {
            rig.context.copy(to, from);
            rig.context.draw();
            let waiting = rig.context.immediate().pool().unanswered();
            assert!(waiting <= 2000, "{workers} workers: {waiting}");
        }
        assert!(
            rig.device.submission.counters.read(&rig.device.encoding).early_submissions > 0,
            "{workers} workers"
        );
        rig.context.flush();
        rig.runtime.assert_clean();
    }
}

#[test]
fn the_first_pending_page_or_list_starts_the_delay() {
    for is_list in [false, true] {
        let mut rig = one_worker();
        // An early submission would also restart the clock.
        rig.context.immediate().set_idle_time(Duration::MAX);
        rig.dynamic_constants(64);
        let mut deferred = rig.deferred();
        let draws = rig.full_page() + 1;
        let finished = drawn(&rig, &mut deferred, draws, None);
        for frame in 0..3 {
            let queue = |rig: &mut Rig| {
                if is_list {
                    rig.context.execute(&finished);
                } else {
                    (0..draws).for_each(|_| rig.context.draw());
                }
                rig.context.immediate().clock_starts()
            };
            let before = rig.context.immediate().clock_starts();
            assert_eq!(queue(&mut rig), before + 1, "list: {is_list}, frame {frame}: the first work");
            assert_eq!(queue(&mut rig), before + 1, "list: {is_list}, frame {frame}: more work");
            rig.context.flush();
        }
    }
}

/// A slow GPU lags by the maximum number of submissions, and a software adapter by fewer.
#[test]
fn memory_is_bounded_without_waiting_for_the_gpu() {
    const WRITTEN: u32 = 512 * 1024;
    let Some(mut rig) = Rig::gpu() else { return };
    let (from, to) = (vertices(&mut rig, 32 * WRITTEN), vertices(&mut rig, 32 * WRITTEN));
    let (target, small) = (vertices(&mut rig, WRITTEN), vertices(&mut rig, 256));
    let written = rig.buffer(BufferDesc::dynamic(WRITTEN, BindFlags::VERTEX_BUFFER), None);
    let constants = rig.dynamic_constants(256);
    for frame in 1..100_usize {
        rig.context.discard(written, &[frame as u8; WRITTEN as usize]);
        rig.context.copy(target, written);
        rig.context.copy(to, from);
        for n in 0..100 {
            rig.context.discard(constants, &[n; 256]);
            rig.context.copy(small, constants);
        }
        assert!(rig.context.flush());
        let ahead = frame - rig.runtime.signalled().0 as usize;
        assert!(ahead <= rig.device.gpu.policy.backlog.in_flight, "{ahead} submissions after {frame} frames");
        // One chunk of the belt is in use per submission, and one is being written.
        let belt = rig.context.immediate().belt().made();
        assert!(
            (1..=rig.device.gpu.policy.backlog.in_flight + 1).contains(&belt),
            "{belt} pieces after {frame} frames"
        );
        // Upload blocks are reused immediately, because writes to them are ordered after the reads. Two
        // blocks with one owner alternate, and slices are cut from one block while another block contains the
        // current constants.
        let bytes = rig.context.recorder().uploads.bytes();
        let most = 2 * WRITTEN + 3 * SHARED_BLOCK;
        assert!(bytes <= most.into(), "{bytes} bytes after {frame} frames, but at most {most} are allowed");
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_trim_ends_threads_that_compile_nothing() {
    let mut rig = one_worker();
    let owners = |rig: &Rig| std::sync::Arc::strong_count(&rig.device.encoding.compilers);
    let before = owners(&rig);
    for _ in 0..5 {
        rig.device.encoding.compilers.make(|_| ());
        rig.device.encoding.compilers.finish();
        assert_eq!(owners(&rig), before + 1);
        assert!(!ImmediateTable::default().flush(rig.context.entry(), FlushFlags::TRIM_MEMORY));
        wait_until("the thread ends", || owners(&rig) == before);
    }
}
