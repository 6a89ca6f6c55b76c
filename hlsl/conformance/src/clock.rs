//! CPU time of a thread or a process, which other work on the machine does not change.

use std::time::Duration;

/// Returns the CPU time of this thread, or the time since a fixed moment if the system does not provide it.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    duration(rustix::time::ClockId::ThreadCPUTime)
}

/// Returns the CPU time of this process, or the time since a fixed moment if the system does not provide it.
#[cfg(unix)]
pub fn process_time() -> Duration {
    duration(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn duration(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the time since a fixed moment in place of this thread's CPU time.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    process_time()
}

/// Returns the time since a fixed moment in place of this process's CPU time.
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
