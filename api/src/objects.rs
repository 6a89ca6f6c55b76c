//! Application objects, each type in the same file as the [`Device`] call that creates it.
//!
//! Each type consists of a key and an owner ([`object`]), while the data that clones and contexts share is in
//! [`device_core`](crate::device_core).

mod buffer;
mod constant_buffer;
mod counter;
mod debug;
mod device;
mod feature_support;
mod index_buffer;
mod input_layout;
mod object;
mod query;
mod shader_object;
mod slots;
mod state_object;
mod stream_output;
mod structured_buffer;
mod targets;
mod texture;
mod texture_array;
mod typed_buffer;
mod typed_query;
mod vertex;
mod vertex_buffer;
mod view;

pub use buffer::{Buffer, EvictionPriority, Resource};
pub use constant_buffer::ConstantBuffer;
pub use counter::{Counter, CounterDesc, CounterInfo};
pub use debug::ReportFlags;
pub use device::{CheckMultisampleQualityLevelsFlags, Device, RaiseFlags};
pub use feature_support::{D3d11Options, D3d11Options1, D3d11Options2, FeatureSupport};
pub use index_buffer::{Index, IndexBuffer};
pub use input_layout::InputLayout;
pub use object::Object;
pub(crate) use object::{ObjectOwner, object, sealed};
pub use query::Query;
pub use shader_object::{ComputeShader, DomainShader, GeometryShader, HullShader, PixelShader, VertexShader};
pub use slots::{Nullable, Slots};
pub use state_object::{BlendState, DepthStencilState, RasterizerState, SamplerState};
pub use stream_output::StreamOutputSource;
pub use structured_buffer::StructuredBuffer;
pub use targets::{DepthTarget, RenderTarget};
pub use texture::{Texture1d, Texture2d, Texture3d};
pub use typed_query::{QueryResult, TypedQuery};
pub use vertex::{Vertex, VertexField, VertexSlots};
pub use vertex_buffer::VertexBuffer;
pub use view::{DepthStencilView, RenderTargetView, ShaderResourceView, UnorderedAccessView};
