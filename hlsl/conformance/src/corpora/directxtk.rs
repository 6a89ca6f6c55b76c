//! The shaders in DirectXTK's folder `Src/Shaders`, whose file `CompileShaders.cmd` has a line for each entry
//! point.

use std::{fs, io, path::Path};

use super::{find_folder, stage, unit};
use crate::{
    shader_test::Model,
    unit::{Options, Unit},
};

/// Returns a unit for each entry point that the file lists.
///
/// # Errors
///
/// Returns an error if a file is missing.
pub fn units(root: &Path) -> io::Result<Vec<Unit>> {
    let folder = find_folder(root, "Src/Shaders")?;
    let list = fs::read_to_string(folder.join("CompileShaders.cmd"))?;
    let mut units = Vec::new();
    for (extension, file, profile, entry) in entries(&list) {
        let path = folder.join(format!("{file}.{extension}"));
        let stage = stage(profile).ok_or_else(|| io::Error::other(format!("unknown profile: {profile}")))?;
        units.push(Unit {
            model: Model::Sm4_0,
            options: Options { strict: true, ..Options::default() },
            ..unit("A6", &folder, &path, entry, stage)?
        });
    }
    Ok(units)
}

/// Returns the file extension, file, profile and entry point of each call in the list, except calls for the
/// Xbox.
fn entries(list: &str) -> Vec<(&'static str, &str, &str, &str)> {
    let mut entries = Vec::new();
    let mut skipped = false;
    for line in list.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            [.., "goto", "skipxboxonly"] => skipped = true,
            [":skipxboxonly"] => skipped = false,
            ["call", label, file, profile, entry, ..] if !skipped => {
                let extension = if label.contains("HLSL") { "hlsl" } else { "fx" };
                entries.push((extension, *file, *profile, *entry));
            }
            _ => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_for_the_xbox_are_skipped() {
        let list = "call :Fx%1 A vs VSMain\r\n\r\ncall :FxHLSL%1 B ps main\r\nif NOT %1.==xbox. goto skipxboxonly\r\n\
                    call :Fx%1 A ps PSXbox\r\n:skipxboxonly\r\ncall :Fx%1 A ps PSMain\r\n";
        let expected =
            [("fx", "A", "vs", "VSMain"), ("hlsl", "B", "ps", "main"), ("fx", "A", "ps", "PSMain")];
        assert_eq!(entries(list), expected);
    }
}
