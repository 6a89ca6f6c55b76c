//! Expressions.

use naga::{BinaryOperator, Statement, UnaryOperator};

use crate::{
    check::tree::{Constant, Expr, ExprKind, LocalId, Numeric, Program, Step, Storage, Type, visit},
    interface::bindings::object_count,
    lower::{
        builder::{Builder, LocalStorage},
        lowerer::MOST_EXPRESSIONS,
        objects::site,
        result::{Lowered, LoweringFailed, Value, naga_span},
    },
    session::{code::Code, source::Span},
    syntax::{
        ast::BinaryOp,
        builtin::{Scalar, Shape},
    },
};

impl Builder<'_, '_> {
    /// Runs `lower` one level deeper, and checks the limits of depth and program size.
    pub(super) fn deeper<T>(
        &mut self,
        span: Span,
        lower: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        if self.lowerer.depth >= self.lowerer.session.limits.lowering {
            return Err(self.lowerer.too_deep(span));
        }
        if self.lowerer.size >= MOST_EXPRESSIONS {
            return Err(self.error(
                Code::LimitExceeded,
                span,
                "the program is too big after loops are unrolled and functions are taken apart",
            ));
        }
        self.lowerer.depth += 1;
        self.lowerer.size += 1;
        let outer = std::mem::replace(&mut self.span, naga_span(span));
        let result = lower(self);
        self.span = outer;
        self.lowerer.depth -= 1;
        result
    }

    /// Lowers an expression and returns its value.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Lowered<Value> {
        self.deeper(expr.span, |builder| {
            if expr.ty.numeric().is_some()
                && let Some(known) = builder.known(expr)
            {
                return Ok(builder.constant(&known));
            }
            match &*expr.kind {
                ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Swizzle(..)
                | ExprKind::Elements(..)
                | ExprKind::Element { .. } => {
                    let place = builder.place(expr)?;
                    builder.load_place(&place, expr.span)
                }
                _ => builder.value(expr),
            }
        })
    }

    /// Lowers an expression whose value is not used.
    pub(super) fn effect(&mut self, expr: &Expr) -> Lowered<()> {
        self.deeper(expr.span, |builder| match &*expr.kind {
            ExprKind::Call(function, arguments) => {
                builder.call(*function, arguments, expr.span, site(expr)).map(|_| ())
            }
            ExprKind::Intrinsic(which, arguments) => {
                let result = builder.intrinsic(*which, arguments, &expr.ty, expr.span).map(|_| ());
                builder.forget_targets(expr);
                result
            }
            ExprKind::Method(method, object, arguments) => {
                let result = builder.method(*method, object, arguments, &expr.ty, expr.span).map(|_| ());
                builder.forget_targets(expr);
                result
            }
            ExprKind::Comma(first, second) => {
                builder.effect(first)?;
                builder.effect(second)
            }
            ExprKind::Convert(inner) => builder.effect(inner),
            ExprKind::Assign(target, value) => builder.assignment(target, value).map(|_| ()),
            // The value contains only objects, so nothing is computed at run time.
            _ if !builder.lowerer.has_data(&expr.ty) => Ok(()),
            _ => builder.expr(expr).map(|_| ()),
        })
    }

    /// Lowers an expression that does not refer to a place.
    pub(super) fn value(&mut self, expr: &Expr) -> Lowered<Value> {
        match &*expr.kind {
            ExprKind::Error => Err(LoweringFailed),
            ExprKind::Constant(constant) => Ok(self.constant(constant)),
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Elements(..)
            | ExprKind::Element { .. } => self.expr(expr),
            ExprKind::Negate(operand) => self.negate(operand),
            ExprKind::Not(operand) => self.unary_by_rows(operand, UnaryOperator::LogicalNot),
            ExprKind::Complement(operand) => self.unary_by_rows(operand, UnaryOperator::BitwiseNot),
            ExprKind::Binary(op, left, right) => {
                let ty = self.numeric_of(left)?;
                let known = self.known(right);
                self.check_divisor(*op, ty, known.as_ref(), expr.span)?;
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                self.arithmetic(*op, ty, left, right, known.as_ref())
            }
            ExprKind::Conditional(condition, accept, reject) => {
                self.conditional(expr, condition, accept, reject)
            }
            ExprKind::Assign(target, value) => {
                let Some(value) = self.assignment(target, value)? else {
                    return Err(self.unsupported(expr.span, "the value of an assignment of an object"));
                };
                Ok(value)
            }
            ExprKind::Update(arithmetic, target, value) => {
                let Some(operands) = arithmetic.ty.numeric() else {
                    return Err(self.unsupported(expr.span, "an operator of what is not numeric"));
                };
                self.check_target(target)?;
                let ty = self.numeric_of(target)?;
                let known = self.known_update(expr);
                let known_value = self.known(value);
                self.check_divisor(arithmetic.op, operands, known_value.as_ref(), expr.span)?;
                let value = self.expr(value)?;
                let place = self.place(target)?;
                let old = self.load_place(&place, expr.span)?;
                let old = self.convert(old, ty, operands);
                let new = self.arithmetic(arithmetic.op, operands, old, value, known_value.as_ref())?;
                let new = self.convert(new, operands, ty);
                self.store_place(&place, new, expr.span)?;
                self.remember(target, known);
                Ok(new)
            }
            ExprKind::Step(step, target) => self.step(expr, *step, target),
            ExprKind::Comma(first, second) => {
                self.effect(first)?;
                if object_count(self.lowerer.program, &expr.ty) > 0 {
                    self.evaluated.insert(site(expr));
                }
                self.expr(second)
            }
            ExprKind::Convert(inner) => self.conversion(inner, &expr.ty, expr.span),
            ExprKind::Construct(parts) => self.construct(parts, &expr.ty, expr.span),
            ExprKind::Call(function, arguments) => {
                let value = self.call(*function, arguments, expr.span, site(expr))?;
                self.some(value, expr.span)
            }
            ExprKind::Intrinsic(which, arguments) => {
                let value = self.intrinsic(*which, arguments, &expr.ty, expr.span)?;
                self.forget_targets(expr);
                self.some(value, expr.span)
            }
            ExprKind::Method(method, object, arguments) => {
                let value = self.method(*method, object, arguments, &expr.ty, expr.span)?;
                self.forget_targets(expr);
                self.some(value, expr.span)
            }
        }
    }

    fn some(&mut self, value: Option<Value>, span: Span) -> Lowered<Value> {
        match value {
            Some(value) => Ok(value),
            None => Err(self.unsupported(span, "the value of a call that gives nothing")),
        }
    }

    /// Refuses an integer division by a known zero.
    fn check_divisor(
        &mut self,
        op: BinaryOp,
        ty: Numeric,
        divisor: Option<&Constant>,
        span: Span,
    ) -> Lowered<()> {
        let is_integer = super::types::naga_scalar(ty.scalar).kind != naga::ScalarKind::Float;
        let divides = is_integer && matches!(op, BinaryOp::Divide | BinaryOp::Modulo);
        if divides && divisor.is_some_and(|divisor| divisor.bits.contains(&0)) {
            return Err(self.error(Code::IntegerDivisionByZero, span, "integer divide by zero"));
        }
        Ok(())
    }

    /// Returns the numeric type of an expression.
    pub(crate) fn numeric_of(&mut self, expr: &Expr) -> Lowered<Numeric> {
        match &expr.ty {
            Type::Numeric(numeric) => Ok(*numeric),
            Type::Error => Err(LoweringFailed),
            _ => Err(self.unsupported(expr.span, "an operator of what is not numeric")),
        }
    }

    fn unary_by_rows(&mut self, operand: &Expr, op: UnaryOperator) -> Lowered<Value> {
        let ty = self.numeric_of(operand)?;
        let value = self.expr(operand)?;
        let rows = self.by_rows(ty, &[value], |builder, parts| builder.unary(op, parts[0]));
        Ok(self.join_rows(ty, rows))
    }

    fn negate(&mut self, operand: &Expr) -> Lowered<Value> {
        let ty = self.numeric_of(operand)?;
        if super::types::naga_scalar(ty.scalar).kind != naga::ScalarKind::Uint {
            return self.unary_by_rows(operand, UnaryOperator::Negate);
        }
        let value = self.expr(operand)?;
        let zero = self.constant(&Constant { ty, bits: vec![0; ty.components()] });
        self.arithmetic(BinaryOp::Subtract, ty, zero, value, None)
    }

    fn conditional(&mut self, expr: &Expr, condition: &Expr, accept: &Expr, reject: &Expr) -> Lowered<Value> {
        if condition.ty.numeric().is_some_and(|ty| ty.components() == 1)
            && let Some(known) = self.known(condition)
        {
            let is_accepted = known.bits.first().is_some_and(|bits| *bits != 0);
            let (chosen, other) = if is_accepted { (accept, reject) } else { (reject, accept) };
            // Both sides are evaluated for any condition, so a side with side effects cannot be dropped.
            if visit::is_pure(other) {
                return self.expr(chosen);
            }
        }
        let condition_ty = self.numeric_of(condition)?;
        let condition = self.expr(condition)?;
        let accept = self.expr(accept)?;
        let reject = self.expr(reject)?;
        if let Some(ty) = expr.ty.numeric() {
            let is_one = condition_ty.components() == 1;
            let condition = if is_one { self.components(condition, condition_ty)[0] } else { condition };
            if is_one {
                let rows = self.by_rows(ty, &[accept, reject], |builder, parts| {
                    builder.select(condition, parts[0], parts[1])
                });
                return Ok(self.join_rows(ty, rows));
            }
            let rows = self.by_rows(ty, &[condition, accept, reject], |builder, parts| {
                builder.select(parts[0], parts[1], parts[2])
            });
            return Ok(self.join_rows(ty, rows));
        }
        let ty = self.ty(&expr.ty, expr.span)?;
        let result = self.variable("chosen", ty);
        let accept = self.block(|builder| {
            builder.store(result, accept);
            Ok(())
        })?;
        let reject = self.block(|builder| {
            builder.store(result, reject);
            Ok(())
        })?;
        self.push(Statement::If { condition, accept, reject });
        Ok(self.load(result))
    }

    /// Lowers an assignment. Returns its value, or `None` if the value contains only objects.
    fn assignment(&mut self, target: &Expr, value: &Expr) -> Lowered<Option<Value>> {
        if !self.lowerer.has_data(&target.ty) {
            self.bind_objects(target, value)?;
            return Ok(None);
        }
        self.check_target(target)?;
        let known = self.known_partly(value);
        let data = self.expr(value)?;
        self.bind_objects(target, value)?;
        match &*target.kind {
            ExprKind::Convert(_) => self.assign_components(target, data)?,
            _ => self.assign(target, data)?,
        }
        self.remember(target, known);
        Ok(Some(data))
    }

    /// Refuses a store to a vector component whose index is uniform but unknown, because unrolling cannot
    /// make it known. Vectors in arrays are an exception. FXC has the same rule.
    fn check_target(&mut self, target: &Expr) -> Lowered<()> {
        let (ExprKind::Index(of, _) | ExprKind::Field(of, _)) = &*target.kind else { return Ok(()) };
        let ExprKind::Index(_, index) = &*target.kind else { return self.check_target(of) };
        let mut is_element = false;
        visit::expressions(of, &mut |part| is_element |= matches!(*part.kind, ExprKind::Index(..)));
        let is_vector =
            !is_element && matches!(of.ty.numeric(), Some(Numeric { shape: Shape::Vector(_), .. }));
        let is_variable = match *visit::root(of).kind {
            ExprKind::Local(_) => true,
            ExprKind::Global(id) => self.lowerer.program[id].storage != Storage::GroupShared,
            _ => false,
        };
        let mut varies = false;
        visit::expressions(index, &mut |part| varies |= !is_uniform_part(self.lowerer.program, part));
        if is_vector && is_variable && !varies && self.known(index).is_none() {
            let message = "a component of a vector cannot be stored to by an index that is not known: compare the \
                           index with each number, or use an array";
            return Err(self.error(Code::NotAddressable, index.span, message));
        }
        Ok(())
    }

    fn step(&mut self, expr: &Expr, step: Step, target: &Expr) -> Lowered<Value> {
        self.check_target(target)?;
        let ty = self.numeric_of(target)?;
        // A `bool` is incremented as an integer.
        let counted = if ty.scalar == Scalar::Bool { ty.with(Scalar::Int) } else { ty };
        let one = if super::types::naga_scalar(counted.scalar).kind == naga::ScalarKind::Float {
            Constant::float(1.0)
        } else {
            Constant::int(1)
        };
        let one_ty = one.ty;
        let known = self.known_update(expr);
        let place = self.place(target)?;
        let old = self.load_place(&place, expr.span)?;
        let number = self.convert(old, ty, counted);
        let one = self.constant(&one);
        let one = self.convert(one, one_ty, counted);
        let op = match step {
            Step::PreIncrement | Step::PostIncrement => BinaryOperator::Add,
            Step::PreDecrement | Step::PostDecrement => BinaryOperator::Subtract,
        };
        let rows =
            self.by_rows(counted, &[number, one], |builder, parts| builder.binary(op, parts[0], parts[1]));
        let new = self.join_rows(counted, rows);
        let new = self.convert(new, counted, ty);
        self.store_place(&place, new, expr.span)?;
        self.remember(target, known);
        Ok(match step {
            Step::PreIncrement | Step::PreDecrement => new,
            Step::PostIncrement | Step::PostDecrement => old,
        })
    }

    /// Adds the memory of a local variable at its first use.
    pub(super) fn declare(&mut self, local: LocalId, expr: &Expr) -> Lowered<Value> {
        let name = self.source.map(|source| self.lowerer.program[source].local(local).name.clone());
        let ty = self.ty(&expr.ty, expr.span)?;
        let pointer = self.variable(name.as_deref().unwrap_or("variable"), ty);
        self.locals.insert(local, LocalStorage::Pointer(pointer));
        Ok(pointer)
    }
}

/// Returns whether an expression, apart from its operands, has the same value in all threads and iterations.
fn is_uniform_part(program: &Program, part: &Expr) -> bool {
    match *part.kind {
        ExprKind::Global(id) => matches!(program[id].storage, Storage::Uniform { .. }),
        ExprKind::Constant(_)
        | ExprKind::Field(..)
        | ExprKind::Index(..)
        | ExprKind::Swizzle(..)
        | ExprKind::Elements(..)
        | ExprKind::Negate(_)
        | ExprKind::Binary(..)
        | ExprKind::Convert(_) => true,
        _ => false,
    }
}
