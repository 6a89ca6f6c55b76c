//! Tests that breach the contract's rules for queries.

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Dc, Object, Runtime, faulty::Fault},
};

fn begin(r: &mut Runtime, query: &Object) {
    r.immediate.query_begin(r.ctx.entry(), query.handle());
}

fn end(r: &mut Runtime, query: &Object) {
    r.immediate.query_end(r.ctx.entry(), query.handle());
}

fn list_with(dc: &mut Dc, query: &Object) -> DriverList<Live> {
    dc.open(query);
    dc.funcs.query_begin(dc.ctx.entry(), query.handle());
    dc.funcs.query_end(dc.ctx.entry(), query.handle());
    dc.finish()
}

pub(crate) const QUERIES: &[Case] = &[
    (Rule::QueryHasBeginning, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let event = r.query();
        begin(&mut r, &event);
    }),
    (Rule::QueryBegunOnce, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let query = r.predicate();
        (0..2).for_each(|_| begin(&mut r, &query));
    }),
    (Rule::QueryEndedBegun, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let query = r.predicate();
        end(&mut r, &query);
    }),
    // A query that has begun in another context has not begun in this context.
    (Rule::QueryEndedBegun, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (query, mut dc) = (r.predicate(), r.deferred());
        begin(&mut r, &query);
        dc.open(&query);
        dc.funcs.query_end(dc.ctx.entry(), query.handle());
    }),
    (Rule::QueryAskedEnded, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let query = r.predicate();
        begin(&mut r, &query);
        assert!(r.immediate.query_get_data(r.ctx.entry(), query.handle(), true).is_ok());
    }),
    (Rule::AnswerKind, Fault::OtherAnswer, |driver| {
        let mut r = Runtime::new(driver);
        let query = r.predicate();
        begin(&mut r, &query);
        end(&mut r, &query);
        while r.immediate.query_get_data(r.ctx.entry(), query.handle(), false).is_err() {}
    }),
    (Rule::QueriesEnded, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (query, mut dc) = (r.predicate(), r.deferred());
        dc.open(&query);
        dc.funcs.query_begin(dc.ctx.entry(), query.handle());
        dc.finish();
    }),
    (Rule::ListQueriesFree, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (query, mut dc) = (r.predicate(), r.deferred());
        let list = list_with(&mut dc, &query);
        begin(&mut r, &query);
        r.execute(&list);
    }),
    // The rule also covers nested lists, and execution within a recording.
    (Rule::ListQueriesFree, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (query, mut dc, mut outer) = (r.predicate(), r.deferred(), r.deferred());
        let inner = list_with(&mut dc, &query);
        dc.funcs.command_list_execute(dc.ctx.entry(), &inner);
        let list = dc.finish();
        outer.open(&query);
        outer.funcs.query_begin(outer.ctx.entry(), query.handle());
        outer.funcs.command_list_execute(outer.ctx.entry(), &list);
    }),
];

pub(crate) fn behave(r: &mut Runtime) {
    let (query, lost, mut dc) = (r.predicate(), r.predicate(), r.deferred());
    let list = list_with(&mut dc, &query);
    for object in [&query, &lost] {
        begin(r, object);
    }
    end(r, &query);
    r.execute(&list);
    let answer = loop {
        match r.immediate.query_get_data(r.ctx.entry(), query.handle(), false) {
            Err(GetDataError::StillDrawing) => {}
            answer => break answer,
        }
    };
    assert_eq!(answer, Ok(QueryData::OcclusionPredicate(false)));
    dc.open(&query);
    dc.funcs.query_begin(dc.ctx.entry(), query.handle());
    dc.funcs.abandon_command_list(dc.ctx.closing());
    dc.close_all();
    dc.recycle(list);
    dc.destroy();
    [query, lost].into_iter().for_each(|object| r.destroy(object));
}
