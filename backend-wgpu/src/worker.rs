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
        let result = catch_unwind(AssertUnwindSafe(|| encode_run(device, &mut self.caches, run)));
        result.unwrap_or_else(|_| {
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
    helper: RunEncoder,
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
        Self { device: device.clone(), shared: shared.clone(), threads, helper: RunEncoder::new(&store) }
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
    #[allow(dead_code, reason = "for early submissions, which take what is done and do not wait")]
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
                let encoded = self.helper.encode(&self.device, run);
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
