//! Bundle spans: consecutive draws of a command list's page that are recorded into render bundles.

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

/// The encoder's memory of a list's page, which the thread that encodes the page takes out. Another thread
/// that encodes the page at the same time finds nothing and encodes it without bundles.
#[derive(Debug)]
pub(in crate::encode) struct PageReplay(ArrayQueue<RememberedEncoding>);

impl Default for PageReplay {
    fn default() -> Self {
        let place = ArrayQueue::new(1);
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
            // The value was taken out of this queue, so there is room.
            drop(replay.0.push(remembered));
        }
    }
}

/// The inputs and the bundles of a page's last encoding, which are empty before the first one.
#[derive(Debug, Default)]
pub(in crate::encode) struct RememberedEncoding {
    /// The imports of that time: their indices and [`Identity::numbers`].
    imports: Option<Vec<(u32, [u64; 3])>>,
    /// The minimum mip levels of textures at that time.
    min_lods: MinLods,
    /// The spans, which are valid while the imports and the minimum mip levels are the same.
    pub(in crate::encode) spans: Option<Arc<[BundleSpan]>>,
}

pub(in crate::encode) fn meaning(imports: &[Identity], at: u32) -> [u64; 3] {
    imports.get(at as usize).map_or([0; 3], Identity::numbers)
}

/// Returns the imports that a page's bundles depend on, without duplicates.
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
    /// Returns whether the page's imports and minimum mip levels are the same as before. If not, or if the
    /// page is new, they are stored and the spans are dropped.
    pub(in crate::encode) fn knows(&mut self, page: &RunPage) -> bool {
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
pub(in crate::encode) struct PagePosition {
    pub(in crate::encode) command: usize,
    /// Number of draws of the command at the position that are before it.
    pub(in crate::encode) draw: usize,
}

/// A bundle and the pipeline that must be set before it is executed.
#[derive(Debug)]
pub(in crate::encode) struct Bundle {
    pub(in crate::encode) bundle: wgpu::RenderBundle,
    /// A pipeline of the bundle whose draws depend on the stencil reference, if there is one. wgpu passes a
    /// pass's reference to the GPU only when a pipeline that reads it is set, and it ignores the pipelines of
    /// bundles (gfx-rs/wgpu#4104). Therefore this pipeline is set in the pass before the bundle is executed.
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

/// Commands of a page that are replaced by executing a bundle.
#[derive(Debug)]
pub(in crate::encode) struct BundleSpan {
    pub(in crate::encode) commands: Range<PagePosition>,
    pub(in crate::encode) bundle: Bundle,
    /// Number of draws among the commands, including skipped draws.
    pub(in crate::encode) draws: u32,
    pub(in crate::encode) reads: Vec<AccessRange>,
    /// The reads of textures that have a typeless family.
    pub(in crate::encode) casts: Vec<CastRead>,
}

pub(in crate::encode) enum EncodeMode {
    Direct,
    Record(RememberedEncoding),
    Replay(Arc<[BundleSpan]>),
}

#[derive(Debug)]
pub(in crate::encode) enum BundleOp<'r> {
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
pub(in crate::encode) struct BundleBuilder<'r> {
    pub(in crate::encode) ops: Vec<BundleOp<'r>>,
    pub(in crate::encode) offsets: Vec<u32>,
    /// The last draw, if others may be merged with it.
    waiting: Option<WaitingDraw>,
    pub(in crate::encode) first: PagePosition,
    pub(in crate::encode) end: PagePosition,
    /// Value of [`EncodeStats::draws`](crate::encode::run::EncodeStats::draws) before the first draw and
    /// after the last.
    pub(in crate::encode) draws: Range<u32>,
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
    /// Adds a command that must come after all earlier draws.
    fn push(&mut self, op: BundleOp<'r>) {
        self.make_waiting();
        self.ops.push(op);
    }

    /// Adds the draw that waits for merging, if there is one.
    pub(in crate::encode) fn make_waiting(&mut self) {
        if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            self.draw(indexed, &args);
        }
    }

    /// Adds a draw, while none waits for merging.
    fn draw(&mut self, indexed: bool, args: &InstancedDraw) {
        let Some((range, instances)) = args.ranges() else { return };
        self.ops.push(if indexed {
            BundleOp::DrawIndexed(range, args.base_vertex, instances)
        } else {
            BundleOp::Draw(range, instances)
        });
    }
}

#[derive(Debug, Default)]
pub(in crate::encode) struct BundleRecording<'r> {
    /// The position of the draw or command that is being encoded.
    pub(in crate::encode) at: PagePosition,
    pub(in crate::encode) open: Option<BundleBuilder<'r>>,
    pub(in crate::encode) spans: Vec<BundleSpan>,
}

/// The target of draws and of their bindings: a pass or a bundle.
pub(in crate::encode) enum DrawSink<'a, 'r> {
    Pass(&'a mut OpenPass),
    Bundle(&'a mut BundleBuilder<'r>),
}

impl<'a, 'r> DrawSink<'a, 'r> {
    /// Returns the open span or, if there is none, the open pass.
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

    /// Adds a draw, and returns whether it became an instance of the draw before it.
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
