//! The arena: GPU memory for the vertices that a dispatch stores for a draw of the same run.
//!
//! Each encoding thread has an arena, whose buffers are used again by its next run. The GPU executes runs one after the
//! other, so a run cannot overwrite vertices that an earlier run still reads.

use crate::{
    encode::parts::ranges::BufferRange,
    services::{
        gpu::Gpu,
        sizes::{ARENA_CHUNK, UNUSED_RUNS},
    },
};

/// A range of the arena.
#[derive(Clone, Debug)]
pub(crate) struct ArenaRange {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl ArenaRange {
    /// Returns the range with an identifier, which no other access uses.
    pub(crate) const fn with_id(&self, id: u64) -> BufferRange<'_> {
        BufferRange { buffer: &self.buffer, id, offset: self.offset, size: self.size }
    }
}

#[derive(Debug, Default)]
pub(crate) struct VertexArena {
    chunks: Vec<wgpu::Buffer>,
    /// Index of the chunk in which the next range begins, and position in it.
    chunk: usize,
    position: u64,
    /// Bytes of the ranges of this run.
    used: u64,
    /// Number of runs since the arena was last used.
    idle_runs: u64,
}

impl VertexArena {
    /// Makes all ranges available again.
    pub(crate) fn begin_run(&mut self) {
        self.idle_runs = if self.used > 0 { 0 } else { self.idle_runs + 1 };
        if self.idle_runs >= UNUSED_RUNS {
            self.chunks = Vec::new();
        }
        (self.chunk, self.position, self.used) = (0, 0, 0);
    }

    /// Bytes of the ranges of this run.
    pub(crate) const fn used(&self) -> u64 {
        self.used
    }

    /// Returns a range that is free in this run.
    pub(crate) fn take(&mut self, gpu: &Gpu, size: u64) -> ArenaRange {
        let alignment = u64::from(gpu.limits.min_storage_buffer_offset_alignment);
        self.used += size;
        while let Some(chunk) = self.chunks.get(self.chunk) {
            let offset = self.position.next_multiple_of(alignment);
            if offset + size <= chunk.size() {
                self.position = offset + size;
                return ArenaRange { buffer: chunk.clone(), offset, size };
            }
            (self.chunk, self.position) = (self.chunk + 1, 0);
        }
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("stored vertices"),
            size: size.max(ARENA_CHUNK),
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        self.chunks.push(buffer.clone());
        self.position = size;
        ArenaRange { buffer, offset: 0, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noop;

    #[test]
    fn ranges_of_a_run_do_not_overlap() {
        let (device, _runtime) = noop();
        let mut arena = VertexArena::default();
        let sizes = [100, ARENA_CHUNK, 100, 2 * ARENA_CHUNK, ARENA_CHUNK - 4, 4];
        let take_all = |arena: &mut VertexArena| -> Vec<_> {
            sizes.iter().map(|size| arena.take(&device.gpu, *size)).collect()
        };
        let mut chunks = None;
        for _ in 0..3 {
            let ranges = take_all(&mut arena);
            assert_eq!(arena.used(), sizes.iter().sum::<u64>());
            for (at, a) in ranges.iter().enumerate() {
                assert!(a.offset + a.size <= a.buffer.size());
                for b in &ranges[at + 1..] {
                    let is_apart = a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
                    assert!(a.buffer != b.buffer || is_apart, "{a:?}, {b:?}");
                }
            }
            arena.begin_run();
            let before = chunks.replace(arena.chunks.len());
            assert!(before.is_none() || before == chunks, "the buffers are used again");
        }
    }

    #[test]
    fn an_unused_arena_frees_its_buffers() {
        let (device, _runtime) = noop();
        let mut arena = VertexArena::default();
        let _ = arena.take(&device.gpu, 4);
        (0..UNUSED_RUNS).for_each(|_| arena.begin_run());
        assert_eq!(arena.chunks.len(), 1);
        arena.begin_run();
        assert!(arena.chunks.is_empty());
    }
}
