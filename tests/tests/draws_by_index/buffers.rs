//! Constants in different types of buffers, in one slot and in several.

use super::*;

/// Rectangles whose two constants are in one structure.
const IN_ONE: &str = "
    struct Constants { rect: vec4<f32>, color: vec4<f32> }
    @group(0) @binding(0) var<uniform> c: Constants;
    @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
        let r = c.rect;
        return vec4<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
    }
    @fragment fn ps_main() -> @location(0) vec4<f32> { return c.color; }
";

fn bind_both(cx: &mut DeviceContext, buffer: &Buffer) {
    cx.vs_set_constant_buffers(0, buffer);
    cx.ps_set_constant_buffers(0, buffer);
}

#[test]
fn one_buffer_that_both_stages_read_is_merged() {
    let make = |device: &Device| (Shaders::new(device, IN_ONE), dynamic(device, 256));
    let drawn = compare(make, |(shaders, buffer), cx, _| {
        shaders.bind(cx);
        bind_both(cx, buffer);
        // 600 draws exceed the size of a window and the number of draws that the driver merges at once.
        for n in 0..600 {
            discard(cx, buffer, &[rect(n), color(n)]);
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        let Statistics { draws, draws_by_index, draws_merged, .. } = statistics;
        assert!(draws_by_index * 2 > draws, "{statistics:?}");
        assert!(draws_merged * 100 > draws_by_index * 95, "{statistics:?}");
    }
}

#[test]
fn a_buffer_of_each_stage_is_merged() {
    let make =
        |device: &Device| (Shaders::new(device, RECTANGLES), dynamic(device, 256), dynamic(device, 64));
    let drawn = compare(make, |(shaders, place, paint), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(0, place);
        cx.ps_set_constant_buffers(0, paint);
        for n in 0..300 {
            discard(cx, place, &rect(n));
            discard(cx, paint, &color(n));
            cx.draw(4, 0);
        }
        for n in 300..330 {
            discard(cx, if n % 2 == 0 { place } else { paint }, &if n % 2 == 0 { rect(n) } else { color(n) });
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_merged * 3 > statistics.draws, "{statistics:?}");
    }
}

#[test]
fn slots_may_switch_between_a_shared_and_own_buffers() {
    let make =
        |device: &Device| (Shaders::new(device, RECTANGLES), [16; 3].map(|size| dynamic(device, size)));
    compare(make, |(shaders, [both, place, paint]), cx, _| {
        shaders.bind(cx);
        for n in 0..120 {
            match n / 20 % 3 {
                0 => {
                    bind_both(cx, both);
                    discard(cx, both, &rect(n));
                }
                1 => {
                    cx.vs_set_constant_buffers(0, place);
                    cx.ps_set_constant_buffers(0, paint);
                    discard(cx, place, &rect(n));
                    discard(cx, paint, &color(n));
                }
                _ => {
                    cx.ps_set_constant_buffers(0, if n % 2 == 0 { both } else { paint });
                    discard(cx, place, &rect(n));
                }
            }
            cx.draw(4, 0);
        }
    });
}

fn at_steps(draws: u32, bytes: usize) -> Vec<u8> {
    let mut all = vec![0; bytes];
    for n in 0..draws {
        let at = n as usize * 256;
        all[at..at + 32].copy_from_slice(bytemuck::cast_slice(&[rect(n), color(n)]));
    }
    all
}

#[test]
fn offsets_into_one_buffer_are_chosen_by_index_up_to_its_end() {
    // The first shader reads 32 bytes, so a window has 256 elements of 64 bytes. The second one declares 256 bytes,
    // so a window has 64 KiB. In the last row, the buffer is too short for a window and is not a slice of a larger
    // block.
    let large = IN_ONE.replace("color: vec4<f32>", "color: vec4<f32>, more: array<vec4<f32>, 14>");
    assert_ne!(large, IN_ONE);
    for (draws, source, has_window) in [(100_u32, IN_ONE, true), (390, &*large, true), (100, &*large, false)]
    {
        let bytes = draws as usize * 256;
        let make = |device: &Device| {
            let desc = BufferDesc::dynamic(bytes as u32, BindFlags::CONSTANT_BUFFER);
            (Shaders::new(device, source), device.create_buffer(&desc, None).unwrap())
        };
        let drawn = compare(make, |(shaders, buffer), cx, _| {
            shaders.bind(cx);
            cx.map(buffer, 0, MapType::WriteDiscard).unwrap().copy_from_slice(&at_steps(draws, bytes));
            let places = (0..draws).chain((0..draws).rev()).chain((0..draws).map(|n| n * 7 % draws));
            for n in places {
                cx.vs_set_constant_buffers1(0, buffer, &[ConstantRange::bytes(n * 256, 256)]);
                cx.ps_set_constant_buffers1(0, buffer, &[ConstantRange::bytes(n * 256, 256)]);
                cx.draw(4, 0);
            }
        });
        for Drawn { statistics, .. } in drawn.into_iter().flatten() {
            assert_eq!(statistics.draws_by_index * 2 > statistics.draws, has_window, "{statistics:?}");
        }
    }
}

#[test]
fn parts_of_a_buffer_that_are_too_short_read_zero() {
    const LARGE: &str = "
        struct Large { all: array<vec4<f32>, 32> }
        @group(0) @binding(0) var<uniform> large: Large;
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
            let r = large.all[0];
            return vec4<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> { return large.all[20]; }";
    const DRAWS: u32 = 200;
    let make = |device: &Device| {
        let mut all = vec![[0.0_f32; 4]; 32 * DRAWS as usize];
        for (n, block) in (0..).zip(all.chunks_mut(32)) {
            (block[0], block[20]) = (rect(n), color(n));
        }
        let buffer = device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &all[..]).unwrap();
        (Shaders::new(device, LARGE), buffer)
    };
    let drawn =
        compare_reported(&[MessageId::DrawConstantBufferTooSmall], make, |(shaders, buffer), cx, _| {
            shaders.bind(cx);
            for n in 0..DRAWS {
                // Some ranges end before the colour, although the buffer does not.
                let part = ConstantRange::bytes(n * 512, if n % 9 == 4 { 256 } else { 512 });
                cx.vs_set_constant_buffers1(0, buffer, &[part]);
                cx.ps_set_constant_buffers1(0, buffer, &[part]);
                cx.draw(4, 0);
            }
        });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index * 2 > statistics.draws, "{statistics:?}");
    }
}

#[test]
fn updated_buffers_are_chosen_by_index() {
    let make = |device: &Device| {
        let desc = BufferDesc::new(256, BindFlags::CONSTANT_BUFFER);
        (Shaders::new(device, IN_ONE), device.create_buffer(&desc, None).unwrap())
    };
    let drawn = compare(make, |(shaders, buffer), cx, _| {
        shaders.bind(cx);
        bind_both(cx, buffer);
        for n in 0..100 {
            let mut bytes = [0_u8; 256];
            bytes[..32].copy_from_slice(bytemuck::cast_slice(&[rect(n), color(n)]));
            cx.update_subresource(buffer, 0, None, &bytes, 0, 0);
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index * 2 > statistics.draws, "{statistics:?}");
    }
}

#[test]
fn many_buffers_that_never_change_are_chosen_by_index() {
    let make = |device: &Device| {
        let buffers: Vec<_> = (0..100)
            .map(|n| device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[rect(n), color(n)]).unwrap())
            .collect();
        (Shaders::new(device, IN_ONE), buffers)
    };
    let drawn = compare(make, |(shaders, buffers), cx, _| {
        shaders.bind(cx);
        for n in 0..200 {
            bind_both(cx, &buffers[n * 37 % buffers.len()]);
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index * 2 > statistics.draws, "{statistics:?}");
    }
}

#[test]
fn constants_larger_than_a_slice_and_arrays_are_chosen_by_index() {
    const SOURCE: &str = "
        struct Place { which: vec4<u32>, rects: array<vec4<f32>, 40> }
        struct Paint { which: vec4<u32>, colors: array<mat4x4<f32>, 10>, last: vec2<f32> }
        @group(0) @binding(2) var<uniform> place: Place;
        @group(0) @binding(1) var<uniform> paint: Paint;
        fn corner(index: u32) -> vec2<f32> {
            let r = place.rects[place.which.x];
            return vec2<f32>(r[(index & 2u)], r[(index & 1u) * 2u + 1u]);
        }
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
            return vec4<f32>(corner(index), 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> {
            let all = paint;
            let column = all.which.y;
            return vec4<f32>(paint.colors[paint.which.x][column].xy, all.last.y, paint.colors[9][3][3]);
        }
    ";
    let make = |device: &Device| {
        (Shaders::new(device, SOURCE), dynamic(device, 16 + 40 * 16), dynamic(device, 16 + 640 + 16))
    };
    let drawn = compare(make, |(shaders, place, paint), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(2, place);
        cx.ps_set_constant_buffers(1, paint);
        for n in 0..150_u32 {
            let mut rects = [[0.0_f32; 4]; 41];
            rects[0][0] = f32::from_bits(n % 40);
            rects[1 + n as usize % 40] = rect(n);
            discard(cx, place, &rects);
            let mut colors = [[0.0_f32; 4]; 42];
            colors[0][..2].copy_from_slice(&[n % 9, n % 4].map(f32::from_bits));
            colors[1 + (n as usize % 9) * 4 + n as usize % 4] = color(n);
            (colors[40][3], colors[41][1]) = (1.0, color(n)[2]);
            discard(cx, paint, &colors);
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index * 2 > statistics.draws, "{statistics:?}");
    }
}

#[test]
fn constants_beyond_the_end_and_empty_slots_are_zero() {
    let make = |device: &Device| (Shaders::new(device, IN_ONE), dynamic(device, 256), dynamic(device, 16));
    let drawn = compare_reported(
        &[MessageId::DrawConstantBufferNotSet, MessageId::DrawConstantBufferTooSmall],
        make,
        |(shaders, whole, short), cx, _| {
            shaders.bind(cx);
            for n in 0..90 {
                bind_both(cx, whole);
                discard(cx, whole, &[rect(n), color(n)]);
                discard(cx, short, &rect(n));
                match n / 15 % 3 {
                    0 => {}
                    1 => cx.ps_set_constant_buffers(0, short),
                    _ => cx.ps_set_constant_buffers(0, None),
                }
                cx.draw(4, 0);
            }
        },
    );
    for Drawn { statistics, messages, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index > 0 && statistics.draws_alone_no_window > 0, "{statistics:?}");
        let hints = messages.iter().filter(|message| message.id == MessageId::DrawsAlone);
        assert_ne!(hints.count(), 0, "{messages:?}");
    }
}

/// Rectangles whose constants are in four buffers.
const IN_FOUR: &str = "
    @group(0) @binding(0) var<uniform> low: vec4<f32>;
    @group(0) @binding(1) var<uniform> high: vec4<f32>;
    @group(0) @binding(2) var<uniform> depth: vec4<f32>;
    @group(0) @binding(3) var<uniform> color: vec4<f32>;
    @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
        let at = vec2<f32>(select(low.x, high.x, (index & 2u) != 0u), select(low.y, high.y, (index & 1u) != 0u));
        return vec4<f32>(at, depth.x, 1.0);
    }
    @fragment fn ps_main() -> @location(0) vec4<f32> { return color; }
";

#[test]
fn four_changing_buffers_prevent_merging_with_a_hint() {
    for changing in [3, 4] {
        let make =
            |device: &Device| (Shaders::new(device, IN_FOUR), [16; 4].map(|size| dynamic(device, size)));
        let drawn = compare(make, |(shaders, buffers), cx, _| {
            shaders.bind(cx);
            for (slot, buffer) in (0..).zip(buffers) {
                cx.vs_set_constant_buffers(slot, buffer);
                cx.ps_set_constant_buffers(slot, buffer);
            }
            discard(cx, &buffers[2], &[0.5_f32; 4]);
            for n in 0..100 {
                let [left, bottom, right, top] = rect(n);
                discard(cx, &buffers[0], &[left, bottom]);
                discard(cx, &buffers[1], &[right, top]);
                discard(cx, &buffers[3], &color(n));
                if changing == 4 {
                    discard(cx, &buffers[2], &[n as f32 / 100.0; 4]);
                }
                cx.draw(4, 0);
            }
        });
        let Some([_, on]) = drawn else { return };
        let Statistics { draws_by_index, draws_alone_too_many_buffers, .. } = on.statistics;
        assert_eq!(draws_by_index > 0, changing == 3, "{:?}", on.statistics);
        assert_eq!(draws_alone_too_many_buffers > 0, changing == 4, "{:?}", on.statistics);
        let is_hint = |message: &Message| message.id == MessageId::DrawsAlone;
        assert_eq!(on.messages.iter().any(is_hint), changing == 4, "{:?}", on.messages);
    }
}
