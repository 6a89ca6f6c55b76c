//! The loader: the one place that names driver crates.

use std::sync::Arc;

use onze_ddi::{AdapterInfo, AdapterKind, Driver};

use crate::Error;

/// Who draws. D3D11: `D3D_DRIVER_TYPE`.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum DriverType {
    /// The best GPU; the software adapter where there is none. `D3D_DRIVER_TYPE_HARDWARE`, except that
    /// it falls back: ask [`Device::adapter`](crate::Device::adapter) what was found.
    #[default]
    Hardware,
    /// An adapter that draws on the processor, such as lavapipe or WARP. `D3D_DRIVER_TYPE_WARP`.
    Software,
    /// Nothing is drawn: for tests without a GPU, and to measure the runtime alone.
    /// `D3D_DRIVER_TYPE_NULL`.
    Null,
    /// Another driver, such as one that the verifier wraps.
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
const ADVICE: &str = "install a Vulkan driver (on Debian and Ubuntu a software one comes with the packages \
    mesa-vulkan-drivers and libvulkan1), or use DriverType::Null";

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
