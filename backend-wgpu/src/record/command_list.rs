//! Command lists: sealed pages, the objects that they use, and three small tables.
//!
//! * *Imports* are buffers, back buffers and views of back buffers whose identity depends on the context that
//!   executes the list.
//! * *Exports* are the identities that buffers have in that context after the list.
//! * The third table contains the queries that the list ends and the staging memory that it uses.
//!
//! A list is immutable, so executing it costs only the work on these tables. The whole list is queued as one
//! item, and each encoding thread of a run requests the pages of its part from the list.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use onze_ddi::{ResourceDesc, ResourceHandle};

use crate::{
    objects::{
        identity::{BufferIdentity, Identity},
        query::{Query, QueryScope},
        resource::{Resource, ResourceMemory},
        view::View,
    },
    record::{
        min_lods::MinLods,
        object_table::ObjectTable,
        page::Page,
        recycle::{self, Recycle, RecycleQueue},
        run_page::RunPage,
        upload::RetainedBlock,
    },
};

#[derive(Debug)]
pub(crate) enum ListSegment {
    Page(Arc<Page>),
    Nested {
        list: Arc<List>,
        /// Range of the outer list's `bindings`, containing the identities of this list's imports, in import
        /// order.
        bindings: Range<u32>,
        around: Vec<Arc<Query>>,
        /// Minimum mip levels that the outer recording has set for textures before this list.
        min_lods: MinLods,
    },
}

#[derive(Debug)]
pub(crate) enum ListMemory {
    Page(Arc<Page>),
    Objects(Arc<ObjectTable>),
}

impl ListMemory {
    /// Returns the memory to the context that recorded it.
    pub(crate) fn send_back(self) {
        match self {
            Self::Page(page) => recycle::send_back(page),
            Self::Objects(table) => recycle::send_back(table),
        }
    }
}

/// The source of an identity for a nested list's import.
#[derive(Clone, Debug)]
pub(crate) enum ImportSource {
    /// An identity that the outer recording has assigned to the object.
    Local(Identity),
    /// Index in the outer list's imports, for an identity that the outer recording does not know.
    Outer(u32),
}

/// An object whose identity is determined when the list is executed.
#[derive(Clone, Debug)]
pub(crate) struct ListImport {
    /// Handle of the buffer or back buffer. For a view, it is the handle of the back buffer that the view
    /// shows. The handle is valid in every context.
    pub(crate) handle: ResourceHandle,
    /// Keeps the resource alive, because its original memory is the fallback if the executing context has no
    /// other identity for it.
    pub(crate) resource: Arc<Resource>,
    /// The view of the back buffer, or `None` if the import is the resource itself.
    pub(crate) view: Option<Arc<View>>,
}

#[derive(Clone, Debug)]
pub(crate) enum ExportedIdentity {
    Base,
    /// A slice of an upload block of this list or of a list that it executed, starting at byte `offset`.
    Upload {
        retained: Arc<RetainedBlock>,
        offset: u32,
    },
}

/// A buffer whose identity is different after the list.
#[derive(Clone, Debug)]
pub(crate) struct ListExport {
    pub(crate) handle: ResourceHandle,
    pub(crate) resource: Arc<Resource>,
    pub(crate) identity: ExportedIdentity,
}

#[derive(Clone, Debug)]
pub(crate) struct StagingUse {
    pub(crate) resource: Arc<Resource>,
    pub(crate) written: bool,
}

/// The result of a recording, which contexts can execute any number of times; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct List {
    /// Segments, each with the total cost of the segments before it, in draws.
    segments: Vec<(u64, ListSegment)>,
    /// Object tables of the pages, rarely more than one, with each page storing the index of its table.
    tables: Vec<Arc<ObjectTable>>,
    weight: u64,
    /// The most expensive segment: its cost in draws, and its index.
    costliest: (u64, usize),
    /// Whether queries begin or end in the pages or around nested lists, or whether pages have predicates.
    has_queries: bool,
    has_predicates: bool,
    /// Identities of the nested lists' imports, with one range of this vector for each
    /// [`ListSegment::Nested`].
    pub(crate) bindings: Vec<ImportSource>,
    pub(crate) imports: Vec<ListImport>,
    pub(crate) exports: Vec<ListExport>,
    pub(crate) queries: Vec<Arc<Query>>,
    pub(crate) staging: Vec<StagingUse>,
    /// The minimum mip levels that are set for textures at the end of the list.
    pub(crate) min_lods: MinLods,
    /// The upload blocks that the commands read, each with its index from the recording.
    pub(crate) uploads: Vec<(u32, Arc<RetainedBlock>)>,
    /// Whether the upload blocks of this list and of the lists that it executes have been handed out.
    uploads_taken: AtomicBool,
    /// The queue that receives this list's memory if the list is destroyed before its submission.
    pub(crate) recycle_to: Option<Arc<RecycleQueue<Self>>>,
}

struct ListCursor<'l> {
    list: &'l List,
    segments: std::slice::Iter<'l, (u64, ListSegment)>,
    /// Position of the list's first segment in the outermost list, in draws.
    start: u64,
    imports: Arc<[Identity]>,
    around: Vec<QueryScope>,
    /// Minimum mip levels that were set for textures before the list.
    min_lods: MinLods,
}

impl List {
    pub(crate) fn add_page(&mut self, page: Arc<Page>) {
        self.has_queries |= !page.queries.is_empty() || page.predicate.is_some();
        self.has_predicates |= page.predicate.is_some();
        let weight = page.weight();
        self.add(weight, ListSegment::Page(page));
    }

    /// Index of the object table that the commands of the next pages refer to.
    pub(crate) fn table(&self) -> u32 {
        self.tables.len() as u32
    }

    /// Whether the last page still lacks an object table, which is added when it is full or when the
    /// recording ends.
    pub(crate) fn wants_table(&self) -> bool {
        let pages = self.segments.iter().rev().filter_map(|(_, segment)| match segment {
            ListSegment::Page(page) => Some(page),
            ListSegment::Nested { .. } => None,
        });
        pages.take(1).any(|page| page.table == self.table())
    }

    pub(crate) fn add_table(&mut self, table: Arc<ObjectTable>) {
        self.tables.push(table);
    }

    /// Appends another list, with the sources of its imports and the queries that are active around it.
    pub(crate) fn add_list(
        &mut self,
        list: Arc<Self>,
        bindings: Range<u32>,
        around: Vec<Arc<Query>>,
        min_lods: MinLods,
    ) {
        self.has_queries |= list.has_queries || !around.is_empty();
        self.has_predicates |= list.has_predicates;
        let weight = list.weight;
        self.add(weight, ListSegment::Nested { list, bindings, around, min_lods });
    }

    fn add(&mut self, weight: u64, segment: ListSegment) {
        if weight > self.costliest.0 {
            self.costliest = (weight, self.segments.len());
        }
        self.segments.push((self.weight, segment));
        self.weight = self.weight.saturating_add(weight);
    }

    #[cfg(test)]
    pub(crate) fn segments(&self) -> impl DoubleEndedIterator<Item = &ListSegment> {
        self.segments.iter().map(|(_, segment)| segment)
    }

    #[cfg(test)]
    pub(crate) fn tables(&self) -> &[Arc<ObjectTable>] {
        &self.tables
    }

    /// Cost of encoding the list and its nested lists, in draws.
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    /// Whether the list is replayed from bundles, as determined by the most expensive page of the most
    /// expensive segment.
    pub(crate) fn is_replayed(&self) -> bool {
        let mut list = self;
        loop {
            match list.segments.get(list.costliest.1) {
                Some((_, ListSegment::Page(page))) => return page.encoding.is_replayed(),
                Some((_, ListSegment::Nested { list: inner, .. })) => list = inner,
                None => return false,
            }
        }
    }

    /// Whether queries affect the list's pages, so that the pages must be resolved in recording order.
    pub(crate) fn has_queries(&self) -> bool {
        self.has_queries
    }

    pub(crate) fn has_predicates(&self) -> bool {
        self.has_predicates
    }

    /// Passes the pages that begin in `part` to `queue` in recording order, including pages of nested lists,
    /// each with its resolved imports and queries. `part` is a range of draws, and `around` are the queries
    /// that are active where the list is executed.
    pub(crate) fn for_each_page(
        &self,
        part: Range<u64>,
        imports: Arc<[Identity]>,
        around: Vec<QueryScope>,
        mut queue: impl FnMut(RunPage),
    ) {
        // This uses an explicit stack, because the nesting may be too deep for the thread's stack.
        let mut stack = vec![self.level(0, part.start, imports, around, MinLods::default())];
        while let Some(ListCursor { list: outer, segments, start, imports, around, min_lods }) =
            stack.last_mut()
        {
            let Some((before, segment)) = segments.next() else {
                stack.pop();
                continue;
            };
            let start = start.saturating_add(*before);
            if start >= part.end {
                return;
            }
            match segment {
                // A page that begins before this part belongs to the previous part.
                ListSegment::Page(_) if start < part.start => {}
                ListSegment::Page(page) => {
                    let objects = outer.tables.get(page.table as usize).cloned().unwrap_or_default();
                    queue(RunPage::new(page.clone(), objects, imports.clone(), around).on(min_lods));
                }
                ListSegment::Nested { list, bindings, around: begun, min_lods: set } => {
                    let range = bindings.start as usize..bindings.end as usize;
                    let inner = resolve(outer.bindings.get(range).unwrap_or_default(), imports, list);
                    let mut around = around.clone();
                    around.extend(begun.iter().map(QueryScope::current));
                    let min_lods = set.over(min_lods);
                    stack.push(list.level(start, part.start, inner, around, min_lods));
                }
            }
        }
    }

    /// Prepares iteration over a nested list that begins at `start` in the outermost list, skipping segments
    /// that end before `from`.
    fn level(
        &self,
        start: u64,
        from: u64,
        imports: Arc<[Identity]>,
        around: Vec<QueryScope>,
        min_lods: MinLods,
    ) -> ListCursor<'_> {
        let from = from.saturating_sub(start);
        // The last segment that begins at or before `from`, so each earlier segment ends at or before `from`
        // and can be skipped.
        let first = self.segments.partition_point(|(before, _)| *before <= from).saturating_sub(1);
        let segments = self.segments.get(first..).unwrap_or_default().iter();
        ListCursor { list: self, segments, start, imports, around, min_lods }
    }

    /// Whether the upload blocks of this list and of the lists that it executes have been handed out.
    pub(crate) fn has_given_uploads(&self) -> bool {
        // Only the immediate context calls this, so no ordering is needed.
        self.uploads_taken.load(Ordering::Relaxed)
    }

    /// Passes the upload blocks of this list and of the lists that it executes to `take`, which uploads them
    /// before the list's commands, although only the first call passes any.
    pub(crate) fn take_uploads(&self, mut take: impl FnMut(Arc<RetainedBlock>)) {
        // This uses an explicit stack, because the nesting may be too deep for the thread's stack.
        let mut lists = vec![self];
        while let Some(list) = lists.pop() {
            if list.uploads_taken.swap(true, Ordering::Relaxed) {
                continue;
            }
            list.uploads.iter().for_each(|(_, retained)| take(retained.clone()));
            lists.extend(list.segments.iter().filter_map(|(_, segment)| match segment {
                ListSegment::Nested { list, .. } => Some(&**list),
                ListSegment::Page(_) => None,
            }));
        }
    }

    /// Empties a list that was destroyed and has waited for the submission that used it, and returns its
    /// memory to the context that recorded it.
    ///
    /// # Errors
    /// Returns the list as the error if it has another owner.
    pub(crate) fn send_back(mut list: Arc<Self>) -> Result<(), Arc<Self>> {
        if Arc::get_mut(&mut list).is_none() {
            return Err(list);
        }
        recycle::send_back(list);
        Ok(())
    }

    /// Empties this list and all nested lists that have no other owner.
    pub(crate) fn empty(&mut self, take: &mut dyn FnMut(ListMemory)) {
        // This uses an explicit stack, because the nesting may be too deep for the thread's stack.
        let mut nested = Vec::new();
        self.take_apart(take, &mut nested);
        while let Some(list) = nested.pop() {
            if let Some(mut list) = Arc::into_inner(list) {
                list.take_apart(take, &mut nested);
            }
        }
    }

    fn take_apart(&mut self, take: &mut dyn FnMut(ListMemory), nested: &mut Vec<Arc<Self>>) {
        for (_, segment) in self.segments.drain(..) {
            match segment {
                ListSegment::Page(page) => take(ListMemory::Page(page)),
                ListSegment::Nested { list, .. } => nested.push(list),
            }
        }
        self.tables.drain(..).for_each(|table| take(ListMemory::Objects(table)));
        self.weight = 0;
        self.costliest = (0, 0);
        self.has_queries = false;
        self.has_predicates = false;
        self.bindings.clear();
        self.imports.clear();
        self.exports.clear();
        self.queries.clear();
        self.staging.clear();
        self.min_lods = MinLods::default();
        self.uploads.clear();
        *self.uploads_taken.get_mut() = false;
    }
}

impl Recycle for List {
    const RETURNED: usize = 16;

    fn clear(&mut self) {
        self.empty(&mut ListMemory::send_back);
    }

    fn recycle_to(&mut self) -> &mut Option<Arc<RecycleQueue<Self>>> {
        &mut self.recycle_to
    }
}

impl Drop for List {
    fn drop(&mut self) {
        self.empty(&mut drop);
    }
}

/// Resolves the identities of a nested list's imports, given the identities of the outer list's imports.
fn resolve(bindings: &[ImportSource], outer: &[Identity], list: &List) -> Arc<[Identity]> {
    let resolved: Option<Vec<_>> = bindings
        .iter()
        .map(|binding| match binding {
            ImportSource::Local(identity) => Some(identity.clone()),
            ImportSource::Outer(import) => outer.get(*import as usize).cloned(),
        })
        .collect();
    // Every binding was made from an import of the outer list, so this fallback is not expected to be used.
    resolved.unwrap_or_else(|| list.imports.iter().filter_map(ListImport::base).collect()).into()
}

impl ListImport {
    /// The identity that the resource or view was created with, and the fallback if the current identity is
    /// unknown.
    pub(crate) fn base(&self) -> Option<Identity> {
        if let Some(view) = &self.view {
            return Some(Identity::View(view.clone()));
        }
        match (&self.resource.memory, &self.resource.desc) {
            (ResourceMemory::Buffer { base }, ResourceDesc::Buffer(desc)) => {
                Some(Identity::Buffer(BufferIdentity::base(base, desc.byte_width.into())))
            }
            (ResourceMemory::Texture(memory), ResourceDesc::Texture(_)) => {
                Some(Identity::Texture(memory.clone()))
            }
            (ResourceMemory::Buffer { .. } | ResourceMemory::Texture(_) | ResourceMemory::Staging(_), _) => {
                None
            }
        }
    }
}
