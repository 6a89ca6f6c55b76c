//! Tests that binds and draws take no lock: they succeed while the test holds every lock of the driver.
//!
//! wgpu has locks that a test cannot hold. The driver calls wgpu when a context needs an upload block and
//! none is free, so the contexts here have already recorded an equal amount of work. The driver also calls
//! wgpu when the immediate context submits.

use std::{path::Path, sync::Arc, time::Duration};

use onze_ddi::{
    BindFlags, BufferDesc, ConstantBufferBinding, ContextFuncs, CpuAccessFlags, ObjectDesc, QueryType,
    ResourceHandle, ShaderStage, Tuning, VertexBufferBinding, kind,
};

use super::{Context, Rig};
use crate::{
    device::Device,
    encode::PipelineStore,
    objects::{resource::Resource, shader::Shader},
    testing::{noop_with, shader_code, while_held, while_held_for},
};

/// Every lock of the driver except [`SWAP_CHAIN`], by file and field. The first lock is for listing adapters,
/// while all other locks are held in these tests.
const LOCKS: [&str; 12] = [
    "adapter.rs: listed",
    "encode/compiler.rs: state",
    "encode/own_pipelines.rs: cover",
    "encode/own_pipelines.rs: tessellators",
    "encode/parts/layouts.rs: distances",
    "encode/parts/layouts.rs: groups",
    "encode/parts/layouts.rs: pipeline_layouts",
    "encode/parts/stored_pipelines.rs: StoredPipelines<K, P>",
    "objects/allocator.rs: classes",
    "objects/shader/modules.rs: specialized",
    "objects/staging.rs: state",
    "services/cache_invalidation.rs: log",
];

/// The lock of a swap chain, taken by a present, a resize, and a page's first use of the back buffer.
const SWAP_CHAIN: &str = "objects/surface.rs: state";

const VERTEX: &str = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";

struct Locks {
    device: Arc<Device>,
    store: Arc<PipelineStore>,
    staging: Arc<Resource>,
    shader: Arc<Shader>,
}

impl Locks {
    fn hold(&self, meanwhile: &mut dyn FnMut()) {
        let device = &self.device;
        let _device = (
            device.objects.allocator.hold_locks(),
            device.gpu.invalidation.hold_lock(),
            self.store.hold_locks(),
            device.encoding.own_pipelines.hold_lock(),
        );
        let _compilers = device.encoding.compilers.hold_lock();
        let _staging = self.staging.staging().unwrap().hold_lock();
        let _shader = self.shader.modules.hold_lock();
        meanwhile();
    }
}

struct Scene {
    constants: Vec<ResourceHandle>,
    fixed: ResourceHandle,
    vertices: ResourceHandle,
    /// Destination of occasional copies, without which the recording would not be submitted, because draws
    /// without a target have no effect.
    copied: ResourceHandle,
}

impl Scene {
    fn new(rig: &mut Rig) -> Self {
        Self {
            constants: (0..8).map(|_| rig.dynamic_constants(64)).collect(),
            fixed: rig.buffer(BufferDesc::immutable(64, BindFlags::CONSTANT_BUFFER), Some(&[1; 64])),
            vertices: rig.buffer(BufferDesc::dynamic(100, BindFlags::VERTEX_BUFFER), None),
            copied: rig.buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None),
        }
    }

    fn handles(&self) -> impl Iterator<Item = ResourceHandle> {
        self.constants.iter().copied().chain([self.fixed, self.vertices, self.copied])
    }

    fn record<F, E>(&self, context: &mut Context<F, E>, draws: u32)
    where
        F: std::ops::Deref<Target: ContextFuncs>,
    {
        let vertices = VertexBufferBinding { buffer: Some(self.vertices), stride: 16, offset: 0 };
        for n in 0..draws {
            let constants = self.constants[n as usize % self.constants.len()];
            context.discard(constants, &[n as u8; 64]);
            context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::whole(Some(constants)));
            context.bind_constants(ShaderStage::Pixel, 1, ConstantBufferBinding::whole(Some(self.fixed)));
            if n % 64 == 0 {
                context.discard(self.vertices, &[n as u8; 100]);
                context.copy(self.copied, self.fixed);
            }
            context.bind_vertices(0, vertices);
            context.draw();
        }
    }
}

/// Creates a rig, a scene that the rig's immediate context has already recorded, and all locks.
fn prepare(tuning: Tuning) -> (Rig, Scene, Locks) {
    let mut rig = Rig::new(noop_with(tuning));
    let scene = Scene::new(&mut rig);
    let staging = rig.buffer(BufferDesc::staging(64, CpuAccessFlags::READ | CpuAccessFlags::WRITE), None);
    let code = shader_code(ShaderStage::Vertex, VERTEX, Vec::new());
    let shader =
        rig.create::<kind::Shader>(&ObjectDesc::Shader { code: &code, stream_output: None, label: "test" });
    let locks = Locks {
        device: rig.device.clone(),
        store: rig.context.immediate().pool().store().clone(),
        staging: rig.context.handles.object_as(staging).unwrap(),
        shader: rig.context.handles.object_as(shader).unwrap(),
    };
    (rig, scene, locks)
}

fn tunings() -> impl Iterator<Item = Tuning> {
    [Some(0), Some(2)].into_iter().flat_map(|workers| {
        [Some(7), None].map(|page_draws| Tuning {
            workers,
            page_draws,
            run_draws: page_draws,
            ..Tuning::default()
        })
    })
}

#[test]
fn a_deferred_context_records_while_every_lock_is_held() {
    for tuning in tunings() {
        let (rig, scene, locks) = prepare(tuning);
        let mut deferred = rig.deferred();
        let mut record = |held: bool| {
            scene.handles().for_each(|handle| rig.open(&mut deferred, handle));
            let before = deferred.core.amortized;
            let what = format!("a deferred context, {tuning:?}");
            match held {
                true => {
                    while_held(&what, |m| locks.hold(m), || scene.record(&mut deferred, 6000));
                }
                false => scene.record(&mut deferred, 6000),
            }
            assert!(deferred.core.amortized - before > 10, "pages were sealed: {tuning:?}");
            drop(deferred.finish());
        };
        record(false);
        record(true);
        assert_eq!(deferred.core.errors.len(), 0);
        rig.runtime.assert_clean();
    }
}

#[test]
fn the_immediate_context_draws_while_every_lock_is_held() {
    // Enough draws that runs go to the workers and are submitted early.
    const DRAWS: u32 = 20_000;
    for tuning in tunings() {
        let (mut rig, scene, locks) = prepare(tuning);
        let query = rig.create::<kind::Query>(&ObjectDesc::Query(QueryType::Event.into()));
        let predicate = rig.create::<kind::Query>(&ObjectDesc::Query(QueryType::OcclusionPredicate.into()));
        let table = crate::context::ImmediateTable::default();
        scene.record(&mut rig.context, DRAWS);
        rig.context.flush();
        let before = rig.context.core.submissions.len();
        let what = format!("the immediate context, {tuning:?}");
        let dropped = rig.dynamic_constants(64);
        rig.context.discard(dropped, &[1; 64]);
        while_held(
            &what,
            |meanwhile| locks.hold(meanwhile),
            || {
                // A submission returns the buffer's range to its chunk.
                rig.destroy(dropped);
                table.query_end(rig.context.entry(), query);
                table.query_begin(rig.context.entry(), predicate);
                scene.record(&mut rig.context, DRAWS);
                table.query_end(rig.context.entry(), predicate);
                rig.context.flush();
            },
        );
        assert!(rig.context.core.submissions.len() > before, "{tuning:?}");
        assert!(rig.device.submission.graveyard.is_empty());
        rig.runtime.assert_clean();
    }
}

#[test]
#[should_panic(expected = "a new buffer: waits for a lock")]
fn a_wait_for_a_held_lock_is_detected() {
    let (mut rig, _, locks) = prepare(Tuning::default());
    while_held_for(
        Duration::from_millis(50),
        "a new buffer",
        |meanwhile| locks.hold(meanwhile),
        || rig.dynamic_constants(64),
    );
}

/// Searches the files of a folder for fields that are locks.
fn find(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if name != "tests" {
                find(root, &path, found);
            }
        } else if path.extension().is_some_and(|e| e == "rs") && name != "testing.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for line in code.lines() {
                let lock = ["Mutex<", "RwLock<"].iter().find_map(|lock| Some(line.split_once(lock)?.0));
                let is_field = |before: &&str| before.ends_with([' ', '(', '[', '<']);
                if let Some(before) = lock.filter(is_field)
                    && !line.contains("fn ")
                {
                    let name =
                        before.trim().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
                    let name = name.trim_start_matches("struct ").split([':', '(']).next();
                    let file = path.strip_prefix(root).unwrap().display();
                    found.push(format!("{file}: {}", name.unwrap_or_default()));
                }
            }
        }
    }
}

#[test]
fn the_locks_that_are_held_are_all_there_are() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    find(&source, &source, &mut found);
    found.sort_unstable();
    let mut known: Vec<_> = LOCKS.into_iter().chain([SWAP_CHAIN]).collect();
    known.sort_unstable();
    assert_eq!(found, known, "the tests of this file must also hold a new lock");
}
