//! Vertex buffers of one type. D3D11: `ID3D11Buffer` with `D3D11_BIND_VERTEX_BUFFER`.

use bytemuck::NoUninit;
use onze_ddi::BindFlags;

use super::{Buffer, Device, typed_buffer::typed_buffer};
use crate::report::Error;

typed_buffer! {
    /// A vertex buffer that knows its stride. D3D11: `ID3D11Buffer` with `D3D11_BIND_VERTEX_BUFFER`.
    ///
    /// From [`Device::create_vertex_buffer`] and [`Device::create_dynamic_vertex_buffer`]. Bind it with
    /// [`DeviceContext::ia_set_vertex_buffers`](crate::DeviceContext::ia_set_vertex_buffers), two of them as a pair:
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
    /// Bytes from one vertex to the next: the size of the type.
    pub const STRIDE: u32 = size_of::<V>() as u32;

    /// A buffer that was made otherwise, as one of vertices of this type.
    ///
    /// It needs [`BindFlags::VERTEX_BUFFER`] to be bound.
    pub fn new(buffer: Buffer) -> Self {
        Self::of(buffer)
    }

    /// How many vertices the buffer has room for.
    pub fn len(&self) -> u32 {
        self.buffer().desc().byte_width / Self::STRIDE.max(1)
    }

    /// Whether the buffer has no room for a vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Device {
    /// Makes a default-usage vertex buffer that holds vertices. Stands for `ID3D11Device::CreateBuffer` with
    /// `D3D11_BIND_VERTEX_BUFFER`.
    ///
    /// [`DeviceContext::update`](crate::DeviceContext::update) writes other vertices. Vertices that change in every
    /// frame belong into a [dynamic buffer](Self::create_dynamic_vertex_buffer).
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
    /// As [`create_buffer`](Self::create_buffer): [`Error::InvalidArg`] for no vertices.
    #[doc(alias = "D3D11_BIND_VERTEX_BUFFER")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_vertex_buffer<V: NoUninit>(&self, vertices: &[V]) -> Result<VertexBuffer<V>, Error> {
        Ok(VertexBuffer::of(self.create_buffer_of(BindFlags::VERTEX_BUFFER, vertices)?))
    }

    /// Makes a dynamic vertex buffer with room for `len` vertices. Stands for `ID3D11Device::CreateBuffer` with
    /// `D3D11_BIND_VERTEX_BUFFER`, `D3D11_USAGE_DYNAMIC` and `D3D11_CPU_ACCESS_WRITE`.
    ///
    /// # Errors
    /// As [`create_buffer`](Self::create_buffer): [`Error::InvalidArg`] for no vertices.
    #[doc(alias = "D3D11_BIND_VERTEX_BUFFER")]
    #[doc(alias = "D3D11_USAGE_DYNAMIC")]
    #[doc(alias = "D3D11_CPU_ACCESS_WRITE")]
    #[doc(alias = "CreateBuffer")]
    pub fn create_dynamic_vertex_buffer<V: NoUninit>(&self, len: usize) -> Result<VertexBuffer<V>, Error> {
        Ok(VertexBuffer::of(self.create_dynamic_buffer_of::<V>(BindFlags::VERTEX_BUFFER, len)?))
    }
}
