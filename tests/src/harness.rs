//! A device whose messages and objects are checked, and the configurations that tests run on.

use onze::{
    AdapterKind, Device, DeviceContext, DeviceDesc, DrawsByIndex, DriverType, Error, Features, Format,
    ImmediateContext, Message, MessageId, QueryType, Severity, StoredGeometry, Texture2d, ThreadingCaps,
    ddi::verifier::{Breach, breaches},
};

use crate::{
    patience::wait_until,
    watch::{Watch, watched_device},
};

/// If this environment variable is set, tests that need a GPU print a note and pass on a machine without one.
const ALLOW_NO_GPU: &str = "ONZE_ALLOW_NO_GPU";

/// Maximum number of flushes until all unused objects must be destroyed, although far fewer are needed
/// because the GPU is idle at each flush.
const FLUSHES: u32 = 100;

/// The driver that runs below the runtime.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The null driver, which draws nothing and therefore works on machines without a GPU.
    Null,
    /// The wgpu driver, which prefers a software adapter, so that pictures are the same on every machine.
    Gpu,
}

/// A configuration of a device, which selects the code paths that a test exercises.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The driver that the device is created on.
    pub backend: Backend,
    /// The highest threading capabilities that the device may use. Below `CommandLists`, the runtime records
    /// command lists itself, and below `FreeThreaded` it also guards driver calls with a lock.
    pub threading: ThreadingCaps,
    /// Number of encoding threads of the wgpu driver, or 0 if the thread that flushes does the encoding.
    pub workers: u32,
    /// Maximum draws per command buffer, so that with 1 a new command buffer starts after every draw, and a
    /// new render pass after almost every draw.
    pub page_draws: Option<u32>,
    /// Whether draws that differ only in their constants select these constants by index.
    pub draws_by_index: DrawsByIndex,
    /// Whether the vertices of geometry shaders are stored in memory.
    pub stored_geometry: StoredGeometry,
    /// Maximum bytes of these vertices in a run.
    pub geometry_memory: Option<u64>,
}

impl std::fmt::Display for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            backend,
            threading,
            workers,
            page_draws,
            draws_by_index,
            stored_geometry,
            geometry_memory,
        } = self;
        write!(
            f,
            "{backend:?} driver, {threading:?}, {workers} workers, page_draws {page_draws:?}, {draws_by_index:?} by \
             index, {stored_geometry:?} stored geometry in {geometry_memory:?} bytes"
        )
    }
}

impl Config {
    /// The null driver with default settings, for tests that compare no pictures.
    pub const NULL: Self = Self {
        backend: Backend::Null,
        threading: ThreadingCaps::CommandLists,
        workers: 0,
        page_draws: None,
        draws_by_index: DrawsByIndex::Automatic,
        stored_geometry: StoredGeometry::Automatic,
        geometry_memory: None,
    };

    /// The wgpu driver with two encoding threads, for tests that compare pictures and therefore need a GPU.
    pub const GPU: Self = Self { backend: Backend::Gpu, workers: 2, ..Self::NULL };

    const fn with(self, threading: ThreadingCaps, workers: u32, page_draws: Option<u32>) -> Self {
        Self { threading, workers, page_draws, ..self }
    }

    /// Returns the same configuration, but with draws made by index wherever possible.
    pub const fn by_index(self) -> Self {
        Self { draws_by_index: DrawsByIndex::Always, ..self }
    }

    /// Returns the same configuration, but with the vertices of geometry shaders stored wherever possible.
    pub const fn with_stored_geometry(self) -> Self {
        Self { stored_geometry: StoredGeometry::Always, ..self }
    }

    /// Returns a device descriptor for this configuration, with the debug layer and the verifier enabled.
    pub fn desc(&self) -> DeviceDesc {
        DeviceDesc {
            driver_type: match self.backend {
                Backend::Null => DriverType::Null,
                Backend::Gpu => DriverType::Software,
            },
            debug: true,
            verify_driver: true,
            max_threading: self.threading,
            workers: Some(self.workers),
            page_draws: self.page_draws,
            draws_by_index: self.draws_by_index,
            stored_geometry: self.stored_geometry,
            geometry_memory: self.geometry_memory,
            // Keeps runs so short that software adapters split a frame into several of them as well.
            run_draws: Some(self.page_draws.map_or(1000, |draws| 3 * draws)),
            ..DeviceDesc::default()
        }
    }
}

/// Returns the configurations of the null driver, which cover all threading capabilities, and command buffers
/// of the default length and of one draw.
pub fn null_matrix() -> Vec<Config> {
    use ThreadingCaps::{CommandLists, FreeThreaded, Serialized};
    let null = Config::NULL;
    vec![
        null,
        null.with(CommandLists, 0, Some(1)),
        null.with(FreeThreaded, 0, None),
        null.with(Serialized, 0, Some(1)),
    ]
}

/// Returns configurations of the wgpu driver that together contain every combination of two settings.
pub fn gpu_matrix() -> Vec<Config> {
    use ThreadingCaps::{CommandLists, FreeThreaded, Serialized};
    let gpu = Config::GPU;
    vec![
        gpu,
        gpu.by_index().with_stored_geometry(),
        gpu.with(CommandLists, 0, Some(1)).by_index(),
        gpu.with(CommandLists, 2, Some(1)),
        gpu.with(FreeThreaded, 0, None).with_stored_geometry(),
        gpu.with(FreeThreaded, 2, Some(1)).by_index(),
        gpu.with(Serialized, 2, None).by_index(),
        gpu.with(Serialized, 0, Some(1)).with_stored_geometry(),
    ]
}

/// Returns all configurations of both drivers, those of the null driver first.
pub fn matrix() -> Vec<Config> {
    let mut all = null_matrix();
    all.extend(gpu_matrix());
    all
}

/// Runs a test on a device of each configuration. When the test returns, all objects must be gone from the
/// device and the driver, and the debug layer must have reported exactly the messages that the test
/// [declared](Watch).
///
/// Without a GPU, configurations that need a GPU are skipped if the environment allows it, and fail
/// otherwise.
pub fn on_each(configs: &[Config], test: impl Fn(&mut Harness)) {
    for config in configs {
        let Some(mut harness) = Harness::start(*config) else { continue };
        let _which = PrintOnPanic(*config);
        test(&mut harness);
        harness.finish();
    }
}

struct PrintOnPanic(Config);

impl Drop for PrintOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with: {}", self.0);
        }
    }
}

/// The path that commands take to the driver. It must not change the result of a test.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CommandPath {
    /// Commands are recorded directly on the immediate context.
    Immediate,
    /// Commands are recorded in a command list that the immediate context executes.
    Deferred,
    /// Commands are recorded in a command list, another command list executes it, and the immediate context
    /// executes the outer list.
    Nested,
}

impl CommandPath {
    /// All three paths, for tests that compare their results.
    pub const ALL: [Self; 3] = [Self::Immediate, Self::Deferred, Self::Nested];
}

/// A device and its immediate context, with checks of their messages and objects.
#[derive(Debug)]
pub struct Harness {
    /// The device that the test uses, until [`Harness::finish`] destroys it.
    pub device: Device,
    /// The immediate context of the device, which starts in the default state.
    pub immediate: ImmediateContext,
    /// The configuration that the harness was started with.
    pub config: Config,
    /// Compares the debug layer's messages with the declared messages when the device and its context have
    /// been dropped.
    pub watch: Watch,
    seen_breaches: usize,
}

impl Harness {
    /// Creates a device, or returns `None` if the configuration needs a missing GPU and the environment
    /// allows the test to be skipped.
    ///
    /// # Panics
    /// Panics if the device cannot be created for any other reason.
    pub fn start(config: Config) -> Option<Self> {
        Self::start_with(config, &config.desc())
    }

    /// Creates a device like [`Harness::start`], but from the test's own descriptor.
    ///
    /// # Panics
    /// Panics if the device cannot be created for any other reason.
    pub fn start_with(config: Config, desc: &DeviceDesc) -> Option<Self> {
        let seen_breaches = breaches().len();
        let mut created = watched_device(desc);
        if let (Err(Error::NotFound(_)), DriverType::Software) = (&created, &desc.driver_type) {
            created = watched_device(&DeviceDesc { driver_type: DriverType::Hardware, ..desc.clone() });
        }
        match created {
            Ok((watch, device, immediate)) => Some(Self { device, immediate, config, watch, seen_breaches }),
            Err(Error::NotFound(_) | Error::Unsupported(_))
                if config.backend == Backend::Gpu && std::env::var_os(ALLOW_NO_GPU).is_some() =>
            {
                println!("skipped: no adapter ({config})");
                None
            }
            Err(error) => panic!("no device for {config}: {error}"),
        }
    }

    /// Returns whether the driver draws, because pictures can be compared only on drivers that do.
    pub fn draws(&self) -> bool {
        self.device.adapter().kind != AdapterKind::Null
    }

    /// Returns whether the device has all of the given features, so that tests can skip checks.
    pub fn has_feature(&self, features: Features) -> bool {
        self.device.check_feature_support().features.contains(features)
    }

    /// Records commands on one of the paths, with the immediate context reset to the default state before and
    /// after them.
    pub fn record(&mut self, how: CommandPath, commands: impl FnOnce(&mut DeviceContext)) {
        self.immediate.clear_state();
        match how {
            CommandPath::Immediate => commands(&mut self.immediate),
            CommandPath::Deferred | CommandPath::Nested => {
                let mut deferred = self.device.create_deferred_context().unwrap();
                commands(&mut deferred);
                let mut list = deferred.finish_command_list(false).unwrap();
                if how == CommandPath::Nested {
                    deferred.execute_command_list(&list, false);
                    list = deferred.finish_command_list(false).unwrap();
                }
                self.immediate.execute_command_list(&list, false);
            }
        }
        self.immediate.clear_state();
    }

    /// Returns the bytes of a subresource, without padding between rows.
    pub fn read(&mut self, texture: &Texture2d, subresource: u32) -> Vec<u8> {
        self.immediate.read_texture_2d(texture, subresource).unwrap()
    }

    /// Returns the texels of a whole subresource whose texels have four bytes.
    pub fn read_u32(&mut self, texture: &Texture2d, subresource: u32) -> Vec<u32> {
        bytemuck::pod_collect_to_vec(&self.read(texture, subresource))
    }

    /// Returns whether the device supports a format for all of the given purposes.
    pub fn has_format(&self, format: Format, support: onze::FormatSupport) -> bool {
        self.device.check_format_support(format).contains(support)
    }

    /// Takes all messages from the queue, and returns those of severity error or worse.
    pub fn take_errors(&self) -> Vec<Message> {
        let mut messages = self.device.info_queue().take();
        messages.retain(|m| m.severity <= Severity::Error);
        messages.iter().for_each(|message| self.watch.allow(&[message.id]));
        messages
    }

    /// Takes all messages from the queue, and asserts that at least one has this identifier and that every
    /// error among them has it.
    pub fn assert_reported(&self, id: MessageId) {
        self.watch.expect(&[id]);
        let messages = self.device.info_queue().take();
        let relevant = |m: &&Message| m.id == id || m.severity <= Severity::Error;
        let relevant: Vec<_> = messages.iter().filter(relevant).collect();
        assert!(!relevant.is_empty(), "expected the message {id:?}, got {messages:?}");
        assert!(relevant.iter().all(|m| m.id == id), "expected only {id:?}, got {relevant:?}");
    }

    /// Takes all messages from the queue, and asserts that none has severity error or worse.
    pub fn assert_silent(&self) {
        let errors = self.take_errors();
        assert!(errors.is_empty(), "unexpected messages: {errors:#?}");
    }

    /// Waits until the GPU has finished all commands that the immediate context has sent to it.
    pub fn wait(&mut self) {
        let query = self.device.create_query(QueryType::Event).unwrap();
        self.immediate.end(&query);
        wait_until("the GPU is done", || self.immediate.get_data(&query, false).unwrap().is_some());
    }

    /// Flushes until no object of the device is left.
    ///
    /// # Panics
    /// Panics if an object is left after the maximum number of flushes.
    pub fn assert_nothing_alive(&mut self) {
        let mut left = self.device.statistics();
        for _ in 0..FLUSHES {
            self.wait();
            self.immediate.flush();
            left = self.device.statistics();
            if left.live_objects == 0 && left.allocations == 0 && left.allocated_bytes == 0 {
                return;
            }
        }
        panic!("left after all was dropped: {left:?}");
    }

    /// Asserts that no object is left, destroys the device, and asserts that driver and runtime kept their
    /// contract.
    pub fn finish(mut self) {
        self.immediate.clear_state();
        self.assert_nothing_alive();
        self.assert_silent();
        self.device.get_device_removed_reason().unwrap();
        let Self { device, immediate, watch, seen_breaches, .. } = self;
        let info = device.info_queue().clone();
        drop(immediate);
        drop(device);
        let worst: Vec<_> = info.take().into_iter().filter(|m| m.severity <= Severity::Error).collect();
        assert!(worst.is_empty(), "messages while the device was destroyed: {worst:#?}");
        drop(watch);
        assert_no_breach_since(seen_breaches);
    }
}

/// Asserts that neither the driver nor the runtime has broken the driver contract. The list of breaches
/// belongs to the process, so a breach may come from another test that runs at the same time. The message
/// names the entry, which helps to find that test.
fn assert_no_breach_since(seen: usize) {
    let new: Vec<String> = breaches().iter().skip(seen).map(Breach::to_string).collect();
    assert!(new.is_empty(), "the driver contract was broken:\n{}", new.join("\n"));
}
