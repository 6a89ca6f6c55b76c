//! Compiler threads, which keep pipeline compilation off the application's threads.
//!
//! Compiling a pipeline takes milliseconds. A draw that needs a new pipeline may be encoded on the
//! application's thread during a flush, so that thread hands the work to the compiler threads. A worker
//! compiles the pipelines of its own draws itself. A draw or a dispatch waits for its pipeline, whereas a
//! prepared draw does not wait. Jobs have three priorities:
//!
//! 1. Pipelines that a draw or a dispatch waits for.
//! 2. Prepared pipelines.
//! 3. Replicas and pipelines of draws by index. These *spare* jobs run one at a time when there is nothing
//!    else to compile, and they do not count as unfinished.
//!
//! A worker that would have to wait compiles the pipeline itself, unless another thread has already begun it.
//!
//! A thread is started when there are more jobs than idle threads. The maximum is one thread per worker, plus
//! one while a thread compiles a spare pipeline. All threads end with the immediate context, and idle threads
//! also end when memory is trimmed. A device without workers has no compiler threads, so the encoding thread
//! compiles.
//!
//! Each job is either run or dropped, and both outcomes wake the waiting threads. Any thread may wait for
//! compiler threads, because they do not wait for other threads.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak, mpsc::channel},
    thread::{self, JoinHandle},
};

use crate::services::{gpu::Gpu, ids::unique_id, sync::lock};

/// A job of a compiler thread, which compiles one pipeline.
pub(crate) type CompileJob = Box<dyn FnOnce(&Gpu) + Send>;

/// The compiler threads of one device and their job queues.
pub(crate) struct Compilers {
    gpu: Arc<Gpu>,
    /// Upgraded for each new thread, which keeps the compilers alive while it runs.
    this: Weak<Self>,
    state: Mutex<CompilerState>,
    /// Signalled when a job is added or threads must end.
    more: Condvar,
    /// Signalled when the last unfinished job has ended, or when all threads have ended.
    done: Condvar,
}

#[derive(Default)]
struct CompilerState {
    /// Maximum number of threads, which is 0 before the workers are started and after they have ended.
    most: usize,
    /// Handles of the started threads, including some that may have ended.
    threads: Vec<JoinHandle<()>>,
    running: usize,
    /// Number of running threads that wait for a job.
    asleep: usize,
    /// Number of trim requests, whose change makes an idle thread end.
    trims: u64,
    /// Pipelines that a thread waits for, with job numbers.
    urgent: VecDeque<(u64, CompileJob)>,
    /// Prepared pipelines, which no thread waits for yet, with job numbers.
    prepared: VecDeque<(u64, CompileJob)>,
    /// Replicas and pipelines of draws by index, which no draw waits for.
    spare: VecDeque<CompileJob>,
    /// Number of running jobs, except for spare jobs.
    begun: usize,
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

    /// Removes the next job that is not spare.
    fn next(&mut self) -> Option<CompileJob> {
        let (_, work) = self.urgent.pop_front().or_else(|| self.prepared.pop_front())?;
        Some(work)
    }

    /// Removes the next spare job, unless one is running.
    fn next_spare(&mut self) -> Option<CompileJob> {
        if self.at_spare { None } else { self.spare.pop_front() }
    }

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
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            gpu: gpu.clone(),
            this: this.clone(),
            state: Mutex::default(),
            more: Condvar::new(),
            done: Condvar::new(),
        })
    }

    /// Allows threads to be started, at most one for each of the device's workers.
    pub(crate) fn open(&self, workers: u32) {
        lock(&self.state).most = workers as usize;
    }

    /// Ends the threads after their current jobs, and drops all jobs that have not begun.
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
            // A compiler thread may drop the last owner and call this function itself.
            if thread.thread().id() != thread::current().id() {
                // The thread catches panics of its jobs itself.
                drop(thread.join());
            }
        }
        self.done.notify_all();
    }

    pub(crate) fn trim(&self) {
        lock(&self.state).trims += 1;
        self.more.notify_all();
    }

    /// Waits until no job is unfinished, except for spare jobs, which do not count.
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

    /// Returns the number of waiting and running jobs, without spare jobs.
    pub(crate) fn unfinished(&self) -> u64 {
        lock(&self.state).unfinished() as u64
    }

    /// Adds a job with a number that the caller chooses, and runs awaited jobs before all others.
    ///
    /// # Errors
    /// Returns the job, which the caller has to run, if no compiler thread exists or can be started.
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
        // `is_awaited` is called under the lock, so a thread that begins to wait later finds the job in the
        // queue.
        let queue = if is_awaited() { &mut state.urgent } else { &mut state.prepared };
        queue.push_back((number, work));
        drop(state);
        self.more.notify_one();
        Ok(())
    }

    /// Adds a spare job, which runs when there is nothing else to compile.
    ///
    /// # Errors
    /// Returns the job, which the caller may run or drop, if no compiler thread exists or can be started.
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

    /// Makes a prepared job awaited, unless a thread has already begun it.
    pub(crate) fn urge(&self, number: u64) {
        let mut state = lock(&self.state);
        let CompilerState { urgent, prepared, .. } = &mut *state;
        if let Some(at) = prepared.iter().position(|(prepared, _)| *prepared == number) {
            urgent.extend(prepared.remove(at));
        }
    }

    /// Runs a job on the calling thread, unless another thread has already begun it.
    pub(crate) fn help(&self, number: u64) {
        let mut state = lock(&self.state);
        if let Some(work) = state.take(number) {
            drop(self.perform(state, work));
        }
    }

    /// Runs `make` on a compiler thread and waits for the result, or runs it on the calling thread if there
    /// is none.
    pub(crate) fn make<T: Send + 'static>(&self, make: impl Fn(&Gpu) -> T + Copy + Send + 'static) -> T {
        let (to, made) = channel();
        let work = move |gpu: &Gpu| {
            let _span = tracing::trace_span!("compile").entered();
            drop(to.send(make(gpu)));
        };
        if let Err(work) = self.hand_over(unique_id(), || true, work) {
            work(&self.gpu);
        }
        // If the job panicked or was dropped, `make` runs here, so that a panic reaches the caller.
        made.recv().unwrap_or_else(|_| make(&self.gpu))
    }

    /// Runs jobs of the queues until the thread must end, and sleeps while there are none.
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

    /// Runs a removed job without the lock, and takes the lock again.
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

    /// Starts a thread. A failure is only logged, because pipelines are then compiled on other threads and
    /// only speed is lost.
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

    /// Returns the number of awaited jobs that have not begun.
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
