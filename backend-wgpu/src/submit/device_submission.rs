//! The state that the immediate context and the device table share.

use std::sync::Arc;

use crate::{
    encode::DeviceEncoding, objects::DeviceObjects, record::graveyard::Graveyard, services::gpu::Gpu,
};

use super::{run::RunLength, statistics::Counters};

/// What the immediate context and the device table share.
pub(crate) struct DeviceSubmission {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) objects: Arc<DeviceObjects>,
    pub(crate) encoding: Arc<DeviceEncoding>,
    /// Objects that were destroyed and not yet retired.
    pub(crate) graveyard: Graveyard,
    /// How long runs are.
    pub(crate) run_length: RunLength,
    /// Threads that are to encode; 0 for none. There may be fewer.
    pub(crate) workers: u32,
    /// What was done so far.
    pub(crate) counters: Counters,
}

impl DeviceSubmission {
    /// For a device that has submitted nothing.
    pub(crate) fn new(encoding: &Arc<DeviceEncoding>, run_length: RunLength, workers: u32) -> Arc<Self> {
        Arc::new(Self {
            gpu: encoding.gpu.clone(),
            objects: encoding.objects.clone(),
            encoding: encoding.clone(),
            graveyard: Graveyard::default(),
            run_length,
            workers,
            counters: Counters::default(),
        })
    }

    /// Retires what was destroyed. Called after submissions and by every flush, on the immediate
    /// context's thread.
    pub(crate) fn retire_destroyed(&self) {
        self.objects.allocator.forget_dropped();
        self.objects.allocator.sweep();
        self.graveyard.retire();
    }
}
