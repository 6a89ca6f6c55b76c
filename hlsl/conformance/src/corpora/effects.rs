//! Effects and libraries with few shaders: SMAA, FXAA, AMD's effects, Dear ImGui and SDL.

mod amd;
mod fxaa;
mod imgui;
mod sdl;
mod smaa;

use std::{io, path::Path};

use super::{find_files, profile, unit};
use crate::unit::Unit;

/// Returns the shaders of the effects in a folder.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn units(root: &Path) -> io::Result<Vec<Unit>> {
    let files = find_files(root, "hlsl")?;
    let headers = find_files(root, "h")?;
    let mut units = smaa::units(root, &files)?;
    units.extend(fxaa::units(&headers)?);
    units.extend(amd::units(root, &files, &headers)?);
    units.extend(imgui::units(&find_files(root, "cpp")?)?);
    units.extend(sdl::units(root, &find_files(root, "bat")?)?);
    Ok(units)
}
