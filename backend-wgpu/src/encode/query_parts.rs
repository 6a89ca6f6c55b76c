//! Parts of queries: what the occlusion queries of passes count, and the rounds that it counts for.

use std::ops::Range;

use crate::objects::{query::Round, staging::readback_buffer};

/// Parts in a set: about as many as a run has draws.
const PARTS: u32 = 1024;

/// Room for the parts of a run, and what they count for.
#[derive(Debug)]
pub(crate) struct PartSet {
    pub(crate) set: wgpu::QuerySet,
    /// What wgpu resolves the set to; nothing that can be mapped.
    resolved: wgpu::Buffer,
    pub(crate) readback: wgpu::Buffer,
    used: u32,
    /// Which parts lie in which round.
    rounds: Vec<(Range<u32>, Round)>,
}

impl PartSet {
    /// An empty set.
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let size = u64::from(PARTS) * u64::from(wgpu::QUERY_SIZE);
        Self {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("parts of queries"),
                ty: wgpu::QueryType::Occlusion,
                count: PARTS,
            }),
            resolved: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("resolved queries"),
                size,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            readback: readback_buffer(device, size),
            used: 0,
            rounds: Vec::new(),
        }
    }

    /// How many parts it has.
    pub(crate) fn len(&self) -> u32 {
        self.used
    }

    /// Whether there is no room for another part.
    pub(crate) fn is_full(&self) -> bool {
        self.used >= PARTS
    }

    /// The index of another part.
    pub(crate) fn add(&mut self) -> u32 {
        self.used += 1;
        self.used - 1
    }

    /// The parts from `first` on lie in a round.
    pub(crate) fn add_round(&mut self, first: u32, round: &Round) {
        if first < self.used {
            self.rounds.push((first..self.used, round.clone()));
        }
    }

    /// Of the parts.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.used) * u64::from(wgpu::QUERY_SIZE)
    }

    /// Appends what reads the parts back to the commands that have counted them.
    pub(crate) fn read_back(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.set, 0..self.used, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, 0, self.bytes());
    }

    /// Tells the rounds what was seen, and empties the set.
    ///
    /// # Errors
    /// The bytes are not there.
    pub(crate) fn tell(&mut self) -> Result<(), ()> {
        {
            let view = self.readback.get_mapped_range(..self.bytes()).map_err(|_| ())?;
            let counts: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
            for (parts, round) in self.rounds.drain(..) {
                let counts = counts.get(parts.start as usize..parts.end as usize).unwrap_or_default();
                if counts.iter().any(|count| *count != 0) {
                    round.saw();
                }
            }
        }
        self.readback.unmap();
        self.used = 0;
        Ok(())
    }
}
