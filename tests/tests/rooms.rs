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

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{
    Attribute, Item, Meta, UseTree, Visibility,
    visit::{self, Visit},
};

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

/// The path of a module, or of an item in a module, from the crate root.
type ModulePath = Vec<String>;

struct SourceFile {
    path: String,
    module: ModulePath,
    syntax: syn::File,
}

impl SourceFile {
    fn new(path: &str, text: &str) -> Self {
        let parts = path.trim_end_matches(".rs").split('/').map(str::to_owned);
        let module = parts.filter(|name| !["mod", "lib"].contains(&name.as_str())).collect();
        let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), module, syntax }
    }
}

fn read(root: &Path, folder: &Path) -> Vec<SourceFile> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.append(&mut read(root, &path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let parts: Vec<_> =
                path.strip_prefix(root).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
            files.push(SourceFile::new(&parts.join("/"), &fs::read_to_string(&path).unwrap()));
        }
    }
    files
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
        self.files.iter().any(|file| file.module.first().is_some_and(|first| first == name))
    }

    /// Returns the imports from a lower room to a higher room, as sorted lines.
    fn upward_imports(&self, rooms: &Rooms) -> BTreeSet<String> {
        // Modules outside all rooms have depth 0, and modules of the highest room have depth 1.
        let depth = |path: &[String]| {
            let first = path.first();
            first.and_then(|first| rooms.iter().position(|room| room.contains(first))).map_or(0, |at| at + 1)
        };
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

/// The names that the crate root imports from its modules and from other crates.
#[derive(Default)]
struct RootNames {
    /// The modules that define each re-exported name, or an empty set for names from other crates.
    names: BTreeMap<String, BTreeSet<String>>,
    modules: BTreeSet<String>,
}

impl RootNames {
    fn new(files: &[SourceFile]) -> Self {
        let modules = files.iter().filter_map(|file| file.module.first().cloned()).collect();
        let mut this = Self { names: BTreeMap::new(), modules };
        let mut globs = BTreeSet::new();
        for item in files.iter().filter(|file| file.module.is_empty()).flat_map(|file| &file.syntax.items) {
            let Item::Use(item) = item else { continue };
            if is_for_tests(&item.attrs) {
                continue;
            }
            let mut uses = Vec::new();
            flatten(&item.tree, &mut Vec::new(), &mut uses);
            for Use { mut path, name } in uses {
                if path.first().is_some_and(|first| ["crate", "self"].contains(&first.as_str())) {
                    path.remove(0);
                }
                let Some(first) = path.first().cloned() else { continue };
                match name {
                    Some(name) => {
                        let from = this.names.entry(name).or_default();
                        from.extend(this.modules.contains(&first).then_some(first));
                    }
                    None => drop(globs.insert(first)),
                }
            }
        }
        let mut in_macros = Vec::new();
        for file in files {
            let Some(module) = file.module.first() else { continue };
            let defined = Definitions::of(&file.syntax);
            let is_glob = globs.contains(module);
            let public = defined.public.into_iter().filter(|_| is_glob);
            for name in defined.exported_macros.into_iter().chain(public) {
                this.names.entry(name).or_default().insert(module.clone());
            }
            in_macros.extend(defined.in_macros.into_iter().filter(|_| is_glob).map(|name| (name, module)));
        }
        // Names in macros are used only if no item defines them, because a macro may generate such an item.
        in_macros.retain(|(name, _)| !this.names.contains_key(name));
        for (name, module) in in_macros {
            this.names.entry(name).or_default().insert(module.clone());
        }
        this
    }

    /// Returns the path itself, or the paths in the defining modules if the crate root re-exports the path's
    /// first name. If the root itself is imported, returns all modules that it re-exports.
    fn resolve(&self, path: &[String]) -> Vec<ModulePath> {
        let Some(first) = path.first() else {
            // A glob import of the root imports everything that the root re-exports.
            let modules: BTreeSet<_> = self.names.values().flatten().cloned().collect();
            return if modules.is_empty() {
                vec![Vec::new()]
            } else {
                modules.into_iter().map(|m| vec![m]).collect()
            };
        };
        if self.modules.contains(first) {
            return vec![path.to_vec()];
        }
        match self.names.get(first) {
            Some(modules) => {
                modules.iter().map(|module| [std::slice::from_ref(module), path].concat()).collect()
            }
            None => vec![path.to_vec()],
        }
    }
}

#[derive(Default)]
struct Definitions {
    public: BTreeSet<String>,
    /// All names in macros at the top level, because the macros may generate items with these names.
    in_macros: BTreeSet<String>,
    /// Macros with `#[macro_export]`, which are in the crate root wherever they are defined.
    exported_macros: BTreeSet<String>,
}

impl Definitions {
    fn of(file: &syn::File) -> Self {
        let mut this = Self::default();
        for item in &file.items {
            let (visibility, name) = match item {
                Item::Const(item) => (&item.vis, &item.ident),
                Item::Enum(item) => (&item.vis, &item.ident),
                Item::Fn(item) => (&item.vis, &item.sig.ident),
                Item::Mod(item) => (&item.vis, &item.ident),
                Item::Static(item) => (&item.vis, &item.ident),
                Item::Struct(item) => (&item.vis, &item.ident),
                Item::Trait(item) => (&item.vis, &item.ident),
                Item::Type(item) => (&item.vis, &item.ident),
                Item::Macro(item) => {
                    let is_exported =
                        item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"));
                    match &item.ident {
                        Some(name) if is_exported => drop(this.exported_macros.insert(name.to_string())),
                        _ => names(item.mac.tokens.clone(), &mut this.in_macros),
                    }
                    continue;
                }
                _ => continue,
            };
            if !matches!(visibility, Visibility::Inherited) {
                this.public.insert(name.to_string());
            }
        }
        this
    }
}

/// Collects all identifiers in the tokens of a macro.
fn names(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => drop(found.insert(name.to_string())),
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

struct Use {
    path: Vec<String>,
    /// The name in the importing module, or `None` for a glob import.
    name: Option<String>,
}

/// Collects the imports of a `use` declaration, each with its whole path from the first segment.
fn flatten(tree: &UseTree, prefix: &mut Vec<String>, uses: &mut Vec<Use>) {
    let whole = |name: &syn::Ident| match name.to_string().as_str() {
        // `self` in a group imports the path before the group.
        "self" => prefix.clone(),
        name => [&**prefix, &[name.to_owned()]].concat(),
    };
    match tree {
        UseTree::Path(tree) => {
            prefix.push(tree.ident.to_string());
            flatten(&tree.tree, prefix, uses);
            prefix.pop();
        }
        UseTree::Name(tree) => {
            let path = whole(&tree.ident);
            uses.push(Use { name: path.last().cloned(), path });
        }
        UseTree::Rename(tree) => {
            uses.push(Use { path: whole(&tree.ident), name: Some(tree.rename.to_string()) });
        }
        UseTree::Glob(_) => uses.push(Use { path: prefix.clone(), name: None }),
        UseTree::Group(tree) => tree.items.iter().for_each(|tree| flatten(tree, prefix, uses)),
    }
}

/// The imports of a file, except those that occur only in test code.
#[derive(Default)]
struct Imports {
    /// The innermost module that is currently visited.
    here: ModulePath,
    /// All imports from the file's own crate, as paths from the crate root.
    paths: Vec<ModulePath>,
    test_modules: Vec<ModulePath>,
}

impl Imports {
    fn of(file: &SourceFile) -> Self {
        let mut this = Self { here: file.module.clone(), ..Self::default() };
        this.visit_file(&file.syntax);
        this
    }

    /// Adds a path from the source. Paths that do not begin with `crate`, `super` or `self` are ignored,
    /// because they refer to other crates or begin with a name that was imported before.
    fn add(&mut self, path: &[String]) {
        let mut base = self.here.clone();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                base.clear();
                rest = &path[1..];
            }
            Some("self") => rest = &path[1..],
            Some("super") => {}
            _ => return,
        }
        while let [first, after @ ..] = rest
            && first == "super"
        {
            base.pop();
            rest = after;
        }
        base.extend_from_slice(rest);
        self.paths.push(base);
    }

    /// Adds the paths in the tokens of a macro, including groups such as `use crate::{a, b}`.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Ident(first)
                    if ["crate", "super", "self"].contains(&first.to_string().as_str()) =>
                {
                    let mut path = vec![first.to_string()];
                    let (end, group) = path_end(&tokens, at + 1, &mut path);
                    at = end;
                    match group {
                        Some(group) => self.add_group(&path, group),
                        None if path.len() > 1 => self.add(&path),
                        // This is a method's `self` or a visibility.
                        None => {}
                    }
                    continue;
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
    }

    fn add_group(&mut self, prefix: &[String], group: TokenStream) {
        let tokens: Vec<_> = group.into_iter().collect();
        for entry in tokens.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        {
            let mut path = prefix.to_vec();
            if let Some(TokenTree::Ident(name)) = entry.first() {
                if name != "self" {
                    path.push(name.to_string());
                }
                match path_end(entry, 1, &mut path) {
                    (_, Some(group)) => self.add_group(&path, group),
                    (_, None) => self.add(&path),
                }
            } else if !entry.is_empty() {
                self.add(&path);
            }
        }
    }
}

/// Appends to `path` the name after each `::`, starting at token `at`. Returns the end of the path, and the
/// group if the path ends with a group.
fn path_end(tokens: &[TokenTree], mut at: usize, path: &mut Vec<String>) -> (usize, Option<TokenStream>) {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(colon) if colon.as_char() == ':');
    while let [first, second, next, ..] = tokens.get(at..).unwrap_or_default()
        && is_colon(first)
        && is_colon(second)
    {
        match next {
            TokenTree::Ident(name) => path.push(name.to_string()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                return (at + 3, Some(group.stream()));
            }
            // The path ends at a glob or at the arguments of a generic type.
            _ => return (at + 2, None),
        }
        at += 3;
    }
    (at, None)
}

/// Returns whether `#[cfg(test)]` or `#[cfg(all(test, …))]` limits an item to tests.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    fn asks_for_test(tokens: TokenStream) -> bool {
        let tokens: Vec<_> = tokens.into_iter().collect();
        tokens.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',')).any(
            |condition| match condition {
                [TokenTree::Ident(name)] => name == "test",
                [TokenTree::Ident(all), TokenTree::Group(group)] => {
                    all == "all" && asks_for_test(group.stream())
                }
                _ => false,
            },
        )
    }
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && asks_for_test(list.tokens.clone()),
        Meta::Path(_) | Meta::NameValue(_) => false,
    })
}

/// Overrides the visit of nodes that can have `#[cfg(test)]`.
macro_rules! skip_test_code {
    ($($visit:ident: $node:ident;)*) => {$(
        fn $visit(&mut self, node: &'ast syn::$node) {
            if !is_for_tests(&node.attrs) {
                visit::$visit(self, node);
            }
        }
    )*};
}

impl<'ast> Visit<'ast> for Imports {
    skip_test_code! {
        visit_item_const: ItemConst;
        visit_item_enum: ItemEnum;
        visit_item_fn: ItemFn;
        visit_item_impl: ItemImpl;
        visit_item_macro: ItemMacro;
        visit_item_static: ItemStatic;
        visit_item_struct: ItemStruct;
        visit_item_trait: ItemTrait;
        visit_item_type: ItemType;
        visit_impl_item_const: ImplItemConst;
        visit_impl_item_fn: ImplItemFn;
        visit_impl_item_macro: ImplItemMacro;
        visit_impl_item_type: ImplItemType;
        visit_trait_item_const: TraitItemConst;
        visit_trait_item_fn: TraitItemFn;
        visit_trait_item_type: TraitItemType;
        visit_field: Field;
        visit_field_value: FieldValue;
        visit_field_pat: FieldPat;
        visit_variant: Variant;
        visit_arm: Arm;
        visit_local: Local;
        visit_stmt_macro: StmtMacro;
        visit_expr_block: ExprBlock;
        visit_expr_call: ExprCall;
        visit_expr_method_call: ExprMethodCall;
        visit_expr_if: ExprIf;
        visit_expr_macro: ExprMacro;
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.here.push(item.ident.to_string());
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        } else if item.content.is_none() {
            self.test_modules.push(self.here.clone());
        }
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_for_tests(&item.attrs) {
            let mut uses = Vec::new();
            flatten(&item.tree, &mut Vec::new(), &mut uses);
            uses.iter().for_each(|import| self.add(&import.path));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        // A path with only one segment is the value `self` in a method and not an import.
        if path.segments.len() > 1 {
            self.add(&path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        self.add_tokens(node.tokens.clone());
        visit::visit_macro(self, node);
    }

    /// Skips visibilities, because `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    /// Skips attributes, because the paths in documentation import nothing.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// Returns the upward imports of a crate with the rooms `high` and `low`, as lines.
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
