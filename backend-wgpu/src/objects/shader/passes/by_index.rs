//! The pass that makes a shader select its constant buffers by the index of the draw.
//!
//! The [key](crate::objects::shader::specialization::by_index) explains windows, fields and steps. Only draws
//! of one instance use this form, so `SV_InstanceID` is 0.

use std::{collections::HashMap, num::NonZeroU32};

use naga::{
    AddressSpace, Arena, ArraySize, BinaryOperator, Binding, BuiltIn, Expression, Function, FunctionArgument,
    FunctionResult, GlobalVariable, Handle, Interpolation, Literal, MemoryDecorations, Module, Scalar,
    ScalarKind, Span, Statement, StructMember, Type, TypeInner, VectorSize,
};
use onze_ddi::ShaderStage;

use crate::objects::shader::{
    bindings::{CONSTANT_GROUP, binding},
    rewrite::{
        accesses::{AccessKey, AccessStep, ShaderAccess, accesses},
        calls::{self, ExpressionCalls},
        entry_point::EntryWrapper,
        variables::variable_at,
    },
    specialization::by_index::{ByIndex, FIELD_BITS, IndexedSlot, stride, window_bytes},
};

use super::{
    context::{ModulePass, PassScope},
    ranges,
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "by_index",
    scope: PassScope::Outputs,
    applies: |context| context.key.by_index.is_some(),
    run: |context| {
        let Some(by_index) = &context.key.by_index else { return };
        apply(&mut context.module, context.stage, by_index);
    },
};

/// Rewrites the module of a vertex or pixel shader of a stage.
fn apply(module: &mut Module, stage: ShaderStage, by_index: &ByIndex) {
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
    choose(module, stage, by_index, index);
    match stage {
        ShaderStage::Vertex => begin_vertices(module, index, word, by_index.location),
        ShaderStage::Pixel => begin_pixels(module, index, word, by_index.location),
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry | ShaderStage::Compute => {}
    }
    // Removes the original variables, which have no binding and no uses now.
    naga::compact::compact(module, naga::compact::KeepUnused::No);
}

fn add_type(module: &mut Module, inner: TypeInner) -> Handle<Type> {
    module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
}

/// Turns the slots into windows, and each load from a slot into the call of a function that selects the
/// element.
fn choose(module: &mut Module, stage: ShaderStage, by_index: &ByIndex, index: Handle<GlobalVariable>) {
    let mut windows: HashMap<Handle<GlobalVariable>, IndexedSlot> = HashMap::new();
    for slot in &by_index.slots {
        let variable = variable_at(module, CONSTANT_GROUP, binding(stage, slot.slot));
        windows.extend(variable.map(|variable| (variable, *slot)));
    }
    // The original variables stay as private ones, because pointers into them remain until the loads become
    // calls.
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

/// Returns the members of a buffer whose type is a structure.
fn members(module: &Module, buffer: Handle<Type>) -> Option<&[StructMember]> {
    match &module.types[buffer].inner {
        TypeInner::Struct { members, .. } => Some(members),
        _ => None,
    }
}

/// Returns the type of a window: an array of buffers, padded to the stride.
///
/// The members of a structure become members of the array's element. naga cannot write SPIR-V for a structure
/// with a two-row matrix inside another structure of a uniform buffer.
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
    let count = NonZeroU32::new(window_bytes(stride) / stride).unwrap_or(NonZeroU32::MIN);
    add_type(module, TypeInner::Array { base, size: ArraySize::Constant(count), stride })
}

/// Returns the function that performs an access on the element of the current draw.
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
    let literals = [
        literal((1 << FIELD_BITS) - 1),
        literal(FIELD_BITS * (u32::from(slot.field) + 1)),
        literal(slot.step.into()),
    ];
    let before = function.expressions.len();
    let at = element_index(&mut function, pointer, literals, slot);
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
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
        Some(members) => load_members(&mut function, base, members, reached),
        None => add(Expression::Load { pointer: base }),
    };
    let emitted = function.expressions.range_from(before);
    function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
    function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
    Some(function)
}

/// Adds the expressions for the index of the draw's element. The literals are the mask of a field, the shift
/// of the slot's field and the slot's step.
fn element_index(
    function: &mut Function,
    pointer: Handle<Expression>,
    [mask, shift, step]: [Handle<Expression>; 3],
    slot: &IndexedSlot,
) -> Handle<Expression> {
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
    at
}

/// Adds the expressions that load all members of a structure, without the padding after them.
fn load_members(
    function: &mut Function,
    base: Handle<Expression>,
    members: usize,
    ty: Handle<Type>,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let mut member = |index| {
        let pointer = add(Expression::AccessIndex { base, index });
        add(Expression::Load { pointer })
    };
    let components = (0..members as u32).map(&mut member).collect();
    add(Expression::Compose { ty, components })
}

/// Stores the index that the vertex shader receives, replaces it by 0 for the shader, and returns it at a
/// location.
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
            // Indices are signed in GLSL.
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
            // A result without a structure is the position.
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

/// Stores the index that the pixel shader receives at a location.
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

/// Returns a flat binding, because the index is constant within a triangle.
const fn index_at(location: u32) -> Binding {
    Binding::Location {
        location,
        interpolation: Some(Interpolation::Flat),
        sampling: None,
        blend_src: None,
        per_primitive: false,
    }
}
