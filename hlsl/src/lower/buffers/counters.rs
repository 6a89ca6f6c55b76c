//! Hidden counters, and the methods of structured buffers that change them.

use naga::{AtomicFunction, BinaryOperator as Op, Expression, Statement};

use crate::{
    check::tree::{Expr, Type},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        places::{BufferElement, ValuePath},
        result::{Lowered, Value},
    },
    session::source::Span,
};

impl Builder<'_, '_> {
    /// Adds 1 to a hidden counter or subtracts 1. Returns the original value.
    fn change_counter(&mut self, object: &KnownObject, fun: AtomicFunction, span: Span) -> Lowered<Value> {
        let variable = self.lowerer.counter(object, span)?;
        let pointer = self.add(Expression::GlobalVariable(variable));
        let value = self.uint(1);
        let ty = self.lowerer.vector_type(naga::Scalar::U32, 1);
        self.visible_value(None, ty, |builder| Ok(builder.atomic(pointer, fun, value, naga::Scalar::U32)))
    }

    /// Lowers `IncrementCounter`, which returns the original value.
    pub(crate) fn increment_counter(&mut self, object: &KnownObject, span: Span) -> Lowered<Value> {
        self.change_counter(object, AtomicFunction::Add, span)
    }

    /// Lowers `DecrementCounter`, which returns the new value.
    pub(crate) fn decrement_counter(&mut self, object: &KnownObject, span: Span) -> Lowered<Value> {
        let before = self.change_counter(object, AtomicFunction::Subtract, span)?;
        let one = self.uint(1);
        Ok(self.binary(Op::Subtract, before, one))
    }

    /// Lowers `Append`.
    pub(crate) fn append(
        &mut self,
        object: &KnownObject,
        argument: Option<&Expr>,
        span: Span,
    ) -> Lowered<()> {
        let (Some(argument), Some(ty)) = (argument, object.ty.element.clone()) else {
            return Err(self.unsupported(span, "Append without a value"));
        };
        let value = match ty.numeric() {
            Some(numeric) => self.value_of(argument, numeric)?,
            None => self.expr(argument)?,
        };
        let place = self.increment_counter(object, span)?;
        let element = BufferElement { object: object.clone(), place, level: None, ty };
        self.store_element(&element, &ValuePath::default(), value, span)
    }

    /// Lowers `Consume`.
    pub(crate) fn consume(&mut self, object: &KnownObject, ty: &Type, span: Span) -> Lowered<Value> {
        let place = self.decrement_counter(object, span)?;
        let element = BufferElement { object: object.clone(), place, level: None, ty: ty.clone() };
        self.load_element(&element, &ValuePath::default(), span)
    }

    /// Adds an atomic function and returns the original value.
    pub(crate) fn atomic(
        &mut self,
        pointer: Value,
        fun: AtomicFunction,
        value: Value,
        scalar: naga::Scalar,
    ) -> Value {
        let ty = self.lowerer.vector_type(scalar, 1);
        let result = self.add(Expression::AtomicResult { ty, comparison: false });
        self.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        result
    }
}
