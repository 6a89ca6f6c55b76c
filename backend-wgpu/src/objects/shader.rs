//! Shaders: the runtime's `naga` module with its bindings at the places of this driver's plan.
//!
//! | | group | binding |
//! | --- | --- | --- |
//! | `t` | 0 | 2 * slot + lane |
//! | `s` | 0 | 256 + 2 * slot + lane |
//! | `u` | 0 | 288 + 2 * slot + lane |
//! | counters of `u` | 0 | 304 + 2 * slot + lane |
//! | driver constants | 0 | 320 + lane |
//! | `b` | 1 | 2 * slot + lane |
//! | vertex buffers that a shader pulls | 2 | 1 + number; 0 has where they begin |
//! | a move into a smaller viewport | 3 | 0 |
//!
//! The [lane](super::stage) is 0 for vertex and 1 for pixel shaders, so each has its slots to itself, and yet a
//! draw binds one group for both: most bind the same constant buffers to both stages. What changes with
//! every draw (constant buffers, bound with dynamic offsets) is apart from what changes with the
//! material. It comes last, as wgpu binds all groups behind one that changed again.

mod accesses;
#[cfg(any(test, target_arch = "wasm32"))]
mod browser;
mod by_index;
mod calls;
mod clamps;
mod constant_rows;
mod counts;
mod depth;
mod depth_slices;
mod driver_constants;
mod elements;
mod entry_point;
mod fitted_viewport;
mod image_arguments;
mod limits;
mod locations;
mod other_kinds;
mod outputs;
mod position_w;
mod pull;
mod ranges;
mod rows;
mod sample_count;
mod sample_counter;
mod sampling;
mod single_samples;
mod snippet;
mod specialization;
mod starts;
mod storage_format;
mod typed;
mod varyings;
mod view_slots;
mod write_order;

use std::sync::Arc;

use onze_ddi::{
    COUNTER_GROUP, CreateError, ResourceKind, ShaderCode, ShaderStage, SlotClass, TextureDimension,
};

use crate::{
    objects::stage::{LANES, lane_of_shader},
    services::{cache_invalidation::CacheId, gpu::Gpu},
};

/// Bind groups of the plan.
pub(crate) const GROUPS: usize = 2;

/// The bind group of textures and samplers.
pub(crate) const RESOURCE_GROUP: usize = 0;

/// The bind group of constant buffers.
pub(crate) const CONSTANT_GROUP: usize = 1;

/// The bind group of vertex buffers that the vertex shader pulls. Few draws have it, and so it is none of [`GROUPS`].
pub(crate) const PULL_GROUP: usize = 2;

/// The bind group that tells a vertex shader how positions move into a smaller viewport. Few draws have it.
pub(crate) const FIT_GROUP: usize = 3;

/// Texture slots of a stage.
pub(crate) const RESOURCE_SLOTS: usize = SlotClass::ShaderResource.slots() as usize;

/// The binding of a lane's constant buffer or texture.
pub(crate) const fn binding(lane: usize, slot: u32) -> u32 {
    slot * LANES as u32 + lane as u32
}

/// The lane and the slot of such a binding.
pub(crate) const fn lane_and_slot(binding: u32) -> (usize, u32) {
    (binding as usize % LANES, binding / LANES as u32)
}

/// The binding of a lane's sampler.
pub(crate) const fn sampler_binding(lane: usize, slot: u32) -> u32 {
    binding(lane, RESOURCE_SLOTS as u32 + slot)
}

/// The binding of a lane's unordered-access view.
pub(crate) const fn unordered_binding(lane: usize, slot: u32) -> u32 {
    sampler_binding(lane, SlotClass::Sampler.slots() + slot)
}

/// The binding of the counter of a lane's unordered-access view.
pub(crate) const fn counter_binding(lane: usize, slot: u32) -> u32 {
    unordered_binding(lane, SlotClass::UnorderedAccess.slots() + slot)
}

/// The binding of a lane's driver constants.
pub(crate) const fn driver_binding(lane: usize) -> u32 {
    counter_binding(lane, SlotClass::UnorderedAccess.slots())
}

pub(crate) use self::{
    by_index::{ByIndex, FIELD_BITS, FIELDS, IndexedSlot, WINDOW, stride},
    clamps::{ClampedTexture, Clamps},
    constant_rows::{BoundRows, OpenConstants, SeenRows},
    counts::{CountedBinding, CountedResource},
    driver_constants::{DriverBlock, DriverConstants, STARTS_OFFSET},
    elements::packed,
    limits::{StageBindingCounts, bytes_per_sample, check_targets},
    locations::plan as plan_locations,
    other_kinds::{OtherKind, OtherKinds},
    outputs::{AlphaUse, Outputs},
    pull::{PullConstants, PulledElement, PulledSlot, VertexPull},
    sampling::{SampledView, Sampling, SamplingAbilities, Samplings, TexelValues, ViewLevels},
    single_samples::has_slot,
    specialization::{SeenBindings, ShaderModules, Specialization},
    storage_format::storage_format,
    varyings::differing as differing_varyings,
    view_slots::{SeenKind, SeenSlots, SeenView, ViewSlot, kind_of, sample_type, seen_view},
    write_order::VariableTouch,
};

/// A shader of any stage.
#[derive(Debug)]
pub(crate) struct Shader {
    /// Tells shaders apart in cache keys.
    pub(crate) id: CacheId,
    /// The modules, with the plan's bindings.
    pub(crate) modules: Arc<ShaderModules>,
    /// What the runtime gave: with the entry point's name, and the reflection, in slots.
    pub(crate) code: Arc<ShaderCode>,
    /// Its resources are more than textures and samplers: it reads or writes buffers through views, or has
    /// [`Shader::open_constants`].
    pub(crate) uses_buffers: bool,
    /// The constant buffers that it indexes, and reads beyond the declared array if more is bound.
    pub(crate) open_constants: Box<[OpenConstants]>,
    /// The constant buffers as bind groups have them: the slot, whether it is open, and the size.
    pub(crate) constant_keys: Box<[u64]>,
    /// The textures and buffers whose sizes it asks for.
    pub(crate) counted: Box<[CountedBinding]>,
    /// What a pixel shader does with what it can write: with `u` slots, then with their counters.
    pub(crate) touches: Box<[VariableTouch]>,
    /// The slots for which its code depends on the views; empty of most shaders.
    pub(crate) view_slots: Box<[ViewSlot]>,
}

impl Shader {
    /// Makes a shader. From any thread.
    ///
    /// # Errors
    /// It needs what the adapter lacks, or wgpu rejects it: then the text has wgpu's words.
    pub(crate) fn new(gpu: &Gpu, code: &Arc<ShaderCode>, label: &str) -> Result<Arc<Self>, CreateError> {
        gpu.check_alive()?;
        check(gpu, code)?;
        let modules = gpu.validated(|| ShaderModules::new(gpu, code, label))?;
        let open_constants = constant_rows::open_constants(code);
        let constants = code.reflection.constant_buffers.iter().map(|constants| {
            let is_open = open_constants.iter().any(|open| open.slot == constants.slot);
            u64::from(constants.size) << 32 | u64::from(constants.slot) << 1 | u64::from(is_open)
        });
        Ok(Arc::new(Self {
            id: gpu.invalidation.new_id(),
            modules: Arc::new(modules),
            code: code.clone(),
            uses_buffers: code.reflection.uses_buffers() || !open_constants.is_empty(),
            constant_keys: constants.collect(),
            open_constants,
            counted: counts::counted(code),
            touches: match code.reflection.stage {
                ShaderStage::Pixel => write_order::touches(code),
                _ => Box::default(),
            },
            view_slots: ViewSlot::all(&code.reflection),
        }))
    }
}

impl Shader {
    /// The bindings that the shader has at most.
    pub(crate) fn bindings(&self) -> StageBindingCounts {
        StageBindingCounts::of(&self.code.reflection)
    }
}

/// Where the plan has what the convention has at `group` and `slot`.
const fn place(stage: ShaderStage, group: u32, slot: u32) -> (u32, u32) {
    let lane = lane_of_shader(stage);
    const CONSTANTS: u32 = SlotClass::ConstantBuffer.group();
    const RESOURCES: u32 = SlotClass::ShaderResource.group();
    const SAMPLERS: u32 = SlotClass::Sampler.group();
    match group {
        CONSTANTS => (CONSTANT_GROUP as u32, binding(lane, slot)),
        RESOURCES => (RESOURCE_GROUP as u32, binding(lane, slot)),
        SAMPLERS => (RESOURCE_GROUP as u32, sampler_binding(lane, slot)),
        COUNTER_GROUP => (RESOURCE_GROUP as u32, counter_binding(lane, slot)),
        // The last class.
        _ => (RESOURCE_GROUP as u32, unordered_binding(lane, slot)),
    }
}

/// Says what the adapter cannot do.
fn check(gpu: &Gpu, code: &ShaderCode) -> Result<(), CreateError> {
    let shader = &code.reflection;
    let limits = &gpu.limits;
    let refused = |words: String| Err(CreateError::Application(words.into()));
    StageBindingCounts::of(shader).check(limits).or_else(refused)?;
    locations::check(limits, shader.stage, &code.module).or_else(refused)?;
    for resource in &shader.resources {
        match resource.kind {
            ResourceKind::Buffer { .. } => {}
            ResourceKind::Texture { dimension: TextureDimension::CubeArray, .. }
                if !gpu.downlevel.flags.contains(wgpu::DownlevelFlags::CUBE_ARRAY_TEXTURES) =>
            {
                return refused(format!("t{}: the adapter has no Features::CUBE_ARRAYS", resource.slot));
            }
            ResourceKind::Texture { dimension, multisampled: true, .. }
                if dimension != TextureDimension::D2 =>
            {
                return refused(format!("t{}: arrays of several samples do not work", resource.slot));
            }
            ResourceKind::Texture { .. } => {}
        }
    }
    let [x, y, z] = shader.workgroup_size;
    let most = limits.max_compute_invocations_per_workgroup;
    if u64::from(x) * u64::from(y) * u64::from(z) > u64::from(most)
        || x > limits.max_compute_workgroup_size_x
        || y > limits.max_compute_workgroup_size_y
        || z > limits.max_compute_workgroup_size_z
    {
        return refused(format!(
            "a group has {x} x {y} x {z} threads; the adapter runs at most {most}, and {} x {} x {}",
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ));
    }
    let (bytes, most) = (code.group_shared_bytes(), limits.max_compute_workgroup_storage_size);
    if bytes > most {
        return refused(format!("a group shares {bytes} bytes of memory, and the adapter has {most}"));
    }
    if shader.dual_source && !gpu.features.contains(wgpu::Features::DUAL_SOURCE_BLENDING) {
        return refused("the shader has a second output, which needs Features::DUAL_SOURCE_BLEND".into());
    }
    if shader.runs_per_sample && !gpu.downlevel.flags.contains(wgpu::DownlevelFlags::MULTISAMPLED_SHADING) {
        return refused("the adapter cannot run pixel shaders per sample".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
