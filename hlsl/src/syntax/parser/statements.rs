use super::{DEEPEST_STATEMENTS, Parsed, Parser};
use crate::{
    session::{source::Span, stack::CHAIN_LEVELS},
    syntax::{
        ast::{Attribute, Block, Case, Expr, Label, Statement, StatementKind, TypeKind, TypeName},
        keyword::{Keyword, Word},
    },
    text::token::Punct,
};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let first = self.expect(Punct::OpenBrace)?;
        let statements = self.scoped(|parser| parser.statements(|parser| parser.is(Punct::CloseBrace)));
        let last = self.expect(Punct::CloseBrace)?;
        Ok(Block { statements, span: self.join(first.span, last.span) })
    }

    /// Parses statements until `is_end` returns `true`, or to the end of the block or the source.
    fn statements(&mut self, is_end: impl Fn(&Self) -> bool) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !self.is_end() && !self.is(Punct::CloseBrace) && !is_end(self) {
            let began = self.at;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => self.recover(began),
            }
        }
        statements
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        if self.statements >= DEEPEST_STATEMENTS {
            return self.nested_too_deep(format!(
                "statements are more than {DEEPEST_STATEMENTS} deep (a block in a statement is two); move the inner ones to a \
                 function"
            ));
        }
        self.statements += 1;
        let parsed = self.nested(|parser| {
            let first = parser.peek().span;
            let attributes = parser.attributes()?;
            let kind = parser.statement_kind()?;
            Ok(parser.finish(first, attributes, kind))
        });
        self.statements -= 1;
        parsed
    }

    fn finish(&self, first: Span, attributes: Vec<Attribute>, kind: StatementKind) -> Statement {
        Statement { attributes, kind, span: self.join(first, self.last_span()) }
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.is(Punct::OpenBrace) {
            return Ok(StatementKind::Block(self.block()?));
        }
        if self.eat(Punct::Semicolon).is_some() || self.forward_declaration() {
            return Ok(StatementKind::Empty);
        }
        match self.keyword() {
            Some(Keyword::If) => self.if_statement(),
            Some(Keyword::For) => self.for_statement(),
            Some(Keyword::While) => {
                self.bump();
                let condition = self.parenthesized()?;
                Ok(StatementKind::While { condition, body: self.body()? })
            }
            Some(Keyword::Do) => self.do_statement(),
            Some(Keyword::Switch) => self.switch_statement(),
            Some(Keyword::Break) => self.single(StatementKind::Break),
            Some(Keyword::Continue) => self.single(StatementKind::Continue),
            Some(Keyword::Discard) => self.single(StatementKind::Discard),
            Some(Keyword::Return) => {
                self.bump();
                let value = if self.is(Punct::Semicolon) { None } else { Some(self.expression()?) };
                self.end_statement()?;
                Ok(StatementKind::Return(value))
            }
            Some(Keyword::Typedef) => Ok(StatementKind::Typedef(self.typedef()?)),
            _ => self.simple_statement(),
        }
    }

    fn simple_statement(&mut self) -> Parsed<StatementKind> {
        if !self.is_declaration() {
            let value = self.expression()?;
            self.end_statement()?;
            return Ok(StatementKind::Expression(value));
        }
        let modifiers = self.modifiers()?;
        let type_name = self.type_name()?;
        if let TypeKind::Struct(structure) = type_name.kind {
            if self.is_struct_end()? {
                return Ok(StatementKind::Struct(*structure));
            }
            let type_name = TypeName { kind: TypeKind::Struct(structure), span: type_name.span };
            return Ok(StatementKind::Variables(self.variables(modifiers, type_name)?));
        }
        Ok(StatementKind::Variables(self.variables(modifiers, type_name)?))
    }

    fn single(&mut self, kind: StatementKind) -> Parsed<StatementKind> {
        self.bump();
        self.end_statement()?;
        Ok(kind)
    }

    fn parenthesized(&mut self) -> Parsed<Expr> {
        self.expect(Punct::OpenParenthesis)?;
        let value = self.expression()?;
        self.expect(Punct::CloseParenthesis)?;
        Ok(value)
    }

    fn body(&mut self) -> Parsed<Box<Statement>> {
        Ok(Box::new(self.statement()?))
    }

    /// Parses an `if` and the whole chain of `else if` after it, whose links count towards the nesting limit
    /// because later steps process the chain recursively.
    fn if_statement(&mut self) -> Parsed<StatementKind> {
        let outside = (self.nesting, self.statements);
        let parsed = self.if_chain();
        (self.nesting, self.statements) = outside;
        parsed
    }

    fn if_chain(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let condition = self.parenthesized()?;
        let then = self.body()?;
        let mut links = Vec::new();
        let mut last = None;
        while self.eat_keyword(Keyword::Else).is_some() {
            let first = self.peek().span;
            let mut attributes = self.attributes()?;
            if self.keyword() != Some(Keyword::If) {
                let body = self.statement()?;
                attributes.extend(body.attributes);
                last = Some(Box::new(self.finish(first, attributes, body.kind)));
                break;
            }
            self.enter_link(links.len())?;
            self.bump();
            let condition = self.parenthesized()?;
            links.push((first, attributes, condition, self.body()?));
        }
        for (first, attributes, condition, then) in links.into_iter().rev() {
            let kind = StatementKind::If { condition, then, otherwise: last };
            last = Some(Box::new(self.finish(first, attributes, kind)));
        }
        Ok(StatementKind::If { condition, then, otherwise: last })
    }

    /// Counts a link of an `else if` chain, which may use only half of the nesting limit so that the other
    /// half remains for conditions and bodies.
    fn enter_link(&mut self, links: usize) -> Parsed<()> {
        let most = self.session.limits.nesting / 2;
        if links >= most as usize {
            return self.nested_too_deep(format!(
                "a chain of 'else if' has more than {most} links; use a switch, or move a part of it to a function"
            ));
        }
        self.nesting += 1;
        if links < CHAIN_LEVELS {
            self.statements += 1;
        }
        Ok(())
    }

    /// Parses `for (start; condition; step) body`, after which variables declared in `start` stay visible, as
    /// in FXC.
    fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect(Punct::OpenParenthesis)?;
        let first = self.peek().span;
        let kind = match self.eat(Punct::Semicolon) {
            Some(_) => StatementKind::Empty,
            None => self.simple_statement()?,
        };
        let start = Box::new(self.finish(first, Vec::new(), kind));
        let condition = if self.is(Punct::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Punct::Semicolon)?;
        let step = if self.is(Punct::CloseParenthesis) { None } else { Some(self.expression()?) };
        self.expect(Punct::CloseParenthesis)?;
        Ok(StatementKind::For { start, condition, step, body: self.body()? })
    }

    fn do_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let body = self.body()?;
        if self.eat_keyword(Keyword::While).is_none() {
            return self.unexpected();
        }
        let condition = self.parenthesized()?;
        self.end_statement()?;
        Ok(StatementKind::Do { body, condition })
    }

    fn switch_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let selector = self.parenthesized()?;
        self.expect(Punct::OpenBrace)?;
        let cases = self.scoped(|parser| {
            let mut cases = Vec::new();
            while !parser.is_end() && !parser.is(Punct::CloseBrace) {
                let labels = parser.labels()?;
                if labels.is_empty() {
                    return parser.unexpected();
                }
                let statements = parser.statements(Self::is_label);
                cases.push(Case { labels, statements });
            }
            Ok(cases)
        })?;
        self.expect(Punct::CloseBrace)?;
        Ok(StatementKind::Switch { selector, cases })
    }

    fn is_label(&self) -> bool {
        matches!(self.keyword(), Some(Keyword::Case | Keyword::Default))
    }

    fn labels(&mut self) -> Parsed<Vec<Label>> {
        let mut labels = Vec::new();
        while self.is_label() {
            let token = self.bump();
            let is_case = self.word_of(token) == Some(Word::Keyword(Keyword::Case));
            let value = if is_case { Some(self.expression()?) } else { None };
            let last = self.expect(Punct::Colon)?;
            labels.push(Label { value, span: self.join(token.span, last.span) });
        }
        Ok(labels)
    }
}
