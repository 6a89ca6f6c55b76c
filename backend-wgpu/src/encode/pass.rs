//! Passes: their targets, when they begin and end, and the bindings that wgpu has in the open pass.

use onze_ddi::{DsvFlags, Viewport};

use crate::{objects::view::View, record::page::InstancedDraw};

use super::{
    Encoder,
    accesses::{AccessKind, AccessList, AccessRange, drawn_range},
    clear::operations,
    emulate::{enlarged::BorrowedTarget, sample_counts::CounterKey},
    fast::by_index::WaitingDraw,
    hash::SlabIndex,
    state::{TARGETS, VERTEX_SLOTS},
    writes::STAND_IN_FORMAT,
};

/// What the bound targets amount to.
#[derive(Debug, Default)]
pub(super) struct TargetSet<'r> {
    /// Something is bound, and wgpu can draw to it.
    pub(super) drawable: bool,
    /// The area that all have.
    pub(super) width: u32,
    pub(super) height: u32,
    /// Of the largest: a pass's targets have one size.
    pub(super) size: [u32; 2],
    pub(super) samples: u32,
    /// Colour targets up to the last that is bound, or up to the stand-in.
    pub(super) colors: usize,
    pub(super) color: [Option<&'r View>; TARGETS],
    pub(super) depth: Option<&'r View>,
    /// Nothing is bound; draws go to a stand-in, in this slot, if there is one.
    pub(super) stand_in: Option<usize>,
    /// The slot and the format of the sample counter, if there is one.
    pub(super) counter: Option<CounterKey>,
    /// What the depth-stencil target must not write.
    pub(super) read_only: DsvFlags,
    /// Numbers of the views: passes with the same ones are one pass.
    key: [u64; TARGETS + 1],
    /// What a pass does with them: a texture that is written cannot be read in the same pass.
    pub(super) accesses: AccessList<1>,
}

impl<'r> TargetSet<'r> {
    /// Whether nothing is bound.
    pub(super) fn is_empty(&self) -> bool {
        self.key == [0; TARGETS + 1]
    }

    /// Whether the depth-stencil target is larger than the others.
    pub(super) fn is_enlarged(&self) -> bool {
        self.size != [self.width, self.height]
    }

    /// The formats of the colour targets.
    pub(super) fn color_formats(&self) -> [Option<wgpu::TextureFormat>; TARGETS] {
        let mut formats = self.color.map(|view| view.map(|view| view.format));
        if let Some(format) = self.stand_in.and_then(|slot| formats.get_mut(slot)) {
            *format = Some(STAND_IN_FORMAT);
        }
        if let Some((slot, format)) = self.counter
            && let Some(free) = formats.get_mut(slot)
        {
            *free = Some(format);
        }
        formats
    }

    /// Of each target the components that must not be written, 4 bits.
    pub(super) fn hidden(&self) -> u32 {
        let of = |view: &Option<&View>| view.map_or(0, |view| view.hidden.bits());
        self.color.iter().rev().fold(0, |hidden, view| hidden << 4 | of(view))
    }

    /// Whether a pass with these targets may read what `view` sees.
    pub(super) fn allows_reading(&self, view: &View) -> bool {
        // A plane that the target must not write is read from a texture of its own.
        let is_apart = view.memory.untouched(self.read_only).has(view.member);
        is_apart || !self.accesses.conflicts(&AccessRange::seen(view), AccessKind::Read)
    }

    /// Looks at the bound targets.
    fn resolve(&mut self, color: [Option<&'r View>; TARGETS], depth: Option<&'r View>) {
        self.color = color;
        self.depth = depth;
        let was_empty = self.is_empty();
        let ids = color.iter().chain(std::iter::once(&depth)).map(|view| view.map_or(0, |v| v.id.get()));
        self.key.iter_mut().zip(ids).for_each(|(to, id)| *to = id);
        // Before a draw without targets it is looked at anew whether there is a stand-in.
        if !(was_empty && self.is_empty()) {
            self.stand_in = None;
            self.colors = color.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        }
        self.read_only = depth.map_or(DsvFlags::empty(), |view| view.desc.flags);
        self.accesses.clear();
        for view in color.iter().flatten() {
            self.accesses.add(AccessRange::drawn(view), AccessKind::Write);
        }
        if let Some(view) = depth {
            let access = if is_read_only(view) { AccessKind::Read } else { AccessKind::Write };
            self.accesses.add(AccessRange::drawn(view), access);
        }
        let first = color.iter().flatten().next().copied().or(depth);
        self.drawable = first.is_some();
        if let Some(first) = first {
            (self.width, self.height, self.samples) = (first.width, first.height, first.samples);
            self.size = [first.width, first.height];
            if let Some(depth) = depth {
                self.size = [self.size[0].max(depth.width), self.size[1].max(depth.height)];
            }
        }
    }
}

/// Whether no aspect of a depth-stencil view may be written.
fn is_read_only(view: &View) -> bool {
    let flags = view.desc.flags;
    (!view.format.has_depth_aspect() || flags.contains(DsvFlags::READ_ONLY_DEPTH))
        && (!view.format.has_stencil_aspect() || flags.contains(DsvFlags::READ_ONLY_STENCIL))
}

/// A pass that takes draws.
pub(super) struct OpenPass {
    pass: wgpu::RenderPass<'static>,
    /// The last draw, if others may be merged with it.
    pub(super) waiting: Option<WaitingDraw>,
    /// It has the queries' last set.
    pub(super) counts: bool,
    /// It has a sample counter.
    counts_samples: bool,
    /// What is drawn in larger textures.
    borrowed: Vec<BorrowedTarget>,
}

impl OpenPass {
    /// Whether it has a sample counter.
    pub(super) fn counts_samples(&self) -> bool {
        self.counts_samples
    }

    /// The pass, in which all draws are made.
    #[inline]
    pub(super) fn pass(&mut self) -> &mut wgpu::RenderPass<'static> {
        if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            self.draw(indexed, &args);
        }
        &mut self.pass
    }

    /// Makes a draw, while none waits.
    #[inline]
    pub(super) fn draw(&mut self, indexed: bool, args: &InstancedDraw) {
        let Some((range, instances)) = args.ranges() else { return };
        if indexed {
            self.pass.draw_indexed(range, args.base_vertex, instances);
        } else {
            self.pass.draw(range, instances);
        }
    }
}

/// The open pass.
#[derive(Default)]
#[allow(clippy::large_enum_variant, reason = "an encoder has one, and opening it must not allocate")]
pub(super) enum PassState {
    /// Commands go to the encoder.
    #[default]
    None,
    /// Takes draws.
    Render(OpenPass),
    /// Takes dispatches.
    Compute(wgpu::ComputePass<'static>),
}

impl PassState {
    /// The pass that takes draws.
    #[inline]
    pub(super) fn render(&mut self) -> Option<&mut OpenPass> {
        match self {
            Self::Render(open) => Some(open),
            Self::None | Self::Compute(_) => None,
        }
    }

    pub(super) const fn is_render(&self) -> bool {
        matches!(self, Self::Render(_))
    }

    pub(super) const fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// A vertex or index buffer as the pass has it: number, offset, size.
pub(super) type PassBuffer = (u64, u64, u64);

/// What the open pass has bound, so that nothing is bound twice. Which bind groups it has is said by
/// [`super::bind::PendingGroups`].
#[derive(Debug, Default)]
pub(super) struct PassBindings {
    pub(super) pipeline: Option<SlabIndex>,
    /// The bind group of pulled vertex buffers.
    pub(super) pulled: Option<SlabIndex>,
    pub(super) vertex: [PassBuffer; VERTEX_SLOTS],
    pub(super) index: (PassBuffer, bool),
    pub(super) viewport: Option<Viewport>,
    pub(super) scissor: Option<[u32; 4]>,
    pub(super) blend_factor: Option<[f32; 4]>,
    pub(super) stencil_ref: Option<u8>,
}

impl PassBindings {
    fn forget_objects(&mut self) {
        (self.pipeline, self.pulled) = (None, None);
        self.vertex = [(0, 0, 0); VERTEX_SLOTS];
        self.index = ((0, 0, 0), false);
    }

    fn reset(&mut self) {
        self.viewport = None;
        self.scissor = None;
        self.blend_factor = None;
        self.stencil_ref = None;
    }
}

impl Encoder<'_> {
    /// Looks at the targets if they changed; the open pass ends if it has other ones.
    pub(super) fn resolve_targets(&mut self) {
        if !std::mem::take(&mut self.state.targets_dirty) {
            return;
        }
        let before = self.targets.key;
        self.targets.resolve(self.state.color_targets, self.state.depth_target);
        if self.targets.key != before {
            self.end_pass();
        }
        if self.targets.is_enlarged() && !self.can_enlarge() {
            self.targets.drawable = false;
            self.report(
                "draws to multisampled targets with a larger depth-stencil target are skipped: the adapter's shaders do \
                 not read their samples; make the depth-stencil texture as large as the render targets",
            );
        }
        self.resolve_counter();
        self.state.dirty_setting();
        self.state.area_dirty = true;
        // What a shader may read depends on what is written.
        self.state.bindings.resources_dirty = true;
    }

    /// Begins a pass with the resolved targets unless it is open.
    pub(super) fn open_pass(&mut self) {
        if self.pass.is_render() {
            return;
        }
        self.end_pass();
        let views: [Option<&View>; TARGETS] = self.targets.color;
        let depth = self.targets.depth;
        for view in views.iter().chain(std::iter::once(&depth)).flatten() {
            self.flush_clears_beside(view);
        }
        for view in views.iter().chain(std::iter::once(&depth)).flatten() {
            self.adds_write(AccessRange::drawn(view));
        }
        self.draws_to_members();
        self.events.leave_encoder(&mut self.encoder);
        let clears = views.map(|view| self.clears.take_exact(view?)?.color);
        let is_enlarged = self.targets.is_enlarged();
        let borrowed = if is_enlarged { self.enlarge(&clears.map(|c| c.is_some())) } else { Vec::new() };
        let queries = self.pass_queries();
        let mut color = std::array::from_fn::<_, TARGETS, _>(|slot| {
            let view = views[slot]?;
            let enlarged = self.caches.enlarged.view(slot).filter(|_| is_enlarged);
            Some(wgpu::RenderPassColorAttachment {
                view: enlarged.unwrap_or(&view.texture_view),
                depth_slice: view.depth_slice().filter(|_| !is_enlarged),
                resolve_target: None,
                ops: operations(clears[slot]),
            })
        });
        let depth_stencil = depth.map(|view| {
            let clear = self.clears.take_exact(view);
            let flags = self.targets.read_only;
            let has_depth = view.format.has_depth_aspect() && !flags.contains(DsvFlags::READ_ONLY_DEPTH);
            let has_stencil =
                view.format.has_stencil_aspect() && !flags.contains(DsvFlags::READ_ONLY_STENCIL);
            wgpu::RenderPassDepthStencilAttachment {
                view: &view.texture_view,
                depth_ops: has_depth.then(|| operations(clear.and_then(|c| c.depth))),
                stencil_ops: has_stencil.then(|| operations(clear.and_then(|c| c.stencil))),
            }
        });
        if let Some((slot, stand_in)) = self.targets.stand_in.zip(self.caches.stand_in.as_ref()) {
            color[slot] = Some(stand_in.attachment());
        }
        let counter = self.targets.counter.zip(self.caches.sample_counter.as_ref());
        if let Some(((slot, _), counter)) = counter {
            color[slot] = Some(counter.attachment());
        }
        let counts_samples = counter.is_some();
        let mut pass = self
            .encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("draws"),
                color_attachments: color.get(..self.targets.colors).unwrap_or_default(),
                depth_stencil_attachment: depth_stencil,
                occlusion_query_set: queries.as_ref(),
                ..wgpu::RenderPassDescriptor::default()
            })
            .forget_lifetime();
        self.events.enter_pass(&mut pass);
        self.queries.begin_pass();
        self.forget_objects();
        self.bound.reset();
        let counts = queries.is_some();
        self.pass = PassState::Render(OpenPass { pass, waiting: None, counts, counts_samples, borrowed });
        self.used = true;
        self.stats.passes += 1;
    }

    /// Before a pass with the resolved targets begins.
    fn draws_to_members(&mut self) {
        for view in self.targets.color.into_iter().flatten() {
            self.writes_members(view, &drawn_range(view));
        }
        if let Some(view) = self.targets.depth {
            if is_read_only(view) {
                self.reads_members(view);
            } else {
                self.writes_members(view, &drawn_range(view));
            }
        }
    }

    /// Before and after a bundle, and in a new pass, no object is bound.
    pub(super) fn forget_objects(&mut self) {
        self.bound.forget_objects();
        self.groups.forget_bound();
    }

    /// Ends the open pass, if there is one.
    pub(super) fn end_pass(&mut self) {
        self.finish_bundle();
        self.ready.forget();
        self.pass_writes.clear();
        match std::mem::take(&mut self.pass) {
            PassState::None => {}
            PassState::Render(mut open) => {
                let pass = open.pass();
                let has_drawn = self.queries.end_segments(pass);
                self.events.leave_pass(pass);
                let counts_samples = open.counts_samples && has_drawn;
                let borrowed = std::mem::take(&mut open.borrowed);
                drop(open);
                self.give_back(&borrowed);
                if counts_samples {
                    self.sum_samples();
                }
            }
            PassState::Compute(pass) => drop(pass),
        }
    }

    /// Ends the open pass if it takes dispatches: of debug groups it knows nothing.
    pub(super) fn end_compute_pass(&mut self) {
        if matches!(self.pass, PassState::Compute(_)) {
            self.end_pass();
        }
    }

    /// Begins a compute pass unless it is open.
    pub(super) fn open_compute_pass(&mut self) {
        if matches!(self.pass, PassState::Compute(_)) {
            return;
        }
        self.end_pass();
        self.events.enter_encoder(&mut self.encoder);
        let desc = wgpu::ComputePassDescriptor { label: Some("dispatches"), timestamp_writes: None };
        let pass = self.encoder.begin_compute_pass(&desc).forget_lifetime();
        self.pass = PassState::Compute(pass);
        self.compute.groups.forget_bound();
        self.compute.bound = None;
        self.used = true;
        self.stats.passes += 1;
    }
}
