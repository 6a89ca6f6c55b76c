//! Bundles: the draws of a command list's page, encoded once and executed many times.
//!
//! wgpu checks every command when an encoder is finished, which is most of the cost of a draw. It checks the commands
//! of a render bundle once. So the second time that a list's page is encoded with the same imports, its draws are
//! recorded into bundles, which stay with the page and are executed from then on. The first time records nothing,
//! because most lists are executed once.
//!
//! A bundle holds a *span* of commands: draws and the setters between them. A span ends
//!
//! * where a pass would end,
//! * at a command that is neither a draw nor a setter,
//! * where state changes that a bundle cannot hold: viewport, scissor, blend factor and stencil reference.
//!
//! A page begins with the whole state, so a span depends on the page and its imports only: on the buffers and views
//! that draws read. A target that is an import may mean another texture, as the pass has the targets; copies are
//! encoded each time. There are three exceptions:
//!
//! * Clears that wait and hoisted copies: when a bundle is executed, its span tells [`crate::encode::accesses`] what it reads.
//! * Padded copies of buffers ([`crate::encode::emulate::guard`]): each draw makes its own, so such draws are in no span.
//! * Open queries: while one is open, no bundle is executed.

use std::{ops::Range, sync::Arc};

use crossbeam_queue::ArrayQueue;
use onze_ddi::DsvFlags;

use crate::{
    encode::{
        emulate::casts::CastRead,
        encoder::Encoder,
        parts::{
            accesses::AccessRange,
            hash::SlabIndex,
            merging::{MergePlan, WaitingDraw},
            page_objects::PageObjects,
            passes::{OpenPass, PassState},
            pipelines::CompiledPipeline,
            ranges::TARGETS,
            targets::TargetSet,
            vertices::DrawArea,
        },
    },
    objects::{identity::Identity, shader::PULL_GROUP},
    record::{
        min_lods::MinLods,
        object_table::PageObject,
        page::{InstancedDraw, Page},
        run_page::RunPage,
    },
};

/// What the encoder keeps in a page of a list. Who encodes the page takes it out: another thread that does so at the
/// same time finds none and does without.
#[derive(Debug)]
struct PageReplay(ArrayQueue<RememberedEncoding>);

impl Default for PageReplay {
    fn default() -> Self {
        let place = ArrayQueue::new(1);
        // A new queue has room.
        drop(place.push(RememberedEncoding::default()));
        Self(place)
    }
}

impl PageReplay {
    fn take(page: &Page) -> Option<RememberedEncoding> {
        page.encoding.get_or_init::<Self>()?.0.pop()
    }

    fn put(page: &Page, remembered: RememberedEncoding) {
        let has_bundles = remembered.spans.as_ref().is_some_and(|spans| !spans.is_empty());
        page.encoding.set_replayed(has_bundles);
        if let Some(replay) = page.encoding.get_or_init::<Self>() {
            // It was taken out of there, so there is room.
            drop(replay.0.push(remembered));
        }
    }
}

/// How a page was encoded; nothing before the first time.
#[derive(Debug, Default)]
struct RememberedEncoding {
    /// It was encoded with these imports: number, and [`Identity::numbers`].
    imports: Option<Vec<(u32, [u64; 3])>>,
    /// And with these least levels of textures.
    min_lods: MinLods,
    /// With both being the same.
    spans: Option<Arc<[BundleSpan]>>,
}

fn meaning(imports: &[Identity], at: u32) -> [u64; 3] {
    imports.get(at as usize).map_or([0; 3], Identity::numbers)
}

/// The imports that a bundle of a page depends on, each once.
fn imports(page: &RunPage) -> Vec<(u32, [u64; 3])> {
    if page.imports.is_empty() {
        return Vec::new();
    }
    let bound = page.page.commands.iter().flat_map(|command| command.bundled());
    let mut imports: Vec<_> = bound
        .filter_map(|object| match page.objects.get(object)? {
            PageObject::Import(at) => Some((*at, [0; 3])),
            PageObject::Buffer(_)
            | PageObject::Resource(_)
            | PageObject::Texture(_)
            | PageObject::View(_)
            | PageObject::Shader(_)
            | PageObject::ElementLayout(_)
            | PageObject::BlendState(_)
            | PageObject::DepthStencilState(_)
            | PageObject::RasterizerState(_)
            | PageObject::Sampler(_) => None,
        })
        .collect();
    imports.sort_unstable();
    imports.dedup();
    imports
}

impl RememberedEncoding {
    /// Whether the page's imports are the same; if not, or if it is new, they are noted.
    fn knows(&mut self, page: &RunPage) -> bool {
        let meaning = |at: u32| meaning(&page.imports, at);
        let same = self.imports.as_ref().map(|known| known.iter().all(|(at, was)| meaning(*at) == *was));
        let same = same.map(|same| same && self.min_lods == page.min_lods);
        if same != Some(true) {
            // Which imports a page binds never changes.
            let mut imports = self.imports.take().unwrap_or_else(|| imports(page));
            imports.iter_mut().for_each(|(at, was)| *was = meaning(*at));
            *self = Self { imports: Some(imports), min_lods: page.min_lods.clone(), spans: None };
        }
        same == Some(true)
    }
}

/// A place between two draws of a page.
#[derive(Copy, Clone, Debug, Default)]
struct PagePosition {
    /// Commands before it.
    command: usize,
    /// Draws of the command at it that are before it, too.
    draw: usize,
}

/// A bundle, and what it takes to execute it.
#[derive(Debug)]
struct Bundle {
    bundle: wgpu::RenderBundle,
    /// One of its pipelines whose draws depend on the stencil reference, if there is one. wgpu gives a pass's
    /// reference to the GPU when a pipeline is set that reads it, and does not look at those of bundles
    /// (gfx-rs/wgpu#4104): set in the pass before the bundle, it brings the reference there.
    stencil: Option<wgpu::RenderPipeline>,
}

impl Bundle {
    fn execute(&self, pass: &mut wgpu::RenderPass<'static>) {
        if let Some(pipeline) = &self.stencil {
            pass.set_pipeline(pipeline);
        }
        pass.execute_bundles([&self.bundle]);
    }
}

/// Commands of a page that a bundle stands for.
#[derive(Debug)]
struct BundleSpan {
    commands: Range<PagePosition>,
    bundle: Bundle,
    /// Draws among them, skipped ones too.
    draws: u32,
    /// What they read.
    reads: Vec<AccessRange>,
    /// What they read of textures of typeless formats.
    casts: Vec<CastRead>,
}

/// How a page is encoded.
enum EncodeMode {
    Direct,
    Record(RememberedEncoding),
    Replay(Arc<[BundleSpan]>),
}

/// One command of a bundle.
#[derive(Debug)]
enum BundleOp<'r> {
    Pipeline(SlabIndex),
    /// With the number of its dynamic offsets.
    Group(u32, SlabIndex, usize),
    /// Of pulled vertex buffers.
    Pulled(SlabIndex),
    Vertex(u32, wgpu::BufferSlice<'r>),
    Index(wgpu::BufferSlice<'r>, wgpu::IndexFormat),
    Draw(Range<u32>, Range<u32>),
    DrawIndexed(Range<u32>, i32, Range<u32>),
}

/// A span on its way.
#[derive(Debug)]
pub(in crate::encode) struct BundleBuilder<'r> {
    ops: Vec<BundleOp<'r>>,
    offsets: Vec<u32>,
    /// The last draw, if others may be merged with it.
    waiting: Option<WaitingDraw>,
    first: PagePosition,
    end: PagePosition,
    /// What [`crate::encode::EncodeStats::draws`] was before the first draw, and after the last.
    draws: Range<u32>,
    /// Of the pass.
    formats: [Option<wgpu::TextureFormat>; TARGETS],
    colors: usize,
    depth: Option<wgpu::RenderBundleDepthStencil>,
    samples: u32,
}

impl BundleBuilder<'_> {
    fn new(targets: &TargetSet<'_>, first: PagePosition, draws: u32) -> Self {
        let read_only = targets.read_only;
        Self {
            ops: Vec::new(),
            offsets: Vec::new(),
            waiting: None,
            first,
            end: first,
            draws: draws..draws,
            formats: targets.color.map(|view| view.map(|view| view.format)),
            colors: targets.colors,
            depth: targets.depth.map(|view| wgpu::RenderBundleDepthStencil {
                format: view.format,
                depth_read_only: read_only.contains(DsvFlags::READ_ONLY_DEPTH),
                stencil_read_only: read_only.contains(DsvFlags::READ_ONLY_STENCIL),
            }),
            samples: targets.samples,
        }
    }
}

impl<'r> BundleBuilder<'r> {
    /// Adds what comes after all draws.
    fn push(&mut self, op: BundleOp<'r>) {
        self.make_waiting();
        self.ops.push(op);
    }

    fn make_waiting(&mut self) {
        if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            self.draw(indexed, &args);
        }
    }

    /// Adds a draw, while none waits.
    fn draw(&mut self, indexed: bool, args: &InstancedDraw) {
        let Some((range, instances)) = args.ranges() else { return };
        self.ops.push(if indexed {
            BundleOp::DrawIndexed(range, args.base_vertex, instances)
        } else {
            BundleOp::Draw(range, instances)
        });
    }
}

/// A page whose draws go into bundles.
#[derive(Debug, Default)]
pub(in crate::encode) struct BundleRecording<'r> {
    /// The draw, or the command, that is being encoded.
    at: PagePosition,
    /// The open span.
    pub(in crate::encode) open: Option<BundleBuilder<'r>>,
    spans: Vec<BundleSpan>,
}

/// Where draws go, with what they bind.
pub(in crate::encode) enum DrawSink<'a, 'r> {
    Pass(&'a mut OpenPass),
    Bundle(&'a mut BundleBuilder<'r>),
}

impl<'a, 'r> DrawSink<'a, 'r> {
    /// The open span, or else the open pass.
    #[inline]
    pub(in crate::encode) fn of(
        pass: &'a mut PassState,
        recording: &'a mut Option<Box<BundleRecording<'r>>>,
    ) -> Option<Self> {
        match recording {
            Some(recording) if recording.open.is_some() => recording.open.as_mut().map(Self::Bundle),
            Some(_) | None => pass.render().map(Self::Pass),
        }
    }

    pub(in crate::encode) fn set_pipeline(&mut self, place: SlabIndex, compiled: &CompiledPipeline) {
        match self {
            Self::Pass(open) => open.pass().set_pipeline(&compiled.pipeline),
            Self::Bundle(to) => to.push(BundleOp::Pipeline(place)),
        }
    }

    #[inline]
    pub(in crate::encode) fn set_group(
        &mut self,
        at: u32,
        place: SlabIndex,
        group: &wgpu::BindGroup,
        offsets: &[u32],
    ) {
        match self {
            Self::Pass(open) => open.pass().set_bind_group(at, group, offsets),
            Self::Bundle(to) => {
                to.offsets.extend_from_slice(offsets);
                to.push(BundleOp::Group(at, place, offsets.len()));
            }
        }
    }

    /// Sets the group of vertex buffers that the shader pulls.
    pub(in crate::encode) fn set_pulled(&mut self, place: SlabIndex, group: &wgpu::BindGroup) {
        match self {
            Self::Pass(open) => open.pass().set_bind_group(PULL_GROUP as u32, group, &[]),
            Self::Bundle(to) => to.push(BundleOp::Pulled(place)),
        }
    }

    pub(in crate::encode) fn set_vertex_buffer(&mut self, slot: u32, slice: wgpu::BufferSlice<'r>) {
        match self {
            Self::Pass(open) => open.pass().set_vertex_buffer(slot, slice),
            Self::Bundle(to) => to.push(BundleOp::Vertex(slot, slice)),
        }
    }

    pub(in crate::encode) fn set_index_buffer(
        &mut self,
        slice: wgpu::BufferSlice<'r>,
        format: wgpu::IndexFormat,
    ) {
        match self {
            Self::Pass(open) => open.pass().set_index_buffer(slice, format),
            Self::Bundle(to) => to.push(BundleOp::Index(slice, format)),
        }
    }

    /// Draws; whether the draw became an instance of the one before it.
    #[inline]
    pub(in crate::encode) fn draw(
        &mut self,
        indexed: bool,
        args: InstancedDraw,
        merging: Option<MergePlan>,
    ) -> bool {
        let waiting = match self {
            Self::Pass(open) => &mut open.waiting,
            Self::Bundle(to) => &mut to.waiting,
        };
        let merging = merging.filter(|_| args.instance_count == 1);
        if let Some((waiting, merging)) = waiting.as_mut().zip(merging)
            && waiting.merge(indexed, &args, merging)
        {
            return true;
        }
        match (self, merging) {
            (Self::Pass(open), None) => {
                open.pass();
                open.draw(indexed, &args);
            }
            (Self::Bundle(to), None) => {
                to.make_waiting();
                to.draw(indexed, &args);
            }
            (Self::Pass(open), Some(merging)) => {
                open.pass();
                open.waiting = Some(WaitingDraw::new(indexed, args, merging));
            }
            (Self::Bundle(to), Some(merging)) => {
                to.make_waiting();
                to.waiting = Some(WaitingDraw::new(indexed, args, merging));
            }
        }
        false
    }
}

/// How a page is to be encoded now.
fn encode_mode(run_page: &RunPage, least_draws: u32) -> EncodeMode {
    let page = &run_page.page;
    if !page.is_listed || run_page.scopes.is_some() || page.draws < least_draws {
        return EncodeMode::Direct;
    }
    let Some(mut remembered) = PageReplay::take(page) else { return EncodeMode::Direct };
    let knows = remembered.knows(run_page);
    let spans = remembered.spans.clone();
    if knows && spans.is_none() {
        return EncodeMode::Record(remembered);
    }
    PageReplay::put(page, remembered);
    spans.map_or(EncodeMode::Direct, EncodeMode::Replay)
}

/// Makes the commands of a span in a pass or in a bundle. wgpu has a trait for both, but it wants pipelines that
/// live as long as the pass.
macro_rules! play {
    ($ops:expr, $caches:expr => $to:expr) => {{
        let mut used = 0;
        for op in &$ops.ops {
            match op {
                BundleOp::Pipeline(place) => {
                    if let Some(Some(compiled)) = $caches.pipelines.pipelines.get(*place) {
                        $to.set_pipeline(&compiled.pipeline);
                    }
                }
                BundleOp::Group(at, place, count) => {
                    let offsets = $ops.offsets.get(used..used + count).unwrap_or_default();
                    used += count;
                    if let Some(group) = $caches.groups.0.get(*place) {
                        $to.set_bind_group(*at, group, offsets);
                    }
                }
                BundleOp::Pulled(place) => {
                    if let Some(group) = $caches.pulled.get(*place) {
                        $to.set_bind_group(PULL_GROUP as u32, group, &[]);
                    }
                }
                BundleOp::Vertex(slot, slice) => $to.set_vertex_buffer(*slot, *slice),
                BundleOp::Index(slice, format) => $to.set_index_buffer(*slice, *format),
                BundleOp::Draw(vertices, instances) => $to.draw(vertices.clone(), instances.clone()),
                BundleOp::DrawIndexed(indices, base_vertex, instances) => {
                    $to.draw_indexed(indices.clone(), *base_vertex, instances.clone());
                }
            }
        }
    }};
}

impl<'r> Encoder<'r> {
    /// Encodes the commands of a page.
    pub(in crate::encode) fn encode_commands(&mut self, run_page: &'r RunPage, objects: &PageObjects<'r>) {
        let page = &*run_page.page;
        match encode_mode(run_page, self.least_draws()) {
            EncodeMode::Direct => self.encode(page, objects, &page.commands),
            EncodeMode::Record(remembered) => self.record(page, objects, remembered),
            EncodeMode::Replay(spans) => self.replay(page, objects, &spans),
        }
    }

    fn least_draws(&self) -> u32 {
        let policy = &self.gpu.policy;
        policy.bundle_draws.map_or(u32::MAX, |draws| draws.min(policy.page_draws))
    }

    fn record(&mut self, page: &'r Page, objects: &PageObjects<'r>, mut remembered: RememberedEncoding) {
        self.recording = Some(Box::default());
        self.accesses.take_notes();
        self.casts.take_notes();
        for (at, command) in page.commands.iter().enumerate() {
            if let Some(recording) = &mut self.recording {
                recording.at = PagePosition { command: at, draw: 0 };
            }
            self.encode(page, objects, std::slice::from_ref(command));
        }
        self.finish_bundle();
        self.accesses.drop_notes();
        self.casts.drop_notes();
        let Some(recording) = self.recording.take() else { return };
        remembered.spans = Some(recording.spans.into());
        PageReplay::put(page, remembered);
    }

    fn replay(&mut self, page: &'r Page, objects: &PageObjects<'r>, spans: &[BundleSpan]) {
        let mut at = PagePosition { command: 0, draw: 0 };
        for span in spans {
            let Range { start, end } = span.commands;
            self.encode_between(page, objects, at, start);
            self.replay_span(span);
            at = end;
            if end.command < page.commands.len() {
                let setters = page.commands.get(start.command..end.command).unwrap_or_default();
                for command in setters.iter().filter(|command| !command.is_draw()) {
                    self.encode(page, objects, std::slice::from_ref(command));
                }
            }
        }
        self.encode_between(page, objects, at, PagePosition { command: page.commands.len(), draw: 0 });
    }

    /// Encodes what lies between two positions, of which either may be in the midst of a command.
    fn encode_between(
        &mut self,
        page: &'r Page,
        objects: &PageObjects<'r>,
        start: PagePosition,
        end: PagePosition,
    ) {
        let whole = if start.draw == 0 { start.command } else { start.command + 1 };
        if whole > start.command {
            let last = if start.command == end.command { end.draw } else { usize::MAX };
            self.draw_part(page, start.command, start.draw..last);
        }
        self.encode(page, objects, page.commands.get(whole..end.command).unwrap_or_default());
        if end.draw > 0 && whole <= end.command {
            self.draw_part(page, end.command, 0..end.draw);
        }
    }

    fn draw_part(&mut self, page: &'r Page, at: usize, part: Range<usize>) {
        if let Some(command) = page.commands.get(at) {
            self.encode_draws(page, *command, part);
        }
    }

    fn replay_span(&mut self, span: &BundleSpan) {
        self.stats.draws += span.draws;
        self.ready.forget();
        self.resolve_targets();
        self.resolve_area();
        // Both are as they were when the bundle was made.
        let Some(area) = self.area.filter(|_| self.targets.drawable) else { return };
        span.reads.iter().for_each(|part| self.reads(*part));
        self.reads_noted_members(&span.casts);
        if !self.pass_writes.is_empty() {
            // The bundle may read what draws of the pass wrote.
            self.end_pass();
        }
        self.open_pass();
        self.bind_dynamic_state(&area);
        if let Some(open) = self.pass.render() {
            span.bundle.execute(open.pass());
        }
        self.forget_objects();
    }

    /// Before a draw binds anything in the open pass: begins or ends a span. `fits`: the draw may be in
    /// one.
    pub(in crate::encode) fn choose_bundle(&mut self, area: &DrawArea, fits: bool) {
        let Some(recording) = &self.recording else { return };
        let (is_open, at) = (recording.open.is_some(), recording.at);
        if is_open && fits && self.has_dynamic_state(area) {
            return;
        }
        self.finish_bundle();
        if !fits {
            return;
        }
        self.bind_dynamic_state(area);
        self.forget_objects();
        // The draw that begins it is counted already.
        let ops = BundleBuilder::new(&self.targets, at, self.stats.draws - 1);
        if let Some(recording) = &mut self.recording {
            recording.open = Some(ops);
        }
    }

    /// Notes which draw of a command comes next.
    #[inline]
    pub(in crate::encode) fn begin_in_bundle(&mut self, draw: usize) {
        if let Some(recording) = &mut self.recording {
            recording.at.draw = draw;
        }
    }

    /// Notes that draws went into the open span, if there is one: up to this one of the `all` of a command.
    #[inline]
    pub(in crate::encode) fn end_in_bundle(&mut self, draw: usize, all: usize) {
        if let Some(recording) = &mut self.recording
            && let Some(open) = &mut recording.open
        {
            let command = recording.at.command;
            open.end = if draw < all {
                PagePosition { command, draw }
            } else {
                PagePosition { command: command + 1, draw: 0 }
            };
            open.draws.end = self.stats.draws;
        }
    }

    /// Ends the open span: makes its bundle and executes it, or what is in it if that is little.
    pub(in crate::encode) fn finish_bundle(&mut self) {
        let Some(mut ops) = self.recording.as_mut().and_then(|recording| recording.open.take()) else {
            return;
        };
        ops.make_waiting();
        let draws = ops.draws.end - ops.draws.start;
        if draws < self.least_draws() {
            self.play(&ops);
            return;
        }
        let bundle = self.make_bundle(&ops);
        if let Some(open) = self.pass.render() {
            bundle.execute(open.pass());
        }
        self.forget_objects();
        self.ready.forget();
        if let Some(recording) = &mut self.recording {
            let (commands, reads, casts) = (ops.first..ops.end, self.accesses.notes(), self.casts.notes());
            recording.spans.push(BundleSpan { commands, bundle, draws, reads, casts });
        }
    }

    /// Makes the commands of a span in the open pass.
    fn play(&mut self, ops: &BundleBuilder<'_>) {
        if let Some(open) = self.pass.render() {
            let pass = open.pass();
            play!(ops, self.caches => pass);
        }
    }

    fn make_bundle(&self, ops: &BundleBuilder<'_>) -> Bundle {
        let desc = wgpu::RenderBundleEncoderDescriptor {
            label: Some("draws of a list"),
            color_formats: ops.formats.get(..ops.colors).unwrap_or_default(),
            depth_stencil: ops.depth,
            sample_count: ops.samples,
            multiview: None,
        };
        let mut bundle = self.gpu.device.create_render_bundle_encoder(&desc);
        play!(ops, self.caches => bundle);
        let bundle = bundle.finish(&wgpu::RenderBundleDescriptor { label: Some("draws of a list") });
        let pipelines = ops.ops.iter().filter_map(|op| match op {
            BundleOp::Pipeline(place) => self.caches.pipelines.pipelines.get(*place)?.as_ref(),
            BundleOp::Group(..)
            | BundleOp::Pulled(_)
            | BundleOp::Vertex(..)
            | BundleOp::Index(..)
            | BundleOp::Draw(..)
            | BundleOp::DrawIndexed(..) => None,
        });
        let stencil =
            pipelines.filter(|compiled| compiled.reads_stencil_ref).map(|c| c.pipeline.clone()).next();
        Bundle { bundle, stencil }
    }
}
