//! Clocks for wall time and CPU time, and statistics of the measured times.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

/// Measures wall time and the CPU time of the whole process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    start: Instant,
    cpu: Option<ProcessTime>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let cpu = ProcessTime::try_now().ok();
        Self { start: Instant::now(), cpu }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn until(&self, end: Instant) -> Duration {
        end.saturating_duration_since(self.start)
    }

    /// Returns the CPU time of all threads since the start, or zero if the system does not report it.
    pub(crate) fn cpu(&self) -> Duration {
        self.cpu.and_then(|start| start.try_elapsed().ok()).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Time on the application's thread, from the first call to the return of the last call before the flush.
    /// On several threads, the time until the last recording thread was done.
    pub(crate) app: Duration,
    /// Time until everything was submitted to wgpu.
    pub(crate) wall: Duration,
    /// CPU time of the whole process during `wall`.
    pub(crate) cpu: Duration,
    /// Time until the GPU had drawn the frame, from the same start as `wall`.
    pub(crate) done: Duration,
}

/// Returns a percentile of the values, interpolated linearly between neighbours.
pub(crate) fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = part.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Memory that is written cyclically. Used to measure the time that stores need.
pub(crate) struct Floor {
    memory: Vec<u8>,
    at: usize,
}

/// Size of the memory in bytes. It exceeds the caches of most machines, so that stores reach memory.
const FLOOR_BYTES: usize = 256 << 20;

impl Floor {
    /// Allocates memory that exceeds the caches, and touches it so that page faults are excluded.
    pub(crate) fn new() -> Self {
        Self::of(FLOOR_BYTES)
    }

    /// Allocates and touches `bytes` bytes. If `bytes` equals the size of one turn, every turn writes the
    /// same memory, so it may stay in the caches.
    pub(crate) fn of(bytes: usize) -> Self {
        Self { memory: vec![1; bytes], at: 0 }
    }

    /// Returns the nanoseconds per draw to store `bytes` bytes for each of `draws` draws. A recorder cannot
    /// be faster.
    pub(crate) fn store(&mut self, bytes: usize, draws: u32) -> f64 {
        // Store the bytes draw by draw, like a recorder.
        let command = [7_u8; 256];
        let bytes = bytes.clamp(1, command.len());
        let needed = bytes * draws as usize;
        if self.at + needed > self.memory.len() {
            self.at = 0;
        }
        let end = (self.at + needed).min(self.memory.len());
        let fresh = &mut self.memory[self.at..end];
        self.at = end;
        let start = Instant::now();
        for place in fresh.chunks_exact_mut(bytes) {
            place.copy_from_slice(std::hint::black_box(&command[..bytes]));
        }
        std::hint::black_box(fresh);
        start.elapsed().as_secs_f64() * 1e9 / f64::from(draws.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        let values = [4.0, 1.0, 3.0, 2.0, 5.0];
        assert_eq!((median(&values), quantile(&values, 0.0), quantile(&values, 1.0)), (3.0, 1.0, 5.0));
        assert!((quantile(&values, 0.1) - 1.4).abs() < 1e-9);
        assert_eq!((median(&[]), median(&[7.0])), (0.0, 7.0));
    }

    #[test]
    fn the_cpu_clock_counts_work() {
        let watch = Stopwatch::start();
        let mut value = 1_u64;
        while watch.cpu() < Duration::from_millis(1) {
            value = std::hint::black_box(value.wrapping_mul(31));
        }
        assert!(watch.cpu() >= Duration::from_millis(1));
    }

    #[test]
    fn each_turn_writes_memory_that_the_last_one_did_not() {
        let mut floor = Floor { memory: vec![1; 1000], at: 0 };
        for (expected, written) in [(160, 160), (320, 320), (480, 480)] {
            assert!(floor.store(16, 10) >= 0.0);
            assert_eq!(floor.at, expected);
            assert!(floor.memory[..written].iter().all(|byte| *byte == 7));
            assert!(floor.memory[written..].iter().all(|byte| *byte == 1));
        }
        floor.store(64, 10);
        assert_eq!(floor.at, 640, "it begins again where there is no room left");
    }
}
