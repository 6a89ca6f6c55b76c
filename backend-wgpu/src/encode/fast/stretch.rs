//! Stretches: consecutive draws by index that keep their vertex shader, with the commands between them.
//!
//! In many frames, a program replaces a buffer, binds a texture and a mesh, and draws, and repeats this for each
//! object. The layouts of the bind groups often stay the same. A stretch encodes the commands in one loop:
//!
//! * A constant buffer selects an element of its window. The mirror of the state gets the last buffer of each
//!   slot at the end of the stretch.
//! * A texture or a sampler replaces a word of the key that finds the bind group.
//! * A pixel shader or a state object selects another pipeline, which must exist already.
//! * A vertex or index buffer is set in the pass.
//!
//! The stretch ends before the first command that needs more. The mirror of the state then contains all
//! bindings.

mod pipelines;
mod resources;

use crate::{
    encode::{
        emulate_hooks::VertexPulling,
        encoder::Encoder,
        fast_hooks::Stretches,
        parts::{
            draw_path::DrawPath,
            page_objects::PageObjects,
            ranges::{IndexSlot, VertexSlot},
            stretch_slots::{BoundObject, StretchSlots},
            vertices::BufferSubstitutes,
        },
    },
    record::{
        command::{Binds, Command},
        page::InstancedDraw,
    },
};

/// The objects that the commands of a stretch have bound since its last draw, apart from constant buffers and
/// state objects.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Pending {
    resources: bool,
    /// A shader is bound, so the key of the bound resources must be made again.
    shader: bool,
    vertices: bool,
    indices: bool,
}

impl Pending {
    const NOTHING: Self = Self { resources: false, shader: false, vertices: false, indices: false };
}

/// The effect of a command on the stretch.
enum Step {
    Bound,
    Draw {
        indexed: bool,
        count: u32,
        start: u32,
        base_vertex: i32,
    },
    /// The command must be encoded outside of the stretch.
    End,
}

/// The number of draws that a stretch has made, and how many of them were merged with the draw before.
#[derive(Default)]
struct Made {
    draws: u32,
    merged: u32,
}

impl<'r> Stretches<'r> for Encoder<'r> {
    #[inline(never)]
    fn encode_stretch(&mut self, objects: &PageObjects<'r>, commands: &[Command]) -> usize {
        if self.groups.has_moved() || self.groups.index.is_split() || self.recording.is_some() {
            return 0;
        }
        let mut slots = std::mem::take(&mut self.stretch_slots);
        let (mut pending, mut made) = (Pending::NOTHING, Made::default());
        let mut done = commands.len();
        for (at, command) in commands.iter().enumerate() {
            let continues = match self.step(objects, (&mut slots, &mut pending), (at, command)) {
                Step::Bound => true,
                Step::Draw { indexed, count, start, base_vertex } => {
                    let args =
                        InstancedDraw { count, instance_count: 1, start, base_vertex, start_instance: 0 };
                    self.draw_in_stretch(&mut pending, &mut made, indexed, args)
                }
                Step::End => false,
            };
            if !continues {
                done = at;
                break;
            }
        }
        self.stats.draws += made.draws;
        self.stats.merged += made.merged;
        self.stats.ways[DrawPath::ByIndex as usize] += made.draws;
        self.ready.note_stretch(made.draws);
        self.end_stretch(objects, commands.get(..done).unwrap_or_default(), slots, pending);
        done
    }
}

impl<'r> Encoder<'r> {
    /// Makes the binding of a command, or returns the arguments of its draw.
    #[inline(always)]
    fn step(
        &mut self,
        objects: &PageObjects<'r>,
        (slots, pending): (&mut StretchSlots, &mut Pending),
        (at, command): (usize, &Command),
    ) -> Step {
        match *command {
            Command::SetConstantBuffer { stages, slot, object, offset, size } => {
                let bound = BoundObject::new(stages, slot, object);
                if let Some(known) = slots.get(&self.bindings, objects, bound)
                    && self.groups.index.select_at(
                        &known.window,
                        known.start + u64::from(offset),
                        size.into(),
                    )
                {
                    known.last = at;
                    return Step::Bound;
                }
                Step::End
            }
            Command::DrawIndexed { index_count: count, start_index: start, base_vertex } => {
                Step::Draw { indexed: true, count, start, base_vertex }
            }
            Command::Draw { vertex_count: count, start_vertex: start } => {
                Step::Draw { indexed: false, count, start, base_vertex: 0 }
            }
            Command::Binds(binds) => {
                if self.bind_words(pending, objects, &binds) {
                    Step::Bound
                } else {
                    Step::End
                }
            }
            Command::SetVertexBuffer { slot, object, stride, offset, size } => {
                let range = objects.buffer(object, offset.into(), size.into());
                self.state.set_vertex_buffer(slot, VertexSlot { range, stride });
                pending.vertices = true;
                Step::Bound
            }
            Command::SetIndexBuffer { wide, object, offset, size } => {
                let range = objects.buffer(object, offset.into(), size.into());
                self.state.set_index_buffer(IndexSlot { range, wide });
                pending.indices = true;
                Step::Bound
            }
            _ => Step::End,
        }
    }

    /// Makes a draw, after binding everything that has changed since the last one. Returns `false` if it must be made
    /// outside of the stretch.
    #[inline(always)]
    fn draw_in_stretch(
        &mut self,
        pending: &mut Pending,
        made: &mut Made,
        indexed: bool,
        mut args: InstancedDraw,
    ) -> bool {
        let has_changed = *pending != Pending::NOTHING || self.state.pipeline_dirty;
        if has_changed && !self.bind_pending(pending, indexed) {
            return false;
        }
        if !self.ready.allows(indexed, &args) {
            return false;
        }
        let Some(open) = self.pass.render() else { return false };
        args.start_instance = self.groups.index.value();
        let merging = self.ready.merges().then(|| self.groups.index.merging());
        if open.merges(indexed, &args, merging) {
            made.merged += 1;
        } else {
            open.draw_apart(indexed, args, merging);
        }
        made.draws += 1;
        true
    }

    /// Binds textures, samplers, the pixel shader and state objects. Returns `false` if the command must be encoded
    /// outside of the stretch.
    fn bind_words(&mut self, pending: &mut Pending, objects: &PageObjects<'r>, binds: &Binds) -> bool {
        if !pending.resources && !self.has_plain_key() {
            return false;
        }
        pending.resources = true;
        binds.iter().all(|bind| self.bind_word(pending, objects, bind))
    }

    /// Binds everything that has changed since the last draw of the stretch. Returns `false` if the next draw must be
    /// encoded outside of the stretch.
    #[inline(never)]
    fn bind_pending(&mut self, pending: &mut Pending, indexed: bool) -> bool {
        if pending.shader {
            if !self.make_plain_key() {
                return false;
            }
            pending.shader = false;
        }
        if pending.resources {
            if !self.bind_by_key() {
                return false;
            }
            pending.resources = false;
        }
        if self.state.pipeline_dirty && !self.bind_known_pipeline() {
            return false;
        }
        if pending.vertices {
            if self.pulled().is_some() {
                return false;
            }
            self.resolve_vertices();
            self.bind_vertices(&BufferSubstitutes::default());
            self.ready.set_vertices(self.vertex.vertices());
            pending.vertices = false;
        }
        if pending.indices && indexed {
            let Some(indices) = self.state.index.aligned_len() else { return false };
            self.bind_indices(&BufferSubstitutes::default());
            self.ready.set_indices(indices);
            pending.indices = false;
        }
        true
    }

    /// Writes the last constant buffers of a stretch to the mirror of the state, and makes the next draw check the
    /// bindings that are still pending.
    fn end_stretch(
        &mut self,
        objects: &PageObjects<'r>,
        commands: &[Command],
        mut slots: StretchSlots,
        pending: Pending,
    ) {
        if pending.vertices || pending.indices {
            self.ready.forget();
        } else if pending.resources || self.state.pipeline_dirty {
            self.ready.forget_bindings();
        }
        for last in slots.last_commands() {
            if let Some(Command::SetConstantBuffer { stages, slot, object, offset, size }) =
                commands.get(last)
            {
                let range = objects.buffer(*object, (*offset).into(), (*size).into());
                self.set_constant_buffer(*stages, *slot, range);
            }
        }
        slots.clear();
        self.stretch_slots = slots;
    }
}
