//! Counts the instructions that recording a draw costs the application's thread, and compares them with
//! the figures that are kept here: so a regression shows on any machine, however noisy.
//!
//! Each row is a run of this program under valgrind's callgrind, on the wgpu driver with wgpu's noop
//! backend and without worker threads. Only the calls that record count; what begins and ends a frame does
//! not, nor does encoding. Frames that warm caches and pools up come first.
//!
//! `cargo bench --bench instructions` compares with the figures of the release profile, and with
//! `--profile dev` with those of the dev profile, as `cargo xtask test` does. Where a change moves them for
//! good, the new figures belong into [`figures`], with a word in the commit about why.

mod figures;
mod workload;

use std::{
    env,
    error::Error,
    process::{Command, ExitCode},
};

use onze::prelude::*;

use figures::{FIGURES, Figure, TOLERANCE};
use workload::{DRAWS, Variant, Workload};

/// Frames that are not counted, and frames that are.
const WARM_UP: u32 = 4;
const COUNTED: u32 = 3;

/// The argument that makes a run the one that is counted; context and variant follow.
const RECORD: &str = "--record";

/// Which kind of context records.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Context {
    Immediate,
    Deferred,
}

impl Context {
    const ALL: [Self; 2] = [Self::Immediate, Self::Deferred];

    const fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Deferred => "deferred",
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

/// Measures every row and prints it beside its figure. An error if any is off.
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
        let name = format!("{} {}", figure.context.name(), figure.variant.name());
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

/// Runs a row under callgrind. The instructions of a draw.
fn count(figure: &Figure) -> Result<f64, Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*record_counted_draws*")
        .arg(env::current_exe()?)
        .args([RECORD, figure.context.name(), figure.variant.name()])
        .output()
        .map_err(|error| format!("valgrind does not run ({error}): install the package valgrind"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected =
        said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<f64>().ok());
    match collected {
        Some(collected) if output.status.success() && collected > 0.0 => {
            Ok(collected / f64::from(COUNTED * DRAWS))
        }
        _ => Err(format!("nothing was counted:\n{said}").into()),
    }
}

/// The run that is counted.
fn record(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [context, variant] = words else { return Err("a context and a variant are missing".into()) };
    let context = Context::ALL.into_iter().find(|c| c.name() == context).ok_or("no such context")?;
    let variant = Variant::ALL.into_iter().find(|v| v.name() == variant).ok_or("no such variant")?;
    let driver_type = DriverType::Custom(onze_wgpu::noop_driver());
    let desc = DeviceDesc { driver_type, workers: Some(0), ..Default::default() };
    let (device, mut immediate) = create_device(&desc)?;
    let work = Workload::new(&device)?;
    let mut deferred = device.create_deferred_context()?;
    for frame in 0..WARM_UP + COUNTED {
        let draws = if frame < WARM_UP { Workload::record_draws } else { Workload::record_counted_draws };
        match context {
            Context::Immediate => {
                work.begin(&mut immediate, variant);
                draws(&work, &mut immediate, variant)?;
            }
            Context::Deferred => {
                work.begin(&mut deferred, variant);
                draws(&work, &mut deferred, variant)?;
                immediate.execute_command_list(&deferred.finish_command_list(false)?, false);
            }
        }
        immediate.flush();
    }
    Ok(())
}
