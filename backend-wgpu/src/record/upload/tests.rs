//! Tests for slices, the reuse of upload blocks, and the ranges that are uploaded.

use std::{num::NonZeroU32, ops::Range, sync::Arc};

use onze_ddi::{Key, ResourceHandle, UploadPage};

use crate::record::object_table::ObjectTable;
use crate::record::upload::{LARGEST_SLICE, SHARED_BLOCK, UploadSlice, Uploads};

fn uploads() -> (Uploads, Arc<crate::device::Device>) {
    let (device, _) = crate::testing::noop();
    (Uploads::new(&device.gpu), device)
}

#[test]
fn slices_fill_a_page_in_aligned_order() {
    let (mut uploads, _device) = uploads();
    let slices: Vec<_> =
        (0..SHARED_BLOCK / LARGEST_SLICE + 1).map(|_| uploads.slice(LARGEST_SLICE).unwrap()).collect();
    assert_eq!(slices[0], UploadSlice { block: 0, offset: 0 });
    assert_eq!(slices[1], UploadSlice { block: 0, offset: LARGEST_SLICE });
    assert_eq!(slices.last().unwrap().block, 1);
    assert_eq!(uploads.slice(1).unwrap().offset % 256, 0);
}

#[test]
fn a_free_upload_page_is_reused() {
    let (mut uploads, device) = uploads();
    let first = uploads.own_block(5000, true).unwrap();
    uploads.retain(first);
    uploads.reclaim();
    assert_ne!(uploads.own_block(5000, true).unwrap(), first, "an identity uses the page");
    uploads.release(first);
    let held = uploads.identity(UploadSlice { block: first, offset: 0 }, 5000).unwrap();
    uploads.reclaim();
    assert_ne!(uploads.own_block(5000, true).unwrap(), first, "the page has another owner");
    drop(held);
    uploads.upload(|to| device.gpu.queue.write_buffer(to.buffer, to.offset, to.bytes));
    uploads.reclaim();
    let again: Vec<_> = (0..3).map(|_| uploads.own_block(5000, true).unwrap()).collect();
    assert!(again.contains(&first), "{again:?}");
}

#[test]
fn the_tail_of_a_page_that_is_bound_is_zero_whatever_was_there() {
    let (mut uploads, _device) = uploads();
    let block = uploads.own_block(4096, true).unwrap();
    uploads.write(UploadSlice { block, offset: 0 }, 4096).unwrap().fill(0xaa);
    uploads.reclaim();
    assert_eq!(uploads.own_block(100, true).unwrap(), block);
    let bytes = uploads.read(UploadSlice { block, offset: 0 }, 4096).unwrap();
    assert!(bytes[100..].iter().all(|b| *b == 0));
}

#[test]
fn an_upload_page_sends_distant_writes_separately() {
    let (mut uploads, _device) = uploads();
    let block = uploads.own_block(1 << 20, true).unwrap();
    let mut sent = |written: &[Range<u32>]| {
        for range in written {
            let bytes = uploads.lend(block, false).unwrap();
            uploads.take_back(block, bytes, std::iter::once(range.clone()));
        }
        let mut sent = Vec::new();
        uploads.upload(|to| sent.push(to.offset as u32..to.offset as u32 + to.bytes.len() as u32));
        sent.sort_unstable_by_key(|range| range.start);
        sent
    };
    let end = 1 << 20;
    assert_eq!(sent(&[0..16, end - 16..end]), [0..16, end - 16..end]);
    assert_eq!(sent(&[0..16, end - 16..end, 16..32, end - 32..end - 16]), [0..32, end - 32..end]);
    assert_eq!(sent(&[90_001..90_003, 5..6]), [4..8, 90_000..90_004], "whole words");
    let near = sent(&[100..116, 200..216, 50_000..50_004]);
    assert_eq!(near, [100..216, 50_000..50_004], "near ranges are sent with the bytes between them");
    assert_eq!(sent(&[]), []);
    let many: Vec<_> = (0..40).map(|n| n * 20_000..n * 20_000 + 16).collect();
    let parts = sent(&many);
    assert_eq!(parts.len(), 16);
    for range in &many {
        let within = |part: &Range<u32>| part.start <= range.start && range.end <= part.end;
        assert!(parts.iter().any(within), "{range:?} in {parts:?}");
    }
}

#[test]
fn a_page_on_loan_is_not_used_again() {
    let (mut uploads, _device) = uploads();
    let block = uploads.own_block(4096, true).unwrap();
    let bytes = uploads.lend(block, true).unwrap();
    uploads.reclaim();
    assert_ne!(uploads.own_block(4096, true).unwrap(), block);
    assert!(uploads.lend(block, true).is_none());
    uploads.take_back(block, bytes, std::iter::once(0..4));
    assert!(uploads.read(UploadSlice { block, offset: 0 }, 4).is_some());
}

#[test]
fn upload_pages_of_a_list_return_to_its_context() {
    let (mut uploads, _device) = uploads();
    let slice = uploads.slice(64).unwrap();
    uploads.write(slice, 64).unwrap().fill(3);
    let mut retained = Vec::new();
    uploads.keep(&mut retained);
    assert_eq!(retained.len(), 1);
    assert_eq!(retained[0].1.bytes(0..64).unwrap(), [3; 64]);
    let id = retained[0].1.storage().buffer_id;
    drop(retained);
    uploads.reclaim();
    let again = uploads.slice(64).unwrap();
    assert_eq!(uploads.identity(again, 64).unwrap().storage.buffer_id, id);
}

#[test]
fn memory_that_nothing_uses_is_given_back() {
    let (mut uploads, _device) = uploads();
    let block = uploads.own_block(4096, true).unwrap();
    let id = uploads.identity(UploadSlice { block, offset: 0 }, 4).unwrap().storage.buffer_id;
    uploads.trim();
    let again = uploads.own_block(4096, true).unwrap();
    assert_ne!(uploads.identity(UploadSlice { block: again, offset: 0 }, 4).unwrap().storage.buffer_id, id);
}

#[test]
fn unwritten_bytes_of_a_slice_are_zero() {
    // Sizes of slices, with the number of bytes that are written.
    let all = [(256_u32, 64_usize), (700, 400), (256, 4), (256, 200), (64, 60), (256, 256), (256, 0)];
    for count in 1..=all.len() {
        let (mut uploads, _device) = uploads();
        let mut places = Vec::new();
        for lap in 1..10 {
            for (size, written) in all[..count].iter().cycle().skip(lap as usize).take(4) {
                let room = size.next_multiple_of(uploads.alignment);
                uploads.make_room(room);
                let slice = uploads.cut(room, &vec![lap; *written]).map(|cut| cut.slice).unwrap();
                let bytes = uploads.read(slice, *size).unwrap();
                let expected = |at: usize| if at < *written { lap } else { 0 };
                assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == expected(at)), "{size} {written}");
                places.push(slice.block);
            }
            uploads.reclaim();
        }
        assert!(places.iter().all(|block| *block == places[0]), "{places:?}");
    }
}

#[test]
fn an_upload_page_is_lent_again_until_it_is_full() {
    let (mut uploads, _device) = uploads();
    let mut page = UploadPage::default();
    let mut blocks = Vec::new();
    for round in 0..3 * SHARED_BLOCK / LARGEST_SLICE {
        uploads.lend_page(&mut page).unwrap();
        let (block, _) = uploads.lent_object(&mut ObjectTable::default(), 1).unwrap();
        uploads.retain(block);
        let offset = page.next_slice(LARGEST_SLICE).unwrap();
        page.bytes_mut(offset..offset + LARGEST_SLICE).unwrap().fill(round as u8 + 1);
        page.add(ResourceHandle::new(Key::new(0, NonZeroU32::MIN)), offset, LARGEST_SLICE);
        page.clear_slices();
        uploads.take_page_back(&mut page);
        let bytes = uploads.read(UploadSlice { block, offset }, LARGEST_SLICE).unwrap();
        assert!(bytes.iter().all(|byte| *byte == round as u8 + 1));
        let mut sent = Vec::new();
        uploads.upload(|write| sent.push((write.offset, write.bytes.len())));
        assert_eq!(sent, [(u64::from(offset), LARGEST_SLICE as usize)]);
        uploads.reclaim();
        blocks.push(block);
    }
    blocks.dedup();
    assert_eq!(blocks.len(), 3, "{blocks:?}");
}

#[test]
fn a_free_upload_page_is_not_lent_to_two_owners() {
    let (mut uploads, _device) = uploads();
    let mut page = UploadPage::default();
    uploads.lend_page(&mut page).unwrap();
    let (lent, _) = uploads.lent_object(&mut ObjectTable::default(), 1).unwrap();
    uploads.take_page_back(&mut page);
    uploads.reclaim();
    assert_eq!(uploads.own_block(SHARED_BLOCK, true).unwrap(), lent, "nothing is in it");
    uploads.lend_page(&mut page).unwrap();
    assert_ne!(uploads.lent_object(&mut ObjectTable::default(), 1).unwrap().0, lent);

    // The block that slices are cut from is not lent either.
    let (mut uploads, _device) = self::uploads();
    let mut page = UploadPage::default();
    uploads.lend_page(&mut page).unwrap();
    uploads.take_page_back(&mut page);
    uploads.reclaim();
    let slice = uploads.slice(64).unwrap();
    uploads.lend_page(&mut page).unwrap();
    assert_ne!(uploads.lent_object(&mut ObjectTable::default(), 1).unwrap().0, slice.block);
}
