//! Errors and warnings with FXC's numbers and wording, and with an excerpt of the source line.

use std::fmt::{self, Write as _};

use crate::session::{
    code::Code,
    profile::ShaderStage,
    source::{Expansion, Place, SourceMap, Span},
};

/// The severity of a message, which decides whether the program is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program compiles but may not do what its author intended.
    Warning,
    /// The program is refused, and no module is created.
    Error,
}

/// An error or a warning.
///
/// `Display` writes FXC's format, which editors recognise, followed by the source line and a marker:
///
/// ```text
/// sky.hlsl(2,12-14): error X3004: undeclared identifier 'sun'
///     return sun;
///            ^~~
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether the message is an error, which makes the compilation fail, or a warning.
    pub severity: Severity,
    /// The number of the message, which is FXC's number if FXC has this message.
    pub code: Code,
    /// The text of the message, without its position and its number.
    pub message: String,
    /// The position of the message or, for a token from a macro, the position where the macro is used.
    pub place: Place,
    /// The number of characters that the message refers to on its first line.
    pub length: u32,
    /// The source line, or an empty string if there is none, for example for a missing file.
    pub line: String,
    /// The column in [`Diagnostic::line`] where the marker begins, in characters from 0.
    pub mark: u32,
    /// The macro uses that the position comes from, from the innermost to the outermost.
    pub expansions: Vec<Expansion>,
    /// Related positions with an explanation, such as the first declaration of a name that is declared twice.
    pub notes: Vec<(String, Place)>,
}

impl Diagnostic {
    fn is_same(&self, other: &Self) -> bool {
        (self.code, &self.message, &self.place) == (other.code, &other.message, &other.place)
            && self.expansions == other.expansions
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column } = &self.place;
        write!(out, "{file}({line},{column}")?;
        if self.length > 1 {
            write!(out, "-{}", column + self.length - 1)?;
        }
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(out, "): {severity} X{}: {}", self.code.number(), self.message)?;
        if !self.line.trim().is_empty() {
            // Repeats tabs so that the marker stays below its text for any tab width.
            let indent: String = self
                .line
                .chars()
                .take(self.mark as usize)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let tail = "~".repeat(self.length.saturating_sub(1) as usize);
            write!(out, "\n    {}\n    {indent}^{tail}", self.line.trim_end())?;
        }
        for expansion in &self.expansions {
            let Place { file, line, column } = &expansion.place;
            write!(out, "\n{file}({line},{column}): note: in macro '{}'", expansion.name)?;
        }
        for (note, Place { file, line, column }) in &self.notes {
            write!(out, "\n{file}({line},{column}): note: {note}")?;
        }
        Ok(())
    }
}

/// The errors and warnings of a compilation, in the order in which they were found.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// The number of messages that were dropped because there were too many.
    left_out: usize,
    /// Whether the last message was added to the list, so that notes can be attached to it.
    takes_notes: bool,
    /// The stage that the entry point looks like, if it differs from the profile's stage.
    likely_stage: Option<ShaderStage>,
}

/// Maximum number of errors, and also of warnings, in the list. Further messages are only counted, because a
/// program with an error in every line does not need a message for each of them.
const MOST: usize = 100;

impl Diagnostics {
    /// Returns all stored messages: the first hundred errors and the first hundred warnings.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Returns the errors in the order in which they were found.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns the warnings in the order in which they were found.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning)
    }

    /// If the program was refused and its entry point looks like one for another stage than the profile's,
    /// returns that stage; otherwise returns `None`.
    ///
    /// The stage is a guess from attributes and system values, so, for example, a function with `SV_Target`
    /// is assumed to be a pixel shader.
    pub fn likely_stage(&self) -> Option<ShaderStage> {
        self.likely_stage
    }

    pub(crate) fn set_likely_stage(&mut self, stage: ShaderStage) {
        self.likely_stage = Some(stage);
    }

    /// Returns whether there is at least one error, in which case the program was not compiled.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Returns whether there are no errors and no warnings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn error(&mut self, sources: &SourceMap, code: Code, span: Span, message: impl Into<String>) {
        self.add(sources, Severity::Error, code, span, message.into());
    }

    pub(crate) fn warn(&mut self, sources: &SourceMap, code: Code, span: Span, message: impl Into<String>) {
        self.add(sources, Severity::Warning, code, span, message.into());
    }

    pub(crate) fn note(&mut self, sources: &SourceMap, span: Span, note: impl Into<String>) {
        if let Some(last) = self.list.last_mut().filter(|_| self.takes_notes) {
            last.notes.push((note.into(), sources.place(span)));
        }
    }

    fn add(&mut self, sources: &SourceMap, severity: Severity, code: Code, span: Span, message: String) {
        self.takes_notes = false;
        if self.list.iter().filter(|other| other.severity == severity).count() >= MOST {
            self.left_out += 1;
            return;
        }
        let seen = sources.in_file(span);
        let (line, mark) =
            sources.line(seen.start).map_or_else(Default::default, |(line, mark)| shorten(line, mark));
        let rest = line.get(mark..).unwrap_or_default();
        let covered = rest.get(..(seen.end - seen.start) as usize).unwrap_or(rest);
        let diagnostic = Diagnostic {
            severity,
            code,
            message,
            place: sources.place(span),
            length: covered.chars().count().max(1) as u32,
            line: line.to_owned(),
            mark: line.get(..mark).unwrap_or_default().chars().count() as u32,
            expansions: sources.expansions(span),
            notes: Vec::new(),
        };
        // Two analyses may find the same error in one expression.
        if !self.list.last().is_some_and(|last| last.is_same(&diagnostic)) {
            self.list.push(diagnostic);
            self.takes_notes = true;
        }
    }
}

/// Cuts a long line to the text around a marker, because a line may contain a whole program, and also returns
/// the marker's offset in the result.
fn shorten(line: &str, mark: usize) -> (&str, usize) {
    const LONGEST: usize = 400;
    if line.len() <= LONGEST {
        return (line, mark);
    }
    let start = line.floor_char_boundary(mark.saturating_sub(LONGEST / 2));
    let end = line.floor_char_boundary(mark + LONGEST / 2);
    (&line[start..end], mark - start)
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            if index > 0 {
                out.write_char('\n')?;
            }
            diagnostic.fmt(out)?;
        }
        if self.left_out > 0 {
            write!(out, "\n{} more", self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_line_and_a_mark() {
        let mut sources = SourceMap::default();
        let file = sources.add_file("sky.hlsl", "float4 main() {\n\treturn sun;\n}").unwrap();
        let mut diagnostics = Diagnostics::default();
        let span = Span::new(file.start + 24, file.start + 27);
        diagnostics.error(&sources, Code::UndeclaredIdentifier, span, "undeclared identifier 'sun'");
        diagnostics.note(&sources, file.beginning(), "in this function");
        assert_eq!(
            diagnostics.to_string(),
            "sky.hlsl(2,9-11): error X3004: undeclared identifier 'sun'\n    \treturn sun;\n    \t       ^~~\n\
             sky.hlsl(1,1): note: in this function"
        );
        assert!(diagnostics.has_errors());
    }

    #[test]
    fn an_error_in_a_macro_shows_the_use_and_the_macro() {
        let mut sources = SourceMap::default();
        let file = sources.add_file("a", "#define M foo\nx = M;").unwrap();
        let at = |start, end| Span::new(file.start + start, file.start + end);
        let token = sources.add_produced(at(10, 13), at(18, 19), &"M".into()).unwrap();
        let mut diagnostics = Diagnostics::default();
        diagnostics.warn(&sources, Code::UndeclaredIdentifier, token, "odd");
        assert_eq!(
            diagnostics.to_string(),
            "a(2,5): warning X3004: odd\n    x = M;\n        ^\na(2,5): note: in macro 'M'"
        );
        assert!(!diagnostics.has_errors());
    }

    #[test]
    fn a_long_line_is_shown_around_the_mark() {
        let mut sources = SourceMap::default();
        let text = format!("{}sun{}", "\u{e4}".repeat(50_001), "\u{e4}".repeat(50_001));
        let file = sources.add_file("a", text.as_str()).unwrap();
        let mut diagnostics = Diagnostics::default();
        let span = Span::new(file.start + 100_002, file.start + 100_005);
        diagnostics.error(&sources, Code::SyntaxError, span, "long");
        let diagnostic = diagnostics.iter().next().unwrap();
        assert!(diagnostic.line.len() <= 400);
        assert_eq!((diagnostic.place.column, diagnostic.length), (50_002, 3));
        assert_eq!(diagnostic.line.chars().skip(diagnostic.mark as usize).take(3).collect::<String>(), "sun");
    }

    #[test]
    fn a_multiline_span_marks_its_first_line_and_excess_is_counted() {
        let mut sources = SourceMap::default();
        let file = sources.add_file("a", "f(\n1)").unwrap();
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(&sources, Code::SyntaxError, file, "0");
        assert_eq!(diagnostics.to_string(), "a(1,1-2): error X3000: 0\n    f(\n    ^~");
        for index in 1..MOST + 2 {
            diagnostics.error(&sources, Code::SyntaxError, file, index.to_string());
        }
        assert_eq!(diagnostics.iter().count(), MOST);
        assert!(diagnostics.to_string().ends_with("\n2 more"));
    }
}
