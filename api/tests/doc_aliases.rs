//! Checks that the documentation's search finds items by their Direct3D names: if a doc comment names a
//! counterpart in Direct3D, the item must have a `#[doc(alias)]` with that name.
//!
//! The test reads the sources, because aliases leave no trace in a compiled crate. A sentence names
//! counterparts if it contains `D3D11:`, `D3D11.1:` or `DXGI:`, or if it begins with `Stands for` or with a
//! name from Direct3D. The alias for a path, such as `ID3D11Device::CreateBuffer`, is its last segment. For
//! items that a macro generates, the doc comment and the alias take the name from the same literal among the
//! macro's arguments.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod sources;

use sources::{Item, all_sources, concat, is_word, items, macro_pairs};

const MARKS: [&str; 3] = ["D3D11: ", "D3D11.1: ", "DXGI: "];
const PREFIXES: [&str; 4] = ["D3D", "DXGI_", "ID3D", "IDXGI"];
/// Separators between two names in a list of counterparts.
const JOINTS: [&str; 8] = [", and of ", ", and ", ", ", " and of ", " and ", " or ", " with ", " of "];

/// Returns the rest of a sentence from the names of counterparts on, or `None` if it names no counterpart.
fn counterparts_of(sentence: &str) -> Option<&str> {
    let marked = |mark: &str| {
        let at = sentence.find(mark)?;
        let before = sentence[..at].chars().next_back();
        before.is_none_or(|c| c == ' ' || c == '(').then(|| &sentence[at + mark.len()..])
    };
    if let Some(rest) = MARKS.iter().find_map(|mark| marked(mark)) {
        return Some(rest);
    }
    let name = sentence.strip_prefix('`').unwrap_or("$");
    let begins = PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || sentence.starts_with("`$");
    (begins || sentence.starts_with("Stands for ")).then_some(sentence)
}

/// Returns the first list of code spans, which only [`JOINTS`] may separate.
fn first_list(text: &str) -> Vec<&str> {
    let mut spans = Vec::new();
    let mut parts = text.split('`');
    if parts.next().is_none_or(|before| before.contains(';')) {
        return spans;
    }
    while let Some(span) = parts.next() {
        spans.push(span);
        if !parts.next().is_some_and(|joint| JOINTS.contains(&joint)) {
            break;
        }
    }
    spans
}

/// Returns the names of the counterparts in a doc comment, as they appear in aliases.
fn names(doc: &str) -> Vec<String> {
    let mut names = Vec::new();
    for paragraph in doc.split("\n\n") {
        let paragraph = paragraph.replace('\n', " ") + " ";
        for sentence in paragraph.split(". ") {
            let spans = counterparts_of(sentence.trim()).map(first_list).unwrap_or_default();
            for name in spans.iter().flat_map(|span| span.split('|')) {
                let name = name.trim().rsplit("::").next().unwrap();
                let name = name.split('(').next().unwrap();
                if is_name(name) && !names.iter().any(|other| other == name) {
                    names.push(name.to_owned());
                }
            }
        }
    }
    names
}

/// Whether `name` is a name from Direct3D, a parameter of its calls, or a macro variable, but not a value or
/// a Rust keyword.
fn is_name(name: &str) -> bool {
    let rest = name.strip_prefix("pfn").or_else(|| name.strip_prefix('p')).unwrap_or(name);
    let first = rest.chars().next();
    name.contains('$') || (first.is_some_and(|c| c.is_ascii_uppercase()) && is_word(rest) && rest.len() > 1)
}

#[test]
fn every_named_counterpart_is_an_alias() {
    let (mut missing, mut found) = (Vec::new(), Vec::new());
    for (path, text) in all_sources() {
        for item in items(&text).into_iter().filter(Item::is_public) {
            for name in names(&item.doc) {
                if !item.aliases.contains(&name) {
                    let place = format!("{}:{}", path.display(), item.line);
                    missing.push(format!("{place}: `{}` lacks #[doc(alias = \"{name}\")]", item.code));
                }
            }
            found.extend(item.aliases);
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    for name in [
        "CreateBuffer",
        "OMSetRenderTargets",
        "D3D11_BUFFER_DESC",
        "ID3D11DeviceContext",
        "DXGI_SWAP_CHAIN_DESC1",
        "Map",
    ] {
        assert!(found.iter().any(|alias| alias == name), "{name}");
    }
}

/// In a row such as `vs_set_shader "VSSetShader"`, the literal must be the Direct3D name of the item before
/// it.
#[test]
fn names_in_macro_rows_belong_to_their_items() {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let mut rows = 0;
    for (path, text) in all_sources() {
        for (number, ident, literal) in macro_pairs(&text) {
            if literal.starts_with(|c: char| c.is_ascii_uppercase()) && is_name(literal) {
                rows += 1;
                let place = format!("{}:{number}: {ident} \"{literal}\"", path.display());
                assert!(plain(literal).ends_with(&plain(ident)), "{place}");
            }
        }
    }
    assert!(rows > 150, "only {rows} rows were found");
}

#[test]
fn counterparts_are_found_in_doc_comments() {
    for (doc, expected) in [
        ("Makes a buffer. D3D11: `ID3D11Device::CreateBuffer`.", &["CreateBuffer"][..]),
        ("Binds.\nD3D11: `OMSetBlendState`; pass `[1.0; 4]`, or `None`.", &["OMSetBlendState"]),
        ("D3D11.1: `VSSetConstantBuffers1`. Other words with `Name`.", &["VSSetConstantBuffers1"]),
        ("DXGI: the limit of `SetMaximumFrameLatency`.", &["SetMaximumFrameLatency"]),
        ("D3D11: `IDXGISwapChain::GetBuffer(0)`.", &["GetBuffer"]),
        (
            "Stands for\n`CreateTexture2D` with `A_FLAG | B_FLAG`, for `Other`.",
            &["CreateTexture2D", "A_FLAG", "B_FLAG"],
        ),
        ("The GPU writes. `D3D11_USAGE_DEFAULT`.", &["D3D11_USAGE_DEFAULT"]),
        ("D3D11: `pfnDraw` and its kin, `x`.", &["pfnDraw"]),
        ("Makes $what. D3D11: `ID3D11Device::$d3d11`.", &["$d3d11"]),
        ("D3D11: `ID3D11Device::Create$object`.", &["Create$object"]),
        ("No D3D11 counterpart: `Nothing`.", &[]),
        ("As `ID3D11Device` has it. D3D11: a pointer that may be null.", &[]),
    ] {
        assert_eq!(names(doc), expected, "{doc}");
    }
    let item = &items("/// D3D11: `Draw`.\n#[doc(alias = \"Draw\")]\n#[inline]\npub fn draw() {}\n")[0];
    assert_eq!(
        (item.aliases.as_slice(), item.code.as_str(), item.is_public()),
        (&["Draw".to_owned()][..], "pub fn draw() {}", true)
    );
    assert_eq!(concat("\"D3D11: `\", $name, \"` and \", stringify!($b), \"c\")]"), "D3D11: `$name` and $bc");
}
