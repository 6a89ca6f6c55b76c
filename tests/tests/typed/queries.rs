//! Queries with typed results, and GPU times of passes.

use onze::{GpuTimer, TypedQuery, prelude::*};
use onze_tests::{Config, on_each, wait_for};

#[test]
fn a_typed_query_returns_the_type_of_its_kind() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let event: TypedQuery<bool> = h.device.create_event_query().unwrap();
        let visible: TypedQuery<bool> = h.device.create_occlusion_predicate().unwrap();
        assert_eq!(event.query_type(), QueryType::Event);
        h.immediate.begin(&visible);
        h.immediate.end(&visible);
        h.immediate.end(&event);
        let get = |cx: &mut ImmediateContext, query: &TypedQuery<bool>| {
            wait_for("a result", || cx.get_data(query, false).unwrap())
        };
        assert!(get(&mut h.immediate, &event));
        assert!(!get(&mut h.immediate, &visible), "nothing was drawn");
        h.immediate.set_predication(&visible, false);
        h.immediate.set_predication(None, false);
        // Queries without a result type return `QueryData`.
        let data: Option<QueryData> = h.immediate.get_data(&*event, false).unwrap();
        assert_eq!(data, Some(QueryData::Event(true)));
        if h.has_feature(Features::OCCLUSION_COUNTS) {
            let count = h.device.create_occlusion_query().unwrap();
            assert_eq!(count.query_type(), QueryType::Occlusion);
            h.immediate.begin(&count);
            h.immediate.end(&count);
            let count: u64 = wait_for("a count", || h.immediate.get_data(&count, false).unwrap());
            assert_eq!(count, 0);
        }
        if h.has_feature(Features::PIPELINE_STATISTICS) {
            let work = h.device.create_pipeline_statistics_query().unwrap();
            h.immediate.begin(&work);
            h.immediate.end(&work);
            let work: PipelineStatistics = wait_for("counts", || h.immediate.get_data(&work, false).unwrap());
            assert_eq!(work.ia_vertices, 0);
        }
        h.assert_silent();
    });
}

#[test]
fn a_timer_measures_passes_of_frames_in_flight() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let mut timer = GpuTimer::new(&h.device);
        let target = h.device.create_render_target(Format::R8G8B8A8_UNORM, 64, 64).unwrap();
        let has = h.has_feature(Features::TIMESTAMPS);
        for frame in 0..20 {
            timer.begin(&mut h.immediate).unwrap();
            h.immediate.clear_render_target_view(&target.render_target_view, [1.0; 4]);
            timer.end_pass(&mut h.immediate, "clear").unwrap();
            if frame < 10 {
                timer.end_pass(&mut h.immediate, "early").unwrap();
            }
            timer.end(&mut h.immediate);
            h.wait();
        }
        timer.begin(&mut h.immediate).unwrap();
        timer.end(&mut h.immediate);
        let names: Vec<_> = timer.times().iter().map(|time| time.name).collect();
        assert_eq!(names, if has { vec!["clear"] } else { vec![] });
        assert_eq!(timer.milliseconds("early"), None);
        if has {
            let milliseconds = timer.milliseconds("clear").unwrap();
            assert!((0.0..10_000.0).contains(&milliseconds), "{milliseconds}");
        }
        h.assert_silent();
    });
}

#[test]
fn typed_queries_are_equal_if_they_are_one_query() {
    on_each(&[Config::NULL], |h| {
        let [one, other] = [(); 2].map(|()| h.device.create_event_query().unwrap());
        assert_eq!(one, one.clone());
        assert_ne!(one, other);
    });
}

#[test]
fn a_timer_reads_the_oldest_frame_first() {
    on_each(&[Config::GPU], |h| {
        if !h.has_feature(Features::TIMESTAMPS) {
            return;
        }
        let mut timer = GpuTimer::new(&h.device);
        // The timer's ring has room for four frames, and `times` returns the passes of the frame that was
        // read last.
        for name in ["first", "second", "third", "fourth"] {
            timer.begin(&mut h.immediate).unwrap();
            timer.end_pass(&mut h.immediate, name).unwrap();
            timer.end(&mut h.immediate);
        }
        h.wait();
        timer.begin(&mut h.immediate).unwrap();
        let names: Vec<_> = timer.times().iter().map(|time| time.name).collect();
        assert_eq!(names, ["fourth"]);
        timer.end(&mut h.immediate);
        h.assert_silent();
    });
}

#[test]
fn a_timer_without_results_never_waits() {
    on_each(&[Config::GPU], |h| {
        let mut timer = GpuTimer::new(&h.device);
        // The loop times more frames than the ring has sets, but none of them is submitted because the timer
        // does not flush.
        for _ in 0..12 {
            timer.begin(&mut h.immediate).unwrap();
            timer.end_pass(&mut h.immediate, "pass").unwrap();
            timer.end(&mut h.immediate);
            assert_eq!(timer.times(), []);
        }
        // Calls outside a frame are ignored, and so is a frame without an end.
        timer.end_pass(&mut h.immediate, "outside").unwrap();
        timer.end(&mut h.immediate);
        h.wait();
        timer.begin(&mut h.immediate).unwrap();
        timer.begin(&mut h.immediate).unwrap();
        assert_eq!(timer.times().len(), usize::from(h.has_feature(Features::TIMESTAMPS)));
        timer.end(&mut h.immediate);
        h.assert_silent();
    });
}
