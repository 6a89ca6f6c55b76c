//! Calls the compiler for all suites.

use onze_hlsl::{
    CompileOptions, Compiled, Diagnostics, FolderIncludes, IncludeHandler, PreprocessOptions, compile as hlsl,
};

use crate::unit::Unit;

/// Compiles a shader.
///
/// # Errors
///
/// Returns the compiler's messages if it refuses the shader.
pub fn compile(unit: &Unit) -> Result<Compiled, Diagnostics> {
    let Ok(profile) = unit.profile().parse() else { return Err(Diagnostics::default()) };
    with_options(unit, |options| hlsl(&unit.source, &unit.file, &unit.entry, profile, options))
}

/// Calls a function with the compile options of a shader.
pub fn with_options<T>(unit: &Unit, call: impl FnOnce(&CompileOptions<'_>) -> T) -> T {
    let includes = includes(unit);
    let include = includes.as_ref().map(|includes| includes as &dyn IncludeHandler);
    let options = CompileOptions {
        preprocess: PreprocessOptions { macros: &unit.macros, include },
        pack_matrices_by_rows: unit.options.row_major,
        strict: unit.options.strict,
        backwards_compatible: unit.options.backwards_compatible,
        ..CompileOptions::default()
    };
    call(&options)
}

fn includes(unit: &Unit) -> Option<FolderIncludes> {
    let (first, others) = unit.folders.split_first()?;
    Some(others.iter().fold(FolderIncludes::new(first), FolderIncludes::with_folder))
}
