#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::{
    chunk::{LARGE_CHUNK, SMALL_CHUNK},
    *,
};
use crate::testing;

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn a_class_is_the_smallest_that_fits() {
    for size in [1, 16, 255, 256, 257, 512, 513, 4096, 65_535, LARGEST_CLASS] {
        let range = ALIGNMENT << class_of(size);
        assert!(range >= size && (range == ALIGNMENT || range / 2 < size), "{size} in {range}");
    }
    assert_eq!(class_of(LARGEST_CLASS), CLASSES - 1);
}

#[test]
fn live_ranges_never_overlap_and_are_aligned() {
    let (device, runtime) = testing::noop();
    let mut numbers = Numbers(7);
    let mut live: Vec<Arc<Storage>> = Vec::new();
    for _ in 0..4000 {
        if numbers.below(3) > 0 || live.is_empty() {
            let largest = 1 << (1 + numbers.below(12));
            let size = 16 * (1 + numbers.below(largest));
            let new = device.objects.allocator.allocate_here(size).unwrap();
            assert!(new.size >= size && new.offset.is_multiple_of(ALIGNMENT), "{new:?}");
            assert!(new.offset + new.size <= new.buffer.size(), "{new:?}");
            for old in &live {
                let apart = old.offset + old.size <= new.offset || new.offset + new.size <= old.offset;
                assert!(old.buffer_id != new.buffer_id || apart, "{old:?} {new:?}");
            }
            live.push(new);
        } else {
            let at = numbers.below(live.len() as u64) as usize;
            live.swap_remove(at);
        }
    }
    runtime.assert_clean();
}

#[test]
fn freed_ranges_are_used_again_and_idle_chunks_go() {
    let (device, runtime) = testing::noop();
    let allocator = &device.objects.allocator;
    let fill = || (0..5000).map(|_| allocator.allocate_here(64).unwrap()).collect::<Vec<_>>();
    let first = fill();
    let spent = allocator.chunk_bytes();
    assert!((5000 * ALIGNMENT..5000 * ALIGNMENT + 2 * LARGE_CHUNK).contains(&spent));
    drop(first);
    let second = fill();
    assert_eq!(allocator.chunk_bytes(), spent, "no new chunk while there is room");
    allocator.trim();
    assert_eq!(allocator.chunk_bytes(), spent, "chunks in use stay");
    drop(second);
    let sweep = |times| (0..times).for_each(|_| allocator.sweep());
    sweep(32);
    assert_eq!(allocator.chunk_bytes(), spent, "the first sweep only marks idle chunks");
    drop(allocator.allocate_here(64).unwrap());
    sweep(64);
    assert_eq!(allocator.chunk_bytes(), SMALL_CHUNK, "one idle chunk of the class stays");
    allocator.trim();
    assert_eq!(allocator.chunk_bytes(), 0);
    runtime.assert_clean();
}

#[test]
fn a_freed_chunk_drops_its_late_writes() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let known = {
        let storage = device.objects.allocator.allocate_here(64).unwrap();
        storage.buffer.clone()
    };
    let write = || device.gpu.guarded(|| device.gpu.queue.write_buffer(&known, 0, &[1; 16])).is_ok();
    assert!(write());
    device.objects.allocator.trim();
    assert!(!write(), "wgpu rejects writes to a destroyed buffer");
    let cache = device.objects.allocator.cache(0);
    let written = device.objects.allocator.allocate_with(&cache, &[7; 256]).unwrap();
    device.objects.allocator.write_allocated();
    drop(written);
    device.objects.allocator.trim();
    assert_eq!(device.objects.allocator.chunk_bytes(), 0);
    device.gpu.queue.submit([]);
    device.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    runtime.assert_clean();
}

#[test]
fn ranges_of_a_nearly_empty_chunk_are_freed_at_once() {
    let (device, _runtime) = testing::noop();
    let (allocator, cache) = (&device.objects.allocator, device.objects.allocator.cache(0));
    let all: Vec<_> = (0..4 * 1024).map(|_| allocator.allocate(&cache, 256).unwrap()).collect();
    // The second chunk is half full, and each other chunk has one used range left.
    let mut left: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(n, _)| n % 1024 == 0 || (1024..1536).contains(n))
        .map(|(_, storage)| storage.clone())
        .collect();
    drop(all);
    (0..64).for_each(|_| allocator.sweep());
    let alone = left.remove(0);
    cache.keep(&alone);
    drop(alone);
    assert_eq!(cache.bytes(), 0, "the chunk is being emptied");
    let (full, new) = (left[100].buffer_id, allocator.allocate(&cache, 256).unwrap());
    assert_eq!(new.buffer_id, full, "new ranges come from the fullest chunk");
    cache.keep(&new);
    drop(new);
    assert_eq!(cache.bytes(), 256);
}

#[test]
fn large_constant_buffers_have_a_buffer_of_their_own() {
    let (device, _) = testing::noop();
    let storage = device.objects.allocator.allocate_here(LARGEST_CLASS + 16).unwrap();
    assert!(storage.chunk.is_none() && storage.size == LARGEST_CLASS + 16);
    assert_eq!(device.objects.allocator.chunk_bytes(), 0);
}

#[test]
fn a_range_reads_as_zero_also_when_it_was_used_before() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let fresh = device.objects.allocator.allocate_here(512).unwrap();
    assert_eq!(testing::read_buffer(&device, &fresh.buffer, fresh.offset, 512), [0; 512]);
    fresh.mark_written();
    device.gpu.queue.write_buffer(&fresh.buffer, fresh.offset, &[0xab; 512]);
    assert_eq!(testing::read_buffer(&device, &fresh.buffer, fresh.offset, 512), [0xab; 512]);
    let place = (fresh.buffer_id, fresh.offset);
    drop(fresh);
    let again = device.objects.allocator.allocate_here(300).unwrap();
    device.objects.allocator.write_allocated();
    assert_eq!((again.buffer_id, again.offset), place, "the test is about the same range");
    assert_eq!(testing::read_buffer(&device, &again.buffer, again.offset, 512), [0; 512]);
    runtime.assert_clean();
}

#[test]
fn a_submission_zeroes_reused_ranges_only() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let allocator = &device.objects.allocator;
    let cache = allocator.cache(0);
    let all = [0xab; 64 * ALIGNMENT as usize];
    let old: Vec<_> = (0..64).map(|_| allocator.allocate_with(&cache, &all[..256]).unwrap()).collect();
    let buffer = old[0].buffer.clone();
    drop(old);
    // Some storages get contents for the start of the range only, and another storage is dropped before each
    // one is created.
    let mut new = Vec::new();
    for n in 0..64 {
        let dropped = allocator.allocate(&cache, 256).unwrap();
        cache.keep(&dropped);
        drop(dropped);
        new.push(match n % 4 {
            0 => allocator.allocate_with(&cache, &[0x77; 16]).unwrap(),
            _ => allocator.allocate(&cache, 256).unwrap(),
        });
    }
    allocator.write_allocated();
    assert_eq!(cache.late(), 0);
    for (n, storage) in new.iter().enumerate() {
        let mut expected = [0; 256];
        expected[..16].fill(if n % 4 == 0 { 0x77 } else { 0 });
        let read = testing::read_buffer(&device, &storage.buffer, storage.offset, 256);
        assert_eq!(read, expected, "{n}");
        assert_eq!(storage.buffer, buffer, "the test is about used ranges");
    }
    let kept = allocator.allocate_with(&cache, &[0x55; 256]).unwrap();
    allocator.write_allocated();
    assert_eq!(testing::read_buffer(&device, &kept.buffer, kept.offset, 256), [0x55; 256]);
    runtime.assert_clean();
}

#[test]
fn a_thread_reuses_its_free_storage_only() {
    let (device, _) = testing::noop();
    let allocator = &device.objects.allocator;
    let (cache, other) = (allocator.cache(0), allocator.cache(1));
    let first = allocator.allocate(&cache, 256).unwrap();
    let place = (first.buffer_id, first.offset);
    let held = first.clone();
    cache.keep(&first);
    assert_eq!(cache.bytes(), 0, "a page also holds the storage");
    drop(held);
    cache.keep(&first);
    drop(first);
    assert_eq!(cache.bytes(), 256);
    assert_eq!(allocator.heap().free, allocator.heap().bytes);
    let elsewhere = allocator.allocate(&other, 256).unwrap();
    assert_ne!((elsewhere.buffer_id, elsewhere.offset), place);
    let again = allocator.allocate(&cache, 200).unwrap();
    assert_eq!((again.buffer_id, again.offset), place);
    assert_eq!(cache.late(), 0, "the storage was not written to");
    cache.keep(&again);
    drop(again);
    allocator.trim();
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn a_size_that_no_buffer_can_hold_is_out_of_memory() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let most = device.gpu.limits.max_buffer_size;
    let usage = wgpu::BufferUsages::COPY_DST;
    assert!(own_storage(&device.gpu.device, "too large", most + 1, usage).is_err());
    runtime.assert_clean();
}

#[test]
fn late_writes_of_dropped_storage_are_forgotten() {
    let (device, runtime) = testing::noop();
    let allocator = &device.objects.allocator;
    let cache = allocator.cache(0);
    let kept: Vec<_> = (0..10).map(|_| allocator.allocate_with(&cache, &[0x77; 256]).unwrap()).collect();
    for _ in 0..5000 {
        drop(allocator.allocate_with(&cache, &[0x55; 256]).unwrap());
    }
    allocator.forget_dropped();
    assert_eq!(cache.late(), kept.len(), "writes to live storages are still pending");
    drop(allocator.allocate_with(&cache, &[0x55; 256]).unwrap());
    allocator.forget_dropped();
    assert_eq!(cache.late(), kept.len() + 1);
    allocator.write_allocated();
    assert_eq!(cache.late(), 0);
    runtime.assert_clean();
}

#[test]
fn a_late_write_never_reaches_the_next_owner() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let allocator = &device.objects.allocator;
    let cache = allocator.cache(0);
    let first = allocator.allocate_with(&cache, &[0x77; 256]).unwrap();
    let place = (first.buffer_id, first.offset);
    // One submission has written the range, and the next submission was about to write it for the next owner.
    allocator.write_allocated();
    drop(first);
    let second = allocator.allocate(&cache, 256).unwrap();
    assert_eq!((second.buffer_id, second.offset), place, "the test is about one range");
    drop(second);
    let third = allocator.allocate_with(&cache, &[0x33; 16]).unwrap();
    assert_eq!((third.buffer_id, third.offset), place);
    allocator.write_allocated();
    let mut expected = [0; 256];
    expected[..16].fill(0x33);
    assert_eq!(testing::read_buffer(&device, &third.buffer, third.offset, 256), expected);
    runtime.assert_clean();
}
