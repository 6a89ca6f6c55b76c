use std::{fmt, time::Duration};

use onze_hlsl::{Code, Compiled, Diagnostics};
use serde::{Deserialize, Serialize};

use super::case::Case;
use crate::{clock::thread_time, engine::guarded, report::without_names, writers};

pub(super) const MOST_TIME: Duration = Duration::from_secs(1);

pub(super) const MOST_MEMORY: u64 = 256;

/// The kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub enum FaultKind {
    /// The compiler panicked, with the source location in the message.
    Panic,
    /// The process ended because it ran out of stack or memory.
    Abort,
    /// The compiler created an invalid module, or reported another internal error.
    Internal,
    /// The compiler refused a program without reporting an error.
    Silent,
    /// The compilation took more CPU time than the permitted maximum.
    Slow,
    /// The program compiled, but a naga writer failed, which is listed but does not count as a failure.
    Writer,
}

/// A fault of the compiler or of a naga writer, found with one input.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct CompilerFault {
    /// The kind of the fault, which together with the message determines the cause.
    pub kind: FaultKind,
    /// The source location and the reason from the compiler or naga.
    pub message: String,
}

impl CompilerFault {
    /// Returns the kind and a string that is the same for all faults with the same cause.
    pub fn cause(&self) -> (FaultKind, String) {
        let message = match self.kind {
            FaultKind::Slow => String::new(),
            _ => without_names(self.message.lines().next().unwrap_or_default()),
        };
        // Numbers are removed, because they are usually handles and sizes, but panics keep their line
        // numbers.
        match self.kind {
            FaultKind::Panic => (self.kind, message.split(": ").next().unwrap_or_default().to_owned()),
            _ => (self.kind, message.split(|c: char| c.is_ascii_digit()).collect()),
        }
    }
}

impl fmt::Display for CompilerFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}: {}", self.kind, self.message)
    }
}

/// The outcome of a compilation, which a worker sends to its parent process.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize, Debug)]
pub struct CompileOutcome {
    /// Whether the program compiled, or was refused only because of unsupported features, for example its
    /// stage.
    pub accepted: bool,
    /// The faults that were found, possibly several, for example if several naga writers fail.
    pub faults: Vec<CompilerFault>,
}

/// Compiles a program, calls `compiled`, and then writes the module with naga.
pub(super) fn judge(case: &Case, compiled: impl FnOnce()) -> CompileOutcome {
    let start = thread_time();
    let result = guarded(|| compile(case));
    let time = thread_time().saturating_sub(start);
    compiled();
    let mut answer = CompileOutcome::default();
    let mut fault = |kind, message| answer.faults.push(CompilerFault { kind, message });
    if time > MOST_TIME {
        fault(FaultKind::Slow, format!("it took {:.1} s", time.as_secs_f64()));
    }
    match result {
        Ok(Ok(compiled)) => {
            for (language, message) in writers::failures(&compiled.module) {
                fault(FaultKind::Writer, format!("{language}: {message}"));
            }
            answer.accepted = true;
        }
        Ok(Err((errors, _))) => {
            if let Some(error) = errors.errors().find(|error| error.code == Code::Internal) {
                fault(FaultKind::Internal, error.message.clone());
            }
            match errors.errors().next() {
                None => fault(FaultKind::Silent, "refused without an error".to_owned()),
                Some(_) => answer.accepted = errors.errors().all(|error| error.code == Code::Unsupported),
            }
        }
        Err(panic) => fault(FaultKind::Panic, panic),
    }
    answer
}

fn compile(case: &Case) -> Result<Compiled, (Diagnostics, String)> {
    let Ok(profile) = case.profile.parse() else { return Err(Default::default()) };
    let result = case
        .with_options(|options| onze_hlsl::compile(&case.source, &case.file, &case.entry, profile, options));
    result.map_err(|errors| {
        let text = errors.to_string();
        (errors, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_keep_only_the_line_numbers_of_panics() {
        let cause = |kind, message: &str| CompilerFault { kind, message: message.to_owned() }.cause().1;
        assert_eq!(cause(FaultKind::Internal, "Expression [12] of 'a' has 3"), "Expression [] of '…' has ");
        assert_eq!(cause(FaultKind::Panic, "panic at a.rs:12: 3 is not 4"), "panic at a.rs:12");
        assert_eq!(cause(FaultKind::Slow, "it took 3 s"), "");
    }
}
