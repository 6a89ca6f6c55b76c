//! The chain of a draw: the bound graphics shaders in pipeline order, from the vertex to the pixel shader.
//!
//! Neighbours must fit together, because each shader reads the outputs of the previous bound shader. A draw
//! checks the links of its chain once, and [`FittingChains`] stores the chains that have passed.

use onze_ddi::{GraphicsStage, Key};

use super::{
    DeviceContext,
    bound::Bound,
    draw::{reflection, terms},
    draw_checks::linkage::signature_mismatch,
};
use crate::{
    device_core::ObjectShared,
    shader::{self, BrokenLink, LinkageError},
};

/// The shaders of a chain and the input layout before it. Together they decide whether a draw's stages match.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ChainKey {
    /// [`Key::bits`] of the shader of each stage, in the order of [`GraphicsStage::ALL`], or 0 for an empty
    /// stage. Plain numbers are compared with a few instructions, and a draw that changes its shaders compares
    /// them.
    shaders: [u64; GraphicsStage::ALL.len()],
    /// [`Key::bits`] of the input layout, or 0.
    layout: u64,
}

impl ChainKey {
    #[inline]
    pub(super) fn of(bound: &Bound) -> Self {
        let bits = |key: Option<Key>| key.map_or(0, Key::bits);
        Self {
            shaders: GraphicsStage::ALL.map(|stage| bits(bound.stages[stage].shader.map(|h| h.key()))),
            layout: bits(bound.input_layout.map(|h| h.key())),
        }
    }
}

/// A cache of chains that passed the check, so that switching back to an earlier chain needs no new check.
/// The cache is direct-mapped, so a chain may replace another one. Keys are not reused, so entries of
/// destroyed objects are harmless.
#[derive(Debug)]
pub(crate) struct FittingChains(Box<[ChainKey; Self::PLACES]>);

impl Default for FittingChains {
    fn default() -> Self {
        Self(Box::new([ChainKey::default(); Self::PLACES]))
    }
}

impl FittingChains {
    const PLACES: usize = 64;

    /// Mixes the index of each key, which is in the upper half of its bits, into the number of an entry. Each step
    /// multiplies by an odd number, so neighbouring values of one key belong to different entries.
    #[inline]
    fn place(chain: &ChainKey) -> usize {
        let mixed = chain.shaders.iter().fold(chain.layout, |mixed, bits| mixed.wrapping_mul(11) ^ bits);
        (mixed >> 32) as usize % Self::PLACES
    }

    #[inline]
    pub(super) fn has(&self, chain: &ChainKey) -> bool {
        // An empty entry does not match, because every chain begins with a vertex shader.
        chain.shaders[0] != 0 && self.0[Self::place(chain)] == *chain
    }

    pub(super) fn add(&mut self, chain: ChainKey) {
        self.0[Self::place(&chain)] = chain;
    }
}

impl DeviceContext {
    /// Returns the bound shaders of a draw, in pipeline order.
    pub(super) fn chain(&self) -> impl Iterator<Item = &ObjectShared> {
        GraphicsStage::ALL.into_iter().filter_map(|stage| self.stage_shader(stage.into()))
    }

    /// Checks that each shader of the chain fits after the previous one, and describes the first broken link.
    pub(super) fn check_links(&self) -> Result<(), String> {
        let chain = self.chain().filter_map(|shader| Some((shader, reflection(shader)?)));
        shader::check_chain(chain).map_err(|BrokenLink { previous, next, error }| {
            // If both shaders have semantics, a message about semantics is clearer than one about locations.
            signature_mismatch(previous, next).unwrap_or_else(|| {
                format!("{} after {}: {}", next.name(), previous.name(), link_words(&error, previous, next))
            })
        })
    }
}

/// Describes a linkage mistake. Items of each shader are named in the terms of its source language.
fn link_words(error: &LinkageError, previous: &ObjectShared, next: &ObjectShared) -> String {
    match (terms(previous), terms(next)) {
        (Some(previous), Some(next)) => shader::linkage_message(error, previous, next),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use onze_ddi::{Handle, ShaderHandle};

    use super::*;

    fn key(index: u32) -> Key {
        Key::new(index, NonZeroU32::MIN)
    }

    /// Returns a chain with a shader in each of these stages.
    fn chain(shaders: &[(GraphicsStage, u32)]) -> ChainKey {
        let mut bound = Bound::default();
        for (stage, index) in shaders {
            bound.stages[*stage].shader = Some(ShaderHandle::new(key(*index)));
        }
        bound.input_layout = Some(Handle::new(key(7)));
        ChainKey::of(&bound)
    }

    #[test]
    fn a_chain_depends_on_each_stage_and_the_layout() {
        let all = GraphicsStage::ALL.map(|stage| (stage, 1));
        let mut fitting = FittingChains::default();
        fitting.add(chain(&all));
        assert!(fitting.has(&chain(&all)));
        for i in 0..all.len() {
            let mut other = all;
            // The index differs by a multiple of the number of entries, so both chains have the same entry.
            other[i].1 += FittingChains::PLACES as u32;
            assert!(!fitting.has(&chain(&other)), "{:?}", other[i]);
            let without: Vec<_> = all.into_iter().filter(|(stage, _)| *stage != all[i].0).collect();
            assert_ne!(chain(&without), chain(&all));
        }
        let other = ChainKey { layout: key(7 + FittingChains::PLACES as u32).bits(), ..chain(&all) };
        assert!(!fitting.has(&other));
    }

    #[test]
    fn a_chain_without_shaders_never_fits() {
        let fitting = FittingChains::default();
        assert!(!fitting.has(&ChainKey::default()));
    }

    #[test]
    fn neighbouring_keys_of_a_stage_have_different_entries() {
        for stage in GraphicsStage::ALL {
            let places: Vec<_> = (0..4).map(|i| FittingChains::place(&chain(&[(stage, i)]))).collect();
            for (i, place) in places.iter().enumerate() {
                assert!(!places[..i].contains(place), "{stage:?}: {places:?}");
            }
        }
    }
}
