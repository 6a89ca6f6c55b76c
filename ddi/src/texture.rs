//! Texture descriptors for each shape, and the common descriptor that drivers receive.
//!
//! ```
//! use onze_ddi::{Format, Texture2dDesc, Texture3dDesc, TextureDesc};
//!
//! // If the number of mip levels is 0, a texture has a whole mip chain, as in D3D11.
//! let texture = TextureDesc::from(Texture2dDesc::new(Format::R8G8B8A8_UNORM, 100, 40));
//! assert_eq!((texture.mip_levels, texture.mip_size(2)), (7, (25, 10)));
//!
//! // The depth slices of a mip level are one subresource.
//! let fog = TextureDesc::from(Texture3dDesc::new(Format::R8_UNORM, 16, 16, 64));
//! assert_eq!((fog.subresources(), fog.mip_depth(0), fog.mip_depth(3)), (7, 64, 8));
//! ```

use std::borrow::Cow;

use crate::{
    Format,
    resource::{BindFlags, CpuAccessFlags, Label, MiscFlags, Usage},
};

/// The number of dimensions of a texture (D3D11: `D3D11_RESOURCE_DIMENSION`).
#[doc(alias = "D3D11_RESOURCE_DIMENSION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum TextureShape {
    /// A row of texels, or an array of rows (`D3D11_RESOURCE_DIMENSION_TEXTURE1D`).
    #[doc(alias = "D3D11_RESOURCE_DIMENSION_TEXTURE1D")]
    D1,
    /// A rectangle, an array of rectangles, or a cube (`D3D11_RESOURCE_DIMENSION_TEXTURE2D`).
    #[doc(alias = "D3D11_RESOURCE_DIMENSION_TEXTURE2D")]
    #[default]
    D2,
    /// A block of depth slices (`D3D11_RESOURCE_DIMENSION_TEXTURE3D`).
    #[doc(alias = "D3D11_RESOURCE_DIMENSION_TEXTURE3D")]
    D3,
}

/// The description of a texture of any shape, with all defaults resolved. The runtime creates it from the
/// application's descriptor, and drivers receive only this description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureDesc {
    /// The number of dimensions, which is 2 for a cube.
    pub shape: TextureShape,
    /// Width of mip 0 in texels.
    pub width: u32,
    /// Height of mip 0 in texels; 1 for a 1D texture.
    pub height: u32,
    /// Depth of mip 0 in texels; 1 unless the texture is 3D.
    pub depth: u32,
    /// Number of mip levels, at least 1, because the value 0, for a whole chain, is already resolved.
    pub mip_levels: u32,
    /// Number of slices, or 1 for a 3D texture.
    pub array_size: u32,
    /// Format of the texels, possibly typeless.
    pub format: Format,
    /// Samples per texel; 1 unless the texture is 2D.
    pub sample_count: u32,
    /// Quality level, which selects the sample positions; 0 unless the texture is 2D.
    pub sample_quality: u32,
    /// How the CPU and the GPU access the texture.
    pub usage: Usage,
    /// The uses for which the texture may be bound.
    pub bind_flags: BindFlags,
    /// How the CPU may map the texture's subresources.
    pub cpu_access_flags: CpuAccessFlags,
    /// Further properties of the texture, such as being a cube.
    pub misc_flags: MiscFlags,
    /// A name for messages and graphics debuggers, if the application gave one.
    pub label: Label,
}

const fn mip_side(size: u32, mip: u32) -> u32 {
    match size.checked_shr(mip) {
        None | Some(0) => 1,
        Some(size) => size,
    }
}

fn whole_chain(longest: u32) -> u32 {
    longest.max(1).ilog2() + 1
}

impl TextureDesc {
    /// Width and height in texels of a mip level, each at least 1.
    pub const fn mip_size(&self, mip: u32) -> (u32, u32) {
        let (width, height, _) = self.mip_extent(mip);
        (width, height)
    }

    /// Depth in texels of a mip level; 1 unless the texture is 3D.
    pub const fn mip_depth(&self, mip: u32) -> u32 {
        self.mip_extent(mip).2
    }

    /// Width, height and depth in texels of a mip level, each at least 1.
    pub const fn mip_extent(&self, mip: u32) -> (u32, u32, u32) {
        (mip_side(self.width, mip), mip_side(self.height, mip), mip_side(self.depth, mip))
    }

    /// Number of mip levels of a whole chain down to one texel, regardless of `mip_levels`.
    pub fn whole_chain(&self) -> u32 {
        whole_chain(self.width.max(self.height).max(self.depth))
    }

    /// The number of subresources: mip levels times slices, with `mip + slice * mip_levels` as the index of a
    /// subresource. In a 3D texture, all depth slices of a mip level are one subresource.
    pub const fn subresources(&self) -> u32 {
        self.mip_levels.saturating_mul(self.array_size)
    }

    /// Returns the mip level and the slice of a subresource, in this order.
    pub const fn mip_and_slice(&self, subresource: u32) -> (u32, u32) {
        let mips = if self.mip_levels == 0 { 1 } else { self.mip_levels };
        (subresource % mips, subresource / mips)
    }

    /// Tightly packed size in bytes of a mip level in one slice, including all depth slices of a 3D texture.
    pub const fn mip_bytes(&self, mip: u32) -> u64 {
        let (width, height, depth) = self.mip_extent(mip);
        let rows = self.format.rows(height) as u64 * depth as u64;
        (self.format.row_pitch(width) as u64).saturating_mul(rows)
    }

    /// Tightly packed size in bytes of all subresources with all samples, or `u64::MAX` on overflow.
    pub fn total_bytes(&self) -> u64 {
        let slice = (0..self.mip_levels.min(u32::BITS))
            .fold(0_u64, |bytes, mip| bytes.saturating_add(self.mip_bytes(mip)));
        slice.saturating_mul(self.array_size.into()).saturating_mul(self.sample_count.into())
    }
}

/// The memory layout of a texture's texels (D3D11.3: `D3D11_TEXTURE_LAYOUT`).
#[doc(alias = "D3D11_TEXTURE_LAYOUT")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum TextureLayout {
    /// A layout that the driver chooses, which is the only supported layout
    /// (`D3D11_TEXTURE_LAYOUT_UNDEFINED`).
    #[doc(alias = "D3D11_TEXTURE_LAYOUT_UNDEFINED")]
    #[default]
    Undefined = 0,
    /// Consecutive rows of texels, a layout that is not supported (`D3D11_TEXTURE_LAYOUT_ROW_MAJOR`).
    #[doc(alias = "D3D11_TEXTURE_LAYOUT_ROW_MAJOR")]
    RowMajor = 1,
    /// The standard swizzle pattern of 64 KiB, a layout that is not supported
    /// (`D3D11_TEXTURE_LAYOUT_64K_STANDARD_SWIZZLE`).
    #[doc(alias = "D3D11_TEXTURE_LAYOUT_64K_STANDARD_SWIZZLE")]
    StandardSwizzle64k = 2,
}

/// The description of a 1D texture or array (D3D11: `D3D11_TEXTURE1D_DESC`).
#[doc(alias = "D3D11_TEXTURE1D_DESC")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture1dDesc {
    /// Width of mip 0 in texels; must be set.
    pub width: u32,
    /// Number of mip levels, or 0 for a whole chain (default: 0).
    pub mip_levels: u32,
    /// Number of slices of the array (default: 1).
    pub array_size: u32,
    /// Format of the texels; must be set.
    pub format: Format,
    /// How the CPU and the GPU access the texture (default: only the GPU).
    pub usage: Usage,
    /// The uses for which the texture may be bound (default: as a shader resource).
    pub bind_flags: BindFlags,
    /// How the CPU may map the texture (default: no access).
    pub cpu_access_flags: CpuAccessFlags,
    /// Further properties of the texture (default: none).
    pub misc_flags: MiscFlags,
    /// A name for messages and graphics debuggers (default: none).
    pub label: Label,
}

/// The description of a 2D texture or array (D3D11: `D3D11_TEXTURE2D_DESC`, `D3D11_TEXTURE2D_DESC1`).
#[doc(alias = "D3D11_TEXTURE2D_DESC")]
#[doc(alias = "D3D11_TEXTURE2D_DESC1")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture2dDesc {
    /// Width of mip 0 in texels; must be set.
    pub width: u32,
    /// Height of mip 0 in texels; must be set.
    pub height: u32,
    /// Number of mip levels, or 0 for a whole chain (default: 0).
    pub mip_levels: u32,
    /// Number of slices of the array (default: 1).
    pub array_size: u32,
    /// Format of the texels; must be set.
    pub format: Format,
    /// Samples per texel, or 1 if the texture is not multisampled (default: 1, D3D11: `SampleDesc.Count`).
    pub sample_count: u32,
    /// Quality level, which selects the sample positions and must be less than the result of
    /// `check_multisample_quality_levels` (default: 0, D3D11: `SampleDesc.Quality`).
    pub sample_quality: u32,
    /// How the CPU and the GPU access the texture (default: only the GPU).
    pub usage: Usage,
    /// The uses for which the texture may be bound (default: as a shader resource).
    pub bind_flags: BindFlags,
    /// How the CPU may map the texture (default: no access).
    pub cpu_access_flags: CpuAccessFlags,
    /// Further properties of the texture (default: none).
    pub misc_flags: MiscFlags,
    /// The memory layout of the texels, limited to [`TextureLayout::Undefined`] (D3D11.3:
    /// `D3D11_TEXTURE2D_DESC1::TextureLayout`).
    #[doc(alias = "TextureLayout")]
    pub texture_layout: TextureLayout,
    /// A name for messages and graphics debuggers (default: none).
    pub label: Label,
}

/// The description of a 3D texture (D3D11: `D3D11_TEXTURE3D_DESC`, `D3D11_TEXTURE3D_DESC1`).
#[doc(alias = "D3D11_TEXTURE3D_DESC")]
#[doc(alias = "D3D11_TEXTURE3D_DESC1")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture3dDesc {
    /// Width of mip 0 in texels; must be set.
    pub width: u32,
    /// Height of mip 0 in texels; must be set.
    pub height: u32,
    /// Depth of mip 0 in texels; must be set.
    pub depth: u32,
    /// Number of mip levels, or 0 for a whole chain down to 1 x 1 x 1 (default: 0).
    pub mip_levels: u32,
    /// Format of the texels; must be set.
    pub format: Format,
    /// How the CPU and the GPU access the texture (default: only the GPU).
    pub usage: Usage,
    /// The uses for which the texture may be bound (default: as a shader resource).
    pub bind_flags: BindFlags,
    /// How the CPU may map the texture (default: no access).
    pub cpu_access_flags: CpuAccessFlags,
    /// Further properties of the texture (default: none).
    pub misc_flags: MiscFlags,
    /// The memory layout of the texels, limited to [`TextureLayout::Undefined`] (D3D11.3:
    /// `D3D11_TEXTURE3D_DESC1::TextureLayout`).
    #[doc(alias = "TextureLayout")]
    pub texture_layout: TextureLayout,
    /// A name for messages and graphics debuggers (default: none).
    pub label: Label,
}

impl Default for Texture1dDesc {
    /// Returns the defaults of `CD3D11_TEXTURE1D_DESC`: a whole mip chain, one slice, default usage, and
    /// binding as a shader resource, while the width and the format must still be set.
    fn default() -> Self {
        Self {
            width: 0,
            mip_levels: 0,
            array_size: 1,
            format: Format::UNKNOWN,
            usage: Usage::Default,
            bind_flags: BindFlags::SHADER_RESOURCE,
            cpu_access_flags: CpuAccessFlags::empty(),
            misc_flags: MiscFlags::empty(),
            label: None,
        }
    }
}

impl Default for Texture2dDesc {
    /// Returns the defaults of `CD3D11_TEXTURE2D_DESC`: a whole mip chain, one slice, one sample, default
    /// usage, and binding as a shader resource, while the width, the height and the format must still be set.
    fn default() -> Self {
        Self {
            width: 0,
            height: 0,
            mip_levels: 0,
            array_size: 1,
            format: Format::UNKNOWN,
            sample_count: 1,
            sample_quality: 0,
            usage: Usage::Default,
            bind_flags: BindFlags::SHADER_RESOURCE,
            cpu_access_flags: CpuAccessFlags::empty(),
            misc_flags: MiscFlags::empty(),
            texture_layout: TextureLayout::Undefined,
            label: None,
        }
    }
}

impl Default for Texture3dDesc {
    /// Returns the defaults of `CD3D11_TEXTURE3D_DESC`: a whole mip chain, default usage, and binding as a
    /// shader resource, while the width, the height, the depth and the format must still be set.
    fn default() -> Self {
        Self {
            width: 0,
            height: 0,
            depth: 0,
            mip_levels: 0,
            format: Format::UNKNOWN,
            usage: Usage::Default,
            bind_flags: BindFlags::SHADER_RESOURCE,
            cpu_access_flags: CpuAccessFlags::empty(),
            misc_flags: MiscFlags::empty(),
            texture_layout: TextureLayout::Undefined,
            label: None,
        }
    }
}

impl Texture1dDesc {
    /// Describes a shader resource with a whole mip chain and default values for all other fields.
    pub fn new(format: Format, width: u32) -> Self {
        Self { format, width, ..Self::default() }
    }

    /// Describes a render target with one mip level, which shaders can also read.
    pub fn render_target(format: Format, width: u32) -> Self {
        Self {
            mip_levels: 1,
            bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
            ..Self::new(format, width)
        }
    }

    /// Describes a staging texture with one mip level, which can be copied and mapped, but not bound.
    pub fn staging(format: Format, width: u32, cpu_access_flags: CpuAccessFlags) -> Self {
        Self {
            mip_levels: 1,
            usage: Usage::Staging,
            bind_flags: BindFlags::empty(),
            cpu_access_flags,
            ..Self::new(format, width)
        }
    }

    /// Names the texture for messages and graphics debuggers.
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The number of mip levels: `mip_levels`, or the length of a whole chain if that is 0.
    pub fn resolved_mip_levels(&self) -> u32 {
        if self.mip_levels == 0 { whole_chain(self.width) } else { self.mip_levels }
    }

    /// Width in texels of a mip level, at least 1.
    pub const fn mip_width(&self, mip: u32) -> u32 {
        mip_side(self.width, mip)
    }

    /// The number of subresources: mip levels times slices, with `mip + slice * mip_levels` as the index of a
    /// subresource.
    pub fn subresources(&self) -> u32 {
        self.resolved_mip_levels().saturating_mul(self.array_size)
    }
}

impl Texture2dDesc {
    /// Describes a shader resource with a whole mip chain and default values for all other fields.
    pub fn new(format: Format, width: u32, height: u32) -> Self {
        Self { format, width, height, ..Self::default() }
    }

    /// Describes a render target with one mip level, which shaders can also read.
    pub fn render_target(format: Format, width: u32, height: u32) -> Self {
        Self {
            mip_levels: 1,
            bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
            ..Self::new(format, width, height)
        }
    }

    /// Describes a depth-stencil target with one mip level, which shaders cannot read.
    pub fn depth_stencil(format: Format, width: u32, height: u32) -> Self {
        Self { mip_levels: 1, bind_flags: BindFlags::DEPTH_STENCIL, ..Self::new(format, width, height) }
    }

    /// Describes a staging texture with one mip level, which can be copied and mapped, but not bound.
    pub fn staging(format: Format, width: u32, height: u32, cpu_access_flags: CpuAccessFlags) -> Self {
        Self {
            mip_levels: 1,
            usage: Usage::Staging,
            bind_flags: BindFlags::empty(),
            cpu_access_flags,
            ..Self::new(format, width, height)
        }
    }

    /// Names the texture for messages and graphics debuggers.
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The number of mip levels: `mip_levels` unless that is 0, or else 1 for a multisampled texture and the
    /// length of a whole chain for any other.
    pub fn resolved_mip_levels(&self) -> u32 {
        match self.mip_levels {
            0 if self.sample_count > 1 => 1,
            0 => whole_chain(self.width.max(self.height)),
            n => n,
        }
    }

    /// Width and height in texels of a mip level, each at least 1.
    pub const fn mip_size(&self, mip: u32) -> (u32, u32) {
        (mip_side(self.width, mip), mip_side(self.height, mip))
    }

    /// The number of subresources: mip levels times slices, with `mip + slice * mip_levels` as the index of a
    /// subresource.
    pub fn subresources(&self) -> u32 {
        self.resolved_mip_levels().saturating_mul(self.array_size)
    }
}

impl Texture3dDesc {
    /// Describes a shader resource with a whole mip chain and default values for all other fields.
    pub fn new(format: Format, width: u32, height: u32, depth: u32) -> Self {
        Self { format, width, height, depth, ..Self::default() }
    }

    /// Describes a render target with one mip level, which shaders can also read.
    pub fn render_target(format: Format, width: u32, height: u32, depth: u32) -> Self {
        Self {
            mip_levels: 1,
            bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
            ..Self::new(format, width, height, depth)
        }
    }

    /// Describes a staging texture with one mip level, which can be copied and mapped, but not bound.
    pub fn staging(
        format: Format,
        width: u32,
        height: u32,
        depth: u32,
        cpu_access_flags: CpuAccessFlags,
    ) -> Self {
        Self {
            mip_levels: 1,
            usage: Usage::Staging,
            bind_flags: BindFlags::empty(),
            cpu_access_flags,
            ..Self::new(format, width, height, depth)
        }
    }

    /// Names the texture for messages and graphics debuggers.
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The number of mip levels: `mip_levels`, or the length of a whole chain if that is 0.
    pub fn resolved_mip_levels(&self) -> u32 {
        match self.mip_levels {
            0 => whole_chain(self.width.max(self.height).max(self.depth)),
            n => n,
        }
    }

    /// Width, height and depth in texels of a mip level, each at least 1.
    pub const fn mip_extent(&self, mip: u32) -> (u32, u32, u32) {
        (mip_side(self.width, mip), mip_side(self.height, mip), mip_side(self.depth, mip))
    }
}

/// Implements conversions between a shape's descriptor and the common descriptor. The conversion from the
/// common descriptor drops the fields that the shape lacks.
macro_rules! converted {
    ($desc:ident $shape:ident { $($own:ident),* } { $($fixed:ident: $value:expr),* } $(, $layout:ident)?) => {
        impl From<$desc> for TextureDesc {
            fn from(desc: $desc) -> Self {
                Self {
                    shape: TextureShape::$shape,
                    width: desc.width,
                    mip_levels: desc.resolved_mip_levels(),
                    format: desc.format,
                    usage: desc.usage,
                    bind_flags: desc.bind_flags,
                    cpu_access_flags: desc.cpu_access_flags,
                    misc_flags: desc.misc_flags,
                    $($own: desc.$own,)*
                    $($fixed: $value,)*
                    label: desc.label,
                }
            }
        }

        impl From<&TextureDesc> for $desc {
            fn from(desc: &TextureDesc) -> Self {
                Self {
                    width: desc.width,
                    mip_levels: desc.mip_levels,
                    format: desc.format,
                    usage: desc.usage,
                    bind_flags: desc.bind_flags,
                    cpu_access_flags: desc.cpu_access_flags,
                    misc_flags: desc.misc_flags,
                    $($own: desc.$own,)*
                    $($layout: TextureLayout::Undefined,)?
                    label: desc.label.clone(),
                }
            }
        }
    };
}
converted!(Texture1dDesc D1 { array_size } { height: 1, depth: 1, sample_count: 1, sample_quality: 0 });
converted!(Texture2dDesc D2 { height, array_size, sample_count, sample_quality } { depth: 1 }, texture_layout);
converted!(Texture3dDesc D3 { height, depth } { array_size: 1, sample_count: 1, sample_quality: 0 }, texture_layout);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_each_shape_are_computed() {
        let format = Format::R8G8B8A8_UNORM;
        let row = TextureDesc::from(Texture1dDesc { array_size: 3, ..Texture1dDesc::new(format, 5) });
        assert_eq!((row.shape, row.mip_levels, row.subresources()), (TextureShape::D1, 3, 9));
        assert_eq!(
            (row.mip_extent(0), row.mip_extent(1), row.mip_extent(40)),
            ((5, 1, 1), (2, 1, 1), (1, 1, 1))
        );
        assert_eq!((row.total_bytes(), row.mip_and_slice(7)), (3 * 4 * (5 + 2 + 1), (1, 2)));
        let block = TextureDesc::from(Texture3dDesc::new(Format::BC1_UNORM, 8, 4, 12));
        assert_eq!((block.shape, block.mip_levels, block.subresources()), (TextureShape::D3, 4, 4));
        assert_eq!((block.mip_extent(1), block.mip_extent(3)), ((4, 2, 6), (1, 1, 1)));
        assert_eq!((block.mip_bytes(0), block.mip_bytes(2)), (2 * 8 * 12, 8 * 3));
        let samples = Texture2dDesc { sample_count: 4, array_size: 2, ..Texture2dDesc::new(format, 8, 2) };
        let samples = TextureDesc::from(samples);
        assert_eq!((samples.mip_levels, samples.total_bytes()), (1, 8 * 2 * 4 * 4 * 2));
        let most = TextureDesc { sample_count: 32, array_size: u32::MAX, ..samples };
        assert_eq!(TextureDesc { width: u32::MAX, height: u32::MAX, ..most }.total_bytes(), u64::MAX);
    }

    #[test]
    fn converting_a_shape_and_back_resolves_its_mip_levels() {
        let row = Texture1dDesc { array_size: 2, ..Texture1dDesc::new(Format::R8_UNORM, 9) }.label("row");
        let counted = Texture1dDesc { mip_levels: 4, ..row.clone() };
        assert_eq!(Texture1dDesc::from(&TextureDesc::from(row)), counted);
        let mut plane = Texture2dDesc::render_target(Format::R8_UNORM, 9, 2).label("plane");
        (plane.sample_count, plane.sample_quality) = (4, 7);
        assert_eq!(Texture2dDesc::from(&TextureDesc::from(plane.clone())), plane);
        let block = Texture3dDesc::new(Format::R8_UNORM, 2, 3, 32).label("block");
        assert_eq!(
            Texture3dDesc::from(&TextureDesc::from(block.clone())),
            Texture3dDesc { mip_levels: 6, ..block }
        );
    }
}
