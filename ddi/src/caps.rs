//! What an adapter can do, as it tells the runtime before a device exists.
//!
//! ```
//! use onze_ddi::{FeatureLevel, ThreadingCaps};
//!
//! // Each is more than the one before it.
//! assert!(ThreadingCaps::CommandLists > ThreadingCaps::FreeThreaded);
//! assert!(ThreadingCaps::FreeThreaded > ThreadingCaps::Serialized);
//! ```

use bitflags::bitflags;

/// How many threads a driver can be entered with. D3D11: `D3D11DDI_THREADING_CAPS`.
///
/// Command lists without free threading cannot be said, as in D3D11.
#[doc(alias = "D3D11DDI_THREADING_CAPS")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadingCaps {
    /// One thread at a time in the whole driver: the runtime holds a lock around each entry, and
    /// records command lists itself.
    Serialized,
    /// Create, destroy, open, calc and check entries are free-threaded (`D3D11DDICAPS_FREETHREADED`);
    /// the runtime records command lists itself.
    FreeThreaded,
    /// Also deferred contexts and command lists (`D3D11DDICAPS_COMMANDLISTS_BUILD_2`).
    CommandLists,
}

/// A feature level. D3D11: `D3D_FEATURE_LEVEL`. Levels say what the hardware does, never which
/// [`DdiVersion`](crate::DdiVersion) is spoken.
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
    /// `D3D_FEATURE_LEVEL_11_0` less the stages and features that `check_feature_support` lists as
    /// missing. No level of D3D11's.
    #[doc(alias = "D3D_FEATURE_LEVEL_11_0")]
    Core11,
    /// `D3D_FEATURE_LEVEL_11_0`.
    #[doc(alias = "D3D_FEATURE_LEVEL_11_0")]
    Level11_0,
    /// `D3D_FEATURE_LEVEL_11_1`.
    #[doc(alias = "D3D_FEATURE_LEVEL_11_1")]
    Level11_1,
}

/// What kind of machine an adapter is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU lent by a virtual machine.
    Virtual,
    /// The processor draws. D3D11: `DXGI_ADAPTER_FLAG_SOFTWARE`.
    #[doc(alias = "DXGI_ADAPTER_FLAG_SOFTWARE")]
    Software,
    /// The null driver: nothing draws.
    Null,
    /// Not known.
    Other,
}

/// An adapter that a driver can open. D3D11: `DXGI_ADAPTER_DESC1`.
#[doc(alias = "DXGI_ADAPTER_DESC1")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The name, as the system gives it.
    pub name: String,
    /// What kind of machine it is.
    pub kind: AdapterKind,
    /// The driver and what it lowers to, for people: `"wgpu, Vulkan"`.
    pub driver: String,
    /// PCI vendor, or 0.
    pub vendor: u32,
    /// PCI device, or 0.
    pub device: u32,
    /// A number that no other adapter of the driver has, the same as long as the machine has the same adapters. DXGI:
    /// `AdapterLuid`.
    #[doc(alias = "AdapterLuid")]
    pub luid: u64,
}

bitflags! {
    /// Features of Direct3D 11 that depend on the adapter, or that no adapter has yet.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Features: u64 {
        /// `RasterizerDesc::depth_clip_enable == false`.
        const DEPTH_CLIP_DISABLE = 1 << 0;
        /// `FillMode::Wireframe`.
        const WIREFRAME = 1 << 1;
        /// Border colours other than transparent black, opaque black and opaque white.
        const BORDER_COLOR = 1 << 2;
        /// `TextureAddressMode::Border` with those three colours.
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
        /// Several viewports and scissor rectangles.
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
        /// Compute shaders, which write structured buffers through unordered-access views.
        const COMPUTE = 1 << 16;
        /// Textures with more than one sample, and resolving them.
        const MULTISAMPLING = 1 << 17;
        /// One- and three-dimensional textures.
        const TEXTURE_1D_3D = 1 << 18;
        /// Buffer views that are typed.
        const BUFFER_VIEWS = 1 << 19;
        /// Queries that count the samples that are visible. Whether anything was visible can be asked without it.
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
        /// Pixel shaders that want the depth and stencil tests before they run: `[earlydepthstencil]`, in WGSL
        /// `@early_depth_test(force)`.
        const EARLY_DEPTH_STENCIL = 1 << 26;
        /// Vertex shaders that give distances by which primitives are clipped: `SV_ClipDistance`, in WGSL
        /// `@builtin(clip_distances)`.
        const CLIP_DISTANCES = 1 << 27;
        /// Queries of the GPU's clock.
        const TIMESTAMPS = 1 << 28;
        /// Queries of what the stages of the pipeline have done.
        const PIPELINE_STATISTICS = 1 << 29;
        /// `FilterReduction::Minimum` and `FilterReduction::Maximum`, but for cube maps.
        const MIN_MAX_FILTERS = 1 << 30;
        /// Pixel shaders that read the number of their primitive: `SV_PrimitiveID`, in WGSL
        /// `@builtin(primitive_index)`.
        const PRIMITIVE_ID = 1 << 31;
        /// Commands that depend on the answer of a query.
        const PREDICATION = 1 << 32;
        /// `ConservativeRasterizationMode::On`.
        const CONSERVATIVE_RASTERIZATION = 1 << 33;
        /// `RasterizerDesc::forced_sample_count` other than 0.
        const FORCED_SAMPLE_COUNT = 1 << 34;
    }
}

/// What an adapter can draw. D3D11: `D3D11DDI_3DPIPELINESUPPORT_CAPS` and what the runtime asks besides.
#[doc(alias = "D3D11DDI_3DPIPELINESUPPORT_CAPS")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineCaps {
    /// The levels that a device may be created with, best first.
    pub feature_levels: Vec<FeatureLevel>,
    /// The features that work.
    pub features: Features,
    /// Largest width and height of a 1D or 2D texture, in texels.
    pub max_texture_2d: u32,
    /// Largest width, height and depth of a 3D texture, in texels.
    pub max_texture_3d: u32,
    /// Most slices of a 1D or 2D texture array.
    pub max_array_slices: u32,
    /// Largest buffer, in bytes.
    pub max_buffer: u64,
    /// Largest part of a constant buffer that a shader sees, in bytes.
    pub max_constant_buffer_view: u32,
    /// Vertex buffers that can be read by one input layout.
    pub max_vertex_buffers: u32,
    /// Elements of one input layout.
    pub max_input_elements: u32,
    /// Render targets that can be bound at once.
    pub max_render_targets: u32,
    /// Largest dynamic buffer of constants, or for shader-resource views, in bytes, that is discarded with one call
    /// ([`crate::ContextFuncs::dynamic_replace`]) instead of a map and an unmap; 0 if none is.
    pub max_replaced_buffer: u32,
}

bitflags! {
    /// What can be done with a format. D3D11: `D3D11_FORMAT_SUPPORT`, with its values.
    ///
    /// A typeless format has the bits of textures; what is read and drawn has the bits of its typed members. No driver
    /// sets `SO_BUFFER`, `SHADER_SAMPLE_MONO_TEXT` or one of the four bits of video today.
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
        /// Samples can be resolved to one.
        const MULTISAMPLE_RESOLVE = 0x40000;
        /// Swap-chain buffers.
        const DISPLAY = 0x80000;
        /// Views of the same format as a typed resource: casts within the typeless family.
        const CAST_WITHIN_BIT_LAYOUT = 0x100000;
        /// Render targets and depth-stencil targets of several samples.
        const MULTISAMPLE_RENDERTARGET = 0x200000;
        /// `textureLoad` of one sample of several.
        const MULTISAMPLE_LOAD = 0x400000;
        /// `textureGather`.
        const SHADER_GATHER = 0x800000;
        /// A back buffer of this format can be seen with sRGB, or without.
        const BACK_BUFFER_CAST = 0x1000000;
        /// Unordered-access views of typed buffers. Of textures where [`FormatSupport2::UAV_TYPED_STORE`] is set, too.
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
    /// What shaders can do with a format through unordered-access views of textures and typed buffers, and what else
    /// Direct3D 11.1 and later ask. D3D11: `D3D11_FORMAT_SUPPORT2`, with its values.
    ///
    /// No driver sets `TILED`, `SHAREABLE` or `MULTIPLANE_OVERLAY` today.
    #[doc(alias = "D3D11_FORMAT_SUPPORT2")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct FormatSupport2: u32 {
        /// `atomicAdd` and `textureAtomicAdd`.
        const UAV_ATOMIC_ADD = 0x1;
        /// Atomic and, or, exclusive or.
        const UAV_ATOMIC_BITWISE_OPS = 0x2;
        /// Atomic comparison with a store or an exchange. WGSL has it for buffers, not for textures.
        const UAV_ATOMIC_COMPARE_STORE_OR_COMPARE_EXCHANGE = 0x4;
        /// Atomic exchange. WGSL has it for buffers, not for textures.
        const UAV_ATOMIC_EXCHANGE = 0x8;
        /// Atomic minimum and maximum of signed integers.
        const UAV_ATOMIC_SIGNED_MIN_OR_MAX = 0x10;
        /// Atomic minimum and maximum of unsigned integers.
        const UAV_ATOMIC_UNSIGNED_MIN_OR_MAX = 0x20;
        /// Shaders may load from unordered-access views of textures that they also store to.
        const UAV_TYPED_LOAD = 0x40;
        /// Shaders may store to unordered-access views of textures.
        const UAV_TYPED_STORE = 0x80;
        /// Logic operations in the output merger.
        const OUTPUT_MERGER_LOGIC_OP = 0x100;
        /// Tiled resources.
        const TILED = 0x200;
        /// Resources that other devices can open.
        const SHAREABLE = 0x400;
        /// Overlays of several planes.
        const MULTIPLANE_OVERLAY = 0x4000;
    }
}
