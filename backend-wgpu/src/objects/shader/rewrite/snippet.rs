//! WGSL functions that a pass adds to a module.
//!
//! The text is the driver's own, and its variables are replaced by the module's variables of the same names.

use std::collections::HashMap;

use naga::{
    Arena, Block, Expression, Function, GlobalVariable, Handle, Module, Span, Statement, Type, TypeInner,
};

use super::calls::inner_blocks_mut;

/// A WGSL text that is being added to a module.
pub(crate) struct Snippet<'m> {
    text: Module,
    module: &'m mut Module,
    types: HashMap<Handle<Type>, Handle<Type>>,
    variables: HashMap<Handle<GlobalVariable>, Handle<GlobalVariable>>,
    functions: HashMap<Handle<Function>, Handle<Function>>,
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
        Self { text, module, types: HashMap::new(), variables, functions: HashMap::new() }
    }

    /// Gives a variable of the module the type that the text declares.
    pub(crate) fn retype(&mut self, name: &str) {
        let mut variables = self.text.global_variables.iter();
        let found = variables.find(|(_, variable)| variable.name.as_deref() == Some(name));
        let found = found.map(|(handle, variable)| (handle, variable.clone()));
        drop(variables);
        let Some((handle, variable)) = found else { return };
        let ty = self.import_type(variable.ty);
        if let Some(target) = self.variables.get(&handle) {
            let target = self.module.global_variables.get_mut(*target);
            (target.ty, target.space) = (ty, variable.space);
        }
    }

    /// Adds all functions of the text after those in `functions`, and returns them by name.
    pub(crate) fn import(mut self, functions: &mut Arena<Function>) -> HashMap<String, Handle<Function>> {
        let special = self.text.special_types.predeclared_types.clone();
        for (key, ty) in special {
            let ty = self.import_type(ty);
            self.module.special_types.predeclared_types.insert(key, ty);
        }
        let mut names = HashMap::new();
        let all: Vec<_> =
            self.text.functions.iter().map(|(handle, function)| (handle, function.clone())).collect();
        for (handle, mut function) in all {
            self.import_function(&mut function);
            names.extend(function.name.clone().map(|name| (name, handle)));
            self.functions.insert(handle, functions.append(function, Span::UNDEFINED));
        }
        let moved = &self.functions;
        names.into_iter().filter_map(|(name, handle)| Some((name, *moved.get(&handle)?))).collect()
    }

    fn import_type(&mut self, handle: Handle<Type>) -> Handle<Type> {
        if let Some(known) = self.types.get(&handle) {
            return *known;
        }
        let mut ty = self.text.types[handle].clone();
        match &mut ty.inner {
            TypeInner::Array { base, .. } | TypeInner::Pointer { base, .. } => {
                *base = self.import_type(*base);
            }
            TypeInner::Struct { members, .. } => {
                members.iter_mut().for_each(|member| member.ty = self.import_type(member.ty));
            }
            // The driver's texts use no other types that contain types.
            _ => {}
        }
        let new = self.module.types.insert(ty, Span::UNDEFINED);
        self.types.insert(handle, new);
        new
    }

    fn import_function(&mut self, function: &mut Function) {
        function.arguments.iter_mut().for_each(|argument| argument.ty = self.import_type(argument.ty));
        function.result.iter_mut().for_each(|result| result.ty = self.import_type(result.ty));
        function.local_variables.iter_mut().for_each(|(_, local)| local.ty = self.import_type(local.ty));
        for (_, expression) in function.expressions.iter_mut() {
            match expression {
                Expression::ZeroValue(ty)
                | Expression::Compose { ty, .. }
                | Expression::AtomicResult { ty, .. } => *ty = self.import_type(*ty),
                Expression::GlobalVariable(variable) => {
                    *variable = self.variables.get(variable).copied().unwrap_or(*variable);
                }
                Expression::CallResult(callee) => {
                    *callee = self.functions.get(callee).copied().unwrap_or(*callee);
                }
                // Other expressions do not refer to the module, because the driver's texts have no constants.
                _ => {}
            }
        }
        self.import_calls(&mut function.body);
    }

    fn import_calls(&self, block: &mut Block) {
        for statement in block.iter_mut() {
            if let Statement::Call { function, .. } = statement {
                *function = self.functions.get(function).copied().unwrap_or(*function);
            }
            inner_blocks_mut(statement).for_each(|block| self.import_calls(block));
        }
    }
}
