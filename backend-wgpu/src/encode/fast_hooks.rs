//! What the encoder's core calls where there is a cheaper way.

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
    /// Encodes the commands of a page.
    fn encode_commands(&mut self, run_page: &'r RunPage, objects: &PageObjects<'r>);

    /// Before a draw binds anything in the open pass: begins or ends a span. `fits`: the draw may be in
    /// one.
    fn choose_bundle(&mut self, area: &DrawArea, fits: bool);

    /// Notes which draw of a command comes next.
    fn begin_in_bundle(&mut self, draw: usize);

    /// Notes that draws went into the open span, if there is one: up to this one of the `all` of a command.
    fn end_in_bundle(&mut self, draw: usize, all: usize);

    /// Ends the open span: makes its bundle and executes it, or what is in it if that is little.
    fn finish_bundle(&mut self);
}

/// Draws that choose their constants by an index.
pub(in crate::encode) trait DrawsByIndex {
    /// The layout of the second form, if the next draw is made in it unless its constants forbid that.
    fn layout_by_index(&mut self) -> Option<&Arc<DrawLayout>>;

    /// Draws go this way from now on.
    fn go(&mut self, way: DrawPath);

    /// Makes draws in the first form, until other shaders are bound or the page ends.
    fn keep_alone(&mut self, way: DrawPath);

    /// Two slots for which the plan has one field have different buffers: what changes is learned anew, as often as that
    /// is worth its pipelines.
    fn forget_plan(&mut self);

    /// Which constants lie elsewhere than at the last draw with these shaders, if something is to be learned from that.
    /// Other draws may have come between.
    fn moves(&mut self, layout: &DrawLayout, offsets: &[u32; DYNAMIC_OFFSETS]) -> u32;

    /// Constants lie elsewhere than at the draw before, in the first form: learns from it.
    fn learn(&mut self);

    /// Where draws are made by index from the first on: supposes that each changes every constant buffer. Says whether the
    /// resources are to be bound anew.
    fn plan_at_once(&mut self) -> bool;

    /// The pipeline of the second form, if such draws can be made at all; `None` if it is not there yet: then draws go on
    /// in the first form.
    fn pipeline_by_index(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Option<Option<CompiledPipeline>>;
}

/// Copies that move in front of the run.
pub(in crate::encode) trait CopyHoisting {
    /// The encoder for a copy from one part to another: that of the hoisted copies if this saves a pass from being
    /// split.
    fn outside_to_copy(&mut self, src: AccessRange, dst: AccessRange) -> &mut wgpu::CommandEncoder;
}

/// Pipelines that only one encoding thread uses.
pub(in crate::encode) trait PipelineReplicas {
    /// The layout of a draw that is made with a replica.
    fn replica(&mut self) -> Option<Arc<DrawLayout>>;

    /// A replica pipeline. If it is missing, it is compiled for draws to come, and the bind groups are primary ones
    /// from now on: then the draw's key is another one.
    fn replica_pipeline(&mut self, key: &PipelineKey, layout: &DrawLayout) -> Option<CompiledPipeline>;

    /// Compiles the pipelines that a draw would need: the primary one, and the replica if the layout uses it.
    fn prepare_replicas(&mut self, key: &PipelineKey);
}
