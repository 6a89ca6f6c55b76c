//! Data that an application attaches to an object: its name, and private data.
//!
//! Every object stores its first name. The other attachments are allocated when the first of them is added,
//! and a separate lock protects them, taken only by calls that access attachments.

use std::{
    any::Any,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// The key of private data, unique so that independent components of an application do not conflict (D3D11:
/// `GUID`).
///
/// ```
/// use onze::Guid;
///
/// // {2e3a5f52-10a4-4c6e-9f4b-2b1a7c5de301}
/// const OWNER: Guid = Guid(0x2e3a5f52_10a4_4c6e_9f4b_2b1a7c5de301);
/// ```
#[doc(alias = "GUID")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guid(pub u128);

/// The name and the private data of an object.
#[derive(Default)]
pub(crate) struct Attachments {
    /// The name from the object's creation, shown by graphics debuggers.
    first_name: Box<str>,
    /// Attachments that were added after the creation, allocated when the first of them is added.
    later: OnceLock<Box<Mutex<Later>>>,
}

#[derive(Default)]
struct Later {
    name: Option<Arc<str>>,
    data: Vec<(Guid, Arc<dyn Any + Send + Sync>)>,
    eviction_priority: Option<u32>,
}

impl Attachments {
    pub(crate) fn named(first_name: &str) -> Self {
        Self { first_name: first_name.into(), later: OnceLock::new() }
    }

    /// Returns the current name, or an empty string if the object has none.
    pub(crate) fn name(&self) -> String {
        self.given_name().map_or_else(|| self.first_name.as_ref().to_owned(), |name| name.as_ref().to_owned())
    }

    /// Returns the name that was set after the creation, if any.
    pub(crate) fn given_name(&self) -> Option<Arc<str>> {
        self.later.get().and_then(|later| lock(later).name.clone())
    }

    pub(crate) fn set_name(&self, name: &str) {
        lock(self.later.get_or_init(Box::default)).name = Some(name.into());
    }

    pub(crate) fn eviction_priority(&self) -> Option<u32> {
        lock(self.later.get()?).eviction_priority
    }

    pub(crate) fn set_eviction_priority(&self, priority: u32) {
        lock(self.later.get_or_init(Box::default)).eviction_priority = Some(priority);
    }

    /// Returns the value for a key, if it has this type.
    pub(crate) fn get<T: Any + Send + Sync>(&self, key: Guid) -> Option<Arc<T>> {
        let later = lock(self.later.get()?);
        let (_, value) = later.data.iter().find(|(of, _)| *of == key)?;
        value.clone().downcast().ok()
    }

    /// Stores a value or removes the key, and returns the old value so that the caller drops it after the
    /// lock was released.
    pub(crate) fn set(
        &self,
        key: Guid,
        value: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let mut later = lock(self.later.get_or_init(Box::default));
        let at = later.data.iter().position(|(of, _)| *of == key);
        match (at, value) {
            (Some(at), Some(value)) => Some(std::mem::replace(&mut later.data[at].1, value)),
            (Some(at), None) => Some(later.data.swap_remove(at).1),
            (None, Some(value)) => {
                later.data.push((key, value));
                None
            }
            (None, None) => None,
        }
    }

    /// Holds the lock, so that a test sees which calls wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        lock(self.later.get_or_init(Box::default))
    }
}

fn lock(later: &Mutex<Later>) -> std::sync::MutexGuard<'_, Later> {
    later.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Defines the calls for the name and the private data of a type, which must have the methods `attachments`
/// and `current_label`.
macro_rules! attachments {
    ($name:ident) => {
        impl $name {
            /// Returns the name that was set last, or an empty string (D3D11: `GetPrivateData` with
            /// `WKPDID_D3DDebugObjectName`).
            ///
            /// For a view without a name, returns the name of its resource.
            #[doc(alias = "GetPrivateData")]
            #[doc(alias = "WKPDID_D3DDebugObjectName")]
            pub fn label(&self) -> String {
                self.current_label()
            }

            /// Sets the name that later messages and errors show (D3D11: `SetPrivateData` with
            /// `WKPDID_D3DDebugObjectName`).
            ///
            /// Graphics debuggers continue to show the name from the object's creation, which comes from the
            /// descriptor or from [`Device::labelled`](crate::Device::labelled). Clones share the name, as do
            /// state objects created from equal descriptors.
            #[doc(alias = "SetPrivateData")]
            #[doc(alias = "WKPDID_D3DDebugObjectName")]
            pub fn set_label(&self, label: &str) {
                self.attachments().set_name(label);
            }

            /// Attaches a value to the object, and replaces the previous value for the key (D3D11:
            /// `SetPrivateData` and `SetPrivateDataInterface`).
            ///
            /// The value may have any type, for example a number, bytes, or an `Arc` of data that is also
            /// used elsewhere. It is dropped with the object, on any thread. The value must not own a clone
            /// of the object, because then neither would ever be dropped. Clones share the value, as do state
            /// objects created from equal descriptors.
            ///
            /// ```
            /// # use onze::prelude::*;
            /// use onze::Guid;
            ///
            /// const MATERIAL: Guid = Guid(0x7c9f3a40_5f1e_4d0b_8a52_63d1f0a9be11);
            ///
            /// # fn main() -> Result<(), onze::Error> {
            /// # let (device, _context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
            /// let blend = device.create_blend_state(&BlendDesc::default())?;
            /// blend.set_private_data(MATERIAL, "glass".to_owned());
            /// assert_eq!(*blend.private_data::<String>(MATERIAL).unwrap(), "glass");
            /// assert!(blend.remove_private_data(MATERIAL));
            /// # Ok(())
            /// # }
            /// ```
            #[doc(alias = "SetPrivateData")]
            #[doc(alias = "SetPrivateDataInterface")]
            pub fn set_private_data<T: std::any::Any + Send + Sync>(
                &self,
                key: $crate::device_core::Guid,
                value: T,
            ) {
                drop(self.attachments().set(key, Some(std::sync::Arc::new(value))));
            }

            /// Returns the value for a key, or `None` if the key has no value of type `T` (D3D11:
            /// `GetPrivateData`).
            #[doc(alias = "GetPrivateData")]
            pub fn private_data<T: std::any::Any + Send + Sync>(
                &self,
                key: $crate::device_core::Guid,
            ) -> Option<std::sync::Arc<T>> {
                self.attachments().get(key)
            }

            /// Drops the value for a key, and returns whether there was a value (D3D11: `SetPrivateData`
            /// without data).
            #[doc(alias = "SetPrivateData")]
            pub fn remove_private_data(&self, key: $crate::device_core::Guid) -> bool {
                self.attachments().set(key, None).is_some()
            }
        }
    };
}
pub(crate) use attachments;
