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

mod in_flight;
mod predicates;
mod readback;
mod unasked;

use std::sync::Arc;
#[cfg(test)]
use std::time::{Duration, Instant};

use onze_ddi::{
    ContextError, DeviceRemoved, DriverBug, Entry, Fence, RecordError, RenderArgs, ResourceHandle,
};

pub(crate) use predicates::is_known;
pub(crate) use readback::bring_to_shadows;

use super::casts::CastState;
use in_flight::InFlight;
use unasked::{WaitingWork, WorkClock};

use crate::{
    encode::{
        EncodedRun,
        parts::query_segments::{CountedScope, SegmentSet},
    },
    objects::{
        identity::Identity,
        query::{Query, QueryEvent, QueryScope},
        resource::Resource,
        view::View,
    },
    record::{
        command_list::List,
        min_lods::MinLods,
        object_table::ObjectTable,
        page::Page,
        recorder::{self, PageSink, handle_state::OWN_PAGE},
        run_page::{RunPage, no_imports},
        upload::{BufferWrite, RetainedBlock},
    },
    services::gpu::Gpu,
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
    /// Copies of uploads, which precede all other commands in the next submission.
    uploads: Vec<wgpu::CommandBuffer>,
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
            uploads: Vec::new(),
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
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        self.clock.since()
    }

    #[cfg(test)]
    pub(crate) fn queued(&self) -> Vec<RunPage> {
        self.gathered.clone().into_run().pages
    }

    /// Passes gathered work to the workers if there is enough for a run.
    fn start_runs(&mut self) {
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

/// Submits the recorded work followed by `extra`, retires destroyed objects, and begins the next page with
/// its preamble. Returns `None` if nothing was submitted, for example because the device is lost.
pub(crate) fn submit(
    entry: &mut Entry<'_>,
    extra: Option<wgpu::CommandBuffer>,
) -> Option<wgpu::SubmissionIndex> {
    let index = submit_without_preamble(entry, extra);
    if let Some(mut scope) = ImmediateScope::enter(entry)
        && !scope.writer.r.end.amortizing
    {
        scope.preamble();
    }
    index
}

fn submit_without_preamble(
    entry: &mut Entry<'_>,
    extra: Option<wgpu::CommandBuffer>,
) -> Option<wgpu::SubmissionIndex> {
    let mut scope = ImmediateScope::enter(entry)?;
    page_full(scope.writer.r);
    let is_more = extra.is_some();
    let immediate = &mut scope.writer.r.end;
    if !immediate.is_little() {
        immediate.start_all();
    }
    immediate.take_uploads();
    if is_more || !immediate.is_all_encoded() || !immediate.written.is_empty() {
        scope.send_uploads();
    }
    let immediate = &mut scope.writer.r.end;
    if !immediate.gathered.is_empty() {
        immediate.pool.encode_here(immediate.gathered.take_all());
    }
    let encoded = immediate.pool.finish();
    let written = std::mem::take(&mut immediate.written);
    let index = scope.submit_encoded(encoded, &written, extra);
    let immediate = &mut scope.writer.r.end;
    immediate.submission += 1;
    // If nothing was submitted, all work before an event query is done once the previous submission is done.
    let fence = immediate.fence;
    for query in immediate.queries.drain(..) {
        query.set_event(QueryEvent::Submitted(fence));
    }
    after_submission(entry, index.is_some());
    index
}

/// Handles a large backlog: submits the encoded runs, or everything if the workers do not keep up. Query
/// results and readbacks into staging memory arrive only with a full submission, because an early submission
/// does not include everything recorded. The open page must be new, and it has no preamble when this function
/// returns.
fn submit_early(entry: &mut Entry<'_>) {
    let Some(scope) = ImmediateScope::enter(entry) else {
        return;
    };
    let device = scope.writer.r.end.device.clone();
    let uploads = scope.writer.r.uploads.handed_out();
    let (immediate, backlog) = (&scope.writer.r.end, &device.gpu.policy.backlog);
    if immediate.pool.workers() != 0
        && !immediate.waiting().is_much(backlog, 2)
        && uploads < backlog.upload_bytes
    {
        return submit_finished(entry);
    }
    if submit_without_preamble(entry, None).is_some() {
        device.counters.submitted_early();
    }
}

/// Submits the runs that are already encoded. The open page must be new, and it lacks a preamble when this
/// function returns.
fn submit_finished(entry: &mut Entry<'_>) {
    let Some(mut scope) = ImmediateScope::enter(entry) else {
        return;
    };
    let device = scope.writer.r.end.device.clone();
    let encoded = scope.writer.r.end.pool.take_finished();
    if encoded.is_empty() {
        return;
    }
    scope.send_uploads();
    let index = scope.submit_encoded(encoded, &[], None);
    after_submission(entry, index.is_some());
    if index.is_some() {
        device.counters.submitted_early();
    }
}

/// Reclaims upload blocks, retires destroyed objects and sets the length of the next runs, even if nothing
/// was submitted. After an actual submission, also calls the runtime's amortized processing.
fn after_submission(entry: &mut Entry<'_>, submitted: bool) {
    if let Some(scope) = ImmediateScope::enter(entry) {
        let ImmediateRecorder { end: immediate, uploads, .. } = scope.writer.r;
        uploads.reclaim();
        let device = &immediate.device;
        device.retire_destroyed();
        let run = device.run_length.beside(device.objects.factories.live());
        immediate.gathered.size_runs(run);
    }
    if submitted {
        let outer = set_amortizing(entry, true);
        entry.core.perform_amortized_processing(&mut *entry.private, &mut *entry.handles);
        set_amortizing(entry, outer);
    }
}

fn set_amortizing(entry: &mut Entry<'_>, value: bool) -> bool {
    ImmediateScope::enter(entry)
        .map(|scope| std::mem::replace(&mut scope.writer.r.end.amortizing, value))
        .unwrap_or_default()
}

impl ImmediateScope<'_> {
    /// Prepares the upload of all written bytes for the next submission.
    fn send_uploads(&mut self) {
        let device = self.writer.r.end.device.clone();
        if device.gpu.is_lost() {
            return;
        }
        let of_new = device.objects.allocator.write_allocated();
        let ImmediateRecorder { end: immediate, uploads, .. } = &mut *self.writer.r;
        immediate.take_uploads();
        let mut spent = false;
        let Immediate { belt, unsent, .. } = &mut **immediate;
        let mut write = |written: BufferWrite<'_>| spent |= belt.write(&device.gpu, &written).is_none();
        let of_lists: u64 = unsent.drain(..).map(|retained| retained.upload(&mut write)).sum();
        let sent = of_lists + uploads.upload(write);
        let copies = immediate.belt.finish(&device.gpu);
        if spent || (copies.is_none() && sent > 0) {
            device.gpu.lose("the GPU is out of memory");
        }
        immediate.uploads.extend(copies);
        device.counters.uploaded(of_new + sent);
    }

    /// Submits runs in order, followed by the readback of the staging resources that they wrote, and then by
    /// `extra`.
    fn submit_encoded(
        &mut self,
        encoded: Vec<EncodedRun>,
        written: &[Arc<Resource>],
        extra: Option<wgpu::CommandBuffer>,
    ) -> Option<wgpu::SubmissionIndex> {
        let device = self.writer.r.end.device.clone();
        if let Some(error) = encoded.iter().find_map(|run| run.error.as_ref())
            && !device.gpu.is_gone()
        {
            device.gpu.report_bug(format!("a run could not be encoded: {error}"));
            device.gpu.lose(format!("a run could not be encoded: {error}"));
        }
        let draws = encoded.iter().map(|run| run.stats.draws).sum();
        device.counters.submitted(&encoded);
        let mut buffers = Vec::new();
        let mut pages = Vec::new();
        let mut segments = Vec::new();
        let casts = &mut self.writer.r.end.casts;
        for run in encoded {
            run.counted.iter().for_each(CountedScope::tell);
            if !run.casts.is_empty() {
                buffers.extend(casts.before(&device.encoding, &run.casts));
            }
            buffers.extend(run.command_buffers);
            if !run.casts.is_empty() {
                buffers.extend(casts.after(&device.encoding, run.casts));
            }
            pages.extend(run.pages);
            segments.extend(run.segments);
        }
        let written = || written.iter().filter_map(|resource| resource.staging());
        if !device.gpu.is_lost() && written().next().is_some() {
            let mut encoder = device
                .gpu
                .device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("read back") });
            written().for_each(|staging| staging.read_back(&device.gpu.device, &mut encoder));
            buffers.push(encoder.finish());
        }
        buffers.extend(extra);
        let index = if device.gpu.is_lost() {
            self.tell_lost();
            self.writer.r.uploads.forget_spills();
            self.writer.r.end.unsent.clear();
            None
        } else if buffers.is_empty() {
            None
        } else {
            self.hand_over(&device, buffers, draws)
        };
        written().for_each(|staging| staging.receive(index.as_ref()));
        self.count_segments(if index.is_some() { segments } else { Vec::new() });
        for page in pages {
            self.writer.r.recycle(page.page, page.objects);
        }
        index
    }

    /// Notifies the runtime of a submission, receives a fence for it, and passes the command buffers to wgpu.
    fn hand_over(
        &mut self,
        device: &DeviceSubmission,
        buffers: Vec<wgpu::CommandBuffer>,
        draws: u32,
    ) -> Option<wgpu::SubmissionIndex> {
        let args = RenderArgs { command_buffers: buffers.len() as u32, draws };
        let fence = match self.core.render(args) {
            Ok(fence) => fence,
            Err(error) => {
                device.gpu.lose(error.to_string());
                return None;
            }
        };
        let _span = tracing::trace_span!("submit", draws).entered();
        let uploads = std::mem::take(&mut self.writer.r.end.uploads);
        let index = device.gpu.queue.submit(uploads.into_iter().chain(buffers));
        let kernel = device.gpu.kernel.clone();
        device.gpu.queue.on_submitted_work_done(move || kernel.signal(fence));
        let immediate = &mut self.writer.r.end;
        immediate.fence = fence;
        immediate.clock.restart();
        if let Some(oldest) = immediate.in_flight.push(index.clone()) {
            // The result is ignored, because the next call reports a device that is lost here.
            drop(wait(&device.gpu, oldest));
        }
        Some(index)
    }

    /// Requests the readback of query segments that were just submitted, and processes all segments that have
    /// arrived.
    fn count_segments(&mut self, segments: Vec<SegmentSet>) {
        let Immediate { counting, device, fence, .. } = &mut *self.writer.r.end;
        for segments in segments {
            counting.receive(*fence, segments);
        }
        counting.count(&device.encoding);
    }

    /// Reports the loss of the device to the runtime, but only once.
    fn tell_lost(&mut self) {
        if !std::mem::replace(&mut self.writer.r.end.told, true) {
            self.core.set_error(ContextError::DeviceRemoved("the device is lost".into()));
        }
    }

    /// Copies a small renamed buffer to its base storage, so that a list which imports the buffer finds it at
    /// the same location as in the last execution. The list's bundles then stay valid.
    fn settle(&mut self, handle: ResourceHandle) {
        if self
            .writer
            .resource_state(handle)
            .is_ok_and(|state| state.identity != 0 && state.units != 0 && !state.is(OWN_PAGE))
        {
            // Errors are ignored here, because a missing buffer is reported when the list is gathered.
            let _place = self.copy_target(handle, false);
        }
    }

    pub(crate) fn resource_arc(&self, handle: ResourceHandle) -> Option<Arc<Resource>> {
        self.writer.handles.object_as(handle)
    }
}

/// Executes a list: settles its imports if it was executed before, queues it, and makes its exports current.
///
/// Writes no preamble, because the context is in the default state after a list, but the state callbacks
/// still return the old state.
fn execute(entry: &mut Entry<'_>, list: &Arc<List>) {
    let Some(mut scope) = ImmediateScope::enter(entry) else {
        return;
    };
    let settled_draws = scope.writer.r.gpu.policy.settled_draws;
    if list.has_given_uploads() && settled_draws.is_some_and(|draws| list.weight() >= draws) {
        let buffers = list.imports.iter().filter(|import| !import.resource.is_back_buffer());
        buffers.for_each(|import| scope.settle(import.handle));
    }
    page_full(scope.writer.r);
    scope.writer.r.depend_on(None);
    let imports: Arc<[Identity]> = list
        .imports
        .iter()
        .filter_map(|import| scope.writer.identity(import).or_else(|| import.base()))
        .collect::<Vec<_>>()
        .into();
    let around: Vec<_> = scope.writer.r.begun.iter().map(|begun| QueryScope::current(&begun.query)).collect();
    let min_lods = scope.writer.r.min_lods.clone();
    scope.writer.r.take_min_lods(list);
    let queue = &mut scope.writer.r.end;
    if around.is_empty() && !list.has_queries() {
        queue.queue_list(list, imports, min_lods);
    } else if list.has_predicates() {
        execute_predicated(entry, list, imports, around, &min_lods);
    } else {
        list.for_each_page(0..u64::MAX, imports, around, |page| queue.queue(page.on(&min_lods)));
    }
    let Some(mut scope) = ImmediateScope::enter(entry) else {
        return;
    };
    let queue = &mut scope.writer.r.end;
    if !list.has_given_uploads() {
        queue.executed.push(list.clone());
    }
    queue.end_queries(list);
    for used in &list.staging {
        queue.use_staging(&used.resource, used.written);
    }
    let is_enough = queue.pending() >= queue.device.gpu.policy.backlog.listed_draws;
    scope.writer.take_exports(list);
    if is_enough {
        submit_early(entry);
        return;
    }
    if scope.writer.r.end.feeds_gpu() {
        submit_finished(entry);
    }
}

/// Queues the pages of a list with predicates, whose results depend on the pages before them.
fn execute_predicated(
    entry: &mut Entry<'_>,
    list: &Arc<List>,
    imports: Arc<[Identity]>,
    around: Vec<QueryScope>,
    min_lods: &MinLods,
) {
    if let Some(scope) = ImmediateScope::enter(entry) {
        let queue = &mut scope.writer.r.end;
        if !list.has_given_uploads() {
            queue.executed.push(list.clone());
        }
    }
    // A predicate needs the results of all pages before it, so the list's queries end before each predicate,
    // and once more after all pages are queued.
    let mut has_ended = true;
    list.for_each_page(0..u64::MAX, imports, around, |mut page| {
        if let Some(predicate) = &page.page.predicate {
            if std::mem::take(&mut has_ended)
                && let Some(scope) = ImmediateScope::enter(entry)
            {
                scope.writer.r.end.end_queries(list);
            }
            page.skips = predicates::answer(entry, &predicate.query) == Some(predicate.value);
        }
        has_ended |= !page.page.queries.is_empty();
        if let Some(scope) = ImmediateScope::enter(entry) {
            scope.writer.r.end.queue(page.on(min_lods));
        }
    });
}

/// Waits for a submission, and removes the device if that fails.
fn wait(gpu: &Gpu, index: wgpu::SubmissionIndex) -> Result<(), DeviceRemoved> {
    let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
    match gpu.device.poll(wait) {
        Ok(_) if !gpu.is_lost() => Ok(()),
        Ok(_) => Err(lost()),
        Err(error) => {
            gpu.lose(error.to_string());
            Err(lost())
        }
    }
}

pub(crate) fn lost() -> DeviceRemoved {
    DeviceRemoved("the device is lost".into())
}

pub(crate) fn foreign() -> DriverBug {
    DriverBug("an entry got another context's data".into())
}
