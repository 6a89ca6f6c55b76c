//! What shaders load, store and change atomically, as passes of the specialiser look at it.
//!
//! naga has no pointers to parts of variables that outlive a function: each access names its variable, and the steps from
//! there.

use std::mem::Discriminant;

use naga::{
    Arena, AtomicFunction, Block, Expression, Function, GlobalVariable, Handle, ScalarKind, Span, Statement,
};

use super::calls::{ReplacementCall, inner_blocks};

/// A step from a variable towards what is accessed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum AccessStep {
    /// To a member, or to an element that is known.
    Known(u32),
    /// To the element that the next argument says.
    Argument,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum AccessOperation {
    Load,
    Store,
    Atomic { function: Discriminant<AtomicFunction>, compares: bool },
}

impl AccessOperation {
    /// It is an exchange with a comparison.
    pub(super) const fn compares(self) -> bool {
        matches!(self, Self::Atomic { compares: true, .. })
    }
}

/// What tells the functions apart that accesses become.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct AccessKey {
    pub(super) variable: Handle<GlobalVariable>,
    pub(super) steps: Vec<AccessStep>,
    pub(super) operation: AccessOperation,
}

/// An access, as a shader does it.
#[derive(Debug)]
pub(super) struct ShaderAccess {
    pub(super) key: AccessKey,
    /// The index for each [`AccessStep::Argument`].
    pub(super) indices: Vec<Handle<Expression>>,
    /// What is stored; of an atomic function the operand, and what it compares with.
    pub(super) values: Vec<Handle<Expression>>,
    /// Of an atomic function.
    pub(super) atomic: Option<AtomicFunction>,
    /// What it is known by in the shader, if it has a value.
    pub(super) result: Option<Handle<Expression>>,
}

impl ShaderAccess {
    fn new(
        expressions: &Arena<Expression>,
        pointer: Handle<Expression>,
        operation: AccessOperation,
    ) -> Option<Self> {
        let (mut steps, mut indices) = (Vec::new(), Vec::new());
        let mut place = pointer;
        let variable = loop {
            match *expressions.try_get(place).ok()? {
                Expression::AccessIndex { base, index } => {
                    steps.push(AccessStep::Known(index));
                    place = base;
                }
                Expression::Access { base, index } => {
                    steps.push(AccessStep::Argument);
                    indices.push(index);
                    place = base;
                }
                Expression::GlobalVariable(variable) => break variable,
                _ => return None,
            }
        };
        steps.reverse();
        indices.reverse();
        let key = AccessKey { variable, steps, operation };
        Some(Self { key, indices, values: Vec::new(), atomic: None, result: None })
    }

    pub(super) fn of_expression(
        expressions: &Arena<Expression>,
        expression: Handle<Expression>,
    ) -> Option<Self> {
        let Expression::Load { pointer } = *expressions.try_get(expression).ok()? else { return None };
        let access = Self::new(expressions, pointer, AccessOperation::Load)?;
        Some(Self { result: Some(expression), ..access })
    }

    pub(super) fn of_statement(expressions: &Arena<Expression>, statement: &Statement) -> Option<Self> {
        match *statement {
            Statement::Store { pointer, value } => {
                let access = Self::new(expressions, pointer, AccessOperation::Store)?;
                Some(Self { values: vec![value], ..access })
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let compared = match fun {
                    AtomicFunction::Exchange { compare } => compare,
                    _ => None,
                };
                let operation = AccessOperation::Atomic {
                    function: std::mem::discriminant(&fun),
                    compares: compared.is_some(),
                };
                let access = Self::new(expressions, pointer, operation)?;
                let values = [value].into_iter().chain(compared).collect();
                Some(Self { values, atomic: Some(fun), result, ..access })
            }
            _ => None,
        }
    }

    /// The call of a function that does it. An index is given as its bits: a negative one exceeds every valid index.
    pub(super) fn call(
        &self,
        expressions: &mut Arena<Expression>,
        function: Handle<Function>,
    ) -> ReplacementCall {
        let before = expressions.len();
        let mut arguments = Vec::with_capacity(self.indices.len() + self.values.len());
        for &index in &self.indices {
            let bits = Expression::As { expr: index, kind: ScalarKind::Uint, convert: None };
            arguments.push(expressions.append(bits, Span::UNDEFINED));
        }
        let emits = expressions.range_from(before);
        arguments.extend(&self.values);
        ReplacementCall { function, arguments, emits: Some(emits), result: self.result }
    }
}

/// All that a function loads, stores and changes atomically.
pub(super) fn accesses(function: &Function) -> Vec<ShaderAccess> {
    fn in_block(block: &Block, expressions: &Arena<Expression>, found: &mut Vec<ShaderAccess>) {
        for statement in block.iter() {
            found.extend(ShaderAccess::of_statement(expressions, statement));
            inner_blocks(statement).for_each(|block| in_block(block, expressions, found));
        }
    }
    let expressions = &function.expressions;
    let mut found: Vec<_> = expressions
        .iter()
        .filter_map(|(handle, _)| ShaderAccess::of_expression(expressions, handle))
        .collect();
    in_block(&function.body, expressions, &mut found);
    found
}
