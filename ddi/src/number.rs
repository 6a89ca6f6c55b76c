//! Conversions between enumerations and Direct3D's numbers, for programs that store descriptors as numbers.
//!
//! One table contains each enumeration with its values, and the crate does not compile if a variant is
//! missing from the table.
//!
//! ```
//! use onze_ddi::{Blend, ComparisonFunc, Filter};
//!
//! assert_eq!(Blend::from_u32(5), Some(Blend::SrcAlpha));
//! assert_eq!(ComparisonFunc::LessEqual.to_u32(), 4);
//! assert_eq!(Filter::try_from(0x55), Ok(Filter::ANISOTROPIC));
//! // Direct3D 11 does not have this value.
//! assert_eq!(Blend::try_from(99).unwrap_err().to_string(), "99 is not a valid D3D11_BLEND");
//! ```

use crate::{
    AlphaMode, Blend, BlendOp, ColorSpace, ComparisonFunc, ConservativeRasterizationMode, CullMode, FillMode,
    Filter, Format, InputClassification, LogicOp, MapType, PrimitiveTopology, QueryType, StencilOp,
    SwapEffect, TextureAddressMode, Usage, ViewDimension,
};

/// A number that is not a value of the enumeration, or that this library does not support.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UnknownNumber {
    /// The number that could not be converted.
    pub number: u32,
    /// Direct3D's name of the enumeration.
    pub enumeration: &'static str,
}

impl std::fmt::Display for UnknownNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is not a valid {}", self.number, self.enumeration)
    }
}

impl std::error::Error for UnknownNumber {}

/// Implements [`TryFrom`] and [`From`] with `from_u32` and `to_u32`.
macro_rules! conversions {
    ($($name:ident $d3d11:literal;)*) => {$(
        impl TryFrom<u32> for $name {
            type Error = UnknownNumber;

            fn try_from(number: u32) -> Result<Self, UnknownNumber> {
                Self::from_u32(number).ok_or(UnknownNumber { number, enumeration: $d3d11 })
            }
        }

        impl From<$name> for u32 {
            fn from(value: $name) -> u32 {
                value.to_u32()
            }
        }
    )*};
}

macro_rules! numbers {
    ($($d3d11:literal $name:ident { $($variant:ident = $number:literal),* $(,)? })*) => {
        $(
            impl $name {
                #[doc = concat!("Returns the value with a number of `", $d3d11, "`, or `None`.")]
                pub const fn from_u32(number: u32) -> Option<Self> {
                    match number {
                        $($number => Some(Self::$variant),)*
                        _ => None,
                    }
                }

                #[doc = concat!("Returns the value's number in `", $d3d11, "`.")]
                pub const fn to_u32(self) -> u32 {
                    match self {
                        $(Self::$variant => $number,)*
                    }
                }
            }
        )*

        conversions! { $($name $d3d11;)* }

        /// Returns each enumeration with the names and numbers of its values, and with the result of
        /// converting each number to a value and back.
        #[cfg(test)]
        fn rows() -> Vec<(&'static str, Vec<(String, u32, Option<u32>)>)> {
            vec![$((
                $d3d11,
                vec![$((
                    format!("{:?}", $name::$variant),
                    $number,
                    $name::from_u32($number).map($name::to_u32),
                )),*],
            )),*]
        }
    };
}

numbers! {
    "D3D11_BLEND" Blend {
        Zero = 1, One = 2, SrcColor = 3, InvSrcColor = 4, SrcAlpha = 5, InvSrcAlpha = 6, DestAlpha = 7,
        InvDestAlpha = 8, DestColor = 9, InvDestColor = 10, SrcAlphaSat = 11, BlendFactor = 14,
        InvBlendFactor = 15, Src1Color = 16, InvSrc1Color = 17, Src1Alpha = 18, InvSrc1Alpha = 19,
    }
    "D3D11_BLEND_OP" BlendOp { Add = 1, Subtract = 2, RevSubtract = 3, Min = 4, Max = 5 }
    "D3D11_COMPARISON_FUNC" ComparisonFunc {
        Never = 1, Less = 2, Equal = 3, LessEqual = 4, Greater = 5, NotEqual = 6, GreaterEqual = 7, Always = 8,
    }
    "D3D11_CONSERVATIVE_RASTERIZATION_MODE" ConservativeRasterizationMode { Off = 0, On = 1 }
    "D3D11_CULL_MODE" CullMode { None = 1, Front = 2, Back = 3 }
    "D3D11_FILL_MODE" FillMode { Wireframe = 2, Solid = 3 }
    "D3D11_INPUT_CLASSIFICATION" InputClassification { PerVertexData = 0, PerInstanceData = 1 }
    "D3D11_LOGIC_OP" LogicOp {
        Clear = 0, Set = 1, Copy = 2, CopyInverted = 3, Noop = 4, Invert = 5, And = 6, Nand = 7, Or = 8, Nor = 9,
        Xor = 10, Equiv = 11, AndReverse = 12, AndInverted = 13, OrReverse = 14, OrInverted = 15,
    }
    "D3D11_MAP" MapType { Read = 1, Write = 2, ReadWrite = 3, WriteDiscard = 4, WriteNoOverwrite = 5 }
    "D3D11_PRIMITIVE_TOPOLOGY" PrimitiveTopology {
        Undefined = 0, PointList = 1, LineList = 2, LineStrip = 3, TriangleList = 4, TriangleStrip = 5,
        LineListAdj = 10, LineStripAdj = 11, TriangleListAdj = 12, TriangleStripAdj = 13,
        PatchList1 = 33, PatchList2 = 34, PatchList3 = 35, PatchList4 = 36, PatchList5 = 37, PatchList6 = 38,
        PatchList7 = 39, PatchList8 = 40, PatchList9 = 41, PatchList10 = 42, PatchList11 = 43, PatchList12 = 44,
        PatchList13 = 45, PatchList14 = 46, PatchList15 = 47, PatchList16 = 48, PatchList17 = 49, PatchList18 = 50,
        PatchList19 = 51, PatchList20 = 52, PatchList21 = 53, PatchList22 = 54, PatchList23 = 55, PatchList24 = 56,
        PatchList25 = 57, PatchList26 = 58, PatchList27 = 59, PatchList28 = 60, PatchList29 = 61, PatchList30 = 62,
        PatchList31 = 63, PatchList32 = 64,
    }
    "D3D11_QUERY" QueryType {
        Event = 0, Occlusion = 1, Timestamp = 2, TimestampDisjoint = 3, PipelineStatistics = 4, OcclusionPredicate = 5,
        SoStatistics = 6, SoOverflowPredicate = 7, SoStatisticsStream0 = 8, SoOverflowPredicateStream0 = 9,
        SoStatisticsStream1 = 10, SoOverflowPredicateStream1 = 11, SoStatisticsStream2 = 12,
        SoOverflowPredicateStream2 = 13, SoStatisticsStream3 = 14, SoOverflowPredicateStream3 = 15,
    }
    "D3D11_STENCIL_OP" StencilOp {
        Keep = 1, Zero = 2, Replace = 3, IncrSat = 4, DecrSat = 5, Invert = 6, Incr = 7, Decr = 8,
    }
    "DXGI_ALPHA_MODE" AlphaMode { Unspecified = 0, Premultiplied = 1, Straight = 2, Ignore = 3 }
    "DXGI_COLOR_SPACE_TYPE" ColorSpace {
        RgbFullG22NoneP709 = 0, RgbFullG10NoneP709 = 1, RgbFullG2084NoneP2020 = 12
    }
    "DXGI_SWAP_EFFECT" SwapEffect { Discard = 0, Sequential = 1, FlipSequential = 3, FlipDiscard = 4 }
    "D3D11_TEXTURE_ADDRESS_MODE" TextureAddressMode { Wrap = 1, Mirror = 2, Clamp = 3, Border = 4, MirrorOnce = 5 }
    "D3D11_USAGE" Usage { Default = 0, Immutable = 1, Dynamic = 2, Staging = 3 }
    "D3D11_SRV_DIMENSION" ViewDimension {
        Texture1d = 2, Texture1dArray = 3, Texture2d = 4, Texture2dArray = 5, Texture2dMs = 6, Texture2dMsArray = 7,
        Texture3d = 8, TextureCube = 9, TextureCubeArray = 10,
    }
}

conversions! {
    Format "DXGI_FORMAT";
    Filter "D3D11_FILTER";
}

impl Format {
    /// The format's number in `DXGI_FORMAT`.
    pub const fn to_u32(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These values were copied from d3d11.h and dxgi.h independently of the table, and include first values,
    /// last values, and values after a gap.
    #[test]
    fn numbers_are_those_of_direct3d() {
        for (value, number, expected) in [
            ("D3D11_BLEND", 11, "SrcAlphaSat"),
            ("D3D11_BLEND", 14, "BlendFactor"),
            ("D3D11_BLEND", 19, "InvSrc1Alpha"),
            ("D3D11_BLEND_OP", 3, "RevSubtract"),
            ("D3D11_COMPARISON_FUNC", 5, "Greater"),
            ("D3D11_COMPARISON_FUNC", 8, "Always"),
            ("D3D11_CONSERVATIVE_RASTERIZATION_MODE", 1, "On"),
            ("D3D11_CULL_MODE", 1, "None"),
            ("D3D11_FILL_MODE", 2, "Wireframe"),
            ("D3D11_INPUT_CLASSIFICATION", 1, "PerInstanceData"),
            ("D3D11_LOGIC_OP", 3, "CopyInverted"),
            ("D3D11_LOGIC_OP", 4, "Noop"),
            ("D3D11_LOGIC_OP", 11, "Equiv"),
            ("D3D11_LOGIC_OP", 12, "AndReverse"),
            ("D3D11_LOGIC_OP", 15, "OrInverted"),
            ("D3D11_MAP", 4, "WriteDiscard"),
            ("D3D11_PRIMITIVE_TOPOLOGY", 5, "TriangleStrip"),
            ("D3D11_PRIMITIVE_TOPOLOGY", 10, "LineListAdj"),
            ("D3D11_PRIMITIVE_TOPOLOGY", 13, "TriangleStripAdj"),
            ("D3D11_PRIMITIVE_TOPOLOGY", 33, "PatchList1"),
            ("D3D11_PRIMITIVE_TOPOLOGY", 64, "PatchList32"),
            ("D3D11_QUERY", 0, "Event"),
            ("D3D11_STENCIL_OP", 6, "Invert"),
            ("DXGI_SWAP_EFFECT", 3, "FlipSequential"),
            ("D3D11_TEXTURE_ADDRESS_MODE", 5, "MirrorOnce"),
            ("D3D11_USAGE", 3, "Staging"),
            ("D3D11_SRV_DIMENSION", 9, "TextureCube"),
        ] {
            let rows = rows();
            let (_, values) =
                rows.iter().find(|(name, _)| *name == value).unwrap_or_else(|| panic!("{value}"));
            let found = values.iter().find(|(_, of, _)| *of == number).map(|(name, ..)| name.as_str());
            assert_eq!(found, Some(expected), "{value} {number}");
        }
    }

    #[test]
    fn every_value_is_converted_to_its_number_and_back() {
        for (name, values) in rows() {
            for (value, number, again) in values {
                assert_eq!(again, Some(number), "{name}: {value}");
            }
        }
        for format in Format::ALL {
            assert_eq!(Format::try_from(format.to_u32()), Ok(*format));
        }
    }

    /// d3d11.h has nine filters, each in a standard, a comparison, a minimum and a maximum variant.
    #[test]
    fn filters_have_the_numbers_of_direct3d() {
        let valid = [0x00, 0x01, 0x04, 0x05, 0x10, 0x11, 0x14, 0x15, 0x55];
        for number in 0..0x400 {
            let expected = number < 0x200 && valid.contains(&(number & 0x7f));
            let found = Filter::from_u32(number);
            assert_eq!(found.is_some(), expected, "{number:#x}");
            assert_eq!(found.map_or(number, Filter::to_u32), number);
        }
        for (filter, number) in [
            (Filter::MIN_MAG_MIP_POINT, 0x00),
            (Filter::MIN_MAG_POINT_MIP_LINEAR, 0x01),
            (Filter::MIN_MAG_LINEAR_MIP_POINT, 0x14),
            (Filter::MIN_MAG_MIP_LINEAR, 0x15),
            (Filter::ANISOTROPIC, 0x55),
            (Filter::COMPARISON_MIN_MAG_LINEAR_MIP_POINT, 0x94),
            (Filter::MINIMUM_MIN_LINEAR_MAG_MIP_POINT, 0x110),
            (Filter::MAXIMUM_ANISOTROPIC, 0x1d5),
        ] {
            assert_eq!(filter.to_u32(), number, "{filter:?}");
        }
    }

    #[test]
    fn an_unknown_number_names_its_enumeration() {
        for number in [0, 12, 13, 20, u32::MAX] {
            assert_eq!(Blend::try_from(number), Err(UnknownNumber { number, enumeration: "D3D11_BLEND" }));
        }
        assert_eq!(Usage::try_from(4).unwrap_err().to_string(), "4 is not a valid D3D11_USAGE");
        assert_eq!(u32::from(Usage::Staging), 3);
    }
}
