//! Arithmetic with bit-identical results on every machine. IEEE 754 guarantees this for `+`, `-`, `*`, `/`
//! and `sqrt`, but the standard library's sine may differ, so directions come from a table that is computed
//! at compile time by a polynomial.

use glam::Vec2;

/// A whole turn in angle units, which are integers so that angles wrap without losing precision.
pub(crate) const TURN: u32 = 1 << 16;

const DIRECTIONS: usize = 1024;

static SINES: [f32; DIRECTIONS] = sines();

const fn sines() -> [f32; DIRECTIONS] {
    let quarter = DIRECTIONS / 4;
    let mut all = [0.0; DIRECTIONS];
    let mut n = 0;
    while n <= quarter {
        // The Taylor series up to x^15, which is exact to the last bit of an `f32` in the first quarter turn.
        let x = n as f64 / quarter as f64 * std::f64::consts::FRAC_PI_2;
        let (mut term, mut sum, mut k) = (x, x, 1.0);
        while k < 14.0 {
            term *= -x * x / ((k + 1.0) * (k + 2.0));
            sum += term;
            k += 2.0;
        }
        let sine = sum as f32;
        all[n] = sine;
        all[2 * quarter - n] = sine;
        all[2 * quarter + n] = -sine;
        all[(DIRECTIONS - n) % DIRECTIONS] = -sine;
        n += 1;
    }
    all[0] = 0.0;
    all
}

/// Returns the unit vector for an angle, where angle 0 points along x, and a quarter turn points along y.
pub(crate) fn direction(angle: u32) -> Vec2 {
    let n = (angle % TURN) as usize * DIRECTIONS / TURN as usize;
    Vec2::new(SINES[(n + DIRECTIONS / 4) % DIRECTIONS], SINES[n])
}

/// Converts an angle to radians, only for drawing because functions of radians may differ between machines.
pub(crate) fn radians(angle: u32) -> f32 {
    (angle % TURN) as f32 / TURN as f32 * std::f32::consts::TAU
}

/// Whether a blinking object is visible, with alternating visible and hidden intervals of `period` steps.
pub(crate) fn blinks(steps: u32, period: u32) -> bool {
    (steps / period).is_multiple_of(2)
}

/// Pseudo-random numbers, computed by mixing the bits of a counter, so the same seed gives the same numbers.
#[derive(Clone, Copy, Debug, bytemuck::NoUninit)]
#[repr(transparent)]
pub(crate) struct Random(pub(crate) u32);

impl Random {
    pub(crate) fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9);
        let mut x = self.0;
        x = (x ^ x >> 16).wrapping_mul(0x21F0_AAAD);
        x = (x ^ x >> 15).wrapping_mul(0x735A_2D97);
        x ^ x >> 15
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.bits() % end.max(1)
    }

    pub(crate) fn between(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * (self.bits() >> 8) as f32 / (1 << 24) as f32
    }

    pub(crate) fn direction(&mut self) -> Vec2 {
        direction(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_sines() {
        for n in 0..TURN / 64 {
            let exact = f64::from(n * 64) / f64::from(TURN) * std::f64::consts::TAU;
            let found = direction(n * 64);
            assert!((f64::from(found.x) - exact.cos()).abs() < 1e-7, "cosine of {n}: {found}");
            assert!((f64::from(found.y) - exact.sin()).abs() < 1e-7, "sine of {n}: {found}");
        }
    }

    #[test]
    fn random_numbers_stay_in_their_range_and_differ() {
        let mut random = Random(1);
        let numbers: Vec<f32> = (0..1000).map(|_| random.between(-2.0, 3.0)).collect();
        assert!(numbers.iter().all(|number| (-2.0..3.0).contains(number)));
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]));
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
