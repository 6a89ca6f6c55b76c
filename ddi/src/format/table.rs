//! The table of formats, with the names, numbers and properties of `DXGI_FORMAT`.

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
pub(super) const DEPTH: u8 = 1;
/// Flag of formats with a stencil plane, and of view formats that read a stencil plane.
pub(super) const STENCIL: u8 = 2;
/// Flag of formats that store colour components with the sRGB transfer function.
pub(super) const SRGB: u8 = 4;

#[derive(Copy, Clone)]
pub(super) struct FormatRow {
    format: Format,
    pub(super) family: Format,
    pub(super) kind: ComponentKind,
    pub(super) bytes: u8,
    /// Width and height of a block in texels.
    pub(super) block: (u8, u8),
    /// Number of bits of red, green, blue and alpha, or of depth and stencil.
    pub(super) bits: [u8; 4],
    pub(super) flags: u8,
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
    pub(super) const fn row(self) -> &'static FormatRow {
        row(self as usize)
    }

    /// Returns the format with the given number in `DXGI_FORMAT`, or `None` if this library does not support
    /// that format. The number 0 is [`UNKNOWN`](Self::UNKNOWN).
    pub const fn from_u32(number: u32) -> Option<Self> {
        let row = row(number as usize);
        if row.format as u32 == number { Some(row.format) } else { None }
    }
}
