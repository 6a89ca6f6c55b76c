//! Readback of query segments' counts from the GPU, after each submission with queries.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use onze_ddi::Fence;

use crate::encode::{DeviceEncoding, parts::query_segments::SegmentSet};

const WAITING: u8 = 0;
const ARRIVED: u8 = 1;
const FAILED: u8 = 2;

/// Submitted query segments, oldest first, with their fences and readback states.
#[derive(Debug, Default)]
pub(crate) struct SubmittedSegments(VecDeque<(Fence, SegmentSet, Arc<AtomicU8>)>);

impl SubmittedSegments {
    /// Requests the readback of segments that were just submitted, which completes during a later poll of the
    /// device.
    pub(crate) fn receive(&mut self, fence: Fence, segments: SegmentSet) {
        let state = Arc::new(AtomicU8::new(WAITING));
        let arrived = state.clone();
        segments.readback.map_async(wgpu::MapMode::Read, ..segments.bytes(), move |result| {
            arrived.store(if result.is_ok() { ARRIVED } else { FAILED }, Ordering::Release);
        });
        self.0.push_back((fence, segments, state));
    }

    /// Whether segments of the submission with this fence, or of an earlier one, have not arrived.
    pub(crate) fn waits_for(&self, fence: Fence) -> bool {
        self.0.front().is_some_and(|(oldest, ..)| *oldest <= fence)
    }

    /// Processes the counts that have arrived, in order, up to the first segments that have not arrived.
    pub(crate) fn count(&mut self, encoding: &DeviceEncoding) {
        while let Some((.., state)) = self.0.front() {
            let state = state.load(Ordering::Acquire);
            if state == WAITING {
                return;
            }
            let Some((_, mut segments, _)) = self.0.pop_front() else { return };
            let told = if state == FAILED { Err(()) } else { segments.tell() };
            let Ok(lost_patches) = told else {
                encoding.gpu.lose("the results of queries could not be read back");
                return;
            };
            if lost_patches > 0 {
                encoding.gpu.core.report_unsupported(
                    format!(
                        "{lost_patches} patches of indirect draws were not drawn: memory for patches is reserved for one \
                         instance of the bound indices or vertices, but the draws have more patches; draw fewer instances \
                         at once, or increase DeviceDesc::geometry_memory"
                    )
                    .into(),
                );
            }
            encoding.segment_sets.put(segments);
        }
    }
}
