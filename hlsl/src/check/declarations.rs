//! Variables outside functions, with their registers, semantics and initial values.

use super::{
    Checker,
    modifiers::DeclarationKind,
    structures::patch_array,
    types::{OpenArray, ResolvedType},
};
use crate::{
    check::tree::{BufferId, Expr, ExprKind, Global, GlobalId, Register, Semantic, Storage, Type},
    session::code::Code,
    syntax::{
        ast::{self, Declarator, Initializer, Item, ModifierFlags, TypeKind, Typedef, Variables},
        builtin::ObjectFamily,
    },
    text::token::Packing,
};

impl Checker<'_> {
    pub(super) fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Function(function) => self.function_item(function),
                Item::Variables(variables) => self.globals(variables, BufferId(0)),
                Item::Struct(structure) => self.structure_item(structure),
                Item::Typedef(typedef) => self.typedef(typedef),
                Item::Buffer(buffer) => self.buffer(buffer),
                Item::Namespace(name, items) => self.in_namespace(name.name, |checker| checker.items(items)),
            }
        }
    }

    pub(super) fn structure_item(&mut self, structure: &ast::Struct) {
        if structure.name.is_none() {
            self.error(Code::SyntaxError, structure.span, "a structure without variables needs a name");
        }
        self.structure(structure);
    }

    pub(super) fn typedef(&mut self, typedef: &Typedef) {
        for (name, _) in &typedef.names {
            self.check_flags(&typedef.modifiers, DeclarationKind::Typedef, *name);
        }
        let named = self.resolve_named(&typedef.type_name);
        self.check_type_modifiers(&typedef.modifiers, &typedef.type_name, &named.ty);
        for (name, dimensions) in &typedef.names {
            let ty = self.resolve_array(named.ty.clone(), dimensions, name.span, OpenArray::Type);
            let packing = self.typedef_packing(&typedef.modifiers, &named, &ty);
            self.declare_type(*name, ty, packing);
        }
    }

    pub(super) fn globals(&mut self, variables: &Variables, buffer: BufferId) {
        let modifiers = &variables.modifiers;
        let flags = modifiers.flags;
        for declarator in &variables.declarators {
            self.check_flags(modifiers, DeclarationKind::Global, declarator.name);
        }
        if let TypeKind::Object(kind, arguments) = &variables.type_name.kind
            && kind.family() == ObjectFamily::Constants
        {
            return self.buffer_objects(variables, *kind, arguments);
        }
        let ResolvedType { ty, packing } = self.resolve(modifiers, &variables.type_name);
        self.check_type_modifiers(modifiers, &variables.type_name, &ty);
        for declarator in &variables.declarators {
            let storage = if flags.contains(ModifierFlags::STATIC) {
                Storage::Static
            } else if flags.contains(ModifierFlags::GROUPSHARED) {
                Storage::GroupShared
            } else {
                let offset = declarator.annotations.pack_offset;
                if buffer == BufferId(0) {
                    self.refuse_pack_offset(&declarator.annotations);
                }
                Storage::Uniform { buffer, offset }
            };
            self.global(declarator, ty.clone(), packing, flags, storage);
        }
    }

    fn global(
        &mut self,
        declarator: &Declarator,
        ty: Type,
        packing: Packing,
        flags: ModifierFlags,
        storage: Storage,
    ) {
        let name = declarator.name;
        let id = self.add_global(declarator, ty, packing, flags, storage);
        // In an initializer, only the names of earlier variables are known.
        self.declare_global(name, id);
    }

    /// Creates a variable outside functions, but leaves the declaration of its name to the caller.
    pub(super) fn add_global(
        &mut self,
        declarator: &Declarator,
        ty: Type,
        packing: Packing,
        flags: ModifierFlags,
        storage: Storage,
    ) -> GlobalId {
        let name = declarator.name;
        let open = match declarator.initializer {
            Some(Initializer::Value(_)) => OpenArray::Initialized,
            _ => OpenArray::Variable(name.name),
        };
        let ty = self.resolve_array(ty, &declarator.dimensions, name.span, open);
        let is_patch = patch_array(&ty).is_some();
        let mut ty = self.check_variable_type(name, ty);
        let text = self.session.names.text(name.name).clone();
        if storage == Storage::Static && self.has_object(&ty) && self.has_number(&ty) {
            let message = format!("'{text}': static variables cannot have both numbers and objects");
            self.error(Code::InvalidType, name.span, message);
        }
        let is_uniform = matches!(storage, Storage::Uniform { .. });
        if is_uniform && !self.options.backwards_compatible && self.has_half(&ty) {
            let message = format!(
                "'{text}': uniform variables cannot be of type half: use float, or the backwards-compatible mode, in \
                 which they are floats"
            );
            self.error(Code::UniformHalf, name.span, message);
        }
        if let Some(Initializer::States(states)) = &declarator.initializer {
            self.states(&text, &ty, states);
        }
        let mut value = None;
        if let Some(Initializer::Value(initializer)) = &declarator.initializer
            && !self.effect_initializer(&text, &ty, initializer)
        {
            let initial = self.initializer(&text, &ty, initializer);
            ty = initial.ty.clone();
            value = (!initial.ty.is_error()).then_some(initial);
        }
        if storage == Storage::GroupShared {
            value = None;
        }
        if let (Storage::Uniform { .. }, Some(initial)) = (storage, &value)
            && !self.is_literal(initial)
        {
            let message = format!("'{text}': initial value must be a literal expression");
            self.error(Code::InitialValueNotLiteral, initial.span, message);
            value = None;
        }
        let id = GlobalId(self.tree.globals.len() as u32);
        let registers = self.registers(&declarator.annotations.registers);
        let semantic = self.semantic(declarator.annotations.semantic.as_ref());
        self.tree.globals.push(Global {
            name: text,
            ty,
            packing,
            storage,
            constant: is_patch || flags.contains(ModifierFlags::CONST),
            assigned: false,
            registers,
            semantic,
            value,
            span: name.span,
        });
        if let Storage::Uniform { buffer, .. } = storage {
            self.tree[buffer].variables.push(id);
        }
        id
    }

    fn is_literal(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Error => expr.ty != Type::String,
            ExprKind::Constant(_) => true,
            ExprKind::Construct(parts) => parts.iter().all(|part| self.is_literal(part)),
            ExprKind::Convert(inner) => self.is_literal(inner),
            ExprKind::Global(id) => {
                let global = &self.tree[*id];
                global.storage == Storage::Static && global.constant
            }
            _ => self.known_value(expr).is_some(),
        }
    }

    // Annotations after a colon

    pub(super) fn refuse_pack_offset(&mut self, annotations: &ast::Annotations) {
        if let Some(offset) = annotations.pack_offset {
            self.error(
                Code::PackOffsetOutside,
                offset.span,
                "packoffset is only allowed in a constant buffer",
            );
        }
    }

    /// Resolves a semantic, and splits it into the name and the number at its end.
    pub(super) fn semantic(&mut self, semantic: Option<&ast::Semantic>) -> Option<Semantic> {
        let semantic = semantic?;
        let text = self.session.names.text(semantic.name);
        let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let index = text[name.len()..].parse().unwrap_or_default();
        Some(Semantic { name: name.into(), index, span: semantic.span })
    }

    pub(super) fn registers(&mut self, registers: &[ast::Register]) -> Vec<Register> {
        registers.iter().filter_map(|register| self.register(register)).collect()
    }

    fn register(&mut self, register: &ast::Register) -> Option<Register> {
        let mut index = i64::from(register.index);
        if let Some(offset) = &register.offset {
            let message = "a register's offset must be a literal expression";
            index += self.constant_integer(offset, Code::InvalidRegister, message)?;
        }
        let Ok(index) = u32::try_from(index) else {
            self.error(Code::InvalidRegister, register.span, "a register's number cannot be negative");
            return None;
        };
        let profile = register.profile.map(|profile| self.session.names.text(profile).clone());
        let space = register.space;
        Some(Register { profile, class: register.class, index, space, span: register.span })
    }
}
