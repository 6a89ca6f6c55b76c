//! Validates modules and writes them with all of naga's backends.

use naga::{
    Module,
    back::{PipelineConstants, hlsl, msl, pipeline_constants::process_overrides, spv, wgsl},
    valid::{Capabilities, ModuleInfo, ValidationFlags, Validator},
};

use crate::engine::guarded;

/// Validates a module with all of naga's capabilities enabled.
///
/// # Errors
///
/// Returns naga's description of the error and its causes.
pub fn validate(module: &Module) -> Result<ModuleInfo, String> {
    let validated = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module);
    validated.map_err(|error| error.emit_to_string(""))
}

/// Returns the failures of a module, each with a message and the name of a language, or `naga` for the
/// validation. A panic in naga also counts as a failure.
pub fn failures(module: &Module) -> Vec<(&'static str, String)> {
    let info = match validate(module) {
        Ok(info) => info,
        Err(message) => return vec![("naga", message)],
    };
    // Pipeline constants are replaced by their default values, because only the WGSL backend supports them.
    let (module, info) = match process_overrides(module, &info, None, &PipelineConstants::default()) {
        Ok((module, info)) => (module, info),
        Err(error) => return vec![("naga", error.to_string())],
    };
    let (module, info) = (&*module, &*info);
    type Writer = fn(&Module, &ModuleInfo) -> Result<(), String>;
    let mut writers: Vec<(_, Writer)> = vec![("wgsl", wgsl), ("spv", spirv), ("hlsl", hlsl)];
    // Metal does not support doubles.
    if !has_doubles(module) {
        writers.push(("msl", metal));
    }
    let results = writers
        .into_iter()
        .map(|(language, write)| (language, guarded(|| write(module, info)).unwrap_or_else(Err)));
    results.filter_map(|(language, result)| Some((language, result.err()?))).collect()
}

fn has_doubles(module: &Module) -> bool {
    let capabilities = Capabilities::all() - Capabilities::FLOAT64;
    Validator::new(ValidationFlags::all(), capabilities).validate(module).is_err()
}

fn wgsl(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    wgsl::write_string(module, info, wgsl::WriterFlags::empty()).map(drop).map_err(|error| error.to_string())
}

fn spirv(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let options = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
    spv::write_vec(module, info, &options, None).map(drop).map_err(|error| error.to_string())
}

fn metal(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let options =
        msl::Options { lang_version: (3, 1), fake_missing_bindings: true, ..msl::Options::default() };
    let pipeline = msl::PipelineOptions::default();
    msl::write_string(module, info, &options, &pipeline).map(drop).map_err(|error| error.to_string())
}

fn hlsl(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        fake_missing_bindings: true,
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions::default();
    let mut text = String::new();
    let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
    writer.write(module, info, None).map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use naga::{AddressSpace, GlobalVariable, Handle, Span, TypeInner};

    use super::*;

    #[test]
    fn empty_modules_are_written_and_invalid_ones_reported() {
        let mut module = Module::default();
        assert_eq!(failures(&module), []);
        let sampler = TypeInner::Sampler { comparison: false };
        let ty: Handle<_> = module.types.insert(naga::Type { name: None, inner: sampler }, Span::default());
        let variable = GlobalVariable {
            name: None,
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        module.global_variables.append(variable, Span::default());
        assert_eq!(failures(&module)[0].0, "naga");
    }
}
