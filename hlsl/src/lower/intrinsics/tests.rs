use naga::ShaderStage;

use crate::{
    check::tree::{Intrinsic as I, Numeric, Program},
    lower::{
        intrinsics::row_type,
        testing::{entry, keep, pixel, unknown},
    },
    syntax::builtin::{Scalar, Shape},
};

fn shapes() -> Vec<Shape> {
    let mut shapes = vec![Shape::Scalar];
    shapes.extend((1..=4).map(Shape::Vector));
    shapes.push(Shape::Matrix { rows: 1, columns: 3 });
    shapes.push(Shape::Matrix { rows: 3, columns: 1 });
    shapes.push(Shape::Matrix { rows: 2, columns: 4 });
    shapes
}

/// Lowers functions with `count` arguments in all shapes.
fn check(functions: &[I], count: usize, operand: Scalar, result: Scalar) {
    entry(&Program::default(), &[], ShaderStage::Fragment, |builder| {
        for shape in shapes() {
            let operand = Numeric { scalar: operand, shape };
            let result = Numeric { scalar: result, shape };
            let arguments: Vec<_> = (0..count).map(|_| unknown(builder, operand)).collect();
            for which in functions {
                let value = builder.row_by_row(&arguments, operand, result, |builder, row, ty| {
                    assert_eq!(ty, row_type(operand));
                    builder.component_function(*which, row, ty, result.scalar).unwrap()
                });
                keep(builder, value, result);
            }
        }
        Ok(())
    });
}

#[test]
fn componentwise_functions_support_all_shapes() {
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

/// Compiles a pixel shader that returns `r` after a body.
fn body(body: &str) -> String {
    pixel(&format!(
        "float4 main(float4 a : A, float4 b : B, nointerpolation int4 i : I, nointerpolation uint4 u : U) : SV_Target {{
            float4 r = 0; {body} return r;
        }}"
    ))
}

#[test]
fn vector_and_matrix_functions_are_valid() {
    body(
        "r.x += dot(a, b) + dot(a.xy, 1) + dot(a.x, b.x) + dot(i, i) + length(a.xyz) + distance(a, b) + length(a.x);",
    );
    body(
        "r += normalize(a) + normalize(a.x) + reflect(a, b) + refract(a, b, a.x) + faceforward(a, b, a) + dst(a, b);",
    );
    body("r += lit(a.x, a.y, a.z); r.xyz += cross(a.xyz, b.xyz) + refract(a.xyz, b.xyz, 0.5);");
    body("float4x3 m = float4x3(a.xyz, b.xyz, a.yzw, b.yzw); r.xyz += mul(a, m); r += mul(m, b.xyz);");
    body(
        "float3x4 m = float3x4(a, b, a); float2x3 n = float2x3(a.xyz, b.xyz); r += mul(n, m)[1] + mul(transpose(m), n[0]);",
    );
    body(
        "float4x4 m = float4x4(a, b, a, b); r += mul(mul(m, m), a) + determinant(m) + determinant((float3x3)m);",
    );
    body(
        "int2x2 m = int2x2(i); r.xy += mul(m, i.xy) + mul(i.zw, m); r += any(m) + all(m == m) + any(a) + all(a.x);",
    );
    body(
        "r += mul(2, a) + mul(a, b); float1x3 m = a.xyz; float3x1 n = b.xyz; r.x += mul(m, n); r.xyz += mul(n, m)[1];",
    );
}

#[test]
fn functions_with_out_arguments_are_valid() {
    body("float4 s, c; sincos(a, s, c); r += s + c; int2 whole; r.xy += modf(a.xy, whole) + whole;");
    body(
        "float3 e; r.xyz += frexp(a.xyz, e) + e; float2x2 m = (float2x2)a, w; r.xy += modf(m, w)[0] + w[1];",
    );
}

#[test]
fn bit_functions_are_valid() {
    body(
        "r += countbits(u) + firstbithigh(i) + firstbithigh(u) + firstbitlow(u) + reversebits(u) + asfloat(u);",
    );
    body(
        "r += msad4(u.x, u.yz, u) + D3DCOLORtoUBYTE4(a) + f16tof32(u) + f32tof16(a) + asint(a) + asuint(i) + sign(a);",
    );
    body(
        "r += isnan(a) + isinf(a) + isfinite(a) + abs(i) + min(i, 3) + max(u, 3u) + clamp(i, -1, 2) + saturate(a);",
    );
}

#[test]
fn clip_discards_pixels() {
    let text = body("clip(a); clip(a.x - 0.5); r = ddx(a) + ddy_coarse(b) + fwidth(a.x);");
    assert!(text.contains("discard"), "{text}");
}

#[test]
fn powers_with_whole_exponents_are_products() {
    let text = body("r = pow(a, 5);");
    assert!(!text.contains("log2"), "{text}");
    let text = body("r = pow(a, 2.5);");
    assert!(text.contains("log2"), "{text}");
}

#[test]
fn comparisons_are_inverted_as_in_fxc() {
    let text = body("r.x = !(a.x <= b.x) ? 1 : 2;");
    assert!(!text.contains("<=") && text.contains(" > "), "{text}");
    let text = body("r.x = a.x != b.x ? 1 : 2;");
    assert!(!text.contains("!=") && text.contains("=="), "{text}");
}
