//! Bind groups: those that the next draw or dispatch needs, and the cache of each encoding thread.

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

/// A worker's bind groups, by layout and contents.
#[derive(Debug, Default)]
pub(in crate::encode) struct GroupCache(pub(in crate::encode) Slab<Box<[u64]>, wgpu::BindGroup>);

impl GroupCache {
    /// Drops those with destroyed objects; whether there was one.
    pub(in crate::encode) fn drop_invalidated(&mut self, is_invalid: impl Fn(u64) -> bool) -> bool {
        // The first word is the layout's number. Offsets that are taken for an object cost a bind group.
        self.0.drop_keys(|key| key.iter().skip(1).any(|id| is_invalid(*id)))
    }

    /// Before a run: drops what no run since `oldest` has used.
    pub(in crate::encode) fn retire(&mut self, oldest: u64) {
        self.0.retire(oldest, MOST_GROUPS);
    }

    /// Whether something should be dropped.
    pub(in crate::encode) fn is_full(&self) -> bool {
        self.0.len() > MOST_GROUPS
    }

    #[cfg(test)]
    pub(in crate::encode) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A bind group as the next draw wants it.
#[derive(Debug, Default)]
pub(in crate::encode) struct PendingGroup {
    /// Its place in the cache.
    pub(in crate::encode) place: Option<SlabIndex>,
    /// Dynamic offsets, by binding.
    offsets: [u32; DYNAMIC_OFFSETS],
    /// How many there are.
    dynamic: usize,
}

impl PendingGroup {
    /// All of them, those that are not used, too.
    pub(in crate::encode) fn all_offsets(&self) -> &[u32; DYNAMIC_OFFSETS] {
        &self.offsets
    }

    pub(in crate::encode) fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.dynamic).unwrap_or_default()
    }

    /// Takes other offsets; whether they differ.
    pub(in crate::encode) fn set_offsets(&mut self, offsets: [u32; DYNAMIC_OFFSETS], dynamic: usize) -> bool {
        let differ = self.offsets() != offsets.get(..dynamic).unwrap_or_default();
        (self.offsets, self.dynamic) = (offsets, dynamic);
        differ
    }
}

/// A draw's layout, with the numbers of its groups' layouts.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct FoundLayout {
    pub(in crate::encode) place: SlabIndex,
    pub(in crate::encode) ids: LayoutIds,
}

/// The bind groups as the next draw wants them.
#[derive(Debug, Default)]
pub(in crate::encode) struct PendingGroups {
    /// The layout of a draw with the bound shaders.
    pub(in crate::encode) layout: Option<SlabIndex>,
    pub(in crate::encode) layout_ids: LayoutIds,
    pub(in crate::encode) groups: [PendingGroup; GROUPS],
    /// Bit n: the open pass has another group n, or other offsets of it.
    pub(in crate::encode) moved: u8,
    /// Bit n: the dynamic offset n of the constants has changed since the last draw in the first form.
    pub(in crate::encode) moved_offsets: u32,
    /// Draws are made by index ([`super::fast::by_index`]), with this one, which differs by that from the one before if the two
    /// are merged.
    pub(in crate::encode) indexed: bool,
    pub(in crate::encode) index: u32,
    pub(in crate::encode) delta: u32,
    /// Bit n: two slots share the field n of the index, and have different buffers.
    pub(in crate::encode) split: u8,
    /// Draws in the first form teach which constants change.
    pub(in crate::encode) learns: bool,
    /// The layout of the draw before, if something was learned from that.
    pub(in crate::encode) learned_from: Option<SlabIndex>,
    /// How draws are made, and why they are kept in the first form.
    pub(in crate::encode) way: DrawPath,
    pub(in crate::encode) kept_alone: Option<DrawPath>,
    /// A bound constant buffer is a padded copy, which knows nothing of later writes to the original.
    pub(in crate::encode) padded: bool,
    /// So is a bound resource.
    pub(in crate::encode) padded_resources: bool,
    pub(in crate::encode) key: Vec<u64>,
}

impl PendingGroups {
    /// Changes a dynamic offset of a group.
    #[inline]
    pub(in crate::encode) fn move_offset(&mut self, group: usize, at: u8, offset: u32) {
        if let Some(place) = self.groups[group].offsets.get_mut(usize::from(at)) {
            *place = offset;
            self.moved |= 1 << group;
            if group == CONSTANT_GROUP {
                self.moved_offsets |= 1 << at;
            }
        }
    }

    /// The index of the next draw, and how it may be merged.
    #[inline]
    pub(in crate::encode) fn merging(&self) -> MergePlan {
        MergePlan { index: self.index, delta: self.delta }
    }

    /// Notes whether two slots that share a field have different buffers.
    #[inline]
    pub(in crate::encode) fn set_split(&mut self, field: u8, is_split: bool) {
        self.split = self.split & !(1 << field) | u8::from(is_split) << field;
    }

    /// No group is bound.
    pub(in crate::encode) fn forget_bound(&mut self) {
        self.moved = (1 << self.groups.len()) - 1;
    }
}

/// What the resources of a draw come to.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct FoundResources {
    pub(in crate::encode) layout: FoundLayout,
    /// The place of the bind group; `None` if the shaders read nothing.
    pub(in crate::encode) group: Option<SlabIndex>,
    /// The run in which its textures were last said to be read.
    pub(in crate::encode) read_in: u64,
}

/// By the shaders and what is bound of what they read: views, and samplers. A bind group has another key, as
/// shaders with the same layout share it.
pub(in crate::encode) type ResourceCache = Slab<Box<[u64]>, FoundResources>;
