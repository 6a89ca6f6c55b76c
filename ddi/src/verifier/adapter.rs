//! The verifier's adapter table, which checks the creation of devices.

use std::sync::{Arc, OnceLock};

use super::{
    breach::{BreachLog, Rule, ensure},
    callbacks::{WatchedDeviceCoreLayer, WatchedKernel},
    context::VerifiedTable,
    device::VerifiedDevice,
    watch::{ContextWatch, DeviceWatch},
};
use crate::{
    adapter::{AdapterFuncs, BoxFuture, CreateDeviceArgs, CreateDeviceError, CreatedDevice},
    callbacks::DeviceCoreLayer,
    forward::ForwardAdapter,
    version::DdiVersion,
};

pub(super) struct VerifiedAdapter {
    inner: Arc<dyn AdapterFuncs>,
    log: Arc<BreachLog>,
    /// The number of versions that the driver returned in its first call.
    versions: OnceLock<usize>,
}

impl VerifiedAdapter {
    pub(super) fn new(inner: Arc<dyn AdapterFuncs>, log: Arc<BreachLog>) -> Self {
        Self { inner, log, versions: OnceLock::new() }
    }

    fn check_args(&self, args: &CreateDeviceArgs) {
        let (entry, core) = ("create_device", Some(&*args.core));
        let mut versions = vec![0; self.inner.supported_versions(None)];
        self.inner.supported_versions(Some(&mut versions));
        let of_interface = versions.iter().map(|v| DdiVersion::from_packed(*v));
        let build = of_interface.filter(|v| v.interface == args.interface).map(|v| v.build).max();
        let details = || format!("{:#x} is not in {versions:x?}", args.interface);
        self.log.record(core, entry, ensure(build.is_some(), Rule::InterfaceListed, details));
        let older = build.is_none_or(|build| args.version <= build);
        let details = || format!("build {} is newer than {build:?}", args.version);
        self.log.record(core, entry, ensure(older, Rule::BuildListed, details));
        let levels = self.inner.pipeline_caps().feature_levels;
        let details = || format!("{:?} is not in {levels:?}", args.feature_level);
        let offered = levels.contains(&args.feature_level);
        self.log.record(core, entry, ensure(offered, Rule::LevelOffered, details));
        let announced = self.inner.threading_caps();
        let details = || format!("{:?} is more than {announced:?}", args.threading);
        self.log.record(core, entry, ensure(args.threading <= announced, Rule::ThreadingAnnounced, details));
    }
}

impl ForwardAdapter for VerifiedAdapter {
    type Inner = dyn AdapterFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn supported_versions(&self, versions: Option<&mut [u64]>) -> usize {
        let entry = "supported_versions";
        let room = versions.as_ref().map(|list| list.len());
        let count = self.inner.supported_versions(versions);
        let first = *self.versions.get_or_init(|| count);
        let same = ensure(count == first, Rule::SameCountTwice, || format!("{first}, then {count}"));
        self.log.record(None, entry, same);
        let fits = ensure(room.is_none_or(|room| room == first), Rule::RoomForAll, || {
            format!("{room:?} of {first}")
        });
        self.log.record(None, entry, fits);
        count
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        Box::pin(async move {
            self.check_args(&args);
            let watch = Arc::new(DeviceWatch::new(self.log.clone(), &args));
            let immediate = ContextWatch::new(watch.clone(), false);
            let core: Arc<dyn DeviceCoreLayer> =
                Arc::new(WatchedDeviceCoreLayer { inner: args.core.clone(), immediate: immediate.clone() });
            let kernel = Arc::new(WatchedKernel { inner: args.kernel.clone(), watch: watch.clone() });
            let created = self.inner.create_device(CreateDeviceArgs { kernel, core, ..args }).await?;
            immediate.set_private(&*created.immediate);
            Ok(CreatedDevice {
                funcs: Arc::new(VerifiedDevice::new(created.funcs, watch, immediate.clone())),
                immediate_funcs: Box::new(VerifiedTable {
                    inner: Arc::from(created.immediate_funcs),
                    watch: immediate,
                    number: 0,
                }),
                immediate: created.immediate,
            })
        })
    }
}
