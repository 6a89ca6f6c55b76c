//! Application objects, which are cheap to clone, and are compared and hashed by identity.

use std::sync::Arc;

use crate::device_core::Owner;

/// A reference from an application object to its owner.
///
/// The trait object hides the owner's locks from Clippy's lint `mutable_key_type`, which examines the field
/// types of map keys and would otherwise warn in the application's code. Application objects are valid keys
/// of maps and sets, because they are compared and hashed by their key.
#[derive(Clone)]
pub(crate) struct ObjectOwner(Arc<dyn OwnsObject>);

trait OwnsObject: Send + Sync {
    fn owner(&self) -> &Owner;
}

impl OwnsObject for Owner {
    fn owner(&self) -> &Owner {
        self
    }
}

impl ObjectOwner {
    pub(crate) fn new(owner: Arc<Owner>) -> Self {
        Self(owner)
    }

    /// Returns the number of clones that the application has.
    pub(crate) fn clones(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

impl std::ops::Deref for ObjectOwner {
    type Target = Owner;

    fn deref(&self) -> &Owner {
        self.0.owner()
    }
}

/// Implemented by every object that an application gets from a device.
///
/// Objects are compared and hashed by identity, so two objects are equal if one is a clone of the other. They
/// can be used as keys of a `HashMap` or `HashSet`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an object of a device",
    label = "expected a buffer, a texture, a view, a shader, a state or another object that a `Device` created"
)]
pub trait Object: sealed::Sealed {}

pub(crate) mod sealed {
    use std::sync::Arc;

    use onze_ddi::Key;

    use super::ObjectOwner;
    use crate::device_core::ObjectShared;

    /// The runtime's side of an application object, which other crates cannot implement.
    pub trait Sealed: Sized {
        #[doc(hidden)]
        fn key(&self) -> Key;
        #[doc(hidden)]
        #[allow(private_interfaces, reason = "the trait is sealed")]
        fn owner(&self) -> &ObjectOwner;
        #[doc(hidden)]
        #[allow(private_interfaces, reason = "the trait is sealed")]
        fn from_shared(shared: &Arc<ObjectShared>) -> Self;
    }
}

/// Defines an application object, with cloning and with comparison and hashing by identity.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            key: onze_ddi::Key,
            owner: $crate::objects::ObjectOwner,
        }

        impl $name {
            /// Returns the device that created the object (D3D11: `ID3D11DeviceChild::GetDevice`).
            #[doc(alias = "GetDevice")]
            pub fn device(&self) -> $crate::objects::Device {
                $crate::objects::Device::from_core(&self.owner.shared.device)
            }

            /// Returns the driver's own object. No D3D11 counterpart. Like
            /// [`Device::driver_object`](crate::Device::driver_object), it gives an application that depends
            /// on the driver's crate access to lower layers: `onze_wgpu::interop` returns the wgpu textures
            /// and views.
            ///
            /// The returned value may outlive this object.
            pub fn driver_object(&self) -> onze_ddi::DriverObject {
                let shared = &self.owner.shared;
                // The caller can write to the resource through the driver object, so the runtime assumes a
                // write.
                shared.set_written();
                let _serial = shared.device.serial.enter();
                shared.device.funcs().driver_object_of(shared.kind, shared.driver())
            }

            fn attachments(&self) -> &$crate::device_core::Attachments {
                &self.owner.shared.attachments
            }

            fn current_label(&self) -> String {
                self.owner.shared.label()
            }
        }

        $crate::device_core::attachments!($name);

        impl $crate::objects::Object for $name {}

        #[allow(private_interfaces, reason = "the trait is sealed")]
        impl $crate::objects::sealed::Sealed for $name {
            #[inline]
            fn key(&self) -> onze_ddi::Key {
                self.key
            }
            #[inline]
            fn owner(&self) -> &$crate::objects::ObjectOwner {
                &self.owner
            }
            fn from_shared(shared: &std::sync::Arc<$crate::device_core::ObjectShared>) -> Self {
                Self { key: shared.key, owner: $crate::objects::ObjectOwner::new(shared.owner()) }
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.key == other.key
            }
        }

        impl Eq for $name {}

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.key.hash(state);
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).field("label", &self.label()).finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use object;
