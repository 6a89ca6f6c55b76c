//! Values that certainly differ between the threads of a group, or between pixels.
//!
//! A value *varies* if it comes from a thread number (`SV_DispatchThreadID`, `SV_GroupThreadID` or
//! `SV_GroupIndex`) or from an input of a pixel shader. It may pass through variables, arithmetic, and reads
//! of buffers and textures at a varying place. All components must vary, and a variable varies only if every
//! value that is assigned to it does. Unknown values count as uniform: `SV_GroupID`, constant buffers,
//! `groupshared` memory, and results of functions.
//!
//! An operation such as `i < n`, `on && i == 0` or `i * n` may have a uniform result for some values of the
//! other operand. The result varies for certain only if the other operand also varies or is *open*. An open
//! value comes from a constant buffer or other memory, so no compiler can know it. A parameter of a function
//! other than the entry point is not open, because FXC replaces it with the call's argument.
//!
//! A value that depends only on the thread's number in its group is computed for each thread. For example,
//! `index < 64` is the same in all 64 threads of a group.

use std::cell::Cell;

use crate::{
    check::tree::{
        Constant, Direction, Expr, ExprKind, Function, Intrinsic, LocalId, Loop, Parameter, Program,
        Semantic, StatementKind, Storage, Type, visit,
    },
    session::hash::HashMap,
    syntax::{
        ast::BinaryOp,
        builtin::{Scalar, Shape},
    },
};

use super::{
    known::{KnownValues, StepBudget},
    stores::{StoredPart, VariableStore, assignments},
};

/// Maximum number of passes over the assignments of a function. If variables still change, none is assumed to
/// vary.
const MOST_SWEEPS: u32 = 16;

/// The varying components of a value, with one bit each. For other types than scalars and vectors, the mask
/// is [`ALL`] or 0.
pub(super) type VaryingMask = u8;

const ALL: VaryingMask = 0xff;

/// Returns the mask of a value whose components all vary.
fn full(ty: &Type) -> VaryingMask {
    match ty.numeric() {
        Some(ty) if ty.components() <= 4 => (1 << ty.components()) - 1,
        _ => ALL,
    }
}

/// Returns the mask of a value that varies completely or not at all.
fn whole(varies: bool, ty: &Type) -> VaryingMask {
    if varies { full(ty) } else { 0 }
}

/// The invocations that are compared with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lanes {
    /// The threads of a group, whose size is given.
    Threads([u32; 3]),
    Pixels,
}

/// A thread number, or an input of a pixel shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ThreadNumber {
    InDispatch,
    InGroup,
    Index,
    Pixel,
}

impl ThreadNumber {
    fn of(semantic: Option<&Semantic>, lanes: Lanes) -> Option<Self> {
        let name = &semantic?.name;
        if lanes == Lanes::Pixels {
            return Some(Self::Pixel);
        }
        let numbers = [
            ("SV_DispatchThreadID", Self::InDispatch),
            ("SV_GroupThreadID", Self::InGroup),
            ("SV_GroupIndex", Self::Index),
        ];
        numbers.iter().find(|(number, _)| name.eq_ignore_ascii_case(number)).map(|(_, number)| *number)
    }

    /// Returns the components that differ between the threads of a group.
    fn mask(self, lanes: Lanes, ty: &Type) -> VaryingMask {
        let Lanes::Threads(threads) = lanes else { return full(ty) };
        let mask = match self {
            Self::Pixel => ALL,
            Self::Index => VaryingMask::from(threads.iter().any(|count| *count > 1)),
            Self::InDispatch | Self::InGroup => {
                threads.iter().zip([1, 2, 4]).filter(|(count, _)| **count > 1).map(|(_, bit)| bit).sum()
            }
        };
        mask & full(ty)
    }
}

/// The values of an expression in the threads of a group.
enum Uniformity {
    Same(Constant),
    Different,
    /// Computing the values would take too long.
    TooLong,
}

/// The varying values of a function.
pub(super) struct VaryingValues<'a> {
    program: &'a Program,
    function: &'a Function,
    lanes: Lanes,
    /// The parameters of the entry point that are thread numbers and never change.
    numbers: HashMap<LocalId, ThreadNumber>,
    is_entry: bool,
    /// For each [`LocalId`], the varying components.
    masks: Vec<VaryingMask>,
    known: KnownValues<'a>,
}

impl<'a> VaryingValues<'a> {
    /// Finds the varying variables of a function. `parameters` contains the masks of its parameters. It is
    /// `None` for the entry point, whose parameters have semantics instead.
    pub(super) fn new(
        program: &'a Program,
        function: &'a Function,
        parameters: Option<&[VaryingMask]>,
        lanes: Lanes,
        steps: &'a StepBudget,
    ) -> Self {
        let is_entry = parameters.is_none();
        let number = |parameter: &Parameter| {
            let is_number = is_entry && !parameter.uniform && function.local(parameter.local).constant;
            Some((
                parameter.local,
                ThreadNumber::of(parameter.semantic.as_ref(), lanes).filter(|_| is_number)?,
            ))
        };
        let mut values = Self {
            program,
            function,
            lanes,
            numbers: function.parameters.iter().filter_map(number).collect(),
            is_entry,
            masks: vec![0; function.locals.len()],
            known: KnownValues::new(program, function, steps),
        };
        if let Some(body) = &function.body {
            let mut assigned = Vec::new();
            visit::nested_statements(&body.statements, &mut |statement| {
                if let StatementKind::Declare(local, Some(value)) = &statement.kind {
                    assigned.push(VariableStore { local: *local, to: StoredPart::Whole, value: Some(value) });
                }
            });
            visit::statements(&body.statements, &mut |expr| assignments(program, expr, &mut assigned));
            values.settle(parameters.unwrap_or_default(), &assigned);
        }
        values
    }

    /// Assumes that all assigned variables vary, and removes components until the assignments agree.
    fn settle(&mut self, parameters: &[VaryingMask], assigned: &[VariableStore<'_>]) {
        for VariableStore { local, .. } in assigned {
            self.keep(*local, ALL, true);
        }
        for (index, parameter) in self.function.parameters.iter().enumerate() {
            let ty = &self.function.local(parameter.local).ty;
            let number = ThreadNumber::of(parameter.semantic.as_ref(), self.lanes);
            let mask = match number.filter(|_| self.is_entry && parameter.direction != Direction::Out) {
                Some(number) if !parameter.uniform => number.mask(self.lanes, ty),
                _ => parameters.get(index).copied().unwrap_or(0),
            };
            let is_assigned = self.local(parameter.local) != 0;
            self.keep(parameter.local, mask, !is_assigned);
        }
        for _ in 0..MOST_SWEEPS {
            let before = self.masks.clone();
            for VariableStore { local, to, value } in assigned {
                let mask = value.map_or(0, |value| self.mask(value));
                let kept = match to {
                    StoredPart::Whole => mask,
                    StoredPart::Components(components) => {
                        let lost = |(index, _): &(usize, &u8)| mask & (1 << index) == 0;
                        let lost = components.iter().enumerate().filter(lost);
                        lost.fold(ALL, |kept, (_, component)| kept & !(1 << component))
                    }
                    StoredPart::Other if value.is_some_and(|value| mask == full(&value.ty)) => ALL,
                    StoredPart::Other => 0,
                };
                self.keep(*local, kept, false);
            }
            if self.masks == before {
                return;
            }
        }
        self.masks.fill(0);
    }

    /// Removes components from the mask of a variable. If `begins` is set, replaces the mask.
    fn keep(&mut self, local: LocalId, mask: VaryingMask, begins: bool) {
        let full = full(&self.function.local(local).ty);
        if let Some(own) = self.masks.get_mut(local.0 as usize) {
            *own = if begins { mask & full } else { *own & mask };
        }
    }

    fn local(&self, local: LocalId) -> VaryingMask {
        self.masks.get(local.0 as usize).copied().unwrap_or(0)
    }

    /// Returns whether a condition certainly differs between threads.
    pub(super) fn differs(&self, condition: &Expr) -> bool {
        match self.known(condition) {
            Some(Uniformity::Same(_) | Uniformity::TooLong) => false,
            Some(Uniformity::Different) => true,
            None => self.mask(condition) != 0,
        }
    }

    /// Returns the components of an argument that certainly vary.
    pub(super) fn argument(&self, argument: &Expr) -> VaryingMask {
        let is_scalar = argument.ty.numeric().is_some_and(|ty| ty.components() == 1);
        if is_scalar { VaryingMask::from(self.differs(argument)) } else { self.mask(argument) }
    }

    /// Returns the value of a condition if it is known and the same in all threads.
    pub(super) fn known_condition(&self, condition: &Expr) -> Option<bool> {
        match self.known(condition)? {
            Uniformity::Same(value) => Some(*value.bits.first()? != 0),
            Uniformity::Different | Uniformity::TooLong => None,
        }
    }

    /// Returns whether the iterations of a loop can be counted: the condition compares a uniform variable
    /// with a known value, and the loop changes this variable by known values.
    pub(super) fn is_countable(&self, part: &Loop) -> bool {
        let Some(ExprKind::Binary(op, a, b)) = part.condition.as_ref().map(|condition| &*condition.kind)
        else {
            return false;
        };
        let is_known = |value: &Expr| matches!(self.known(value), Some(Uniformity::Same(_)));
        let counter = match (counter(a), counter(b)) {
            (Some(counter), _) if is_known(b) => counter,
            (_, Some(counter)) if is_known(a) => counter,
            _ => return false,
        };
        let mut is_stepped = false;
        visit::loop_rounds(part, &mut |expr| match &*expr.kind {
            ExprKind::Step(_, of) => is_stepped |= self::counter(of) == Some(counter),
            ExprKind::Update(_, of, by) => is_stepped |= self::counter(of) == Some(counter) && is_known(by),
            _ => {}
        });
        is_comparison(*op) && is_stepped && self.local(counter) == 0
    }

    /// Computes the value of an expression in each thread, if it depends only on the thread's number in the
    /// group.
    fn known(&self, expr: &Expr) -> Option<Uniformity> {
        let count = match self.lanes {
            Lanes::Threads(counts) => {
                counts.iter().fold(1_u32, |product, count| product.saturating_mul(*count))
            }
            Lanes::Pixels => 1,
        };
        let mut first = None;
        for thread in 0..count {
            let uses_thread = Cell::new(false);
            let value = self.known.evaluate(expr, &|local| {
                uses_thread.set(true);
                self.number_of_thread(local, thread)
            });
            let Ok(value) = value else { return Some(Uniformity::TooLong) };
            let value = value?;
            if first.get_or_insert_with(|| value.clone()) != &value {
                return Some(Uniformity::Different);
            }
            if !uses_thread.get() {
                break;
            }
        }
        first.map(Uniformity::Same)
    }

    /// Returns the value of a parameter that is a thread number in the group.
    fn number_of_thread(&self, local: LocalId, thread: u32) -> Option<Constant> {
        let (number, ty) = (*self.numbers.get(&local)?, self.function.local(local).ty.numeric()?);
        let Lanes::Threads([x, y, _]) = self.lanes else { return None };
        let numbers = match number {
            ThreadNumber::Index => [thread, 0, 0],
            ThreadNumber::InGroup => [thread % x, thread / x % y, thread / x / y],
            ThreadNumber::InDispatch | ThreadNumber::Pixel => return None,
        };
        let bits: Vec<_> = numbers.iter().take(ty.components()).map(|bits| u64::from(*bits)).collect();
        let is_known = matches!(ty.scalar, Scalar::Int | Scalar::Uint) && bits.len() == ty.components();
        is_known.then_some(Constant { ty, bits })
    }

    /// Returns the thread number that a field of an entry point parameter contains.
    fn number_of_field(&self, of: &Expr, field: u32) -> Option<ThreadNumber> {
        let (ExprKind::Local(local), Type::Struct(id)) = (&*of.kind, &of.ty) else { return None };
        // The parameters are the first local variables.
        let is_parameter = self.is_entry && (local.0 as usize) < self.function.parameters.len();
        if !is_parameter || !self.function.local(*local).constant {
            return None;
        }
        ThreadNumber::of(self.program[*id].fields.get(field as usize)?.semantic.as_ref(), self.lanes)
    }

    /// Returns the components of an expression that certainly vary.
    fn mask(&self, expr: &Expr) -> VaryingMask {
        let is_whole = |part: &Expr| self.mask(part) == full(&part.ty);
        match &*expr.kind {
            ExprKind::Local(local) => match self.numbers.get(local) {
                Some(number) => number.mask(self.lanes, &expr.ty),
                None => self.local(*local),
            },
            ExprKind::Field(of, field) => match self.number_of_field(of, *field) {
                Some(number) => number.mask(self.lanes, &expr.ty),
                None => whole(is_whole(of), &expr.ty),
            },
            ExprKind::Index(of, index) => self.element(expr, of, index),
            ExprKind::Swizzle(of, components) => {
                let mask = self.mask(of);
                let bit = |component: &u8| (mask >> component) & 1;
                components.iter().rev().fold(0, |taken, component| taken << 1 | bit(component))
            }
            ExprKind::Elements(of, _) => whole(is_whole(of), &expr.ty),
            ExprKind::Element { place, .. } => whole(self.mask(place) != 0, &expr.ty),
            ExprKind::Negate(of) | ExprKind::Not(of) | ExprKind::Complement(of) | ExprKind::Step(_, of) => {
                self.mask(of)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Update(arithmetic, target, value) => self.binary(arithmetic.op, target, value),
            ExprKind::Conditional(condition, a, b) => {
                if is_whole(condition) && are_different(a, b) {
                    full(&expr.ty)
                } else {
                    self.mask(a) & self.mask(b)
                }
            }
            ExprKind::Assign(_, value) | ExprKind::Comma(_, value) => self.mask(value),
            ExprKind::Convert(of) => match (of.ty.numeric(), expr.ty.numeric()) {
                (Some(from), Some(to)) if from.components() > 1 && to.components() <= 4 => {
                    if from.components() <= 4 {
                        self.mask(of) & full(&expr.ty)
                    } else {
                        whole(is_whole(of), &expr.ty)
                    }
                }
                _ => whole(is_whole(of), &expr.ty),
            },
            ExprKind::Construct(parts) => self.construct(expr, parts),
            ExprKind::Intrinsic(Intrinsic::Any | Intrinsic::All, parts) => {
                whole(parts.iter().all(is_whole), &expr.ty)
            }
            ExprKind::Intrinsic(
                Intrinsic::Abs | Intrinsic::AsFloat | Intrinsic::AsInt | Intrinsic::AsUint,
                parts,
            ) => match &parts[..] {
                [of] => self.mask(of),
                _ => 0,
            },
            ExprKind::Method(method, _, arguments) if method.name().starts_with("Load") => {
                whole(arguments.first().is_some_and(|place| self.mask(place) != 0), &expr.ty)
            }
            _ => 0,
        }
    }

    fn element(&self, expr: &Expr, of: &Expr, index: &Expr) -> VaryingMask {
        let mask = self.mask(of);
        let is_vector =
            of.ty.numeric().is_some_and(|ty| matches!(ty.shape, Shape::Scalar | Shape::Vector(_)));
        if let (true, ExprKind::Constant(index)) = (is_vector, &*index.kind) {
            let component = index.as_integer().and_then(|index| u32::try_from(index).ok());
            return component.and_then(|component| mask.checked_shr(component)).unwrap_or(0) & 1;
        }
        let is_uniform = matches!(
            *visit::root(of).kind,
            ExprKind::Global(global) if matches!(self.program[global].storage, Storage::Uniform { .. })
        );
        let varies = mask == full(&of.ty) || (is_uniform && !is_vector && self.mask(index) != 0);
        whole(varies, &expr.ty)
    }

    /// Returns the varying components of an operation's result.
    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> VaryingMask {
        let is_scalar = |part: &Expr| part.ty.numeric().is_some_and(|ty| ty.components() == 1);
        let spread = |mask: VaryingMask, part: &Expr, other: &Expr| {
            if is_scalar(part) && !is_scalar(other) { whole(mask != 0, &other.ty) } else { mask }
        };
        let (of_a, of_b) = (self.mask(a), self.mask(b));
        let is_sure = match (of_a != 0, of_b != 0) {
            (false, false) => return 0,
            (true, true) => true,
            (true, false) => self.keeps(op, b),
            (false, true) => self.keeps(op, a),
        };
        if is_sure { spread(of_a, a, b) | spread(of_b, b, a) } else { 0 }
    }

    /// Returns whether a varying operand makes the result of an operation vary although the other operand
    /// does not vary.
    fn keeps(&self, op: BinaryOp, other: &Expr) -> bool {
        let is_float = other.ty.numeric().is_some_and(|ty| ty.scalar.is_float());
        match op {
            BinaryOp::Add | BinaryOp::Subtract => true,
            // No compiler knows the inputs of pixels.
            _ if is_comparison(op) && self.lanes == Lanes::Pixels => true,
            BinaryOp::Equal | BinaryOp::NotEqual => {
                is_literal(other) || self.is_changed(other) || self.is_open(other)
            }
            // Thread numbers are integers and may all be less than the other operand.
            _ if is_comparison(op) && is_float => is_literal(other) || self.is_open(other),
            _ => self.is_open(other),
        }
    }

    /// Returns whether an expression is a variable that changes, such as a loop counter, and not a parameter.
    fn is_changed(&self, expr: &Expr) -> bool {
        counter(expr).is_some_and(|local| {
            (local.0 as usize) >= self.function.parameters.len() && !self.function.local(local).constant
        })
    }

    /// Returns whether no compiler can know a value, because it comes from memory or from a parameter of the
    /// entry point.
    fn is_open(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Convert(of)
            | ExprKind::Swizzle(of, _)
            | ExprKind::Field(of, _)
            | ExprKind::Index(of, _)
            | ExprKind::Elements(of, _)
            | ExprKind::Negate(of)
            | ExprKind::Not(of)
            | ExprKind::Complement(of) => self.is_open(of),
            ExprKind::Global(global) => self.program[*global].storage != Storage::Static,
            ExprKind::Local(local) => {
                // The parameters are the first local variables.
                let is_parameter = (local.0 as usize) < self.function.parameters.len();
                (is_parameter && self.is_entry && self.function.local(*local).constant)
                    || self.known.value(*local).is_some_and(|value| self.is_open(value))
            }
            ExprKind::Element { .. } | ExprKind::Method(..) => true,
            ExprKind::Binary(op, a, b) => {
                let may_take_away = matches!(
                    op,
                    BinaryOp::Multiply
                        | BinaryOp::Modulo
                        | BinaryOp::And
                        | BinaryOp::LogicalAnd
                        | BinaryOp::LogicalOr
                );
                let (open_a, open_b) = (self.is_open(a), self.is_open(b));
                let is_kept = |is_open: bool, other_is_open: bool, other: &Expr| {
                    is_open && (!may_take_away || other_is_open || (is_literal(other) && !is_zero(other)))
                };
                is_kept(open_a, open_b, b) || is_kept(open_b, open_a, a)
            }
            _ => false,
        }
    }

    fn construct(&self, expr: &Expr, parts: &[Expr]) -> VaryingMask {
        if full(&expr.ty) == ALL {
            return whole(parts.iter().all(|part| self.mask(part) == full(&part.ty)), &expr.ty);
        }
        let (mut mask, mut count) = (0, 0);
        for part in parts {
            mask |= self.mask(part).checked_shl(count).unwrap_or(0);
            count += part.ty.numeric().map_or(0, |ty| ty.components() as u32);
        }
        mask & full(&expr.ty)
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::Greater
            | BinaryOp::LessEqual
            | BinaryOp::GreaterEqual
    )
}

/// Returns the variable that an expression refers to, possibly through conversions.
fn counter(expr: &Expr) -> Option<LocalId> {
    match &*expr.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Convert(of) => counter(of),
        _ => None,
    }
}

fn is_literal(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Convert(of) => is_literal(of),
        _ => false,
    }
}

/// Returns whether a component of a literal is zero.
fn is_zero(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Constant(value) => value.bits.contains(&0),
        ExprKind::Convert(of) => is_zero(of),
        _ => false,
    }
}

/// Returns whether two values are known and all their components differ.
fn are_different(a: &Expr, b: &Expr) -> bool {
    let (ExprKind::Constant(a), ExprKind::Constant(b)) = (&*a.kind, &*b.kind) else { return false };
    a.bits.iter().zip(&b.bits).all(|(a, b)| a != b)
}
