//! Upload blocks that command lists retain, and how these blocks return to the recording context.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crossbeam_queue::SegQueue;

use crate::objects::{allocator::Storage, identity::BufferIdentity};

use super::block::{BufferWrite, UploadBlock};

/// Upload blocks that return to the context that recorded the list, and that it takes without a lock.
pub(super) type ReturnedBlocks = SegQueue<UploadBlock>;

/// An upload block that a command list retains and that is not written again while the list exists.
#[derive(Debug)]
pub(crate) struct RetainedBlock {
    storage: Arc<Storage>,
    block: Option<UploadBlock>,
    sent: AtomicBool,
    returned: Arc<ReturnedBlocks>,
}

impl RetainedBlock {
    pub(super) fn new(block: UploadBlock, returned: &Arc<ReturnedBlocks>) -> Self {
        let storage = block.storage.clone();
        Self { storage, block: Some(block), sent: AtomicBool::new(false), returned: returned.clone() }
    }

    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// The identity of a buffer of `size` bytes at `offset`.
    pub(crate) fn identity(&self, offset: u32, size: u32) -> BufferIdentity {
        BufferIdentity { storage: self.storage.clone(), offset: offset.into(), size: size.into() }
    }

    /// Like [`Uploads::upload`], passes the written ranges to `write`, but only at the first call.
    pub(crate) fn upload(&self, mut write: impl FnMut(BufferWrite<'_>)) -> u64 {
        // Only the immediate context calls this, so no ordering is needed.
        if self.sent.swap(true, Ordering::Relaxed) {
            return 0;
        }
        self.block.as_ref().map_or(0, |block| block.upload(&mut write))
    }

    /// The bytes that were written, or `None` if the recording ended while the block was lent.
    pub(crate) fn bytes(&self, range: Range<u32>) -> Option<&[u8]> {
        self.block.as_ref()?.bytes()?.get(range.start as usize..range.end as usize)
    }
}

impl Drop for RetainedBlock {
    fn drop(&mut self) {
        if let Some(mut block) = self.block.take() {
            if *self.sent.get_mut() {
                block.clean();
            }
            self.returned.push(block);
        }
    }
}
