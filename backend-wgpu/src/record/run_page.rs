//! Pages of a run, with the imports and query scopes that they have in the run.

use std::sync::Arc;

use crate::{
    objects::{identity::Identity, query::QueryScope},
    record::{min_lods::MinLods, object_table::ObjectTable, page::Page},
};

#[derive(Clone, Debug)]
pub(crate) struct RunPage {
    /// The page, which is shared if it belongs to a list.
    pub(crate) page: Arc<Page>,
    pub(crate) objects: Arc<ObjectTable>,
    /// Resolved identities of the list's imports, or empty if the page does not belong to a list.
    pub(crate) imports: Arc<[Identity]>,
    /// Scopes of the queries in the page and around its list, or `None` if no query affects the page.
    pub(crate) scopes: Option<Arc<QueryScopes>>,
    /// Whether the encoder skips the page's commands because of a predicate's result.
    pub(crate) skips: bool,
    /// Minimum mip levels of textures for this page, combined from its recording and the executing context.
    pub(crate) min_lods: MinLods,
}

impl RunPage {
    /// Creates the next page of a run, with `around` as the scopes of the queries that are active around its
    /// list.
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

    /// Adds the minimum levels of textures whose level the page's recording has not set.
    pub(crate) fn on(mut self, min_lods: &MinLods) -> Self {
        if !min_lods.is_empty() {
            self.min_lods = self.min_lods.over(min_lods);
        }
        self
    }
}

/// An empty shared slice, for the imports of pages that do not belong to a list.
pub(crate) fn no_imports() -> Arc<[Identity]> {
    Arc::from([])
}

/// The query scopes that affect a page in a run.
#[derive(Debug)]
pub(crate) struct QueryScopes {
    pub(crate) own: Vec<QueryScope>,
    /// Scopes of the queries that are active around the page's list.
    pub(crate) around: Vec<QueryScope>,
}

impl QueryScopes {
    /// Creates the scopes for a page that is being queued, or returns `None` if no query affects the page.
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
