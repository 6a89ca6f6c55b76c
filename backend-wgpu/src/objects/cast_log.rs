//! The log of the writes that have not reached all members of a typeless texture.
//!
//! A log has an entry for each written range, oldest first, with the written member and the members that are
//! up to date. A run logs its own writes, and the immediate context logs the writes of all submissions.
//! Members that a run uses are updated from earlier submissions before the run, and from the run's own writes
//! during the run.

use onze_ddi::SubresourceRange;

use super::family::{Member, Members};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CastWrite {
    pub(crate) range: SubresourceRange,
    pub(crate) source: Member,
    /// The members that are up to date in this range and need no copy.
    pub(crate) has: Members,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingCast {
    pub(crate) range: SubresourceRange,
    pub(crate) source: Member,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CastLog(Vec<CastWrite>);

const fn end(range: &SubresourceRange) -> (u32, u32) {
    (range.first_mip + range.mips, range.first_slice + range.slices)
}

fn contains(outer: &SubresourceRange, inner: &SubresourceRange) -> bool {
    let (outer_end, inner_end) = (end(outer), end(inner));
    outer.first_mip <= inner.first_mip
        && outer.first_slice <= inner.first_slice
        && inner_end.0 <= outer_end.0
        && inner_end.1 <= outer_end.1
}

impl CastLog {
    /// Creates the initial log of a texture, in which only the primary is up to date.
    pub(crate) fn of_primary(whole: SubresourceRange) -> Self {
        let mut log = Self::default();
        log.add(CastWrite { range: whole, source: Member::PRIMARY, has: Members::one(Member::PRIMARY) });
        log
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &CastWrite> {
        self.0.iter()
    }

    /// Logs a write by a member, which makes the member up to date in the written range.
    pub(crate) fn add(&mut self, mut written: CastWrite) {
        let source = Members::one(written.source);
        self.0.retain(|old| {
            let is_hidden = contains(&written.range, &old.range);
            if is_hidden {
                // A member that has this write may still lack the older write that this one hides, so that
                // member still needs a copy.
                written.has.keep(old.has);
                written.has.add(source);
            }
            !is_hidden
        });
        self.0.push(written);
    }

    /// Returns the copies that a member needs in a range, ordered as they must be made, and marks the member
    /// as up to date in the copied ranges.
    pub(crate) fn bring(&mut self, member: Member, part: &SubresourceRange) -> Vec<MissingCast> {
        // All missing writes that are older than the range's last write are copied as well, because they
        // would overwrite it if they were copied later.
        let last = self.0.iter().rposition(|w| !w.has.has(member) && w.range.overlaps(part));
        let Some(last) = last else { return Vec::new() };
        let older = self.0.iter_mut().take(last + 1).filter(|written| !written.has.has(member));
        older
            .map(|written| {
                written.has.add(Members::one(member));
                MissingCast { range: written.range, source: written.source }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Member = Member::PRIMARY;
    const B: Member = Member::STENCIL;

    fn mips(first_mip: u32, mips: u32) -> SubresourceRange {
        SubresourceRange { first_mip, mips, ..SubresourceRange::FIRST }
    }

    fn written(range: SubresourceRange, source: Member) -> CastWrite {
        CastWrite { range, source, has: Members::one(source) }
    }

    fn lacking(range: SubresourceRange, source: Member) -> MissingCast {
        MissingCast { range, source }
    }

    #[test]
    fn a_shadow_lacks_all_at_first_and_then_what_others_write() {
        let mut log = CastLog::of_primary(mips(0, 4));
        assert_eq!(log.bring(A, &mips(0, 4)), []);
        assert_eq!(log.bring(B, &mips(2, 1)), [lacking(mips(0, 4), A)]);
        assert_eq!(log.bring(B, &mips(0, 4)), []);
        log.add(written(mips(1, 1), A));
        assert_eq!(log.bring(B, &mips(0, 1)), [], "another part");
        assert_eq!(log.bring(B, &mips(0, 4)), [lacking(mips(1, 1), A)]);
        log.add(written(mips(1, 1), B));
        assert_eq!(log.bring(B, &mips(1, 1)), [], "its own");
        assert_eq!(log.bring(A, &mips(1, 1)), [lacking(mips(1, 1), B)]);
    }

    #[test]
    fn older_writes_are_copied_first_and_hidden_ones_never() {
        let mut log = CastLog::of_primary(mips(0, 4));
        log.add(written(mips(0, 2), A));
        log.add(written(mips(1, 2), B));
        log.add(written(mips(0, 1), B));
        assert_eq!(log.bring(A, &mips(0, 1)), [lacking(mips(1, 2), B), lacking(mips(0, 1), B)]);
        log.add(written(mips(0, 4), B));
        assert_eq!(log.iter().count(), 1);
    }

    #[test]
    fn a_write_known_to_a_member_hides_no_unknown_write() {
        let mut log = CastLog::of_primary(mips(0, 2));
        let mut has = Members::one(A);
        has.add(Members::one(B));
        log.add(CastWrite { range: mips(0, 2), source: A, has });
        assert_eq!(log.bring(B, &mips(0, 2)), [lacking(mips(0, 2), A)]);
        log.add(CastWrite { range: mips(0, 2), source: A, has });
        assert_eq!(log.bring(B, &mips(0, 2)), []);
    }

    #[test]
    fn parts_are_compared_in_mips_and_slices() {
        let part = |first_mip, mips, first_slice, slices| SubresourceRange {
            first_mip,
            mips,
            first_slice,
            slices,
            ..SubresourceRange::FIRST
        };
        for (other, meets, inside) in [
            (part(1, 2, 3, 2), true, true),
            (part(0, 1, 3, 2), false, false),
            (part(3, 1, 3, 2), false, false),
            (part(1, 2, 5, 1), false, false),
            (part(1, 2, 2, 1), false, false),
            (part(2, 2, 4, 4), true, false),
            (part(2, 1, 4, 1), true, true),
        ] {
            let whole = part(1, 2, 3, 2);
            assert_eq!((whole.overlaps(&other), other.overlaps(&whole)), (meets, meets), "{other:?}");
            assert_eq!(contains(&whole, &other), inside, "{other:?}");
        }
    }
}
