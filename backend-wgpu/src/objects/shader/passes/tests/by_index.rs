//! Tests of constant buffers by index.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::ShaderStage;

use super::languages::specialized;
use crate::{
    objects::shader::{ByIndex, IndexedSlot, Specialization},
    testing::shader_code,
};

/// Shaders that read constants in every way, with built-in and user-defined inputs and outputs.
const READING: [(ShaderStage, &str); 3] = [
    (
        ShaderStage::Vertex,
        "
        struct Part { direction: vec3<f32>, size: f32 }
        struct Constants { turn: mat3x3<f32>, parts: array<Part, 3>, small: mat2x2<f32>, last: f32 }
        @group(0) @binding(3) var<uniform> c: Constants;
        @group(0) @binding(0) var<uniform> whole: vec4<f32>;
        struct Input { @builtin(vertex_index) v: u32, @builtin(instance_index) i: u32, @location(0) at: vec3<f32> }
        struct Output { @location(1) @interpolate(flat) n: u32, @builtin(position) position: vec4<f32> }
        fn part(n: u32) -> Part { return c.parts[n % 3u]; }
        @vertex fn vs_main(in: Input) -> Output {
            let p = part(in.i);
            var sum = c.turn * in.at + p.direction * c.parts[1].size + c.turn[in.v % 3u];
            for (var n = 0u; n < 3u; n++) { sum += vec3<f32>(c.small[n % 2u], c.last) + part(n).direction; }
            return Output(in.i, vec4<f32>(sum, whole[in.v % 4u]));
        }",
    ),
    (
        ShaderStage::Vertex,
        "
        @group(0) @binding(0) var<uniform> c: array<vec4<f32>, 16>;
        @vertex fn vs_main() -> @builtin(position) vec4<f32> { return c[3]; }",
    ),
    (
        ShaderStage::Pixel,
        "
        struct Constants { color: vec4<f32>, flags: vec4<u32> }
        @group(0) @binding(0) var<uniform> c: Constants;
        @group(0) @binding(3) var<uniform> other: Constants;
        @fragment fn ps_main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
            let copy = other;
            if (c.flags.x & 1u) != 0u && at.x < copy.color.x { discard; }
            return c.color + dpdx(at) * c.color.w;
        }",
    ),
];

#[test]
fn an_indexed_constant_buffer_becomes_a_window() {
    for (stage, source) in READING {
        let code = shader_code(stage, source, Vec::new());
        for location in [None, Some(4)] {
            if stage == ShaderStage::Pixel && location.is_none() {
                continue;
            }
            for which in [&[0][..], &[3], &[0, 3]] {
                let slots =
                    which.iter().map(|slot| IndexedSlot { slot: *slot, field: *slot as u8 % 3, step: 2 });
                let by_index = Some(ByIndex { slots: slots.collect(), location });
                let specialization = Specialization { by_index, ..Specialization::default() };
                // The call validates the module and writes it in all languages.
                let module = specialized(&code, &specialization);
                let is_window = |variable: &naga::GlobalVariable| {
                    matches!(module.types[variable.ty].inner, naga::TypeInner::Array { stride: 64.., .. })
                };
                let windows =
                    module.global_variables.iter().filter(|(_, variable)| is_window(variable)).count();
                let declared = |slot: &&u32| source.contains(&format!("@binding({slot})"));
                let expected = which.iter().filter(declared).count();
                assert_eq!(windows, expected, "{stage:?} {which:?}");
            }
        }
    }
}

#[test]
fn a_position_is_invariant_in_both_forms() {
    for (stage, source) in READING {
        let code = shader_code(stage, source, Vec::new());
        let by_index = ByIndex { slots: vec![IndexedSlot { slot: 0, field: 0, step: 0 }], location: Some(4) };
        for by_index in [None, Some(by_index)] {
            let specialization = Specialization { by_index, ..Specialization::default() };
            let module = specialized(&code, &specialization);
            let text = format!("{:?}{:?}", module.types, module.entry_points[0].function.result);
            let marked = text.contains("Position { invariant: true }");
            assert_eq!(marked, stage == ShaderStage::Vertex, "{text}");
        }
    }
}
