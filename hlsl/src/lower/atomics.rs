//! Atomic functions on buffer elements, on words of byte address buffers, on texels and on `groupshared`
//! variables.

use naga::{
    AtomicFunction, Expression, MathFunction as Math, PredeclaredType, ScalarKind, Statement, StorageAccess,
    TypeInner,
};

use crate::{
    check::tree::{Expr, ExprKind, Intrinsic, Method, Numeric, Program, Storage, Type},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        object_facts::ANY_ELEMENT,
        places::{BufferElement, ElementIndex, PathStepKind, PlaceRoot, ValuePath, ValuePlace},
        resources::{TextureShape, image_kind, texel_of},
        result::{Lowered, Value},
        types::naga_scalar,
    },
    session::source::Span,
    syntax::builtin::{Object as Kind, Scalar},
};

/// The operation of an atomic function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Atomic {
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exchange,
    CompareExchange,
    CompareStore,
}

/// Returns the operation of an `Interlocked…` intrinsic.
fn of_intrinsic(which: Intrinsic) -> Option<Atomic> {
    Some(match which {
        Intrinsic::InterlockedAdd => Atomic::Add,
        Intrinsic::InterlockedAnd => Atomic::And,
        Intrinsic::InterlockedOr => Atomic::Or,
        Intrinsic::InterlockedXor => Atomic::Xor,
        Intrinsic::InterlockedMin => Atomic::Min,
        Intrinsic::InterlockedMax => Atomic::Max,
        Intrinsic::InterlockedExchange => Atomic::Exchange,
        Intrinsic::InterlockedCompareExchange => Atomic::CompareExchange,
        Intrinsic::InterlockedCompareStore => Atomic::CompareStore,
        _ => return None,
    })
}

/// Returns the operation of an `Interlocked…` method.
pub(super) fn of_method(method: Method) -> Option<Atomic> {
    Some(match method {
        Method::InterlockedAdd => Atomic::Add,
        Method::InterlockedAnd => Atomic::And,
        Method::InterlockedOr => Atomic::Or,
        Method::InterlockedXor => Atomic::Xor,
        Method::InterlockedMin => Atomic::Min,
        Method::InterlockedMax => Atomic::Max,
        Method::InterlockedExchange => Atomic::Exchange,
        Method::InterlockedCompareExchange => Atomic::CompareExchange,
        Method::InterlockedCompareStore => Atomic::CompareStore,
        _ => return None,
    })
}

/// The arguments after the destination.
struct AtomicOperands<'e> {
    atomic: Atomic,
    /// The value that an exchange compares with the destination.
    compare: Option<&'e Expr>,
    value: &'e Expr,
    /// The `out` argument for the original value.
    before: Option<&'e Expr>,
}

impl<'e> AtomicOperands<'e> {
    fn new(atomic: Atomic, arguments: &'e [Expr]) -> Option<Self> {
        let mut arguments = arguments.iter();
        let compares = matches!(atomic, Atomic::CompareExchange | Atomic::CompareStore);
        let compare = if compares { Some(arguments.next()?) } else { None };
        Some(Self { atomic, compare, value: arguments.next()?, before: arguments.next() })
    }
}

/// The destination of an atomic function.
enum AtomicTarget {
    /// The pointer to an atomic component, its type in HLSL, and whether the element exists.
    Pointer(Value, Scalar, Option<Value>),
    Texel(BufferElement),
}

impl Builder<'_, '_> {
    /// Lowers `InterlockedAdd` and similar intrinsics.
    pub(super) fn interlocked(&mut self, which: Intrinsic, arguments: &[Expr], span: Span) -> Lowered<()> {
        let (Some(atomic), [target, rest @ ..]) = (of_intrinsic(which), arguments) else {
            return Err(self.unsupported(span, which.name()));
        };
        let Some(operands) = AtomicOperands::new(atomic, rest) else {
            return Err(self.unsupported(span, which.name()));
        };
        match self.atomic_target(target)? {
            AtomicTarget::Pointer(pointer, scalar, is_there) => {
                let stored = match self.atomic_scalar(pointer) {
                    Some(naga::Scalar::I32) => Scalar::Int,
                    _ => Scalar::Uint,
                };
                self.change_memory((pointer, is_there), stored, scalar, &operands)
            }
            AtomicTarget::Texel(element) => self.change_texel(&element, &operands, span),
        }
    }

    /// Lowers the `Interlocked…` methods of a byte address buffer.
    pub(super) fn interlocked_method(
        &mut self,
        method: Method,
        object: &KnownObject,
        address: &Expr,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<()> {
        let operands = of_method(method).and_then(|atomic| AtomicOperands::new(atomic, arguments));
        let Some(operands) = operands else { return Err(self.unsupported(span, method.name())) };
        let is_made = self.lowerer.is_made(object);
        self.lowerer.object_facts.change_atomically(object.id, Vec::new(), is_made);
        let address = self.value_of(address, Numeric::scalar(Scalar::Uint))?;
        let word = self.word(object, address, 0, span)?;
        // The minimum and the maximum of signed values differ from those of unsigned values.
        let is_signed = operands.value.ty.numeric().is_some_and(|ty| ty.scalar == Scalar::Int);
        let scalar = if is_signed { Scalar::Int } else { Scalar::Uint };
        self.change_memory(word, Scalar::Uint, scalar, &operands)
    }

    fn atomic_scalar(&mut self, pointer: Value) -> Option<naga::Scalar> {
        let TypeInner::Pointer { base, .. } = self.inner(pointer) else { return None };
        match self.lowerer.module.types[base].inner {
            TypeInner::Atomic(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Returns the destination that an expression refers to.
    fn atomic_target(&mut self, target: &Expr) -> Lowered<AtomicTarget> {
        let Some(ty) = target.ty.numeric().filter(|ty| ty.components() == 1) else {
            return Err(self.unsupported(target.span, "an atomic function of such a value"));
        };
        let place = self.place(target)?;
        let element = match &place.root {
            PlaceRoot::Element(element) => element,
            PlaceRoot::Memory(pointer) => return self.group_target(*pointer, &place, target, ty.scalar),
            _ => return Err(self.unsupported(target.span, "an atomic function of such a value")),
        };
        if TextureShape::of(element.object.ty.kind).is_some() {
            return Ok(AtomicTarget::Texel(element.clone()));
        }
        let is_made = self.lowerer.is_made(&element.object);
        let fields = fields_of(&element.ty, &place.path);
        self.lowerer.object_facts.change_atomically(element.object.id, fields, is_made);
        let part = self.element_part(element, &place.path, target.span)?;
        match self.single_pointer(&part) {
            Some(pointer) => Ok(AtomicTarget::Pointer(pointer, ty.scalar, part.is_there)),
            None => Err(self.unsupported(target.span, "an atomic function of such a value")),
        }
    }

    /// Returns the destination in a `groupshared` variable.
    fn group_target(
        &mut self,
        mut pointer: Value,
        place: &ValuePlace,
        target: &Expr,
        scalar: Scalar,
    ) -> Lowered<AtomicTarget> {
        if !is_group_variable(self.lowerer.program, target) {
            return Err(self.unsupported(target.span, "an atomic function of a variable of one thread"));
        }
        for step in &place.path.steps {
            pointer = match &step.kind {
                PathStepKind::Field(id, field) => {
                    let index = self.lowerer.field_index(*id, *field);
                    self.access(pointer, index)
                }
                PathStepKind::Index(index) => self.element_pointer(pointer, *index),
                PathStepKind::Swizzle(components) => match components.as_slice() {
                    [component] => self.element_pointer(pointer, ElementIndex::Known((*component).into())),
                    _ => pointer,
                },
                PathStepKind::Elements(places) => match places.as_slice() {
                    [(row, column)] => {
                        let row = self.access(pointer, (*row).into());
                        self.element_pointer(row, ElementIndex::Known((*column).into()))
                    }
                    _ => pointer,
                },
            };
        }
        Ok(AtomicTarget::Pointer(pointer, scalar, None))
    }

    /// Changes a component in memory if it exists. Its type is `stored` in naga and `scalar` in HLSL.
    fn change_memory(
        &mut self,
        (pointer, is_there): (Value, Option<Value>),
        stored: Scalar,
        scalar: Scalar,
        operands: &AtomicOperands<'_>,
    ) -> Lowered<()> {
        let seen = Numeric::scalar(scalar);
        let compare = match operands.compare {
            Some(compare) => {
                let compare = self.value_of(compare, seen)?;
                Some(self.as_stored(compare, scalar, stored))
            }
            None => None,
        };
        let value = self.value_of(operands.value, seen)?;
        let function = match operands.atomic {
            Atomic::Add => AtomicFunction::Add,
            Atomic::And => AtomicFunction::And,
            Atomic::Or => AtomicFunction::InclusiveOr,
            Atomic::Xor => AtomicFunction::ExclusiveOr,
            Atomic::Min => AtomicFunction::Min,
            Atomic::Max => AtomicFunction::Max,
            Atomic::Exchange => AtomicFunction::Exchange { compare: None },
            Atomic::CompareExchange | Atomic::CompareStore => AtomicFunction::Exchange { compare },
        };
        let orders = matches!(operands.atomic, Atomic::Min | Atomic::Max);
        let ty = self.lowerer.vector_type(naga_scalar(stored), 1);
        let change = |builder: &mut Self| {
            if orders && naga_scalar(stored) != naga_scalar(scalar) {
                return builder.order(pointer, stored, scalar, operands.atomic, value);
            }
            let value = builder.as_stored(value, scalar, stored);
            Ok(match function {
                AtomicFunction::Exchange { compare: Some(compare) } => {
                    let result = builder.exchange(pointer, compare, value, naga_scalar(stored));
                    builder.access(result, 0)
                }
                function => builder.atomic(pointer, function, value, naga_scalar(stored)),
            })
        };
        let before = self.visible_value(is_there, ty, change)?;
        let Some(target) = operands.before else { return Ok(()) };
        let before = self.as_stored(before, stored, scalar);
        self.give(target, before, seen)
    }

    /// Reinterprets the bits of an integer as signed or unsigned.
    fn as_stored(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        match (naga_scalar(from), naga_scalar(to)) {
            (from, to) if from == to => value,
            (_, to) => self.bitcast(value, to.kind),
        }
    }

    /// Adds a compare-and-exchange. The result has the original value and whether the exchange happened.
    fn exchange(&mut self, pointer: Value, compare: Value, value: Value, scalar: naga::Scalar) -> Value {
        let ty = PredeclaredType::AtomicCompareExchangeWeakResult(scalar);
        let ty = self.lowerer.module.generate_predeclared_type(ty);
        let result = self.add(Expression::AtomicResult { ty, comparison: true });
        let fun = AtomicFunction::Exchange { compare: Some(compare) };
        self.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        result
    }

    /// Computes the minimum or maximum of values whose signedness differs from the stored type. It repeats an
    /// exchange until the exchange succeeds.
    fn order(
        &mut self,
        pointer: Value,
        stored: Scalar,
        scalar: Scalar,
        atomic: Atomic,
        value: Value,
    ) -> Lowered<Value> {
        let ty = self.lowerer.vector_type(naga_scalar(stored), 1);
        let before = self.variable("before", ty);
        let first = self.load(pointer);
        self.store(before, first);
        let body = self.block(|builder| {
            let old = builder.load(before);
            let seen = builder.as_stored(old, stored, scalar);
            let function = if atomic == Atomic::Min { Math::Min } else { Math::Max };
            let new = builder.math(function, &[seen, value]);
            let new = builder.as_stored(new, scalar, stored);
            let result = builder.exchange(pointer, old, new, naga_scalar(stored));
            let now = builder.access(result, 0);
            builder.store(before, now);
            let condition = builder.access(result, 1);
            let accept = builder.block(|builder| {
                builder.push(Statement::Break);
                Ok(())
            })?;
            builder.push(Statement::If { condition, accept, reject: naga::Block::new() });
            Ok(())
        })?;
        self.push(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
        Ok(self.load(before))
    }

    /// Makes a typed buffer a storage buffer, because naga has no such atomic function for texels. The module
    /// is then lowered again.
    fn change_word(&mut self, element: &BufferElement, span: Span) -> Lowered<()> {
        if matches!(element.object.ty.kind, Kind::RwBuffer | Kind::RovBuffer) {
            self.lowerer.object_facts.hold_words(element.object.id);
            return Ok(());
        }
        let what = "an atomic function of a texel that exchanges, or gives the value before; use an RWBuffer<uint> with the \
                    texels at y * width + x";
        Err(self.unsupported(span, what))
    }

    /// Changes a texel. naga's atomic functions for texels return no value and cannot exchange.
    fn change_texel(
        &mut self,
        element: &BufferElement,
        operands: &AtomicOperands<'_>,
        span: Span,
    ) -> Lowered<()> {
        let fun = match operands.atomic {
            _ if operands.before.is_some() => None,
            Atomic::Add => Some(AtomicFunction::Add),
            Atomic::And => Some(AtomicFunction::And),
            Atomic::Or => Some(AtomicFunction::InclusiveOr),
            Atomic::Xor => Some(AtomicFunction::ExclusiveOr),
            Atomic::Min => Some(AtomicFunction::Min),
            Atomic::Max => Some(AtomicFunction::Max),
            Atomic::Exchange | Atomic::CompareExchange | Atomic::CompareStore => None,
        };
        let Some(fun) = fun else { return self.change_word(element, span) };
        let texture = self.texture(&element.object, span)?;
        let Some(kind) = image_kind(texture.element.scalar) else {
            return Err(self.unsupported(span, "an atomic function of a texel of doubles"));
        };
        if kind == ScalarKind::Float || texture.element.components() != 1 {
            return Err(self.unsupported(span, "an atomic function of such a texel"));
        }
        let access = StorageAccess::LOAD | StorageAccess::STORE | StorageAccess::ATOMIC;
        self.lowerer.allow(texture.variable, access);
        let value = self.value_of(operands.value, Numeric::scalar(texel_of(kind).scalar))?;
        let place = self.parts_of(element.place, texture.shape.place_size());
        let (coordinate, array_index) = self.texel_place(&texture, place);
        self.visibly(None, |builder| {
            builder.push(Statement::ImageAtomic {
                image: texture.image,
                coordinate,
                array_index,
                fun,
                value,
            });
            Ok(())
        })
    }
}

/// Returns the fields on a path, in the form that [`ObjectFacts`](super::object_facts::ObjectFacts) uses.
fn fields_of(root: &Type, path: &ValuePath) -> Vec<u32> {
    let mut fields = Vec::new();
    let mut ty = root;
    for step in &path.steps {
        match (&step.kind, ty) {
            (PathStepKind::Field(_, field), _) => fields.push(*field),
            (PathStepKind::Index(_), Type::Array(_)) => fields.push(ANY_ELEMENT),
            // Steps to components and rows are omitted, because the path ends at a numeric value.
            _ => {}
        }
        ty = &step.ty;
    }
    fields
}

/// Returns whether an expression is part of a `groupshared` variable.
fn is_group_variable(program: &Program, mut expr: &Expr) -> bool {
    loop {
        expr = match &*expr.kind {
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::Elements(base, _) => base,
            ExprKind::Global(global) => return program[*global].storage == Storage::GroupShared,
            _ => return false,
        };
    }
}
