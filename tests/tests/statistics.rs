//! The device's statistics, and the cost of typical frames: draws, passes, bindings, pipelines and bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Statistics, prelude::*};
use onze_tests::{Quad, Target, Watch, watched_device};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

fn device(workers: u32) -> (Watch, Device, ImmediateContext) {
    device_with(DeviceDesc { workers: Some(workers), ..DeviceDesc::default() })
}

fn device_with(desc: DeviceDesc) -> (Watch, Device, ImmediateContext) {
    let driver_type = DriverType::Custom(onze_wgpu::noop_driver());
    watched_device(&DeviceDesc { driver_type, ..desc }).unwrap()
}

/// Returns the statistics of a frame that follows several equal frames, so that it reuses upload memory.
fn frame(
    device: &Device,
    immediate: &mut ImmediateContext,
    mut record: impl FnMut(&mut ImmediateContext),
) -> Statistics {
    let mut frame = |immediate: &mut ImmediateContext| {
        let before = device.statistics();
        record(immediate);
        immediate.flush();
        device.statistics() - before
    };
    for _ in 0..5 {
        frame(immediate);
    }
    frame(immediate)
}

fn layer(device: &Device) -> (Target, ShaderResourceView) {
    let desc = Texture2dDesc {
        bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
        ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 16, 16)
    };
    let texture = device.create_texture_2d(&desc, None).unwrap();
    let view = device.create_render_target_view(&texture, None).unwrap();
    let read = device.create_shader_resource_view(&texture, None).unwrap();
    (Target { texture, view, width: 16, height: 16 }, read)
}

#[test]
fn mips_are_generated_in_a_frame_without_draws() {
    let (_watch, device, mut immediate) = device(0);
    let desc = Texture2dDesc {
        bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
        misc_flags: MiscFlags::GENERATE_MIPS,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 16, 16)
    };
    let texture = device.create_texture_2d(&desc, None).unwrap();
    let view = device.create_shader_resource_view(&texture, None).unwrap();
    immediate.generate_mips(&view);
    immediate.flush();
    device.get_device_removed_reason().unwrap();
}

#[test]
fn a_repeated_frame_is_one_pass_and_creates_nothing() {
    let (_watch, device, mut immediate) = device(0);
    let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
    let frame = frame(&device, &mut immediate, |immediate| {
        target.bind(immediate);
        immediate.clear_render_target_view(&target.view, RED);
        (0..100).for_each(|_| quad.draw(immediate, RED));
    });
    assert_eq!((frame.submissions, frame.draws, frame.passes), (1, 100, 1), "{frame:?}");
    assert_eq!((frame.bind_group_misses, frame.pipeline_compilations), (0, 0), "{frame:?}");
    // Each draw has its own constants, and they are uploaded at offsets that are multiples of 64 to 256,
    // depending on the adapter.
    assert!((99 * 64..101 * 256).contains(&frame.uploaded_bytes), "{frame:?}");
    assert!(frame.pages >= 1 && frame.open_handles >= 5, "{frame:?}");
}

/// A pass must be within one wgpu encoder, so a long pass is split between runs.
#[test]
fn a_long_frame_is_a_pass_for_each_run() {
    // A run consists of whole pages of 512 draws, by default two, but the first one of more than 2,000 draws.
    for (run_draws, passes) in [(None, 9), (Some(2000), 5), (Some(20_000), 1)] {
        let (_watch, device, mut immediate) =
            device_with(DeviceDesc { workers: Some(0), run_draws, ..DeviceDesc::default() });
        let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
        let frame = frame(&device, &mut immediate, |immediate| {
            target.bind(immediate);
            immediate.clear_render_target_view(&target.view, RED);
            (0..10_000).for_each(|_| quad.draw(immediate, RED));
        });
        assert_eq!((frame.submissions, frame.draws, frame.passes), (1, 10_000, passes), "{frame:?}");
        assert_eq!((frame.bind_group_misses, frame.pipeline_compilations), (0, 0), "{frame:?}");
    }
}

/// The replayed draws are in render bundles, which are cheap to execute, so the pass is not split.
#[test]
fn a_long_list_that_is_executed_again_is_one_pass() {
    let (_watch, device, mut immediate) = device(0);
    let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
    let mut deferred = device.create_deferred_context().unwrap();
    target.bind(&mut deferred);
    (0..10_000).for_each(|_| quad.draw(&mut deferred, RED));
    let list = deferred.finish_command_list(false).unwrap();
    let passes: Vec<_> = (0..4)
        .map(|_| {
            let before = device.statistics();
            immediate.execute_command_list(&list, false);
            immediate.flush();
            let frame = device.statistics() - before;
            assert_eq!((frame.draws, frame.submissions), (10_000, 1), "{frame:?}");
            frame.passes
        })
        .collect();
    // The driver creates the bundles at the second execution and uses them from the third on.
    assert_eq!(passes, [10, 10, 1, 1]);
    // Executed lists cause early submissions in the same way as draws.
    let before = device.statistics();
    (0..20).for_each(|_| immediate.execute_command_list(&list, false));
    let waited = device.statistics() - before;
    assert!(waited.draws > 100_000 && waited.early_submissions == waited.submissions, "{waited:?}");
}

#[test]
fn each_set_of_targets_is_one_pass_when_one_reads_another() {
    let (_watch, device, mut immediate) = device(0);
    let quad = Quad::new(&device);
    let ((shadow, read), target) = (layer(&device), Target::new(&device, 16, 16));
    let frame = frame(&device, &mut immediate, |immediate| {
        shadow.bind(immediate);
        immediate.clear_render_target_view(&shadow.view, RED);
        (0..10).for_each(|_| quad.draw(immediate, RED));
        target.bind(immediate);
        immediate.ps_set_shader_resources(0, &read);
        immediate.clear_render_target_view(&target.view, RED);
        (0..10).for_each(|_| quad.draw(immediate, RED));
        immediate.ps_set_shader_resources(0, None::<&ShaderResourceView>);
    });
    assert_eq!((frame.draws, frame.passes), (20, 2), "{frame:?}");
}

#[test]
fn a_lone_clear_is_a_pass_and_a_repeated_clear_is_free() {
    let (_watch, device, mut immediate) = device(0);
    let target = Target::new(&device, 16, 16);
    let frame = frame(&device, &mut immediate, |immediate| {
        (0..3).for_each(|_| immediate.clear_render_target_view(&target.view, RED));
    });
    assert_eq!((frame.draws, frame.passes), (0, 1), "{frame:?}");
}

#[test]
fn prepared_pipelines_are_not_compiled_by_draws() {
    for threading in [ThreadingCaps::CommandLists, ThreadingCaps::FreeThreaded] {
        let driver_type = DriverType::Custom(onze_wgpu::noop_driver());
        let desc = DeviceDesc { driver_type, max_threading: threading, ..DeviceDesc::default() };
        let (_watch, device, mut immediate) = watched_device(&desc).unwrap();
        let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
        let mut loading = device.create_deferred_context().unwrap();
        target.bind(&mut loading);
        quad.bind(&mut loading);
        loading.prepare_draw();
        loading.ia_set_primitive_topology(PrimitiveTopology::LineList);
        loading.prepare_draw();
        immediate.execute_command_list(&loading.finish_command_list(false).unwrap(), false);
        immediate.flush();
        while device.statistics().pipelines_compiling > 0 {
            std::thread::yield_now();
        }
        let prepared = device.statistics();
        let counts =
            (prepared.pipelines_prepared, prepared.pipeline_compilations, prepared.draws, prepared.passes);
        assert_eq!(counts, (2, 0, 0, 0), "{threading:?}: {prepared:?}");
        target.bind(&mut immediate);
        quad.draw(&mut immediate, RED);
        immediate.ia_set_primitive_topology(PrimitiveTopology::LineList);
        immediate.draw(2, 0);
        immediate.flush();
        assert_eq!((device.statistics() - prepared).pipeline_compilations, 0, "{threading:?}");
        immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        immediate.draw(2, 0);
        immediate.flush();
        assert_eq!((device.statistics() - prepared).pipeline_compilations, 1, "the count counts");
    }
}

/// Lists from several contexts with the same targets are drawn in one pass.
#[test]
fn lists_with_the_same_targets_share_a_pass() {
    let (_watch, device, mut immediate) = device(0);
    let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
    let mut contexts: Vec<_> = (0..4).map(|_| device.create_deferred_context().unwrap()).collect();
    let frame = frame(&device, &mut immediate, |immediate| {
        immediate.clear_render_target_view(&target.view, RED);
        for context in &mut contexts {
            target.bind(context);
            (0..10).for_each(|_| quad.draw(context, RED));
            immediate.execute_command_list(&context.finish_command_list(false).unwrap(), false);
        }
    });
    assert_eq!((frame.draws, frame.passes, frame.submissions), (40, 1, 1), "{frame:?}");
    assert_eq!((frame.bind_group_misses, frame.pipeline_compilations), (0, 0), "{frame:?}");
}

/// Updates of resources that the frame has not used yet are moved before the pass.
#[test]
fn movable_updates_and_copies_do_not_split_a_pass() {
    let (_watch, device, mut immediate) = device(0);
    let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
    let texture = |_| {
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
        device.create_texture_2d(&desc, None).unwrap()
    };
    let textures: Vec<_> = (0..6).map(texture).collect();
    let frame = frame(&device, &mut immediate, |immediate| {
        target.bind(immediate);
        for pair in textures.chunks(2) {
            quad.draw(immediate, RED);
            immediate.update_subresource(&pair[0], 0, None, &[7_u32; 16], 16, 0);
            immediate.copy_resource(&pair[1], &pair[0]);
        }
        quad.draw(immediate, RED);
    });
    assert_eq!((frame.draws, frame.passes), (4, 1), "{frame:?}");
}

#[test]
fn updates_needed_between_two_draws_split_the_pass() {
    let (_watch, device, mut immediate) = device(0);
    let (quad, (target, _)) = (Quad::new(&device), layer(&device));
    let copy = device.create_texture_2d(&Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 16, 16), None);
    let copy = copy.unwrap();
    let frame = frame(&device, &mut immediate, |immediate| {
        target.bind(immediate);
        quad.draw(immediate, RED);
        immediate.copy_resource(&copy, &target.texture);
        quad.draw(immediate, RED);
    });
    assert_eq!((frame.draws, frame.passes), (2, 2), "{frame:?}");
}

#[test]
fn a_lists_discards_are_uploaded_once_for_all_executions() {
    let (_watch, device, mut immediate) = device(1);
    let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
    let mut deferred = device.create_deferred_context().unwrap();
    let mut record = |draws, nested: Option<&CommandList>| {
        target.bind(&mut deferred);
        (0..draws).for_each(|_| quad.draw(&mut deferred, RED));
        nested.iter().for_each(|list| deferred.execute_command_list(list, false));
        deferred.finish_command_list(false).unwrap()
    };
    let unused = record(1000, None);
    let inner = record(100, None);
    let outer = record(50, Some(&inner));
    immediate.flush();
    let bytes = |immediate: &mut ImmediateContext, lists: &[&CommandList]| {
        let before = device.statistics();
        lists.iter().for_each(|list| immediate.execute_command_list(list, false));
        immediate.flush();
        (device.statistics() - before).uploaded_bytes
    };
    // The first upload of a page sends the whole page.
    assert!(bytes(&mut immediate, &[&outer]) >= 150 * 64);
    assert_eq!(bytes(&mut immediate, &[&inner, &outer, &inner]), 0);
    let all = device.statistics().uploaded_bytes;
    drop((unused, inner, outer));
    immediate.flush();
    assert_eq!(device.statistics().uploaded_bytes, all, "one was never executed");
}

#[test]
fn no_overwrite_uploads_the_writes_and_not_the_gaps() {
    const SIZE: u32 = 1024 * 1024;
    let (_watch, device, mut immediate) = device(0);
    let written = device.create_buffer(&BufferDesc::dynamic(SIZE, BindFlags::VERTEX_BUFFER), None).unwrap();
    let copied = device.create_buffer(&BufferDesc::new(SIZE, BindFlags::VERTEX_BUFFER), None).unwrap();
    let record = |cx: &mut DeviceContext| {
        let mut write = |how, at: u32| cx.map(&written, 0, how).unwrap().write(at as usize, &[1_u32; 4]);
        write(MapType::WriteDiscard, 0);
        for n in 1..10 {
            write(MapType::WriteNoOverwrite, 16 * n);
            write(MapType::WriteNoOverwrite, SIZE - 16 * n);
        }
        cx.copy_resource(&copied, &written);
    };
    let mut deferred = device.create_deferred_context().unwrap();
    for is_list in [false, true] {
        for round in 0..4 {
            let before = device.statistics();
            if is_list {
                record(&mut deferred);
                immediate.execute_command_list(&deferred.finish_command_list(false).unwrap(), false);
            } else {
                record(&mut immediate);
            }
            immediate.flush();
            let uploaded = (device.statistics() - before).uploaded_bytes;
            assert_eq!(uploaded, 16 * (1 + 9 + 9), "list: {is_list}, round {round}");
        }
    }
}

#[test]
fn contents_of_small_buffers_go_with_the_next_submission() {
    let (_watch, device, mut immediate) = device(0);
    let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
    let uploaded = |immediate: &mut ImmediateContext| {
        let before = device.statistics().uploaded_bytes;
        target.bind(immediate);
        quad.bind(immediate);
        immediate.draw(4, 0);
        immediate.flush();
        device.statistics().uploaded_bytes - before
    };
    uploaded(&mut immediate);
    assert_eq!(uploaded(&mut immediate), 0);
    // The upload size of a constant buffer is rounded up to a power of two, but that of a vertex buffer to a
    // multiple of 16.
    let made = [
        device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[1_u8; 272]).unwrap(),
        device.create_buffer_with(BindFlags::VERTEX_BUFFER, &[1_u8; 100]).unwrap(),
    ];
    assert_eq!(uploaded(&mut immediate), 512 + 112);
    assert_eq!(uploaded(&mut immediate), 0);
    drop(made);
    // If a buffer is dropped before a submission, its contents are never sent, so the next buffer in the same
    // memory is cleared by sending zeros.
    drop(device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[1_u8; 1024]).unwrap());
    let used = device.create_buffer(&BufferDesc::new(272, BindFlags::CONSTANT_BUFFER), None).unwrap();
    assert_eq!(uploaded(&mut immediate), 512);
    drop(used);
}

#[test]
fn automatic_submissions_are_counted_separately() {
    for workers in [0, 1] {
        let (_watch, device, mut immediate) = device(workers);
        assert_eq!(device.statistics().workers, workers.into());
        let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
        target.bind(&mut immediate);
        quad.bind(&mut immediate);
        (0..40_000).for_each(|_| immediate.draw(4, 0));
        immediate.flush();
        let all = device.statistics();
        assert!(all.early_submissions >= 1, "{all:?}");
        assert_eq!((all.submissions, all.draws), (all.early_submissions + 1, 40_000), "{all:?}");
        // A draw without state changes records 8 bytes, and each page adds its preamble.
        assert!((40_000 * 8..40_000 * 12).contains(&all.recorded_bytes), "{all:?}");
    }
}

#[test]
fn excessive_worker_counts_are_clamped() {
    for (asked, run) in [(0, 0), (3, 3), (u32::MAX, 64)] {
        let (_watch, device, _immediate) = device(asked);
        assert_eq!(device.statistics().workers, run, "{asked} were asked for");
    }
}

#[test]
fn statistics_are_totals_whose_difference_is_the_work() {
    let (_watch, device, mut immediate) = device(1);
    let (before, target) = (device.statistics(), Target::new(&device, 16, 16));
    let buffer = device.create_buffer(&BufferDesc::new(256, BindFlags::CONSTANT_BUFFER), None).unwrap();
    let now = device.statistics();
    assert_eq!(now.live_objects, before.live_objects + 3);
    assert!(
        now.buffer_heap_bytes > 0 && now.buffer_heap_free_bytes == now.buffer_heap_bytes - 256,
        "{now:?}"
    );
    let mut deferred = device.create_deferred_context().unwrap();
    deferred.vs_set_constant_buffers(0, &buffer);
    assert_eq!(device.statistics().open_handles, now.open_handles + 1);
    target.bind(&mut immediate);
    // The target's view and its texture add two handles.
    assert_eq!(device.statistics().open_handles, now.open_handles + 3);
    drop((deferred, target, buffer));
    assert_eq!(device.statistics().open_handles, now.open_handles + 2);
    immediate.clear_state();
    immediate.flush();
    immediate.flush();
    let then = device.statistics();
    assert_eq!(
        (then.live_objects, then.open_handles),
        (before.live_objects, before.open_handles),
        "{then:?}"
    );
    assert_eq!(then.buffer_heap_free_bytes, then.buffer_heap_bytes, "{then:?}");
    assert_eq!((then - now).live_objects, then.live_objects, "differences keep counts of live objects");
}
