//! Predication: pages whose commands depend on the answer of a query.
//!
//! All commands of a page depend on the same query, so setting a predicate turns the page. The encoder skips the commands of
//! a page if the answer says so: draws pay nothing. The immediate context knows the answer when it sets the predicate, and
//! waits for it if need be. In a list it is found when the list is executed.
//!
//! Within such pages nothing is recorded by giving a buffer another identity that depends on the answer: updates become
//! copies, which can be skipped. Copies that only a map or the driver itself needs are not.

use onze_ddi::{Entry, PredicationBinding};

use crate::record::{
    page::PagePredicate,
    recorder::{End, RecordScope, Recorder},
};

/// Sets the query on which the commands to come depend.
pub(crate) fn set_predication<E: End>(entry: &mut Entry<'_>, predication: PredicationBinding) {
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

impl<E: End> Recorder<E> {
    /// The commands to come depend on this. The open page must be new.
    pub(crate) fn depend_on(&mut self, predicate: Option<PagePredicate>) {
        self.page.predicate.clone_from(&predicate);
        self.predicate = predicate;
    }

    /// Whether commands depend on a query.
    #[inline]
    pub(crate) fn is_predicated(&self) -> bool {
        self.predicate.is_some()
    }
}
