//! Follows the known values through the iterations of a loop without lowering them.

use crate::{
    check::tree::{
        Block, Constant, Expr, ExprKind, Loop, LoopTest, Program, Statement, StatementKind, visit,
    },
    lower::{
        known_variables::{KnownVariables, track, track_partly},
        unroll::MOST_ROUNDS,
    },
    session::hash::HashSet,
    syntax::ast::BinaryOp,
};

/// The number of iterations of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopRounds {
    /// There are at most `most` iterations.
    Known {
        most: u32,
        /// Whether a condition that is known only at run time may end the loop earlier.
        asks: bool,
    },
    /// The loop has too many iterations to be unrolled.
    TooMany,
    Unknown,
}

/// The jumps in the body of a loop that leave the loop or an iteration.
#[derive(Clone, Copy, Default)]
pub(super) struct LoopJumps {
    pub(super) breaks: bool,
    pub(super) continues: bool,
    /// Whether there is a `break` or a `return`.
    leaves: bool,
}

impl LoopJumps {
    pub(super) fn find(list: &[Statement]) -> Self {
        let mut found = Self::default();
        found.look(list, false);
        found.leaves = found.breaks;
        visit::nested_statements(list, &mut |statement| {
            found.leaves |= matches!(statement.kind, StatementKind::Return(_));
        });
        found
    }

    fn look(&mut self, list: &[Statement], in_switch: bool) {
        for statement in list {
            match &statement.kind {
                StatementKind::Break => self.breaks |= !in_switch,
                StatementKind::Continue => self.continues = true,
                StatementKind::Block(block) => self.look(&block.statements, in_switch),
                StatementKind::If { then, otherwise, .. } => {
                    self.look(&then.statements, in_switch);
                    self.look(&otherwise.statements, in_switch);
                }
                StatementKind::Switch { cases, .. } => {
                    cases.iter().for_each(|case| self.look(&case.body.statements, true));
                }
                _ => {}
            }
        }
    }
}

/// Follows the known values through the iterations of a loop without lowering them.
pub(super) struct Follower<'a> {
    program: &'a Program,
    known: KnownVariables,
    /// The number of statements that were followed.
    pub(super) followed: u32,
}

impl<'a> Follower<'a> {
    pub(super) fn new(program: &'a Program, known: KnownVariables) -> Self {
        Self { program, known, followed: 0 }
    }

    /// Counts the iterations of a loop that ends after `limit` iterations at the latest.
    pub(super) fn count_rounds(&mut self, part: &Loop, limit: Option<u32>) -> LoopRounds {
        let jumps = LoopJumps::find(&part.body.statements);
        let statements = count(&part.body.statements);
        let mut asks = false;
        for round in 0..MOST_ROUNDS {
            if (part.test == LoopTest::Before || round > 0)
                && let Some(condition) = &part.condition
            {
                match track(self.program, &mut self.known, condition) {
                    Some(value) if is_false(&value) => return LoopRounds::Known { most: round, asks },
                    Some(_) => {}
                    None if limit.is_none() && !jumps.leaves && !has_parts(condition) => {
                        return LoopRounds::Unknown;
                    }
                    None => asks = true,
                }
            }
            if limit == Some(round) {
                return LoopRounds::Known { most: round, asks };
            }
            self.followed = self.followed.saturating_add(statements);
            let mut continues = None;
            let falls = self.statements(&part.body.statements, &mut continues);
            match continues {
                Some(continues) if falls => self.known.join(&continues),
                Some(continues) => self.known = continues,
                None if falls => {}
                None => return LoopRounds::Known { most: round + 1, asks },
            }
            if let Some(step) = &part.step {
                track(self.program, &mut self.known, step);
            }
        }
        if asks || jumps.leaves { LoopRounds::Unknown } else { LoopRounds::TooMany }
    }

    /// Follows statements. Returns whether their end is reachable, and merges the known values at each
    /// `continue`.
    fn statements(&mut self, list: &[Statement], continues: &mut Option<KnownVariables>) -> bool {
        list.iter().all(|statement| self.statement(statement, continues))
    }

    fn statement(&mut self, statement: &Statement, continues: &mut Option<KnownVariables>) -> bool {
        match &statement.kind {
            StatementKind::Expression(expr) => {
                track(self.program, &mut self.known, expr);
            }
            StatementKind::Declare(local, value) => {
                let value =
                    value.as_ref().and_then(|value| track_partly(self.program, &mut self.known, value));
                self.known.set(*local, value);
            }
            StatementKind::Block(block) => return self.statements(&block.statements, continues),
            StatementKind::If { condition, then, otherwise, .. } => {
                return self.if_statement(condition, then, otherwise, continues);
            }
            StatementKind::Loop(_) | StatementKind::Switch { .. } => self.forget(statement),
            StatementKind::Continue => {
                self.continue_here(continues);
                return false;
            }
            StatementKind::Discard => {}
            StatementKind::Break | StatementKind::Return(_) => return false,
        }
        true
    }

    fn if_statement(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
        continues: &mut Option<KnownVariables>,
    ) -> bool {
        if let Some(value) = track(self.program, &mut self.known, condition) {
            let chosen = if is_false(&value) { otherwise } else { then };
            return self.statements(&chosen.statements, continues);
        }
        let before = self.known.clone();
        let then_falls = self.statements(&then.statements, continues);
        let after = std::mem::replace(&mut self.known, before);
        let otherwise_falls = self.statements(&otherwise.statements, continues);
        match (then_falls, otherwise_falls) {
            (true, true) => self.known.join(&after),
            (true, false) => self.known = after,
            (false, _) => {}
        }
        then_falls || otherwise_falls
    }

    fn continue_here(&self, continues: &mut Option<KnownVariables>) {
        match continues {
            Some(continues) => continues.join(&self.known),
            None => *continues = Some(self.known.clone()),
        }
    }

    fn forget(&mut self, statement: &Statement) {
        let mut assigned = HashSet::default();
        visit::statements(std::slice::from_ref(statement), &mut |expr| {
            visit::assigned_by(self.program, expr, &mut assigned);
        });
        self.known.forget(&assigned);
    }
}

fn is_false(value: &Constant) -> bool {
    value.bits.first().is_none_or(|bits| *bits == 0)
}

/// Returns whether a part of a condition may be known to be false although the whole condition is not known.
fn has_parts(condition: &Expr) -> bool {
    let mut found = false;
    visit::expressions(condition, &mut |part| {
        found |= matches!(
            *part.kind,
            ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, ..) | ExprKind::Conditional(..)
        );
    });
    found
}

/// Returns the number of statements, including nested ones.
fn count(list: &[Statement]) -> u32 {
    list.iter().fold(1, |sum: u32, statement| {
        let inside = match &statement.kind {
            StatementKind::Block(block) => count(&block.statements),
            StatementKind::If { then, otherwise, .. } => {
                count(&then.statements).saturating_add(count(&otherwise.statements))
            }
            StatementKind::Loop(part) => count(&part.body.statements),
            StatementKind::Switch { cases, .. } => {
                cases.iter().fold(0, |sum: u32, case| sum.saturating_add(count(&case.body.statements)))
            }
            _ => 1,
        };
        sum.saturating_add(inside)
    })
}
