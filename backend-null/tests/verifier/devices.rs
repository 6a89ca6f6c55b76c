//! Tests that breach the contract's rules for opening adapters and devices, for threads, and for private sizes.

use std::sync::Arc;

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Options, Runtime, faulty::Fault, open, swap_chain_args},
};

pub(crate) const OPENING: &[Case] = &[
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

pub(crate) const THREADS: &[Case] = &[
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

pub(crate) const SIZES: &[Case] = &[
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
