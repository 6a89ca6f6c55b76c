//! The pass for exact counts: the sizes of textures and the lengths of buffers that a shader asks for.
//!
//! wgpu binds a null object to an empty slot, and a longer copy for a buffer that is shorter than the shader's type. A
//! shader that asks for their sizes would get those of the stand-ins. In Direct3D 11 the size of what is not bound is
//! 0 (`GetDimensions`). The pass replaces each question by the call of a function that answers it from the
//! [driver constants](super::driver_constants).
//!
//! A function of the shader that gets a texture or a buffer as an argument asks for what its callers give it. Where
//! these give it several, the question stays as it is.

use std::collections::HashMap;

use naga::{
    Arena, BinaryOperator, Block, Expression, Function, FunctionArgument, FunctionResult, GlobalVariable,
    Handle, ImageDimension, ImageQuery, Module, Span, Statement, Type, TypeInner,
};
use onze_ddi::{ShaderCode, SlotClass};

use super::{
    binding,
    calls::{self, ExpressionCalls, ModuleFunction, ReplacementCall, inner_blocks},
    driver_constants::{CountSlot, load_count},
    unordered_binding,
};

/// A texture or a buffer whose size a shader asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedBinding {
    /// Where the answer is in the driver constants.
    pub(crate) count: CountSlot,
    /// What it is about.
    pub(crate) of: CountedResource,
}

impl CountedBinding {
    /// The binding of what it is about.
    pub(crate) const fn binding(&self, lane: usize) -> u32 {
        match self.of {
            CountedResource::Texture { slot } | CountedResource::Buffer { slot, .. } => binding(lane, slot),
            CountedResource::WrittenBuffer { slot, .. } => unordered_binding(lane, slot),
        }
    }
}

/// What a count is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CountedResource {
    /// The texture in a `t` slot.
    Texture { slot: u32 },
    /// The buffer in a `t` slot.
    Buffer { slot: u32, elements: CountedElements },
    /// The buffer in a `u` slot.
    WrittenBuffer { slot: u32, elements: CountedElements },
}

/// The elements of a buffer's array whose length is asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedElements {
    /// Bytes before the first one.
    offset: u32,
    /// Bytes of one.
    stride: u32,
}

impl CountedElements {
    /// How many a buffer of so many bytes has.
    pub(crate) fn in_bytes(self, size: u32) -> u32 {
        size.saturating_sub(self.offset) / self.stride.max(1)
    }
}

/// A question for a size.
struct SizeQuestion {
    place: ModuleFunction,
    /// The expression whose value is the size.
    expression: Handle<Expression>,
    variable: Handle<GlobalVariable>,
}

/// What a shader asks for, each texture and buffer once.
pub(super) fn counted(code: &ShaderCode) -> Box<[CountedBinding]> {
    let mut all: Vec<CountedBinding> = Vec::new();
    for question in questions(&code.module) {
        let counted = counted_variable(&code.module, question.variable);
        all.extend(counted.filter(|counted| !all.contains(counted)));
    }
    all.into()
}

fn counted_variable(module: &Module, variable: Handle<GlobalVariable>) -> Option<CountedBinding> {
    const RESOURCES: u32 = SlotClass::ShaderResource.group();
    const UNORDERED: u32 = SlotClass::UnorderedAccess.group();
    let variable = module.global_variables.try_get(variable).ok()?;
    let naga::ResourceBinding { group, binding: slot } = variable.binding?;
    let inner = module.types.get_handle(variable.ty).map(|ty| &ty.inner);
    if matches!(inner, Ok(TypeInner::Image { dim: ImageDimension::D1, .. })) {
        // Of a typed buffer, which is no image in the end.
        return None;
    }
    let elements = || elements(module, variable.ty);
    match group {
        RESOURCES => {
            let count = CountSlot::resource(slot);
            let of = match elements() {
                Some(elements) => CountedResource::Buffer { slot, elements },
                None => CountedResource::Texture { slot },
            };
            Some(CountedBinding { count, of })
        }
        UNORDERED => {
            let of = CountedResource::WrittenBuffer { slot, elements: elements()? };
            Some(CountedBinding { count: CountSlot::unordered_access(slot), of })
        }
        _ => None,
    }
}

/// The array at the end of a buffer, which has as many elements as fit.
fn elements(module: &Module, ty: Handle<Type>) -> Option<CountedElements> {
    match &module.types.get_handle(ty).ok()?.inner {
        TypeInner::Array { stride, .. } => Some(CountedElements { offset: 0, stride: *stride }),
        TypeInner::Struct { members, .. } => {
            let last = members.last()?;
            let CountedElements { offset, stride } = elements(module, last.ty)?;
            Some(CountedElements { offset: offset + last.offset, stride })
        }
        _ => None,
    }
}

/// The variables that the arguments of a function are, where there is one for all its callers.
type ArgumentVariables = HashMap<(Handle<Function>, u32), Option<Handle<GlobalVariable>>>;

/// All questions for sizes in a module of which it is known what they are about.
fn questions(module: &Module) -> Vec<SizeQuestion> {
    let mut found = Vec::new();
    let mut arguments = ArgumentVariables::new();
    // Callers come before what they call: the entry point, and then the functions from the last to the first.
    let entry_points = module.entry_points.iter().map(|entry| (None, &entry.function));
    let functions = module.functions.iter().rev().map(|(handle, function)| (Some(handle), function));
    for (place, function) in entry_points.chain(functions) {
        for (expression, asks) in function.expressions.iter() {
            let asked = match asks {
                Expression::ImageQuery { image, .. } => *image,
                Expression::ArrayLength(array) => *array,
                _ => continue,
            };
            if let Some(variable) = variable(place, function, asked, &arguments) {
                found.push(SizeQuestion { place, expression, variable });
            }
        }
        note_calls(place, function, &function.body, &mut arguments);
    }
    found
}

/// The variable that an expression is, or is a part of.
fn variable(
    place: ModuleFunction,
    function: &Function,
    expression: Handle<Expression>,
    arguments: &ArgumentVariables,
) -> Option<Handle<GlobalVariable>> {
    match function.expressions.try_get(expression).ok()? {
        Expression::GlobalVariable(variable) => Some(*variable),
        Expression::AccessIndex { base, .. } => variable(place, function, *base, arguments),
        Expression::FunctionArgument(at) => *arguments.get(&(place?, *at))?,
        _ => None,
    }
}

/// Notes what a function gives to those that it calls.
fn note_calls(place: ModuleFunction, function: &Function, block: &Block, arguments: &mut ArgumentVariables) {
    for statement in block.iter() {
        if let Statement::Call { function: callee, arguments: given, .. } = statement {
            for (at, given) in (0..).zip(given) {
                let given = variable(place, function, *given, arguments);
                let known = arguments.entry((*callee, at)).or_insert(given);
                *known = known.filter(|known| Some(*known) == given);
            }
        }
        inner_blocks(statement).for_each(|block| note_calls(place, function, block, arguments));
    }
}

/// Takes the answers from the driver constants, of which `block` is the variable. `module` is the shader's, perhaps
/// with other bindings.
pub(super) fn apply(module: &mut Module, code: &ShaderCode, block: Handle<GlobalVariable>) {
    // Functions come before their callers: those that answer are the first.
    let mut functions = Arena::new();
    let mut answers = ExpressionCalls::new();
    for question in questions(&code.module) {
        let Some(counted) = counted_variable(&code.module, question.variable) else { continue };
        let Some((function, arguments)) = answering(module, code, block, &question, counted) else {
            continue;
        };
        let function = functions.append(function, Span::UNDEFINED);
        let result = Some(question.expression);
        answers.insert(
            (question.place, question.expression),
            ReplacementCall { function, arguments, emits: None, result },
        );
    }
    calls::insert(module, functions, &answers, &mut |_, _| None);
}

/// The function that answers a question, and what it is to be given.
fn answering(
    module: &mut Module,
    code: &ShaderCode,
    block: Handle<GlobalVariable>,
    question: &SizeQuestion,
    counted: CountedBinding,
) -> Option<(Function, Vec<Handle<Expression>>)> {
    let (asking, info) = match question.place {
        Some(handle) => (code.module.functions.try_get(handle).ok()?, &code.info[handle]),
        None => (&code.module.entry_points.first()?.function, code.info.get_entry_point(0)),
    };
    // The types of both modules are the same as far as the shader's go.
    let mut type_of = |expression: Handle<Expression>| match &info[expression].ty {
        naga::proc::TypeResolution::Handle(ty) => *ty,
        naga::proc::TypeResolution::Value(inner) => {
            module.types.insert(Type { name: None, inner: inner.clone() }, Span::UNDEFINED)
        }
    };
    let ty = type_of(question.expression);
    let mut function = Function {
        name: Some("exact_count".into()),
        result: Some(FunctionResult { ty, binding: None }),
        ..Function::default()
    };
    let mut given = Vec::new();
    let query = match asking.expressions.try_get(question.expression).ok()? {
        Expression::ImageQuery { query: ImageQuery::Size { level: Some(level) }, .. } => {
            let ty = type_of(*level);
            function.arguments.push(FunctionArgument { name: Some("level".into()), ty, binding: None });
            given.push(*level);
            let level = function.expressions.append(Expression::FunctionArgument(0), Span::UNDEFINED);
            Some(ImageQuery::Size { level: Some(level) })
        }
        Expression::ImageQuery { query, .. } => Some(*query),
        _ => None,
    };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let block = add(Expression::GlobalVariable(block));
    let image = add(Expression::GlobalVariable(question.variable));
    let before = function.expressions.len();
    let count = load_count(&mut function, block, counted.count);
    let value = query.map_or(count, |query| {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let size = add(Expression::ImageQuery { image, query });
        add(Expression::Binary { op: BinaryOperator::Multiply, left: size, right: count })
    });
    let emitted = function.expressions.range_from(before);
    function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
    function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
    Some((function, given))
}
