//! HLSL to naga modules.

use std::path::Path;

use naga::Module;
use onze_ddi::ShaderStage;
use onze_hlsl::{CompileOptions, Compiled, Diagnostics, FolderIncludes, Profile, ShaderModel};

use super::ShaderError;

/// The name of a program without a file, in messages.
const NO_FILE: &str = "shader.hlsl";

/// Compiles a program for a stage.
pub(super) fn parse(
    text: &str,
    entry_point: &str,
    options: Option<&CompileOptions<'_>>,
    stage: ShaderStage,
    warn: &mut dyn FnMut(String),
) -> Result<Module, ShaderError> {
    let options = options.copied().unwrap_or_default();
    module(onze_hlsl::compile(text, NO_FILE, entry_point, profile(stage), &options), warn)
}

/// Compiles a file for a stage.
pub(super) fn parse_file(
    path: &Path,
    entry_point: &str,
    options: Option<&CompileOptions<'_>>,
    stage: ShaderStage,
    warn: &mut dyn FnMut(String),
) -> Result<Module, ShaderError> {
    let text = std::fs::read(path).map_err(|error| ShaderError::Parse {
        line: 0,
        column: 0,
        message: format!("{}: {error}", path.display()),
    })?;
    let text = String::from_utf8_lossy(&text);
    let includes = FolderIncludes::new(path.parent().unwrap_or(Path::new("")));
    let mut options = options.copied().unwrap_or_default();
    options.preprocess.include.get_or_insert(&includes);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    module(onze_hlsl::compile(&text, &name, entry_point, profile(stage), &options), warn)
}

/// The profile of Shader Model 5 for a stage.
fn profile(stage: ShaderStage) -> Profile {
    let stage = match stage {
        ShaderStage::Vertex => onze_hlsl::ShaderStage::Vertex,
        ShaderStage::Hull => onze_hlsl::ShaderStage::Hull,
        ShaderStage::Domain => onze_hlsl::ShaderStage::Domain,
        ShaderStage::Geometry => onze_hlsl::ShaderStage::Geometry,
        ShaderStage::Pixel => onze_hlsl::ShaderStage::Pixel,
        ShaderStage::Compute => onze_hlsl::ShaderStage::Compute,
    };
    Profile::new(stage, ShaderModel::V5_0)
}

fn module(
    compiled: Result<Compiled, Diagnostics>,
    warn: &mut dyn FnMut(String),
) -> Result<Module, ShaderError> {
    match compiled {
        Ok(compiled) => {
            compiled.warnings.iter().map(ToString::to_string).for_each(warn);
            Ok(compiled.module)
        }
        Err(diagnostics) => {
            let (line, column) =
                diagnostics.errors().next().map_or((0, 0), |first| (first.place.line, first.place.column));
            Err(ShaderError::Parse { line, column, message: diagnostics.to_string() })
        }
    }
}
