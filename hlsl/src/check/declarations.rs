//! Variables outside of functions, constant buffers, and what follows their names.

use super::{Checker, types::Resolved};
use crate::{
    code::Code,
    source::Span,
    syntax::ast::{
        self, BufferBlock, Declarator, Ident, Initializer, Item, ModifierFlags, Modifiers, TypeKind,
        TypeName, Typedef, Variables,
    },
    token::Packing,
    tree::{
        BufferId, ConstantBuffer, Expr, ExprKind, Global, GlobalId, Numeric, Register, Semantic, Storage,
        Type,
    },
};

/// What a variable outside of functions may have before its type.
const GLOBAL_FLAGS: ModifierFlags = ModifierFlags::all()
    .difference(ModifierFlags::IN)
    .difference(ModifierFlags::OUT)
    .difference(ModifierFlags::INLINE)
    .difference(ModifierFlags::EXPORT);

/// What a `typedef` may have before its type.
const TYPEDEF_FLAGS: ModifierFlags = ModifierFlags::CONST
    .union(ModifierFlags::VOLATILE)
    .union(ModifierFlags::UNORM)
    .union(ModifierFlags::SNORM);

impl Checker<'_> {
    /// Declares what stands outside of functions.
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

    /// A structure that declares no variables needs a name.
    pub(super) fn structure_item(&mut self, structure: &ast::Struct) {
        if structure.name.is_none() {
            self.error(Code::SyntaxError, structure.span, "a structure without variables needs a name");
        }
        self.structure(structure);
    }

    pub(super) fn typedef(&mut self, typedef: &Typedef) {
        self.check_flags(&typedef.modifiers, TYPEDEF_FLAGS, "typedefs");
        let named = self.resolve_named(&typedef.type_name);
        self.check_packing(&typedef.modifiers, &typedef.type_name, &named.ty);
        // Without a word of its own it is left to the variables.
        let packing =
            if self.says_packing(&typedef.modifiers) { typedef.modifiers.packing } else { named.packing };
        for (name, dimensions) in &typedef.names {
            let ty = self.resolve_array(named.ty.clone(), dimensions, name.span, false);
            self.declare_type(*name, ty, packing);
        }
    }

    fn buffer(&mut self, block: &BufferBlock) {
        let id = BufferId(self.tree.buffers.len() as u32);
        let registers = self.registers(&block.registers);
        self.tree.buffers.push(ConstantBuffer {
            name: self.session.names.text(block.name.name).clone(),
            texture: block.texture,
            registers,
            variables: Vec::new(),
            span: block.name.span,
        });
        for item in &block.items {
            match item {
                Item::Variables(variables) => self.globals(variables, id),
                other => self.items(std::slice::from_ref(other)),
            }
        }
        self.check_pack_offsets(id);
    }

    /// Variables outside of functions.
    fn globals(&mut self, variables: &Variables, buffer: BufferId) {
        let modifiers = &variables.modifiers;
        let flags = modifiers.flags;
        self.check_flags(modifiers, GLOBAL_FLAGS, "global variables");
        let Resolved { ty, packing } = self.resolve(modifiers, &variables.type_name);
        self.check_packing(modifiers, &variables.type_name, &ty);
        let outside = ModifierFlags::UNIFORM.union(ModifierFlags::EXTERN);
        if flags.contains(ModifierFlags::STATIC)
            && flags.intersects(outside.union(ModifierFlags::GROUPSHARED))
        {
            let message = "static variables cannot be uniform, extern or groupshared";
            self.error(Code::InvalidModifier, modifiers.span, message);
        }
        for declarator in &variables.declarators {
            let storage = if flags.contains(ModifierFlags::STATIC) {
                Storage::Static
            } else if flags.contains(ModifierFlags::GROUPSHARED) {
                Storage::GroupShared
            } else {
                let offset = declarator.annotations.pack_offset;
                if let Some(offset) = offset.filter(|_| buffer == BufferId(0)) {
                    let message = "packoffset is only allowed for variables of constant buffers";
                    self.error(Code::InvalidPackOffset, offset.span, message);
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
        // The name is known in the initializer of the next variable only.
        self.declare_global(name, id);
    }

    /// Makes a variable outside of functions, without its name.
    pub(super) fn add_global(
        &mut self,
        declarator: &Declarator,
        ty: Type,
        packing: Packing,
        flags: ModifierFlags,
        storage: Storage,
    ) -> GlobalId {
        let name = declarator.name;
        let open = matches!(declarator.initializer, Some(Initializer::Value(_)));
        let dimensions = &declarator.dimensions;
        let ty = self.resolve_array(ty, dimensions, name.span, open);
        let mut ty = self.check_variable_type(name, ty);
        let text = self.session.names.text(name.name).clone();
        if storage == Storage::Static && self.has_object(&ty) && self.has_number(&ty) {
            let message = format!("'{text}': static variables cannot have both numbers and objects");
            self.error(Code::InvalidType, name.span, message);
        }
        let mut value = None;
        if let Some(Initializer::Value(initializer)) = &declarator.initializer
            && !matches!(*initializer.kind, ast::ExprKind::Effect | ast::ExprKind::String)
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
            constant: flags.contains(ModifierFlags::CONST),
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

    /// Whether the compiler knows a value.
    fn is_literal(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Error | ExprKind::Constant(_) => true,
            ExprKind::Construct(parts) => parts.iter().all(|part| self.is_literal(part)),
            ExprKind::Convert(inner) => self.is_literal(inner),
            ExprKind::Global(id) => {
                let global = &self.tree[*id];
                global.storage == Storage::Static && global.constant
            }
            _ => self.known_value(expr).is_some(),
        }
    }

    // Modifiers.

    /// Refuses modifiers other than those that are allowed.
    pub(super) fn check_flags(&mut self, modifiers: &Modifiers, allowed: ModifierFlags, what: &str) {
        let refused = modifiers.flags.difference(allowed);
        if refused.is_empty() {
            return;
        }
        let names: Vec<_> =
            refused.iter_names().map(|(name, _)| name.to_lowercase().replace('_', "")).collect();
        let message = format!("'{}' is not allowed for {what}", names.join(" "));
        self.error(Code::InvalidModifier, modifiers.span, message);
    }

    /// Whether modifiers themselves, and no `#pragma`, say how matrices lie.
    pub(super) fn says_packing(&self, modifiers: &Modifiers) -> bool {
        modifiers.packing.is_some() && {
            let text = self.session.sources.text(modifiers.span);
            text.contains("row_major") || text.contains("column_major")
        }
    }

    /// Refuses `row_major` of what is no matrix, or what a `typedef` made `column_major`.
    pub(super) fn check_packing(&mut self, modifiers: &Modifiers, name: &TypeName, ty: &Type) {
        if ty.is_error() || !self.says_packing(modifiers) {
            return;
        }
        let is_matrix =
            matches!(ty, Type::Numeric(Numeric { shape: crate::syntax::builtin::Shape::Matrix { .. }, .. }));
        if !is_matrix {
            let message = "row_major and column_major are only allowed for matrices";
            self.error(Code::InvalidModifier, modifiers.span, message);
        } else if let TypeKind::Named(path) = &name.kind
            && let Some(named) = self.lookup_named_type(path)
            && named.packing.is_some_and(|packing| Some(packing) != modifiers.packing)
        {
            let message = "matrix types cannot be both column_major and row_major";
            self.error(Code::InvalidModifier, modifiers.span, message);
        }
    }

    // What follows a colon.

    /// A semantic, with its number split off.
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
        Some(Register { profile, class: register.class, index, span: register.span })
    }

    /// Refuses `packoffset` that some variables of a buffer have and others have not, and such that cross a register.
    fn check_pack_offsets(&mut self, id: BufferId) {
        let (mut with, mut without) = (false, None);
        let variables = self.tree[id].variables.clone();
        for variable in variables {
            let global = &self.tree[variable];
            let Storage::Uniform { offset, .. } = global.storage else { continue };
            let placed = global.registers.iter().any(|register| register.class != 'c');
            match offset {
                Some(offset) => {
                    with = true;
                    let columns = match &global.ty {
                        Type::Numeric(numeric) if numeric.rows() == 1 && !is_matrix(&global.ty) => {
                            let wide = numeric.scalar == crate::syntax::builtin::Scalar::Double;
                            numeric.columns() as u32 * if wide { 2 } else { 1 }
                        }
                        Type::Object(_) | Type::Error => 1,
                        _ => 4,
                    };
                    if offset.component + columns > 4 {
                        let name = global.name.clone();
                        let message = format!("'{name}': packoffset crosses a register's end");
                        self.error(Code::InvalidPackOffset, offset.span, message);
                    }
                }
                None if placed => with = true,
                None => without = without.or(Some((global.name.clone(), global.span))),
            }
        }
        if let (true, Some((name, span))) = (with, without) {
            let message = format!("'{name}': all variables of a buffer need a packoffset if one has it");
            self.error(Code::InvalidPackOffset, span, message);
        }
    }
}

fn is_matrix(ty: &Type) -> bool {
    matches!(ty, Type::Numeric(Numeric { shape: crate::syntax::builtin::Shape::Matrix { .. }, .. }))
}
