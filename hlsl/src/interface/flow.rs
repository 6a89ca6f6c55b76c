//! Analyses of control flow, over the functions that an entry point reaches.
//!
//! They refuse what FXC refuses, and nothing that it takes: each reports only what is sure. Where an analysis does not
//! know a value, or where it would take too long, it says nothing.
//!
//! * [`barriers`]: barriers that only some threads of a group reach, and derivatives in loops that pixels leave at
//!   different times. Which values differ between threads is in [`varying`].
//! * [`loops`]: loops that never end, and those that cannot stay loops.
//! * [`assigned`]: outputs and variables that nothing is assigned to, or not on every path ([`unset`]).
//! * [`powers`]: powers whose base may be negative.
//!
//! [`known`] has the values that the compiler knows.

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

/// Runs the analyses that a stage needs.
pub(crate) fn check(session: &mut Session, program: &Program, usage: &Usage, entry: FunctionId) {
    loops::check(session, program, usage);
    assigned::check(session, program, usage, entry);
    powers::check(session, program, usage, entry);
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
