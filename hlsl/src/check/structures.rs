use super::{
    Checker,
    modifiers::DeclarationKind,
    types::{OpenArray, ResolvedType},
};
use crate::{
    check::tree::{Field, StructId, StructType, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::{self, Ident, StructKind},
        builtin::{self, Object},
    },
};

/// Maximum number of fields of a structure, including fields of nested structures.
const MOST_FIELDS: u64 = 16_384;

/// Maximum number of fields that all structures together copy from their bases.
const MOST_INHERITED: u64 = 4 * MOST_FIELDS;

impl Checker<'_> {
    pub(super) fn structure(&mut self, structure: &ast::Struct) -> Type {
        let id = StructId(self.tree.structs.len() as u32);
        let name = match structure.name {
            Some(name) => self.session.names.text(name.name).clone(),
            None => "<unnamed>".into(),
        };
        self.tree.structs.push(StructType {
            name,
            base: None,
            fields: Vec::new(),
            methods: Vec::new(),
            interfaces: Vec::new(),
            interface: structure.kind == StructKind::Interface,
            span: structure.span,
        });
        self.leaves.push(0);
        self.bases(id, structure);
        let inherited = self.tree[id].fields.len();
        for variables in &structure.fields {
            self.fields(id, inherited, variables);
        }
        self.note_depth(id);
        self.check_size(id, structure);
        let ty = Type::Struct(id);
        if let Some(name) = structure.name {
            self.declare_type(name, ty.clone(), None);
        }
        let methods: Vec<_> =
            structure.methods.iter().map(|method| (self.method_signature(id, method), method)).collect();
        for (function, method) in methods {
            if let (Some(function), Some(body)) = (function, &method.body) {
                self.function_body(function, method, body);
            }
        }
        ty
    }

    /// Limits the number of nested fields, which could otherwise grow exponentially, because each structure
    /// of a sequence may contain the previous one twice.
    fn check_size(&mut self, id: StructId, structure: &ast::Struct) {
        let leaves = self.tree[id].fields.iter().map(|field| self.leaf_fields(&field.ty));
        let count = leaves.fold(0, u64::saturating_add);
        if count > MOST_FIELDS {
            let message =
                format!("a structure has at most {MOST_FIELDS} fields, including those of nested structures");
            self.error(Code::LimitExceeded, structure.span, message);
            self.tree[id].fields.clear();
        } else if let Some(leaves) = self.leaves.get_mut(id.0 as usize) {
            *leaves = count;
        }
    }

    pub(super) fn leaf_fields(&self, ty: &Type) -> u64 {
        match ty {
            Type::Struct(id) => self.leaves.get(id.0 as usize).copied().unwrap_or_default().max(1),
            Type::Array(array) => self.leaf_fields(&array.element),
            _ => 1,
        }
    }

    fn bases(&mut self, id: StructId, structure: &ast::Struct) {
        for base in &structure.bases {
            let text = self.session.names.text(base.name).clone();
            match self.lookup_type(base) {
                Some(Type::Struct(base_id)) if self.tree[base_id].interface => {
                    self.tree[id].interfaces.push(base_id);
                }
                Some(Type::Struct(base_id)) if self.tree[id].base.is_none() => {
                    self.tree[id].base = Some(base_id);
                    self.inherit(id, base_id, base.span);
                }
                Some(Type::Struct(_)) => {
                    self.error(
                        Code::InvalidBase,
                        base.span,
                        "a structure has at most one base besides interfaces",
                    );
                }
                Some(Type::Error) => {}
                Some(_) => {
                    self.error(
                        Code::InvalidBase,
                        base.span,
                        format!("'{text}': base type is not a struct, class or interface"),
                    );
                }
                None if builtin::numeric(&text).is_some() || builtin::object(&text).is_some() => {
                    self.error(Code::InvalidBase, base.span, "base type is not a struct, class or interface");
                }
                None => {
                    self.error(
                        Code::UndeclaredIdentifier,
                        base.span,
                        format!("undeclared identifier '{text}'"),
                    );
                }
            }
        }
    }

    /// Copies the fields of a base, and counts all copied fields because many structures may share a large
    /// base.
    fn inherit(&mut self, id: StructId, base: StructId, span: Span) {
        self.inherited += self.tree[base].fields.len() as u64;
        if self.inherited > MOST_INHERITED {
            let message = format!("all structures together inherit at most {MOST_INHERITED} fields");
            self.error(Code::LimitExceeded, span, message);
            return;
        }
        self.tree[id].fields = self.tree[base].fields.clone();
    }

    fn fields(&mut self, id: StructId, inherited: usize, variables: &ast::Variables) {
        let modifiers = &variables.modifiers;
        for declarator in &variables.declarators {
            self.check_flags(modifiers, DeclarationKind::Member, declarator.name);
        }
        let ResolvedType { ty, packing } = self.resolve(modifiers, &variables.type_name);
        self.check_type_modifiers(modifiers, &variables.type_name, &ty);
        for declarator in &variables.declarators {
            let name = self.session.names.text(declarator.name.name).clone();
            let span = declarator.name.span;
            let ty = self.resolve_array(ty.clone(), &declarator.dimensions, span, OpenArray::Member);
            let ty = self.check_variable_type(declarator.name, ty);
            self.refuse_pack_offset(&declarator.annotations);
            if declarator.initializer.is_some() {
                self.error(Code::SyntaxError, span, format!("'{name}': fields cannot have initial values"));
            }
            let own = &self.tree[id].fields[inherited..];
            if let Some(earlier) = own.iter().find(|field| field.name == name) {
                let earlier = earlier.span;
                self.redefinition(declarator.name, Some(earlier));
                continue;
            }
            let semantic = self.semantic(declarator.annotations.semantic.as_ref());
            let flags = modifiers.flags;
            self.tree[id].fields.push(Field { name, ty, packing, semantic, flags, span });
        }
    }

    pub(super) fn check_variable_type(&mut self, name: Ident, ty: Type) -> Type {
        if let Some(array) = patch_array(&ty) {
            return array;
        }
        if ty != Type::Void {
            return ty;
        }
        let text = self.session.names.text(name.name);
        let message = format!("'{text}': variables cannot be of type void");
        self.error(Code::InvalidType, name.span, message);
        Type::Error
    }
}

/// Returns the array type of a variable that is declared with a patch type but is not a parameter of a stage.
/// Such a variable cannot be assigned to.
pub(super) fn patch_array(ty: &Type) -> Option<Type> {
    let object = ty.object()?;
    match (object.kind, &object.element) {
        (Object::InputPatch | Object::OutputPatch, Some(element)) => {
            Some(Type::array(element.clone(), object.count))
        }
        _ => None,
    }
}
