//! The loader: the only module that refers to the driver crates.

use std::sync::Arc;

use onze_ddi::{AdapterInfo, AdapterKind, Driver};

use crate::Error;

/// The kind of driver or adapter that renders (D3D11: `D3D_DRIVER_TYPE`).
#[doc(alias = "D3D_DRIVER_TYPE")]
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum DriverType {
    /// The best GPU, or the software adapter on a machine without a GPU (`D3D_DRIVER_TYPE_HARDWARE`, with a
    /// fallback to the CPU). [`Device::adapter`](crate::Device::adapter) returns the adapter that was found,
    /// and the debug layer reports [`MessageId::SoftwareAdapter`](crate::MessageId::SoftwareAdapter) if it
    /// renders on the CPU.
    #[doc(alias = "D3D_DRIVER_TYPE_HARDWARE")]
    #[default]
    Hardware,
    /// A software adapter that renders on the CPU, such as lavapipe or WARP (`D3D_DRIVER_TYPE_WARP`).
    #[doc(alias = "D3D_DRIVER_TYPE_WARP")]
    Software,
    /// The null driver, which draws nothing, for tests without a GPU or to measure the runtime alone
    /// (`D3D_DRIVER_TYPE_NULL`).
    #[doc(alias = "D3D_DRIVER_TYPE_NULL")]
    Null,
    /// Another driver, such as a driver that the verifier wraps (DXGI: `IDXGIFactory::CreateSoftwareAdapter`,
    /// which loads the driver from a module).
    #[doc(alias = "CreateSoftwareAdapter")]
    Custom(Arc<dyn Driver>),
}

impl std::fmt::Debug for DriverType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hardware => f.write_str("Hardware"),
            Self::Software => f.write_str("Software"),
            Self::Null => f.write_str("Null"),
            Self::Custom(driver) => write!(f, "Custom({})", driver.name()),
        }
    }
}

/// Advice for the error that no adapter was found, naming the packages that provide an adapter.
const ADVICE: &str = if cfg!(target_arch = "wasm32") {
    "this browser has no WebGPU, or WebGPU is disabled"
} else {
    "install a Vulkan driver (on Debian and Ubuntu a software one comes with the packages mesa-vulkan-drivers and \
     libvulkan1), or use DriverType::Null"
};

pub(crate) fn driver(driver_type: &DriverType) -> Result<Arc<dyn Driver>, Error> {
    match driver_type {
        DriverType::Null => Ok(onze_null::driver()),
        DriverType::Custom(driver) => Ok(driver.clone()),
        #[cfg(feature = "wgpu")]
        DriverType::Hardware | DriverType::Software => Ok(onze_wgpu::driver()),
        #[cfg(not(feature = "wgpu"))]
        DriverType::Hardware | DriverType::Software => {
            Err(Error::Unsupported("this build has no GPU driver: enable the feature `wgpu`".into()))
        }
    }
}

/// Returns whether a GPU was requested and the adapter renders on the CPU.
pub(crate) fn is_fallback(driver_type: &DriverType, adapter: &AdapterInfo) -> bool {
    matches!(driver_type, DriverType::Hardware) && adapter.kind == AdapterKind::Software
}

/// Picks the adapter for a driver type from the driver's adapters, which are sorted best first.
pub(crate) fn pick(driver_type: &DriverType, adapters: &[AdapterInfo]) -> Result<usize, Error> {
    let wanted = |info: &AdapterInfo| match driver_type {
        DriverType::Software => info.kind == AdapterKind::Software,
        DriverType::Hardware | DriverType::Null | DriverType::Custom(_) => true,
    };
    adapters.iter().position(wanted).ok_or_else(|| {
        let what = if matches!(driver_type, DriverType::Software) { "software adapter" } else { "adapter" };
        Error::NotFound(format!("no {what} was found: {ADVICE}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(kind: AdapterKind) -> AdapterInfo {
        let adapters = pollster::block_on(onze_null::driver().adapters());
        let info = adapters.into_iter().next().expect("the null driver has an adapter");
        AdapterInfo { kind, ..info }
    }

    #[test]
    fn only_a_hardware_request_can_fall_back() {
        use AdapterKind as K;
        for (driver_type, kind, expected) in [
            (DriverType::Hardware, K::Software, true),
            (DriverType::Hardware, K::Discrete, false),
            (DriverType::Software, K::Software, false),
            (DriverType::Null, K::Null, false),
        ] {
            assert_eq!(is_fallback(&driver_type, &adapter(kind)), expected, "{driver_type:?} {kind:?}");
        }
    }
}
