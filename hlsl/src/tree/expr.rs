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
    /// It is wrong, and was reported.
    Error,
    /// A value that is known, of a numeric type.
    Constant(Constant),
    Local(LocalId),
    Global(GlobalId),
    /// A field of a structure, by its place.
    Field(Expr, u32),
    /// An element of an array, a component of a vector, a row of a matrix, a point of a patch. The index is an `int` or a
    /// `uint`.
    Index(Expr, Expr),
    /// Components of a scalar or a vector, maybe repeated.
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
    /// `-a`, of the operand's type, which is no `bool`.
    Negate(Expr),
    /// `!a`: both are `bool`s.
    Not(Expr),
    /// `~a`.
    Complement(Expr),
    /// Of two operands of one numeric type, component by component. Both are always evaluated; for `&&` and `||` they
    /// are `bool`s. The result of a comparison is a `bool`. A shift's operands have one type, too.
    Binary(BinaryOp, Expr, Expr),
    /// `condition ? a : b`: both are evaluated. The condition is a `bool`, or `bool`s of the shape of the others.
    Conditional(Expr, Expr, Expr),
    /// `a = b`. Both have one type. The value is `a`. Where `a` is a [`ExprKind::Convert`], it leaves the components of what
    /// is assignable that are stored to: `(float[2])a = b`.
    Assign(Expr, Expr),
    /// `a += b`: `a` converted to a type, the operation, and converted back. The value is `a`.
    Update(Arithmetic, Expr, Expr),
    /// `a++` and its like, of a numeric type.
    Step(Step, Expr),
    /// `a, b`.
    Comma(Expr, Expr),
    /// To the expression's type: components one by one after a change of their type; a scalar to all components; a
    /// vector or matrix cut, a vector to a matrix of as many components and back; a structure to its base; one value to
    /// all fields and elements (`(S)0`); arrays and structures of at least as many components, component by component.
    Convert(Expr),
    /// A value of its components: of scalars, vectors and matrices, one behind the other, for a numeric type (`float4(a.xyz,
    /// 1)`); of the elements for an array; of the fields for a structure. Components have the type's scalar already.
    Construct(Vec<Expr>),
    /// A call: an argument for each parameter, converted. An argument for an `out` or `inout` parameter is assignable, and
    /// of any numeric type with as many components as the parameter; it may be a [`ExprKind::Convert`] of what is
    /// assignable, which converts what is written once more. The first argument of a method is the object; what a method
    /// changes in an object that is not assignable is lost.
    Call(FunctionId, Vec<Expr>),
    /// A function of the language. Arguments are converted.
    Intrinsic(Intrinsic, Vec<Expr>),
    /// A method of an object. Arguments are converted.
    Method(Method, Expr, Vec<Expr>),
}

/// What an assignment with an operator does.
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

    /// What stands for an expression that is wrong, after that was reported.
    pub(crate) fn error(span: Span) -> Self {
        Self::new(ExprKind::Error, Type::Error, span)
    }

    pub(crate) fn constant(constant: Constant, span: Span) -> Self {
        let ty = Type::Numeric(constant.ty);
        Self::new(ExprKind::Constant(constant), ty, span)
    }
}
