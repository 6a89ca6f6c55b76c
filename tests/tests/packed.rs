//! Formats that wgpu lacks, so the driver converts their texels on each transfer between memory and texture.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Harness, Quad, Random, Target, drawing::is_close, gpu_matrix, matrix, on_each,
    shapes::Cover,
};

const FORMATS: [Format; 11] = [
    Format::A8_UNORM,
    Format::B5G6R5_UNORM,
    Format::B5G5R5A1_UNORM,
    Format::B4G4R4A4_UNORM,
    Format::B8G8R8X8_UNORM,
    Format::B8G8R8X8_UNORM_SRGB,
    Format::R8G8_B8G8_UNORM,
    Format::G8R8_G8B8_UNORM,
    Format::R32G32B32_FLOAT,
    Format::R32G32B32_UINT,
    Format::R32G32B32_SINT,
];

/// Returns the value that a shader reads from texel `at` of a row, without sRGB conversion.
fn read(format: Format, row: &[u8], at: usize) -> [f32; 4] {
    let bytes = &row[at * format.bytes_per_block() as usize / format.block_size().0 as usize..];
    let byte = |n: usize| f32::from(row[n]) / 255.0;
    let bits = |first: u32, bits: u32| {
        let texel = u16::from_le_bytes([bytes[0], bytes[1]]);
        f32::from((texel >> first) & ((1 << bits) - 1)) / ((1 << bits) - 1) as f32
    };
    match format {
        Format::A8_UNORM => [0.0, 0.0, 0.0, byte(at)],
        Format::B5G6R5_UNORM => [bits(11, 5), bits(5, 6), bits(0, 5), 1.0],
        Format::B5G5R5A1_UNORM => [bits(10, 5), bits(5, 5), bits(0, 5), bits(15, 1)],
        Format::B4G4R4A4_UNORM => [bits(8, 4), bits(4, 4), bits(0, 4), bits(12, 4)],
        Format::B8G8R8X8_UNORM | Format::B8G8R8X8_UNORM_SRGB => {
            [byte(4 * at + 2), byte(4 * at + 1), byte(4 * at), 1.0]
        }
        Format::R8G8_B8G8_UNORM => {
            let block = at / 2 * 4;
            [byte(block), byte(block + 1 + at % 2 * 2), byte(block + 2), 1.0]
        }
        Format::G8R8_G8B8_UNORM => {
            let block = at / 2 * 4;
            [byte(block + 1), byte(block + at % 2 * 2), byte(block + 3), 1.0]
        }
        _ => {
            let word = |n: usize| f32::from_le_bytes(row[12 * at + 4 * n..][..4].try_into().unwrap());
            [word(0), word(1), word(2), 1.0]
        }
    }
}

/// Returns random bytes for a row, with floats between 0 and 1.
fn row(random: &mut Random, format: Format, width: u32) -> Vec<u8> {
    if format == Format::R32G32B32_FLOAT {
        return (0..3 * width).flat_map(|_| (random.below(256) as f32 / 255.0).to_le_bytes()).collect();
    }
    let mut bytes: Vec<u8> = (0..format.row_pitch(width)).map(|_| random.below(256) as u8).collect();
    if !width.is_multiple_of(format.block_size().0) {
        // The second texel of the last block is outside the texture, so its byte is set to 0.
        let green = if format == Format::R8G8_B8G8_UNORM { 1 } else { 2 };
        let last = bytes.len() - green;
        bytes[last] = 0;
    }
    bytes
}

/// Returns the bytes that are read back, with 255 for an unused byte.
fn kept(format: Format, mut bytes: Vec<u8>) -> Vec<u8> {
    if format.family() == Format::B8G8R8X8_TYPELESS {
        bytes.iter_mut().skip(3).step_by(4).for_each(|x| *x = 255);
    }
    bytes
}

fn is_kept(h: &Harness, format: Format, found: &[u8], expected: &[u8]) -> bool {
    let expected = if h.draws() { kept(format, expected.to_vec()) } else { expected.to_vec() };
    found == expected
}

fn desc(format: Format, width: u32, height: u32) -> Texture2dDesc {
    Texture2dDesc { bind_flags: BindFlags::SHADER_RESOURCE, ..Texture2dDesc::new(format, width, height) }
}

/// Initial contents, updates, maps and copies of whole subresources and of parts keep every bit.
#[test]
fn uploads_copies_and_readbacks_keep_every_bit() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(3);
        for format in FORMATS {
            for how in CommandPath::ALL {
                let (width, height) = (14, 5);
                let desc = Texture2dDesc { mip_levels: 0, array_size: 2, ..desc(format, width, height) };
                let mips = desc.resolved_mip_levels();
                let size = |at: u32| desc.mip_size(at % mips);
                let bytes: Vec<Vec<u8>> = (0..2 * mips)
                    .map(|at| (0..size(at).1).flat_map(|_| row(&mut random, format, size(at).0)).collect())
                    .collect();
                let data: Vec<_> = (0..)
                    .zip(&bytes)
                    .map(|(at, bytes)| {
                        let row_pitch = format.row_pitch(size(at).0);
                        SubresourceData { bytes, row_pitch, depth_pitch: 0 }
                    })
                    .collect();
                let given = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
                let [updated, copied, part] =
                    [(); 3].map(|()| h.device.create_texture_2d(&desc, None).unwrap());
                let staging = Texture2dDesc {
                    usage: Usage::Staging,
                    bind_flags: BindFlags::empty(),
                    cpu_access_flags: CpuAccessFlags::WRITE | CpuAccessFlags::READ,
                    ..desc.clone()
                };
                let staging = h.device.create_texture_2d(&staging, None).unwrap();
                // Offsets are multiples of the block width, which is two texels or one.
                let step = format.block_size().0;
                let (x, to_x, wide) = (3 * step, step, 2 * step + step);
                h.record(how, |cx| {
                    for (at, bytes) in (0..).zip(&bytes) {
                        cx.update_subresource(&updated, at, None, bytes, format.row_pitch(size(at).0), 0);
                    }
                    cx.copy_resource(&staging, &updated);
                    cx.copy_resource(&copied, &staging);
                    let part_of = Some(Box3d::rect(x, 1, x + wide, 4));
                    cx.copy_subresource_region(&part, 0, [to_x, 2, 0], &staging, 0, part_of);
                    cx.copy_subresource_region(&part, mips, [to_x, 1, 0], &updated, 0, part_of);
                    cx.copy_subresource_region(
                        &part,
                        mips,
                        [to_x + step, 2, 0],
                        &part,
                        mips,
                        Some(Box3d::rect(to_x, 1, to_x + wide, 4)),
                    );
                });
                for texture in [&given, &updated, &copied] {
                    for (at, bytes) in (0..).zip(&bytes) {
                        let found = h.read(texture, at);
                        assert!(
                            is_kept(h, format, &found, bytes),
                            "{format:?} {at} {how:?}: {found:?} {bytes:?}"
                        );
                    }
                }
                let pitch = format.row_pitch(width) as usize;
                let unit = format.bytes_per_block() as usize;
                let paste =
                    |to: &mut Vec<u8>, from: &[u8], (x, y): (u32, usize), (from_x, from_y): (u32, usize)| {
                        for row in 0..3 {
                            let length = (wide / step) as usize * unit;
                            let from_at = (from_y + row) * pitch + (from_x / step) as usize * unit;
                            let to_at = (y + row) * pitch + (x / step) as usize * unit;
                            to[to_at..to_at + length].copy_from_slice(&from[from_at..from_at + length]);
                        }
                    };
                let empty = vec![0; pitch * height as usize];
                let mut first = empty.clone();
                paste(&mut first, &bytes[0], (to_x, 2), (x, 1));
                let found = h.read(&part, 0);
                assert!(is_kept(h, format, &found, &first), "{format:?} {how:?}: {found:?} {first:?}");
                let mut second = empty;
                paste(&mut second, &bytes[0], (to_x, 1), (x, 1));
                let before = second.clone();
                paste(&mut second, &before, (to_x + step, 2), (to_x, 1));
                let found = h.read(&part, mips);
                assert!(is_kept(h, format, &found, &second), "{format:?} {how:?}: {found:?} {second:?}");
            }
        }
    });
}

#[test]
fn shaders_read_the_values_of_packed_texels() {
    on_each(&gpu_matrix(), |h| {
        let show = Cover::new(
            &h.device,
            "@group(1) @binding(0) var t: texture_2d<f32>;",
            "return textureLoad(t, vec2u(position.xy), 0);",
        );
        let mut random = Random::new(5);
        for format in FORMATS.into_iter().filter(|format| !format.is_integer() && !format.is_srgb()) {
            let row = row(&mut random, format, 8);
            let data = [SubresourceData { bytes: &row, row_pitch: 0, depth_pitch: 0 }];
            let desc = Texture2dDesc { mip_levels: 1, ..desc(format, 8, 1) };
            let texture = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
            let view = h.device.create_shader_resource_view(&texture, None).unwrap();
            let target = Target::new(&h.device, 8, 1);
            h.record(CommandPath::Deferred, |cx| {
                target.bind(cx);
                cx.ps_set_shader_resources(0, &view);
                show.draw(cx);
            });
            for (at, found) in target.read(h).into_iter().enumerate() {
                let expected = read(format, &row, at).map(|n| (n * 255.0).round() as u8);
                let expected = u32::from_le_bytes(expected);
                assert!(is_close(found, expected, 1), "{format:?}: {found:x}, not {expected:x}");
            }
        }
    });
}

/// Missing components have Direct3D 11's default values. A missing alpha is 1, even after clears and draws,
/// and the missing colour of A8_UNORM is 0 (Wine 10.0, d3d11 tests, line 8499).
#[test]
fn draws_blend_with_the_default_of_missing_components() {
    on_each(&gpu_matrix(), |h| {
        let quad = Quad::new(&h.device);
        let blend = BlendDesc::all(RenderTargetBlendDesc {
            blend_enable: true,
            src_blend: Blend::DestAlpha,
            dest_blend: Blend::InvDestAlpha,
            ..RenderTargetBlendDesc::default()
        });
        let blend = h.device.create_blend_state(&blend).unwrap();
        for (format, clear, over) in [
            (Format::B8G8R8X8_UNORM, [0x00, 0x00, 0xff], [0x00, 0xff, 0x00]),
            (Format::B5G6R5_UNORM, [0x00, 0xf8, 0], [0xe0, 0x07, 0]),
            (Format::B5G5R5A1_UNORM, [0x00, 0x7c, 0], [0x00, 0x7c, 0]),
            (Format::B4G4R4A4_UNORM, [0x00, 0x8f, 0], [0x80, 0x47, 0]),
            (Format::A8_UNORM, [0x80, 0, 0], [0x40, 0, 0]),
        ] {
            for how in CommandPath::ALL {
                let desc = Texture2dDesc {
                    mip_levels: 1,
                    bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
                    ..Texture2dDesc::new(format, 2, 1)
                };
                let [one, two] = [(); 2].map(|()| h.device.create_texture_2d(&desc, None).unwrap());
                let [first, second] =
                    [&one, &two].map(|image| h.device.create_render_target_view(image, None).unwrap());
                let alpha = if format == Format::B5G5R5A1_UNORM { 0.0 } else { 0.5 };
                h.record(how, |cx| {
                    for view in [&first, &second] {
                        cx.clear_render_target_view(view, [1.0, 0.0, 0.0, alpha]);
                    }
                    cx.om_set_render_targets([&second], None);
                    cx.rs_set_viewports([Viewport::sized(2.0, 1.0)]);
                    cx.om_set_blend_state(&blend, [1.0; 4], u32::MAX);
                    quad.bind(cx);
                    quad.draw(cx, [0.0, 1.0, 0.0, 0.25]);
                });
                let bytes = format.bytes_per_block() as usize;
                let (cleared, drawn) = (h.read(&one, 0), h.read(&two, 0));
                let near = |a: &[u8], b: &[u8]| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1);
                assert!(
                    near(&cleared[..bytes.min(3)], &clear),
                    "{format:?}, {how:?}: {cleared:x?}, not {clear:x?}"
                );
                assert!(
                    near(&drawn[..bytes.min(3)], &over),
                    "{format:?}, {how:?}: {drawn:x?}, not {over:x?}"
                );
            }
        }
        h.take_errors();
    });
}

/// Missing components have Direct3D 11's default values even in a texture without contents.
#[test]
fn a_new_texture_reads_missing_alpha_as_one() {
    on_each(&[Config::GPU], |h| {
        let show = Cover::new(
            &h.device,
            "@group(1) @binding(0) var t: texture_2d<f32>;",
            "return textureLoad(t, vec2u(0u), 1);",
        );
        for (format, expected) in [
            (Format::B8G8R8X8_UNORM, 0xff00_0000),
            (Format::B5G6R5_UNORM, 0xff00_0000),
            (Format::B5G5R5A1_UNORM, 0),
            (Format::A8_UNORM, 0),
            (Format::R8G8_B8G8_UNORM, 0xff00_0000),
            (Format::R32G32B32_FLOAT, 0xff00_0000),
        ] {
            let texture = h.device.create_texture_2d(&desc(format, 4, 4), None).unwrap();
            let view = h.device.create_shader_resource_view(&texture, None).unwrap();
            let target = Target::new(&h.device, 1, 1);
            h.record(CommandPath::Immediate, |cx| {
                target.bind(cx);
                cx.ps_set_shader_resources(0, &view);
                show.draw(cx);
            });
            assert_eq!(target.read(h), [expected], "{format:?}");
        }
    });
}

/// A shader must not read back the value that a draw wrote to a component that the format lacks.
#[test]
fn a_draw_does_not_store_missing_components() {
    on_each(&gpu_matrix(), |h| {
        let show = Cover::new(
            &h.device,
            "@group(1) @binding(0) var t: texture_2d<f32>;",
            "return textureLoad(t, vec2u(0u), 0);",
        );
        let quad = Quad::new(&h.device);
        let target = Target::new(&h.device, 1, 1);
        for (format, expected) in [
            (Format::R8G8B8A8_UNORM, 0x3300_00ff),
            (Format::B8G8R8X8_UNORM, 0xff00_00ff),
            (Format::B5G6R5_UNORM, 0xff00_00ff),
            (Format::A8_UNORM, 0x3300_0000),
        ] {
            let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::render_target(format, 1, 1) };
            let image = h.device.create_texture_2d(&desc, None).unwrap();
            let drawn = h.device.create_render_target_view(&image, None).unwrap();
            let read = h.device.create_shader_resource_view(&image, None).unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.om_set_render_targets([&drawn], None);
                cx.rs_set_viewports([Viewport::sized(1.0, 1.0)]);
                quad.bind(cx);
                quad.draw(cx, [1.0, 0.0, 0.0, 0.2]);
                target.bind(cx);
                cx.ps_set_shader_resources(0, &read);
                show.draw(cx);
            });
            assert_eq!(target.read(h), [expected], "{format:?}");
        }
    });
}
