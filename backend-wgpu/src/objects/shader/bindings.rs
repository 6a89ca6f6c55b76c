//! The driver's bind groups, and the binding of every Direct3D 11 slot within them.
//!
//! | | group | binding |
//! | --- | --- | --- |
//! | `t` | 0 | 2 * slot + lane |
//! | `s` | 0 | 256 + 2 * slot + lane |
//! | `u` | 0 | 288 + 2 * slot + lane |
//! | counters of `u` | 0 | 304 + 2 * slot + lane |
//! | driver constants | 0 | 320 + lane |
//! | `b` | 1 | 2 * slot + lane |
//! | vertex buffers that a shader pulls | 2 | 1 + index; binding 0 holds their offsets |
//! | the viewport fit | 3 | 0 |
//!
//! The [lane](crate::objects::stage) is 0 for vertex and compute shaders and 1 for pixel shaders. Because
//! every binding includes the lane, one group serves both stages of a draw, and most draws bind the same
//! constant buffers to both. Constant buffers have dynamic offsets that change with every draw, while the
//! other resources change with the material. Constant buffers therefore have a group of their own, and it
//! comes after the resources because wgpu rebinds all groups after one that changed.

use onze_ddi::{COUNTER_GROUP, ShaderStage, SlotClass};

use crate::objects::stage::{LANES, lane_of_shader};

/// Number of bind groups that every pipeline layout has.
pub(crate) const GROUPS: usize = 2;

/// Bind group of textures, samplers, unordered-access views and driver constants.
pub(crate) const RESOURCE_GROUP: usize = 0;

/// Bind group of constant buffers.
pub(crate) const CONSTANT_GROUP: usize = 1;

/// Bind group of the vertex buffers that a vertex shader pulls. [`GROUPS`] excludes it, because few draws
/// have it.
pub(crate) const PULL_GROUP: usize = 2;

/// Bind group of the numbers that move a vertex shader's positions into a smaller viewport. Few draws have
/// it.
pub(crate) const FIT_GROUP: usize = 3;

/// Number of texture slots of a stage.
pub(crate) const RESOURCE_SLOTS: usize = SlotClass::ShaderResource.slots() as usize;

/// Returns the binding of a lane's constant buffer or texture.
pub(crate) const fn binding(lane: usize, slot: u32) -> u32 {
    slot * LANES as u32 + lane as u32
}

/// Returns the lane and the slot of a constant buffer's or texture's binding.
pub(crate) const fn lane_and_slot(binding: u32) -> (usize, u32) {
    (binding as usize % LANES, binding / LANES as u32)
}

/// Returns the binding of a lane's sampler.
pub(crate) const fn sampler_binding(lane: usize, slot: u32) -> u32 {
    binding(lane, RESOURCE_SLOTS as u32 + slot)
}

/// Returns the binding of a lane's unordered-access view.
pub(crate) const fn unordered_binding(lane: usize, slot: u32) -> u32 {
    sampler_binding(lane, SlotClass::Sampler.slots() + slot)
}

/// Returns the binding of the counter of a lane's unordered-access view.
pub(crate) const fn counter_binding(lane: usize, slot: u32) -> u32 {
    unordered_binding(lane, SlotClass::UnorderedAccess.slots() + slot)
}

/// Returns the binding of a lane's driver constants.
pub(crate) const fn driver_binding(lane: usize) -> u32 {
    counter_binding(lane, SlotClass::UnorderedAccess.slots())
}

/// Returns the driver's group and binding for a group and a slot of the runtime's convention.
pub(crate) const fn place(stage: ShaderStage, group: u32, slot: u32) -> (u32, u32) {
    let lane = lane_of_shader(stage);
    const CONSTANTS: u32 = SlotClass::ConstantBuffer.group();
    const RESOURCES: u32 = SlotClass::ShaderResource.group();
    const SAMPLERS: u32 = SlotClass::Sampler.group();
    match group {
        CONSTANTS => (CONSTANT_GROUP as u32, binding(lane, slot)),
        RESOURCES => (RESOURCE_GROUP as u32, binding(lane, slot)),
        SAMPLERS => (RESOURCE_GROUP as u32, sampler_binding(lane, slot)),
        COUNTER_GROUP => (RESOURCE_GROUP as u32, counter_binding(lane, slot)),
        // The remaining class is unordered-access views.
        _ => (RESOURCE_GROUP as u32, unordered_binding(lane, slot)),
    }
}
