//! The run queue of the workers, checked with `loom` under every schedule that the memory model allows.
//!
//! This crate compiles the driver's own source file again with `loom`'s primitives, because a lost wake-up
//! leaves a worker asleep forever, which `loom` reports as a deadlock.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "the threads of a model take turns on one thread")]

#[path = "../src/submit/run_queue.rs"]
#[allow(dead_code, reason = "it answers a question that no promise is about")]
mod run_queue;
#[path = "../../api/tests/models/sync.rs"]
#[allow(dead_code, unused_imports, reason = "shared with the runtime's models, which need more of it")]
mod sync;

/// The module in which the queue looks for its synchronization primitives.
mod services {
    pub(crate) use crate::sync;
}

use std::sync::Arc;

use loom::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use run_queue::RunQueue;
use sync::Sleep;

/// Runs `scene` under every schedule with at most two preemptions, which suffice to lose a wake-up.
fn model(scene: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(scene);
}

/// A job that consists of two runs, 1 and 10, and whose number is their sum.
const TWO: usize = 11;

/// State that the threads of a pool share.
struct Shared {
    queue: RunQueue<usize>,
    sleeps: Vec<Arc<Sleep>>,
    /// The sum of the finished runs, in which each run adds to its own decimal digit.
    done: AtomicUsize,
    flushing: Arc<Sleep>,
    /// If set, the worker with the first of two runs parks here until the second run is done.
    meeting: Option<Arc<Sleep>>,
}

impl Shared {
    fn submit(&self, job: usize) {
        if let Some(sleeper) = self.queue.push(job) {
            self.sleeps[sleeper].unpark();
        }
    }

    /// Returns the first run of a job, after pushing the second run, if there is one, back to the queue.
    fn take_run(&self, job: usize) -> usize {
        if job != TWO {
            return job;
        }
        self.submit(10);
        1
    }

    fn work(&self, worker: usize) {
        self.sleeps[worker].attach();
        while let Some(job) = self.queue.next(worker) {
            let run = self.take_run(job);
            self.done.fetch_add(run, Ordering::AcqRel);
            self.flushing.unpark();
            match &self.meeting {
                Some(meeting) if run == 1 => {
                    while self.done.load(Ordering::Acquire) != TWO {
                        meeting.park();
                    }
                }
                Some(meeting) => meeting.unpark(),
                None => {}
            }
        }
    }
}

/// A pool of workers that add up the runs that they take.
struct Pool {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl std::ops::Deref for Pool {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Pool {
    fn new(workers: usize) -> Self {
        Self::with(workers, None)
    }

    fn with(workers: usize, meeting: Option<Arc<Sleep>>) -> Self {
        let shared = Arc::new(Shared {
            queue: RunQueue::new(workers),
            sleeps: (0..workers).map(|_| Sleep::new()).collect(),
            done: AtomicUsize::new(0),
            flushing: Sleep::new(),
            meeting,
        });
        let start = |worker| {
            let shared = shared.clone();
            thread::spawn(move || shared.work(worker))
        };
        let threads = (0..workers).map(start).collect();
        Self { shared, threads }
    }

    /// Waits until the sum of the runs that the workers have done is `runs`.
    fn wait(&self, runs: usize) {
        while self.done.load(Ordering::Acquire) != runs {
            self.flushing.park();
        }
    }

    /// Takes the jobs that no worker has taken, until the sum of all finished runs is `runs`.
    fn finish(&self, runs: usize) {
        let mut own = 0;
        loop {
            while let Some(job) = self.queue.pop() {
                own += self.take_run(job);
            }
            // A worker may have pushed a second run since the queue was found empty, so only the sum shows
            // whether all runs are done.
            if own + self.done.load(Ordering::Acquire) == runs {
                return;
            }
            self.flushing.park();
        }
    }

    fn close(self) {
        self.queue.close();
        for (thread, sleep) in self.threads.into_iter().zip(&self.shared.sleeps) {
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

#[test]
fn a_worker_that_takes_one_of_two_runs_wakes_another() {
    model(|| {
        let pool = Pool::with(2, Some(Sleep::new()));
        pool.submit(TWO);
        pool.wait(TWO);
        pool.close();
    });
}

#[test]
fn a_flush_takes_or_awaits_the_runs_of_a_job() {
    model(|| {
        let pool = Pool::new(1);
        pool.submit(TWO);
        pool.finish(TWO);
        pool.close();
    });
}
