//! The minimum mip levels that `SetResourceMinLOD` sets for textures, below which shaders read no level.
//!
//! The levels are state of the textures, not of a context, and a change starts a new page. If the recording
//! that contains a page has already set a texture's level, the page uses that level. For all other textures,
//! it uses the level that is current on the immediate context.

use std::sync::{Arc, Weak};

use crate::objects::texture::TextureMemory;

#[derive(Clone, Debug)]
struct MinLod {
    texture: u64,
    /// The most detailed level that shaders may read, or a fraction to clamp the level of detail between two
    /// levels.
    level: f32,
    /// A weak reference, for checking whether the texture still exists.
    memory: Weak<TextureMemory>,
}

/// Minimum levels of textures, sorted by the textures' identifiers, usually `None`, because few programs set
/// a minimum level.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinLods(Option<Arc<[MinLod]>>);

impl MinLods {
    fn all(&self) -> &[MinLod] {
        self.0.as_deref().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The minimum level of a texture, or 0 if none is set.
    pub(crate) fn get(&self, texture: u64) -> f32 {
        let found = self.all().binary_search_by_key(&texture, |of| of.texture);
        found.ok().and_then(|at| self.all().get(at)).map_or(0.0, |found| found.level)
    }

    /// Sets the minimum level of a texture, storing even a level of 0, because a recording may be executed
    /// after another level has been set.
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

    /// Removes levels of 0, which clamp nothing, and the levels of destroyed textures.
    pub(crate) fn forget_unused(&mut self) {
        let is_used = |of: &&MinLod| of.level > 0.0 && of.memory.strong_count() > 0;
        let left: Vec<_> = self.all().iter().filter(is_used).cloned().collect();
        self.0 = (!left.is_empty()).then(|| left.into());
    }

    /// Combines the levels in `self` and `base`, with precedence for those in `self`.
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
        // No texture exists for these weak references, so all levels are removed.
        joined.forget_unused();
        assert!(joined.is_empty());
    }
}
