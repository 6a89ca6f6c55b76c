//! Adapter capabilities, which the runtime queries before it creates a device.
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
/// As in D3D11, a driver cannot support command lists without free threading.
#[doc(alias = "D3D11DDI_THREADING_CAPS")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadingCaps {
    /// Only one thread at a time is in the driver, because the runtime takes a lock around each entry. The
    /// runtime also records command lists itself.
    Serialized,
    /// Create, destroy, open, calc and check entries are free-threaded (`D3D11DDICAPS_FREETHREADED`), but the runtime
    /// records command lists itself.
    FreeThreaded,
    /// The driver also supports deferred contexts and command lists (`D3D11DDICAPS_COMMANDLISTS_BUILD_2`).
    CommandLists,
}

/// A set of hardware features, independent of the [`DdiVersion`](crate::DdiVersion) (D3D11:
/// `D3D_FEATURE_LEVEL`).
#[doc(alias = "D3D_FEATURE_LEVEL")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FeatureLevel {
    /// The features of Direct3D 10 (`D3D_FEATURE_LEVEL_10_0`).
    #[doc(alias = "D3D_FEATURE_LEVEL_10_0")]
    Level10_0,
    /// The features of Direct3D 10.1 (`D3D_FEATURE_LEVEL_10_1`).
    #[doc(alias = "D3D_FEATURE_LEVEL_10_1")]
    Level10_1,
    /// A level that Direct3D 11 does not have: `D3D_FEATURE_LEVEL_11_0` without the stages and features that
    /// `check_feature_support` reports as missing.
    #[doc(alias = "D3D_FEATURE_LEVEL_11_0")]
    Core11,
    /// The features of Direct3D 11, with all stages (`D3D_FEATURE_LEVEL_11_0`).
    #[doc(alias = "D3D_FEATURE_LEVEL_11_0")]
    Level11_0,
    /// The features of Direct3D 11.1, with all stages (`D3D_FEATURE_LEVEL_11_1`).
    #[doc(alias = "D3D_FEATURE_LEVEL_11_1")]
    Level11_1,
}

/// The hardware type of an adapter, by which an application can choose an adapter.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AdapterKind {
    /// A GPU with dedicated memory, such as a graphics card.
    Discrete,
    /// A GPU that shares memory with the CPU.
    Integrated,
    /// A GPU that a virtual machine provides to its guest.
    Virtual,
    /// Rendering runs on the CPU, as in a software rasterizer (D3D11: `DXGI_ADAPTER_FLAG_SOFTWARE`).
    #[doc(alias = "DXGI_ADAPTER_FLAG_SOFTWARE")]
    Software,
    /// The null driver, which implements the contract but draws nothing.
    Null,
    /// The system does not report the hardware type.
    Other,
}

/// An adapter that a driver can open (D3D11: `DXGI_ADAPTER_DESC1`).
#[doc(alias = "DXGI_ADAPTER_DESC1")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The name of the adapter that the system reports.
    pub name: String,
    /// The hardware type, as far as the system reports it.
    pub kind: AdapterKind,
    /// The driver and the API that it uses, as readable text: `"wgpu, Vulkan"`.
    pub driver: String,
    /// PCI vendor identifier of the adapter, or 0 if the system reports none.
    pub vendor: u32,
    /// PCI device identifier of the adapter, or 0 if the system reports none.
    pub device: u32,
    /// An identifier that is unique among the driver's adapters (DXGI: `AdapterLuid`) and does not change
    /// while the machine has the same adapters.
    #[doc(alias = "AdapterLuid")]
    pub luid: u64,
}

bitflags! {
    /// Features of Direct3D 11 that depend on the adapter or that no adapter supports yet.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Features: u64 {
        /// Drawing without clipping at the near and far planes: `RasterizerDesc::depth_clip_enable == false`.
        const DEPTH_CLIP_DISABLE = 1 << 0;
        /// Drawing only the edges of triangles, with a fill mode of `FillMode::Wireframe`.
        const WIREFRAME = 1 << 1;
        /// Border colours other than transparent black, opaque black and opaque white.
        const BORDER_COLOR = 1 << 2;
        /// Border addressing with transparent black, opaque black or opaque white:
        /// `TextureAddressMode::Border`.
        const BORDER_ADDRESS = 1 << 3;
        /// Texture addressing that mirrors a texture once and then repeats its edge:
        /// `TextureAddressMode::MirrorOnce`.
        const MIRROR_ONCE = 1 << 4;
        /// Blending with the second output of the pixel shader, by factors such as `Blend::Src1Color`.
        const DUAL_SOURCE_BLEND = 1 << 5;
        /// Linear filtering of textures whose components are 32-bit floats.
        const FLOAT32_FILTER = 1 << 6;
        /// Textures of the block-compressed formats BC1 to BC7.
        const BC_TEXTURES = 1 << 7;
        /// Cube-map arrays and their views.
        const CUBE_ARRAYS = 1 << 8;
        /// Instance step rates other than 1, for elements that do not advance with every instance.
        const INSTANCE_STEP_RATE = 1 << 9;
        /// Geometry shaders, and vertex shaders in HLSL, that select one of 16 viewports and scissor rectangles:
        /// `SV_ViewportArrayIndex`.
        /// Without the feature, 16 can be set, and draws use the first.
        const MULTIPLE_VIEWPORTS = 1 << 10;
        /// Logic operations in the output merger: `RenderTargetBlendDesc::logic_op_enable`.
        const LOGIC_OPS = 1 << 11;
        /// Lines that are anti-aliased with alpha instead of being drawn as quadrilaterals:
        /// `RasterizerDesc::antialiased_line_enable`.
        const ANTIALIASED_LINES = 1 << 12;
        /// Shaders of the geometry stage, between the vertex and the pixel stage.
        const GEOMETRY_SHADERS = 1 << 13;
        /// Shaders of the hull and domain stages, which draw patches.
        const TESSELLATION = 1 << 14;
        /// Writing the vertices of a draw to buffers, and the stream-output queries.
        const STREAM_OUTPUT = 1 << 15;
        /// Compute shaders that write structured buffers through unordered-access views.
        const COMPUTE = 1 << 16;
        /// Multisampled textures, as targets and for shaders, and resolving them to one sample.
        const MULTISAMPLING = 1 << 17;
        /// 1D and 3D textures, and their views.
        const TEXTURE_1D_3D = 1 << 18;
        /// Typed buffer views, for example for HLSL's `Buffer<float4>`.
        const BUFFER_VIEWS = 1 << 19;
        /// Queries that count visible samples, whereas queries that only report whether any sample was
        /// visible do not need this feature.
        const OCCLUSION_COUNTS = 1 << 20;
        /// Draws and dispatches whose arguments the GPU reads from a buffer.
        const INDIRECT_DRAWS = 1 << 21;
        /// Structured buffers, which a shader reads as arrays of structs, and their views.
        const STRUCTURED_BUFFERS = 1 << 22;
        /// Unordered-access views of textures, and unordered-access views of any resource in pixel shaders.
        const UNORDERED_ACCESS = 1 << 23;
        /// Raw buffer views, through which a shader accesses 4-byte words instead of structs.
        const RAW_BUFFERS = 1 << 24;
        /// Hidden counters in unordered-access views of structured buffers.
        const COUNTERS = 1 << 25;
        /// Pixel shaders that run only after the depth and stencil tests: `[earlydepthstencil]`, in WGSL
        /// `@early_depth_test(force)`.
        const EARLY_DEPTH_STENCIL = 1 << 26;
        /// Vertex shaders that output clip distances: `SV_ClipDistance`, in WGSL `@builtin(clip_distances)`.
        const CLIP_DISTANCES = 1 << 27;
        /// Queries for the GPU's timestamps and their frequency.
        const TIMESTAMPS = 1 << 28;
        /// Queries that count the invocations of pipeline stages: [`crate::QueryType::PipelineStatistics`].
        const PIPELINE_STATISTICS = 1 << 29;
        /// Filters that return the minimum or maximum of texels, for all textures except cube maps:
        /// `FilterReduction::Minimum` and `FilterReduction::Maximum`.
        const MIN_MAX_FILTERS = 1 << 30;
        /// Pixel shaders that read the primitive's index: `SV_PrimitiveID`, in WGSL `@builtin(primitive_index)`.
        const PRIMITIVE_ID = 1 << 31;
        /// Skipping commands depending on the result of a query: [`crate::ContextFuncs::set_predication`].
        const PREDICATION = 1 << 32;
        /// Rasterization of all pixels that a triangle touches: `ConservativeRasterizationMode::On`.
        const CONSERVATIVE_RASTERIZATION = 1 << 33;
        /// Rasterization with a sample count that differs from that of the targets: a nonzero
        /// `RasterizerDesc::forced_sample_count`.
        const FORCED_SAMPLE_COUNT = 1 << 34;
    }
}

/// The drawing capabilities of an adapter (D3D11: `D3D11DDI_3DPIPELINESUPPORT_CAPS`), with further limits
/// that the runtime needs.
#[doc(alias = "D3D11DDI_3DPIPELINESUPPORT_CAPS")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineCaps {
    /// The feature levels that a device may be created with, best first.
    pub feature_levels: Vec<FeatureLevel>,
    /// The optional features that the adapter supports.
    pub features: Features,
    /// Maximum width and height of a 1D or 2D texture, in texels.
    pub max_texture_2d: u32,
    /// Maximum width, height and depth of a 3D texture, in texels.
    pub max_texture_3d: u32,
    /// Maximum number of slices of a 1D or 2D texture array.
    pub max_array_slices: u32,
    /// Maximum size of any buffer, in bytes.
    pub max_buffer: u64,
    /// Maximum number of bytes of a constant buffer that a shader can access.
    pub max_constant_buffer_view: u32,
    /// Maximum number of vertex buffers that one input layout can use.
    pub max_vertex_buffers: u32,
    /// Maximum number of elements in an input layout, over all vertex buffers.
    pub max_input_elements: u32,
    /// Maximum number of render targets that may be bound at once.
    pub max_render_targets: u32,
    /// Maximum size, in bytes, of a dynamic constant buffer or shader-resource buffer that the runtime may
    /// discard through the [upload page](crate::upload_page) instead of a map and an unmap. With 0, the
    /// runtime always maps.
    pub max_replaced_buffer: u32,
}

bitflags! {
    /// The supported uses of a format (D3D11: `D3D11_FORMAT_SUPPORT`, with its values).
    ///
    /// A typeless format has the bits for creating textures, and the typed formats of its family have the
    /// bits for reading and drawing. No driver sets `SHADER_SAMPLE_MONO_TEXT` or any of the four video bits.
    #[doc(alias = "D3D11_FORMAT_SUPPORT")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct FormatSupport: u32 {
        /// Buffers with elements of this format: vertex elements, indices, or elements of typed views, which
        /// also need `SHADER_LOAD`.
        const BUFFER = 0x1;
        /// Elements of vertex buffers, read by the input assembler.
        const IA_VERTEX_BUFFER = 0x2;
        /// Indices of index buffers, read by the input assembler.
        const IA_INDEX_BUFFER = 0x4;
        /// Elements of buffers that receive stream output, if the driver has [`Features::STREAM_OUTPUT`].
        const SO_BUFFER = 0x8;
        /// 1D textures and texture arrays of this format, with any bind flags that the other bits allow.
        const TEXTURE1D = 0x10;
        /// 2D textures and texture arrays of this format, with any bind flags that the other bits allow.
        const TEXTURE2D = 0x20;
        /// 3D textures of this format, with any bind flags that the other bits allow.
        const TEXTURE3D = 0x40;
        /// Cube maps of this format, with any bind flags that the other bits allow.
        const TEXTURECUBE = 0x80;
        /// Loading texels without a sampler: `textureLoad` in WGSL.
        const SHADER_LOAD = 0x100;
        /// Sampling with a filter: `textureSample` in WGSL.
        const SHADER_SAMPLE = 0x200;
        /// Sampling with a comparison: `textureSampleCompare` in WGSL.
        const SHADER_SAMPLE_COMPARISON = 0x400;
        /// One-bit text filters (`D3D11_FILTER_TYPE_TEXT_1BIT`), which feature level 11 does not support.
        const SHADER_SAMPLE_MONO_TEXT = 0x800;
        /// Textures of this format with more than one mip level.
        const MIP = 0x1000;
        /// Generating mip levels from the first level with `generate_mips`.
        const MIP_AUTOGEN = 0x2000;
        /// Textures of this format that are bound as render targets.
        const RENDER_TARGET = 0x4000;
        /// Render targets whose colours are blended with the shader's output.
        const BLENDABLE = 0x8000;
        /// Textures of this format that are bound as depth-stencil targets.
        const DEPTH_STENCIL = 0x10000;
        /// Mapping staging and dynamic resources of this format for the CPU.
        const CPU_LOCKABLE = 0x20000;
        /// Resolving multisampled textures of this format to one sample.
        const MULTISAMPLE_RESOLVE = 0x40000;
        /// Swap chains whose back buffers have this format.
        const DISPLAY = 0x80000;
        /// Views of a resource of this format with other formats of the same typeless family.
        const CAST_WITHIN_BIT_LAYOUT = 0x100000;
        /// Multisampled render targets and depth-stencil targets of this format.
        const MULTISAMPLE_RENDERTARGET = 0x200000;
        /// Loading one sample of a multisampled texture: `textureLoad` in WGSL.
        const MULTISAMPLE_LOAD = 0x400000;
        /// Reading the same component of four texels: `textureGather` in WGSL.
        const SHADER_GATHER = 0x800000;
        /// Views of a back buffer of this format, with or without sRGB conversion.
        const BACK_BUFFER_CAST = 0x1000000;
        /// Unordered-access views of typed buffers, and also of textures if [`FormatSupport2::UAV_TYPED_STORE`] is set.
        const TYPED_UNORDERED_ACCESS_VIEW = 0x2000000;
        /// Comparing the same component of four texels: `textureGatherCompare` in WGSL.
        const SHADER_GATHER_COMPARISON = 0x4000000;
        /// Frames that a video decoder outputs (set by no driver).
        const DECODER_OUTPUT = 0x8000000;
        /// Frames that a video processor outputs (set by no driver).
        const VIDEO_PROCESSOR_OUTPUT = 0x10000000;
        /// Frames that a video processor reads (set by no driver).
        const VIDEO_PROCESSOR_INPUT = 0x20000000;
        /// Frames that a video encoder reads (set by no driver).
        const VIDEO_ENCODER = 0x40000000;
    }
}

bitflags! {
    /// The supported shader operations on unordered-access views of a format, for textures and typed buffers,
    /// and the further uses that Direct3D 11.1 added (D3D11: `D3D11_FORMAT_SUPPORT2`, with its values).
    #[doc(alias = "D3D11_FORMAT_SUPPORT2")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct FormatSupport2: u32 {
        /// Atomic addition: `atomicAdd` on buffers and `textureAtomicAdd` on textures.
        const UAV_ATOMIC_ADD = 0x1;
        /// Atomic bitwise AND, OR and XOR on integers.
        const UAV_ATOMIC_BITWISE_OPS = 0x2;
        /// Atomic compare-store and compare-exchange, which WGSL supports for buffers but not for textures.
        const UAV_ATOMIC_COMPARE_STORE_OR_COMPARE_EXCHANGE = 0x4;
        /// Atomic exchange, which WGSL supports for buffers but not for textures.
        const UAV_ATOMIC_EXCHANGE = 0x8;
        /// Atomic minimum and maximum of signed integers.
        const UAV_ATOMIC_SIGNED_MIN_OR_MAX = 0x10;
        /// Atomic minimum and maximum of unsigned integers.
        const UAV_ATOMIC_UNSIGNED_MIN_OR_MAX = 0x20;
        /// Loading from unordered-access views of textures of this format, even if the shader also stores to
        /// them.
        const UAV_TYPED_LOAD = 0x40;
        /// Storing to unordered-access views of textures of this format.
        const UAV_TYPED_STORE = 0x80;
        /// Logic operations on render targets of this format in the output merger.
        const OUTPUT_MERGER_LOGIC_OP = 0x100;
        /// Tiled resources of this format (set by no driver).
        const TILED = 0x200;
        /// Resources of this format that other devices can open (set by no driver).
        const SHAREABLE = 0x400;
        /// Multiplane overlays of this format on the display (set by no driver).
        const MULTIPLANE_OVERLAY = 0x4000;
    }
}
