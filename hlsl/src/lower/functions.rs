//! Functions and calls.

use std::{collections::BTreeMap, sync::Arc};

use naga::{AddressSpace, Expression, Handle, Statement, TypeInner};

use crate::{
    check::tree::{Direction, Expr, ExprKind, Function, FunctionId, Numeric, Parameter, Type, visit},
    interface::{
        bindings::{MOST_OBJECTS, VariableId, object_count},
        stores::object_stores,
    },
    lower::{
        builder::{Builder, LocalStorage},
        function_facts::{FunctionFacts, FunctionKey},
        known_objects::ObjectExit,
        known_variables::{self, KnownVariables},
        lowerer::{FUNCTION_COST, Lowerer},
        places::{PlaceRoot, ValuePlace},
        result::{Lowered, Value, naga_span},
        unroll,
    },
    session::{code::Code, hash::HashSet, source::Span, stack::CALL_DEPTH},
    syntax::builtin::Shape,
};

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentPassing {
    /// The argument contains only objects, so nothing is passed at run time.
    Nothing,
    Value,
    Pointer,
}

impl FunctionFacts {
    fn passing(&self, lowerer: &Lowerer<'_>, function: &Function, parameter: &Parameter) -> ArgumentPassing {
        if !lowerer.has_data(&function.local(parameter.local).ty) {
            ArgumentPassing::Nothing
        } else if parameter.direction == Direction::In
            || (parameter.direction == Direction::InOut && !self.assigned.contains(&parameter.local))
        {
            ArgumentPassing::Value
        } else {
            ArgumentPassing::Pointer
        }
    }
}

/// An `out` argument, and the place that receives its value after the call.
struct OutArgument {
    place: ValuePlace,
    pointer: Value,
    /// The types of the conversions from the parameter to the place.
    types: Vec<Type>,
    span: Span,
}

/// A called function.
struct CalledFunction<'p> {
    source: &'p Function,
    facts: Arc<FunctionFacts>,
    /// The variables that more than one `out` or `inout` argument refers to.
    shared: HashSet<VariableId>,
}

/// The lowered arguments of a call.
struct LoweredArguments {
    key: FunctionKey,
    values: Vec<Value>,
    backs: Vec<OutArgument>,
    /// The known values when each `out` or `inout` argument was evaluated. They identify the array elements
    /// that receive values after the call.
    befores: Vec<Option<KnownVariables>>,
}

impl<'a> Lowerer<'a> {
    /// Returns the facts about a function.
    pub(super) fn facts(&mut self, id: FunctionId) -> Arc<FunctionFacts> {
        self.facts_within(id, 0)
    }

    fn facts_within(&mut self, id: FunctionId, depth: u32) -> Arc<FunctionFacts> {
        if let Some(facts) = self.facts.get(&id) {
            return facts.clone();
        }
        let program = self.program;
        let mut facts = FunctionFacts::default();
        let Some(body) = &program[id].body else { return Arc::new(facts) };
        facts.assigned = visit::assigned_in(program, body);
        facts.needs_literals = object_count(program, &program[id].result) > 0;
        let mut callees = HashSet::default();
        visit::statements(&body.statements, &mut |expr| {
            visit::targets(program, expr, &mut |target| {
                facts.stores_outside |= !matches!(*visit::root(target).kind, ExprKind::Local(_));
                facts.needs_literals |= self.chooses_output(id, target, &|_| None);
            });
            object_stores(program, expr, &mut |_, _| facts.needs_literals = true);
            if let ExprKind::Call(callee, _) = &*expr.kind {
                callees.insert(*callee);
            }
            facts.needs_literals |= unroll::literal_places(program, expr)
                .iter()
                .any(|place| crate::check::evaluate(program, place, &|_| None).is_none());
        });
        // A longer chain of calls is refused later.
        if depth < self.session.limits.calls() {
            let mut callees: Vec<_> = callees.into_iter().collect();
            callees.sort();
            for callee in callees {
                if callee != id {
                    let within = self.facts_within(callee, depth + 1);
                    facts.needs_literals |= within.needs_literals;
                    facts.stores_outside |= within.stores_outside;
                }
            }
        }
        let facts = Arc::new(facts);
        self.facts.insert(id, facts.clone());
        facts
    }

    /// Returns the naga function for a key. Lowers it if necessary.
    fn function(
        &mut self,
        key: FunctionKey,
        span: Span,
    ) -> Lowered<(Handle<naga::Function>, Arc<ObjectExit>)> {
        if let Some(function) = self.functions.get(&key) {
            return Ok(function.clone());
        }
        let program = self.program;
        let source = &program[key.function];
        let Some(body) = &source.body else {
            let message = format!("function '{}' is declared, but has no body", source.name);
            return Err(self.error(Code::UndeclaredIdentifier, span, message));
        };
        if self.depth + CALL_DEPTH >= self.session.limits.lowering {
            return Err(self.too_deep(span));
        }
        self.reserve(FUNCTION_COST, span)?;
        let facts = self.facts(key.function);
        self.depth += CALL_DEPTH;
        let mut builder = Builder::new(self, &source.name);
        builder.source = Some(key.function);
        builder.facts = facts;
        for (local, components) in &key.known {
            builder.known.set(*local, Some(components.clone()));
        }
        let globals = key.globals.iter().map(|(id, known)| (VariableId::Global(*id), known.clone()));
        builder.objects.extend(globals);
        let lowered = builder.parameters(source, &key).and_then(|()| {
            builder.statements(&body.statements)?;
            builder.finish_body(&source.result, source.span)
        });
        let exit = builder.exit.take();
        let function = builder.finish();
        self.depth -= CALL_DEPTH;
        lowered?;
        let handle = self.module.functions.append(function, naga_span(source.span));
        let lowered = (handle, Arc::new(exit.unwrap_or_default()));
        self.functions.insert(key, lowered.clone());
        Ok(lowered)
    }
}

impl Builder<'_, '_> {
    fn parameters(&mut self, source: &Function, key: &FunctionKey) -> Lowered<()> {
        let mut objects = key.objects.iter();
        let facts = self.facts.clone();
        for parameter in &source.parameters {
            let local = source.local(parameter.local);
            let count = object_count(self.lowerer.program, &local.ty).min(MOST_OBJECTS) as usize;
            if count > 0 {
                let own = objects.by_ref().take(count).cloned().collect();
                self.objects.insert(VariableId::Local(parameter.local), own);
            }
            let passing = facts.passing(self.lowerer, source, parameter);
            let is_literal = self.known.value(parameter.local, &local.ty).is_some()
                && !facts.assigned.contains(&parameter.local);
            if passing == ArgumentPassing::Nothing || is_literal {
                continue;
            }
            let ty = self.ty(&local.ty, local.span)?;
            let place = if passing == ArgumentPassing::Pointer {
                let pointer = TypeInner::Pointer { base: ty, space: AddressSpace::Function };
                let pointer = self.lowerer.add_type(None, pointer);
                LocalStorage::Pointer(self.argument(&local.name, pointer))
            } else {
                let value = self.argument(&local.name, ty);
                if facts.assigned.contains(&parameter.local) || self.prefers_memory(&local.ty) {
                    let pointer = self.variable(&local.name, ty);
                    self.store(pointer, value);
                    LocalStorage::Pointer(pointer)
                } else {
                    LocalStorage::Value(value)
                }
            };
            self.locals.insert(parameter.local, place);
        }
        if self.lowerer.has_data(&source.result) {
            let ty = self.ty(&source.result, source.span)?;
            self.function.result = Some(naga::FunctionResult { ty, binding: None });
        }
        Ok(())
    }

    /// Returns whether a value may be indexed at run time, which is simpler in memory.
    pub(super) fn prefers_memory(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(_) | Type::Object(_) | Type::Numeric(Numeric { shape: Shape::Matrix { .. }, .. }) => {
                true
            }
            Type::Struct(id) => {
                self.lowerer.program[*id].fields.iter().any(|field| self.prefers_memory(&field.ty))
            }
            _ => false,
        }
    }

    /// Ends a function whose last statement may not be a `return`.
    fn finish_body(&mut self, result: &Type, span: Span) -> Lowered<()> {
        if !self.is_finished() {
            self.leave(Vec::new())?;
        }
        if !self.lowerer.has_data(result) || self.is_finished() {
            self.push(Statement::Return { value: None });
            return Ok(());
        }
        // The end is unreachable, or the program returns no value. The variable is never stored to, so the
        // result does not count as a written output.
        let ty = self.ty(result, span)?;
        let nothing = self.variable("nothing", ty);
        let value = self.load(nothing);
        self.push(Statement::Return { value: Some(value) });
        Ok(())
    }

    /// Lowers a call of an HLSL function. Returns `None` if the function has no result. `site` is the
    /// [`site`](super::objects::site) of the call expression.
    pub(crate) fn call(
        &mut self,
        id: FunctionId,
        arguments: &[Expr],
        span: Span,
        site: usize,
    ) -> Lowered<Option<Value>> {
        let program = self.lowerer.program;
        let source = &program[id];
        let LoweredArguments { key, values, backs, befores } = self.call_arguments(id, arguments)?;
        let (function, exit) = self.lowerer.function(key, span)?;
        let result = self.lowerer.module.functions[function].result.is_some();
        let result = result.then(|| self.add(Expression::CallResult(function)));
        self.push(Statement::Call { function, arguments: values, result });
        for (parameter, argument) in source.parameters.iter().zip(arguments) {
            if parameter.stores.any {
                self.forget_root(argument);
            }
        }
        for back in backs {
            self.take_back(&back)?;
        }
        self.take_objects(source, arguments, &befores, &exit)?;
        if !exit.result.is_empty() {
            self.returned.insert(site, exit.result.clone());
        }
        Ok(result)
    }

    /// Lowers the arguments of a call, and determines the key of the called function.
    fn call_arguments(&mut self, id: FunctionId, arguments: &[Expr]) -> Lowered<LoweredArguments> {
        let program = self.lowerer.program;
        let source = &program[id];
        let facts = self.lowerer.facts(id);
        let called = CalledFunction { source, facts, shared: shared_variables(source, arguments) };
        let key =
            FunctionKey { function: id, objects: Vec::new(), globals: BTreeMap::new(), known: Vec::new() };
        let mut lowered =
            LoweredArguments { key, values: Vec::new(), backs: Vec::new(), befores: Vec::new() };
        for (index, (parameter, argument)) in source.parameters.iter().zip(arguments).enumerate() {
            let ty = &source.local(parameter.local).ty;
            lowered.befores.push((parameter.direction != Direction::In).then(|| self.known.clone()));
            let known = match parameter.direction {
                Direction::In | Direction::InOut if called.facts.needs_literals => {
                    self.known_argument(argument, ty)
                }
                _ => None,
            };
            self.pass_argument(&called, index, argument, known.as_deref(), &mut lowered)?;
            lowered.key.known.extend(known.map(|known| (parameter.local, known)));
            if object_count(program, ty) > 0 {
                lowered.key.objects.extend(self.objects_in(argument)?);
            }
        }
        lowered.key.globals = self.global_objects();
        Ok(lowered)
    }

    /// Adds the value or the pointer that an argument passes at run time. `known` contains its known
    /// components.
    fn pass_argument(
        &mut self,
        called: &CalledFunction<'_>,
        index: usize,
        argument: &Expr,
        known: Option<&[Option<u64>]>,
        lowered: &mut LoweredArguments,
    ) -> Lowered<()> {
        let CalledFunction { source, facts, shared } = called;
        let parameter = &source.parameters[index];
        let ty = &source.local(parameter.local).ty;
        let is_shared = variable(argument).is_some_and(|variable| shared.contains(&variable));
        let is_object = source.object.is_some() && index == 0;
        match facts.passing(self.lowerer, source, parameter) {
            ArgumentPassing::Nothing => {}
            ArgumentPassing::Value
                if parameter.direction == Direction::InOut
                    && (is_shared || facts.stores_outside && !is_object && self.may_be_stored(argument)) =>
            {
                // The function does not change this value, but copying it back may overwrite stores that
                // the call made under another name.
                let back = self.back(parameter, ty, argument, true)?;
                lowered.values.push(self.load(back.pointer));
                lowered.backs.push(back);
            }
            ArgumentPassing::Value => {
                // A parameter that the function changes is known only at the start of the function.
                let is_literal =
                    ty.numeric().is_some() && known.is_some_and(|known| known.iter().all(Option::is_some));
                if !is_literal || facts.assigned.contains(&parameter.local) {
                    lowered.values.push(self.conversion(argument, ty, argument.span)?);
                }
            }
            ArgumentPassing::Pointer => {
                let back = self.back(parameter, ty, argument, is_shared)?;
                lowered.values.push(back.pointer);
                lowered.backs.push(back);
            }
        }
        Ok(())
    }

    /// Returns the known components of an argument. A numeric argument is either completely known or unknown.
    fn known_argument(&self, argument: &Expr, ty: &Type) -> Option<Vec<Option<u64>>> {
        match ty.numeric() {
            Some(numeric) => {
                let known = self.known(argument).filter(|known| known.ty == numeric);
                known_variables::parts(known.as_ref())
            }
            None if argument.ty == *ty => self.known_partly(argument),
            None => None,
        }
    }

    /// Returns whether a called function can store to an argument's variable under another name.
    fn may_be_stored(&self, argument: &Expr) -> bool {
        match &*visit::root(argument).kind {
            ExprKind::Global(global) => self.lowerer.program[*global].assigned,
            ExprKind::Element { object, .. } => {
                object.ty.object().is_some_and(|object| object.kind.family().is_writable())
            }
            _ => false,
        }
    }

    /// Returns the memory for an `out` argument: the variable itself if possible, or a new variable.
    fn back(
        &mut self,
        parameter: &Parameter,
        ty: &Type,
        argument: &Expr,
        needs_own: bool,
    ) -> Lowered<OutArgument> {
        let mut target = argument;
        let mut types = vec![ty.clone(), argument.ty.clone()];
        while let ExprKind::Convert(inner) = &*target.kind {
            types.push(inner.ty.clone());
            target = inner;
        }
        types.dedup();
        let place = self.place(target)?;
        if let PlaceRoot::Memory(pointer) = place.root
            && place.path.steps.is_empty()
            && types.len() == 1
            && !needs_own
            && matches!(
                self.function.expressions[pointer],
                Expression::LocalVariable(_) | Expression::FunctionArgument(_)
            )
        {
            return Ok(OutArgument { place, pointer, types, span: argument.span });
        }
        let memory = self.ty(ty, argument.span)?;
        let pointer = self.variable("argument", memory);
        if parameter.direction == Direction::InOut {
            let mut value = self.load_place(&place, argument.span)?;
            for (to, from) in types.iter().zip(types.iter().skip(1)).rev() {
                value = self.convert_value(value, from, to, argument.span)?;
            }
            self.store(pointer, value);
        }
        Ok(OutArgument { place, pointer, types, span: argument.span })
    }

    fn take_back(&mut self, back: &OutArgument) -> Lowered<()> {
        let is_direct = matches!(back.place.root, PlaceRoot::Memory(pointer) if pointer == back.pointer);
        // Changes that a method makes to a constant object are lost.
        let is_lost = matches!(back.place.root, PlaceRoot::Uniform(_) | PlaceRoot::Value(_));
        if is_direct || is_lost {
            return Ok(());
        }
        let value = self.load(back.pointer);
        self.store_converted(&back.place, &back.types, value, back.span)
    }
}

/// Returns the variable that an argument is part of.
fn variable(argument: &Expr) -> Option<VariableId> {
    match *visit::root(argument).kind {
        ExprKind::Local(local) => Some(VariableId::Local(local)),
        ExprKind::Global(global) => Some(VariableId::Global(global)),
        _ => None,
    }
}

/// Returns the variables that more than one `out` or `inout` argument refers to.
fn shared_variables(function: &Function, arguments: &[Expr]) -> HashSet<VariableId> {
    let comes_back = |(parameter, _): &(&Parameter, &Expr)| parameter.direction != Direction::In;
    let arguments = function.parameters.iter().zip(arguments).filter(comes_back);
    let mut seen = HashSet::default();
    arguments.filter_map(|(_, argument)| variable(argument)).filter(|one| !seen.insert(*one)).collect()
}
