//! Bind groups: the groups of the next draw or dispatch, and the cache of each encoding thread.

use crate::{
    encode::parts::{
        draw_index::DrawIndex,
        hash::{Slab, SlabIndex},
        layouts::{DYNAMIC_OFFSETS, LayoutIds},
        resource_key::ResourceKey,
    },
    objects::shader::{CONSTANT_GROUP, GROUPS},
    services::sizes::MOST_GROUPS,
};

/// Bind groups with their numbers and their dynamic offsets.
pub(crate) type BoundGroups = Vec<(u32, wgpu::BindGroup, Vec<u32>)>;

/// The bind groups of an encoding thread, by layout and contents.
#[derive(Debug, Default)]
pub(crate) struct GroupCache(Slab<Box<[u64]>, wgpu::BindGroup>);

impl GroupCache {
    #[inline]
    pub(crate) fn get(&self, place: SlabIndex) -> Option<&wgpu::BindGroup> {
        self.0.get(place)
    }

    pub(crate) fn find(&mut self, key: &[u64], run: u64) -> Option<SlabIndex> {
        self.0.find_words(key, run)
    }

    pub(crate) fn insert(&mut self, key: &[u64], group: wgpu::BindGroup, run: u64) -> SlabIndex {
        self.0.insert(key.into(), group, run)
    }

    /// Drops groups with destroyed objects, and returns whether there was one.
    pub(crate) fn drop_invalidated(&mut self, is_invalid: impl Fn(u64) -> bool) -> bool {
        // The first word identifies the layout. A dynamic offset is not in the key, and a fixed offset that
        // equals a destroyed identifier only costs a new bind group.
        self.0.drop_keys(|key| key.iter().skip(1).any(|id| is_invalid(*id)))
    }

    /// Drops groups that no run since `oldest` has used, before a run.
    pub(crate) fn retire(&mut self, oldest: u64) {
        self.0.retire(oldest, MOST_GROUPS);
    }

    /// Returns whether the cache contains more groups than it should keep.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() > MOST_GROUPS
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[derive(Debug, Default)]
struct PendingGroup {
    place: Option<SlabIndex>,
    /// Dynamic offsets, in the order of the bindings.
    offsets: [u32; DYNAMIC_OFFSETS],
    dynamic: usize,
    /// The group contains padded copies of buffers, which do not follow later writes to the originals.
    padded: bool,
}

impl PendingGroup {
    #[inline]
    fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.dynamic).unwrap_or_default()
    }
}

/// The index of a draw's layout, and the identifiers of its bind group layouts.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FoundLayout {
    pub(crate) place: SlabIndex,
    pub(crate) ids: LayoutIds,
}

/// The bind groups of the next draw or dispatch, and which of them the open pass lacks.
#[derive(Debug, Default)]
pub(crate) struct PendingGroups {
    /// Index of the layout for the bound shaders.
    layout: Option<SlabIndex>,
    layout_ids: LayoutIds,
    groups: [PendingGroup; GROUPS],
    /// Bit n: the open pass has a different group n or different offsets for it.
    moved: u8,
    /// Bit n: dynamic offset n of the constants has changed since the last observed draw.
    moved_constants: u32,
    /// Memory for the keys of groups, kept for the next look-up.
    key: Vec<u64>,
    /// The key of the resources that were resolved last.
    pub(crate) resource_key: ResourceKey,
    pub(crate) index: DrawIndex,
}

impl PendingGroups {
    /// Returns the index of the layout for the bound shaders.
    #[inline]
    pub(crate) const fn layout(&self) -> Option<SlabIndex> {
        self.layout
    }

    pub(crate) const fn set_layout(&mut self, layout: SlabIndex) {
        self.layout = Some(layout);
    }

    #[inline]
    pub(crate) const fn layout_ids(&self) -> LayoutIds {
        self.layout_ids
    }

    /// Sets the identifiers of the bind group layouts, and returns the previous ones if they differ.
    #[inline]
    pub(crate) fn replace_layout_ids(&mut self, ids: LayoutIds) -> Option<LayoutIds> {
        let differ = self.layout_ids != ids;
        differ.then(|| std::mem::replace(&mut self.layout_ids, ids))
    }

    /// Takes the allocation for a key, which is to be returned by [`keep_key`](Self::keep_key).
    #[inline]
    pub(crate) fn take_key(&mut self) -> Vec<u64> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key
    }

    #[inline]
    pub(crate) fn keep_key(&mut self, key: Vec<u64>) {
        self.key = key;
    }

    /// Sets group `group`, and returns whether it was removed, so that the pass must bind
    /// all groups again.
    #[inline]
    pub(crate) fn set_group(&mut self, group: usize, place: Option<SlabIndex>) -> bool {
        let pending = &mut self.groups[group];
        if pending.place == place {
            return false;
        }
        pending.place = place;
        self.moved |= 1 << group;
        place.is_none()
    }

    /// Returns whether a group has dynamic offsets.
    #[inline]
    pub(crate) fn has_offsets(&self, group: usize) -> bool {
        self.groups[group].dynamic != 0
    }

    /// Sets the dynamic offsets of a group. Only the first `dynamic` offsets are used.
    pub(crate) fn set_offsets(&mut self, group: usize, offsets: [u32; DYNAMIC_OFFSETS], dynamic: usize) {
        let pending = &mut self.groups[group];
        if pending.offsets() != offsets.get(..dynamic).unwrap_or_default() {
            self.moved |= 1 << group;
        }
        (pending.offsets, pending.dynamic) = (offsets, dynamic);
    }

    #[inline]
    pub(crate) fn move_offset(&mut self, group: usize, at: u8, offset: u32) {
        if let Some(place) = self.groups[group].offsets.get_mut(usize::from(at)) {
            *place = offset;
            self.moved |= 1 << group;
            if group == CONSTANT_GROUP {
                self.moved_constants |= 1 << at;
            }
        }
    }

    /// Returns the dynamic offsets of the constants, including unused ones.
    pub(crate) const fn constant_offsets(&self) -> &[u32; DYNAMIC_OFFSETS] {
        &self.groups[CONSTANT_GROUP].offsets
    }

    #[inline]
    pub(crate) const fn has_moved_constants(&self) -> bool {
        self.moved_constants != 0
    }

    /// Returns the dynamic offsets of the constants, one bit each, that have changed since the last observed
    /// draw, and starts a new collection.
    pub(crate) const fn take_moved_constants(&mut self) -> u32 {
        std::mem::replace(&mut self.moved_constants, 0)
    }

    pub(crate) const fn set_moved_constants(&mut self, moved: u32) {
        self.moved_constants = moved;
    }

    /// Sets whether a group contains padded copies of buffers, which do not follow later writes to the
    /// originals.
    #[inline]
    pub(crate) fn set_padded(&mut self, group: usize, padded: bool) {
        self.groups[group].padded = padded;
    }

    #[inline]
    pub(crate) fn is_padded(&self, group: usize) -> bool {
        self.groups[group].padded
    }

    /// Returns whether any group contains padded copies.
    #[inline]
    pub(crate) fn has_padded(&self) -> bool {
        self.groups.iter().any(|group| group.padded)
    }

    /// Makes the next draw or dispatch bind all groups, because the pass has none.
    pub(crate) fn forget_bound(&mut self) {
        self.moved = (1 << self.groups.len()) - 1;
    }

    /// Returns whether the pass lacks a group or has different offsets for it.
    #[inline]
    pub(crate) const fn has_moved(&self) -> bool {
        self.moved != 0
    }

    /// Returns the groups that the pass lacks, with their numbers and dynamic offsets, and considers them
    /// bound.
    #[inline]
    pub(crate) fn take_moved(&mut self) -> impl Iterator<Item = (u32, SlabIndex, &[u32])> {
        let (mut moved, groups) = (std::mem::take(&mut self.moved), &self.groups);
        std::iter::from_fn(move || {
            while moved != 0 {
                let at = moved.trailing_zeros();
                moved &= moved - 1;
                if let Some(group) = groups.get(at as usize)
                    && let Some(place) = group.place
                {
                    return Some((at, place, group.offsets()));
                }
            }
            None
        })
    }
}

/// The resolved resources of a draw or dispatch.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FoundResources {
    pub(crate) layout: FoundLayout,
    /// Index of the bind group, or `None` if the shaders use no resources.
    pub(crate) group: Option<SlabIndex>,
    /// The section of a run in which reads of its textures were last declared.
    pub(crate) read_in: u64,
}

/// Resolved resources, by the shaders and the views and samplers in the slots that they use. Bind groups have
/// different keys, because shaders with the same layout share them.
pub(crate) type ResourceCache = Slab<Box<[u64]>, FoundResources>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::parts::hash::NO_INDEX;

    /// Vulkan requires that the groups after a removed one are bound again.
    #[test]
    fn a_removed_group_is_reported() {
        let mut groups = PendingGroups::default();
        assert!(!groups.set_group(0, None), "nothing changes");
        assert!(!groups.set_group(0, Some(NO_INDEX)));
        assert_eq!(groups.take_moved().count(), 1);
        assert!(!groups.set_group(0, Some(NO_INDEX)));
        assert!(!groups.has_moved(), "nothing changes");
        assert!(groups.set_group(0, None));
        assert!(groups.has_moved());
    }

    #[test]
    fn one_padded_group_is_enough() {
        let mut groups = PendingGroups::default();
        assert!(!groups.has_padded());
        groups.set_padded(CONSTANT_GROUP, true);
        assert!(groups.has_padded() && groups.is_padded(CONSTANT_GROUP));
        groups.set_padded(CONSTANT_GROUP, false);
        assert!(!groups.has_padded());
    }
}
