//! The size queries of a shader, and the textures and buffers that they ask about.
//!
//! A function that takes a texture or a buffer as an argument asks about its callers' variable. If its
//! callers pass different variables, the query has no single subject and stays in the shader unchanged.

use std::collections::HashMap;

use naga::{
    Block, Expression, Function, GlobalVariable, Handle, ImageDimension, Module, Statement, Type, TypeInner,
};
use onze_ddi::{ShaderCode, ShaderStage, SlotClass};

use super::{
    bindings::{binding, unordered_binding},
    driver_constants::CountSlot,
    rewrite::calls::{ModuleFunction, inner_blocks},
};

/// A texture or a buffer whose size a shader queries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedBinding {
    /// Position of the count in the driver constants.
    pub(crate) count: CountSlot,
    /// The counted texture or buffer.
    pub(crate) of: CountedResource,
}

impl CountedBinding {
    /// Returns the binding of the counted texture or buffer.
    pub(crate) const fn binding(&self, stage: ShaderStage) -> u32 {
        match self.of {
            CountedResource::Texture { slot } | CountedResource::Buffer { slot, .. } => binding(stage, slot),
            CountedResource::WrittenBuffer { slot, .. } => unordered_binding(stage, slot),
        }
    }
}

/// The subject of a count.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CountedResource {
    /// The texture in a `t` slot.
    Texture { slot: u32 },
    /// The buffer in a `t` slot.
    Buffer { slot: u32, elements: CountedElements },
    /// The buffer in a `u` slot.
    WrittenBuffer { slot: u32, elements: CountedElements },
}

/// The layout of a runtime-sized array whose length a shader queries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedElements {
    /// Bytes before the first element.
    offset: u32,
    /// Bytes of one element.
    stride: u32,
}

impl CountedElements {
    /// Returns the number of elements in a buffer of `size` bytes.
    pub(crate) fn in_bytes(self, size: u32) -> u32 {
        size.saturating_sub(self.offset) / self.stride.max(1)
    }
}

/// An expression that queries a size.
pub(crate) struct SizeQuestion {
    pub(crate) place: ModuleFunction,
    /// The expression whose value is the size.
    pub(crate) expression: Handle<Expression>,
    pub(crate) variable: Handle<GlobalVariable>,
}

/// Returns the textures and buffers whose sizes a shader queries, each once.
pub(crate) fn counted(code: &ShaderCode) -> Box<[CountedBinding]> {
    let mut all: Vec<CountedBinding> = Vec::new();
    for question in questions(&code.module) {
        let counted = counted_variable(&code.module, question.variable);
        all.extend(counted.filter(|counted| !all.contains(counted)));
    }
    all.into()
}

pub(crate) fn counted_variable(module: &Module, variable: Handle<GlobalVariable>) -> Option<CountedBinding> {
    const RESOURCES: u32 = SlotClass::ShaderResource.group();
    const UNORDERED: u32 = SlotClass::UnorderedAccess.group();
    let variable = module.global_variables.try_get(variable).ok()?;
    let naga::ResourceBinding { group, binding: slot } = variable.binding?;
    let inner = module.types.get_handle(variable.ty).map(|ty| &ty.inner);
    if matches!(inner, Ok(TypeInner::Image { dim: ImageDimension::D1, .. })) {
        // The query belongs to a typed buffer or a 1D texture, which the typed pass rewrites.
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

/// Returns the layout of the runtime-sized array at the end of a buffer.
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

/// The variable that all callers pass as an argument, or `None` if callers pass different variables.
type ArgumentVariables = HashMap<(Handle<Function>, u32), Option<Handle<GlobalVariable>>>;

/// Returns the size queries of a module whose subject is one variable.
pub(crate) fn questions(module: &Module) -> Vec<SizeQuestion> {
    let mut found = Vec::new();
    let mut arguments = ArgumentVariables::new();
    // Callers come before their callees: first the entry point, then the functions in reverse order.
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

/// Returns the variable that an expression names, entirely or in part.
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

/// Records the variables that a function passes to its callees.
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
