//! Copies and updates: the bytes that change and the bytes that stay unchanged.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Random, gpu_matrix, matrix, on_each};

fn buffer(device: &Device, contents: &[u8]) -> Buffer {
    device
        .create_buffer(&BufferDesc::new(contents.len() as u32, BindFlags::VERTEX_BUFFER), Some(contents))
        .unwrap()
}

fn bytes(h: &mut Harness, buffer: &Buffer) -> Vec<u8> {
    h.immediate.read_buffer(buffer).unwrap()
}

fn texture(device: &Device, format: Format, width: u32, height: u32, texels: &[u8]) -> Texture2d {
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, width, height) };
    let data = SubresourceData { bytes: texels, row_pitch: format.row_pitch(width), depth_pitch: 0 };
    device.create_texture_2d(&desc, Some(&[data])).unwrap()
}

#[test]
fn any_bytes_of_a_buffer_are_copied_to_any_place_of_another() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(1);
        for how in CommandPath::ALL {
            let (source, start) = (random.bytes(61), random.bytes(77));
            let (from, to) = (buffer(&h.device, &source), buffer(&h.device, &start));
            let copies: Vec<_> = (0..40)
                .map(|_| {
                    let left = random.below(61);
                    let right = random.range(left..61) + 1;
                    (left as usize, right as usize, random.below(77 - (right - left) + 1) as usize)
                })
                .collect();
            let mut expected = start;
            for (left, right, at) in &copies {
                expected[*at..at + right - left].copy_from_slice(&source[*left..*right]);
            }
            h.record(how, |cx| {
                for (left, right, at) in copies {
                    let range = Box3d::bytes(left as u32..right as u32);
                    cx.copy_subresource_region(&to, 0, [at as u32, 0, 0], &from, 0, Some(range));
                }
            });
            assert_eq!(bytes(h, &to), expected, "{how:?}");
            assert_eq!(bytes(h, &from), source, "{how:?}");
        }
    });
}

#[test]
fn a_copy_within_a_buffer_may_overlap() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(2);
        let mut expected = random.bytes(53);
        let buffer = buffer(&h.device, &expected);
        for round in 0..30 {
            let left = random.below(53);
            let right = random.range(left..53) + 1;
            let at = random.below(53 - (right - left) + 1);
            expected.copy_within(left as usize..right as usize, at as usize);
            h.record(*random.pick(&CommandPath::ALL), |cx| {
                let range = Box3d::bytes(left..right);
                cx.copy_subresource_region(&buffer, 0, [at, 0, 0], &buffer, 0, Some(range));
            });
            assert_eq!(bytes(h, &buffer), expected, "round {round}: {left}..{right} to {at}");
        }
        h.assert_silent();
    });
}

/// Buffers use only x, both in the box and in the destination.
#[test]
fn a_buffer_has_only_one_dimension() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let (from, to) = (buffer(&h.device, &[1, 2, 3, 4]), buffer(&h.device, &[0; 4]));
        let tall = Box3d { left: 1, top: 5, front: 7, right: 3, bottom: 9, back: 8 };
        h.immediate.copy_subresource_region(&to, 0, [2, 6, 7], &from, 0, Some(tall));
        assert_eq!(bytes(h, &to), [0, 0, 2, 3]);
        h.immediate.copy_subresource_region(&to, 0, [0; 3], &from, 0, None);
        assert_eq!(bytes(h, &to), [1, 2, 3, 4]);
        h.assert_silent();
    });
}

/// Copies from every usage that can be a source to every usage that can be a destination.
#[test]
fn copies_go_between_all_usages_except_into_immutable_ones() {
    on_each(&matrix(), |h| {
        let usages = [Usage::Default, Usage::Immutable, Usage::Dynamic, Usage::Staging];
        let make = |usage, value: u8| {
            let desc = match usage {
                Usage::Default => BufferDesc::new(16, BindFlags::VERTEX_BUFFER),
                Usage::Immutable => BufferDesc::immutable(16, BindFlags::VERTEX_BUFFER),
                Usage::Dynamic => BufferDesc::dynamic(16, BindFlags::VERTEX_BUFFER),
                Usage::Staging => BufferDesc::staging(16, CpuAccessFlags::READ),
            };
            h.device.create_buffer(&desc, Some(&[value; 16])).unwrap()
        };
        let image = |usage, value: u8| {
            let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8_UNORM, 4, 4) };
            let (bind_flags, cpu_access_flags) = match usage {
                Usage::Dynamic => (BindFlags::SHADER_RESOURCE, CpuAccessFlags::WRITE),
                Usage::Staging => (BindFlags::empty(), CpuAccessFlags::READ),
                _ => (BindFlags::SHADER_RESOURCE, CpuAccessFlags::empty()),
            };
            let desc = Texture2dDesc { usage, bind_flags, cpu_access_flags, ..desc };
            let data = SubresourceData { bytes: &[value; 16], row_pitch: 4, depth_pitch: 0 };
            h.device.create_texture_2d(&desc, Some(&[data])).unwrap()
        };
        for from in usages {
            for to in usages {
                let (src, dst) = (make(from, 1), make(to, 2));
                let (src_image, dst_image) = (image(from, 1), image(to, 2));
                h.immediate.copy_resource(&dst, &src);
                h.immediate.copy_resource(&dst_image, &src_image);
                let (value, messages) = match to {
                    Usage::Immutable => (2, 2),
                    _ => (1, 0),
                };
                assert_eq!(h.immediate.read_buffer::<u8>(&dst).unwrap(), [value; 16], "{from:?} to {to:?}");
                let texels = h.immediate.read_texture_2d(&dst_image, 0).unwrap();
                assert_eq!(texels, [value; 16], "{from:?} to {to:?}");
                assert_eq!(h.take_errors().len(), messages, "{from:?} to {to:?}");
            }
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 32085.
#[test]
fn an_update_of_a_staging_buffer_has_no_effect() {
    on_each(&matrix(), |h| {
        let desc = BufferDesc::staging(16, CpuAccessFlags::WRITE);
        let source = h.device.create_buffer(&desc, Some(&[7; 16])).unwrap();
        let constants =
            h.device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
        h.immediate.copy_resource(&constants, &source);
        assert_eq!(bytes(h, &constants), [7; 16]);
        h.immediate.update_subresource(&source, 0, None, &[9_u8; 16], 0, 0);
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
        h.immediate.update_subresource(&constants, 0, None, &[1_u8; 16], 0, 0);
        h.immediate.copy_resource(&constants, &source);
        assert_eq!(bytes(h, &constants), [7; 16]);
    });
}

/// See Wine 10.0, d3d11 tests, line 14216.
#[test]
fn an_update_writes_its_box_from_rows_of_a_pitch() {
    on_each(&matrix(), |h| {
        let source: Vec<u32> = (1..=16).collect();
        let s = |i: usize| source[i];
        for how in CommandPath::ALL {
            let texture = texture(&h.device, Format::R8G8B8A8_UNORM, 4, 4, &[0; 64]);
            h.record(how, |cx| {
                let mut update = |rect: (u32, u32, u32, u32), first: usize, pitch| {
                    let region = Box3d::rect(rect.0, rect.1, rect.2, rect.3);
                    cx.update_subresource(&texture, 0, Some(region), &source[first..], pitch, 0);
                };
                update((1, 1, 3, 3), 0, 16);
                update((0, 3, 3, 4), 6, 16);
                update((0, 0, 4, 1), 10, 16);
                update((0, 1, 1, 3), 2, 4);
                update((4, 4, 3, 1), 0, 16);
                let flat = Box3d { front: 1, back: 1, ..Box3d::rect(0, 0, 4, 4) };
                cx.update_subresource(&texture, 0, Some(flat), &source, 16, 0);
            });
            let expected = [
                [s(10), s(11), s(12), s(13)],
                [s(2), s(0), s(1), 0],
                [s(3), s(4), s(5), 0],
                [s(6), s(7), s(8), 0],
            ];
            assert_eq!(h.read_u32(&texture, 0), expected.concat(), "{how:?}");
            h.record(how, |cx| cx.update_subresource(&texture, 0, None, &source, 16, 0));
            assert_eq!(h.read_u32(&texture, 0), source, "{how:?}, whole");
            h.assert_silent();
        }
    });
}

#[test]
fn updates_write_any_bytes_but_constant_buffers_whole() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(4);
        let mut expected = random.bytes(61);
        let vertices = buffer(&h.device, &expected);
        for how in CommandPath::ALL {
            let updates: Vec<_> = (0..30)
                .map(|_| {
                    let left = random.below(61);
                    let right = random.range(left..61) + 1;
                    (left, random.bytes((right - left) as usize))
                })
                .collect();
            h.record(how, |cx| {
                for (left, data) in &updates {
                    let range = Box3d::bytes(*left..left + data.len() as u32);
                    cx.update_subresource(&vertices, 0, Some(range), data, 0, 0);
                }
            });
            for (left, data) in updates {
                expected[left as usize..][..data.len()].copy_from_slice(&data);
            }
            assert_eq!(bytes(h, &vertices), expected, "{how:?}");
        }
        h.assert_silent();
        let constants =
            h.device.create_buffer(&BufferDesc::new(32, BindFlags::CONSTANT_BUFFER), None).unwrap();
        for range in [0..16, 16..32, 0..32] {
            h.immediate.update_subresource(&constants, 0, Some(Box3d::bytes(range)), &[5_u8; 32], 0, 0);
            h.assert_reported(MessageId::UpdateSubresourceInvalid);
        }
        assert_eq!(bytes(h, &constants), [0; 32]);
        h.immediate.update_subresource(&constants, 0, None, &[5_u8; 40], 0, 0);
        assert_eq!(bytes(h, &constants), [5; 32], "more data than needed");
    });
}

#[test]
fn invalid_updates_change_nothing_and_are_reported() {
    on_each(&matrix(), |h| {
        let desc = |usage, cpu_access_flags| BufferDesc {
            usage,
            cpu_access_flags,
            ..BufferDesc::new(16, BindFlags::VERTEX_BUFFER)
        };
        let immutable = desc(Usage::Immutable, CpuAccessFlags::empty());
        for desc in [immutable, desc(Usage::Dynamic, CpuAccessFlags::WRITE)] {
            let buffer = h.device.create_buffer(&desc, Some(&[3; 16])).unwrap();
            h.immediate.update_subresource(&buffer, 0, None, &[9_u8; 16], 0, 0);
            h.assert_reported(MessageId::UpdateSubresourceInvalid);
            assert_eq!(bytes(h, &buffer), [3; 16]);
        }
        let buffer = buffer(&h.device, &[3; 16]);
        let texture = texture(&h.device, Format::R8_UNORM, 4, 4, &[3; 16]);
        let boxed = |rect: Box3d| Some(rect);
        let cx = &mut h.immediate;
        // Each of these calls has too little data, a box that extends past the resource, or a subresource
        // that does not exist.
        cx.update_subresource(&buffer, 0, None, &[9_u8; 15], 0, 0);
        cx.update_subresource(&buffer, 0, boxed(Box3d::bytes(8..17)), &[9_u8; 16], 0, 0);
        cx.update_subresource(&buffer, 1, None, &[9_u8; 16], 0, 0);
        cx.update_subresource(&texture, 0, None, &[9_u8; 15], 4, 0);
        cx.update_subresource(&texture, 1, None, &[9_u8; 16], 4, 0);
        cx.update_subresource(&texture, 0, boxed(Box3d::rect(1, 0, 5, 1)), &[9_u8; 16], 4, 0);
        cx.update_subresource(&texture, 0, boxed(Box3d::rect(0, 3, 1, 5)), &[9_u8; 16], 4, 0);
        let deep = Box3d { back: 2, ..Box3d::rect(0, 0, 4, 4) };
        cx.update_subresource(&texture, 0, boxed(deep), &[9_u8; 64], 4, 16);
        assert_eq!(h.take_errors().len(), 8);
        assert_eq!(bytes(h, &buffer), [3; 16]);
        assert_eq!(h.read(&texture, 0), [3; 16]);
        // The last row needs only the bytes of its texels and no padding.
        h.immediate.update_subresource(&texture, 0, None, &[9_u8; 4 + 3 * 7], 7, 0);
        assert_eq!(h.read(&texture, 0), [9; 16]);
        h.immediate.update_subresource(&buffer, 0, boxed(Box3d::bytes(4..4)), &[0_u8; 0], 0, 0);
        h.assert_silent();
    });
}

/// Copies random rectangles between random subresources of textures with mip levels and slices, and compares
/// the contents with a model.
#[test]
fn rectangles_are_copied_between_any_subresources() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(6);
        for format in
            [Format::R8G8B8A8_UNORM, Format::R8_UNORM, Format::R16G16_UINT, Format::R32G32B32A32_FLOAT]
        {
            let texel = format.bytes_per_block() as usize;
            let desc = Texture2dDesc { mip_levels: 3, array_size: 2, ..Texture2dDesc::new(format, 9, 6) };
            let size = |subresource: u32| desc.mip_size(subresource % 3);
            let mut models: [Vec<Vec<u8>>; 2] = [0, 1]
                .map(|_| (0..6).map(|i| random.bytes((size(i).0 * size(i).1) as usize * texel)).collect());
            let textures = models.each_ref().map(|model| {
                let mut data = Vec::new();
                for (i, bytes) in (0..).zip(model) {
                    let row_pitch = format.row_pitch(size(i).0);
                    data.push(SubresourceData { bytes, row_pitch, depth_pitch: 0 });
                }
                h.device.create_texture_2d(&desc, Some(&data)).unwrap()
            });
            for how in CommandPath::ALL {
                let copies: Vec<_> = (0..30)
                    .map(|_| {
                        let (from, to) = (random.below(6), random.below(6));
                        let (to_texture, from_texture) = (random.below(2) as usize, random.below(2) as usize);
                        let ((w, h), (to_w, to_h)) = (size(from), size(to));
                        let (left, top) = (random.below(w), random.below(h));
                        let right = left + 1 + random.below((w - left).min(to_w));
                        let bottom = top + 1 + random.below((h - top).min(to_h));
                        let x = random.below(to_w - (right - left) + 1);
                        let y = random.below(to_h - (bottom - top) + 1);
                        ((to_texture, to, x, y), (from_texture, from, left, top, right, bottom))
                    })
                    .collect();
                h.record(how, |cx| {
                    for ((to_texture, to, x, y), (from_texture, from, left, top, right, bottom)) in &copies {
                        let rect = Box3d::rect(*left, *top, *right, *bottom);
                        let (dst, src) = (&textures[*to_texture], &textures[*from_texture]);
                        cx.copy_subresource_region(dst, *to, [*x, *y, 0], src, *from, Some(rect));
                    }
                });
                for ((to_texture, to, x, y), (from_texture, from, left, top, right, bottom)) in copies {
                    let source = models[from_texture][from as usize].clone();
                    let (pitch, to_pitch) = (size(from).0 as usize * texel, size(to).0 as usize * texel);
                    let row = (right - left) as usize * texel;
                    for line in 0..(bottom - top) as usize {
                        let at = (top as usize + line) * pitch + left as usize * texel;
                        let to_at = (y as usize + line) * to_pitch + x as usize * texel;
                        models[to_texture][to as usize][to_at..to_at + row]
                            .copy_from_slice(&source[at..at + row]);
                    }
                }
                for (texture, model) in textures.iter().zip(&models) {
                    for (i, expected) in (0..).zip(model) {
                        assert_eq!(&h.read(texture, i), expected, "{format:?}, {how:?}, subresource {i}");
                    }
                }
                h.assert_silent();
            }
        }
    });
}

#[test]
fn copy_resource_copies_every_subresource() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(7);
        let format = Format::R8G8B8A8_UNORM;
        let desc = Texture2dDesc { array_size: 3, ..Texture2dDesc::new(format, 5, 3) };
        let contents: Vec<_> = (0..9)
            .map(|i| {
                let (w, h) = desc.mip_size(i % 3);
                (w, random.bytes((w * h * 4) as usize))
            })
            .collect();
        let data: Vec<_> = contents
            .iter()
            .map(|(w, bytes)| SubresourceData { bytes, row_pitch: w * 4, depth_pitch: 0 })
            .collect();
        let source = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
        for how in CommandPath::ALL {
            let copy = h.device.create_texture_2d(&desc, None).unwrap();
            h.record(how, |cx| cx.copy_resource(&copy, &source));
            for (i, (_, expected)) in (0..).zip(&contents) {
                assert_eq!(&h.read(&copy, i), expected, "{how:?}, subresource {i}");
            }
        }
        h.assert_silent();
    });
}

#[test]
fn copies_that_do_not_fit_are_ignored_and_reported() {
    on_each(&matrix(), |h| {
        let (small, large) = (buffer(&h.device, &[1; 16]), buffer(&h.device, &[2; 32]));
        let cx = &mut h.immediate;
        let (resource, region) = (MessageId::CopyResourceInvalid, MessageId::CopySubresourceRegionInvalid);
        cx.copy_resource(&large, &small);
        h.assert_reported(resource);
        h.immediate.copy_resource(&small, &small);
        h.assert_reported(resource);
        let bad: [(u32, u32, u32, Option<Box3d>); 6] = [
            (1, 0, 0, None),
            (0, 1, 0, None),
            (0, 0, 1, None),
            (0, 0, 0, Some(Box3d::bytes(8..17))),
            (0, 0, 25, Some(Box3d::bytes(0..8))),
            (0, 0, u32::MAX, Some(Box3d::bytes(0..8))),
        ];
        for (dst, src, at, range) in bad {
            let (to, from) = if at == 1 { (&small, &large) } else { (&large, &small) };
            h.immediate.copy_subresource_region(to, dst, [at, 0, 0], from, src, range);
            h.assert_reported(region);
        }
        assert_eq!((bytes(h, &small), bytes(h, &large)), (vec![1; 16], vec![2; 32]));
        #[allow(clippy::reversed_empty_ranges, reason = "that is the point")]
        let empty = [Box3d::bytes(4..4), Box3d::bytes(5..4), Box3d { back: 0, ..Box3d::bytes(0..8) }];
        for range in empty {
            h.immediate.copy_subresource_region(&large, 0, [0; 3], &small, 0, Some(range));
        }
        h.assert_silent();
        assert_eq!(bytes(h, &large), [2; 32]);

        let rgba = Format::R8G8B8A8_UNORM;
        let base = Texture2dDesc { mip_levels: 2, ..Texture2dDesc::new(rgba, 4, 4) };
        let source = h.device.create_texture_2d(&base, None).unwrap();
        let others = [
            Texture2dDesc { width: 8, ..base.clone() },
            Texture2dDesc { height: 8, ..base.clone() },
            Texture2dDesc { mip_levels: 1, ..base.clone() },
            Texture2dDesc { array_size: 2, ..base.clone() },
            Texture2dDesc { format: Format::B8G8R8A8_UNORM, ..base.clone() },
        ];
        for desc in others {
            let other = h.device.create_texture_2d(&desc, None).unwrap();
            h.immediate.copy_resource(&other, &source);
            h.assert_reported(resource);
            h.immediate.copy_resource(&source, &other);
            h.assert_reported(resource);
        }
        h.immediate.copy_resource(&small, &source);
        h.assert_reported(resource);
        for (at, rect) in [
            ([1, 0, 0], Box3d::rect(0, 0, 4, 4)),
            ([0, 0, 1], Box3d::rect(0, 0, 1, 1)),
            ([0, 0, 0], Box3d::rect(0, 0, 5, 1)),
            ([0, u32::MAX, 0], Box3d::rect(0, 0, 1, 1)),
        ] {
            let other = h.device.create_texture_2d(&base, None).unwrap();
            h.immediate.copy_subresource_region(&other, 0, at, &source, 0, Some(rect));
            h.assert_reported(region);
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 29211.
#[test]
fn copies_keep_bits_within_a_typeless_family_only() {
    use Format as F;
    let families: [&[Format]; 4] = [
        &[
            F::R8G8B8A8_TYPELESS,
            F::R8G8B8A8_UNORM,
            F::R8G8B8A8_UNORM_SRGB,
            F::R8G8B8A8_UINT,
            F::R8G8B8A8_SNORM,
        ],
        &[F::R16G16_TYPELESS, F::R16G16_UINT, F::R16G16_FLOAT],
        &[F::R32_TYPELESS, F::R32_FLOAT, F::R32_UINT, F::R32_SINT],
        &[F::B8G8R8A8_TYPELESS, F::B8G8R8A8_UNORM, F::B8G8R8A8_UNORM_SRGB],
    ];
    on_each(&matrix(), |h| {
        let mut random = Random::new(47);
        let all = families.iter().enumerate().flat_map(|(i, family)| family.iter().map(move |f| (i, *f)));
        for (from_family, from) in all.clone() {
            for (to_family, to) in all.clone() {
                // These bits are preserved in every format, because they encode no special value of a float
                // or a signed number.
                let texels: Vec<u8> = random.bytes(64).iter().map(|b| b & 0x3f | 1).collect();
                let Ok(source) = try_texture(h, from, &texels) else { continue };
                let Ok(target) = try_texture(h, to, &[0x11; 64]) else { continue };
                h.immediate.copy_resource(&target, &source);
                let copied = h.read(&target, 0);
                let region = try_texture(h, to, &[0x11; 64]).unwrap();
                let rect = Box3d::rect(0, 0, 4, 4);
                h.immediate.copy_subresource_region(&region, 0, [0; 3], &source, 0, Some(rect));
                let copied_region = h.read(&region, 0);
                let errors = h.take_errors().len();
                if from_family == to_family {
                    assert_eq!(
                        (&copied, &copied_region, errors),
                        (&texels, &texels, 0),
                        "{from:?} to {to:?}"
                    );
                } else {
                    assert_eq!((copied, errors), (vec![0x11; 64], 2), "{from:?} to {to:?}");
                    assert_eq!(copied_region, [0x11; 64], "{from:?} to {to:?}");
                }
            }
        }
    });
}

fn try_texture(h: &Harness, format: Format, texels: &[u8]) -> Result<Texture2d, onze::Error> {
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, 4, 4) };
    let data = SubresourceData { bytes: texels, row_pitch: 16, depth_pitch: 0 };
    h.device.create_texture_2d(&desc, Some(&[data]))
}

/// See Wine 10.0, d3d11 tests, line 29211.
#[test]
fn depth_is_copied_as_a_whole_both_ways_and_never_in_part() {
    use Format as F;
    on_each(&gpu_matrix(), |h| {
        for (depth_format, color_format, half) in [
            (F::D32_FLOAT, F::R32_FLOAT, 0.5_f32.to_le_bytes().to_vec()),
            (F::D16_UNORM, F::R16_UNORM, 0x8000_u16.to_le_bytes().to_vec()),
        ] {
            let depth =
                h.device.create_texture_2d(&Texture2dDesc::depth_stencil(depth_format, 4, 4), None).unwrap();
            let again =
                h.device.create_texture_2d(&Texture2dDesc::depth_stencil(depth_format, 4, 4), None).unwrap();
            let view = h.device.create_depth_stencil_view(&depth, None).unwrap();
            let bytes = half.len();
            let color = texture(&h.device, color_format, 4, 4, &vec![0; 16 * bytes]);
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 0.5, 0);
                    cx.copy_resource(&color, &depth);
                    cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 0.0, 0);
                    cx.copy_resource(&again, &color);
                });
                let close = |read: &[u8], what: &str| {
                    for texel in read.chunks(bytes) {
                        // The lowest of the 16 bits may be rounded up or down.
                        let equal = texel == &half[..] || (bytes == 2 && texel == [0xff, 0x7f]);
                        assert!(equal, "{depth_format:?}, {how:?}, {what}: {texel:?}");
                    }
                };
                close(&h.read(&color, 0), "from depth");
                close(&h.read(&again, 0), "to depth");
                assert_eq!(h.read(&depth, 0), vec![0; 16 * bytes]);
                h.assert_silent();
            }
            for part in [Box3d::rect(0, 0, 2, 2), Box3d::rect(0, 0, 4, 4)] {
                h.immediate.copy_subresource_region(&depth, 0, [0; 3], &color, 0, Some(part));
                h.assert_reported(MessageId::CopySubresourceRegionInvalid);
            }
            assert_eq!(h.read(&depth, 0), vec![0; 16 * bytes]);
            h.immediate.copy_subresource_region(&depth, 0, [0; 3], &again, 0, None);
            let read = h.read(&depth, 0);
            assert!(read != vec![0; 16 * bytes], "a whole subresource");
            h.immediate.update_subresource(&depth, 0, None, &vec![1_u8; 16 * bytes], 4 * bytes as u32, 0);
            h.assert_reported(MessageId::UpdateSubresourceInvalid);
        }
    });
}

#[test]
fn blocks_of_compressed_textures_are_copied_whole() {
    on_each(&matrix(), |h| {
        let format = Format::BC1_UNORM;
        if !h.has_format(format, FormatSupport::TEXTURE2D) {
            println!("skipped: this adapter has no {format:?}");
            return;
        }
        let mut random = Random::new(12);
        let desc = Texture2dDesc { mip_levels: 0, ..Texture2dDesc::new(format, 12, 8) };
        let contents: Vec<_> = (0..4)
            .map(|mip| {
                let (w, h) = desc.mip_size(mip);
                (format.row_pitch(w), random.bytes((format.row_pitch(w) * format.rows(h)) as usize))
            })
            .collect();
        let data: Vec<_> = contents
            .iter()
            .map(|(row_pitch, bytes)| SubresourceData { bytes, row_pitch: *row_pitch, depth_pitch: 0 })
            .collect();
        let source = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
        let copy = h.device.create_texture_2d(&desc, None).unwrap();
        h.immediate.copy_resource(&copy, &source);
        for (mip, (_, expected)) in (0..).zip(&contents) {
            assert_eq!(&h.read(&copy, mip), expected, "mip {mip}");
        }
        // The box begins at the second block of the first row and extends to the last block of the second
        // row.
        h.immediate.copy_subresource_region(&copy, 0, [8, 4, 0], &source, 0, Some(Box3d::rect(4, 0, 8, 4)));
        let mut expected = contents[0].1.clone();
        expected.copy_within(8..16, 24 + 16);
        assert_eq!(h.read(&copy, 0), expected);
        h.immediate.update_subresource(&copy, 0, Some(Box3d::rect(0, 4, 4, 8)), &[5_u8; 8], 8, 0);
        expected[24..32].fill(5);
        assert_eq!(h.read(&copy, 0), expected);
        h.assert_silent();
        for rect in [Box3d::rect(1, 0, 5, 4), Box3d::rect(0, 0, 6, 4), Box3d::rect(0, 2, 4, 6)] {
            h.immediate.copy_subresource_region(&copy, 0, [0; 3], &source, 0, Some(rect));
            h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        }
        h.immediate.copy_subresource_region(&copy, 0, [2, 0, 0], &source, 0, Some(Box3d::rect(0, 0, 4, 4)));
        h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        assert_eq!(h.read(&copy, 0), expected);
    });
}

#[test]
fn resources_of_another_device_are_neither_copied_nor_updated() {
    on_each(&[Config::NULL], |h| {
        let Some(other) = Harness::start(Config::NULL) else { return };
        let (mine, theirs) = (buffer(&h.device, &[1; 16]), buffer(&other.device, &[2; 16]));
        h.immediate.copy_resource(&mine, &theirs);
        h.assert_reported(MessageId::ForeignObject);
        h.immediate.copy_subresource_region(&theirs, 0, [0; 3], &mine, 0, None);
        h.assert_reported(MessageId::ForeignObject);
        h.immediate.update_subresource(&theirs, 0, None, &[3_u8; 16], 0, 0);
        h.assert_reported(MessageId::ForeignObject);
        assert_eq!(bytes(h, &mine), [1; 16]);
        drop(theirs);
        other.finish();
    });
}
