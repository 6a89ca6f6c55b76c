//! Which values surely differ between the threads of a group, or between pixels.
//!
//! A value *varies* if it comes from the number of the thread (`SV_DispatchThreadID`, `SV_GroupThreadID`,
//! `SV_GroupIndex`) or from an input of a pixel shader, also through variables, arithmetic and what is read at such a place of a buffer or a texture. All
//! components of it must vary, and a variable varies only if everything that is ever assigned to it does. So what is not
//! known counts as the same in all threads: `SV_GroupID`, constant buffers, memory of the group, results of functions.
//!
//! What depends on nothing but the number of the thread in its group is computed for each thread: `index < 64` is the
//! same in all 64 threads of a group.

use std::cell::Cell;

use crate::{
    hash::HashMap,
    syntax::{
        ast::BinaryOp,
        builtin::{Scalar, Shape},
    },
    tree::{
        Constant, Direction, Expr, ExprKind, Function, Intrinsic, LocalId, Parameter, Program, Semantic,
        StatementKind, Storage, Type, visit,
    },
};

use super::{
    known::{KnownValues, Steps},
    stores::{Assigned, Part, assignments},
};

/// So many times all assignments of a function are looked at. If variables still change, none varies.
const MOST_SWEEPS: u32 = 16;

/// Which components of a value vary, one bit for each. Of what is no scalar and no vector: [`ALL`] or none.
pub(super) type Mask = u8;

const ALL: Mask = 0xff;

/// The mask of a value that varies in all its components.
fn full(ty: &Type) -> Mask {
    match ty.numeric() {
        Some(ty) if ty.components() <= 4 => (1 << ty.components()) - 1,
        _ => ALL,
    }
}

/// A value that varies as a whole, or not at all.
fn whole(varies: bool, ty: &Type) -> Mask {
    if varies { full(ty) } else { 0 }
}

/// What runs side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lanes {
    /// The threads of a group of a size.
    Threads([u32; 3]),
    Pixels,
}

/// A number of the thread, or an input of a pixel shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    InDispatch,
    InGroup,
    Index,
    Pixel,
}

impl Number {
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

    /// Which components differ between the threads of a group of a size.
    fn mask(self, lanes: Lanes, ty: &Type) -> Mask {
        let Lanes::Threads(threads) = lanes else { return full(ty) };
        let mask = match self {
            Self::Pixel => ALL,
            Self::Index => Mask::from(threads.iter().any(|count| *count > 1)),
            Self::InDispatch | Self::InGroup => {
                threads.iter().zip([1, 2, 4]).filter(|(count, _)| **count > 1).map(|(_, bit)| bit).sum()
            }
        };
        mask & full(ty)
    }
}

/// What a value is in all threads of a group.
enum Known {
    Same(Constant),
    Different,
}

/// The values of a function.
pub(super) struct Values<'a> {
    program: &'a Program,
    function: &'a Function,
    lanes: Lanes,
    /// Parameters of the entry point that are numbers of the thread and never change.
    numbers: HashMap<LocalId, Number>,
    is_entry: bool,
    /// By [`LocalId`]: what varies of it.
    masks: Vec<Mask>,
    known: KnownValues<'a>,
}

impl<'a> Values<'a> {
    /// Finds which variables of a function vary. `parameters` says it of its parameters; of those of an entry point
    /// their semantics do.
    pub(super) fn new(
        program: &'a Program,
        function: &'a Function,
        parameters: Option<&[Mask]>,
        lanes: Lanes,
        steps: &'a Steps,
    ) -> Self {
        let is_entry = parameters.is_none();
        let number = |parameter: &Parameter| {
            let is_number = is_entry && !parameter.uniform && function.local(parameter.local).constant;
            Some((parameter.local, Number::of(parameter.semantic.as_ref(), lanes).filter(|_| is_number)?))
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
                    assigned.push(Assigned { local: *local, to: Part::Whole, value: Some(value) });
                }
            });
            visit::statements(&body.statements, &mut |expr| assignments(program, expr, &mut assigned));
            values.settle(parameters.unwrap_or_default(), &assigned);
        }
        values
    }

    /// Finds the most that varies if everything that is assigned does.
    fn settle(&mut self, parameters: &[Mask], assigned: &[Assigned<'_>]) {
        for Assigned { local, .. } in assigned {
            self.keep(*local, ALL, true);
        }
        for (index, parameter) in self.function.parameters.iter().enumerate() {
            let ty = &self.function.local(parameter.local).ty;
            let number = Number::of(parameter.semantic.as_ref(), self.lanes);
            let mask = match number.filter(|_| self.is_entry && parameter.direction != Direction::Out) {
                Some(number) if !parameter.uniform => number.mask(self.lanes, ty),
                _ => parameters.get(index).copied().unwrap_or(0),
            };
            let is_assigned = self.local(parameter.local) != 0;
            self.keep(parameter.local, mask, !is_assigned);
        }
        for _ in 0..MOST_SWEEPS {
            let before = self.masks.clone();
            for Assigned { local, to, value } in assigned {
                let mask = value.map_or(0, |value| self.mask(value));
                let kept = match to {
                    Part::Whole => mask,
                    Part::Components(components) => {
                        let lost = |(index, _): &(usize, &u8)| mask & (1 << index) == 0;
                        let lost = components.iter().enumerate().filter(lost);
                        lost.fold(ALL, |kept, (_, component)| kept & !(1 << component))
                    }
                    Part::Other if value.is_some_and(|value| mask == full(&value.ty)) => ALL,
                    Part::Other => 0,
                };
                self.keep(*local, kept, false);
            }
            if self.masks == before {
                return;
            }
        }
        self.masks.fill(0);
    }

    /// Takes components out of what varies of a variable, or begins with them.
    fn keep(&mut self, local: LocalId, mask: Mask, begins: bool) {
        let full = full(&self.function.local(local).ty);
        if let Some(own) = self.masks.get_mut(local.0 as usize) {
            *own = if begins { mask & full } else { *own & mask };
        }
    }

    fn local(&self, local: LocalId) -> Mask {
        self.masks.get(local.0 as usize).copied().unwrap_or(0)
    }

    /// Whether a condition surely differs between threads.
    pub(super) fn differs(&self, condition: &Expr) -> bool {
        match self.known(condition) {
            Some(Known::Same(_)) => false,
            Some(Known::Different) => true,
            None => self.mask(condition) != 0,
        }
    }

    /// Which components of an argument surely vary.
    pub(super) fn argument(&self, argument: &Expr) -> Mask {
        let is_scalar = argument.ty.numeric().is_some_and(|ty| ty.components() == 1);
        if is_scalar { Mask::from(self.differs(argument)) } else { self.mask(argument) }
    }

    /// The value of a condition, if it is one for all threads.
    pub(super) fn known_condition(&self, condition: &Expr) -> Option<bool> {
        match self.known(condition)? {
            Known::Same(value) => Some(*value.bits.first()? != 0),
            Known::Different => None,
        }
    }

    /// Computes a value for each thread, if it depends on nothing but its number in the group.
    fn known(&self, expr: &Expr) -> Option<Known> {
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
            })?;
            if first.get_or_insert_with(|| value.clone()) != &value {
                return Some(Known::Different);
            }
            if !uses_thread.get() {
                break;
            }
        }
        first.map(Known::Same)
    }

    /// The value of a parameter that is a number in the group.
    fn number_of_thread(&self, local: LocalId, thread: u32) -> Option<Constant> {
        let (number, ty) = (*self.numbers.get(&local)?, self.function.local(local).ty.numeric()?);
        let Lanes::Threads([x, y, _]) = self.lanes else { return None };
        let numbers = match number {
            Number::Index => [thread, 0, 0],
            Number::InGroup => [thread % x, thread / x % y, thread / x / y],
            Number::InDispatch | Number::Pixel => return None,
        };
        let bits: Vec<_> = numbers.iter().take(ty.components()).map(|bits| u64::from(*bits)).collect();
        let is_known = matches!(ty.scalar, Scalar::Int | Scalar::Uint) && bits.len() == ty.components();
        is_known.then_some(Constant { ty, bits })
    }

    /// The number that a field of a parameter of the entry point is.
    fn number_of_field(&self, of: &Expr, field: u32) -> Option<Number> {
        let (ExprKind::Local(local), Type::Struct(id)) = (&*of.kind, &of.ty) else { return None };
        // Parameters are the first variables.
        let is_parameter = self.is_entry && (local.0 as usize) < self.function.parameters.len();
        if !is_parameter || !self.function.local(*local).constant {
            return None;
        }
        Number::of(self.program[*id].fields.get(field as usize)?.semantic.as_ref(), self.lanes)
    }

    /// Which components of a value surely vary.
    fn mask(&self, expr: &Expr) -> Mask {
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

    fn element(&self, expr: &Expr, of: &Expr, index: &Expr) -> Mask {
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

    /// What varies of an operation. What a number that is known may take away from a value is not sure to vary.
    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Mask {
        let is_sure = match op {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr => true,
            // Numbers of threads are integers, and may all be below the other one.
            BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual
                if a.ty.numeric().is_some_and(|ty| ty.scalar.is_float()) =>
            {
                true
            }
            _ => !self.is_fixed(a) && !self.is_fixed(b),
        };
        let is_scalar = |part: &Expr| part.ty.numeric().is_some_and(|ty| ty.components() == 1);
        let mask = |part: &Expr, other: &Expr| {
            let mask = self.mask(part);
            if is_scalar(part) && !is_scalar(other) { whole(mask != 0, &other.ty) } else { mask }
        };
        let mask = mask(a, b) | mask(b, a);
        if is_sure { mask } else { 0 }
    }

    /// Whether the compiler may know a value.
    fn is_fixed(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Convert(of) => self.is_fixed(of),
            ExprKind::Local(local) => {
                self.known.value(*local).is_some_and(|value| matches!(*value.kind, ExprKind::Constant(_)))
            }
            ExprKind::Global(global) => {
                let global = &self.program[*global];
                global.storage == Storage::Static && global.constant
            }
            _ => false,
        }
    }

    fn construct(&self, expr: &Expr, parts: &[Expr]) -> Mask {
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

/// Whether two values are known and differ in all components.
fn are_different(a: &Expr, b: &Expr) -> bool {
    let (ExprKind::Constant(a), ExprKind::Constant(b)) = (&*a.kind, &*b.kind) else { return false };
    a.bits.iter().zip(&b.bits).all(|(a, b)| a != b)
}
