//! What a program must not do to the compiler.

use std::{fmt, time::Duration};

use onze_hlsl::{Code, Compiled, Diagnostics};
use serde::{Deserialize, Serialize};

use super::case::Case;
use crate::{clock::thread_time, engine::guarded, report::without_names, writers};

/// The longest time that a program may take.
pub(super) const MOST_TIME: Duration = Duration::from_secs(1);

/// The most memory that a worker may use, in MiB.
pub(super) const MOST_MEMORY: u64 = 256;

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub enum Kind {
    /// The compiler panicked.
    Panic,
    /// The process ended: the stack or the memory was exceeded.
    Abort,
    /// The module is not valid, or another internal error.
    Internal,
    /// A program was refused without an error.
    Silent,
    /// It took too long.
    Slow,
    /// The compiler accepted the program, and a writer of naga's failed. It is listed, and not counted as a failure.
    Writer,
}

/// Something that is wrong.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Fault {
    /// What.
    pub kind: Kind,
    /// Where, and why.
    pub message: String,
}

impl Fault {
    /// What all faults of one cause have in common.
    pub fn cause(&self) -> (Kind, String) {
        let message = match self.kind {
            Kind::Slow => String::new(),
            _ => without_names(self.message.lines().next().unwrap_or_default()),
        };
        // Numbers are those of handles and sizes, but for those of lines in this project's panics.
        match self.kind {
            Kind::Panic => (self.kind, message.split(": ").next().unwrap_or_default().to_owned()),
            _ => (self.kind, message.split(|c: char| c.is_ascii_digit()).collect()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}: {}", self.kind, self.message)
    }
}

/// What became of a program.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize, Debug)]
pub struct Answer {
    /// It was compiled, or checked if it is of a stage that is only checked.
    pub accepted: bool,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// Compiles a program, and has naga write it.
///
/// `compiled` is called between the two.
pub(super) fn judge(case: &Case, compiled: impl FnOnce()) -> Answer {
    let start = thread_time();
    let result = guarded(|| compile(case));
    let time = thread_time().saturating_sub(start);
    compiled();
    let mut answer = Answer::default();
    let mut fault = |kind, message| answer.faults.push(Fault { kind, message });
    if time > MOST_TIME {
        fault(Kind::Slow, format!("it took {:.1} s", time.as_secs_f64()));
    }
    match result {
        Ok(Ok(compiled)) => {
            for (language, message) in writers::failures(&compiled.module) {
                fault(Kind::Writer, format!("{language}: {message}"));
            }
            answer.accepted = true;
        }
        Ok(Err((errors, _))) => {
            if let Some(error) = errors.errors().find(|error| error.code == Code::Internal) {
                fault(Kind::Internal, error.message.clone());
            }
            match errors.errors().next() {
                None => fault(Kind::Silent, "refused without an error".to_owned()),
                Some(_) => answer.accepted = errors.errors().all(|error| error.code == Code::Unsupported),
            }
        }
        Err(panic) => fault(Kind::Panic, panic),
    }
    answer
}

/// The messages are written, too.
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
    fn causes_have_no_numbers_but_lines_of_panics() {
        let cause = |kind, message: &str| Fault { kind, message: message.to_owned() }.cause().1;
        assert_eq!(cause(Kind::Internal, "Expression [12] of 'a' has 3"), "Expression [] of '…' has ");
        assert_eq!(cause(Kind::Panic, "panic at a.rs:12: 3 is not 4"), "panic at a.rs:12");
        assert_eq!(cause(Kind::Slow, "it took 3 s"), "");
    }
}
