//! Typed vertex buffers (D3D11: `ID3D11Buffer` with `D3D11_BIND_VERTEX_BUFFER`).

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, BufferDesc};

use super::{
    Buffer, Device,
    typed_buffer::{byte_width, typed_buffer},
};
use crate::report::Error;

typed_buffer! {
    /// A vertex buffer with vertices of type `T` (D3D11: `ID3D11Buffer` with `D3D11_BIND_VERTEX_BUFFER`).
    ///
    /// Create it with [`Device::create_vertex_buffer`] or [`Device::create_dynamic_vertex_buffer`], and bind
    /// it with [`DeviceContext::ia_set_vertex_buffers`](crate::DeviceContext::ia_set_vertex_buffers). A pair
    /// binds two vertex buffers:
    ///
    /// ```no_run
    /// # use onze::prelude::*;
    /// # fn f(context: &mut DeviceContext, mesh: &VertexBuffer<[f32; 3]>, instances: &VertexBuffer<[f32; 4]>) {
    /// context.ia_set_vertex_buffers(0, mesh);
    /// context.ia_set_vertex_buffers(0, (mesh, instances));
    /// # }
    /// ```
    #[doc(alias = "ID3D11Buffer")]
    #[doc(alias = "D3D11_BIND_VERTEX_BUFFER")]
    VertexBuffer
}

impl<V> VertexBuffer<V> {
    /// Distance between vertices in bytes: the size of the vertex type.
    pub const STRIDE: u32 = size_of::<V>() as u32;

    /// Wraps an existing buffer that contains vertices of this type.
    ///
    /// Any buffer is accepted, but only a buffer with [`BindFlags::VERTEX_BUFFER`] can be bound.
    pub fn new(buffer: Buffer) -> Self {
        Self::of(buffer)
    }

    /// Returns the number of vertices that fit into the buffer.
    pub fn len(&self) -> u32 {
        self.buffer().desc().byte_width / Self::STRIDE.max(1)
    }

    /// Returns whether the buffer is too small for one vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Device {
    /// Creates a default-usage vertex buffer from a slice of vertices (D3D11: `ID3D11Device::CreateBuffer`
    /// with `D3D11_BIND_VERTEX_BUFFER`).
    ///
    /// [`DeviceContext::update`](crate::DeviceContext::update) replaces the vertices, but for vertices that
    /// change every frame, use a [dynamic buffer](Self::create_dynamic_vertex_buffer) instead.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let vertices = device.create_vertex_buffer(&[[-1.0_f32, -1.0], [0.0, 1.0], [1.0, -1.0]])?;
    /// context.ia_set_vertex_buffers(0, &vertices);
    /// context.draw(vertices.len(), 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_buffer`](Self::create_buffer), including [`Error::InvalidArg`] for
    /// an empty slice.
    #[doc(alias = "D3D11_BIND_VERTEX_BUFFER")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_vertex_buffer<V: NoUninit>(&self, vertices: &[V]) -> Result<VertexBuffer<V>, Error> {
        Ok(VertexBuffer::of(self.create_buffer_of(BindFlags::VERTEX_BUFFER, vertices)?))
    }

    /// Creates a vertex buffer for `len` vertices that draws write by stream output, and later draws read (D3D11:
    /// `ID3D11Device::CreateBuffer` with `D3D11_BIND_VERTEX_BUFFER` and `D3D11_BIND_STREAM_OUTPUT`).
    ///
    /// [`SoDeclarationEntry::of`](crate::SoDeclarationEntry::of) declares the vertices.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let particles = device.create_stream_vertex_buffer::<[f32; 4]>(1000)?;
    /// context.so_set_targets(StreamOutputBinding::new(&particles, 0));
    /// // ... a draw that writes particles, then:
    /// context.so_set_targets(None);
    /// context.ia_set_vertex_buffers(0, &particles);
    /// context.draw_auto();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_buffer`](Self::create_buffer), including [`Error::InvalidArg`] for
    /// a length of 0.
    #[doc(alias = "D3D11_BIND_STREAM_OUTPUT")]
    #[doc(alias = "D3D11_BIND_VERTEX_BUFFER")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_stream_vertex_buffer<V: NoUninit>(&self, len: usize) -> Result<VertexBuffer<V>, Error> {
        let flags = BindFlags::VERTEX_BUFFER | BindFlags::STREAM_OUTPUT;
        let desc = BufferDesc::new(byte_width::<V>(len)?, flags);
        Ok(VertexBuffer::of(self.create_buffer(&desc, None)?))
    }

    /// Creates a dynamic vertex buffer for `len` vertices (D3D11: `ID3D11Device::CreateBuffer` with
    /// `D3D11_BIND_VERTEX_BUFFER`, `D3D11_USAGE_DYNAMIC` and `D3D11_CPU_ACCESS_WRITE`).
    ///
    /// # Errors
    /// Returns the same errors as [`create_buffer`](Self::create_buffer), including [`Error::InvalidArg`] for
    /// a length of 0.
    #[doc(alias = "D3D11_BIND_VERTEX_BUFFER")]
    #[doc(alias = "D3D11_USAGE_DYNAMIC")]
    #[doc(alias = "D3D11_CPU_ACCESS_WRITE")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_dynamic_vertex_buffer<V: NoUninit>(&self, len: usize) -> Result<VertexBuffer<V>, Error> {
        Ok(VertexBuffer::of(self.create_dynamic_buffer_of::<V>(BindFlags::VERTEX_BUFFER, len)?))
    }
}
