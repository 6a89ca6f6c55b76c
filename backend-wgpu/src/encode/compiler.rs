//! Compiler threads: they compile pipelines, so that the application's threads do not.
//!
//! A pipeline takes milliseconds to compile. A draw that needs one may be encoded on the application's thread during a
//! flush, which hands the work to compiler threads; a worker compiles the pipelines of its own draws. A draw or a
//! dispatch waits for its pipeline; a prepared draw does not. Three priorities:
//!
//! 1. Pipelines that a draw or a dispatch waits for.
//! 2. Prepared pipelines.
//! 3. Replicas and pipelines of draws by index, at idle priority: one after the other, and not counted as unfinished.
//!
//! A worker that would wait compiles the pipeline itself if no thread has begun it.
//!
//! A thread is started when there is more work than idle threads, up to one for each worker, and one more beside a
//! thread that compiles a replica. Threads end with the immediate context, and idle ones when memory is trimmed. A
//! device without workers has no compiler threads: there the encoding thread compiles.
//!
//! Work that was handed over is done or dropped, and notifies the waiting threads in both cases. Compiler threads wait
//! for no other thread, so any thread may wait for them.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak, mpsc::channel},
    thread::{self, JoinHandle},
};

use crate::services::{gpu::Gpu, ids::unique_id, sync::lock};

/// Work of a compiler thread: one pipeline.
pub(crate) type CompileJob = Box<dyn FnOnce(&Gpu) + Send>;

/// The threads that compile for one device, and what they have to do.
pub(crate) struct Compilers {
    gpu: Arc<Gpu>,
    /// For the threads, each of which keeps them.
    this: Weak<Self>,
    state: Mutex<CompilerState>,
    /// There is something to do, or threads are to end.
    more: Condvar,
    /// There is nothing left to do.
    done: Condvar,
}

#[derive(Default)]
struct CompilerState {
    /// Most threads; 0 before the workers are started and after they have ended.
    most: usize,
    /// Those that run, and perhaps some that have ended.
    threads: Vec<JoinHandle<()>>,
    running: usize,
    /// Of those that run, those that sleep.
    asleep: usize,
    /// How often those that sleep were told to end.
    trims: u64,
    /// Pipelines that a thread waits for, and prepared ones: each with its number.
    urgent: VecDeque<(u64, CompileJob)>,
    prepared: VecDeque<(u64, CompileJob)>,
    /// Replicas, at idle priority.
    spare: VecDeque<CompileJob>,
    /// Begun work, without replicas.
    begun: usize,
    /// A replica is being compiled.
    at_spare: bool,
    /// How many wait until all is done.
    #[cfg(test)]
    finishing: usize,
}

impl CompilerState {
    /// Whether another thread would have something to do, and may be started.
    fn wants_thread(&self) -> bool {
        self.waiting() >= self.asleep && self.running < self.most + usize::from(self.at_spare)
    }

    fn waiting(&self) -> usize {
        self.urgent.len() + self.prepared.len()
    }

    fn unfinished(&self) -> usize {
        self.waiting() + self.begun
    }

    /// Takes out the next work, without replicas.
    fn next(&mut self) -> Option<CompileJob> {
        let (_, work) = self.urgent.pop_front().or_else(|| self.prepared.pop_front())?;
        Some(work)
    }

    /// Takes out a replica, if no thread compiles one.
    fn next_spare(&mut self) -> Option<CompileJob> {
        if self.at_spare { None } else { self.spare.pop_front() }
    }

    /// Takes out what was handed over under a number.
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
    /// Without a thread.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            gpu: gpu.clone(),
            this: this.clone(),
            state: Mutex::default(),
            more: Condvar::new(),
            done: Condvar::new(),
        })
    }

    /// From now on there may be threads, one for each of the device's workers.
    pub(crate) fn open(&self, workers: u32) {
        lock(&self.state).most = workers as usize;
    }

    /// Ends the threads, each after what it does, and drops what none of them has begun.
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
            // The last owner of what closes it may be one of them.
            if thread.thread().id() != thread::current().id() {
                // It answers a panic itself.
                drop(thread.join());
            }
        }
        self.done.notify_all();
    }

    /// Ends the threads that have nothing to do.
    pub(crate) fn trim(&self) {
        lock(&self.state).trims += 1;
        self.more.notify_all();
    }

    /// Waits until all work is done, without replicas.
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

    /// How much work is not done yet, without replicas.
    pub(crate) fn unfinished(&self) -> u64 {
        lock(&self.state).unfinished() as u64
    }

    /// Hands work over, under a number of the caller's. Awaited work goes first.
    ///
    /// # Errors
    /// There is no thread for it: it is the caller's again.
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
        // Asked with the lock held: a thread that begins to wait later finds it in the queue.
        let queue = if is_awaited() { &mut state.urgent } else { &mut state.prepared };
        queue.push_back((number, work));
        drop(state);
        self.more.notify_one();
        Ok(())
    }

    /// Hands over what is compiled when nothing else is to be compiled.
    ///
    /// # Errors
    /// There is no thread for it: it is the caller's again.
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

    /// Moves the work of this number to the front, as a thread waits for it, if no thread has begun it.
    pub(crate) fn urge(&self, number: u64) {
        let mut state = lock(&self.state);
        let CompilerState { urgent, prepared, .. } = &mut *state;
        if let Some(at) = prepared.iter().position(|(prepared, _)| *prepared == number) {
            urgent.extend(prepared.remove(at));
        }
    }

    /// Does what was handed over under a number, if no thread has begun it.
    pub(crate) fn help(&self, number: u64) {
        let mut state = lock(&self.state);
        if let Some(work) = state.take(number) {
            drop(self.perform(state, work));
        }
    }

    /// Has something made by one of the threads, and waits for it; makes it here if there is none.
    pub(crate) fn make<T: Send + 'static>(&self, make: impl Fn(&Gpu) -> T + Copy + Send + 'static) -> T {
        let (to, made) = channel();
        let work = move |gpu: &Gpu| {
            let _span = tracing::trace_span!("compile").entered();
            drop(to.send(make(gpu)));
        };
        if let Err(work) = self.hand_over(unique_id(), || true, work) {
            work(&self.gpu);
        }
        // A panic is the caller's, who knows what to do then.
        made.recv().unwrap_or_else(|_| make(&self.gpu))
    }

    /// What a thread does until it is to end.
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

    /// Does what was taken out, meanwhile without the lock.
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

    /// Starts a thread. If the system has no more, that costs speed only.
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

    /// How much is to be compiled when nothing else is, and is not done yet.
    pub(crate) fn spare(&self) -> usize {
        let state = lock(&self.state);
        state.spare.len() + usize::from(state.at_spare)
    }

    /// How much awaited work no thread has begun.
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
