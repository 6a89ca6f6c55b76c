//! Checks that the prelude contains all names that calls need.
//!
//! The tests read the sources, because a compiled crate does not list its names.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod sources;

use std::collections::BTreeSet;

use sources::sources_of;

/// Exports of the crate that are not in the prelude.
const LEFT_OUT: [&str; 26] = [
    // Names that games and engines often define themselves.
    "Counter",
    "Error",
    "Index",
    "Object",
    "Query",
    "Rect",
    "Resource",
    // Items for adapters and loading, which a program usually names only once.
    "Guid",
    "create_device_async",
    "enum_adapter_by_luid",
    "enum_warp_adapter",
    "enumerate_adapters_async",
    "enumerate_adapters_by_gpu_preference",
    // Items that programs seldom name: details of errors, and items that derive macros use.
    "DEFAULT_MESSAGE_COUNT_LIMIT",
    "LinkageError",
    "ShaderError",
    "UnknownNumber",
    "VertexField",
    // Modules, crates, and the keyword `as` of renamed exports.
    "ddi",
    "hlsl",
    "onze_ddi",
    "onze_hlsl",
    "as",
    // Items for shaders that are composed of modules.
    "ComposedShader",
    "ShaderDefinition",
    "ShaderModules",
];

/// Names in signatures that are types of the standard library or type parameters.
const KNOWN: [&str; 33] = [
    "A",
    "B",
    "Arc",
    "AsRef",
    "Box",
    "C",
    "Cow",
    "Duration",
    "F",
    "FnMut",
    "FnOnce",
    "Data",
    "Fn",
    "I",
    "Into",
    "IntoIterator",
    "Item",
    "N",
    "NonZeroU32",
    "Option",
    "Path",
    "Q",
    "R",
    "Result",
    "S",
    "Self",
    "Send",
    "Sized",
    "String",
    "T",
    "V",
    "Vec",
    "Waker",
];

/// The types whose methods are considered calls of the library.
const CALLS: [&str; 6] =
    ["Device", "DeviceContext", "ImmediateContext", "DeferredContext", "SwapChain", "InfoQueue"];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Returns the exports of the crate and the exports of the prelude, from `lib.rs`.
fn exports() -> (BTreeSet<String>, BTreeSet<String>) {
    let sources = sources_of("src");
    let (_, lib) = sources.iter().find(|(path, _)| path.ends_with("src/lib.rs")).unwrap();
    let (root, prelude) = lib.split_once("pub mod prelude {").unwrap();
    (used(root), used(prelude))
}

/// Returns the names after `pub use`, without the paths in front of braces.
fn used(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in text.split("pub use ").skip(1) {
        let (item, _) = item.split_once(';').unwrap();
        let list = item.split_once('{').map(|(_, list)| list);
        let list = list.or_else(|| Some(item.rsplit_once("::")?.1)).unwrap_or(item);
        names.extend(words(list).map(str::to_owned));
    }
    names
}

#[test]
fn every_export_is_in_the_prelude_or_excluded_by_name() {
    let (root, prelude) = exports();
    assert!(root.len() > 150 && prelude.len() > 100, "{} {}", root.len(), prelude.len());
    let missing: Vec<_> =
        root.iter().filter(|name| !prelude.contains(*name) && !LEFT_OUT.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "neither in the prelude nor left out: {missing:?}");
    let both: Vec<_> = LEFT_OUT.iter().filter(|name| prelude.contains(**name)).collect();
    assert!(both.is_empty(), "in the prelude and left out: {both:?}");
}

/// Returns the signatures of public methods, with the types that the methods belong to.
fn signatures(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for block in text.split("\nimpl").skip(1) {
        let (header, body) = block.split_once('{').unwrap();
        if header.contains(" for ") {
            continue;
        }
        let Some(of) = words(header).find(|word| CALLS.contains(word)) else { continue };
        // The block ends with the first brace at the start of a line.
        let body = body.split("\n}").next().unwrap();
        for method in body.split("pub fn ").skip(1) {
            let signature = method.split(" {\n").next().unwrap().split(" where").next().unwrap();
            found.push((of.to_owned(), signature.to_owned()));
        }
    }
    found
}

#[test]
fn every_type_of_a_call_is_exported_by_the_crate() {
    let (root, prelude) = exports();
    let (mut calls, mut missing) = (0, BTreeSet::new());
    for (path, text) in sources_of("src") {
        for (of, signature) in signatures(&text) {
            calls += 1;
            let types = words(&signature).filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
            for name in types {
                let is_known = KNOWN.contains(&name) || root.contains(name) || prelude.contains(name);
                if !is_known && !signature.contains(&format!("onze_ddi::{name}")) {
                    missing.insert(format!("{name} of {of}::{signature} in {}", path.display()));
                }
            }
        }
    }
    assert!(calls > 150, "only {calls} calls were found");
    assert!(missing.is_empty(), "{missing:#?}");
}
