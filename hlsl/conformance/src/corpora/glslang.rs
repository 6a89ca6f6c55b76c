//! The HLSL tests of glslang, whose C++ code lists the entry points and whose stored results show which
//! shaders have errors.

mod mend;
mod refusals;

use std::{fs, io, path::Path};

use self::refusals::{has_rest, is_right, refusal};
use super::{find_folder, unit};
use crate::{
    shader_test::Stage,
    unit::{Refusal, Unit},
};

/// Returns the shaders that the list of tests contains.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn units(root: &Path) -> io::Result<Vec<Unit>> {
    let tests = find_folder(root, "gtests")?;
    let list = fs::read_to_string(tests.join("Hlsl.FromFile.cpp"))?;
    let folder = tests.with_file_name("Test");
    let mut units: Vec<Unit> = Vec::new();
    for Listed { file, entry, backwards_compatible } in entries(&list) {
        let path = folder.join(file);
        let stage = path.extension().and_then(|extension| stage_of(extension.to_str()?));
        let (Some(stage), true) = (stage, path.is_file()) else { continue };
        if units.iter().any(|unit| unit.file == file && unit.entry == entry) {
            continue;
        }
        let result = folder.join("baseResults").join(format!("{file}.out"));
        let refused = fs::read(result).is_ok_and(|text| String::from_utf8_lossy(&text).contains("ERROR: "));
        let refused = refused && !is_right(file);
        let refusal = if refused { None } else { refusal(file) };
        let measure = match (stage, refused, refusal) {
            (_, true, _) => "A11 fail",
            (_, _, Some(Refusal { code: 9004, .. })) => "A11 by name",
            (_, _, Some(_)) => "A11 as FXC",
            (Stage::Vertex | Stage::Pixel | Stage::Compute, ..) => "A11 pass",
            _ => "A11 gs/hs/ds",
        };
        let mut unit = unit(measure, &folder, &path, entry, stage)?;
        unit.options.backwards_compatible = backwards_compatible;
        if measure == "A11 as FXC" && has_rest(file) {
            units.push(Unit { measure: "A11 rest", ..mend::mended(&unit) });
        }
        units.push(Unit { fails: refused || refusal.is_some(), refusal, ..unit });
    }
    Ok(units)
}

fn stage_of(extension: &str) -> Option<Stage> {
    Some(match extension {
        "vert" => Stage::Vertex,
        "frag" => Stage::Pixel,
        "comp" => Stage::Compute,
        "geom" => Stage::Geometry,
        "tesc" => Stage::Hull,
        "tese" => Stage::Domain,
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Listed<'a> {
    file: &'a str,
    entry: &'a str,
    /// Whether the shader is compiled in backwards-compatible mode.
    backwards_compatible: bool,
}

/// Returns the entries of the list that name a shader, such as `{"hlsl.a.frag", "main"}`.
fn entries(list: &str) -> Vec<Listed<'_>> {
    let mut backwards_compatible = false;
    let mut rows = Vec::new();
    for line in list.lines().map(str::trim) {
        // Each section begins with the name of its test.
        if line.starts_with("ToSpirv, ") {
            backwards_compatible = line.contains("DX9Compatible");
        }
        if let Some((file, entry)) = pair(line).filter(|(file, _)| file.starts_with("hlsl.")) {
            rows.push(Listed { file, entry, backwards_compatible });
        }
    }
    rows
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("{\"")?;
    let (file, rest) = rest.split_once('"')?;
    let (_, rest) = rest.split_once('"')?;
    Some((file, rest.split_once('"')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let list = "x(\n  {\"hlsl.a.frag\", \"main\"},\n {\"spv.b.vert\", \"main\"},\n  ToSpirv, HlslDX9CompatibleTest,\n \
                    {\"hlsl.c.vert\", \"f\"}\n";
        let row = |file, entry, backwards_compatible| Listed { file, entry, backwards_compatible };
        assert_eq!(entries(list), [row("hlsl.a.frag", "main", false), row("hlsl.c.vert", "f", true)]);
    }
}
