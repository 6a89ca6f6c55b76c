//! Upload pages that command lists keep, and their way back.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crossbeam_queue::{ArrayQueue, SegQueue};

use crate::{
    objects::identity::{Identity, Storage},
    record::{command_list::List, object_table::ObjectTable, page::Page},
};

use super::page::UploadPage;

/// Where things go back to when a command list ends: its upload pages, its command pages and object tables. They
/// belong to the context that recorded the list, which takes them without a lock.
#[derive(Debug)]
pub(crate) struct Returns {
    pub(super) uploads: SegQueue<UploadPage>,
    /// Pages of commands, cleared, that nobody else has.
    pub(crate) pages: ArrayQueue<Arc<Page>>,
    /// Object tables, cleared, that nobody else has.
    pub(crate) tables: ArrayQueue<Arc<ObjectTable>>,
    /// Lists, emptied, that nobody else has.
    lists: ArrayQueue<Arc<List>>,
}

/// Lists, and their object tables, that wait for their context; more are freed.
const RETURNED_LISTS: usize = 16;

/// Pages of commands that wait for their context; more are freed.
const RETURNED_PAGES: usize = 64;

impl Default for Returns {
    fn default() -> Self {
        Self {
            uploads: SegQueue::new(),
            pages: ArrayQueue::new(RETURNED_PAGES),
            tables: ArrayQueue::new(RETURNED_LISTS),
            lists: ArrayQueue::new(RETURNED_LISTS),
        }
    }
}

impl Returns {
    /// Puts an empty list there.
    pub(crate) fn put_list(&self, list: Arc<List>) {
        // When enough are waiting, it is freed.
        drop(self.lists.push(list));
    }

    /// Takes an empty list.
    pub(crate) fn take_list(&self) -> Option<Arc<List>> {
        self.lists.pop()
    }
}

/// An upload page that a command list keeps: nobody writes it any more.
#[derive(Debug)]
pub(crate) struct Kept {
    storage: Arc<Storage>,
    page: Option<UploadPage>,
    /// What was written is on its way to the GPU.
    sent: AtomicBool,
    returns: Arc<Returns>,
}

impl Kept {
    /// A page of a recording that ends.
    pub(super) fn new(page: UploadPage, returns: &Arc<Returns>) -> Self {
        let storage = page.storage.clone();
        Self { storage, page: Some(page), sent: AtomicBool::new(false), returns: returns.clone() }
    }

    /// The wgpu buffer.
    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// What a buffer at `offset` is.
    pub(crate) fn identity(&self, offset: u32, size: u32) -> Identity {
        Identity { storage: self.storage.clone(), offset: offset.into(), size: size.into() }
    }

    /// Hands out what was written, as [`Uploads::upload`], unless that was done before.
    pub(crate) fn upload(&self, mut write: impl FnMut(&wgpu::Buffer, u64, &[u8])) -> u64 {
        // Only the immediate context asks.
        if self.sent.swap(true, Ordering::Relaxed) {
            return 0;
        }
        self.page.as_ref().map_or(0, |page| page.upload(&mut write))
    }

    /// The bytes that were written; `None` if the recording ended while they were on loan.
    pub(crate) fn bytes(&self, range: Range<u32>) -> Option<&[u8]> {
        self.page.as_ref()?.bytes()?.get(range.start as usize..range.end as usize)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(mut page) = self.page.take() {
            if *self.sent.get_mut() {
                page.clean();
            }
            self.returns.uploads.push(page);
        }
    }
}
