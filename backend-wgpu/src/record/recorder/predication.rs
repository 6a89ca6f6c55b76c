//! Predication: pages whose commands depend on the result of a query.
//!
//! All commands of a page depend on the same query, so setting a predicate begins a new page. The encoder
//! tests the result once per page and skips the whole page if required, so single draws need no test. The
//! immediate context resolves the result when the predicate is set, and waits if necessary. For a list, the
//! result is resolved when the list is executed.
//!
//! In a page with a predicate, no buffer gets an identity that depends on the result, so updates become
//! copies, which can be skipped. Copies that only a map or the driver itself needs are not skipped.

use onze_ddi::{Entry, PredicationBinding};

use crate::record::{
    page::PagePredicate,
    recorder::{PageSink, RecordScope, Recorder},
};

/// Sets or removes the predicate for the following commands, and begins a new page for them.
pub(crate) fn set_predication<E: PageSink>(entry: &mut Entry<'_>, predication: PredicationBinding) {
    E::turn_page(entry);
    let Some(scope) = RecordScope::<E>::enter(entry) else { return };
    scope.writer.r.depend_on(None);
    let query = predication.predicate.and_then(|handle| scope.writer.handles.object_as(handle));
    if query.is_none() && predication.predicate.is_some() {
        scope.writer.bug("a predicate that is not open was set");
    }
    let predicate = query.map(|query| {
        let skips = E::answer(entry, &query) == Some(predication.value);
        PagePredicate { query, value: predication.value, skips }
    });
    let Some(mut scope) = RecordScope::<E>::enter(entry) else { return };
    scope.writer.r.depend_on(predicate);
    scope.preamble();
    scope.report_memory();
}

impl<E: PageSink> Recorder<E> {
    /// Sets the predicate for the following commands, which requires a new open page.
    pub(crate) fn depend_on(&mut self, predicate: Option<PagePredicate>) {
        self.page.predicate.clone_from(&predicate);
        self.predicate = predicate;
    }

    #[inline]
    pub(crate) fn is_predicated(&self) -> bool {
        self.predicate.is_some()
    }
}
