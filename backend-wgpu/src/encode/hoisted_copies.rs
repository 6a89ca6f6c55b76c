//! Hoisted copies: a copy to or from objects that a run has not used yet moves in front of the run, so that the open
//! pass need not be split.
//!
//! An application that updates a texture or a vertex buffer between two draws seldom draws with the old contents in
//! the same frame. wgpu has no copies within a pass. So such a copy goes into a second encoder, whose commands are
//! submitted before those of the run. This is right if nothing that the run has encoded so far uses the copy's
//! destination or writes its source.

use crate::services::sizes::TOUCHED_BITS;

/// Numbers of textures and buffers. It may claim to have a number that it has not, and a pass is split without need;
/// never the other way round.
#[derive(Debug)]
struct Touched([u64; (TOUCHED_BITS / 64) as usize]);

impl Default for Touched {
    fn default() -> Self {
        Self([0; (TOUCHED_BITS / 64) as usize])
    }
}

impl Touched {
    fn place(id: u64) -> (usize, u64) {
        // Fibonacci hashing: numbers are given out one after the other.
        let bit = id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - TOUCHED_BITS.ilog2());
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    fn insert(&mut self, id: u64) {
        let (word, bit) = Self::place(id);
        self.0[word] |= bit;
    }

    fn may_contain(&self, id: u64) -> bool {
        let (word, bit) = Self::place(id);
        self.0[word] & bit != 0
    }
}

/// The reads and writes that a run has encoded so far, and the copies that were moved in front of it.
#[derive(Debug, Default)]
pub(super) struct HoistedCopies {
    /// Read or written.
    used: Touched,
    written: Touched,
    /// The reads and writes of a command are unknown: from now on no copy is hoisted.
    closed: bool,
    /// Made when it is needed.
    encoder: Option<wgpu::CommandEncoder>,
    /// What was read since it was asked for last, if it will be.
    notes: Option<Vec<u64>>,
}

impl HoistedCopies {
    /// Notes what is read, by the number of the texture or of the wgpu buffer.
    pub(super) fn reads(&mut self, id: u64) {
        self.used.insert(id);
        if let Some(notes) = &mut self.notes {
            notes.push(id);
        }
    }

    /// From now on notes what is read.
    pub(super) fn take_notes(&mut self) {
        self.notes = Some(Vec::new());
    }

    /// What was read since [`HoistedCopies::take_notes`] or the last call.
    pub(super) fn notes(&mut self) -> Vec<u64> {
        self.notes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Ends what [`HoistedCopies::take_notes`] began.
    pub(super) fn drop_notes(&mut self) {
        self.notes = None;
    }

    /// Notes what is written.
    pub(super) fn writes(&mut self, id: u64) {
        self.used.insert(id);
        self.written.insert(id);
    }

    /// Notes that anything may have been read and written.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Whether a copy from one object to another may be hoisted.
    pub(super) fn may(&self, reads: u64, writes: u64) -> bool {
        !self.closed && !self.used.may_contain(writes) && !self.written.may_contain(reads)
    }

    /// The encoder of the hoisted copies.
    pub(super) fn encoder(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        let desc = wgpu::CommandEncoderDescriptor { label: Some("hoisted copies") };
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&desc))
    }

    /// The hoisted copies.
    pub(super) fn finish(&mut self) -> Option<wgpu::CommandBuffer> {
        self.encoder.take().map(wgpu::CommandEncoder::finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_set_finds_its_members_and_few_others() {
        let mut touched = Touched::default();
        (0..64).for_each(|id| touched.insert(id));
        assert!((0..64).all(|id| touched.may_contain(id)));
        let others = (64..10_064).filter(|id| touched.may_contain(*id)).count();
        assert!(others < 10_000 / 16, "{others} of 10,000");
    }
}
