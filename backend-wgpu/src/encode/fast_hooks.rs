//! The traits by which the encoder's core calls its mechanisms for speed.
//!
//! Each trait has one file in [`super::fast`], which implements it for the encoder. The core imports only the traits,
//! and its results are the same without the mechanisms.

use std::sync::Arc;

use crate::{
    encode::parts::{
        accesses::AccessRange,
        layouts::{DYNAMIC_OFFSETS, DrawLayout},
        page_objects::PageObjects,
        pipelines::{CompiledPipeline, PipelineKey},
        plans::DrawPath,
        vertices::DrawArea,
    },
    record::run_page::RunPage,
};

/// Draws of command lists that are recorded into render bundles.
pub(in crate::encode) trait Bundling<'r> {
    /// Encodes the commands of a page, from its bundles if it has them.
    fn encode_commands(&mut self, run_page: &'r RunPage, objects: &PageObjects<'r>);

    /// Begins or ends a span before a draw binds anything in the open pass. `fits` says whether the draw can be in one.
    fn choose_bundle(&mut self, area: &DrawArea, fits: bool);

    /// Notes the index of the next draw in its command.
    fn begin_in_bundle(&mut self, draw: usize);

    /// Notes that the first `draw` of a command's `all` draws are encoded, if a span is open.
    fn end_in_bundle(&mut self, draw: usize, all: usize);

    /// Ends the open span. Its bundle is built and executed, unless the span is so short that its commands are encoded
    /// directly.
    fn finish_bundle(&mut self);
}

/// Draws that choose their constants by an index.
pub(in crate::encode) trait DrawsByIndex {
    /// Returns the layout by index, if the next draw can use it. Only its constants can still prevent that.
    fn layout_by_index(&mut self) -> Option<&Arc<DrawLayout>>;

    /// Sets the path of the next draws.
    fn go(&mut self, way: DrawPath);

    /// Prevents draws by index until other shaders are bound or the page ends.
    fn keep_alone(&mut self, way: DrawPath);

    /// Discards the plan, because two slots that share a field have different buffers. After too many plans, the layout
    /// has none.
    fn forget_plan(&mut self);

    /// Returns the dynamic offsets, one bit each, that differ from those of the last draw with these shaders. Other draws
    /// may have been made since.
    fn moves(&mut self, layout: &DrawLayout, offsets: &[u32; DYNAMIC_OFFSETS]) -> u32;

    /// Notes that constants moved between two draws, and makes a plan once enough draws were seen.
    fn learn(&mut self);

    /// Makes a plan before the first draw, if the policy asks for it, on the assumption that every constant buffer
    /// changes. Returns whether the resources must be bound again.
    fn plan_at_once(&mut self) -> bool;

    /// Returns the pipeline by index, or `Some(None)` if the adapter refuses it, or `None` if it is not compiled yet. In
    /// the last case, draws continue without it.
    fn pipeline_by_index(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Option<Option<CompiledPipeline>>;
}

/// Copies that move in front of the run.
pub(in crate::encode) trait CopyHoisting {
    /// Returns the wgpu encoder for a copy between two ranges. It is that of the hoisted copies if this keeps a pass from
    /// being split.
    fn outside_to_copy(&mut self, src: AccessRange, dst: AccessRange) -> &mut wgpu::CommandEncoder;
}

/// Pipelines that only one encoding thread uses.
pub(in crate::encode) trait PipelineReplicas {
    /// Returns the replica of the next draw's layout, if the draw uses it.
    fn replica(&mut self) -> Option<Arc<DrawLayout>>;

    /// Returns a replica pipeline. If it is not compiled yet, a thread compiles it for later draws, and the layout goes
    /// back to its primary bind groups, so the draw's key changes.
    fn replica_pipeline(&mut self, key: &PipelineKey, layout: &DrawLayout) -> Option<CompiledPipeline>;

    /// Compiles the pipelines that a draw would need, without waiting: the primary one, and the replica if the layout
    /// uses it.
    fn prepare_replicas(&mut self, key: &PipelineKey);
}
