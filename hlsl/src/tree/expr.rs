use crate::{source::Span, syntax::ast::BinaryOp};

use super::{Constant, FunctionId, GlobalId, Intrinsic, LocalId, Method, Type};

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Box<ExprKind>,
    pub(crate) ty: Type,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ExprKind {
    Error,
    Constant(Constant),
    Local(LocalId),
    Global(GlobalId),
    Field(Expr, u32),
    /// An element of an array, a component of a vector, a row of a matrix or a point of a patch, chosen by an
    /// `int` or a `uint`.
    Index(Expr, Expr),
    /// Components of a scalar or a vector, which may be repeated.
    Swizzle(Expr, Vec<u8>),
    /// Components of a matrix, such as `_m00_m12`, as pairs of row and column.
    Elements(Expr, Vec<(u8, u8)>),
    /// An element of a buffer or a texel, `object[place]`, whose place is a scalar or a vector of `uint`.
    /// Only `texture.mips[level][place]` and `texture.sample[index][place]` have a level or a sample.
    Element {
        object: Expr,
        place: Expr,
        level: Option<Expr>,
    },
    /// The value `-a`, of the operand's type, which is never `bool`.
    Negate(Expr),
    /// The value `!a`, where the operand and the result are `bool`s.
    Not(Expr),
    Complement(Expr),
    /// An operation on two operands of one numeric type, component by component, which a shift's operands
    /// also have. Both operands are always evaluated, and those of `&&` and `||` are `bool`s, as is the
    /// result of a comparison.
    Binary(BinaryOp, Expr, Expr),
    /// The choice `condition ? a : b`, which evaluates both sides. The condition is a `bool`, or `bool`s of
    /// the shape of the others.
    Conditional(Expr, Expr, Expr),
    /// The assignment `a = b` of two operands of one type, whose value is `a`. If `a` is a
    /// [`ExprKind::Convert`], it keeps those components of the assignable expression that are stored to, as
    /// in `(float[2])a = b`.
    Assign(Expr, Expr),
    /// The assignment `a += b` or a similar one, which converts `a` to a type, applies the operation and
    /// converts the result back, and whose value is `a`.
    Update(Arithmetic, Expr, Expr),
    Step(Step, Expr),
    Comma(Expr, Expr),
    /// Conversion to the expression's type. Components convert one by one after a change of their type, and a
    /// scalar converts to all components. A vector or matrix may be cut, and a vector converts to a matrix
    /// with the same number of components and back. A structure converts to its base, and one value to all
    /// fields and elements (`(S)0`). Arrays and structures with at least as many components convert component
    /// by component.
    Convert(Expr),
    /// A value made of its components: consecutive scalars, vectors and matrices for a numeric type
    /// (`float4(a.xyz, 1)`), the elements for an array, and the fields for a structure. Components have the
    /// type's scalar already.
    Construct(Vec<Expr>),
    /// A call with a converted argument for each parameter, of which the first one of a method is the object.
    /// An argument for an `out` or `inout` parameter is assignable, and of any numeric type with as many
    /// components as the parameter. It may be a [`ExprKind::Convert`] of an assignable expression, which
    /// converts the written value once more. If the object of a method is not assignable, changes that the
    /// method makes to it are lost.
    Call(FunctionId, Vec<Expr>),
    Intrinsic(Intrinsic, Vec<Expr>),
    Method(Method, Expr, Vec<Expr>),
}

/// The operation of an assignment with an operator, such as `+=`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Arithmetic {
    pub(crate) op: BinaryOp,
    /// The type of the operands and the result, which the right operand has already.
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
