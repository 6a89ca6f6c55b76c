//! The capabilities of a device, in the structures of `ID3D11Device::CheckFeatureSupport`.

use onze_ddi::{AdapterKind, DdiVersion, Features, Format, FormatSupport2, ThreadingCaps};

use super::Device;

/// The result of `check_feature_support` (D3D11: `D3D11_FEATURE_DATA_THREADING`,
/// `D3D11_FEATURE_DATA_DOUBLES`, `D3D11_FEATURE_DATA_D3D10_X_HARDWARE_OPTIONS`,
/// `D3D11_FEATURE_DATA_ARCHITECTURE_INFO`, `D3D11_FEATURE_DATA_SHADER_CACHE`,
/// `D3D11_FEATURE_DATA_MARKER_SUPPORT`, and additions of the driver interface).
///
/// Other structures need no field. `D3D11_FEATURE_DATA_SHADER_MIN_PRECISION_SUPPORT` would be 0 for all
/// stages, because shaders have no minimum precision. All features of `D3D11_FEATURE_DATA_D3D9_OPTIONS` and
/// related structures are supported.
#[doc(alias = "D3D11_FEATURE_DATA_THREADING")]
#[doc(alias = "D3D11_FEATURE_DATA_DOUBLES")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D10_X_HARDWARE_OPTIONS")]
#[doc(alias = "D3D11_FEATURE_DATA_ARCHITECTURE_INFO")]
#[doc(alias = "D3D11_FEATURE_DATA_SHADER_CACHE")]
#[doc(alias = "D3D11_FEATURE_DATA_MARKER_SUPPORT")]
#[doc(alias = "D3D11_FEATURE_DATA_SHADER_MIN_PRECISION_SUPPORT")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D9_OPTIONS")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureSupport {
    /// Several threads can create objects at once, because the driver is free-threaded
    /// (`DriverConcurrentCreates`).
    pub driver_concurrent_creates: bool,
    /// The driver records command lists; if false, the runtime records them (`DriverCommandLists`).
    pub driver_command_lists: bool,
    /// `vs_set_constant_buffers1` and its counterparts can bind ranges of constant buffers
    /// (`ConstantBufferOffsetting`).
    pub constant_buffer_offsetting: bool,
    /// Dynamic constant buffers can be mapped with `MapType::WriteNoOverwrite`
    /// (`MapNoOverwriteOnDynamicConstantBuffer`).
    pub map_no_overwrite_on_dynamic_constant_buffer: bool,
    /// Shaders support 64-bit floating-point numbers. Always false (`DoublePrecisionFloatShaderOps`).
    pub double_precision_float_shader_ops: bool,
    /// Compute shaders, raw buffers and structured buffers are supported
    /// (`ComputeShaders_Plus_RawAndStructuredBuffers_Via_Shader_4_x`).
    pub compute_shaders_plus_raw_and_structured_buffers: bool,
    /// The GPU renders tile by tile, so loads and stores of targets are more expensive. Always false, because
    /// the driver cannot detect such GPUs (`TileBasedDeferredRenderer`).
    pub tile_based_deferred_renderer: bool,
    /// Compiled pipelines are cached for the lifetime of the device. Always true
    /// (`D3D11_SHADER_CACHE_SUPPORT_AUTOMATIC_INPROC_CACHE`).
    pub automatic_inproc_shader_cache: bool,
    /// Profiling tools can measure the time between markers. Always false (`Profile`).
    pub marker_profile: bool,
    /// Presents may tear. Always true (DXGI: `DXGI_FEATURE_PRESENT_ALLOW_TEARING`).
    #[doc(alias = "DXGI_FEATURE_PRESENT_ALLOW_TEARING")]
    pub present_allow_tearing: bool,
    /// Support for the features that Direct3D 11.1 added.
    pub options: D3d11Options,
    /// Support for the features that Direct3D 11.2 added.
    pub options1: D3d11Options1,
    /// Support for the features that Direct3D 11.3 added.
    pub options2: D3d11Options2,
    /// The optional features that the driver supports.
    pub features: Features,
    /// The features of Direct3D 11.0 that the device lacks. Calls that need a missing feature fail with an
    /// error that names it.
    pub missing: Features,
    /// The version of the driver interface that the runtime and the driver use.
    pub interface: DdiVersion,
}

/// Support for the features that Direct3D 11.1 added (D3D11.1: `D3D11_FEATURE_DATA_D3D11_OPTIONS`).
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct D3d11Options {
    /// Blend states can combine colours with logic operations instead of blending (`OutputMergerLogicOp`).
    pub output_merger_logic_op: bool,
    /// A rasterizer state can force a sample count without targets (`UAVOnlyRenderingForcedSampleCount`).
    pub uav_only_rendering_forced_sample_count: bool,
    /// The driver receives the discard calls. Always false (`DiscardAPIsSeenByDriver`).
    pub discard_apis_seen_by_driver: bool,
    /// The driver receives the flags of `update_subresource1` and `copy_subresource_region1`. Always false
    /// (`FlagsForUpdateAndCopySeenByDriver`).
    pub flags_for_update_and_copy_seen_by_driver: bool,
    /// `clear_view` can clear rectangles of views. Always true (`ClearView`).
    pub clear_view: bool,
    /// The source and the destination of a copy may overlap. Always true (`CopyWithOverlap`).
    pub copy_with_overlap: bool,
    /// Regions of constant buffers can be updated. Always true (`ConstantBufferPartialUpdate`).
    pub constant_buffer_partial_update: bool,
    /// Constant buffers can be bound with an offset and a size, given in constants
    /// (`ConstantBufferOffsetting`).
    pub constant_buffer_offsetting: bool,
    /// Dynamic constant buffers can be mapped with `MapType::WriteNoOverwrite`
    /// (`MapNoOverwriteOnDynamicConstantBuffer`).
    pub map_no_overwrite_on_dynamic_constant_buffer: bool,
    /// `MapType::WriteNoOverwrite` works on dynamic buffers that shaders read (`MapNoOverwriteOnDynamicBufferSRV`).
    pub map_no_overwrite_on_dynamic_buffer_srv: bool,
    /// A rasterizer state can force one sample for multisampled targets (`MultisampleRTVWithForcedSampleCountOne`).
    pub multisample_rtv_with_forced_sample_count_one: bool,
    /// Shaders have an instruction for sums of absolute differences. Always false (`SAD4ShaderInstructions`).
    pub sad4_shader_instructions: bool,
    /// Shaders have additional instructions for 64-bit floating-point numbers. Always false
    /// (`ExtendedDoublesShaderInstructions`).
    pub extended_doubles_shader_instructions: bool,
    /// More types of resources can be shared. Always false (`ExtendedResourceSharing`).
    pub extended_resource_sharing: bool,
}

/// Support for the features that Direct3D 11.2 added (D3D11.2: `D3D11_FEATURE_DATA_D3D11_OPTIONS1`).
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct D3d11Options1 {
    /// The tier of tiled resources, always 0 because tiled resources are not supported
    /// (`TiledResourcesTier`).
    pub tiled_resources_tier: u32,
    /// Samplers can return the minimum or the maximum of the texels (`MinMaxFiltering`).
    pub min_max_filtering: bool,
    /// `clear_view` can clear depth-only formats. Always true (`ClearViewAlsoSupportsDepthOnlyFormats`).
    pub clear_view_also_supports_depth_only_formats: bool,
    /// Default-usage buffers can be mapped. Always false (`MapOnDefaultBuffers`).
    pub map_on_default_buffers: bool,
}

/// Support for the features that Direct3D 11.3 added (D3D11.3: `D3D11_FEATURE_DATA_D3D11_OPTIONS2`, and
/// `D3D11_FEATURE_DATA_D3D11_OPTIONS3` to `D3D11_FEATURE_DATA_D3D11_OPTIONS5`).
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS2")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS3")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS4")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS5")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct D3d11Options2 {
    /// Pixel shaders can write the stencil reference. Always false (`PSSpecifiedStencilRefSupported`).
    pub ps_specified_stencil_ref_supported: bool,
    /// Shaders can read all common formats through unordered-access views (`TypedUAVLoadAdditionalFormats`).
    pub typed_uav_load_additional_formats: bool,
    /// Shaders can use rasterizer-ordered views. Always false (`ROVsSupported`).
    pub rovs_supported: bool,
    /// The tier of conservative rasterization: 1 with `Features::CONSERVATIVE_RASTERIZATION`, or 0 without
    /// it. Higher tiers are not reported even if the adapter supports them (`ConservativeRasterizationTier`).
    pub conservative_rasterization_tier: u32,
    /// The tier of tiled resources, always 0 because tiled resources are not supported
    /// (`TiledResourcesTier`).
    pub tiled_resources_tier: u32,
    /// Default-usage textures can be mapped. Always false (`MapOnDefaultTextures`).
    pub map_on_default_textures: bool,
    /// Textures can use the standard swizzle pattern. Always false (`StandardSwizzle`).
    pub standard_swizzle: bool,
    /// The GPU and the CPU share memory, as derived from the kind of adapter (`UnifiedMemoryArchitecture`).
    pub unified_memory_architecture: bool,
    /// Vertex shaders in HLSL can select the viewport and the target's array slice
    /// (`VPAndRTArrayIndexFromAnyShaderFeedingRasterizer`). True with
    /// [`Features::GEOMETRY_SHADERS`](crate::Features::GEOMETRY_SHADERS).
    pub vp_and_rt_array_index_from_any_shader_feeding_rasterizer: bool,
    /// Textures with video formats can be shared. Always false (`ExtendedNV12SharedTextureSupported`).
    pub extended_nv12_shared_texture_supported: bool,
    /// The tier of shared resources, always 0 because resources cannot be shared (`SharedResourceTier`).
    pub shared_resource_tier: u32,
}

/// Formats for `typed_uav_load_additional_formats`, which is true only if all of them are readable through
/// unordered-access views (`D3D11_FEATURE_D3D11_OPTIONS2`: "the following set of formats").
const ADDITIONAL_FORMATS: [Format; 15] = [
    Format::R32G32B32A32_FLOAT,
    Format::R32G32B32A32_UINT,
    Format::R32G32B32A32_SINT,
    Format::R16G16B16A16_FLOAT,
    Format::R16G16B16A16_UINT,
    Format::R16G16B16A16_SINT,
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_UINT,
    Format::R8G8B8A8_SINT,
    Format::R16_FLOAT,
    Format::R16_UINT,
    Format::R16_SINT,
    Format::R8_UNORM,
    Format::R8_UINT,
    Format::R8_SINT,
];

impl Device {
    /// Returns the capabilities of the device (D3D11: `ID3D11Device::CheckFeatureSupport`; DXGI:
    /// `IDXGIFactory5::CheckFeatureSupport`).
    ///
    /// For capabilities of a single format, use [`check_format_support`](Self::check_format_support) and
    /// [`check_format_support2`](Self::check_format_support2).
    #[doc(alias = "CheckFeatureSupport")]
    pub fn check_feature_support(&self) -> FeatureSupport {
        let core = &self.core;
        let offsets = core.version.has_constant_buffer_offsets();
        let features = core.caps.features;
        let loads =
            |format: &Format| self.check_format_support2(*format).contains(FormatSupport2::UAV_TYPED_LOAD);
        let compute = Features::COMPUTE | Features::STRUCTURED_BUFFERS | Features::RAW_BUFFERS;
        FeatureSupport {
            driver_concurrent_creates: core.threading >= ThreadingCaps::FreeThreaded,
            driver_command_lists: core.threading == ThreadingCaps::CommandLists,
            constant_buffer_offsetting: offsets,
            map_no_overwrite_on_dynamic_constant_buffer: offsets,
            double_precision_float_shader_ops: false,
            compute_shaders_plus_raw_and_structured_buffers: features.contains(compute),
            tile_based_deferred_renderer: false,
            automatic_inproc_shader_cache: true,
            marker_profile: false,
            present_allow_tearing: true,
            options: D3d11Options {
                output_merger_logic_op: features.contains(Features::LOGIC_OPS),
                uav_only_rendering_forced_sample_count: features.contains(Features::FORCED_SAMPLE_COUNT),
                multisample_rtv_with_forced_sample_count_one: features
                    .contains(Features::FORCED_SAMPLE_COUNT),
                clear_view: true,
                copy_with_overlap: true,
                constant_buffer_partial_update: true,
                constant_buffer_offsetting: offsets,
                map_no_overwrite_on_dynamic_constant_buffer: offsets,
                map_no_overwrite_on_dynamic_buffer_srv: offsets,
                ..D3d11Options::default()
            },
            options1: D3d11Options1 {
                min_max_filtering: features.contains(Features::MIN_MAX_FILTERS),
                clear_view_also_supports_depth_only_formats: true,
                ..D3d11Options1::default()
            },
            options2: D3d11Options2 {
                typed_uav_load_additional_formats: ADDITIONAL_FORMATS.iter().all(loads),
                conservative_rasterization_tier: features
                    .contains(Features::CONSERVATIVE_RASTERIZATION)
                    .into(),
                unified_memory_architecture: matches!(
                    core.adapter.kind,
                    AdapterKind::Integrated | AdapterKind::Software
                ),
                vp_and_rt_array_index_from_any_shader_feeding_rasterizer: features
                    .contains(Features::GEOMETRY_SHADERS),
                ..D3d11Options2::default()
            },
            features,
            missing: features.complement(),
            interface: core.version,
        }
    }
}
