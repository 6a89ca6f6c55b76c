//! The encode gate, which usually lets one thread at a time call wgpu for the commands of a run.
//!
//! wgpu-core looks up every object of a pass in registries that all threads share and that are protected by
//! read locks. When two threads do so at once, the counters of these locks move between the caches of their
//! CPU cores, which costs more than the calls themselves. Finishing an encoder takes longer and shares
//! little, so one thread can finish a run outside the gate while another thread encodes the next run inside
//! it.
//!
//! The gate is not a lock, because correctness does not depend on it. A thread that has waited for about the
//! duration of a run continues without a pass, so a sleeping thread inside the gate delays others only for
//! that time.
//!
//! The gate has a cost and an uncertain benefit. The table has the time with the gate, divided by the time
//! without it, for encoding and submitting a list on the noop backend. Two threads encoded, each on its own
//! CPU core. Other programs also used the cores, so ratios from 0.89 to 1.11 mean no difference.
//!
//! | draws | wall time | CPU time |
//! | --- | --: | --: |
//! | by index, changing constants (`v1`) | 1.12 | 1.22 |
//! | by index, changing constants and texture (`v2`) | 0.93 | 0.98 |
//! | by index, changing all state (`v3`) | 1.17 | 1.21 |
//! | alone, changing mesh and constants (`boxes`) | 1.01 | 1.04 |
//! | alone, changing all state (`v3`) | 1.05 | 1.06 |
//!
//! An earlier version of Onze gained 28 % in `v3` on idle cores. More than two threads in parallel were never
//! measured, so the gate remains until a machine with more cores shows whether it helps.

use std::{
    hint,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

#[derive(Debug, Default)]
pub(crate) struct EncodeGate {
    taken: AtomicBool,
}

impl EncodeGate {
    /// Enters the gate, waiting at most `most` for the thread inside, unless `most` is `None` because the
    /// gate is switched off.
    pub(crate) fn take(&self, most: Option<Duration>) -> GatePass<'_> {
        GatePass { gate: self, most, has: self.wait(most) }
    }

    /// Enters the gate if no other thread is inside, and returns whether it did.
    fn enter(&self) -> bool {
        !self.taken.load(Ordering::Relaxed) && !self.taken.swap(true, Ordering::Acquire)
    }

    fn wait(&self, most: Option<Duration>) -> bool {
        let Some(most) = most else { return false };
        // The first attempt does not use the clock, because browsers have neither this clock nor a second
        // thread.
        if self.enter() {
            return true;
        }
        let start = Instant::now();
        loop {
            if self.enter() {
                return true;
            }
            if start.elapsed() >= most {
                return false;
            }
            (0..32).for_each(|_| hint::spin_loop());
        }
    }
}

/// A thread's pass through the gate, which it leaves when the pass is dropped.
#[derive(Debug)]
pub(crate) struct GatePass<'a> {
    gate: &'a EncodeGate,
    most: Option<Duration>,
    has: bool,
}

impl GatePass<'_> {
    /// Leaves the gate before calls that take long or wait for another thread.
    pub(crate) fn pause(&mut self) {
        if std::mem::take(&mut self.has) {
            self.gate.taken.store(false, Ordering::Release);
        }
    }

    /// Enters the gate again after [`GatePass::pause`], with the same maximum wait.
    pub(crate) fn go_on(&mut self) {
        self.has = self.has || self.gate.wait(self.most);
    }
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        self.pause();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Option<Duration> = Some(Duration::from_micros(300));

    #[test]
    fn a_thread_continues_without_a_pass_after_the_wait() {
        let gate = EncodeGate::default();
        let mut first = gate.take(MOST);
        let second = gate.take(MOST);
        assert_eq!((first.has, second.has), (true, false));
        drop(second);
        assert!(!gate.take(MOST).has, "a thread without a pass leaves the gate closed");
        first.pause();
        let third = gate.take(MOST);
        first.go_on();
        assert_eq!((first.has, third.has), (false, true));
        drop(third);
        first.go_on();
        first.go_on();
        assert!(first.has);
        drop(first);
        assert!(gate.take(MOST).has);
    }

    #[test]
    fn the_gate_admits_one_thread_at_a_time() {
        let (gate, having) = (EncodeGate::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for pass in (0..1000).map(|_| gate.take(MOST)).filter(|pass| pass.has) {
                        assert!(!having.swap(true, Ordering::Relaxed));
                        assert!(having.swap(false, Ordering::Relaxed));
                        drop(pass);
                    }
                });
            }
        });
        assert!(gate.take(MOST).has);
    }

    #[test]
    fn a_gate_without_a_wait_time_admits_every_thread_at_once() {
        let gate = EncodeGate::default();
        let inside = gate.take(MOST);
        let mut other = gate.take(None);
        other.go_on();
        assert_eq!((inside.has, other.has), (true, false));
        drop(other);
        assert!(!gate.take(MOST).has, "a thread without a pass opens nothing");
    }
}
