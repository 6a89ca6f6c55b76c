//! Stretches: consecutive commands that only select the constants of draws by index, and these draws.
//!
//! In many frames, a program replaces a buffer and draws, and repeats both for each object. After a few such
//! draws, nothing of the pass changes except the index. A stretch encodes the commands in one loop, which
//! does not update the mirror of the state. At the end of the stretch, the last buffer of each slot is
//! written to the mirror.

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        encoder::Encoder,
        fast_hooks::Stretches,
        parts::{
            bindings::Bindings, draw_path::DrawPath, page_objects::PageObjects, ranges::CONSTANT_SLOTS,
            windows::WindowSlot,
        },
    },
    record::{
        command::{Command, NO_OBJECT, ObjectIndex, stage_bit},
        page::InstancedDraw,
    },
};

/// A slot that the stretch has bound.
#[derive(Copy, Clone, Debug)]
struct StretchSlot {
    /// The stages and the object of the commands that select an element of the window.
    stages: u8,
    object: ObjectIndex,
    /// Offset of the object in its wgpu buffer.
    start: u64,
    window: WindowSlot,
    /// Index of the command that bound the slot last, or [`NOT_BOUND`].
    last: usize,
}

/// The slot is known, but no command of the stretch has bound it yet.
const NOT_BOUND: usize = usize::MAX;

/// Number of slots of a stage, rounded up to a power of two so that a masked index needs no bounds check.
const STAGE_SLOTS: usize = CONSTANT_SLOTS.next_power_of_two();

/// The slots that a stretch has bound: first those of the vertex stage, which the pixel stage may share, then
/// those of the pixel stage alone. Slots without stages are not bound.
#[derive(Debug)]
struct StretchSlots([StretchSlot; 2 * STAGE_SLOTS]);

impl StretchSlots {
    fn new() -> Self {
        let unused = StretchSlot {
            stages: 0,
            object: NO_OBJECT,
            start: 0,
            window: WindowSlot::default(),
            last: NOT_BOUND,
        };
        Self([unused; _])
    }

    /// Returns the slot, or `None` if a buffer in it changes more than the index.
    #[inline(always)]
    fn get(
        &mut self,
        bindings: &Bindings<'_>,
        objects: &PageObjects<'_>,
        (stages, slot, object): (u8, u8, ObjectIndex),
    ) -> Option<&mut StretchSlot> {
        let is_pixel = stages & stage_bit(ShaderStage::Vertex) == 0;
        let at = usize::from(slot) % STAGE_SLOTS + if is_pixel { STAGE_SLOTS } else { 0 };
        if (self.0[at].stages, self.0[at].object) != (stages, object) {
            self.0[at] = self.find(bindings, objects, (stages, slot, object))?;
        }
        Some(&mut self.0[at])
    }

    /// Finds the window of a slot that the stretch has not bound yet.
    #[inline(never)]
    fn find(
        &self,
        bindings: &Bindings<'_>,
        objects: &PageObjects<'_>,
        (stages, slot, object): (u8, u8, ObjectIndex),
    ) -> Option<StretchSlot> {
        // If the slot was bound for one of the stages, the order of the commands would matter.
        let at = usize::from(slot) % STAGE_SLOTS;
        if (self.0[at].stages | self.0[at + STAGE_SLOTS].stages) & stages != 0 {
            return None;
        }
        let window = bindings.window(stages, slot.into())?;
        let whole = objects.buffer(object, 0, 0)?;
        let known = StretchSlot { stages, object, start: whole.offset, window, last: NOT_BOUND };
        (whole.id == window.id).then_some(known)
    }
}

impl<'r> Stretches<'r> for Encoder<'r> {
    #[inline(never)]
    fn encode_stretch(&mut self, objects: &PageObjects<'r>, commands: &[Command]) -> usize {
        if self.groups.has_moved() || self.groups.index.is_split() || self.recording.is_some() {
            return 0;
        }
        let Some(open) = self.pass.render() else { return 0 };
        let (index, ready, bindings) = (&mut self.groups.index, &self.ready, &self.bindings);
        let mut slots = StretchSlots::new();
        let (mut draws, mut merged) = (0, 0);
        let mut done = commands.len();
        for (at, command) in commands.iter().enumerate() {
            let (indexed, count, start, base_vertex) = match *command {
                Command::SetConstantBuffer { stages, slot, object, offset, size } => {
                    if let Some(known) = slots.get(bindings, objects, (stages, slot, object))
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
                _ => {
                    done = at;
                    break;
                }
            };
            let mut args = InstancedDraw { count, instance_count: 1, start, base_vertex, start_instance: 0 };
            if !ready.allows(indexed, &args) {
                done = at;
                break;
            }
            args.start_instance = index.value();
            let merging = ready.merges().then(|| index.merging());
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
        for known in slots.0.into_iter().filter(|known| known.last < done) {
            if let Some(Command::SetConstantBuffer { stages, slot, object, offset, size }) =
                commands.get(known.last)
            {
                let range = objects.buffer(*object, (*offset).into(), (*size).into());
                self.set_constant_buffer(*stages, *slot, range);
            }
        }
        done
    }
}
