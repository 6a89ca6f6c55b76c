//! HLSL's numeric conversions.

use naga::{BinaryOperator, ScalarKind, TypeInner};

use crate::{
    check::tree::Numeric,
    lower::{builder::Builder, result::Value, types::naga_scalar},
    syntax::builtin::{Scalar, Shape},
};

impl Builder<'_, '_> {
    /// Returns the components of a numeric value, row by row.
    pub(crate) fn components(&mut self, value: Value, ty: Numeric) -> Vec<Value> {
        let rows: Vec<_> = match ty.shape {
            Shape::Matrix { rows, .. } => (0..rows).map(|row| self.access(value, row.into())).collect(),
            Shape::Scalar | Shape::Vector(_) => vec![value],
        };
        let mut components = Vec::new();
        for row in rows {
            for column in 0..ty.columns() {
                components.push(self.component(row, column as u32));
            }
        }
        components
    }

    /// Applies an operation to each row of a matrix, or once to scalars or vectors.
    pub(crate) fn by_rows(
        &mut self,
        ty: Numeric,
        values: &[Value],
        mut operation: impl FnMut(&mut Self, &[Value]) -> Value,
    ) -> Vec<Value> {
        let Shape::Matrix { rows, .. } = ty.shape else {
            return vec![operation(self, values)];
        };
        let mut results = Vec::new();
        for row in 0..rows {
            let parts: Vec<_> = values.iter().map(|value| self.access(*value, row.into())).collect();
            results.push(operation(self, &parts));
        }
        results
    }

    /// Joins the rows that [`Builder::by_rows`] returns.
    pub(crate) fn join_rows(&mut self, ty: Numeric, rows: Vec<Value>) -> Value {
        match (ty.shape, rows.as_slice()) {
            (Shape::Scalar | Shape::Vector(_), [value]) => *value,
            _ => {
                let ty = self.numeric_type(ty);
                self.compose(ty, rows)
            }
        }
    }

    /// Converts a numeric value with HLSL's rules. The conversion may also repeat a scalar, truncate a vector
    /// or matrix, or convert between a vector and a matrix with the same number of components.
    pub(crate) fn convert(&mut self, value: Value, from: Numeric, to: Numeric) -> Value {
        let value = self.convert_scalars(value, from, to.scalar);
        self.reshape(value, from.with(to.scalar), to)
    }

    fn reshape(&mut self, value: Value, from: Numeric, to: Numeric) -> Value {
        if from.shape == to.shape {
            return value;
        }
        if from.components() == 1 {
            let scalar = self.components(value, from)[0];
            let row = self.splat(to.columns(), scalar);
            return self.join_rows(to, vec![row; to.rows()]);
        }
        let components = self.components(value, from);
        let (Shape::Matrix { .. }, Shape::Matrix { .. }) = (from.shape, to.shape) else {
            let components = components.into_iter().take(to.components()).collect();
            return self.numeric(to, components);
        };
        let mut kept = Vec::new();
        for row in 0..to.rows() {
            for column in 0..to.columns() {
                kept.extend(components.get(row * from.columns() + column));
            }
        }
        self.numeric(to, kept)
    }

    fn convert_scalars(&mut self, value: Value, from: Numeric, to: Scalar) -> Value {
        let (source, target) = (naga_scalar(from.scalar), naga_scalar(to));
        if source == target {
            return value;
        }
        let rows =
            self.by_rows(from, &[value], |builder, parts| builder.convert_row(parts[0], source, target));
        self.join_rows(from.with(to), rows)
    }

    fn convert_row(&mut self, value: Value, from: naga::Scalar, to: naga::Scalar) -> Value {
        let cast = |expr| naga::Expression::As { expr, kind: to.kind, convert: Some(to.width) };
        let (bound, most) = match to.kind {
            ScalarKind::Sint => (-(i32::MIN as f32), self.int(i32::MAX)),
            ScalarKind::Uint => (-2.0 * i32::MIN as f32, self.uint(u32::MAX)),
            _ => return self.add(cast(value)),
        };
        if from != naga::Scalar::F32 {
            return self.add(cast(value));
        }
        let number = self.number_or_zero(value);
        let integer = self.add(cast(number));
        // Values beyond the integer range become the largest integer. naga would return the largest integer
        // that a `float` represents exactly.
        let size = self.size(value);
        let bound = self.float(bound);
        let bound = self.splat(size, bound);
        let is_above = self.binary(BinaryOperator::GreaterEqual, value, bound);
        let most = self.splat(size, most);
        self.select(is_above, most, integer)
    }

    /// Replaces NaN with 0, because conversions of NaN to integers return 0.
    fn number_or_zero(&mut self, value: Value) -> Value {
        let size = self.size(value);
        let bits = self.bitcast(value, ScalarKind::Uint);
        let mask = self.uint(0x7fff_ffff);
        let mask = self.splat(size, mask);
        let magnitude = self.binary(BinaryOperator::And, bits, mask);
        let infinity = self.uint(f32::INFINITY.to_bits());
        let infinity = self.splat(size, infinity);
        let is_number = self.binary(BinaryOperator::LessEqual, magnitude, infinity);
        let zero = match self.inner(value) {
            TypeInner::Vector { size, scalar } => {
                let ty = self.lowerer.add_type(None, TypeInner::Vector { size, scalar });
                self.zero_of(ty)
            }
            _ => self.float(0.0),
        };
        self.select(is_number, value, zero)
    }
}
