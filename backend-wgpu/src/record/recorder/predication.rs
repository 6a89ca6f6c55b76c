//! Predication: pages whose commands depend on the result of a query.
//!
//! All commands of a page depend on the same query, so setting a predicate turns the page. If the result
//! requires it, the encoder skips the page's commands, which costs unpredicated draws nothing. The immediate
//! context resolves the result when it sets the predicate and waits if necessary, while for a list the result
//! is resolved when the list is executed.
//!
//! Within such pages no buffer gets another identity that depends on the result. Updates become copies, which
//! can be skipped, except for copies that only a map or the driver itself needs.

use onze_ddi::{Entry, PredicationBinding};

use crate::record::{
    page::PagePredicate,
    recorder::{PageSink, RecordScope, Recorder},
};

/// Sets or removes the predicate of the following commands, and begins a new page for them.
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
    /// Sets the predicate of the following commands, which requires that the open page is new.
    pub(crate) fn depend_on(&mut self, predicate: Option<PagePredicate>) {
        self.page.predicate.clone_from(&predicate);
        self.predicate = predicate;
    }

    #[inline]
    pub(crate) fn is_predicated(&self) -> bool {
        self.predicate.is_some()
    }
}
