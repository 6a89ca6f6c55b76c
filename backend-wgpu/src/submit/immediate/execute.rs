//! The execution of command lists, which queues their pages.

use std::sync::Arc;

use onze_ddi::{Entry, ResourceHandle};

use super::{
    ImmediateScope, page_full, predicates,
    submission::{submit_early, submit_finished},
};
use crate::{
    objects::{identity::Identity, query::QueryScope},
    record::{
        command_list::List,
        min_lods::MinLods,
        recorder::{PageSink as _, handle_state::OWN_PAGE},
    },
};

impl ImmediateScope<'_> {
    /// Copies a small renamed buffer to its base storage, so that a list which imports the buffer finds it at
    /// the same location as in the last execution. The list's bundles then stay valid.
    fn settle(&mut self, handle: ResourceHandle) {
        if self
            .writer
            .resource_state(handle)
            .is_ok_and(|state| state.identity != 0 && state.room != 0 && !state.is(OWN_PAGE))
        {
            // Errors are ignored here, because a missing buffer is reported when the list is gathered.
            let _place = self.copy_target(handle, false);
        }
    }
}

/// Executes a list: settles its imports if it was executed before, queues it, and makes its exports current.
///
/// Writes no preamble, because the context is in the default state after a list, but the state callbacks
/// still return the old state.
pub(super) fn execute(entry: &mut Entry<'_>, list: &Arc<List>) {
    let Some(mut scope) = ImmediateScope::enter(entry) else {
        return;
    };
    let settled_draws = scope.writer.r.gpu.policy.settled_draws;
    if list.has_given_uploads() && settled_draws.is_some_and(|draws| list.weight() >= draws) {
        let buffers = list.imports.iter().filter(|import| !import.resource.is_back_buffer());
        buffers.for_each(|import| scope.settle(import.handle));
    }
    page_full(scope.writer.r);
    scope.writer.r.depend_on(None);
    let imports: Arc<[Identity]> = list
        .imports
        .iter()
        .filter_map(|import| scope.writer.identity(import).or_else(|| import.base()))
        .collect::<Vec<_>>()
        .into();
    let around: Vec<_> = scope.writer.r.begun.iter().map(|begun| QueryScope::current(&begun.query)).collect();
    let min_lods = scope.writer.r.min_lods.clone();
    scope.writer.r.take_min_lods(list);
    let queue = &mut scope.writer.r.end;
    if around.is_empty() && !list.has_queries() {
        queue.queue_list(list, imports, min_lods);
    } else if list.has_predicates() {
        execute_predicated(entry, list, imports, around, &min_lods);
    } else {
        list.for_each_page(0..u64::MAX, imports, around, |page| queue.queue(page.on(&min_lods)));
    }
    let Some(mut scope) = ImmediateScope::enter(entry) else {
        return;
    };
    let queue = &mut scope.writer.r.end;
    if !list.has_given_uploads() {
        queue.executed.push(list.clone());
    }
    queue.end_queries(list);
    for used in &list.staging {
        queue.use_staging(&used.resource, used.written);
    }
    let is_enough = queue.pending() >= queue.device.gpu.policy.backlog.listed_draws;
    scope.writer.take_exports(list);
    if is_enough {
        submit_early(entry);
        return;
    }
    if scope.writer.r.end.feeds_gpu() {
        submit_finished(entry);
    }
}

/// Queues the pages of a list with predicates, whose results depend on the pages before them.
fn execute_predicated(
    entry: &mut Entry<'_>,
    list: &Arc<List>,
    imports: Arc<[Identity]>,
    around: Vec<QueryScope>,
    min_lods: &MinLods,
) {
    if let Some(scope) = ImmediateScope::enter(entry) {
        let queue = &mut scope.writer.r.end;
        if !list.has_given_uploads() {
            queue.executed.push(list.clone());
        }
    }
    // A predicate needs the results of all pages before it, so the list's queries end before each predicate,
    // and once more after all pages are queued.
    let mut has_ended = true;
    list.for_each_page(0..u64::MAX, imports, around, |mut page| {
        if let Some(predicate) = &page.page.predicate {
            if std::mem::take(&mut has_ended)
                && let Some(scope) = ImmediateScope::enter(entry)
            {
                scope.writer.r.end.end_queries(list);
            }
            page.skips = predicates::answer(entry, &predicate.query) == Some(predicate.value);
        }
        has_ended |= !page.page.queries.is_empty();
        if let Some(scope) = ImmediateScope::enter(entry) {
            scope.writer.r.end.queue(page.on(min_lods));
        }
    });
}
