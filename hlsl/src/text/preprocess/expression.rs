//! The expression of `#if` and `#elif`, whose numbers are unsigned and have 32 bits. A name that is not a
//! macro evaluates to 0, and causes a warning if it has arguments.

use super::{Preprocessor, input::InputToken};
use crate::{
    session::{code::Code, source::Span},
    text::{
        number::parse_directive_integer,
        token::{Punct, Token, TokenKind},
    },
};

const MOST_DEPTH: usize = 256;

struct ExpressionError {
    code: Code,
    span: Span,
    message: String,
}

impl Preprocessor<'_> {
    /// Evaluates the expression on the rest of the line, and returns `false` after an error.
    pub(super) fn condition(&mut self, word: Token) -> bool {
        let items = self.rest_of_line();
        self.in_expression = true;
        let items = self.expand_all(items);
        self.in_expression = false;
        if self.stopped {
            return false;
        }
        let end = items.last().map_or(word.span, |item| item.token.span.ending());
        let mut evaluator = ConditionEvaluator { preprocessor: self, items: &items, at: 0, end, depth: 0 };
        let value = evaluator.conditional(true).and_then(|value| match evaluator.peek() {
            None => Ok(value),
            Some(token) => Err(evaluator.invalid(token.span)),
        });
        match value {
            Ok(value) => value != 0,
            Err(ExpressionError { code, span, message }) => {
                self.session.error(code, span, message);
                false
            }
        }
    }
}

struct ConditionEvaluator<'p, 'a> {
    preprocessor: &'p mut Preprocessor<'a>,
    items: &'p [InputToken],
    at: usize,
    end: Span,
    depth: usize,
}

/// Returns the precedence of a binary operator, which is higher for operators that bind more tightly.
fn precedence(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::LogicalOr => 1,
        Punct::LogicalAnd => 2,
        Punct::Or => 3,
        Punct::Xor => 4,
        Punct::And => 5,
        Punct::Equal | Punct::NotEqual => 6,
        Punct::Less | Punct::Greater | Punct::LessEqual | Punct::GreaterEqual => 7,
        Punct::ShiftLeft | Punct::ShiftRight => 8,
        Punct::Add | Punct::Subtract => 9,
        Punct::Multiply | Punct::Divide | Punct::Modulo => 10,
        _ => return None,
    })
}

/// A subexpression is `live` if its value is used, so the right side of `0 && 1 / 0` is not live and causes
/// no warning.
impl ConditionEvaluator<'_, '_> {
    fn conditional(&mut self, live: bool) -> Result<u32, ExpressionError> {
        self.enter()?;
        let condition = self.binary(1, live)?;
        let value = if self.take(Punct::Question) {
            let yes = self.conditional(live && condition != 0)?;
            self.expect(Punct::Colon)?;
            let no = self.conditional(live && condition == 0)?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Evaluates a sequence of operators with at least the precedence `least`.
    fn binary(&mut self, least: u8, live: bool) -> Result<u32, ExpressionError> {
        let mut left = self.unary(live)?;
        while let Some(Token { kind: TokenKind::Punct(punct), span, .. }) = self.peek() {
            let Some(level) = precedence(punct).filter(|level| *level >= least) else { break };
            self.at += 1;
            let live = match punct {
                Punct::LogicalAnd => live && left != 0,
                Punct::LogicalOr => live && left == 0,
                _ => live,
            };
            let right = self.binary(level + 1, live)?;
            left = self.apply(punct, left, right, span, live);
        }
        Ok(left)
    }

    fn apply(&mut self, punct: Punct, left: u32, right: u32, span: Span, live: bool) -> u32 {
        match punct {
            Punct::LogicalOr => u32::from(left != 0 || right != 0),
            Punct::LogicalAnd => u32::from(left != 0 && right != 0),
            Punct::Or => left | right,
            Punct::Xor => left ^ right,
            Punct::And => left & right,
            Punct::Equal => u32::from(left == right),
            Punct::NotEqual => u32::from(left != right),
            Punct::Less => u32::from(left < right),
            Punct::Greater => u32::from(left > right),
            Punct::LessEqual => u32::from(left <= right),
            Punct::GreaterEqual => u32::from(left >= right),
            Punct::ShiftLeft => left.wrapping_shl(right),
            Punct::ShiftRight => left.wrapping_shr(right),
            Punct::Add => left.wrapping_add(right),
            Punct::Subtract => left.wrapping_sub(right),
            Punct::Multiply => left.wrapping_mul(right),
            _ => {
                if right == 0 && live {
                    let message = "division by zero in the preprocessor expression: 1 is used as the divisor";
                    self.preprocessor.session.warn(Code::DivisionByZero, span, message);
                }
                let divisor = right.max(1);
                if punct == Punct::Modulo { left % divisor } else { left / divisor }
            }
        }
    }

    fn unary(&mut self, live: bool) -> Result<u32, ExpressionError> {
        self.enter()?;
        let value = if self.take(Punct::Not) {
            u32::from(self.unary(live)? == 0)
        } else if self.take(Punct::Subtract) {
            self.unary(live)?.wrapping_neg()
        } else if self.take(Punct::Complement) {
            !self.unary(live)?
        } else if self.take(Punct::Add) {
            self.unary(live)?
        } else if self.take(Punct::OpenParenthesis) {
            let value = self.conditional(live)?;
            self.expect(Punct::CloseParenthesis)?;
            value
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self) -> Result<u32, ExpressionError> {
        let Some(token) = self.peek() else {
            return Err(self.invalid(self.end));
        };
        match token.kind {
            TokenKind::Number => {
                self.at += 1;
                let text = self.preprocessor.session.sources.text(token.span);
                parse_directive_integer(text).ok_or_else(|| self.invalid(token.span))
            }
            TokenKind::Name(symbol) if symbol == self.preprocessor.words.defined => {
                self.at += 1;
                self.defined()
            }
            TokenKind::Name(_) => {
                self.at += 1;
                self.skip_arguments(token)?;
                Ok(0)
            }
            _ => Err(self.invalid(token.span)),
        }
    }

    /// Skips the arguments `(…)` after a name, with a warning because the author probably expected a macro.
    fn skip_arguments(&mut self, name: Token) -> Result<(), ExpressionError> {
        if !self.take(Punct::OpenParenthesis) {
            return Ok(());
        }
        let mut depth = 1_usize;
        while depth > 0 {
            let Some(token) = self.peek() else { return self.expect(Punct::CloseParenthesis) };
            self.at += 1;
            match token.kind {
                TokenKind::Punct(Punct::OpenParenthesis) => depth += 1,
                TokenKind::Punct(Punct::CloseParenthesis) => depth -= 1,
                _ => {}
            }
        }
        let session = &mut *self.preprocessor.session;
        let text = session.sources.text(name.span);
        let message = format!("'{text}(...)' is not a use of a macro: it is 0 in this expression");
        session.warn(Code::UnexpectedTokens, name.span, message);
        Ok(())
    }

    fn defined(&mut self) -> Result<u32, ExpressionError> {
        let parenthesis = self.take(Punct::OpenParenthesis);
        let Some(Token { kind: TokenKind::Name(symbol), .. }) = self.peek() else {
            let span = self.peek().map_or(self.end, |token| token.span);
            return Err(ExpressionError {
                code: Code::InvalidExpression,
                span,
                message: "the name of a macro is expected after 'defined'".to_owned(),
            });
        };
        self.at += 1;
        if parenthesis {
            self.expect(Punct::CloseParenthesis)?;
        }
        Ok(u32::from(self.preprocessor.macros.contains_key(&symbol)))
    }

    fn enter(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth <= MOST_DEPTH {
            return Ok(());
        }
        Err(ExpressionError {
            code: Code::LimitExceeded,
            span: self.peek().map_or(self.end, |token| token.span),
            message: format!("the expression is nested more than {MOST_DEPTH} times"),
        })
    }

    fn peek(&self) -> Option<Token> {
        self.items.get(self.at).map(|item| item.token)
    }

    fn take(&mut self, punct: Punct) -> bool {
        let there = self.peek().is_some_and(|token| token.kind == TokenKind::Punct(punct));
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, punct: Punct) -> Result<(), ExpressionError> {
        if self.take(punct) {
            return Ok(());
        }
        Err(ExpressionError {
            code: Code::InvalidExpression,
            span: self.peek().map_or(self.end, |token| token.span),
            message: format!("'{}' is expected in the integer constant expression", punct.text()),
        })
    }

    fn invalid(&self, span: Span) -> ExpressionError {
        let text = self.preprocessor.session.sources.text(span);
        let message = match text {
            "" => "the integer constant expression is not complete".to_owned(),
            text => format!("invalid or unsupported integer constant expression at '{text}'"),
        };
        ExpressionError { code: Code::InvalidExpression, span, message }
    }
}
