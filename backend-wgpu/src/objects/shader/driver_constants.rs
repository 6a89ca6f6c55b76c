//! Driver constants: what the driver tells specialised shaders. One block for all passes of the specialiser.
//!
//! A shader has the block only if a pass asks for it ([`super::specialization`]). It is then a uniform buffer in the
//! group of resources, as what it says follows from what is bound there.

use std::num::NonZeroU32;

use bytemuck::{Pod, Zeroable};
use naga::{
    AddressSpace, ArraySize, Expression, Function, GlobalVariable, Handle, Module, ResourceBinding, Scalar,
    Span, StructMember, Type, TypeInner, VectorSize,
};
use onze_ddi::{SamplerDesc, SlotClass};

use super::{RESOURCE_GROUP, RESOURCE_SLOTS, driver_binding};

/// Slots that have a count: the `t` slots, then the `u` slots.
const COUNTED_SLOTS: usize = RESOURCE_SLOTS + SlotClass::UnorderedAccess.slots() as usize;

/// Vectors of four counts: one count for each slot, then one first byte for each slot.
pub(super) const COUNT_VECTORS: usize = 2 * COUNTED_SLOTS / 4;

/// A slot of the block's counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountSlot(usize);

impl CountSlot {
    /// That of a `t` slot.
    pub(crate) const fn resource(slot: u32) -> Self {
        Self(slot as usize)
    }

    /// That of a `u` slot.
    pub(crate) const fn unordered_access(slot: u32) -> Self {
        Self(RESOURCE_SLOTS + slot as usize)
    }

    /// Where the block has the first byte of the slot's typed buffer.
    pub(crate) const fn first_byte(self) -> Self {
        Self(COUNTED_SLOTS + self.0)
    }

    /// The vector of the count.
    pub(super) const fn vector(self) -> usize {
        self.0 / 4
    }

    /// The component of the count in its vector.
    pub(super) const fn component(self) -> usize {
        self.0 % 4
    }
}

/// Sampler slots, and the vectors of each.
const SAMPLER_SLOTS: usize = SlotClass::Sampler.slots() as usize;
const VECTORS_OF_A_SAMPLER: usize = 2;

/// Vectors of numbers of the samplers.
const SAMPLER_VECTORS: usize = VECTORS_OF_A_SAMPLER * SAMPLER_SLOTS;

/// Vectors of four least levels, one for each `t` slot.
const LOD_VECTORS: usize = RESOURCE_SLOTS / 4;

/// The block in WGSL, for functions that a pass adds.
pub(super) fn text() -> String {
    format!(
        "
        struct DriverConstants {{
            counts: array<vec4<u32>, {COUNT_VECTORS}>,
            starts: vec4<u32>,
            samplers: array<vec4<f32>, {SAMPLER_VECTORS}>,
            texture_lods: array<vec4<f32>, {LOD_VECTORS}>,
        }}
        @group(0) @binding(0) var<uniform> driver_constants: DriverConstants;
        "
    )
}

/// Where the block has the least level of a `t` slot, in WGSL.
pub(super) fn texture_lod(slot: u32) -> String {
    format!("driver_constants.texture_lods[{}][{}]", slot / 4, slot % 4)
}

/// A number of a sampler in the block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum SamplerConstants {
    Bias,
    MinLod,
    MaxLod,
    Anisotropy,
    /// A component of the border colour.
    Border(usize),
}

impl SamplerConstants {
    /// The vector and the component of a slot's number.
    pub(super) const fn place(self, slot: u32) -> (usize, usize) {
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

/// The block, as shaders see it.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct DriverConstants {
    /// Of a buffer, the elements that `arrayLength` gives; of a typed buffer its elements; of a texture 1 if there is
    /// one, else 0. Then, of a typed buffer, the bytes in the binding before the first element.
    counts: [[u32; 4]; COUNT_VECTORS],
    /// Of an indirect draw, the base vertex, or else the first one; the start instance; nothing.
    starts: [u32; 4],
    /// What is in the state of the samplers, by [`SamplerConstants`].
    samplers: [[f32; 4]; SAMPLER_VECTORS],
    /// Of each `t` slot, the least level that is left of its view, from the first level of the view on.
    texture_lods: [[f32; 4]; LOD_VECTORS],
}

/// How much of the block a shader has. Pipelines are told apart by it, so the sizes differ.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DriverBlock {
    /// The counts alone.
    Counts,
    /// These and the starts.
    CountsAndStarts,
    /// All of it, for samplers.
    All,
}

impl DriverBlock {
    /// Bytes of it.
    pub(crate) const fn bytes(self) -> u64 {
        match self {
            Self::Counts => STARTS_OFFSET,
            Self::CountsAndStarts => std::mem::offset_of!(DriverConstants, samplers) as u64,
            Self::All => size_of::<DriverConstants>() as u64,
        }
    }
}

/// Where the starts are in the block, in bytes.
pub(crate) const STARTS_OFFSET: u64 = std::mem::offset_of!(DriverConstants, starts) as u64;

impl DriverConstants {
    /// With these counts, and zeros elsewhere.
    pub(crate) fn new(counts: impl Iterator<Item = (CountSlot, u32)>) -> Self {
        let mut block = Self::zeroed();
        for (CountSlot(slot), count) in counts {
            if let Some(place) = block.counts.as_flattened_mut().get_mut(slot) {
                *place = count;
            }
        }
        block
    }

    /// With the numbers of samplers, by their slots.
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

    /// With the least levels of textures, by their `t` slots.
    pub(crate) fn with_texture_lods(mut self, lods: impl Iterator<Item = (u32, f32)>) -> Self {
        for (slot, lod) in lods {
            if let Some(place) = self.texture_lods.as_flattened_mut().get_mut(slot as usize) {
                *place = lod;
            }
        }
        self
    }

    /// The part of it that a shader has.
    pub(crate) fn part(&self, block: DriverBlock) -> &[u32] {
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(self));
        words.get(..block.bytes() as usize / size_of::<u32>()).unwrap_or(words)
    }
}

/// Adds the block to a module.
pub(super) fn declare(module: &mut Module, lane: usize, size: DriverBlock) -> Handle<GlobalVariable> {
    let mut add = |inner| module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let vector = add(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::U32 });
    let length = ArraySize::Constant(NonZeroU32::MIN.saturating_add(COUNT_VECTORS as u32 - 1));
    let counts = add(TypeInner::Array { base: vector, size: length, stride: size_of::<[u32; 4]>() as u32 });
    let member = |name: &str, ty, offset| StructMember { name: Some(name.into()), ty, binding: None, offset };
    let mut members = vec![member("counts", counts, 0)];
    if size != DriverBlock::Counts {
        members.push(member("starts", vector, STARTS_OFFSET as u32));
    }
    if size == DriverBlock::All {
        let vector = add(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 });
        let length = ArraySize::Constant(NonZeroU32::MIN.saturating_add(SAMPLER_VECTORS as u32 - 1));
        let samplers =
            add(TypeInner::Array { base: vector, size: length, stride: size_of::<[f32; 4]>() as u32 });
        members.push(member("samplers", samplers, DriverBlock::CountsAndStarts.bytes() as u32));
        let length = ArraySize::Constant(NonZeroU32::MIN.saturating_add(LOD_VECTORS as u32 - 1));
        let lods = add(TypeInner::Array { base: vector, size: length, stride: size_of::<[f32; 4]>() as u32 });
        let offset = std::mem::offset_of!(DriverConstants, texture_lods) as u32;
        members.push(member("texture_lods", lods, offset));
    }
    let block = TypeInner::Struct { members, span: size.bytes() as u32 };
    let block = Type { name: Some("DriverConstants".into()), inner: block };
    let ty = module.types.insert(block, Span::UNDEFINED);
    let binding = ResourceBinding { group: RESOURCE_GROUP as u32, binding: driver_binding(lane) };
    let variable = GlobalVariable {
        name: Some("driver_constants".into()),
        space: AddressSpace::Uniform,
        binding: Some(binding),
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// A value of the block's starts.
#[derive(Copy, Clone, Debug)]
pub(super) enum StartConstant {
    Vertex,
    Instance,
}

/// Adds the expressions that load a start; the caller emits them. `block` is the expression of the variable.
pub(super) fn load_start(
    function: &mut Function,
    block: Handle<Expression>,
    start: StartConstant,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let starts = add(Expression::AccessIndex { base: block, index: 1 });
    let pointer = add(Expression::AccessIndex { base: starts, index: start as u32 });
    add(Expression::Load { pointer })
}

/// Adds the expressions that load a count; the caller emits them. `block` is the expression of the variable.
pub(super) fn load_count(
    function: &mut Function,
    block: Handle<Expression>,
    CountSlot(slot): CountSlot,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let counts = add(Expression::AccessIndex { base: block, index: 0 });
    let vector = add(Expression::AccessIndex { base: counts, index: slot as u32 / 4 });
    let pointer = add(Expression::AccessIndex { base: vector, index: slot as u32 % 4 });
    add(Expression::Load { pointer })
}
