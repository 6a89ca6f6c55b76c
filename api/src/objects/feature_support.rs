//! What a device can do, as Direct3D 11 asks for it: the structures of `ID3D11Device::CheckFeatureSupport`.

use onze_ddi::{AdapterKind, DdiVersion, Features, Format, FormatSupport2, ThreadingCaps};

use super::Device;

/// What `check_feature_support` says of a device. D3D11: `D3D11_FEATURE_DATA_THREADING`,
/// `D3D11_FEATURE_DATA_DOUBLES`, `D3D11_FEATURE_DATA_D3D10_X_HARDWARE_OPTIONS`,
/// `D3D11_FEATURE_DATA_ARCHITECTURE_INFO`, `D3D11_FEATURE_DATA_SHADER_CACHE`,
/// `D3D11_FEATURE_DATA_MARKER_SUPPORT`, and what the driver interface adds.
///
/// Shaders have no minimum precision: `D3D11_FEATURE_DATA_SHADER_MIN_PRECISION_SUPPORT` would be 0 for all stages. Of
/// `D3D11_FEATURE_DATA_D3D9_OPTIONS` and its kin everything works.
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
    /// Objects can be created by several threads at once. `DriverConcurrentCreates`.
    pub driver_concurrent_creates: bool,
    /// The driver records command lists; when false, the runtime does. `DriverCommandLists`.
    pub driver_command_lists: bool,
    /// `vs_set_constant_buffers1` works. `ConstantBufferOffsetting`.
    pub constant_buffer_offsetting: bool,
    /// `MapType::WriteNoOverwrite` works on dynamic constant buffers.
    /// `MapNoOverwriteOnDynamicConstantBuffer`.
    pub map_no_overwrite_on_dynamic_constant_buffer: bool,
    /// Shaders calculate with numbers of 64 bits: they do not. `DoublePrecisionFloatShaderOps`.
    pub double_precision_float_shader_ops: bool,
    /// There are compute shaders, raw and structured buffers.
    /// `ComputeShaders_Plus_RawAndStructuredBuffers_Via_Shader_4_x`.
    pub compute_shaders_plus_raw_and_structured_buffers: bool,
    /// The GPU draws tile by tile, so that loads and stores of targets cost more. wgpu does not say, so this is false.
    /// `TileBasedDeferredRenderer`.
    pub tile_based_deferred_renderer: bool,
    /// Compiled pipelines are kept as long as the device: `D3D11_SHADER_CACHE_SUPPORT_AUTOMATIC_INPROC_CACHE`.
    pub automatic_inproc_shader_cache: bool,
    /// Markers can be timed by tools. `Profile`.
    pub marker_profile: bool,
    /// Presents may tear. DXGI: `DXGI_FEATURE_PRESENT_ALLOW_TEARING`.
    #[doc(alias = "DXGI_FEATURE_PRESENT_ALLOW_TEARING")]
    pub present_allow_tearing: bool,
    /// What version 11.1 has added.
    pub options: D3d11Options,
    /// What version 11.2 has added.
    pub options1: D3d11Options1,
    /// What version 11.3 has added.
    pub options2: D3d11Options2,
    /// The features that work here.
    pub features: Features,
    /// The features of Direct3D 11.0 that do not work here: each is refused by name.
    pub missing: Features,
    /// The version of the driver interface that runtime and driver speak.
    pub interface: DdiVersion,
}

/// What version 11.1 has added. D3D11.1: `D3D11_FEATURE_DATA_D3D11_OPTIONS`.
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct D3d11Options {
    /// Logic operations. `OutputMergerLogicOp`.
    pub output_merger_logic_op: bool,
    /// Several samples without targets. `UAVOnlyRenderingForcedSampleCount`.
    pub uav_only_rendering_forced_sample_count: bool,
    /// The driver knows what is discarded. `DiscardAPIsSeenByDriver`.
    pub discard_apis_seen_by_driver: bool,
    /// The driver knows the flags of `update_subresource1` and `copy_subresource_region1`.
    /// `FlagsForUpdateAndCopySeenByDriver`.
    pub flags_for_update_and_copy_seen_by_driver: bool,
    /// `clear_view` works. `ClearView`.
    pub clear_view: bool,
    /// Copies may overlap. `CopyWithOverlap`.
    pub copy_with_overlap: bool,
    /// Parts of constant buffers can be updated. `ConstantBufferPartialUpdate`.
    pub constant_buffer_partial_update: bool,
    /// Constant buffers can be bound with offsets. `ConstantBufferOffsetting`.
    pub constant_buffer_offsetting: bool,
    /// `MapType::WriteNoOverwrite` works on dynamic constant buffers. `MapNoOverwriteOnDynamicConstantBuffer`.
    pub map_no_overwrite_on_dynamic_constant_buffer: bool,
    /// `MapType::WriteNoOverwrite` works on dynamic buffers that shaders read. `MapNoOverwriteOnDynamicBufferSRV`.
    pub map_no_overwrite_on_dynamic_buffer_srv: bool,
    /// Targets of several samples can be drawn into with one. `MultisampleRTVWithForcedSampleCountOne`.
    pub multisample_rtv_with_forced_sample_count_one: bool,
    /// Shaders have an instruction for sums of differences. `SAD4ShaderInstructions`.
    pub sad4_shader_instructions: bool,
    /// Shaders have more instructions for numbers of 64 bits. `ExtendedDoublesShaderInstructions`.
    pub extended_doubles_shader_instructions: bool,
    /// More resources can be shared. `ExtendedResourceSharing`.
    pub extended_resource_sharing: bool,
}

/// What version 11.2 has added. D3D11.2: `D3D11_FEATURE_DATA_D3D11_OPTIONS1`.
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct D3d11Options1 {
    /// 0: no tiled resources. `TiledResourcesTier`.
    pub tiled_resources_tier: u32,
    /// Filters that give the least and the greatest of the texels. `MinMaxFiltering`.
    pub min_max_filtering: bool,
    /// `clear_view` clears depth. `ClearViewAlsoSupportsDepthOnlyFormats`.
    pub clear_view_also_supports_depth_only_formats: bool,
    /// Buffers of default usage can be mapped. `MapOnDefaultBuffers`.
    pub map_on_default_buffers: bool,
}

/// What version 11.3 has added. D3D11.3: `D3D11_FEATURE_DATA_D3D11_OPTIONS2`, and
/// `D3D11_FEATURE_DATA_D3D11_OPTIONS3` to `D3D11_FEATURE_DATA_D3D11_OPTIONS5`.
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS2")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS3")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS4")]
#[doc(alias = "D3D11_FEATURE_DATA_D3D11_OPTIONS5")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct D3d11Options2 {
    /// Pixel shaders write a stencil reference. `PSSpecifiedStencilRefSupported`.
    pub ps_specified_stencil_ref_supported: bool,
    /// Shaders read all common formats through unordered-access views. `TypedUAVLoadAdditionalFormats`.
    pub typed_uav_load_additional_formats: bool,
    /// Rasterizer-ordered views. `ROVsSupported`.
    pub rovs_supported: bool,
    /// 0: no conservative rasterization; 1 with `Features::CONSERVATIVE_RASTERIZATION`, whatever more the adapter
    /// guarantees. `ConservativeRasterizationTier`.
    pub conservative_rasterization_tier: u32,
    /// 0: no tiled resources. `TiledResourcesTier`.
    pub tiled_resources_tier: u32,
    /// Textures of default usage can be mapped. `MapOnDefaultTextures`.
    pub map_on_default_textures: bool,
    /// Textures can have the standard swizzle pattern. `StandardSwizzle`.
    pub standard_swizzle: bool,
    /// GPU and processor have one memory: as far as the kind of adapter says. `UnifiedMemoryArchitecture`.
    pub unified_memory_architecture: bool,
    /// Vertex shaders choose a viewport and a slice of the target.
    /// `VPAndRTArrayIndexFromAnyShaderFeedingRasterizer`.
    pub vp_and_rt_array_index_from_any_shader_feeding_rasterizer: bool,
    /// Textures of video formats can be shared. `ExtendedNV12SharedTextureSupported`.
    pub extended_nv12_shared_texture_supported: bool,
    /// 0: resources are not shared. `SharedResourceTier`.
    pub shared_resource_tier: u32,
}

/// Formats that all can be read through unordered-access views if `typed_uav_load_additional_formats`
/// (`D3D11_FEATURE_D3D11_OPTIONS2`: "the following set of formats").
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
    /// What works and what does not. D3D11: `ID3D11Device::CheckFeatureSupport`; DXGI:
    /// `IDXGIFactory5::CheckFeatureSupport`.
    ///
    /// What Direct3D 11 asks by format is [`check_format_support`](Self::check_format_support) and
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
                ..D3d11Options2::default()
            },
            features,
            missing: features.complement(),
            interface: core.version,
        }
    }
}
