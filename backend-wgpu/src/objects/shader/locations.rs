//! The pass for the locations between a vertex and a pixel shader.
//!
//! A location is a register, and registers also hold the position and clip distances. wgpu counts those apart, so the last
//! of Direct3D 11's 32 registers is beyond its locations. Where a location does not fit, the pixel shader's inputs are
//! numbered from 0, and the vertex shader gives nothing else.

use std::sync::Arc;

use naga::{
    Binding, BuiltIn, Expression, FunctionArgument, FunctionResult, Handle, Module, Span, Type, TypeInner,
    UniqueArena,
};
use onze_ddi::ShaderStage;

use super::entry_point::EntryWrapper;

/// The locations of the pixel shader's inputs, in the order of their new numbers; `None` where they keep their own.
pub(crate) type Locations = Option<Arc<[u32]>>;

/// The bindings of a value: its own, or those of its members.
fn bindings<'m>(
    module: &'m Module,
    binding: Option<&'m Binding>,
    ty: Handle<Type>,
) -> Vec<(&'m Binding, Handle<Type>)> {
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => {
            members.iter().filter_map(|member| Some((member.binding.as_ref()?, member.ty))).collect()
        }
        _ => binding.map(|binding| (binding, ty)).into_iter().collect(),
    }
}

/// The bindings of the entry point's inputs.
fn inputs(module: &Module) -> impl Iterator<Item = (&Binding, Handle<Type>)> {
    let arguments = module.entry_points.iter().flat_map(|entry| &entry.function.arguments);
    arguments.flat_map(|argument| bindings(module, argument.binding.as_ref(), argument.ty))
}

/// The bindings of the entry point's outputs.
fn outputs(module: &Module) -> impl Iterator<Item = (&Binding, Handle<Type>)> {
    let results = module.entry_points.iter().filter_map(|entry| entry.function.result.as_ref());
    results.flat_map(|result| bindings(module, result.binding.as_ref(), result.ty))
}

const fn location((binding, _): (&Binding, Handle<Type>)) -> Option<u32> {
    match binding {
        Binding::Location { location, .. } => Some(*location),
        Binding::BuiltIn(_) => None,
    }
}

/// Registers of a vertex shader's clip distances.
fn clip_registers(module: &Module) -> u32 {
    let size = |(binding, ty): (&Binding, Handle<Type>)| match (binding, &module.types[ty].inner) {
        (
            Binding::BuiltIn(BuiltIn::ClipDistances),
            TypeInner::Array { size: naga::ArraySize::Constant(size), .. },
        ) => size.get().div_ceil(4),
        _ => 0,
    };
    outputs(module).map(size).sum()
}

/// Inputs of a pixel shader that wgpu counts with the values of the vertex shader.
fn counted_inputs(module: &Module) -> u32 {
    let is_counted = |(binding, _): &(&Binding, Handle<Type>)| match binding {
        Binding::BuiltIn(builtin) => matches!(
            builtin,
            BuiltIn::FrontFacing | BuiltIn::SampleIndex | BuiltIn::SampleMask | BuiltIn::PrimitiveIndex
        ),
        Binding::Location { .. } => false,
    };
    inputs(module).filter(is_counted).count() as u32
}

/// Checks that the adapter has registers for the inputs of a pixel shader. Those of a vertex shader's outputs that no pixel
/// shader takes need none.
pub(super) fn check(limits: &wgpu::Limits, stage: ShaderStage, module: &Module) -> Result<(), String> {
    if stage != ShaderStage::Pixel {
        return Ok(());
    }
    let most = limits.max_inter_stage_shader_variables;
    let (values, builtins) = (inputs(module).filter_map(location).count() as u32, counted_inputs(module));
    if values + builtins <= most {
        return Ok(());
    }
    let more = match builtins {
        0 => String::new(),
        count => format!(" and {count} system values such as SV_IsFrontFace"),
    };
    Err(format!(
        "the shader takes {values} values{more}, and the adapter has {most} registers for them; put several values into a \
         vector of four components"
    ))
}

/// The new numbers of the locations of two shaders, and of `index`, which the driver adds between them.
///
/// # Errors
/// The adapter has too few registers for the values, because the vertex shader gives clip distances or draws points.
pub(crate) fn plan(
    limits: &wgpu::Limits,
    vertex: &Module,
    pixel: Option<&Module>,
    index: Option<u32>,
    is_points: bool,
) -> Result<Locations, String> {
    let clip = clip_registers(vertex);
    let most = limits.max_inter_stage_shader_variables.saturating_sub(clip + u32::from(is_points));
    let mut taken: Vec<_> = pixel.into_iter().flat_map(inputs).filter_map(location).chain(index).collect();
    let mut all = outputs(vertex).filter_map(location).chain(taken.iter().copied());
    if all.all(|location| location < most) {
        return Ok(None);
    }
    taken.sort_unstable();
    taken.dedup();
    if taken.len() as u32 <= most {
        return Ok(Some(taken.into()));
    }
    let reason = match (clip, is_points) {
        (0, _) => "where it draws points",
        (_, true) => "where it draws points with these clip distances",
        (_, false) => "with these clip distances",
    };
    Err(format!(
        "the pixel shader takes {} values from the vertex shader, and the adapter has {most} registers for them {reason}; \
         put several values into a vector of four components",
        taken.len()
    ))
}

/// The binding with its new number; `None` if no pixel shader takes the value.
fn renumbered(binding: &Binding, locations: &[u32]) -> Option<Binding> {
    let mut binding = binding.clone();
    if let Binding::Location { location, .. } = &mut binding {
        *location = locations.iter().position(|other| other == location)? as u32;
    }
    Some(binding)
}

/// The type of the same structure with the new locations, and the members that it keeps. `None` for other types.
fn renumbered_type(
    types: &mut UniqueArena<Type>,
    ty: Handle<Type>,
    locations: &[u32],
) -> Option<(Handle<Type>, Vec<u32>)> {
    let Ok(Type { name, inner: TypeInner::Struct { members, span } }) = types.get_handle(ty).cloned() else {
        return None;
    };
    let (mut kept, mut places) = (Vec::with_capacity(members.len()), Vec::with_capacity(members.len()));
    for (place, mut member) in (0..).zip(members) {
        if let Some(binding) = &member.binding {
            let Some(binding) = renumbered(binding, locations) else { continue };
            member.binding = Some(binding);
        }
        kept.push(member);
        places.push(place);
    }
    let inner = TypeInner::Struct { members: kept, span };
    Some((types.insert(Type { name, inner }, Span::UNDEFINED), places))
}

/// Gives the locations between the stages their new numbers, in the module's only entry point.
pub(super) fn apply(module: &mut Module, locations: &[u32]) {
    match module.entry_points.first().map(|entry| entry.stage) {
        Some(naga::ShaderStage::Vertex) => renumber_result(module, locations),
        Some(naga::ShaderStage::Fragment) => renumber_arguments(module, locations),
        _ => {}
    }
}

fn renumber_result(module: &mut Module, locations: &[u32]) {
    let Some(wrapper) = EntryWrapper::new(module, "before_locations") else { return };
    wrapper.finish(module, |function, types, base, result| {
        // A result that is not a structure is the position.
        let (ty, places) = renumbered_type(types, result.ty, locations)?;
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let parts = places.into_iter().map(|index| Expression::AccessIndex { base, index });
        let components = parts.map(&mut add).collect();
        Some((add(Expression::Compose { ty, components }), FunctionResult { ty, binding: None }))
    });
}

fn renumber_arguments(module: &mut Module, locations: &[u32]) {
    let Some((mut wrapper, given)) = EntryWrapper::without_arguments(module, "after_locations") else {
        return;
    };
    let mut changed = Vec::with_capacity(given.len());
    for argument in given {
        // All of them are in the list, so no member goes.
        let binding = argument.binding.and_then(|binding| renumbered(&binding, locations));
        let structure = renumbered_type(&mut module.types, argument.ty, locations);
        let (ty, places) = structure.map_or((argument.ty, None), |(ty, places)| (ty, Some(places)));
        let value = wrapper.add_argument(FunctionArgument { name: argument.name, ty, binding });
        changed.push((value, argument.ty, places));
    }
    wrapper.set_arguments(|function| {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let mut arguments = Vec::with_capacity(changed.len());
        for (base, ty, places) in changed {
            arguments.push(match places {
                Some(places) => {
                    let parts = places.into_iter().map(|index| Expression::AccessIndex { base, index });
                    let components = parts.map(&mut add).collect();
                    add(Expression::Compose { ty, components })
                }
                None => base,
            });
        }
        arguments
    });
    wrapper.finish(module, |_, _, _, _| None);
}

#[cfg(test)]
mod tests;
