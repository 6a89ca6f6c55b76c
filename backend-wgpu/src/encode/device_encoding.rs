//! The state that all encoding threads of a device share.

use std::sync::Arc;

use crate::{
    encode::{
        compiler::Compilers,
        own_pipelines::OwnPipelines,
        parts::query_segments::{SegmentSet, SegmentSets},
    },
    objects::{DeviceObjects, query::Measure},
    services::gpu::Gpu,
};

pub(crate) struct DeviceEncoding {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) objects: Arc<DeviceObjects>,
    pub(crate) compilers: Arc<Compilers>,
    /// Sets of query segments that can be used again.
    pub(crate) segment_sets: SegmentSets,
    /// Pipelines that replace missing features of wgpu.
    pub(crate) own_pipelines: OwnPipelines,
}

impl DeviceEncoding {
    /// Creates the state without compiler threads, because those start with the workers.
    pub(crate) fn new(objects: &Arc<DeviceObjects>) -> Arc<Self> {
        let gpu = objects.gpu.clone();
        let compilers = Compilers::new(&gpu);
        Arc::new(Self {
            gpu,
            objects: objects.clone(),
            compilers,
            segment_sets: SegmentSets::default(),
            own_pipelines: OwnPipelines::default(),
        })
    }

    /// Returns a set of query segments, either a used one or a new one.
    pub(crate) fn take_segments(&self, measure: Measure) -> SegmentSet {
        self.segment_sets.take(&self.gpu.device, measure)
    }
}
