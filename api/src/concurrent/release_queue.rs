//! A queue with one consumer, until it is closed; then every late producer consumes.

use crate::sync::{AtomicBool, Ordering, SegQueue, fence};

/// Any thread pushes and never waits. Its consumer pops now and then, and closes it at the end.
///
/// Every value is popped, whenever the queue is closed: by the consumer, which closes first and then pops until
/// the queue is empty, or by the producer, if [`push`](Self::push) returns true.
pub(crate) struct ReleaseQueue<T> {
    waiting: SegQueue<T>,
    closed: AtomicBool,
}

impl<T> ReleaseQueue<T> {
    pub(crate) fn new() -> Self {
        Self { waiting: SegQueue::new(), closed: AtomicBool::new(false) }
    }

    /// True if the consumer has closed the queue: the caller must pop until the queue is empty.
    pub(crate) fn push(&self, value: T) -> bool {
        self.waiting.push(value);
        // Against the fence in `close`: either the consumer's last pops see the value, or this sees the
        // end. Without the two fences both could miss.
        fence(Ordering::SeqCst);
        self.is_closed()
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.waiting.pop()
    }

    /// Called by the consumer at its end; then it must pop until the queue is empty. A thread that finds the queue
    /// closed also sees everything that the consumer did before.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Values that wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
}
