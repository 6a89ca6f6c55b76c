//! The driver's way back to its device: the immediate context's table, and the info queue.

use std::{borrow::Cow, sync::Arc};

use onze_ddi::{DeviceCoreLayer, DriverBug, ImmediateFuncs};

use super::{removal::Removal, removed::RemovedFuncs};
use crate::{
    concurrent::published::Published,
    report::{InfoQueue, MessageId},
};

/// The immediate context's table, behind one pointer so that it can be swapped.
pub(crate) struct ImmediateTable(pub(crate) Box<dyn ImmediateFuncs>);

impl ImmediateTable {
    /// What stands where a table is withdrawn.
    pub(super) fn nothing() -> Self {
        Self(Box::new(RemovedFuncs))
    }
}

/// What the driver can reach of its device: never the device itself, or neither would end.
///
/// On cache lines of its own, as all threads that create something look at it.
#[repr(align(128))]
pub(crate) struct RuntimeLink {
    /// Withdrawn when the device is removed.
    pub(crate) table: Published<ImmediateTable>,
    pub(crate) info: InfoQueue,
    /// Not the link itself: who waits keeps nothing of the device.
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
            // Something is missing in the picture: worth a word also without the debug layer.
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
