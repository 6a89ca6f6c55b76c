//! Updates of whole resources from values, the short form of `UpdateSubresource` and of `Map(WRITE_DISCARD)`.

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, Box3d, MapType, TextureDesc, Usage};

use super::{CopyFlags, DeviceContext};
use crate::{
    objects::{
        Buffer, ConstantBuffer, IndexBuffer, Resource, StructuredBuffer, Texture1d, Texture2d, Texture3d,
        VertexBuffer,
    },
    report::{Error, MessageId},
    validate,
};

/// The new contents for [`update`](DeviceContext::update) of an untyped resource: a value, an array or a slice of
/// values without padding (`bytemuck::NoUninit`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    note = "pass a slice of a vector: `&vec[..]`",
    note = "derive `NoUninit` for a struct: `#[derive(Clone, Copy, NoUninit)] #[repr(C)]`, with \
            `#[bytemuck(crate = \"onze::bytemuck\")]`"
)]
pub trait Contents {
    /// Returns the bytes of the contents, as they are in memory.
    fn bytes(&self) -> &[u8];
}

impl<T: NoUninit> Contents for T {
    #[inline]
    fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }
}

impl<T: NoUninit> Contents for [T] {
    #[inline]
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

/// A resource that [`DeviceContext::update`] can write, from contents of type `C`.
///
/// | resource | contents |
/// | --- | --- |
/// | [`ConstantBuffer<T>`] | `T` |
/// | [`VertexBuffer<T>`], [`IndexBuffer<T>`], [`StructuredBuffer<T>`] | `[T]`, an array, a `Vec<T>` |
/// | [`Buffer`], [`Texture1d`], [`Texture2d`], [`Texture3d`] | anything with [`Contents`] |
pub trait Updatable<C: ?Sized> {
    #[doc(hidden)]
    fn update_in(&self, context: &mut DeviceContext, contents: &C) -> Result<(), Error>;
}

impl<T: NoUninit> Updatable<T> for ConstantBuffer<T> {
    #[inline]
    fn update_in(&self, context: &mut DeviceContext, contents: &T) -> Result<(), Error> {
        context.map(self.buffer(), 0, MapType::WriteDiscard)?.write(0, contents);
        Ok(())
    }
}

impl<C: Contents + ?Sized> Updatable<C> for Buffer {
    fn update_in(&self, context: &mut DeviceContext, contents: &C) -> Result<(), Error> {
        context.update_buffer(self, contents.bytes())
    }
}

/// Textures, which are updated from the texels of their first subresource.
macro_rules! texels {
    ($($texture:ident)*) => {$(
        impl<C: Contents + ?Sized> Updatable<C> for $texture {
            fn update_in(&self, context: &mut DeviceContext, contents: &C) -> Result<(), Error> {
                context.update_texture(self, self.texture(), contents.bytes())
            }
        }
    )*};
}
texels!(Texture1d Texture2d Texture3d);

/// Buffers of elements, which are updated from slices, arrays and vectors of them.
macro_rules! elements {
    ($($buffer:ident $($field:ident)?;)*) => {$(
        impl<T: NoUninit> Updatable<[T]> for $buffer<T> {
            fn update_in(&self, context: &mut DeviceContext, contents: &[T]) -> Result<(), Error> {
                context.update_buffer(&self$(.$field)?, contents.bytes())
            }
        }

        impl<T: NoUninit, const N: usize> Updatable<[T; N]> for $buffer<T> {
            fn update_in(&self, context: &mut DeviceContext, contents: &[T; N]) -> Result<(), Error> {
                context.update_buffer(&self$(.$field)?, contents.as_slice().bytes())
            }
        }

        impl<T: NoUninit> Updatable<Vec<T>> for $buffer<T> {
            fn update_in(&self, context: &mut DeviceContext, contents: &Vec<T>) -> Result<(), Error> {
                context.update_buffer(&self$(.$field)?, contents.as_slice().bytes())
            }
        }
    )*};
}
elements!(VertexBuffer; IndexBuffer; StructuredBuffer buffer;);

impl DeviceContext {
    /// Writes values into a resource, from its start, at this point of the commands. Stands for `Map` with
    /// `D3D11_MAP_WRITE_DISCARD` of a dynamic resource, and for `UpdateSubresource` of a default-usage one.
    ///
    /// * In a dynamic resource and a constant buffer, the rest after the values becomes zero, whereas any other buffer
    ///   keeps its contents there.
    /// * In a texture, subresource 0 is written, from rows (of blocks) without padding.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let tint = device.create_constant_buffer(&[1.0_f32, 1.0, 1.0, 1.0])?;
    /// context.update(&tint, &[1.0, 0.5, 0.5, 1.0])?;
    ///
    /// let sprites = device.create_dynamic_vertex_buffer::<[f32; 2]>(600)?;
    /// let corners = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    /// context.update(&sprites, &corners)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the contents are longer than a buffer or shorter than a texture's subresource, and for
    /// immutable and staging resources and those of another device; then nothing is written, and the info queue also
    /// contains the message. [`Error::DeviceRemoved`]; for dynamic resources also the errors of [`map`](Self::map).
    #[doc(alias = "D3D11_MAP_WRITE_DISCARD")]
    #[doc(alias = "UpdateSubresource")]
    #[doc(alias = "Map")]
    #[inline]
    pub fn update<C: ?Sized>(&mut self, resource: &impl Updatable<C>, contents: &C) -> Result<(), Error> {
        resource.update_in(self, contents)
    }

    /// Writes a part of a subresource of a default-usage resource from contents without padding, at this point of the
    /// commands. Stands for `UpdateSubresource`, and for `UpdateSubresource1` of a part of a constant buffer.
    ///
    /// The region is in bytes for buffers and in texels for textures; `None` means the whole subresource. The pitches
    /// follow from the region: rows (of blocks) without padding, the top row of the front slice first. The contents
    /// must have exactly the size of the region, so that a wrong width or mip level is reported instead of distorting
    /// the image. A region of a constant buffer begins and ends at a multiple of 16 bytes, and an empty region writes
    /// nothing.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let atlas = device.create_texture_2d(&Texture2dDesc::new(Format::R8_UNORM, 256, 256), None)?;
    /// // A glyph of 8 x 8 texels, in mip level 0.
    /// context.update_region(&atlas, 0, Box3d::rect(16, 32, 24, 40), &[255_u8; 64])?;
    /// // All of mip level 2.
    /// context.update_region(&atlas, atlas.subresource(2, 0), None, &[0_u8; 64 * 64])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for contents of another size, for a region or a subresource out of range, for a region
    /// with parts of blocks, and for resources that cannot be updated: those of other usages, of other devices,
    /// multisampled, or for depth. Then nothing is written, and the info queue also contains the message.
    /// [`Error::DeviceRemoved`].
    #[doc(alias = "UpdateSubresource")]
    #[doc(alias = "UpdateSubresource1")]
    pub fn update_region<C: Contents + ?Sized>(
        &mut self,
        resource: &impl Resource,
        subresource: u32,
        region: impl Into<Option<Box3d>>,
        contents: &C,
    ) -> Result<(), Error> {
        let (region, bytes, desc) = (region.into(), contents.bytes(), resource.resource_desc());
        self.check_update(resource)?;
        let packed = match validate::packed_region(&desc, subresource, region) {
            Ok(Some(packed)) => packed,
            Ok(None) => return Ok(()),
            Err(reason) => return self.reject_update(resource, format_args!("{reason}")),
        };
        if bytes.len() as u64 != packed.bytes {
            let (found, words, needed) = (bytes.len(), packed.words, packed.bytes);
            return self.reject_update(
                resource,
                format_args!("{words} have {needed} bytes, found {found}; give contents without padding"),
            );
        }
        let (row_pitch, depth_pitch) = (packed.row_pitch, packed.depth_pitch);
        let flags = CopyFlags::empty();
        self.update_subresource1(resource, subresource, region, bytes, row_pitch, depth_pitch, flags);
        Ok(())
    }

    fn update_buffer(&mut self, buffer: &Buffer, bytes: &[u8]) -> Result<(), Error> {
        let desc = buffer.desc();
        let width = desc.byte_width as usize;
        if bytes.len() > width {
            return self.reject_update(
                buffer,
                format_args!("{} bytes do not fit into the {width} of the buffer", bytes.len()),
            );
        }
        if desc.usage == Usage::Default {
            self.check_update(buffer)?;
        }
        match desc.usage {
            Usage::Dynamic => self.map(buffer, 0, MapType::WriteDiscard)?.write_slice(0, bytes),
            Usage::Default if bytes.len() == width => {
                self.update_subresource(buffer, 0, None, bytes, 0, 0);
            }
            Usage::Default if desc.bind_flags.contains(BindFlags::CONSTANT_BUFFER) => {
                let mut padded = bytes.to_vec();
                padded.resize(width, 0);
                self.update_subresource(buffer, 0, None, &padded, 0, 0);
            }
            Usage::Default => {
                let part = Box3d::bytes(0..bytes.len() as u32);
                self.update_subresource(buffer, 0, Some(part), bytes, 0, 0);
            }
            usage @ (Usage::Immutable | Usage::Staging) => return self.reject_usage(buffer, usage),
        }
        Ok(())
    }

    fn update_texture(
        &mut self,
        texture: &impl Resource,
        desc: &TextureDesc,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let row = desc.format.row_pitch(desc.width);
        let slice = row.saturating_mul(desc.format.rows(desc.height));
        let needed = desc.mip_bytes(0);
        if (bytes.len() as u64) < needed {
            let (size, found) = (validate::size_words(desc, 0), bytes.len());
            let reason =
                format_args!("{size} texels of {:?} have {needed} bytes, found {found}", desc.format);
            return self.reject_update(texture, reason);
        }
        if desc.usage == Usage::Default {
            self.check_update(texture)?;
        }
        match desc.usage {
            Usage::Dynamic => {
                let mut mapped = self.map(texture, 0, MapType::WriteDiscard)?;
                let (row_pitch, depth_pitch) = (mapped.row_pitch() as usize, mapped.depth_pitch() as usize);
                let slices = bytes[..needed as usize].chunks_exact((slice as usize).max(1));
                for (z, texels) in slices.enumerate() {
                    for (y, texels) in texels.chunks_exact((row as usize).max(1)).enumerate() {
                        mapped.write_slice(z * depth_pitch + y * row_pitch, texels);
                    }
                }
            }
            Usage::Default => self.update_subresource(texture, 0, None, bytes, row, slice),
            usage @ (Usage::Immutable | Usage::Staging) => return self.reject_usage(texture, usage),
        }
        Ok(())
    }

    /// Fails with the reason for which `update_subresource` would skip the update.
    fn check_update(&self, resource: &impl Resource) -> Result<(), Error> {
        self.core.device.check_removed()?;
        let owned = self.device().own(&resource.owner().shared);
        self.core.device.reject(MessageId::UpdateSubresourceInvalid, owned)
    }

    #[cold]
    fn reject_usage(&self, resource: &impl Resource, usage: Usage) -> Result<(), Error> {
        let cure = if usage == Usage::Staging { "map it" } else { "create it with another usage" };
        self.reject_update(resource, format_args!("a resource of usage {usage:?} cannot be updated: {cure}"))
    }

    #[cold]
    fn reject_update(&self, resource: &impl Resource, reason: std::fmt::Arguments<'_>) -> Result<(), Error> {
        let name = resource.owner().shared.name();
        let error = Err(Error::InvalidArg(format!("update of {name}: {reason}")));
        self.core.device.reject(MessageId::UpdateSubresourceInvalid, error)
    }
}
