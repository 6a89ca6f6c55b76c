//! The attributes of hull and domain shaders, and the tessellator's settings that they declare.

use crate::check::tree::{Attribute, AttributeValue, Function};

/// Upper limit of tessellation factors, which is also the default of `maxtessfactor`.
const MOST_TESS_FACTOR: f32 = 64.0;

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
    /// An edge has an odd number of segments, and two of them grow with the factor
    /// (`D3D_TESSELLATOR_PARTITIONING_FRACTIONAL_ODD`).
    FractionalOdd,
    /// An edge has an even number of segments, and two of them grow with the factor
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

const DOMAINS: [(&str, TessellatorDomain); 3] = [
    ("isoline", TessellatorDomain::Isoline),
    ("tri", TessellatorDomain::Triangle),
    ("quad", TessellatorDomain::Quad),
];

const PARTITIONINGS: [(&str, TessellatorPartitioning); 4] = [
    ("integer", TessellatorPartitioning::Integer),
    ("pow2", TessellatorPartitioning::Pow2),
    ("fractional_odd", TessellatorPartitioning::FractionalOdd),
    ("fractional_even", TessellatorPartitioning::FractionalEven),
];

const OUTPUTS: [(&str, TessellatorOutput); 4] = [
    ("point", TessellatorOutput::Point),
    ("line", TessellatorOutput::Line),
    ("triangle_cw", TessellatorOutput::TriangleCw),
    ("triangle_ccw", TessellatorOutput::TriangleCcw),
];

/// Returns the value of the attribute `domain`.
pub(crate) fn domain(function: &Function) -> Option<TessellatorDomain> {
    word(function.attribute("domain")?, &DOMAINS)
}

/// Returns the value of the attribute `partitioning`.
pub(crate) fn partitioning(function: &Function) -> Option<TessellatorPartitioning> {
    word(function.attribute("partitioning")?, &PARTITIONINGS)
}

/// Returns the value of the attribute `outputtopology`.
pub(crate) fn output(function: &Function) -> Option<TessellatorOutput> {
    word(function.attribute("outputtopology")?, &OUTPUTS)
}

/// Returns the value of the attribute `outputcontrolpoints`.
pub(crate) fn output_points(function: &Function) -> Option<u32> {
    match &function.attribute("outputcontrolpoints")?.arguments[..] {
        [AttributeValue::Constant(constant)] => u32::try_from(constant.as_integer()?).ok(),
        _ => None,
    }
}

/// Returns the value of the attribute `maxtessfactor`, limited to the valid range.
pub(crate) fn max_factor(function: &Function) -> f32 {
    let constant = match function.attribute("maxtessfactor").map(|attribute| &attribute.arguments[..]) {
        Some([AttributeValue::Constant(constant)]) => constant.as_float(),
        _ => None,
    };
    match constant {
        Some(factor) if factor >= 1.0 => (factor as f32).min(MOST_TESS_FACTOR),
        Some(_) => 1.0,
        None => MOST_TESS_FACTOR,
    }
}

fn word<T: Copy>(attribute: &Attribute, words: &[(&str, T)]) -> Option<T> {
    let [AttributeValue::Text(text)] = &attribute.arguments[..] else { return None };
    words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| *value)
}
