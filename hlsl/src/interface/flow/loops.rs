//! Loops that never end, and loops with the attribute `loop` that must be unrolled.
//!
//! A loop never ends if its condition is always true or missing, and no `break`, `return` or `discard` in it
//! is reachable. Branches that are known not to be taken are ignored, and so are statements after a jump.
//! Loops with `[unroll]` are reported elsewhere.
//!
//! A loop must be unrolled if the index of an object in an array depends on a variable that the loop's step
//! changes.

use crate::{
    check::tree::{Block, ExprKind, Loop, Program, Statement, StatementKind, Type, visit},
    interface::bindings::Usage,
    session::{Session, code::Code, hash::HashSet, source::Span},
};

use super::known::{KnownValues, StepBudget};

/// Reports loops that never end, and loops with `[loop]` that must be unrolled.
pub(super) fn check(session: &mut Session, program: &Program, usage: &Usage) {
    let steps = StepBudget::default();
    for id in &usage.functions {
        let function = &program[*id];
        let Some(body) = &function.body else { continue };
        let known = KnownValues::new(program, function, &steps);
        LoopWalk { session, program, known }.block(body);
    }
}

/// The ways in which control leaves statements.
#[derive(Clone, Copy, Default)]
struct LoopExits {
    /// Control reaches the end.
    end: bool,
    /// A `break` leaves the enclosing loop or `switch`.
    breaks: bool,
    /// A `continue` ends an iteration of the enclosing loop.
    continues: bool,
    /// There is a `return` or a `discard`.
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
            // Control continues after a `discard`.
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
        // Control returns to the condition.
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

    /// Returns the position of an object's index that depends on a variable that the loop's step changes.
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
