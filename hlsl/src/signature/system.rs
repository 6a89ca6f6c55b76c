//! System values, the semantics with a meaning to the pipeline.

use self::SignaturePoint::{
    ComputeInput, DomainInput, DomainOutput, DomainPointInput, GeometryInput, GeometryOutput,
    GeometryVertexInput, HullInput, HullPointInput, HullPointOutput, PatchConstantInput, PatchConstantOutput,
    PixelInput, PixelOutput, VertexInput, VertexOutput,
};
use crate::profile::{ShaderModel, ShaderStage};
use crate::session::Session;

/// The meaning of a semantic to the pipeline, which D3D11 calls `D3D_NAME`.
#[doc(alias = "D3D_NAME")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SystemValue {
    /// No special meaning, so that the value is passed from stage to stage (`D3D_NAME_UNDEFINED`).
    Undefined,
    /// The position of a vertex in clip space, or of a pixel in its target (`SV_Position`).
    Position,
    /// Distances of a vertex that clip primitives where they are negative (`SV_ClipDistance`).
    ClipDistance,
    /// Distances that cull a primitive if they are negative at all of its vertices (`SV_CullDistance`).
    CullDistance,
    /// The array slice of the targets that a primitive is drawn to (`SV_RenderTargetArrayIndex`).
    RenderTargetArrayIndex,
    /// The index of the viewport that a primitive is drawn to (`SV_ViewportArrayIndex`).
    ViewportArrayIndex,
    /// The index of a vertex within a draw, which the input assembler counts (`SV_VertexID`).
    VertexId,
    /// The index of an instance within a draw, which the input assembler counts (`SV_InstanceID`).
    InstanceId,
    /// The index of a primitive or a patch within a draw (`SV_PrimitiveID`).
    PrimitiveId,
    /// Whether a pixel belongs to the front of a triangle (`SV_IsFrontFace`).
    IsFrontFace,
    /// The index of the sample that a pixel shader runs for (`SV_SampleIndex`).
    SampleIndex,
    /// The mask of the samples that a pixel shader covers or writes (`SV_Coverage`).
    Coverage,
    /// Whether a primitive covers a pixel completely, not only some of its samples (`SV_InnerCoverage`).
    InnerCoverage,
    /// A value that a pixel shader writes to a render target (`SV_Target`).
    Target,
    /// The depth that a pixel shader writes instead of the interpolated one (`SV_Depth`).
    Depth,
    /// A written depth that is never less than the interpolated one (`SV_DepthGreaterEqual`).
    DepthGreaterEqual,
    /// A written depth that is never greater than the interpolated one (`SV_DepthLessEqual`).
    DepthLessEqual,
    /// The stencil reference value that a pixel shader writes (`SV_StencilRef`).
    StencilRef,
    /// The index of a thread within a whole dispatch (`SV_DispatchThreadID`).
    DispatchThreadId,
    /// The index of a thread group within a dispatch (`SV_GroupID`).
    GroupId,
    /// The index of a thread within its group, in three dimensions (`SV_GroupThreadID`).
    GroupThreadId,
    /// The index of a thread within its group as a single number (`SV_GroupIndex`).
    GroupIndex,
    /// The index of an instance of a geometry shader with the attribute `instance` (`SV_GSInstanceID`).
    GeometryInstanceId,
    /// The index of the control point that a hull shader writes (`SV_OutputControlPointID`).
    OutputControlPointId,
    /// The place within a patch that a domain shader computes (`SV_DomainLocation`).
    DomainLocation,
    /// The tessellation factors for the edges of a patch (`SV_TessFactor`).
    TessFactor,
    /// The tessellation factors for the inside of a patch (`SV_InsideTessFactor`).
    InsideTessFactor,
}

impl SystemValue {
    /// Returns whether a stage cannot have both values, whatever the names and indices of their semantics
    /// are.
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

/// One direction of a stage's signature, where each row of the table lists the points that may have a
/// semantic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SignaturePoint {
    VertexInput,
    VertexOutput,
    /// A parameter of a hull shader's main function, except for its patch.
    HullInput,
    /// The control points that a hull shader reads, as elements of its patch.
    HullPointInput,
    /// The control points that a hull shader writes, one for each invocation.
    HullPointOutput,
    PatchConstantInput,
    PatchConstantOutput,
    DomainInput,
    /// The control points that a domain shader reads, as elements of its patch.
    DomainPointInput,
    DomainOutput,
    GeometryVertexInput,
    /// A parameter of a geometry shader, except for its primitive and its streams.
    GeometryInput,
    GeometryOutput,
    PixelInput,
    PixelOutput,
    ComputeInput,
    /// Compute shaders have no outputs, so no semantic is valid here.
    ComputeOutput,
}

impl SignaturePoint {
    /// Returns the point of the parameters, or of the results, that are not vertices, control points or
    /// streams.
    pub(super) fn of(stage: ShaderStage, output: bool) -> SignaturePoint {
        match (stage, output) {
            (ShaderStage::Vertex, false) => VertexInput,
            (ShaderStage::Vertex, true) => VertexOutput,
            (ShaderStage::Hull, false) => HullInput,
            (ShaderStage::Hull, true) => HullPointOutput,
            (ShaderStage::Domain, false) => DomainInput,
            (ShaderStage::Domain, true) => DomainOutput,
            (ShaderStage::Geometry, false) => GeometryInput,
            (ShaderStage::Geometry, true) => GeometryOutput,
            (ShaderStage::Pixel, false) => PixelInput,
            (ShaderStage::Pixel, true) => PixelOutput,
            (ShaderStage::Compute, false) => ComputeInput,
            (ShaderStage::Compute, true) => Self::ComputeOutput,
        }
    }

    /// Returns whether several elements can share a register at this point.
    pub(super) fn shares_registers(self) -> bool {
        !matches!(self, VertexInput | PixelOutput)
    }
}

/// The points between two stages, where vertices are passed on.
const VERTICES: &[SignaturePoint] = &[
    VertexOutput,
    HullPointInput,
    HullPointOutput,
    DomainPointInput,
    DomainOutput,
    GeometryVertexInput,
    GeometryOutput,
    PixelInput,
];

/// The points with arbitrary values that are not vertices between stages.
const BESIDE_VERTICES: &[SignaturePoint] = &[VertexInput, PatchConstantOutput, DomainInput];

struct SystemValueRow {
    name: &'static str,
    value: SystemValue,
    model: ShaderModel,
    /// The points where the value has its meaning to the pipeline, whereas at the points in `arbitrary` it is
    /// passed on like any other value.
    system: &'static [SignaturePoint],
    arbitrary: &'static [SignaturePoint],
}

impl SystemValueRow {
    const fn new(
        name: &'static str,
        value: SystemValue,
        system: &'static [SignaturePoint],
    ) -> SystemValueRow {
        SystemValueRow { name, value, model: ShaderModel::V4_0, system, arbitrary: &[] }
    }

    const fn from(self, model: ShaderModel) -> SystemValueRow {
        SystemValueRow { model, ..self }
    }

    const fn arbitrary(self, arbitrary: &'static [SignaturePoint]) -> SystemValueRow {
        SystemValueRow { arbitrary, ..self }
    }
}

/// All system values, where a name has several rows if its shader model depends on the point.
const TABLE: &[SystemValueRow] = &[
    SystemValueRow::new("SV_Position", SystemValue::Position, VERTICES).arbitrary(BESIDE_VERTICES),
    SystemValueRow::new("SV_ClipDistance", SystemValue::ClipDistance, VERTICES).arbitrary(BESIDE_VERTICES),
    SystemValueRow::new("SV_CullDistance", SystemValue::CullDistance, VERTICES).arbitrary(BESIDE_VERTICES),
    SystemValueRow::new("SV_RenderTargetArrayIndex", SystemValue::RenderTargetArrayIndex, VERTICES)
        .arbitrary(BESIDE_VERTICES),
    SystemValueRow::new("SV_ViewportArrayIndex", SystemValue::ViewportArrayIndex, VERTICES)
        .arbitrary(BESIDE_VERTICES),
    SystemValueRow::new("SV_VertexID", SystemValue::VertexId, &[VertexInput]),
    SystemValueRow::new("SV_InstanceID", SystemValue::InstanceId, &[VertexInput]).arbitrary(VERTICES),
    SystemValueRow::new(
        "SV_PrimitiveID",
        SystemValue::PrimitiveId,
        &[HullInput, PatchConstantInput, DomainInput, GeometryInput, GeometryOutput, PixelInput],
    ),
    SystemValueRow::new("SV_IsFrontFace", SystemValue::IsFrontFace, &[GeometryOutput, PixelInput]),
    SystemValueRow::new("SV_SampleIndex", SystemValue::SampleIndex, &[PixelInput]).from(ShaderModel::V4_1),
    SystemValueRow::new("SV_Coverage", SystemValue::Coverage, &[PixelInput]).from(ShaderModel::V5_0),
    SystemValueRow::new("SV_Coverage", SystemValue::Coverage, &[PixelOutput]).from(ShaderModel::V4_1),
    SystemValueRow::new("SV_InnerCoverage", SystemValue::InnerCoverage, &[PixelInput])
        .from(ShaderModel::V5_0),
    SystemValueRow::new("SV_Target", SystemValue::Target, &[PixelOutput]),
    SystemValueRow::new("SV_Depth", SystemValue::Depth, &[PixelOutput]),
    SystemValueRow::new("SV_DepthGreaterEqual", SystemValue::DepthGreaterEqual, &[PixelOutput])
        .from(ShaderModel::V5_0),
    SystemValueRow::new("SV_DepthLessEqual", SystemValue::DepthLessEqual, &[PixelOutput])
        .from(ShaderModel::V5_0),
    SystemValueRow::new("SV_StencilRef", SystemValue::StencilRef, &[PixelOutput]).from(ShaderModel::V5_0),
    SystemValueRow::new("SV_DispatchThreadID", SystemValue::DispatchThreadId, &[ComputeInput]),
    SystemValueRow::new("SV_GroupID", SystemValue::GroupId, &[ComputeInput]),
    SystemValueRow::new("SV_GroupThreadID", SystemValue::GroupThreadId, &[ComputeInput]),
    SystemValueRow::new("SV_GroupIndex", SystemValue::GroupIndex, &[ComputeInput]),
    SystemValueRow::new("SV_GSInstanceID", SystemValue::GeometryInstanceId, &[GeometryInput])
        .from(ShaderModel::V5_0),
    SystemValueRow::new("SV_OutputControlPointID", SystemValue::OutputControlPointId, &[HullInput]),
    SystemValueRow::new("SV_DomainLocation", SystemValue::DomainLocation, &[DomainInput]),
    SystemValueRow::new("SV_TessFactor", SystemValue::TessFactor, &[PatchConstantOutput, DomainInput]),
    SystemValueRow::new(
        "SV_InsideTessFactor",
        SystemValue::InsideTessFactor,
        &[PatchConstantOutput, DomainInput],
    ),
];

/// Direct3D 9 names of system values, which need backwards compatibility.
const LEGACY: &[(&str, &str, &[SignaturePoint])] = &[
    ("position", "SV_Position", &[PixelInput, VertexOutput, GeometryOutput, DomainOutput]),
    ("vpos", "SV_Position", &[PixelInput]),
    ("vface", "SV_IsFrontFace", &[PixelInput]),
    ("color", "SV_Target", &[PixelOutput]),
    ("depth", "SV_Depth", &[PixelOutput]),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InvalidSemantic {
    /// The signature has no such value at this point, in any shader model.
    Unknown,
    Needs(ShaderModel),
}

/// Returns the meaning of a semantic at a point of the signature, or an error if the signature cannot have
/// the semantic there.
pub(super) fn system_value(
    point: SignaturePoint,
    model: ShaderModel,
    name: &str,
    backwards_compatible: bool,
) -> Result<SystemValue, InvalidSemantic> {
    let name = legacy(point, name).filter(|_| backwards_compatible).unwrap_or(name);
    if !is_system_name(name) {
        let has_arbitrary = VERTICES.contains(&point) || BESIDE_VERTICES.contains(&point);
        return if has_arbitrary { Ok(SystemValue::Undefined) } else { Err(InvalidSemantic::Unknown) };
    }
    let mut rows = TABLE.iter().filter(|row| row.name.eq_ignore_ascii_case(name));
    let row = rows
        .find(|row| row.system.contains(&point) || row.arbitrary.contains(&point))
        .ok_or(InvalidSemantic::Unknown)?;
    if model < row.model {
        return Err(InvalidSemantic::Needs(row.model));
    }
    Ok(if row.system.contains(&point) { row.value } else { SystemValue::Undefined })
}

/// Returns the end of a message about an invalid semantic: the cause, or a system value that the author may
/// have meant.
pub(super) fn hint(session: &Session, fault: InvalidSemantic, point: SignaturePoint, name: &str) -> String {
    if let InvalidSemantic::Needs(model) = fault {
        let (major, minor) = model.version();
        return format!("; it needs shader model {major}.{minor}");
    }
    if let Some(meant) = legacy(point, name) {
        return format!("; did you mean '{meant}'?");
    }
    let known = TABLE.iter().filter(|row| row.system.contains(&point)).map(|row| row.name);
    if is_system_name(name) {
        return session.did_you_mean(name, known);
    }
    session.did_you_mean(&format!("SV_{name}"), known)
}

pub(crate) fn is_system_name(name: &str) -> bool {
    name.get(..3).is_some_and(|prefix| prefix.eq_ignore_ascii_case("SV_"))
}

fn legacy(point: SignaturePoint, name: &str) -> Option<&'static str> {
    let mut rows = LEGACY.iter();
    let found = rows.find(|(old, _, points)| old.eq_ignore_ascii_case(name) && points.contains(&point));
    found.map(|(_, new, _)| *new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_direct3d_9_need_compatibility() {
        let value = |point, name, compatible| system_value(point, ShaderModel::V4_0, name, compatible);
        assert_eq!(value(PixelOutput, "COLOR", false), Err(InvalidSemantic::Unknown));
        assert_eq!(value(PixelOutput, "COLOR", true), Ok(SystemValue::Target));
        assert_eq!(value(PixelInput, "COLOR", true), Ok(SystemValue::Undefined));
        assert_eq!(value(VertexOutput, "POSITION", false), Ok(SystemValue::Undefined));
        assert_eq!(value(VertexOutput, "Position", true), Ok(SystemValue::Position));
        assert_eq!(value(DomainOutput, "POSITION", true), Ok(SystemValue::Position));
    }
}
