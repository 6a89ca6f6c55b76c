//! Resources: the buffer descriptor, which the API also uses, and the properties that all resources have.
//!
//! ```
//! use onze_ddi::{BindFlags, BufferDesc, Usage};
//!
//! let constants = BufferDesc::dynamic(256, BindFlags::CONSTANT_BUFFER).label("camera");
//! assert_eq!(constants.usage, Usage::Dynamic);
//! ```

use std::borrow::Cow;

use bitflags::bitflags;

use crate::Format;
use crate::texture::{Texture1dDesc, Texture2dDesc, Texture3dDesc, TextureDesc};

/// An optional name for messages and graphics debuggers, which can borrow a string literal.
pub type Label = Option<Cow<'static, str>>;

/// How the CPU and the GPU access a resource (D3D11: `D3D11_USAGE`).
#[doc(alias = "D3D11_USAGE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Usage {
    /// The GPU reads and writes the resource, and the CPU cannot map it (`D3D11_USAGE_DEFAULT`).
    #[doc(alias = "D3D11_USAGE_DEFAULT")]
    #[default]
    Default,
    /// The GPU reads the initial contents, which cannot be changed (`D3D11_USAGE_IMMUTABLE`).
    #[doc(alias = "D3D11_USAGE_IMMUTABLE")]
    Immutable,
    /// The CPU often writes the resource through maps, and the GPU reads it (`D3D11_USAGE_DYNAMIC`).
    #[doc(alias = "D3D11_USAGE_DYNAMIC")]
    Dynamic,
    /// The CPU maps the resource to transfer data to or from the GPU (`D3D11_USAGE_STAGING`).
    #[doc(alias = "D3D11_USAGE_STAGING")]
    Staging,
}

bitflags! {
    /// The uses for which a resource may be bound (D3D11: `D3D11_BIND_FLAG`, with its values).
    #[doc(alias = "D3D11_BIND_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct BindFlags: u32 {
        /// Vertices: a buffer that the input assembler reads.
        const VERTEX_BUFFER = 0x1;
        /// Indices: a buffer that the input assembler reads.
        const INDEX_BUFFER = 0x2;
        /// Shader constants (cannot be combined with any other flag).
        const CONSTANT_BUFFER = 0x4;
        /// Textures and buffers that shaders read through shader-resource views.
        const SHADER_RESOURCE = 0x8;
        /// Stream output: a buffer that draws write vertices to.
        const STREAM_OUTPUT = 0x10;
        /// Render targets, which the output merger writes through views.
        const RENDER_TARGET = 0x20;
        /// Depth-stencil targets, which the output merger tests and writes through views.
        const DEPTH_STENCIL = 0x40;
        /// Textures and buffers that shaders read and write through unordered-access views.
        const UNORDERED_ACCESS = 0x80;
    }

    /// How the CPU may access a resource (D3D11: `D3D11_CPU_ACCESS_FLAG`, with its values).
    #[doc(alias = "D3D11_CPU_ACCESS_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CpuAccessFlags: u32 {
        /// The CPU may map the resource for writing.
        const WRITE = 0x10000;
        /// The CPU may map the resource for reading.
        const READ = 0x20000;
    }

    /// Further properties and permissions of a resource (D3D11: `D3D11_RESOURCE_MISC_FLAG`, with its values).
    #[doc(alias = "D3D11_RESOURCE_MISC_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct MiscFlags: u32 {
        /// Permits `generate_mips` on the texture.
        const GENERATE_MIPS = 0x1;
        /// Shares the resource with other devices, but creation fails because sharing is not supported yet.
        const SHARED = 0x2;
        /// The first six slices are the faces of a cube, so the texture may have cube views.
        const TEXTURECUBE = 0x4;
        /// Permits the buffer to contain arguments of indirect draws and dispatches. It must have default
        /// usage and be neither structured nor a constant buffer.
        const DRAWINDIRECT_ARGS = 0x10;
        /// Permits raw views, through which shaders access 4-byte words. The buffer must have bind flags for
        /// shader access and must not be structured.
        const BUFFER_ALLOW_RAW_VIEWS = 0x20;
        /// Makes the buffer structured, so that its views access elements of `structure_byte_stride` bytes.
        const BUFFER_STRUCTURED = 0x40;
        /// Permits setting the minimum mip level that shaders can read from the texture (D3D11:
        /// `D3D11_RESOURCE_MISC_RESOURCE_CLAMP`).
        #[doc(alias = "D3D11_RESOURCE_MISC_RESOURCE_CLAMP")]
        const RESOURCE_CLAMP = 0x80;
    }
}

/// The description of a buffer, with its size and uses (D3D11: `D3D11_BUFFER_DESC`).
#[doc(alias = "D3D11_BUFFER_DESC")]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BufferDesc {
    /// Size in bytes, a multiple of 16 for constant buffers.
    pub byte_width: u32,
    /// How the CPU and the GPU access the buffer.
    pub usage: Usage,
    /// The uses for which the buffer may be bound, as a combination of flags.
    pub bind_flags: BindFlags,
    /// How the CPU may map the buffer (default: no access).
    pub cpu_access_flags: CpuAccessFlags,
    /// Further properties of the buffer, such as being structured (default: none).
    pub misc_flags: MiscFlags,
    /// Size of an element in bytes for a structured buffer, or 0 for other buffers.
    pub structure_byte_stride: u32,
    /// A name for messages and graphics debuggers, if the application gave one.
    pub label: Label,
}

impl BufferDesc {
    /// Describes a default-usage buffer of `byte_width` bytes, which the CPU cannot map.
    pub fn new(byte_width: u32, bind_flags: BindFlags) -> Self {
        Self { byte_width, bind_flags, ..Self::default() }
    }

    /// Describes a dynamic buffer that the CPU may write (D3D11: `D3D11_USAGE_DYNAMIC` and
    /// `D3D11_CPU_ACCESS_WRITE`).
    #[doc(alias = "D3D11_USAGE_DYNAMIC")]
    #[doc(alias = "D3D11_CPU_ACCESS_WRITE")]
    pub fn dynamic(byte_width: u32, bind_flags: BindFlags) -> Self {
        Self {
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..Self::new(byte_width, bind_flags)
        }
    }

    /// Describes an immutable buffer, whose contents must be given at creation and cannot be changed.
    pub fn immutable(byte_width: u32, bind_flags: BindFlags) -> Self {
        Self { usage: Usage::Immutable, ..Self::new(byte_width, bind_flags) }
    }

    /// Describes a staging buffer with the given CPU access, which can be copied and mapped, but not bound.
    pub fn staging(byte_width: u32, cpu_access_flags: CpuAccessFlags) -> Self {
        Self { usage: Usage::Staging, cpu_access_flags, ..Self::new(byte_width, BindFlags::empty()) }
    }

    /// Describes a structured, default-usage buffer of `elements` elements with `stride` bytes each.
    pub fn structured(stride: u32, elements: u32, bind_flags: BindFlags) -> Self {
        Self {
            misc_flags: MiscFlags::BUFFER_STRUCTURED,
            structure_byte_stride: stride,
            ..Self::new(stride.saturating_mul(elements), bind_flags)
        }
    }

    /// Describes a default-usage buffer of `byte_width` bytes that permits raw views.
    pub fn raw(byte_width: u32, bind_flags: BindFlags) -> Self {
        Self { misc_flags: MiscFlags::BUFFER_ALLOW_RAW_VIEWS, ..Self::new(byte_width, bind_flags) }
    }

    /// Describes a default-usage buffer of `byte_width` bytes for arguments of indirect draws and dispatches.
    /// The buffer also permits raw views if `bind_flags` include shader access.
    pub fn indirect(byte_width: u32, bind_flags: BindFlags) -> Self {
        let mut misc_flags = MiscFlags::DRAWINDIRECT_ARGS;
        let of_shaders = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        misc_flags.set(MiscFlags::BUFFER_ALLOW_RAW_VIEWS, bind_flags.intersects(of_shaders));
        Self { misc_flags, ..Self::new(byte_width, bind_flags) }
    }

    /// Names the buffer, for messages and graphics debuggers.
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = Some(label.into());
        self
    }
}

/// The description of a buffer or a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceDesc {
    /// A buffer, which has one subresource.
    Buffer(BufferDesc),
    /// A texture of any shape, which may have several subresources.
    Texture(TextureDesc),
}

impl From<BufferDesc> for ResourceDesc {
    fn from(desc: BufferDesc) -> Self {
        Self::Buffer(desc)
    }
}

impl From<TextureDesc> for ResourceDesc {
    fn from(desc: TextureDesc) -> Self {
        Self::Texture(desc)
    }
}

impl From<Texture1dDesc> for ResourceDesc {
    fn from(desc: Texture1dDesc) -> Self {
        Self::Texture(desc.into())
    }
}

impl From<Texture2dDesc> for ResourceDesc {
    fn from(desc: Texture2dDesc) -> Self {
        Self::Texture(desc.into())
    }
}

impl From<Texture3dDesc> for ResourceDesc {
    fn from(desc: Texture3dDesc) -> Self {
        Self::Texture(desc.into())
    }
}

impl ResourceDesc {
    /// How the CPU and the GPU access the resource.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Buffer(d) => d.usage,
            Self::Texture(d) => d.usage,
        }
    }

    /// The uses for which the resource may be bound.
    pub fn bind_flags(&self) -> BindFlags {
        match self {
            Self::Buffer(d) => d.bind_flags,
            Self::Texture(d) => d.bind_flags,
        }
    }

    /// How the CPU may map the resource.
    pub fn cpu_access_flags(&self) -> CpuAccessFlags {
        match self {
            Self::Buffer(d) => d.cpu_access_flags,
            Self::Texture(d) => d.cpu_access_flags,
        }
    }

    /// The name for messages and graphics debuggers, or a generic name if the resource has none.
    pub fn label(&self) -> &str {
        match self {
            Self::Buffer(d) => d.label.as_deref().unwrap_or("unnamed buffer"),
            Self::Texture(d) => d.label.as_deref().unwrap_or("unnamed texture"),
        }
    }

    /// The number of subresources, which is 1 for a buffer.
    pub fn subresources(&self) -> u32 {
        match self {
            Self::Buffer(_) => 1,
            Self::Texture(d) => d.subresources(),
        }
    }

    /// Whether the driver may give the resource new memory when its whole contents are replaced, by a map
    /// with `WRITE_DISCARD` or by an update. True for dynamic buffers and default-usage constant buffers.
    /// Before a context executes a list, the runtime opens the list's renamable resources in this context.
    pub fn is_renamable(&self) -> bool {
        match self {
            Self::Buffer(d) => match d.usage {
                Usage::Dynamic => true,
                Usage::Default => d.bind_flags.contains(BindFlags::CONSTANT_BUFFER),
                Usage::Immutable | Usage::Staging => false,
            },
            Self::Texture(_) => false,
        }
    }

    /// Whether other devices may also use the resource, whose memory is then deallocated no later than in the
    /// first flush after the resource is destroyed.
    pub fn is_shared(&self) -> bool {
        let flags = match self {
            Self::Buffer(d) => d.misc_flags,
            Self::Texture(d) => d.misc_flags,
        };
        flags.contains(MiscFlags::SHARED)
    }
}

/// The location of a subresource's contents in the application's memory (D3D11: `D3D11_SUBRESOURCE_DATA`).
#[doc(alias = "D3D11_SUBRESOURCE_DATA")]
#[derive(Copy, Clone, Debug)]
pub struct SubresourceData<'a> {
    /// The bytes, at least as many as the pitches and the size of the subresource require.
    pub bytes: &'a [u8],
    /// Bytes from one row of texels or blocks to the next; ignored for buffers.
    pub row_pitch: u32,
    /// Bytes from one depth slice to the next; ignored for buffers and 2D textures.
    pub depth_pitch: u32,
}

impl<'a> SubresourceData<'a> {
    /// Describes the contents of a 1D or 2D texture, with rows that start `row_pitch` bytes apart.
    ///
    /// ```
    /// use onze_ddi::SubresourceData;
    ///
    /// // Two rows of three texels of 4 bytes, each row padded to 16 bytes.
    /// let bytes = [0; 32];
    /// let data = SubresourceData::rows(&bytes, 16);
    /// assert_eq!((data.row_pitch, data.depth_pitch), (16, 0));
    /// ```
    pub const fn rows(bytes: &'a [u8], row_pitch: u32) -> Self {
        Self { bytes, row_pitch, depth_pitch: 0 }
    }

    /// Describes contents without padding, for a subresource of `width` by `height` texels. The pitches are
    /// computed from the format; for block-compressed formats, they are the sizes of rows and slices of
    /// blocks.
    ///
    /// ```
    /// use onze_ddi::{Format, SubresourceData};
    ///
    /// // 8 x 8 texels are two rows of two blocks, with 8 bytes per block.
    /// let data = SubresourceData::packed(&[0; 32], Format::BC1_UNORM, 8, 8);
    /// assert_eq!((data.row_pitch, data.depth_pitch), (16, 32));
    /// ```
    pub fn packed(bytes: &'a [u8], format: Format, width: u32, height: u32) -> Self {
        let row_pitch = format.row_pitch(width);
        Self { bytes, row_pitch, depth_pitch: row_pitch.saturating_mul(format.rows(height)) }
    }
}

/// A region of a subresource, in bytes for buffers or in texels for textures, with exclusive right, bottom
/// and back coordinates (D3D11: `D3D11_BOX`).
#[doc(alias = "D3D11_BOX")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Box3d {
    /// First x of the region, in bytes or texels.
    pub left: u32,
    /// First y of the region, in texels, or 0 for a buffer.
    pub top: u32,
    /// First z of the region, in texels, or 0 unless the texture is 3D.
    pub front: u32,
    /// The last x of the region plus 1, in bytes or texels.
    pub right: u32,
    /// The last y of the region plus 1, in texels, or 1 for a buffer.
    pub bottom: u32,
    /// The last z of the region plus 1, in texels, or 1 unless the texture is 3D.
    pub back: u32,
}

impl Box3d {
    /// Returns a byte range of a buffer as a box.
    pub const fn bytes(range: std::ops::Range<u32>) -> Self {
        Self { left: range.start, top: 0, front: 0, right: range.end, bottom: 1, back: 1 }
    }

    /// Returns a rectangle of a 2D texture as a box of depth 1.
    pub const fn rect(left: u32, top: u32, right: u32, bottom: u32) -> Self {
        Self { left, top, front: 0, right, bottom, back: 1 }
    }

    /// Whether the box is empty, because at least one of its sides has no length.
    pub const fn is_empty(&self) -> bool {
        self.left >= self.right || self.top >= self.bottom || self.front >= self.back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_have_the_pitches_of_their_rows() {
        let data = SubresourceData::rows(&[1, 2], 48);
        assert_eq!((data.bytes, data.row_pitch, data.depth_pitch), (&[1, 2][..], 48, 0));
        for (format, width, height, pitches) in [
            (Format::R8G8B8A8_UNORM, 5, 3, (20, 60)),
            // Partial blocks at the edges take as many bytes as whole blocks.
            (Format::BC1_UNORM, 5, 9, (16, 48)),
            (Format::BC3_UNORM, 4, 4, (16, 16)),
        ] {
            let data = SubresourceData::packed(&[], format, width, height);
            assert_eq!((data.row_pitch, data.depth_pitch), pitches, "{format:?}");
        }
    }
}
