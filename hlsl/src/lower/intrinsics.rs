//! Intrinsic functions.
//!
//! If naga's function differs from Direct3D's, the function is composed of operations as in FXC.

mod barriers;
mod bits;
mod componentwise;
mod derivatives;
mod geometry;
mod matrices;
mod numbers;
mod tess_factors;
#[cfg(test)]
mod tests;

use naga::BinaryOperator as Op;

use crate::{
    check::tree::{Expr, Intrinsic, Numeric, Type},
    lower::{
        builder::Builder,
        result::{Lowered, Value},
        types::naga_scalar,
    },
    session::source::Span,
    syntax::builtin::{Scalar, Shape},
};

impl Builder<'_, '_> {
    /// Lowers a call of an intrinsic. The result is `None` if the intrinsic returns no value.
    pub(crate) fn intrinsic(
        &mut self,
        which: Intrinsic,
        arguments: &[Expr],
        ty: &Type,
        span: Span,
    ) -> Lowered<Option<Value>> {
        use Intrinsic as I;

        match which {
            I::AllMemoryBarrier
            | I::AllMemoryBarrierWithGroupSync
            | I::DeviceMemoryBarrier
            | I::DeviceMemoryBarrierWithGroupSync
            | I::GroupMemoryBarrier
            | I::GroupMemoryBarrierWithGroupSync => {
                self.barrier(which);
                return Ok(None);
            }
            I::Clip => {
                let argument = self.argument_at(arguments, 0, span)?;
                self.clip(argument)?;
                return Ok(None);
            }
            I::Sincos => {
                self.sincos(arguments, span)?;
                return Ok(None);
            }
            I::Process2DQuadTessFactorsAvg
            | I::Process2DQuadTessFactorsMax
            | I::Process2DQuadTessFactorsMin
            | I::ProcessIsolineTessFactors
            | I::ProcessQuadTessFactorsAvg
            | I::ProcessQuadTessFactorsMax
            | I::ProcessQuadTessFactorsMin
            | I::ProcessTriTessFactorsAvg
            | I::ProcessTriTessFactorsMax
            | I::ProcessTriTessFactorsMin => {
                self.tess_factors(which, arguments, span)?;
                return Ok(None);
            }
            // Their output is not visible anywhere, so only the arguments are evaluated.
            I::Abort | I::Errorf | I::Printf => {
                for argument in arguments {
                    if argument.ty.numeric().is_some() {
                        self.expr(argument)?;
                    }
                }
                return Ok(None);
            }
            I::InterlockedAdd
            | I::InterlockedAnd
            | I::InterlockedCompareExchange
            | I::InterlockedCompareStore
            | I::InterlockedExchange
            | I::InterlockedMax
            | I::InterlockedMin
            | I::InterlockedOr
            | I::InterlockedXor => {
                self.interlocked(which, arguments, span)?;
                return Ok(None);
            }
            _ => {}
        }
        if which == I::AsDouble || which == I::AsUint && arguments.len() > 1 {
            let feature = format!(
                "{}: the words of a double cannot be combined or taken apart; convert from or to float, or read doubles \
                 from a constant buffer or a structured buffer",
                which.name()
            );
            return Err(self.unsupported(span, &feature));
        }
        let Some(result) = ty.numeric() else { return Err(self.unsupported(span, which.name())) };
        let value = match which {
            I::All | I::Any => self.all_or_any(which, arguments, span)?,
            I::Cross
            | I::Distance
            | I::Dot
            | I::Dst
            | I::FaceForward
            | I::Length
            | I::Lit
            | I::Normalize
            | I::Reflect
            | I::Refract => self.geometry(which, arguments, span)?,
            I::Determinant | I::Mul | I::Transpose => self.matrices(which, arguments, result, span)?,
            I::D3dColorToUbyte4 => self.color_bytes(arguments, result, span)?,
            I::Msad4 => self.byte_differences(arguments, span)?,
            I::Frexp | I::Modf => self.parts(which, arguments, span)?,
            I::EvaluateAttributeAtCentroid | I::EvaluateAttributeAtSample | I::EvaluateAttributeSnapped => {
                let attribute = self.argument_at(arguments, 0, span)?;
                self.evaluate_attribute(which, attribute, arguments.get(1), span)?
            }
            I::GetRenderTargetSampleCount => self.target_sample_count(),
            I::GetRenderTargetSamplePosition => {
                let sample = self.argument_at(arguments, 0, span)?;
                self.target_sample_position(sample)?
            }
            // All textures are completely resident.
            I::CheckAccessFullyMapped => self.value_at(arguments, 0, Numeric::scalar(Scalar::Bool), span)?,
            I::Noise => {
                let value = self.argument_at(arguments, 0, span)?;
                self.expr(value)?;
                self.float(0.0)
            }
            _ => match self.legacy_sample(which, arguments, span)? {
                Some(value) => value,
                None => self.componentwise(which, arguments, result, span)?,
            },
        };
        Ok(Some(value))
    }

    /// Returns an argument. The checks guarantee the number of arguments.
    fn argument_at<'e>(&mut self, arguments: &'e [Expr], index: usize, span: Span) -> Lowered<&'e Expr> {
        match arguments.get(index) {
            Some(argument) => Ok(argument),
            None => Err(self.unsupported(span, "a call with so few arguments")),
        }
    }

    /// Returns the numeric type of an argument.
    fn numeric_at(&mut self, arguments: &[Expr], index: usize, span: Span) -> Lowered<Numeric> {
        match arguments.get(index).and_then(|argument| argument.ty.numeric()) {
            Some(numeric) => Ok(numeric),
            None => Err(self.unsupported(span, "a call with an argument that is no number")),
        }
    }

    /// Lowers an argument and converts it to a numeric type.
    pub(crate) fn value_of(&mut self, argument: &Expr, to: Numeric) -> Lowered<Value> {
        let value = self.expr(argument)?;
        match argument.ty.numeric() {
            Some(from) if from != to => Ok(self.convert(value, from, to)),
            _ => Ok(value),
        }
    }

    /// Lowers the argument with an index and converts it to a numeric type.
    fn value_at(&mut self, arguments: &[Expr], index: usize, to: Numeric, span: Span) -> Lowered<Value> {
        let argument = self.argument_at(arguments, index, span)?;
        self.value_of(argument, to)
    }

    /// Assigns a value to an `out` argument, which may have another numeric type.
    pub(crate) fn give(&mut self, target: &Expr, value: Value, from: Numeric) -> Lowered<()> {
        let value = match target.ty.numeric() {
            Some(to) if from != to => self.convert(value, from, to),
            _ => value,
        };
        self.assign(target, value)
    }

    /// Returns the rows of a matrix. Other values are a single row.
    pub(crate) fn rows(&mut self, value: Value, ty: Numeric) -> Vec<Value> {
        match ty.shape {
            Shape::Matrix { rows, .. } => {
                (0..u32::from(rows)).map(|index| self.access(value, index)).collect()
            }
            Shape::Scalar | Shape::Vector(_) => vec![value],
        }
    }

    /// Returns the components of a scalar or vector.
    pub(crate) fn parts_of(&mut self, value: Value, size: usize) -> Vec<Value> {
        match size {
            1 => vec![value],
            _ => (0..size as u32).map(|index| self.access(value, index)).collect(),
        }
    }

    /// Composes a scalar or vector from its components.
    pub(crate) fn row_of(&mut self, components: Vec<Value>, scalar: Scalar) -> Value {
        self.vector(naga_scalar(scalar), components)
    }

    /// Adds a row with the same number in all components.
    pub(crate) fn number(&mut self, number: f64, row: Numeric) -> Value {
        let value = match row.scalar {
            Scalar::Bool => self.boolean(number != 0.0),
            Scalar::Int | Scalar::Min16Int | Scalar::Min12Int => self.int(number as i32),
            Scalar::Uint | Scalar::Min16Uint => self.uint(number as u32),
            Scalar::Half | Scalar::Float | Scalar::Min16Float | Scalar::Min10Float => {
                self.float(number as f32)
            }
            Scalar::Double => self.add(naga::Expression::Literal(naga::Literal::F64(number))),
        };
        self.fill(value, row)
    }

    /// Repeats a scalar in all components of a row.
    pub(crate) fn fill(&mut self, value: Value, row: Numeric) -> Value {
        match row.columns() {
            1 => value,
            size => self.splat(size, value),
        }
    }

    /// Adds the values.
    fn sum(&mut self, values: Vec<Value>) -> Value {
        let mut values = values.into_iter();
        let first = match values.next() {
            Some(first) => first,
            None => self.float(0.0),
        };
        values.fold(first, |sum, value| self.binary(Op::Add, sum, value))
    }
}

/// Returns the type of a matrix row. For a scalar or vector, this is its own type.
pub(crate) fn row_type(ty: Numeric) -> Numeric {
    match ty.shape {
        Shape::Matrix { columns, .. } => Numeric::vector(ty.scalar, columns),
        Shape::Scalar | Shape::Vector(_) => ty,
    }
}

/// Returns whether a component type is a floating-point type.
pub(crate) fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Half | Scalar::Float | Scalar::Double | Scalar::Min16Float | Scalar::Min10Float)
}

/// Returns whether a component type is an unsigned integer type.
pub(crate) fn is_unsigned(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Uint | Scalar::Min16Uint)
}
