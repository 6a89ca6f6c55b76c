//! Pages at their place in a run, with the imports and query scopes that they have there.

use std::sync::Arc;

use crate::{
    objects::{identity::Identity, query::QueryScope},
    record::{min_lods::MinLods, object_table::ObjectTable, page::Page},
};

/// A page at its place in a run.
#[derive(Clone, Debug)]
pub(crate) struct RunPage {
    /// The page; shared when it belongs to a list.
    pub(crate) page: Arc<Page>,
    /// What its commands name.
    pub(crate) objects: Arc<ObjectTable>,
    /// What the page's imports mean here; empty outside of lists.
    pub(crate) imports: Arc<[Identity]>,
    /// What its queries are here, and which are begun around it.
    pub(crate) scopes: Option<Arc<QueryScopes>>,
    /// Its commands are skipped, for the answer of a predicate.
    pub(crate) skips: bool,
    /// The least levels of textures that hold for it.
    pub(crate) min_lods: MinLods,
}

impl RunPage {
    /// The page after those that were queued before. `around` are the queries that are begun around its list.
    pub(crate) fn new(
        page: Arc<Page>,
        objects: Arc<ObjectTable>,
        imports: Arc<[Identity]>,
        around: &[QueryScope],
    ) -> Self {
        let scopes = QueryScopes::of(&page, around);
        let skips = page.predicate.as_ref().is_some_and(|predicate| predicate.skips);
        let min_lods = page.min_lods.clone();
        Self { page, objects, imports, scopes, skips, min_lods }
    }

    /// The same where these least levels hold that its recording has not set.
    pub(crate) fn on(mut self, min_lods: &MinLods) -> Self {
        if !min_lods.is_empty() {
            self.min_lods = self.min_lods.over(min_lods);
        }
        self
    }
}

/// A shared empty slice of identities: what pages outside of lists import.
pub(crate) fn no_imports() -> Arc<[Identity]> {
    Arc::from([])
}

/// The scopes that matter to a page at its place in a run.
#[derive(Debug)]
pub(crate) struct QueryScopes {
    /// Of the page's queries, in their order.
    pub(crate) own: Vec<QueryScope>,
    /// Of the queries that are begun around the list that the page belongs to.
    pub(crate) around: Vec<QueryScope>,
}

impl QueryScopes {
    /// Of a page that is being queued; `None` if no query matters to it.
    pub(crate) fn of(page: &Page, around: &[QueryScope]) -> Option<Arc<Self>> {
        if page.queries.is_empty() && around.is_empty() {
            return None;
        }
        let own = page.queries.iter().map(|entered| {
            if !entered.continues {
                entered.query.begin_scope();
            }
            QueryScope::current(&entered.query)
        });
        Some(Arc::new(Self { own: own.collect(), around: around.to_vec() }))
    }
}
