//! Adapters: the machines that can draw.

use std::sync::Arc;

use onze_ddi::{AdapterInfo, Driver};

use crate::{DriverType, loader};

/// A machine that a device can be created on. D3D11: `IDXGIAdapter1`.
#[doc(alias = "IDXGIAdapter1")]
#[derive(Clone)]
pub struct Adapter {
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) index: usize,
    info: AdapterInfo,
}

impl Adapter {
    /// Name, kind and driver. D3D11: `IDXGIAdapter1::GetDesc1`.
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

/// The GPUs and software adapters of this machine, best first; none where there is no driver.
///
/// D3D11: `IDXGIFactory1::EnumAdapters1`. The null driver is not among them: ask for it with
/// [`DriverType::Null`].
#[doc(alias = "EnumAdapters1")]
#[cfg(not(target_arch = "wasm32"))]
pub fn enumerate_adapters() -> Vec<Adapter> {
    pollster::block_on(enumerate_adapters_async())
}

/// As [`enumerate_adapters`], where nothing may block. D3D11: `IDXGIFactory1::EnumAdapters1`.
#[doc(alias = "EnumAdapters1")]
pub async fn enumerate_adapters_async() -> Vec<Adapter> {
    match loader::driver(&DriverType::Hardware) {
        Ok(driver) => adapters_of(&driver).await,
        Err(_) => Vec::new(),
    }
}

pub(crate) async fn adapters_of(driver: &Arc<dyn Driver>) -> Vec<Adapter> {
    let infos = driver.adapters().await;
    let adapter = |(index, info)| Adapter { driver: driver.clone(), index, info };
    infos.into_iter().enumerate().map(adapter).collect()
}
