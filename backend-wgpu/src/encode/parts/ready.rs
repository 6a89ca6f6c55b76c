//! TODO

use crate::record::page::InstancedDraw;

/// What has changed since a draw was made.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::encode) enum DrawChange {
    /// Nothing but offsets of bind groups.
    Nothing,
    /// What the bind groups and the pipeline are made of.
    Bindings,
    /// Anything.
    #[default]
    Anything,
}

/// What the open pass has, so that a draw that changes nothing needs no look at anything else.
#[derive(Debug, Default)]
pub(in crate::encode) struct FastDrawState {
    pub(in crate::encode) changed: DrawChange,
    /// The vertex shader reads SV_VertexID, and SV_InstanceID.
    pub(in crate::encode) rebases_vertices: bool,
    pub(in crate::encode) rebases_instances: bool,
    /// Draws are made by index.
    pub(in crate::encode) by_index: bool,
    /// Draws that change nothing else can be instances of one draw.
    pub(in crate::encode) merges: bool,
    /// How many vertices, instances and indices can be read. No index without an index buffer in the pass.
    pub(in crate::encode) vertices: u32,
    pub(in crate::encode) instances: u32,
    pub(in crate::encode) indices: u32,
}

impl FastDrawState {
    /// Something changed.
    pub(in crate::encode) fn forget(&mut self) {
        (self.changed, self.merges) = (DrawChange::Anything, false);
    }

    /// Something of what the bind groups and the pipeline are made of changed.
    pub(in crate::encode) fn forget_bindings(&mut self) {
        self.changed = self.changed.max(DrawChange::Bindings);
    }

    /// Whether a draw can be made with what the pass has, if it is ready: it draws something, and all that it
    /// reads is there.
    #[inline]
    pub(in crate::encode) fn allows(&self, indexed: bool, args: &InstancedDraw) -> bool {
        let InstancedDraw { count, instance_count, start, base_vertex, start_instance } = *args;
        let holds =
            |limit: u32, start: u32, count: u32| count != 0 && start <= limit && count <= limit - start;
        let has_instances = if self.by_index {
            instance_count == 1
        } else {
            holds(self.instances, start_instance, instance_count)
                && !(self.rebases_instances && start_instance != 0)
        };
        let moves_vertices = if indexed { base_vertex != 0 } else { start != 0 };
        holds(if indexed { self.indices } else { self.vertices }, start, count)
            && has_instances
            && !(self.rebases_vertices && moves_vertices)
    }
}
