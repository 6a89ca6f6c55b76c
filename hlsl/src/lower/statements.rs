//! Statements.

use naga::{Statement as Emitted, SwitchCase, SwitchValue};

use crate::{
    check::tree::{Block, Case, Expr, LocalId, Loop, LoopTest, Statement, StatementKind, visit},
    interface::bindings::{VariableId, object_count},
    lower::{
        builder::{Builder, LocalStorage},
        jumps::{JumpTarget, KnownState, leaves},
        known_variables::track,
        result::{Lowered, Value},
        unroll::LoopRounds,
    },
    session::{code::Code, hash::HashSet, source::Span},
};

/// The blocks of a naga loop.
struct LoopBlocks {
    body: naga::Block,
    continuing: naga::Block,
    break_if: Option<Value>,
    /// The merged state at the `break` statements, if there are any.
    breaks: Option<KnownState>,
}

impl Builder<'_, '_> {
    pub(super) fn statements(&mut self, list: &[Statement]) -> Lowered<()> {
        for statement in list {
            if self.is_finished() {
                break;
            }
            self.deeper(statement.span, |builder| builder.statement(statement))?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Lowered<()> {
        match &statement.kind {
            StatementKind::Expression(expr) => self.effect(expr),
            StatementKind::Declare(local, value) => self.declaration(*local, value.as_ref(), statement.span),
            StatementKind::Block(block) => self.statements(&block.statements),
            StatementKind::If { condition, then, otherwise, .. } => {
                if self.long_chain(condition, then, otherwise, statement.span)? {
                    return Ok(());
                }
                self.if_statement(condition, then, otherwise)
            }
            StatementKind::Loop(part) => self.any_loop(part, statement.span),
            StatementKind::Switch { selector, cases, .. } => self.switch(selector, cases),
            StatementKind::Break => {
                if let Some(last) = self.targets.len().checked_sub(1) {
                    self.jump(last, true)?;
                }
                match self.targets.last() {
                    Some(JumpTarget::Loop | JumpTarget::Switch) => self.push(Emitted::Break),
                    Some(JumpTarget::Unrolled { stop }) => {
                        if let Some(stop) = *stop {
                            let yes = self.boolean(true);
                            self.store(stop, yes);
                        }
                        self.push(Emitted::Continue);
                    }
                    None => {}
                }
                Ok(())
            }
            StatementKind::Continue => {
                let target = self.targets.iter().rposition(|target| !matches!(target, JumpTarget::Switch));
                if let Some(target) = target {
                    self.jump(target, false)?;
                    self.push(Emitted::Continue);
                }
                Ok(())
            }
            StatementKind::Discard => {
                self.discard();
                Ok(())
            }
            StatementKind::Return(value) => {
                let mut result = None;
                let mut objects = Vec::new();
                if let Some(value) = value {
                    if self.lowerer.has_data(&value.ty) {
                        result = Some(self.expr(value)?);
                    }
                    if object_count(self.lowerer.program, &value.ty) > 0 {
                        objects = self.objects_in(value)?;
                    } else if result.is_none() {
                        self.effect(value)?;
                    }
                }
                self.leave(objects)?;
                let value = result;
                self.push(Emitted::Return { value });
                Ok(())
            }
        }
    }

    fn declaration(&mut self, local: LocalId, value: Option<&Expr>, span: Span) -> Lowered<()> {
        let Some(source) = self.source else { return Ok(()) };
        let program = self.lowerer.program;
        let variable = program[source].local(local);
        if self.lowerer.has_data(&variable.ty) {
            self.data_declaration(local, value, span)?;
        }
        if object_count(program, &variable.ty) > 0 {
            let objects = value.map(|value| self.objects_in(value)).transpose()?;
            self.objects.insert(VariableId::Local(local), objects.unwrap_or_default());
        }
        Ok(())
    }

    /// Declares a variable that exists at run time.
    fn data_declaration(&mut self, local: LocalId, value: Option<&Expr>, span: Span) -> Lowered<()> {
        let Some(source) = self.source else { return Ok(()) };
        let variable = self.lowerer.program[source].local(local);
        let is_assigned = self.facts.assigned.contains(&local);
        let known = value.and_then(|value| self.known(value));
        let partly = value.and_then(|value| self.known_partly(value));
        let value = match value {
            Some(_) if known.is_some() && !is_assigned => None,
            Some(value) => Some(self.expr(value)?),
            None => None,
        };
        match value {
            Some(value) if !is_assigned && !self.prefers_memory(&variable.ty) => {
                self.locals.insert(local, LocalStorage::Value(value));
            }
            None if known.is_some() => {
                self.locals.remove(&local);
            }
            value => {
                let pointer = match self.locals.get(&local) {
                    Some(LocalStorage::Pointer(pointer)) => *pointer,
                    _ => {
                        let ty = self.ty(&variable.ty, span)?;
                        self.variable(&variable.name, ty)
                    }
                };
                self.locals.insert(local, LocalStorage::Pointer(pointer));
                if let Some(value) = value {
                    self.store(pointer, value);
                }
            }
        }
        self.known.set(local, partly);
        Ok(())
    }

    fn if_statement(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> Lowered<()> {
        if let Some(holds) = self.decide(condition)? {
            return self.statements(&(if holds { then } else { otherwise }).statements);
        }
        let condition = self.expr(condition)?;
        let before = self.state();
        let accept = self.block(|builder| builder.statements(&then.statements))?;
        let after = self.replace_state(before);
        let reject = self.block(|builder| builder.statements(&otherwise.statements))?;
        if leaves(&reject) {
            self.replace_state(after);
        } else if !leaves(&accept) {
            self.join_state(&after)?;
        }
        self.push(Emitted::If { condition, accept, reject });
        Ok(())
    }

    /// Returns the value of a condition if it is known. In this case, the side effects of the condition are
    /// also lowered.
    pub(super) fn decide(&mut self, condition: &Expr) -> Lowered<Option<bool>> {
        let program = self.lowerer.program;
        let known = match self.known(condition) {
            None if !visit::is_pure(condition) => track(program, &mut self.known.clone(), condition),
            known => known,
        };
        if known.is_some() && !visit::is_pure(condition) {
            self.effect(condition)?;
        }
        Ok(known.map(|known| known.bits.first().is_some_and(|bits| *bits != 0)))
    }

    fn switch(&mut self, selector: &Expr, cases: &[Case]) -> Lowered<()> {
        let is_signed =
            super::types::naga_scalar(self.numeric_of(selector)?.scalar).kind == naga::ScalarKind::Sint;
        let selector = self.expr(selector)?;
        let label = |bits: u32| {
            if is_signed { SwitchValue::I32(bits.cast_signed()) } else { SwitchValue::U32(bits) }
        };
        let before = self.state();
        // The merged state where cases end without a jump.
        let mut after = None;
        let mut emitted = Vec::new();
        let mut has_default = false;
        self.enter(JumpTarget::Switch);
        for case in cases {
            self.replace_state(before.clone());
            let body = self.block(|builder| builder.statements(&case.body.statements))?;
            if !leaves(&body) {
                let end = self.state();
                after = self.joined(after, Some(end))?;
            }
            let mut values = Vec::new();
            for bits in &case.labels {
                has_default |= bits.is_none();
                values.push(bits.map_or(SwitchValue::Default, label));
            }
            let Some(last) = values.pop() else { continue };
            for value in values {
                emitted.push(SwitchCase { value, body: naga::Block::new(), fall_through: true });
            }
            emitted.push(SwitchCase { value: last, body, fall_through: false });
        }
        let jumped = self.exit();
        after = self.joined(after, jumped.breaks)?;
        if !has_default {
            after = self.joined(after, Some(before.clone()))?;
            emitted.push(SwitchCase {
                value: SwitchValue::Default,
                body: naga::Block::new(),
                fall_through: false,
            });
        }
        // If the end is unreachable, the state does not matter.
        self.replace_state(after.unwrap_or(before));
        self.push(Emitted::Switch { selector, cases: emitted });
        Ok(())
    }

    fn any_loop(&mut self, part: &Loop, span: Span) -> Lowered<()> {
        self.statements(&part.start)?;
        if let Some(asks) = self.unrolls(part, span)? {
            return self.unrolled(part, asks, span);
        }
        match part.hints.unroll {
            Some(None) if self.count_rounds(part, None, span)? == LoopRounds::TooMany => Err(self.error(
                Code::CannotUnroll,
                span,
                "unable to unroll loop, loop does not appear to terminate in a timely manner (1024 iterations)",
            )),
            Some(Some(most)) => {
                // The loop ends after `most` iterations, even if its condition is still true.
                let is_enough = matches!(
                    self.count_rounds(part, None, span)?,
                    LoopRounds::Known { most: rounds, .. } if rounds <= most
                );
                self.kept_loop(part, (!is_enough).then_some(most))
            }
            _ => self.kept_loop(part, None),
        }
    }

    /// Lowers a loop without unrolling. `most` limits the number of iterations.
    fn kept_loop(&mut self, part: &Loop, most: Option<u32>) -> Lowered<()> {
        let counter = most.map(|most| {
            let ty = self.lowerer.vector_type(naga::Scalar::U32, 1);
            let (counter, zero) = (self.variable("round", ty), self.uint(0));
            self.store(counter, zero);
            (counter, most)
        });
        let program = self.lowerer.program;
        let mut assigned = HashSet::default();
        visit::loop_rounds(part, &mut |expr| visit::assigned_by(program, expr, &mut assigned));
        self.known.forget(&assigned);
        self.forget_objects(part, &self.replaced_by_condition(part))?;
        let replaced = self.replaced_objects(part);
        // At first, objects are assumed to be the same in all iterations. If this is wrong, the loop is
        // lowered again with the changed objects unknown, and finally with all replaced objects unknown.
        for attempt in 0.. {
            let (start, locals) = (self.state(), self.locals.clone());
            let lowered = self.loop_blocks(part, &assigned, counter)?;
            let changed = self.changed_objects(&start.objects, &replaced)?;
            if changed.is_empty() {
                // A loop with its condition after the body is left only there or by jumps.
                if part.test == LoopTest::Before || counter.is_some() {
                    self.join_objects(&start.objects)?;
                }
                self.join_jumped(lowered.breaks)?;
                let LoopBlocks { body, continuing, break_if, .. } = lowered;
                self.push(Emitted::Loop { body, continuing, break_if });
                break;
            }
            self.replace_state(start);
            self.locals = locals;
            self.forget_objects(part, if attempt == 0 { &changed } else { &replaced })?;
        }
        Ok(())
    }

    /// Lowers the blocks of a loop. Afterwards, the current state is that of the end of an iteration.
    fn loop_blocks(
        &mut self,
        part: &Loop,
        assigned: &HashSet<LocalId>,
        counter: Option<(Value, u32)>,
    ) -> Lowered<LoopBlocks> {
        self.enter(JumpTarget::Loop);
        let body = self.branch(assigned, |builder| {
            if let Some(condition) = &part.condition
                && part.test == LoopTest::Before
            {
                let condition = builder.expr(condition)?;
                builder.break_unless(condition)?;
            }
            if let Some((counter, most)) = counter {
                let (round, most, one) = (builder.load(counter), builder.uint(most), builder.uint(1));
                let condition = builder.binary(naga::BinaryOperator::Less, round, most);
                builder.break_unless(condition)?;
                let next = builder.binary(naga::BinaryOperator::Add, round, one);
                builder.store(counter, next);
            }
            builder.statements(&part.body.statements)
        });
        let jumped = self.exit();
        let body = body?;
        self.join_jumped(jumped.continues)?;
        let mut break_if = None;
        let continuing = self.branch(assigned, |builder| {
            if let Some(step) = &part.step {
                builder.effect(step)?;
            }
            if let Some(condition) = &part.condition
                && part.test == LoopTest::After
            {
                let condition = builder.expr(condition)?;
                break_if = Some(builder.unary(naga::UnaryOperator::LogicalNot, condition));
            }
            Ok(())
        })?;
        Ok(LoopBlocks { body, continuing, break_if, breaks: jumped.breaks })
    }

    fn break_unless(&mut self, condition: Value) -> Lowered<()> {
        self.jump_unless(condition, Emitted::Break)
    }

    /// Adds a jump that is taken if a condition is false.
    pub(super) fn jump_unless(&mut self, condition: Value, jump: Emitted) -> Lowered<()> {
        let reject = self.block(|builder| {
            builder.push(jump);
            Ok(())
        })?;
        self.push(Emitted::If { condition, accept: naga::Block::new(), reject });
        Ok(())
    }
}
