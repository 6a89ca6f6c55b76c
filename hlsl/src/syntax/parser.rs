//! A recursive-descent parser.
//!
//! * **Types are known by name.** As in C, `(a)(b)` is a cast or a call depending on `a`. The parser
//!   therefore keeps scopes that record for each declared name whether it is a type. The checks do all other
//!   name resolution.
//! * **Errors do not stop the parser.** A function that fails reports the error and returns [`ParseFailed`].
//!   The nearest loop over statements or declarations catches it, skips to the end of the invalid statement
//!   or declaration, and continues.
//! * **Depth is limited.** [`Parser::nested`] counts the nesting of constructs. The depth of an expression is
//!   stored in the expression itself, because `a + b + c + …` is a deep tree without nested constructs.

mod declarations;
mod effects;
mod expressions;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use crate::{
    session::{
        Session,
        code::Code,
        hash::{HashMap, HashSet},
        names::Symbol,
        source::Span,
    },
    syntax::{
        ast::{Ident, Program},
        keyword::{Keyword, Word, WordMeanings},
    },
    text::token::{Packing, Punct, Token, TokenKind},
};

/// Maximum nesting of statements. The blocks of the module have the same nesting, and naga, browsers and
/// drivers process them recursively. A block in a statement counts as two levels, and a chain of `else if`
/// counts as one statement.
const DEEPEST_STATEMENTS: u32 = 128;

/// Parsing of a construct failed with an error that was already reported, so callers only skip the rest of
/// the construct.
#[derive(Clone, Copy, Debug)]
struct ParseFailed;

type Parsed<T> = Result<T, ParseFailed>;

/// Parses the tokens of a program, which must end with [`TokenKind::End`]. Invalid declarations and
/// statements are reported and left out of the result.
pub(crate) fn parse(session: &mut Session, tokens: &[Token]) -> Program {
    let words = WordMeanings::new(&session.names);
    let mut parser = Parser {
        session,
        words,
        tokens,
        at: 0,
        split: None,
        scopes: vec![HashMap::default()],
        packing: None,
        nesting: 0,
        statements: 0,
        too_deep: false,
        compiled: Vec::new(),
        open: Vec::new(),
        refused: None,
        later_types: None,
        skipped: HashSet::default(),
    };
    parser.skip_packings();
    let items = parser.items(false);
    Program { items, compiled: parser.compiled }
}

struct Parser<'a> {
    session: &'a mut Session,
    words: WordMeanings,
    tokens: &'a [Token],
    at: usize,
    /// The rest of a `>>`, `>=` or `>>=` whose first `>` was consumed as the end of type arguments.
    split: Option<Token>,
    /// For each declared name, whether it is a type, with the innermost scope last.
    scopes: Vec<HashMap<Symbol, bool>>,
    packing: Option<Packing>,
    /// The number of active calls of [`Parser::nested`] plus the number of enclosing `else if` links.
    nesting: u32,
    statements: u32,
    /// Whether the nesting limit was already reported, because one message is enough.
    too_deep: bool,
    compiled: Vec<(Ident, usize)>,
    open: Vec<Span>,
    /// The token that was refused last, so that it is not reported twice.
    refused: Option<Span>,
    /// The structures of the source, collected when a hint first needs them.
    later_types: Option<HashMap<Symbol, Span>>,
    /// The files with a warning about skipped effects, so that each file gets only one.
    skipped: HashSet<Arc<str>>,
}

impl Parser<'_> {
    // Lookahead without consuming tokens

    /// Returns the current token or, after the end of the source, the last token again.
    fn peek(&self) -> Token {
        self.split.unwrap_or_else(|| self.ahead(0))
    }

    fn ahead(&self, count: usize) -> Token {
        let index = (self.at + count).min(self.tokens.len().saturating_sub(1));
        self.tokens.get(index).copied().unwrap_or(Token {
            kind: TokenKind::End,
            span: Span::default(),
            spaced: false,
            first: false,
        })
    }

    fn is(&self, punct: Punct) -> bool {
        self.peek().kind == TokenKind::Punct(punct)
    }

    fn is_ahead(&self, count: usize, punct: Punct) -> bool {
        self.ahead(count).kind == TokenKind::Punct(punct)
    }

    fn is_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    fn word_of(&self, token: Token) -> Option<Word> {
        match token.kind {
            TokenKind::Name(name) => Some(self.words.get(name)),
            _ => None,
        }
    }

    fn word(&self) -> Option<Word> {
        self.word_of(self.peek())
    }

    fn keyword(&self) -> Option<Keyword> {
        self.keyword_ahead(0)
    }

    fn keyword_ahead(&self, count: usize) -> Option<Keyword> {
        match self.word_of(self.ahead(count)) {
            Some(Word::Keyword(keyword)) => Some(keyword),
            _ => None,
        }
    }

    fn text(&self, token: Token) -> String {
        match token.kind {
            TokenKind::End => "end of file".to_owned(),
            _ => self.session.sources.text(token.span).to_owned(),
        }
    }

    // Consuming tokens

    fn bump(&mut self) -> Token {
        let token = self.peek();
        match token.kind {
            TokenKind::Punct(Punct::OpenBrace) => self.open.push(token.span),
            TokenKind::Punct(Punct::CloseBrace) => _ = self.open.pop(),
            _ => {}
        }
        self.split = None;
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        self.skip_packings();
        token
    }

    /// Applies each `#pragma pack_matrix` before the current token, in a loop that terminates because the
    /// last token is never a pragma.
    fn skip_packings(&mut self) {
        while let TokenKind::PackMatrix(packing) = self.ahead(0).kind {
            self.packing = Some(packing);
            self.at += 1;
        }
    }

    fn eat(&mut self, punct: Punct) -> Option<Token> {
        self.is(punct).then(|| self.bump())
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> Option<Token> {
        (self.keyword() == Some(keyword)).then(|| self.bump())
    }

    /// Consumes a `>`, which may be the beginning of `>>`, `>=` or `>>=`.
    fn eat_greater(&mut self) -> Option<Token> {
        let token = self.peek();
        let rest = match token.kind {
            TokenKind::Punct(Punct::Greater) => return Some(self.bump()),
            TokenKind::Punct(Punct::ShiftRight) => Punct::Greater,
            TokenKind::Punct(Punct::GreaterEqual) => Punct::Assign,
            TokenKind::Punct(Punct::ShiftRightAssign) => Punct::GreaterEqual,
            _ => return None,
        };
        let middle = token.span.start + 1;
        let part = |kind, span| Token { kind, span, ..token };
        self.split = Some(part(TokenKind::Punct(rest), Span::new(middle, token.span.end)));
        Some(part(TokenKind::Punct(Punct::Greater), Span::new(token.span.start, middle)))
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Token> {
        match self.eat(punct) {
            Some(token) => Ok(token),
            None => self.missing(punct),
        }
    }

    /// Consumes the `;` at the end of a statement or a declaration. A missing `;` is reported, and parsing
    /// continues if the next token is on a new line.
    fn end_statement(&mut self) -> Parsed<()> {
        if self.eat(Punct::Semicolon).is_some() {
            return Ok(());
        }
        let goes_on = self.line_end().is_some() && !self.is_end();
        let failed = self.missing(Punct::Semicolon);
        if goes_on { Ok(()) } else { failed }
    }

    /// Returns whether the declaration of a structure ends here. On a new line, only the name of a variable
    /// or a function can continue it.
    pub(super) fn is_struct_end(&mut self) -> Parsed<bool> {
        let is_name = matches!(self.peek().kind, TokenKind::Name(_));
        let goes_on =
            is_name && !matches!(self.ahead(1).kind, TokenKind::Name(_) | TokenKind::Punct(Punct::Less));
        if self.is(Punct::Semicolon) || self.line_end().is_some() && !goes_on {
            self.end_statement()?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Parses a declared name, which may be the name of a built-in type, as in FXC.
    fn ident(&mut self) -> Parsed<Ident> {
        let token = self.peek();
        match (token.kind, self.word_of(token)) {
            (TokenKind::Name(name), Some(Word::Keyword(keyword))) if keyword.is_soft() => {
                self.bump();
                Ok(Ident { name, span: token.span })
            }
            (_, None | Some(Word::Keyword(_))) | (TokenKind::End, _) => self.unexpected(),
            (TokenKind::Name(name), Some(_)) => {
                self.bump();
                Ok(Ident { name, span: token.span })
            }
            _ => self.unexpected(),
        }
    }

    // Reporting errors

    fn error<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.session.error(code, span, message);
        Err(ParseFailed)
    }

    fn unexpected<T>(&mut self) -> Parsed<T> {
        self.refuse(self.peek().span, "")
    }

    /// Reports a missing token, at the end of the previous token if the current token is on a later line.
    fn missing<T>(&mut self, punct: Punct) -> Parsed<T> {
        let place = self.line_end().unwrap_or(self.peek().span);
        self.refuse(place, &format!("; expected '{}'", punct.text()))
    }

    fn refuse<T>(&mut self, place: Span, expected: &str) -> Parsed<T> {
        let token = self.peek();
        if self.refused.replace(token.span) == Some(token.span) {
            return Err(ParseFailed);
        }
        let text = self.text(token);
        let message = match token.kind {
            TokenKind::End => format!("syntax error: unexpected end of file{expected}"),
            _ => format!("syntax error: unexpected token '{text}'{expected}"),
        };
        self.session.error(Code::SyntaxError, place, message);
        if let (TokenKind::End, Some(brace)) = (token.kind, self.open.last()) {
            self.session.note(*brace, "this '{' is not closed");
        }
        Err(ParseFailed)
    }

    /// Returns the end of the last token if the current token is on a later line.
    fn line_end(&self) -> Option<Span> {
        let sources = &self.session.sources;
        let last = sources.in_file(self.last_span());
        let lines = [last, self.peek().span].map(|span| sources.file_and_line(span));
        (self.at > 0 && lines[0] != lines[1]).then(|| last.ending())
    }

    /// Parses a construct that can contain itself, so that it counts towards the nesting limit.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let deepest = self.session.limits.nesting;
        if self.nesting >= deepest {
            return self.nested_too_deep(format!(
                "parentheses, calls and operators are more than {deepest} deep; store parts in variables"
            ));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }

    /// Reports that a nesting limit was exceeded, unless this was already reported.
    fn nested_too_deep<T>(&mut self, message: String) -> Parsed<T> {
        let span = self.peek().span;
        if !std::mem::replace(&mut self.too_deep, true) {
            self.session.too_deep(span, message);
        }
        Err(ParseFailed)
    }

    /// Skips the rest of a statement or a declaration after an error.
    ///
    /// The rest ends at a `;` or at the end of a block that begins here. The `}` of an enclosing block is not
    /// consumed unless the parser is still at its start position `began`, so at least one token is skipped
    /// and each error makes progress.
    fn recover(&mut self, began: usize) {
        let mut depth = 0_u32;
        loop {
            match self.peek().kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) => {
                    if depth == 0 {
                        if self.at == began {
                            self.bump();
                        }
                        return;
                    }
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        self.eat(Punct::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    fn skip_balanced(&mut self) -> Parsed<Span> {
        let first = self.peek();
        let mut depth = 0_u32;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return self.unexpected(),
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParenthesis | Punct::OpenBracket) => {
                    depth += 1;
                }
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseParenthesis | Punct::CloseBracket) => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(self.session.sources.join(first.span, token.span));
            }
        }
    }

    // Declared names

    fn declare(&mut self, name: Symbol, is_type: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, is_type);
        }
    }

    /// Returns whether a name is declared as a type (`Some(true)`) or as something else (`Some(false)`).
    fn declared(&self, name: Symbol) -> Option<bool> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&name).copied())
    }

    fn scoped<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(HashMap::default());
        let parsed = parse(self);
        self.scopes.pop();
        parsed
    }

    fn join(&self, first: Span, last: Span) -> Span {
        self.session.sources.join(first, last)
    }

    fn last_span(&self) -> Span {
        self.tokens[..self.at]
            .iter()
            .rev()
            .find(|token| !matches!(token.kind, TokenKind::PackMatrix(_)))
            .map_or_else(Span::default, |token| token.span)
    }
}
