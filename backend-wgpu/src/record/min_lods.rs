//! The least mip levels that shaders see of textures: `SetResourceMinLOD`.
//!
//! They are state of the textures, not of a context. A change comes between two pages, and each page of a run has the
//! levels that hold for it: those that the immediate context had set, and over them those of the recording.

use std::sync::{Arc, Weak};

use crate::objects::texture::TextureMemory;

/// The least level of a texture.
#[derive(Clone, Debug)]
struct MinLod {
    /// The texture's number.
    texture: u64,
    /// From its first level on.
    level: f32,
    /// Tells whether it is still there.
    memory: Weak<TextureMemory>,
}

/// The least levels of some textures, by their numbers, ascending. Few programs set any.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinLods(Option<Arc<[MinLod]>>);

impl MinLods {
    fn all(&self) -> &[MinLod] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether none is set.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// That of a texture.
    pub(crate) fn get(&self, texture: u64) -> f32 {
        let found = self.all().binary_search_by_key(&texture, |of| of.texture);
        found.ok().and_then(|at| self.all().get(at)).map_or(0.0, |found| found.level)
    }

    /// Sets that of a texture. A recording keeps 0, as it may be executed after another level was set.
    pub(crate) fn set(&mut self, memory: &Arc<TextureMemory>, level: f32) {
        self.insert(MinLod { texture: memory.id, level, memory: Arc::downgrade(memory) });
    }

    fn insert(&mut self, new: MinLod) {
        let mut all = self.all().to_vec();
        match all.binary_search_by_key(&new.texture, |of| of.texture) {
            Ok(at) => all.splice(at..=at, [new]).for_each(drop),
            Err(at) => all.insert(at, new),
        }
        self.0 = Some(all.into());
    }

    /// Forgets those that clamp nothing, and those of textures that were destroyed.
    pub(crate) fn forget_unused(&mut self) {
        let is_used = |of: &&MinLod| of.level > 0.0 && of.memory.strong_count() > 0;
        let left: Vec<_> = self.all().iter().filter(is_used).cloned().collect();
        self.0 = (!left.is_empty()).then(|| left.into());
    }

    /// These over those of `base`.
    pub(crate) fn over(&self, base: &Self) -> Self {
        if self.is_empty() || base.is_empty() {
            return if self.is_empty() { base.clone() } else { self.clone() };
        }
        let mut joined = base.clone();
        self.all().iter().for_each(|own| joined.insert(own.clone()));
        joined
    }
}

impl PartialEq for MinLods {
    fn eq(&self, other: &Self) -> bool {
        let bits = |of: &MinLod| (of.texture, of.level.to_bits());
        self.all().iter().map(bits).eq(other.all().iter().map(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(min_lods: &mut MinLods, texture: u64, level: f32) {
        min_lods.insert(MinLod { texture, level, memory: Weak::new() });
    }

    #[test]
    fn levels_of_a_recording_lie_over_those_before_it() {
        let mut base = MinLods::default();
        assert!(base.is_empty() && base == MinLods::default());
        set(&mut base, 7, 2.5);
        set(&mut base, 3, 1.0);
        let mut own = MinLods::default();
        assert_eq!(own.over(&base), base);
        set(&mut own, 3, 0.0);
        set(&mut own, 9, 4.0);
        let mut joined = own.over(&base);
        assert_eq!([3, 7, 9, 8].map(|texture| joined.get(texture)), [0.0, 2.5, 4.0, 0.0]);
        assert_ne!(joined, base);
        set(&mut joined, 7, 2.0);
        assert_eq!(joined.get(7).to_bits(), 2.0_f32.to_bits());
        // None of these is there.
        joined.forget_unused();
        assert!(joined.is_empty());
    }
}
