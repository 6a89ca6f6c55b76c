//! Upload pages that command lists retain, and their return to the recording context.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crossbeam_queue::SegQueue;

use crate::objects::{allocator::Storage, identity::BufferIdentity};

use super::page::{UploadPage, Written};

/// Upload pages on their way back to the context that recorded the list, which takes them without a lock.
pub(super) type ReturnedPages = SegQueue<UploadPage>;

/// An upload page that a command list retains and that is never written again.
#[derive(Debug)]
pub(crate) struct Retained {
    storage: Arc<Storage>,
    page: Option<UploadPage>,
    sent: AtomicBool,
    returned: Arc<ReturnedPages>,
}

impl Retained {
    pub(super) fn new(page: UploadPage, returned: &Arc<ReturnedPages>) -> Self {
        let storage = page.storage.clone();
        Self { storage, page: Some(page), sent: AtomicBool::new(false), returned: returned.clone() }
    }

    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// The identity of a buffer of `size` bytes at `offset`.
    pub(crate) fn identity(&self, offset: u32, size: u32) -> BufferIdentity {
        BufferIdentity { storage: self.storage.clone(), offset: offset.into(), size: size.into() }
    }

    /// Passes the written ranges to `write` like [`Uploads::upload`], but only at the first call.
    pub(crate) fn upload(&self, mut write: impl FnMut(Written<'_>)) -> u64 {
        // Only the immediate context asks, so no ordering is needed.
        if self.sent.swap(true, Ordering::Relaxed) {
            return 0;
        }
        self.page.as_ref().map_or(0, |page| page.upload(&mut write))
    }

    /// The bytes that were written, or `None` if the recording ended while they were lent.
    pub(crate) fn bytes(&self, range: Range<u32>) -> Option<&[u8]> {
        self.page.as_ref()?.bytes()?.get(range.start as usize..range.end as usize)
    }
}

impl Drop for Retained {
    fn drop(&mut self) {
        if let Some(mut page) = self.page.take() {
            if *self.sent.get_mut() {
                page.clean();
            }
            self.returned.push(page);
        }
    }
}
