//! Shaders: the runtime's naga module, moved to the driver's bindings and specialised for the bound state.
//!
//! | file or folder | contents |
//! | --- | --- |
//! | `object` | the shader object |
//! | `modules` | its wgpu modules, one for each specialisation |
//! | `specialization` | the key of a module, with the rules that derive each part |
//! | `passes` | the pipeline that rewrites a module for a key |
//! | `rewrite` | tools for rewriting naga modules |
//! | `bindings` | groups and bindings of all slots |
//! | `pass_through` | geometry shaders of the driver's own, for vertex shaders with the abilities of one |
//! | `driver_constants` | values that the driver passes to specialised shaders |
//! | `cost`, `counts`, `write_order` | analyses of a shader's code, whose results are part of the object |
//! | `formats`, `limits` | facts about formats, and checks against the adapter's limits |
//!
//! This file only re-exports names for the rest of the crate. Files of this room import each other directly.

pub(crate) mod bindings;
#[cfg(any(test, target_arch = "wasm32"))]
mod browser;
mod cost;
mod counts;
mod driver_constants;
mod formats;
mod limits;
mod modules;
mod object;
mod own_point;
mod pass_through;
mod passes;
mod patches;
mod rewrite;
mod specialization;
mod write_order;

pub(crate) use self::{
    bindings::{
        CONSTANT_GROUP, GROUPS, PULL_GROUP, RESOURCE_GROUP, RESOURCE_SLOTS, STREAM_GROUP, VERTEX_END_GROUP,
        binding, counter_binding, driver_binding, sampler_binding, stage_and_slot, unordered_binding,
    },
    counts::{CountedBinding, CountedResource},
    driver_constants::{DriverBlock, DriverConstants, STARTS_OFFSET},
    formats::{kind_of, packed, sample_type, storage_format},
    limits::{StageBindingCounts, bytes_per_sample, check_targets},
    modules::{ShaderModules, shader_source},
    object::Shader,
    passes::{TessellatorPart, tessellator_text},
    patches::hull_program,
    specialization::{
        SeenBindings, Specialization,
        by_index::{ByIndex, FIELD_BITS, FIELDS, IndexedSlot, WINDOW, stride, window_bytes},
        constant_rows::{BoundRows, SeenRows},
        geometry::{
            Assembly, Expansion, ExpansionForm, GeometryStage, PulledIndices, gathered_topology,
            list_topology, program as geometry_program,
        },
        locations::{free as free_register, plan as plan_locations},
        outputs::{AlphaUse, Outputs},
        pixel_inputs::{PixelInputs, PrimitiveNumber, missing as missing_inputs, reads_primitive},
        pull::{PullConstants, PullSpace, PulledElement, PulledSlot, VertexPull, buffer_count},
        sampling::{SampledView, Sampling, SamplingAbilities, Samplings, TexelValues, ViewLevels},
        streams::{
            GatheredConstants, STREAM, StreamDispatch, StreamOutput, StreamStage, THREADS_OF_GROUP,
            captured_primitive,
        },
        tessellation::{
            DIVISION_WORDS, DomainStage, HeaderWord, NUMBERS_OF_PATCH, PointNumbers, domain_program,
            header_words,
        },
        textures::{ClampedTexture, Clamps, OtherKind, OtherKinds, has_slot},
        varyings::differing as differing_varyings,
        view_slots::{SeenKind, SeenSlots, SeenView, ViewSlot, seen_view},
    },
    write_order::VariableTouch,
};

#[cfg(test)]
mod tests;
