//! Updates and copies with flags, partial updates of constant buffers, and transfers of texels to and from
//! CPU memory.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{CopyFlags, prelude::*};
use onze_tests::{CommandPath, Config, Random, assert_error, gpu_matrix, matrix, null_matrix, on_each};

const WORDS: usize = 64;

#[test]
fn parts_of_constant_buffers_are_updated_in_order() {
    let mut configs = null_matrix();
    configs.extend(gpu_matrix());
    on_each(&configs, |h| {
        let desc = BufferDesc::new(4 * WORDS as u32, BindFlags::CONSTANT_BUFFER);
        let buffer = h.device.create_buffer(&desc, None).unwrap();
        let copies: Vec<_> = (0..6).map(|_| h.device.create_buffer(&desc, None).unwrap()).collect();
        for seed in 0..12 {
            let how = CommandPath::ALL[seed as usize % 3];
            let mut random = Random::new(seed);
            let mut model = [seed as u32; WORDS];
            let mut models = Vec::new();
            h.immediate.update_subresource(&buffer, 0, None, &model, 0, 0);
            h.record(how, |context| {
                for copy in &copies {
                    let mut at = || random.below(WORDS as u32 / 4 + 1) as usize;
                    let (a, b) = (at(), at());
                    let (first, end) = (4 * a.min(b), 4 * a.max(b));
                    let flags =
                        *random.pick(&[CopyFlags::empty(), CopyFlags::NO_OVERWRITE, CopyFlags::DISCARD]);
                    let data: Vec<u32> = (first..end).map(|_| random.below(1000)).collect();
                    let part = Box3d::bytes(4 * first as u32..4 * end as u32);
                    context.update_subresource1(&buffer, 0, Some(part), &data, 0, 0, flags);
                    if flags == CopyFlags::DISCARD && !data.is_empty() {
                        model = [0; WORDS];
                    }
                    model[first..end].copy_from_slice(&data);
                    if random.one_in(4) {
                        model = std::array::from_fn(|i| i as u32);
                        context.update_subresource1(&buffer, 0, None, &model, 0, 0, CopyFlags::empty());
                    }
                    context.copy_resource(copy, &buffer);
                    models.push(model);
                }
            });
            if h.draws() {
                for (at, (copy, model)) in copies.iter().zip(&models).enumerate() {
                    let found: Vec<u32> = h.immediate.read_buffer(copy).unwrap();
                    assert_eq!(found, model, "seed {seed}, {how:?}, update {at}");
                }
            }
        }
        h.assert_silent();
    });
}

#[test]
fn invalid_parts_and_flags_change_nothing() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let id = MessageId::UpdateSubresourceInvalid;
        let constants =
            h.device.create_buffer(&BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), None).unwrap();
        h.immediate.update_subresource(&constants, 0, None, &[5_u32; 16], 0, 0);
        let none = CopyFlags::empty();
        let data = [1_u32; 32];
        for (range, subresource, words, flags) in [
            (0..20, 0, 32, none),
            (4..16, 0, 32, none),
            (0..80, 0, 32, none),
            (0..32, 0, 7, none),
            (0..32, 1, 32, none),
            (0..32, 0, 32, CopyFlags::all()),
            (0..32, 0, 32, CopyFlags::from_bits_retain(4)),
        ] {
            let part = Some(Box3d::bytes(range.clone()));
            h.immediate.update_subresource1(&constants, subresource, part, &data[..words], 0, 0, flags);
            h.assert_reported(id);
        }
        // `update_subresource1` accepts parts of constant buffers, even empty ones, but the older
        // `update_subresource` does not.
        h.immediate.update_subresource1(&constants, 0, Some(Box3d::bytes(16..16)), &data, 0, 0, none);
        h.assert_silent();
        h.immediate.update_subresource(&constants, 0, Some(Box3d::bytes(0..16)), &data, 0, 0);
        h.assert_reported(id);
        let vertices = h.device.create_buffer(&BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None).unwrap();
        h.immediate.copy_subresource_region1(&vertices, 0, [0; 3], &constants, 0, None, CopyFlags::all());
        h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        h.immediate.copy_subresource_region1(&vertices, 0, [0; 3], &constants, 0, None, CopyFlags::DISCARD);
        h.immediate.update_subresource1(
            &vertices,
            0,
            Some(Box3d::bytes(4..8)),
            &[9_u32],
            0,
            0,
            CopyFlags::NO_OVERWRITE,
        );
        // An overlapping copy behaves as if it used a temporary buffer.
        let part = Some(Box3d::bytes(0..16));
        h.immediate.copy_subresource_region1(&vertices, 0, [8, 0, 0], &vertices, 0, part, CopyFlags::empty());
        h.assert_silent();
        if h.draws() {
            let words: Vec<u32> = h.immediate.read_buffer(&vertices).unwrap();
            assert_eq!(words[..8], [5, 9, 5, 9, 5, 5, 5, 5]);
        }
    });
}

#[test]
fn rows_of_an_update_may_overlap_in_memory() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::UpdateSubresourceRowsOverlap]);
        let format = Format::R8_UINT;
        let texture = h
            .device
            .create_texture_2d(&Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, 4, 3) }, None);
        let texture = texture.unwrap();
        let bytes: Vec<u8> = (1..13).collect();
        for pitch in [0, 1, 3, 4] {
            h.immediate.update_subresource(&texture, 0, None, &bytes, pitch, 0);
            h.assert_silent();
            let expected: Vec<u8> = (0..3).flat_map(|y| bytes[y * pitch as usize..][..4].to_vec()).collect();
            if h.draws() {
                assert_eq!(h.read(&texture, 0), expected, "row pitch {pitch}");
            }
            // For initial contents, Direct3D 11 refuses a row pitch that is smaller than a row.
            let data = SubresourceData { bytes: &bytes, row_pitch: pitch, depth_pitch: 0 };
            let made = h.device.create_texture_2d(&texture.desc(), Some(&[data]));
            assert_eq!(made.is_ok(), pitch == 4, "row pitch {pitch}");
            h.take_errors();
        }
        h.immediate.update_subresource(&texture, 0, None, &bytes[..5], 1, 0);
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
    });
}

#[test]
fn rows_of_each_depth_slice_may_overlap_in_memory() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::UpdateSubresourceRowsOverlap]);
        let desc = Texture3dDesc { mip_levels: 1, ..Texture3dDesc::new(Format::R8_UINT, 4, 3, 2) };
        let volume = h.device.create_texture_3d(&desc, None).unwrap();
        let bytes: Vec<u8> = (1..33).collect();
        for how in CommandPath::ALL {
            for (pitch, depth_pitch) in [(3, 12), (1, 12), (0, 13), (4, 12), (2, 20)] {
                h.record(how, |cx| cx.update_subresource(&volume, 0, None, &bytes, pitch, depth_pitch));
                let mut texels = [0_u8; 24];
                h.immediate.read_from_subresource(&mut texels, 4, 12, &volume, 0, None).unwrap();
                let rows = (0..6).map(|n| (n / 3 * depth_pitch + n % 3 * pitch) as usize);
                let expected: Vec<u8> = rows.flat_map(|at| bytes[at..at + 4].to_vec()).collect();
                assert_eq!(texels[..], expected, "pitches {pitch} and {depth_pitch}, {how:?}");
            }
        }
    });
}

/// The row pitch is ignored for a single row, even if it is smaller than the row.
#[test]
fn a_single_row_is_updated_whole_with_any_pitch() {
    on_each(&gpu_matrix(), |h| {
        let format = Format::R16G16B16A16_UINT;
        let desc = Texture2dDesc { mip_levels: 2, ..Texture2dDesc::new(format, 4, 2) };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        for (round, how) in (1..).zip(CommandPath::ALL) {
            for pitch in [0, 1, 5, 15, 16, 20] {
                let bytes: Vec<u8> = (0..16).map(|at| round * 32 + pitch as u8 + at).collect();
                h.record(how, |cx| cx.update_subresource(&texture, 1, None, &bytes, pitch, 0));
                assert_eq!(h.read(&texture, 1), bytes, "row pitch {pitch}, {how:?}");
            }
        }
    });
}

#[test]
fn texels_go_to_and_from_memory_by_boxes() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let format = Format::R8G8B8A8_UINT;
        let desc = Texture2dDesc { mip_levels: 2, array_size: 2, ..Texture2dDesc::new(format, 8, 4) };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let texels: Vec<u32> = (0..8).collect();
        let part = Box3d::rect(1, 0, 3, 2);
        h.immediate.write_to_subresource(&texture, 3, None, &texels, 16, 0).unwrap();
        h.immediate.write_to_subresource(&texture, 3, Some(part), &[100_u32, 101, 102, 103], 8, 0).unwrap();
        let mut memory = [7_u32; 12];
        h.immediate.read_from_subresource(&mut memory, 20, 0, &texture, 3, Some(part)).unwrap();
        if h.draws() {
            assert_eq!(memory, [100, 101, 7, 7, 7, 102, 103, 7, 7, 7, 7, 7]);
            let mut whole = [0_u32; 8];
            h.immediate.read_from_subresource(&mut whole, 16, 0, &texture, 3, None).unwrap();
            assert_eq!(whole, [0, 100, 101, 3, 4, 102, 103, 7]);
        }
        h.immediate
            .read_from_subresource(&mut memory, 20, 0, &texture, 3, Some(Box3d::rect(2, 1, 2, 2)))
            .unwrap();
        assert_error!(h.immediate.read_from_subresource(&mut memory, 20, 0, &texture, 4, None), InvalidArg);
        assert_error!(
            h.immediate.read_from_subresource(&mut memory[..3], 20, 0, &texture, 3, Some(part)),
            InvalidArg
        );
        let outside = Some(Box3d::rect(3, 0, 5, 1));
        assert_error!(
            h.immediate.read_from_subresource(&mut memory, 20, 0, &texture, 3, outside),
            InvalidArg
        );
        assert_error!(h.immediate.write_to_subresource(&texture, 3, outside, &texels, 16, 0), InvalidArg);
        assert_error!(h.immediate.write_to_subresource(&texture, 0, None, &texels, 16, 0), InvalidArg);
        h.take_errors();
    });
}

#[test]
fn a_predicate_does_not_keep_contents_from_being_read() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let texels = [1_u32, 2, 3, 4];
        let texture = h.device.create_texture_2d_with(Format::R32_UINT, 2, 2, &texels).unwrap();
        let buffer = h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &texels).unwrap();
        let query = h.device.create_query(QueryType::OcclusionPredicate).unwrap();
        h.immediate.begin(&query);
        h.immediate.end(&query);
        h.immediate.set_predication(&query, false);
        drop(query);
        let mut memory = [0_u32; 4];
        h.immediate.read_from_subresource(&mut memory, 8, 0, &texture, 0, None).unwrap();
        if h.draws() {
            assert_eq!(memory, texels);
            assert_eq!(h.read_u32(&texture, 0), texels);
            assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap(), texels);
        }
        h.immediate.clear_state();
        h.take_errors();
    });
}

/// Transfers 2 x 2 x 2 texels of a volume, and a part of a row of an array, to and from memory with gaps.
#[test]
fn parts_of_volumes_and_rows_are_written_and_read() {
    on_each(&matrix(), |h| {
        let volume = Texture3dDesc { mip_levels: 1, ..Texture3dDesc::new(Format::R32_UINT, 4, 3, 3) };
        let volume = h.device.create_texture_3d(&volume, None).unwrap();
        let mut texels: Vec<u32> = (0..36).collect();
        h.immediate.write_to_subresource(&volume, 0, None, &texels, 16, 48).unwrap();
        let part = Box3d { left: 1, top: 1, front: 1, right: 3, bottom: 3, back: 3 };
        let new = [100_u32, 101, 102, 103, 104, 105, 106, 107];
        h.immediate.write_to_subresource(&volume, 0, Some(part), &new, 8, 16).unwrap();
        for (n, value) in new.iter().enumerate() {
            texels[(1 + n / 4) * 12 + (1 + n / 2 % 2) * 4 + 1 + n % 2] = *value;
        }
        let mut whole = [0_u32; 36];
        h.immediate.read_from_subresource(&mut whole, 16, 48, &volume, 0, None).unwrap();
        assert_eq!(whole[..], texels);
        let mut memory = [7_u32; 14];
        h.immediate.read_from_subresource(&mut memory, 12, 32, &volume, 0, Some(part)).unwrap();
        assert_eq!(memory, [100, 101, 7, 102, 103, 7, 7, 7, 104, 105, 7, 106, 107, 7]);
        // In the first call, the depth slices would overlap, and in the second call, the memory is too short.
        assert_error!(
            h.immediate.read_from_subresource(&mut memory, 12, 16, &volume, 0, Some(part)),
            InvalidArg
        );
        assert_error!(
            h.immediate.read_from_subresource(&mut memory[..12], 12, 32, &volume, 0, Some(part)),
            InvalidArg
        );

        let row = Texture1dDesc { mip_levels: 1, array_size: 2, ..Texture1dDesc::new(Format::R32_UINT, 5) };
        let row = h.device.create_texture_1d(&row, None).unwrap();
        h.immediate.write_to_subresource(&row, 1, None, &[1_u32, 2, 3, 4, 5], 0, 0).unwrap();
        let mut memory = [0_u32; 3];
        h.immediate.read_from_subresource(&mut memory, 0, 0, &row, 1, Some(Box3d::rect(1, 0, 4, 1))).unwrap();
        assert_eq!(memory, [2, 3, 4]);
        let buffer = h.device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        assert_error!(h.immediate.read_from_subresource(&mut memory, 0, 0, &buffer, 0, None), InvalidArg);
        assert_error!(h.immediate.write_to_subresource(&buffer, 0, None, &[0_u32; 4], 0, 0), InvalidArg);
        h.take_errors();
    });
}
