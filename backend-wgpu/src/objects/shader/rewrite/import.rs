//! Imports: the contents of one module are added to another.

use std::collections::HashMap;

use naga::{Arena, Constant, Expression, Function, GlobalVariable, Handle, Module, Span, Type, TypeInner};

use super::calls::replace_callees;

/// A module without pipeline-overridable constants that is being added to another module.
pub(crate) struct Import<'m> {
    from: Module,
    module: &'m mut Module,
    types: HashMap<Handle<Type>, Handle<Type>>,
    constants: HashMap<Handle<Constant>, Handle<Constant>>,
    /// The constant expressions of the imported module.
    expressions: HashMap<Handle<Expression>, Handle<Expression>>,
    variables: HashMap<Handle<GlobalVariable>, Handle<GlobalVariable>>,
    functions: HashMap<Handle<Function>, Handle<Function>>,
}

impl<'m> Import<'m> {
    /// Begins to add `from` to `module`. `variables` are those variables that the module already has.
    pub(crate) fn new(
        module: &'m mut Module,
        from: Module,
        variables: HashMap<Handle<GlobalVariable>, Handle<GlobalVariable>>,
    ) -> Self {
        Self {
            from,
            module,
            types: HashMap::new(),
            constants: HashMap::new(),
            expressions: HashMap::new(),
            variables,
            functions: HashMap::new(),
        }
    }

    /// Gives a variable of the module the type and the address space that the imported module declares.
    pub(crate) fn retype(&mut self, name: &str) {
        let mut variables = self.from.global_variables.iter();
        let found = variables.find(|(_, variable)| variable.name.as_deref() == Some(name));
        let found = found.map(|(handle, variable)| (handle, variable.ty, variable.space));
        drop(variables);
        let Some((handle, ty, space)) = found else { return };
        let ty = self.type_of(ty);
        if let Some(target) = self.variables.get(&handle) {
            let target = self.module.global_variables.get_mut(*target);
            (target.ty, target.space) = (ty, space);
        }
    }

    /// Adds all functions after those in `functions`, with everything that they use, and returns their new
    /// handles.
    pub(crate) fn finish(
        mut self,
        functions: &mut Arena<Function>,
    ) -> HashMap<Handle<Function>, Handle<Function>> {
        for (key, ty) in self.from.special_types.predeclared_types.clone() {
            let ty = self.type_of(ty);
            self.module.special_types.predeclared_types.insert(key, ty);
        }
        self.add_constants();
        for (handle, mut function, span) in std::mem::take(&mut self.from.functions).drain() {
            self.move_function(&mut function);
            self.functions.insert(handle, functions.append(function, span));
        }
        self.functions
    }

    /// Adds the constants and their expressions. Both refer only to earlier ones.
    fn add_constants(&mut self) {
        let expressions: Vec<_> = self.from.global_expressions.drain().collect();
        let mut constants: Vec<_> = self.from.constants.drain().collect();
        constants.reverse();
        for (handle, mut expression, span) in expressions {
            while let Expression::Constant(of) = expression
                && !self.constants.contains_key(&of)
                && let Some(constant) = constants.pop()
            {
                self.add_constant(constant);
            }
            self.move_constant_expression(&mut expression);
            let new = self.module.global_expressions.append(expression, span);
            self.expressions.insert(handle, new);
        }
        while let Some(constant) = constants.pop() {
            self.add_constant(constant);
        }
    }

    fn add_constant(&mut self, (handle, mut constant, span): (Handle<Constant>, Constant, Span)) {
        constant.ty = self.type_of(constant.ty);
        constant.init = self.expressions.get(&constant.init).copied().unwrap_or(constant.init);
        self.constants.insert(handle, self.module.constants.append(constant, span));
    }

    /// Returns the new handle of a variable, which is added when it is first used.
    fn variable(&mut self, handle: Handle<GlobalVariable>) -> Handle<GlobalVariable> {
        if let Some(known) = self.variables.get(&handle) {
            return *known;
        }
        let mut variable = self.from.global_variables[handle].clone();
        variable.ty = self.type_of(variable.ty);
        variable.init = variable.init.and_then(|init| self.expressions.get(&init).copied());
        let new = self.module.global_variables.append(variable, Span::UNDEFINED);
        self.variables.insert(handle, new);
        new
    }

    fn type_of(&mut self, handle: Handle<Type>) -> Handle<Type> {
        if let Some(known) = self.types.get(&handle) {
            return *known;
        }
        let mut ty = self.from.types[handle].clone();
        match &mut ty.inner {
            TypeInner::Array { base, .. }
            | TypeInner::Pointer { base, .. }
            | TypeInner::BindingArray { base, .. } => *base = self.type_of(*base),
            TypeInner::Struct { members, .. } => {
                members.iter_mut().for_each(|member| member.ty = self.type_of(member.ty));
            }
            // No other types contain types.
            _ => {}
        }
        let new = self.module.types.insert(ty, Span::UNDEFINED);
        self.types.insert(handle, new);
        new
    }

    /// Moves the parts of an expression that refer to the module.
    fn move_expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Constant(constant) => {
                *constant = self.constants.get(constant).copied().unwrap_or(*constant);
            }
            Expression::ZeroValue(ty)
            | Expression::Compose { ty, .. }
            | Expression::AtomicResult { ty, .. }
            | Expression::WorkGroupUniformLoadResult { ty }
            | Expression::SubgroupOperationResult { ty } => *ty = self.type_of(*ty),
            Expression::GlobalVariable(variable) => *variable = self.variable(*variable),
            // No other expressions of shaders refer to the module.
            _ => {}
        }
    }

    /// Does the same for a constant expression, which also refers to other constant expressions.
    fn move_constant_expression(&mut self, expression: &mut Expression) {
        self.move_expression(expression);
        let moved = |handle: &mut Handle<Expression>| {
            *handle = self.expressions.get(handle).copied().unwrap_or(*handle);
        };
        match expression {
            Expression::Compose { components, .. } => components.iter_mut().for_each(moved),
            Expression::Access { base, index } => [base, index].into_iter().for_each(moved),
            Expression::Binary { left, right, .. } => [left, right].into_iter().for_each(moved),
            Expression::Select { condition, accept, reject } => {
                [condition, accept, reject].into_iter().for_each(moved);
            }
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                std::iter::once(arg).chain([arg1, arg2, arg3].into_iter().flatten()).for_each(moved);
            }
            Expression::AccessIndex { base: part, .. }
            | Expression::Splat { value: part, .. }
            | Expression::Swizzle { vector: part, .. }
            | Expression::Unary { expr: part, .. }
            | Expression::Relational { argument: part, .. }
            | Expression::As { expr: part, .. } => moved(part),
            // No other constant expressions contain expressions.
            _ => {}
        }
    }

    fn move_function(&mut self, function: &mut Function) {
        function.arguments.iter_mut().for_each(|argument| argument.ty = self.type_of(argument.ty));
        function.result.iter_mut().for_each(|result| result.ty = self.type_of(result.ty));
        function.local_variables.iter_mut().for_each(|(_, local)| local.ty = self.type_of(local.ty));
        function.expressions.iter_mut().for_each(|(_, expression)| self.move_expression(expression));
        function.diagnostic_filter_leaf = None;
        replace_callees(function, &self.functions);
    }
}
