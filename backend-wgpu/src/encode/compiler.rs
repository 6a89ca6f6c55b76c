//! Compiler threads: they compile pipelines, so that the application's threads do not.
//!
//! Compiling a pipeline takes milliseconds. During a flush the application's thread may encode a draw that
//! needs a new pipeline, and it hands the job to compiler threads, while a worker compiles the pipelines of
//! its own draws. Draws and dispatches wait for their pipelines, but prepared draws do not, so jobs have
//! three priorities:
//!
//! 1. Pipelines that a draw or a dispatch waits for.
//! 2. Prepared pipelines, for which no thread waits yet.
//! 3. Replicas and pipelines of draws by index. They have idle priority, so only one is compiled at a time,
//!    and they do not count as unfinished.
//!
//! A worker that would wait for a pipeline compiles it itself, if no thread has begun it.
//!
//! A thread is started when there are more jobs than idle threads, up to one thread for each worker. One more
//! thread may be started while another compiles with idle priority. Threads end with the immediate context,
//! and idle threads end when memory is trimmed. A device without workers has no compiler threads, so its
//! encoding thread compiles.
//!
//! A job is done or dropped, and wakes the waiting threads in both cases. Compiler threads wait for no other
//! thread, so any thread may wait for them.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak, mpsc::channel},
    thread::{self, JoinHandle},
};

use crate::services::{gpu::Gpu, ids::unique_id, sync::lock};

/// A job of a compiler thread, which compiles one pipeline or makes one object.
pub(crate) type CompileJob = Box<dyn FnOnce(&Gpu) + Send>;

/// The compiler threads of a device, and the jobs that are handed to them.
pub(crate) struct Compilers {
    gpu: Arc<Gpu>,
    /// Source of the reference to the compilers that each thread owns.
    this: Weak<Self>,
    state: Mutex<CompilerState>,
    /// Signals that there is a new job, or that threads should end.
    more: Condvar,
    /// Signals that all jobs are done or dropped.
    done: Condvar,
}

#[derive(Default)]
struct CompilerState {
    /// Maximum number of threads, which is 0 before the workers start and after they have ended.
    most: usize,
    /// Handles of the running threads, and possibly of some that have ended.
    threads: Vec<JoinHandle<()>>,
    running: usize,
    /// Number of running threads that wait for a job.
    asleep: usize,
    /// Number of trims so far. A trim ends the threads that wait for a job at that time.
    trims: u64,
    /// Jobs that a thread waits for, each with the number under which it was handed over.
    urgent: VecDeque<(u64, CompileJob)>,
    /// Jobs of prepared pipelines, each with the number under which it was handed over.
    prepared: VecDeque<(u64, CompileJob)>,
    /// Jobs with idle priority, for which no thread waits.
    spare: VecDeque<CompileJob>,
    /// Number of jobs that threads are doing, except those with idle priority.
    begun: usize,
    /// Whether a thread is doing a job with idle priority. Only one such job runs at a time.
    at_spare: bool,
    #[cfg(test)]
    finishing: usize,
}

impl CompilerState {
    /// Returns whether another thread would have a job and may be started.
    fn wants_thread(&self) -> bool {
        self.waiting() >= self.asleep && self.running < self.most + usize::from(self.at_spare)
    }

    fn waiting(&self) -> usize {
        self.urgent.len() + self.prepared.len()
    }

    fn unfinished(&self) -> usize {
        self.waiting() + self.begun
    }

    /// Removes the next job from the queues, except those with idle priority.
    fn next(&mut self) -> Option<CompileJob> {
        let (_, work) = self.urgent.pop_front().or_else(|| self.prepared.pop_front())?;
        Some(work)
    }

    /// Removes the next job with idle priority, unless a thread is doing one.
    fn next_spare(&mut self) -> Option<CompileJob> {
        if self.at_spare { None } else { self.spare.pop_front() }
    }

    /// Removes the job with a number, if no thread has begun it.
    fn take(&mut self, number: u64) -> Option<CompileJob> {
        [&mut self.urgent, &mut self.prepared].into_iter().find_map(|queue| {
            let at = queue.iter().position(|(other, _)| *other == number)?;
            queue.remove(at).map(|(_, work)| work)
        })
    }
}

impl std::fmt::Debug for Compilers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compilers").finish_non_exhaustive()
    }
}

fn sleep<'a>(on: &Condvar, state: MutexGuard<'a, CompilerState>) -> MutexGuard<'a, CompilerState> {
    on.wait(state).unwrap_or_else(PoisonError::into_inner)
}

impl Compilers {
    /// Creates the compilers without threads, which [`Compilers::open`] allows.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            gpu: gpu.clone(),
            this: this.clone(),
            state: Mutex::default(),
            more: Condvar::new(),
            done: Condvar::new(),
        })
    }

    /// Allows one thread for each of the device's workers. A thread starts when there is a job for it.
    pub(crate) fn open(&self, workers: u32) {
        lock(&self.state).most = workers as usize;
    }

    /// Ends the threads after their current jobs, and drops all jobs that no thread has begun.
    pub(crate) fn close(&self) {
        let (threads, dropped) = {
            let mut state = lock(&self.state);
            state.most = 0;
            let CompilerState { threads, urgent, prepared, spare, .. } = &mut *state;
            let dropped = ([std::mem::take(urgent), std::mem::take(prepared)], std::mem::take(spare));
            (std::mem::take(threads), dropped)
        };
        self.more.notify_all();
        drop(dropped);
        for thread in threads {
            // A compiler thread that drops the last owner closes the compilers, and must not join itself.
            if thread.thread().id() != thread::current().id() {
                // The result is ignored, because panics of jobs are caught and reported before.
                drop(thread.join());
            }
        }
        self.done.notify_all();
    }

    /// Ends the threads that have nothing to do when memory is trimmed.
    pub(crate) fn trim(&self) {
        lock(&self.state).trims += 1;
        self.more.notify_all();
    }

    /// Waits until all jobs are done, not counting those with idle priority.
    pub(crate) fn finish(&self) {
        let mut state = lock(&self.state);
        #[cfg(test)]
        {
            state.finishing += 1;
        }
        while state.unfinished() > 0 {
            state = sleep(&self.done, state);
        }
        #[cfg(test)]
        {
            state.finishing -= 1;
        }
    }

    /// Returns the number of unfinished jobs, not counting those with idle priority.
    pub(crate) fn unfinished(&self) -> u64 {
        lock(&self.state).unfinished() as u64
    }

    /// Hands a job to the threads, under a number that the caller chooses. Jobs that a thread waits for go
    /// before prepared ones.
    ///
    /// # Errors Returns the job if no thread can do it.
    pub(crate) fn hand_over(
        &self,
        number: u64,
        is_awaited: impl FnOnce() -> bool,
        work: impl FnOnce(&Gpu) + Send + 'static,
    ) -> Result<(), CompileJob> {
        let mut state = lock(&self.state);
        let work: CompileJob = Box::new(work);
        if state.wants_thread() {
            self.start(&mut state);
        }
        if state.running == 0 {
            return Err(work);
        }
        // Evaluated under the lock, so that a thread that begins to wait later finds the job in its queue.
        let queue = if is_awaited() { &mut state.urgent } else { &mut state.prepared };
        queue.push_back((number, work));
        drop(state);
        self.more.notify_one();
        Ok(())
    }

    /// Hands a job to the threads that is done when they have nothing else to do.
    ///
    /// # Errors Returns the job if no thread can do it.
    pub(crate) fn hand_over_spare(&self, work: impl FnOnce(&Gpu) + Send + 'static) -> Result<(), CompileJob> {
        let mut state = lock(&self.state);
        if state.wants_thread() {
            self.start(&mut state);
        }
        if state.running == 0 {
            return Err(Box::new(work));
        }
        state.spare.push_back(Box::new(work));
        drop(state);
        self.more.notify_one();
        Ok(())
    }

    /// Moves a job to the urgent queue because a thread waits for it, unless a thread has begun the job.
    pub(crate) fn urge(&self, number: u64) {
        let mut state = lock(&self.state);
        let CompilerState { urgent, prepared, .. } = &mut *state;
        if let Some(at) = prepared.iter().position(|(prepared, _)| *prepared == number) {
            urgent.extend(prepared.remove(at));
        }
    }

    /// Does a job on this thread, if no thread has begun it.
    pub(crate) fn help(&self, number: u64) {
        let mut state = lock(&self.state);
        if let Some(work) = state.take(number) {
            drop(self.perform(state, work));
        }
    }

    /// Runs `make` on a compiler thread and waits for the result, or runs it here if no thread can do it.
    pub(crate) fn make<T: Send + 'static>(&self, make: impl Fn(&Gpu) -> T + Copy + Send + 'static) -> T {
        let (to, made) = channel();
        let work = move |gpu: &Gpu| {
            let _span = tracing::trace_span!("compile").entered();
            drop(to.send(make(gpu)));
        };
        if let Err(work) = self.hand_over(unique_id(), || true, work) {
            work(&self.gpu);
        }
        // After a panic on the thread, `make` runs again here, so the caller handles its panic.
        made.recv().unwrap_or_else(|_| make(&self.gpu))
    }

    /// Does jobs until the compilers are closed, or until a trim while there are none.
    fn work(&self) {
        let mut state = lock(&self.state);
        let mut trims = state.trims;
        loop {
            if let Some(work) = state.next() {
                state = self.perform(state, work);
                trims = state.trims;
            } else if let Some(work) = state.next_spare() {
                state.at_spare = true;
                drop(state);
                run(&self.gpu, work);
                state = lock(&self.state);
                state.at_spare = false;
                trims = state.trims;
            } else if state.most == 0 || state.trims != trims {
                state.running -= 1;
                return;
            } else {
                state.asleep += 1;
                state = sleep(&self.more, state);
                state.asleep -= 1;
            }
        }
    }

    /// Does a job without holding the lock, and wakes the waiting threads if it was the last one.
    fn perform<'a>(
        &'a self,
        mut state: MutexGuard<'a, CompilerState>,
        work: CompileJob,
    ) -> MutexGuard<'a, CompilerState> {
        state.begun += 1;
        drop(state);
        run(&self.gpu, work);
        let mut state = lock(&self.state);
        state.begun -= 1;
        if state.unfinished() == 0 {
            self.done.notify_all();
        }
        state
    }

    /// Starts a thread. A failure costs only speed, because other threads or the caller do the jobs.
    fn start(&self, state: &mut CompilerState) {
        let Some(this) = self.this.upgrade() else { return };
        state.threads.retain(|thread| !thread.is_finished());
        let builder = thread::Builder::new().name("onze-compile".to_owned());
        match builder.spawn(move || this.work()) {
            Ok(thread) => {
                state.threads.push(thread);
                state.running += 1;
            }
            Err(error) => tracing::warn!("a thread that compiles could not be started: {error}"),
        }
    }

    pub(crate) fn spare(&self) -> usize {
        let state = lock(&self.state);
        state.spare.len() + usize::from(state.at_spare)
    }

    /// Returns the number of jobs that a thread waits for and that no thread has begun.
    #[cfg(test)]
    pub(crate) fn urgent(&self) -> usize {
        lock(&self.state).urgent.len()
    }

    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        lock(&self.state)
    }
}

fn run(gpu: &Gpu, work: CompileJob) {
    if catch_unwind(AssertUnwindSafe(|| work(gpu))).is_err() {
        tracing::error!("a thread that compiles panicked");
    }
}

#[cfg(test)]
pub(crate) mod tests;
