use naga::ShaderStage;

use crate::{
    lower::{
        intrinsics::row_type,
        testing::{entry, keep, unknown},
    },
    syntax::builtin::{Scalar, Shape},
    tree::{Intrinsic as I, Numeric, Program},
};

fn shapes() -> Vec<Shape> {
    let mut shapes = vec![Shape::Scalar];
    shapes.extend((1..=4).map(Shape::Vector));
    shapes.push(Shape::Matrix { rows: 1, columns: 3 });
    shapes.push(Shape::Matrix { rows: 3, columns: 1 });
    shapes.push(Shape::Matrix { rows: 2, columns: 4 });
    shapes
}

/// Lowers functions of so many arguments, in all shapes.
fn check(functions: &[I], count: usize, operand: Scalar, result: Scalar) {
    entry(&Program::default(), &[], ShaderStage::Fragment, |builder| {
        for shape in shapes() {
            let operand = Numeric { scalar: operand, shape };
            let result = Numeric { scalar: result, shape };
            let arguments: Vec<_> = (0..count).map(|_| unknown(builder, operand)).collect();
            for which in functions {
                let value = builder.row_by_row(&arguments, operand, result, |builder, row, ty| {
                    assert_eq!(ty, row_type(operand));
                    builder.component_function(*which, row, ty, result.scalar).expect(which.name())
                });
                keep(builder, value, result);
            }
        }
        Ok(())
    });
}

#[test]
fn functions_of_each_component_have_all_shapes() {
    let one = [
        I::Abs,
        I::Acos,
        I::Asin,
        I::Atan,
        I::Ceil,
        I::Cos,
        I::Cosh,
        I::Ddx,
        I::DdxCoarse,
        I::DdxFine,
        I::Ddy,
        I::DdyCoarse,
        I::DdyFine,
        I::Degrees,
        I::Exp,
        I::Exp2,
        I::Floor,
        I::Frac,
        I::Fwidth,
        I::Log,
        I::Log10,
        I::Log2,
        I::Radians,
        I::Rcp,
        I::Round,
        I::Rsqrt,
        I::Saturate,
        I::Sin,
        I::Sinh,
        I::Sqrt,
        I::Tan,
        I::Tanh,
        I::Trunc,
        I::AsFloat,
    ];
    check(&one, 1, Scalar::Float, Scalar::Float);
    check(&[I::Sign, I::AsInt], 1, Scalar::Float, Scalar::Int);
    check(&[I::AsUint, I::F32ToF16], 1, Scalar::Float, Scalar::Uint);
    check(&[I::IsNan, I::IsInf, I::IsFinite], 1, Scalar::Float, Scalar::Bool);
    let two = [I::Atan2, I::Fmod, I::Ldexp, I::Pow, I::Step, I::Min, I::Max];
    check(&two, 2, Scalar::Float, Scalar::Float);
    check(&[I::Clamp, I::Lerp, I::SmoothStep, I::Mad], 3, Scalar::Float, Scalar::Float);
    for scalar in [Scalar::Int, Scalar::Uint] {
        check(&[I::Abs, I::CountBits, I::ReverseBits, I::FirstBitHigh, I::FirstBitLow], 1, scalar, scalar);
        check(&[I::CountBits, I::FirstBitHigh, I::FirstBitLow], 1, scalar, Scalar::Uint);
        check(&[I::Sign, I::AsInt], 1, scalar, Scalar::Int);
        check(&[I::AsFloat], 1, scalar, Scalar::Float);
        check(&[I::Min, I::Max], 2, scalar, scalar);
        check(&[I::Clamp, I::Mad], 3, scalar, scalar);
    }
    check(&[I::F16ToF32], 1, Scalar::Uint, Scalar::Float);
}
