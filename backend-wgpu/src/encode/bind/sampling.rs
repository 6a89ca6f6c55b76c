//! Samplers: which of them wgpu does not have, so that code of the driver samples.

use onze_ddi::SamplerDesc;

use crate::{
    encode::Encoder,
    objects::shader::{Abilities, Sampling, Samplings, Seen, Shader},
};

use super::Kind;

impl<'r> Encoder<'r> {
    /// How the textures are sampled that wgpu does not sample as Direct3D 11.
    pub(super) fn samplings<K: Kind>(&mut self, lane: usize, shader: &'r Shader) -> Samplings {
        let reflection = &shader.code.reflection;
        let abilities = Abilities::of(self.gpu);
        let (mut any, mut is_inexact) = (false, false);
        let default = SamplerDesc::default();
        let samplings = reflection.sampled_pairs.iter().map(|pair| {
            let resource = reflection.resource(pair.resource)?;
            let sampler = reflection.samplers.iter().find(|sampler| sampler.slot == pair.sampler)?;
            let bound = self.bound_sampler::<K>(lane, sampler.slot, sampler.comparison);
            let desc = bound.map_or(&default, |sampler| &sampler.desc);
            let view = self.readable::<K>(lane, resource.slot, &resource.kind);
            let view = view.map(|(view, is_filterable)| (view.desc.format, is_filterable));
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
                 the faces as slices of a texture_2d_array. OpenGL samples depth textures with wgpu's samplers alone",
            );
        }
        any.then(|| samplings.into())
    }

    /// Whether code of the driver samples that needs the driver constants, and there is room for them.
    pub(super) fn samples_by_code(&mut self, shader: &Shader, seen: &mut Seen) -> bool {
        let mut samplings = seen.samplings.iter().flat_map(|all| all.iter()).flatten();
        if !samplings.any(Sampling::reads_constants) {
            return false;
        }
        let most = self.gpu.limits.max_uniform_buffers_per_shader_stage as usize;
        let has_room = shader.code.reflection.constant_buffers.len() < most;
        if !has_room {
            seen.samplings = None;
            self.report(
                "a texture is sampled without the bias, border colour or address mode of its sampler: the adapter has too \
                 few constant buffers",
            );
        }
        has_room
    }
}
