//! Devices for the tests of this crate, a fake runtime that counts allocations, and functions for reading
//! back contents.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each helper serves some tests")]

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::HashMap,
    sync::{
        Arc, Mutex, Once,
        atomic::{AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use onze_ddi::{
    AllocateArgs, Allocation, CreateDeviceArgs, CreateDeviceFlags, CreateError, DdiVersion, DeviceCoreLayer,
    DriverBug, FeatureLevel, Fence, HardwareInfo, HullProgram, ImmediateFuncs, KernelCallbacks, OutOfMemory,
    ResourceSlot, RuntimeDevice, ShaderCode, ShaderProgram, ShaderReflection, ShaderStage, TessellatorDomain,
    TessellatorOutput, TessellatorPartitioning, ThreadingCaps, Tuning,
};

use crate::{
    adapter::{NOOP, REAL, bare_device},
    device::Device,
};

/// A runtime that records allocations, driver bugs, device removals and messages about unsupported calls.
#[derive(Debug)]
pub(crate) struct FakeRuntime {
    pub(crate) allocations: Mutex<HashMap<u64, AllocateArgs>>,
    pub(crate) budget: AtomicU64,
    pub(crate) bugs: Mutex<Vec<String>>,
    pub(crate) removed: Mutex<Vec<String>>,
    pub(crate) unsupported: Mutex<Vec<String>>,
    next: AtomicU64,
    fence: AtomicU64,
}

impl FakeRuntime {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            allocations: Mutex::default(),
            budget: AtomicU64::new(u64::MAX),
            bugs: Mutex::default(),
            removed: Mutex::default(),
            unsupported: Mutex::default(),
            next: AtomicU64::new(1),
            fence: AtomicU64::new(0),
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.allocations.lock().unwrap().values().map(|a| a.size).sum()
    }

    /// Fails the test if the driver reported a bug or lost the device.
    pub(crate) fn assert_clean(&self) {
        assert_eq!(*self.bugs.lock().unwrap(), Vec::<String>::new());
        assert_eq!(*self.removed.lock().unwrap(), Vec::<String>::new());
    }
}

impl KernelCallbacks for FakeRuntime {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        if self.bytes() + args.size > self.budget.load(Ordering::Relaxed) {
            return Err(OutOfMemory);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.allocations.lock().unwrap().insert(id, args);
        Ok(Allocation::new(id, args.size))
    }

    fn deallocate(&self, allocation: Allocation) {
        let known = self.allocations.lock().unwrap().remove(&allocation.id());
        assert!(known.is_some(), "an allocation is given back once");
    }

    fn signal(&self, fence: Fence) {
        self.fence.fetch_max(fence.0, Ordering::AcqRel);
    }

    fn signalled(&self) -> Fence {
        Fence(self.fence.load(Ordering::Acquire))
    }
}

impl DeviceCoreLayer for FakeRuntime {
    fn publish_immediate_table(&self, _table: Box<dyn ImmediateFuncs>) {}

    fn device_removed(&self, reason: Cow<'static, str>) {
        self.removed.lock().unwrap().push(reason.into_owned());
    }

    fn report_bug(&self, bug: DriverBug) {
        self.bugs.lock().unwrap().push(bug.0.into_owned());
    }

    fn report_unsupported(&self, what: Cow<'static, str>) {
        self.unsupported.lock().unwrap().push(what.into_owned());
    }

    fn report_hint(&self, _what: Cow<'static, str>) {}
}

pub(crate) fn args(runtime: &Arc<FakeRuntime>) -> CreateDeviceArgs {
    CreateDeviceArgs {
        interface: DdiVersion::V11_1.interface,
        version: DdiVersion::V11_1.build,
        runtime_device: RuntimeDevice(1),
        feature_level: FeatureLevel::Core11,
        flags: CreateDeviceFlags::empty(),
        threading: ThreadingCaps::CommandLists,
        tuning: Tuning::default(),
        kernel: runtime.clone(),
        core: runtime.clone(),
        window: None,
        label: Some("test".into()),
    }
}

const HARDWARE: HardwareInfo = HardwareInfo { processors: 2, threads: true, memory_budget: None };

/// Creates a device on the best adapter. Without an adapter, the test fails unless `ONZE_ALLOW_NO_GPU` is
/// set, which makes this print a message and return `None` instead.
pub(crate) fn gpu() -> Option<(Arc<Device>, Arc<FakeRuntime>)> {
    let runtime = FakeRuntime::new();
    if let Some(device) = bare_device(REAL, &args(&runtime), &HARDWARE, wgpu::Features::empty()) {
        return Some((device, runtime));
    }
    assert!(
        std::env::var_os("ONZE_ALLOW_NO_GPU").is_some(),
        "there is no adapter; set ONZE_ALLOW_NO_GPU to skip"
    );
    eprintln!("skipped: there is no adapter");
    None
}

pub(crate) fn noop() -> (Arc<Device>, Arc<FakeRuntime>) {
    noop_without(wgpu::Features::empty())
}

/// Creates a device on the no-op backend that lacks some features.
pub(crate) fn noop_without(missing: wgpu::Features) -> (Arc<Device>, Arc<FakeRuntime>) {
    let runtime = FakeRuntime::new();
    let device = bare_device(NOOP, &args(&runtime), &HARDWARE, missing).expect("noop always works");
    (device, runtime)
}

/// Creates a device on the no-op backend with tuning values.
pub(crate) fn noop_with(tuning: Tuning) -> (Arc<Device>, Arc<FakeRuntime>) {
    let runtime = FakeRuntime::new();
    let args = CreateDeviceArgs { tuning, ..args(&runtime) };
    let device = bare_device(NOOP, &args, &HARDWARE, wgpu::Features::empty());
    (device.expect("noop always works"), runtime)
}

thread_local! {
    /// Names of the spans that this thread opens, or `None` while no test counts them.
    static SPANS: RefCell<Option<Vec<&'static str>>> = const { RefCell::new(None) };
}

/// A subscriber that records span names in [`SPANS`], global because `tracing` caches whether a span has a
/// subscriber, and all threads share that cache.
struct Spans;

impl tracing::Subscriber for Spans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_span()
    }
    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        SPANS.with_borrow_mut(|spans| spans.iter_mut().for_each(|names| names.push(span.metadata().name())));
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Counts the spans with this name that `work` opens on this thread.
pub(crate) fn spans_here(name: &str, work: impl FnOnce()) -> usize {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| tracing::subscriber::set_global_default(Spans).expect("nobody else listens"));
    SPANS.set(Some(Vec::new()));
    work();
    SPANS.take().into_iter().flatten().filter(|found| *found == name).count()
}

/// Time after which a test is considered stuck, far longer than any test takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Runs `work` on one thread while `hold` holds locks on another thread, and fails if `work` does not finish.
pub(crate) fn while_held<T: Send>(
    what: &str,
    hold: impl FnOnce(&mut dyn FnMut()) + Send,
    work: impl FnOnce() -> T + Send,
) -> T {
    while_held_for(PATIENCE, what, hold, work)
}

pub(crate) fn while_held_for<T: Send>(
    patience: Duration,
    what: &str,
    hold: impl FnOnce(&mut dyn FnMut()) + Send,
    work: impl FnOnce() -> T + Send,
) -> T {
    thread::scope(|scope| {
        let ((held, is_held), (release, released)) = (channel(), channel::<()>());
        scope.spawn(move || {
            hold(&mut || {
                held.send(()).expect("the test waits");
                assert!(released.recv().is_err(), "until the other end goes");
            });
        });
        is_held.recv_timeout(PATIENCE).expect("nobody else has the locks");
        let ((begin, has_begun), (done, is_done)) = (channel(), channel());
        scope.spawn(move || {
            begin.send(()).expect("the test waits");
            done.send(work())
        });
        has_begun.recv_timeout(PATIENCE).expect("there is a thread for it");
        let answer = is_done.recv_timeout(patience);
        // The locks are released before a panic, because the panic waits for both threads.
        drop(release);
        answer.unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => panic!("{what}: waits for a lock of the device"),
            RecvTimeoutError::Disconnected => panic!("{what}: failed"),
        })
    })
}

/// Reads a buffer's contents after all work that was submitted or queued before this call.
pub(crate) fn read_buffer(device: &Device, buffer: &wgpu::Buffer, offset: u64, size: u64) -> Vec<u8> {
    read(device, size, |encoder, target| encoder.copy_buffer_to_buffer(buffer, offset, target, 0, size))
}

/// Reads the tightly packed rows of a subresource of a colour texture, or of a depth texture that can be
/// copied.
pub(crate) fn read_texture(device: &Device, texture: &wgpu::Texture, mip: u32, slice: u32) -> Vec<u8> {
    let format = texture.format();
    let (block_width, block_height) = format.block_dimensions();
    let size = |n: u32, block: u32| (n >> mip).max(1).next_multiple_of(block);
    let (width, height) = (size(texture.width(), block_width), size(texture.height(), block_height));
    let row = width / block_width * format.block_copy_size(None).unwrap();
    let pitch = row.next_multiple_of(256);
    let rows = height / block_height;
    let bytes = read(device, u64::from(pitch) * u64::from(rows), |encoder, target| {
        encoder.copy_texture_to_buffer(
            wgpu::TexelCopyTextureInfo {
                texture,
                mip_level: mip,
                origin: wgpu::Origin3d { x: 0, y: 0, z: slice },
                aspect: wgpu::TextureAspect::All,
            },
            wgpu::TexelCopyBufferInfo {
                buffer: target,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(pitch),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
    });
    bytes.chunks_exact(pitch as usize).flat_map(|r| r[..row as usize].to_vec()).collect()
}

fn read(device: &Device, size: u64, copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer)) -> Vec<u8> {
    let target = device.gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: size.next_multiple_of(4),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    copy(&mut encoder, &target);
    device.gpu.queue.submit([encoder.finish()]);
    target.slice(..).map_async(wgpu::MapMode::Read, |answer| answer.unwrap());
    device.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    target.slice(..).get_mapped_range().unwrap()[..size as usize].to_vec()
}

/// Fails if a creation call returned an error other than a rejection of the application's arguments.
pub(crate) fn assert_no_bug<T>(answer: &Result<T, CreateError>, what: impl std::fmt::Debug) {
    if let Err(error) = answer {
        assert!(matches!(error, CreateError::Application(_)), "{what:?}: {error:?}");
    }
}

/// Asserts that a call was rejected with a message that contains `word`, the name of a missing feature.
pub(crate) fn assert_refused<T: std::fmt::Debug>(answer: Result<T, CreateError>, word: &str) {
    match answer {
        Err(CreateError::Application(words)) => assert!(words.contains(word), "{words}"),
        other => panic!("{other:?}"),
    }
}

/// Creates a shader in the form in which the runtime passes it, with only the given resources in its
/// reflection.
pub(crate) fn shader_code(stage: ShaderStage, source: &str, resources: Vec<ResourceSlot>) -> Arc<ShaderCode> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let info = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::TEXTURE_ATOMIC
            | naga::valid::Capabilities::CUBE_ARRAY_TEXTURES
            | naga::valid::Capabilities::MULTISAMPLED_SHADING
            | naga::valid::Capabilities::CLIP_DISTANCES,
    )
    .validate(&module)
    .unwrap();
    let reflection = ShaderReflection {
        stage,
        constant_buffers: Vec::new(),
        resources,
        samplers: Vec::new(),
        unordered_access: Vec::new(),
        counters: Vec::new(),
        workgroup_size: [0; 3],
        sampled_pairs: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        uses_vertex_index: false,
        uses_instance_index: false,
        uses_position: false,
        uses_front_facing: false,
        runs_per_sample: false,
        uses_sample_mask: false,
        writes_depth: false,
        writes_sample_mask: false,
        dual_source: false,
        system_outputs: Vec::new(),
        discards: false,
    };
    let program = ShaderProgram::EntryPoint("main".into());
    Arc::new(ShaderCode { module, info, program, reflection })
}

/// Returns a hull shader for patches of four points, whose control-point function returns `value`.
pub(crate) fn hull_code(value: &str) -> Arc<ShaderCode> {
    let text = format!(
        "struct Point {{ @location(0) value: f32 }}
        struct Constants {{ first: f32, second: f32, third: f32, inside: f32 }}
        fn input_point(index: u32) -> Point {{ return Point(); }}
        fn control_point(n: u32, primitive: u32) -> Point {{ return Point({value}); }}
        fn patch_constants(primitive: u32) -> Constants {{ return Constants(); }}
        @compute @workgroup_size(1) fn main() {{ let a = control_point(0u, 0u); let b = patch_constants(0u); }}"
    );
    let code = (*shader_code(ShaderStage::Hull, &text, Vec::new())).clone();
    let function = |name: &str| {
        let mut functions = code.module.functions.iter();
        functions.find(|(_, function)| function.name.as_deref() == Some(name)).unwrap().0
    };
    let program = HullProgram {
        name: "main".into(),
        input_points: 4,
        output_points: 4,
        domain: TessellatorDomain::Triangle,
        partitioning: TessellatorPartitioning::Integer,
        output: TessellatorOutput::TriangleCw,
        max_tess_factor: 64.0,
        control_point: Some(function("control_point")),
        patch_constants: function("patch_constants"),
        input_point: Some(function("input_point")),
        output_point: None,
        patch_outputs: Vec::new(),
    };
    Arc::new(ShaderCode { program: ShaderProgram::Hull(program), ..code })
}
