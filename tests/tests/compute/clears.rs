//! Clears of unordered-access views between dispatches.

use super::*;

/// A view that begins at an unaligned offset is bound as a copy, and each dispatch needs a new copy.
#[test]
fn dispatches_with_the_same_short_view_see_each_other() {
    on_each(&gpu_matrix(), |h| {
        let double = shader(h, "double");
        for how in CommandPath::ALL {
            let output = buffer(h, &[1; COUNT as usize]);
            let view = uav_of(h, &output, 3, 16);
            h.record(how, |cx| {
                cx.cs_set_shader(&double);
                cx.cs_set_unordered_access_views(5, &view);
                cx.dispatch(1, 1, 1);
                cx.dispatch(1, 1, 1);
                cx.dispatch(1, 1, 1);
            });
            let expected: Vec<_> = (0..COUNT).map(|n| if (3..19).contains(&n) { 8 } else { 1 }).collect();
            assert_eq!(read(h, &output), expected, "{how:?}");
        }
    });
}

#[test]
fn a_dispatch_sees_a_clear_since_the_previous_dispatch() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            @group(1) @binding(0) var image: texture_2d<f32>;
            @group(3) @binding(0) var<storage, read_write> output: array<u32>;
            @compute @workgroup_size(1) fn main() {
                let color = textureLoad(image, vec2(0), 0);
                output[0] = output[0] * 256u + u32(color.r * 255.0);
            }";
        let shader = h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let image = h
            .device
            .create_texture_2d(&Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 1, 1), None)
            .unwrap();
        let target = h.device.create_render_target_view(&image, None).unwrap();
        let image = h.device.create_shader_resource_view(&image, None).unwrap();
        for how in CommandPath::ALL {
            let output = buffer(h, &[0]);
            let view = uav(h, &output);
            h.record(how, |cx| {
                cx.cs_set_shader(&shader);
                cx.cs_set_shader_resources(0, &image);
                cx.cs_set_unordered_access_views(0, &view);
                for red in [0.2, 0.4, 0.6] {
                    cx.clear_render_target_view(&target, [red, 0.0, 0.0, 1.0]);
                    cx.dispatch(1, 1, 1);
                }
            });
            assert_eq!(read(h, &output), [(51 * 256 + 102) * 256 + 153], "{how:?}");
        }
    });
}

/// A clear of a structured buffer writes only the first of its four values.
#[test]
fn a_clear_writes_its_first_value_into_every_word_of_the_view() {
    on_each(&gpu_matrix(), |h| {
        for (first, count, value) in [(0, COUNT, 0), (0, COUNT, 7), (5, 9, u32::MAX), (3, 60, 0)] {
            for how in CommandPath::ALL {
                let output = buffer(h, &numbers());
                let view = uav_of(h, &output, first, count);
                h.record(how, |cx| cx.clear_unordered_access_view_uint(&view, [value, 1, 2, 3]));
                let cleared = |n| if (first..first + count).contains(&n) { value } else { n * n };
                let expected = if h.draws() { (0..COUNT).map(cleared).collect() } else { numbers() };
                assert_eq!(read(h, &output), expected, "{how:?}: {count} from {first}");
            }
        }
    });
}

#[test]
fn a_clear_fills_a_million_elements_of_three_words() {
    // Elements of 12 bytes, whose total size is more than the driver fills in one pass.
    const ELEMENTS: u32 = 1_000_000;
    on_each(&gpu_matrix(), |h| {
        let flags = BindFlags::UNORDERED_ACCESS;
        let large = h.device.create_buffer(&BufferDesc::structured(12, ELEMENTS, flags), None).unwrap();
        let view = uav_of(h, &large, 1, ELEMENTS - 2);
        h.immediate.clear_unordered_access_view_uint(&view, [0xABCD_EF01; 4]);
        let words = read(h, &large);
        let value = if h.draws() { 0xABCD_EF01 } else { 0 };
        let (ends, middle) = ([&words[..3], &words[words.len() - 3..]], &words[3..words.len() - 3]);
        assert_eq!(ends, [[0; 3]; 2]);
        assert!(middle.iter().all(|word| *word == value));
    });
}

#[test]
fn dispatches_and_clears_of_a_buffer_keep_their_order() {
    on_each(&gpu_matrix(), |h| {
        let double = shader(h, "double");
        for how in CommandPath::ALL {
            for value in [0, 3] {
                let (output, between) = (zeros(h), zeros(h));
                let view = uav(h, &output);
                h.record(how, |cx| {
                    cx.cs_set_shader(&double);
                    cx.cs_set_unordered_access_views(5, &view);
                    cx.clear_unordered_access_view_uint(&view, [5; 4]);
                    cx.dispatch(COUNT / 16, 1, 1);
                    cx.copy_resource(&between, &output);
                    cx.clear_unordered_access_view_uint(&view, [value; 4]);
                    cx.dispatch(1, 1, 1);
                });
                assert_eq!(read(h, &between), expected(h, |_| 10), "{how:?}, in between");
                let last = |n| if n < 16 { 2 * value } else { value };
                assert_eq!(read(h, &output), expected(h, last), "{how:?}");
            }
        }
    });
}

#[test]
fn a_dispatch_through_a_short_view_sees_a_clear() {
    on_each(&gpu_matrix(), |h| {
        let double = shader(h, "double");
        for how in CommandPath::ALL {
            let output = zeros(h);
            // wgpu cannot bind this view, because its offset is not a multiple of the required alignment.
            let (part, all) = (uav_of(h, &output, 5, 9), uav(h, &output));
            h.record(how, |cx| {
                cx.cs_set_shader(&double);
                cx.cs_set_unordered_access_views(5, &part);
                cx.clear_unordered_access_view_uint(&all, [1; 4]);
                cx.dispatch(1, 1, 1);
                cx.clear_unordered_access_view_uint(&all, [6; 4]);
                cx.dispatch(1, 1, 1);
            });
            let doubled = |n| if (5..14).contains(&n) { 12 } else { 6 };
            assert_eq!(read(h, &output), expected(h, doubled), "{how:?}");
        }
    });
}

#[test]
fn a_dispatch_that_reads_a_short_view_sees_a_clear() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet, MessageId::DrawShaderResourceNotSet]);
        let main = shader(h, "main");
        let constants = [1_u32, 0, 0, 0, 0, 0, 0, 0];
        let constants = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &constants).unwrap();
        for how in CommandPath::ALL {
            let (input, before, after) = (zeros(h), zeros(h), zeros(h));
            // wgpu cannot bind this view, because its offset is not a multiple of the required alignment.
            let desc = ShaderResourceViewDesc::buffer(1, COUNT - 1);
            let read_part = h.device.create_shader_resource_view(&input, Some(&desc)).unwrap();
            let (all, before_view, after_view) = (uav(h, &input), uav(h, &before), uav(h, &after));
            h.record(how, |cx| {
                cx.cs_set_shader(&main);
                cx.cs_set_constant_buffers(1, &constants);
                cx.cs_set_shader_resources(2, &read_part);
                cx.clear_unordered_access_view_uint(&all, [1; 4]);
                cx.cs_set_unordered_access_views(5, &before_view);
                cx.dispatch(1, 1, 1);
                cx.clear_unordered_access_view_uint(&all, [2; 4]);
                cx.cs_set_unordered_access_views(5, &after_view);
                cx.dispatch(1, 1, 1);
            });
            let of = |value: u32| move |n| if n < 16 { value } else { 0 };
            assert_eq!(read(h, &before), expected(h, of(1)), "{how:?}, before");
            assert_eq!(read(h, &after), expected(h, of(2)), "{how:?}, after");
        }
    });
}

#[test]
fn a_copy_between_dispatches_sees_an_earlier_clear() {
    on_each(&gpu_matrix(), |h| {
        let count = shader(h, "count");
        for how in CommandPath::ALL {
            let (cleared, other, copy) = (zeros(h), zeros(h), zeros(h));
            let (view, other) = (uav(h, &cleared), uav(h, &other));
            h.record(how, |cx| {
                cx.clear_unordered_access_view_uint(&view, [8; 4]);
                cx.cs_set_shader(&count);
                cx.cs_set_unordered_access_views(5, &other);
                // The copy is recorded while the compute pass of this dispatch is still open.
                cx.dispatch(1, 1, 1);
                cx.copy_resource(&copy, &cleared);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(read(h, &copy), expected(h, |_| 8), "{how:?}");
        }
    });
}

#[test]
fn draws_that_read_a_short_view_see_the_clears_between_them() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            @group(1) @binding(0) var<storage> numbers: array<u32>;
            @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
                return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.5, 1.0);
            }
            @fragment fn ps() -> @location(0) vec4f { return vec4f(f32(numbers[0]) / 255.0, 0.0, 0.0, 1.0); }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(text, "vs")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 1);
        for how in CommandPath::ALL {
            let target = h.device.create_texture_2d(&desc, None).unwrap();
            let rtv = h.device.create_render_target_view(&target, None).unwrap();
            let numbers = zeros(h);
            // wgpu cannot bind this view, because its offset is not a multiple of the required alignment.
            let short = ShaderResourceViewDesc::buffer(1, 3);
            let short = h.device.create_shader_resource_view(&numbers, Some(&short)).unwrap();
            let all = uav(h, &numbers);
            h.record(how, |cx| {
                cx.om_set_render_targets(&rtv, None);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ps_set_shader_resources(0, &short);
                for (x, value) in [(0.0, 20), (4.0, 30)] {
                    cx.clear_unordered_access_view_uint(&all, [value; 4]);
                    cx.rs_set_viewports(Viewport { top_left_x: x, ..Viewport::sized(4.0, 1.0) });
                    cx.draw(3, 0);
                }
            });
            let found: Vec<_> = h.read_u32(&target, 0).iter().map(|texel| texel & 0xff).collect();
            let drawn = if h.draws() { [20, 20, 20, 20, 30, 30, 30, 30] } else { [0; 8] };
            assert_eq!(found, drawn, "{how:?}");
        }
    });
}
