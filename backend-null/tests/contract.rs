//! Tests of the null driver through its interface.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use common::{Options, Runtime, open, swap_chain_args, take};
use onze_ddi::*;
use onze_null::{NullDriver, driver};

fn runtime() -> Runtime {
    Runtime::new(&driver())
}

#[test]
fn versions_are_listed_as_configured_and_others_refused() {
    let core = Arc::new(common::Core::default());
    let old: Arc<dyn Driver> =
        Arc::new(NullDriver { versions: vec![DdiVersion::V11_0], ..NullDriver::default() });
    let adapter = open(&old, &core);
    let mut versions = vec![0; adapter.supported_versions(None)];
    assert_eq!(adapter.supported_versions(Some(&mut versions)), 1);
    assert_eq!(versions, [DdiVersion::V11_0.packed()]);
    let options = |v: DdiVersion| Options { interface: v.interface, ..Options::default() };
    assert!(Runtime::with(&old, options(DdiVersion::V11_0)).is_ok());
    let refused = Runtime::with(&old, options(DdiVersion::V11_1)).err();
    assert_eq!(refused, Some(CreateDeviceError::UnsupportedInterface(DdiVersion::V11_1.interface)));
    assert!(Runtime::with(&driver(), options(DdiVersion::V11_0)).is_ok(), "both are supported by default");
    assert_eq!(common::now(driver().adapters())[0].kind, AdapterKind::Null);
}

#[test]
fn handle_sizes_are_listed_and_resources_have_two() {
    let mut r = runtime();
    let count = r.device.check_deferred_context_handle_sizes(None);
    let mut sizes = vec![HandleSize { kind: HandleType::Query, size: 0 }; count];
    assert_eq!(r.device.check_deferred_context_handle_sizes(Some(&mut sizes)), count);
    assert_eq!(sizes.iter().filter(|s| s.kind == HandleType::Resource).count(), 2);
    let (dynamic, staging, query) = (r.dynamic(), r.staging(), r.query());
    let size = |o: &common::Object| HandleSize {
        kind: o.kind,
        size: r.device.calc_deferred_context_handle_size(o.kind, &o.driver),
    };
    assert!([&dynamic, &staging, &query].iter().all(|o| sizes.contains(&size(o))));
    assert_ne!(size(&dynamic).size, size(&staging).size);
}

#[test]
fn copies_and_updates_reach_a_staging_map() {
    let mut r = runtime();
    let format = Format::R8G8B8A8_UNORM;
    let data: Vec<u8> = (0..64).collect();
    let rows = SubresourceData { bytes: &data, row_pitch: 16, depth_pitch: 0 };
    let source = r.texture(Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, 4, 4) }, &[rows]);
    let staging = r.texture(Texture2dDesc::staging(format, 4, 4, CpuAccessFlags::READ), &[]);
    // Copies the texel at (1, 2) to the corner and writes a new texel at (3, 3).
    let part = Some(Box3d::rect(1, 2, 2, 3));
    r.immediate.resource_copy_region(r.ctx.entry(), staging.r(), 0, [0, 0, 0], source.r(), 0, part);
    let texel = SubresourceData { bytes: &[9; 4], row_pitch: 4, depth_pitch: 0 };
    let at = Some(Box3d::rect(3, 3, 4, 4));
    r.immediate.resource_update_subresource(r.ctx.entry(), source.r(), 0, at, texel);
    let at = Some(Box3d::rect(0, 3, 4, 4));
    r.immediate.resource_copy_region(r.ctx.entry(), staging.r(), 0, [0, 1, 0], source.r(), 0, at);
    let (bytes, pitch) = r.read(&staging);
    assert!(pitch > 16, "rows are padded, so that ignoring the pitch fails");
    assert_eq!(bytes[..5], [36, 37, 38, 39, 0]);
    let second = &bytes[pitch as usize..];
    assert_eq!(second[..16], [48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 9, 9, 9, 9]);
    assert!(r.ctx.layer.errors.is_empty());
}

#[test]
fn boxes_of_compressed_textures_count_blocks() {
    let mut r = runtime();
    let data: Vec<u8> = (0..128).collect();
    let rows = SubresourceData { bytes: &data, row_pitch: 32, depth_pitch: 0 };
    let format = Format::BC1_UNORM;
    let source = r.texture(Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, 16, 16) }, &[rows]);
    let staging = r.texture(Texture2dDesc::staging(format, 8, 8, CpuAccessFlags::READ), &[]);
    let part = Some(Box3d::rect(4, 8, 12, 16));
    r.immediate.resource_copy_region(r.ctx.entry(), staging.r(), 0, [0, 0, 0], source.r(), 0, part);
    let (bytes, pitch) = r.read(&staging);
    assert_eq!(bytes[..16], data[72..88]);
    assert_eq!(bytes[pitch as usize..][..16], data[104..120]);
    // A mip level that is smaller than a block still consists of one block.
    let size = Texture2dDesc::new(format, 4, 4).mip_size(2);
    assert_eq!((size, format.rows(size.1), format.row_pitch(size.0)), ((1, 1), 1, 8));
}

#[test]
fn overlapping_regions_are_copied_correctly() {
    let mut r = runtime();
    let buffer = r.buffer(BufferDesc::new(8, BindFlags::VERTEX_BUFFER), &[1, 2, 3, 4, 5, 6, 7, 8]);
    let staging = r.staging();
    let part = |range| Some(Box3d::bytes(range));
    r.immediate.resource_copy_region(r.ctx.entry(), buffer.r(), 0, [1, 0, 0], buffer.r(), 0, part(0..7));
    r.immediate.resource_copy_region(r.ctx.entry(), staging.r(), 0, [0, 0, 0], buffer.r(), 0, None);
    assert_eq!(r.read(&staging).0[..8], [1, 1, 2, 3, 4, 5, 6, 7]);
    let tall = Some(Box3d { left: 6, top: 5, front: 7, right: 8, bottom: 9, back: 8 });
    r.immediate.resource_copy_region(r.ctx.entry(), staging.r(), 0, [0, 3, 4], buffer.r(), 0, tall);
    assert_eq!(r.read(&staging).0[..4], [6, 7, 2, 3]);
}

#[test]
fn a_nonwaiting_map_submits_and_succeeds_on_the_next_call() {
    let mut r = runtime();
    let (dynamic, staging) = (r.dynamic(), r.staging());
    r.write(&dynamic, MapType::WriteDiscard, 5);
    r.copy(&staging, &dynamic);
    let map = |r: &mut Runtime| r.immediate.staging_map(r.ctx.entry(), staging.r(), 0, MapType::Read, true);
    assert_eq!(map(&mut r).err(), Some(MapError::StillDrawing));
    assert_eq!(take(&r.events)[0], "render 0 draws");
    let memory = map(&mut r).unwrap();
    assert_eq!(memory.bytes(), [5; 16]);
    assert!(matches!(map(&mut r), Err(MapError::Bug(_))), "the memory is lent");
}

#[test]
fn discard_maps_zeros_and_no_overwrite_maps_old_contents() {
    let mut r = runtime();
    let buffer = r.dynamic();
    r.write(&buffer, MapType::WriteDiscard, 7);
    let map = |r: &mut Runtime, t| r.immediate.dynamic_map(r.ctx.entry(), buffer.r(), 0, t).unwrap();
    let memory = map(&mut r, MapType::WriteNoOverwrite);
    assert_eq!(memory.bytes(), [7; 16]);
    r.immediate.dynamic_unmap(r.ctx.entry(), buffer.r(), 0, memory, Written::Nothing);
    assert_eq!(map(&mut r, MapType::WriteDiscard).bytes(), [0; 16]);
}

#[test]
fn a_driver_may_lend_no_upload_page() {
    let mut r = runtime();
    assert!(r.immediate.renew_upload_page(r.ctx.entry()).is_ok());
    assert_eq!(r.ctx.handles.uploads.next_slice(16), None);
}

#[test]
fn a_list_copies_the_contents_at_its_execution() {
    let mut r = runtime();
    let (dynamic, staging) = (r.dynamic(), r.staging());
    r.write(&dynamic, MapType::WriteDiscard, 1);
    let mut dc = r.deferred();
    dc.copy(&staging, &dynamic);
    let list = dc.finish();
    r.write(&dynamic, MapType::WriteDiscard, 2);
    assert_eq!(r.read(&staging).0, [0; 16], "nothing is copied before the execution");
    r.execute(&list);
    assert_eq!(r.read(&staging).0, [2; 16]);
}

#[test]
fn a_list_replays_its_discard_each_time() {
    let mut r = runtime();
    let (dynamic, staging) = (r.dynamic(), r.staging());
    let mut dc = r.deferred();
    dc.discard(&dynamic, 3);
    let map = dc.funcs.dynamic_map(dc.ctx.entry(), dynamic.r(), 0, MapType::WriteNoOverwrite);
    let mut memory = map.unwrap();
    memory.bytes_mut()[0] = 4;
    dc.funcs.dynamic_unmap(dc.ctx.entry(), dynamic.r(), 0, memory, Written::Range(0..1));
    dc.copy(&staging, &dynamic);
    let list = dc.finish();
    let mut expected = [3; 16];
    expected[0] = 4;
    for _ in 0..3 {
        r.execute(&list);
        assert_eq!(r.read(&staging).0, expected);
        // Bytes that are written after the list's execution are not part of its replay.
        r.write(&dynamic, MapType::WriteNoOverwrite, 9);
    }
    r.copy(&staging, &dynamic);
    assert_eq!(r.read(&staging).0, [9; 16]);
}

#[test]
fn a_nested_list_runs_in_order_and_outlives_its_handle() {
    let mut r = runtime();
    let (a, b, staging) = (r.dynamic(), r.staging(), r.staging());
    let mut inner = r.deferred();
    inner.discard(&a, 6);
    inner.funcs.draw(inner.ctx.entry(), 3, 0);
    let inner_list = inner.finish();
    let mut outer = r.deferred();
    outer.copy(&b, &a);
    outer.open(&a);
    outer.funcs.command_list_execute(outer.ctx.entry(), &inner_list);
    outer.copy(&staging, &a);
    let outer_list = outer.finish();
    r.device.destroy_command_list(inner_list.end());
    r.write(&a, MapType::WriteDiscard, 1);
    r.execute(&outer_list);
    assert_eq!((r.read(&b).0, r.read(&staging).0), (vec![1; 16], vec![6; 16]));
    assert!(take(&r.events).contains(&"render 1 draws".into()), "nested draws are counted");
}

#[test]
fn recordings_reuse_only_the_memory_of_destroyed_lists() {
    let mut r = runtime();
    let (dynamic, staging) = (r.dynamic(), r.staging());
    let mut dc = r.deferred();
    for value in 1..20 {
        if value % 2 == 0 {
            dc.discard(&dynamic, value);
        }
        dc.copy(&staging, &dynamic);
        let list = dc.finish();
        r.write(&dynamic, MapType::WriteDiscard, 100);
        r.execute(&list);
        let expected = if value % 2 == 0 { value } else { 100 };
        assert_eq!(r.read(&staging).0, [expected; 16], "recording {value}");
        dc.recycle(list);
    }
}

#[test]
fn an_event_is_pending_until_a_previous_submission() {
    let mut r = runtime();
    let query = r.query();
    let get = |r: &mut Runtime, keep: bool| r.immediate.query_get_data(r.ctx.entry(), query.handle(), keep);
    r.immediate.query_end(r.ctx.entry(), query.handle());
    assert_eq!(get(&mut r, true), Err(GetDataError::StillDrawing));
    assert_eq!(get(&mut r, true), Err(GetDataError::StillDrawing), "nothing is submitted");
    assert_eq!(get(&mut r, false), Err(GetDataError::StillDrawing), "submitted just now");
    assert_eq!(get(&mut r, true), Ok(QueryData::Event(true)));
    let mut dc = r.deferred();
    dc.open(&query);
    dc.funcs.query_end(dc.ctx.entry(), query.handle());
    let list = dc.finish();
    assert_eq!(get(&mut r, true), Ok(QueryData::Event(true)), "recording does not execute it");
    r.execute(&list);
    assert_eq!(get(&mut r, true), Err(GetDataError::StillDrawing));
    assert!(r.flush());
    assert_eq!(get(&mut r, true), Ok(QueryData::Event(true)));
}

#[test]
fn an_empty_occlusion_query_reports_nothing_visible() {
    let mut r = runtime();
    let query = r.predicate();
    let get = |r: &mut Runtime| r.immediate.query_get_data(r.ctx.entry(), query.handle(), true);
    let mut dc = r.deferred();
    dc.open(&query);
    dc.funcs.query_begin(dc.ctx.entry(), query.handle());
    dc.funcs.draw(dc.ctx.entry(), 3, 0);
    dc.funcs.query_end(dc.ctx.entry(), query.handle());
    let list = dc.finish();
    for by_list in [false, true] {
        if by_list {
            r.execute(&list);
        } else {
            r.immediate.query_begin(r.ctx.entry(), query.handle());
            r.draw();
            r.immediate.query_end(r.ctx.entry(), query.handle());
        }
        assert_eq!(get(&mut r), Err(GetDataError::StillDrawing));
        assert!(r.flush());
        assert_eq!(get(&mut r), Ok(QueryData::OcclusionPredicate(false)));
    }
}

#[test]
fn a_flush_renders_amortizes_retires_and_refreshes_in_order() {
    let mut r = runtime();
    let (used, late) = (r.staging(), r.staging());
    r.copy(&used, &late);
    r.draw();
    r.destroy(used);
    // The runtime destroys this object during amortized processing, and the same flush retires it.
    r.close(&late);
    let (device, mut late) = (r.device.clone(), Some(late.driver));
    r.ctx.layer.on_amortize =
        Some(Box::new(move |_, _, _| device.destroy(HandleType::Resource, late.take().unwrap())));
    assert_eq!(r.kernel.live.lock().unwrap().len(), 2, "nothing is deallocated before a submission");
    assert!(r.flush());
    assert_eq!(
        take(&r.events),
        ["render 1 draws", "signal 1", "amortized", "deallocate", "deallocate", "preamble"]
    );
    let idle = r.staging();
    r.destroy(idle);
    assert!(!r.flush());
    assert_eq!(take(&r.events), ["deallocate", "preamble"], "an empty flush retires but submits nothing");
}

#[test]
fn destroying_the_device_gives_everything_back() {
    let mut r = runtime();
    let (a, b) = (r.dynamic(), r.staging());
    r.copy(&b, &a);
    r.destroy(a);
    r.destroy(b);
    let kernel = r.kernel.clone();
    assert_eq!(kernel.live.lock().unwrap().len(), 2);
    r.destroy_device();
    assert!(kernel.live.lock().unwrap().is_empty());
}

#[test]
fn a_full_buffer_is_submitted_or_continued_by_context_kind() {
    let mut r = Runtime::with(&driver(), Options { page_draws: Some(3), ..Options::default() }).unwrap();
    for _ in 0..7 {
        r.draw();
    }
    let page = ["render 3 draws", "signal", "amortized", "preamble"];
    let events: Vec<String> =
        take(&r.events).iter().map(|e| e.trim_end_matches([' ', '1', '2']).into()).collect();
    assert_eq!(events, [page, page].concat());
    let mut dc = r.deferred();
    for _ in 0..7 {
        dc.funcs.draw(dc.ctx.entry(), 3, 0);
    }
    assert_eq!(take(&r.events), ["amortized", "preamble", "amortized", "preamble"]);
}

#[test]
fn a_preamble_contains_the_bound_objects() {
    let mut r = runtime();
    let texture =
        r.texture(Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) }, &[]);
    let view = r.view(&texture);
    r.ctx.layer.views = vec![Some(view.handle())];
    let shared = Arc::strong_count(&view.driver);
    r.draw();
    assert!(r.flush());
    // The new command buffer's table refers to the view as long as a slot binds the view.
    assert_eq!(Arc::strong_count(&view.driver), shared + 1);
    r.ctx.layer.views.clear();
    r.flush();
    assert_eq!(Arc::strong_count(&view.driver), shared);
}

#[test]
fn binding_again_takes_no_reference() {
    let mut r = runtime();
    let buffer = r.dynamic();
    let shared = Arc::strong_count(&buffer.driver);
    let binding = [ConstantBufferBinding::whole(Some(buffer.r()))];
    for _ in 0..10 {
        r.immediate.set_constant_buffers(r.ctx.entry(), ShaderStage::Vertex, 0, &binding);
    }
    assert_eq!(Arc::strong_count(&buffer.driver), shared + 1);
}

#[test]
fn out_of_memory_is_returned_and_leaves_nothing() {
    let mut r = runtime();
    *r.kernel.budget.lock().unwrap() = Some(20);
    let buffer = r.staging();
    let desc = ResourceDesc::Buffer(BufferDesc::new(16, BindFlags::VERTEX_BUFFER));
    let desc = ObjectDesc::Resource { desc: &desc, initial_data: &[] };
    assert_eq!(r.create(&desc, None).err(), Some(CreateError::OutOfMemory));
    r.destroy(buffer);
    r.flush();
    assert!(r.create(&desc, None).is_ok());
}

#[test]
fn a_recording_without_memory_is_lost_but_not_the_next() {
    let small = NullDriver { recording_budget: Some(2), ..NullDriver::default() };
    let mut r = Runtime::new(&(Arc::new(small) as Arc<dyn Driver>));
    let mut dc = r.deferred();
    for _ in 0..3 {
        dc.funcs.draw(dc.ctx.entry(), 3, 0);
    }
    assert_eq!(dc.ctx.layer.errors, [ContextError::OutOfMemory]);
    dc.funcs.abandon_command_list(dc.ctx.closing());
    dc.funcs.draw(dc.ctx.entry(), 3, 0);
    assert_eq!(dc.ctx.layer.errors.len(), 1);
    let list = dc.finish();
    r.execute(&list);
    assert!(r.ctx.layer.errors.is_empty() && r.flush());
}

#[test]
fn present_submits_and_primaries_are_freed_at_once() {
    let mut r = runtime();
    let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
    let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
    let key = r.key();
    let primary =
        r.immediate.create_primary(r.ctx.entry(), &chain, &desc.clone().into(), &mut [0; 16]).unwrap();
    assert!(r.ctx.handles.open(key, 16, primary.clone(), Arc::new(())));
    assert!(r.kernel.live.lock().unwrap().values().all(|a| a.primary));
    for _ in 0..2 {
        let status = r.immediate.present(r.ctx.entry(), &chain, Handle::new(key), 1);
        assert_eq!(status, Ok(PresentStatus::Presented));
    }
    let expected = |n| {
        ["render 0 draws", &format!("signal {n}"), "amortized", "preamble", "present 1"].map(str::to_owned)
    };
    assert_eq!(take(&r.events), [expected(1), expected(2)].concat());
    r.ctx.handles.close(key);
    r.immediate.destroy_primary(r.ctx.entry(), primary);
    assert!(r.kernel.live.lock().unwrap().is_empty());
    r.immediate.destroy_swap_chain(r.ctx.entry(), chain);
}

#[test]
fn rotation_moves_memory_from_handle_to_handle() {
    let mut r = runtime();
    let args = CreateSwapChainArgs { buffer_count: 3, ..swap_chain_args() };
    let chain = r.immediate.create_swap_chain(r.ctx.entry(), &args).unwrap().object;
    let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 1);
    let staging = r.texture(Texture2dDesc::staging(desc.format, 4, 1, CpuAccessFlags::READ), &[]);
    let buffers = [1, 2, 3].map(|value| {
        let driver =
            r.immediate.create_primary(r.ctx.entry(), &chain, &desc.clone().into(), &mut [0; 16]).unwrap();
        let key = r.key();
        assert!(r.ctx.handles.open(key, 16, driver.clone(), Arc::new(())));
        let buffer = common::Object { kind: HandleType::Resource, key, driver, resource: None };
        let data = SubresourceData { bytes: &[value; 16], row_pitch: 16, depth_pitch: 0 };
        r.immediate.resource_update_subresource(r.ctx.entry(), buffer.r(), 0, None, data);
        buffer
    });
    let mut dc = r.deferred();
    dc.open(&buffers[0]);
    dc.open(&staging);
    dc.copy(&staging, &buffers[0]);
    let list = dc.finish();
    let handles = buffers.each_ref().map(|buffer| buffer.r());
    for expected in [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 2, 3]] {
        r.execute(&list);
        assert_eq!(r.read(&staging).0[..16], [expected[0]; 16], "lists find the memory at execution");
        for (buffer, expected) in buffers.iter().zip(expected) {
            r.copy(&staging, buffer);
            assert_eq!(r.read(&staging).0[..16], [expected; 16]);
        }
        r.immediate.rotate_resource_identities(r.ctx.entry(), &handles);
    }
    assert!(r.ctx.layer.errors.is_empty());
}

#[test]
fn a_resized_swap_chain_announces_its_display_mode() {
    let mut r = runtime();
    let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
    r.immediate.resize_swap_chain(r.ctx.entry(), &chain, 7, 9).unwrap();
    assert_eq!(take(&r.events), ["display mode 7 x 9"]);
}

#[test]
fn the_next_flush_deallocates_shared_resources_and_primaries() {
    let mut r = runtime();
    let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER);
    let buffer = r.buffer(BufferDesc { misc_flags: MiscFlags::SHARED, ..desc }, &[]);
    let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
    let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
    let desc = Texture2dDesc { misc_flags: MiscFlags::SHARED, ..desc };
    let primary =
        r.immediate.create_primary(r.ctx.entry(), &chain, &desc.clone().into(), &mut [0; 16]).unwrap();
    assert!(r.kernel.live.lock().unwrap().values().all(|a| a.shared));
    r.copy(&buffer, &buffer);
    r.destroy(buffer);
    r.immediate.destroy_primary(r.ctx.entry(), primary);
    assert_eq!(r.kernel.live.lock().unwrap().len(), 2, "another device may use them");
    r.flush();
    assert!(r.kernel.live.lock().unwrap().is_empty());
}

#[test]
fn contexts_share_driver_halves_but_no_handle_state() {
    let mut r = runtime();
    let (dynamic, query) = (r.dynamic(), r.query());
    let mut contexts = [r.deferred(), r.deferred()];
    for object in [&dynamic, &query] {
        let handle: Handle<kind::Resource> = Handle::new(object.key);
        contexts.iter_mut().for_each(|dc| dc.open(object));
        let mut lines = Vec::new();
        let storages = contexts.iter_mut().map(|dc| &mut dc.ctx.handles).chain([&mut r.ctx.handles]);
        for handles in storages {
            assert!(Arc::ptr_eq(handles.object(handle).unwrap(), &object.driver));
            let bytes = handles.private_bytes_mut(object.key).unwrap();
            // The driver's private bytes are few enough to fit on one cache line with the runtime's bytes.
            assert!(bytes.len() + storage::RUNTIME_BYTES <= storage::CACHE_LINE);
            lines.push(bytes.as_ptr().addr() / storage::CACHE_LINE);
        }
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 3);
    }
}

#[test]
fn a_removed_device_is_reported_by_entries_with_results() {
    let mut r = runtime();
    let (query, buffer) = (r.query(), r.staging());
    r.ctx.layer.removed = true;
    r.immediate.query_end(r.ctx.entry(), query.handle());
    let data = r.immediate.query_get_data(r.ctx.entry(), query.handle(), false);
    assert_eq!(data, Err(GetDataError::DeviceRemoved("gone".into())));
    r.destroy(buffer);
    r.draw();
    assert!(!r.flush());
    assert_eq!(r.ctx.layer.errors, [ContextError::DeviceRemoved("gone".into())]);
    assert!(r.kernel.live.lock().unwrap().is_empty(), "dropped commands use nothing");
}

#[test]
fn objects_are_created_and_destroyed_from_many_threads() {
    let mut r = runtime();
    let keys = AtomicU32::new(1000);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let index = keys.fetch_add(1, Ordering::Relaxed);
                    let key = Key::new(index, std::num::NonZeroU32::MIN);
                    let desc = ResourceDesc::Buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER));
                    let desc = ObjectDesc::Resource { desc: &desc, initial_data: &[] };
                    let object = r.device.create(key, &desc, &mut [0; 16]).unwrap();
                    r.device.destroy(HandleType::Resource, object);
                }
            });
        }
    });
    assert_eq!(r.kernel.live.lock().unwrap().len(), 800);
    r.flush();
    assert!(r.kernel.live.lock().unwrap().is_empty());
}

#[test]
fn format_support_matches_the_formats_properties() {
    let r = runtime();
    for &format in Format::ALL {
        let s = r.device.check_format_support(format);
        assert_eq!(s.contains(FormatSupport::DEPTH_STENCIL), format.is_depth_stencil(), "{format:?}");
        if format.is_block_compressed() || format.is_typeless() {
            assert!(
                !s.intersects(FormatSupport::RENDER_TARGET | FormatSupport::IA_VERTEX_BUFFER),
                "{format:?}"
            );
        }
        if format.is_integer() {
            assert!(!s.intersects(FormatSupport::SHADER_SAMPLE | FormatSupport::BLENDABLE), "{format:?}");
        }
        let targets = FormatSupport::RENDER_TARGET | FormatSupport::DEPTH_STENCIL;
        // Typeless formats can be targets through views.
        let is_target = s.intersects(targets)
            || format.is_typeless() && !s.is_empty() && !format.family().is_block_compressed();
        let levels = |count| r.device.check_multisample_quality_levels(format, count);
        assert_eq!(
            [0, 1, 4, 5, 8, 16].map(levels),
            [0, 1, 1, 0, 1, 0].map(|n| n * u32::from(is_target)),
            "{format:?}"
        );
    }
    let rgba = r.device.check_format_support(Format::R8G8B8A8_UNORM);
    assert!(rgba.contains(FormatSupport::DISPLAY | FormatSupport::MIP_AUTOGEN | FormatSupport::BLENDABLE));
    let floats = r.device.check_format_support(Format::R32G32B32_FLOAT);
    let drawn = FormatSupport::TEXTURE2D | FormatSupport::RENDER_TARGET | FormatSupport::IA_VERTEX_BUFFER;
    assert!(floats.contains(drawn), "{floats:?}");
    assert_eq!(r.device.check_format_support(Format::UNKNOWN), FormatSupport::empty());
}
