use crate::syntax::builtin::Scalar;

use super::Numeric;

/// A numeric value, whose components are stored row by row.
///
/// Each component has 64 bits, which are the bits of an `f64` for a `double`. For all other types, the lower
/// 32 bits are the bits of an `f32` (also for `half` and `min16float`), an `i32` or a `u32`. A `bool` is
/// stored as 0 or 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Constant {
    pub(crate) ty: Numeric,
    pub(crate) bits: Vec<u64>,
}

impl Constant {
    pub(crate) fn int(value: i32) -> Self {
        Self { ty: Numeric::scalar(Scalar::Int), bits: vec![u64::from(value.cast_unsigned())] }
    }

    pub(crate) fn uint(value: u32) -> Self {
        Self { ty: Numeric::scalar(Scalar::Uint), bits: vec![u64::from(value)] }
    }

    pub(crate) fn float(value: f32) -> Self {
        Self { ty: Numeric::scalar(Scalar::Float), bits: vec![u64::from(value.to_bits())] }
    }

    pub(crate) fn bool(value: bool) -> Self {
        Self { ty: Numeric::scalar(Scalar::Bool), bits: vec![u64::from(value)] }
    }

    /// Returns whether the first component is 0 or -0.
    pub(crate) fn is_zero(&self) -> bool {
        let Some(bits) = self.bits.first() else { return false };
        match self.ty.scalar {
            Scalar::Double => bits << 1 == 0,
            Scalar::Half | Scalar::Float | Scalar::Min16Float | Scalar::Min10Float => {
                (*bits as u32) << 1 == 0
            }
            _ => *bits as u32 == 0,
        }
    }

    /// Returns the first component if it is an integer.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        let bits = *self.bits.first()?;
        match self.ty.scalar {
            Scalar::Bool | Scalar::Uint | Scalar::Min16Uint => Some(i64::from(bits as u32)),
            Scalar::Int | Scalar::Min16Int | Scalar::Min12Int => Some(i64::from((bits as u32).cast_signed())),
            Scalar::Half | Scalar::Float | Scalar::Double | Scalar::Min16Float | Scalar::Min10Float => None,
        }
    }

    /// Returns the first component as a number.
    pub(crate) fn as_float(&self) -> Option<f64> {
        let bits = *self.bits.first()?;
        match self.ty.scalar {
            Scalar::Double => Some(f64::from_bits(bits)),
            Scalar::Half | Scalar::Float | Scalar::Min16Float | Scalar::Min10Float => {
                Some(f32::from_bits(bits as u32).into())
            }
            _ => self.as_integer().map(|integer| integer as f64),
        }
    }
}
