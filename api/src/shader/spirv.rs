//! SPIR-V to naga modules.

use naga::{Module, front::spv};

use super::ShaderError;

/// What DXC writes before the semantic in the name of an input.
const DXC_INPUT: &str = "in.var.";

pub(super) fn parse(bytes: &[u8]) -> Result<Module, ShaderError> {
    // HLSL's clip space is Direct3D's, also in SPIR-V.
    let options = spv::Options { adjust_coordinate_space: false, ..spv::Options::default() };
    let mut module = spv::parse_u8_slice(bytes, &options).map_err(|error| ShaderError::Parse {
        line: 0,
        column: 0,
        message: error.to_string(),
    })?;
    let arguments = module.entry_points.iter_mut().flat_map(|point| &mut point.function.arguments);
    for name in arguments.filter_map(|argument| argument.name.as_mut()) {
        if let Some(semantic) = name.strip_prefix(DXC_INPUT) {
            *name = semantic.to_owned();
        }
    }
    Ok(module)
}
