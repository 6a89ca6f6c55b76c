//! Adapters: the GPUs and software renderers that a device can be created on.

use std::sync::Arc;

#[cfg(not(target_arch = "wasm32"))]
use onze_ddi::AdapterKind;
use onze_ddi::{AdapterInfo, Driver};

use crate::{DriverType, loader};

/// A GPU or software renderer that a device can be created on (D3D11: `IDXGIAdapter1`).
#[doc(alias = "IDXGIAdapter1")]
#[derive(Clone)]
pub struct Adapter {
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) index: usize,
    info: AdapterInfo,
}

impl Adapter {
    /// Returns the adapter's name, kind and driver (D3D11: `IDXGIAdapter1::GetDesc1`).
    #[doc(alias = "GetDesc1")]
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }
}

impl std::fmt::Debug for Adapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adapter")
            .field("index", &self.index)
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Display for Adapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?}, {})", self.info.name, self.info.kind, self.info.driver)
    }
}

/// Returns the GPUs and software adapters of this machine, best first, or an empty list if no driver is
/// installed.
///
/// The null driver is not in the list; select it with [`DriverType::Null`] (D3D11:
/// `IDXGIFactory1::EnumAdapters1`).
#[doc(alias = "EnumAdapters1")]
#[cfg(not(target_arch = "wasm32"))]
pub fn enumerate_adapters() -> Vec<Adapter> {
    pollster::block_on(enumerate_adapters_async())
}

/// Asynchronous version of [`enumerate_adapters`], for code that must not block (D3D11:
/// `IDXGIFactory1::EnumAdapters1`).
#[doc(alias = "EnumAdapters1")]
pub async fn enumerate_adapters_async() -> Vec<Adapter> {
    match loader::driver(&DriverType::Hardware) {
        Ok(driver) => adapters_of(&driver).await,
        Err(_) => Vec::new(),
    }
}

/// The kind of GPU that an application prefers (DXGI: `DXGI_GPU_PREFERENCE`).
#[doc(alias = "DXGI_GPU_PREFERENCE")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum GpuPreference {
    /// Keeps the order of [`enumerate_adapters`] (the default).
    #[default]
    Unspecified,
    /// Prefers a GPU that saves energy, so GPUs that share the CPU's memory come first.
    MinimumPower,
    /// Prefers the fastest GPU, so GPUs with dedicated memory come first.
    HighPerformance,
}

#[cfg(not(target_arch = "wasm32"))]
impl GpuPreference {
    /// Returns the rank of a kind of adapter, where a smaller number is better.
    const fn place(self, kind: AdapterKind) -> u32 {
        match (self, kind) {
            (Self::Unspecified, _) => 0,
            (Self::HighPerformance, AdapterKind::Discrete)
            | (Self::MinimumPower, AdapterKind::Integrated) => 1,
            (Self::HighPerformance, AdapterKind::Integrated)
            | (Self::MinimumPower, AdapterKind::Discrete) => 3,
            (_, AdapterKind::Software | AdapterKind::Null) => 4,
            _ => 2,
        }
    }
}

/// Returns the adapters of this machine, sorted by the application's preference (DXGI:
/// `IDXGIFactory6::EnumAdapterByGpuPreference`).
///
/// Adapters of equal rank stay in the order of [`enumerate_adapters`].
#[doc(alias = "EnumAdapterByGpuPreference")]
#[cfg(not(target_arch = "wasm32"))]
pub fn enumerate_adapters_by_gpu_preference(preference: GpuPreference) -> Vec<Adapter> {
    let mut adapters = enumerate_adapters();
    adapters.sort_by_key(|adapter| preference.place(adapter.info.kind));
    adapters
}

/// Returns the software adapter, which renders on the CPU, if there is one (DXGI:
/// `IDXGIFactory4::EnumWarpAdapter`).
///
/// A device on this adapter can also be created directly, with [`DriverType::Software`].
#[doc(alias = "EnumWarpAdapter")]
#[cfg(not(target_arch = "wasm32"))]
pub fn enum_warp_adapter() -> Option<Adapter> {
    enumerate_adapters().into_iter().find(|adapter| adapter.info.kind == AdapterKind::Software)
}

/// Returns the adapter with the given locally unique identifier, for example the [`AdapterInfo::luid`] of
/// another device's adapter (DXGI: `IDXGIFactory4::EnumAdapterByLuid`).
#[doc(alias = "EnumAdapterByLuid")]
#[cfg(not(target_arch = "wasm32"))]
pub fn enum_adapter_by_luid(luid: u64) -> Option<Adapter> {
    enumerate_adapters().into_iter().find(|adapter| adapter.info.luid == luid)
}

pub(crate) async fn adapters_of(driver: &Arc<dyn Driver>) -> Vec<Adapter> {
    let infos = driver.adapters().await;
    let adapter = |(index, info)| Adapter { driver: driver.clone(), index, info };
    infos.into_iter().enumerate().map(adapter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_order_kinds_of_adapters() {
        use AdapterKind as K;
        let all = [K::Software, K::Integrated, K::Other, K::Discrete, K::Virtual];
        for (preference, expected) in [
            (GpuPreference::Unspecified, all),
            (GpuPreference::HighPerformance, [K::Discrete, K::Other, K::Virtual, K::Integrated, K::Software]),
            (GpuPreference::MinimumPower, [K::Integrated, K::Other, K::Virtual, K::Discrete, K::Software]),
        ] {
            let mut kinds = all;
            kinds.sort_by_key(|kind| preference.place(*kind));
            assert_eq!(kinds, expected, "{preference:?}");
        }
    }
}
