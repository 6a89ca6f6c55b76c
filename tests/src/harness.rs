//! A device whose messages and objects are checked, and the configurations that tests run on.

use onze::{
    AdapterKind, Device, DeviceContext, DeviceDesc, DrawsByIndex, DriverType, Error, Features, Format,
    ImmediateContext, Message, MessageId, QueryType, Severity, Texture2d, ThreadingCaps,
    ddi::verifier::{Breach, breaches},
};

use crate::{
    patience::wait_until,
    watch::{Watch, watched_device},
};

/// If this variable is set, tests that need a GPU print a note and pass without one.
const ALLOW_NO_GPU: &str = "ONZE_ALLOW_NO_GPU";

/// Maximum flushes until all unused objects are destroyed, far more than are needed because the GPU is idle
/// at each flush.
const FLUSHES: u32 = 100;

/// The driver below the runtime, which decides whether a test needs a GPU.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The null driver, which draws nothing and so works on machines without a GPU.
    Null,
    /// The wgpu driver, on a software adapter if there is one, so that pictures are the same on every
    /// machine.
    Gpu,
}

/// A configuration of a device, which decides the paths that a test takes through the library.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The driver that the device is created on, either the null one or that on wgpu.
    pub backend: Backend,
    /// Below `CommandLists` the runtime records lists itself, and below `FreeThreaded` it takes a lock.
    pub threading: ThreadingCaps,
    /// Number of encoding threads of the wgpu driver, where 0 leaves the work to the thread that flushes.
    pub workers: u32,
    /// Maximum draws per command buffer, where 1 splits command buffers between all draws, and render passes
    /// between almost all.
    pub page_draws: Option<u32>,
    /// Whether draws that differ only in their constants are made by index.
    pub draws_by_index: DrawsByIndex,
}

impl std::fmt::Display for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { backend, threading, workers, page_draws, draws_by_index } = self;
        write!(
            f,
            "{backend:?} driver, {threading:?}, {workers} workers, page_draws {page_draws:?}, {draws_by_index:?} by index"
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
    };

    /// The wgpu driver with default settings, for tests that compare pictures and so need a GPU.
    pub const GPU: Self = Self { backend: Backend::Gpu, workers: 2, ..Self::NULL };

    const fn with(self, threading: ThreadingCaps, workers: u32, page_draws: Option<u32>) -> Self {
        Self { threading, workers, page_draws, ..self }
    }

    /// Returns the same configuration with draws made by index wherever possible.
    pub const fn by_index(self) -> Self {
        Self { draws_by_index: DrawsByIndex::Always, ..self }
    }

    /// Returns the descriptor of the device for this configuration, with the debug layer and the verifier
    /// enabled.
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
            // Runs are short enough for several of them on software adapters as well.
            run_draws: Some(self.page_draws.map_or(1000, |draws| 3 * draws)),
            ..DeviceDesc::default()
        }
    }
}

/// Returns the null driver in every configuration that it supports.
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

/// Returns configurations of the wgpu driver in which every pair of two settings occurs.
pub fn gpu_matrix() -> Vec<Config> {
    use ThreadingCaps::{CommandLists, FreeThreaded, Serialized};
    let gpu = Config::GPU;
    vec![
        gpu,
        gpu.by_index(),
        gpu.with(CommandLists, 0, Some(1)).by_index(),
        gpu.with(CommandLists, 2, Some(1)),
        gpu.with(FreeThreaded, 0, None),
        gpu.with(FreeThreaded, 2, Some(1)).by_index(),
        gpu.with(Serialized, 2, None).by_index(),
        gpu.with(Serialized, 0, Some(1)),
    ]
}

/// Returns all configurations of both drivers, those of the null driver first.
pub fn matrix() -> Vec<Config> {
    let mut all = null_matrix();
    all.extend(gpu_matrix());
    all
}

/// Runs a test on a device of each configuration. When the test returns, its objects must be gone, nothing may be left
/// in the driver, and the debug layer must have reported the messages that the test [declared](Watch), and no others.
///
/// Without a GPU, configurations that need one fail unless the environment allows it.
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

/// The path of commands to the driver, which must not change the result of a test.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CommandPath {
    /// Recorded directly on the immediate context.
    Immediate,
    /// Recorded in a command list that the immediate context executes.
    Deferred,
    /// Recorded in a command list that another command list executes.
    Nested,
}

impl CommandPath {
    /// All three paths, for tests that compare their results.
    pub const ALL: [Self; 3] = [Self::Immediate, Self::Deferred, Self::Nested];
}

/// A device with its immediate context, whose messages and objects are checked.
#[derive(Debug)]
pub struct Harness {
    /// The device that the test uses, destroyed by [`Harness::finish`].
    pub device: Device,
    /// The immediate context of the device, which is in its default state at first.
    pub immediate: ImmediateContext,
    /// The configuration that the harness was started with.
    pub config: Config,
    /// Compares the debug layer's messages with the declared ones, after the device and its context are
    /// dropped.
    pub watch: Watch,
    seen_breaches: usize,
}

impl Harness {
    /// Creates a device, or returns `None` without a GPU if the environment allows that.
    ///
    /// # Panics
    /// Panics if the device cannot be created for any other reason.
    pub fn start(config: Config) -> Option<Self> {
        Self::start_with(config, &config.desc())
    }

    /// Creates a device as [`Harness::start`] does, from the test's own descriptor.
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

    /// Returns whether the driver draws, because pictures can be compared only in that case.
    pub fn draws(&self) -> bool {
        self.device.adapter().kind != AdapterKind::Null
    }

    /// Returns whether the device has all of the given features, which a test can use to skip a part.
    pub fn has_feature(&self, features: Features) -> bool {
        self.device.check_feature_support().features.contains(features)
    }

    /// Records commands on one of the paths, with the immediate context in its default state before and
    /// after.
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

    /// Returns the bytes of a subresource, with rows that have no padding.
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

    /// Returns the messages of severity error or worse since the last call.
    pub fn take_errors(&self) -> Vec<Message> {
        let mut messages = self.device.info_queue().take();
        messages.retain(|m| m.severity <= Severity::Error);
        messages.iter().for_each(|message| self.watch.allow(&[message.id]));
        messages
    }

    /// Asserts that error messages were reported since the last call and that all have this identifier, then
    /// clears them.
    pub fn assert_reported(&self, id: MessageId) {
        self.watch.expect(&[id]);
        let messages = self.device.info_queue().take();
        let relevant = |m: &&Message| m.id == id || m.severity <= Severity::Error;
        let relevant: Vec<_> = messages.iter().filter(relevant).collect();
        assert!(!relevant.is_empty(), "expected the message {id:?}, got {messages:?}");
        assert!(relevant.iter().all(|m| m.id == id), "expected only {id:?}, got {relevant:?}");
    }

    /// Asserts that no message of severity error or worse was reported since the last call.
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

    /// Asserts that no object is left, then destroys the device and asserts that both sides kept the
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

/// Asserts that both sides of the driver interface kept its contract. The list of breaches belongs to the
/// process, so a breach may come from another test that runs at the same time, which the message's entry
/// helps to find.
fn assert_no_breach_since(seen: usize) {
    let new: Vec<String> = breaches().iter().skip(seen).map(Breach::to_string).collect();
    assert!(new.is_empty(), "the driver contract was broken:\n{}", new.join("\n"));
}
