//! Driver constants: the block of values that the driver passes to specialised shaders.
//!
//! A module has the block only if its [`Specialization`](super::specialization::Specialization) names a
//! [`DriverBlock`]. The block is then a uniform buffer in the group of resources, because its values follow
//! from the bound resources.

use bytemuck::{Pod, Zeroable};
use onze_ddi::{SamplerDesc, SlotClass};

use super::bindings::RESOURCE_SLOTS;

/// Number of slots with a count: the `t` slots, followed by the `u` slots.
const COUNTED_SLOTS: usize = RESOURCE_SLOTS + SlotClass::UnorderedAccess.slots() as usize;

/// Number of vectors of counts: one count per slot, followed by one first byte per slot.
pub(crate) const COUNT_VECTORS: usize = 2 * COUNTED_SLOTS / 4;

/// Position of a slot's count in the block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountSlot(usize);

impl CountSlot {
    /// Returns the position of a `t` slot's count.
    pub(crate) const fn resource(slot: u32) -> Self {
        Self(slot as usize)
    }

    /// Returns the position of a `u` slot's count.
    pub(crate) const fn unordered_access(slot: u32) -> Self {
        Self(RESOURCE_SLOTS + slot as usize)
    }

    /// Returns the position of the first byte of the slot's typed buffer.
    pub(crate) const fn first_byte(self) -> Self {
        Self(COUNTED_SLOTS + self.0)
    }

    /// Returns the index of the vector that holds the count.
    pub(crate) const fn vector(self) -> usize {
        self.0 / 4
    }

    /// Returns the component of the count within its vector.
    pub(crate) const fn component(self) -> usize {
        self.0 % 4
    }
}

/// Number of sampler slots.
const SAMPLER_SLOTS: usize = SlotClass::Sampler.slots() as usize;

const VECTORS_OF_A_SAMPLER: usize = 2;

/// Number of vectors for all samplers.
pub(crate) const SAMPLER_VECTORS: usize = VECTORS_OF_A_SAMPLER * SAMPLER_SLOTS;

/// Number of vectors of minimum mip levels, which hold one level for each `t` slot.
pub(crate) const LOD_VECTORS: usize = RESOURCE_SLOTS / 4;

/// A number of a sampler's state within the block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SamplerConstants {
    Bias,
    MinLod,
    MaxLod,
    Anisotropy,
    /// A component of the border colour.
    Border(usize),
}

impl SamplerConstants {
    /// Returns the vector and the component of the number for a sampler slot.
    pub(crate) const fn place(self, slot: u32) -> (usize, usize) {
        let (vector, component) = match self {
            Self::Bias => (0, 0),
            Self::MinLod => (0, 1),
            Self::MaxLod => (0, 2),
            Self::Anisotropy => (0, 3),
            Self::Border(component) => (1, component),
        };
        (VECTORS_OF_A_SAMPLER * slot as usize + vector, component)
    }
}

/// The block as shaders read it.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct DriverConstants {
    /// For a buffer, the value of `arrayLength`; for a typed buffer, its number of elements; for a texture, 1
    /// if one is bound, otherwise 0. The second half holds the bytes in the binding before a typed buffer's
    /// first element.
    counts: [[u32; 4]; COUNT_VECTORS],
    /// For an indirect draw, the base vertex or otherwise the first vertex, then the start instance, then
    /// padding.
    starts: [u32; 4],
    /// The state of the samplers, in the layout of [`SamplerConstants`].
    samplers: [[f32; 4]; SAMPLER_VECTORS],
    /// For each `t` slot, the minimum mip level, relative to the first level of the view.
    texture_lods: [[f32; 4]; LOD_VECTORS],
}

/// The part of the block that a shader declares. Each part has its own size, which pipeline keys include.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DriverBlock {
    /// Only the counts.
    Counts,
    /// The counts and the starts.
    CountsAndStarts,
    /// The whole block, for shaders with emulated samplers or minimum mip levels.
    All,
}

impl DriverBlock {
    /// Returns the size of the part in bytes.
    pub(crate) const fn bytes(self) -> u64 {
        match self {
            Self::Counts => STARTS_OFFSET,
            Self::CountsAndStarts => std::mem::offset_of!(DriverConstants, samplers) as u64,
            Self::All => size_of::<DriverConstants>() as u64,
        }
    }
}

/// Byte offset of the starts in the block.
pub(crate) const STARTS_OFFSET: u64 = std::mem::offset_of!(DriverConstants, starts) as u64;

/// Byte offset of the minimum mip levels in the block.
pub(crate) const LODS_OFFSET: u64 = std::mem::offset_of!(DriverConstants, texture_lods) as u64;

impl DriverConstants {
    /// Creates a block from counts, with zeros elsewhere.
    pub(crate) fn new(counts: impl Iterator<Item = (CountSlot, u32)>) -> Self {
        let mut block = Self::zeroed();
        for (CountSlot(slot), count) in counts {
            if let Some(place) = block.counts.as_flattened_mut().get_mut(slot) {
                *place = count;
            }
        }
        block
    }

    /// Sets the numbers of samplers, given with their slots.
    pub(crate) fn with_samplers<'a>(
        mut self,
        samplers: impl Iterator<Item = (u32, &'a SamplerDesc)>,
    ) -> Self {
        for (slot, desc) in samplers {
            let vectors = self.samplers.iter_mut().skip(VECTORS_OF_A_SAMPLER * slot as usize);
            let numbers =
                [desc.mip_lod_bias, desc.min_lod, desc.max_lod, desc.max_anisotropy.clamp(1, 16) as f32];
            vectors.zip([numbers, desc.border_color]).for_each(|(to, from)| *to = from);
        }
        self
    }

    /// Sets the minimum mip levels of textures, given with their `t` slots.
    pub(crate) fn with_texture_lods(mut self, lods: impl Iterator<Item = (u32, f32)>) -> Self {
        for (slot, lod) in lods {
            if let Some(place) = self.texture_lods.as_flattened_mut().get_mut(slot as usize) {
                *place = lod;
            }
        }
        self
    }

    /// Returns the words of the part that a shader declares.
    pub(crate) fn part(&self, block: DriverBlock) -> &[u32] {
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(self));
        words.get(..block.bytes() as usize / size_of::<u32>()).unwrap_or(words)
    }
}
