//! Copies from every format to every format, where permitted copies keep every bit and all other copies are
//! refused.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Random, matrix, on_each};

/// Returns the family of a format, derived from its name alone.
fn family(format: Format) -> String {
    let name = format!("{format:?}");
    match name.as_str() {
        "D32_FLOAT_S8X24_UINT" | "R32_FLOAT_X8X24_TYPELESS" | "X32_TYPELESS_G8X24_UINT" => "R32G8X24".into(),
        "D24_UNORM_S8_UINT" | "R24_UNORM_X8_TYPELESS" | "X24_TYPELESS_G8_UINT" => "R24G8".into(),
        "D32_FLOAT" => "R32".into(),
        "D16_UNORM" => "R16".into(),
        "R10G10B10_XR_BIAS_A2_UNORM" => "R10G10B10A2".into(),
        "R8G8_B8G8_UNORM" | "G8R8_G8B8_UNORM" => name,
        _ => name.split('_').next().unwrap_or_default().to_owned(),
    }
}

/// Returns whether Direct3D 11 permits a copy, as listed for copies between families in "Format Conversion
/// using Direct3D 10.1".
fn is_copied(from: Format, to: Format) -> bool {
    let (from_family, to_family) = (family(from), family(to));
    if from_family == to_family {
        return true;
    }
    let joined: &[(&[&str], &[&str])] = &[
        (&["R9G9B9E5"], &["R32"]),
        (&["BC1", "BC4"], &["R16G16B16A16", "R32G32"]),
        (&["BC2", "BC3", "BC5", "BC6H", "BC7"], &["R32G32B32A32"]),
    ];
    let is_depth = |format: Format| format.is_depth_stencil();
    !is_depth(from)
        && !is_depth(to)
        && joined.iter().any(|(a, b)| {
            let is = |side: &[&str], family: &String| side.contains(&family.as_str());
            is(a, &from_family) && is(b, &to_family) || is(b, &from_family) && is(a, &to_family)
        })
}

const BLOCKS: (u32, u32) = (3, 2);

fn desc(format: Format, blocks: (u32, u32)) -> Texture2dDesc {
    let (width, height) = format.block_size();
    Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, blocks.0 * width, blocks.1 * height) }
}

/// Returns bytes that a copy to any format of the same size preserves, such as depths between 0 and 1 for D32
/// formats.
fn contents(format: Format, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let blocks = BLOCKS.0 * BLOCKS.1;
    match (family(format).as_str(), format) {
        ("R32", Format::D32_FLOAT) | ("R32G8X24", _) => {
            let number = |n: u32| (0.25_f32 + n as f32 / 16.0).to_le_bytes();
            let stencil = |n: u32| [n as u8 * 7, 0, 0, 0];
            let has_stencil = format.bytes_per_block() == 8;
            (0..blocks)
                .flat_map(|n| {
                    let mut texel = number(n).to_vec();
                    texel.extend(if has_stencil { stencil(n).to_vec() } else { Vec::new() });
                    texel
                })
                .collect()
        }
        _ => random.bytes((blocks * format.bytes_per_block()) as usize),
    }
}

/// Creates a texture of each supported format, and returns the textures with the contents that are read back.
fn textures(h: &mut Harness) -> Vec<(Format, Texture2d, Vec<u8>)> {
    let mut made = Vec::new();
    for (seed, format) in (0..).zip(Format::ALL.iter().copied()) {
        let bytes = contents(format, seed);
        let data = SubresourceData {
            bytes: &bytes,
            row_pitch: format.row_pitch(desc(format, BLOCKS).width),
            depth_pitch: 0,
        };
        let Ok(texture) = h.device.create_texture_2d(&desc(format, BLOCKS), Some(&[data])) else { continue };
        let back = h.read(&texture, 0);
        made.push((format, texture, back));
    }
    h.take_errors();
    assert!(made.len() > 80, "{}", made.len());
    made
}

#[test]
fn each_pair_of_formats_is_copied_or_refused_by_the_rules() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let sources = textures(h);
        for (to, ..) in &sources {
            let target = h.device.create_texture_2d(&desc(*to, BLOCKS), None).unwrap();
            for (from, source, expected) in &sources {
                let (what, copied) = (format!("{from:?} to {to:?}"), is_copied(*from, *to));
                for whole in [false, true] {
                    if copied {
                        let cleared = h.device.create_texture_2d(&desc(*to, BLOCKS), None).unwrap();
                        h.immediate.copy_resource(&target, &cleared);
                    }
                    match whole {
                        true => h.immediate.copy_resource(&target, source),
                        false => h.immediate.copy_subresource_region(&target, 0, [0; 3], source, 0, None),
                    }
                    if copied {
                        let found = h.read(&target, 0);
                        let both_are_depth = family(*to) == "R24G8" || from.is_depth_stencil();
                        assert!(found == *expected || both_are_depth && is_near(&found, expected), "{what}");
                        h.assert_silent();
                    } else {
                        let id = match whole {
                            true => MessageId::CopyResourceInvalid,
                            false => MessageId::CopySubresourceRegionInvalid,
                        };
                        let messages = h.take_errors();
                        let is_named = |m: &Message| {
                            m.id == id
                                && m.description.contains(&format!("{from:?} cannot be copied to {to:?}"))
                        };
                        assert!(messages.iter().any(is_named), "{what}: {messages:?}");
                    }
                }
            }
        }
    });
}

/// Returns whether two depth values are equal within one step, because 24-bit depths are converted to floats
/// and may be off by one step.
fn is_near(a: &[u8], b: &[u8]) -> bool {
    let words = |bytes: &[u8]| -> Vec<u32> { bytemuck::pod_collect_to_vec(bytes) };
    let near = |(a, b): (&u32, &u32)| a >> 24 == b >> 24 && (a & 0xff_ffff).abs_diff(b & 0xff_ffff) <= 1;
    words(a).iter().zip(&words(b)).all(near)
}

/// Pairs of formats that can be copied to each other, in most cases a compressed and an uncompressed format.
const PAIRS: [(Format, Format); 8] = [
    (Format::R32G32_UINT, Format::R32G32_UINT),
    (Format::BC1_UNORM_SRGB, Format::BC1_UNORM),
    (Format::BC1_UNORM, Format::R16G16B16A16_UINT),
    (Format::BC4_SNORM, Format::R32G32_TYPELESS),
    (Format::BC1_TYPELESS, Format::R16G16B16A16_FLOAT),
    (Format::BC3_UNORM_SRGB, Format::R32G32B32A32_UINT),
    (Format::BC5_TYPELESS, Format::R32G32B32A32_TYPELESS),
    (Format::BC7_UNORM, Format::R32G32B32A32_FLOAT),
];

/// Creates a texture of two slices with three mip levels of 16 x 8, 8 x 4 and 4 x 2 blocks.
fn levels(h: &Harness, format: Format, usage: Usage, contents: Option<&[Vec<u8>]>) -> Texture2d {
    let (width, height) = if format.is_block_compressed() { (64, 32) } else { (16, 8) };
    let desc = Texture2dDesc { array_size: 2, mip_levels: 3, ..Texture2dDesc::new(format, width, height) };
    let desc = match usage {
        Usage::Staging => Texture2dDesc {
            usage,
            bind_flags: BindFlags::empty(),
            cpu_access_flags: CpuAccessFlags::READ | CpuAccessFlags::WRITE,
            ..desc
        },
        _ => desc,
    };
    let data: Option<Vec<_>> = contents.map(|contents| {
        let levels = contents.iter().enumerate();
        let pitch = |n: usize| (16 >> (n % 3)) * format.bytes_per_block();
        levels.map(|(n, bytes)| SubresourceData { bytes, row_pitch: pitch(n), depth_pitch: 0 }).collect()
    });
    h.device.create_texture_2d(&desc, data.as_deref()).unwrap()
}

/// A copy of blocks, which [`Copied::apply`] also makes in a model.
struct Copied {
    from: (u32, u32),
    to: (u32, u32),
    size: (u32, u32),
}

impl Copied {
    fn apply(&self, bytes: usize, from: (&[u8], u32), to: &mut [u8], to_width: u32) {
        for (y, x) in (0..self.size.1).flat_map(|y| (0..self.size.0).map(move |x| (y, x))) {
            let a = ((self.from.1 + y) * from.1 + self.from.0 + x) as usize * bytes;
            let b = ((self.to.1 + y) * to_width + self.to.0 + x) as usize * bytes;
            to[b..b + bytes].copy_from_slice(&from.0[a..a + bytes]);
        }
    }
}

#[test]
fn blocks_and_texels_are_copied_to_each_other_by_boxes() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(7);
        for (block, plain) in PAIRS {
            if !h.has_format(block, FormatSupport::TEXTURE2D) {
                println!("skipped: this adapter has no {block:?}");
                continue;
            }
            let bytes = block.bytes_per_block() as usize;
            for (from, to) in [(block, plain), (plain, block)] {
                for (n, usages) in [
                    [Usage::Default, Usage::Default],
                    [Usage::Default, Usage::Staging],
                    [Usage::Staging, Usage::Default],
                    [Usage::Staging, Usage::Staging],
                ]
                .into_iter()
                .enumerate()
                {
                    let mut fresh = || -> Vec<Vec<u8>> {
                        (0..6).map(|n| random.bytes((128 >> (2 * (n % 3))) * bytes)).collect()
                    };
                    let (given, mut expected) = (fresh(), fresh());
                    let source = levels(h, from, usages[0], Some(&given));
                    let target = levels(h, to, usages[1], Some(&expected));
                    let what = format!("{from:?} to {to:?}, {usages:?}");
                    // The first two copies read the 8 x 4 level of the second slice and write the first
                    // slice's 4 x 2 level and the second slice's largest level. The third copy reads the
                    // first slice's 4 x 2 level and writes its 8 x 4 level.
                    let copies = [
                        (4, 2, Copied { from: (3, 1), to: (1, 0), size: (2, 2) }),
                        (4, 3, Copied { from: (0, 0), to: (8, 4), size: (8, 4) }),
                        (2, 1, Copied { from: (3, 1), to: (0, 3), size: (1, 1) }),
                    ];
                    let how = CommandPath::ALL[n % 3];
                    h.record(how, |cx| {
                        for (src, dst, Copied { from: at, to: place, size }) in &copies {
                            let (width, height) = from.block_size();
                            let part = Box3d::rect(
                                at.0 * width,
                                at.1 * height,
                                (at.0 + size.0) * width,
                                (at.1 + size.1) * height,
                            );
                            let (width, height) = to.block_size();
                            let place = [place.0 * width, place.1 * height, 0];
                            cx.copy_subresource_region(&target, *dst, place, &source, *src, Some(part));
                        }
                    });
                    for (src, dst, copied) in &copies {
                        let (src, dst) = (*src as usize, *dst as usize);
                        let width = |n: usize| 16 >> (n % 3);
                        copied.apply(bytes, (&given[src], width(src)), &mut expected[dst], width(dst));
                    }
                    h.assert_silent();
                    for (n, expected) in (0..).zip(&expected) {
                        assert_eq!(&h.read(&target, n), expected, "{what}, subresource {n}, {how:?}");
                    }
                    h.record(how, |cx| cx.copy_resource(&target, &source));
                    h.assert_silent();
                    for (n, expected) in (0..).zip(&given) {
                        assert_eq!(&h.read(&target, n), expected, "{what}, whole, subresource {n}");
                    }
                }
            }
        }
    });
}

#[test]
fn blocks_that_do_not_fit_are_refused() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let (block, plain) = (Format::BC1_UNORM, Format::R32G32_UINT);
        if !h.has_format(block, FormatSupport::TEXTURE2D) {
            return;
        }
        let make = |desc: Texture2dDesc| h.device.create_texture_2d(&desc, None).unwrap();
        let blocks = make(desc(block, (4, 4)));
        let (texels, as_many) = (make(desc(plain, (4, 4))), make(desc(plain, (16, 16))));
        // The uncompressed texture has the same size in texels, so it has four times as many elements in each
        // direction.
        h.immediate.copy_resource(&blocks, &as_many);
        h.assert_reported(MessageId::CopyResourceInvalid);
        h.immediate.copy_subresource_region(&blocks, 0, [0; 3], &as_many, 0, None);
        h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        h.immediate.copy_subresource_region(&blocks, 0, [4, 0, 0], &texels, 0, Some(Box3d::rect(0, 0, 4, 1)));
        h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        h.immediate.copy_subresource_region(&blocks, 0, [1, 0, 0], &texels, 0, Some(Box3d::rect(0, 0, 1, 1)));
        h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        h.immediate.copy_subresource_region(&texels, 0, [0; 3], &blocks, 0, Some(Box3d::rect(1, 0, 4, 4)));
        h.assert_reported(MessageId::CopySubresourceRegionInvalid);
        h.immediate.copy_subresource_region(&texels, 0, [3, 3, 0], &blocks, 0, Some(Box3d::rect(0, 0, 4, 4)));
        h.immediate.copy_subresource_region(
            &blocks,
            0,
            [12, 0, 0],
            &texels,
            0,
            Some(Box3d::rect(0, 0, 1, 4)),
        );
        h.immediate.copy_subresource_region(&as_many, 0, [0; 3], &blocks, 0, None);
        h.immediate.copy_resource(&blocks, &texels);
        h.assert_silent();
    });
}
