//! The interface between a recorder and its context, which receives the recorder's pages.

use std::sync::Arc;

use onze_ddi::{Entry, RecordError, ResourceHandle};

use super::RecordScope;
use crate::{
    objects::{query::Query, resource::Resource, view::View},
    record::command_list::List,
};

/// Receives a recorder's pages, and either submits them or adds them to a command list.
///
/// The recorder calls it where immediate and deferred contexts differ, but not for binds and draws.
pub(crate) trait PageSink: Sized + Send + 'static {
    /// Whether the pages are submitted in recording order, so that all identities are known during recording.
    /// A deferred context instead imports each identity that its own recording has not set.
    const IS_IMMEDIATE: bool;

    /// Seals the full page, after which the next page starts empty, without a preamble.
    fn turn_page(entry: &mut Entry<'_>);

    /// Executes a list, after which the caller writes no preamble, because all state is the default again.
    fn execute(entry: &mut Entry<'_>, list: &Arc<List>);

    /// Copies a dynamic buffer from its base storage into an upload slice, so that parts of it can be
    /// overwritten.
    ///
    /// # Errors
    /// Returns an error if the device is lost or out of memory.
    fn bring_to_upload(entry: &mut Entry<'_>, buffer: ResourceHandle) -> Result<(), RecordError>;

    /// Reports that an entry could not allocate memory for uploads.
    fn report_spent_memory(scope: &mut RecordScope<'_, Self>);

    /// Adds a buffer or back buffer whose identity is resolved at execution, and returns its import index, or
    /// `None` on the immediate context.
    fn add_import(&mut self, handle: ResourceHandle, resource: Arc<Resource>) -> Option<u32>;

    /// Adds a view of the back buffer `handle` in the same way, but a view that is added again keeps its
    /// index.
    fn add_view_import(&mut self, handle: ResourceHandle, view: Arc<View>) -> Option<u32>;

    /// Adds a buffer to the exports, with `place` as its place in the recorder's identities at the end of the
    /// recording.
    fn add_export(&mut self, handle: ResourceHandle, resource: Arc<Resource>, place: u32);

    fn end_query(&mut self, query: Arc<Query>);

    /// Whether any samples passed in a predicate query, or `None` if the result is not known yet. The
    /// immediate context waits for the result, unless the predicate is only a hint.
    fn answer(entry: &mut Entry<'_>, query: &Arc<Query>) -> Option<bool>;

    /// Records that commands read or write a staging resource.
    fn use_staging(&mut self, resource: &Arc<Resource>, written: bool);
}
