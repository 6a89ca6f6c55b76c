use crate::{session::source::Span, syntax::ast::BinaryOp};

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
    /// An element of an array, a component of a vector, a row of a matrix or a control point of a patch,
    /// selected by an `int` or a `uint`.
    Index(Expr, Expr),
    /// Components of a scalar or a vector, in which a component may occur several times.
    Swizzle(Expr, Vec<u8>),
    /// Components of a matrix, such as `_m00_m12`, as pairs of a row and a column.
    Elements(Expr, Vec<(u8, u8)>),
    /// An element of a buffer or a texel of a texture, `object[place]`. `place` is a scalar or vector of
    /// `uint`. `level` is `Some` only for `texture.mips[level][place]` and for the sample index of
    /// `texture.sample[index][place]`.
    Element {
        object: Expr,
        place: Expr,
        level: Option<Expr>,
    },
    /// The value `-a`, whose type is the operand's type and is never `bool`.
    Negate(Expr),
    /// The value `!a`, with an operand and a result of type `bool`.
    Not(Expr),
    Complement(Expr),
    /// An operation on two operands of the same numeric type, component by component. Shifts are included,
    /// and both operands are always evaluated. The operands of `&&` and `||`, and the results of comparisons,
    /// are `bool`s.
    Binary(BinaryOp, Expr, Expr),
    /// The choice `condition ? a : b`, which evaluates both `a` and `b` and whose condition is a single
    /// `bool`, or `bool`s in the shape of `a` and `b`.
    Conditional(Expr, Expr, Expr),
    /// The assignment `a = b` of two operands of the same type, whose value is `a`. The target `a` may be a
    /// [`ExprKind::Convert`] of an assignable expression, as in `(float[2])a = b`, and then only the
    /// components that remain after the conversion are stored.
    Assign(Expr, Expr),
    /// A compound assignment such as `a += b`. It converts `a` to the type of the operation, applies the
    /// operation, and converts the result back. Its value is `a`.
    Update(Arithmetic, Expr, Expr),
    Step(Step, Expr),
    Comma(Expr, Expr),
    /// A conversion to the type of the expression, which converts each component if the component type
    /// changes. A scalar can be repeated to fill a vector or matrix, and a vector or matrix can be truncated.
    /// A vector can be converted to a matrix with the same number of components and back. A structure can be
    /// converted to its base, and a single value to all fields and elements of a type, as in `(S)0`. Arrays
    /// and structures with at least as many components as the target are converted component by component.
    Convert(Expr),
    /// A value built from components: consecutive scalars, vectors and matrices for a numeric type, as in
    /// `float4(a.xyz, 1)`, the elements of an array, or the fields of a structure. The components already
    /// have the scalar type of the result.
    Construct(Vec<Expr>),
    /// A call with one converted argument for each parameter, including the object as a method's first
    /// argument. The argument of an `out` or `inout` parameter is assignable, and may have any numeric type
    /// with as many components as the parameter. It may also be a [`ExprKind::Convert`] of an assignable
    /// expression, which converts the returned value again. If the object of a method is not assignable, the
    /// method's changes to it are lost.
    Call(FunctionId, Vec<Expr>),
    Intrinsic(Intrinsic, Vec<Expr>),
    Method(Method, Expr, Vec<Expr>),
}

/// The operation of a compound assignment such as `+=`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Arithmetic {
    pub(crate) op: BinaryOp,
    /// The type of the operands and the result, which the right operand already has.
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

    /// Creates a placeholder for an invalid expression whose error was reported.
    pub(crate) fn error(span: Span) -> Self {
        Self::new(ExprKind::Error, Type::Error, span)
    }

    pub(crate) fn constant(constant: Constant, span: Span) -> Self {
        let ty = Type::Numeric(constant.ty);
        Self::new(ExprKind::Constant(constant), ty, span)
    }
}
