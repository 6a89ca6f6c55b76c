//! Records where queries begin and end, and repeats the active queries at the start of each page.

use std::sync::Arc;

use onze_ddi::QueryHandle;

use crate::{
    objects::query::{Measure, Query},
    record::{
        command::Command,
        page::PageQuery,
        recorder::{PageSink, PageWriter, Recorder},
    },
};

#[derive(Debug)]
pub(crate) struct BegunQuery {
    pub(crate) query: Arc<Query>,
    at: u32,
}

impl<E: PageSink> Recorder<E> {
    pub(crate) fn forget_query(&mut self, query: &Query) {
        self.begun.retain(|begun| !std::ptr::eq(&*begun.query, query));
    }

    /// Writes the active queries at the start of a new page.
    pub(super) fn restate_queries(&mut self) {
        for at in 0..self.begun.len() {
            let query = self.begun[at].query.clone();
            let entered = self.enter_query(query, true);
            self.begun[at].at = entered;
            self.page.commands.push(Command::BeginQuery(entered));
        }
    }

    fn enter_query(&mut self, query: Arc<Query>, continues: bool) -> u32 {
        let at = self.page.queries.len() as u32;
        self.page.queries.push(PageQuery { query, continues });
        at
    }
}

impl<E: PageSink> PageWriter<'_, E> {
    pub(crate) fn begin_query(&mut self, handle: QueryHandle) {
        let Some(query) = self.query(handle) else { return };
        if query.measure == Measure::Nothing {
            return;
        }
        let at = self.r.enter_query(query.clone(), false);
        self.push(Command::BeginQuery(at));
        self.r.begun.push(BegunQuery { query, at });
        // Beginning a query changes its result even if nothing is drawn, so the page must not be dropped.
        self.r.has_work = true;
    }

    pub(crate) fn end_query(&mut self, handle: QueryHandle) {
        let Some(query) = self.query(handle) else { return };
        if let Some(place) = self.r.begun.iter().position(|begun| Arc::ptr_eq(&begun.query, &query)) {
            let at = self.r.begun.swap_remove(place).at;
            self.push(Command::EndQuery(at));
        } else if query.measure == Measure::Time {
            let at = self.r.enter_query(query.clone(), false);
            self.work(Command::EndQuery(at));
        }
        self.r.end.end_query(query);
    }

    fn query(&self, handle: QueryHandle) -> Option<Arc<Query>> {
        let query = self.handles.object_as(handle);
        if query.is_none() {
            self.bug("a query that is not open was begun or ended");
        }
        query
    }
}
