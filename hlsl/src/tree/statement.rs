use crate::source::Span;

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
    /// Ends the function, with a value of its result type unless the result is `void`.
    Return(Option<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Loop {
    pub(crate) start: Vec<Statement>,
    /// The condition, which is a scalar `bool`, or `None` for `for (;;)`.
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
    /// The bits of each label's number, or `None` for `default`.
    pub(crate) labels: Vec<Option<u32>>,
    pub(crate) body: Block,
    pub(crate) span: Span,
}

/// The attributes before a statement, such as `[unroll]`, as far as they have a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Hints {
    /// Whether `[unroll]` is given, and the maximum number of iterations that it states, if any.
    pub(crate) unroll: Option<Option<u32>>,
    /// Whether `[loop]` is given, so that the loop must stay one.
    pub(crate) keep_loop: bool,
    /// Whether `[fastopt]` is given, so that the loop may stay one.
    pub(crate) fast: bool,
    pub(crate) flatten: bool,
    pub(crate) branch: bool,
}
