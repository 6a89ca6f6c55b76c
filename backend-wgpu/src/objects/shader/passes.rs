//! The specialiser: one pipeline of passes that rewrites a shader's module for a [`Specialization`].
//!
//! [`specialize`] copies the runtime's module and runs the passes of [`PASSES`] in order. A pass runs only if
//! its condition holds. Every pass is a function of a [`PassContext`], so the result depends only on the
//! shader, the key and the backend. The backend is constant for a device, so the [`Specialization`] alone is
//! the cache key.
//!
//! The shaders of a chain, which one stage of wgpu executes, first get code that initialises their private variables
//! ([`private_variables`]).
//!
//! | pass | part of the key | reason for its position |
//! | --- | --- | --- |
//! | `bindings` | none | The other passes find variables by the driver's bindings. |
//! | `constant_rows` | `seen.rows` | `ranges` compares with the bound rows, and `by_index` derives strides from them. |
//! | `sample_count` | `samples` | Replaces expressions in place, so `counts` still finds its expressions. |
//! | `driver_constants` | `block` | Declares the variable that later passes read. |
//! | `counts` | `block` | Finds expressions by the runtime's handles, which later passes change. |
//! | `starts` | `block` | `pull` removes the arguments, and its own functions subtract the starts. |
//! | `other_kinds` | `seen.others` | `clamps` and `single_samples` also rewrite the loads that it adds. |
//! | `clamps` | `seen.clamps` | Must not rewrite the loads that `sampling` adds. |
//! | `sampling` | `seen.samplings` | Its functions have the texture types that the two passes above leave. |
//! | `single_samples` | `seen.single` | Also rewrites the loads that `other_kinds` adds. |
//! | `depth` | `depth_location` | Changes the shader's result type in place, before others derive types from it. |
//! | `outputs` | `outputs` | Adapts the shader's own outputs, without those that the next two passes add. |
//! | `fill_first` | `fills_first` | See `outputs`. |
//! | `sample_counter` | `count_location` | See `outputs`. |
//! | `varyings` | `varyings` | Finds outputs by the locations that `locations` replaces. |
//! | `ranges` | none | Checks the shader's accesses, without those that `by_index`, `typed` and `pull` add. |
//! | `fitted_viewport` | `is_fitted` | Its results have the bindings that `invariant_position` marks. |
//! | `invariant_position` | none | `by_index` copies the mark to its own result type. |
//! | `by_index` | `by_index` | `locations` renumbers the location of the index. |
//! | `typed` | `seen.views` | See `ranges`. |
//! | `pull` | `pull` | Keeps the built-in arguments that earlier passes use. |
//! | `pixel_inputs` | `pixel_inputs` | `locations` renumbers the location that it adds. |
//! | `locations` | `locations` | The other passes find inputs and outputs by the shader's locations. |
//! | `position_w` | none | Applies to Direct3D 12 only, and wraps the final pixel shader. |

mod bindings;
mod by_index;
mod clamps;
mod constant_rows;
mod context;
mod counts;
mod depth;
mod driver_constants;
mod fill_first;
mod fitted_viewport;
mod geometry;
mod invariant_position;
mod locations;
mod other_kinds;
mod outputs;
mod pixel_inputs;
mod position_w;
mod private_variables;
mod pull;
mod ranges;
mod sample_count;
mod sample_counter;
mod sampling;
mod single_samples;
mod starts;
mod streams;
mod tessellation;
mod typed;
mod varyings;
mod wgsl;

use onze_ddi::ShaderCode;

use super::specialization::{
    Specialization,
    geometry::{GeometryStage, program},
    streams::StreamStage,
    tessellation::domain_program,
};

use self::context::{ModulePass, PassContext, PassScope};

/// All passes, in the order of execution.
const PASSES: [ModulePass; 24] = [
    bindings::PASS,
    constant_rows::PASS,
    sample_count::PASS,
    driver_constants::PASS,
    counts::PASS,
    starts::PASS,
    other_kinds::PASS,
    clamps::PASS,
    sampling::PASS,
    single_samples::PASS,
    depth::PASS,
    outputs::PASS,
    fill_first::PASS,
    sample_counter::PASS,
    varyings::PASS,
    ranges::PASS,
    fitted_viewport::PASS,
    invariant_position::PASS,
    by_index::PASS,
    typed::PASS,
    pull::PASS,
    pixel_inputs::PASS,
    locations::PASS,
    position_w::PASS,
];

/// Returns the module of a shader for a key and a backend.
pub(crate) fn specialize(code: &ShaderCode, key: &Specialization, backend: wgpu::Backend) -> naga::Module {
    let mut context = PassContext::new(code, key, backend);
    if key.is_one_shader() {
        context.run(&|_| true);
    } else {
        run_chain(&mut context);
        // The texts of the driver have functions that not every draw calls. Compilers translate all functions of a module
        // before they drop the unused ones.
        naga::compact::compact(&mut context.module, naga::compact::KeepUnused::No);
    }
    #[cfg(test)]
    let _languages = tests::languages::write_in_all_languages(code, &context.module);
    context.module
}

/// Rewrites each shader of a chain that one stage of wgpu executes, and merges their modules.
fn run_chain(context: &mut PassContext<'_>) {
    let key = context.key;
    let patches = key.tessellation.as_deref().zip(key.pull.as_deref());
    let domain = domain_program(context.code).map(|program| {
        tessellation::name_functions(&mut context.module, program);
        tessellation::DOMAIN
    });
    context.run_in_chain(domain);
    if let Some((stage, pull)) = patches {
        let is_last = key.streams.is_none() && key.geometry.is_none();
        tessellation::apply(&mut context.module, stage, pull, is_last);
    }
    if let Some(stage) = key.streams.as_deref() {
        return write_streams(context, stage);
    }
    if let Some(stage) = key.geometry.as_deref() {
        add_geometry(context, stage);
    }
    context.run(&|pass| pass.scope == PassScope::Outputs);
}

/// Rewrites a geometry shader and adds it to the module of the vertex shader.
fn add_geometry(context: &mut PassContext<'_>, stage: &GeometryStage) {
    let (Some(program), Some(pull)) = (program(&stage.code), &context.key.pull) else { return };
    let mut geometry = PassContext::new(&stage.code, &stage.key, context.backend);
    geometry::name_functions(&mut geometry.module, program);
    geometry.run_in_chain(Some(geometry::GEOMETRY));
    geometry::merge(&mut context.module, pull, geometry.module, program, stage);
}

/// Turns a vertex shader, and the geometry shader if there is one, into a compute shader that writes streams.
fn write_streams(context: &mut PassContext<'_>, stage: &StreamStage) {
    let Some(pull) = &context.key.pull else { return };
    let geometry = program(&stage.output.code).map(|program| {
        let mut geometry = PassContext::new(&stage.output.code, &stage.key, context.backend);
        geometry::name_functions(&mut geometry.module, program);
        geometry.run_in_chain(Some(geometry::GEOMETRY));
        (geometry.module, program)
    });
    streams::merge(&mut context.module, pull, geometry, stage);
}

impl PassContext<'_> {
    /// Rewrites a shader before its module is merged. `name` is the name of the function that represents the shader, or
    /// `None` if the entry point does.
    fn run_in_chain(&mut self, name: Option<&str>) {
        private_variables::initialize(&mut self.module, name);
        self.run(&|pass| pass.scope == PassScope::Shader);
    }

    /// Runs those passes that are chosen and whose conditions hold.
    fn run(&mut self, is_chosen: &dyn Fn(&ModulePass) -> bool) {
        for pass in PASSES.iter().filter(|pass| is_chosen(pass)) {
            if (pass.applies)(self) {
                tracing::trace!("shader pass {}", pass.name);
                (pass.run)(self);
            }
        }
    }
}

pub(crate) use self::tessellation::{TessellatorPart, tessellator_text};

#[cfg(test)]
pub(crate) mod tests;
