//! The loads, stores and atomic operations of a shader on its global variables.
//!
//! naga has no pointers to parts of variables that outlive a function, so each access names its variable and
//! the steps from there.

use std::mem::Discriminant;

use naga::{
    Arena, AtomicFunction, Block, Expression, Function, GlobalVariable, Handle, ScalarKind, Span, Statement,
};

use super::calls::{ReplacementCall, inner_blocks};

/// A step from a variable towards the accessed part.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AccessStep {
    /// A step to a member, or to an element with a constant index.
    Known(u32),
    /// A step to the element whose index is the next argument.
    Argument,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AccessOperation {
    Load,
    Store,
    Atomic { function: Discriminant<AtomicFunction>, compares: bool },
}

impl AccessOperation {
    /// Returns whether the operation is an exchange with a comparison.
    pub(crate) const fn compares(self) -> bool {
        matches!(self, Self::Atomic { compares: true, .. })
    }
}

/// The key of the function that replaces an access. Equal keys share a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AccessKey {
    pub(crate) variable: Handle<GlobalVariable>,
    pub(crate) steps: Vec<AccessStep>,
    pub(crate) operation: AccessOperation,
}

/// An access in a shader.
#[derive(Debug)]
pub(crate) struct ShaderAccess {
    pub(crate) key: AccessKey,
    /// The index for each [`AccessStep::Argument`].
    pub(crate) indices: Vec<Handle<Expression>>,
    /// The stored value, or an atomic function's operand followed by the compared value.
    pub(crate) values: Vec<Handle<Expression>>,
    /// The atomic function, if the access is atomic.
    pub(crate) atomic: Option<AtomicFunction>,
    /// The expression for the value of the access, if it has one.
    pub(crate) result: Option<Handle<Expression>>,
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

    pub(crate) fn of_expression(
        expressions: &Arena<Expression>,
        expression: Handle<Expression>,
    ) -> Option<Self> {
        let Expression::Load { pointer } = *expressions.try_get(expression).ok()? else { return None };
        let access = Self::new(expressions, pointer, AccessOperation::Load)?;
        Some(Self { result: Some(expression), ..access })
    }

    pub(crate) fn of_statement(expressions: &Arena<Expression>, statement: &Statement) -> Option<Self> {
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

    /// Returns the call of a function that performs the access. The call passes each index as its bits, so a
    /// negative index exceeds every valid index.
    pub(crate) fn call(
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

/// Returns all loads, stores and atomic operations of a function.
pub(crate) fn accesses(function: &Function) -> Vec<ShaderAccess> {
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
