//! Command lists: sealed pages with three small tables.
//!
//! *Imports* are buffers whose identity the list takes from the context that executes it; *exports* are
//! the identities that the list leaves behind there; the rest are the queries that it ends and the
//! staging memory that it uses. A list never changes, and executing it costs no more than these tables:
//! its pages are queued by reference.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crossbeam_queue::SegQueue;
use onze_ddi::{DriverObject, ResourceHandle};

use crate::{
    identity::Identity,
    page::{Page, RunPage},
    query::{Query, Round},
    resource::Resource,
    upload::Kept,
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
    },
}

/// What an import of a nested list is.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// An identity that the outer recording has given it.
    Local(Identity),
    /// An import of the outer list.
    Outer(u32),
}

/// A buffer whose identity is found when the list is executed.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    /// Its name in any context.
    pub(crate) handle: ResourceHandle,
    /// Kept alive; its home is what it means where nothing else is known.
    pub(crate) resource: Arc<Resource>,
}

/// Where a list leaves a buffer.
#[derive(Clone, Debug)]
pub(crate) enum Left {
    /// At home.
    Home,
    /// In an upload page of the list, or of a list that it executed.
    Upload {
        /// The page.
        kept: Arc<Kept>,
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
    /// Where it is left.
    pub(crate) left: Left,
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
    pub(crate) segments: Vec<Segment>,
    /// What the imports of nested lists are.
    pub(crate) bindings: Vec<Binding>,
    pub(crate) imports: Vec<Import>,
    pub(crate) exports: Vec<Export>,
    pub(crate) queries: Vec<Arc<Query>>,
    pub(crate) staging: Vec<StagingUse>,
    /// The upload pages that the commands read, each with its index in the recording.
    pub(crate) uploads: Vec<(u32, Arc<Kept>)>,
    /// Those of the lists that it executes.
    pub(crate) nested_uploads: Vec<Arc<Kept>>,
    /// It was executed, so that the upload pages are on their way.
    uploads_taken: AtomicBool,
}

impl List {
    /// Hands out all pages in order, nested lists' too, each with what its imports and queries mean. `around`
    /// are the queries that are begun where the list is executed.
    pub(crate) fn for_each_page(
        &self,
        imports: Arc<[Identity]>,
        around: Vec<Round>,
        mut queue: impl FnMut(RunPage),
    ) {
        // A stack of our own: nesting may be deeper than a thread's.
        let mut stack = vec![(self, self.segments.iter(), imports, around)];
        while let Some((outer, segments, imports, around)) = stack.last_mut() {
            match segments.next() {
                None => {
                    stack.pop();
                }
                Some(Segment::Page(page)) => queue(RunPage::new(page.clone(), imports.clone(), around)),
                Some(Segment::Nested { list, bindings, around: begun }) => {
                    let range = bindings.start as usize..bindings.end as usize;
                    let inner = resolve(outer.bindings.get(range).unwrap_or_default(), imports, list);
                    let mut around = around.clone();
                    around.extend(begun.iter().map(Round::current));
                    stack.push((list, list.segments.iter(), inner, around));
                }
            }
        }
    }

    /// The upload pages that are to be sent before the list's commands; none after the first time.
    pub(crate) fn take_uploads(&self) -> impl Iterator<Item = Arc<Kept>> {
        // Only the immediate context asks.
        let first = !self.uploads_taken.swap(true, Ordering::Relaxed);
        self.all_uploads().filter(move |_| first)
    }

    /// The upload pages of all commands.
    pub(crate) fn all_uploads(&self) -> impl Iterator<Item = Arc<Kept>> {
        self.uploads.iter().map(|(_, kept)| kept).chain(&self.nested_uploads).cloned()
    }

    /// Empties the list, except for its memory. Its pages wait in the graveyard for the submission that may
    /// use them, and then go back to where they were recorded.
    pub(crate) fn bury(&mut self, graveyard: &SegQueue<DriverObject>) {
        self.empty(&mut |page| graveyard.push(page));
    }

    /// Empties the list, and those that only it executes.
    pub(crate) fn empty(&mut self, page: &mut dyn FnMut(Arc<Page>)) {
        // A stack of our own: nesting may be deeper than a thread's.
        let mut nested = Vec::new();
        self.take_apart(page, &mut nested);
        while let Some(list) = nested.pop() {
            if let Some(mut list) = Arc::into_inner(list) {
                list.take_apart(page, &mut nested);
            }
        }
    }

    fn take_apart(&mut self, page: &mut dyn FnMut(Arc<Page>), nested: &mut Vec<Arc<Self>>) {
        for segment in self.segments.drain(..) {
            match segment {
                Segment::Page(sealed) => page(sealed),
                Segment::Nested { list, .. } => nested.push(list),
            }
        }
        self.bindings.clear();
        self.imports.clear();
        self.exports.clear();
        self.queries.clear();
        self.staging.clear();
        self.uploads.clear();
        self.nested_uploads.clear();
        *self.uploads_taken.get_mut() = false;
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
    resolved.unwrap_or_else(|| list.imports.iter().filter_map(Import::home).collect()).into()
}

impl Import {
    /// What it is where nothing else is known.
    pub(crate) fn home(&self) -> Option<Identity> {
        let home = self.resource.home()?;
        let size = match &self.resource.desc {
            onze_ddi::ResourceDesc::Buffer(desc) => desc.byte_width,
            _ => return None,
        };
        Some(Identity::home(home, size.into()))
    }
}
