//! Workers: threads that encode runs while the application goes on.
//!
//! Runs are handed over as jobs in one queue. A thread that takes a job of several runs takes out the first run and
//! puts the rest back for others. A flush helps: [`WorkerPool::finish`] encodes the runs that no worker has begun, and
//! waits only for those that a worker has. So with no workers the same code encodes on the calling thread. Each thread
//! has its own caches. The flushing thread compiles no pipelines if there are other threads
//! ([`crate::encode::compiler`]).
//!
//! A job is handed over on the path of a draw, where nothing may wait. So the queue has no lock, and a sleeping worker
//! is woken without one. Runs are numbered in recording order, and their answers are sorted by these numbers.

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
        run::{Gathered, Job},
        run_queue::RunQueue,
    },
};

/// How a thread is started.
type Spawn = fn(thread::Builder, Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>>;

/// A job, and the number of its first run.
type Numbered = (u64, Job);

/// What the threads share.
#[derive(Debug)]
struct Shared {
    /// Whoever flushes takes out, too.
    queue: RunQueue<Numbered>,
    /// By worker, from before it sleeps for the first time.
    threads: Box<[OnceLock<Thread>]>,
}

impl Shared {
    fn new(workers: usize) -> Self {
        let threads = (0..workers).map(|_| OnceLock::new()).collect();
        Self { queue: RunQueue::new(workers), threads }
    }

    fn push(&self, job: Numbered) {
        let sleeper = self.queue.push(job);
        if let Some(thread) = sleeper.and_then(|worker| self.threads.get(worker)?.get()) {
            thread.unpark();
        }
    }

    /// The first run of a job, with its number; the others go back.
    fn take_run(&self, (number, job): Numbered) -> (u64, Gathered) {
        let (run, rest) = job.split();
        if let Some(rest) = rest {
            self.push((number + 1, rest));
        }
        (number, run)
    }
}

/// What a worker does until the pool is closed.
fn work(
    shared: &Shared,
    worker: usize,
    encoding: &Arc<DeviceEncoding>,
    mut encoder: RunEncoder,
    to: &Sender<Answer>,
) {
    if let Some(place) = shared.threads.get(worker) {
        place.get_or_init(thread::current);
    }
    while let Some(job) = shared.queue.next(worker) {
        let (number, run) = shared.take_run(job);
        let mut answer = Answered { to, number, draws: run.draws(), run: lost_run() };
        answer.run = encoder.encode(encoding, run);
    }
}

/// What came of a run: its number, how many draws it has, and itself.
type Answer = (u64, u64, EncodedRun);

/// A run that a worker has taken: it is answered whatever happens to the worker.
struct Answered<'a> {
    to: &'a Sender<Answer>,
    number: u64,
    draws: u64,
    run: EncodedRun,
}

impl Drop for Answered<'_> {
    fn drop(&mut self) {
        // Nobody waits for it when the pool goes.
        drop(self.to.send((self.number, self.draws, std::mem::take(&mut self.run))));
    }
}

/// Answers that came before those of earlier runs.
#[derive(Debug, Default)]
struct Answers {
    /// The number of the next run to be taken.
    next: u64,
    /// From that one on.
    early: VecDeque<Option<(u64, EncodedRun)>>,
}

impl Answers {
    fn put(&mut self, (number, draws, run): Answer) {
        let Some(at) = number.checked_sub(self.next).and_then(|at| usize::try_from(at).ok()) else { return };
        if self.early.len() <= at {
            self.early.resize_with(at + 1, || None);
        }
        if let Some(place) = self.early.get_mut(at) {
            *place = Some((draws, run));
        }
    }

    /// The next run with its draws, if it has been answered.
    fn take(&mut self) -> Option<(u64, EncodedRun)> {
        let answer = self.early.front_mut()?.take()?;
        self.early.pop_front();
        self.next += 1;
        Some(answer)
    }
}

/// Encodes, and answers even when the encoder panics: a flush must not wait for ever.
#[derive(Debug)]
struct RunEncoder {
    store: Arc<PipelineStore>,
    /// Its thread is the driver's own, not the application's.
    is_own: bool,
    /// It uses pipeline replicas.
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
            // No page of a list begins in a part that is all within one page.
            if run.pages.is_empty() { EncodedRun::default() } else { encode_run(encoding, caches, run) }
        })
    }

    fn answer(&mut self, work: impl FnOnce(&mut WorkerCaches) -> EncodedRun) -> EncodedRun {
        catch_unwind(AssertUnwindSafe(|| work(&mut self.caches))).unwrap_or_else(|_| {
            // Nobody knows what state the caches are in.
            self.caches = WorkerCaches::new(&self.store, self.is_own, self.uses_replica);
            EncodedRun { error: Some("the encoder panicked".to_owned()), ..EncodedRun::default() }
        })
    }
}

/// The threads that encode for one device.
pub(crate) struct WorkerPool {
    encoding: Arc<DeviceEncoding>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// For the thread that flushes.
    flushing: RunEncoder,
    /// How many runs were handed over, or encoded here instead.
    handed: u64,
    /// How many of them were encoded here.
    #[cfg(test)]
    here: u64,
    /// Draws of those that were not taken back.
    pending: u64,
    answers: Answers,
    /// From the workers, and only from them.
    from: Receiver<Answer>,
}

impl std::fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerPool").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl WorkerPool {
    /// Starts `workers` threads; fewer where the system has no more, which costs speed only.
    pub(crate) fn new(encoding: &Arc<DeviceEncoding>, workers: u32) -> Self {
        Self::start(encoding, workers, thread::Builder::spawn)
    }

    /// As [`WorkerPool::new`], with a way to start threads.
    fn start(encoding: &Arc<DeviceEncoding>, workers: u32, spawn: Spawn) -> Self {
        // The threads wait for it: in the queue only those have a place that run, or it would count on the others.
        let meeting = Arc::new(OnceLock::<Arc<Shared>>::new());
        let store = Arc::new(PipelineStore::default());
        let (to, from) = channel();
        let has_replicas = encoding.gpu.downlevel.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
        let start = |number: u32| {
            let (meeting, encoding, to) = (meeting.clone(), encoding.clone(), to.clone());
            // The thread that flushes uses the primary pipelines.
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
        let shared = meeting.get_or_init(|| Arc::new(Shared::new(threads.len()))).clone();
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
            answers: Answers::default(),
            from,
        }
    }

    /// What all its threads share when they encode.
    #[cfg(test)]
    pub(crate) fn store(&self) -> &Arc<PipelineStore> {
        &self.flushing.store
    }

    /// How many threads encode beside the one that flushes.
    pub(crate) fn workers(&self) -> u32 {
        self.threads.len() as u32
    }

    /// Whether the next run in order has been answered. Never waits.
    #[cfg(test)]
    pub(crate) fn is_answered(&mut self) -> bool {
        self.from.try_iter().for_each(|answer| self.answers.put(answer));
        self.answers.early.front().is_some_and(Option::is_some)
    }

    /// How many runs were handed over so far.
    #[cfg(test)]
    pub(crate) fn handed(&self) -> u64 {
        self.handed - self.here
    }

    /// How many runs were handed over and not taken back.
    pub(crate) fn unanswered(&self) -> u64 {
        self.handed - self.answers.next
    }

    /// What was handed over and not taken back, in draws.
    pub(crate) fn pending(&self) -> u64 {
        self.pending
    }

    /// Whether a worker would find a job without being woken, as far as one can know.
    pub(crate) fn is_awake(&self) -> bool {
        self.shared.queue.is_awaited()
    }

    /// Hands a job over. Never waits, but wakes a worker that sleeps.
    pub(crate) fn submit(&mut self, job: Job) {
        let first = self.handed;
        self.handed += job.runs();
        self.pending = self.pending.saturating_add(job.draws());
        self.shared.push((first, job));
    }

    /// Encodes a job on this thread, after all that was handed over.
    pub(crate) fn encode_here(&mut self, job: Job) {
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

    /// The runs that are done, in order, up to the first that is not. Never waits.
    pub(crate) fn take_finished(&mut self) -> Vec<EncodedRun> {
        self.from.try_iter().for_each(|answer| self.answers.put(answer));
        let mut finished = Vec::new();
        while let Some((draws, run)) = self.answers.take() {
            self.pending = self.pending.saturating_sub(draws);
            finished.push(run);
        }
        finished
    }

    /// Whether all that was handed over was taken back.
    pub(crate) fn is_empty(&self) -> bool {
        self.unanswered() == 0
    }

    /// All runs, in order: encodes those that no worker has begun, and waits for the others.
    pub(crate) fn finish(&mut self) -> Vec<EncodedRun> {
        self.help();
        let mut finished = self.take_finished();
        while !self.is_empty() {
            match self.from.recv() {
                Ok(answer) => self.answers.put(answer),
                Err(_) => {
                    finished.push(lost_run());
                    self.answers = Answers { next: self.handed, ..Answers::default() };
                }
            }
            // Who took the first run out of a job has put the rest back since.
            self.help();
            finished.append(&mut self.take_finished());
        }
        self.pending = 0;
        finished
    }

    /// Encodes what no worker has begun.
    fn help(&mut self) {
        while let Some(job) = self.shared.queue.pop() {
            let (number, run) = self.shared.take_run(job);
            let draws = run.draws();
            self.answers.put((number, draws, self.flushing.encode(&self.encoding, run)));
        }
    }
}

/// The answer for a run that no thread can encode any more.
fn lost_run() -> EncodedRun {
    EncodedRun { error: Some("the run was lost".to_owned()), ..EncodedRun::default() }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.queue.close();
        for thread in self.threads.drain(..) {
            // Whether it sleeps or not: if not, it does not fall asleep.
            thread.thread().unpark();
            // The last owner may be a worker's own run.
            if thread.thread().id() != thread::current().id() {
                // A worker's panic was answered already.
                drop(thread.join());
            }
        }
        // After the workers, which may wait for them.
        self.encoding.compilers.close();
    }
}

#[cfg(test)]
mod tests;
