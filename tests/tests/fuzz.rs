//! Random programs over the whole API. Whatever an application does, there must be no panic, no error from
//! the GPU's API, no breach of the driver contract and no leak, and every program must end.
//!
//! `ONZE_FUZZ_SEED` sets the first seed, `ONZE_FUZZ_STEPS` the number of steps per program, and
//! `ONZE_FUZZ_PROGRAMS` the number of programs per test. If `ONZE_FUZZ_TRACE` is set, the steps are printed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "fuzz/alone.rs"]
mod alone;
#[path = "fuzz/commands.rs"]
mod commands;
#[path = "fuzz/compute.rs"]
mod compute;
#[path = "fuzz/geometry.rs"]
mod geometry;
#[path = "fuzz/indirect.rs"]
mod indirect;
#[path = "fuzz/inputs.rs"]
mod inputs;
#[path = "fuzz/members.rs"]
mod members;
#[allow(dead_code, reason = "programs are compared in bytes")]
#[path = "fuzz/samples.rs"]
mod samples;
#[path = "fuzz/shaders.rs"]
mod shaders;
#[path = "fuzz/shapes.rs"]
mod shapes;
#[path = "fuzz/states.rs"]
mod states;
#[path = "fuzz/streams.rs"]
mod streams;
#[path = "fuzz/tessellation.rs"]
mod tessellation;
#[path = "fuzz/textures.rs"]
mod textures;
#[path = "fuzz/typed.rs"]
mod typed;
#[path = "fuzz/world.rs"]
mod world;
#[path = "fuzz/written.rs"]
mod written;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use onze::{ddi::verifier::breaches, *};
use onze_tests::{
    CommandPath, Config, Harness, PATIENCE, Random, Watch, gpu_matrix, null_matrix, wait_for, wait_until,
    watched_device,
};

use textures::without_tiny;
use world::{World, any};

/// Maximum number of flushes until all unused objects must be destroyed, although far fewer are needed
/// because the GPU is idle at each flush.
const FLUSHES: u32 = 100;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

#[derive(Clone, Debug)]
struct Run {
    config: Config,
    seed: u64,
    steps: u64,
    defined: bool,
    debug: bool,
    verify: bool,
    budget: Option<u64>,
    /// Number of completed steps, which stops changing if the program is stuck.
    done: Arc<AtomicU64>,
}

impl Run {
    fn step_done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn desc(&self) -> DeviceDesc {
        DeviceDesc {
            debug: self.debug,
            verify_driver: self.verify,
            memory_budget: self.budget,
            ..self.config.desc()
        }
    }
}

/// The contents of resources, each with a description for messages.
type Contents = Vec<(String, Vec<u8>)>;

struct Recording {
    context: DeferredContext,
    tokens: Vec<MapToken>,
}

struct Program {
    world: World,
    immediate: ImmediateContext,
    tokens: Vec<MapToken>,
    recordings: Vec<Recording>,
    /// A context state that random steps swap with the state of the immediate context.
    state: DeviceContextState,
}

impl Program {
    fn step(&mut self, r: &mut Random) {
        match r.below(40) {
            0..3 => self.world.create(r),
            3 => self.world.drop_one(r),
            4..14 => self.record(r),
            14 | 15 => self.finish(r),
            16 => self.side_by_side(r),
            17 => self.contexts(r),
            18 => self.only_immediate(r),
            19 => commands::end_map(&self.world, r, &mut self.immediate, &mut self.tokens),
            _ => commands::command(&self.world, r, &mut self.immediate, &mut self.tokens),
        }
    }

    /// Creates a deferred context or drops one during its recording.
    fn contexts(&mut self, r: &mut Random) {
        if self.recordings.len() < 4 && !r.one_in(3) {
            let context = self.world.device.create_deferred_context().unwrap();
            self.recordings.push(Recording { context, tokens: Vec::new() });
        } else if !self.recordings.is_empty() {
            self.world.say(format_args!("drop a deferred context"));
            self.recordings.swap_remove(r.below(self.recordings.len() as u32) as usize);
        }
    }

    fn record(&mut self, r: &mut Random) {
        let count = self.recordings.len() as u32;
        if let Some(on) = self.recordings.get_mut(r.below(count) as usize) {
            for _ in 0..1 + r.below(4) {
                self.world.say(format_args!("deferred:"));
                commands::command(&self.world, r, &mut on.context, &mut on.tokens);
                if r.one_in(10) {
                    commands::end_map(&self.world, r, &mut on.context, &mut on.tokens);
                }
            }
        }
    }

    fn finish(&mut self, r: &mut Random) {
        let count = self.recordings.len() as u32;
        if let Some(on) = self.recordings.get_mut(r.below(count) as usize) {
            let restore = r.one_in(2);
            self.world.say(format_args!("finish, restore {restore}"));
            match on.context.finish_command_list(restore) {
                Ok(list) => self.world.add_list(r, list),
                Err(Error::OutOfMemory(_)) => {}
                Err(error) => panic!("finish_command_list: {error}"),
            }
        }
    }

    fn side_by_side(&mut self, r: &mut Random) {
        let world = &self.world;
        thread::scope(|scope| {
            for on in &mut self.recordings {
                let mut r = Random::new(r.bits());
                scope.spawn(move || {
                    let mut world = world.clone();
                    for _ in 0..20 {
                        if r.one_in(10) {
                            world.create(&mut r);
                        }
                        commands::command(&world, &mut r, &mut on.context, &mut on.tokens);
                    }
                });
            }
            for _ in 0..10 {
                commands::command(world, r, &mut self.immediate, &mut self.tokens);
            }
        });
    }

    fn only_immediate(&mut self, r: &mut Random) {
        match r.below(8) {
            6 => {
                self.world.say(format_args!("swap states"));
                self.immediate.swap_device_context_state(&mut self.state);
            }
            7 => {
                let fence = self.world.device.create_fence(0);
                if self.immediate.signal(&fence, 1).is_ok() && r.one_in(2) {
                    let _ = fence.wait_for_value(1, None);
                }
            }
            5 => self.write_after_waiting(r),
            0 => {
                self.world.say(format_args!("flush"));
                self.immediate.flush();
            }
            1 => {
                self.world.say(format_args!("trim"));
                self.immediate.trim();
            }
            2 => {
                if let Some(query) = any(r, &self.world.queries) {
                    let _ = self.immediate.get_data(query, r.one_in(2));
                }
            }
            3 => {
                if let Some(buffer) = any(r, &self.world.buffers).cloned() {
                    self.world.say(format_args!("read {:?}", buffer.desc()));
                    let _ = self.immediate.read_buffer::<u8>(&buffer);
                }
            }
            _ => {
                if let Some(texture) = any(r, &self.world.textures).cloned() {
                    self.world.say(format_args!("read {:?}", texture.desc()));
                    let _ = self.immediate.read_texture_2d(&texture, r.below(4));
                }
            }
        }
    }

    /// Waits for the GPU, then writes with NO_OVERWRITE. The result is defined because the GPU no longer uses
    /// the buffer, even if a list wrote its contents.
    fn write_after_waiting(&mut self, r: &mut Random) {
        let dynamic = |buffer: &&Buffer| buffer.desc().usage == Usage::Dynamic;
        let dynamic: Vec<_> = self.world.buffers.iter().filter(dynamic).cloned().collect();
        if let Some(list) = any(r, &self.world.lists) {
            self.immediate.execute_command_list(list, r.one_in(2));
        }
        let Ok(query) = self.world.device.create_query(QueryType::Event) else { return };
        self.immediate.end(&query);
        wait_until("the GPU is done", || !matches!(self.immediate.get_data(&query, false), Ok(None)));
        for _ in 0..1 + r.below(3) {
            let Some(buffer) = any(r, &dynamic) else { return };
            self.world.say(format_args!("write without overwriting {:?}", buffer.desc()));
            let (value, part) = (r.bits() as u8 % 8, r.below(buffer.desc().byte_width) as usize);
            if let Ok(mut mapped) = self.immediate.map(buffer, 0, MapType::WriteNoOverwrite) {
                let end = mapped.len().min(part + 8);
                mapped.slice_mut(part..end).fill(value);
            }
        }
    }

    /// Returns the contents of all readable resources and counters, and the results of all queries.
    fn contents(&mut self) -> Contents {
        self.tokens.clear();
        self.recordings.clear();
        let mut all = Vec::new();
        for texture in self.world.textures.clone() {
            for subresource in 0..texture.desc().subresources() {
                if let Ok(bytes) = self.immediate.read_texture_2d(&texture, subresource) {
                    let bytes = without_tiny(texture.desc().format, bytes);
                    all.push((format!("{subresource} of {:?}", texture.desc()), bytes));
                }
            }
        }
        all.extend(shapes::contents(&self.world, &mut self.immediate));
        let mut buffers = self.world.buffers.clone();
        buffers.extend(self.world.indirect.buffers());
        for buffer in buffers {
            if let Ok(bytes) = self.immediate.read_buffer(&buffer) {
                all.push((format!("{:?}", buffer.desc()), bytes));
            }
        }
        let device = self.world.device.clone();
        let counters = self.world.compute.read_counters(&device, &mut self.immediate);
        all.push(("the counters of views".to_owned(), counters));
        for query in self.world.queries.clone() {
            let answer = loop {
                match self.immediate.get_data(&query, false) {
                    Ok(None) => thread::yield_now(),
                    answer => break answer.ok().flatten(),
                }
            };
            let answer = answer.map(defined);
            all.push(("the answer of a query".to_owned(), format!("{answer:?}").into_bytes()));
        }
        all
    }
}

/// Replaces with zeros those values of a query result that depend on when and where the commands were
/// executed.
fn defined(answer: QueryData) -> QueryData {
    match answer {
        QueryData::Timestamp(_) => QueryData::Timestamp(0),
        QueryData::PipelineStatistics(all) => QueryData::PipelineStatistics(PipelineStatistics {
            ia_vertices: all.ia_vertices,
            ia_primitives: all.ia_primitives,
            cs_invocations: all.cs_invocations,
            ..PipelineStatistics::default()
        }),
        QueryData::Event(_)
        | QueryData::Occlusion(_)
        | QueryData::TimestampDisjoint(_)
        | QueryData::OcclusionPredicate(_)
        | QueryData::SoStatistics(_)
        | QueryData::SoOverflowPredicate(_) => answer,
    }
}

fn check(run: &Run, device: &Device) {
    let info = device.info_queue();
    let bugs: Vec<_> = info.take().into_iter().filter(|m| m.id == MessageId::DriverBug).collect();
    assert!(bugs.is_empty() && info.count(MessageId::DriverBug) == 0, "driver bugs: {bugs:#?}");
    match device.get_device_removed_reason() {
        Ok(()) => {}
        // An allocation above the budget removes the device if the call cannot return an error.
        Err(Error::DeviceRemoved(why)) if run.budget.is_some() && why.contains("memory") => {}
        Err(error) => panic!("{error}"),
    }
}

/// Runs a program and returns the resulting contents if they are defined, or `None` if the configuration
/// needs a missing GPU and the environment allows the test to be skipped.
fn execute(run: &Run) -> Option<Contents> {
    let seen = breaches().len();
    let mut r = Random::new(run.seed);
    let Harness { watch, device, immediate, .. } = Harness::start_with(run.config, &run.desc())?;
    watch.allow_all();
    let other = r.one_in(4).then(|| watched_device(&Config::NULL.desc()).unwrap());
    let (foreign_watch, foreign, foreign_context) = match other {
        Some((watch, device, context)) => (Some(watch), Some(device), Some(context)),
        None => (None, None, None),
    };
    foreign_watch.iter().for_each(Watch::allow_all);
    let trace = std::env::var_os("ONZE_FUZZ_TRACE").is_some();
    let mut world = World::new(&device, foreign, run.defined, trace);
    world.populate(&mut r);
    let state = device.create_device_context_state();
    let mut program = Program { world, immediate, tokens: Vec::new(), recordings: Vec::new(), state };
    program.contexts(&mut r);
    program.contexts(&mut r);
    for step in 0..run.steps {
        program.world.say(format_args!("-- step {step}"));
        program.step(&mut r);
        run.step_done();
        if trace {
            check(run, &device);
        }
    }
    let contents = if run.defined { program.contents() } else { Vec::new() };
    let Program { world, mut immediate, tokens, recordings, state } = program;
    drop((world, tokens, recordings, state));
    if r.one_in(2) {
        immediate.clear_state();
        settle(run, &device, &mut immediate);
    }
    drop(immediate);
    if device.get_device_removed_reason().is_ok() {
        let left = device.statistics();
        assert_eq!((left.live_objects, left.awaiting_destruction), (0, 0), "left: {left:?}");
    }
    check(run, &device);
    drop((device, foreign_context));
    let new: Vec<_> = breaches().iter().skip(seen).map(ToString::to_string).collect();
    assert!(new.is_empty(), "the driver contract was broken:\n{}", new.join("\n"));
    Some(contents)
}

fn settle(run: &Run, device: &Device, immediate: &mut ImmediateContext) {
    let mut left = device.statistics();
    for _ in 0..FLUSHES {
        if device.get_device_removed_reason().is_err() {
            return;
        }
        let query = device.create_query(QueryType::Event).unwrap();
        immediate.end(&query);
        wait_until("the GPU is done", || {
            let answer = immediate.get_data(&query, false);
            answer.is_err() || answer == Ok(Some(QueryData::Event(true)))
        });
        drop(query);
        immediate.flush();
        left = device.statistics();
        if (left.live_objects, left.allocations, left.allocated_bytes) == (0, 0, 0) {
            return;
        }
    }
    panic!("left after all was dropped: {left:?} of {run:?}");
}

/// Runs a program on a separate thread, so that a stuck program is detected.
fn guarded(run: &Run) -> Option<Contents> {
    let inner = run.clone();
    guarded_with(run, move || execute(&inner))
}

fn guarded_with(run: &Run, execute: impl FnOnce() -> Option<Contents> + Send + 'static) -> Option<Contents> {
    let (done, wait) = mpsc::channel();
    let thread = thread::spawn(move || {
        let result = execute();
        let _ = done.send(());
        result
    });
    let mut before = None;
    while wait.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
        let now = Some(run.done.load(Ordering::Relaxed));
        if before == now {
            eprintln!("stuck: {run:?}");
            std::process::abort();
        }
        before = now;
    }
    thread.join().unwrap_or_else(|_| panic!("failed: {run:?}"))
}

/// Returns the runs of a test, with consecutive seeds and random configurations.
fn runs(configs: &[Config], programs: u64) -> impl Iterator<Item = Run> {
    let first = setting("ONZE_FUZZ_SEED", 1);
    let steps = setting("ONZE_FUZZ_STEPS", 120);
    println!("seeds from {first} on, {steps} steps each");
    (first..first + setting("ONZE_FUZZ_PROGRAMS", programs)).map(move |seed| {
        let mut r = Random::new(!seed);
        Run {
            config: *r.pick(configs),
            seed,
            steps,
            defined: false,
            debug: !r.one_in(8),
            verify: !r.one_in(8),
            budget: r.one_in(10).then(|| u64::from(r.below(1 << 20))),
            done: Arc::default(),
        }
    })
}

#[test]
fn random_programs_on_the_gpu_break_nothing() {
    for run in runs(&gpu_matrix(), 40) {
        if guarded(&run).is_none() {
            return;
        }
    }
}

#[test]
fn random_programs_on_the_null_driver_break_nothing() {
    for run in runs(&null_matrix(), 100) {
        guarded(&run);
    }
}

/// Command buffers of one draw, encoder threads and the runtime's own command lists do not change the
/// contents of any resource.
#[test]
fn random_programs_draw_the_same_in_every_configuration() {
    let configs = gpu_matrix();
    for run in runs(&configs, 6) {
        let run = Run { defined: true, budget: None, ..run };
        let mut first: Option<Contents> = None;
        for config in &configs {
            let run = Run { config: *config, ..run.clone() };
            let Some(contents) = guarded(&run) else { return };
            let expected = first.get_or_insert_with(|| contents.clone());
            assert_eq!(contents.len(), expected.len(), "{run:?}");
            for ((what, bytes), (_, wanted)) in contents.iter().zip(expected) {
                assert!(bytes == wanted, "{what} differs from {:?}: {run:?}", configs[0]);
            }
        }
    }
}

/// After dispatches, clears and copies through views of any format, each buffer must have the contents that
/// the model predicts.
#[test]
fn random_typed_views_write_what_the_model_says() {
    for run in runs(&gpu_matrix(), 12) {
        let run = Run { budget: None, ..run };
        let inner = run.clone();
        if guarded_with(&run, move || typed::execute(&inner).then(Contents::new)).is_none() {
            return;
        }
    }
}

/// Runs the same commands on one of the paths, and returns the contents of all resources.
fn execute_how(run: &Run, how: CommandPath) -> Option<Contents> {
    let seen = breaches().len();
    let mut r = Random::new(run.seed);
    let mut harness = Harness::start_with(run.config, &run.desc())?;
    let trace = std::env::var_os("ONZE_FUZZ_TRACE").is_some();
    let mut world = World::new(&harness.device, None, true, trace);
    world.deferrable = true;
    world.populate(&mut r);
    for _ in 0..3 {
        let mut context = harness.device.create_deferred_context().unwrap();
        for _ in 0..run.steps / 8 {
            commands::command(&world, &mut r, &mut context, &mut Vec::new());
        }
        let list = context.finish_command_list(false).unwrap();
        world.add_list(&mut r, list);
    }
    for _ in 0..3 {
        let part = r.bits();
        let mut tokens = Vec::new();
        harness.record(how, |cx| {
            for step in 0..run.steps / 2 {
                world.say(format_args!("-- step {step}, {how:?}"));
                // The random numbers of a command must not depend on the results of previous commands.
                let mut r = Random::new(part ^ step);
                commands::command(&world, &mut r, cx, &mut tokens);
                if r.one_in(10) {
                    commands::end_map(&world, &mut r, cx, &mut tokens);
                }
                run.step_done();
            }
            // On a deferred context, the end of the recording ends all maps and queries, but on the immediate
            // context they would continue, so they are ended here.
            tokens.clear();
            world.queries.iter().for_each(|query| cx.end(query));
        });
    }
    harness.watch.allow_all();
    let Harness { watch: _watch, device, immediate, .. } = harness;
    let state = device.create_device_context_state();
    let mut program = Program { world, immediate, tokens: Vec::new(), recordings: Vec::new(), state };
    let contents = program.contents();
    let Program { world, immediate, state, .. } = program;
    drop((world, immediate, state));
    check(run, &device);
    drop(device);
    let new: Vec<_> = breaches().iter().skip(seen).map(ToString::to_string).collect();
    assert!(new.is_empty(), "the driver contract was broken:\n{}", new.join("\n"));
    Some(contents)
}

/// Commands have the same effect on the immediate context, in a list, and in a list that another list
/// executes.
#[test]
fn random_programs_draw_the_same_in_command_lists() {
    let mut configs = gpu_matrix();
    configs.extend(null_matrix());
    for run in runs(&configs, 20) {
        let run = Run { defined: true, budget: None, ..run };
        let mut first: Option<Contents> = None;
        for how in CommandPath::ALL {
            let inner = run.clone();
            let Some(contents) = guarded_with(&run, move || execute_how(&inner, how)) else { return };
            let expected = first.get_or_insert_with(|| contents.clone());
            assert_eq!(contents.len(), expected.len(), "{how:?}: {run:?}");
            for ((what, bytes), (_, wanted)) in contents.iter().zip(expected) {
                assert!(bytes == wanted, "{what} is different, {how:?}: {run:?}");
            }
        }
    }
}

/// Runs sequences of commands and returns the contents of textures after each sequence. Each sequence runs
/// three times, directly or in a list, and before each run the contents of one dynamic buffer change.
fn execute_alone(run: &Run, is_list: bool) -> Option<Contents> {
    let mut r = Random::new(run.seed);
    let Harness { watch, device, mut immediate, .. } = Harness::start_with(run.config, &run.desc())?;
    watch.allow_all();
    let mut world = World::new(&device, None, true, std::env::var_os("ONZE_FUZZ_TRACE").is_some());
    world.deferrable = true;
    world.populate(&mut r);
    let mut all = Contents::new();
    for sequence in 0..run.steps / 4 {
        world.say(format_args!("-- sequence {sequence}, list {is_list}"));
        let seed = r.bits();
        let list = is_list.then(|| {
            let mut context = device.create_deferred_context().unwrap();
            alone::commands(&world, &mut Random::new(seed), &mut context);
            context.finish_command_list(false).unwrap()
        });
        for round in 0..3 {
            alone::discard_any(&world, &mut Random::new(seed ^ round), &mut immediate);
            match &list {
                Some(list) => immediate.execute_command_list(list, false),
                None => {
                    immediate.clear_state();
                    alone::commands(&world, &mut Random::new(seed), &mut immediate);
                }
            }
        }
        immediate.clear_state();
        for texture in world.textures.iter().take(world.plain_textures) {
            if let Ok(bytes) = immediate.read_texture_2d(texture, 0) {
                let bytes = without_tiny(texture.desc().format, bytes);
                all.push((format!("{:?} after sequence {sequence}", texture.desc()), bytes));
            }
        }
        all.extend(shapes::contents(&world, &mut immediate));
        run.step_done();
    }
    drop((world, immediate));
    check(run, &device);
    Some(all)
}

/// A command page of one draw has no state from previous draws, so it shows whether a change was missed.
#[test]
fn a_single_change_between_draws_is_always_seen() {
    let pages_of_one = Config { workers: 0, page_draws: Some(1), ..Config::GPU };
    for run in runs(&[pages_of_one], 6) {
        let run = Run { defined: true, budget: None, ..run };
        let mut first: Option<Contents> = None;
        for (config, is_list) in
            [(pages_of_one, false), (Config::GPU, false), (Config::GPU, true), (pages_of_one, true)]
        {
            let run = Run { config, ..run.clone() };
            let inner = run.clone();
            let Some(contents) = guarded_with(&run, move || execute_alone(&inner, is_list)) else { return };
            let expected = first.get_or_insert_with(|| contents.clone());
            assert_eq!(contents.len(), expected.len(), "list {is_list}: {run:?}");
            for ((what, bytes), (_, wanted)) in contents.iter().zip(expected) {
                assert!(bytes == wanted, "{what} is different, list {is_list}: {run:?}");
            }
        }
    }
}

/// Programs skip shaders that do not compile, so a compile error would silently reduce the coverage.
#[test]
fn the_shaders_of_random_programs_compile() {
    for config in [Config::NULL, Config::GPU] {
        let Some(Harness { watch: _watch, device, .. }) = Harness::start(config) else { return };
        for text in shaders::VERTEX {
            device.create_vertex_shader(ShaderSource::wgsl(text, "main")).unwrap();
        }
        for text in shaders::PIXEL {
            match device.create_pixel_shader(ShaderSource::wgsl(text, "main")) {
                // This test does not check which features are missing.
                Err(Error::Unsupported(_)) => {}
                other => drop(other.unwrap()),
            }
        }
        for source in geometry::SOURCES {
            geometry::create(&device, source).unwrap();
        }
        for source in tessellation::SOURCES {
            tessellation::create_hull_shader(&device, source).unwrap();
            tessellation::create_domain_shader(&device, source).unwrap();
        }
        for text in shaders::COMPUTE {
            device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        }
    }
}

/// Draws whose shaders or topologies do not fit are skipped, so a mistake in the generator would silently reduce the
/// coverage.
#[test]
fn random_draws_divide_patches() {
    let Some(Harness { watch, device, mut immediate, .. }) = Harness::start(Config::GPU) else { return };
    watch.allow_all();
    let Ok(query) = device.create_pipeline_statistics_query() else { return };
    let mut r = Random::new(setting("ONZE_FUZZ_SEED", 1));
    let mut world = World::new(&device, None, true, std::env::var_os("ONZE_FUZZ_TRACE").is_some());
    world.populate(&mut r);
    let (mut divided, mut expanded, mut attempts) = (0, 0, 0);
    for _ in 0..160 {
        commands::ready(&world, &mut r, &mut immediate);
        let (hull, geometry) = (immediate.hs_get_shader(), immediate.gs_get_shader());
        if hull.is_none() {
            continue;
        }
        immediate.begin(&query);
        commands::DrawCall::usual(&mut r).make(&mut immediate);
        immediate.end(&query);
        let found = wait_for("statistics", || immediate.get_data(&query, false).unwrap());
        attempts += 1;
        divided += u32::from(found.ds_invocations > 0 && geometry.is_none());
        expanded += u32::from(found.gs_primitives > 0 && geometry.is_some());
    }
    println!(
        "{attempts} draws with a hull shader, {divided} divide patches, {expanded} have a geometry shader"
    );
    assert!(divided >= attempts / 5 && expanded > 0, "{attempts} {divided} {expanded}");
}
