//! The loader: the one place that names driver crates.

use std::sync::Arc;

use onze_ddi::{AdapterInfo, AdapterKind, Driver};

use crate::Error;

/// Who draws. D3D11: `D3D_DRIVER_TYPE`.
#[doc(alias = "D3D_DRIVER_TYPE")]
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum DriverType {
    /// The best GPU; the software adapter where there is none. `D3D_DRIVER_TYPE_HARDWARE`, except that
    /// it falls back: [`Device::adapter`](crate::Device::adapter) tells what was found, and with the debug layer
    /// [`MessageId::SoftwareAdapter`](crate::MessageId::SoftwareAdapter) is reported.
    #[doc(alias = "D3D_DRIVER_TYPE_HARDWARE")]
    #[default]
    Hardware,
    /// An adapter that draws on the processor, such as lavapipe or WARP. `D3D_DRIVER_TYPE_WARP`.
    #[doc(alias = "D3D_DRIVER_TYPE_WARP")]
    Software,
    /// Nothing is drawn: for tests without a GPU, and to measure the runtime alone.
    /// `D3D_DRIVER_TYPE_NULL`.
    #[doc(alias = "D3D_DRIVER_TYPE_NULL")]
    Null,
    /// Another driver, such as one that the verifier wraps.
    /// DXGI: `IDXGIFactory::CreateSoftwareAdapter`, which loads a module.
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

/// Names the packages that bring an adapter, for the error that says there is none.
const ADVICE: &str = if cfg!(target_arch = "wasm32") {
    "this browser has no WebGPU, or has it switched off"
} else {
    "install a Vulkan driver (on Debian and Ubuntu a software one comes with the packages mesa-vulkan-drivers and \
     libvulkan1), or use DriverType::Null"
};

/// The driver of a type.
pub(crate) fn driver(driver_type: &DriverType) -> Result<Arc<dyn Driver>, Error> {
    match driver_type {
        DriverType::Null => Ok(onze_null::driver()),
        DriverType::Custom(driver) => Ok(driver.clone()),
        #[cfg(feature = "wgpu")]
        DriverType::Hardware | DriverType::Software => Ok(onze_wgpu::driver()),
        #[cfg(not(feature = "wgpu"))]
        DriverType::Hardware | DriverType::Software => {
            Err(Error::Unsupported("this build has no driver for a GPU: enable the feature `wgpu`".into()))
        }
    }
}

/// Whether an adapter draws on the processor, and a GPU was asked for.
pub(crate) fn is_fallback(driver_type: &DriverType, adapter: &AdapterInfo) -> bool {
    matches!(driver_type, DriverType::Hardware) && adapter.kind == AdapterKind::Software
}

/// Picks the adapter of a type from those that its driver has, best first.
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
    fn only_hardware_that_was_not_found_is_a_fallback() {
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
