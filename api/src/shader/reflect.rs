//! Reflection of an entry point's bindings, inputs and outputs.
//!
//! The module has been compacted, so it only contains variables that the entry point uses. Bindings are read
//! before the final validation, because their errors name the variables. Signatures are read after the final
//! validation, which guarantees that they are well-formed.

mod bindings;
mod signature;

use naga::{Function, GlobalVariable, Handle, ImageDimension, Module, Type, TypeInner, valid::ModuleInfo};
use onze_ddi::{
    GeometryProgram, HullProgram, SampledPair, ShaderInput, ShaderOutput, ShaderProgram, ShaderReflection,
    ShaderStage,
};

use super::{ShaderError, tessellation::result_of};

pub(super) use bindings::EntryBindings;
use signature::{EntryParameter, add_input, add_output, check_signature, for_each_binding, input, output};

/// Returns Direct3D 11's name for naga's stage.
pub(super) fn stage_name(stage: naga::ShaderStage) -> &'static str {
    match stage {
        naga::ShaderStage::Vertex => "vertex",
        naga::ShaderStage::Fragment => "pixel",
        naga::ShaderStage::Compute => "compute",
        naga::ShaderStage::Task => "task",
        naga::ShaderStage::Mesh => "mesh",
        _ => "ray-tracing",
    }
}

impl EntryBindings {
    /// Completes the reflection with the signature of the module's only entry point and the results of
    /// validation.
    pub(super) fn into_reflection(
        self,
        module: &Module,
        info: &ModuleInfo,
        stage: ShaderStage,
        program: &ShaderProgram,
    ) -> Result<ShaderReflection, ShaderError> {
        let mut reflection = ShaderReflection {
            stage,
            constant_buffers: self.constant_buffers,
            resources: self.resources,
            samplers: self.samplers,
            unordered_access: self.unordered_access,
            counters: self.counters,
            sampled_pairs: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            workgroup_size: [0; 3],
            uses_vertex_index: false,
            uses_instance_index: false,
            uses_position: false,
            uses_front_facing: false,
            runs_per_sample: false,
            uses_sample_mask: false,
            writes_depth: false,
            writes_sample_mask: false,
            dual_source: false,
            system_outputs: Vec::new(),
            discards: false,
        };
        let Some(entry_point) = module.entry_points.first() else {
            return Ok(reflection);
        };
        if stage == ShaderStage::Compute {
            reflection.workgroup_size = entry_point.workgroup_size;
        }
        match program {
            ShaderProgram::EntryPoint(_) => {}
            ShaderProgram::Geometry(program) => add_vertices(&mut reflection, module, program),
            ShaderProgram::Hull(program) => add_control_points(&mut reflection, module, program),
            ShaderProgram::Domain(program) => {
                add_members(&mut reflection, module, program.point, add_input);
                add_members(&mut reflection, module, Some(program.function), add_output);
            }
        }
        let function = &entry_point.function;
        for argument in &function.arguments {
            let name = argument.name.as_deref();
            for_each_binding(module, name, argument.binding.as_ref(), argument.ty, |p| {
                add_input(&mut reflection, p);
            });
        }
        if let Some(result) = &function.result {
            for_each_binding(module, None, result.binding.as_ref(), result.ty, |p| {
                add_output(&mut reflection, p);
            });
        }
        let facts = info.get_entry_point(0);
        reflection.discards = facts.may_kill;
        reflection.sampled_pairs = sampled_pairs(module, facts);
        refuse_offsets_in_1d(module)?;
        reflection.inputs.sort_by_key(|i| i.location);
        reflection.outputs.sort_by_key(|o| (o.location, o.blend_src));
        check_signature(&reflection)?;
        Ok(reflection)
    }
}

/// Adds the elements of the vertices that a geometry shader reads, and of those that it appends to its first stream.
fn add_vertices(reflection: &mut ShaderReflection, module: &Module, program: &GeometryProgram) {
    add_members(reflection, module, program.vertex, add_input);
    if let Some(stream) = program.streams.first() {
        reflection.outputs.extend_from_slice(&stream.outputs);
    }
}

/// Adds the elements of the control points that a hull shader reads, and of those that it outputs. Without a function of
/// control points, the former are also the latter.
fn add_control_points(reflection: &mut ShaderReflection, module: &Module, program: &HullProgram) {
    add_members(reflection, module, program.input_point, add_input);
    let output = match program.output_points {
        0 => None,
        _ => program.control_point.or(program.input_point),
    };
    add_members(reflection, module, output, add_output);
}

/// Calls `add` with each member of the structure that a function returns.
fn add_members(
    reflection: &mut ShaderReflection,
    module: &Module,
    function: Option<Handle<Function>>,
    add: fn(&mut ShaderReflection, EntryParameter<'_>),
) {
    if let Some(result) = result_of(module, function) {
        for_each_binding(module, None, None, result, |parameter| add(reflection, parameter));
    }
}

/// Returns the inputs of a structure, by location.
pub(super) fn vertex_inputs(module: &Module, vertex: Handle<Type>) -> Vec<ShaderInput> {
    let mut inputs = Vec::new();
    for_each_binding(module, None, None, vertex, |parameter| inputs.extend(input(&parameter)));
    inputs.sort_by_key(|input| input.location);
    inputs
}

/// Returns the outputs of a structure, such as the vertices of a geometry shader's stream, by location.
pub(super) fn vertex_outputs(module: &Module, vertex: Handle<Type>) -> Vec<ShaderOutput> {
    let mut outputs = Vec::new();
    for_each_binding(module, None, None, vertex, |parameter| outputs.extend(output(&parameter)));
    outputs.sort_by_key(|output| output.location);
    outputs
}

/// Rejects modules that sample a 1D texture at an offset, which SPIR-V and GLSL can express but WGSL cannot.
fn refuse_offsets_in_1d(module: &Module) -> Result<(), ShaderError> {
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        for (_, expression) in function.expressions.iter() {
            let naga::Expression::ImageSample { image, offset: Some(_), .. } = *expression else { continue };
            let (ty, name) = match function.expressions[image] {
                naga::Expression::GlobalVariable(variable) => {
                    let variable = &module.global_variables[variable];
                    (variable.ty, variable.name.as_deref())
                }
                naga::Expression::FunctionArgument(at) => match function.arguments.get(at as usize) {
                    Some(argument) => (argument.ty, argument.name.as_deref()),
                    None => continue,
                },
                _ => continue,
            };
            if matches!(module.types[ty].inner, TypeInner::Image { dim: ImageDimension::D1, .. }) {
                return Err(ShaderError::Offset1d { variable: name.unwrap_or_default().to_owned() });
            }
        }
    }
    Ok(())
}

fn sampled_pairs(module: &Module, facts: &naga::valid::FunctionInfo) -> Vec<SampledPair> {
    let slot = |handle| {
        let variable: &GlobalVariable = &module.global_variables[handle];
        variable.binding.map(|place| place.binding)
    };
    let mut pairs: Vec<_> = facts
        .sampling_set
        .iter()
        .filter_map(|key| Some(SampledPair { resource: slot(key.image)?, sampler: slot(key.sampler)? }))
        .collect();
    pairs.sort_unstable();
    pairs
}
