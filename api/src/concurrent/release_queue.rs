//! A queue with one consumer, until it is closed; then every late producer consumes.

use crate::sync::{AtomicBool, Ordering, SegQueue, fence};

/// Any thread pushes without waiting, while the consumer pops from time to time, and closes the queue at the end.
///
/// Every value is popped, regardless of when the queue is closed: by the consumer, which closes first and then pops
/// until the queue is empty, or by the producer, if [`push`](Self::push) returns true.
pub(crate) struct ReleaseQueue<T> {
    waiting: SegQueue<T>,
    closed: AtomicBool,
}

impl<T> ReleaseQueue<T> {
    pub(crate) fn new() -> Self {
        Self { waiting: SegQueue::new(), closed: AtomicBool::new(false) }
    }

    /// Adds a value, and returns true if the consumer has closed the queue. In that case the caller must pop until the
    /// queue is empty.
    pub(crate) fn push(&self, value: T) -> bool {
        self.waiting.push(value);
        // Pairs with the fence in `close`: either the consumer's last pops see the value, or this thread sees that the
        // queue is closed. Without the two fences, both could be missed.
        fence(Ordering::SeqCst);
        self.is_closed()
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.waiting.pop()
    }

    /// Closes the queue at the end of the consumer, which must then pop until the queue is empty. A thread that finds
    /// the queue closed also sees all earlier writes of the consumer.
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
