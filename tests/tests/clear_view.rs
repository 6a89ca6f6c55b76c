//! `clear_view` and discards: rectangles of all view types, compared with a model of the texels.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{OutputView, Rect, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Random, gpu_matrix, null_matrix, on_each, watched_device};

const SIZE: u32 = 8;

const fn rect(left: i32, top: i32, right: i32, bottom: i32) -> Rect {
    Rect { left, top, right, bottom }
}

/// Returns rectangles inside, outside and on the edges, some of them empty or inverted.
fn any_rects(random: &mut Random) -> Vec<Rect> {
    let count = random.below(4);
    (0..count)
        .map(|_| {
            let mut at = || random.below(16) as i32 - 4;
            rect(at(), at(), at(), at())
        })
        .collect()
}

fn covers(rects: &[Rect], x: u32, y: u32) -> bool {
    let (x, y) = (x as i32, y as i32);
    rects.is_empty() || rects.iter().any(|r| r.left <= x && x < r.right && r.top <= y && y < r.bottom)
}

/// Formats of four bytes, each with a colour and its expected bytes.
const COLORS: [(Format, [f32; 4], [u8; 4]); 6] = [
    (Format::R8G8B8A8_UNORM, [1.0, 0.0, f32::NAN, 2.0], [255, 0, 0, 255]),
    (Format::B8G8R8A8_UNORM, [1.0, 0.0, 0.0, 1.0], [0, 0, 255, 255]),
    (Format::R8G8B8A8_UINT, [235.9, -3.0, 300.0, f32::NAN], [235, 0, 255, 0]),
    (Format::R8G8B8A8_SINT, [-1.9, -200.0, 200.0, 5.0], [0xff, 0x80, 0x7f, 5]),
    (Format::R32_FLOAT, [0.5, 0.0, 0.0, 0.0], 0.5_f32.to_le_bytes()),
    (Format::R16G16_UINT, [70000.0, 258.0, 0.0, 0.0], [0xff, 0xff, 2, 1]),
];

fn configs() -> Vec<Config> {
    let mut all = null_matrix();
    all.extend(gpu_matrix());
    all
}

/// Compares a slice of mip level 1 with the model if the driver draws.
fn expect(h: &mut Harness, texture: &Texture2d, slice: u32, model: &[[u8; 4]], what: &str) {
    if h.draws() {
        let found = h.read(texture, texture.subresource(1, slice));
        assert_eq!(found, model.as_flattened(), "{what}, slice {slice}");
    }
}

#[test]
fn rectangles_of_every_slice_get_the_colour() {
    on_each(&configs(), |h| {
        for (at, (format, color, bytes)) in COLORS.into_iter().enumerate() {
            for binds in [BindFlags::RENDER_TARGET, BindFlags::UNORDERED_ACCESS] {
                let desc = Texture2dDesc {
                    mip_levels: 2,
                    array_size: 3,
                    bind_flags: binds,
                    ..Texture2dDesc::new(format, 2 * SIZE, 2 * SIZE)
                };
                let Ok(texture) = h.device.create_texture_2d(&desc, None) else {
                    h.take_errors();
                    continue;
                };
                let mut random = Random::new(at as u64);
                let mut model = vec![[[0; 4]; (SIZE * SIZE) as usize]; 3];
                for how in [
                    CommandPath::Immediate,
                    CommandPath::Deferred,
                    CommandPath::Nested,
                    CommandPath::Immediate,
                ] {
                    let rects = any_rects(&mut random);
                    let (first, slices) = *random.pick(&[(0, 3), (1, 1), (1, 2)]);
                    h.record(how, |context| {
                        clear(context, &texture, binds, (first, slices), color, &rects);
                    });
                    for slice in &mut model[first as usize..(first + slices) as usize] {
                        for (i, texel) in slice.iter_mut().enumerate() {
                            if covers(&rects, i as u32 % SIZE, i as u32 / SIZE) {
                                *texel = bytes;
                            }
                        }
                    }
                    for (slice, model) in model.iter().enumerate() {
                        expect(
                            h,
                            &texture,
                            slice as u32,
                            model,
                            &format!("{format:?} {binds:?} {how:?} {rects:?}"),
                        );
                    }
                }
            }
        }
        h.assert_silent();
    });
}

fn clear(
    context: &mut DeviceContext,
    texture: &Texture2d,
    binds: BindFlags,
    (first, slices): (u32, u32),
    color: [f32; 4],
    rects: &[Rect],
) {
    let (device, format) = (context.device(), texture.desc().format);
    if binds == BindFlags::RENDER_TARGET {
        let part = RenderTargetViewDesc::texture_2d_array(format, 1, first, slices);
        let view = device.create_render_target_view(texture, &part).unwrap();
        context.clear_view(&view, color, rects);
    } else {
        let part = UnorderedAccessViewDesc::texture_2d_array(format, 1, first, slices);
        let view = device.create_unordered_access_view(texture, &part).unwrap();
        context.clear_view(&view, color, rects);
    }
}

#[test]
fn other_formats_of_the_family_write_their_own_bytes() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let desc = Texture2dDesc {
            mip_levels: 1,
            bind_flags: BindFlags::RENDER_TARGET,
            ..Texture2dDesc::new(Format::R8G8B8A8_TYPELESS, 4, 4)
        };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let part = [rect(1, 0, 2, 1)];
        for (format, expected) in
            [(Format::R8G8B8A8_UNORM, 0x8080_8080), (Format::R8G8B8A8_UNORM_SRGB, 0x80bc_bcbc_u32)]
        {
            let view =
                h.device.create_render_target_view(&texture, &RenderTargetViewDesc::format(format)).unwrap();
            h.immediate.clear_view(&view, [0.5; 4], &part);
            if h.draws() {
                let found = h.read_u32(&texture, 0);
                assert_eq!(found[0], 0, "{format:?}");
                for byte in 0..4 {
                    let of = |texel: u32| i32::from(texel.to_le_bytes()[byte]);
                    assert!((of(found[1]) - of(expected)).abs() <= 1, "{format:?}: {:#x}", found[1]);
                }
            }
        }
    });
}

#[test]
fn depth_without_stencil_is_cleared_by_rectangles() {
    on_each(&configs(), |h| {
        for format in [Format::D32_FLOAT, Format::D16_UNORM] {
            let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::depth_stencil(format, SIZE, SIZE) };
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            let view = h.device.create_depth_stencil_view(&texture, None).unwrap();
            // Depth textures cannot be mapped, so the texels are copied to a colour texture.
            let color = if format == Format::D32_FLOAT { Format::R32_FLOAT } else { Format::R16_UNORM };
            let copy = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(color, SIZE, SIZE) };
            let copy = h.device.create_texture_2d(&copy, None).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |context| {
                    context.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 1.0, 0);
                    context.clear_view(&view, [-3.0, 9.0, 9.0, 9.0], &[rect(2, 0, 4, 3), rect(7, 7, 90, 90)]);
                    context.clear_view(&view, [0.5, 9.0, 9.0, 9.0], &[rect(3, 2, 5, 4)]);
                });
                if !h.draws() {
                    continue;
                }
                h.immediate.copy_resource(&copy, &texture);
                let texels = h.read(&copy, 0);
                for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
                    let expected = if covers(&[rect(3, 2, 5, 4)], x, y) {
                        0.5
                    } else if covers(&[rect(2, 0, 4, 3), rect(7, 7, 8, 8)], x, y) {
                        0.0
                    } else {
                        1.0
                    };
                    let at = (y * SIZE + x) as usize;
                    let found = match format {
                        Format::D32_FLOAT => f32::from_le_bytes(texels[4 * at..][..4].try_into().unwrap()),
                        _ => {
                            f32::from(u16::from_le_bytes(texels[2 * at..][..2].try_into().unwrap())) / 65535.0
                        }
                    };
                    assert!((found - expected).abs() < 1e-4, "{format:?} {how:?} at {x}, {y}: {found}");
                }
            }
        }
        h.assert_silent();
    });
}

#[test]
fn elements_of_typed_buffers_are_cleared_by_ranges() {
    on_each(&configs(), |h| {
        let desc = BufferDesc::new(4 * 64, BindFlags::UNORDERED_ACCESS);
        let Ok(buffer) = h.device.create_buffer(&desc, None) else {
            h.take_errors();
            return;
        };
        for (format, color, word) in [
            (Format::R32_UINT, [7.9, 0.0, 0.0, 0.0], 7),
            (Format::R8G8B8A8_UNORM, [1.0, 0.0, 1.0, 0.0], 0x00ff_00ff),
            (Format::R32_FLOAT, [0.5, 0.0, 0.0, 0.0], 0.5_f32.to_bits()),
        ] {
            for how in CommandPath::ALL {
                let part = UnorderedAccessViewDesc::typed_buffer(format, 3, 50);
                let view = h.device.create_unordered_access_view(&buffer, &part).unwrap();
                h.immediate.update_subresource(&buffer, 0, None, &[1_u32; 64], 0, 0);
                h.record(how, |context| {
                    let rects =
                        [rect(0, 0, 2, 1), rect(10, 0, 13, 1), rect(45, -3, 500, 1), rect(20, 0, 30, 0)];
                    context.clear_view(&view, color, &rects);
                });
                if h.draws() {
                    let words: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
                    for (at, found) in words.into_iter().enumerate() {
                        let cleared = matches!(at, 3..5 | 13..16 | 48..53);
                        assert_eq!(found, if cleared { word } else { 1 }, "{format:?} {how:?} element {at}");
                    }
                }
            }
        }
        h.assert_silent();
    });
}

#[test]
fn clear_view_keeps_its_place_between_commands() {
    on_each(&gpu_matrix(), |h| {
        let target = h.device.create_render_target(Format::R8G8B8A8_UNORM, 4, 1).unwrap();
        let copy = h.device.create_render_target(Format::R8G8B8A8_UNORM, 4, 1).unwrap();
        for how in CommandPath::ALL {
            h.record(how, |context| {
                let view = &target.render_target_view;
                context.om_set_render_targets(view, None);
                context.clear_render_target_view(view, [1.0, 0.0, 0.0, 1.0]);
                context.clear_view(view, [0.0, 1.0, 0.0, 1.0], &[rect(1, 0, 3, 1)]);
                context.copy_resource(&copy.texture, &target.texture);
                context.clear_view(view, [0.0, 0.0, 1.0, 1.0], &[rect(2, 0, 4, 1)]);
            });
            let (red, green, blue) = (0xff00_00ff, 0xff00_ff00, 0xffff_0000);
            assert_eq!(h.read_u32(&copy.texture, 0), [red, green, green, red], "{how:?}");
            assert_eq!(h.read_u32(&target.texture, 0), [red, green, blue, blue], "{how:?}");
        }
    });
}

#[test]
fn views_without_a_colour_format_are_refused() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let id = MessageId::ClearViewInvalid;
        let depth =
            Texture2dDesc { mip_levels: 1, ..Texture2dDesc::depth_stencil(Format::D24_UNORM_S8_UINT, 4, 4) };
        let depth = h.device.create_texture_2d(&depth, None).unwrap();
        let view = h.device.create_depth_stencil_view(&depth, None).unwrap();
        h.immediate.clear_view(&view, [0.0; 4], &[]);
        h.assert_reported(id);
        let buffers = [
            (
                BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS),
                UnorderedAccessViewDesc::buffer(0, 4),
            ),
            (BufferDesc::raw(16, BindFlags::UNORDERED_ACCESS), UnorderedAccessViewDesc::raw_buffer(0, 4)),
        ];
        for (desc, part) in buffers {
            let Ok(buffer) = h.device.create_buffer(&desc, None) else {
                h.take_errors();
                continue;
            };
            let view = h.device.create_unordered_access_view(&buffer, &part).unwrap();
            h.immediate.clear_view(&view, [0.0; 4], &[rect(0, 0, 1, 1)]);
            h.assert_reported(id);
        }
        let null = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
        let (_watch, other, _context) = watched_device(&null).unwrap();
        let foreign = other.create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        let foreign = OutputView::from(&foreign.render_target_view);
        h.immediate.clear_view(foreign, [0.0; 4], &[]);
        h.assert_reported(MessageId::ForeignObject);
        h.immediate.discard_view(foreign);
        h.assert_reported(MessageId::ForeignObject);
    });
}

#[test]
fn discards_leave_everything_else_alone() {
    on_each(&gpu_matrix(), |h| {
        let desc = Texture2dDesc {
            mip_levels: 2,
            array_size: 2,
            bind_flags: BindFlags::RENDER_TARGET,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4)
        };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let view = |mip, slice| {
            let part = RenderTargetViewDesc::texture_2d_array(Format::R8G8B8A8_UNORM, mip, slice, 1);
            h.device.create_render_target_view(&texture, &part).unwrap()
        };
        let views = [view(0, 0), view(1, 0), view(0, 1), view(1, 1)];
        for how in CommandPath::ALL {
            h.record(how, |context| {
                for (view, level) in views.iter().zip([0.25, 0.5, 0.75, 1.0]) {
                    context.clear_render_target_view(view, [level; 4]);
                }
                context.discard_view(&views[1]);
                context.discard_view1(&views[2], &[rect(0, 0, 1, 1)]);
                context.discard_resource(&texture);
                // Writes after a discard must be kept, although the discarded contents are undefined.
                context.clear_view(&views[1], [0.0, 0.0, 0.0, 1.0], &[rect(0, 0, 2, 2)]);
                context.clear_render_target_view(&views[2], [1.0; 4]);
            });
            assert_eq!(h.read_u32(&texture, 1), [0xff00_0000; 4], "{how:?}");
            assert_eq!(h.read_u32(&texture, 2), [u32::MAX; 16], "{how:?}");
        }
        let staging = Texture2dDesc {
            usage: Usage::Staging,
            cpu_access_flags: CpuAccessFlags::READ,
            bind_flags: BindFlags::empty(),
            ..desc.clone()
        };
        let staging = h.device.create_texture_2d(&staging, None).unwrap();
        h.assert_silent();
        h.immediate.discard_resource(&staging);
        h.assert_reported(MessageId::DiscardInvalid);
    });
}
