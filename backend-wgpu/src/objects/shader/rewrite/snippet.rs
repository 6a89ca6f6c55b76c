//! WGSL functions that a pass adds to a module.
//!
//! The text is the driver's own. Those of its variables that have the names of known variables of the module
//! are replaced by them, and the others are added.

use std::collections::HashMap;

use naga::{Arena, Function, GlobalVariable, Handle, Module};

use super::import::Import;

/// A WGSL text that is being added to a module.
pub(crate) struct Snippet<'m> {
    import: Import<'m>,
    names: Vec<(String, Handle<Function>)>,
}

impl<'m> Snippet<'m> {
    /// Parses a text whose variables have the names in `variables`. If parsing fails, the snippet has no
    /// functions, so the module keeps accesses that wgpu rejects.
    pub(crate) fn new(
        module: &'m mut Module,
        text: &str,
        variables: &[(&str, Option<Handle<GlobalVariable>>)],
    ) -> Self {
        let text = naga::front::wgsl::parse_str(text);
        debug_assert!(text.is_ok(), "{text:?}");
        let text = text.unwrap_or_default();
        let target =
            |name: &str| variables.iter().find(|(of, _)| *of == name).and_then(|(_, target)| *target);
        let variables = text
            .global_variables
            .iter()
            .filter_map(|(handle, variable)| Some((handle, target(variable.name.as_deref()?)?)))
            .collect();
        let functions = text.functions.iter();
        let names = functions.filter_map(|(handle, function)| Some((function.name.clone()?, handle)));
        let names = names.collect();
        Self { import: Import::new(module, text, variables), names }
    }

    /// Gives a variable of the module the type that the text declares.
    pub(crate) fn retype(&mut self, name: &str) {
        self.import.retype(name);
    }

    /// Adds all functions of the text after those in `functions`, and returns them by name.
    pub(crate) fn import(self, functions: &mut Arena<Function>) -> HashMap<String, Handle<Function>> {
        let moved = self.import.finish(functions);
        self.names.into_iter().filter_map(|(name, handle)| Some((name, *moved.get(&handle)?))).collect()
    }
}
