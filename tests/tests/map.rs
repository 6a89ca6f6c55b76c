//! Maps: the allowed combinations of resource, context and map type, and the visibility of mapped writes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Harness, Quad, Random, Target, assert_error, matrix, on_each, wait_until,
};

const USAGES: [Usage; 4] = [Usage::Default, Usage::Immutable, Usage::Dynamic, Usage::Staging];
const MAP_TYPES: [MapType; 5] =
    [MapType::Read, MapType::Write, MapType::ReadWrite, MapType::WriteDiscard, MapType::WriteNoOverwrite];

/// The map rules of Direct3D 11, written independently of the runtime.
fn expected(usage: Usage, cpu: CpuAccessFlags, buffer: bool, deferred: bool, map_type: MapType) -> bool {
    let staging = |needed: CpuAccessFlags| usage == Usage::Staging && cpu.contains(needed) && !deferred;
    match map_type {
        MapType::Read => staging(CpuAccessFlags::READ),
        MapType::Write => staging(CpuAccessFlags::WRITE),
        MapType::ReadWrite => staging(CpuAccessFlags::READ | CpuAccessFlags::WRITE),
        MapType::WriteDiscard => usage == Usage::Dynamic,
        // On deferred contexts, the test first maps with a discard, as Direct3D 11 requires.
        MapType::WriteNoOverwrite => usage == Usage::Dynamic && buffer,
    }
}

fn dynamic(device: &Device, bytes: u32) -> Buffer {
    device.create_buffer(&BufferDesc::dynamic(bytes, BindFlags::VERTEX_BUFFER), None).unwrap()
}

fn staging(device: &Device, bytes: u32) -> Buffer {
    let cpu = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
    device.create_buffer(&BufferDesc::staging(bytes, cpu), None).unwrap()
}

fn bytes(h: &mut Harness, buffer: &Buffer) -> Vec<u8> {
    h.immediate.read_buffer(buffer).unwrap()
}

/// Tries each map type on both types of contexts, with every combination of usage, bind flags and CPU access
/// that can be created (Wine 10.0, d3d11 tests, lines 15324 and 33692).
#[test]
fn the_map_table_holds_for_every_resource_and_context() {
    on_each(&matrix(), |h| {
        let mut mapped = 0;
        for bind in [0, 0x1, 0x2, 0x3, 0x4, 0x8, 0x20, 0x80, 0x88].map(BindFlags::from_bits_retain) {
            for usage in USAGES {
                for cpu in [0, 0x10000, 0x20000, 0x30000].map(CpuAccessFlags::from_bits_retain) {
                    let desc = BufferDesc { usage, cpu_access_flags: cpu, ..BufferDesc::new(64, bind) };
                    if let Ok(buffer) = h.device.create_buffer(&desc, Some(&[0; 64])) {
                        mapped += check_row(h, &buffer, usage, cpu, true);
                    }
                    let desc = Texture2dDesc {
                        mip_levels: 1,
                        usage,
                        bind_flags: bind,
                        cpu_access_flags: cpu,
                        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4)
                    };
                    let data = SubresourceData { bytes: &[0; 64], row_pitch: 16, depth_pitch: 64 };
                    if let Ok(texture) = h.device.create_texture_2d(&desc, Some(&[data])) {
                        mapped += check_row(h, &texture, usage, cpu, false);
                    }
                }
            }
        }
        // Dynamic buffers with five bind flags have two map types on two contexts, and dynamic textures have
        // one map type on each context. Staging buffers and staging textures allow 1 + 1 + 3 maps each.
        assert_eq!(mapped, 5 * 2 * 2 + 2 + 5 * 2);
        // Refused creations and maps were reported, but this test does not check the messages.
        h.take_errors();
    });
}

/// Tries every map type on a resource, and returns the number of successful maps.
fn check_row(
    h: &mut Harness,
    resource: &impl onze::Resource,
    usage: Usage,
    cpu: CpuAccessFlags,
    buffer: bool,
) -> u32 {
    let mut mapped = 0;
    let mut deferred = h.device.create_deferred_context().unwrap();
    for (deferred, cx) in [(false, &mut h.immediate as &mut DeviceContext), (true, &mut deferred)] {
        for map_type in MAP_TYPES {
            h.device.info_queue().clear();
            let expected = expected(usage, cpu, buffer, deferred, map_type);
            let result = cx.map(resource, 0, map_type).map(|mapped| mapped.len());
            let row =
                format!("{usage:?} {cpu:?} buffer {buffer} deferred {deferred} {map_type:?}: {result:?}");
            if expected {
                assert!(result.is_ok_and(|len| len >= 64), "{row}");
                mapped += 1;
            } else {
                assert!(matches!(result, Err(onze::Error::InvalidArg(_))), "{row}");
                let ids: Vec<_> = h.device.info_queue().take().into_iter().map(|m| m.id).collect();
                assert_eq!(ids, [MessageId::MapInvalid], "{row}");
            }
            for subresource in [1, u32::MAX] {
                assert_error!(cx.map(resource, subresource, map_type), InvalidArg, "{row}");
            }
        }
    }
    mapped
}

/// See Wine 10.0, d3d11 tests, line 33692.
#[test]
fn a_recording_maps_no_overwrite_only_after_its_own_discard() {
    on_each(&matrix(), |h| {
        let (one, two) = (dynamic(&h.device, 64), dynamic(&h.device, 64));
        h.immediate.map(&one, 0, MapType::WriteDiscard).unwrap().fill(1);
        let mut deferred = h.device.create_deferred_context().unwrap();
        for restore in [false, true, false] {
            assert_error!(
                deferred.map(&one, 0, MapType::WriteNoOverwrite),
                DeferredContextMapWithoutInitialDiscard
            );
            deferred.map(&one, 0, MapType::WriteDiscard).unwrap().fill(2);
            deferred.map(&one, 0, MapType::WriteNoOverwrite).unwrap().slice_mut(0..4).fill(3);
            assert_error!(
                deferred.map(&two, 0, MapType::WriteNoOverwrite),
                DeferredContextMapWithoutInitialDiscard,
                "a discard of another buffer"
            );
            // Even if the state is kept, the permission for NO_OVERWRITE ends with the recording.
            deferred.ia_set_vertex_buffers(0, VertexBufferBinding::new(&one, 4));
            let _list = deferred.finish_command_list(restore).unwrap();
        }
        h.take_errors();
    });
}

/// See Wine 10.0, d3d11 tests, line 33692.
#[test]
fn a_deferred_map_takes_place_when_the_list_is_executed() {
    on_each(&matrix(), |h| {
        let floats: Vec<f32> = (0..16).map(|i| i as f32).collect();
        let desc = BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER);
        let buffer = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&floats))).unwrap();
        let times = |factor: f32| floats.iter().map(|f| f * factor).collect::<Vec<_>>();
        let mut deferred = h.device.create_deferred_context().unwrap();
        for factor in [2.0, 3.0] {
            deferred.map(&buffer, 0, MapType::WriteDiscard).unwrap().write_slice(0, &times(factor));
        }
        let list = deferred.finish_command_list(false).unwrap();
        assert_eq!(h.immediate.read_buffer::<f32>(&buffer).unwrap(), floats);
        h.immediate.execute_command_list(&list, false);
        assert_eq!(h.immediate.read_buffer::<f32>(&buffer).unwrap(), times(3.0));
    });
}

/// See Wine 10.0, d3d11 tests, line 15171.
#[test]
fn maps_report_the_pitches_and_align_the_memory() {
    on_each(&matrix(), |h| {
        let buffer = staging(&h.device, 1024);
        for map_type in [MapType::Read, MapType::Write, MapType::ReadWrite] {
            let mapped = h.immediate.map(&buffer, 0, map_type).unwrap();
            assert_eq!((mapped.row_pitch(), mapped.depth_pitch(), mapped.len()), (1024, 1024, 1024));
            assert_eq!(mapped.as_ptr() as usize % 16, 0);
        }
        let buffer = dynamic(&h.device, 100);
        for map_type in [MapType::WriteDiscard, MapType::WriteNoOverwrite] {
            let mapped = h.immediate.map(&buffer, 0, map_type).unwrap();
            assert_eq!((mapped.row_pitch(), mapped.depth_pitch(), mapped.len()), (100, 100, 100));
            assert_eq!(mapped.as_ptr() as usize % 16, 0);
        }
        let cpu = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
        for (format, width, height) in [
            (Format::R8G8B8A8_UNORM, 512, 512),
            (Format::R8G8B8A8_UNORM, 3, 5),
            (Format::R8_UNORM, 7, 2),
            (Format::R32G32B32A32_FLOAT, 1, 1),
        ] {
            let desc = Texture2dDesc { mip_levels: 0, ..Texture2dDesc::staging(format, width, height, cpu) };
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            for mip in 0..texture.desc().mip_levels {
                let mapped = h.immediate.map(&texture, mip, MapType::ReadWrite).unwrap();
                let (width, height) = texture.desc().mip_size(mip);
                let row = format.row_pitch(width);
                assert!(mapped.row_pitch() >= row, "{format:?} mip {mip}");
                assert!(
                    mapped.depth_pitch() >= (height - 1) * mapped.row_pitch() + row,
                    "{format:?} mip {mip}"
                );
                assert!(
                    mapped.len() as u32 >= (height - 1) * mapped.row_pitch() + row,
                    "{format:?} mip {mip}"
                );
                assert_eq!(mapped.as_ptr() as usize % 16, 0);
            }
        }
    });
}

#[test]
fn staging_resources_return_the_bytes_that_maps_wrote() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(40);
        let buffer = staging(&h.device, 40);
        let written = random.bytes(40);
        h.immediate.map(&buffer, 0, MapType::Write).unwrap().copy_from_slice(&written);
        assert_eq!(&*h.immediate.map(&buffer, 0, MapType::Read).unwrap(), &written[..]);
        h.immediate.map(&buffer, 0, MapType::ReadWrite).unwrap()[7] ^= 0xff;
        assert_eq!(h.immediate.map(&buffer, 0, MapType::Read).unwrap()[7], written[7] ^ 0xff);

        let cpu = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
        let desc = Texture2dDesc { mip_levels: 0, ..Texture2dDesc::staging(Format::R8_UNORM, 5, 3, cpu) };
        let texture = h.device.create_texture_2d(&Texture2dDesc { array_size: 2, ..desc }, None).unwrap();
        let subresources: Vec<_> = (0..texture.desc().subresources())
            .map(|subresource| {
                let mip = subresource % texture.desc().mip_levels;
                let (width, height) = texture.desc().mip_size(mip);
                let rows: Vec<_> = (0..height).map(|_| random.bytes(width as usize)).collect();
                let mut mapped = h.immediate.map(&texture, subresource, MapType::Write).unwrap();
                let pitch = mapped.row_pitch() as usize;
                for (y, row) in rows.iter().enumerate() {
                    mapped.write_slice(y * pitch, row);
                }
                rows.concat()
            })
            .collect();
        for (subresource, expected) in (0..).zip(&subresources) {
            assert_eq!(&h.read(&texture, subresource), expected, "subresource {subresource}");
        }
    });
}

#[test]
fn a_discard_replaces_all_bytes_and_no_overwrite_keeps_the_rest() {
    on_each(&matrix(), |h| {
        let buffer = dynamic(&h.device, 1000);
        let mut random = Random::new(41);
        for how in CommandPath::ALL {
            let mut expected = random.bytes(1000);
            let start = expected.clone();
            let writes: Vec<_> = (0..30)
                .map(|_| {
                    let offset = random.below(1000) as usize;
                    let count = random.below(1001 - offset as u32).min(60) as usize;
                    (offset, random.bytes(count))
                })
                .collect();
            h.record(how, |cx| {
                cx.map(&buffer, 0, MapType::WriteDiscard).unwrap().copy_from_slice(&start);
                for (i, (offset, bytes)) in writes.iter().enumerate() {
                    let mut mapped = cx.map(&buffer, 0, MapType::WriteNoOverwrite).unwrap();
                    match i % 2 {
                        0 => mapped.write_slice(*offset, bytes),
                        _ => mapped.slice_mut(*offset..offset + bytes.len()).copy_from_slice(bytes),
                    }
                }
            });
            for (offset, bytes) in writes {
                expected[offset..offset + bytes.len()].copy_from_slice(&bytes);
            }
            assert_eq!(bytes(h, &buffer), expected, "{how:?}");
        }
    });
}

#[test]
fn unwritten_bytes_of_a_small_discard_are_zero() {
    on_each(&matrix(), |h| {
        for size in [64, 256, 1008] {
            let desc = BufferDesc::dynamic(size, BindFlags::CONSTANT_BUFFER);
            let buffer = h.device.create_buffer(&desc, None).unwrap();
            let mut random = Random::new(size.into());
            let results: Vec<_> = (0..20).map(|_| staging(&h.device, size)).collect();
            for how in CommandPath::ALL {
                let parts: Vec<_> = (0..20)
                    .map(|_| {
                        let start = random.below(size);
                        let count = random.below(size - start + 1) as usize;
                        (start as usize, random.bytes(count))
                    })
                    .collect();
                h.record(how, |cx| {
                    for ((start, part), result) in parts.iter().zip(&results) {
                        cx.map(&buffer, 0, MapType::WriteDiscard).unwrap().write_slice(*start, part);
                        cx.copy_resource(result, &buffer);
                    }
                });
                for ((start, part), result) in parts.iter().zip(&results) {
                    let mut expected = vec![0; size as usize];
                    expected[*start..start + part.len()].copy_from_slice(part);
                    assert!(
                        *h.immediate.map(result, 0, MapType::Read).unwrap() == expected,
                        "{size} {how:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn each_command_sees_what_was_written_before_it() {
    on_each(&matrix(), |h| {
        let buffer = dynamic(&h.device, 16);
        let results: Vec<_> = (0..40).map(|_| staging(&h.device, 16)).collect();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                for (i, result) in (0..).zip(&results) {
                    cx.map(&buffer, 0, MapType::WriteDiscard).unwrap().fill(i);
                    cx.copy_resource(result, &buffer);
                }
            });
            for (i, result) in (0..).zip(&results) {
                assert_eq!(&*h.immediate.map(result, 0, MapType::Read).unwrap(), &[i; 16], "{how:?}");
            }
        }
    });
}

#[test]
fn discards_without_other_calls_exceed_the_upload_page() {
    on_each(&matrix(), |h| {
        // 6,000 slices of at least 64 bytes are more than a page, and the contents of most buffers are in an
        // earlier page than those of the last one.
        let sizes = [16, 64, 208, 4096, 16];
        let buffers = sizes.map(|size| {
            let desc = BufferDesc::dynamic(size, BindFlags::CONSTANT_BUFFER);
            h.device.create_buffer(&desc, None).unwrap()
        });
        let results = sizes.map(|size| staging(&h.device, size));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                for (n, buffer) in (1..5_u8).zip(&buffers) {
                    cx.map(buffer, 0, MapType::WriteDiscard).unwrap().fill(n);
                }
                for n in 0..6000_u32 {
                    cx.map(&buffers[4], 0, MapType::WriteDiscard).unwrap().write(0, &[n; 4]);
                }
                for (result, buffer) in results.iter().zip(&buffers) {
                    cx.copy_resource(result, buffer);
                }
                cx.map(&buffers[0], 0, MapType::WriteNoOverwrite).unwrap().write(4, &9_u32);
                cx.copy_resource(&results[0], &buffers[0]);
            });
            let read = results.each_ref().map(|result| bytes(h, result));
            assert_eq!(read[0], [[1; 4], [9, 0, 0, 0], [1; 4], [1; 4]].concat(), "{how:?}");
            for (n, bytes) in (2..5_u8).zip(&read[1..4]) {
                assert!(bytes.iter().all(|byte| *byte == n), "{how:?}");
            }
            assert_eq!(read[4], bytemuck::bytes_of(&[5999_u32; 4]), "{how:?}");
        }
    });
}

#[test]
fn a_dynamic_texture_is_discarded_row_by_row() {
    on_each(&matrix(), |h| {
        let desc = Texture2dDesc {
            mip_levels: 1,
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 5, 7)
        };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let mut random = Random::new(42);
        for how in CommandPath::ALL {
            for _ in 0..2 {
                let texels = random.bytes(5 * 7 * 4);
                h.record(how, |cx| {
                    let mut mapped = cx.map(&texture, 0, MapType::WriteDiscard).unwrap();
                    let pitch = mapped.row_pitch() as usize;
                    for (y, row) in texels.chunks(20).enumerate() {
                        mapped[y * pitch..y * pitch + 20].copy_from_slice(row);
                    }
                });
                assert_eq!(h.read(&texture, 0), texels, "{how:?}");
            }
        }
    });
}

#[test]
fn writes_out_of_range_write_nothing_and_are_reported() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::MapOutOfRange]);
        let buffer = dynamic(&h.device, 16);
        let mut mapped = h.immediate.map(&buffer, 0, MapType::WriteDiscard).unwrap();
        mapped.fill(1);
        mapped.write(13, &u32::MAX);
        mapped.write(usize::MAX, &0_u8);
        mapped.write_slice(0, &[9_u8; 17]);
        assert!(mapped.slice_mut(12..17).is_empty() && mapped.slice_mut(17..17).is_empty());
        #[allow(clippy::reversed_empty_ranges, reason = "that is the point")]
        let reversed = mapped.slice_mut(5..4).is_empty();
        assert!(reversed);
        drop(mapped);
        let ids: Vec<_> = h.device.info_queue().take().into_iter().map(|m| m.id).collect();
        // Three writes and three calls of `slice_mut` are refused.
        assert_eq!(ids, [MessageId::MapOutOfRange; 6]);
        assert_eq!(bytes(h, &buffer), [1; 16]);
    });
}

#[test]
fn typed_map_slices_hold_as_many_values_as_fit() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let buffer = staging(&h.device, 14);
        let mut mapped = h.immediate.map(&buffer, 0, MapType::ReadWrite).unwrap();
        assert_eq!(mapped.as_slice::<u32>(), [0; 3]);
        mapped.as_mut_slice::<u32>().copy_from_slice(&[1, 2, 3]);
        assert_eq!(mapped.as_slice::<[u32; 5]>().len(), 0);
        assert_eq!(mapped.as_mut_slice::<[u32; 5]>().len(), 0);
        drop(mapped);
        h.assert_reported(MessageId::MapOutOfRange);
        assert_eq!(h.immediate.map(&buffer, 0, MapType::Read).unwrap().as_slice::<u32>(), [1, 2, 3]);
    });
}

#[test]
fn tokens_map_and_unmap_without_a_borrow() {
    on_each(&matrix(), |h| {
        let (one, two) = (dynamic(&h.device, 16), dynamic(&h.device, 16));
        let results = [staging(&h.device, 16), staging(&h.device, 16)];
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                let a = cx.map_owned(&one, 0, MapType::WriteDiscard).unwrap();
                let b = cx.map_owned(&two, 0, MapType::WriteDiscard).unwrap();
                cx.bytes_mut(&a).fill(1);
                cx.bytes_mut(&b).fill(2);
                cx.bytes_mut(&a)[0] = 9;
                cx.unmap(b);
                cx.unmap(a);
                cx.copy_resource(&results[0], &one);
                cx.copy_resource(&results[1], &two);
            });
            let mut expected = [1; 16];
            expected[0] = 9;
            assert_eq!(bytes(h, &results[0]), expected, "{how:?}");
            assert_eq!(bytes(h, &results[1]), [2; 16], "{how:?}");
        }
    });
}

#[test]
fn a_dropped_token_unmaps_at_the_next_call_of_any_kind() {
    on_each(&matrix(), |h| {
        let result = staging(&h.device, 16);
        type Next = fn(&mut DeviceContext, &Buffer, &Buffer);
        let calls: [(&str, Next); 4] = [
            ("copy", |cx, result, buffer| cx.copy_resource(result, buffer)),
            ("region", |cx, result, buffer| cx.copy_subresource_region(result, 0, [0; 3], buffer, 0, None)),
            ("map", |cx, result, buffer| {
                cx.map(buffer, 0, MapType::WriteNoOverwrite).unwrap();
                cx.copy_resource(result, buffer);
            }),
            ("destination", |cx, result, buffer| {
                cx.copy_resource(buffer, result);
                cx.copy_resource(result, buffer);
            }),
        ];
        for how in CommandPath::ALL {
            for (name, next) in calls {
                let buffer = dynamic(&h.device, 16);
                h.immediate.map(&result, 0, MapType::Write).unwrap().fill(7);
                h.record(how, |cx| {
                    let token = cx.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
                    cx.bytes_mut(&token).fill(5);
                    drop(token);
                    next(cx, &result, &buffer);
                });
                let expected = if name == "destination" { 7 } else { 5 };
                assert_eq!(bytes(h, &result), [expected; 16], "{name}, {how:?}");
                h.assert_silent();
            }
        }
    });
}

#[test]
fn finishing_ends_the_maps_that_tokens_hold() {
    on_each(&matrix(), |h| {
        let buffer = dynamic(&h.device, 16);
        let mut deferred = h.device.create_deferred_context().unwrap();
        let token = deferred.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
        deferred.bytes_mut(&token).fill(6);
        let list = deferred.finish_command_list(false).unwrap();
        assert!(deferred.bytes_mut(&token).is_empty());
        deferred.unmap(token);
        h.assert_reported(MessageId::UnmapInvalid);
        h.immediate.execute_command_list(&list, false);
        assert_eq!(bytes(h, &buffer), [6; 16]);
    });
}

/// See Wine 10.0, d3d11 tests, line 33790.
#[test]
fn an_unmap_on_the_wrong_context_is_ignored() {
    on_each(&matrix(), |h| {
        let buffer = dynamic(&h.device, 16);
        let mut deferred = h.device.create_deferred_context().unwrap();
        let token = h.immediate.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
        h.immediate.bytes_mut(&token).fill(4);
        assert!(deferred.bytes_mut(&token).is_empty());
        deferred.unmap(token);
        h.assert_reported(MessageId::UnmapInvalid);
        // The unmap has dropped the token, so the map ends with the next call on the immediate context.
        assert_eq!(bytes(h, &buffer), [4; 16]);
    });
}

#[test]
fn several_subresources_can_be_mapped_but_none_twice() {
    on_each(&matrix(), |h| {
        let cpu = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
        let desc =
            Texture2dDesc { mip_levels: 2, ..Texture2dDesc::staging(Format::R8G8B8A8_UNORM, 4, 4, cpu) };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let first = h.immediate.map_owned(&texture, 0, MapType::Write).unwrap();
        let second = h.immediate.map_owned(&texture, 1, MapType::Write).unwrap();
        for (subresource, map_type) in [(0, MapType::Write), (0, MapType::Read), (1, MapType::Write)] {
            assert_error!(h.immediate.map(&texture, subresource, map_type), InvalidCall);
            assert_error!(h.immediate.map_owned(&texture, subresource, map_type), InvalidCall);
        }
        h.immediate.bytes_mut(&first).fill(1);
        h.immediate.bytes_mut(&second).fill(2);
        h.immediate.unmap(first);
        h.immediate.unmap(second);
        assert_eq!((h.read(&texture, 0)[0], h.read(&texture, 1)[0]), (1, 2));

        let buffer = dynamic(&h.device, 16);
        let token = h.immediate.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
        assert_error!(h.immediate.map(&buffer, 0, MapType::WriteDiscard), InvalidCall);
        assert_error!(h.immediate.map(&buffer, 0, MapType::WriteNoOverwrite), InvalidCall);
        h.immediate.unmap(token);
        h.assert_reported(MessageId::MapInvalid);
    });
}

#[test]
fn a_buffer_whose_guard_was_forgotten_stays_mapped() {
    on_each(&matrix(), |h| {
        let desc = BufferDesc::dynamic(32, BindFlags::CONSTANT_BUFFER);
        let [forgotten, other] = [(); 2].map(|()| h.device.create_buffer(&desc, None).unwrap());
        let mut context = h.device.create_deferred_context().unwrap();
        let mut guard = context.map(&forgotten, 0, MapType::WriteDiscard).unwrap();
        assert_eq!((guard.row_pitch(), guard.len()), (32, 32));
        guard.fill(7);
        std::mem::forget(guard);
        for _ in 0..2 {
            context.map(&other, 0, MapType::WriteDiscard).unwrap().write(16, &1_u32);
            assert_error!(context.map(&forgotten, 0, MapType::WriteDiscard), InvalidCall);
            h.assert_reported(MessageId::MapInvalid);
        }
    });
}

#[test]
fn several_resources_are_mapped_and_unmapped_together() {
    on_each(&matrix(), |h| {
        let (one, two) = (dynamic(&h.device, 16), dynamic(&h.device, 32));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                let discard = MapType::WriteDiscard;
                let mut maps = cx.map_many([(&one, 0, discard), (&two, 0, discard)]).unwrap();
                assert_eq!((maps.len(), maps.row_pitch(0), maps.row_pitch(1)), (2, 16, 32));
                maps.bytes_mut(1).fill(2);
                maps.bytes_mut(0).fill(1);
                assert_eq!((maps.bytes(0)[15], maps.bytes(1)[31]), (1, 2));
                assert!(maps.bytes(2).is_empty() && maps.bytes_mut(2).is_empty() && !maps.is_empty());
            });
            h.assert_reported(MessageId::MapOutOfRange);
            assert_eq!(bytes(h, &one), [1; 16], "{how:?}");
            assert_eq!(bytes(h, &two), [2; 32], "{how:?}");
        }
        let texture = Texture2dDesc {
            mip_levels: 2,
            ..Texture2dDesc::staging(Format::R8G8B8A8_UNORM, 2, 2, CpuAccessFlags::READ)
        };
        let texture = h.device.create_texture_2d(&texture, None).unwrap();
        let maps =
            h.immediate.map_many([(&texture, 0, MapType::Read), (&texture, 1, MapType::Read)]).unwrap();
        assert_eq!((maps.bytes(0)[0], maps.bytes(1)[0]), (0, 0));
    });
}

#[test]
fn map_many_maps_all_or_nothing() {
    on_each(&matrix(), |h| {
        let (one, two) = (dynamic(&h.device, 16), staging(&h.device, 16));
        let good = (&one as &dyn MapTarget, 0, MapType::WriteDiscard);
        assert_error!(h.immediate.map_many([good, (&two, 0, MapType::WriteDiscard)]), InvalidArg);
        assert_error!(h.immediate.map_many([good, (&two, 1, MapType::Read)]), InvalidArg);
        // Both elements refer to the same subresource.
        assert_error!(h.immediate.map_many([good, good]), InvalidCall);
        let read = (&two as &dyn MapTarget, 0, MapType::Read);
        assert_error!(h.immediate.map_many([read, good, read]), InvalidCall);
        // The failed calls have left nothing mapped.
        h.immediate.map(&one, 0, MapType::WriteDiscard).unwrap().fill(3);
        h.immediate.copy_resource(&two, &one);
        assert_eq!(bytes(h, &two), [3; 16]);
        h.assert_reported(MessageId::MapInvalid);
    });
}

#[test]
fn copies_and_updates_skip_mapped_resources() {
    on_each(&matrix(), |h| {
        let (mapped, other) = (staging(&h.device, 16), staging(&h.device, 16));
        h.immediate.map(&mapped, 0, MapType::Write).unwrap().fill(1);
        h.immediate.map(&other, 0, MapType::Write).unwrap().fill(2);
        let token = h.immediate.map_owned(&mapped, 0, MapType::ReadWrite).unwrap();
        h.immediate.copy_resource(&mapped, &other);
        h.assert_reported(MessageId::CopyResourceInvalid);
        h.immediate.copy_resource(&other, &mapped);
        h.assert_reported(MessageId::CopyResourceInvalid);
        h.immediate.copy_subresource_region(&other, 0, [0; 3], &mapped, 0, None);
        h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        assert_eq!(h.immediate.bytes_mut(&token), [1; 16]);
        h.immediate.unmap(token);
        assert_eq!(bytes(h, &other), [2; 16]);
        h.assert_silent();
    });
}

#[test]
fn a_draw_with_a_mapped_resource_is_skipped() {
    on_each(&matrix(), |h| {
        let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 4, 4));
        let vertices = dynamic(&h.device, 64);
        let desc = Texture2dDesc {
            mip_levels: 1,
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4)
        };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let view = h.device.create_shader_resource_view(&texture, None).unwrap();
        let cx = &mut h.immediate;
        target.bind(cx);
        quad.bind(cx);
        quad.set(cx, [1.0; 4], Quad::ALL, 0.0);
        cx.ia_set_vertex_buffers(3, VertexBufferBinding::new(&vertices, 4));
        cx.ps_set_shader_resources(5, &view);
        let clear = |h: &mut Harness| h.immediate.clear_render_target_view(&target.view, [0.0; 4]);
        let draws = |h: &mut Harness| {
            h.immediate.draw(4, 0);
            target.read(h)[0] == u32::MAX
        };
        clear(h);
        for name in ["constants", "vertices", "texture"] {
            let token = match name {
                "constants" => h.immediate.map_owned(&quad.constants, 0, MapType::WriteNoOverwrite),
                "vertices" => h.immediate.map_owned(&vertices, 0, MapType::WriteDiscard),
                _ => h.immediate.map_owned(&texture, 0, MapType::WriteDiscard),
            };
            let token = token.unwrap();
            assert!(!draws(h), "{name}");
            h.assert_reported(MessageId::DrawMapped);
            h.immediate.unmap(token);
        }
        assert!(draws(h) || !h.draws());
        // A dropped token ends the map.
        clear(h);
        drop(h.immediate.map_owned(&texture, 0, MapType::WriteDiscard).unwrap());
        assert!(draws(h) || !h.draws());
        h.assert_silent();
    });
}

#[test]
fn do_not_wait_returns_still_drawing_or_finished_data() {
    on_each(&matrix(), |h| {
        let (source, result) = (dynamic(&h.device, 16), staging(&h.device, 16));
        for value in 1..6 {
            h.immediate.map(&source, 0, MapType::WriteDiscard).unwrap().fill(value);
            h.immediate.copy_resource(&result, &source);
            wait_until("it is drawn", || {
                match h.immediate.map_with_flags(&result, 0, MapType::Read, MapFlags::DO_NOT_WAIT) {
                    Ok(mapped) => {
                        assert_eq!(&*mapped, &[value; 16]);
                        return true;
                    }
                    Err(onze::Error::WasStillDrawing) => {}
                    Err(other) => panic!("{other}"),
                }
                h.immediate.flush();
                false
            });
        }
        // DO_NOT_WAIT has no effect on map types that never wait.
        h.immediate.map_with_flags(&source, 0, MapType::WriteDiscard, MapFlags::DO_NOT_WAIT).unwrap();
        h.take_errors();
    });
}

#[test]
fn a_resource_of_another_device_is_not_mapped() {
    on_each(&[Config::NULL], |h| {
        let Some(other) = Harness::start(Config::NULL) else { return };
        let foreign = dynamic(&other.device, 16);
        assert_error!(h.immediate.map(&foreign, 0, MapType::WriteDiscard), InvalidArg);
        h.assert_reported(MessageId::ForeignObject);
        drop(foreign);
        other.finish();
    });
}
