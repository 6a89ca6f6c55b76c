//! Command lists, which deferred contexts record. D3D11: `ID3D11CommandList`.

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

/// The recording, by the side that recorded it.
pub(crate) enum Recorded {
    /// The driver.
    Driver(DriverList<Live>),
    /// The runtime, because the driver has no command lists.
    Software(SoftwareList),
}

/// Lists that the application has dropped, emptied, for the next recordings of the context that made
/// them: any thread adds, the context takes out.
pub(crate) type Recycled = recycled::Recycled<ListShared>;

/// The half of a list that its clones share.
pub(crate) struct ListShared {
    /// `None` while the list waits to be used again.
    pub(crate) recorded: Option<Recorded>,
    /// The driver's half, while the list waits.
    pub(crate) dead: Option<DriverList<Dead>>,
    /// The objects that the recording uses, dependencies first: kept alive as long as the list.
    pub(crate) objects: Vec<Arc<ObjectShared>>,
    /// Those of them that get new identities, and back buffers: opened in every context that executes the list.
    pub(crate) renamable: Vec<Arc<ObjectShared>>,
    /// Queries that the list, or one that it executes, begins or ends: those that it begins it ends.
    pub(crate) queries: Vec<Arc<ObjectShared>>,
    /// Queries on which commands of it depend, or of a list that it executes.
    pub(crate) predicates: Vec<Arc<ObjectShared>>,
    /// Lists that the recording executes.
    pub(crate) nested: Vec<Arc<ListShared>>,
    pub(crate) attachments: Attachments,
    /// Nowhere when the context is gone.
    recycled: Weak<Recycled>,
    /// The last field: see [`ObjectShared::device`].
    pub(crate) device: Arc<DeviceCore>,
}

impl std::fmt::Debug for ListShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ListShared").field("objects", &self.objects.len()).finish_non_exhaustive()
    }
}

impl ListShared {
    /// An empty list, of a context.
    pub(crate) fn new(device: &Arc<DeviceCore>, recycled: &Arc<Recycled>) -> Self {
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

    /// Lets go of everything but the memory: the driver's half first, the objects last.
    fn clear(&mut self) {
        if let Some(Recorded::Driver(list)) = self.recorded.take() {
            let _serial = self.device.serial.enter();
            self.dead = Some(self.device.funcs().recycle_destroy_command_list(list));
        }
        self.let_go();
    }

    /// Lets go of what the list uses.
    fn let_go(&mut self) {
        // One after the other, as lists may be nested deeper than a stack.
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

/// Lets go of a list; those that only it executes are left for later.
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

/// Recorded commands, to be executed any number of times. D3D11: `ID3D11CommandList`.
///
/// A cheap clone. Keeps alive what it uses.
#[doc(alias = "ID3D11CommandList")]
#[derive(Clone)]
pub struct CommandList {
    pub(crate) shared: Arc<ListShared>,
}

impl Drop for CommandList {
    fn drop(&mut self) {
        // The last clone, and no other list executes it.
        recycle(&mut self.shared, |list| {
            let recycled = list.recycled.upgrade()?;
            list.clear();
            Some(recycled)
        });
    }
}

impl CommandList {
    /// The device that it was recorded on. D3D11: `ID3D11DeviceChild::GetDevice`.
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
