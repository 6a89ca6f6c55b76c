//! Checks the layers of each crate, because a file may import only from its own room and from the rooms below
//! it.
//!
//! The rooms are read from the tables in section "The rooms" of ARCHITECTURE.md, where each table lists the
//! rooms of one crate, the highest first. The code spans in the first cell of a row are the modules of that
//! room. A module that is in no row is above all rooms and may import everything.
//!
//! A file's imports are its `use` declarations and all paths that begin with `crate`, `super` or `self`,
//! including those in types, expressions, patterns and the tokens of macros. A name that the crate root
//! re-exports counts as an import of the module that defines it. The test skips attributes, documentation,
//! visibilities such as `pub(in crate::a)`, and everything under `#[cfg(test)]`, including the files of such
//! modules. In the tokens of a macro, test code is not skipped.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod circles;
mod imports;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use imports::{Imports, RootNames, SourceFile, read};

/// The folders in the workspace of the crates that have rooms.
const CRATES: [&str; 4] = ["api", "backend-wgpu", "ddi", "hlsl"];

#[test]
fn imports_never_point_to_a_higher_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let tables = tables(&fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap());
    assert_eq!(
        tables.keys().collect::<Vec<_>>(),
        CRATES.iter().collect::<Vec<_>>(),
        "ARCHITECTURE.md has a table each"
    );
    let mut lines = String::new();
    for (folder, rooms) in &tables {
        let source = root.join(folder).join("src");
        let krate = Crate::new(read(&source, &source));
        for module in rooms.iter().flatten() {
            assert!(
                krate.has_module(module),
                "ARCHITECTURE.md names `{module}`, which {folder}/src does not have"
            );
        }
        for import in krate.upward_imports(rooms) {
            lines.push_str(&format!("\n    {folder}/src/{import}"));
        }
    }
    assert!(lines.is_empty(), "these imports point to a higher room of ARCHITECTURE.md:{lines}");
}

/// The modules of each room, from the highest room to the lowest.
type Rooms = Vec<Vec<String>>;

/// Returns the tables in the page's section "The rooms", by the crate's folder.
fn tables(page: &str) -> BTreeMap<String, Rooms> {
    let section = page.lines().skip_while(|line| *line != "## The rooms").skip(1);
    let mut tables = BTreeMap::<String, Rooms>::new();
    let mut folder = String::new();
    for line in section.take_while(|line| !line.starts_with("## ")) {
        if let Some(heading) = line.strip_prefix("### ") {
            folder = code_spans(heading).concat();
        } else if let Some(row) = line.strip_prefix("| ") {
            let modules = code_spans(row.split(" | ").next().unwrap_or_default());
            if !modules.is_empty() {
                tables.entry(folder.clone()).or_default().push(modules);
            }
        }
    }
    tables
}

fn code_spans(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The source files of a crate, and the names that its root re-exports.
struct Crate {
    files: Vec<SourceFile>,
    root_names: RootNames,
}

impl Crate {
    fn new(files: Vec<SourceFile>) -> Self {
        let root_names = RootNames::new(&files);
        Self { files, root_names }
    }

    fn has_module(&self, name: &str) -> bool {
        let module: Vec<_> = name.split("::").collect();
        self.files.iter().any(|file| module.iter().eq(file.module.iter().take(module.len())))
    }

    /// Returns the imports from a lower room to a higher room, as sorted lines.
    fn upward_imports(&self, rooms: &Rooms) -> BTreeSet<String> {
        let depth = |path: &[String]| depth(rooms, path);
        let imports: Vec<_> = self.files.iter().map(Imports::of).collect();
        let tests: Vec<_> = imports.iter().flat_map(|imports| &imports.test_modules).collect();
        let mut upward = BTreeSet::new();
        for (file, imports) in self.files.iter().zip(&imports) {
            if tests.iter().any(|test| file.module.starts_with(test)) {
                continue;
            }
            for path in imports.paths.iter().flat_map(|path| self.root_names.resolve(path)) {
                if depth(&path) < depth(&file.module) {
                    upward.insert(format!("{} imports crate::{}", file.path, path.join("::")));
                }
            }
        }
        upward
    }
}

/// Returns the upward imports of a crate with the rooms `high` and `low`, as lines.
/// Returns the depth of the most specific module that contains a path. Modules outside all rooms have depth 0, and
/// modules of the highest room have depth 1.
fn depth(rooms: &Rooms, path: &[String]) -> usize {
    let named = rooms.iter().zip(1..).flat_map(|(room, depth)| room.iter().map(move |name| (name, depth)));
    let containing = named.filter_map(|(name, depth)| {
        let length = name.split("::").count();
        name.split("::").eq(path.iter().take(length)).then_some((length, depth))
    });
    containing.max().map_or(0, |(_, depth)| depth)
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let rooms = vec![vec!["high".to_owned()], vec!["low".to_owned(), "base".to_owned()]];
    let files = files.iter().map(|(path, text)| SourceFile::new(path, text)).collect();
    Crate::new(files).upward_imports(&rooms).into_iter().collect()
}

/// Returns the upward imports of a file in the room `low` of a crate that has a file in each room.
fn found_in_low(text: &str) -> Vec<String> {
    let lines = found(&[("low/file.rs", text), ("high.rs", ""), ("top.rs", ""), ("base.rs", "")]);
    lines.iter().map(|line| line.trim_start_matches("low/file.rs imports crate::").to_owned()).collect()
}

#[test]
fn rooms_are_read_from_the_tables_of_their_section() {
    let page = "## The rooms\n\nText.\n\n### `api`, the runtime\n\n| room | contents |\n| --- | --- |\n\
                | the files beside | `lib.rs` |\n| `a`, `b` | `c` |\n| `d` | |\n\n## The next\n\n| `e` | |\n";
    let page = page.replace("### `api`, the runtime", "### `api`");
    let rooms = vec![vec!["a".to_owned(), "b".to_owned()], vec!["d".to_owned()]];
    assert_eq!(tables(&page), BTreeMap::from([("api".to_owned(), rooms)]));
}

#[test]
fn an_upward_import_is_reported_with_its_file() {
    let lines = found(&[
        ("low/mod.rs", "pub(crate) mod file;"),
        ("low/file.rs", "use crate::{\n    high::{Thing, other},\n    low::Own,\n    base::Other,\n};"),
        ("base.rs", "use crate::low::Own;"),
        ("high/mod.rs", "use crate::low::file;\nuse crate::top::Device;"),
        ("top.rs", "use crate::{high::Thing, low::Own};"),
    ]);
    let expected = [
        "high/mod.rs imports crate::top::Device",
        "low/file.rs imports crate::high::Thing",
        "low/file.rs imports crate::high::other",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn upward_imports_are_found_everywhere_in_a_file() {
    for (text, imports) in [
        ("use crate::high;", "high"),
        ("use crate::high::*;", "high"),
        ("use crate::{high::{self as above}};", "high"),
        ("use crate::{low::Own, high::{a::{B, C as D}}};", "high::a::B, high::a::C"),
        ("pub(crate) use crate::high::Thing as Other;", "high::Thing"),
        ("use super::super::high::Thing;", "high::Thing"),
        ("use super::{super::{high::Thing}, own};", "high::Thing"),
        ("mod inner { use super::super::super::high::Thing; }", "high::Thing"),
        ("fn f() { use crate::high::Thing; }", "high::Thing"),
        ("fn f() { crate::high::call::<u32>(1); }", "high::call"),
        ("fn f() -> u32 { low::<crate::high::Thing>() }", "high::Thing"),
        ("fn f() { let super::super::high::Thing(x) = y; }", "high::Thing"),
        ("fn f() { match x { crate::high::X => {} _ => {} } }", "high::X"),
        ("struct S(Vec<crate::high::Thing>);", "high::Thing"),
        ("impl crate::high::Trait for S {}", "high::Trait"),
        ("fn f<'a>(c: char) -> bool { c == '\\'' || crate::high::is(c) }", "high::is"),
        ("macro_rules! m { () => { $crate::high::Thing } }", "high::Thing"),
        ("make! { use crate::{high::{a::B, C as D, self}, low::E}; }", "high, high::C, high::a::B"),
        ("fn f() { println!(\"{}\", super::super::high::call()); }", "high::call"),
        ("fn f() { crate::high::call!(); }", "high::call"),
        ("use crate::top;", "top"),
        ("use crate::own_name_of_the_root;", "own_name_of_the_root"),
        ("use super::super::*;", ""),
    ] {
        let found = found_in_low(text);
        assert_eq!(found.join(", "), imports, "{text}");
        assert!(!found.is_empty(), "{text}");
    }
}

#[test]
fn names_of_the_root_count_as_imports_of_their_module() {
    let lines = |text| {
        found(&[
            (
                "lib.rs",
                "pub use high::{Explicit as Renamed};\npub use high::*;\npub use self::low::Own;\npub use naga;",
            ),
            (
                "high.rs",
                "pub struct Item;\nstruct Private;\nmake! { Made: 1 }\n#[macro_export]\nmacro_rules! shout { () => {} }",
            ),
            ("low.rs", text),
        ])
    };
    for (text, import) in [
        ("use crate::{Own, Renamed};", "high::Renamed"),
        ("use crate::Item;", "high::Item"),
        ("use crate::Made;", "high::Made"),
        ("fn f() { crate::shout!(); }", "high::shout"),
        ("use crate::*;", "high"),
        ("use crate::Private;", "Private"),
    ] {
        assert_eq!(lines(text), [format!("low.rs imports crate::{import}")], "{text}");
    }
    assert_eq!(lines("use crate::{Own, naga::Module};"), [""; 0]);
}

#[test]
fn code_without_upward_imports_passes() {
    for text in [
        "use crate::{low::Own, base};",
        "use super::{other::Thing, *};",
        "use self::inner::Thing;",
        "use high::Thing;",
        "pub(crate) struct S; impl S { fn f(&self) { self.high() } }",
        "pub(in crate::high) struct S;",
        "make! { pub(crate) struct S; fn f(self) {} }",
        "/// As [`crate::high::Thing`].\nstruct S;",
        "/* crate::high /* crate::high */ crate::high */",
        "const TEXT: &str = \"crate::high \\\" crate::high\";",
        "const TEXT: &str = r#\"crate::high \" crate::high\"#;",
        "#[cfg(test)]\nmod tests { use crate::high::Thing; fn f() {} }",
        "#[cfg(all(test, feature = \"x\"))]\nuse crate::high::Thing;",
        "#[cfg(test)]\nuse crate::high::Thing;",
        "struct S { #[cfg(test)] a: crate::high::Thing, b: u32 }",
        "impl S { #[cfg(test)]\nfn f<A, B>(a: A) { crate::high::f(a) } }",
        "fn f() { #[cfg(test)] let x = crate::high::f(); #[cfg(test)] crate::high::f(); }",
        "fn f() -> S { S { #[cfg(test)] a: crate::high::A, b: 1 } }",
    ] {
        assert_eq!(found_in_low(text), [""; 0], "{text}");
    }
}

#[test]
fn files_of_test_modules_are_skipped() {
    let lines = found(&[
        ("low/mod.rs", "mod file;\n#[cfg(test)]\npub(crate) mod tests;"),
        ("low/tests/mod.rs", "mod more; use crate::high::Thing;"),
        ("low/tests/more.rs", "use crate::high::Thing;"),
    ]);
    assert_eq!(lines, [""; 0]);
}

#[test]
fn import_circles_stay_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut lines = String::new();
    for (folder, largest) in circles::LARGEST_CIRCLES {
        let source = root.join(folder).join("src");
        let circles = circles::circles(&Crate::new(read(&source, &source)));
        let sizes: Vec<_> = circles.iter().map(Vec::len).collect();
        println!("{folder}: circles of {sizes:?} files");
        for circle in circles.iter().filter(|circle| circle.len() > largest) {
            lines.push_str(&format!(
                "\n    {folder}, {} files instead of at most {largest}: {}",
                circle.len(),
                circle.join(", ")
            ));
        }
    }
    assert!(lines.is_empty(), "these import circles are too large:{lines}");
}

#[test]
fn a_circle_through_a_third_file_is_found() {
    let file = |path, text| SourceFile::new(path, text);
    let files = vec![
        file("lib.rs", "mod a; mod b; mod c; mod d;"),
        file("a.rs", "use crate::b::B; pub struct A;"),
        file("b.rs", "use crate::c::C; pub struct B;"),
        file("c.rs", "use crate::a::A; pub struct C;"),
        file("d.rs", "use crate::a::A;"),
    ];
    assert_eq!(circles::circles(&Crate::new(files)), [["a", "b", "c"]]);
}

#[test]
fn a_nested_module_can_be_a_room_of_its_own() {
    let rooms = vec![vec!["low::top".to_owned()], vec!["low".to_owned()]];
    let path = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(depth(&rooms, &path("low::top::x")), 1);
    assert_eq!(depth(&rooms, &path("low::other")), 2);
    assert_eq!(depth(&rooms, &path("beside")), 0);
}
