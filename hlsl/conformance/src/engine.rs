//! Compiles many shaders on all cores.

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, available_parallelism},
    time::Duration,
};

use crate::{clock::thread_time, compiler, listing, unit::Unit, writers};

/// The stack of a thread, as that of a program's first.
const STACK: usize = 8 << 20;

/// What became of a shader.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It was compiled.
    Accepted {
        /// Which languages naga could not write, and why.
        unwritten: Vec<(&'static str, String)>,
    },
    /// It was compiled, and its reflection is not that of FXC's listing: the rows that differ.
    Differs(Vec<String>),
    /// There were errors.
    Refused {
        /// The number and the text of the first.
        first: String,
        /// All of them.
        all: String,
    },
    /// The compiler panicked: the place and the message.
    Panicked(String),
}

/// A verdict and how long it took, without naga's part.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// What became of the shader.
    pub verdict: Verdict,
    /// The compiler's time.
    pub time: Duration,
}

/// Compiles shaders on a number of threads, or on all cores. The results have the order of the shaders.
pub fn run(units: &[Unit], threads: Option<usize>) -> Vec<Judged> {
    for_each(units, threads, judge)
}

/// Calls a function for each item on a number of threads, or on all cores.
pub fn for_each<T: Sync, R: Send>(items: &[T], threads: Option<usize>, f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<_>> = Mutex::new(items.iter().map(|_| None).collect());
    let work = || {
        while let Some((index, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
        {
            let result = f(item);
            results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            if started.is_err() {
                work();
            }
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

/// Compiles a shader, and has naga write it.
pub fn judge(unit: &Unit) -> Judged {
    let start = thread_time();
    let compiled = guarded(|| compiler::compile(unit));
    let time = thread_time().saturating_sub(start);
    let verdict = match compiled {
        Ok(Ok(None)) => Verdict::Accepted { unwritten: Vec::new() },
        Ok(Ok(Some(compiled))) => {
            let listing = unit.listing.as_deref();
            let differences = listing.map(|listing| listing::differences(listing, &compiled.reflection));
            match differences.filter(|rows| !rows.is_empty()) {
                Some(rows) => Verdict::Differs(rows),
                None => Verdict::Accepted { unwritten: writers::failures(&compiled.module) },
            }
        }
        Ok(Err(errors)) => {
            let first = errors.errors().next();
            let first = first.map(|error| format!("X{}: {}", error.code.number(), error.message));
            Verdict::Refused {
                first: first.unwrap_or_else(|| "no error is listed".to_owned()),
                all: errors.to_string(),
            }
        }
        Err(panic) => Verdict::Panicked(panic),
    };
    Judged { verdict, time }
}

thread_local! {
    /// The message of the last panic of this thread, while it is guarded.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    static GUARDED: RefCell<bool> = const { RefCell::new(false) };
}

/// Lets panics within [`guarded`] be silent. To be called once.
pub fn keep_panics_silent() {
    let old = take_hook();
    set_hook(Box::new(move |info| {
        if GUARDED.with(|guarded| *guarded.borrow()) {
            let payload = info.payload_as_str().unwrap_or("a panic");
            let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
            let message = format!("panic at {}: {payload}", place.unwrap_or_default());
            PANIC.with(|panic| *panic.borrow_mut() = Some(message));
        } else {
            old(info);
        }
    }));
}

/// The result of a function, or the message of its panic.
///
/// # Errors
///
/// The function panicked.
pub fn guarded<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    GUARDED.with(|guarded| *guarded.borrow_mut() = true);
    let result = catch_unwind(AssertUnwindSafe(f));
    GUARDED.with(|guarded| *guarded.borrow_mut() = false);
    result.map_err(|_| PANIC.with(|panic| panic.borrow_mut().take()).unwrap_or_else(|| "a panic".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        let squares = for_each(&items, Some(4), |item| item * item);
        assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        assert!(for_each(&[] as &[u32], None, |item| *item).is_empty());
    }

    #[test]
    fn a_panic_is_a_result() {
        keep_panics_silent();
        assert_eq!(guarded(|| 1), Ok(1));
        let message = guarded(|| panic!("no")).unwrap_err();
        assert!(message.contains("engine.rs") && message.ends_with(": no"), "{message}");
    }
}
