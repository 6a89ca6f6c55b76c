//! Compiles randomly mutated programs, because the compiler must return a result for any input.
//!
//! Failures are panics, aborts of the process, internal errors, programs that are refused without an error
//! message, CPU time over one second, and memory over 256 MiB. Faults of naga's writers are listed
//! separately.
//!
//! | file | contents |
//! | --- | --- |
//! | `pool` | the original programs |
//! | `mutations`, `words`, `pieces`, `random` | the mutations |
//! | `case` | a program with its options |
//! | `judge` | the detection of failures |
//! | `worker` | the processes that run the compiler |
//! | `reduce` | the reduction of an input to a small program with the same failure |

mod case;
mod judge;
mod mutations;
mod pieces;
mod pool;
mod random;
mod reduce;
mod words;
mod worker;

use std::{
    collections::BTreeMap,
    fmt, io,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

pub use case::Case;
pub use judge::{CompileOutcome, CompilerFault, FaultKind};
pub use pool::Pool;
pub use worker::{OPTION, Worker, serve};

/// The inputs to generate, which depend on nothing but these values.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// The seed of all inputs, which together with an input's number determines the input.
    pub seed: u64,
    /// The number of the first input, which can be set to reproduce a single input.
    pub first: u64,
    /// The number of inputs to generate, with consecutive numbers from `first`.
    pub count: u64,
}

/// Settings that do not change the inputs.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The number of worker processes that run in parallel.
    pub threads: usize,
    /// The executable that is started for each worker, with the option [`OPTION`].
    pub program: &'a Path,
    /// Maximum number of compilations to reduce an input.
    pub tries: usize,
}

/// A cause of failures, with the first input that showed it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The number of the first input with this failure, which can be used to generate the input again.
    pub index: u64,
    /// The fault of this input.
    pub fault: CompilerFault,
    /// The input in the smallest form that the reduction found.
    pub case: Case,
    /// The number of inputs in this run with the same cause of failure.
    pub count: u64,
}

/// The results of a run, with one entry for each cause of failure.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The number of compiled inputs, including refused ones.
    pub inputs: u64,
    /// The number of inputs that the compiler accepted and that therefore reached the later steps.
    pub accepted: u64,
    failures: BTreeMap<(FaultKind, String), Failure>,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { index, fault, case, .. } = self;
        writeln!(out, "{fault}\n  --first {index} --count 1, from {}: {}", case.file, case.options())?;
        write!(out, "{}", case.source.trim_end())
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in self.failures.values() {
            let first = failure.fault.message.lines().next().unwrap_or_default();
            writeln!(out, "{:6} {:?}: {first}", failure.count, failure.fault.kind)?;
        }
        let failures: u64 = self.failures().map(|failure| failure.count).sum();
        write!(out, "{failures} failures in {} inputs, of which {} compile", self.inputs, self.accepted)
    }
}

impl Findings {
    /// Returns the failures of the compiler, without the faults of naga's writers.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.failures.values().filter(|failure| failure.fault.kind != FaultKind::Writer)
    }

    /// Returns the faults of naga's writers, which do not count as failures.
    pub fn unwritten(&self) -> impl Iterator<Item = &Failure> {
        self.failures.values().filter(|failure| failure.fault.kind == FaultKind::Writer)
    }
}

/// Progress is printed each time this number of inputs has been compiled.
const PROGRESS: u64 = 10_000;

/// Compiles inputs in worker processes, and calls `report` for each new cause of failure.
///
/// # Errors
///
/// Returns an error if a worker cannot be started.
pub fn run(
    pool: &Pool,
    inputs: Inputs,
    settings: Settings<'_>,
    report: impl Fn(&Failure) + Sync,
) -> io::Result<Findings> {
    let findings = Mutex::new(Findings::default());
    let next = AtomicU64::new(0);
    let work = || -> io::Result<()> {
        let mut worker = Worker::new(settings.program);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= inputs.count {
                return Ok(());
            }
            let index = inputs.first + index;
            let Some(case) = pool.input(inputs.seed, index) else { return Ok(()) };
            let answer = worker.ask(&case)?;
            for fault in answer.faults {
                if is_new(&findings, &fault, index, &case)
                    && let Some(failure) = reduced(&findings, &fault, &mut worker, settings.tries)
                {
                    report(&failure);
                }
            }
            let mut findings = findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.inputs += 1;
            if findings.inputs.is_multiple_of(PROGRESS) {
                eprintln!("{} inputs", findings.inputs);
            }
            findings.accepted += u64::from(answer.accepted);
        }
    };
    thread::scope(|scope| {
        let started: Vec<_> = (0..settings.threads.max(1)).map(|_| scope.spawn(work)).collect();
        started.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the runner panicked")))
        })
    })?;
    Ok(findings.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn is_new(findings: &Mutex<Findings>, fault: &CompilerFault, index: u64, case: &Case) -> bool {
    let mut findings = findings.lock().unwrap_or_else(PoisonError::into_inner);
    let new = || Failure { index, fault: fault.clone(), case: case.clone(), count: 0 };
    let failure = findings.failures.entry(fault.cause()).or_insert_with(new);
    failure.count += 1;
    failure.count == 1
}

fn reduced(
    findings: &Mutex<Findings>,
    fault: &CompilerFault,
    worker: &mut Worker,
    tries: usize,
) -> Option<Failure> {
    let cause = fault.cause();
    let lock = || findings.lock().unwrap_or_else(PoisonError::into_inner);
    let case = lock().failures.get(&cause)?.case.clone();
    let case = reduce::reduce(&case, tries, |case| {
        worker.ask(case).is_ok_and(|answer| answer.faults.iter().any(|fault| fault.cause() == cause))
    });
    let mut findings = lock();
    let failure = findings.failures.get_mut(&cause)?;
    failure.case = case;
    Some(failure.clone())
}
