//! Parts of variables without a value, at each point of the control flow.
//!
//! A part is unset where a path leads from the declaration without an assignment to any of it. Loops count as entered unless
//! their condition depends on values that only exist at run time.

use std::collections::BTreeMap;

use crate::check::tree::LocalId;

/// Units of a variable, as in [`super::assigned`].
type UnsetMask = u64;

/// The variables with unset parts. `None` where control never comes.
type UnsetVariables = Option<BTreeMap<LocalId, UnsetMask>>;

/// The states at the jumps out of a loop or a `switch`.
#[derive(Debug, Default)]
struct JumpStates {
    is_loop: bool,
    breaks: UnsetVariables,
    continues: UnsetVariables,
}

/// The state of an analysis.
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
    /// A variable begins without a value.
    pub(super) fn declare(&mut self, local: LocalId, units: UnsetMask) {
        if let Some(state) = &mut self.state {
            state.insert(local, units);
        }
    }

    /// Something may be assigned to these units.
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

    /// The units of a variable that may be unset here.
    pub(super) fn of(&self, local: LocalId) -> UnsetMask {
        self.state.as_ref().and_then(|state| state.get(&local).copied()).unwrap_or(0)
    }

    /// The state here, for another branch.
    pub(super) fn fork(&self) -> UnsetFork {
        UnsetFork(self.state.clone())
    }

    /// Goes on with another branch. Returns the state where this one ends.
    pub(super) fn switch_to(&mut self, fork: UnsetFork) -> UnsetFork {
        UnsetFork(std::mem::replace(&mut self.state, fork.0))
    }

    /// Joins another branch with this one.
    pub(super) fn join(&mut self, other: UnsetFork) {
        join(&mut self.state, other.0);
    }

    /// Control ends here: `return` or `discard`.
    pub(super) fn leave(&mut self) {
        self.state = None;
    }

    pub(super) fn begin(&mut self, is_loop: bool) {
        self.jumps.push(JumpStates { is_loop, ..JumpStates::default() });
    }

    /// Ends a loop or a `switch`. Returns the state after its `break`s.
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

    /// The `continue`s of the innermost loop come here.
    pub(super) fn join_continues(&mut self) {
        if let Some(continues) = self.jumps.last_mut().and_then(|jumps| jumps.continues.take()) {
            join(&mut self.state, Some(continues));
        }
    }
}

/// The state of a branch.
#[derive(Clone, Debug)]
pub(super) struct UnsetFork(UnsetVariables);
