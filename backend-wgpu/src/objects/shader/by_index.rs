//! The pass for constants by index: the second form of a shader, for draws that differ in their constant buffers only.
//!
//! The first form sees one buffer in each `b` slot, bound at a dynamic offset, so each draw sets a bind group. In the
//! second form a slot is a *window*: an array of the buffers that lie in the same [`WINDOW`] bytes. A draw chooses its own
//! by its index, which wgpu hands to the vertex shader with `first_instance`; the vertex shader hands it on to the pixel
//! shader. The index has a *field* of 8 bits for each slot that changes:
//!
//! | bits | |
//! | --- | --- |
//! | 0 to 7 | which of the draws that were merged into one instanced draw |
//! | 8 to 15, 16 to 23, 24 to 31 | the element of the window, for the first of the merged draws |
//!
//! From each of the merged draws to the next, a slot's element rises by the slot's *step*.
//!
//! Only draws of one instance are made so: `SV_InstanceID` is 0.

use std::{collections::HashMap, num::NonZeroU32};

use naga::{
    AddressSpace, Arena, ArraySize, BinaryOperator, Binding, BuiltIn, Expression, Function, FunctionArgument,
    FunctionResult, GlobalVariable, Handle, Interpolation, Literal, MemoryDecorations, Module,
    ResourceBinding, Scalar, ScalarKind, ShaderStage, Span, Statement, StructMember, Type, TypeInner,
    UniqueArena, VectorSize,
};

use super::{
    CONSTANT_GROUP,
    accesses::{AccessKey, AccessStep, ShaderAccess, accesses},
    binding,
    calls::{self, ExpressionCalls},
    entry_point::EntryWrapper,
    ranges,
};

pub(crate) use crate::services::sizes::WINDOW;

/// Most fields of an index.
pub(crate) const FIELDS: usize = 3;

/// Bits of a field, and of the number of merged draws.
pub(crate) const FIELD_BITS: u32 = 8;

/// Bytes from one element of a window to the next, for a slot of which a shader reads so many bytes.
pub(crate) const fn stride(needed: u32) -> u32 {
    let power = needed.next_power_of_two();
    if power < 256 { 256 } else { power }
}

/// A slot that is chosen by index.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IndexedSlot {
    /// The `b` slot.
    pub(crate) slot: u32,
    /// Its field.
    pub(crate) field: u8,
    /// By how much the element rises from one merged draw to the next.
    pub(crate) step: u8,
}

/// What of a shader is chosen by index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ByIndex {
    pub(crate) slots: Vec<IndexedSlot>,
    /// The location at which the pixel shader gets the index, if it reads such slots.
    pub(crate) location: Option<u32>,
}

/// Rewrites the module of a vertex or pixel shader of a lane.
pub(super) fn apply(module: &mut Module, lane: usize, by_index: &ByIndex) {
    let word = add_type(module, TypeInner::Scalar(Scalar::U32));
    let index = module.global_variables.append(
        GlobalVariable {
            name: Some("draw_index".into()),
            space: AddressSpace::Private,
            binding: None,
            ty: word,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        },
        Span::UNDEFINED,
    );
    choose(module, lane, by_index, index);
    match module.entry_points.first().map(|entry_point| entry_point.stage) {
        Some(ShaderStage::Vertex) => begin_vertices(module, index, word, by_index.location),
        Some(ShaderStage::Fragment) => begin_pixels(module, index, word, by_index.location),
        _ => {}
    }
    // The variables without a binding are used no more.
    naga::compact::compact(module, naga::compact::KeepUnused::No);
}

fn add_type(module: &mut Module, inner: TypeInner) -> Handle<Type> {
    module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
}

/// Makes the slots windows, and each load from one the call of a function that chooses the element.
fn choose(module: &mut Module, lane: usize, by_index: &ByIndex, index: Handle<GlobalVariable>) {
    let mut windows: HashMap<Handle<GlobalVariable>, IndexedSlot> = HashMap::new();
    for slot in &by_index.slots {
        let place = ResourceBinding { group: CONSTANT_GROUP as u32, binding: binding(lane, slot.slot) };
        let variable = module.global_variables.iter().find(|(_, variable)| variable.binding == Some(place));
        windows.extend(variable.map(|(variable, _)| (variable, *slot)));
    }
    // What points into the buffers before the loads become calls still points somewhere.
    let mut windowed = HashMap::new();
    for (variable, slot) in windows {
        let window = module.global_variables[variable].clone();
        let before = module.global_variables.get_mut(variable);
        (before.space, before.binding) = (AddressSpace::Private, None);
        let ty = self::window(module, window.ty);
        let window = GlobalVariable { ty, ..window };
        windowed.insert(variable, (slot, module.global_variables.append(window, Span::UNDEFINED)));
    }
    let found: Vec<_> = calls::places(module)
        .into_iter()
        .filter_map(|place| Some((place, accesses(calls::function_at(module, place)?))))
        .collect();
    let mut functions = Arena::new();
    let mut made: HashMap<AccessKey, Option<Handle<Function>>> = HashMap::new();
    let mut results = ExpressionCalls::new();
    for (place, found) in found {
        for access in found {
            let Some((slot, window)) = windowed.get(&access.key.variable) else { continue };
            let function = made.entry(access.key.clone()).or_insert_with(|| {
                let function = element(module, &access, (slot, *window), index)?;
                Some(functions.append(function, Span::UNDEFINED))
            });
            let (Some(made), Some(result)) = (*function, access.result) else { continue };
            let Some(function) = calls::function_at(module, place) else { continue };
            results.insert((place, result), access.call(&mut function.expressions, made));
        }
    }
    calls::insert(module, functions, &results, &mut |_, _| None);
}

/// The members of a buffer, if it is a structure.
fn members(module: &Module, buffer: Handle<Type>) -> Option<&[StructMember]> {
    match &module.types[buffer].inner {
        TypeInner::Struct { members, .. } => Some(members),
        _ => None,
    }
}

/// The type of a window of buffers of a type: an array, whose elements are padded to the stride.
///
/// A structure's members are the element's own: naga writes no SPIR-V for a structure with a matrix of two rows that is
/// a member of another one in a uniform buffer.
fn window(module: &mut Module, buffer: Handle<Type>) -> Handle<Type> {
    let size = module.types[buffer].inner.size(module.to_ctx());
    let padded = size.next_multiple_of(16);
    let stride = stride(padded);
    let vector = add_type(module, TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::U32 });
    let member = |name: &str, ty, offset| StructMember { name: Some(name.into()), ty, binding: None, offset };
    let of_buffer = members(module, buffer).map(<[_]>::to_vec);
    let mut members = of_buffer.unwrap_or_else(|| vec![member("constants", buffer, 0)]);
    if let Some(vectors) = NonZeroU32::new((stride - padded) / 16) {
        let padding = TypeInner::Array { base: vector, size: ArraySize::Constant(vectors), stride: 16 };
        members.push(member("padding", add_type(module, padding), padded));
    }
    let inner = TypeInner::Struct { members, span: stride };
    let base = module.types.insert(Type { name: Some("Element".into()), inner }, Span::UNDEFINED);
    let count = NonZeroU32::new(WINDOW / stride).unwrap_or(NonZeroU32::MIN);
    add_type(module, TypeInner::Array { base, size: ArraySize::Constant(count), stride })
}

/// The function that loads what an access reaches, from the element of this draw.
fn element(
    module: &mut Module,
    access: &ShaderAccess,
    (slot, window): (&IndexedSlot, Handle<GlobalVariable>),
    index: Handle<GlobalVariable>,
) -> Option<Function> {
    let reached = ranges::reached(module, &access.key)?;
    let members = members(module, module.global_variables[access.key.variable].ty).map(<[_]>::len);
    let reached = module.types.insert(reached, Span::UNDEFINED);
    let word = add_type(module, TypeInner::Scalar(Scalar::U32));
    let argument = |_| FunctionArgument { name: None, ty: word, binding: None };
    let mut function = Function {
        name: Some("of_this_draw".into()),
        arguments: access.indices.iter().map(argument).collect(),
        result: Some(FunctionResult { ty: reached, binding: None }),
        ..Function::default()
    };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let mut arguments = (0..access.indices.len() as u32).map(Expression::FunctionArgument).map(&mut add);
    let indices: Vec<_> = access
        .key
        .steps
        .iter()
        .map(|step| (*step == AccessStep::Argument).then(|| arguments.next()).flatten())
        .collect();
    drop(arguments);
    let variable = add(Expression::GlobalVariable(window));
    let pointer = add(Expression::GlobalVariable(index));
    let mut literal = |n: u32| add(Expression::Literal(Literal::U32(n)));
    let mask = literal((1 << FIELD_BITS) - 1);
    let shift = literal(FIELD_BITS * (u32::from(slot.field) + 1));
    let step = literal(slot.step.into());
    let before = function.expressions.len();
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let binary = |op, left, right| Expression::Binary { op, left, right };
    let whole = add(Expression::Load { pointer });
    let first = add(binary(BinaryOperator::ShiftRight, whole, shift));
    let mut at = add(binary(BinaryOperator::And, first, mask));
    if slot.step > 0 {
        let merged = add(binary(BinaryOperator::And, whole, mask));
        let risen = add(binary(BinaryOperator::Multiply, merged, step));
        at = add(binary(BinaryOperator::Add, at, risen));
    }
    let element = add(Expression::Access { base: variable, index: at });
    let mut base = element;
    if members.is_none() {
        base = add(Expression::AccessIndex { base, index: 0 });
    }
    for (step, index) in access.key.steps.iter().zip(indices) {
        base = match (*step, index) {
            (AccessStep::Known(index), _) => add(Expression::AccessIndex { base, index }),
            (AccessStep::Argument, index) => add(Expression::Access { base, index: index? }),
        };
    }
    let value = match members.filter(|_| access.key.steps.is_empty()) {
        // All of the structure.
        Some(members) => {
            let mut member = |index| {
                let pointer = add(Expression::AccessIndex { base, index });
                add(Expression::Load { pointer })
            };
            let components = (0..members as u32).map(&mut member).collect();
            add(Expression::Compose { ty: reached, components })
        }
        None => add(Expression::Load { pointer: base }),
    };
    let emitted = function.expressions.range_from(before);
    function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
    function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
    Some(function)
}

/// Keeps the index that the vertex shader gets, hides it from the shader, and hands it on at a location.
fn begin_vertices(
    module: &mut Module,
    index: Handle<GlobalVariable>,
    word: Handle<Type>,
    location: Option<u32>,
) {
    let Some(mut wrapper) = EntryWrapper::new(module, "of_one_draw") else { return };
    let pointer = wrapper.add_plain(Expression::GlobalVariable(index));
    let zeros = [Literal::U32(0), Literal::I32(0)].map(|zero| wrapper.add_plain(Expression::Literal(zero)));
    let mut value = None;
    wrapper.change_arguments(&module.types, &mut |function, types, (argument, ty), binding| {
        let is_index = matches!(binding, Some(Binding::BuiltIn(BuiltIn::InstanceIndex)));
        is_index.then(|| {
            // GLSL's indices are signed.
            let is_signed = types[ty].inner.scalar_kind() == Some(ScalarKind::Sint);
            value = Some(if is_signed {
                let bits = Expression::As { expr: argument, kind: ScalarKind::Uint, convert: None };
                function.expressions.append(bits, Span::UNDEFINED)
            } else {
                argument
            });
            zeros[usize::from(is_signed)]
        })
    });
    let value = value.unwrap_or_else(|| {
        let binding = Some(Binding::BuiltIn(BuiltIn::InstanceIndex));
        wrapper.add_argument(FunctionArgument { name: Some("draw_index".into()), ty: word, binding })
    });
    wrapper.push(Statement::Store { pointer, value });
    wrapper.finish(module, |function, types, before, result| {
        let (members, span) = match &types[result.ty].inner {
            TypeInner::Struct { members, span } => (Some(members.clone()), *span),
            // What the shader gives is a position.
            _ => (None, 16),
        };
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let (mut members, mut components) = match members {
            Some(members) => {
                let parts =
                    (0..members.len() as u32).map(|index| Expression::AccessIndex { base: before, index });
                (members, parts.map(&mut add).collect())
            }
            None => {
                let binding = result.binding.clone();
                let name = Some("position".into());
                (vec![StructMember { name, ty: result.ty, binding, offset: 0 }], vec![before])
            }
        };
        let binding = Some(index_at(location?));
        let offset = span.next_multiple_of(4);
        members.push(StructMember { name: Some("draw_index".into()), ty: word, binding, offset });
        components.push(value);
        let inner = TypeInner::Struct { members, span: (offset + 4).next_multiple_of(16) };
        let ty = types.insert(Type { name: Some("WithIndex".into()), inner }, Span::UNDEFINED);
        let whole = add(Expression::Compose { ty, components });
        Some((whole, FunctionResult { ty, binding: None }))
    });
}

/// Keeps the index that the pixel shader gets at a location.
fn begin_pixels(
    module: &mut Module,
    index: Handle<GlobalVariable>,
    word: Handle<Type>,
    location: Option<u32>,
) {
    let (Some(location), Some(entry_point)) = (location, module.entry_points.first_mut()) else { return };
    let function = &mut entry_point.function;
    let at = function.arguments.len() as u32;
    let binding = Some(index_at(location));
    function.arguments.push(FunctionArgument { name: Some("draw_index".into()), ty: word, binding });
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let value = add(Expression::FunctionArgument(at));
    let pointer = add(Expression::GlobalVariable(index));
    let mut body = naga::Block::new();
    body.push(Statement::Store { pointer, value }, Span::UNDEFINED);
    for (statement, span) in std::mem::take(&mut function.body).span_into_iter() {
        body.push(statement, span);
    }
    function.body = body;
}

/// Between the two stages the index does not change within a triangle.
const fn index_at(location: u32) -> Binding {
    Binding::Location {
        location,
        interpolation: Some(Interpolation::Flat),
        sampling: None,
        blend_src: None,
        per_primitive: false,
    }
}

/// Marks the position that a vertex shader gives as invariant: both forms give the same to the last bit, and a pass
/// that compares depths for equality may use either.
pub(super) fn mark_position(module: &mut Module) {
    let Module { entry_points, types, .. } = module;
    for entry_point in entry_points.iter_mut().filter(|entry| entry.stage == ShaderStage::Vertex) {
        let Some(result) = &mut entry_point.function.result else { continue };
        mark(&mut result.binding);
        mark_members(types, result.ty);
    }
}

/// Whether it was a position without the mark.
fn mark(binding: &mut Option<Binding>) -> bool {
    let is_position = matches!(binding, Some(Binding::BuiltIn(BuiltIn::Position { invariant: false })));
    if is_position {
        *binding = Some(Binding::BuiltIn(BuiltIn::Position { invariant: true }));
    }
    is_position
}

fn mark_members(types: &mut UniqueArena<Type>, ty: Handle<Type>) {
    let Type { name, inner: TypeInner::Struct { mut members, span } } = types[ty].clone() else { return };
    // Another type may be the same with the mark, if the shader has one for the other.
    let marked: Vec<_> = members.iter_mut().map(|member| mark(&mut member.binding)).collect();
    if marked.contains(&true) {
        let new = Type { name: name.clone(), inner: TypeInner::Struct { members, span } };
        if types.get(&new).is_none() {
            types.replace(ty, new);
        }
    }
}
