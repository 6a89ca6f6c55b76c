//! The four types of state objects, which are deduplicated by descriptor.

use onze_ddi::{BlendDesc, DepthStencilDesc, ObjectDesc, RasterizerDesc, SamplerDesc};

use super::{Device, object, sealed::Sealed as _};
use crate::{
    device_core::{ObjectData, StateKey},
    report::{Error, MessageId},
    validate,
};

object! {
    /// Configures how pixels are blended with the render targets (D3D11: `ID3D11BlendState`).
    #[doc(alias = "ID3D11BlendState")]
    BlendState
}
object! {
    /// Configures the depth and stencil tests (D3D11: `ID3D11DepthStencilState`).
    #[doc(alias = "ID3D11DepthStencilState")]
    DepthStencilState
}
object! {
    /// Configures how primitives become pixels (D3D11: `ID3D11RasterizerState`).
    #[doc(alias = "ID3D11RasterizerState")]
    RasterizerState
}
object! {
    /// Configures how textures are sampled (D3D11: `ID3D11SamplerState`).
    #[doc(alias = "ID3D11SamplerState")]
    SamplerState
}

/// Defines the create call and the getter of one type of state object.
macro_rules! state {
    ($object:ident $create:ident $d3d11:literal $desc:ident $variant:ident $kind:ident $validate:ident $id:ident
        $what:literal) => {
        impl Device {
            #[doc = concat!("Creates ", $what, ". D3D11: `ID3D11Device::", $d3d11, "`.")]
            ///
            /// As in Direct3D 11, calls with equal descriptors return the same object.
            ///
            /// # Errors
            /// [`Error::InvalidArg`] if the descriptor is invalid; [`Error::Unsupported`] if the adapter
            /// lacks a feature.
            #[doc(alias = $d3d11)]
            pub fn $create(&self, desc: &$desc) -> Result<$object, Error> {
                let core = &self.core;
                let checked = validate::$validate(desc, &core.caps).map_err(|error| self.named(error));
                let desc = core.reject(MessageId::$id, checked)?;
                let owner = core.unique_state(StateKey::$variant(desc), || {
                    self.here().create_object(
                        &ObjectDesc::$kind(&desc),
                        ObjectData::$variant(desc),
                        self.new_name(),
                        None,
                    )
                });
                Ok($object::from_shared(&core.reject(MessageId::$id, owner)?.shared))
            }
        }

        impl $object {
            /// Returns the descriptor of the state (D3D11: `GetDesc`).
            #[doc(alias = "GetDesc")]
            pub fn desc(&self) -> $desc {
                match &self.owner.shared.data {
                    ObjectData::$variant(desc) => *desc,
                    _ => $desc::default(),
                }
            }
        }
    };
}

state!(BlendState create_blend_state "CreateBlendState" BlendDesc Blend BlendState blend CreateStateInvalid
    "a blend state");
state!(DepthStencilState create_depth_stencil_state "CreateDepthStencilState" DepthStencilDesc DepthStencil
    DepthStencilState depth_stencil CreateStateInvalid "a depth-stencil state");
state!(RasterizerState create_rasterizer_state "CreateRasterizerState" RasterizerDesc Rasterizer RasterizerState
    rasterizer CreateStateInvalid "a rasterizer state");
state!(SamplerState create_sampler_state "CreateSamplerState" SamplerDesc Sampler Sampler sampler CreateStateInvalid
    "a sampler");
