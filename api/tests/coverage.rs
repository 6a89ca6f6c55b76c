//! Checks `docs/coverage.md` against the sources: each call in a row exists and has the method's name, each
//! call with such a name has a row, and the counts, features and formats match the sources.
//!
//! A call has the Direct3D name in its `#[doc(alias)]`, as in `doc_aliases.rs`. A failing test prints the
//! correct text for the document.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod sources;
#[path = "../../ddi/tests/tables/mod.rs"]
mod tables;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
};

use onze::Features;
use sources::{Item, items, macro_pairs, sources_of};
use tables::{cells, has_test, root};

const PAGE: &str = "docs/coverage.md";
const STATES: [&str; 4] = ["present", "partial", "absent", "moot"];

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).unwrap()
}

/// Returns the table rows of a section, which begins with a second-level heading. Each row comes with the
/// last heading before it, and rows with column names are not included.
fn rows_of<'a>(page: &'a str, section: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let (mut rows, mut at, mut heading) = (Vec::new(), "", "");
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            (at, heading) = (name, name);
        } else if let Some(name) = line.strip_prefix("### ") {
            heading = name;
        } else if at == section && line.starts_with("| ---") {
            rows.pop();
        } else if at == section && line.starts_with('|') {
            rows.push((heading, cells(line)));
        }
    }
    rows
}

/// Returns the second-level headings whose sections list methods.
fn groups(page: &str) -> Vec<&str> {
    let names = page.lines().filter_map(|line| line.strip_prefix("## "));
    names.filter(|name| !["Features", "Formats"].contains(name)).collect()
}

/// A call in a row: the type, which is an empty string for a function without one, and the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call(String, String);

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(of, name) = self;
        if of.is_empty() || of.starts_with('$') { write!(f, "`{name}`") } else { write!(f, "`{of}::{name}`") }
    }
}

/// Parses the calls of a cell, where a name without a type belongs to the last type before it.
fn calls(cell: &str) -> Vec<Call> {
    let mut of = "";
    let names = cell.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| !name.is_empty());
    names
        .map(|path| {
            let name = path.rsplit("::").next().unwrap();
            of = path.rsplit_once("::").map_or(of, |(of, _)| of);
            Call(of.to_owned(), name.to_owned())
        })
        .collect()
}

#[derive(Debug)]
struct Method<'a> {
    group: &'a str,
    interface: &'a str,
    name: &'a str,
    state: &'a str,
    calls: Vec<Call>,
}

fn methods(page: &str) -> Vec<Method<'_>> {
    let mut methods = Vec::new();
    for group in groups(page) {
        for (interface, row) in rows_of(page, group) {
            let [name, state, in_onze, _] = row[..] else {
                panic!("{PAGE}, {interface}: a row has a method, a state, calls and a note: {row:?}")
            };
            methods.push(Method { group, interface, name, state, calls: calls(in_onze) });
        }
    }
    assert!(methods.len() > 400, "only {} methods", methods.len());
    methods
}

/// A public item with an alias, whose type, name and alias may be macro variables in a macro's body.
#[derive(Debug)]
struct Aliased {
    item: Item,
    place: String,
}

struct Source {
    aliased: Vec<Aliased>,
    /// The calls that macros generate with their aliases, such as `vs_set_shader "VSSetShader"`, and their
    /// positions.
    pairs: BTreeMap<(String, String), String>,
    types: BTreeSet<String>,
}

impl Source {
    fn read(folders: &[&str]) -> Self {
        let mut source = Self { aliased: Vec::new(), pairs: BTreeMap::new(), types: BTreeSet::new() };
        for (path, text) in folders.iter().flat_map(|folder| sources_of(folder)) {
            for (line, name, alias) in macro_pairs(&text) {
                let place = format!("{}:{line}", path.display());
                source.pairs.insert((name.to_owned(), alias.to_owned()), place);
            }
            for item in items(&text).into_iter().filter(Item::is_public) {
                source.types.insert(item.name().to_owned());
                if !item.aliases.is_empty() {
                    let place = format!("{}:{}", path.display(), item.line);
                    source.aliased.push(Aliased { item, place });
                }
            }
        }
        source.types.extend(source.pairs.keys().map(|(name, _)| name.clone()));
        assert!(source.aliased.len() > 100 && source.pairs.len() > 80, "the sources were not found");
        source
    }

    /// Finds the items that match a call's type and name, including items in macro bodies.
    fn find<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a Aliased> {
        let Call(of, name) = call;
        self.aliased.iter().filter(move |Aliased { item, .. }| {
            let is_type = item.of == *of || (item.of.starts_with('$') && self.types.contains(of));
            let is_made = || self.pairs.keys().any(|(made, _)| made == name);
            is_type && (item.name() == name || (item.name().starts_with('$') && is_made()))
        })
    }

    /// Returns the aliases of a call, an empty set if the item does not exist.
    fn aliases<'a>(&'a self, call: &'a Call) -> BTreeSet<&'a str> {
        let made = self.pairs.keys().filter(|(name, _)| *name == call.1).map(|(_, alias)| alias.as_str());
        let found = self.find(call).flat_map(|found| {
            let written =
                found.item.aliases.iter().map(String::as_str).filter(|alias| !alias.starts_with('$'));
            written.chain(made.clone().filter(|_| found.item.name().starts_with('$')))
        });
        found.collect()
    }

    /// Whether any item of a type has this alias.
    fn has(&self, of: &str, alias: &str) -> bool {
        let is_made = self.pairs.keys().any(|(_, made)| made == alias);
        self.aliased.iter().filter(|found| found.item.of == of).any(|Aliased { item, .. }| {
            item.aliases.iter().any(|written| written == alias) || (item.name().starts_with('$') && is_made)
        })
    }
}

/// Returns the name of a method's first version, for example `CreateBlendState` for `CreateBlendState1`.
fn first_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Whether an alias names a method or a function, and not an interface, a constant or a structure's field.
fn is_method(item: &Item, alias: &str) -> bool {
    let is_interface = alias.starts_with("ID3D") || alias.starts_with("IDXGI");
    let is_field = item.doc.match_indices(&format!("::{alias}`")).any(|(at, _)| {
        let path = item.doc[..at].rsplit('`').next().unwrap();
        path.contains('_')
    });
    let is_camel = alias.starts_with(|c: char| c.is_ascii_uppercase())
        && alias.contains(|c: char| c.is_ascii_lowercase())
        && !alias.contains('_');
    is_camel && !is_interface && !is_field
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} mistakes in {PAGE} or in the source:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_call_in_a_row_exists_with_the_methods_name() {
    let (page, source) =
        (page(), Source::read(&["src", "../ddi/src", "../hlsl/src", "../integrations/winit/src"]));
    let mut wrong = Vec::new();
    for Method { interface, name, state, calls, .. } in methods(&page) {
        let mut mistake = |text: String| wrong.push(format!("{interface}::{name}: {text}"));
        if !STATES.contains(&state) {
            mistake(format!("\"{state}\" is no state; write one of {STATES:?}"));
        }
        if state == "absent" && !calls.is_empty() {
            mistake(
                "it is absent and names a call; write another state, or name the call in the note".to_owned(),
            );
        }
        if ["present", "partial"].contains(&state) && calls.is_empty() {
            mistake(format!("it is {state} and names no call; write the call in the third column"));
        }
        for call in &calls {
            let aliases = source.aliases(call);
            let is_other_version = || {
                let same = aliases.iter().any(|alias| first_version(alias) == first_version(name));
                // Another item of the same type implements this version of the call.
                same && !source.has(&call.0, name)
            };
            if aliases.is_empty() {
                mistake(format!(
                    "no public item {call} with a #[doc(alias)] is in api/src or ddi/src; write #[doc(alias = \"{name}\")] \
                     there, or the name of an item that exists, with its type"
                ));
            } else if !aliases.contains(name) && !is_other_version() {
                mistake(format!(
                    "{call} has the names {aliases:?}; write #[doc(alias = \"{name}\")] there, or the name of another call"
                ));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_call_with_a_methods_name_has_a_row() {
    let (page, source) = (page(), Source::read(&["src"]));
    let methods = methods(&page);
    let rows = |alias: &str| {
        let alias = first_version(alias).to_owned();
        methods.iter().filter(move |row| first_version(row.name) == alias && row.state != "absent")
    };
    let mut wrong = Vec::new();
    let mut check = |of: &str, name: &str, aliases: &[&str], place: &str| {
        let call = Call(of.to_owned(), name.to_owned());
        let is_here = |other: &Call| other.1 == name && (other.0 == of || of.starts_with('$'));
        let without: Vec<_> = aliases.iter().filter(|alias| rows(alias).next().is_none()).collect();
        for alias in &without {
            wrong.push(format!(
                "{place}: {call} has the alias {alias}, for which there is no row, or one that says absent; write, in \
                 the table of its interface: | {alias} | present | {call} | |"
            ));
        }
        let is_named = aliases.iter().any(|alias| rows(alias).any(|row| row.calls.iter().any(is_here)));
        if without.is_empty() && !aliases.is_empty() && !is_named {
            wrong.push(format!("{place}: no row of {aliases:?} names {call}; write it in the third column"));
        }
    };
    for Aliased { item, place } in &source.aliased {
        if item.name().starts_with('$') {
            continue;
        }
        let aliases = item.aliases.iter().map(String::as_str).filter(|alias| is_method(item, alias));
        check(&item.of, item.name(), &aliases.collect::<Vec<_>>(), place);
    }
    for ((name, alias), place) in &source.pairs {
        if is_method(&Item::default(), alias) {
            check("$", name, &[alias.as_str()], place);
        }
    }
    assert_none(&wrong);
}

#[test]
fn a_method_has_one_row_in_its_interface() {
    let page = page();
    let mut seen = BTreeSet::new();
    let twice = methods(&page).into_iter().filter(|row| !seen.insert((row.interface, row.name)));
    assert_none(
        &twice.map(|row| format!("{}::{} has two rows", row.interface, row.name)).collect::<Vec<_>>(),
    );
}

/// Formats the number of rows, and the number of rows in each state.
fn count<'a>(rows: impl Iterator<Item = &'a Method<'a>>) -> String {
    let states: Vec<_> = rows.map(|row| row.state).collect();
    let of = |state: &&str| states.iter().filter(|other| *other == state).count().to_string();
    [states.len().to_string()].into_iter().chain(STATES.iter().map(of)).collect::<Vec<_>>().join(" | ")
}

#[test]
fn the_counts_are_those_of_the_rows() {
    let page = page();
    let methods = methods(&page);
    let mut wrong = Vec::new();
    let mut expect = |row: String| {
        if !page.lines().any(|line| line == row) {
            wrong.push(format!("the counts lack this row: {row}"));
        }
    };
    for group in groups(&page) {
        let anchor = group.to_lowercase().replace(' ', "-").replace(',', "");
        let counts = count(methods.iter().filter(|row| row.group == group));
        expect(format!("| [{group}](#{anchor}) | {counts} |"));
    }
    expect(format!("| **all** | {} |", count(methods.iter())));
    let counted =
        page.lines().filter(|line| line.starts_with("| [") || line.starts_with("| **all**")).count();
    if counted != groups(&page).len() + 1 {
        wrong.push(format!("{counted} rows of counts; write one for each group and one for all"));
    }
    assert_none(&wrong);
}

/// Returns the state of each feature in the document, keyed by the feature's name.
fn features(page: &str) -> BTreeMap<String, &str> {
    let rows = rows_of(page, "Features").into_iter();
    rows.map(|(_, row)| (row[0].trim_matches('`').to_owned(), row[2])).collect()
}

#[test]
fn every_feature_has_a_row_with_a_test() {
    let page = page();
    let mut wrong = Vec::new();
    let rows = features(&page);
    let flags: Vec<_> = Features::all().iter_names().map(|(name, _)| name).collect();
    for flag in flags.iter().filter(|flag| !rows.contains_key(**flag)) {
        wrong.push(format!(
            "write a row for Features::{flag}: | `{flag}` | what it is | absent | `FILE::TEST` |"
        ));
    }
    for row in rows.keys().filter(|row| !flags.contains(&row.as_str())) {
        wrong.push(format!("there is no flag Features::{row}; take its row away"));
    }
    let given = rows_of(&page, "Features");
    if given.len() != rows.len() {
        wrong.push("a feature has two rows".to_owned());
    }
    for (_, row) in given {
        let (flag, test) = (row[0], row[3].trim_matches('`'));
        let file = test.split_once("::").map(|(path, name)| (fs::read_to_string(root().join(path)), name));
        match file {
            Some((Ok(text), name)) if has_test(&text, name) => {}
            _ => wrong.push(format!("{flag}: {test} is no test; write `path/of/file.rs::name_of_the_test`")),
        }
    }
    let present = rows.values().filter(|state| **state == "present").count();
    let words = format!("{present} of {} are present", rows.len());
    if !page.contains(&words) {
        wrong.push(format!("the text above the features lacks \"{words}\""));
    }
    assert_none(&wrong);
}

/// Whether a test's table of functions has a row with this feature and this function, and the function
/// exists.
fn has_row(text: &str, flag: &str, function: &str) -> bool {
    text.contains(&format!("(Features::{flag}, {function}),")) && text.contains(&format!("\nfn {function}("))
}

#[test]
fn every_present_feature_is_drawn_in_wgsl_and_hlsl() {
    let page = page();
    let mut wrong = Vec::new();
    for (_, row) in rows_of(&page, "Features") {
        let [flag, _, state, _, languages] = row[..] else {
            panic!("{PAGE}: a feature has five cells: {row:?}")
        };
        let is_name = languages.starts_with('`');
        let found = languages.trim_matches('`').split_once("::").is_some_and(|(path, function)| {
            let text = fs::read_to_string(root().join(path)).unwrap_or_default();
            has_row(&text, flag.trim_matches('`'), function)
        });
        if state == "present" && if is_name { !found } else { languages.split(' ').count() < 3 } {
            wrong.push(format!(
                "{flag}: \"{languages}\" is no row that draws in WGSL and HLSL; add one to tests/tests/languages_alike.rs \
                 and write its function, or say in words why no shader takes part"
            ));
        }
        if state == "absent" && languages != "absent" {
            wrong.push(format!("{flag} is absent; write absent in the last cell"));
        }
    }
    assert_none(&wrong);
}

#[cfg(feature = "wgpu")]
mod on_an_adapter_that_has_everything {
    use onze::prelude::*;

    use super::*;

    /// Creates a device on wgpu's no-op backend, which has all features.
    fn device() -> Device {
        let driver_type = DriverType::Custom(onze_wgpu::noop_driver());
        create_device(&DeviceDesc { driver_type, ..DeviceDesc::default() }).unwrap().0
    }

    #[test]
    fn exactly_the_present_features_work() {
        let page = page();
        let works = device().check_feature_support().features;
        let mut wrong = Vec::new();
        for (flag, state) in features(&page) {
            let expected = match Features::from_name(&flag) {
                Some(feature) if works.contains(feature) => "present",
                _ => "absent",
            };
            if state != expected {
                wrong.push(format!("{flag} is {state}; on the wgpu driver it is {expected}"));
            }
        }
        assert_none(&wrong);
    }

    /// Returns the uses of a format in the document's terms.
    fn uses(support: FormatSupport, format: Format) -> &'static str {
        let is_texture = support.contains(FormatSupport::TEXTURE2D);
        match (is_texture, support.contains(FormatSupport::IA_VERTEX_BUFFER)) {
            (true, _) if format.is_typeless() => "typeless textures",
            (true, _) if format.is_depth_stencil() => "depth targets",
            (true, true) => "textures, vertices",
            (true, false) => "textures",
            (false, true) => "vertices",
            (false, false) if support.contains(FormatSupport::SHADER_LOAD) => "views of depth",
            (false, false) => "none",
        }
    }

    #[test]
    fn every_format_is_in_the_row_of_its_uses() {
        let (page, device) = (page(), device());
        let mut wrong = Vec::new();
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for (_, row) in rows_of(&page, "Formats") {
            let [uses, number, formats] = row[..] else { panic!("three cells: {row:?}") };
            let formats: Vec<_> = formats.split(", ").collect();
            if number != formats.len().to_string() {
                wrong.push(format!("{uses}: {number} is written, and {} formats", formats.len()));
            }
            for format in formats {
                if seen.insert(format, uses).is_some() {
                    wrong.push(format!("{format} is there twice"));
                }
            }
        }
        for format in Format::ALL.iter().copied() {
            let expected = uses(device.check_format_support(format), format);
            let found = seen.remove(format!("{format:?}").as_str());
            if found != Some(expected) {
                let found = found.unwrap_or("missing");
                wrong.push(format!("{format:?} is in the row \"{found}\"; write it in \"{expected}\""));
            }
        }
        for (format, uses) in &seen {
            if *uses != "not in `Format`" {
                wrong.push(format!("{format} is not a format; write it in \"not in `Format`\""));
            }
        }
        let (ours, others) = (Format::ALL.len(), seen.len());
        let words = format!("`Format` has {ours} of `DXGI_FORMAT`'s {}", ours + others);
        if !page.contains(&words) {
            wrong.push(format!("the text above the formats lacks \"{words}\""));
        }
        assert_none(&wrong);
    }
}
