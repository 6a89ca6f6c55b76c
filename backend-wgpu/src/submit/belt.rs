//! The upload belt: GPU memory that the processor writes, reused from submission to submission.
//!
//! `Queue::write_buffer` allocates such memory for every write and frees it after the submission. That costs more than
//! the copy into it, because the system gives out and takes back its pages each time. The belt maps its chunks again
//! when the GPU has copied from them. It makes as many as the submissions in flight need, and drops chunks that were
//! not needed for long.

use crate::services::sizes::{BELT_CHUNK, BELT_KEEP_BATCHES};

use std::{
    collections::VecDeque,
    sync::mpsc::{Receiver, Sender, channel},
};

use crate::services::gpu::Gpu;

/// Writes to buffers on their way to a submission.
#[derive(Debug)]
pub(crate) struct Belt {
    /// Mapped; those that came back last at the end.
    free: VecDeque<Chunk>,
    /// Of this batch; the last one has room.
    open: Vec<Chunk>,
    encoder: Option<wgpu::CommandEncoder>,
    returning: Sender<Chunk>,
    returned: Receiver<Chunk>,
    batches: u64,
    #[cfg(test)]
    made: usize,
}

#[derive(Debug)]
struct Chunk {
    buffer: wgpu::Buffer,
    used: u64,
    /// The batch after which it came back.
    free_since: u64,
}

impl Chunk {
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
    /// Adds a write to the batch. Offset and size are multiples of 4. `None` if there is no memory for it.
    pub(crate) fn write(&mut self, gpu: &Gpu, to: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Option<()> {
        let size = bytes.len() as u64;
        if size == 0 {
            return Some(());
        }
        if !self.open.last().is_some_and(|chunk| chunk.has_room(size)) {
            let chunk = self.take(gpu, size)?;
            self.open.push(chunk);
        }
        let chunk = self.open.last_mut()?;
        let start = chunk.used;
        let mut mapped = chunk.buffer.get_mapped_range_mut(start..start + size).ok()?;
        mapped.copy_from_slice(bytes);
        drop(mapped);
        chunk.used = (start + size).next_multiple_of(wgpu::MAP_ALIGNMENT);
        let encoder = self.encoder.get_or_insert_with(|| {
            let desc = wgpu::CommandEncoderDescriptor { label: Some("uploads") };
            gpu.device.create_command_encoder(&desc)
        });
        encoder.copy_buffer_to_buffer(&chunk.buffer, start, to, offset, size);
        Some(())
    }

    /// Ends the batch: what does its copies, to be submitted before what reads them. `None` if there are none.
    pub(crate) fn finish(&mut self, gpu: &Gpu) -> Option<wgpu::CommandBuffer> {
        self.batches += 1;
        self.drop_old();
        let encoder = self.encoder.take()?;
        for chunk in self.open.drain(..) {
            chunk.buffer.unmap();
            let (buffer, returning) = (chunk.buffer.clone(), self.returning.clone());
            encoder.map_buffer_on_submit(&buffer, wgpu::MapMode::Write, .., move |mapped| {
                if mapped.is_ok() {
                    // The belt may be gone.
                    drop(returning.send(chunk));
                }
            });
        }
        gpu.guarded(|| encoder.finish()).ok()
    }

    /// Gives back all memory that nothing uses.
    pub(crate) fn trim(&mut self) {
        self.receive();
        self.free.clear();
    }

    /// How many chunks were ever made.
    #[cfg(test)]
    pub(crate) fn made(&self) -> usize {
        self.made
    }

    fn take(&mut self, gpu: &Gpu, size: u64) -> Option<Chunk> {
        self.receive();
        // Those that were used last, so that unneeded ones grow old.
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
        Some(Chunk { buffer, used: 0, free_since: 0 })
    }

    fn receive(&mut self) {
        let free_since = self.batches;
        self.free.extend(self.returned.try_iter().map(|chunk| Chunk { used: 0, free_since, ..chunk }));
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
            // More than a chunk, what is left of it, and over both again.
            belt.write(&device.gpu, &to.buffer, 0, &vec![round; BELT_CHUNK as usize + 4]).unwrap();
            belt.write(&device.gpu, &to.buffer, 2 * BELT_CHUNK, &[round + 10; 12]).unwrap();
            belt.write(&device.gpu, &to.buffer, BELT_CHUNK, &[round + 20; 8]).unwrap();
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
                belt.write(&device.gpu, &to.buffer, 0, &vec![1; BELT_CHUNK as usize]).unwrap();
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
