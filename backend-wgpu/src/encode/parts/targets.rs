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
    drawable: bool,
    /// Width and height of the area that all targets share.
    shared_size: [u32; 2],
    /// Size of the largest target, which is the size of the pass, because all targets of a wgpu pass must
    /// have one size.
    size: [u32; 2],
    samples: u32,
    color: [Option<&'r View>; TARGETS],
    depth: Option<&'r View>,
    /// The slot of the placeholder, if no target is bound and draws need one.
    stand_in: Option<usize>,
    /// The slot and the format of the sample counter, if there is one.
    counter: Option<CounterKey>,
    /// The aspects that the depth-stencil target must not write.
    read_only: DsvFlags,
    /// The slice of each target that a pass draws to, counted from the first slice of its view.
    slice: u32,
    /// Identifiers of the views, which are the same for all draws of one pass.
    key: [u64; TARGETS + 1],
    /// The accesses of a pass to the targets. A texture that is written cannot be read in the same pass.
    accesses: AccessList<1>,
}

impl<'r> TargetSet<'r> {
    /// Returns whether a target is bound, and wgpu can draw to the bound targets.
    #[inline]
    pub(crate) const fn is_drawable(&self) -> bool {
        self.drawable
    }

    /// Makes draws to the bound targets impossible, because wgpu cannot draw to them.
    pub(crate) const fn refuse(&mut self) {
        self.drawable = false;
    }

    /// Returns the width and height of the area that all targets share.
    pub(crate) const fn shared_size(&self) -> [u32; 2] {
        self.shared_size
    }

    /// Returns the size of the largest target, which is the size of the pass.
    pub(crate) const fn size(&self) -> [u32; 2] {
        self.size
    }

    pub(crate) const fn samples(&self) -> u32 {
        self.samples
    }

    pub(crate) const fn color(&self) -> &[Option<&'r View>; TARGETS] {
        &self.color
    }

    pub(crate) const fn depth(&self) -> Option<&'r View> {
        self.depth
    }

    /// Returns the number of colour slots up to the last target, including a placeholder and a sample
    /// counter.
    pub(crate) fn color_count(&self) -> usize {
        let last = self.color.iter().rposition(Option::is_some);
        let added = self.stand_in.max(self.counter.map(|(slot, _)| slot));
        last.max(added).map_or(0, |last| last + 1)
    }

    /// Returns the slice of each target that a pass draws to.
    pub(crate) const fn slice(&self) -> u32 {
        self.slice
    }

    pub(crate) const fn set_slice(&mut self, slice: u32) {
        self.slice = slice;
    }

    /// Returns the number of slices that all targets have, which is 1 without targets.
    pub(crate) fn slices(&self) -> u32 {
        let views = self.color.iter().chain([&self.depth]).flatten();
        views.map(|view| view.attachments().len() as u32).min().unwrap_or(1)
    }

    /// Returns the aspects that the depth-stencil target must not write.
    pub(crate) const fn read_only(&self) -> DsvFlags {
        self.read_only
    }

    /// Returns the slot of the placeholder, if no target is bound and draws need one.
    #[inline]
    pub(crate) const fn stand_in(&self) -> Option<usize> {
        self.stand_in
    }

    /// Returns the slot and the format of the sample counter, if there is one.
    pub(crate) const fn counter(&self) -> Option<CounterKey> {
        self.counter
    }

    /// Adds a sample counter to the targets.
    pub(crate) const fn set_counter(&mut self, counter: CounterKey) {
        self.counter = Some(counter);
    }

    pub(crate) const fn take_counter(&mut self) -> Option<CounterKey> {
        self.counter.take()
    }

    /// Sets the slot of the placeholder and a sample counter in it, while no target is bound. Draws may then
    /// cover an area of at most `most` by `most` pixels.
    pub(crate) const fn set_stand_in(
        &mut self,
        stand_in: Option<usize>,
        counter: Option<CounterKey>,
        most: u32,
    ) {
        (self.stand_in, self.counter) = (stand_in, counter);
        (self.shared_size, self.size, self.samples) = ([most, most], [most, most], 1);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.key == [0; TARGETS + 1]
    }

    /// Returns whether the depth-stencil target is larger than the others.
    pub(crate) fn is_enlarged(&self) -> bool {
        self.size != self.shared_size
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

    /// Returns whether an access conflicts with those of a pass to these targets.
    pub(crate) fn conflicts(&self, range: &AccessRange, kind: AccessKind) -> bool {
        self.accesses.conflicts(range, kind)
    }

    /// Returns whether a pass with these targets may read the range of `view`.
    #[inline]
    pub(crate) fn allows_reading(&self, view: &View) -> bool {
        !self.accesses.may_contain(view.texture) || self.allows_reading_part(view)
    }

    #[inline(never)]
    fn allows_reading_part(&self, view: &View) -> bool {
        // An aspect that the target does not write is read from a separate texture.
        let is_apart = view.memory.untouched(self.read_only).has(view.member);
        is_apart || !self.conflicts(&AccessRange::seen(view), AccessKind::Read)
    }

    /// Resolves the bound views, and returns whether they differ from the previous ones.
    pub(crate) fn resolve(&mut self, color: [Option<&'r View>; TARGETS], depth: Option<&'r View>) -> bool {
        let before = self.key;
        self.color = color;
        self.depth = depth;
        let was_empty = self.is_empty();
        let ids = color.iter().chain(std::iter::once(&depth)).map(|view| view.map_or(0, |v| v.id.get()));
        self.key.iter_mut().zip(ids).for_each(|(to, id)| *to = id);
        // Each draw without targets decides again whether it needs a placeholder, so an existing one is kept
        // here.
        if !(was_empty && self.is_empty()) {
            self.stand_in = None;
        }
        self.read_only = depth.map_or(DsvFlags::empty(), |view| view.desc.flags);
        self.accesses.clear();
        for view in color.iter().flatten() {
            self.accesses.add(AccessRange::drawn(view, 0), AccessKind::Write);
        }
        if let Some(view) = depth {
            let access = if is_read_only(view) { AccessKind::Read } else { AccessKind::Write };
            self.accesses.add(AccessRange::drawn(view, 0), access);
        }
        let first = color.iter().flatten().next().copied().or(depth);
        self.drawable = first.is_some();
        if let Some(first) = first {
            (self.shared_size, self.samples) = ([first.width, first.height], first.samples);
            self.size = depth.map_or(self.shared_size, |depth| {
                [first.width.max(depth.width), first.height.max(depth.height)]
            });
        }
        self.key != before
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
