//! Analyses of control flow in the functions that an entry point reaches.
//!
//! The analyses refuse only programs that FXC also refuses. They are approximate: if a value is not known, or
//! if an analysis would take too long, nothing is reported.
//!
//! * [`barriers`]: barriers that only some threads of a group reach, and derivatives in loops that pixels
//!   leave at different times. [`varying`] finds the values that differ between threads or pixels.
//! * [`loops`]: loops that never end, and loops with `[loop]` that must be unrolled.
//! * [`assigned`]: outputs and variables that are never assigned, or not on every path ([`unset`]).
//! * [`powers`]: powers whose base may be negative.
//!
//! [`known`] provides the values that are known at compile time.

mod assigned;
mod barriers;
mod known;
mod loops;
mod powers;
mod stores;
#[cfg(test)]
mod tests;
mod unset;
mod varying;

use crate::{
    Profile, ShaderStage,
    check::tree::{FunctionId, Program},
    interface::bindings::Usage,
    session::Session,
};

/// Runs the analyses that do not depend on the stage.
pub(crate) fn check(session: &mut Session, program: &Program, usage: &Usage) {
    loops::check(session, program, usage);
    assigned::check(session, program, usage);
    powers::check(session, program, usage);
}

/// Reports barriers and derivatives in varying control flow.
///
/// This is a lint, because it only repeats FXC's strictness. The caller skips it if the option
/// `allow_varying_flow` is set.
pub(crate) fn check_uniformity(
    session: &mut Session,
    program: &Program,
    usage: &Usage,
    entry: FunctionId,
    profile: Profile,
    threads: [u32; 3],
) {
    if profile.stage == ShaderStage::Compute {
        barriers::check(session, program, usage, entry, threads);
    }
    if profile.stage == ShaderStage::Pixel {
        barriers::check_derivatives(session, program, usage, entry);
    }
}
