//! Late identity: a list uses the contents that a resource has when the list is executed, and repeats its own
//! writes at each execution (see Direct3D 11.3 Functional Specification, section 6.3.9.1).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, Quad, Target, drawing::assert_all, gpu_matrix, matrix, on_each};

const SIZE: u32 = 32;

fn dynamic(device: &Device, flags: BindFlags) -> Buffer {
    device.create_buffer(&BufferDesc::dynamic(SIZE, flags), None).unwrap()
}

fn default(device: &Device, flags: BindFlags) -> Buffer {
    device.create_buffer(&BufferDesc::new(SIZE, flags), None).unwrap()
}

fn staging(device: &Device) -> Buffer {
    let cpu = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
    device.create_buffer(&BufferDesc::staging(SIZE, cpu), None).unwrap()
}

fn discard(cx: &mut DeviceContext, buffer: &Buffer, value: u8) {
    cx.map(buffer, 0, MapType::WriteDiscard).unwrap().fill(value);
}

fn update(cx: &mut DeviceContext, buffer: &Buffer, value: u8) {
    cx.update_subresource(buffer, 0, None, &[value; SIZE as usize], 0, 0);
}

fn list(device: &Device, record: impl FnOnce(&mut DeviceContext)) -> CommandList {
    let mut deferred = device.create_deferred_context().unwrap();
    record(&mut deferred);
    deferred.finish_command_list(false).unwrap()
}

fn value(h: &mut Harness, result: &Buffer) -> u8 {
    let mapped = h.immediate.map(result, 0, MapType::Read).unwrap();
    assert!(mapped.iter().all(|b| *b == mapped[0]), "{:?}", &mapped[..]);
    mapped[0]
}

const FLAGS: [BindFlags; 3] = [BindFlags::VERTEX_BUFFER, BindFlags::INDEX_BUFFER, BindFlags::CONSTANT_BUFFER];

#[test]
fn a_list_copies_data_discarded_after_recording() {
    on_each(&matrix(), |h| {
        for flags in FLAGS {
            let (source, result) = (dynamic(&h.device, flags), staging(&h.device));
            discard(&mut h.immediate, &source, 1);
            let inner = list(&h.device, |cx| cx.copy_resource(&result, &source));
            discard(&mut h.immediate, &source, 2);
            h.immediate.execute_command_list(&inner, false);
            assert_eq!(value(h, &result), 2, "{flags:?}");
            let outer = list(&h.device, |cx| cx.execute_command_list(&inner, false));
            discard(&mut h.immediate, &source, 3);
            h.immediate.execute_command_list(&outer, false);
            assert_eq!(value(h, &result), 3, "{flags:?}, nested");
            discard(&mut h.immediate, &source, 4);
            h.immediate.execute_command_list(&inner, false);
            assert_eq!(value(h, &result), 4, "{flags:?}, again");
        }
    });
}

#[test]
fn a_list_copies_data_updated_after_recording() {
    on_each(&matrix(), |h| {
        for flags in FLAGS {
            let (source, result) = (default(&h.device, flags), staging(&h.device));
            update(&mut h.immediate, &source, 1);
            let list = list(&h.device, |cx| cx.copy_resource(&result, &source));
            for next in 2..5 {
                update(&mut h.immediate, &source, next);
                h.immediate.execute_command_list(&list, next % 2 == 0);
                assert_eq!(value(h, &result), next, "{flags:?}");
            }
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 33413.
#[test]
fn a_list_copies_a_textures_colour_as_of_its_execution() {
    on_each(&gpu_matrix(), |h| {
        let (source, target) = (Target::new(&h.device, 8, 8), Target::new(&h.device, 8, 8));
        h.immediate.clear_render_target_view(&source.view, [0.0, 1.0, 0.0, 1.0]);
        let list = list(&h.device, |cx| cx.copy_resource(&target.texture, &source.texture));
        h.immediate.clear_render_target_view(&source.view, [0.0, 0.0, 1.0, 1.0]);
        h.immediate.execute_command_list(&list, false);
        assert_all(&target.read(h), 0xffff_0000, "blue");
    });
}

#[test]
fn a_list_reads_current_contents_until_it_discards() {
    on_each(&matrix(), |h| {
        for flags in FLAGS {
            let source = dynamic(&h.device, flags);
            let results = [staging(&h.device), staging(&h.device), staging(&h.device)];
            let list = list(&h.device, |cx| {
                cx.copy_resource(&results[0], &source);
                discard(cx, &source, 10);
                cx.copy_resource(&results[1], &source);
                discard(cx, &source, 20);
                cx.copy_resource(&results[2], &source);
            });
            for before in 1..4 {
                discard(&mut h.immediate, &source, before);
                h.immediate.execute_command_list(&list, false);
                let read = [0, 1, 2].map(|i| value(h, &results[i]));
                assert_eq!(read, [before, 10, 20], "{flags:?}");
            }
            // Without another discard, the list starts with the contents that it wrote last.
            h.immediate.execute_command_list(&list, false);
            assert_eq!(value(h, &results[0]), 20, "{flags:?}");
        }
    });
}

#[test]
fn a_lists_last_discard_is_current_after_it() {
    on_each(&matrix(), |h| {
        for flags in FLAGS {
            let (source, result) = (dynamic(&h.device, flags), staging(&h.device));
            let writes = list(&h.device, |cx| {
                discard(cx, &source, 5);
                discard(cx, &source, 6);
            });
            let reads = list(&h.device, |cx| cx.copy_resource(&result, &source));
            discard(&mut h.immediate, &source, 1);
            h.immediate.execute_command_list(&reads, false);
            assert_eq!(value(h, &result), 1, "before");
            h.immediate.execute_command_list(&writes, true);
            h.immediate.copy_resource(&result, &source);
            assert_eq!(value(h, &result), 6, "immediate");
            discard(&mut h.immediate, &source, 1);
            h.immediate.execute_command_list(&writes, false);
            h.immediate.execute_command_list(&reads, false);
            assert_eq!(value(h, &result), 6, "another list");

            let both = list(&h.device, |cx| {
                cx.execute_command_list(&reads, false);
                cx.execute_command_list(&writes, false);
                cx.execute_command_list(&reads, false);
            });
            discard(&mut h.immediate, &source, 1);
            h.immediate.execute_command_list(&both, false);
            assert_eq!(value(h, &result), 6, "another list of the same recording");
            let read_first = list(&h.device, |cx| {
                cx.execute_command_list(&reads, false);
                cx.execute_command_list(&writes, false);
            });
            discard(&mut h.immediate, &source, 2);
            h.immediate.execute_command_list(&read_first, false);
            assert_eq!(value(h, &result), 2, "in the order of execution");
            h.immediate.copy_resource(&result, &source);
            assert_eq!(value(h, &result), 6, "a nested list's contents are current after the outer one");
        }
    });
}

#[test]
fn a_list_replays_its_data_despite_later_writes() {
    on_each(&matrix(), |h| {
        for flags in FLAGS {
            let (buffer, result) = (dynamic(&h.device, flags), staging(&h.device));
            let other = default(&h.device, BindFlags::VERTEX_BUFFER);
            update(&mut h.immediate, &other, 77);
            let inner = list(&h.device, |cx| {
                discard(cx, &buffer, 1);
                cx.copy_resource(&result, &buffer);
            });
            let outer = list(&h.device, |cx| cx.execute_command_list(&inner, true));
            for list in [&inner, &outer] {
                for round in 0..3 {
                    discard(&mut h.immediate, &buffer, 50 + round);
                    h.immediate.execute_command_list(list, false);
                    assert_eq!(value(h, &result), 1, "{flags:?}, round {round}");
                }
                // The buffer now contains the data that the list wrote, but new writes to the buffer must not
                // reach the data that the list replays.
                h.wait();
                h.immediate.map(&buffer, 0, MapType::WriteNoOverwrite).unwrap().slice_mut(0..8).fill(9);
                let mut expected = [1; SIZE as usize];
                expected[..8].fill(9);
                assert_eq!(h.immediate.read_buffer::<u8>(&buffer).unwrap(), expected, "{flags:?}");
                h.immediate.execute_command_list(list, false);
                assert_eq!(value(h, &result), 1, "{flags:?}, after NO_OVERWRITE");
                // A copy into the buffer must not reach the list's data either.
                h.immediate.copy_resource(&buffer, &other);
                h.immediate.copy_resource(&result, &buffer);
                assert_eq!(value(h, &result), 77, "{flags:?}, copied");
                h.immediate.execute_command_list(list, false);
                assert_eq!(value(h, &result), 1, "{flags:?}, after a copy");
                // A second NO_OVERWRITE map may write in place, but it must not reach the list's data either.
                h.wait();
                h.immediate.map(&buffer, 0, MapType::WriteNoOverwrite).unwrap().fill(3);
                h.wait();
                h.immediate.map(&buffer, 0, MapType::WriteNoOverwrite).unwrap().fill(4);
                h.immediate.execute_command_list(list, false);
                assert_eq!(value(h, &result), 1, "{flags:?}, after two NO_OVERWRITE");
            }
        }
    });
}

#[test]
fn a_lists_copy_into_a_discarded_buffer_runs_each_time() {
    on_each(&matrix(), |h| {
        for flags in FLAGS {
            let buffer = dynamic(&h.device, flags);
            let other = default(&h.device, BindFlags::VERTEX_BUFFER);
            let results = [staging(&h.device), staging(&h.device)];
            let list = list(&h.device, |cx| {
                discard(cx, &buffer, 1);
                cx.copy_resource(&results[0], &buffer);
                cx.copy_resource(&buffer, &other);
                cx.copy_resource(&results[1], &buffer);
            });
            for round in 100..103 {
                update(&mut h.immediate, &other, round);
                h.immediate.execute_command_list(&list, false);
                assert_eq!([value(h, &results[0]), value(h, &results[1])], [1, round], "{flags:?}");
            }
        }
    });
}

#[test]
fn updates_in_a_list_happen_in_their_place_at_every_execution() {
    on_each(&matrix(), |h| {
        for flags in FLAGS {
            let buffer = default(&h.device, flags);
            let results = [staging(&h.device), staging(&h.device), staging(&h.device)];
            let list = list(&h.device, |cx| {
                cx.copy_resource(&results[0], &buffer);
                update(cx, &buffer, 10);
                cx.copy_resource(&results[1], &buffer);
                update(cx, &buffer, 20);
                cx.copy_resource(&results[2], &buffer);
            });
            for before in 1..4 {
                update(&mut h.immediate, &buffer, before);
                h.immediate.execute_command_list(&list, false);
                assert_eq!([0, 1, 2].map(|i| value(h, &results[i])), [before, 10, 20], "{flags:?}");
                // The contents that the list wrote last are current and can be overwritten.
                h.immediate.copy_resource(&results[0], &buffer);
                assert_eq!(value(h, &results[0]), 20, "{flags:?}");
                h.immediate.copy_resource(&buffer, &results[1]);
            }
            h.immediate.execute_command_list(&list, false);
            assert_eq!([0, 1, 2].map(|i| value(h, &results[i])), [10, 10, 20], "{flags:?}");
        }
    });
}

#[test]
fn the_data_of_an_update_is_read_before_the_call_returns() {
    on_each(&matrix(), |h| {
        let buffer = default(&h.device, BindFlags::VERTEX_BUFFER);
        let result = staging(&h.device);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                let mut data = [3_u8; SIZE as usize];
                cx.update_subresource(&buffer, 0, None, &data, 0, 0);
                data.fill(4);
                cx.copy_resource(&result, &buffer);
                assert_eq!(data[0], 4);
            });
            assert_eq!(value(h, &result), 3, "{how:?}");
        }
    });
}

#[test]
fn two_lists_discarding_one_buffer_keep_their_own_contents() {
    on_each(&matrix(), |h| {
        let (buffer, result) = (dynamic(&h.device, BindFlags::CONSTANT_BUFFER), staging(&h.device));
        let mut contexts: Vec<_> = (0..4).map(|_| h.device.create_deferred_context().unwrap()).collect();
        (0..).zip(&mut contexts).for_each(|(i, cx)| discard(cx, &buffer, 10 + i));
        contexts.iter_mut().for_each(|cx| cx.copy_resource(&result, &buffer));
        let lists: Vec<_> = contexts.iter_mut().map(|cx| cx.finish_command_list(false).unwrap()).collect();
        for order in [[0, 1, 2, 3], [3, 1, 0, 2], [2, 2, 0, 3]] {
            for i in order {
                h.immediate.execute_command_list(&lists[i], false);
                assert_eq!(value(h, &result), 10 + i as u8, "{order:?}");
            }
        }
    });
}

/// When a list is recorded, the CPU does not know the bytes that a copy writes to a buffer. A NO_OVERWRITE
/// map after the copy must change only the bytes that the application writes.
#[test]
fn no_overwrite_after_a_copy_changes_only_the_written_bytes() {
    on_each(&matrix(), |h| {
        for (flags, how) in FLAGS.into_iter().flat_map(|flags| CommandPath::ALL.map(|how| (flags, how))) {
            let (buffer, other) = (dynamic(&h.device, flags), default(&h.device, BindFlags::VERTEX_BUFFER));
            let result = staging(&h.device);
            update(&mut h.immediate, &other, 1);
            let mut expected = [1; SIZE as usize];
            h.record(how, |cx| {
                discard(cx, &buffer, 9);
                cx.copy_resource(&buffer, &other);
                // One map may write its bytes in any order, and the writes may overlap.
                let maps: [&[(usize, usize)]; 6] = [
                    &[],
                    &[(4, 8)],
                    &[(32, 32), (3, 4), (9, 15)],
                    &[(31, 32), (0, 2)],
                    &[(20, 22), (16, 18), (18, 20)],
                    &[(17, 24), (26, 27), (25, 30)],
                ];
                for ranges in maps {
                    let mut mapped = cx.map(&buffer, 0, MapType::WriteNoOverwrite).unwrap();
                    for (start, end) in ranges.iter().copied() {
                        mapped.slice_mut(start..end).fill(end as u8);
                        expected[start..end].fill(end as u8);
                    }
                }
                cx.copy_resource(&result, &buffer);
            });
            let mapped = h.immediate.map(&result, 0, MapType::Read).unwrap();
            assert_eq!(*mapped, expected, "{flags:?}, {how:?}");
        }
    });
}

#[test]
fn a_list_keeps_its_contents_when_the_context_records_on() {
    on_each(&matrix(), |h| {
        let (buffer, result) = (dynamic(&h.device, BindFlags::VERTEX_BUFFER), staging(&h.device));
        let mut deferred = h.device.create_deferred_context().unwrap();
        let lists: Vec<_> = (0..20)
            .map(|i| {
                discard(&mut deferred, &buffer, i);
                deferred.map(&buffer, 0, MapType::WriteNoOverwrite).unwrap().slice_mut(0..32).fill(100 + i);
                deferred.copy_resource(&result, &buffer);
                deferred.finish_command_list(i % 2 == 0).unwrap()
            })
            .collect();
        drop(deferred);
        for (i, list) in (0..20).zip(&lists).rev() {
            h.immediate.execute_command_list(list, false);
            assert_eq!(value(h, &result), 100 + i);
        }
    });
}

#[test]
fn a_lists_draw_reads_constants_discarded_after_recording() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let colors = [([1.0, 0.0, 0.0, 1.0], 0xff00_00ff), ([0.0, 1.0, 0.0, 1.0], 0xff00_ff00)];
        let list = list(&h.device, |cx| {
            target.bind(cx);
            quad.bind(cx);
            cx.draw(4, 0);
        });
        for (color, expected) in colors {
            quad.set(&mut h.immediate, color, Quad::ALL, 0.0);
            h.immediate.execute_command_list(&list, false);
            assert_all(&target.read(h), expected, "late constants");
        }
    });
}

#[test]
fn each_draw_of_a_list_keeps_its_constants_when_replayed() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 16, 16), Quad::new(&h.device));
        // Draws sixteen columns with different shades, all from the same constant buffer.
        let column = |i: u32| [-1.0 + i as f32 / 8.0, -1.0, -1.0 + (i + 1) as f32 / 8.0, 1.0];
        let list = list(&h.device, |cx| {
            target.bind(cx);
            for i in 0..16 {
                quad.draw_at(cx, [i as f32 / 15.0, 0.0, 0.0, 1.0], column(i), 0.0);
            }
        });
        for round in 0..3 {
            h.immediate.clear_render_target_view(&target.view, [0.0; 4]);
            quad.set(&mut h.immediate, [1.0; 4], Quad::ALL, 0.0);
            h.immediate.execute_command_list(&list, false);
            let texels = target.read(h);
            for (i, texel) in (0..).zip(&texels[..16]) {
                assert_eq!(*texel, 0xff00_0000 | (i * 17), "round {round}, column {i}");
            }
            // Overwrites the contents that the list wrote.
            h.immediate.map(&quad.constants, 0, MapType::WriteNoOverwrite).unwrap().fill(0xff);
        }
    });
}
