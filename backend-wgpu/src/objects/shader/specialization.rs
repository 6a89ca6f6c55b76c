//! The key of specialised modules: every fact outside a shader that its module depends on.
//!
//! Two pipelines whose keys are equal share one module. The key's parts are in the files of this folder, each
//! beside the rules that derive it. The [passes](super::passes) read the parts and rewrite the module. Values
//! that only matter at run time are not in the key but in the [driver constants](super::driver_constants).

pub(crate) mod by_index;
pub(crate) mod constant_rows;
pub(crate) mod geometry;
pub(crate) mod locations;
pub(crate) mod outputs;
pub(crate) mod pixel_inputs;
pub(crate) mod pull;
pub(crate) mod sampling;
pub(crate) mod streams;
pub(crate) mod tessellation;
pub(crate) mod textures;
pub(crate) mod varyings;
pub(crate) mod view_slots;

use std::sync::Arc;

use onze_ddi::ScalarKind;

use self::{
    by_index::ByIndex,
    constant_rows::SeenRows,
    geometry::GeometryStage,
    locations::InterstageLocations,
    outputs::Outputs,
    pixel_inputs::PixelInputs,
    pull::VertexPull,
    sampling::Samplings,
    streams::StreamStage,
    tessellation::DomainStage,
    textures::{Clamps, OtherKinds},
    varyings::Varying,
    view_slots::SeenSlots,
};
use super::driver_constants::DriverBlock;

/// The facts about bound resources that a shader's code depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SeenBindings {
    /// Kinds and formats of the views in slots of [`view_slots`]. A shader with such slots
    /// is rewritten even if no view is bound.
    pub(crate) views: SeenSlots,
    /// The code of each sampled pair for which wgpu's samples differ from Direct3D 11's
    /// ([`sampling`]).
    pub(crate) samplings: Samplings,
    /// One bit for each `t` slot that is declared as multisampled and whose texture has one sample.
    pub(crate) single: u128,
    /// The textures with a minimum mip level.
    pub(crate) clamps: Clamps,
    /// The textures whose views have components of another kind than declared.
    pub(crate) others: OtherKinds,
    /// The constant buffers with more rows than declared.
    pub(crate) rows: SeenRows,
}

/// The key of a specialised module. The default key belongs to the plain module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Specialization {
    /// The declared part of the driver constants. If it is present, sizes of textures and lengths of buffers
    /// follow Direct3D 11. If it includes the starts, so do the indices of vertices and instances in indirect
    /// draws.
    pub(crate) block: Option<DriverBlock>,
    /// The location that receives the depth if no depth target is bound.
    pub(crate) depth_location: Option<u32>,
    /// Changes to a pixel shader's outputs.
    pub(crate) outputs: Outputs,
    /// The location of the target that counts samples.
    pub(crate) count_location: Option<u32>,
    /// The scalar kind of the zeros at location 0, if a target is bound there that the shader does not write.
    pub(crate) fills_first: Option<ScalarKind>,
    /// The sample count of the targets, if the shader reads it.
    pub(crate) samples: Option<u32>,
    /// The bound resources.
    pub(crate) seen: SeenBindings,
    /// The constant buffers that the draw's index selects.
    pub(crate) by_index: Option<ByIndex>,
    /// The elements that a vertex shader reads from vertex buffers.
    pub(crate) pull: Option<Arc<VertexPull>>,
    /// The geometry shader that runs in the vertex stage. The vertex shader then pulls its elements.
    pub(crate) geometry: Option<Arc<GeometryStage>>,
    /// The stream output that a compute shader writes, after the vertex shader and perhaps a geometry shader. The
    /// vertex shader then pulls its elements.
    pub(crate) streams: Option<Arc<StreamStage>>,
    /// The tessellated patches of a domain shader, which takes the place of the vertex shader.
    pub(crate) tessellation: Option<Arc<DomainStage>>,
    /// The vertex shader's outputs whose interpolation or type differs from the pixel shader's inputs.
    pub(crate) varyings: Vec<Varying>,
    /// Whether a vertex shader moves its positions into a smaller viewport.
    pub(crate) is_fitted: bool,
    /// The inputs of a pixel shader that the stage before it does not write.
    pub(crate) pixel_inputs: PixelInputs,
    /// The new numbers of the locations between the stages.
    pub(crate) locations: InterstageLocations,
}

impl Specialization {
    /// Returns whether the module has no other shader merged into it, and no emulated stage.
    pub(crate) fn is_one_shader(&self) -> bool {
        self.geometry.is_none() && self.streams.is_none() && self.tessellation.is_none()
    }
}
