use super::{ParseFailed, Parsed, Parser, types::LONGEST_LOOK};
use crate::{
    session::{code::Code, source::Span},
    syntax::{
        ast::{BinaryOp, Expr, ExprKind, Ident, UnaryOp},
        keyword::{Keyword, Word},
    },
    text::{
        number::{Number, parse_number, truncation},
        token::{Punct, TokenKind},
    },
};

/// Returns the binary operator of a token and its precedence.
fn binary(punct: Punct) -> Option<(BinaryOp, u8)> {
    Some(match punct {
        Punct::Multiply => (BinaryOp::Multiply, 10),
        Punct::Divide => (BinaryOp::Divide, 10),
        Punct::Modulo => (BinaryOp::Modulo, 10),
        Punct::Add => (BinaryOp::Add, ADDITIVE),
        Punct::Subtract => (BinaryOp::Subtract, ADDITIVE),
        Punct::ShiftLeft => (BinaryOp::ShiftLeft, 8),
        Punct::ShiftRight => (BinaryOp::ShiftRight, 8),
        Punct::Less => (BinaryOp::Less, 7),
        Punct::Greater => (BinaryOp::Greater, 7),
        Punct::LessEqual => (BinaryOp::LessEqual, 7),
        Punct::GreaterEqual => (BinaryOp::GreaterEqual, 7),
        Punct::Equal => (BinaryOp::Equal, 6),
        Punct::NotEqual => (BinaryOp::NotEqual, 6),
        Punct::And => (BinaryOp::And, 5),
        Punct::Xor => (BinaryOp::Xor, 4),
        Punct::Or => (BinaryOp::Or, 3),
        Punct::LogicalAnd => (BinaryOp::LogicalAnd, 2),
        Punct::LogicalOr => (BinaryOp::LogicalOr, 1),
        _ => return None,
    })
}

const ADDITIVE: u8 = 9;

/// Returns the operator of an assignment, which is `Some(None)` for a plain `=`.
fn assignment(punct: Punct) -> Option<Option<BinaryOp>> {
    Some(match punct {
        Punct::Assign => None,
        Punct::AddAssign => Some(BinaryOp::Add),
        Punct::SubtractAssign => Some(BinaryOp::Subtract),
        Punct::MultiplyAssign => Some(BinaryOp::Multiply),
        Punct::DivideAssign => Some(BinaryOp::Divide),
        Punct::ModuloAssign => Some(BinaryOp::Modulo),
        Punct::ShiftLeftAssign => Some(BinaryOp::ShiftLeft),
        Punct::ShiftRightAssign => Some(BinaryOp::ShiftRight),
        Punct::AndAssign => Some(BinaryOp::And),
        Punct::OrAssign => Some(BinaryOp::Or),
        Punct::XorAssign => Some(BinaryOp::Xor),
        _ => return None,
    })
}

impl ExprKind {
    fn depth_inside(&self) -> u16 {
        let deepest = |list: &[Expr]| list.iter().map(|expr| expr.depth).max().unwrap_or(0);
        match self {
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::String
            | ExprKind::Name(_)
            | ExprKind::Effect => 0,
            ExprKind::Unary(_, operand) | ExprKind::Member(operand, _) | ExprKind::Cast(_, _, operand) => {
                operand.depth
            }
            ExprKind::Binary(_, left, right)
            | ExprKind::Assign(_, left, right)
            | ExprKind::Comma(left, right)
            | ExprKind::Index(left, right) => left.depth.max(right.depth),
            ExprKind::Conditional(condition, yes, no) => condition.depth.max(yes.depth).max(no.depth),
            ExprKind::Call(_, list) | ExprKind::Construct(_, list) | ExprKind::List(list) => deepest(list),
            ExprKind::MethodCall(object, _, list) => object.depth.max(deepest(list)),
        }
    }
}

impl Parser<'_> {
    fn make(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let depth = kind.depth_inside() + 1;
        let deepest = self.session.limits.expression;
        if depth > deepest {
            let message = format!(
                "an expression is more than {deepest} operators deep; store parts of it in variables"
            );
            self.session.too_deep(span, message);
            return Err(ParseFailed);
        }
        Ok(Expr { kind: Box::new(kind), span, depth })
    }

    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut left = self.assignment()?;
        while self.eat(Punct::Comma).is_some() {
            let right = self.assignment()?;
            let span = self.join(left.span, right.span);
            left = self.make(ExprKind::Comma(left, right), span)?;
        }
        Ok(left)
    }

    /// Parses the value after `=` in a declaration, either an expression without a comma operator or a list.
    pub(super) fn initializer_value(&mut self) -> Parsed<Expr> {
        if self.is(Punct::OpenBrace) { self.nested(Self::list) } else { self.assignment() }
    }

    fn list(&mut self) -> Parsed<Expr> {
        let first = self.expect(Punct::OpenBrace)?;
        let mut values = Vec::new();
        while !self.is(Punct::CloseBrace) {
            values.push(self.initializer_value()?);
            if self.eat(Punct::Comma).is_none() {
                break;
            }
        }
        let last = self.expect(Punct::CloseBrace)?;
        let span = self.join(first.span, last.span);
        self.make(ExprKind::List(values), span)
    }

    fn assignment(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let target = parser.conditional()?;
            let TokenKind::Punct(punct) = parser.peek().kind else { return Ok(target) };
            let Some(operator) = assignment(punct) else { return Ok(target) };
            parser.bump();
            let value = parser.initializer_value()?;
            let span = parser.join(target.span, value.span);
            parser.make(ExprKind::Assign(operator, target, value), span)
        })
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary(0)?;
        if self.eat(Punct::Question).is_none() {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(Punct::Colon)?;
        let no = self.assignment()?;
        let span = self.join(condition.span, no.span);
        self.make(ExprKind::Conditional(condition, yes, no), span)
    }

    /// Parses a size between `<` and `>`, where comparisons and shifts are not allowed.
    pub(super) fn additive(&mut self) -> Parsed<Expr> {
        self.binary(ADDITIVE - 1)
    }

    /// Parses binary operators that bind more strongly than `weakest`, and their operands.
    fn binary(&mut self, weakest: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let TokenKind::Punct(punct) = self.peek().kind {
            let Some((operator, strength)) = binary(punct) else { break };
            if strength <= weakest {
                break;
            }
            self.bump();
            let right = self.binary(strength)?;
            let span = self.join(left.span, right.span);
            left = self.make(ExprKind::Binary(operator, left, right), span)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let operator = match token.kind {
            TokenKind::Punct(Punct::Add) => UnaryOp::Plus,
            TokenKind::Punct(Punct::Subtract) => UnaryOp::Negate,
            TokenKind::Punct(Punct::Not) => UnaryOp::Not,
            TokenKind::Punct(Punct::Complement) => UnaryOp::Complement,
            TokenKind::Punct(Punct::Increment) => UnaryOp::PreIncrement,
            TokenKind::Punct(Punct::Decrement) => UnaryOp::PreDecrement,
            TokenKind::Punct(Punct::OpenParenthesis) if self.is_cast() => return self.nested(Self::cast),
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        let span = self.join(token.span, operand.span);
        self.make(ExprKind::Unary(operator, operand), span)
    }

    /// Returns whether the parentheses here contain only a type, as in `(float3)` or `(S[2])`.
    fn is_cast(&self) -> bool {
        let starts = self.is_type(1)
            || matches!(
                self.keyword_ahead(1),
                Some(
                    Keyword::Const
                        | Keyword::RowMajor
                        | Keyword::ColumnMajor
                        | Keyword::Unorm
                        | Keyword::Snorm
                )
            );
        if !starts {
            return false;
        }
        let Some(mut end) = self.skip_type(1) else { return false };
        let last = end + LONGEST_LOOK;
        while self.is_ahead(end, Punct::OpenBracket) {
            while !self.is_ahead(end, Punct::CloseBracket) {
                if end > last
                    || matches!(self.ahead(end).kind, TokenKind::End | TokenKind::Punct(Punct::Semicolon))
                {
                    return false;
                }
                end += 1;
            }
            end += 1;
        }
        self.is_ahead(end, Punct::CloseParenthesis)
    }

    fn cast(&mut self) -> Parsed<Expr> {
        let first = self.bump().span;
        self.modifiers()?;
        let type_name = self.type_name()?;
        let dimensions = self.dimensions()?;
        self.expect(Punct::CloseParenthesis)?;
        let operand = self.unary()?;
        let span = self.join(first, operand.span);
        self.make(ExprKind::Cast(type_name, dimensions, operand), span)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.primary()?;
        loop {
            let first = value.span;
            let TokenKind::Punct(punct) = self.peek().kind else { return Ok(value) };
            let kind = match punct {
                Punct::Dot => {
                    self.bump();
                    let member = self.member_name()?;
                    match self.eat(Punct::OpenParenthesis) {
                        Some(_) => ExprKind::MethodCall(value, member, self.arguments()?),
                        None => ExprKind::Member(value, member),
                    }
                }
                Punct::OpenBracket => {
                    self.bump();
                    let index = self.expression()?;
                    self.expect(Punct::CloseBracket)?;
                    ExprKind::Index(value, index)
                }
                Punct::Increment => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostIncrement, value)
                }
                Punct::Decrement => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostDecrement, value)
                }
                _ => return Ok(value),
            };
            let span = self.join(first, self.last_span());
            value = self.make(kind, span)?;
        }
    }

    /// Parses a member name, for which any word is accepted because `sample` is a keyword and also a member
    /// of multisampled textures.
    fn member_name(&mut self) -> Parsed<Ident> {
        let token = self.peek();
        match token.kind {
            TokenKind::Name(name) => {
                self.bump();
                Ok(Ident { name, span: token.span })
            }
            _ => self.unexpected(),
        }
    }

    /// Parses arguments up to the `)`, which is consumed.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.is(Punct::CloseParenthesis) {
            arguments.push(self.assignment()?);
            if self.eat(Punct::Comma).is_none() {
                break;
            }
            if self.is(Punct::CloseParenthesis) {
                return self.unexpected();
            }
        }
        self.expect(Punct::CloseParenthesis)?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Number => return self.number(),
            TokenKind::String => {
                // Adjacent strings are one string.
                while self.peek().kind == TokenKind::String {
                    self.bump();
                }
                ExprKind::String
            }
            TokenKind::Punct(Punct::OpenParenthesis) => {
                self.bump();
                let mut value = self.expression()?;
                let last = self.expect(Punct::CloseParenthesis)?;
                value.span = self.join(token.span, last.span);
                return Ok(value);
            }
            TokenKind::Punct(Punct::Scope) => return self.name(),
            TokenKind::Name(_) => match self.word() {
                Some(Word::Keyword(Keyword::True)) => {
                    self.bump();
                    ExprKind::Bool(true)
                }
                Some(Word::Keyword(Keyword::False)) => {
                    self.bump();
                    ExprKind::Bool(false)
                }
                _ if self.is_type(0) => return self.construction(),
                _ => match self.skip_effect_value()? {
                    Some(span) => return self.make(ExprKind::Effect, span),
                    None => return self.name(),
                },
            },
            _ => return self.unexpected(),
        };
        self.make(kind, token.span)
    }

    fn number(&mut self) -> Parsed<Expr> {
        let token = self.bump();
        let text = self.text(token);
        match parse_number(&text) {
            Ok(number) => {
                if let Number::Int { value, .. } = number
                    && let Some((code, message)) = truncation(&text, value)
                {
                    self.session.warn(code, token.span, message);
                }
                self.make(ExprKind::Number(number), token.span)
            }
            Err(error) => self.error(Code::SyntaxError, token.span, format!("'{text}': {error}")),
        }
    }

    fn construction(&mut self) -> Parsed<Expr> {
        let type_name = self.type_name()?;
        let first = type_name.span;
        self.expect(Punct::OpenParenthesis)?;
        let arguments = self.arguments()?;
        let span = self.join(first, self.last_span());
        self.make(ExprKind::Construct(type_name, arguments), span)
    }

    fn name(&mut self) -> Parsed<Expr> {
        let path = self.path()?;
        let first = path.span;
        let kind = match self.eat(Punct::OpenParenthesis) {
            Some(_) => ExprKind::Call(path, self.arguments()?),
            None => ExprKind::Name(path),
        };
        let span = self.join(first, self.last_span());
        self.make(kind, span)
    }
}
