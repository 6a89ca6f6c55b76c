//! Tests of the debug layer's messages in the log, run in a separate process because `tracing` decides once
//! for all threads whether a line is enabled, and another test could trigger that decision first.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot continue panics")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use onze::{Severity, prelude::*};

struct Counter(Arc<AtomicUsize>);

impl tracing::Subscriber for Counter {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "onze::debug"
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn a_message_is_logged_once_for_each_object() {
    let desc = DeviceDesc { driver_type: DriverType::Null, debug: true, ..DeviceDesc::default() };
    let (device, mut immediate) = create_device(&desc).unwrap();
    let queue = device.info_queue();
    let logged = Arc::new(AtomicUsize::new(0));
    tracing::subscriber::with_default(Counter(logged.clone()), || {
        for _ in 0..3 {
            queue.add_application_message(Severity::Error, "a");
            queue.add_application_message(Severity::Error, "b");
        }
        assert_eq!((logged.load(Ordering::Relaxed), queue.len()), (2, 6));
        queue.set_log_repeats(true);
        queue.add_application_message(Severity::Error, "a");
        assert_eq!(logged.load(Ordering::Relaxed), 3);
        queue.set_log_repeats(false);

        let logged_by = |report: &mut dyn FnMut()| {
            let before = logged.load(Ordering::Relaxed);
            report();
            logged.load(Ordering::Relaxed) - before
        };
        // The messages about two queries with the same name have equal texts, but different subjects.
        let create = || device.labelled("done").create_query(QueryType::Event).unwrap();
        let (first, second) = (create(), create());
        assert_eq!(logged_by(&mut || immediate.begin(&first)), 1);
        assert_eq!(logged_by(&mut || immediate.begin(&second)), 1);
        assert_eq!(logged_by(&mut || immediate.begin(&first)), 0);
        let [.., one, other, _] = &queue.take()[..] else { panic!("three messages") };
        assert_eq!(one.description, other.description);
        // An error that the call also returns is stored but not logged.
        let source = || ShaderSource::wgsl("fn a() {}", "main");
        assert_eq!(logged_by(&mut || drop(device.create_vertex_shader(source()))), 0);
    });
}
