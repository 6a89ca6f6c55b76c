//! Worker processes that run the compiler, so that an abort of the process is reported like any other
//! failure.
//!
//! A worker reads one case per input line and writes one outcome per output line, both encoded as JSON.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use super::{
    case::Case,
    judge::{CompileOutcome, CompilerFault, FaultKind, MOST_MEMORY, judge},
};
use crate::{clock::process_time, engine};

/// The command-line option that makes the executable a worker, so that the program calls [`serve`].
pub const OPTION: &str = "--worker";

/// Stack size in bytes of the compiling thread: the standard library's default of 2 MiB, or 8 MiB in debug
/// builds.
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 2 << 20 };

/// Maximum CPU time for a case, after which the worker exits.
const MOST_TIME: Duration = Duration::from_secs(10);

const NO_RESULT: &str = "the compiler has no result after 10 s";
const NOT_WRITTEN: &str = "naga has not written the module after 10 s";

/// Compiles cases from standard input and writes the outcomes to standard output until the input ends.
///
/// # Errors
///
/// Returns an error if a line of the input is not a case, or if the output is closed.
pub fn serve() -> io::Result<()> {
    engine::keep_panics_silent();
    limit_memory();
    thread::spawn(watch);
    let served = thread::Builder::new().stack_size(STACK).spawn(|| -> io::Result<()> {
        let (input, mut output) = (io::stdin().lock(), io::stdout().lock());
        for line in input.lines() {
            let case = serde_json::from_str(&line?)?;
            let step = || {
                STEP.fetch_add(1, Ordering::Relaxed);
            };
            step();
            let answer = serde_json::to_string(&judge(&case, step))?;
            step();
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
        Ok(())
    })?;
    served.join().unwrap_or_else(|_| Err(io::Error::other("the worker panicked")))
}

/// The number of completed steps, three for each case: waiting for it, compiling it, and writing the module
/// with naga.
static STEP: AtomicU64 = AtomicU64::new(0);

fn watch() {
    let (mut seen, mut since) = (0, Duration::ZERO);
    loop {
        thread::sleep(Duration::from_millis(500));
        let (step, now) = (STEP.load(Ordering::Relaxed), process_time());
        if step != seen {
            (seen, since) = (step, now);
        } else if seen % 3 > 0 && now - since > MOST_TIME {
            eprintln!("{}", if seen % 3 == 1 { NO_RESULT } else { NOT_WRITTEN });
            std::process::exit(1);
        }
    }
}

/// Limits the memory of the process, so that an allocation beyond the limit ends it.
#[cfg(unix)]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let most = Some((MOST_MEMORY << 20) + STACK as u64);
    if setrlimit(Resource::Data, Rlimit { current: most, maximum: most }).is_err() {
        eprintln!("memory is not limited");
    }
}

#[cfg(not(unix))]
fn limit_memory() {}

/// A handle to a worker process, which is started when it is first needed.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    /// Creates a handle to a worker that runs `program`, which must call [`serve`] when started with
    /// [`OPTION`].
    pub fn new(program: &Path) -> Worker {
        Worker { program: program.to_owned(), process: None }
    }

    /// Sends a case to the worker and returns the outcome. If the process ends, the outcome is a fault.
    ///
    /// # Errors
    ///
    /// Returns an error if the worker cannot be started.
    pub fn ask(&mut self, case: &Case) -> io::Result<CompileOutcome> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.program)?),
        };
        if let Some(answer) = process.ask(case) {
            return Ok(answer);
        }
        let message = self.process.take().map(Process::last_words).unwrap_or_default();
        let kind = match message.as_str() {
            NO_RESULT => FaultKind::Slow,
            NOT_WRITTEN => FaultKind::Writer,
            _ => FaultKind::Abort,
        };
        Ok(CompileOutcome { accepted: false, faults: vec![CompilerFault { kind, message }] })
    }
}

impl Process {
    fn start(program: &Path) -> io::Result<Process> {
        let mut child = Command::new(program)
            .arg(OPTION)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the worker has no pipes"));
        };
        Ok(Process { child, input, output: BufReader::new(output) })
    }

    /// Sends a case and returns the outcome, or `None` if the process ended.
    fn ask(&mut self, case: &Case) -> Option<CompileOutcome> {
        let line = serde_json::to_string(case).ok()?;
        writeln!(self.input, "{line}").ok()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).ok()?;
        serde_json::from_str(&answer).ok()
    }

    fn last_words(mut self) -> String {
        let mut words = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            // Errors while reading the output are ignored.
            let _ = errors.read_to_string(&mut words);
        }
        let status = self.child.wait().map(|status| status.to_string()).unwrap_or_default();
        let words = words.trim();
        if words.is_empty() { status } else { words.replace('\n', " ") }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(Process { mut child, input, .. }) = self.process.take() {
            // The process exits when its input is closed.
            drop(input);
            let _ = child.wait();
        }
    }
}
