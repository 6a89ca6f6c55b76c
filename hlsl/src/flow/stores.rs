//! What expressions store to variables.

use crate::tree::{Expr, ExprKind, LocalId, Program, visit};

/// A store to a variable.
pub(super) struct Assigned<'a> {
    pub(super) local: LocalId,
    pub(super) to: Part,
    /// `None` if it is not known.
    pub(super) value: Option<&'a Expr>,
}

/// The part of a variable that is stored to.
pub(super) enum Part {
    Whole,
    /// Components of a vector.
    Components(Vec<u8>),
    Other,
}

/// The stores to variables of an expression itself.
pub(super) fn assignments<'a>(program: &Program, expr: &'a Expr, assigned: &mut Vec<Assigned<'a>>) {
    let value = match &*expr.kind {
        ExprKind::Assign(_, value) => Some(value),
        ExprKind::Update(..) | ExprKind::Step(..) => Some(expr),
        _ => None,
    };
    visit::targets(program, expr, &mut |target| {
        if let ExprKind::Local(local) = *visit::root(target).kind {
            assigned.push(Assigned { local, to: part(target), value });
        }
    });
}

fn part(target: &Expr) -> Part {
    match &*target.kind {
        ExprKind::Local(_) => Part::Whole,
        ExprKind::Swizzle(of, components) if matches!(*of.kind, ExprKind::Local(_)) => {
            Part::Components(components.clone())
        }
        _ => Part::Other,
    }
}
