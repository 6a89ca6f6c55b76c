//! Geometry shaders in WGSL, which are ordinary functions.
//!
//! The module gets a function that calls the shader with the vertices of the primitive, and a compute entry point that
//! calls this function, so that a geometry shader in WGSL has the same form as one in HLSL.

use naga::{
    ArraySize, Binding, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal, Module,
    Scalar, ShaderStage, Span, Statement, Type, TypeInner,
};
use onze_ddi::{InputPrimitive, OutputValue, StreamTopology, SystemOutput};

use super::{
    ShaderError,
    geometry::{GeometryStage, PREFIX, bindings},
};

/// Maximum number of vertices that all invocations for a primitive append, and maximum number of components that one
/// invocation appends (D3D11: `D3D11_GS_MAX_OUTPUT_VERTEX_COUNT_ACROSS_INSTANCES`).
const MOST_VERTICES: u32 = 1024;

/// Maximum number of invocations for a primitive (D3D11: `D3D11_GS_MAX_INSTANCE_COUNT`).
const MOST_INSTANCES: u32 = 32;

/// Maximum number of streams (D3D11: `D3D11_SO_STREAM_COUNT`).
const MOST_STREAMS: usize = 4;

/// Number of locations of a vertex, and maximum number of its members (D3D11: `D3D11_GS_INPUT_REGISTER_COUNT` and
/// `D3D11_GS_OUTPUT_REGISTER_COUNT`).
const REGISTERS: usize = 32;

/// The number of components of each location. The last element is for the position.
type Registers = [u32; REGISTERS + 1];

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

fn refused<T>(reason: impl Into<String>) -> Result<T, ShaderError> {
    Err(ShaderError::Geometry { reason: reason.into() })
}

/// Adds an entry point that calls the shader to a module, and renames the functions that the driver replaces.
pub(super) fn convert(
    module: &mut Module,
    name: &str,
    desc: &GeometryShaderDesc<'_>,
) -> Result<(GeometryStage, Vec<SystemOutput>), ShaderError> {
    check_desc(desc)?;
    let Some(shader) = find(module, name) else {
        return refused(format!("the source has no function `{name}`"));
    };
    let vertices = check_shader(module, shader, name, desc.input)?;
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
    add_entry_point(module, name, shader, vertices);
    let stage = GeometryStage {
        input: desc.input,
        max_vertex_count: desc.max_vertex_count,
        instance_count: desc.instance_count,
        streams: desc.streams.to_vec(),
    };
    Ok((stage, system_outputs))
}

fn check_desc(desc: &GeometryShaderDesc<'_>) -> Result<(), ShaderError> {
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

fn find(module: &Module, name: &str) -> Option<Handle<Function>> {
    let mut functions = module.functions.iter();
    functions.find(|(_, function)| function.name.as_deref() == Some(name)).map(|(handle, _)| handle)
}

/// The arguments of a shader.
struct VertexArray {
    /// The type of the array of vertices.
    array: Handle<Type>,
    vertex: Handle<Type>,
    count: u32,
    /// Number of further arguments, at most two.
    numbers: usize,
}

/// Checks the arguments and the result of a shader.
fn check_shader(
    module: &Module,
    shader: Handle<Function>,
    name: &str,
    input: InputPrimitive,
) -> Result<VertexArray, ShaderError> {
    let function = &module.functions[shader];
    let count = input.vertex_count();
    let form = format!(
        "`{name}` must be declared as `fn {name}(vertices: array<V, {count}>, primitive: u32, instance: u32)`, where V is a \
         structure, and the last two arguments may be absent"
    );
    let [first, numbers @ ..] = &function.arguments[..] else { return refused(form) };
    let TypeInner::Array { base: vertex, size: ArraySize::Constant(length), .. } =
        module.types[first.ty].inner
    else {
        return refused(form);
    };
    let is_number =
        |argument: &FunctionArgument| module.types[argument.ty].inner == TypeInner::Scalar(Scalar::U32);
    let is_valid = length.get() == count
        && matches!(module.types[vertex].inner, TypeInner::Struct { .. })
        && numbers.len() <= 2
        && numbers.iter().all(is_number)
        && function.result.is_none();
    if !is_valid {
        return refused(form);
    }
    check_vertex(module, vertex)?;
    Ok(VertexArray { array: first.ty, vertex, count, numbers: numbers.len() })
}

/// Checks and renames the functions of a stream, and returns the registers of its vertices.
fn check_stream(
    module: &mut Module,
    stream: usize,
    system_outputs: &mut Vec<SystemOutput>,
) -> Result<Registers, ShaderError> {
    let mut registers = [0; REGISTERS + 1];
    let append = format!("append{stream}");
    if let Some(function) = find(module, &append) {
        let arguments = &module.functions[function].arguments;
        let vertex = match &arguments[..] {
            [vertex] if matches!(module.types[vertex.ty].inner, TypeInner::Struct { .. }) => vertex.ty,
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
fn check_further_streams(module: &Module, streams: usize) -> Result<(), ShaderError> {
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
fn rename(module: &mut Module, function: Handle<Function>, name: &str) -> Result<(), ShaderError> {
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

/// Checks the members of a vertex, and returns its registers.
fn check_vertex(module: &Module, vertex: Handle<Type>) -> Result<Registers, ShaderError> {
    let name = module.types[vertex].name.as_deref().unwrap_or("a vertex");
    let mut registers = [0; REGISTERS + 1];
    let TypeInner::Struct { members, .. } = &module.types[vertex].inner else { return Ok(registers) };
    if members.len() > REGISTERS {
        return refused(format!(
            "`{name}` has {} members, but at most {REGISTERS} are possible",
            members.len()
        ));
    }
    for (member, binding) in members.iter().zip(bindings(module, vertex)) {
        let member_name = member.name.as_deref().unwrap_or_default();
        let (size, scalar) = match module.types[member.ty].inner {
            TypeInner::Scalar(scalar) => (1, scalar),
            TypeInner::Vector { size, scalar } => (size as u32, scalar),
            _ => {
                return refused(format!(
                    "the member `{member_name}` of `{name}` must be a scalar or a vector"
                ));
            }
        };
        if ![Scalar::F32, Scalar::I32, Scalar::U32].contains(&scalar) {
            return refused(format!(
                "the components of the member `{member_name}` of `{name}` must be f32, i32 or u32"
            ));
        }
        let (register, attribute) = match binding {
            Some(Binding::BuiltIn(naga::BuiltIn::Position { .. })) => {
                if (size, scalar) != (4, Scalar::F32) {
                    return refused(format!("the position `{member_name}` of `{name}` must be a vec4f"));
                }
                (REGISTERS, "@builtin(position)".to_owned())
            }
            Some(Binding::Location { location, .. }) if (*location as usize) < REGISTERS => {
                (*location as usize, format!("@location({location})"))
            }
            _ => {
                return refused(format!(
                    "the member `{member_name}` of `{name}` needs a @location below {REGISTERS} or @builtin(position)"
                ));
            }
        };
        if std::mem::replace(&mut registers[register], size) != 0 {
            return refused(format!("two members of `{name}` have {attribute}"));
        }
    }
    Ok(registers)
}

/// Adds the members of a vertex whose names are those of system values.
fn add_system_outputs(
    module: &Module,
    vertex: Handle<Type>,
    stream: u32,
    all: &mut Vec<SystemOutput>,
) -> Result<(), ShaderError> {
    let TypeInner::Struct { members, .. } = &module.types[vertex].inner else { return Ok(()) };
    for member in members {
        let Some(Binding::Location { location, .. }) = member.binding else { continue };
        let name = member.name.as_deref().unwrap_or_default();
        let values: &dyn Fn(u32) -> OutputValue = match name {
            "clip_distances" => &OutputValue::ClipDistance,
            "cull_distances" => &OutputValue::CullDistance,
            "layer" => &|_| OutputValue::RenderTargetArrayIndex,
            "viewport" => &|_| OutputValue::ViewportArrayIndex,
            "primitive_id" => &|_| OutputValue::PrimitiveId,
            _ => continue,
        };
        let (size, scalar) = match module.types[member.ty].inner {
            TypeInner::Vector { size, scalar } => (size as u32, scalar),
            TypeInner::Scalar(scalar) => (1, scalar),
            _ => continue,
        };
        let is_distance = name.ends_with("distances");
        if is_distance && scalar != Scalar::F32 {
            return refused(format!("the member `{name}` must be f32, or a vector of f32"));
        }
        if !is_distance && (size, scalar) != (1, Scalar::U32) {
            return refused(format!("the member `{name}` must be u32"));
        }
        let output = |component| SystemOutput { value: values(component), stream, location, component };
        all.extend((0..size).map(output));
    }
    Ok(())
}

/// Adds the function that the driver calls, the function that returns a vertex, and the entry point.
fn add_entry_point(module: &mut Module, name: &str, shader: Handle<Function>, vertices: VertexArray) {
    let VertexArray { array, vertex, count, numbers } = vertices;
    let number = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let number = module.types.insert(number, Span::UNDEFINED);
    let argument = |name: &str| FunctionArgument { name: Some(name.to_owned()), ty: number, binding: None };

    let mut of_index = function("vertex");
    of_index.arguments = vec![argument("index")];
    of_index.result = Some(FunctionResult { ty: vertex, binding: None });
    let nothing = of_index.expressions.append(Expression::ZeroValue(vertex), Span::UNDEFINED);
    push(&mut of_index, Statement::Return { value: Some(nothing) });
    let of_index = module.functions.append(of_index, Span::UNDEFINED);

    let mut geometry = function("geometry");
    geometry.arguments = vec![argument("primitive"), argument("instance")];
    let mut arguments = Vec::new();
    for index in 0..2 {
        arguments.push(geometry.expressions.append(Expression::FunctionArgument(index), Span::UNDEFINED));
    }
    let mut components = Vec::new();
    for index in 0..count {
        let index = Expression::Literal(Literal::U32(index));
        let index = geometry.expressions.append(index, Span::UNDEFINED);
        let result = geometry.expressions.append(Expression::CallResult(of_index), Span::UNDEFINED);
        let call = Statement::Call { function: of_index, arguments: vec![index], result: Some(result) };
        push(&mut geometry, call);
        components.push(result);
    }
    let all = geometry.expressions.append(Expression::Compose { ty: array, components }, Span::UNDEFINED);
    push(&mut geometry, Statement::Emit(naga::Range::new_from_bounds(all, all)));
    let arguments = std::iter::once(all).chain(arguments.into_iter().take(numbers)).collect();
    push(&mut geometry, Statement::Call { function: shader, arguments, result: None });
    push(&mut geometry, Statement::Return { value: None });
    let geometry = module.functions.append(geometry, Span::UNDEFINED);

    let mut entry = Function { name: Some(name.to_owned()), ..Function::default() };
    let zero = entry.expressions.append(Expression::Literal(Literal::U32(0)), Span::UNDEFINED);
    push(&mut entry, Statement::Call { function: geometry, arguments: vec![zero; 2], result: None });
    push(&mut entry, Statement::Return { value: None });
    module.entry_points = vec![naga::EntryPoint {
        name: name.to_owned(),
        stage: ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size: [1; 3],
        workgroup_size_overrides: None,
        function: entry,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    }];
}

fn function(name: &str) -> Function {
    Function { name: Some(format!("{PREFIX}{name}")), ..Function::default() }
}

fn push(function: &mut Function, statement: Statement) {
    function.body.push(statement, Span::UNDEFINED);
}
