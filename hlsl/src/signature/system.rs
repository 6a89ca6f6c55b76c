//! System values: semantics that mean something to the pipeline.

use crate::profile::ShaderStage::{self, Compute, Domain, Geometry, Hull, Pixel, Vertex};

/// What a semantic means to the pipeline.
///
/// D3D11: `D3D_NAME`.
#[doc(alias = "D3D_NAME")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SystemValue {
    /// Nothing: stages hand the value on. `D3D_NAME_UNDEFINED`.
    Undefined,
    /// `SV_Position`.
    Position,
    /// `SV_ClipDistance`.
    ClipDistance,
    /// `SV_CullDistance`.
    CullDistance,
    /// `SV_RenderTargetArrayIndex`.
    RenderTargetArrayIndex,
    /// `SV_ViewportArrayIndex`.
    ViewportArrayIndex,
    /// `SV_VertexID`.
    VertexId,
    /// `SV_InstanceID`.
    InstanceId,
    /// `SV_PrimitiveID`.
    PrimitiveId,
    /// `SV_IsFrontFace`.
    IsFrontFace,
    /// `SV_SampleIndex`.
    SampleIndex,
    /// `SV_Coverage`.
    Coverage,
    /// `SV_InnerCoverage`.
    InnerCoverage,
    /// `SV_Target`.
    Target,
    /// `SV_Depth`.
    Depth,
    /// `SV_DepthGreaterEqual`.
    DepthGreaterEqual,
    /// `SV_DepthLessEqual`.
    DepthLessEqual,
    /// `SV_StencilRef`.
    StencilRef,
    /// `SV_DispatchThreadID`.
    DispatchThreadId,
    /// `SV_GroupID`.
    GroupId,
    /// `SV_GroupThreadID`.
    GroupThreadId,
    /// `SV_GroupIndex`.
    GroupIndex,
    /// `SV_GSInstanceID`.
    GeometryInstanceId,
    /// `SV_OutputControlPointID`.
    OutputControlPointId,
    /// `SV_DomainLocation`.
    DomainLocation,
    /// `SV_TessFactor`.
    TessFactor,
    /// `SV_InsideTessFactor`.
    InsideTessFactor,
}

impl SystemValue {
    /// Whether a stage cannot have both, whatever the names and indices of their semantics are.
    pub(super) fn excludes(self, other: Self) -> bool {
        use SystemValue as S;

        match self {
            S::Undefined
            | S::ClipDistance
            | S::CullDistance
            | S::Target
            | S::TessFactor
            | S::InsideTessFactor => false,
            S::Depth | S::DepthGreaterEqual | S::DepthLessEqual => {
                matches!(other, S::Depth | S::DepthGreaterEqual | S::DepthLessEqual)
            }
            _ => self == other,
        }
    }
}

/// Names in lower case, what they mean, and the stages whose inputs and whose outputs have them.
const TABLE: &[(&str, SystemValue, &[ShaderStage], &[ShaderStage])] = &[
    (
        "sv_position",
        SystemValue::Position,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "sv_clipdistance",
        SystemValue::ClipDistance,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "sv_culldistance",
        SystemValue::CullDistance,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "sv_rendertargetarrayindex",
        SystemValue::RenderTargetArrayIndex,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "sv_viewportarrayindex",
        SystemValue::ViewportArrayIndex,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    ("sv_vertexid", SystemValue::VertexId, &[Vertex], &[]),
    ("sv_instanceid", SystemValue::InstanceId, &[Vertex], &[]),
    ("sv_primitiveid", SystemValue::PrimitiveId, &[Hull, Domain, Geometry, Pixel], &[Geometry]),
    ("sv_isfrontface", SystemValue::IsFrontFace, &[Pixel], &[Geometry]),
    ("sv_sampleindex", SystemValue::SampleIndex, &[Pixel], &[]),
    ("sv_coverage", SystemValue::Coverage, &[Pixel], &[Pixel]),
    ("sv_innercoverage", SystemValue::InnerCoverage, &[Pixel], &[]),
    ("sv_target", SystemValue::Target, &[], &[Pixel]),
    ("sv_depth", SystemValue::Depth, &[], &[Pixel]),
    ("sv_depthgreaterequal", SystemValue::DepthGreaterEqual, &[], &[Pixel]),
    ("sv_depthlessequal", SystemValue::DepthLessEqual, &[], &[Pixel]),
    ("sv_stencilref", SystemValue::StencilRef, &[], &[Pixel]),
    ("sv_dispatchthreadid", SystemValue::DispatchThreadId, &[Compute], &[]),
    ("sv_groupid", SystemValue::GroupId, &[Compute], &[]),
    ("sv_groupthreadid", SystemValue::GroupThreadId, &[Compute], &[]),
    ("sv_groupindex", SystemValue::GroupIndex, &[Compute], &[]),
    ("sv_gsinstanceid", SystemValue::GeometryInstanceId, &[Geometry], &[]),
    ("sv_outputcontrolpointid", SystemValue::OutputControlPointId, &[Hull], &[]),
    ("sv_domainlocation", SystemValue::DomainLocation, &[Domain], &[]),
    ("sv_tessfactor", SystemValue::TessFactor, &[Domain], &[Hull]),
    ("sv_insidetessfactor", SystemValue::InsideTessFactor, &[Domain], &[Hull]),
];

/// Names of Direct3D 9, which mean system values under backwards compatibility.
const LEGACY: &[(&str, &str, &[ShaderStage], &[ShaderStage])] = &[
    ("position", "sv_position", &[Pixel], &[Vertex, Geometry, Domain]),
    ("vpos", "sv_position", &[Pixel], &[]),
    ("vface", "sv_isfrontface", &[Pixel], &[]),
    ("color", "sv_target", &[], &[Pixel]),
    ("depth", "sv_depth", &[], &[Pixel]),
];

/// What a semantic means to the inputs or outputs of a stage. `None`: it may not be there.
pub(super) fn system_value(
    stage: ShaderStage,
    output: bool,
    name: &str,
    backwards_compatible: bool,
) -> Option<SystemValue> {
    let name = name.to_ascii_lowercase();
    let fits = |inputs: &[ShaderStage], outputs: &[ShaderStage]| {
        if output { outputs.contains(&stage) } else { inputs.contains(&stage) }
    };
    let mut name = name.as_str();
    if backwards_compatible
        && let Some((_, new, ..)) =
            LEGACY.iter().find(|(old, _, inputs, outputs)| *old == name && fits(inputs, outputs))
    {
        name = new;
    }
    if !name.starts_with("sv_") {
        let only_system = match stage {
            Pixel => output,
            Compute => true,
            _ => false,
        };
        return (!only_system).then_some(SystemValue::Undefined);
    }
    // An input layout finds them like any other.
    if stage == Vertex && !output && name == "sv_position" {
        return Some(SystemValue::Undefined);
    }
    let (_, value, ..) =
        TABLE.iter().find(|(known, _, inputs, outputs)| *known == name && fits(inputs, outputs))?;
    Some(*value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_depends_on_the_stage_and_the_direction() {
        let value = |stage, output, name| system_value(stage, output, name, false);
        assert_eq!(value(Vertex, true, "SV_POSITION"), Some(SystemValue::Position));
        assert_eq!(value(Vertex, false, "SV_Position"), Some(SystemValue::Undefined));
        assert_eq!(value(Pixel, false, "sv_position"), Some(SystemValue::Position));
        assert_eq!(value(Pixel, true, "SV_Position"), None);
        assert_eq!(value(Pixel, true, "SV_Target"), Some(SystemValue::Target));
        assert_eq!(value(Vertex, true, "SV_Target"), None);
        assert_eq!(value(Compute, false, "SV_GroupIndex"), Some(SystemValue::GroupIndex));
        assert_eq!(value(Compute, false, "TEXCOORD"), None);
        assert_eq!(value(Pixel, true, "TEXCOORD"), None);
        assert_eq!(value(Vertex, true, "SV_Nothing"), None);
        assert_eq!(value(Pixel, false, "TEXCOORD"), Some(SystemValue::Undefined));
    }

    #[test]
    fn names_of_direct3d_9_need_compatibility() {
        assert_eq!(system_value(Pixel, true, "COLOR", false), None);
        assert_eq!(system_value(Pixel, true, "COLOR", true), Some(SystemValue::Target));
        assert_eq!(system_value(Pixel, false, "COLOR", true), Some(SystemValue::Undefined));
        assert_eq!(system_value(Vertex, true, "POSITION", false), Some(SystemValue::Undefined));
        assert_eq!(system_value(Vertex, true, "Position", true), Some(SystemValue::Position));
    }
}
