//! Counters at both ends of their 32-bit range and past the last element of their view.

use onze::prelude::*;
use onze_tests::{CommandPath, gpu_matrix, on_each};

use super::{count, counted, list, read, shader, sorted};

/// A counter has 32 bits, but an initial count of `u32::MAX` is not possible, because that value keeps the
/// current count.
#[test]
fn counters_wrap_around_at_both_ends() {
    on_each(&gpu_matrix(), |h| {
        let (increment, decrement) = (shader(h, "increment"), shader(h, "decrement"));
        for how in CommandPath::ALL {
            for (initial, shader, last, numbers) in [
                (0xffff_fffe, &increment, 2, [0xffff_fffe, 0xffff_ffff, 0, 1]),
                (2, &decrement, 0xffff_fffe, [1, 0, 0xffff_ffff, 0xffff_fffe]),
                (0x7fff_fffe, &increment, 0x8000_0002, [0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001]),
            ] {
                let (ids, view) = list(h, 4);
                h.record(how, |cx| {
                    cx.cs_set_shader(shader);
                    cx.cs_set_unordered_access_views_with_counts(1, &view, &[initial]);
                    cx.dispatch(1, 1, 1);
                });
                assert_eq!(count(h, &view), last, "{initial:#x}, {how:?}");
                assert_eq!(sorted(read(h, &ids)), sorted(numbers.to_vec()), "{initial:#x}, {how:?}");
            }
        }
    });
}

/// The initial count of a view without a counter is ignored, even next to a view with a counter.
#[test]
fn an_initial_count_of_a_view_without_a_counter_is_ignored() {
    on_each(&gpu_matrix(), |h| {
        let (elements, view) = list(h, 4);
        let desc = BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS);
        let plain = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&[7_u32; 4]))).unwrap();
        let plain_view = plain.create_unordered_access_view().unwrap();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.cs_set_unordered_access_views_with_counts(1, [&plain_view, &view], &[9, 11]);
            });
            assert_eq!(count(h, &view), 11, "{how:?}");
            assert_eq!(read(h, &plain), [7; 4], "{how:?}");
            h.assert_silent();
        }
        drop(elements);
    });
}

/// After the last element of the view, nothing is written but the counter continues. Below 0, consumed
/// elements are zero.
#[test]
fn appends_beyond_the_end_count_and_write_nothing() {
    on_each(&gpu_matrix(), |h| {
        let (append, pass_on) = (shader(h, "append"), shader(h, "pass_on"));
        let desc = BufferDesc::structured(4, 10, BindFlags::UNORDERED_ACCESS);
        for how in CommandPath::ALL {
            let [elements, others] = [(); 2]
                .map(|()| h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&[7_u32; 10]))).unwrap());
            let [few, all] = [counted(h, &elements, 3, 5), counted(h, &others, 0, 10)];
            h.record(how, |cx| {
                cx.cs_set_shader(&append);
                cx.cs_set_unordered_access_views_with_counts(1, &few, &[2]);
                cx.dispatch(2, 1, 1);
            });
            assert_eq!(count(h, &few), 10, "{how:?}");
            let found = read(h, &elements);
            assert_eq!([&found[..5], &found[8..]].concat(), [7; 7], "{how:?}: beside the view");
            let mut appended = found[5..8].to_vec();
            appended.sort_unstable();
            appended.dedup();
            assert!(appended.len() == 3 && appended.iter().all(|n| (100..108).contains(n)), "{found:?}");
            // The shader consumes two elements and two zeros, at the indices 1, 0, -1 and -2.
            h.record(how, |cx| {
                cx.cs_set_shader(&pass_on);
                cx.cs_set_unordered_access_views_with_counts(1, [&few, &all], &[2, 0]);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!([count(h, &few), count(h, &all)], [u32::MAX - 1, 4], "{how:?}");
            assert_eq!(sorted(read(h, &others)), [0, 0, 7, 7, 7, 7, 7, 7, 7, 7], "{how:?}");
        }
    });
}
