//! A driver wrapper that fails on request: an allocation runs out of memory, or the device is lost.

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use onze::ddi::{
    AdapterFuncs, AllocateArgs, Allocation, BoxFuture, CreateDeviceArgs, CreateDeviceError, CreatedDevice,
    DeviceCoreLayer, Driver, Features, Fence, KernelCallbacks, OpenAdapterArgs, OpenAdapterError,
    OutOfMemory, PipelineCaps,
    forward::{ForwardAdapter, ForwardDriver},
};

/// The requested faults of a driver, shared by all clones.
#[derive(Clone, Default)]
pub struct Faults {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    asked: AtomicU64,
    /// The number of the allocation that fails, counted from 1, or 0 if none fails.
    failing: AtomicU64,
    /// Number of allocations that were granted and have not been returned.
    outstanding: AtomicU64,
    missing: AtomicU64,
    core: Mutex<Option<Arc<dyn DeviceCoreLayer>>>,
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faults").field("asked", &self.asked()).finish_non_exhaustive()
    }
}

impl Faults {
    /// Wraps a driver so that it fails as requested through this object before or after this call.
    pub fn driver(&self, inner: Arc<dyn Driver>) -> Arc<dyn Driver> {
        Arc::new(FaultyDriver { inner, faults: self.clone() })
    }

    /// Returns how many allocations of GPU memory the wrapped driver has requested.
    pub fn asked(&self) -> u64 {
        self.shared.asked.load(Ordering::SeqCst)
    }

    /// Returns how many granted allocations the driver has not returned, so any number but 0 is a leak once
    /// all objects are destroyed.
    pub fn outstanding(&self) -> u64 {
        self.shared.outstanding.load(Ordering::SeqCst)
    }

    /// Makes one allocation fail: the one that follows the next `before` allocations.
    pub fn fail_after(&self, before: u64) {
        self.shared.failing.store(self.asked() + before + 1, Ordering::SeqCst);
    }

    /// Removes features from the capabilities of devices that are created after this call.
    pub fn take_away(&self, features: Features) {
        self.shared.missing.store(features.bits(), Ordering::SeqCst);
    }

    /// Reports that the most recently created device is lost, and may be called on any thread.
    ///
    /// # Panics
    /// Panics if no device has been created yet.
    pub fn lose_device(&self, reason: impl Into<Cow<'static, str>>) {
        let core = self.shared.core.lock().unwrap_or_else(PoisonError::into_inner).clone();
        core.expect("there is a device").device_removed(reason.into());
    }
}

struct FaultyDriver {
    inner: Arc<dyn Driver>,
    faults: Faults,
}

impl ForwardDriver for FaultyDriver {
    type Inner = dyn Driver;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        Box::pin(async {
            let inner = self.inner.open_adapter(args).await?;
            Ok(Arc::new(FaultyAdapter { inner, faults: self.faults.clone() }) as Arc<dyn AdapterFuncs>)
        })
    }
}

struct FaultyAdapter {
    inner: Arc<dyn AdapterFuncs>,
    faults: Faults,
}

impl ForwardAdapter for FaultyAdapter {
    type Inner = dyn AdapterFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn pipeline_caps(&self) -> PipelineCaps {
        let mut caps = self.inner.pipeline_caps();
        let missing = self.faults.shared.missing.load(Ordering::SeqCst);
        caps.features.remove(Features::from_bits_truncate(missing as _));
        caps
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        let core = args.core.clone();
        *self.faults.shared.core.lock().unwrap_or_else(PoisonError::into_inner) = Some(core);
        let kernel = Arc::new(FaultyKernel { inner: args.kernel.clone(), faults: self.faults.clone() });
        self.inner.create_device(CreateDeviceArgs { kernel, ..args })
    }
}

struct FaultyKernel {
    inner: Arc<dyn KernelCallbacks>,
    faults: Faults,
}

impl KernelCallbacks for FaultyKernel {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        let shared = &self.faults.shared;
        if shared.asked.fetch_add(1, Ordering::SeqCst) + 1 == shared.failing.load(Ordering::SeqCst) {
            return Err(OutOfMemory);
        }
        let allocation = self.inner.allocate(args)?;
        shared.outstanding.fetch_add(1, Ordering::SeqCst);
        Ok(allocation)
    }

    fn deallocate(&self, allocation: Allocation) {
        self.faults.shared.outstanding.fetch_sub(1, Ordering::SeqCst);
        self.inner.deallocate(allocation);
    }

    fn signal(&self, fence: Fence) {
        self.inner.signal(fence);
    }

    fn signalled(&self) -> Fence {
        self.inner.signalled()
    }
}
