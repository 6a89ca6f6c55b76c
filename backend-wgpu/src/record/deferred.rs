//! Deferred contexts: recordings that become command lists.

use std::{any::Any, sync::Arc};

use onze_ddi::{
    Cached, ClosingEntry, Dead, DeferredFuncs, DriverBug, DriverList, DriverObject, Entry, HandleType, Key,
    Live, OpenArgs, RecordError, ResourceHandle,
};

use crate::{
    objects::{query::Query, resource::Resource},
    record::{
        command_list::{Binding, Export, Import, Left, List, Part, StagingUse},
        recorder::{Cx, Kind, Pen, Recorder, hot::ResourceHot, identities::Current, table::DeferredTable},
        recycle::Recycle,
        upload::Kept,
    },
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
    /// The list that it is going to be; its exports are known when it ends.
    list: List,
    renamed: Vec<Renamed>,
}

impl Deferred {
    /// Notes a buffer whose identity will be known at execution, and returns its place.
    pub(crate) fn add_import(&mut self, handle: ResourceHandle, resource: Arc<Resource>) -> u32 {
        self.list.imports.push(Import { handle, resource });
        self.list.imports.len() as u32 - 1
    }

    /// Notes a buffer that the recording leaves somewhere else.
    pub(crate) fn add_export(&mut self, handle: ResourceHandle, resource: Arc<Resource>, place: u32) {
        self.renamed.push(Renamed { handle, resource, place });
    }

    /// Notes a query that is issued when the list is executed.
    pub(crate) fn end_query(&mut self, query: Arc<Query>) {
        self.list.queries.push(query);
    }

    /// Notes staging memory that is used when the list is executed.
    pub(crate) fn add_staging(&mut self, resource: Arc<Resource>, written: bool) {
        self.list.staging.push(StagingUse { resource, written });
    }
}

fn deferred(r: &mut Recorder) -> Option<&mut Deferred> {
    match &mut r.kind {
        Kind::Deferred(deferred) => Some(deferred),
        Kind::Immediate(_) => None,
    }
}

/// Seals the full page. Its successor has no preamble yet.
pub(crate) fn page_full(r: &mut Recorder) {
    let home = r.uploads.returns().clone();
    if let Some(mut page) = r.seal()
        && let Kind::Deferred(deferred) = &mut r.kind
    {
        if let Some(page) = Arc::get_mut(&mut page) {
            page.table = deferred.list.table();
            page.home = Some(home);
        }
        deferred.list.add_page(page);
    }
    if r.objects.is_full() {
        end_table(r);
    }
}

/// Gives the pages that were sealed their object table.
fn end_table(r: &mut Recorder) {
    if !deferred(r).is_some_and(|deferred| deferred.list.wants_table()) {
        return r.forget_objects();
    }
    let home = r.uploads.returns().clone();
    let mut table = r.seal_objects();
    if let Some(table) = Arc::get_mut(&mut table) {
        *table.home() = Some(home);
    }
    if let Some(deferred) = deferred(r) {
        deferred.list.add_table(table);
    }
}

/// Nests a list.
pub(crate) fn execute(cx: &mut Cx<'_>, list: &Arc<List>) {
    page_full(cx.pen.r);
    let pen = &mut cx.pen;
    let first = deferred(pen.r).map_or(0, |deferred| deferred.list.bindings.len() as u32);
    for import in &list.imports {
        let binding = match pen.identity(import.handle) {
            Some(identity) => Some(Binding::Local(identity)),
            None => match pen.import(import.handle) {
                Some(outer) => Some(Binding::Outer(outer)),
                None => import.home().map(Binding::Local),
            },
        };
        if let Some(deferred) = deferred(pen.r) {
            deferred.list.bindings.extend(binding);
        }
    }
    pen.take_exports(list);
    let around = pen.r.begun.iter().map(|begun| begun.query.clone()).collect();
    if let Some(Deferred { list: outer, .. }) = deferred(pen.r) {
        outer.queries.extend(list.queries.iter().cloned());
        outer.staging.extend(list.staging.iter().cloned());
        let bindings = first..outer.bindings.len() as u32;
        outer.add_list(list.clone(), bindings, around);
    }
}

/// Ends the recording: what it has becomes the list's, whose memory the next one gets.
fn finish(pen: &mut Pen<'_>, list: &mut List) {
    let Pen { r, handles } = pen;
    page_full(r);
    end_table(r);
    if let Kind::Deferred(deferred) = &mut r.kind {
        std::mem::swap(list, &mut deferred.list);
        list.home = Some(r.uploads.returns().clone());
        r.uploads.keep(&mut list.uploads);
        let List { exports, uploads, .. } = list;
        exports.extend(deferred.renamed.drain(..).filter_map(|Renamed { handle, resource, place }| {
            let at = handles.private::<ResourceHot, _>(handle)?.offset;
            let left = left(r.identities.get(place)?, at, uploads)?;
            Some(Export { handle, resource, left })
        }));
    }
    end_recording(r);
}

fn left(current: &Current, offset: u32, kept: &[(u32, Arc<Kept>)]) -> Option<Left> {
    match current {
        Current::Upload(page) => {
            // The pages come in the order of their index.
            let at = kept.binary_search_by_key(page, |(index, _)| *index).ok()?;
            Some(Left::Upload { kept: kept[at].1.clone(), offset })
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
    r.take_returned();
}

fn abandon(r: &mut Recorder) {
    r.begun.clear();
    page_full(r);
    end_table(r);
    if let Some(deferred) = deferred(r) {
        deferred.renamed.clear();
        deferred.list.empty(&mut Part::go_home);
    }
    end_recording(r);
}

impl DeferredFuncs for DeferredTable {
    fn open(&self, _cx: Entry<'_>, _args: OpenArgs<'_>) -> Result<(), RecordError> {
        // Zeroed private bytes say that nothing is known yet.
        Ok(())
    }

    fn close(&self, _cx: ClosingEntry<'_>, _kind: HandleType, _key: Key) {
        // What the recording has noted of the object keeps it alive; the bytes are the runtime's again.
    }

    fn recycle_command_list(&self, _cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached> {
        // Its pages come back on their own way, after the submission that may use them.
        list.cache()
    }

    fn create_command_list(
        &self,
        mut cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError> {
        let Some(mut cx) = Cx::enter(&mut cx) else {
            return Err(DriverBug("an entry got another context's data".into()).into());
        };
        if cx.pen.r.device.is_lost() {
            abandon(cx.pen.r);
            return Err(RecordError::DeviceRemoved("the device is lost".into()));
        }
        let mut list =
            cached.map_or_else(|| Arc::new(List::default()) as DriverObject, DriverList::into_inner);
        match Arc::get_mut(&mut list).and_then(|list| list.downcast_mut()) {
            Some(list) => finish(&mut cx.pen, list),
            None => {
                abandon(cx.pen.r);
                return Err(DriverBug("a cached list is in use, or another driver's".into()).into());
            }
        }
        Ok(DriverList::new(list))
    }

    fn abandon_command_list(&self, cx: ClosingEntry<'_>) {
        let private: &mut (dyn Any + Send) = cx.private;
        if let Some(r) = private.downcast_mut() {
            abandon(r);
        }
    }
}
