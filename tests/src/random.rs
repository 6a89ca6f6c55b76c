//! Pseudorandom numbers for tests, the same in every run with the same seed.

/// A seeded number generator with the algorithm SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed, which can be any number.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits: the next number of the sequence.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        (self.bits() % u64::from(end.max(1))) as u32
    }

    /// Returns a number in a range, or its start if the range is empty.
    pub fn range(&mut self, range: std::ops::Range<u32>) -> u32 {
        range.start + self.below(range.end.saturating_sub(range.start))
    }

    /// Returns true once in `n` calls on average.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items, each with the same probability, or panics if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// Returns `count` random bytes, for example as the contents of resources.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.bits() as u8).collect()
    }

    /// Shuffles the items, so that each order has the same probability.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence_and_every_order_of_three() {
        assert_eq!(Random::new(7).bytes(16), Random::new(7).bytes(16));
        assert_ne!(Random::new(7).bytes(16), Random::new(8).bytes(16));
        let mut random = Random::new(1);
        let mut orders = std::collections::HashSet::new();
        for _ in 0..200 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            orders.insert(items);
        }
        assert_eq!(orders.len(), 6);
    }
}
