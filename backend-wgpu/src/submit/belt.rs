//! The upload belt: GPU-visible memory that the CPU writes, reused for later submissions.
//!
//! `Queue::write_buffer` allocates such memory for every write and frees it after the submission, which costs
//! more than the copy into the memory, because the operating system provides and reclaims the pages each
//! time. The belt instead maps its chunks again after the GPU has copied from them. It creates as many chunks
//! as the submissions in flight need, and drops chunks that have been unused for a long time.

use crate::services::sizes::{BELT_CHUNK, BELT_KEEP_BATCHES};

use std::{
    collections::VecDeque,
    sync::mpsc::{Receiver, Sender, channel},
};

use crate::{record::upload::BufferWrite, services::gpu::Gpu};

/// Collects writes to buffers in mapped chunks, from which they are copied at the start of a submission.
#[derive(Debug)]
pub(crate) struct Belt {
    /// Mapped chunks, in the order of their return.
    free: VecDeque<BeltChunk>,
    /// Chunks of this batch. The last chunk may have room for further writes.
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
    /// Number of the batch during which the chunk was returned, for finding chunks that have been unused for
    /// a long time.
    free_since: u64,
}

impl BeltChunk {
    fn has_room(&self, size: u64) -> bool {
        self.used.checked_add(size).is_some_and(|end| end <= self.buffer.size())
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
        if self.open.last().is_none_or(|chunk| !chunk.has_room(size)) {
            let chunk = self.take(gpu, size)?;
            self.open.push(chunk);
        }
        let chunk = self.open.last_mut()?;
        let start = chunk.used;
        chunk.buffer.get_mapped_range_mut(start..start + size).ok()?.copy_from_slice(written.bytes);
        chunk.used = (start + size).next_multiple_of(wgpu::MAP_ALIGNMENT);
        let encoder = self.encoder.get_or_insert_with(|| {
            let desc = wgpu::CommandEncoderDescriptor { label: Some("uploads") };
            gpu.device.create_command_encoder(&desc)
        });
        encoder.copy_buffer_to_buffer(&chunk.buffer, start, written.buffer, written.offset, size);
        Some(())
    }

    /// Returns whether the batch contains copies.
    pub(crate) const fn has_copies(&self) -> bool {
        self.encoder.is_some()
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

    fn take(&mut self, gpu: &Gpu, size: u64) -> Option<BeltChunk> {
        self.receive();
        // The chunk that was returned last is used first, so that unneeded chunks age and are dropped.
        if let Some(at) = self.free.iter().rposition(|chunk| chunk.has_room(size)) {
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
        Some(BeltChunk { buffer, used: 0, free_since: 0 })
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::{objects::allocator::own_storage, testing};

    const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::COPY_SRC.union(wgpu::BufferUsages::COPY_DST);

    fn write(belt: &mut Belt, gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        belt.write(gpu, &BufferWrite { buffer, offset, bytes }).unwrap();
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
