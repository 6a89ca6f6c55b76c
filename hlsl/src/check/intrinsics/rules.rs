use crate::{
    check::tree::{Intrinsic, Numeric},
    syntax::builtin::{Scalar, Shape},
};

pub(super) enum IntrinsicRule {
    /// A number of arguments with the same type, processed component by component, and a result that has the
    /// same type, or the same shape with another scalar type.
    Each(usize, ScalarRule, Option<Scalar>),
    /// A number of vectors or scalars with the same type, and a vector of this type or a single component as
    /// the result.
    Vectors(usize, ScalarRule, Vectors),
    /// Arguments and a result with fixed types, with `None` for a `void` result.
    Fixed(&'static [FixedArgument], Option<Numeric>),
    /// A sampler and a number of coordinates, optionally followed by derivatives.
    Legacy { place: u8, gradients: Option<u8> },
    /// A destination in memory, a number of values, and an output for the previous value.
    Interlocked { values: usize, before: FormerValue },
    /// A function that `special_intrinsic` checks, because it follows none of these rules.
    Special,
}

/// The scalar type that arguments are converted to, depending on their common type.
#[derive(Clone, Copy)]
pub(super) enum ScalarRule {
    Any,
    /// `float`, or a smaller floating-point type if the common type is one. A `double` becomes a `float`,
    /// because few functions accept doubles.
    Floats,
    /// `float`, or another floating-point type if the common type is one.
    AnyFloats,
    Halves,
    Float,
    Double,
    Uint,
    Integer,
}

#[derive(Clone, Copy)]
pub(super) enum Vectors {
    Same,
    Scalar,
}

#[derive(Clone, Copy)]
pub(super) enum FixedArgument {
    In(Numeric),
    Out(Numeric),
}

/// Whether the call has an `out` argument for the previous value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FormerValue {
    Never,
    Maybe,
    Always,
}

impl ScalarRule {
    pub(super) fn of(self, scalar: Scalar) -> Scalar {
        match self {
            ScalarRule::Any => scalar,
            ScalarRule::AnyFloats if scalar.is_float() => scalar,
            ScalarRule::Floats if scalar.is_float() && scalar != Scalar::Double => scalar,
            ScalarRule::Halves if scalar == Scalar::Half => scalar,
            ScalarRule::Float | ScalarRule::Floats | ScalarRule::AnyFloats | ScalarRule::Halves => {
                Scalar::Float
            }
            ScalarRule::Double => Scalar::Double,
            ScalarRule::Integer if scalar.is_integer() && !scalar.is_unsigned() => Scalar::Int,
            ScalarRule::Uint | ScalarRule::Integer => Scalar::Uint,
        }
    }
}

pub(super) const fn float_vector(size: u8) -> Numeric {
    if size == 1 { Numeric::scalar(Scalar::Float) } else { Numeric::vector(Scalar::Float, size) }
}

const fn floats(size: u8) -> FixedArgument {
    FixedArgument::In(float_vector(size))
}

const fn out_floats(size: u8) -> FixedArgument {
    FixedArgument::Out(float_vector(size))
}

const UINT: Numeric = Numeric::scalar(Scalar::Uint);
const UINT2: Numeric = Numeric::vector(Scalar::Uint, 2);
const UINT4: Numeric = Numeric::vector(Scalar::Uint, 4);
const INT: Numeric = Numeric::scalar(Scalar::Int);

/// Returns the rule of a function that works on floating-point components.
const fn floating(arguments: usize) -> IntrinsicRule {
    IntrinsicRule::Each(arguments, ScalarRule::Floats, None)
}

pub(super) fn rule(which: Intrinsic) -> IntrinsicRule {
    use Intrinsic as I;
    match which {
        I::Acos
        | I::Asin
        | I::Atan
        | I::Ceil
        | I::Cos
        | I::Cosh
        | I::Ddx
        | I::DdxCoarse
        | I::DdxFine
        | I::Ddy
        | I::DdyCoarse
        | I::DdyFine
        | I::Degrees
        | I::Exp
        | I::Exp2
        | I::Floor
        | I::Frac
        | I::Fwidth
        | I::Log
        | I::Log10
        | I::Log2
        | I::Radians
        | I::Round
        | I::Rsqrt
        | I::Sin
        | I::Sinh
        | I::Sqrt
        | I::Tan
        | I::Tanh
        | I::Trunc => floating(1),
        I::Atan2 | I::Fmod | I::Ldexp | I::Pow | I::Step => floating(2),
        I::Lerp | I::SmoothStep => floating(3),
        I::Rcp | I::Saturate => IntrinsicRule::Each(1, ScalarRule::AnyFloats, None),
        I::Fma => IntrinsicRule::Each(3, ScalarRule::Double, None),
        I::Abs => IntrinsicRule::Each(1, ScalarRule::Any, None),
        I::Max | I::Min => IntrinsicRule::Each(2, ScalarRule::Any, None),
        I::Clamp | I::Mad => IntrinsicRule::Each(3, ScalarRule::Any, None),
        I::Sign => IntrinsicRule::Each(1, ScalarRule::Any, Some(Scalar::Int)),
        I::IsFinite | I::IsInf | I::IsNan => IntrinsicRule::Each(1, ScalarRule::Floats, Some(Scalar::Bool)),
        I::CountBits | I::FirstBitLow | I::ReverseBits => IntrinsicRule::Each(1, ScalarRule::Uint, None),
        I::FirstBitHigh => IntrinsicRule::Each(1, ScalarRule::Integer, Some(Scalar::Uint)),
        I::F16ToF32 => IntrinsicRule::Each(1, ScalarRule::Uint, Some(Scalar::Float)),
        I::F32ToF16 => IntrinsicRule::Each(1, ScalarRule::Float, Some(Scalar::Uint)),
        I::AsDouble => IntrinsicRule::Each(2, ScalarRule::Uint, Some(Scalar::Double)),
        I::Dot => IntrinsicRule::Vectors(2, ScalarRule::Any, Vectors::Scalar),
        I::Distance => IntrinsicRule::Vectors(2, ScalarRule::Floats, Vectors::Scalar),
        I::Length | I::Noise => IntrinsicRule::Vectors(1, ScalarRule::Floats, Vectors::Scalar),
        I::Normalize => IntrinsicRule::Vectors(1, ScalarRule::Floats, Vectors::Same),
        I::Reflect => IntrinsicRule::Vectors(2, ScalarRule::Floats, Vectors::Same),
        I::FaceForward => IntrinsicRule::Vectors(3, ScalarRule::Floats, Vectors::Same),
        I::Msad4 => IntrinsicRule::Fixed(
            const { &[FixedArgument::In(UINT), FixedArgument::In(UINT2), FixedArgument::In(UINT4)] },
            Some(UINT4),
        ),
        // In FXC, the result is a vector with one component.
        I::GetRenderTargetSampleCount => IntrinsicRule::Fixed(&[], Some(Numeric::vector(Scalar::Uint, 1))),
        I::GetRenderTargetSamplePosition => {
            IntrinsicRule::Fixed(const { &[FixedArgument::In(INT)] }, Some(float_vector(2)))
        }
        I::CheckAccessFullyMapped => {
            IntrinsicRule::Fixed(const { &[FixedArgument::In(UINT)] }, Some(Numeric::scalar(Scalar::Bool)))
        }
        I::Abort
        | I::AllMemoryBarrier
        | I::AllMemoryBarrierWithGroupSync
        | I::DeviceMemoryBarrier
        | I::DeviceMemoryBarrierWithGroupSync
        | I::GroupMemoryBarrier
        | I::GroupMemoryBarrierWithGroupSync => IntrinsicRule::Fixed(&[], None),
        I::Process2DQuadTessFactorsAvg | I::Process2DQuadTessFactorsMax | I::Process2DQuadTessFactorsMin => {
            IntrinsicRule::Fixed(
                const { &[floats(4), floats(2), out_floats(4), out_floats(2), out_floats(2)] },
                None,
            )
        }
        I::ProcessQuadTessFactorsAvg | I::ProcessQuadTessFactorsMax | I::ProcessQuadTessFactorsMin => {
            IntrinsicRule::Fixed(
                const { &[floats(4), floats(1), out_floats(4), out_floats(2), out_floats(2)] },
                None,
            )
        }
        I::ProcessTriTessFactorsAvg | I::ProcessTriTessFactorsMax | I::ProcessTriTessFactorsMin => {
            IntrinsicRule::Fixed(
                const { &[floats(3), floats(1), out_floats(3), out_floats(1), out_floats(1)] },
                None,
            )
        }
        I::ProcessIsolineTessFactors => {
            IntrinsicRule::Fixed(const { &[floats(1), floats(1), out_floats(1), out_floats(1)] }, None)
        }
        I::InterlockedAdd
        | I::InterlockedAnd
        | I::InterlockedMax
        | I::InterlockedMin
        | I::InterlockedOr
        | I::InterlockedXor => IntrinsicRule::Interlocked { values: 1, before: FormerValue::Maybe },
        I::InterlockedExchange => IntrinsicRule::Interlocked { values: 1, before: FormerValue::Always },
        I::InterlockedCompareExchange => {
            IntrinsicRule::Interlocked { values: 2, before: FormerValue::Always }
        }
        I::InterlockedCompareStore => IntrinsicRule::Interlocked { values: 2, before: FormerValue::Never },
        I::Tex1D => IntrinsicRule::Legacy { place: 1, gradients: Some(1) },
        I::Tex2D => IntrinsicRule::Legacy { place: 2, gradients: Some(2) },
        I::Tex3D | I::TexCube => IntrinsicRule::Legacy { place: 3, gradients: Some(3) },
        I::Tex1DGrad => IntrinsicRule::Legacy { place: 1, gradients: Some(1) },
        I::Tex2DGrad => IntrinsicRule::Legacy { place: 2, gradients: Some(2) },
        I::Tex3DGrad | I::TexCubeGrad => IntrinsicRule::Legacy { place: 3, gradients: Some(3) },
        I::Tex1DBias
        | I::Tex1DLod
        | I::Tex1DProj
        | I::Tex2DBias
        | I::Tex2DLod
        | I::Tex2DProj
        | I::Tex3DBias
        | I::Tex3DLod
        | I::Tex3DProj
        | I::TexCubeBias
        | I::TexCubeLod
        | I::TexCubeProj => IntrinsicRule::Legacy { place: 4, gradients: None },
        I::All
        | I::Any
        | I::AsFloat
        | I::AsInt
        | I::AsUint
        | I::Clip
        | I::Cross
        | I::D3dColorToUbyte4
        | I::Determinant
        | I::Dst
        | I::Errorf
        | I::EvaluateAttributeAtCentroid
        | I::EvaluateAttributeAtSample
        | I::EvaluateAttributeSnapped
        | I::Frexp
        | I::Lit
        | I::Modf
        | I::Mul
        | I::Printf
        | I::Refract
        | I::Sincos
        | I::Transpose => IntrinsicRule::Special,
    }
}

impl Numeric {
    /// Returns whether this is the shape of a scalar or of a vector with `size` components (at most 4).
    pub(super) fn is_scalar_or_vector_of(self, size: u8) -> bool {
        match self.shape {
            Shape::Scalar => true,
            Shape::Vector(components) => components == size,
            Shape::Matrix { .. } => false,
        }
    }
}
