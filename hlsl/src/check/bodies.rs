//! What is known of a function once its body is checked: which variables never change, and whether it returns.

use std::collections::HashMap;

use super::Checker;
use crate::{
    code::Code,
    source::Span,
    tree::{
        Block, Constant, Direction, Expr, ExprKind, Function, FunctionId, Intrinsic, LocalId, LoopTest,
        Method, Program, Statement, StatementKind, Type,
    },
};

/// What belongs to the function around the one that is checked.
pub(super) struct Outer {
    function: Option<Function>,
    known_locals: HashMap<LocalId, Constant>,
    breakables: Vec<super::statements::Breakable>,
    scopes: super::scopes::LocalScopes,
}

impl Checker<'_> {
    /// Begins a function, maybe inside another one: a method of a structure that is declared there.
    pub(super) fn enter_function(&mut self, function: Function) -> Outer {
        Outer {
            function: self.function.replace(function),
            known_locals: std::mem::take(&mut self.known_locals),
            breakables: std::mem::take(&mut self.breakables),
            scopes: self.scopes.take_locals(),
        }
    }

    /// Ends a function, and goes on with the one around it.
    pub(super) fn leave_function(&mut self, outer: Outer) -> Option<Function> {
        self.known_locals = outer.known_locals;
        self.breakables = outer.breakables;
        self.scopes.restore_locals(outer.scopes);
        std::mem::replace(&mut self.function, outer.function)
    }

    /// Looks at a body that is complete, before its function is left.
    pub(super) fn finish_body(&mut self, id: FunctionId, body: &Block, span: Span) {
        let Some(function) = &self.function else { return };
        let mut effects =
            Effects { program: &self.tree, changed: vec![false; function.locals.len()], calls: Vec::new() };
        effects.block(body);
        let Effects { mut changed, calls, .. } = effects;
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
        self.calls.extend(calls.into_iter().map(|(callee, span)| (id, callee, span)));
        if let Some(function) = &mut self.function {
            for (local, changed) in function.locals.iter_mut().zip(changed) {
                local.constant = !changed;
            }
        }
    }

    // The end of a body.

    /// Whether control can come to the end of a block.
    pub(super) fn reaches_end(&self, block: &Block) -> bool {
        block.statements.iter().all(|statement| self.goes_on(statement))
    }

    /// Whether control can come to what follows a statement.
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

    // Calls.

    /// Refuses functions that call themselves, directly or through others.
    pub(super) fn check_recursion(&mut self) {
        let count = self.tree.functions.len();
        let mut callees: Vec<Vec<(usize, Span)>> = vec![Vec::new(); count];
        for (caller, callee, span) in &self.calls {
            if let Some(callees) = callees.get_mut(caller.0 as usize) {
                callees.push((callee.0 as usize, *span));
            }
        }
        // 0: not seen; 1: on the way from the first to here; 2: done.
        let mut states = vec![0_u8; count];
        for first in 0..count {
            if states[first] != 0 {
                continue;
            }
            states[first] = 1;
            let mut way = vec![(first, 0)];
            while let Some((function, next)) = way.last_mut() {
                let at = *function;
                let Some(&(callee, span)) = callees[at].get(*next) else {
                    states[at] = 2;
                    way.pop();
                    continue;
                };
                *next += 1;
                match states.get(callee) {
                    Some(0) => {
                        states[callee] = 1;
                        way.push((callee, 0));
                    }
                    Some(1) => {
                        let name = self.tree.functions[callee].name.clone();
                        let message = format!("'{name}': recursive functions are not allowed");
                        self.error(Code::Recursion, span, message);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether a `break` in a body leaves the loop or the switch whose body it is.
fn has_break(body: &Block) -> bool {
    body.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Break => true,
        StatementKind::Block(block) => has_break(block),
        StatementKind::If { then, otherwise, .. } => has_break(then) || has_break(otherwise),
        _ => false,
    })
}

/// Whether a `continue` in a body is one of the loop whose body it is.
fn has_continue(body: &Block) -> bool {
    body.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Continue => true,
        StatementKind::Block(block) => has_continue(block),
        StatementKind::If { then, otherwise, .. } => has_continue(then) || has_continue(otherwise),
        StatementKind::Switch { cases, .. } => cases.iter().any(|case| has_continue(&case.body)),
        _ => false,
    })
}

/// What a body does: which variables it changes, and what it calls.
struct Effects<'a> {
    program: &'a Program,
    /// By [`LocalId`].
    changed: Vec<bool>,
    calls: Vec<(FunctionId, Span)>,
}

impl Effects<'_> {
    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Expression(expr) | StatementKind::Declare(_, Some(expr)) => self.expr(expr),
            StatementKind::Return(Some(expr)) => self.expr(expr),
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise, .. } => {
                self.expr(condition);
                self.block(then);
                self.block(otherwise);
            }
            StatementKind::Loop(each) => {
                each.start.iter().for_each(|statement| self.statement(statement));
                each.condition.iter().chain(&each.step).for_each(|expr| self.expr(expr));
                self.block(&each.body);
            }
            StatementKind::Switch { selector, cases, .. } => {
                self.expr(selector);
                cases.iter().for_each(|case| self.block(&case.body));
            }
            StatementKind::Declare(_, None)
            | StatementKind::Return(None)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Discard => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Error | ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Global(_) => {}
            ExprKind::Field(inner, _)
            | ExprKind::Swizzle(inner, _)
            | ExprKind::Elements(inner, _)
            | ExprKind::Negate(inner)
            | ExprKind::Not(inner)
            | ExprKind::Complement(inner)
            | ExprKind::Convert(inner) => self.expr(inner),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Element { object, place, level } => {
                self.expr(object);
                self.expr(place);
                level.iter().for_each(|level| self.expr(level));
            }
            ExprKind::Conditional(condition, a, b) => {
                self.expr(condition);
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Assign(target, value) | ExprKind::Update(_, target, value) => {
                self.change(target);
                self.expr(target);
                self.expr(value);
            }
            ExprKind::Step(_, target) => {
                self.change(target);
                self.expr(target);
            }
            ExprKind::Construct(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::Call(function, arguments) => {
                self.calls.push((*function, expr.span));
                let parameters = &self.program[*function].parameters;
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    if parameter.direction != Direction::In {
                        self.change(argument);
                    }
                }
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Intrinsic(which, arguments) => {
                let outputs = first_output(*which).unwrap_or(arguments.len());
                arguments.iter().skip(outputs).for_each(|argument| self.change(argument));
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Method(which, object, arguments) => {
                self.expr(object);
                for (index, argument) in arguments.iter().enumerate() {
                    // A status is the last argument, and a `uint`.
                    let is_status = index + 1 == arguments.len() && argument.ty == Type::UINT;
                    if is_status || has_output_arguments(*which) {
                        self.change(argument);
                    }
                    self.expr(argument);
                }
            }
        }
    }

    /// Notes that something is assigned to.
    fn change(&mut self, target: &Expr) {
        match &*target.kind {
            ExprKind::Local(id) => {
                if let Some(changed) = self.changed.get_mut(id.0 as usize) {
                    *changed = true;
                }
            }
            ExprKind::Field(inner, _)
            | ExprKind::Index(inner, _)
            | ExprKind::Swizzle(inner, _)
            | ExprKind::Elements(inner, _)
            | ExprKind::Convert(inner) => self.change(inner),
            ExprKind::Conditional(_, a, b) => {
                self.change(a);
                self.change(b);
            }
            ExprKind::Comma(_, inner) => self.change(inner),
            _ => {}
        }
    }
}

/// The place of the first argument that a function of the language assigns to.
fn first_output(which: Intrinsic) -> Option<usize> {
    match which {
        Intrinsic::AsUint | Intrinsic::Frexp | Intrinsic::Modf | Intrinsic::Sincos => Some(1),
        Intrinsic::InterlockedAdd
        | Intrinsic::InterlockedAnd
        | Intrinsic::InterlockedCompareExchange
        | Intrinsic::InterlockedCompareStore
        | Intrinsic::InterlockedExchange
        | Intrinsic::InterlockedMax
        | Intrinsic::InterlockedMin
        | Intrinsic::InterlockedOr
        | Intrinsic::InterlockedXor => Some(0),
        Intrinsic::Process2DQuadTessFactorsAvg
        | Intrinsic::Process2DQuadTessFactorsMax
        | Intrinsic::Process2DQuadTessFactorsMin
        | Intrinsic::ProcessIsolineTessFactors
        | Intrinsic::ProcessQuadTessFactorsAvg
        | Intrinsic::ProcessQuadTessFactorsMax
        | Intrinsic::ProcessQuadTessFactorsMin
        | Intrinsic::ProcessTriTessFactorsAvg
        | Intrinsic::ProcessTriTessFactorsMax
        | Intrinsic::ProcessTriTessFactorsMin => Some(2),
        _ => None,
    }
}

/// Methods with `out` arguments besides a status.
fn has_output_arguments(which: Method) -> bool {
    matches!(
        which,
        Method::GetDimensions
            | Method::InterlockedAdd
            | Method::InterlockedAnd
            | Method::InterlockedCompareExchange
            | Method::InterlockedCompareStore
            | Method::InterlockedExchange
            | Method::InterlockedMax
            | Method::InterlockedMin
            | Method::InterlockedOr
            | Method::InterlockedXor
    )
}
