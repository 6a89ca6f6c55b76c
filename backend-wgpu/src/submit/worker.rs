//! Workers: threads that encode runs while the application continues.
//!
//! Runs are passed to the workers as jobs through one queue, and a thread that takes a job with several runs
//! keeps the first run and puts the rest back for other threads. A flush helps the workers:
//! [`WorkerPool::finish`] encodes all runs that no worker has begun, and waits only for runs that a worker
//! has begun. Without workers, the same code encodes all runs on the calling thread. Each thread has its own
//! caches, and the flushing thread compiles no pipelines if there are workers ([`crate::encode::compiler`]).
//!
//! A draw may submit a job and must not wait, so the queue and the wake-up of a sleeping worker use no lock.
//! Runs are numbered in recording order, and their results are sorted by these numbers.

use std::{
    collections::VecDeque,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle, Thread},
};

use crate::{
    encode::{DeviceEncoding, EncodedRun, PipelineStore, WorkerCaches, encode_run},
    submit::{
        run::{Gathered, RunJob},
        run_queue::RunQueue,
    },
};

/// A function that starts a thread, replaced in tests to simulate failures.
type SpawnThread = fn(thread::Builder, Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>>;

/// A job with the number of its first run, followed by those of the other runs.
type NumberedJob = (u64, RunJob);

/// State that all threads share: the queue and the handles for waking them.
#[derive(Debug)]
struct PoolShared {
    /// Jobs for the workers and for a flushing thread that helps them.
    queue: RunQueue<NumberedJob>,
    /// Handles of the workers, each set before its worker sleeps for the first time.
    threads: Box<[OnceLock<Thread>]>,
}

impl PoolShared {
    fn new(workers: usize) -> Self {
        let threads = (0..workers).map(|_| OnceLock::new()).collect();
        Self { queue: RunQueue::new(workers), threads }
    }

    fn push(&self, job: NumberedJob) {
        let sleeper = self.queue.push(job);
        if let Some(thread) = sleeper.and_then(|worker| self.threads.get(worker)?.get()) {
            thread.unpark();
        }
    }

    /// Puts all runs of a job except the first back into the queue, and returns the first run with its
    /// number.
    fn take_run(&self, (number, job): NumberedJob) -> (u64, Gathered) {
        let (run, rest) = job.split();
        if let Some(rest) = rest {
            self.push((number + 1, rest));
        }
        (number, run)
    }
}

fn work(
    shared: &PoolShared,
    worker: usize,
    encoding: &Arc<DeviceEncoding>,
    mut encoder: RunEncoder,
    to: &Sender<RunResult>,
) {
    if let Some(place) = shared.threads.get(worker) {
        place.get_or_init(thread::current);
    }
    while let Some(job) = shared.queue.next(worker) {
        let (number, run) = shared.take_run(job);
        let mut answer = TakenRun { to, number, draws: run.draws(), run: lost_run() };
        answer.run = encoder.encode(encoding, run);
    }
}

/// The result of a run: its number, its draws, and the encoded run.
type RunResult = (u64, u64, EncodedRun);

/// A run that a worker has taken, whose `drop` sends a result even if the worker panics.
struct TakenRun<'a> {
    to: &'a Sender<RunResult>,
    number: u64,
    draws: u64,
    run: EncodedRun,
}

impl Drop for TakenRun<'_> {
    fn drop(&mut self) {
        // Sending fails only if the pool was dropped, and then nobody needs the result.
        drop(self.to.send((self.number, self.draws, std::mem::take(&mut self.run))));
    }
}

#[derive(Debug, Default)]
struct EarlyResults {
    /// Number of the next run to take, which is also the number of runs taken.
    next: u64,
    /// Results of the runs from `next` on, in order, with `None` for unfinished runs.
    early: VecDeque<Option<(u64, EncodedRun)>>,
}

impl EarlyResults {
    fn put(&mut self, (number, draws, run): RunResult) {
        let Some(at) = number.checked_sub(self.next).and_then(|at| usize::try_from(at).ok()) else { return };
        if self.early.len() <= at {
            self.early.resize_with(at + 1, || None);
        }
        if let Some(place) = self.early.get_mut(at) {
            *place = Some((draws, run));
        }
    }

    /// Takes the next run and its number of draws, if its result has arrived.
    fn take(&mut self) -> Option<(u64, EncodedRun)> {
        let answer = self.early.front_mut()?.take()?;
        self.early.pop_front();
        self.next += 1;
        Some(answer)
    }
}

/// Encodes runs, and returns a result even if the encoder panics, because a flush must not wait forever.
#[derive(Debug)]
struct RunEncoder {
    store: Arc<PipelineStore>,
    /// Whether this encoder is used on one of the driver's threads instead of the application's thread.
    is_own: bool,
    uses_replica: bool,
    caches: WorkerCaches,
}

impl RunEncoder {
    fn new(store: &Arc<PipelineStore>, is_own: bool, uses_replica: bool) -> Self {
        let caches = WorkerCaches::new(store, is_own, uses_replica);
        Self { store: store.clone(), is_own, uses_replica, caches }
    }

    fn encode(&mut self, encoding: &Arc<DeviceEncoding>, run: Gathered) -> EncodedRun {
        self.answer(|caches| {
            let run = run.into_run();
            // The range of a list may lie within one page, so that no page begins in it.
            if run.pages.is_empty() { EncodedRun::default() } else { encode_run(encoding, caches, run) }
        })
    }

    fn answer(&mut self, work: impl FnOnce(&mut WorkerCaches) -> EncodedRun) -> EncodedRun {
        catch_unwind(AssertUnwindSafe(|| work(&mut self.caches))).unwrap_or_else(|_| {
            // The panic may have left the caches in any state, so new ones replace them.
            self.caches = WorkerCaches::new(&self.store, self.is_own, self.uses_replica);
            EncodedRun { error: Some("the encoder panicked".to_owned()), ..EncodedRun::default() }
        })
    }
}

/// The threads that encode for one device, and the encoder of the flushing thread.
pub(crate) struct WorkerPool {
    encoding: Arc<DeviceEncoding>,
    shared: Arc<PoolShared>,
    threads: Vec<JoinHandle<()>>,
    flushing: RunEncoder,
    /// Number of runs that were submitted to the workers or encoded on the flushing thread.
    handed: u64,
    #[cfg(test)]
    here: u64,
    pending: u64,
    answers: EarlyResults,
    /// Receives the results of the workers, which alone have senders, so receiving fails once all workers
    /// have ended.
    from: Receiver<RunResult>,
}

impl std::fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerPool").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl WorkerPool {
    /// Starts `workers` threads, or fewer if the system cannot provide them, because fewer threads only
    /// reduce speed.
    pub(crate) fn new(encoding: &Arc<DeviceEncoding>, workers: u32) -> Self {
        Self::start(encoding, workers, thread::Builder::spawn)
    }

    /// Implements [`WorkerPool::new`] with a replaceable function for starting threads.
    fn start(encoding: &Arc<DeviceEncoding>, workers: u32, spawn: SpawnThread) -> Self {
        // The threads wait for the shared state, which is created after them and must have slots only for
        // threads that were started, because the queue would otherwise choose workers that do not exist.
        let meeting = Arc::new(OnceLock::<Arc<PoolShared>>::new());
        let store = Arc::new(PipelineStore::default());
        let (to, from) = channel();
        let has_replicas = encoding.gpu.downlevel.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
        let start = |number: u32| {
            let (meeting, encoding, to) = (meeting.clone(), encoding.clone(), to.clone());
            // The flushing thread uses the primary pipelines, so workers 0, 2 and so on use the replicas.
            let encoder = RunEncoder::new(&store, true, has_replicas && number.is_multiple_of(2));
            let work = move || {
                let shared = meeting.wait().clone();
                drop(meeting);
                work(&shared, number as usize, &encoding, encoder, &to);
            };
            spawn(thread::Builder::new().name(format!("onze-encode-{number}")), Box::new(work))
                .inspect_err(|error| tracing::warn!("a worker could not be started: {error}"))
                .ok()
        };
        let threads: Vec<_> = (0..workers).map_while(start).collect();
        let shared = meeting.get_or_init(|| Arc::new(PoolShared::new(threads.len()))).clone();
        encoding.compilers.open(threads.len() as u32);
        Self {
            encoding: encoding.clone(),
            shared,
            threads,
            flushing: RunEncoder::new(&store, false, false),
            handed: 0,
            #[cfg(test)]
            here: 0,
            pending: 0,
            answers: EarlyResults::default(),
            from,
        }
    }

    #[cfg(test)]
    pub(crate) fn store(&self) -> &Arc<PipelineStore> {
        &self.flushing.store
    }

    /// Number of threads that encode in addition to the flushing thread.
    pub(crate) fn workers(&self) -> u32 {
        self.threads.len() as u32
    }

    #[cfg(test)]
    pub(crate) fn is_answered(&mut self) -> bool {
        self.from.try_iter().for_each(|answer| self.answers.put(answer));
        self.answers.early.front().is_some_and(Option::is_some)
    }

    #[cfg(test)]
    pub(crate) fn handed(&self) -> u64 {
        self.handed - self.here
    }

    /// Number of runs that were handed over and whose results were not taken yet.
    pub(crate) fn unanswered(&self) -> u64 {
        self.handed - self.answers.next
    }

    pub(crate) fn pending(&self) -> u64 {
        self.pending
    }

    /// Whether a worker would probably find a job without being woken.
    pub(crate) fn is_awake(&self) -> bool {
        self.shared.queue.is_awaited()
    }

    /// Submits a job without waiting, and wakes a worker if one is asleep.
    pub(crate) fn submit(&mut self, job: RunJob) {
        let first = self.handed;
        self.handed += job.runs();
        self.pending = self.pending.saturating_add(job.draws());
        self.shared.push((first, job));
    }

    /// Encodes a job on this thread, with runs numbered after all runs that were submitted before.
    pub(crate) fn encode_here(&mut self, job: RunJob) {
        let mut next = Some(job);
        while let Some(job) = next.take() {
            let (run, rest) = job.split();
            let (number, draws) = (self.handed, run.draws());
            self.handed += 1;
            #[cfg(test)]
            {
                self.here += 1;
            }
            self.pending = self.pending.saturating_add(draws);
            self.answers.put((number, draws, self.flushing.encode(&self.encoding, run)));
            next = rest;
        }
    }

    /// Takes the finished runs in order, up to the first unfinished one, without waiting.
    pub(crate) fn take_finished(&mut self) -> Vec<EncodedRun> {
        self.from.try_iter().for_each(|answer| self.answers.put(answer));
        let mut finished = Vec::new();
        while let Some((draws, run)) = self.answers.take() {
            self.pending = self.pending.saturating_sub(draws);
            finished.push(run);
        }
        finished
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.unanswered() == 0
    }

    /// Takes all runs in order: encodes the runs that no worker has begun, and waits for the remaining runs.
    pub(crate) fn finish(&mut self) -> Vec<EncodedRun> {
        self.help();
        let mut finished = self.take_finished();
        while !self.is_empty() {
            match self.from.recv() {
                Ok(answer) => self.answers.put(answer),
                Err(_) => {
                    finished.push(lost_run());
                    self.answers = EarlyResults { next: self.handed, ..EarlyResults::default() };
                }
            }
            // A thread that took the first run of a job may have put the rest back in the meantime.
            self.help();
            finished.append(&mut self.take_finished());
        }
        self.pending = 0;
        finished
    }

    fn help(&mut self) {
        while let Some(job) = self.shared.queue.pop() {
            let (number, run) = self.shared.take_run(job);
            let draws = run.draws();
            self.answers.put((number, draws, self.flushing.encode(&self.encoding, run)));
        }
    }
}

/// The result of a run that no thread can encode any more.
fn lost_run() -> EncodedRun {
    EncodedRun { error: Some("the run was lost".to_owned()), ..EncodedRun::default() }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.queue.close();
        for thread in self.threads.drain(..) {
            // This is also needed for a worker that is still running, because it may be about to sleep.
            thread.thread().unpark();
            // A worker that drops the last reference to the pool must not join itself.
            if thread.thread().id() != thread::current().id() {
                // A panic of a worker has already been reported as the result of its run.
                drop(thread.join());
            }
        }
        // The compilers close after the workers, because workers may wait for them.
        self.encoding.compilers.close();
    }
}

#[cfg(test)]
mod tests;
