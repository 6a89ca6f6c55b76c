//! Blend, depth-stencil and rasterizer states, and the input layout, with the descriptors and defaults of D3D11.
//!
//! ```
//! use onze_ddi::{BlendDesc, CullMode, DepthStencilDesc, RasterizerDesc, RenderTargetBlendDesc};
//!
//! // The defaults are D3D11's: clockwise triangles are front faces, back faces are culled, depth is tested.
//! assert_eq!(RasterizerDesc::default().cull_mode, CullMode::Back);
//! assert!(RasterizerDesc::counter_clockwise().front_counter_clockwise);
//! assert!(DepthStencilDesc::default().depth_enable);
//! let blend = BlendDesc::all(RenderTargetBlendDesc::additive());
//! assert!(blend.render_target[7].blend_enable);
//! ```

/// Implements comparison and hashing of a descriptor with floats by their bits, so that it can be a map key.
macro_rules! bitwise_eq {
    ($type:ty, |$d:ident| $bits:expr) => {
        impl $type {
            fn bits(&self) -> impl Eq + std::hash::Hash + use<> {
                let $d = self;
                $bits
            }
        }
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.bits() == other.bits()
            }
        }
        impl Eq for $type {}
        impl std::hash::Hash for $type {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.bits().hash(state);
            }
        }
    };
}

mod blend;
mod depth_stencil;
mod input_layout;
mod rasterizer;

pub(crate) use bitwise_eq;
pub use blend::{Blend, BlendDesc, BlendOp, ColorWrite, LogicOp, RenderTargetBlendDesc};
pub use depth_stencil::{DepthStencilDesc, DepthStencilOpDesc, StencilOp};
pub use input_layout::{ElementDesc, InputClassification, InputElementDesc};
pub use rasterizer::{ConservativeRasterizationMode, CullMode, FillMode, RasterizerDesc};

/// A comparison of a new value or a reference value with a stored value (D3D11: `D3D11_COMPARISON_FUNC`).
#[doc(alias = "D3D11_COMPARISON_FUNC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the comparisons")]
pub enum ComparisonFunc {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}
