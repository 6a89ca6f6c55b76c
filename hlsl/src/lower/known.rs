//! Which variables have values that are known, as control passes.

use crate::hash::HashSet;

use crate::{
    check::evaluate,
    syntax::{ast::BinaryOp, builtin::Scalar},
    tree::{Constant, Expr, ExprKind, LocalId, Program, Step, Type, visit},
};

use super::{Builder, Lowered};

/// Values of variables that are known.
pub(super) type Known = crate::hash::HashMap<LocalId, Constant>;

/// The value that a variable has after an assignment with an operator, an increment or a decrement.
fn updated(program: &Program, known: &Known, expr: &Expr) -> Option<Constant> {
    let locals = |local: LocalId| known.get(&local).cloned();
    let (op, ty, target, value) = match &*expr.kind {
        ExprKind::Update(arithmetic, target, value) => {
            (arithmetic.op, arithmetic.ty.clone(), target, value.clone())
        }
        ExprKind::Step(step, target) => {
            let scalar = target.ty.numeric().filter(|ty| ty.components() == 1)?.scalar;
            let op = match step {
                Step::PreIncrement | Step::PostIncrement => BinaryOp::Add,
                Step::PreDecrement | Step::PostDecrement => BinaryOp::Subtract,
            };
            let ty = Type::scalar(if scalar == Scalar::Bool { Scalar::Int } else { scalar });
            let one = Expr::constant(Constant::int(1), expr.span);
            (op, ty.clone(), target, Expr::new(ExprKind::Convert(one), ty, expr.span))
        }
        _ => return None,
    };
    if !matches!(*target.kind, ExprKind::Local(_)) {
        return None;
    }
    let convert = |inner: Expr, ty: &Type| {
        if inner.ty == *ty { inner } else { Expr::new(ExprKind::Convert(inner), ty.clone(), expr.span) }
    };
    let old = convert(target.clone(), &ty);
    let new = Expr::new(ExprKind::Binary(op, old, value), ty, expr.span);
    evaluate(program, &convert(new, &target.ty), &locals)
}

/// What becomes known, or is known no more, when an expression is evaluated.
pub(super) fn track(program: &Program, known: &mut Known, expr: &Expr) {
    if let ExprKind::Comma(first, second) = &*expr.kind {
        track(program, known, first);
        return track(program, known, second);
    }
    let mut assigned = HashSet::default();
    visit::expressions(expr, &mut |part| visit::assigned_by(program, part, &mut assigned));
    let value = match &*expr.kind {
        ExprKind::Assign(target, value) => {
            let value = evaluate(program, value, &|local| known.get(&local).cloned());
            Some((target, value))
        }
        ExprKind::Update(_, target, _) | ExprKind::Step(_, target) => {
            Some((target, updated(program, known, expr)))
        }
        _ => None,
    };
    known.retain(|local, _| !assigned.contains(local));
    if let Some((target, Some(value))) = value
        && let ExprKind::Local(local) = *target.kind
    {
        known.insert(local, value);
    }
}

impl Builder<'_, '_> {
    /// The value that a variable has after an assignment with an operator, an increment or a decrement.
    pub(super) fn known_update(&self, expr: &Expr) -> Option<Constant> {
        updated(self.lowerer.program, &self.known, expr)
    }

    /// Notes what was assigned to a variable, or to a part of it.
    pub(super) fn remember(&mut self, target: &Expr, value: Option<Constant>) {
        let ExprKind::Local(root) = *visit::root(target).kind else { return };
        match (&*target.kind, value) {
            (ExprKind::Local(_), Some(value)) => {
                self.known.insert(root, value);
            }
            _ => {
                self.known.remove(&root);
            }
        }
    }

    /// Forgets what is known of the variables that an expression, without its parts, stores to.
    pub(super) fn forget_targets(&mut self, expr: &Expr) {
        let mut assigned = HashSet::default();
        visit::assigned_by(self.lowerer.program, expr, &mut assigned);
        self.forget(&assigned);
    }

    /// Forgets what is known of variables.
    pub(super) fn forget(&mut self, assigned: &HashSet<LocalId>) {
        self.known.retain(|local, _| !assigned.contains(local));
    }

    /// Lowers what may be skipped: what becomes known in it is not known behind it.
    pub(super) fn branch(
        &mut self,
        assigned: &HashSet<LocalId>,
        lower: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<naga::Block> {
        let before = self.known.clone();
        let block = self.block(lower);
        self.known = before;
        self.known.retain(|local, _| !assigned.contains(local));
        block
    }
}
