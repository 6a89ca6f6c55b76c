//! Sample positions, and the sample count of the render targets.

use naga::{BinaryOperator as Op, Expression, Literal, Override};

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

/// Direct3D's standard sample patterns for 1, 2, 4, 8 and 16 samples, one after another. The unit is a
/// sixteenth of a pixel, and the origin is the pixel's centre.
const PATTERNS: [(i8, i8); 31] = [
    (0, 0),
    // 2
    (4, 4),
    (-4, -4),
    // 4
    (-2, -6),
    (6, -2),
    (-6, 2),
    (2, 6),
    // 8
    (1, -3),
    (-1, 3),
    (5, 1),
    (-3, -5),
    (-5, 5),
    (-7, -1),
    (3, 7),
    (7, -7),
    // 16
    (1, 1),
    (-1, -3),
    (-3, 2),
    (4, -1),
    (-5, -2),
    (2, 5),
    (5, 3),
    (3, -5),
    (-2, 6),
    (0, -7),
    (-4, -6),
    (-6, 4),
    (-8, 0),
    (7, -4),
    (6, 7),
    (-7, -8),
];

impl Builder<'_, '_> {
    /// Lowers `GetSamplePosition`. The position of a sample that does not exist is zero.
    pub(crate) fn sample_position(
        &mut self,
        object: &KnownObject,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<Value> {
        let texture = self.texture(object, span)?;
        let [sample, ..] = arguments else { return Err(self.unsupported(span, "a position of no sample")) };
        let sample = self.value_of(sample, Numeric::scalar(Scalar::Uint))?;
        let count = self.sample_count(&texture);
        let position = self.position_of(sample, count);
        Ok(position)
    }

    /// Lowers `GetRenderTargetSamplePosition`. The position of a sample that does not exist is zero.
    pub(crate) fn target_sample_position(&mut self, sample: &Expr) -> Lowered<Value> {
        let sample = self.value_of(sample, Numeric::scalar(Scalar::Uint))?;
        let count = self.target_sample_count();
        Ok(self.position_of(sample, count))
    }

    /// Lowers `GetRenderTargetSampleCount`. The result is a pipeline constant.
    pub(crate) fn target_sample_count(&mut self) -> Value {
        let made = self.lowerer.module.overrides.iter().next().map(|(handle, _)| handle);
        let handle = match made {
            Some(handle) => handle,
            None => {
                let ty = self.numeric_type(Numeric::scalar(Scalar::Uint));
                let module = &mut self.lowerer.module;
                let one = Expression::Literal(Literal::U32(1));
                let init = Some(module.global_expressions.append(one, naga::Span::UNDEFINED));
                let name = Some(RENDER_TARGET_SAMPLE_COUNT.to_owned());
                module.overrides.append(Override { name, id: None, ty, init }, naga::Span::UNDEFINED)
            }
        };
        self.add(Expression::Override(handle))
    }

    /// Returns the position of a sample in the pattern with `count` samples.
    pub(crate) fn position_of(&mut self, sample: Value, count: Value) -> Value {
        let pair = Numeric::vector(Scalar::Float, 2);
        let ty = self.numeric_type(pair);
        let positions = PATTERNS
            .iter()
            .map(|(x, y)| {
                let x = self.float(f32::from(*x) / 16.0);
                let y = self.float(f32::from(*y) / 16.0);
                self.compose(ty, vec![x, y])
            })
            .collect();
        let table = self.lowerer.array_type(ty, PATTERNS.len() as u32).unwrap_or(ty);
        let positions = self.compose(table, positions);
        let variable = self.variable("positions", table);
        self.store(variable, positions);
        let one = self.uint(1);
        let first = self.binary(Op::Subtract, count, one);
        let index = self.binary(Op::Add, first, sample);
        let last = self.uint(PATTERNS.len() as u32 - 1);
        let index = self.math(naga::MathFunction::Min, &[index, last]);
        let pointer = self.add(Expression::Access { base: variable, index });
        let position = self.load(pointer);
        let is_there = self.binary(Op::Less, sample, count);
        let zero = self.number(0.0, pair);
        self.select(is_there, position, zero)
    }
}

/// The name of the pipeline constant that provides `GetRenderTargetSampleCount()`.
///
/// A module has this constant only if the program reads the sample count or the sample positions of the
/// render target.
pub const RENDER_TARGET_SAMPLE_COUNT: &str = "render_target_sample_count";
