//! Draws whose inputs the driver must copy or gather before the pass, between writes to the sources by
//! dispatches and by other draws.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, Target, gpu_matrix, on_each};

const SIZE: u32 = 16;

const WHITE: u32 = 0xffff_ffff;

const DRAWS: u32 = 100;

/// `vs_point` draws a point at the texel with the number that it fetches, plus SV_VertexID. `vs_cover` covers the
/// viewport with the vertices 0, 1 and 2.
const SHADER: &str = "
    @vertex fn vs_point(@location(0) number: u32, @builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
        let at = number + vertex;
        let place = (vec2f(vec2(at % 16u, at / 16u)) + 0.5) / 8.0 - 1.0;
        return vec4f(place.x, -place.y, 0.0, 1.0);
    }
    @vertex fn vs_cover(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
        return vec4f(f32(n & 1u) * 4.0 - 1.0, 1.0 - f32(n >> 1u) * 4.0, 0.0, 1.0);
    }
    @fragment fn ps_white() -> @location(0) vec4f { return vec4f(1.0); }

    @group(3) @binding(0) var<storage, read_write> words: array<u32>;
    // Makes draws of one vertex, 16 bytes apart, and moves each of them to the next vertex.
    @compute @workgroup_size(100) fn next_draws(@builtin(local_invocation_index) n: u32) {
        words[4 * n] = 1u;
        words[4 * n + 1] = 1u;
        words[4 * n + 2] += 1u;
    }

    // Stores the indices 0, 9, 1, 9, 2 and 9. Every second index is an adjacent vertex.
    @group(3) @binding(1) var<storage, read_write> indices: array<u32>;
    @fragment fn ps_indices() -> @location(0) vec4f {
        indices[0] = 0x90000u;
        indices[1] = 0x90001u;
        indices[2] = 0x90002u;
        return vec4f(1.0);
    }";

/// A constant buffer of one vector, from a shader that declares two.
const SUM: &str = "
    struct Pair { first: vec4u, second: vec4u }
    @group(0) @binding(0) var<uniform> pair: Pair;
    @group(3) @binding(0) var<storage, read_write> words: array<u32>;
    @compute @workgroup_size(1) fn main() {
        let at = pair.first.x;
        words[at] = words[at + 1] + pair.first.y + pair.second.x;
    }";

fn vertex_shader(h: &Harness, entry_point: &str) -> VertexShader {
    h.device.create_vertex_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

fn pixel_shader(h: &Harness, entry_point: &str) -> PixelShader {
    h.device.create_pixel_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

fn uav(h: &Harness, buffer: &Buffer) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::raw_buffer(0, u32::MAX);
    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
}

fn covered(texels: &[u32]) -> Vec<u32> {
    (0..).zip(texels).filter(|(_, texel)| **texel == WHITE).map(|(at, _)| at).collect()
}

/// The vertex shader reads SV_VertexID, for which the driver copies arguments that a dispatch has written.
#[test]
fn indirect_draws_see_the_dispatches_before_them() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, SIZE, SIZE);
        let (vs, ps) = (vertex_shader(h, "vs_point"), pixel_shader(h, "ps_white"));
        let next = h.device.create_compute_shader(ShaderSource::wgsl(SHADER, "next_draws")).unwrap();
        let layout = h
            .device
            .create_input_layout(&[InputElementDesc::new("NUMBER", 0, Format::R32_UINT)], &vs)
            .unwrap();
        let numbers: Vec<u32> = (0..256).collect();
        let vertices = h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &numbers).unwrap();
        // Draw n begins with vertex 2n, and each dispatch adds 1.
        let words: Vec<u32> = (0..DRAWS).flat_map(|n| [0, 0, 2 * n, 0]).collect();
        let desc = BufferDesc::indirect(16 * DRAWS, BindFlags::UNORDERED_ACCESS);
        for how in CommandPath::ALL {
            for dispatches in [1, 2] {
                let arguments = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap();
                let view = uav(h, &arguments);
                h.immediate.flush();
                let before = h.device.statistics().passes;
                h.record(how, |cx| {
                    cx.clear_render_target_view(&target.view, [0.0; 4]);
                    target.bind(cx);
                    cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                    cx.ia_set_input_layout(&layout);
                    cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&vertices, 4));
                    cx.vs_set_shader(&vs);
                    cx.ps_set_shader(&ps);
                    cx.cs_set_shader(&next);
                    cx.cs_set_unordered_access_views(0, &view);
                    let each = DRAWS / dispatches;
                    for n in 0..DRAWS {
                        if n % each == 0 {
                            cx.dispatch(1, 1, 1);
                        }
                        cx.draw_instanced_indirect(&arguments, 16 * n);
                    }
                    cx.dispatch(1, 1, 1);
                });
                h.immediate.flush();
                let passes = h.device.statistics().passes - before;
                let expected: Vec<_> = (0..DRAWS).map(|n| 2 * n + 1 + n * dispatches / DRAWS).collect();
                assert_eq!(covered(&target.read(h)), expected, "{how:?}, {dispatches} dispatches");
                if how == CommandPath::Immediate && h.config.page_draws.is_none() {
                    // A dispatch has one pass. Its draws have two, because the second draw begins a section.
                    assert_eq!(passes, u64::from(3 * dispatches + 1), "{dispatches} dispatches");
                }
            }
        }
    });
}

/// A pixel shader stores indices with adjacency, which the next draw of the same targets gathers.
#[test]
fn gathered_indices_see_the_stores_of_draws_before_them() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, SIZE, SIZE);
        let vs = vertex_shader(h, "vs_cover");
        let (white, store) = (pixel_shader(h, "ps_white"), pixel_shader(h, "ps_indices"));
        let flags = BindFlags::INDEX_BUFFER | BindFlags::UNORDERED_ACCESS;
        let cell = |at: u32| {
            let (x, y) = ((at % SIZE) as f32, (at / SIZE) as f32);
            Viewport { top_left_x: x, top_left_y: y, ..Viewport::sized(1.0, 1.0) }
        };
        for how in CommandPath::ALL {
            let indices = h.device.create_buffer(&BufferDesc::raw(12, flags), Some(&[0; 12])).unwrap();
            let view = uav(h, &indices);
            h.record(how, |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.vs_set_shader(&vs);
                for stored in [false, true, true] {
                    cx.om_set_render_targets_and_unordered_access_views(&target.view, None, 1, &view, &[]);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    if stored {
                        cx.ps_set_shader(&store);
                        cx.rs_set_viewports(cell(0));
                        cx.draw(3, 0);
                    }
                    cx.om_set_render_targets_and_unordered_access_views(&target.view, None, 1, None, &[]);
                    cx.ps_set_shader(&white);
                    cx.rs_set_viewports(cell(1));
                    cx.draw(3, 0);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleListAdj);
                    cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
                    cx.rs_set_viewports(cell(if stored { 2 } else { 3 }));
                    cx.draw_indexed(6, 0, 0);
                    // The next iteration binds the buffer for stores.
                    cx.ia_set_index_buffer(None, Format::R16_UINT, 0);
                }
            });
            assert_eq!(covered(&target.read(h)), [0, 1, 2], "{how:?}");
        }
    });
}

/// Each dispatch reads a padded copy of its constants, and the word that the dispatch before it has written.
#[test]
fn dispatches_with_padded_constants_share_a_pass() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let sum = h.device.create_compute_shader(ShaderSource::wgsl(SUM, "main")).unwrap();
        let constants = h.device.create_constant_buffer(&[0_u32; 4]).unwrap();
        for how in CommandPath::ALL {
            let desc = BufferDesc::raw(4 * 17, BindFlags::UNORDERED_ACCESS);
            let words = h.device.create_buffer(&desc, Some(&[0; 4 * 17])).unwrap();
            let view = uav(h, &words);
            h.immediate.flush();
            let before = h.device.statistics().passes;
            h.record(how, |cx| {
                cx.cs_set_shader(&sum);
                cx.cs_set_unordered_access_views(0, &view);
                for at in (0..16).rev() {
                    cx.update(&constants, &[at, at + 1, 0, 0]).unwrap();
                    cx.cs_set_constant_buffers(0, &constants);
                    cx.dispatch(1, 1, 1);
                }
            });
            h.immediate.flush();
            let passes = h.device.statistics().passes - before;
            let found: Vec<u32> = h.immediate.read_buffer(&words).unwrap();
            let expected: Vec<u32> = (0..17).map(|at| (at + 1..=16).sum()).collect();
            assert_eq!(found, expected, "{how:?}");
            if how == CommandPath::Immediate && h.config.page_draws.is_none() {
                assert_eq!(passes, 1);
            }
        }
    });
}
