//! Checks that the verifier reports each breach of the contract by driver or runtime, and that it reports
//! nothing else.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "verifier/callbacks.rs"]
mod callbacks;
#[path = "verifier/commands.rs"]
mod commands;
mod common;
#[path = "verifier/devices.rs"]
mod devices;
#[path = "verifier/maps.rs"]
mod maps;
#[path = "verifier/memory.rs"]
mod memory;
#[path = "verifier/objects.rs"]
mod objects;
#[path = "verifier/queries.rs"]
mod queries;
#[path = "verifier/stream_output.rs"]
mod stream_output;
#[path = "verifier/swap_chains.rs"]
mod swap_chains;
#[path = "verifier/tessellation.rs"]
mod tessellation;

use std::sync::{Arc, Mutex};

use common::{
    Object, Options, Runtime,
    faulty::{Fault, FaultyDriver},
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

#[test]
fn each_breach_is_caught_with_its_rule() {
    let mut untested: Vec<Rule> = Rule::ALL.to_vec();
    let cases = [
        devices::OPENING,
        devices::THREADS,
        devices::SIZES,
        objects::OBJECTS,
        commands::COMMANDS,
        memory::MEMORY,
        maps::MAPS,
        maps::LISTS,
        callbacks::CALLBACKS,
        queries::QUERIES,
        stream_output::STREAM_OUTPUT,
        tessellation::TESSELLATION,
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
