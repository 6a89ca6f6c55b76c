//! CPU time of a thread or a process, which unlike wall-clock time is not affected by other work on the
//! machine.

use std::time::Duration;

/// Returns the CPU time of this thread, or wall-clock time since a fixed moment if the system lacks such a
/// clock.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    duration(rustix::time::ClockId::ThreadCPUTime)
}

/// Returns the CPU time of this process, or wall-clock time since a fixed moment if the system lacks such a
/// clock.
#[cfg(unix)]
pub fn process_time() -> Duration {
    duration(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn duration(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns wall-clock time since a fixed moment, because CPU time is not available on this platform.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    process_time()
}

/// Returns wall-clock time since a fixed moment, because CPU time is not available on this platform.
#[cfg(not(unix))]
pub fn process_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes() {
        let (thread, process) = (thread_time(), process_time());
        while thread_time() == thread {}
        assert!(process_time() > process);
    }
}
