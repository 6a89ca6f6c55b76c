//! The pass that gives constant buffers the number of rows that are bound.
//!
//! The [range checks](super::ranges) then compare indices with the bound rows, so rows after the last bound
//! one are zero.

use std::num::NonZeroU32;

use naga::{ArraySize, Handle, Module, Span, StructMember, Type, TypeInner};
use onze_ddi::ShaderStage;

use crate::objects::shader::{
    bindings::{CONSTANT_GROUP, binding},
    rewrite::variables::variable_at,
    specialization::constant_rows::{BoundRows, ROW},
};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "constant_rows",
    scope: PassScope::Shader,
    applies: |context| context.key.seen.rows.is_some(),
    run: |context| {
        let Some(rows) = &context.key.seen.rows else { return };
        apply(&mut context.module, context.stage, rows);
    },
};

/// Gives the constant buffers of a stage the number of rows that are bound.
fn apply(module: &mut Module, stage: ShaderStage, bound: &[BoundRows]) {
    for BoundRows { slot, rows } in bound {
        let Some(variable) = variable_at(module, CONSTANT_GROUP, binding(stage, *slot)) else { continue };
        let ty = module.global_variables[variable].ty;
        if let Some(ty) = NonZeroU32::new(*rows).and_then(|rows| lengthened(module, ty, rows)) {
            module.global_variables.get_mut(variable).ty = ty;
        }
    }
}

/// Returns a constant buffer's structure with another number of rows.
fn lengthened(module: &mut Module, buffer: Handle<Type>, rows: NonZeroU32) -> Option<Handle<Type>> {
    let Type { name, inner: TypeInner::Struct { members, .. } } = module.types[buffer].clone() else {
        return None;
    };
    let member = members.first()?;
    let TypeInner::Array { base, stride, .. } = module.types[member.ty].inner else { return None };
    let array = TypeInner::Array { base, size: ArraySize::Constant(rows), stride };
    let ty = module.types.insert(Type { name: None, inner: array }, Span::UNDEFINED);
    let members = vec![StructMember { ty, ..member.clone() }];
    let inner = TypeInner::Struct { members, span: rows.get().checked_mul(ROW)? };
    Some(module.types.insert(Type { name, inner }, Span::UNDEFINED))
}

#[cfg(test)]
mod tests;
