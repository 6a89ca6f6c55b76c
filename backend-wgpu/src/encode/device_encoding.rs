//! The state that all encoding threads of a device share.

use std::sync::Arc;

use crossbeam_queue::SegQueue;

use crate::{objects::DeviceObjects, services::gpu::Gpu};

use super::{compiler::Compilers, query_segments::SegmentSet};

/// What all threads that encode for a device share.
pub(crate) struct DeviceEncoding {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) objects: Arc<DeviceObjects>,
    /// Who compiles pipelines.
    pub(crate) compilers: Arc<Compilers>,
    /// Room for the segments of queries that waits to be used again.
    pub(crate) segment_sets: SegQueue<SegmentSet>,
}

impl DeviceEncoding {
    /// Without threads that compile.
    pub(crate) fn new(objects: &Arc<DeviceObjects>) -> Arc<Self> {
        let gpu = objects.gpu.clone();
        let compilers = Compilers::new(&gpu);
        Arc::new(Self { gpu, objects: objects.clone(), compilers, segment_sets: SegQueue::new() })
    }

    /// Room for the segments of queries: a used one, or a new one.
    pub(crate) fn take_segments(&self) -> SegmentSet {
        self.segment_sets.pop().unwrap_or_else(|| SegmentSet::new(&self.gpu.device))
    }
}
