//! Stretches of draws that differ only in their constants, and commands that end them.

use super::*;

const SEPARATE: &str = "
    struct Place { rect: vec4<f32> }
    struct Paint { color: vec4<f32> }
    @group(0) @binding(1) var<uniform> place: Place;
    @group(0) @binding(0) var<uniform> paint: Paint;
    @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
        let r = place.rect;
        return vec4<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
    }
    @fragment fn ps_main() -> @location(0) vec4<f32> { return paint.color; }
";

#[test]
fn a_draw_with_another_start_ends_a_stretch() {
    let make =
        |device: &Device| (Shaders::new(device, RECTANGLES), [16; 2].map(|size| dynamic(device, size)));
    compare(make, |(shaders, [place, paint]), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(0, place);
        cx.ps_set_constant_buffers(0, paint);
        for n in 0..200 {
            discard(cx, place, &rect(n));
            discard(cx, paint, &color(n));
            // SV_VertexID begins at 0 in every draw.
            cx.draw(4, if n % 7 == 6 { 2 } else { 0 });
        }
    });
}

#[test]
fn the_last_buffer_of_a_slot_remains_after_a_stretch() {
    let make = |device: &Device| (Shaders::new(device, SEPARATE), [16; 3].map(|size| dynamic(device, size)));
    compare(make, |(shaders, [place, both, other]), cx, target| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(1, place);
        cx.vs_set_constant_buffers(0, both);
        for n in 0..200 {
            discard(cx, place, &rect(n));
            discard(cx, other, &color(n + 1));
            cx.ps_set_constant_buffers(0, other);
            if n % 3 == 0 {
                cx.draw(4, 0);
            }
            cx.ps_set_constant_buffers(0, both);
            discard(cx, both, &color(n));
            if n % 4 == 3 {
                cx.rs_set_viewports(Viewport::sized(if n % 8 == 3 { 48.0 } else { 64.0 }, 64.0));
            }
            cx.draw(4, 0);
        }
        target.bind(cx);
    });
}

#[test]
fn a_buffer_that_leaves_its_window_does_not_affect_other_slots() {
    let make =
        |device: &Device| (Shaders::new(device, RECTANGLES), [16; 2].map(|size| dynamic(device, size)));
    compare(make, |(shaders, [place, paint]), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(0, place);
        cx.ps_set_constant_buffers(0, paint);
        for n in 0..1500 {
            // Between two contents of `paint` are as many of `place` as a window contains.
            let [x, y, ..] = rect(n);
            discard(cx, place, &[x, y, x + 0.05, y + 0.05]);
            if n % 256 == 0 {
                discard(cx, paint, &color(n / 256));
            }
            cx.draw(4, 0);
        }
    });
}

#[test]
fn ranges_of_an_imported_buffer_are_selected_in_a_stretch() {
    const DRAWS: u32 = 60;
    let make = |device: &Device| {
        let mut all = vec![0_u8; DRAWS as usize * 256];
        for (n, range) in (0..).zip(all.chunks_mut(256)) {
            range[..16].copy_from_slice(bytemuck::bytes_of(&rect(n)));
        }
        // The buffer is not the first one in its memory.
        let first = device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &all[..]).unwrap();
        let places = device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &all[..]).unwrap();
        (Shaders::new(device, RECTANGLES), first, places, dynamic(device, 16))
    };
    compare(make, |(shaders, _, places, paint), cx, _| {
        shaders.bind(cx);
        cx.ps_set_constant_buffers(0, paint);
        for n in (0..DRAWS).chain((0..DRAWS).rev()) {
            discard(cx, paint, &color(n));
            cx.vs_set_constant_buffers1(0, places, &[ConstantRange::bytes(n * 256, 256)]);
            cx.draw(4, 0);
        }
    });
}

#[test]
fn a_stage_may_leave_a_shared_buffer_within_a_stretch() {
    let make =
        |device: &Device| (Shaders::new(device, RECTANGLES), [16; 2].map(|size| dynamic(device, size)));
    let drawn = compare(make, |(shaders, [both, paint]), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(0, both);
        cx.ps_set_constant_buffers(0, both);
        discard(cx, paint, &color(5));
        for n in 0..200 {
            discard(cx, both, &rect(n));
            if n == 100 {
                cx.ps_set_constant_buffers(0, paint);
            }
            cx.draw(4, 0);
            cx.ps_set_constant_buffers(0, both);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        // The driver gives draws by index up after a few such changes.
        assert!(statistics.draws_by_index > 100, "{statistics:?}");
    }
}

/// The shared slot `b0` is first bound in the stretch for one stage only.
#[test]
fn a_stage_may_leave_a_buffer_shared_since_before_a_stretch() {
    const SHARED: &str = "
        struct Paint { color: vec4<f32> }
        struct Place { rect: vec4<f32> }
        @group(0) @binding(0) var<uniform> paint: Paint;
        @group(0) @binding(1) var<uniform> place: Place;
        struct Out { @builtin(position) at: vec4<f32>, @location(0) @interpolate(flat) color: vec4<f32> }
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> Out {
            let r = place.rect;
            let at = vec2<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u));
            return Out(vec4<f32>(at, 0.5, 1.0), paint.color);
        }
        @fragment fn ps_main(given: Out) -> @location(0) vec4<f32> { return given.color * 0.5 + paint.color * 0.5; }
    ";
    let make = |device: &Device| (Shaders::new(device, SHARED), [16; 3].map(|size| dynamic(device, size)));
    compare(make, |(shaders, [place, both, paint]), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(1, place);
        cx.vs_set_constant_buffers(0, both);
        cx.ps_set_constant_buffers(0, both);
        for n in 0..200 {
            if n % 20 == 0 {
                discard(cx, both, &color(n));
                discard(cx, paint, &color(n + 1));
            }
            discard(cx, place, &rect(n));
            if n % 20 == 15 {
                cx.ps_set_constant_buffers(0, paint);
            }
            cx.draw(4, 0);
            if n % 20 == 18 {
                cx.ps_set_constant_buffers(0, both);
            }
        }
    });
}

#[test]
fn both_stages_may_get_one_buffer_within_a_stretch() {
    let make =
        |device: &Device| (Shaders::new(device, RECTANGLES), [16; 3].map(|size| dynamic(device, size)));
    let drawn = compare(make, |(shaders, [place, paint, both]), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(0, place);
        cx.ps_set_constant_buffers(0, paint);
        for n in 0..100 {
            discard(cx, place, &rect(n));
            discard(cx, paint, &color(n));
            cx.draw(4, 0);
        }
        cx.vs_set_constant_buffers(0, both);
        cx.ps_set_constant_buffers(0, both);
        for n in 0..100 {
            discard(cx, both, &rect(n));
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index * 2 > statistics.draws, "{statistics:?}");
    }
}

/// Only the vertex shader reads slot 0 at first. The pixel stage keeps the buffer that both stages have shared there.
#[test]
fn a_stage_may_leave_a_shared_buffer_that_only_it_reads() {
    const PLACED: &str = "
        struct Place { rect: vec4<f32> }
        struct Paint { color: vec4<f32> }
        @group(0) @binding(0) var<uniform> place: Place;
        @group(0) @binding(0) var<uniform> its_paint: Paint;
        @group(0) @binding(1) var<uniform> other_paint: Paint;
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
            let r = place.rect;
            return vec4<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> { return other_paint.color; }
        @fragment fn ps_last() -> @location(0) vec4<f32> { return abs(its_paint.color); }
    ";
    let make = |device: &Device| {
        let last = device.create_pixel_shader(ShaderSource::wgsl(PLACED, "ps_last")).unwrap();
        (Shaders::new(device, PLACED), last, [16; 3].map(|size| dynamic(device, size)))
    };
    compare(make, |(shaders, last, [shared, place, paint]), cx, _| {
        shaders.bind(cx);
        cx.ps_set_constant_buffers(1, paint);
        cx.vs_set_constant_buffers(0, shared);
        cx.ps_set_constant_buffers(0, shared);
        for n in 0..60 {
            discard(cx, paint, &color(n));
            if n < 20 {
                discard(cx, shared, &rect(n));
                cx.draw(4, 0);
                continue;
            }
            cx.vs_set_constant_buffers(0, shared);
            discard(cx, shared, &rect(n + 3));
            cx.vs_set_constant_buffers(0, place);
            discard(cx, place, &rect(n));
            cx.draw(4, 0);
        }
        cx.ps_set_shader(last);
        discard(cx, place, &rect(61));
        cx.draw(4, 0);
    });
}
