//! Effects, whose techniques and annotations are skipped and whose states are parsed.

use super::{Parsed, Parser};
use crate::{
    session::{code::Code, source::Span},
    syntax::{
        ast::{Expr, Ident, State, States},
        builtin::setter_arguments,
        keyword::{Keyword, Word},
    },
    text::token::{Punct, Token, TokenKind},
};

/// Maximum number of tokens that are examined to count the arguments of a compiled function, so arguments
/// after this limit are not counted.
const MOST_OF_ARGUMENTS: usize = 256;

impl Parser<'_> {
    /// Warns once per file that parts of effects are skipped.
    fn report_skipped(&mut self, span: Span) {
        let (file, _) = self.session.sources.file_and_line(span);
        if self.skipped.insert(file) {
            let message = "techniques and states of effects are skipped in this file: only shaders are compiled; set states \
                           by state objects of the device";
            self.session.warn(Code::EffectSkipped, span, message);
        }
    }

    /// Skips a technique, a group of techniques or a state block, or returns `false` if none follows.
    pub(super) fn effect_item(&mut self) -> Parsed<bool> {
        let token = self.peek();
        let is_effect =
            matches!(self.keyword(), Some(Keyword::Technique | Keyword::FxGroup | Keyword::StateBlock))
                && (matches!(self.ahead(1).kind, TokenKind::Name(_))
                    || self.is_ahead(1, Punct::OpenBrace)
                    || self.is_ahead(1, Punct::Less));
        if !is_effect {
            return Ok(false);
        }
        let is_group = self.keyword() == Some(Keyword::FxGroup);
        self.report_skipped(token.span);
        self.bump();
        if matches!(self.peek().kind, TokenKind::Name(_)) {
            self.bump();
        }
        self.skip_annotation()?;
        // A state block may also be written as `stateblock s = stateblock_state { … };`, without a body of
        // its own.
        self.skip_effect(is_group)?;
        Ok(true)
    }

    /// Skips the braces of a technique or of a group of techniques, and reports content that is invalid in an
    /// effect.
    fn skip_effect(&mut self, is_group: bool) -> Parsed<()> {
        let mut depth = 0_u32;
        // Whether the next token is the beginning of a state, a pass or a technique.
        let mut begins = false;
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
                // A state has at most one index.
                TokenKind::Name(_)
                    if begins
                        && self.is_ahead(1, Punct::OpenBracket)
                        && self.is_ahead(3, Punct::CloseBracket)
                        && self.is_ahead(4, Punct::OpenBracket) =>
                {
                    self.report(self.ahead(4));
                }
                // In a group, a technique must state its version.
                TokenKind::Name(_)
                    if begins
                        && is_group
                        && depth == 1
                        && self.text(token).eq_ignore_ascii_case("technique") =>
                {
                    self.report(token);
                }
                TokenKind::Name(_) if self.text(token) == "compile" => self.note_compiled(),
                // A function that sets a state cannot be used as a value.
                TokenKind::Punct(Punct::Assign)
                    if self.is_ahead(2, Punct::OpenParenthesis)
                        && setter_arguments(&self.text(self.ahead(1))).is_some() =>
                {
                    self.report(self.ahead(1));
                }
                _ => {}
            }
            begins = matches!(
                token.kind,
                TokenKind::Punct(Punct::OpenBrace | Punct::CloseBrace | Punct::Semicolon)
            );
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Records a shader that a technique compiles, when the current token is the `compile` of
    /// `compile profile function(arguments)`.
    fn note_compiled(&mut self) {
        let (TokenKind::Name(_), TokenKind::Name(name)) = (self.ahead(1).kind, self.ahead(2).kind) else {
            return;
        };
        if !self.is_ahead(3, Punct::OpenParenthesis) {
            return;
        }
        let mut arguments = usize::from(!self.is_ahead(4, Punct::CloseParenthesis));
        let mut depth = 0_u32;
        for count in 3..3 + MOST_OF_ARGUMENTS {
            match self.ahead(count).kind {
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParenthesis | Punct::OpenBracket) => {
                    depth += 1;
                }
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseParenthesis | Punct::CloseBracket) => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Punct(Punct::Comma) if depth == 1 => arguments += 1,
                TokenKind::End => break,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.compiled.push((Ident { name, span: self.ahead(2).span }, arguments));
    }

    fn report(&mut self, token: Token) {
        let message = format!("syntax error: unexpected token '{}'", self.text(token));
        self.session.error(Code::SyntaxError, token.span, message);
    }

    /// Returns whether `<` begins annotations, which are empty or begin with a type, a name, and `=`, `[` or
    /// `;`.
    pub(super) fn is_annotation(&self) -> bool {
        let begins = |name: usize| {
            matches!(self.ahead(name).kind, TokenKind::Name(_))
                && matches!(
                    self.ahead(name + 1).kind,
                    TokenKind::Punct(Punct::Assign | Punct::Semicolon | Punct::OpenBracket)
                )
        };
        self.is(Punct::Less) && (self.is_ahead(1, Punct::Greater) || self.skip_type(1).is_some_and(begins))
    }

    pub(super) fn skip_annotation(&mut self) -> Parsed<()> {
        if !self.is_annotation() {
            return Ok(());
        }
        self.bump();
        while self.eat(Punct::Greater).is_none() {
            match self.peek().kind {
                TokenKind::End => return self.unexpected(),
                TokenKind::Punct(Punct::OpenBrace) => {
                    self.skip_balanced()?;
                }
                _ => {
                    self.bump();
                }
            }
        }
        Ok(())
    }

    /// Parses the states of a state object, which follow its name: `{ Filter = POINT; }` or
    /// `{ { … }, { … } }`.
    pub(super) fn states(&mut self) -> Parsed<States> {
        let first = self.expect(Punct::OpenBrace)?;
        let mut states = Vec::new();
        let blocks = if self.is(Punct::OpenBrace) {
            let mut blocks = 0;
            loop {
                self.expect(Punct::OpenBrace)?;
                self.state_list(&mut states)?;
                blocks += 1;
                if self.eat(Punct::Comma).is_none() {
                    break;
                }
            }
            self.expect(Punct::CloseBrace)?;
            Some(blocks)
        } else {
            self.state_list(&mut states)?;
            None
        };
        let span = self.join(first.span, self.last_span());
        self.report_skipped(span);
        Ok(States { blocks, states, span })
    }

    fn state_list(&mut self, states: &mut Vec<State>) -> Parsed<()> {
        while self.eat(Punct::CloseBrace).is_none() {
            let token = self.peek();
            let TokenKind::Name(name) = token.kind else { return self.unexpected() };
            self.bump();
            let name = Ident { name, span: token.span };
            let is_call = self.eat(Punct::OpenParenthesis).is_some();
            let values = if is_call {
                self.arguments()?
            } else {
                if self.eat(Punct::OpenBracket).is_some() {
                    if self.peek().kind != TokenKind::Number {
                        return self.unexpected();
                    }
                    self.bump();
                    self.expect(Punct::CloseBracket)?;
                }
                self.expect(Punct::Assign)?;
                self.state_value()?
            };
            self.expect(Punct::Semicolon)?;
            states.push(State { name, values, is_call });
        }
        Ok(())
    }

    /// Parses the value of a state, with an empty result for a name in `<>`.
    fn state_value(&mut self) -> Parsed<Vec<Expr>> {
        if self.eat(Punct::Less).is_none() {
            return Ok(vec![self.initializer_value()?]);
        }
        match self.peek().kind {
            TokenKind::Name(_) => self.bump(),
            _ => return self.unexpected(),
        };
        self.expect(Punct::Greater)?;
        Ok(Vec::new())
    }

    /// Skips `sampler_state { … }`, `compile vs_4_0 main()` or `asm { … }`, or returns `None` if none of
    /// these follows.
    pub(super) fn skip_effect_value(&mut self) -> Parsed<Option<Span>> {
        let token = self.peek();
        match self.word() {
            Some(Word::Keyword(Keyword::SamplerStates | Keyword::StateBlock)) => {
                self.bump();
                Ok(Some(self.states()?.span))
            }
            Some(Word::Keyword(Keyword::Asm)) if self.is_ahead(1, Punct::OpenBrace) => {
                self.bump();
                Ok(Some(self.skip_balanced()?))
            }
            Some(Word::Plain)
                if matches!(self.ahead(1).kind, TokenKind::Name(_)) && self.text(token) == "compile" =>
            {
                self.bump();
                self.bump();
                self.path()?;
                self.skip_balanced()?;
                Ok(Some(self.join(token.span, self.last_span())))
            }
            _ => Ok(None),
        }
    }
}
