//! Typed index buffers (D3D11: `ID3D11Buffer` with `D3D11_BIND_INDEX_BUFFER`).

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, Format};

use super::{Buffer, Device, typed_buffer::typed_buffer};
use crate::report::Error;

typed_buffer! {
    /// An index buffer with indices of type `T` (D3D11: `ID3D11Buffer` with `D3D11_BIND_INDEX_BUFFER`).
    ///
    /// Create it with [`Device::create_index_buffer`] or [`Device::create_dynamic_index_buffer`], and bind it with
    /// [`DeviceContext::ia_set_indices`](crate::DeviceContext::ia_set_indices).
    #[doc(alias = "ID3D11Buffer")]
    #[doc(alias = "D3D11_BIND_INDEX_BUFFER")]
    IndexBuffer
}

/// The element type of an index buffer: `u16` or `u32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index type",
    note = "indices are `u16` or `u32`"
)]
pub trait Index: NoUninit {
    /// The format of indices of this type.
    const FORMAT: Format;
}

impl Index for u16 {
    const FORMAT: Format = Format::R16_UINT;
}

impl Index for u32 {
    const FORMAT: Format = Format::R32_UINT;
}

impl<I: Index> IndexBuffer<I> {
    /// Wraps an existing buffer that contains indices of this type.
    ///
    /// Any buffer is accepted, but only a buffer with [`BindFlags::INDEX_BUFFER`] can be bound.
    pub fn new(buffer: Buffer) -> Self {
        Self::of(buffer)
    }

    /// Returns the number of indices that fit into the buffer.
    pub fn len(&self) -> u32 {
        self.buffer().desc().byte_width / size_of::<I>() as u32
    }

    /// Returns whether the buffer is too small for one index.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Device {
    /// Creates a default-usage index buffer from indices of type `u16` or `u32` (D3D11:
    /// `ID3D11Device::CreateBuffer` with `D3D11_BIND_INDEX_BUFFER`).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let indices = device.create_index_buffer(&[0_u16, 1, 2, 2, 1, 3])?;
    /// context.ia_set_indices(&indices);
    /// context.draw_indexed(indices.len(), 0, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_buffer`](Self::create_buffer), including [`Error::InvalidArg`] for
    /// an empty slice.
    #[doc(alias = "D3D11_BIND_INDEX_BUFFER")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_index_buffer<I: Index>(&self, indices: &[I]) -> Result<IndexBuffer<I>, Error> {
        Ok(IndexBuffer::of(self.create_buffer_of(BindFlags::INDEX_BUFFER, indices)?))
    }

    /// Creates a dynamic index buffer for `len` indices (D3D11: `ID3D11Device::CreateBuffer` with
    /// `D3D11_BIND_INDEX_BUFFER`, `D3D11_USAGE_DYNAMIC` and `D3D11_CPU_ACCESS_WRITE`).
    ///
    /// # Errors
    /// Returns the same errors as [`create_buffer`](Self::create_buffer), including [`Error::InvalidArg`] for
    /// a length of 0.
    #[doc(alias = "D3D11_BIND_INDEX_BUFFER")]
    #[doc(alias = "D3D11_USAGE_DYNAMIC")]
    #[doc(alias = "D3D11_CPU_ACCESS_WRITE")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_dynamic_index_buffer<I: Index>(&self, len: usize) -> Result<IndexBuffer<I>, Error> {
        Ok(IndexBuffer::of(self.create_dynamic_buffer_of::<I>(BindFlags::INDEX_BUFFER, len)?))
    }
}
