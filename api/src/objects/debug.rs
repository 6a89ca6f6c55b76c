//! The report of live objects, which shows leaks at the end of a program (D3D11: `ID3D11Debug`).

use std::{collections::BTreeMap, sync::Arc};

use super::Device;
use crate::{device_core::ObjectShared, report::MessageId};

bitflags::bitflags! {
    /// Contents of a report of live objects (D3D11: `D3D11_RLDO_FLAGS`, with its values).
    #[doc(alias = "D3D11_RLDO_FLAGS")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct ReportFlags: u32 {
        /// Reports the number of objects of each kind (`D3D11_RLDO_SUMMARY`).
        #[doc(alias = "D3D11_RLDO_SUMMARY")]
        const SUMMARY = 1;
        /// Reports each object with its reference counts (`D3D11_RLDO_DETAIL`).
        #[doc(alias = "D3D11_RLDO_DETAIL")]
        const DETAIL = 2;
        /// Omits objects that only other objects, contexts and command lists refer to
        /// (`D3D11_RLDO_IGNORE_INTERNAL`).
        #[doc(alias = "D3D11_RLDO_IGNORE_INTERNAL")]
        const IGNORE_INTERNAL = 4;
    }
}

impl Device {
    /// Reports the live objects of the device to the info queue and returns their number (D3D11:
    /// `ID3D11Debug::ReportLiveDeviceObjects`).
    ///
    /// Use it to find objects that are still alive when all objects should have been destroyed. With
    /// [`ReportFlags::DETAIL`], there is one message per object ([`MessageId::LiveObject`]). It contains the
    /// object's name, the number of clones that the application has, and the number of references from other
    /// objects, contexts and command lists. With [`ReportFlags::SUMMARY`], one more message
    /// ([`MessageId::LiveObjectSummary`]) counts the objects of each kind. Contexts, command lists and swap
    /// chains are not listed. A dropped object that a context has used stays alive until the next
    /// [flush](crate::ImmediateContext::flush).
    ///
    /// Without the debug layer ([`DeviceDesc::debug`](crate::DeviceDesc::debug)) objects are not tracked, and the call
    /// returns 0.
    #[doc(alias = "ReportLiveDeviceObjects")]
    pub fn report_live_device_objects(&self, flags: ReportFlags) -> usize {
        let Some(live) = &self.core.live else { return 0 };
        let mut objects = live.all();
        if flags.contains(ReportFlags::IGNORE_INTERNAL) {
            objects.retain(|object| object.is_owned());
        }
        if flags.contains(ReportFlags::DETAIL) {
            for object in &objects {
                let (clones, others) = references(object);
                let text = format_args!("{}: {clones} of the application, {others} of others", object.name());
                self.core.info().report(MessageId::LiveObject, text);
            }
        }
        if flags.contains(ReportFlags::SUMMARY) {
            let mut kinds = BTreeMap::<_, usize>::new();
            for object in &objects {
                *kinds.entry(object.kind_name()).or_default() += 1;
            }
            let kinds: Vec<_> = kinds.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
            let text = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
            self.core.info().report(MessageId::LiveObjectSummary, text);
        }
        objects.len()
    }
}

/// Returns the number of clones that the application has, and the number of other references.
fn references(object: &Arc<ObjectShared>) -> (usize, usize) {
    let clones = object.clones();
    // Subtracts the caller's reference and the one reference that all clones share.
    (clones, Arc::strong_count(object).saturating_sub(1 + usize::from(clones > 0)))
}
