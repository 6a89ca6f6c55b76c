//! Powers whose base may be negative.
//!
//! `pow` of a negative base returns NaN, unless the exponent is a known whole number. The analysis searches
//! for a proof that the base is not negative, through variables, parameters and results of functions. Every
//! assignment to a variable counts, regardless of its position.

use std::rc::Rc;

use crate::{
    check::{
        evaluate,
        tree::{
            Constant, Direction, Expr, ExprKind, Function, FunctionId, Intrinsic, LocalId, Norm, Program,
            StatementKind, Step, Storage, Type, visit,
        },
    },
    interface::bindings::Usage,
    session::{Session, code::Code, hash::HashMap},
    syntax::{ast::BinaryOp, builtin::Scalar},
};

/// Maximum number of values that are examined in a program. If it is exceeded, nothing more is reported.
const MOST_STEPS: u32 = 1 << 18;

/// Warns of powers whose base is not proven to be at least 0.
pub(super) fn check(session: &mut Session, program: &Program, usage: &Usage) {
    let mut powers = Vec::new();
    for id in &usage.functions {
        let Some(body) = &program[*id].body else { continue };
        visit::statements(&body.statements, &mut |expr| {
            if let ExprKind::Intrinsic(Intrinsic::Pow, arguments) = &*expr.kind
                && let [base, exponent] = &arguments[..]
                && !is_whole(program, exponent)
            {
                powers.push((*id, base, expr.span));
            }
        });
    }
    if powers.is_empty() {
        return;
    }
    let mut signs = Signs::new(program, usage);
    for (function, base, span) in powers {
        if !signs.bounds(function, base).not_negative {
            let message = "pow(f, e) will not work for negative f, use abs(f) or conditionally handle negative values if you \
                           expect them";
            session.warn(Code::NegativePower, span, message);
        }
    }
}

/// Returns whether an exponent is a known whole number. Such powers are computed by multiplications.
fn is_whole(program: &Program, exponent: &Expr) -> bool {
    let Some(known) = evaluate(program, exponent, &|_| None) else { return false };
    known.ty.scalar.is_float() && numbers(&known).all(|number| number.fract() == 0.0)
}

/// Returns the components of a constant as numbers.
fn numbers(constant: &Constant) -> impl Iterator<Item = f64> {
    let scalar = constant.ty.scalar;
    constant.bits.iter().map(move |bits| match scalar {
        Scalar::Double => f64::from_bits(*bits),
        _ if scalar.is_float() => f64::from(f32::from_bits(*bits as u32)),
        _ if scalar.is_unsigned() || scalar == Scalar::Bool => f64::from(*bits as u32),
        _ => f64::from((*bits as u32).cast_signed()),
    })
}

/// Facts that are true for all components of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ValueBounds {
    not_negative: bool,
    at_most_one: bool,
}

impl ValueBounds {
    const NONE: Self = Self { not_negative: false, at_most_one: false };
    const POSITIVE: Self = Self { not_negative: true, at_most_one: false };
    const UNIT: Self = Self { not_negative: true, at_most_one: true };

    fn and(self, other: Self) -> Self {
        Self {
            not_negative: self.not_negative && other.not_negative,
            at_most_one: self.at_most_one && other.at_most_one,
        }
    }

    fn is_unit(self) -> bool {
        self == Self::UNIT
    }
}

/// A store to a variable or to a part of it.
struct Write<'a> {
    /// The path of fields to the part.
    path: Vec<u32>,
    stored: Stored<'a>,
}

#[derive(Clone, Copy)]
enum Stored<'a> {
    Value(&'a Expr),
    /// A value that is added to the old value, or that the old value is multiplied or divided by.
    Accumulated(&'a Expr),
    /// The old value plus 1.
    Incremented,
    /// An unknown value.
    Unknown,
}

type Writes<'a> = HashMap<LocalId, Vec<Write<'a>>>;

struct Signs<'a> {
    program: &'a Program,
    roots: Vec<FunctionId>,
    /// For each function, the stores to its variables.
    writes: HashMap<FunctionId, Rc<Writes<'a>>>,
    /// For each function, its calls in functions that the entry point reaches, with their callers.
    calls: HashMap<FunctionId, Vec<(FunctionId, &'a [Expr])>>,
    /// The known bounds of variables and results. An entry is optimistic while the variable's own stores are
    /// evaluated, so that `x = x * 0.5` proves itself.
    locals: HashMap<(FunctionId, LocalId, Vec<u32>), ValueBounds>,
    results: HashMap<FunctionId, ValueBounds>,
    steps: u32,
}

impl<'a> Signs<'a> {
    fn new(program: &'a Program, usage: &Usage) -> Self {
        let mut calls: HashMap<FunctionId, Vec<(FunctionId, &'a [Expr])>> = HashMap::default();
        for id in &usage.functions {
            let Some(body) = &program[*id].body else { continue };
            visit::statements(&body.statements, &mut |expr| {
                if let ExprKind::Call(callee, arguments) = &*expr.kind {
                    calls.entry(*callee).or_default().push((*id, arguments));
                }
            });
        }
        let (locals, results) = (HashMap::default(), HashMap::default());
        Self {
            program,
            roots: usage.roots.clone(),
            writes: HashMap::default(),
            calls,
            locals,
            results,
            steps: MOST_STEPS,
        }
    }

    fn bounds(&mut self, function: FunctionId, expr: &Expr) -> ValueBounds {
        let Some(steps) = self.steps.checked_sub(1) else { return ValueBounds::UNIT };
        self.steps = steps;
        let found = self.bounds_of(function, expr);
        match expr.ty.numeric() {
            Some(ty) if ty.scalar == Scalar::Bool => ValueBounds::UNIT,
            Some(ty) if ty.scalar.is_unsigned() => ValueBounds { not_negative: true, ..found },
            _ => found,
        }
    }

    fn bounds_of(&mut self, function: FunctionId, expr: &Expr) -> ValueBounds {
        match &*expr.kind {
            ExprKind::Constant(constant) => ValueBounds {
                not_negative: numbers(constant).all(|number| number >= 0.0),
                at_most_one: numbers(constant).all(|number| number <= 1.0),
            },
            ExprKind::Local(_) | ExprKind::Field(..) => match path(expr) {
                Some((local, path)) => self.local(function, local, path),
                None => ValueBounds::NONE,
            },
            ExprKind::Global(id) => {
                let global = &self.program[*id];
                match (&global.storage, &global.value) {
                    (Storage::Static, Some(value)) if global.constant => self.bounds(function, value),
                    // Assignments to such variables are not analysed.
                    (Storage::Static, _) => ValueBounds::UNIT,
                    _ => ValueBounds::NONE,
                }
            }
            ExprKind::Index(of, _) | ExprKind::Swizzle(of, _) | ExprKind::Elements(of, _) => {
                self.bounds(function, of)
            }
            ExprKind::Element { object, .. } => texel(&object.ty),
            ExprKind::Binary(op, a, b) => self.binary(function, *op, a, b),
            ExprKind::Conditional(_, a, b) => self.bounds(function, a).and(self.bounds(function, b)),
            ExprKind::Assign(_, value) | ExprKind::Comma(_, value) => self.bounds(function, value),
            ExprKind::Convert(of) if of.ty.numeric().is_some() => self.bounds(function, of),
            ExprKind::Construct(parts) => self.all(function, parts),
            ExprKind::Call(callee, _) => self.result(*callee),
            ExprKind::Intrinsic(which, arguments) => self.intrinsic(function, *which, arguments),
            ExprKind::Method(method, object, _) if method.name().starts_with("Sample") => {
                if method.name().starts_with("SampleCmp") { ValueBounds::UNIT } else { texel(&object.ty) }
            }
            _ => ValueBounds::NONE,
        }
    }

    fn all(&mut self, function: FunctionId, parts: &[Expr]) -> ValueBounds {
        parts.iter().fold(ValueBounds::UNIT, |all, part| all.and(self.bounds(function, part)))
    }

    fn binary(&mut self, function: FunctionId, op: BinaryOp, a: &Expr, b: &Expr) -> ValueBounds {
        let (left, right) = (self.bounds(function, a), self.bounds(function, b));
        let both = left.and(right);
        match op {
            BinaryOp::Multiply if is_same(a, b) => ValueBounds { not_negative: true, ..left },
            BinaryOp::Multiply if both.is_unit() => ValueBounds::UNIT,
            BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Divide => {
                ValueBounds { not_negative: both.not_negative, at_most_one: false }
            }
            // A value such as `1 - x` is not negative if `x` is at most 1.
            BinaryOp::Subtract => {
                let is_from_one = match &*a.kind {
                    ExprKind::Constant(constant) => numbers(constant).all(|number| number >= 1.0),
                    _ => false,
                };
                ValueBounds {
                    not_negative: is_from_one && right.at_most_one,
                    at_most_one: left.at_most_one && right.not_negative,
                }
            }
            BinaryOp::Modulo => ValueBounds { not_negative: left.not_negative, at_most_one: false },
            BinaryOp::And => {
                ValueBounds { not_negative: left.not_negative || right.not_negative, at_most_one: false }
            }
            BinaryOp::ShiftRight => ValueBounds { not_negative: left.not_negative, at_most_one: false },
            _ => ValueBounds::NONE,
        }
    }

    fn intrinsic(&mut self, function: FunctionId, which: Intrinsic, arguments: &[Expr]) -> ValueBounds {
        use Intrinsic as I;
        match (which, arguments) {
            (I::Saturate | I::SmoothStep | I::Step | I::Frac, _) => ValueBounds::UNIT,
            (
                I::Abs
                | I::Sqrt
                | I::Exp
                | I::Exp2
                | I::Length
                | I::Distance
                | I::Rsqrt
                | I::Pow
                | I::Fwidth
                | I::Acos
                | I::Cosh,
                _,
            ) => ValueBounds::POSITIVE,
            (I::Sin | I::Cos | I::Tanh, _) => ValueBounds { not_negative: false, at_most_one: true },
            (I::Normalize, [x]) => {
                ValueBounds { not_negative: self.bounds(function, x).not_negative, at_most_one: true }
            }
            (I::Floor | I::Ceil | I::Round | I::Trunc | I::Sign, [x]) => self.bounds(function, x),
            (I::Degrees | I::Radians | I::Rcp | I::Sinh, [x]) => {
                ValueBounds { not_negative: self.bounds(function, x).not_negative, at_most_one: false }
            }
            (I::Max, [a, b]) => {
                let (a, b) = (self.bounds(function, a), self.bounds(function, b));
                ValueBounds {
                    not_negative: a.not_negative || b.not_negative,
                    at_most_one: a.at_most_one && b.at_most_one,
                }
            }
            (I::Min, [a, b]) => {
                let (a, b) = (self.bounds(function, a), self.bounds(function, b));
                ValueBounds {
                    not_negative: a.not_negative && b.not_negative,
                    at_most_one: a.at_most_one || b.at_most_one,
                }
            }
            (I::Clamp, [_, least, most]) => ValueBounds {
                not_negative: self.bounds(function, least).not_negative,
                at_most_one: self.bounds(function, most).at_most_one,
            },
            (I::Lerp, [a, b, s]) if self.bounds(function, s).is_unit() => {
                self.bounds(function, a).and(self.bounds(function, b))
            }
            (I::Dot, [a, b]) if is_same(a, b) => ValueBounds::POSITIVE,
            (I::Mad, [a, b, c]) if is_same(a, b) => {
                ValueBounds { not_negative: self.bounds(function, c).not_negative, at_most_one: false }
            }
            (I::Dot | I::Mul | I::Mad | I::Fmod, _) => {
                ValueBounds { not_negative: self.all(function, arguments).not_negative, at_most_one: false }
            }
            _ => ValueBounds::NONE,
        }
    }

    /// Returns the bounds of a variable or of a field in it.
    fn local(&mut self, function: FunctionId, local: LocalId, path: Vec<u32>) -> ValueBounds {
        let key = (function, local, path);
        if let Some(known) = self.locals.get(&key) {
            return *known;
        }
        self.locals.insert(key.clone(), ValueBounds::UNIT);
        let mut bounds = self.parameter(function, local);
        let writes = self.writes(function);
        for write in writes.get(&local).into_iter().flatten() {
            let touches = write.path.iter().zip(&key.2).all(|(one, other)| one == other);
            if touches {
                bounds = bounds.and(self.stored(function, write.stored));
            }
        }
        self.locals.insert(key, bounds);
        bounds
    }

    fn stored(&mut self, function: FunctionId, stored: Stored<'_>) -> ValueBounds {
        match stored {
            Stored::Value(value) => self.bounds(function, value),
            Stored::Accumulated(value) => ValueBounds { at_most_one: false, ..self.bounds(function, value) },
            Stored::Incremented => ValueBounds::POSITIVE,
            Stored::Unknown => ValueBounds::NONE,
        }
    }

    /// Returns the bounds of a variable's initial value. For a parameter, all its arguments count.
    fn parameter(&mut self, function: FunctionId, local: LocalId) -> ValueBounds {
        let source = &self.program[function];
        let index = source.parameters.iter().position(|parameter| parameter.local == local);
        let Some(index) = index.filter(|index| source.parameters[*index].direction != Direction::Out) else {
            return ValueBounds::UNIT;
        };
        if self.roots.contains(&function) {
            return ValueBounds::NONE;
        }
        let calls = self.calls.get(&function).cloned().unwrap_or_default();
        calls.iter().fold(ValueBounds::UNIT, |all, (caller, arguments)| {
            all.and(arguments.get(index).map_or(ValueBounds::NONE, |argument| self.bounds(*caller, argument)))
        })
    }

    /// Returns the bounds of a function's result.
    fn result(&mut self, function: FunctionId) -> ValueBounds {
        if let Some(known) = self.results.get(&function) {
            return *known;
        }
        self.results.insert(function, ValueBounds::UNIT);
        let program = self.program;
        let Some(body) = &program[function].body else { return ValueBounds::NONE };
        let mut values = Vec::new();
        visit::nested_statements(&body.statements, &mut |statement| {
            if let StatementKind::Return(Some(value)) = &statement.kind {
                values.push(value);
            }
        });
        let bounds =
            values.into_iter().fold(ValueBounds::UNIT, |all, value| all.and(self.bounds(function, value)));
        self.results.insert(function, bounds);
        bounds
    }

    fn writes(&mut self, function: FunctionId) -> Rc<Writes<'a>> {
        if let Some(writes) = self.writes.get(&function) {
            return writes.clone();
        }
        let writes = Rc::new(writes_in(self.program, &self.program[function]));
        self.writes.insert(function, writes.clone());
        writes
    }
}

/// Returns the stores of a function to its variables.
fn writes_in<'a>(program: &Program, function: &'a Function) -> Writes<'a> {
    let mut writes = Writes::default();
    let Some(body) = &function.body else { return writes };
    visit::nested_statements(&body.statements, &mut |statement| {
        if let StatementKind::Declare(local, Some(value)) = &statement.kind {
            writes.entry(*local).or_default().push(Write { path: Vec::new(), stored: Stored::Value(value) });
        }
    });
    visit::statements(&body.statements, &mut |expr| {
        let stored = match &*expr.kind {
            ExprKind::Assign(_, value) => Stored::Value(value),
            ExprKind::Update(arithmetic, _, value)
                if matches!(arithmetic.op, BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Divide) =>
            {
                Stored::Accumulated(value)
            }
            ExprKind::Step(Step::PreIncrement | Step::PostIncrement, _) => Stored::Incremented,
            _ => Stored::Unknown,
        };
        visit::targets(program, expr, &mut |target| {
            let ExprKind::Local(local) = *visit::root(target).kind else { return };
            let path = path(target).map(|(_, path)| path).unwrap_or_default();
            writes.entry(local).or_default().push(Write { path, stored });
        });
    });
    writes
}

/// Returns the variable that an expression is part of, and the path of fields up to the first index or
/// component.
fn path(expr: &Expr) -> Option<(LocalId, Vec<u32>)> {
    match &*expr.kind {
        ExprKind::Local(local) => Some((*local, Vec::new())),
        ExprKind::Field(of, field) => {
            let (local, mut path) = path(of)?;
            if !matches!(*of.kind, ExprKind::Index(..)) {
                path.push(*field);
            }
            Some((local, path))
        }
        ExprKind::Index(of, _)
        | ExprKind::Swizzle(of, _)
        | ExprKind::Elements(of, _)
        | ExprKind::Convert(of) => path(of),
        _ => None,
    }
}

/// Returns the bounds of the elements of a texture or buffer.
fn texel(object: &Type) -> ValueBounds {
    match object.object().and_then(|object| object.norm) {
        Some(Norm::Unorm) => ValueBounds::UNIT,
        _ => ValueBounds::NONE,
    }
}

/// Returns whether two expressions are the same variable, constant or operation on the same operands.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&*a.kind, &*b.kind) {
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
        (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
        (ExprKind::Field(a, one), ExprKind::Field(b, other)) => one == other && is_same(a, b),
        (ExprKind::Swizzle(a, one), ExprKind::Swizzle(b, other)) => one == other && is_same(a, b),
        (ExprKind::Index(a, one), ExprKind::Index(b, other)) => is_same(one, other) && is_same(a, b),
        (ExprKind::Convert(one), ExprKind::Convert(other)) => a.ty == b.ty && is_same(one, other),
        (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) => {
            op == other && is_same(a, c) && is_same(b, d)
        }
        _ => false,
    }
}
