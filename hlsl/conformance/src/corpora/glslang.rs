//! glslang's tests of HLSL: a list in C++ has the entry points, and the stored results say which are errors.

use std::{fs, io, path::Path};

use super::{find_folder, unit};
use crate::{shader_test::Stage, unit::Unit};

/// The shaders.
///
/// # Errors
///
/// A file cannot be read.
pub fn units(root: &Path) -> io::Result<Vec<Unit>> {
    let tests = find_folder(root, "gtests")?;
    let list = fs::read_to_string(tests.join("Hlsl.FromFile.cpp"))?;
    let folder = tests.with_file_name("Test");
    let mut units: Vec<Unit> = Vec::new();
    for (file, entry) in entries(&list) {
        let path = folder.join(file);
        let stage = path.extension().and_then(|extension| stage_of(extension.to_str()?));
        let (Some(stage), true) = (stage, path.is_file()) else { continue };
        if units.iter().any(|unit| unit.file == file && unit.entry == entry) {
            continue;
        }
        let result = folder.join("baseResults").join(format!("{file}.out"));
        let fails = fs::read(result).is_ok_and(|text| String::from_utf8_lossy(&text).contains("ERROR: "));
        let measure = match (stage, fails) {
            (Stage::Vertex | Stage::Pixel | Stage::Compute, false) => "A11 pass",
            (_, false) => "A11 gs/hs/ds",
            (_, true) => "A11 fail",
        };
        units.push(Unit { fails, ..unit(measure, &folder, &path, entry, stage)? });
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

/// `{"hlsl.a.frag", "main"}`
fn entries(list: &str) -> Vec<(&str, &str)> {
    let pair = |line| {
        let rest: &str = str::strip_prefix(line, "{\"")?;
        let (file, rest) = rest.split_once('"')?;
        let (_, rest) = rest.split_once('"')?;
        Some((file, rest.split_once('"')?.0))
    };
    list.lines().filter_map(|line| pair(line.trim())).filter(|(file, _)| file.starts_with("hlsl.")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let list =
            "x(\n  {\"hlsl.a.frag\", \"main\"},\n {\"spv.b.vert\", \"main\"},\n  {\"hlsl.c.vert\", \"f\"}\n";
        assert_eq!(entries(list), [("hlsl.a.frag", "main"), ("hlsl.c.vert", "f")]);
    }
}
