//! Geometry shaders in WGSL, which are ordinary functions.
//!
//! The module gets a function that calls the shader with the vertices of the primitive, and a compute entry point that
//! calls this function, so that a geometry shader in WGSL has the same form as one in HLSL.

use naga::{Function, Handle, Module, Statement};
use onze_ddi::{InputPrimitive, StreamTopology, SystemOutput};

use super::{
    geometry::{GeometryStage, PREFIX},
    wgsl_stage::{
        Body, PointArray, REGISTERS, Reason, Registers, add_placeholder, add_system_outputs, argument,
        check_vertex, find, is_number, is_struct, number_type, refused, set_entry_point,
    },
};

/// Maximum number of vertices that all invocations for a primitive append, and maximum number of components that one
/// invocation appends (D3D11: `D3D11_GS_MAX_OUTPUT_VERTEX_COUNT_ACROSS_INSTANCES`).
const MOST_VERTICES: u32 = 1024;

/// Maximum number of invocations for a primitive (D3D11: `D3D11_GS_MAX_INSTANCE_COUNT`).
const MOST_INSTANCES: u32 = 32;

/// Maximum number of streams (D3D11: `D3D11_SO_STREAM_COUNT`).
const MOST_STREAMS: usize = 4;

/// The primitives of a geometry shader in WGSL. In HLSL, these are attributes and types of the shader.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeometryShaderDesc<'a> {
    /// The primitive that the shader processes. It determines the number of vertices in the shader's first argument.
    pub input: InputPrimitive,
    /// Maximum number of vertices that an invocation appends to all its streams, from 1 to 1,024 (HLSL:
    /// `maxvertexcount`). Further vertices have no effect. The product with the number of components of a vertex is at
    /// most 1,024.
    pub max_vertex_count: u32,
    /// Number of invocations for each primitive, from 1 to 32 and 1 by default (HLSL: `instance`). The product with
    /// `max_vertex_count` is at most 1,024.
    pub instance_count: u32,
    /// The primitives of each stream. There are one to four streams, and several streams must all consist of points.
    pub streams: &'a [StreamTopology],
}

impl<'a> GeometryShaderDesc<'a> {
    /// Describes a shader with one invocation for each primitive.
    pub const fn new(input: InputPrimitive, max_vertex_count: u32, streams: &'a [StreamTopology]) -> Self {
        Self { input, max_vertex_count, instance_count: 1, streams }
    }

    /// Sets the number of invocations for each primitive.
    #[must_use]
    pub const fn with_instances(self, instance_count: u32) -> Self {
        Self { instance_count, ..self }
    }
}

/// Adds an entry point that calls the shader to a module, and renames the functions that the driver replaces.
pub(super) fn convert(
    module: &mut Module,
    name: &str,
    desc: &GeometryShaderDesc<'_>,
) -> Result<(GeometryStage, Vec<SystemOutput>), Reason> {
    check_desc(desc)?;
    let Some(shader) = find(module, name) else {
        return refused(format!("the source has no function `{name}`"));
    };
    let arguments = check_shader(module, shader, name, desc.input)?;
    // As in Direct3D 11, the streams share the registers of a vertex.
    let mut registers: Registers = [0; REGISTERS + 1];
    let mut system_outputs = Vec::new();
    for stream in 0..desc.streams.len() {
        for (all, own) in registers.iter_mut().zip(check_stream(module, stream, &mut system_outputs)?) {
            *all = own.max(*all);
        }
    }
    check_further_streams(module, desc.streams.len())?;
    let components: u32 = registers.iter().sum();
    if components * desc.max_vertex_count > MOST_VERTICES {
        return refused(format!(
            "max_vertex_count {} and the {components} components of a vertex make {}; their product is at most {MOST_VERTICES}",
            desc.max_vertex_count,
            components * desc.max_vertex_count
        ));
    }
    add_entry_point(module, name, shader, arguments);
    let stage = GeometryStage {
        input: desc.input,
        max_vertex_count: desc.max_vertex_count,
        instance_count: desc.instance_count,
        streams: desc.streams.to_vec(),
    };
    Ok((stage, system_outputs))
}

fn check_desc(desc: &GeometryShaderDesc<'_>) -> Result<(), Reason> {
    let GeometryShaderDesc { input, max_vertex_count: count, instance_count: instances, streams } = *desc;
    if !(1..=MOST_VERTICES).contains(&count) {
        return refused(format!("max_vertex_count is {count}, but must be from 1 to {MOST_VERTICES}"));
    }
    if !(1..=MOST_INSTANCES).contains(&instances) {
        return refused(format!("instance_count is {instances}, but must be from 1 to {MOST_INSTANCES}"));
    }
    if count * instances > MOST_VERTICES {
        return refused(format!(
            "max_vertex_count {count} and instance_count {instances} make {}; their product is at most {MOST_VERTICES}",
            count * instances
        ));
    }
    if !(1..=32).contains(&input.vertex_count()) {
        return refused(format!("a patch has 1 to 32 control points, not {}", input.vertex_count()));
    }
    if !(1..=MOST_STREAMS).contains(&streams.len()) {
        return refused(format!("there are {} streams, but must be 1 to {MOST_STREAMS}", streams.len()));
    }
    if streams.len() > 1 && streams.iter().any(|topology| *topology != StreamTopology::Points) {
        return refused("several streams must all consist of points");
    }
    Ok(())
}

/// The arguments of a shader.
struct Arguments {
    vertices: PointArray,
    /// Number of further arguments, at most two.
    numbers: usize,
}

/// Checks the arguments and the result of a shader.
fn check_shader(
    module: &Module,
    shader: Handle<Function>,
    name: &str,
    input: InputPrimitive,
) -> Result<Arguments, Reason> {
    let function = &module.functions[shader];
    let count = input.vertex_count();
    let form = format!(
        "`{name}` must be declared as `fn {name}(vertices: array<V, {count}>, primitive: u32, instance: u32)`, where V is a \
         structure, and the last two arguments may be absent"
    );
    let [first, numbers @ ..] = &function.arguments[..] else { return refused(form) };
    let Some(vertices) = PointArray::of(module, first) else { return refused(form) };
    let is_valid = vertices.count == count
        && numbers.len() <= 2
        && numbers.iter().all(|argument| is_number(module, argument))
        && function.result.is_none();
    if !is_valid {
        return refused(form);
    }
    check_vertex(module, vertices.point)?;
    Ok(Arguments { vertices, numbers: numbers.len() })
}

/// Checks and renames the functions of a stream, and returns the registers of its vertices.
fn check_stream(
    module: &mut Module,
    stream: usize,
    system_outputs: &mut Vec<SystemOutput>,
) -> Result<Registers, Reason> {
    let mut registers = [0; REGISTERS + 1];
    let append = format!("append{stream}");
    if let Some(function) = find(module, &append) {
        let arguments = &module.functions[function].arguments;
        let vertex = match &arguments[..] {
            [vertex] if is_struct(module, vertex.ty) => vertex.ty,
            _ => return refused(format!("`{append}` must have one argument, a structure")),
        };
        registers = check_vertex(module, vertex)?;
        add_system_outputs(module, vertex, stream as u32, system_outputs)?;
        rename(module, function, &append)?;
    }
    let restart = format!("restart{stream}");
    if let Some(function) = find(module, &restart) {
        if !module.functions[function].arguments.is_empty() {
            return refused(format!("`{restart}` must have no arguments"));
        }
        rename(module, function, &restart)?;
    }
    Ok(registers)
}

/// Rejects functions of streams that the description does not have, because their vertices would be lost.
fn check_further_streams(module: &Module, streams: usize) -> Result<(), Reason> {
    for stream in streams..MOST_STREAMS {
        for function in [format!("append{stream}"), format!("restart{stream}")] {
            if find(module, &function).is_some() {
                return refused(format!(
                    "the source has a function `{function}`, but `GeometryShaderDesc::streams` has no stream {stream}"
                ));
            }
        }
    }
    Ok(())
}

/// Renames a function that a driver replaces, after checking that it does nothing.
fn rename(module: &mut Module, function: Handle<Function>, name: &str) -> Result<(), Reason> {
    let function = &mut module.functions[function];
    let is_empty =
        function.body.iter().all(|statement| matches!(statement, Statement::Return { value: None }));
    if !is_empty || function.result.is_some() {
        return refused(format!(
            "`{name}` must have an empty body and no result, because the driver replaces it"
        ));
    }
    function.name = Some(format!("{PREFIX}{name}"));
    Ok(())
}

/// Adds the function that the driver calls, the function that returns a vertex, and the entry point.
fn add_entry_point(module: &mut Module, name: &str, shader: Handle<Function>, arguments: Arguments) {
    let Arguments { vertices, numbers } = arguments;
    let number = number_type(module);
    let of_index = add_placeholder(module, "vertex", vec![argument("index", number)], vertices.point);
    let arguments = vec![argument("primitive", number), argument("instance", number)];
    let mut geometry = Body::new("geometry", arguments, None);
    let values = [geometry.argument(0), geometry.argument(1)];
    let all = geometry.fetch(vertices, of_index);
    let arguments = std::iter::once(all).chain(values.into_iter().take(numbers)).collect();
    geometry.call_only(shader, arguments);
    let geometry = geometry.finish(&mut module.functions, None);
    set_entry_point(module, name, |entry| {
        let zero = entry.number(0);
        entry.call_only(geometry, vec![zero; 2]);
    });
}
