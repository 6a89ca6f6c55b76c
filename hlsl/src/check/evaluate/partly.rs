//! Values that are only partly known: some components of vectors, fields or array elements.
//!
//! The components of a type are numbered. The components of a structure are those of its fields, one after
//! another, those of an array are those of its elements, and those of a matrix are in row order. Objects have
//! no components.

use std::{ops::Range, sync::Arc};

use super::{ConstantEvaluator, convert_constant};
use crate::{
    check::tree::{Constant, Expr, ExprKind, LocalId, Numeric, Program, Type, visit},
    syntax::builtin::{Scalar, Shape},
};

/// Maximum number of components of a variable whose values are tracked.
const MOST_COMPONENTS: usize = 256;

/// The components of a value. An entry is `None` if the component is not known.
pub(crate) type KnownComponents = Arc<Vec<Option<u64>>>;

/// The known values of a function's local variables.
pub(crate) trait KnownLocals {
    /// Returns the known components of a variable, or `None` if no component is known.
    fn parts(&self, local: LocalId) -> Option<KnownComponents>;
}

impl<F: Fn(LocalId) -> Option<Constant>> KnownLocals for F {
    fn parts(&self, local: LocalId) -> Option<KnownComponents> {
        Some(Arc::new(self(local)?.bits.into_iter().map(Some).collect()))
    }
}

/// The components of a variable that an expression refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum KnownPlaces {
    /// The components of a variable, a field, an element or a row.
    Range(Range<usize>),
    /// The components that a swizzle selects.
    List(Vec<usize>),
}

impl KnownPlaces {
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Self::Range(range) => Box::new(range.clone()),
            Self::List(list) => Box::new(list.iter().copied()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List(list) => list.len(),
        }
    }

    fn get(&self, index: usize) -> Option<usize> {
        match self {
            Self::Range(range) => range.clone().nth(index),
            Self::List(list) => list.get(index).copied(),
        }
    }

    /// Returns `count` components, beginning with the component `first`.
    fn slice(&self, first: usize, count: usize) -> Option<Self> {
        let end = first.checked_add(count).filter(|end| *end <= self.len())?;
        Some(match self {
            Self::Range(range) => Self::Range(range.start + first..range.start + end),
            Self::List(list) => Self::List(list.get(first..end)?.to_vec()),
        })
    }
}

/// Returns the number of components of a type, or `None` if there are too many.
fn components(program: &Program, ty: &Type) -> Option<usize> {
    let count = match ty {
        Type::Numeric(numeric) => numeric.components(),
        Type::Array(array) => {
            components(program, &array.element)?.checked_mul(usize::try_from(array.length).ok()?)?
        }
        Type::Struct(id) => fields_before(program, ty, program[*id].fields.len())?,
        _ => 0,
    };
    (count <= MOST_COMPONENTS).then_some(count)
}

/// Returns the number of components in the first `count` fields of a structure.
fn fields_before(program: &Program, ty: &Type, count: usize) -> Option<usize> {
    let Type::Struct(id) = ty else { return None };
    let fields = program[*id].fields.get(..count)?;
    fields.iter().try_fold(0_usize, |sum, field| {
        sum.checked_add(components(program, &field.ty)?).filter(|sum| *sum <= MOST_COMPONENTS)
    })
}

/// Returns the variable that an expression is part of, and the components of the variable that it refers to.
/// Returns `None` if they are not known.
pub(crate) fn places(
    program: &Program,
    expr: &Expr,
    locals: &dyn KnownLocals,
) -> Option<(LocalId, KnownPlaces)> {
    ConstantEvaluator::new(program, locals).places(expr)
}

/// Returns the known components of an expression, or `None` if no component is known.
pub(crate) fn evaluate_partly(
    program: &Program,
    expr: &Expr,
    locals: &dyn KnownLocals,
) -> Option<Vec<Option<u64>>> {
    let parts = ConstantEvaluator::new(program, locals).partly(expr)?;
    parts.iter().any(Option::is_some).then_some(parts)
}

impl ConstantEvaluator<'_> {
    /// Returns the known components of the variable that an expression is part of.
    pub(super) fn known_root(&self, expr: &Expr) -> Option<KnownComponents> {
        let ExprKind::Local(local) = *root(expr).kind else { return None };
        self.locals.parts(local)
    }

    /// Returns the value of a part of a partly known variable.
    pub(super) fn part_of_local(&self, expr: &Expr, known: &[Option<u64>]) -> Option<Constant> {
        let ty = expr.ty.numeric()?;
        let (_, places) = self.places(expr)?;
        let bits = places.iter().map(|number| known.get(number).copied().flatten());
        let bits: Vec<_> = bits.collect::<Option<_>>()?;
        (bits.len() == ty.components()).then_some(Constant { ty, bits })
    }

    fn places(&self, expr: &Expr) -> Option<(LocalId, KnownPlaces)> {
        self.deeper(|| self.places_of(expr))
    }

    fn places_of(&self, expr: &Expr) -> Option<(LocalId, KnownPlaces)> {
        let program = self.program;
        match &*expr.kind {
            ExprKind::Local(local) => Some((*local, KnownPlaces::Range(0..components(program, &expr.ty)?))),
            ExprKind::Field(of, field) => {
                let (local, places) = self.places(of)?;
                let first = fields_before(program, &of.ty, *field as usize)?;
                Some((local, places.slice(first, components(program, &expr.ty)?)?))
            }
            ExprKind::Index(of, index) => {
                let index = usize::try_from(self.value(index)?.as_integer()?).ok()?;
                if index >= of.ty.indices() as usize {
                    return None;
                }
                let (local, places) = self.places(of)?;
                let count = components(program, &expr.ty)?;
                Some((local, places.slice(index.checked_mul(count)?, count)?))
            }
            ExprKind::Swizzle(of, chosen) => {
                let (local, places) = self.places(of)?;
                let place = |number: &u8| places.get(usize::from(*number));
                Some((local, KnownPlaces::List(chosen.iter().map(place).collect::<Option<_>>()?)))
            }
            ExprKind::Elements(of, chosen) => {
                let (local, places) = self.places(of)?;
                let columns = of.ty.numeric()?.columns();
                let place =
                    |(row, column): &(u8, u8)| places.get(usize::from(*row) * columns + usize::from(*column));
                Some((local, KnownPlaces::List(chosen.iter().map(place).collect::<Option<_>>()?)))
            }
            _ => None,
        }
    }

    /// Returns the known components of an expression.
    fn partly(&self, expr: &Expr) -> Option<Vec<Option<u64>>> {
        let count = components(self.program, &expr.ty)?;
        let parts = self.deeper(|| self.partly_of(expr, count))?;
        (parts.len() == count).then_some(parts)
    }

    fn partly_of(&self, expr: &Expr, count: usize) -> Option<Vec<Option<u64>>> {
        if expr.ty.numeric().is_some()
            && let Some(value) = self.value(expr)
        {
            return Some(value.bits.into_iter().map(Some).collect());
        }
        if let Some(known) = self.known_root(expr) {
            let (_, places) = self.places(expr)?;
            return Some(places.iter().map(|number| known.get(number).copied().flatten()).collect());
        }
        match &*expr.kind {
            ExprKind::Construct(parts) => {
                let mut all = Vec::with_capacity(count);
                for part in parts {
                    let unknown = || Some(vec![None; components(self.program, &part.ty)?]);
                    all.extend(self.partly(part).or_else(unknown)?);
                }
                Some(all)
            }
            ExprKind::Global(id) if self.is_known(*id) => self.partly(self.program[*id].value.as_ref()?),
            ExprKind::Conditional(condition, a, b) if condition.ty.numeric()?.components() == 1 => {
                let accepts = self.value(condition)?.bits.first().is_some_and(|bits| *bits != 0);
                let (chosen, other) = if accepts { (a, b) } else { (b, a) };
                visit::is_pure(other).then(|| self.partly(chosen))?
            }
            ExprKind::Convert(of) => self.converted_partly(of, expr, count),
            _ => None,
        }
    }

    fn converted_partly(&self, of: &Expr, expr: &Expr, count: usize) -> Option<Vec<Option<u64>>> {
        if let (Type::Struct(id), Type::Struct(base)) = (&of.ty, &expr.ty)
            && self.program.is_derived(*id, *base)
        {
            let mut parts = self.partly(of)?;
            parts.truncate(count);
            return Some(parts);
        }
        let from = of.ty.numeric()?;
        let Some(to) = expr.ty.numeric() else {
            return self.filled(&expr.ty, &self.value(of).filter(|value| value.bits.len() == 1)?);
        };
        let is_same = from.shape == to.shape
            || from.components() == count && !matches!(from.shape, Shape::Matrix { .. });
        if !is_same {
            return None;
        }
        let component = |bits: Option<u64>| convert_one(bits?, from.scalar, to.scalar);
        Some(self.partly(of)?.into_iter().map(component).collect())
    }

    /// Repeats a number in all components of a type.
    fn filled(&self, ty: &Type, value: &Constant) -> Option<Vec<Option<u64>>> {
        match ty {
            Type::Numeric(numeric) => {
                Some(convert_constant(value, *numeric)?.bits.into_iter().map(Some).collect())
            }
            Type::Array(array) => {
                let element = self.filled(&array.element, value)?;
                let count = components(self.program, ty)?;
                Some(element.iter().copied().cycle().take(count).collect())
            }
            Type::Struct(id) => {
                let fields = self.program[*id].fields.iter();
                Some(fields.map(|field| self.filled(&field.ty, value)).collect::<Option<Vec<_>>>()?.concat())
            }
            _ => Some(Vec::new()),
        }
    }
}

fn convert_one(bits: u64, from: Scalar, to: Scalar) -> Option<u64> {
    let constant = Constant { ty: Numeric::scalar(from), bits: vec![bits] };
    convert_constant(&constant, Numeric::scalar(to))?.bits.first().copied()
}

/// Returns the variable that an expression is part of. A converted value is not part of a variable.
fn root(mut expr: &Expr) -> &Expr {
    while let ExprKind::Field(of, _)
    | ExprKind::Index(of, _)
    | ExprKind::Swizzle(of, _)
    | ExprKind::Elements(of, _) = &*expr.kind
    {
        expr = of;
    }
    expr
}
