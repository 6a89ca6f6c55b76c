//! The known values of local variables, and how expressions change them.

use std::sync::Arc;

use crate::{
    check::{
        KnownComponents, KnownLocals, evaluate, evaluate_partly, places,
        tree::{Constant, Expr, ExprKind, LocalId, Program, Step, Type, visit},
    },
    session::hash::{HashMap, HashSet},
    syntax::{ast::BinaryOp, builtin::Scalar},
};

/// The known components of a function's local variables.
#[derive(Clone, Default, Debug)]
pub(super) struct KnownVariables(HashMap<LocalId, KnownComponents>);

impl KnownLocals for KnownVariables {
    fn parts(&self, local: LocalId) -> Option<KnownComponents> {
        self.0.get(&local).cloned()
    }
}

impl KnownVariables {
    /// Sets the known components of a variable.
    pub(super) fn set(&mut self, local: LocalId, parts: Option<Vec<Option<u64>>>) {
        match parts {
            Some(parts) => self.0.insert(local, Arc::new(parts)),
            None => self.0.remove(&local),
        };
    }

    /// Returns whether any component of a variable is known.
    pub(super) fn has(&self, local: LocalId) -> bool {
        self.0.contains_key(&local)
    }

    /// Returns the value of a numeric variable if all its components are known.
    pub(super) fn value(&self, local: LocalId, ty: &Type) -> Option<Constant> {
        let ty = ty.numeric()?;
        let bits: Vec<_> = self.0.get(&local)?.iter().copied().collect::<Option<_>>()?;
        (bits.len() == ty.components()).then_some(Constant { ty, bits })
    }

    /// Records a store to a variable or to a part of it.
    pub(super) fn assign(&mut self, program: &Program, target: &Expr, value: Option<Vec<Option<u64>>>) {
        let ExprKind::Local(root) = *visit::root(target).kind else { return };
        if let ExprKind::Local(_) = *target.kind {
            return self.set(root, value);
        }
        if value.is_none() && !self.has(root) {
            return;
        }
        let part = places(program, target, self);
        let whole = size_of_root(program, target, self);
        let (Some((_, part)), Some(whole)) = (part, whole) else {
            self.0.remove(&root);
            return;
        };
        let value = value.filter(|value| value.len() == part.len());
        let all = self.0.entry(root).or_insert_with(|| Arc::new(vec![None; whole]));
        let all = Arc::make_mut(all);
        for (index, number) in part.iter().enumerate() {
            if let Some(slot) = all.get_mut(number) {
                *slot = value.as_ref().and_then(|value| value.get(index).copied().flatten());
            }
        }
        if all.iter().all(Option::is_none) {
            self.0.remove(&root);
        }
    }

    /// Forgets variables.
    pub(super) fn forget(&mut self, assigned: &HashSet<LocalId>) {
        self.0.retain(|local, _| !assigned.contains(local));
    }

    /// Merges the state of another path: only components that agree stay known.
    pub(super) fn join(&mut self, other: &Self) {
        self.0.retain(|local, parts| {
            let Some(others) = other.0.get(local) else { return false };
            if Arc::ptr_eq(parts, others) || parts == others {
                return true;
            }
            let both = parts.iter().zip(others.iter()).map(|(one, two)| one.filter(|_| one == two));
            let both: Vec<_> = both.collect();
            let is_any = both.iter().any(Option::is_some);
            *parts = Arc::new(both);
            is_any
        });
    }
}

/// Returns the number of components of the variable that an expression is part of.
fn size_of_root(program: &Program, target: &Expr, known: &KnownVariables) -> Option<usize> {
    places(program, visit::root(target), known).map(|(_, whole)| whole.len())
}

/// Converts an expression to a type, unless it already has this type.
fn converted(inner: Expr, ty: &Type) -> Expr {
    let span = inner.span;
    if inner.ty == *ty { inner } else { Expr::new(ExprKind::Convert(inner), ty.clone(), span) }
}

/// Returns the value of a variable after a compound assignment, an increment or a decrement.
pub(super) fn updated(program: &Program, known: &KnownVariables, expr: &Expr) -> Option<Constant> {
    let (op, ty, target, value) = match &*expr.kind {
        ExprKind::Update(arithmetic, target, value) => {
            (arithmetic.op, arithmetic.ty.clone(), target, value.clone())
        }
        ExprKind::Step(step, target) => {
            let numeric = target.ty.numeric()?;
            let scalar = if numeric.scalar == Scalar::Bool { Scalar::Int } else { numeric.scalar };
            let op = match step {
                Step::PreIncrement | Step::PostIncrement => BinaryOp::Add,
                Step::PreDecrement | Step::PostDecrement => BinaryOp::Subtract,
            };
            let ty = Type::Numeric(numeric.with(scalar));
            let one = Expr::constant(Constant::int(1), expr.span);
            (op, ty.clone(), target, converted(one, &ty))
        }
        _ => return None,
    };
    let old = converted(target.clone(), &ty);
    let new = Expr::new(ExprKind::Binary(op, old, value), ty, expr.span);
    evaluate(program, &converted(new, &target.ty), known)
}

/// Returns the components of a known value.
pub(super) fn parts(value: Option<&Constant>) -> Option<Vec<Option<u64>>> {
    value.map(|value| value.bits.iter().copied().map(Some).collect())
}

/// Evaluates an expression and applies its stores to the known variables. Returns the value if it is known.
pub(super) fn track(program: &Program, known: &mut KnownVariables, expr: &Expr) -> Option<Constant> {
    let inner = |known: &mut KnownVariables, part: &Expr, around: &dyn Fn(Expr) -> ExprKind| {
        let value = Expr::constant(track(program, known, part)?, part.span);
        evaluate(program, &Expr::new(around(value), expr.ty.clone(), expr.span), known)
    };
    match &*expr.kind {
        ExprKind::Comma(first, second) => {
            track(program, known, first);
            track(program, known, second)
        }
        ExprKind::Assign(target, value) => {
            let partly = track_partly(program, known, value);
            forget_within(program, known, target);
            known.assign(program, target, partly);
            if visit::is_pure(target) { evaluate(program, target, known) } else { None }
        }
        ExprKind::Update(_, target, value) if visit::is_pure(target) && visit::is_pure(value) => {
            let new = updated(program, known, expr);
            known.assign(program, target, parts(new.as_ref()));
            new
        }
        ExprKind::Step(step, target) if visit::is_pure(target) => {
            let (old, new) = (evaluate(program, target, known), updated(program, known, expr));
            known.assign(program, target, parts(new.as_ref()));
            match step {
                Step::PreIncrement | Step::PreDecrement => new,
                Step::PostIncrement | Step::PostDecrement => old,
            }
        }
        _ if visit::is_pure(expr) => evaluate(program, expr, known),
        ExprKind::Binary(op, left, right) => {
            let (left_value, right_value) = (track(program, known, left), track(program, known, right));
            // A known operand becomes a constant. An unknown one only has its stores applied.
            let operand = |value: Option<Constant>, of: &Expr| match value {
                Some(value) => Expr::constant(value, of.span),
                None => Expr::new(ExprKind::Error, of.ty.clone(), of.span),
            };
            let (left, right) = (operand(left_value, left), operand(right_value, right));
            let whole = Expr::new(ExprKind::Binary(*op, left, right), expr.ty.clone(), expr.span);
            evaluate(program, &whole, known)
        }
        ExprKind::Not(of) => inner(known, of, &ExprKind::Not),
        ExprKind::Negate(of) => inner(known, of, &ExprKind::Negate),
        ExprKind::Convert(of) => inner(known, of, &ExprKind::Convert),
        _ => {
            forget_within(program, known, expr);
            None
        }
    }
}

/// Evaluates an expression and applies its stores to the known variables. Returns the known components of its
/// value.
pub(super) fn track_partly(
    program: &Program,
    known: &mut KnownVariables,
    expr: &Expr,
) -> Option<Vec<Option<u64>>> {
    if visit::is_pure(expr) {
        evaluate_partly(program, expr, known)
    } else {
        parts(track(program, known, expr).as_ref())
    }
}

/// Forgets the variables that an expression or one of its subexpressions stores to.
fn forget_within(program: &Program, known: &mut KnownVariables, expr: &Expr) {
    let mut assigned = HashSet::default();
    visit::expressions(expr, &mut |part| visit::assigned_by(program, part, &mut assigned));
    if !assigned.is_empty() {
        known.forget(&assigned);
    }
}
