//! The driver's bind groups, and the binding of every Direct3D 11 slot within them.
//!
//! | | group | binding |
//! | --- | --- | --- |
//! | `t` | 0 | 6 * slot + stage |
//! | `s` | 0 | 768 + 6 * slot + stage |
//! | `u` | 0 | 864 + 6 * slot + stage |
//! | counters of `u` | 0 | 912 + 6 * slot + stage |
//! | driver constants | 0 | 960 + stage |
//! | `b` | 1 | 6 * slot + stage |
//! | vertex buffers that a shader pulls | 2 | 1 + index; binding 0 holds their offsets |
//! | the viewport fit | 3 | 0 |
//! | the selected slice and viewport | 3 | 1 |
//! | stream output | 3 | 0 to 5 |
//!
//! The stage is [`ShaderStage::index`], and the largest binding, 965, is below wgpu's limit of 1,000. Because
//! every binding includes the stage, one group serves all stages of a draw, and most draws bind the same
//! constant buffers to several stages. Constant buffers have dynamic offsets that change with every draw,
//! while the other resources change with the material. Constant buffers therefore have a group of their own,
//! and it comes after the resources because wgpu rebinds all groups after one that changed.

use onze_ddi::{COUNTER_GROUP, ShaderStage, SlotClass};

/// Number of bind groups that every pipeline layout has.
pub(crate) const GROUPS: usize = 2;

/// Bind group of textures, samplers, unordered-access views and driver constants.
pub(crate) const RESOURCE_GROUP: usize = 0;

/// Bind group of constant buffers.
pub(crate) const CONSTANT_GROUP: usize = 1;

/// Bind group of the vertex buffers that a vertex shader pulls. [`GROUPS`] excludes it, because few draws
/// have it.
pub(crate) const PULL_GROUP: usize = 2;

/// Bind group of the numbers that change the results of the vertex stage: they move positions into a smaller
/// viewport, or select primitives. Few draws have it.
pub(crate) const VERTEX_END_GROUP: usize = 3;

/// Binding in [`VERTEX_END_GROUP`] of the slice and the viewport whose primitives a geometry shader's draw keeps.
pub(crate) const SELECTION_BINDING: u32 = 1;

/// Bind group of stream output in compute pipelines: the numbers of the draw at binding 0, the numbers of primitives
/// or the stored control points at 1, and the buffers of the slots from 2 on.
pub(crate) const STREAM_GROUP: usize = 3;

/// Number of texture slots of a stage.
pub(crate) const RESOURCE_SLOTS: usize = SlotClass::ShaderResource.slots() as usize;

/// Returns the binding of a stage's constant buffer or texture.
pub(crate) const fn binding(stage: ShaderStage, slot: u32) -> u32 {
    slot * ShaderStage::COUNT as u32 + stage.index() as u32
}

/// Returns the stage and the slot of a constant buffer's or texture's binding.
pub(crate) const fn stage_and_slot(binding: u32) -> (ShaderStage, u32) {
    const STAGES: u32 = ShaderStage::COUNT as u32;
    (ShaderStage::ALL[(binding % STAGES) as usize], binding / STAGES)
}

/// Returns the binding of a stage's sampler.
pub(crate) const fn sampler_binding(stage: ShaderStage, slot: u32) -> u32 {
    binding(stage, RESOURCE_SLOTS as u32 + slot)
}

/// Returns the binding of a stage's unordered-access view.
pub(crate) const fn unordered_binding(stage: ShaderStage, slot: u32) -> u32 {
    sampler_binding(stage, SlotClass::Sampler.slots() + slot)
}

/// Returns the binding of the counter of a stage's unordered-access view.
pub(crate) const fn counter_binding(stage: ShaderStage, slot: u32) -> u32 {
    unordered_binding(stage, SlotClass::UnorderedAccess.slots() + slot)
}

/// Returns the binding of a stage's driver constants.
pub(crate) const fn driver_binding(stage: ShaderStage) -> u32 {
    counter_binding(stage, SlotClass::UnorderedAccess.slots())
}

/// Returns the driver's group and binding for a group and a slot of the runtime's convention.
pub(crate) const fn place(stage: ShaderStage, group: u32, slot: u32) -> (u32, u32) {
    const CONSTANTS: u32 = SlotClass::ConstantBuffer.group();
    const RESOURCES: u32 = SlotClass::ShaderResource.group();
    const SAMPLERS: u32 = SlotClass::Sampler.group();
    match group {
        CONSTANTS => (CONSTANT_GROUP as u32, binding(stage, slot)),
        RESOURCES => (RESOURCE_GROUP as u32, binding(stage, slot)),
        SAMPLERS => (RESOURCE_GROUP as u32, sampler_binding(stage, slot)),
        COUNTER_GROUP => (RESOURCE_GROUP as u32, counter_binding(stage, slot)),
        // The remaining class is unordered-access views.
        _ => (RESOURCE_GROUP as u32, unordered_binding(stage, slot)),
    }
}
