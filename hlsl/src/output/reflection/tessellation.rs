//! Hull and domain shaders: their patches, and the tessellator's settings.

/// The patches of a hull shader, and the tessellator's settings that it declares.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct HullReflection {
    /// The number of control points of an input patch, from 1 to 32, or 0 if the shader declares no `InputPatch`
    /// (D3D11: `D3D11_SHADER_DESC::cControlPoints`).
    #[doc(alias = "cControlPoints")]
    pub input_control_points: u32,
    /// The number of control points of an output patch, from 0 to 32 (HLSL: `outputcontrolpoints`).
    pub output_control_points: u32,
    /// The shape that the tessellator divides (D3D11: `TessellatorDomain`).
    pub domain: TessellatorDomain,
    /// The rounding of tessellation factors (D3D11: `HSPartitioning`).
    #[doc(alias = "HSPartitioning")]
    pub partitioning: TessellatorPartitioning,
    /// The primitives that the tessellator generates (D3D11: `HSOutputPrimitive`).
    #[doc(alias = "HSOutputPrimitive")]
    pub output: TessellatorOutput,
    /// The upper limit of all tessellation factors, from 1 to 64 (HLSL: `maxtessfactor`). The default is 64.
    pub max_tess_factor: f32,
}

/// The patches of a domain shader.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DomainReflection {
    /// The shape that the tessellator divides (D3D11: `TessellatorDomain`).
    pub domain: TessellatorDomain,
    /// The number of control points of a patch, from 1 to 32, or `None` if the shader declares no `OutputPatch`
    /// (D3D11: `D3D11_SHADER_DESC::cControlPoints`).
    #[doc(alias = "cControlPoints")]
    pub control_points: Option<u32>,
}

/// The shape that the tessellator divides (D3D11: `D3D_TESSELLATOR_DOMAIN`).
#[doc(alias = "D3D_TESSELLATOR_DOMAIN")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TessellatorDomain {
    /// Parallel lines, declared as `"isoline"` (`D3D_TESSELLATOR_DOMAIN_ISOLINE`).
    Isoline,
    /// A triangle, declared as `"tri"` (`D3D_TESSELLATOR_DOMAIN_TRI`).
    Triangle,
    /// A square, declared as `"quad"` (`D3D_TESSELLATOR_DOMAIN_QUAD`).
    Quad,
}

impl TessellatorDomain {
    /// Returns the number of tessellation factors for edges (HLSL: `SV_TessFactor`).
    pub const fn edge_factors(self) -> u32 {
        match self {
            Self::Isoline => 2,
            Self::Triangle => 3,
            Self::Quad => 4,
        }
    }

    /// Returns the number of tessellation factors for the interior (HLSL: `SV_InsideTessFactor`).
    pub const fn inside_factors(self) -> u32 {
        match self {
            Self::Isoline => 0,
            Self::Triangle => 1,
            Self::Quad => 2,
        }
    }

    /// Returns the number of components of a location (HLSL: `SV_DomainLocation`).
    pub const fn location_components(self) -> u32 {
        match self {
            Self::Isoline | Self::Quad => 2,
            Self::Triangle => 3,
        }
    }
}

/// The rounding of tessellation factors (D3D11: `D3D_TESSELLATOR_PARTITIONING`).
#[doc(alias = "D3D_TESSELLATOR_PARTITIONING")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TessellatorPartitioning {
    /// Factors are rounded up to integers (`D3D_TESSELLATOR_PARTITIONING_INTEGER`).
    Integer,
    /// Factors that `ProcessQuadTessFactorsAvg` and similar functions return are powers of two. The tessellator
    /// itself treats them like integers (`D3D_TESSELLATOR_PARTITIONING_POW2`).
    Pow2,
    /// An edge has an odd number of segments, two of which grow with the factor
    /// (`D3D_TESSELLATOR_PARTITIONING_FRACTIONAL_ODD`).
    FractionalOdd,
    /// An edge has an even number of segments, two of which grow with the factor
    /// (`D3D_TESSELLATOR_PARTITIONING_FRACTIONAL_EVEN`).
    FractionalEven,
}

/// The primitives that the tessellator generates (D3D11: `D3D_TESSELLATOR_OUTPUT_PRIMITIVE`).
#[doc(alias = "D3D_TESSELLATOR_OUTPUT_PRIMITIVE")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TessellatorOutput {
    /// Points (`D3D_TESSELLATOR_OUTPUT_POINT`).
    Point,
    /// Lines, for isolines only (`D3D_TESSELLATOR_OUTPUT_LINE`).
    Line,
    /// Triangles with clockwise vertices (`D3D_TESSELLATOR_OUTPUT_TRIANGLE_CW`).
    TriangleCw,
    /// Triangles with counter-clockwise vertices (`D3D_TESSELLATOR_OUTPUT_TRIANGLE_CCW`).
    TriangleCcw,
}
