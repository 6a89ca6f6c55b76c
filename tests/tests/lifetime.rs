//! Lifetime: objects may be dropped in any order and on any thread, and no object is leaked.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::any::Any;

use onze::{Statistics, prelude::*};
use onze_tests::{
    Backend, Config, Harness, Quad, Random, Target, Watch,
    drawing::assert_all,
    gpu_matrix, matrix, null_matrix, on_each,
    state::{Everything, Snapshot},
};

fn buffer(device: &Device) -> Buffer {
    device.create_buffer(&BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), None).unwrap()
}

fn live(h: &Harness) -> u64 {
    h.device.statistics().live_objects
}

/// Flushes twice and waits for the GPU in between, so that all released objects are destroyed.
fn flushed(h: &mut Harness) -> Statistics {
    h.immediate.flush();
    h.wait();
    h.immediate.flush();
    h.device.statistics()
}

#[test]
fn release_unbind_flush_destroys() {
    on_each(&matrix(), |h| {
        let buffer = buffer(&h.device);
        h.immediate.vs_set_constant_buffers(3, &buffer);
        h.immediate.vs_set_constant_buffers(3, None);
        drop(buffer);
        assert_eq!(live(h), 1, "a drop only enqueues");
        h.immediate.flush();
        assert_eq!(live(h), 0);
    });
}

#[test]
fn release_while_bound_then_clear_state_and_flush_destroys() {
    on_each(&matrix(), |h| {
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        let objects = live(h);
        drop(everything);
        h.immediate.flush();
        assert!(live(h) >= objects - 2 && live(h) > 20, "bound objects are alive: {} of {objects}", live(h));
        assert!(h.immediate.waiting_for_destruction() > 0);
        h.immediate.clear_state();
        h.immediate.flush();
        assert_eq!((live(h), h.immediate.waiting_for_destruction()), (0, 0));
    });
}

/// A flush that released nothing checks only a part of the objects that are still in use.
#[test]
fn a_released_object_is_destroyed_beside_many_that_are_in_use() {
    on_each(&[Config::NULL], |h| {
        let bound = buffer(&h.device);
        let views: Vec<_> = (0..1000)
            .map(|_| {
                let desc = BufferDesc::structured(4, 1, BindFlags::SHADER_RESOURCE);
                h.device.create_buffer(&desc, None).unwrap().create_shader_resource_view().unwrap()
            })
            .collect();
        h.immediate.vs_set_constant_buffers(3, &bound);
        drop(bound);
        for _ in 0..50 {
            h.immediate.flush();
        }
        assert_eq!(live(h), 2001, "all objects are in use");
        h.immediate.vs_set_constant_buffers(3, None);
        let is_destroyed = (0..20).any(|_| {
            h.immediate.flush();
            live(h) == 2000
        });
        assert!(is_destroyed);
        drop(views);
        h.immediate.flush();
        assert_eq!((live(h), h.immediate.waiting_for_destruction()), (0, 0));
    });
}

#[test]
fn an_empty_flush_destroys_released_objects() {
    on_each(&matrix(), |h| {
        for _ in 0..3 {
            let (one, two) = (buffer(&h.device), buffer(&h.device));
            h.immediate.copy_resource(&one, &two);
            h.immediate.flush();
            drop((one, two));
            assert_eq!(live(h), 2);
            assert_eq!(h.device.statistics().awaiting_destruction, 2);
            // The flush destroys the objects even though it has no commands to submit.
            h.immediate.flush();
            assert_eq!(live(h), 0);
            assert_eq!(h.device.statistics().awaiting_destruction, 0);
        }
    });
}

#[test]
fn an_unused_object_is_destroyed_when_dropped() {
    on_each(&matrix(), |h| {
        // With a serialized driver, a drop does not wait for access to the driver, and the object is
        // destroyed later.
        let waiting = u64::from(!h.device.check_feature_support().driver_concurrent_creates);
        let unused = buffer(&h.device);
        let clone = unused.clone();
        drop(unused);
        assert_eq!(live(h), 1, "a clone is left");
        drop(clone);
        assert_eq!((live(h), h.device.statistics().awaiting_destruction), (waiting, waiting));
        let (one, two) = (buffer(&h.device), buffer(&h.device));
        h.immediate.copy_resource(&one, &two);
        drop((one, two));
        assert!(live(h) >= 2, "the immediate context has them");
        let left = flushed(h);
        assert_eq!((left.live_objects, left.allocations), (0, 0));
    });
}

#[test]
fn memory_is_deallocated_after_the_work_that_uses_it() {
    on_each(&matrix(), |h| {
        let (one, two) = (buffer(&h.device), buffer(&h.device));
        assert!(h.device.statistics().allocations >= 2);
        for _ in 0..10 {
            h.immediate.copy_resource(&one, &two);
        }
        drop((one, two));
        let left = flushed(h);
        assert_eq!((left.live_objects, left.allocations, left.allocated_bytes), (0, 0, 0));
    });
}

#[test]
fn a_clone_keeps_an_object() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let one = buffer(&h.device);
        let two = one.clone();
        assert_eq!(one, two);
        drop(one);
        h.immediate.flush();
        assert_eq!(live(h), 1);
        assert_eq!(h.immediate.read_buffer::<u8>(&two).unwrap().len(), 64);
    });
}

#[test]
fn a_view_keeps_its_resource_and_gives_it_back() {
    on_each(&matrix(), |h| {
        let target = Target::new(&h.device, 8, 8);
        let Target { texture, view, .. } = target;
        drop(texture);
        h.immediate.flush();
        assert_eq!(live(h), 2);
        h.immediate.clear_render_target_view(&view, [0.0, 1.0, 0.0, 1.0]);
        let texture = view.texture_2d().unwrap();
        drop(view);
        h.immediate.flush();
        assert_eq!(live(h), 1, "the view is gone");
        let texels = h.read_u32(&texture, 0);
        if h.draws() {
            assert_all(&texels, 0xff00_ff00, "green");
        }
    });
}

#[test]
fn a_getter_returns_a_bound_object_that_was_dropped() {
    on_each(&matrix(), |h| {
        let contents = [9_u8; 64];
        let desc = BufferDesc::new(64, BindFlags::CONSTANT_BUFFER);
        let buffer = h.device.create_buffer(&desc, Some(&contents)).unwrap();
        let twin = buffer.clone();
        h.immediate.ps_set_constant_buffers(5, &buffer);
        drop((buffer, twin));
        for _ in 0..3 {
            h.immediate.flush();
            let back = h.immediate.ps_get_constant_buffers(5, 1)[0].clone().unwrap();
            assert_eq!(back, h.immediate.ps_get_constant_buffers(5, 1)[0].clone().unwrap());
            assert_eq!(h.immediate.read_buffer::<u8>(&back).unwrap(), contents);
            drop(back);
        }
        let back = h.immediate.ps_get_constant_buffers(5, 1)[0].clone().unwrap();
        h.immediate.clear_state();
        h.immediate.flush();
        assert_eq!(h.immediate.read_buffer::<u8>(&back).unwrap(), contents);
        drop(back);
        h.immediate.flush();
        assert_eq!(live(h), 0);
    });
}

/// Equal descriptors return the same object as long as it exists, even if only a binding or a list still owns
/// it.
#[test]
fn a_bound_or_recorded_state_is_found_by_its_descriptor() {
    on_each(&matrix(), |h| {
        let desc = RasterizerDesc { depth_bias: 7, ..Default::default() };
        let create = |device: &Device| device.create_rasterizer_state(&desc).unwrap();
        let device = h.device.clone();
        h.immediate.rs_set_state(&create(&device));
        for _ in 0..3 {
            h.immediate.flush();
            let found = create(&device);
            assert_eq!(Some(&found), h.immediate.rs_get_state().as_ref());
            assert_eq!(live(h), 1);
        }
        let mut deferred = device.create_deferred_context().unwrap();
        deferred.rs_set_state(&create(&device));
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.clear_state();
        h.immediate.flush();
        deferred.rs_set_state(&create(&device));
        assert_eq!(live(h), 1, "the list keeps it");
        drop((list, deferred));
        h.immediate.flush();
        assert_eq!(live(h), 0);
        h.immediate.rs_set_state(&create(&device));
        assert_eq!(h.immediate.rs_get_state().unwrap().desc(), desc);
    });
}

#[test]
fn rasterizer_states_with_different_flags_are_distinct() {
    on_each(&[Config::NULL], |h| {
        let default = RasterizerDesc::default();
        let descs = [
            default,
            RasterizerDesc { multisample_enable: true, ..default },
            RasterizerDesc { multisample_enable: true, antialiased_line_enable: true, ..default },
            RasterizerDesc { conservative_raster: ConservativeRasterizationMode::On, ..default },
        ];
        let create = |desc| h.device.create_rasterizer_state(&desc).unwrap();
        let states = descs.map(create);
        for (n, (state, desc)) in states.iter().zip(descs).enumerate() {
            assert_eq!(state.desc(), desc);
            assert_eq!(states.iter().position(|other| *other == create(desc)), Some(n), "{desc:?}");
        }
    });
}

/// States that wait for destruction do not count against the limit of unique states.
#[test]
fn released_states_do_not_count_as_unique() {
    on_each(&[Config::NULL], |h| {
        for bias in 0..5000 {
            let desc = RasterizerDesc { depth_bias: bias, ..Default::default() };
            drop(h.device.create_rasterizer_state(&desc).unwrap());
        }
    });
}

#[test]
fn bound_objects_outlive_the_applications_handles() {
    on_each(&matrix(), |h| {
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        let mut deferred = h.device.create_deferred_context().unwrap();
        everything.bind(&mut deferred);
        let expected = everything.snapshot();
        drop(everything);
        h.immediate.flush();
        assert_eq!(Snapshot::of(&h.immediate), expected);
        assert_eq!(Snapshot::of(&deferred), expected);
        let list = deferred.finish_command_list(true).unwrap();
        drop(expected);
        h.immediate.clear_state();
        h.immediate.flush();
        assert!(Snapshot::of(&deferred).vertex_shader.is_some());
        drop((list, deferred));
        h.immediate.flush();
        assert_eq!(live(h), 0);
    });
}

/// While the runtime replays a list, the state that it restores after the list is not bound. Released objects
/// may be destroyed during the replay, when a command page is full or the replay waits for data from the GPU.
#[test]
fn bindings_restored_after_a_list_outlive_application_and_list() {
    on_each(&matrix(), |h| {
        let desc = BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER);
        let written = h.device.create_buffer(&desc, None).unwrap();
        let other = h.device.create_buffer(&desc, Some(&[1_u8; 64])).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.map(&written, 0, MapType::WriteDiscard).unwrap().fill(2);
        for _ in 0..3 {
            deferred.copy_resource(&written, &other);
            deferred.map(&written, 0, MapType::WriteNoOverwrite).unwrap().write(0, &3_u8);
        }
        let list = deferred.finish_command_list(false).unwrap();
        let everything = Everything::new(&h.device, 0);
        everything.bind(&mut h.immediate);
        let expected = format!("{:?}", everything.snapshot());
        drop(everything);
        h.immediate.execute_command_list(&list, true);
        assert_eq!(format!("{:?}", Snapshot::of(&h.immediate)), expected);
        clear_bound_depth(&mut h.immediate);
        h.immediate.draw(3, 0);
        h.device.get_device_removed_reason().unwrap();
        let objects = live(h);
        h.immediate.clear_state();
        h.immediate.flush();
        assert!(live(h) + 20 < objects, "unbound objects are destroyed");
    });
}

#[test]
fn a_list_keeps_its_objects_until_it_is_dropped() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, 8, 8);
        let quad = Quad::new(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        target.bind(&mut deferred);
        quad.draw(&mut deferred, [0.0, 1.0, 0.0, 1.0]);
        let inner = deferred.finish_command_list(false).unwrap();
        deferred.execute_command_list(&inner, false);
        let outer = deferred.finish_command_list(false).unwrap();
        let Target { texture, view, .. } = target;
        drop((quad, view, inner, deferred));
        for round in 0..3 {
            h.immediate.flush();
            h.immediate.update_subresource(&texture, 0, None, &[0_u32; 64], 32, 0);
            h.immediate.execute_command_list(&outer, false);
            assert_all(&h.read_u32(&texture, 0), 0xff00_ff00, &format!("round {round}"));
        }
        h.immediate.flush();
        assert!(live(h) > 3);
        drop(outer);
        h.immediate.flush();
        assert_eq!(live(h), 1, "only the texture");
    });
}

#[test]
fn an_object_dropped_while_recording_lives_as_long_as_it() {
    on_each(&matrix(), |h| {
        let mut deferred = h.device.create_deferred_context().unwrap();
        let result = h.device.create_buffer(&BufferDesc::staging(64, CpuAccessFlags::READ), None).unwrap();
        for i in 0..20 {
            let desc = BufferDesc::new(64, BindFlags::VERTEX_BUFFER);
            let source = h.device.create_buffer(&desc, Some(&[i; 64])).unwrap();
            deferred.copy_resource(&result, &source);
            drop(source);
            h.immediate.flush();
        }
        assert_eq!(live(h), 21);
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.flush();
        h.immediate.execute_command_list(&list, false);
        assert_eq!(&*h.immediate.map(&result, 0, MapType::Read).unwrap(), &[19; 64]);
        drop(list);
        h.immediate.flush();
        assert_eq!(live(h), 1);
    });
}

#[test]
fn objects_dropped_after_execution_are_still_drawn() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, 8, 8);
        let quad = Quad::new(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        for (color, expected) in [([1.0, 0.0, 0.0, 1.0], 0xff00_00ff), ([0.0, 0.0, 1.0, 1.0], 0xffff_0000)] {
            target.bind(&mut deferred);
            quad.clone().draw(&mut deferred, color);
            let list = deferred.finish_command_list(false).unwrap();
            h.immediate.execute_command_list(&list, false);
            drop(list);
            assert_all(&target.read(h), expected, "a list");
            target.bind(&mut h.immediate);
            let other = Quad::new(&h.device);
            other.draw(&mut h.immediate, color);
            drop(other);
            h.immediate.clear_state();
            assert_all(&target.read(h), expected, "immediate");
        }
    });
}

/// Clears the bound depth buffer, because draws would otherwise read uninitialised depth.
fn clear_bound_depth(immediate: &mut ImmediateContext) {
    let (_, depth) = immediate.om_get_render_targets();
    immediate.clear_depth_stencil_view(&depth.unwrap(), ClearFlags::DEPTH, 1.0, 0);
}

/// Objects of any type, which tests drop in random order.
type Things = Vec<Box<dyn Any + Send>>;

/// Creates at least one object of each type, with references between them.
fn one_of_each(config: Config) -> Option<(Watch, Device, Things)> {
    let Harness { watch, device, mut immediate, .. } = Harness::start(config)?;
    // Draws may use a buffer that is mapped.
    watch.allow(&[MessageId::DrawMapped]);
    let everything = Everything::new(&device, 0);
    let (quad, target) = (Quad::new(&device), Target::new(&device, 8, 8));
    let query = device.create_query(QueryType::Event).unwrap();
    let mut deferred = device.create_deferred_context().unwrap();
    everything.bind(&mut deferred);
    target.bind(&mut deferred);
    quad.draw(&mut deferred, [1.0; 4]);
    deferred.end(&query);
    let inner = deferred.finish_command_list(true).unwrap();
    deferred.execute_command_list(&inner, true);
    let outer = deferred.finish_command_list(true).unwrap();
    quad.draw(&mut deferred, [0.5; 4]);
    everything.bind(&mut immediate);
    immediate.execute_command_list(&outer, true);
    clear_bound_depth(&mut immediate);
    quad.draw(&mut immediate, [0.25; 4]);
    let token = deferred.map_owned(&quad.constants, 0, MapType::WriteDiscard).unwrap();
    let Target { texture, view, .. } = target;
    let Quad { vs, ps, constants } = quad;
    let clone = device.clone();
    let things: Things = vec![
        Box::new(clone),
        Box::new(immediate),
        Box::new(deferred),
        Box::new(inner),
        Box::new(outer),
        Box::new(texture),
        Box::new(view),
        Box::new(vs),
        Box::new(ps),
        Box::new(constants),
        Box::new(query),
        Box::new(everything),
        Box::new(token),
    ];
    Some((watch, device, things))
}

/// The verifier checks that every object is destroyed and all memory is returned before the device is
/// destroyed.
#[test]
fn all_objects_are_destroyed_in_any_order_and_on_any_thread() {
    let mut random = Random::new(99);
    for config in null_matrix().into_iter().chain(gpu_matrix()) {
        let rounds = if config.backend == Backend::Null { 60 } else { 4 };
        for round in 0..rounds {
            let before = onze_ddi::verifier::breaches().len();
            let Some((_watch, device, mut things)) = one_of_each(config) else { break };
            let info = device.info_queue().clone();
            things.push(Box::new(device));
            random.shuffle(&mut things);
            let threads = random.below(3);
            match threads {
                0 => things.into_iter().for_each(drop),
                1 => things.into_iter().for_each(|thing| std::thread::spawn(|| drop(thing)).join().unwrap()),
                _ => std::thread::scope(|s| {
                    things.into_iter().for_each(|thing| {
                        s.spawn(|| drop(thing));
                    });
                }),
            }
            let worst: Vec<_> = info.take().into_iter().filter(|m| m.severity <= Severity::Error).collect();
            let expected = |m: &Message| m.id == MessageId::DrawMapped;
            assert!(worst.iter().all(expected), "{config}, round {round}, {threads}: {worst:?}");
            let breaches: Vec<_> =
                onze_ddi::verifier::breaches()[before..].iter().map(|b| b.to_string()).collect();
            assert!(breaches.is_empty(), "{config}, round {round}, {threads}: {breaches:#?}");
        }
    }
}

#[test]
fn objects_work_after_device_and_immediate_context_are_gone() {
    for config in [Config::NULL, Config::GPU] {
        let Some(Harness { watch: _watch, device, immediate, .. }) = Harness::start(config) else { continue };
        let (one, two) = (buffer(&device), Target::new(&device, 4, 4));
        let mut deferred = device.create_deferred_context().unwrap();
        drop((device, immediate));
        // The device's handle has been dropped, but every object can still return the device.
        let device = one.device();
        let other = buffer(&device);
        deferred.copy_resource(&one, &other);
        deferred.clear_render_target_view(&two.view, [1.0; 4]);
        let list = deferred.finish_command_list(false).unwrap();
        assert_eq!(list.device(), device);
        drop((one, other));
        // The immediate context no longer exists, so dropped objects are destroyed at once.
        drop(list);
        assert_eq!(device.statistics().live_objects, 2, "the target and its view");
        assert!(buffer(&device).desc().byte_width == 64);
        assert_eq!(device.statistics().live_objects, 2);
        drop((two, deferred));
        assert_eq!(device.statistics().live_objects, 0);
    }
}

#[test]
fn a_thousand_resources_a_frame_do_not_pile_up() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let result = h.device.create_buffer(&BufferDesc::staging(64, CpuAccessFlags::READ), None).unwrap();
        let mut most = 0;
        for _ in 0..5 {
            for i in 0..200 {
                let desc = BufferDesc::new(64, BindFlags::VERTEX_BUFFER);
                let buffer = h.device.create_buffer(&desc, Some(&[i; 64])).unwrap();
                h.immediate.copy_resource(&result, &buffer);
            }
            h.immediate.flush();
            assert_eq!(live(h), 1);
            let left = flushed(h);
            most = most.max(left.allocations);
        }
        assert_eq!(most, 1, "allocations after each frame");
    });
}

#[test]
fn amortized_processing_destroys_without_a_flush() {
    on_each(&matrix(), |h| {
        let before = h.device.statistics().amortized_calls;
        let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 4, 4));
        target.bind(&mut h.immediate);
        let mut dropped = 0;
        while dropped < 200 || h.device.statistics().amortized_calls == before {
            assert!(dropped < 100_000, "the driver never let the runtime do its work");
            drop(buffer(&h.device));
            quad.draw(&mut h.immediate, [1.0; 4]);
            dropped += 1;
        }
        let after = h.device.statistics();
        assert!(after.live_objects < dropped, "{after:?} after {dropped} buffers were dropped");
    });
}

#[test]
fn a_thousand_nested_lists_execute() {
    on_each(&[Config::NULL], |h| {
        let target = h.device.create_buffer(&BufferDesc::new(4, BindFlags::VERTEX_BUFFER), None).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.update_subresource(&target, 0, None, &[1_u32], 0, 0);
        let mut list = deferred.finish_command_list(false).unwrap();
        for _ in 0..1000 {
            deferred.execute_command_list(&list, false);
            list = deferred.finish_command_list(false).unwrap();
        }
        h.immediate.execute_command_list(&list, false);
        assert_eq!(h.immediate.read_buffer::<u32>(&target).unwrap(), [1]);
    });
}
