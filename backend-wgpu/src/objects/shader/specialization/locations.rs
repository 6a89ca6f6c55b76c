//! New numbers for the locations between a vertex and a pixel shader.
//!
//! A location is a register, and so are the position and the clip distances. wgpu counts those separately, so
//! the last of Direct3D 11's 32 registers is out of range for its locations. If a location is out of range,
//! the pixel shader's inputs are renumbered from 0, and the vertex shader's other outputs are removed.

use std::sync::Arc;

use naga::{Binding, BuiltIn, Handle, Module, Type, TypeInner};
use onze_ddi::{OutputValue, ShaderCode, ShaderReflection, ShaderStage};

use super::{geometry::program, tessellation::returned};

/// The locations of the pixel shader's inputs in the order of their new numbers, or `None` if all locations
/// are unchanged.
pub(crate) type InterstageLocations = Option<Arc<[u32]>>;

/// Returns the binding of a value, or those of its members.
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

/// Returns the bindings of the entry point's inputs.
pub(super) fn inputs(module: &Module) -> impl Iterator<Item = (&Binding, Handle<Type>)> {
    let arguments = module.entry_points.iter().flat_map(|entry| &entry.function.arguments);
    arguments.flat_map(|argument| bindings(module, argument.binding.as_ref(), argument.ty))
}

/// Returns the bindings of the outputs of a vertex or domain shader, or of the first stream of a geometry shader.
fn outputs(code: &ShaderCode) -> Vec<(&Binding, Handle<Type>)> {
    let module = &code.module;
    match program(code) {
        None => {
            let result = returned(code).into_iter();
            result.flat_map(|result| bindings(module, result.binding.as_ref(), result.ty)).collect()
        }
        Some(program) => {
            let append = program.streams.first().and_then(|stream| stream.append);
            let vertex = append.and_then(|append| module.functions[append].arguments.first());
            vertex.map(|vertex| bindings(module, None, vertex.ty)).unwrap_or_default()
        }
    }
}

const fn location((binding, _): (&Binding, Handle<Type>)) -> Option<u32> {
    match binding {
        Binding::Location { location, .. } => Some(*location),
        Binding::BuiltIn(_) => None,
    }
}

/// Returns the number of registers for a shader's clip distances.
fn clip_registers(code: &ShaderCode) -> u32 {
    let size = |(binding, ty): (&Binding, Handle<Type>)| match (binding, &code.module.types[ty].inner) {
        (
            Binding::BuiltIn(BuiltIn::ClipDistances),
            TypeInner::Array { size: naga::ArraySize::Constant(size), .. },
        ) => size.get().div_ceil(4),
        _ => 0,
    };
    let distances = code
        .reflection
        .system_outputs
        .iter()
        .filter(|output| output.stream == 0 && matches!(output.value, OutputValue::ClipDistance(_)));
    outputs(code).into_iter().map(size).sum::<u32>() + (distances.count() as u32).div_ceil(4)
}

/// Returns the number of built-in inputs that wgpu counts with a pixel shader's locations.
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

/// Checks that the adapter has registers for the inputs of a pixel shader. A vertex shader's outputs need
/// registers only if a pixel shader reads them.
pub(crate) fn check(limits: &wgpu::Limits, stage: ShaderStage, module: &Module) -> Result<(), String> {
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

/// Returns the new locations for the pixel shader and the shader before it, and for `index`, which the driver
/// adds between them.
///
/// # Errors
///
/// The adapter has too few registers, because the shader outputs clip distances or draws points.
pub(crate) fn plan(
    limits: &wgpu::Limits,
    before: &ShaderCode,
    pixel: Option<&Module>,
    index: Option<u32>,
    is_points: bool,
) -> Result<InterstageLocations, String> {
    let clip = clip_registers(before);
    let most = limits.max_inter_stage_shader_variables.saturating_sub(clip + u32::from(is_points));
    let mut taken: Vec<_> = pixel.into_iter().flat_map(inputs).filter_map(location).chain(index).collect();
    let mut all = outputs(before).into_iter().filter_map(location).chain(taken.iter().copied());
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
        "the pixel shader takes {} values from the {} shader, and the adapter has {most} registers for them {reason}; \
         put several values into a vector of four components",
        taken.len(),
        before.reflection.stage.name()
    ))
}

/// Returns the lowest location that a shader and the pixel shader after it leave free, or `None` if the adapter
/// has room for no more variables.
pub(crate) fn free(
    limits: &wgpu::Limits,
    before: &ShaderReflection,
    pixel: &ShaderReflection,
) -> Option<u32> {
    /// Number of built-in inputs of pixel shaders, including the position, that wgpu counts as variables.
    const BUILTINS: usize = 4;
    let (outputs, inputs) = (&before.outputs, &pixel.inputs);
    let most = limits.max_inter_stage_shader_variables;
    let is_used = |at: &u32| {
        outputs.iter().any(|output| output.location == *at)
            || inputs.iter().any(|input| input.location == *at)
    };
    let has_room = outputs.len().max(inputs.len()) + 1 + BUILTINS <= most as usize;
    (0..most).filter(|_| has_room).find(|at| !is_used(at))
}

#[cfg(test)]
mod tests;
