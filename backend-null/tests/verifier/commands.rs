//! Tests that breach the contract's rules for draws, dispatches, counters, resolves and executed lists.

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Runtime, faulty::Fault},
    rgba,
};

pub(crate) const COMMANDS: &[Case] = &[
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
];
