macro_rules! intrinsics {
    ($($name:ident $text:literal,)*) => {
        /// An intrinsic function.
        ///
        /// In the tree, its arguments are already converted to the types of its declaration:
        ///
        /// * If a function works component by component, all arguments and the result have the same type. The
        ///   results of `sign`, `isnan`, `asuint` and similar functions have the same shape but another
        ///   scalar type, and `bool` arguments are converted to `int` or `float`.
        /// * `dot` and similar functions take scalars, or vectors of the same type, but the last argument of
        ///   `refract` is always a scalar.
        /// * `mul` is an intrinsic call only if one operand is a matrix, and then the sizes match and the
        ///   scalar types are equal. Other products are [`super::ExprKind::Binary`] nodes and calls of `dot`.
        /// * An `out` argument is assignable, and may have any type with as many components as the value that
        ///   is assigned to it. The result of `sincos` and similar functions has the type of the first
        ///   argument.
        /// * The first argument of `Interlocked…` is an `int` or a `uint` in a buffer, in a texture or in
        ///   `groupshared` memory. The values have the same type, and the `out` argument follows the rule
        ///   above.
        /// * A call of `tex2D` with four arguments becomes a call of `tex2Dgrad`, whose first argument is a
        ///   sampler.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Intrinsic {
            $($name,)*
        }

        impl Intrinsic {
            pub(crate) const ALL: &[Intrinsic] = &[$(Intrinsic::$name,)*];

            pub(crate) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Intrinsic::$name),)*
                    _ => None,
                }
            }

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$name => $text,)*
                }
            }
        }
    };
}

intrinsics! {
    Abort "abort",
    Abs "abs",
    Acos "acos",
    All "all",
    AllMemoryBarrier "AllMemoryBarrier",
    AllMemoryBarrierWithGroupSync "AllMemoryBarrierWithGroupSync",
    Any "any",
    AsDouble "asdouble",
    AsFloat "asfloat",
    Asin "asin",
    AsInt "asint",
    AsUint "asuint",
    Atan "atan",
    Atan2 "atan2",
    Ceil "ceil",
    CheckAccessFullyMapped "CheckAccessFullyMapped",
    Clamp "clamp",
    Clip "clip",
    Cos "cos",
    Cosh "cosh",
    CountBits "countbits",
    Cross "cross",
    D3dColorToUbyte4 "D3DCOLORtoUBYTE4",
    Ddx "ddx",
    DdxCoarse "ddx_coarse",
    DdxFine "ddx_fine",
    Ddy "ddy",
    DdyCoarse "ddy_coarse",
    DdyFine "ddy_fine",
    Degrees "degrees",
    Determinant "determinant",
    DeviceMemoryBarrier "DeviceMemoryBarrier",
    DeviceMemoryBarrierWithGroupSync "DeviceMemoryBarrierWithGroupSync",
    Distance "distance",
    Dot "dot",
    Dst "dst",
    Errorf "errorf",
    EvaluateAttributeAtCentroid "EvaluateAttributeAtCentroid",
    EvaluateAttributeAtSample "EvaluateAttributeAtSample",
    EvaluateAttributeSnapped "EvaluateAttributeSnapped",
    Exp "exp",
    Exp2 "exp2",
    F16ToF32 "f16tof32",
    F32ToF16 "f32tof16",
    FaceForward "faceforward",
    FirstBitHigh "firstbithigh",
    FirstBitLow "firstbitlow",
    Floor "floor",
    Fma "fma",
    Fmod "fmod",
    Frac "frac",
    Frexp "frexp",
    Fwidth "fwidth",
    GetRenderTargetSampleCount "GetRenderTargetSampleCount",
    GetRenderTargetSamplePosition "GetRenderTargetSamplePosition",
    GroupMemoryBarrier "GroupMemoryBarrier",
    GroupMemoryBarrierWithGroupSync "GroupMemoryBarrierWithGroupSync",
    InterlockedAdd "InterlockedAdd",
    InterlockedAnd "InterlockedAnd",
    InterlockedCompareExchange "InterlockedCompareExchange",
    InterlockedCompareStore "InterlockedCompareStore",
    InterlockedExchange "InterlockedExchange",
    InterlockedMax "InterlockedMax",
    InterlockedMin "InterlockedMin",
    InterlockedOr "InterlockedOr",
    InterlockedXor "InterlockedXor",
    IsFinite "isfinite",
    IsInf "isinf",
    IsNan "isnan",
    Ldexp "ldexp",
    Length "length",
    Lerp "lerp",
    Lit "lit",
    Log "log",
    Log10 "log10",
    Log2 "log2",
    Mad "mad",
    Max "max",
    Min "min",
    Modf "modf",
    Msad4 "msad4",
    Mul "mul",
    Noise "noise",
    Normalize "normalize",
    Pow "pow",
    Printf "printf",
    Process2DQuadTessFactorsAvg "Process2DQuadTessFactorsAvg",
    Process2DQuadTessFactorsMax "Process2DQuadTessFactorsMax",
    Process2DQuadTessFactorsMin "Process2DQuadTessFactorsMin",
    ProcessIsolineTessFactors "ProcessIsolineTessFactors",
    ProcessQuadTessFactorsAvg "ProcessQuadTessFactorsAvg",
    ProcessQuadTessFactorsMax "ProcessQuadTessFactorsMax",
    ProcessQuadTessFactorsMin "ProcessQuadTessFactorsMin",
    ProcessTriTessFactorsAvg "ProcessTriTessFactorsAvg",
    ProcessTriTessFactorsMax "ProcessTriTessFactorsMax",
    ProcessTriTessFactorsMin "ProcessTriTessFactorsMin",
    Radians "radians",
    Rcp "rcp",
    Reflect "reflect",
    Refract "refract",
    ReverseBits "reversebits",
    Round "round",
    Rsqrt "rsqrt",
    Saturate "saturate",
    Sign "sign",
    Sin "sin",
    Sincos "sincos",
    Sinh "sinh",
    SmoothStep "smoothstep",
    Sqrt "sqrt",
    Step "step",
    Tan "tan",
    Tanh "tanh",
    Tex1D "tex1D",
    Tex1DBias "tex1Dbias",
    Tex1DGrad "tex1Dgrad",
    Tex1DLod "tex1Dlod",
    Tex1DProj "tex1Dproj",
    Tex2D "tex2D",
    Tex2DBias "tex2Dbias",
    Tex2DGrad "tex2Dgrad",
    Tex2DLod "tex2Dlod",
    Tex2DProj "tex2Dproj",
    Tex3D "tex3D",
    Tex3DBias "tex3Dbias",
    Tex3DGrad "tex3Dgrad",
    Tex3DLod "tex3Dlod",
    Tex3DProj "tex3Dproj",
    TexCube "texCUBE",
    TexCubeBias "texCUBEbias",
    TexCubeGrad "texCUBEgrad",
    TexCubeLod "texCUBElod",
    TexCubeProj "texCUBEproj",
    Transpose "transpose",
    Trunc "trunc",
}
