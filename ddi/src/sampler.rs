//! Sampler states: filters, texture addressing, and limits of the mip level.

use crate::state::{ComparisonFunc, bitwise_eq};

/// How a sampler combines the texels that it reads (D3D11: `D3D11_FILTER_REDUCTION_TYPE`).
#[doc(alias = "D3D11_FILTER_REDUCTION_TYPE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum FilterReduction {
    /// Averages the texels by their weights (default).
    #[default]
    Standard,
    /// Compares each texel with a reference value and averages the results, which are 0 or 1.
    Comparison,
    /// Returns the minimum of the texels with a nonzero weight, per component, which needs
    /// [`Features::MIN_MAX_FILTERS`](crate::Features::MIN_MAX_FILTERS).
    Minimum,
    /// Returns the maximum of the texels with a nonzero weight, per component, which needs
    /// [`Features::MIN_MAX_FILTERS`](crate::Features::MIN_MAX_FILTERS).
    Maximum,
}

/// How a sampler filters texels (D3D11: `D3D11_FILTER`, split into its components).
///
/// There is a constant for each value of `D3D11_FILTER`, and [`Filter::from_u32`] converts a number to a
/// filter.
#[doc(alias = "D3D11_FILTER")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Whether the filter is linear when the texture is minified (a texel covers less than a pixel).
    pub min_linear: bool,
    /// Whether the filter is linear when the texture is magnified (a texel covers more than a pixel).
    pub mag_linear: bool,
    /// Whether the filter interpolates linearly between the two nearest mip levels.
    pub mip_linear: bool,
    /// Whether the filter is anisotropic, and therefore linear for minification, magnification and mip
    /// levels.
    pub anisotropic: bool,
    /// How the texels that the filter reads are combined.
    pub reduction: FilterReduction,
}

/// Defines a constant for each value of `D3D11_FILTER`.
macro_rules! filters {
    ($($name:ident $d3d11:literal $bits:literal;)*) => {
        impl Filter {
            /// All filters of Direct3D 11, in the order of their numbers.
            pub const ALL: [Self; 36] = [$(Self::$name),*];

            $(
                #[doc = concat!("`", $d3d11, "`.")]
                #[doc(alias = $d3d11)]
                pub const $name: Self = Self::of_bits($bits);
            )*
        }
    };
}

filters! {
    MIN_MAG_MIP_POINT "D3D11_FILTER_MIN_MAG_MIP_POINT" 0x000;
    MIN_MAG_POINT_MIP_LINEAR "D3D11_FILTER_MIN_MAG_POINT_MIP_LINEAR" 0x001;
    MIN_POINT_MAG_LINEAR_MIP_POINT "D3D11_FILTER_MIN_POINT_MAG_LINEAR_MIP_POINT" 0x004;
    MIN_POINT_MAG_MIP_LINEAR "D3D11_FILTER_MIN_POINT_MAG_MIP_LINEAR" 0x005;
    MIN_LINEAR_MAG_MIP_POINT "D3D11_FILTER_MIN_LINEAR_MAG_MIP_POINT" 0x010;
    MIN_LINEAR_MAG_POINT_MIP_LINEAR "D3D11_FILTER_MIN_LINEAR_MAG_POINT_MIP_LINEAR" 0x011;
    MIN_MAG_LINEAR_MIP_POINT "D3D11_FILTER_MIN_MAG_LINEAR_MIP_POINT" 0x014;
    MIN_MAG_MIP_LINEAR "D3D11_FILTER_MIN_MAG_MIP_LINEAR" 0x015;
    ANISOTROPIC "D3D11_FILTER_ANISOTROPIC" 0x055;
    COMPARISON_MIN_MAG_MIP_POINT "D3D11_FILTER_COMPARISON_MIN_MAG_MIP_POINT" 0x080;
    COMPARISON_MIN_MAG_POINT_MIP_LINEAR "D3D11_FILTER_COMPARISON_MIN_MAG_POINT_MIP_LINEAR" 0x081;
    COMPARISON_MIN_POINT_MAG_LINEAR_MIP_POINT "D3D11_FILTER_COMPARISON_MIN_POINT_MAG_LINEAR_MIP_POINT" 0x084;
    COMPARISON_MIN_POINT_MAG_MIP_LINEAR "D3D11_FILTER_COMPARISON_MIN_POINT_MAG_MIP_LINEAR" 0x085;
    COMPARISON_MIN_LINEAR_MAG_MIP_POINT "D3D11_FILTER_COMPARISON_MIN_LINEAR_MAG_MIP_POINT" 0x090;
    COMPARISON_MIN_LINEAR_MAG_POINT_MIP_LINEAR "D3D11_FILTER_COMPARISON_MIN_LINEAR_MAG_POINT_MIP_LINEAR" 0x091;
    COMPARISON_MIN_MAG_LINEAR_MIP_POINT "D3D11_FILTER_COMPARISON_MIN_MAG_LINEAR_MIP_POINT" 0x094;
    COMPARISON_MIN_MAG_MIP_LINEAR "D3D11_FILTER_COMPARISON_MIN_MAG_MIP_LINEAR" 0x095;
    COMPARISON_ANISOTROPIC "D3D11_FILTER_COMPARISON_ANISOTROPIC" 0x0d5;
    MINIMUM_MIN_MAG_MIP_POINT "D3D11_FILTER_MINIMUM_MIN_MAG_MIP_POINT" 0x100;
    MINIMUM_MIN_MAG_POINT_MIP_LINEAR "D3D11_FILTER_MINIMUM_MIN_MAG_POINT_MIP_LINEAR" 0x101;
    MINIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT "D3D11_FILTER_MINIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT" 0x104;
    MINIMUM_MIN_POINT_MAG_MIP_LINEAR "D3D11_FILTER_MINIMUM_MIN_POINT_MAG_MIP_LINEAR" 0x105;
    MINIMUM_MIN_LINEAR_MAG_MIP_POINT "D3D11_FILTER_MINIMUM_MIN_LINEAR_MAG_MIP_POINT" 0x110;
    MINIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR "D3D11_FILTER_MINIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR" 0x111;
    MINIMUM_MIN_MAG_LINEAR_MIP_POINT "D3D11_FILTER_MINIMUM_MIN_MAG_LINEAR_MIP_POINT" 0x114;
    MINIMUM_MIN_MAG_MIP_LINEAR "D3D11_FILTER_MINIMUM_MIN_MAG_MIP_LINEAR" 0x115;
    MINIMUM_ANISOTROPIC "D3D11_FILTER_MINIMUM_ANISOTROPIC" 0x155;
    MAXIMUM_MIN_MAG_MIP_POINT "D3D11_FILTER_MAXIMUM_MIN_MAG_MIP_POINT" 0x180;
    MAXIMUM_MIN_MAG_POINT_MIP_LINEAR "D3D11_FILTER_MAXIMUM_MIN_MAG_POINT_MIP_LINEAR" 0x181;
    MAXIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT "D3D11_FILTER_MAXIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT" 0x184;
    MAXIMUM_MIN_POINT_MAG_MIP_LINEAR "D3D11_FILTER_MAXIMUM_MIN_POINT_MAG_MIP_LINEAR" 0x185;
    MAXIMUM_MIN_LINEAR_MAG_MIP_POINT "D3D11_FILTER_MAXIMUM_MIN_LINEAR_MAG_MIP_POINT" 0x190;
    MAXIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR "D3D11_FILTER_MAXIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR" 0x191;
    MAXIMUM_MIN_MAG_LINEAR_MIP_POINT "D3D11_FILTER_MAXIMUM_MIN_MAG_LINEAR_MIP_POINT" 0x194;
    MAXIMUM_MIN_MAG_MIP_LINEAR "D3D11_FILTER_MAXIMUM_MIN_MAG_MIP_LINEAR" 0x195;
    MAXIMUM_ANISOTROPIC "D3D11_FILTER_MAXIMUM_ANISOTROPIC" 0x1d5;
}

impl Filter {
    const fn of_bits(bits: u32) -> Self {
        Self {
            min_linear: bits & 0x10 != 0,
            mag_linear: bits & 0x4 != 0,
            mip_linear: bits & 0x1 != 0,
            anisotropic: bits & 0x40 != 0,
            reduction: match bits >> 7 & 3 {
                0 => FilterReduction::Standard,
                1 => FilterReduction::Comparison,
                2 => FilterReduction::Minimum,
                _ => FilterReduction::Maximum,
            },
        }
    }

    /// Returns the filter with the given number in `D3D11_FILTER`, or `None` if no filter has this number.
    pub const fn from_u32(number: u32) -> Option<Self> {
        let filter = Self::of_bits(number);
        if filter.to_u32() == number { Some(filter) } else { None }
    }

    /// Returns the filter's number in `D3D11_FILTER`, which has all three linear bits set if the filter is
    /// anisotropic.
    pub const fn to_u32(self) -> u32 {
        let Self { min_linear, mag_linear, mip_linear, anisotropic, reduction } = self;
        let parts = if anisotropic {
            0x55
        } else {
            (min_linear as u32) << 4 | (mag_linear as u32) << 2 | mip_linear as u32
        };
        parts | (reduction as u32) << 7
    }

    /// Whether the sampler compares with a reference value before filtering.
    pub const fn is_comparison(self) -> bool {
        matches!(self.reduction, FilterReduction::Comparison)
    }
}

/// How a sampler reads outside of a texture (D3D11: `D3D11_TEXTURE_ADDRESS_MODE`).
#[doc(alias = "D3D11_TEXTURE_ADDRESS_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextureAddressMode {
    /// Repeats the texture in all directions, like tiles.
    Wrap,
    /// Repeats the texture and mirrors every second copy, so that edges match.
    Mirror,
    /// Repeats the texels of the edge outside of the texture.
    Clamp,
    /// Returns the border colour of the sampler outside of the texture.
    Border,
    /// Mirrors the texture once, and then repeats the texels of the edge.
    MirrorOnce,
}

/// The description of a sampler: filter, addressing and mip levels (D3D11: `D3D11_SAMPLER_DESC`).
#[doc(alias = "D3D11_SAMPLER_DESC")]
#[derive(Copy, Clone, Debug)]
pub struct SamplerDesc {
    /// How texels are filtered (default: `MIN_MAG_MIP_LINEAR`).
    pub filter: Filter,
    /// Addressing in u outside of the texture (default: `Clamp`).
    pub address_u: TextureAddressMode,
    /// Addressing in v outside of the texture (default: `Clamp`).
    pub address_v: TextureAddressMode,
    /// Addressing in w outside of the texture (default: `Clamp`).
    pub address_w: TextureAddressMode,
    /// Value added to the mip level, -16 to 15.99 (default: 0), and also to a level that the shader
    /// specifies.
    pub mip_lod_bias: f32,
    /// Maximum anisotropy of an anisotropic filter, 1 to 16 (default: 1).
    pub max_anisotropy: u32,
    /// The comparison function of a comparison filter (default: `Never`).
    pub comparison_func: ComparisonFunc,
    /// The colour for [`TextureAddressMode::Border`] (default: white). Its components and their range are
    /// those of the texture's format. A comparison filter uses the first component as depth.
    pub border_color: [f32; 4],
    /// Minimum mip level after adding the bias (default: unlimited).
    pub min_lod: f32,
    /// Maximum mip level after adding the bias (default: unlimited), unless it is less than `min_lod`, in
    /// which case the mip level is `min_lod`.
    pub max_lod: f32,
}

impl Default for SamplerDesc {
    /// Returns the defaults of `CD3D11_SAMPLER_DESC(CD3D11_DEFAULT)`.
    fn default() -> Self {
        Self {
            filter: Filter::MIN_MAG_MIP_LINEAR,
            address_u: TextureAddressMode::Clamp,
            address_v: TextureAddressMode::Clamp,
            address_w: TextureAddressMode::Clamp,
            mip_lod_bias: 0.0,
            max_anisotropy: 1,
            comparison_func: ComparisonFunc::Never,
            border_color: [1.0; 4],
            min_lod: f32::MIN,
            max_lod: f32::MAX,
        }
    }
}

impl SamplerDesc {
    /// Describes a sampler with the same address mode for all three coordinates, and default values for all
    /// other fields.
    pub fn new(filter: Filter, address: TextureAddressMode) -> Self {
        Self { filter, address_u: address, address_v: address, address_w: address, ..Self::default() }
    }

    /// Describes a comparison sampler for shadow maps, with clamped addressing.
    pub fn comparison(filter: Filter, comparison_func: ComparisonFunc) -> Self {
        Self {
            filter: Filter { reduction: FilterReduction::Comparison, ..filter },
            comparison_func,
            ..Self::new(filter, TextureAddressMode::Clamp)
        }
    }
}

bitwise_eq!(SamplerDesc, |d| (
    d.filter,
    [d.address_u, d.address_v, d.address_w],
    d.mip_lod_bias.to_bits(),
    d.max_anisotropy,
    d.comparison_func,
    d.border_color.map(f32::to_bits),
    [d.min_lod.to_bits(), d.max_lod.to_bits()],
));
