use super::{Checker, ScopeEntry};
use crate::{
    check::tree::{Intrinsic, StructId},
    session::{foreign::foreign_hint, hash::HashMap, names::Symbol, source::Span},
    syntax::{
        ast::{Item, Path},
        builtin,
    },
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::check) enum LaterDeclaration {
    Function,
    Variable,
}

/// Returns the functions and variables outside namespaces, each with the span of its first declaration.
fn later_declarations(items: &[Item]) -> HashMap<Symbol, (LaterDeclaration, Span)> {
    let mut found = HashMap::default();
    let mut note = |name: Symbol, kind, span| {
        found.entry(name).or_insert((kind, span));
    };
    for item in items {
        match item {
            Item::Function(function) if function.name.is_simple() => {
                note(function.name.name, LaterDeclaration::Function, function.name.span);
            }
            Item::Variables(variables) => {
                variables
                    .declarators
                    .iter()
                    .for_each(|one| note(one.name.name, LaterDeclaration::Variable, one.name.span));
            }
            Item::Buffer(buffer) => {
                for (name, (kind, span)) in later_declarations(&buffer.items) {
                    note(name, kind, span);
                }
            }
            _ => {}
        }
    }
    found
}

impl Checker<'_> {
    /// Returns the end of a message about an undeclared variable.
    pub(in crate::check) fn like_variable(&self, path: &Path) -> String {
        if let Some(hint) =
            self.later_declaration(path, LaterDeclaration::Variable).or_else(|| self.foreign(path))
        {
            return hint;
        }
        let fields = self.scopes.object.into_iter().flat_map(|object| self.field_names(object));
        let known = self.declared_like(path, |entry| entry.variable.is_some());
        self.session.did_you_mean(self.session.names.text(path.name), fields.chain(known))
    }

    /// Returns the end of a message about an undeclared function, which may suggest an intrinsic function or
    /// a constructor.
    pub(in crate::check) fn like_function(&self, path: &Path) -> String {
        if let Some(hint) =
            self.later_declaration(path, LaterDeclaration::Function).or_else(|| self.foreign(path))
        {
            return hint;
        }
        let methods = self.scopes.object.into_iter().flat_map(|object| self.method_names(object));
        let known = self.declared_like(path, |entry| !entry.functions.is_empty());
        let of_language = Intrinsic::ALL.iter().map(|intrinsic| -> &str { intrinsic.name() });
        let of_language = of_language.chain(builtin::numeric_names()).filter(|_| path.is_simple());
        let known = methods.chain(known).chain(of_language);
        self.session.did_you_mean(self.session.names.text(path.name), known)
    }

    fn foreign(&self, path: &Path) -> Option<String> {
        path.is_simple().then(|| foreign_hint(self.session.names.text(path.name))).flatten()
    }

    /// Returns a hint if the program declares the name after its use.
    fn later_declaration(&self, path: &Path, kind: LaterDeclaration) -> Option<String> {
        if !path.is_simple() {
            return None;
        }
        let later = self.later.get_or_init(|| later_declarations(self.items));
        let (found, span) = later.get(&path.name).filter(|(found, _)| *found == kind)?;
        let (file, line) = self.session.sources.file_and_line(*span);
        let (own_file, _) = self.session.sources.file_and_line(path.span);
        let place = if file == own_file { format!("line {line}") } else { format!("line {line} of {file}") };
        let cure = match found {
            LaterDeclaration::Function => "move it up, or declare it before its use",
            LaterDeclaration::Variable => "move it up",
        };
        Some(format!("; it is declared on {place}, after its use: {cure}"))
    }

    pub(in crate::check) fn like_field(&self, structure: StructId, name: &str) -> String {
        self.session.did_you_mean(name, self.field_names(structure))
    }

    pub(in crate::check) fn like_method(&self, structure: StructId, name: &str) -> String {
        self.session.did_you_mean(name, self.method_names(structure))
    }

    fn field_names(&self, structure: StructId) -> impl Iterator<Item = &str> {
        self.tree[structure].fields.iter().map(|field| &*field.name)
    }

    fn method_names(&self, structure: StructId) -> impl Iterator<Item = &str> {
        let with_bases = std::iter::successors(Some(structure), |structure| self.tree[*structure].base);
        with_bases
            .flat_map(|structure| self.tree[structure].methods.iter().map(|method| &*self.tree[*method].name))
    }

    /// Returns the names of a kind that are visible to a path, beginning with the innermost scope.
    fn declared_like(
        &self,
        path: &Path,
        is_kind: impl Fn(&ScopeEntry) -> bool,
    ) -> impl Iterator<Item = &str> {
        let is_simple = path.is_simple();
        let locals = self.scopes.locals.iter().rev().filter(move |_| is_simple);
        let around = self.scopes.around().filter(move |_| is_simple);
        let named = self.scopes.namespace(path.global, &path.scope).filter(|_| !is_simple);
        let named = named.map(|namespace| &self.scopes.namespaces[namespace.0].scope);
        let entries = locals.chain(around).chain(named).flat_map(|scope| scope.entries.iter());
        let fits = entries.filter(move |(_, entry)| is_kind(entry));
        fits.map(|(symbol, _): (&Symbol, _)| &**self.session.names.text(*symbol))
    }
}
