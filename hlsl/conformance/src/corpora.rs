//! The shaders of each corpus, from the build files of the corpus.

pub mod directxtk;
pub mod dxc;
pub mod effects;
pub mod glslang;
pub mod miniengine;
pub mod samples;
pub mod sema;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    shader_test::{Model, Stage},
    unit::{Refusal, Unit},
};

/// Creates a unit for a file with shader model 5.0 and FXC's default options.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub(crate) fn unit(
    measure: &'static str,
    root: &Path,
    path: &Path,
    entry: &str,
    stage: Stage,
) -> io::Result<Unit> {
    let source = fs::read(path)?;
    let file = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let unit = Unit::new(measure, file, String::from_utf8_lossy(&source), entry, stage);
    Ok(Unit { folders: vec![root.to_owned()], ..unit })
}

/// SDK programs that FXC accepts but naga or wgpu cannot support, so that X9004 is the expected result.
///
/// Each row contains the file, the entry point and the reason.
const BY_NAME: [(&str, &str, &str); 3] = [
    ("OIT_PS.hlsl", "main", "atomic functions of texels that give the value before"),
    ("OIT_PS.hlsl", "FillDeepBufferPS", "atomic functions of texels that give the value before"),
    ("DynamicShaderLinkage11_PS.hlsl", "PSMain", "calls through interfaces"),
];

/// If the program is in [`BY_NAME`], expects X9004 and counts the program under `measure`.
pub(crate) fn expect_by_name(unit: &mut Unit, measure: &'static str) {
    let is_it = |(file, entry, _): &&(&str, &str, _)| unit.file.ends_with(file) && unit.entry == *entry;
    if let Some((_, _, reason)) = BY_NAME.iter().find(is_it) {
        unit.measure = measure;
        unit.fails = true;
        unit.refusal = Some(Refusal { code: 9004, reason });
    }
}

/// Returns the stage of a profile such as `vs_4_0`, or of a profile prefix such as `vs`.
pub(crate) fn stage(profile: &str) -> Option<Stage> {
    Some(match profile.get(..2)?.to_ascii_lowercase().as_str() {
        "vs" => Stage::Vertex,
        "hs" => Stage::Hull,
        "ds" => Stage::Domain,
        "gs" => Stage::Geometry,
        "ps" => Stage::Pixel,
        "cs" => Stage::Compute,
        _ => return None,
    })
}

/// Returns the stage and the shader model of a profile, with 5.0 for models above 5.0.
pub(crate) fn profile(text: &str) -> Option<(Stage, Model)> {
    let stage = stage(text)?;
    let model = match text.get(2..)? {
        "_4_0" => Model::Sm4_0,
        "_4_1" => Model::Sm4_1,
        "_5_0" | "_5_1" | "_6_0" | "_6_1" | "_6_2" => Model::Sm5_0,
        _ => return None,
    };
    Some((stage, model))
}

/// Returns the files with an extension in a folder and its subfolders, in sorted order.
///
/// # Errors
///
/// Returns an error if a folder cannot be read.
pub fn find_files(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

pub(crate) fn find_folder(root: &Path, name: &str) -> io::Result<PathBuf> {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        if folder.ends_with(name) {
            return Ok(folder);
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    Err(io::Error::other(format!("there is no folder {name} in {}", root.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read() {
        assert_eq!(profile("ps_4_1"), Some((Stage::Pixel, Model::Sm4_1)));
        assert_eq!(profile("cs_6_0"), Some((Stage::Compute, Model::Sm5_0)));
        assert_eq!(profile("vs_3_0"), None);
        assert_eq!(profile("xs_5_0"), None);
        assert_eq!(stage("VS"), Some(Stage::Vertex));
        assert_eq!(stage("v"), None);
    }
}
