//! Deferred contexts: recordings that become command lists.

use std::sync::Arc;

use onze_ddi::{
    ContextError, DeferredFuncs, DriverBug, DriverObject, Entry, HandleType, Key, OpenArgs, ResourceHandle,
};

use crate::{
    command_list::{Binding, Export, Import, Left, List, Segment, StagingUse},
    page::Page,
    query::Query,
    recorder::{Cx, Kind, Recorder, identities::Current, table::DeferredTable},
    resource::Resource,
    upload::Kept,
};

/// A buffer that the recording has given another identity.
#[derive(Debug)]
struct Renamed {
    handle: ResourceHandle,
    resource: Arc<Resource>,
    /// Its place in the recorder's identities, the same for the whole recording.
    place: u32,
}

/// What a recording has besides its open page.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    segments: Vec<Segment>,
    imports: Vec<Import>,
    exports: Vec<Renamed>,
    queries: Vec<Arc<Query>>,
    staging: Vec<StagingUse>,
}

impl Deferred {
    /// Notes a buffer whose identity will be known at execution, and returns its place.
    pub(crate) fn add_import(&mut self, handle: ResourceHandle, resource: Arc<Resource>) -> u32 {
        self.imports.push(Import { handle, resource });
        self.imports.len() as u32 - 1
    }

    /// Notes a buffer that the recording leaves somewhere else.
    pub(crate) fn add_export(&mut self, handle: ResourceHandle, resource: Arc<Resource>, place: u32) {
        self.exports.push(Renamed { handle, resource, place });
    }

    /// Notes a query that is issued when the list is executed.
    pub(crate) fn end_query(&mut self, query: Arc<Query>) {
        self.queries.push(query);
    }

    /// Notes staging memory that is used when the list is executed.
    pub(crate) fn add_staging(&mut self, resource: Arc<Resource>, written: bool) {
        self.staging.push(StagingUse { resource, written });
    }

    fn add_page(&mut self, page: Page) {
        self.segments.push(Segment::Page(Arc::new(page)));
    }
}

/// Seals the full page. Its successor has no preamble yet.
pub(crate) fn page_full(r: &mut Recorder) {
    let sealed = r.seal();
    if let (Kind::Deferred(deferred), Some(page)) = (&mut r.kind, sealed) {
        deferred.add_page(page);
    }
}

/// Nests a list.
pub(crate) fn execute(cx: &mut Cx<'_>, list: &Arc<List>) {
    page_full(cx.pen.r);
    let pen = &mut cx.pen;
    let mut bindings = Vec::with_capacity(list.imports.len());
    for import in &list.imports {
        let binding = match pen.identity(import.handle) {
            Some(identity) => Some(Binding::Local(identity)),
            None => match pen.import(import.handle) {
                Some(outer) => Some(Binding::Outer(outer)),
                None => import.home().map(Binding::Local),
            },
        };
        bindings.extend(binding);
    }
    pen.take_exports(list);
    if let Kind::Deferred(deferred) = &mut pen.r.kind {
        deferred.queries.extend(list.queries.iter().cloned());
        deferred.staging.extend(list.staging.iter().cloned());
        deferred.segments.push(Segment::Nested { list: list.clone(), bindings });
    }
}

/// Ends the recording: everything that it has becomes the list's.
fn finish(r: &mut Recorder) -> List {
    page_full(r);
    let kept = r.uploads.keep(&r.device.queue);
    let Kind::Deferred(deferred) = &mut r.kind else {
        return List::default();
    };
    let Deferred { segments, imports, exports, queries, staging } = std::mem::take(&mut **deferred);
    let exports = exports
        .into_iter()
        .filter_map(|Renamed { handle, resource, place }| {
            let left = left(r.identities.get(place)?, &kept)?;
            Some(Export { handle, resource, left })
        })
        .collect();
    let uploads = kept.into_iter().map(|(_, kept)| kept).collect();
    let returns = r.uploads.returns().clone();
    end_recording(r);
    List { segments, imports, exports, queries, staging, uploads, returns }
}

fn left(current: &Current, kept: &[(u32, Arc<Kept>)]) -> Option<Left> {
    match current {
        Current::Upload(slice) => {
            // The pages come in the order of their index.
            let at = kept.binary_search_by_key(&slice.page, |(index, _)| *index).ok()?;
            Some(Left::Upload { kept: kept[at].1.clone(), offset: slice.offset })
        }
        Current::Listed { kept, offset } => Some(Left::Upload { kept: kept.clone(), offset: *offset }),
        Current::Home(_) => Some(Left::Home),
    }
}

/// What hot data says of this recording is void from here on.
fn end_recording(r: &mut Recorder) {
    r.identities.clear(&mut r.uploads);
    r.recording = r.recording.checked_add(1).unwrap_or(1);
    r.uploads.reclaim();
    r.take_returned_pages();
}

fn abandon(r: &mut Recorder) {
    r.discard_page();
    if let Kind::Deferred(deferred) = &mut r.kind {
        let segments = std::mem::take(&mut **deferred).segments;
        for segment in segments {
            if let Segment::Page(page) = segment {
                r.recycle(page);
            }
        }
    }
    end_recording(r);
}

impl DeferredFuncs for DeferredTable {
    fn open(&self, _cx: Entry<'_>, _args: OpenArgs<'_>) -> Result<(), ContextError> {
        // Zeroed private bytes say that nothing is known yet.
        Ok(())
    }

    fn close(&self, _cx: Entry<'_>, _kind: HandleType, _key: Key) {
        // What the recording has noted of the object keeps it alive; the bytes are the runtime's again.
    }

    fn create_command_list(&self, mut cx: Entry<'_>) -> Result<DriverObject, ContextError> {
        let Some(cx) = Cx::enter(&mut cx) else {
            return Err(ContextError::Bug(DriverBug("an entry got another context's data".into())));
        };
        if cx.pen.r.device.is_lost() {
            abandon(cx.pen.r);
            return Err(ContextError::DeviceRemoved("the device is lost".into()));
        }
        Ok(Arc::new(finish(cx.pen.r)))
    }

    fn abandon_command_list(&self, mut cx: Entry<'_>) {
        if let Some(cx) = Cx::enter(&mut cx) {
            abandon(cx.pen.r);
        }
    }
}
