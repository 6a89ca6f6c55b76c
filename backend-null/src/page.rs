//! What a context writes a command buffer into: the table of the objects that are used, and counts.
//!
//! A command names an object by its slot in the table, where it was entered at its first use. So a
//! command buffer takes one reference per object that it uses, none per command, and needs no handle
//! to be executed: handles are the context's, a list outlives them.

use bytemuck::{Pod, Zeroable};
use onze_ddi::{CoreLayer, DriverBug, DriverObject, Handle, HandleStorage, ShaderStage};

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
    /// Objects that the last preamble found bound. A driver that draws would write their state.
    pub(crate) bound: u32,
}

fn not_open() -> DriverBug {
    DriverBug("a handle is not open in the context that uses it".into())
}

impl Page {
    pub(crate) fn new() -> Self {
        Self { epoch: 1, objects: Vec::new(), commands: 0, draws: 0, bound: 0 }
    }

    /// Enters an object and returns its slot. Costs no atomic operation but at the first use.
    pub(crate) fn enter<K>(
        &mut self,
        handles: &mut HandleStorage,
        handle: Handle<K>,
    ) -> Result<u32, DriverBug> {
        let next = self.objects.len() as u32;
        let bytes = handles.private_bytes_mut(handle.key()).ok_or_else(not_open)?;
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
        self.objects.push(handles.object(handle).ok_or_else(not_open)?.clone());
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

    /// Begins the next command buffer with a table of its own, and returns the old one.
    pub(crate) fn begin(&mut self) -> Vec<DriverObject> {
        self.epoch += 1;
        self.next();
        std::mem::take(&mut self.objects)
    }

    /// Writes the preamble: fetches all that is bound, so that the command buffer needs no other one
    /// before it, and no copy of the state has to be kept while it is not needed.
    pub(crate) fn preamble(
        &mut self,
        handles: &mut HandleStorage,
        core: &dyn CoreLayer,
    ) -> Result<(), DriverBug> {
        let mut bound = 0;
        let mut enter = |result: Result<u32, DriverBug>| result.map(|_| bound += 1);
        if let Some(layout) = core.input_layout() {
            enter(self.enter(handles, layout))?;
        }
        for buffer in
            core.vertex_buffers(None).iter().filter_map(|b| b.buffer).chain(core.index_buffer().buffer)
        {
            enter(self.enter(handles, buffer))?;
        }
        for stage in ShaderStage::ALL {
            if let Some(shader) = core.shader(stage) {
                enter(self.enter(handles, shader))?;
            }
            for buffer in core.constant_buffers(stage, None).iter().filter_map(|b| b.buffer) {
                enter(self.enter(handles, buffer))?;
            }
            for &view in core.shader_resources(stage, None).iter().flatten() {
                enter(self.enter(handles, view))?;
            }
            for &sampler in core.samplers(stage, None).iter().flatten() {
                enter(self.enter(handles, sampler))?;
            }
        }
        if let Some(state) = core.rasterizer_state() {
            enter(self.enter(handles, state))?;
        }
        if let Some(state) = core.blend_state().state {
            enter(self.enter(handles, state))?;
        }
        if let Some(state) = core.depth_stencil_state().state {
            enter(self.enter(handles, state))?;
        }
        let targets = core.render_targets();
        for &view in targets.color.iter().flatten() {
            enter(self.enter(handles, view))?;
        }
        if let Some(view) = targets.depth_stencil {
            enter(self.enter(handles, view))?;
        }
        // State without objects: topology, viewports and rectangles. Nothing here would use them.
        let _ = (core.primitive_topology(), core.viewports(), core.scissor_rects());
        self.bound = bound;
        Ok(())
    }
}
