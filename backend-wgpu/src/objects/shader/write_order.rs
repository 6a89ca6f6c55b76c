//! A pixel shader's accesses to its writable variables, and whether two draws may run in either order.
//!
//! In Direct3D 11 each draw sees the writes of all earlier draws. wgpu orders nothing within a render pass,
//! so the encoder ends the pass between two draws if the second one reads or overwrites the first one's
//! writes. Ending a pass is expensive. Shaders that only count or append need no new pass, because atomics
//! are indivisible in any order, and a position that an atomic returned belongs to one thread.

use std::collections::HashMap;

use naga::{
    AtomicFunction, Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement,
};
use onze_ddi::ShaderCode;

use super::rewrite::{calls::inner_blocks, variables::root};

/// A shader's accesses to a variable that it can write.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum VariableTouch {
    /// No access, or only reads.
    #[default]
    Reads,
    /// Atomics, and stores at positions that an atomic returned. Each bit is one kind of access.
    Counts(u16),
    /// Stores at other positions, or a mixture of the other variants.
    Writes,
}

impl VariableTouch {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Counts(some), Self::Counts(others)) => Self::Counts(some | others),
            (Self::Reads, Self::Reads) => Self::Reads,
            (_, _) => Self::Writes,
        }
    }

    /// Returns whether two draws with these accesses to the same part may run in either order. Two sums
    /// commute, but a sum and a maximum do not.
    pub(crate) fn commutes_with(self, other: Self) -> bool {
        self == other && self != Self::Writes
    }
}

/// The bit in [`VariableTouch::Counts`] for a store at a position that an atomic returned.
const APPENDS: u16 = 1;

/// Returns the bit of an atomic function. Addition and subtraction share a bit because they commute.
const fn bit(function: &AtomicFunction) -> u16 {
    match function {
        AtomicFunction::Add | AtomicFunction::Subtract => 1 << 1,
        AtomicFunction::And => 1 << 2,
        AtomicFunction::ExclusiveOr => 1 << 3,
        AtomicFunction::InclusiveOr => 1 << 4,
        AtomicFunction::Min => 1 << 5,
        AtomicFunction::Max => 1 << 6,
        AtomicFunction::Exchange { compare: None } => 1 << 7,
        AtomicFunction::Exchange { compare: Some(_) } => 1 << 8,
    }
}

/// Returns a shader's accesses to its `u` slots, followed by those to their counters, in the order of the
/// reflection.
pub(crate) fn touches(code: &ShaderCode) -> Box<[VariableTouch]> {
    let reflection = &code.reflection;
    if !reflection.writes_views() {
        return Box::default();
    }
    let found = VariableTouches::of(&code.module);
    let slots = reflection.unordered_access.iter().map(|slot| slot.binding);
    let counters = reflection.counters.iter().map(|counter| counter.binding);
    slots.chain(counters).map(|variable| found.0.get(&variable).copied().unwrap_or_default()).collect()
}

/// The accesses that were found in a module, by variable.
#[derive(Debug, Default)]
struct VariableTouches(HashMap<Handle<GlobalVariable>, VariableTouch>);

impl VariableTouches {
    fn of(module: &Module) -> Self {
        let mut touches = Self::default();
        // In naga, functions precede their callers.
        let mut counting = Vec::new();
        for (handle, function) in module.functions.iter() {
            if touches.look(function, &counting) {
                counting.push(handle);
            }
        }
        for entry in &module.entry_points {
            touches.look(&entry.function, &counting);
        }
        touches
    }

    fn add(&mut self, variable: Option<Handle<GlobalVariable>>, touch: VariableTouch) {
        if let Some(variable) = variable {
            self.0.entry(variable).and_modify(|known| *known = known.and(touch)).or_insert(touch);
        }
    }

    /// Records the accesses of a function, and returns whether all its return values come from atomics.
    /// `counting` lists the earlier functions with this property.
    fn look(&mut self, function: &Function, counting: &[Handle<Function>]) -> bool {
        let counts = AtomicCounts::of(function, counting);
        for (_, expression) in function.expressions.iter() {
            match expression {
                Expression::Load { pointer } => self.add(root(function, *pointer), VariableTouch::Reads),
                Expression::ImageLoad { image, .. } => self.add(root(function, *image), VariableTouch::Reads),
                _ => {}
            }
        }
        let mut returned = ReturnedValue::default();
        self.walk(function, &function.body, &counts, &mut returned);
        returned == ReturnedValue::Counts
    }

    fn walk(
        &mut self,
        function: &Function,
        block: &Block,
        counts: &AtomicCounts<'_>,
        returned: &mut ReturnedValue,
    ) {
        for statement in block.iter() {
            match statement {
                Statement::Store { pointer, .. } => {
                    let touch = if counts.place(*pointer) {
                        VariableTouch::Counts(APPENDS)
                    } else {
                        VariableTouch::Writes
                    };
                    self.add(root(function, *pointer), touch);
                }
                Statement::ImageStore { image, coordinate, array_index, .. } => {
                    let is_own = counts.value(*coordinate) || array_index.is_some_and(|at| counts.value(at));
                    let touch = if is_own { VariableTouch::Counts(APPENDS) } else { VariableTouch::Writes };
                    self.add(root(function, *image), touch);
                }
                Statement::Atomic { pointer, fun, .. } => {
                    self.add(root(function, *pointer), VariableTouch::Counts(bit(fun)));
                }
                Statement::ImageAtomic { image, fun, .. } => {
                    self.add(root(function, *image), VariableTouch::Counts(bit(fun)));
                }
                // The callee may access the variable in any way, because the analysis does not follow
                // arguments.
                Statement::Call { arguments, .. } => {
                    arguments
                        .iter()
                        .for_each(|given| self.add(root(function, *given), VariableTouch::Writes));
                }
                Statement::Return { value } => {
                    returned.add(value.is_some_and(|value| counts.value(value)));
                }
                _ => {}
            }
            inner_blocks(statement).for_each(|block| self.walk(function, block, counts, returned));
        }
    }
}

/// The origin of a function's return values.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum ReturnedValue {
    #[default]
    Nothing,
    /// All return values come from atomics.
    Counts,
    Other,
}

impl ReturnedValue {
    fn add(&mut self, counts: bool) {
        *self = match (*self, counts) {
            (Self::Nothing | Self::Counts, true) => Self::Counts,
            (_, _) => Self::Other,
        };
    }
}

/// The values of a function that come from an atomic's result.
struct AtomicCounts<'a> {
    function: &'a Function,
    counting: &'a [Handle<Function>],
    /// Variables that only receive such values.
    locals: Vec<Handle<LocalVariable>>,
}

impl<'a> AtomicCounts<'a> {
    fn of(function: &'a Function, counting: &'a [Handle<Function>]) -> Self {
        let mut counts = Self { function, counting, locals: Vec::new() };
        // The loop repeats because a variable may receive the value of another variable.
        loop {
            let known = counts.locals.len();
            let mut stored = HashMap::new();
            counts.note_stores(&function.body, &mut stored);
            counts.locals = stored.into_iter().filter_map(|(local, all)| all.then_some(local)).collect();
            if counts.locals.len() <= known {
                return counts;
            }
        }
    }

    /// Records for each variable without an initial value whether all stored values come from atomics.
    fn note_stores(&self, block: &Block, stored: &mut HashMap<Handle<LocalVariable>, bool>) {
        for statement in block.iter() {
            if let Statement::Store { pointer, value } = statement
                && let Expression::LocalVariable(local) = self.function.expressions[*pointer]
                && self.function.local_variables[local].init.is_none()
            {
                let all = stored.entry(local).or_insert(true);
                *all &= self.value(*value);
            }
            inner_blocks(statement).for_each(|block| self.note_stores(block, stored));
        }
    }

    /// Returns whether a pointer leads to an element whose index comes from an atomic.
    fn place(&self, pointer: Handle<Expression>) -> bool {
        match self.function.expressions[pointer] {
            Expression::Access { base, index } => self.value(index) || self.place(base),
            Expression::AccessIndex { base, .. } => self.place(base),
            _ => false,
        }
    }

    /// Returns whether a value comes from an atomic's result.
    fn value(&self, expression: Handle<Expression>) -> bool {
        match self.function.expressions[expression] {
            Expression::AtomicResult { .. } => true,
            Expression::CallResult(function) => self.counting.contains(&function),
            Expression::Binary { left, right, .. } => self.value(left) || self.value(right),
            Expression::Unary { expr, .. }
            | Expression::As { expr, .. }
            | Expression::Splat { value: expr, .. }
            | Expression::AccessIndex { base: expr, .. } => self.value(expr),
            Expression::Math { arg, arg1, .. } => self.value(arg) || arg1.is_some_and(|arg| self.value(arg)),
            Expression::Compose { ref components, .. } => components.iter().any(|part| self.value(*part)),
            Expression::Load { pointer } => match self.function.expressions[pointer] {
                Expression::LocalVariable(local) => self.locals.contains(&local),
                _ => false,
            },
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    /// Returns the accesses of a pixel shader with this body to `items` and `count`.
    fn touch(body: &str) -> [VariableTouch; 2] {
        let source = format!(
            "struct Item {{ value: u32, next: u32 }}
            @group(3) @binding(1) var<storage, read_write> items: array<Item>;
            @group(3) @binding(2) var<storage, read_write> count: array<atomic<u32>, 4>;
            fn next() -> u32 {{ return atomicAdd(&count[0], 1u) + 2u; }}
            fn sometimes(at: u32) -> u32 {{ if at == 3u {{ return at; }} return atomicAdd(&count[0], 1u); }}
            @fragment fn main(@builtin(position) at: vec4f) {{
                let pixel = u32(at.x);
                _ = arrayLength(&items) + atomicAdd(&count[1], 1u);
                {body}
            }}"
        );
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        let found = VariableTouches::of(&module);
        ["items", "count"].map(|name| {
            let (variable, _) =
                module.global_variables.iter().find(|(_, v)| v.name.as_deref() == Some(name)).unwrap();
            found.0.get(&variable).copied().unwrap_or_default()
        })
    }

    #[test]
    fn a_store_at_a_position_from_an_atomic_appends() {
        use VariableTouch::{Reads, Writes};
        const APPENDED: VariableTouch = VariableTouch::Counts(APPENDS);
        for (body, expected) in [
            ("", Reads),
            ("_ = items[pixel].value;", Reads),
            ("items[pixel].value = 1u;", Writes),
            ("items[next()].value = 1u;", APPENDED),
            ("items[sometimes(pixel)].value = 1u;", Writes),
            ("items[4u * pixel + next()] = Item(1u, 2u);", APPENDED),
            ("let i = next(); if i < 4u { items[i].value = 1u; items[i].next = pixel; }", APPENDED),
            ("var i: u32; i = next(); items[i].value = 1u;", APPENDED),
            ("var i: u32; i = next(); i = pixel; items[i].value = 1u;", Writes),
            ("var i = 3u; items[i].value = 1u; i = next();", Writes),
            ("items[next()].value = items[pixel].value;", Writes),
            ("items[min(next(), 3u)].value = 1u;", APPENDED),
            ("items[select(pixel, 3u, pixel == 1u)].value = 1u;", Writes),
        ] {
            assert_eq!(touch(body), [expected, VariableTouch::Counts(1 << 1)], "{body}");
        }
        assert_eq!(touch("_ = atomicLoad(&count[2]);")[1], Writes, "it is read and counted");
        assert_eq!(touch("atomicMax(&count[2], pixel);")[1], VariableTouch::Counts(1 << 1 | 1 << 6));
    }

    #[test]
    fn only_accesses_without_an_order_commute() {
        use VariableTouch::{Counts, Reads, Writes};
        for (a, b, commutes) in [
            (Reads, Reads, true),
            (Counts(2), Counts(2), true),
            (Counts(2), Counts(6), false),
            (Writes, Writes, false),
            (Reads, Counts(2), false),
            (Counts(2), Writes, false),
            (Writes, Reads, false),
        ] {
            assert_eq!(a.commutes_with(b), commutes, "{a:?}, {b:?}");
            assert_eq!(b.commutes_with(a), commutes, "{b:?}, {a:?}");
        }
    }
}
