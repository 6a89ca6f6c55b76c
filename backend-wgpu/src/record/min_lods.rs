//! The minimum mip levels of textures for shaders, set by `SetResourceMinLOD`.
//!
//! They are state of the textures, not of a context. A change comes between two pages, and each page of a run
//! has its own levels: those set on the immediate context, overridden by those of the recording.

use std::sync::{Arc, Weak};

use crate::objects::texture::TextureMemory;

#[derive(Clone, Debug)]
struct MinLod {
    texture: u64,
    /// The first level that shaders may read, with a fraction for the level of detail.
    level: f32,
    /// A weak reference, which shows whether the texture still exists.
    memory: Weak<TextureMemory>,
}

/// Minimum levels of textures, sorted by the textures' identifiers, and usually `None` because few programs
/// set any.
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

    /// Sets the minimum level of a texture, also to 0, because a recording may be executed after another
    /// level was set.
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

    /// Removes levels that clamp nothing, and those of destroyed textures.
    pub(crate) fn forget_unused(&mut self) {
        let is_used = |of: &&MinLod| of.level > 0.0 && of.memory.strong_count() > 0;
        let left: Vec<_> = self.all().iter().filter(is_used).cloned().collect();
        self.0 = (!left.is_empty()).then(|| left.into());
    }

    /// Combines these levels with those of `base`, which they override.
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
        // The textures of these weak references do not exist, so all of them are removed.
        joined.forget_unused();
        assert!(joined.is_empty());
    }
}
