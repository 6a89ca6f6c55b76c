//! Updates of resources from values, a short form of `UpdateSubresource` and `Map(WRITE_DISCARD)`.

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

/// New contents of an untyped resource, for [`update`](DeviceContext::update): a value, an array or a slice,
/// with values of a type without padding (`bytemuck::NoUninit`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    note = "pass a slice of a vector: `&vec[..]`",
    note = "derive `NoUninit` for a struct: `#[derive(Clone, Copy, NoUninit)] #[repr(C)]`, with \
            `#[bytemuck(crate = \"onze::bytemuck\")]`"
)]
pub trait Contents {
    /// Returns the contents as bytes in memory order.
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

/// A resource that [`DeviceContext::update`] can write from contents of type `C`.
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

/// Implements updates of textures from the texels of their first subresource.
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

/// Implements updates of typed buffers from slices, arrays and vectors of elements.
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
    /// Writes values to the beginning of a resource, at this point of the command stream. Equivalent to `Map`
    /// with `D3D11_MAP_WRITE_DISCARD` for a dynamic resource, and to `UpdateSubresource` for a default-usage
    /// resource.
    ///
    /// * In a dynamic resource and in a constant buffer, all bytes after the values become zero, whereas in
    ///   any other buffer they keep their contents.
    /// * In a texture, subresource 0 is written, with the values as rows of texels or blocks without padding.
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
    /// [`Error::InvalidArg`] if the contents are longer than a buffer or shorter than a texture's
    /// subresource, or if the resource is immutable, a staging resource or from another device. In these
    /// cases nothing is written, and the error is also reported to the info queue. [`Error::DeviceRemoved`]
    /// if the device was removed. For dynamic resources, also returns the errors of [`map`](Self::map).
    #[doc(alias = "D3D11_MAP_WRITE_DISCARD")]
    #[doc(alias = "UpdateSubresource")]
    #[doc(alias = "Map")]
    #[inline]
    pub fn update<C: ?Sized>(&mut self, resource: &impl Updatable<C>, contents: &C) -> Result<(), Error> {
        resource.update_in(self, contents)
    }

    /// Writes contents without padding to a region of a subresource, at this point of the command stream. The
    /// resource must have default usage. Equivalent to `UpdateSubresource`, or to `UpdateSubresource1` for a
    /// region of a constant buffer.
    ///
    /// The region is in bytes for buffers and in texels for textures; `None` means the whole subresource. The
    /// contents are rows of texels or blocks without padding, starting with the top row of the front slice,
    /// so the pitches follow from the region. The contents must have exactly the size of the region, so that
    /// a wrong width or mip level is reported instead of distorting the image. In a constant buffer, the
    /// region must begin and end at a multiple of 16 bytes. An empty region writes nothing.
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
    /// [`Error::InvalidArg`] for contents of another size, for a region or a subresource out of range, for a
    /// region that splits a block, and for a resource that cannot be updated because it has another usage,
    /// belongs to another device, is multisampled or has a depth format. In these cases nothing is written,
    /// and the error is also reported to the info queue. [`Error::DeviceRemoved`] if the device was removed.
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

    /// Fails with the reason if `update_subresource` would skip the update.
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
