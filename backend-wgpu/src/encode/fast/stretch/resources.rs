//! The textures and samplers of the draws of a stretch.

use crate::{
    encode::{
        encoder::Encoder,
        fast::stretch::Pending,
        fast_hooks::DrawsByIndex,
        parts::{
            groups::{FoundLayout, FoundResources},
            page_objects::PageObjects,
            pipeline_plan::PipelinePlan,
            ready::continues_stretch,
        },
    },
    objects::shader::{CONSTANT_GROUP, RESOURCE_GROUP},
    record::command::Bind,
};

impl<'r> Encoder<'r> {
    /// Binds an object. A texture or a sampler replaces its word in the key of the bound resources. Returns `false` if
    /// the stretch cannot continue with the object.
    #[inline]
    pub(super) fn bind_word(&mut self, pending: &mut Pending, objects: &PageObjects<'r>, bind: Bind) -> bool {
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
            | Bind::DepthStencilState { .. } => {
                if !continues_stretch(&bind) {
                    return false;
                }
                pending.shader |= matches!(bind, Bind::Shader { .. });
                self.bind(objects, bind);
                true
            }
        }
    }

    /// Returns whether the key of the bound resources is complete, and decides alone about their bind group.
    pub(super) fn has_plain_key(&self) -> bool {
        self.groups.resource_key.is_plain()
            && self.clears.is_empty()
            && self.casts.is_empty()
            && !self.bindings.of(PipelinePlan::Draw).has_changed_resources()
    }

    /// Makes the key of the bound resources again, because a shader is bound. Returns `false` if other words would decide
    /// about their bind group.
    #[inline(never)]
    pub(super) fn make_plain_key(&mut self) -> bool {
        let shaders = self.bindings.shaders(PipelinePlan::Draw);
        if shaders.iter().any(|(_, shader)| shader.uses_buffers) {
            return false;
        }
        let mut key = std::mem::take(&mut self.groups.resource_key);
        key.clear();
        for (stage, shader) in shaders.iter() {
            self.add_views(stage, shader, &mut key);
        }
        self.groups.resource_key = key;
        true
    }

    /// Binds the group of the bound resources. Returns `false` if the group does not exist yet, or if its layout does
    /// not allow draws by index with the bound constant buffers.
    #[inline]
    pub(super) fn bind_by_key(&mut self) -> bool {
        let (run, section) = (self.caches.runs, self.caches.sections);
        let known = self.caches.resources.find_words(self.groups.resource_key.words(), run);
        let known = known.and_then(|place| self.caches.resources.get_mut(place));
        let Some(FoundResources { layout, group: Some(group), read_in }) = known else { return false };
        let (layout, group, before) = (*layout, *group, std::mem::replace(read_in, section));
        if self.groups.layout() != Some(layout.place) && !self.take_layout(layout) {
            return false;
        }
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

    /// Makes a known layout the one for the bound shaders. Returns `false` if draws with it are not made by index, or
    /// bind their constants in another way.
    #[inline(never)]
    fn take_layout(&mut self, layout: FoundLayout) -> bool {
        self.groups.set_layout(layout.place);
        let Some(ids) = self.layout_by_index().map(|by_index| by_index.ids()) else { return false };
        if ids[CONSTANT_GROUP] != self.groups.layout_ids()[CONSTANT_GROUP] {
            return false;
        }
        self.state.pipeline_dirty |= self.groups.replace_layout_ids(ids).is_some();
        true
    }
}
