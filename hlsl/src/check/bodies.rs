//! Properties of a checked function body: the variables that never change, and whether the end of the body is
//! reachable.

use super::Checker;
use crate::{
    check::tree::{
        Block, Constant, Direction, Expr, ExprKind, Function, LocalId, LoopTest, Statement, StatementKind,
        Type, visit,
    },
    session::{code::Code, hash::HashMap, source::Span},
};

/// The saved state of the enclosing function while another function is checked.
pub(super) struct OuterFunction {
    function: Option<Function>,
    known_locals: HashMap<LocalId, Constant>,
    breakables: Vec<super::statements::Breakable>,
    scopes: super::scopes::LocalScopes,
}

impl Checker<'_> {
    /// Begins a function, which may be nested in another one as a method of a local structure.
    pub(super) fn enter_function(&mut self, function: Function) -> OuterFunction {
        OuterFunction {
            function: self.function.replace(function),
            known_locals: std::mem::take(&mut self.known_locals),
            breakables: std::mem::take(&mut self.breakables),
            scopes: self.scopes.take_locals(),
        }
    }

    /// Ends a function and restores the state of the enclosing one.
    pub(super) fn leave_function(&mut self, outer: OuterFunction) -> Option<Function> {
        self.known_locals = outer.known_locals;
        self.breakables = outer.breakables;
        self.scopes.restore_locals(outer.scopes);
        std::mem::replace(&mut self.function, outer.function)
    }

    pub(super) fn finish_body(&mut self, body: &Block, span: Span) {
        let Some(function) = &self.function else { return };
        let mut changed = vec![false; function.locals.len()];
        visit::statements(&body.statements, &mut |expr| {
            visit::targets(&self.tree, expr, &mut |target| {
                if let ExprKind::Local(id) = *visit::root(target).kind
                    && let Some(changed) = changed.get_mut(id.0 as usize)
                {
                    *changed = true;
                }
            });
        });
        for parameter in &function.parameters {
            if parameter.direction != Direction::In
                && let Some(changed) = changed.get_mut(parameter.local.0 as usize)
            {
                *changed = true;
            }
        }
        let has_result = !matches!(function.result, Type::Void | Type::Error);
        if has_result && self.reaches_end(body) {
            let message = format!("'{}': not all control paths return a value", function.name);
            self.error(Code::MissingReturn, span.ending(), message);
        }
        if let Some(function) = &mut self.function {
            for (local, changed) in function.locals.iter_mut().zip(changed) {
                local.constant = !changed;
            }
        }
    }

    // Reachability of the end of a body

    pub(super) fn reaches_end(&self, block: &Block) -> bool {
        block.statements.iter().all(|statement| self.goes_on(statement))
    }

    fn goes_on(&self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => false,
            StatementKind::Block(block) => self.reaches_end(block),
            StatementKind::If { condition, then, otherwise, .. } => match self.known_condition(condition) {
                Some(true) => self.reaches_end(then),
                Some(false) => self.reaches_end(otherwise),
                None => self.reaches_end(then) || self.reaches_end(otherwise),
            },
            StatementKind::Loop(each) => {
                let endless = match &each.condition {
                    Some(condition) => self.known_condition(condition) == Some(true),
                    None => true,
                };
                let once = each.test == LoopTest::After && !self.reaches_end(&each.body);
                has_break(&each.body) || !(endless || once && !has_continue(&each.body))
            }
            StatementKind::Switch { cases, .. } => {
                let has_default = cases.iter().any(|case| case.labels.contains(&None));
                let breaks = cases.iter().any(|case| has_break(&case.body));
                let last = cases.last().is_none_or(|case| self.reaches_end(&case.body));
                !has_default || breaks || last
            }
            StatementKind::Expression(_) | StatementKind::Declare(..) | StatementKind::Discard => true,
        }
    }

    fn known_condition(&self, condition: &Expr) -> Option<bool> {
        let value = self.known_value(condition)?;
        Some(*value.bits.first()? != 0)
    }
}

/// Returns whether the body of a loop or a `switch` has a `break` that leaves it.
fn has_break(body: &Block) -> bool {
    body.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Break => true,
        StatementKind::Block(block) => has_break(block),
        StatementKind::If { then, otherwise, .. } => has_break(then) || has_break(otherwise),
        _ => false,
    })
}

/// Returns whether the body of a loop has a `continue` for this loop.
fn has_continue(body: &Block) -> bool {
    body.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Continue => true,
        StatementKind::Block(block) => has_continue(block),
        StatementKind::If { then, otherwise, .. } => has_continue(then) || has_continue(otherwise),
        StatementKind::Switch { cases, .. } => cases.iter().any(|case| has_continue(&case.body)),
        _ => false,
    })
}
