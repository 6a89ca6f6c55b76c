//! The current identities that a context has assigned to buffers and, on the immediate context, to back
//! buffers.

use std::sync::Arc;

use crate::{
    objects::{allocator::Storage, identity::BufferIdentity, texture::TextureMemory},
    record::upload::{RetainedBlock, UploadSlice, Uploads},
};

/// Current location of a renamed buffer or a back buffer.
#[derive(Clone, Debug)]
pub(crate) enum CurrentIdentity {
    /// A slice in this context's upload block with this index, at the offset in the handle state.
    Upload(u32),
    /// A slice that an executed list has exported and that must not be written, because the list may be
    /// replayed.
    Listed {
        retained: Arc<RetainedBlock>,
        /// First byte of the identity in the page's wgpu buffer.
        offset: u32,
    },
    /// The base storage, after a recording has copied the buffer there.
    Base(Arc<Storage>),
    /// The texture that a rotation assigned to a back buffer, on the immediate context only.
    Texture(Arc<TextureMemory>),
}

/// A slab of identities, whose places are numbered from 1, so that 0 can mean none.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    places: Vec<Option<CurrentIdentity>>,
    free: Vec<u32>,
}

impl Identities {
    /// Stores an identity at `place`, or at a new place if `place` is 0, and returns the place.
    pub(crate) fn put(&mut self, place: u32, current: CurrentIdentity, uploads: &mut Uploads) -> u32 {
        if let CurrentIdentity::Upload(page) = &current {
            uploads.retain(*page);
        }
        let place = match place {
            0 => self.free.pop().unwrap_or_else(|| {
                self.places.push(None);
                self.places.len() as u32
            }),
            place => place,
        };
        if let Some(entry) = self.places.get_mut(place as usize - 1)
            && let Some(CurrentIdentity::Upload(old)) = entry.replace(current)
        {
            uploads.release(old);
        }
        place
    }

    /// Removes the identity at `place`, unless `place` is 0.
    pub(crate) fn remove(&mut self, place: u32, uploads: &mut Uploads) {
        let Some(entry) = (place as usize).checked_sub(1).and_then(|place| self.places.get_mut(place)) else {
            return;
        };
        if let Some(old) = entry.take() {
            self.free.push(place);
            if let CurrentIdentity::Upload(page) = old {
                uploads.release(page);
            }
        }
    }

    /// The identity at `place`, or `None` if `place` is 0.
    pub(crate) fn get(&self, place: u32) -> Option<&CurrentIdentity> {
        self.places.get((place as usize).checked_sub(1)?)?.as_ref()
    }

    pub(crate) fn clear(&mut self, uploads: &mut Uploads) {
        for current in self.places.drain(..).flatten() {
            if let CurrentIdentity::Upload(page) = current {
                uploads.release(page);
            }
        }
        self.free.clear();
    }
}

impl CurrentIdentity {
    /// The identity of a buffer, in a form that remains valid when the recording ends, with `at` as the
    /// offset if the identity is in an upload block of this context.
    pub(crate) fn identity(&self, at: u32, size: u32, uploads: &Uploads) -> Option<BufferIdentity> {
        match self {
            Self::Upload(block) => uploads.identity(UploadSlice { block: *block, offset: at }, size),
            Self::Listed { retained, offset } => Some(retained.identity(*offset, size)),
            Self::Base(storage) => Some(BufferIdentity::base(storage, size.into())),
            Self::Texture(_) => None,
        }
    }
}
