//! Bind groups: the groups of the next draw or dispatch, and the cache of each encoding thread.

use crate::{
    encode::parts::{
        hash::{Slab, SlabIndex},
        layouts::{DYNAMIC_OFFSETS, LayoutIds},
        merging::MergePlan,
        plans::DrawPath,
    },
    objects::shader::{CONSTANT_GROUP, GROUPS},
    services::sizes::MOST_GROUPS,
};

/// The bind groups of an encoding thread, by layout and contents.
#[derive(Debug, Default)]
pub(crate) struct GroupCache(pub(crate) Slab<Box<[u64]>, wgpu::BindGroup>);

impl GroupCache {
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
pub(crate) struct PendingGroup {
    pub(crate) place: Option<SlabIndex>,
    /// Dynamic offsets, in the order of the bindings.
    offsets: [u32; DYNAMIC_OFFSETS],
    dynamic: usize,
}

impl PendingGroup {
    pub(crate) fn all_offsets(&self) -> &[u32; DYNAMIC_OFFSETS] {
        &self.offsets
    }

    pub(crate) fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.dynamic).unwrap_or_default()
    }

    /// Sets the offsets, and returns whether they differ from the previous ones.
    pub(crate) fn set_offsets(&mut self, offsets: [u32; DYNAMIC_OFFSETS], dynamic: usize) -> bool {
        let differ = self.offsets() != offsets.get(..dynamic).unwrap_or_default();
        (self.offsets, self.dynamic) = (offsets, dynamic);
        differ
    }
}

/// The index of a draw's layout, and the identifiers of its bind group layouts.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FoundLayout {
    pub(crate) place: SlabIndex,
    pub(crate) ids: LayoutIds,
}

#[derive(Debug, Default)]
pub(crate) struct PendingGroups {
    /// Index of the layout for the bound shaders.
    pub(crate) layout: Option<SlabIndex>,
    pub(crate) layout_ids: LayoutIds,
    pub(crate) groups: [PendingGroup; GROUPS],
    /// Bit n: the open pass has a different group n or different offsets for it.
    pub(crate) moved: u8,
    /// Bit n: the dynamic offset n of the constants has changed since the last draw with the primary layout.
    pub(crate) moved_offsets: u32,
    /// Draws use the layout by index (see [`by_index`](crate::encode::fast::by_index)).
    pub(crate) indexed: bool,
    pub(crate) index: u32,
    /// The required difference from the previous draw's index if the two draws are merged.
    pub(crate) delta: u32,
    /// Bit n: two slots share field n of the index but have different buffers.
    pub(crate) split: u8,
    /// Draws with the primary layout are observed to detect which constants change.
    pub(crate) learns: bool,
    /// The layout of the previous draw, if that draw was observed.
    pub(crate) learned_from: Option<SlabIndex>,
    pub(crate) way: DrawPath,
    /// The reason for keeping draws on the primary layout, if there is one.
    pub(crate) kept_alone: Option<DrawPath>,
    /// A bound constant buffer is a padded copy, which does not follow later writes to the original.
    pub(crate) padded: bool,
    pub(crate) padded_resources: bool,
    pub(crate) key: Vec<u64>,
}

impl PendingGroups {
    #[inline]
    pub(crate) fn move_offset(&mut self, group: usize, at: u8, offset: u32) {
        if let Some(place) = self.groups[group].offsets.get_mut(usize::from(at)) {
            *place = offset;
            self.moved |= 1 << group;
            if group == CONSTANT_GROUP {
                self.moved_offsets |= 1 << at;
            }
        }
    }

    /// Returns the index of the next draw and the difference that merging requires.
    #[inline]
    pub(crate) fn merging(&self) -> MergePlan {
        MergePlan { index: self.index, delta: self.delta }
    }

    /// Sets whether two slots that share a field have different buffers.
    #[inline]
    pub(crate) fn set_split(&mut self, field: u8, is_split: bool) {
        self.split = self.split & !(1 << field) | u8::from(is_split) << field;
    }

    pub(crate) fn forget_bound(&mut self) {
        self.moved = (1 << self.groups.len()) - 1;
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
