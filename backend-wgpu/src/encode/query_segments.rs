//! Query segments: the ranges that the occlusion queries of passes count, and the query scopes that they belong to.

use crate::services::sizes::QUERY_SEGMENTS;

use std::ops::Range;

use crate::objects::{query::QueryScope, staging::readback_buffer};

/// Room for the segments of a run, and what they count for.
#[derive(Debug)]
pub(crate) struct SegmentSet {
    pub(crate) set: wgpu::QuerySet,
    /// What wgpu resolves the set to; nothing that can be mapped.
    resolved: wgpu::Buffer,
    pub(crate) readback: wgpu::Buffer,
    used: u32,
    /// Which segments lie in which scope.
    scopes: Vec<(Range<u32>, QueryScope)>,
}

impl SegmentSet {
    /// An empty set.
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let size = u64::from(QUERY_SEGMENTS) * u64::from(wgpu::QUERY_SIZE);
        Self {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("segments of queries"),
                ty: wgpu::QueryType::Occlusion,
                count: QUERY_SEGMENTS,
            }),
            resolved: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("resolved queries"),
                size,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            readback: readback_buffer(device, size),
            used: 0,
            scopes: Vec::new(),
        }
    }

    /// How many segments it has.
    pub(crate) fn len(&self) -> u32 {
        self.used
    }

    /// Whether there is no room for another segment.
    pub(crate) fn is_full(&self) -> bool {
        self.used >= QUERY_SEGMENTS
    }

    /// The index of another segment.
    pub(crate) fn add(&mut self) -> u32 {
        self.used += 1;
        self.used - 1
    }

    /// The segments from `first` on lie in a scope.
    pub(crate) fn add_scope(&mut self, first: u32, scope: &QueryScope) {
        if first < self.used {
            self.scopes.push((first..self.used, scope.clone()));
        }
    }

    /// Of the segments.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.used) * u64::from(wgpu::QUERY_SIZE)
    }

    /// Appends what reads the segments back to the commands that have counted them.
    pub(crate) fn read_back(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.set, 0..self.used, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, 0, self.bytes());
    }

    /// Tells the scopes what was seen, and empties the set.
    ///
    /// # Errors
    /// The bytes are not there.
    pub(crate) fn tell(&mut self) -> Result<(), ()> {
        {
            let view = self.readback.get_mapped_range(..self.bytes()).map_err(|_| ())?;
            let counts: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
            for (segments, scope) in self.scopes.drain(..) {
                let counts = counts.get(segments.start as usize..segments.end as usize).unwrap_or_default();
                if counts.iter().any(|count| *count != 0) {
                    scope.saw();
                }
            }
        }
        self.readback.unmap();
        self.used = 0;
        Ok(())
    }
}
