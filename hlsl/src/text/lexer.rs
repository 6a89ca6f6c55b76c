//! The lexer, which splits text into tokens.
//!
//! It splits text as FXC's preprocessor does. [`Lexer::new`] reads names that are joined by `::` as one
//! token, because a macro may be called `A::B`, but [`Lexer::plain`] splits such a name into three tokens.

use std::sync::Arc;

use crate::{
    session::{Session, code::Code, source::Span},
    text::{
        number::{begins_number, is_name, number_length},
        token::{Punct, Token, TokenKind},
    },
};

#[derive(Clone, Debug)]
pub(crate) struct Lexer {
    text: Arc<str>,
    start: u32,
    at: usize,
    first: bool,
    /// Whether `A::B` is one token, as the preprocessor requires.
    joins_names: bool,
}

impl Lexer {
    pub(crate) fn new(text: Arc<str>, start: u32) -> Lexer {
        // A byte order mark is not part of the text.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, start, at, first: true, joins_names: true }
    }

    pub(crate) fn plain(text: Arc<str>, start: u32) -> Lexer {
        Lexer { joins_names: false, ..Lexer::new(text, start) }
    }

    pub(crate) fn position(&self) -> u32 {
        self.start + self.at as u32
    }

    pub(crate) fn next_line(&self) -> u32 {
        let mut ahead = self.clone();
        ahead.rest_of_line();
        ahead.position() + ahead.line_end() as u32
    }

    /// Reads the next token, which is always [`TokenKind::End`] at the end of the text.
    pub(crate) fn next(&mut self, session: &mut Session) -> Token {
        let spaced = self.skip_space(session);
        let first = std::mem::take(&mut self.first);
        let begin = self.at;
        let kind = self.kind(session);
        Token { kind, span: self.span_from(begin), spaced, first }
    }

    /// Reads the next token if it is on the same line as the last one.
    pub(crate) fn next_on_line(&mut self, session: &mut Session) -> Option<Token> {
        let before = (self.at, self.first);
        self.skip_space(session);
        let ends = self.first || self.at_end();
        // The space is read again, because the next line might not begin with a valid token.
        (self.at, self.first) = before;
        if ends { None } else { Some(self.next(session)) }
    }

    /// Returns the unprocessed text after the last token on its line, without the line end.
    ///
    /// A line that ends with `\` continues on the next one.
    pub(crate) fn rest_of_line(&mut self) -> Span {
        let begin = self.at;
        loop {
            let is_special = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\\');
            self.at += self.bytes().iter().position(is_special).unwrap_or(self.bytes().len());
            if self.at_end() || self.line_end() > 0 {
                return self.span_from(begin);
            }
            self.at += self.continuation().max(1);
        }
    }

    pub(crate) fn header_name(&mut self, session: &mut Session) -> Option<Span> {
        let before = (self.at, self.first);
        self.skip_space(session);
        let close = match self.byte(0) {
            Some(b'"') if !self.first => b'"',
            Some(b'<') if !self.first => b'>',
            _ => {
                (self.at, self.first) = before;
                return None;
            }
        };
        let begin = self.at;
        self.at += 1;
        while let Some(byte) = self.byte(0).filter(|byte| *byte != b'\n') {
            self.at += 1;
            if byte == close {
                return Some(self.span_from(begin));
            }
        }
        (self.at, self.first) = before;
        None
    }

    /// Skips lines until one begins with `#`, so that the next token is this `#` or the end of the text.
    ///
    /// The skipped text may contain invalid tokens, and a string that is not closed ends at the end of its
    /// line.
    pub(crate) fn skip_to_directive(&mut self, session: &mut Session) {
        loop {
            self.skip_space(session);
            if self.at_end() || (self.first && self.byte(0) == Some(b'#')) {
                return;
            }
            self.skip_line(session);
        }
    }

    /// Skips the rest of the line, and any comment that begins on it and ends on a later line.
    pub(crate) fn skip_line(&mut self, session: &mut Session) {
        self.first = false;
        loop {
            self.skip_space(session);
            if self.first || self.at_end() {
                return;
            }
            if self.byte(0) == Some(b'"') {
                self.skip_quoted_line();
            } else {
                self.at += 1;
            }
        }
    }

    /// Skips a string, which ends at the end of the line if it is not closed.
    fn skip_quoted_line(&mut self) {
        let line = self.bytes().split(|byte| *byte == b'\n').next().unwrap_or_default();
        self.at += string_length(line).unwrap_or(line.len());
    }

    /// Skips white space and comments, and returns whether anything was skipped.
    fn skip_space(&mut self, session: &mut Session) -> bool {
        let begin = self.at;
        loop {
            match self.bytes() {
                [b'\n', ..] => {
                    self.at += 1;
                    self.first = true;
                }
                [b' ' | b'\t' | b'\r' | 0x0b | 0x0c, ..] => self.at += 1,
                [b'\\', ..] if self.continuation() > 0 => self.at += self.continuation(),
                [b'/', b'/', ..] => {
                    self.rest_of_line();
                }
                [b'/', b'*', rest @ ..] => match rest.windows(2).position(|pair| pair == b"*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        let opening = Span::new(self.position(), self.position() + 2);
                        session.warn(Code::CommentEof, opening, "the comment is not closed");
                        self.at = self.text.len();
                    }
                },
                _ => return self.at > begin,
            }
        }
    }

    fn kind(&mut self, session: &mut Session) -> TokenKind {
        let rest = self.bytes();
        let Some(byte) = rest.first() else { return TokenKind::End };
        let name = self.name_length();
        if name > 0 {
            let symbol = session.names.intern(&self.text[self.at..self.at + name]);
            self.at += name;
            return TokenKind::Name(symbol);
        }
        let number = if begins_number(*byte) { number_length(rest) } else { 0 };
        if number > 0 {
            self.at += number;
            return TokenKind::Number;
        }
        if *byte == b'"' {
            let length = string_length(rest).unwrap_or_else(|| {
                let opening = Span::new(self.position(), self.position() + 1);
                session.error(Code::StringEof, opening, "the string is not closed");
                rest.len()
            });
            self.at += length;
            return TokenKind::String;
        }
        if let Some(punct) = Punct::at(rest) {
            self.at += punct.text().len();
            return TokenKind::Punct(punct);
        }
        let unknown = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or_default();
        self.at += unknown.len_utf8();
        TokenKind::Unknown(unknown)
    }

    /// Returns the length of a name in bytes. A joined name may begin with `::`, and its later parts may
    /// begin with a digit.
    fn name_length(&self) -> usize {
        let rest = self.bytes();
        let colons = |at: usize| {
            let colons = self.joins_names && rest.get(at..at + 2) == Some(b"::");
            if colons { 2 } else { 0 }
        };
        let byte_at = |at: usize| rest.get(at).copied().unwrap_or_default();
        let mut length = colons(0);
        if !is_name(byte_at(length)) || byte_at(length).is_ascii_digit() {
            return 0;
        }
        loop {
            length += rest[length..].iter().take_while(|byte| is_name(**byte)).count();
            let joined = length + colons(length);
            if joined == length || !is_name(byte_at(joined)) {
                return length;
            }
            length = joined;
        }
    }

    fn bytes(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn byte(&self, offset: usize) -> Option<u8> {
        self.bytes().get(offset).copied()
    }

    fn at_end(&self) -> bool {
        self.bytes().is_empty()
    }

    fn line_end(&self) -> usize {
        match self.bytes() {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => 0,
        }
    }

    fn continuation(&self) -> usize {
        match self.bytes() {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 0,
        }
    }

    fn span_from(&self, begin: usize) -> Span {
        Span::new(self.start + begin as u32, self.position())
    }
}

/// Returns the length in bytes of a string that begins with a quotation mark and may extend over several
/// lines.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests;
