//! Keys of state objects, which are deduplicated by their descriptors.

use onze_ddi::{BlendDesc, DepthStencilDesc, RasterizerDesc, SamplerDesc};

use super::ObjectData;

/// The descriptor of a state, used as the key of its unique object.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) enum StateKey {
    Blend(BlendDesc),
    DepthStencil(DepthStencilDesc),
    Rasterizer(RasterizerDesc),
    Sampler(SamplerDesc),
}

impl StateKey {
    /// Returns the key of an object, or `None` if it is not a state object.
    pub(crate) fn of(data: &ObjectData) -> Option<Self> {
        match data {
            ObjectData::Blend(desc) => Some(Self::Blend(*desc)),
            ObjectData::DepthStencil(desc) => Some(Self::DepthStencil(*desc)),
            ObjectData::Rasterizer(desc) => Some(Self::Rasterizer(*desc)),
            ObjectData::Sampler(desc) => Some(Self::Sampler(*desc)),
            ObjectData::Resource(_)
            | ObjectData::View(_)
            | ObjectData::Shader(_)
            | ObjectData::InputLayout(_)
            | ObjectData::Query(_) => None,
        }
    }
}
