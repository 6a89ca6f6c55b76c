//! Command lists, which deferred contexts record (D3D11: `ID3D11CommandList`).

use std::{
    collections::HashSet,
    sync::{Arc, Weak},
};

use onze_ddi::{Dead, DriverList, Key, Live};

use super::software_list::SoftwareList;
use crate::{
    concurrent::recycled::{self, recycle},
    device_core::{Attachments, DeviceCore, ObjectShared, attachments},
    objects::Device,
};

/// A recording, made either by the driver or by the runtime.
pub(crate) enum Recorded {
    Driver(DriverList<Live>),
    /// Recorded by the runtime, because the driver has no command lists.
    Software(SoftwareList),
}

/// Emptied lists that the application has dropped. Any thread can add a list, and the context that created
/// the lists removes them for its next recordings.
pub(crate) type RecycledLists = recycled::Recycled<ListShared>;

/// The data that all clones of a list share.
pub(crate) struct ListShared {
    /// The recording; `None` while the list waits for reuse.
    pub(crate) recorded: Option<Recorded>,
    /// The driver's half, while the list waits for reuse.
    pub(crate) dead: Option<DriverList<Dead>>,
    /// The objects that the recording uses and the list keeps alive, dependencies first.
    pub(crate) objects: Vec<Arc<ObjectShared>>,
    /// The renamable objects in `objects`, and back buffers, which every context that executes the list
    /// opens.
    pub(crate) renamable: Vec<Arc<ObjectShared>>,
    /// Queries that this list, or a list that it executes, begins or ends. A list ends every query that it
    /// begins.
    pub(crate) queries: Vec<Arc<ObjectShared>>,
    /// Queries whose results affect commands of this list, or of a list that it executes.
    pub(crate) predicates: Vec<Arc<ObjectShared>>,
    pub(crate) nested: Vec<Arc<ListShared>>,
    pub(crate) attachments: Attachments,
    /// The recycled lists of the recording context, dangling if that context no longer exists.
    recycled: Weak<RecycledLists>,
    /// Declared last because it must be dropped last; see [`ObjectShared::device`].
    pub(crate) device: Arc<DeviceCore>,
}

impl std::fmt::Debug for ListShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ListShared").field("objects", &self.objects.len()).finish_non_exhaustive()
    }
}

impl ListShared {
    pub(crate) fn new(device: &Arc<DeviceCore>, recycled: &Arc<RecycledLists>) -> Self {
        Self {
            recorded: None,
            dead: None,
            objects: Vec::new(),
            renamable: Vec::new(),
            queries: Vec::new(),
            predicates: Vec::new(),
            nested: Vec::new(),
            attachments: Attachments::default(),
            recycled: Arc::downgrade(recycled),
            device: device.clone(),
        }
    }

    /// Releases the driver's half first and the objects last, and keeps the allocations.
    fn clear(&mut self) {
        if let Some(Recorded::Driver(list)) = self.recorded.take() {
            let _serial = self.device.serial.enter();
            self.dead = Some(self.device.funcs().recycle_destroy_command_list(list));
        }
        self.let_go();
    }

    /// Releases the objects and lists that the list uses.
    fn let_go(&mut self) {
        // Iterates instead of recursing, because lists may be nested deeper than the stack allows.
        let mut deeper = Vec::new();
        for inner in self.nested.drain(..) {
            free_nested(inner, &mut deeper);
        }
        while let Some(inner) = deeper.pop() {
            free_nested(inner, &mut deeper);
        }
        self.renamable.clear();
        self.queries.clear();
        self.predicates.clear();
        self.objects.clear();
        self.attachments = Attachments::default();
    }

    /// Returns whether this list, or a list that it executes, uses an object.
    pub(crate) fn uses(&self, key: Key) -> bool {
        // Iterates instead of recursing, because lists may be nested deeper than the stack allows.
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

/// Drops a reference to a list. If it was the last one, the lists that this list executes move to `deeper`,
/// and the caller drops them.
fn free_nested(list: Arc<ListShared>, deeper: &mut Vec<Arc<ListShared>>) {
    if let Some(mut list) = Arc::into_inner(list) {
        deeper.append(&mut list.nested);
    }
}

impl Drop for ListShared {
    fn drop(&mut self) {
        let live = match self.recorded.take() {
            Some(Recorded::Driver(list)) => Some(list.end()),
            Some(Recorded::Software(_)) | None => None,
        };
        if let Some(list) = live.or_else(|| self.dead.take().map(DriverList::end)) {
            let _serial = self.device.serial.enter();
            self.device.funcs().destroy_command_list(list);
        }
        self.let_go();
    }
}

/// Recorded commands, which can be executed any number of times (D3D11: `ID3D11CommandList`).
///
/// A list is cheap to clone, and it keeps the objects that it uses alive.
#[doc(alias = "ID3D11CommandList")]
#[derive(Clone)]
pub struct CommandList {
    pub(crate) shared: Arc<ListShared>,
}

impl Drop for CommandList {
    fn drop(&mut self) {
        // Runs only for the last clone of a list that no other list executes.
        recycle(&mut self.shared, |list| {
            let recycled = list.recycled.upgrade()?;
            list.clear();
            Some(recycled)
        });
    }
}

impl CommandList {
    /// Returns the device that the list was recorded on (D3D11: `ID3D11DeviceChild::GetDevice`).
    #[doc(alias = "GetDevice")]
    pub fn device(&self) -> Device {
        Device::from_core(&self.shared.device)
    }

    fn attachments(&self) -> &Attachments {
        &self.shared.attachments
    }

    fn current_label(&self) -> String {
        self.shared.attachments.name()
    }
}

attachments!(CommandList);

impl std::fmt::Debug for CommandList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandList")
            .field("label", &self.label())
            .field("objects", &self.shared.objects.len())
            .finish_non_exhaustive()
    }
}

impl PartialEq for CommandList {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for CommandList {}
