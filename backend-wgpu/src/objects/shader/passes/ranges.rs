//! The pass that checks indices into structured buffers, raw buffers and arrays of constant rows.
//!
//! Direct3D 11 promises that a read out of range returns zero and that a write out of range has no effect.
//! wgpu only promises that the access stays within the buffer: depending on the adapter, a read returns zeros
//! or the last element. A load, a store or an atomic function whose index may be too large therefore becomes
//! the call of a function that compares the index with the length of the array. The first element of an array
//! at the end of a buffer always exists, because wgpu binds no shorter buffer.
//!
//! Typed buffers and textures have their own functions ([`super::typed`]).

use std::collections::HashMap;

use naga::{
    Arena, ArraySize, AtomicFunction, BinaryOperator, Block, Expression, Function, FunctionArgument,
    FunctionResult, Handle, Literal, Module, PredeclaredType, Scalar, Span, Statement, Type, TypeInner,
};

use crate::objects::shader::{
    rewrite::{
        accesses::{AccessKey, AccessOperation, AccessStep, ShaderAccess, accesses},
        calls::{self, ExpressionCalls},
    },
    specialization::constant_rows,
};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "ranges",
    scope: PassScope::Shader,
    applies: |_| true,
    run: |context| apply(&mut context.module),
};

/// Rewrites a module.
fn apply(module: &mut Module) {
    let mut functions = Arena::new();
    let mut made: HashMap<AccessKey, Option<Handle<Function>>> = HashMap::new();
    let mut results = ExpressionCalls::new();
    let found: Vec<_> = calls::places(module)
        .into_iter()
        .filter_map(|place| Some((place, accesses(calls::function_at(module, place)?))))
        .collect();
    let mut all = found.iter().flat_map(|(_, found)| found);
    let exchanges = all.any(|access| access.key.operation.compares() && needs_checks(module, &access.key));
    for (place, found) in found {
        for access in found {
            let made = made.entry(access.key.clone()).or_insert_with(|| {
                let function = in_range(module, &access, exchanges)?;
                Some(functions.append(function, Span::UNDEFINED))
            });
            let (Some(made), Some(result)) = (*made, access.result) else { continue };
            let Some(function) = calls::function_at(module, place) else { continue };
            results.insert((place, result), access.call(&mut function.expressions, made));
        }
    }
    if functions.is_empty() {
        return;
    }
    if exchanges {
        name_exchanges(module);
    }
    calls::insert(module, functions, &results, &mut |expressions, statement| {
        let access = ShaderAccess::of_statement(expressions, statement)?;
        let function = (*made.get(&access.key)?)?;
        Some(access.call(expressions, function))
    });
}

/// An array whose index may be too large.
struct IndexCheck {
    /// Number of steps from the variable to the array. The next step has the index.
    steps: usize,
    length: ArraySize,
}

/// Returns the checks that an access needs, and the type of the accessed value. Only buffers need checks.
fn checks(module: &Module, key: &AccessKey) -> Option<(Vec<IndexCheck>, Type)> {
    let variable = &module.global_variables[key.variable];
    let is_buffer = matches!(variable.space, naga::AddressSpace::Storage { .. })
        || constant_rows::rows(module, key.variable).is_some();
    let mut ty = &module.types[variable.ty];
    let mut checks = Vec::new();
    let part = |inner| Type { name: None, inner };
    for (steps, step) in key.steps.iter().enumerate() {
        match (&ty.inner, *step) {
            (TypeInner::Array { base, size, .. }, _) => {
                let is_beyond = match (size, *step) {
                    (ArraySize::Dynamic, AccessStep::Known(index)) => index > 0,
                    (ArraySize::Dynamic | ArraySize::Constant(_), AccessStep::Argument) => true,
                    _ => false,
                };
                if is_beyond && is_buffer {
                    checks.push(IndexCheck { steps, length: *size });
                }
                ty = &module.types[*base];
            }
            (TypeInner::Struct { members, .. }, AccessStep::Known(index)) => {
                ty = &module.types[members.get(index as usize)?.ty];
            }
            (TypeInner::Vector { scalar, .. }, _) => return Some((checks, part(TypeInner::Scalar(*scalar)))),
            (TypeInner::Matrix { rows, scalar, .. }, _) => {
                let is_column = steps + 1 == key.steps.len();
                let column = TypeInner::Vector { size: *rows, scalar: *scalar };
                let inner = if is_column { column } else { TypeInner::Scalar(*scalar) };
                return Some((checks, part(inner)));
            }
            _ => return None,
        }
    }
    match ty.inner {
        TypeInner::Atomic(scalar) => Some((checks, part(TypeInner::Scalar(scalar)))),
        _ => Some((checks, ty.clone())),
    }
}

/// Returns the type of the value that an access reaches.
pub(super) fn reached(module: &Module, key: &AccessKey) -> Option<Type> {
    checks(module, key).map(|(_, reached)| reached)
}

/// Returns whether any index of an access may be too large.
fn needs_checks(module: &Module, key: &AccessKey) -> bool {
    checks(module, key).is_some_and(|(checks, _)| !checks.is_empty())
}

/// Returns the function that performs an access if its indices are in range, and otherwise returns zero.
/// Returns `None` if all indices are known to be in range. If `exchanges` is set, every exchange with a
/// comparison gets a function, because the results of all such exchanges must have the same type.
fn in_range(module: &mut Module, access: &ShaderAccess, exchanges: bool) -> Option<Function> {
    let key = &access.key;
    let (checks, reached) = checks(module, key)?;
    if checks.is_empty() && !(exchanges && key.operation.compares()) {
        return None;
    }
    let word = add_type(module, TypeInner::Scalar(Scalar::U32));
    let exchange = match &reached.inner {
        TypeInner::Scalar(scalar) if key.operation.compares() => Some(ExchangeTypes::new(module, *scalar)),
        _ => None,
    };
    let reached = module.types.insert(reached, Span::UNDEFINED);
    let result = (key.operation != AccessOperation::Store)
        .then_some(exchange.map_or(reached, |exchange| exchange.result));

    let argument = |ty| FunctionArgument { name: None, ty, binding: None };
    let indices = access.indices.iter().map(|_| argument(word));
    let values = access.values.iter().map(|_| argument(reached));
    let function = Function {
        name: Some("in_range".into()),
        arguments: indices.chain(values).collect(),
        result: result.map(|ty| FunctionResult { ty, binding: None }),
        ..Function::default()
    };
    let mut building = FunctionBuilding::new(function, key);
    let zero = match exchange {
        Some(_) => Some(building.add(Expression::ZeroValue(reached))),
        None => result.map(|ty| building.add(Expression::ZeroValue(ty))),
    };
    let condition = building.condition(&checks)?;
    let (mut accept, value) = building.access(access, reached, exchange)?;
    if value.is_some() {
        accept.push(Statement::Return { value }, Span::UNDEFINED);
    }
    let Some(condition) = condition else {
        building.function.body = accept;
        return Some(building.function);
    };
    let branch = Statement::If { condition, accept, reject: Block::new() };
    building.function.body.push(branch, Span::UNDEFINED);
    let beyond = match exchange.zip(zero) {
        Some((exchange, zero)) => Some(building.exchanged_zero(exchange, zero)?),
        None => zero,
    };
    let mut function = building.function;
    function.body.push(Statement::Return { value: beyond }, Span::UNDEFINED);
    Some(function)
}

fn add_type(module: &mut Module, inner: TypeInner) -> Handle<Type> {
    module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
}

/// The types of the results of an exchange with a comparison.
#[derive(Copy, Clone)]
struct ExchangeTypes {
    /// WGSL's built-in type, which functions cannot return because it has no name.
    unnamed: Handle<Type>,
    /// A named type with the same members.
    result: Handle<Type>,
}

impl ExchangeTypes {
    fn new(module: &mut Module, scalar: Scalar) -> Self {
        let unnamed = PredeclaredType::AtomicCompareExchangeWeakResult(scalar);
        let unnamed = module.generate_predeclared_type(unnamed);
        let inner = module.types[unnamed].inner.clone();
        let result = module.types.insert(Type { name: Some("Exchanged".into()), inner }, Span::UNDEFINED);
        Self { unnamed, result }
    }
}

/// Changes local variables from the built-in type of exchange results to the named type.
fn name_exchanges(module: &mut Module) {
    let predeclared: Vec<_> = module.special_types.predeclared_types.keys().cloned().collect();
    for ty in predeclared {
        let PredeclaredType::AtomicCompareExchangeWeakResult(scalar) = ty else { continue };
        let ExchangeTypes { unnamed, result } = ExchangeTypes::new(module, scalar);
        for place in calls::places(module) {
            let Some(function) = calls::function_at(module, place) else { continue };
            let locals = function.local_variables.iter_mut().map(|(_, local)| local);
            locals.filter(|local| local.ty == unnamed).for_each(|local| local.ty = result);
        }
    }
}

/// A function under construction.
struct FunctionBuilding<'k> {
    function: Function,
    steps: &'k [AccessStep],
    variable: Handle<Expression>,
    /// The index argument of each step, if the step has one.
    indices: Vec<Option<Handle<Expression>>>,
    /// The arguments after the indices.
    values: Vec<Handle<Expression>>,
}

impl<'k> FunctionBuilding<'k> {
    fn new(mut function: Function, key: &'k AccessKey) -> Self {
        let count = function.arguments.len() as u32;
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let variable = add(Expression::GlobalVariable(key.variable));
        let mut arguments = (0..count).map(|at| add(Expression::FunctionArgument(at)));
        let index = |step: &AccessStep| (*step == AccessStep::Argument).then(|| arguments.next()).flatten();
        let indices = key.steps.iter().map(index).collect();
        let values = arguments.collect();
        Self { function, steps: &key.steps, variable, indices, values }
    }

    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Adds a pointer to the part after `steps` steps.
    fn pointer(&mut self, steps: usize) -> Handle<Expression> {
        let mut base = self.variable;
        for at in 0..steps {
            let next = match (self.steps[at], self.indices[at]) {
                (AccessStep::Known(index), _) => Expression::AccessIndex { base, index },
                (AccessStep::Argument, Some(index)) => Expression::Access { base, index },
                (AccessStep::Argument, None) => continue,
            };
            base = self.add(next);
        }
        base
    }

    /// Adds the comparisons of indices with lengths, and returns their conjunction if there are any.
    fn condition(&mut self, checks: &[IndexCheck]) -> Option<Option<Handle<Expression>>> {
        if checks.is_empty() {
            return Some(None);
        }
        // No statement emits literals, so they precede the emitted expressions.
        let mut operands = Vec::with_capacity(checks.len());
        for check in checks {
            let index = match self.steps[check.steps] {
                AccessStep::Known(index) => self.add(Expression::Literal(Literal::U32(index))),
                AccessStep::Argument => self.indices[check.steps]?,
            };
            let length = match check.length {
                ArraySize::Constant(length) => {
                    Some(self.add(Expression::Literal(Literal::U32(length.get()))))
                }
                _ => None,
            };
            operands.push((index, length));
        }
        let before = self.function.expressions.len();
        let mut condition = None;
        for (check, (left, length)) in checks.iter().zip(operands) {
            let right = length.unwrap_or_else(|| {
                let array = self.pointer(check.steps);
                self.add(Expression::ArrayLength(array))
            });
            let less = self.add(Expression::Binary { op: BinaryOperator::Less, left, right });
            condition = Some(condition.map_or(less, |left| {
                self.add(Expression::Binary { op: BinaryOperator::LogicalAnd, left, right: less })
            }));
        }
        let emitted = self.function.expressions.range_from(before);
        self.function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
        Some(condition)
    }

    /// Adds the result of an exchange out of range, after the last statement. The old value is zero, and the
    /// exchange counts as successful if the shader expected zero. A loop that repeats until its exchange
    /// succeeds therefore ends.
    fn exchanged_zero(
        &mut self,
        exchange: ExchangeTypes,
        zero: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        let compare = *self.values.get(1)?;
        let before = self.function.expressions.len();
        let is_zero = Expression::Binary { op: BinaryOperator::Equal, left: compare, right: zero };
        let is_zero = self.add(is_zero);
        let value = self.add(Expression::Compose { ty: exchange.result, components: vec![zero, is_zero] });
        let emitted = self.function.expressions.range_from(before);
        self.function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
        Some(value)
    }

    /// Returns the statements of an access, and the resulting value.
    fn access(
        &mut self,
        access: &ShaderAccess,
        reached: Handle<Type>,
        exchange: Option<ExchangeTypes>,
    ) -> Option<(Block, Option<Handle<Expression>>)> {
        let mut block = Block::new();
        let before = self.function.expressions.len();
        let pointer = self.pointer(self.steps.len());
        let loaded =
            (access.key.operation == AccessOperation::Load).then(|| self.add(Expression::Load { pointer }));
        block.push(Statement::Emit(self.function.expressions.range_from(before)), Span::UNDEFINED);
        let Some(fun) = access.atomic else {
            let stored = self.values.first().map(|value| Statement::Store { pointer, value: *value });
            block.extend(stored.map(|stored| (stored, Span::UNDEFINED)));
            return Some((block, loaded));
        };
        let (value, compare) = (*self.values.first()?, self.values.get(1).copied());
        let fun = match fun {
            AtomicFunction::Exchange { .. } => AtomicFunction::Exchange { compare },
            fun => fun,
        };
        let ty = exchange.map_or(reached, |exchange| exchange.unnamed);
        let given = self.add(Expression::AtomicResult { ty, comparison: exchange.is_some() });
        block.push(Statement::Atomic { pointer, fun, value, result: Some(given) }, Span::UNDEFINED);
        let Some(exchange) = exchange else { return Some((block, Some(given))) };
        let before = self.function.expressions.len();
        let components = [0, 1].map(|index| self.add(Expression::AccessIndex { base: given, index }));
        let value = self.add(Expression::Compose { ty: exchange.result, components: components.into() });
        block.push(Statement::Emit(self.function.expressions.range_from(before)), Span::UNDEFINED);
        Some((block, Some(value)))
    }
}

#[cfg(test)]
mod tests;
