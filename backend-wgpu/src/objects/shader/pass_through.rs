//! Geometry shaders that append the vertices of their primitive unchanged.
//!
//! In Direct3D 11.3, a vertex or domain shader can select a slice of the targets and a viewport, and write cull
//! distances. wgpu lacks all of them, so such a draw gets a geometry shader of the driver's own, for which everything
//! is emulated.

use std::fmt::Write as _;

use naga::{Binding, BuiltIn, TypeInner};
use onze_ddi::{
    GeometryProgram, GeometryStream, InputPrimitive, OutputValue, PrimitiveTopology, ScalarKind, ShaderCode,
    ShaderInput, ShaderOutput, ShaderProgram, ShaderReflection, ShaderStage, StreamTopology, SystemOutput,
};

use super::specialization::tessellation::returned;

/// Number of locations between two stages (D3D11: `D3D11_VS_OUTPUT_REGISTER_COUNT`).
const LOCATIONS: u32 = 32;

/// The primitives that vertex shaders draw, in the order of [`Shader::pass_through`](super::Shader::pass_through).
pub(super) const PRIMITIVES: [InputPrimitive; 3] =
    [InputPrimitive::Point, InputPrimitive::Line, InputPrimitive::Triangle];

/// Returns the index of a topology's primitive, or `None` for patches.
pub(super) fn primitive(topology: PrimitiveTopology) -> Option<usize> {
    PRIMITIVES.iter().position(|primitive| primitive.accepts(topology))
}

/// Returns whether draws with a vertex or domain shader, but without a geometry shader, need one.
pub(super) fn is_needed(code: &ShaderCode) -> bool {
    let needs = |output: &SystemOutput| match output.value {
        OutputValue::CullDistance(_)
        | OutputValue::RenderTargetArrayIndex
        | OutputValue::ViewportArrayIndex => true,
        OutputValue::ClipDistance(_) | OutputValue::PrimitiveId => false,
    };
    let stage = code.reflection.stage;
    (stage == ShaderStage::Vertex || stage == ShaderStage::Domain)
        && code.reflection.system_outputs.iter().any(needs)
}

fn type_name(output: &ShaderOutput) -> String {
    let scalar = match output.kind {
        ScalarKind::Float => "f32",
        ScalarKind::Sint => "i32",
        ScalarKind::Uint => "u32",
    };
    match output.components {
        1 => scalar.into(),
        components => format!("vec{components}<{scalar}>"),
    }
}

/// Returns the attribute for the interpolation of an output. A sampling that is missing is not the default one, because
/// both stages have to declare the same.
fn interpolation(output: &ShaderOutput) -> String {
    use naga::{Interpolation as I, Sampling as S};
    let interpolation = match output.interpolation {
        _ if output.kind != ScalarKind::Float => "flat",
        Some(I::Flat) => "flat",
        Some(I::Linear) => "linear",
        _ => "perspective",
    };
    let sampling = match output.sampling {
        None => "",
        Some(S::Center) => ", center",
        Some(S::Centroid) => ", centroid",
        Some(S::Sample) => ", sample",
        Some(S::First) => ", first",
        Some(S::Either) => ", either",
    };
    format!("@interpolate({interpolation}{sampling})")
}

/// Returns the number of clip distances that a vertex shader has as a result of their own.
fn clip_distances(code: &ShaderCode) -> Option<u32> {
    let result = returned(code)?;
    let TypeInner::Struct { members, .. } = &code.module.types[result.ty].inner else { return None };
    let is_it = |binding: &Option<Binding>| *binding == Some(Binding::BuiltIn(BuiltIn::ClipDistances));
    let member = members.iter().find(|member| is_it(&member.binding))?;
    match code.module.types[member.ty].inner {
        TypeInner::Array { size: naga::ArraySize::Constant(size), .. } => Some(size.get()),
        _ => None,
    }
}

/// Returns a geometry shader that appends the results of a vertex shader. It also writes the number of the primitive,
/// if a location is left for it.
pub(super) fn create(code: &ShaderCode, input: InputPrimitive) -> Option<ShaderCode> {
    let outputs = &code.reflection.outputs;
    let number =
        (0..LOCATIONS).rev().find(|location| outputs.iter().all(|output| output.location != *location));
    let clip_distances = clip_distances(code);
    let mut text = String::new();
    if clip_distances.is_some() {
        text.push_str("enable clip_distances;\n");
    }
    let mut members = "@builtin(position) position: vec4<f32>,".to_owned();
    for output in outputs {
        let (location, ty) = (output.location, type_name(output));
        let _ = write!(members, "@location({location}) {} output{location}: {ty},", interpolation(output));
    }
    if let Some(count) = clip_distances {
        let _ = write!(members, "@builtin(clip_distances) clip_distances: array<f32, {count}>,");
    }
    let (mut own, mut set) = (String::new(), String::new());
    if let Some(location) = number {
        own = format!("@location({location}) @interpolate(flat) primitive: u32,");
        set.push_str("to.primitive = primitive;");
    }
    let assigned: String = outputs
        .iter()
        .map(|output| format!("to.output{0} = from_vertex.output{0};", output.location))
        .chain(clip_distances.map(|_| "to.clip_distances = from_vertex.clip_distances;".to_owned()))
        .collect();
    let vertices = input.vertex_count();
    let _ = write!(
        text,
        "
        struct Input {{ {members} }}
        struct Vertex {{ {members} {own} }}
        fn vertex(at: u32) -> Input {{ return Input(); }}
        fn append(vertex: Vertex) {{}}
        fn geometry(primitive: u32, instance: u32) {{
            for (var at = 0u; at < {vertices}u; at += 1u) {{
                let from_vertex = vertex(at);
                var to: Vertex;
                to.position = from_vertex.position;
                {assigned}
                {set}
                append(to);
            }}
        }}
        @compute @workgroup_size(1) fn main() {{ geometry(0u, 0u); }}"
    );
    let module = naga::front::wgsl::parse_str(&text);
    debug_assert!(module.is_ok(), "{module:?} of {text}");
    let module = module.ok()?;
    let flags = naga::valid::ValidationFlags::all();
    let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&module);
    debug_assert!(info.is_ok(), "{info:?} of {text}");
    let find = |name: &str| {
        let mut functions = module.functions.iter();
        functions.find(|(_, function)| function.name.as_deref() == Some(name)).map(|(handle, _)| handle)
    };
    let mut reflection = reflection(&code.reflection);
    if let Some(location) = number {
        let value = OutputValue::PrimitiveId;
        reflection.system_outputs.push(SystemOutput { value, stream: 0, location, component: 0 });
    }
    let program = GeometryProgram {
        name: "pass_through".into(),
        input,
        max_vertex_count: vertices,
        instance_count: 1,
        function: find("geometry")?,
        vertex: Some(find("vertex")?),
        streams: vec![GeometryStream {
            topology: match input {
                InputPrimitive::Line => StreamTopology::LineStrips,
                InputPrimitive::Triangle => StreamTopology::TriangleStrips,
                _ => StreamTopology::Points,
            },
            append: Some(find("append")?),
            restart: None,
            has_position: true,
            outputs: reflection.outputs.clone(),
        }],
    };
    Some(ShaderCode { info: info.ok()?, program: ShaderProgram::Geometry(program), reflection, module })
}

/// Returns the reflection of a geometry shader that uses no resources and whose outputs are those of a vertex shader.
fn reflection(vertex: &ShaderReflection) -> ShaderReflection {
    let inputs = vertex.outputs.iter().map(|output| ShaderInput {
        location: output.location,
        name: output.name.clone(),
        semantic_name: output.semantic_name.clone(),
        semantic_index: output.semantic_index,
        kind: output.kind,
        components: output.components,
        component_kinds: output.component_kinds,
        interpolation: output.interpolation,
        sampling: output.sampling,
    });
    ShaderReflection {
        stage: ShaderStage::Geometry,
        constant_buffers: Vec::new(),
        resources: Vec::new(),
        samplers: Vec::new(),
        unordered_access: Vec::new(),
        counters: Vec::new(),
        sampled_pairs: Vec::new(),
        inputs: inputs.collect(),
        outputs: vertex.outputs.clone(),
        system_outputs: vertex.system_outputs.clone(),
        workgroup_size: [0; 3],
        uses_vertex_index: false,
        uses_instance_index: false,
        uses_position: false,
        uses_front_facing: false,
        runs_per_sample: false,
        uses_sample_mask: false,
        writes_depth: false,
        writes_sample_mask: false,
        dual_source: false,
        discards: false,
    }
}
