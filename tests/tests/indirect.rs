//! Indirect draws and dispatches, whose arguments the GPU reads from a buffer that earlier commands may
//! write.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, matrix, on_each};

const SIZE: u32 = 16;

const NOTHING: u32 = 0;

/// Draws a point for each vertex and instance, with the vertex data as its red value and the instance data as
/// its green value. `vs_numbered` and `vs_struct` place the point at SV_VertexID and SV_InstanceID, and
/// `vs_placed` at the low bits of the data.
const SHADER: &str = "
    @group(0) @binding(0) var<uniform> offset: vec4f;
    struct Point { @builtin(position) position: vec4f, @location(0) color: vec4f }
    struct Input {
        @location(0) by_vertex: u32,
        @builtin(vertex_index) vertex: u32,
        @location(1) by_instance: u32,
        @builtin(instance_index) instance: u32,
    }
    fn point(at: vec2u, data: vec2u) -> Point {
        let place = (vec2f(at) + 0.5) / 8.0 - 1.0;
        return Point(vec4f(place.x, -place.y, 0.0, 1.0) + offset, vec4f(vec2f(data) / 255.0, 0.0, 1.0));
    }
    @vertex fn vs_numbered(
        @location(0) by_vertex: u32, @location(1) by_instance: u32,
        @builtin(instance_index) instance: u32, @builtin(vertex_index) vertex: u32
    ) -> Point {
        return point(vec2(vertex, instance), vec2(by_vertex, by_instance));
    }
    @vertex fn vs_struct(in: Input) -> Point {
        return point(vec2(in.vertex, in.instance), vec2(in.by_vertex, in.by_instance));
    }
    @vertex fn vs_placed(@location(0) by_vertex: u32, @location(1) by_instance: u32) -> Point {
        return point(vec2(by_vertex, by_instance) & vec2(15u), vec2(by_vertex, by_instance));
    }
    @fragment fn ps_main(point: Point) -> @location(0) vec4f { return point.color; }

    @group(3) @binding(0) var<storage, read_write> words: array<u32>;
    // Writes six draws, 20 bytes apart. Each draws one vertex (2, 3, ...) of instance 1.
    @compute @workgroup_size(6) fn write_draws(@builtin(local_invocation_index) n: u32) {
        let at = 5 * n;
        words[at] = 1u;
        words[at + 1] = 1u;
        words[at + 2] = n + 2;
        words[at + 3] = 1u;
    }
    // Adds a vertex to the first draw.
    @compute @workgroup_size(1) fn grow() { words[0] += 1u; }
    // Counts its groups in words 4 to 6, and adds a group to the next dispatch.
    @group(3) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
    @compute @workgroup_size(1) fn count(@builtin(workgroup_id) id: vec3u) {
        atomicMax(&counts[4], id.x + 1u);
        atomicMax(&counts[5], id.y + 1u);
        atomicMax(&counts[6], id.z + 1u);
        atomicMax(&counts[0], id.x + 2u);
    }";

const GLSL: &str = "#version 450
    layout(set = 0, binding = 0) uniform Offset { vec4 offset; };
    layout(location = 0) in uint by_vertex;
    layout(location = 1) in uint by_instance;
    layout(location = 0) out vec4 color;
    void main() {
        vec2 place = (vec2(gl_VertexIndex, gl_InstanceIndex) + 0.5) / 8.0 - 1.0;
        gl_Position = vec4(place.x, -place.y, 0.0, 1.0) + offset;
        color = vec4(vec2(by_vertex, by_instance) / 255.0, 0.0, 1.0);
    }";

/// Vertex data minus the vertex index, which is added to the lower four bits.
const BY_VERTEX: u32 = 0x20;
/// Instance data minus the instance index, which is added to the lower four bits.
const BY_INSTANCE: u32 = 0x80;

const COUNT: u32 = 16;

const INDICES: [u16; 8] = [0, 1, 2, 7, 5, 3, 9, 4];

struct Scene {
    target: Target,
    ps: PixelShader,
    layout: InputLayout,
    vertices: Buffer,
    instances: Buffer,
    indices: Buffer,
    offset: ConstantBuffer<[f32; 4]>,
    shaders: Vec<(VertexShader, bool)>,
}

impl Scene {
    fn new(h: &Harness) -> Self {
        let device = &h.device;
        let shader =
            |entry_point| device.create_vertex_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap();
        let glsl = device.create_vertex_shader(ShaderSource::glsl(GLSL)).unwrap();
        let shaders = vec![
            (shader("vs_numbered"), true),
            (shader("vs_struct"), true),
            (glsl, true),
            (shader("vs_placed"), false),
        ];
        let elements = [
            InputElementDesc::new("BY_VERTEX", 0, Format::R32_UINT),
            InputElementDesc::new("BY_INSTANCE", 0, Format::R32_UINT).slot(1).per_instance(),
        ];
        let numbers = |first: u32| {
            let numbers: Vec<_> = (first..first + COUNT).collect();
            device.create_buffer_with(BindFlags::VERTEX_BUFFER, &numbers).unwrap()
        };
        Self {
            target: Target::new(device, SIZE, SIZE),
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main")).unwrap(),
            layout: device.create_input_layout(&elements, &shaders[0].0).unwrap(),
            vertices: numbers(BY_VERTEX),
            instances: numbers(BY_INSTANCE),
            indices: device.create_buffer_with(BindFlags::INDEX_BUFFER, &INDICES).unwrap(),
            offset: device.create_constant_buffer(&[0.0_f32; 4]).unwrap(),
            shaders,
        }
    }

    fn bind(&self, cx: &mut DeviceContext, vs: &VertexShader) {
        self.target.bind(cx);
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, 4));
        cx.ia_set_vertex_buffers(1, VertexBufferBinding::new(&self.instances, 4));
        cx.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
        cx.vs_set_shader(vs);
        cx.vs_set_constant_buffers(0, &self.offset);
        cx.ps_set_shader(&self.ps);
    }

    fn numbered(&self) -> &VertexShader {
        &self.shaders[0].0
    }

    fn expect(&self, h: &mut Harness, expected: &[(u32, u32, u32)], what: &str) {
        let found = self.target.read(h);
        let mut picture = vec![NOTHING; (SIZE * SIZE) as usize];
        for (x, y, color) in expected.iter().filter(|_| h.draws()) {
            picture[(y * SIZE + x) as usize] = *color;
        }
        let drawn = |picture: &[u32]| -> Vec<_> {
            let texels = (0..).zip(picture.iter().copied());
            texels.filter(|texel| texel.1 != NOTHING).map(|(n, texel)| (n % SIZE, n / SIZE, texel)).collect()
        };
        let (found, expected) = (drawn(&found), drawn(&picture));
        assert!(found == expected, "{what}: {found:x?} instead of {expected:x?}");
    }
}

fn color(vertex: u32, instance: u32) -> u32 {
    0xff00_0000 | (BY_INSTANCE + instance) << 8 | (BY_VERTEX + vertex)
}

/// Returns the points of a draw, where `vertices` contains pairs of the SV_VertexID and the fetched vertex.
fn points(
    vertices: impl Iterator<Item = (u32, u32)> + Clone,
    [instances, start_instance]: [u32; 2],
    is_numbered: bool,
) -> Vec<(u32, u32, u32)> {
    let of_instance = |n: u32| {
        let instance = start_instance + n;
        vertices.clone().map(move |(number, vertex)| {
            let color = color(vertex, instance);
            if is_numbered { (number, n, color) } else { (vertex, instance, color) }
        })
    };
    (0..instances).flat_map(of_instance).collect()
}

fn arguments(h: &Harness, words: &[u32]) -> Buffer {
    let flags = BindFlags::UNORDERED_ACCESS;
    let desc = BufferDesc::indirect(4 * words.len() as u32, flags).label("arguments");
    h.device.create_buffer(&desc, Some(bytemuck::cast_slice(words))).unwrap()
}

fn uav(h: &Harness, buffer: &Buffer) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::raw_buffer(0, u32::MAX);
    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
}

fn compute(h: &Harness, entry_point: &str) -> ComputeShader {
    h.device.create_compute_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

/// The vertex and instance IDs of direct draws follow Wine 10.0, d3d11 tests, line 13775.
#[test]
fn draws_read_their_arguments_and_number_from_zero() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        for [count, instances, start, start_instance] in [
            [3, 2, 0, 0],
            [4, 3, 5, 2],
            [1, 1, 15, 15],
            [16, 16, 0, 0],
            [0, 1, 0, 0],
            [2, 0, 1, 1],
            [2, 3, 7, 0],
        ] {
            let args = DrawInstancedIndirectArgs {
                vertex_count_per_instance: count,
                instance_count: instances,
                start_vertex_location: start,
                start_instance_location: start_instance,
            };
            // The buffer begins with other arguments that would draw everything.
            let words = [16, 16, 0, 0].into_iter().chain(bytemuck::cast::<_, [u32; 4]>(args));
            let buffer = arguments(h, &words.collect::<Vec<_>>());
            for (vs, is_numbered) in &scene.shaders {
                for how in CommandPath::ALL {
                    h.record(how, |cx| {
                        cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                        scene.bind(cx, vs);
                        cx.draw_instanced_indirect(&buffer, 16);
                    });
                    let vertices = (0..count).map(|n| (n, start + n));
                    let expected = points(vertices, [instances, start_instance], *is_numbered);
                    scene.expect(h, &expected, &format!("{args:?}, {is_numbered}, {how:?}"));
                }
            }
        }
    });
}

#[test]
fn indexed_draws_read_their_arguments_and_number_by_index() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        for (count, instances, start, base, start_instance) in [
            (3, 2, 0, 0, 0),
            (3, 1, 0, 9, 7),
            (4, 2, 3, 2, 1),
            (3, 3, 3, -3, 0),
            (8, 1, 0, 6, 0),
            (0, 1, 0, 0, 0),
        ] {
            let args = DrawIndexedInstancedIndirectArgs {
                index_count_per_instance: count,
                instance_count: instances,
                start_index_location: start,
                base_vertex_location: base,
                start_instance_location: start_instance,
            };
            let words = [1].into_iter().chain(bytemuck::cast::<_, [u32; 5]>(args));
            let buffer = arguments(h, &words.collect::<Vec<_>>());
            for (vs, is_numbered) in &scene.shaders {
                for how in CommandPath::ALL {
                    h.record(how, |cx| {
                        cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                        scene.bind(cx, vs);
                        cx.draw_indexed_instanced_indirect(&buffer, 4);
                    });
                    let indices = INDICES.iter().skip(start as usize).take(count as usize);
                    let vertices = indices.map(|index| {
                        let index = u32::from(*index);
                        (index, index.wrapping_add_signed(base))
                    });
                    let expected = points(vertices, [instances, start_instance], *is_numbered);
                    scene.expect(h, &expected, &format!("{args:?}, {is_numbered}, {how:?}"));
                }
            }
        }
    });
}

/// In one list, a dispatch writes arguments, a draw uses them, a dispatch changes them, and a draw uses them again.
#[test]
fn draws_see_the_arguments_that_dispatches_before_them_wrote() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let (write, grow) = (compute(h, "write_draws"), compute(h, "grow"));
        for (vs, is_numbered) in &scene.shaders {
            for how in CommandPath::ALL {
                let buffer = arguments(h, &[0; 30]);
                let view = uav(h, &buffer);
                h.record(how, |cx| {
                    cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                    scene.bind(cx, vs);
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.draw_instanced_indirect(&buffer, 0);
                    cx.cs_set_shader(&write);
                    cx.dispatch(1, 1, 1);
                    for n in 0..6 {
                        cx.draw_instanced_indirect(&buffer, 20 * n);
                    }
                    cx.cs_set_shader(&grow);
                    for _ in 0..6 {
                        cx.dispatch(1, 1, 1);
                    }
                    cx.draw_instanced_indirect(&buffer, 0);
                });
                // The last draw has seven vertices and starts at vertex 2, but its SV_VertexID starts at 0.
                let one = |n: u32| points([(0, n + 2)].into_iter(), [1, 1], *is_numbered);
                let mut expected: Vec<_> = (0..6).flat_map(one).collect();
                expected.extend(points((0..7).map(|n| (n, n + 2)), [1, 1], *is_numbered));
                scene.expect(h, &expected, &format!("{is_numbered}, {how:?}"));
            }
        }
    });
}

/// Direct and indirect draws alternate in one pass, without other commands between them.
#[test]
fn direct_and_indirect_draws_take_turns() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let buffer = arguments(h, &[1, 1, 3, 4, 0, 2, 1, 6, 0, 9]);
        for (vs, is_numbered) in &scene.shaders {
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                    scene.bind(cx, vs);
                    cx.draw_instanced(2, 1, 5, 8);
                    cx.draw_instanced_indirect(&buffer, 0);
                    cx.draw(3, 7);
                    cx.draw_indexed_instanced_indirect(&buffer, 20);
                    cx.draw_indexed(1, 7, 0);
                    cx.draw_instanced_indirect(&buffer, 0);
                });
                let mut expected = points([(0, 5), (1, 6)].into_iter(), [1, 8], *is_numbered);
                let mut add = |vertices: &[(u32, u32)], instance| {
                    expected.extend(points(vertices.iter().copied(), [1, instance], *is_numbered));
                };
                add(&[(0, 3)], 4);
                add(&[(0, 7), (1, 8), (2, 9)], 0);
                add(&[(9, 9), (4, 4)], 9);
                add(&[(4, 4)], 0);
                add(&[(0, 3)], 4);
                scene.expect(h, &expected, &format!("{is_numbered}, {how:?}"));
            }
        }
    });
}

/// The list is long enough for the driver to keep the direct draws that surround the indirect draw.
#[test]
fn a_list_draws_with_the_arguments_of_each_execution() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let buffer = arguments(h, &[0; 4]);
        for (vs, is_numbered) in &scene.shaders {
            let mut deferred = h.device.create_deferred_context().unwrap();
            deferred.clear_render_target_view(&scene.target.view, [0.0; 4]);
            scene.bind(&mut deferred, vs);
            for _ in 0..300 {
                deferred.draw_instanced(1, 1, 0, 0);
            }
            deferred.draw_instanced_indirect(&buffer, 0);
            for _ in 0..300 {
                deferred.draw_instanced(1, 1, 1, 0);
            }
            let list = deferred.finish_command_list(false).unwrap();
            for start in [4, 9, 9, 2, 13, 4] {
                h.immediate.update_subresource(&buffer, 0, None, &[2, 2, start, start], 0, 0);
                h.immediate.execute_command_list(&list, false);
                let mut expected = points([(0, 0)].into_iter(), [1, 0], *is_numbered);
                expected.extend(points((0..2).map(|n| (n, start + n)), [2, start], *is_numbered));
                expected.extend(points([(0, 1)].into_iter(), [1, 0], *is_numbered));
                scene.expect(h, &expected, &format!("from {start}, {is_numbered}"));
            }
        }
    });
}

/// Updates and copies of the arguments keep their order relative to the draws.
#[test]
fn arguments_change_between_two_draws() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let other = arguments(h, &[1, 1, 8, 8]);
        for how in CommandPath::ALL {
            let buffer = arguments(h, &[1, 1, 2, 2]);
            h.record(how, |cx| {
                cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                scene.bind(cx, &scene.shaders[3].0);
                cx.draw_instanced_indirect(&buffer, 0);
                cx.update_subresource(&buffer, 0, None, &[1, 1, 5, 5], 0, 0);
                cx.draw_instanced_indirect(&buffer, 0);
                cx.copy_resource(&buffer, &other);
                cx.draw_instanced_indirect(&buffer, 0);
            });
            let expected: Vec<_> = [2, 5, 8].map(|n| (n, n, color(n, n))).into();
            scene.expect(h, &expected, &format!("{how:?}"));
        }
    });
}

/// Covers vertices at an offset that wgpu does not accept, and a draw without vertex buffers.
#[test]
fn indirect_draws_read_vertices_at_any_offset() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawVertexBufferNotSet, MessageId::SetIndexBufferInvalid]);
        let scene = Scene::new(h);
        let buffer = arguments(h, &[2, 1, 3, 4, 0, 2, 1, 2, 1, 4]);
        let bytes: Vec<u8> =
            [9, 9].into_iter().chain((BY_VERTEX..BY_VERTEX + COUNT).flat_map(u32::to_le_bytes)).collect();
        let shifted = h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &bytes).unwrap();
        let words: Vec<u8> = [1].into_iter().chain(INDICES.iter().flat_map(|i| i.to_le_bytes())).collect();
        let indices = h.device.create_buffer_with(BindFlags::INDEX_BUFFER, &words).unwrap();
        for (vs, is_numbered) in &scene.shaders {
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                scene.bind(cx, vs);
                cx.ia_set_vertex_buffers(
                    0,
                    VertexBufferBinding { offset: 2, ..VertexBufferBinding::new(&shifted, 4) },
                );
                cx.draw_instanced_indirect(&buffer, 0);
                cx.ia_set_index_buffer(&indices, Format::R16_UINT, 1);
                cx.draw_indexed_instanced_indirect(&buffer, 20);
            });
            let mut expected = points([(0, 3), (1, 4)].into_iter(), [1, 4], *is_numbered);
            expected.extend(points([(2, 3), (7, 8)].into_iter(), [1, 4], *is_numbered));
            scene.expect(h, &expected, &format!("{is_numbered}"));
        }
        // Slots without a buffer read zeros.
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
            scene.bind(cx, scene.numbered());
            cx.ia_set_vertex_buffers(0, [None, None]);
            cx.draw_instanced_indirect(&buffer, 0);
        });
        scene.expect(h, &[(0, 0, 0xff00_0000), (1, 0, 0xff00_0000)], "no vertex buffer");
        h.device.info_queue().clear();
    });
}

#[test]
fn indirect_draws_read_indices_at_any_offset() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let buffer = arguments(h, &[2, 1, 2, 1, 4]);
        let (vs, is_numbered) = &scene.shaders[0];
        let expected = points([(2, 3), (7, 8)].into_iter(), [1, 4], *is_numbered);
        for (format, offset) in [
            (Format::R16_UINT, 2),
            (Format::R16_UINT, 4),
            (Format::R16_UINT, 24),
            (Format::R32_UINT, 4),
            (Format::R32_UINT, 24),
        ] {
            let words = INDICES.iter().flat_map(|index| match format {
                Format::R16_UINT => index.to_le_bytes().to_vec(),
                _ => u32::from(*index).to_le_bytes().to_vec(),
            });
            let bytes: Vec<u8> = vec![0; offset as usize].into_iter().chain(words).collect();
            let indices = h.device.create_buffer_with(BindFlags::INDEX_BUFFER, &bytes).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                    scene.bind(cx, vs);
                    cx.ia_set_index_buffer(&indices, format, offset);
                    cx.draw_indexed_instanced_indirect(&buffer, 0);
                });
                scene.expect(h, &expected, &format!("{format:?} at {offset}, {how:?}"));
            }
        }
    });
}

#[test]
fn vertices_and_instances_beyond_the_buffers_read_0() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let buffer = arguments(h, &[2, 1, 15, 0, 1, 2, 0, 15, 1, 2, 3, 0, 15]);
        let origin = |vertex: u32, instance: u32| (0, 0, 0xff00_0000 | instance << 8 | vertex);
        let rows = [
            (0, false, vec![(15, 0, color(15, 0)), origin(0, BY_INSTANCE)]),
            (16, false, vec![(0, 15, color(0, 15)), origin(BY_VERTEX, 0)]),
            (32, true, vec![(7, 15, color(7, 15)), (7, 0, 0xff00_0027)]),
        ];
        for how in CommandPath::ALL {
            for (offset, indexed, expected) in &rows {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                    scene.bind(cx, &scene.shaders[3].0);
                    if *indexed {
                        cx.draw_indexed_instanced_indirect(&buffer, *offset);
                    } else {
                        cx.draw_instanced_indirect(&buffer, *offset);
                    }
                });
                scene.expect(h, expected, &format!("arguments at {offset}, {how:?}"));
            }
        }
    });
}

/// These out-of-range indices read as 0 in Direct3D 11, but draw nothing here because wgpu validates the
/// arguments against the index buffer.
#[test]
fn indices_beyond_the_buffer_draw_nothing() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let buffer = arguments(h, &[2, 1, 7, 0, 0]);
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
            scene.bind(cx, &scene.shaders[3].0);
            cx.draw_indexed_instanced_indirect(&buffer, 0);
        });
        scene.expect(h, &[], "beyond");
    });
}

#[test]
fn dispatches_take_their_groups_from_a_buffer() {
    on_each(&matrix(), |h| {
        let count = compute(h, "count");
        for (groups, ran) in [
            ([1, 1, 1], true),
            ([3, 2, 4], true),
            ([0, 2, 4], false),
            ([1, 1, 0], false),
            ([65_535, 1, 1], true),
            ([65_536, 1, 1], false),
            ([1, u32::MAX, 1], false),
        ] {
            for how in CommandPath::ALL {
                let [x, y, z] = groups;
                let buffer = arguments(h, &[7, 7, x, y, z, 7]);
                let counted = arguments(h, &[0; 8]);
                let view = uav(h, &counted);
                h.record(how, |cx| {
                    cx.cs_set_shader(&count);
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.dispatch_indirect(&buffer, 8);
                });
                let found: Vec<u32> = h.immediate.read_buffer(&counted).unwrap();
                let expected = if ran && h.draws() { groups } else { [0; 3] };
                assert_eq!(found[4..7], expected, "{groups:?}, {how:?}");
            }
        }
    });
}

/// wgpu does not accept arguments from a buffer that the same dispatch writes.
#[test]
fn a_dispatch_may_write_the_arguments_of_the_next() {
    on_each(&gpu_matrix(), |h| {
        let count = compute(h, "count");
        for how in CommandPath::ALL {
            let buffer = arguments(h, &[1, 1, 1, 0, 0, 0, 0, 0]);
            let view = uav(h, &buffer);
            h.record(how, |cx| {
                cx.cs_set_shader(&count);
                cx.cs_set_unordered_access_views(0, &view);
                for _ in 0..5 {
                    cx.dispatch_indirect(&buffer, 0);
                }
            });
            let found: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
            assert_eq!(found, [6, 1, 1, 0, 5, 1, 1, 0], "{how:?}");
        }
    });
}

#[test]
fn a_query_counts_indirect_draws() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let buffer = arguments(h, &[1, 1, 0, 0, 0, 1, 0, 0]);
        let queries = [(); 2].map(|()| h.device.create_query(QueryType::OcclusionPredicate).unwrap());
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx, scene.numbered());
            for (query, offset) in queries.iter().zip([0, 16]) {
                cx.begin(query);
                cx.draw_instanced_indirect(&buffer, offset);
                cx.end(query);
            }
        });
        h.wait();
        let found = queries.each_ref().map(|query| h.immediate.get_data(query, false).unwrap().unwrap());
        assert_eq!(found, [true, false].map(QueryData::OcclusionPredicate));
    });
}

#[test]
fn invalid_indirect_calls_report_the_reason() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let scene = Scene::new(h);
        let count = compute(h, "count");
        let buffer = arguments(h, &[1; 8]);
        let plain = h.device.create_buffer(&BufferDesc::new(32, BindFlags::VERTEX_BUFFER), None).unwrap();
        type Call = fn(&mut DeviceContext, &Buffer, u32);
        let calls: [(Call, u32, MessageId); 3] = [
            (|cx, buffer, at| cx.draw_instanced_indirect(buffer, at), 16, MessageId::DrawIndirectInvalid),
            (
                |cx, buffer, at| cx.draw_indexed_instanced_indirect(buffer, at),
                20,
                MessageId::DrawIndirectInvalid,
            ),
            (|cx, buffer, at| cx.dispatch_indirect(buffer, at), 12, MessageId::DispatchIndirectInvalid),
        ];
        let view = uav(h, &buffer);
        for (call, size, id) in calls {
            for (buffer, offset, is_right) in [
                (&buffer, 0, true),
                (&buffer, 32 - size, true),
                (&buffer, 36 - size, false),
                (&buffer, 2, false),
                (&buffer, u32::MAX - 3, false),
                (&plain, 0, false),
            ] {
                scene.bind(&mut h.immediate, scene.numbered());
                h.immediate.cs_set_shader(&count);
                h.immediate.cs_set_unordered_access_views(0, &view);
                call(&mut h.immediate, buffer, offset);
                if is_right {
                    h.assert_silent();
                } else {
                    h.assert_reported(id);
                }
            }
        }
        h.immediate.clear_state();
        scene.bind(&mut h.immediate, scene.numbered());
        h.immediate.ia_set_index_buffer(None, Format::R16_UINT, 0);
        h.immediate.draw_indexed_instanced_indirect(&buffer, 0);
        h.assert_reported(MessageId::DrawIndexedNoIndexBuffer);
        h.immediate.dispatch_indirect(&buffer, 0);
        h.assert_reported(MessageId::DispatchNoComputeShader);
        h.immediate.vs_set_shader(None);
        h.immediate.draw_instanced_indirect(&buffer, 0);
        h.assert_reported(MessageId::DrawNoVertexShader);
        h.immediate.clear_state();
    });
}

#[test]
fn a_list_keeps_the_arguments_that_were_dropped() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.bind(&mut deferred, scene.numbered());
        deferred.draw_instanced_indirect(&arguments(h, &[1, 1, 6, 6]), 0);
        let list = deferred.finish_command_list(false).unwrap();
        drop(deferred);
        h.immediate.flush();
        for _ in 0..2 {
            h.immediate.clear_render_target_view(&scene.target.view, [0.0; 4]);
            h.immediate.execute_command_list(&list, false);
            scene.expect(h, &[(0, 0, color(6, 6))], "after the drop");
        }
    });
}
