//! The encode gate: as a rule one thread at a time calls wgpu for the commands of a run.
//!
//! wgpu-core looks up every object of a pass in registries that all threads share, behind read locks. Two threads
//! that do so at once pass the locks' counters between their processors' caches, which costs more than the calls
//! themselves. Finishing an encoder takes longer and shares little. So one thread finishes a run outside of the gate
//! while another thread begins the next run inside of it.
//!
//! The gate is not a lock: it keeps threads fast, and nothing is wrong without it. A thread that has waited for as long
//! as a run takes goes on without a pass, so it never waits for a thread that sleeps.

use std::{
    hint,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Lets one thread at a time through.
#[derive(Debug, Default)]
pub(in crate::encode) struct EncodeGate {
    taken: AtomicBool,
}

impl EncodeGate {
    /// Enters: waits for the thread inside, but not for longer than `most`. `None`: the gate is switched off.
    pub(in crate::encode) fn take(&self, most: Option<Duration>) -> GatePass<'_> {
        GatePass { gate: self, most, has: self.wait(most) }
    }

    /// Enters, if no other thread is inside.
    fn enter(&self) -> bool {
        !self.taken.load(Ordering::Relaxed) && !self.taken.swap(true, Ordering::Acquire)
    }

    fn wait(&self, most: Option<Duration>) -> bool {
        let Some(most) = most else { return false };
        // Without a clock first: a browser has none, and no second thread either.
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

/// A thread's pass through the gate, until it is dropped.
#[derive(Debug)]
pub(in crate::encode) struct GatePass<'a> {
    gate: &'a EncodeGate,
    most: Option<Duration>,
    has: bool,
}

impl GatePass<'_> {
    /// Lets another thread enter: before calls that take long or wait for another thread.
    pub(in crate::encode) fn pause(&mut self) {
        if std::mem::take(&mut self.has) {
            self.gate.taken.store(false, Ordering::Release);
        }
    }

    /// Enters again.
    pub(in crate::encode) fn go_on(&mut self) {
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
    fn a_thread_that_waits_in_vain_goes_on_without_the_gate() {
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
    fn the_gate_lets_one_thread_in() {
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
    fn a_gate_that_is_off_lets_every_thread_through_at_once() {
        let gate = EncodeGate::default();
        let inside = gate.take(MOST);
        let mut other = gate.take(None);
        other.go_on();
        assert_eq!((inside.has, other.has), (true, false));
        drop(other);
        assert!(!gate.take(MOST).has, "a thread without a pass opens nothing");
    }
}
