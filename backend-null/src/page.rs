//! What a context writes a command buffer into: the table of the objects that are used, and counts.
//!
//! A command names an object by its slot in the table, where it was entered at its first use. So a
//! command buffer takes one reference per object that it uses, none per command, and needs no handle
//! to be executed: handles are the context's, a list outlives them.

use bytemuck::{Pod, Zeroable};
use onze_ddi::{CoreLayer, DriverBug, DriverObject, Handle, HandleStorage, Key, kind};

/// The private bytes of every handle.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Hot {
    /// The epoch of the table in which the object was entered last; 0 is none.
    epoch: u64,
    /// Its slot there.
    slot: u32,
    /// How often it was used in that epoch.
    uses: u32,
}

/// The private bytes of a dynamic resource's handle: a second size for that kind.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct DynamicHot {
    hot: Hot,
    /// Deferred contexts: one more than the index of the memory of the last DISCARD in this epoch.
    pub(crate) upload: u32,
    reserved: [u32; 3],
}

/// What a context has open of a command buffer.
#[derive(Debug)]
pub(crate) struct Page {
    /// Counts the tables of the context, from 1: the private bytes of a fresh handle say 0.
    epoch: u64,
    /// The distinct objects that are used.
    pub(crate) objects: Vec<DriverObject>,
    /// Commands since the command buffer was begun.
    pub(crate) commands: u32,
    /// Draws among them.
    pub(crate) draws: u32,
    /// Commands are skipped, for the answer of a predicate: all are the same here.
    pub(crate) skips: bool,
}

fn not_open() -> DriverBug {
    DriverBug("a handle is not open in the context that uses it".into())
}

impl Default for Page {
    fn default() -> Self {
        Self { epoch: 1, objects: Vec::new(), commands: 0, draws: 0, skips: false }
    }
}

impl Page {
    /// Enters an object and returns its slot. Costs no atomic operation but at the first use.
    pub(crate) fn enter(&mut self, handles: &mut HandleStorage, key: Key) -> Result<u32, DriverBug> {
        let next = self.objects.len() as u32;
        let bytes = handles.private_bytes_mut(key).ok_or_else(not_open)?;
        let hot: &mut Hot = bytes
            .get_mut(..size_of::<Hot>())
            .and_then(|bytes| bytemuck::try_from_bytes_mut(bytes).ok())
            .ok_or_else(|| DriverBug("a handle's private size is not the announced one".into()))?;
        if hot.epoch == self.epoch {
            hot.uses = hot.uses.wrapping_add(1);
            return Ok(hot.slot);
        }
        *hot = Hot { epoch: self.epoch, slot: next, uses: 1 };
        // What follows in the bytes of a dynamic resource belongs to an older recording.
        bytes[size_of::<Hot>()..].fill(0);
        // The storage does not ask for the kind of a handle.
        let object = handles.object(Handle::<kind::Resource>::new(key)).ok_or_else(not_open)?;
        self.objects.push(object.clone());
        Ok(next)
    }

    /// Counts a command.
    pub(crate) fn count(&mut self, draws: u32) {
        self.commands += 1;
        self.draws += draws;
    }

    /// Begins the next command buffer in the same table.
    pub(crate) fn next(&mut self) {
        self.commands = 0;
        self.draws = 0;
    }

    /// Begins the next command buffer with another table, which is empty, and returns the old one.
    pub(crate) fn begin(&mut self, table: Vec<DriverObject>) -> Vec<DriverObject> {
        self.epoch += 1;
        self.next();
        std::mem::replace(&mut self.objects, table)
    }

    /// Begins the next command buffer, with the memory of a table that nobody needs any more.
    pub(crate) fn forget(&mut self) {
        let mut table = std::mem::take(&mut self.objects);
        table.clear();
        self.begin(table);
    }

    /// Writes the preamble: fetches all that is bound, so that the command buffer needs no other one
    /// before it, and no copy of the state has to be kept while it is not needed.
    pub(crate) fn preamble(
        &mut self,
        handles: &mut HandleStorage,
        core: &dyn CoreLayer,
    ) -> Result<(), DriverBug> {
        let mut result = Ok(());
        core.for_each_bound(&mut |key| {
            if result.is_ok() {
                result = self.enter(handles, key).map(drop);
            }
        });
        // State without objects: topology, viewports and rectangles. Nothing here would use them.
        let _ = (core.primitive_topology(), core.viewports(), core.scissor_rects());
        result
    }
}
