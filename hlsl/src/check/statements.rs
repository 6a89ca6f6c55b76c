use super::{
    Checker,
    modifiers::DeclarationKind,
    structures::patch_array,
    types::{OpenArray, ResolvedType},
};
use crate::{
    check::tree::{
        Block, Case, Expr, Hints, Loop, LoopTest, Numeric, Statement, StatementKind, Storage, Type,
    },
    session::{code::Code, hash::HashSet, source::Span},
    syntax::{
        ast::{self, Initializer, ModifierFlags, StatementKind as Syntax, Variables},
        builtin::{Scalar, Shape},
    },
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Breakable {
    Loop,
    Switch,
}

impl Checker<'_> {
    pub(super) fn block_statements(&mut self, statements: &[ast::Statement]) -> Block {
        let mut made = Vec::new();
        for statement in statements {
            self.statement(statement, &mut made);
        }
        Block { statements: made }
    }

    /// Checks the body of another statement in a new scope.
    fn body(&mut self, statement: &ast::Statement) -> Block {
        self.scoped(|checker| match &statement.kind {
            // The braces of the block delimit the same scope.
            Syntax::Block(block) if statement.attributes.is_empty() => {
                checker.block_statements(&block.statements)
            }
            _ => {
                let mut made = Vec::new();
                checker.statement(statement, &mut made);
                Block { statements: made }
            }
        })
    }

    fn statement(&mut self, statement: &ast::Statement, made: &mut Vec<Statement>) {
        let hints = self.hints(&statement.attributes);
        let span = statement.span;
        let kind = match &statement.kind {
            Syntax::Empty => return,
            Syntax::Block(block) => {
                StatementKind::Block(self.scoped(|checker| checker.block_statements(&block.statements)))
            }
            Syntax::Variables(variables) => return self.locals(variables, false, made),
            Syntax::Struct(structure) => return self.structure_item(structure),
            Syntax::Typedef(typedef) => return self.typedef(typedef),
            Syntax::Expression(expr) => StatementKind::Expression(self.expression(expr)),
            Syntax::If { condition, then, otherwise } => {
                let condition = self.condition(condition);
                let then = self.body(then);
                let otherwise = otherwise.as_ref().map(|body| self.body(body)).unwrap_or_default();
                StatementKind::If { condition, then, otherwise, hints }
            }
            Syntax::For { start, condition, step, body } => {
                self.for_loop(start, condition.as_ref(), step.as_ref(), body, hints)
            }
            Syntax::While { condition, body } => {
                let condition = Some(self.condition(condition));
                let body = self.breakable(Breakable::Loop, |checker| checker.body(body));
                let (start, test, step) = (Vec::new(), LoopTest::Before, None);
                StatementKind::Loop(Loop { start, condition, test, step, body, hints })
            }
            Syntax::Do { body, condition } => {
                let body = self.breakable(Breakable::Loop, |checker| checker.body(body));
                let condition = Some(self.condition(condition));
                let (start, test, step) = (Vec::new(), LoopTest::After, None);
                StatementKind::Loop(Loop { start, condition, test, step, body, hints })
            }
            Syntax::Switch { selector, cases } => self.switch(selector, cases, hints, span),
            Syntax::Break => {
                if self.breakables.is_empty() {
                    let message = "break must be inside of a loop or a switch";
                    return self.error(Code::BreakOutside, span, message);
                }
                StatementKind::Break
            }
            Syntax::Continue => {
                match self.breakables.last() {
                    Some(Breakable::Loop) => {}
                    Some(Breakable::Switch) => {
                        let message = "continue cannot be used in a switch";
                        return self.error(Code::ContinueInSwitch, span, message);
                    }
                    None => {
                        return self.error(Code::ContinueOutside, span, "continue must be inside of a loop");
                    }
                }
                StatementKind::Continue
            }
            Syntax::Discard => StatementKind::Discard,
            Syntax::Return(value) => StatementKind::Return(self.return_value(value.as_ref(), span)),
        };
        made.push(Statement { kind, span });
    }

    fn breakable<T>(&mut self, breakable: Breakable, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.breakables.push(breakable);
        let result = inside(self);
        self.breakables.pop();
        result
    }

    // Variables

    fn locals(&mut self, variables: &Variables, of_loop: bool, made: &mut Vec<Statement>) {
        let modifiers = &variables.modifiers;
        let flags = modifiers.flags;
        for declarator in &variables.declarators {
            self.check_flags(modifiers, DeclarationKind::Local, declarator.name);
        }
        let ResolvedType { ty, packing } = self.resolve(modifiers, &variables.type_name);
        self.check_type_modifiers(modifiers, &variables.type_name, &ty);
        let constant = flags.contains(ModifierFlags::CONST);
        for declarator in &variables.declarators {
            let name = declarator.name;
            self.refuse_pack_offset(&declarator.annotations);
            if let Some(semantic) = declarator.annotations.semantic {
                let text = self.session.names.text(name.name);
                let message = format!("'{text}': local variables cannot have semantics");
                self.error(Code::LocalSemantic, semantic.span, message);
            }
            if flags.contains(ModifierFlags::STATIC) {
                let id = self.add_global(declarator, ty.clone(), packing, flags, Storage::Static);
                self.declare_global(name, id);
                continue;
            }
            let (value, states) = match &declarator.initializer {
                Some(Initializer::Value(value)) => (Some(value), None),
                Some(Initializer::States(states)) => (None, Some(states)),
                None => (None, None),
            };
            let open = if value.is_some() { OpenArray::Initialized } else { OpenArray::Variable(name.name) };
            let ty = self.resolve_array(ty.clone(), &declarator.dimensions, name.span, open);
            let constant = constant || patch_array(&ty).is_some();
            let mut ty = self.check_variable_type(name, ty);
            let text = self.session.names.text(name.name).clone();
            if let Some(states) = states {
                self.states(&text, &ty, states);
            }
            let initial = value.map(|value| self.initializer(&text, &ty, value));
            if let Some(initial) = &initial {
                // The initializer determines the length of an array that is declared with `[]`.
                ty = initial.ty.clone();
            } else if constant && !ty.is_error() {
                self.error(Code::MissingInitialValue, name.span, format!("'{text}': missing initial value"));
            }
            let known = initial.as_ref().filter(|_| constant).and_then(|initial| self.known_value(initial));
            let id = match of_loop {
                true => self.declare_loop_local(name, ty, constant),
                false => self.declare_local(name, ty, constant),
            };
            if let Some(known) = known {
                self.known_locals.insert(id, known);
            }
            made.push(Statement { kind: StatementKind::Declare(id, initial), span: name.span });
        }
    }

    // Loops and branches

    fn for_loop(
        &mut self,
        start: &ast::Statement,
        condition: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Statement,
        hints: Hints,
    ) -> StatementKind {
        let mut before = Vec::new();
        // The variables belong to the scope that contains the loop.
        match &start.kind {
            Syntax::Variables(variables) => self.locals(variables, true, &mut before),
            _ => self.statement(start, &mut before),
        }
        let condition = condition.map(|condition| self.condition(condition));
        let step = step.map(|step| self.expression(step));
        let body = self.breakable(Breakable::Loop, |checker| checker.body(body));
        StatementKind::Loop(Loop { start: before, condition, test: LoopTest::Before, step, body, hints })
    }

    fn switch(
        &mut self,
        selector: &ast::Expr,
        cases: &[ast::Case],
        hints: Hints,
        span: Span,
    ) -> StatementKind {
        let selector = self.expression(selector);
        let selector = self.selector(selector);
        if cases.is_empty() {
            self.error(Code::InvalidCase, span, "a switch needs a case");
        }
        let mut known = HashSet::default();
        let mut made = Vec::new();
        self.breakable(Breakable::Switch, |checker| {
            checker.scoped(|checker| {
                for (index, case) in cases.iter().enumerate() {
                    let labels: Vec<_> =
                        case.labels.iter().filter_map(|label| checker.label(label, &mut known)).collect();
                    let body = checker.block_statements(&case.statements);
                    let span = case.labels.first().map_or(span, |label| label.span);
                    let is_last = index + 1 == cases.len();
                    checker.check_case_end(&body, is_last, span);
                    made.push(Case { labels, body, span });
                }
            });
        });
        StatementKind::Switch { selector, cases: made, hints }
    }

    /// Refuses a `case` whose statements fall through into the next one, and a last `case` without
    /// statements.
    fn check_case_end(&mut self, body: &Block, is_last: bool, span: Span) {
        if body.statements.is_empty() && !is_last {
            return;
        }
        if self.reaches_end(body) {
            let message = "non-empty case statements must have break or return";
            self.error(Code::CaseFallsThrough, span, message);
        }
    }

    fn selector(&mut self, selector: Expr) -> Expr {
        let scalar = match selector.ty {
            Type::Error => return selector,
            Type::Numeric(Numeric { scalar, shape: Shape::Scalar | Shape::Vector(1) }) => scalar,
            _ => {
                self.error(Code::NumericExpected, selector.span, "a switch needs a scalar");
                return Expr::error(selector.span);
            }
        };
        let to = match scalar {
            Scalar::Uint | Scalar::Min16Uint => Type::UINT,
            _ => Type::INT,
        };
        self.convert_implicitly(selector, &to)
    }

    /// Returns the bits of a label's value, or an inner `None` for `default` and an outer `None` for an
    /// invalid label.
    fn label(&mut self, label: &ast::Label, known: &mut HashSet<Option<u32>>) -> Option<Option<u32>> {
        let value = match &label.value {
            Some(value) => {
                let message = "case values must be literal expressions";
                Some(self.constant_integer(value, Code::InvalidCase, message)? as u32)
            }
            None => None,
        };
        if !known.insert(value) {
            let message =
                if value.is_some() { "duplicate case value" } else { "a switch can have only one default" };
            self.error(Code::DuplicateCase, label.span, message);
            return None;
        }
        Some(value)
    }

    fn return_value(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<Expr> {
        let result = self.function.as_ref().map_or(Type::Error, |function| function.result.clone());
        match (value, result) {
            (None, Type::Void | Type::Error) => None,
            (None, _) => {
                let name = self.function.as_ref().map(|function| function.name.clone()).unwrap_or_default();
                self.error(Code::InvalidReturn, span, format!("'{name}': function must return a value"));
                Some(Expr::error(span))
            }
            (Some(value), Type::Void) => {
                self.expression(value);
                self.error(Code::VoidReturn, span, "void functions cannot return a value");
                None
            }
            (Some(value), result) => {
                let value = self.expression(value);
                Some(self.convert_implicitly(value, &result))
            }
        }
    }
}
