//! The key of a draw's or a dispatch's resources in the cache of bind groups.

use onze_ddi::{PerStage, ShaderStage};

use crate::objects::shader::Shader;

/// For each stage, its shader, and the views and samplers in the slots that the shader uses, as identifiers. Other
/// words follow if more than these decide about the bind group.
#[derive(Debug, Default)]
pub(crate) struct ResourceKey {
    words: Vec<u64>,
    /// Index of the first word of each stage that has a shader.
    starts: PerStage<Option<u16>>,
    has_other_words: bool,
}

impl ResourceKey {
    /// Removes all words, but keeps their memory.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        (self.starts, self.has_other_words) = (PerStage::default(), false);
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds the words of a stage: its shader, and the identifiers in the slots of the shader's resources and samplers.
    #[inline(always)]
    pub(crate) fn add_stage(
        &mut self,
        (stage, shader): (ShaderStage, &Shader),
        views: impl Iterator<Item = u64>,
        samplers: impl Iterator<Item = u64>,
    ) {
        self.starts[stage] = Some(self.words.len() as u16);
        self.words.push(shader.id.get());
        for id in views {
            self.words.push(id);
        }
        for id in samplers {
            self.words.push(id);
        }
    }

    /// Returns the words for adding other ones than those of [`Self::add_stage`].
    #[inline]
    pub(crate) fn other_words(&mut self) -> &mut Vec<u64> {
        self.has_other_words = true;
        &mut self.words
    }

    /// Returns whether nothing but the shaders, views and samplers decides about the bind group.
    #[inline]
    pub(crate) const fn is_plain(&self) -> bool {
        !self.has_other_words
    }

    /// Replaces the view in a slot, unless the shader of the stage does not use the slot.
    #[inline]
    pub(crate) fn set_view(&mut self, stage: ShaderStage, shader: &Shader, slot: u8, id: u64) {
        let resources = &shader.code.reflection.resources;
        let at = resources.iter().position(|resource| resource.slot == u32::from(slot));
        self.set(stage, at, id);
    }

    /// Replaces the sampler in a slot, unless the shader of the stage does not use the slot.
    pub(crate) fn set_sampler(&mut self, stage: ShaderStage, shader: &Shader, slot: u8, id: u64) {
        let reflection = &shader.code.reflection;
        let at = reflection.samplers.iter().position(|sampler| sampler.slot == u32::from(slot));
        self.set(stage, at.map(|at| reflection.resources.len() + at), id);
    }

    #[inline]
    fn set(&mut self, stage: ShaderStage, at: Option<usize>, id: u64) {
        if let Some((start, at)) = self.starts[stage].zip(at)
            && let Some(word) = self.words.get_mut(usize::from(start) + 1 + at)
        {
            *word = id;
        }
    }
}
