//! Adapter capabilities, which the runtime asks for before a device exists.
//!
//! ```
//! use onze_ddi::{FeatureLevel, ThreadingCaps};
//!
//! // Each variant includes the previous one.
//! assert!(ThreadingCaps::CommandLists > ThreadingCaps::FreeThreaded);
//! assert!(ThreadingCaps::FreeThreaded > ThreadingCaps::Serialized);
//! ```

use bitflags::bitflags;

/// How many threads may enter a driver at once (D3D11: `D3D11DDI_THREADING_CAPS`).
///
/// As in D3D11, a driver cannot announce command lists without free threading.
#[doc(alias = "D3D11DDI_THREADING_CAPS")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadingCaps {
    /// One thread at a time in the whole driver. The runtime holds a lock around each entry and records command lists
    /// itself.
    Serialized,
    /// Create, destroy, open, calc and check entries are free-threaded (`D3D11DDICAPS_FREETHREADED`), but the runtime
    /// records command lists itself.
    FreeThreaded,
    /// Deferred contexts and command lists are supported as well (`D3D11DDICAPS_COMMANDLISTS_BUILD_2`).
    CommandLists,
}

/// A feature level (D3D11: `D3D_FEATURE_LEVEL`). A level describes hardware features and is independent of
/// the [`DdiVersion`](crate::DdiVersion).
#[doc(alias = "D3D_FEATURE_LEVEL")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FeatureLevel {
    /// `D3D_FEATURE_LEVEL_10_0`.
    #[doc(alias = "D3D_FEATURE_LEVEL_10_0")]
    Level10_0,
    /// `D3D_FEATURE_LEVEL_10_1`.
    #[doc(alias = "D3D_FEATURE_LEVEL_10_1")]
    Level10_1,
    /// `D3D_FEATURE_LEVEL_11_0` without the stages and features that `check_feature_support` lists as missing. Direct3D
    /// 11 has no such level.
    #[doc(alias = "D3D_FEATURE_LEVEL_11_0")]
    Core11,
    /// `D3D_FEATURE_LEVEL_11_0`.
    #[doc(alias = "D3D_FEATURE_LEVEL_11_0")]
    Level11_0,
    /// `D3D_FEATURE_LEVEL_11_1`.
    #[doc(alias = "D3D_FEATURE_LEVEL_11_1")]
    Level11_1,
}

/// The kind of hardware of an adapter.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AdapterKind {
    /// A GPU with dedicated memory.
    Discrete,
    /// A GPU that shares memory with the CPU.
    Integrated,
    /// A GPU provided by a virtual machine.
    Virtual,
    /// Rendering runs on the CPU (D3D11: `DXGI_ADAPTER_FLAG_SOFTWARE`).
    #[doc(alias = "DXGI_ADAPTER_FLAG_SOFTWARE")]
    Software,
    /// The null driver, which draws nothing.
    Null,
    /// Not known.
    Other,
}

/// An adapter that a driver can open (D3D11: `DXGI_ADAPTER_DESC1`).
#[doc(alias = "DXGI_ADAPTER_DESC1")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The name that the system reports.
    pub name: String,
    /// The kind of hardware.
    pub kind: AdapterKind,
    /// The driver and the API that it uses, as readable text: `"wgpu, Vulkan"`.
    pub driver: String,
    /// PCI vendor identifier, or 0.
    pub vendor: u32,
    /// PCI device identifier, or 0.
    pub device: u32,
    /// An identifier that is unique among the driver's adapters (DXGI: `AdapterLuid`). It stays the same as
    /// long as the machine has the same adapters.
    #[doc(alias = "AdapterLuid")]
    pub luid: u64,
}

bitflags! {
    /// Features of Direct3D 11 that depend on the adapter or that no adapter supports yet.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Features: u64 {
        /// `RasterizerDesc::depth_clip_enable == false`.
        const DEPTH_CLIP_DISABLE = 1 << 0;
        /// `FillMode::Wireframe`.
        const WIREFRAME = 1 << 1;
        /// Border colours other than transparent black, opaque black and opaque white.
        const BORDER_COLOR = 1 << 2;
        /// `TextureAddressMode::Border` with transparent black, opaque black or opaque white.
        const BORDER_ADDRESS = 1 << 3;
        /// `TextureAddressMode::MirrorOnce`.
        const MIRROR_ONCE = 1 << 4;
        /// Blending with the second output of the pixel shader.
        const DUAL_SOURCE_BLEND = 1 << 5;
        /// Linear filtering of 32-bit float textures.
        const FLOAT32_FILTER = 1 << 6;
        /// Block-compressed formats.
        const BC_TEXTURES = 1 << 7;
        /// Cube-map arrays.
        const CUBE_ARRAYS = 1 << 8;
        /// Instance step rates other than 1.
        const INSTANCE_STEP_RATE = 1 << 9;
        /// More than one viewport and scissor rectangle.
        const MULTIPLE_VIEWPORTS = 1 << 10;
        /// Logic operations in the output merger: `RenderTargetBlendDesc::logic_op_enable`.
        const LOGIC_OPS = 1 << 11;
        /// Anti-aliased lines.
        const ANTIALIASED_LINES = 1 << 12;
        /// Geometry shaders.
        const GEOMETRY_SHADERS = 1 << 13;
        /// Hull and domain shaders.
        const TESSELLATION = 1 << 14;
        /// Stream output.
        const STREAM_OUTPUT = 1 << 15;
        /// Compute shaders that write structured buffers through unordered-access views.
        const COMPUTE = 1 << 16;
        /// Multisampled textures, and resolving them.
        const MULTISAMPLING = 1 << 17;
        /// One- and three-dimensional textures.
        const TEXTURE_1D_3D = 1 << 18;
        /// Typed buffer views.
        const BUFFER_VIEWS = 1 << 19;
        /// Queries that count visible samples. Without this feature, queries can still ask whether anything was
        /// visible.
        const OCCLUSION_COUNTS = 1 << 20;
        /// Indirect draws and dispatches.
        const INDIRECT_DRAWS = 1 << 21;
        /// Structured buffers and their views.
        const STRUCTURED_BUFFERS = 1 << 22;
        /// Unordered-access views of textures, and their use in pixel shaders.
        const UNORDERED_ACCESS = 1 << 23;
        /// Raw views of buffers.
        const RAW_BUFFERS = 1 << 24;
        /// Hidden counters of unordered-access views of structured buffers.
        const COUNTERS = 1 << 25;
        /// Pixel shaders that require the depth and stencil tests before they run: `[earlydepthstencil]`, in WGSL
        /// `@early_depth_test(force)`.
        const EARLY_DEPTH_STENCIL = 1 << 26;
        /// Vertex shaders that output clip distances: `SV_ClipDistance`, in WGSL `@builtin(clip_distances)`.
        const CLIP_DISTANCES = 1 << 27;
        /// Queries of the GPU's clock.
        const TIMESTAMPS = 1 << 28;
        /// Queries that count the work of the pipeline stages.
        const PIPELINE_STATISTICS = 1 << 29;
        /// `FilterReduction::Minimum` and `FilterReduction::Maximum`, except for cube maps.
        const MIN_MAX_FILTERS = 1 << 30;
        /// Pixel shaders that read the primitive's index: `SV_PrimitiveID`, in WGSL `@builtin(primitive_index)`.
        const PRIMITIVE_ID = 1 << 31;
        /// Commands that depend on the result of a query.
        const PREDICATION = 1 << 32;
        /// `ConservativeRasterizationMode::On`.
        const CONSERVATIVE_RASTERIZATION = 1 << 33;
        /// `RasterizerDesc::forced_sample_count` other than 0.
        const FORCED_SAMPLE_COUNT = 1 << 34;
    }
}

/// The drawing capabilities of an adapter (D3D11: `D3D11DDI_3DPIPELINESUPPORT_CAPS` and further limits that
/// the runtime needs).
#[doc(alias = "D3D11DDI_3DPIPELINESUPPORT_CAPS")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineCaps {
    /// The levels that a device may be created with, best first.
    pub feature_levels: Vec<FeatureLevel>,
    /// The supported features.
    pub features: Features,
    /// Maximum width and height of a 1D or 2D texture, in texels.
    pub max_texture_2d: u32,
    /// Maximum width, height and depth of a 3D texture, in texels.
    pub max_texture_3d: u32,
    /// Maximum number of slices of a 1D or 2D texture array.
    pub max_array_slices: u32,
    /// Maximum buffer size, in bytes.
    pub max_buffer: u64,
    /// Maximum range of a constant buffer that a shader sees, in bytes.
    pub max_constant_buffer_view: u32,
    /// Maximum number of vertex buffers that an input layout reads.
    pub max_vertex_buffers: u32,
    /// Maximum number of elements in an input layout.
    pub max_input_elements: u32,
    /// Maximum number of render targets bound at once.
    pub max_render_targets: u32,
    /// Maximum size, in bytes, of a dynamic constant buffer or shader-resource buffer that is discarded with one call
    /// ([`crate::ContextFuncs::dynamic_replace`]) instead of a map and an unmap. 0 disables such calls.
    pub max_replaced_buffer: u32,
}

bitflags! {
    /// The supported uses of a format (D3D11: `D3D11_FORMAT_SUPPORT`, with its values).
    ///
    /// A typeless format has the bits of textures, while its typed members have the bits of reading and drawing. No
    /// driver sets `SO_BUFFER`, `SHADER_SAMPLE_MONO_TEXT` or one of the four video bits.
    #[doc(alias = "D3D11_FORMAT_SUPPORT")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct FormatSupport: u32 {
        /// Buffers: as vertex elements, as indices, or as elements of typed views (then also `SHADER_LOAD`).
        const BUFFER = 0x1;
        /// Vertex elements.
        const IA_VERTEX_BUFFER = 0x2;
        /// Indices.
        const IA_INDEX_BUFFER = 0x4;
        /// Stream output.
        const SO_BUFFER = 0x8;
        /// 1D textures.
        const TEXTURE1D = 0x10;
        /// 2D textures.
        const TEXTURE2D = 0x20;
        /// 3D textures.
        const TEXTURE3D = 0x40;
        /// Cube maps.
        const TEXTURECUBE = 0x80;
        /// `textureLoad`.
        const SHADER_LOAD = 0x100;
        /// `textureSample`, filtered.
        const SHADER_SAMPLE = 0x200;
        /// `textureSampleCompare`.
        const SHADER_SAMPLE_COMPARISON = 0x400;
        /// Filters of one-bit text (`D3D11_FILTER_TYPE_TEXT_1BIT`), which level 11 does not have.
        const SHADER_SAMPLE_MONO_TEXT = 0x800;
        /// Mip levels.
        const MIP = 0x1000;
        /// `generate_mips`.
        const MIP_AUTOGEN = 0x2000;
        /// Render targets.
        const RENDER_TARGET = 0x4000;
        /// Blended render targets.
        const BLENDABLE = 0x8000;
        /// Depth-stencil targets.
        const DEPTH_STENCIL = 0x10000;
        /// Maps of staging and dynamic resources.
        const CPU_LOCKABLE = 0x20000;
        /// Resolving multisampled textures to one sample.
        const MULTISAMPLE_RESOLVE = 0x40000;
        /// Swap-chain buffers.
        const DISPLAY = 0x80000;
        /// Views of the same format as a typed resource, which are casts within the typeless family.
        const CAST_WITHIN_BIT_LAYOUT = 0x100000;
        /// Multisampled render targets and depth-stencil targets.
        const MULTISAMPLE_RENDERTARGET = 0x200000;
        /// `textureLoad` of one sample of a multisampled texture.
        const MULTISAMPLE_LOAD = 0x400000;
        /// `textureGather`.
        const SHADER_GATHER = 0x800000;
        /// Viewing a back buffer of this format with or without sRGB.
        const BACK_BUFFER_CAST = 0x1000000;
        /// Unordered-access views of typed buffers, and also of textures if [`FormatSupport2::UAV_TYPED_STORE`] is set.
        const TYPED_UNORDERED_ACCESS_VIEW = 0x2000000;
        /// `textureGatherCompare`.
        const SHADER_GATHER_COMPARISON = 0x4000000;
        /// Output of a video decoder.
        const DECODER_OUTPUT = 0x8000000;
        /// Output of a video processor.
        const VIDEO_PROCESSOR_OUTPUT = 0x10000000;
        /// Input of a video processor.
        const VIDEO_PROCESSOR_INPUT = 0x20000000;
        /// Input of a video encoder.
        const VIDEO_ENCODER = 0x40000000;
    }
}

bitflags! {
    /// The shader operations on unordered-access views of textures and typed buffers of a format, and further
    /// queries of Direct3D 11.1 and later (D3D11: `D3D11_FORMAT_SUPPORT2`, with its values).
    ///
    /// No driver sets `TILED`, `SHAREABLE` or `MULTIPLANE_OVERLAY`.
    #[doc(alias = "D3D11_FORMAT_SUPPORT2")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct FormatSupport2: u32 {
        /// `atomicAdd` and `textureAtomicAdd`.
        const UAV_ATOMIC_ADD = 0x1;
        /// Atomic and, or, exclusive or.
        const UAV_ATOMIC_BITWISE_OPS = 0x2;
        /// Atomic comparison with a store or an exchange, which WGSL supports for buffers but not for textures.
        const UAV_ATOMIC_COMPARE_STORE_OR_COMPARE_EXCHANGE = 0x4;
        /// Atomic exchange, which WGSL supports for buffers but not for textures.
        const UAV_ATOMIC_EXCHANGE = 0x8;
        /// Atomic minimum and maximum of signed integers.
        const UAV_ATOMIC_SIGNED_MIN_OR_MAX = 0x10;
        /// Atomic minimum and maximum of unsigned integers.
        const UAV_ATOMIC_UNSIGNED_MIN_OR_MAX = 0x20;
        /// Loading from unordered-access views of textures that a shader also stores to.
        const UAV_TYPED_LOAD = 0x40;
        /// Storing to unordered-access views of textures.
        const UAV_TYPED_STORE = 0x80;
        /// Logic operations in the output merger.
        const OUTPUT_MERGER_LOGIC_OP = 0x100;
        /// Tiled resources.
        const TILED = 0x200;
        /// Resources that other devices can open.
        const SHAREABLE = 0x400;
        /// Multiplane overlays.
        const MULTIPLANE_OVERLAY = 0x4000;
    }
}
