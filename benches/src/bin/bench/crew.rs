//! Threads that record each frame together.
//!
//! The threads live while a row is measured. In each frame they wait for each other before the clock starts,
//! so neither starting nor waking a thread is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use onze_benches::error::Error;

use crate::measure::Stopwatch;

pub(crate) type PartRecorder<R> = Box<dyn FnMut() -> Result<R, Error> + Send>;

/// A thread's recording, and the time at which it was finished.
type Done<R> = (Result<R, Error>, Instant);

/// The recording threads. The calling thread is the first.
pub(crate) struct Crew<R> {
    first: PartRecorder<R>,
    others: Vec<Other<R>>,
    arrived: Arc<AtomicUsize>,
}

struct Other<R> {
    go: Option<Sender<()>>,
    done: Receiver<Done<R>>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) struct Recorded<R> {
    /// A stopwatch that was started when all threads began to record.
    pub(crate) watch: Stopwatch,
    /// The time at which the last thread had recorded its part.
    pub(crate) end: Instant,
    pub(crate) parts: Vec<R>,
}

impl<R: Send + 'static> Crew<R> {
    /// Starts a thread for each part except the first.
    pub(crate) fn start(first: PartRecorder<R>, others: Vec<PartRecorder<R>>) -> Self {
        let arrived = Arc::new(AtomicUsize::new(0));
        let all = others.len() + 1;
        let start = |mut part: PartRecorder<R>| {
            let ((go, gone), (send, done)) = (channel::<()>(), channel());
            let arrived = arrived.clone();
            let thread = std::thread::spawn(move || {
                while gone.recv().is_ok() {
                    wait_for(&arrived, all);
                    let recorded = part();
                    // Take the time here, so that the channel's latency is not counted.
                    if send.send((recorded, Instant::now())).is_err() {
                        return;
                    }
                }
            });
            Other { go: Some(go), done, thread: Some(thread) }
        };
        Self { first, others: others.into_iter().map(start).collect(), arrived }
    }

    pub(crate) fn record(&mut self) -> Result<Recorded<R>, Error> {
        self.arrived.store(0, Ordering::Release);
        for other in &self.others {
            other.go.as_ref().and_then(|go| go.send(()).ok()).ok_or(Error::ThreadStopped)?;
        }
        wait_for(&self.arrived, self.others.len() + 1);
        let watch = Stopwatch::start();
        let first = (self.first)();
        let mut end = Instant::now();
        let mut parts = vec![first];
        for other in &self.others {
            let (part, done) = other.done.recv().map_err(|_| Error::ThreadStopped)?;
            end = end.max(done);
            parts.push(part);
        }
        Ok(Recorded { watch, end, parts: parts.into_iter().collect::<Result<_, _>>()? })
    }
}

/// Registers this thread's arrival, and waits until all threads have arrived.
fn wait_for(arrived: &AtomicUsize, all: usize) {
    arrived.fetch_add(1, Ordering::AcqRel);
    let mut turns = 0_u32;
    while arrived.load(Ordering::Acquire) < all {
        turns += 1;
        if turns.is_multiple_of(1024) {
            // Yield after some turns, because spinning would block other threads if there are fewer free
            // cores than threads.
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}

impl<R> Drop for Crew<R> {
    fn drop(&mut self) {
        for other in &mut self.others {
            other.go = None;
            if let Some(thread) = other.thread.take() {
                // Ignore a panic here, because the panicking thread has already printed it.
                drop(thread.join());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_has_every_part_in_order() {
        let part = |number: u32| -> PartRecorder<u32> {
            let mut frame = 0;
            Box::new(move || {
                frame += 1;
                Ok(100 * frame + number)
            })
        };
        let mut crew = Crew::start(part(0), vec![part(1), part(2)]);
        for frame in 1..50 {
            let recorded = crew.record().unwrap();
            assert_eq!(recorded.parts, [100 * frame, 100 * frame + 1, 100 * frame + 2]);
        }
    }

    #[test]
    fn an_error_of_one_part_is_the_frames() {
        let mut crew = Crew::start(Box::new(|| Ok(0)), vec![Box::new(|| Err(Error::MemoryUnknown))]);
        assert!(matches!(crew.record(), Err(Error::MemoryUnknown)));
    }
}
