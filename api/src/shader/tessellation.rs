//! Hull and domain shaders: finds the functions that represent them in a compiled module.

use naga::{Function, Handle, Module, Type};
use onze_ddi::{DomainProgram, HullProgram, TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

use super::{
    geometry::{function, has_position},
    reflect::{vertex_inputs, vertex_outputs},
};

/// The patches and the tessellator's settings of a hull shader in any language.
#[derive(Clone, Debug)]
pub(super) struct HullStage {
    pub(super) input_points: u32,
    pub(super) output_points: u32,
    pub(super) domain: TessellatorDomain,
    pub(super) partitioning: TessellatorPartitioning,
    pub(super) output: TessellatorOutput,
    pub(super) max_tess_factor: f32,
}

/// The patches of a domain shader in any language.
#[derive(Clone, Debug)]
pub(super) struct DomainStage {
    pub(super) domain: TessellatorDomain,
    pub(super) points: Option<u32>,
}

/// Returns the program of a hull shader, or `None` if the module has no such function.
pub(super) fn hull_program(module: &Module, name: &str, stage: &HullStage) -> Option<HullProgram> {
    let patch_constants = function(module, "patch_constants")?;
    let constants = result_of(module, Some(patch_constants))?;
    Some(HullProgram {
        name: name.to_owned(),
        input_points: stage.input_points,
        output_points: stage.output_points,
        domain: stage.domain,
        partitioning: stage.partitioning,
        output: stage.output,
        max_tess_factor: stage.max_tess_factor,
        control_point: function(module, "control_point"),
        patch_constants,
        input_point: function(module, "input_point"),
        output_point: function(module, "output_point"),
        patch_outputs: vertex_outputs(module, constants),
    })
}

/// Returns the program of a domain shader, or `None` if the module has no such function.
pub(super) fn domain_program(module: &Module, name: &str, stage: &DomainStage) -> Option<DomainProgram> {
    let shader = function(module, "domain")?;
    let constants = function(module, "constants");
    let patch_inputs = result_of(module, constants).map(|constants| vertex_inputs(module, constants));
    Some(DomainProgram {
        name: name.to_owned(),
        domain: stage.domain,
        points: stage.points,
        function: shader,
        point: function(module, "point"),
        constants,
        patch_inputs: patch_inputs.unwrap_or_default(),
        has_position: result_of(module, Some(shader)).is_some_and(|vertex| has_position(module, vertex)),
    })
}

/// Returns the type of a function's result.
pub(super) fn result_of(module: &Module, function: Option<Handle<Function>>) -> Option<Handle<Type>> {
    module.functions[function?].result.as_ref().map(|result| result.ty)
}
