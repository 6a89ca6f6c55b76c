//! Device state for submissions, which the immediate context and the device table share.

use std::sync::Arc;

use crate::{
    encode::DeviceEncoding, objects::DeviceObjects, record::graveyard::Graveyard, services::gpu::Gpu,
};

use super::{run::RunLength, statistics::DeviceCounters};

pub(crate) struct DeviceSubmission {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) objects: Arc<DeviceObjects>,
    pub(crate) encoding: Arc<DeviceEncoding>,
    pub(crate) graveyard: Graveyard,
    pub(crate) run_length: RunLength,
    /// Number of encoding threads to start, although the system may provide fewer.
    pub(crate) workers: u32,
    pub(crate) counters: DeviceCounters,
}

impl DeviceSubmission {
    pub(crate) fn new(encoding: &Arc<DeviceEncoding>, run_length: RunLength, workers: u32) -> Arc<Self> {
        Arc::new(Self {
            gpu: encoding.gpu.clone(),
            objects: encoding.objects.clone(),
            encoding: encoding.clone(),
            graveyard: Graveyard::default(),
            run_length,
            workers,
            counters: DeviceCounters::default(),
        })
    }

    /// Retires destroyed objects on the immediate context's thread, after submissions and in every flush.
    pub(crate) fn retire_destroyed(&self) {
        self.objects.allocator.forget_dropped();
        self.objects.allocator.sweep();
        self.graveyard.retire();
    }
}
