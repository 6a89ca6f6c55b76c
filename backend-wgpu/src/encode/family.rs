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

use crate::{device::Device, shader::GROUPS};

use super::{
    Encoder, WorkerCaches,
    compile::{Purpose, StoredPipeline},
    layout::{DrawLayout, GroupLayout, SharedStore},
    pipeline::PipelineKey,
};

/// Runs after which a layout that is in use is worth a second set of pipelines.
const LONG: u64 = 64;

/// Runs from one look at what is there to the next.
const LOOK: u64 = 8;

/// The layout of a draw, as an encoding thread knows it.
#[derive(Debug)]
pub(super) struct KnownLayout {
    /// What draws are made with: the first family's, or the second's.
    pub(super) now: Arc<DrawLayout>,
    first: Arc<DrawLayout>,
    /// What the second family lacked when it was tried.
    missing: Option<Arc<StoredPipeline>>,
    /// The run from which on it is known; never if there is nothing to try.
    since: u64,
}

impl KnownLayout {
    pub(super) fn new(layout: DrawLayout, run: u64) -> Self {
        let first = Arc::new(layout);
        Self { now: first.clone(), first, missing: None, since: run }
    }

    fn is_second(&self) -> bool {
        !Arc::ptr_eq(&self.now, &self.first)
    }
}

impl SharedStore {
    /// The same layout in the second family; `None` if it binds nothing, and so is the same in both.
    fn second(&self, device: &Device, first: &DrawLayout) -> Option<DrawLayout> {
        let twin = |group: &GroupLayout| {
            let mut entries = group.entries.to_vec();
            entries.iter_mut().take(1).for_each(|entry| entry.visibility |= wgpu::ShaderStages::COMPUTE);
            self.group(device, entries)
        };
        let second =
            DrawLayout { groups: first.groups.each_ref().map(twin), constants: first.constants.clone() };
        (second.ids() != first.ids()).then_some(second)
    }
}

impl WorkerCaches {
    /// Before a run: tries the second family with what is in use for long and does not lack anything known.
    pub(super) fn try_second_family(&mut self, device: &Device) {
        if !self.is_second_family || !self.runs.is_multiple_of(LOOK) {
            return;
        }
        let mut has_changed = false;
        for known in self.layouts.values_mut().filter(|known| !known.is_second()) {
            let is_old = known.since.saturating_add(LONG) <= self.runs;
            if is_old && known.missing.as_ref().is_none_or(|missing| missing.is_there()) {
                match self.shared.second(device, &known.first) {
                    Some(second) => known.now = Arc::new(second),
                    None => known.since = u64::MAX,
                }
                has_changed |= known.is_second();
            }
        }
        if has_changed {
            // It has bind groups of the first family.
            self.resources.clear();
        }
    }

    /// Whether any draw is made with the second family.
    #[cfg(test)]
    pub(super) fn uses_second_family(&mut self) -> bool {
        self.layouts.values_mut().any(|known| known.is_second())
    }
}

impl Encoder<'_> {
    fn known_layout(&mut self) -> Option<&mut KnownLayout> {
        self.caches.layouts.get_mut(self.groups.layout?)
    }

    /// Whether the family of the draw's layout has a pipeline. If not, it is compiled for draws to come, and the bind
    /// groups are of the first family from now on: then the draw's key is another one.
    pub(super) fn has_family(&mut self, key: &PipelineKey) -> bool {
        let second = self.known_layout().filter(|known| known.is_second()).map(|known| known.now.clone());
        let Some(layout) = second else { return true };
        let stored = self.find_or_begin(key, &layout, Purpose::SecondFamily);
        if stored.is_there() {
            return true;
        }
        if let Some(known) = self.known_layout() {
            known.now = known.first.clone();
            known.missing = Some(stored);
        }
        self.caches.resources.clear();
        self.state.resources_dirty = true;
        self.resolve_groups();
        false
    }

    /// Has the pipelines made that a draw would need, in both families if it uses the second.
    pub(super) fn prepare_families(&mut self, key: &PipelineKey) {
        let Some(known) = self.known_layout() else { return };
        let (now, first) = (known.now.clone(), known.first.clone());
        self.find_or_begin(&key.with_layout(first.ids()), &first, Purpose::Preparation);
        if !Arc::ptr_eq(&now, &first) {
            self.find_or_begin(key, &now, Purpose::SecondFamily);
        }
    }
}

/// Numbers of a draw's bind group layouts.
pub(super) type LayoutIds = [u32; GROUPS];
