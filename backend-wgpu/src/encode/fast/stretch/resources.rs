//! The textures and samplers of the draws of a stretch.

use crate::{
    encode::{
        encoder::Encoder,
        parts::{groups::FoundResources, page_objects::PageObjects, pipeline_plan::PipelinePlan},
    },
    objects::shader::RESOURCE_GROUP,
    record::command::Bind,
};

impl<'r> Encoder<'r> {
    /// Binds a texture or a sampler, and replaces its word in the key of the bound resources. Returns `false` if
    /// that takes more than a word.
    #[inline]
    pub(super) fn bind_word(&mut self, objects: &PageObjects<'r>, bind: Bind) -> bool {
        match bind {
            Bind::ShaderResource { stage, slot, object } => {
                let view = objects.view(object);
                self.bindings.set_texture(stage, slot, view);
                if let Some(shader) = self.bindings.shader(stage) {
                    let id = view.map_or(0, |view| view.id.get());
                    self.groups.resource_key.set_view(stage, shader, slot, id);
                }
                // If the draw writes the texture, the shader may read a copy of it.
                view.is_none_or(|view| self.targets.allows_reading(view))
            }
            Bind::Sampler { stage, slot, object } => {
                let sampler = objects.sampler(object);
                self.bindings.set_sampler(stage, slot, sampler);
                if let Some(shader) = self.bindings.shader(stage) {
                    // If the shader declares another kind of sampler, the cache has no such key.
                    let id = sampler.map_or(0, |sampler| sampler.id.get());
                    self.groups.resource_key.set_sampler(stage, shader, slot, id);
                }
                true
            }
            Bind::InputLayout(_)
            | Bind::Topology(_)
            | Bind::Shader { .. }
            | Bind::RasterizerState(_)
            | Bind::BlendState(_)
            | Bind::DepthStencilState { .. } => false,
        }
    }

    /// Returns whether the key of the bound resources is complete, and decides alone about their bind group.
    pub(super) fn has_plain_key(&self) -> bool {
        self.groups.resource_key.is_plain()
            && self.clears.is_empty()
            && self.casts.is_empty()
            && !self.bindings.of(PipelinePlan::Draw).has_changed_resources()
    }

    /// Binds the group of the bound resources. Returns `false` if the group does not exist yet or has another layout.
    #[inline]
    pub(super) fn bind_by_key(&mut self) -> bool {
        let (run, section) = (self.caches.runs, self.caches.sections);
        let known = self.caches.resources.find_words(self.groups.resource_key.words(), run);
        let known = known.and_then(|place| self.caches.resources.get_mut(place));
        let Some(FoundResources { layout, group: Some(group), read_in }) = known else { return false };
        if self.groups.layout() != Some(layout.place) {
            return false;
        }
        let (group, before) = (*group, std::mem::replace(read_in, section));
        if before != section {
            self.read_textures(&self.bindings.shaders(PipelinePlan::Draw));
        }
        self.groups.set_group(RESOURCE_GROUP, Some(group));
        if self.groups.has_moved() {
            self.bind_groups();
        }
        self.bindings.of_mut(PipelinePlan::Draw).take_resources_changed();
        true
    }
}
