use crate::{
    syntax::builtin::{Scalar, Shape},
    tree::{Intrinsic, Numeric},
};

pub(super) enum Rule {
    /// A number of arguments of one type, and a result of that type or of another scalar, by components.
    Each(usize, Components, Option<Scalar>),
    /// A number of vectors or scalars of one type, whose result is a vector of this type or a component.
    Vectors(usize, Components, Vectors),
    /// Arguments of certain types and a certain result, where `None` means that the function returns nothing.
    Fixed(&'static [Slot], Option<Numeric>),
    /// A sampler and a number of coordinates, optionally with derivatives.
    Legacy { place: u8, gradients: Option<u8> },
    /// A place in memory, a number of values, and the recipient of the previous value.
    Interlocked { values: usize, before: Before },
    /// A function that follows none of these rules, so that `special_intrinsic` checks it.
    Special,
}

/// The scalar type that arguments are converted to from their common type.
#[derive(Clone, Copy)]
pub(super) enum Components {
    Any,
    /// The type `float`, except that smaller floating-point types stay. A `double` becomes a `float`, because
    /// few functions take doubles.
    Floats,
    /// The type `float`, except that `double` and smaller floating-point types stay.
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
pub(super) enum Slot {
    In(Numeric),
    Out(Numeric),
}

/// Whether the call has an `out` argument for the former value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    Never,
    Maybe,
    Always,
}

impl Components {
    pub(super) fn of(self, scalar: Scalar) -> Scalar {
        match self {
            Components::Any => scalar,
            Components::AnyFloats if scalar.is_float() => scalar,
            Components::Floats if scalar.is_float() && scalar != Scalar::Double => scalar,
            Components::Halves if scalar == Scalar::Half => scalar,
            Components::Float | Components::Floats | Components::AnyFloats | Components::Halves => {
                Scalar::Float
            }
            Components::Double => Scalar::Double,
            Components::Integer if scalar.is_integer() && !scalar.is_unsigned() => Scalar::Int,
            Components::Uint | Components::Integer => Scalar::Uint,
        }
    }
}

pub(super) const fn float_vector(size: u8) -> Numeric {
    if size == 1 { Numeric::scalar(Scalar::Float) } else { Numeric::vector(Scalar::Float, size) }
}

const fn floats(size: u8) -> Slot {
    Slot::In(float_vector(size))
}

const fn out_floats(size: u8) -> Slot {
    Slot::Out(float_vector(size))
}

const UINT: Numeric = Numeric::scalar(Scalar::Uint);
const UINT2: Numeric = Numeric::vector(Scalar::Uint, 2);
const UINT4: Numeric = Numeric::vector(Scalar::Uint, 4);
const INT: Numeric = Numeric::scalar(Scalar::Int);

/// Returns the rule of a function that works on floating-point components.
const fn floating(arguments: usize) -> Rule {
    Rule::Each(arguments, Components::Floats, None)
}

pub(super) fn rule(which: Intrinsic) -> Rule {
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
        I::Rcp | I::Saturate => Rule::Each(1, Components::AnyFloats, None),
        I::Fma => Rule::Each(3, Components::Double, None),
        I::Abs => Rule::Each(1, Components::Any, None),
        I::Max | I::Min => Rule::Each(2, Components::Any, None),
        I::Clamp | I::Mad => Rule::Each(3, Components::Any, None),
        I::Sign => Rule::Each(1, Components::Any, Some(Scalar::Int)),
        I::IsFinite | I::IsInf | I::IsNan => Rule::Each(1, Components::Floats, Some(Scalar::Bool)),
        I::CountBits | I::FirstBitLow | I::ReverseBits => Rule::Each(1, Components::Uint, None),
        I::FirstBitHigh => Rule::Each(1, Components::Integer, Some(Scalar::Uint)),
        I::F16ToF32 => Rule::Each(1, Components::Uint, Some(Scalar::Float)),
        I::F32ToF16 => Rule::Each(1, Components::Float, Some(Scalar::Uint)),
        I::AsDouble => Rule::Each(2, Components::Uint, Some(Scalar::Double)),
        I::Dot => Rule::Vectors(2, Components::Any, Vectors::Scalar),
        I::Distance => Rule::Vectors(2, Components::Floats, Vectors::Scalar),
        I::Length | I::Noise => Rule::Vectors(1, Components::Floats, Vectors::Scalar),
        I::Normalize => Rule::Vectors(1, Components::Floats, Vectors::Same),
        I::Reflect => Rule::Vectors(2, Components::Floats, Vectors::Same),
        I::FaceForward => Rule::Vectors(3, Components::Floats, Vectors::Same),
        I::Msad4 => Rule::Fixed(const { &[Slot::In(UINT), Slot::In(UINT2), Slot::In(UINT4)] }, Some(UINT4)),
        // As FXC has it, a vector of one component.
        I::GetRenderTargetSampleCount => Rule::Fixed(&[], Some(Numeric::vector(Scalar::Uint, 1))),
        I::GetRenderTargetSamplePosition => Rule::Fixed(const { &[Slot::In(INT)] }, Some(float_vector(2))),
        I::CheckAccessFullyMapped => {
            Rule::Fixed(const { &[Slot::In(UINT)] }, Some(Numeric::scalar(Scalar::Bool)))
        }
        I::Abort
        | I::AllMemoryBarrier
        | I::AllMemoryBarrierWithGroupSync
        | I::DeviceMemoryBarrier
        | I::DeviceMemoryBarrierWithGroupSync
        | I::GroupMemoryBarrier
        | I::GroupMemoryBarrierWithGroupSync => Rule::Fixed(&[], None),
        I::Process2DQuadTessFactorsAvg | I::Process2DQuadTessFactorsMax | I::Process2DQuadTessFactorsMin => {
            Rule::Fixed(const { &[floats(4), floats(2), out_floats(4), out_floats(2), out_floats(2)] }, None)
        }
        I::ProcessQuadTessFactorsAvg | I::ProcessQuadTessFactorsMax | I::ProcessQuadTessFactorsMin => {
            Rule::Fixed(const { &[floats(4), floats(1), out_floats(4), out_floats(2), out_floats(2)] }, None)
        }
        I::ProcessTriTessFactorsAvg | I::ProcessTriTessFactorsMax | I::ProcessTriTessFactorsMin => {
            Rule::Fixed(const { &[floats(3), floats(1), out_floats(3), out_floats(1), out_floats(1)] }, None)
        }
        I::ProcessIsolineTessFactors => {
            Rule::Fixed(const { &[floats(1), floats(1), out_floats(1), out_floats(1)] }, None)
        }
        I::InterlockedAdd
        | I::InterlockedAnd
        | I::InterlockedMax
        | I::InterlockedMin
        | I::InterlockedOr
        | I::InterlockedXor => Rule::Interlocked { values: 1, before: Before::Maybe },
        I::InterlockedExchange => Rule::Interlocked { values: 1, before: Before::Always },
        I::InterlockedCompareExchange => Rule::Interlocked { values: 2, before: Before::Always },
        I::InterlockedCompareStore => Rule::Interlocked { values: 2, before: Before::Never },
        I::Tex1D => Rule::Legacy { place: 1, gradients: Some(1) },
        I::Tex2D => Rule::Legacy { place: 2, gradients: Some(2) },
        I::Tex3D | I::TexCube => Rule::Legacy { place: 3, gradients: Some(3) },
        I::Tex1DGrad => Rule::Legacy { place: 1, gradients: Some(1) },
        I::Tex2DGrad => Rule::Legacy { place: 2, gradients: Some(2) },
        I::Tex3DGrad | I::TexCubeGrad => Rule::Legacy { place: 3, gradients: Some(3) },
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
        | I::TexCubeProj => Rule::Legacy { place: 4, gradients: None },
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
        | I::Transpose => Rule::Special,
    }
}

impl Numeric {
    /// Returns whether this is the shape of a scalar or a vector with `size` components, at most 4.
    pub(super) fn is_scalar_or_vector_of(self, size: u8) -> bool {
        match self.shape {
            Shape::Scalar => true,
            Shape::Vector(components) => components == size,
            Shape::Matrix { .. } => false,
        }
    }
}
