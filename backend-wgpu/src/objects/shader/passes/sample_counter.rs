//! The pass that adds an output of 1 to a pixel shader, at the location of a target that counts samples.
//!
//! Direct3D 11 drops the shader's own output at that location, because no target is bound there, so the
//! counter replaces it.

use naga::{Expression, Literal, Module, Scalar, Span, Type, TypeInner};

use crate::objects::shader::rewrite::added_output::add_output;

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "sample_counter",
    scope: PassScope::Shader,
    applies: |context| context.key.count_location.is_some(),
    run: |context| {
        let Some(location) = context.key.count_location else { return };
        apply(&mut context.module, location);
    },
};

/// Adds the output that is counted.
fn apply(module: &mut Module, location: u32) {
    let number =
        module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::F32) }, Span::UNDEFINED);
    add_output(module, location, number, Expression::Literal(Literal::F32(1.0)));
}
