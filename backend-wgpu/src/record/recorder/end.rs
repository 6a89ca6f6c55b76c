//! The interface between a recorder and its kind of context, which takes the pages.

use std::sync::Arc;

use onze_ddi::{Entry, RecordError, ResourceHandle};

use super::RecordScope;
use crate::{
    objects::{query::Query, resource::Resource, view::View},
    record::command_list::List,
};

/// The part of a context that decides whether its pages are submitted or become a command list.
///
/// The recorder calls it where the two kinds of context differ, and never for a bind or a draw.
pub(crate) trait PageSink: Sized + Send + 'static {
    /// Whether the pages are submitted in recording order, so that all identities are known during recording.
    /// A deferred context imports the identities that its own recording has not set.
    const IS_IMMEDIATE: bool;

    /// Seals the full page, so that the next page can begin without a preamble yet.
    fn turn_page(entry: &mut Entry<'_>);

    /// Executes a list, after which the caller writes no preamble, because nothing is bound any more.
    fn execute(entry: &mut Entry<'_>, list: &Arc<List>);

    /// Copies a dynamic buffer from its base storage into an upload slice, so that parts of it can be
    /// overwritten.
    ///
    /// # Errors
    /// Fails if the device is lost or out of memory.
    fn bring_to_upload(entry: &mut Entry<'_>, buffer: ResourceHandle) -> Result<(), RecordError>;

    /// Reports that memory for uploads could not be allocated during an entry.
    fn report_spent_memory(scope: &mut RecordScope<'_, Self>);

    /// Adds a buffer or back buffer whose identity is resolved at execution, and returns its index among the
    /// imports, or `None` on the immediate context.
    fn add_import(&mut self, handle: ResourceHandle, resource: Arc<Resource>) -> Option<u32>;

    /// Adds a view of the back buffer `handle` in the same way, with one index for each view.
    fn add_view_import(&mut self, handle: ResourceHandle, view: Arc<View>) -> Option<u32>;

    /// Adds a buffer whose identity at the end of the recording is at `place` of the recorder's identities.
    fn add_export(&mut self, handle: ResourceHandle, resource: Arc<Resource>, place: u32);

    fn end_query(&mut self, query: Arc<Query>);

    /// Whether anything passed a predicate query, or `None` if that is unknown at present. The immediate
    /// context always knows the answer, unless the predicate is only a hint.
    fn answer(entry: &mut Entry<'_>, query: &Arc<Query>) -> Option<bool>;

    /// Records that commands read or write a staging resource.
    fn use_staging(&mut self, resource: &Arc<Resource>, written: bool);
}
