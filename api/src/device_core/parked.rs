//! The immediate context's half of the driver, after the context was dropped.
//!
//! Back buffers and swap chains must be destroyed in the immediate context's domain, even if the application drops the
//! context first. Therefore the context leaves its private data here. The room of contexts implements the trait,
//! because a call into the driver needs a context's callbacks, which are above this room.

use std::sync::Arc;

use onze_ddi::{Entry, PrivateData};

use super::DeviceCore;

pub(crate) trait ParkedContext: Send {
    /// Calls into the driver, while no handle is open.
    fn enter(&mut self, device: &Arc<DeviceCore>, call: Box<dyn FnOnce(Entry<'_>) + '_>);

    /// Returns the driver's private data, for the destruction of the device.
    fn into_private(self: Box<Self>) -> PrivateData;
}
