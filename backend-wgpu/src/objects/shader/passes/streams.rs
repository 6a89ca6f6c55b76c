//! The pass that turns a vertex shader, and perhaps a geometry shader, into a compute shader that writes vertices
//! ([`specialization::streams`](crate::objects::shader::specialization::streams)).
//!
//! As for a draw, both shaders are rewritten separately first. Then the entry point becomes a function, and the
//! functions of [`text`] call the shaders for each primitive and write the captured components.

mod gathered;
mod text;

use std::collections::HashMap;

use naga::{
    AddressSpace, Arena, ArraySize, BinaryOperator, Binding, Block, BuiltIn, Expression, Function,
    FunctionArgument, GlobalVariable, Handle, Literal, MemoryDecorations, Module, ResourceBinding, Scalar,
    ScalarKind, Span, Statement, StorageAccess, Type, TypeInner, VectorSize,
};
use onze_ddi::GeometryProgram;

use crate::objects::shader::{
    bindings::{PULL_GROUP, STREAM_GROUP},
    patches::OUTPUT_POINT,
    rewrite::{calls::sort_functions, import::Import, snippet::Snippet, variables::variable_at},
    specialization::{
        pull::{PullSpace, VertexPull},
        streams::{StreamDispatch, StreamStage, THREADS_OF_GROUP, is_register},
    },
};

use self::text::Captured;
use super::{
    geometry::{APPEND, GEOMETRY, RESTART, VERTEX, call_with_arguments, link, named},
    tessellation::load_members,
};

/// Turns the module of a vertex shader that pulls its vertices into a compute shader. `geometry` is the module of the
/// geometry shader, whose functions have names.
pub(super) fn merge(
    module: &mut Module,
    pull: &VertexPull,
    geometry: Option<(Module, &GeometryProgram)>,
    stage: &StreamStage,
) {
    let mut functions = std::mem::take(&mut module.functions);
    let program = geometry.map(|(from, program)| {
        Import::new(module, from, HashMap::new()).finish(&mut functions);
        program
    });
    let text = text::text(stage, program, pull);
    let names = DriverNames::import(module, &mut functions, &text, stage);
    module.functions = functions;
    let Some(entry_point) = module.entry_points.first_mut() else { return };
    let vertex_shader = std::mem::take(&mut entry_point.function);
    let find = |name: &str| names.function(name);
    let (Some(load_vertex), Some(run_thread)) = (find("load_vertex"), find("run_thread")) else { return };
    if let (Some(number), Some(primitive_id)) = (find("number"), find("primitive_id"))
        && stage.assembly.is_tessellated
    {
        link::take_corners(module, number, primitive_id);
    }
    match program {
        None => capture_results(module, vertex_shader, load_vertex, stage, &names),
        Some(program) => {
            if let Some(inputs) = named(module, VERTEX) {
                let vertices = program.input.vertex_count();
                link::fill_inputs(module, vertex_shader, inputs, load_vertex, vertices);
            }
            if let (Some(run), Some(geometry)) = (find("run_geometry"), named(module, GEOMETRY)) {
                call_with_arguments(module, run, geometry, 2);
            }
            if let (Some(output), Some(word)) = (named(module, OUTPUT_POINT), find("word_of_point")) {
                let points = declare_points(module);
                load_members(module, output, points, word, stage.output.points.as_deref());
            }
            for number in 0..program.streams.len() {
                if let (Some(caller), Some(restart)) =
                    (named(module, &format!("{RESTART}{number}")), find("restart_strip"))
                {
                    call_with_arguments(module, caller, restart, 0);
                }
                let Some(append) = named(module, &format!("{APPEND}{number}")) else { continue };
                let captured = Captured::new(stage, number);
                let is_counted = stage.output.counted_streams().any(|stream| stream == number);
                match (is_counted, find("skip_vertex")) {
                    (true, _) => capture_vertex(module, append, stage, &captured, &names),
                    (false, Some(skip)) => call_with_arguments(module, append, skip, 0),
                    (false, None) => {}
                }
            }
        }
    }
    if let Some(load) = find("load_constants") {
        gathered::load_constants(module, load, &stage.gathered);
    }
    set_entry_point(module, run_thread);
    sort_functions(module);
    if pull.space == PullSpace::Record
        && let Some(pulled) = variable_at(module, PULL_GROUP, 0)
    {
        // The binding was the name of the variable for the passes.
        module.global_variables.get_mut(pulled).binding = None;
    }
}

/// Adds the variable of the stored control points. It has the binding of the counts, because nothing is counted while
/// patch constants are stored. Shaders may write it, because the patch constants are in the same buffer, and wgpu does
/// not bind a buffer for reading and for writing in one dispatch.
fn declare_points(module: &mut Module) -> Handle<GlobalVariable> {
    let inner = TypeInner::Scalar(Scalar::U32);
    let base = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let inner = TypeInner::Array { base, size: ArraySize::Dynamic, stride: size_of::<u32>() as u32 };
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let variable = GlobalVariable {
        name: Some("points".into()),
        space: AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE },
        binding: Some(ResourceBinding { group: STREAM_GROUP as u32, binding: 1 }),
        ty,
        init: None,
        memory_decorations: MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// The functions and variables of the text, by name.
struct DriverNames {
    functions: HashMap<String, Handle<Function>>,
    /// Number of variables that the shaders of the application have, which may have the same names.
    first_variable: usize,
}

impl DriverNames {
    /// Adds the functions after those in `functions`.
    fn import(module: &mut Module, functions: &mut Arena<Function>, text: &str, stage: &StreamStage) -> Self {
        let first_variable = module.global_variables.len();
        let mut variables = vec![("pulled".to_owned(), variable_at(module, PULL_GROUP, 0))];
        variables.extend(stage.assembly.indices.map(|indices| {
            (format!("buffer{}", indices.buffer), variable_at(module, PULL_GROUP, 1 + indices.buffer))
        }));
        let variables: Vec<_> = variables.iter().map(|(name, variable)| (name.as_str(), *variable)).collect();
        Self { functions: Snippet::new(module, text, &variables).import(functions), first_variable }
    }

    fn function(&self, name: &str) -> Option<Handle<Function>> {
        self.functions.get(name).copied()
    }

    fn variable(&self, module: &Module, name: &str) -> Option<Handle<GlobalVariable>> {
        let mut own = module.global_variables.iter().skip(self.first_variable);
        own.find(|(_, variable)| variable.name.as_deref() == Some(name)).map(|(handle, _)| handle)
    }
}

/// Makes the function that loads a vertex run the vertex shader and capture its results.
fn capture_results(
    module: &mut Module,
    mut vertex_shader: Function,
    load: Handle<Function>,
    stage: &StreamStage,
    names: &DriverNames,
) {
    let link::EntryBindings { result, arguments } = link::make_plain(&mut vertex_shader);
    let Some((ty, binding)) = result else { return };
    let vertex_shader = module.functions.append(vertex_shader, Span::UNDEFINED);
    let mut function = std::mem::take(module.functions.get_mut(load));
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let [number, instance] = [1, 2].map(|at| add(Expression::FunctionArgument(at)));
    let values = link::vertex_arguments(&arguments, [number, instance], &mut add);
    let value = add(Expression::CallResult(vertex_shader));
    function.body = Block::new();
    let call = Statement::Call { function: vertex_shader, arguments: values, result: Some(value) };
    function.body.push(call, Span::UNDEFINED);
    let vertex = CapturedVertex { value, ty, binding };
    capture(module, &mut function, Some(&vertex), stage, &Captured::new(stage, 0), names);
    *module.functions.get_mut(load) = function;
}

/// Makes the function that appends a vertex to a stream capture it.
fn capture_vertex(
    module: &mut Module,
    append: Handle<Function>,
    stage: &StreamStage,
    captured: &Captured,
    names: &DriverNames,
) {
    let mut function = std::mem::take(module.functions.get_mut(append));
    function.body = Block::new();
    let vertex = function.arguments.first().map(|vertex| vertex.ty).map(|ty| {
        let value = function.expressions.append(Expression::FunctionArgument(0), Span::UNDEFINED);
        CapturedVertex { value, ty, binding: None }
    });
    capture(module, &mut function, vertex.as_ref(), stage, captured, names);
    *module.functions.get_mut(append) = function;
}

/// A vertex whose components are captured.
struct CapturedVertex {
    value: Handle<Expression>,
    ty: Handle<Type>,
    /// The binding of a value that is not a structure.
    binding: Option<Binding>,
}

/// Adds statements that store the captured components of a vertex, unless the invocation has appended the maximum
/// number of vertices.
fn capture(
    module: &Module,
    function: &mut Function,
    vertex: Option<&CapturedVertex>,
    stage: &StreamStage,
    captured: &Captured,
    names: &DriverNames,
) {
    let stream = captured.stream;
    let functions = [format!("begin_vertex{stream}"), format!("finish_vertex{stream}")];
    let [Some(begin), Some(finish)] = functions.map(|name| names.function(&name)) else { return };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let first = add(Expression::CallResult(begin));
    let none = add(Expression::Literal(Literal::U32(u32::MAX)));
    let ring = names.variable(module, &format!("ring{stream}"));
    let ring = ring.map(|ring| add(Expression::GlobalVariable(ring)));
    let zero = add(Expression::Literal(Literal::U32(0)));
    let places: Vec<_> = (0..captured.words()).map(|at| add(Expression::Literal(Literal::U32(at)))).collect();
    let condition = add(Expression::Binary { op: BinaryOperator::NotEqual, left: first, right: none });
    let start = function.expressions.len();
    let mut stores = Vec::new();
    if let (StreamDispatch::Write { .. } | StreamDispatch::Store(_), Some(ring)) = (stage.dispatch, ring) {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        for (place, (register, component)) in places.into_iter().zip(captured.components()) {
            let value = vertex.and_then(|vertex| component_of(module, vertex, register, component, &mut add));
            let value = value.unwrap_or(zero);
            let index = match captured.kept {
                1 => place,
                _ => add(Expression::Binary { op: BinaryOperator::Add, left: first, right: place }),
            };
            let pointer = add(Expression::Access { base: ring, index });
            stores.push(Statement::Store { pointer, value });
        }
    }
    let mut accept = Block::new();
    if function.expressions.len() > start {
        accept.push(Statement::Emit(function.expressions.range_from(start)), Span::UNDEFINED);
    }
    stores.into_iter().for_each(|store| accept.push(store, Span::UNDEFINED));
    accept.push(Statement::Call { function: finish, arguments: Vec::new(), result: None }, Span::UNDEFINED);
    let call = Statement::Call { function: begin, arguments: Vec::new(), result: Some(first) };
    function.body.push(call, Span::UNDEFINED);
    let emit = naga::Range::new_from_bounds(condition, condition);
    function.body.push(Statement::Emit(emit), Span::UNDEFINED);
    function.body.push(Statement::If { condition, accept, reject: Block::new() }, Span::UNDEFINED);
}

/// Adds the expressions of the bits of a component, or returns `None` if the vertex has no such component.
fn component_of(
    module: &Module,
    vertex: &CapturedVertex,
    register: onze_ddi::OutputRegister,
    component: u32,
    add: &mut impl FnMut(Expression) -> Handle<Expression>,
) -> Option<Handle<Expression>> {
    let (member, ty) = match &module.types[vertex.ty].inner {
        TypeInner::Struct { members, .. } => {
            let is_it = |member: &naga::StructMember| {
                member.binding.as_ref().is_some_and(|binding| is_register(binding, register))
            };
            let (index, member) = (0..).zip(members).find(|(_, member)| is_it(member))?;
            (Some(index), member.ty)
        }
        _ => (
            vertex.binding.as_ref().is_some_and(|binding| is_register(binding, register)).then_some(None)?,
            vertex.ty,
        ),
    };
    let value = match member {
        Some(index) => add(Expression::AccessIndex { base: vertex.value, index }),
        None => vertex.value,
    };
    let (scalar, value) = match module.types[ty].inner {
        TypeInner::Scalar(scalar) if component == 0 => (scalar, value),
        TypeInner::Vector { size, scalar } if component < size as u32 => {
            (scalar, add(Expression::AccessIndex { base: value, index: component }))
        }
        _ => return None,
    };
    Some(match scalar.kind {
        ScalarKind::Uint => value,
        _ => add(Expression::As { expr: value, kind: ScalarKind::Uint, convert: None }),
    })
}

/// Sets the entry point of the compute shader, which calls a function with the number of the thread.
fn set_entry_point(module: &mut Module, run_thread: Handle<Function>) {
    let inner = TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 };
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let Some(entry_point) = module.entry_points.first_mut() else { return };
    let mut function = Function {
        arguments: vec![FunctionArgument {
            name: Some("id".into()),
            ty,
            binding: Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)),
        }],
        ..Function::default()
    };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let id = add(Expression::FunctionArgument(0));
    let thread = add(Expression::AccessIndex { base: id, index: 0 });
    function.body = Block::from_vec(vec![
        Statement::Emit(naga::Range::new_from_bounds(thread, thread)),
        Statement::Call { function: run_thread, arguments: vec![thread], result: None },
    ]);
    entry_point.stage = naga::ShaderStage::Compute;
    entry_point.workgroup_size = [THREADS_OF_GROUP, 1, 1];
    entry_point.function = function;
}
