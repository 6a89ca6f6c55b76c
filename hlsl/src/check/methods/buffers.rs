use super::{ArgumentSlot, MethodCall, MethodError, element_type, numbers, status};
use crate::{
    check::{
        Checker,
        tree::{Expr, Method, ObjectType, Type},
    },
    syntax::builtin::{Object, Scalar},
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffer {
    Typed,
    Structured,
    Counted,
    Append,
    Consume,
    Bytes,
    WrittenBytes,
    Stream,
}

impl Checker<'_> {
    pub(super) fn buffer_method(&mut self, call: MethodCall, ty: &ObjectType) -> Result<Expr, MethodError> {
        let buffer = match ty.kind {
            Object::Buffer | Object::RwBuffer | Object::RovBuffer => Buffer::Typed,
            Object::StructuredBuffer => Buffer::Structured,
            Object::RwStructuredBuffer | Object::RovStructuredBuffer => Buffer::Counted,
            Object::AppendStructuredBuffer => Buffer::Append,
            Object::ConsumeStructuredBuffer => Buffer::Consume,
            Object::ByteAddressBuffer => Buffer::Bytes,
            Object::RwByteAddressBuffer | Object::RovByteAddressBuffer => Buffer::WrittenBytes,
            Object::PointStream | Object::LineStream | Object::TriangleStream => Buffer::Stream,
            _ => return Err(MethodError::NoSuchMethod),
        };
        match (buffer, call.method) {
            (Buffer::Stream, Method::RestartStrip) => self.finish_method(call, &[], 0, Type::Void),
            (Buffer::Stream | Buffer::Append, Method::Append) => {
                self.finish_method(call, &[ArgumentSlot::In(element_type(ty))], 1, Type::Void)
            }
            (Buffer::Stream, _) => Err(MethodError::NoSuchMethod),
            (Buffer::Consume, Method::Consume) => self.finish_method(call, &[], 0, element_type(ty)),
            (Buffer::Counted, Method::IncrementCounter | Method::DecrementCounter) => {
                self.finish_method(call, &[], 0, Type::UINT)
            }
            (Buffer::Typed | Buffer::Bytes | Buffer::WrittenBytes, Method::GetDimensions) => {
                self.get_dimensions(call, 1, false)
            }
            // The outputs are the number of elements and the size of an element.
            (_, Method::GetDimensions) => self.get_dimensions(call, 2, false),
            (Buffer::Typed | Buffer::Structured | Buffer::Counted, Method::Load) => {
                self.finish_method(call, &[ArgumentSlot::In(Type::INT), status()], 1, element_type(ty))
            }
            (Buffer::Bytes | Buffer::WrittenBytes, method) => match words(method) {
                Some((true, count)) => {
                    let slots = [ArgumentSlot::In(Type::UINT), status()];
                    self.finish_method(call, &slots, 1, numbers(Scalar::Uint, count))
                }
                Some((false, count)) if buffer == Buffer::WrittenBytes => {
                    let slots = [ArgumentSlot::In(Type::UINT), ArgumentSlot::numbers(Scalar::Uint, count)];
                    self.finish_method(call, &slots, 2, Type::Void)
                }
                None if buffer == Buffer::WrittenBytes => self.interlocked_method(call),
                _ => Err(MethodError::NoSuchMethod),
            },
            _ => Err(MethodError::NoSuchMethod),
        }
    }

    fn interlocked_method(&mut self, call: MethodCall) -> Result<Expr, MethodError> {
        let (values, required) = match call.method {
            Method::InterlockedAdd
            | Method::InterlockedAnd
            | Method::InterlockedMax
            | Method::InterlockedMin
            | Method::InterlockedOr
            | Method::InterlockedXor => (1, 2),
            Method::InterlockedExchange => (1, 3),
            Method::InterlockedCompareExchange => (2, 4),
            Method::InterlockedCompareStore => (2, 3),
            _ => return Err(MethodError::NoSuchMethod),
        };
        // `InterlockedMax` and `InterlockedMin` compare as `int`, unless the value is unsigned or a `bool`.
        let compares = matches!(call.method, Method::InterlockedMax | Method::InterlockedMin);
        let from = call.arguments.get(1).and_then(|value| value.ty.numeric());
        let unsigned = from.is_none_or(|from| from.scalar.is_unsigned() || from.scalar == Scalar::Bool);
        let value = if compares && !unsigned { Type::INT } else { Type::UINT };
        let mut slots = vec![ArgumentSlot::In(Type::UINT)];
        slots.extend(vec![ArgumentSlot::In(value); values]);
        if call.method != Method::InterlockedCompareStore {
            slots.push(status());
        }
        self.finish_method(call, &slots, required, Type::Void)
    }
}

/// Returns whether a method of a byte address buffer loads (`true`) or stores (`false`), and the number of
/// 32-bit words.
fn words(method: Method) -> Option<(bool, u8)> {
    match method {
        Method::Load => Some((true, 1)),
        Method::Load2 => Some((true, 2)),
        Method::Load3 => Some((true, 3)),
        Method::Load4 => Some((true, 4)),
        Method::Store => Some((false, 1)),
        Method::Store2 => Some((false, 2)),
        Method::Store3 => Some((false, 3)),
        Method::Store4 => Some((false, 4)),
        _ => None,
    }
}
