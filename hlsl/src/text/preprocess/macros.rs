//! Macro definitions from `#define`, `#undef` and the options.

use std::{cell::Cell, rc::Rc, sync::Arc};

use super::{Macro, Preprocessor};
use crate::{
    session::{
        Session,
        code::Code,
        names::Symbol,
        source::{OutOfPositions, Span},
    },
    text::{
        lexer::Lexer,
        token::{Punct, Token, TokenKind},
    },
};

const MOST_PARAMETERS: usize = 256;

#[derive(Debug)]
pub(super) struct MacroDefinition {
    pub(super) name: Arc<str>,
    /// The parameters, or `None` for a macro without a parameter list.
    pub(super) parameters: Option<Vec<Symbol>>,
    pub(super) body: Vec<Token>,
    span: Span,
    /// Whether the macro is being expanded, because it is not expanded again in its own expansion.
    pub(super) expanding: Cell<bool>,
}

impl MacroDefinition {
    /// Returns the index of a parameter or, if two parameters have the same name, of the first one.
    pub(super) fn parameter(&self, token: &Token) -> Option<usize> {
        let TokenKind::Name(symbol) = token.kind else { return None };
        self.parameters.as_ref()?.iter().position(|parameter| *parameter == symbol)
    }

    /// Returns whether two definitions are the same except for the amount of white space.
    fn is_same(&self, other: &MacroDefinition, session: &Session) -> bool {
        let same = |(index, (a, b)): (usize, (&Token, &Token))| {
            let spaced = index == 0 || a.spaced == b.spaced;
            a.kind == b.kind && spaced && session.sources.text(a.span) == session.sources.text(b.span)
        };
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(same)
    }
}

impl Preprocessor<'_> {
    /// Executes a `#define` directive, whose `word` has already been read, and warns if the macro gets a
    /// different definition.
    pub(super) fn define(&mut self, word: Token) {
        let Some(token) = self.next_on_line() else {
            self.syntax_error(word.span, "#define needs the name of a macro");
            return;
        };
        let TokenKind::Name(symbol) = token.kind else {
            self.syntax_error(token.span, "the name of a macro is expected after #define");
            return;
        };
        let mut rest = self.next_on_line();
        let mut parameters = None;
        if rest.is_some_and(|rest| rest.kind == TokenKind::Punct(Punct::OpenParenthesis) && !rest.spaced) {
            let Some(list) = self.parameters(token) else { return };
            parameters = Some(list);
            rest = self.next_on_line();
        }
        let body = rest.into_iter().chain(std::iter::from_fn(|| self.next_on_line())).collect();
        self.add_definition(symbol, token.span, parameters, body);
    }

    /// Reads the parameters of a macro after the opening parenthesis, or returns `None` after an error.
    fn parameters(&mut self, name: Token) -> Option<Vec<Symbol>> {
        let mut list = Vec::new();
        let mut last = name;
        loop {
            let token = self.next_on_line();
            match token.map(|token| token.kind) {
                Some(TokenKind::Name(symbol)) => {
                    if list.contains(&symbol) {
                        let name = self.session.names.text(symbol).clone();
                        let message = format!("duplicate parameter '{name}': the first one is used");
                        self.session.warn(Code::DuplicateParameter, token?.span, message);
                    }
                    list.push(symbol);
                }
                Some(TokenKind::Punct(Punct::CloseParenthesis)) if list.is_empty() => return Some(list),
                Some(TokenKind::Punct(Punct::Ellipsis)) => {
                    self.syntax_error(
                        token?.span,
                        "macros with a variable number of arguments are not supported",
                    );
                    return None;
                }
                _ => {
                    let message = "a parameter name is expected in the definition of the macro";
                    self.syntax_error(token.unwrap_or(last).span, message);
                    return None;
                }
            }
            if list.len() > MOST_PARAMETERS {
                self.stop(name.span, format!("the macro has more than {MOST_PARAMETERS} parameters"));
                return None;
            }
            last = token?;
            let token = self.next_on_line();
            match token.map(|token| token.kind) {
                Some(TokenKind::Punct(Punct::Comma)) => last = token?,
                Some(TokenKind::Punct(Punct::CloseParenthesis)) => return Some(list),
                _ => {
                    let message = "',' or ')' is expected after the parameter of the macro";
                    self.syntax_error(token.unwrap_or(last).span, message);
                    return None;
                }
            }
        }
    }

    fn add_definition(
        &mut self,
        symbol: Symbol,
        span: Span,
        parameters: Option<Vec<Symbol>>,
        body: Vec<Token>,
    ) {
        let name = self.session.names.text(symbol).clone();
        let definition = MacroDefinition { name, parameters, body, span, expanding: Cell::new(false) };
        if let Some(old) = self.macros.get(&symbol)
            && !old.is_same(&definition, self.session)
        {
            let old = old.span;
            self.session.warn(
                Code::MacroRedefinition,
                span,
                format!("'{}' : macro redefinition", definition.name),
            );
            self.session.note(old, "the previous definition is here");
        }
        self.macros.insert(symbol, Rc::new(definition));
    }

    /// Defines a macro from the options, unless its name is not an identifier and the macro therefore cannot
    /// be used.
    pub(super) fn define_from_outside(&mut self, definition: &Macro) {
        let file = format!("macro {}", definition.name);
        let added = (self.session.sources.add_file(&file, definition.name.as_str())).and_then(|name| {
            Ok((name, self.session.sources.add_file(&file, definition.definition.as_str())?))
        });
        let Ok((name, text)) = added else {
            let Err(OutOfPositions) = added else { return };
            self.stop(Span::default(), "the macros are longer than 2 GiB");
            return;
        };
        let mut lexer = Lexer::new(definition.name.as_str().into(), name.start);
        let token = lexer.next(self.session);
        let TokenKind::Name(symbol) = token.kind else { return };
        if lexer.next(self.session).kind != TokenKind::End {
            return;
        }
        // If two macros have the same name, the later one is used, without a warning.
        self.macros.remove(&symbol);
        let mut lexer = Lexer::new(definition.definition.as_str().into(), text.start);
        let mut body = Vec::new();
        loop {
            let token = lexer.next(self.session);
            if token.kind == TokenKind::End || !self.spend(1, token.span) {
                break;
            }
            body.push(Token { first: false, spaced: token.spaced || token.first, ..token });
        }
        self.add_definition(symbol, name, None, body);
    }

    pub(super) fn undefine(&mut self, word: Token) {
        match self.next_on_line() {
            Some(Token { kind: TokenKind::Name(symbol), .. }) => {
                self.macros.remove(&symbol);
                self.finish_line();
            }
            other => {
                let span = other.map_or(word.span, |token| token.span);
                self.syntax_error(span, "the name of a macro is expected after #undef");
            }
        }
    }
}
