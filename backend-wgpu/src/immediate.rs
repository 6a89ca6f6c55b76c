//! The immediate context: runs, submissions, maps that read, queries and presenting.
//!
//! Sealed pages are gathered into runs, which workers encode while the application goes on. A
//! submission ends the open page, helps to encode what is left, announces itself to the runtime,
//! uploads, and hands all command buffers to wgpu in recording order. Then what the pages kept alive
//! goes, destroyed objects are retired, the runtime does its amortized processing, and the next page
//! begins with its preamble.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use onze_ddi::{
    ContextError, CreateError, CreateSwapChainArgs, DriverBug, DriverObject, Entry, Fence, FlushFlags, GetDataError,
    Handle, HandleType, ImmediateFuncs, Key, MapError, MapType, MappedMemory, PresentError, PresentStatus, QueryData,
    QueryHandle, RenderArgs, ResourceHandle, Texture2dDesc, Written, kind,
};

use crate::{
    command_list::{Left, List},
    device::Device,
    encode::EncodedRun,
    identity::Identity,
    page::{Page, Run, RunPage},
    query::{Event, Query},
    recorder::{Cx, Kind, Recorder, hot::ResourceHot, identities::Current, rename::no_imports, table::ImmediateTable},
    resource::Resource,
    staging::readback_buffer,
    swap_chain::SwapChain,
    worker::{Ticket, WorkerPool},
};

/// Draws after which a run goes to the workers: what makes a pass that is neither dear to begin nor
/// dear to grow.
const RUN_DRAWS: u32 = 1000;

/// Draws that wait before they are submitted unasked: those that are encoded already. With twice as
/// many, the workers do not keep up, and all are.
const PENDING_DRAWS: u32 = 16 * RUN_DRAWS;

/// Submissions that the GPU may be behind. Beyond that a submission waits, or what they hold would
/// grow without bound.
const IN_FLIGHT: usize = 16;

/// Bytes of upload pages that wait at most.
const PENDING_UPLOADS: u64 = 256 * 1024 * 1024;

/// Commands without a draw that cost about as much as one.
const COMMANDS_PER_DRAW: usize = 16;

/// What the immediate context has besides its open page.
pub(crate) struct Immediate {
    pool: WorkerPool,
    /// Runs that are being encoded, in recording order, with what they cost in draws.
    tickets: VecDeque<(Ticket, u32)>,
    /// The run that sealed pages join.
    run: Run,
    /// What `run` costs, in draws.
    weight: u32,
    /// The same of all runs since the last submission.
    pending: u32,
    /// The number of the submission to come.
    submission: u64,
    /// The last submission's fence.
    fence: Fence,
    /// The last submissions, oldest first.
    in_flight: VecDeque<wgpu::SubmissionIndex>,
    /// Events that the submission to come issues.
    queries: Vec<Arc<Query>>,
    no_imports: Arc<[Identity]>,
    /// The runtime knows that the device is lost.
    told: bool,
}

impl Immediate {
    /// Starts the workers.
    pub(crate) fn new(device: &Arc<Device>) -> Self {
        Self {
            pool: WorkerPool::new(device, device.workers),
            tickets: VecDeque::new(),
            run: Run::default(),
            weight: 0,
            pending: 0,
            submission: 1,
            fence: Fence(0),
            in_flight: VecDeque::new(),
            queries: Vec::new(),
            no_imports: no_imports(),
            told: false,
        }
    }

    /// The number of the submission to come.
    pub(crate) fn submission(&self) -> u64 {
        self.submission
    }

    /// Notes an event that the submission to come issues.
    pub(crate) fn end_query(&mut self, query: Arc<Query>) {
        query.set_event(Event::Recorded);
        self.queries.push(query);
    }

    /// Queues a page of this context.
    fn add_page(&mut self, page: Page) {
        let imports = self.no_imports.clone();
        self.queue(RunPage { page: Arc::new(page), imports });
    }

    /// Queues a page; a run that is large enough goes to the workers.
    fn queue(&mut self, page: RunPage) {
        let draws = page.page.draws;
        let weight = draws.max((page.page.commands.len() / COMMANDS_PER_DRAW) as u32).max(1);
        self.run.pages.push(page);
        self.run.draws += draws;
        self.weight += weight;
        self.pending += weight;
        if self.weight >= RUN_DRAWS {
            self.start_run();
        }
    }

    /// The pages of the run that is not yet with the workers.
    #[cfg(test)]
    pub(crate) fn queued(&self) -> &[RunPage] {
        &self.run.pages
    }

    fn start_run(&mut self) {
        let weight = std::mem::take(&mut self.weight);
        if !self.run.pages.is_empty() {
            self.tickets.push_back((self.pool.submit(std::mem::take(&mut self.run)), weight));
        }
    }

    /// Encodes what is left and returns everything in recording order.
    fn finish_runs(&mut self) -> Vec<EncodedRun> {
        self.start_run();
        self.pending = 0;
        let Self { tickets, pool, .. } = self;
        tickets.drain(..).map(|(ticket, _)| pool.finish(ticket)).collect()
    }

    /// The runs that are encoded already, up to the first that is not.
    fn take_finished(&mut self) -> Vec<EncodedRun> {
        let mut finished = Vec::new();
        while let Some((ticket, weight)) = self.tickets.pop_front() {
            match self.pool.take_finished(ticket) {
                Ok(run) => {
                    self.pending = self.pending.saturating_sub(weight);
                    finished.push(run);
                }
                Err(ticket) => {
                    self.tickets.push_front((ticket, weight));
                    break;
                }
            }
        }
        finished
    }
}

fn immediate(r: &mut Recorder) -> Option<&mut Immediate> {
    match &mut r.kind {
        Kind::Immediate(immediate) => Some(immediate),
        Kind::Deferred(_) => None,
    }
}

/// Seals the open page. True if enough waits for a submission.
pub(crate) fn page_full(r: &mut Recorder) -> bool {
    let sealed = r.seal();
    let uploads = r.uploads.handed_out();
    immediate(r).is_some_and(|immediate| {
        if let Some(page) = sealed {
            immediate.add_page(page);
        }
        immediate.pending >= PENDING_DRAWS || uploads >= PENDING_UPLOADS
    })
}

/// Submits what was recorded and `extra` after it, retires what was destroyed, and begins the next page
/// with its preamble. `None` if nothing was submitted.
pub(crate) fn submit(cx: &mut Entry<'_>, extra: Option<wgpu::CommandBuffer>) -> Option<wgpu::SubmissionIndex> {
    let index = submit_without_preamble(cx, extra);
    if let Some(mut inner) = Cx::enter(cx) {
        inner.preamble();
    }
    index
}

fn submit_without_preamble(
    cx: &mut Entry<'_>,
    extra: Option<wgpu::CommandBuffer>,
) -> Option<wgpu::SubmissionIndex> {
    let mut inner = Cx::enter(cx)?;
    page_full(inner.pen.r);
    let encoded = immediate(inner.pen.r)?.finish_runs();
    let index = inner.submit_encoded(encoded, extra);
    let immediate = immediate(inner.pen.r)?;
    immediate.submission += 1;
    // Without a submission, everything before an event is done when the last one is.
    let fence = immediate.fence;
    for query in immediate.queries.drain(..) {
        query.set_event(Event::Submitted(fence));
    }
    after_submission(cx, index.is_some());
    index
}

/// Much is waiting: submits what is encoded already; all, if the workers do not keep up. Nothing that was
/// promised for the submission to come is done by that. The open page is new and has no preamble.
pub(crate) fn submit_early(cx: &mut Entry<'_>) {
    let Some(mut inner) = Cx::enter(cx) else {
        return;
    };
    let no_workers = inner.pen.r.device.workers == 0;
    let uploads = inner.pen.r.uploads.handed_out();
    let Some(immediate) = immediate(inner.pen.r) else {
        return;
    };
    if no_workers || immediate.pending >= 2 * PENDING_DRAWS || uploads >= PENDING_UPLOADS {
        submit_without_preamble(cx, None);
        return;
    }
    let encoded = immediate.take_finished();
    if !encoded.is_empty() {
        let index = inner.submit_encoded(encoded, None);
        after_submission(cx, index.is_some());
    }
}

/// What follows a submission, also one of nothing.
fn after_submission(cx: &mut Entry<'_>, submitted: bool) {
    if let Some(inner) = Cx::enter(cx) {
        inner.pen.r.uploads.reclaim();
        inner.pen.r.device.drain_graveyard();
    }
    if submitted {
        cx.core.perform_amortized_processing(&mut *cx.private, &mut *cx.handles);
    }
}

impl Cx<'_> {
    /// Submits runs in their order, and `extra` after them.
    fn submit_encoded(
        &mut self,
        encoded: Vec<EncodedRun>,
        extra: Option<wgpu::CommandBuffer>,
    ) -> Option<wgpu::SubmissionIndex> {
        let device = self.pen.r.device.clone();
        if let Some(error) = encoded.iter().find_map(|run| run.error.as_ref())
            && !device.is_lost()
        {
            device.report_bug(format!("a run could not be encoded: {error}"));
            device.lose(format!("a run could not be encoded: {error}"));
        }
        let draws = encoded.iter().map(|run| run.stats.draws).sum();
        let mut buffers = Vec::new();
        let mut pages = Vec::new();
        for run in encoded {
            buffers.extend(run.command_buffers);
            pages.extend(run.pages);
        }
        buffers.extend(extra);
        let index = if device.is_lost() {
            self.tell_lost();
            self.pen.r.uploads.forget_spills();
            None
        } else if buffers.is_empty() {
            None
        } else {
            self.hand_over(&device, buffers, draws)
        };
        for page in pages {
            self.pen.r.recycle(page.page);
        }
        index
    }

    /// Announces a submission and makes it.
    fn hand_over(
        &mut self,
        device: &Arc<Device>,
        buffers: Vec<wgpu::CommandBuffer>,
        draws: u32,
    ) -> Option<wgpu::SubmissionIndex> {
        let args = RenderArgs { command_buffers: buffers.len() as u32, draws };
        let fence = match self.core.render(args) {
            Ok(fence) => fence,
            Err(error) => {
                device.lose(error.to_string());
                return None;
            }
        };
        self.pen.r.uploads.upload(&device.queue);
        let index = device.queue.submit(buffers);
        let kernel = device.kernel.clone();
        device.queue.on_submitted_work_done(move || kernel.signal(fence));
        let immediate = immediate(self.pen.r)?;
        immediate.fence = fence;
        immediate.in_flight.push_back(index.clone());
        if immediate.in_flight.len() > IN_FLIGHT
            && let Some(oldest) = immediate.in_flight.pop_front()
        {
            // A device that is lost meanwhile is found out by whoever asks next.
            drop(wait(device, oldest));
        }
        Some(index)
    }

    /// Tells the runtime once that the device is lost.
    fn tell_lost(&mut self) {
        if let Some(immediate) = immediate(self.pen.r)
            && !std::mem::replace(&mut immediate.told, true)
        {
            self.core.set_error(ContextError::DeviceRemoved("the device is lost".into()));
        }
    }

    fn resource_arc(&self, handle: ResourceHandle) -> Option<Arc<Resource>> {
        self.pen.handles.object_as(handle)
    }
}

/// Executes a list: queues its pages, and takes over what it leaves behind.
///
/// The state callbacks still show the old state, and the new one is the default: so no preamble.
pub(crate) fn execute(cx: &mut Entry<'_>, list: &Arc<List>) {
    let Some(mut inner) = Cx::enter(cx) else {
        return;
    };
    page_full(inner.pen.r);
    let imports: Arc<[Identity]> = list
        .imports
        .iter()
        .filter_map(|import| inner.pen.identity(import.handle).or_else(|| import.home()))
        .collect::<Vec<_>>()
        .into();
    let Some(queue) = immediate(inner.pen.r) else {
        return;
    };
    list.for_each_page(imports, |page| queue.queue(page));
    for query in &list.queries {
        queue.end_query(query.clone());
    }
    for used in &list.staging {
        if let Some(staging) = used.resource.staging() {
            staging.mark(queue.submission, used.written);
        }
    }
    let pending = queue.pending;
    inner.take_exports(list);
    if pending >= PENDING_DRAWS {
        submit_early(cx);
    }
}

impl Cx<'_> {
    fn take_exports(&mut self, list: &List) {
        for export in &list.exports {
            let done = match &export.left {
                Left::Home => self.pen.go_home(export.handle),
                Left::Upload { kept, offset } => {
                    self.pen.set_identity(export.handle, Current::Listed { kept: kept.clone(), offset: *offset }).map(|_| ())
                }
            };
            if done.is_none() {
                self.pen.bug(format!("{:?} of a list is not open where the list is executed", export.resource));
            }
        }
    }
}

fn lost() -> MapError {
    MapError::DeviceRemoved("the device is lost".into())
}

fn foreign() -> DriverBug {
    DriverBug("an entry got another context's data".into())
}

/// Waits until the GPU has done a submission.
fn wait(device: &Device, index: wgpu::SubmissionIndex) -> Result<(), MapError> {
    let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
    match device.device.poll(wait) {
        Ok(_) if !device.is_lost() => Ok(()),
        Ok(_) => Err(lost()),
        Err(error) => {
            device.lose(error.to_string());
            Err(lost())
        }
    }
}

/// Reads a dynamic buffer back that is at home, and makes an upload slice of it, so that parts of it
/// can be overwritten. Waits for the GPU, but once in the life of most buffers at most.
pub(crate) fn bring_to_upload(cx: &mut Entry<'_>, handle: ResourceHandle) -> Result<(), MapError> {
    let mut inner = Cx::enter(cx).ok_or_else(|| MapError::Bug(foreign()))?;
    let device = inner.pen.r.device.clone();
    if device.is_lost() {
        return Err(lost());
    }
    let closed = || MapError::Bug(DriverBug("a map of a resource that is not open".into()));
    let home = inner.pen.identity(handle).ok_or_else(closed)?;
    // Storages are padded to more than that.
    let size = home.size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let buffer = readback_buffer(&device.device, size);
    let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("read home") });
    encoder.copy_buffer_to_buffer(&home.storage.buffer, home.offset, &buffer, 0, size);
    let index = submit(cx, Some(encoder.finish())).ok_or_else(lost)?;
    let arrived = Arc::new(AtomicU8::new(0));
    let signal = arrived.clone();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| signal.store(1 + u8::from(result.is_err()), Ordering::Release));
    wait(&device, index)?;
    if arrived.load(Ordering::Acquire) != 1 {
        device.lose("a buffer could not be read back");
        return Err(lost());
    }
    let view = buffer.get_mapped_range(..).map_err(|_| lost())?;
    let mut inner = Cx::enter(cx).ok_or_else(|| MapError::Bug(foreign()))?;
    let hot = inner.pen.hot(handle).ok_or_else(closed)?;
    let bytes = view.get(..hot.size as usize).unwrap_or_default();
    inner.rename_to(handle, &hot, bytes).ok_or(MapError::OutOfMemory)
}

/// Makes the shadows of a staging resource show what the GPU has written.
fn bring_to_shadows(cx: &mut Entry<'_>, resource: &Resource, do_not_wait: bool) -> Result<(), MapError> {
    let Some(staging) = resource.staging() else {
        return Err(MapError::Bug(DriverBug("a staging map of another resource".into())));
    };
    let device = Cx::enter(cx).ok_or_else(|| MapError::Bug(foreign()))?.pen.r.device.clone();
    let mut index = None;
    if let Some(copy) = staging.read_back(&device.device) {
        index = submit(cx, Some(copy));
        if index.is_none() {
            staging.cancel_readback();
            return Err(lost());
        }
        staging.receive();
    }
    if do_not_wait {
        if let Err(error) = device.device.poll(wgpu::PollType::Poll) {
            device.lose(error.to_string());
        }
    } else {
        let wait = wgpu::PollType::Wait { submission_index: index, timeout: None };
        if let Err(error) = device.device.poll(wait) {
            device.lose(error.to_string());
        }
    }
    if device.is_lost() {
        return Err(lost());
    }
    match staging.show() {
        Ok(true) => Ok(()),
        Ok(false) if do_not_wait => Err(MapError::StillDrawing),
        Ok(false) => Err(MapError::Bug(DriverBug("a readback did not arrive with its submission".into()))),
        Err(()) => {
            device.lose("staging memory could not be read back");
            Err(lost())
        }
    }
}

impl ImmediateFuncs for ImmediateTable {
    fn staging_map(
        &self,
        mut cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
        do_not_wait: bool,
    ) -> Result<MappedMemory, MapError> {
        let bug = |words: &'static str| MapError::Bug(DriverBug(words.into()));
        let inner = Cx::enter(&mut cx).ok_or_else(|| MapError::Bug(foreign()))?;
        let resource = inner.resource_arc(resource).ok_or(bug("a staging map of a resource that is not open"))?;
        let staging = resource.staging().ok_or(bug("a staging map of another resource"))?;
        if inner.pen.r.device.is_lost() {
            return Err(lost());
        }
        let submission = immediate(inner.pen.r).map_or(0, |immediate| immediate.submission);
        if staging.is_stale() {
            bring_to_shadows(&mut cx, &resource, do_not_wait)?;
        } else if map_type != MapType::Read && staging.is_used_by(submission) {
            // What is written must not overtake the copies that were recorded before.
            submit(&mut cx, None);
        }
        staging.lend(subresource, map_type).ok_or(bug("a staging resource is mapped already"))
    }

    fn staging_unmap(
        &self,
        mut cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        let Some(inner) = Cx::enter(&mut cx) else {
            return;
        };
        let resource = inner.resource_arc(resource);
        match resource.as_ref().and_then(|resource| resource.staging()) {
            Some(staging) => staging.take_back(&inner.pen.r.device.queue, subresource, memory, &written),
            None => inner.pen.bug("a staging unmap of another resource"),
        }
    }

    fn query_get_data(
        &self,
        mut cx: Entry<'_>,
        query: QueryHandle,
        do_not_flush: bool,
    ) -> Result<QueryData, GetDataError> {
        let inner = Cx::enter(&mut cx).ok_or_else(|| GetDataError::Bug(foreign()))?;
        let device = inner.pen.r.device.clone();
        let query: Arc<Query> =
            inner.pen.handles.object_as(query).ok_or(GetDataError::Bug(DriverBug("a query is not open".into())))?;
        if device.is_lost() {
            return Err(GetDataError::DeviceRemoved("the device is lost".into()));
        }
        if query.event() == Event::Recorded && !do_not_flush {
            submit(&mut cx, None);
        }
        let Event::Submitted(fence) = query.event() else {
            return Err(GetDataError::StillDrawing);
        };
        if device.kernel.signalled() < fence
            && let Err(error) = device.device.poll(wgpu::PollType::Poll)
        {
            device.lose(error.to_string());
            return Err(GetDataError::DeviceRemoved("the device is lost".into()));
        }
        if device.kernel.signalled() >= fence { Ok(QueryData::Event(true)) } else { Err(GetDataError::StillDrawing) }
    }

    fn flush(&self, mut cx: Entry<'_>, flags: FlushFlags) -> bool {
        let submitted = submit(&mut cx, None).is_some();
        if let Some(inner) = Cx::enter(&mut cx) {
            let device = &inner.pen.r.device;
            // Lets fences be signalled and wgpu retire what it holds.
            if !submitted && let Err(error) = device.device.poll(wgpu::PollType::Poll) {
                device.lose(error.to_string());
            }
            if flags.contains(FlushFlags::TRIM_MEMORY) {
                inner.pen.r.trim();
                inner.pen.r.device.allocator.trim();
            }
        }
        submitted
    }

    fn close(&self, mut cx: Entry<'_>, kind: HandleType, key: Key) {
        if kind != HandleType::Resource {
            return;
        }
        let Some(inner) = Cx::enter(&mut cx) else {
            return;
        };
        let handle: Handle<kind::Resource> = Handle::new(key);
        if let Some(hot) = inner.pen.handles.private_mut::<ResourceHot, _>(handle) {
            let place = std::mem::take(hot).identity;
            inner.pen.r.identities.remove(place, &mut inner.pen.r.uploads);
        }
    }

    fn create_swap_chain(
        &self,
        mut cx: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<DriverObject, PresentError> {
        let inner = Cx::enter(&mut cx).ok_or_else(|| PresentError::Bug(foreign()))?;
        Ok(Arc::new(SwapChain::new(&inner.pen.r.device, args)?))
    }

    fn destroy_swap_chain(&self, _cx: Entry<'_>, swap_chain: DriverObject) {
        // Every present was submitted when it was made, so nothing that is recorded uses the surface.
        drop(swap_chain);
    }

    fn create_primary(
        &self,
        mut cx: Entry<'_>,
        _swap_chain: &DriverObject,
        desc: &Texture2dDesc,
        _private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        let inner = Cx::enter(&mut cx).ok_or_else(|| CreateError::Bug(foreign()))?;
        Ok(SwapChain::create_primary(&inner.pen.r.device, desc)?)
    }

    fn destroy_primary(&self, mut cx: Entry<'_>, primary: DriverObject) {
        // What was recorded may use it, and views of it may wait to be retired.
        submit(&mut cx, None);
        if let Some(resource) = primary.downcast_ref::<Resource>() {
            resource.deallocate();
        }
    }

    fn resize_swap_chain(
        &self,
        mut cx: Entry<'_>,
        swap_chain: &DriverObject,
        width: u32,
        height: u32,
    ) -> Result<(), PresentError> {
        let inner = Cx::enter(&mut cx).ok_or_else(|| PresentError::Bug(foreign()))?;
        if inner.pen.r.device.is_lost() {
            return Err(PresentError::DeviceRemoved("the device is lost".into()));
        }
        match swap_chain.downcast_ref::<SwapChain>() {
            Some(swap_chain) => swap_chain.resize(width, height),
            None => return Err(PresentError::Bug(DriverBug("another driver's swap chain was resized".into()))),
        }
        Ok(())
    }

    fn present(
        &self,
        mut cx: Entry<'_>,
        swap_chain: &DriverObject,
        back_buffer: ResourceHandle,
        sync_interval: u32,
    ) -> Result<PresentStatus, PresentError> {
        let bug = |words: &'static str| PresentError::Bug(DriverBug(words.into()));
        let inner = Cx::enter(&mut cx).ok_or_else(|| PresentError::Bug(foreign()))?;
        let device = inner.pen.r.device.clone();
        let removed = || PresentError::DeviceRemoved("the device is lost".into());
        if device.is_lost() {
            return Err(removed());
        }
        let swap_chain = swap_chain.downcast_ref::<SwapChain>().ok_or(bug("another driver's swap chain is presented"))?;
        let from = inner.resource_arc(back_buffer).ok_or(bug("a back buffer is not open"))?;
        let Some(texture) = swap_chain.acquire(&device, sync_interval)? else {
            submit(&mut cx, None);
            return Ok(PresentStatus::Occluded);
        };
        let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("present") });
        swap_chain.blit(&device, &mut encoder, &from, &texture);
        submit(&mut cx, Some(encoder.finish())).ok_or_else(removed)?;
        swap_chain.present(&device, texture);
        Ok(PresentStatus::Presented)
    }
}
