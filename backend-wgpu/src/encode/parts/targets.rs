//! The bound targets, resolved to a size, a sample count and formats.

use onze_ddi::DsvFlags;

use crate::{
    encode::parts::{
        accesses::{AccessKind, AccessList, AccessRange},
        ranges::TARGETS,
        sample_counter::CounterKey,
    },
    objects::view::View,
};

/// The bound targets, resolved to a size, a sample count and formats.
#[derive(Debug, Default)]
pub(crate) struct TargetSet<'r> {
    /// A target is bound, and wgpu can draw to the bound targets.
    pub(crate) drawable: bool,
    /// Size of the area that all targets share.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Size of the largest target, which is the size of the pass, because all targets of a wgpu pass must
    /// have one size.
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
    /// Number of colour slots up to the last target, including a placeholder and a sample counter.
    pub(crate) colors: usize,
    pub(crate) color: [Option<&'r View>; TARGETS],
    pub(crate) depth: Option<&'r View>,
    /// The slot of the placeholder, if no target is bound and draws need one.
    pub(crate) stand_in: Option<usize>,
    /// The slot and the format of the sample counter, if there is one.
    pub(crate) counter: Option<CounterKey>,
    /// The aspects that the depth-stencil target must not write.
    pub(crate) read_only: DsvFlags,
    /// Identifiers of the views, which are the same for all draws of one pass.
    pub(crate) key: [u64; TARGETS + 1],
    /// The accesses of a pass to the targets. A texture that is written cannot be read in the same pass.
    pub(crate) accesses: AccessList<1>,
}

impl<'r> TargetSet<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.key == [0; TARGETS + 1]
    }

    /// Returns whether the depth-stencil target is larger than the others.
    pub(crate) fn is_enlarged(&self) -> bool {
        self.size != [self.width, self.height]
    }

    /// Returns the formats of the colour targets, the placeholder and the sample counter.
    pub(crate) fn color_formats(&self) -> [Option<wgpu::TextureFormat>; TARGETS] {
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

    /// Returns the components that must not be written: 4 bits for each target.
    pub(crate) fn hidden(&self) -> u32 {
        let of = |view: &Option<&View>| view.map_or(0, |view| view.hidden.bits());
        self.color.iter().rev().fold(0, |hidden, view| hidden << 4 | of(view))
    }

    /// Returns whether a pass with these targets may read the range of `view`.
    pub(crate) fn allows_reading(&self, view: &View) -> bool {
        // An aspect that the target does not write is read from a separate texture.
        let is_apart = view.memory.untouched(self.read_only).has(view.member);
        is_apart || !self.accesses.conflicts(&AccessRange::seen(view), AccessKind::Read)
    }

    pub(crate) fn resolve(&mut self, color: [Option<&'r View>; TARGETS], depth: Option<&'r View>) {
        self.color = color;
        self.depth = depth;
        let was_empty = self.is_empty();
        let ids = color.iter().chain(std::iter::once(&depth)).map(|view| view.map_or(0, |v| v.id.get()));
        self.key.iter_mut().zip(ids).for_each(|(to, id)| *to = id);
        // Each draw without targets decides again whether it needs a placeholder, so an existing one is kept
        // here.
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

/// Returns whether a depth-stencil view cannot write any aspect.
pub(crate) fn is_read_only(view: &View) -> bool {
    let flags = view.desc.flags;
    (!view.format.has_depth_aspect() || flags.contains(DsvFlags::READ_ONLY_DEPTH))
        && (!view.format.has_stencil_aspect() || flags.contains(DsvFlags::READ_ONLY_STENCIL))
}

/// The format of placeholder targets, which is small and which every adapter can render to.
pub(crate) const STAND_IN_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;
