//! Reads the imports of a source file, and the names that a crate root re-exports.

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

/// The path of a module, or of an item in a module, from the crate root.
pub(crate) type ModulePath = Vec<String>;

pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) module: ModulePath,
    pub(crate) syntax: syn::File,
}

impl SourceFile {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let parts = path.trim_end_matches(".rs").split('/').map(str::to_owned);
        let module = parts.filter(|name| !["mod", "lib"].contains(&name.as_str())).collect();
        let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), module, syntax }
    }
}

pub(crate) fn read(root: &Path, folder: &Path) -> Vec<SourceFile> {
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

/// The names that the crate root imports from its modules and from other crates.
#[derive(Default)]
pub(crate) struct RootNames {
    /// The modules that define each re-exported name, or an empty set for names from other crates.
    names: BTreeMap<String, BTreeSet<String>>,
    modules: BTreeSet<String>,
}

impl RootNames {
    pub(crate) fn new(files: &[SourceFile]) -> Self {
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
    pub(crate) fn resolve(&self, path: &[String]) -> Vec<ModulePath> {
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
pub(crate) struct Definitions {
    public: BTreeSet<String>,
    /// All names in macros at the top level, because the macros may generate items with these names.
    in_macros: BTreeSet<String>,
    /// Macros with `#[macro_export]`, which are in the crate root wherever they are defined.
    exported_macros: BTreeSet<String>,
}

impl Definitions {
    pub(crate) fn of(file: &syn::File) -> Self {
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
pub(crate) fn names(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => drop(found.insert(name.to_string())),
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

pub(crate) struct Use {
    path: Vec<String>,
    /// The name in the importing module, or `None` for a glob import.
    name: Option<String>,
}

/// Collects the imports of a `use` declaration, each with its whole path from the first segment.
pub(crate) fn flatten(tree: &UseTree, prefix: &mut Vec<String>, uses: &mut Vec<Use>) {
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
pub(crate) struct Imports {
    /// The innermost module that is currently visited.
    here: ModulePath,
    /// All imports from the file's own crate, as paths from the crate root.
    pub(crate) paths: Vec<ModulePath>,
    pub(crate) test_modules: Vec<ModulePath>,
}

impl Imports {
    pub(crate) fn of(file: &SourceFile) -> Self {
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
pub(crate) fn path_end(
    tokens: &[TokenTree],
    mut at: usize,
    path: &mut Vec<String>,
) -> (usize, Option<TokenStream>) {
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
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
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
