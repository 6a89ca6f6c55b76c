//! Evaluation of intrinsic functions with known arguments.

use crate::{
    check::tree::{Constant, Intrinsic, Numeric},
    syntax::{ast::BinaryOp, builtin::Scalar},
};

use super::{
    binary_constant, convert_constant,
    scalars::{ComputeType, convert_component, from_float, from_int, modulo, to_float, to_int},
};

/// Returns the result of an intrinsic if it is known. The arguments are converted as in the typed tree.
pub(crate) fn evaluate_intrinsic(which: Intrinsic, arguments: &[Constant], ty: Numeric) -> Option<Constant> {
    match (which, arguments) {
        (Intrinsic::AsFloat | Intrinsic::AsInt | Intrinsic::AsUint, [a]) => (ComputeType::of(a.ty.scalar)
            != ComputeType::Double)
            .then(|| Constant { ty, bits: a.bits.clone() }),
        (Intrinsic::Any, [a]) => reduce(a, ty, |set| set.contains(&true)),
        (Intrinsic::All, [a]) => reduce(a, ty, |set| !set.contains(&false)),
        (Intrinsic::Dot, [a, b]) => dot(a, b),
        (Intrinsic::Length, [a]) => float_of(dot(a, a)?).map(|square| scalar(square.sqrt(), ty)),
        (Intrinsic::Distance, [a, b]) => {
            let difference = binary_constant(BinaryOp::Subtract, a, b)?;
            float_of(dot(&difference, &difference)?).map(|square| scalar(square.sqrt(), ty))
        }
        (Intrinsic::Normalize, [a]) => {
            let factor = 1.0 / float_of(dot(a, a)?)?.sqrt();
            binary_constant(BinaryOp::Multiply, a, &convert_constant(&Constant::float(factor), a.ty)?)
        }
        (Intrinsic::Cross, [a, b]) => cross(a, b, ty),
        (Intrinsic::Mul, [a, b]) => multiply(a, b, ty),
        (Intrinsic::Transpose, [a]) => {
            let place = |index: usize| (index % ty.columns()) * a.ty.columns() + index / ty.columns();
            let bits = (0..ty.components()).map(|index| a.bits.get(place(index)).copied());
            Some(Constant { ty, bits: bits.collect::<Option<_>>()? })
        }
        _ => by_component(which, arguments, ty),
    }
}

fn scalar(value: f32, ty: Numeric) -> Constant {
    Constant { ty, bits: vec![from_float(value)] }
}

/// Returns the value of a scalar `float`.
fn float_of(constant: Constant) -> Option<f32> {
    match constant.bits[..] {
        [bits] if ComputeType::of(constant.ty.scalar) == ComputeType::Float => Some(to_float(bits)),
        _ => None,
    }
}

/// Evaluates `any` or `all`.
fn reduce(of: &Constant, ty: Numeric, combine: impl FnOnce(&[bool]) -> bool) -> Option<Constant> {
    let is_set = |bits: &u64| convert_component(*bits, of.ty.scalar, Scalar::Bool) != 0;
    let set: Vec<bool> = of.bits.iter().map(is_set).collect();
    Some(Constant { ty, bits: vec![combine(&set).into()] })
}

/// Returns the dot product.
fn dot(a: &Constant, b: &Constant) -> Option<Constant> {
    let products = binary_constant(BinaryOp::Multiply, a, b)?;
    let ty = Numeric::scalar(products.ty.scalar);
    let mut products = products.bits.into_iter().map(|bits| Constant { ty, bits: vec![bits] });
    let first = products.next()?;
    products.try_fold(first, |sum, product| binary_constant(BinaryOp::Add, &sum, &product))
}

fn cross(a: &Constant, b: &Constant, ty: Numeric) -> Option<Constant> {
    let (&[ax, ay, az], &[bx, by, bz]) = (&a.bits[..], &b.bits[..]) else { return None };
    if ComputeType::of(ty.scalar) != ComputeType::Float {
        return None;
    }
    let difference = |a, b, c, d| from_float(to_float(a) * to_float(b) - to_float(c) * to_float(d));
    let bits = vec![difference(ay, bz, az, by), difference(az, bx, ax, bz), difference(ax, by, ay, bx)];
    Some(Constant { ty, bits })
}

/// Evaluates `mul`. A vector is a row on the left and a column on the right. With a scalar, each component is
/// multiplied.
fn multiply(a: &Constant, b: &Constant, ty: Numeric) -> Option<Constant> {
    if a.bits.len() == 1 || b.bits.len() == 1 {
        let (a, b) = (convert_constant(a, ty)?, convert_constant(b, ty)?);
        return binary_constant(BinaryOp::Multiply, &a, &b);
    }
    let inner = a.ty.columns();
    let columns = b.bits.len() / inner;
    let part = |of: &Constant, places: &mut dyn Iterator<Item = usize>| {
        let bits = places.map(|place| of.bits.get(place).copied()).collect::<Option<Vec<_>>>()?;
        Some(Constant { ty: Numeric::vector(of.ty.scalar, u8::try_from(inner).ok()?), bits })
    };
    let mut bits = Vec::with_capacity(ty.components());
    for row in 0..a.bits.len() / inner {
        for column in 0..columns {
            let a_row = part(a, &mut (row * inner..(row + 1) * inner))?;
            let b_column = part(b, &mut (0..inner).map(|index| index * columns + column))?;
            bits.extend(dot(&a_row, &b_column)?.bits);
        }
    }
    (bits.len() == ty.components()).then_some(Constant { ty, bits })
}

/// Evaluates a function that computes each component of the result from the same components of the arguments.
fn by_component(which: Intrinsic, arguments: &[Constant], ty: Numeric) -> Option<Constant> {
    let from = arguments.first()?.ty.scalar;
    let component = |index: usize| {
        let mut bits = [0; 3];
        for (argument, bits) in arguments.iter().zip(&mut bits) {
            *bits = *argument.bits.get(if argument.bits.len() == 1 { 0 } else { index })?;
        }
        if arguments.iter().any(|argument| argument.ty.scalar != from) {
            return None;
        }
        match ComputeType::of(from) {
            ComputeType::Float => of_floats(which, arguments.len(), bits.map(to_float), ty.scalar),
            ComputeType::Int => of_ints(which, arguments.len(), bits.map(to_int)).map(from_int),
            ComputeType::Uint => {
                of_uints(which, arguments.len(), bits.map(|bits| bits as u32)).map(u64::from)
            }
            ComputeType::Double | ComputeType::Bool => None,
        }
    };
    let bits = (0..ty.components()).map(component).collect::<Option<_>>()?;
    Some(Constant { ty, bits })
}

/// Clamps a number to the range from 0 to 1. NaN becomes 0.
#[expect(clippy::manual_clamp, reason = "`clamp` keeps NaN")]
pub(crate) fn saturate(a: f32) -> f32 {
    a.max(0.0).min(1.0)
}

fn of_floats(which: Intrinsic, count: usize, [a, b, c]: [f32; 3], ty: Scalar) -> Option<u64> {
    let value = match (which, count) {
        (Intrinsic::Sign, 1) => {
            let sign = i32::from(a > 0.0) - i32::from(a < 0.0);
            return Some(convert_component(from_int(sign), Scalar::Int, ty));
        }
        (Intrinsic::IsNan, 1) => return Some(a.is_nan().into()),
        (Intrinsic::IsInf, 1) => return Some(a.is_infinite().into()),
        (Intrinsic::IsFinite, 1) => return Some(a.is_finite().into()),
        (Intrinsic::Abs, 1) => a.abs(),
        (Intrinsic::Acos, 1) => a.acos(),
        (Intrinsic::Asin, 1) => a.asin(),
        (Intrinsic::Atan, 1) => a.atan(),
        (Intrinsic::Atan2, 2) => a.atan2(b),
        (Intrinsic::Ceil, 1) => a.ceil(),
        (Intrinsic::Clamp, 3) => a.max(b).min(c),
        (Intrinsic::Cos, 1) => a.cos(),
        (Intrinsic::Cosh, 1) => a.cosh(),
        (Intrinsic::Degrees, 1) => a.to_degrees(),
        (Intrinsic::Exp, 1) => a.exp(),
        (Intrinsic::Exp2, 1) => a.exp2(),
        (Intrinsic::Floor, 1) => a.floor(),
        (Intrinsic::Fmod, 2) => modulo(a, b),
        (Intrinsic::Frac, 1) => a - a.floor(),
        (Intrinsic::Ldexp, 2) => a * b.exp2(),
        (Intrinsic::Lerp, 3) => a + c * (b - a),
        (Intrinsic::Log, 1) => a.ln(),
        (Intrinsic::Log10, 1) => a.log10(),
        (Intrinsic::Log2, 1) => a.log2(),
        (Intrinsic::Mad, 3) => a * b + c,
        (Intrinsic::Max, 2) => a.max(b),
        (Intrinsic::Min, 2) => a.min(b),
        (Intrinsic::Pow, 2) => a.powf(b),
        (Intrinsic::Radians, 1) => a.to_radians(),
        (Intrinsic::Rcp, 1) => 1.0 / a,
        // FXC rounds halves up when it evaluates constants.
        (Intrinsic::Round, 1) => (a + 0.5).floor(),
        (Intrinsic::Rsqrt, 1) => 1.0 / a.sqrt(),
        (Intrinsic::Saturate, 1) => saturate(a),
        (Intrinsic::Sin, 1) => a.sin(),
        (Intrinsic::Sinh, 1) => a.sinh(),
        (Intrinsic::SmoothStep, 3) => {
            let t = saturate((c - a) / (b - a));
            t * t * (3.0 - 2.0 * t)
        }
        (Intrinsic::Sqrt, 1) => a.sqrt(),
        (Intrinsic::Step, 2) => f32::from(u8::from(b >= a)),
        (Intrinsic::Tan, 1) => a.tan(),
        (Intrinsic::Tanh, 1) => a.tanh(),
        (Intrinsic::Trunc, 1) => a.trunc(),
        _ => return None,
    };
    Some(from_float(value))
}

fn of_ints(which: Intrinsic, count: usize, [a, b, c]: [i32; 3]) -> Option<i32> {
    Some(match (which, count) {
        (Intrinsic::Abs, 1) => a.wrapping_abs(),
        (Intrinsic::Clamp, 3) => a.max(b).min(c),
        (Intrinsic::Mad, 3) => a.wrapping_mul(b).wrapping_add(c),
        (Intrinsic::Max, 2) => a.max(b),
        (Intrinsic::Min, 2) => a.min(b),
        (Intrinsic::Sign, 1) => a.signum(),
        _ => return of_uints(which, count, [a, b, c].map(i32::cast_unsigned)).map(u32::cast_signed),
    })
}

fn of_uints(which: Intrinsic, count: usize, [a, b, c]: [u32; 3]) -> Option<u32> {
    Some(match (which, count) {
        (Intrinsic::Abs, 1) => a,
        (Intrinsic::Clamp, 3) => a.max(b).min(c),
        (Intrinsic::CountBits, 1) => a.count_ones(),
        (Intrinsic::FirstBitLow, 1) => {
            if a == 0 {
                u32::MAX
            } else {
                a.trailing_zeros()
            }
        }
        (Intrinsic::Mad, 3) => a.wrapping_mul(b).wrapping_add(c),
        (Intrinsic::Max, 2) => a.max(b),
        (Intrinsic::Min, 2) => a.min(b),
        (Intrinsic::ReverseBits, 1) => a.reverse_bits(),
        (Intrinsic::Sign, 1) => (a != 0).into(),
        _ => return None,
    })
}
