//! A fast hash function and a slab for caches.
//!
//! The keys are numbers that the driver creates, so an attacker cannot choose them to collide, and the
//! default hash of the standard library would cost more than the look-up.

use std::{
    borrow::Borrow,
    hash::{BuildHasherDefault, Hash, Hasher},
};

use crate::services::sizes::RECENT_KEYS;

pub(crate) type FastMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// A hasher that rotates and multiplies once per word.
#[derive(Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        // An odd number with well distributed bits: 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.add(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn finish(&self) -> u64 {
        // The hash table uses the top bits as tags and the low bits as an index.
        self.0 ^ (self.0 >> 32)
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlabIndex(u32);

pub(crate) const NO_INDEX: SlabIndex = SlabIndex(u32::MAX);

#[derive(Debug)]
pub(crate) struct CachedEntry<K, V> {
    key: K,
    value: V,
    last: u64,
}

/// Values that are found by a key and afterwards by an index, which is valid until an entry is dropped.
#[derive(Debug)]
pub(crate) struct Slab<K, V> {
    places: FastMap<K, SlabIndex>,
    entries: Vec<CachedEntry<K, V>>,
    /// The index that was last found for each value of a hash's low bits.
    recent: Box<[SlabIndex; RECENT_KEYS]>,
}

impl<K, V> Default for Slab<K, V> {
    fn default() -> Self {
        Self { places: FastMap::default(), entries: Vec::new(), recent: Box::new([NO_INDEX; RECENT_KEYS]) }
    }
}

impl<K: Hash + Eq + Clone, V> Slab<K, V> {
    #[inline]
    pub(crate) fn find<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, run: u64) -> Option<SlabIndex>
    where
        K: Borrow<Q>,
    {
        self.find_by(key, run, |a, b| a == b)
    }

    #[inline(always)]
    fn find_by<Q: Hash + Eq + ?Sized>(
        &mut self,
        key: &Q,
        run: u64,
        is_same: impl Fn(&Q, &Q) -> bool,
    ) -> Option<SlabIndex>
    where
        K: Borrow<Q>,
    {
        let mut hasher = FastHasher::default();
        key.hash(&mut hasher);
        let recent = &mut self.recent[hasher.finish() as usize % RECENT_KEYS];
        if let Some(entry) = self.entries.get_mut(recent.0 as usize)
            && is_same(entry.key.borrow(), key)
        {
            entry.last = run;
            return Some(*recent);
        }
        let place = *self.places.get(key)?;
        *recent = place;
        self.entries.get_mut(place.0 as usize)?.last = run;
        Some(place)
    }

    /// Returns whether there is an entry for the key, without marking it as used.
    pub(crate) fn has(&self, key: &K) -> bool {
        self.places.contains_key(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V, run: u64) -> SlabIndex {
        let place = SlabIndex(self.entries.len() as u32);
        self.entries.push(CachedEntry { key: key.clone(), value, last: run });
        self.places.insert(key, place);
        place
    }

    pub(crate) fn get(&self, place: SlabIndex) -> Option<&V> {
        Some(&self.entries.get(place.0 as usize)?.value)
    }

    pub(crate) fn get_mut(&mut self, place: SlabIndex) -> Option<&mut V> {
        Some(&mut self.entries.get_mut(place.0 as usize)?.value)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|entry| &entry.key)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|entry| &mut entry.value)
    }

    /// Drops entries that no run since `oldest` has used, and, if there are more than `most` entries, at
    /// least the half that was not used for the longest time.
    pub(crate) fn retire(&mut self, oldest: u64, most: usize) {
        let mut first = (oldest, 0);
        if self.entries.len() > most {
            let mut ages: Vec<_> = self.entries.iter().map(|entry| entry.last).zip(0..).collect();
            let half = ages.len() / 2;
            first = first.max(*ages.select_nth_unstable(half).1);
        }
        let mut at = 0..;
        self.retain(|entry| (entry.last, at.next().unwrap_or_default()) >= first);
    }

    /// Drops entries whose key satisfies `drops`, and returns whether there was any.
    pub(crate) fn drop_keys(&mut self, drops: impl Fn(&K) -> bool) -> bool {
        // Usually no entry is dropped, and then all indices stay valid.
        let any = self.entries.iter().any(|entry| drops(&entry.key));
        if any {
            self.retain(|entry| !drops(&entry.key));
        }
        any
    }

    /// Keeps the entries for which `keep`, called in the order of the indices, returns `true`.
    fn retain(&mut self, mut keep: impl FnMut(&CachedEntry<K, V>) -> bool) {
        let mut moved = Vec::with_capacity(self.entries.len());
        let mut kept = 0;
        self.recent.fill(NO_INDEX);
        self.entries.retain(|entry| {
            let keep = keep(entry);
            moved.push(keep.then_some(SlabIndex(kept)));
            kept += u32::from(keep);
            keep
        });
        self.places.retain(|_, place| {
            let to = moved.get(place.0 as usize).copied().flatten();
            to.inspect(|to| *place = *to).is_some()
        });
    }

    pub(crate) fn clear(&mut self) {
        self.retain(|_| false);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl<V> Slab<Box<[u64]>, V> {
    /// Works like [`Slab::find`], but compares words in a loop, because keys are too short for a call of a
    /// memory comparison.
    #[inline(always)]
    pub(crate) fn find_words(&mut self, key: &[u64], run: u64) -> Option<SlabIndex> {
        self.find_by(key, run, |a, b| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b))
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    #[test]
    fn retire_drops_unused_entries_and_keeps_the_others() {
        let mut slab = Slab::default();
        for n in 0..10u32 {
            slab.insert(n, n * 10, u64::from(n));
        }
        assert!(slab.find(&2, 7).is_some(), "and is used again");
        slab.retire(5, 100);
        assert_eq!(slab.len(), 6);
        for n in 0..10u32 {
            let found = slab.find(&n, 7).and_then(|place| slab.get(place).copied());
            assert_eq!(found, (n == 2 || n >= 5).then_some(n * 10));
            let again = slab.find(&n, 7).and_then(|place| slab.get(place).copied());
            assert_eq!(again, found);
        }
        slab.retire(0, 5);
        assert_eq!(slab.len(), 3, "there were too many, all as old");
        slab.clear();
        assert_eq!(slab.len(), 0);
    }

    #[test]
    fn remaining_entries_are_found_after_keys_are_dropped() {
        let mut slab = Slab::default();
        for n in 0..10u32 {
            slab.insert(n, n * 10, 0);
        }
        let place = slab.find(&9, 0).unwrap();
        assert!(!slab.drop_keys(|key| *key > 9));
        assert_eq!(slab.get(place), Some(&90));
        assert!(slab.drop_keys(|key| key % 2 == 0));
        let found = |n| slab.find(&n, 0).and_then(|place| slab.get(place).copied());
        assert_eq!((0..10).filter_map(found).collect::<Vec<_>>(), [10, 30, 50, 70, 90]);
    }

    #[test]
    fn keys_that_share_a_recent_slot_are_distinguished() {
        let mut slab = Slab::default();
        for n in 0..4 * RECENT_KEYS as u32 {
            slab.insert(n, n + 1, 0);
        }
        for round in 0..2 {
            for n in 0..4 * RECENT_KEYS as u32 {
                let place = slab.find(&n, round).unwrap();
                assert_eq!(slab.get(place), Some(&(n + 1)));
            }
        }
        slab.retire(1, usize::MAX);
        assert_eq!(slab.len(), 4 * RECENT_KEYS, "all were used in the second round");
        slab.retire(2, usize::MAX);
        assert_eq!((slab.len(), slab.find(&7, 2)), (0, None));
    }

    #[test]
    fn hashes_of_consecutive_keys_differ_in_the_low_bits() {
        let hash = |key: [u64; 3]| {
            let mut hasher = FastHasher::default();
            key.hash(&mut hasher);
            hasher.finish() & 0xfff
        };
        let places: std::collections::HashSet<_> = (0..256).map(|n| hash([7, n, 1])).collect();
        assert!(places.len() > 200, "{} places for 256 keys", places.len());
    }
}
