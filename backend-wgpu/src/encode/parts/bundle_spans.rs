//! Bundle spans: consecutive draws of a command list's page that are recorded into render bundles.

use std::{ops::Range, sync::Arc};

use crossbeam_queue::ArrayQueue;
use onze_ddi::DsvFlags;

use crate::{
    encode::parts::{
        accesses::AccessRange,
        hash::SlabIndex,
        member_uses::CastRead,
        merging::{MergePlan, WaitingDraw, merges},
        passes::{CurrentPass, OpenPass},
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

/// The encoder's memory of a list's page, which the thread that encodes the page takes out. Another thread
/// that encodes the page at the same time finds nothing and encodes it without bundles.
#[derive(Debug)]
pub(crate) struct PageReplay(ArrayQueue<RememberedEncoding>);

impl Default for PageReplay {
    fn default() -> Self {
        let place = ArrayQueue::new(1);
        drop(place.push(RememberedEncoding::default()));
        Self(place)
    }
}

impl PageReplay {
    pub(crate) fn take(page: &Page) -> Option<RememberedEncoding> {
        page.encoding.get_or_init::<Self>()?.0.pop()
    }

    pub(crate) fn put(page: &Page, remembered: RememberedEncoding) {
        let has_bundles = remembered.spans.as_ref().is_some_and(|spans| !spans.is_empty());
        page.encoding.set_replayed(has_bundles);
        if let Some(replay) = page.encoding.get_or_init::<Self>() {
            // The value was taken out of this queue, so there is room.
            drop(replay.0.push(remembered));
        }
    }
}

/// The inputs and the bundles of a page's last encoding, which are empty before the first one.
#[derive(Debug, Default)]
pub(crate) struct RememberedEncoding {
    /// The imports of that time: their indices and [`Identity::numbers`].
    imports: Option<Vec<(u32, [u64; 3])>>,
    /// The minimum mip levels of textures at that time.
    min_lods: MinLods,
    /// The spans, which are valid while the imports and the minimum mip levels are the same.
    pub(crate) spans: Option<Arc<[BundleSpan]>>,
}

pub(crate) fn meaning(imports: &[Identity], at: u32) -> [u64; 3] {
    imports.get(at as usize).map_or([0; 3], Identity::numbers)
}

/// Returns the imports that a page's bundles depend on, without duplicates.
pub(crate) fn imports(page: &RunPage) -> Vec<(u32, [u64; 3])> {
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
    /// Returns whether the page's imports and minimum mip levels are the same as before. If not, or if the
    /// page is new, they are stored and the spans are dropped.
    pub(crate) fn knows(&mut self, page: &RunPage) -> bool {
        let meaning = |at: u32| meaning(&page.imports, at);
        let same = self.imports.as_ref().map(|known| known.iter().all(|(at, was)| meaning(*at) == *was));
        let same = same.map(|same| same && self.min_lods == page.min_lods);
        if same != Some(true) {
            // The set of imports that a page binds never changes.
            let mut imports = self.imports.take().unwrap_or_else(|| imports(page));
            imports.iter_mut().for_each(|(at, was)| *was = meaning(*at));
            *self = Self { imports: Some(imports), min_lods: page.min_lods.clone(), spans: None };
        }
        same == Some(true)
    }
}

/// A position between two draws of a page.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct PagePosition {
    pub(crate) command: usize,
    /// Number of draws of the command at the position that are before it.
    pub(crate) draw: usize,
}

/// A bundle and the pipeline that must be set before it is executed.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub(crate) bundle: wgpu::RenderBundle,
    /// A pipeline of the bundle whose draws depend on the stencil reference, if there is one. wgpu passes a
    /// pass's reference to the GPU only when a pipeline that reads it is set, and it ignores the pipelines of
    /// bundles (gfx-rs/wgpu#4104). Therefore this pipeline is set in the pass before the bundle is executed.
    pub(crate) stencil: Option<wgpu::RenderPipeline>,
}

impl Bundle {
    pub(crate) fn execute(&self, pass: &mut wgpu::RenderPass<'static>) {
        if let Some(pipeline) = &self.stencil {
            pass.set_pipeline(pipeline);
        }
        pass.execute_bundles([&self.bundle]);
    }
}

/// Commands of a page that are replaced by executing a bundle.
#[derive(Debug)]
pub(crate) struct BundleSpan {
    pub(crate) commands: Range<PagePosition>,
    pub(crate) bundle: Bundle,
    /// Number of draws among the commands, including skipped draws.
    pub(crate) draws: u32,
    pub(crate) reads: Vec<AccessRange>,
    /// The reads of textures that have a typeless family.
    pub(crate) casts: Vec<CastRead>,
}

pub(crate) enum EncodeMode {
    Direct,
    Record(RememberedEncoding),
    Replay(Arc<[BundleSpan]>),
}

#[derive(Debug)]
pub(crate) enum BundleOp<'r> {
    Pipeline(SlabIndex),
    /// A bind group: its index, its slot in the cache, and its number of dynamic offsets.
    Group(u32, SlabIndex, usize),
    Pulled(SlabIndex),
    Vertex(u32, wgpu::BufferSlice<'r>),
    Index(wgpu::BufferSlice<'r>, wgpu::IndexFormat),
    Draw(Range<u32>, Range<u32>),
    DrawIndexed(Range<u32>, i32, Range<u32>),
}

#[derive(Debug)]
pub(crate) struct BundleBuilder<'r> {
    pub(crate) ops: Vec<BundleOp<'r>>,
    pub(crate) offsets: Vec<u32>,
    /// The last draw, if others may be merged with it.
    waiting: Option<WaitingDraw>,
    pub(crate) first: PagePosition,
    pub(crate) end: PagePosition,
    /// Value of [`EncodeStats::draws`](crate::encode::run::EncodeStats::draws) before the first draw and
    /// after the last.
    pub(crate) draws: Range<u32>,
    pub(crate) formats: [Option<wgpu::TextureFormat>; TARGETS],
    pub(crate) colors: usize,
    pub(crate) depth: Option<wgpu::RenderBundleDepthStencil>,
    pub(crate) samples: u32,
}

impl BundleBuilder<'_> {
    pub(crate) fn new(targets: &TargetSet<'_>, first: PagePosition, draws: u32) -> Self {
        let read_only = targets.read_only();
        Self {
            ops: Vec::new(),
            offsets: Vec::new(),
            waiting: None,
            first,
            end: first,
            draws: draws..draws,
            formats: targets.color().map(|view| view.map(|view| view.format)),
            colors: targets.color_count(),
            depth: targets.depth().map(|view| wgpu::RenderBundleDepthStencil {
                format: view.format,
                depth_read_only: read_only.contains(DsvFlags::READ_ONLY_DEPTH),
                stencil_read_only: read_only.contains(DsvFlags::READ_ONLY_STENCIL),
            }),
            samples: targets.samples(),
        }
    }
}

impl<'r> BundleBuilder<'r> {
    /// Adds a command that must come after all earlier draws.
    fn push(&mut self, op: BundleOp<'r>) {
        self.make_waiting();
        self.ops.push(op);
    }

    /// Adds the draw that waits for merging, if there is one.
    pub(crate) fn make_waiting(&mut self) {
        if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            self.add_draw(indexed, &args);
        }
    }

    /// Adds a draw, and returns whether it became an instance of the draw before it.
    #[inline]
    fn draw(&mut self, indexed: bool, args: InstancedDraw, merging: Option<MergePlan>) -> bool {
        if merges(&mut self.waiting, indexed, &args, merging) {
            return true;
        }
        self.make_waiting();
        match merging {
            None => self.add_draw(indexed, &args),
            Some(merging) => self.waiting = Some(WaitingDraw::new(indexed, args, merging)),
        }
        false
    }

    /// Adds a draw, while none waits for merging.
    fn add_draw(&mut self, indexed: bool, args: &InstancedDraw) {
        let Some((range, instances)) = args.ranges() else { return };
        self.ops.push(if indexed {
            BundleOp::DrawIndexed(range, args.base_vertex, instances)
        } else {
            BundleOp::Draw(range, instances)
        });
    }
}

#[derive(Debug, Default)]
pub(crate) struct BundleRecording<'r> {
    /// The position of the draw or command that is being encoded.
    pub(crate) at: PagePosition,
    pub(crate) open: Option<BundleBuilder<'r>>,
    pub(crate) spans: Vec<BundleSpan>,
}

/// The target of draws and of their bindings: a pass or a bundle.
pub(crate) enum DrawSink<'a, 'r> {
    Pass(&'a mut OpenPass),
    Bundle(&'a mut BundleBuilder<'r>),
}

impl<'a, 'r> DrawSink<'a, 'r> {
    /// Returns the open span or, if there is none, the open pass.
    #[inline]
    pub(crate) fn of(
        pass: &'a mut CurrentPass,
        recording: &'a mut Option<Box<BundleRecording<'r>>>,
    ) -> Option<Self> {
        match recording {
            Some(recording) if recording.open.is_some() => recording.open.as_mut().map(Self::Bundle),
            Some(_) | None => pass.render().map(Self::Pass),
        }
    }

    pub(crate) fn set_pipeline(&mut self, place: SlabIndex, compiled: &CompiledPipeline) {
        match self {
            Self::Pass(open) => open.pass().set_pipeline(&compiled.pipeline),
            Self::Bundle(to) => to.push(BundleOp::Pipeline(place)),
        }
    }

    #[inline]
    pub(crate) fn set_group(&mut self, at: u32, place: SlabIndex, group: &wgpu::BindGroup, offsets: &[u32]) {
        match self {
            Self::Pass(open) => open.pass().set_bind_group(at, group, offsets),
            Self::Bundle(to) => {
                to.offsets.extend_from_slice(offsets);
                to.push(BundleOp::Group(at, place, offsets.len()));
            }
        }
    }

    pub(crate) fn set_pulled(&mut self, place: SlabIndex, group: &wgpu::BindGroup) {
        match self {
            Self::Pass(open) => open.pass().set_bind_group(PULL_GROUP as u32, group, &[]),
            Self::Bundle(to) => to.push(BundleOp::Pulled(place)),
        }
    }

    pub(crate) fn set_vertex_buffer(&mut self, slot: u32, slice: wgpu::BufferSlice<'r>) {
        match self {
            Self::Pass(open) => open.pass().set_vertex_buffer(slot, slice),
            Self::Bundle(to) => to.push(BundleOp::Vertex(slot, slice)),
        }
    }

    pub(crate) fn set_index_buffer(&mut self, slice: wgpu::BufferSlice<'r>, format: wgpu::IndexFormat) {
        match self {
            Self::Pass(open) => open.pass().set_index_buffer(slice, format),
            Self::Bundle(to) => to.push(BundleOp::Index(slice, format)),
        }
    }

    /// Adds a draw, and returns whether it became an instance of the draw before it.
    #[inline]
    pub(crate) fn draw(&mut self, indexed: bool, args: InstancedDraw, merging: Option<MergePlan>) -> bool {
        let merging = merging.filter(|_| args.instance_count == 1);
        match self {
            Self::Pass(open) => open.draw(indexed, args, merging),
            Self::Bundle(to) => to.draw(indexed, args, merging),
        }
    }
}
