//! The stages of wgpu's pipelines, and their mapping from Direct3D 11's stages.
//!
//! A render pipeline has a vertex stage and a fragment stage, and a compute pipeline has one stage. The
//! *lane* of a stage is its index in arrays with one element per pipeline stage. Hull, domain and geometry
//! shaders have no lane, because wgpu lacks these stages and the device refuses to create such shaders.

use onze_ddi::ShaderStage;

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PipelineKind {
    Render,
    Compute,
}

pub(crate) const LANES: usize = 2;

pub(crate) const VERTEX: usize = 0;
pub(crate) const PIXEL: usize = 1;
pub(crate) const COMPUTE: usize = 0;

pub(crate) const RENDER_STAGES: [ShaderStage; LANES] = [ShaderStage::Vertex, ShaderStage::Pixel];

/// Returns a stage's pipeline kind and lane, or `None` for stages that wgpu does not have.
#[inline]
pub(crate) const fn lane(stage: ShaderStage) -> Option<(PipelineKind, usize)> {
    match stage {
        ShaderStage::Vertex => Some((PipelineKind::Render, VERTEX)),
        ShaderStage::Pixel => Some((PipelineKind::Render, PIXEL)),
        ShaderStage::Compute => Some((PipelineKind::Compute, COMPUTE)),
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry => None,
    }
}

/// Returns the lane of a shader's stage, which exists because shaders of stages without a lane are rejected
/// at creation.
pub(crate) const fn lane_of_shader(stage: ShaderStage) -> usize {
    match lane(stage) {
        Some((_, lane)) => lane,
        None => VERTEX,
    }
}

pub(crate) const fn visibility(stage: ShaderStage) -> wgpu::ShaderStages {
    match stage {
        ShaderStage::Vertex => wgpu::ShaderStages::VERTEX,
        ShaderStage::Pixel => wgpu::ShaderStages::FRAGMENT,
        ShaderStage::Compute => wgpu::ShaderStages::COMPUTE,
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry => wgpu::ShaderStages::NONE,
    }
}
