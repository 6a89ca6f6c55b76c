//! The choice of code for each pair of a texture and a sampler.
//!
//! wgpu lacks mip level biases, `MIRROR_ONCE`, most border colours, minimum and maximum filters, and filters
//! for formats that the adapter does not filter. Filters and address modes are part of the key, because
//! branches in the shader would cost more than the few variants do. The sampler's numbers (bias, limits of
//! the level, border colour) are in the [driver constants](crate::objects::shader::driver_constants), because
//! their combinations are unlimited.
//!
//! wgpu ignores the address modes for cube maps, as Direct3D 11 does, so only wgpu samples cube maps.

use std::sync::Arc;

use onze_ddi::{
    ComparisonFunc, ComponentKind, Filter, FilterReduction, Format, ResourceKind, SampleKind, SamplerDesc,
    TextureAddressMode, TextureDimension,
};

use crate::services::gpu::Gpu;

/// The code that samples a pair of a texture and a sampler.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sampling {
    /// wgpu's sampling functions, with a bias.
    Biased,
    /// The driver's functions, which load and filter texels.
    Computed(SamplingVariant),
    /// Zeros, because no texture is bound. Comparisons and borders have zeros as well.
    Nothing,
    /// The value out of bounds, because the view has no levels left. A comparison uses that value.
    Empty { components: u8, comparison: ComparisonFunc },
}

impl Sampling {
    /// Returns the code that samples a texture declared as `kind`, or `None` if wgpu's functions suffice.
    ///
    /// # Errors
    ///
    /// Neither wgpu nor the driver can sample the pair exactly, so wgpu samples it approximately.
    pub(crate) fn of(
        kind: &ResourceKind,
        view: Option<SampledView>,
        sampler: &SamplerDesc,
        abilities: SamplingAbilities,
    ) -> Result<Option<Self>, InexactSampling> {
        let ResourceKind::Texture { dimension, multisampled: false, sample } = *kind else { return Ok(None) };
        let axes = match dimension {
            TextureDimension::Cube | TextureDimension::CubeArray => 0,
            TextureDimension::D1 => 1,
            TextureDimension::D2 | TextureDimension::D2Array => 2,
            TextureDimension::D3 => 3,
        };
        let modes = [sampler.address_u, sampler.address_v, sampler.address_w];
        let mut address = [TextureAddressMode::Clamp; 3];
        address.iter_mut().zip(modes).take(axes).for_each(|(address, mode)| *address = mode);
        let is_border = address.contains(&TextureAddressMode::Border);
        let Some(SampledView { format, is_filterable, levels }) = view else {
            return Ok((is_border || sampler.filter.is_comparison()).then_some(Self::Nothing));
        };
        if levels == ViewLevels::None {
            let TexelValues { components, .. } = TexelValues::of(format);
            return Ok(Some(Self::Empty { components, comparison: sampler.comparison_func }));
        }
        let is_integer = matches!(sample, SampleKind::Sint | SampleKind::Uint);
        let lacks_border = is_border
            && (!abilities.has_borders || is_integer || !PLAIN_BORDERS.contains(&sampler.border_color));
        let is_biased = sampler.mip_lod_bias != 0.0 && !is_integer;
        let is_filtered = sampler.filter.to_u32() != 0 && sample == SampleKind::Float;
        let is_computed = address.contains(&TextureAddressMode::MirrorOnce)
            || lacks_border
            || levels == ViewLevels::Some
            || matches!(sampler.filter.reduction, FilterReduction::Minimum | FilterReduction::Maximum)
            || is_filtered && !is_filterable
            // WGSL has no bias for these types.
            || is_biased && (sample == SampleKind::Depth || dimension == TextureDimension::D1);
        if !is_computed {
            return Ok(is_biased.then_some(Self::Biased));
        }
        if axes == 0 || sample == SampleKind::Depth && !abilities.loads_depth {
            return Err(InexactSampling);
        }
        Ok(Some(Self::Computed(SamplingVariant::new(
            format,
            sampler,
            address,
            axes,
            levels == ViewLevels::Some,
        ))))
    }

    /// Returns whether the code reads the driver constants.
    pub(crate) const fn reads_constants(&self) -> bool {
        matches!(self, Self::Biased | Self::Computed(_))
    }
}

/// The properties that the driver's functions depend on. Irrelevant properties have a neutral value, which
/// keeps the number of variants small.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SamplingVariant {
    pub(crate) filter: Filter,
    pub(crate) address: [TextureAddressMode; 3],
    /// The comparison, or `Never` if the sampler has none.
    pub(crate) comparison: ComparisonFunc,
    pub(crate) texels: TexelValues,
    /// Whether the texture has a minimum mip level.
    pub(crate) clamped: bool,
}

impl SamplingVariant {
    /// Creates the variant of the properties that matter for a texture with this number of axes.
    fn new(
        format: Format,
        sampler: &SamplerDesc,
        address: [TextureAddressMode; 3],
        axes: usize,
        clamped: bool,
    ) -> Self {
        let mut filter = sampler.filter;
        // Only 2D textures have anisotropic filters (7.18.11). Other textures use the linear part of the
        // filter.
        filter.anisotropic &= axes == 2;
        // The comparison rounds references to the format's precision.
        let mut texels = TexelValues::of(format);
        let is_rounded = filter.is_comparison() && matches!(texels.numbers, ValueRange::Unorm(_));
        if !address.contains(&TextureAddressMode::Border) && !is_rounded {
            // A value out of bounds has the components of the format.
            let components = if clamped { texels.components } else { TexelValues::UNKNOWN.components };
            texels = TexelValues { components, ..TexelValues::UNKNOWN };
        }
        if let ValueRange::Unorm(bits) = &mut texels.numbers
            && !is_rounded
        {
            *bits = 0;
        }
        Self { filter, address, comparison: sampler.comparison_func, texels, clamped }
    }
}

/// A bound view.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SampledView {
    pub(crate) format: Format,
    /// Whether the adapter filters the format.
    pub(crate) is_filterable: bool,
    pub(crate) levels: ViewLevels,
}

/// The levels of a view that remain at or above the texture's minimum level.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ViewLevels {
    All,
    Some,
    None,
}

/// The components and the range of a format's texels.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TexelValues {
    /// Bit n is set if the format has component n.
    pub(crate) components: u8,
    pub(crate) numbers: ValueRange,
}

impl TexelValues {
    /// The neutral value, for variants that do not depend on the format.
    const UNKNOWN: Self = Self { components: 0xf, numbers: ValueRange::Any };

    pub(crate) fn of(format: Format) -> Self {
        let bits = format.component_bits();
        let components = (0..4).filter(|n| bits[*n] != 0).fold(0, |all, n| all | 1 << n);
        let most = bits.into_iter().max().unwrap_or(0).clamp(1, 32);
        let numbers = match format.component_kind() {
            ComponentKind::Unorm => ValueRange::Unorm(bits[0]),
            ComponentKind::Snorm => ValueRange::Snorm,
            ComponentKind::Uint => ValueRange::Integer(0, u32::MAX >> (32 - most)),
            ComponentKind::Sint => {
                let greatest = u32::MAX >> (33 - u32::from(most)).min(31);
                ValueRange::Integer(-(greatest as i32) - 1, greatest)
            }
            _ if matches!(
                format,
                Format::R11G11B10_FLOAT | Format::R9G9B9E5_SHAREDEXP | Format::BC6H_UF16
            ) =>
            {
                ValueRange::Positive
            }
            ComponentKind::Float
            | ComponentKind::Depth
            | ComponentKind::Typeless
            | ComponentKind::Unknown => ValueRange::Any,
        };
        Self { components, numbers }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ValueRange {
    /// 0 to 1 with this number of bits, or with 0 if the number is irrelevant.
    Unorm(u8),
    /// -1 to 1.
    Snorm,
    /// All numbers from 0.
    Positive,
    /// All numbers.
    Any,
    /// Integers between two inclusive bounds.
    Integer(i32, u32),
}

/// The code for each of a shader's sampled pairs, in their order, with `None` for wgpu's functions. The list
/// itself is `None` if wgpu samples all pairs.
pub(crate) type Samplings = Option<Arc<[Option<Sampling>]>>;

/// wgpu's border colours.
const PLAIN_BORDERS: [[f32; 4]; 3] = [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [1.0; 4]];

/// The sampling features of an adapter.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SamplingAbilities {
    /// Whether samplers support border colours.
    pub(crate) has_borders: bool,
    /// Whether shaders can load from depth textures, which naga cannot write in GLSL.
    pub(crate) loads_depth: bool,
}

impl SamplingAbilities {
    pub(crate) fn of(gpu: &Gpu) -> Self {
        Self {
            has_borders: gpu.features.contains(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER),
            loads_depth: gpu.info.backend != wgpu::Backend::Gl,
        }
    }
}

/// The error for a pair that cannot be sampled exactly.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct InexactSampling;
