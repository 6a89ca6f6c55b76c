use crate::{
    check::tree::{Arithmetic, Constant, Expr, ExprKind, Numeric, Step, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::{BinaryOp, UnaryOp},
        builtin::{Scalar, Shape},
    },
};

use super::{
    Checker,
    casts::{cast_place, kept_components},
    convert::{conversion, with_scalar},
    evaluate::{binary_constant, negate_constant},
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum OperatorFamily {
    /// Operands of any numeric type, after the conversion of `bool`s to `int`s.
    Arithmetic,
    /// Operands of any integer type, after the conversion of `bool`s to `int`s.
    Bits,
    /// Integers, of which the left operand alone determines the result type.
    Shift,
    Comparison,
    Logical,
}

fn family(op: BinaryOp) -> OperatorFamily {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo | BinaryOp::Add | BinaryOp::Subtract => {
            OperatorFamily::Arithmetic
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => OperatorFamily::Shift,
        BinaryOp::And | BinaryOp::Xor | BinaryOp::Or => OperatorFamily::Bits,
        BinaryOp::Less
        | BinaryOp::Greater
        | BinaryOp::LessEqual
        | BinaryOp::GreaterEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual => OperatorFamily::Comparison,
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => OperatorFamily::Logical,
    }
}

/// Returns the common shape of two operands, or `None` if their shapes are not compatible.
pub(crate) fn common_shape(a: Numeric, b: Numeric) -> Option<Shape> {
    if a.components() == 1 {
        return Some(b.shape);
    }
    if b.components() == 1 {
        return Some(a.shape);
    }
    let smaller = if a.components() <= b.components() { a.shape } else { b.shape };
    let is_line = |numeric: Numeric| numeric.rows() == 1 || numeric.columns() == 1;
    match (a.shape, b.shape) {
        (Shape::Matrix { .. }, Shape::Matrix { .. }) => {
            let (rows, columns) = (a.rows().min(b.rows()), a.columns().min(b.columns()));
            let inside = |numeric: Numeric| numeric.rows() == rows && numeric.columns() == columns;
            let shape = Shape::Matrix { rows: rows as u8, columns: columns as u8 };
            (inside(a) || inside(b)).then_some(shape)
        }
        (Shape::Matrix { .. }, _) => (a.components() == b.components() || is_line(a)).then_some(smaller),
        (_, Shape::Matrix { .. }) => (a.components() == b.components() || is_line(b)).then_some(smaller),
        _ => Some(smaller),
    }
}

fn no_bool(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Bool { Scalar::Int } else { scalar }
}

/// Returns the comparison that FXC substitutes for `!(a < b)`, although the result differs for NaN.
fn opposite(comparison: BinaryOp) -> Option<BinaryOp> {
    Some(match comparison {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        _ => return None,
    })
}

/// Computes sums and differences of known `int`s, which saturate as in FXC.
fn saturated_sum(op: BinaryOp, a: &Constant, b: &Constant) -> Option<Constant> {
    let ([a_bits], [b_bits]) = (&a.bits[..], &b.bits[..]) else { return None };
    if a.ty.scalar != Scalar::Int {
        return None;
    }
    let (a_value, b_value) = ((*a_bits as u32).cast_signed(), (*b_bits as u32).cast_signed());
    let value = match op {
        BinaryOp::Add => a_value.saturating_add(b_value),
        BinaryOp::Subtract => a_value.saturating_sub(b_value),
        _ => return None,
    };
    Some(Constant { ty: a.ty, bits: vec![value.cast_unsigned().into()] })
}

impl Checker<'_> {
    /// Returns the numeric type of an operand, and reports operands of other types.
    fn operand(&mut self, expr: &Expr) -> Option<Numeric> {
        if let Type::Numeric(numeric) = expr.ty {
            return Some(numeric);
        }
        if !expr.ty.is_error() {
            let message = format!("'{}': scalar, vector, or matrix expected", self.tree.type_name(&expr.ty));
            self.error(Code::NumericExpected, expr.span, message);
        }
        None
    }

    fn integer_operand(&mut self, expr: &Expr) -> Option<Numeric> {
        let integers = expr.ty.numeric().filter(|numeric| !numeric.scalar.is_float());
        if integers.is_none() && !expr.ty.is_error() {
            self.error(Code::IntegerRequired, expr.span, "int or unsigned int type required");
        }
        integers
    }

    /// Returns the common shape of two operands.
    fn shape_of(&mut self, a: Numeric, b: Numeric, span: Span) -> Option<Shape> {
        let shape = common_shape(a, b);
        if shape.is_none() {
            let message = format!("type mismatch: '{}' and '{}' have no common shape", a.name(), b.name());
            self.error(Code::TypeMismatch, span, message);
        }
        shape
    }

    fn operand_type(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Option<Numeric> {
        let family = family(op);
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) && !self.check_comparable(a, b, span) {
            return None;
        }
        let (left, right) = match family {
            OperatorFamily::Bits | OperatorFamily::Shift => {
                (self.integer_operand(a), self.integer_operand(b))
            }
            OperatorFamily::Arithmetic | OperatorFamily::Comparison | OperatorFamily::Logical => {
                (self.operand(a), self.operand(b))
            }
        };
        let (left, right) = (left?, right?);
        let scalar = match family {
            OperatorFamily::Logical => Scalar::Bool,
            OperatorFamily::Shift => no_bool(left.scalar),
            OperatorFamily::Arithmetic | OperatorFamily::Bits | OperatorFamily::Comparison => {
                left.scalar.common(right.scalar)
            }
        };
        Some(Numeric { scalar, shape: self.shape_of(left, right, span)? })
    }

    /// Reports operands that cannot be compared for equality: arrays, structures and objects.
    fn check_comparable(&mut self, a: &Expr, b: &Expr, span: Span) -> bool {
        let is_whole = |expr: &Expr| expr.ty.numeric().is_none() && !expr.ty.is_error();
        let comparable = !is_whole(a) && !is_whole(b);
        if !comparable {
            let message = "type mismatch: only scalars, vectors and matrices can be compared";
            self.error(Code::TypeMismatch, span, message);
        }
        comparable
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        let Some(numeric) = self.operand_type(op, &a, &b, span) else { return Expr::error(span) };
        if !self.check_division(op, numeric, span) {
            return Expr::error(span);
        }
        let ty = Type::Numeric(numeric);
        let (a, b) = (self.convert_implicitly(a, &ty), self.convert_implicitly(b, &ty));
        if a.ty.is_error() || b.ty.is_error() {
            return Expr::error(span);
        }
        if let ExprKind::Constant(divisor) = &*b.kind
            && !self.check_divisor(op, divisor, b.span)
        {
            return Expr::error(span);
        }
        if let (ExprKind::Constant(a), ExprKind::Constant(b)) = (&*a.kind, &*b.kind)
            && let Some(constant) = saturated_sum(op, a, b).or_else(|| binary_constant(op, a, b))
        {
            return Expr::constant(constant, span);
        }
        let ty = if family(op) == OperatorFamily::Comparison {
            Type::Numeric(numeric.with(Scalar::Bool))
        } else {
            ty
        };
        Expr::new(ExprKind::Binary(op, a, b), ty, span)
    }

    /// Reports divisions of signed integers with fewer than 32 bits, and remainders of `double`s. According
    /// to DXC's tests, FXC accepts `/=` and `%=` with these types.
    fn check_division(&mut self, op: BinaryOp, numeric: Numeric, span: Span) -> bool {
        if op == BinaryOp::Modulo && numeric.scalar == Scalar::Double {
            self.error(Code::DoubleModulo, span, "modulo cannot be used with doubles, cast to float first");
            return false;
        }
        let divides = matches!(op, BinaryOp::Divide | BinaryOp::Modulo);
        if !divides || !matches!(numeric.scalar, Scalar::Min16Int | Scalar::Min12Int) {
            return true;
        }
        let message = "signed integer division is not supported on minimum-precision types; cast to int";
        self.error(Code::MinimumPrecisionDivision, span, message);
        false
    }

    /// Reports an integer division by a known zero.
    fn check_divisor(&mut self, op: BinaryOp, divisor: &Constant, span: Span) -> bool {
        let divides = matches!(op, BinaryOp::Divide | BinaryOp::Modulo);
        if !divides || divisor.ty.scalar.is_float() || !divisor.bits.contains(&0) {
            return true;
        }
        self.error(Code::IntegerDivisionByZero, span, "integer divide by zero");
        false
    }

    pub(super) fn unary(&mut self, op: UnaryOp, of: Expr, span: Span) -> Expr {
        let step = match op {
            UnaryOp::PreIncrement => Step::PreIncrement,
            UnaryOp::PreDecrement => Step::PreDecrement,
            UnaryOp::PostIncrement => Step::PostIncrement,
            UnaryOp::PostDecrement => Step::PostDecrement,
            UnaryOp::Plus | UnaryOp::Negate | UnaryOp::Not | UnaryOp::Complement => {
                return self.pure_unary(op, of, span);
            }
        };
        let Some(numeric) = self.operand(&of) else { return Expr::error(span) };
        if numeric.scalar == Scalar::Bool {
            self.error(Code::TypeMismatch, of.span, "operator cannot be used with a bool lvalue");
            return Expr::error(span);
        }
        if !self.check_assignable(&of) {
            return Expr::error(span);
        }
        let ty = of.ty.clone();
        Expr::new(ExprKind::Step(step, of), ty, span)
    }

    fn pure_unary(&mut self, op: UnaryOp, of: Expr, span: Span) -> Expr {
        let is_bits = op == UnaryOp::Complement;
        let numeric = if is_bits { self.integer_operand(&of) } else { self.operand(&of) };
        let Some(numeric) = numeric else { return Expr::error(span) };
        let scalar = if op == UnaryOp::Not { Scalar::Bool } else { no_bool(numeric.scalar) };
        let of = if op == UnaryOp::Plus { of } else { with_scalar(of, scalar) };
        let ty = of.ty.clone();
        let kind = match (op, &*of.kind) {
            (UnaryOp::Negate, ExprKind::Constant(constant)) => {
                return Expr::constant(negate_constant(constant), span);
            }
            (UnaryOp::Negate, _) => ExprKind::Negate(of),
            (UnaryOp::Not, ExprKind::Binary(comparison, a, b))
                if let Some(opposite) = opposite(*comparison) =>
            {
                ExprKind::Binary(opposite, a.clone(), b.clone())
            }
            (UnaryOp::Not, _) => ExprKind::Not(of),
            (UnaryOp::Complement, _) => ExprKind::Complement(of),
            _ => return of,
        };
        Expr::new(kind, ty, span)
    }

    pub(super) fn assign(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        if a.ty.is_error() || b.ty.is_error() {
            return Expr::error(span);
        }
        let b = self.convert_implicitly(b, &a.ty);
        let a = cast_place(a);
        let b = conversion(b, &a.ty);
        let place = kept_components(&self.tree, &a).map_or(&a, |(place, _)| place);
        if !self.check_stored(place) || b.ty.is_error() {
            return Expr::error(span);
        }
        let ty = a.ty.clone();
        Expr::new(ExprKind::Assign(a, b), ty, span)
    }

    pub(super) fn update(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        let Some(numeric) = self.operand_type(op, &a, &b, span) else { return Expr::error(span) };
        let is_bool = a.ty.numeric().is_some_and(|ty| ty.scalar == Scalar::Bool);
        if is_bool {
            self.error(Code::TypeMismatch, a.span, "operator cannot be used with a bool lvalue");
            return Expr::error(span);
        }
        let ty = Type::Numeric(numeric);
        let b = self.convert_implicitly(b, &ty);
        if !self.check_stored(&a) || b.ty.is_error() {
            return Expr::error(span);
        }
        if !self.tree.converts_implicitly(&ty, &a.ty) {
            let message =
                format!("cannot convert from '{}' to '{}'", numeric.name(), self.tree.type_name(&a.ty));
            self.error(Code::CannotConvert, span, message);
            return Expr::error(span);
        }
        self.warn_of_truncation(&Expr::new(ExprKind::Error, ty.clone(), span), &a.ty);
        if let ExprKind::Constant(divisor) = &*b.kind
            && !self.check_divisor(op, divisor, b.span)
        {
            return Expr::error(span);
        }
        let target = a.ty.clone();
        Expr::new(ExprKind::Update(Arithmetic { op, ty }, a, b), target, span)
    }

    /// Returns whether a value can be stored to `to`. Elements of textures and of typed buffers can only be
    /// stored as a whole.
    fn check_stored(&mut self, to: &Expr) -> bool {
        if !self.check_assignable(to) {
            return false;
        }
        let mut place = to;
        let mut written = self.count(&to.ty);
        loop {
            place = match &*place.kind {
                ExprKind::Swizzle(of, _) | ExprKind::Field(of, _) => of,
                ExprKind::Index(of, _) | ExprKind::Elements(of, _) if of.ty.numeric().is_some() => of,
                ExprKind::Element { object, .. } if is_typed(object) => {
                    let whole = self.count(&place.ty);
                    written = whole - written.min(whole);
                    break;
                }
                _ => return true,
            }
        }
        if written > 0 {
            let message = "typed UAV stores must write all declared components";
            self.error(Code::PartialTypedStore, to.span, message);
        }
        written == 0
    }

    pub(super) fn conditional(&mut self, condition: Expr, a: Expr, b: Expr, span: Span) -> Expr {
        if condition.ty.is_error() || a.ty.is_error() || b.ty.is_error() {
            return Expr::error(span);
        }
        let Some(choice) = self.operand(&condition) else { return Expr::error(span) };
        let (Some(left), Some(right)) = (a.ty.numeric(), b.ty.numeric()) else {
            return self.conditional_of_objects(condition, a, b, span);
        };
        let Some(shape) = self.shape_of(left, right, span) else { return Expr::error(span) };
        let scalar = if left.scalar == right.scalar { left.scalar } else { left.scalar.common(right.scalar) };
        let mut numeric = Numeric { scalar, shape };
        if choice.components() > 1 && numeric.components() == 1 {
            numeric.shape = choice.shape;
        }
        let condition_type = match choice.components() {
            1 => Numeric::scalar(Scalar::Bool),
            _ => numeric.with(Scalar::Bool),
        };
        let fits = choice.rows() == numeric.rows() && choice.columns() == numeric.columns();
        if choice.components() > 1 && !fits {
            let message = format!(
                "type mismatch: a condition of type '{}' cannot select between values of type '{}'",
                choice.name(),
                numeric.name()
            );
            self.error(Code::TypeMismatch, condition.span, message);
            return Expr::error(span);
        }
        let ty = Type::Numeric(numeric);
        let condition = conversion(condition, &Type::Numeric(condition_type));
        let (a, b) = (self.convert_implicitly(a, &ty), self.convert_implicitly(b, &ty));
        Expr::new(ExprKind::Conditional(condition, a, b), ty, span)
    }

    /// Checks a conditional expression with structures, arrays or objects, whose sides must have the same
    /// type.
    fn conditional_of_objects(&mut self, condition: Expr, a: Expr, b: Expr, span: Span) -> Expr {
        let is_scalar = condition.ty.numeric().is_some_and(|condition| condition.components() == 1);
        if a.ty != b.ty || !is_scalar || a.ty == Type::Void {
            let message = format!(
                "type mismatch between conditional values: '{}' and '{}'",
                self.tree.type_name(&a.ty),
                self.tree.type_name(&b.ty)
            );
            self.error(Code::TypeMismatch, span, message);
            return Expr::error(span);
        }
        let ty = a.ty.clone();
        Expr::new(ExprKind::Conditional(conversion(condition, &Type::BOOL), a, b), ty, span)
    }
}

/// Returns whether an object is a texture or a typed buffer.
fn is_typed(object: &Expr) -> bool {
    use crate::syntax::builtin::Object::{RovStructuredBuffer, RwStructuredBuffer};
    object.ty.object().is_some_and(|object| !matches!(object.kind, RwStructuredBuffer | RovStructuredBuffer))
}
