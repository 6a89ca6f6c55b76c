use std::sync::Arc;

use onze_ddi::{
    DsvFlags, Format, HandleType, InputClassification, ShaderStage, SubresourceRange, Texture2dDesc,
    TextureViewDesc, ViewDimension,
};

use crate::{
    objects::{
        allocator::Storage,
        identity::{BufferIdentity, Identity},
        resource::Resource,
    },
    record::{
        command::{Bind, Command},
        page::{BufferPlace, CopyCommand, TexturePlace},
    },
};

use super::scene::{Bench, COVER, Recording};

/// Covers the target with the first texel of the texture in t0.
const SAMPLE: &str = "
    @group(1) @binding(0) var image: texture_2d<f32>;
    @fragment fn main() -> @location(0) vec4f { return textureLoad(image, vec2(0), 0); }";

/// Passes on the positions that it reads from the vertex buffer.
const FETCH: &str = "
    @vertex fn main(@location(0) at: vec4f) -> @builtin(position) vec4f { return at; }";

fn copy(page: &mut Recording, copy: CopyCommand) {
    page.page.copies.push(copy);
    let at = page.page.copies.len() as u32 - 1;
    page.push(Command::Copy(at));
}

pub(super) fn copy_bytes(
    page: &mut Recording,
    src: (&Arc<Storage>, u64),
    dst: (&Arc<Storage>, u64),
    size: u64,
) {
    let src = BufferPlace { object: page.buffer(src.0), offset: src.1 };
    let dst = BufferPlace { object: page.buffer(dst.0), offset: dst.1 };
    copy(page, CopyCommand::BufferToBuffer { src, dst, size });
}

pub(super) fn upload(page: &mut Recording, src: &Arc<Storage>, dst: &Arc<Resource>, extent: [u32; 3]) {
    let src = BufferPlace { object: page.buffer(src), offset: 0 };
    let dst = TexturePlace { object: page.resource(dst), mip: 0, origin: [0; 3] };
    copy(page, CopyCommand::BufferToTexture { src, bytes_per_row: 256, dst, extent });
}

pub(super) fn download(page: &mut Recording, src: &Arc<Resource>, dst: &Arc<Storage>, extent: [u32; 3]) {
    let src = TexturePlace { object: page.resource(src), mip: 0, origin: [0; 3] };
    let dst = BufferPlace { object: page.buffer(dst), offset: 0 };
    copy(page, CopyCommand::TextureToBuffer { src, dst, bytes_per_row: 256, extent });
}

pub(super) fn texture_copy(
    page: &mut Recording,
    src: &Arc<Resource>,
    dst: &Arc<Resource>,
    at: [[u32; 3]; 2],
    extent: [u32; 3],
) {
    let src = TexturePlace { object: page.resource(src), mip: 0, origin: at[0] };
    let dst = TexturePlace { object: page.resource(dst), mip: 0, origin: at[1] };
    copy(page, CopyCommand::TextureToTexture { src, dst, extent });
}

/// Returns depth and stencil of the first texel of a texture with 24 and 8 bits.
pub(super) fn depth_texel(bench: &mut Bench, texture: &Arc<Resource>) -> (f32, u8) {
    let memory = texture.texture().unwrap();
    let extent = [memory.width, memory.height, 1];
    let bytes = bench.buffer(&vec![0; 256 * extent[1] as usize]);
    let mut page = Recording::default();
    download(&mut page, texture, &bytes, extent);
    bench.run(vec![page]);
    let word = u32::from_le_bytes(bench.bytes(&bytes)[..4].try_into().unwrap());
    ((word & 0xff_ffff) as f32 / 16_777_215.0, (word >> 24) as u8)
}

/// Returns ascending bytes, in which the same sequence returns only after 251 bytes.
fn pattern(length: usize, start: usize) -> Vec<u8> {
    (0..length).map(|at| ((at + start) % 251) as u8).collect()
}

#[test]
fn byte_copies_accept_any_offsets() {
    let Some(mut bench) = Bench::new() else { return };
    let (source, before) = (pattern(64, 0), pattern(64, 100));
    let from = bench.buffer(&source);
    for (src, dst, size) in [
        (0, 0, 64),
        (0, 0, 1),
        (1, 1, 1),
        (3, 2, 1),
        (0, 3, 2),
        (1, 2, 3),
        (2, 1, 5),
        (3, 0, 9),
        (1, 1, 11),
        (5, 9, 30),
        (7, 4, 57),
        (0, 1, 63),
        (2, 2, 62),
    ] {
        let to = bench.buffer(&before);
        let mut page = Recording::default();
        copy_bytes(&mut page, (&from, src as u64), (&to, dst as u64), size as u64);
        bench.run(vec![page]);
        let mut expected = before.clone();
        expected[dst..dst + size].copy_from_slice(&source[src..src + size]);
        assert_eq!(bench.bytes(&to), expected, "{size} bytes from {src} to {dst}");
    }
}

#[test]
fn bytes_are_copied_within_one_buffer() {
    let Some(mut bench) = Bench::new() else { return };
    let source = pattern(64, 0);
    for (src, dst, size) in [(0, 32, 32), (40, 3, 20), (1, 21, 19), (5, 5, 7)] {
        let buffer = bench.buffer(&source);
        let mut page = Recording::default();
        copy_bytes(&mut page, (&buffer, src as u64), (&buffer, dst as u64), size as u64);
        bench.run(vec![page]);
        let mut expected = source.clone();
        expected.copy_within(src..src + size, dst);
        assert_eq!(bench.bytes(&buffer), expected, "{size} bytes from {src} to {dst}");
    }
}

#[test]
fn a_copy_to_base_storage_moves_only_a_renamed_buffer() {
    let Some(mut bench) = Bench::new() else { return };
    let (base, renamed) = (bench.buffer(&[1; 32]), bench.buffer(&pattern(64, 7)));
    let identity = BufferIdentity { storage: renamed.clone(), offset: 16, size: 32 };
    for (identity, expected) in [(BufferIdentity::base(&base, 32), vec![1; 32]), (identity, pattern(32, 23))]
    {
        let mut page = Recording::default();
        let from = BufferPlace { object: page.import(Identity::Buffer(identity)), offset: 0 };
        let to = BufferPlace { object: page.buffer(&base), offset: 0 };
        copy(&mut page, CopyCommand::ToBase { from, base: to, size: 32 });
        bench.run(vec![page]);
        assert_eq!(bench.bytes(&base), expected);
    }
}

#[test]
fn texels_are_copied_within_a_subresource_and_between_slices() {
    let Some(mut bench) = Bench::new() else { return };
    let format = Format::R8G8B8A8_UNORM;
    let desc = Texture2dDesc { array_size: 2, ..Texture2dDesc::render_target(format, 4, 4) };
    let texture = bench.texture(desc);
    let bytes: Vec<_> = (0..4).flat_map(|row| [pattern(16, row * 16), vec![0; 240]].concat()).collect();
    let bytes = bench.buffer(&bytes);
    let mut page = Recording::default();
    upload(&mut page, &bytes, &texture, [4, 4, 1]);
    texture_copy(&mut page, &texture, &texture, [[0, 0, 0], [2, 2, 0]], [2, 2, 1]);
    texture_copy(&mut page, &texture, &texture, [[0, 0, 0], [0, 0, 1]], [4, 4, 1]);
    bench.run(vec![page]);
    let texels = bench.texels(&texture, 0, 0);
    assert_eq!(texels[..32], pattern(32, 0), "the source");
    assert_eq!(texels[40..48], pattern(8, 0), "its first row at (2, 2)");
    assert_eq!(texels[56..64], pattern(8, 16), "its second row at (2, 3)");
    assert_eq!(bench.texels(&texture, 0, 1), texels);
}

#[test]
fn texels_keep_their_bits_between_formats_of_a_family() {
    let Some(mut bench) = Bench::new() else { return };
    let float = bench.target(Format::R32_FLOAT, 4, 4);
    let uint = bench.target(Format::R32_UINT, 4, 4);
    let depth = bench.depth(Format::R32_TYPELESS, 4, 4);
    let values: Vec<f32> =
        (0..4).flat_map(|row| (0..64).map(move |x| (row * 4 + x % 4) as f32 / 16.0)).collect();
    let bytes = bench.buffer(bytemuck::cast_slice(&values));
    let mut page = Recording::default();
    upload(&mut page, &bytes, &float, [4, 4, 1]);
    texture_copy(&mut page, &float, &uint, [[0; 3]; 2], [4, 4, 1]);
    texture_copy(&mut page, &float, &depth, [[0; 3]; 2], [4, 4, 1]);
    let back = bench.target(Format::R32_FLOAT, 4, 4);
    texture_copy(&mut page, &depth, &back, [[0; 3]; 2], [4, 4, 1]);
    bench.run(vec![page]);
    let expected: Vec<f32> = (0..16).map(|n| n as f32 / 16.0).collect();
    let expected: &[u8] = bytemuck::cast_slice(&expected);
    assert_eq!(bench.texels(&uint, 0, 0), expected, "as integers");
    assert_eq!(bench.texels(&depth, 0, 0), expected, "as depth");
    assert_eq!(bench.texels(&back, 0, 0), expected, "and back");
}

#[test]
fn depth_and_stencil_survive_copies_through_buffers() {
    let Some(mut bench) = Bench::new() else { return };
    for (format, words, texel) in [
        (Format::R24G8_TYPELESS, 1, [0x4080_0000u32, 0]),
        (Format::R32G8X24_TYPELESS, 2, [0.625f32.to_bits(), 0x81]),
    ] {
        let (first, second) = (bench.depth(format, 5, 3), bench.depth(format, 5, 3));
        let mut rows = vec![0u32; 64 * 3];
        for (n, word) in rows.iter_mut().enumerate() {
            let (row, x) = (n / 64, n % 64 / words);
            // All texels have the same depth, but each has its own stencil value.
            let stencil = (row * 5 + x) as u32;
            *word = match (x < 5, words, n % words) {
                (false, ..) => 0,
                (true, 1, _) => texel[0] + (stencil << 24),
                (true, _, 0) => texel[0],
                (true, ..) => texel[1] + stencil,
            };
        }
        let (source, result) = (bench.buffer(bytemuck::cast_slice(&rows)), bench.buffer(&[0; 768]));
        let mut page = Recording::default();
        upload(&mut page, &source, &first, [5, 3, 1]);
        texture_copy(&mut page, &first, &second, [[0; 3]; 2], [5, 3, 1]);
        download(&mut page, &second, &result, [5, 3, 1]);
        bench.run(vec![page]);
        let found = bench.bytes(&result);
        let found: &[u32] = bytemuck::cast_slice(&found);
        for row in 0..3 {
            let part = row * 64..row * 64 + 5 * words;
            assert_eq!(found[part.clone()], rows[part], "{format:?}, row {row}");
        }
    }
}

#[test]
fn a_pending_clear_runs_before_a_copy() {
    let Some(mut bench) = Bench::new() else { return };
    let format = Format::R8G8B8A8_UNORM;
    let (from, to) = (bench.target(format, 4, 4), bench.target(format, 4, 4));
    let rtv = bench.rtv(&from, format);
    let mut page = Recording::default();
    page.clear(&rtv, [1.0, 0.0, 1.0, 1.0]);
    texture_copy(&mut page, &from, &to, [[0; 3]; 2], [4, 4, 1]);
    page.clear(&rtv, [0.0; 4]);
    bench.run(vec![page]);
    assert_eq!((bench.corner(&to), bench.corner(&from)), ([255, 0, 255, 255], [0; 4]));
}

/// Counts the passes for a draw, a copy to one of two ranges, and another draw.
#[test]
fn only_a_copy_that_touches_used_ranges_splits_a_pass() {
    let Some(mut bench) = Bench::new() else { return };
    let format = Format::R8G8B8A8_UNORM;
    let target = bench.target(format, 4, 4);
    let rtv = bench.rtv(&target, format);
    let desc = Texture2dDesc { array_size: 2, ..Texture2dDesc::render_target(format, 4, 4) };
    let (image, other) = (bench.texture(desc.clone()), bench.texture(desc));
    let srv = bench.srv(&image, format);
    let (vertex, pixel) = (bench.vertex(COVER), bench.pixel(SAMPLE));
    let vertices = bench.buffer(&[0; 96]);
    let layout = bench.layout(Format::R32G32B32A32_FLOAT, InputClassification::PerVertexData);
    let fetching = bench.vertex(FETCH);
    let source = bench.buffer(&vec![200; 1024]);
    let mut passes = |middle: &dyn Fn(&mut Recording)| {
        let mut page = Recording::default();
        page.targets(&[Some(&rtv)], None).shaders(&vertex, Some(&pixel));
        let object = page.view(&srv);
        page.push(Bind::ShaderResource { stage: ShaderStage::Pixel, slot: 0, object }).draw(3, 0);
        page.shaders(&fetching, Some(&pixel)).layout(&layout).vertices(&vertices, 16, 0, 48).draw(3, 0);
        middle(&mut page);
        page.shaders(&vertex, Some(&pixel)).draw(3, 0);
        bench.run(vec![page]).passes
    };
    let to_slice = |dst: &Arc<Resource>, slice: u32| {
        let (dst, source) = (dst.clone(), source.clone());
        move |page: &mut Recording| {
            let src = BufferPlace { object: page.buffer(&source), offset: 0 };
            let dst = TexturePlace { object: page.resource(&dst), mip: 0, origin: [0, 0, slice] };
            copy(page, CopyCommand::BufferToTexture { src, bytes_per_row: 256, dst, extent: [4, 4, 1] });
        }
    };
    assert_eq!(passes(&to_slice(&image, 0)), 2, "the slice that a draw reads");
    assert_eq!(passes(&to_slice(&image, 1)), 1, "another slice");
    let to_buffer = |at: u64| {
        let (source, vertices) = (source.clone(), vertices.clone());
        move |page: &mut Recording| copy_bytes(page, (&source, 0), (&vertices, at), 16)
    };
    assert_eq!(passes(&to_buffer(32)), 2, "bytes that a draw reads");
    assert_eq!(passes(&to_buffer(48)), 1, "bytes behind them");
    let from_slice = |slice: u32| {
        let (image, other) = (image.clone(), other.clone());
        move |page: &mut Recording| {
            to_slice(&image, 0)(page);
            page.draw(3, 0);
            texture_copy(page, &image, &other, [[0, 0, slice], [0; 3]], [4, 4, 1]);
        }
    };
    assert_eq!(passes(&from_slice(0)), 3, "from a slice that was written");
    assert_eq!(passes(&from_slice(1)), 2, "from another slice");
}

#[test]
fn mips_average_texels_and_srgb_mips_average_light() {
    let Some(mut bench) = Bench::new() else { return };
    for (format, expected) in [(Format::R8G8B8A8_UNORM, 128), (Format::R8G8B8A8_UNORM_SRGB, 188)] {
        let texture = bench.mipped(format, 4, 4);
        // Columns of black and white texels alternate in the first level.
        let row: Vec<u8> = (0..256).map(|at| if at / 4 % 2 == 0 { 0 } else { 255 }).collect();
        let bytes = bench.buffer(&row.repeat(4));
        let desc = TextureViewDesc {
            format,
            dimension: ViewDimension::Texture2d,
            range: SubresourceRange { mips: 3, ..SubresourceRange::FIRST },
            flags: DsvFlags::empty(),
        };
        let srv = bench.view(HandleType::ShaderResourceView, &texture, &desc);
        let mut page = Recording::default();
        upload(&mut page, &bytes, &texture, [4, 4, 1]);
        let object = page.view(&srv);
        page.push(Command::GenerateMips(object));
        bench.run(vec![page]);
        for mip in [1, 2] {
            let texels = bench.texels(&texture, mip, 0);
            assert!(
                texels.chunks(4).all(|t| t[0].abs_diff(expected) <= 1),
                "{format:?}, mip {mip}: {texels:?}"
            );
        }
        assert_eq!(bench.texels(&texture, 0, 0)[..8], row[..8], "the first level stays");
    }
}

#[test]
fn a_run_refused_by_wgpu_loses_only_its_own_commands() {
    let Some(mut bench) = Bench::new() else { return };
    let (from, to) = (bench.buffer(&[1; 16]), bench.buffer(&[2; 16]));
    let mut wrong = Recording::default();
    // The copy exceeds the buffers, so the runtime would refuse it.
    copy_bytes(&mut wrong, (&from, 0), (&to, 0), 64);
    let encoded = bench.encode(vec![wrong]);
    assert!(encoded.error.is_some() && encoded.command_buffers.is_empty());
    assert_eq!(encoded.pages.len(), 1);
    let mut right = Recording::default();
    copy_bytes(&mut right, (&from, 0), (&to, 0), 4);
    bench.run(vec![right]);
    assert_eq!(bench.bytes(&to)[..8], [1, 1, 1, 1, 2, 2, 2, 2]);
}
