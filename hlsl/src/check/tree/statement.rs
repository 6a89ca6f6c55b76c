use crate::session::source::Span;

use super::{Expr, LocalId};

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StatementKind {
    Expression(Expr),
    Declare(LocalId, Option<Expr>),
    Block(Block),
    If {
        condition: Expr,
        then: Block,
        otherwise: Block,
        hints: Hints,
    },
    Loop(Loop),
    Switch {
        selector: Expr,
        cases: Vec<Case>,
        hints: Hints,
    },
    Break,
    Continue,
    Discard,
    /// Ends the function with a value of the function's result type, or `None` if this type is `void`.
    Return(Option<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Loop {
    pub(crate) start: Vec<Statement>,
    /// The condition, a scalar `bool`, or `None` for `for (;;)`.
    pub(crate) condition: Option<Expr>,
    pub(crate) test: LoopTest,
    pub(crate) step: Option<Expr>,
    pub(crate) body: Block,
    pub(crate) hints: Hints,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopTest {
    Before,
    After,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Case {
    /// The bits of the value of each label, or `None` for `default`.
    pub(crate) labels: Vec<Option<u32>>,
    pub(crate) body: Block,
    pub(crate) span: Span,
}

/// The known attributes before a statement, such as `[unroll]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Hints {
    /// `Some` if `[unroll]` is given, with its maximum number of iterations, if any, as the inner value.
    pub(crate) unroll: Option<Option<u32>>,
    /// Whether `[loop]` is given, which means that the loop must not be unrolled.
    pub(crate) keep_loop: bool,
    /// Whether `[fastopt]` is given, which means that the loop need not be unrolled.
    pub(crate) fast: bool,
    pub(crate) flatten: bool,
    pub(crate) branch: bool,
}
