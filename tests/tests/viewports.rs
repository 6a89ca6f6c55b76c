//! Viewports and scissor rectangles up to Direct3D 11's bounds of -32768 and 32767, which must work on any
//! adapter.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Harness, Random, Target,
    drawing::{assert_all, is_close},
    gpu_matrix, on_each,
    shapes::{BLACK, GREEN, Painter, RED, Vertex, expect, vertices},
};

const SIZE: u32 = 24;

/// Viewports that contain pixels of the target. No current adapter supports them directly, except the last,
/// which every adapter supports.
const LARGE: [[f32; 4]; 7] = [
    [-32768.0, -32768.0, 65535.0, 65535.0],
    [0.0, 0.0, 32767.0, 32767.0],
    [-32768.0, 0.0, 65535.0, 24.0],
    [0.0, -32000.0, 24.0, 64000.0],
    [-20000.5, -12345.25, 40001.25, 44444.5],
    [3.0, 5.0, 32764.0, 32762.0],
    [-20.0, -10.0, 100.0, 200.0],
];

fn viewport([x, y, width, height]: [f32; 4]) -> Viewport {
    Viewport { top_left_x: x, top_left_y: y, ..Viewport::sized(width, height) }
}

fn at(viewport: &Viewport, x: f64, y: f64, color: u32) -> Vertex {
    let axis = |at: f64, first: f32, extent: f32| (at - f64::from(first)) * 2.0 / f64::from(extent) - 1.0;
    let x = axis(x, viewport.top_left_x, viewport.width);
    let y = -axis(y, viewport.top_left_y, viewport.height);
    Vertex::new(x as f32, y as f32, 0.5, color)
}

/// Returns the corners of a rectangle whose sides are given in pixels: left, top, right and bottom.
fn rectangle(viewport: &Viewport, [left, top, right, bottom]: [f64; 4], color: u32) -> Vec<Vertex> {
    let corners = [(left, bottom), (left, top), (right, bottom), (right, top)];
    corners.map(|(x, y)| at(viewport, x, y, color)).to_vec()
}

fn is_within([left, top, right, bottom]: [f64; 4], x: u32, y: u32) -> bool {
    let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
    left <= x && x < right && top <= y && y < bottom
}

#[test]
fn a_viewport_of_any_legal_size_draws_its_pixels() {
    on_each(&gpu_matrix(), |h| {
        let (target, painter) = (Target::new(&h.device, SIZE, SIZE), Painter::new(&h.device));
        for viewport in LARGE.map(viewport) {
            for rect in [[2.0, 7.0, 9.0, 20.0], [-7.5, 3.25, 11.75, 90.0], [-9e4, -9e4, 9e4, 9e4]] {
                let buffer = vertices(&h.device, &rectangle(&viewport, rect, RED));
                let draw = |cx: &mut DeviceContext| {
                    cx.rs_set_viewports(viewport);
                    painter.bind(cx, &buffer, PrimitiveTopology::TriangleStrip);
                    cx.draw(4, 0);
                };
                let (left, top) = (viewport.top_left_x.floor() as f64, viewport.top_left_y.floor() as f64);
                expect(h, &target, &format!("{viewport:?}, {rect:?}"), draw, |x, y| {
                    let is_inside = f64::from(x) >= left && f64::from(y) >= top;
                    if is_inside && is_within(rect, x, y) { RED } else { BLACK }
                });
            }
        }
    });
}

fn triangles(h: &mut Harness, target: &Target, painter: &Painter, viewport: &Viewport) -> Vec<u32> {
    let mut random = Random::new(14);
    // The coordinates are multiples of a sixteenth of a pixel.
    let mut coordinate = || f64::from(random.below(60 * 16)) / 16.0 - 18.0;
    let corners = (0..120_u32).map(|n| {
        let color = 0xff00_0000 | (n / 3 * 6) << 16 | (n % 3 * 100) << 8 | (255 - n);
        at(viewport, coordinate(), coordinate(), color)
    });
    let buffer = vertices(&h.device, &corners.collect::<Vec<_>>());
    let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
    let both = h.device.create_rasterizer_state(&both).unwrap();
    h.record(CommandPath::ALL[0], |cx| {
        cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
        target.bind(cx);
        cx.rs_set_viewports(*viewport);
        cx.rs_set_state(&both);
        painter.bind(cx, &buffer, PrimitiveTopology::TriangleList);
        // Each triangle is drawn by a separate draw.
        (0..40).for_each(|n| cx.draw(3, 3 * n));
    });
    target.read(h)
}

#[test]
fn triangles_cover_the_same_pixels_in_a_large_viewport() {
    on_each(&[Config::GPU], |h| {
        let (target, painter) = (Target::new(&h.device, SIZE, SIZE), Painter::new(&h.device));
        let expected = triangles(h, &target, &painter, &viewport([-20.0, -20.0, 64.0, 64.0]));
        for large in [LARGE[0], [-20.0, -20.0, 32768.0, 32768.0], [-32000.0, -20.0, 64000.0, 64.0]] {
            let found = triangles(h, &target, &painter, &viewport(large));
            for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let near = is_close(*found, *expected, 1);
                assert!(near, "{large:?}, texel {n}: {found:#010x}, not {expected:#010x}");
            }
        }
    });
}

/// A triangle over all pixels, whose colour shows a perspective-interpolated value and the pixel's position.
const POSITIONS: &str = "
    cbuffer Constants : register(b0) { float4 corners[3]; };
    struct Varying { float4 position : SV_Position; float value : VALUE; };
    Varying vs_main(uint n : SV_VertexID) {
        float w = n + 1;
        Varying result = { float4(corners[n].xy * w, corners[n].z * w, w), n * 0.5 };
        return result;
    }
    float4 ps_main(Varying input) : SV_Target {
        return float4(input.value, input.position.xy / 32, input.position.z);
    }";

#[test]
fn pixel_shaders_get_positions_and_values_in_a_large_viewport() {
    on_each(&[Config::GPU, Config::GPU.by_index()], |h| {
        let device = h.device.clone();
        let target = Target::new(&device, SIZE, SIZE);
        let vs = device.create_vertex_shader(ShaderSource::hlsl(POSITIONS, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::hlsl(POSITIONS, "ps_main")).unwrap();
        let mut draw = |of: [f32; 4]| {
            let viewport = Viewport { min_depth: 0.25, max_depth: 0.75, ..viewport(of) };
            let corners = [(-1.0, 24.0), (-1.0, -30.0), (70.0, 24.0)];
            let corners = corners.map(|(x, y)| at(&viewport, x, y, 0).position);
            let corners = corners.map(|[x, y, z]| [x, y, z, 0.0]);
            let constants = device.create_constant_buffer(&corners).unwrap();
            h.record(CommandPath::ALL[0], |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                target.bind(cx);
                cx.rs_set_viewports(viewport);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.vs_set_constant_buffers(0, &constants);
                cx.draw(3, 0);
            });
            target.read(h)
        };
        let expected = draw([-8.0, -8.0, 64.0, 64.0]);
        // The expected texel shows the pixel's centre and half of the depth range.
        let texel = expected[(5 * SIZE + 3) as usize];
        assert!(is_close(texel & 0xffff_ff00, 0x802c_1c00, 1), "{texel:#010x}");
        for large in &LARGE[..2] {
            for (n, (found, expected)) in draw(*large).iter().zip(&expected).enumerate() {
                let near = is_close(*found, *expected, 1);
                assert!(near, "{large:?}, texel {n}: {found:#010x}, not {expected:#010x}");
            }
        }
    });
}

#[test]
fn depth_ranges_hold_in_a_large_viewport() {
    on_each(&[Config::GPU], |h| {
        let device = h.device.clone();
        let (target, painter) = (Target::new(&device, SIZE, SIZE), Painter::new(&device));
        let depth = device.create_depth_target(Format::D32_FLOAT, SIZE, SIZE).unwrap().depth_stencil_view;
        let viewport = Viewport { min_depth: 0.25, max_depth: 0.5, ..viewport(LARGE[0]) };
        let buffer = vertices(&device, &rectangle(&viewport, [0.0, 0.0, 24.0, 24.0], RED));
        // z is 0.5, so the depth is 0.375, the middle of the viewport's depth range.
        for (cleared, expected) in [(0.38, RED), (0.37, BLACK)] {
            h.record(CommandPath::ALL[0], |cx| {
                cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
                cx.clear_depth_stencil_view(&depth, ClearFlags::DEPTH, cleared, 0);
                target.bind(cx);
                cx.om_set_render_targets(&target.view, &depth);
                cx.rs_set_viewports(viewport);
                painter.bind(cx, &buffer, PrimitiveTopology::TriangleStrip);
                cx.draw(4, 0);
            });
            assert_all(&target.read(h), expected, &format!("depth {cleared}"));
        }
    });
}

/// Draws in small and large viewports alternate, so that pipelines and bindings change between them.
#[test]
fn large_and_small_viewports_may_alternate() {
    on_each(&gpu_matrix(), |h| {
        let (target, painter) = (Target::new(&h.device, SIZE, SIZE), Painter::new(&h.device));
        let rects = (0..SIZE).map(|x| [f64::from(x), 0.0, f64::from(x) + 1.0, 24.0]);
        let viewports = LARGE.map(viewport);
        let columns: Vec<_> = rects
            .zip(viewports.iter().cycle())
            .map(|(rect, viewport)| {
                let color = if (rect[0] as u32).is_multiple_of(2) { RED } else { GREEN };
                (*viewport, vertices(&h.device, &rectangle(viewport, rect, color)))
            })
            .collect();
        let draw = |cx: &mut DeviceContext| {
            for (viewport, buffer) in &columns {
                cx.rs_set_viewports(*viewport);
                painter.bind(cx, buffer, PrimitiveTopology::TriangleStrip);
                cx.draw(4, 0);
                cx.draw(4, 0);
            }
        };
        // In every seventh column, the viewport begins below the first rows, so the texels above it stay
        // black.
        expect(h, &target, "columns", draw, |x, y| match columns[x as usize].0 {
            viewport if (x as f32) < viewport.top_left_x || (y as f32) < viewport.top_left_y => BLACK,
            _ if x.is_multiple_of(2) => RED,
            _ => GREEN,
        });
    });
}

/// The vertices are fetched by the shader, and the second draw reads its arguments from a buffer.
#[test]
fn pulled_and_indirect_draws_reach_a_large_viewport() {
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let (target, painter) = (Target::new(&device, SIZE, SIZE), Painter::new(&device));
        let viewport = viewport(LARGE[0]);
        let halves = [([0.0, 0.0, 24.0, 10.0], RED), ([0.0, 10.0, 24.0, 24.0], GREEN)];
        let corners: Vec<_> =
            halves.iter().flat_map(|(rect, color)| rectangle(&viewport, *rect, *color)).collect();
        // No vertex begins at a multiple of 4 bytes, so wgpu cannot fetch the vertices.
        let bytes: Vec<u8> = [0, 0].into_iter().chain(bytemuck::cast_slice(&corners).to_vec()).collect();
        let buffer = vertices(&device, &bytes);
        let arguments: Vec<u8> = [4_u32, 1, 4, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let desc = BufferDesc::indirect(16, BindFlags::empty());
        let arguments = device.create_buffer(&desc, Some(&arguments)).unwrap();
        let draw = |cx: &mut DeviceContext| {
            cx.rs_set_viewports(viewport);
            painter.bind(cx, &buffer, PrimitiveTopology::TriangleStrip);
            let stride = size_of::<Vertex>() as u32;
            cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer: &buffer, stride, offset: 2 });
            cx.draw(4, 0);
            cx.draw_instanced_indirect(&arguments, 0);
        };
        expect(h, &target, "halves", draw, |_, y| if y < 10 { RED } else { GREEN });
    });
}

/// At the second execution, the list's draws are recorded into render bundles, which the third execution
/// uses.
#[test]
fn a_list_with_large_viewports_can_be_executed_again() {
    on_each(&gpu_matrix(), |h| {
        let (target, painter) = (Target::new(&h.device, SIZE, SIZE), Painter::new(&h.device));
        let columns: Vec<_> = (0..SIZE)
            .map(|x| {
                // Large and small viewports alternate.
                let viewport = viewport(LARGE[if x.is_multiple_of(3) { 0 } else { 6 }]);
                let rect = [f64::from(x), 0.0, f64::from(x) + 1.0, 24.0];
                let color = if x.is_multiple_of(2) { RED } else { GREEN };
                (viewport, vertices(&h.device, &rectangle(&viewport, rect, color)))
            })
            .collect();
        let mut deferred = h.device.create_deferred_context().unwrap();
        target.bind(&mut deferred);
        for (viewport, buffer) in &columns {
            deferred.rs_set_viewports(*viewport);
            painter.bind(&mut deferred, buffer, PrimitiveTopology::TriangleStrip);
            (0..4).for_each(|_| deferred.draw(4, 0));
        }
        let list = deferred.finish_command_list(false).unwrap();
        for round in 0..4 {
            h.immediate.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
            h.immediate.execute_command_list(&list, false);
            for (n, texel) in (0..).zip(target.read(h)) {
                let expected = if (n % SIZE).is_multiple_of(2) { RED } else { GREEN };
                assert_eq!(texel, expected, "round {round}, texel {n}");
            }
        }
    });
}

#[test]
fn scissor_rectangles_accept_any_coordinates() {
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::DrawScissorEmpty]);
        let (target, painter) = (Target::new(&h.device, SIZE, SIZE), Painter::new(&h.device));
        let desc = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let state = h.device.create_rasterizer_state(&desc).unwrap();
        let rect = |left, top, right, bottom| onze::Rect { left, top, right, bottom };
        let rects = [
            rect(i32::MIN, i32::MIN, i32::MAX, i32::MAX),
            rect(4, 4, 4, 20),
            rect(20, 4, 4, 20),
            rect(-5, -5, 7, 9),
            rect(10, 12, i32::MAX, 400),
            rect(24, 0, 30, 24),
            rect(i32::MIN, 3, i32::MIN, 5),
        ];
        for viewport in [viewport(LARGE[0]), viewport([2.0, 0.0, 20.0, 24.0])] {
            let all = [-9e4, -9e4, 9e4, 9e4];
            let buffer = vertices(&h.device, &rectangle(&viewport, all, RED));
            for rect in rects {
                let draw = |cx: &mut DeviceContext| {
                    cx.rs_set_state(&state);
                    cx.rs_set_viewports(viewport);
                    cx.rs_set_scissor_rects(rect);
                    painter.bind(cx, &buffer, PrimitiveTopology::TriangleStrip);
                    cx.draw(4, 0);
                };
                let end = viewport.top_left_x + viewport.width;
                expect(h, &target, &format!("{viewport:?}, {rect:?}"), draw, |x, y| {
                    let (column, row) = (x as i32, y as i32);
                    let is_cut = column < rect.left
                        || column >= rect.right
                        || row < rect.top
                        || row >= rect.bottom
                        || (x as f32) < viewport.top_left_x
                        || x as f32 >= end;
                    if is_cut { BLACK } else { RED }
                });
            }
        }
    });
}

/// The other 15 viewports and rectangles are elsewhere, so drawing with one of them changes other pixels.
#[test]
fn of_16_viewports_the_first_draws() {
    on_each(&gpu_matrix(), |h| {
        let (target, painter) = (Target::new(&h.device, SIZE, SIZE), Painter::new(&h.device));
        let desc = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let state = h.device.create_rasterizer_state(&desc).unwrap();
        let viewports: [_; 16] = std::array::from_fn(|i| viewport([i as f32, 3.0, 20.0 - i as f32, 18.0]));
        let rects: [_; 16] = std::array::from_fn(|i| {
            let start = i as i32;
            onze::Rect { left: 2 + start, top: 5, right: 9 + start, bottom: 30 - start }
        });
        let all = vertices(&h.device, &rectangle(&viewports[0], [-9e4, -9e4, 9e4, 9e4], RED));
        for (first, count) in [(0, 16), (15, 1), (4, 12)] {
            let (viewports, rects) = (&viewports[first..], &rects[first..]);
            let draw = |cx: &mut DeviceContext| {
                cx.rs_set_state(&state);
                cx.rs_set_viewports(viewports);
                cx.rs_set_scissor_rects(rects);
                assert_eq!((cx.rs_get_viewports().len(), cx.rs_get_scissor_rects().len()), (count, count));
                assert_eq!(
                    (cx.rs_get_viewports(), cx.rs_get_scissor_rects()),
                    (viewports.to_vec(), rects.to_vec())
                );
                painter.bind(cx, &all, PrimitiveTopology::TriangleStrip);
                cx.draw(4, 0);
            };
            let (left, cut) = (first as u32, rects[0]);
            expect(h, &target, &format!("{count} viewports"), draw, |x, y| {
                let is_seen = (left..20).contains(&x) && (3..21).contains(&y);
                let is_kept = (cut.left..cut.right).contains(&(x as i32))
                    && (cut.top..cut.bottom).contains(&(y as i32));
                if is_seen && is_kept { RED } else { BLACK }
            });
        }
    });
}

#[test]
fn viewports_out_of_range_change_nothing() {
    on_each(&[Config::GPU], |h| {
        let good = viewport([0.0, 0.0, 4.0, 4.0]);
        h.immediate.rs_set_viewports(good);
        let rows = [
            viewport([-32769.0, 0.0, 4.0, 4.0]),
            viewport([0.0, 0.0, 32768.0, 4.0]),
            viewport([0.0, 0.0, -1.0, 4.0]),
            viewport([f32::NAN, 0.0, 4.0, 4.0]),
            viewport([0.0, 0.0, f32::INFINITY, 4.0]),
            Viewport { min_depth: 0.75, max_depth: 0.5, ..good },
            Viewport { min_depth: -0.1, ..good },
            Viewport { max_depth: 1.5, ..good },
            Viewport { max_depth: f32::NAN, ..good },
        ];
        for bad in rows {
            h.immediate.rs_set_viewports(bad);
            h.assert_reported(MessageId::SetViewportsInvalid);
            assert_eq!(h.immediate.rs_get_viewports(), [good], "{bad:?}");
        }
    });
}
