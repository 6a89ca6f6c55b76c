use std::sync::Arc;

use super::{Checker, types::ResolvedType};
use crate::{
    check::tree::{Norm, ObjectType, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::{ModifierFlags, TypeArgument},
        builtin::{Object, ObjectFamily, Scalar},
    },
};

impl Checker<'_> {
    pub(super) fn object_type(&mut self, kind: Object, arguments: &[TypeArgument], span: Span) -> Type {
        if kind == Object::String {
            return Type::String;
        }
        let mut object = ObjectType {
            kind,
            element: None,
            packing: self.options.packing,
            norm: None,
            count: 0,
            coherent: false,
        };
        let mut arguments = arguments.iter();
        match arguments.next() {
            Some(TypeArgument::Type(modifiers, name)) => {
                let ResolvedType { ty, packing } = self.resolve(modifiers, name);
                if ty.is_error() || !self.check_element(kind, &ty, name.span) {
                    return Type::Error;
                }
                object.norm = norm(modifiers.flags);
                object.packing = packing;
                object.element = Some(ty);
            }
            Some(TypeArgument::Value(value)) => {
                let message = format!("the first argument of '{}' must be a type", kind.name());
                self.error(Code::InvalidType, value.span, message);
                return Type::Error;
            }
            None if kind.family().needs_element() => {
                let message = format!("'{}' needs an element type", kind.name());
                self.error(Code::SyntaxError, span, message);
                return Type::Error;
            }
            None if kind.family().has_texels() => object.element = Some(Type::vector(Scalar::Float, 4)),
            None => {}
        }
        match arguments.next() {
            Some(TypeArgument::Value(value)) if has_count(kind) => {
                let most = if matches!(kind, Object::InputPatch | Object::OutputPatch) { 64 } else { 128 };
                let message = "the count must be a literal expression";
                match self.constant_integer(value, Code::ArrayDimension, message) {
                    Some(count) if (1..=most).contains(&count) => object.count = count as u32,
                    Some(0) if most == 128 => {}
                    Some(_) => {
                        let message = format!("the count must be between 1 and {most}");
                        self.error(Code::InvalidArrayDimension, value.span, message);
                        return Type::Error;
                    }
                    None => return Type::Error,
                }
            }
            Some(_) => {
                self.error(
                    Code::InvalidType,
                    span,
                    format!("'{}' does not take a second argument", kind.name()),
                );
                return Type::Error;
            }
            None if matches!(kind, Object::InputPatch | Object::OutputPatch) => {
                let message = format!("'{}' needs the number of its control points", kind.name());
                self.error(Code::InvalidType, span, message);
                return Type::Error;
            }
            None => {}
        }
        Type::Object(Arc::new(object))
    }

    fn check_element(&mut self, kind: Object, ty: &Type, span: Span) -> bool {
        let is_buffer = kind.family() == ObjectFamily::Constants;
        let (code, message) = if is_buffer && !matches!(ty, Type::Struct(_)) {
            let message = format!("the type of a {} must be a structure", kind.name());
            (Code::BufferElement, message)
        } else if !kind.family().has_texels() && !kind.family().needs_element() {
            (Code::InvalidType, format!("'{}' does not take an element type", kind.name()))
        } else if self.has_object(ty) && kind.family() != ObjectFamily::Vertices {
            (Code::ObjectElement, "object element type cannot be an object type".to_owned())
        } else if *ty == Type::Void {
            (Code::InvalidType, format!("elements of '{}' cannot be of type void", kind.name()))
        } else if kind.family().has_texels() && (self.words(ty) > 4 || matches!(ty, Type::Array(_))) {
            let message = "elements of typed buffers and textures must fit in four 32-bit quantities";
            (Code::ConstructorType, message.to_owned())
        } else {
            return true;
        };
        self.error(code, span, message);
        false
    }

    fn words(&self, ty: &Type) -> u64 {
        match ty {
            Type::Numeric(numeric) if numeric.scalar == Scalar::Double => numeric.components() as u64 * 2,
            Type::Struct(id) => {
                let fields = self.tree[*id].fields.iter();
                fields.fold(0_u64, |sum, field| sum.saturating_add(self.words(&field.ty)))
            }
            Type::Array(array) => self.words(&array.element).saturating_mul(array.length.into()),
            _ => self.count(ty),
        }
    }

    pub(super) fn has_object(&self, ty: &Type) -> bool {
        match ty {
            Type::Object(_) => true,
            Type::Array(array) => self.has_object(&array.element),
            Type::Struct(id) => self.tree[*id].fields.iter().any(|field| self.has_object(&field.ty)),
            Type::Error | Type::Void | Type::Numeric(_) | Type::String => false,
        }
    }

    pub(super) fn has_effect_object(&self, ty: &Type) -> bool {
        match ty {
            Type::String => true,
            Type::Object(object) => object.kind.family() == ObjectFamily::Effect,
            Type::Array(array) => self.has_effect_object(&array.element),
            Type::Struct(id) => self.tree[*id].fields.iter().any(|field| self.has_effect_object(&field.ty)),
            Type::Error | Type::Void | Type::Numeric(_) => false,
        }
    }

    pub(super) fn has_half(&self, ty: &Type) -> bool {
        match ty {
            Type::Numeric(numeric) => numeric.scalar == Scalar::Half,
            Type::Array(array) => self.has_half(&array.element),
            Type::Struct(id) => self.tree[*id].fields.iter().any(|field| self.has_half(&field.ty)),
            Type::Error | Type::Void | Type::Object(_) | Type::String => false,
        }
    }

    pub(super) fn has_number(&self, ty: &Type) -> bool {
        match ty {
            Type::Numeric(_) => true,
            Type::Array(array) => self.has_number(&array.element),
            Type::Struct(id) => self.tree[*id].fields.iter().any(|field| self.has_number(&field.ty)),
            Type::Error | Type::Void | Type::Object(_) | Type::String => false,
        }
    }
}

fn norm(flags: ModifierFlags) -> Option<Norm> {
    if flags.contains(ModifierFlags::UNORM) {
        Some(Norm::Unorm)
    } else if flags.contains(ModifierFlags::SNORM) {
        Some(Norm::Snorm)
    } else {
        None
    }
}

/// Returns whether an object type has a number after its element type.
fn has_count(kind: Object) -> bool {
    matches!(kind, Object::Texture2DMS | Object::Texture2DMSArray | Object::InputPatch | Object::OutputPatch)
}
