//! Statements.

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
    /// Declares a variable, with a value of its type or without a value.
    Declare(LocalId, Option<Expr>),
    Block(Block),
    If {
        /// A scalar `bool`.
        condition: Expr,
        then: Block,
        otherwise: Block,
        hints: Hints,
    },
    Loop(Loop),
    Switch {
        /// An `int` or a `uint`.
        selector: Expr,
        cases: Vec<Case>,
        hints: Hints,
    },
    Break,
    Continue,
    Discard,
    /// The value has the function's result type.
    Return(Option<Expr>),
}

/// `for`, `while` and `do`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Loop {
    /// The statements before the first iteration.
    pub(crate) start: Vec<Statement>,
    /// A scalar `bool`; `None` for `for (;;)`.
    pub(crate) condition: Option<Expr>,
    pub(crate) test: LoopTest,
    pub(crate) step: Option<Expr>,
    pub(crate) body: Block,
    pub(crate) hints: Hints,
}

/// The time when the condition is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopTest {
    Before,
    /// `do … while`.
    After,
}

/// Consecutive labels, and the statements after them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Case {
    /// The bits of a label's number; `None` for `default`.
    pub(crate) labels: Vec<Option<u32>>,
    pub(crate) body: Block,
    pub(crate) span: Span,
}

/// Attributes before a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Hints {
    /// `[unroll]`: the maximum number of iterations, or all.
    pub(crate) unroll: Option<Option<u32>>,
    /// `[loop]`: it stays a loop.
    pub(crate) keep_loop: bool,
    /// `[fastopt]`: it may stay a loop.
    pub(crate) fast: bool,
    /// `[flatten]`.
    pub(crate) flatten: bool,
    /// `[branch]`, `[forcecase]`.
    pub(crate) branch: bool,
}
