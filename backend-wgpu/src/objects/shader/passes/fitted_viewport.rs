//! The pass for viewports that wgpu refuses: the vertex shader moves its positions into a smaller viewport.
//!
//! The numbers of the move are in a bind group of their own, [`VERTEX_END_GROUP`], so pipelines do not depend on
//! them.

use naga::{
    AddressSpace, BinaryOperator, Binding, BuiltIn, Expression, Function, GlobalVariable, Handle, Module,
    ResourceBinding, Scalar, Span, Type, TypeInner, VectorSize,
};

use crate::objects::shader::{bindings::VERTEX_END_GROUP, rewrite::entry_point::EntryWrapper};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "fitted_viewport",
    scope: PassScope::Outputs,
    applies: |context| context.key.is_fitted,
    run: |context| apply(&mut context.module),
};

fn is_position(binding: Option<&Binding>) -> bool {
    matches!(binding, Some(Binding::BuiltIn(BuiltIn::Position { .. })))
}

/// Wraps the module's only entry point, which is a vertex shader.
fn apply(module: &mut Module) {
    let inner = TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 };
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let variable = GlobalVariable {
        name: Some("fit".into()),
        space: AddressSpace::Uniform,
        binding: Some(ResourceBinding { group: VERTEX_END_GROUP as u32, binding: 0 }),
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    let variable = module.global_variables.append(variable, Span::UNDEFINED);
    let Some(mut wrapper) = EntryWrapper::new(module, "before_fit") else { return };
    let pointer = wrapper.add_plain(Expression::GlobalVariable(variable));
    wrapper.finish(module, |function, types, value, result| {
        if is_position(result.binding.as_ref()) {
            return Some((moved(function, value, result.ty, pointer), result.clone()));
        }
        let TypeInner::Struct { members, .. } = &types.get_handle(result.ty).ok()?.inner else { return None };
        let mut components = Vec::with_capacity(members.len());
        for (index, member) in (0..).zip(members) {
            let part = Expression::AccessIndex { base: value, index };
            let part = function.expressions.append(part, Span::UNDEFINED);
            components.push(match is_position(member.binding.as_ref()) {
                true => moved(function, part, member.ty, pointer),
                false => part,
            });
        }
        let whole = Expression::Compose { ty: result.ty, components };
        Some((function.expressions.append(whole, Span::UNDEFINED), result.clone()))
    });
}

/// Adds the expressions for a moved position: `x * scale + w * offset` along both axes.
fn moved(
    function: &mut Function,
    position: Handle<Expression>,
    ty: Handle<Type>,
    pointer: Handle<Expression>,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let fit = add(Expression::Load { pointer });
    let mut components: Vec<_> =
        (0..4).map(|index| add(Expression::AccessIndex { base: position, index })).collect();
    let w = components[3];
    for (component, index) in components.iter_mut().take(2).zip([0, 2]) {
        let scale = add(Expression::AccessIndex { base: fit, index });
        let offset = add(Expression::AccessIndex { base: fit, index: index + 1 });
        let left = add(Expression::Binary { op: BinaryOperator::Multiply, left: *component, right: scale });
        let right = add(Expression::Binary { op: BinaryOperator::Multiply, left: w, right: offset });
        *component = add(Expression::Binary { op: BinaryOperator::Add, left, right });
    }
    add(Expression::Compose { ty, components })
}
