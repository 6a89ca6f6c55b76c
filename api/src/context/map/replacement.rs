//! Replacement, the fast path of `Map(WRITE_DISCARD)`, for guards of small dynamic buffers that are bound only as
//! constant buffers or only through shader-resource views.
//!
//! A replacement calls no driver entry. [`DeviceContext::begin_replacement`] cuts a slice off the context's
//! [upload page](onze_ddi::upload_page), the guard writes to the slice, and [`DeviceContext::finish_guard`]
//! leaves the slice for the driver's next entry. Only if the page lacks room, the driver is called.

use std::ops::Range;

use onze_ddi::{Handle, Key, MapPage, UploadPage, zeroed_page};

use crate::{
    context::{ContextCore, ContextTable, DeviceContext},
    device_core::{HandleState, ObjectFlags},
};

/// The map of a guard, stored in the context so that a guard is only a reference. The contents are a slice of
/// the upload page.
#[derive(Debug, Default)]
pub(crate) struct Replacement {
    /// Key of the buffer, while a guard maps it.
    buffer: Option<Key>,
    /// Offset of the slice in the page, in bytes.
    offset: u32,
    /// Size of the mapped buffer, in bytes.
    len: u32,
    /// Whether the slice contains only bytes of this map. The first write zeroes the rest of the slice, so
    /// that bytes of an earlier map are never seen.
    is_defined: bool,
    /// A page of zeros: the contents before the first write.
    zeros: MapPage,
}

impl Replacement {
    /// Returns whether a guard maps a buffer on this path.
    #[inline]
    pub(super) const fn is_open(&self) -> bool {
        self.buffer.is_some()
    }

    /// Returns the key of the buffer that a guard maps.
    pub(super) const fn key(&self) -> Option<Key> {
        self.buffer
    }

    /// Returns the size of the mapped buffer, in bytes.
    pub(super) const fn len(&self) -> u32 {
        self.len
    }

    /// Starts a map whose contents are the slice at an offset of the page.
    #[inline]
    fn begin(&mut self, key: Key, offset: u32, len: u32) {
        (self.buffer, self.offset, self.len, self.is_defined) = (Some(key), offset, len, false);
    }

    /// Returns whether [`contents`](Self::contents) has enough zeros for a buffer of `len` bytes.
    #[inline]
    fn has_zeros(&self, len: u32) -> bool {
        size_of_val(&*self.zeros) >= len as usize
    }

    /// Returns the slice, including bytes of earlier maps.
    #[inline(always)]
    fn slice<'a>(&self, page: &'a mut UploadPage) -> &'a mut [u8] {
        page.bytes_mut(self.offset..self.offset + self.len).unwrap_or_default()
    }

    /// Returns the new contents of the buffer, which are zero before the first write.
    pub(super) fn contents<'a>(&'a self, page: &'a UploadPage) -> &'a [u8] {
        if self.is_defined {
            page.bytes(self.offset..self.offset + self.len).unwrap_or_default()
        } else {
            bytemuck::cast_slice(&self.zeros).get(..self.len as usize).unwrap_or_default()
        }
    }

    /// Returns a range of the contents for writing, or `None` if the range is out of bounds.
    pub(super) fn contents_mut<'a>(
        &mut self,
        page: &'a mut UploadPage,
        range: Range<usize>,
    ) -> Option<&'a mut [u8]> {
        self.define(page);
        self.slice(page).get_mut(range)
    }

    /// Works like [`Self::contents_mut`] but does not zero the range, because the caller overwrites all of
    /// it.
    #[inline(always)]
    pub(super) fn overwrite<'a>(
        &mut self,
        page: &'a mut UploadPage,
        range: Range<usize>,
    ) -> Option<&'a mut [u8]> {
        let is_whole = range.start == 0 && range.end == self.len as usize;
        if !is_whole {
            self.define(page);
        }
        self.is_defined = true;
        self.slice(page).get_mut(range)
    }

    /// Zeroes the slice, unless this map has already written to it.
    #[inline]
    fn define(&mut self, page: &mut UploadPage) {
        if !std::mem::replace(&mut self.is_defined, true) {
            self.slice(page).fill(0);
        }
    }
}

impl DeviceContext {
    /// Starts the fast path of `WriteDiscard` for a buffer with [`ObjectFlags::REPLACED`] that is open in this context
    /// and not mapped. Returns false without any effect if the map must take the general path.
    #[inline(never)]
    pub(super) fn begin_replacement(&mut self, key: Key) -> bool {
        let ContextCore { table, handles, replacement, rt, .. } = &mut self.core;
        let is_free = rt.owned_maps.is_empty() && !replacement.is_open();
        let Some(state) = handles.runtime_mut::<HandleState>(key) else { return false };
        if !is_free || state.flags & ObjectFlags::REPLACED.bits() == 0 || state.mapped != 0 {
            return false;
        }
        let len = state.byte_width;
        if !table.is_fast_path(rt.slow_path) || !replacement.has_zeros(len) {
            return self.begin_replacement_slow_path(key);
        }
        state.discarded = 1;
        let Some(offset) = handles.uploads.next_slice(len) else {
            return self.begin_replacement_slow_path(key);
        };
        replacement.begin(key, offset, len);
        true
    }

    /// The slow path of `begin_replacement`, for serial drivers, for the first buffer of its size, and if the
    /// upload page lacks room. Starts the map, or returns false if the recording is lost, the device was
    /// removed, or the driver lends no memory.
    #[cold]
    #[inline(never)]
    fn begin_replacement_slow_path(&mut self, key: Key) -> bool {
        let ContextCore { device, table, handles, replacement, rt, .. } = &mut self.core;
        // If this returns false, the general path follows, in which a removed device returns its error.
        if rt.lost || (matches!(table, ContextTable::Immediate(_)) && device.removed_reason().is_some()) {
            return false;
        }
        let Some(len) = handles.runtime::<HandleState>(key).map(|state| state.byte_width) else {
            return false;
        };
        if !replacement.has_zeros(len) {
            replacement.zeros = zeroed_page(len as usize);
        }
        if handles.uploads.next_slice(len).is_none() {
            // If the driver has no memory, the general path reports the error.
            let _renewed = self.core.with(|f, cx| f.renew_upload_page(cx.entry()));
        }
        let ContextCore { handles, replacement, .. } = &mut self.core;
        let Some(offset) = handles.uploads.next_slice(len) else { return false };
        if let Some(state) = handles.runtime_mut::<HandleState>(key) {
            state.discarded = 1;
        }
        replacement.begin(key, offset, len);
        true
    }

    /// Ends the map of a guard on either path.
    #[inline]
    pub(super) fn finish_guard(&mut self) {
        let ContextCore { handles, replacement, .. } = &mut self.core;
        let Some(key) = replacement.buffer.take() else { return self.finish_guard_map() };
        replacement.define(&mut handles.uploads);
        handles.uploads.add(Handle::new(key), replacement.offset, replacement.len);
    }

    /// If the application has leaked a guard with `mem::forget`, marks its buffer as still mapped.
    #[cold]
    pub(super) fn forget_replacement(&mut self) {
        if let Some(key) = self.core.replacement.buffer.take()
            && let Some(state) = self.core.handles.runtime_mut::<HandleState>(key)
        {
            state.mapped += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop")]

    use std::num::NonZeroU32;

    use super::*;

    /// One operation of the application on a map, for the tests.
    #[derive(Clone, Debug)]
    enum Step {
        Write(Range<usize>),
        Touch(Range<usize>),
        Look,
    }

    /// Maps once, as a guard does, and compares the contents with a model that is zero except for the written
    /// bytes. The slice is always the same, so that it contains bytes of the previous map.
    fn map(page: &mut UploadPage, len: usize, mark: u8, steps: &[Step]) {
        let mut replacement = Replacement { zeros: zeroed_page(len), ..Replacement::default() };
        replacement.begin(Key::new(1, NonZeroU32::MIN), 64, len as u32);
        let mut model = vec![0; len];
        for step in steps {
            match step.clone() {
                Step::Write(range) => {
                    replacement.overwrite(page, range.clone()).unwrap().fill(mark);
                    model[range].fill(mark);
                }
                Step::Touch(range) => {
                    let bytes = replacement.contents_mut(page, range.clone()).unwrap();
                    assert_eq!(*bytes, model[range.clone()], "contents are readable before a write");
                    if let Some(last) = bytes.last_mut() {
                        *last = mark;
                        model[range.end - 1] = mark;
                    }
                }
                Step::Look => assert_eq!(*replacement.contents(page), model),
            }
        }
        assert_eq!(*replacement.contents(page), model);
        replacement.define(page);
        assert_eq!(*page.bytes(64..64 + len as u32).unwrap(), model, "the driver takes the same bytes");
    }

    fn page() -> UploadPage {
        let mut page = UploadPage::default();
        page.lend(zeroed_page(1024), 0, 64);
        page
    }

    #[test]
    fn bytes_of_an_earlier_map_are_never_seen() {
        let steps = [
            Step::Write(0..64),
            Step::Write(16..32),
            Step::Write(200..256),
            Step::Write(0..256),
            Step::Write(40..40),
            Step::Touch(0..256),
            Step::Touch(8..24),
            Step::Touch(30..30),
            Step::Look,
        ];
        let mut page = page();
        let mut mark = 0;
        // Each map executes one or two steps, after every possible preceding map.
        for first in 0..steps.len() * steps.len() {
            for second in 0..steps.len() {
                let chosen = [first / steps.len(), first % steps.len(), second].map(|i| steps[i].clone());
                mark = mark % 200 + 1;
                map(&mut page, 256, mark, &chosen[..2]);
                map(&mut page, 256, mark + 1, &chosen[2..]);
                map(&mut page, 128, mark + 2, &[Step::Look]);
                map(&mut page, 512, mark + 3, &chosen[1..]);
            }
        }
    }

    #[test]
    fn ranges_outside_of_a_map_are_refused() {
        let mut page = page();
        let mut replacement = Replacement::default();
        replacement.begin(Key::new(1, NonZeroU32::MIN), 0, 64);
        #[allow(clippy::reversed_empty_ranges, reason = "an application may pass such a range")]
        for range in [0..65, 64..65, 63..usize::MAX, 8..4] {
            assert!(
                replacement.overwrite(&mut page, range.clone()).is_none()
                    && replacement.contents_mut(&mut page, range).is_none()
            );
        }
        assert_eq!(*replacement.contents(&page), [0; 64]);
    }
}
