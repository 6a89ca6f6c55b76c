//! Expressions.

use crate::{source::Span, syntax::ast::BinaryOp};

use super::{Constant, FunctionId, GlobalId, Intrinsic, LocalId, Method, Type};

/// An expression and its type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Box<ExprKind>,
    pub(crate) ty: Type,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ExprKind {
    /// A faulty expression, which was reported.
    Error,
    /// A known value of a numeric type.
    Constant(Constant),
    Local(LocalId),
    Global(GlobalId),
    /// A field of a structure, by its index.
    Field(Expr, u32),
    /// An element of an array, a component of a vector, a row of a matrix, a point of a patch. The index is an `int` or a
    /// `uint`.
    Index(Expr, Expr),
    /// Components of a scalar or a vector, which may be repeated.
    Swizzle(Expr, Vec<u8>),
    /// Components of a matrix, as row and column: `_m00_m12`.
    Elements(Expr, Vec<(u8, u8)>),
    /// `object[place]`: an element of a buffer or a texel. The place is a scalar or a vector of `uint`.
    /// `texture.mips[level][place]` and `texture.sample[index][place]` have a level or a sample.
    Element {
        object: Expr,
        place: Expr,
        level: Option<Expr>,
    },
    /// `-a`, of the operand's type, which is not `bool`.
    Negate(Expr),
    /// `!a`: both are `bool`s.
    Not(Expr),
    /// `~a`.
    Complement(Expr),
    /// An operation on two operands of one numeric type, component by component. Both are always evaluated; for `&&`
    /// and `||` they are `bool`s. The result of a comparison is a `bool`. A shift's operands also have one type.
    Binary(BinaryOp, Expr, Expr),
    /// `condition ? a : b`: both are evaluated. The condition is a `bool`, or `bool`s of the shape of the others.
    Conditional(Expr, Expr, Expr),
    /// `a = b`. Both have one type. The value is `a`. If `a` is a [`ExprKind::Convert`], it keeps those components of
    /// the assignable expression that are stored to: `(float[2])a = b`.
    Assign(Expr, Expr),
    /// `a += b`: `a` converted to a type, the operation, and converted back. The value is `a`.
    Update(Arithmetic, Expr, Expr),
    /// `a++` and similar operators, of a numeric type.
    Step(Step, Expr),
    /// `a, b`.
    Comma(Expr, Expr),
    /// Conversion to the expression's type. Components convert one by one after a change of their type, and a scalar
    /// converts to all components. A vector or matrix may be cut, and a vector converts to a matrix with the same
    /// number of components and back. A structure converts to its base, and one value to all fields and elements
    /// (`(S)0`). Arrays and structures with at least as many components convert component by component.
    Convert(Expr),
    /// A value made of its components: consecutive scalars, vectors and matrices for a numeric type
    /// (`float4(a.xyz, 1)`), the elements for an array, and the fields for a structure. Components have the type's
    /// scalar already.
    Construct(Vec<Expr>),
    /// A call with a converted argument for each parameter. An argument for an `out` or `inout` parameter is
    /// assignable, and of any numeric type with as many components as the parameter. It may be a [`ExprKind::Convert`]
    /// of an assignable expression, which converts the written value once more. The first argument of a method is the
    /// object. If the object is not assignable, changes that the method makes to it are lost.
    Call(FunctionId, Vec<Expr>),
    /// A call of an intrinsic function, with converted arguments.
    Intrinsic(Intrinsic, Vec<Expr>),
    /// A call of a method of an object, with converted arguments.
    Method(Method, Expr, Vec<Expr>),
}

/// The operation of an assignment with an operator.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Arithmetic {
    pub(crate) op: BinaryOp,
    /// The type of the operands and the result; the right operand has it.
    pub(crate) ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

impl Expr {
    pub(crate) fn new(kind: ExprKind, ty: Type, span: Span) -> Self {
        Self { kind: Box::new(kind), ty, span }
    }

    /// Creates a placeholder for a faulty expression that was reported.
    pub(crate) fn error(span: Span) -> Self {
        Self::new(ExprKind::Error, Type::Error, span)
    }

    pub(crate) fn constant(constant: Constant, span: Span) -> Self {
        let ty = Type::Numeric(constant.ty);
        Self::new(ExprKind::Constant(constant), ty, span)
    }
}
