//! DXC's tests with shaders of the DirectX SDK, each with a `RUN` line that contains the entry point and the
//! profile.

use std::{io, path::Path};

use super::{expect_by_name, find_files, find_folder, profile, unit};
use crate::{
    shader_test::Stage,
    unit::{Options, Unit},
};

/// Returns the SDK shaders in a folder.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn units(root: &Path) -> io::Result<Vec<Unit>> {
    let folder = find_folder(root, "samples/d3d11")?;
    let mut units = Vec::new();
    for path in find_files(&folder, "hlsl")? {
        let mut found = unit("A7", &folder, &path, "main", Stage::Compute)?;
        let Some((entry, stage, model)) = found.source.lines().find_map(run_line) else { continue };
        found.entry = entry;
        (found.stage, found.model) = (stage, model);
        // DXC packs matrices like FXC by default, but it also accepts syntax that is deprecated in FXC.
        found.options = Options { backwards_compatible: false, ..Options::default() };
        found.measure = match stage {
            Stage::Vertex | Stage::Pixel | Stage::Compute => "A7",
            _ => "A7 gs/hs/ds",
        };
        expect_by_name(&mut found, "A7 by name");
        units.push(found);
    }
    Ok(units)
}

/// Parses a line such as `// RUN: %dxc -E main -T cs_6_0 %s`.
fn run_line(line: &str) -> Option<(String, Stage, crate::shader_test::Model)> {
    let (_, call) = line.split_once("RUN:")?;
    let words: Vec<_> = call.split_whitespace().collect();
    let behind = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    let (stage, model) = profile(behind("-T")?)?;
    Some((behind("-E")?.to_owned(), stage, model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader_test::Model;

    #[test]
    fn the_run_line_is_read() {
        let line = run_line("// RUN: %dxc -E GS -T gs_6_0 -O0 %s | FileCheck %s");
        assert_eq!(line, Some(("GS".to_owned(), Stage::Geometry, Model::Sm5_0)));
        assert_eq!(run_line("// CHECK: x"), None);
    }
}
