//! The input of the preprocessor: a stack of files, and a stack of macro expansions that are read before the
//! files.

use std::{rc::Rc, sync::Arc};

use super::{Preprocessor, conditions::OpenCondition, macros::MacroDefinition};
use crate::{
    session::code::Code,
    text::{
        lexer::Lexer,
        token::{Punct, Token, TokenKind},
    },
};

#[derive(Clone, Copy, Debug)]
pub(super) struct InputToken {
    pub(super) token: Token,
    /// Whether the token must not be expanded, even if it is the name of a macro.
    pub(super) settled: bool,
}

impl From<Token> for InputToken {
    fn from(token: Token) -> InputToken {
        InputToken { token, settled: false }
    }
}

#[derive(Debug)]
pub(super) struct FileInput {
    /// The name of the file that the include handler returned.
    pub(super) name: Arc<str>,
    pub(super) lexer: Lexer,
    pub(super) conditions: Vec<OpenCondition>,
}

impl FileInput {
    pub(super) fn new(name: Arc<str>, text: Arc<str>, start: u32) -> FileInput {
        FileInput { name, lexer: Lexer::new(text, start), conditions: Vec::new() }
    }
}

/// Tokens that are read before the tokens of files, such as the expansion of a macro.
#[derive(Debug)]
pub(super) struct MacroExpansion {
    items: Vec<InputToken>,
    next: usize,
    /// The macro that is being expanded and is therefore not expanded again within these tokens.
    definition: Option<Rc<MacroDefinition>>,
}

/// The tokens to read: first the expansions above `floor` on the stack, and then the files if `files` is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputScope {
    floor: usize,
    files: bool,
}

impl InputScope {
    pub(super) fn reads_files(self) -> bool {
        self.files
    }
}

pub(super) const FILES: InputScope = InputScope { floor: 0, files: true };

impl Preprocessor<'_> {
    /// Executes all directives before the next token, and reads that token without expanding macros, or
    /// returns `None` at the end of the scope.
    pub(super) fn next_raw(&mut self, scope: InputScope) -> Option<InputToken> {
        while !self.stopped {
            if self.expansions.len() > scope.floor {
                let top = self.expansions.last_mut()?;
                if let Some(item) = top.items.get(top.next) {
                    top.next += 1;
                    return Some(*item);
                }
                self.end_expansion();
            } else if scope.files {
                return self.next_of_file().map(InputToken::from);
            } else {
                return None;
            }
        }
        None
    }

    pub(super) fn next_is_parenthesis(&mut self, scope: InputScope) -> bool {
        let mut expansions = self.expansions[scope.floor..].iter().rev();
        if let Some(item) = expansions.find_map(|expansion| expansion.items.get(expansion.next)) {
            return item.token.kind == TokenKind::Punct(Punct::OpenParenthesis) && !item.token.first;
        }
        let Some(file) = self.files.last().filter(|_| scope.files) else { return false };
        let token = file.lexer.clone().next_on_line(self.session);
        token.is_some_and(|token| token.kind == TokenKind::Punct(Punct::OpenParenthesis))
    }

    /// Inserts tokens before all other input, and prevents the expansion of `definition` while they are read.
    pub(super) fn begin_expansion(
        &mut self,
        items: Vec<InputToken>,
        definition: Option<Rc<MacroDefinition>>,
    ) {
        if let Some(definition) = &definition {
            definition.expanding.set(true);
        }
        self.expansions.push(MacroExpansion { items, next: 0, definition });
    }

    pub(super) fn begin_scope(&mut self, items: Vec<InputToken>) -> InputScope {
        let scope = InputScope { floor: self.expansions.len(), files: false };
        self.begin_expansion(items, None);
        scope
    }

    pub(super) fn end_scope(&mut self, scope: InputScope) {
        while self.expansions.len() > scope.floor {
            self.end_expansion();
        }
    }

    fn end_expansion(&mut self) {
        if let Some(MacroExpansion { definition: Some(definition), .. }) = self.expansions.pop() {
            definition.expanding.set(false);
        }
    }

    fn next_of_file(&mut self) -> Option<Token> {
        while !self.stopped {
            let token = self.files.last_mut()?.lexer.next(self.session);
            match token.kind {
                TokenKind::End => self.end_file(),
                TokenKind::Punct(Punct::Hash) if token.first => self.directive(token),
                _ if self.spend(1, token.span) => return Some(token),
                _ => {}
            }
        }
        None
    }

    fn end_file(&mut self) {
        let Some(file) = self.files.pop() else { return };
        for condition in file.conditions {
            self.session.warn(Code::UnexpectedEof, condition.span, "the file ends before #endif");
        }
    }

    pub(super) fn next_on_line(&mut self) -> Option<Token> {
        let token = self.files.last_mut()?.lexer.next_on_line(self.session)?;
        self.spend(1, token.span).then_some(token)
    }

    pub(super) fn rest_of_line(&mut self) -> Vec<InputToken> {
        std::iter::from_fn(|| self.next_on_line().map(InputToken::from)).collect()
    }

    pub(super) fn skip_line(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.lexer.skip_line(self.session);
        }
    }

    /// Ends a directive, and skips remaining tokens on its line with a warning.
    pub(super) fn finish_line(&mut self) {
        if let Some(token) = self.next_on_line() {
            self.session.warn(
                Code::UnexpectedTokens,
                token.span,
                "unexpected tokens following the preprocessor directive; expected a new line",
            );
            self.skip_line();
        }
    }
}
