//! The shaders in Dear ImGui's backend for Direct3D 11, which are strings in C++ code.

use std::{fs, io, path::PathBuf};

use crate::{
    shader_test::{Model, Stage},
    unit::Unit,
};

/// The names of the C++ variables that contain the shaders.
const SHADERS: [(&str, Stage); 2] = [("vertexShader", Stage::Vertex), ("pixelShader", Stage::Pixel)];

pub(super) fn units(files: &[PathBuf]) -> io::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for path in files.iter().filter(|path| path.ends_with("imgui_impl_dx11.cpp")) {
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        for (name, stage) in SHADERS {
            let Some(source) = string(&text, name) else {
                return Err(io::Error::other(format!("{} has no string {name}", path.display())));
            };
            let unit = Unit::new("A10", format!("imgui {name}"), source, "main", stage);
            units.push(Unit { model: Model::Sm4_0, ..unit });
        }
    }
    Ok(units)
}

/// Returns the value of a C string variable, joining adjacent literals even if they are on different lines.
fn string(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("static const char* {name} ="))?;
    let mut value = String::new();
    let mut rest = rest.trim_start();
    while let Some(literal) = rest.strip_prefix('"') {
        let mut characters = literal.chars();
        loop {
            match characters.next()? {
                '"' => break,
                '\\' => match characters.next()? {
                    '\n' => {}
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                other => value.push(other),
            }
        }
        rest = characters.as_str().trim_start();
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_and_multiline_literals_are_joined() {
        let text = "x; static const char* a = \n  \"b \\\n c\\\"\"  \n \"\\nd\"; static";
        assert_eq!(string(text, "a").as_deref(), Some("b  c\"\nd"));
        assert_eq!(string(text, "b"), None);
    }
}
