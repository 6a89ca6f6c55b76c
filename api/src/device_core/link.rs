//! The data of a device that its driver can reach: the immediate context's table and the info queue.

use std::{borrow::Cow, sync::Arc};

use onze_ddi::{DeviceCoreLayer, DriverBug, ImmediateFuncs};

use super::{removal::Removal, removed::RemovedFuncs};
use crate::{
    concurrent::published::Published,
    report::{InfoQueue, MessageId},
};

/// The immediate context's table, in an additional box so that it can be replaced.
pub(crate) struct ImmediateTable(pub(crate) Box<dyn ImmediateFuncs>);

impl ImmediateTable {
    /// Returns the table that replaces a withdrawn table, with entries that do nothing.
    pub(super) fn nothing() -> Self {
        Self(Box::new(RemovedFuncs))
    }
}

/// The data of a device that its driver can reach, without a reference to the device, because the device
/// refers to it, and a reference cycle would keep both alive.
///
/// It has its own cache lines, because all threads that create objects read it.
#[repr(align(128))]
pub(crate) struct RuntimeLink {
    /// The immediate context's table, withdrawn when the device is removed.
    pub(crate) table: Published<ImmediateTable>,
    pub(crate) info: InfoQueue,
    /// Shared separately from the link, so that a waiting thread does not keep the device alive.
    pub(crate) removal: Arc<Removal>,
}

impl RuntimeLink {
    pub(crate) fn new(info: InfoQueue) -> Self {
        Self { table: Published::new(ImmediateTable::nothing()), info, removal: Arc::default() }
    }
}

impl DeviceCoreLayer for RuntimeLink {
    fn publish_immediate_table(&self, table: Box<dyn ImmediateFuncs>) {
        self.table.publish(ImmediateTable(table), ImmediateTable::nothing);
    }

    fn device_removed(&self, reason: Cow<'static, str>) {
        if self.table.withdraw(reason.clone().into_owned(), ImmediateTable::nothing) {
            if self.info.is_enabled() {
                self.info.report(MessageId::DeviceRemoved, &reason);
            } else {
                tracing::error!("the device was removed: {reason}");
            }
            self.removal.happen();
        }
    }

    fn report_bug(&self, bug: DriverBug) {
        if self.info.is_enabled() {
            self.info.report(MessageId::DriverBug, &bug);
        } else {
            tracing::error!("{bug}");
        }
    }

    fn report_unsupported(&self, what: Cow<'static, str>) {
        if self.info.is_enabled() {
            self.info.report(MessageId::DrawUnsupported, &what);
        } else {
            // Logs a warning even without the debug layer, because the image is incomplete.
            tracing::warn!("{what}");
        }
    }

    fn report_hint(&self, what: Cow<'static, str>) {
        if self.info.is_enabled() {
            self.info.report(MessageId::DrawsAlone, &what);
        } else {
            tracing::debug!("{what}");
        }
    }
}
