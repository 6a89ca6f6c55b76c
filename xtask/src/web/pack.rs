//! What a browser loads: the program, its JavaScript, and a page.

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

/// The page: a link for each program, and the one that `?program=` names.
pub(super) fn page(programs: &[&str]) -> String {
    let link = |program: &&str| format!("<a href=\"?program={program}\">{program}</a>\n");
    include_str!("page.html").replace("LINKS", programs.iter().map(link).collect::<String>().trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_links_to_every_program() {
        let page = page(&["one", "two"]);
        assert!(
            page.contains("<a href=\"?program=one\">one</a>\n<a href=\"?program=two\">two</a>"),
            "{page}"
        );
    }
}
