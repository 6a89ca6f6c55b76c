//! The arena: GPU memory for the vertices or patches that dispatches store for a draw of the same run, and for the counts
//! of stream output.
//!
//! Each encoding thread has an arena, whose chunks are used again by its next run. The GPU executes runs one after the
//! other, so a run cannot overwrite vertices that an earlier run still reads. The sizes of chunks are powers of two, so
//! draws that grow leave few chunks, which are freed if they stay unused.

use crate::{
    encode::parts::ranges::BufferRange,
    services::{
        error_scope::catch,
        gpu::Gpu,
        ids::unique_id,
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

#[derive(Debug)]
struct ArenaChunk {
    buffer: wgpu::Buffer,
    /// End of the last range of this run.
    end: u64,
    /// Number of runs since the chunk was last used.
    idle_runs: u64,
}

/// A buffer that draws use one after the other. It grows to the largest size that they need.
#[derive(Debug, Default)]
struct SharedBuffer {
    /// The buffer, and the identifier of its accesses.
    buffer: Option<(wgpu::Buffer, u64)>,
    is_used: bool,
    /// Number of runs since the buffer was last used.
    idle_runs: u64,
}

impl SharedBuffer {
    fn begin_run(&mut self) {
        self.idle_runs = if self.is_used { 0 } else { self.idle_runs + 1 };
        self.is_used = false;
        if self.idle_runs >= UNUSED_RUNS {
            self.buffer = None;
        }
    }

    /// Returns a buffer of at least this size, or `None` if `create` fails.
    fn take(
        &mut self,
        size: u64,
        create: impl FnOnce(u64) -> Option<wgpu::Buffer>,
    ) -> Option<(wgpu::Buffer, u64)> {
        if self.buffer.as_ref().is_none_or(|(buffer, _)| buffer.size() < size) {
            self.buffer = Some((create(size)?, unique_id()));
        }
        self.is_used = true;
        self.buffer.clone()
    }
}

#[derive(Debug, Default)]
pub(crate) struct VertexArena {
    chunks: Vec<ArenaChunk>,
    /// Bytes of the ranges of this run.
    used: u64,
    /// The range that draws share if the arena is full.
    shared: SharedBuffer,
    /// The counts of stream output.
    counts: SharedBuffer,
    pub(crate) memory: ArenaMemory,
}

/// Creates the buffers of an arena.
#[derive(Debug, Default)]
pub(crate) struct ArenaMemory {
    /// Makes the GPU seem out of memory. The no-op backend has no limit below that of wgpu's validation.
    #[cfg(test)]
    pub(crate) is_exhausted: bool,
}

impl ArenaMemory {
    fn create_chunk(&self, gpu: &Gpu, size: u64) -> Option<wgpu::Buffer> {
        #[cfg(test)]
        if self.is_exhausted {
            return None;
        }
        let desc = wgpu::BufferDescriptor {
            label: Some("arena"),
            size: chunk_size(size, gpu.limits.max_buffer_size)?,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::INDEX
                | wgpu::BufferUsages::INDIRECT
                | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        };
        let create = || gpu.device.create_buffer(&desc);
        let (buffer, [error]) = catch(&gpu.device, [wgpu::ErrorFilter::OutOfMemory], create);
        error.is_none().then_some(buffer)
    }
}

impl VertexArena {
    /// Makes all ranges available again.
    pub(crate) fn begin_run(&mut self) {
        self.used = 0;
        self.chunks.retain_mut(|chunk| {
            chunk.idle_runs = if chunk.end > 0 { 0 } else { chunk.idle_runs + 1 };
            chunk.end = 0;
            chunk.idle_runs < UNUSED_RUNS
        });
        self.shared.begin_run();
        self.counts.begin_run();
    }

    /// Bytes of the ranges of this run.
    pub(crate) const fn used(&self) -> u64 {
        self.used
    }

    /// Returns the range that draws share if the arena is full, with its identifier. They may use it only one after the
    /// other. Returns `None` if the GPU is out of memory.
    pub(crate) fn take_shared(&mut self, gpu: &Gpu, size: u64) -> Option<(ArenaRange, u64)> {
        let (buffer, id) = self.shared.take(size, |size| self.memory.create_chunk(gpu, size))?;
        Some((ArenaRange { buffer, offset: 0, size }, id))
    }

    /// Returns the buffer in which a draw counts its primitives. Its contents do not outlast the dispatches of the draw.
    /// Returns `None` if the GPU is out of memory.
    pub(crate) fn take_counts(&mut self, gpu: &Gpu, size: u64) -> Option<wgpu::Buffer> {
        let (buffer, _) = self.counts.take(size, |size| self.memory.create_chunk(gpu, size))?;
        Some(buffer)
    }

    /// Returns a range that is free in this run, or `None` if the GPU is out of memory.
    pub(crate) fn take(&mut self, gpu: &Gpu, size: u64) -> Option<ArenaRange> {
        let alignment = u64::from(gpu.limits.min_storage_buffer_offset_alignment);
        for ArenaChunk { buffer, end, .. } in &mut self.chunks {
            let offset = end.next_multiple_of(alignment);
            if offset + size <= buffer.size() {
                *end = offset + size;
                self.used += size;
                return Some(ArenaRange { buffer: buffer.clone(), offset, size });
            }
        }
        let buffer = self.memory.create_chunk(gpu, size)?;
        self.chunks.push(ArenaChunk { buffer: buffer.clone(), end: size, idle_runs: 0 });
        self.used += size;
        Some(ArenaRange { buffer, offset: 0, size })
    }
}

/// Returns the size of a chunk for a range, or `None` if it would exceed the maximum size of buffers.
fn chunk_size(size: u64, most: u64) -> Option<u64> {
    // The sizes of bindings are multiples of 4.
    let most = most / 4 * 4;
    (size <= most).then(|| size.max(ARENA_CHUNK).next_power_of_two().min(most))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::testing::noop;

    #[test]
    fn ranges_of_a_run_do_not_overlap() {
        let (device, _runtime) = noop();
        let mut arena = VertexArena::default();
        let sizes = [100, ARENA_CHUNK, 100, 2 * ARENA_CHUNK, ARENA_CHUNK - 4, 4];
        let take_all = |arena: &mut VertexArena| -> Vec<_> {
            sizes.iter().map(|size| arena.take(&device.gpu, *size).unwrap()).collect()
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
    fn draws_count_in_one_buffer_that_grows() {
        let (device, _runtime) = noop();
        let mut arena = VertexArena::default();
        let sizes = [4, ARENA_CHUNK, ARENA_CHUNK + 4, 8];
        let [first, second, third, last] = sizes.map(|size| arena.take_counts(&device.gpu, size).unwrap());
        assert_eq!(first, second);
        assert!(third.size() >= sizes[2]);
        assert_eq!(third, last);
        assert_eq!(arena.used(), 0);
        // A draw may count while its patches are in the shared range.
        assert_ne!(arena.take_shared(&device.gpu, 4).unwrap().0.buffer, last);
    }

    #[test]
    fn growing_draws_leave_few_chunks() {
        let (device, _runtime) = noop();
        let mut arena = VertexArena::default();
        for size in (1..100).map(|n| n * ARENA_CHUNK / 3) {
            let _ = arena.take(&device.gpu, size);
            arena.begin_run();
        }
        assert!(arena.chunks.len() <= 7, "{arena:?}");
    }

    #[test]
    fn a_range_without_memory_changes_nothing() {
        let (device, runtime) = noop();
        let mut arena = VertexArena::default();
        let before = arena.take(&device.gpu, 100).unwrap();
        for is_exhausted in [false, true] {
            arena.memory.is_exhausted = is_exhausted;
            let size = if is_exhausted { ARENA_CHUNK } else { device.gpu.limits.max_buffer_size + 1 };
            assert!(arena.take(&device.gpu, size).is_none());
            assert!(arena.take_shared(&device.gpu, size).is_none());
        }
        assert_eq!(arena.used(), 100);
        // There is still room in the first chunk.
        assert_eq!(arena.take(&device.gpu, 100).unwrap().buffer, before.buffer);
        runtime.assert_clean();
    }

    #[test]
    fn a_chunk_is_no_larger_than_a_buffer_may_be() {
        let most = (1 << 31) - 1;
        assert_eq!(chunk_size(4, most), Some(ARENA_CHUNK));
        assert_eq!(chunk_size(ARENA_CHUNK + 4, most), Some(2 * ARENA_CHUNK));
        assert_eq!(chunk_size((1 << 30) + 4, most), Some((1 << 31) - 4));
        assert_eq!(chunk_size(1 << 31, most), None);
    }

    #[test]
    fn an_unused_arena_frees_its_buffers() {
        let (device, _runtime) = noop();
        let mut arena = VertexArena::default();
        let _ = arena.take(&device.gpu, 4);
        let (_, shared) = arena.take_shared(&device.gpu, 4).unwrap();
        let counts = arena.take_counts(&device.gpu, 4).unwrap();
        (0..UNUSED_RUNS).for_each(|_| arena.begin_run());
        assert_eq!(arena.chunks.len(), 1);
        assert!(arena.shared.buffer.is_some() && arena.counts.buffer.is_some());
        arena.begin_run();
        assert!(arena.chunks.is_empty());
        assert_ne!(arena.take_shared(&device.gpu, 4).unwrap().1, shared);
        assert_ne!(arena.take_counts(&device.gpu, 4).unwrap(), counts);
    }
}
