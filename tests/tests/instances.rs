//! Instances: their data, and SV_VertexID and SV_InstanceID in shaders.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    Target, gpu_matrix, on_each,
    shapes::{BLACK, expect, indices_of, square_color, squares_only, vertices},
};

use PrimitiveTopology::{PointList, TriangleList, TriangleStrip};

struct Instanced {
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    corners: Buffer,
    instances: Buffer,
}

const INSTANCED: &str = "
    struct Corner { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }

    @vertex
    fn vs_main(
        @location(0) corner: vec2<f32>,
        @location(1) place: vec2<f32>,
        @location(2) color: vec4<f32>,
    ) -> Corner {
        return Corner(vec4<f32>(corner + place, 0.0, 1.0), color);
    }

    @fragment
    fn ps_main(corner: Corner) -> @location(0) vec4<f32> { return corner.color; }
";

impl Instanced {
    fn new(device: &Device) -> Self {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(INSTANCED, "vs_main")).unwrap();
        let elements = [
            InputElementDesc::new("CORNER", 0, Format::R32G32_FLOAT),
            InputElementDesc::new("PLACE", 0, Format::R32G32_FLOAT).slot(3).per_instance(),
            InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM).slot(3).per_instance(),
        ];
        // The buffer has other vertices before and after the square.
        let nowhere = [[9.0_f32, 9.0]; 4];
        let square = [[-1.0, 0.5], [-1.0, 1.0], [-0.5, 0.5], [-0.5, 1.0]];
        let instance = |n: u32| {
            let place = [(n % 4) as f32 * 0.5, (n / 4) as f32 * -0.5];
            (place.map(f32::to_bits), square_color(n))
        };
        let instances: Vec<[u32; 3]> = (0..16).map(instance).map(|([x, y], color)| [x, y, color]).collect();
        Self {
            layout: device.create_input_layout(&elements, &vs).unwrap(),
            vs,
            ps: device.create_pixel_shader(ShaderSource::wgsl(INSTANCED, "ps_main")).unwrap(),
            corners: vertices(device, &[nowhere, square, nowhere].concat()),
            instances: vertices(device, &instances),
        }
    }

    fn bind(&self, cx: &mut DeviceContext, topology: PrimitiveTopology) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.corners, 8));
        cx.ia_set_vertex_buffers(3, VertexBufferBinding::new(&self.instances, 12));
        cx.ia_set_primitive_topology(topology);
    }
}

#[test]
fn instances_take_their_data_from_the_start_instance_on() {
    on_each(&gpu_matrix(), |h| {
        let (scene, target) = (Instanced::new(&h.device), Target::new(&h.device, 16, 16));
        let indices = indices_of(&h.device, Format::R16_UINT, &[7, 7, 7, 0, 1, 2, 2, 1, 3]);
        for (count, first) in [(1, 0), (16, 0), (3, 5), (1, 15), (0, 3)] {
            let drawn = || squares_only(move |n| (first..first + count).contains(&n));
            let draw = |cx: &mut DeviceContext| {
                scene.bind(cx, TriangleStrip);
                cx.draw_instanced(4, count, 4, first);
            };
            expect(h, &target, &format!("{count} from {first}"), draw, drawn());
            let draw = |cx: &mut DeviceContext| {
                scene.bind(cx, TriangleList);
                cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
                cx.draw_indexed_instanced(6, count, 3, 4, first);
            };
            expect(h, &target, &format!("{count} from {first}, indexed"), draw, drawn());
        }
    });
}

#[test]
fn a_draw_without_instancing_reads_the_first_instance() {
    on_each(&gpu_matrix(), |h| {
        let (scene, target) = (Instanced::new(&h.device), Target::new(&h.device, 16, 16));
        let draw = |cx: &mut DeviceContext| {
            scene.bind(cx, TriangleStrip);
            cx.draw(4, 4);
        };
        expect(h, &target, "draw", draw, squares_only(|n| n == 0));
    });
}

/// Draws a point for each vertex, with the vertex data as the x position, the instance as the row, and the
/// IDs and instance data as the colour.
const NUMBERS: &str = "
    struct Point { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }

    fn plot(x: f32, y: f32, color: vec3<f32>) -> Point {
        let place = vec2<f32>((x + 0.5) / 8.0 - 1.0, 1.0 - (y + 0.5) / 2.0);
        return Point(vec4<f32>(place, 0.0, 1.0), vec4<f32>(color / 255.0, 1.0));
    }

    @vertex
    fn vs_main(
        @builtin(vertex_index) vertex: u32,
        @builtin(instance_index) instance: u32,
        @location(0) data: f32,
        @location(1) other: f32,
    ) -> Point {
        return plot(data, f32(instance), vec3<f32>(f32(vertex), f32(instance) + 100.0, other));
    }

    @vertex
    fn vs_bare(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Point {
        return plot(f32(vertex), f32(instance), vec3<f32>(f32(vertex), f32(instance) + 100.0, 7.0));
    }

    @fragment
    fn ps_main(point: Point) -> @location(0) vec4<f32> { return point.color; }
";

/// A draw and its points: x, y, SV_VertexID, and the instance data.
type NumbersRow = (&'static str, fn(&mut DeviceContext), &'static [(u32, u32, u32, u32)]);

/// The data of vertex n is n, the data of instance n is 50 + n, and the indices are 6, 7, 8, 0, 1 and 2.
const NUMBERS_ROWS: [NumbersRow; 6] = [
    (
        "DrawInstanced(3, 2, 0, 0)",
        |cx| cx.draw_instanced(3, 2, 0, 0),
        &[(0, 0, 0, 50), (1, 0, 1, 50), (2, 0, 2, 50), (0, 1, 0, 51), (1, 1, 1, 51), (2, 1, 2, 51)],
    ),
    (
        "DrawInstanced(3, 1, 3, 16)",
        |cx| cx.draw_instanced(3, 1, 3, 16),
        &[(3, 0, 0, 66), (4, 0, 1, 66), (5, 0, 2, 66)],
    ),
    (
        "DrawIndexedInstanced(3, 2, 0, 0, 0)",
        |cx| cx.draw_indexed_instanced(3, 2, 0, 0, 0),
        &[(6, 0, 6, 50), (7, 0, 7, 50), (8, 0, 8, 50), (6, 1, 6, 51), (7, 1, 7, 51), (8, 1, 8, 51)],
    ),
    (
        "DrawIndexedInstanced(3, 1, 3, 9, 7)",
        |cx| cx.draw_indexed_instanced(3, 1, 3, 9, 7),
        &[(9, 0, 0, 57), (10, 0, 1, 57), (11, 0, 2, 57)],
    ),
    ("DrawIndexed(3, 0, -3)", |cx| cx.draw_indexed(3, 0, -3), &[(3, 0, 6, 50), (4, 0, 7, 50), (5, 0, 8, 50)]),
    ("Draw(2, 13)", |cx| cx.draw(2, 13), &[(13, 0, 0, 50), (14, 0, 1, 50)]),
];

/// See Wine 10.0, d3d11 tests, line 13775.
#[test]
fn vertex_and_instance_ids_begin_at_0_in_each_draw() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 16, 4);
        let shader = |entry| d.create_vertex_shader(ShaderSource::wgsl(NUMBERS, entry)).unwrap();
        let (vs, bare) = (shader("vs_main"), shader("vs_bare"));
        let ps = d.create_pixel_shader(ShaderSource::wgsl(NUMBERS, "ps_main")).unwrap();
        let elements = [
            InputElementDesc::new("DATA", 0, Format::R32_FLOAT),
            InputElementDesc::new("OTHER", 0, Format::R32_FLOAT).slot(1).per_instance(),
        ];
        let layout = d.create_input_layout(&elements, &vs).unwrap();
        let count = |from: u32| (from..from + 20).map(|n| n as f32).collect::<Vec<_>>();
        let (data, other) = (vertices(&d, &count(0)), vertices(&d, &count(50)));
        let indices = indices_of(&d, Format::R32_UINT, &[6, 7, 8, 0, 1, 2]);
        let color = |vertex: u32, instance: u32, other: u32| {
            0xff00_0000 | other << 16 | (instance + 100) << 8 | vertex
        };
        for (what, draw, points) in NUMBERS_ROWS {
            let bind = |cx: &mut DeviceContext, vs: &VertexShader| {
                cx.vs_set_shader(vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_primitive_topology(PointList);
                cx.ia_set_index_buffer(&indices, Format::R32_UINT, 0);
            };
            let full = |cx: &mut DeviceContext| {
                bind(cx, &vs);
                cx.ia_set_input_layout(&layout);
                cx.ia_set_vertex_buffers(
                    0,
                    [VertexBufferBinding::new(&data, 4), VertexBufferBinding::new(&other, 4)],
                );
                draw(cx);
            };
            expect(h, &target, what, full, |x, y| {
                let point = points.iter().find(|p| (p.0, p.1) == (x, y));
                point.map_or(BLACK, |p| color(p.2, p.1, p.3))
            });
            let without_layout = |cx: &mut DeviceContext| {
                bind(cx, &bare);
                draw(cx);
            };
            expect(h, &target, &format!("{what} without a layout"), without_layout, |x, y| {
                let point = points.iter().find(|p| (p.2, p.1) == (x, y));
                point.map_or(BLACK, |p| color(p.2, p.1, 7))
            });
        }
    });
}
