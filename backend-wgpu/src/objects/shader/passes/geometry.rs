//! The pass that runs a geometry shader in the vertex stage, after the vertex shader
//! ([`specialization::geometry`](crate::objects::shader::specialization::geometry)).
//!
//! Both shaders are rewritten separately by the other passes first. Then this pass adds the module of the
//! geometry shader to the vertex shader's, and turns both entry points into functions. A new entry point
//! expands the draw with the functions of [`text`], which call the two shaders. If a dispatch has stored the
//! vertices, the entry point only loads one of them ([`stored`]).

pub(super) mod link;
mod stored;
pub(super) mod text;

use std::{collections::HashMap, num::NonZeroU32};

use naga::{
    AddressSpace, Arena, ArraySize, BinaryOperator, Binding, Block, BuiltIn, Expression, Function,
    FunctionArgument, FunctionResult, GlobalVariable, Handle, Interpolation, Literal, MemoryDecorations,
    Module, Range, ResourceBinding, Sampling, Scalar, ScalarKind, Span, Statement, StructMember, Type,
    TypeInner,
};
use onze_ddi::{GeometryProgram, OutputValue, ShaderReflection, SystemOutput};

use crate::objects::shader::{
    bindings::{PULL_GROUP, SELECTION_BINDING, VERTEX_END_GROUP},
    rewrite::{calls::sort_functions, import::Import, snippet::Snippet, variables::variable_at},
    specialization::{
        geometry::{Assembly, GeometryStage, selects},
        pull::VertexPull,
        streams::StreamOutput,
    },
};

/// The names that the functions of a geometry shader have while passes rewrite its module, because passes
/// change the handles. WGSL has no such names.
pub(super) const GEOMETRY: &str = "geometry shader";
pub(super) const VERTEX: &str = "vertex of the geometry shader";
pub(super) const APPEND: &str = "append to stream ";
pub(super) const RESTART: &str = "restart strip of stream ";

/// Names the functions of a geometry shader in its module.
pub(super) fn name_functions(module: &mut Module, program: &GeometryProgram) {
    let mut name = |function: Option<Handle<Function>>, name: String| {
        function.into_iter().for_each(|of| module.functions.get_mut(of).name = Some(name.clone()));
    };
    name(Some(program.function), GEOMETRY.into());
    name(program.vertex, VERTEX.into());
    for (number, stream) in program.streams.iter().enumerate() {
        name(stream.append, format!("{APPEND}{number}"));
        name(stream.restart, format!("{RESTART}{number}"));
    }
}

/// Returns the function with a name.
pub(super) fn named(module: &Module, name: &str) -> Option<Handle<Function>> {
    let mut functions = module.functions.iter();
    functions.find(|(_, function)| function.name.as_deref() == Some(name)).map(|(handle, _)| handle)
}

/// The functions of [`text`].
struct DriverFunctions {
    load_vertex: Handle<Function>,
    run_geometry: Handle<Function>,
    expand: Handle<Function>,
    takes_vertex: Handle<Function>,
    skip_vertex: Handle<Function>,
    restart_strip: Handle<Function>,
    number: Handle<Function>,
    primitive_id: Handle<Function>,
}

impl DriverFunctions {
    /// Adds the functions after those in `functions`.
    fn import(
        module: &mut Module,
        functions: &mut Arena<Function>,
        text: &str,
        assembly: &Assembly,
    ) -> Option<Self> {
        let index = assembly.indices.map(|indices| {
            (format!("buffer{}", indices.buffer), variable_at(module, PULL_GROUP, 1 + indices.buffer))
        });
        let selection = selection_variable(module);
        let known =
            [("pulled".to_owned(), variable_at(module, PULL_GROUP, 0)), ("selection".to_owned(), selection)];
        let variables: Vec<_> = known.into_iter().chain(index).collect();
        let variables: Vec<_> = variables.iter().map(|(name, variable)| (name.as_str(), *variable)).collect();
        let by_name = Snippet::new(module, text, &variables).import(functions);
        let find = |name: &str| by_name.get(name).copied();
        Some(Self {
            load_vertex: find("load_vertex")?,
            run_geometry: find("run_geometry")?,
            expand: find("expand")?,
            takes_vertex: find("takes_vertex")?,
            skip_vertex: find("skip_vertex")?,
            restart_strip: find("restart_strip")?,
            number: find("number")?,
            primitive_id: find("primitive_id")?,
        })
    }
}

/// Adds a geometry shader to the module of a vertex shader that pulls its vertices. Other passes have
/// rewritten both modules, and [`name_functions`] has named the functions of the geometry shader.
pub(super) fn merge(
    module: &mut Module,
    pull: &VertexPull,
    geometry: Module,
    program: &GeometryProgram,
    stage: &GeometryStage,
) {
    let mut functions = std::mem::take(&mut module.functions);
    Import::new(module, geometry, HashMap::new()).finish(&mut functions);
    if let Some(output) = StreamOutput::of_vertices(&stage.code).filter(|_| stage.expansion.is_stored) {
        module.functions = functions;
        return stored::load_vertices(module, pull, program, stage, &output);
    }
    if selects(&stage.code.reflection) {
        declare_selection(module);
    }
    let text = text::text(program, stage, pull);
    let driver = DriverFunctions::import(module, &mut functions, &text, &stage.assembly);
    module.functions = functions;
    let Some(entry_point) = module.entry_points.first_mut() else { return };
    let vertex_shader = std::mem::take(&mut entry_point.function);
    let (Some(driver), Some(geometry)) = (driver, named(module, GEOMETRY)) else { return };
    if stage.assembly.is_tessellated {
        link::take_corners(module, driver.number, driver.primitive_id);
    }
    if let Some(inputs) = named(module, VERTEX) {
        link::fill_inputs(module, vertex_shader, inputs, driver.load_vertex, program.input.vertex_count());
    }
    call_with_arguments(module, driver.run_geometry, geometry, 2);
    for number in 1..program.streams.len() {
        if let Some(append) = named(module, &format!("{APPEND}{number}")) {
            call_with_arguments(module, append, driver.skip_vertex, 0);
        }
    }
    if let Some(restart) = named(module, &format!("{RESTART}0")) {
        call_with_arguments(module, restart, driver.restart_strip, 0);
    }
    if let Some(append) = named(module, &format!("{APPEND}0"))
        && let Some(vertex) = module.functions[append].arguments.first().map(|vertex| vertex.ty)
    {
        let kept = private_variable(module, "kept_vertex", vertex);
        let outputs = SystemOutputs::new(module, vertex, &stage.code.reflection);
        keep_vertices(module, append, kept, driver.takes_vertex, &outputs);
        let source = VertexSource::Kept { kept, expand: driver.expand };
        set_entry_point(module, vertex, source, &outputs, stage.primitive_location);
    }
    sort_functions(module);
}

/// Returns the variable of the selected slice and viewport.
fn selection_variable(module: &Module) -> Option<Handle<GlobalVariable>> {
    variable_at(module, VERTEX_END_GROUP, SELECTION_BINDING)
}

/// Adds the variable of the selected slice and viewport.
fn declare_selection(module: &mut Module) {
    let inner = TypeInner::Vector { size: naga::VectorSize::Quad, scalar: Scalar::U32 };
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let binding = ResourceBinding { group: VERTEX_END_GROUP as u32, binding: SELECTION_BINDING };
    let variable = GlobalVariable {
        name: Some("selection".into()),
        space: AddressSpace::Uniform,
        binding: Some(binding),
        ty,
        init: None,
        memory_decorations: MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED);
}

/// Adds a private variable, which is 0 at first.
fn private_variable(module: &mut Module, name: &str, ty: Handle<Type>) -> Handle<GlobalVariable> {
    let variable = GlobalVariable {
        name: Some(name.into()),
        space: AddressSpace::Private,
        binding: None,
        ty,
        init: None,
        memory_decorations: MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// Makes a function that does nothing call another one with its first `count` arguments.
pub(super) fn call_with_arguments(
    module: &mut Module,
    caller: Handle<Function>,
    callee: Handle<Function>,
    count: u32,
) {
    let caller = module.functions.get_mut(caller);
    let mut argument = |at| caller.expressions.append(Expression::FunctionArgument(at), Span::UNDEFINED);
    let arguments = (0..count).map(&mut argument).collect();
    caller.body = Block::from_vec(vec![Statement::Call { function: callee, arguments, result: None }]);
}

/// Makes the function that appends a vertex store it, if it may be the wanted one.
fn keep_vertices(
    module: &mut Module,
    append: Handle<Function>,
    kept: Handle<GlobalVariable>,
    takes: Handle<Function>,
    outputs: &SystemOutputs,
) {
    let append = module.functions.get_mut(append);
    let mut add = |expression| append.expressions.append(expression, Span::UNDEFINED);
    let value = add(Expression::FunctionArgument(0));
    let pointer = add(Expression::GlobalVariable(kept));
    let [zero, no_distance] =
        [Literal::U32(0), Literal::F32(0.0)].map(|literal| add(Expression::Literal(literal)));
    let bits: Vec<_> = (0..outputs.cull_distances.len() as u32)
        .map(|number| add(Expression::Literal(Literal::U32(1 << number))))
        .collect();
    let condition = add(Expression::CallResult(takes));
    let first = append.expressions.len();
    let mut add = |expression| append.expressions.append(expression, Span::UNDEFINED);
    let mut negative = zero;
    for (place, bit) in outputs.cull_distances.iter().zip(bits) {
        let distance = place.value(value, ScalarKind::Float, &mut add);
        let op = BinaryOperator::Less;
        let is_negative = add(Expression::Binary { op, left: distance, right: no_distance });
        let bit = add(Expression::Select { condition: is_negative, accept: bit, reject: zero });
        let op = BinaryOperator::InclusiveOr;
        negative = add(Expression::Binary { op, left: negative, right: bit });
    }
    let [slice, viewport] = [outputs.slice, outputs.viewport]
        .map(|place| place.map_or(zero, |place| place.value(value, ScalarKind::Uint, &mut add)));
    let arguments = vec![negative, slice, viewport];
    let accept = Block::from_vec(vec![Statement::Store { pointer, value }]);
    append.body = Block::new();
    if append.expressions.len() > first {
        append.body.push(Statement::Emit(append.expressions.range_from(first)), Span::UNDEFINED);
    }
    let call = Statement::Call { function: takes, arguments, result: Some(condition) };
    append.body.push(call, Span::UNDEFINED);
    append.body.push(Statement::If { condition, accept, reject: Block::new() }, Span::UNDEFINED);
}

/// A component of an appended vertex.
#[derive(Copy, Clone)]
struct VertexComponent {
    member: u32,
    /// The number of the component, or `None` if the member is a scalar.
    component: Option<u32>,
    /// The kind of the component.
    kind: ScalarKind,
}

impl VertexComponent {
    /// Adds the expressions of the component's value, whose bits become a number of another kind.
    fn value(
        self,
        vertex: Handle<Expression>,
        kind: ScalarKind,
        add: &mut impl FnMut(Expression) -> Handle<Expression>,
    ) -> Handle<Expression> {
        let member = add(Expression::AccessIndex { base: vertex, index: self.member });
        let value =
            self.component.map_or(member, |index| add(Expression::AccessIndex { base: member, index }));
        match self.kind == kind {
            true => value,
            false => add(Expression::As { expr: value, kind, convert: None }),
        }
    }
}

/// The system values of the first stream that have a location.
#[derive(Default)]
struct SystemOutputs {
    clip_distances: Vec<VertexComponent>,
    cull_distances: Vec<VertexComponent>,
    slice: Option<VertexComponent>,
    viewport: Option<VertexComponent>,
    primitive: Option<VertexComponent>,
}

impl SystemOutputs {
    fn new(module: &Module, vertex: Handle<Type>, reflection: &ShaderReflection) -> Self {
        let mut outputs = Self::default();
        let TypeInner::Struct { members, .. } = &module.types[vertex].inner else { return outputs };
        let place = |output: &SystemOutput| {
            let is_there = |member: &StructMember| matches!(member.binding, Some(Binding::Location { location, .. }) if location == output.location);
            let member = members.iter().position(is_there)?;
            let inner = &module.types[members.get(member)?.ty].inner;
            let component =
                inner.vector_size_and_scalar().and_then(|(size, _)| size).map(|_| output.component);
            Some(VertexComponent { member: member as u32, component, kind: inner.scalar_kind()? })
        };
        let mut all: Vec<_> = reflection.system_outputs.iter().filter(|output| output.stream == 0).collect();
        all.sort_by_key(|output| match output.value {
            OutputValue::ClipDistance(number) | OutputValue::CullDistance(number) => number,
            _ => 0,
        });
        for output in all {
            let Some(place) = place(output) else { continue };
            match output.value {
                OutputValue::ClipDistance(_) => outputs.clip_distances.push(place),
                OutputValue::CullDistance(_) => outputs.cull_distances.push(place),
                OutputValue::RenderTargetArrayIndex => outputs.slice = Some(place),
                OutputValue::ViewportArrayIndex => outputs.viewport = Some(place),
                OutputValue::PrimitiveId => outputs.primitive = Some(place),
            }
        }
        outputs
    }
}

/// The source of the vertices that the entry point returns.
#[derive(Copy, Clone)]
enum VertexSource {
    /// A function stores the vertex in a variable, and returns whether its primitive exists.
    Kept { kept: Handle<GlobalVariable>, expand: Handle<Function> },
    /// A function returns the vertex, and another one returns whether its primitive exists.
    Loaded { load: Handle<Function>, exists: Handle<Function> },
}

/// Sets the entry point, which returns a vertex from its source. A vertex of a primitive that does not exist gets a
/// position outside of the clip volume.
fn set_entry_point(
    module: &mut Module,
    vertex: Handle<Type>,
    source: VertexSource,
    system: &SystemOutputs,
    primitive_location: Option<u32>,
) {
    let TypeInner::Struct { members, span } = module.types[vertex].inner.clone() else { return };
    let word =
        module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::U32) }, Span::UNDEFINED);
    let inner = TypeInner::Vector { size: naga::VectorSize::Quad, scalar: Scalar::F32 };
    let vector = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let argument = |name: &str, builtin| FunctionArgument {
        name: Some(name.into()),
        ty: word,
        binding: Some(Binding::BuiltIn(builtin)),
    };
    let mut function = Function {
        arguments: vec![
            argument("vertex", BuiltIn::VertexIndex),
            argument("instance", BuiltIn::InstanceIndex),
        ],
        ..Function::default()
    };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let arguments = [0, 1].map(|at| add(Expression::FunctionArgument(at))).to_vec();
    let [outside, one] = [-2.0, 1.0].map(|number| add(Expression::Literal(Literal::F32(number))));
    let call = |function, arguments, result| Statement::Call { function, arguments, result: Some(result) };
    let (exists, first, calls) = match source {
        VertexSource::Kept { kept, expand } => {
            let exists = add(Expression::CallResult(expand));
            let pointer = add(Expression::GlobalVariable(kept));
            (exists, add(Expression::Load { pointer }), vec![call(expand, arguments, exists)])
        }
        VertexSource::Loaded { load, exists: decide } => {
            let exists = add(Expression::CallResult(decide));
            let first = add(Expression::CallResult(load));
            (exists, first, vec![call(decide, arguments.clone(), exists), call(load, arguments, first)])
        }
    };
    let components = vec![outside, outside, outside, one];
    let outside = add(Expression::Compose { ty: vector, components });
    let mut outputs = Vec::with_capacity(members.len());
    let mut components = Vec::with_capacity(members.len());
    for (index, member) in (0..).zip(members) {
        let value = add(Expression::AccessIndex { base: first, index });
        let is_position = matches!(member.binding, Some(Binding::BuiltIn(BuiltIn::Position { .. })));
        components.push(match is_position {
            true => add(Expression::Select { condition: exists, accept: value, reject: outside }),
            false => value,
        });
        let mut binding = member.binding;
        if let Some(Binding::Location { interpolation, sampling, .. }) = &mut binding
            && interpolation.is_none()
        {
            let is_float = module.types[member.ty].inner.scalar_kind() == Some(ScalarKind::Float);
            (*interpolation, *sampling) = match is_float {
                true => (Some(Interpolation::Perspective), Some(Sampling::Center)),
                false => (Some(Interpolation::Flat), None),
            };
        }
        outputs.push(StructMember { binding, ..member });
    }
    if let Some(last) = system.clip_distances.len().checked_sub(1) {
        let float =
            module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::F32) }, Span::UNDEFINED);
        let size = ArraySize::Constant(NonZeroU32::MIN.saturating_add(last as u32));
        let inner = TypeInner::Array { base: float, size, stride: size_of::<f32>() as u32 };
        let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        let distances = system
            .clip_distances
            .iter()
            .map(|place| place.value(first, ScalarKind::Float, &mut add))
            .collect();
        components.push(add(Expression::Compose { ty, components: distances }));
        let (name, binding) = (Some("clip_distances".into()), Some(Binding::BuiltIn(BuiltIn::ClipDistances)));
        outputs.push(StructMember { name, ty, binding, offset: span });
    }
    if let Some((location, place)) = primitive_location.zip(system.primitive) {
        components.push(place.value(first, ScalarKind::Uint, &mut add));
        let binding = Some(Binding::Location {
            location,
            interpolation: Some(Interpolation::Flat),
            sampling: None,
            blend_src: None,
            per_primitive: false,
        });
        outputs.push(StructMember { name: Some("primitive".into()), ty: word, binding, offset: span + 32 });
    }
    let outputs = TypeInner::Struct { members: outputs, span: span + 48 };
    let ty = module.types.insert(Type { name: Some("Outputs".into()), inner: outputs }, Span::UNDEFINED);
    let value = add(Expression::Compose { ty, components });
    function.result = Some(FunctionResult { ty, binding: None });
    function.body = Block::from_vec(calls);
    let start = match source {
        VertexSource::Kept { .. } => first,
        VertexSource::Loaded { .. } => outside,
    };
    function.body.push(Statement::Emit(Range::new_from_bounds(start, value)), Span::UNDEFINED);
    function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
    if let Some(entry_point) = module.entry_points.first_mut() {
        entry_point.function = function;
    }
}
