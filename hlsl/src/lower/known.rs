//! The current state of the lowering, and its merging where control flow joins.

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
    /// Returns a copy of the current state.
    pub(super) fn state(&self) -> KnownState {
        KnownState { objects: self.objects.clone(), known: self.known.clone() }
    }

    /// Replaces the current state and returns the previous one.
    pub(super) fn replace_state(&mut self, state: KnownState) -> KnownState {
        let objects = std::mem::replace(&mut self.objects, state.objects);
        KnownState { objects, known: std::mem::replace(&mut self.known, state.known) }
    }

    /// Merges another state into the current one: only values and objects that agree stay known.
    pub(super) fn join_state(&mut self, other: &KnownState) -> Lowered<()> {
        self.known.join(&other.known);
        self.join_objects(&other.objects)
    }

    /// Merges two optional states. `None` means that control does not arrive on this path.
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

    /// Merges the state at jumps to the current point, if there are any.
    pub(super) fn join_jumped(&mut self, jumped: Option<KnownState>) -> Lowered<()> {
        match jumped {
            Some(jumped) => self.join_state(&jumped),
            None => Ok(()),
        }
    }

    /// Returns the components of a variable after a compound assignment, an increment or a decrement.
    pub(super) fn known_update(&self, expr: &Expr) -> Option<Vec<Option<u64>>> {
        parts(updated(self.lowerer.program, &self.known, expr).as_ref())
    }

    /// Returns the known components of an expression that is evaluated next.
    pub(super) fn known_partly(&self, expr: &Expr) -> Option<Vec<Option<u64>>> {
        let program = self.lowerer.program;
        if visit::is_pure(expr) {
            return evaluate_partly(program, expr, &self.known);
        }
        track_partly(program, &mut self.known.clone(), expr)
    }

    /// Records the known components of an assignment's target.
    pub(super) fn remember(&mut self, target: &Expr, value: Option<Vec<Option<u64>>>) {
        self.known.assign(self.lowerer.program, target, value);
    }

    /// Forgets the known components of the variable that an expression is part of.
    pub(super) fn forget_root(&mut self, expr: &Expr) {
        if let ExprKind::Local(local) = *visit::root(expr).kind {
            self.known.set(local, None);
        }
    }

    /// Forgets the variables that an expression stores to. Its subexpressions are not included.
    pub(super) fn forget_targets(&mut self, expr: &Expr) {
        let mut assigned = HashSet::default();
        visit::assigned_by(self.lowerer.program, expr, &mut assigned);
        self.known.forget(&assigned);
    }

    /// Lowers code that may be skipped. Values that become known in this code are unknown afterwards.
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
