//! Component access by name, such as `a.xyz` or `m._m00_m11`.

use crate::{
    check::tree::{Expr, ExprKind, Numeric, Type},
    session::source::Span,
    syntax::builtin::Shape,
};

/// Returns the components that a name selects, or the operand as an error if the name is not valid for it.
pub(super) fn swizzle(of: Expr, numeric: Numeric, name: &str, span: Span) -> Result<Expr, Expr> {
    let ty = |count: usize| match count {
        1 => Type::scalar(numeric.scalar),
        count => Type::vector(numeric.scalar, count as u8),
    };
    if let Shape::Matrix { rows, columns } = numeric.shape {
        return match elements(name, rows, columns) {
            Some(places) => {
                let ty = ty(places.len());
                Ok(Expr::new(ExprKind::Elements(of, places), ty, span))
            }
            None => Err(of),
        };
    }
    match components(name, numeric.columns() as u8) {
        Some(places) => {
            let ty = ty(places.len());
            Ok(Expr::new(ExprKind::Swizzle(of, places), ty, span))
        }
        None => Err(of),
    }
}

/// Parses one to four letters from `xyzw`, or one to four letters from `rgba`.
fn components(name: &str, size: u8) -> Option<Vec<u8>> {
    if !(1..=4).contains(&name.len()) {
        return None;
    }
    ["xyzw", "rgba"].iter().find_map(|set| {
        let place = |letter| set.find(letter).map(|place| place as u8).filter(|place| *place < size);
        name.chars().map(place).collect()
    })
}

/// Parses one to four matrix elements, whose indices begin with 0 in names such as `_m00` and with 1 in names
/// such as `_11`.
fn elements(name: &str, rows: u8, columns: u8) -> Option<Vec<(u8, u8)>> {
    let (mark, first) = if name.starts_with("_m") { ("_m", b'0') } else { ("_", b'1') };
    let length = mark.len() + 2;
    if name.is_empty() || !name.len().is_multiple_of(length) || name.len() / length > 4 {
        return None;
    }
    name.as_bytes()
        .chunks(length)
        .map(|part| match part.strip_prefix(mark.as_bytes())? {
            [row, column] => {
                let (row, column) = (row.checked_sub(first)?, column.checked_sub(first)?);
                (row < rows && column < columns).then_some((row, column))
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_of_one_set_and_inside_the_vector() {
        assert_eq!(components("xyzw", 4), Some(vec![0, 1, 2, 3]));
        assert_eq!(components("bgr", 3), Some(vec![2, 1, 0]));
        assert_eq!(components("xxxx", 1), Some(vec![0; 4]));
        for (name, size) in [("xr", 4), ("z", 2), ("", 4), ("xyzwx", 4), ("q", 4), ("\u{e4}", 4)] {
            assert_eq!(components(name, size), None, "{name}");
        }
    }

    #[test]
    fn elements_count_from_zero_or_from_one() {
        assert_eq!(elements("_m00_m21", 3, 2), Some(vec![(0, 0), (2, 1)]));
        assert_eq!(elements("_11_32", 3, 2), Some(vec![(0, 0), (2, 1)]));
        assert_eq!(elements("_11_11_11_11", 1, 1), Some(vec![(0, 0); 4]));
        for name in ["_m00_11", "_m30", "_m02", "_00", "_1", "_m0", "_", "_m00_m00_m00_m00_m00", "_11x", "x"]
        {
            assert_eq!(elements(name, 3, 2), None, "{name}");
        }
    }
}
