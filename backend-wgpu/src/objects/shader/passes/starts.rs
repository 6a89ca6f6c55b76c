//! The pass that subtracts the starts of an indirect draw from `SV_VertexID` and `SV_InstanceID`.
//!
//! wgpu's `vertex_index` and `instance_index` include the base vertex and the start instance, but Direct3D
//! 11's values do not. For direct draws the driver offsets the vertex buffers instead. Only the GPU knows the
//! starts of an indirect draw, so it copies them to the driver constants, and a new entry point subtracts
//! them.

use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, Function, GlobalVariable, Handle, Module, ScalarKind, Span,
    Type, UniqueArena,
};
use onze_ddi::ShaderStage;

use crate::objects::shader::{driver_constants::DriverBlock, rewrite::entry_point::EntryWrapper};

use super::{
    context::{ModulePass, PassScope},
    driver_constants::{self, StartConstant, load_start},
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "starts",
    scope: PassScope::Shader,
    applies: |context| {
        let has_starts = context.key.block.is_some_and(|block| block != DriverBlock::Counts);
        has_starts && context.stage == ShaderStage::Vertex
    },
    run: |context| {
        let Some(block) = driver_constants::variable(context) else { return };
        apply(&mut context.module, block);
    },
};

/// Returns the start that is subtracted from an argument.
const fn start_of(binding: &Option<Binding>) -> Option<StartConstant> {
    match binding {
        Some(Binding::BuiltIn(BuiltIn::VertexIndex)) => Some(StartConstant::Vertex),
        Some(Binding::BuiltIn(BuiltIn::InstanceIndex)) => Some(StartConstant::Instance),
        _ => None,
    }
}

/// Wraps the module's only entry point. `block` is the variable of the driver constants.
fn apply(module: &mut Module, block: Handle<GlobalVariable>) {
    let Some(mut wrapper) = EntryWrapper::new(module, "from_zero") else { return };
    let block = wrapper.add_plain(Expression::GlobalVariable(block));
    wrapper.change_arguments(&module.types, &mut |function, types, value, binding| {
        Some(subtract(function, types, value, block, start_of(binding)?))
    });
    wrapper.finish(module, |_, _, _, _| None);
}

/// Adds the expressions that subtract a start from a value.
fn subtract(
    function: &mut Function,
    types: &UniqueArena<Type>,
    (value, ty): (Handle<Expression>, Handle<Type>),
    block: Handle<Expression>,
    start: StartConstant,
) -> Handle<Expression> {
    let mut start = load_start(function, block, start);
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    // Indices are signed in GLSL.
    let is_signed = types.get_handle(ty).is_ok_and(|ty| ty.inner.scalar_kind() == Some(ScalarKind::Sint));
    if is_signed {
        start = add(Expression::As { expr: start, kind: ScalarKind::Sint, convert: None });
    }
    add(Expression::Binary { op: BinaryOperator::Subtract, left: value, right: start })
}
