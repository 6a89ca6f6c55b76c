//! Pipeline replicas: the threads that use them, the run from which they are used, and draws that do not wait
//! for them.

use std::sync::Arc;

use onze_ddi::{Format, PrimitiveTopology, ShaderStage};

use super::scene::{Bench, COVER, Recording, TINT, WHITE, color};
use crate::{
    encode::{
        WorkerCaches,
        compiler::tests::{Busy, wait_until},
        run::EncodeStats,
    },
    objects::{allocator::Storage, resource::Resource, shader::Shader, view::View},
    record::{
        command::{Bind, Command, ViewFormat},
        page::InstancedDraw,
    },
    services::policy::{ByIndexPolicy, Policy, tests::with_policy},
};

const TRIANGLES: PrimitiveTopology = PrimitiveTopology::TriangleList;
const STRIP: PrimitiveTopology = PrimitiveTopology::TriangleStrip;
const LINES: PrimitiveTopology = PrimitiveTopology::LineList;

/// Number of runs, which is more than draws need before they use replicas.
const ENOUGH: u32 = 200;

/// Draws a triangle in the colour of a constant buffer. The test's thread acts as a worker, so it compiles
/// pipelines that it would wait for.
struct Scene {
    bench: Bench,
    shaders: [Arc<Shader>; 2],
    tint: Arc<Storage>,
    target: Arc<Resource>,
    view: Arc<View>,
}

impl Scene {
    fn new(uses_replica: bool) -> Option<Self> {
        let mut bench = Bench::new()?;
        bench.device.encoding.compilers.open(1);
        bench.caches.uses_replica = uses_replica;
        bench.caches.may_compile = true;
        let target = bench.target(Format::R8G8B8A8_UNORM, 4, 4);
        let shaders = [bench.vertex(COVER), bench.pixel(TINT)];
        let tint = bench.buffer(&color([0.0, 1.0, 0.0, 1.0]));
        let view = bench.rtv(&target, Format::R8G8B8A8_UNORM);
        Some(Self { bench, shaders, tint, target, view })
    }

    /// Creates a scene whose draws with the first topology already use replicas.
    fn with_replica() -> Option<Self> {
        let mut scene = Self::new(true)?;
        scene.draw(1, &[TRIANGLES]);
        scene.use_replicas(&[TRIANGLES]);
        Some(scene)
    }

    /// Returns a page that binds everything for the draws except the topology.
    fn page(&self) -> Recording {
        let mut page = Recording::default();
        page.clear(&self.view, [1.0, 0.0, 0.0, 1.0]).targets(&[Some(&self.view)], None);
        page.shaders(&self.shaders[0], Some(&self.shaders[1]));
        page.constants(ShaderStage::Pixel, &self.tint, 0, 16);
        page
    }

    /// Encodes the command once for each topology. Draws with the first topology cover the target.
    fn run(&mut self, topologies: &[PrimitiveTopology], command: Command) -> EncodeStats {
        let mut page = self.page();
        for topology in topologies {
            page.push(Bind::Topology(*topology)).push(command);
        }
        self.bench.run(vec![page])
    }

    /// Draws in `runs` runs, and returns the number of pipelines that the draws waited for.
    fn draw(&mut self, runs: u32, topologies: &[PrimitiveTopology]) -> u32 {
        let waits = (0..runs).map(|n| {
            let stats = self.run(topologies, Command::Draw { vertex_count: 3, start_vertex: 0 });
            assert_eq!(stats.draws, topologies.len() as u32);
            if n % 50 == 0 {
                self.assert_drawn();
            }
            stats.pipeline_compilations
        });
        waits.sum()
    }

    fn assert_drawn(&self) {
        assert_eq!(self.bench.corner(&self.target), [0, 255, 0, 255]);
    }

    /// Draws with primary pipelines until the draws use replicas, and checks that none waits.
    fn use_replicas(&mut self, topologies: &[PrimitiveTopology]) {
        for _ in 0..ENOUGH {
            assert_eq!(self.draw(1, topologies), 0);
            self.compile();
        }
        assert!(self.uses_replica());
        self.assert_drawn();
    }

    fn uses_replica(&mut self) -> bool {
        self.bench.caches.draws_with_replica()
    }

    fn compile(&self) {
        self.bench.device.encoding.compilers.finish();
        wait_until("all is compiled", || self.bench.device.encoding.compilers.spare() == 0);
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.bench.device.encoding.compilers.close();
    }
}

#[test]
fn a_long_used_layout_gets_a_replica() {
    let Some(mut scene) = Scene::new(true) else { return };
    let busy = Busy::new(&scene.bench.device.encoding.compilers);
    assert_eq!(scene.draw(50, &[TRIANGLES, LINES]), 2);
    assert_eq!(scene.bench.device.encoding.compilers.spare(), 0, "it is not for long yet");
    assert_eq!(scene.draw(ENOUGH, &[TRIANGLES, LINES]), 0);
    assert_eq!(scene.bench.device.encoding.compilers.spare(), 1, "the first is asked for");
    assert!(!scene.uses_replica(), "and not there");
    drop(busy);
    scene.use_replicas(&[TRIANGLES, LINES]);
}

#[test]
fn a_thread_without_replicas_never_uses_them() {
    let Some(mut scene) = Scene::new(false) else { return };
    assert_eq!(scene.draw(2 * ENOUGH, &[TRIANGLES]), 1);
    assert!(!scene.uses_replica());
    assert_eq!(scene.bench.device.encoding.compilers.spare(), 0);
}

#[test]
fn replicas_that_are_off_are_never_used() {
    let policy = Policy { replicas: None, ..Policy::default() };
    let Some(mut scene) = with_policy(policy, || Scene::new(true)) else { return };
    assert_eq!(scene.draw(2 * ENOUGH, &[TRIANGLES]), 1);
    assert!(!scene.uses_replica());
    assert_eq!(scene.bench.device.encoding.compilers.spare(), 0);
}

#[test]
fn shaders_with_the_same_constants_may_differ_in_replicas() {
    let Some(mut scene) = Scene::with_replica() else { return };
    let other = scene.bench.pixel(&TINT.replace("return tint", "return tint.yxzw"));
    let mut page = Recording::default();
    page.clear(&scene.view, [1.0; 4]).targets(&[Some(&scene.view)], None);
    page.constants(ShaderStage::Pixel, &scene.tint, 0, 16);
    for shader in [&other, &scene.shaders[1], &other, &scene.shaders[1]] {
        page.shaders(&scene.shaders[0], Some(shader)).draw(3, 0);
    }
    scene.bench.run(vec![page]);
    assert!(scene.uses_replica());
    scene.assert_drawn();
}

/// The bytes 0 and 255 are black and green as UNORM, and all black as SNORM. The shader's code depends on the
/// format.
#[test]
fn each_typed_buffer_format_has_its_own_replica() {
    let Some(mut scene) = Scene::new(true) else { return };
    let show = scene.bench.pixel(
        "@group(1) @binding(0) var colors: texture_1d<f32>;
        @fragment fn main() -> @location(0) vec4f { return textureLoad(colors, 1, 0); }",
    );
    let colors = scene.bench.buffer(&[9, 9, 9, 9, 0, 255, 0, 255]);
    let formats = [(Format::R8G8B8A8_UNORM, [0, 255, 0, 255]), (Format::R8G8B8A8_SNORM, [0; 4])];
    for n in 0..ENOUGH as usize {
        let mut page = Recording::default();
        page.clear(&scene.view, [1.0; 4]).targets(&[Some(&scene.view)], None);
        page.shaders(&scene.shaders[0], Some(&show));
        page.push(Bind::Topology(TRIANGLES));
        let object = page.buffer(&colors);
        // The last draw covers the earlier ones, so its format decides the colour.
        let [first, last] = [formats[n % 2], formats[1 - n % 2]];
        for (format, _) in [last, first, last] {
            let (stage, format) = (ShaderStage::Pixel, ViewFormat::new(Some(format)));
            page.push(Command::SetResourceBuffer { stage, slot: 0, format, object, offset: 0, size: 8 });
            page.draw(3, 0);
        }
        assert_eq!(scene.bench.run(vec![page]).draws, 3);
        scene.compile();
        assert_eq!(scene.bench.corner(&scene.target), last.1, "run {n}");
    }
    assert!(scene.uses_replica());
}

#[test]
fn a_layout_that_binds_nothing_has_no_replica() {
    let Some(mut scene) = Scene::new(true) else { return };
    scene.shaders[1] = scene.bench.pixel(&WHITE.replace("1.0", "0.0, 1.0, 0.0, 1.0"));
    assert_eq!(scene.draw(ENOUGH, &[TRIANGLES]), 1);
    assert_eq!(scene.draw(1, &[TRIANGLES, LINES]), 1);
    assert!(!scene.uses_replica());
    scene.assert_drawn();
}

#[test]
fn a_new_pipeline_is_primary_until_its_replica_is_ready() {
    let Some(mut scene) = Scene::with_replica() else { return };
    let busy = Busy::new(&scene.bench.device.encoding.compilers);
    // Replicas exist for triangle lists, but not for lines and strips.
    let all = [TRIANGLES, LINES, TRIANGLES, STRIP, TRIANGLES];
    assert_eq!(scene.draw(1, &all), 2, "as many as without replicas");
    assert!(!scene.uses_replica());
    scene.assert_drawn();
    drop(busy);
    scene.use_replicas(&all);
}

#[test]
fn preparing_a_draw_also_compiles_its_replica() {
    let Some(mut scene) = Scene::with_replica() else { return };
    let busy = Busy::new(&scene.bench.device.encoding.compilers);
    let prepared = scene.run(&[LINES, STRIP], Command::PrepareDraw).pipelines_prepared;
    let compilers = &scene.bench.device.encoding.compilers;
    assert_eq!((prepared, compilers.unfinished(), compilers.spare()), (2, 3, 2));
    drop(busy);
    scene.compile();
    assert_eq!(scene.draw(1, &[TRIANGLES, LINES, STRIP]), 0);
    assert!(scene.uses_replica());
    let shared = scene.bench.caches.shared.clone();
    scene.bench.caches = WorkerCaches::new(&shared, false, false);
    assert_eq!(scene.draw(1, &[TRIANGLES, LINES, STRIP]), 0);
    assert!(!scene.uses_replica());
}

#[test]
fn a_layout_with_a_replica_may_be_planned_at_once() {
    let by_index = Some(ByIndexPolicy { draws: 0, pixels: true, waits: true });
    let policy = Policy { by_index, ..Policy::default() };
    let Some(mut scene) = with_policy(policy, || Scene::new(true)) else { return };
    scene.shaders[1] = scene.bench.pixel(
        "@group(0) @binding(0) var<uniform> tint: vec4f;
        @group(1) @binding(0) var nothing: texture_2d<f32>;
        @fragment fn main() -> @location(0) vec4f { return tint + textureLoad(nothing, vec2(0), 0); }",
    );
    let several = InstancedDraw { count: 3, instance_count: 2, start: 0, base_vertex: 0, start_instance: 0 };
    for _ in 0..ENOUGH {
        let mut page = scene.page();
        let first = page.page.instanced_draws.len() as u32;
        page.page.instanced_draws.push(several);
        page.push(Bind::Topology(TRIANGLES)).push(Command::DrawsInstanced { first, count: 1 });
        scene.bench.run(vec![page]);
        scene.compile();
    }
    assert!(scene.uses_replica(), "draws of several instances are made in the first form");
    scene.draw(2, &[TRIANGLES]);
    assert!(!scene.uses_replica(), "and others by index");
    scene.assert_drawn();
}
