//! Pipeline plans: the Direct3D 11 stages that a wgpu pipeline executes, and the wgpu stage that executes
//! each of them.
//!
//! Bindings are kept by [`ShaderStage`], and their numbers in bind groups depend on nothing else. A plan
//! decides which of them a pipeline has, and which of its own stages see them. Code that makes layouts, bind
//! groups and keys walks the [`Shaders`] of a plan, so it does not know how many stages there are.

use onze_ddi::{PerStage, ShaderStage};

use crate::objects::shader::Shader;

/// The kinds of wgpu pipelines.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PipelinePlan {
    /// A render pipeline for draws.
    Draw,
    /// A render pipeline for draws with a geometry shader, which runs in wgpu's vertex stage.
    GeometryDraw,
    /// A compute pipeline for the stream output of draws, or for the stored vertices of a geometry shader.
    Streams,
    /// A compute pipeline for the control points or the patch constants of a hull shader.
    Patches,
    /// A render pipeline for draws of tessellated patches, whose domain shader runs in wgpu's vertex stage.
    TessellatedDraw,
    /// A compute pipeline for the stream output of tessellated patches.
    TessellatedStreams,
    /// A compute pipeline for dispatches.
    Dispatch,
}

impl PipelinePlan {
    /// Returns the stages of the plan, in the order in which Direct3D 11 executes them.
    #[inline]
    pub(crate) const fn stages(self) -> &'static [ShaderStage] {
        match self {
            Self::Draw => &[ShaderStage::Vertex, ShaderStage::Pixel],
            Self::GeometryDraw => &[ShaderStage::Vertex, ShaderStage::Geometry, ShaderStage::Pixel],
            Self::Streams => &[ShaderStage::Vertex, ShaderStage::Geometry],
            Self::Patches => &[ShaderStage::Vertex, ShaderStage::Hull],
            Self::TessellatedDraw => &[ShaderStage::Domain, ShaderStage::Geometry, ShaderStage::Pixel],
            Self::TessellatedStreams => &[ShaderStage::Domain, ShaderStage::Geometry],
            Self::Dispatch => &[ShaderStage::Compute],
        }
    }

    /// Returns the stage whose module the others are merged into.
    pub(crate) const fn first_stage(self) -> ShaderStage {
        match self {
            Self::Draw | Self::GeometryDraw | Self::Streams | Self::Patches => ShaderStage::Vertex,
            Self::TessellatedDraw | Self::TessellatedStreams => ShaderStage::Domain,
            Self::Dispatch => ShaderStage::Compute,
        }
    }

    /// Returns whether the pipeline is a render pipeline.
    #[inline]
    pub(crate) const fn is_render(self) -> bool {
        matches!(self, Self::Draw | Self::GeometryDraw | Self::TessellatedDraw)
    }

    /// Returns whether the pipeline belongs to a dispatch of the application. All others belong to draws.
    #[inline]
    pub(crate) const fn is_dispatch(self) -> bool {
        matches!(self, Self::Dispatch)
    }

    /// Returns the stage of the wgpu pipeline that executes a stage of the plan, and therefore sees the
    /// stage's bindings.
    pub(crate) const fn visibility(self, stage: ShaderStage) -> wgpu::ShaderStages {
        match (self.is_render(), stage) {
            (true, ShaderStage::Pixel) => wgpu::ShaderStages::FRAGMENT,
            (true, _) => wgpu::ShaderStages::VERTEX,
            (false, _) => wgpu::ShaderStages::COMPUTE,
        }
    }
}

impl From<ShaderStage> for PipelinePlan {
    /// Returns the plan whose bindings contain the slots of a stage.
    #[inline]
    fn from(stage: ShaderStage) -> Self {
        match stage {
            ShaderStage::Compute => Self::Dispatch,
            ShaderStage::Vertex
            | ShaderStage::Hull
            | ShaderStage::Domain
            | ShaderStage::Geometry
            | ShaderStage::Pixel => Self::Draw,
        }
    }
}

/// The bound shaders of a plan's stages.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Shaders<'r> {
    pub(crate) plan: PipelinePlan,
    bound: PerStage<Option<&'r Shader>>,
}

impl<'r> Shaders<'r> {
    #[inline]
    pub(crate) fn new(plan: PipelinePlan, shader: impl Fn(ShaderStage) -> Option<&'r Shader>) -> Self {
        let mut bound = PerStage::default();
        plan.stages().iter().for_each(|stage| bound[*stage] = shader(*stage));
        Self { plan, bound }
    }

    #[inline]
    pub(crate) fn get(&self, stage: ShaderStage) -> Option<&'r Shader> {
        self.bound[stage]
    }

    /// Iterates over the stages of the plan that have a shader.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ShaderStage, &'r Shader)> {
        self.plan.stages().iter().filter_map(|stage| Some((*stage, self.bound[*stage]?)))
    }
}
