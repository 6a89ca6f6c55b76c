//! The signatures of intrinsic functions, for messages about calls that do not match them.

use super::rules::{FixedArgument, FormerValue, IntrinsicRule, ScalarRule, Vectors, rule};
use crate::{
    check::tree::{Intrinsic, Numeric},
    syntax::builtin::Scalar,
};

/// Returns the signatures of a function, in which `T` represents any numeric type and `N` any size of a
/// vector or matrix.
pub(super) fn signatures(which: Intrinsic) -> Vec<String> {
    let name = which.name();
    match rule(which) {
        IntrinsicRule::Each(count, components, result) => {
            let ty = any_size(components);
            let result = result.map_or(ty, any_size_of);
            vec![signature(result, name, &vec![ty; count], names(which))]
        }
        IntrinsicRule::Vectors(count, components, result) => {
            let ty = any_size(components);
            let result = match (result, components) {
                (Vectors::Same, _) => ty,
                (Vectors::Scalar, ScalarRule::Any) => "scalar",
                (Vectors::Scalar, _) => "float",
            };
            vec![signature(result, name, &vec![ty; count], names(which))]
        }
        IntrinsicRule::Fixed(slots, result) => {
            let types: Vec<_> = slots.iter().map(slot).collect();
            let types: Vec<_> = types.iter().map(String::as_str).collect();
            vec![signature(
                &result.map_or_else(|| "void".to_owned(), Numeric::name),
                name,
                &types,
                names(which),
            )]
        }
        IntrinsicRule::Legacy { place, gradients } => legacy(name, place, gradients),
        IntrinsicRule::Interlocked { values, before } => interlocked(which, values, before),
        IntrinsicRule::Special => special(which).iter().map(|text| (*text).to_owned()).collect(),
    }
}

fn any_size(components: ScalarRule) -> &'static str {
    match components {
        ScalarRule::Any => "T",
        ScalarRule::Floats | ScalarRule::AnyFloats | ScalarRule::Halves | ScalarRule::Float => "floatN",
        ScalarRule::Double => "doubleN",
        ScalarRule::Uint => "uintN",
        ScalarRule::Integer => "intN",
    }
}

fn any_size_of(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "boolN",
        Scalar::Int => "intN",
        Scalar::Uint => "uintN",
        Scalar::Double => "doubleN",
        _ => "floatN",
    }
}

fn slot(slot: &FixedArgument) -> String {
    match slot {
        FixedArgument::In(ty) => ty.name(),
        FixedArgument::Out(ty) => format!("out {}", ty.name()),
    }
}

fn signature(result: &str, name: &str, types: &[&str], names: &[&str]) -> String {
    let parameters = types.iter().enumerate().map(|(index, ty)| match names.get(index) {
        Some(name) => format!("{ty} {name}"),
        None => (*ty).to_owned(),
    });
    let parameters: Vec<_> = parameters.collect();
    format!("{result} {name}({})", parameters.join(", "))
}

fn names(which: Intrinsic) -> &'static [&'static str] {
    use Intrinsic as I;
    match which {
        I::Atan2 | I::Step => &["y", "x"],
        I::Ldexp => &["x", "exponent"],
        I::Lerp => &["x", "y", "s"],
        I::SmoothStep => &["min", "max", "x"],
        I::Clamp => &["x", "min", "max"],
        I::Mad => &["m", "a", "b"],
        I::Fma => &["a", "b", "c"],
        I::Reflect => &["i", "n"],
        I::FaceForward => &["n", "i", "ng"],
        I::AsDouble => &["low", "high"],
        I::Msad4 => &["reference", "source", "accumulated"],
        I::GetRenderTargetSamplePosition => &["index"],
        I::CheckAccessFullyMapped => &["status"],
        _ => &["x", "y", "z"],
    }
}

fn legacy(name: &str, place: u8, gradients: Option<u8>) -> Vec<String> {
    let vector = |size: u8| super::rules::float_vector(size).name();
    let mut all = Vec::new();
    if !name.ends_with("grad") {
        all.push(format!("float4 {name}(sampler s, {} t)", vector(place)));
    }
    if let Some(size) = gradients {
        let ty = vector(size);
        all.push(format!("float4 {name}(sampler s, {ty} t, {ty} ddx, {ty} ddy)"));
    }
    all
}

fn interlocked(which: Intrinsic, values: usize, before: FormerValue) -> Vec<String> {
    let name = which.name();
    let values = if values == 2 { "T compare, T value" } else { "T value" };
    let short = format!("void {name}(T destination, {values})");
    let long = format!("void {name}(T destination, {values}, out T original)");
    match before {
        FormerValue::Never => vec![short],
        FormerValue::Maybe => vec![short, long],
        FormerValue::Always => vec![long],
    }
}

fn special(which: Intrinsic) -> &'static [&'static str] {
    use Intrinsic as I;
    match which {
        I::All => &["bool all(T x)"],
        I::Any => &["bool any(T x)"],
        I::AsFloat => &["floatN asfloat(T x)"],
        I::AsInt => &["intN asint(T x)"],
        I::AsUint => &["uintN asuint(T x)", "void asuint(doubleN x, out uintN low, out uintN high)"],
        I::Clip => &["void clip(floatN x)"],
        I::Cross => &["float3 cross(float3 x, float3 y)"],
        I::D3dColorToUbyte4 => &["int4 D3DCOLORtoUBYTE4(float4 x)"],
        I::Determinant => &["float determinant(floatNxN m)"],
        I::Dst => &["float4 dst(float4 x, float4 y)"],
        I::Errorf => &["void errorf(string format, T value, ...)"],
        I::EvaluateAttributeAtCentroid => &["T EvaluateAttributeCentroid(T attribute)"],
        I::EvaluateAttributeAtSample => &["T EvaluateAttributeAtSample(T attribute, uint sample)"],
        I::EvaluateAttributeSnapped => &["T EvaluateAttributeSnapped(T attribute, int2 offset)"],
        I::Frexp => &["floatN frexp(floatN x, out floatN exponent)"],
        I::Lit => &["float4 lit(float n_dot_l, float n_dot_h, float m)"],
        I::Modf => &["floatN modf(floatN x, out floatN integer)"],
        I::Mul => &[
            "TN mul(T x, TN y)",
            "T mul(TN x, TN y)",
            "TC mul(TR x, TRxC y)",
            "TR mul(TRxC x, TC y)",
            "TRxC mul(TRxN x, TNxC y)",
        ],
        I::Printf => &["void printf(string format, T value, ...)"],
        I::Refract => &["floatN refract(floatN i, floatN n, float index)"],
        I::Sincos => &["void sincos(floatN x, out floatN s, out floatN c)"],
        I::Transpose => &["TCxR transpose(TRxC m)"],
        _ => &[],
    }
}
