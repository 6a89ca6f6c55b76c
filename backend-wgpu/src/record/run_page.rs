//! Pages in a run, with the imports and query scopes that they have there.

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
    /// Resolved identities of the page's imports, empty outside of lists.
    pub(crate) imports: Arc<[Identity]>,
    /// Scopes of its queries and of the queries begun around it, or `None` if no query matters.
    pub(crate) scopes: Option<Arc<QueryScopes>>,
    /// Whether a predicate's result makes the encoder skip its commands.
    pub(crate) skips: bool,
    /// Minimum mip levels of textures that apply to this page, from its recording and from the executing
    /// context.
    pub(crate) min_lods: MinLods,
}

impl RunPage {
    /// Makes a page that follows those queued before it, where `around` are the queries that are begun around
    /// its list.
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

    /// Adds the minimum levels that apply where the page's recording has set none.
    pub(crate) fn on(mut self, min_lods: &MinLods) -> Self {
        if !min_lods.is_empty() {
            self.min_lods = self.min_lods.over(min_lods);
        }
        self
    }
}

/// A shared empty slice, used for the imports of pages outside of lists.
pub(crate) fn no_imports() -> Arc<[Identity]> {
    Arc::from([])
}

/// The query scopes that matter to a page in a run.
#[derive(Debug)]
pub(crate) struct QueryScopes {
    pub(crate) own: Vec<QueryScope>,
    /// Scopes of the queries that are begun around the page's list.
    pub(crate) around: Vec<QueryScope>,
}

impl QueryScopes {
    /// The scopes for a page that is being queued, or `None` if no query matters to it.
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
