//! Repairs shaders that FXC refuses, so that the rest of their code is also compiled.
//!
//! If an error requires it, semantics, `numthreads` and casts are inserted, and statements that FXC does not
//! support are removed, because the repaired shader must compile.

use onze_hlsl::{Code, Diagnostic};

use crate::{compiler, engine::guarded, shader_test::Stage, unit::Unit};

/// Maximum number of compilations of a shader, with a repair of all errors of one kind after each
/// compilation.
const ROUNDS: usize = 24;

pub(super) fn mended(unit: &Unit) -> Unit {
    let mut text = Text { unit: unit.clone(), lines: Vec::new(), semantics: 16, targets: 0 };
    text.lines = without_vulkan(&unit.source).lines().map(str::to_owned).collect();
    for _ in 0..ROUNDS {
        text.unit.source = text.lines.join("\n").into();
        // If the compiler panics, the suite reports it when it compiles the shader again.
        let Ok(Err(errors)) = guarded(|| compiler::compile(&text.unit)) else { break };
        let mut errors: Vec<_> = errors.errors().collect();
        // Errors in the signature are repaired first, because they can cause other errors.
        if errors.iter().any(|error| is_of_signature(error.code)) {
            errors.retain(|error| is_of_signature(error.code));
        }
        // Errors are repaired from the end of the text, so that earlier positions stay valid.
        errors.sort_by_key(|error| std::cmp::Reverse((error.place.line, error.place.column)));
        errors.dedup_by_key(|error| (error.place.line, error.place.column));
        let mended = errors.iter().filter(|error| text.mend(error).is_some()).count();
        if mended == 0 {
            break;
        }
    }
    text.unit
}

fn is_of_signature(code: Code) -> bool {
    matches!(
        code,
        Code::EntryPointNotFound
            | Code::MissingSemantic
            | Code::MissingResultSemantic
            | Code::VoidSemantic
            | Code::InvalidAttribute
            | Code::InvalidSemantic
    )
}

/// Returns shader source without Vulkan attributes and layouts, and without `#line` directives, because they
/// change the positions of errors.
fn without_vulkan(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("#line")) {
        let line = without(line, "[[", "]]");
        let line = without(&line, ": layout(", ")");
        let line = without(&line, "layout(", ")");
        out.push_str(&without(&line, "layout (", ")"));
        out.push('\n');
    }
    out
}

/// Returns a line without the text between two markers, which are also removed.
fn without(line: &str, open: &str, close: &str) -> String {
    let mut line = line.to_owned();
    while let Some(start) = line.find(open)
        && let Some(length) = line[start..].find(close)
    {
        line.replace_range(start..start + length + close.len(), "");
    }
    line
}

struct Text {
    unit: Unit,
    lines: Vec<String>,
    semantics: u32,
    targets: u32,
}

impl Text {
    /// Repairs the cause of an error, or returns `None` if that is impossible.
    fn mend(&mut self, error: &Diagnostic) -> Option<()> {
        if error.code == Code::EntryPointNotFound {
            self.unit.entry = function(&self.unit.source)?;
            return Some(());
        }
        let index = error.place.line.checked_sub(1)? as usize;
        let line = self.lines.get(index)?.clone();
        let start = byte(&line, error.place.column.checked_sub(1)?)?;
        let end = byte(&line, error.place.column.checked_sub(1)? + error.length).unwrap_or(line.len());
        let changed = match error.code {
            Code::MissingSemantic => {
                let at = end + dimensions(&line[end..]);
                let semantic = self.semantic();
                insert(&line, at, &semantic)
            }
            Code::MissingResultSemantic => return self.name_result(index, end),
            Code::VoidSemantic => line[..start].trim_end().trim_end_matches(':').to_owned() + &line[end..],
            Code::InvalidAttribute => insert(&line, 0, "[numthreads(1, 1, 1)] "),
            Code::InvalidSemantic if is_of_result(&line[start..end]) => {
                let semantic = self.result();
                line[..start].to_owned() + &semantic + &line[end..]
            }
            Code::ConstructorArguments if error.message.ends_with("there are 1") => {
                let open = start + line[start..].find('(')?;
                format!("{}({})({}", &line[..start], &line[start..open], &line[open + 1..])
            }
            Code::MissingReturn => insert(&line, line[..end].rfind('}')?, "return 0; "),
            // Only complete statements and declarations are removed.
            _ if line.trim_end().ends_with(';') && !line.contains(['{', '}']) => {
                let is_return = line.trim_start().starts_with("return ");
                if is_return && !line.contains("return 0;") { "return 0;".to_owned() } else { String::new() }
            }
            _ => return None,
        };
        self.lines[index] = changed;
        Some(())
    }

    fn semantic(&mut self) -> String {
        // An array or a matrix needs several consecutive indices.
        self.semantics += 8;
        match self.unit.stage {
            Stage::Compute => " : SV_GroupThreadID".to_owned(),
            _ => format!(" : TEXCOORD{}", self.semantics),
        }
    }

    fn result(&mut self) -> String {
        if self.unit.stage == Stage::Vertex {
            return "SV_Position".to_owned();
        }
        self.targets += 1;
        format!("SV_Target{}", self.targets - 1)
    }

    /// Inserts a semantic after the parameters of a function whose name ends at position `end`.
    fn name_result(&mut self, index: usize, end: usize) -> Option<()> {
        let semantic = format!(" : {}", self.result());
        let (mut depth, mut from) = (0, end);
        for line in self.lines.get_mut(index..)? {
            for (at, byte) in line.bytes().enumerate().skip(from) {
                match byte {
                    b'(' => depth += 1,
                    b')' if depth == 1 => {
                        line.insert_str(at + 1, &semantic);
                        return Some(());
                    }
                    b')' => depth -= 1,
                    _ => {}
                }
            }
            from = 0;
        }
        None
    }
}

/// Returns the name of the last function that may be the entry point.
fn function(text: &str) -> Option<String> {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let names =
        text.match_indices('(').filter_map(|(at, _)| text[..at].trim_end().rsplit(|c| !is_name(c)).next());
    names.rev().find(|name| name.contains("ShaderFunction") || *name == "main").map(str::to_owned)
}

fn byte(line: &str, column: u32) -> Option<usize> {
    line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(column as usize)
}

/// Returns whether a semantic belongs to a result of a pixel shader.
fn is_of_result(semantic: &str) -> bool {
    let semantic = semantic.to_ascii_uppercase();
    semantic.starts_with("COLOR") || semantic.starts_with("SV_TARGET")
}

fn insert(line: &str, at: usize, text: &str) -> String {
    let mut line = line.to_owned();
    line.insert_str(at, text);
    line
}

/// Returns the length in bytes of the array dimensions at the beginning of a text.
fn dimensions(text: &str) -> usize {
    let mut length = 0;
    while let Some(close) = text[length..].strip_prefix('[').and_then(|rest| rest.find(']')) {
        length += close + 2;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mend(source: &str, stage: Stage) -> (String, bool) {
        let unit = mended(&Unit::new("A11", "a", source, "main", stage));
        (unit.source.to_string(), compiler::compile(&unit).is_ok())
    }

    #[test]
    fn missing_parts_are_added() {
        let (text, right) = mend("float4 main(float4 a,\n float b[2]) { return a + b[1]; }", Stage::Pixel);
        assert_eq!(
            text,
            "float4 main(float4 a : TEXCOORD32,\n float b[2] : TEXCOORD24) : SV_Target0 { return a + b[1]; }"
        );
        assert!(right);
        let (text, right) = mend("[[vk::x]] float4 main() : COLOR0 { return float4(1.0); }", Stage::Pixel);
        assert_eq!((text.as_str(), right), (" float4 main() : SV_Target0 { return (float4)(1.0); }", true));
        assert_eq!(
            mend("void main() {}", Stage::Compute),
            ("[numthreads(1, 1, 1)] void main() {}".to_owned(), true)
        );
    }

    #[test]
    fn parts_unknown_to_fxc_are_removed() {
        let (text, right) = mend("void main() {\n  float a = WaveSum(1);\n}", Stage::Pixel);
        assert_eq!((text.as_str(), right), ("void main() {\n\n}", true));
        assert!(!mend("void main() { float a = WaveSum(1); }", Stage::Pixel).1);
    }
}
