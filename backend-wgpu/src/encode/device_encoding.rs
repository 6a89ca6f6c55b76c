//! The state that all encoding threads of a device share.

use std::sync::Arc;

use crate::{
    encode::{
        compiler::Compilers,
        own_pipelines::OwnPipelines,
        parts::{
            multi_draw::{DrawArguments, MultiDraws, SpareArguments},
            query_segments::{SegmentSet, SegmentSets},
        },
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
    /// Buffers for the arguments of multi-draws, or `None` if the device makes none.
    arguments: Option<Arc<SpareArguments>>,
    /// Pipelines that replace missing features of wgpu.
    pub(crate) own_pipelines: OwnPipelines,
}

impl DeviceEncoding {
    /// Creates the state without compiler threads, because those start with the workers.
    pub(crate) fn new(objects: &Arc<DeviceObjects>) -> Arc<Self> {
        let gpu = objects.gpu.clone();
        let compilers = Compilers::new(&gpu);
        let arguments = gpu.policy.multi_draw.map(|_| Arc::new(SpareArguments::new(&gpu.device)));
        Arc::new(Self {
            gpu,
            objects: objects.clone(),
            compilers,
            segment_sets: SegmentSets::default(),
            arguments,
            own_pipelines: OwnPipelines::default(),
        })
    }

    /// Returns the multi-draws of a new run.
    pub(crate) fn multi_draws(&self) -> MultiDraws {
        let means = self.arguments.as_ref().zip(self.gpu.policy.multi_draw);
        means.map_or_else(MultiDraws::default, |(spare, policy)| MultiDraws::new(spare, policy))
    }

    /// Takes back the arguments of multi-draws that were submitted.
    pub(crate) fn put_arguments(&self, used: Vec<DrawArguments>) {
        if let Some(spare) = &self.arguments {
            used.into_iter().for_each(|arguments| spare.put(arguments));
        }
    }

    /// Drops the buffers and query sets that no run uses.
    pub(crate) fn trim(&self) {
        self.segment_sets.trim();
        self.arguments.iter().for_each(|spare| spare.trim());
    }

    /// Returns a set of query segments, either a used one or a new one.
    pub(crate) fn take_segments(&self, measure: Measure) -> SegmentSet {
        self.segment_sets.take(&self.gpu.device, measure)
    }
}
