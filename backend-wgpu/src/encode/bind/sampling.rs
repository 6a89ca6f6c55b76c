//! Samplers that wgpu lacks, and that the driver replaces by shader code.

use onze_ddi::{SamplerDesc, ShaderStage};

use crate::{
    encode::{encoder::Encoder, parts::pipeline_plan::Shaders},
    objects::{
        shader::{
            ClampedTexture, Clamps, SampledView, Sampling, SamplingAbilities, Samplings, SeenBindings,
            Shader, TexelValues, ViewLevels,
        },
        view::View,
    },
};

impl<'r> Encoder<'r> {
    /// Returns the replacements for pairs of a texture and a sampler that wgpu does not sample as Direct3D 11
    /// does.
    pub(super) fn samplings(&mut self, stage: ShaderStage, shader: &'r Shader) -> Samplings {
        let reflection = &shader.code.reflection;
        let abilities = SamplingAbilities::of(self.gpu);
        let (mut any, mut is_inexact) = (false, false);
        let default = SamplerDesc::default();
        let samplings = reflection.sampled_pairs.iter().map(|pair| {
            let resource = reflection.resource(pair.resource)?;
            let sampler = reflection.samplers.iter().find(|sampler| sampler.slot == pair.sampler)?;
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
            let desc = bound.map_or(&default, |sampler| &sampler.desc);
            let view = self.readable(stage, resource.slot, &resource.kind);
            let view = view.map(|(view, is_filterable)| SampledView {
                format: view.desc.format,
                is_filterable,
                levels: self.levels_left(view),
            });
            let sampling = Sampling::of(&resource.kind, view, desc, abilities);
            is_inexact |= sampling.is_err();
            any |= matches!(sampling, Ok(Some(_)));
            sampling.ok().flatten()
        });
        let samplings: Vec<_> = samplings.collect();
        if is_inexact {
            self.report(
                "a texture is sampled without what its sampler wants. Cube maps have no minimum or maximum filters, no \
                 linear filter if the adapter does not filter their format, and their comparisons no mip_lod_bias: sample \
                 the faces as slices of a texture_2d_array. Of cube maps a least level leaves all or nothing. OpenGL \
                 samples depth textures with wgpu's samplers alone",
            );
        }
        any.then(|| samplings.into())
    }

    /// Returns the minimum LOD of a view, relative to its first level, or `f32::MAX` if no level is left.
    pub(super) fn least_level(&self, view: &View) -> f32 {
        if self.min_lods.is_empty() {
            return 0.0;
        }
        let range = &view.desc.range;
        let least = self.min_lods.get(view.texture) - range.first_mip as f32;
        if least > range.mips.saturating_sub(1) as f32 { f32::MAX } else { least.max(0.0) }
    }

    fn levels_left(&self, view: &View) -> ViewLevels {
        match self.least_level(view) {
            0.0 => ViewLevels::All,
            f32::MAX => ViewLevels::None,
            _ => ViewLevels::Some,
        }
    }

    /// Returns the textures whose minimum LOD removes some or all levels of their views.
    pub(super) fn clamps(&self, stage: ShaderStage, shader: &'r Shader) -> Clamps {
        if self.min_lods.is_empty() {
            return None;
        }
        let resources = shader.code.reflection.resources.iter();
        let clamped = resources.filter_map(|resource| {
            let (view, _) = self.readable(stage, resource.slot, &resource.kind)?;
            let TexelValues { components, .. } = TexelValues::of(view.desc.format);
            let clamp = ClampedTexture { slot: resource.slot, components };
            (self.levels_left(view) != ViewLevels::All).then_some(clamp)
        });
        let clamped: Vec<_> = clamped.collect();
        (!clamped.is_empty()).then(|| clamped.into())
    }

    /// Adds the minimum LODs to a key, because they are not properties of the views.
    #[inline(never)]
    pub(super) fn add_min_lods(&self, shaders: &Shaders<'r>, key: &mut Vec<u64>) {
        for (stage, shader) in shaders.iter() {
            for resource in &shader.code.reflection.resources {
                let view = self.bound_view(stage, resource.slot);
                key.push(view.map_or(0, |view| self.least_level(view).to_bits().into()));
            }
        }
    }

    /// Returns whether the driver's sampling code needs the driver constants and the adapter has room for
    /// them. Without room, the replacements are dropped and reported.
    pub(super) fn samples_by_code(&mut self, shader: &Shader, seen: &mut SeenBindings) -> bool {
        let mut samplings = seen.samplings.iter().flat_map(|all| all.iter()).flatten();
        if !samplings.any(Sampling::reads_constants) && seen.clamps.is_none() {
            return false;
        }
        let most = self.gpu.limits.max_uniform_buffers_per_shader_stage as usize;
        let has_room = shader.code.reflection.constant_buffers.len() < most;
        if !has_room {
            (seen.samplings, seen.clamps) = (None, None);
            self.report(
                "a texture is read without the bias, border colour or address mode of its sampler, or its own least level: \
                 the adapter has too few constant buffers",
            );
        }
        has_room
    }
}
