//! The rasterizer: viewports, scissor rectangles, culling, fill modes, interpolation, depth bias and clipping.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Features, prelude::*};
use onze_tests::{
    CommandPath, Quad, Target, gpu_matrix,
    image::{assert_image, draw_everywhere},
    on_each,
    shapes::{BLACK, BLUE, GREEN, Painter, RED, Vertex, WHITE, expect, vertices},
};

const RED_F: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
/// A rectangle that extends beyond the clip volume on all sides.
const BEYOND: [f32; 4] = [-3.0, -3.0, 3.0, 3.0];

fn viewport(x: f32, y: f32, width: f32, height: f32) -> Viewport {
    Viewport { top_left_x: x, top_left_y: y, ..Viewport::sized(width, height) }
}

fn state(device: &Device, desc: RasterizerDesc) -> RasterizerState {
    device.create_rasterizer_state(&desc).unwrap()
}

/// Returns whether a pixel's centre is between two coordinates, including the first but not the second.
fn is_between(pixel: u32, from: f32, to: f32) -> bool {
    let centre = pixel as f32 + 0.5;
    from <= centre && centre < to
}

#[test]
fn a_draw_covers_its_viewport_and_nothing_beyond_it() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawViewportEmpty]);
        let (target, quad) = (Target::new(&h.device, 32, 24), Quad::new(&h.device));
        let viewports = [
            viewport(0.0, 0.0, 32.0, 24.0),
            viewport(5.0, 3.0, 9.0, 12.0),
            // These viewports have fractional coordinates.
            viewport(4.25, 2.25, 8.0, 8.0),
            viewport(4.5, 2.5, 7.0, 9.0),
            // These viewports are larger than the target on one side or on all sides.
            viewport(-1.0, 0.0, 33.0, 24.0),
            viewport(0.0, -10.0, 16.0, 20.0),
            viewport(20.0, 12.0, 100.0, 200.0),
            viewport(-100.0, -100.0, 500.0, 500.0),
            // These viewports are outside the target.
            viewport(32.0, 0.0, 8.0, 8.0),
            viewport(-8.0, 0.0, 8.0, 8.0),
            viewport(0.0, -3000.0, 32.0, 2900.0),
            // These viewports have a width or height of zero.
            viewport(4.0, 4.0, 0.0, 8.0),
            viewport(4.0, 4.0, 8.0, 0.0),
        ];
        for v in viewports {
            for rect in [Quad::ALL, BEYOND] {
                let draw = |cx: &mut DeviceContext| {
                    cx.rs_set_viewports(v);
                    quad.draw_at(cx, RED_F, rect, 0.0);
                };
                expect(h, &target, &format!("{v:?}, {rect:?}"), draw, |x, y| {
                    let inside = is_between(x, v.top_left_x, v.top_left_x + v.width)
                        && is_between(y, v.top_left_y, v.top_left_y + v.height);
                    if inside { RED } else { BLACK }
                });
            }
        }
    });
}

#[test]
fn a_viewport_scales_and_moves_the_picture() {
    draw_everywhere(
        "viewports",
        &gpu_matrix(),
        (48, 48),
        |h| {
            let shape = [(-0.9, -0.8, RED), (0.0, 0.9, GREEN), (0.9, -0.8, BLUE)];
            let shape = shape.map(|(x, y, color)| Vertex::new(x, y, 0.0, color));
            (Painter::new(&h.device), vertices(&h.device, &shape))
        },
        |(painter, shape), target, cx| {
            cx.clear_render_target_view(&target.view, [0.1, 0.1, 0.1, 1.0]);
            target.bind(cx);
            painter.bind(cx, shape, PrimitiveTopology::TriangleList);
            for v in [
                viewport(0.0, 0.0, 24.0, 24.0),
                viewport(24.5, 0.25, 23.0, 11.75),
                viewport(-12.0, 24.0, 24.0, 24.0),
                viewport(20.0, 20.0, 60.0, 60.0),
            ] {
                cx.rs_set_viewports(v);
                cx.draw(3, 0);
            }
        },
    );
}

/// See Wine 10.0, d3d11 tests, line 31030.
#[test]
fn only_the_first_viewport_draws_and_without_one_nothing_does() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawViewportNotSet]);
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let half = Viewport::sized(4.0, 8.0);
        let rows: [(&[Viewport], u32); 4] = [
            (&[half, Viewport::sized(8.0, 8.0)], 4),
            (&[half; 16], 4),
            (&[target.viewport(), half], 8),
            (&[], 0),
        ];
        for (viewports, width) in rows {
            let draw = |cx: &mut DeviceContext| {
                cx.rs_set_viewports([half; 3]);
                cx.rs_set_viewports(viewports);
                quad.draw(cx, RED_F);
            };
            expect(h, &target, &format!("{viewports:?}"), draw, |x, _| if x < width { RED } else { BLACK });
        }
    });
}

/// Follows Wine 10.0, d3d11 tests, line 11951, with smaller numbers.
#[test]
fn scissor_rectangles_apply_only_when_enabled() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawScissorEmpty]);
        let (target, quad) = (Target::new(&h.device, 32, 24), Quad::new(&h.device));
        let scissor = state(&h.device, RasterizerDesc { scissor_enable: true, ..Default::default() });
        let rect = |left, top, right, bottom| onze::Rect { left, top, right, bottom };
        let all = viewport(0.0, 0.0, 32.0, 24.0);
        let rows: [(bool, Viewport, &[onze::Rect]); 14] = [
            (false, all, &[rect(8, 6, 24, 18)]),
            (false, all, &[]),
            (true, all, &[rect(8, 6, 24, 18)]),
            (true, viewport(-1.0, 0.0, 33.0, 24.0), &[rect(-1, 0, 32, 24)]),
            (true, viewport(12.0, 2.0, 8.0, 20.0), &[rect(8, 6, 24, 18)]),
            // Only the first rectangle is used.
            (true, all, &[rect(1, 1, 2, 2), rect(0, 0, 32, 24)]),
            // These rectangles are partly or entirely outside the target.
            (true, all, &[rect(-100, -100, 5, 7)]),
            (true, all, &[rect(30, 20, 1000, 1000)]),
            (true, all, &[rect(32, 0, 40, 24)]),
            (true, all, &[rect(i32::MIN, i32::MIN, i32::MAX, i32::MAX)]),
            // These rectangles are empty or inverted.
            (true, all, &[rect(8, 8, 8, 16)]),
            (true, all, &[rect(16, 8, 8, 16)]),
            (true, all, &[rect(8, 16, 16, 8)]),
            (true, all, &[]),
        ];
        for (enabled, v, rects) in rows {
            let draw = |cx: &mut DeviceContext| {
                cx.rs_set_state(enabled.then_some(&scissor));
                cx.rs_set_viewports(v);
                cx.rs_set_scissor_rects(rects);
                quad.draw(cx, RED_F);
            };
            let cut = rects.first().copied().unwrap_or(rect(0, 0, 0, 0));
            expect(h, &target, &format!("{enabled}, {v:?}, {rects:?}"), draw, |x, y| {
                let seen = is_between(x, v.top_left_x, v.top_left_x + v.width)
                    && is_between(y, v.top_left_y, v.top_left_y + v.height);
                let kept = (cut.left..cut.right).contains(&(x as i32))
                    && (cut.top..cut.bottom).contains(&(y as i32));
                if seen && (kept || !enabled) { RED } else { BLACK }
            });
        }
    });
}

const FACING: &str = "
    @vertex
    fn vs_main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
        return vec4<f32>(position, 1.0);
    }

    @fragment
    fn ps_main(@builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
        return select(vec4<f32>(0.0, 0.0, 1.0, 1.0), vec4<f32>(0.0, 1.0, 0.0, 1.0), front);
    }
";

/// The left half is drawn clockwise and the right half counterclockwise (Wine 10.0, d3d11 tests, line 20913).
#[test]
fn culling_and_front_facing_follow_the_winding() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 8, 8);
        let vs = d.create_vertex_shader(ShaderSource::wgsl(FACING, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(FACING, "ps_main")).unwrap();
        let layout =
            d.create_input_layout(&[InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT)], &vs);
        let layout = layout.unwrap();
        let list = [
            [[-1.0, -1.0], [-1.0, 1.0], [0.0, -1.0]],
            [[0.0, -1.0], [-1.0, 1.0], [0.0, 1.0]],
            [[0.0, -1.0], [1.0, -1.0], [0.0, 1.0]],
            [[0.0, 1.0], [1.0, -1.0], [1.0, 1.0]],
        ];
        let list: Vec<[f32; 3]> = list.concat().iter().map(|[x, y]| [*x, *y, 0.0]).collect();
        let list = vertices(&d, &list);
        let clockwise_is_front = |desc: &RasterizerDesc| !desc.front_counter_clockwise;
        let mut rows = vec![None];
        for cull_mode in [CullMode::None, CullMode::Front, CullMode::Back] {
            for front_counter_clockwise in [false, true] {
                rows.push(Some(RasterizerDesc { cull_mode, front_counter_clockwise, ..Default::default() }));
            }
        }
        for desc in rows {
            let bound = desc.map(|desc| state(&d, desc));
            let draw = |cx: &mut DeviceContext| {
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_input_layout(&layout);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&list, 12));
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.rs_set_state(bound.as_ref());
                cx.draw(12, 0);
            };
            let desc = desc.unwrap_or_default();
            expect(h, &target, &format!("{desc:?}"), draw, |x, _| {
                let front = (x < 4) == clockwise_is_front(&desc);
                match (desc.cull_mode, front) {
                    (CullMode::Front, true) | (CullMode::Back, false) => BLACK,
                    (_, true) => GREEN,
                    (_, false) => BLUE,
                }
            });
        }
    });
}

#[test]
fn lines_and_points_are_never_culled_and_face_the_viewer() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 8, 8);
        let vs = d.create_vertex_shader(ShaderSource::wgsl(FACING, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(FACING, "ps_main")).unwrap();
        let layout =
            d.create_input_layout(&[InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT)], &vs);
        let layout = layout.unwrap();
        let row = [0.5, 7.5].map(|x| [x / 4.0 - 1.0, 0.125, 0.0_f32]);
        let row = vertices(&d, &row);
        for (topology, from) in [(PrimitiveTopology::LineList, 0), (PrimitiveTopology::PointList, 7)] {
            for cull_mode in [CullMode::None, CullMode::Front, CullMode::Back] {
                let bound = state(&d, RasterizerDesc { cull_mode, ..Default::default() });
                let draw = |cx: &mut DeviceContext| {
                    cx.vs_set_shader(&vs);
                    cx.ps_set_shader(&ps);
                    cx.ia_set_input_layout(&layout);
                    cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&row, 12));
                    cx.ia_set_primitive_topology(topology);
                    cx.rs_set_state(&bound);
                    cx.draw(2, 0);
                };
                // A line omits its last pixel, and a point list covers only the two end points.
                expect(h, &target, &format!("{topology:?}, {cull_mode:?}"), draw, |x, y| {
                    let hit = if from == 0 { x < 7 } else { x == 0 || x == 7 };
                    if y == 3 && hit { GREEN } else { BLACK }
                });
            }
        }
    });
}

/// The triangle is between pixel centres, but with tier 1 an adapter may cover half a pixel more on each
/// side.
#[test]
fn a_conservative_triangle_covers_each_pixel_it_touches() {
    on_each(&gpu_matrix(), |h| {
        let desc =
            RasterizerDesc { conservative_raster: ConservativeRasterizationMode::On, ..Default::default() };
        let support = h.device.check_feature_support();
        let has = support.features.contains(Features::CONSERVATIVE_RASTERIZATION);
        assert_eq!(support.options2.conservative_rasterization_tier, u32::from(has));
        let conservative = match h.device.create_rasterizer_state(&desc) {
            Ok(state) if has => state,
            Err(error) if !has => {
                h.assert_reported(MessageId::CreateStateInvalid);
                return assert!(error.to_string().contains("CONSERVATIVE_RASTERIZATION"));
            }
            other => panic!("{other:?}"),
        };
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let corners = [(5.7, 7.7), (7.3, 7.7), (5.7, 7.9)].map(|(x, y)| Vertex::at(16, x, y, RED));
        let corners = vertices(&h.device, &corners);
        for bound in [None, Some(&conservative)] {
            h.record(CommandPath::ALL[0], |cx| {
                cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
                target.bind(cx);
                painter.bind(cx, &corners, PrimitiveTopology::TriangleList);
                cx.rs_set_state(bound);
                cx.draw(3, 0);
            });
            for (n, texel) in (0..).zip(target.read(h)) {
                let (x, y) = (n % 16, n / 16);
                let (must, may) = ((5..8).contains(&x) && y == 7, (4..9).contains(&x) && (6..9).contains(&y));
                let expected: &[u32] = match (bound.is_some(), must, may) {
                    (true, true, _) => &[RED],
                    (true, false, true) => &[RED, BLACK],
                    _ => &[BLACK],
                };
                assert!(expected.contains(&texel), "({x}, {y}): {texel:#x}");
            }
        }
    });
}

#[test]
fn clip_distances_of_a_vertex_shader_clip_a_triangle() {
    const CLIPPED: &str = "
        enable clip_distances;

        struct Out {
            @builtin(position) at: vec4f,
            @builtin(clip_distances) distances: array<f32, 2>,
        }

        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> Out {
            let at = vec2f(vec2u(index >> 1u, index & 1u) * 4u) - 1.0;
            return Out(vec4f(at, 0.0, 1.0), array(at.x, 0.5 - at.y));
        }

        @fragment fn ps_main() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }";
    on_each(&gpu_matrix(), |h| {
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(CLIPPED, "vs_main"));
        let vs = match vs {
            Ok(vs) => vs,
            Err(error) => {
                assert!(!h.device.check_feature_support().features.contains(Features::CLIP_DISTANCES));
                h.assert_reported(MessageId::CreateShaderInvalid);
                return assert!(error.to_string().contains("CLIP_DISTANCES"));
            }
        };
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(CLIPPED, "ps_main")).unwrap();
        let target = Target::new(&h.device, 16, 16);
        h.record(CommandPath::ALL[0], |cx| {
            cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
            target.bind(cx);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.draw(3, 0);
        });
        for (n, texel) in (0..).zip(target.read(h)) {
            // Only the right half without its upper quarter is drawn.
            let expected = if n % 16 >= 8 && n / 16 >= 4 { RED } else { BLACK };
            assert_eq!(texel, expected, "({}, {})", n % 16, n / 16);
        }
    });
}

#[test]
fn a_wireframe_has_the_edges_of_its_triangles() {
    on_each(&gpu_matrix(), |h| {
        if !h.device.check_feature_support().features.contains(Features::WIREFRAME) {
            return;
        }
        let target = Target::new(&h.device, 32, 32);
        let painter = Painter::new(&h.device);
        let shape = [(2.5, 28.5), (2.5, 2.5), (28.5, 28.5), (28.5, 2.5)];
        let shape = vertices(&h.device, &shape.map(|(x, y)| Vertex::at(32, x, y, WHITE)));
        let desc = RasterizerDesc { fill_mode: FillMode::Wireframe, ..Default::default() };
        let wireframe = state(&h.device, desc);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&target.view, [0.1, 0.1, 0.1, 1.0]);
                target.bind(cx);
                painter.bind(cx, &shape, PrimitiveTopology::TriangleStrip);
                cx.rs_set_state(&wireframe);
                cx.draw(4, 0);
            });
            assert_image("wireframe", 32, 32, &h.read(&target.texture, 0), 1);
        }
    });
}

/// Draws a fan of triangles around a point with additive blending, so that the picture shows each pixel that
/// is drawn twice or left out.
#[test]
fn each_pixel_of_a_shared_edge_belongs_to_one_triangle() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let (painter, target) = (Painter::new(&d), Target::new(&d, 32, 32));
        let add = d.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive())).unwrap();
        let rim = [
            (0, 0),
            (9, 0),
            (16, 0),
            (32, 0),
            (32, 16),
            (32, 21),
            (32, 32),
            (16, 32),
            (3, 32),
            (0, 32),
            (0, 16),
        ];
        for (cx, cy) in [(16.0, 16.0), (16.5, 16.5), (11.3, 20.7)] {
            let at = |(x, y): (i32, i32)| Vertex::at(32, x as f32, y as f32, 0x0000_0033);
            let next = rim.iter().cycle().skip(1);
            let fan: Vec<_> = rim
                .iter()
                .zip(next)
                .flat_map(|(a, b)| [Vertex::at(32, cx, cy, 0x0000_0033), at(*a), at(*b)])
                .collect();
            let shape = vertices(&d, &fan);
            let draw = |context: &mut DeviceContext| {
                painter.bind(context, &shape, PrimitiveTopology::TriangleList);
                context.om_set_blend_state(&add, [1.0; 4], u32::MAX);
                context.draw(fan.len() as u32, 0);
            };
            expect(h, &target, &format!("around {cx}, {cy}"), draw, |_, _| BLACK | 0x33);
        }
    });
}

/// The rectangle's edges pass through pixel centres, so pixels on the left and top edges are drawn, and
/// pixels on the right and bottom edges are not drawn.
#[test]
fn a_centre_on_a_left_or_top_edge_is_inside() {
    on_each(&gpu_matrix(), |h| {
        let (painter, target) = (Painter::new(&h.device), Target::new(&h.device, 16, 16));
        let shape = [(3.5, 11.5), (3.5, 2.5), (12.5, 11.5), (12.5, 2.5)];
        let shape = vertices(&h.device, &shape.map(|(x, y)| Vertex::at(16, x, y, RED)));
        let draw = |cx: &mut DeviceContext| {
            painter.bind(cx, &shape, PrimitiveTopology::TriangleStrip);
            cx.draw(4, 0);
        };
        expect(h, &target, "rectangle", draw, |x, y| {
            if (3..12).contains(&x) && (2..11).contains(&y) { RED } else { BLACK }
        });
    });
}

const INTERPOLATION: &str = "
    struct Corner {
        @builtin(position) position: vec4<f32>,
        @location(0) perspective: f32,
        @location(1) @interpolate(linear) linear: f32,
        @location(2) @interpolate(flat) constant: u32,
    }

    @vertex
    fn vs_main(@location(0) position: vec4<f32>, @location(1) value: f32, @builtin(vertex_index) n: u32) -> Corner {
        return Corner(position, value, value, n + 100u);
    }

    @fragment
    fn ps_main(corner: Corner) -> @location(0) vec4<f32> {
        return vec4<f32>(corner.perspective, corner.linear, f32(corner.constant) / 255.0, 1.0);
    }

    @fragment
    fn ps_white() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }

    @fragment
    fn ps_position(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> { return position; }
";

/// From left to right, the value increases from 0 to 1 and w increases from 1 to 4.
const SLANTED: [[f32; 5]; 4] = [
    [-1.0, -1.0, 0.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0, 1.0, 0.0],
    [4.0, -4.0, 2.0, 4.0, 1.0],
    [4.0, 4.0, 2.0, 4.0, 1.0],
];

struct Slanted {
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    shape: Buffer,
}

impl Slanted {
    fn new(device: &Device, entry: &str) -> Self {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(INTERPOLATION, "vs_main")).unwrap();
        let elements = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("VALUE", 0, Format::R32_FLOAT),
        ];
        Self {
            layout: device.create_input_layout(&elements, &vs).unwrap(),
            vs,
            ps: device.create_pixel_shader(ShaderSource::wgsl(INTERPOLATION, entry)).unwrap(),
            shape: vertices(device, &SLANTED),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_input_layout(&self.layout);
    }

    fn draw(&self, cx: &mut DeviceContext) {
        self.bind(cx);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.shape, 20));
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        cx.draw(4, 0);
    }
}

#[test]
fn the_interpolation_mode_decides_how_values_vary() {
    on_each(&gpu_matrix(), |h| {
        let (scene, target) = (Slanted::new(&h.device, "ps_main"), Target::new(&h.device, 32, 32));
        expect(
            h,
            &target,
            "slanted",
            |cx| scene.draw(cx),
            |x, y| {
                let along = (x as f32 + 0.5) / 32.0;
                // The expected value is interpolated(value / w) divided by interpolated(1 / w).
                let perspective = (along / 4.0) / ((1.0 - along) + along / 4.0);
                let byte = |f: f32| (f * 255.0).round() as u32;
                // The diagonal is a left edge of the second triangle, whose first vertex is the strip's
                // second vertex.
                let constant = if x >= y { 101 } else { 100 };
                BLACK | constant << 16 | byte(along) << 8 | byte(perspective)
            },
        );
    });
}

/// x and y are the pixel's centre, z is the depth, and w is the interpolated reciprocal of the vertices' w.
#[test]
fn a_pixel_shader_gets_the_position_of_its_pixels_centre() {
    on_each(&gpu_matrix(), |h| {
        let scene = Slanted::new(&h.device, "ps_position");
        let target = Target::with_format(&h.device, Format::R32G32B32A32_FLOAT, 32, 32);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                target.bind(cx);
                cx.rs_set_viewports(Viewport { min_depth: 0.5, max_depth: 0.75, ..target.viewport() });
                scene.draw(cx);
            });
            let read: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(&h.read(&target.texture, 0));
            for (n, texel) in read.iter().enumerate() {
                let (x, y) = ((n % 32) as f32 + 0.5, (n / 32) as f32 + 0.5);
                let along = x / 32.0;
                let w = (1.0 - along) + along / 4.0;
                let expected = [x, y, 0.5 + 0.25 * (along * 0.5), w];
                let near = texel.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-4);
                assert!(near, "{how:?}: {texel:?}, not {expected:?}");
            }
        }
    });
}

/// One corner of the triangle has a negative w, so only the part in front of the viewer is drawn.
#[test]
fn a_triangle_partly_behind_the_viewer_is_clipped() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let scene = Slanted::new(&d, "ps_white");
        let target = Target::new(&d, 16, 16);
        let shape =
            [[-0.5, -1.0, 0.5, 1.0, 0.0], [0.0, 2.0, -0.5, -1.0, 0.0], [0.5, -1.0, 0.5, 1.0, 0.0_f32]];
        let shape = vertices(&d, &shape);
        let both = state(&d, RasterizerDesc { cull_mode: CullMode::None, ..Default::default() });
        let draw = |cx: &mut DeviceContext| {
            scene.bind(cx);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&shape, 20));
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.rs_set_state(&both);
            cx.draw(3, 0);
        };
        // The edges lean outwards, because w approaches 0 towards the clipped corner.
        expect(h, &target, "triangle", draw, |x, y| {
            let (x, y) = ((x as f32 + 0.5) / 8.0 - 1.0, 1.0 - (y as f32 + 0.5) / 8.0);
            if x.abs() < 0.5 * (2.0 + y) { WHITE } else { BLACK }
        });
    });
}
