//! Command lists: sealed pages with three small tables.
//!
//! *Imports* are buffers whose identity the list takes from the context that executes it; *exports* are
//! the identities that the list leaves behind there; the rest are the queries that it ends and the
//! staging memory that it uses. A list never changes, and executing it costs no more than these tables:
//! its pages are queued by reference.

use std::sync::Arc;

use onze_ddi::ResourceHandle;

use crate::{
    identity::Identity,
    page::{Page, RunPage},
    query::Query,
    resource::Resource,
    upload::{Kept, Returns},
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
        /// What its imports are, in their order.
        bindings: Vec<Binding>,
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
    pub(crate) imports: Vec<Import>,
    pub(crate) exports: Vec<Export>,
    pub(crate) queries: Vec<Arc<Query>>,
    pub(crate) staging: Vec<StagingUse>,
    /// The upload pages that the commands read.
    #[allow(dead_code, reason = "kept alive; what is in them was uploaded when the recording ended")]
    pub(crate) uploads: Vec<Arc<Kept>>,
    /// Where everything goes back to.
    pub(crate) returns: Arc<Returns>,
}

impl List {
    /// Hands out all pages in order, nested lists' too, each with what its imports mean.
    pub(crate) fn for_each_page(&self, imports: Arc<[Identity]>, mut queue: impl FnMut(RunPage)) {
        // A stack of our own: nesting may be deeper than a thread's.
        let mut stack = vec![(self.segments.iter(), imports)];
        while let Some((segments, imports)) = stack.last_mut() {
            match segments.next() {
                None => {
                    stack.pop();
                }
                Some(Segment::Page(page)) => queue(RunPage { page: page.clone(), imports: imports.clone() }),
                Some(Segment::Nested { list, bindings }) => {
                    let inner = resolve(bindings, imports, list);
                    stack.push((list.segments.iter(), inner));
                }
            }
        }
    }

    /// Takes the list apart: its pages go back, its nested lists are returned.
    fn dismantle(&mut self) -> Vec<Arc<List>> {
        let mut nested = Vec::new();
        for segment in self.segments.drain(..) {
            match segment {
                Segment::Page(page) => {
                    // A page that is about to be encoded stays with those who do that.
                    if let Some(mut page) = Arc::into_inner(page) {
                        page.clear();
                        self.returns.pages.push(page);
                    }
                }
                Segment::Nested { list, .. } => nested.push(list),
            }
        }
        nested
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // One after the other, not one inside the other: nesting may be deeper than a thread's stack.
        let mut nested = self.dismantle();
        while let Some(list) = nested.pop() {
            if let Some(mut list) = Arc::into_inner(list) {
                nested.append(&mut list.dismantle());
            }
        }
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
