//! Stretches: consecutive draws by index that keep their pipeline, with the commands between them.
//!
//! In many frames, a program replaces a buffer, binds a texture and a mesh, and draws, and repeats this for each
//! object. The pipeline and the layouts of the bind groups often stay the same. A stretch encodes the commands in
//! one loop:
//!
//! * A constant buffer selects an element of its window. The mirror of the state gets the last buffer of each
//!   slot at the end of the stretch.
//! * A texture or a sampler replaces a word of the key that finds the bind group.
//! * A vertex or index buffer is set in the pass.
//!
//! The stretch ends before the first command that needs more. The mirror of the state then contains all
//! bindings.

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

/// The objects that the commands of a stretch have bound since its last draw, apart from constant buffers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Pending {
    resources: bool,
    vertices: bool,
    indices: bool,
}

impl Pending {
    const NOTHING: Self = Self { resources: false, vertices: false, indices: false };
}

impl<'r> Stretches<'r> for Encoder<'r> {
    #[inline(never)]
    fn encode_stretch(&mut self, objects: &PageObjects<'r>, commands: &[Command]) -> usize {
        if self.groups.has_moved() || self.groups.index.is_split() || self.recording.is_some() {
            return 0;
        }
        let Some(mut open) = self.pass.render() else { return 0 };
        let mut slots = std::mem::take(&mut self.stretch_slots);
        let mut pending = Pending::NOTHING;
        let (mut draws, mut merged) = (0, 0);
        let mut done = commands.len();
        for (at, command) in commands.iter().enumerate() {
            let (indexed, count, start, base_vertex) = match *command {
                Command::SetConstantBuffer { stages, slot, object, offset, size } => {
                    let index = &mut self.groups.index;
                    if let Some(known) =
                        slots.get(&self.bindings, objects, BoundObject::new(stages, slot, object))
                        && index.select_at(&known.window, known.start + u64::from(offset), size.into())
                    {
                        known.last = at;
                        continue;
                    }
                    done = at;
                    break;
                }
                Command::DrawIndexed { index_count, start_index, base_vertex } => {
                    (true, index_count, start_index, base_vertex)
                }
                Command::Draw { vertex_count, start_vertex } => (false, vertex_count, start_vertex, 0),
                Command::Binds(binds) => {
                    let is_bound = self.bind_words(&mut pending, objects, &binds);
                    if is_bound && let Some(same) = self.pass.render() {
                        open = same;
                        continue;
                    }
                    done = at;
                    break;
                }
                Command::SetVertexBuffer { slot, object, stride, offset, size } => {
                    let range = objects.buffer(object, offset.into(), size.into());
                    self.state.set_vertex_buffer(slot, VertexSlot { range, stride });
                    pending.vertices = true;
                    continue;
                }
                Command::SetIndexBuffer { wide, object, offset, size } => {
                    let range = objects.buffer(object, offset.into(), size.into());
                    self.state.set_index_buffer(IndexSlot { range, wide });
                    pending.indices = true;
                    continue;
                }
                _ => {
                    done = at;
                    break;
                }
            };
            let mut args = InstancedDraw { count, instance_count: 1, start, base_vertex, start_instance: 0 };
            if pending != Pending::NOTHING {
                let is_bound = self.bind_pending(&mut pending, indexed);
                let Some(same) = self.pass.render().filter(|_| is_bound) else {
                    done = at;
                    break;
                };
                open = same;
            }
            if !self.ready.allows(indexed, &args) {
                done = at;
                break;
            }
            args.start_instance = self.groups.index.value();
            let merging = self.ready.merges().then(|| self.groups.index.merging());
            if open.merges(indexed, &args, merging) {
                merged += 1;
            } else {
                open.draw_apart(indexed, args, merging);
            }
            draws += 1;
        }
        self.stats.draws += draws;
        self.stats.merged += merged;
        self.stats.ways[DrawPath::ByIndex as usize] += draws;
        self.ready.note_stretch(draws);
        self.end_stretch(objects, commands.get(..done).unwrap_or_default(), slots, pending);
        done
    }
}

impl<'r> Encoder<'r> {
    /// Binds textures and samplers. Returns `false` if the command must be encoded outside of the stretch.
    fn bind_words(&mut self, pending: &mut Pending, objects: &PageObjects<'r>, binds: &Binds) -> bool {
        if !pending.resources && !self.has_plain_key() {
            return false;
        }
        pending.resources = true;
        binds.iter().all(|bind| self.bind_word(objects, bind))
    }

    /// Binds everything that has changed since the last draw of the stretch. Returns `false` if the next draw must be
    /// encoded outside of the stretch.
    #[inline(never)]
    fn bind_pending(&mut self, pending: &mut Pending, indexed: bool) -> bool {
        if self.state.pipeline_dirty {
            return false;
        }
        if pending.resources {
            if !self.bind_by_key() {
                return false;
            }
            pending.resources = false;
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
        } else if pending.resources {
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
