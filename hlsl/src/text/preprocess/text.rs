//! Writes tokens as text, and adds a `#line` directive where the lines of the original are not consecutive.
//!
//! As in FXC's output, a space follows each token. Two constructs change their meaning if the output is
//! preprocessed again: a `#` from a macro at the beginning of a line, and `__LINE__` or `__FILE__` in the
//! expansion of a macro with the same name. Programs with these constructs do not compile.

use std::{fmt::Write as _, sync::Arc};

use super::{PreprocessOutput, expand::quote};
use crate::{
    session::{Session, source::Span},
    text::token::{Punct, Token, TokenKind},
};

/// Maximum number of empty lines that are written instead of a `#line` directive.
const MOST_EMPTY_LINES: u32 = 8;

struct TextWriter<'a> {
    session: &'a Session,
    text: String,
    file: Arc<str>,
    line: u32,
    is_empty: bool,
}

pub(super) fn write(session: &Session, name: &str, output: &PreprocessOutput) -> String {
    let mut writer = TextWriter { session, text: String::new(), file: name.into(), line: 0, is_empty: true };
    writer.write_line_directive(1);
    let mut pragmas = output.pragmas.iter().peekable();
    for (index, token) in output.tokens.iter().enumerate() {
        while let Some(pragma) = pragmas.next_if(|pragma| pragma.at <= index) {
            writer.end_line();
            writer.move_to(pragma.span);
            writer.text.push_str(&pragma.text);
            writer.is_empty = false;
            // A string may extend over several lines.
            writer.line += count_lines(&pragma.text);
            writer.end_line();
        }
        if matches!(token.kind, TokenKind::PackMatrix(_) | TokenKind::End) {
            continue;
        }
        writer.token(token);
        if !output.tokens.get(index + 1).is_some_and(|next| is_joined(token, next)) {
            writer.text.push(' ');
        }
    }
    writer.end_line();
    writer.text
}

/// Returns whether two tokens may belong to one joined name and must not be separated, because the separate
/// names might be macros.
fn is_joined(token: &Token, next: &Token) -> bool {
    let parts = match (token.kind, next.kind) {
        (TokenKind::Punct(Punct::Scope), _) | (_, TokenKind::Punct(Punct::Scope)) => true,
        // In a joined name such as `A::1B`, the second name begins with a digit.
        (TokenKind::Number, TokenKind::Name(_)) => true,
        _ => false,
    };
    parts && token.span.end == next.span.start && !next.spaced && !next.first
}

impl TextWriter<'_> {
    fn token(&mut self, token: &Token) {
        if token.first {
            self.move_to(token.span);
        }
        let text = self.session.sources.text(token.span);
        self.text.push_str(text);
        self.is_empty = false;
        if token.kind == TokenKind::String {
            self.line += count_lines(text);
        }
    }

    fn move_to(&mut self, span: Span) {
        let (file, line) = self.session.sources.file_and_line(span);
        let near = self.line..=self.line.saturating_add(MOST_EMPTY_LINES);
        if self.file == file && near.contains(&line) {
            while self.line < line {
                self.text.push('\n');
                self.line += 1;
                self.is_empty = true;
            }
            return;
        }
        self.end_line();
        self.file = file;
        self.write_line_directive(line);
    }

    fn write_line_directive(&mut self, line: u32) {
        let _ = writeln!(self.text, "#line {line} {}", quote(&self.file));
        self.line = line;
    }

    fn end_line(&mut self) {
        if !self.is_empty {
            self.text.push('\n');
            self.line = self.line.wrapping_add(1);
            self.is_empty = true;
        }
    }
}

fn count_lines(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}
