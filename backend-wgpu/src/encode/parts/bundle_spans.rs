//! Bundle spans: the draws of a list's page that are recorded into render bundles.

use std::{ops::Range, sync::Arc};

use crossbeam_queue::ArrayQueue;
use onze_ddi::DsvFlags;

use crate::{
    encode::parts::{
        accesses::AccessRange,
        hash::SlabIndex,
        member_uses::CastRead,
        merging::{MergePlan, WaitingDraw},
        passes::{OpenPass, PassState},
        pipelines::CompiledPipeline,
        ranges::TARGETS,
        targets::TargetSet,
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
pub(in crate::encode) struct PageReplay(ArrayQueue<RememberedEncoding>);

impl Default for PageReplay {
    fn default() -> Self {
        let place = ArrayQueue::new(1);
        // A new queue has room.
        drop(place.push(RememberedEncoding::default()));
        Self(place)
    }
}

impl PageReplay {
    pub(in crate::encode) fn take(page: &Page) -> Option<RememberedEncoding> {
        page.encoding.get_or_init::<Self>()?.0.pop()
    }

    pub(in crate::encode) fn put(page: &Page, remembered: RememberedEncoding) {
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
pub(in crate::encode) struct RememberedEncoding {
    /// It was encoded with these imports: number, and [`Identity::numbers`].
    imports: Option<Vec<(u32, [u64; 3])>>,
    /// And with these least levels of textures.
    min_lods: MinLods,
    /// With both being the same.
    pub(in crate::encode) spans: Option<Arc<[BundleSpan]>>,
}

pub(in crate::encode) fn meaning(imports: &[Identity], at: u32) -> [u64; 3] {
    imports.get(at as usize).map_or([0; 3], Identity::numbers)
}

/// The imports that a bundle of a page depends on, each once.
pub(in crate::encode) fn imports(page: &RunPage) -> Vec<(u32, [u64; 3])> {
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
    pub(in crate::encode) fn knows(&mut self, page: &RunPage) -> bool {
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
pub(in crate::encode) struct PagePosition {
    /// Commands before it.
    pub(in crate::encode) command: usize,
    /// Draws of the command at it that are before it, too.
    pub(in crate::encode) draw: usize,
}

/// A bundle, and what it takes to execute it.
#[derive(Debug)]
pub(in crate::encode) struct Bundle {
    pub(in crate::encode) bundle: wgpu::RenderBundle,
    /// One of its pipelines whose draws depend on the stencil reference, if there is one. wgpu gives a pass's
    /// reference to the GPU when a pipeline is set that reads it, and does not look at those of bundles
    /// (gfx-rs/wgpu#4104): set in the pass before the bundle, it brings the reference there.
    pub(in crate::encode) stencil: Option<wgpu::RenderPipeline>,
}

impl Bundle {
    pub(in crate::encode) fn execute(&self, pass: &mut wgpu::RenderPass<'static>) {
        if let Some(pipeline) = &self.stencil {
            pass.set_pipeline(pipeline);
        }
        pass.execute_bundles([&self.bundle]);
    }
}

/// Commands of a page that a bundle stands for.
#[derive(Debug)]
pub(in crate::encode) struct BundleSpan {
    pub(in crate::encode) commands: Range<PagePosition>,
    pub(in crate::encode) bundle: Bundle,
    /// Draws among them, skipped ones too.
    pub(in crate::encode) draws: u32,
    /// What they read.
    pub(in crate::encode) reads: Vec<AccessRange>,
    /// What they read of textures of typeless formats.
    pub(in crate::encode) casts: Vec<CastRead>,
}

/// How a page is encoded.
pub(in crate::encode) enum EncodeMode {
    Direct,
    Record(RememberedEncoding),
    Replay(Arc<[BundleSpan]>),
}

/// One command of a bundle.
#[derive(Debug)]
pub(in crate::encode) enum BundleOp<'r> {
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
    pub(in crate::encode) ops: Vec<BundleOp<'r>>,
    pub(in crate::encode) offsets: Vec<u32>,
    /// The last draw, if others may be merged with it.
    waiting: Option<WaitingDraw>,
    pub(in crate::encode) first: PagePosition,
    pub(in crate::encode) end: PagePosition,
    /// What [`crate::encode::EncodeStats::draws`] was before the first draw, and after the last.
    pub(in crate::encode) draws: Range<u32>,
    /// Of the pass.
    pub(in crate::encode) formats: [Option<wgpu::TextureFormat>; TARGETS],
    pub(in crate::encode) colors: usize,
    pub(in crate::encode) depth: Option<wgpu::RenderBundleDepthStencil>,
    pub(in crate::encode) samples: u32,
}

impl BundleBuilder<'_> {
    pub(in crate::encode) fn new(targets: &TargetSet<'_>, first: PagePosition, draws: u32) -> Self {
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

    pub(in crate::encode) fn make_waiting(&mut self) {
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
    pub(in crate::encode) at: PagePosition,
    /// The open span.
    pub(in crate::encode) open: Option<BundleBuilder<'r>>,
    pub(in crate::encode) spans: Vec<BundleSpan>,
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
