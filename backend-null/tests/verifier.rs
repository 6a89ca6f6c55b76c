//! Checks that the verifier reports each breach of the contract by driver or runtime, and that it reports
//! nothing else.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;
#[path = "verifier/maps.rs"]
mod maps;
#[path = "verifier/queries.rs"]
mod queries;
#[path = "verifier/swap_chains.rs"]
mod swap_chains;

use std::sync::{Arc, Mutex, atomic::Ordering};

use common::{
    Object, Options, Runtime,
    faulty::{Fault, FaultyDriver},
    open, swap_chain_args, view_desc,
};
use onze_ddi::{
    verifier::{Rule, Side, Verifier, verify, verify_with},
    *,
};
use onze_null::{NullDriver, driver};

/// A driver with a fault, wrapped in a verifier whose sink ignores the breaches.
fn watched(fault: Fault) -> (Arc<Verifier>, Arc<dyn Driver>) {
    let inner = Arc::new(FaultyDriver { inner: driver(), fault });
    let verifier = Arc::new(Verifier::with_sink(inner, Arc::new(|_| {})));
    (verifier.clone(), verifier)
}

fn rgba() -> Texture2dDesc {
    Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) }
}

/// A rule, the driver's fault, and calls that break only this rule.
type Case = (Rule, Fault, fn(&Arc<dyn Driver>));

fn shared(r: &mut Runtime) -> Object {
    let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER);
    r.buffer(BufferDesc { misc_flags: MiscFlags::SHARED, ..desc }, &[])
}

fn map(r: &mut Runtime, o: &Object, t: MapType) -> MappedMemory {
    r.immediate.dynamic_map(r.ctx.entry(), o.r(), 0, t).unwrap()
}

fn forged(list: &DriverList<Live>) -> DriverList<Live> {
    DriverList::new(list.object().clone())
}

fn drop_device(mut r: Runtime) {
    r.flush();
    r.destroy_device();
}

const OPENING: &[Case] = &[
    (Rule::InterfaceListed, Fault::None, |driver| {
        let options = Options { interface: 12 << 16, ..Options::default() };
        assert!(Runtime::with(driver, options).is_err());
    }),
    (Rule::RoomForAll, Fault::None, |driver| {
        let adapter = open(driver, &Arc::default());
        adapter.supported_versions(None);
        adapter.supported_versions(Some(&mut [0]));
    }),
    (Rule::LevelOffered, Fault::None, |driver| {
        let options = Options { level: FeatureLevel::Level11_1, ..Options::default() };
        drop(Runtime::with(driver, options));
    }),
    (Rule::BuildListed, Fault::None, |driver| {
        drop(Runtime::with(driver, Options { build: 99, ..Options::default() }));
    }),
    (Rule::SameCountTwice, Fault::SizesGrow, |driver| drop(Runtime::new(driver))),
    (Rule::OwnPrivateData, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (mut a, mut b) = (r.deferred(), r.deferred());
        a.funcs.draw(a.ctx.entry(), 3, 0);
        a.funcs.draw(b.ctx.entry(), 3, 0);
    }),
    // The verifier only forwards this entry, but its hook still tracks the call.
    (Rule::OwnPrivateData, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let mut other = r.deferred();
        let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
        r.immediate.set_maximum_frame_latency(other.ctx.entry(), &chain, 1);
    }),
    (Rule::DeferredAllowed, Fault::None, |driver| {
        let options = Options { flags: CreateDeviceFlags::SINGLETHREADED, ..Options::default() };
        Runtime::with(driver, options).unwrap().deferred();
    }),
];

const THREADS: &[Case] = &[
    (Rule::OneThreadPerContext, Fault::None, |driver| {
        let options = Options { page_draws: Some(1), ..Options::default() };
        let mut r = Runtime::with(driver, options).unwrap();
        let (mut a, mut other) = (r.deferred(), r.deferred());
        let funcs = a.funcs.clone();
        a.ctx.layer.on_amortize = Some(Box::new(move |_, _, _| {
            std::thread::scope(|s| s.spawn(|| funcs.draw(other.ctx.entry(), 3, 0)).join().unwrap());
        }));
        a.funcs.draw(a.ctx.entry(), 3, 0);
    }),
    (Rule::ReentryOnlyToClose, Fault::None, |driver| {
        let options = Options { page_draws: Some(1), ..Options::default() };
        let mut a = Runtime::with(driver, options).unwrap().deferred();
        let funcs = a.funcs.clone();
        a.ctx.layer.on_amortize = Some(Box::new(move |private, handles, core| {
            funcs.draw(Entry { private, handles, core }, 3, 0);
        }));
        a.funcs.draw(a.ctx.entry(), 3, 0);
    }),
    (Rule::Serialized, Fault::None, |driver| {
        let options = Options { threading: ThreadingCaps::Serialized, ..Options::default() };
        let mut r = Runtime::with(driver, options).unwrap();
        let device = r.device.clone();
        let call = move || {
            std::thread::spawn(move || device.check_format_support(Format::R8_UNORM)).join().unwrap();
        };
        *r.kernel.on_allocate.lock().unwrap() = Some(Box::new(call));
        r.staging();
    }),
    // The verifier only forwards this entry, but its hook still tracks the call.
    (Rule::Serialized, Fault::None, |driver| {
        let options = Options { threading: ThreadingCaps::Serialized, ..Options::default() };
        let mut r = Runtime::with(driver, options).unwrap();
        let device = r.device.clone();
        let call = move || {
            std::thread::spawn(move || device.statistics()).join().unwrap();
        };
        *r.kernel.on_allocate.lock().unwrap() = Some(Box::new(call));
        r.staging();
    }),
];

const SIZES: &[Case] = &[
    (Rule::PrivateSizeLimit, Fault::SizeTooLarge, |driver| {
        let r = Runtime::new(driver);
        r.device.calc_private_size(&ObjectDesc::Query(QueryType::Event.into()));
    }),
    (Rule::PrivateSizePure, Fault::SizeImpure, |driver| {
        let r = Runtime::new(driver);
        r.device.calc_private_size(&ObjectDesc::Query(QueryType::Event.into()));
    }),
    (Rule::CalcAnyThread, Fault::SizeOfThread, |driver| {
        let r = Runtime::new(driver);
        r.device.calc_private_size(&ObjectDesc::Query(QueryType::Event.into()));
    }),
    (Rule::CalcCallsNothing, Fault::CalcAllocates, |driver| {
        let r = Runtime::new(driver);
        r.device.calc_private_size(&ObjectDesc::Query(QueryType::Event.into()));
    }),
    (Rule::DeviceTableFixed, Fault::AnswersChange, |driver| {
        let r = Runtime::new(driver);
        for _ in 0..2 {
            r.device.check_format_support(Format::R8_UNORM);
        }
    }),
    (Rule::DeviceTableFixed, Fault::SizesChange, |driver| {
        let r = Runtime::new(driver);
        let mut sizes = [HandleSize { kind: HandleType::Query, size: 0 }; HandleType::ALL.len() + 1];
        r.device.check_deferred_context_handle_sizes(Some(&mut sizes));
    }),
    (Rule::HandleSizeListed, Fault::SizeUnlisted, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.store(&q);
    }),
    (Rule::PrivateBytesReady, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let key = r.key();
        let size = r.device.calc_private_size(&ObjectDesc::Query(QueryType::Event.into()));
        r.device.create(key, &ObjectDesc::Query(QueryType::Event.into()), &mut vec![1; size]).unwrap();
    }),
    (Rule::PrivateBytesReady, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.store(&q);
        dc.ctx.handles.private_bytes_mut(q.key).unwrap().fill(1);
        dc.open_stored(&q);
    }),
];

const OBJECTS: &[Case] = &[
    (Rule::KeyUnused, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let q = r.query();
        let size = r.device.calc_private_size(&ObjectDesc::Query(QueryType::Event.into()));
        r.device.create(q.key, &ObjectDesc::Query(QueryType::Event.into()), &mut vec![0; size]).unwrap();
    }),
    (Rule::HandleOpen, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (staging, dynamic, mut dc) = (r.staging(), r.dynamic(), r.deferred());
        dc.open(&staging);
        dc.funcs.resource_copy(dc.ctx.entry(), staging.r(), dynamic.r());
    }),
    (Rule::HandleOpen, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        // The storage contains the object, but the driver was not asked to open it.
        dc.store(&q);
        dc.funcs.query_end(dc.ctx.entry(), q.handle());
    }),
    (Rule::HandleKind, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let q = r.query();
        r.immediate.clear_render_target_view(r.ctx.entry(), Handle::new(q.key), [0.0; 4]);
    }),
    (Rule::ImmediateFirst, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        r.destroy(q.clone());
        dc.open(&q);
    }),
    (Rule::ImmediateLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.open(&q);
        r.destroy(q);
    }),
    // Only the handle is closed, so the context and the object continue to exist.
    (Rule::ImmediateLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.open(&q);
        r.close(&q);
        r.flush();
    }),
    (Rule::OpenOnce, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.open(&q);
        dc.open_stored(&q);
    }),
    (Rule::CloseOpened, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.open(&q);
        dc.funcs.close(dc.ctx.closing(), q.kind, q.key);
        dc.funcs.close(dc.ctx.closing(), q.kind, q.key);
    }),
    (Rule::DependencyFirst, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let texture = r.texture(rgba(), &[]);
        let (view, mut dc) = (r.view(&texture), r.deferred());
        dc.store(&view);
        dc.open_stored(&view);
    }),
    (Rule::DependencyFirst, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let texture = r.texture(rgba(), &[]);
        r.destroy(texture.clone());
        let size = 16;
        let desc = view_desc();
        let desc = ObjectDesc::ShaderResourceView { resource: texture.reference(), desc: &desc };
        let key = r.key();
        r.device.create(key, &desc, &mut vec![0; size]).unwrap();
    }),
    (Rule::DependencyLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let texture = r.texture(rgba(), &[]);
        let (view, mut dc) = (r.view(&texture), r.deferred());
        dc.open(&view);
        dc.funcs.close(dc.ctx.closing(), texture.kind, texture.key);
    }),
    (Rule::DependencyLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let texture = r.texture(rgba(), &[]);
        let _view = r.view(&texture);
        r.destroy(texture);
    }),
    (Rule::DependencyLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let texture = r.texture(rgba(), &[]);
        let _view = r.view(&texture);
        r.close(&texture);
    }),
    (Rule::ClosedAfterRecording, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.open(&q);
        dc.funcs.create_command_list(dc.ctx.entry(), None).unwrap();
        dc.funcs.draw(dc.ctx.entry(), 3, 0);
    }),
    (Rule::ClosedAfterRecording, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.open(&q);
        dc.destroy();
    }),
    (Rule::RecordingEnded, Fault::None, |driver| {
        let mut dc = Runtime::new(driver).deferred();
        dc.funcs.draw(dc.ctx.entry(), 3, 0);
        dc.destroy();
    }),
    (Rule::DestroyedOnce, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let q = r.query();
        r.destroy(q.clone());
        r.device.destroy(q.kind, q.driver);
    }),
    (Rule::DestroyedOnce, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let list = r.deferred().finish();
        r.device.destroy_command_list(forged(&list).end());
        r.device.destroy_command_list(list.end());
    }),
    (Rule::DestroyedAsCreated, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let q = r.query();
        r.close(&q);
        r.device.destroy(HandleType::Sampler, q.driver);
    }),
    (Rule::AllDestroyed, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        r.query();
        r.destroy_device();
    }),
    (Rule::AllDestroyed, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let _dc = r.deferred();
        r.destroy_device();
    }),
];

const IN_USE: &[Case] = &[
    (Rule::ListsLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (query, mut dc) = (r.query(), r.deferred());
        dc.open(&query);
        dc.funcs.query_end(dc.ctx.entry(), query.handle());
        let _list = dc.finish();
        r.destroy(query);
    }),
    (Rule::DispatchReady, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        r.immediate.dispatch(r.ctx.entry(), 1, 1, 1);
    }),
    (Rule::DispatchReady, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        r.ctx.layer.compute_shader = Some(r.compute_shader().handle());
        r.immediate.dispatch(r.ctx.entry(), 1, 65_536, 1);
    }),
    (Rule::DispatchReady, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let arguments = r.buffer(BufferDesc::indirect(12, BindFlags::empty()), &[]);
        r.immediate.dispatch_indirect(r.ctx.entry(), arguments.r(), 0);
    }),
    (Rule::ArgumentsInside, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let arguments = r.buffer(BufferDesc::new(16, BindFlags::VERTEX_BUFFER), &[]);
        r.immediate.draw_instanced_indirect(r.ctx.entry(), arguments.r(), 0);
    }),
    (Rule::ArgumentsInside, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let arguments = r.buffer(BufferDesc::indirect(24, BindFlags::empty()), &[]);
        r.immediate.draw_instanced_indirect(r.ctx.entry(), arguments.r(), 2);
    }),
    (Rule::ArgumentsInside, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let arguments = r.buffer(BufferDesc::indirect(20, BindFlags::empty()), &[]);
        r.immediate.draw_indexed_instanced_indirect(r.ctx.entry(), arguments.r(), 4);
    }),
    (Rule::ArgumentsInside, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let arguments = r.buffer(BufferDesc::indirect(20, BindFlags::empty()), &[]);
        r.ctx.layer.compute_shader = Some(r.compute_shader().handle());
        r.immediate.dispatch_indirect(r.ctx.entry(), arguments.r(), 12);
    }),
    (Rule::HandleOpen, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let arguments = r.buffer(BufferDesc::indirect(16, BindFlags::empty()), &[]);
        let mut dc = r.deferred();
        dc.funcs.draw_instanced_indirect(dc.ctx.entry(), arguments.r(), 0);
    }),
    (Rule::CountsCounters, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let view = r.written(&buffer, 0, 4);
        r.immediate.set_structure_count(r.ctx.entry(), view.handle(), 7);
    }),
    (Rule::CountCopied, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let view = r.written(&buffer, 0, 4);
        r.immediate.copy_structure_count(r.ctx.entry(), buffer.r(), 0, view.handle());
    }),
    (Rule::CountCopied, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let view = r.counted(&buffer);
        r.immediate.copy_structure_count(r.ctx.entry(), buffer.r(), 6, view.handle());
    }),
    (Rule::CountCopied, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let view = r.counted(&buffer);
        r.immediate.copy_structure_count(r.ctx.entry(), buffer.r(), 64, view.handle());
    }),
    (Rule::HandleOpen, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let (view, mut dc) = (r.counted(&buffer), r.deferred());
        dc.funcs.copy_structure_count(dc.ctx.entry(), buffer.r(), 0, view.handle());
    }),
    (Rule::ResolvesSamples, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let [to, from] = [r.texture(rgba(), &[]), r.texture(rgba(), &[])];
        r.immediate.resource_resolve_subresource(r.ctx.entry(), to.r(), 0, from.r(), 0, rgba().format);
    }),
    (Rule::ResolvesSamples, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let samples = Texture2dDesc { sample_count: 4, ..rgba() };
        let [to, from] = [samples.clone(), samples].map(|desc| r.texture(desc, &[]));
        r.immediate.resource_resolve_subresource(r.ctx.entry(), to.r(), 0, from.r(), 0, rgba().format);
    }),
    (Rule::WrittenAlone, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let views = [r.written(&buffer, 0, 3), r.written(&buffer, 2, 2)];
        r.ctx.layer.compute_shader = Some(r.compute_shader().handle());
        r.ctx.layer.unordered = views.iter().map(|view| Some(view.handle())).collect();
        r.immediate.dispatch(r.ctx.entry(), 1, 1, 1);
    }),
    (Rule::WrittenAlone, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let (written, read) = (r.written(&buffer, 0, 1), r.read_view(&buffer));
        r.ctx.layer.compute_shader = Some(r.compute_shader().handle());
        r.ctx.layer.unordered = vec![Some(written.handle())];
        r.ctx.layer.views = vec![None, Some(read.handle())];
        r.immediate.dispatch(r.ctx.entry(), 1, 1, 1);
    }),
    (Rule::DependencyLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.structured();
        let _view = r.written(&buffer, 0, 4);
        r.destroy(buffer);
    }),
    // The rule also covers objects that only a nested list uses.
    (Rule::ListsLast, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (query, mut dc) = (r.query(), r.deferred());
        dc.open(&query);
        dc.funcs.query_end(dc.ctx.entry(), query.handle());
        let inner = dc.finish();
        dc.funcs.command_list_execute(dc.ctx.entry(), &inner);
        let _outer = dc.finish();
        r.device.destroy_command_list(inner.end());
        r.destroy(query);
    }),
    (Rule::UnboundBeforeClosed, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        r.ctx.layer.constants = vec![ConstantBufferBinding::whole(Some(buffer.r()))];
        r.destroy(buffer);
    }),
    (Rule::UnboundBeforeClosed, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (buffer, mut dc) = (r.dynamic(), r.deferred());
        dc.open(&buffer);
        dc.ctx.layer.constants = vec![ConstantBufferBinding::whole(Some(buffer.r()))];
        dc.funcs.create_command_list(dc.ctx.entry(), None).unwrap();
        dc.close_all();
    }),
    (Rule::RenderBeforeDeallocate, Fault::DeallocateEarly, |driver| {
        let mut r = Runtime::new(driver);
        let (a, b) = (r.staging(), r.staging());
        r.copy(&a, &b);
        r.destroy(b);
        r.flush();
    }),
    (Rule::RenderBeforeDeallocate, Fault::DeallocateEarly, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        r.ctx.layer.constants = vec![ConstantBufferBinding::whole(Some(buffer.r()))];
        r.draw();
        r.ctx.layer.unbind();
        r.destroy(buffer);
        r.flush();
    }),
    (Rule::RenderBeforeDeallocate, Fault::DeallocateEarly, |driver| {
        let mut r = Runtime::new(driver);
        let (buffer, mut dc) = (r.staging(), r.deferred());
        dc.copy(&buffer, &buffer);
        let list = dc.finish();
        r.execute(&list);
        r.device.destroy_command_list(list.end());
        r.destroy(buffer);
        r.flush();
    }),
    (Rule::FlushRetires, Fault::KeepDestroyed, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.staging();
        r.destroy(buffer);
        r.flush();
    }),
    (Rule::SharedByFlush, Fault::KeepShared, |driver| {
        let mut r = Runtime::new(driver);
        let shared = shared(&mut r);
        // The rule applies even if the GPU has not finished with the object.
        r.copy(&shared, &shared);
        r.destroy(shared);
        r.flush();
    }),
    (Rule::AllocateInCreate, Fault::AllocateElsewhere, |driver| {
        shared(&mut Runtime::new(driver));
    }),
    (Rule::AllocateInCreate, Fault::AllocateElsewhere, |driver| {
        let mut r = Runtime::new(driver);
        let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
        r.immediate.create_primary(r.ctx.entry(), &chain, &rgba().into(), &mut [0; 16]).unwrap();
    }),
];

const CALLBACKS: &[Case] = &[
    (Rule::AmortizedOnce, Fault::AmortizeTwice, |driver| Runtime::new(driver).draw()),
    (Rule::AmortizedOnce, Fault::AmortizeTwice, |driver| {
        let mut dc = Runtime::new(driver).deferred();
        dc.funcs.draw(dc.ctx.entry(), 3, 0);
    }),
    (Rule::AmortizedAfterRender, Fault::RenderOnly, |driver| Runtime::new(driver).draw()),
    (Rule::PreambleAfterAmortized, Fault::PreambleEarly, |driver| Runtime::new(driver).draw()),
    (Rule::PresentInPresent, Fault::PresentAnywhere, |driver| Runtime::new(driver).draw()),
    (Rule::DisplayModeInResize, Fault::DisplayModeAnywhere, |driver| Runtime::new(driver).draw()),
    (Rule::NewestTable, Fault::Publish, |driver| {
        let mut r = Runtime::new(driver);
        r.device.check_format_support(Format::R8_UNORM);
        r.immediate.flush(r.ctx.entry(), FlushFlags::empty());
    }),
    (Rule::RemovedSilent, Fault::Remove, |driver| {
        let mut r = Runtime::new(driver);
        r.draw();
        r.flush();
    }),
    (Rule::ErrorAllowed, Fault::Bug, |driver| Runtime::new(driver).draw()),
    (Rule::ErrorAllowed, Fault::BugOfCreate, |driver| {
        let mut r = Runtime::new(driver);
        assert!(r.create(&ObjectDesc::Query(QueryType::Event.into()), None).is_err());
    }),
    (Rule::ErrorAllowed, Fault::BugOfGetData, |driver| {
        let mut r = Runtime::new(driver);
        let query = r.query();
        assert!(r.immediate.query_get_data(r.ctx.entry(), query.handle(), false).is_err());
    }),
    (Rule::ErrorAllowed, Fault::BugOfPresent, |driver| {
        let mut r = Runtime::new(driver);
        assert!(r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).is_err());
    }),
    (Rule::ErrorAllowed, Fault::ErrorOfDestroy, |driver| {
        let mut r = Runtime::new(driver);
        let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
        r.immediate.destroy_swap_chain(r.ctx.entry(), chain);
    }),
    (Rule::ErrorAllowed, Fault::StagingWaits, |driver| {
        let mut r = Runtime::new(driver);
        let staging = r.staging();
        drop(r.immediate.staging_map(r.ctx.entry(), staging.r(), 0, MapType::Read, false));
    }),
    (Rule::AmortizedOnce, Fault::Publish, |driver| {
        let mut r = Runtime::new(driver);
        r.device.check_format_support(Format::R8_UNORM);
        // The verifier also watches a table that the driver publishes later.
        r.immediate = Arc::from(r.core.tables.lock().unwrap().pop().unwrap());
        r.draw();
    }),
    (Rule::CallbackArguments, Fault::OtherArguments, |driver| Runtime::new(driver).draw()),
    (Rule::RenderImmediate, Fault::RenderAnywhere, |driver| {
        let mut dc = Runtime::new(driver).deferred();
        dc.funcs.draw(dc.ctx.entry(), 3, 0);
    }),
    (Rule::ErrorAllowed, Fault::OutOfMemory, |driver| Runtime::new(driver).draw()),
    (Rule::DeallocateAllocated, Fault::DeallocateUnknown, |driver| {
        let mut r = Runtime::new(driver);
        let q = r.query();
        r.destroy(q);
    }),
    (Rule::DeallocateWhole, Fault::DeallocatePart, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.staging();
        r.destroy(buffer);
        r.flush();
    }),
    (Rule::AllocatedApart, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        r.kernel.one_number.store(true, Ordering::Relaxed);
        let _two = (r.staging(), r.staging());
    }),
    (Rule::AllDeallocated, Fault::LeakAllocation, |driver| {
        let mut r = Runtime::new(driver);
        let q = r.query();
        r.destroy(q);
        drop_device(r);
    }),
    (Rule::PrimaryDeallocated, Fault::KeepPrimary, |driver| {
        let mut r = Runtime::new(driver);
        let chain = r.immediate.create_swap_chain(r.ctx.entry(), &swap_chain_args()).unwrap().object;
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
        let primary = r.immediate.create_primary(r.ctx.entry(), &chain, &desc.into(), &mut [0; 16]).unwrap();
        r.immediate.destroy_primary(r.ctx.entry(), primary);
    }),
];

#[test]
fn each_breach_is_caught_with_its_rule() {
    let mut untested: Vec<Rule> = Rule::ALL.to_vec();
    let cases = [
        OPENING,
        THREADS,
        SIZES,
        OBJECTS,
        IN_USE,
        maps::MAPS,
        maps::LISTS,
        CALLBACKS,
        queries::QUERIES,
        swap_chains::SWAP_CHAINS,
    ];
    for (index, (rule, fault, commit)) in cases.into_iter().flatten().enumerate() {
        let (verifier, driver) = watched(*fault);
        commit(&driver);
        let breaches = verifier.breaches();
        assert!(breaches.iter().any(|b| b.rule == *rule), "case {index}, {rule:?}: {breaches:?}");
        assert!(rule.side() == Side::Runtime || *fault != Fault::None, "{rule:?} is the driver's");
        untested.retain(|untested| untested != rule);
    }
    // This case needs another driver, because the driver must support less threading than the runtime
    // requires.
    let serialized = NullDriver { threading: ThreadingCaps::FreeThreaded, ..NullDriver::default() };
    let verifier = Arc::new(Verifier::with_sink(Arc::new(serialized), Arc::new(|_| {})));
    drop(Runtime::new(&(verifier.clone() as Arc<dyn Driver>)));
    assert_eq!(verifier.breaches()[0].rule, Rule::ThreadingAnnounced);
    untested.retain(|rule| *rule != Rule::ThreadingAnnounced);
    assert!(untested.is_empty(), "rules without a case: {untested:?}");
}

fn behave(driver: &Arc<dyn Driver>) {
    let mut r = Runtime::with(driver, Options { page_draws: Some(4), ..Options::default() }).unwrap();
    let mut sizes = vec![
        HandleSize { kind: HandleType::Query, size: 0 };
        r.device.check_deferred_context_handle_sizes(None)
    ];
    r.device.check_deferred_context_handle_sizes(Some(&mut sizes));
    let (dynamic, staging, query) = (r.dynamic(), r.staging(), r.query());
    let texture = r.texture(rgba(), &[]);
    let view = r.view(&texture);
    r.ctx.layer.views = vec![Some(view.handle())];
    let views = [Some(view.handle())];
    r.immediate.set_shader_resources(r.ctx.entry(), ShaderStage::Pixel, 0, &views);
    let buffer = r.structured();
    let halves = [r.written(&buffer, 0, 2), r.written(&buffer, 2, 2)];
    let shader = r.compute_shader();
    r.ctx.layer.compute_shader = Some(shader.handle());
    r.immediate.set_shader(r.ctx.entry(), ShaderStage::Compute, Some(shader.handle()));
    r.ctx.layer.unordered = halves.iter().map(|view| Some(view.handle())).collect();
    let written = r.ctx.layer.unordered.clone();
    r.immediate.set_unordered_access_views(r.ctx.entry(), ShaderStage::Compute, 0, &written);
    let counted = r.counted(&buffer);
    r.ctx.layer.unordered = vec![None, Some(counted.handle())];
    let with_counter = r.ctx.layer.unordered.clone();
    r.immediate.set_unordered_access_views(r.ctx.entry(), ShaderStage::Compute, 0, &with_counter);
    r.immediate.set_structure_count(r.ctx.entry(), counted.handle(), 7);
    r.immediate.copy_structure_count(r.ctx.entry(), buffer.r(), 60, counted.handle());
    r.ctx.layer.unordered = written;
    let written = r.ctx.layer.unordered.clone();
    r.immediate.set_unordered_access_views(r.ctx.entry(), ShaderStage::Compute, 0, &written);
    r.immediate.dispatch(r.ctx.entry(), 1, 2, 65_535);
    r.ctx.layer.compute_shader = None;
    r.ctx.layer.unordered.clear();
    let [left, right] = halves;
    for object in [shader, left, right, counted, buffer] {
        r.destroy(object);
    }
    let (mut dc, mut outer) = (r.deferred(), r.deferred());
    dc = r.revived(dc.die());
    for _ in 0..3 {
        dc.open(&view);
        dc.ctx.layer.views = vec![Some(view.handle())];
        dc.funcs.set_shader_resources(dc.ctx.entry(), ShaderStage::Pixel, 0, &views);
        dc.discard(&dynamic, 1);
        dc.copy(&staging, &dynamic);
        (0..9).for_each(|_| dc.funcs.draw(dc.ctx.entry(), 3, 0));
        let list = dc.finish();
        outer.open(&dynamic);
        outer.funcs.command_list_execute(outer.ctx.entry(), &list);
        let nested = outer.finish();
        r.execute(&nested);
        r.execute(&nested);
        outer.recycle(nested);
        dc.recycle(list);
        // The immediate context's command buffer becomes full during these draws, so the runtime then closes
        // and destroys an object.
        let (late, table, device) = (r.query(), r.immediate.clone(), r.device.clone());
        r.ctx.layer.on_amortize = Some(Box::new(move |private, handles, core| {
            let state: &dyn StateRefresh = core;
            table.close(ClosingEntry { private, handles, state }, late.kind, late.key);
            handles.close(late.key);
            device.destroy(late.kind, late.driver.clone());
        }));
        (0..9).for_each(|_| r.draw());
        assert_eq!(r.read(&staging).0, [1; 16]);
        queries::behave(&mut r);
        r.immediate.query_end(r.ctx.entry(), query.handle());
        while r.immediate.query_get_data(r.ctx.entry(), query.handle(), false).is_err() {}
    }
    swap_chains::Chain::new(&mut r).behave(&mut r);
    dc.funcs.draw(dc.ctx.entry(), 3, 0);
    dc.funcs.abandon_command_list(dc.ctx.closing());
    for context in [dc, outer] {
        context.destroy();
    }
    r.ctx.layer.views.clear();
    for object in [view, texture, dynamic, staging, query] {
        r.destroy(object);
    }
    assert!(r.core.bugs.lock().unwrap().is_empty());
    drop_device(r);
}

#[test]
fn correct_calls_cause_no_breach() {
    let (verifier, driver) = watched(Fault::None);
    behave(&driver);
    assert_eq!(verifier.breaches(), []);
}

#[test]
fn deferred_handles_may_outlive_the_immediate_context() {
    let (verifier, driver) = watched(Fault::None);
    let mut r = Runtime::new(&driver);
    let texture = r.texture(rgba(), &[]);
    let (view, mut dc) = (r.view(&texture), r.deferred());
    dc.open(&view);
    [&view, &texture].into_iter().for_each(|object| r.close(object));
    dc.funcs.draw(dc.ctx.entry(), 3, 0);
    dc.abandon();
    dc.destroy();
    [view, texture].into_iter().for_each(|object| r.device.destroy(object.kind, object.driver));
    r.destroy_device();
    assert_eq!(verifier.breaches(), []);
}

#[test]
fn closing_a_handle_that_failed_to_open_is_optional() {
    let (verifier, driver) = watched(Fault::OpenFails);
    let mut r = Runtime::new(&driver);
    let (q, mut dc) = (r.query(), r.deferred());
    for close in [true, false] {
        dc.store(&q);
        let args = OpenArgs { kind: q.kind, key: q.key, object: &q.driver, dependency: Dependency::None };
        assert_eq!(dc.funcs.open(dc.ctx.entry(), args), Err(RecordError::OutOfMemory));
        if close {
            dc.funcs.close(dc.ctx.closing(), q.kind, q.key);
        }
        dc.ctx.handles.close(q.key);
        dc.funcs.abandon_command_list(dc.ctx.closing());
    }
    r.destroy(q);
    assert_eq!(verifier.breaches(), []);
}

#[test]
fn without_a_sink_breaches_of_both_sides_are_listed() {
    // No other test adds breaches to the process-wide list.
    let faulty: Arc<dyn Driver> = Arc::new(FaultyDriver { inner: driver(), fault: Fault::RenderOnly });
    let mut r = Runtime::new(&verify(faulty));
    r.draw();
    let bugs = r.core.bugs.lock().unwrap().clone();
    assert!(bugs.len() == 1 && bugs[0].0.contains("amortized processing"), "{bugs:?}");
    r.immediate.ia_set_primitive_topology(r.ctx.entry(), PrimitiveTopology::LineList);
    assert_eq!(r.core.bugs.lock().unwrap().len(), 1, "breaches of the runtime are not bugs of the driver");
    let rules: Vec<Rule> = verifier::breaches().iter().map(|b| b.rule).collect();
    assert_eq!(rules, [Rule::AmortizedAfterRender, Rule::StateShowsNewBinding]);
}

#[test]
fn a_sink_receives_the_rule_entry_and_thread() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let driver = verify_with(driver(), Arc::new(move |b| sink.lock().unwrap().push(b.clone())));
    let mut r = Runtime::new(&driver);
    r.immediate.ia_set_primitive_topology(r.ctx.entry(), PrimitiveTopology::LineList);
    let heard = heard.lock().unwrap();
    assert_eq!((heard.len(), heard[0].rule), (1, Rule::StateShowsNewBinding));
    assert_eq!((heard[0].entry, heard[0].thread), ("ia_set_primitive_topology", std::thread::current().id()));
    let thread = std::thread::current().id();
    let expected =
        format!("C106, runtime breach in `ia_set_primitive_topology` on {thread:?}: Within a setter");
    assert!(heard[0].to_string().starts_with(&expected), "{}", heard[0]);
}
