//! Counts the instructions of a draw in the benchmark's workload, and compares the counts with the figures in
//! this folder. Instruction counts reveal a regression even on a noisy machine.
//!
//! Each row is a run of this program under valgrind's callgrind, on the wgpu driver with wgpu's noop backend
//! and without worker threads. A row counts either the recording on one type of context, or the flush.
//! Without workers, the flush uploads, encodes and submits everything, and most of that is wgpu's work.
//! Warm-up frames are not counted.
//!
//! `cargo bench -p onze-benches --bench instructions` compares with the figures for the release profile.
//! `cargo xtask test` runs `cargo bench --profile dev --bench instructions`, which compares with the figures
//! for the dev profile. If a change moves the counts permanently, put the new counts into [`figures`] and
//! give the reason in the commit.

mod figures;

use std::{env, error::Error, process::ExitCode, sync::Arc};

use onze::{DeviceDesc, DrawsByIndex};
use onze_benches::{
    backend::Backend,
    counted::counted_work,
    onze_side::{Objects, Recorder},
    workload::{Variant, Workload},
};

use figures::{FIGURES, Figure, TOLERANCE};

const DRAWS: u32 = 4000;

/// Number of warm-up frames, which are not counted.
const WARM_UP: u32 = 4;
/// Number of counted frames.
const COUNTED: u32 = 3;

/// The argument that starts a counted run. The arguments after it are the work and the variant.
const RECORD: &str = "--record";

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Work {
    Immediate,
    Deferred,
    /// A flush that submits the immediate context's recording.
    Flush,
}

impl Work {
    const ALL: [Self; 3] = [Self::Immediate, Self::Deferred, Self::Flush];

    const fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Deferred => "deferred",
            Self::Flush => "flush",
        }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let result = match words.iter().position(|word| word == RECORD) {
        Some(at) => record(&words[at + 1..]),
        None => compare(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures every row and prints it beside its expected figure. Returns an error if any row is out of
/// tolerance.
fn compare() -> Result<(), Box<dyn Error>> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("instructions are counted on x86-64 Linux only, for which the figures are");
        return Ok(());
    }
    let mut off = Vec::new();
    println!("instructions per draw     counted  expected");
    for figure in FIGURES {
        let (expected, counted) = (figure.expected(), count(figure)?);
        let change = counted / expected - 1.0;
        let name = format!("{} {}", figure.work.name(), figure.variant.name());
        println!("{name:24}{counted:9.0}{expected:10.0}  {:+.1} %", change * 100.0);
        if change.abs() > TOLERANCE {
            off.push(name);
        }
    }
    if off.is_empty() {
        return Ok(());
    }
    let words = "mend what made it slower, or put the new figures into benches/instructions/figures.rs";
    Err(format!("more than {:.0} % off: {}; {words}", TOLERANCE * 100.0, off.join(", ")).into())
}

/// Runs a row under callgrind, and returns the number of instructions per draw.
fn count(figure: &Figure) -> Result<f64, Box<dyn Error>> {
    let collected = onze_benches::counted::count([RECORD, figure.work.name(), figure.variant.name()])?;
    Ok(collected / f64::from(COUNTED * DRAWS))
}

/// Draws the frames of a counted run.
fn record(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [work, variant] = words else { return Err("a kind of work and a variant are missing".into()) };
    let work = Work::ALL.into_iter().find(|w| w.name() == work).ok_or("no such work")?;
    let variant = Variant::ALL.into_iter().find(|v| v.name() == variant).ok_or("no such variant")?;
    // Force draws by index in all variants with changes. Without compiler threads, such draws wait for their
    // pipelines. Draws without changes do not need draws by index.
    let draws_by_index = match variant {
        Variant::V0 => DrawsByIndex::Automatic,
        _ => DrawsByIndex::Always,
    };
    let desc = DeviceDesc { workers: Some(0), draws_by_index, ..DeviceDesc::default() };
    let (device, mut immediate) = Backend::Noop.onze_device_with(desc)?;
    let objects = Arc::new(Objects::new(&device, Workload::new(DRAWS, false))?);
    let recorder = Recorder::new(&objects, variant, 0..DRAWS as usize)?;
    let mut deferred = device.create_deferred_context()?;
    for frame in 0..WARM_UP + COUNTED {
        let count = |is_work, f: &mut dyn FnMut() -> Result<(), onze::Error>| {
            if is_work && frame >= WARM_UP { counted_work(f) } else { f() }
        };
        if work == Work::Deferred {
            count(true, &mut || recorder.record(&mut deferred))?;
            immediate.execute_command_list(&deferred.finish_command_list(false)?, false);
        } else {
            count(work == Work::Immediate, &mut || recorder.record(&mut immediate))?;
        }
        count(work == Work::Flush, &mut || {
            immediate.flush();
            Ok(())
        })?;
    }
    Ok(())
}
