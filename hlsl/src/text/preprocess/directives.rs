//! The dispatch of directives, and the simple directives `#error` and `#line`.

use super::{Preprocessor, input::InputToken};
use crate::{
    session::{code::Code, source::Span},
    text::{
        number::parse_directive_integer,
        token::{Token, TokenKind},
    },
};

impl Preprocessor<'_> {
    pub(super) fn directive(&mut self, hash: Token) {
        // A line that contains only `#` is a valid directive.
        let Some(word) = self.next_on_line() else { return };
        let name = match word.kind {
            TokenKind::Name(symbol) => self.session.names.text(symbol).clone(),
            // C preprocessors write `#line` in this form.
            TokenKind::Number => {
                let items = std::iter::once(InputToken::from(word)).chain(self.rest_of_line()).collect();
                self.set_line(word, items);
                return;
            }
            _ => "".into(),
        };
        if self.conditional(&name, word) {
            if !self.is_active() {
                self.skip_inactive();
            }
            return;
        }
        match &*name {
            "define" => self.define(word),
            "undef" => self.undefine(word),
            "include" => self.include(word),
            "line" => {
                let items = self.rest_of_line();
                let items = self.expand_all(items);
                self.set_line(word, items);
            }
            "pragma" => self.pragma(hash),
            "error" => self.error_directive(hash),
            _ => {
                let text = self.session.sources.text(word.span);
                let message = format!("invalid preprocessor command '{text}': the line is ignored");
                self.session.warn(Code::UnknownDirective, word.span, message);
                self.skip_line();
            }
        }
    }

    /// Reports an `#error` with its text, which may contain invalid tokens.
    fn error_directive(&mut self, hash: Token) {
        let Some(file) = self.files.last_mut() else { return };
        let rest = file.lexer.rest_of_line();
        let text = self.session.sources.text(rest).trim();
        let message = if text.is_empty() { "#error".to_owned() } else { format!("#error {text}") };
        self.session.error(Code::ErrorDirective, Span::new(hash.span.start, rest.end), message);
    }

    /// Applies a `#line` with a line number and an optional file name.
    fn set_line(&mut self, word: Token, items: Vec<InputToken>) {
        let text = |item: &InputToken| self.session.sources.text(item.token.span).to_owned();
        let line = items
            .first()
            .filter(|item| item.token.kind == TokenKind::Number)
            .and_then(|item| parse_directive_integer(&text(item)));
        let Some(line) = line else {
            self.syntax_error(word.span, "#line needs a line number");
            return;
        };
        let name = match items.get(1) {
            None => None,
            Some(item) if item.token.kind == TokenKind::String => Some(unquote(&text(item))),
            Some(item) => {
                self.syntax_error(item.token.span, "a file name in quotation marks is expected");
                return;
            }
        };
        if let Some(item) = items.get(2).filter(|_| word.kind != TokenKind::Number) {
            let message = "unexpected tokens following the preprocessor directive; expected a new line";
            self.session.warn(Code::UnexpectedTokens, item.token.span, message);
        }
        let Some(file) = self.files.last() else { return };
        self.session.sources.set_line(file.lexer.next_line(), line, name.as_deref());
    }

    pub(super) fn syntax_error(&mut self, span: Span, message: &str) {
        self.session.error(Code::PreprocessorSyntax, span, message);
        self.skip_line();
    }
}

pub(super) fn unquote(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let mut unquoted = String::with_capacity(inner.len());
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        // Other escape sequences are left unchanged, because `"C:\sky.hlsl"` is a file name.
        match (character, characters.peek()) {
            ('\\', Some('\\' | '"')) => unquoted.extend(characters.next()),
            _ => unquoted.push(character),
        }
    }
    unquoted
}
