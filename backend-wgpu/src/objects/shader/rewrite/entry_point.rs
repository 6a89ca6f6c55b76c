//! Entry point wrappers: the entry point becomes a function, and a new entry point calls it with other
//! arguments.

use naga::{
    Binding, Expression, Function, FunctionArgument, FunctionResult, Handle, Module, Range, Span, Statement,
    Type, TypeInner, UniqueArena,
};

/// An argument of the entry point, or a member of one.
pub(crate) type ArgumentValue = (Handle<Expression>, Handle<Type>);

/// A function that returns the new value of an argument or a member, or `None` to keep the value.
pub(crate) type ArgumentChange<'a> = dyn FnMut(&mut Function, &UniqueArena<Type>, ArgumentValue, &Option<Binding>) -> Option<Handle<Expression>>
    + 'a;

/// A function that returns another value for a part of the arguments, or `None` to keep the part.
pub(crate) type PartReplacement<'a> =
    dyn FnMut(&mut EntryWrapper, Handle<Type>, &Option<Binding>) -> Option<Handle<Expression>> + 'a;

/// A new entry point under construction, and the function that it calls.
pub(crate) struct EntryWrapper {
    function: Function,
    inner: Handle<Function>,
    arguments: Vec<Handle<Expression>>,
    /// Number of expressions that were emitted so far, or that need no emission.
    emitted_to: usize,
}

impl EntryWrapper {
    /// Turns the module's only entry point into a function with this name.
    pub(crate) fn new(module: &mut Module, name: &str) -> Option<Self> {
        let mut inner = std::mem::take(&mut module.entry_points.first_mut()?.function);
        let mut function = Function {
            name: inner.name.clone(),
            arguments: inner.arguments.clone(),
            result: inner.result.clone(),
            ..Function::default()
        };
        inner.name = Some(name.into());
        inner.arguments.iter_mut().for_each(|argument| argument.binding = None);
        inner.result.iter_mut().for_each(|result| result.binding = None);
        let inner = module.functions.append(inner, Span::UNDEFINED);
        let count = function.arguments.len() as u32;
        let arguments = (0..count)
            .map(|at| function.expressions.append(Expression::FunctionArgument(at), Span::UNDEFINED))
            .collect();
        Some(Self { function, inner, arguments, emitted_to: 0 })
    }

    /// Creates a wrapper whose entry point has no arguments, and returns the original arguments.
    pub(crate) fn without_arguments(
        module: &mut Module,
        name: &str,
    ) -> Option<(Self, Vec<FunctionArgument>)> {
        let entry_point = module.entry_points.first()?;
        let given = entry_point.function.arguments.clone();
        let mut this = Self::new(module, name)?;
        this.function.arguments.clear();
        this.function.expressions.clear();
        this.arguments.clear();
        Some((this, given))
    }

    /// Adds a call before the wrapped function's call, and returns its result.
    pub(crate) fn call(
        &mut self,
        function: Handle<Function>,
        arguments: Vec<Handle<Expression>>,
    ) -> Handle<Expression> {
        let result = self.add_plain(Expression::CallResult(function));
        self.push(Statement::Call { function, arguments, result: Some(result) });
        result
    }

    /// Sets the wrapped function's arguments to the expressions that `make` adds.
    pub(crate) fn set_arguments(&mut self, make: impl FnOnce(&mut Function) -> Vec<Handle<Expression>>) {
        self.emitted_to = self.function.expressions.len();
        self.arguments = make(&mut self.function);
        self.emit();
    }

    /// Adds the original arguments, with an argument for each member of those that are structures, except for
    /// the parts for which `replace` returns another value.
    pub(crate) fn replace_parts(
        &mut self,
        types: &UniqueArena<Type>,
        given: &[FunctionArgument],
        replace: &mut PartReplacement<'_>,
    ) {
        let mut part = |this: &mut Self, name: &Option<String>, ty, binding: &Option<Binding>| {
            replace(this, ty, binding).unwrap_or_else(|| {
                let (name, binding) = (name.clone(), binding.clone());
                this.add_argument(FunctionArgument { name, ty, binding })
            })
        };
        let mut all = Vec::with_capacity(given.len());
        for argument in given {
            all.push(match &types[argument.ty].inner {
                TypeInner::Struct { members, .. } => {
                    let components = members.iter().map(|m| part(self, &m.name, m.ty, &m.binding)).collect();
                    Err(Expression::Compose { ty: argument.ty, components })
                }
                _ => Ok(part(self, &argument.name, argument.ty, &argument.binding)),
            });
        }
        self.set_arguments(|function| {
            let mut add = |whole| function.expressions.append(whole, Span::UNDEFINED);
            all.into_iter().map(|argument| argument.unwrap_or_else(&mut add)).collect()
        });
    }

    /// Adds an expression that no statement emits, such as a constant or a variable.
    pub(crate) fn add_plain(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Adds an argument.
    pub(crate) fn add_argument(&mut self, argument: FunctionArgument) -> Handle<Expression> {
        let at = self.function.arguments.len() as u32;
        self.function.arguments.push(argument);
        self.add_plain(Expression::FunctionArgument(at))
    }

    /// Changes arguments, and members of arguments that are structures.
    pub(crate) fn change_arguments(&mut self, types: &UniqueArena<Type>, change: &mut ArgumentChange<'_>) {
        let Self { function, arguments, .. } = self;
        self.emitted_to = function.expressions.len();
        for (argument, value) in function.arguments.clone().iter().zip(arguments) {
            if let Some(changed) = change(function, types, (*value, argument.ty), &argument.binding) {
                *value = changed;
                continue;
            }
            let inner = types.get_handle(argument.ty).ok().map(|ty| &ty.inner);
            let Some(TypeInner::Struct { members, .. }) = inner else { continue };
            let mut any = false;
            let mut components = Vec::with_capacity(members.len());
            for (index, member) in (0..).zip(members) {
                let part = Expression::AccessIndex { base: *value, index };
                let part = function.expressions.append(part, Span::UNDEFINED);
                let changed = change(function, types, (part, member.ty), &member.binding);
                any |= changed.is_some();
                components.push(changed.unwrap_or(part));
            }
            if any {
                let whole = Expression::Compose { ty: argument.ty, components };
                *value = function.expressions.append(whole, Span::UNDEFINED);
            }
        }
        self.emit();
    }

    /// Adds an expression, which the next [`EntryWrapper::emit`] emits.
    pub(crate) fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Emits the expressions that were added after the last emission or call.
    pub(crate) fn emit(&mut self) {
        let expressions = &self.function.expressions;
        let emitted: Range<Expression> = expressions.range_from(self.emitted_to);
        if expressions.len() > self.emitted_to {
            self.function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
        }
        self.emitted_to = self.function.expressions.len();
    }

    /// Adds a statement.
    pub(crate) fn push(&mut self, statement: Statement) {
        self.function.body.push(statement, Span::UNDEFINED);
    }

    /// Adds the call of the wrapped function, and returns its value and its result type.
    pub(crate) fn call_inner(&mut self) -> Option<(Handle<Expression>, FunctionResult)> {
        let Self { function, inner, arguments, .. } = self;
        let given = function.result.clone().map(|result| {
            let value = function.expressions.append(Expression::CallResult(*inner), Span::UNDEFINED);
            (value, result)
        });
        let arguments = std::mem::take(arguments);
        let result = given.as_ref().map(|(value, _)| *value);
        function.body.push(Statement::Call { function: *inner, arguments, result }, Span::UNDEFINED);
        self.emitted_to = self.function.expressions.len();
        given
    }

    /// Installs the wrapper as the entry point. `given` is its value and its result type.
    pub(crate) fn end(mut self, module: &mut Module, given: Option<(Handle<Expression>, FunctionResult)>) {
        self.emit();
        let value = given.map(|(value, result)| {
            self.function.result = Some(result);
            value
        });
        self.push(Statement::Return { value });
        if let Some(entry_point) = module.entry_points.first_mut() {
            entry_point.function = self.function;
        }
    }

    /// Adds the call, and installs the wrapper as the entry point. `result` may add expressions and returns
    /// the new value and result type, or `None` to keep those of the function.
    pub(crate) fn finish(
        self,
        module: &mut Module,
        result: impl FnOnce(
            &mut Function,
            &mut UniqueArena<Type>,
            Handle<Expression>,
            &FunctionResult,
        ) -> Option<(Handle<Expression>, FunctionResult)>,
    ) {
        self.finish_with(module, None, result);
    }

    /// Does the same as [`EntryWrapper::finish`], and returns `alone` if the function has no result.
    pub(crate) fn finish_or(
        self,
        module: &mut Module,
        alone: (Handle<Expression>, FunctionResult),
        result: impl FnOnce(
            &mut Function,
            &mut UniqueArena<Type>,
            Handle<Expression>,
            &FunctionResult,
        ) -> Option<(Handle<Expression>, FunctionResult)>,
    ) {
        self.finish_with(module, Some(alone), result);
    }

    fn finish_with(
        mut self,
        module: &mut Module,
        alone: Option<(Handle<Expression>, FunctionResult)>,
        result: impl FnOnce(
            &mut Function,
            &mut UniqueArena<Type>,
            Handle<Expression>,
            &FunctionResult,
        ) -> Option<(Handle<Expression>, FunctionResult)>,
    ) {
        let given = self.call_inner().map(|(value, of)| {
            result(&mut self.function, &mut module.types, value, &of).unwrap_or((value, of))
        });
        self.end(module, given.or(alone));
    }
}
