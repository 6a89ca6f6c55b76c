//! The pipelines of tessellated draws.
//!
//! A draw needs up to six pipelines: two that store the parts of patches, three of the tessellator, and its own. The first
//! draw with a combination of shaders begins to compile all of them before it waits for one, so that compiler threads
//! share the work.

use std::sync::Arc;

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        compile::PromisedPipeline,
        emulate::stored_patches::{DrawnPatches, PatchShaders},
        encoder::Encoder,
        own_pipelines::tessellator::{
            StoredTessellator, TessellatorDispatch, TessellatorKey, TessellatorPipelines,
        },
        parts::stored_pipelines::PipelinePurpose,
    },
    objects::shader::{PointNumbers, domain_program},
    services::{ids::unique_id, sizes::MOST_PIPELINES},
};

impl<'r> Encoder<'r> {
    /// Begins to compile the pipelines of a draw, unless a draw with the same shaders has done so.
    pub(super) fn begin_patch_pipelines(&mut self, shaders: &PatchShaders<'r>, drawn: &DrawnPatches<'_>) {
        const STAGES: [ShaderStage; 4] =
            [ShaderStage::Vertex, ShaderStage::Hull, ShaderStage::Domain, ShaderStage::Pixel];
        let ids = STAGES.map(|stage| self.bindings.shader(stage).map_or(0, |shader| shader.id.get()));
        let known = &mut self.caches.tessellated;
        if known.contains(&ids) {
            return;
        }
        if known.len() >= MOST_PIPELINES {
            known.clear();
        }
        known.insert(ids);
        self.begin_tessellator(TessellatorKey::new(shaders.program));
        self.change_draw_bindings();
        self.in_one_section(|encoder| {
            for part in shaders.parts() {
                let Some(draw) = encoder.part_draw(part, drawn) else { continue };
                encoder.resolve_groups(draw.plan);
                encoder.begin_stream_pipelines(&draw, PipelinePurpose::OneOfSeveral);
            }
            Some(())
        });
        let domain = self.bindings.shader(ShaderStage::Domain);
        let has_position = domain
            .and_then(|domain| domain_program(&domain.code))
            .is_some_and(|program| program.has_position);
        let is_last =
            self.bindings.shader(ShaderStage::Geometry).is_none() && self.state.stream_shader.is_none();
        if is_last
            && has_position
            && self.is_drawable()
            // The pipeline does not depend on the range.
            && let Some(range) = self.caches.arena.take(self.gpu, 4)
        {
            self.with_patches(shaders.stored(range, unique_id()), |encoder| {
                let tail = drawn.has_tail.then_some(PointNumbers::OfCorner);
                for numbers in [PointNumbers::Given].into_iter().chain(tail) {
                    encoder.set_numbers(numbers);
                    encoder.in_one_section(|encoder| {
                        encoder.resolve_area();
                        encoder.resolve_groups(encoder.draw_plan());
                        encoder.begin_pipeline();
                        Some(())
                    });
                }
            });
        }
        self.change_draw_bindings();
    }

    /// Begins to compile the pipelines of a tessellator if they are new.
    pub(super) fn begin_tessellator(&mut self, key: TessellatorKey) -> Arc<StoredTessellator> {
        let (stored, is_new) = self.encoding.own_pipelines.tessellator(key);
        if is_new {
            for dispatch in TessellatorDispatch::ALL {
                let promised = PromisedPipeline(stored.pipeline(dispatch).clone());
                let stored = stored.clone();
                self.begin(promised, PipelinePurpose::OneOfSeveral, move |gpu| stored.compile(gpu, dispatch));
            }
        }
        stored
    }

    /// Returns the pipelines of a tessellator, and waits until they are compiled.
    pub(super) fn tessellator(&mut self, key: TessellatorKey) -> Option<TessellatorPipelines> {
        let stored = self.begin_tessellator(key);
        Some(TessellatorPipelines {
            divide: self.wait_for(stored.pipeline(TessellatorDispatch::Divide))?,
            add: self.wait_for(stored.pipeline(TessellatorDispatch::Add))?,
            write: self.wait_for(stored.pipeline(TessellatorDispatch::Write))?,
        })
    }
}
