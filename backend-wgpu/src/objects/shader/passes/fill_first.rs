//! The pass that adds zeros at location 0 of a pixel shader, if a target is bound there that the shader does
//! not write.
//!
//! The target's write mask is empty, so the zeros are never stored. They are a workaround for lavapipe of
//! Mesa 22.3, which crashes at a BGRA target without an output if another target has one.

use naga::{Constant, Expression, Module, Span, Type, TypeInner, VectorSize};
use onze_ddi::ScalarKind;

use crate::objects::shader::rewrite::{added_output::add_output, scalars::scalar};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "fill_first",
    scope: PassScope::Shader,
    applies: |context| context.key.fills_first.is_some(),
    run: |context| {
        let Some(kind) = context.key.fills_first else { return };
        apply(&mut context.module, kind);
    },
};

/// Adds zeros of the target's scalar kind at location 0.
fn apply(module: &mut Module, kind: ScalarKind) {
    let inner = TypeInner::Vector { size: VectorSize::Quad, scalar: scalar(kind) };
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let init = module.global_expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED);
    let zeros = module.constants.append(Constant { name: None, ty, init }, Span::UNDEFINED);
    add_output(module, 0, ty, Expression::Constant(zeros));
}
