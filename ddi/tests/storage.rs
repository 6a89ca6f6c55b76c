//! Tests of the handle storage: its memory usage, contents and layout.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::{num::NonZeroU32, sync::Arc};

use onze_ddi::{
    DriverObject, Handle, HandleStorage, Key, kind,
    storage::{CACHE_LINE, RUNTIME_BYTES, RuntimeObject},
};

fn key(index: u32) -> Key {
    Key::new(index, NonZeroU32::MIN)
}

/// Opens handles of three sizes.
fn open(
    storage: &mut HandleStorage,
    keys: impl Iterator<Item = u32>,
    halves: &(DriverObject, RuntimeObject),
) {
    for index in keys {
        let size = 8 + 56 * (index as usize % 3);
        assert!(storage.open(key(index), size, halves.0.clone(), halves.1.clone()));
    }
}

fn close(storage: &mut HandleStorage, keys: impl Iterator<Item = u32>) {
    keys.for_each(|index| assert!(storage.close(key(index)).is_some()));
}

fn halves() -> (DriverObject, RuntimeObject) {
    (Arc::new(()), Arc::new(()))
}

#[test]
fn opening_the_last_recordings_objects_allocates_nothing() {
    let (mut storage, halves) = (HandleStorage::new(), halves());
    // The storage is trimmed in the middle of a recording and after its end.
    let mut recording = || {
        for part in 0..10 {
            open(&mut storage, part * 1000..part * 1000 + 70, &halves);
            storage.trim();
        }
        close(&mut storage, (0..10).flat_map(|part| part * 1000..part * 1000 + 70));
        storage.trim();
    };
    (0..3).for_each(|_| recording());
    let cost = allocation_counter::measure(|| (0..10).for_each(|_| recording()));
    assert_eq!(cost.count_total, 0, "{cost:?}");
}

#[test]
fn trimming_frees_a_spike_while_handles_are_open() {
    let (mut storage, halves) = (HandleStorage::new(), halves());
    open(&mut storage, 0..10, &halves);
    let before = storage.bytes();
    open(&mut storage, 10..10_010, &halves);
    // Keeps the handle with the highest index open.
    close(&mut storage, 10..10_009);
    let spike = storage.bytes();
    assert!(spike > 20 * before && storage.high_water() == 10_010);
    (0..200).for_each(|_| storage.trim());
    assert_eq!((storage.open_handles(), storage.high_water()), (11, 11));
    assert!(storage.bytes() < 4 * before, "{} bytes, {before} before, {spike} at most", storage.bytes());
}

#[test]
fn nothing_but_trimming_gives_memory_back() {
    let (mut storage, halves) = (HandleStorage::new(), halves());
    open(&mut storage, 0..1000, &halves);
    let most = storage.bytes();
    close(&mut storage, 0..1000);
    for _ in 0..100 {
        open(&mut storage, 0..3, &halves);
        close(&mut storage, 0..3);
    }
    assert_eq!((storage.bytes(), storage.high_water()), (most, 1000));
    (0..200).for_each(|_| storage.trim());
    assert_eq!((storage.bytes(), storage.high_water()), (0, 0));
}

#[test]
fn open_handles_keep_their_data_when_a_spike_is_trimmed() {
    let (mut storage, halves) = (HandleStorage::new(), halves());
    open(&mut storage, 0..900, &halves);
    for index in 0..900 {
        storage.private_bytes_mut(key(index)).unwrap().fill(index as u8);
        *storage.runtime_mut::<[u32; 4]>(key(index)).unwrap() = [index; 4];
    }
    close(&mut storage, (0..900).filter(|index| index % 100 != 7));
    (0..200).for_each(|_| storage.trim());
    for index in (0..900).filter(|index| index % 100 == 7) {
        assert!(storage.private_bytes_mut(key(index)).unwrap().iter().all(|b| *b == index as u8));
        assert_eq!(storage.runtime::<[u32; 4]>(key(index)), Some(&[index; 4]));
        assert!(storage.object(Handle::<kind::Resource>::new(key(index))).is_some());
    }
    // Freed blocks are not reused for two handles at once.
    open(&mut storage, 10_000..10_100, &halves);
    storage.private_bytes_mut(key(10_000)).unwrap().fill(255);
    assert!(storage.private_bytes_mut(key(807)).unwrap().iter().all(|b| *b == 39));
}

#[test]
fn no_two_contexts_have_data_on_one_cache_line() {
    let halves = halves();
    let mut contexts: Vec<HandleStorage> = (0..8).map(|_| HandleStorage::new()).collect();
    for index in 0..300 {
        contexts.iter_mut().for_each(|storage| open(storage, index..index + 1, &halves));
    }
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for (context, storage) in contexts.iter_mut().enumerate() {
        for index in 0..300 {
            let bytes = storage.private_bytes_mut(key(index)).unwrap();
            let (first, last) =
                (bytes.as_ptr().addr() - RUNTIME_BYTES, bytes.as_ptr().addr() + bytes.len() - 1);
            lines.extend((first / CACHE_LINE..=last / CACHE_LINE).map(|line| (line, context)));
        }
    }
    lines.sort_unstable();
    lines.dedup();
    let shared = lines.windows(2).find(|pair| pair[0].0 == pair[1].0);
    assert_eq!(shared, None, "a line with its two contexts");
}

/// Checks the memory limit for each object in a deferred context: goal P10 of the project's benchmark.
#[test]
fn an_open_handle_with_one_line_takes_at_most_128_bytes() {
    let (mut storage, halves) = (HandleStorage::new(), halves());
    for index in 0..8192 {
        assert!(storage.open(key(index), CACHE_LINE - RUNTIME_BYTES, halves.0.clone(), halves.1.clone()));
    }
    assert!(storage.bytes() <= 8192 * 128, "{} bytes each", storage.bytes() / 8192);
}
