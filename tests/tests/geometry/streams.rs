//! Random draws with stream output, compared with the vertices that the model expects.
//!
//! `ONZE_STREAMS_SEED` sets the seed, and `ONZE_STREAMS_DRAWS` the number of draws.

use std::fmt;

use onze::{InputPrimitive, SoStatistics, StreamOutputBinding, TypedQuery, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Random, Target};

use super::{
    model::{self, Arguments, Program},
    random::{CELL, Scene, Shape, program, setting},
    shaders::{Shaders, create, source},
};

/// Draws of a round, and their shapes.
const SCENES: u32 = 16;
const SHAPES: usize = 4;

/// A word of a buffer that no draw writes.
pub(crate) const UNTOUCHED: u32 = 0xdead_beef;

/// Components of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The number of the output, or `None` for a gap.
    output: Option<usize>,
    start: u32,
    count: u32,
}

/// The outputs of a shader: a semantic and the number of components.
pub(crate) type Outputs = &'static [(&'static str, u32)];

pub(crate) const OF_GEOMETRY: Outputs = &[("SV_Position", 4), ("COLOR", 1), ("SHADE", 1)];
const OF_VERTEX: Outputs = &[("KEY", 1)];

/// The parts of a vertex in each slot, with the stride.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) outputs: Outputs,
    pub(crate) slots: Vec<(Vec<Part>, u32)>,
}

impl Declaration {
    pub(crate) fn new(random: &mut Random, outputs: Outputs) -> Self {
        let mut slots = vec![Vec::new(); random.range(1..5) as usize];
        let mut order: Vec<_> = (0..outputs.len()).collect();
        random.shuffle(&mut order);
        for output in order {
            let (_, components) = outputs[output];
            let start = random.below(components);
            let count = random.range(1..components - start + 1);
            let slot = random.below(slots.len() as u32) as usize;
            if random.one_in(4) {
                slots[slot].push(Part { output: None, start: 0, count: random.range(1..4) });
            }
            slots[slot].push(Part { output: Some(output), start, count });
        }
        // A slot has at least one output.
        while slots.last().is_some_and(Vec::is_empty) {
            slots.pop();
        }
        let slots = slots.into_iter().map(|parts| {
            let size: u32 = parts.iter().map(|part| 4 * part.count).sum();
            let padding = if random.one_in(3) { 4 * random.below(3) } else { 0 };
            (parts, if size == 0 { 0 } else { size + padding })
        });
        Self { outputs, slots: slots.collect() }
    }

    pub(crate) fn entries(&self) -> Vec<SoDeclarationEntry> {
        let of_slot = |(slot, (parts, _)): (u8, &(Vec<Part>, u32))| {
            let entry = |part: &Part| {
                let entry = match part.output {
                    None => SoDeclarationEntry::gap(part.count as u8),
                    Some(output) => SoDeclarationEntry::new(self.outputs[output].0, 0, part.count as u8)
                        .start_component(part.start as u8),
                };
                entry.slot(slot)
            };
            parts.iter().map(entry).collect::<Vec<_>>()
        };
        (0..).zip(&self.slots).flat_map(of_slot).collect()
    }

    pub(crate) fn strides(&self) -> Vec<u32> {
        self.slots.iter().map(|(_, stride)| *stride).collect()
    }

    /// Returns the words of a vertex in a slot, with `None` for unchanged words.
    fn words(&self, slot: usize, vertex: &[u32]) -> Vec<Option<u32>> {
        let (parts, stride) = &self.slots[slot];
        let first_word =
            |output: usize| self.outputs[..output].iter().map(|(_, count)| *count as usize).sum::<usize>();
        let of_part = |part: &Part| match part.output {
            None => vec![None; part.count as usize],
            Some(output) => {
                let first = first_word(output) + part.start as usize;
                vertex[first..first + part.count as usize].iter().map(|word| Some(*word)).collect()
            }
        };
        let mut words: Vec<_> = parts.iter().flat_map(of_part).collect();
        words.resize(*stride as usize / 4, None);
        words
    }
}

/// A buffer of stream output, as the model sees it.
#[derive(Clone, Debug)]
pub(crate) struct ModelTarget {
    pub(crate) words: Vec<u32>,
    pub(crate) filled: u32,
}

impl ModelTarget {
    /// Returns the number of elements that fit.
    fn room(&self, bytes: u32) -> u32 {
        (4 * self.words.len() as u32).saturating_sub(self.filled) / bytes
    }

    fn write(&mut self, words: &[Option<u32>]) {
        for (at, word) in (self.filled as usize / 4..).zip(words) {
            if let Some(word) = word {
                self.words[at] = *word;
            }
        }
        self.filled += 4 * words.len() as u32;
    }
}

/// Writes the primitives of a draw, and returns the numbers of written and needed primitives.
pub(crate) fn write(
    declaration: &Declaration,
    targets: &mut [Option<ModelTarget>],
    vertices: &[Vec<u32>],
    corners: u32,
) -> (u64, u64) {
    let needed = vertices.len() as u32 / corners;
    let used = |slot: &usize| !declaration.slots[*slot].0.is_empty();
    let slots: Vec<_> = (0..declaration.slots.len()).filter(used).collect();
    let room = |slot: &usize| {
        let bytes = corners * declaration.slots[*slot].1;
        targets[*slot].as_ref().map_or(0, |target| target.room(bytes))
    };
    let written = slots.iter().map(room).min().unwrap().min(needed);
    for vertex in &vertices[..(written * corners) as usize] {
        for slot in &slots {
            targets[*slot].as_mut().unwrap().write(&declaration.words(*slot, vertex));
        }
    }
    (written.into(), needed.into())
}

/// A target of a scene: its size in words, and the offset of its binding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetDesc {
    pub(crate) words: u32,
    pub(crate) offset: Option<u32>,
}

/// A scene whose draws write to buffers.
struct Case {
    scene: Scene,
    /// The targets, with `None` for missing ones.
    targets: Vec<Option<TargetDesc>>,
    /// The targets are bound again after each draw.
    binds_again: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} again {} {}", self.targets, self.binds_again, self.scene)
    }
}

/// A shader with stream output.
struct Capture {
    program: Program,
    declaration: Declaration,
    /// The results of the vertex shader are written.
    is_vertex: bool,
    is_rasterized: bool,
}

impl Capture {
    fn new(random: &mut Random, round: u64) -> Self {
        let is_vertex = random.one_in(3);
        let outputs = if is_vertex { OF_VERTEX } else { OF_GEOMETRY };
        Self {
            program: program(random, round),
            declaration: Declaration::new(random, outputs),
            is_vertex,
            is_rasterized: !is_vertex && random.one_in(2),
        }
    }

    fn shader(&self, device: &Device, shaders: &Shaders) -> GeometryShader {
        let (entries, strides) = (self.declaration.entries(), self.declaration.strides());
        let rasterized = self.is_rasterized.then_some(0);
        let created = if self.is_vertex {
            let vs = &shaders.vs[usize::from(self.program.reads_numbers)];
            device.create_geometry_shader_with_stream_output(vs, &entries, &strides, rasterized)
        } else {
            let text = source(&self.program);
            let source = ShaderSource::hlsl(text.as_str(), "main");
            device.create_geometry_shader_with_stream_output(source, &entries, &strides, rasterized)
        };
        created.unwrap_or_else(|error| panic!("{:?}: {error}", self.declaration))
    }

    fn corners(&self, scene: &Scene) -> u32 {
        use onze::StreamTopology as S;
        if !self.is_vertex {
            return match self.program.stream {
                S::Points => 1,
                S::LineStrips => 2,
                S::TriangleStrips => 3,
            };
        }
        match self.plain_input(scene) {
            InputPrimitive::Patch(_) => 1,
            input => input.vertex_count(),
        }
    }

    /// Returns the primitive that a draw without a geometry shader writes.
    fn plain_input(&self, scene: &Scene) -> InputPrimitive {
        use InputPrimitive as I;
        [I::Point, I::Line, I::Triangle]
            .into_iter()
            .find(|input| input.accepts(scene.topology))
            .unwrap_or(self.program.input)
    }

    /// Returns the words of all vertices that a draw writes if the buffers are large enough.
    fn vertices(&self, scene: &Scene, arguments: &Arguments) -> Vec<Vec<u32>> {
        let (indices, inputs) = (scene.indices.as_ref(), &scene.inputs);
        if self.is_vertex {
            let program = Program { input: self.plain_input(scene), ..self.program };
            let keys = model::keys(&program, scene.topology, indices, inputs, arguments);
            return keys.into_iter().map(|key| vec![key]).collect();
        }
        let (seed, table) = (scene.seed, &scene.table);
        let all = model::draw(&self.program, scene.topology, indices, inputs, arguments, seed, table);
        all.iter().map(|vertex| bytemuck::pod_collect_to_vec(bytemuck::bytes_of(vertex))).collect()
    }

    fn case(&self, random: &mut Random, shape: &Shape) -> Case {
        let scene = Scene::new(random, shape);
        let vertices: usize = scene.draws.iter().map(|draw| self.vertices(&scene, draw).len()).sum();
        let target = |(parts, stride): &(Vec<Part>, u32)| {
            if parts.is_empty() || random.one_in(12) {
                return None;
            }
            let all = vertices as u32 * stride / 4;
            let offset = random.one_in(2).then(|| 4 * random.below(8));
            let room = if random.one_in(3) { random.below(all + 2) } else { all + random.below(9) };
            Some(TargetDesc { words: (room + offset.unwrap_or(0) / 4).max(1), offset })
        };
        let targets = self.declaration.slots.iter().map(target).collect();
        Case { scene, targets, binds_again: random.one_in(3) }
    }
}

fn create_targets(device: &Device, case: &Case) -> Vec<Option<Buffer>> {
    let create = |desc: &Option<TargetDesc>| {
        let TargetDesc { words, .. } = (*desc)?;
        let contents = vec![UNTOUCHED; words as usize];
        let desc = BufferDesc::new(4 * words, BindFlags::STREAM_OUTPUT);
        Some(device.create_buffer(&desc, Some(bytemuck::cast_slice(&contents))).unwrap())
    };
    case.targets.iter().map(create).collect()
}

#[test]
fn random_streams_match_the_model() {
    let (seed, draws) = (setting("ONZE_STREAMS_SEED", 1), setting("ONZE_STREAMS_DRAWS", 320));
    println!("ONZE_STREAMS_SEED={seed} ONZE_STREAMS_DRAWS={draws}");
    let Some(mut h) = Harness::start(Config::GPU) else { return };
    h.watch.allow(&[
        MessageId::DrawVertexBufferTooSmall,
        MessageId::DrawVertexStrideTooShort,
        MessageId::DrawVertexStrideZero,
        MessageId::DrawIndexBufferTooSmall,
        MessageId::DrawStreamTargetNotSet,
    ]);
    let [target, expected] = [0; 2].map(|_| Target::with_format(&h.device, Format::R32_UINT, CELL, CELL));
    let shaders = Shaders::new(&h.device);
    let device = h.device.clone();
    let (mut all_written, mut overflows) = (0, 0);
    for round in 0..draws.div_ceil(SCENES.into()) {
        let seed = seed + round;
        let mut random = Random::new(seed);
        let capture = Capture::new(&mut random, seed);
        let stream_shader = capture.shader(&device, &shaders);
        let plain = (!capture.is_vertex).then(|| create(&device, &capture.program));
        let shapes = [0; SHAPES].map(|_| Shape::new(&mut random, capture.program.input));
        for number in 0..SCENES {
            let case = capture.case(&mut random, &shapes[number as usize % SHAPES]);
            let how = *random.pick(&CommandPath::ALL);
            let what = format!(
                "seed {seed}, scene {number}, {how:?}, {:?}, {:?}, vertex {}: {case}",
                capture.declaration, capture.program, capture.is_vertex
            );
            let buffers = create_targets(&device, &case);
            let statistics: TypedQuery<SoStatistics> = device.create_so_statistics_query(Some(0)).unwrap();
            let overflow = device.create_so_overflow_predicate(None).unwrap();
            let begin = |cx: &mut DeviceContext, target: &Target| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.om_set_render_targets(&target.view, None);
                cx.rs_set_viewports(Viewport::sized(CELL as f32, CELL as f32));
                cx.vs_set_shader(&shaders.vs[usize::from(capture.program.reads_numbers)]);
                cx.ps_set_shader(capture.is_rasterized.then_some(&shaders.ps));
            };
            h.record(how, |cx| {
                begin(cx, &target);
                cx.gs_set_shader(&stream_shader);
                let bindings = |is_first: bool| -> Vec<_> {
                    let binding = |(buffer, desc): (&Option<Buffer>, &Option<TargetDesc>)| {
                        let offset = desc.and_then(|desc| desc.offset).filter(|_| is_first);
                        let offset = offset.unwrap_or(StreamOutputBinding::APPEND);
                        buffer.as_ref().map(|buffer| (buffer.clone(), offset))
                    };
                    buffers.iter().zip(&case.targets).map(binding).collect()
                };
                let bind = |cx: &mut DeviceContext, is_first: bool| {
                    let all = bindings(is_first);
                    let all: Vec<_> = all
                        .iter()
                        .map(|bound| {
                            bound.as_ref().map(|(buffer, offset)| StreamOutputBinding::new(buffer, *offset))
                        })
                        .collect();
                    cx.so_set_targets(&all);
                };
                bind(cx, true);
                cx.begin(&statistics);
                cx.begin(&overflow);
                case.scene.draw_with(&device, &shaders, cx, |cx| {
                    if case.binds_again {
                        cx.so_set_targets(None);
                        bind(cx, false);
                    }
                });
                cx.end(&overflow);
                cx.end(&statistics);
            });
            let mut model: Vec<_> = case
                .targets
                .iter()
                .map(|desc| {
                    desc.map(|TargetDesc { words, offset }| ModelTarget {
                        words: vec![UNTOUCHED; words as usize],
                        filled: offset.unwrap_or(0),
                    })
                })
                .collect();
            let (mut written, mut needed) = (0, 0);
            for arguments in &case.scene.draws {
                let vertices = capture.vertices(&case.scene, arguments);
                let counts = write(&capture.declaration, &mut model, &vertices, capture.corners(&case.scene));
                (written, needed) = (written + counts.0, needed + counts.1);
            }
            for (slot, (buffer, model)) in buffers.iter().zip(&model).enumerate() {
                let (Some(buffer), Some(model)) = (buffer, model) else { continue };
                let found: Vec<u32> = h.immediate.read_buffer(buffer).unwrap();
                let first = found.iter().zip(&model.words).position(|(found, wanted)| found != wanted);
                assert_eq!(first, None, "slot {slot}: {found:x?} {:x?}, {what}", model.words);
            }
            let expected_statistics =
                SoStatistics { num_primitives_written: written, primitives_storage_needed: needed };
            let found =
                onze_tests::wait_for("the statistics", || h.immediate.get_data(&statistics, false).unwrap());
            assert_eq!(found, expected_statistics, "{what}");
            let found =
                onze_tests::wait_for("the predicate", || h.immediate.get_data(&overflow, false).unwrap());
            assert_eq!(found, written != needed, "{what}");
            (all_written, overflows) = (all_written + written, overflows + u64::from(found));
            if capture.is_rasterized {
                h.record(CommandPath::Immediate, |cx| {
                    begin(cx, &expected);
                    cx.gs_set_shader(plain.as_ref());
                    case.scene.draw_with(&device, &shaders, cx, |_| {});
                });
                assert!(target.read(&mut h) == expected.read(&mut h), "the picture of {what}");
            } else {
                assert!(target.read(&mut h).iter().all(|texel| *texel == 0), "the picture of {what}");
            }
            h.assert_silent();
        }
    }
    assert!(
        all_written > 2 * draws && overflows > draws / 8,
        "{all_written} primitives, {overflows} overflows"
    );
    drop((target, expected, shaders));
    h.finish();
}
