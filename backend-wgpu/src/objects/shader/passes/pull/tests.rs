//! Tests of modules that pull vertices. Tests on an adapter check the values that such modules read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use onze_ddi::{Format, ShaderStage};

use super::*;
use crate::{
    objects::shader::{PullSpace, Specialization, passes::tests::languages::specialized},
    testing::shader_code,
};

/// Vertex shaders with elements of every type, as arguments and as members of structures.
const FETCHING: [&str; 3] = [
    "@vertex fn main(@location(1) at: vec4f) -> @builtin(position) vec4f { return at; }",
    "
    struct In {
        @location(3) at: vec2f,
        @builtin(instance_index) instance: u32,
        @location(1) ids: vec4u,
        @builtin(vertex_index) vertex: u32,
        @location(0) signed: vec3i,
    }
    struct Out { @builtin(position) at: vec4f, @location(0) @interpolate(flat) instance: u32 }
    @group(1) @binding(0) var<storage> offsets: array<u32>;
    @vertex fn main(in: In, @location(2) one: f32) -> Out {
        let sum = vec4f(in.at, f32(in.vertex), one) + vec4f(vec4i(in.signed, 1));
        return Out(sum, in.instance + offsets[in.vertex] + in.ids.w);
    }",
    "@vertex fn main(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f { return vec4f(f32(vertex)); }",
];

#[test]
fn a_pulling_shader_has_no_vertex_attributes() {
    let steps = [StepRate::Vertex, StepRate::Instances(1), StepRate::Instances(0), StepRate::Instances(3)];
    for source in FETCHING {
        let code = shader_code(ShaderStage::Vertex, source, Vec::new());
        let formats: Vec<_> = Format::ALL.iter().copied().filter(|f| f.is_vertex_element()).collect();
        for (round, step) in (0..).zip(steps.iter().cycle().take(formats.len())) {
            // Finds the first format from this one on whose kind suits the shader's input.
            let element = |location: u32, kind: &str| {
                let mut found = formats.iter().cycle().skip(round);
                let takes = |format: &&Format| match format.component_kind() {
                    ComponentKind::Uint => kind == "u",
                    ComponentKind::Sint => kind == "i",
                    _ => kind == "f",
                };
                let format = *found.find(takes).unwrap();
                PulledElement { location, format, offset: 7 * location }
            };
            let first = if source.contains("ids: vec4u") { "u" } else { "f" };
            let elements = vec![element(1, first), element(0, "i"), element(2, "f"), element(3, "f")];
            for (buffer, block) in [
                (Some(0), None),
                (Some(1), Some(DriverBlock::Counts)),
                (Some(0), Some(DriverBlock::CountsAndStarts)),
                (None, None),
            ] {
                let slots = vec![
                    PulledSlot {
                        buffer: Some(0),
                        is_aligned: false,
                        step: StepRate::Vertex,
                        elements: Vec::new(),
                    },
                    PulledSlot { buffer, is_aligned: false, step: *step, elements: elements.clone() },
                ];
                let space = if round % 2 == 0 { PullSpace::Storage } else { PullSpace::Uniform };
                let pull = Some(Arc::new(VertexPull { slots, space }));
                let specialization = Specialization { pull, block, ..Specialization::default() };
                // The call validates the module and writes it in all languages.
                let module = specialized(&code, &specialization);
                let function = &module.entry_points[0].function;
                let located =
                    |argument: &FunctionArgument| matches!(argument.binding, Some(Binding::Location { .. }));
                assert!(!function.arguments.iter().any(located), "{source}");
                assert_eq!(function.arguments.len(), 2, "the numbers of vertex and instance");
            }
        }
    }
}
