//! Tests of the spans that the wgpu driver opens, in a separate process because the test's subscriber
//! receives the spans of all threads.
#![cfg(feature = "wgpu")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot continue panics")]

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use onze::prelude::*;

#[derive(Clone, Default)]
struct Names(Arc<Mutex<BTreeSet<&'static str>>>);

impl tracing::Subscriber for Names {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("onze_wgpu")
    }
    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        self.0.lock().unwrap().insert(span.metadata().name());
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Presenting also has a span, but testing it requires a window.
#[test]
fn flushing_encoding_and_submitting_have_spans_on_any_thread() {
    let names = Names::default();
    tracing::subscriber::set_global_default(names.clone()).unwrap();
    for workers in [0, 1] {
        let driver_type = DriverType::Custom(onze_wgpu::noop_driver());
        let desc = DeviceDesc { driver_type, workers: Some(workers), ..DeviceDesc::default() };
        let (device, mut immediate) = create_device(&desc).unwrap();
        let seen = |immediate: &mut ImmediateContext| {
            names.0.lock().unwrap().clear();
            immediate.flush();
            names.0.lock().unwrap().iter().copied().collect::<Vec<_>>()
        };
        seen(&mut immediate);
        assert_eq!(seen(&mut immediate), ["flush"], "{workers} workers: there is nothing to submit");
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
        let target = device.create_texture_2d(&desc, None).unwrap();
        let view = device.create_render_target_view(&target, None).unwrap();
        immediate.clear_render_target_view(&view, [1.0; 4]);
        assert_eq!(seen(&mut immediate), ["encode", "flush", "submit"], "{workers} workers");
    }
}
