//! The chain of a draw: the bound graphics shaders in pipeline order, from the vertex to the pixel shader.
//!
//! Neighbours must fit together, because each shader reads the outputs of the previous bound shader. A draw
//! checks the links of its chain once, and [`FittingChains`] stores the chains that have passed. The chain is
//! read from the bindings at each draw, so no copy of it can become stale.

use onze_ddi::{GraphicsStage, ShaderProgram, ShaderReflection, ShaderStage};

use super::{
    DeviceContext,
    bound::Bound,
    draw::{reflection, terms},
    draw_checks::{geometry::shader_data, linkage::signature_mismatch},
};
use crate::{
    device_core::ObjectShared,
    report::MessageId,
    shader::{self, BrokenLink, LinkageError, links},
};

/// The shaders of a chain and the input layout before it. Together they decide whether a draw's stages match.
///
/// The key has the [bits](onze_ddi::Key::bits) of the shader of each stage, in the order of
/// [`GraphicsStage::ALL`], and then of the layout. Both are 0 if nothing is bound.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ChainKey([u64; 6]);

impl ChainKey {
    pub(super) fn of(bound: &Bound) -> Self {
        let [vertex, hull, domain, geometry, pixel] =
            GraphicsStage::ALL.map(|stage| shader_bits(bound, stage));
        Self([vertex, hull, domain, geometry, pixel, layout_bits(bound)])
    }
}

/// The key of a chain without hull, domain and geometry shaders: the bits of the vertex shader, the pixel
/// shader and the layout. Most draws have such a chain, and comparing three numbers instead of six saves 3 %
/// of the instructions of a draw that changes its shaders.
type ShortKey = [u64; 3];

/// Returns the key of the bound chain, or `None` if the chain has more than a vertex and a pixel shader.
#[inline]
fn short_key(bound: &Bound) -> Option<ShortKey> {
    use GraphicsStage::{Domain, Geometry, Hull, Pixel, Vertex};
    let [vertex, pixel] = [Vertex, Pixel].map(|stage| shader_bits(bound, stage));
    let [hull, domain, geometry] = [Hull, Domain, Geometry].map(|stage| shader_bits(bound, stage));
    (hull | domain | geometry == 0).then(|| [vertex, pixel, layout_bits(bound)])
}

#[inline]
fn shader_bits(bound: &Bound, stage: GraphicsStage) -> u64 {
    bound.stages[stage].shader.map_or(0, |shader| shader.key().bits())
}

#[inline]
fn layout_bits(bound: &Bound) -> u64 {
    bound.input_layout.map_or(0, |layout| layout.key().bits())
}

/// The chains that passed the check, so that switching back to an earlier chain needs no new check.
#[derive(Debug, Default)]
pub(crate) struct FittingChains {
    short: KeyCache<3>,
    long: KeyCache<6>,
}

impl FittingChains {
    /// Returns whether the bound chain is known to fit.
    #[inline]
    pub(super) fn has(&self, bound: &Bound) -> bool {
        match short_key(bound) {
            Some(key) => self.short.has(&key),
            None => self.has_long(bound),
        }
    }

    /// Returns whether the bound chain is known to fit and has only a vertex and a pixel shader. Such a chain accepts
    /// every topology except patches.
    #[inline]
    pub(super) fn has_short(&self, bound: &Bound) -> bool {
        short_key(bound).is_some_and(|key| self.short.has(&key))
    }

    /// Not inlined, to keep the code of draws with a short chain small.
    #[inline(never)]
    fn has_long(&self, bound: &Bound) -> bool {
        self.long.has(&ChainKey::of(bound).0)
    }

    /// Records that the bound chain fits.
    pub(super) fn add(&mut self, bound: &Bound) {
        match short_key(bound) {
            Some(key) => self.short.add(key),
            None => self.long.add(ChainKey::of(bound).0),
        }
    }
}

/// A direct-mapped cache of chains, so a chain may replace another one. The keys of objects are not reused, so
/// entries of destroyed objects are harmless.
#[derive(Debug)]
struct KeyCache<const N: usize>(Box<[[u64; N]; CACHE_ENTRIES]>);

const CACHE_ENTRIES: usize = 64;
/// The numbers of an unused entry, which are not the bits of any object. They are not 0, because 0 means that
/// nothing is bound.
const UNUSED: u64 = u64::MAX;

impl<const N: usize> Default for KeyCache<N> {
    fn default() -> Self {
        Self(Box::new([[UNUSED; N]; CACHE_ENTRIES]))
    }
}

impl<const N: usize> KeyCache<N> {
    /// Mixes the index of each object, which is in the upper half of its bits, into the number of an entry.
    /// Each step multiplies by an odd number, so neighbouring indices of one object belong to different
    /// entries.
    #[inline]
    fn entry(key: &[u64; N]) -> usize {
        let mixed = key.iter().fold(0_u64, |mixed, bits| mixed.wrapping_mul(11) ^ bits);
        (mixed >> 32) as usize % CACHE_ENTRIES
    }

    /// Compares without `==`, which would write the key from registers to memory first.
    #[inline]
    fn has(&self, key: &[u64; N]) -> bool {
        let entry = &self.0[Self::entry(key)];
        entry.iter().zip(key).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }

    fn add(&mut self, key: [u64; N]) {
        self.0[Self::entry(&key)] = key;
    }
}

impl DeviceContext {
    /// Returns the bound shaders that a draw executes, in pipeline order. A stream-output shader with the code of a
    /// vertex or domain shader is not among them, because it only writes the vertices of the previous stage to buffers.
    pub(super) fn chain(&self) -> impl Iterator<Item = &ObjectShared> {
        let shaders = GraphicsStage::ALL.into_iter().filter_map(|stage| self.stage_shader(stage.into()));
        let rasterizes = self.rasterizes();
        let executed = move |shader: &&ObjectShared| {
            shader_data(shader).is_none_or(|shader| {
                !shader.is_pass_through()
                    && (rasterizes || shader.code.reflection.stage != ShaderStage::Pixel)
            })
        };
        shaders.filter(executed)
    }

    /// Returns whether the bound shaders pass primitives to the rasterizer.
    fn rasterizes(&self) -> bool {
        let Some(shader) = self.stage_shader(ShaderStage::Geometry).and_then(shader_data) else {
            return true;
        };
        let Some(stream) = shader.rasterized_stream() else { return false };
        // If a geometry shader appends no vertices, it has no outputs, but the pixel shader does not run either.
        match &shader.code.program {
            ShaderProgram::Geometry(program) => {
                program.streams.get(stream as usize).is_some_and(|stream| stream.append.is_some())
            }
            ShaderProgram::EntryPoint(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => true,
        }
    }

    /// Checks that each shader of the chain fits after the previous one, and describes the first broken link.
    pub(super) fn check_links(&self) -> Result<(), (MessageId, String)> {
        // The next stage of a geometry shader reads the outputs of the rasterized stream.
        let geometry = self.stage_shader(ShaderStage::Geometry).and_then(shader_data);
        let rasterized = geometry.filter(|shader| !shader.is_pass_through()).and_then(|shader| {
            let stream = shader.rasterized_stream().filter(|stream| *stream > 0)?;
            let outputs = shader.outputs_of(stream).to_vec();
            Some(ShaderReflection { outputs, ..shader.code.reflection.clone() })
        });
        let chain = self.chain().filter_map(|shader| {
            let own = reflection(shader)?;
            let other = rasterized.as_ref().filter(|_| own.stage == ShaderStage::Geometry);
            Some((shader, other.unwrap_or(own)))
        });
        shader::check_chain(chain).map_err(|BrokenLink { previous, next, error }| {
            // If both shaders have semantics, a message about semantics is clearer than one about locations.
            let text = signature_mismatch(previous, next).unwrap_or_else(|| {
                format!("{} after {}: {}", next.name(), previous.name(), link_words(&error, previous, next))
            });
            (link_id(next), text)
        })?;
        for (previous, next) in links(self.chain()) {
            check_positions(previous, next)?;
            check_patch_constants(previous, next)?;
        }
        Ok(())
    }
}

/// Returns the message for a link to a shader that does not fit.
fn link_id(next: &ObjectShared) -> MessageId {
    match reflection(next).map(|next| next.stage) {
        Some(ShaderStage::Domain) => MessageId::DrawHullDomainLinkage,
        _ => MessageId::DrawLinkage,
    }
}

/// Checks that the points that a hull, domain or geometry shader reads have a position if the shader reads it.
fn check_positions(previous: &ObjectShared, next: &ObjectShared) -> Result<(), (MessageId, String)> {
    let (Some(outputs), Some(inputs)) = (shader_data(previous), shader_data(next)) else { return Ok(()) };
    let inputs = &inputs.code.reflection;
    // The rasterizer generates the position that a pixel shader reads.
    if inputs.stage == ShaderStage::Pixel || !inputs.uses_position || outputs.has_position() {
        return Ok(());
    }
    let text = format!(
        "{} reads positions, which {} does not write; write `SV_Position` (`@builtin(position)` in WGSL) there",
        next.name(),
        previous.name()
    );
    Err((link_id(next), text))
}

/// Checks that a hull shader writes the patch constants that a domain shader reads.
fn check_patch_constants(previous: &ObjectShared, next: &ObjectShared) -> Result<(), (MessageId, String)> {
    let (Some(hull), Some(domain)) = (shader_data(previous), shader_data(next)) else { return Ok(()) };
    let (ShaderProgram::Hull(hull_program), ShaderProgram::Domain(domain_program)) =
        (&hull.code.program, &domain.code.program)
    else {
        return Ok(());
    };
    // The patch constants in place of the control points.
    let outputs = hull_program.patch_outputs.clone();
    let outputs = ShaderReflection { outputs, ..hull.code.reflection.clone() };
    let inputs = domain_program.patch_inputs.clone();
    let inputs = ShaderReflection { inputs, ..domain.code.reflection.clone() };
    let chain = [(previous, &outputs), (next, &inputs)].into_iter();
    shader::check_chain(chain).map_err(|BrokenLink { error, .. }| {
        let words = signature_mismatch(previous, next).unwrap_or_else(|| {
            let outputs = hull.terms().of_patch_constants(&outputs);
            let inputs = domain.terms().of_patch_constants(&inputs);
            let error = shader::linkage_message(&error, outputs, inputs);
            format!("{} after {}: among the patch constants, {error}", next.name(), previous.name())
        });
        (MessageId::DrawHullDomainLinkage, words)
    })
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

    use onze_ddi::{Handle, Key, ShaderHandle};

    use super::*;

    fn key(index: u32) -> Key {
        Key::new(index, NonZeroU32::MIN)
    }

    /// Returns bindings with a layout and a shader in each of these stages.
    fn bound(shaders: &[(GraphicsStage, u32)]) -> Bound {
        let mut bound = Bound::default();
        for (stage, index) in shaders {
            bound.stages[*stage].shader = Some(ShaderHandle::new(key(*index)));
        }
        bound.input_layout = Some(Handle::new(key(7)));
        bound
    }

    #[test]
    fn a_chain_depends_on_each_stage_and_the_layout() {
        let ends = [(GraphicsStage::Vertex, 1), (GraphicsStage::Pixel, 1)];
        for shaders in [&GraphicsStage::ALL.map(|stage| (stage, 1))[..], &ends] {
            let mut fitting = FittingChains::default();
            let chain = bound(shaders);
            fitting.add(&chain);
            assert!(fitting.has(&chain));
            // An index that differs by a multiple of the number of entries leads to the same entry.
            let other = 1 + CACHE_ENTRIES as u32;
            for stage in GraphicsStage::ALL {
                for shader in [None, Some(ShaderHandle::new(key(other)))] {
                    let mut changed = chain.clone();
                    changed.stages[stage].shader = shader;
                    assert_eq!(fitting.has(&changed), changed == chain, "{shaders:?}: {stage:?} {shader:?}");
                    assert_eq!(ChainKey::of(&changed) == ChainKey::of(&chain), changed == chain);
                }
            }
            for layout in [None, Some(Handle::new(key(7 + CACHE_ENTRIES as u32)))] {
                let changed = Bound { input_layout: layout, ..chain.clone() };
                assert!(!fitting.has(&changed), "{shaders:?}: {layout:?}");
                assert_ne!(ChainKey::of(&changed), ChainKey::of(&chain));
            }
        }
    }

    #[test]
    fn a_chain_without_a_vertex_shader_never_fits() {
        let fitting = FittingChains::default();
        assert!(!fitting.has(&Bound::default()));
    }

    #[test]
    fn neighbouring_keys_of_a_stage_have_different_entries() {
        for stage in GraphicsStage::ALL {
            let places: Vec<_> =
                (0..4).map(|i| KeyCache::entry(&ChainKey::of(&bound(&[(stage, i)])).0)).collect();
            for (i, place) in places.iter().enumerate() {
                assert!(!places[..i].contains(place), "{stage:?}: {places:?}");
            }
        }
    }
}
