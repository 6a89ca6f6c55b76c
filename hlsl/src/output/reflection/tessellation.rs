//! Hull and domain shaders: their patches, and the tessellator's settings.

pub use crate::interface::tessellation::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

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
