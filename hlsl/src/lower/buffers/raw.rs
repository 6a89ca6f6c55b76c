//! Byte address buffers, which are arrays of 32-bit words. Addresses are multiples of 4.

use naga::{BinaryOperator as Op, Expression};

use crate::{
    check::tree::{Expr, Numeric},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

impl Builder<'_, '_> {
    /// Returns a pointer to the word that is `further` words after an address, and whether the buffer
    /// contains it.
    pub(crate) fn word(
        &mut self,
        object: &KnownObject,
        address: Value,
        further: u32,
        span: Span,
    ) -> Lowered<(Value, Option<Value>)> {
        let variable = self.lowerer.resource(object, span)?;
        let buffer = self.add(Expression::GlobalVariable(variable));
        let two = self.uint(2);
        let mut index = self.binary(Op::ShiftRight, address, two);
        if further > 0 {
            let further = self.uint(further);
            index = self.binary(Op::Add, index, further);
        }
        let is_there = self.has_element(buffer, index);
        Ok((self.add(Expression::Access { base: buffer, index }), is_there))
    }

    /// Lowers `Load`, `Load2`, `Load3` and `Load4`.
    pub(crate) fn load_words(
        &mut self,
        object: &KnownObject,
        address: &Expr,
        count: u32,
        span: Span,
    ) -> Lowered<Value> {
        let address = self.value_of(address, Numeric::scalar(Scalar::Uint))?;
        let mut words = Vec::new();
        for further in 0..count {
            let (pointer, is_there) = self.word(object, address, further, span)?;
            words.push(self.load_if(pointer, is_there));
        }
        Ok(self.vector(naga::Scalar::U32, words))
    }

    /// Lowers `Store`, `Store2`, `Store3` and `Store4`.
    pub(crate) fn store_words(
        &mut self,
        object: &KnownObject,
        address: &Expr,
        value: &Expr,
        count: u32,
        span: Span,
    ) -> Lowered<()> {
        let address = self.value_of(address, Numeric::scalar(Scalar::Uint))?;
        let value = self.value_of(value, Numeric::vector(Scalar::Uint, count as u8))?;
        let words = self.parts_of(value, count as usize);
        for (further, word) in (0..).zip(words) {
            let (pointer, is_there) = self.word(object, address, further, span)?;
            self.visibly(is_there, |builder| {
                builder.store(pointer, word);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Lowers the property `Length` of a buffer, which is the number of elements.
    pub(crate) fn buffer_length(&mut self, object: &KnownObject, span: Span) -> Lowered<Value> {
        let variable = self.lowerer.resource(object, span)?;
        let buffer = self.add(Expression::GlobalVariable(variable));
        Ok(self.add(Expression::ArrayLength(buffer)))
    }

    /// Lowers `GetDimensions` of a buffer. The results are the number of elements and their stride, or the
    /// size in bytes for a byte address buffer.
    pub(crate) fn buffer_dimensions(
        &mut self,
        object: &KnownObject,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<()> {
        let variable = self.lowerer.resource(object, span)?;
        let buffer = self.add(Expression::GlobalVariable(variable));
        let count = self.add(Expression::ArrayLength(buffer));
        let uint = Numeric::scalar(Scalar::Uint);
        let Some(element) = &object.ty.element else {
            let four = self.uint(4);
            let bytes = self.binary(Op::Multiply, count, four);
            return match arguments.first() {
                Some(target) => self.give(target, bytes, uint),
                None => Ok(()),
            };
        };
        let rules = crate::interface::layout::LayoutRules::Structured;
        let stride = rules.array_stride(self.lowerer.program, element, object.ty.packing);
        let stride = self.uint(stride);
        for (target, value) in arguments.iter().zip([count, stride]) {
            self.give(target, value, uint)?;
        }
        Ok(())
    }
}
