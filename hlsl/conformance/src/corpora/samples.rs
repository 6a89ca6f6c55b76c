//! The samples of the DirectX SDK, whose C++ code calls the compiler with a file, an entry point and a
//! profile.

use std::{fs, io, path::Path};

use onze_hlsl::Macro;

use super::{expect_by_name, find_files, find_folder, profile, stage, unit};
use crate::{
    shader_test::{Model, Stage},
    unit::Unit,
};

/// Returns the shaders that the C++ code of the samples compiles.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn units(root: &Path) -> io::Result<Vec<Unit>> {
    // The other samples are in sibling folders of this one.
    let sample = find_folder(root, "BasicHLSL11")?;
    let root = sample.parent().unwrap_or(root);
    let mut units: Vec<Unit> = Vec::new();
    for path in find_files(root, "cpp")? {
        let code = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        let folder = path.parent().unwrap_or(root);
        for (file, entry, stage, model) in calls(&code) {
            let source = folder.join(&file);
            if !source.is_file() {
                continue;
            }
            let mut found = unit("A8", root, &source, &entry, stage)?;
            found.model = model;
            found.folders = vec![folder.to_owned()];
            if !matches!(stage, Stage::Vertex | Stage::Pixel | Stage::Compute) {
                found.measure = "A8 gs/hs/ds";
            }
            expect_by_name(&mut found, "A8 by name");
            if !units.iter().any(|unit| unit.file == found.file && unit.entry == found.entry) {
                if found.source.contains(PARTITIONING) {
                    units.extend(MODES.map(|mode| with_mode(&found, mode)));
                } else {
                    units.push(found);
                }
            }
        }
    }
    Ok(units)
}

/// The macro that selects the partitioning of edges, with one compilation for each value in the C++ code.
const PARTITIONING: &str = "g_partitioning";

const MODES: [&str; 4] = ["INTEGER", "POW2", "FRACTIONAL_ODD", "FRACTIONAL_EVEN"];

fn with_mode(unit: &Unit, mode: &str) -> Unit {
    let value = format!("D3D11_TESSELLATOR_PARTITIONING_{mode}");
    let macros = vec![Macro::new(PARTITIONING, value)];
    Unit { macros, file: format!("{} {mode}", unit.file), ..unit.clone() }
}

/// Returns the file, entry point, stage and shader model of each call.
///
/// If the profile is a variable, the stage is derived from the variable's name or from the name of the entry
/// point.
fn calls(code: &str) -> Vec<(String, String, Stage, Model)> {
    let literals = literals(code);
    let mut calls = Vec::new();
    for (index, (_, file)) in literals.iter().enumerate() {
        let lower = file.to_ascii_lowercase();
        if ![".hlsl", ".fx", ".fxh"].iter().any(|extension| lower.ends_with(extension)) {
            continue;
        }
        let Some((end, entry)) = literals.get(index + 1) else { continue };
        if entry.is_empty() || !entry.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let direct = literals.get(index + 2).and_then(|(_, text)| profile(text));
        let rest = code[*end..].split(';').next().unwrap_or_default();
        let variable = rest.split(',').nth(1).unwrap_or_default();
        let found = match direct {
            Some(found) if rest.contains('"') => Some(found),
            _ => named_stage(variable).or_else(|| named_stage(entry)).map(|stage| (stage, Model::Sm5_0)),
        };
        if let Some((stage, model)) = found {
            calls.push((file.replace('\\', "/"), entry.clone(), stage, model));
        }
    }
    calls
}

fn named_stage(name: &str) -> Option<Stage> {
    ["VS", "PS", "CS", "GS", "HS", "DS"].into_iter().find(|part| name.contains(part)).and_then(stage)
}

/// Returns the string literals in C++ code, each with the offset of the byte after it.
fn literals(code: &str) -> Vec<(usize, String)> {
    let mut literals = Vec::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let text = line.split("//").next().unwrap_or_default();
        let mut position = 0;
        let mut parts = text.split('"');
        position += parts.next().map_or(0, str::len) + 1;
        while let (Some(inside), outside) = (parts.next(), parts.next()) {
            let Some(outside) = outside else { break };
            literals.push((at + position + inside.len() + 1, inside.to_owned()));
            position += inside.len() + 1 + outside.len() + 1;
        }
        at += line.len();
    }
    literals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_compiler_are_found() {
        let code = "Compile( L\"a.hlsl\", \"VS\", \"vs_4_0\", &blob );\n// Compile(L\"b.hlsl\", \"x\", \"ps_5_0\")\n\
                    Compile( L\"Dir\\\\c.hlsl\", nullptr, \"Main\",\n  szProfilePS, 0 );\nload(\"d.fx\");";
        let found = calls(code);
        assert_eq!(
            found,
            [
                ("a.hlsl".to_owned(), "VS".to_owned(), Stage::Vertex, Model::Sm4_0),
                ("Dir//c.hlsl".to_owned(), "Main".to_owned(), Stage::Pixel, Model::Sm5_0),
            ]
        );
    }
}
