//! The debug layer's messages in the log. Alone in its process: whether a line of the log is wanted is
//! decided once for all threads, so another test could decide it first.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use onze::{Severity, prelude::*};

/// Counts events of the debug layer.
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
        // Two sources without an entry point, and two buffers of one name: the texts are equal, the subjects are not.
        let create = |text| device.create_vertex_shader(ShaderSource::wgsl(text, "main")).unwrap_err();
        let (mut first, mut second) = (String::new(), String::new());
        assert_eq!(logged_by(&mut || first = create("fn a() {}").to_string()), 1);
        assert_eq!(logged_by(&mut || second = create("fn b() {}").to_string()), 1);
        assert_eq!(first, second);
        assert_eq!(logged_by(&mut || drop(create("fn a() {}"))), 0);
        let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER).label("vertices");
        let buffers = [(); 2].map(|()| device.create_buffer(&desc, None).unwrap());
        let mut map = |buffer| immediate.map(buffer, 0, MapType::Read).unwrap_err().to_string();
        assert_eq!(logged_by(&mut || first = map(&buffers[0])), 1);
        assert_eq!(logged_by(&mut || second = map(&buffers[1])), 1);
        assert_eq!(first, second);
        assert_eq!(logged_by(&mut || drop(map(&buffers[0]))), 0);
    });
}
