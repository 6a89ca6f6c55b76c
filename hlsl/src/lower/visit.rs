//! What parts of the tree do: which variables they assign to, and what they contain.

use std::collections::HashSet;

use crate::{
    syntax::builtin::Scalar,
    tree::{
        Block, Direction, Expr, ExprKind, GlobalId, Intrinsic, LocalId, Loop, Method, Program, Statement,
        StatementKind,
    },
};

/// Looks at the expressions directly in a statement or an expression.
pub(super) fn parts<'t>(expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    match &*expr.kind {
        ExprKind::Error | ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Global(_) => {}
        ExprKind::Field(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::Elements(a, _)
        | ExprKind::Negate(a)
        | ExprKind::Not(a)
        | ExprKind::Complement(a)
        | ExprKind::Step(_, a)
        | ExprKind::Convert(a) => visit(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::Update(_, a, b)
        | ExprKind::Comma(a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Conditional(a, b, c) => {
            visit(a);
            visit(b);
            visit(c);
        }
        ExprKind::Element { object, place, level } => {
            visit(object);
            visit(place);
            if let Some(level) = level {
                visit(level);
            }
        }
        ExprKind::Construct(parts) | ExprKind::Call(_, parts) | ExprKind::Intrinsic(_, parts) => {
            parts.iter().for_each(visit);
        }
        ExprKind::Method(_, object, arguments) => {
            visit(object);
            arguments.iter().for_each(visit);
        }
    }
}

/// Looks at an expression and all within it, the whole before its parts.
pub(super) fn expressions<'t>(expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    visit(expr);
    parts(expr, &mut |part| expressions(part, visit));
}

/// Looks at all expressions in statements.
pub(super) fn statements<'t>(list: &'t [Statement], visit: &mut dyn FnMut(&'t Expr)) {
    for statement in list {
        match &statement.kind {
            StatementKind::Expression(expr) => expressions(expr, visit),
            StatementKind::Declare(_, value) | StatementKind::Return(value) => {
                value.iter().for_each(|value| expressions(value, visit));
            }
            StatementKind::Block(block) => statements(&block.statements, visit),
            StatementKind::If { condition, then, otherwise, .. } => {
                expressions(condition, visit);
                statements(&then.statements, visit);
                statements(&otherwise.statements, visit);
            }
            StatementKind::Loop(part) => loop_parts(part, visit),
            StatementKind::Switch { selector, cases, .. } => {
                expressions(selector, visit);
                cases.iter().for_each(|case| statements(&case.body.statements, visit));
            }
            StatementKind::Break | StatementKind::Continue | StatementKind::Discard => {}
        }
    }
}

fn loop_parts<'t>(part: &'t Loop, visit: &mut dyn FnMut(&'t Expr)) {
    statements(&part.start, visit);
    loop_rounds(part, visit);
}

/// Looks at all expressions of a loop but those before the first round.
pub(super) fn loop_rounds<'t>(part: &'t Loop, visit: &mut dyn FnMut(&'t Expr)) {
    part.condition.iter().chain(&part.step).for_each(|expr| expressions(expr, visit));
    statements(&part.body.statements, visit);
}

/// The variable that an assignable expression is a part of.
pub(super) fn root(expr: &Expr) -> &Expr {
    match &*expr.kind {
        ExprKind::Field(base, _)
        | ExprKind::Index(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::Elements(base, _)
        | ExprKind::Convert(base) => root(base),
        _ => expr,
    }
}

fn root_local(expr: &Expr) -> Option<LocalId> {
    match *root(expr).kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}

/// The expressions that an expression itself, without its parts, stores to.
pub(super) fn targets<'t>(program: &Program, expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    match &*expr.kind {
        ExprKind::Assign(target, _) | ExprKind::Update(_, target, _) | ExprKind::Step(_, target) => {
            visit(target);
        }
        ExprKind::Call(function, arguments) => {
            for (argument, parameter) in arguments.iter().zip(&program[*function].parameters) {
                if parameter.direction != Direction::In {
                    visit(argument);
                }
            }
        }
        ExprKind::Intrinsic(which, arguments) => {
            let first = match which {
                Intrinsic::Sincos | Intrinsic::Modf | Intrinsic::Frexp => 1,
                which if is_atomic(*which) || which.name().starts_with("Process") => 0,
                _ => arguments.len(),
            };
            arguments.iter().skip(first).for_each(visit);
        }
        ExprKind::Method(method, _, arguments) => {
            let is_out = *method == Method::GetDimensions || method.name().starts_with("Interlocked");
            // Behind the place, a `uint` may be the status that a load gives.
            let may_be_status =
                |argument: &Expr| argument.ty.numeric().is_some_and(|ty| ty.scalar == Scalar::Uint);
            for (argument, index) in arguments.iter().zip(0..) {
                if is_out || (index > 0 && may_be_status(argument)) {
                    visit(argument);
                }
            }
        }
        _ => {}
    }
}

/// Whether a function changes its first argument atomically.
pub(super) fn is_atomic(which: Intrinsic) -> bool {
    which.name().starts_with("Interlocked")
}

/// The variables that an expression, with all within it, stores to.
pub(super) fn assigned_by(program: &Program, expr: &Expr, assigned: &mut HashSet<LocalId>) {
    targets(program, expr, &mut |target| {
        assigned.extend(root_local(target));
    });
}

/// The variables that a block stores to, without what their declarations store.
pub(super) fn assigned_in(program: &Program, block: &Block) -> HashSet<LocalId> {
    let mut assigned = HashSet::new();
    statements(&block.statements, &mut |expr| assigned_by(program, expr, &mut assigned));
    assigned
}

/// The variables of groups that are changed atomically: the fields on the way, without the numbers of elements.
pub(super) fn atomics(program: &Program) -> HashSet<(GlobalId, Vec<u32>)> {
    let mut found = HashSet::new();
    for body in program.functions.iter().filter_map(|function| function.body.as_ref()) {
        statements(&body.statements, &mut |expr| {
            let ExprKind::Intrinsic(which, arguments) = &*expr.kind else { return };
            if !is_atomic(*which) {
                return;
            }
            let Some(target) = arguments.first() else { return };
            if let ExprKind::Global(global) = *root(target).kind {
                found.insert((global, fields(target)));
            }
        });
    }
    found
}

/// The fields on the way from a variable to a part of it.
pub(super) fn fields(expr: &Expr) -> Vec<u32> {
    match &*expr.kind {
        ExprKind::Field(base, field) => {
            let mut path = fields(base);
            path.push(*field);
            path
        }
        ExprKind::Index(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::Elements(base, _)
        | ExprKind::Convert(base) => fields(base),
        _ => Vec::new(),
    }
}
