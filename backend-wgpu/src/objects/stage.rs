//! The stages of wgpu's pipelines, and their mapping from Direct3D 11's stages.
//!
//! A render pipeline has a vertex and a fragment stage, and a compute pipeline has one stage. Each stage has
//! a *lane*, its index in arrays with one element per stage of a pipeline. Hull, domain and geometry shaders
//! have no lane, because wgpu has no such stages and the device refuses to create such shaders.

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

/// Returns the lane of a shader's stage, which exists because shaders of other stages are refused at
/// creation.
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
