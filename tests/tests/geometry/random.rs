//! Random draws with a geometry shader, compared with draws of the primitives that the model expects.
//!
//! `ONZE_GEOMETRY_SEED` sets the seed, and `ONZE_GEOMETRY_DRAWS` the number of draws.

use onze::{InputPrimitive, StreamTopology, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Random, Target};

use super::{
    model::{Arguments, Elements, Indices, Inputs, Program, Vertex, draw},
    shaders::{STEP_RATES, Shaders, create},
};

use PrimitiveTopology as T;

/// Draws of a round, each into a separate cell of the target.
const CELLS: u32 = 64;
/// Cells in a row of the target.
const COLUMNS: u32 = 8;
/// Width and height of a cell in texels.
pub(super) const CELL: u32 = 16;
/// Width and height of the target in texels.
const SIDE: u32 = COLUMNS * CELL;
/// Shapes of a round's draws.
const SHAPES: usize = 16;

pub(crate) const STREAMS: [StreamTopology; 3] =
    [StreamTopology::Points, StreamTopology::LineStrips, StreamTopology::TriangleStrips];

/// The properties of a scene that select shaders and pipelines of the driver. Several scenes share a shape, because
/// most time is needed for compiling.
pub(super) struct Shape {
    topology: T,
    /// Whether the indices have 32 bits instead of 16, or `None` for draws without indices.
    wide: Option<bool>,
    stride: u32,
    step_rate: u32,
    /// The GPU reads the arguments of the draws from a buffer.
    is_indirect: bool,
}

impl Shape {
    pub(super) fn new(random: &mut Random, input: InputPrimitive) -> Self {
        let all: Vec<_> =
            (1..=64).filter_map(T::from_u32).filter(|topology| input.accepts(*topology)).collect();
        Self {
            topology: *random.pick(&all),
            wide: random.one_in(2).then(|| random.one_in(2)),
            stride: *random.pick(&[0, 4, 8, 12, 20]),
            step_rate: *random.pick(&STEP_RATES),
            is_indirect: random.one_in(3),
        }
    }
}

/// A random draw, with everything that it reads.
pub(super) struct Scene {
    pub(super) topology: T,
    pub(super) indices: Option<Indices>,
    /// Byte offset of the index buffer's binding.
    index_offset: u32,
    pub(super) inputs: Inputs,
    /// The arguments of each draw, between which nothing else changes.
    pub(super) draws: Vec<Arguments>,
    pub(super) seed: u32,
    pub(super) table: Vec<u32>,
    cull: CullMode,
    fill: FillMode,
    /// The buffer that the GPU reads the arguments from, if the draw is indirect.
    is_indirect: bool,
}

impl Scene {
    pub(super) fn new(random: &mut Random, shape: &Shape) -> Self {
        let Shape { topology, wide, stride, step_rate, is_indirect } = *shape;
        let words = |random: &mut Random, count| (0..count).map(|_| random.bits() as u32).collect::<Vec<_>>();
        let vertices = Elements { words: words(random, 64), offset: 4 * random.below(4), stride };
        let instances = Elements { words: words(random, 8), offset: 0, stride: 4 };
        let arguments = |random: &mut Random| Arguments {
            count: if random.one_in(4) { random.below(40) } else { random.below(12) },
            start: random.below(6),
            base_vertex: random.below(12) as i32 - 4,
            instances: if random.one_in(3) { random.below(4) } else { 1 },
            start_instance: random.below(3),
        };
        let mut draws = vec![arguments(random)];
        for _ in 0..random.below(4) {
            // Most draws differ only in their start.
            let other = arguments(random);
            let start = if random.one_in(2) { 6 } else { other.start };
            draws.push(if random.one_in(3) { other } else { Arguments { start, ..draws[0] } });
        }
        let indices = wide.map(|wide| {
            let cut = if wide { u32::MAX } else { 0xffff };
            let cuts = *random.pick(&[2, 5, 1000]);
            let value = |random: &mut Random| if random.one_in(cuts) { cut } else { random.below(20) };
            // An indirect draw has no primitives of a strip that begin far beyond its index buffer.
            let count = if is_indirect && topology.is_strip() { 48 } else { random.range(8..48) };
            Indices { values: (0..count).map(|_| value(random)).collect(), wide }
        });
        if indices.is_none() {
            draws.iter_mut().for_each(|draw| draw.base_vertex = 0);
        }
        Self {
            topology,
            indices,
            index_offset: random.below(3),
            inputs: Inputs { vertices, instances, step_rate },
            draws,
            seed: random.bits() as u32,
            table: words(random, 16),
            cull: *random.pick(&[CullMode::None, CullMode::None, CullMode::Back, CullMode::Front]),
            fill: if random.one_in(4) { FillMode::Wireframe } else { FillMode::Solid },
            is_indirect,
        }
    }

    /// Draws the scene with its geometry shader, which is bound.
    fn draw(&self, device: &Device, shaders: &Shaders, cx: &mut DeviceContext) {
        self.draw_with(device, shaders, cx, |_| {});
    }

    /// Draws the scene with its geometry shader, and calls a function after each draw.
    pub(super) fn draw_with(
        &self,
        device: &Device,
        shaders: &Shaders,
        cx: &mut DeviceContext,
        after: impl Fn(&mut DeviceContext),
    ) {
        let Inputs { vertices, instances, step_rate } = &self.inputs;
        let rate = STEP_RATES.iter().position(|rate| rate == step_rate).unwrap();
        let buffer = |flags, words: &[u32]| {
            let desc = BufferDesc::immutable(4 * words.len() as u32, flags);
            device.create_buffer(&desc, Some(bytemuck::cast_slice(words))).unwrap()
        };
        let (of_vertices, of_instances) = (
            buffer(BindFlags::VERTEX_BUFFER, &vertices.words),
            buffer(BindFlags::VERTEX_BUFFER, &instances.words),
        );
        cx.ia_set_input_layout(&shaders.layouts[rate]);
        cx.ia_set_vertex_buffers(
            0,
            &[
                (Some(of_vertices), vertices.stride, vertices.offset),
                (Some(of_instances), instances.stride, instances.offset),
            ][..],
        );
        cx.ia_set_primitive_topology(self.topology);
        cx.gs_set_constant_buffers(0, &buffer(BindFlags::CONSTANT_BUFFER, &[self.seed, 0, 0, 0]));
        let desc = BufferDesc {
            usage: Usage::Immutable,
            ..BufferDesc::structured(4, self.table.len() as u32, BindFlags::SHADER_RESOURCE)
        };
        let table = device.create_buffer(&desc, Some(bytemuck::cast_slice(&self.table))).unwrap();
        cx.gs_set_shader_resources(0, &table.create_shader_resource_view().unwrap());
        if let Some(indices) = &self.indices {
            let narrow = indices.values.iter().map(|index| *index as u16);
            let mut bytes: Vec<u8> = match indices.wide {
                true => bytemuck::cast_slice(&indices.values).to_vec(),
                false => bytemuck::pod_collect_to_vec(&narrow.collect::<Vec<_>>()),
            };
            let width = if indices.wide { 4 } else { 2 };
            let offset = self.index_offset * width;
            bytes.splice(0..0, vec![7; offset as usize]);
            let desc = BufferDesc::immutable(bytes.len() as u32, BindFlags::INDEX_BUFFER);
            let buffer = device.create_buffer(&desc, Some(&bytes)).unwrap();
            let format = if indices.wide { Format::R32_UINT } else { Format::R16_UINT };
            cx.ia_set_index_buffer(&buffer, format, offset);
        }
        for draw in &self.draws {
            let Arguments { count, start, base_vertex, instances, start_instance } = *draw;
            match (&self.indices, self.is_indirect) {
                (None, false) => cx.draw_instanced(count, instances, start, start_instance),
                (Some(_), false) => {
                    cx.draw_indexed_instanced(count, instances, start, base_vertex, start_instance);
                }
                (indices, true) => {
                    let mut words = vec![count, instances, start];
                    words.extend(indices.as_ref().map(|_| base_vertex as u32));
                    words.push(start_instance);
                    let desc = BufferDesc::indirect(4 * words.len() as u32, BindFlags::empty());
                    let arguments = device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap();
                    match indices {
                        None => cx.draw_instanced_indirect(&arguments, 0),
                        Some(_) => cx.draw_indexed_instanced_indirect(&arguments, 0),
                    }
                }
            }
            after(cx);
        }
    }

    /// Draws the primitives that the model expects.
    fn draw_expected(&self, device: &Device, shaders: &Shaders, program: &Program, cx: &mut DeviceContext) {
        let (indices, inputs) = (self.indices.as_ref(), &self.inputs);
        let expected = |arguments: &Arguments| {
            draw(program, self.topology, indices, inputs, arguments, self.seed, &self.table)
        };
        let vertices: Vec<_> = self.draws.iter().flat_map(expected).collect();
        if vertices.is_empty() {
            return;
        }
        let size = size_of_val(&*vertices) as u32;
        let desc = BufferDesc::immutable(size, BindFlags::VERTEX_BUFFER);
        let buffer = device.create_buffer(&desc, Some(bytemuck::cast_slice(&vertices))).unwrap();
        cx.vs_set_shader(&shaders.expected);
        cx.ia_set_input_layout(&shaders.expected_layout);
        cx.ia_set_vertex_buffers(0, &[(Some(buffer), size_of::<Vertex>() as u32, 0)][..]);
        cx.ia_set_primitive_topology(match program.stream {
            StreamTopology::Points => T::PointList,
            StreamTopology::LineStrips => T::LineList,
            StreamTopology::TriangleStrips => T::TriangleList,
        });
        cx.draw(vertices.len() as u32, 0);
    }
}

impl std::fmt::Display for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { topology, indices, index_offset, inputs, draws, cull, fill, is_indirect, .. } = self;
        write!(
            f,
            "{topology:?} {draws:?} {cull:?} {fill:?} indirect {is_indirect} rate {}",
            inputs.step_rate
        )?;
        write!(f, " vertices at {} by {}", inputs.vertices.offset, inputs.vertices.stride)?;
        match indices {
            Some(indices) => write!(f, " indices at {index_offset}: {indices:?}"),
            None => Ok(()),
        }
    }
}

/// Returns a random program. A few rounds have all kinds of programs.
pub(super) fn program(random: &mut Random, round: u64) -> Program {
    use InputPrimitive as I;
    let patch = I::Patch(random.range(1..33));
    let inputs = [I::Triangle, I::Point, I::TriangleAdjacency, I::Line, patch, I::LineAdjacency];
    Program {
        input: inputs[(round % 6) as usize],
        reads_numbers: (round / 6).is_multiple_of(2),
        cuts: (round / 12).is_multiple_of(2),
        stream: *random.pick(&STREAMS),
        max_vertex_count: if random.one_in(8) { random.range(1..40) } else { random.range(1..9) },
        instance_count: if random.one_in(3) { random.range(1..5) } else { 1 },
    }
}

pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// A device that executes geometry shaders in one of the ways that the driver has.
struct Machine {
    h: Harness,
    target: Target,
    shaders: Shaders,
}

impl Machine {
    fn start(config: Config) -> Option<Self> {
        let h = Harness::start(config)?;
        // Many draws read beyond their buffers.
        h.watch.allow(&[
            MessageId::DrawVertexBufferTooSmall,
            MessageId::DrawVertexStrideTooShort,
            MessageId::DrawVertexStrideZero,
            MessageId::DrawIndexBufferTooSmall,
        ]);
        let target = Target::with_format(&h.device, Format::R32_UINT, SIDE, SIDE);
        let shaders = Shaders::new(&h.device);
        Some(Self { h, target, shaders })
    }

    /// Draws the scenes with a geometry shader.
    fn draw(&mut self, program: &Program, scenes: &[Scene], how: CommandPath) -> Vec<u32> {
        let Self { h, target, shaders } = self;
        let device = h.device.clone();
        let gs = create(&device, program);
        let texels = picture(h, target, how, scenes, |scene, cx| {
            cx.vs_set_shader(&shaders.vs[usize::from(program.reads_numbers)]);
            cx.gs_set_shader(&gs);
            cx.ps_set_shader(&shaders.ps);
            scene.draw(&device, shaders, cx);
        });
        h.assert_silent();
        texels
    }

    /// Draws the primitives that the model expects.
    fn draw_expected(&mut self, program: &Program, scenes: &[Scene]) -> Vec<u32> {
        let Self { h, target, shaders } = self;
        let device = h.device.clone();
        picture(h, target, CommandPath::Immediate, scenes, |scene, cx| {
            cx.ps_set_shader(&shaders.ps);
            scene.draw_expected(&device, shaders, program, cx);
        })
    }

    fn finish(self) -> Statistics {
        let Self { h, target, shaders } = self;
        let statistics = h.device.statistics();
        drop((target, shaders));
        h.finish();
        statistics
    }
}

/// Draws all scenes into a target, each into its cell, and returns the texels.
fn picture(
    h: &mut Harness,
    target: &Target,
    how: CommandPath,
    scenes: &[Scene],
    draw: impl Fn(&Scene, &mut DeviceContext),
) -> Vec<u32> {
    let states = scenes.iter().map(|scene| {
        let desc =
            RasterizerDesc { cull_mode: scene.cull, fill_mode: scene.fill, ..RasterizerDesc::default() };
        h.device.create_rasterizer_state(&desc).unwrap()
    });
    let states: Vec<_> = states.collect();
    h.record(how, |cx| {
        cx.clear_render_target_view(&target.view, [0.0; 4]);
        for (cell, scene) in (0..).zip(scenes) {
            cx.om_set_render_targets(&target.view, None);
            let (x, y) = (cell % COLUMNS * CELL, cell / COLUMNS * CELL);
            cx.rs_set_viewports(Viewport {
                top_left_x: x as f32,
                top_left_y: y as f32,
                ..Viewport::sized(CELL as f32, CELL as f32)
            });
            cx.rs_set_state(&states[cell as usize]);
            draw(scene, cx);
        }
    });
    target.read(h)
}

#[test]
fn random_draws_match_the_model() {
    let (seed, draws) = (setting("ONZE_GEOMETRY_SEED", 1), setting("ONZE_GEOMETRY_DRAWS", 1536));
    println!("ONZE_GEOMETRY_SEED={seed} ONZE_GEOMETRY_DRAWS={draws}");
    // The memory of the last form is enough for some draws of a round.
    let stored = Config::GPU.with_stored_geometry();
    let forms = [
        Config { stored_geometry: StoredGeometry::Off, ..Config::GPU },
        stored,
        Config { geometry_memory: Some(64 << 10), ..stored },
    ];
    let Some(mut machines) = forms.into_iter().map(Machine::start).collect::<Option<Vec<_>>>() else {
        return;
    };
    for round in 0..draws.div_ceil(CELLS.into()) {
        let mut random = Random::new(seed + round);
        let program = program(&mut random, seed + round);
        let shapes: Vec<_> = (0..SHAPES).map(|_| Shape::new(&mut random, program.input)).collect();
        let scenes: Vec<_> =
            (0..CELLS as usize).map(|cell| Scene::new(&mut random, &shapes[cell % SHAPES])).collect();
        let how = *random.pick(&CommandPath::ALL);
        let wanted = machines[0].draw_expected(&program, &scenes);
        for machine in &mut machines {
            let found = machine.draw(&program, &scenes, how);
            for (cell, scene) in (0..).zip(&scenes) {
                let of_cell = |texels: &[u32]| {
                    let (x, y) = (cell % COLUMNS * CELL, cell / COLUMNS * CELL);
                    let row = |row| &texels[((y + row) * SIDE + x) as usize..][..CELL as usize];
                    (0..CELL).flat_map(row).copied().collect::<Vec<_>>()
                };
                let (found, wanted) = (of_cell(&found), of_cell(&wanted));
                let different = found.iter().zip(&wanted).filter(|(a, b)| a != b).count();
                let (config, seed) = (machine.h.config, seed + round);
                assert_eq!(different, 0, "seed {seed}, draw {cell}, {how:?}, {config}, {program:?}: {scene}");
            }
        }
    }
    let [inline, stored, few] = [0; 3].map(|_| machines.remove(0).finish().draws_stored);
    println!("draws with stored vertices: {stored}, and {few} with little memory");
    assert!(inline == 0 && few > 0 && few < stored, "{inline}, {few}, {stored}");
}
