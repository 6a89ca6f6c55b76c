//! Global variables by binding.
//!
//! Passes find variables by binding, because a pass that removes unused variables renumbers the others.

use naga::{GlobalVariable, Handle, Module, ResourceBinding};

/// Returns the variable with a binding.
pub(crate) fn variable_at(module: &Module, group: usize, binding: u32) -> Option<Handle<GlobalVariable>> {
    let wanted = Some(ResourceBinding { group: group as u32, binding });
    module.global_variables.iter().find(|(_, variable)| variable.binding == wanted).map(|(handle, _)| handle)
}
