//! Functions and methods: their parameters, and the matching of declarations with definitions.

use super::{
    Checker,
    modifiers::DeclarationKind,
    types::{OpenArray, ResolvedType},
};
use crate::{
    check::tree::{Direction, Function, FunctionId, Local, LocalId, Parameter, Stores, StructId, Type},
    session::code::Code,
    syntax::ast::{self, Ident, ModifierFlags},
};

impl Checker<'_> {
    /// Checks a function outside structures, or a method that is defined outside its structure.
    pub(super) fn function_item(&mut self, function: &ast::Function) {
        let path = &function.name;
        if path.scope.is_empty() && !path.global {
            return self.free_function(function);
        }
        if let Some(structure) = self.scope_structure(path) {
            if let (Some(id), Some(body)) = (self.method_signature(structure, function), &function.body) {
                self.function_body(id, function, body);
            }
            return;
        }
        if self.in_namespace_of(path, |checker| checker.free_function(function)).is_none() {
            let text = self.session.sources.text(path.span).to_owned();
            self.error(Code::UndeclaredIdentifier, path.span, format!("undeclared identifier '{text}'"));
        }
    }

    fn free_function(&mut self, function: &ast::Function) {
        let name = Ident { name: function.name.name, span: function.name.span };
        let made = self.signature(function, None);
        let known = self.functions_here(name.name);
        let id = match self.same_signature(&known, &made) {
            Some(earlier) => match self.merge(earlier, made, name, function.body.is_some()) {
                Some(id) => id,
                None => return,
            },
            None => {
                let id = self.add_function(made);
                self.declare_function(name, id);
                id
            }
        };
        if let Some(body) = &function.body {
            self.function_body(id, function, body);
        }
    }

    /// Declares a method, or returns `None` if the method already has a body.
    pub(super) fn method_signature(
        &mut self,
        object: StructId,
        function: &ast::Function,
    ) -> Option<FunctionId> {
        let name = Ident { name: function.name.name, span: function.name.span };
        let is_static = function.modifiers.flags.contains(ModifierFlags::STATIC);
        let made = self.signature(function, (!is_static).then_some(object));
        let known = self.tree[object].methods.clone();
        let known: Vec<_> = known.into_iter().filter(|id| self.tree[*id].name == made.name).collect();
        match self.same_signature(&known, &made) {
            Some(earlier) => self.merge(earlier, made, name, function.body.is_some()),
            None => {
                let id = self.add_function(made);
                self.tree[object].methods.push(id);
                Some(id)
            }
        }
    }

    fn add_function(&mut self, function: Function) -> FunctionId {
        let id = FunctionId(self.tree.functions.len() as u32);
        self.tree.functions.push(function);
        self.defined.push(false);
        id
    }

    fn same_signature(&self, known: &[FunctionId], made: &Function) -> Option<FunctionId> {
        let types = |function: &Function| -> Vec<Type> {
            let locals = function
                .parameters
                .iter()
                .filter_map(|parameter| function.locals.get(parameter.local.0 as usize));
            locals.map(|local| local.ty.clone()).collect()
        };
        let wanted = types(made);
        known.iter().copied().find(|id| types(&self.tree[*id]) == wanted)
    }

    /// Merges a further declaration or the definition of a function with the first declaration.
    fn merge(
        &mut self,
        earlier: FunctionId,
        made: Function,
        name: Ident,
        has_body: bool,
    ) -> Option<FunctionId> {
        let defined = self.defined[earlier.0 as usize];
        let before = &self.tree[earlier];
        if before.result != made.result && !before.result.is_error() && !made.result.is_error() {
            let span = before.span;
            let message = format!("'{}' was declared with another result type", made.name);
            self.error(Code::Redefinition, name.span, message);
            self.session.note(span, "it is first declared here");
            return None;
        }
        if has_body && defined {
            let span = before.span;
            self.redefinition(name, Some(span));
            return None;
        }
        if defined {
            return Some(earlier);
        }
        let mut made = made;
        // FXC uses only the attributes of the first declaration.
        made.attributes.clone_from(&self.tree[earlier].attributes);
        for (parameter, before) in made.parameters.iter_mut().zip(&self.tree[earlier].parameters) {
            if parameter.default.is_none() {
                parameter.default.clone_from(&before.default);
            }
        }
        self.tree[earlier] = made;
        Some(earlier)
    }

    fn signature(&mut self, function: &ast::Function, object: Option<StructId>) -> Function {
        let ident = Ident { name: function.name.name, span: function.name.span };
        self.check_flags(&function.modifiers, DeclarationKind::Function, ident);
        let ResolvedType { ty: result, packing } = self.resolve(&function.modifiers, &function.result);
        self.check_type_modifiers(&function.modifiers, &function.result, &result);
        self.refuse_pack_offset(&function.annotations);
        if self.has_effect_object(&result) {
            let name = self.session.names.text(function.name.name);
            let message = format!("'{name}': function return value cannot contain Effects objects");
            self.error(Code::InvalidType, function.result.span, message);
        }
        let result_semantic = self.semantic(function.annotations.semantic.as_ref());
        if let (Some(semantic), Type::Void) = (&result_semantic, &result) {
            let message = "void functions cannot have a semantic";
            self.error(Code::VoidSemantic, semantic.span, message);
        }
        let mut made = Function {
            name: self.session.names.text(function.name.name).clone(),
            object,
            result,
            result_packing: packing,
            result_semantic,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            attributes: self.attributes(&function.attributes),
            object_stores: std::collections::BTreeMap::new(),
            span: function.name.span,
        };
        if let Some(object) = object {
            made.locals.push(Local {
                name: "this".into(),
                ty: Type::Struct(object),
                constant: false,
                span: function.name.span,
            });
            made.parameters.push(Parameter {
                local: Self::THIS,
                direction: Direction::InOut,
                uniform: false,
                packing: self.options.packing,
                semantic: None,
                registers: Vec::new(),
                flags: ModifierFlags::empty(),
                primitive: None,
                default: None,
                stores: Stores::ALL,
            });
        }
        for parameter in &function.parameters {
            self.parameter(&mut made, parameter);
        }
        made
    }

    fn parameter(&mut self, function: &mut Function, parameter: &ast::Parameter) {
        let modifiers = &parameter.modifiers;
        let flags = modifiers.flags;
        if let Some(name) = parameter.name {
            self.check_flags(modifiers, DeclarationKind::Parameter, name);
        }
        let ResolvedType { ty, packing } = self.resolve(modifiers, &parameter.type_name);
        self.check_type_modifiers(modifiers, &parameter.type_name, &ty);
        let ty = self.resolve_array(ty, &parameter.dimensions, parameter.span, OpenArray::Parameter);
        let span = parameter.name.map_or(parameter.span, |name| name.span);
        let text: std::sync::Arc<str> = match parameter.name {
            Some(name) => self.session.names.text(name.name).clone(),
            None => "".into(),
        };
        let ty = if ty == Type::Void {
            self.error(Code::InvalidType, parameter.span, "parameters cannot be of type void");
            Type::Error
        } else if self.has_effect_object(&ty) {
            let message = format!("'{text}': parameters cannot contain Effects objects");
            self.error(Code::InvalidType, parameter.span, message);
            Type::Error
        } else {
            ty
        };
        let is_out = flags.contains(ModifierFlags::OUT);
        let is_in = flags.contains(ModifierFlags::IN);
        let direction = match (is_in, is_out) {
            (true, true) => Direction::InOut,
            (false, true) => Direction::Out,
            _ => Direction::In,
        };
        if is_out && flags.contains(ModifierFlags::UNIFORM) {
            self.error(
                Code::InvalidModifier,
                modifiers.span,
                format!("'{text}': out parameters cannot be uniform"),
            );
        }
        if direction == Direction::Out && flags.contains(ModifierFlags::CONST) {
            self.error(
                Code::InvalidModifier,
                modifiers.span,
                format!("'{text}': out parameters cannot be const"),
            );
        }
        self.refuse_pack_offset(&parameter.annotations);
        let before = function.parameters.last().is_some_and(|before| before.default.is_some());
        let default = match &parameter.default {
            Some(_) if direction != Direction::In => {
                let message = format!("'{text}': out parameters cannot have default values");
                self.error(Code::OutputDefault, parameter.span, message);
                None
            }
            Some(value) => Some(self.initializer(&text, &ty, value)),
            None => {
                if before {
                    let message =
                        format!("'{}': missing default value for parameter '{text}'", function.name);
                    self.error(Code::MissingDefault, parameter.span, message);
                }
                None
            }
        };
        let local = LocalId(function.locals.len() as u32);
        let constant = flags.contains(ModifierFlags::CONST) && direction == Direction::In;
        function.locals.push(Local { name: text, ty, constant, span });
        let semantic = self.semantic(parameter.annotations.semantic.as_ref());
        let registers = self.registers(&parameter.annotations.registers);
        function.parameters.push(Parameter {
            local,
            direction,
            uniform: flags.contains(ModifierFlags::UNIFORM),
            packing,
            semantic,
            registers,
            flags,
            primitive: modifiers.primitive,
            default,
            stores: if direction == Direction::In { Stores::default() } else { Stores::ALL },
        });
    }

    pub(super) fn function_body(&mut self, id: FunctionId, function: &ast::Function, body: &ast::Block) {
        self.defined[id.0 as usize] = true;
        let signature = self.tree[id].clone();
        let object = signature.object;
        let first = usize::from(object.is_some());
        let outer = self.enter_function(signature);
        let block = self.in_object(object, |checker| {
            checker.scoped(|checker| {
                for (index, parameter) in function.parameters.iter().enumerate() {
                    if let Some(name) = parameter.name {
                        checker.declare_parameter(name, LocalId((index + first) as u32));
                    }
                }
                checker.block_statements(&body.statements)
            })
        });
        self.finish_body(&block, body.span);
        if let Some(mut made) = self.leave_function(outer) {
            made.body = Some(block);
            self.tree[id] = made;
        }
    }
}
