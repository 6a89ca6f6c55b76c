//! Wrapping the entry point: it becomes a function, which a new entry point calls with other arguments.

use naga::{
    Binding, Expression, Function, FunctionArgument, FunctionResult, Handle, Module, Range, Span, Statement,
    Type, TypeInner, UniqueArena,
};

/// An argument of the entry point, or a part of one.
pub(super) type ArgumentValue = (Handle<Expression>, Handle<Type>);

/// What a pass changes of the arguments: given one with its binding, what the function gets instead.
pub(super) type ArgumentChange<'a> = dyn FnMut(&mut Function, &UniqueArena<Type>, ArgumentValue, &Option<Binding>) -> Option<Handle<Expression>>
    + 'a;

/// An entry point on the way, and the function that it calls.
pub(super) struct EntryWrapper {
    function: Function,
    inner: Handle<Function>,
    arguments: Vec<Handle<Expression>>,
    /// Where what [`EntryWrapper::add`] adds begins.
    emitted_to: usize,
}

impl EntryWrapper {
    /// Makes the module's only entry point a function of this name.
    pub(super) fn new(module: &mut Module, name: &str) -> Option<Self> {
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

    /// As [`EntryWrapper::new`], without arguments; those of the function come with it.
    pub(super) fn without_arguments(
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

    /// Calls a function before the wrapped one; what it gives.
    pub(super) fn call(
        &mut self,
        function: Handle<Function>,
        arguments: Vec<Handle<Expression>>,
    ) -> Handle<Expression> {
        let result = self.add_plain(Expression::CallResult(function));
        self.push(Statement::Call { function, arguments, result: Some(result) });
        result
    }

    /// Gives the wrapped function its arguments, by what `make` adds.
    pub(super) fn set_arguments(&mut self, make: impl FnOnce(&mut Function) -> Vec<Handle<Expression>>) {
        self.emitted_to = self.function.expressions.len();
        self.arguments = make(&mut self.function);
        self.emit();
    }

    /// Adds an expression that nothing emits: a constant, or a variable.
    pub(super) fn add_plain(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Adds an argument.
    pub(super) fn add_argument(&mut self, argument: FunctionArgument) -> Handle<Expression> {
        let at = self.function.arguments.len() as u32;
        self.function.arguments.push(argument);
        self.add_plain(Expression::FunctionArgument(at))
    }

    /// Changes arguments, and members of arguments that are structures.
    pub(super) fn change_arguments(&mut self, types: &UniqueArena<Type>, change: &mut ArgumentChange<'_>) {
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

    /// Adds an expression, to be emitted with those that follow.
    pub(super) fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Emits what was added since [`EntryWrapper::change_arguments`] or [`EntryWrapper::call_inner`], or since the last time.
    pub(super) fn emit(&mut self) {
        let expressions = &self.function.expressions;
        let emitted: Range<Expression> = expressions.range_from(self.emitted_to);
        if expressions.len() > self.emitted_to {
            self.function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
        }
        self.emitted_to = self.function.expressions.len();
    }

    /// Adds a statement.
    pub(super) fn push(&mut self, statement: Statement) {
        self.function.body.push(statement, Span::UNDEFINED);
    }

    /// Adds the call of the wrapped function. What the function gives, and as what type.
    pub(super) fn call_inner(&mut self) -> Option<(Handle<Expression>, FunctionResult)> {
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

    /// Makes the whole the entry point again. `given` is what it gives, and as what type.
    pub(super) fn end(mut self, module: &mut Module, given: Option<(Handle<Expression>, FunctionResult)>) {
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

    /// Adds the call, and makes the whole the entry point again. `result` says of the function's value what the entry
    /// point gives instead, and as what type; it may add expressions.
    pub(super) fn finish(
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

    /// The same. A function without a value gives `alone` instead.
    pub(super) fn finish_or(
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
