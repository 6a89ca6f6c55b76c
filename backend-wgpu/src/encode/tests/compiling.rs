//! Compilation of pipelines: which threads compile them, which threads wait, and how failures are reported.

use std::{sync::Arc, thread};

use onze_ddi::{Format, PrimitiveTopology};

use super::{
    copying::copy_bytes,
    scene::{Bench, COVER, Recording, WHITE},
};
use crate::{
    encode::{
        compiler::tests::{Busy, wait_until},
        run::EncodeStats,
    },
    objects::{resource::Resource, shader::Shader, view::View},
    record::command::{Bind, Command},
    submit::{run::Gathered, worker::WorkerPool},
    testing::spans_here,
};

const RGBA8: Format = Format::R8G8B8A8_UNORM;

/// Topologies with different pipelines. Draws with the first topology cover the target.
const TOPOLOGIES: [PrimitiveTopology; 3] =
    [PrimitiveTopology::TriangleList, PrimitiveTopology::LineList, PrimitiveTopology::PointList];

const DRAW: Command = Command::Draw { vertex_count: 3, start_vertex: 0 };

/// A device with the shaders and the target that all tests of this file draw with.
struct Scene {
    bench: Bench,
    shaders: [Arc<Shader>; 2],
    target: Arc<Resource>,
    view: Arc<View>,
}

impl Scene {
    /// Creates a scene on a device with up to `threads` compiler threads.
    fn new(threads: u32) -> Option<Self> {
        let bench = Bench::new()?;
        bench.device.encoding.compilers.open(threads);
        let target = bench.target(RGBA8, 4, 4);
        let (shaders, view) = ([bench.vertex(COVER), bench.pixel(WHITE)], bench.rtv(&target, RGBA8));
        Some(Self { bench, shaders, target, view })
    }

    /// Returns a page that sets each topology and records the command after it.
    fn page(&self, topologies: &[PrimitiveTopology], command: Command) -> Recording {
        let [vs, ps] = &self.shaders;
        let mut page = Recording::default();
        page.targets(&[Some(&self.view)], None).shaders(vs, Some(ps));
        for topology in topologies {
            page.push(Bind::Topology(*topology)).push(command);
        }
        page
    }

    fn prepare(&mut self, topologies: &[PrimitiveTopology]) -> EncodeStats {
        self.bench.run(vec![self.page(topologies, Command::PrepareDraw)])
    }

    fn draw(&mut self, topologies: &[PrimitiveTopology]) -> EncodeStats {
        let mut clear = Recording::default();
        clear.clear(&self.view, [0.0; 4]);
        self.bench.run(vec![clear, self.page(topologies, DRAW)])
    }

    fn unfinished(&self) -> u64 {
        self.bench.device.encoding.compilers.unfinished()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.bench.device.encoding.compilers.close();
    }
}

/// Returns the numbers of pipelines that were waited for and that were prepared.
fn counts(stats: EncodeStats) -> (u32, u32) {
    (stats.pipeline_compilations, stats.pipelines_prepared)
}

/// The test's thread acts as the application's thread during a flush.
#[test]
fn a_flushing_thread_compiles_only_without_workers() {
    for (threads, compiled) in [(0, 5), (1, 0), (3, 0)] {
        let Some(mut scene) = Scene::new(threads) else { return };
        let mipped = scene.bench.mipped(RGBA8, 4, 4);
        let mips = scene.bench.srv(&mipped, RGBA8);
        let words = scene.bench.buffer(&[7; 16]);
        let found = spans_here("compile", || {
            assert_eq!(counts(scene.prepare(&TOPOLOGIES[..2])), (0, 2));
            assert_eq!(scene.draw(&TOPOLOGIES[2..]).pipeline_compilations, 1);
            // These two commands use the driver's own pipelines.
            let mut page = Recording::default();
            let view = page.view(&mips);
            page.push(Command::GenerateMips(view));
            copy_bytes(&mut page, (&words, 1), (&words, 9), 3);
            scene.bench.run(vec![page]);
        });
        assert_eq!(found, compiled, "{threads} threads");
        // A draw counts a prepared pipeline if it must wait for it.
        scene.bench.device.encoding.compilers.finish();
        assert_eq!(scene.draw(&TOPOLOGIES).pipeline_compilations, 0, "all are there");
        assert_eq!(scene.bench.corner(&scene.target), [255; 4], "{threads} threads");
        assert_eq!(scene.bench.bytes(&words)[9..12], [7; 3]);
    }
}

#[test]
fn prepared_pipelines_are_compiled_once_without_waiting() {
    let Some(mut scene) = Scene::new(1) else { return };
    let busy = Busy::new(&scene.bench.device.encoding.compilers);
    assert_eq!(counts(scene.prepare(&TOPOLOGIES)), (0, 3));
    assert_eq!(counts(scene.prepare(&TOPOLOGIES)), (0, 0), "they are on their way");
    assert_eq!(scene.unfinished(), 4);
    drop(busy);
    scene.bench.device.encoding.compilers.finish();
    assert_eq!(counts(scene.prepare(&TOPOLOGIES)), (0, 0), "they are there");
    assert_eq!(counts(scene.draw(&TOPOLOGIES)), (0, 0));
    assert_eq!(scene.bench.corner(&scene.target), [255; 4]);
}

#[test]
fn a_flush_of_prepared_draws_does_not_wait_for_them() {
    for workers in [1, 2] {
        let Some(scene) = Scene::new(0) else { return };
        let mut pool = WorkerPool::new(&scene.bench.device.encoding, workers);
        let busy: Vec<_> = (0..workers).map(|_| Busy::new(&scene.bench.device.encoding.compilers)).collect();
        let mut gathered = Gathered::new(1000, 128);
        gathered.add_page(scene.page(&TOPOLOGIES, Command::PrepareDraw).finish());
        pool.submit(gathered.take_all());
        let runs = pool.finish();
        assert_eq!(runs.iter().map(|run| run.stats.pipelines_prepared).sum::<u32>(), 3);
        assert_eq!(scene.unfinished(), u64::from(workers) + 3);
        drop(busy);
        scene.bench.device.encoding.compilers.finish();
        assert_eq!(scene.unfinished(), 0);
    }
}

#[test]
fn a_pipeline_for_a_draw_overtakes_prepared_ones() {
    let Some(mut scene) = Scene::new(1) else { return };
    let device = scene.bench.device.clone();
    let busy = Busy::new(&device.encoding.compilers);
    assert_eq!(counts(scene.prepare(&TOPOLOGIES)), (0, 3));
    let drawn = thread::scope(|scope| {
        let drawing = scope.spawn(|| scene.draw(&TOPOLOGIES[..1]));
        wait_until("the draw waits", || device.encoding.compilers.urgent() == 1);
        drop(busy);
        drawing.join().unwrap()
    });
    assert_eq!(counts(drawn), (1, 0), "it was prepared, but too late");
    assert_eq!(scene.bench.corner(&scene.target), [255; 4]);
    device.encoding.compilers.finish();
    assert_eq!(counts(scene.draw(&TOPOLOGIES)), (0, 0));
}

/// A worker compiles here, because it would otherwise sleep until the pipeline is compiled.
#[test]
fn a_worker_compiles_the_unstarted_pipeline_of_its_draw() {
    let Some(mut scene) = Scene::new(1) else { return };
    let device = scene.bench.device.clone();
    let busy = Busy::new(&device.encoding.compilers);
    assert_eq!(counts(scene.prepare(&TOPOLOGIES)), (0, 3), "as any thread, it does not wait");
    scene.bench.caches.may_compile = true;
    let found = spans_here("compile", || {
        assert_eq!(counts(scene.draw(&TOPOLOGIES[1..2])), (1, 0), "it was prepared, but too late");
        assert_eq!(counts(scene.draw(&[PrimitiveTopology::TriangleStrip])), (1, 0));
    });
    assert_eq!((found, scene.unfinished()), (2, 3));
    drop(busy);
    device.encoding.compilers.finish();
    let found = spans_here("compile", || {
        assert_eq!(counts(scene.draw(&TOPOLOGIES)), (0, 0));
    });
    assert_eq!(found, 0);
    assert_eq!(scene.bench.corner(&scene.target), [255; 4]);
}

#[test]
fn threads_that_share_a_pipeline_compile_it_once() {
    let Some(scene) = Scene::new(0) else { return };
    let mut pool = WorkerPool::new(&scene.bench.device.encoding, 3);
    for topology in TOPOLOGIES {
        for _ in 0..8 {
            let mut gathered = Gathered::new(1000, 128);
            gathered.add_page(scene.page(&[topology], DRAW).finish());
            pool.submit(gathered.take_all());
        }
        let mut compiled = 0;
        let here = spans_here("compile", || {
            let runs = pool.finish();
            assert!(runs.iter().all(|run| run.error.is_none()));
            compiled = runs.iter().map(|run| run.stats.pipeline_compilations).sum();
        });
        assert_eq!((compiled, here), (1, 0), "{topology:?}");
    }
}

#[test]
fn a_refused_pipeline_is_reported_once_and_skipped() {
    let writes = "
        struct V { @builtin(position) at: vec4f, @location(0) color: vec2f }
        @vertex fn main() -> V { return V(); }";
    let reads = "@fragment fn main(@location(0) color: vec4f) -> @location(0) vec4f { return color; }";
    for threads in [0, 1] {
        let Some(mut scene) = Scene::new(threads) else { return };
        // The output has fewer components than the input, so the runtime would refuse the draw before wgpu does.
        scene.shaders = [scene.bench.vertex(writes), scene.bench.pixel(reads)];
        for command in [Command::PrepareDraw, DRAW, DRAW] {
            let encoded = scene.bench.encode(vec![scene.page(&TOPOLOGIES[..1], command)]);
            assert_eq!(encoded.error, None);
            scene.bench.device.gpu.queue.submit(encoded.command_buffers);
        }
        scene.bench.device.encoding.compilers.finish();
        let bugs = scene.bench.runtime.bugs.lock().unwrap().clone();
        assert!(matches!(&bugs[..], [words] if words.contains("refused the pipeline")), "{bugs:?}");
        assert!(!scene.bench.device.gpu.is_lost());
        assert_eq!(scene.bench.corner(&scene.target), [0; 4]);
    }
}

#[test]
fn a_lost_device_ends_all_compiling() {
    let Some(mut scene) = Scene::new(1) else { return };
    let device = scene.bench.device.clone();
    let busy = Busy::new(&device.encoding.compilers);
    scene.prepare(&TOPOLOGIES);
    let page = scene.page(&TOPOLOGIES[..1], DRAW);
    let encoded = thread::scope(|scope| {
        let drawing = scope.spawn(|| scene.bench.encode(vec![page]));
        wait_until("the draw waits", || device.encoding.compilers.urgent() == 1);
        device.gpu.lose("as a test");
        drop(busy);
        drawing.join().unwrap()
    });
    assert_eq!(encoded.stats.draws, 1);
    device.encoding.compilers.finish();
    assert_eq!(scene.bench.runtime.bugs.lock().unwrap().len(), 0);
}

#[test]
fn a_dropped_pool_drops_its_prepared_pipelines() {
    let Some(scene) = Scene::new(0) else { return };
    let device = &scene.bench.device;
    let owners = Arc::strong_count(&device.encoding.compilers);
    let mut pool = WorkerPool::new(&device.encoding, 2);
    let busy = [Busy::new(&device.encoding.compilers), Busy::new(&device.encoding.compilers)];
    let mut gathered = Gathered::new(1000, 128);
    gathered.add_page(scene.page(&TOPOLOGIES, Command::PrepareDraw).finish());
    pool.submit(gathered.take_all());
    drop(pool.finish());
    assert_eq!(scene.unfinished(), 5);
    thread::scope(|scope| {
        let going = scope.spawn(|| drop(pool));
        wait_until("nothing but what is begun is left", || device.encoding.compilers.unfinished() == 2);
        assert!(!going.is_finished());
        drop(busy);
    });
    assert_eq!(
        (scene.unfinished(), Arc::strong_count(&device.encoding.compilers)),
        (0, owners),
        "no thread is left"
    );
}
