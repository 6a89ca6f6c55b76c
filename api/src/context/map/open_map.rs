//! Open maps on the general path, with their written ranges.

use std::{
    ops::Range,
    sync::{Arc, atomic::AtomicBool},
};

use onze_ddi::{Key, MapType, MappedMemory, Written};

/// An open map of memory that the driver has lent.
#[derive(Debug)]
pub(crate) struct OpenMap {
    pub(crate) key: Key,
    pub(super) subresource: u32,
    pub(super) staging: bool,
    map_type: MapType,
    /// The mapped memory; `None` after it was returned to the driver.
    pub(super) memory: Option<MappedMemory>,
    /// True if the memory is temporary because the recording is lost.
    pub(super) scratch: bool,
    /// Start of the last written range, in bytes.
    written_from: u32,
    written_to: u32,
    /// Earlier written ranges, if the map must not change the bytes between them.
    apart: Vec<Range<u32>>,
}

/// A map that the application received as a token.
#[derive(Debug)]
pub(crate) struct OwnedMap {
    pub(crate) map: OpenMap,
    pub(super) dropped: Arc<AtomicBool>,
}

impl OpenMap {
    pub(super) fn new(key: Key, subresource: u32, map_type: MapType, memory: MappedMemory) -> Self {
        Self {
            key,
            subresource,
            staging: false,
            map_type,
            memory: Some(memory),
            scratch: false,
            written_from: u32::MAX,
            written_to: 0,
            apart: Vec::new(),
        }
    }

    /// Returns the same map, marked as staging memory or as temporary memory.
    pub(super) fn marked(self, staging: bool, scratch: bool) -> Self {
        Self { staging, scratch, ..self }
    }

    /// Moves the written ranges out of the map, for the driver.
    pub(super) fn written(&mut self) -> Written {
        let last = self.written_from..self.written_to;
        if last.is_empty() {
            Written::Nothing
        } else if self.apart.is_empty() {
            Written::Range(last)
        } else {
            self.apart.push(last);
            Written::Ranges(joined(std::mem::take(&mut self.apart)).into())
        }
    }

    /// Returns whether writes to the memory have no effect.
    #[inline]
    pub(super) fn is_read_only(&self) -> bool {
        self.map_type == MapType::Read
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        self.memory.as_ref().map_or(&[], MappedMemory::bytes)
    }

    /// Returns the bytes of a range and marks them as written, or returns `None` if the range is out of
    /// bounds.
    #[inline]
    pub(super) fn range_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        self.bytes().get(range.clone())?;
        if self.map_type != MapType::Read && !range.is_empty() {
            // The casts lose nothing, because mapped memory is smaller than 4 GiB.
            let (start, end) = (range.start as u32, range.end as u32);
            let touches = start <= self.written_to && self.written_from <= end;
            if self.map_type == MapType::WriteNoOverwrite && self.written_to > 0 && !touches {
                self.set_apart(self.written_from..self.written_to);
                (self.written_from, self.written_to) = (start, end);
            } else {
                self.written_from = self.written_from.min(start);
                self.written_to = self.written_to.max(end);
            }
        }
        self.memory.as_mut()?.bytes_mut().get_mut(range)
    }

    /// Stores a written range, without additional memory for ranges that are written repeatedly.
    #[cold]
    fn set_apart(&mut self, range: Range<u32>) {
        if self.apart.len() == self.apart.capacity() {
            self.apart = joined(std::mem::take(&mut self.apart));
            self.apart.reserve(self.apart.len().max(64));
        }
        self.apart.push(range);
    }
}

/// Sorts ranges in ascending order and joins ranges that touch each other.
fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, range| {
        let touches = next.start <= range.end;
        if touches {
            range.end = range.end.max(next.end);
        }
        touches
    });
    ranges
}

#[cfg(test)]
mod tests {
    use onze_ddi::zeroed_page;

    use super::*;

    fn map(map_type: MapType) -> OpenMap {
        OpenMap::new(
            Key::new(0, std::num::NonZeroU32::MIN),
            0,
            map_type,
            MappedMemory::new(zeroed_page(1024), 0..1024, 0, 0, 0),
        )
    }

    #[test]
    fn separate_writes_stay_separate_without_a_discard() {
        let writes = [(40, 48), (0, 4), (8, 8), (48, 50), (100, 104), (2, 6)];
        for (map_type, expected) in [
            (MapType::WriteNoOverwrite, Written::Ranges([0..6, 40..50, 100..104].into())),
            (MapType::WriteDiscard, Written::Range(0..104)),
            (MapType::Read, Written::Nothing),
        ] {
            let mut map = map(map_type);
            for (start, end) in writes {
                assert!(map.range_mut(start..end).is_some());
            }
            assert!(map.range_mut(1020..1030).is_none());
            assert_eq!(map.written(), expected, "{map_type:?}");
        }
    }

    #[test]
    fn repeated_writes_take_no_additional_memory() {
        let mut map = map(MapType::WriteNoOverwrite);
        for n in 0..100_000 {
            map.range_mut(n % 5 * 200..n % 5 * 200 + 4);
        }
        assert!(map.apart.capacity() < 1000);
        let expected = [0..4, 200..204, 400..404, 600..604, 800..804];
        assert_eq!(map.written(), Written::Ranges(expected.into()));
    }
}
