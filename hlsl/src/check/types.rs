use std::sync::Arc;

use super::{Checker, evaluate, scopes::NamedType};
use crate::{
    check::tree::{Constant, LocalId, Numeric, ObjectType, Type},
    session::{code::Code, names::Symbol, source::Span},
    syntax::{
        ast::{Expr, ModifierFlags, Modifiers, Path, TypeKind, TypeName},
        builtin::{ObjectFamily, Scalar, Shape},
    },
    text::token::Packing,
};

/// Maximum number of elements of an array, as in FXC.
const LONGEST_ARRAY: i64 = 65_536;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum OpenArray {
    /// The declaration has an initializer that determines the length.
    Initialized,
    /// The declaration is a variable without an initializer, with its name for error messages.
    Variable(Symbol),
    Member,
    Parameter,
    /// The type belongs to a `typedef` or a cast.
    Type,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct ResolvedType {
    pub(super) ty: Type,
    pub(super) packing: Packing,
}

impl Checker<'_> {
    /// Returns the type that a type name denotes, and declares a structure that the type name defines.
    pub(crate) fn resolve_type(&mut self, name: &TypeName) -> Type {
        self.resolve_named(name).ty
    }

    pub(super) fn resolve(&mut self, modifiers: &Modifiers, name: &TypeName) -> ResolvedType {
        let named = self.resolve_named(name);
        let packing = self.packing(modifiers, &named);
        ResolvedType { ty: self.with_modifiers(named.ty, modifiers), packing }
    }

    /// Resolves a type, together with the packing that a `typedef` sets for its matrices.
    pub(super) fn resolve_named(&mut self, name: &TypeName) -> NamedType {
        let mut packing = None;
        let ty = match &name.kind {
            TypeKind::Void => Type::Void,
            TypeKind::Numeric(scalar, shape) => Type::Numeric(Numeric { scalar: *scalar, shape: *shape }),
            TypeKind::Vector(element, size) => {
                let scalar =
                    self.component(element, Code::VectorElement, "vector element type must be a scalar type");
                let size = self.vector_size(size.as_deref(), Code::VectorDimension, name.span);
                match (scalar, size) {
                    (Some(scalar), Some(size)) => Type::vector(scalar, size),
                    _ => Type::Error,
                }
            }
            TypeKind::Matrix(element, rows, columns) => {
                let scalar =
                    self.component(element, Code::MatrixElement, "matrix element type must be a scalar type");
                let (code, span) = (Code::MatrixDimension, name.span);
                let rows = self.vector_size(rows.as_deref(), code, span);
                let columns = rows.and_then(|_| self.vector_size(columns.as_deref(), code, span));
                match (scalar, rows, columns) {
                    (Some(scalar), Some(rows), Some(columns)) => {
                        Type::Numeric(Numeric { scalar, shape: Shape::Matrix { rows, columns } })
                    }
                    _ => Type::Error,
                }
            }
            TypeKind::Object(object, _) if object.family() == ObjectFamily::Constants => {
                let message = format!("{} is only allowed as the type of global variables", object.name());
                self.error(Code::InvalidType, name.span, message);
                Type::Error
            }
            TypeKind::Object(object, arguments) => self.object_type(*object, arguments, name.span),
            TypeKind::Unsigned(of) => {
                let named = self.resolve_named(of);
                match named.ty {
                    Type::Numeric(numeric) if numeric.scalar == Scalar::Int => {
                        Type::Numeric(numeric.with(Scalar::Uint))
                    }
                    Type::Error => Type::Error,
                    _ => {
                        self.error(
                            Code::InvalidTypeModifier,
                            name.span,
                            "unsigned can not be used with type",
                        );
                        Type::Error
                    }
                }
            }
            TypeKind::Named(path) => match self.lookup_named_type(path) {
                // In `struct S`, the path must name a structure, so a `typedef` name is not allowed.
                Some(named)
                    if name.span.start < path.span.start
                        && !self.is_named_structure(&named.ty, path.name) =>
                {
                    self.unknown_type(path)
                }
                Some(named) => {
                    packing = named.packing;
                    named.ty
                }
                None => self.unknown_type(path),
            },
            TypeKind::Struct(structure) => self.structure(structure),
        };
        NamedType { ty, packing }
    }

    fn is_named_structure(&self, ty: &Type, name: Symbol) -> bool {
        matches!(ty, Type::Struct(id) if self.tree[*id].name == *self.session.names.text(name))
    }

    fn unknown_type(&mut self, path: &Path) -> Type {
        let text = self.session.names.text(path.name);
        let message = format!("unrecognized identifier '{text}'");
        self.error(Code::SyntaxError, path.span, message);
        Type::Error
    }

    fn component(&mut self, name: &TypeName, code: Code, message: &str) -> Option<Scalar> {
        match self.resolve_type(name) {
            Type::Numeric(Numeric { scalar, shape: Shape::Scalar | Shape::Vector(1) }) => Some(scalar),
            Type::Error => None,
            _ => {
                self.error(code, name.span, message);
                None
            }
        }
    }

    fn vector_size(&mut self, size: Option<&Expr>, code: Code, span: Span) -> Option<u8> {
        let Some(size) = size else {
            self.error(Code::SyntaxError, span, "the dimensions of a vector or a matrix are missing");
            return None;
        };
        match self.constant_integer(size, code, "dimensions must be literal expressions")? {
            size @ 1..=4 => Some(size as u8),
            _ => {
                let message = "vector and matrix dimensions must be between 1 and 4";
                self.error(code, size.span, message);
                None
            }
        }
    }

    fn with_modifiers(&mut self, ty: Type, modifiers: &Modifiers) -> Type {
        if let (Type::Object(object), true) =
            (&ty, modifiers.flags.contains(ModifierFlags::GLOBALLY_COHERENT))
        {
            let object = ObjectType { coherent: true, ..(**object).clone() };
            return Type::Object(Arc::new(object));
        }
        ty
    }

    // Arrays

    /// Returns an array type, whose outermost length is 0 if the initializer determines it.
    pub(crate) fn resolve_array(
        &mut self,
        element: Type,
        dimensions: &[Option<Expr>],
        span: Span,
        open: OpenArray,
    ) -> Type {
        let mut ty = element;
        for (index, dimension) in dimensions.iter().enumerate().rev() {
            let length = match (dimension, open) {
                (Some(size), _) => self.array_length(size),
                (None, _) if index > 0 => {
                    let message = "secondary array dimensions must be explicit";
                    self.error(Code::SecondaryDimensionMissing, span, message);
                    None
                }
                (None, OpenArray::Initialized) => Some(0),
                (None, OpenArray::Variable(name))
                    if self.session.has_buffer_types && self.has_object(&ty) =>
                {
                    let name = self.session.names.text(name);
                    let message =
                        format!("not supported: '{name}', an array without a size: declare its size");
                    self.error(Code::Unsupported, span, message);
                    None
                }
                (None, open) => {
                    let message = match open {
                        OpenArray::Variable(name) => {
                            let name = self.session.names.text(name);
                            format!("'{name}': implicit array missing initial value")
                        }
                        OpenArray::Member => {
                            "array dimensions of struct/class members must be explicit".to_owned()
                        }
                        OpenArray::Parameter => {
                            "array dimensions of function parameters must be explicit".to_owned()
                        }
                        OpenArray::Initialized | OpenArray::Type => {
                            "array dimensions of type must be explicit".to_owned()
                        }
                    };
                    let code = match open {
                        OpenArray::Variable(_) => Code::ImplicitArrayWithoutValue,
                        _ => Code::ArrayDimensionMissing,
                    };
                    self.error(code, span, message);
                    None
                }
            };
            ty = match (ty, length) {
                (Type::Error, _) | (_, None) => Type::Error,
                (Type::Void, _) => {
                    self.error(Code::InvalidType, span, "arrays cannot have elements of void");
                    Type::Error
                }
                (ty, Some(length)) => {
                    let array = Type::array(ty, length);
                    if self.check_depth(&array, span) { array } else { Type::Error }
                }
            };
        }
        ty
    }

    fn array_length(&mut self, size: &Expr) -> Option<u32> {
        let message = "array dimensions must be literal scalar expressions";
        match self.constant_integer(size, Code::ArrayDimension, message)? {
            length @ 1..=LONGEST_ARRAY => Some(length as u32),
            _ => {
                let message = format!("array dimension must be between 1 and {LONGEST_ARRAY}");
                self.error(Code::InvalidArrayDimension, size.span, message);
                None
            }
        }
    }

    // Constant values

    /// Evaluates an expression that must be a scalar constant, and truncates the value to an integer.
    pub(super) fn constant_integer(&mut self, expr: &Expr, code: Code, message: &str) -> Option<i64> {
        let typed = self.expression(expr);
        if typed.ty.is_error() {
            return None;
        }
        let value = self.known_value(&typed).filter(|value| value.bits.len() == 1);
        let number = value.as_ref().and_then(|value| value.as_integer().or_else(|| cut_off(value)));
        if number.is_none() {
            self.error(code, expr.span, message);
        }
        number
    }

    /// Returns the value of a constant expression, which consists of literals, `static const` variables and
    /// `const` local variables.
    pub(crate) fn known_value(&self, expr: &crate::check::tree::Expr) -> Option<Constant> {
        evaluate(&self.tree, expr, &|local: LocalId| self.known_locals.get(&local).cloned())
    }
}

/// Truncates a finite floating-point number to an integer, or returns `None` for other values.
fn cut_off(value: &Constant) -> Option<i64> {
    let bits = *value.bits.first()?;
    let number = match value.ty.scalar {
        Scalar::Double => f64::from_bits(bits),
        Scalar::Float | Scalar::Half | Scalar::Min16Float | Scalar::Min10Float => {
            f64::from(f32::from_bits(bits as u32))
        }
        Scalar::Bool
        | Scalar::Int
        | Scalar::Uint
        | Scalar::Min16Int
        | Scalar::Min12Int
        | Scalar::Min16Uint => return None,
    };
    number.is_finite().then_some(number as i64)
}
