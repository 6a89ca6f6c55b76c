//! Loops whose rounds are lowered one by one, because something in them takes nothing but literals.

use crate::hash::HashSet;

use naga::Statement as Emitted;

use crate::{
    bindings::object_count,
    check::evaluate,
    code::Code,
    source::Span,
    syntax::builtin::{Object, Scalar},
    tree::{Expr, ExprKind, Loop, LoopTest, Method, Program, Statement, StatementKind, visit},
};

use super::{
    Builder, Lowered,
    known::{Known, track},
    objects::Objects,
    statements::Target,
};

/// A loop that is unrolled has fewer rounds.
const MOST_ROUNDS: u32 = 1024;

/// The parts of an expression that must be literals: the numbers of objects in arrays, and offsets of texels.
pub(super) fn literal_places<'t>(program: &Program, expr: &'t Expr) -> Vec<&'t Expr> {
    match &*expr.kind {
        ExprKind::Index(base, index) if object_count(program, &base.ty) > 0 => vec![index],
        ExprKind::Method(method, object, arguments) => {
            let is_multisampled = object
                .ty
                .object()
                .is_some_and(|ty| matches!(ty.kind, Object::Texture2DMS | Object::Texture2DMSArray));
            let is_integer =
                |argument: &&Expr| argument.ty.numeric().is_some_and(|ty| ty.scalar == Scalar::Int);
            match method {
                Method::Load if is_multisampled => arguments.iter().skip(2).filter(is_integer).collect(),
                Method::Load => arguments.iter().skip(1).filter(is_integer).collect(),
                _ if method.name().starts_with("Sample") => {
                    arguments.iter().skip(2).filter(is_integer).collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// How many rounds a loop has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounds {
    /// So many, or fewer if `break` ends it.
    Known(u32),
    /// As many as a loop that is unrolled cannot have.
    TooMany,
    Unknown,
}

/// What there is in the body of a loop that concerns the loop itself.
#[derive(Clone, Copy, Default)]
struct Jumps {
    breaks: bool,
    continues: bool,
}

impl Jumps {
    fn find(list: &[Statement], in_switch: bool, found: &mut Self) {
        for statement in list {
            match &statement.kind {
                StatementKind::Break => found.breaks |= !in_switch,
                StatementKind::Continue => found.continues = true,
                StatementKind::Block(block) => Self::find(&block.statements, in_switch, found),
                StatementKind::If { then, otherwise, .. } => {
                    Self::find(&then.statements, in_switch, found);
                    Self::find(&otherwise.statements, in_switch, found);
                }
                StatementKind::Switch { cases, .. } => {
                    cases.iter().for_each(|case| Self::find(&case.body.statements, true, found));
                }
                _ => {}
            }
        }
    }
}

impl Builder<'_, '_> {
    /// Whether a loop must be unrolled, and can be.
    pub(super) fn unrolls(&mut self, part: &Loop, span: Span) -> Lowered<bool> {
        let program = self.lowerer.program;

        let mut needs = false;
        let mut calls = Vec::new();
        visit::loop_rounds(part, &mut |expr| {
            if let ExprKind::Call(function, _) = &*expr.kind {
                calls.push(*function);
            }
            needs |= literal_places(program, expr)
                .iter()
                .any(|place| evaluate(program, place, &|_| None).is_none());
            // Which object a variable stands for is known round by round only.
            visit::targets(program, expr, &mut |target| needs |= object_count(program, &target.ty) > 0);
        });
        needs = needs || calls.into_iter().any(|function| self.lowerer.facts(function).needs_literals);
        Ok(needs && matches!(self.count_rounds(part, span)?, Rounds::Known(_)))
    }

    /// How many rounds a loop has.
    pub(super) fn count_rounds(&mut self, part: &Loop, span: Span) -> Lowered<Rounds> {
        let mut followed = 0;
        let rounds = rounds(self.lowerer.program, part, self.known.clone(), &mut followed);
        // To follow a statement is less work than to lower it.
        self.lowerer.reserve(followed / 8, span)?;
        Ok(rounds)
    }

    /// Lowers the rounds of a loop one by one.
    pub(super) fn unrolled(&mut self, part: &Loop, span: Span) -> Lowered<()> {
        let mut jumps = Jumps::default();
        Jumps::find(&part.body.statements, false, &mut jumps);
        if !jumps.breaks {
            return self.rounds(part, jumps, None, span).map(|_| ());
        }
        let stop = if jumps.continues {
            let ty = self.lowerer.vector_type(naga::Scalar::BOOL, 1);
            let stop = self.variable("stop", ty);
            let no = self.boolean(false);
            self.store(stop, no);
            Some(stop)
        } else {
            None
        };
        let program = self.lowerer.program;
        let mut assigned = HashSet::default();
        visit::loop_rounds(part, &mut |expr| visit::assigned_by(program, expr, &mut assigned));
        // A loop of one round, which `break` leaves.
        let before = self.known.clone();
        let mut breaks = None;
        let body = self.block(|builder| {
            breaks = builder.rounds(part, jumps, stop, span)?;
            Ok(())
        })?;
        self.known = before;
        self.forget(&assigned);
        self.join_jumped(breaks)?;
        self.push_once(body);
        Ok(())
    }

    fn push_once(&mut self, body: naga::Block) {
        let break_if = Some(self.boolean(true));
        self.push(Emitted::Loop { body, continuing: naga::Block::new(), break_if });
    }

    /// Lowers the rounds. Gives the objects at the `break`s.
    fn rounds(
        &mut self,
        part: &Loop,
        jumps: Jumps,
        stop: Option<naga::Handle<naga::Expression>>,
        span: Span,
    ) -> Lowered<Option<Objects>> {
        let program = self.lowerer.program;
        let mut breaks = None;
        let assigned = visit::assigned_in(program, &part.body);
        let limit = part.hints.unroll.flatten().unwrap_or(MOST_ROUNDS).min(MOST_ROUNDS);
        for round in 0.. {
            if self.is_finished() {
                return Ok(breaks);
            }
            if (part.test == LoopTest::Before || round > 0) && !self.goes_on(part, span)? {
                return Ok(breaks);
            }
            if round >= limit {
                if part.hints.unroll.flatten() == Some(limit) {
                    return Ok(breaks);
                }
                return Err(self.error(
                    Code::CannotUnroll,
                    span,
                    "unable to unroll loop, loop does not appear to terminate in a timely manner (1024 iterations)",
                ));
            }
            self.enter(Target::Unrolled { stop });
            let lowered = if jumps.continues {
                let before = self.known.clone();
                let body = self.block(|builder| builder.statements(&part.body.statements));
                self.known = before;
                self.forget(&assigned);
                body.map(|body| self.push_once(body))
            } else {
                self.statements(&part.body.statements)
            };
            let jumped = self.exit();
            lowered?;
            self.join_jumped(jumped.continues)?;
            breaks = self.joined(breaks, jumped.breaks)?;
            if let Some(stop) = stop {
                let condition = self.load(stop);
                let accept = self.block(|builder| {
                    builder.push(Emitted::Continue);
                    Ok(())
                })?;
                self.push(Emitted::If { condition, accept, reject: naga::Block::new() });
            }
            if let Some(step) = &part.step {
                self.effect(step)?;
            }
        }
        Ok(breaks)
    }

    /// Whether there is one more round.
    fn goes_on(&mut self, part: &Loop, span: Span) -> Lowered<bool> {
        let Some(condition) = &part.condition else { return Ok(true) };
        let Some(known) = self.known(condition) else {
            return Err(self.error(
                Code::CannotUnroll,
                span,
                "unable to unroll loop: whether there is one more round is not known to the compiler",
            ));
        };
        let goes_on = known.bits.first().is_some_and(|bits| *bits != 0);
        // What else the condition does must be done.
        let program = self.lowerer.program;
        let mut assigned = HashSet::default();
        visit::expressions(condition, &mut |expr| visit::assigned_by(program, expr, &mut assigned));
        if !assigned.is_empty() {
            self.effect(condition)?;
        }
        Ok(goes_on)
    }
}

/// How many rounds a loop has. `followed` counts the statements that are looked at.
fn rounds(program: &Program, part: &Loop, mut known: Known, followed: &mut u32) -> Rounds {
    let statements = count(&part.body.statements);
    let mut jumps = Jumps::default();
    Jumps::find(&part.body.statements, false, &mut jumps);
    for round in 0..MOST_ROUNDS {
        if part.test == LoopTest::Before || round > 0 {
            let Some(condition) = &part.condition else {
                // Only `break` or `return` ends it.
                return Rounds::Unknown;
            };
            let Some(value) = evaluate(program, condition, &|local| known.get(&local).cloned()) else {
                return Rounds::Unknown;
            };
            if value.bits.first().is_none_or(|bits| *bits == 0) {
                return Rounds::Known(round);
            }
        }
        *followed = followed.saturating_add(statements);
        follow(program, &part.body.statements, &mut known);
        if let Some(step) = &part.step {
            track(program, &mut known, step);
        }
    }
    if jumps.breaks { Rounds::Unknown } else { Rounds::TooMany }
}

/// How many statements there are in some, and within them.
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

/// Follows what is known through statements. Where control may go another way, what is assigned is not known.
fn follow(program: &Program, list: &[Statement], known: &mut Known) {
    for statement in list {
        match &statement.kind {
            StatementKind::Expression(expr) => track(program, known, expr),
            StatementKind::Declare(local, value) => {
                if let Some(value) = value {
                    let constant = evaluate(program, value, &|local| known.get(&local).cloned());
                    track(program, known, value);
                    match constant {
                        Some(constant) => known.insert(*local, constant),
                        None => known.remove(local),
                    };
                } else {
                    known.remove(local);
                }
            }
            StatementKind::Block(block) => follow(program, &block.statements, known),
            StatementKind::If { condition, then, otherwise, .. } => {
                match evaluate(program, condition, &|local| known.get(&local).cloned()) {
                    Some(value) => {
                        let chosen = value.bits.first().is_some_and(|bits| *bits != 0);
                        let chosen = if chosen { then } else { otherwise };
                        follow(program, &chosen.statements, known);
                    }
                    None => forget(program, std::slice::from_ref(statement), known),
                }
            }
            StatementKind::Loop(_) | StatementKind::Switch { .. } => {
                forget(program, std::slice::from_ref(statement), known);
            }
            StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Discard
            | StatementKind::Return(_) => return,
        }
    }
}

fn forget(program: &Program, list: &[Statement], known: &mut Known) {
    let mut assigned = HashSet::default();
    visit::statements(list, &mut |expr| visit::assigned_by(program, expr, &mut assigned));
    known.retain(|local, _| !assigned.contains(local));
}
