//! The immediate context's half of the driver, after the context was dropped.
//!
//! Back buffers and swap chains must be destroyed in the immediate context's domain, even if the application
//! drops the context first, so the context stores its private data here. The trait is implemented in the room
//! of contexts, because a driver call needs the callbacks of a context, and this room may not import a higher
//! room.

use std::sync::Arc;

use onze_ddi::{Entry, PrivateData};

use super::DeviceCore;

pub(crate) trait ParkedContext: Send {
    /// Calls the driver, while no handle is open.
    fn enter(&mut self, device: &Arc<DeviceCore>, call: Box<dyn FnOnce(Entry<'_>) + '_>);

    /// Returns the driver's private data, which is needed to destroy the device.
    fn into_private(self: Box<Self>) -> PrivateData;
}
