//! Replacement, the fast path of `Map(WRITE_DISCARD)`, for guards of small dynamic buffers that are bound only as
//! constant buffers or only through shader-resource views.
//!
//! A replacement starts in [`DeviceContext::begin_replacement`] without a driver call, because the guard
//! writes to memory of the context. It ends in [`DeviceContext::finish_guard`] with a single driver call,
//! `dynamic_replace`. The driver copies the contents before this call returns, so the next map can reuse the
//! same memory without an allocation.

use std::ops::Range;

use onze_ddi::{Handle, Key, MapPage, zeroed_page};

use crate::{
    context::{ContextCore, ContextTable, DeviceContext},
    device_core::{HandleState, ObjectFlags},
};

/// The new contents of a mapped buffer, stored in the context so that a guard is only a reference.
#[derive(Debug, Default)]
pub(crate) struct Replacement {
    /// Key of the buffer, while a guard maps it.
    buffer: Option<Key>,
    /// The contents, which are zero outside the range `stale`.
    scratch: MapPage,
    /// Size of the mapped buffer, in bytes.
    len: u32,
    written: ByteSpan,
    /// The range that may be nonzero: the range that this map has written or, before its first write, the
    /// range that an earlier map has written. The first write of a map zeroes this range unless the write
    /// covers it completely, which is the usual case.
    stale: ByteSpan,
    /// A page of zeros: the contents before the first write.
    zeros: MapPage,
}

/// A range of bytes. An empty range can be joined with any range without changing it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct ByteSpan {
    from: u32,
    to: u32,
}

impl Default for ByteSpan {
    fn default() -> Self {
        Self { from: u32::MAX, to: 0 }
    }
}

impl ByteSpan {
    #[inline]
    const fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// Returns whether this range contains all bytes of `other`, which is true if `other` is empty.
    #[inline]
    const fn contains(self, other: Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }

    /// Returns the smallest range that contains all bytes of both ranges.
    #[inline]
    fn joined(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }
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

    /// Starts a map, for which the memory must already be large enough.
    #[inline]
    fn begin(&mut self, key: Key, len: u32) {
        (self.buffer, self.len, self.written) = (Some(key), len, ByteSpan::default());
    }

    #[inline]
    fn has_room(&self, len: u32) -> bool {
        size_of_val(&*self.scratch) >= len as usize
    }

    fn make_room(&mut self, len: u32) {
        if !self.has_room(len) {
            (self.scratch, self.stale) = (zeroed_page(len as usize), ByteSpan::default());
            self.zeros = zeroed_page(len as usize);
        }
    }

    /// Returns the new contents of the buffer, which are zero before the first write.
    pub(super) fn contents(&self) -> &[u8] {
        let page = if self.written.is_empty() { &self.zeros } else { &self.scratch };
        bytemuck::cast_slice(page).get(..self.len as usize).unwrap_or_default()
    }

    /// Returns a range of the contents and marks it as written, or returns `None` if the range is out of
    /// bounds.
    pub(super) fn contents_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        if self.written.is_empty() {
            self.clear();
        }
        self.overwrite(range)
    }

    /// Works like [`Self::contents_mut`] but does not zero old bytes in the range, because the caller
    /// overwrites the whole range.
    #[inline(always)]
    pub(super) fn overwrite(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        if range.end > self.len as usize || range.start > range.end {
            return None;
        }
        let span = ByteSpan { from: range.start as u32, to: range.end as u32 };
        if span.is_empty() {
            return Some(&mut []);
        }
        if !self.written.is_empty() {
            self.written = self.written.joined(span);
        } else {
            if !span.contains(self.stale) {
                self.clear();
            }
            self.written = span;
        }
        self.stale = self.written;
        bytemuck::cast_slice_mut(&mut self.scratch).get_mut(range)
    }

    /// Returns the written bytes and their offset, because all other bytes of the contents are zero.
    #[inline]
    fn written(&self) -> (u32, &[u8]) {
        let ByteSpan { from, to } = self.written;
        match bytemuck::cast_slice(&self.scratch).get(from as usize..to as usize) {
            Some(bytes) => (from, bytes),
            None => (0, &[]),
        }
    }

    /// Zeroes the bytes that earlier maps have written.
    #[inline(never)]
    fn clear(&mut self) {
        let stale = std::mem::take(&mut self.stale);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.scratch);
        if let Some(bytes) = bytes.get_mut(stale.from as usize..stale.to as usize) {
            bytes.fill(0);
        }
    }
}

impl DeviceContext {
    /// Starts the fast path of `WriteDiscard` for a buffer with [`ObjectFlags::REPLACED`] that is open in this context
    /// and not mapped. Returns false without any effect if the map must take the general path.
    pub(super) fn begin_replacement(&mut self, key: Key) -> bool {
        let ContextCore { table, handles, replacement, rt, .. } = &mut self.core;
        let is_free = rt.owned_maps.is_empty() && !replacement.is_open();
        let Some(state) = handles.runtime_mut::<HandleState>(key) else { return false };
        if !is_free || state.flags & ObjectFlags::REPLACED.bits() == 0 || state.mapped != 0 {
            return false;
        }
        if !table.is_fast_path(rt.slow_path) || !replacement.has_room(state.byte_width) {
            return self.begin_replacement_slow_path(key);
        }
        state.discarded = 1;
        replacement.begin(key, state.byte_width);
        true
    }

    /// The slow path of `begin_replacement`, for serial drivers and for buffers that are larger than the
    /// current memory. Starts the map, or returns false if the recording is lost or the device was removed.
    #[cold]
    #[inline(never)]
    fn begin_replacement_slow_path(&mut self, key: Key) -> bool {
        let ContextCore { device, table, handles, replacement, rt, .. } = &mut self.core;
        // If this returns false, the general path follows, in which a removed device returns its error.
        if rt.lost || (matches!(table, ContextTable::Immediate(_)) && device.removed_reason().is_some()) {
            return false;
        }
        let Some(state) = handles.runtime_mut::<HandleState>(key) else { return false };
        state.discarded = 1;
        replacement.make_room(state.byte_width);
        replacement.begin(key, state.byte_width);
        true
    }

    /// Ends the map of a guard on either path.
    #[inline(never)]
    pub(super) fn finish_guard(&mut self) {
        let Some(key) = self.core.replacement.buffer.take() else { return self.finish_guard_map() };
        self.core.with_replacement(move |f, cx, replacement| {
            let (offset, data) = replacement.written();
            f.dynamic_replace(cx.entry(), Handle::new(key), offset, data);
        });
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
    enum Step {
        Write(Range<usize>),
        Touch(Range<usize>),
        Look,
    }

    /// Maps once, as a guard does, and compares the contents with a model that is zero except for the written
    /// bytes.
    fn map(replacement: &mut Replacement, len: usize, mark: u8, steps: &[Step]) {
        let key = Key::new(1, NonZeroU32::MIN);
        replacement.make_room(len as u32);
        replacement.begin(key, len as u32);
        let mut model = vec![0; len];
        for step in steps {
            match step.clone() {
                Step::Write(range) => {
                    replacement.overwrite(range.clone()).unwrap().fill(mark);
                    model[range].fill(mark);
                }
                Step::Touch(range) => {
                    let bytes = replacement.contents_mut(range.clone()).unwrap();
                    assert_eq!(*bytes, model[range.clone()], "contents are readable before a write");
                    if let Some(last) = bytes.last_mut() {
                        *last = mark;
                        model[range.end - 1] = mark;
                    }
                }
                Step::Look => assert_eq!(*replacement.contents(), model),
            }
        }
        assert_eq!(*replacement.contents(), model);
        let (offset, data) = replacement.written();
        let mut taken = vec![0; len];
        taken[offset as usize..offset as usize + data.len()].copy_from_slice(data);
        assert_eq!(taken, model, "the driver takes the written bytes with zeros around them");
        replacement.buffer = None;
    }

    impl Clone for Step {
        fn clone(&self) -> Self {
            match self {
                Self::Write(range) => Self::Write(range.clone()),
                Self::Touch(range) => Self::Touch(range.clone()),
                Self::Look => Self::Look,
            }
        }
    }

    #[test]
    fn bytes_of_an_earlier_map_are_never_seen() {
        let steps = [
            Step::Write(0..64),
            Step::Write(16..32),
            Step::Write(200..256),
            Step::Write(40..40),
            Step::Touch(0..256),
            Step::Touch(8..24),
            Step::Touch(30..30),
            Step::Look,
        ];
        let mut replacement = Replacement::default();
        let mut mark = 0;
        // Each map executes one or two steps, after every possible preceding map.
        for first in 0..steps.len() * steps.len() {
            for second in 0..steps.len() {
                let chosen = [first / steps.len(), first % steps.len(), second].map(|i| steps[i].clone());
                mark = mark % 200 + 1;
                map(&mut replacement, 256, mark, &chosen[..2]);
                map(&mut replacement, 256, mark + 1, &chosen[2..]);
                map(&mut replacement, 128, mark + 2, &[Step::Look]);
                map(&mut replacement, 512, mark + 3, &chosen[1..]);
            }
        }
    }

    #[test]
    fn ranges_outside_of_a_map_are_refused() {
        let mut replacement = Replacement::default();
        replacement.make_room(1024);
        replacement.begin(Key::new(1, NonZeroU32::MIN), 64);
        #[allow(clippy::reversed_empty_ranges, reason = "an application may pass such a range")]
        for range in [0..65, 64..65, 63..usize::MAX, 8..4] {
            assert!(
                replacement.overwrite(range.clone()).is_none() && replacement.contents_mut(range).is_none()
            );
        }
        assert_eq!(replacement.written(), (0, &[][..]));
    }
}
