//! Stores of expressions to local variables.

use crate::check::tree::{Expr, ExprKind, LocalId, Program, visit};

/// A store to a variable.
pub(super) struct VariableStore<'a> {
    pub(super) local: LocalId,
    pub(super) to: StoredPart,
    /// The stored value, or `None` if it is not known.
    pub(super) value: Option<&'a Expr>,
}

/// The part of a variable that is stored to.
pub(super) enum StoredPart {
    Whole,
    /// Components of a vector.
    Components(Vec<u8>),
    Other,
}

/// Appends the stores of an expression. Stores of its subexpressions are not included.
pub(super) fn assignments<'a>(program: &Program, expr: &'a Expr, assigned: &mut Vec<VariableStore<'a>>) {
    let value = match &*expr.kind {
        ExprKind::Assign(_, value) => Some(value),
        ExprKind::Update(..) | ExprKind::Step(..) => Some(expr),
        _ => None,
    };
    visit::targets(program, expr, &mut |target| {
        if let ExprKind::Local(local) = *visit::root(target).kind {
            assigned.push(VariableStore { local, to: part(target), value });
        }
    });
}

fn part(target: &Expr) -> StoredPart {
    match &*target.kind {
        ExprKind::Local(_) => StoredPart::Whole,
        ExprKind::Swizzle(of, components) if matches!(*of.kind, ExprKind::Local(_)) => {
            StoredPart::Components(components.clone())
        }
        _ => StoredPart::Other,
    }
}
