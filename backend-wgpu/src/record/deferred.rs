//! Deferred contexts, whose sealed pages become a command list instead of being submitted.

use std::sync::Arc;

use onze_ddi::{ContextError, DriverBug, Entry, RecordError, ResourceHandle};

use crate::{
    objects::{query::Query, resource::Resource, view::View},
    record::{
        command_list::{
            ExportedIdentity, ImportSource, List, ListExport, ListImport, ListMemory, StagingUse,
        },
        min_lods::MinLods,
        recorder::{self, NotRecorded, PageSink, handle_state::ResourceState, identities::CurrentIdentity},
        recycle::{Recycle, RecycleQueue},
        upload::RetainedBlock,
    },
};

type DeferredRecorder = recorder::Recorder<Deferred>;
type DeferredPageWriter<'a> = recorder::PageWriter<'a, Deferred>;
pub(crate) type DeferredScope<'a> = recorder::RecordScope<'a, Deferred>;

#[derive(Debug)]
struct RenamedBuffer {
    handle: ResourceHandle,
    resource: Arc<Resource>,
    /// Index of the buffer's identity in the recorder's identities, unchanged for the whole recording.
    place: u32,
}

/// State of a recording, except its open page.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    /// The list under construction, whose exports are filled in only at the end of the recording.
    list: List,
    renamed: Vec<RenamedBuffer>,
    /// Indices of the imports that are views, searched so that each view is imported only once.
    imported_views: Vec<u32>,
    /// The queue through which destroyed lists return their memory.
    returned: Arc<RecycleQueue<List>>,
}

impl PageSink for Deferred {
    const IS_IMMEDIATE: bool = false;

    fn turn_page(entry: &mut Entry<'_>) {
        if let Some(scope) = DeferredScope::enter(entry) {
            page_full(scope.writer.r);
        }
        entry.core.perform_amortized_processing(&mut *entry.private, &mut *entry.handles);
    }

    fn execute(entry: &mut Entry<'_>, list: &Arc<List>) {
        if let Some(mut scope) = DeferredScope::enter(entry) {
            nest(&mut scope, list);
        }
    }

    fn bring_to_upload(_cx: &mut Entry<'_>, _buffer: ResourceHandle) -> Result<(), RecordError> {
        Err(RecordError::Bug(DriverBug("a deferred context cannot read a buffer back".into())))
    }

    fn report_spent_memory(scope: &mut DeferredScope<'_>) {
        scope.core.set_error(ContextError::OutOfMemory);
    }

    fn add_import(&mut self, handle: ResourceHandle, resource: Arc<Resource>) -> Option<u32> {
        Some(self.import(ListImport { handle, resource, view: None }))
    }

    fn add_view_import(&mut self, handle: ResourceHandle, view: Arc<View>) -> Option<u32> {
        let is_known = |at: &&u32| {
            let known = self.list.imports.get(**at as usize).and_then(|import| import.view.as_ref());
            known.is_some_and(|known| Arc::ptr_eq(known, &view))
        };
        if let Some(known) = self.imported_views.iter().find(is_known) {
            return Some(*known);
        }
        let at = self.import(ListImport { handle, resource: view.resource.clone(), view: Some(view) });
        self.imported_views.push(at);
        Some(at)
    }

    fn add_export(&mut self, handle: ResourceHandle, resource: Arc<Resource>, place: u32) {
        self.renamed.push(RenamedBuffer { handle, resource, place });
    }

    fn end_query(&mut self, query: Arc<Query>) {
        self.list.queries.push(query);
    }

    fn answer(_entry: &mut Entry<'_>, _query: &Arc<Query>) -> Option<bool> {
        None
    }

    fn use_staging(&mut self, resource: &Arc<Resource>, written: bool) {
        self.list.staging.push(StagingUse { resource: resource.clone(), written });
    }
}

impl Deferred {
    fn import(&mut self, import: ListImport) -> u32 {
        self.list.imports.push(import);
        self.list.imports.len() as u32 - 1
    }
}

/// Seals the full page and adds it to the list, after which the next page starts empty, without a preamble.
fn page_full(r: &mut DeferredRecorder) {
    if let Some(mut page) = r.seal() {
        let recycle_to = r.returned_pages().clone();
        let min_lods = r.min_lods.clone();
        let list = &mut r.end.list;
        if let Some(page) = Arc::get_mut(&mut page) {
            page.table = list.table();
            page.is_listed = true;
            page.min_lods = min_lods;
            page.recycle_to = Some(recycle_to);
        }
        list.add_page(page);
    }
    if r.objects.is_full() {
        end_table(r);
    }
}

/// Seals the object table of the pages that do not have a sealed table yet.
fn end_table(r: &mut DeferredRecorder) {
    if !r.end.list.wants_table() {
        return r.forget_objects();
    }
    let recycle_to = r.returned_tables().clone();
    let mut table = r.seal_objects();
    if let Some(table) = Arc::get_mut(&mut table) {
        *table.recycle_to() = Some(recycle_to);
    }
    r.end.list.add_table(table);
}

/// Nests a list in the recording, and resolves its imports if this recording knows their identities.
fn nest(scope: &mut DeferredScope<'_>, list: &Arc<List>) {
    page_full(scope.writer.r);
    scope.writer.r.depend_on(None);
    let writer = &mut scope.writer;
    let first = writer.r.end.list.bindings.len() as u32;
    for import in &list.imports {
        let binding = match writer.identity(import) {
            Some(identity) => Some(ImportSource::Local(identity)),
            None => match writer.import_again(import) {
                Ok(outer) => Some(ImportSource::Outer(outer)),
                Err(NotRecorded) => import.base().map(ImportSource::Local),
            },
        };
        writer.r.end.list.bindings.extend(binding);
    }
    writer.take_exports(list);
    let around = writer.r.begun.iter().map(|begun| begun.query.clone()).collect();
    let min_lods = writer.r.min_lods.clone();
    writer.r.min_lods = list.min_lods.over(&min_lods);
    let outer = &mut writer.r.end.list;
    outer.queries.extend(list.queries.iter().cloned());
    outer.staging.extend(list.staging.iter().cloned());
    let bindings = first..outer.bindings.len() as u32;
    outer.add_list(list.clone(), bindings, around, min_lods);
}

/// Ends the recording by moving its contents into `list`, and the next recording reuses the memory that
/// `list` had.
pub(crate) fn finish(writer: &mut DeferredPageWriter<'_>, list: &mut List) {
    let DeferredPageWriter { r, handles } = writer;
    page_full(r);
    end_table(r);
    r.end.list.min_lods = std::mem::take(&mut r.min_lods);
    std::mem::swap(list, &mut r.end.list);
    list.recycle_to = Some(r.end.returned.clone());
    r.uploads.keep(&mut list.uploads);
    let List { exports, uploads, .. } = list;
    exports.extend(r.end.renamed.drain(..).filter_map(|RenamedBuffer { handle, resource, place }| {
        let at = handles.private::<ResourceState, _>(handle)?.offset;
        let identity = exported_identity(r.identities.get(place)?, at, uploads)?;
        Some(ListExport { handle, resource, identity })
    }));
    end_recording(r);
}

fn exported_identity(
    current: &CurrentIdentity,
    offset: u32,
    retained: &[(u32, Arc<RetainedBlock>)],
) -> Option<ExportedIdentity> {
    match current {
        CurrentIdentity::Upload(page) => {
            let at = retained.binary_search_by_key(page, |(index, _)| *index).ok()?;
            Some(ExportedIdentity::Upload { retained: retained[at].1.clone(), offset })
        }
        CurrentIdentity::Listed { retained, offset } => {
            Some(ExportedIdentity::Upload { retained: retained.clone(), offset: *offset })
        }
        CurrentIdentity::Base(_) => Some(ExportedIdentity::Base),
        // Only the immediate context rotates back buffers, so this identity cannot occur in a deferred
        // context.
        CurrentIdentity::Texture(_) => None,
    }
}

/// Resets the recorder, incrementing `recording` to invalidate the handle state of this recording.
fn end_recording(r: &mut DeferredRecorder) {
    r.depend_on(None);
    r.identities.clear(&mut r.uploads);
    r.end.imported_views.clear();
    r.recording = r.recording.checked_add(1).unwrap_or(1);
    r.uploads.reclaim();
    r.take_returned();
}

/// Discards the recording and returns the memory of its pages and object tables for reuse.
pub(crate) fn abandon(r: &mut DeferredRecorder) {
    r.begun.clear();
    page_full(r);
    end_table(r);
    r.min_lods = MinLods::default();
    r.end.renamed.clear();
    r.end.list.empty(&mut ListMemory::send_back);
    end_recording(r);
}
