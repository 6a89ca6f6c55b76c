//! Code that all typed buffers share: [`ConstantBuffer`](super::ConstantBuffer),
//! [`VertexBuffer`](super::VertexBuffer), [`IndexBuffer`](super::IndexBuffer).

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, BufferDesc};

use super::{Buffer, Device};
use crate::report::Error;

/// Defines a buffer type that wraps a [`Buffer`] and has a type parameter for the contents.
macro_rules! typed_buffer {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<T> {
            buffer: $crate::objects::Buffer,
            contents: std::marker::PhantomData<fn() -> T>,
        }

        impl<T> $name<T> {
            fn of(buffer: $crate::objects::Buffer) -> Self {
                Self { buffer, contents: std::marker::PhantomData }
            }

            /// Returns the untyped buffer, which this type also dereferences to.
            pub fn buffer(&self) -> &$crate::objects::Buffer {
                &self.buffer
            }
        }

        impl<T> std::ops::Deref for $name<T> {
            type Target = $crate::objects::Buffer;

            fn deref(&self) -> &$crate::objects::Buffer {
                &self.buffer
            }
        }

        impl<T> $crate::objects::Object for $name<T> {}

        #[allow(private_interfaces, reason = "the trait is sealed")]
        impl<T> $crate::objects::sealed::Sealed for $name<T> {
            #[inline]
            fn key(&self) -> onze_ddi::Key {
                self.buffer.key()
            }
            #[inline]
            fn owner(&self) -> &$crate::objects::ObjectOwner {
                self.buffer.owner()
            }
            fn from_shared(shared: &std::sync::Arc<$crate::device_core::ObjectShared>) -> Self {
                Self::of($crate::objects::Buffer::from_shared(shared))
            }
        }

        impl<T> $crate::objects::Resource for $name<T> {
            fn resource_desc(&self) -> onze_ddi::ResourceDesc {
                self.buffer.resource_desc()
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                Self::of(self.buffer.clone())
            }
        }

        impl<T> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.buffer == other.buffer
            }
        }

        impl<T> Eq for $name<T> {}

        impl<T> std::hash::Hash for $name<T> {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.buffer.hash(state);
            }
        }

        impl<T> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).field("label", &self.buffer.label()).finish_non_exhaustive()
            }
        }
    };
}
pub(super) use typed_buffer;

/// Returns the size in bytes of a buffer for `len` elements of type `T`.
pub(super) fn byte_width<T>(len: usize) -> Result<u32, Error> {
    let bytes = len.checked_mul(size_of::<T>()).and_then(|bytes| u32::try_from(bytes).ok());
    bytes.ok_or_else(|| {
        let size = size_of::<T>();
        Error::InvalidArg(format!("{len} elements of {size} bytes: a buffer holds less than 4 GiB"))
    })
}

impl Device {
    /// Creates a default-usage buffer with a bind flag from the elements of a slice.
    pub(super) fn create_buffer_of<T: NoUninit>(
        &self,
        bind_flags: BindFlags,
        contents: &[T],
    ) -> Result<Buffer, Error> {
        let desc = BufferDesc::new(byte_width::<T>(contents.len())?, bind_flags);
        self.create_buffer(&desc, Some(bytemuck::cast_slice(contents)))
    }

    /// Creates a dynamic buffer with a bind flag for `len` elements.
    pub(super) fn create_dynamic_buffer_of<T: NoUninit>(
        &self,
        bind_flags: BindFlags,
        len: usize,
    ) -> Result<Buffer, Error> {
        self.create_buffer(&BufferDesc::dynamic(byte_width::<T>(len)?, bind_flags), None)
    }
}
