//! Tests that breach the contract's rules for callbacks, errors and allocations.

use std::sync::{Arc, atomic::Ordering};

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Runtime, faulty::Fault, swap_chain_args},
    drop_device,
};

pub(crate) const CALLBACKS: &[Case] = &[
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
