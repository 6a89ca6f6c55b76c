//! The WGSL functions of typed buffers.
//!
//! Invocations may write neighbouring elements of a word at the same time, so elements shorter than a word
//! are exchanged atomically.

use naga::StorageAccess;
use onze_ddi::{Format, ScalarKind};

use crate::objects::shader::{
    driver_constants::COUNT_VECTORS,
    formats::kind_of,
    passes::wgsl::elements::{ATOMICS, CONVERSIONS, as_viewed, decoded, encoded, scalar_name},
    specialization::view_slots::{SeenView, ViewSlot},
};

/// Returns the WGSL functions of a slot.
pub(super) fn text(slot: &ViewSlot, view: Option<SeenView>) -> String {
    match view {
        Some(view) => text_of_view(slot, view.format),
        None => text_of_nothing(slot),
    }
}

/// Returns functions that read zeros and write nothing.
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

fn text_of_view(slot: &ViewSlot, format: Format) -> String {
    let kind = scalar_name(slot.kind);
    let bytes = format.bytes_per_block();
    let words = bytes.div_ceil(4);
    let is_part = bytes < 4;
    let counts_atomically =
        slot.access.contains(StorageAccess::ATOMIC) && matches!(format, Format::R32_UINT | Format::R32_SINT);
    let is_atomic = slot.unordered && (is_part || counts_atomically);
    // The minimum and the maximum depend on the sign.
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
    let atomics = if slot.unordered { text_of_atomics(slot, counts_atomically) } else { String::new() };
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

/// Returns the atomic functions of a `u` slot. They do nothing unless the format has atomic functions.
fn text_of_atomics(slot: &ViewSlot, counts_atomically: bool) -> String {
    let kind = scalar_name(slot.kind);
    let text = |name: &&str| {
        let body = if counts_atomically {
            format!("if index < elements() {{ {name}(&words[first(index) / 4u], value); }}")
        } else {
            String::new()
        };
        format!("fn of_{name}(index: u32, value: {kind}) {{ {body} }}\n")
    };
    ATOMICS.iter().map(text).collect()
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
