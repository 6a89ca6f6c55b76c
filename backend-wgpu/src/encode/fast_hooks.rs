//! The traits through which the encoder's core calls its mechanisms for speed.
//!
//! [`super::fast`] implements each trait for the encoder in a separate file. The core imports only the
//! traits, and its results are the same without the mechanisms.

use std::sync::Arc;

use crate::{
    encode::parts::{
        draw_path::DrawPath,
        layouts::{DYNAMIC_OFFSETS, DrawLayout},
        page_objects::PageObjects,
        pipelines::{CompiledPipeline, PipelineKey},
        vertices::DrawArea,
    },
    record::{command::Command, run_page::RunPage},
};

/// Draws of command lists, recorded into render bundles that later executions of the list reuse.
pub(crate) trait Bundling<'r> {
    /// Encodes the commands of a page, using its bundles if it has any.
    fn encode_commands(&mut self, run_page: &'r RunPage, objects: &PageObjects<'r>);

    /// Begins or ends a span before a draw binds anything in the open pass. `fits` states whether a span can
    /// contain the draw.
    fn choose_bundle(&mut self, area: &DrawArea, fits: bool);

    /// Sets the index of the next draw in its command.
    fn begin_in_bundle(&mut self, draw: usize);

    /// Marks the first `draw` of a command's `all` draws as encoded, if a span is open.
    fn end_in_bundle(&mut self, draw: usize, all: usize);

    /// Ends the open span. Its bundle is built and executed, unless the span is so short that its commands
    /// are encoded directly.
    fn finish_bundle(&mut self);
}

/// A pipeline that draws would use is not compiled yet, or its compilation failed.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NotCompiled;

/// Draws by index: draws whose index selects their constants.
pub(crate) trait DrawsByIndex {
    /// Returns the layout by index if the next draw can use it. At this point, only the draw's constants can
    /// still prevent that.
    fn layout_by_index(&mut self) -> Option<&Arc<DrawLayout>>;

    /// Sets the path of the next draws, and reports its hint to the debug layer.
    fn go(&mut self, way: DrawPath);

    /// Keeps draws on the primary layout until other shaders are bound or the page ends.
    fn keep_alone(&mut self, way: DrawPath);

    /// Discards the plan, because two slots that share a field have different buffers, and makes no further
    /// plan after too many wrong ones.
    fn forget_plan(&mut self);

    /// Notes that the constants were bound again. If draws are observed, returns the dynamic offsets, one bit
    /// each, that differ from those of the last draw with this layout, even if other draws were encoded in
    /// between.
    fn constants_bound(&mut self, layout: &DrawLayout, offsets: &[u32; DYNAMIC_OFFSETS]) -> u32;

    /// Records that constants moved between two draws, and makes a plan once enough draws were seen.
    fn learn(&mut self);

    /// Makes a plan before the first draw, if the policy asks for it, on the assumption that every constant
    /// buffer changes. Returns whether the resources must be bound again.
    fn plan_at_once(&mut self) -> bool;

    /// Returns the pipeline by index, or `None` if a limit of the adapter rules it out.
    ///
    /// # Errors
    /// Returns [`NotCompiled`] if the pipeline is not compiled yet or its compilation failed. Draws then
    /// continue with the primary layout.
    fn pipeline_by_index(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Result<Option<CompiledPipeline>, NotCompiled>;
}

/// Stretches: consecutive draws by index that keep their pipeline, with the commands between them.
pub(crate) trait Stretches<'r> {
    /// Encodes the commands that continue the stretch of the previous draw, and returns their number.
    fn encode_stretch(&mut self, objects: &PageObjects<'r>, commands: &[Command]) -> usize;
}

/// A second set of pipelines, which reduces sharing between encoding threads.
pub(crate) trait PipelineReplicas {
    /// Returns the replica of the next draw's layout, if the draw uses it.
    fn replica(&mut self) -> Option<Arc<DrawLayout>>;

    /// Returns a replica pipeline. If it is not compiled yet, a thread compiles it for later draws, and the
    /// layout returns to its primary bind groups, which changes the draw's key.
    fn replica_pipeline(&mut self, key: &PipelineKey, layout: &DrawLayout) -> Option<CompiledPipeline>;

    /// Starts compiling the pipelines that a draw would need, without waiting: the primary pipeline and, if
    /// the layout uses its replica, the replica pipeline.
    fn prepare_replicas(&mut self, key: &PipelineKey);
}
