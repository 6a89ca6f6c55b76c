//! Compiles shaders in parallel on all CPU cores, and catches panics of the compiler.

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

/// Stack size of a thread in bytes: 8 MiB, like the main thread of a process.
const STACK: usize = 8 << 20;

/// The outcome of a compilation, which the report compares with the expected outcome.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// The shader compiled, although some of naga's backends may have failed to write it.
    Accepted {
        /// The languages that naga failed to write, each with the error message.
        unwritten: Vec<(&'static str, String)>,
    },
    /// The shader compiled, but its reflection differs from FXC's listing in these rows.
    Differs(Vec<String>),
    /// The compiler reported errors, which may be the expected ones.
    Refused {
        /// The number and message of the first error, which is compared with the expected error.
        first: String,
        /// The messages of all errors, each on separate lines.
        all: String,
    },
    /// The compiler panicked, with this source location and message.
    Panicked(String),
}

/// A verdict and the compile time, which does not include naga's backends.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The outcome of the compilation and its messages.
    pub verdict: Verdict,
    /// CPU time of the compilation, or wall-clock time if the system does not measure CPU time.
    pub time: Duration,
}

/// Compiles shaders on `threads` threads, by default one for each CPU core, and returns the results in the
/// order of the shaders.
pub fn run(units: &[Unit], threads: Option<usize>) -> Vec<Judged> {
    for_each(units, threads, judge)
}

/// Calls a function for each item on `threads` threads, by default one for each CPU core, and returns the
/// results in order.
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

/// Compiles a shader, measures the time, and writes the module with naga's backends.
pub fn judge(unit: &Unit) -> Judged {
    let start = thread_time();
    let compiled = guarded(|| compiler::compile(unit));
    let time = thread_time().saturating_sub(start);
    let verdict = match compiled {
        Ok(Ok(compiled)) => {
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
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    static GUARDED: RefCell<bool> = const { RefCell::new(false) };
}

/// Silences panics inside [`guarded`], and must be called only once because each call adds a panic hook.
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

/// Calls a function and catches its panic.
///
/// # Errors
///
/// If the function panics, returns the source location and the message of the panic.
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
    fn a_panic_becomes_an_error() {
        keep_panics_silent();
        assert_eq!(guarded(|| 1), Ok(1));
        let message = guarded(|| panic!("no")).unwrap_err();
        assert!(message.contains("engine.rs") && message.ends_with(": no"), "{message}");
    }
}
