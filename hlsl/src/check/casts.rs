//! Casts as targets of assignments, as in `(float2)a = b`.

use crate::{
    check::tree::{Expr, ExprKind, Numeric, Program, Type},
    syntax::builtin::Shape,
};

use super::convert::conversion;

/// Maximum number of components that may remain of a cast assignment target.
const MOST_COMPONENTS: u64 = 1 << 12;

/// Removes casts from an assignment target if they do not change the component type, and replaces a
/// truncating cast by the part of the target that remains.
///
/// Casts that change the component type, and casts whose result is neither a vector nor the whole target,
/// stay unchanged.
pub(super) fn cast_place(to: Expr) -> Expr {
    match numeric_parts(&to) {
        Some((place, indices)) if matches!(*to.kind, ExprKind::Convert(_)) => {
            part(place, &indices).unwrap_or(to)
        }
        _ => to,
    }
}

/// Removes casts from the argument for an `out` parameter. The outermost cast may change the component type,
/// because the returned value can be converted once more.
pub(super) fn cast_argument(argument: Expr) -> Expr {
    let span = argument.span;
    match (*argument.kind, argument.ty) {
        (ExprKind::Convert(of), ty) => match (ty.numeric(), of.ty.numeric()) {
            (Some(to), Some(from)) if to.scalar != from.scalar => {
                let cut = cast_place(conversion_node(of, to.with(from.scalar), span));
                conversion(cut, &ty)
            }
            _ => cast_place(Expr::new(ExprKind::Convert(of), ty, span)),
        },
        (kind, ty) => Expr::new(kind, ty, span),
    }
}

fn conversion_node(of: Expr, to: Numeric, span: crate::session::source::Span) -> Expr {
    match of.ty.numeric() {
        Some(from) if from == to => of,
        _ => Expr::new(ExprKind::Convert(of), Type::Numeric(to), span),
    }
}

/// Returns the expression inside the casts of an assignment target, such as `a` in `(float[2])a = b`, and the
/// components of it that remain, in the order of [`Program::number_count`]. The result is `None` if a cast
/// changes the component type or adds components.
pub(crate) fn kept_components<'e>(program: &Program, expr: &'e Expr) -> Option<(&'e Expr, Vec<usize>)> {
    if let Some(found) = numeric_parts(expr) {
        return Some(found);
    }
    let ExprKind::Convert(of) = &*expr.kind else {
        let count = program.number_count(&expr.ty).filter(|count| *count <= MOST_COMPONENTS)?;
        return Some((expr, (0..count as usize).collect()));
    };
    if !program.begins_with(&of.ty, &expr.ty) {
        return None;
    }
    let count = program.number_count(&expr.ty)? as usize;
    let (place, mut kept) = kept_components(program, of)?;
    kept.truncate(count);
    Some((place, kept))
}

/// Does the same as [`kept_components`], but only for scalars, vectors and matrices.
fn numeric_parts(expr: &Expr) -> Option<(&Expr, Vec<usize>)> {
    let to = expr.ty.numeric()?;
    let ExprKind::Convert(of) = &*expr.kind else {
        return Some((expr, (0..to.components()).collect()));
    };
    let from = of.ty.numeric()?;
    if from.scalar != to.scalar || from.components() < to.components() {
        return None;
    }
    let (place, indices) = numeric_parts(of)?;
    let are_matrices = matches!((from.shape, to.shape), (Shape::Matrix { .. }, Shape::Matrix { .. }));
    let index = |component: usize| match from.components() == to.components() || !are_matrices {
        true => component,
        false => component / to.columns() * from.columns() + component % to.columns(),
    };
    let left: Option<_> =
        (0..to.components()).map(|component| indices.get(index(component)).copied()).collect();
    Some((place, left?))
}

/// Returns some components of an expression as an assignable expression, or `None` if there are more than
/// four components, unless they are all components of the expression in order.
fn part(of: &Expr, indices: &[usize]) -> Option<Expr> {
    let numeric = of.ty.numeric()?;
    if indices.iter().copied().eq(0..numeric.components()) {
        return Some(of.clone());
    }
    let ty = match indices.len() {
        1 => Type::scalar(numeric.scalar),
        count @ 2..=4 => Type::vector(numeric.scalar, count as u8),
        _ => return None,
    };
    let kind = match numeric.shape {
        Shape::Matrix { columns, .. } => {
            let columns = usize::from(columns);
            let place = |index: &usize| ((index / columns) as u8, (index % columns) as u8);
            ExprKind::Elements(of.clone(), indices.iter().map(place).collect())
        }
        Shape::Scalar | Shape::Vector(_) => {
            ExprKind::Swizzle(of.clone(), indices.iter().map(|index| *index as u8).collect())
        }
    };
    Some(Expr::new(kind, ty, of.span))
}
