//! Parts of variables that have no value at a point of the control flow.
//!
//! A unit is unset if some path from the declaration leads here without an assignment to the unit. A loop is
//! assumed to be entered, unless its condition depends on values that exist only at run time.

use std::collections::BTreeMap;

use crate::check::tree::LocalId;

/// A set of units of a variable, as in [`super::assigned`].
type UnsetMask = u64;

/// The unset units of variables, or `None` at an unreachable point.
type UnsetVariables = Option<BTreeMap<LocalId, UnsetMask>>;

/// The merged states at the jumps that leave a loop or a `switch`.
#[derive(Debug, Default)]
struct JumpStates {
    is_loop: bool,
    breaks: UnsetVariables,
    continues: UnsetVariables,
}

/// The state of the analysis.
#[derive(Debug)]
pub(super) struct UnsetAnalysis {
    state: UnsetVariables,
    jumps: Vec<JumpStates>,
}

impl Default for UnsetAnalysis {
    fn default() -> Self {
        Self { state: Some(BTreeMap::new()), jumps: Vec::new() }
    }
}

fn join(one: &mut UnsetVariables, other: UnsetVariables) {
    match (one.as_mut(), other) {
        (_, None) => {}
        (None, other) => *one = other,
        (Some(one), Some(other)) => {
            for (local, mask) in other {
                *one.entry(local).or_default() |= mask;
            }
        }
    }
}

impl UnsetAnalysis {
    /// Records that a variable initially has no value.
    pub(super) fn declare(&mut self, local: LocalId, units: UnsetMask) {
        if let Some(state) = &mut self.state {
            state.insert(local, units);
        }
    }

    /// Records that units may be assigned.
    pub(super) fn assign(&mut self, local: LocalId, units: UnsetMask) {
        if let Some(state) = &mut self.state
            && let Some(mask) = state.get_mut(&local)
        {
            *mask &= !units;
            if *mask == 0 {
                state.remove(&local);
            }
        }
    }

    /// Returns the units of a variable that may be unset at this point.
    pub(super) fn of(&self, local: LocalId) -> UnsetMask {
        self.state.as_ref().and_then(|state| state.get(&local).copied()).unwrap_or(0)
    }

    /// Returns a copy of the current state for another branch.
    pub(super) fn fork(&self) -> UnsetFork {
        UnsetFork(self.state.clone())
    }

    /// Continues with another branch. Returns the state at the end of the current one.
    pub(super) fn switch_to(&mut self, fork: UnsetFork) -> UnsetFork {
        UnsetFork(std::mem::replace(&mut self.state, fork.0))
    }

    /// Merges the state of another branch into the current one.
    pub(super) fn join(&mut self, other: UnsetFork) {
        join(&mut self.state, other.0);
    }

    /// Records that the end is unreachable, after `return` or `discard`.
    pub(super) fn leave(&mut self) {
        self.state = None;
    }

    pub(super) fn begin(&mut self, is_loop: bool) {
        self.jumps.push(JumpStates { is_loop, ..JumpStates::default() });
    }

    /// Ends a loop or a `switch`. Returns the merged state at its `break` statements.
    pub(super) fn end(&mut self) -> UnsetFork {
        UnsetFork(self.jumps.pop().and_then(|jumps| jumps.breaks))
    }

    pub(super) fn jump_out(&mut self) {
        let state = self.state.take();
        if let Some(jumps) = self.jumps.last_mut() {
            join(&mut jumps.breaks, state);
        }
    }

    pub(super) fn jump_on(&mut self) {
        let state = self.state.take();
        if let Some(jumps) = self.jumps.iter_mut().rev().find(|jumps| jumps.is_loop) {
            join(&mut jumps.continues, state);
        }
    }

    /// Merges the state at the `continue` statements of the innermost loop.
    pub(super) fn join_continues(&mut self) {
        if let Some(continues) = self.jumps.last_mut().and_then(|jumps| jumps.continues.take()) {
            join(&mut self.state, Some(continues));
        }
    }
}

/// The state at the start or at the end of a branch.
#[derive(Clone, Debug)]
pub(super) struct UnsetFork(UnsetVariables);
