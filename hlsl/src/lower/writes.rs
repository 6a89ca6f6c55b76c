//! The components of values that the program writes.
//!
//! Direct3D 11's signatures contain only written outputs: a render target that no statement assigns to keeps
//! its contents. Whether an element of an output array is written depends on unrolled loops and on known
//! arguments, so this analysis examines the lowered functions. It ignores the order of statements: a scalar
//! of a variable counts as written if any store or call may write it. A copy is written if its source is, and
//! every computed value is written.
//!
//! A value is treated as a list of scalars, with one bit each. Values with more than [`MOST`] scalars count
//! as written.

use naga::{
    Expression, Function, Handle, Module, Statement, TypeInner,
    proc::{ResolveContext, TypeResolution},
};

use crate::{lower::result::Value, session::hash::HashMap};

/// A set of scalars of a value. The first scalar is bit 0.
type ScalarMask = u128;

/// Maximum number of scalars that are tracked individually: a stage has 32 registers of 4 components.
const MOST: u32 = ScalarMask::BITS;

const ALL: ScalarMask = ScalarMask::MAX;

/// Returns a mask of the lowest `count` bits.
fn low(count: u32) -> ScalarMask {
    if count < MOST { (1 << count) - 1 } else { ALL }
}

fn moved_up(scalars: ScalarMask, by: u32) -> ScalarMask {
    scalars.checked_shl(by).unwrap_or(0)
}

/// The writes of a function.
struct WriteSummary {
    result: ScalarMask,
    /// For each argument, the scalars that are written through it.
    arguments: Vec<ScalarMask>,
}

/// A variable that a pointer may refer to.
#[derive(Clone, Copy)]
enum PointerRoot {
    Local(usize),
    Argument(usize),
}

/// A part of a variable.
#[derive(Clone, Copy)]
struct PointerPart {
    root: PointerRoot,
    first: u32,
    count: u32,
    /// Whether an index on the path is unknown. The pointer then refers to one of the places within the
    /// range.
    is_one_of: bool,
}

/// Returns the written scalars of values in a function whose body is `body`. The function may call only
/// functions of the module.
pub(super) fn written(
    module: &Module,
    function: &Function,
    body: &naga::Block,
    values: &[Value],
) -> Vec<u128> {
    let mut summaries = HashMap::default();
    // The list contains each function after its callees.
    for (handle, callee) in module.functions.iter() {
        let mut walk = WriteWalk::new(module, callee, &summaries);
        walk.run(&callee.body);
        let WriteWalk { result, arguments, .. } = walk;
        summaries.insert(handle, WriteSummary { result, arguments });
    }
    let mut walk = WriteWalk::new(module, function, &summaries);
    walk.run(body);
    values.iter().map(|value| walk.values.get(value.index()).copied().unwrap_or(ALL)).collect()
}

struct WriteWalk<'m> {
    module: &'m Module,
    function: &'m Function,
    summaries: &'m HashMap<Handle<Function>, WriteSummary>,
    /// For each expression, its type. The list ends before the first expression without a type.
    types: Vec<TypeResolution>,
    /// For each expression, the written scalars.
    values: Vec<ScalarMask>,
    /// For each expression that is a pointer to a variable or an argument, the part that it refers to.
    places: Vec<Option<PointerPart>>,
    /// For each local variable, the written scalars.
    locals: Vec<ScalarMask>,
    /// For each argument, the written scalars.
    arguments: Vec<ScalarMask>,
    result: ScalarMask,
}

impl<'m> WriteWalk<'m> {
    fn new(
        module: &'m Module,
        function: &'m Function,
        summaries: &'m HashMap<Handle<Function>, WriteSummary>,
    ) -> Self {
        let context = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
        let mut types: Vec<TypeResolution> = Vec::with_capacity(function.expressions.len());
        for (_, expression) in function.expressions.iter() {
            // The validator refuses an expression without a type.
            let Ok(resolution) = context.resolve(expression, |operand| Ok(&types[operand.index()])) else {
                break;
            };
            types.push(resolution);
        }
        let has_value = |variable: &naga::LocalVariable| if variable.init.is_some() { ALL } else { 0 };
        let mut walk = Self {
            module,
            function,
            summaries,
            types,
            values: vec![ALL; function.expressions.len()],
            places: Vec::new(),
            locals: function.local_variables.iter().map(|(_, variable)| has_value(variable)).collect(),
            arguments: vec![0; function.arguments.len()],
            result: 0,
        };
        for (_, expression) in function.expressions.iter() {
            let place = walk.place(expression);
            walk.places.push(place);
        }
        walk
    }

    /// Repeats the analysis until the result no longer changes.
    fn run(&mut self, body: &naga::Block) {
        loop {
            for (handle, expression) in self.function.expressions.iter() {
                let value = self.value(expression);
                if let Some(place) = self.values.get_mut(handle.index()) {
                    *place = value;
                }
            }
            let before = (self.locals.clone(), self.arguments.clone(), self.result);
            self.block(body);
            if before == (self.locals.clone(), self.arguments.clone(), self.result) {
                return;
            }
        }
    }

    fn block(&mut self, block: &naga::Block) {
        for statement in block {
            match statement {
                Statement::Store { pointer, value } => {
                    let written = self.of(*value);
                    self.write(*pointer, written);
                }
                Statement::Call { function, arguments, .. } => {
                    let Some(summary) = self.summaries.get(function) else { continue };
                    for (argument, written) in arguments.iter().zip(&summary.arguments) {
                        self.write(*argument, *written);
                    }
                }
                Statement::Return { value: Some(value) } => self.result |= self.of(*value),
                Statement::Block(block) => self.block(block),
                Statement::If { accept, reject, .. } => {
                    self.block(accept);
                    self.block(reject);
                }
                Statement::Switch { cases, .. } => cases.iter().for_each(|case| self.block(&case.body)),
                Statement::Loop { body, continuing, .. } => {
                    self.block(body);
                    self.block(continuing);
                }
                _ => {}
            }
        }
    }

    /// Marks scalars of a pointer's target as written.
    fn write(&mut self, pointer: Value, written: ScalarMask) {
        let Some(Some(place)) = self.places.get(pointer.index()) else { return };
        let PointerPart { root, first, count, is_one_of } = *place;
        let written = match is_one_of {
            true if written == 0 => 0,
            true => low(count),
            false => written & low(count),
        };
        let (list, index) = match root {
            PointerRoot::Local(index) => (&mut self.locals, index),
            PointerRoot::Argument(index) => (&mut self.arguments, index),
        };
        if let Some(scalars) = list.get_mut(index) {
            *scalars |= moved_up(written, first);
        }
    }

    fn of(&self, value: Value) -> ScalarMask {
        self.values.get(value.index()).copied().unwrap_or(ALL)
    }

    fn inner(&self, value: Value) -> Option<&TypeInner> {
        Some(self.types.get(value.index())?.inner_with(&self.module.types))
    }

    /// Returns the part of a variable or argument that a pointer refers to.
    fn place(&self, expression: &Expression) -> Option<PointerPart> {
        let whole = |root, ty: Handle<naga::Type>| {
            let count = count(self.module, &self.module.types[ty].inner);
            Some(PointerPart { root, first: 0, count, is_one_of: false })
        };
        let of = |base: Value| self.places.get(base.index()).copied().flatten();
        match *expression {
            Expression::LocalVariable(local) => {
                whole(PointerRoot::Local(local.index()), self.function.local_variables[local].ty)
            }
            Expression::FunctionArgument(index) => {
                let argument = self.function.arguments.get(index as usize)?;
                let TypeInner::Pointer { base, .. } = self.module.types[argument.ty].inner else {
                    return None;
                };
                whole(PointerRoot::Argument(index as usize), base)
            }
            Expression::AccessIndex { base, index } => {
                let place = of(base)?;
                if place.is_one_of {
                    return Some(place);
                }
                let (before, count) = part(self.module, pointee(self.module, self.inner(base)?)?, index)?;
                Some(PointerPart { first: place.first.saturating_add(before), count, ..place })
            }
            Expression::Access { base, .. } => Some(PointerPart { is_one_of: true, ..of(base)? }),
            _ => None,
        }
    }

    fn value(&self, expression: &Expression) -> ScalarMask {
        match expression {
            Expression::Load { pointer } => match self.places.get(pointer.index()) {
                Some(Some(PointerPart {
                    root: PointerRoot::Local(local),
                    first,
                    count,
                    is_one_of: false,
                })) => {
                    let scalars = self.locals.get(*local).copied().unwrap_or(ALL);
                    let fits = first.saturating_add(*count) <= MOST;
                    if fits { scalars.checked_shr(*first).unwrap_or(0) & low(*count) } else { ALL }
                }
                _ => ALL,
            },
            Expression::AccessIndex { base, index } => {
                let part = self.inner(*base).and_then(|inner| part(self.module, inner, *index));
                match part.filter(|(before, count)| before.saturating_add(*count) <= MOST) {
                    Some((before, count)) => self.of(*base).checked_shr(before).unwrap_or(0) & low(count),
                    None => ALL,
                }
            }
            Expression::Swizzle { size, vector, pattern } => {
                let of = self.of(*vector);
                let chosen = pattern.iter().take(*size as usize).enumerate();
                chosen.fold(0, |all, (at, component)| all | (of >> *component as u32 & 1) << at)
            }
            Expression::Splat { size, value } => {
                if self.of(*value) & 1 == 0 {
                    0
                } else {
                    low(*size as u32)
                }
            }
            Expression::Compose { components, .. } => {
                let (mut all, mut first) = (0, 0_u32);
                for component in components {
                    let count = self.inner(*component).map_or(u32::MAX, |inner| count(self.module, inner));
                    all |= moved_up(self.of(*component) & low(count), first);
                    first = first.saturating_add(count);
                }
                if first > MOST { ALL } else { all }
            }
            Expression::As { expr, .. } => self.of(*expr),
            Expression::CallResult(function) => {
                self.summaries.get(function).map_or(ALL, |summary| summary.result)
            }
            _ => ALL,
        }
    }
}

/// Returns the type of a pointer's target.
fn pointee<'m>(module: &'m Module, inner: &'m TypeInner) -> Option<&'m TypeInner> {
    match *inner {
        TypeInner::Pointer { base, .. } => Some(&module.types[base].inner),
        // This is a pointer to a vector inside another value. Its scalars are consecutive.
        TypeInner::ValuePointer { size: Some(_), .. } => Some(inner),
        _ => None,
    }
}

/// Returns the number of scalars of a value, or `u32::MAX` if it is not known.
fn count(module: &Module, inner: &TypeInner) -> u32 {
    match *inner {
        TypeInner::Scalar(_) => 1,
        TypeInner::Vector { size, .. } => size as u32,
        TypeInner::Matrix { columns, rows, .. } => columns as u32 * rows as u32,
        TypeInner::Array { base, size: naga::ArraySize::Constant(length), .. } => {
            count(module, &module.types[base].inner).saturating_mul(length.get())
        }
        TypeInner::Struct { ref members, .. } => members
            .iter()
            .fold(0, |all, member| all.saturating_add(count(module, &module.types[member.ty].inner))),
        _ => u32::MAX,
    }
}

/// Returns the number of scalars before a part of a value, and the number in the part.
fn part(module: &Module, inner: &TypeInner, index: u32) -> Option<(u32, u32)> {
    let each = |count: u32| Some((index.saturating_mul(count), count));
    match *inner {
        TypeInner::Vector { .. } | TypeInner::ValuePointer { size: Some(_), .. } => each(1),
        TypeInner::Matrix { rows, .. } => each(rows as u32),
        TypeInner::Array { base, .. } => each(count(module, &module.types[base].inner)),
        TypeInner::Struct { ref members, .. } => {
            let of = |member: &naga::StructMember| count(module, &module.types[member.ty].inner);
            let before = members.iter().take(index as usize).map(of).fold(0, u32::saturating_add);
            Some((before, of(members.get(index as usize)?)))
        }
        _ => None,
    }
}
