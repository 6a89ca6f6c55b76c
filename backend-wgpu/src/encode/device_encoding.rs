//! What all threads that encode for a device share.

use std::sync::Arc;

use crossbeam_queue::SegQueue;

use crate::{objects::DeviceObjects, services::gpu::Gpu};

use super::{compiler::Compilers, query_parts::PartSet};

/// What all threads that encode for a device share.
pub(crate) struct DeviceEncoding {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) objects: Arc<DeviceObjects>,
    /// Who compiles pipelines.
    pub(crate) compilers: Arc<Compilers>,
    /// Room for the parts of queries that waits to be used again.
    pub(crate) part_sets: SegQueue<PartSet>,
}

impl DeviceEncoding {
    /// Without threads that compile.
    pub(crate) fn new(objects: &Arc<DeviceObjects>) -> Arc<Self> {
        let gpu = objects.gpu.clone();
        let compilers = Compilers::new(&gpu);
        Arc::new(Self { gpu, objects: objects.clone(), compilers, part_sets: SegQueue::new() })
    }

    /// Room for the parts of queries: a used one, or a new one.
    pub(crate) fn take_parts(&self) -> PartSet {
        self.part_sets.pop().unwrap_or_else(|| PartSet::new(&self.gpu.device))
    }
}
