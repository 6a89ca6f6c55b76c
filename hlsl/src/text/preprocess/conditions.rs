//! The conditional directives `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else` and `#endif`.

use super::Preprocessor;
use crate::{
    session::{code::Code, source::Span},
    text::token::{Punct, Token, TokenKind},
};

const MOST_CONDITIONS: usize = 4096;

/// A condition whose `#endif` has not been read yet.
#[derive(Debug)]
pub(super) struct OpenCondition {
    pub(super) span: Span,
    active: bool,
    /// Whether a branch was active, so that all later branches are skipped.
    taken: bool,
    has_else: bool,
}

impl Preprocessor<'_> {
    pub(super) fn is_active(&self) -> bool {
        let condition = self.files.last().and_then(|file| file.conditions.last());
        condition.is_none_or(|condition| condition.active)
    }

    /// Executes a directive if it is a conditional one, and may thereby change [`Preprocessor::is_active`].
    pub(super) fn conditional(&mut self, name: &str, word: Token) -> bool {
        match name {
            "if" => {
                let holds = self.condition(word);
                self.open_condition(word, holds);
            }
            "ifdef" => {
                let holds = self.is_defined(word);
                self.open_condition(word, holds);
            }
            "ifndef" => {
                let holds = !self.is_defined(word);
                self.open_condition(word, holds);
            }
            "elif" => self.else_if(word),
            "else" => self.otherwise(word),
            "endif" => {
                let open = self.files.last_mut().and_then(|file| file.conditions.pop());
                if open.is_none() {
                    self.session.warn(Code::UnexpectedEndif, word.span, "unexpected #endif: there is no #if");
                }
                self.finish_line();
            }
            _ => return false,
        }
        true
    }

    fn open_condition(&mut self, word: Token, holds: bool) {
        let Some(file) = self.files.last_mut() else { return };
        if file.conditions.len() == MOST_CONDITIONS {
            let message = format!("more than {MOST_CONDITIONS} conditions are nested");
            self.stop(word.span, message);
            return;
        }
        file.conditions.push(OpenCondition { span: word.span, active: holds, taken: holds, has_else: false });
    }

    fn is_defined(&mut self, word: Token) -> bool {
        match self.next_on_line() {
            Some(Token { kind: TokenKind::Name(symbol), .. }) => {
                self.finish_line();
                self.macros.contains_key(&symbol)
            }
            other => {
                let span = other.map_or(word.span, |token| token.span);
                self.syntax_error(span, "the name of a macro is expected");
                false
            }
        }
    }

    fn else_if(&mut self, word: Token) {
        let Some(condition) = self.files.last_mut().and_then(|file| file.conditions.last_mut()) else {
            self.session.warn(Code::UnexpectedElif, word.span, "unexpected #elif: there is no #if");
            self.skip_line();
            return;
        };
        if condition.has_else {
            let message = "unexpected #elif following #else: it is ignored";
            self.session.warn(Code::ElifAfterElse, word.span, message);
            self.skip_line();
            return;
        }
        condition.active = false;
        if condition.taken {
            self.skip_line();
            return;
        }
        let holds = self.condition(word);
        if let Some(condition) = self.files.last_mut().and_then(|file| file.conditions.last_mut()) {
            condition.active = holds;
            condition.taken = holds;
        }
    }

    fn otherwise(&mut self, word: Token) {
        match self.files.last_mut().and_then(|file| file.conditions.last_mut()) {
            None => self.session.warn(Code::UnexpectedElse, word.span, "unexpected #else: there is no #if"),
            Some(condition) if condition.has_else => {
                let message = "unexpected #else following #else: it is ignored";
                self.session.warn(Code::ElseAfterElse, word.span, message);
            }
            Some(condition) => {
                condition.active = !condition.taken;
                condition.taken = true;
                condition.has_else = true;
            }
        }
        self.finish_line();
    }

    /// Skips lines until a directive makes the following lines active, or until the file ends.
    pub(super) fn skip_inactive(&mut self) {
        // The number of nested conditions in the skipped lines.
        let mut nested = 0usize;
        while !self.is_active() && !self.stopped {
            let Some(file) = self.files.last_mut() else { return };
            file.lexer.skip_to_directive(self.session);
            let hash = file.lexer.next(self.session);
            if hash.kind != TokenKind::Punct(Punct::Hash) {
                return;
            }
            let word = match file.lexer.next_on_line(self.session) {
                Some(word) if matches!(word.kind, TokenKind::Name(_)) => word,
                Some(_) => {
                    self.skip_line();
                    continue;
                }
                None => continue,
            };
            let TokenKind::Name(symbol) = word.kind else { continue };
            let name = self.session.names.text(symbol).clone();
            match &*name {
                "if" | "ifdef" | "ifndef" => nested += 1,
                "endif" if nested > 0 => nested -= 1,
                "elif" | "else" | "endif" if nested == 0 => {
                    self.conditional(&name, word);
                    continue;
                }
                _ => {}
            }
            self.skip_line();
        }
    }
}
