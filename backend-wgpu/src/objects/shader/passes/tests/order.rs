//! Tests of the order of the passes, and of the part of the key that each pass reads.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use naga::{Binding, Expression, Function, Module};
use onze_ddi::{Format, ResourceKind, SampleKind, ScalarKind, ShaderCode, ShaderStage, TextureDimension};

use super::{
    super::{PASSES, PassContext, specialize},
    languages::specialized,
};
use crate::{
    objects::{
        shader::{
            AlphaUse, BoundRows, ByIndex, ClampedTexture, DriverBlock, IndexedSlot, OtherKind, Outputs,
            PullSpace, PulledElement, PulledSlot, Sampling, SeenBindings, SeenKind, SeenView, Specialization,
            VertexPull, specialization::varyings::Varying,
        },
        state::StepRate,
    },
    testing::shader_code,
};

/// Returns the names of the passes that a key requires.
fn required(code: &ShaderCode, key: &Specialization, backend: wgpu::Backend) -> Vec<&'static str> {
    let context = PassContext::new(code, key, backend);
    PASSES.iter().filter(|pass| (pass.applies)(&context)).map(|pass| pass.name).collect()
}

fn vertex_code(source: &str) -> Arc<ShaderCode> {
    shader_code(ShaderStage::Vertex, source, Vec::new())
}

fn pixel_code(source: &str) -> Arc<ShaderCode> {
    shader_code(ShaderStage::Pixel, source, Vec::new())
}

/// Returns the locations of a module's outputs, each with its interpolation.
fn output_locations(module: &Module) -> Vec<(u32, Option<naga::Interpolation>)> {
    let result = module.entry_points[0].function.result.as_ref().unwrap();
    let naga::TypeInner::Struct { members, .. } = &module.types[result.ty].inner else {
        panic!("{result:?} is not a structure")
    };
    let location = |member: &naga::StructMember| match member.binding {
        Some(Binding::Location { location, interpolation, .. }) => Some((location, interpolation)),
        _ => None,
    };
    members.iter().filter_map(location).collect()
}

fn functions(module: &Module) -> impl Iterator<Item = &Function> {
    let entry_points = module.entry_points.iter().map(|entry_point| &entry_point.function);
    module.functions.iter().map(|(_, function)| function).chain(entry_points)
}

/// Returns the number of functions whose name begins with a prefix.
fn named(module: &Module, prefix: &str) -> usize {
    let is_named = |function: &&Function| function.name.as_deref().is_some_and(|n| n.starts_with(prefix));
    functions(module).filter(is_named).count()
}

/// Returns a pixel shader whose reflection has the 1D image in slot `t0`.
fn with_typed_buffer(source: &str) -> ShaderCode {
    let mut code = (*pixel_code(source)).clone();
    let is_items = |variable: &naga::GlobalVariable| variable.name.as_deref() == Some("items");
    let (binding, _) = code.module.global_variables.iter().find(|(_, found)| is_items(found)).unwrap();
    let (dimension, sample) = (TextureDimension::D1, SampleKind::Float);
    let kind = ResourceKind::Texture { dimension, multisampled: false, sample };
    code.reflection.resources = vec![onze_ddi::ResourceSlot { slot: 0, name: String::new(), kind, binding }];
    code
}

#[test]
fn the_table_in_the_comment_lists_the_passes_in_order() {
    let source = include_str!("../../passes.rs");
    let rows = source.lines().filter_map(|line| line.strip_prefix("//! | `")?.split_once('`'));
    let listed: Vec<_> = rows.map(|(name, _)| name).collect();
    assert_eq!(listed, PASSES.each_ref().map(|pass| pass.name));
}

#[test]
fn each_part_of_the_key_requires_its_own_passes() {
    const ALWAYS: [&str; 3] = ["bindings", "ranges", "invariant_position"];
    let key = Specialization::default;
    let seen = |seen| Specialization { seen, ..key() };
    let outputs = Outputs { alpha: AlphaUse::Kills, ..Outputs::default() };
    let vertex =
        vertex_code("@vertex fn main(@location(0) at: vec4f) -> @builtin(position) vec4f { return at; }");
    let varyings =
        vec![Varying { location: 0, kind: ScalarKind::Float, interpolation: None, sampling: None }];
    let samplings = Some([Some(Sampling::Nothing)].into());
    let rows = Some([BoundRows { slot: 0, rows: 2 }].into());
    let clamps = Some([ClampedTexture { slot: 0, components: 1 }].into());
    let others = Some([OtherKind { slot: 0, kind: ScalarKind::Sint }].into());
    let block = |block| Specialization { block: Some(block), ..key() };
    for (key, added) in [
        (key(), &[][..]),
        (block(DriverBlock::Counts), &["driver_constants", "counts"]),
        (block(DriverBlock::CountsAndStarts), &["driver_constants", "counts", "starts"]),
        (block(DriverBlock::All), &["driver_constants", "counts", "starts"]),
        (Specialization { depth_location: Some(1), ..key() }, &["depth"]),
        (Specialization { outputs, ..key() }, &["outputs"]),
        (Specialization { count_location: Some(1), ..key() }, &["sample_counter"]),
        (Specialization { fills_first: Some(ScalarKind::Float), ..key() }, &["fill_first"]),
        (Specialization { samples: Some(4), ..key() }, &["sample_count"]),
        (seen(SeenBindings { samplings, ..SeenBindings::default() }), &["sampling"]),
        (seen(SeenBindings { single: 1, ..SeenBindings::default() }), &["single_samples"]),
        (seen(SeenBindings { clamps, ..SeenBindings::default() }), &["clamps"]),
        (seen(SeenBindings { others, ..SeenBindings::default() }), &["other_kinds"]),
        (seen(SeenBindings { rows, ..SeenBindings::default() }), &["constant_rows"]),
        (Specialization { by_index: Some(ByIndex::default()), ..key() }, &["by_index"]),
        (
            Specialization {
                pull: Some(Arc::new(VertexPull { slots: Vec::new(), space: PullSpace::Storage })),
                ..key()
            },
            &["pull"],
        ),
        (Specialization { varyings, ..key() }, &["varyings"]),
        (Specialization { is_fitted: true, ..key() }, &["fitted_viewport"]),
        (Specialization { locations: Some([0].into()), ..key() }, &["locations"]),
    ] {
        let is_expected = |name: &&str| ALWAYS.contains(name) || added.contains(name);
        let expected: Vec<_> = PASSES.iter().map(|pass| pass.name).filter(is_expected).collect();
        assert_eq!(required(&vertex, &key, wgpu::Backend::Vulkan), expected, "{key:?}");
    }
}

#[test]
fn only_a_shader_of_direct3d_12_gets_the_reciprocal_of_w() {
    let code =
        pixel_code("@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f { return at; }");
    for (backend, count) in [(wgpu::Backend::Vulkan, 0), (wgpu::Backend::Metal, 0), (wgpu::Backend::Dx12, 1)]
    {
        let module = specialize(&code, &Specialization::default(), backend);
        assert_eq!(named(&module, "with_reciprocal_w"), count, "{backend:?}");
    }
}

/// The words of a typed buffer are only checked by the functions of the typed pass.
#[test]
fn a_typed_buffer_gets_no_range_checks() {
    let source = "
        @group(1) @binding(0) var items: texture_1d<f32>;
        @group(1) @binding(1) var<storage> words: array<f32>;
        @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
            return textureLoad(items, i32(at.x), 0) + words[u32(at.y)];
        }";
    let code = with_typed_buffer(source);
    let view = SeenView { format: Format::R32G32B32A32_FLOAT, kind: SeenKind::Buffer };
    let seen = SeenBindings { views: Some([Some(view)].into()), ..SeenBindings::default() };
    let block = Some(DriverBlock::Counts);
    let module = specialized(&code, &Specialization { block, seen, ..Specialization::default() });
    assert_eq!(named(&module, "in_range"), 1, "only the access of the shader is checked");
}

/// The functions that read elements subtract the starts themselves.
#[test]
fn a_pulling_entry_point_passes_indices_with_their_starts() {
    let code = vertex_code(
        "@vertex fn main(@location(0) at: vec4f, @builtin(vertex_index) v: u32) -> @builtin(position) vec4f {
            return at * f32(v);
        }",
    );
    let element = PulledElement { location: 0, format: Format::R32G32B32A32_FLOAT, offset: 0 };
    let slots = vec![PulledSlot {
        buffer: Some(0),
        is_aligned: false,
        step: StepRate::Vertex,
        elements: vec![element],
    }];
    let pull = Some(Arc::new(VertexPull { slots, space: PullSpace::Storage }));
    let block = Some(DriverBlock::CountsAndStarts);
    let module = specialized(&code, &Specialization { block, pull, ..Specialization::default() });
    let subtracts = |function: &Function| {
        let mut all = function.expressions.iter();
        let op = naga::BinaryOperator::Subtract;
        all.any(|(_, found)| matches!(found, Expression::Binary { op: known, .. } if *known == op))
    };
    assert!(!subtracts(&module.entry_points[0].function), "the indices are not changed before the elements");
    let wrapped = functions(&module).find(|function| function.name.as_deref() == Some("with_elements"));
    assert!(subtracts(wrapped.unwrap()), "the shader receives indices without their starts");
}

#[test]
fn the_location_of_an_index_is_renumbered() {
    let code = vertex_code(
        "@group(0) @binding(0) var<uniform> tint: vec4f;
        struct Out { @builtin(position) at: vec4f, @location(3) color: vec4f }
        @vertex fn main() -> Out { return Out(tint, tint); }",
    );
    let slots = vec![IndexedSlot { slot: 0, field: 0, step: 0 }];
    let by_index = Some(ByIndex { slots, location: Some(16) });
    let locations = Some([3, 16].into());
    let module = specialized(&code, &Specialization { by_index, locations, ..Specialization::default() });
    let found: Vec<_> = output_locations(&module).into_iter().map(|(location, _)| location).collect();
    assert_eq!(found, [0, 1]);
}

#[test]
fn a_renumbered_output_has_the_interpolation_of_the_input() {
    let vertex = vertex_code(
        "struct Out { @builtin(position) at: vec4f, @location(2) a: f32, @location(31) b: f32 }
        @vertex fn main() -> Out { return Out(); }",
    );
    let interpolation = Some(naga::Interpolation::Flat);
    let varyings = vec![Varying { location: 31, kind: ScalarKind::Float, interpolation, sampling: None }];
    let locations = Some([2, 31].into());
    let module = specialized(&vertex, &Specialization { varyings, locations, ..Specialization::default() });
    let flat: Vec<_> = output_locations(&module)
        .into_iter()
        .filter(|(_, interpolation)| *interpolation == Some(naga::Interpolation::Flat))
        .map(|(location, _)| location)
        .collect();
    assert_eq!(flat, [1]);
}

#[test]
fn an_output_of_another_type_keeps_its_bits() {
    let vertex = vertex_code(
        "struct Out {
            @builtin(position) at: vec4f,
            @location(0) @interpolate(flat) a: vec2u,
            @location(1) @interpolate(flat) b: u32,
        }
        @vertex fn main(@builtin(vertex_index) n: u32) -> Out { return Out(vec4f(), vec2u(n), n); }",
    );
    let flat = Some(naga::Interpolation::Flat);
    let varying = |location, kind| Varying { location, kind, interpolation: flat, sampling: None };
    let varyings = vec![varying(0, ScalarKind::Float), varying(1, ScalarKind::Sint)];
    let module = specialized(&vertex, &Specialization { varyings, ..Specialization::default() });
    assert_eq!(output_locations(&module), [(0, flat), (1, flat)]);
    let function = &module.entry_points[0].function;
    let casts = function.expressions.iter().filter_map(|(_, expression)| match expression {
        Expression::As { kind, convert: None, .. } => Some(*kind),
        _ => None,
    });
    assert_eq!(casts.collect::<Vec<_>>(), [naga::ScalarKind::Float, naga::ScalarKind::Sint]);
}

/// The pass for other kinds copies functions in the order of their calls, which changes the handles.
#[test]
fn the_size_query_of_a_copied_function_is_replaced() {
    let code = pixel_code(
        "@group(1) @binding(0) var one: texture_2d<u32>;
        @group(1) @binding(1) var other: texture_2d<f32>;
        fn size(image: texture_2d<f32>) -> vec2u { return textureDimensions(image); }
        fn load(image: texture_2d<u32>) -> vec4u { return textureLoad(image, vec2u(1u, 2u), 0); }
        @fragment fn main() -> @location(0) vec4f {
            return vec4f(load(one)) + vec4f(vec2f(size(other)), 0.0, 1.0);
        }",
    );
    let others = Some([OtherKind { slot: 0, kind: ScalarKind::Sint }].into());
    let seen = SeenBindings { others, ..SeenBindings::default() };
    let block = Some(DriverBlock::Counts);
    let module = specialized(&code, &Specialization { block, seen, ..Specialization::default() });
    let queries = |function: &Function| {
        let all = function.expressions.iter();
        all.filter(|(_, found)| matches!(found, Expression::ImageQuery { .. })).count()
    };
    for function in functions(&module) {
        let is_count = function.name.as_deref() == Some("exact_count");
        assert_eq!(queries(function), usize::from(is_count), "{:?}", function.name);
    }
}

/// The zeros have the kind of the target, and recasting them would change the kind.
#[test]
fn the_zeros_of_a_target_are_not_recast() {
    let code = pixel_code("@fragment fn main() -> @location(1) vec4f { return vec4f(1.0); }");
    let mut outputs = Outputs::default();
    outputs.recast[0] = Some(ScalarKind::Uint);
    let fills_first = Some(ScalarKind::Float);
    let module = specialized(&code, &Specialization { outputs, fills_first, ..Specialization::default() });
    let casts = |function: &Function| {
        let mut all = function.expressions.iter();
        all.any(|(_, found)| matches!(found, Expression::As { .. }))
    };
    assert!(!functions(&module).any(casts), "{module:?}");
}

/// A load from a level before the minimum is out of bounds, but the driver's own loads apply the minimum themselves.
#[test]
fn a_load_of_another_kind_respects_the_minimum_level() {
    let code = pixel_code(
        "@group(1) @binding(0) var one: texture_2d<u32>;
        @fragment fn main() -> @location(0) vec4f { return vec4f(textureLoad(one, vec2u(1u, 2u), 0)); }",
    );
    let others = Some([OtherKind { slot: 0, kind: ScalarKind::Sint }].into());
    let clamps = Some([ClampedTexture { slot: 0, components: 0xf }].into());
    let seen = SeenBindings { others, clamps, ..SeenBindings::default() };
    let block = Some(DriverBlock::All);
    let module = specialized(&code, &Specialization { block, seen, ..Specialization::default() });
    let loads = |function: &Function| {
        let all = function.expressions.iter();
        all.filter(|(_, found)| matches!(found, Expression::ImageLoad { .. })).count()
    };
    let loading: Vec<_> = functions(&module).filter(|f| loads(f) > 0).map(|f| f.name.as_deref()).collect();
    assert_eq!(loading, [Some("load_texture_0")]);
}

/// The pass by index removes the original buffer, which renumbers the variables after it.
#[test]
fn a_typed_buffer_after_an_indexed_buffer_keeps_its_variable() {
    let source = "
        @group(0) @binding(0) var<uniform> tint: vec4f;
        @group(1) @binding(0) var items: texture_1d<f32>;
        @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
            return textureLoad(items, i32(at.x), 0) + tint;
        }";
    let code = with_typed_buffer(source);
    let view = SeenView { format: Format::R32G32B32A32_FLOAT, kind: SeenKind::Buffer };
    let seen = SeenBindings { views: Some([Some(view)].into()), ..SeenBindings::default() };
    let by_index =
        Some(ByIndex { slots: vec![IndexedSlot { slot: 0, field: 0, step: 0 }], location: Some(4) });
    let block = Some(DriverBlock::Counts);
    let module = specialized(&code, &Specialization { block, seen, by_index, ..Specialization::default() });
    let is_buffer =
        |variable: &naga::GlobalVariable| matches!(variable.space, naga::AddressSpace::Storage { .. });
    let buffers = module.global_variables.iter().filter(|(_, variable)| is_buffer(variable));
    let names: Vec<_> = buffers.map(|(_, variable)| variable.name.as_deref()).collect();
    assert_eq!(names, [Some("items")]);
}
