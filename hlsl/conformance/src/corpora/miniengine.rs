//! MiniEngine's shaders, each file with an entry point `main` and a name that determines the stage.

use std::{io, path::Path};

use super::{find_files, find_folder, stage, unit};
use crate::unit::Unit;

/// Returns a shader for each file of MiniEngine.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn units(root: &Path) -> io::Result<Vec<Unit>> {
    let folder = find_folder(root, "MiniEngine")?;
    let mut units = Vec::new();
    for path in find_files(&folder, "hlsl")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit());
        let Some(stage) = name.get(name.len().saturating_sub(2)..).and_then(stage) else { continue };
        // Included files are in a folder `Shaders`, either in the folder of the file or in one of these.
        let parent = path.parent().unwrap_or(&folder);
        let mut found = unit("A9", parent, &path, "main", stage)?;
        for other in ["Core/Shaders", "Model/Shaders"] {
            found.folders.push(folder.join(other));
        }
        units.push(found);
    }
    Ok(units)
}
