//! A queue with one consumer, except that after it was closed, each producer also consumes.

use crate::sync::{AtomicBool, Ordering, SegQueue, fence};

/// Any thread can push values without waiting, while the consumer pops values from time to time, and closes
/// the queue at the end.
///
/// Every value is popped, even if it is pushed while the queue is being closed. The consumer closes the queue
/// first and then pops until the queue is empty, and a producer pops if [`push`](Self::push) returns true.
pub(crate) struct ReleaseQueue<T> {
    waiting: SegQueue<T>,
    closed: AtomicBool,
}

impl<T> ReleaseQueue<T> {
    pub(crate) fn new() -> Self {
        Self { waiting: SegQueue::new(), closed: AtomicBool::new(false) }
    }

    /// Adds a value, and returns whether the consumer has closed the queue, in which case the caller must pop
    /// until the queue is empty.
    pub(crate) fn push(&self, value: T) -> bool {
        self.waiting.push(value);
        // Pairs with the fence in `close`, so that either the consumer's last pops see the value, or this
        // thread sees that the queue is closed. Without the two fences, neither might be the case.
        fence(Ordering::SeqCst);
        self.is_closed()
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.waiting.pop()
    }

    /// Closes the queue, after which the consumer must pop until it is empty. A thread that sees the queue
    /// closed also sees all earlier writes of the consumer.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
}
