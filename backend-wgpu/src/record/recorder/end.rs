//! The end of a recorder: takes the pages that it fills.

use std::sync::Arc;

use onze_ddi::{Entry, RecordError, ResourceHandle};

use super::RecordScope;
use crate::{
    objects::{query::Query, resource::Resource, view::View},
    record::command_list::List,
};

/// What becomes of the pages of a context: they are submitted, or they become a command list.
///
/// The recorder calls it where the two kinds of context differ, and never for a bind or a draw.
pub(crate) trait End: Sized + Send + 'static {
    /// The context's pages are submitted in recording order. So all identities are known while it records; a deferred
    /// context imports those that its own recording has not set.
    const IS_IMMEDIATE: bool;

    /// Seals the full page. Its successor has no preamble yet.
    fn turn_page(entry: &mut Entry<'_>);

    /// Executes a list. Nothing is bound afterwards, so there is no preamble.
    fn execute(entry: &mut Entry<'_>, list: &Arc<List>);

    /// Makes an upload slice of a dynamic buffer that lies in its base storage, so that parts of it can be overwritten.
    ///
    /// # Errors
    /// The device is lost, or memory is spent.
    fn bring_to_upload(entry: &mut Entry<'_>, buffer: ResourceHandle) -> Result<(), RecordError>;

    /// Reports that an entry has spent the memory for uploads.
    fn report_spent_memory(scope: &mut RecordScope<'_, Self>);

    /// Notes a buffer or back buffer whose identity will be known at execution, and returns its place among the
    /// imports. `None` on the immediate context.
    fn add_import(&mut self, handle: ResourceHandle, resource: Arc<Resource>) -> Option<u32>;

    /// The same for a view of a back buffer, which has the handle `handle`; each view has one place.
    fn add_view_import(&mut self, handle: ResourceHandle, view: Arc<View>) -> Option<u32>;

    /// Notes a buffer that the recording leaves at another place of the identities.
    fn add_export(&mut self, handle: ResourceHandle, resource: Arc<Resource>, place: u32);

    /// Notes a query that ends.
    fn end_query(&mut self, query: Arc<Query>);

    /// Whether anything was visible to a query, if that is known now: on the immediate context it is, but for a hint.
    fn answer(entry: &mut Entry<'_>, query: &Arc<Query>) -> Option<bool>;

    /// Notes that commands read or write a staging resource.
    fn use_staging(&mut self, resource: &Arc<Resource>, written: bool);
}
