use std::{
    io,
    path::{Path, PathBuf},
};

use onze_hlsl::Macro;

use super::unit;
use crate::{shader_test::Stage, unit::Unit};

/// The size of a thread group, as the effects' own code sets it.
const GROUP: [(&str, &str); 3] = [("WIDTH", "64"), ("HEIGHT", "1"), ("DEPTH", "1")];

/// A compute shader of AMD's effects: the file, the entry point and the macros.
type Pass = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const PASSES: [Pass; 6] = [
    ("FSR_Pass.hlsl", "mainCS", &[("SAMPLE_SLOW_FALLBACK", "1"), ("SAMPLE_EASU", "1")]),
    ("FSR_Pass.hlsl", "mainCS", &[("SAMPLE_SLOW_FALLBACK", "1"), ("SAMPLE_RCAS", "1")]),
    ("FSR_Pass.hlsl", "mainCS", &[("SAMPLE_SLOW_FALLBACK", "1"), ("SAMPLE_BILINEAR", "1")]),
    ("CAS_Shader.hlsl", "mainCS", &[("CAS_SAMPLE_FP16", "0"), ("CAS_SAMPLE_SHARPEN_ONLY", "0")]),
    ("CAS_Shader.hlsl", "mainCS", &[("CAS_SAMPLE_FP16", "0"), ("CAS_SAMPLE_SHARPEN_ONLY", "1")]),
    ("SPDIntegration.hlsl", "main", &[("SPD_NO_WAVE_OPERATIONS", "1")]),
];

pub(super) fn units(root: &Path, files: &[PathBuf], headers: &[PathBuf]) -> io::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for (name, entry, macros) in PASSES {
        for path in files.iter().filter(|path| path.ends_with(name) && !path.iter().any(|part| part == "VK"))
        {
            let mut found = unit("A10", root, path, entry, Stage::Compute)?;
            // The headers are in other folders of the same repository.
            found.folders = path.parent().map(Path::to_owned).into_iter().collect();
            let repository = path.ancestors().nth(4).unwrap_or(root);
            let folders = headers.iter().filter(|header| header.starts_with(repository));
            found.folders.extend(folders.filter_map(|header| header.parent()).map(Path::to_owned));
            found.folders.dedup();
            let group = GROUP.iter().chain(macros);
            found.macros = group.map(|(name, value)| Macro::new(*name, *value)).collect();
            units.push(found);
        }
    }
    Ok(units)
}
