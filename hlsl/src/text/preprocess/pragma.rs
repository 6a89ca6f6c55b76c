//! The directive `#pragma`, in which macros are not expanded.

use super::{Preprocessor, directives::unquote, input::InputToken};
use crate::{
    session::{code::Code, source::Span, warnings::WarningAction},
    text::{
        number::parse_directive_integer,
        token::{Packing, Punct, Token, TokenKind},
    },
};

#[derive(Debug)]
pub(super) struct Pragma {
    /// The number of output tokens before the pragma, which determines its position in the output.
    pub(super) at: usize,
    pub(super) text: String,
    pub(super) span: Span,
}

impl Preprocessor<'_> {
    /// Executes a `#pragma` directive after its name has been read, and ignores an unknown pragma with a
    /// warning.
    pub(super) fn pragma(&mut self, hash: Token) {
        let items = self.rest_of_line();
        let name = items.first().map_or("", |item| self.session.sources.text(item.token.span)).to_owned();
        let end = items.last().map_or(hash.span, |item| item.token.span).end;
        let span = Span::new(hash.span.start, end);
        let arguments = items.get(1..).unwrap_or_default();
        let is_known = match &*name {
            "pack_matrix" => self.pack_matrix(arguments, span, hash),
            "warning" => self.warning(arguments, span),
            "message" => self.message(arguments, span),
            // This pragma sets a constant register in Direct3D 9.
            "def" => true,
            "once" => {
                self.once.extend(self.files.last().map(|file| file.name.clone()));
                return;
            }
            _ => false,
        };
        if !is_known {
            let message = format!("'{name}' : unknown pragma ignored");
            self.session.warn(Code::UnknownPragma, span, message);
        }
        let mut text = "#pragma".to_owned();
        for (index, item) in items.iter().enumerate() {
            if index == 0 || item.token.spaced {
                text.push(' ');
            }
            text.push_str(self.session.sources.text(item.token.span));
        }
        // The space prevents a trailing `\` from joining the next line.
        text.push_str(if text.ends_with('\\') { " " } else { "" });
        self.output.pragmas.push(Pragma { at: self.output.tokens.len(), text, span });
    }

    fn pack_matrix(&mut self, arguments: &[InputToken], span: Span, hash: Token) -> bool {
        let text = |item: &InputToken| self.session.sources.text(item.token.span);
        let packing = match arguments {
            [open, packing, close] if text(open) == "(" && text(close) == ")" => text(packing),
            _ => return false,
        };
        let packing = match packing {
            "row_major" => Packing::RowMajor,
            "column_major" => Packing::ColumnMajor,
            _ => return false,
        };
        let kind = TokenKind::PackMatrix(packing);
        self.output.tokens.push(Token { kind, span, spaced: hash.spaced, first: true });
        true
    }

    fn warning(&mut self, arguments: &[InputToken], span: Span) -> bool {
        let [open, inner @ .., close] = arguments else { return false };
        let is = |item: &InputToken, punct| item.token.kind == TokenKind::Punct(punct);
        if !is(open, Punct::OpenParenthesis) || !is(close, Punct::CloseParenthesis) {
            return false;
        }
        let mut rules = Vec::new();
        for part in inner.split(|item| is(item, Punct::Semicolon)) {
            let [action, colon, numbers @ ..] = part else { return false };
            let action = match self.session.sources.text(action.token.span) {
                "disable" => WarningAction::Disable,
                "once" => WarningAction::Once,
                "error" => WarningAction::Error,
                // FXC has warning levels from 1 to 4, and shows all levels by default.
                "default" | "1" | "2" | "3" | "4" => WarningAction::Show,
                _ => return false,
            };
            if !is(colon, Punct::Colon) {
                return false;
            }
            for number in numbers {
                let text = self.session.sources.text(number.token.span);
                let number = (number.token.kind == TokenKind::Number).then(|| parse_directive_integer(text));
                let Some(number) = number.flatten() else { return false };
                rules.push((number, action));
            }
        }
        for (number, action) in rules {
            self.session.warnings.add(span.start, number, action);
        }
        true
    }

    /// Reports a string, optionally in parentheses, as a warning.
    fn message(&mut self, arguments: &[InputToken], span: Span) -> bool {
        let string = arguments.iter().find(|item| item.token.kind == TokenKind::String);
        let Some(string) = string else { return false };
        let text = unquote(self.session.sources.text(string.token.span));
        self.session.warn(Code::PragmaMessage, span, text);
        true
    }
}
