//! Unrolling of loops. A loop is unrolled if an operand in it must be a literal, or if it selects the render
//! targets that are written.

mod follow;

use follow::{Follower, LoopJumps};
use naga::Statement as Emitted;

use crate::{
    check::{
        KnownLocals, evaluate,
        tree::{
            Direction, Expr, ExprKind, FunctionId, Loop, LoopTest, Method, Program, StatementKind, Type,
            visit,
        },
    },
    interface::{
        bindings::object_count,
        signature::{SystemValue, patch},
        stores::object_stores,
    },
    lower::{
        builder::Builder,
        jumps::{JumpTarget, KnownState, leaves},
        known_variables::KnownVariables,
        lowerer::Lowerer,
        result::{Lowered, Value},
    },
    session::{code::Code, hash::HashSet, source::Span},
    syntax::builtin::{Object, Scalar},
};

pub(super) use follow::LoopRounds;

/// A loop with at least this many iterations is not unrolled.
const MOST_ROUNDS: u32 = 1024;

/// Returns the subexpressions that must be literals: indices of objects in arrays, and texel offsets.
pub(super) fn literal_places<'t>(program: &Program, expr: &'t Expr) -> Vec<&'t Expr> {
    match &*expr.kind {
        // The control points of a patch may have any index.
        ExprKind::Index(base, index) if object_count(program, &base.ty) > 0 && patch(&base.ty).is_none() => {
            vec![index]
        }
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

/// A loop that is being unrolled.
#[derive(Clone, Copy)]
struct Unrolled<'a> {
    part: &'a Loop,
    /// Whether the loop contains a `continue`. Each iteration is then inside a naga loop that runs once.
    continues: bool,
    /// Whether all iterations are inside a naga loop that runs once. `break` and an unknown condition leave
    /// this loop.
    is_in_loop: bool,
    /// The variable that skips the remaining iterations, if a `break` cannot leave them directly.
    stop: Option<Value>,
    span: Span,
}

impl Lowerer<'_> {
    /// Returns whether a function stores to an element of a pixel shader's outputs whose index is not known.
    pub(super) fn chooses_output(
        &self,
        function: FunctionId,
        target: &Expr,
        known: &dyn KnownLocals,
    ) -> bool {
        let program = self.program;
        let Some((entry, signature)) = self.entry else { return false };
        let ExprKind::Local(local) = *visit::root(target).kind else { return false };
        if !signature.outputs.iter().any(|element| element.system == SystemValue::Target) {
            return false;
        }
        let function = &program[function];
        let mut outputs = function.parameters.iter().filter(|one| one.direction != Direction::In);
        if !outputs.any(|output| output.local == local) && function.local(local).ty != program[entry].result {
            return false;
        }
        let mut part = target;
        loop {
            part = match &*part.kind {
                ExprKind::Index(base, index) => {
                    if matches!(base.ty, Type::Array(_)) && evaluate(program, index, known).is_none() {
                        return true;
                    }
                    base
                }
                ExprKind::Field(base, _) | ExprKind::Swizzle(base, _) | ExprKind::Elements(base, _) => base,
                _ => return false,
            };
        }
    }
}

impl Builder<'_, '_> {
    /// Returns `None` if a loop is not unrolled. Otherwise returns whether its condition is tested at run
    /// time.
    pub(super) fn unrolls(&mut self, part: &Loop, span: Span) -> Lowered<Option<bool>> {
        let program = self.lowerer.program;

        let known = self.known_in_loop(part);
        let mut needs = false;
        let mut calls = Vec::new();
        visit::loop_rounds(part, &mut |expr| {
            if let ExprKind::Call(function, _) = &*expr.kind {
                calls.push(*function);
            }
            needs |=
                literal_places(program, expr).iter().any(|place| evaluate(program, place, &known).is_none());
            // The object of a variable is known only within one iteration.
            object_stores(program, expr, &mut |_, _| needs = true);
            visit::targets(program, expr, &mut |target| {
                let chooses = |function| self.lowerer.chooses_output(function, target, &known);
                needs |= self.source.is_some_and(chooses);
            });
        });
        needs = needs || calls.into_iter().any(|function| self.lowerer.facts(function).needs_literals);
        if !needs {
            return Ok(None);
        }
        Ok(match self.count_rounds(part, part.hints.unroll.flatten(), span)? {
            LoopRounds::Known { asks, .. } => Some(asks),
            LoopRounds::TooMany | LoopRounds::Unknown => None,
        })
    }

    /// Returns the values that are known in all iterations of a loop.
    fn known_in_loop(&self, part: &Loop) -> KnownVariables {
        let program = self.lowerer.program;
        let mut changed = HashSet::default();
        visit::loop_rounds(part, &mut |expr| visit::assigned_by(program, expr, &mut changed));
        visit::nested_statements(&part.body.statements, &mut |statement| {
            if let StatementKind::Declare(local, _) = statement.kind {
                changed.insert(local);
            }
        });
        let mut known = self.known.clone();
        known.forget(&changed);
        known
    }

    /// Counts the iterations of a loop that ends after `limit` iterations at the latest.
    pub(super) fn count_rounds(
        &mut self,
        part: &Loop,
        limit: Option<u32>,
        span: Span,
    ) -> Lowered<LoopRounds> {
        let mut rounds = Follower::new(self.lowerer.program, self.known.clone());
        let counted = rounds.count_rounds(part, limit);
        // Following a statement is cheaper than lowering it.
        self.lowerer.reserve(rounds.followed / 8, span)?;
        Ok(counted)
    }

    /// Lowers each iteration of a loop. `asks` is whether the condition is tested at run time.
    pub(super) fn unrolled(&mut self, part: &Loop, asks: bool, span: Span) -> Lowered<()> {
        let jumps = LoopJumps::find(&part.body.statements);
        let mut unrolled =
            Unrolled { part, continues: jumps.continues, is_in_loop: jumps.breaks || asks, stop: None, span };
        if !unrolled.is_in_loop {
            return self.rounds(unrolled).map(|_| ());
        }
        if jumps.breaks && jumps.continues {
            let ty = self.lowerer.vector_type(naga::Scalar::BOOL, 1);
            let stop = self.variable("stop", ty);
            let no = self.boolean(false);
            self.store(stop, no);
            unrolled.stop = Some(stop);
        }
        let mut end = None;
        let body = self.block(|builder| {
            end = builder.rounds(unrolled)?;
            Ok(())
        })?;
        if let Some(end) = end {
            self.replace_state(end);
        }
        self.push_once(body);
        Ok(())
    }

    fn push_once(&mut self, body: naga::Block) {
        let break_if = Some(self.boolean(true));
        self.push(Emitted::Loop { body, continuing: naga::Block::new(), break_if });
    }

    /// Lowers the iterations. Returns the state after the loop, or `None` if the end of the loop is
    /// unreachable.
    fn rounds(&mut self, unrolled: Unrolled<'_>) -> Lowered<Option<KnownState>> {
        let part = unrolled.part;
        let hint = part.hints.unroll.flatten();
        let limit = hint.unwrap_or(MOST_ROUNDS).min(MOST_ROUNDS);
        let mut breaks = None;
        for round in 0.. {
            if (part.test == LoopTest::Before || round > 0) && !self.goes_on(unrolled, &mut breaks)? {
                break;
            }
            if hint == Some(round) {
                break;
            }
            if round >= limit {
                return Err(self.error(
                    Code::CannotUnroll,
                    unrolled.span,
                    "unable to unroll loop, loop does not appear to terminate in a timely manner (1024 iterations)",
                ));
            }
            if !self.round(unrolled, &mut breaks)? {
                return Ok(breaks);
            }
            if let Some(step) = &part.step {
                self.effect(step)?;
            }
        }
        let end = self.state();
        self.joined(breaks, Some(end))
    }

    /// Lowers an iteration. Returns whether its end is reachable.
    fn round(&mut self, unrolled: Unrolled<'_>, breaks: &mut Option<KnownState>) -> Lowered<bool> {
        let statements = &unrolled.part.body.statements;
        self.enter(JumpTarget::Unrolled { stop: unrolled.stop });
        let lowered = if unrolled.continues {
            self.block(|builder| builder.statements(statements)).map(Some)
        } else {
            self.statements(statements).map(|()| None)
        };
        let jumped = self.exit();
        *breaks = self.joined(breaks.take(), jumped.breaks)?;
        let Some(body) = lowered? else { return Ok(!self.is_left()) };

        let end = if leaves(&body) { None } else { Some(self.state()) };
        self.push_once(body);
        if let Some(stop) = unrolled.stop {
            let stop = self.load(stop);
            let goes_on = self.unary(naga::UnaryOperator::LogicalNot, stop);
            self.jump_unless(goes_on, Emitted::Continue)?;
        }
        match self.joined(end, jumped.continues)? {
            Some(end) => {
                self.replace_state(end);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Returns whether there may be another iteration. An unknown condition is tested at run time.
    fn goes_on(&mut self, unrolled: Unrolled<'_>, breaks: &mut Option<KnownState>) -> Lowered<bool> {
        let Some(condition) = &unrolled.part.condition else { return Ok(true) };
        if let Some(holds) = self.decide(condition)? {
            return Ok(holds);
        }
        if !unrolled.is_in_loop {
            return Err(self.error(
                Code::CannotUnroll,
                unrolled.span,
                "unable to unroll loop: whether there is one more iteration is not known to the compiler",
            ));
        }
        let condition = self.expr(condition)?;
        let end = self.state();
        *breaks = self.joined(breaks.take(), Some(end))?;
        self.jump_unless(condition, Emitted::Continue)?;
        Ok(true)
    }
}
