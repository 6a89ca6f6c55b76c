//! Out-of-memory errors and device loss as an application sees them: calls that promise an error return it,
//! all other calls do nothing, and nothing leaks.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "faults/compute.rs"]
mod compute;
#[path = "faults/tessellation.rs"]
mod tessellation;

use std::sync::Arc;

use onze::{ThreadingCaps, ddi::verifier::breaches, prelude::*};
use onze_null::NullDriver;
use onze_tests::{
    Backend, Config, Faults, Harness, Quad, Target, assert_error, drawing::assert_all, wait_for,
};

/// Creates a device whose driver can fail on request, or returns `None` if the configuration needs a missing
/// GPU and the environment allows the test to be skipped.
fn faulty(config: Config) -> Option<(Harness, Faults)> {
    let faults = Faults::default();
    let driver = match config.backend {
        Backend::Null => onze_null::driver(),
        Backend::Gpu => onze_wgpu::driver(),
    };
    let desc = DeviceDesc { driver_type: DriverType::Custom(faults.driver(driver)), ..config.desc() };
    Some((Harness::start_with(config, &desc)?, faults))
}

/// Returns configurations of both drivers with the driver's lists, the runtime's lists, and serialized calls.
fn configs() -> impl Iterator<Item = Config> {
    let threading = [ThreadingCaps::CommandLists, ThreadingCaps::FreeThreaded, ThreadingCaps::Serialized];
    [Config::NULL, Config::GPU]
        .into_iter()
        .flat_map(move |config| threading.into_iter().map(move |threading| Config { threading, ..config }))
}

struct World {
    device: Device,
    immediate: ImmediateContext,
    deferred: Option<DeferredContext>,
    list: Option<CommandList>,
    draws: bool,
    quad: Quad,
    compute: compute::Compute,
    /// `None` if the device has no tessellation, so that its scene is not run.
    patches: Option<tessellation::Patches>,
    target: Target,
    vertices: Buffer,
    indices: Buffer,
    staging: Buffer,
    picture: Texture2d,
    view: ShaderResourceView,
    depth: DepthStencilView,
    event: onze::Query,
    token: Option<MapToken>,
    made: Vec<Box<dyn std::any::Any>>,
}

impl World {
    fn new(h: Harness) -> Self {
        let draws = h.draws();
        let has_patches = h.has_feature(tessellation::FEATURES);
        let Harness { watch: _watch, device, immediate, .. } = h;
        let device_ref = &device;
        let picture = Texture2dDesc {
            bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET,
            misc_flags: MiscFlags::GENERATE_MIPS,
            mip_levels: 3,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4)
        };
        let picture = device_ref.create_texture_2d(&picture, None).unwrap();
        let depth = Texture2dDesc {
            bind_flags: BindFlags::DEPTH_STENCIL,
            ..Texture2dDesc::new(Format::D32_FLOAT, 8, 8)
        };
        let depth = device_ref.create_texture_2d(&depth, None).unwrap();
        Self {
            draws,
            quad: Quad::new(&device),
            compute: compute::Compute::new(&device).unwrap(),
            patches: has_patches.then(|| tessellation::Patches::new(&device).unwrap()),
            target: compute::target(&device),
            vertices: device.create_buffer(&BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), None).unwrap(),
            indices: device.create_buffer(&BufferDesc::new(8, BindFlags::INDEX_BUFFER), None).unwrap(),
            staging: device.create_buffer(&BufferDesc::staging(64, CpuAccessFlags::READ), None).unwrap(),
            view: device.create_shader_resource_view(&picture, None).unwrap(),
            depth: device.create_depth_stencil_view(&depth, None).unwrap(),
            event: device.create_query(QueryType::Event).unwrap(),
            picture,
            deferred: None,
            list: None,
            token: None,
            made: Vec::new(),
            device,
            immediate,
        }
    }

    /// Returns the deferred context, created first if necessary, or `None` if the creation fails.
    fn deferred(&mut self) -> Option<&mut DeferredContext> {
        if self.deferred.is_none() {
            self.deferred = self.device.create_deferred_context().ok();
        }
        self.deferred.as_mut()
    }

    fn keep<T: 'static>(&mut self, made: Result<T, onze::Error>) -> Result<(), onze::Error> {
        made.map(|made| self.made.push(Box::new(made)))
    }
}

/// The name of a call, its result on a removed device, and the call.
type Step = (&'static str, Reports, fn(&mut World) -> Result<(), onze::Error>);

/// The result of a call on a device that was already removed: an error that reports the removal, or success
/// without effect.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Reports {
    Removed,
    Nothing,
}

/// The scenes, each with the features without which it is not run.
const SCENES: [(Features, &[Step]); 3] = [
    (Features::empty(), SCENE),
    (Features::empty(), compute::SCENE),
    (tessellation::FEATURES, tessellation::SCENE),
];

// Steps that several scenes have.

fn finish_list(w: &mut World) -> Result<(), onze::Error> {
    let Some(cx) = w.deferred() else { return Err(onze::Error::DeviceRemoved(String::new())) };
    w.list = Some(cx.finish_command_list(false)?);
    Ok(())
}

fn execute_list(w: &mut World) -> Result<(), onze::Error> {
    if let Some(list) = &w.list {
        w.immediate.execute_command_list(list, true);
        w.immediate.execute_command_list(list, false);
    }
    Ok(())
}

fn end_event(w: &mut World) -> Result<(), onze::Error> {
    w.immediate.end(&w.event);
    Ok(())
}

fn wait_for_event(w: &mut World) -> Result<(), onze::Error> {
    wait_for("the event happens", || w.immediate.get_data(&w.event, false).transpose()).map(drop)
}

fn drop_objects(w: &mut World) -> Result<(), onze::Error> {
    w.made.clear();
    w.list = None;
    w.immediate.clear_state();
    w.immediate.flush();
    Ok(())
}

/// Every call on the application's path to the driver, except dispatches and patches.
const SCENE: &[Step] = &[
    ("create a buffer", Reports::Removed, |w| {
        let buffer = w.device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None);
        w.keep(buffer)
    }),
    ("create a texture", Reports::Removed, |w| {
        let texture = w.device.create_texture_2d(
            &Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8_UNORM, 2, 2) },
            Some(&[SubresourceData { bytes: &[0; 4], row_pitch: 2, depth_pitch: 0 }]),
        );
        w.keep(texture)
    }),
    ("create a view", Reports::Removed, |w| {
        let view = w.device.create_render_target_view(&w.picture, None);
        w.keep(view)
    }),
    ("create a shader", Reports::Removed, |w| {
        let shader = w.device.create_pixel_shader(ShaderSource::wgsl("@fragment fn main() {}", "main"));
        w.keep(shader)
    }),
    ("create a state object", Reports::Removed, |w| {
        let state = w.device.create_sampler_state(&SamplerDesc { max_lod: 3.5, ..SamplerDesc::default() });
        w.keep(state)
    }),
    ("create a query", Reports::Removed, |w| {
        let query = w.device.create_query(QueryType::Event);
        w.keep(query)
    }),
    ("create a deferred context", Reports::Removed, |w| {
        let context = w.device.create_deferred_context();
        w.keep(context)
    }),
    ("bind", Reports::Nothing, |w| {
        w.target.bind(&mut w.immediate);
        w.quad.bind(&mut w.immediate);
        w.immediate.om_set_render_targets(&w.target.view, &w.depth);
        w.immediate.ps_set_shader_resources(0, &w.view);
        w.immediate.ia_set_index_buffer(&w.indices, Format::R16_UINT, 0);
        w.immediate.ia_set_vertex_buffers(0, VertexBufferBinding::new(&w.vertices, 16));
        Ok(())
    }),
    ("clear", Reports::Nothing, |w| {
        w.immediate.clear_render_target_view(&w.target.view, [1.0; 4]);
        w.immediate.clear_depth_stencil_view(&w.depth, ClearFlags::DEPTH, 1.0, 0);
        Ok(())
    }),
    ("map with discard", Reports::Removed, |w| {
        let (cx, buffer) = (&mut w.immediate, &w.vertices);
        cx.map(buffer, 0, MapType::WriteDiscard).map(|mut mapped| mapped.fill(1))
    }),
    ("map with no overwrite", Reports::Removed, |w| {
        let (cx, buffer) = (&mut w.immediate, &w.vertices);
        cx.map(buffer, 0, MapType::WriteNoOverwrite).map(|mut mapped| mapped[3] = 1)
    }),
    ("draw", Reports::Nothing, |w| {
        w.immediate.draw(4, 0);
        w.immediate.draw_instanced(4, 2, 0, 0);
        Ok(())
    }),
    ("draw indexed", Reports::Nothing, |w| {
        w.immediate.draw_indexed(4, 0, 0);
        w.immediate.draw_indexed_instanced(4, 2, 0, 0, 0);
        Ok(())
    }),
    ("flush", Reports::Nothing, |w| {
        w.immediate.flush();
        Ok(())
    }),
    ("update", Reports::Nothing, |w| {
        w.immediate.update_subresource(&w.indices, 0, None, &[0_u16, 2, 1, 3], 0, 0);
        w.immediate.update_subresource(&w.picture, 0, None, &[9_u8; 64], 16, 0);
        Ok(())
    }),
    ("generate mip levels", Reports::Nothing, |w| {
        w.immediate.generate_mips(&w.view);
        Ok(())
    }),
    ("copy", Reports::Nothing, |w| {
        w.immediate.copy_resource(&w.staging, &w.vertices);
        let whole = Some(Box3d::bytes(0..8));
        w.immediate.copy_subresource_region(&w.staging, 0, [8, 0, 0], &w.indices, 0, whole);
        Ok(())
    }),
    ("map for reading", Reports::Removed, |w| {
        w.immediate.map(&w.staging, 0, MapType::Read).map(|mapped| assert_eq!(mapped.len(), 64))
    }),
    ("begin a map that stays open", Reports::Removed, |w| {
        w.token = Some(w.immediate.map_owned(&w.vertices, 0, MapType::WriteDiscard)?);
        Ok(())
    }),
    ("write into it", Reports::Nothing, |w| {
        if let Some(token) = &w.token {
            w.immediate.bytes_mut(token).fill(3);
        }
        Ok(())
    }),
    ("end it", Reports::Nothing, |w| {
        if let Some(token) = w.token.take() {
            w.immediate.unmap(token);
        }
        Ok(())
    }),
    ("end an event", Reports::Nothing, end_event),
    ("wait for it", Reports::Removed, wait_for_event),
    ("record", Reports::Nothing, |w| {
        let (target, quad) = (w.target.clone(), w.quad.clone());
        let Some(cx) = w.deferred() else { return Ok(()) };
        target.bind(cx);
        quad.bind(cx);
        // Recording continues after the device was removed, but the writes have no effect.
        cx.map(&quad.constants, 0, MapType::WriteDiscard)?.fill(0);
        cx.draw(4, 0);
        Ok(())
    }),
    ("finish", Reports::Removed, finish_list),
    ("execute", Reports::Nothing, execute_list),
    ("drop", Reports::Nothing, drop_objects),
    ("read back", Reports::Removed, |w| w.immediate.read_texture_2d(&w.target.texture, 0).map(|_| ())),
];

fn lose_at(config: Config, (features, scene): (Features, &[Step]), lost_at: usize) -> Option<()> {
    let (h, faults) = faulty(config)?;
    if !h.has_feature(features) {
        return Some(());
    }
    let mut world = World::new(h);
    let device = world.device.clone();
    for (name, reports, step) in &scene[..lost_at] {
        step(&mut world).unwrap_or_else(|error| panic!("{name}: {error}"));
        let _ = reports;
    }
    // The loss is reported from another thread, as a driver's watchdog would do.
    std::thread::scope(|scope| scope.spawn(|| faults.lose_device("made up")).join().unwrap());
    for (name, reports, step) in &scene[lost_at..] {
        let result = step(&mut world);
        let as_promised = match reports {
            Reports::Removed => matches!(result, Err(onze::Error::DeviceRemoved(_))),
            Reports::Nothing => result.is_ok(),
        };
        assert!(as_promised, "{name}, of a device that was lost before step {lost_at}: {result:?}");
    }
    let reason = device.get_device_removed_reason().unwrap_err().to_string();
    assert!(reason.contains("made up"), "{reason}");
    drop(world);
    assert_eq!(device.statistics().live_objects, 0);
    // Objects that wait for a flush are destroyed together with the device.
    drop(device);
    assert_eq!(faults.outstanding(), 0);
    Some(())
}

#[test]
fn scenes_work_without_a_device_loss() {
    for (config, (features, scene)) in configs().flat_map(|config| SCENES.map(|scene| (config, scene))) {
        let Some((h, _)) = faulty(config) else { return };
        if !h.has_feature(features) {
            continue;
        }
        let mut world = World::new(h);
        for (name, _, step) in scene {
            step(&mut world).unwrap_or_else(|error| panic!("{name} ({config}): {error}"));
        }
        world.device.get_device_removed_reason().unwrap();
        let mut messages = world.device.info_queue().take();
        messages.retain(|message| message.severity <= Severity::Error);
        assert!(messages.is_empty(), "{config}: {messages:#?}");
    }
}

#[test]
fn after_a_loss_calls_do_nothing_and_some_report_it() {
    for config in configs() {
        let before = breaches().len();
        for scene in SCENES {
            for lost_at in 0..=scene.1.len() {
                if lose_at(config, scene, lost_at).is_none() {
                    return;
                }
            }
        }
        let broken = &breaches()[before..];
        assert!(broken.is_empty(), "{config}: {broken:#?}");
    }
}

#[test]
fn a_new_device_works_after_one_was_lost() {
    let Some((lost, faults)) = faulty(Config::GPU) else { return };
    lost.watch.expect(&[MessageId::CreateQueryInvalid, MessageId::DeviceRemoved]);
    faults.lose_device("made up");
    let Some(mut h) = Harness::start(Config::GPU) else { return };
    let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
    target.bind(&mut h.immediate);
    quad.draw(&mut h.immediate, [0.0, 1.0, 0.0, 1.0]);
    assert_all(&target.read(&mut h), 0xff00_ff00, "green");
    assert_error!(lost.device.create_query(QueryType::Event), DeviceRemoved);
    drop((target, quad, lost));
    h.finish();
}

fn create_some(device: &Device) -> Vec<Result<Texture2d, onze::Error>> {
    let texture =
        |size| device.create_texture_2d(&Texture2dDesc::new(Format::R8G8B8A8_UNORM, size, size), None);
    [4, 8, 16, 1, 32].map(texture).into()
}

#[test]
fn an_object_without_memory_does_not_exist_and_the_next_does() {
    for config in configs() {
        let Some((mut h, faults)) = faulty(config) else { return };
        for failing in 0..5 {
            let before = h.device.statistics();
            faults.fail_after(failing);
            let made = create_some(&h.device);
            for (index, result) in (0..).zip(&made) {
                match result {
                    Ok(_) => assert_ne!(index, failing),
                    Err(onze::Error::OutOfMemory(_)) => assert_eq!(index, failing),
                    Err(error) => panic!("{error}"),
                }
            }
            let now = h.device.statistics();
            assert_eq!(now.live_objects, before.live_objects + 4);
            assert_eq!(now.allocations, before.allocations + 4);
            h.assert_reported(MessageId::CreateTexture2dInvalid);
            // If the runtime destroyed an object that was never created, the verifier would report it.
            drop(made);
            h.assert_nothing_alive();
        }
        h.finish();
    }
}

type AllocatingScene = fn(Backend, &Device, &mut ImmediateContext) -> Result<(), onze::Error>;

fn allocate_and_copy(
    backend: Backend,
    device: &Device,
    cx: &mut ImmediateContext,
) -> Result<(), onze::Error> {
    let dynamic = device.create_buffer(&BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), None)?;
    let staging = device.create_buffer(&BufferDesc::staging(64, CpuAccessFlags::READ), None)?;
    cx.map(&dynamic, 0, MapType::WriteDiscard)?.fill(7);
    let mut deferred = device.create_deferred_context()?;
    deferred.copy_resource(&staging, &dynamic);
    let list = deferred.finish_command_list(false)?;
    cx.execute_command_list(&list, false);
    assert_eq!(cx.read_buffer::<u8>(&staging)?, [7; 64]);
    let picture =
        device.create_texture_2d(&Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4), None)?;
    let view = device.create_render_target_view(&picture, None)?;
    cx.clear_render_target_view(&view, [1.0; 4]);
    let expected = if backend == Backend::Gpu { 255 } else { 0 };
    assert_eq!(cx.read_texture_2d(&picture, 0)?, [expected; 64]);
    Ok(())
}

#[test]
fn whichever_allocation_of_a_scene_fails_nothing_leaks() {
    let scenes: [(Features, AllocatingScene); 3] = [
        (Features::empty(), allocate_and_copy),
        (Features::empty(), compute::allocate_and_run),
        (tessellation::FEATURES, tessellation::allocate_and_run),
    ];
    for (config, (features, scene)) in
        [Config::NULL, Config::GPU].into_iter().flat_map(|c| scenes.map(|s| (c, s)))
    {
        let Some((mut h, faults)) = faulty(config) else { return };
        if !h.has_feature(features) {
            continue;
        }
        let run = |h: &mut Harness| scene(config.backend, &h.device, &mut h.immediate);
        run(&mut h).unwrap();
        let allocations = faults.asked();
        assert!(allocations >= 5, "{allocations}");
        for failing in 0..allocations {
            faults.fail_after(failing);
            assert_error!(run(&mut h), OutOfMemory, "allocation {failing}");
            h.take_errors();
            h.assert_nothing_alive();
            run(&mut h).unwrap();
        }
        h.finish();
    }
}

#[test]
fn after_any_command_without_memory_the_next_recording_works() {
    type Scene = (Quad, Target, compute::Compute, tessellation::Patches);
    let record = |cx: &mut DeviceContext, world: &Scene| {
        let (quad, target, compute, patches) = world;
        target.bind(cx);
        cx.clear_render_target_view(&target.view, [0.0; 4]);
        for _ in 0..3 {
            quad.draw(cx, [1.0; 4]);
        }
        compute.run(cx);
        patches.run(cx);
    };
    for budget in 0.. {
        let driver = NullDriver { recording_budget: Some(budget), ..NullDriver::default() };
        let desc = DeviceDesc { driver_type: DriverType::Custom(Arc::new(driver)), ..Config::NULL.desc() };
        let Some(mut h) = Harness::start_with(Config::NULL, &desc) else { return };
        let compute = compute::Compute::new(&h.device).unwrap();
        let patches = tessellation::Patches::new(&h.device).unwrap();
        let world = (Quad::new(&h.device), Target::new(&h.device, 8, 8), compute, patches);
        let mut deferred = h.device.create_deferred_context().unwrap();
        record(&mut deferred, &world);
        let fits = match deferred.finish_command_list(false) {
            Ok(list) => {
                h.immediate.execute_command_list(&list, false);
                true
            }
            Err(onze::Error::OutOfMemory(_)) => false,
            Err(error) => panic!("{error}"),
        };
        // An empty recording needs no memory, so it succeeds.
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.execute_command_list(&list, false);
        if !fits {
            h.assert_reported(MessageId::RecordingOutOfMemory);
        }
        drop((deferred, list, world));
        h.finish();
        if fits {
            assert!(budget > 10, "the scene fits into {budget} commands");
            return;
        }
    }
}
