//! The pass for how values vary from pixel to pixel.
//!
//! In Direct3D 11 the pixel shader says it. wgpu wants the vertex shader's outputs to say the same, so they are given what
//! the pixel shader's inputs have.

use naga::{Binding, Interpolation, Module, Sampling, Type, TypeInner};
use onze_ddi::ShaderReflection;

/// How an output varies.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Varying {
    location: u32,
    interpolation: Option<Interpolation>,
    sampling: Option<Sampling>,
}

/// The outputs of a vertex shader that say something else than a pixel shader's inputs, with what the inputs say.
pub(crate) fn differing(vertex: &ShaderReflection, pixel: &ShaderReflection) -> Vec<Varying> {
    let differs = |input: &&onze_ddi::ShaderInput| {
        vertex.output(input.location).is_some_and(|output| {
            (output.interpolation, output.sampling) != (input.interpolation, input.sampling)
        })
    };
    let varying = |input: &onze_ddi::ShaderInput| Varying {
        location: input.location,
        interpolation: input.interpolation,
        sampling: input.sampling,
    };
    pixel.inputs.iter().filter(differs).map(varying).collect()
}

/// Rewrites what the module's only entry point gives.
pub(super) fn apply(module: &mut Module, varyings: &[Varying]) {
    let change = |binding: &mut Option<Binding>| {
        let Some(Binding::Location { location, interpolation, sampling, .. }) = binding else { return };
        if let Some(varying) = varyings.iter().find(|varying| varying.location == *location) {
            (*interpolation, *sampling) = (varying.interpolation, varying.sampling);
        }
    };
    let Some(result) = module.entry_points.first_mut().and_then(|entry| entry.function.result.as_mut())
    else {
        return;
    };
    change(&mut result.binding);
    let Ok(Type { inner: TypeInner::Struct { members, span }, name }) =
        module.types.get_handle(result.ty).cloned()
    else {
        return;
    };
    let mut members = members;
    members.iter_mut().for_each(|member| change(&mut member.binding));
    module.types.replace(result.ty, Type { name, inner: TypeInner::Struct { members, span } });
}
