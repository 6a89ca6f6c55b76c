use std::sync::Arc;

use crate::{
    session::source::Span,
    syntax::{
        ast::ModifierFlags,
        builtin::{Object, Scalar, Shape},
    },
    text::token::Packing,
};

use super::{FunctionId, Semantic};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    /// The type of an invalid expression whose error was reported, so it converts to and from any type
    /// without a message.
    Error,
    Void,
    Numeric(Numeric),
    Array(Arc<ArrayType>),
    Struct(StructId),
    Object(Arc<ObjectType>),
    String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Numeric {
    pub(crate) scalar: Scalar,
    pub(crate) shape: Shape,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ArrayType {
    pub(crate) element: Type,
    /// The number of elements, at least 1, or 0 for an array `[]` without an initializer, which is reported
    /// if the length matters.
    pub(crate) length: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StructId(pub(crate) u32);

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StructType {
    /// The name of the structure, or `<unnamed>` if the declaration has none.
    pub(crate) name: Arc<str>,
    /// The structure that this one inherits from, whose fields come first in [`StructType::fields`].
    pub(crate) base: Option<StructId>,
    pub(crate) fields: Vec<Field>,
    /// The structure's own methods, because methods of the base are looked up in the base.
    pub(crate) methods: Vec<FunctionId>,
    pub(crate) interfaces: Vec<StructId>,
    /// Whether the structure is an `interface`, which cannot be lowered.
    pub(crate) interface: bool,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Field {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    pub(crate) packing: Packing,
    pub(crate) semantic: Option<Semantic>,
    pub(crate) flags: ModifierFlags,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ObjectType {
    pub(crate) kind: Object,
    /// The type of an element, or `None` for samplers and byte address buffers. For a texture or a typed
    /// buffer, it is a scalar or a vector, by default `float4`.
    pub(crate) element: Option<Type>,
    pub(crate) packing: Packing,
    pub(crate) norm: Option<Norm>,
    /// The sample count of a multisampled texture, or the number of control points of a patch, by default 0.
    pub(crate) count: u32,
    pub(crate) coherent: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Norm {
    Unorm,
    Snorm,
}

impl Numeric {
    pub(crate) const fn scalar(scalar: Scalar) -> Self {
        Self { scalar, shape: Shape::Scalar }
    }

    pub(crate) const fn vector(scalar: Scalar, size: u8) -> Self {
        Self { scalar, shape: Shape::Vector(size) }
    }

    pub(crate) fn components(self) -> usize {
        self.rows() * self.columns()
    }

    pub(crate) fn rows(self) -> usize {
        match self.shape {
            Shape::Matrix { rows, .. } => rows.into(),
            Shape::Scalar | Shape::Vector(_) => 1,
        }
    }

    /// Returns the number of components in a vector or in a row of a matrix.
    pub(crate) fn columns(self) -> usize {
        match self.shape {
            Shape::Scalar => 1,
            Shape::Vector(size) => size.into(),
            Shape::Matrix { columns, .. } => columns.into(),
        }
    }

    pub(crate) const fn with(self, scalar: Scalar) -> Self {
        Self { scalar, shape: self.shape }
    }
}

impl Type {
    pub(crate) const BOOL: Type = Type::scalar(Scalar::Bool);
    pub(crate) const INT: Type = Type::scalar(Scalar::Int);
    pub(crate) const UINT: Type = Type::scalar(Scalar::Uint);
    pub(crate) const FLOAT: Type = Type::scalar(Scalar::Float);

    pub(crate) const fn scalar(scalar: Scalar) -> Self {
        Self::Numeric(Numeric::scalar(scalar))
    }

    pub(crate) const fn vector(scalar: Scalar, size: u8) -> Self {
        Self::Numeric(Numeric::vector(scalar, size))
    }

    pub(crate) fn array(element: Type, length: u32) -> Self {
        Self::Array(Arc::new(ArrayType { element, length }))
    }

    /// Returns the number of elements, rows or components that an index can select, or `u32::MAX` if it is
    /// not known.
    pub(crate) fn indices(&self) -> u32 {
        match self {
            Self::Array(array) => array.length,
            Self::Numeric(Numeric { shape: Shape::Matrix { rows, .. }, .. }) => (*rows).into(),
            Self::Numeric(numeric) => numeric.columns() as u32,
            Self::Object(object) if object.count > 0 => object.count,
            _ => u32::MAX,
        }
    }

    pub(crate) fn numeric(&self) -> Option<Numeric> {
        match self {
            Self::Numeric(numeric) => Some(*numeric),
            _ => None,
        }
    }

    pub(crate) fn object(&self) -> Option<&ObjectType> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the type of the elements of an array, or of the control points of a patch, and their number.
    pub(crate) fn elements(&self) -> Option<(&Self, u32)> {
        match self {
            Self::Array(array) => Some((&array.element, array.length)),
            Self::Object(object) if matches!(object.kind, Object::InputPatch | Object::OutputPatch) => {
                Some((object.element.as_ref()?, object.count))
            }
            _ => None,
        }
    }

    pub(crate) fn is_error(&self) -> bool {
        *self == Self::Error
    }
}
