//! Lifetimes of objects: whatever the order of drops, a dropped object is destroyed when its last use ends.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::sync::{Arc, Mutex};

use onze::{
    ddi::{
        raw_window_handle::{
            DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle as Raw,
        },
        verifier::{Breach, verify_with},
    },
    prelude::*,
};

/// A window that does not exist, because the null driver never uses it.
struct NoWindow;

impl HasWindowHandle for NoWindow {
    fn window_handle(&self) -> Result<Raw<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

impl HasDisplayHandle for NoWindow {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

/// Creates a verified device on the null driver, where each command is a separate submission because
/// `page_draws` is 1.
fn device() -> (Device, ImmediateContext, Arc<Mutex<Vec<String>>>) {
    let breaches = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let breaches = breaches.clone();
        Arc::new(move |breach: &Breach| breaches.lock().unwrap().push(breach.to_string()))
    };
    let driver = verify_with(onze_null::driver(), sink);
    let desc = DeviceDesc {
        driver_type: DriverType::Custom(driver),
        debug: true,
        page_draws: Some(1),
        ..DeviceDesc::default()
    };
    let (device, immediate) = create_device(&desc).unwrap();
    (device, immediate, breaches)
}

fn no_breaches(breaches: &Mutex<Vec<String>>) {
    let breaches = breaches.lock().unwrap();
    assert!(breaches.is_empty(), "{breaches:#?}");
}

fn constants(device: &Device) -> Buffer {
    device.create_buffer(&BufferDesc::dynamic(256, BindFlags::CONSTANT_BUFFER), None).unwrap()
}

#[test]
fn an_object_brought_back_by_getters_dies_when_unbound() {
    let (device, mut immediate, breaches) = device();
    let buffer = constants(&device);
    immediate.vs_set_constant_buffers(0, &buffer);
    drop(buffer);
    // Each result is dropped immediately, which releases the object again.
    for _ in 0..3 {
        assert!(immediate.vs_get_constant_buffers(0, 1)[0].is_some());
        immediate.flush();
    }
    assert!(immediate.vs_get_constant_buffers(0, 1)[0].is_some());
    immediate.vs_set_constant_buffers(0, None);
    immediate.flush();
    assert_eq!((device.statistics().live_objects, immediate.waiting_for_destruction()), (0, 0));
    drop((device, immediate));
    no_breaches(&breaches);
}

#[test]
fn a_buffer_dropped_while_mapped_lives_until_unmapped() {
    let (device, mut immediate, breaches) = device();
    let (first, second, third) = (constants(&device), constants(&device), constants(&device));
    let mut map = immediate.map(&first, 0, MapType::WriteDiscard).unwrap();
    map[0] = 1;
    drop(first);
    drop(map);
    let token = immediate.map_owned(&second, 0, MapType::WriteDiscard).unwrap();
    drop(second);
    immediate.flush();
    immediate.unmap(token);
    let token = immediate.map_owned(&third, 0, MapType::WriteDiscard).unwrap();
    drop((third, token));
    immediate.flush();
    immediate.flush();
    assert_eq!(device.statistics().live_objects, 0);
    drop((device, immediate));
    no_breaches(&breaches);
}

#[test]
fn everything_can_be_dropped_in_any_order() {
    for last in 0..6 {
        let (device, mut immediate, breaches) = device();
        let buffer = constants(&device);
        let texture =
            device.create_texture_2d(&Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4), None);
        let view = device.create_render_target_view(&texture.unwrap(), None).unwrap();
        let chain = immediate.create_swap_chain(Arc::new(NoWindow), &SwapChainDesc::new(4, 4)).unwrap();
        let back_buffer = chain.get_buffer().unwrap();
        let mut deferred = device.create_deferred_context().unwrap();
        drop(deferred.map(&buffer, 0, MapType::WriteDiscard).unwrap());
        deferred.clear_render_target_view(&view, [0.0; 4]);
        let list = deferred.finish_command_list(false).unwrap();
        deferred.vs_set_constant_buffers(0, &buffer);
        immediate.execute_command_list(&list, false);
        immediate.vs_set_constant_buffers(0, &buffer);
        let mut all: [Option<Box<dyn std::any::Any>>; 6] = [
            Some(Box::new(immediate)),
            Some(Box::new((buffer, view))),
            Some(Box::new(list)),
            Some(Box::new(deferred)),
            Some(Box::new(chain)),
            Some(Box::new(back_buffer)),
        ];
        drop(device);
        let kept = all[last].take();
        drop(all);
        drop(kept);
        no_breaches(&breaches);
    }
}

#[test]
fn objects_dropped_by_another_thread_are_counted() {
    const BUFFERS: usize = 100;
    let (device, mut immediate, breaches) = device();
    let before = device.statistics();
    let make = || (0..BUFFERS).map(|_| constants(&device)).collect::<Vec<_>>();
    let made = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(make)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let now = device.statistics();
    assert_eq!(now.live_objects, before.live_objects + 3 * BUFFERS as u64);
    assert_eq!(now.allocations, before.allocations + 3 * BUFFERS as u64);
    assert_eq!(now.allocated_bytes, before.allocated_bytes + 3 * BUFFERS as u64 * 256);
    // The objects are dropped by a thread that created none of them, after the creating threads have ended.
    std::thread::scope(|scope| drop(scope.spawn(move || drop(made))));
    immediate.flush();
    immediate.flush();
    let now = device.statistics();
    assert_eq!(
        (now.live_objects, now.allocations, now.allocated_bytes),
        (before.live_objects, before.allocations, before.allocated_bytes)
    );
    drop((device, immediate));
    no_breaches(&breaches);
}
