//! The inputs of a geometry shader: the results of the vertex shader for all vertices of a primitive.

use naga::{
    ArraySize, Binding, Block, BuiltIn, Expression, Function, FunctionArgument, Handle, Module, Range, Span,
    Statement, Type, TypeInner,
};

use crate::objects::shader::rewrite::registers::{Conversion, Given};

use super::{
    super::tessellation::{CORNER_NUMBER, CORNER_PATCH},
    named, private_variable,
};

/// The inputs and outputs of an entry point that has become a function without bindings.
pub(in crate::objects::shader::passes) struct EntryBindings {
    /// The type and the binding of the result.
    pub(in crate::objects::shader::passes) result: Option<(Handle<Type>, Option<Binding>)>,
    /// The arguments with their bindings.
    pub(in crate::objects::shader::passes) arguments: Vec<FunctionArgument>,
}

/// Turns a vertex shader's entry point into a function without bindings, and returns the bindings.
pub(in crate::objects::shader::passes) fn make_plain(entry_point: &mut Function) -> EntryBindings {
    let result = entry_point.result.as_mut().map(|result| (result.ty, result.binding.take()));
    entry_point.name = Some("vertex_shader".into());
    let arguments = std::mem::take(&mut entry_point.arguments);
    entry_point.arguments =
        arguments.iter().map(|argument| FunctionArgument { binding: None, ..argument.clone() }).collect();
    EntryBindings { result, arguments }
}

/// Returns the values of a vertex shader's arguments, given the numbers of the vertex and of the instance.
pub(in crate::objects::shader::passes) fn vertex_arguments(
    arguments: &[FunctionArgument],
    [number, instance]: [Handle<Expression>; 2],
    mut add: impl FnMut(Expression) -> Handle<Expression>,
) -> Vec<Handle<Expression>> {
    let value = |argument: &FunctionArgument| match argument.binding {
        Some(Binding::BuiltIn(BuiltIn::VertexIndex)) => number,
        Some(Binding::BuiltIn(BuiltIn::InstanceIndex)) => instance,
        _ => add(Expression::ZeroValue(argument.ty)),
    };
    arguments.iter().map(value).collect()
}

/// Turns the vertex shader's entry point into a function, and makes `load` call it and store its result for
/// the geometry shader. `inputs` is the function that returns a vertex of the primitive.
pub(in crate::objects::shader::passes) fn fill_inputs(
    module: &mut Module,
    mut vertex_shader: Function,
    inputs: Handle<Function>,
    load: Handle<Function>,
    vertices: u32,
) {
    let Some(vertex) = module.functions[inputs].result.as_ref().map(|result| result.ty) else { return };
    let EntryBindings { result: outputs, arguments } = make_plain(&mut vertex_shader);
    let vertex_shader = module.functions.append(vertex_shader, Span::UNDEFINED);

    let mut layouter = naga::proc::Layouter::default();
    if layouter.update(module.to_ctx()).is_err() {
        return;
    }
    let stride = layouter[vertex].to_stride();
    let size = ArraySize::Constant(std::num::NonZeroU32::new(vertices).unwrap_or(std::num::NonZeroU32::MIN));
    let inner = TypeInner::Array { base: vertex, size, stride };
    let all = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let all = private_variable(module, "vertices", all);
    read_input(module.functions.get_mut(inputs), all);

    let mut code = Conversion::new(std::mem::take(module.functions.get_mut(load)), module);
    let [at, number, instance] = [0, 1, 2].map(|at| code.add(Expression::FunctionArgument(at)));
    let arguments = vertex_arguments(&arguments, [number, instance], |value| code.add(value));
    let result = outputs.as_ref().map(|_| code.add(Expression::CallResult(vertex_shader)));
    let base = code.add(Expression::GlobalVariable(all));
    let targets = code.targets(vertex);
    let pointer = code.add(Expression::Access { base, index: at });
    let given = outputs.zip(result).map(|((ty, binding), value)| Given { value, ty, binding });
    let value = code.structure(given.as_ref(), vertex, &targets);
    code.function.body = Block::from_vec(vec![
        Statement::Call { function: vertex_shader, arguments, result },
        Statement::Emit(Range::new_from_bounds(pointer, value)),
        Statement::Store { pointer, value },
    ]);
    let function = code.function;
    *module.functions.get_mut(load) = function;
}

/// Sets the body of the function that returns a vertex of the primitive.
fn read_input(function: &mut Function, all: Handle<naga::GlobalVariable>) {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let index = add(Expression::FunctionArgument(0));
    let base = add(Expression::GlobalVariable(all));
    let pointer = add(Expression::Access { base, index });
    let value = add(Expression::Load { pointer });
    function.body = Block::from_vec(vec![
        Statement::Emit(Range::new_from_bounds(pointer, value)),
        Statement::Return { value: Some(value) },
    ]);
}

/// Makes the functions that number vertices and primitives return those of tessellated patches.
pub(in crate::objects::shader::passes) fn take_corners(
    module: &mut Module,
    number: Handle<Function>,
    primitive_id: Handle<Function>,
) {
    for (caller, callee, argument) in [(number, CORNER_NUMBER, 0), (primitive_id, CORNER_PATCH, 1)] {
        let Some(callee) = named(module, callee) else { continue };
        let caller = module.functions.get_mut(caller);
        caller.expressions.clear();
        let mut add = |expression| caller.expressions.append(expression, Span::UNDEFINED);
        let arguments = vec![add(Expression::FunctionArgument(argument))];
        let value = add(Expression::CallResult(callee));
        caller.body = Block::from_vec(vec![
            Statement::Call { function: callee, arguments, result: Some(value) },
            Statement::Return { value: Some(value) },
        ]);
    }
}
