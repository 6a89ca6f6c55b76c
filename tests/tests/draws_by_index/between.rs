//! State changes, other commands and queries between the draws.

use super::*;
use onze::Rect;
use onze_tests::{Quad, shapes};

#[test]
fn other_state_and_other_commands_keep_their_place() {
    let make = |device: &Device| {
        let scissored = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let rasterizer = device.create_rasterizer_state(&scissored).unwrap();
        let buffers = [dynamic(device, 256), dynamic(device, 64)];
        (Shaders::new(device, RECTANGLES), buffers, rasterizer, Target::new(device, SIZE, SIZE))
    };
    let drawn = compare_reported(
        &[MessageId::DrawScissorEmpty],
        make,
        |(shaders, [place, paint], scissored, other), cx, target| {
            shaders.bind(cx);
            cx.vs_set_constant_buffers(0, place);
            cx.ps_set_constant_buffers(0, paint);
            for n in 0..200_u32 {
                discard(cx, place, &rect(n));
                discard(cx, paint, &color(n));
                cx.draw(4, 0);
                if n % 5 != 4 {
                    continue;
                }
                match n / 5 % 8 {
                    0 => cx.rs_set_state(scissored),
                    1 => {
                        let edge = (n % 32) as i32;
                        cx.rs_set_scissor_rects(Rect {
                            left: edge,
                            top: 0,
                            right: 64,
                            bottom: 64 - edge / 2,
                        });
                    }
                    2 => cx.rs_set_state(None),
                    3 => cx.rs_set_viewports(Viewport::sized(48.0, 40.0)),
                    4 => cx.rs_set_viewports(target.viewport()),
                    5 => cx.copy_resource(&other.texture, &target.texture),
                    6 => {
                        cx.clear_render_target_view(&other.view, color(n));
                        other.bind(cx);
                    }
                    _ => target.bind(cx),
                }
            }
            target.bind(cx);
        },
    );
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index > 0 && statistics.draws_merged > 0, "{statistics:?}");
    }
}

#[test]
fn depths_that_are_compared_for_equality_are_the_same() {
    const SOURCE: &str = "
        struct Constants { turn: mat4x4<f32>, color: vec4<f32> }
        @group(0) @binding(0) var<uniform> c: Constants;
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
            let at = vec2<f32>(f32(index & 2u) - 1.0, f32(index & 1u) * 2.0 - 1.0);
            return c.turn * vec4<f32>(at * 0.71, at.x * 0.3 + at.y * 0.17, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> { return c.color; }
    ";
    let make = |device: &Device| {
        let depth_desc = Texture2dDesc {
            bind_flags: BindFlags::DEPTH_STENCIL,
            ..Texture2dDesc::render_target(Format::D32_FLOAT, SIZE, SIZE)
        };
        let depth = device.create_texture_2d(&depth_desc, None).unwrap();
        let depth = device.create_depth_stencil_view(&depth, None).unwrap();
        let state = |depth_func| {
            let desc = DepthStencilDesc { depth_func, ..DepthStencilDesc::default() };
            device.create_depth_stencil_state(&desc).unwrap()
        };
        let states = [state(ComparisonFunc::Less), state(ComparisonFunc::Equal)];
        (Shaders::new(device, SOURCE), dynamic(device, 80), depth, states)
    };
    let drawn = compare(make, |(shaders, buffer, depth, [less, equal]), cx, target| {
        shaders.bind(cx);
        cx.om_set_render_targets(&target.view, depth);
        cx.clear_depth_stencil_view(depth, ClearFlags::DEPTH, 1.0, 0);
        cx.vs_set_constant_buffers(0, buffer);
        cx.ps_set_constant_buffers(0, buffer);
        for (pass, state) in (0_u32..).zip([less, equal]) {
            cx.om_set_depth_stencil_state(state, 0);
            for n in 0..40 {
                let (sin, cos) = (n as f32 * 0.37).sin_cos();
                let turn = [[cos, sin, 0.1 * sin, 0.2 * cos], [-sin, cos, 0.13, 0.0], [0.0, 0.0, 0.3, 0.01]];
                let place = [0.3 * sin, 0.2 * cos, 0.5, 1.0];
                discard(cx, buffer, &[turn[0], turn[1], turn[2], place, color(n + 3 * pass)]);
                cx.draw(4, 0);
            }
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index > 0, "{statistics:?}");
    }
}

#[test]
fn draws_that_write_and_indirect_draws_bind_their_constants() {
    const SOURCE: &str = "
        struct Constants { rect: vec4<f32>, color: vec4<f32> }
        @group(0) @binding(0) var<uniform> c: Constants;
        @group(3) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
            let r = c.rect;
            return vec4<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> {
            atomicAdd(&sums[0], 1u);
            return c.color;
        }
    ";
    let make = |device: &Device| {
        let writing = Shaders::new(device, SOURCE);
        let sums = device.create_buffer(&BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS), None);
        let view = device.create_unordered_access_view(&sums.unwrap(), None).unwrap();
        let desc = BufferDesc {
            misc_flags: MiscFlags::DRAWINDIRECT_ARGS,
            ..BufferDesc::new(16, BindFlags::empty())
        };
        let arguments = DrawInstancedIndirectArgs {
            vertex_count_per_instance: 4,
            instance_count: 1,
            start_vertex_location: 0,
            start_instance_location: 0,
        };
        let arguments = device.create_buffer(&desc, Some(bytemuck::bytes_of(&arguments))).unwrap();
        (Quad::new(device), writing, view, arguments)
    };
    let drawn = compare(make, |(quad, writing, view, arguments), cx, target| {
        for n in 0..120 {
            if n % 20 == 0 {
                quad.bind(cx);
                target.bind(cx);
            } else if n % 20 == 15 {
                cx.om_set_render_targets_and_unordered_access_views(&target.view, None, 1, view, &[]);
                cx.vs_set_shader(&writing.vs);
                cx.ps_set_shader(&writing.ps);
            }
            quad.set(cx, color(n), rect(n), 0.5);
            if n % 20 == 19 {
                discard(cx, &quad.constants, &[rect(n), color(n), [0.0; 4]]);
            }
            match n % 20 {
                7 => cx.draw_instanced_indirect(arguments, 0),
                _ => cx.draw(4, 0),
            }
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        let Statistics { draws_by_index, draws_alone_unordered_access, draws_alone_indirect, .. } =
            statistics;
        assert!(draws_by_index > 0 && draws_alone_unordered_access > 0, "{statistics:?}");
        assert!(draws_alone_indirect > 0, "{statistics:?}");
    }
}

/// Each dispatch stores its colour in a texel of an image, which is copied to the target after the draws.
#[test]
fn dispatches_between_draws_read_their_own_constants() {
    const STORE: &str = "
        struct Store { color: vec4<f32>, at: vec4<u32> }
        @group(0) @binding(0) var<uniform> store: Store;
        @group(3) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
        @compute @workgroup_size(1) fn main() { textureStore(image, store.at.xy, store.color); }";
    let make = |device: &Device| {
        let desc = Texture2dDesc {
            bind_flags: BindFlags::UNORDERED_ACCESS,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 16, 1)
        };
        let image = device.create_texture_2d(&desc, None).unwrap();
        let view = device.create_unordered_access_view(&image, None).unwrap();
        let store = device.create_compute_shader(ShaderSource::wgsl(STORE, "main")).unwrap();
        let buffers = [16, 16, 32].map(|size| dynamic(device, size));
        (Shaders::new(device, RECTANGLES), buffers, store, image, view)
    };
    let drawn = compare(make, |(shaders, [place, paint, stored], store, image, view), cx, target| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(0, place);
        cx.ps_set_constant_buffers(0, paint);
        cx.cs_set_shader(store);
        cx.cs_set_constant_buffers(0, stored);
        cx.cs_set_unordered_access_views(0, view);
        for n in 0..160_u32 {
            discard(cx, place, &rect(n));
            discard(cx, paint, &color(n));
            cx.draw(4, 0);
            if n % 10 == 9 {
                discard(cx, stored, &[color(n).map(f32::to_bits), [n / 10, 0, 0, 0]]);
                cx.dispatch(1, 1, 1);
            }
        }
        cx.copy_subresource_region(&target.texture, 0, [0, 0, 0], image, 0, None);
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index > 0, "{statistics:?}");
    }
}

#[test]
fn occlusion_queries_between_draws_count_their_own() {
    for mode in [DrawsByIndex::Off, DrawsByIndex::On, DrawsByIndex::Always] {
        let config = Config { draws_by_index: mode, ..Config::GPU };
        let Some(mut h) = Harness::start(config) else { return };
        {
            let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 16, 16));
            let predicate = || h.device.create_query(QueryType::OcclusionPredicate).unwrap();
            let queries: Vec<_> = (0..30).map(|_| predicate()).collect();
            for _ in 0..3 {
                target.bind(&mut h.immediate);
                quad.bind(&mut h.immediate);
                let is_seen = |n: u32| n.is_multiple_of(3) || n.is_multiple_of(7);
                for (n, query) in (0..).zip(&queries) {
                    h.immediate.begin(query);
                    for part in 0..n % 4 + 1 {
                        let [left, _, right, _] = if is_seen(n) { rect(part) } else { [2.0, 0.0, 3.0, 0.0] };
                        quad.set(&mut h.immediate, color(n), [left, -0.5, right, 0.5], 0.5);
                        h.immediate.draw(4, 0);
                    }
                    h.immediate.end(query);
                    quad.set(&mut h.immediate, color(n), Quad::ALL, 0.5);
                    h.immediate.draw(4, 0);
                }
                h.wait();
                for (n, query) in (0..).zip(&queries) {
                    let data = h.immediate.get_data(query, true).unwrap();
                    let expected = Some(QueryData::OcclusionPredicate(is_seen(n)));
                    assert_eq!(data, expected, "{mode:?}, query {n}");
                }
            }
            let by_index = h.device.statistics().draws_by_index;
            assert_eq!(by_index > 0, mode != DrawsByIndex::Off, "{mode:?}");
        }
        h.finish();
    }
}

#[test]
fn vertex_buffers_may_change_between_the_draws() {
    let make = |device: &Device| {
        let painter = shapes::Painter::new(device);
        let squares = shapes::squares();
        let buffers = [0, 4, 8].map(|first| shapes::vertices(device, &squares[first..first + 4]));
        (painter, buffers, Shaders::new(device, RECTANGLES), dynamic(device, 16), dynamic(device, 16))
    };
    compare(make, |(painter, buffers, shaders, place, paint), cx, _| {
        cx.vs_set_constant_buffers(0, place);
        cx.ps_set_constant_buffers(0, paint);
        for n in 0..90_u32 {
            if n % 6 == 0 {
                painter.bind(cx, &buffers[n as usize % 3], PrimitiveTopology::TriangleStrip);
                cx.draw(4, 0);
                cx.ia_set_input_layout(None);
                shaders.bind(cx);
            }
            discard(cx, place, &rect(n));
            discard(cx, paint, &color(n));
            cx.draw(if n % 7 == 0 { 3 } else { 4 }, 0);
        }
    });
}

#[test]
fn invalid_draws_are_skipped_and_later_ones_drawn() {
    const CORNERS: &str = "
        struct Place { rect: vec4<f32>, color: vec4<f32> }
        @group(0) @binding(0) var<uniform> place: Place;
        @vertex fn vs_main(@location(0) at: vec2<f32>) -> @builtin(position) vec4<f32> {
            return vec4<f32>(mix(place.rect.xy, place.rect.zw, at), 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> { return place.color; }";
    let make = |device: &Device| {
        let shaders = Shaders::new(device, CORNERS);
        let at = InputElementDesc::new("AT", 0, Format::R32G32_FLOAT);
        let layout = device.create_input_layout(&[at], &shaders.vs).unwrap();
        let corners = [[0.0_f32, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
        let corners = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &corners[..]).unwrap();
        let mut desc = BlendDesc::default();
        desc.render_target[0] =
            RenderTargetBlendDesc { dest_blend: Blend::Src1Color, ..RenderTargetBlendDesc::alpha() };
        let dual = device.create_blend_state(&desc).unwrap();
        (shaders, layout, corners, dual, dynamic(device, 32))
    };
    let drawn = compare_reported(
        &[MessageId::DrawDualSourceInvalid],
        make,
        |(shaders, layout, corners, dual, place), cx, _| {
            shaders.bind(cx);
            cx.ia_set_input_layout(layout);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(corners, 8));
            cx.vs_set_constant_buffers(0, place);
            cx.ps_set_constant_buffers(0, place);
            for n in 0..200_u32 {
                discard(cx, place, &[rect(n), color(n)]);
                // Some draws use a blend state that needs a second output, but the shader does not have one.
                cx.om_set_blend_state((n % 40 == 9).then_some(dual), [1.0; 4], u32::MAX);
                cx.draw(4, 0);
            }
        },
    );
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index * 2 > statistics.draws, "{statistics:?}");
    }
}

#[test]
fn draws_are_made_by_index_without_compiler_threads() {
    for workers in [0, 2] {
        let config = Config { workers, draws_by_index: DrawsByIndex::On, ..Config::GPU };
        let Some(mut h) = Harness::start(config) else { return };
        {
            let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, SIZE, SIZE));
            for _ in 0..FRAMES {
                h.immediate.clear_render_target_view(&target.view, [0.0; 4]);
                target.bind(&mut h.immediate);
                quad.bind(&mut h.immediate);
                for n in 0..200 {
                    quad.draw(&mut h.immediate, color(n));
                }
                let texel = color(199).map(|part| (part * 255.0).round() as u8);
                assert_eq!(target.read(&mut h)[0], u32::from_le_bytes(texel), "{workers} workers");
                wait_for_pipelines(&h.device);
            }
            let Statistics { draws, draws_by_index, .. } = h.device.statistics();
            assert!(draws_by_index * 2 > draws, "{workers} workers: {draws_by_index} of {draws}");
        }
        h.finish();
    }
}
