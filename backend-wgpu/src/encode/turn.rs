//! Turns: as a rule one thread at a time calls wgpu for the commands of a run.
//!
//! wgpu-core looks up every object that a pass is given, in registries that all threads share, behind locks for
//! reading. Two threads that do so at once pass the locks' counters to and fro, which costs more than all that
//! they do in between. When an encoder is finished, which takes longer, they share little. So while one
//! thread finishes a run another one begins the next, and neither waits for the other's cache lines.
//!
//! It is no lock: nothing is wrong without it, only slower. Who does not get a turn in the time that a run takes
//! goes on without, so that nobody ever waits for a thread that sleeps.

use std::{
    hint,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// How long to wait for a turn: somewhat longer than a usual run of draws that change everything.
const PATIENCE: Duration = Duration::from_micros(300);

/// Whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Turns {
    taken: AtomicBool,
}

impl Turns {
    /// Waits for the others, but not for long.
    pub(super) fn take(&self) -> Turn<'_> {
        Turn { all: self, has: self.wait() }
    }

    fn wait(&self) -> bool {
        let start = Instant::now();
        loop {
            if !self.taken.load(Ordering::Relaxed) && !self.taken.swap(true, Ordering::Acquire) {
                return true;
            }
            if start.elapsed() >= PATIENCE {
                return false;
            }
            (0..32).for_each(|_| hint::spin_loop());
        }
    }
}

/// A thread's turn, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    all: &'a Turns,
    has: bool,
}

impl Turn<'_> {
    /// Lets another one begin: before what takes long or waits for another thread.
    pub(super) fn pause(&mut self) {
        if std::mem::take(&mut self.has) {
            self.all.taken.store(false, Ordering::Release);
        }
    }

    /// Waits for the others again.
    pub(super) fn go_on(&mut self) {
        self.has = self.has || self.all.wait();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.pause();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_has_a_turn_and_who_waits_in_vain_goes_on_without() {
        let turns = Turns::default();
        let mut first = turns.take();
        let second = turns.take();
        assert_eq!((first.has, second.has), (true, false));
        drop(second);
        assert!(!turns.take().has, "who has no turn leaves it to who has");
        first.pause();
        let third = turns.take();
        first.go_on();
        assert_eq!((first.has, third.has), (false, true));
        drop(third);
        first.go_on();
        first.go_on();
        assert!(first.has);
        drop(first);
        assert!(turns.take().has);
    }

    #[test]
    fn nobody_has_a_turn_while_another_has() {
        let (turns, having) = (Turns::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for turn in (0..1000).map(|_| turns.take()).filter(|turn| turn.has) {
                        assert!(!having.swap(true, Ordering::Relaxed));
                        assert!(having.swap(false, Ordering::Relaxed));
                        drop(turn);
                    }
                });
            }
        });
        assert!(turns.take().has);
    }
}
