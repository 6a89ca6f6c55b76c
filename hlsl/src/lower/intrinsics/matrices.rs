//! Matrix functions. A matrix is an array of rows.

use naga::BinaryOperator as Op;

use crate::{
    check::tree::{Expr, Intrinsic, Numeric},
    lower::{
        builder::Builder,
        intrinsics::row_type,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Shape,
};

impl Builder<'_, '_> {
    /// Lowers `mul`, `transpose` and `determinant`.
    pub(super) fn matrices(
        &mut self,
        which: Intrinsic,
        arguments: &[Expr],
        result: Numeric,
        span: Span,
    ) -> Lowered<Value> {
        let ty = self.numeric_at(arguments, 0, span)?;
        let value = self.value_at(arguments, 0, ty, span)?;
        match which {
            Intrinsic::Transpose => Ok(self.transpose(value, ty)),
            Intrinsic::Determinant => {
                let elements = self.elements(value, ty);
                match self.determinant(&elements) {
                    Some(value) => Ok(value),
                    None => Err(self.unsupported(span, "the determinant of a matrix that is not square")),
                }
            }
            _ => {
                let right = self.numeric_at(arguments, 1, span)?;
                // The operands are converted to the component type of the result.
                let (left_type, right_type) = (ty.with(result.scalar), right.with(result.scalar));
                let left = self.convert(value, ty, left_type);
                let right = self.value_at(arguments, 1, right_type, span)?;
                Ok(self.mul((left, left_type), (right, right_type), result))
            }
        }
    }

    /// Multiplies scalars, vectors and matrices, depending on their shapes.
    fn mul(&mut self, left: (Value, Numeric), right: (Value, Numeric), result: Numeric) -> Value {
        let is_matrix = |ty: Numeric| matches!(ty.shape, Shape::Matrix { .. });
        match (left.1.shape, right.1.shape) {
            (Shape::Scalar, _) => self.multiples(right, left.0, result),
            (_, Shape::Scalar) => self.multiples(left, right.0, result),
            (Shape::Vector(_), Shape::Vector(_)) => {
                let size = left.1.columns().min(right.1.columns());
                let ty = Numeric::vector(result.scalar, size as u8);
                let one = self.convert(left.0, left.1, ty);
                let other = self.convert(right.0, right.1, ty);
                self.dot(one, other, ty)
            }
            (Shape::Vector(_), _) => {
                let rows = self.rows(right.0, right.1);
                self.weighted(left.0, left.1.columns(), &rows, row_type(right.1))
            }
            (_, Shape::Vector(_)) => {
                let size = left.1.columns().min(right.1.columns());
                let ty = Numeric::vector(result.scalar, size as u8);
                let vector = self.convert(right.0, right.1, ty);
                let products = self
                    .rows(left.0, left.1)
                    .into_iter()
                    .map(|row| {
                        let row = self.convert(row, row_type(left.1), ty);
                        self.dot(row, vector, ty)
                    })
                    .collect();
                self.row_of(products, result.scalar)
            }
            _ => {
                debug_assert!(is_matrix(left.1) && is_matrix(right.1), "all other shapes are above");
                let rows = self.rows(right.0, right.1);
                let products = self
                    .rows(left.0, left.1)
                    .into_iter()
                    .map(|row| self.weighted(row, left.1.columns(), &rows, row_type(right.1)))
                    .collect();
                let shape = Shape::Matrix { rows: left.1.rows() as u8, columns: right.1.columns() as u8 };
                self.join_rows(Numeric { scalar: result.scalar, shape }, products)
            }
        }
    }

    /// Multiplies all components by a scalar.
    fn multiples(&mut self, value: (Value, Numeric), factor: Value, result: Numeric) -> Value {
        self.row_by_row(&[value.0], value.1, result, |builder, row, ty| {
            let factor = builder.fill(factor, ty);
            builder.binary(Op::Multiply, row[0], factor)
        })
    }

    /// Returns the sum of rows, each multiplied by a component of a vector.
    fn weighted(&mut self, vector: Value, size: usize, rows: &[Value], row: Numeric) -> Value {
        let factors = self.parts_of(vector, size);
        let products = factors
            .into_iter()
            .zip(rows)
            .map(|(factor, value)| {
                let factor = self.fill(factor, row);
                self.binary(Op::Multiply, factor, *value)
            })
            .collect();
        self.sum(products)
    }

    /// Returns the components of a matrix, row by row.
    fn elements(&mut self, value: Value, ty: Numeric) -> Vec<Vec<Value>> {
        let rows = self.rows(value, ty);
        rows.into_iter().map(|row| self.parts_of(row, ty.columns())).collect()
    }

    fn transpose(&mut self, value: Value, ty: Numeric) -> Value {
        let Shape::Matrix { rows, columns } = ty.shape else { return value };
        let elements = self.elements(value, ty);
        let turned = (0..usize::from(columns))
            .map(|column| {
                let row = elements.iter().map(|row| row[column]).collect();
                self.row_of(row, ty.scalar)
            })
            .collect();
        let shape = Shape::Matrix { rows: columns, columns: rows };
        self.join_rows(Numeric { scalar: ty.scalar, shape }, turned)
    }

    /// Returns the determinant, expanded along the first row.
    fn determinant(&mut self, elements: &[Vec<Value>]) -> Option<Value> {
        let size = elements.len();
        if size == 0 || elements.iter().any(|row| row.len() != size) {
            return None;
        }
        if size == 1 {
            return Some(elements[0][0]);
        }
        let mut total = None;
        for column in 0..size {
            let minor: Vec<Vec<Value>> = elements[1..]
                .iter()
                .map(|row| {
                    let others = row.iter().enumerate().filter(|(index, _)| *index != column);
                    others.map(|(_, value)| *value).collect()
                })
                .collect();
            let minor = self.determinant(&minor)?;
            let product = self.binary(Op::Multiply, elements[0][column], minor);
            total = Some(match total {
                None => product,
                Some(sum) if column % 2 == 0 => self.binary(Op::Add, sum, product),
                Some(sum) => self.binary(Op::Subtract, sum, product),
            });
        }
        total
    }
}
