//! Direct3D's operations on single components.
//!
//! A component has 64 bits, as in [`crate::check::tree::Constant`].

use crate::syntax::{ast::BinaryOp, builtin::Scalar};

/// The type in which a component is computed. `half` and the minimum precision types are computed with 32
/// bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ComputeType {
    Bool,
    Int,
    Uint,
    Float,
    Double,
}

impl ComputeType {
    pub(crate) fn of(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::Bool,
            Scalar::Int | Scalar::Min16Int | Scalar::Min12Int => Self::Int,
            Scalar::Uint | Scalar::Min16Uint => Self::Uint,
            Scalar::Half | Scalar::Float | Scalar::Min16Float | Scalar::Min10Float => Self::Float,
            Scalar::Double => Self::Double,
        }
    }
}

pub(crate) fn to_float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

pub(crate) fn from_float(value: f32) -> u64 {
    value.to_bits().into()
}

pub(crate) fn to_int(bits: u64) -> i32 {
    (bits as u32).cast_signed()
}

pub(crate) fn from_int(value: i32) -> u64 {
    value.cast_unsigned().into()
}

/// Converts a component. Conversions to integers truncate, limit the value to the range of the integer type,
/// and turn NaN into 0.
pub(crate) fn convert_component(bits: u64, from: Scalar, to: Scalar) -> u64 {
    let (from, to) = (ComputeType::of(from), ComputeType::of(to));
    if from == to {
        return bits;
    }
    match (from, to) {
        (ComputeType::Float, ComputeType::Bool) => (to_float(bits) != 0.0).into(),
        (ComputeType::Double, ComputeType::Bool) => (f64::from_bits(bits) != 0.0).into(),
        (_, ComputeType::Bool) => (bits as u32 != 0).into(),
        (ComputeType::Float, ComputeType::Int) => from_int(to_float(bits) as i32),
        (ComputeType::Float, ComputeType::Uint) => (to_float(bits) as u32).into(),
        (ComputeType::Double, ComputeType::Int) => from_int(f64::from_bits(bits) as i32),
        (ComputeType::Double, ComputeType::Uint) => (f64::from_bits(bits) as u32).into(),
        (_, ComputeType::Int | ComputeType::Uint) => u64::from(bits as u32),
        (ComputeType::Int, ComputeType::Float) => from_float(to_int(bits) as f32),
        (ComputeType::Double, ComputeType::Float) => from_float(f64::from_bits(bits) as f32),
        (_, ComputeType::Float) => from_float(bits as u32 as f32),
        (ComputeType::Int, ComputeType::Double) => f64::from(to_int(bits)).to_bits(),
        (ComputeType::Float, ComputeType::Double) => f64::from(to_float(bits)).to_bits(),
        (_, ComputeType::Double) => f64::from(bits as u32).to_bits(),
    }
}

/// Negates a component that is not a `bool`.
pub(crate) fn negate_component(bits: u64, scalar: Scalar) -> u64 {
    match ComputeType::of(scalar) {
        ComputeType::Float => from_float(-to_float(bits)),
        ComputeType::Double => (-f64::from_bits(bits)).to_bits(),
        ComputeType::Bool | ComputeType::Int | ComputeType::Uint => (bits as u32).wrapping_neg().into(),
    }
}

/// Applies an operator to two components of one type. Returns `None` if the type lacks the operator, and for
/// an integer division by zero, which is an error where it is executed.
pub(crate) fn binary_component(op: BinaryOp, a: u64, b: u64, scalar: Scalar) -> Option<u64> {
    let computed = ComputeType::of(scalar);
    let is_integer = !matches!(computed, ComputeType::Float | ComputeType::Double);
    if is_integer && b as u32 == 0 && matches!(op, BinaryOp::Divide | BinaryOp::Modulo) {
        return None;
    }
    match computed {
        ComputeType::Float => float_operation(op, to_float(a), to_float(b)),
        ComputeType::Double => double_operation(op, f64::from_bits(a), f64::from_bits(b)),
        ComputeType::Int => Some(int_operation(op, to_int(a), to_int(b))),
        ComputeType::Uint | ComputeType::Bool => Some(uint_operation(op, a as u32, b as u32)),
    }
}

/// Compares two values. Returns `None` if the operator is not a comparison.
fn compare<T: PartialOrd>(op: BinaryOp, a: &T, b: &T) -> Option<u64> {
    Some(u64::from(match op {
        BinaryOp::Less => a < b,
        BinaryOp::Greater => a > b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::GreaterEqual => a >= b,
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        _ => return None,
    }))
}

fn float_operation(op: BinaryOp, a: f32, b: f32) -> Option<u64> {
    Some(from_float(match op {
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Modulo => modulo(a, b),
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        _ => return compare(op, &a, &b),
    }))
}

/// Returns `a % b`, computed from a rounded quotient as in Direct3D's compilers. The result has the sign of
/// `a`.
pub(crate) fn modulo(a: f32, b: f32) -> f32 {
    let quotient = (a / b).abs();
    ((quotient - quotient.floor()) * b.abs()).copysign(a)
}

fn double_operation(op: BinaryOp, a: f64, b: f64) -> Option<u64> {
    let value = match op {
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Modulo => a % b,
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        _ => return compare(op, &a, &b),
    };
    Some(value.to_bits())
}

fn int_operation(op: BinaryOp, a: i32, b: i32) -> u64 {
    let signed = |magnitude: u32, negative: bool| {
        (if negative { magnitude.wrapping_neg() } else { magnitude }).cast_signed()
    };
    if let Some(comparison) = compare(op, &a, &b) {
        return comparison;
    }
    // The magnitudes are divided, and the sign is applied afterwards.
    let (left, right) = (a.unsigned_abs(), b.unsigned_abs());
    from_int(match op {
        BinaryOp::Divide => signed(left.checked_div(right).unwrap_or_default(), (a < 0) != (b < 0)),
        BinaryOp::Modulo => signed(left.checked_rem(right).unwrap_or_default(), a < 0),
        BinaryOp::ShiftRight => a.wrapping_shr(b.cast_unsigned()),
        _ => to_int(uint_operation(op, a.cast_unsigned(), b.cast_unsigned())),
    })
}

fn uint_operation(op: BinaryOp, a: u32, b: u32) -> u64 {
    if let Some(comparison) = compare(op, &a, &b) {
        return comparison;
    }
    u64::from(match op {
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide => a.checked_div(b).unwrap_or_default(),
        BinaryOp::Modulo => a.checked_rem(b).unwrap_or_default(),
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::ShiftLeft => a.wrapping_shl(b),
        BinaryOp::ShiftRight => a.wrapping_shr(b),
        BinaryOp::And => a & b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Or => a | b,
        BinaryOp::LogicalAnd => u32::from(a != 0 && b != 0),
        BinaryOp::LogicalOr => u32::from(a != 0 || b != 0),
        BinaryOp::Less
        | BinaryOp::Greater
        | BinaryOp::LessEqual
        | BinaryOp::GreaterEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual => 0,
    })
}
