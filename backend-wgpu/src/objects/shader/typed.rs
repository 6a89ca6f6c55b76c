//! The pass for what a shader reads and writes in the format of the bound view: textures, and typed buffers, which wgpu
//! does not have.
//!
//! A texture gets the format of the view into its declaration. Where no view is, what the shader does with it becomes a
//! call of a function that gives zeros or does nothing.
//!
//! A shader declares a typed buffer as a 1D image, and a 1D texture too; the bound view says which it is. A 1D texture
//! becomes a 2D one ([`super::rows`]). A typed buffer becomes a storage buffer of words, and what the shader does
//! with it a call of a function for the format of the bound view ([`super::elements`]). The elements may begin at any
//! byte, where wgpu binds from aligned ones: the [driver constants](super::driver_constants) have the bytes between, and
//! how many elements there are. Beyond these the functions read zeros and write nothing.
//!
//! Invocations may write neighbours in a word at the same time. So elements that are shorter than a word are exchanged
//! atomically.

use std::collections::HashMap;

use naga::{
    Arena, AtomicFunction, Expression, Function, GlobalVariable, Handle, ImageClass, ImageDimension,
    ImageQuery, Module, SampleLevel, ScalarKind as Kind, Statement, StorageAccess, StorageFormat, Type,
    TypeInner,
};
use onze_ddi::{Format, ScalarKind, TextureDimension};

use super::{
    calls::{self, ExpressionCalls, ReplacementCall},
    depth_slices,
    driver_constants::COUNT_VECTORS,
    elements::{CONVERSIONS, decoded, encoded, scalar_name},
    image_arguments,
    other_kinds::{self, as_viewed},
    rows,
    snippet::Snippet,
    storage_format::storage_format,
    view_slots::{SeenKind, SeenSlots, SeenView, ViewSlot, kind_of, seen_view},
};

/// The functions of a slot.
struct SlotFunctions {
    by_name: HashMap<String, Handle<Function>>,
    take: FunctionInput,
}

/// What the functions of a slot take.
#[derive(Copy, Clone, PartialEq, Eq)]
enum FunctionInput {
    /// Nothing, as there is no view.
    Nothing,
    /// An index or a vector of them, and a value to store.
    Place,
    /// The same with a slice, if the texture has slices.
    PlaceAndSlice,
    /// The same with a mip level, or a sampler and what it is used with.
    PlaceAndLevel,
}

/// The functions of the slots, by the variable.
type Accessors = HashMap<Handle<GlobalVariable>, SlotFunctions>;

/// Rewrites a module for the bound views. `block` is the variable of the driver constants, which a module
/// has if any view is bound.
pub(super) fn apply(
    module: &mut Module,
    slots: &[ViewSlot],
    seen: &SeenSlots,
    block: Option<Handle<GlobalVariable>>,
) {
    image_arguments::resolve(module, &|variable| slots.iter().any(|slot| slot.variable == variable));
    let mut functions = Arena::new();
    let mut accessors = Accessors::new();
    for (at, slot) in slots.iter().enumerate() {
        // Only what is in the driver constants needs the block.
        let needs_block = |kind| matches!(kind, SeenKind::Buffer | SeenKind::DepthSlices);
        let view = seen_view(seen, at).filter(|view| block.is_some() || !needs_block(view.kind));
        let variables = [("words", Some(slot.variable)), ("driver_constants", block)];
        let mut add = |module: &mut Module, text: &str, retypes: bool, take| {
            let mut snippet = Snippet::new(module, text, &variables);
            if retypes {
                snippet.retype("words");
            }
            let by_name = snippet.import(&mut functions);
            accessors.insert(slot.variable, SlotFunctions { by_name, take });
        };
        // As the shader declares it, and as the view has it.
        let kinds = (slot.kind, view.map_or(slot.kind, |view| kind_of(view.format)));
        let written = view.and_then(|view| storage_format(view.format)).filter(|_| slot.unordered);
        match (view.map(|view| view.kind), written) {
            (Some(SeenKind::Buffer), _) => add(module, &text(slot, view), true, FunctionInput::Place),
            (Some(SeenKind::Row { .. }), Some(format)) => {
                declare(module, slot.variable, ImageDimension::D2, format);
                add(module, &rows::text_of_writes(kinds, slot.access), false, FunctionInput::Place);
            }
            (Some(SeenKind::Row { .. }), None) => {
                add(module, &rows::text(kinds.0, kinds.1), true, FunctionInput::PlaceAndLevel);
            }
            (Some(SeenKind::DepthSlices), Some(format)) => {
                declare(module, slot.variable, ImageDimension::D3, format);
                let text = depth_slices::text(kinds, slot.access, slot.count());
                add(module, &text, false, FunctionInput::Place);
            }
            (Some(SeenKind::Texture), Some(format)) => {
                let ty = module.global_variables[slot.variable].ty;
                if let TypeInner::Image { dim, arrayed, .. } = module.types[ty].inner {
                    declare(module, slot.variable, dim, format);
                    if kinds.0 != kinds.1 {
                        let text = other_kinds::text_of_writes((dim, arrayed), kinds, slot.access);
                        add(module, &text, false, FunctionInput::PlaceAndSlice);
                    }
                }
            }
            _ if slot.texture.is_some() => {
                add(module, &text_of_no_texture(slot), false, FunctionInput::Nothing);
            }
            _ => add(module, &text(slot, None), true, FunctionInput::Place),
        }
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
    // The variables of slots without a view are used no more.
    naga::compact::compact(module, naga::compact::KeepUnused::No);
}

/// Gives the variable of a texture the format of the bound view, and perhaps another dimension.
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

/// What an image expression is given.
#[derive(Default)]
struct ImageArguments<'a> {
    /// Whole numbers, which become unsigned ones: a negative index exceeds every valid one.
    places: &'a [Handle<Expression>],
    /// What the function takes as it is, behind them.
    values: &'a [Handle<Expression>],
}

/// The call of a function of the buffer, or of the texture, that an image expression is.
fn call(
    expressions: &mut Arena<Expression>,
    (image, name): (Handle<Expression>, &str),
    given: &ImageArguments<'_>,
    accessors: &Accessors,
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

/// The functions of an image, if it has any.
fn functions_of<'a>(
    expressions: &Arena<Expression>,
    image: Handle<Expression>,
    accessors: &'a Accessors,
) -> Option<&'a SlotFunctions> {
    let Expression::GlobalVariable(variable) = expressions.try_get(image).ok()? else { return None };
    accessors.get(variable)
}

fn of_expression(
    expressions: &mut Arena<Expression>,
    expression: &Expression,
    accessors: &Accessors,
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
    accessors: &Accessors,
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

/// The names of the atomic functions that WGSL has for images, and of those of a buffer.
pub(super) const ATOMICS: [&str; 6] =
    ["atomicAdd", "atomicAnd", "atomicMax", "atomicMin", "atomicOr", "atomicXor"];

const fn atomic_function(function: &AtomicFunction) -> Option<&'static str> {
    match function {
        AtomicFunction::Add => Some("of_atomicAdd"),
        AtomicFunction::And => Some("of_atomicAnd"),
        AtomicFunction::Max => Some("of_atomicMax"),
        AtomicFunction::Min => Some("of_atomicMin"),
        AtomicFunction::InclusiveOr => Some("of_atomicOr"),
        AtomicFunction::ExclusiveOr => Some("of_atomicXor"),
        // The validation lets images have no others.
        AtomicFunction::Subtract | AtomicFunction::Exchange { .. } => None,
    }
}

/// The functions of a slot, in WGSL.
fn text(slot: &ViewSlot, view: Option<SeenView>) -> String {
    match view {
        Some(view) => text_of_view(slot, view.format),
        None => text_of_nothing(slot),
    }
}

/// Zeros are read, and nothing is written.
fn text_of_nothing(slot: &ViewSlot) -> String {
    let kind = scalar_name(slot.kind);
    let atomics: String =
        ATOMICS.iter().map(|name| format!("fn of_{name}(index: u32, value: {kind}) {{}}\n")).collect();
    format!(
        "
        fn elements() -> u32 {{ return 0u; }}
        fn levels() -> u32 {{ return 0u; }}
        fn load(index: u32) -> vec4<{kind}> {{ return vec4<{kind}>(); }}
        fn sample() -> vec4<{kind}> {{ return vec4<{kind}>(); }}
        fn store(index: u32, value: vec4<{kind}>) {{}}
        {atomics}"
    )
}

/// The same for a texture. What it is asked with does not matter.
fn text_of_no_texture(slot: &ViewSlot) -> String {
    let kind = scalar_name(slot.kind);
    let atomics: String = ATOMICS.iter().map(|name| format!("fn of_{name}() {{}}\n")).collect();
    let size = if slot.texture == Some(TextureDimension::D3) { "vec3<u32>" } else { "vec2<u32>" };
    format!(
        "
        fn elements() -> {size} {{ return {size}(); }}
        fn levels() -> u32 {{ return 0u; }}
        fn load() -> vec4<{kind}> {{ return vec4<{kind}>(); }}
        fn store() {{}}
        {atomics}"
    )
}

fn text_of_view(slot: &ViewSlot, format: Format) -> String {
    let kind = scalar_name(slot.kind);
    let bytes = format.bytes_per_block();
    let words = bytes.div_ceil(4);
    let is_part = bytes < 4;
    let counts_atomically =
        slot.access.contains(StorageAccess::ATOMIC) && matches!(format, Format::R32_UINT | Format::R32_SINT);
    let is_atomic = slot.unordered && (is_part || counts_atomically);
    // Signed numbers have another least and most.
    let word = if counts_atomically && slot.kind == ScalarKind::Sint { "i32" } else { "u32" };
    let (variable, read) = match (slot.unordered, is_atomic) {
        (false, _) => ("var<storage> words: array<u32>".to_owned(), "words[at]".to_owned()),
        (true, false) => ("var<storage, read_write> words: array<u32>".to_owned(), "words[at]".to_owned()),
        (true, true) => (
            format!("var<storage, read_write> words: array<atomic<{word}>>"),
            "bitcast<u32>(atomicLoad(&words[at]))".to_owned(),
        ),
    };
    let (count, first) = (slot.count(), slot.count().first_byte());
    let loads: String = (0..words)
        .map(|at| {
            let shift = if is_part { " >> (at % 4u * 8u)" } else { "" };
            format!("let word{at} = word(at / 4u + {at}u){shift};\n")
        })
        .collect();
    let decoded = decoded(format, slot.kind);
    let writes = if slot.unordered { text_of_writes(slot, format, is_atomic, word) } else { String::new() };
    let atomics: String = ATOMICS
        .iter()
        .filter(|_| slot.unordered)
        .map(|name| {
            let body = if counts_atomically {
                format!("if index < elements() {{ {name}(&words[first(index) / 4u], value); }}")
            } else {
                String::new()
            };
            format!("fn of_{name}(index: u32, value: {kind}) {{ {body} }}\n")
        })
        .collect();
    format!(
        "
        struct DriverConstants {{ counts: array<vec4<u32>, {COUNT_VECTORS}> }}
        @group(0) @binding(0) var<uniform> driver_constants: DriverConstants;
        @group(0) @binding(1) {variable};
        {CONVERSIONS}
        fn elements() -> u32 {{ return driver_constants.counts[{}][{}]; }}
        fn levels() -> u32 {{ return min(elements(), 1u); }}
        fn first(index: u32) -> u32 {{ return driver_constants.counts[{}][{}] + index * {bytes}u; }}
        fn word(at: u32) -> u32 {{ return {read}; }}
        fn sample() -> vec4<{kind}> {{ return vec4<{kind}>(); }}
        fn load(index: u32) -> vec4<{kind}> {{
            if index >= elements() {{ return vec4<{kind}>(); }}
            let at = first(index);
            {loads}
            return {decoded};
        }}
        {writes}
        {atomics}",
        count.vector(),
        count.component(),
        first.vector(),
        first.component(),
    )
}

fn text_of_writes(slot: &ViewSlot, format: Format, is_atomic: bool, word: &str) -> String {
    let kind = scalar_name(slot.kind);
    let bytes = format.bytes_per_block();
    let encoded = encoded(format);
    let writes: String = if bytes < 4 {
        let (value, ones) = (encoded.join(""), u32::MAX >> (32 - 8 * bytes));
        format!(
            "let shift = at % 4u * 8u;
            let bits = ({value}) << shift;
            let kept = ~({ones}u << shift);
            var old = atomicLoad(&words[at / 4u]);
            loop {{
                let result = atomicCompareExchangeWeak(&words[at / 4u], old, (old & kept) | bits);
                if result.exchanged {{ break; }}
                old = result.old_value;
            }}"
        )
    } else {
        let write = |(at, value): (usize, String)| {
            if is_atomic {
                format!("atomicStore(&words[at / 4u + {at}u], bitcast<{word}>({value}));\n")
            } else {
                format!("words[at / 4u + {at}u] = {value};\n")
            }
        };
        encoded.into_iter().enumerate().map(write).collect()
    };
    let value = as_viewed("given", slot.kind, kind_of(format));
    format!(
        "fn store(index: u32, given: vec4<{kind}>) {{
            if index >= elements() {{ return; }}
            let at = first(index);
            let value = {value};
            {writes}
        }}"
    )
}
