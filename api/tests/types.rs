//! Tests of guarantees by the type system, for example which objects may be sent between threads.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::collections::{HashMap, HashSet};

use onze::prelude::*;

fn send<T: Send + ?Sized>() {}
fn shared<T: Send + Sync + Clone + std::fmt::Debug + Eq>() {}

#[test]
fn contexts_move_between_threads_and_objects_are_shared() {
    send::<ImmediateContext>();
    send::<DeferredContext>();
    send::<DeviceContext>();
    send::<SwapChain>();
    send::<MapToken>();
    send::<MappedSubresource<'_>>();
    shared::<Device>();
    shared::<Buffer>();
    shared::<Texture2d>();
    shared::<ShaderResourceView>();
    shared::<RenderTargetView>();
    shared::<DepthStencilView>();
    shared::<VertexShader>();
    shared::<PixelShader>();
    shared::<InputLayout>();
    shared::<BlendState>();
    shared::<DepthStencilState>();
    shared::<RasterizerState>();
    shared::<SamplerState>();
    shared::<onze::Query>();
    shared::<CommandList>();
    shared::<onze::Error>();
}

#[test]
fn a_list_is_recorded_on_one_thread_and_finished_on_another() {
    let desc = DeviceDesc { driver_type: DriverType::Null, verify_driver: true, ..Default::default() };
    let (device, mut immediate) = create_device(&desc).unwrap();
    let mut deferred = device.create_deferred_context().unwrap();
    deferred.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    let list = std::thread::spawn(move || deferred.finish_command_list(false).unwrap()).join().unwrap();
    immediate.execute_command_list(&list, false);
}

/// Code that is ported from C++ often saves state with getters and restores it with setters.
#[test]
fn setters_take_the_results_of_getters() {
    let desc = DeviceDesc { driver_type: DriverType::Null, debug: true, ..Default::default() };
    let (device, mut cx) = create_device(&desc).unwrap();
    let buffer = device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).unwrap();
    let constants = device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
    let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
    let target = device.create_texture_2d(&target, None).unwrap();
    let target = device.create_render_target_view(&target, None).unwrap();
    cx.ia_set_vertex_buffers(
        1,
        [VertexBufferBinding::new(&buffer, 16), VertexBufferBinding::new(&buffer, 8)],
    );
    cx.vs_set_constant_buffers(0, &vec![None, Some(&constants)]);
    cx.om_set_render_targets(&vec![&target], None);
    cx.rs_set_viewports(&vec![Viewport::sized(4.0, 4.0)]);

    let vertex_buffers = cx.ia_get_vertex_buffers(0, 32);
    let constant_buffers = cx.vs_get_constant_buffers(0, 14);
    let (targets, depth) = cx.om_get_render_targets();
    let viewports = cx.rs_get_viewports();
    cx.clear_state();
    cx.ia_set_vertex_buffers(0, &vertex_buffers);
    cx.vs_set_constant_buffers(0, &constant_buffers);
    cx.om_set_render_targets(&targets, depth.as_ref());
    cx.rs_set_viewports(&viewports);

    assert_eq!(cx.ia_get_vertex_buffers(0, 32), vertex_buffers);
    assert_eq!(vertex_buffers[2], (Some(buffer), 8, 0));
    assert_eq!(cx.vs_get_constant_buffers(0, 14), constant_buffers);
    assert_eq!(constant_buffers[1], Some(constants));
    assert_eq!((cx.om_get_render_targets(), &targets[0]), ((targets.clone(), depth), &Some(target)));
    assert_eq!(cx.rs_get_viewports(), [Viewport::sized(4.0, 4.0)]);
    assert!(device.info_queue().is_empty());
}

#[test]
fn objects_are_keys_of_sets_and_maps_by_identity() {
    let desc = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
    let (device, _immediate) = create_device(&desc).unwrap();
    let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER);
    let (a, b) = (device.create_buffer(&desc, None).unwrap(), device.create_buffer(&desc, None).unwrap());
    // Clippy checks the types of keys, so this code also verifies that applications get no warnings.
    let set: HashSet<Buffer> = [a.clone(), a.clone(), b.clone()].into_iter().collect();
    assert_eq!(set.len(), 2);
    let names: HashMap<Buffer, &str> = [(a.clone(), "a"), (b, "b")].into_iter().collect();
    assert_eq!(names.get(&a), Some(&"a"));
}
