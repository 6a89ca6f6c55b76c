//! Random draws of patches, compared with the model: streams, statistics and pictures.
//!
//! `ONZE_TESSELLATION_SEED` sets the seed, and `ONZE_TESSELLATION_DRAWS` the number of draws.

use onze::{PipelineStatistics, SoStatistics, TypedQuery, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Random, Target, wait_for};

use super::{
    chain_shaders::{ChainShaders, OtherShaders},
    chains::{Chain, Drawn},
    scenes::{Scene, Shape},
};
use crate::geometry::{
    random::setting,
    shaders::source,
    streams::{Declaration, ModelTarget, OF_GEOMETRY, Outputs, TargetDesc, UNTOUCHED, write},
};

/// Scenes of a round, each in a separate cell of the target.
const SCENES: u32 = 16;
const COLUMNS: u32 = 4;
const CELL: u32 = 16;
const SIDE: u32 = COLUMNS * CELL;
/// Shapes of a round's scenes.
const SHAPES: usize = 4;

const OF_DOMAIN: Outputs = &[("SV_Position", 4), ("COLOR", 1), ("SHADE", 1), ("DATA", 4)];

/// A round: scenes that are drawn with the same shaders.
struct Round {
    chain: Chain,
    declaration: Option<Declaration>,
    is_rasterized: bool,
    scenes: Vec<(Scene, Vec<Drawn>)>,
    how: CommandPath,
}

impl Round {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let chain = Chain::new(&mut random, seed);
        let outputs = if chain.geometry.is_some() { OF_GEOMETRY } else { OF_DOMAIN };
        let declaration = (!random.one_in(4)).then(|| Declaration::new(&mut random, outputs));
        let shapes = [0; SHAPES].map(|_| Shape::new(&mut random));
        let scene = |number: u32| {
            Scene::new(&mut random, &shapes[number as usize % SHAPES], &chain, declaration.as_ref())
        };
        let scenes = (0..SCENES).map(scene).collect();
        let is_rasterized = declaration.is_none() || random.one_in(2);
        Self { is_rasterized, scenes, how: *random.pick(&CommandPath::ALL), chain, declaration }
    }

    fn shaders(&self, device: &Device) -> ChainShaders {
        let mut shaders = ChainShaders::new(device, &self.chain);
        let Some(declaration) = &self.declaration else { return shaders };
        let (entries, strides) = (declaration.entries(), declaration.strides());
        let rasterized = self.is_rasterized.then_some(0);
        let created = match &self.chain.geometry {
            None => {
                device.create_geometry_shader_with_stream_output(&shaders.ds, &entries, &strides, rasterized)
            }
            Some(program) => {
                let text = source(program);
                let source = ShaderSource::hlsl(text.as_str(), "main");
                device.create_geometry_shader_with_stream_output(source, &entries, &strides, rasterized)
            }
        };
        shaders.gs = Some(created.unwrap_or_else(|error| panic!("{declaration:?}: {error}")));
        shaders
    }

    /// Returns the expected contents of a scene's buffers, and the numbers of written and needed primitives.
    fn streams(&self, scene: &Scene, results: &[Drawn]) -> (Vec<Option<Vec<u32>>>, SoStatistics) {
        let target = |desc: &Option<TargetDesc>| {
            desc.map(|TargetDesc { words, offset }| ModelTarget {
                words: vec![UNTOUCHED; words as usize],
                filled: offset.unwrap_or(0),
            })
        };
        let mut targets: Vec<_> = scene.targets.iter().map(target).collect();
        let mut sums = SoStatistics::default();
        if let Some(declaration) = &self.declaration {
            for drawn in results {
                let vertices: Vec<_> = drawn.vertices.iter().map(super::chains::Vertex::words).collect();
                let (written, needed) = write(declaration, &mut targets, &vertices, self.chain.corners());
                sums.num_primitives_written += written;
                sums.primitives_storage_needed += needed;
            }
        }
        (targets.into_iter().map(|target| target.map(|target| target.words)).collect(), sums)
    }

    /// Returns the expected statistics, without those of the rasterizer after the clipper.
    fn statistics(&self, scene: &Scene, results: &[Drawn]) -> PipelineStatistics {
        let mut sums = PipelineStatistics::default();
        for (arguments, drawn) in scene.draws.iter().zip(results) {
            let vertices = u64::from(arguments.count) * u64::from(arguments.instances);
            sums.ia_vertices += vertices;
            sums.vs_invocations += vertices;
            sums.ia_primitives += drawn.patches;
            sums.hs_invocations += drawn.patches;
            sums.ds_invocations += drawn.domain_points;
            let primitives = drawn.vertices.len() as u64 / u64::from(self.chain.corners());
            if let Some(program) = &self.chain.geometry {
                sums.gs_invocations += drawn.domain_primitives * u64::from(program.instance_count);
                sums.gs_primitives += primitives;
            }
            sums.c_invocations += if self.is_rasterized { primitives } else { 0 };
        }
        sums
    }
}

/// The results of a scene on a device.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    buffers: Vec<Option<Vec<u32>>>,
    statistics: Option<PipelineStatistics>,
    streams: Option<(SoStatistics, bool)>,
    texels: Vec<u32>,
}

/// The queries of a scene.
struct Queries {
    statistics: Option<TypedQuery<PipelineStatistics>>,
    streams: Option<(TypedQuery<SoStatistics>, TypedQuery<bool>)>,
}

/// A device that tessellates in one of the ways that the driver has.
struct Machine {
    h: Harness,
    target: Target,
    others: OtherShaders,
}

impl Machine {
    fn start(config: Config) -> Option<Self> {
        let h = Harness::start(config)?;
        h.watch.allow(&[
            MessageId::DrawVertexBufferTooSmall,
            MessageId::DrawVertexStrideTooShort,
            MessageId::DrawVertexStrideZero,
            MessageId::DrawIndexBufferTooSmall,
            MessageId::DrawStreamTargetNotSet,
        ]);
        let target = Target::with_format(&h.device, Format::R32_UINT, SIDE, SIDE);
        let others = OtherShaders::new(&h.device);
        Some(Self { h, target, others })
    }

    fn states(&self, round: &Round) -> Vec<RasterizerState> {
        let state = |(scene, _): &(Scene, Vec<Drawn>)| {
            let desc =
                RasterizerDesc { cull_mode: scene.cull, fill_mode: scene.fill, ..RasterizerDesc::default() };
            self.h.device.create_rasterizer_state(&desc).unwrap()
        };
        round.scenes.iter().map(state).collect()
    }

    fn run(&mut self, round: &Round) -> Vec<Found> {
        let device = self.h.device.clone();
        let memory = self.h.config.geometry_memory;
        let shaders = round.shaders(&device);
        let states = self.states(round);
        let query = |(scene, _): &(Scene, Vec<Drawn>)| Queries {
            statistics: scene.has_statistics.then(|| device.create_pipeline_statistics_query().unwrap()),
            streams: round.declaration.is_some().then(|| {
                let statistics = device.create_so_statistics_query(Some(0)).unwrap();
                (statistics, device.create_so_overflow_predicate(None).unwrap())
            }),
        };
        let queries: Vec<_> = round.scenes.iter().map(query).collect();
        let buffers: Vec<_> = round.scenes.iter().map(|(scene, _)| scene.create_targets(&device)).collect();
        let Self { h, target, others } = self;
        h.record(round.how, |cx| {
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            for (cell, (scene, _)) in round.scenes.iter().enumerate() {
                begin_cell(cx, target, cell, &states[cell]);
                cx.ps_set_shader(
                    round.is_rasterized.then(|| &others.ps[usize::from(round.chain.pixel_reads_number)]),
                );
                let Queries { statistics, streams } = &queries[cell];
                statistics.iter().for_each(|query| cx.begin(query));
                if let Some((statistics, overflow)) = streams {
                    cx.begin(statistics);
                    cx.begin(overflow);
                }
                let all = (&round.chain, &shaders, &*others);
                scene.draw(&device, cx, all, &buffers[cell], memory);
                if let Some((statistics, overflow)) = streams {
                    cx.end(overflow);
                    cx.end(statistics);
                }
                statistics.iter().for_each(|query| cx.end(query));
            }
        });
        let texels = target.read(h);
        let mut found = Vec::new();
        for (cell, (queries, buffers)) in queries.iter().zip(&buffers).enumerate() {
            let read = |buffer: &Option<Buffer>| {
                buffer.as_ref().map(|buffer| h.immediate.read_buffer(buffer).unwrap())
            };
            let buffers = buffers.iter().map(read).collect();
            let statistics = queries.statistics.as_ref().map(|query| {
                let found = wait_for("the statistics", || h.immediate.get_data(query, false).unwrap());
                // llvmpipe counts culled triangles unless another triangle of the draw is clipped.
                PipelineStatistics { c_primitives: 0, ..found }
            });
            let streams = queries.streams.as_ref().map(|(statistics, overflow)| {
                (
                    wait_for("the statistics", || h.immediate.get_data(statistics, false).unwrap()),
                    wait_for("the predicate", || h.immediate.get_data(overflow, false).unwrap()),
                )
            });
            found.push(Found { buffers, statistics, streams, texels: of_cell(&texels, cell) });
        }
        h.assert_silent();
        found
    }

    /// Returns the picture of the primitives that the model expects.
    fn expected(&mut self, round: &Round) -> Vec<u32> {
        let device = self.h.device.clone();
        let states = self.states(round);
        let Self { h, target, others } = self;
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            for (cell, (scene, results)) in round.scenes.iter().enumerate().filter(|_| round.is_rasterized) {
                begin_cell(cx, target, cell, &states[cell]);
                cx.ps_set_shader(&others.expected_ps[usize::from(round.chain.pixel_reads_number)]);
                scene.draw_expected(&device, cx, (&round.chain, &*others), results);
            }
        });
        target.read(h)
    }

    fn finish(self) -> Statistics {
        let Self { h, target, others } = self;
        let statistics = h.device.statistics();
        drop((target, others));
        h.finish();
        statistics
    }
}

fn begin_cell(cx: &mut DeviceContext, target: &Target, cell: usize, state: &RasterizerState) {
    cx.om_set_render_targets(&target.view, None);
    let (x, y) = (cell as u32 % COLUMNS * CELL, cell as u32 / COLUMNS * CELL);
    cx.rs_set_viewports(Viewport {
        top_left_x: x as f32,
        top_left_y: y as f32,
        ..Viewport::sized(CELL as f32, CELL as f32)
    });
    cx.rs_set_state(state);
}

/// Returns the texels of a cell.
fn of_cell(texels: &[u32], cell: usize) -> Vec<u32> {
    let (x, y) = (cell as u32 % COLUMNS * CELL, cell as u32 / COLUMNS * CELL);
    let row = |row| &texels[((y + row) * SIDE + x) as usize..][..CELL as usize];
    (0..CELL).flat_map(row).copied().collect()
}

/// The devices, which execute every draw in other ways.
fn machines() -> Option<Vec<Machine>> {
    let forms = [
        Config::GPU,
        Config { geometry_memory: Some(64 << 10), ..Config::GPU },
        Config { geometry_memory: Some(0), ..Config::GPU },
        Config { workers: 0, page_draws: Some(1), ..Config::GPU }.by_index().with_stored_geometry(),
    ];
    forms.into_iter().map(Machine::start).collect()
}

#[test]
fn random_chains_match_the_model() {
    let (seed, draws) = (setting("ONZE_TESSELLATION_SEED", 1), setting("ONZE_TESSELLATION_DRAWS", 192));
    println!("ONZE_TESSELLATION_SEED={seed} ONZE_TESSELLATION_DRAWS={draws}");
    let Some(mut machines) = machines() else { return };
    let (mut primitives, mut written, mut overflows, mut texels) = (0, 0, 0, 0);
    for round in 0..draws.div_ceil(SCENES.into()) {
        let seed = seed + round;
        let round = Round::new(seed);
        let expected = machines[0].expected(&round);
        texels += expected.iter().filter(|texel| **texel != 0).count();
        let mut others: Option<Vec<Found>> = None;
        for machine in &mut machines {
            let found = machine.run(&round);
            for (cell, (scene, results)) in round.scenes.iter().enumerate() {
                let found = &found[cell];
                let what = || {
                    format!(
                        "seed {seed}, scene {cell}, {:?}, {}, {:?}, {:?}, rasterized {}: {scene}",
                        round.how, machine.h.config, round.chain, round.declaration, round.is_rasterized
                    )
                };
                let (buffers, sums) = round.streams(scene, results);
                for (slot, (found, wanted)) in found.buffers.iter().zip(&buffers).enumerate() {
                    let (Some(found), Some(wanted)) = (found, wanted) else { continue };
                    let first = found.iter().zip(wanted).position(|(found, wanted)| found != wanted);
                    if let Some(at) = first {
                        let near = |words: &[u32]| words[at..words.len().min(at + 12)].to_vec();
                        panic!("slot {slot} at {at}: {:x?} {:x?}, {}", near(found), near(wanted), what());
                    }
                }
                if let Some(found) = found.streams {
                    let overflow = sums.num_primitives_written != sums.primitives_storage_needed;
                    assert_eq!(found, (sums, overflow), "{}", what());
                    written += sums.num_primitives_written;
                    overflows += u64::from(overflow);
                }
                if let Some(found) = found.statistics {
                    let wanted = PipelineStatistics {
                        ps_invocations: found.ps_invocations,
                        ..round.statistics(scene, results)
                    };
                    assert_eq!(found, wanted, "{}", what());
                }
                let wanted = of_cell(&expected, cell);
                let different = found.texels.iter().zip(&wanted).filter(|(a, b)| a != b).count();
                assert_eq!(different, 0, "texels, {}", what());
                if let Some(others) = &others {
                    // The numbers of pixels are compared as well.
                    assert!(found == &others[cell], "{found:?} {:?}, {}", others[cell], what());
                }
                primitives += results.iter().map(|drawn| drawn.domain_primitives).sum::<u64>();
            }
            others.get_or_insert(found);
        }
    }
    println!("{primitives} primitives, {written} written, {overflows} overflows, {texels} texels");
    assert!(
        primitives > 20 * draws && written > draws && overflows > draws / 16,
        "there is too little to compare"
    );
    assert!(texels as u64 > draws, "there is too little to see");
    machines.into_iter().for_each(|machine| {
        machine.finish();
    });
}
