//! A fast hash for cache keys.
//!
//! The keys are numbers that this driver made itself, so nobody can choose them to collide; std's
//! default hash would cost more than the look-up.

use std::hash::{BuildHasherDefault, Hasher};

/// A map with this hash.
pub(super) type FastMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// Multiplies and rotates a word at a time.
#[derive(Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        // An odd number with its bits well spread: 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
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
        // The table takes the top bits for its tags and the low ones for the place.
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    #[test]
    fn neighbouring_keys_differ_in_the_low_bits() {
        let hash = |key: [u64; 3]| {
            let mut hasher = FastHasher::default();
            key.hash(&mut hasher);
            hasher.finish() & 0xfff
        };
        let places: std::collections::HashSet<_> = (0..256).map(|n| hash([7, n, 1])).collect();
        assert!(places.len() > 200, "{} places for 256 keys", places.len());
    }
}
