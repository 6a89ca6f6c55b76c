//! The one place that calls the compiler.

use onze_hlsl::{Diagnostics, FolderIncludes, IncludeHandler, PreprocessOptions, check_program};

use crate::{shader_test::Model, unit::Unit};

/// Compiles a shader. The module is missing as long as there is none to be had.
///
/// # Errors
///
/// What the compiler reports.
pub fn compile(unit: &Unit) -> Result<Option<naga::Module>, Diagnostics> {
    let includes = includes(unit);
    let include = includes.as_ref().map(|includes| includes as &dyn IncludeHandler);
    let options = PreprocessOptions { macros: &unit.macros, include };
    let language = unit.options;
    check_program(
        &unit.source,
        &unit.file,
        &options,
        language.row_major,
        language.backwards_compatible,
        unit.model >= Model::Sm5_0,
    )?;
    Ok(None)
}

/// Where the included files of a shader are.
fn includes(unit: &Unit) -> Option<FolderIncludes> {
    let (first, others) = unit.folders.split_first()?;
    Some(others.iter().fold(FolderIncludes::new(first), FolderIncludes::with_folder))
}
