//! Functions that wait for other threads or for the GPU, with a generous time limit.

use std::{
    fmt::Display,
    thread,
    time::{Duration, Instant},
};

/// Time limit after which a test counts as stuck, far longer than any step takes on a busy machine, so that
/// the result of a test does not depend on the machine's speed.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Calls `look` until it returns a value, with pauses between calls in which other threads can run.
///
/// # Panics
/// Panics if `look` has not returned a value within [`PATIENCE`], with a message that contains `what`.
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

/// Waits until a condition holds, by calling `is_so` until it returns true.
///
/// # Panics
/// Panics if the condition does not hold within [`PATIENCE`], with a message that contains `what`.
pub fn wait_until(what: impl Display, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
