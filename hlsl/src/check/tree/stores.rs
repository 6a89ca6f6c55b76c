/// The stores to a parameter, by the function itself and by the functions that it calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stores {
    pub(crate) any: bool,
    pub(crate) objects: ObjectSet,
}

impl Stores {
    pub(crate) const ALL: Stores = Stores { any: true, objects: ObjectSet::ALL };
}

/// A set of objects in a type, identified by their indices, without indices of [`ObjectSet::MOST`] or more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ObjectSet([u64; 8]);

impl ObjectSet {
    pub(crate) const MOST: u32 = 8 * u64::BITS;

    const ALL: ObjectSet = ObjectSet([u64::MAX; 8]);

    pub(crate) fn range(first: u32, count: u32) -> Self {
        let mut set = Self::default();
        (first..first.saturating_add(count).min(Self::MOST)).for_each(|object| set.insert(object));
        set
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == [0; 8]
    }

    pub(crate) fn contains(self, object: u32) -> bool {
        self.0.get((object / u64::BITS) as usize).is_some_and(|word| word >> (object % u64::BITS) & 1 == 1)
    }

    fn insert(&mut self, object: u32) {
        if let Some(word) = self.0.get_mut((object / u64::BITS) as usize) {
            *word |= 1 << (object % u64::BITS);
        }
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
    }

    /// Returns the first `count` objects with `first` added to their indices.
    pub(crate) fn shifted(self, first: u32, count: u32) -> Self {
        let mut set = Self::default();
        let objects = (0..count.min(Self::MOST)).filter(|object| self.contains(*object));
        objects.for_each(|object| set.insert(first.saturating_add(object)));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_keep_numbers_across_words() {
        let mut set = ObjectSet::range(62, 4);
        assert!(set.contains(62) && set.contains(65) && !set.contains(61) && !set.contains(66));
        set.extend(ObjectSet::range(500, 100));
        assert!(set.contains(511) && !set.contains(512));
        let moved = set.shifted(3, 64);
        assert!(moved.contains(65) && moved.contains(66) && !moved.contains(62) && !moved.contains(67));
        assert!(ObjectSet::range(7, 0).is_empty() && !ObjectSet::range(7, 1).is_empty());
    }
}
