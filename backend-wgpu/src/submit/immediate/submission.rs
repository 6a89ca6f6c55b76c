//! Submissions: of everything recorded, or of the runs that are already encoded.

use std::sync::Arc;

use onze_ddi::{ContextError, DeviceRemoved, Entry, RenderArgs};

use super::{Immediate, ImmediateRecorder, ImmediateScope, page_full};
use crate::{
    encode::{
        EncodedRun,
        parts::{
            multi_draw::DrawArguments,
            query_segments::{CountedScope, SegmentSet},
        },
    },
    objects::{query::QueryEvent, resource::Resource},
    record::upload::BufferWrite,
    services::gpu::Gpu,
    submit::DeviceSubmission,
};

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

pub(super) fn submit_without_preamble(
    entry: &mut Entry<'_>,
    extra: Option<wgpu::CommandBuffer>,
) -> Option<wgpu::SubmissionIndex> {
    let mut scope = ImmediateScope::enter(entry)?;
    scope.take_page_back();
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
pub(super) fn submit_early(entry: &mut Entry<'_>) {
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
pub(super) fn submit_finished(entry: &mut Entry<'_>) {
    let Some(mut scope) = ImmediateScope::enter(entry) else {
        return;
    };
    let device = scope.writer.r.end.device.clone();
    let encoded = scope.writer.r.end.pool.take_finished();
    if encoded.is_empty() {
        return;
    }
    scope.take_page_back();
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
    /// Writes all bytes for the next submission into the belt.
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
        if spent {
            device.gpu.lose("the GPU is out of memory");
        }
        device.counters.uploaded(of_new + sent);
    }

    /// Adds the arguments of multi-draws to the belt, and returns its copies, which must precede all other
    /// commands of the submission.
    fn finish_uploads(
        &mut self,
        device: &DeviceSubmission,
        arguments: &[DrawArguments],
    ) -> Option<wgpu::CommandBuffer> {
        let belt = &mut self.writer.r.end.belt;
        let mut sent = 0;
        let mut write = |arguments: &DrawArguments| {
            let written = BufferWrite { buffer: &arguments.buffer, offset: 0, bytes: arguments.bytes() };
            sent += written.bytes.len() as u64;
            belt.write(&device.gpu, &written)
        };
        let is_written = arguments.iter().try_for_each(&mut write).is_some();
        let has_copies = belt.has_copies();
        let copies = belt.finish(&device.gpu);
        if !is_written || (copies.is_none() && has_copies) {
            device.gpu.lose("the GPU is out of memory");
        }
        device.counters.uploaded(sent);
        copies
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
        let mut arguments = Vec::new();
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
            arguments.extend(run.arguments);
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
        let is_work = !device.gpu.is_lost() && !buffers.is_empty();
        let uploads = if is_work { self.finish_uploads(&device, &arguments) } else { None };
        let index = if device.gpu.is_lost() {
            self.tell_lost();
            self.writer.r.uploads.forget_spills();
            self.writer.r.end.unsent.clear();
            None
        } else if buffers.is_empty() {
            None
        } else {
            self.hand_over(&device, uploads, buffers, draws)
        };
        device.encoding.put_arguments(arguments);
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
        uploads: Option<wgpu::CommandBuffer>,
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
}

/// Waits for a submission, and removes the device if that fails.
pub(super) fn wait(gpu: &Gpu, index: wgpu::SubmissionIndex) -> Result<(), DeviceRemoved> {
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
