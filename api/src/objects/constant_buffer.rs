//! Typed constant buffers (D3D11: `ID3D11Buffer` with `D3D11_BIND_CONSTANT_BUFFER`).

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, BufferDesc};

use super::{Buffer, Device, Slots, typed_buffer::typed_buffer};
use crate::report::Error;

typed_buffer! {
    /// A dynamic constant buffer that contains one value of type `T` (D3D11: `ID3D11Buffer` with
    /// `D3D11_BIND_CONSTANT_BUFFER` and `D3D11_USAGE_DYNAMIC`).
    ///
    /// Create it with [`Device::create_constant_buffer`], bind it like a [`Buffer`], and write it with
    /// [`DeviceContext::update`](crate::DeviceContext::update) any number of times. Each draw sees the last
    /// value that was written before it. A write costs as much as a `Map` with `WRITE_DISCARD`.
    ///
    /// The type must have the layout of the shader's `cbuffer` or struct. In HLSL no vector crosses a 16-byte
    /// boundary, and in WGSL a `vec3f` begins at a 16-byte boundary. To match both, put an `f32` after each
    /// `[f32; 3]`, or use `[f32; 4]`.
    #[doc(alias = "ID3D11Buffer")]
    #[doc(alias = "D3D11_BIND_CONSTANT_BUFFER")]
    #[doc(alias = "D3D11_USAGE_DYNAMIC")]
    ConstantBuffer
}

impl<T> Slots<Buffer> for &ConstantBuffer<T> {
    #[inline]
    fn count(&self) -> usize {
        1
    }
    #[inline]
    fn get(&self, _index: usize) -> Option<&Buffer> {
        Some(self.buffer())
    }
}

impl Device {
    /// Creates a dynamic constant buffer with an initial value, padded with zeros to a multiple of 16 bytes
    /// (D3D11: `ID3D11Device::CreateBuffer` with `D3D11_BIND_CONSTANT_BUFFER`, `D3D11_USAGE_DYNAMIC` and
    /// `D3D11_CPU_ACCESS_WRITE`).
    ///
    /// ```
    /// use onze::prelude::*;
    ///
    /// #[derive(Clone, Copy, NoUninit)]
    /// #[bytemuck(crate = "onze::bytemuck")] // Not needed in a package that depends on `bytemuck` itself.
    /// #[repr(C)]
    /// struct Camera {
    ///     view_projection: [[f32; 4]; 4],
    /// }
    ///
    /// # fn main() -> Result<(), onze::Error> {
    /// # let desc = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
    /// let (device, mut context) = create_device(&desc)?;
    /// let mut camera = Camera { view_projection: [[0.0; 4]; 4] };
    /// let constants = device.create_constant_buffer(&camera)?;
    /// context.vs_set_constant_buffers(0, &constants);
    ///
    /// camera.view_projection[3][0] = 1.0;
    /// context.update(&constants, &camera)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_buffer`](Self::create_buffer), including [`Error::InvalidArg`] for
    /// a zero-sized type.
    #[doc(alias = "D3D11_BIND_CONSTANT_BUFFER")]
    #[doc(alias = "D3D11_USAGE_DYNAMIC")]
    #[doc(alias = "D3D11_CPU_ACCESS_WRITE")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_constant_buffer<T: NoUninit>(&self, value: &T) -> Result<ConstantBuffer<T>, Error> {
        let mut bytes = bytemuck::bytes_of(value).to_vec();
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        let width = u32::try_from(bytes.len())
            .map_err(|_| Error::InvalidArg("a buffer holds less than 4 GiB".to_owned()))?;
        let desc = BufferDesc::dynamic(width, BindFlags::CONSTANT_BUFFER);
        Ok(ConstantBuffer::of(self.create_buffer(&desc, Some(&bytes))?))
    }
}
