//! Global variables by binding and by pointer.
//!
//! Passes find variables by binding, because a pass that removes unused variables renumbers the others.

use naga::{Expression, Function, GlobalVariable, Handle, Module, ResourceBinding};

/// Returns the variable with a binding.
pub(crate) fn variable_at(module: &Module, group: usize, binding: u32) -> Option<Handle<GlobalVariable>> {
    let wanted = Some(ResourceBinding { group: group as u32, binding });
    module.global_variables.iter().find(|(_, variable)| variable.binding == wanted).map(|(handle, _)| handle)
}

/// Returns the variable that an expression of a function refers to, if the expression is a variable or a part of one.
pub(crate) fn root(function: &Function, expression: Handle<Expression>) -> Option<Handle<GlobalVariable>> {
    match function.expressions[expression] {
        Expression::GlobalVariable(variable) => Some(variable),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => root(function, base),
        _ => None,
    }
}
