//! Pixel shaders that write through unordered-access views, beside render targets and without any.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Config, Harness, How, gpu_matrix, matrix, on_each};

/// Pixels of the targets, to each side.
const SIZE: u32 = 8;
/// Elements of the buffers: one for each pixel.
const COUNT: u32 = SIZE * SIZE;

/// Each pixel shader draws red, and writes what its name says. `u1` has an element for each pixel.
const SHADER: &str = "
    @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
        return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.5, 1.0);
    }
    @vertex fn vs_place(@location(0) place: vec2f) -> @builtin(position) vec4f {
        return vec4f(place, 0.5, 1.0);
    }
    const RED = vec4f(1.0, 0.0, 0.0, 1.0);
    fn index(at: vec4f) -> u32 { return u32(at.x) + 8u * u32(at.y); }
    @group(0) @binding(0) var<uniform> factor: vec4u;
    @group(1) @binding(0) var<storage> input: array<u32>;
    @group(3) @binding(1) var<storage, read_write> numbers: array<u32>;
    @group(3) @binding(2) var<storage, read_write> count: atomic<u32>;
    @group(3) @binding(3) var<storage, read_write> items: array<u32>;
    @fragment fn grow(@builtin(position) at: vec4f) -> @location(0) vec4f {
        numbers[index(at)] = 2u * numbers[index(at)] + 1u;
        return RED;
    }
    @fragment fn count_pixels(@builtin(position) at: vec4f) -> @location(0) vec4f {
        atomicAdd(&count, 1u);
        return RED;
    }
    @fragment fn append(@builtin(position) at: vec4f) -> @location(0) vec4f {
        items[atomicAdd(&count, 1u)] = index(at) + 1u;
        return RED;
    }
    @fragment fn copy(@builtin(position) at: vec4f) -> @location(0) vec4f {
        numbers[index(at)] = input[index(at)] + 1u;
        return RED;
    }
    @fragment fn copy_and_count(@builtin(position) at: vec4f) {
        atomicAdd(&count, input[0]);
    }
    @fragment fn read_input(@builtin(position) at: vec4f) -> @location(0) vec4f {
        return vec4f(f32(input[index(at)]) / 255.0, 0.0, 0.0, 1.0);
    }
    @fragment fn with_factor(@builtin(position) at: vec4f) {
        atomicAdd(&count, factor.x);
    }
    @group(3) @binding(0) var<storage, read_write> first: array<u32>;
    @fragment fn in_slot_0(@builtin(position) at: vec4f) { first[index(at)] = first[index(at)] + 3u; }
    @compute @workgroup_size(64) fn double(@builtin(local_invocation_index) n: u32) {
        numbers[n] = 2u * numbers[n];
    }";

struct Fixture {
    vs: VertexShader,
    target: Texture2d,
    rtv: RenderTargetView,
}

impl Fixture {
    fn new(h: &Harness) -> Self {
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs")).unwrap();
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, SIZE, SIZE);
        let target = h.device.create_texture_2d(&desc, None).unwrap();
        let rtv = h.device.create_render_target_view(&target, None).unwrap();
        Self { vs, target, rtv }
    }

    /// What a triangle over all pixels needs, besides a pixel shader and targets.
    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
    }
}

fn pixel_shader(h: &Harness, entry_point: &str) -> PixelShader {
    h.device.create_pixel_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

/// A buffer of words that shaders read and write.
fn words(h: &Harness, contents: &[u32]) -> Buffer {
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let desc = BufferDesc::structured(4, contents.len() as u32, flags).label("words");
    h.device.create_buffer(&desc, Some(bytemuck::cast_slice(contents))).unwrap()
}

fn zeros(h: &Harness, count: u32) -> Buffer {
    words(h, &vec![0; count as usize])
}

fn uav(h: &Harness, buffer: &Buffer) -> UnorderedAccessView {
    h.device.create_unordered_access_view(buffer, None).unwrap()
}

fn uav_of(h: &Harness, buffer: &Buffer, first: u32, count: u32) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::buffer(first, count);
    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
}

fn srv(h: &Harness, buffer: &Buffer) -> ShaderResourceView {
    h.device.create_shader_resource_view(buffer, None).unwrap()
}

fn srv_of(h: &Harness, buffer: &Buffer, first: u32, count: u32) -> ShaderResourceView {
    let desc = ShaderResourceViewDesc::buffer(first, count);
    h.device.create_shader_resource_view(buffer, Some(&desc)).unwrap()
}

fn read(h: &mut Harness, buffer: &Buffer) -> Vec<u32> {
    h.immediate.read_buffer(buffer).unwrap()
}

/// `value` where something is drawn, else 0.
fn drawn(h: &Harness, value: u32) -> u32 {
    if h.draws() { value } else { 0 }
}

#[test]
fn a_pixel_shader_writes_beside_a_target() {
    on_each(&matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "append"));
        for how in How::ALL {
            let (count, items) = (zeros(h, 1), zeros(h, 2 * COUNT));
            let (counted, appended) = (uav(h, &count), uav(h, &items));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&ps);
                cx.clear_render_target_view(&scene.rtv, [0.0; 4]);
                let views = [&counted, &appended];
                cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 2, views, &[]);
                cx.draw(3, 0);
            });
            let mut found = read(h, &items);
            found.sort_unstable();
            let mut expected = vec![0; COUNT as usize];
            expected.extend((1..=COUNT).map(|n| drawn(h, n)));
            assert_eq!(found, expected, "{how:?}");
            assert_eq!(read(h, &count), [drawn(h, COUNT)], "{how:?}");
            let red = drawn(h, 0xff00_00ff);
            assert_eq!(h.read_u32(&scene.target, 0), vec![red; COUNT as usize], "{how:?}");
        }
    });
}

#[test]
fn without_targets_the_viewport_and_the_scissor_say_where_pixels_are() {
    on_each(&gpu_matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "append"));
        let cut = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let cut = h.device.create_rasterizer_state(&cut).unwrap();
        for how in How::ALL {
            let (count, items) = (zeros(h, 1), zeros(h, 4096));
            let (counted, appended) = (uav(h, &count), uav(h, &items));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&ps);
                cx.om_set_unordered_access_views(2, [&counted, &appended]);
                // 64 pixels, then 21 of a larger area, of which the scissor leaves 2, and 40 by 30.
                cx.draw(3, 0);
                cx.rs_set_viewports(Viewport { top_left_x: 20.0, ..Viewport::sized(7.0, 3.0) });
                cx.draw(3, 0);
                cx.rs_set_scissor_rects(onze::Rect { left: 25, top: 1, right: 90, bottom: 2 });
                cx.rs_set_state(&cut);
                cx.draw(3, 0);
                cx.rs_set_state(None);
                cx.rs_set_viewports(Viewport::sized(40.0, 30.0));
                cx.draw(3, 0);
            });
            assert_eq!(read(h, &count), [64 + 21 + 2 + 1200], "{how:?}");
            assert_eq!(h.take_errors().len(), 0);
        }
    });
}

#[test]
fn a_shader_writes_before_the_depth_test() {
    on_each(&gpu_matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "count_pixels"));
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIZE, SIZE);
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let dsv = h.device.create_depth_stencil_view(&depth, None).unwrap();
        for cleared in [1.0, 0.25] {
            let count = zeros(h, 1);
            let counted = uav(h, &count);
            h.record(How::Immediate, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&ps);
                cx.clear_depth_stencil_view(&dsv, ClearFlags::DEPTH, cleared, 0);
                cx.om_set_render_targets_and_unordered_access_views(None, &dsv, 2, &counted, &[]);
                cx.draw(3, 0);
            });
            // The test comes after the shader, which so writes what is hidden, too.
            assert_eq!(read(h, &count), [COUNT], "depth {cleared}");
            let depth: Vec<f32> = bytemuck::pod_collect_to_vec(&h.read(&depth, 0));
            assert_eq!(depth, [f32::min(cleared, 0.5); COUNT as usize]);
        }
    });
}

/// `[earlydepthstencil]`.
#[test]
fn a_shader_may_ask_for_the_depth_test_before_it_runs() {
    on_each(&[Config::GPU], |h| {
        if !h.device.check_feature_support().features.contains(Features::EARLY_DEPTH_STENCIL) {
            println!("skipped: the adapter has no Features::EARLY_DEPTH_STENCIL");
            return;
        }
        let scene = Fixture::new(h);
        let ps = "
            @group(3) @binding(2) var<storage, read_write> count: atomic<u32>;
            @early_depth_test(force) @fragment fn main() { atomicAdd(&count, 1u); }";
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(ps, "main")).unwrap();
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIZE, SIZE);
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let dsv = h.device.create_depth_stencil_view(&depth, None).unwrap();
        for (cleared, passed) in [(1.0, COUNT), (0.25, 0)] {
            let count = zeros(h, 1);
            let counted = uav(h, &count);
            h.record(How::Immediate, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&ps);
                cx.clear_depth_stencil_view(&dsv, ClearFlags::DEPTH, cleared, 0);
                cx.om_set_render_targets_and_unordered_access_views(None, &dsv, 2, &counted, &[]);
                cx.draw(3, 0);
            });
            assert_eq!(read(h, &count), [passed], "depth {cleared}");
        }
    });
}

/// What one draw wrote, the next reads and overwrites.
#[test]
fn each_draw_sees_what_those_before_have_written() {
    on_each(&gpu_matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "grow"));
        for (how, has_target) in How::ALL.into_iter().flat_map(|how| [(how, true), (how, false)]) {
            let numbers = zeros(h, COUNT);
            let written = uav(h, &numbers);
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&ps);
                if has_target {
                    cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, &written, &[]);
                } else {
                    cx.om_set_unordered_access_views(1, &written);
                }
                (0..5).for_each(|_| cx.draw(3, 0));
                cx.draw_instanced(3, 1, 0, 0);
            });
            assert_eq!(read(h, &numbers), vec![63; COUNT as usize], "{how:?}, target {has_target}");
        }
    });
}

/// The view that is written changes alone; so does the shader.
#[test]
fn each_binding_can_change_alone() {
    on_each(&gpu_matrix(), |h| {
        let scene = Fixture::new(h);
        let (grow, count_pixels) = (pixel_shader(h, "grow"), pixel_shader(h, "count_pixels"));
        for how in How::ALL {
            let buffers = [zeros(h, COUNT), zeros(h, COUNT), zeros(h, 1)];
            let views = buffers.each_ref().map(|buffer| uav(h, buffer));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&grow);
                cx.om_set_unordered_access_views(1, [&views[0], &views[2]]);
                cx.draw(3, 0);
                cx.om_set_unordered_access_views(1, [&views[1], &views[2]]);
                cx.draw(3, 0);
                cx.draw(3, 0);
                cx.ps_set_shader(&count_pixels);
                cx.draw(3, 0);
                cx.ps_set_shader(&grow);
                cx.draw(3, 0);
                cx.om_set_unordered_access_views(1, [None, Some(&views[2])]);
                cx.draw(3, 0);
            });
            for (buffer, value) in buffers.iter().zip([1, 7, COUNT]) {
                let found = read(h, buffer);
                assert!(found.iter().all(|n| *n == value), "{how:?}: {found:?}, expected {value}");
            }
        }
    });
}

/// A draw reads through a vertex buffer, an index buffer and a shader resource what a pixel shader wrote.
#[test]
fn draws_read_what_a_pixel_shader_wrote() {
    on_each(&gpu_matrix(), |h| {
        let scene = Fixture::new(h);
        let place = h.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_place")).unwrap();
        let elements = [InputElementDesc::new("PLACE", 0, Format::R32G32_FLOAT)];
        let layout = h.device.create_input_layout(&elements, &place).unwrap();
        let copy = h.device.create_pixel_shader(ShaderSource::wgsl(
            "@group(1) @binding(0) var<storage> input: array<u32>;
            @group(3) @binding(1) var<storage, read_write> numbers: array<u32>;
            @fragment fn main(@builtin(position) at: vec4f) { numbers[u32(at.x)] = input[u32(at.x)]; }",
            "main",
        ));
        let (copy, read_input) = (copy.unwrap(), pixel_shader(h, "read_input"));
        // Three corners, and the indices 2, 1, 0 in the order that faces the viewer.
        let corners = [[-1.0, -1.0], [-1.0, 3.0], [3.0, -1.0]];
        let mut contents = vec![0; COUNT as usize];
        contents[..6].copy_from_slice(bytemuck::cast_slice::<[f32; 2], u32>(&corners));
        contents[6..8].copy_from_slice(bytemuck::cast_slice(&[0_u16, 1, 2, 0]));
        contents[8..].fill(9);
        let source = words(h, &contents);
        let from = srv(h, &source);
        let flags = BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER | BindFlags::SHADER_RESOURCE;
        let desc = BufferDesc::raw(4 * COUNT, flags | BindFlags::UNORDERED_ACCESS);
        for how in How::ALL {
            let buffer = h.device.create_buffer(&desc, None).unwrap();
            let all = UnorderedAccessViewDesc::raw_buffer(0, COUNT);
            let written = h.device.create_unordered_access_view(&buffer, Some(&all)).unwrap();
            let all = ShaderResourceViewDesc::raw_buffer(0, COUNT);
            let seen = h.device.create_shader_resource_view(&buffer, Some(&all)).unwrap();
            h.record(how, |cx| {
                scene.bind(cx);
                cx.rs_set_viewports(Viewport::sized(COUNT as f32, 1.0));
                cx.clear_render_target_view(&scene.rtv, [0.0; 4]);
                cx.ps_set_shader(&copy);
                cx.ps_set_shader_resources(0, &from);
                cx.om_set_unordered_access_views(1, &written);
                cx.draw(3, 0);
                cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, None, &[]);
                cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
                cx.vs_set_shader(&place);
                cx.ia_set_input_layout(&layout);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&buffer, 8));
                cx.ia_set_index_buffer(&buffer, Format::R16_UINT, 24);
                cx.ps_set_shader(&read_input);
                cx.ps_set_shader_resources(0, &seen);
                cx.draw_indexed(3, 0, 0);
            });
            let found: Vec<_> = h.read_u32(&scene.target, 0).iter().map(|texel| texel & 0xff).collect();
            assert_eq!(found[8..], [9; COUNT as usize - 8], "{how:?}");
        }
    });
}

/// With one target, so that nothing but what is read and written can part the passes.
#[test]
fn reads_and_writes_of_one_buffer_keep_their_order_in_a_pass() {
    on_each(&gpu_matrix(), |h| {
        let scene = Fixture::new(h);
        let (grow, read_input) = (pixel_shader(h, "grow"), pixel_shader(h, "read_input"));
        let sums = BlendDesc::all(RenderTargetBlendDesc {
            blend_enable: true,
            src_blend: Blend::One,
            dest_blend: Blend::One,
            ..RenderTargetBlendDesc::default()
        });
        let sums = h.device.create_blend_state(&sums).unwrap();
        let no_color = off(h);
        for how in How::ALL {
            let numbers = zeros(h, COUNT);
            let (written, seen) = (uav(h, &numbers), srv(h, &numbers));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.om_set_blend(&sums);
                cx.clear_render_target_view(&scene.rtv, [0.0; 4]);
                cx.om_set_render_targets(&scene.rtv, None);
                // Red becomes 0 + 1 + 3 + 7, and 1 for each draw that writes, which saturates at 255 if it comes first.
                for _ in 0..4 {
                    cx.om_set_unordered_access_views(1, None);
                    cx.ps_set_shader(&read_input);
                    cx.ps_set_shader_resources(0, &seen);
                    cx.draw(3, 0);
                    cx.om_set_blend(&no_color);
                    cx.om_set_unordered_access_views(1, &written);
                    cx.ps_set_shader(&grow);
                    cx.draw(3, 0);
                    cx.om_set_blend(&sums);
                }
            });
            let found: Vec<_> = h.read_u32(&scene.target, 0).iter().map(|texel| texel & 0xff).collect();
            assert_eq!(found, [11; COUNT as usize], "{how:?}");
            assert_eq!(read(h, &numbers), [15; COUNT as usize], "{how:?}");
        }
    });
}

/// Writes no colour.
fn off(h: &Harness) -> BlendState {
    let mask = RenderTargetBlendDesc {
        render_target_write_mask: ColorWrite::empty(),
        ..RenderTargetBlendDesc::default()
    };
    h.device.create_blend_state(&BlendDesc::all(mask)).unwrap()
}

#[test]
fn one_part_of_a_buffer_is_read_while_another_is_written() {
    on_each(&gpu_matrix(), |h| {
        let (scene, copy) = (Fixture::new(h), pixel_shader(h, "copy"));
        let cs = h.device.create_compute_shader(ShaderSource::wgsl(
            "@group(1) @binding(0) var<storage> input: array<u32>;
            @group(3) @binding(1) var<storage, read_write> numbers: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) n: u32) {
                numbers[n] = input[n] + 1u;
            }",
            "main",
        ));
        let cs = cs.unwrap();
        for how in How::ALL {
            let mut contents: Vec<_> = (0..COUNT).collect();
            contents.extend([0; 2 * COUNT as usize]);
            let buffer = words(h, &contents);
            let part = |at| (srv_of(h, &buffer, at * COUNT, COUNT), uav_of(h, &buffer, at * COUNT, COUNT));
            let (first, second, third) = (part(0), part(1), part(2));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&copy);
                cx.ps_set_shader_resources(0, &first.0);
                cx.om_set_unordered_access_views(1, &second.1);
                cx.draw(3, 0);
                cx.om_set_unordered_access_views(1, None);
                cx.cs_set_shader(&cs);
                cx.cs_set_shader_resources(0, &second.0);
                cx.cs_set_unordered_access_views(1, &third.1);
                cx.dispatch(1, 1, 1);
            });
            contents = (0..3 * COUNT).map(|n| n % COUNT + n / COUNT).collect();
            assert_eq!(read(h, &buffer), contents, "{how:?}");
        }
    });
}

/// wgpu cannot bind a view that begins there.
#[test]
fn a_view_may_begin_anywhere() {
    on_each(&gpu_matrix(), |h| {
        let (scene, grow) = (Fixture::new(h), pixel_shader(h, "grow"));
        for how in How::ALL {
            let buffer = zeros(h, COUNT);
            let (some, all) = (uav_of(h, &buffer, 3, 7), uav(h, &buffer));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&grow);
                cx.om_set_unordered_access_views(1, &some);
                cx.draw(3, 0);
                cx.draw(3, 0);
                cx.clear_unordered_access_view_uint(&all, [1; 4]);
                cx.draw(3, 0);
                cx.om_set_unordered_access_views(1, &all);
                cx.draw(3, 0);
                cx.om_set_unordered_access_views(1, &some);
                cx.draw(3, 0);
            });
            let expected: Vec<_> = (0..COUNT).map(|n| if (3..10).contains(&n) { 15 } else { 3 }).collect();
            assert_eq!(read(h, &buffer), expected, "{how:?}");
        }
    });
}

#[test]
fn draws_and_dispatches_take_turns() {
    on_each(&gpu_matrix(), |h| {
        let (scene, grow) = (Fixture::new(h), pixel_shader(h, "grow"));
        let double = h.device.create_compute_shader(ShaderSource::wgsl(SHADER, "double")).unwrap();
        for how in How::ALL {
            let numbers = zeros(h, COUNT);
            let written = uav(h, &numbers);
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&grow);
                cx.cs_set_shader(&double);
                for _ in 0..3 {
                    cx.om_set_unordered_access_views(1, &written);
                    cx.draw(3, 0);
                    // It leaves the pixel stage by itself.
                    cx.cs_set_unordered_access_views(1, &written);
                    cx.draw(3, 0);
                    cx.dispatch(1, 1, 1);
                }
            });
            // ((0 * 2 + 1) * 2 ...
            assert_eq!(read(h, &numbers), [42; COUNT as usize], "{how:?}");
        }
    });
}

#[test]
fn indirect_draws_write_beside_their_arguments() {
    on_each(&gpu_matrix(), |h| {
        let (scene, append) = (Fixture::new(h), pixel_shader(h, "append"));
        let grow = pixel_shader(h, "grow");
        let flags = BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE;
        for how in How::ALL {
            let desc = BufferDesc::indirect(4 * 128, flags);
            let desc = BufferDesc { misc_flags: desc.misc_flags | MiscFlags::BUFFER_ALLOW_RAW_VIEWS, ..desc };
            let mut contents = vec![0; 128];
            contents[..4].copy_from_slice(&[3, 1, 0, 0]);
            let buffer = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&contents))).unwrap();
            let raw = |first, count| {
                let desc = UnorderedAccessViewDesc::raw_buffer(first, count);
                h.device.create_unordered_access_view(&buffer, Some(&desc)).unwrap()
            };
            let (behind, count) = (raw(64, 64), zeros(h, 1));
            let (counted, arguments, all) = (uav(h, &count), raw(0, 4), raw(0, 64));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&append);
                cx.om_set_unordered_access_views(2, [&counted, &behind]);
                cx.draw_instanced_indirect(&buffer, 0);
                // Pixels 0 to 3 write what the next draw has for arguments: 2 * 3 + 1 vertices, which are two
                // triangles, 3 instances.
                cx.rs_set_viewports(Viewport::sized(2.0, 1.0));
                cx.ps_set_shader(&grow);
                cx.om_set_unordered_access_views(1, &arguments);
                cx.draw_instanced_indirect(&buffer, 0);
                cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
                cx.ps_set_shader(&append);
                cx.om_set_unordered_access_views(2, [&counted, &all]);
                cx.draw_instanced_indirect(&buffer, 0);
            });
            // The second triangle of each has no area.
            assert_eq!(read(h, &count), [64 + 3], "{how:?}");
        }
    });
}

/// Order matters to none of them, and they read other textures and constants: one pass.
#[test]
fn draws_that_count_and_append_share_a_pass() {
    const DRAWS: u32 = 1000;
    on_each(&[Config::GPU], |h| {
        let scene = Fixture::new(h);
        let shaders = [pixel_shader(h, "count_pixels"), pixel_shader(h, "with_factor")];
        let one = |n: u32| h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[n, 0, 0, 0]).unwrap();
        let constants = [one(1), one(10)];
        let count = zeros(h, 1);
        let counted = uav(h, &count);
        let before = h.device.statistics().passes;
        h.record(How::Immediate, |cx| {
            scene.bind(cx);
            cx.clear_render_target_view(&scene.rtv, [0.0; 4]);
            cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 2, &counted, &[]);
            for n in 0..DRAWS as usize {
                cx.ps_set_shader(&shaders[n % 2]);
                cx.ps_set_constant_buffers(0, &constants[n / 2 % 2]);
                cx.draw(3, 0);
            }
        });
        h.immediate.flush();
        assert_eq!(h.device.statistics().passes - before, 1);
        assert_eq!(read(h, &count), [DRAWS / 4 * COUNT * (1 + 1 + 1 + 10)]);
    });
}

/// wgpu orders nothing within a pass, though not every adapter shows it.
#[test]
fn draws_whose_order_can_be_seen_share_no_pass() {
    const SHADERS: &str = "
        @group(3) @binding(1) var<storage, read_write> numbers: array<u32>;
        @group(3) @binding(2) var<storage, read_write> count: atomic<u32>;
        @fragment fn read(@builtin(position) at: vec4f) { _ = atomicAdd(&count, numbers[u32(at.x)]); }
        @fragment fn write(@builtin(position) at: vec4f) { numbers[u32(at.x)] = 1u; }
        @fragment fn add() { atomicAdd(&count, 1u); }
        @fragment fn subtract() { atomicSub(&count, 1u); }
        @fragment fn most() { atomicMax(&count, 1u); }
        @fragment fn store() { atomicStore(&count, 1u); }
        @fragment fn append() { numbers[atomicAdd(&count, 1u)] = 1u; }
        @fragment fn nothing() {}";
    on_each(&[Config::GPU], |h| {
        let scene = Fixture::new(h);
        let (numbers, count) = (zeros(h, COUNT), zeros(h, 1));
        let (numbered, counted) = (uav(h, &numbers), uav(h, &count));
        for (entry_points, passes) in [
            (["read", "read", "read"], 1),
            (["add", "subtract", "add"], 1),
            (["append", "append", "append"], 1),
            (["nothing", "nothing", "nothing"], 1),
            (["add", "nothing", "add"], 1),
            (["nothing", "write", "write"], 3),
            (["add", "most", "most"], 2),
            (["store", "store", "store"], 3),
            (["write", "write", "write"], 3),
            (["read", "write", "read"], 3),
            (["read", "read", "write"], 2),
            (["append", "write", "append"], 3),
            // The pass begins for one view, and the next draw writes through another one too.
            (["add", "append", "append"], 2),
        ] {
            let shaders = entry_points
                .map(|name| h.device.create_pixel_shader(ShaderSource::wgsl(SHADERS, name)).unwrap());
            let before = h.device.statistics().passes;
            h.record(How::Immediate, |cx| {
                scene.bind(cx);
                cx.clear_render_target_view(&scene.rtv, [0.0; 4]);
                let views = [&numbered, &counted];
                cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, views, &[]);
                for shader in &shaders {
                    cx.ps_set_shader(shader);
                    cx.draw(3, 0);
                }
            });
            h.immediate.flush();
            assert_eq!(h.device.statistics().passes - before, passes, "{entry_points:?}");
            h.take_errors();
        }
    });
}

#[test]
fn a_list_writes_each_time_that_it_is_executed() {
    on_each(&gpu_matrix(), |h| {
        let (scene, copy) = (Fixture::new(h), pixel_shader(h, "copy_and_count"));
        let (count, input) = (zeros(h, 1), words(h, &[1, 2, 3, 4]));
        let counted = uav(h, &count);
        // Not where wgpu can bind it.
        let short = srv_of(h, &input, 1, 1);
        let written = uav(h, &input);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.bind(&mut deferred);
        deferred.ps_set_shader(&copy);
        deferred.ps_set_shader_resources(0, &short);
        deferred.om_set_unordered_access_views(2, &counted);
        (0..200).for_each(|_| deferred.draw(3, 0));
        let list = deferred.finish_command_list(false).unwrap();
        for value in [1, 10, 100, 1000] {
            h.immediate.clear_unordered_access_view_uint(&written, [value; 4]);
            h.immediate.execute_command_list(&list, false);
        }
        assert_eq!(read(h, &count), [200 * COUNT * 1111]);
    });
}

/// Bundles keep what they bind, and this is another copy in each draw.
#[test]
fn a_list_reads_a_short_view_anew_each_time() {
    on_each(&gpu_matrix(), |h| {
        let scene = Fixture::new(h);
        let ps = "
            @group(1) @binding(0) var<storage> input: array<u32>;
            @fragment fn main() -> @location(0) vec4f { return vec4f(f32(input[0]) / 255.0, 0.0, 0.0, 1.0); }";
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(ps, "main")).unwrap();
        let input = words(h, &[1, 2, 3, 4]);
        let (short, written) = (srv_of(h, &input, 1, 1), uav(h, &input));
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.bind(&mut deferred);
        deferred.ps_set_shader(&ps);
        deferred.ps_set_shader_resources(0, &short);
        deferred.om_set_render_targets(&scene.rtv, None);
        (0..200).for_each(|_| deferred.draw(3, 0));
        let list = deferred.finish_command_list(false).unwrap();
        for value in [1, 10, 100, 200] {
            h.immediate.clear_unordered_access_view_uint(&written, [value; 4]);
            h.immediate.execute_command_list(&list, false);
            let found: Vec<_> = h.read_u32(&scene.target, 0).iter().map(|texel| texel & 0xff).collect();
            assert_eq!(found, [value; COUNT as usize]);
        }
    });
}

/// A list that is executed again is made of bundles. Here they come into a pass in which a draw has written what they
/// read.
#[test]
fn a_replayed_list_reads_what_a_draw_before_it_wrote() {
    on_each(&gpu_matrix(), |h| {
        let scene = Fixture::new(h);
        let (grow, read_input) = (pixel_shader(h, "grow"), pixel_shader(h, "read_input"));
        let numbers = zeros(h, COUNT);
        let (written, seen) = (uav(h, &numbers), srv(h, &numbers));
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.bind(&mut deferred);
        deferred.ps_set_shader(&read_input);
        deferred.ps_set_shader_resources(0, &seen);
        deferred.om_set_render_targets(&scene.rtv, None);
        (0..200).for_each(|_| deferred.draw(3, 0));
        let list = deferred.finish_command_list(false).unwrap();
        for round in 1..=6 {
            scene.bind(&mut h.immediate);
            h.immediate.ps_set_shader(&grow);
            let views = &written;
            h.immediate.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, views, &[]);
            h.immediate.draw(3, 0);
            h.immediate.execute_command_list(&list, false);
            let found: Vec<_> = h.read_u32(&scene.target, 0).iter().map(|texel| texel & 0xff).collect();
            assert_eq!(found, [(1 << round) - 1; COUNT as usize], "round {round}");
        }
    });
}

/// Slots are shared, so that a pixel shader without targets may use the first.
#[test]
fn slot_0_is_free_without_targets() {
    on_each(&gpu_matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "in_slot_0"));
        let numbers = zeros(h, COUNT);
        let written = uav(h, &numbers);
        h.record(How::Immediate, |cx| {
            scene.bind(cx);
            cx.ps_set_shader(&ps);
            cx.om_set_render_targets_and_unordered_access_views(None, None, 0, &written, &[]);
            cx.draw(3, 0);
        });
        assert_eq!(read(h, &numbers), [3; COUNT as usize]);
    });
}

fn bound(cx: &DeviceContext) -> (usize, Vec<u32>) {
    let (targets, _, views) = cx.om_get_render_targets_and_unordered_access_views(0, 8);
    let slots = (0..).zip(&views).filter_map(|(slot, view)| view.as_ref().map(|_| slot)).collect();
    (targets.iter().flatten().count(), slots)
}

#[test]
fn targets_and_views_share_eight_slots() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let scene = Fixture::new(h);
        let buffers = [zeros(h, 8), zeros(h, 8)];
        let [a, b] = buffers.each_ref().map(|buffer| uav(h, buffer));
        let other = h.device.create_texture_2d(scene.target.desc(), None).unwrap();
        let other = h.device.create_render_target_view(&other, None).unwrap();
        let (device, cx) = (h.device.clone(), &mut h.immediate);
        let reported = |id| device.info_queue().take().iter().any(|m| m.id == id);
        let invalid = MessageId::SetRenderTargetsInvalid;

        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, [&a, &b], &[]);
        assert_eq!(bound(cx), (1, vec![1, 2]));
        // Calls that break the rules change nothing.
        cx.om_set_render_targets_and_unordered_access_views([&scene.rtv, &other], None, 1, &a, &[]);
        assert!(reported(invalid), "slot 1 is a target's");
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 7, [&a, &b], &[]);
        assert!(reported(invalid), "slot 8 does not exist");
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, [&a, &a], &[]);
        assert!(reported(invalid), "a view twice");
        cx.om_set_unordered_access_views(8, &a);
        assert!(reported(MessageId::SetUnorderedAccessViewsInvalid));
        assert_eq!(bound(cx), (1, vec![1, 2]));
        // Targets keep the views in slots that they do not take.
        cx.om_set_render_targets([&scene.rtv, &other], None);
        assert_eq!(bound(cx), (2, vec![2]));
        cx.om_set_render_targets(None, None);
        assert_eq!(bound(cx), (0, vec![2]));
        cx.om_set_render_targets([&scene.rtv, &other], None);
        // Views keep the targets in slots below them, and replace all other views.
        cx.om_set_unordered_access_views(1, &a);
        assert_eq!(bound(cx), (1, vec![1]));
        cx.om_set_unordered_access_views(3, &b);
        assert_eq!(bound(cx), (1, vec![3]));
        cx.om_set_unordered_access_views(0, None);
        assert_eq!(bound(cx), (0, vec![]));
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, [&a, &b], &[]);
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 2, &a, &[]);
        assert_eq!(bound(cx), (1, vec![2]));
        cx.clear_state();
        assert_eq!(bound(cx), (0, vec![]));
        h.take_errors();
    });
}

#[test]
fn what_pixel_shaders_write_is_bound_nowhere_else() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let flags = BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER | BindFlags::SHADER_RESOURCE;
        let desc = BufferDesc::raw(256, flags | BindFlags::UNORDERED_ACCESS).label("all");
        let buffer = h.device.create_buffer(&desc, None).unwrap();
        let view = |first| {
            let desc = UnorderedAccessViewDesc::raw_buffer(first, 16);
            h.device.create_unordered_access_view(&buffer, Some(&desc)).unwrap()
        };
        let (low, high) = (view(0), view(16));
        let desc = ShaderResourceViewDesc::raw_buffer(0, 16);
        let read = h.device.create_shader_resource_view(&buffer, Some(&desc)).unwrap();
        let desc = ShaderResourceViewDesc::raw_buffer(32, 16);
        let apart = h.device.create_shader_resource_view(&buffer, Some(&desc)).unwrap();
        let (device, cx) = (h.device.clone(), &mut h.immediate);
        let reported = |id| device.info_queue().take().iter().any(|m| m.id == id);
        let is_none = |cx: &DeviceContext| {
            let vertices = cx.ia_get_vertex_buffers(0, 2).iter().all(|(buffer, ..)| buffer.is_none());
            [vertices, cx.ia_get_index_buffer().0.is_none(), cx.ps_get_shader_resources(0, 1)[0].is_none()]
        };
        let vertices = || [VertexBufferBinding::new(&buffer, 4); 2];

        for stage in ["pixel", "compute"] {
            let set = |cx: &mut DeviceContext, view| match stage {
                "pixel" => cx.om_set_unordered_access_views(0, view),
                _ => cx.cs_set_unordered_access_views(0, view),
            };
            cx.ia_set_vertex_buffers(0, vertices());
            cx.ia_set_index_buffer(&buffer, Format::R16_UINT, 0);
            cx.ps_set_shader_resources(0, [&read, &apart]);
            assert_eq!(is_none(cx), [false; 3]);
            set(cx, Some(&low));
            assert_eq!(is_none(cx), [true; 3], "{stage}");
            assert!(reported(MessageId::SetUnorderedAccessViewsHazard));
            assert!(cx.ps_get_shader_resources(1, 1)[0].is_some(), "it sees another part");
            // Nor is it bound while it is written.
            cx.ia_set_vertex_buffers(0, vertices());
            assert!(reported(MessageId::SetVertexBuffersHazard));
            cx.ia_set_index_buffer(&buffer, Format::R16_UINT, 0);
            assert!(reported(MessageId::SetIndexBufferHazard));
            cx.ps_set_shader_resources(0, &read);
            assert!(reported(MessageId::SetShaderResourcesHazard));
            assert_eq!(is_none(cx), [true; 3], "{stage}");
            set(cx, None);
        }
        // The two stages exclude each other, by part.
        cx.om_set_unordered_access_views(0, [&low, &high]);
        cx.cs_set_unordered_access_views(5, &high);
        assert_eq!(bound(cx).1, [0]);
        cx.om_set_render_targets_and_unordered_access_views(None, None, 3, &high, &[]);
        assert!(reported(MessageId::SetRenderTargetsHazard));
        assert!(cx.cs_get_unordered_access_views(0, 8).iter().all(Option::is_none));
        assert_eq!(bound(cx).1, [3]);
        cx.clear_state();
        h.take_errors();
    });
}

#[test]
fn a_slot_without_a_view_reads_zero_and_takes_nothing() {
    on_each(&gpu_matrix(), |h| {
        let (scene, append) = (Fixture::new(h), pixel_shader(h, "append"));
        let items = zeros(h, 4);
        let appended = uav(h, &items);
        h.record(How::Immediate, |cx| {
            scene.bind(cx);
            cx.ps_set_shader(&append);
            cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
            // The counter is missing: each draw counts from zero.
            cx.om_set_unordered_access_views(3, &appended);
            cx.draw(3, 0);
            cx.draw(3, 0);
        });
        assert_eq!(read(h, &items), [1, 0, 0, 0]);
        h.assert_reported(MessageId::DispatchUnorderedAccessNotSet);
    });
}

/// The hidden counters of views, which a pixel shader appends and consumes with.
#[test]
fn pixel_shaders_count_with_hidden_counters() {
    const COUNTING: &str = "
        @group(3) @binding(1) var<storage, read_write> items: array<u32>;
        @group(4) @binding(1) var<storage, read_write> count: atomic<u32>;
        @fragment fn append(@builtin(position) at: vec4f) { items[atomicAdd(&count, 1u)] = u32(at.x) + 1u; }
        @fragment fn consume(@builtin(position) at: vec4f) { atomicSub(&count, 1u); }";
    on_each(&gpu_matrix(), |h| {
        let scene = Fixture::new(h);
        let shader = |name| h.device.create_pixel_shader(ShaderSource::wgsl(COUNTING, name)).unwrap();
        let (append, consume) = (shader("append"), shader("consume"));
        for how in How::ALL {
            let (items, counts) = (zeros(h, 256), zeros(h, 4));
            let desc = UnorderedAccessViewDesc {
                dimension: Some(UnorderedAccessViewDimension::Buffer {
                    first_element: 0,
                    num_elements: 256,
                    flags: BufferUavFlags::APPEND,
                }),
                ..UnorderedAccessViewDesc::default()
            };
            let view = h.device.create_unordered_access_view(&items, Some(&desc)).unwrap();
            h.record(how, |cx| {
                scene.bind(cx);
                cx.rs_set_viewports(Viewport::sized(4.0, 1.0));
                cx.ps_set_shader(&append);
                cx.om_set_render_targets_and_unordered_access_views(None, None, 1, &view, &[7]);
                (0..3).for_each(|_| cx.draw(3, 0));
                cx.copy_structure_count(&counts, 0, &view);
                cx.ps_set_shader(&consume);
                cx.draw(3, 0);
                cx.copy_structure_count(&counts, 4, &view);
                // The count alone is new.
                cx.om_set_render_targets_and_unordered_access_views(None, None, 1, &view, &[100]);
                cx.draw(3, 0);
                cx.copy_structure_count(&counts, 8, &view);
                cx.om_set_render_targets_and_unordered_access_views(None, None, 1, &view, &[u32::MAX]);
                cx.ps_set_shader(&append);
                cx.draw(3, 0);
                cx.copy_structure_count(&counts, 12, &view);
            });
            assert_eq!(read(h, &counts), [19, 15, 96, 100], "{how:?}");
            let mut found = read(h, &items)[7..19].to_vec();
            found.sort_unstable();
            assert_eq!(found, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], "{how:?}");
        }
    });
}
