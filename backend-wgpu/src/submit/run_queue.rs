//! The run queue: hands jobs to the workers, and wakes workers that sleep.

use crate::services::sync::{AtomicBool, Ordering, SegQueue, park};

/// Values in the order in which they were handed over. Handing over has no lock and never waits.
///
/// What is pushed is popped, and after [`close`](Self::close) no worker sleeps on: no waking is lost.
#[derive(Debug)]
pub(crate) struct RunQueue<T> {
    waiting: SegQueue<T>,
    /// By worker: it finds nothing to do and sleeps, or is about to. Changed by swaps only, so that each
    /// change follows from the one before.
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

    /// Hands a value over. The answer is the worker to unpark, if one sleeps.
    #[must_use]
    pub(crate) fn push(&self, value: T) -> Option<usize> {
        self.waiting.push(value);
        // After the queue; the other half of what stands in `next`.
        // A worker is chosen once, so that the next value wakes another.
        self.asleep.iter().position(|asleep| asleep.swap(false, Ordering::AcqRel))
    }

    /// Whether a value would be found without waking anybody, as far as one can know.
    pub(crate) fn is_awaited(&self) -> bool {
        self.asleep.iter().any(|asleep| !asleep.load(Ordering::Relaxed))
    }

    /// The next value, without waiting.
    pub(crate) fn pop(&self) -> Option<T> {
        self.waiting.pop()
    }

    /// The next value for a worker, slept for if there is none. `None` when the queue is closed.
    pub(crate) fn next(&self, worker: usize) -> Option<T> {
        let asleep = self.asleep.get(worker)?;
        while !self.closed.load(Ordering::Acquire) {
            if let Some(value) = self.waiting.pop() {
                return Some(value);
            }
            asleep.swap(true, Ordering::AcqRel);
            // Of this swap and that of the thread that hands a value over, one comes first, and the other sees it
            // and all that was before it: the flag is seen there, or the value here.
            if self.waiting.is_empty() && !self.closed.load(Ordering::Acquire) {
                park();
            }
            asleep.swap(false, Ordering::AcqRel);
        }
        None
    }

    /// Lets the workers go. The caller then unparks each of them, whether it sleeps or not: if not, it does
    /// not fall asleep.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }
}
