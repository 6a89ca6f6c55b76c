//! The pipelines of the draws of a stretch.

use crate::encode::{encoder::Encoder, parts::ready::DrawChange};

impl Encoder<'_> {
    /// Binds the pipeline of the bound shaders and state objects. Returns `false` if this worker does not know the
    /// pipeline, or if more than the pipeline has changed.
    ///
    /// The vertex shader and the setting are those of the last pipeline, so the vertex buffers are read as before.
    #[inline(never)]
    pub(super) fn bind_known_pipeline(&mut self) -> bool {
        let is_other = self.state.setting_dirty || self.state.area_dirty;
        if is_other || self.ready.changed() != DrawChange::Nothing {
            return false;
        }
        let Some((key, place)) = self.find_known_pipeline() else { return false };
        if self.compiled(Some(place)).is_none() {
            return false;
        }
        self.state.pipeline_dirty = false;
        self.pipeline.set(Some((key, place)));
        self.bind_pipeline();
        true
    }
}
