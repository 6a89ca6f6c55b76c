//! Scopes and name resolution.
//!
//! Variables, types and functions have separate name spaces, so `float4 S` and `struct S` may coexist.

mod declaring;
mod suggestions;

pub(super) use self::suggestions::LaterDeclaration;

use super::Checker;
use crate::{
    check::tree::{FunctionId, GlobalId, Local, LocalId, StructId, Type},
    session::{hash::HashMap, names::Symbol, source::Span},
    syntax::ast::Path,
    text::token::Packing,
};

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum NameMeaning {
    Local(LocalId),
    Global(GlobalId),
    /// A field of a method's object, [`Checker::THIS`].
    Field(u32),
    Type(Type),
    /// All visible functions with this name, in the order of declaration.
    Functions(Vec<FunctionId>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum ScopeVariable {
    Local(LocalId),
    Global(GlobalId),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct NamedType {
    pub(super) ty: Type,
    /// The packing that a `typedef` sets for the matrices in its type.
    pub(super) packing: Option<Packing>,
}

#[derive(Clone, Debug, Default)]
struct ScopeEntry {
    variable: Option<(ScopeVariable, Span)>,
    /// Whether the variable was declared by a `for`, so that it may be redeclared.
    of_loop: bool,
    named_type: Option<NamedType>,
    functions: Vec<FunctionId>,
}

#[derive(Clone, Debug, Default)]
struct Scope {
    entries: HashMap<Symbol, ScopeEntry>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct NamespaceId(usize);

/// The names outside functions. The first namespace is the global one.
#[derive(Clone, Debug)]
struct Namespace {
    scope: Scope,
    inner: HashMap<Symbol, NamespaceId>,
    outer: Option<NamespaceId>,
}

/// The saved scopes of a function while another function is checked.
#[derive(Debug)]
pub(super) struct LocalScopes(Vec<Scope>);

#[derive(Debug)]
pub(crate) struct Scopes {
    namespaces: Vec<Namespace>,
    namespace: NamespaceId,
    locals: Vec<Scope>,
    object: Option<StructId>,
}

impl Default for Scopes {
    fn default() -> Self {
        let outermost = Namespace { scope: Scope::default(), inner: HashMap::default(), outer: None };
        Self { namespaces: vec![outermost], namespace: NamespaceId(0), locals: Vec::new(), object: None }
    }
}

impl Scopes {
    pub(super) fn take_locals(&mut self) -> LocalScopes {
        LocalScopes(std::mem::take(&mut self.locals))
    }

    pub(super) fn restore_locals(&mut self, locals: LocalScopes) {
        self.locals = locals.0;
    }

    fn around(&self) -> impl Iterator<Item = &Scope> {
        let mut next = Some(self.namespace);
        std::iter::from_fn(move || {
            let namespace = &self.namespaces[next?.0];
            next = namespace.outer;
            Some(&namespace.scope)
        })
    }

    fn innermost(&mut self) -> &mut Scope {
        match self.locals.last_mut() {
            Some(scope) => scope,
            None => &mut self.namespaces[self.namespace.0].scope,
        }
    }

    fn namespace(&self, global: bool, names: &[Symbol]) -> Option<NamespaceId> {
        let step = |from: NamespaceId, name: &Symbol| self.namespaces[from.0].inner.get(name).copied();
        let mut from = if global { NamespaceId(0) } else { self.namespace };
        loop {
            if let Some(found) = names.iter().try_fold(from, step) {
                return Some(found);
            }
            from = self.namespaces[from.0].outer.filter(|_| !global)?;
        }
    }

    /// Returns the first match for a path, searched from the innermost scope to the outermost.
    fn find<T>(&self, path: &Path, pick: impl Fn(&ScopeEntry) -> Option<T>) -> Option<T> {
        let in_scope = |scope: &Scope| scope.entries.get(&path.name).and_then(&pick);
        if path.global || !path.scope.is_empty() {
            let namespace = self.namespace(path.global, &path.scope)?;
            return in_scope(&self.namespaces[namespace.0].scope);
        }
        self.locals.iter().rev().find_map(in_scope).or_else(|| self.around().find_map(in_scope))
    }
}

impl Checker<'_> {
    /// The variable that represents the object in a method.
    pub(crate) const THIS: LocalId = LocalId(0);

    // Name lookup

    /// Returns the meaning of a name, giving variables precedence over functions, and functions over types.
    ///
    /// The inner `None` is an invalid variable whose error was reported.
    pub(crate) fn lookup(&self, path: &Path) -> Option<Option<NameMeaning>> {
        if let Some(variable) = self.lookup_variable(path) {
            return Some(variable);
        }
        let functions = self.lookup_functions(path);
        if !functions.is_empty() {
            return Some(Some(NameMeaning::Functions(functions)));
        }
        self.lookup_type(path).map(|ty| Some(NameMeaning::Type(ty)))
    }

    /// Returns the variable or the field with a name, or an inner `None` for an invalid variable whose error
    /// was reported.
    pub(crate) fn lookup_variable(&self, path: &Path) -> Option<Option<NameMeaning>> {
        let name = &path.name;
        let is_simple = path.is_simple();
        let pick = |entry: &ScopeEntry| entry.variable.map(|(variable, _)| variable);
        let local = self.scopes.locals.iter().rev().filter(|_| is_simple);
        let local = local.filter_map(|scope| scope.entries.get(name)).find_map(pick);
        let object = self.scopes.object.filter(|_| local.is_none());
        // `Base::field` refers to the field of the base, even if a field of the derived structure hides it.
        let owner = object.and_then(|object| match self.scope_structure(path) {
            Some(base) => self.tree.is_derived(object, base).then_some(base),
            None => is_simple.then_some(object),
        });
        if let Some(structure) = owner {
            let name = self.session.names.text(*name);
            if let Some(field) = self.find_field(structure, name) {
                return Some(Some(NameMeaning::Field(field)));
            }
        }
        local.or_else(|| self.scopes.find(path, pick)).map(|variable| match variable {
            ScopeVariable::Local(id) => Some(NameMeaning::Local(id)),
            ScopeVariable::Global(id) => Some(NameMeaning::Global(id)),
        })
    }

    /// Returns the functions that a name may refer to, in the order of declaration. In a method, the methods
    /// of its structure hide other functions.
    pub(crate) fn lookup_functions(&self, path: &Path) -> Vec<FunctionId> {
        let name = self.session.names.text(path.name);
        let structure = match self.scope_structure(path) {
            Some(structure) => Some(structure),
            None if path.scope.is_empty() && !path.global => self.scopes.object,
            None => None,
        };
        if let Some(structure) = structure {
            let methods = self.find_methods(structure, name);
            if !methods.is_empty() {
                return methods;
            }
        }
        let pick = |entry: &ScopeEntry| (!entry.functions.is_empty()).then(|| entry.functions.clone());
        self.scopes.find(path, pick).unwrap_or_default()
    }

    pub(crate) fn lookup_type(&self, path: &Path) -> Option<Type> {
        self.lookup_named_type(path).map(|named| named.ty)
    }

    pub(super) fn lookup_named_type(&self, path: &Path) -> Option<NamedType> {
        self.scopes.find(path, |entry| entry.named_type.clone())
    }

    pub(super) fn scope_structure(&self, path: &Path) -> Option<StructId> {
        let (name, scope) = path.scope.split_last()?;
        let outer = Path { global: path.global, scope: scope.to_vec(), name: *name, span: path.span };
        match self.lookup_type(&outer)? {
            Type::Struct(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the index of a field in a structure, counting the fields of the base first.
    pub(crate) fn find_field(&self, structure: StructId, name: &str) -> Option<u32> {
        // A field hides fields of the base with the same name, so the search begins at the end.
        let is_field = |field: &crate::check::tree::Field| *field.name == *name;
        self.tree[structure].fields.iter().rposition(is_field).map(|index| index as u32)
    }

    /// Returns the methods with a name in the structure, or else in the nearest base that has any.
    pub(crate) fn find_methods(&self, structure: StructId, name: &str) -> Vec<FunctionId> {
        let mut next = Some(structure);
        while let Some(id) = next {
            let structure = &self.tree[id];
            let named = structure.methods.iter().filter(|method| *self.tree[**method].name == *name);
            let methods: Vec<_> = named.copied().collect();
            if !methods.is_empty() {
                return methods;
            }
            next = structure.base;
        }
        Vec::new()
    }

    pub(crate) fn local(&self, id: LocalId) -> Option<&Local> {
        self.function.as_ref()?.locals.get(id.0 as usize)
    }
}
