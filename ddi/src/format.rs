//! Formats: the names and numbers of `DXGI_FORMAT`, and the properties of each format.
//!
//! All properties are computed from a table with a row for each format. The table does not contain video
//! formats, because this library does not support them, or `R1_UNORM`, because Direct3D 11 does not support
//! it. The supported *uses* of a format depend on the device, so the driver reports them.
//!
//! ```
//! use onze_ddi::{ComponentKind, Format, copy_compatible};
//!
//! let format = Format::BC1_UNORM_SRGB;
//! assert_eq!((format.block_size(), format.bytes_per_block()), ((4, 4), 8));
//! assert_eq!(format.row_pitch(6), 16, "two blocks");
//! assert_eq!(format.family(), Format::BC1_TYPELESS);
//! assert_eq!(Format::R32_UINT.component_kind(), ComponentKind::Uint);
//! assert!(copy_compatible(Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UINT));
//! assert_eq!(Format::from_u32(28), Some(Format::R8G8B8A8_UNORM));
//! ```

#![allow(non_camel_case_types, reason = "DXGI's names, which every Direct3D 11 programmer searches for")]

/// How the components of a format are interpreted.
///
/// Depth formats are [`Depth`](Self::Depth), regardless of how they encode depth. Shaders read depth textures
/// through the colour formats of the same family (`R24_UNORM_X8_TYPELESS`, `X24_TYPELESS_G8_UINT` and so on).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ComponentKind {
    /// The component kind of [`Format::UNKNOWN`], which has no components.
    Unknown,
    /// Components without a type, in a typeless parent, which only views interpret.
    Typeless,
    /// Floating point, including the shared exponent of `R9G9B9E5_SHAREDEXP`.
    Float,
    /// Unsigned integers that map to 0..=1, including the sRGB formats.
    Unorm,
    /// Signed integers that map to -1..=1.
    Snorm,
    /// Unsigned integers that shaders read without conversion.
    Uint,
    /// Signed integers that shaders read without conversion.
    Sint,
    /// Depth, or depth and stencil, in a format of depth-stencil views.
    Depth,
}

/// Flag of formats with a depth plane, and of view formats that read a depth plane.
const DEPTH: u8 = 1;
/// Flag of formats with a stencil plane, and of view formats that read a stencil plane.
const STENCIL: u8 = 2;
/// Flag of formats that store colour components with the sRGB transfer function.
const SRGB: u8 = 4;

#[derive(Copy, Clone)]
struct FormatRow {
    format: Format,
    family: Format,
    kind: ComponentKind,
    bytes: u8,
    /// Width and height of a block in texels.
    block: (u8, u8),
    /// Number of bits of red, green, blue and alpha, or of depth and stencil.
    bits: [u8; 4],
    flags: u8,
}

/// The largest format number plus 1.
const NUMBERS: usize = 116;

const UNKNOWN_ROW: FormatRow = FormatRow {
    format: Format::UNKNOWN,
    family: Format::UNKNOWN,
    kind: ComponentKind::Unknown,
    bytes: 0,
    block: (1, 1),
    bits: [0; 4],
    flags: 0,
};

macro_rules! formats {
    ($(
        $name:ident $dxgi:literal = $value:literal, $family:ident, $kind:ident,
        $bytes:literal / ($bw:literal, $bh:literal), $bits:expr, $flags:expr;
    )*) => {
        /// A format of texels, vertex elements or indices, with the names (without the prefix) and numbers of
        /// `DXGI_FORMAT`.
        #[doc(alias = "DXGI_FORMAT")]
        #[repr(u32)]
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
        pub enum Format {
            /// `DXGI_FORMAT_UNKNOWN`: no format or, in the description of a view, the format of the resource.
            #[doc(alias = "DXGI_FORMAT_UNKNOWN")]
            #[default]
            UNKNOWN = 0,
            $(
                #[doc = concat!("`", $dxgi, "`.")]
                #[doc(alias = $dxgi)]
                $name = $value,
            )*
        }

        impl Format {
            /// All formats except [`UNKNOWN`](Self::UNKNOWN), in the order of their numbers.
            pub const ALL: &'static [Format] = &[$(Format::$name),*];
        }

        const ROWS: &[FormatRow; NUMBERS] = &{
            let mut rows = [UNKNOWN_ROW; NUMBERS];
            $(
                rows[$value] = FormatRow {
                    format: Format::$name,
                    family: Format::$family,
                    kind: ComponentKind::$kind,
                    bytes: $bytes,
                    block: ($bw, $bh),
                    bits: $bits,
                    flags: $flags,
                };
            )*
            rows
        };
    };
}

// The columns are: name, DXGI's name = number, typeless parent, component kind, bytes / texels per block,
// bits of RGBA, and flags for planes and sRGB. The bits of a depth-stencil format are the bits of depth and
// stencil, and the bits of a compressed format are the bits of the decoded components.
formats! {
    R32G32B32A32_TYPELESS "DXGI_FORMAT_R32G32B32A32_TYPELESS" = 1, R32G32B32A32_TYPELESS, Typeless,
        16 / (1, 1), [32, 32, 32, 32], 0;
    R32G32B32A32_FLOAT "DXGI_FORMAT_R32G32B32A32_FLOAT" = 2, R32G32B32A32_TYPELESS, Float,
        16 / (1, 1), [32, 32, 32, 32], 0;
    R32G32B32A32_UINT "DXGI_FORMAT_R32G32B32A32_UINT" = 3, R32G32B32A32_TYPELESS, Uint,
        16 / (1, 1), [32, 32, 32, 32], 0;
    R32G32B32A32_SINT "DXGI_FORMAT_R32G32B32A32_SINT" = 4, R32G32B32A32_TYPELESS, Sint,
        16 / (1, 1), [32, 32, 32, 32], 0;
    R32G32B32_TYPELESS "DXGI_FORMAT_R32G32B32_TYPELESS" = 5, R32G32B32_TYPELESS, Typeless,
        12 / (1, 1), [32, 32, 32, 0], 0;
    R32G32B32_FLOAT "DXGI_FORMAT_R32G32B32_FLOAT" = 6, R32G32B32_TYPELESS, Float, 12 / (1, 1), [32, 32, 32, 0], 0;
    R32G32B32_UINT "DXGI_FORMAT_R32G32B32_UINT" = 7, R32G32B32_TYPELESS, Uint, 12 / (1, 1), [32, 32, 32, 0], 0;
    R32G32B32_SINT "DXGI_FORMAT_R32G32B32_SINT" = 8, R32G32B32_TYPELESS, Sint, 12 / (1, 1), [32, 32, 32, 0], 0;
    R16G16B16A16_TYPELESS "DXGI_FORMAT_R16G16B16A16_TYPELESS" = 9, R16G16B16A16_TYPELESS, Typeless,
        8 / (1, 1), [16, 16, 16, 16], 0;
    R16G16B16A16_FLOAT "DXGI_FORMAT_R16G16B16A16_FLOAT" = 10, R16G16B16A16_TYPELESS, Float,
        8 / (1, 1), [16, 16, 16, 16], 0;
    R16G16B16A16_UNORM "DXGI_FORMAT_R16G16B16A16_UNORM" = 11, R16G16B16A16_TYPELESS, Unorm,
        8 / (1, 1), [16, 16, 16, 16], 0;
    R16G16B16A16_UINT "DXGI_FORMAT_R16G16B16A16_UINT" = 12, R16G16B16A16_TYPELESS, Uint,
        8 / (1, 1), [16, 16, 16, 16], 0;
    R16G16B16A16_SNORM "DXGI_FORMAT_R16G16B16A16_SNORM" = 13, R16G16B16A16_TYPELESS, Snorm,
        8 / (1, 1), [16, 16, 16, 16], 0;
    R16G16B16A16_SINT "DXGI_FORMAT_R16G16B16A16_SINT" = 14, R16G16B16A16_TYPELESS, Sint,
        8 / (1, 1), [16, 16, 16, 16], 0;
    R32G32_TYPELESS "DXGI_FORMAT_R32G32_TYPELESS" = 15, R32G32_TYPELESS, Typeless, 8 / (1, 1), [32, 32, 0, 0], 0;
    R32G32_FLOAT "DXGI_FORMAT_R32G32_FLOAT" = 16, R32G32_TYPELESS, Float, 8 / (1, 1), [32, 32, 0, 0], 0;
    R32G32_UINT "DXGI_FORMAT_R32G32_UINT" = 17, R32G32_TYPELESS, Uint, 8 / (1, 1), [32, 32, 0, 0], 0;
    R32G32_SINT "DXGI_FORMAT_R32G32_SINT" = 18, R32G32_TYPELESS, Sint, 8 / (1, 1), [32, 32, 0, 0], 0;
    R32G8X24_TYPELESS "DXGI_FORMAT_R32G8X24_TYPELESS" = 19, R32G8X24_TYPELESS, Typeless,
        8 / (1, 1), [32, 8, 0, 0], DEPTH | STENCIL;
    D32_FLOAT_S8X24_UINT "DXGI_FORMAT_D32_FLOAT_S8X24_UINT" = 20, R32G8X24_TYPELESS, Depth,
        8 / (1, 1), [32, 8, 0, 0], DEPTH | STENCIL;
    R32_FLOAT_X8X24_TYPELESS "DXGI_FORMAT_R32_FLOAT_X8X24_TYPELESS" = 21, R32G8X24_TYPELESS, Float,
        8 / (1, 1), [32, 0, 0, 0], DEPTH;
    X32_TYPELESS_G8X24_UINT "DXGI_FORMAT_X32_TYPELESS_G8X24_UINT" = 22, R32G8X24_TYPELESS, Uint,
        8 / (1, 1), [0, 8, 0, 0], STENCIL;
    R10G10B10A2_TYPELESS "DXGI_FORMAT_R10G10B10A2_TYPELESS" = 23, R10G10B10A2_TYPELESS, Typeless,
        4 / (1, 1), [10, 10, 10, 2], 0;
    R10G10B10A2_UNORM "DXGI_FORMAT_R10G10B10A2_UNORM" = 24, R10G10B10A2_TYPELESS, Unorm, 4 / (1, 1), [10, 10, 10, 2], 0;
    R10G10B10A2_UINT "DXGI_FORMAT_R10G10B10A2_UINT" = 25, R10G10B10A2_TYPELESS, Uint, 4 / (1, 1), [10, 10, 10, 2], 0;
    R11G11B10_FLOAT "DXGI_FORMAT_R11G11B10_FLOAT" = 26, R11G11B10_FLOAT, Float, 4 / (1, 1), [11, 11, 10, 0], 0;
    R8G8B8A8_TYPELESS "DXGI_FORMAT_R8G8B8A8_TYPELESS" = 27, R8G8B8A8_TYPELESS, Typeless, 4 / (1, 1), [8, 8, 8, 8], 0;
    R8G8B8A8_UNORM "DXGI_FORMAT_R8G8B8A8_UNORM" = 28, R8G8B8A8_TYPELESS, Unorm, 4 / (1, 1), [8, 8, 8, 8], 0;
    R8G8B8A8_UNORM_SRGB "DXGI_FORMAT_R8G8B8A8_UNORM_SRGB" = 29, R8G8B8A8_TYPELESS, Unorm,
        4 / (1, 1), [8, 8, 8, 8], SRGB;
    R8G8B8A8_UINT "DXGI_FORMAT_R8G8B8A8_UINT" = 30, R8G8B8A8_TYPELESS, Uint, 4 / (1, 1), [8, 8, 8, 8], 0;
    R8G8B8A8_SNORM "DXGI_FORMAT_R8G8B8A8_SNORM" = 31, R8G8B8A8_TYPELESS, Snorm, 4 / (1, 1), [8, 8, 8, 8], 0;
    R8G8B8A8_SINT "DXGI_FORMAT_R8G8B8A8_SINT" = 32, R8G8B8A8_TYPELESS, Sint, 4 / (1, 1), [8, 8, 8, 8], 0;
    R16G16_TYPELESS "DXGI_FORMAT_R16G16_TYPELESS" = 33, R16G16_TYPELESS, Typeless, 4 / (1, 1), [16, 16, 0, 0], 0;
    R16G16_FLOAT "DXGI_FORMAT_R16G16_FLOAT" = 34, R16G16_TYPELESS, Float, 4 / (1, 1), [16, 16, 0, 0], 0;
    R16G16_UNORM "DXGI_FORMAT_R16G16_UNORM" = 35, R16G16_TYPELESS, Unorm, 4 / (1, 1), [16, 16, 0, 0], 0;
    R16G16_UINT "DXGI_FORMAT_R16G16_UINT" = 36, R16G16_TYPELESS, Uint, 4 / (1, 1), [16, 16, 0, 0], 0;
    R16G16_SNORM "DXGI_FORMAT_R16G16_SNORM" = 37, R16G16_TYPELESS, Snorm, 4 / (1, 1), [16, 16, 0, 0], 0;
    R16G16_SINT "DXGI_FORMAT_R16G16_SINT" = 38, R16G16_TYPELESS, Sint, 4 / (1, 1), [16, 16, 0, 0], 0;
    R32_TYPELESS "DXGI_FORMAT_R32_TYPELESS" = 39, R32_TYPELESS, Typeless, 4 / (1, 1), [32, 0, 0, 0], 0;
    D32_FLOAT "DXGI_FORMAT_D32_FLOAT" = 40, R32_TYPELESS, Depth, 4 / (1, 1), [32, 0, 0, 0], DEPTH;
    R32_FLOAT "DXGI_FORMAT_R32_FLOAT" = 41, R32_TYPELESS, Float, 4 / (1, 1), [32, 0, 0, 0], 0;
    R32_UINT "DXGI_FORMAT_R32_UINT" = 42, R32_TYPELESS, Uint, 4 / (1, 1), [32, 0, 0, 0], 0;
    R32_SINT "DXGI_FORMAT_R32_SINT" = 43, R32_TYPELESS, Sint, 4 / (1, 1), [32, 0, 0, 0], 0;
    R24G8_TYPELESS "DXGI_FORMAT_R24G8_TYPELESS" = 44, R24G8_TYPELESS, Typeless,
        4 / (1, 1), [24, 8, 0, 0], DEPTH | STENCIL;
    D24_UNORM_S8_UINT "DXGI_FORMAT_D24_UNORM_S8_UINT" = 45, R24G8_TYPELESS, Depth,
        4 / (1, 1), [24, 8, 0, 0], DEPTH | STENCIL;
    R24_UNORM_X8_TYPELESS "DXGI_FORMAT_R24_UNORM_X8_TYPELESS" = 46, R24G8_TYPELESS, Unorm,
        4 / (1, 1), [24, 0, 0, 0], DEPTH;
    X24_TYPELESS_G8_UINT "DXGI_FORMAT_X24_TYPELESS_G8_UINT" = 47, R24G8_TYPELESS, Uint,
        4 / (1, 1), [0, 8, 0, 0], STENCIL;
    R8G8_TYPELESS "DXGI_FORMAT_R8G8_TYPELESS" = 48, R8G8_TYPELESS, Typeless, 2 / (1, 1), [8, 8, 0, 0], 0;
    R8G8_UNORM "DXGI_FORMAT_R8G8_UNORM" = 49, R8G8_TYPELESS, Unorm, 2 / (1, 1), [8, 8, 0, 0], 0;
    R8G8_UINT "DXGI_FORMAT_R8G8_UINT" = 50, R8G8_TYPELESS, Uint, 2 / (1, 1), [8, 8, 0, 0], 0;
    R8G8_SNORM "DXGI_FORMAT_R8G8_SNORM" = 51, R8G8_TYPELESS, Snorm, 2 / (1, 1), [8, 8, 0, 0], 0;
    R8G8_SINT "DXGI_FORMAT_R8G8_SINT" = 52, R8G8_TYPELESS, Sint, 2 / (1, 1), [8, 8, 0, 0], 0;
    R16_TYPELESS "DXGI_FORMAT_R16_TYPELESS" = 53, R16_TYPELESS, Typeless, 2 / (1, 1), [16, 0, 0, 0], 0;
    R16_FLOAT "DXGI_FORMAT_R16_FLOAT" = 54, R16_TYPELESS, Float, 2 / (1, 1), [16, 0, 0, 0], 0;
    D16_UNORM "DXGI_FORMAT_D16_UNORM" = 55, R16_TYPELESS, Depth, 2 / (1, 1), [16, 0, 0, 0], DEPTH;
    R16_UNORM "DXGI_FORMAT_R16_UNORM" = 56, R16_TYPELESS, Unorm, 2 / (1, 1), [16, 0, 0, 0], 0;
    R16_UINT "DXGI_FORMAT_R16_UINT" = 57, R16_TYPELESS, Uint, 2 / (1, 1), [16, 0, 0, 0], 0;
    R16_SNORM "DXGI_FORMAT_R16_SNORM" = 58, R16_TYPELESS, Snorm, 2 / (1, 1), [16, 0, 0, 0], 0;
    R16_SINT "DXGI_FORMAT_R16_SINT" = 59, R16_TYPELESS, Sint, 2 / (1, 1), [16, 0, 0, 0], 0;
    R8_TYPELESS "DXGI_FORMAT_R8_TYPELESS" = 60, R8_TYPELESS, Typeless, 1 / (1, 1), [8, 0, 0, 0], 0;
    R8_UNORM "DXGI_FORMAT_R8_UNORM" = 61, R8_TYPELESS, Unorm, 1 / (1, 1), [8, 0, 0, 0], 0;
    R8_UINT "DXGI_FORMAT_R8_UINT" = 62, R8_TYPELESS, Uint, 1 / (1, 1), [8, 0, 0, 0], 0;
    R8_SNORM "DXGI_FORMAT_R8_SNORM" = 63, R8_TYPELESS, Snorm, 1 / (1, 1), [8, 0, 0, 0], 0;
    R8_SINT "DXGI_FORMAT_R8_SINT" = 64, R8_TYPELESS, Sint, 1 / (1, 1), [8, 0, 0, 0], 0;
    A8_UNORM "DXGI_FORMAT_A8_UNORM" = 65, A8_UNORM, Unorm, 1 / (1, 1), [0, 0, 0, 8], 0;
    R9G9B9E5_SHAREDEXP "DXGI_FORMAT_R9G9B9E5_SHAREDEXP" = 67, R9G9B9E5_SHAREDEXP, Float, 4 / (1, 1), [9, 9, 9, 0], 0;
    R8G8_B8G8_UNORM "DXGI_FORMAT_R8G8_B8G8_UNORM" = 68, R8G8_B8G8_UNORM, Unorm, 4 / (2, 1), [8, 8, 8, 0], 0;
    G8R8_G8B8_UNORM "DXGI_FORMAT_G8R8_G8B8_UNORM" = 69, G8R8_G8B8_UNORM, Unorm, 4 / (2, 1), [8, 8, 8, 0], 0;
    BC1_TYPELESS "DXGI_FORMAT_BC1_TYPELESS" = 70, BC1_TYPELESS, Typeless, 8 / (4, 4), [8, 8, 8, 8], 0;
    BC1_UNORM "DXGI_FORMAT_BC1_UNORM" = 71, BC1_TYPELESS, Unorm, 8 / (4, 4), [8, 8, 8, 8], 0;
    BC1_UNORM_SRGB "DXGI_FORMAT_BC1_UNORM_SRGB" = 72, BC1_TYPELESS, Unorm, 8 / (4, 4), [8, 8, 8, 8], SRGB;
    BC2_TYPELESS "DXGI_FORMAT_BC2_TYPELESS" = 73, BC2_TYPELESS, Typeless, 16 / (4, 4), [8, 8, 8, 8], 0;
    BC2_UNORM "DXGI_FORMAT_BC2_UNORM" = 74, BC2_TYPELESS, Unorm, 16 / (4, 4), [8, 8, 8, 8], 0;
    BC2_UNORM_SRGB "DXGI_FORMAT_BC2_UNORM_SRGB" = 75, BC2_TYPELESS, Unorm, 16 / (4, 4), [8, 8, 8, 8], SRGB;
    BC3_TYPELESS "DXGI_FORMAT_BC3_TYPELESS" = 76, BC3_TYPELESS, Typeless, 16 / (4, 4), [8, 8, 8, 8], 0;
    BC3_UNORM "DXGI_FORMAT_BC3_UNORM" = 77, BC3_TYPELESS, Unorm, 16 / (4, 4), [8, 8, 8, 8], 0;
    BC3_UNORM_SRGB "DXGI_FORMAT_BC3_UNORM_SRGB" = 78, BC3_TYPELESS, Unorm, 16 / (4, 4), [8, 8, 8, 8], SRGB;
    BC4_TYPELESS "DXGI_FORMAT_BC4_TYPELESS" = 79, BC4_TYPELESS, Typeless, 8 / (4, 4), [8, 0, 0, 0], 0;
    BC4_UNORM "DXGI_FORMAT_BC4_UNORM" = 80, BC4_TYPELESS, Unorm, 8 / (4, 4), [8, 0, 0, 0], 0;
    BC4_SNORM "DXGI_FORMAT_BC4_SNORM" = 81, BC4_TYPELESS, Snorm, 8 / (4, 4), [8, 0, 0, 0], 0;
    BC5_TYPELESS "DXGI_FORMAT_BC5_TYPELESS" = 82, BC5_TYPELESS, Typeless, 16 / (4, 4), [8, 8, 0, 0], 0;
    BC5_UNORM "DXGI_FORMAT_BC5_UNORM" = 83, BC5_TYPELESS, Unorm, 16 / (4, 4), [8, 8, 0, 0], 0;
    BC5_SNORM "DXGI_FORMAT_BC5_SNORM" = 84, BC5_TYPELESS, Snorm, 16 / (4, 4), [8, 8, 0, 0], 0;
    B5G6R5_UNORM "DXGI_FORMAT_B5G6R5_UNORM" = 85, B5G6R5_UNORM, Unorm, 2 / (1, 1), [5, 6, 5, 0], 0;
    B5G5R5A1_UNORM "DXGI_FORMAT_B5G5R5A1_UNORM" = 86, B5G5R5A1_UNORM, Unorm, 2 / (1, 1), [5, 5, 5, 1], 0;
    B8G8R8A8_UNORM "DXGI_FORMAT_B8G8R8A8_UNORM" = 87, B8G8R8A8_TYPELESS, Unorm, 4 / (1, 1), [8, 8, 8, 8], 0;
    B8G8R8X8_UNORM "DXGI_FORMAT_B8G8R8X8_UNORM" = 88, B8G8R8X8_TYPELESS, Unorm, 4 / (1, 1), [8, 8, 8, 0], 0;
    R10G10B10_XR_BIAS_A2_UNORM "DXGI_FORMAT_R10G10B10_XR_BIAS_A2_UNORM" = 89, R10G10B10A2_TYPELESS, Unorm,
        4 / (1, 1), [10, 10, 10, 2], 0;
    B8G8R8A8_TYPELESS "DXGI_FORMAT_B8G8R8A8_TYPELESS" = 90, B8G8R8A8_TYPELESS, Typeless, 4 / (1, 1), [8, 8, 8, 8], 0;
    B8G8R8A8_UNORM_SRGB "DXGI_FORMAT_B8G8R8A8_UNORM_SRGB" = 91, B8G8R8A8_TYPELESS, Unorm,
        4 / (1, 1), [8, 8, 8, 8], SRGB;
    B8G8R8X8_TYPELESS "DXGI_FORMAT_B8G8R8X8_TYPELESS" = 92, B8G8R8X8_TYPELESS, Typeless, 4 / (1, 1), [8, 8, 8, 0], 0;
    B8G8R8X8_UNORM_SRGB "DXGI_FORMAT_B8G8R8X8_UNORM_SRGB" = 93, B8G8R8X8_TYPELESS, Unorm,
        4 / (1, 1), [8, 8, 8, 0], SRGB;
    BC6H_TYPELESS "DXGI_FORMAT_BC6H_TYPELESS" = 94, BC6H_TYPELESS, Typeless, 16 / (4, 4), [16, 16, 16, 0], 0;
    BC6H_UF16 "DXGI_FORMAT_BC6H_UF16" = 95, BC6H_TYPELESS, Float, 16 / (4, 4), [16, 16, 16, 0], 0;
    BC6H_SF16 "DXGI_FORMAT_BC6H_SF16" = 96, BC6H_TYPELESS, Float, 16 / (4, 4), [16, 16, 16, 0], 0;
    BC7_TYPELESS "DXGI_FORMAT_BC7_TYPELESS" = 97, BC7_TYPELESS, Typeless, 16 / (4, 4), [8, 8, 8, 8], 0;
    BC7_UNORM "DXGI_FORMAT_BC7_UNORM" = 98, BC7_TYPELESS, Unorm, 16 / (4, 4), [8, 8, 8, 8], 0;
    BC7_UNORM_SRGB "DXGI_FORMAT_BC7_UNORM_SRGB" = 99, BC7_TYPELESS, Unorm, 16 / (4, 4), [8, 8, 8, 8], SRGB;
    B4G4R4A4_UNORM "DXGI_FORMAT_B4G4R4A4_UNORM" = 115, B4G4R4A4_UNORM, Unorm, 2 / (1, 1), [4, 4, 4, 4], 0;
}

/// Returns the row of the format with the given number, or the row of `UNKNOWN` if the table has no such row.
const fn row(number: usize) -> &'static FormatRow {
    if number < NUMBERS { &ROWS[number] } else { &UNKNOWN_ROW }
}

impl Format {
    const fn row(self) -> &'static FormatRow {
        row(self as usize)
    }

    /// Returns the format with the given number in `DXGI_FORMAT`, or `None` if this library does not support
    /// that format. The number 0 is [`UNKNOWN`](Self::UNKNOWN).
    pub const fn from_u32(number: u32) -> Option<Self> {
        let row = row(number as usize);
        if row.format as u32 == number { Some(row.format) } else { None }
    }

    /// Bytes per block, or 0 for [`UNKNOWN`](Self::UNKNOWN). A block is 4x4 texels in a block-compressed
    /// format, two texels in the packed formats `R8G8_B8G8` and `G8R8_G8B8`, and one texel in all other
    /// formats.
    pub const fn bytes_per_block(self) -> u32 {
        self.row().bytes as u32
    }

    /// Width and height of a block in texels: (4, 4) for block-compressed formats, (2, 1) for packed formats,
    /// and (1, 1) for all other formats.
    pub const fn block_size(self) -> (u32, u32) {
        let (width, height) = self.row().block;
        (width as u32, height as u32)
    }

    /// Size in bytes of a tightly packed row of blocks that covers `width` texels, or `u32::MAX` on overflow.
    pub const fn row_pitch(self, width: u32) -> u32 {
        self.blocks(width).saturating_mul(self.bytes_per_block())
    }

    /// Number of blocks in a row that covers `width` texels.
    pub const fn blocks(self, width: u32) -> u32 {
        width.div_ceil(self.block_size().0)
    }

    /// Number of rows of blocks that cover `height` rows of texels.
    pub const fn rows(self, height: u32) -> u32 {
        height.div_ceil(self.block_size().1)
    }

    /// Converts a size in texels of `other` to a size in texels of this format that has the same number of
    /// blocks. A copy between the two formats covers these two sizes, and partial blocks at the edges are
    /// counted as whole blocks.
    pub const fn texels_of_blocks(self, other: Format, texels: (u32, u32)) -> (u32, u32) {
        let ((from_width, from_height), (width, height)) = (other.block_size(), self.block_size());
        (
            texels.0.div_ceil(from_width).saturating_mul(width),
            texels.1.div_ceil(from_height).saturating_mul(height),
        )
    }

    /// Whether this is a typeless parent. `R24_UNORM_X8_TYPELESS` and similar formats are not typeless
    /// parents, because only their unused bits are typeless.
    pub const fn is_typeless(self) -> bool {
        matches!(self.row().kind, ComponentKind::Typeless)
    }

    /// Whether this is one of the four formats of depth-stencil views: `D32_FLOAT_S8X24_UINT`, `D32_FLOAT`,
    /// `D24_UNORM_S8_UINT` or `D16_UNORM`.
    pub const fn is_depth_stencil(self) -> bool {
        matches!(self.row().kind, ComponentKind::Depth)
    }

    /// Whether this format has a depth plane with any bind flags, or is a view format that reads a depth
    /// plane.
    ///
    /// True for the depth-stencil formats and for the families of `R32G8X24_TYPELESS` and `R24G8_TYPELESS`,
    /// except their stencil views. False for `R32_TYPELESS` and `R16_TYPELESS`, which contain depth or colour
    /// depending on the resource's bind flags; see [`depth_stencil_format`](Self::depth_stencil_format).
    pub const fn has_depth(self) -> bool {
        self.row().flags & DEPTH != 0
    }

    /// Whether this format has a stencil plane, or is a view format that reads a stencil plane.
    pub const fn has_stencil(self) -> bool {
        self.row().flags & STENCIL != 0
    }

    /// Returns the format of depth-stencil views of a resource with this format, or `None` if there is none.
    ///
    /// For a depth-stencil format, this is the format itself. The typeless parents `R32G8X24`, `R32`, `R24G8`
    /// and `R16` have one such format each, while all other formats have none.
    pub const fn depth_stencil_format(self) -> Option<Format> {
        match self {
            Self::R32G8X24_TYPELESS => Some(Self::D32_FLOAT_S8X24_UINT),
            Self::R32_TYPELESS => Some(Self::D32_FLOAT),
            Self::R24G8_TYPELESS => Some(Self::D24_UNORM_S8_UINT),
            Self::R16_TYPELESS => Some(Self::D16_UNORM),
            _ if self.is_depth_stencil() => Some(self),
            _ => None,
        }
    }

    /// Whether the colour components are stored with the sRGB transfer function.
    pub const fn is_srgb(self) -> bool {
        self.row().flags & SRGB != 0
    }

    /// Whether this is one of the block-compressed formats BC1 to BC7.
    pub const fn is_block_compressed(self) -> bool {
        self.row().block.1 == 4
    }

    /// Whether a shader reads integers from this format, which is true for all formats whose names end in
    /// `UINT` or `SINT`.
    pub const fn is_integer(self) -> bool {
        matches!(self.row().kind, ComponentKind::Uint | ComponentKind::Sint)
    }

    /// How the components of this format are interpreted.
    pub const fn component_kind(self) -> ComponentKind {
        self.row().kind
    }

    /// Number of bits of red, green, blue and alpha; 0 for components that the format lacks.
    ///
    /// For a depth-stencil format, the first two numbers are the bits of depth and stencil, and for a
    /// block-compressed format, the numbers are the bits of the decoded components. The shared exponent of
    /// `R9G9B9E5_SHAREDEXP` is not included.
    pub const fn component_bits(self) -> [u8; 4] {
        self.row().bits
    }

    /// The number of components, 1 to 4, or 0 for [`UNKNOWN`](Self::UNKNOWN).
    pub const fn component_count(self) -> u32 {
        self.components_present().count_ones()
    }

    /// The colour components that a render target of this format stores, as bits of a colour write mask (1
    /// red, 2 green, 4 blue, 8 alpha), or 0 for a depth-stencil format.
    pub const fn color_write_components(self) -> u8 {
        if self.is_depth_stencil() { 0 } else { self.components_present() }
    }

    const fn components_present(self) -> u8 {
        let bits = self.row().bits;
        (bits[0] != 0) as u8
            | ((bits[1] != 0) as u8) << 1
            | ((bits[2] != 0) as u8) << 2
            | ((bits[3] != 0) as u8) << 3
    }

    /// Whether typed buffer views may have this format if the driver supports typed views (D3D11:
    /// `D3D11_FORMAT_SUPPORT_BUFFER`). True for colour formats of 1 to 16 bytes per texel, except sRGB and
    /// block formats, 16-bit packed formats, `A8_UNORM`, `R9G9B9E5_SHAREDEXP` and
    /// `R10G10B10_XR_BIAS_A2_UNORM` (`D3D11_3_Formats_FL11_0.xls` of the functional specification).
    #[doc(alias = "D3D11_FORMAT_SUPPORT_BUFFER")]
    pub const fn is_buffer_element(self) -> bool {
        let row = self.row();
        let is_plain = row.block.0 == 1 && row.block.1 == 1 && row.flags == 0;
        let has_numbers =
            !matches!(row.kind, ComponentKind::Unknown | ComponentKind::Typeless | ComponentKind::Depth);
        let is_packed = matches!(
            self,
            Self::A8_UNORM
                | Self::R9G9B9E5_SHAREDEXP
                | Self::R10G10B10_XR_BIAS_A2_UNORM
                | Self::B5G6R5_UNORM
                | Self::B5G5R5A1_UNORM
                | Self::B4G4R4A4_UNORM
        );
        is_plain && has_numbers && !is_packed
    }

    /// Whether typed unordered-access views of buffers may have this format, if a driver supports such views
    /// (D3D11: `D3D11_FORMAT_SUPPORT_TYPED_UNORDERED_ACCESS_VIEW`). True for the formats of
    /// [`Format::is_buffer_element`], except formats with 12 bytes per element and formats that begin with
    /// blue.
    #[doc(alias = "D3D11_FORMAT_SUPPORT_TYPED_UNORDERED_ACCESS_VIEW")]
    pub const fn is_written_buffer_element(self) -> bool {
        let begins_with_blue = matches!(self, Self::B8G8R8A8_UNORM | Self::B8G8R8X8_UNORM);
        self.is_buffer_element() && !begins_with_blue && self.bytes_per_block() != 12
    }

    /// Whether vertex elements may have this format, if a driver supports it (D3D11:
    /// `D3D11_FORMAT_SUPPORT_IA_VERTEX_BUFFER`). True for the formats of [`Format::is_buffer_element`], and
    /// for `A8_UNORM`, `B5G6R5_UNORM` and `B5G5R5A1_UNORM`.
    #[doc(alias = "D3D11_FORMAT_SUPPORT_IA_VERTEX_BUFFER")]
    pub const fn is_vertex_element(self) -> bool {
        self.is_buffer_element() || matches!(self, Self::A8_UNORM | Self::B5G6R5_UNORM | Self::B5G5R5A1_UNORM)
    }

    /// The alignment in bytes of a vertex element of this format: its size rounded up to a power of two, at
    /// most 4 (functional specification 4.4.6), or 1 for [`UNKNOWN`](Self::UNKNOWN). An appended element
    /// (`D3D11_APPEND_ALIGNED_ELEMENT`) starts at a multiple of this alignment.
    pub const fn element_alignment(self) -> u32 {
        match self.bytes_per_block() {
            0 | 1 => 1,
            2 => 2,
            _ => 4,
        }
    }

    /// The typeless parent of the format's family, or the format itself if the family has none.
    ///
    /// A resource with a typeless format may have views with any typed format of its family, and resources
    /// with formats of the same family can be copied to each other.
    pub const fn family(self) -> Format {
        self.row().family
    }
}

/// Whether a copy may write texels of one format unchanged to a resource of the other format.
///
/// Formats of the same family are compatible. The following pairs are also compatible:
/// * `R9G9B9E5_SHAREDEXP` with the colour formats of the family of `R32_TYPELESS`.
/// * BC1 or BC4 with the families of `R16G16B16A16_TYPELESS` and `R32G32_TYPELESS`, because a block has the
///   size of a 64-bit texel.
/// * BC2, BC3, BC5, BC6H or BC7 with the family of `R32G32B32A32_TYPELESS`, because a block has the size of a
///   128-bit texel.
///
/// All other pairs are incompatible, even if their texels have the same size. The rules for compressed
/// formats come from Direct3D 10.1 ("Format Conversion using Direct3D 10.1").
pub const fn copy_compatible(a: Format, b: Format) -> bool {
    const fn is_plain_r32(format: Format) -> bool {
        matches!(format.family(), Format::R32_TYPELESS) && !format.is_depth_stencil()
    }
    a.family() as u32 == b.family() as u32
        || (matches!(a, Format::R9G9B9E5_SHAREDEXP) && is_plain_r32(b))
        || (matches!(b, Format::R9G9B9E5_SHAREDEXP) && is_plain_r32(a))
        || is_texel_of_block(a, b)
        || is_texel_of_block(b, a)
}

/// Whether blocks of a compressed format may be copied as texels of an uncompressed format.
const fn is_texel_of_block(plain: Format, block: Format) -> bool {
    let is_plain = matches!(
        plain.family(),
        Format::R16G16B16A16_TYPELESS | Format::R32G32_TYPELESS | Format::R32G32B32A32_TYPELESS
    );
    is_plain && block.is_block_compressed() && plain.bytes_per_block() == block.bytes_per_block()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_dxgi() {
        for (format, number) in [
            (Format::UNKNOWN, 0),
            (Format::R32G32B32A32_FLOAT, 2),
            (Format::R16G16B16A16_SINT, 14),
            (Format::D32_FLOAT_S8X24_UINT, 20),
            (Format::R8G8B8A8_UNORM, 28),
            (Format::D32_FLOAT, 40),
            (Format::D24_UNORM_S8_UINT, 45),
            (Format::D16_UNORM, 55),
            (Format::R8_UNORM, 61),
            (Format::R9G9B9E5_SHAREDEXP, 67),
            (Format::BC1_UNORM, 71),
            (Format::B8G8R8A8_UNORM, 87),
            (Format::BC7_UNORM_SRGB, 99),
            (Format::B4G4R4A4_UNORM, 115),
        ] {
            assert_eq!(format as u32, number, "{format:?}");
            assert_eq!(Format::from_u32(number), Some(format));
        }
    }

    #[test]
    fn the_table_has_the_numbers_0_to_99_and_115_without_66() {
        for number in (0..200).chain([u32::MAX]) {
            let expected = (number <= 99 && number != 66) || number == 115;
            let found = Format::from_u32(number);
            assert_eq!(found.is_some(), expected, "{number}");
            assert!(found.is_none_or(|format| format as u32 == number));
        }
        assert_eq!(Format::ALL.len(), 99);
    }

    #[test]
    fn a_family_has_one_parent_and_one_block_size() {
        for &format in Format::ALL {
            let family = format.family();
            assert_eq!(family.family(), family, "{format:?}");
            assert_eq!(family.block_size(), format.block_size(), "{format:?}");
            assert_eq!(family.bytes_per_block(), format.bytes_per_block(), "{format:?}");
            assert!(family == format || family.is_typeless(), "{format:?}");
            assert!(!format.is_typeless() || family == format, "{format:?}");
        }
    }

    #[test]
    fn names_of_a_family_share_a_prefix() {
        // Detects a wrong parent in the table, except in the depth families, which are checked separately
        // because their names differ.
        for &format in Format::ALL {
            let (family, name) = (format!("{:?}", format.family()), format!("{format:?}"));
            let Some(stem) = family.strip_suffix("_TYPELESS") else {
                assert_eq!(family, name);
                continue;
            };
            let odd =
                format.has_depth() || format.has_stencil() || format == Format::R10G10B10_XR_BIAS_A2_UNORM;
            assert!(odd || name.starts_with(stem), "{name} in {family}");
        }
        assert_eq!(Format::D24_UNORM_S8_UINT.family(), Format::R24G8_TYPELESS);
        assert_eq!(Format::X24_TYPELESS_G8_UINT.family(), Format::R24G8_TYPELESS);
        assert_eq!(Format::D32_FLOAT_S8X24_UINT.family(), Format::R32G8X24_TYPELESS);
        assert_eq!(Format::R32_FLOAT_X8X24_TYPELESS.family(), Format::R32G8X24_TYPELESS);
        assert_eq!(Format::D32_FLOAT.family(), Format::R32_TYPELESS);
        assert_eq!(Format::D16_UNORM.family(), Format::R16_TYPELESS);
    }

    #[test]
    fn kind_and_srgb_match_the_names_of_formats() {
        for &format in Format::ALL {
            let name = format!("{format:?}");
            let kind = format.component_kind();
            let expected = match name.rsplit('_').next() {
                Some(_) if name.starts_with('D') => ComponentKind::Depth,
                Some(_) if name.starts_with("R32_FLOAT_X8") => ComponentKind::Float,
                Some(_) if name.starts_with("R24_UNORM_X8") => ComponentKind::Unorm,
                Some("TYPELESS") => ComponentKind::Typeless,
                Some("FLOAT" | "SHAREDEXP" | "UF16" | "SF16") => ComponentKind::Float,
                Some("UNORM" | "SRGB") => ComponentKind::Unorm,
                Some("SNORM") => ComponentKind::Snorm,
                Some("UINT") => ComponentKind::Uint,
                Some("SINT") => ComponentKind::Sint,
                _ => ComponentKind::Unknown,
            };
            assert_eq!(kind, expected, "{name}");
            assert_eq!(format.is_srgb(), name.ends_with("_SRGB"), "{name}");
            assert_eq!(format.is_block_compressed(), name.starts_with("BC"), "{name}");
            assert_eq!(format.is_integer(), matches!(kind, ComponentKind::Uint | ComponentKind::Sint));
        }
    }

    #[test]
    fn bits_fill_the_block_of_plain_formats() {
        for &format in Format::ALL {
            if format.block_size() != (1, 1) {
                continue;
            }
            let bits: u32 = format.component_bits().iter().map(|&b| u32::from(b)).sum();
            let unused = match format {
                Format::R32G8X24_TYPELESS | Format::D32_FLOAT_S8X24_UINT => 24,
                Format::R32_FLOAT_X8X24_TYPELESS => 32,
                Format::X32_TYPELESS_G8X24_UINT => 56,
                Format::R24_UNORM_X8_TYPELESS => 8,
                Format::X24_TYPELESS_G8_UINT => 24,
                Format::R9G9B9E5_SHAREDEXP => 5,
                _ if format.family() == Format::B8G8R8X8_TYPELESS => 8,
                _ => 0,
            };
            assert_eq!(bits + unused, format.bytes_per_block() * 8, "{format:?}");
        }
    }

    #[test]
    fn depth_formats_and_their_views_have_the_expected_planes() {
        for (format, depth, stencil, view) in [
            (Format::D32_FLOAT_S8X24_UINT, true, true, Some(Format::D32_FLOAT_S8X24_UINT)),
            (Format::R24G8_TYPELESS, true, true, Some(Format::D24_UNORM_S8_UINT)),
            (Format::R24_UNORM_X8_TYPELESS, true, false, None),
            (Format::X24_TYPELESS_G8_UINT, false, true, None),
            (Format::D16_UNORM, true, false, Some(Format::D16_UNORM)),
            (Format::R16_TYPELESS, false, false, Some(Format::D16_UNORM)),
            (Format::R32_TYPELESS, false, false, Some(Format::D32_FLOAT)),
            (Format::R32_FLOAT, false, false, None),
            (Format::R8G8B8A8_TYPELESS, false, false, None),
        ] {
            assert_eq!(format.has_depth(), depth, "{format:?}");
            assert_eq!(format.has_stencil(), stencil, "{format:?}");
            assert_eq!(format.depth_stencil_format(), view, "{format:?}");
        }
        let depth_stencil: Vec<_> = Format::ALL.iter().copied().filter(|f| f.is_depth_stencil()).collect();
        assert_eq!(
            depth_stencil,
            [Format::D32_FLOAT_S8X24_UINT, Format::D32_FLOAT, Format::D24_UNORM_S8_UINT, Format::D16_UNORM]
        );
    }

    #[test]
    fn pitches_count_whole_blocks() {
        assert_eq!(Format::R8G8B8A8_UNORM.row_pitch(3), 12);
        assert_eq!(Format::R8G8B8A8_UNORM.rows(3), 3);
        assert_eq!(Format::BC1_UNORM.row_pitch(5), 16);
        assert_eq!(Format::BC3_UNORM.row_pitch(1), 16);
        assert_eq!(Format::BC7_UNORM.rows(9), 3);
        assert_eq!(Format::R8G8_B8G8_UNORM.row_pitch(3), 8);
        assert_eq!(Format::R32G32B32A32_FLOAT.row_pitch(u32::MAX), u32::MAX);
        assert_eq!(Format::UNKNOWN.row_pitch(7), 0);
    }

    #[test]
    fn vertex_elements_align_to_their_size_and_at_most_to_4() {
        for (format, alignment) in [
            (Format::R8_UNORM, 1),
            (Format::R8G8_UNORM, 2),
            (Format::R16_FLOAT, 2),
            (Format::R8G8B8A8_UNORM, 4),
            (Format::R16G16B16A16_FLOAT, 4),
            (Format::R32G32B32_FLOAT, 4),
            (Format::R32G32B32A32_FLOAT, 4),
        ] {
            assert_eq!(format.element_alignment(), alignment, "{format:?}");
        }
    }

    #[test]
    fn formats_have_the_expected_components() {
        for (format, count, mask) in [
            (Format::UNKNOWN, 0, 0),
            (Format::R8_UNORM, 1, 1),
            (Format::A8_UNORM, 1, 8),
            (Format::R16G16_FLOAT, 2, 3),
            (Format::R11G11B10_FLOAT, 3, 7),
            (Format::B8G8R8X8_UNORM, 3, 7),
            (Format::B8G8R8A8_UNORM, 4, 15),
            (Format::D24_UNORM_S8_UINT, 2, 0),
        ] {
            assert_eq!(format.component_count(), count, "{format:?}");
            assert_eq!(format.color_write_components(), mask, "{format:?}");
        }
    }

    #[test]
    fn copies_work_within_a_family_and_between_equal_words() {
        use Format as F;
        for (a, b, expected) in [
            (F::R8G8B8A8_UNORM, F::R8G8B8A8_TYPELESS, true),
            (F::R8G8B8A8_UNORM_SRGB, F::R8G8B8A8_SINT, true),
            (F::R16G16_UNORM, F::R16G16_FLOAT, true),
            (F::R32G32_UINT, F::R32G32_FLOAT, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_TYPELESS, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_FLOAT, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_UINT, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_SINT, true),
            (F::D16_UNORM, F::R16_UNORM, true),
            (F::D32_FLOAT, F::R32_FLOAT, true),
            (F::BC1_UNORM, F::R16G16B16A16_UINT, true),
            (F::BC1_TYPELESS, F::R32G32_FLOAT, true),
            (F::BC4_SNORM, F::R32G32_TYPELESS, true),
            (F::BC2_UNORM, F::R32G32B32A32_UINT, true),
            (F::BC7_UNORM_SRGB, F::R32G32B32A32_SINT, true),
            (F::BC1_UNORM, F::BC4_UNORM, false),
            (F::BC1_UNORM, F::R32G32B32A32_UINT, false),
            (F::BC3_UNORM, F::R32G32_UINT, false),
            (F::BC1_UNORM, F::R32G8X24_TYPELESS, false),
            (F::R16G16B16A16_UINT, F::R32G32_UINT, false),
            (F::R9G9B9E5_SHAREDEXP, F::D32_FLOAT, false),
            (F::R8G8B8A8_UNORM, F::B8G8R8A8_UNORM, false),
            (F::R8G8B8A8_UINT, F::R16G16_UINT, false),
            (F::R16G16_TYPELESS, F::R32_TYPELESS, false),
            (F::R9G9B9E5_SHAREDEXP, F::R8G8B8A8_UNORM, false),
            (F::R9G9B9E5_SHAREDEXP, F::B8G8R8A8_UNORM, false),
            (F::R9G9B9E5_SHAREDEXP, F::R16G16_UINT, false),
        ] {
            assert_eq!(copy_compatible(a, b), expected, "{a:?} and {b:?}");
            assert_eq!(copy_compatible(b, a), expected, "{b:?} and {a:?}");
        }
    }
}
