//! Workers: threads that encode runs while the application goes on.
//!
//! Runs are taken from one queue in order. Whoever flushes helps: [`WorkerPool::finish`] encodes runs
//! that no worker has begun, and waits only for those that one has. So with no workers at all the same
//! code encodes on the calling thread. Each thread has caches of its own; the queue's lock is taken
//! twice per run, which is a thousand draws or so.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

use crate::{
    device::Device,
    encode::{EncodedRun, PipelineStore, WorkerCaches, encode_run},
    page::Run,
    sync::lock,
};

/// A run that was handed over, to be finished once.
#[derive(Debug)]
pub(crate) struct Ticket(u64);

#[derive(Debug, Default)]
struct Queue {
    /// Runs that nobody has begun.
    waiting: VecDeque<(u64, Run)>,
    /// Runs that workers have begun.
    running: HashSet<u64>,
    done: HashMap<u64, EncodedRun>,
    next: u64,
    closed: bool,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// There is a run, or the queue is closed.
    work: Condvar,
    /// A run is done.
    done: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    /// What a worker does until the queue is closed.
    fn work(&self, device: &Arc<Device>, mut encoder: RunEncoder) {
        let mut queue = self.lock();
        while !queue.closed {
            let Some((number, run)) = queue.waiting.pop_front() else {
                queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            queue.running.insert(number);
            drop(queue);
            let encoded = encoder.encode(device, run);
            queue = self.lock();
            queue.running.remove(&number);
            queue.done.insert(number, encoded);
            self.done.notify_all();
        }
    }
}

/// Encodes, and answers even when the encoder panics: whoever flushes must not wait for ever.
#[derive(Debug)]
struct RunEncoder {
    store: Arc<PipelineStore>,
    caches: WorkerCaches,
}

impl RunEncoder {
    fn new(store: &Arc<PipelineStore>) -> Self {
        Self { store: store.clone(), caches: WorkerCaches::new(store) }
    }

    fn encode(&mut self, device: &Arc<Device>, run: Run) -> EncodedRun {
        self.answer(|caches| encode_run(device, caches, run))
    }

    fn answer(&mut self, work: impl FnOnce(&mut WorkerCaches) -> EncodedRun) -> EncodedRun {
        catch_unwind(AssertUnwindSafe(|| work(&mut self.caches))).unwrap_or_else(|_| {
            // Nobody knows what state the caches are in.
            self.caches = WorkerCaches::new(&self.store);
            EncodedRun { error: Some("the encoder panicked".to_owned()), ..EncodedRun::default() }
        })
    }
}

/// The threads that encode for one device.
pub(crate) struct WorkerPool {
    device: Arc<Device>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// For the thread that flushes.
    own: RunEncoder,
}

impl std::fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerPool").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl WorkerPool {
    /// Starts `workers` threads; fewer where the system has no more, which costs speed only.
    pub(crate) fn new(device: &Arc<Device>, workers: u32) -> Self {
        let shared = Arc::new(Shared::default());
        let store = Arc::new(PipelineStore::default());
        let start = |number: u32| {
            let (shared, device, encoder) = (shared.clone(), device.clone(), RunEncoder::new(&store));
            let started = thread::Builder::new()
                .name(format!("onze-encode-{number}"))
                .spawn(move || shared.work(&device, encoder));
            started.inspect_err(|error| tracing::warn!("a worker could not be started: {error}")).ok()
        };
        let threads = (0..workers).map_while(start).collect();
        Self { device: device.clone(), shared: shared.clone(), threads, own: RunEncoder::new(&store) }
    }

    /// Hands a run over.
    pub(crate) fn submit(&self, run: Run) -> Ticket {
        let mut queue = self.shared.lock();
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push_back((number, run));
        drop(queue);
        self.shared.work.notify_one();
        Ticket(number)
    }

    /// The run if it is done; the ticket if not.
    ///
    /// # Errors
    /// It is still waiting or being encoded.
    pub(crate) fn take_finished(&self, ticket: Ticket) -> Result<EncodedRun, Ticket> {
        self.shared.lock().done.remove(&ticket.0).ok_or(ticket)
    }

    /// Waits for a run, and encodes meanwhile: that run if nobody has begun it, else others.
    pub(crate) fn finish(&mut self, ticket: Ticket) -> EncodedRun {
        let Ticket(wanted) = ticket;
        let shared = self.shared.clone();
        let mut queue = shared.lock();
        loop {
            if let Some(encoded) = queue.done.remove(&wanted) {
                return encoded;
            }
            // Runs are finished in order as a rule, so the wanted one is the first that waits.
            let at = queue.waiting.iter().position(|(number, _)| *number == wanted).unwrap_or(0);
            if let Some((number, run)) = queue.waiting.remove(at) {
                drop(queue);
                let encoded = self.own.encode(&self.device, run);
                if number == wanted {
                    return encoded;
                }
                queue = shared.lock();
                queue.done.insert(number, encoded);
            } else if queue.running.contains(&wanted) {
                queue = shared.done.wait(queue).unwrap_or_else(PoisonError::into_inner);
            } else {
                return EncodedRun { error: Some("the run was lost".to_owned()), ..EncodedRun::default() };
            }
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            // The last owner may be a worker's own run.
            if thread.thread().id() != thread::current().id() {
                // A worker's panic was answered already.
                drop(thread.join());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::{
        allocator::own_storage,
        command::Command,
        identity::{Identity, Storage},
        page::{BufferPlace, Copy, Page, PageObject, RunPage},
        testing,
    };

    /// A run that writes `from` over the first word of `to`.
    fn copy(from: &Arc<Storage>, offset: u64, to: &Arc<Storage>) -> Run {
        let page = Page {
            objects: vec![PageObject::Buffer(from.clone()), PageObject::Buffer(to.clone())],
            copies: vec![Copy::BufferToBuffer {
                src: BufferPlace { object: 0, offset },
                dst: BufferPlace { object: 1, offset: 0 },
                size: 4,
            }],
            commands: vec![Command::Copy(0)],
            ..Page::default()
        };
        let imports: Arc<[Identity]> = Arc::default();
        Run { pages: vec![RunPage { page: Arc::new(page), imports }], draws: 0 }
    }

    fn words(device: &Device, count: u32) -> Arc<Storage> {
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let storage = own_storage(&device.device, "words", u64::from(count) * 4, usage).unwrap();
        let words: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
        device.queue.write_buffer(&storage.buffer, 0, &words);
        storage
    }

    #[test]
    fn runs_come_back_in_order_whoever_encodes_them() {
        let Some((device, runtime)) = testing::gpu() else { return };
        for workers in [0, 1, 4] {
            let mut pool = WorkerPool::new(&device, workers);
            let (from, to) = (words(&device, 64), words(&device, 4));
            let tickets: Vec<_> = (0..64).map(|n| pool.submit(copy(&from, n * 4, &to))).collect();
            for (n, ticket) in (0u32..).zip(tickets) {
                let run = pool.finish(ticket);
                assert_eq!(run.error, None);
                assert_eq!(run.pages.len(), 1, "the pages come along");
                device.queue.submit(run.command_buffers);
                if n % 16 == 15 {
                    assert_eq!(
                        testing::read_buffer(&device, &to.buffer, 0, 4),
                        n.to_le_bytes(),
                        "{workers} workers"
                    );
                }
            }
        }
        runtime.assert_clean();
    }

    #[test]
    fn the_last_ticket_may_be_finished_first() {
        let Some((device, _)) = testing::gpu() else { return };
        for workers in [0, 2] {
            let mut pool = WorkerPool::new(&device, workers);
            let (from, to) = (words(&device, 8), words(&device, 4));
            let tickets: Vec<_> = (0..8).map(|n| pool.submit(copy(&from, n * 4, &to))).collect();
            for ticket in tickets.into_iter().rev() {
                assert_eq!(pool.finish(ticket).command_buffers.len(), 1);
            }
        }
    }

    #[test]
    fn a_run_that_is_done_can_be_taken_without_waiting() {
        let Some((device, _)) = testing::gpu() else { return };
        let mut pool = WorkerPool::new(&device, 0);
        let (from, to) = (words(&device, 8), words(&device, 4));
        let ticket = pool.take_finished(pool.submit(copy(&from, 0, &to))).unwrap_err();
        assert_eq!(pool.finish(ticket).error, None);
    }

    #[test]
    fn a_panic_is_an_answer() {
        let Some((device, _)) = testing::gpu() else { return };
        let mut encoder = RunEncoder::new(&Arc::default());
        let run = encoder.answer(|_| panic!("as a test"));
        assert_eq!(run.error.as_deref(), Some("the encoder panicked"));
        let (from, to) = (words(&device, 8), words(&device, 4));
        assert_eq!(
            encoder.encode(&device, copy(&from, 0, &to)).error,
            None,
            "the next run is as good as ever"
        );
    }

    #[test]
    fn a_lost_device_answers_every_run() {
        let Some((device, _)) = testing::gpu() else { return };
        let mut pool = WorkerPool::new(&device, 2);
        let (from, to) = (words(&device, 8), words(&device, 4));
        device.lose("as a test");
        let tickets: Vec<_> = (0..8).map(|n| pool.submit(copy(&from, n * 4, &to))).collect();
        for ticket in tickets {
            let run = pool.finish(ticket);
            assert!(run.error.is_some() && run.command_buffers.is_empty());
        }
    }

    #[test]
    fn dropping_the_pool_ends_its_threads_whatever_waits() {
        let Some((device, _)) = testing::gpu() else { return };
        let pool = WorkerPool::new(&device, 2);
        let (from, to) = (words(&device, 64), words(&device, 4));
        for n in 0..64 {
            pool.submit(copy(&from, n * 4, &to));
        }
        let shared = Arc::downgrade(&pool.shared);
        drop(pool);
        assert!(shared.upgrade().is_none(), "no thread holds the queue any more");
    }
}
