//! The result of the check that precedes draws, from one change of a binding to the next.
//!
//! A draw checks its bindings only after a change. Setters record the change here, the next draw checks the
//! bindings and stores the result, and the following draws use this result.

use super::{
    Skipped,
    draw_checks::{DrawPart, input::DrawLimits},
};

/// The result of the last check, as far as it applies to the next draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum DrawCheck {
    /// The check passed, and draws take the fast path. Not used with the debug layer, nor while a map token
    /// is open.
    Fast,
    /// The check passed, but draws take the slow path.
    Passed,
    /// The check failed. Only the debug layer repeats it, so that each refused draw is reported.
    Refused,
    /// A requirement of draws has changed since the check.
    Pending,
}

/// State of the debug layer for draws.
#[derive(Debug)]
struct DebugDrawState {
    /// Parts whose bindings have changed since the last check. A pending check covers all parts.
    changed: DrawPart,
    /// Limits that the bound buffers set for the range of a draw.
    limits: DrawLimits,
}

/// State of the check that precedes the next draw.
#[derive(Debug)]
pub(crate) struct DrawState {
    check: DrawCheck,
    /// `None` without the debug layer.
    debug: Option<DebugDrawState>,
}

impl DrawState {
    pub(crate) fn new(has_debug_layer: bool) -> Self {
        let debug = DebugDrawState { changed: DrawPart::empty(), limits: DrawLimits::NONE };
        Self { check: DrawCheck::Pending, debug: has_debug_layer.then_some(debug) }
    }

    /// Returns whether the next draw needs no check at all.
    #[inline(always)]
    pub(super) fn is_fast(&self) -> bool {
        self.check == DrawCheck::Fast
    }

    #[inline]
    pub(super) const fn has_debug_layer(&self) -> bool {
        self.debug.is_some()
    }

    /// Records that the bindings are known to match and draws may take the fast path. Not called with the
    /// debug layer, nor while a map token is open.
    #[inline]
    pub(super) fn set_fast(&mut self) {
        self.check = DrawCheck::Fast;
    }

    /// Records that the bindings match.
    pub(super) fn set_passed(&mut self) {
        self.check = DrawCheck::Passed;
    }

    /// Records that a draw is impossible with these bindings.
    pub(super) fn set_refused(&mut self) {
        self.check = DrawCheck::Refused;
    }

    /// Moves draws whose check has passed to the fast path, unless the debug layer compares the range of each
    /// draw with the buffers. Not called while a map token is open.
    pub(super) fn leave_slow_path(&mut self) {
        if self.check == DrawCheck::Passed && self.debug.is_none() {
            self.check = DrawCheck::Fast;
        }
    }

    /// Moves draws to the slow path, because a map token was opened.
    pub(super) fn leave_fast_path(&mut self) {
        if self.check == DrawCheck::Fast {
            self.check = DrawCheck::Passed;
        }
    }

    /// Returns whether the next draw must check its bindings.
    pub(super) fn needs_check(&self) -> bool {
        match (self.check, &self.debug) {
            (DrawCheck::Pending, _) | (DrawCheck::Refused, Some(_)) => true,
            (DrawCheck::Fast | DrawCheck::Passed, Some(debug)) => !debug.changed.is_empty(),
            (_, None) => false,
        }
    }

    /// Returns the result of the last check. A check that is still pending was not possible.
    pub(super) const fn result(&self) -> Result<(), Skipped> {
        match self.check {
            DrawCheck::Fast | DrawCheck::Passed => Ok(()),
            DrawCheck::Refused | DrawCheck::Pending => Err(Skipped),
        }
    }

    /// Records that a requirement of draws has changed, so that the next draw checks it.
    #[inline]
    pub(crate) fn changed(&mut self) {
        self.check = DrawCheck::Pending;
    }

    /// Records a change of a binding that only the debug layer checks.
    #[inline]
    pub(crate) fn binding_changed(&mut self, part: DrawPart) {
        if let Some(debug) = &mut self.debug {
            debug.changed |= part;
        }
    }

    /// Returns the parts that the debug layer must check now, and marks them as checked.
    pub(super) fn take_changed(&mut self) -> DrawPart {
        let Some(debug) = &mut self.debug else { return DrawPart::empty() };
        let changed = std::mem::replace(&mut debug.changed, DrawPart::empty());
        if self.check == DrawCheck::Pending { DrawPart::all() } else { changed }
    }

    /// Returns the limits for the range of a draw. Without the debug layer, there are none.
    pub(super) fn limits(&self) -> DrawLimits {
        self.debug.as_ref().map_or(DrawLimits::NONE, |debug| debug.limits)
    }

    pub(super) fn set_limits(&mut self, limits: DrawLimits) {
        if let Some(debug) = &mut self.debug {
            debug.limits = limits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_token_keeps_passed_draws_off_the_fast_path() {
        let mut state = DrawState::new(false);
        assert!(state.needs_check() && state.result() == Err(Skipped));
        state.set_passed();
        state.leave_slow_path();
        assert!(state.is_fast());
        state.leave_fast_path();
        assert!(!state.is_fast() && !state.needs_check());
        assert_eq!(state.result(), Ok(()));
        state.changed();
        state.leave_fast_path();
        assert!(state.needs_check(), "a pending check stays pending");
    }

    #[test]
    fn only_the_debug_layer_repeats_a_failed_check() {
        for has_debug_layer in [false, true] {
            let mut state = DrawState::new(has_debug_layer);
            state.set_refused();
            assert_eq!(state.needs_check(), has_debug_layer);
            assert_eq!(state.result(), Err(Skipped));
            state.leave_slow_path();
            assert!(!state.is_fast(), "a refused draw has no fast path");
        }
    }

    #[test]
    fn the_debug_layer_checks_changed_parts_and_has_no_fast_path() {
        let mut state = DrawState::new(true);
        assert_eq!(state.take_changed(), DrawPart::all(), "the first check covers all parts");
        state.set_passed();
        state.leave_slow_path();
        assert!(!state.is_fast() && !state.needs_check());
        state.binding_changed(DrawPart::PIXEL);
        state.binding_changed(DrawPart::OUTPUT);
        assert!(state.needs_check());
        assert_eq!(state.take_changed(), DrawPart::PIXEL | DrawPart::OUTPUT);
        assert!(!state.needs_check(), "the parts are checked once");
        let mut state = DrawState::new(false);
        state.set_passed();
        state.binding_changed(DrawPart::all());
        assert!(!state.needs_check(), "the debug layer alone checks bindings");
    }
}
