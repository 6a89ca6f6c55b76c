//! The immediate context's half of the driver, after the context is gone.
//!
//! Back buffers and swap chains are destroyed in the immediate context's domain, also by an application that drops
//! the context first. So the context leaves its private data here. The room of contexts implements the trait,
//! because the driver is entered with a context's callbacks, which lie above this room.

use std::sync::Arc;

use onze_ddi::{Entry, PrivateData};

use super::DeviceCore;

/// See the [module](self).
pub(crate) trait ParkedContext: Send {
    /// Calls into the driver; no handle is open then.
    fn enter(&mut self, device: &Arc<DeviceCore>, call: Box<dyn FnOnce(Entry<'_>) + '_>);

    /// The driver's private data, which ends the device.
    fn into_private(self: Box<Self>) -> PrivateData;
}
