//! The pass for resources that a shader accesses in the format of the bound view: written textures and typed
//! buffers.
//!
//! A written texture gets the view's format in its declaration. If no view is bound, the accesses become
//! calls of functions that return zeros or do nothing.
//!
//! A shader declares both a typed buffer and a 1D texture as a 1D image, and the bound view decides between
//! them. A 1D texture becomes a 2D texture ([`textures`]). A typed buffer becomes a storage buffer of words,
//! and each access the call of a function for the format of the bound view ([`buffers`]). Elements may begin
//! at any byte, but wgpu binds buffers at aligned offsets. The [driver constants](super::driver_constants)
//! hold the bytes between, and the number of elements. Beyond that number the functions read zeros and write
//! nothing.

mod buffers;
mod textures;

use std::collections::HashMap;

use naga::{
    Arena, AtomicFunction, Expression, Function, GlobalVariable, Handle, ImageClass, ImageDimension,
    ImageQuery, Module, SampleLevel, ScalarKind as Kind, Statement, StorageFormat, Type, TypeInner,
};
use onze_ddi::ShaderStage;

use crate::objects::shader::{
    bindings::RESOURCE_GROUP,
    formats::{kind_of, storage_format},
    rewrite::{
        calls::{self, ExpressionCalls, ReplacementCall},
        image_arguments,
        snippet::Snippet,
        variables::variable_at,
    },
    specialization::view_slots::{SeenKind, SeenSlots, SeenView, ViewSlot, seen_view},
};

use super::{
    context::{ModulePass, PassScope},
    driver_constants,
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "typed",
    scope: PassScope::Shader,
    applies: |context| !ViewSlot::all(&context.code.reflection).is_empty(),
    run: |context| {
        let slots = ViewSlot::all(&context.code.reflection);
        let (views, block) = (&context.key.seen.views, driver_constants::variable(context));
        apply(&mut context.module, context.stage, &slots, views, block);
    },
};

/// The functions of a slot in the module.
struct SlotFunctions {
    by_name: HashMap<String, Handle<Function>>,
    take: FunctionInput,
}

/// The arguments of a slot's functions.
#[derive(Copy, Clone, PartialEq, Eq)]
enum FunctionInput {
    /// No arguments, because no view is bound.
    Nothing,
    /// An index or a vector of indices, and a value to store.
    Place,
    /// The arguments of [`FunctionInput::Place`], and a slice if the texture has slices.
    PlaceAndSlice,
    /// The arguments of [`FunctionInput::Place`], and a mip level, or a sampler with its arguments.
    PlaceAndLevel,
}

/// The functions of the slots, by variable.
type SlotAccessors = HashMap<Handle<GlobalVariable>, SlotFunctions>;

/// Rewrites a module for the bound views. `block` is the variable of the driver constants, which exists if
/// any view is bound.
fn apply(
    module: &mut Module,
    stage: ShaderStage,
    slots: &[ViewSlot],
    seen: &SeenSlots,
    block: Option<Handle<GlobalVariable>>,
) {
    let bound = |(at, slot): (usize, &ViewSlot)| {
        let variable = variable_at(module, RESOURCE_GROUP, slot.binding(stage))?;
        Some((variable, *slot, seen_view(seen, at)))
    };
    let slots: Vec<_> = slots.iter().enumerate().filter_map(bound).collect();
    image_arguments::resolve(module, &|variable| slots.iter().any(|(known, ..)| *known == variable));
    let mut functions = Arena::new();
    let mut accessors = SlotAccessors::new();
    for (variable, slot, view) in slots {
        // Only functions that read the driver constants need the block.
        let needs_block = |kind| matches!(kind, SeenKind::Buffer | SeenKind::DepthSlices);
        let view = view.filter(|view| block.is_some() || !needs_block(view.kind));
        let Some(SlotCode { text, retypes, take }) = slot_code(module, variable, &slot, view) else {
            continue;
        };
        let variables = [("words", Some(variable)), ("driver_constants", block)];
        let mut snippet = Snippet::new(module, &text, &variables);
        if retypes {
            snippet.retype("words");
        }
        accessors.insert(variable, SlotFunctions { by_name: snippet.import(&mut functions), take });
    }
    let mut calls = ExpressionCalls::new();
    for place in calls::places(module) {
        let Some(function) = calls::function_at(module, place) else { continue };
        let found: Vec<_> =
            function.expressions.iter().map(|(handle, found)| (handle, found.clone())).collect();
        for (handle, expression) in found {
            if let Some(call) = of_expression(&mut function.expressions, &expression, &accessors) {
                calls.insert((place, handle), ReplacementCall { result: Some(handle), ..call });
            }
        }
    }
    calls::insert(module, functions, &calls, &mut |expressions, statement| {
        of_statement(expressions, statement, &accessors)
    });
    // Removes the unused variables of slots without a view.
    naga::compact::compact(module, naga::compact::KeepUnused::No);
}

/// The WGSL functions of a slot, before they are added to the module.
struct SlotCode {
    text: String,
    /// Whether the text also declares the type of the slot's variable.
    retypes: bool,
    take: FunctionInput,
}

/// Declares the slot's variable for the view, and returns the functions that replace the accesses. Returns
/// `None` if the shader's own accesses suit the declaration.
fn slot_code(
    module: &mut Module,
    variable: Handle<GlobalVariable>,
    slot: &ViewSlot,
    view: Option<SeenView>,
) -> Option<SlotCode> {
    // The declared kind, followed by the kind of the view.
    let kinds = (slot.kind, view.map_or(slot.kind, |view| kind_of(view.format)));
    let written = view.and_then(|view| storage_format(view.format)).filter(|_| slot.unordered);
    let keeps_type = |text, take| Some(SlotCode { text, retypes: false, take });
    let retypes = |text, take| Some(SlotCode { text, retypes: true, take });
    match (view.map(|view| view.kind), written) {
        (Some(SeenKind::Buffer), _) => retypes(buffers::text(slot, view), FunctionInput::Place),
        (Some(SeenKind::Row { .. }), Some(format)) => {
            declare(module, variable, ImageDimension::D2, format);
            keeps_type(textures::text_of_written_row(kinds, slot.access), FunctionInput::Place)
        }
        (Some(SeenKind::Row { .. }), None) => {
            retypes(textures::text_of_row(kinds.0, kinds.1), FunctionInput::PlaceAndLevel)
        }
        (Some(SeenKind::DepthSlices), Some(format)) => {
            declare(module, variable, ImageDimension::D3, format);
            let text = textures::text_of_depth_slices(kinds, slot.access, slot.count());
            keeps_type(text, FunctionInput::Place)
        }
        (Some(SeenKind::Texture), Some(format)) => {
            let ty = module.global_variables[variable].ty;
            let TypeInner::Image { dim, arrayed, .. } = module.types[ty].inner else { return None };
            declare(module, variable, dim, format);
            if kinds.0 == kinds.1 {
                return None;
            }
            let text = textures::text_of_other_kind((dim, arrayed), kinds, slot.access);
            keeps_type(text, FunctionInput::PlaceAndSlice)
        }
        _ if slot.texture.is_some() => keeps_type(textures::text_of_no_texture(slot), FunctionInput::Nothing),
        _ => retypes(buffers::text(slot, None), FunctionInput::Place),
    }
}

/// Gives the variable of a texture the format of the bound view and a dimension.
fn declare(
    module: &mut Module,
    variable: Handle<GlobalVariable>,
    dim: ImageDimension,
    format: StorageFormat,
) {
    let ty = module.types[module.global_variables[variable].ty].clone();
    if let TypeInner::Image { arrayed, class: ImageClass::Storage { access, .. }, .. } = ty.inner {
        let inner = TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, access } };
        let ty = module.types.insert(Type { name: ty.name, inner }, naga::Span::UNDEFINED);
        module.global_variables.get_mut(variable).ty = ty;
    }
}

/// The arguments of an image expression.
#[derive(Default)]
struct ImageArguments<'a> {
    /// Integers, which are converted to unsigned ones. A negative index then exceeds every valid index.
    places: &'a [Handle<Expression>],
    /// Values that are passed unchanged after the indices.
    values: &'a [Handle<Expression>],
}

/// Returns the call that replaces an image expression.
fn call(
    expressions: &mut Arena<Expression>,
    (image, name): (Handle<Expression>, &str),
    given: &ImageArguments<'_>,
    accessors: &SlotAccessors,
) -> Option<ReplacementCall> {
    let functions = functions_of(expressions, image, accessors)?;
    let function = *functions.by_name.get(name)?;
    if functions.take == FunctionInput::Nothing {
        return Some(ReplacementCall { function, arguments: Vec::new(), emits: None, result: None });
    }
    let before = expressions.len();
    let mut arguments: Vec<_> = given
        .places
        .iter()
        .map(|place| {
            let bits = Expression::As { expr: *place, kind: Kind::Uint, convert: None };
            expressions.append(bits, naga::Span::UNDEFINED)
        })
        .collect();
    let emits = (!arguments.is_empty()).then(|| expressions.range_from(before));
    arguments.extend(given.values);
    Some(ReplacementCall { function, arguments, emits, result: None })
}

/// Returns the functions of an image, if its slot has any.
fn functions_of<'a>(
    expressions: &Arena<Expression>,
    image: Handle<Expression>,
    accessors: &'a SlotAccessors,
) -> Option<&'a SlotFunctions> {
    let Expression::GlobalVariable(variable) = expressions.try_get(image).ok()? else { return None };
    accessors.get(variable)
}

fn of_expression(
    expressions: &mut Arena<Expression>,
    expression: &Expression,
    accessors: &SlotAccessors,
) -> Option<ReplacementCall> {
    match *expression {
        Expression::ImageLoad { image, coordinate, array_index, level, .. } => {
            let take = functions_of(expressions, image, accessors)?.take;
            let slice = array_index.filter(|_| take == FunctionInput::PlaceAndSlice);
            let level = level.filter(|_| take == FunctionInput::PlaceAndLevel);
            let places: Vec<_> = [coordinate].into_iter().chain(slice).chain(level).collect();
            call(expressions, (image, "load"), &ImageArguments { places: &places, values: &[] }, accessors)
        }
        Expression::ImageQuery { image, query } => {
            let has_level = functions_of(expressions, image, accessors)?.take == FunctionInput::PlaceAndLevel;
            match query {
                ImageQuery::Size { level: Some(level) } if has_level => {
                    let given = ImageArguments { places: &[level], values: &[] };
                    call(expressions, (image, "elements_of_level"), &given, accessors)
                }
                ImageQuery::Size { .. } => {
                    call(expressions, (image, "elements"), &ImageArguments::default(), accessors)
                }
                _ => call(expressions, (image, "levels"), &ImageArguments::default(), accessors),
            }
        }
        Expression::ImageSample { image, sampler, coordinate, level, .. } => {
            if functions_of(expressions, image, accessors)?.take != FunctionInput::PlaceAndLevel {
                return call(expressions, (image, "sample"), &ImageArguments::default(), accessors);
            }
            let (name, more) = match level {
                SampleLevel::Auto => ("sample", [None, None]),
                SampleLevel::Zero => ("sample_first", [None, None]),
                SampleLevel::Exact(level) => ("sample_level", [Some(level), None]),
                SampleLevel::Bias(bias) => ("sample_bias", [Some(bias), None]),
                SampleLevel::Gradient { x, y } => ("sample_grad", [Some(x), Some(y)]),
            };
            let values: Vec<_> =
                [sampler, coordinate].into_iter().chain(more.into_iter().flatten()).collect();
            call(expressions, (image, name), &ImageArguments { places: &[], values: &values }, accessors)
        }
        _ => None,
    }
}

fn of_statement(
    expressions: &mut Arena<Expression>,
    statement: &Statement,
    accessors: &SlotAccessors,
) -> Option<ReplacementCall> {
    let (image, coordinate, slice, value, name) = match *statement {
        Statement::ImageStore { image, coordinate, array_index, value } => {
            (image, coordinate, array_index, value, "store")
        }
        Statement::ImageAtomic { image, coordinate, fun, value, .. } => {
            (image, coordinate, None, value, atomic_function(&fun)?)
        }
        _ => return None,
    };
    let has_slice = functions_of(expressions, image, accessors)?.take == FunctionInput::PlaceAndSlice;
    let places: Vec<_> = [coordinate].into_iter().chain(slice.filter(|_| has_slice)).collect();
    call(expressions, (image, name), &ImageArguments { places: &places, values: &[value] }, accessors)
}

const fn atomic_function(function: &AtomicFunction) -> Option<&'static str> {
    match function {
        AtomicFunction::Add => Some("of_atomicAdd"),
        AtomicFunction::And => Some("of_atomicAnd"),
        AtomicFunction::Max => Some("of_atomicMax"),
        AtomicFunction::Min => Some("of_atomicMin"),
        AtomicFunction::InclusiveOr => Some("of_atomicOr"),
        AtomicFunction::ExclusiveOr => Some("of_atomicXor"),
        // naga's validator rejects other atomic functions on images.
        AtomicFunction::Subtract | AtomicFunction::Exchange { .. } => None,
    }
}
