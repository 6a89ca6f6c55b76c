//! Test programs of this project with the values that they must compute.
//!
//! A program is an HLSL file. Comments that begin with `//=` contain the remaining lines of a test in the
//! format of [`shader_test`](crate::shader_test): resources, uniforms, draws and probes. The HLSL code
//! follows a line such as `//= [compute shader]`, which states the stage.
//!
//! Most values need no probe, because `SHOW(value);  //=> float 1.5` records a value for its line, and the
//! comment contains the expected value (see [`shown`](crate::shown)). A file with `SHOW` includes
//! `show.hlsli`, which declares the buffer in `u7`. A file that declares variables with `INPUT` becomes two
//! tests. In the first test, these variables are in the constant buffer `$Globals` and have default values,
//! but in the second test they are `static const`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    corpora::find_files,
    shader_test::{
        Area, Binding, Block, Command, Content, Expected, ParseError, Resource, ShaderTest, Size, Step,
    },
    shown::{RECORD, Shown, UNWRITTEN},
};

/// The text that replaces the line that includes `show.hlsli`.
const SHOW: &str = include_str!("../../tests/programs/show.hlsli");

const SLOT: Binding = Binding::UnorderedAccess(7);

/// The declaration of the variables with the macro `INPUT`, which determines when dependent values are
/// computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inputs {
    /// The variables are in a constant buffer, so dependent values are computed at run time.
    Uniform,
    /// The variables are constants, so the compiler evaluates expressions that depend on them.
    Known,
}

/// Parses a program as a test, with its input variables declared as selected by `inputs`.
///
/// # Errors
///
/// Returns an error for the first line that cannot be parsed.
pub fn parse(text: &str, inputs: Inputs) -> Result<ShaderTest, ParseError> {
    let mut lines = String::new();
    let mut sources: Vec<String> = Vec::new();
    let mut steps = Vec::new();
    let mut is_shader = false;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(line) = line.strip_prefix("//=").filter(|line| !line.starts_with('>')) {
            is_shader = line.contains("shader]");
            lines.push_str(line.strip_prefix(' ').unwrap_or(line));
            if is_shader {
                sources.push(head(number + 1, inputs));
            }
        } else if let Some(source) = sources.last_mut().filter(|_| is_shader) {
            source.push_str(&expand(line, number));
            if let Some((_, expected)) = line.split_once("//=>") {
                steps.push(step(number, expected)?);
            }
        }
        lines.push('\n');
    }
    let mut test = ShaderTest::parse(&lines)?;
    // The HLSL code is not parsed as part of the test file, because empty lines must be kept and some lines
    // look like blocks.
    let shaders = test.blocks.iter_mut().filter_map(|block| match &mut block.content {
        Content::Shader(shader) => Some(shader),
        _ => None,
    });
    for (shader, source) in shaders.zip(sources) {
        shader.source = source;
    }
    if !steps.is_empty() {
        test.blocks.insert(0, Block { line: 0, content: Content::Resource(records(text.lines().count())) });
        test.blocks.push(Block { line: 0, content: Content::Test(steps) });
    }
    Ok(test)
}

fn head(line: u32, inputs: Inputs) -> String {
    let inputs = match inputs {
        Inputs::Uniform => "uniform",
        Inputs::Known => "static const",
    };
    format!("#define INPUT {inputs}\n#line {line}\n")
}

fn expand(line: &str, number: u32) -> String {
    if line == "#include \"show.hlsli\"" {
        format!("#line 1\n{SHOW}#line {}\n", number + 1)
    } else {
        format!("{line}\n")
    }
}

fn step(line: u32, expected: &str) -> Result<Step, ParseError> {
    let shown = Shown::parse(expected).ok_or_else(|| ParseError {
        line,
        message: format!("expected a type and its components, found '{}'", expected.trim()),
    })?;
    let area = Area { left: line, top: 0, right: line + 1, bottom: 1, layer: 0 };
    let command = Command::Probe { from: SLOT, area, expected: Expected::Shown(shown), ulps: 0 };
    Ok(Step { line, expected_failures: Vec::new(), only_if: Vec::new(), command })
}

fn records(lines: usize) -> Resource {
    Resource {
        size: Some(Size::RawBuffer),
        data: vec![UNWRITTEN; (lines + 1) * RECORD],
        ..Resource::new(SLOT)
    }
}

/// Returns the folder of the programs in this repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs")
}

/// Returns the names and the tests of all programs in a folder.
///
/// # Errors
///
/// Returns an error if a file cannot be read or parsed.
pub fn programs(folder: &Path) -> io::Result<Vec<(String, ShaderTest)>> {
    let mut programs = Vec::new();
    for path in find_files(folder, "hlsl")? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path)?;
        let parse = |inputs| {
            parse(&text, inputs)
                .map_err(|error| io::Error::other(format!("{name}:{}: {}", error.line, error.message)))
        };
        programs.push((name.clone(), parse(Inputs::Uniform)?));
        if text.contains("\nINPUT ") {
            programs.push((format!("{name} (known inputs)"), parse(Inputs::Known)?));
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hlsl_code_is_separated_from_the_test_around_it() {
        let text = "// About.\n//= [compute shader]\n[numthreads(1, 1, 1)]\n\n// A remark.\nvoid main() {}\n\
                    //= [test]\n//= dispatch 1 1 1\n";
        let test = parse(text, Inputs::Uniform).unwrap();
        let Content::Shader(shader) = &test.blocks[0].content else { panic!() };
        let source =
            "#define INPUT uniform\n#line 3\n[numthreads(1, 1, 1)]\n\n// A remark.\nvoid main() {}\n";
        assert_eq!(shader.source, source);
        let Content::Test(steps) = &test.blocks[1].content else { panic!() };
        assert_eq!((test.blocks[1].line, steps[0].line), (7, 8));
    }

    #[test]
    fn shown_values_are_probed_at_the_end() {
        let text =
            "//= [compute shader]\n#include \"show.hlsli\"\nx; //=> uint 7\n//= [test]\n//= dispatch 1 1 1\n";
        let test = parse(text, Inputs::Known).unwrap();
        let Content::Resource(resource) = &test.blocks[0].content else { panic!() };
        assert_eq!((resource.binding, resource.data.len()), (SLOT, 48));
        let Content::Shader(shader) = &test.blocks[1].content else { panic!() };
        assert!(shader.source.starts_with("#define INPUT static const\n#line 2\n#line 1\n"));
        assert!(shader.source.ends_with("#line 3\nx; //=> uint 7\n"));
        let Content::Test(steps) = &test.blocks[3].content else { panic!() };
        assert_eq!(steps[0].line, 3);
        let Command::Probe { area, expected, .. } = &steps[0].command else { panic!() };
        assert_eq!((area.left, expected), (3, &Expected::Shown(Shown::parse("uint 7").unwrap())));
        assert_eq!(parse(&text.replace("uint", "odd"), Inputs::Known).unwrap_err().line, 3);
    }
}
