//! Families: two sets of pipelines and bind group layouts, so that threads that encode at once use different ones.
//!
//! Where a pass sets a pipeline or a bind group, wgpu counts references to the pipeline and to the group's layout.
//! Threads that set the same ones pass these counts to and fro. A layout cannot be made twice, as wgpu takes
//! those with the same entries for one; so in the second family the first entry can be seen by compute shaders, too,
//! of which there are none.
//!
//! Every thread begins with the first family. One that is to use the second tries to do so with a draw's layout that
//! is in use for long. Where a pipeline is missing then, it is compiled while nobody waits, and the layout's draws are
//! made with the first family until it is there. So no draw waits for more pipelines than without families.

use std::sync::Arc;

use crate::services::gpu::Gpu;

use super::{
    Encoder, WorkerCaches,
    bind::Draws,
    compile::{Purpose, StoredPipeline},
    layout::{DrawLayout, GroupLayout, SharedStore},
    pipeline::{Compiled, PipelineKey},
};

/// Runs for which a layout must be known to be worth a second set of pipelines.
const LONG: u64 = 64;

/// Runs from one look at what is there to the next.
const LOOK: u64 = 8;

/// Layouts that are tried then at most, as each makes bind groups.
const AT_ONCE: usize = 8;

/// The layout of a draw, as an encoding thread knows it.
#[derive(Debug)]
pub(super) struct KnownLayout {
    first: Arc<DrawLayout>,
    /// Of the second family, once it was tried.
    second: Option<Arc<DrawLayout>>,
    uses_second: bool,
    /// What the second family lacked when it was tried.
    missing: Option<Arc<StoredPipeline>>,
    /// The run in which it became known; `u64::MAX` if there is nothing to try any more.
    since: u64,
}

impl KnownLayout {
    pub(super) fn new(layout: DrawLayout, run: u64) -> Self {
        let first = Arc::new(layout);
        Self { first, second: None, uses_second: false, missing: None, since: run }
    }

    /// What draws are made with.
    pub(super) fn now(&self) -> &Arc<DrawLayout> {
        self.second.as_ref().filter(|_| self.uses_second).unwrap_or(&self.first)
    }

    /// Whether the second family may be tried in a run.
    fn is_due(&mut self, run: u64) -> bool {
        if self.uses_second || self.since.saturating_add(LONG) > run {
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

impl SharedStore {
    /// The same layout in the second family; `None` if it binds nothing, and so is the same in both.
    fn second(&self, gpu: &Gpu, first: &DrawLayout) -> Option<DrawLayout> {
        let twin = |group: &GroupLayout| {
            let mut entries = group.entries.to_vec();
            entries.iter_mut().take(1).for_each(|entry| entry.visibility |= wgpu::ShaderStages::COMPUTE);
            self.group(gpu, entries)
        };
        let second =
            DrawLayout { groups: first.groups.each_ref().map(twin), constants: first.constants.clone() };
        (second.ids() != first.ids()).then_some(second)
    }
}

impl WorkerCaches {
    /// Before a run: tries the second family with some of what is known for long and lacks nothing that is known.
    pub(super) fn try_second_family(&mut self, gpu: &Gpu) {
        if !self.is_second_family || !self.runs.is_multiple_of(LOOK) {
            return;
        }
        let run = self.runs;
        let mut has_changed = false;
        for known in
            self.layouts.values_mut().filter_map(|known| known.is_due(run).then_some(known)).take(AT_ONCE)
        {
            if known.second.is_none() {
                known.second = self.shared.second(gpu, &known.first).map(Arc::new);
            }
            known.uses_second = known.second.is_some();
            known.missing = None;
            if !known.uses_second {
                known.since = u64::MAX;
            }
            has_changed |= known.uses_second;
        }
        if has_changed {
            // It has bind groups of the first family.
            self.resources.clear();
        }
    }

    /// Whether any draw is made with the second family.
    #[cfg(test)]
    pub(super) fn uses_second_family(&mut self) -> bool {
        self.layouts.values_mut().any(|known| known.uses_second)
    }
}

impl Encoder<'_> {
    fn known_layout(&mut self) -> Option<&mut KnownLayout> {
        self.caches.layouts.get_mut(self.groups.layout?)
    }

    /// The layout of a draw that is made with the second family.
    pub(super) fn second_family(&mut self) -> Option<Arc<DrawLayout>> {
        self.known_layout().filter(|known| known.uses_second).map(|known| known.now().clone())
    }

    /// A pipeline of the second family. If it is not there, it is compiled for draws to come, and the bind groups are
    /// of the first family from now on: then the draw's key is another one.
    pub(super) fn pipeline_of_second_family(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Option<Compiled> {
        let stored = self.find_or_begin(key, layout, Purpose::SecondFamily);
        let compiled = stored.compiled().cloned();
        if compiled.is_none() {
            if let Some(known) = self.known_layout() {
                known.uses_second = false;
                known.missing = Some(stored);
            }
            self.caches.resources.clear();
            self.state.bindings.resources_dirty = true;
            self.resolve_groups::<Draws>();
        }
        compiled
    }

    /// Has the pipelines made that a draw would need, in both families if it uses the second.
    pub(super) fn prepare_families(&mut self, key: &PipelineKey) {
        let Some(first) = self.known_layout().map(|known| known.first.clone()) else { return };
        self.find_or_begin(&key.with_layout(first.ids()), &first, Purpose::Preparation);
        if let Some(second) = self.second_family() {
            self.find_or_begin(key, &second, Purpose::SecondFamily);
        }
    }
}
