//! The stages of wgpu's pipelines, and where Direct3D 11's stages are in them.
//!
//! A render pipeline has a vertex and a fragment stage, a compute pipeline has one stage. Each stage has a
//! *lane*: its place in arrays that have one element for each stage of a pipeline. Hull, domain and geometry
//! shaders have no lane: wgpu has no such stages, and the device creates no such shaders.

use onze_ddi::ShaderStage;

/// Which of wgpu's two kinds of pipelines runs a stage.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PipelineKind {
    /// Draws.
    Render,
    /// Dispatches.
    Compute,
}

/// Stages of a pipeline, at most.
pub(crate) const LANES: usize = 2;

/// The lane of the vertex stage, in a render pipeline.
pub(crate) const VERTEX: usize = 0;
/// The lane of the pixel stage, in a render pipeline.
pub(crate) const PIXEL: usize = 1;
/// The lane of the compute stage, in a compute pipeline.
pub(crate) const COMPUTE: usize = 0;

/// The stages of render pipelines, by lane.
pub(crate) const RENDER_STAGES: [ShaderStage; LANES] = [ShaderStage::Vertex, ShaderStage::Pixel];

/// The pipeline and the lane of a stage; `None` for the stages that wgpu does not have.
#[inline]
pub(crate) const fn lane(stage: ShaderStage) -> Option<(PipelineKind, usize)> {
    match stage {
        ShaderStage::Vertex => Some((PipelineKind::Render, VERTEX)),
        ShaderStage::Pixel => Some((PipelineKind::Render, PIXEL)),
        ShaderStage::Compute => Some((PipelineKind::Compute, COMPUTE)),
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry => None,
    }
}

/// The lane of a shader's stage. Shaders of the stages without one are refused when they are created.
pub(crate) const fn lane_of_shader(stage: ShaderStage) -> usize {
    match lane(stage) {
        Some((_, lane)) => lane,
        None => VERTEX,
    }
}

/// Who sees a binding of a stage.
pub(crate) const fn visibility(stage: ShaderStage) -> wgpu::ShaderStages {
    match stage {
        ShaderStage::Vertex => wgpu::ShaderStages::VERTEX,
        ShaderStage::Pixel => wgpu::ShaderStages::FRAGMENT,
        ShaderStage::Compute => wgpu::ShaderStages::COMPUTE,
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry => wgpu::ShaderStages::NONE,
    }
}
