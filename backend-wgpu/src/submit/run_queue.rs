//! The run queue, which passes jobs to the workers and wakes sleeping workers.

use crate::services::sync::{AtomicBool, Ordering, SegQueue, park};

/// A queue of values in the order of their pushes, which take no lock and never wait.
///
/// Every pushed value is popped, and no worker sleeps after [`close`](Self::close), because no wake-up is
/// lost.
#[derive(Debug)]
pub(crate) struct RunQueue<T> {
    waiting: SegQueue<T>,
    /// For each worker, whether it has found the queue empty and sleeps or is about to, changed only by swaps
    /// so that each change is ordered after the previous one.
    asleep: Box<[AtomicBool]>,
    closed: AtomicBool,
}

impl<T> RunQueue<T> {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            waiting: SegQueue::new(),
            asleep: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            closed: AtomicBool::new(false),
        }
    }

    /// Pushes a value, and returns the worker to unpark if one sleeps.
    #[must_use]
    pub(crate) fn push(&self, value: T) -> Option<usize> {
        self.waiting.push(value);
        // This follows the push, as the other half of the argument in `next`. A worker is chosen only once,
        // so the next value wakes another.
        self.asleep.iter().position(|asleep| asleep.swap(false, Ordering::AcqRel))
    }

    /// Whether a value would probably be found without waking a worker.
    pub(crate) fn is_awaited(&self) -> bool {
        self.asleep.iter().any(|asleep| !asleep.load(Ordering::Relaxed))
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.waiting.pop()
    }

    /// Waits for the next value for a worker, and returns `None` when the queue is closed.
    pub(crate) fn next(&self, worker: usize) -> Option<T> {
        let asleep = self.asleep.get(worker)?;
        while !self.closed.load(Ordering::Acquire) {
            if let Some(value) = self.waiting.pop() {
                return Some(value);
            }
            asleep.swap(true, Ordering::AcqRel);
            // Either this swap or that of the pushing thread comes first, and the other one sees its result
            // and everything before it, so either the pusher sees the flag or this thread sees the value.
            if self.waiting.is_empty() && !self.closed.load(Ordering::Acquire) {
                park();
            }
            asleep.swap(false, Ordering::AcqRel);
        }
        None
    }

    /// Closes the queue, after which the caller must unpark every worker, because unparking a running worker
    /// keeps it from falling asleep.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }
}
