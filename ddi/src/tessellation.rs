//! Tessellation: the programs of hull and domain shaders, and the three choices that a hull shader makes for the
//! tessellator between them.
//!
//! A hull shader computes the output control points of a patch, then its *patch constants*, among them the factors that
//! say how finely the patch is divided. The fixed-function tessellator divides the patch's domain, a triangle, a square
//! or a set of lines. The domain shader computes a vertex for each point of the division.
//!
//! ```
//! use onze_ddi::TessellatorDomain;
//!
//! assert_eq!(TessellatorDomain::Triangle.edge_factors(), 3);
//! assert_eq!(TessellatorDomain::Quad.inside_factors(), 2);
//! ```

use naga::{Function, Handle};

use crate::shader::{ShaderInput, ShaderOutput};

/// Maximum number of control points of a patch (D3D11: `D3D11_IA_PATCH_MAX_CONTROL_POINT_COUNT`).
#[doc(alias = "D3D11_IA_PATCH_MAX_CONTROL_POINT_COUNT")]
pub const MAX_CONTROL_POINTS: u32 = 32;

/// Maximum tessellation factor (D3D11: `D3D11_HS_MAXTESSFACTOR_UPPER_BOUND`).
#[doc(alias = "D3D11_HS_MAXTESSFACTOR_UPPER_BOUND")]
pub const MAX_TESS_FACTOR: f32 = 64.0;

/// The shape that the tessellator divides (D3D11: `D3D_TESSELLATOR_DOMAIN`; HLSL: `domain`).
#[doc(alias = "D3D_TESSELLATOR_DOMAIN")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TessellatorDomain {
    /// Parallel lines.
    Isoline = 1,
    /// A triangle, with barycentric coordinates.
    Triangle = 2,
    /// A square.
    Quad = 3,
}

impl TessellatorDomain {
    /// Number of factors for the edges: `SV_TessFactor`. Isolines have the number of lines and the number of segments
    /// of each line.
    pub const fn edge_factors(self) -> u32 {
        match self {
            Self::Isoline => 2,
            Self::Triangle => 3,
            Self::Quad => 4,
        }
    }

    /// Number of factors for the inside: `SV_InsideTessFactor`.
    pub const fn inside_factors(self) -> u32 {
        match self {
            Self::Isoline => 0,
            Self::Triangle => 1,
            Self::Quad => 2,
        }
    }

    /// Number of components of `SV_DomainLocation`.
    pub const fn location_components(self) -> u32 {
        match self {
            Self::Triangle => 3,
            Self::Isoline | Self::Quad => 2,
        }
    }
}

/// How the tessellator rounds factors and places points on edges (D3D11: `D3D_TESSELLATOR_PARTITIONING`; HLSL:
/// `partitioning`).
#[doc(alias = "D3D_TESSELLATOR_PARTITIONING")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TessellatorPartitioning {
    /// Factors are rounded up to whole numbers.
    Integer = 1,
    /// The same as [`TessellatorPartitioning::Integer`], because only the hull shader itself rounds to powers of two
    /// (Direct3D 11.3 functional specification, 11.7.7.1).
    Pow2 = 2,
    /// An odd number of segments, two of which grow with the factor.
    FractionalOdd = 3,
    /// An even number of segments, two of which grow with the factor.
    FractionalEven = 4,
}

/// The primitives that the tessellator generates (D3D11: `D3D_TESSELLATOR_OUTPUT_PRIMITIVE`; HLSL: `outputtopology`).
#[doc(alias = "D3D_TESSELLATOR_OUTPUT_PRIMITIVE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TessellatorOutput {
    /// Each point of the division once.
    Point = 1,
    /// Lines, for isolines only.
    Line = 2,
    /// Triangles whose vertices are in clockwise order.
    TriangleCw = 3,
    /// Triangles whose vertices are in counter-clockwise order.
    TriangleCcw = 4,
}

/// A hull shader: functions of the module that compute the control points and the constants of a patch.
///
/// The module's only entry point is a compute shader that calls them, so that the module can be validated. The
/// functions that return points of the patch return zeros. A driver replaces their bodies.
///
/// [`ShaderReflection::inputs`](crate::ShaderReflection::inputs) are the elements of input control points, and
/// [`ShaderReflection::outputs`](crate::ShaderReflection::outputs) are those of output control points.
#[derive(Clone, Debug, PartialEq)]
pub struct HullProgram {
    /// The program's name in the source.
    pub name: String,
    /// Number of control points of an input patch, from 1 to 32, or 0 if the shader declares no patch and so accepts any
    /// number.
    pub input_points: u32,
    /// Number of control points of an output patch, from 0 to 32 (HLSL: `outputcontrolpoints`).
    pub output_points: u32,
    /// The shape that the tessellator divides.
    pub domain: TessellatorDomain,
    /// How factors are rounded.
    pub partitioning: TessellatorPartitioning,
    /// The primitives that the tessellator generates.
    pub output: TessellatorOutput,
    /// Upper limit of all factors, from 1 to 64 (HLSL: `maxtessfactor`).
    pub max_tess_factor: f32,
    /// The function that returns an output control point, or `None` if the input control points are the output. Its
    /// arguments are the index of the point (`SV_OutputControlPointID`) and the number of the patch in the instance of
    /// the draw (`SV_PrimitiveID`), both `u32`. The result is a structure with the members of the outputs and, if the
    /// shader writes it, the position.
    pub control_point: Option<Handle<Function>>,
    /// The function that returns the patch constants. Its argument is the number of the patch as `u32`. The result is a
    /// structure that begins with the factors, each an `f32` without a binding: first those of the edges, then those
    /// of the inside. The members of `patch_outputs` follow.
    pub patch_constants: Handle<Function>,
    /// The function that returns an input control point, given its index as `u32`, or `None` if no function of the
    /// shader reads one. The result is a structure with the members of the inputs and, if the shader reads it, the
    /// position.
    pub input_point: Option<Handle<Function>>,
    /// The function that returns an output control point to `patch_constants`, given its index as `u32`, or `None` if
    /// the shader reads none. The result is a structure as that of `control_point`, perhaps with fewer members.
    pub output_point: Option<Handle<Function>>,
    /// The patch constants other than factors, by location.
    pub patch_outputs: Vec<ShaderOutput>,
}

/// A domain shader: a function of the module, and the functions through which it reads the patch.
///
/// The module's only entry point is a compute shader that calls `function`, so that the module can be validated. The
/// functions that return parts of the patch return zeros. A driver replaces their bodies.
///
/// [`ShaderReflection::inputs`](crate::ShaderReflection::inputs) are the elements of control points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainProgram {
    /// The program's name in the source.
    pub name: String,
    /// The shape that the tessellator divides.
    pub domain: TessellatorDomain,
    /// Number of control points that the shader declares, from 0 to 32, or `None` if it declares no patch and so accepts
    /// any number.
    pub points: Option<u32>,
    /// The function of the shader. Its arguments are the location in the domain (`SV_DomainLocation`), a `vec3<f32>`
    /// whose last component is 0 unless the domain is a triangle, and the number of the patch in the instance of the
    /// draw (`SV_PrimitiveID`), a `u32`. The result is that of a vertex shader with the same outputs, with bindings.
    pub function: Handle<Function>,
    /// The function that returns a control point, given its index as `u32`, or `None` if the shader reads none. The
    /// result is a structure with the members of the inputs and, if the shader reads it, the position.
    pub point: Option<Handle<Function>>,
    /// The function that returns the patch constants, without arguments, or `None` if the shader reads none. The result
    /// is a structure that begins with all factors, as that of [`HullProgram::patch_constants`]. The members of
    /// `patch_inputs` follow.
    pub constants: Option<Handle<Function>>,
    /// The patch constants other than factors, by location.
    pub patch_inputs: Vec<ShaderInput>,
    /// Whether the vertices have a position: `SV_Position`.
    pub has_position: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_domain_has_its_factors_and_coordinates() {
        use TessellatorDomain as D;
        for (domain, edges, inside, components) in
            [(D::Isoline, 2, 0, 2), (D::Triangle, 3, 1, 3), (D::Quad, 4, 2, 2)]
        {
            assert_eq!(domain.edge_factors(), edges);
            assert_eq!(domain.inside_factors(), inside);
            assert_eq!(domain.location_components(), components);
        }
    }
}
