//! What belongs to effects: techniques, states, annotations. They are skipped.

use super::{Parsed, Parser};
use crate::{
    code::Code,
    source::Span,
    syntax::keyword::{Keyword, Word},
    token::{Punct, TokenKind},
};

impl Parser<'_> {
    /// Skips a technique, a group of them or a state block; `false` if there is none.
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
        let text = self.text(token);
        let message = format!("'{text}' is skipped: effects are not compiled, only their shaders");
        self.session.warn(Code::EffectSkipped, token.span, message);
        self.bump();
        if matches!(self.peek().kind, TokenKind::Name(_)) {
            self.bump();
        }
        self.skip_annotation()?;
        // A state block without a body: `stateblock s = stateblock_state { … };`
        self.skip_balanced()?;
        Ok(true)
    }

    /// Whether `<` begins annotations: a type, a name and `=`, `[` or `;` are inside, or nothing is.
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

    /// Skips `< string name = "value"; >`.
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

    /// `{ Filter = POINT; }` behind the name of a state object.
    pub(super) fn skip_states(&mut self) -> Parsed<Span> {
        let span = self.skip_balanced()?;
        self.session.warn(
            Code::EffectSkipped,
            span,
            "states in a shader are skipped: give them to the device as state objects",
        );
        Ok(span)
    }

    /// Skips `sampler_state { … }`, `compile vs_4_0 main()` and `asm { … }`; `None` if there is none.
    pub(super) fn skip_effect_value(&mut self) -> Parsed<Option<Span>> {
        let token = self.peek();
        match self.word() {
            Some(Word::Keyword(Keyword::SamplerStates | Keyword::StateBlock)) => {
                self.bump();
                Ok(Some(self.skip_states()?))
            }
            Some(Word::Keyword(Keyword::Asm)) if self.is_ahead(1, Punct::OpenBrace) => {
                self.bump();
                Ok(Some(self.skip_states()?))
            }
            Some(Word::Plain)
                if self.text(token) == "compile" && matches!(self.ahead(1).kind, TokenKind::Name(_)) =>
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
