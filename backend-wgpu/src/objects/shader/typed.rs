//! The pass for what a shader reads and writes in the format of the bound view: textures, and typed buffers, which wgpu
//! does not have.
//!
//! A texture gets the format of the view into its declaration. Where no view is, what the shader does with it becomes a
//! call of a function that gives zeros or does nothing.
//!
//! A shader declares a typed buffer as a 1D image. Here it becomes a storage buffer of words, and what the shader does
//! with it a call of a function for the format of the bound view ([`super::elements`]). The elements may begin at any
//! byte, where wgpu binds from aligned ones: the [driver constants](super::driver_constants) have the bytes between, and
//! how many elements there are. Beyond these the functions read zeros and write nothing.
//!
//! Invocations may write neighbours in a word at the same time. So elements that are shorter than a word are exchanged
//! atomically.

use std::collections::HashMap;

use naga::{
    Arena, AtomicFunction, Expression, Function, GlobalVariable, Handle, ImageClass, ImageQuery, Module,
    ScalarKind as Kind, Statement, StorageAccess, StorageFormat, Type, TypeInner,
};
use onze_ddi::{Format, ScalarKind};

use super::{
    calls::{self, Call, Calls},
    driver_constants::COUNT_VECTORS,
    elements::{CONVERSIONS, decoded, encoded, scalar_name},
    image_arguments,
    snippet::Snippet,
    storage_format::storage_format,
    view_slots::{SeenFormats, ViewSlot, seen_format},
};

/// The functions of a slot.
struct Functions {
    by_name: HashMap<String, Handle<Function>>,
    /// They take an index, and a value to store. Those of a texture that is not there take nothing.
    have_arguments: bool,
}

/// The functions of the slots, by the variable.
type Accessors = HashMap<Handle<GlobalVariable>, Functions>;

/// Rewrites a module for the formats of the bound views. `block` is the variable of the driver constants, which a module
/// has if any view is bound.
pub(super) fn apply(
    module: &mut Module,
    slots: &[ViewSlot],
    seen: &SeenFormats,
    block: Option<Handle<GlobalVariable>>,
) {
    image_arguments::resolve(module, &|variable| slots.iter().any(|slot| slot.variable == variable));
    let mut functions = Arena::new();
    let mut accessors = Accessors::new();
    for (at, slot) in slots.iter().enumerate() {
        let format = seen_format(seen, at);
        if slot.texture.is_some() {
            match format.and_then(storage_format) {
                Some(format) => declare_format(module, slot.variable, format),
                None => {
                    let snippet = Snippet::new(module, &text_of_no_texture(slot), &[]);
                    let by_name = snippet.import(&mut functions);
                    accessors.insert(slot.variable, Functions { by_name, have_arguments: false });
                }
            }
            continue;
        }
        let format = format.filter(|_| block.is_some());
        let variables = [("words", Some(slot.variable)), ("driver_constants", block)];
        let mut snippet = Snippet::new(module, &text(slot, format), &variables);
        snippet.retype("words");
        let by_name = snippet.import(&mut functions);
        accessors.insert(slot.variable, Functions { by_name, have_arguments: true });
    }
    let mut calls = Calls::new();
    for place in calls::places(module) {
        let Some(function) = calls::function_at(module, place) else { continue };
        let found: Vec<_> =
            function.expressions.iter().map(|(handle, found)| (handle, found.clone())).collect();
        for (handle, expression) in found {
            if let Some(call) = of_expression(&mut function.expressions, &expression, &accessors) {
                calls.insert((place, handle), Call { result: Some(handle), ..call });
            }
        }
    }
    calls::insert(module, functions, &calls, &mut |expressions, statement| {
        of_statement(expressions, statement, &accessors)
    });
    // The variables of slots without a view are used no more.
    naga::compact::compact(module, naga::compact::KeepUnused::No);
}

/// Gives the variable of a texture the format of the bound view.
fn declare_format(module: &mut Module, variable: Handle<GlobalVariable>, format: StorageFormat) {
    let ty = module.types[module.global_variables[variable].ty].clone();
    if let TypeInner::Image { dim, arrayed, class: ImageClass::Storage { access, .. } } = ty.inner {
        let inner = TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, access } };
        let ty = module.types.insert(Type { name: ty.name, inner }, naga::Span::UNDEFINED);
        module.global_variables.get_mut(variable).ty = ty;
    }
}

/// The call of a function of the buffer, or of the missing texture, that an image expression is. A negative index is
/// beyond all elements.
fn call(
    expressions: &mut Arena<Expression>,
    (image, name): (Handle<Expression>, &str),
    coordinate: Option<Handle<Expression>>,
    value: Option<Handle<Expression>>,
    accessors: &Accessors,
) -> Option<Call> {
    let Expression::GlobalVariable(variable) = expressions.try_get(image).ok()? else { return None };
    let functions = accessors.get(variable)?;
    let function = *functions.by_name.get(name)?;
    if !functions.have_arguments {
        return Some(Call { function, arguments: Vec::new(), emits: None, result: None });
    }
    let before = expressions.len();
    let index = coordinate.map(|coordinate| {
        let bits = Expression::As { expr: coordinate, kind: Kind::Uint, convert: None };
        expressions.append(bits, naga::Span::UNDEFINED)
    });
    let emits = index.map(|_| expressions.range_from(before));
    Some(Call { function, arguments: index.into_iter().chain(value).collect(), emits, result: None })
}

fn of_expression(
    expressions: &mut Arena<Expression>,
    expression: &Expression,
    accessors: &Accessors,
) -> Option<Call> {
    match *expression {
        Expression::ImageLoad { image, coordinate, .. } => {
            call(expressions, (image, "load"), Some(coordinate), None, accessors)
        }
        Expression::ImageQuery { image, query } => {
            let name = if matches!(query, ImageQuery::Size { .. }) { "elements" } else { "levels" };
            call(expressions, (image, name), None, None, accessors)
        }
        _ => None,
    }
}

fn of_statement(
    expressions: &mut Arena<Expression>,
    statement: &Statement,
    accessors: &Accessors,
) -> Option<Call> {
    let (image, coordinate, value, name) = match *statement {
        Statement::ImageStore { image, coordinate, value, .. } => (image, coordinate, value, "store"),
        Statement::ImageAtomic { image, coordinate, fun, value, .. } => {
            (image, coordinate, value, atomic_function(&fun)?)
        }
        _ => return None,
    };
    call(expressions, (image, name), Some(coordinate), Some(value), accessors)
}

/// The names of the atomic functions that WGSL has for images, and of those of a buffer.
const ATOMICS: [&str; 6] = ["atomicAdd", "atomicAnd", "atomicMax", "atomicMin", "atomicOr", "atomicXor"];

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
fn text(slot: &ViewSlot, format: Option<Format>) -> String {
    match format {
        Some(format) => text_of_view(slot, format),
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
        fn store(index: u32, value: vec4<{kind}>) {{}}
        {atomics}"
    )
}

/// The same for a texture. What it is asked with does not matter.
fn text_of_no_texture(slot: &ViewSlot) -> String {
    let kind = scalar_name(slot.kind);
    let atomics: String = ATOMICS.iter().map(|name| format!("fn of_{name}() {{}}\n")).collect();
    format!(
        "
        fn elements() -> vec2<u32> {{ return vec2<u32>(); }}
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
    format!(
        "fn store(index: u32, value: vec4<{kind}>) {{
            if index >= elements() {{ return; }}
            let at = first(index);
            {writes}
        }}"
    )
}
