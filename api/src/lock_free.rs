//! Tests that binding and drawing take no lock, by recording while another thread holds all locks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use crate::{
    device_core::{DeviceCore, ObjectShared, StateKey},
    objects::sealed::Sealed as _,
    prelude::*,
};

/// Time after which a test counts as stuck, although a test takes far less time even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Every lock of the runtime, by file and field. The tests do not hold the following locks. The lock of
/// `serial.rs` protects a driver that only one thread at a time may enter, and is unused with any other
/// driver. `views` belongs to a back buffer, and is locked by a resize and by the creation of a view of the
/// buffer. The locks of fences and shared contexts belong to objects of the application, and only calls with
/// these objects lock them.
const LOCKS: [&str; 12] = [
    "concurrent/ownership.rs: Ownership<O>",
    "concurrent/serial.rs: mutex",
    "concurrent/unique.rs: values",
    "context/fence.rs: values",
    "context/shared_context.rs: context",
    "device_core.rs: parked_immediate",
    "device_core/attachments.rs: later",
    "device_core/live_objects.rs: LiveObjects",
    "device_core/object.rs: views",
    "device_core/open_handles.rs: AllOpenHandles",
    "device_core/removal.rs: waiting",
    "report/message.rs: state",
];

/// Runs `work` on one thread while `hold` holds its locks on another thread, and fails if `work` does not
/// end.
fn while_held<T: Send>(
    what: &str,
    hold: impl FnOnce(&mut dyn FnMut()) + Send,
    work: impl FnOnce() -> T + Send,
) -> T {
    while_held_for(PATIENCE, what, hold, work)
}

fn while_held_for<T: Send>(
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
                assert!(released.recv().is_err(), "the other end is dropped");
            });
        });
        is_held.recv_timeout(PATIENCE).expect("no other thread holds the locks");
        let ((begin, has_begun), (done, is_done)) = (channel(), channel());
        scope.spawn(move || {
            begin.send(()).expect("the test waits");
            done.send(work())
        });
        has_begun.recv_timeout(PATIENCE).expect("the thread starts");
        let answer = is_done.recv_timeout(patience);
        // Releases the locks before a panic, because the panic waits for both threads.
        drop(release);
        answer.unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => panic!("{what}: waits for a lock of the device"),
            RecvTimeoutError::Disconnected => panic!("{what}: failed"),
        })
    })
}

/// Holds all locks of a device and of some of its objects while `meanwhile` runs.
fn hold(core: &Arc<DeviceCore>, objects: &[Arc<ObjectShared>], meanwhile: &mut dyn FnMut()) {
    // Simulates a thread that creates a state and waits in the driver.
    let answer = core.unique_state(StateKey::Blend(BlendDesc::default()), || {
        let _device = (core.parked_immediate.lock(), core.shards.hold_lock(), core.info().hold_lock());
        let _handles = (core.open_handles.hold_lock(), core.live.as_ref().map(|live| live.hold_locks()));
        let _objects: Vec<_> =
            objects.iter().map(|object| (object.hold_lock(), object.attachments.hold_lock())).collect();
        let _attachments = (core.attachments.hold_lock(), core.link.removal.hold_lock());
        meanwhile();
        Err(crate::Error::InvalidCall("made up".to_owned()))
    });
    assert!(answer.is_err(), "the state is new");
}

const SHADER: &str = "
    @group(0) @binding(0) var<uniform> color: vec4<f32>;
    @vertex fn vs(@location(0) position: vec4<f32>) -> @builtin(position) vec4<f32> { return position; }
    @fragment fn ps() -> @location(0) vec4<f32> { return color; }";

/// All bindings of a valid draw, none of them used by a context before.
struct Scene {
    vertices: Buffer,
    constants: [Buffer; 8],
    layout: InputLayout,
    vs: VertexShader,
    ps: PixelShader,
    rasterizer: RasterizerState,
    target: RenderTargetView,
}

impl Scene {
    fn new(device: &Device) -> Self {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs")).unwrap();
        let elements = [InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT)];
        let constants = BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER);
        let target = Texture2dDesc {
            mip_levels: 1,
            bind_flags: BindFlags::RENDER_TARGET,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4)
        };
        let target = device.create_texture_2d(&target, None).unwrap();
        Self {
            vertices: device.create_buffer(&BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), None).unwrap(),
            constants: std::array::from_fn(|_| device.create_buffer(&constants, None).unwrap()),
            layout: device.create_input_layout(&elements, &vs).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps")).unwrap(),
            vs,
            rasterizer: device.create_rasterizer_state(&RasterizerDesc::default()).unwrap(),
            target: device.create_render_target_view(&target, None).unwrap(),
        }
    }

    fn objects(&self) -> Vec<Arc<ObjectShared>> {
        let mut objects: Vec<_> = self.constants.iter().map(|c| c.owner().shared.clone()).collect();
        objects.extend([
            self.vertices.owner().shared.clone(),
            self.layout.owner().shared.clone(),
            self.vs.owner().shared.clone(),
            self.ps.owner().shared.clone(),
            self.rasterizer.owner().shared.clone(),
            self.target.owner().shared.clone(),
        ]);
        objects
    }

    fn record(&self, cx: &mut DeviceContext, draws: u32) {
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.rs_set_state(&self.rasterizer);
        cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
        cx.om_set_render_targets(&self.target, None);
        for n in 0..draws {
            let constants = &self.constants[n as usize % self.constants.len()];
            cx.map(constants, 0, MapType::WriteDiscard).unwrap().fill(n as u8);
            cx.map(&self.vertices, 0, MapType::WriteDiscard).unwrap().fill(n as u8);
            cx.ps_set_constant_buffers(0, constants);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, 16));
            cx.draw(3, 0);
        }
    }
}

/// Enough draws for more than two of the null driver's largest command buffers.
const DRAWS: u32 = 3000;

fn configurations() -> impl Iterator<Item = DeviceDesc> {
    let modes = [ThreadingCaps::CommandLists, ThreadingCaps::FreeThreaded, ThreadingCaps::Serialized];
    modes.into_iter().flat_map(|max_threading| {
        [(None, false), (Some(7), false), (Some(1), false), (Some(7), true)].map(|(page_draws, debug)| {
            DeviceDesc {
                driver_type: DriverType::Null,
                max_threading,
                page_draws,
                debug,
                ..DeviceDesc::default()
            }
        })
    })
}

#[test]
fn a_deferred_context_records_while_every_lock_is_held() {
    for desc in configurations() {
        let (device, mut immediate) = create_device(&desc).unwrap();
        let mut deferred = device.create_deferred_context().unwrap();
        let (core, scene) = (&device.core, Scene::new(&device));
        let amortized = core.amortized_calls.load(Ordering::Relaxed);
        while_held(
            &format!("a deferred context of {desc:?}"),
            |meanwhile| hold(core, &scene.objects(), meanwhile),
            || scene.record(&mut deferred, DRAWS),
        );
        let pages = core.amortized_calls.load(Ordering::Relaxed) - amortized;
        // The runtime's own recordings have no command pages.
        assert!(pages >= 2 || desc.max_threading != ThreadingCaps::CommandLists, "{pages} of {desc:?}");
        immediate.execute_command_list(&deferred.finish_command_list(false).unwrap(), false);
        assert_eq!(device.info_queue().messages(), [], "{desc:?}");
    }
}

#[test]
fn the_immediate_context_draws_while_every_lock_is_held() {
    for desc in configurations() {
        let (device, mut immediate) = create_device(&desc).unwrap();
        let (core, scene) = (&device.core, Scene::new(&device));
        let dropped = device.create_buffer(&BufferDesc::new(4096, BindFlags::VERTEX_BUFFER), None).unwrap();
        let before = core.kernel.allocated_bytes();
        let submissions = core.kernel.submissions();
        while_held(
            &format!("the immediate context of {desc:?}"),
            |meanwhile| hold(core, &scene.objects(), meanwhile),
            || {
                // Destroying an object with a submission must not wait either.
                drop(dropped);
                scene.record(&mut immediate, DRAWS);
            },
        );
        assert!(core.kernel.submissions() - submissions >= 2, "{desc:?}");
        assert_eq!(core.kernel.allocated_bytes(), before - 4096, "{desc:?}");
        assert_eq!(device.info_queue().messages(), [], "{desc:?}");
    }
}

#[test]
fn an_object_whose_owner_is_locked_is_destroyed_next_time() {
    let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
    let (device, mut immediate) = create_device(&desc).unwrap();
    let buffer = device.create_buffer(&BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None).unwrap();
    let shared = buffer.owner().shared.clone();
    let weak = Arc::downgrade(&shared);
    while_held(
        "a flush",
        |meanwhile| hold(&device.core, &[shared], meanwhile),
        || {
            drop(buffer);
            immediate.flush();
        },
    );
    assert_eq!(weak.strong_count(), 1, "it waits");
    immediate.flush();
    assert_eq!(weak.strong_count(), 0);
}

#[test]
#[should_panic(expected = "reading the messages: waits for a lock")]
fn a_call_that_waits_for_a_lock_fails_the_test() {
    let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
    let (device, _immediate) = create_device(&desc).unwrap();
    while_held_for(
        Duration::from_millis(50),
        "reading the messages",
        |meanwhile| hold(&device.core, &[], meanwhile),
        || device.info_queue().len(),
    );
}

/// Finds the fields that are locks in the files of a folder.
fn locks(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            locks(root, &path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("lock_free.rs") {
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
fn the_list_of_locks_is_complete() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    locks(&source, &source, &mut found);
    found.sort_unstable();
    assert_eq!(found, LOCKS, "the tests of this file must also hold a new lock");
}
