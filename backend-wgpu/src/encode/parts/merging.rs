//! Merging of consecutive draws into instances of one draw.

use crate::{objects::shader::FIELD_BITS, record::page::InstancedDraw};

/// A draw that waits for similar draws, and is encoded before any other command of the pass.
#[derive(Copy, Clone, Debug)]
pub(crate) struct WaitingDraw {
    pub(crate) indexed: bool,
    pub(crate) args: InstancedDraw,
    /// The index of the next draw that can be merged.
    next: u32,
}

#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct MergePlan {
    /// The index of the draw, which is 0 for draws with the primary layout. Those are merged only if no state
    /// has changed.
    pub(crate) index: u32,
    /// The difference between the index of the next draw and this one.
    pub(crate) delta: u32,
}

/// Maximum number of merged draws, which is the largest number in a field of [`FIELD_BITS`] bits of the
/// index.
pub(crate) const MOST_MERGED: u32 = (1 << FIELD_BITS) - 1;

impl WaitingDraw {
    #[inline]
    pub(crate) fn new(indexed: bool, args: InstancedDraw, merging: MergePlan) -> Self {
        Self { indexed, args, next: merging.index.wrapping_add(merging.delta) }
    }

    /// Merges a draw with the draws before it, or returns `false` if it cannot be merged with them.
    #[inline]
    pub(crate) fn merge(&mut self, indexed: bool, args: &InstancedDraw, merging: MergePlan) -> bool {
        let MergePlan { index, delta } = merging;
        let before = &self.args;
        let is_alike = (indexed, args.count, args.start, args.base_vertex)
            == (self.indexed, before.count, before.start, before.base_vertex)
            && index == self.next
            && before.instance_count < MOST_MERGED;
        if !is_alike || carries(index.wrapping_sub(delta), delta) {
            return false;
        }
        self.args.instance_count += 1;
        self.next = index.wrapping_add(delta);
        true
    }
}

/// Merges a draw with the waiting one, or returns `false` if it cannot be merged.
#[inline]
pub(crate) fn merges(
    waiting: &mut Option<WaitingDraw>,
    indexed: bool,
    args: &InstancedDraw,
    merging: Option<MergePlan>,
) -> bool {
    waiting.as_mut().zip(merging).is_some_and(|(waiting, merging)| waiting.merge(indexed, args, merging))
}

/// Returns whether any field overflows in the sum of two indices.
#[inline]
pub(crate) const fn carries(a: u32, b: u32) -> bool {
    const HIGH: u32 = 0x8080_8080;
    let apart = ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH);
    let (sum, overflows) = a.overflowing_add(b);
    overflows || apart != sum
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::encode::parts::windows::put;

    fn args(count: u32) -> InstancedDraw {
        InstancedDraw { count, instance_count: 1, start: 5, base_vertex: -3, start_instance: 0 }
    }

    /// Merges draws with these indices, and returns how many became instances of the first.
    fn merged(delta: u32, indices: impl IntoIterator<Item = u32>) -> u32 {
        let mut indices = indices.into_iter();
        let first = MergePlan { index: indices.next().unwrap(), delta };
        let mut waiting = WaitingDraw::new(true, args(3), first);
        let merges = |index: &u32| waiting.merge(true, &args(3), MergePlan { index: *index, delta });
        indices.take_while(merges).count() as u32
    }

    #[test]
    fn draws_merge_while_every_field_rises_by_its_step() {
        let index = |fields: [u32; 3]| fields[0] << 8 | fields[1] << 16 | fields[2] << 24;
        let delta = index([2, 1, 0]);
        let row = |n: u32| index([2 * n, 7 + n, 9]);
        assert_eq!(merged(delta, (0..100).map(row)), 99);
        assert_eq!(merged(delta, (0..5).chain(6..9).map(row)), 4, "one is missing");
        assert_eq!(merged(delta, [row(0), row(1), index([4, 9, 8])]), 1, "the third field changed");
        assert_eq!(merged(0, [row(1); 300]), 254, "as many as the field for them has");
    }

    #[test]
    fn a_full_field_does_not_carry_into_the_next_field() {
        let delta = put(0, 1);
        let last = put(0, 255) | put(1, 4);
        assert_eq!(merged(delta, [last - delta, last, last + delta]), 1);
        let delta = put(2, 128);
        assert_eq!(merged(delta, [put(2, 0), put(2, 128), 0]), 1);
    }

    #[test]
    fn draws_with_other_arguments_are_not_merged() {
        let merging = MergePlan::default();
        let mut waiting = WaitingDraw::new(false, args(3), merging);
        let InstancedDraw { count, instance_count, start, base_vertex, start_instance } = args(3);
        for other in [
            InstancedDraw { count: count + 1, ..args(3) },
            InstancedDraw { start: start + 1, ..args(3) },
            InstancedDraw { base_vertex: base_vertex + 1, ..args(3) },
        ] {
            assert!(!waiting.merge(false, &other, merging), "{other:?}");
        }
        assert!(!waiting.merge(true, &args(3), merging), "with indices");
        assert!(waiting.merge(false, &args(3), merging));
        assert_eq!((waiting.args.instance_count, instance_count, start_instance), (2, 1, 0));
    }
}
