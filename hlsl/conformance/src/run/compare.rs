/// Returns whether two floats differ by at most `ulps` units in the last place. Zeros of either sign are
/// equal, and so are NaNs of the same sign.
pub(super) fn f32_is_near(a: f32, b: f32, ulps: u32) -> bool {
    if a.is_nan() || b.is_nan() {
        return a.is_nan() && b.is_nan() && a.is_sign_negative() == b.is_sign_negative();
    }
    let place = |value: f32| {
        let bits = value.to_bits() as i32;
        i64::from(if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits })
    };
    place(a).abs_diff(place(b)) <= u64::from(ulps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_units_in_the_last_place() {
        assert!(f32_is_near(0.0, -0.0, 0));
        assert!(f32_is_near(1.0, 1.0 + f32::EPSILON, 1));
        assert!(!f32_is_near(1.0, 1.0 + f32::EPSILON, 0));
        assert!(f32_is_near(f32::from_bits(1), -f32::from_bits(1), 2));
        assert!(!f32_is_near(f32::from_bits(1), -f32::from_bits(1), 1));
        assert!(f32_is_near(f32::NAN, f32::from_bits(0x7fff_ffff), 0));
        assert!(!f32_is_near(f32::NAN, -f32::NAN, 100));
        assert!(!f32_is_near(f32::NAN, 0.0, u32::MAX));
        assert!(!f32_is_near(f32::INFINITY, 1.0, 4));
    }
}
