//! Which variables have values that are known, as control passes.

use crate::{
    check::{
        evaluate_partly,
        tree::{Expr, ExprKind, LocalId, visit},
    },
    lower::{
        builder::Builder,
        jumps::KnownState,
        known_variables::{parts, track_partly, updated},
        result::Lowered,
    },
    session::hash::HashSet,
};

impl Builder<'_, '_> {
    /// What is known here.
    pub(super) fn state(&self) -> KnownState {
        KnownState { objects: self.objects.clone(), known: self.known.clone() }
    }

    /// Puts another state in the place of the one here, and gives that.
    pub(super) fn replace_state(&mut self, state: KnownState) -> KnownState {
        let objects = std::mem::replace(&mut self.objects, state.objects);
        KnownState { objects, known: std::mem::replace(&mut self.known, state.known) }
    }

    /// Where two ways meet: keeps what is the same here and there.
    pub(super) fn join_state(&mut self, other: &KnownState) -> Lowered<()> {
        self.known.join(&other.known);
        self.join_objects(&other.objects)
    }

    /// What is the same on two ways, each of which there may not be.
    pub(super) fn joined(
        &mut self,
        one: Option<KnownState>,
        other: Option<KnownState>,
    ) -> Lowered<Option<KnownState>> {
        let (one, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => return Ok(one.or(other)),
        };
        let own = self.replace_state(one);
        self.join_state(&other)?;
        Ok(Some(self.replace_state(own)))
    }

    /// Where jumps come to: what is the same there and here.
    pub(super) fn join_jumped(&mut self, jumped: Option<KnownState>) -> Lowered<()> {
        match jumped {
            Some(jumped) => self.join_state(&jumped),
            None => Ok(()),
        }
    }

    /// The value that a variable has after an assignment with an operator, an increment or a decrement.
    pub(super) fn known_update(&self, expr: &Expr) -> Option<Vec<Option<u64>>> {
        parts(updated(self.lowerer.program, &self.known, expr).as_ref())
    }

    /// The components that the value of an expression, which is evaluated next, is known to have.
    pub(super) fn known_partly(&self, expr: &Expr) -> Option<Vec<Option<u64>>> {
        let program = self.lowerer.program;
        if visit::is_pure(expr) {
            return evaluate_partly(program, expr, &self.known);
        }
        track_partly(program, &mut self.known.clone(), expr)
    }

    /// Notes what was assigned to a variable, or to a part of it.
    pub(super) fn remember(&mut self, target: &Expr, value: Option<Vec<Option<u64>>>) {
        self.known.assign(self.lowerer.program, target, value);
    }

    /// Forgets what is known of the variable that an expression is a part of.
    pub(super) fn forget_root(&mut self, expr: &Expr) {
        if let ExprKind::Local(local) = *visit::root(expr).kind {
            self.known.set(local, None);
        }
    }

    /// Forgets what is known of the variables that an expression, without its parts, stores to.
    pub(super) fn forget_targets(&mut self, expr: &Expr) {
        let mut assigned = HashSet::default();
        visit::assigned_by(self.lowerer.program, expr, &mut assigned);
        self.known.forget(&assigned);
    }

    /// Lowers what may be skipped: what becomes known in it is not known behind it.
    pub(super) fn branch(
        &mut self,
        assigned: &HashSet<LocalId>,
        lower: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<naga::Block> {
        let before = self.known.clone();
        let block = self.block(lower);
        self.known = before;
        self.known.forget(assigned);
        block
    }
}
