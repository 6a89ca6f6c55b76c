//! The stages of wgpu's pipelines, and their mapping from Direct3D 11's stages.
//!
//! A render pipeline has a vertex and a fragment stage, and a compute pipeline has one stage. Each stage has
//! a *lane*, its index in arrays with one element per stage of a pipeline. Hull, domain and geometry shaders
//! have no lane, because wgpu has no such stages and the device refuses to create such shaders.

use onze_ddi::ShaderStage;

/// The kind of wgpu pipeline that runs a stage.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PipelineKind {
    Render,
    Compute,
}

/// Maximum number of stages in a pipeline.
pub(crate) const LANES: usize = 2;

/// The lane of the vertex stage, in a render pipeline.
pub(crate) const VERTEX: usize = 0;
/// The lane of the pixel stage, in a render pipeline.
pub(crate) const PIXEL: usize = 1;
/// The lane of the compute stage, in a compute pipeline.
pub(crate) const COMPUTE: usize = 0;

/// The stages of render pipelines, by lane.
pub(crate) const RENDER_STAGES: [ShaderStage; LANES] = [ShaderStage::Vertex, ShaderStage::Pixel];

/// Returns the pipeline kind and the lane of a stage, or `None` for the stages that wgpu does not have.
#[inline]
pub(crate) const fn lane(stage: ShaderStage) -> Option<(PipelineKind, usize)> {
    match stage {
        ShaderStage::Vertex => Some((PipelineKind::Render, VERTEX)),
        ShaderStage::Pixel => Some((PipelineKind::Render, PIXEL)),
        ShaderStage::Compute => Some((PipelineKind::Compute, COMPUTE)),
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry => None,
    }
}

/// Returns the lane of a shader's stage. Shaders of stages without a lane are refused when they are created.
pub(crate) const fn lane_of_shader(stage: ShaderStage) -> usize {
    match lane(stage) {
        Some((_, lane)) => lane,
        None => VERTEX,
    }
}

/// Returns wgpu's visibility flag for the bindings of a stage.
pub(crate) const fn visibility(stage: ShaderStage) -> wgpu::ShaderStages {
    match stage {
        ShaderStage::Vertex => wgpu::ShaderStages::VERTEX,
        ShaderStage::Pixel => wgpu::ShaderStages::FRAGMENT,
        ShaderStage::Compute => wgpu::ShaderStages::COMPUTE,
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry => wgpu::ShaderStages::NONE,
    }
}
