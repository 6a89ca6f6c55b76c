//! The fast path of draws: whether the open pass already has everything that the next draw needs.

use onze_ddi::ShaderStage;

use crate::record::{command::Bind, page::InstancedDraw};

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DrawChange {
    /// At most the dynamic offsets of bind groups have changed.
    Nothing,
    /// The same, after a draw with a geometry shader. No limits allow further draws.
    NothingOfExpansion,
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

/// Returns whether a stretch can bind the object, as long as the next draw needs nothing else.
pub(crate) const fn continues_stretch(bind: &Bind) -> bool {
    match bind {
        Bind::Shader { stage, .. } => matches!(stage, ShaderStage::Pixel),
        Bind::ShaderResource { .. }
        | Bind::Sampler { .. }
        | Bind::RasterizerState(_)
        | Bind::BlendState(_)
        | Bind::DepthStencilState { .. } => true,
        Bind::InputLayout(_) | Bind::Topology(_) => false,
    }
}

/// Returns a limit, which no draw exceeds if it has more than 32 bits.
pub(crate) fn limit(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Changes since the last draw of the open pass, and the limits for draws without changes.
#[derive(Debug, Default)]
pub(crate) struct FastDrawState {
    changed: DrawChange,
    limits: FastDrawLimits,
    /// Number of stretches without a draw since the last one with draws, at most [`MOST_FAILED`].
    failed: u8,
    /// Number of draws before the next stretch. Each stretch without a draw about doubles it.
    pause: u8,
    /// The commands that probably follow the last draw.
    next: NextCommands,
}

/// The commands that probably follow a draw, if they need not be encoded one by one.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum NextCommands {
    #[default]
    Any,
    /// Draws that a stretch can make, because the last draw was made without a change that a stretch cannot make.
    Stretch,
    /// Draws whose primitives select slices of the targets.
    Slices,
}

/// Maximum number of counted stretches without a draw. After as many, there are 63 draws between two stretches.
const MOST_FAILED: u8 = 6;

impl FastDrawState {
    /// Sets the changes that remain after a draw, and the limits for the next draws.
    pub(crate) const fn renew(&mut self, changed: DrawChange, limits: FastDrawLimits) {
        (self.changed, self.limits) = (changed, limits);
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
        (self.changed, self.limits.merges) = (DrawChange::Anything, false);
    }

    /// Makes the next draw check the bind groups and the pipeline.
    pub(crate) fn forget_bindings(&mut self) {
        self.changed = self.changed.max(DrawChange::Bindings);
    }

    /// Notes a change that a stretch cannot make.
    #[inline]
    pub(crate) const fn interrupt(&mut self) {
        self.next = NextCommands::Any;
    }

    /// Notes that the primitives of the last draw selected slices of the targets.
    pub(crate) const fn expect_slices(&mut self) {
        self.next = NextCommands::Slices;
    }

    /// Returns whether the primitives of the last draw selected slices.
    pub(crate) fn expects_slices(&self) -> bool {
        self.next == NextCommands::Slices
    }

    /// Notes that draws were made outside of a stretch.
    #[inline]
    pub(crate) const fn note_draw(&mut self) {
        self.next = if self.pause == 0 { NextCommands::Stretch } else { NextCommands::Any };
        self.pause = self.pause.saturating_sub(1);
    }

    /// Notes the number of draws that a stretch has made.
    pub(crate) const fn note_stretch(&mut self, draws: u32) {
        if draws > 0 {
            self.failed = 0;
        } else {
            (self.next, self.pause) = (NextCommands::Any, (1 << self.failed) - 1);
            self.failed = if self.failed < MOST_FAILED { self.failed + 1 } else { MOST_FAILED };
        }
    }

    /// Sets the number of vertices that the vertex buffers contain.
    pub(crate) fn set_vertices(&mut self, vertices: u64) {
        self.limits.vertices = limit(vertices);
    }

    /// Sets the number of indices that the index buffer contains.
    pub(crate) fn set_indices(&mut self, indices: u64) {
        self.limits.indices = limit(indices);
    }

    /// Returns whether the next commands need not be encoded one by one: a stretch can probably make the next draws by
    /// index, or primitives select slices.
    #[inline]
    pub(crate) fn is_steady(&self) -> bool {
        match self.next {
            NextCommands::Any => false,
            NextCommands::Stretch => self.changed == DrawChange::Nothing && self.is_by_index(),
            NextCommands::Slices => true,
        }
    }

    pub(crate) fn is_by_index(&self) -> bool {
        self.limits.draw_instances == DrawInstances::ByIndex
    }

    /// Returns whether the pass can encode a draw without further changes: the draw is not empty, and the
    /// buffers contain everything that it reads. The result is valid only while [`Self::changed`]
    /// returns [`DrawChange::Nothing`].
    #[inline(always)]
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
