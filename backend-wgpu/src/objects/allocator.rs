//! Buffer storage: constant buffers are in shared chunks, and every other buffer has a separate wgpu buffer.
//!
//! The cost of a wgpu pass grows with the number of live wgpu buffers. An application may have a hundred
//! thousand constant buffers, so these are cut from chunks. This is safe because a uniform binding has a
//! size, so shaders cannot read a neighbouring range. Vertex and index fetches are bounded only by the whole
//! wgpu buffer, so vertex and index buffers are not cut from chunks.
//!
//! Each chunk has ranges of one size class (a power of two), and a returned range is reused before a new
//! chunk is created. If the range was written to, the next submission zeroes it first, together with adjacent
//! ranges. This is a queue write, which takes effect before that submission and after all earlier uses of the
//! range. The same write contains the initial contents of small buffers, unless the buffers have been dropped
//! in the meantime. Chunks that have been unused for some submissions are freed; see [`sweep`].
//!
//! The last user of a storage returns its range. This can happen while a draw is recorded, so returning a
//! range takes no lock. Creating a buffer locks the class to take a range, unless the [`BufferCache`] of a
//! few threads has a free storage.

pub(crate) use crate::services::sizes::LARGEST_LATE;

mod cache;
mod chunk;
mod own;
mod size_class;
mod storage;
mod sweep;

use std::{
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use onze_ddi::OutOfMemory;

pub(crate) use {
    cache::{BufferCache, CACHES},
    chunk::CONSTANT_USAGES,
    own::{defined_storage, group_storage, own_storage, write},
    size_class::{ALIGNMENT, LARGEST_CLASS},
    storage::Storage,
};

use crate::services::{cache_invalidation::CacheInvalidation, sync::lock};

use self::{
    chunk::Chunk,
    size_class::{CLASSES, class_of},
};

#[derive(Debug)]
pub(crate) struct BufferAllocator {
    device: wgpu::Device,
    queue: wgpu::Queue,
    invalidation: Arc<CacheInvalidation>,
    caches: [Arc<BufferCache>; CACHES],
    /// Chunks by class, tried from the end.
    classes: [Mutex<Vec<Arc<Chunk>>>; CLASSES],
    chunk_bytes: AtomicU64,
    /// Bytes in ranges that storages use, in a shared counter because a storage may outlive the allocator.
    used_bytes: Arc<AtomicU64>,
    sweeps: AtomicU64,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    pub(crate) bytes: u64,
    pub(crate) free: u64,
    /// Sum of the range sizes minus the buffer sizes, in bytes. A range can be larger than its buffer,
    /// because it has the size of its class.
    pub(crate) padding: u64,
}

impl BufferAllocator {
    pub(crate) fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        invalidation: &Arc<CacheInvalidation>,
    ) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            invalidation: invalidation.clone(),
            caches: std::array::from_fn(|_| Arc::new(BufferCache::new())),
            classes: std::array::from_fn(|_| Mutex::default()),
            chunk_bytes: AtomicU64::new(0),
            used_bytes: Arc::default(),
            sweeps: AtomicU64::new(0),
        }
    }

    pub(crate) fn cache(&self, thread: usize) -> Arc<BufferCache> {
        let [first, ..] = &self.caches;
        self.caches.get(thread % CACHES).unwrap_or(first).clone()
    }

    /// Returns storage for a constant buffer of `size` bytes. It may be called on any thread, and `cache` is
    /// that thread's cache. From the next submission on, the whole storage is zero, including the bytes after
    /// `size`.
    pub(crate) fn allocate(&self, cache: &BufferCache, size: u64) -> Result<Arc<Storage>, OutOfMemory> {
        if size > LARGEST_CLASS {
            return self.large(size);
        }
        let (storage, dirty) = self.range(cache, class_of(size))?;
        if dirty {
            storage.zeroed_late.store(true, Ordering::Relaxed);
            cache.write_late(&storage, &[]);
        }
        Ok(storage)
    }

    fn large(&self, size: u64) -> Result<Arc<Storage>, OutOfMemory> {
        group_storage(&self.device, &self.invalidation, "constant buffer", size, CONSTANT_USAGES, true)
    }

    /// Like [`Self::allocate`], but with contents. Contents of at most [`LARGEST_LATE`] bytes are written by
    /// the next submission, and larger contents are written immediately.
    pub(crate) fn allocate_with(
        &self,
        cache: &BufferCache,
        contents: &[u8],
    ) -> Result<Arc<Storage>, OutOfMemory> {
        let size = contents.len() as u64;
        let (storage, dirty) = if size > LARGEST_CLASS {
            (self.large(size)?, false)
        } else {
            self.range(cache, class_of(size))?
        };
        storage.mark_written();
        if size <= LARGEST_LATE {
            cache.write_late(&storage, contents);
            return Ok(storage);
        }
        write(&self.queue, &storage, contents);
        if dirty {
            let written = size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
            self.zero(&storage.buffer, storage.offset + written..storage.offset + storage.size);
        }
        Ok(storage)
    }

    /// Writes the contents and zeros of all storages that were allocated since the last submission, just
    /// before the next submission, and returns the number of bytes written.
    pub(crate) fn write_allocated(&self) -> u64 {
        // While this function holds a storage, its range cannot belong to another owner.
        let mut new: Vec<_> = self.caches.iter().flat_map(|cache| cache.take_late()).collect();
        new.sort_unstable_by_key(|(storage, _)| (storage.buffer_id, storage.offset));
        let adjoin = |(a, _): &(Arc<Storage>, _), (b, _): &(Arc<Storage>, _)| {
            a.buffer_id == b.buffer_id && a.offset + a.size == b.offset
        };
        let (mut bytes, mut sent) = (Vec::new(), 0);
        for neighbours in new.chunk_by(adjoin) {
            let [(first, _), ..] = neighbours else { continue };
            let size: u64 = neighbours.iter().map(|(storage, _)| storage.size).sum();
            sent += size;
            if neighbours.iter().all(|(_, contents)| contents.is_empty()) {
                self.zero(&first.buffer, first.offset..first.offset + size);
                continue;
            }
            bytes.clear();
            for (storage, contents) in neighbours {
                let end = bytes.len() + storage.size as usize;
                bytes.extend_from_slice(contents);
                bytes.resize(end, 0);
            }
            self.queue.write_buffer(&first.buffer, first.offset, &bytes);
        }
        for (storage, _) in new {
            storage.zeroed_late.store(false, Ordering::Relaxed);
        }
        sent
    }

    /// Discards pending writes to dropped storages. The submitting thread calls this in periods without
    /// submissions.
    pub(crate) fn forget_dropped(&self) {
        self.caches.iter().for_each(|cache| cache.forget_late());
    }

    /// Returns a range of a class, and whether the range may contain bytes other than zero.
    fn range(&self, cache: &BufferCache, class: usize) -> Result<(Arc<Storage>, bool), OutOfMemory> {
        if let Some(found) = cache.take(class) {
            return Ok(found);
        }
        let Some(chunks) = self.classes.get(class) else {
            return Err(OutOfMemory);
        };
        let mut chunks = lock(chunks);
        let found = chunks.iter().enumerate().rev().find_map(|(at, chunk)| Some((at, chunk.take()?)));
        let (at, (range, dirty)) = match found {
            Some(found) => found,
            None => {
                let chunk =
                    Chunk::new(&self.device, &self.invalidation, ALIGNMENT << class, &self.used_bytes)?;
                self.chunk_bytes.fetch_add(chunk.bytes(), Ordering::Relaxed);
                let range = chunk.take().ok_or(OutOfMemory)?;
                chunks.push(chunk);
                (chunks.len() - 1, range)
            }
        };
        // The chunk that had room is tried first next time.
        let last = chunks.len() - 1;
        chunks.swap(at, last);
        let chunk = chunks.last().cloned().ok_or(OutOfMemory)?;
        drop(chunks);
        let (offset, size) = (u64::from(range) * chunk.range_size, chunk.range_size);
        self.used_bytes.fetch_add(size, Ordering::Relaxed);
        let storage = Storage {
            buffer: chunk.buffer.clone(),
            buffer_id: chunk.buffer_id.get(),
            offset,
            size,
            chunk: Some(chunk),
            invalidation: None,
            written: AtomicBool::new(false),
            zeroed_late: AtomicBool::new(false),
        };
        Ok((Arc::new(storage), dirty))
    }

    /// Like [`Self::allocate`], with the cache of the calling thread.
    #[cfg(test)]
    pub(crate) fn allocate_here(&self, size: u64) -> Result<Arc<Storage>, OutOfMemory> {
        self.allocate(&self.cache(crate::services::sync::thread_number()), size)
    }

    /// Locks all classes, so that tests can detect threads that wait for a class.
    #[cfg(test)]
    pub(crate) fn hold_locks(&self) -> impl Sized {
        self.classes.each_ref().map(lock)
    }

    /// Returns the size of the chunks' memory and how much of it is free, without a lock, so the numbers may
    /// be from different moments.
    pub(crate) fn heap(&self) -> Heap {
        let bytes = self.chunk_bytes.load(Ordering::Relaxed);
        let cached: u64 = self.caches.iter().map(|cache| cache.bytes()).sum();
        let used = self.used_bytes.load(Ordering::Relaxed).saturating_sub(cached);
        let padding = self.caches.iter().fold(0, |sum: u64, cache| sum.wrapping_add(cache.padding()));
        Heap { bytes, free: bytes.saturating_sub(used), padding: padding.min(used) }
    }

    #[cfg(test)]
    pub(crate) fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes.load(Ordering::Relaxed)
    }

    fn zero(&self, buffer: &wgpu::Buffer, mut range: Range<u64>) {
        static ZEROS: [u8; LARGEST_CLASS as usize] = [0; LARGEST_CLASS as usize];
        while let Some(zeros) = ZEROS.get(..(range.end - range.start).min(LARGEST_CLASS) as usize)
            && !zeros.is_empty()
        {
            self.queue.write_buffer(buffer, range.start, zeros);
            range.start += zeros.len() as u64;
        }
    }
}

#[cfg(test)]
mod tests;
