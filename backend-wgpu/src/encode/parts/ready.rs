//! The fast path of draws: whether the open pass already has everything that the next draw needs.

use crate::record::page::InstancedDraw;

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DrawChange {
    /// At most the dynamic offsets of bind groups have changed.
    Nothing,
    /// Bindings have changed, so the bind groups and the pipeline may be different.
    Bindings,
    #[default]
    Anything,
}

/// The first vertices for which the pass can draw without further changes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum FirstVertex {
    #[default]
    Any,
    /// The shader reads SV_VertexID. Direct3D 11 counts it from 0 in each draw and wgpu does not, so other
    /// draws need shifted buffers.
    Zero,
}

/// The instance ranges for which the pass can draw without further changes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DrawInstances {
    #[default]
    Any,
    /// The shader reads SV_InstanceID, or elements with a step rate, so other draws need shifted buffers.
    FromZero,
    /// The first instance is the draw's index, so a draw has one instance.
    ByIndex,
}

/// The limits within which a draw needs nothing that the open pass lacks.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct FastDrawLimits {
    pub(crate) first_vertex: FirstVertex,
    pub(crate) draw_instances: DrawInstances,
    /// Draws that change no other state can become instances of one draw.
    pub(crate) merges: bool,
    pub(crate) vertices: u32,
    pub(crate) instances: u32,
    /// Number of indices in the index buffer, or 0 if the pass has none.
    pub(crate) indices: u32,
}

/// Changes since the last draw of the open pass, and the limits for draws without changes.
#[derive(Debug, Default)]
pub(crate) struct FastDrawState {
    changed: DrawChange,
    limits: FastDrawLimits,
    /// Number of draws without any change but that of the index or of dynamic offsets, at most [`STEADY`].
    steady: u8,
}

/// Number of unchanged draws after which the next draws are expected to need no change either.
const STEADY: u8 = 2;

impl FastDrawState {
    pub(crate) const fn new(changed: DrawChange, limits: FastDrawLimits) -> Self {
        Self { changed, limits, steady: 0 }
    }

    #[inline]
    pub(crate) const fn changed(&self) -> DrawChange {
        self.changed
    }

    /// Notes that the pass has the bind groups and the pipeline of the next draw.
    #[inline]
    pub(crate) const fn bindings_set(&mut self) {
        self.changed = DrawChange::Nothing;
    }

    /// Returns whether draws that change no other state can become instances of one draw.
    #[inline]
    pub(crate) const fn merges(&self) -> bool {
        self.limits.merges
    }

    pub(crate) fn forget(&mut self) {
        (self.changed, self.limits.merges, self.steady) = (DrawChange::Anything, false, 0);
    }

    /// Makes the next draw check the bind groups and the pipeline.
    pub(crate) fn forget_bindings(&mut self) {
        (self.changed, self.steady) = (self.changed.max(DrawChange::Bindings), 0);
    }

    /// Notes that draws were made without any change.
    #[inline]
    pub(crate) fn note_steady(&mut self) {
        self.steady = (self.steady + 1).min(STEADY);
    }

    /// Returns whether the last draws by index needed no change, so that the next ones will probably need none.
    #[inline]
    pub(crate) fn is_steady(&self) -> bool {
        self.steady == STEADY && self.is_by_index()
    }

    pub(crate) fn is_by_index(&self) -> bool {
        self.limits.draw_instances == DrawInstances::ByIndex
    }

    /// Returns whether the pass can encode a draw without further changes: the draw is not empty, and the
    /// buffers contain everything that it reads. The result is valid only while [`Self::changed`]
    /// returns [`DrawChange::Nothing`].
    #[inline]
    pub(crate) fn allows(&self, indexed: bool, args: &InstancedDraw) -> bool {
        let InstancedDraw { count, instance_count, start, base_vertex, start_instance } = *args;
        let contains =
            |limit: u32, start: u32, count: u32| count != 0 && start <= limit && count <= limit - start;
        let has_instances = match self.limits.draw_instances {
            DrawInstances::ByIndex => instance_count == 1,
            DrawInstances::Any => contains(self.limits.instances, start_instance, instance_count),
            DrawInstances::FromZero => {
                start_instance == 0 && contains(self.limits.instances, start_instance, instance_count)
            }
        };
        let moves_vertices = if indexed { base_vertex != 0 } else { start != 0 };
        contains(if indexed { self.limits.indices } else { self.limits.vertices }, start, count)
            && has_instances
            && !(self.limits.first_vertex == FirstVertex::Zero && moves_vertices)
    }
}
