//! The functions that process tessellation factors, such as `ProcessQuadTessFactorsAvg`.
//!
//! They clean, round and clamp the factors of the edges, and derive the factors of the inside from them. The rules are
//! those of the class `CHLSLTessellator` in Microsoft's reference tessellator. Factors are at least 1, and if a factor of
//! an edge is not greater than 0, the patch is culled and all results are 0.

use naga::{BinaryOperator as Op, MathFunction as Math, ScalarKind};

use crate::{
    check::tree::{Expr, Intrinsic, Numeric},
    interface::tessellation::TessellatorPartitioning as Partitioning,
    lower::{
        builder::Builder,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

/// The minimum factor with a full-size outermost ring in an odd division.
const FULL_RING: f32 = 3.0;

const MANTISSA: u32 = 0x007f_ffff;
const EXPONENT: u32 = 0x7f80_0000;
const LOWEST_OF_EXPONENT: u32 = 0x0080_0000;

/// How the factor of the inside follows from those of the edges.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Reduction {
    Average,
    Max,
    Min,
}

/// The edges that determine the factor of the inside along each axis, in the order in which they are added.
type Axes = &'static [&'static [usize]];

const TRIANGLE: Axes = &[&[0, 1, 2]];
/// Both axes of a quad have the same factor.
const QUAD: Axes = &[&[1, 3, 0, 2]];
const QUAD_2D: Axes = &[&[1, 3], &[0, 2]];

/// Returns the reduction and the axes of a function, or `None` for isolines.
fn rules(which: Intrinsic) -> Option<(Reduction, Axes)> {
    use Intrinsic as I;
    Some(match which {
        I::ProcessTriTessFactorsAvg => (Reduction::Average, TRIANGLE),
        I::ProcessTriTessFactorsMax => (Reduction::Max, TRIANGLE),
        I::ProcessTriTessFactorsMin => (Reduction::Min, TRIANGLE),
        I::ProcessQuadTessFactorsAvg => (Reduction::Average, QUAD),
        I::ProcessQuadTessFactorsMax => (Reduction::Max, QUAD),
        I::ProcessQuadTessFactorsMin => (Reduction::Min, QUAD),
        I::Process2DQuadTessFactorsAvg => (Reduction::Average, QUAD_2D),
        I::Process2DQuadTessFactorsMax => (Reduction::Max, QUAD_2D),
        I::Process2DQuadTessFactorsMin => (Reduction::Min, QUAD_2D),
        _ => return None,
    })
}

/// Returns the bounds of a factor.
fn bounds(partitioning: Partitioning) -> (f32, f32) {
    match partitioning {
        Partitioning::Integer | Partitioning::Pow2 => (1.0, 64.0),
        Partitioning::FractionalOdd => (1.0, 63.0),
        Partitioning::FractionalEven => (2.0, 64.0),
    }
}

impl Builder<'_, '_> {
    /// Lowers a function that processes tessellation factors.
    pub(super) fn tess_factors(&mut self, which: Intrinsic, arguments: &[Expr], span: Span) -> Lowered<()> {
        let Some(partitioning) = self.lowerer.partitioning else {
            return Err(self.unsupported(span, which.name()));
        };
        let first = self.floats_at(arguments, 0, span)?;
        let second = self.floats_at(arguments, 1, span)?;
        let Some((reduction, axes)) = rules(which) else {
            let results = self.isoline(&first, &second, partitioning);
            return self.give_floats(arguments, results, span);
        };
        let is_culled = self.is_culled(&first);
        let edges: Vec<_> = first.iter().map(|factor| self.cleaned(*factor)).collect();
        let outside: Vec<_> = edges.iter().map(|edge| self.rounded_edge(*edge, partitioning)).collect();
        let scales: Vec<_> = second.iter().map(|scale| self.inside_scale(*scale)).collect();
        let mut unrounded: Vec<_> = axes
            .iter()
            .zip(&scales)
            .map(|(axis, scale)| {
                let edges: Vec<_> = axis.iter().map(|edge| edges[*edge]).collect();
                self.inside(&edges, *scale, reduction, partitioning)
            })
            .collect();
        if let ([u, v], Partitioning::FractionalOdd) = (&mut unrounded[..], partitioning) {
            *u = self.raised_factor(*u, *v);
            *v = self.raised_factor(*v, *u);
        }
        let rounded: Vec<_> =
            unrounded.iter().map(|factor| self.rounded_factor(*factor, partitioning)).collect();
        // The functions without "2D" return the common factor of both axes twice.
        let inside = arguments.get(3).and_then(|argument| argument.ty.numeric()).map_or(1, |ty| ty.columns());
        let repeat = |values: Vec<Value>| values.into_iter().cycle().take(inside).collect::<Vec<_>>();
        let mut results = vec![outside, repeat(rounded), repeat(unrounded)];
        let zero = self.float(0.0);
        for value in results.iter_mut().flatten() {
            *value = self.select(is_culled, zero, *value);
        }
        self.give_floats(arguments, results, span)
    }

    /// Returns the components of an argument.
    fn floats_at(&mut self, arguments: &[Expr], index: usize, span: Span) -> Lowered<Vec<Value>> {
        let ty = self.numeric_at(arguments, index, span)?.with(Scalar::Float);
        let value = self.value_at(arguments, index, ty, span)?;
        Ok(self.parts_of(value, ty.columns()))
    }

    /// Assigns results to the arguments after the second one.
    fn give_floats(&mut self, arguments: &[Expr], results: Vec<Vec<Value>>, span: Span) -> Lowered<()> {
        for (index, result) in (2..).zip(results) {
            let target = self.argument_at(arguments, index, span)?;
            let ty = Numeric::vector(Scalar::Float, result.len() as u8);
            let value = self.row_of(result, Scalar::Float);
            self.give(target, value, ty)?;
        }
        Ok(())
    }

    /// Returns the rounded detail and density of isolines. The density is an integer in every partitioning.
    fn isoline(
        &mut self,
        detail: &[Value],
        density: &[Value],
        partitioning: Partitioning,
    ) -> Vec<Vec<Value>> {
        let factors: Vec<_> = detail.iter().chain(density).copied().collect();
        let is_culled = self.is_culled(&factors);
        let zero = self.float(0.0);
        let mut results = Vec::new();
        for (factor, partitioning) in factors.into_iter().zip([partitioning, Partitioning::Integer]) {
            let cleaned = self.cleaned(factor);
            let clamped = self.clamped_factor(cleaned, partitioning);
            let rounded = self.rounded_factor(clamped, partitioning);
            results.push(vec![self.select(is_culled, zero, rounded)]);
        }
        results
    }

    /// Returns whether a factor culls the patch, because it is 0, negative or NaN.
    fn is_culled(&mut self, factors: &[Value]) -> Value {
        let zero = self.float(0.0);
        let mut all = self.boolean(true);
        for factor in factors {
            let is_positive = self.binary(Op::Greater, *factor, zero);
            all = self.binary(Op::LogicalAnd, all, is_positive);
        }
        self.unary(naga::UnaryOperator::LogicalNot, all)
    }

    /// Returns a factor that is at least 1. NaN becomes 1.
    fn cleaned(&mut self, factor: Value) -> Value {
        let one = self.float(1.0);
        self.at_least(factor, one)
    }

    /// Returns the greater number, or `least` if the value is NaN.
    fn at_least(&mut self, value: Value, least: Value) -> Value {
        let is_greater = self.binary(Op::GreaterEqual, value, least);
        self.select(is_greater, value, least)
    }

    fn clamped_factor(&mut self, factor: Value, partitioning: Partitioning) -> Value {
        let (least, most) = bounds(partitioning);
        let (least, most) = (self.float(least), self.float(most));
        let raised = self.at_least(factor, least);
        self.math(Math::Min, &[raised, most])
    }

    /// Returns a cleaned factor as an integer or a power of two, if the partitioning has only these.
    fn rounded_factor(&mut self, factor: Value, partitioning: Partitioning) -> Value {
        match partitioning {
            Partitioning::Integer => self.math(Math::Ceil, &[factor]),
            Partitioning::Pow2 => self.power_of_two(factor),
            Partitioning::FractionalOdd | Partitioning::FractionalEven => factor,
        }
    }

    /// Returns the next power of two that is not less than a factor.
    fn power_of_two(&mut self, factor: Value) -> Value {
        let bits = self.bitcast(factor, ScalarKind::Uint);
        let (mantissa, exponent) = (self.uint(MANTISSA), self.uint(EXPONENT));
        let mantissa = self.binary(Op::And, bits, mantissa);
        let exponent = self.binary(Op::And, bits, exponent);
        let (lowest, zero) = (self.uint(LOWEST_OF_EXPONENT), self.uint(0));
        let above = self.binary(Op::Add, exponent, lowest);
        let is_power = self.binary(Op::Equal, mantissa, zero);
        let bits = self.select(is_power, bits, above);
        self.bitcast(bits, ScalarKind::Float)
    }

    fn rounded_edge(&mut self, edge: Value, partitioning: Partitioning) -> Value {
        let rounded = self.rounded_factor(edge, partitioning);
        self.clamped_factor(rounded, partitioning)
    }

    /// Returns a scale from 0 to 1. NaN becomes 0.
    fn inside_scale(&mut self, scale: Value) -> Value {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let scale = self.at_least(scale, zero);
        self.math(Math::Min, &[scale, one])
    }

    /// Returns the factor of the inside before it is rounded.
    fn inside(
        &mut self,
        edges: &[Value],
        scale: Value,
        reduction: Reduction,
        partitioning: Partitioning,
    ) -> Value {
        let reduced = self.reduced_factor(edges, reduction);
        let scaled = self.binary(Op::Multiply, reduced, scale);
        let factor = self.clamped_factor(scaled, partitioning);
        if partitioning != Partitioning::FractionalOdd {
            return factor;
        }
        // The outermost ring of an odd division grows with the edges, regardless of the scale, so that it does not snap
        // to them.
        let outer = if reduction == Reduction::Max { Reduction::Max } else { Reduction::Average };
        let ring = self.reduced_factor(edges, outer);
        let full = self.float(FULL_RING);
        let ring = self.math(Math::Min, &[ring, full]);
        let ring = self.clamped_factor(ring, partitioning);
        let is_partial = self.binary(Op::Less, factor, full);
        self.select(is_partial, ring, factor)
    }

    fn reduced_factor(&mut self, edges: &[Value], reduction: Reduction) -> Value {
        let Some((first, others)) = edges.split_first() else { return self.float(1.0) };
        let mut result = *first;
        for edge in others {
            result = match reduction {
                Reduction::Average => self.binary(Op::Add, result, *edge),
                Reduction::Max => self.math(Math::Max, &[result, *edge]),
                Reduction::Min => self.math(Math::Min, &[result, *edge]),
            };
        }
        if reduction == Reduction::Average {
            // Adapters may divide with an error, but a multiplication with a power of two is exact.
            result = if edges.len().is_power_of_two() {
                let factor = self.float(1.0 / edges.len() as f32);
                self.binary(Op::Multiply, result, factor)
            } else {
                let count = self.float(edges.len() as f32);
                self.binary(Op::Divide, result, count)
            };
        }
        result
    }

    /// Returns the factor of an axis whose outermost ring is at least as large as that of the other axis, up to its full
    /// size.
    fn raised_factor(&mut self, factor: Value, other: Value) -> Value {
        let full = self.float(FULL_RING);
        let limited = self.math(Math::Min, &[other, full]);
        let is_partial = self.binary(Op::Less, factor, full);
        let is_less = self.binary(Op::Less, factor, other);
        let is_raised = self.binary(Op::LogicalAnd, is_partial, is_less);
        self.select(is_raised, limited, factor)
    }
}
