use super::{NamedType, Namespace, NamespaceId, Scope, ScopeVariable};
use crate::{
    check::{
        Checker,
        tree::{FunctionId, GlobalId, Local, LocalId, StructId, Type},
    },
    session::{code::Code, hash::HashMap, names::Symbol, source::Span},
    syntax::{
        ast::{Ident, Path},
        builtin,
    },
    text::token::Packing,
};

impl Checker<'_> {
    /// Creates a local variable in the innermost scope.
    pub(crate) fn declare_local(&mut self, name: Ident, ty: Type, constant: bool) -> LocalId {
        let id = self.add_local(name, ty, constant);
        self.declare_variable(name, ScopeVariable::Local(id));
        id
    }

    /// Creates a variable that a `for` declares and that may be redeclared.
    pub(in crate::check) fn declare_loop_local(&mut self, name: Ident, ty: Type, constant: bool) -> LocalId {
        let id = self.add_local(name, ty, constant);
        let variable = Some((ScopeVariable::Local(id), name.span));
        let entry = self.scopes.innermost().entries.entry(name.name).or_default();
        let hides = entry.variable.is_some();
        (entry.variable, entry.of_loop) = (variable, true);
        if hides {
            self.warn_of_loop_variable(name);
        }
        id
    }

    fn warn_of_loop_variable(&mut self, name: Ident) {
        let text = self.session.names.text(name.name);
        let message = format!(
            "'{text}': loop control variable conflicts with a previous declaration in the outer scope; \
             most recent declaration will be used"
        );
        if self.options.strict {
            self.error(Code::LoopVariableConflict, name.span, message);
        } else {
            self.warn(Code::LoopVariableConflict, name.span, message);
        }
    }

    /// Declares the name of a parameter, whose variable already exists.
    pub(in crate::check) fn declare_parameter(&mut self, name: Ident, id: LocalId) {
        self.declare_variable(name, ScopeVariable::Local(id));
    }

    fn add_local(&mut self, name: Ident, ty: Type, constant: bool) -> LocalId {
        let local = Local { name: self.session.names.text(name.name).clone(), ty, constant, span: name.span };
        match &mut self.function {
            Some(function) => {
                function.locals.push(local);
                LocalId(function.locals.len() as u32 - 1)
            }
            None => LocalId(0),
        }
    }

    pub(in crate::check) fn declare_global(&mut self, name: Ident, id: GlobalId) {
        self.declare_variable(name, ScopeVariable::Global(id));
    }

    fn declare_variable(&mut self, name: Ident, variable: ScopeVariable) {
        let text = self.session.names.text(name.name).clone();
        if self.is_built_in(&text, false) {
            return self.redefinition(name, None);
        }
        if text.eq_ignore_ascii_case("technique")
            || matches!(&*text, "technique10" | "technique11" | "fxgroup")
        {
            let message = format!("syntax error: unexpected token '{text}'");
            self.error(Code::SyntaxError, name.span, message);
        }
        let entry = self.scopes.innermost().entries.entry(name.name).or_default();
        let before = entry.variable.replace((variable, name.span));
        let of_loop = std::mem::replace(&mut entry.of_loop, false);
        let is_function = self.scopes.locals.is_empty()
            && self
                .scopes
                .innermost()
                .entries
                .get(&name.name)
                .is_some_and(|entry| !entry.functions.is_empty());
        match before {
            Some(_) if of_loop => self.warn_of_loop_variable(name),
            Some((_, earlier)) => self.redefinition(name, Some(earlier)),
            None if is_function => self.redefinition(name, None),
            None => {}
        }
    }

    /// Returns whether HLSL reserves a name in the current scope.
    fn is_built_in(&self, name: &str, is_type: bool) -> bool {
        let is_outside = self.scopes.locals.is_empty() && self.scopes.namespace == NamespaceId(0);
        let outside = builtin::numeric(name).is_some() || matches!(name, "string" | "String");
        let as_type = is_type && matches!(name, "vector" | "matrix");
        let as_variable =
            !is_type && matches!(name, "vertexshader" | "pixelshader" | "VertexShader" | "PixelShader");
        as_type || is_outside && (outside || as_variable)
    }

    pub(in crate::check) fn declare_type(&mut self, name: Ident, ty: Type, packing: Option<Packing>) {
        let text = self.session.names.text(name.name).clone();
        if self.is_built_in(&text, true) {
            return self.redefinition(name, None);
        }
        let named = NamedType { ty, packing };
        let before = self.scopes.innermost().entries.entry(name.name).or_default().named_type.replace(named);
        if before.is_some() {
            self.redefinition(name, None);
        }
    }

    pub(in crate::check) fn declare_function(&mut self, name: Ident, id: FunctionId) {
        let entry = self.scopes.innermost().entries.entry(name.name).or_default();
        entry.functions.push(id);
        if let Some((_, earlier)) = entry.variable {
            self.redefinition(name, Some(earlier));
        }
    }

    /// Returns the functions with a name that the current namespace itself declares.
    pub(in crate::check) fn functions_here(&self, name: Symbol) -> Vec<FunctionId> {
        let scope = &self.scopes.namespaces[self.scopes.namespace.0].scope;
        scope.entries.get(&name).map(|entry| entry.functions.clone()).unwrap_or_default()
    }

    pub(in crate::check) fn redefinition(&mut self, name: Ident, earlier: Option<Span>) {
        let text = self.session.names.text(name.name);
        let message = format!("redefinition of '{text}'");
        self.error(Code::Redefinition, name.span, message);
        if let Some(earlier) = earlier {
            self.session.note(earlier, "it is first declared here");
        }
    }

    // Scopes

    pub(in crate::check) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.locals.push(Scope::default());
        let result = inside(self);
        self.scopes.locals.pop();
        result
    }

    /// Calls `inside` in the scope of a structure's methods, or outside all structures if `object` is `None`.
    pub(in crate::check) fn in_object<T>(
        &mut self,
        object: Option<StructId>,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = std::mem::replace(&mut self.scopes.object, object);
        let result = inside(self);
        self.scopes.object = before;
        result
    }

    /// Calls `inside` in a namespace, and creates the namespace if it does not exist.
    pub(in crate::check) fn in_namespace<T>(
        &mut self,
        name: Symbol,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.scopes.namespace;
        let inner = self.scopes.namespaces[outer.0].inner.get(&name).copied().unwrap_or_else(|| {
            let id = NamespaceId(self.scopes.namespaces.len());
            let made = Namespace { scope: Scope::default(), inner: HashMap::default(), outer: Some(outer) };
            self.scopes.namespaces.push(made);
            self.scopes.namespaces[outer.0].inner.insert(name, id);
            id
        });
        self.scopes.namespace = inner;
        let result = inside(self);
        self.scopes.namespace = outer;
        result
    }

    /// Calls `inside` in the namespace of a path, which precedes its last `::`, or returns `None` if the
    /// namespace does not exist.
    pub(in crate::check) fn in_namespace_of<T>(
        &mut self,
        path: &Path,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let namespace = self.scopes.namespace(path.global, &path.scope)?;
        let outer = std::mem::replace(&mut self.scopes.namespace, namespace);
        let result = inside(self);
        self.scopes.namespace = outer;
        Some(result)
    }
}
