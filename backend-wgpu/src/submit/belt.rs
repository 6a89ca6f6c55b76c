//! The upload belt: GPU-visible memory that the CPU writes, reused for later submissions.
//!
//! `Queue::write_buffer` allocates such memory for every write and frees it after the submission, which costs
//! more than the copy into the memory, because the operating system provides and reclaims the pages each
//! time. The belt instead maps its chunks again after the GPU has copied from them. It creates as many chunks
//! as the submissions in flight need, and drops chunks that have been unused for a long time.
//!
//! Slices of constants start 256 bytes apart, but most contain fewer bytes. If only the first bytes of each
//! slice were written, only these bytes are copied to the belt. Such slices have separate, sparse chunks, in
//! which the remaining bytes of each slice are always zero.

use crate::services::sizes::{BELT_CHUNK, BELT_KEEP_BATCHES};

use std::{
    collections::VecDeque,
    sync::mpsc::{Receiver, Sender, channel},
};

use crate::{
    record::upload::{BufferWrite, SLICE_ALIGNMENT},
    services::gpu::Gpu,
};

/// Collects writes to buffers in mapped chunks, from which they are copied at the start of a submission.
#[derive(Debug)]
pub(crate) struct Belt {
    /// Mapped chunks, in the order of their return.
    free: VecDeque<BeltChunk>,
    /// Chunks of this batch. The last sparse chunk and the last other chunk may have room for further writes.
    open: Vec<BeltChunk>,
    encoder: Option<wgpu::CommandEncoder>,
    returning: Sender<BeltChunk>,
    returned: Receiver<BeltChunk>,
    batches: u64,
    #[cfg(test)]
    made: usize,
}

#[derive(Debug)]
struct BeltChunk {
    buffer: wgpu::Buffer,
    used: u64,
    /// In each aligned unit of [`SLICE_ALIGNMENT`] bytes, the bytes from this offset on are zero; for a chunk
    /// that is not sparse, this equals [`SLICE_ALIGNMENT`].
    written_to: u32,
    /// Number of the batch during which the chunk was returned, for finding chunks that have been unused for
    /// a long time.
    free_since: u64,
}

impl BeltChunk {
    fn has_room(&self, size: u64) -> bool {
        self.used.checked_add(size).is_some_and(|end| end <= self.buffer.size())
    }

    /// Whether the chunk is for slices of which only the first bytes were written.
    fn is_sparse(&self) -> bool {
        self.written_to < SLICE_ALIGNMENT
    }
}

impl Default for Belt {
    fn default() -> Self {
        let (returning, returned) = channel();
        Self {
            free: VecDeque::new(),
            open: Vec::new(),
            encoder: None,
            returning,
            returned,
            batches: 0,
            #[cfg(test)]
            made: 0,
        }
    }
}

impl Belt {
    /// Adds a write to the batch, or returns `None` if memory is exhausted.
    pub(crate) fn write(&mut self, gpu: &Gpu, written: &BufferWrite<'_>) -> Option<()> {
        let size = written.bytes.len() as u64;
        if size == 0 {
            return Some(());
        }
        let written_to = written.written_to.next_multiple_of(LINE as u32);
        let is_sparse = written_to < SLICE_ALIGNMENT;
        let last = self.open.iter().rposition(|chunk| chunk.is_sparse() == is_sparse);
        let at = match last.filter(|at| self.open[*at].has_room(size)) {
            Some(at) => at,
            None => {
                let chunk = self.take(gpu, size, is_sparse)?;
                self.open.push(chunk);
                self.open.len() - 1
            }
        };
        let chunk = self.open.get_mut(at)?;
        let start = chunk.used;
        let mut mapped = chunk.buffer.get_mapped_range_mut(start..start + size).ok()?;
        if is_sparse {
            chunk.written_to = chunk.written_to.max(written_to);
            copy_beginnings(mapped.slice(..), written.bytes, chunk.written_to as usize);
        } else {
            mapped.copy_from_slice(written.bytes);
        }
        drop(mapped);
        chunk.used = (start + size).next_multiple_of(SLICE_ALIGNMENT.into());
        let encoder = self.encoder.get_or_insert_with(|| {
            let desc = wgpu::CommandEncoderDescriptor { label: Some("uploads") };
            gpu.device.create_command_encoder(&desc)
        });
        encoder.copy_buffer_to_buffer(&chunk.buffer, start, written.buffer, written.offset, size);
        Some(())
    }

    /// Ends the batch and returns its copies, which must be submitted before the commands that read the data,
    /// or `None` without copies or if memory is exhausted.
    pub(crate) fn finish(&mut self, gpu: &Gpu) -> Option<wgpu::CommandBuffer> {
        self.batches += 1;
        self.drop_old();
        let encoder = self.encoder.take()?;
        for chunk in self.open.drain(..) {
            chunk.buffer.unmap();
            let (buffer, returning) = (chunk.buffer.clone(), self.returning.clone());
            encoder.map_buffer_on_submit(&buffer, wgpu::MapMode::Write, .., move |mapped| {
                if mapped.is_ok() {
                    // If the belt has been dropped, sending fails and the chunk is freed.
                    drop(returning.send(chunk));
                }
            });
        }
        gpu.guarded(|| encoder.finish()).ok()
    }

    pub(crate) fn trim(&mut self) {
        self.receive();
        self.free.clear();
    }

    #[cfg(test)]
    pub(crate) fn made(&self) -> usize {
        self.made
    }

    fn take(&mut self, gpu: &Gpu, size: u64, is_sparse: bool) -> Option<BeltChunk> {
        self.receive();
        let fits = |chunk: &BeltChunk| chunk.is_sparse() == is_sparse && chunk.has_room(size);
        // The chunk that was returned last is used first, so that unneeded chunks age and are dropped.
        if let Some(at) = self.free.iter().rposition(fits) {
            return self.free.remove(at);
        }
        let desc = wgpu::BufferDescriptor {
            label: Some("upload belt"),
            size: size.checked_next_multiple_of(BELT_CHUNK)?,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        };
        let buffer = gpu.guarded(|| gpu.device.create_buffer(&desc)).ok()?;
        #[cfg(test)]
        (self.made += 1);
        let written_to = if is_sparse { 0 } else { SLICE_ALIGNMENT };
        Some(BeltChunk { buffer, used: 0, written_to, free_since: 0 })
    }

    fn receive(&mut self) {
        let free_since = self.batches;
        self.free.extend(self.returned.try_iter().map(|chunk| BeltChunk { used: 0, free_since, ..chunk }));
    }

    fn drop_old(&mut self) {
        while self.free.front().is_some_and(|chunk| chunk.free_since + BELT_KEEP_BATCHES <= self.batches) {
            self.free.pop_front();
        }
    }
}

/// Number of bytes that are copied per step; the copied bytes of a sparse slice are rounded up to a multiple
/// of it.
const LINE: usize = 64;

/// Copies only the first bytes of each slice, because the remaining bytes of `to` are already zero.
fn copy_beginnings(mut to: wgpu::WriteOnly<'_, [u8]>, bytes: &[u8], written_to: usize) {
    let steps = bytes.chunks(SLICE_ALIGNMENT as usize);
    for (start, step) in (0..).step_by(SLICE_ALIGNMENT as usize).zip(steps) {
        let lines = step[..written_to.min(step.len())].chunks(LINE);
        for (at, line) in (start..).step_by(LINE).zip(lines) {
            to.slice(at..at + line.len()).copy_from_slice(line);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::{objects::allocator::own_storage, testing};

    const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::COPY_SRC.union(wgpu::BufferUsages::COPY_DST);

    fn write(belt: &mut Belt, gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        belt.write(gpu, &BufferWrite { buffer, offset, bytes, written_to: SLICE_ALIGNMENT }).unwrap();
    }

    fn submit(belt: &mut Belt, gpu: &Gpu) {
        gpu.queue.submit(belt.finish(gpu));
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    }

    #[test]
    fn writes_arrive_in_their_order_whatever_their_size() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let mut belt = Belt::default();
        let to = own_storage(&device.gpu.device, "target", 3 * BELT_CHUNK, USAGE).unwrap();
        for round in 1..4_u8 {
            // A write that is larger than one chunk, a second write, and a third that overlaps the end of the
            // first.
            write(&mut belt, &device.gpu, &to.buffer, 0, &vec![round; BELT_CHUNK as usize + 4]);
            write(&mut belt, &device.gpu, &to.buffer, 2 * BELT_CHUNK, &[round + 10; 12]);
            write(&mut belt, &device.gpu, &to.buffer, BELT_CHUNK, &[round + 20; 8]);
            submit(&mut belt, &device.gpu);
            let read = |offset, size| testing::read_buffer(&device, &to.buffer, offset, size);
            assert_eq!(read(0, 4), [round; 4]);
            assert_eq!(read(BELT_CHUNK - 4, 16), [&[round; 4][..], &[round + 20; 8], &[0; 4]].concat());
            assert_eq!(read(2 * BELT_CHUNK, 12), [round + 10; 12]);
        }
        runtime.assert_clean();
    }

    #[test]
    fn beginnings_of_slices_arrive_with_zeros_behind_them() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let mut belt = Belt::default();
        let size = 5 * u64::from(SLICE_ALIGNMENT);
        let to = own_storage(&device.gpu.device, "target", size, USAGE).unwrap();
        // Chunks return with their old contents, and the last slice is shorter than the other slices.
        for (round, written_to) in (1..).zip([64, 4, 0, 200, 12, 100, 256, 128, 191, 192, 4]) {
            let bytes: Vec<u8> = (0..size as u32 - 40)
                .map(|at| if at % SLICE_ALIGNMENT < written_to { at as u8 ^ round } else { 0 })
                .collect();
            write(&mut belt, &device.gpu, &to.buffer, 0, &vec![0xee; size as usize]);
            let slices = BufferWrite { buffer: &to.buffer, offset: 0, bytes: &bytes, written_to };
            belt.write(&device.gpu, &slices).unwrap();
            submit(&mut belt, &device.gpu);
            let read = testing::read_buffer(&device, &to.buffer, 0, size);
            assert_eq!(read, [&bytes[..], &[0xee; 40]].concat(), "{written_to}");
        }
        assert_eq!(belt.made(), 2, "one for slices, and one for the rest");
        runtime.assert_clean();
    }

    #[test]
    fn chunks_come_back_and_go_when_none_needs_them() {
        let (device, _runtime) = testing::noop();
        let mut belt = Belt::default();
        let to = own_storage(&device.gpu.device, "target", BELT_CHUNK, USAGE).unwrap();
        let mut batch = |chunks: usize| {
            for _ in 0..chunks {
                write(&mut belt, &device.gpu, &to.buffer, 0, &vec![1; BELT_CHUNK as usize]);
            }
            submit(&mut belt, &device.gpu);
            belt.receive();
            belt.free.len()
        };
        assert_eq!(batch(3), 3);
        assert_eq!(batch(3), 3, "the same ones");
        assert_eq!(batch(1), 3);
        for _ in 0..BELT_KEEP_BATCHES {
            batch(1);
        }
        assert_eq!(batch(1), 1, "two were not needed for long");
    }
}
