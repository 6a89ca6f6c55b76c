//! The lines of a test and the expected results in their comments.

use std::collections::BTreeSet;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    depth: i32,
    /// The number of braces that the line opens minus the number that it closes.
    opens: i32,
    in_comment: bool,
    pub(super) expected: Expected,
}

impl Line {
    /// Returns whether the line is the head of a function and not a statement.
    fn has_parameters(&self) -> bool {
        const STATEMENTS: [&str; 6] = ["if", "for", "while", "switch", "else", "}"];
        let text = self.text.trim_start();
        text.contains('(') && !STATEMENTS.iter().any(|word| text.starts_with(word)) && !text.starts_with('{')
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    Error(Vec<u16>),
    Accepted,
    /// The line cannot be compared, because it contains no code or FXC's result is not known.
    Unknown,
}

/// Code fragments that FXC accepts only in shader model 5.1.
const ONLY_5_1: [&str; 3] = ["ConstantBuffer<", "TextureBuffer<", ", space"];

/// Code fragments of later shader models. FXC does not support them, but the tests state its errors for only
/// a few of these lines.
const LATER: [&str; 7] = ["16_t", "32_t", "64_t", "_packed", "Load<", "Store<", "enum "];

pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut depth, mut in_comment) = (0, false);
    for text in text.lines() {
        let began_in_comment = in_comment;
        let code = without_comments(text, &mut in_comment);
        let opens = code.matches('{').count() as i32 - code.matches('}').count() as i32;
        let expected = if began_in_comment { Expected::Unknown } else { expected(text, &code) };
        lines.push(Line {
            text: text.to_owned(),
            depth,
            opens,
            in_comment: began_in_comment || in_comment,
            expected,
        });
        depth += opens;
    }
    lines
}

/// Returns the code of a line without comments, and updates `in_comment` if a comment begins or ends on the
/// line.
fn without_comments(text: &str, in_comment: &mut bool) -> String {
    let mut code = String::new();
    let mut rest = text;
    loop {
        if *in_comment {
            let Some((_, behind)) = rest.split_once("*/") else { return code };
            (*in_comment, rest) = (false, behind);
        }
        let (line, block) = (rest.find("//"), rest.find("/*"));
        match (line, block) {
            (Some(line), block) if block.is_none_or(|block| line < block) => {
                code.push_str(&rest[..line]);
                return code;
            }
            (_, Some(block)) => {
                code.push_str(&rest[..block]);
                (*in_comment, rest) = (true, &rest[block + 2..]);
            }
            _ => {
                code.push_str(rest);
                return code;
            }
        }
    }
}

fn expected(text: &str, code: &str) -> Expected {
    let has_code = code.contains(|character: char| character.is_alphanumeric());
    let has = |texts: &[&str]| texts.iter().any(|text| code.contains(text));
    if !has_code || code.trim_start().starts_with('#') || has(&ONLY_5_1) {
        return Expected::Unknown;
    }
    let numbers: Vec<_> = text.split("fxc-error {{X").skip(1).map(|rest| rest.get(..4)).collect();
    if !numbers.is_empty() {
        return Expected::Error(numbers.into_iter().filter_map(|number| number?.parse().ok()).collect());
    }
    let only_dxc = text.contains("fxc-pass") || text.contains("fxc-warning");
    if has(&LATER) || text.contains("expected-error") && !only_dxc {
        Expected::Unknown
    } else {
        Expected::Accepted
    }
}

/// Returns a test in which some lines are blank except for braces that they open or close without a match.
pub(super) fn blanked(lines: &[Line], gone: &BTreeSet<usize>) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if !gone.contains(&index) || line.in_comment {
            text.push_str(&line.text);
        } else if line.opens >= 0 {
            let body_follows =
                lines.get(index + 1).is_some_and(|next| next.text.trim_start().starts_with('{'));
            let is_header = match line.depth {
                0 => line.opens > 0 || line.has_parameters() && body_follows,
                _ => line.opens > 0 && line.has_parameters(),
            };
            if is_header {
                text.push_str(&format!("void line_{index}() "));
            }
            text.push_str(&"{".repeat(line.opens as usize));
        } else {
            text.push_str(&"}".repeat(line.opens.unsigned_abs() as usize));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_give_the_result_of_fxc() {
        let text = "/* fxc-error {{X3000: a}}\n*/ float a; // fxc-error {{X3004: b}} fxc-error {{X3013: c}}\n\
                    float b; /* expected-error {{x}} fxc-pass {{}} */\nfloat c; // expected-error {{x}}\nfloat d;\n\
                    // float e;\n#define f\nConstantBuffer<S> g;\nint64_t h; // fxc-error {{X3004: d}}";
        let expected: Vec<_> = lines(text).into_iter().map(|line| line.expected).collect();
        assert_eq!(
            expected,
            [
                Expected::Unknown,
                Expected::Unknown,
                Expected::Accepted,
                Expected::Unknown,
                Expected::Accepted,
                Expected::Unknown,
                Expected::Unknown,
                Expected::Unknown,
                Expected::Error(vec![3004]),
            ]
        );
    }

    #[test]
    fn a_body_on_the_next_line_keeps_its_function() {
        let list = lines("void f(x y)\n{\n  a b;\n}");
        assert_eq!(blanked(&list, &[0, 2].into()), "void line_0() \n{\n\n}\n");
    }

    #[test]
    fn removed_text_keeps_its_braces() {
        let list = lines("void f(x y) {\n  if (z) { // {\n  a; /* { */\n  } else {\n  }\n}\nfloat b;");
        let text = |gone: &[usize]| blanked(&list, &gone.iter().copied().collect());
        assert_eq!(text(&[0, 1, 2, 3, 6]), "void line_0() {\n{\n\n\n  }\n}\n\n");
        assert_eq!(text(&[4]), "void f(x y) {\n  if (z) { // {\n  a; /* { */\n  } else {\n}\n}\nfloat b;\n");
    }
}
