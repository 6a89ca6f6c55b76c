//! Loops that never end, and loops that must be unrolled, but have the attribute `loop`.
//!
//! A loop that never ends has no condition, or one that always holds, and control comes to no `break`, `return` or
//! `discard` in it. Branches that are known not to be taken do not count, nor do statements behind a jump. Loops that are
//! unrolled have a message of their own.
//!
//! A loop must be unrolled where the number of an object in an array depends on its counter: on what its step changes.

use crate::{
    check::tree::{Block, ExprKind, Loop, Program, Statement, StatementKind, Type, visit},
    interface::bindings::Usage,
    session::{Session, code::Code, hash::HashSet, source::Span},
};

use super::known::{KnownValues, StepBudget};

/// Reports the loops that never end.
pub(super) fn check(session: &mut Session, program: &Program, usage: &Usage) {
    let steps = StepBudget::default();
    for id in &usage.functions {
        let function = &program[*id];
        let Some(body) = &function.body else { continue };
        let known = KnownValues::new(program, function, &steps);
        LoopWalk { session, program, known }.block(body);
    }
}

/// How control leaves statements.
#[derive(Clone, Copy, Default)]
struct LoopExits {
    /// At their end.
    end: bool,
    /// By a `break` of the loop or the `switch` around them.
    breaks: bool,
    /// By a `continue` of the loop around them.
    continues: bool,
    /// By a `return` or a `discard`.
    leaves: bool,
}

impl LoopExits {
    const END: Self = Self { end: true, breaks: false, continues: false, leaves: false };

    fn or(self, other: Self) -> Self {
        Self {
            end: self.end || other.end,
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            leaves: self.leaves || other.leaves,
        }
    }
}

struct LoopWalk<'s, 'a> {
    session: &'s mut Session,
    program: &'a Program,
    known: KnownValues<'a>,
}

impl LoopWalk<'_, '_> {
    fn block(&mut self, block: &Block) -> LoopExits {
        self.statements(&block.statements)
    }

    fn statements(&mut self, list: &[Statement]) -> LoopExits {
        let mut ways = LoopExits::END;
        for statement in list {
            let next = self.statement(statement);
            ways = LoopExits { end: false, ..ways }.or(next);
            if !next.end {
                break;
            }
        }
        ways
    }

    fn statement(&mut self, statement: &Statement) -> LoopExits {
        match &statement.kind {
            StatementKind::Expression(_) | StatementKind::Declare(..) => LoopExits::END,
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise, .. } => match self.known.condition(condition) {
                Some(true) => self.block(then),
                Some(false) => self.block(otherwise),
                None => self.block(then).or(self.block(otherwise)),
            },
            StatementKind::Loop(part) => self.any_loop(part, statement),
            StatementKind::Switch { cases, .. } => {
                let has_default = cases.iter().any(|case| case.labels.contains(&None));
                let ways =
                    cases.iter().map(|case| self.block(&case.body)).fold(LoopExits::default(), LoopExits::or);
                LoopExits { end: ways.end || ways.breaks || !has_default, breaks: false, ..ways }
            }
            StatementKind::Break => LoopExits { breaks: true, ..LoopExits::default() },
            StatementKind::Continue => LoopExits { continues: true, ..LoopExits::default() },
            // The pixel is dropped, but control goes on.
            StatementKind::Discard => LoopExits { leaves: true, ..LoopExits::END },
            StatementKind::Return(_) => LoopExits { leaves: true, ..LoopExits::default() },
        }
    }

    fn any_loop(&mut self, part: &Loop, statement: &Statement) -> LoopExits {
        let condition = match &part.condition {
            Some(condition) => self.known.condition(condition),
            None => Some(true),
        };
        let body = self.block(&part.body);
        // Control comes to the condition again.
        let has_rounds = body.end || body.continues;
        let is_endless = condition == Some(true) && has_rounds && !body.breaks && !body.leaves;
        if is_endless && part.hints.unroll.is_none() {
            let message = "infinite loop detected - loop never exits: it has no break, return or discard";
            self.session.error(Code::InfiniteLoop, statement.span, message);
        }
        if part.hints.keep_loop
            && condition != Some(false)
            && let Some(index) = self.index_by_counter(part)
        {
            let message = "can't unroll loops marked with loop attribute: remove [loop], so that an object is known in \
                           each round";
            self.session.error(Code::LoopForced, statement.span, message);
            self.session.note(index, "the number of the object must be a literal");
        }
        LoopExits { end: body.breaks || condition != Some(true), breaks: false, continues: false, ..body }
    }

    /// Where a loop chooses an object by what its step changes.
    fn index_by_counter(&self, part: &Loop) -> Option<Span> {
        let mut counters = HashSet::default();
        visit::expressions(part.step.as_ref()?, &mut |expr| {
            visit::assigned_by(self.program, expr, &mut counters);
        });
        let mut found = None;
        visit::statements(&part.body.statements, &mut |expr| {
            if let (ExprKind::Index(_, index), Type::Object(_)) = (&*expr.kind, &expr.ty) {
                visit::expressions(index, &mut |expr| {
                    if matches!(&*expr.kind, ExprKind::Local(local) if counters.contains(local)) {
                        found = found.or(Some(index.span));
                    }
                });
            }
        });
        found
    }
}
