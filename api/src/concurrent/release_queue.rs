//! A queue from which somebody takes until it is closed; then whoever comes late takes.

use crate::sync::{AtomicBool, Ordering, SegQueue, fence};

/// Any thread pushes and never waits. Its consumer pops now and then, and closes it at the end.
///
/// What is pushed is popped, whenever the queue is closed: by the consumer, which closes first and then
/// pops until nothing is left, or by who pushed, if [`push`](Self::push) says so.
pub(crate) struct ReleaseQueue<T> {
    waiting: SegQueue<T>,
    closed: AtomicBool,
}

impl<T> ReleaseQueue<T> {
    pub(crate) fn new() -> Self {
        Self { waiting: SegQueue::new(), closed: AtomicBool::new(false) }
    }

    /// True if the consumer will not come any more: the caller must pop until nothing is left.
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

    /// The consumer goes; it must pop until nothing is left. What it did before is done for all who then
    /// find the queue closed.
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
