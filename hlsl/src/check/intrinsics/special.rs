use super::{IntrinsicCall, common_scalar, common_type, is_matrix, rules::ScalarRule};
use crate::{
    check::{
        Checker,
        tree::{Expr, ExprKind, Intrinsic, Numeric, Type},
    },
    syntax::{
        ast::BinaryOp,
        builtin::{Scalar, Shape},
    },
};

impl Checker<'_> {
    pub(super) fn special_intrinsic(&mut self, call: IntrinsicCall, arguments: &[Expr]) -> Option<Expr> {
        match call.which {
            Intrinsic::Mul => self.multiply(call, arguments),
            Intrinsic::All | Intrinsic::Any => {
                let ty = self.numeric_arguments(call, arguments, 1)?[0];
                let converted = self.convert_all(arguments, ty.with(Scalar::Bool));
                Some(call.make(converted, Type::BOOL))
            }
            Intrinsic::Clip => {
                let ty = self.numeric_arguments(call, arguments, 1)?[0];
                let converted = self.convert_all(arguments, floating(ty));
                Some(call.make(converted, Type::Void))
            }
            Intrinsic::AsFloat => self.reinterpret(call, arguments, Scalar::Float),
            Intrinsic::AsInt => self.reinterpret(call, arguments, Scalar::Int),
            Intrinsic::AsUint if arguments.len() == 3 => self.split_double(call, arguments),
            Intrinsic::AsUint => self.reinterpret(call, arguments, Scalar::Uint),
            Intrinsic::Cross => {
                let types = self.numeric_arguments(call, arguments, 2)?;
                let ty = Numeric::vector(ScalarRule::Floats.of(common_scalar(&types)), 3);
                let converted = self.convert_all(arguments, ty);
                Some(call.make(converted, Type::Numeric(ty)))
            }
            Intrinsic::D3dColorToUbyte4 => {
                let ty = self.numeric_arguments(call, arguments, 1)?[0];
                if !ty.is_scalar_or_vector_of(4) {
                    return self.no_match(call, arguments);
                }
                let converted = self.convert_all(arguments, Numeric::vector(Scalar::Float, 4));
                Some(call.make(converted, Type::vector(Scalar::Int, 4)))
            }
            Intrinsic::Determinant | Intrinsic::Transpose => self.matrix_function(call, arguments),
            Intrinsic::Dst => {
                let types = self.numeric_arguments(call, arguments, 2)?;
                if !types.iter().all(|ty| ty.is_scalar_or_vector_of(4)) {
                    return self.no_match(call, arguments);
                }
                let ty = Numeric::vector(common_scalar(&types), 4);
                let converted = self.convert_all(arguments, ty);
                Some(call.make(converted, Type::Numeric(ty)))
            }
            Intrinsic::Lit => {
                let types = self.numeric_arguments(call, arguments, 3)?;
                if types.iter().any(|ty| ty.components() != 1) {
                    return self.no_match(call, arguments);
                }
                let scalar = ScalarRule::Floats.of(common_scalar(&types));
                let converted = self.convert_all(arguments, Numeric::scalar(scalar));
                Some(call.make(converted, Type::vector(scalar, 4)))
            }
            Intrinsic::Refract => self.refract(call, arguments),
            Intrinsic::Sincos => self.with_outputs(call, arguments, 3),
            Intrinsic::Modf | Intrinsic::Frexp => self.with_outputs(call, arguments, 2),
            Intrinsic::EvaluateAttributeAtCentroid => self.evaluate_attribute(call, arguments, None),
            Intrinsic::EvaluateAttributeAtSample => {
                self.evaluate_attribute(call, arguments, Some(Type::UINT))
            }
            Intrinsic::EvaluateAttributeSnapped => {
                self.evaluate_attribute(call, arguments, Some(Type::vector(Scalar::Int, 2)))
            }
            Intrinsic::Printf | Intrinsic::Errorf => match arguments {
                [text, values @ ..]
                    if text.ty == Type::String && values.iter().all(|value| value.ty.numeric().is_some()) =>
                {
                    Some(call.make(arguments.to_vec(), Type::Void))
                }
                _ => self.no_match(call, arguments),
            },
            _ => self.no_match(call, arguments),
        }
    }

    /// Checks `mul`, which becomes a multiplication or `dot` if neither operand is a matrix.
    fn multiply(&mut self, call: IntrinsicCall, arguments: &[Expr]) -> Option<Expr> {
        let types = self.numeric_arguments(call, arguments, 2)?;
        let (a, b) = (types[0], types[1]);
        let scalar = common_scalar(&types);
        let make = |shape| Numeric { scalar, shape };
        let matrix = |rows, columns| Numeric { scalar, shape: Shape::Matrix { rows, columns } };
        let (a, b, result) = match (a.shape, b.shape) {
            (Shape::Scalar, shape) | (shape, Shape::Scalar) => {
                let operands = self.convert_pair(arguments, make(shape), make(shape));
                let product = ExprKind::Binary(BinaryOp::Multiply, operands.0, operands.1);
                return Some(Expr::new(product, Type::Numeric(make(shape)), call.span));
            }
            (Shape::Vector(a), Shape::Vector(b)) => {
                let vector = Numeric::vector(scalar, a.min(b));
                let (a, b) = self.convert_pair(arguments, vector, vector);
                return Some(
                    IntrinsicCall { which: Intrinsic::Dot, ..call }.make(vec![a, b], Type::scalar(scalar)),
                );
            }
            (Shape::Vector(size), Shape::Matrix { rows, columns }) => {
                let inner = size.min(rows);
                let result = Numeric::vector(scalar, columns);
                (Numeric::vector(scalar, inner), matrix(inner, columns), result)
            }
            (Shape::Matrix { rows, columns }, Shape::Vector(size)) => {
                let inner = size.min(columns);
                let result = Numeric::vector(scalar, rows);
                (matrix(rows, inner), Numeric::vector(scalar, inner), result)
            }
            (Shape::Matrix { rows, columns: left }, Shape::Matrix { rows: right, columns }) => {
                let inner = left.min(right);
                (matrix(rows, inner), matrix(inner, columns), matrix(rows, columns))
            }
        };
        let (a, b) = self.convert_pair(arguments, a, b);
        Some(call.make(vec![a, b], Type::Numeric(result)))
    }

    fn convert_pair(&mut self, arguments: &[Expr], a: Numeric, b: Numeric) -> (Expr, Expr) {
        let first = self.convert_implicitly(arguments[0].clone(), &Type::Numeric(a));
        let second = self.convert_implicitly(arguments[1].clone(), &Type::Numeric(b));
        (first, second)
    }

    /// Checks `asfloat` and similar functions, which reinterpret the bits of a value as another type.
    fn reinterpret(&mut self, call: IntrinsicCall, arguments: &[Expr], to: Scalar) -> Option<Expr> {
        let ty = self.numeric_arguments(call, arguments, 1)?[0];
        if matches!(ty.scalar, Scalar::Bool | Scalar::Double) {
            return self.no_match(call, arguments);
        }
        Some(call.make(arguments.to_vec(), Type::Numeric(ty.with(to))))
    }

    fn split_double(&mut self, call: IntrinsicCall, arguments: &[Expr]) -> Option<Expr> {
        let types = self.numeric_arguments(call, arguments, 3)?;
        let value =
            self.convert_implicitly(arguments[0].clone(), &Type::Numeric(types[0].with(Scalar::Double)));
        let word = types[0].with(Scalar::Uint);
        let low = self.out_argument(&arguments[1], word)?;
        let high = self.out_argument(&arguments[2], word)?;
        Some(call.make(vec![value, low, high], Type::Void))
    }

    /// Checks `determinant` and `transpose`, which also accept a scalar.
    fn matrix_function(&mut self, call: IntrinsicCall, arguments: &[Expr]) -> Option<Expr> {
        let ty = self.numeric_arguments(call, arguments, 1)?[0];
        let determinant = call.which == Intrinsic::Determinant;
        match ty.shape {
            Shape::Scalar if determinant => {
                Some(self.convert_implicitly(arguments[0].clone(), &Type::Numeric(floating(ty))))
            }
            Shape::Scalar => Some(arguments[0].clone()),
            Shape::Vector(_) => self.no_match(call, arguments),
            Shape::Matrix { rows, columns } if determinant => {
                let size = rows.min(columns);
                let square = Numeric { shape: Shape::Matrix { rows: size, columns: size }, ..floating(ty) };
                let converted = self.convert_all(arguments, square);
                Some(call.make(converted, Type::scalar(square.scalar)))
            }
            Shape::Matrix { rows, columns } => {
                let result = Numeric { shape: Shape::Matrix { rows: columns, columns: rows }, ..ty };
                Some(call.make(arguments.to_vec(), Type::Numeric(result)))
            }
        }
    }

    /// Checks `refract`, which takes two vectors and a scalar.
    fn refract(&mut self, call: IntrinsicCall, arguments: &[Expr]) -> Option<Expr> {
        let types = self.numeric_arguments(call, arguments, 3)?;
        let scalar = ScalarRule::Floats.of(common_scalar(&types));
        let vector = common_type(&types[..2], ScalarRule::Floats);
        let Some(vector) = vector.filter(|ty| !is_matrix(*ty) && !is_matrix(types[2])) else {
            return self.no_match(call, arguments);
        };
        let (a, b) = self.convert_pair(arguments, vector.with(scalar), vector.with(scalar));
        let index = self.convert_implicitly(arguments[2].clone(), &Type::scalar(scalar));
        Some(call.make(vec![a, b, index], Type::Numeric(vector.with(scalar))))
    }

    /// Checks `sincos`, `modf` and `frexp`, which take a value and output arguments.
    fn with_outputs(&mut self, call: IntrinsicCall, arguments: &[Expr], count: usize) -> Option<Expr> {
        let types = self.numeric_arguments(call, arguments, count)?;
        let components = if call.which == Intrinsic::Frexp { ScalarRule::Halves } else { ScalarRule::Floats };
        let Some(common) = common_type(&types, components) else { return self.no_match(call, arguments) };
        let common = common.with(components.of(types[0].scalar));
        let mut converted = vec![self.convert_implicitly(arguments[0].clone(), &Type::Numeric(common))];
        for argument in &arguments[1..] {
            converted.push(self.out_argument(argument, common)?);
        }
        let ty = if call.which == Intrinsic::Sincos { Type::Void } else { Type::Numeric(common) };
        Some(call.make(converted, ty))
    }

    /// Checks a function that evaluates an input of a pixel shader at another position.
    fn evaluate_attribute(
        &mut self,
        call: IntrinsicCall,
        arguments: &[Expr],
        place: Option<Type>,
    ) -> Option<Expr> {
        let types = self.numeric_arguments(call, arguments, 1 + usize::from(place.is_some()))?;
        let mut converted = vec![arguments[0].clone()];
        if let Some(place) = place {
            converted.push(self.convert_implicitly(arguments[1].clone(), &place));
        }
        Some(call.make(converted, Type::Numeric(types[0])))
    }
}

fn floating(ty: Numeric) -> Numeric {
    ty.with(ScalarRule::Floats.of(ty.scalar))
}
