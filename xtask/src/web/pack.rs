//! What a browser loads of a program: its module and its JavaScript.

use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use super::at;
use crate::error::Error;

/// Makes a module of a built program, and writes it and its JavaScript into a folder; gives the module's bytes.
pub(super) fn pack(wasm: &Path, folder: &Path) -> Result<u64, Error> {
    let failed = |error| Error::Web(format!("{}: wasm-bindgen: {error:#}", wasm.display()));
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).remove_name_section(true).typescript(false).omit_default_module_path(false);
    bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)).map_err(failed)?;
    let name = wasm.file_stem().unwrap_or_default().to_string_lossy();
    let module = folder.join(format!("{name}_bg.wasm"));
    Ok(module.metadata().map_err(|error| at(&module, &error))?.len())
}
