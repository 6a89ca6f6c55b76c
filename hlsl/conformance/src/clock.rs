//! The time that a thread computes.

use std::time::Duration;

/// The time that this thread has computed. Where the system does not tell it, the time since a fixed moment.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    duration(rustix::time::ClockId::ThreadCPUTime)
}

/// The time that this process has computed. Where the system does not tell it, the time since a fixed moment.
#[cfg(unix)]
pub fn process_time() -> Duration {
    duration(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn duration(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::try_from(time).unwrap_or_default()
}

/// The time that this thread has computed. Where the system does not tell it, the time since a fixed moment.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    process_time()
}

/// The time that this process has computed. Where the system does not tell it, the time since a fixed moment.
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
