//! `bench --soak`: measures the process's memory over many frames.

use onze::prelude::*;
use onze_benches::error::Error;
use onze_benches::soak::{self, Soak};

use crate::args::Args;
use crate::print::print;
use crate::progress::Progress;

/// Default number of frames on the null driver, and on the software adapter.
const FRAMES: [u32; 2] = [50_000, 2_000];

/// Runs the soak on both drivers. Returns an error if memory grows on one of them.
pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let drivers = [("null driver", DriverType::Null), ("software adapter", DriverType::Software)];
    let mut results = Vec::new();
    for ((name, driver_type), frames) in drivers.into_iter().zip(FRAMES) {
        let frames = args.frames.unwrap_or(frames);
        let workers = args.workers;
        let (device, mut immediate) =
            create_device(&DeviceDesc { driver_type, workers, debug: false, ..Default::default() })?;
        let progress = Progress::start(100);
        progress.say(&format!("{frames} frames on the {name}"));
        let result = soak::run(&device, &mut immediate, frames, |frame| {
            if frame % (frames / 100).max(1) == 0 {
                progress.step();
            }
        })?;
        drop(progress);
        print(&line(name, &result))?;
        results.push(result);
    }
    results.iter().try_for_each(Soak::check)
}

fn line(name: &str, soak: &Soak) -> String {
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    format!(
        "{name}: {} frames, {:.2} MiB after the warm-up, {:.2} MiB at the end, {:+.2} %\n",
        soak.frames,
        mib(soak.early),
        mib(soak.late),
        100.0 * soak.growth()
    )
}
