//! The driver and its single adapter, whose capabilities a test can choose.

use std::{future::ready, sync::Arc};

use onze_ddi::{
    AdapterFuncs, AdapterInfo, AdapterKind, BoxFuture, CreateDeviceArgs, CreateDeviceError, CreatedDevice,
    DdiVersion, Driver, HardwareInfo, OpenAdapterArgs, OpenAdapterError, PipelineCaps, ThreadingCaps,
};

use crate::{
    caps,
    context::Context,
    device::{Device, NullDevice},
    immediate::{Immediate, ImmediateState},
    page::Page,
};

/// The driver, with its reported capabilities, which tests can reduce to check how a runtime handles limited
/// drivers.
#[derive(Clone, Debug)]
pub struct NullDriver {
    /// The versions that the driver lists, in this order, so that the runtime can choose one.
    pub versions: Vec<DdiVersion>,
    /// The concurrency that the driver reports to the runtime.
    pub threading: ThreadingCaps,
    /// Maximum number of commands in a recording of a deferred context, or `None` for no limit. A recording
    /// that exceeds the limit is lost with [`onze_ddi::ContextError::OutOfMemory`].
    pub recording_budget: Option<u32>,
}

impl Default for NullDriver {
    fn default() -> Self {
        Self {
            versions: DdiVersion::ALL.to_vec(),
            threading: ThreadingCaps::CommandLists,
            recording_budget: None,
        }
    }
}

impl Driver for NullDriver {
    fn name(&self) -> &str {
        "null"
    }

    fn adapters(&self) -> BoxFuture<'_, Vec<AdapterInfo>> {
        Box::pin(ready(vec![AdapterInfo {
            name: "Onze null driver".into(),
            kind: AdapterKind::Null,
            driver: "null".into(),
            vendor: 0,
            device: 0,
            luid: 1,
        }]))
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        // The window is ignored, because a present succeeds for any window.
        Box::pin(ready(if args.adapter == 0 {
            let hardware = args.callbacks.query_adapter_info();
            Ok(Arc::new(NullAdapter { driver: self.clone(), hardware }) as _)
        } else {
            Err(OpenAdapterError("the null driver has only one adapter".into()))
        }))
    }
}

struct NullAdapter {
    driver: NullDriver,
    hardware: HardwareInfo,
}

impl AdapterFuncs for NullAdapter {
    fn supported_versions(&self, versions: Option<&mut [u64]>) -> usize {
        if let Some(versions) = versions {
            for (to, version) in versions.iter_mut().zip(&self.driver.versions) {
                *to = version.packed();
            }
        }
        self.driver.versions.len()
    }

    fn threading_caps(&self) -> ThreadingCaps {
        self.driver.threading
    }

    fn pipeline_caps(&self) -> PipelineCaps {
        caps::pipeline_caps(self.hardware.memory_budget)
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        // A runtime that requests an interface that was not listed has a bug. The bug is easier to find if it
        // is reported here than if the runtime gets a device that it only partly understands. The code below
        // does not depend on the interface, because 11.1 is a superset of 11.0.
        if !self.driver.versions.iter().any(|v| v.interface == args.interface) {
            return Box::pin(ready(Err(CreateDeviceError::UnsupportedInterface(args.interface))));
        }
        let device = Arc::new(Device::new(&args, self.driver.recording_budget));
        Box::pin(ready(Ok(CreatedDevice {
            funcs: Arc::new(NullDevice(device.clone())),
            immediate_funcs: Box::new(Context(Immediate(device))),
            immediate: Box::new(ImmediateState { page: Page::default(), submission: 1 }),
        })))
    }
}
