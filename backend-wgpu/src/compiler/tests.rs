//! Work for threads that compile: who does it, in what order, and how they end.
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

/// Keeps a thread that compiles busy until it goes.
pub(crate) struct Busy {
    _release: Sender<()>,
}

impl Busy {
    pub(crate) fn new(device: &Device) -> Self {
        let ((begin, begun), (release, released)) = (channel(), channel::<()>());
        let work = move |_: &Device| {
            begin.send(()).unwrap();
            assert!(released.recv().is_err(), "until the other end goes");
        };
        assert!(device.compilers.hand_over(unique_id(), || true, work).is_ok());
        begun.recv_timeout(PATIENCE).expect("a thread has time for it");
        Self { _release: release }
    }
}

/// Waits until something is true that other threads bring about.
pub(crate) fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::yield_now();
    }
}

fn opened(workers: u32) -> Arc<Device> {
    let (device, _) = testing::noop();
    device.compilers.open(&device, workers);
    device
}

/// Hands over what says that it was done.
fn hand_over(device: &Device, number: u64, to: &Sender<u64>) {
    let to = to.clone();
    assert!(device.compilers.hand_over(number, || false, move |_| to.send(number).unwrap()).is_ok());
}

fn is_one_asleep(device: &Device) -> bool {
    lock(&device.compilers.state).asleep == 1
}

fn next(from: &Receiver<u64>) -> u64 {
    from.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn there_are_as_many_threads_as_workers_and_they_work_at_once() {
    for workers in [1, 2, 5] {
        let device = opened(workers);
        let (to, from) = channel();
        let busy: Vec<_> = (0..workers).map(|_| Busy::new(&device)).collect();
        assert_eq!(Arc::strong_count(&device), 1 + workers as usize);
        hand_over(&device, 7, &to);
        assert_eq!(device.compilers.unfinished(), u64::from(workers) + 1);
        assert_eq!(Arc::strong_count(&device), 1 + workers as usize, "there are no more");
        drop(busy);
        assert_eq!(next(&from), 7);
        device.compilers.finish();
        assert_eq!(device.compilers.unfinished(), 0);
        device.compilers.close();
        assert_eq!(Arc::strong_count(&device), 1);
    }
}

#[test]
fn a_thread_that_has_nothing_to_do_is_preferred_to_a_new_one() {
    let device = opened(4);
    for n in 0..50 {
        let (to, from) = channel();
        hand_over(&device, n, &to);
        assert_eq!(next(&from), n);
        device.compilers.finish();
        wait_until("the thread has done all", || is_one_asleep(&device));
        assert_eq!(Arc::strong_count(&device), 2);
    }
    device.compilers.close();
}

#[test]
fn without_workers_work_is_who_needs_it_does_it() {
    let here = thread::current().id();
    for device in [testing::noop().0, opened(0)] {
        assert!(device.compilers.hand_over(1, || true, |_| ()).is_err());
        assert_eq!(Compilers::make(&device, |_| thread::current().id()), here);
        device.compilers.finish();
    }
    let device = opened(1);
    assert_ne!(Compilers::make(&device, |_| thread::current().id()), here);
    device.compilers.close();
    assert_eq!(Compilers::make(&device, |_| thread::current().id()), here);
}

#[test]
fn what_is_waited_for_goes_before_what_was_prepared() {
    let device = opened(1);
    let (to, from) = channel();
    let busy = Busy::new(&device);
    (1..=4).for_each(|n| hand_over(&device, n, &to));
    let last = to.clone();
    assert!(device.compilers.hand_over(5, || true, move |_| last.send(5).unwrap()).is_ok());
    device.compilers.urge(3);
    device.compilers.urge(3);
    device.compilers.urge(99);
    assert_eq!(device.compilers.urgent(), 2);
    drop(busy);
    assert_eq!((0..5).map(|_| next(&from)).collect::<Vec<_>>(), [5, 3, 1, 2, 4]);
    device.compilers.close();
}

#[test]
fn what_nobody_misses_goes_last_and_keeps_nobody_waiting() {
    let device = opened(1);
    let (to, from) = channel();
    let spare = |n, to: &Sender<u64>| {
        let to = to.clone();
        device.compilers.hand_over_spare(move |_| to.send(n).unwrap());
    };
    let busy = Busy::new(&device);
    (1..=3).for_each(|n| spare(n, &to));
    hand_over(&device, 4, &to);
    assert_eq!((device.compilers.unfinished(), device.compilers.spare()), (2, 3));
    drop(busy);
    assert_eq!((0..4).map(|_| next(&from)).collect::<Vec<_>>(), [4, 1, 2, 3]);
    // The thread is at such a thing, and there is another one for what comes.
    let (begin, begun) = channel();
    let (release, released) = channel::<()>();
    device.compilers.hand_over_spare(move |_| {
        begin.send(()).unwrap();
        assert!(released.recv().is_err(), "until the other end goes");
    });
    begun.recv_timeout(PATIENCE).unwrap();
    spare(5, &to);
    hand_over(&device, 6, &to);
    assert_eq!(next(&from), 6);
    device.compilers.finish();
    assert_eq!(device.compilers.spare(), 2, "one after the other");
    drop(release);
    assert_eq!(next(&from), 5);
    device.compilers.close();
    device.compilers.hand_over_spare(|_| panic!("there is no thread for it"));
    assert_eq!(device.compilers.spare(), 0);
}

#[test]
fn who_waits_for_all_waits_for_what_is_begun_and_for_what_is_not() {
    let device = opened(1);
    let done = Arc::new(AtomicBool::new(false));
    let busy = Busy::new(&device);
    let set = done.clone();
    let work = move |_: &Device| set.store(true, Ordering::Relaxed);
    assert!(device.compilers.hand_over(1, || false, work).is_ok());
    thread::scope(|scope| {
        let finishing = scope.spawn(|| {
            device.compilers.finish();
            assert!(done.load(Ordering::Relaxed));
        });
        wait_until("it waits", || lock(&device.compilers.state).finishing == 1);
        assert!(!finishing.is_finished());
        drop(busy);
    });
    device.compilers.close();
}

/// Says that it was dropped.
struct Dropped(Sender<u64>, u64);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.send(self.1).unwrap();
    }
}

#[test]
fn closing_drops_what_nobody_has_begun_and_ends_the_threads() {
    let device = opened(2);
    let (to, from) = channel();
    let busy = [Busy::new(&device), Busy::new(&device)];
    for n in 0..10 {
        let dropped = Dropped(to.clone(), n);
        let work = move |_: &Device| drop(dropped);
        assert!(device.compilers.hand_over(n, || n % 2 == 0, work).is_ok());
    }
    thread::scope(|scope| {
        let closing = scope.spawn(|| device.compilers.close());
        // While the threads are busy, so none of them has done it: who waits for one of these is told at once.
        let mut all: Vec<_> = (0..10).map(|_| next(&from)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        assert!(!closing.is_finished());
        drop(busy);
    });
    assert_eq!((Arc::strong_count(&device), device.compilers.unfinished()), (1, 0));
    device.compilers.finish();
}

#[test]
fn a_trim_ends_the_threads_that_have_nothing_to_do_and_the_next_work_starts_one() {
    let device = opened(3);
    let (to, from) = channel();
    for n in 0..20 {
        let busy = Busy::new(&device);
        hand_over(&device, n, &to);
        assert_eq!(next(&from), n);
        wait_until("one has nothing to do", || is_one_asleep(&device));
        device.compilers.trim();
        wait_until("one thread ends and the other is busy", || Arc::strong_count(&device) == 2);
        drop(busy);
        device.compilers.finish();
        device.compilers.trim();
        wait_until("both have ended", || Arc::strong_count(&device) == 1);
    }
    device.compilers.close();
}

#[test]
fn a_panic_is_the_end_of_the_work_and_not_of_the_thread() {
    let device = opened(1);
    let (to, from) = channel();
    assert!(device.compilers.hand_over(1, || true, |_| panic!("as a test")).is_ok());
    hand_over(&device, 2, &to);
    assert_eq!(next(&from), 2);
    device.compilers.finish();
    let made = catch_unwind(AssertUnwindSafe(|| Compilers::make(&device, |_| panic!("as a test"))));
    assert!(made.is_err(), "who waits panics as if there were no other thread");
    device.compilers.finish();
    assert_eq!(Arc::strong_count(&device), 2);
    device.compilers.close();
}

#[test]
fn the_last_owner_of_a_device_may_be_a_thread_that_compiles() {
    let device = opened(1);
    let weak = Arc::downgrade(&device);
    let busy = Busy::new(&device);
    let owner = device.clone();
    assert!(device.compilers.hand_over(1, || true, move |_| owner.compilers.close()).is_ok());
    drop((device, busy));
    wait_until("the device goes", || weak.strong_count() == 0);
}
