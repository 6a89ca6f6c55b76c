//! The pass for starts: `SV_VertexID` and `SV_InstanceID` of indirect draws.
//!
//! wgpu's `vertex_index` and `instance_index` include the base vertex and the start instance, Direct3D 11's values do
//! not. For direct draws the driver moves the vertex buffers instead. Of an indirect draw only the GPU knows the two, so
//! it copies them to the [driver constants](super::driver_constants), and the shader subtracts them: the entry point
//! becomes a function, which a new entry point calls with other arguments.

use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, Function, GlobalVariable, Handle, Module, ScalarKind, Span,
    Type, UniqueArena,
};

use super::{
    driver_constants::{StartConstant, load_start},
    entry_point::EntryWrapper,
};

/// What is subtracted from an argument.
const fn start_of(binding: &Option<Binding>) -> Option<StartConstant> {
    match binding {
        Some(Binding::BuiltIn(BuiltIn::VertexIndex)) => Some(StartConstant::Vertex),
        Some(Binding::BuiltIn(BuiltIn::InstanceIndex)) => Some(StartConstant::Instance),
        _ => None,
    }
}

/// Wraps the module's only entry point. `block` is the variable of the driver constants.
pub(super) fn apply(module: &mut Module, block: Handle<GlobalVariable>) {
    let Some(mut wrapper) = EntryWrapper::new(module, "from_zero") else { return };
    let block = wrapper.add_plain(Expression::GlobalVariable(block));
    wrapper.change_arguments(&module.types, &mut |function, types, value, binding| {
        Some(subtract(function, types, value, block, start_of(binding)?))
    });
    wrapper.finish(module, |_, _, _, _| None);
}

/// Adds the expressions for a value of a type, less a start.
fn subtract(
    function: &mut Function,
    types: &UniqueArena<Type>,
    (value, ty): (Handle<Expression>, Handle<Type>),
    block: Handle<Expression>,
    start: StartConstant,
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
