//! What a guard has mapped: memory of the driver, or the context's own, which the driver copies when the map ends.

use std::ops::Range;

use onze_ddi::{Key, MapPage, zeroed_page};

use super::open_map::Map;

/// What a guard has mapped. It stands in the context, so that a guard is only a reference and nothing is
/// moved for a map.
#[derive(Debug, Default)]
pub(crate) struct Guarded {
    /// A map of memory that the driver has lent.
    pub(super) lent: Option<Map>,
    /// A buffer that the driver takes whole when the map ends; none while there is a map of lent memory.
    pub(super) replaced: Option<Key>,
    /// The memory for that: all zero but for what is `stale`.
    scratch: MapPage,
    /// Bytes of the buffer.
    pub(super) len: u32,
    /// What was written of them.
    written: Span,
    /// What may not be zero: what is written, or what the last map has left behind. Nobody sees that: it is
    /// overwritten, which is usual, or zeroed.
    stale: Span,
    /// What is seen while nothing is written.
    zeros: MapPage,
}

/// A range of bytes, from the first to behind the last. An empty one can be joined with any other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Span {
    from: u32,
    to: u32,
}

impl Default for Span {
    fn default() -> Self {
        Self { from: u32::MAX, to: 0 }
    }
}

impl Span {
    #[inline]
    const fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// Whether it has all of another one; of an empty one it has all.
    #[inline]
    const fn contains(self, other: Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }

    /// With another range, and what is between the two.
    #[inline]
    fn joined(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }
}

impl Guarded {
    /// Whether memory of the driver is mapped, and not the context's own.
    #[inline]
    pub(super) const fn is_lent(&self) -> bool {
        self.replaced.is_none()
    }

    /// Begins the map of a buffer that is taken whole; there is room for it.
    #[inline]
    pub(super) fn replace(&mut self, key: Key, len: u32) {
        (self.replaced, self.len, self.written) = (Some(key), len, Span::default());
    }

    #[inline]
    pub(super) fn has_room(&self, len: u32) -> bool {
        size_of_val(&*self.scratch) >= len as usize
    }

    pub(super) fn make_room(&mut self, len: u32) {
        if !self.has_room(len) {
            (self.scratch, self.stale) = (zeroed_page(len as usize), Span::default());
            self.zeros = zeroed_page(len as usize);
        }
    }

    /// What becomes the contents of the buffer.
    pub(super) fn contents(&self) -> &[u8] {
        let page = if self.written.is_empty() { &self.zeros } else { &self.scratch };
        bytemuck::cast_slice(page).get(..self.len as usize).unwrap_or_default()
    }

    /// A range of them, which then counts as written; `None` outside.
    pub(super) fn contents_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        if self.written.is_empty() {
            self.clear();
        }
        self.overwrite(range)
    }

    /// The same for who overwrites all of the range, and so does not see what is there.
    #[inline]
    pub(super) fn overwrite(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        if range.end > self.len as usize || range.start > range.end {
            return None;
        }
        let span = Span { from: range.start as u32, to: range.end as u32 };
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

    /// What was written of them, and where; elsewhere they are zero.
    #[inline]
    pub(super) fn written(&self) -> (u32, &[u8]) {
        let Span { from, to } = self.written;
        match bytemuck::cast_slice(&self.scratch).get(from as usize..to as usize) {
            Some(bytes) => (from, bytes),
            None => (0, &[]),
        }
    }

    /// Zeroes what earlier maps have left behind.
    #[inline(never)]
    fn clear(&mut self) {
        let stale = std::mem::take(&mut self.stale);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.scratch);
        if let Some(bytes) = bytes.get_mut(stale.from as usize..stale.to as usize) {
            bytes.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop")]

    use std::num::NonZeroU32;

    use super::*;

    /// What the application does with a map.
    enum Step {
        Write(Range<usize>),
        Touch(Range<usize>),
        Look,
    }

    /// Maps once, as a guard does, beside a model that is zero where nothing was written.
    fn map(guarded: &mut Guarded, len: usize, mark: u8, steps: &[Step]) {
        let key = Key::new(1, NonZeroU32::MIN);
        guarded.make_room(len as u32);
        guarded.replace(key, len as u32);
        let mut model = vec![0; len];
        for step in steps {
            match step.clone() {
                Step::Write(range) => {
                    guarded.overwrite(range.clone()).unwrap().fill(mark);
                    model[range].fill(mark);
                }
                Step::Touch(range) => {
                    let bytes = guarded.contents_mut(range.clone()).unwrap();
                    assert_eq!(*bytes, model[range.clone()], "what a map has is seen before it is written");
                    if let Some(last) = bytes.last_mut() {
                        *last = mark;
                        model[range.end - 1] = mark;
                    }
                }
                Step::Look => assert_eq!(*guarded.contents(), model),
            }
        }
        assert_eq!(*guarded.contents(), model);
        let (offset, data) = guarded.written();
        let mut taken = vec![0; len];
        taken[offset as usize..offset as usize + data.len()].copy_from_slice(data);
        assert_eq!(taken, model, "what the driver takes is what was written, and zeros around it");
        guarded.replaced = None;
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
    fn nobody_sees_what_an_earlier_map_has_left_behind() {
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
        let mut guarded = Guarded::default();
        let mut mark = 0;
        // Each map does one or two things, after every other one that did.
        for first in 0..steps.len() * steps.len() {
            for second in 0..steps.len() {
                let chosen = [first / steps.len(), first % steps.len(), second].map(|i| steps[i].clone());
                mark = mark % 200 + 1;
                map(&mut guarded, 256, mark, &chosen[..2]);
                map(&mut guarded, 256, mark + 1, &chosen[2..]);
                map(&mut guarded, 128, mark + 2, &[Step::Look]);
                map(&mut guarded, 512, mark + 3, &chosen[1..]);
            }
        }
    }

    #[test]
    fn what_lies_outside_of_a_map_is_not_written() {
        let mut guarded = Guarded::default();
        guarded.make_room(1024);
        guarded.replace(Key::new(1, NonZeroU32::MIN), 64);
        #[allow(clippy::reversed_empty_ranges, reason = "what an application may ask for")]
        for range in [0..65, 64..65, 63..usize::MAX, 8..4] {
            assert!(guarded.overwrite(range.clone()).is_none() && guarded.contents_mut(range).is_none());
        }
        assert_eq!(guarded.written(), (0, &[][..]));
    }
}
