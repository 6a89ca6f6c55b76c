//! Updates of subresources and regions from tightly packed contents.

use onze::prelude::*;
use onze_tests::{Config, assert_error, on_each};

#[test]
fn a_region_of_any_subresource_takes_packed_rows() {
    on_each(&[Config::GPU], |h| {
        let desc =
            Texture2dDesc { mip_levels: 2, array_size: 2, ..Texture2dDesc::new(Format::R32_UINT, 8, 4) };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let cx = &mut h.immediate;
        cx.update_region(
            &texture,
            texture.subresource(0, 1),
            Box3d::rect(3, 1, 6, 3),
            &[1_u32, 2, 3, 4, 5, 6],
        )
        .unwrap();
        let mip: Vec<u32> = (10..18).collect();
        cx.update_region(&texture, texture.subresource(1, 0), None, &mip[..]).unwrap();
        cx.update_region(&texture, 0, Box3d::rect(2, 2, 2, 4), &[0_u32; 0]).unwrap();
        let mut expected = [0; 32];
        expected[11..14].copy_from_slice(&[1, 2, 3]);
        expected[19..22].copy_from_slice(&[4, 5, 6]);
        assert_eq!(h.read_u32(&texture, texture.subresource(0, 1)), expected);
        assert_eq!(h.read_u32(&texture, texture.subresource(1, 0)), mip);
        assert_eq!(h.read_u32(&texture, 0), [0; 32]);
        h.assert_silent();
    });
}

#[test]
fn a_region_of_a_block_format_counts_blocks() {
    on_each(&[Config::GPU], |h| {
        if !h.has_format(Format::BC1_UNORM, FormatSupport::TEXTURE2D) {
            return;
        }
        // Mip level 1 has 10 x 6 texels, so its 3 x 2 blocks extend past the right and bottom edges.
        let texture =
            h.device.create_texture_2d(&Texture2dDesc::new(Format::BC1_UNORM, 20, 12), None).unwrap();
        let blocks: Vec<u8> = (1..=24).collect();
        let edge = Box3d::rect(4, 0, 10, 6);
        let cx = &mut h.immediate;
        assert_error!(cx.update_region(&texture, 1, edge, &blocks[..]), InvalidArg);
        assert_error!(cx.update_region(&texture, 1, Box3d::rect(2, 0, 10, 6), &blocks[..]), InvalidArg);
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
        let edge_blocks: Vec<u8> = (101..=132).collect();
        h.immediate.update_region(&texture, 1, edge, &edge_blocks[..]).unwrap();
        let read = h.read(&texture, 1);
        assert_eq!(read[..8], [0; 8]);
        assert_eq!(read[8..24], edge_blocks[..16]);
        assert_eq!(read[32..], edge_blocks[16..]);
    });
}

#[test]
fn a_region_of_a_volume_takes_packed_slices() {
    on_each(&[Config::GPU], |h| {
        if !h.has_feature(Features::TEXTURE_1D_3D) {
            return;
        }
        let desc = Texture3dDesc { mip_levels: 1, ..Texture3dDesc::new(Format::R32_UINT, 3, 3, 3) };
        let texture = h.device.create_texture_3d(&desc, None).unwrap();
        let region = Box3d { front: 1, back: 3, ..Box3d::rect(0, 1, 2, 3) };
        h.immediate.update_region(&texture, 0, region, &[1_u32, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let read: Vec<u32> = bytemuck::pod_collect_to_vec(&h.immediate.read_texture_3d(&texture, 0).unwrap());
        let expected = [[0; 9], [0, 0, 0, 1, 2, 0, 3, 4, 0], [0, 0, 0, 5, 6, 0, 7, 8, 0]];
        assert_eq!(read, expected.as_flattened());
    });
}

#[test]
fn a_region_of_a_buffer_is_written_in_bytes() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let plain = h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &[0_u32; 8]).unwrap();
        let vertices = h.device.create_vertex_buffer(&[0_u32; 8]).unwrap();
        let constants = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[7_u32; 12]).unwrap();
        let cx = &mut h.immediate;
        assert_error!(cx.update_region(&plain, 0, None, &[0_u32; 8]), InvalidArg, "it is immutable");
        cx.update_region(&vertices, 0, Box3d::bytes(4..12), &[1_u32, 2]).unwrap();
        cx.update_region(&constants, 0, Box3d::bytes(16..32), &[1_u32, 2, 3, 4]).unwrap();
        assert_error!(cx.update_region(&constants, 0, Box3d::bytes(8..24), &[0_u32; 4]), InvalidArg);
        assert_error!(cx.update_region(&vertices, 0, Box3d::bytes(28..36), &[0_u32; 2]), InvalidArg);
        assert_error!(cx.update_region(&vertices, 1, None, &[0_u32; 8]), InvalidArg);
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
        if h.draws() {
            assert_eq!(h.immediate.read_buffer::<u32>(&vertices).unwrap(), [0, 1, 2, 0, 0, 0, 0, 0]);
            let expected = [7, 7, 7, 7, 1, 2, 3, 4, 7, 7, 7, 7];
            assert_eq!(h.immediate.read_buffer::<u32>(&constants).unwrap(), expected);
        }
    });
}

#[test]
fn contents_of_another_size_than_the_region_are_refused() {
    on_each(&[Config::NULL], |h| {
        let texture =
            h.device.create_texture_2d(&Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8), None).unwrap();
        for texels in [3, 5] {
            let contents = vec![[0_u8; 4]; texels];
            let error =
                h.immediate.update_region(&texture, 0, Box3d::rect(0, 0, 2, 2), &contents[..]).unwrap_err();
            let (needed, found) =
                ("2 x 2 x 1 texels of R8G8B8A8_UNORM have 16 bytes", format!("found {}", 4 * texels));
            assert!(error.to_string().contains(needed) && error.to_string().contains(&found), "{error}");
            h.assert_reported(MessageId::UpdateSubresourceInvalid);
        }
        let dynamic = h.device.create_dynamic_vertex_buffer::<u32>(4).unwrap();
        let error = h.immediate.update_region(&dynamic, 0, Box3d::bytes(0..4), &1_u32).unwrap_err();
        assert!(error.to_string().contains("map it with MapType::WriteDiscard"), "{error}");
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
        let samples = h.device.create_render_target_with_samples(Format::R8G8B8A8_UNORM, 4, 4, 4).unwrap();
        assert_error!(h.immediate.update_region(&samples.texture, 0, None, &[0_u32; 16]), InvalidArg);
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
    });
}
