//! Workers: threads that encode runs while the application goes on.
//!
//! Runs are taken from one queue in order. Whoever flushes helps: [`WorkerPool::finish`] encodes runs
//! that no worker has begun, and waits only for those that one has. So with no workers at all the same
//! code encodes on the calling thread. Each thread has caches of its own.
//!
//! A run is handed over on the path of a draw, where nothing may wait: the queue has no lock, and a
//! worker that sleeps is woken without one. Who takes a run out of its [`Job`] encodes it; each run has
//! an answer of its own, so nobody looks for a run among others.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread::{self, JoinHandle},
};

use crossbeam_queue::ArrayQueue;

use crate::{
    device::Device,
    encode::{EncodedRun, PipelineStore, WorkerCaches, encode_run},
    page::Run,
    run_queue::RunQueue,
};

/// A run, and where it goes when it is encoded: until somebody takes it out to do that.
type Job = Arc<ArrayQueue<(Run, Sender<EncodedRun>)>>;

/// A run that was handed over, to be finished once.
#[derive(Debug)]
pub(crate) struct Ticket {
    job: Job,
    answer: Receiver<EncodedRun>,
}

/// Runs in the order in which they were handed over. Whoever flushes may have begun some of them.
type Queue = RunQueue<Job>;

/// What a worker does until the pool is closed.
fn work(queue: &Queue, worker: usize, device: &Arc<Device>, mut encoder: RunEncoder) {
    while let Some(job) = queue.next(worker) {
        if let Some((run, answer)) = job.pop() {
            // Nobody waits for it when the pool goes.
            drop(answer.send(encoder.encode(device, run)));
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
    shared: Arc<Queue>,
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
        let shared = Arc::new(Queue::new(workers as usize));
        let store = Arc::new(PipelineStore::default());
        let start = |number: u32| {
            let (shared, device, encoder) = (shared.clone(), device.clone(), RunEncoder::new(&store));
            let started = thread::Builder::new()
                .name(format!("onze-encode-{number}"))
                .spawn(move || work(&shared, number as usize, &device, encoder));
            started.inspect_err(|error| tracing::warn!("a worker could not be started: {error}")).ok()
        };
        let threads = (0..workers).map_while(start).collect();
        Self { device: device.clone(), shared: shared.clone(), threads, own: RunEncoder::new(&store) }
    }

    /// What all its threads share when they encode.
    #[cfg(test)]
    pub(crate) fn store(&self) -> &Arc<PipelineStore> {
        &self.own.store
    }

    /// Hands a run over. Waits for nobody.
    pub(crate) fn submit(&self, run: Run) -> Ticket {
        let (sender, answer) = channel();
        let job = Arc::new(ArrayQueue::new(1));
        // A new queue has room.
        drop(job.push((run, sender)));
        // Without workers nobody would ever empty the queue.
        if !self.threads.is_empty() {
            let sleeper = self.shared.push(job.clone());
            if let Some(worker) = sleeper.and_then(|worker| self.threads.get(worker)) {
                worker.thread().unpark();
            }
        }
        Ticket { job, answer }
    }

    /// The run if it is done; the ticket if not. Waits for nobody.
    ///
    /// # Errors
    /// It is still waiting or being encoded.
    pub(crate) fn take_finished(&self, ticket: Ticket) -> Result<EncodedRun, Ticket> {
        match ticket.answer.try_recv() {
            Ok(encoded) => Ok(encoded),
            Err(TryRecvError::Empty) => Err(ticket),
            Err(TryRecvError::Disconnected) => Ok(lost_run()),
        }
    }

    /// Waits for a run, and encodes meanwhile: that run if nobody has begun it, else others.
    pub(crate) fn finish(&mut self, ticket: Ticket) -> EncodedRun {
        if let Some((run, _)) = ticket.job.pop() {
            return self.own.encode(&self.device, run);
        }
        let mut ticket = ticket;
        while let Some(job) = self.shared.pop() {
            if let Some((run, answer)) = job.pop() {
                // Its ticket may be gone already.
                drop(answer.send(self.own.encode(&self.device, run)));
            }
            ticket = match self.take_finished(ticket) {
                Ok(encoded) => return encoded,
                Err(ticket) => ticket,
            };
        }
        ticket.answer.recv().unwrap_or_else(|_| lost_run())
    }
}

/// What is answered for a run that nobody can encode any more.
fn lost_run() -> EncodedRun {
    EncodedRun { error: Some("the run was lost".to_owned()), ..EncodedRun::default() }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.close();
        for thread in self.threads.drain(..) {
            // Whether it sleeps or not: if not, it does not fall asleep.
            thread.thread().unpark();
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
    use std::time::{Duration, Instant};

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
        Run { pages: vec![RunPage::new(Arc::new(page), imports, &[])], draws: 0 }
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
    fn a_worker_that_sleeps_is_woken_for_every_run() {
        let (device, _) = testing::noop();
        for workers in [1, 2] {
            let pool = WorkerPool::new(&device, workers);
            let (from, to) = (words(&device, 64), words(&device, 4));
            for n in 0..2000 {
                // The second of two comes when the worker is busy, about to sleep, or asleep.
                let mut tickets = vec![pool.submit(copy(&from, n % 64 * 4, &to))];
                (0..n % 50).for_each(|_| std::hint::spin_loop());
                tickets.push(pool.submit(copy(&from, 0, &to)));
                let begun = Instant::now();
                while let Some(ticket) = tickets.pop() {
                    // Nobody helps, so a wake-up that is lost is never made up for.
                    if let Err(ticket) = pool.take_finished(ticket) {
                        tickets.push(ticket);
                        assert!(begun.elapsed() < Duration::from_secs(60), "run {n}, {workers} workers");
                        thread::yield_now();
                    }
                }
            }
        }
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
