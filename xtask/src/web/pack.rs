//! Writes the files that a browser loads for a program: its module and its JavaScript.

use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use super::at;
use crate::error::Error;

/// Writes the WebAssembly module and the JavaScript of a built program into a folder, and returns the
/// module's size in bytes.
pub(super) fn pack(wasm: &Path, folder: &Path) -> Result<u64, Error> {
    let failed = |error| Error::Web(format!("{}: wasm-bindgen: {error:#}", wasm.display()));
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).remove_name_section(true).typescript(false).omit_default_module_path(false);
    bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)).map_err(failed)?;
    let name = wasm.file_stem().unwrap_or_default().to_string_lossy();
    let module = folder.join(format!("{name}_bg.wasm"));
    Ok(module.metadata().map_err(|error| at(&module, &error))?.len())
}
