//! Tests of version negotiation with random pairs of lists.

use onze_ddi::{DdiVersion, negotiate};
use proptest::prelude::*;

/// Generates lists of versions in any order, with repetitions.
fn lists() -> impl Strategy<Value = Vec<DdiVersion>> {
    let version =
        (0_u32..4, 0_u16..4).prop_map(|(minor, build)| DdiVersion { interface: 11 << 16 | minor, build });
    proptest::collection::vec(version, 0..6)
}

proptest! {
    #[test]
    fn the_newest_common_interface_of_both_builds_is_chosen(
        runtime in lists(),
        driver in lists(),
    ) {
        let newest = |list: &[DdiVersion], interface| {
            list.iter().filter(|v| v.interface == interface).map(|v| v.build).max()
        };
        // The newest interface that both sides list.
        let expected = (0..4).rev().map(|minor| 11 << 16 | minor).find_map(|interface| {
            let build = newest(&runtime, interface)?.min(newest(&driver, interface)?);
            Some(DdiVersion { interface, build })
        });
        prop_assert_eq!(negotiate(&runtime, &driver), expected);
        // The result does not depend on the order of a list, and the two sides may be swapped.
        let reversed: Vec<_> = driver.iter().rev().copied().collect();
        prop_assert_eq!(negotiate(&runtime, &reversed), expected);
        prop_assert_eq!(negotiate(&driver, &runtime), expected);
    }

    #[test]
    fn packing_a_version_is_reversible(packed: u64) {
        // The lowest 16 bits are reserved and therefore ignored.
        let version = DdiVersion::from_packed(packed);
        prop_assert_eq!(version.packed(), packed & !0xffff);
        prop_assert_eq!(DdiVersion::from_packed(version.packed()), version);
    }
}
