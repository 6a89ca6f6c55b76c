//! Accesses: the ranges of textures and buffers that the commands of a section of the run read and write.
//!
//! wgpu's commands are not encoded in the order of the calls, so each command declares its reads and writes
//! before it is encoded. Four decisions depend on these declarations:
//!
//! * A clear waits until a command reads or writes its range ([`super::clears`]).
//! * A copy or a dispatch moves into the prologue if the section has not used its ranges
//!   ([`crate::encode::prologue`]).
//! * A draw can read a texture if the targets of its pass do not write the range ([`super::targets`]).
//! * A bundle that is executed reads the ranges that its draws read during recording
//!   ([`super::bundle_spans`]).

use onze_ddi::SubresourceRange;

use crate::{
    objects::view::View,
    services::sizes::{MOST_ACCESSES, RECENT_ACCESSES, RUN_NUMBER_WORDS},
};

/// Access of a command to a range of a resource.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum AccessKind {
    #[default]
    Read,
    Write,
}

/// A range of a texture or of a wgpu buffer.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AccessRange {
    /// The identifier of the texture or of the wgpu buffer, or 0 if no other range is of the same resource.
    resource: u64,
    /// The first mip level of a texture and the end of its mip levels, or the first byte of a buffer range
    /// and its end.
    columns: [u32; 2],
    /// The first array slice or depth slice of a texture and the end of its slices, or 0 and 1 for a buffer.
    rows: [u32; 2],
}

impl AccessRange {
    pub(crate) const fn subresources(texture: u64, range: &SubresourceRange) -> Self {
        let SubresourceRange { first_mip, mips, .. } = *range;
        let layers = range.layers();
        Self { resource: texture, columns: [first_mip, first_mip + mips], rows: [layers.start, layers.end] }
    }

    /// Returns the range that a view of a texture covers.
    pub(crate) const fn seen(view: &View) -> Self {
        Self::subresources(view.texture, &view.desc.range)
    }

    /// Returns the range that draws to a target write, which contains all depth slices of a 3D texture,
    /// because wgpu tracks them together.
    pub(crate) const fn drawn(view: &View, slice: u32) -> Self {
        let part = Self::subresources(view.texture, &drawn_range(view, slice));
        if view.depth_slice().is_some() { Self { rows: [0, u32::MAX], ..part } } else { part }
    }

    pub(crate) fn bytes(buffer: u64, offset: u64, size: u64) -> Self {
        // All bytes from 4 GiB on are treated as one byte.
        let place = |byte: u64| byte.min(u64::from(u32::MAX - 1)) as u32;
        let end = if size == 0 { place(offset) } else { place(offset.saturating_add(size - 1)) + 1 };
        Self { resource: buffer, columns: [place(offset), end], rows: [0, 1] }
    }

    pub(crate) const fn buffer(buffer: u64) -> Self {
        Self { resource: buffer, columns: [0, u32::MAX], rows: [0, 1] }
    }

    /// Returns whether both ranges have a subresource or a byte in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let meet = |a: [u32; 2], b: [u32; 2]| a[0].max(b[0]) < a[1].min(b[1]);
        self.resource == other.resource
            && self.resource != 0
            && meet(self.columns, other.columns)
            && meet(self.rows, other.rows)
    }
}

/// Returns the subresources that draws to a slice of a target write.
pub(crate) const fn drawn_range(view: &View, slice: u32) -> SubresourceRange {
    let range = SubresourceRange { slices: 1, mips: 1, w_size: 1, ..view.desc.range };
    match view.depth_slice() {
        Some(_) => SubresourceRange { first_w: range.first_w + slice, ..range },
        None => SubresourceRange { first_slice: range.first_slice + slice, ..range },
    }
}

/// Returns a hash whose top bits are well distributed. Identifiers are consecutive numbers, which Fibonacci
/// hashing spreads.
pub(crate) const fn spread(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A Bloom filter of resource identifiers with `WORDS * 64` bits, which may report an identifier that was not
/// inserted but never misses one that was.
#[derive(Debug)]
pub(crate) struct ResourceFilter<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> ResourceFilter<WORDS> {
    const fn place(number: u64) -> (usize, u64) {
        let bit = spread(number) >> (64 - (WORDS as u64 * 64).ilog2());
        ((bit / 64) as usize % WORDS, 1 << (bit % 64))
    }

    fn insert(&mut self, number: u64) {
        let (word, bit) = Self::place(number);
        self.0[word] |= bit;
    }

    const fn may_contain(&self, number: u64) -> bool {
        let (word, bit) = Self::place(number);
        self.0[word] & bit != 0
    }
}

/// A list of accesses that detects conflicts with another access.
#[derive(Debug)]
pub(crate) struct AccessList<const WORDS: usize> {
    /// The resources that are read or written, in a filter at which most checks end.
    used: ResourceFilter<WORDS>,
    written: ResourceFilter<WORDS>,
    list: Vec<(AccessRange, AccessKind)>,
}

impl<const WORDS: usize> Default for AccessList<WORDS> {
    fn default() -> Self {
        Self { used: ResourceFilter([0; WORDS]), written: ResourceFilter([0; WORDS]), list: Vec::new() }
    }
}

impl<const WORDS: usize> AccessList<WORDS> {
    pub(crate) fn clear(&mut self) {
        (self.used, self.written) = (ResourceFilter([0; WORDS]), ResourceFilter([0; WORDS]));
        self.list.clear();
    }

    pub(crate) fn add(&mut self, part: AccessRange, access: AccessKind) {
        self.used.insert(part.resource);
        if access == AccessKind::Write {
            self.written.insert(part.resource);
        }
        if self.list.len() < MOST_ACCESSES {
            self.list.push((part, access));
        }
    }

    /// Returns `false` if the list has no access to a resource.
    #[inline]
    pub(crate) const fn may_contain(&self, resource: u64) -> bool {
        self.used.may_contain(resource)
    }

    /// Returns whether an access must stay after those of the list, because it uses a range that one of them
    /// writes, or writes a range that one of them uses.
    #[inline]
    pub(crate) fn conflicts(&self, part: &AccessRange, access: AccessKind) -> bool {
        let numbers = match access {
            AccessKind::Read => &self.written,
            AccessKind::Write => &self.used,
        };
        // A full list does not store further ranges, so it assumes an overlap.
        numbers.may_contain(part.resource)
            && (self.list.len() >= MOST_ACCESSES || self.has_overlap(0, part, access))
    }

    /// Returns whether an access conflicts with one of those that the list stores from index `first` on.
    #[inline(never)]
    fn has_overlap(&self, first: usize, part: &AccessRange, access: AccessKind) -> bool {
        self.list.iter().skip(first).any(|(other, with)| {
            other.overlaps(part) && (access == AccessKind::Write || *with == AccessKind::Write)
        })
    }
}

/// Whether commands may move before all others of their section.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MoveVerdict {
    Free,
    /// The commands conflict with earlier ones, but probably not with those since the last pass ended.
    AfterEarlierPasses,
    /// The commands conflict with one since the last pass ended.
    AfterOpenPass,
}

/// The accesses of the commands of a section so far.
#[derive(Debug)]
pub(crate) struct RunAccesses {
    list: AccessList<RUN_NUMBER_WORDS>,
    /// Length of the list when the last pass ended.
    pass: usize,
    /// The accesses that were added last, indexed by a hash of the resource, because most draws repeat the
    /// reads of the draw before.
    recent: [(AccessRange, AccessKind); RECENT_ACCESSES],
    /// The reads since the last call of [`RunAccesses::notes`], while a bundle is recorded.
    notes: Option<Vec<AccessRange>>,
    /// The reads since the call of [`RunAccesses::begin_reads`], while the inputs of a dispatch are resolved.
    inputs: Option<Vec<AccessRange>>,
    /// `notes` or `inputs` are recorded.
    records: bool,
}

/// The recent accesses after a pass: reads of an empty range, which need not be stored.
const NO_RECENT: [(AccessRange, AccessKind); RECENT_ACCESSES] =
    [(AccessRange { resource: 0, columns: [0; 2], rows: [0; 2] }, AccessKind::Read); RECENT_ACCESSES];

impl Default for RunAccesses {
    fn default() -> Self {
        Self {
            list: AccessList::default(),
            pass: 0,
            recent: NO_RECENT,
            notes: None,
            inputs: None,
            records: false,
        }
    }
}

impl RunAccesses {
    /// Adds a read of a buffer. Reads of a texture go through the encoder's own `reads`, because a clear of
    /// the texture may be pending.
    #[inline]
    pub(crate) fn reads(&mut self, part: AccessRange) {
        self.add(part, AccessKind::Read);
        if self.records {
            self.record(part);
        }
    }

    #[inline(never)]
    fn record(&mut self, part: AccessRange) {
        [&mut self.notes, &mut self.inputs].into_iter().flatten().for_each(|reads| reads.push(part));
    }

    #[inline]
    pub(crate) fn add(&mut self, part: AccessRange, access: AccessKind) {
        let place = spread(part.resource) >> (64 - RECENT_ACCESSES.ilog2());
        let recent = &mut self.recent[place as usize % RECENT_ACCESSES];
        if *recent != (part, access) {
            *recent = (part, access);
            self.list.add(part, access);
        }
    }

    /// Returns whether commands with these reads and writes may move before all others.
    pub(crate) fn may_move(&self, reads: &[AccessRange], writes: &[AccessRange]) -> MoveVerdict {
        let reads = reads.iter().map(|part| (part, AccessKind::Read));
        let all = reads.chain(writes.iter().map(|part| (part, AccessKind::Write)));
        all.map(|(part, access)| self.may_move_one(part, access)).max().unwrap_or(MoveVerdict::Free)
    }

    fn may_move_one(&self, part: &AccessRange, access: AccessKind) -> MoveVerdict {
        if !self.list.conflicts(part, access) {
            MoveVerdict::Free
        } else if self.list.has_overlap(self.pass, part, access) {
            MoveVerdict::AfterOpenPass
        } else {
            MoveVerdict::AfterEarlierPasses
        }
    }

    /// Notes the end of a pass. Later accesses are stored even if they repeat accesses before it.
    pub(crate) fn end_pass(&mut self) {
        self.pass = self.list.list.len();
        self.recent = NO_RECENT;
    }

    /// Forgets all accesses, because a section begins. The notes of a bundle stay, because a bundle does not
    /// depend on sections.
    pub(crate) fn begin_section(&mut self) {
        self.list.clear();
        self.end_pass();
    }

    /// Starts recording reads, which [`RunAccesses::notes`] returns.
    pub(crate) fn take_notes(&mut self) {
        self.notes = Some(Vec::new());
        self.records = true;
    }

    /// Returns the reads since the call of [`RunAccesses::take_notes`] or the last call of this function,
    /// without duplicates.
    pub(crate) fn notes(&mut self) -> Vec<AccessRange> {
        let mut notes = self.notes.as_mut().map(std::mem::take).unwrap_or_default();
        notes.sort_unstable_by_key(|AccessRange { resource, columns, rows }| (*resource, *columns, *rows));
        notes.dedup();
        notes
    }

    /// Returns whether reads are recorded, so that a draw must declare them even if it repeats those of another draw.
    #[inline]
    pub(crate) const fn notes_reads(&self) -> bool {
        self.records
    }

    /// Starts recording the reads of a dispatch, which [`RunAccesses::end_reads`] returns.
    pub(crate) fn begin_reads(&mut self) {
        self.inputs = Some(Vec::new());
        self.records = true;
    }

    /// Returns the reads since the call of [`RunAccesses::begin_reads`].
    pub(crate) fn end_reads(&mut self) -> Vec<AccessRange> {
        self.records = self.notes.is_some();
        self.inputs.take().unwrap_or_default()
    }

    /// Stops the recording that [`RunAccesses::take_notes`] started.
    pub(crate) fn drop_notes(&mut self) {
        self.notes = None;
        self.records = self.inputs.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mips(first: u32, mips: u32) -> SubresourceRange {
        SubresourceRange { first_mip: first, mips, first_slice: 2, slices: 3, ..SubresourceRange::FIRST }
    }

    #[test]
    fn ranges_overlap_in_a_common_subresource_or_byte() {
        let part = AccessRange::subresources(7, &mips(1, 2));
        for (other, overlaps) in [
            (part, true),
            (AccessRange::subresources(8, &mips(1, 2)), false),
            (AccessRange::subresources(7, &mips(2, 1)), true),
            (AccessRange::subresources(7, &mips(3, 1)), false),
            (AccessRange::subresources(7, &mips(0, 1)), false),
            (AccessRange::subresources(7, &SubresourceRange { first_slice: 4, ..mips(1, 1) }), true),
            (AccessRange::subresources(7, &SubresourceRange { first_slice: 5, ..mips(1, 1) }), false),
            (
                AccessRange::subresources(7, &SubresourceRange { first_slice: 0, slices: 2, ..mips(1, 1) }),
                false,
            ),
        ] {
            assert_eq!(part.overlaps(&other), overlaps, "{other:?}");
            assert_eq!(other.overlaps(&part), overlaps, "{other:?}");
        }
        let part = AccessRange::bytes(7, 100, 50);
        for (other, overlaps) in [
            (AccessRange::buffer(7), true),
            (AccessRange::bytes(7, 149, 1), true),
            (AccessRange::bytes(7, 150, 10), false),
            (AccessRange::bytes(7, 0, 100), false),
            (AccessRange::bytes(7, 0, 101), true),
            (AccessRange::bytes(7, 120, 0), false),
        ] {
            assert_eq!(part.overlaps(&other), overlaps, "{other:?}");
            assert_eq!(other.overlaps(&part), overlaps, "{other:?}");
        }
        let (low, high) = (AccessRange::bytes(7, 5 << 30, 1), AccessRange::bytes(7, 6 << 30, 1));
        assert!(low.overlaps(&high), "it is not known beyond 4 GiB");
        assert!(!AccessRange::buffer(0).overlaps(&AccessRange::buffer(0)), "no resource");
    }

    #[test]
    fn accesses_conflict_only_if_one_of_them_writes() {
        let (one, other) =
            (AccessRange::subresources(7, &mips(0, 1)), AccessRange::subresources(7, &mips(1, 1)));
        let mut list = AccessList::<1>::default();
        list.add(one, AccessKind::Read);
        assert!(!list.conflicts(&one, AccessKind::Read));
        assert!(list.conflicts(&one, AccessKind::Write));
        assert!(!list.conflicts(&other, AccessKind::Write), "another mip level");
        list.add(other, AccessKind::Write);
        assert!(list.conflicts(&other, AccessKind::Read));
        assert!(!list.conflicts(&one, AccessKind::Read));
        list.clear();
        assert!(!list.conflicts(&one, AccessKind::Write));
    }

    #[test]
    fn a_full_list_compares_resources_only() {
        let mut list = AccessList::<1>::default();
        (0..MOST_ACCESSES as u64).for_each(|at| list.add(AccessRange::bytes(7, at, 1), AccessKind::Read));
        assert!(list.conflicts(&AccessRange::bytes(7, u64::from(u32::MAX), 1), AccessKind::Write));
        assert!(!list.conflicts(&AccessRange::bytes(7, 0, 1), AccessKind::Read), "none writes");
    }

    #[test]
    fn alternating_accesses_of_one_resource_are_all_listed() {
        let (one, other) = (AccessRange::bytes(7, 0, 4), AccessRange::bytes(7, 4, 4));
        let mut accesses = RunAccesses::default();
        for part in [one, other, one, other] {
            accesses.reads(part);
        }
        accesses.add(one, AccessKind::Write);
        assert_ne!(accesses.may_move(&[one], &[]), MoveVerdict::Free);
        assert_eq!(accesses.may_move(&[other], &[]), MoveVerdict::Free);
        assert_ne!(accesses.may_move(&[], &[other]), MoveVerdict::Free);
    }

    #[test]
    fn commands_move_unless_one_of_their_ranges_conflicts() {
        let [old, new, free] = [0, 4, 8].map(|offset| AccessRange::bytes(7, offset, 4));
        let mut accesses = RunAccesses::default();
        accesses.add(old, AccessKind::Write);
        accesses.end_pass();
        accesses.reads(new);
        for (reads, writes, expected) in [
            (&[][..], &[][..], MoveVerdict::Free),
            (&[free, new], &[free], MoveVerdict::Free),
            (&[free, old], &[], MoveVerdict::AfterEarlierPasses),
            (&[], &[old], MoveVerdict::AfterEarlierPasses),
            (&[old], &[new], MoveVerdict::AfterOpenPass),
            (&[], &[old, new], MoveVerdict::AfterOpenPass),
        ] {
            assert_eq!(accesses.may_move(reads, writes), expected, "{reads:?}, {writes:?}");
        }
        // An access that is repeated after a pass belongs to the next pass.
        accesses.end_pass();
        assert_eq!(accesses.may_move(&[], &[new]), MoveVerdict::AfterEarlierPasses);
        accesses.reads(new);
        assert_eq!(accesses.may_move(&[], &[new]), MoveVerdict::AfterOpenPass);
    }

    #[test]
    fn a_section_forgets_accesses_but_no_notes() {
        let part = AccessRange::bytes(7, 0, 4);
        let mut accesses = RunAccesses::default();
        accesses.take_notes();
        accesses.reads(part);
        accesses.begin_section();
        assert_eq!(accesses.may_move(&[], &[part]), MoveVerdict::Free);
        accesses.reads(part);
        assert_eq!(accesses.may_move(&[], &[part]), MoveVerdict::AfterOpenPass);
        assert_eq!(accesses.notes(), [part]);
    }

    #[test]
    fn inputs_and_notes_are_recorded_separately() {
        let [first, second, third] = [0, 4, 8].map(|offset| AccessRange::bytes(7, offset, 4));
        let mut accesses = RunAccesses::default();
        accesses.reads(first);
        accesses.begin_reads();
        accesses.reads(second);
        assert_eq!(accesses.end_reads(), [second]);
        assert!(!accesses.notes_reads());
        accesses.take_notes();
        accesses.reads(first);
        accesses.begin_reads();
        accesses.reads(second);
        // A bundle may end while inputs are recorded.
        assert_eq!(accesses.notes(), [first, second]);
        accesses.drop_notes();
        accesses.reads(third);
        assert_eq!(accesses.end_reads(), [second, third]);
        assert!(!accesses.notes_reads());
    }

    #[test]
    fn a_full_list_begins_a_section() {
        let mut accesses = RunAccesses::default();
        (0..MOST_ACCESSES as u64).for_each(|at| accesses.reads(AccessRange::bytes(7, at, 1)));
        accesses.end_pass();
        let part = AccessRange::bytes(7, u64::from(u32::MAX), 1);
        assert_eq!(accesses.may_move(&[], &[part]), MoveVerdict::AfterEarlierPasses);
    }

    #[test]
    fn the_filter_finds_all_identifiers_and_few_others() {
        let mut numbers = ResourceFilter::<RUN_NUMBER_WORDS>([0; RUN_NUMBER_WORDS]);
        (0..64).for_each(|number| numbers.insert(number));
        assert!((0..64).all(|number| numbers.may_contain(number)));
        let others = (64..10_064).filter(|number| numbers.may_contain(*number)).count();
        assert!(others < 10_000 / 16, "{others} of 10,000");
    }
}
