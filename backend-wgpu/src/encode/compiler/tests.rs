//! Compiler threads: the thread and the order in which jobs are done, and the end of threads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender},
    },
    time::Instant,
};

use super::*;
use crate::testing::{self, PATIENCE};

/// Keeps a compiler thread busy with a job until it is dropped.
pub(crate) struct Busy {
    _release: Sender<()>,
}

impl Busy {
    pub(crate) fn new(compilers: &Compilers) -> Self {
        let ((begin, begun), (release, released)) = (channel(), channel::<()>());
        let work = move |_: &Gpu| {
            begin.send(()).unwrap();
            assert!(released.recv().is_err(), "until the other end goes");
        };
        assert!(compilers.hand_over(unique_id(), || true, work).is_ok());
        begun.recv_timeout(PATIENCE).expect("a thread has time for it");
        Self { _release: release }
    }
}

/// Waits for a condition that other threads bring about, and fails with `what` if it takes too long.
pub(crate) fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::yield_now();
    }
}

fn opened(workers: u32) -> Arc<Compilers> {
    let compilers = none();
    compilers.open(workers);
    compilers
}

/// Creates the compilers of a device that has no workers and therefore no compiler threads.
fn none() -> Arc<Compilers> {
    let (device, _) = testing::noop();
    device.encoding.compilers.clone()
}

/// Hands over a prepared job that sends its number when it is done.
fn hand_over(compilers: &Compilers, number: u64, to: &Sender<u64>) {
    let to = to.clone();
    assert!(compilers.hand_over(number, || false, move |_| to.send(number).unwrap()).is_ok());
}

fn is_one_asleep(compilers: &Compilers) -> bool {
    lock(&compilers.state).asleep == 1
}

fn next(from: &Receiver<u64>) -> u64 {
    from.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn one_compiler_thread_per_worker_runs_concurrently() {
    for workers in [1, 2, 5] {
        let compilers = opened(workers);
        let (to, from) = channel();
        let busy: Vec<_> = (0..workers).map(|_| Busy::new(&compilers)).collect();
        assert_eq!(Arc::strong_count(&compilers), 1 + workers as usize);
        hand_over(&compilers, 7, &to);
        assert_eq!(compilers.unfinished(), u64::from(workers) + 1);
        assert_eq!(Arc::strong_count(&compilers), 1 + workers as usize, "there are no more");
        drop(busy);
        assert_eq!(next(&from), 7);
        compilers.finish();
        assert_eq!(compilers.unfinished(), 0);
        compilers.close();
        assert_eq!(Arc::strong_count(&compilers), 1);
    }
}

#[test]
fn an_idle_thread_is_reused_before_a_new_one_starts() {
    let compilers = opened(4);
    for n in 0..50 {
        let (to, from) = channel();
        hand_over(&compilers, n, &to);
        assert_eq!(next(&from), n);
        compilers.finish();
        wait_until("the thread has done all", || is_one_asleep(&compilers));
        assert_eq!(Arc::strong_count(&compilers), 2);
    }
    compilers.close();
}

#[test]
fn a_caller_compiles_itself_without_compiler_threads() {
    let here = thread::current().id();
    for compilers in [none(), opened(0)] {
        assert!(compilers.hand_over(1, || true, |_| ()).is_err());
        assert_eq!(compilers.make(|_| thread::current().id()), here);
        compilers.finish();
    }
    let compilers = opened(1);
    assert_ne!(compilers.make(|_| thread::current().id()), here);
    compilers.close();
    assert_eq!(compilers.make(|_| thread::current().id()), here);
}

#[test]
fn awaited_pipelines_are_compiled_before_prepared_ones() {
    let compilers = opened(1);
    let (to, from) = channel();
    let busy = Busy::new(&compilers);
    (1..=4).for_each(|n| hand_over(&compilers, n, &to));
    let last = to.clone();
    assert!(compilers.hand_over(5, || true, move |_| last.send(5).unwrap()).is_ok());
    compilers.urge(3);
    compilers.urge(3);
    compilers.urge(99);
    assert_eq!(compilers.urgent(), 2);
    drop(busy);
    assert_eq!((0..5).map(|_| next(&from)).collect::<Vec<_>>(), [5, 3, 1, 2, 4]);
    compilers.close();
}

#[test]
fn idle_priority_jobs_run_last_and_are_never_awaited() {
    let compilers = opened(1);
    let (to, from) = channel();
    let spare = |n, to: &Sender<u64>| {
        let to = to.clone();
        assert!(compilers.hand_over_spare(move |_| to.send(n).unwrap()).is_ok());
    };
    let busy = Busy::new(&compilers);
    (1..=3).for_each(|n| spare(n, &to));
    hand_over(&compilers, 4, &to);
    assert_eq!((compilers.unfinished(), compilers.spare()), (2, 3));
    drop(busy);
    assert_eq!((0..4).map(|_| next(&from)).collect::<Vec<_>>(), [4, 1, 2, 3]);
    // While a thread does a job with idle priority, another thread does urgent and prepared jobs.
    let (begin, begun) = channel();
    let (release, released) = channel::<()>();
    let long = move |_: &Gpu| {
        begin.send(()).unwrap();
        assert!(released.recv().is_err(), "until the other end goes");
    };
    assert!(compilers.hand_over_spare(long).is_ok());
    begun.recv_timeout(PATIENCE).unwrap();
    spare(5, &to);
    hand_over(&compilers, 6, &to);
    assert_eq!(next(&from), 6);
    compilers.finish();
    assert_eq!(compilers.spare(), 2, "one after the other");
    drop(release);
    assert_eq!(next(&from), 5);
    compilers.close();
    assert!(compilers.hand_over_spare(|_| {}).is_err(), "there is no thread for it");
    assert_eq!(compilers.spare(), 0);
}

#[test]
fn finishing_waits_for_begun_and_queued_pipelines() {
    let compilers = opened(1);
    let done = Arc::new(AtomicBool::new(false));
    let busy = Busy::new(&compilers);
    let set = done.clone();
    let work = move |_: &Gpu| set.store(true, Ordering::Relaxed);
    assert!(compilers.hand_over(1, || false, work).is_ok());
    thread::scope(|scope| {
        let finishing = scope.spawn(|| {
            compilers.finish();
            assert!(done.load(Ordering::Relaxed));
        });
        wait_until("it waits", || lock(&compilers.state).finishing == 1);
        assert!(!finishing.is_finished());
        drop(busy);
    });
    compilers.close();
}

/// Sends its number when the job that owns it is dropped.
struct Dropped(Sender<u64>, u64);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.send(self.1).unwrap();
    }
}

#[test]
fn closing_drops_unstarted_jobs_and_ends_the_threads() {
    let compilers = opened(2);
    let (to, from) = channel();
    let busy = [Busy::new(&compilers), Busy::new(&compilers)];
    for n in 0..10 {
        let dropped = Dropped(to.clone(), n);
        let work = move |_: &Gpu| drop(dropped);
        assert!(compilers.hand_over(n, || n % 2 == 0, work).is_ok());
    }
    thread::scope(|scope| {
        let closing = scope.spawn(|| compilers.close());
        // Both threads are busy, so no job was done, and dropping the jobs wakes the threads that wait for
        // them.
        let mut all: Vec<_> = (0..10).map(|_| next(&from)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        assert!(!closing.is_finished());
        drop(busy);
    });
    assert_eq!((Arc::strong_count(&compilers), compilers.unfinished()), (1, 0));
    compilers.finish();
}

#[test]
fn a_trim_ends_idle_compiler_threads() {
    let compilers = opened(3);
    let (to, from) = channel();
    for n in 0..20 {
        let busy = Busy::new(&compilers);
        hand_over(&compilers, n, &to);
        assert_eq!(next(&from), n);
        wait_until("one has nothing to do", || is_one_asleep(&compilers));
        compilers.trim();
        wait_until("one thread ends and the other is busy", || Arc::strong_count(&compilers) == 2);
        drop(busy);
        compilers.finish();
        compilers.trim();
        wait_until("both have ended", || Arc::strong_count(&compilers) == 1);
    }
    compilers.close();
}

#[test]
fn a_panicking_job_does_not_end_its_thread() {
    let compilers = opened(1);
    let (to, from) = channel();
    assert!(compilers.hand_over(1, || true, |_| panic!("as a test")).is_ok());
    hand_over(&compilers, 2, &to);
    assert_eq!(next(&from), 2);
    compilers.finish();
    let made = catch_unwind(AssertUnwindSafe(|| compilers.make(|_| panic!("as a test"))));
    assert!(made.is_err(), "who waits panics as if there were no other thread");
    compilers.finish();
    assert_eq!(Arc::strong_count(&compilers), 2);
    compilers.close();
}

#[test]
fn a_compiler_thread_may_be_the_last_owner() {
    let compilers = opened(1);
    let weak = Arc::downgrade(&compilers);
    let busy = Busy::new(&compilers);
    let owner = compilers.clone();
    assert!(compilers.hand_over(1, || true, move |_| owner.close()).is_ok());
    drop((compilers, busy));
    wait_until("they go", || weak.strong_count() == 0);
}
