//! Programs of this project with the values that they must give.
//!
//! A program is a file in HLSL. Its comments that begin with `//=` are the other lines of a test in the format of
//! [`shader_test`](crate::shader_test): resources, uniforms, draws and probes. The HLSL stands below the line
//! `//= [compute shader]`, or another stage's.

use std::{fs, io, path::Path};

use crate::{
    corpora::find_files,
    shader_test::{ParseError, ShaderTest},
};

/// The test that a program is.
///
/// # Errors
///
/// The first line that is not understood.
pub fn parse(text: &str) -> Result<ShaderTest, ParseError> {
    let mut test = String::new();
    let mut shader = false;
    for line in text.lines() {
        match line.strip_prefix("//=") {
            Some(line) => {
                shader = line.contains("shader]");
                test.push_str(line.strip_prefix(' ').unwrap_or(line));
            }
            // What is above the first block are remarks.
            None if shader => {
                test.push(' ');
                test.push_str(line);
            }
            None => {}
        }
        test.push('\n');
    }
    ShaderTest::parse(&test)
}

/// The names and tests of the programs in a folder.
///
/// # Errors
///
/// A file cannot be read, or is not understood.
pub fn programs(folder: &Path) -> io::Result<Vec<(String, ShaderTest)>> {
    let mut programs = Vec::new();
    for path in find_files(folder, "hlsl")? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let test = parse(&fs::read_to_string(&path)?)
            .map_err(|error| io::Error::other(format!("{name}:{}: {}", error.line, error.message)))?;
        programs.push((name, test));
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader_test::Content;

    #[test]
    fn hlsl_and_the_test_around_it_are_told_apart() {
        let text = "// About.\n//= [compute shader]\n[numthreads(1, 1, 1)]\n// A remark.\nvoid main() {}\n\
                    //= [test]\n//= dispatch 1 1 1\n";
        let test = parse(text).unwrap();
        let Content::Shader(shader) = &test.blocks[0].content else { panic!() };
        assert_eq!(shader.source.trim(), "[numthreads(1, 1, 1)]\n // A remark.\n void main() {}");
        let Content::Test(steps) = &test.blocks[1].content else { panic!() };
        assert_eq!((test.blocks[1].line, steps[0].line), (6, 7));
    }
}
