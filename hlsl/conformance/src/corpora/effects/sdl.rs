//! The shaders of SDL's renderer for Direct3D 11, listed by a build script, with FXC's listings in header
//! files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{profile, unit};
use crate::unit::Unit;

pub(super) fn units(root: &Path, scripts: &[PathBuf]) -> io::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for script in scripts.iter().filter(|script| script.ends_with("direct3d11/compile_shaders.bat")) {
        let Some(folder) = script.parent() else { continue };
        let text = fs::read_to_string(script)?;
        for (target, header, file) in text.lines().filter_map(command) {
            let Some((stage, model)) = target.get(..6).and_then(profile) else { continue };
            let mut found = unit("A10", root, &folder.join(file), "main", stage)?;
            found.model = model;
            found.folders = vec![folder.to_owned()];
            found.listing = Some(fs::read_to_string(folder.join(header))?.into());
            units.push(found);
        }
    }
    Ok(units)
}

/// Parses a command such as `fxc /T ps_4_0_level_9_1 /Fh a.h a.hlsl` and returns the profile, the header and
/// the file.
fn command(line: &str) -> Option<(&str, &str, &str)> {
    match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["fxc", "/T", target, "/Fh", header, file] => Some((target, header, file)),
        _ => None,
    }
}
