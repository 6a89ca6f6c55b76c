//! Tests that the runtime holds its lock whenever it enters a driver that only one thread at a time may
//! enter.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../tests/spy/mod.rs"]
#[allow(dead_code, reason = "the tests of this file read only a part of its records")]
mod spy;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use onze_null::NullDriver;

use crate::prelude::*;
use spy::Spy;

/// For each entry that was called: true if the lock was held in all calls of the entry, false if it was held
/// in none of them.
type LockedEntries = BTreeMap<&'static str, bool>;

/// Makes calls of many kinds, and returns for each driver entry whether the lock was held.
fn entries(max_threading: ThreadingCaps) -> LockedEntries {
    let spy = Arc::new(Spy::default());
    let driver_type = DriverType::Custom(spy.driver(NullDriver::default()));
    let desc = DeviceDesc { driver_type, max_threading, debug: true, ..DeviceDesc::default() };
    let (device, mut immediate) = create_device(&desc).unwrap();
    let found = Arc::new(Mutex::new(LockedEntries::new()));
    let (noted, core) = (found.clone(), Arc::downgrade(&device.core));
    *spy.on_call.lock().unwrap() = Some(Box::new(move |call| {
        let Some(core) = core.upgrade() else { return };
        let is_inside = core.serial.is_inside();
        let before = *noted.lock().unwrap().entry(call.entry).or_insert(is_inside);
        assert_eq!(before, is_inside, "`{}`", call.entry);
    }));
    let texture = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
    let texture = device.create_texture_2d(&texture, None).unwrap();
    let view = device.create_render_target_view(&texture, None).unwrap();
    let dynamic = device.create_buffer(&BufferDesc::dynamic(16, BindFlags::VERTEX_BUFFER), None).unwrap();
    let buffer = device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).unwrap();
    let query = device.create_query(QueryType::Event).unwrap();
    let blend = device.create_blend_state(&BlendDesc::default()).unwrap();
    let mut deferred = device.create_deferred_context().unwrap();
    let record = |cx: &mut DeviceContext| {
        cx.om_set_render_targets(&view, None);
        cx.om_set_blend_state(&blend, [1.0; 4], 1);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer: &buffer, stride: 4, offset: 0 });
        cx.clear_render_target_view(&view, [0.0; 4]);
        cx.map(&dynamic, 0, MapType::WriteDiscard).unwrap().fill(1);
        cx.copy_resource(&buffer, &dynamic);
        cx.update_subresource(&buffer, 0, None, &[1_u8; 16], 0, 0);
        cx.set_marker("a marker");
        cx.end(&query);
    };
    record(&mut deferred);
    let list = deferred.finish_command_list(false).unwrap();
    record(&mut immediate);
    immediate.execute_command_list(&list, true);
    assert_eq!(immediate.read_buffer::<u8>(&buffer).unwrap(), [1; 16]);
    let _ = immediate.get_data(&query, false).unwrap();
    immediate.flush();
    immediate.clear_state();
    // Objects are dropped before, with and after the immediate context.
    drop((list, deferred, query));
    immediate.flush();
    drop(buffer);
    drop(immediate);
    drop((view, texture, dynamic, blend));
    std::mem::take(&mut *found.lock().unwrap())
}

/// The entries that calculate sizes, which any thread may call at any time.
const FREE: [&str; 2] = ["calc_deferred_context_handle_size", "calc_private_size"];

#[test]
fn a_serial_driver_is_entered_with_the_lock_held() {
    let found = entries(ThreadingCaps::Serialized);
    let (inside, free): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, is_inside)| *is_inside);
    assert_eq!(free, FREE.map(|entry| (entry, false)));
    for entry in [
        "create",
        "destroy",
        "close",
        "flush",
        "om_set_render_targets",
        "clear_render_target_view",
        "dynamic_map",
        "dynamic_unmap",
        "resource_copy",
        "resource_update_subresource",
        "staging_map",
        "staging_unmap",
        "query_end",
        "query_get_data",
    ] {
        assert!(inside.contains(&(entry, true)), "`{entry}` was not called: {inside:?}");
    }
}

#[test]
fn a_free_threaded_driver_is_entered_without_a_lock() {
    for threading in [ThreadingCaps::FreeThreaded, ThreadingCaps::CommandLists] {
        let found = entries(threading);
        assert!(found.len() > FREE.len() && found.values().all(|is_inside| !is_inside), "{found:?}");
    }
}
