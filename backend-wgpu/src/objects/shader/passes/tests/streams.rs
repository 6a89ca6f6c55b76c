//! Stream output of vertex shaders, for every topology.

use std::sync::Arc;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use onze_ddi::{Format, OutputRegister, PrimitiveTopology, ShaderStage, StreamOutputDesc, StreamOutputEntry};

use crate::{
    objects::{
        shader::{
            passes::specialize,
            specialization::{
                Specialization,
                geometry::{Assembly, PulledIndices},
                pull::{PullSpace, PulledElement, PulledSlot, VertexPull},
                streams::{StreamDispatch, StreamOutput, StreamStage, captured_primitive},
            },
        },
        state::StepRate,
    },
    testing::shader_code,
};

const SHADER: &str = "
    struct Out { @builtin(position) p: vec4f, @location(1) @interpolate(flat) c: vec3u, @location(3) @interpolate(flat) s: i32 }
    var<private> calls = 1;
    @vertex fn main(@builtin(vertex_index) v: u32, @location(0) e: vec2f) -> Out {
        calls -= 2;
        return Out(vec4f(e, 0.0, 1.0), vec3u(v, 1u, 2u), calls);
    }";

#[test]
fn compute_shaders_for_all_topologies_are_valid() {
    let code = shader_code(ShaderStage::Vertex, SHADER, Vec::new());
    let entry = |slot, register, first_component, component_count, offset| StreamOutputEntry {
        stream: 0,
        slot,
        register,
        first_component,
        component_count,
        offset,
    };
    let entries = vec![
        entry(0, OutputRegister::Position, 0, 4, 0),
        entry(2, OutputRegister::Location(3), 0, 1, 8),
        entry(0, OutputRegister::Location(1), 1, 2, 16),
    ];
    let desc = StreamOutputDesc { entries, strides: [24, 0, 16, 0], rasterized_stream: None };
    let output = StreamOutput::new(&code, &desc);
    let element = PulledElement { location: 0, format: Format::R32G32_FLOAT, offset: 0 };
    let slot =
        PulledSlot { buffer: Some(0), is_aligned: false, step: StepRate::Vertex, elements: vec![element] };
    let indices = PulledIndices { slot: 1, buffer: 1, wide: false, are_gathered: false };
    let of_indices =
        PulledSlot { buffer: Some(1), is_aligned: false, step: StepRate::Vertex, elements: Vec::new() };
    for topology in (1..=64).filter_map(PrimitiveTopology::from_u32) {
        let Some(input) = captured_primitive(topology) else { continue };
        for (indices, slots) in
            [(None, vec![slot.clone()]), (Some(indices), vec![slot.clone(), of_indices.clone()])]
        {
            for (dispatch, space, has_instances) in [
                (StreamDispatch::Count, PullSpace::Uniform, true),
                (StreamDispatch::Write { is_counted: true }, PullSpace::Storage, true),
                (StreamDispatch::Write { is_counted: false }, PullSpace::Uniform, false),
            ] {
                let key = Specialization {
                    pull: Some(Arc::new(VertexPull { slots: slots.clone(), space })),
                    streams: Some(Arc::new(StreamStage {
                        id: 1,
                        output: output.clone(),
                        key: Specialization::default(),
                        assembly: Assembly { topology, indices, is_tessellated: false },
                        input,
                        has_instances,
                        has_loop: has_instances,
                        dispatch,
                        gathered: Vec::new(),
                    })),
                    ..Specialization::default()
                };
                let module = specialize(&code, &key, wgpu::Backend::Vulkan);
                assert_eq!(module.entry_points[0].stage, naga::ShaderStage::Compute);
                let stored = module.global_variables.iter().filter(|(_, variable)| {
                    variable.name.as_deref().is_some_and(|name| name.starts_with("target"))
                });
                let targets = if dispatch == StreamDispatch::Count { 0 } else { 2 };
                assert_eq!(stored.count(), targets, "{dispatch:?}");
                let validated =
                    Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
                assert!(validated.is_ok(), "{topology:?}, {dispatch:?}: {:?}", validated.err());
            }
        }
    }
}
