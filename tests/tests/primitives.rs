//! Primitive assembly in each topology, with and without adjacency, and strip cuts by index.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Harness, Random, Target, gpu_matrix, matrix, on_each,
    shapes::{indices_of, vertices},
};

use PrimitiveTopology as T;

const SIZE: u32 = 32;

const VERTICES: u32 = 24;

/// `vs_plain` reads its colour from the buffer, and `vs_numbered` computes it from SV_VertexID.
const SHADER: &str = "
    struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec4f }

    fn corner(position: vec2f, number: u32, instance: u32) -> Corner {
        let shift = f32(instance) * 0.25;
        let color = vec4f(f32(number & 15u) / 15.0, f32(number >> 4u) / 15.0, f32(instance + 1u) / 4.0, 1.0);
        return Corner(vec4f(position.x + shift, position.y, 0.0, 1.0), color);
    }
    @vertex fn vs_plain(
        @location(0) position: vec2f, @location(1) number: u32, @builtin(instance_index) instance: u32
    ) -> Corner {
        return corner(position, number, instance);
    }
    @vertex fn vs_numbered(
        @location(0) position: vec2f, @location(1) number: u32, @builtin(vertex_index) vertex: u32
    ) -> Corner {
        return corner(position, vertex + number * 0u, 0u);
    }
    @fragment fn ps_main(corner: Corner) -> @location(0) vec4f { return corner.color; }
";

struct Scene {
    target: Target,
    shaders: [VertexShader; 2],
    ps: PixelShader,
    layout: InputLayout,
    vertices: Buffer,
    /// Adds the colours of draws, so that the result shows how often a texel was drawn.
    blend: BlendState,
}

#[derive(Clone, Debug)]
struct Draw {
    topology: T,
    /// The format and values of the index buffer, or `None` for a draw without indices.
    indices: Option<(Format, Vec<u32>)>,
    count: u32,
    start: u32,
    base_vertex: i32,
    instances: u32,
    numbered: bool,
}

impl Scene {
    fn new(h: &Harness) -> Self {
        let device = &h.device;
        let shader =
            |entry_point| device.create_vertex_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap();
        let shaders = ["vs_plain", "vs_numbered"].map(shader);
        let elements = [
            InputElementDesc::new("POSITION", 0, Format::R32G32_FLOAT),
            InputElementDesc::new("NUMBER", 0, Format::R32_UINT),
        ];
        let mut random = Random::new(5);
        let data: Vec<[u32; 3]> = (0..VERTICES)
            .map(|number| {
                // Positions are at texel centres, so no line ends between two texels.
                let mut at = || ((random.below(SIZE) as f32 + 0.5) / 16.0 - 1.0).to_bits();
                [at(), at(), number * 7 % 256]
            })
            .collect();
        let blend = RenderTargetBlendDesc {
            blend_enable: true,
            src_blend: Blend::One,
            dest_blend: Blend::BlendFactor,
            ..RenderTargetBlendDesc::default()
        };
        Self {
            target: Target::new(device, SIZE, SIZE),
            layout: device.create_input_layout(&elements, &shaders[0]).unwrap(),
            shaders,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main")).unwrap(),
            vertices: vertices(device, &data),
            blend: device.create_blend_state(&BlendDesc::all(blend)).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext, draw: &Draw) {
        cx.clear_render_target_view(&self.target.view, [0.0; 4]);
        self.target.bind(cx);
        cx.om_set_blend_state(&self.blend, [0.5; 4], u32::MAX);
        cx.vs_set_shader(&self.shaders[usize::from(draw.numbered)]);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, 12));
        cx.ia_set_primitive_topology(draw.topology);
    }

    fn draw(&self, h: &mut Harness, how: CommandPath, draw: &Draw, indirect: bool) -> Vec<u32> {
        let indices =
            draw.indices.as_ref().map(|(format, values)| (*format, indices_of(&h.device, *format, values)));
        let words = [draw.count, draw.instances, draw.start, draw.base_vertex as u32, 0];
        let desc = BufferDesc {
            misc_flags: MiscFlags::DRAWINDIRECT_ARGS,
            ..BufferDesc::new(20, BindFlags::VERTEX_BUFFER)
        };
        let arguments = h.device.create_buffer(&desc, None).unwrap();
        h.record(how, |cx| {
            self.bind(cx, draw);
            if indirect {
                cx.update_subresource(&arguments, 0, None, &words, 0, 0);
            }
            match &indices {
                None => cx.draw_instanced(draw.count, draw.instances, draw.start, 0),
                Some((format, indices)) => {
                    cx.ia_set_index_buffer(indices, *format, 0);
                    if indirect {
                        cx.draw_indexed_instanced_indirect(&arguments, 0);
                    } else {
                        let Draw { count, instances, start, base_vertex, .. } = *draw;
                        cx.draw_indexed_instanced(count, instances, start, base_vertex, 0);
                    }
                }
            }
        });
        self.target.read(h)
    }
}

impl Draw {
    /// Returns the indices that the draw reads, with 0 for out-of-range indices.
    fn read(&self) -> Vec<u32> {
        match &self.indices {
            None => (0..self.count).collect(),
            Some((_, values)) => {
                (0..self.count).map(|n| values.get((self.start + n) as usize).copied().unwrap_or(0)).collect()
            }
        }
    }

    /// Returns the same primitives as a list of lines or triangles (functional specification, 8.10 to 8.15).
    fn as_list(&self) -> Self {
        let cut = match self.indices {
            Some((Format::R16_UINT, _)) => Some(0xffff),
            Some(_) => Some(u32::MAX),
            None => None,
        };
        let read = self.read();
        let strips: Vec<_> = read.split(|index| Some(*index) == cut).collect();
        let mut list: Vec<u32> = Vec::new();
        let topology = match self.topology {
            T::LineListAdj => {
                list.extend(read.chunks_exact(4).flat_map(|four| [four[1], four[2]]));
                T::LineList
            }
            T::TriangleListAdj => {
                list.extend(read.chunks_exact(6).flat_map(|six| [six[0], six[2], six[4]]));
                T::TriangleList
            }
            T::LineStripAdj => {
                list.extend(
                    strips.iter().flat_map(|strip| strip.windows(4)).flat_map(|four| [four[1], four[2]]),
                );
                T::LineList
            }
            T::TriangleStripAdj => {
                for strip in strips {
                    let whole = (strip.len().saturating_sub(4)) / 2;
                    for n in 0..whole {
                        let [a, b, c] = [strip[2 * n], strip[2 * n + 2], strip[2 * n + 4]];
                        list.extend(if n % 2 == 0 { [a, b, c] } else { [a, c, b] });
                    }
                }
                T::TriangleList
            }
            T::LineStrip => {
                list.extend(strips.iter().flat_map(|strip| strip.windows(2)).flatten());
                T::LineList
            }
            T::TriangleStrip => {
                for strip in strips {
                    for (n, three) in strip.windows(3).enumerate() {
                        let [a, b, c] = [three[0], three[1], three[2]];
                        list.extend(if n % 2 == 0 { [a, b, c] } else { [a, c, b] });
                    }
                }
                T::TriangleList
            }
            other => {
                list = read;
                other
            }
        };
        let base_vertex = if self.indices.is_some() { self.base_vertex } else { self.start as i32 };
        let count = list.len() as u32;
        // The list must not be empty, because a buffer cannot be empty.
        list.push(0);
        Self {
            topology,
            count,
            indices: Some((Format::R32_UINT, list)),
            start: 0,
            base_vertex,
            ..self.clone()
        }
    }

    fn some(random: &mut Random, topology: T) -> Self {
        let count = random.below(40);
        let numbered = random.one_in(2);
        let instances = if numbered { 1 } else { random.range(1..3) };
        if random.one_in(3) {
            let start = random.below(VERTICES - 3);
            let count = count.min(VERTICES - start);
            return Self { topology, indices: None, count, start, base_vertex: 0, instances, numbered };
        }
        let is_wide = random.one_in(2);
        let (format, cut) = if is_wide { (Format::R32_UINT, u32::MAX) } else { (Format::R16_UINT, 0xffff) };
        let base_vertex = random.below(7) as i32 - 3;
        let start = random.below(8);
        let cuts = if topology.is_strip() { *random.pick(&[0, 3, 9]) } else { 0 };
        let least = u32::try_from(-base_vertex).unwrap_or(0);
        let most = VERTICES - base_vertex.max(0) as u32;
        let mut values: Vec<_> = (0..start + count)
            .map(|_| if cuts > 0 && random.one_in(cuts) { cut } else { random.range(least..most) })
            .collect();
        // Places two consecutive cuts in the middle, and cuts at both ends.
        if cuts > 0 && count > 12 {
            let (first, end) = (start as usize, (start + count) as usize);
            for at in [first, first + 8, first + 9, end - 1] {
                values[at] = cut;
            }
        }
        values.push(least);
        Self { topology, indices: Some((format, values)), count, start, base_vertex, instances, numbered }
    }
}

const ADJACENCY: [T; 4] = [T::LineListAdj, T::LineStripAdj, T::TriangleListAdj, T::TriangleStripAdj];

#[test]
fn leftover_and_adjacent_vertices_are_not_drawn() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let mut random = Random::new(11);
        for topology in ADJACENCY {
            for _ in 0..12 {
                check(h, &scene, &Draw::some(&mut random, topology), random.one_in(2));
            }
        }
    });
}

#[test]
fn strips_are_cut_wherever_an_index_of_all_ones_is() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let mut random = Random::new(12);
        for topology in [T::LineStrip, T::TriangleStrip] {
            for _ in 0..12 {
                check(h, &scene, &Draw::some(&mut random, topology), random.one_in(2));
            }
        }
    });
}

/// Draws, and compares the picture with a draw of the same primitives as a list.
fn check(h: &mut Harness, scene: &Scene, draw: &Draw, indirect: bool) {
    let indirect = indirect && draw.indices.is_some() && h.has_feature(Features::INDIRECT_DRAWS);
    let how = if indirect { CommandPath::ALL[0] } else { CommandPath::ALL[(draw.count % 2) as usize] };
    let expected = scene.draw(h, CommandPath::ALL[0], &draw.as_list(), false);
    let found = scene.draw(h, how, draw, indirect);
    if let Some(at) = found.iter().zip(&expected).position(|(found, expected)| found != expected) {
        panic!(
            "{draw:?}, {how:?}, indirect {indirect}: texel {at} is {:#010x}, not {:#010x}",
            found[at], expected[at]
        );
    }
}

/// Each strip has at least 995 indices. For triangle strips, the driver's shader divides them among many
/// threads, so most threads begin in the middle of a strip.
#[test]
fn long_strips_keep_their_winding_from_cut_to_cut() {
    let Some(mut h) = Harness::start(Config::GPU) else { return };
    let scene = Scene::new(&h);
    let mut random = Random::new(13);
    for (length, format, cut) in [(997, Format::R16_UINT, 0xffff), (1500, Format::R32_UINT, u32::MAX)] {
        for topology in [T::TriangleStripAdj, T::LineStripAdj] {
            let mut values: Vec<_> = (0..3 * length).map(|_| random.below(VERTICES)).collect();
            values[0] = cut;
            values[length] = cut;
            values[2 * length + 1] = cut;
            let count = values.len() as u32;
            let draw = Draw {
                topology,
                indices: Some((format, values)),
                count,
                start: 0,
                base_vertex: 0,
                instances: 1,
                numbered: false,
            };
            check(&mut h, &scene, &draw, false);
        }
    }
    drop(scene);
    h.finish();
}

/// An index of all ones cuts a strip before the base vertex is added, but in a list it is an ordinary index.
#[test]
fn a_cut_is_compared_before_the_base_vertex_is_added() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let draw = |topology, format, values: &[u32], base_vertex| Draw {
            topology,
            indices: Some((format, values.to_vec())),
            count: values.len() as u32,
            start: 0,
            base_vertex,
            instances: 1,
            numbered: false,
        };
        // In the lists, 0xffff is an ordinary index, and the strips lack an index of all ones, so they are
        // not cut.
        let narrow: Vec<u32> = (0xfff0..0xffff).collect();
        let mut list = narrow.clone();
        list.splice(3..6, [0xffff, 0xfff3, 0xfff9]);
        for (topology, values) in [
            (T::TriangleStrip, &narrow),
            (T::LineStrip, &narrow),
            (T::TriangleStripAdj, &narrow),
            (T::LineStripAdj, &narrow),
            (T::TriangleList, &list),
            (T::LineList, &list),
            (T::TriangleListAdj, &list),
            (T::LineListAdj, &list),
        ] {
            check(h, &scene, &draw(topology, Format::R16_UINT, values, -0xffe8), false);
        }
        // In 32-bit indices, 0xffff does not cut a strip, because only an index with all 32 bits set does.
        let wide: Vec<u32> = (0xfff6..0x1_0006).collect();
        for topology in [T::TriangleStrip, T::LineStrip, T::TriangleStripAdj, T::LineStripAdj] {
            check(h, &scene, &draw(topology, Format::R32_UINT, &wide, -0xfff0), false);
        }
    });
}

/// Out-of-range indices are read as 0, so vertex 0 is used instead.
#[test]
fn out_of_range_indices_with_adjacency_read_vertex_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawIndexBufferTooSmall]);
        let scene = Scene::new(h);
        let mut random = Random::new(14);
        for topology in ADJACENCY {
            for (count, start) in [(20, 0), (19, 3), (24, 7), (8, 40)] {
                for format in [Format::R16_UINT, Format::R32_UINT] {
                    let values: Vec<_> = (0..16).map(|_| random.range(1..VERTICES)).collect();
                    let draw = Draw {
                        topology,
                        indices: Some((format, values)),
                        count,
                        start,
                        base_vertex: 0,
                        instances: 1,
                        numbered: true,
                    };
                    for indirect in [false, true] {
                        check(h, &scene, &draw, indirect);
                    }
                }
            }
        }
    });
}

#[test]
fn patches_can_be_set_and_are_not_drawn() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        for points in [1, 3, 32] {
            let patches = T::patch_list(points).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    let draw = Draw {
                        topology: patches,
                        indices: None,
                        count: 12,
                        start: 0,
                        base_vertex: 0,
                        instances: 1,
                        numbered: false,
                    };
                    scene.bind(cx, &draw);
                    assert_eq!(cx.ia_get_primitive_topology(), patches);
                    cx.draw(12, 0);
                });
                h.assert_reported(MessageId::DrawNoHullShader);
                if h.draws() {
                    assert!(scene.target.read(h).iter().all(|texel| *texel == 0), "{points} points");
                }
            }
        }
    });
}

/// Draws with adjacency do not affect later draws without adjacency.
#[test]
fn a_draw_after_one_with_adjacency_reads_its_own_vertices() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        let mut random = Random::new(15);
        let (indices, wide) = {
            let values: Vec<_> = (0..18).map(|_| random.below(VERTICES)).collect();
            (indices_of(&h.device, Format::R16_UINT, &values), values)
        };
        let plain = Draw {
            topology: T::TriangleList,
            indices: Some((Format::R16_UINT, wide)),
            count: 18,
            start: 0,
            base_vertex: 0,
            instances: 1,
            numbered: false,
        };
        let adjacent = Draw { topology: T::TriangleListAdj, ..plain.clone() };
        let mut expected = Vec::new();
        for how in CommandPath::ALL {
            let list = adjacent.as_list();
            let (_, values) = list.indices.as_ref().unwrap();
            let other = indices_of(&h.device, Format::R32_UINT, values);
            for with_adjacency in [false, true] {
                h.record(how, |cx| {
                    scene.bind(cx, &plain);
                    for _ in 0..2 {
                        cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
                        cx.ia_set_primitive_topology(T::TriangleList);
                        cx.draw_indexed(18, 0, 0);
                        cx.draw_indexed(18, 0, 0);
                        if with_adjacency {
                            cx.ia_set_primitive_topology(T::TriangleListAdj);
                            cx.draw_indexed(18, 0, 0);
                            cx.draw_indexed(18, 0, 0);
                        } else {
                            cx.ia_set_index_buffer(&other, Format::R32_UINT, 0);
                            cx.draw_indexed(list.count, 0, 0);
                            cx.draw_indexed(list.count, 0, 0);
                        }
                    }
                });
                let texels = scene.target.read(h);
                if with_adjacency {
                    assert!(texels == expected, "{how:?}");
                } else {
                    expected = texels;
                }
            }
        }
    });
}
