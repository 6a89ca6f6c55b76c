//! The order of draws that write, and the draws that may share a pass.

use super::*;

/// Each draw reads and overwrites the values that the previous draw wrote.
#[test]
fn each_draw_sees_the_writes_of_earlier_draws() {
    on_each(&gpu_matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "grow"));
        for (how, has_target) in CommandPath::ALL.into_iter().flat_map(|how| [(how, true), (how, false)]) {
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

/// Draws read the results of a pixel shader as vertices, indices and a shader resource.
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
        // Three corners, and the indices 0, 1 and 2 in front-facing order.
        let corners = [[-1.0, -1.0], [-1.0, 3.0], [3.0, -1.0]];
        let mut contents = vec![0; COUNT as usize];
        contents[..6].copy_from_slice(bytemuck::cast_slice::<[f32; 2], u32>(&corners));
        contents[6..8].copy_from_slice(bytemuck::cast_slice(&[0_u16, 1, 2, 0]));
        contents[8..].fill(9);
        let source = words(h, &contents);
        let from = srv(h, &source);
        let flags = BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER | BindFlags::SHADER_RESOURCE;
        let desc = BufferDesc::raw(4 * COUNT, flags | BindFlags::UNORDERED_ACCESS);
        for how in CommandPath::ALL {
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

/// All draws have the same target, so only the reads and writes can split the pass.
#[test]
fn reads_and_writes_of_one_buffer_keep_their_order_in_a_pass() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::SetUnorderedAccessViewsHazard]);
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
        for how in CommandPath::ALL {
            let numbers = zeros(h, COUNT);
            let (written, seen) = (uav(h, &numbers), srv(h, &numbers));
            h.record(how, |cx| {
                scene.bind(cx);
                cx.om_set_blend(&sums);
                cx.clear_render_target_view(&scene.rtv, [0.0; 4]);
                cx.om_set_render_targets(&scene.rtv, None);
                // Red becomes 0 + 1 + 3 + 7, and the writing draws output no colour because their red would
                // saturate the sum.
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
        for how in CommandPath::ALL {
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

#[test]
fn draws_and_dispatches_take_turns() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DispatchUnorderedAccessNotSet, MessageId::SetUnorderedAccessViewsHazard]);
        let (scene, grow) = (Fixture::new(h), pixel_shader(h, "grow"));
        let double = h.device.create_compute_shader(ShaderSource::wgsl(SHADER, "double")).unwrap();
        for how in CommandPath::ALL {
            let numbers = zeros(h, COUNT);
            let written = uav(h, &numbers);
            h.record(how, |cx| {
                scene.bind(cx);
                cx.ps_set_shader(&grow);
                cx.cs_set_shader(&double);
                for _ in 0..3 {
                    cx.om_set_unordered_access_views(1, &written);
                    cx.draw(3, 0);
                    // Binding the view to the compute stage unbinds it from the pixel stage, so this draw
                    // writes nothing.
                    cx.cs_set_unordered_access_views(1, &written);
                    cx.draw(3, 0);
                    cx.dispatch(1, 1, 1);
                }
            });
            // Each of the three rounds changes a value v to (v * 2 + 1) * 2.
            assert_eq!(read(h, &numbers), [42; COUNT as usize], "{how:?}");
        }
    });
}

/// The result does not depend on the order of the draws, so one pass is sufficient even if shaders and
/// constants change.
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
        h.record(CommandPath::Immediate, |cx| {
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

/// wgpu does not order accesses within a pass, although some adapters happen to keep the order.
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
        h.watch.expect(&[MessageId::DrawNothingWritten]);
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
            // The first draw uses one view, and the next draw also writes through another view, so a new pass
            // begins.
            (["add", "append", "append"], 2),
        ] {
            let shaders = entry_points
                .map(|name| h.device.create_pixel_shader(ShaderSource::wgsl(SHADERS, name)).unwrap());
            let before = h.device.statistics().passes;
            h.record(CommandPath::Immediate, |cx| {
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
        // The view begins at an offset that wgpu cannot bind.
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

/// The view requires a copy that differs at each execution, but bundles keep their bindings.
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

/// A replayed list consists of bundles, which are executed here right after a draw that writes their input.
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
