//! Geometry shaders: finds the functions that represent a geometry shader in a compiled module. The names of functions
//! and the limits on their abilities are also those of hull and domain shaders.

use naga::{AddressSpace, Binding, BuiltIn, Function, Handle, Module, Type, TypeInner, valid::ShaderStages};
use onze_ddi::{GeometryProgram, GeometryStream, InputPrimitive, ShaderCode, ShaderProgram, StreamTopology};

use super::{ShaderError, reflect::vertex_outputs};

/// The prefix of the functions' names. No language has such names, so they are unique.
pub(super) const PREFIX: &str = "onze.";

/// The primitives of a geometry shader in any language.
#[derive(Clone, Debug)]
pub(super) struct GeometryStage {
    pub(super) input: InputPrimitive,
    pub(super) max_vertex_count: u32,
    pub(super) instance_count: u32,
    pub(super) streams: Vec<StreamTopology>,
}

/// Returns the program of a geometry shader, or `None` if the module has no such function.
pub(super) fn program(module: &Module, name: &str, stage: &GeometryStage) -> Option<GeometryProgram> {
    let streams = stage.streams.iter().enumerate().map(|(stream, topology)| {
        let append = function(module, &format!("append{stream}"));
        GeometryStream {
            topology: *topology,
            append,
            restart: function(module, &format!("restart{stream}")),
            has_position: append
                .and_then(|append| vertex_of(module, append))
                .is_some_and(|vertex| has_position(module, vertex)),
            outputs: append
                .and_then(|append| vertex_of(module, append))
                .map_or_else(Vec::new, |vertex| vertex_outputs(module, vertex)),
        }
    });
    Some(GeometryProgram {
        name: name.to_owned(),
        input: stage.input,
        max_vertex_count: stage.max_vertex_count,
        instance_count: stage.instance_count,
        function: function(module, "geometry")?,
        vertex: function(module, "vertex"),
        streams: streams.collect(),
    })
}

/// Rejects a geometry, hull or domain shader that uses shared memory or barriers, which are valid in its compute entry
/// point.
pub(super) fn check_abilities(code: &ShaderCode) -> Result<(), ShaderError> {
    let functions = match &code.program {
        ShaderProgram::EntryPoint(_) => return Ok(()),
        ShaderProgram::Geometry(program) => [Some(program.function), None],
        ShaderProgram::Hull(program) => [Some(program.patch_constants), program.control_point],
        ShaderProgram::Domain(program) => [Some(program.function), None],
    };
    let mut variables = code.module.global_variables.iter();
    let has_barrier =
        |function: Handle<Function>| !code.info[function].available_stages.contains(ShaderStages::VERTEX);
    let reason = if variables.any(|(_, variable)| variable.space == AddressSpace::WorkGroup) {
        "`var<workgroup>`"
    } else if functions.into_iter().flatten().any(has_barrier) {
        "a barrier"
    } else {
        return Ok(());
    };
    Err(ShaderError::of_stage(
        code.reflection.stage,
        format!("it uses {reason}, which only compute shaders can use"),
    ))
}

/// Returns the function named [`PREFIX`] and `name`.
pub(super) fn function(module: &Module, name: &str) -> Option<Handle<Function>> {
    let is_it =
        |function: &Function| function.name.as_deref().and_then(|own| own.strip_prefix(PREFIX)) == Some(name);
    module.functions.iter().find(|(_, function)| is_it(function)).map(|(handle, _)| handle)
}

/// Returns the type of the vertices that a function appends.
pub(super) fn vertex_of(module: &Module, append: Handle<Function>) -> Option<Handle<Type>> {
    module.functions[append].arguments.first().map(|vertex| vertex.ty)
}

/// Whether a vertex has a position.
pub(super) fn has_position(module: &Module, vertex: Handle<Type>) -> bool {
    let is_position = |binding: &Binding| matches!(binding, Binding::BuiltIn(BuiltIn::Position { .. }));
    bindings(module, vertex).flatten().any(is_position)
}

/// Returns the bindings of the members of a vertex.
pub(super) fn bindings(module: &Module, vertex: Handle<Type>) -> impl Iterator<Item = Option<&Binding>> {
    let members = match &module.types[vertex].inner {
        TypeInner::Struct { members, .. } => members.as_slice(),
        _ => &[],
    };
    members.iter().map(|member| member.binding.as_ref())
}
