//! Pixel shaders that write through unordered-access views, with and without render targets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "written_draws/order.rs"]
mod order;
#[path = "written_draws/slots.rs"]
mod slots;

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, gpu_matrix, matrix, on_each};

const SIZE: u32 = 8;
const COUNT: u32 = SIZE * SIZE;

/// Pixel shaders. Most of them draw red and perform the write that their name describes. `u1` has one element
/// per pixel.
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

    /// Binds the state for a triangle over all pixels, except the pixel shader and the targets.
    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
    }
}

fn pixel_shader(h: &Harness, entry_point: &str) -> PixelShader {
    h.device.create_pixel_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

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

/// Returns `value` on devices that draw, else 0.
fn drawn(h: &Harness, value: u32) -> u32 {
    if h.draws() { value } else { 0 }
}

#[test]
fn a_pixel_shader_writes_beside_a_target() {
    on_each(&matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "append"));
        for how in CommandPath::ALL {
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
fn without_targets_viewport_and_scissor_bound_the_pixels() {
    on_each(&gpu_matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "append"));
        let cut = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let cut = h.device.create_rasterizer_state(&cut).unwrap();
        for how in CommandPath::ALL {
            let (count, items) = (zeros(h, 1), zeros(h, 4096));
            let (counted, appended) = (uav(h, &count), uav(h, &items));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&ps);
                cx.om_set_unordered_access_views(2, [&counted, &appended]);
                // The draws write 64 pixels, then 21 pixels in a viewport further right, then 2 of these
                // within a scissor rectangle, and then 40 by 30 pixels.
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
            h.record(CommandPath::Immediate, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&ps);
                cx.clear_depth_stencil_view(&dsv, ClearFlags::DEPTH, cleared, 0);
                cx.om_set_render_targets_and_unordered_access_views(None, &dsv, 2, &counted, &[]);
                cx.draw(3, 0);
            });
            // The depth test runs after the shader, so hidden pixels write as well.
            assert_eq!(read(h, &count), [COUNT], "depth {cleared}");
            let depth: Vec<f32> = bytemuck::pod_collect_to_vec(&h.read(&depth, 0));
            assert_eq!(depth, [f32::min(cleared, 0.5); COUNT as usize]);
        }
    });
}

/// `@early_depth_test(force)` is the WGSL form of HLSL's `[earlydepthstencil]`.
#[test]
fn early_depth_stencil_tests_before_the_shader_runs() {
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
            h.record(CommandPath::Immediate, |cx| {
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

/// First only the written view changes, then only the shader.
#[test]
fn each_binding_can_change_alone() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DispatchUnorderedAccessNotSet]);
        let scene = Fixture::new(h);
        let (grow, count_pixels) = (pixel_shader(h, "grow"), pixel_shader(h, "count_pixels"));
        for how in CommandPath::ALL {
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

/// The view begins at an offset that wgpu cannot bind.
#[test]
fn a_view_may_begin_anywhere() {
    on_each(&gpu_matrix(), |h| {
        let (scene, grow) = (Fixture::new(h), pixel_shader(h, "grow"));
        for how in CommandPath::ALL {
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

/// wgpu cannot bind the second view, so each draw writes a copy of it. The update moves before all draws, but
/// the copies must not.
#[test]
fn copies_of_a_view_follow_its_writes_after_an_update() {
    on_each(&gpu_matrix(), |h| {
        let (scene, grow) = (Fixture::new(h), pixel_shader(h, "grow"));
        for how in CommandPath::ALL {
            let [first, second, updated] = [(); 3].map(|()| zeros(h, COUNT));
            let (all, some) = (uav(h, &first), uav_of(h, &second, 3, 7));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&grow);
                cx.om_set_unordered_access_views(1, &all);
                cx.draw(3, 0);
                cx.update_subresource(&updated, 0, None, &[5_u32; COUNT as usize], 0, 0);
                cx.om_set_unordered_access_views(1, &some);
                (0..3).for_each(|_| cx.draw(3, 0));
            });
            let expected: Vec<_> = (0..COUNT).map(|n| if (3..10).contains(&n) { 7 } else { 0 }).collect();
            assert_eq!(read(h, &second), expected, "{how:?}");
            assert_eq!(read(h, &updated), [5; COUNT as usize], "{how:?}");
        }
    });
}

#[test]
fn indirect_draws_write_beside_their_arguments() {
    on_each(&gpu_matrix(), |h| {
        let (scene, append) = (Fixture::new(h), pixel_shader(h, "append"));
        let grow = pixel_shader(h, "grow");
        let flags = BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE;
        for how in CommandPath::ALL {
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
                // Pixels 0 to 3 write the arguments of the next draw, which has 3 instances of 2 * 3 + 1
                // vertices, or two triangles each.
                cx.rs_set_viewports(Viewport::sized(2.0, 1.0));
                cx.ps_set_shader(&grow);
                cx.om_set_unordered_access_views(1, &arguments);
                cx.draw_instanced_indirect(&buffer, 0);
                cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
                cx.ps_set_shader(&append);
                cx.om_set_unordered_access_views(2, [&counted, &all]);
                cx.draw_instanced_indirect(&buffer, 0);
            });
            // The second triangle of each instance has no area.
            assert_eq!(read(h, &count), [64 + 3], "{how:?}");
        }
    });
}

/// Pixel shaders append and consume elements through the hidden counters of views.
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
        for how in CommandPath::ALL {
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
                // Only the initial count differs from the previous binding.
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
