//! The pass for starts: `SV_VertexID` and `SV_InstanceID` of indirect draws.
//!
//! wgpu's `vertex_index` and `instance_index` include the base vertex and the start instance, Direct3D 11's values do
//! not. For direct draws the driver moves the vertex buffers instead. Of an indirect draw only the GPU knows the two, so
//! it copies them to the [driver constants](super::driver_constants), and the shader subtracts them: the entry point
//! becomes a function, which a new entry point calls with other arguments.

use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, Function, GlobalVariable, Handle, Module, ScalarKind, Span,
    Statement, Type, TypeInner, UniqueArena,
};

use super::driver_constants::{Start, load_start};

/// What is subtracted from an argument.
const fn start_of(binding: &Option<Binding>) -> Option<Start> {
    match binding {
        Some(Binding::BuiltIn(BuiltIn::VertexIndex)) => Some(Start::Vertex),
        Some(Binding::BuiltIn(BuiltIn::InstanceIndex)) => Some(Start::Instance),
        _ => None,
    }
}

/// Wraps the module's only entry point. `block` is the variable of the driver constants.
pub(super) fn apply(module: &mut Module, block: Handle<GlobalVariable>) {
    let Module { entry_points, functions, types, .. } = module;
    let Some(entry_point) = entry_points.first_mut() else { return };
    let mut shader = std::mem::take(&mut entry_point.function);
    let mut wrapper = Function {
        name: shader.name.clone(),
        arguments: shader.arguments.clone(),
        result: shader.result.clone(),
        ..Function::default()
    };
    shader.name = Some("from_zero".into());
    shader.arguments.iter_mut().for_each(|argument| argument.binding = None);
    shader.result.iter_mut().for_each(|result| result.binding = None);
    let shader = functions.append(shader, Span::UNDEFINED);

    let mut add = |expression| wrapper.expressions.append(expression, Span::UNDEFINED);
    let block = add(Expression::GlobalVariable(block));
    let mut given: Vec<_> =
        (0..wrapper.arguments.len()).map(|at| add(Expression::FunctionArgument(at as u32))).collect();
    let before = wrapper.expressions.len();
    for (argument, value) in wrapper.arguments.clone().iter().zip(&mut given) {
        let inner = types.get_handle(argument.ty).ok().map(|ty| &ty.inner);
        if let Some(start) = start_of(&argument.binding) {
            *value = subtract(&mut wrapper, types, (*value, argument.ty), block, start);
        } else if let Some(TypeInner::Struct { members, .. }) = inner
            && members.iter().any(|member| start_of(&member.binding).is_some())
        {
            let mut components = Vec::with_capacity(members.len());
            for (index, member) in (0..).zip(members) {
                let part = Expression::AccessIndex { base: *value, index };
                let part = wrapper.expressions.append(part, Span::UNDEFINED);
                components.push(match start_of(&member.binding) {
                    Some(start) => subtract(&mut wrapper, types, (part, member.ty), block, start),
                    None => part,
                });
            }
            let whole = Expression::Compose { ty: argument.ty, components };
            *value = wrapper.expressions.append(whole, Span::UNDEFINED);
        }
    }
    if wrapper.expressions.len() > before {
        let emitted = wrapper.expressions.range_from(before);
        wrapper.body.push(Statement::Emit(emitted), Span::UNDEFINED);
    }
    let result = wrapper.result.is_some().then_some(Expression::CallResult(shader));
    let result = result.map(|result| wrapper.expressions.append(result, Span::UNDEFINED));
    wrapper.body.push(Statement::Call { function: shader, arguments: given, result }, Span::UNDEFINED);
    wrapper.body.push(Statement::Return { value: result }, Span::UNDEFINED);
    entry_point.function = wrapper;
}

/// Adds the expressions for a value of a type, less a start.
fn subtract(
    function: &mut Function,
    types: &UniqueArena<Type>,
    (value, ty): (Handle<Expression>, Handle<Type>),
    block: Handle<Expression>,
    start: Start,
) -> Handle<Expression> {
    let mut start = load_start(function, block, start);
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    // GLSL's indices are signed.
    let is_signed = types.get_handle(ty).is_ok_and(|ty| ty.inner.scalar_kind() == Some(ScalarKind::Sint));
    if is_signed {
        start = add(Expression::As { expr: start, kind: ScalarKind::Sint, convert: None });
    }
    add(Expression::Binary { op: BinaryOperator::Subtract, left: value, right: start })
}
