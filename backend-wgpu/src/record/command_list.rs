//! Command lists: sealed pages with the objects that they use, and three small tables.
//!
//! * *Imports* are buffers, back buffers and views of back buffers whose identity the list takes from the context that
//!   executes it.
//! * *Exports* are the identities that the context has after the list.
//! * The third table has the queries that the list ends and the staging memory that it uses.
//!
//! A list never changes. Executing it costs no more than these tables, because it is queued as a whole; the encoding
//! thread of a run asks the list for the pages of its part.

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
        resource::{Memory, Resource},
        view::View,
    },
    record::{
        min_lods::MinLods,
        object_table::ObjectTable,
        page::Page,
        recycle::{self, Recycle, RecycleQueue},
        run_page::RunPage,
        upload::Retained,
    },
};

/// A part of a list, in recording order.
#[derive(Debug)]
pub(crate) enum Segment {
    /// A page.
    Page(Arc<Page>),
    /// Another list that was executed by the recording.
    Nested {
        /// The list.
        list: Arc<List>,
        /// What its imports are, in their order: a part of the outer list's bindings.
        bindings: Range<u32>,
        /// Queries that the outer recording has begun there.
        around: Vec<Arc<Query>>,
        /// The least levels of textures that the outer recording has set before it.
        min_lods: MinLods,
    },
}

/// Memory of a list that is recycled.
#[derive(Debug)]
pub(crate) enum ListMemory {
    /// A page.
    Page(Arc<Page>),
    /// An object table.
    Objects(Arc<ObjectTable>),
}

impl ListMemory {
    /// Sends it to where it was recorded.
    pub(crate) fn send_back(self) {
        match self {
            Self::Page(page) => recycle::send_back(page),
            Self::Objects(table) => recycle::send_back(table),
        }
    }
}

/// What an import of a nested list is.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// An identity that the outer recording has given it.
    Local(Identity),
    /// An import of the outer list.
    Outer(u32),
}

/// What has an identity that is found when the list is executed.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    /// Name in any context: of the buffer or back buffer, or of the back buffer that the view sees.
    pub(crate) handle: ResourceHandle,
    /// Kept alive; it means the memory that it was created with where the context knows no other identity.
    pub(crate) resource: Arc<Resource>,
    /// The view of the back buffer, if it is imported and not the resource itself.
    pub(crate) view: Option<Arc<View>>,
}

/// The identity of a buffer at the end of a list.
#[derive(Clone, Debug)]
pub(crate) enum ExportedIdentity {
    /// In its base storage.
    Base,
    /// In an upload page of the list, or of a list that it executed.
    Upload {
        /// The page.
        retained: Arc<Retained>,
        /// First byte.
        offset: u32,
    },
}

/// A buffer to which the list gives another identity.
#[derive(Clone, Debug)]
pub(crate) struct Export {
    /// Its name in any context.
    pub(crate) handle: ResourceHandle,
    /// Kept alive.
    pub(crate) resource: Arc<Resource>,
    /// Its identity at the end of the list.
    pub(crate) identity: ExportedIdentity,
}

/// Staging memory that a list uses.
#[derive(Clone, Debug)]
pub(crate) struct StagingUse {
    /// The resource.
    pub(crate) resource: Arc<Resource>,
    /// Whether it is written.
    pub(crate) written: bool,
}

/// What a recording has become.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// Each with what all before it cost to encode, in draws.
    segments: Vec<(u64, Segment)>,
    /// What the pages' commands name; seldom more than one.
    tables: Vec<Arc<ObjectTable>>,
    /// What all of them cost.
    weight: u64,
    /// What the costliest segment costs, and where it is.
    costliest: (u64, usize),
    /// Queries are begun or ended in pages, or around nested lists, or pages depend on them.
    has_queries: bool,
    /// Pages depend on queries.
    has_predicates: bool,
    /// What the imports of nested lists are.
    pub(crate) bindings: Vec<Binding>,
    pub(crate) imports: Vec<Import>,
    pub(crate) exports: Vec<Export>,
    pub(crate) queries: Vec<Arc<Query>>,
    pub(crate) staging: Vec<StagingUse>,
    /// The least levels of textures that hold after it.
    pub(crate) min_lods: MinLods,
    /// The upload pages that the commands read, each with its index in the recording.
    pub(crate) uploads: Vec<(u32, Arc<Retained>)>,
    /// They were asked for, and those of the lists that it executes.
    uploads_taken: AtomicBool,
    /// Where its memory goes when it is destroyed before it was submitted.
    pub(crate) recycle_to: Option<Arc<RecycleQueue<Self>>>,
}

/// A list whose pages are being handed out.
struct Level<'l> {
    list: &'l List,
    /// What is still to come.
    segments: std::slice::Iter<'l, (u64, Segment)>,
    /// Where it begins in the outermost list.
    start: u64,
    imports: Arc<[Identity]>,
    /// Queries that are begun around it.
    around: Vec<QueryScope>,
    /// The least levels of textures that were set before it.
    min_lods: MinLods,
}

impl List {
    /// Appends a page.
    pub(crate) fn add_page(&mut self, page: Arc<Page>) {
        self.has_queries |= !page.queries.is_empty() || page.predicate.is_some();
        self.has_predicates |= page.predicate.is_some();
        let weight = page.weight();
        self.add(weight, Segment::Page(page));
    }

    /// The number of the object table that the next pages' commands mean.
    pub(crate) fn table(&self) -> u32 {
        self.tables.len() as u32
    }

    /// Whether there are pages that have no object table yet.
    pub(crate) fn wants_table(&self) -> bool {
        let pages = self.segments.iter().rev().filter_map(|(_, segment)| match segment {
            Segment::Page(page) => Some(page),
            Segment::Nested { .. } => None,
        });
        pages.take(1).any(|page| page.table == self.table())
    }

    /// Adds the object table of the pages that have none yet.
    pub(crate) fn add_table(&mut self, table: Arc<ObjectTable>) {
        self.tables.push(table);
    }

    /// Appends another list, with what its imports are and the queries that are begun around it.
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
        self.add(weight, Segment::Nested { list, bindings, around, min_lods });
    }

    fn add(&mut self, weight: u64, segment: Segment) {
        if weight > self.costliest.0 {
            self.costliest = (weight, self.segments.len());
        }
        self.segments.push((self.weight, segment));
        self.weight = self.weight.saturating_add(weight);
    }

    /// What it is made of.
    #[cfg(test)]
    pub(crate) fn segments(&self) -> impl DoubleEndedIterator<Item = &Segment> {
        self.segments.iter().map(|(_, segment)| segment)
    }

    /// What its pages' commands name.
    #[cfg(test)]
    pub(crate) fn tables(&self) -> &[Arc<ObjectTable>] {
        &self.tables
    }

    /// What it costs to encode, in draws; nested lists included.
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    /// Whether it is executed from bundles, as far as one can tell from the costliest page of its costliest part.
    pub(crate) fn is_replayed(&self) -> bool {
        let mut list = self;
        loop {
            match list.segments.get(list.costliest.1) {
                Some((_, Segment::Page(page))) => return page.encoding.is_replayed(),
                Some((_, Segment::Nested { list: inner, .. })) => list = inner,
                None => return false,
            }
        }
    }

    /// Whether queries matter to its pages: what they mean is found in recording order.
    pub(crate) fn has_queries(&self) -> bool {
        self.has_queries
    }

    /// Whether pages depend on queries.
    pub(crate) fn has_predicates(&self) -> bool {
        self.has_predicates
    }

    /// Hands out the pages that begin in a part, in order, nested lists' too, each with what its imports and
    /// queries mean. The part is in draws; `around` are the queries that are begun where the list is executed.
    pub(crate) fn for_each_page(
        &self,
        part: Range<u64>,
        imports: Arc<[Identity]>,
        around: Vec<QueryScope>,
        mut queue: impl FnMut(RunPage),
    ) {
        // A stack of our own: nesting may be deeper than a thread's.
        let mut stack = vec![self.level(0, part.start, imports, around, MinLods::default())];
        while let Some(Level { list: outer, segments, start, imports, around, min_lods }) = stack.last_mut() {
            let Some((before, segment)) = segments.next() else {
                stack.pop();
                continue;
            };
            let start = start.saturating_add(*before);
            if start >= part.end {
                return;
            }
            match segment {
                // One that begins before the part is of the part before.
                Segment::Page(_) if start < part.start => {}
                Segment::Page(page) => {
                    // A finished list has the tables of all its pages.
                    let objects = outer.tables.get(page.table as usize).cloned().unwrap_or_default();
                    queue(RunPage::new(page.clone(), objects, imports.clone(), around).on(min_lods));
                }
                Segment::Nested { list, bindings, around: begun, min_lods: set } => {
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

    /// The list at `start` of the outermost one, from what may lie at `from` there on.
    fn level(
        &self,
        start: u64,
        from: u64,
        imports: Arc<[Identity]>,
        around: Vec<QueryScope>,
        min_lods: MinLods,
    ) -> Level<'_> {
        let from = from.saturating_sub(start);
        // The last one that begins there or before: those before it end there at the latest.
        let first = self.segments.partition_point(|(before, _)| *before <= from).saturating_sub(1);
        let segments = self.segments.get(first..).unwrap_or_default().iter();
        Level { list: self, segments, start, imports, around, min_lods }
    }

    /// Whether its upload pages were asked for, and those of the lists that it executes.
    pub(crate) fn has_given_uploads(&self) -> bool {
        // Only the immediate context asks.
        self.uploads_taken.load(Ordering::Relaxed)
    }

    /// Hands out its upload pages and those of the lists that it executes, which are to be sent before its
    /// commands; none after the first time.
    pub(crate) fn take_uploads(&self, mut take: impl FnMut(Arc<Retained>)) {
        // A stack of our own: nesting may be deeper than a thread's.
        let mut lists = vec![self];
        while let Some(list) = lists.pop() {
            if list.uploads_taken.swap(true, Ordering::Relaxed) {
                continue;
            }
            list.uploads.iter().for_each(|(_, retained)| take(retained.clone()));
            lists.extend(list.segments.iter().filter_map(|(_, segment)| match segment {
                Segment::Nested { list, .. } => Some(&**list),
                Segment::Page(_) => None,
            }));
        }
    }

    /// Empties a list that was destroyed while it waited for its submission, and sends its memory to where it
    /// was recorded.
    ///
    /// # Errors
    /// Something that waits has it still.
    pub(crate) fn send_back(mut list: Arc<Self>) -> Result<(), Arc<Self>> {
        if Arc::get_mut(&mut list).is_none() {
            return Err(list);
        }
        recycle::send_back(list);
        Ok(())
    }

    /// Empties the list, and those that only it executes.
    pub(crate) fn empty(&mut self, take: &mut dyn FnMut(ListMemory)) {
        // A stack of our own: nesting may be deeper than a thread's.
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
                Segment::Page(page) => take(ListMemory::Page(page)),
                Segment::Nested { list, .. } => nested.push(list),
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

/// What a nested list's imports are, given those of the outer one.
fn resolve(bindings: &[Binding], outer: &[Identity], list: &List) -> Arc<[Identity]> {
    let resolved: Option<Vec<_>> = bindings
        .iter()
        .map(|binding| match binding {
            Binding::Local(identity) => Some(identity.clone()),
            Binding::Outer(import) => outer.get(*import as usize).cloned(),
        })
        .collect();
    // Every binding was made from an import of the outer list, so nothing is ever missing.
    resolved.unwrap_or_else(|| list.imports.iter().filter_map(Import::base).collect()).into()
}

impl Import {
    /// What it is where nothing else is known.
    pub(crate) fn base(&self) -> Option<Identity> {
        if let Some(view) = &self.view {
            return Some(Identity::View(view.clone()));
        }
        match (&self.resource.memory, &self.resource.desc) {
            (Memory::Buffer { base }, ResourceDesc::Buffer(desc)) => {
                Some(Identity::Buffer(BufferIdentity::base(base, desc.byte_width.into())))
            }
            (Memory::Texture(memory), ResourceDesc::Texture(_)) => Some(Identity::Texture(memory.clone())),
            (Memory::Buffer { .. } | Memory::Texture(_) | Memory::Staging(_), _) => None,
        }
    }
}
