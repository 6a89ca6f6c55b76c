//! Command lists: what a deferred context has recorded. D3D11: `ID3D11CommandList`.

use std::{collections::HashSet, sync::Arc};

use onze_ddi::{DriverObject, Key};

use crate::{
    device_core::DeviceCore,
    object::{ObjectShared, nothing},
    software_list::SoftwareList,
};

/// Who recorded a list.
pub(crate) enum Recorded {
    /// The driver; it takes its half back when the list goes.
    Driver(DriverObject),
    /// The runtime, because the driver has no command lists.
    Software(SoftwareList),
}

/// What the clones of a list share.
pub(crate) struct ListShared {
    pub(crate) recorded: Recorded,
    /// What the recording used, dependencies first: kept alive as long as the list.
    pub(crate) objects: Vec<Arc<ObjectShared>>,
    /// Those of them that get new identities: opened in every context that executes the list.
    pub(crate) renamable: Vec<Arc<ObjectShared>>,
    /// Queries that the list ends.
    pub(crate) queries: Vec<Arc<ObjectShared>>,
    /// Lists that the recording executes.
    pub(crate) nested: Vec<Arc<ListShared>>,
    /// The last field: see [`ObjectShared::device`].
    pub(crate) device: Arc<DeviceCore>,
}

impl ListShared {
    /// Whether the list, or one that it executes, uses an object.
    pub(crate) fn uses(&self, key: Key) -> bool {
        // Lists may be nested deeper than a stack.
        let mut lists = vec![self];
        let mut seen = HashSet::new();
        while let Some(list) = lists.pop() {
            if !seen.insert(std::ptr::from_ref(list)) {
                continue;
            }
            if list.objects.iter().any(|o| o.key == key) {
                return true;
            }
            lists.extend(list.nested.iter().map(|inner| &**inner));
        }
        false
    }
}

impl Drop for ListShared {
    fn drop(&mut self) {
        if let Recorded::Driver(list) = &mut self.recorded {
            let list = std::mem::replace(list, nothing());
            self.device.destroy_command_list(list);
        }
        // One after the other, as lists may be nested deeper than a stack.
        let mut nested = std::mem::take(&mut self.nested);
        while let Some(inner) = nested.pop() {
            if let Some(mut inner) = Arc::into_inner(inner) {
                nested.append(&mut inner.nested);
            }
        }
    }
}

/// Recorded commands, to be executed any number of times. D3D11: `ID3D11CommandList`.
///
/// A cheap clone. Keeps alive what it uses.
#[derive(Clone)]
pub struct CommandList {
    pub(crate) shared: Arc<ListShared>,
}

impl CommandList {
    /// The device that it was recorded on.
    pub fn device(&self) -> crate::Device {
        crate::Device::from_core(&self.shared.device)
    }
}

impl std::fmt::Debug for CommandList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandList").field("objects", &self.shared.objects.len()).finish_non_exhaustive()
    }
}

impl PartialEq for CommandList {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for CommandList {}
