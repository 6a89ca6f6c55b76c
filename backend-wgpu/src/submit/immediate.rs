//! The immediate context: runs, submissions, maps that read, queries and presenting.
//!
//! Sealed pages are gathered into runs, which workers encode while the application continues. A submission
//! has these steps:
//!
//! 1. The open page ends and the uploads are prepared, while workers encode the waiting runs.
//! 2. The submitting thread encodes the runs that no worker has begun, and notifies the runtime of the
//!    submission.
//! 3. All command buffers are passed to wgpu in recording order.
//! 4. The objects that the pages kept alive are released, and destroyed objects are retired.
//! 5. The runtime does its amortized processing.
//! 6. The next page begins with its preamble.

mod execute;
mod in_flight;
mod predicates;
mod readback;
mod submission;
mod unasked;

use std::sync::Arc;
#[cfg(test)]
use std::time::Duration;

use onze_ddi::{DriverBug, Entry, Fence, RecordError, ResourceHandle};

pub(crate) use predicates::is_known;
pub(crate) use readback::bring_to_shadows;
pub(crate) use submission::{lost, submit};

use super::casts::CastState;
use execute::execute;
use in_flight::InFlight;
use submission::submit_early;
use unasked::{WaitingWork, WorkClock};

use crate::{
    objects::{
        identity::Identity,
        query::{Query, QueryEvent},
        resource::Resource,
        view::View,
    },
    record::{
        command_list::List,
        min_lods::MinLods,
        object_table::ObjectTable,
        page::Page,
        recorder::{self, PageSink},
        run_page::{RunPage, no_imports},
        upload::RetainedBlock,
    },
    submit::DeviceSubmission,
    submit::{belt::Belt, query_counts::SubmittedSegments, run::Gathered, worker::WorkerPool},
};

type ImmediateRecorder = recorder::Recorder<Immediate>;
pub(crate) type ImmediateScope<'a> = recorder::RecordScope<'a, Immediate>;

/// State of the immediate context in addition to its open page.
pub(crate) struct Immediate {
    device: Arc<DeviceSubmission>,
    pool: WorkerPool,
    gathered: Gathered,
    submission: u64,
    fence: Fence,
    clock: WorkClock,
    in_flight: InFlight<wgpu::SubmissionIndex>,
    queries: Vec<Arc<Query>>,
    counting: SubmittedSegments,
    written: Vec<Arc<Resource>>,
    belt: Belt,
    /// Executed lists whose upload blocks have not been taken yet.
    executed: Vec<Arc<List>>,
    unsent: Vec<Arc<RetainedBlock>>,
    casts: CastState,
    no_imports: Arc<[Identity]>,
    /// Whether the loss of the device was reported to the runtime.
    told: bool,
    /// Whether the runtime is in amortized processing, in which a submission by one of the runtime's calls
    /// leaves the preamble to the outer submission.
    amortizing: bool,
}

impl Immediate {
    pub(crate) fn new(device: &Arc<DeviceSubmission>) -> Self {
        let pool = WorkerPool::new(&device.encoding, device.workers);
        let (workers, policy) = (pool.workers(), &device.gpu.policy);
        device.counters.started(workers);
        Self {
            device: device.clone(),
            pool,
            gathered: Gathered::new(device.run_length.beside(0), policy.runs.replayed_per_draw),
            submission: 1,
            fence: Fence(0),
            clock: WorkClock::new(policy, workers > 0),
            in_flight: InFlight::new(policy.backlog.in_flight),
            queries: Vec::new(),
            counting: SubmittedSegments::default(),
            written: Vec::new(),
            belt: Belt::default(),
            executed: Vec::new(),
            unsent: Vec::new(),
            casts: CastState::default(),
            no_imports: no_imports(),
            told: false,
            amortizing: false,
        }
    }

    pub(crate) fn device(&self) -> &Arc<DeviceSubmission> {
        &self.device
    }

    pub(crate) fn submission(&self) -> u64 {
        self.submission
    }

    pub(crate) fn trim(&mut self) {
        self.belt.trim();
    }

    /// Processes the query segments that have arrived, and returns true if segments of the submission with
    /// this fence, or of an earlier one, are still missing.
    pub(crate) fn waits_for_segments(&mut self, fence: Fence) -> bool {
        self.counting.count(&self.device.encoding);
        self.counting.waits_for(fence)
    }

    fn end_queries(&mut self, list: &List) {
        list.queries.iter().for_each(|query| self.end_query(query.clone()));
    }

    fn add_page(&mut self, page: Arc<Page>, objects: Arc<ObjectTable>, min_lods: &MinLods) {
        let imports = self.no_imports.clone();
        self.queue(RunPage::new(page, objects, imports, &[]).on(min_lods));
    }

    fn queue(&mut self, page: RunPage) {
        self.clock.count(page.page.weight(), self.pending() == 0);
        self.start_runs();
        self.gathered.add_page(page);
        self.start_runs();
    }

    /// Queues a list as a whole, which requires that no query is in it or active around it.
    fn queue_list(&mut self, list: &Arc<List>, imports: Arc<[Identity]>, min_lods: MinLods) {
        self.clock.count(list.weight(), self.pending() == 0);
        self.start_runs();
        self.gathered.add_list(list, imports, min_lods);
        // Waking a worker would cost more than the rest of executing a list, so this is left to the next
        // page, list or submission.
        if self.pool.is_awake() {
            self.start_runs();
        }
    }

    fn pending(&self) -> u64 {
        self.pool.pending().saturating_add(self.gathered.draws())
    }

    fn waiting(&self) -> WaitingWork {
        WaitingWork { draws: self.pending(), runs: self.pool.unanswered(), run: self.gathered.run() }
    }

    /// Returns whether to submit encoded runs because the GPU is idle. If no run is encoded or begun, starts
    /// all waiting work, because a short run is better than an idle GPU.
    fn feeds_gpu(&mut self) -> bool {
        if !self.clock.strikes() {
            return false;
        }
        // A failed poll is ignored, because the next submission reports a lost device.
        let gpu = &self.device.gpu;
        let polled = gpu.device.poll(wgpu::PollType::Poll);
        let is_idle = polled.is_ok() && gpu.kernel.signalled() >= self.fence;
        if is_idle && self.pool.is_empty() {
            self.start_all();
        }
        is_idle
    }

    #[cfg(test)]
    pub(crate) fn pool(&mut self) -> &mut WorkerPool {
        &mut self.pool
    }

    #[cfg(test)]
    pub(crate) fn set_idle_time(&mut self, time: Duration) {
        self.clock.set_idle_time(time);
    }

    #[cfg(test)]
    pub(crate) fn belt(&self) -> &Belt {
        &self.belt
    }

    #[cfg(test)]
    pub(crate) fn clock_starts(&self) -> u32 {
        self.clock.starts()
    }

    #[cfg(test)]
    pub(crate) fn queued(&self) -> Vec<RunPage> {
        self.gathered.clone().into_run().pages
    }

    /// Passes gathered work to the workers if there is enough for a run, and enough to repay waking a worker.
    fn start_runs(&mut self) {
        if self.is_little() && self.device.gpu.policy.runs.exactly.is_none() {
            return;
        }
        if let Some(job) = self.gathered.take_job() {
            self.pool.submit(job);
        }
    }

    /// Takes the upload blocks of executed lists, and drops this context's references to the lists.
    fn take_uploads(&mut self) {
        let unsent = &mut self.unsent;
        self.executed.drain(..).for_each(|list| list.take_uploads(|retained| unsent.push(retained)));
    }

    /// Whether so few draws are waiting that waking a worker would take longer than encoding them on this
    /// thread.
    fn is_little(&self) -> bool {
        let few = self.device.gpu.policy.runs.few_draws;
        few.is_some_and(|few| self.pool.is_empty() && self.gathered.draws() <= few)
    }

    fn is_all_encoded(&self) -> bool {
        self.gathered.is_empty() && self.pool.is_empty()
    }

    fn start_all(&mut self) {
        self.start_runs();
        if !self.gathered.is_empty() {
            self.pool.submit(self.gathered.take_all());
        }
    }
}

impl PageSink for Immediate {
    const IS_IMMEDIATE: bool = true;

    fn turn_page(entry: &mut Entry<'_>) {
        let Some(scope) = ImmediateScope::enter(entry) else {
            return;
        };
        if page_full(scope.writer.r) {
            submit_early(entry);
        }
    }

    fn execute(entry: &mut Entry<'_>, list: &Arc<List>) {
        execute(entry, list);
    }

    fn bring_to_upload(entry: &mut Entry<'_>, buffer: ResourceHandle) -> Result<(), RecordError> {
        readback::bring_to_upload(entry, buffer)
    }

    fn report_spent_memory(scope: &mut ImmediateScope<'_>) {
        scope.writer.r.gpu.lose("out of memory for uploads");
    }

    fn add_import(&mut self, _handle: ResourceHandle, _resource: Arc<Resource>) -> Option<u32> {
        None
    }

    fn add_view_import(&mut self, _handle: ResourceHandle, _view: Arc<View>) -> Option<u32> {
        None
    }

    fn add_export(&mut self, _handle: ResourceHandle, _resource: Arc<Resource>, _place: u32) {}

    fn end_query(&mut self, query: Arc<Query>) {
        query.set_event(QueryEvent::Recorded);
        self.queries.push(query);
    }

    fn answer(entry: &mut Entry<'_>, query: &Arc<Query>) -> Option<bool> {
        predicates::answer(entry, query)
    }

    fn use_staging(&mut self, resource: &Arc<Resource>, written: bool) {
        let Some(staging) = resource.staging() else { return };
        if staging.mark(self.submission, written) {
            self.written.push(resource.clone());
        }
    }
}

/// Seals the open page and gathers it, and returns true if enough work is waiting for an early submission.
fn page_full(r: &mut ImmediateRecorder) -> bool {
    let sealed = match r.seal() {
        Some(page) => Some((page, r.seal_objects())),
        None => {
            r.forget_objects();
            None
        }
    };
    let uploads = r.uploads.handed_out();
    let immediate = &mut r.end;
    immediate.start_runs();
    if let Some((page, objects)) = sealed {
        immediate.add_page(page, objects, &r.min_lods);
    }
    let backlog = &r.gpu.policy.backlog;
    immediate.waiting().is_much(backlog, 1) || uploads >= backlog.upload_bytes || immediate.feeds_gpu()
}

impl ImmediateScope<'_> {
    pub(crate) fn resource_arc(&self, handle: ResourceHandle) -> Option<Arc<Resource>> {
        self.writer.handles.object_as(handle)
    }
}

pub(crate) fn foreign() -> DriverBug {
    DriverBug("an entry got another context's data".into())
}
