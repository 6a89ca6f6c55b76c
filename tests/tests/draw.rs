//! Draws: the vertices, indices and instances that a draw reads, and the primitives that it assembles.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Harness, Quad, Target, gpu_matrix,
    image::draw_everywhere,
    on_each,
    shapes::{
        BLACK, BLUE, GREEN, Painter, RED, Vertex, WHITE, buffer, discarded, expect, indices_of, square_color,
        squares, squares_only, vertices,
    },
};

use PrimitiveTopology::{LineList, LineStrip, PointList, TriangleList, TriangleStrip};

/// Draws vertices with one topology on a dark grey background, and compares the result with a stored picture.
fn picture(name: &str, size: u32, topology: PrimitiveTopology, shape: &[Vertex]) {
    draw_everywhere(
        name,
        &gpu_matrix(),
        (size, size),
        |h| (Painter::new(&h.device), vertices(&h.device, shape)),
        |(painter, shape_buffer), target, cx| {
            cx.clear_render_target_view(&target.view, [0.1, 0.1, 0.1, 1.0]);
            target.bind(cx);
            painter.bind(cx, shape_buffer, topology);
            cx.draw(shape.len() as u32, 0);
        },
    );
}

fn corners<const N: usize>(places: [(f32, f32, u32); N]) -> [Vertex; N] {
    places.map(|(x, y, color)| Vertex::at(32, x, y, color))
}

#[test]
fn a_triangle_interpolates_its_corners_colours() {
    picture(
        "triangle",
        64,
        TriangleList,
        &[
            Vertex::new(0.0, 0.8, 0.0, RED),
            Vertex::new(0.8, -0.8, 0.0, GREEN),
            Vertex::new(-0.8, -0.8, 0.0, BLUE),
        ],
    );
}

#[test]
fn a_strip_has_a_triangle_for_each_vertex_from_the_third() {
    let shape = [
        (2.5, 28.0, RED),
        (6.0, 4.0, GREEN),
        (13.0, 27.0, BLUE),
        (17.0, 6.0, WHITE),
        (24.0, 25.0, RED),
        (29.0, 3.0, GREEN),
    ];
    picture("triangle_strip", 32, TriangleStrip, &corners(shape));
}

#[test]
fn a_line_list_has_a_line_for_each_two_vertices() {
    let shape = [
        (2.5, 3.5, RED),
        (29.5, 3.5, RED),
        (4.5, 8.5, GREEN),
        (4.5, 28.5, GREEN),
        (10.5, 10.5, BLUE),
        (26.5, 26.5, WHITE),
    ];
    picture("line_list", 32, LineList, &corners(shape));
}

#[test]
fn a_line_strip_goes_on_from_each_vertex_to_the_next() {
    let shape = [
        (3.5, 3.5, RED),
        (27.5, 3.5, GREEN),
        (27.5, 27.5, BLUE),
        (9.5, 27.5, WHITE),
        (9.5, 10.5, RED),
        (20.5, 10.5, GREEN),
        (20.5, 20.5, BLUE),
    ];
    picture("line_strip", 32, LineStrip, &corners(shape));
}

/// A point covers one pixel, regardless of the cull mode.
#[test]
fn a_point_is_one_pixel() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 32, 32));
        let places = [(0, 0, RED), (31, 0, GREEN), (5, 7, BLUE), (6, 7, WHITE), (31, 31, RED)];
        let shape = places.map(|(x, y, color)| Vertex::at(32, x as f32 + 0.5, y as f32 + 0.5, color));
        let shape = vertices(&h.device, &shape);
        let cull_front = RasterizerDesc { cull_mode: CullMode::Front, ..Default::default() };
        let states = [None, Some(h.device.create_rasterizer_state(&cull_front).unwrap())];
        for state in &states {
            expect(
                h,
                &target,
                "points",
                |cx| {
                    painter.bind(cx, &shape, PointList);
                    cx.rs_set_state(state.as_ref());
                    cx.draw(5, 0);
                },
                |x, y| places.iter().find(|p| (p.0, p.1) == (x, y)).map_or(BLACK, |p| p.2),
            );
        }
    });
}

#[test]
fn a_draw_takes_its_vertices_from_the_start_vertex_on() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let shape = vertices(&h.device, &squares());
        for start in [0, 4, 8, 60] {
            let draw = |cx: &mut DeviceContext| {
                painter.bind(cx, &shape, TriangleStrip);
                cx.draw(4, start);
            };
            expect(h, &target, &format!("from {start}"), draw, squares_only(|n| n == start / 4));
        }
    });
}

#[test]
fn a_vertex_buffer_is_read_from_its_offset_on() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let shape = vertices(&h.device, &squares());
        for (offset, start) in [(64, 0), (0, 4), (128, 8), (960, 0)] {
            let draw = |cx: &mut DeviceContext| {
                painter.bind(cx, &shape, TriangleStrip);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer: &shape, stride: 16, offset });
                cx.draw(4, start);
            };
            let n = offset / 64 + start / 4;
            expect(h, &target, &format!("offset {offset}, start {start}"), draw, squares_only(|s| s == n));
        }
    });
}

#[test]
fn primitives_that_lack_vertices_are_dropped() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 32, 32));
        // Two right triangles, one in the top left quarter and one in the bottom right quarter of the
        // picture.
        let shape = corners([
            (0.0, 0.0, RED),
            (16.0, 0.0, RED),
            (0.0, 16.0, RED),
            (16.0, 16.0, GREEN),
            (32.0, 16.0, GREEN),
            (16.0, 32.0, GREEN),
        ]);
        let shape = vertices(&h.device, &shape);
        let rows = [
            (TriangleList, 2, 0),
            (TriangleList, 3, 1),
            (TriangleList, 5, 1),
            (TriangleList, 6, 2),
            (TriangleStrip, 2, 0),
            (LineList, 1, 0),
            (LineStrip, 1, 0),
        ];
        for (topology, count, triangles) in rows {
            let draw = |cx: &mut DeviceContext| {
                painter.bind(cx, &shape, topology);
                cx.draw(count, 0);
            };
            expect(h, &target, &format!("{topology:?} of {count}"), draw, |x, y| {
                // Pixels on the hypotenuse are not drawn, because their centres are on a bottom-right edge.
                match (x < 16, y < 16) {
                    (true, true) if triangles > 0 && x + y < 15 => RED,
                    (false, false) if triangles > 1 && x + y < 47 => GREEN,
                    _ => BLACK,
                }
            });
        }
    });
}

fn square_indices(device: &Device, format: Format, first: u32, count: u32) -> Buffer {
    let indices: Vec<u32> =
        (first..first + count).flat_map(|n| [0, 1, 2, 2, 1, 3].map(|i| 4 * n + i)).collect();
    indices_of(device, format, &indices)
}

const INDEX_FORMATS: [(Format, u32); 2] = [(Format::R16_UINT, 2), (Format::R32_UINT, 4)];

/// The buffer offset follows Wine 10.0, d3d11 tests, line 20702.
#[test]
fn an_indexed_draw_applies_offset_start_and_base_vertex() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let shape = vertices(&h.device, &squares());
        for (format, bytes) in INDEX_FORMATS {
            let indices = square_indices(&h.device, format, 3, 8);
            // The squares that the offset, the start index and the base vertex skip, and the number of
            // squares to draw.
            let rows = [
                (0, 0, 0, 1),
                (0, 3, 0, 1),
                (2, 0, 0, 1),
                (2, 3, 0, 2),
                (0, 0, 5, 1),
                (0, 0, -3, 1),
                (1, 2, -6, 2),
                (3, 4, 5, 1),
            ];
            for (offset, start, base, count) in rows {
                let draw = |cx: &mut DeviceContext| {
                    painter.bind(cx, &shape, TriangleList);
                    cx.ia_set_index_buffer(&indices, format, offset * 6 * bytes);
                    cx.draw_indexed(6 * count, 6 * start, 4 * base);
                };
                let first = (3 + offset + start) as i32 + base;
                let what = format!("{format:?}, offset {offset}, start {start}, base {base}");
                expect(
                    h,
                    &target,
                    &what,
                    draw,
                    squares_only(|n| (first..first + count as i32).contains(&(n as i32))),
                );
            }
        }
    });
}

#[test]
fn an_index_of_all_ones_cuts_a_strip() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let shape = vertices(&h.device, &squares());
        for (format, cut) in [(Format::R16_UINT, 0xffff), (Format::R32_UINT, u32::MAX)] {
            let strip = [0, 1, 2, 3, cut, 20, 21, 22, 23, cut, 40, 41, 42, 43];
            let indices = indices_of(&h.device, format, &strip);
            let draw = |cx: &mut DeviceContext| {
                painter.bind(cx, &shape, TriangleStrip);
                cx.ia_set_index_buffer(&indices, format, 0);
                cx.draw_indexed(14, 0, 0);
            };
            let drawn = squares_only(|n| matches!(n, 0 | 5 | 10));
            expect(h, &target, &format!("{format:?}"), draw, drawn);
        }
    });
}

/// Makes 256 draws of one texel each, with a different colour and position for each draw.
#[test]
fn the_width_of_indices_may_change_from_one_strip_to_the_next() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let shape = vertices(&h.device, &squares());
        let narrow = indices_of(&h.device, Format::R16_UINT, &[0, 1, 2, 3, 0xffff, 20, 21, 22, 23]);
        let wide = indices_of(&h.device, Format::R32_UINT, &[40, 41, 42, 43, u32::MAX, 60, 61, 62, 63]);
        for swapped in [false, true] {
            let draw = |cx: &mut DeviceContext| {
                painter.bind(cx, &shape, TriangleStrip);
                let mut strips = [(&narrow, Format::R16_UINT), (&wide, Format::R32_UINT)];
                if swapped {
                    strips.reverse();
                }
                for (indices, format) in strips {
                    cx.ia_set_index_buffer(indices, format, 0);
                    cx.draw_indexed(9, 0, 0);
                }
            };
            let drawn = squares_only(|n| matches!(n, 0 | 5 | 10 | 15));
            expect(h, &target, &format!("swapped {swapped}"), draw, drawn);
        }
    });
}

#[test]
fn each_draw_has_the_constants_that_were_written_before_it() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 16, 16), Quad::new(&h.device));
        let color = |x: u32, y: u32| [x * 16, y * 16, (x * y) % 256, 255];
        let draw = |cx: &mut DeviceContext| {
            quad.bind(cx);
            for (x, y) in (0..16).flat_map(|y| (0..16).map(move |x| (x, y))) {
                let (left, top) = (x as f32 / 8.0 - 1.0, 1.0 - y as f32 / 8.0);
                let rect = [left, top - 0.125, left + 0.125, top];
                quad.set(cx, color(x, y).map(|c| c as f32 / 255.0), rect, 0.0);
                cx.draw(4, 0);
            }
        };
        expect(h, &target, "draws", draw, |x, y| u32::from_le_bytes(color(x, y).map(|c| c as u8)));
    });
}

/// Uses a ring buffer of vertices, as in Wine 10.0, d3d11 tests, line 34406.
#[test]
fn each_draw_sees_the_no_overwrite_writes_before_it() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let (painter, target) = (Painter::new(&d), Target::new(&d, 16, 16));
        let desc = BufferDesc::dynamic(16 * 4 * size_of::<Vertex>() as u32, BindFlags::VERTEX_BUFFER);
        let ring = d.create_buffer(&desc, None).unwrap();
        let draw = |cx: &mut DeviceContext| {
            painter.bind(cx, &ring, TriangleStrip);
            for (n, square) in (0..).zip(squares().chunks(4)) {
                let kind = if n % 5 == 0 { MapType::WriteDiscard } else { MapType::WriteNoOverwrite };
                let place = n % 5 * 64;
                cx.map(&ring, 0, kind).unwrap().write_slice(place as usize, square);
                cx.draw(4, n % 5 * 4);
            }
        };
        expect(h, &target, "ring", draw, squares_only(|_| true));
    });
}

/// Changes one state after another between the draws of one recording, where each draw must use the state
/// that was set before it.
#[test]
fn each_draw_has_the_state_that_was_set_before_it() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let (painter, target) = (Painter::new(&d), Target::new(&d, 16, 16));
        let shape = vertices(&d, &squares());
        let dynamic = d.create_buffer(&BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), None).unwrap();
        let indices = square_indices(&d, Format::R16_UINT, 0, 16);
        let scissor = RasterizerDesc { scissor_enable: true, ..Default::default() };
        let scissor = d.create_rasterizer_state(&scissor).unwrap();
        let green =
            RenderTargetBlendDesc { render_target_write_mask: ColorWrite::GREEN, ..Default::default() };
        let green = d.create_blend_state(&BlendDesc::all(green)).unwrap();
        let draw = |cx: &mut DeviceContext| {
            painter.bind(cx, &shape, TriangleStrip);
            cx.draw(4, 0);
            cx.om_set_blend_state(&green, [1.0; 4], u32::MAX);
            cx.draw(4, 4);
            cx.om_set_blend_state(None, [1.0; 4], u32::MAX);
            cx.draw(4, 8);
            cx.rs_set_state(&scissor);
            cx.rs_set_scissor_rects(onze::Rect { left: 12, top: 0, right: 14, bottom: 16 });
            cx.draw(4, 12);
            cx.rs_set_state(None);
            cx.ia_set_primitive_topology(TriangleList);
            cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
            cx.draw_indexed(6, 6 * 4, 0);
            let moved = Viewport { top_left_x: 4.0, ..Viewport::sized(16.0, 16.0) };
            cx.rs_set_viewports(moved);
            cx.draw_indexed(6, 6 * 4, 0);
            cx.rs_set_viewports(target.viewport());
            cx.draw_indexed(6, 6 * 6, 0);
            cx.ia_set_primitive_topology(TriangleStrip);
            cx.map(&dynamic, 0, MapType::WriteDiscard).unwrap().write_slice(0, &squares()[28..32]);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&dynamic, 16));
            cx.draw(4, 0);
        };
        expect(h, &target, "changes", draw, |x, y| match y / 4 * 4 + x / 4 {
            1 => square_color(1) & 0x0000_ff00 | BLACK,
            3 if x >= 14 => BLACK,
            5 => square_color(4),
            n @ (0..=4 | 6 | 7) => square_color(n),
            _ => BLACK,
        });
    });
}

#[test]
fn an_incomplete_draw_is_skipped_and_the_next_one_is_not() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[
            MessageId::DrawNoPixelShader,
            MessageId::DrawNoTargets,
            MessageId::DrawViewportNotSet,
        ]);
        let d = h.device.clone();
        let (painter, target) = (Painter::new(&d), Target::new(&d, 16, 16));
        let shape = vertices(&d, &squares());
        let indices = square_indices(&d, Format::R16_UINT, 0, 16);
        type Remove = fn(&mut DeviceContext);
        let rows: [(&str, Remove, Option<MessageId>); 6] = [
            ("vertex shader", |cx| cx.vs_set_shader(None), Some(MessageId::DrawNoVertexShader)),
            ("input layout", |cx| cx.ia_set_input_layout(None), Some(MessageId::DrawNoInputLayout)),
            (
                "topology",
                |cx| cx.ia_set_primitive_topology(PrimitiveTopology::Undefined),
                Some(MessageId::DrawTopologyUndefined),
            ),
            ("pixel shader", |cx| cx.ps_set_shader(None), None),
            ("viewport", |cx| cx.rs_set_viewports([]), None),
            ("target", |cx| cx.om_set_render_targets(None::<&RenderTargetView>, None), None),
        ];
        let draw_all = |cx: &mut DeviceContext| {
            cx.draw(4, 0);
            cx.draw_indexed(6, 0, 0);
            cx.draw_instanced(4, 2, 0, 0);
            cx.draw_indexed_instanced(6, 2, 0, 0, 0);
        };
        for (what, remove, reported) in rows {
            let draw = |cx: &mut DeviceContext| {
                painter.bind(cx, &shape, TriangleStrip);
                cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
                remove(cx);
                draw_all(cx);
                target.bind(cx);
                painter.bind(cx, &shape, TriangleStrip);
                cx.draw(4, 4);
            };
            expect(h, &target, &format!("no {what}"), draw, squares_only(|n| n == 1));
            match reported {
                Some(id) => h.assert_reported(id),
                None => h.assert_silent(),
            }
        }
        let draw = |cx: &mut DeviceContext| {
            painter.bind(cx, &shape, TriangleStrip);
            cx.draw_indexed(6, 0, 0);
            cx.draw_indexed_instanced(6, 2, 0, 0, 0);
        };
        expect(h, &target, "no index buffer", draw, |_, _| BLACK);
        h.assert_reported(MessageId::DrawIndexedNoIndexBuffer);
    });
}

#[test]
fn a_draw_with_nothing_bound_draws_nothing() {
    on_each(&gpu_matrix(), |h| {
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.draw(3, 0);
                cx.draw_indexed(3, 0, 0);
                cx.draw_instanced(3, 1, 0, 0);
                cx.draw_indexed_instanced(3, 1, 0, 0, 0);
            });
            h.wait();
            assert!(!h.take_errors().is_empty(), "{how:?}");
        }
    });
}

#[test]
fn a_draw_of_no_vertices_or_no_instances_draws_nothing() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let shape = vertices(&h.device, &squares());
        let indices = square_indices(&h.device, Format::R16_UINT, 0, 16);
        let draw = |cx: &mut DeviceContext| {
            painter.bind(cx, &shape, TriangleStrip);
            cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
            cx.draw(0, 0);
            cx.draw_indexed(0, 0, 0);
            cx.draw_instanced(4, 0, 0, 0);
            cx.draw_instanced(0, 4, 0, 0);
            cx.draw_indexed_instanced(0, 1, 0, 0, 0);
            cx.draw_indexed_instanced(6, 0, 0, 0, 0);
        };
        expect(h, &target, "nothing", draw, |_, _| BLACK);
        h.assert_silent();
    });
}

/// Creates an immutable and a dynamic index buffer, each between index buffers with other contents.
fn index_buffers(h: &mut Harness, indices: &[u16]) -> Vec<(&'static str, Buffer, Vec<Buffer>)> {
    let device = h.device.clone();
    let neighbour = |d: &Device| buffer(d, BindFlags::INDEX_BUFFER, &[5_u16; 64]);
    let before = neighbour(&device);
    let immutable = buffer(&device, BindFlags::INDEX_BUFFER, indices);
    let around = vec![before, neighbour(&device)];
    let flags = BindFlags::INDEX_BUFFER;
    let first = discarded(&device, &mut h.immediate, flags, &[5_u16; 64]);
    let dynamic = discarded(&device, &mut h.immediate, flags, indices);
    let last = discarded(&device, &mut h.immediate, flags, &[5_u16; 64]);
    vec![("immutable", immutable, around), ("dynamic", dynamic, vec![first, last])]
}

#[test]
fn indices_beyond_the_buffer_are_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawIndexBufferTooSmall]);
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 1));
        let points: Vec<_> =
            (0..16).map(|n| Vertex::new((n as f32 + 0.5) / 8.0 - 1.0, 0.0, 0.0, square_color(n))).collect();
        let shape = vertices(&h.device, &points);
        let (count, rows) =
            (6, [(0, 6, 0), (0, 9, 0), (4, 200, 0), (50, 3, 0), (2, 6, 4), (0, 4, 12), (0, 4, 100)]);
        for (kind, indices, _neighbours) in index_buffers(h, &[1, 2, 3, 1, 9, 14]) {
            for (start, drawn, offset) in rows {
                let draw = |cx: &mut DeviceContext| {
                    painter.bind(cx, &shape, PointList);
                    cx.ia_set_index_buffer(&indices, Format::R16_UINT, offset);
                    cx.draw_indexed(drawn, start, 0);
                };
                let first = start + offset / 2;
                let read = |at: u32| [1, 2, 3, 1, 9, 14].get(at as usize).copied().unwrap_or(0);
                expect(
                    h,
                    &target,
                    &format!("{kind}, {count} indices, {drawn} from {start}, offset {offset}"),
                    draw,
                    |x, _| {
                        let hit = (first..first + drawn).any(|at| read(at) == x);
                        if hit { square_color(x) } else { BLACK }
                    },
                );
            }
        }
    });
}

/// After a switch between matching shaders, the check before a draw has a fast path, which the debug layer
/// disables.
#[test]
fn refused_draws_draw_nothing_without_debug_layer() {
    let desc = DeviceDesc { debug: false, ..Config::GPU.desc() };
    let Some(mut h) = Harness::start_with(Config::GPU, &desc) else { return };
    let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 4, 4));
    let source = "@fragment fn ps_main() -> @location(0) vec4<f32> { return vec4<f32>(); }";
    let other = h.device.create_pixel_shader(ShaderSource::wgsl(source, "ps_main")).unwrap();
    let cx = &mut h.immediate;
    target.bind(cx);
    quad.bind(cx);
    quad.draw(cx, [1.0; 4]);
    // Returns whether the draw is visible in the target, and how many draws the driver counts.
    let outcome = |h: &mut Harness, draw: fn(&mut DeviceContext)| {
        let cx = &mut h.immediate;
        cx.clear_render_target_view(&target.view, [0.0; 4]);
        cx.flush();
        let before = h.device.statistics().draws;
        let cx = &mut h.immediate;
        cx.ps_set_shader(&other);
        quad.bind(cx);
        draw(cx);
        let texels = target.read(h);
        (texels[0] == u32::MAX, h.device.statistics().draws - before)
    };
    h.immediate.flush();
    assert_eq!(outcome(&mut h, |cx| cx.draw(4, 0)), (true, 1), "all is bound");
    assert_eq!(outcome(&mut h, |cx| cx.draw_indexed(4, 0, 0)), (false, 0), "no index buffer");
    let token = h.immediate.map_owned(&quad.constants, 0, MapType::WriteNoOverwrite).unwrap();
    assert_eq!(outcome(&mut h, |cx| cx.draw(4, 0)), (false, 0), "the constants are mapped");
    h.immediate.unmap(token);
    assert_eq!(outcome(&mut h, |cx| cx.draw(4, 0)), (true, 1), "the constants are unmapped");
    drop((quad, target, other));
    h.finish();
}
