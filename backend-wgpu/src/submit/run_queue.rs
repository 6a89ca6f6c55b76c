//! The run queue, which passes jobs to the workers and selects the sleeping workers to wake.

use crate::services::sync::{AtomicBool, Ordering, SegQueue, park};

/// A first-in, first-out queue, in which pushing takes no lock and never waits.
///
/// No wake-up is lost: every pushed value is popped while there are workers, and no worker remains asleep
/// after [`close`](Self::close).
#[derive(Debug)]
pub(crate) struct RunQueue<T> {
    waiting: SegQueue<T>,
    /// For each worker, whether it has found the queue empty and is asleep or about to sleep. A flag is
    /// changed only by swaps, so that each change is ordered after the previous one.
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

    /// Pushes a value and, if a worker is asleep, returns its index for the caller to unpark it.
    #[must_use]
    pub(crate) fn push(&self, value: T) -> Option<usize> {
        self.waiting.push(value);
        // The swap must follow the push, because the proof in `next` depends on this order. The swap clears
        // the flag, so the next push chooses another worker.
        self.asleep.iter().position(|asleep| asleep.swap(false, Ordering::AcqRel))
    }

    /// Whether a worker is probably awake and would find a value without being woken.
    pub(crate) fn is_awaited(&self) -> bool {
        self.asleep.iter().any(|asleep| !asleep.load(Ordering::Relaxed))
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.waiting.pop()
    }

    /// Waits for the next value for a worker, or returns `None` if the queue is closed.
    pub(crate) fn next(&self, worker: usize) -> Option<T> {
        let asleep = self.asleep.get(worker)?;
        while !self.closed.load(Ordering::Acquire) {
            if let Some(value) = self.waiting.pop() {
                return Some(value);
            }
            asleep.swap(true, Ordering::AcqRel);
            // This swap and the pushing thread's swap are ordered, and the later one sees everything before
            // the earlier one, so either the pushing thread sees the flag or this thread sees the value.
            if self.waiting.is_empty() && !self.closed.load(Ordering::Acquire) {
                park();
            }
            asleep.swap(false, Ordering::AcqRel);
        }
        None
    }

    /// Closes the queue, after which the caller must unpark every worker, even those that are running,
    /// because that keeps them from falling asleep.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }
}
