//! Layouts of draws, as an encoding thread knows them: the primary layout, its replica, and the layout by
//! index.

use std::sync::Arc;

use crate::{
    encode::parts::{
        draw_path::DrawPath,
        layouts::{DYNAMIC_OFFSETS, DrawLayout},
        pipelines::CompiledPipeline,
        stored_pipelines::StoredPipeline,
    },
    services::policy::ByIndexPolicy,
};

/// The layouts of a draw with the same shaders and resources.
#[derive(Debug)]
pub(crate) struct KnownLayout {
    pub(crate) primary: Arc<DrawLayout>,
    pub(crate) replica: Option<Arc<DrawLayout>>,
    pub(crate) uses_replica: bool,
    /// The pipeline that the replica lacked when it was tried.
    pub(crate) missing: Option<Arc<StoredPipeline<CompiledPipeline>>>,
    /// The run in which the layout became known, or `u64::MAX` if its replica must not be tried.
    pub(crate) since: u64,
    /// Observations of the layout's draws, which determine the plan of the layout by index.
    pub(crate) learning: LayoutHistory,
}

impl KnownLayout {
    pub(crate) fn new(layout: DrawLayout, run: u64) -> Self {
        let primary = Arc::new(layout);
        let learning = LayoutHistory::default();
        Self { primary, replica: None, uses_replica: false, missing: None, since: run, learning }
    }

    /// Stores the result of a plan, and returns whether the layout gets a layout by index and used its
    /// replica until now.
    pub(crate) fn learned(&mut self, learned: Result<Arc<DrawLayout>, DrawPath>) -> bool {
        let is_new = learned.is_ok();
        self.learning.learned = Some(learned);
        is_new && std::mem::take(&mut self.uses_replica)
    }

    /// Returns the layout that draws use if they do not use the layout by index.
    pub(crate) fn now(&self) -> &Arc<DrawLayout> {
        self.replica.as_ref().filter(|_| self.uses_replica).unwrap_or(&self.primary)
    }

    /// Returns whether the replica may be tried in a run.
    pub(crate) fn is_due(&mut self, run: u64, after_runs: u64) -> bool {
        // The layout by index has no replica, and it binds the resources like the primary layout.
        if self.uses_replica
            || self.learning.layout().is_some()
            || self.since.saturating_add(after_runs) > run
        {
            return false;
        }
        match self.missing.as_ref().map(|missing| missing.get()) {
            None | Some(Some(Ok(_))) => true,
            Some(None) => false,
            Some(Some(Err(_))) => {
                // The pipeline was refused, so the replica is not tried again.
                self.since = u64::MAX;
                self.missing = None;
                false
            }
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct LayoutHistory {
    /// Bit n: dynamic offset n has changed between two draws.
    pub(crate) moved: u32,
    pub(crate) buffers: [u64; DYNAMIC_OFFSETS],
    pub(crate) last: [u32; DYNAMIC_OFFSETS],
    /// The differences between the last draw's offsets and those before.
    pub(crate) deltas: [u32; DYNAMIC_OFFSETS],
    /// Number of observed draws whose constants had other offsets than in the draw before.
    pub(crate) draws: u32,
    /// Number of consecutive draws with the same differences.
    pub(crate) even: u32,
    /// The result of the plan: the layout by index, or the reason why there is none.
    pub(crate) learned: Option<Result<Arc<DrawLayout>, DrawPath>>,
    /// Number of plans that proved wrong, which limits the number of further plans.
    pub(crate) plans: u8,
    /// The pipeline by index that was not ready when a draw needed it.
    pub(crate) missing: Option<Arc<StoredPipeline<CompiledPipeline>>>,
}

impl LayoutHistory {
    /// Returns the offsets, one bit each, that differ from those of the last draw and are in the same
    /// buffers.
    pub(crate) fn moves(&mut self, buffers: &[u64], offsets: &[u32]) -> u32 {
        let mut moved = 0;
        let before = self.buffers.iter_mut().zip(&mut self.last);
        for (at, ((buffer, last), (now, offset))) in before.zip(buffers.iter().zip(offsets)).enumerate() {
            if *buffer == *now {
                moved |= u32::from(*last != *offset) << at;
            } else {
                (*buffer, *last) = (*now, *offset);
            }
        }
        moved
    }

    /// Records a draw whose constants have other offsets than those of the previous draw, and returns whether
    /// enough draws were observed for a plan. `follows` states that no draw with another layout came between
    /// the two.
    pub(crate) fn note(
        &mut self,
        moved: u32,
        offsets: &[u32],
        follows: bool,
        policy: &ByIndexPolicy,
    ) -> bool {
        let mut deltas = [0; DYNAMIC_OFFSETS];
        for (at, (delta, (now, last))) in
            deltas.iter_mut().zip(offsets.iter().zip(&mut self.last)).enumerate()
        {
            if moved & 1 << at != 0 {
                *delta = now.wrapping_sub(*last);
            }
            *last = *now;
        }
        self.even = if follows && deltas == self.deltas { self.even + 1 } else { 0 };
        self.deltas = deltas;
        self.moved |= moved;
        self.draws += 1;
        let is_even = self.even >= policy.draws / 2;
        self.draws >= if is_even { policy.draws } else { 8 * policy.draws }
    }

    /// Returns the layout by index, unless a pipeline that it lacks is still being compiled or was refused.
    pub(crate) fn ready(&mut self) -> Option<&Arc<DrawLayout>> {
        match self.missing.as_ref().map(|missing| missing.get()) {
            None => {}
            Some(None) => return None,
            Some(Some(Ok(_))) => self.missing = None,
            Some(Some(Err(_))) => {
                self.missing = None;
                self.learned = Some(Err(DrawPath::SwitchedOff));
            }
        }
        self.learned.as_ref()?.as_ref().ok()
    }

    pub(crate) fn layout(&self) -> Option<&Arc<DrawLayout>> {
        self.learned.as_ref()?.as_ref().ok()
    }

    /// Returns the path under which draws with the primary layout are counted.
    pub(crate) fn way(&self) -> DrawPath {
        match self.learned {
            Some(Err(way)) => way,
            Some(Ok(_)) | None => DrawPath::Alone,
        }
    }
}
