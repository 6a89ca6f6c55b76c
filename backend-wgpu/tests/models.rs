//! The queue of the workers, tried under every schedule that the memory model allows.
//!
//! It is the driver's own code, compiled once more with `loom`'s primitives. A waking that is lost leaves
//! a worker asleep for ever, which `loom` reports as a deadlock.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "the threads of a model take turns on one thread")]

#[path = "../src/run_queue.rs"]
mod run_queue;
#[path = "../../api/tests/models/sync.rs"]
#[allow(dead_code, unused_imports, reason = "shared with the runtime's models, which need more of it")]
mod sync;

use std::sync::Arc;

use loom::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use run_queue::RunQueue;
use sync::Sleep;

/// Runs `scene` under every schedule with at most two preemptions: as many as a lost waking needs.
fn model(scene: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(scene);
}

/// A pool of workers that count what they get.
struct Pool {
    queue: Arc<RunQueue<usize>>,
    threads: Vec<(thread::JoinHandle<()>, Arc<Sleep>)>,
    /// The sum of the runs, each of which is a digit of its own.
    done: Arc<AtomicUsize>,
    flushing: Arc<Sleep>,
}

impl Pool {
    fn new(workers: usize) -> Self {
        let (queue, done) = (Arc::new(RunQueue::new(workers)), Arc::new(AtomicUsize::new(0)));
        let flushing = Sleep::new();
        let start = |worker| {
            let (queue, done, flushing, sleep) =
                (queue.clone(), done.clone(), flushing.clone(), Sleep::new());
            let own = sleep.clone();
            let thread = thread::spawn(move || {
                own.attach();
                while let Some(run) = queue.next(worker) {
                    done.fetch_add(run, Ordering::AcqRel);
                    flushing.unpark();
                }
            });
            (thread, sleep)
        };
        let threads = (0..workers).map(start).collect();
        Self { queue, threads, done, flushing }
    }

    fn submit(&self, run: usize) {
        if let Some(sleeper) = self.queue.push(run) {
            self.threads[sleeper].1.unpark();
        }
    }

    /// Waits until the workers have done these runs.
    fn wait(&self, runs: usize) {
        while self.done.load(Ordering::Acquire) != runs {
            self.flushing.park();
        }
    }

    fn close(self) {
        self.queue.close();
        for (thread, sleep) in self.threads {
            sleep.unpark();
            thread.join().unwrap();
        }
    }
}

#[test]
fn a_worker_that_falls_asleep_meanwhile_is_woken_for_each_run() {
    model(|| {
        let pool = Pool::new(1);
        pool.submit(1);
        pool.wait(1);
        pool.submit(10);
        pool.wait(11);
        pool.close();
    });
}

#[test]
fn two_workers_take_two_runs_between_them() {
    model(|| {
        let pool = Pool::new(2);
        pool.submit(1);
        pool.submit(10);
        pool.wait(11);
        pool.close();
    });
}

#[test]
fn a_run_is_taken_by_the_worker_or_by_who_flushes() {
    model(|| {
        let pool = Pool::new(1);
        pool.submit(1);
        match pool.queue.pop() {
            Some(run) => assert_eq!((run, pool.done.load(Ordering::Acquire)), (1, 0)),
            None => pool.wait(1),
        }
        pool.close();
    });
}

#[test]
fn no_worker_sleeps_on_when_the_pool_goes() {
    model(|| {
        let pool = Pool::new(2);
        pool.submit(1);
        pool.close();
    });
}
