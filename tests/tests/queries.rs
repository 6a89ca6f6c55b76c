//! Queries: creation, states, and the time at which results become available, but not the results themselves,
//! which `occlusion.rs` tests.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Config, Harness, Target, assert_error, matrix, on_each};

fn event(device: &Device) -> onze::Query {
    let query = device.create_query(QueryType::Event).unwrap();
    assert_eq!(query.query_type(), QueryType::Event);
    query
}

fn wait_for(h: &mut Harness, query: &onze::Query) -> QueryData {
    onze_tests::wait_for("the event happens", || h.immediate.get_data(query, false).unwrap())
}

/// See Wine 10.0, d3d11 tests, line 6011.
#[test]
fn a_query_has_a_result_only_after_its_first_end() {
    on_each(&matrix(), |h| {
        let query = event(&h.device);
        for do_not_flush in [false, true] {
            assert_error!(h.immediate.get_data(&query, do_not_flush), InvalidCall);
            h.assert_reported(MessageId::GetDataInvalid);
        }
        h.immediate.end(&query);
        assert_eq!(wait_for(h, &query), QueryData::Event(true));
        // The result can be read again, and the query can be used again.
        assert_eq!(wait_for(h, &query), QueryData::Event(true));
        for _ in 0..3 {
            h.immediate.end(&query);
        }
        assert_eq!(wait_for(h, &query), QueryData::Event(true));
    });
}

#[test]
fn an_event_happens_after_all_work_that_came_before_it() {
    on_each(&matrix(), |h| {
        let query = event(&h.device);
        let cpu = CpuAccessFlags::READ;
        let result = h.device.create_buffer(&BufferDesc::staging(64, cpu), None).unwrap();
        let source =
            h.device.create_buffer(&BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), None).unwrap();
        let target = Target::new(&h.device, 64, 64);
        for value in 1..5 {
            for _ in 0..10 {
                h.immediate.clear_render_target_view(&target.view, [1.0; 4]);
            }
            h.immediate.map(&source, 0, MapType::WriteDiscard).unwrap().fill(value);
            h.immediate.copy_resource(&result, &source);
            h.immediate.end(&query);
            wait_for(h, &query);
            // The event has happened, so this map must not wait.
            let flags = MapFlags::DO_NOT_WAIT;
            let mapped = h.immediate.map_with_flags(&result, 0, MapType::Read, flags).unwrap();
            assert_eq!(&*mapped, &[value; 64]);
        }
    });
}

#[test]
fn without_a_flush_an_event_waits_for_a_submission() {
    on_each(&matrix(), |h| {
        let query = event(&h.device);
        h.immediate.end(&query);
        // The result may be missing or available at this point, but the call must not fail.
        let early = h.immediate.get_data(&query, true).unwrap();
        assert!(matches!(early, None | Some(QueryData::Event(true))), "{early:?}");
        h.immediate.flush();
        onze_tests::wait_for("the submitted event happens", || h.immediate.get_data(&query, true).unwrap());
    });
}

/// See Wine 10.0, d3d11 tests, line 33613.
#[test]
fn a_query_ended_by_a_list_has_a_result_after_execution() {
    on_each(&matrix(), |h| {
        let (query, outer_query) = (event(&h.device), event(&h.device));
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.end(&query);
        let inner = deferred.finish_command_list(false).unwrap();
        deferred.execute_command_list(&inner, false);
        deferred.end(&outer_query);
        let outer = deferred.finish_command_list(false).unwrap();
        for query in [&query, &outer_query] {
            assert_error!(h.immediate.get_data(query, false), InvalidCall, "only recorded");
        }
        h.assert_reported(MessageId::GetDataInvalid);
        h.immediate.execute_command_list(&outer, false);
        assert_eq!(wait_for(h, &query), QueryData::Event(true), "in a nested list");
        assert_eq!(wait_for(h, &outer_query), QueryData::Event(true));
        drop((inner, outer));
        assert_eq!(wait_for(h, &query), QueryData::Event(true), "the list is gone");
    });
}

#[test]
fn an_event_has_no_begin() {
    on_each(&matrix(), |h| {
        let query = event(&h.device);
        assert!(!query.query_type().has_beginning());
        h.immediate.begin(&query);
        h.assert_reported(MessageId::BeginInvalid);
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.begin(&query);
        h.assert_reported(MessageId::BeginInvalid);
        assert_error!(h.immediate.get_data(&query, false), InvalidCall);
        h.take_errors();
    });
}

/// See Wine 10.0, d3d11 tests, lines 5884 and 6011.
#[test]
fn every_query_kind_is_created_or_names_its_missing_feature() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let missing = h.device.check_feature_support().missing;
        for kind in QueryType::ALL {
            for misc_flags in [QueryMiscFlags::empty(), QueryMiscFlags::PREDICATEHINT] {
                let desc = QueryDesc { misc_flags, ..kind.into() };
                let is_valid = misc_flags.is_empty() || kind == QueryType::OcclusionPredicate;
                for makes_predicate in [false, true] {
                    let result = if makes_predicate {
                        h.device.create_predicate(desc)
                    } else {
                        h.device.create_query(desc)
                    };
                    let is_valid = is_valid && (!makes_predicate || kind.is_predicate());
                    let name = missing.intersection(kind.needs()).iter_names().next();
                    match (result, is_valid, name) {
                        (Ok(query), true, None) => {
                            assert_eq!((query.desc(), query.query_type()), (desc, kind));
                            h.assert_silent();
                        }
                        (Err(onze::Error::Unsupported(text)), true, Some((name, _))) => {
                            assert!(text.contains(name), "{text}");
                            h.assert_reported(MessageId::CreateQueryInvalid);
                        }
                        (Err(onze::Error::InvalidArg(_)), false, _) => {
                            h.assert_reported(MessageId::CreateQueryInvalid);
                        }
                        (result, ..) => panic!("{desc:?}: {result:?}"),
                    }
                }
            }
        }
        let unknown = QueryMiscFlags::from_bits_retain(2);
        let desc = QueryDesc { misc_flags: unknown, ..QueryType::OcclusionPredicate.into() };
        assert_error!(h.device.create_query(desc), InvalidArg);
        h.take_errors();
    });
}

/// See Wine 10.0, d3d11 tests, lines 6011, 6180 and 6296.
#[test]
fn each_query_kind_has_its_result_type_and_states() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[
            MessageId::BeginDuplicate,
            MessageId::EndWithoutBegin,
            MessageId::TimestampOutsideDisjoint,
        ]);
        for (kind, size, empty) in [
            (QueryType::Event, 4, Some(QueryData::Event(true))),
            (QueryType::Occlusion, 8, Some(QueryData::Occlusion(0))),
            (QueryType::Timestamp, 8, None),
            (QueryType::TimestampDisjoint, 16, None),
            (
                QueryType::PipelineStatistics,
                88,
                Some(QueryData::PipelineStatistics(PipelineStatistics::default())),
            ),
            (QueryType::OcclusionPredicate, 4, Some(QueryData::OcclusionPredicate(false))),
            (QueryType::SoStatistics, 16, Some(QueryData::SoStatistics(SoStatistics::default()))),
            (QueryType::SoOverflowPredicateStream2, 4, Some(QueryData::SoOverflowPredicate(false))),
        ] {
            if !h.has_feature(kind.needs()) {
                continue;
            }
            let query = h.device.create_query(kind).unwrap();
            assert_eq!(query.get_data_size(), size, "{kind:?}");
            let check = |h: &mut Harness, what: &str| {
                let answer = wait_for(h, &query);
                assert!(answer.is_result_of(kind), "{what}: {answer:?} of {kind:?}");
                assert!(empty.is_none_or(|empty| empty == answer), "{kind:?}, {what}: {answer:?}");
            };
            assert_error!(h.immediate.get_data(&query, false), InvalidCall, "{kind:?}, new");
            if kind.has_beginning() {
                h.immediate.begin(&query);
                assert_error!(h.immediate.get_data(&query, false), InvalidCall, "{kind:?}, first begin");
                h.immediate.end(&query);
                check(h, "ended");
                h.immediate.begin(&query);
                h.immediate.begin(&query);
                assert_error!(h.immediate.get_data(&query, false), InvalidCall, "{kind:?}, begun twice");
            }
            h.take_errors();
            h.immediate.end(&query);
            check(h, "begun twice, or ended without a begin");
            h.immediate.end(&query);
            check(h, "ended again");
            let mut deferred = h.device.create_deferred_context().unwrap();
            if kind.has_beginning() {
                deferred.begin(&query);
            }
            deferred.end(&query);
            deferred.end(&query);
            let list = deferred.finish_command_list(false).unwrap();
            check(h, "recorded anew, and not executed");
            h.immediate.execute_command_list(&list, false);
            check(h, "executed");
        }
    });
}

#[test]
fn a_predicate_hint_has_no_readable_result() {
    on_each(&matrix(), |h| {
        let misc_flags = QueryMiscFlags::PREDICATEHINT;
        let hint = QueryDesc { misc_flags, ..QueryType::OcclusionPredicate.into() };
        let hint = h.device.create_predicate(hint).unwrap();
        for _ in 0..2 {
            assert_error!(h.immediate.get_data(&hint, false), InvalidCall);
            h.assert_reported(MessageId::GetDataInvalid);
            h.immediate.begin(&hint);
            h.immediate.end(&hint);
        }
    });
}

#[test]
fn many_queries_return_results_in_any_order() {
    on_each(&matrix(), |h| {
        let queries: Vec<_> = (0..50).map(|_| event(&h.device)).collect();
        for (i, query) in queries.iter().enumerate() {
            h.immediate.end(query);
            if i % 7 == 0 {
                h.immediate.flush();
            }
        }
        wait_for(h, &queries[49]);
        for query in queries.iter().rev() {
            // All earlier events have happened as well.
            assert_eq!(h.immediate.get_data(query, true).unwrap(), Some(QueryData::Event(true)));
        }
    });
}

#[test]
fn a_query_of_another_device_is_refused() {
    on_each(&[Config::NULL], |h| {
        let Some(other) = Harness::start(Config::NULL) else { return };
        let query = event(&other.device);
        h.immediate.end(&query);
        h.assert_reported(MessageId::ForeignObject);
        assert_error!(h.immediate.get_data(&query, false), InvalidArg);
        h.assert_reported(MessageId::ForeignObject);
        drop(query);
        other.finish();
    });
}
