//! Layouts of draws as an encoding thread knows them: the primary layout, its replica, and the layout by index.

use std::sync::Arc;

use crate::{
    encode::parts::{
        layouts::{DYNAMIC_OFFSETS, DrawLayout},
        pipelines::CompiledPipeline,
        plans::DrawPath,
        stored_pipelines::StoredPipeline,
    },
    services::policy::ByIndexPolicy,
};

/// The layout of a draw, as an encoding thread knows it.
#[derive(Debug)]
pub(in crate::encode) struct KnownLayout {
    pub(in crate::encode) primary: Arc<DrawLayout>,
    /// The replica, once it was tried.
    pub(in crate::encode) replica: Option<Arc<DrawLayout>>,
    pub(in crate::encode) uses_replica: bool,
    /// The pipeline that the replica lacked when it was tried.
    pub(in crate::encode) missing: Option<Arc<StoredPipeline<CompiledPipeline>>>,
    /// The run in which it became known; `u64::MAX` if there is nothing to try any more.
    pub(in crate::encode) since: u64,
    /// What is known of draws by index.
    pub(in crate::encode) learning: LayoutHistory,
}

impl KnownLayout {
    pub(in crate::encode) fn new(layout: DrawLayout, run: u64) -> Self {
        let primary = Arc::new(layout);
        let learning = LayoutHistory::default();
        Self { primary, replica: None, uses_replica: false, missing: None, since: run, learning }
    }

    /// Has the second form from now on; whether the replica was in use till then.
    pub(in crate::encode) fn learned(&mut self, learned: Result<Arc<DrawLayout>, DrawPath>) -> bool {
        let is_new = learned.is_ok();
        self.learning.learned = Some(learned);
        is_new && std::mem::take(&mut self.uses_replica)
    }

    /// What draws are made with.
    pub(in crate::encode) fn now(&self) -> &Arc<DrawLayout> {
        self.replica.as_ref().filter(|_| self.uses_replica).unwrap_or(&self.primary)
    }

    /// Whether the replica may be tried in a run.
    pub(in crate::encode) fn is_due(&mut self, run: u64, after_runs: u64) -> bool {
        // The second form has no replica, and binds the resources as the first one.
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
                // It will not be there.
                self.since = u64::MAX;
                self.missing = None;
                false
            }
        }
    }
}

/// What is known of a layout's draws.
#[derive(Debug, Default)]
pub(in crate::encode) struct LayoutHistory {
    /// Which dynamic offsets have changed between two draws, bit by place.
    pub(in crate::encode) moved: u32,
    /// The wgpu buffers of the last draw.
    pub(in crate::encode) buffers: [u64; DYNAMIC_OFFSETS],
    /// Its offsets, and by how much they differed from those before.
    pub(in crate::encode) last: [u32; DYNAMIC_OFFSETS],
    pub(in crate::encode) deltas: [u32; DYNAMIC_OFFSETS],
    /// Draws that changed offsets; those at the end of which the differences were the same.
    pub(in crate::encode) draws: u32,
    pub(in crate::encode) even: u32,
    /// What was learned: the layout of the second form, or why there is none.
    pub(in crate::encode) learned: Option<Result<Arc<DrawLayout>, DrawPath>>,
    /// Plans that turned out wrong.
    pub(in crate::encode) plans: u8,
    /// The pipeline that was missing when it was tried.
    pub(in crate::encode) missing: Option<Arc<StoredPipeline<CompiledPipeline>>>,
}

impl LayoutHistory {
    /// Which offsets differ from those of the last draw, in the same buffers.
    pub(in crate::encode) fn moves(&mut self, buffers: &[u64], offsets: &[u32]) -> u32 {
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

    /// Notes a draw whose constants lie elsewhere than those of the draw before; `follows` says that no other shaders came
    /// between the two. True if that is enough to know.
    pub(in crate::encode) fn note(
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

    /// The layout of the second form, if its pipelines may be there.
    pub(in crate::encode) fn ready(&mut self) -> Option<&Arc<DrawLayout>> {
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

    /// The layout of the second form.
    pub(in crate::encode) fn layout(&self) -> Option<&Arc<DrawLayout>> {
        self.learned.as_ref()?.as_ref().ok()
    }

    /// How draws in the first form are counted.
    pub(in crate::encode) fn way(&self) -> DrawPath {
        match self.learned {
            Some(Err(way)) => way,
            Some(Ok(_)) | None => DrawPath::Alone,
        }
    }
}
