//! Tests of the runtime's obligations in the driver interface, as seen by a driver.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot continue panics")]

mod spy;
#[path = "driver_contract/tables.rs"]
mod tables;
#[path = "driver_contract/tessellation.rs"]
mod tessellation;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use onze::{ShaderResourceView, prelude::*};
use onze_ddi::{
    ContextError, CreateError, DdiVersion, DriverBug, HandleType, Key, ShaderStage as Stage, verifier,
};
use onze_null::NullDriver;
use spy::{Call, Spy};

fn desc(spy: &Arc<Spy>) -> DeviceDesc {
    let driver_type = DriverType::Custom(spy.driver(NullDriver::default()));
    DeviceDesc { driver_type, debug: true, ..DeviceDesc::default() }
}

/// Creates a device on a driver that records calls, and lets the verifier check the runtime and the driver.
fn device() -> (Arc<Spy>, Device, ImmediateContext) {
    with(|_| {})
}

fn with(change: impl FnOnce(&mut DeviceDesc)) -> (Arc<Spy>, Device, ImmediateContext) {
    let spy = Arc::new(Spy::default());
    let mut desc = DeviceDesc { verify_driver: true, ..desc(&spy) };
    change(&mut desc);
    let (device, immediate) = create_device(&desc).unwrap();
    device.info_queue().set_mute_debug_output(true);
    (spy, device, immediate)
}

fn buffer(device: &Device) -> Buffer {
    device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap()
}

fn view(device: &Device) -> ShaderResourceView {
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
    device.create_shader_resource_view(&device.create_texture_2d(&desc, None).unwrap(), None).unwrap()
}

fn entries(calls: &[Call]) -> Vec<&'static str> {
    calls.iter().map(|call| call.entry).collect()
}

/// Runs without the verifier, because the verifier also queries these lists.
#[test]
fn lists_are_asked_for_twice_first_for_their_length() {
    let spy = Arc::new(Spy::default());
    drop(create_device(&desc(&spy)).unwrap());
    let calls = spy.take();
    let asked = |entry: &str| {
        calls.iter().filter(|call| call.entry == entry).map(|call| call.number).collect::<Vec<_>>()
    };
    assert_eq!(asked("supported_versions"), [None, Some(DdiVersion::ALL.len())]);
    let sizes = asked("check_deferred_context_handle_sizes");
    assert_eq!(sizes, [None, Some(HandleType::ALL.len() + 1)]);
    let order = entries(&calls);
    let at = |entry: &str| order.iter().position(|e| *e == entry).unwrap();
    let opening = [
        at("open_adapter"),
        at("supported_versions"),
        at("threading_caps"),
        at("create_device"),
        at("check_deferred_context_handle_sizes"),
        at("destroy_device"),
    ];
    assert!(opening.is_sorted(), "{order:?}");
}

#[test]
fn every_argument_of_device_creation_reaches_the_driver() {
    let (spy, device, mut immediate) = with(|desc| {
        desc.feature_levels = vec![FeatureLevel::Level11_0];
        desc.prevent_internal_threading_optimizations = true;
        desc.max_threading = ThreadingCaps::FreeThreaded;
        desc.workers = Some(3);
        desc.page_draws = Some(5);
        desc.run_draws = Some(6);
        desc.stored_geometry = StoredGeometry::Always;
        desc.geometry_memory = Some(7);
        desc.memory_budget = Some(1 << 20);
        desc.label = Some("the device".into());
    });
    let args = spy.args.lock().unwrap()[0].clone();
    assert_eq!((args.interface, args.version), (DdiVersion::V11_1.interface, DdiVersion::V11_1.build));
    assert_eq!((args.feature_level, args.threading), (FeatureLevel::Level11_0, ThreadingCaps::FreeThreaded));
    let flags = CreateDeviceFlags::DEBUG | CreateDeviceFlags::PREVENT_INTERNAL_THREADING_OPTIMIZATIONS;
    assert_eq!(args.flags, flags);
    let tuning = onze_ddi::Tuning {
        workers: Some(3),
        page_draws: Some(5),
        run_draws: Some(6),
        stored_geometry: StoredGeometry::Always,
        geometry_memory: Some(7),
        ..onze_ddi::Tuning::default()
    };
    assert_eq!(args.tuning, tuning);
    assert_eq!(args.label.as_deref(), Some("the device"));
    assert!(args.window.is_none());
    // The callbacks belong to this device, so its statistics count the allocation.
    let before = device.statistics();
    let allocation = args.kernel.allocate(onze_ddi::AllocateArgs { size: 7, primary: false, shared: false });
    assert_eq!(device.statistics().allocated_bytes, before.allocated_bytes + 7);
    args.kernel.deallocate(allocation.unwrap());
    assert_eq!(device.statistics(), before);
    args.core.report_bug(DriverBug("a word to the log".into()));
    assert_eq!(device.info_queue().count(MessageId::DriverBug), 1);
    // The page size takes effect: a page is full after five commands.
    (0..10).for_each(|_| immediate.set_marker("command"));
    assert_eq!(device.statistics().submissions, 2);
    // Two devices of the same driver never share a runtime handle.
    drop(create_device(&desc(&spy)).unwrap());
    let all = spy.args.lock().unwrap();
    assert_ne!(all[0].runtime_device, all[1].runtime_device);
}

#[test]
fn the_driver_learns_the_hardware_info_and_memory_budget() {
    let (spy, device, _immediate) = with(|desc| desc.memory_budget = Some(4096));
    let hardware = spy.hardware.lock().unwrap().clone().unwrap();
    assert_eq!(hardware.memory_budget, Some(4096));
    assert!(hardware.processors > 0 && hardware.threads);
    // The null driver reports 4,096 bytes as the largest buffer.
    let large = device.create_buffer(&BufferDesc::new(8192, BindFlags::VERTEX_BUFFER), None);
    assert!(matches!(&large, Err(onze::Error::Unsupported(why)) if why.contains("4096")), "{large:?}");
}

#[test]
fn interface_and_feature_level_are_chosen_apart() {
    for version in [DdiVersion::V11_0, DdiVersion::V11_1] {
        for level in [FeatureLevel::Core11, FeatureLevel::Level11_0] {
            let spy = Arc::new(Spy::default());
            let inner = NullDriver { versions: vec![version], ..NullDriver::default() };
            let desc = DeviceDesc {
                driver_type: DriverType::Custom(spy.driver(inner)),
                feature_levels: vec![level],
                ..desc(&spy)
            };
            let (device, _immediate) = create_device(&desc).unwrap();
            assert_eq!((device.feature_level(), device.check_feature_support().interface), (level, version));
            let args = spy.args.lock().unwrap();
            assert_eq!((args[0].feature_level, args[0].interface), (level, version.interface));
        }
    }
}

#[test]
fn deferred_handle_sizes_are_asked_for_after_creation() {
    let (spy, device, _immediate) = with(|desc| desc.verify_driver = false);
    spy.take();
    let _view = view(&device);
    let calls = spy.take();
    let made = ["calc_private_size", "create", "calc_deferred_context_handle_size"];
    assert_eq!(entries(&calls), [made, made].concat());
    let kinds: Vec<_> = calls.iter().map(|call| call.kind.unwrap()).collect();
    let (resource, view) = (HandleType::Resource, HandleType::ShaderResourceView);
    assert_eq!(kinds, [resource, resource, resource, view, view, view]);
}

/// Counts how often each handle was opened and closed in each context.
fn opened(calls: &[Call]) -> HashMap<(usize, Key), (usize, usize)> {
    let mut opened = HashMap::new();
    for call in calls.iter().filter(|call| call.context > 0) {
        let (Some(key), entry) = (call.key, call.entry) else { continue };
        let (opens, closes) = opened.entry((call.context, key)).or_insert((0, 0));
        *opens += usize::from(entry == "open");
        *closes += usize::from(entry == "close");
    }
    opened
}

#[test]
fn an_object_has_a_handle_only_in_contexts_that_use_it() {
    const CONTEXTS: usize = 5;
    let (spy, device, mut immediate) = device();
    let view = view(&device);
    let unused = buffer(&device);
    let created = spy.take_of("create");
    let key_of = |kind| created.iter().find(|call| call.kind == Some(kind)).unwrap().key.unwrap();
    let keys = [key_of(HandleType::Resource), key_of(HandleType::ShaderResourceView)];
    let mut contexts: Vec<_> = (0..CONTEXTS).map(|_| device.create_deferred_context().unwrap()).collect();
    assert!(opened(&spy.take()).is_empty(), "nothing is opened before it is used");
    for recording in 0..3 {
        for context in &mut contexts {
            for slot in 0..4 {
                context.ps_set_shader_resources(slot, &view);
                context.vs_set_shader_resources(slot, &view);
            }
        }
        immediate.ps_set_shader_resources(0, &view);
        let calls = spy.take();
        let now = opened(&calls);
        assert_eq!(now.len(), 2 * CONTEXTS, "recording {recording}");
        for context in 1..=CONTEXTS {
            // Each object is opened once per recording, however often it is used, and the immediate context
            // has one more handle.
            assert!(keys.iter().all(|key| now[&(context, *key)] == (1, 0)), "{now:?}");
            let order: Vec<_> = calls
                .iter()
                .filter(|call| call.context == context && call.entry == "open")
                .map(|call| call.key.unwrap())
                .collect();
            assert_eq!(order, keys, "the resource is opened before its view");
        }
        let lists: Vec<_> = contexts.iter_mut().map(|c| c.finish_command_list(false).unwrap()).collect();
        let calls = spy.take();
        let after = opened(&calls);
        for context in 1..=CONTEXTS {
            assert!(keys.iter().all(|key| after[&(context, *key)] == (0, 1)), "{after:?}");
            let order: Vec<_> = calls
                .iter()
                .filter(|call| call.context == context && call.entry == "close")
                .map(|call| call.key.unwrap())
                .collect();
            assert_eq!(order, [keys[1], keys[0]], "the view is closed before its resource");
        }
        drop(lists);
    }
    immediate.clear_state();
    drop((view, unused));
    immediate.flush();
    // The immediate context's handles are closed last, and then the objects are destroyed.
    let calls = spy.take();
    let last: Vec<_> = calls.iter().filter(|c| ["close", "destroy"].contains(&c.entry)).collect();
    assert_eq!(last.iter().filter(|c| c.entry == "destroy").count(), 3);
    let destroyed_view = last.iter().position(|c| c.kind == Some(HandleType::ShaderResourceView)).unwrap();
    let closed = |key: Key| last.iter().position(|c| c.entry == "close" && c.key == Some(key));
    assert!(Some(destroyed_view) <= closed(keys[1]), "{last:?}");
}

#[test]
fn an_ending_context_closes_views_before_resources() {
    let before = verifier::breaches().len();
    let (spy, device, mut immediate) = device();
    let views: Vec<_> = (0..4).map(|_| view(&device)).collect();
    for (slot, view) in (0..).zip(&views) {
        immediate.ps_set_shader_resources(slot, view);
    }
    spy.take();
    drop(immediate);
    let closed: Vec<_> = spy.take_of("close").iter().map(|call| call.kind.unwrap()).collect();
    assert_eq!(closed, [[HandleType::ShaderResourceView; 4], [HandleType::Resource; 4]].concat());
    drop((views, device));
    assert_eq!(verifier::breaches()[before..], []);
}

#[test]
fn amortized_processing_comes_with_each_submission_and_page() {
    let (_spy, device, mut immediate) = with(|desc| desc.page_draws = Some(10));
    for frame in 1..=5 {
        (0..25).for_each(|_| immediate.set_marker("command"));
        immediate.flush();
        // Two full pages were submitted early, and the flush submitted the rest.
        let now = device.statistics();
        assert_eq!((now.submissions, now.amortized_calls), (3 * frame, 3 * frame));
    }
    immediate.flush();
    assert_eq!(device.statistics().amortized_calls, 15, "without a submission there is none");
    let mut deferred = device.create_deferred_context().unwrap();
    (0..25).for_each(|_| deferred.set_marker("command"));
    let list = deferred.finish_command_list(false).unwrap();
    let now = device.statistics();
    assert_eq!((now.submissions, now.amortized_calls), (15, 17), "each time that the room is spent");
    drop(list);
}

#[test]
fn only_amortized_processing_lowers_high_water_marks() {
    let (spy, device, mut immediate) = device();
    let shown = Arc::new(AtomicUsize::new(usize::MAX));
    let heard = shown.clone();
    spy.on_marker(move |_, cx| {
        heard.store(cx.core.shader_resources(Stage::Pixel, None).len(), Ordering::SeqCst);
    });
    let ask = |immediate: &mut ImmediateContext| {
        immediate.set_marker("ask");
        shown.load(Ordering::SeqCst)
    };
    assert_eq!(ask(&mut immediate), 0);
    let view = view(&device);
    immediate.ps_set_shader_resources(99, &view);
    immediate.ps_set_shader_resources(7, &view);
    assert_eq!(ask(&mut immediate), 100);
    immediate.ps_set_shader_resources(99, None);
    for _ in 0..3 {
        assert_eq!(ask(&mut immediate), 100);
    }
    immediate.flush();
    assert_eq!(ask(&mut immediate), 8);
}

type Set = Box<dyn Fn(&mut DeviceContext)>;

/// Calls of setters, grouped by the driver's entry, each changing one field of the previous call's arguments.
fn single_changes(device: &Device) -> Vec<(&'static str, Set)> {
    let flags = BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER;
    let [a, b] = [(); 2].map(|()| device.create_buffer(&BufferDesc::new(64, flags), None).unwrap());
    let constants = BufferDesc::new(4096, BindFlags::CONSTANT_BUFFER);
    let [c, d] = [(); 2].map(|()| device.create_buffer(&constants, None).unwrap());
    let [color, other] = [(); 2].map(|()| {
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
        device.create_render_target_view(&device.create_texture_2d(&desc, None).unwrap(), None).unwrap()
    });
    let depth = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4);
    let depth = device.create_texture_2d(&depth, None).unwrap();
    let depth = device.create_depth_stencil_view(&depth, None).unwrap();
    let blend = device.create_blend_state(&BlendDesc::default()).unwrap();
    let tests = device.create_depth_stencil_state(&DepthStencilDesc::default()).unwrap();
    let mut all: Vec<(&'static str, Set)> = Vec::new();
    let mut add = |entry, set: Set| all.push((entry, set));
    for (buffer, stride, offset) in [(&a, 4, 0), (&a, 8, 0), (&a, 8, 4), (&b, 8, 4)] {
        let buffer = buffer.clone();
        let set = move |cx: &mut DeviceContext| {
            cx.ia_set_vertex_buffers(3, VertexBufferBinding { buffer: &buffer, stride, offset });
        };
        add("ia_set_vertex_buffers", Box::new(set));
    }
    let (narrow, wide) = (Format::R16_UINT, Format::R32_UINT);
    for (buffer, format, offset) in [(&a, narrow, 0), (&a, wide, 0), (&a, wide, 4), (&b, wide, 4)] {
        let buffer = buffer.clone();
        let set = move |cx: &mut DeviceContext| cx.ia_set_index_buffer(&buffer, format, offset);
        add("ia_set_index_buffer", Box::new(set));
    }
    for (buffer, first_constant, num_constants) in [(&c, 0, 16), (&c, 16, 16), (&c, 16, 32), (&d, 16, 32)] {
        let range = [ConstantRange { first_constant, num_constants }];
        let (of_vertex, of_pixel) = (buffer.clone(), buffer.clone());
        let set = move |cx: &mut DeviceContext| cx.vs_set_constant_buffers1(2, &of_vertex, &range);
        add("set_constant_buffers", Box::new(set));
        let set = move |cx: &mut DeviceContext| cx.ps_set_constant_buffers1(2, &of_pixel, &range);
        add("set_constant_buffers", Box::new(set));
    }
    for topology in [PrimitiveTopology::LineList, PrimitiveTopology::LineStrip] {
        let set = move |cx: &mut DeviceContext| cx.ia_set_primitive_topology(topology);
        add("ia_set_primitive_topology", Box::new(set));
    }
    let changed = [0.5, 1.0, 1.0, 1.0];
    for (state, factor, mask) in
        [(None, [1.0; 4], 1), (None, changed, 1), (None, changed, 2), (Some(&blend), changed, 2)]
    {
        let state = state.cloned();
        let set = move |cx: &mut DeviceContext| cx.om_set_blend_state(state.as_ref(), factor, mask);
        add("om_set_blend_state", Box::new(set));
    }
    for (state, stencil_ref) in [(None, 1), (None, 2), (Some(&tests), 2)] {
        let state = state.cloned();
        let set = move |cx: &mut DeviceContext| cx.om_set_depth_stencil_state(state.as_ref(), stencil_ref);
        add("om_set_depth_stencil_state", Box::new(set));
    }
    for (color, depth) in [(&color, None), (&color, Some(&depth)), (&other, Some(&depth))] {
        let (color, depth) = (color.clone(), depth.cloned());
        let set = move |cx: &mut DeviceContext| cx.om_set_render_targets(&color, depth.as_ref());
        add("om_set_render_targets", Box::new(set));
    }
    let mut viewport = Viewport::sized(4.0, 4.0);
    let fields: [fn(&mut Viewport); 7] = [
        |_| (),
        |v| v.top_left_x = 1.0,
        |v| v.top_left_y = 1.0,
        |v| v.width = 2.0,
        |v| v.height = 2.0,
        |v| v.min_depth = 0.25,
        |v| v.max_depth = 0.5,
    ];
    for change in fields {
        change(&mut viewport);
        add("rs_set_viewports", Box::new(move |cx| cx.rs_set_viewports(viewport)));
    }
    let mut rect = onze::Rect { left: 0, top: 0, right: 4, bottom: 4 };
    let fields: [fn(&mut onze::Rect); 5] =
        [|_| (), |r| r.left = 1, |r| r.top = 1, |r| r.right = 3, |r| r.bottom = 3];
    for change in fields {
        change(&mut rect);
        add("rs_set_scissor_rects", Box::new(move |cx| cx.rs_set_scissor_rects(rect)));
    }
    all
}

#[test]
fn each_field_that_changes_alone_reaches_the_driver_once() {
    let (spy, device, mut immediate) = device();
    let mut deferred = device.create_deferred_context().unwrap();
    for context in [&mut *immediate, &mut deferred] {
        for (n, (entry, set)) in single_changes(&device).into_iter().enumerate() {
            spy.take();
            (0..2).for_each(|_| set(context));
            let mut reached = entries(&spy.take());
            reached.retain(|entry| *entry != "open");
            assert_eq!(reached, [entry], "change {n}");
        }
    }
}

#[test]
fn within_a_setter_the_driver_is_shown_the_new_binding() {
    // The verifier compares each setter's arguments with the state that the callbacks return.
    let before = verifier::breaches().len();
    let (_spy, device, mut immediate) = device();
    let (buffer, view) = (buffer(&device), view(&device));
    let mut deferred = device.create_deferred_context().unwrap();
    for context in [&mut *immediate, &mut deferred] {
        context.vs_set_constant_buffers(3, [&buffer, &buffer]);
        context.ps_set_shader_resources(9, [&view, &view, &view]);
        context.ps_set_shader_resources(10, None);
        context.rs_set_viewports(Viewport::sized(1.0, 1.0));
        context.ia_set_primitive_topology(PrimitiveTopology::LineList);
        context.clear_state();
    }
    let list = deferred.finish_command_list(false).unwrap();
    drop((list, deferred, buffer, view, immediate, device));
    assert_eq!(verifier::breaches()[before..], []);
}

#[test]
fn an_application_error_is_reported_and_keeps_the_device() {
    let (spy, device, mut immediate) = device();
    spy.on_marker(|_, cx| cx.core.set_error(ContextError::Application("too many".into())));
    let mut deferred = device.create_deferred_context().unwrap();
    immediate.set_marker("wrong");
    deferred.set_marker("wrong");
    let queue = device.info_queue();
    assert_eq!(queue.count(MessageId::DriverApplicationError), 2);
    assert!(queue.take().iter().all(|message| message.description.contains("too many")));
    assert!(deferred.finish_command_list(false).is_ok());
    *spy.create_fails.lock().unwrap() = Some(CreateError::Application("made of air".into()));
    let error = device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None);
    assert!(matches!(&error, Err(onze::Error::InvalidArg(why)) if why.contains("made of air")), "{error:?}");
    *spy.create_fails.lock().unwrap() = None;
    assert_eq!((queue.count(MessageId::DriverBug), device.get_device_removed_reason()), (0, Ok(())));
}

#[test]
fn an_error_that_a_driver_may_not_report_removes_the_device() {
    for (error, deferred) in [
        (ContextError::Bug(DriverBug("out of ideas".into())), false),
        (ContextError::Bug(DriverBug("out of ideas".into())), true),
        // Only a deferred context may run out of memory without removing the device.
        (ContextError::OutOfMemory, false),
    ] {
        let (spy, device, mut immediate) = with(|desc| desc.verify_driver = false);
        let reported = error.clone();
        spy.on_marker(move |_, cx| cx.core.set_error(reported.clone()));
        if deferred {
            device.create_deferred_context().unwrap().set_marker("wrong");
        } else {
            immediate.set_marker("wrong");
        }
        assert_eq!(device.info_queue().count(MessageId::DriverBug), 1, "{error:?}");
        assert!(
            matches!(device.get_device_removed_reason(), Err(onze::Error::DeviceRemoved(_))),
            "{error:?}"
        );
    }
}

#[test]
fn an_error_of_a_deferred_context_reaches_no_other_context() {
    let (spy, device, mut immediate) = device();
    spy.on_marker(|name, cx| {
        if name == "spent" {
            cx.core.set_error(ContextError::OutOfMemory);
        }
    });
    let mut contexts: Vec<_> = (0..3).map(|_| device.create_deferred_context().unwrap()).collect();
    contexts[1].set_marker("spent");
    spy.take();
    for context in contexts.iter_mut().map(|c| &mut **c).chain([&mut *immediate]) {
        context.set_marker("more");
    }
    // The lost recording accepts further calls, which have no effect.
    let reached: HashSet<_> = spy.take_of("set_marker").iter().map(|call| call.context).collect();
    assert_eq!(reached, HashSet::from([0, 1, 3]));
    let results: Vec<_> = contexts.iter_mut().map(|c| c.finish_command_list(false)).collect();
    assert!(results[0].is_ok() && results[2].is_ok());
    assert!(matches!(results[1], Err(onze::Error::OutOfMemory(_))), "{:?}", results[1]);
    contexts[1].set_marker("good again");
    assert!(contexts[1].finish_command_list(false).is_ok());
    assert_eq!(device.get_device_removed_reason(), Ok(()));
}

#[test]
fn an_object_whose_creation_fails_is_never_destroyed() {
    for error in [CreateError::OutOfMemory, CreateError::Application("no".into())] {
        let (spy, device, mut immediate) = device();
        *spy.create_fails.lock().unwrap() = Some(error);
        assert!(device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).is_err());
        *spy.create_fails.lock().unwrap() = None;
        immediate.flush();
        drop((device, immediate));
        assert_eq!(spy.take_of("destroy"), []);
    }
}

#[test]
fn a_removal_from_another_thread_turns_calls_into_nothing() {
    let (spy, device, mut immediate) = device();
    let buffer = buffer(&device);
    std::thread::scope(|scope| {
        let core = spy.core();
        scope.spawn(move || {
            std::thread::yield_now();
            core.device_removed("unplugged".into());
        });
        while device.get_device_removed_reason().is_ok() {
            immediate.set_marker("draw");
        }
    });
    spy.take();
    immediate.set_marker("draw");
    immediate.flush();
    assert!(matches!(immediate.read_buffer::<u8>(&buffer), Err(onze::Error::DeviceRemoved(_))));
    // A driver cannot restore a removed device by publishing a table.
    spy.publish(1);
    immediate.set_marker("draw");
    let entered = entries(&spy.take());
    assert!(!entered.contains(&"set_marker") && !entered.contains(&"flush"), "{entered:?}");
    let reason = device.get_device_removed_reason();
    assert!(matches!(&reason, Err(onze::Error::DeviceRemoved(why)) if why == "unplugged"), "{reason:?}");
    drop((buffer, device, immediate));
    assert_eq!(spy.take_of("destroy_device").len(), 1);
}

#[test]
fn recording_a_frame_s_lists_again_and_again_allocates_nothing() {
    let desc = DeviceDesc { driver_type: DriverType::Null, page_draws: Some(16), ..DeviceDesc::default() };
    let (device, mut immediate) = create_device(&desc).unwrap();
    let (buffer, view, query) =
        (buffer(&device), view(&device), device.create_query(QueryType::Event).unwrap());
    let mut contexts: Vec<_> = (0..3).map(|_| device.create_deferred_context().unwrap()).collect();
    let mut lists = Vec::with_capacity(8);
    let mut record = |lists: &mut Vec<CommandList>| {
        for context in &mut contexts {
            for slot in 0..10 {
                context.vs_set_constant_buffers(slot, &buffer);
                context.ps_set_shader_resources(slot, &view);
                context.rs_set_viewports(Viewport::sized(1.0, 1.0));
                context.set_marker("draw");
                context.end(&query);
            }
            lists.push(context.finish_command_list(false).unwrap());
        }
        let inner = lists[0].clone();
        contexts[0].execute_command_list(&inner, false);
        lists.push(contexts[0].finish_command_list(false).unwrap());
    };
    let mut allocations = Vec::new();
    for _ in 0..6 {
        let cost = allocation_counter::measure(|| record(&mut lists));
        allocations.push(cost.count_total);
        lists.iter().for_each(|list| immediate.execute_command_list(list, false));
        immediate.flush();
        // Outer lists are dropped first, which releases the lists that they execute.
        while lists.pop().is_some() {}
    }
    assert!(allocations[0] > 0, "the first time there is nothing to use again");
    assert_eq!(allocations[3..], [0; 3], "{allocations:?}");
}

#[test]
fn a_dropped_list_dies_is_cached_and_becomes_the_next_one() {
    let (spy, device, mut immediate) = device();
    let mut context = device.create_deferred_context().unwrap();
    let recycling = |spy: &Spy| -> Vec<&str> {
        let of_lists = |entry: &&str| entry.contains("command_list") && *entry != "command_list_execute";
        entries(&spy.take()).into_iter().filter(of_lists).collect()
    };
    let list = context.finish_command_list(false).unwrap();
    assert_eq!(recycling(&spy), ["create_command_list"]);
    immediate.execute_command_list(&list, false);
    let clone = list.clone();
    drop(list);
    assert_eq!(recycling(&spy), [""; 0], "somebody still has it");
    std::thread::spawn(move || drop(clone)).join().unwrap();
    assert_eq!(recycling(&spy), ["recycle_destroy_command_list"]);
    let list = context.finish_command_list(false).unwrap();
    assert_eq!(recycling(&spy), ["recycle_command_list", "create_command_list"]);
    // Without its context, the list cannot be recycled.
    drop(context);
    assert_eq!(recycling(&spy), ["abandon_command_list"]);
    drop(list);
    assert_eq!(recycling(&spy), ["destroy_command_list"]);
}

#[test]
fn a_deferred_context_is_made_of_one_that_was_dropped() {
    let (spy, device, immediate) = device();
    let (a, b) = (device.create_deferred_context().unwrap(), device.create_deferred_context().unwrap());
    let contexts = |spy: &Spy| -> Vec<&str> {
        entries(&spy.take()).into_iter().filter(|entry| entry.ends_with("deferred_context")).collect()
    };
    assert_eq!(contexts(&spy), ["create_deferred_context"; 2]);
    drop(a);
    std::thread::spawn(move || drop(b)).join().unwrap();
    assert_eq!(contexts(&spy), ["recycle_destroy_deferred_context"; 2]);
    let mut again = device.create_deferred_context().unwrap();
    assert_eq!(contexts(&spy), ["recycle_deferred_context", "recycle_create_deferred_context"]);
    // A context that reuses the memory of another context behaves like a new context.
    again.vs_set_constant_buffers(0, &buffer(&device));
    drop(again.finish_command_list(false).unwrap());
    drop((again, immediate, device));
    let ended = ["recycle_destroy_deferred_context", "destroy_deferred_context", "destroy_deferred_context"];
    assert_eq!(contexts(&spy), ended);
}

#[test]
fn too_many_private_bytes_destroy_the_device_at_creation() {
    let spy = Arc::new(Spy::default());
    spy.sizes_too_large.store(true, Ordering::SeqCst);
    let error = create_device(&desc(&spy)).map(drop).unwrap_err();
    assert!(matches!(&error, onze::Error::Fail(reason) if reason.contains("private bytes")), "{error:?}");
    assert_eq!(spy.take_of("destroy_device").len(), 1);
}

/// A preamble repeats the bindings of targets, so it must not set their filled sizes again.
#[test]
fn stream_offsets_are_commands_of_their_own() {
    let (spy, device, mut immediate) = device();
    let desc = BufferDesc::new(64, BindFlags::STREAM_OUTPUT);
    let [a, b] = [(); 2].map(|()| device.create_buffer(&desc, None).unwrap());
    let (new, append) = (StreamOutputBinding::new, StreamOutputBinding::append);
    let mut calls = |targets: &[StreamOutputBinding<'_>]| {
        spy.take();
        immediate.so_set_targets(targets);
        entries(&spy.take())
    };
    assert_eq!(calls(&[new(&a, 0), append(&b)]), ["so_set_targets", "so_set_offset"]);
    assert_eq!(calls(&[new(&a, 8), new(&b, 4)]), ["so_set_offset"; 2]);
    assert_eq!(calls(&[append(&a), append(&b)]), [""; 0]);
    assert_eq!(calls(&[append(&b)]), ["so_set_targets"]);
    assert_eq!(calls(&[]), ["so_set_targets"]);
    assert_eq!(calls(&[]), [""; 0]);
}
