//! The inputs and outputs of an entry point, and the checks of its signature.

use naga::{Binding, BuiltIn, Handle, Module, Type, TypeInner};
use onze_ddi::{ScalarKind, ShaderInput, ShaderOutput, ShaderReflection, ShaderStage};

use crate::shader::{ShaderError, semantic};

/// Number of locations for a stage's inputs, and for its outputs to the next stage (D3D11:
/// `D3D11_VS_INPUT_REGISTER_COUNT` and `D3D11_PS_INPUT_REGISTER_COUNT`).
const STAGE_LOCATIONS: u32 = 32;
/// Number of locations for a pixel shader's colours (D3D11: `D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT`).
const TARGETS: u32 = 8;

/// An argument or a result of an entry point, or a member of an argument or result that is a struct.
pub(super) struct EntryParameter<'a> {
    name: &'a str,
    binding: &'a Binding,
    inner: &'a TypeInner,
}

/// Calls `f` with an argument or a result, or with each of its members if it is a struct.
pub(super) fn for_each_binding<'a>(
    module: &'a Module,
    name: Option<&'a str>,
    binding: Option<&'a Binding>,
    ty: Handle<Type>,
    mut f: impl FnMut(EntryParameter<'a>),
) {
    let inner = &module.types[ty].inner;
    match (binding, inner) {
        (Some(binding), _) => f(EntryParameter { name: name.unwrap_or_default(), binding, inner }),
        (None, TypeInner::Struct { members, .. }) => {
            for member in members {
                if let Some(binding) = &member.binding {
                    f(EntryParameter {
                        name: member.name.as_deref().unwrap_or_default(),
                        binding,
                        inner: &module.types[member.ty].inner,
                    });
                }
            }
        }
        // Validation rejects all other arguments and results.
        (None, _) => {}
    }
}

pub(super) fn add_input(reflection: &mut ShaderReflection, parameter: EntryParameter<'_>) {
    match *parameter.binding {
        Binding::BuiltIn(builtin) => match builtin {
            BuiltIn::VertexIndex => reflection.uses_vertex_index = true,
            BuiltIn::InstanceIndex => reflection.uses_instance_index = true,
            BuiltIn::Position { .. } => reflection.uses_position = true,
            BuiltIn::FrontFacing => reflection.uses_front_facing = true,
            BuiltIn::SampleIndex => reflection.runs_per_sample = true,
            BuiltIn::SampleMask => reflection.uses_sample_mask = true,
            _ => {}
        },
        Binding::Location { sampling, .. } => {
            if reflection.stage == ShaderStage::Pixel && sampling == Some(naga::Sampling::Sample) {
                reflection.runs_per_sample = true;
            }
            reflection.inputs.extend(input(&parameter));
        }
    }
}

/// Returns a user-defined input, or `None` for a system value.
pub(super) fn input(parameter: &EntryParameter<'_>) -> Option<ShaderInput> {
    let Binding::Location { location, interpolation, sampling, .. } = *parameter.binding else { return None };
    let (kind, components) = component_type(parameter.inner)?;
    let (semantic_name, semantic_index) = semantic::split(parameter.name);
    Some(ShaderInput {
        location,
        name: parameter.name.to_owned(),
        semantic_name,
        semantic_index,
        kind,
        components,
        component_kinds: kind.of_components(components),
        interpolation,
        sampling,
    })
}

pub(super) fn add_output(reflection: &mut ShaderReflection, parameter: EntryParameter<'_>) {
    match *parameter.binding {
        Binding::BuiltIn(BuiltIn::FragDepth) => reflection.writes_depth = true,
        Binding::BuiltIn(BuiltIn::SampleMask) => reflection.writes_sample_mask = true,
        Binding::BuiltIn(_) => {}
        Binding::Location { blend_src, .. } => {
            reflection.dual_source |= blend_src == Some(1);
            reflection.outputs.extend(output(&parameter));
        }
    }
}

/// Returns a user-defined output, or `None` for a system value.
pub(super) fn output(parameter: &EntryParameter<'_>) -> Option<ShaderOutput> {
    let Binding::Location { location, interpolation, sampling, blend_src, .. } = *parameter.binding else {
        return None;
    };
    let (kind, components) = component_type(parameter.inner)?;
    let (semantic_name, semantic_index) = semantic::split(parameter.name);
    Some(ShaderOutput {
        location,
        name: parameter.name.to_owned(),
        semantic_name,
        semantic_index,
        kind,
        components,
        component_kinds: kind.of_components(components),
        interpolation,
        sampling,
        blend_src,
    })
}

/// Returns the scalar kind and the number of components of an input or output, because validation allows only
/// numbers and vectors of numbers.
fn component_type(inner: &TypeInner) -> Option<(ScalarKind, u8)> {
    let (scalar, components) = match *inner {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { size, scalar } => (scalar, size as u8),
        _ => return None,
    };
    let kind = match scalar.kind {
        naga::ScalarKind::Float => ScalarKind::Float,
        naga::ScalarKind::Sint => ScalarKind::Sint,
        naga::ScalarKind::Uint => ScalarKind::Uint,
        _ => return None,
    };
    Some((kind, components))
}

pub(super) fn check_signature(reflection: &ShaderReflection) -> Result<(), ShaderError> {
    let check = |what, name: &str, location, locations| {
        if location < locations {
            return Ok(());
        }
        Err(ShaderError::LocationOutOfRange { what, name: name.to_owned(), location, locations })
    };
    for input in &reflection.inputs {
        check("the input", &input.name, input.location, STAGE_LOCATIONS)?;
    }
    let (what, locations) = match reflection.stage {
        ShaderStage::Pixel => ("the colour", TARGETS),
        ShaderStage::Vertex
        | ShaderStage::Hull
        | ShaderStage::Domain
        | ShaderStage::Geometry
        | ShaderStage::Compute => ("the output", STAGE_LOCATIONS),
    };
    for output in &reflection.outputs {
        check(what, &output.name, output.location, locations)?;
    }
    if reflection.stage == ShaderStage::Vertex {
        refuse_equal_semantics(&reflection.inputs)?;
    }
    Ok(())
}

fn refuse_equal_semantics(inputs: &[ShaderInput]) -> Result<(), ShaderError> {
    for (i, second) in inputs.iter().enumerate() {
        let same = |first: &&ShaderInput| {
            first.semantic_name == second.semantic_name && first.semantic_index == second.semantic_index
        };
        // Modules from other front ends may have no names, so their inputs are matched by location.
        if let Some(first) = inputs[..i].iter().find(same).filter(|_| !second.name.is_empty()) {
            return Err(ShaderError::DuplicateSemantic {
                first: first.name.clone(),
                second: second.name.clone(),
                semantic: second.semantic_name.clone(),
                index: second.semantic_index,
            });
        }
    }
    Ok(())
}
