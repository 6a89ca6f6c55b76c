//! Onze: the Direct3D 11 programming model in safe Rust. Its default driver uses wgpu, which supports Vulkan,
//! Metal, Direct3D 12, OpenGL, and WebGPU in browsers. Shaders are written in HLSL, WGSL, GLSL or SPIR-V.
//!
//! The programming model in short:
//!
//! 1. **Names are Direct3D 11's**, in snake case: `create_texture_2d`, `vs_set_constant_buffers`,
//!    `om_set_render_targets`. Books and documentation about Direct3D apply, and each item here names its
//!    Direct3D counterpart.
//! 2. **The device** ([`Device`]) creates all objects, from any thread. It is cheap to clone, as are all objects, and
//!    objects can be dropped in any order.
//! 3. **A context records commands.** There is one [`ImmediateContext`], created with the device, and any
//!    number of [`DeferredContext`]s. Both dereference to [`DeviceContext`], so functions that take `&mut
//!    DeviceContext` can record into either. The compiler ensures that only one thread at a time uses a
//!    context.
//! 4. **Deferred contexts record command lists** on any thread, in parallel, without sharing memory between
//!    contexts. [`DeviceContext::execute_command_list`] executes a list any number of times.
//! 5. **Calls that cannot fail return nothing**: an invalid call is skipped, and with [`DeviceDesc::debug`] it is
//!    reported to the [`InfoQueue`] with advice. Calls that can fail return an [`Error`] that explains the mistake.
//! 6. **`Map` with [`MapType::WriteDiscard`] is the way to change constants** between draws: it costs almost nothing,
//!    and each draw sees the contents that were written before it.
//! 7. **Shaders are HLSL**, with the feature `hlsl`, with Direct3D's registers and semantics. WGSL needs no
//!    feature, and SPIR-V and GLSL each have a separate feature. In WGSL, `@group(0)` contains the `b`
//!    registers, `@group(1)` the `t` registers, `@group(2)` the `s` registers and `@group(3)` the `u`
//!    registers, and `@binding(n)` is the slot. Vertex inputs are matched by semantic, which in WGSL is the
//!    name of the input.
//! 8. **Reads are always defined**: unbound slots and addresses outside a buffer read as 0.
//! 9. **Dropped objects that a context has used are destroyed by [`ImmediateContext::flush`]** once nothing
//!    uses them any more, whereas dropped objects that no context has used are destroyed at once.
//! 10. **Calls that need a missing feature fail with an error that names it.**
//!     [`Device::check_feature_support`] lists the features of Direct3D 11.0 that a device lacks.
//! 11. **Winding, clip space, sRGB, registers and semantics** are Direct3D's. The repository's `docs/conventions.md`
//!     illustrates each of them.
//!
//! Features of the crate:
//!
//! | feature | adds |
//! | --- | --- |
//! | `wgpu` (default) | the driver that draws: [`DriverType::Hardware`] and [`DriverType::Software`] |
//! | `derive` (default) | `#[derive(Vertex)]` for [`Vertex`](trait@Vertex), `#[derive(ConstantFields)]` for [`ConstantFields`](trait@ConstantFields) |
//! | `glam` | `glam` vectors as fields of a [`Vertex`](trait@Vertex) |
//! | `image` | textures from PNG and JPEG files: `Device::create_texture_from_file`; PNG files: `ImmediateContext::save_png` |
//! | `dds` | textures from DDS files |
//! | `ktx2` | textures from KTX2 files |
//! | `hlsl` | shaders in HLSL: `ShaderSource::hlsl` |
//! | `hlsl-compiled` | precompiled HLSL shaders: `ShaderSource::compiled` |
//! | `spirv` | shaders in SPIR-V: `ShaderSource::spirv` |
//! | `glsl` | shaders in GLSL: `ShaderSource::glsl` |
//! | `naga_oil` | shaders composed of modules, with imports and definitions: `ShaderModules` |
//!
//! ```
//! use onze::prelude::*;
//!
//! # fn main() -> Result<(), onze::Error> {
//! // DriverType::Null draws nothing; leave it out to use the best GPU.
//! let desc = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
//! let (device, mut immediate) = create_device(&desc)?;
//! let target = device.create_texture_2d(&Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 64, 64), None)?;
//! let view = device.create_render_target_view(&target, None)?;
//!
//! let mut deferred = device.create_deferred_context()?;
//! deferred.clear_render_target_view(&view, [0.1, 0.1, 0.2, 1.0]);
//! let list = deferred.finish()?;
//!
//! immediate.execute(&list);
//! immediate.flush();
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// The folders are layers, called rooms; ARCHITECTURE.md in the repository lists them. The test
// `tests/tests/rooms/main.rs` fails if a room imports a higher room.
mod adapter;
mod concurrent;
mod context;
mod create_device;
mod device_core;
#[cfg(any(feature = "image", feature = "dds", feature = "ktx2"))]
mod load;
mod loader;
#[cfg(test)]
mod lock_free;
mod objects;
mod report;
#[cfg(test)]
mod serialized;
mod shader;
mod statistics;
mod swap_chain;
mod sync;
mod validate;

pub use onze_ddi as ddi;

/// The crate [`bytemuck`](https://docs.rs/bytemuck), whose traits mark types that are plain bytes.
///
/// Types that are written to resources implement [`NoUninit`](bytemuck::NoUninit), which means that they have
/// no padding, and types that are read back implement [`Pod`](bytemuck::Pod). Numbers, arrays of numbers and
/// `glam` types (with `glam`'s feature `bytemuck`) implement these traits, and structs derive them. The
/// [`prelude`] exports the traits and their derive macros. In a package that does not itself depend on
/// `bytemuck`, a derive needs one additional line:
///
/// ```
/// use onze::prelude::*;
///
/// #[derive(Clone, Copy, NoUninit)]
/// #[bytemuck(crate = "onze::bytemuck")]
/// #[repr(C)]
/// struct Light {
///     position: [f32; 4],
///     color: [f32; 4],
/// }
/// ```
pub use bytemuck;

#[cfg(feature = "derive")]
#[cfg_attr(docsrs, doc(cfg(feature = "derive")))]
pub use onze_derive::{ConstantFields, Vertex};

/// The HLSL compiler, a separate crate: options, include handlers, diagnostics and reflection.
#[cfg(feature = "hlsl")]
#[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
pub use onze_hlsl as hlsl;

pub use onze_ddi::{
    AdapterInfo, AdapterKind, AlphaMode, BindFlags, Blend, BlendDesc, BlendOp, Box3d, BufferDesc,
    BufferViewDesc, ClearFlags, ColorSpace, ColorWrite, ComparisonFunc, ConservativeRasterizationMode,
    ContextType, CpuAccessFlags, CullMode, DepthStencilDesc, DepthStencilOpDesc, DispatchIndirectArgs,
    DrawIndexedInstancedIndirectArgs, DrawInstancedIndirectArgs, DrawsByIndex, DsvFlags, FeatureLevel,
    Features, FillMode, Filter, FilterReduction, Format, FormatSupport, FormatSupport2, InputClassification,
    InputElementDesc, InputPrimitive, LogicOp, MapType, MiscFlags, PipelineStatistics, PresentStatus,
    PrimitiveTopology, QueryData, QueryDesc, QueryMiscFlags, QueryType, RasterizerDesc, Rect,
    RenderTargetBlendDesc, ResourceDesc, SamplerDesc, ShaderReflection, ShaderStage, SoStatistics, StencilOp,
    StoredGeometry, StreamTopology, SubresourceData, SubresourceRange, SwapEffect, TessellatorDomain,
    TessellatorOutput, TessellatorPartitioning, Texture1dDesc, Texture2dDesc, Texture3dDesc,
    TextureAddressMode, TextureDesc, TextureLayout, TextureShape, TextureViewDesc, ThreadingCaps,
    TimestampDisjoint, UnknownNumber, Usage, ViewDesc, ViewDimension, Viewport, WindowHandle,
};

pub use adapter::{Adapter, GpuPreference, enumerate_adapters_async};
#[cfg(not(target_arch = "wasm32"))]
pub use adapter::{
    enum_adapter_by_luid, enum_warp_adapter, enumerate_adapters, enumerate_adapters_by_gpu_preference,
};
pub use context::{
    CommandList, ConstantRange, Contents, ContextGuard, CopyFlags, DeferredContext, DeviceContext,
    DeviceContextState, Fence, GpuTime, GpuTimer, ImmediateContext, MapFlags, MapTarget, MapToken,
    MappedSubresource, MappedSubresources, OneOrMany, OutputView, SharedContext, StreamOutputBinding,
    StreamTargets, Updatable, VertexBufferBinding, VertexBuffers,
};
#[cfg(not(target_arch = "wasm32"))]
pub use create_device::create_device;
pub use create_device::{CreateDeviceFlags, DeviceDesc, create_device_async};
pub use device_core::{DeviceRemovedEvent, Guid};
#[cfg(any(feature = "image", feature = "dds", feature = "ktx2"))]
#[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
pub use load::TextureFileDesc;
pub use loader::DriverType;
pub use objects::{
    BlendState, Buffer, CheckMultisampleQualityLevelsFlags, ComputeShader, ConstantBuffer, Counter,
    CounterDesc, CounterInfo, D3d11Options, D3d11Options1, D3d11Options2, DepthStencilState,
    DepthStencilView, DepthTarget, Device, DomainShader, EvictionPriority, FeatureSupport, GeometryShader,
    HullShader, Index, IndexBuffer, InputLayout, Nullable, Object, PixelShader, Query, QueryResult,
    RaiseFlags, RasterizerState, RenderTarget, RenderTargetView, ReportFlags, Resource, SamplerState,
    ShaderResourceView, Slots, StreamOutputSource, StructuredBuffer, Texture1d, Texture2d, Texture3d,
    TypedQuery, UnorderedAccessView, Vertex, VertexBuffer, VertexField, VertexShader, VertexSlots,
};
pub use report::{
    Category, DEFAULT_MESSAGE_COUNT_LIMIT, Error, InfoQueue, InfoQueueFilter, InfoQueueFilterDesc, Message,
    MessageId, Severity,
};
#[cfg(feature = "naga_oil")]
#[cfg_attr(docsrs, doc(cfg(feature = "naga_oil")))]
pub use shader::{ComposedShader, ShaderDefinition, ShaderModules};
pub use shader::{
    ConstantField, ConstantFields, GeometryShaderDesc, HullShaderDesc, LinkageError, ShaderError,
    ShaderSource,
};
pub use statistics::Statistics;
pub use swap_chain::{PresentFlags, SwapChain, SwapChainDesc};
pub use validate::{
    BufferExSrvFlags, BufferUavFlags, DepthStencilViewDesc, DepthStencilViewDimension, RenderTargetViewDesc,
    RenderTargetViewDimension, ShaderResourceViewDesc, ShaderResourceViewDimension, SoDeclarationEntry,
    UnorderedAccessViewDesc, UnorderedAccessViewDimension,
};

/// The types needed to use [`Device`], contexts and swap chains, for `use onze::prelude::*`.
///
/// Names that games and engines often define themselves are not in the prelude, so write `onze::Error`,
/// `onze::Rect`, `onze::Query`, `onze::Resource`, `onze::Object`, `onze::Index` and `onze::Counter`. The
/// driver interface is in `onze::ddi`.
pub mod prelude {
    #[cfg(any(feature = "image", feature = "dds", feature = "ktx2"))]
    pub use crate::TextureFileDesc;
    pub use crate::{
        Adapter, AdapterInfo, AdapterKind, AlphaMode, BindFlags, Blend, BlendDesc, BlendOp, BlendState,
        Box3d, Buffer, BufferDesc, BufferExSrvFlags, BufferUavFlags, BufferViewDesc, Category,
        CheckMultisampleQualityLevelsFlags, ClearFlags, ColorSpace, ColorWrite, CommandList, ComparisonFunc,
        ComputeShader, ConservativeRasterizationMode, ConstantBuffer, ConstantRange, Contents, ContextGuard,
        ContextType, CopyFlags, CounterDesc, CounterInfo, CpuAccessFlags, CreateDeviceFlags, CullMode,
        D3d11Options, D3d11Options1, D3d11Options2, DeferredContext, DepthStencilDesc, DepthStencilOpDesc,
        DepthStencilState, DepthStencilView, DepthStencilViewDesc, DepthStencilViewDimension, DepthTarget,
        Device, DeviceContext, DeviceContextState, DeviceDesc, DeviceRemovedEvent, DispatchIndirectArgs,
        DomainShader, DrawIndexedInstancedIndirectArgs, DrawInstancedIndirectArgs, DrawsByIndex, DriverType,
        DsvFlags, EvictionPriority, FeatureLevel, FeatureSupport, Features, Fence, FillMode, Filter,
        FilterReduction, Format, FormatSupport, FormatSupport2, GeometryShader, GeometryShaderDesc,
        GpuPreference, HullShader, HullShaderDesc, ImmediateContext, IndexBuffer, InfoQueue, InfoQueueFilter,
        InfoQueueFilterDesc, InputClassification, InputElementDesc, InputLayout, InputPrimitive, LogicOp,
        MapFlags, MapTarget, MapToken, MapType, MappedSubresource, MappedSubresources, Message, MessageId,
        MiscFlags, Nullable, OneOrMany, OutputView, PipelineStatistics, PixelShader, PresentFlags,
        PresentStatus, PrimitiveTopology, QueryData, QueryDesc, QueryMiscFlags, QueryType, RaiseFlags,
        RasterizerDesc, RasterizerState, RenderTarget, RenderTargetBlendDesc, RenderTargetView,
        RenderTargetViewDesc, RenderTargetViewDimension, ReportFlags, ResourceDesc, SamplerDesc,
        SamplerState, Severity, ShaderReflection, ShaderResourceView, ShaderResourceViewDesc,
        ShaderResourceViewDimension, ShaderSource, ShaderStage, SharedContext, Slots, SoDeclarationEntry,
        SoStatistics, Statistics, StencilOp, StoredGeometry, StreamOutputBinding, StreamOutputSource,
        StreamTargets, StreamTopology, SubresourceData, SubresourceRange, SwapChain, SwapChainDesc,
        SwapEffect, TessellatorDomain, TessellatorOutput, TessellatorPartitioning, Texture1d, Texture1dDesc,
        Texture2d, Texture2dDesc, Texture3d, Texture3dDesc, TextureAddressMode, TextureDesc, TextureLayout,
        TextureShape, TextureViewDesc, ThreadingCaps, TimestampDisjoint, UnorderedAccessView,
        UnorderedAccessViewDesc, UnorderedAccessViewDimension, Updatable, Usage, Vertex, VertexBuffer,
        VertexBufferBinding, VertexBuffers, VertexShader, VertexSlots, ViewDesc, ViewDimension, Viewport,
        WindowHandle,
        bytemuck::{NoUninit, Pod, Zeroable},
    };
    pub use crate::{
        ConstantField, ConstantFields, GpuTime, GpuTimer, QueryResult, StructuredBuffer, TypedQuery,
    };
    #[cfg(not(target_arch = "wasm32"))]
    pub use crate::{create_device, enumerate_adapters};
}
