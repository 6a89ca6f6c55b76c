//! Evaluation of expressions at compile time.

mod functions;
mod partly;
pub(super) mod scalars;

#[cfg(test)]
mod tests;

use std::cell::Cell;

pub(crate) use self::{
    functions::evaluate_intrinsic,
    partly::{KnownComponents, KnownLocals, evaluate_partly, places},
    scalars::{binary_component, convert_component, negate_component},
};

use crate::{
    check::tree::{Constant, Expr, ExprKind, GlobalId, Numeric, Program, Storage, Type, visit},
    syntax::{
        ast::BinaryOp,
        builtin::{Scalar, Shape},
    },
};

/// Maximum number of nodes in an evaluation. A value that needs more nodes is not known.
const MOST_STEPS: u32 = 1 << 14;

/// Returns the value of an expression if it is known. `locals` contains the known values of local variables.
///
/// Operations have Direct3D's results: for example, shifts use the lower five bits of their count. The result
/// of an integer division by zero is not known. `static` variables that never change have their initial
/// values. Evaluation is bounded, and a value that would take too long is not known.
pub(crate) fn evaluate(program: &Program, expr: &Expr, locals: &dyn KnownLocals) -> Option<Constant> {
    if let ExprKind::Constant(constant) = &*expr.kind {
        return Some(constant.clone());
    }
    ConstantEvaluator::new(program, locals).value(expr)
}

/// Converts a constant to another numeric type. Returns `None` if the shape cannot be converted.
pub(crate) fn convert_constant(constant: &Constant, to: Numeric) -> Option<Constant> {
    let from = constant.ty;
    let component = |bits: &u64| convert_component(*bits, from.scalar, to.scalar);
    let (rows, columns) = (to.rows(), to.columns());
    let bits = if constant.bits.len() == 1 {
        vec![component(constant.bits.first()?); to.components()]
    } else if from.components() == to.components() {
        constant.bits.iter().map(component).collect()
    } else if matches!((from.shape, to.shape), (Shape::Matrix { .. }, Shape::Matrix { .. })) {
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let place = |(row, column)| {
            let inside = row < from.rows() && column < from.columns();
            constant.bits.get(row * from.columns() + column).filter(|_| inside).map(component)
        };
        places.map(place).collect::<Option<_>>()?
    } else {
        constant.bits.get(..to.components())?.iter().map(component).collect()
    };
    Some(Constant { ty: to, bits })
}

/// Applies an operator to two constants of the same type.
pub(crate) fn binary_constant(op: BinaryOp, a: &Constant, b: &Constant) -> Option<Constant> {
    let ty = match op {
        BinaryOp::Less
        | BinaryOp::Greater
        | BinaryOp::LessEqual
        | BinaryOp::GreaterEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual => a.ty.with(Scalar::Bool),
        _ => a.ty,
    };
    if a.bits.len() != b.bits.len() {
        return None;
    }
    let bits = a.bits.iter().zip(&b.bits).map(|(a_bits, b_bits)| {
        let bits = binary_component(op, *a_bits, *b_bits, a.ty.scalar)?;
        // The result of arithmetic on `bool`s is a `bool` again.
        Some(if ty.scalar == Scalar::Bool { u64::from(bits != 0) } else { bits })
    });
    Some(Constant { ty, bits: bits.collect::<Option<_>>()? })
}

/// A value that need not be numeric.
#[derive(Clone, Copy)]
enum EvaluatedPart<'a> {
    Of(&'a Expr),
    /// A value with the same number in all fields and elements.
    Filled(&'a Expr, &'a Type),
}

impl<'a> EvaluatedPart<'a> {
    fn ty(self) -> &'a Type {
        match self {
            Self::Of(expr) => &expr.ty,
            Self::Filled(_, ty) => ty,
        }
    }
}

struct ConstantEvaluator<'a> {
    program: &'a Program,
    locals: &'a dyn KnownLocals,
    steps: Cell<u32>,
    depth: Cell<u32>,
}

impl<'a> ConstantEvaluator<'a> {
    fn new(program: &'a Program, locals: &'a dyn KnownLocals) -> Self {
        Self { program, locals, steps: Cell::new(MOST_STEPS), depth: Cell::new(0) }
    }

    /// Evaluates a node one level deeper.
    fn deeper<T>(&self, inside: impl FnOnce() -> Option<T>) -> Option<T> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        let depth = self.depth.get();
        if depth == self.program.deepest_evaluation {
            self.program.too_deep.set(true);
            return None;
        }
        self.depth.set(depth + 1);
        let result = inside();
        self.depth.set(depth);
        result
    }

    fn value(&self, expr: &Expr) -> Option<Constant> {
        self.deeper(|| self.value_of(expr))
    }

    fn value_of(&self, expr: &Expr) -> Option<Constant> {
        match &*expr.kind {
            ExprKind::Constant(constant) => Some(constant.clone()),
            ExprKind::Local(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Elements(..)
                if let Some(known) = self.known_root(expr) =>
            {
                self.part_of_local(expr, &known)
            }
            ExprKind::Local(_) => None,
            ExprKind::Global(id) if self.program[*id].value.is_none() => {
                // The variable has no initializer, so its value is zero.
                let ty = expr.ty.numeric().filter(|_| self.is_known(*id))?;
                Some(Constant { ty, bits: vec![0; ty.components()] })
            }
            ExprKind::Global(_) | ExprKind::Field(..) => self.part_value(self.part(expr)?, expr),
            ExprKind::Index(of, index) => match of.ty {
                Type::Numeric(_) => self.component(&self.value(of)?, index),
                _ => self.part_value(self.part(expr)?, expr),
            },
            ExprKind::Swizzle(of, places) => {
                let of = self.value(of)?;
                pick(&of, expr, places.iter().map(|place| usize::from(*place)))
            }
            ExprKind::Elements(of, places) => {
                let (of, columns) = (self.value(of)?, of.ty.numeric()?.columns());
                let place = |(row, column): &(u8, u8)| usize::from(*row) * columns + usize::from(*column);
                pick(&of, expr, places.iter().map(place))
            }
            ExprKind::Negate(of) => self.map(of, negate_component),
            ExprKind::Not(of) => self.map(of, |bits, _| u64::from(bits == 0)),
            ExprKind::Complement(of) => self.map(of, |bits, _| u64::from(!(bits as u32))),
            ExprKind::Binary(op, a, b) => match (self.value(a), self.value(b)) {
                (Some(a), Some(b)) => binary_constant(*op, &a, &b),
                (Some(known), None) => decided(*op, known, b),
                (None, Some(known)) => decided(*op, known, a),
                (None, None) => None,
            },
            ExprKind::Conditional(condition, a, b) => self.conditional(condition, a, b),
            ExprKind::Convert(of) => convert_constant(&self.value(of)?, expr.ty.numeric()?),
            ExprKind::Construct(components) => {
                let ty = expr.ty.numeric()?;
                let mut bits = Vec::with_capacity(ty.components());
                for component in components {
                    bits.extend(self.value(component)?.bits);
                }
                (bits.len() == ty.components()).then_some(Constant { ty, bits })
            }
            ExprKind::Intrinsic(intrinsic, arguments) => {
                let ty = expr.ty.numeric()?;
                let arguments: Option<Vec<_>> =
                    arguments.iter().map(|argument| self.value(argument)).collect();
                evaluate_intrinsic(*intrinsic, &arguments?, ty)
            }
            ExprKind::Error
            | ExprKind::Element { .. }
            | ExprKind::Assign(..)
            | ExprKind::Update(..)
            | ExprKind::Step(..)
            | ExprKind::Comma(..)
            | ExprKind::Call(..)
            | ExprKind::Method(..) => None,
        }
    }

    /// Returns whether a variable always has its initial value.
    fn is_known(&self, id: GlobalId) -> bool {
        let global = &self.program[id];
        global.constant && global.storage == Storage::Static
    }

    fn map(&self, of: &Expr, change: impl Fn(u64, Scalar) -> u64) -> Option<Constant> {
        let mut of = self.value(of)?;
        for bits in &mut of.bits {
            *bits = change(*bits, of.ty.scalar);
        }
        Some(of)
    }

    fn conditional(&self, condition: &Expr, a: &Expr, b: &Expr) -> Option<Constant> {
        let condition = self.value(condition)?;
        if let [bits] = condition.bits[..] {
            let (chosen, other) = if bits != 0 { (a, b) } else { (b, a) };
            return if visit::is_pure(other) { self.value(chosen) } else { None };
        }
        let (a, b) = (self.value(a)?, self.value(b)?);
        let choices = condition.bits.iter().zip(a.bits.iter().zip(&b.bits));
        let bits = choices.map(|(condition, (a, b))| if *condition != 0 { *a } else { *b }).collect();
        Some(Constant { ty: a.ty, bits })
    }

    /// Returns an element of a vector or a row of a matrix.
    fn component(&self, of: &Constant, index: &Expr) -> Option<Constant> {
        let index = usize::try_from(self.value(index)?.as_integer()?).ok()?;
        let (ty, length) = match of.ty.shape {
            Shape::Scalar | Shape::Vector(_) => (Numeric::scalar(of.ty.scalar), 1),
            Shape::Matrix { columns, .. } => (Numeric::vector(of.ty.scalar, columns), columns.into()),
        };
        let start = index.checked_mul(length)?;
        let bits = of.bits.get(start..start.checked_add(length)?)?.to_vec();
        Some(Constant { ty, bits })
    }

    /// Returns the part of an initializer that is the value of a variable, a field or an array element.
    fn part<'e>(&self, expr: &'e Expr) -> Option<EvaluatedPart<'e>>
    where
        'a: 'e,
    {
        self.deeper(|| self.part_of(expr))
    }

    fn part_of<'e>(&self, expr: &'e Expr) -> Option<EvaluatedPart<'e>>
    where
        'a: 'e,
    {
        match &*expr.kind {
            ExprKind::Global(id) => {
                self.part(self.program[*id].value.as_ref().filter(|_| self.is_known(*id))?)
            }
            ExprKind::Field(of, field) => self.inner(self.part(of)?, *field as usize),
            ExprKind::Index(of, index) if matches!(of.ty, Type::Array(_)) => {
                let index = usize::try_from(self.value(index)?.as_integer()?).ok()?;
                self.inner(self.part(of)?, index)
            }
            ExprKind::Convert(of) if expr.ty.numeric().is_none() => {
                (of.ty.numeric()?.components() == 1).then_some(EvaluatedPart::Filled(of, &expr.ty))
            }
            _ => Some(EvaluatedPart::Of(expr)),
        }
    }

    /// Returns a field or an element of a value.
    fn inner<'e>(&self, of: EvaluatedPart<'e>, index: usize) -> Option<EvaluatedPart<'e>>
    where
        'a: 'e,
    {
        match of {
            EvaluatedPart::Of(expr) => match &*expr.kind {
                ExprKind::Construct(parts) => self.part(parts.get(index)?),
                _ => None,
            },
            EvaluatedPart::Filled(value, ty) => {
                let ty = match ty {
                    Type::Array(array) => (index < array.length as usize).then_some(&array.element)?,
                    Type::Struct(id) => &self.program[*id].fields.get(index)?.ty,
                    _ => return None,
                };
                Some(EvaluatedPart::Filled(value, ty))
            }
        }
    }

    fn part_value(&self, part: EvaluatedPart<'_>, whole: &Expr) -> Option<Constant> {
        match part {
            // The expression refers to nothing else, so it is not known.
            EvaluatedPart::Of(expr) if std::ptr::eq(expr, whole) => None,
            EvaluatedPart::Of(expr) => self.value(expr),
            EvaluatedPart::Filled(value, _) => convert_constant(&self.value(value)?, part.ty().numeric()?),
        }
    }
}

/// Returns the result of `&&` or `||` if one operand determines it and the other one has no side effects.
fn decided(op: BinaryOp, known: Constant, other: &Expr) -> Option<Constant> {
    let deciding = match op {
        BinaryOp::LogicalAnd => 0,
        BinaryOp::LogicalOr => 1,
        _ => return None,
    };
    let decides = known.bits.iter().all(|bits| *bits == deciding);
    (decides && visit::is_pure(other)).then_some(known)
}

/// Selects components of a constant. The result has the type of `expr`.
fn pick(of: &Constant, expr: &Expr, places: impl Iterator<Item = usize>) -> Option<Constant> {
    let bits = places.map(|place| of.bits.get(place).copied()).collect::<Option<_>>()?;
    Some(Constant { ty: expr.ty.numeric()?, bits })
}

/// Negates a constant that is not a `bool`.
pub(crate) fn negate_constant(of: &Constant) -> Constant {
    let bits = of.bits.iter().map(|bits| negate_component(*bits, of.ty.scalar)).collect();
    Constant { ty: of.ty, bits }
}
