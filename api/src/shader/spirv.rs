//! Translation of SPIR-V to naga modules with naga's front end.

use naga::{Module, front::spv};

use super::ShaderError;

/// DXC's prefix for input names, followed by the semantic.
const DXC_INPUT: &str = "in.var.";

pub(super) fn parse(bytes: &[u8]) -> Result<Module, ShaderError> {
    // The module uses Direct3D's clip space, so y is not flipped.
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
