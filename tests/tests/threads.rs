//! Stress tests in which several threads create, record, finish and drop objects, and another thread executes
//! their lists. Nothing may leak or deadlock, and every list must have the same effect as without other
//! threads.
//!
//! `ONZE_STRESS_SEED` sets the seed of the random operations, and the seed is printed. `ONZE_STRESS_SECONDS`
//! is the duration of the longest stress test (default: 10), and shorter tests use a fraction of it.
//! `ONZE_STRESS_THREADS` is the number of threads (default: 8).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "threads/common.rs"]
mod common;
#[path = "threads/create.rs"]
mod create;
#[path = "threads/executor.rs"]
mod executor;
#[path = "threads/pictures.rs"]
mod pictures;
#[path = "threads/recorder.rs"]
mod recorder;
#[path = "threads/watch.rs"]
mod watch;

use std::{
    any::Any,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use onze::{MapToken, ddi::verifier::breaches, prelude::*};
use onze_tests::{
    Config, Harness, Quad, Random, Target,
    drawing::assert_all,
    matrix, on_each,
    state::{Everything, Snapshot},
};

use common::{BYTES, Common, WORDS, lock};
use executor::Executor;
use recorder::Recorder;
use watch::Watchdog;

const THREADS: usize = 8;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

fn seconds() -> Duration {
    Duration::from_secs(setting("ONZE_STRESS_SECONDS").unwrap_or(10))
}

/// Returns the number of threads that create objects and record lists in a stress test.
fn stress_threads() -> usize {
    setting("ONZE_STRESS_THREADS").map_or(THREADS, |threads| threads.max(1) as usize)
}

/// Returns the seed from the environment, or a different one in each run.
fn seed() -> u64 {
    setting("ONZE_STRESS_SEED").unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        now % 1_000_000
    })
}

/// The order of destruction at the end of a stress test.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum End {
    /// The immediate context is dropped last, and its flush must destroy all remaining objects.
    InOrder,
    /// All objects are dropped in random order on several threads while the verifier checks for leaks.
    AnyOrder,
}

fn stress(test: &str, config: Config, time: Duration, end: End) {
    let (seed, seen) = (seed(), breaches().len());
    println!("{test}: {config}, {end:?}, ONZE_STRESS_SEED={seed}");
    let Some(mut h) = Harness::start(config) else { return };
    // `refused` causes these messages in most runs but not in all.
    h.watch.allow(&[MessageId::CreateBufferInvalid, MessageId::CreateShaderInvalid]);
    let threads = stress_threads();
    let mut names: Vec<_> = (0..threads).map(|at| format!("thread {at}")).collect();
    names.push("executing thread".to_owned());
    let dog = Watchdog::new(&format!("{test} with ONZE_STRESS_SEED={seed}"), &names);
    let common = Arc::new(Common::new(&h.device));
    let (send, receive) = mpsc::sync_channel(2 * threads);
    let mut left = thread::scope(|scope| {
        let recorders: Vec<_> = (0..threads)
            .map(|at| {
                let recorder = Recorder::new(at, seed, common.clone(), dog.activity(at), send.clone());
                scope.spawn(|| recorder.run())
            })
            .collect();
        drop(send);
        // If this thread panics, the other threads must stop as well.
        let stop = Stop(&common);
        let mut executor = Executor::new(&mut h, seed, threads, common.clone(), dog.activity(threads));
        executor.run(&receive, time);
        drop(stop);
        println!("lists by thread {:?}, checked {:#?}", executor.lists, executor.checked);
        let left: Vec<_> = recorders.into_iter().flat_map(|recorder| recorder.join().unwrap()).collect();
        assert_eq!(executor.lists.len(), threads, "each thread has handed over a list");
        left
    });
    left.extend(common.take_all());
    let mut r = Random::new(seed.rotate_left(32));
    let activity = dog.activity(threads);
    activity.step("check the messages");
    assert_no_error(&h.device);
    activity.step("drop all that is left");
    match end {
        End::InOrder => {
            drop_on_threads(&mut r, left);
            drop(common);
            activity.step("wait until nothing is alive");
            h.finish();
        }
        End::AnyOrder => {
            let Harness { watch: _watch, device, immediate, .. } = h;
            let info = device.info_queue().clone();
            left.push(Box::new(common));
            left.push(Box::new(device.clone()));
            left.push(Box::new(device));
            left.push(Box::new(immediate));
            drop_on_threads(&mut r, left);
            assert_no_error_in(&info);
        }
    }
    assert_no_breach_since(seen);
}

/// Makes all threads stop when it is dropped, even if the executing thread panics.
struct Stop<'a>(&'a Common);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn drop_on_threads(r: &mut Random, mut things: Vec<Box<dyn Any + Send>>) {
    r.shuffle(&mut things);
    let part = things.len().div_ceil(4).max(1);
    thread::scope(|scope| {
        while !things.is_empty() {
            let some = things.split_off(things.len().saturating_sub(part));
            scope.spawn(move || some.into_iter().for_each(drop));
        }
    });
}

/// Checks message counts instead of messages, because a queue keeps only a limited number of messages.
fn assert_no_error_in(info: &InfoQueue) {
    let errors: Vec<_> = MessageId::ALL
        .iter()
        .filter(|id| id.severity() <= Severity::Error && info.count(**id) > 0)
        // `refused` causes these messages.
        .filter(|id| !matches!(id, MessageId::CreateBufferInvalid | MessageId::CreateShaderInvalid))
        .collect();
    let mut messages = info.messages();
    messages.retain(|message| errors.contains(&&message.id));
    messages.truncate(5);
    assert!(errors.is_empty(), "unexpected messages: {errors:?}, such as {messages:#?}");
    info.clear();
}

fn assert_no_error(device: &Device) {
    assert_no_error_in(device.info_queue());
}

fn assert_no_breach_since(seen: usize) {
    let new: Vec<_> = breaches().iter().skip(seen).map(ToString::to_string).collect();
    assert!(new.is_empty(), "the driver contract was broken:\n{}", new.join("\n"));
}

#[test]
fn many_threads_record_while_one_executes_on_the_gpu() {
    let test = "many_threads_record_while_one_executes_on_the_gpu";
    stress(test, Config::GPU, seconds(), End::InOrder);
}

fn short_stress(test: &str, config: Config) {
    for end in [End::InOrder, End::AnyOrder] {
        stress(test, config, seconds() / 8, end);
    }
}

#[test]
fn many_threads_record_one_draw_per_page_for_the_gpu() {
    let test = "many_threads_record_one_draw_per_page_for_the_gpu";
    short_stress(test, Config { page_draws: Some(1), ..Config::GPU });
}

#[test]
fn many_threads_record_while_one_executes_on_the_null_driver() {
    short_stress("many_threads_record_while_one_executes_on_the_null_driver", Config::NULL);
}

#[test]
fn many_threads_record_runtime_lists_while_one_executes() {
    let test = "many_threads_record_runtime_lists_while_one_executes";
    short_stress(test, Config { threading: ThreadingCaps::FreeThreaded, ..Config::GPU });
}

#[test]
fn many_threads_record_with_serialized_entry() {
    let test = "many_threads_record_with_serialized_entry";
    short_stress(test, Config { threading: ThreadingCaps::Serialized, ..Config::GPU });
    short_stress(test, Config { threading: ThreadingCaps::Serialized, ..Config::NULL });
}

fn buffer(device: &Device, value: u32) -> Buffer {
    let desc = BufferDesc::new(BYTES, BindFlags::VERTEX_BUFFER);
    device.create_buffer(&desc, Some(bytemuck::cast_slice(&[value; WORDS]))).unwrap()
}

fn on_threads<T: Send>(call: impl Fn(usize) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let call = &call;
        let threads: Vec<_> = (0..THREADS).map(|at| scope.spawn(move || call(at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Sets a flag when it is dropped, even during a panic, so that waiting threads stop.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The immediate context has clones of objects that other threads create and drop, so any of the threads may
/// drop the last clone.
#[test]
fn any_thread_can_release_an_object_last_during_drawing() {
    on_each(&matrix(), |h| {
        let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 8, 8));
        let (send, receive) = mpsc::sync_channel::<Arc<Everything>>(4);
        let device = h.device.clone();
        thread::scope(|scope| {
            for at in 0..THREADS as u32 {
                let (device, send) = (device.clone(), send.clone());
                scope.spawn(move || {
                    for round in 0..3 {
                        let everything = Arc::new(Everything::new(&device, at + round));
                        send.send(everything.clone()).unwrap();
                        // These objects of all types are never bound to a context.
                        drop((Everything::new(&device, at), device.create_query(QueryType::Event).unwrap()));
                        drop(everything);
                    }
                });
            }
            drop(send);
            for everything in receive {
                let expected = everything.snapshot();
                everything.bind(&mut h.immediate);
                drop(everything);
                assert_eq!(Snapshot::of(&h.immediate), expected);
                drop(expected);
                h.immediate.clear_state();
                target.bind(&mut h.immediate);
                quad.draw(&mut h.immediate, [0.0, 1.0, 0.0, 1.0]);
                if h.draws() {
                    assert_all(&target.read(h), 0xff00_ff00, "drawn");
                }
                h.immediate.clear_state();
                h.immediate.flush();
            }
        });
    });
}

/// Eight threads nest a list and drop their clones while the immediate context executes the list, and every
/// execution must have the same effect.
#[test]
fn a_list_is_executed_while_threads_nest_and_drop_it() {
    on_each(&matrix(), |h| {
        let quad = Quad::new(&h.device);
        let (target, source) = (Target::new(&h.device, 8, 8), buffer(&h.device, 5));
        let constants = BufferDesc::dynamic(BYTES, BindFlags::CONSTANT_BUFFER);
        let constants = h.device.create_buffer(&constants, None).unwrap();
        let result = h.device.create_buffer(&BufferDesc::new(BYTES, BindFlags::empty()), None).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        target.bind(&mut deferred);
        quad.draw(&mut deferred, [0.0, 0.0, 1.0, 1.0]);
        deferred.map(&constants, 0, MapType::WriteDiscard).unwrap().write_slice(0, &[7_u32; WORDS]);
        deferred.copy_resource(&result, &constants);
        let list = deferred.finish_command_list(false).unwrap();
        let stop = AtomicBool::new(false);
        let nested = AtomicU64::new(0);
        let device = h.device.clone();
        thread::scope(|scope| {
            let stop = Raise(&stop);
            for _ in 0..THREADS {
                let (list, device, nested) = (list.clone(), device.clone(), &nested);
                let stop = stop.0;
                scope.spawn(move || {
                    let mut context = device.create_deferred_context().unwrap();
                    while !stop.load(Ordering::Relaxed) {
                        for _ in 0..1 + nested.fetch_add(1, Ordering::Relaxed) % 3 {
                            context.execute_command_list(&list.clone(), true);
                        }
                        let _ = context.finish_command_list(true).unwrap();
                        thread::yield_now();
                    }
                });
            }
            let mut round = 0;
            while round < 60 || nested.load(Ordering::Relaxed) < THREADS as u64 {
                round += 1;
                h.immediate.clear_render_target_view(&target.view, [1.0; 4]);
                h.immediate.copy_resource(&result, &source);
                h.immediate.execute_command_list(&list, round % 2 == 0);
                assert_eq!(h.immediate.read_buffer::<u32>(&result).unwrap(), [7; WORDS], "round {round}");
                if h.draws() {
                    assert_all(&target.read(h), 0xffff_0000, "drawn by the list");
                }
            }
        });
    });
}

fn states(device: &Device, variant: u32) -> (BlendState, DepthStencilState, RasterizerState, SamplerState) {
    let blend = BlendDesc::all(RenderTargetBlendDesc {
        render_target_write_mask: ColorWrite::from_bits_truncate(variant as u8 & 0xf),
        ..Default::default()
    });
    let depth =
        DepthStencilDesc { stencil_enable: true, stencil_write_mask: variant as u8, ..Default::default() };
    let rasterizer = RasterizerDesc { depth_bias: variant as i32, ..Default::default() };
    let sampler = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Clamp);
    (
        device.create_blend_state(&blend).unwrap(),
        device.create_depth_stencil_state(&depth).unwrap(),
        device.create_rasterizer_state(&rasterizer).unwrap(),
        device.create_sampler_state(&SamplerDesc { min_lod: variant as f32, ..sampler }).unwrap(),
    )
}

#[test]
fn equal_states_of_eight_threads_are_one_object() {
    const VARIANTS: u32 = 12;
    on_each(&matrix(), |h| {
        for round in 0..4 {
            let (barrier, device) = (Barrier::new(THREADS), h.device.clone());
            let made = on_threads(|_| {
                barrier.wait();
                let made: Vec<_> = (0..VARIANTS).map(|variant| states(&device, variant)).collect();
                // These states may be destroyed at the same moment at which another thread finds them by
                // their descriptors.
                (0..50).for_each(|_| drop(states(&device, VARIANTS)));
                made
            });
            assert!(made.iter().all(|thread| *thread == made[0]), "round {round}");
            for (at, one) in made[0].iter().enumerate() {
                assert!(!made[0][..at].contains(one), "variant {at} is that of other descriptors");
            }
            h.immediate.flush();
            assert_eq!(h.device.statistics().live_objects, u64::from(4 * VARIANTS), "round {round}");
            drop(made);
            h.immediate.flush();
            assert_eq!(h.device.statistics().live_objects, 0, "round {round}");
        }
    });
}

#[test]
fn the_info_queue_keeps_every_message_of_eight_threads() {
    const MESSAGES: u64 = 400;
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::CreateBufferInvalid, MessageId::SetViewportsInvalid]);
        let info = h.device.info_queue().clone();
        info.set_message_count_limit(100);
        let device = h.device.clone();
        let running = AtomicU64::new(THREADS as u64);
        let mut taken = 0;
        thread::scope(|scope| {
            for at in 0..THREADS {
                let (device, running) = (device.clone(), &running);
                scope.spawn(move || {
                    let mut context = device.create_deferred_context().unwrap();
                    for i in 0..MESSAGES {
                        match (at + i as usize) % 3 {
                            0 => assert!(device.create_buffer(&BufferDesc::default(), None).is_err()),
                            1 => context.rs_set_viewports(&[Viewport::sized(1.0, 1.0); 17][..]),
                            _ => device.info_queue().add_application_message(Severity::Info, "hello"),
                        }
                    }
                    running.fetch_sub(1, Ordering::Relaxed);
                });
            }
            while running.load(Ordering::Relaxed) > 0 {
                assert!(info.messages().len() <= 100 && info.len() <= 100);
                taken += info.take().len() as u64;
                info.set_muted(MessageId::DrawMapped, taken % 2 == 0);
                thread::yield_now();
            }
        });
        taken += info.take().len() as u64;
        let count = |id| info.count(id);
        let all = count(MessageId::CreateBufferInvalid)
            + count(MessageId::SetViewportsInvalid)
            + count(MessageId::ApplicationMessage);
        assert_eq!(all, THREADS as u64 * MESSAGES);
        assert_eq!(taken + info.discarded(), all);
    });
}

/// Creates a device and uses it, while other threads do the same with other devices.
fn use_devices(r: &mut Random, config: Config, foreign: &Mutex<Vec<Buffer>>) {
    let Some(mut h) = Harness::start(config) else { return };
    let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 8, 8));
    let value = r.bits() as u32;
    let (source, result) = (buffer(&h.device, value), buffer(&h.device, 0));
    let mut deferred = h.device.create_deferred_context().unwrap();
    deferred.copy_resource(&result, &source);
    target.bind(&mut deferred);
    quad.draw(&mut deferred, [1.0, 1.0, 0.0, 1.0]);
    let other = {
        let mut foreign = lock(foreign);
        foreign.push(source.clone());
        if foreign.len() > 6 { Some(foreign.swap_remove(0)) } else { foreign.first().cloned() }
    };
    let other = other.filter(|other| other.device() != h.device);
    if let Some(other) = &other {
        // This buffer may be the last owner of its device.
        deferred.copy_resource(&result, other);
        h.immediate.vs_set_constant_buffers(0, other);
        h.assert_reported(MessageId::ForeignObject);
        assert_eq!(other.device().create_query(QueryType::Event).unwrap().device(), other.device());
    }
    let list = deferred.finish_command_list(false).unwrap();
    h.immediate.execute_command_list(&list, false);
    assert_eq!(h.immediate.read_buffer::<u32>(&result).unwrap(), [value; WORDS]);
    if h.draws() {
        assert_all(&target.read(&mut h), 0xff00_ffff, "drawn on one of several devices");
    }
    h.assert_silent();
    let Harness { watch: _watch, device, immediate, .. } = h;
    let mut things: Vec<Box<dyn Any + Send>> = vec![Box::new(device), Box::new(immediate)];
    things.push(Box::new((quad, target)));
    things.push(Box::new((result, list)));
    things.push(Box::new((source, deferred, other)));
    drop_on_threads(r, things);
}

#[test]
fn devices_of_several_threads_are_independent() {
    let seen = breaches().len();
    let foreign = Mutex::new(Vec::new());
    let configs = matrix();
    on_threads(|at| {
        let mut r = Random::new(at as u64);
        for _ in 0..4 {
            let config = *r.pick(&configs);
            use_devices(&mut r, config, &foreign);
        }
    });
    // The last buffers still keep their devices alive.
    on_threads(|_| drop(lock(&foreign).pop()));
    drop(foreign);
    assert_no_breach_since(seen);
}

/// A guard borrows its context and can be forgotten. A token can outlive its context.
#[test]
fn contexts_dropped_with_open_maps_leak_nothing() {
    on_each(&matrix(), |h| {
        let device = h.device.clone();
        let shared = BufferDesc::dynamic(BYTES, BindFlags::CONSTANT_BUFFER);
        let shared = device.create_buffer(&shared, None).unwrap();
        h.immediate.map(&shared, 0, MapType::WriteDiscard).unwrap().write_slice(0, &[3_u32; WORDS]);
        let tokens = on_threads(|at| {
            let mut tokens: Vec<MapToken> = Vec::new();
            for round in 0..8 {
                let mut context = device.create_deferred_context().unwrap();
                let own = BufferDesc::dynamic(64 << at, BindFlags::VERTEX_BUFFER);
                let own = device.create_buffer(&own, None).unwrap();
                for buffer in [&shared, &own] {
                    let token = context.map_owned(buffer, 0, MapType::WriteDiscard).unwrap();
                    context.bytes_mut(&token).fill(at as u8);
                    tokens.push(token);
                }
                let texture = Texture2dDesc {
                    usage: Usage::Dynamic,
                    cpu_access_flags: CpuAccessFlags::WRITE,
                    mip_levels: 1,
                    ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8)
                };
                let texture = device.create_texture_2d(&texture, None).unwrap();
                std::mem::forget(context.map(&texture, 0, MapType::WriteDiscard).unwrap());
                if round % 2 == 0 {
                    context = device.create_deferred_context().unwrap();
                    context.clear_state();
                }
                drop((own, texture, context));
            }
            tokens
        });
        assert_eq!(h.immediate.read_buffer::<u32>(&shared).unwrap(), [3; WORDS], "no list was executed");
        drop(tokens);
    });
}

#[test]
fn threads_record_on_after_the_immediate_context_goes() {
    let seen = breaches().len();
    for config in matrix() {
        let Some(h) = Harness::start(config) else { continue };
        let common = Arc::new(Common::new(&h.device));
        let Harness { watch: _watch, device, immediate, .. } = h;
        let info = device.info_queue().clone();
        let go = Barrier::new(THREADS + 2);
        thread::scope(|scope| {
            for at in 0..THREADS as u32 {
                let (common, go) = (common.clone(), &go);
                scope.spawn(move || {
                    let device = common.device.clone();
                    let mut context = device.create_deferred_context().unwrap();
                    go.wait();
                    for round in 0..10 {
                        let target = Target::new(&device, 8, 8);
                        target.bind(&mut context);
                        common.quad.draw(&mut context, [1.0; 4]);
                        context.copy_resource(&common.dynamic, &buffer(&device, round));
                        drop(Everything::new(&device, at % 3));
                        let list = context.finish_command_list(round % 2 == 0).unwrap();
                        context.execute_command_list(&list, true);
                    }
                    assert_eq!(context.device(), device);
                });
            }
            let go = &go;
            scope.spawn(move || {
                go.wait();
                drop(immediate);
            });
            go.wait();
            drop((device, common));
        });
        assert_no_error_in(&info);
    }
    assert_no_breach_since(seen);
}

/// The application drops an object while contexts have it bound, and getters on all threads return it at
/// once.
#[test]
fn getters_of_all_threads_revive_one_dropped_object() {
    on_each(&matrix(), |h| {
        for round in 0..20 {
            let object = buffer(&h.device, round);
            let start = Barrier::new(THREADS + 1);
            let device = h.device.clone();
            thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS)
                    .map(|_| {
                        let (object, device, start) = (object.clone(), device.clone(), &start);
                        scope.spawn(move || {
                            let mut context = device.create_deferred_context().unwrap();
                            let binding = VertexBufferBinding { buffer: &object, stride: 4, offset: 0 };
                            context.ia_set_vertex_buffers(0, binding);
                            start.wait();
                            drop(object);
                            let back = || context.ia_get_vertex_buffers(0, 1)[0].0.clone().unwrap();
                            for _ in 0..20 {
                                assert_eq!(back(), back());
                            }
                            let back = back();
                            drop(context);
                            back
                        })
                    })
                    .collect();
                start.wait();
                drop(object);
                h.immediate.flush();
                let back: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
                assert!(back.iter().all(|object| *object == back[0]), "round {round}");
                assert_eq!(h.immediate.read_buffer::<u32>(&back[0]).unwrap(), [round; WORDS]);
            });
            h.immediate.flush();
            assert_eq!(h.device.statistics().live_objects, 0, "round {round}");
        }
    });
}

/// A descriptor may find a state just when a flush is about to destroy that state.
#[test]
fn states_are_created_and_found_while_others_are_destroyed() {
    on_each(&matrix(), |h| {
        let (device, stop) = (h.device.clone(), AtomicBool::new(false));
        thread::scope(|scope| {
            let stop = Raise(&stop);
            for at in 0..THREADS as u32 {
                let (device, stop) = (device.clone(), stop.0);
                scope.spawn(move || {
                    let mut round = at;
                    while !stop.load(Ordering::Relaxed) {
                        round += 1;
                        let made = states(&device, round % 3);
                        assert_eq!(made, states(&device, round % 3));
                        assert_eq!(made.2.desc().depth_bias, (round % 3) as i32);
                    }
                });
            }
            for round in 0..300 {
                let (blend, depth, rasterizer, sampler) = states(&h.device, round % 3);
                h.immediate.om_set_blend_state(&blend, [1.0; 4], u32::MAX);
                h.immediate.om_set_depth_stencil_state(&depth, 0);
                h.immediate.rs_set_state(&rasterizer);
                h.immediate.ps_set_samplers(0, &sampler);
                drop((blend, depth, rasterizer, sampler));
                h.immediate.flush();
                assert_eq!(h.immediate.rs_get_state().unwrap().desc().depth_bias, (round % 3) as i32);
                h.immediate.clear_state();
                h.immediate.flush();
            }
        });
        h.immediate.flush();
        assert_eq!(h.device.statistics().live_objects, 0);
    });
}
