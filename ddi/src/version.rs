//! Versions of the driver interface, and the negotiation of a version between runtime and driver.
//!
//! A driver lists the versions that it supports, and the runtime chooses one with [`negotiate`]. The version
//! defines how the runtime and the driver communicate, and the feature level, which is chosen independently,
//! defines the hardware's capabilities.
//!
//! ```
//! use onze_ddi::{DdiVersion, negotiate};
//!
//! let old_driver = [DdiVersion::V11_0];
//! assert_eq!(negotiate(DdiVersion::ALL, &old_driver), Some(DdiVersion::V11_0));
//! assert!(!DdiVersion::V11_0.has_constant_buffer_offsets());
//! assert_eq!(DdiVersion::V11_1.to_string(), "11.1 build 1");
//! ```

/// A version of the driver interface, packed as `interface << 32 | build << 16`.
///
/// The counterparts in D3D11 are `D3D11_0_DDI_SUPPORTED` and similar constants.
#[doc(alias = "D3D11_0_DDI_SUPPORTED")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DdiVersion {
    /// The number of the interface, `major << 16 | minor`, which defines the entries and their meaning.
    pub interface: u32,
    /// The build of the interface, for fixes that do not change entries.
    pub build: u16,
}

impl DdiVersion {
    /// The first interface, without windows into constant buffers.
    pub const V11_0: Self = Self { interface: 11 << 16, build: 1 };

    /// The second interface, in which `set_constant_buffers` may bind a window of a buffer
    /// ([`crate::ConstantBufferBinding::first_constant`]), and which also allows `dynamic_map` with
    /// [`crate::MapType::WriteNoOverwrite`] on constant and shader-resource buffers.
    pub const V11_1: Self = Self { interface: 11 << 16 | 1, build: 1 };

    /// All versions that this crate describes, oldest first.
    pub const ALL: &'static [Self] = &[Self::V11_0, Self::V11_1];

    /// The packed form of the version, which [`crate::AdapterFuncs::supported_versions`] reports.
    pub const fn packed(self) -> u64 {
        (self.interface as u64) << 32 | (self.build as u64) << 16
    }

    /// Unpacks a version, ignoring the lowest 16 bits, which are reserved.
    pub const fn from_packed(packed: u64) -> Self {
        Self { interface: (packed >> 32) as u32, build: (packed >> 16) as u16 }
    }

    /// Whether constant buffers can be bound partially and mapped with `WRITE_NO_OVERWRITE`.
    pub const fn has_constant_buffer_offsets(self) -> bool {
        self.interface >= Self::V11_1.interface
    }
}

impl std::fmt::Display for DdiVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{} build {}", self.interface >> 16, self.interface & 0xffff, self.build)
    }
}

/// Returns the newest interface that both sides list, with the older of their two builds.
///
/// Returns `None` if the sides have no interface in common, whatever the order of the lists.
pub fn negotiate(runtime: &[DdiVersion], driver: &[DdiVersion]) -> Option<DdiVersion> {
    let newest = |list: &[DdiVersion], interface: u32| {
        list.iter().filter(|v| v.interface == interface).map(|v| v.build).max()
    };
    runtime
        .iter()
        .filter_map(|v| {
            let build = newest(runtime, v.interface)?.min(newest(driver, v.interface)?);
            Some(DdiVersion { interface: v.interface, build })
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_version_is_interface_then_build() {
        let v = DdiVersion { interface: 0x000b_0001, build: 0x1234 };
        assert_eq!(v.packed(), 0x000b_0001_1234_0000);
        assert_eq!(DdiVersion::from_packed(v.packed()), v);
    }

    #[test]
    fn the_newest_common_interface_is_chosen_whatever_the_order() {
        let (old, new) = (DdiVersion::V11_0, DdiVersion::V11_1);
        assert_eq!(negotiate(&[old, new], &[new, old]), Some(new));
        assert_eq!(negotiate(&[new, old], &[old]), Some(old));
        assert_eq!(negotiate(&[new], &[old]), None);
        assert_eq!(negotiate(&[], &[old]), None);
    }

    #[test]
    fn the_older_build_of_an_interface_is_chosen() {
        let later = DdiVersion { build: 7, ..DdiVersion::V11_0 };
        assert_eq!(negotiate(&[later], &[DdiVersion::V11_0]), Some(DdiVersion::V11_0));
    }
}
