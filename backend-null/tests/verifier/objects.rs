//! Tests that breach the contract's rules for objects and their handles.

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Runtime, faulty::Fault, view_desc},
    forged, rgba,
};

pub(crate) const OBJECTS: &[Case] = &[
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
