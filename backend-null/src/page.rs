//! The page into which a context records a command buffer: the table of used objects, and counters.
//!
//! An object is entered into the table at its first use, and commands refer to it by its slot. A command
//! buffer therefore has one reference per object instead of one per command. It can be executed without
//! handles, which is necessary because lists outlive the handles of the recording.

use bytemuck::{Pod, Zeroable};
use onze_ddi::{CoreLayer, DriverBug, DriverObject, Handle, HandleStorage, Key, kind};

#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Hot {
    /// The epoch of the table into which the object was last entered, or 0 for none.
    epoch: u64,
    slot: u32,
    uses: u32,
}

/// The private bytes of a dynamic resource's handle. Other resources have fewer private bytes.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct DynamicHot {
    hot: Hot,
    /// In deferred contexts: 1 plus the index of the memory of the most recent DISCARD in this epoch, or 0
    /// for none.
    pub(crate) upload: u32,
    reserved: [u32; 3],
}

#[derive(Debug)]
pub(crate) struct Page {
    /// The number of the context's current table, starting at 1 because the private bytes of a new handle
    /// contain epoch 0.
    epoch: u64,
    pub(crate) objects: Vec<DriverObject>,
    pub(crate) commands: u32,
    pub(crate) draws: u32,
    /// Whether a predicate skips commands. One flag suffices, because all predicates have the same result in
    /// this driver.
    pub(crate) skips: bool,
}

fn not_open() -> DriverBug {
    DriverBug("the handle is not open in the context that uses it".into())
}

impl Default for Page {
    fn default() -> Self {
        Self { epoch: 1, objects: Vec::new(), commands: 0, draws: 0, skips: false }
    }
}

impl Page {
    /// Enters an object into the table and returns its slot, with an atomic operation only for the first use
    /// in a table.
    pub(crate) fn enter(&mut self, handles: &mut HandleStorage, key: Key) -> Result<u32, DriverBug> {
        let next = self.objects.len() as u32;
        let bytes = handles.private_bytes_mut(key).ok_or_else(not_open)?;
        let hot: &mut Hot = bytes
            .get_mut(..size_of::<Hot>())
            .and_then(|bytes| bytemuck::try_from_bytes_mut(bytes).ok())
            .ok_or_else(|| DriverBug("the handle's private size differs from the announced one".into()))?;
        if hot.epoch == self.epoch {
            hot.uses = hot.uses.wrapping_add(1);
            return Ok(hot.slot);
        }
        *hot = Hot { epoch: self.epoch, slot: next, uses: 1 };
        // The remaining bytes of a dynamic resource belong to an older recording.
        bytes[size_of::<Hot>()..].fill(0);
        // The storage ignores the type of a handle.
        let object = handles.object(Handle::<kind::Resource>::new(key)).ok_or_else(not_open)?;
        self.objects.push(object.clone());
        Ok(next)
    }

    pub(crate) fn count(&mut self, draws: u32) {
        self.commands += 1;
        self.draws += draws;
    }

    pub(crate) fn next(&mut self) {
        self.commands = 0;
        self.draws = 0;
    }

    /// Begins the next command buffer, with `table` as its empty table, and returns the old table.
    pub(crate) fn begin(&mut self, table: Vec<DriverObject>) -> Vec<DriverObject> {
        self.epoch += 1;
        self.next();
        std::mem::replace(&mut self.objects, table)
    }

    /// Begins the next command buffer, dropping the contents of the old table but reusing its memory.
    pub(crate) fn forget(&mut self) {
        let mut table = std::mem::take(&mut self.objects);
        table.clear();
        self.begin(table);
    }

    /// Writes the preamble, which fetches all bindings, so that the command buffer does not depend on earlier
    /// command buffers, and the driver needs no copy of the state.
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
        // State without objects, such as topology, viewports and rectangles, is not used here.
        let _ = (core.primitive_topology(), core.viewports(), core.scissor_rects());
        result
    }
}
