//! Typed structured buffers, with their views (D3D11: `ID3D11Buffer` with
//! `D3D11_RESOURCE_MISC_BUFFER_STRUCTURED`).

use std::{fmt, marker::PhantomData};

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, BufferDesc};

use super::{Buffer, Device, ShaderResourceView, UnorderedAccessView, typed_buffer::byte_width};
use crate::{
    report::Error,
    validate::{BufferUavFlags, UnorderedAccessViewDesc, UnorderedAccessViewDimension},
};

/// A default-usage structured buffer with a shader-resource view and an unordered-access view.
///
/// Create it with [`Device::create_structured_buffer`], [`Device::create_structured_buffer_with`] or
/// [`Device::create_empty_structured_buffer`]. [`DeviceContext::update`](crate::DeviceContext::update) writes
/// elements, starting at the first element, and [`read_buffer`](crate::ImmediateContext::read_buffer) reads
/// elements back.
pub struct StructuredBuffer<T> {
    /// The buffer, whose stride is the size of `T`.
    pub buffer: Buffer,
    /// The view for reading (HLSL's `StructuredBuffer<T>`), for `cs_set_shader_resources` and the
    /// corresponding calls of other stages.
    pub shader_resource_view: ShaderResourceView,
    /// The view for reading and writing (HLSL's `RWStructuredBuffer<T>`), for
    /// `cs_set_unordered_access_views`, with a counter if the buffer was created with one.
    pub unordered_access_view: UnorderedAccessView,
    elements: PhantomData<fn() -> T>,
}

impl<T> StructuredBuffer<T> {
    /// Distance between elements in bytes: the size of `T`.
    pub const STRIDE: u32 = size_of::<T>() as u32;

    /// Returns the number of elements: the buffer's size divided by the size of an element.
    pub fn len(&self) -> u32 {
        self.buffer.desc().byte_width / Self::STRIDE.max(1)
    }

    /// Returns whether the buffer has no elements, which is always false because such a buffer cannot be
    /// created.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Clone for StructuredBuffer<T> {
    fn clone(&self) -> Self {
        Self {
            buffer: self.buffer.clone(),
            shader_resource_view: self.shader_resource_view.clone(),
            unordered_access_view: self.unordered_access_view.clone(),
            elements: PhantomData,
        }
    }
}

impl<T> PartialEq for StructuredBuffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.buffer == other.buffer
    }
}

impl<T> Eq for StructuredBuffer<T> {}

impl<T> fmt::Debug for StructuredBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StructuredBuffer").field("label", &self.buffer.label()).finish_non_exhaustive()
    }
}

impl Device {
    /// Creates a structured buffer from elements, with a shader-resource view and an unordered-access view
    /// (D3D11: `ID3D11Device::CreateBuffer` with `D3D11_RESOURCE_MISC_BUFFER_STRUCTURED`,
    /// `CreateShaderResourceView` and `CreateUnorderedAccessView`).
    ///
    /// The type must have the layout of the shader's struct, and its size must be a multiple of 4 and at most
    /// 2,048 bytes.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// #[derive(Clone, Copy, NoUninit)]
    /// #[bytemuck(crate = "onze::bytemuck")]
    /// #[repr(C)]
    /// struct Particle {
    ///     position: [f32; 3],
    ///     age: f32,
    /// }
    ///
    /// let particles = device.create_structured_buffer(&[Particle { position: [0.0; 3], age: 0.0 }; 1000])?;
    /// context.cs_set_unordered_access_views(0, &particles.unordered_access_view);
    /// // ... a dispatch moves them, and a draw reads them:
    /// context.cs_set_unordered_access_views(0, None);
    /// context.vs_set_shader_resources(0, &particles.shader_resource_view);
    /// assert_eq!(particles.len(), 1000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_buffer`](Self::create_buffer) and the calls for the views,
    /// including [`Error::InvalidArg`] for an empty slice and for a type of invalid size.
    #[doc(alias = "CreateBuffer")]
    #[doc(alias = "D3D11_RESOURCE_MISC_BUFFER_STRUCTURED")]
    #[doc(alias = "CreateShaderResourceView")]
    #[doc(alias = "CreateUnorderedAccessView")]
    pub fn create_structured_buffer<T: NoUninit>(
        &self,
        elements: &[T],
    ) -> Result<StructuredBuffer<T>, Error> {
        self.create_structured_buffer_with(elements, BufferUavFlags::empty())
    }

    /// Works like [`create_structured_buffer`](Self::create_structured_buffer), but adds a hidden counter if
    /// the flags contain [`BufferUavFlags::APPEND`] or [`BufferUavFlags::COUNTER`].
    ///
    /// The counter starts at 0, whatever the number of elements is. To set it, bind the view with an initial
    /// count:
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let places: Vec<u32> = (0..1000).collect();
    /// let free = device.create_structured_buffer_with(&places, BufferUavFlags::APPEND)?;
    /// context.cs_set_unordered_access_views_with_counts(0, &free.unordered_access_view, &[free.len()]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_structured_buffer`](Self::create_structured_buffer), and
    /// [`Error::InvalidArg`] for [`BufferUavFlags::RAW`] and for both counter flags together.
    #[doc(alias = "CreateBuffer")]
    pub fn create_structured_buffer_with<T: NoUninit>(
        &self,
        elements: &[T],
        flags: BufferUavFlags,
    ) -> Result<StructuredBuffer<T>, Error> {
        self.structured_buffer(elements.len(), flags, Some(bytemuck::cast_slice(elements)))
    }

    /// Works like [`create_structured_buffer_with`](Self::create_structured_buffer_with), but with `len`
    /// zeroed elements.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let visible = device.create_empty_structured_buffer::<u32>(10_000, BufferUavFlags::APPEND)?;
    /// context.cs_set_unordered_access_views_with_counts(0, &visible.unordered_access_view, &[0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_structured_buffer_with`](Self::create_structured_buffer_with).
    #[doc(alias = "CreateBuffer")]
    pub fn create_empty_structured_buffer<T: NoUninit>(
        &self,
        len: usize,
        flags: BufferUavFlags,
    ) -> Result<StructuredBuffer<T>, Error> {
        self.structured_buffer(len, flags, None)
    }

    fn structured_buffer<T>(
        &self,
        len: usize,
        flags: BufferUavFlags,
        contents: Option<&[u8]>,
    ) -> Result<StructuredBuffer<T>, Error> {
        let bind_flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        let desc = BufferDesc {
            byte_width: byte_width::<T>(len)?,
            ..BufferDesc::structured(StructuredBuffer::<T>::STRIDE, 0, bind_flags)
        };
        let buffer = self.create_buffer(&desc, contents)?;
        let dimension =
            UnorderedAccessViewDimension::Buffer { first_element: 0, num_elements: u32::MAX, flags };
        let written = UnorderedAccessViewDesc { dimension: Some(dimension), ..Default::default() };
        Ok(StructuredBuffer {
            shader_resource_view: buffer.create_shader_resource_view()?,
            unordered_access_view: self.create_unordered_access_view(&buffer, &written)?,
            buffer,
            elements: PhantomData,
        })
    }
}
