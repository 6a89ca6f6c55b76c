mod buffers;
mod geometry;
mod patches;
mod resources;
#[cfg(test)]
mod tests;

use crate::{
    Profile, ShaderStage,
    check::tree::{FunctionId, Program},
    interface::{
        Analysis,
        bindings::{Bindings, RegisterClass, RegisterOwner, RegisterRange},
        entry::Entry,
        signature::{SignatureElement, component_kind, min_precision},
    },
    output::reflection::{Reflection, Requirements, SignatureParameter},
};

/// The bind group of hidden counters, as documented at [`crate::Compiled::module`].
const COUNTERS: u32 = 4;

pub(crate) fn reflect(analysis: &Analysis, profile: Profile, module: &naga::Module) -> Reflection {
    let Analysis { program, function, entry, usage, bindings } = analysis;
    let counters: Vec<u32> = {
        let variables = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
        let mut slots: Vec<u32> =
            variables.filter(|binding| binding.group == COUNTERS).map(|binding| binding.binding).collect();
        slots.sort_unstable();
        slots
    };
    let constant_buffers = bindings
        .ranges
        .iter()
        .filter_map(|range| match range.of {
            RegisterOwner::Buffer(id) => Some(buffers::constant_buffer(program, usage, bindings, id)),
            _ => None,
        })
        .collect();
    let main = &program[*function];
    let signature = &entry.signature;
    let parameters = |elements: &[SignatureElement]| elements.iter().map(parameter).collect::<Vec<_>>();
    let constants = signature.constants.as_deref();
    let is = |stage| profile.stage == stage;
    Reflection {
        stage: profile.stage,
        model: profile.model,
        inputs: match profile.stage {
            ShaderStage::Hull | ShaderStage::Domain => patches::inputs(signature),
            _ => parameters(&signature.inputs),
        },
        outputs: parameters(&signature.outputs),
        patch_constants: match constants {
            Some(constants) => parameters(&constants.outputs),
            None if is(ShaderStage::Domain) => patches::read_constants(signature),
            None => Vec::new(),
        },
        constant_buffers,
        resources: resources::resources(program, bindings, &counters),
        thread_group_size: is(ShaderStage::Compute).then_some(entry.threads),
        geometry: is(ShaderStage::Geometry).then(|| geometry::desc(main, signature)).flatten(),
        hull: is(ShaderStage::Hull)
            .then(|| patches::hull(main, constants.map(|constants| &program[constants.function])))
            .flatten(),
        domain: is(ShaderStage::Domain).then(|| patches::domain(main)).flatten(),
        counters,
        requirements: requirements(program, entry, *function, module) | of_registers(bindings, profile),
    }
}

fn parameter(element: &SignatureElement) -> SignatureParameter {
    SignatureParameter {
        semantic_name: element.name.to_string(),
        semantic_index: element.index,
        register: element.register,
        system_value: element.system,
        component_kind: component_kind(element.scalar),
        mask: element.all() << element.start,
        used: element.used << element.start,
        min_precision: min_precision(element.scalar),
        stream: element.stream.into(),
    }
}

fn of_registers(bindings: &Bindings, profile: Profile) -> Requirements {
    let is_unordered = |range: &&RegisterRange| range.class == RegisterClass::Unordered;
    let mut unordered = bindings.ranges.iter().filter(is_unordered);
    let mut requirements = Requirements::empty();
    let everywhere = !matches!(profile.stage, ShaderStage::Pixel | ShaderStage::Compute);
    requirements.set(Requirements::UAVS_AT_EVERY_STAGE, everywhere && unordered.clone().next().is_some());
    requirements.set(Requirements::UAVS_64, unordered.any(|range| range.register + range.count > 8));
    requirements
}

fn requirements(
    program: &Program,
    entry: &Entry,
    function: FunctionId,
    module: &naga::Module,
) -> Requirements {
    let mut requirements = Requirements::empty();
    let is_double = |(_, ty): (_, &naga::Type)| {
        matches!(
            ty.inner,
            naga::TypeInner::Scalar(naga::Scalar::F64)
                | naga::TypeInner::Vector { scalar: naga::Scalar::F64, .. }
        )
    };
    requirements.set(Requirements::DOUBLES, module.types.iter().any(is_double));
    let is_early = program[function].attribute("earlydepthstencil").is_some();
    requirements.set(Requirements::EARLY_DEPTH_STENCIL, is_early);
    requirements.set(Requirements::SAMPLE_FREQUENCY, entry.signature.runs_per_sample());
    requirements
}
