//! Waiting for what other threads, or the GPU, bring about.

use std::{
    fmt::Display,
    thread,
    time::{Duration, Instant},
};

/// How long anything may take before a test counts as stuck: far longer than it takes on the busiest machine, so that
/// no test passes or fails by how fast the machine is.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Looks until there is something to see.
///
/// # Panics
/// When there is nothing after [`PATIENCE`].
pub fn wait_for<T>(what: impl Display, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what}: never within {PATIENCE:?}");
        thread::yield_now();
    }
}

/// Looks until something is so.
///
/// # Panics
/// When it is not after [`PATIENCE`].
pub fn wait_until(what: impl Display, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
