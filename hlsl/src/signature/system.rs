//! System values: semantics that mean something to the pipeline.

use crate::profile::ShaderStage::{self, Compute, Domain, Geometry, Hull, Pixel, Vertex};
use crate::session::Session;

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

/// Names, what they mean, and the stages whose inputs and whose outputs have them.
const TABLE: &[(&str, SystemValue, &[ShaderStage], &[ShaderStage])] = &[
    (
        "SV_Position",
        SystemValue::Position,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "SV_ClipDistance",
        SystemValue::ClipDistance,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "SV_CullDistance",
        SystemValue::CullDistance,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "SV_RenderTargetArrayIndex",
        SystemValue::RenderTargetArrayIndex,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    (
        "SV_ViewportArrayIndex",
        SystemValue::ViewportArrayIndex,
        &[Hull, Domain, Geometry, Pixel],
        &[Vertex, Hull, Domain, Geometry],
    ),
    ("SV_VertexID", SystemValue::VertexId, &[Vertex], &[]),
    ("SV_InstanceID", SystemValue::InstanceId, &[Vertex], &[]),
    ("SV_PrimitiveID", SystemValue::PrimitiveId, &[Hull, Domain, Geometry, Pixel], &[Geometry]),
    ("SV_IsFrontFace", SystemValue::IsFrontFace, &[Pixel], &[Geometry]),
    ("SV_SampleIndex", SystemValue::SampleIndex, &[Pixel], &[]),
    ("SV_Coverage", SystemValue::Coverage, &[Pixel], &[Pixel]),
    ("SV_InnerCoverage", SystemValue::InnerCoverage, &[Pixel], &[]),
    ("SV_Target", SystemValue::Target, &[], &[Pixel]),
    ("SV_Depth", SystemValue::Depth, &[], &[Pixel]),
    ("SV_DepthGreaterEqual", SystemValue::DepthGreaterEqual, &[], &[Pixel]),
    ("SV_DepthLessEqual", SystemValue::DepthLessEqual, &[], &[Pixel]),
    ("SV_StencilRef", SystemValue::StencilRef, &[], &[Pixel]),
    ("SV_DispatchThreadID", SystemValue::DispatchThreadId, &[Compute], &[]),
    ("SV_GroupID", SystemValue::GroupId, &[Compute], &[]),
    ("SV_GroupThreadID", SystemValue::GroupThreadId, &[Compute], &[]),
    ("SV_GroupIndex", SystemValue::GroupIndex, &[Compute], &[]),
    ("SV_GSInstanceID", SystemValue::GeometryInstanceId, &[Geometry], &[]),
    ("SV_OutputControlPointID", SystemValue::OutputControlPointId, &[Hull], &[]),
    ("SV_DomainLocation", SystemValue::DomainLocation, &[Domain], &[]),
    ("SV_TessFactor", SystemValue::TessFactor, &[Domain], &[Hull]),
    ("SV_InsideTessFactor", SystemValue::InsideTessFactor, &[Domain], &[Hull]),
];

/// Names of Direct3D 9, which mean system values under backwards compatibility.
const LEGACY: &[(&str, &str, &[ShaderStage], &[ShaderStage])] = &[
    ("position", "SV_Position", &[Pixel], &[Vertex, Geometry, Domain]),
    ("vpos", "SV_Position", &[Pixel], &[]),
    ("vface", "SV_IsFrontFace", &[Pixel], &[]),
    ("color", "SV_Target", &[], &[Pixel]),
    ("depth", "SV_Depth", &[], &[Pixel]),
];

/// What a semantic means to the inputs or outputs of a stage. `None`: it may not be there.
pub(super) fn system_value(
    stage: ShaderStage,
    output: bool,
    name: &str,
    backwards_compatible: bool,
) -> Option<SystemValue> {
    let fits = |inputs: &[ShaderStage], outputs: &[ShaderStage]| fits(stage, output, inputs, outputs);
    let name = legacy(stage, output, name).filter(|_| backwards_compatible).unwrap_or(name);
    if !is_system_name(name) {
        let only_system = match stage {
            Pixel => output,
            Compute => true,
            _ => false,
        };
        return (!only_system).then_some(SystemValue::Undefined);
    }
    // An input layout finds them like any other.
    if stage == Vertex && !output && name.eq_ignore_ascii_case("SV_Position") {
        return Some(SystemValue::Undefined);
    }
    let is_it = |known: &str| known.eq_ignore_ascii_case(name);
    let (_, value, ..) =
        TABLE.iter().find(|(known, _, inputs, outputs)| is_it(known) && fits(inputs, outputs))?;
    Some(*value)
}

/// The end of a message about a semantic that may not be there: a system value that is written alike, or that a name of
/// Direct3D 9 means.
pub(super) fn like_semantic(session: &Session, stage: ShaderStage, output: bool, name: &str) -> String {
    if let Some(meant) = legacy(stage, output, name) {
        return format!("; did you mean '{meant}'?");
    }
    let known = TABLE.iter().filter(|(_, _, inputs, outputs)| fits(stage, output, inputs, outputs));
    let known = known.map(|(known, ..)| *known);
    if is_system_name(name) {
        return session.did_you_mean(name, known);
    }
    session.did_you_mean(&format!("SV_{name}"), known)
}

fn is_system_name(name: &str) -> bool {
    name.get(..3).is_some_and(|prefix| prefix.eq_ignore_ascii_case("SV_"))
}

/// The system value that a name of Direct3D 9 means.
fn legacy(stage: ShaderStage, output: bool, name: &str) -> Option<&'static str> {
    let is_it = |old: &str| old.eq_ignore_ascii_case(name);
    let mut rows = LEGACY.iter();
    let found = rows.find(|(old, _, inputs, outputs)| is_it(old) && fits(stage, output, inputs, outputs));
    found.map(|(_, new, ..)| *new)
}

/// Whether a semantic of these stages' inputs and outputs may be there.
fn fits(stage: ShaderStage, output: bool, inputs: &[ShaderStage], outputs: &[ShaderStage]) -> bool {
    if output { outputs.contains(&stage) } else { inputs.contains(&stage) }
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
