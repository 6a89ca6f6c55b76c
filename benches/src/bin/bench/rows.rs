//! The rows: each variant in each context, measured on both sides in turns.

use onze_benches::error::Error;
use onze_benches::wgpu_side::Form;
use onze_benches::workload::{Variant, Workload};
use serde::Serialize;

use crate::args::Args;
use crate::frames::{Context, Frames, OnzeDevice, WgpuDevice};
use crate::machine::Machine;
use crate::measure::{Cost, Floor, median, quantile};
use crate::pieces;
use crate::progress::Progress;

pub(crate) const DRAWS: u32 = 10_000;

/// Number of executions of the list in a replayed frame.
pub(crate) const EXECUTIONS: u32 = 10;

/// A row of the report. Times are medians over the frames, in nanoseconds per draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    /// Name of the benchmark in the JSON. It is always `record`.
    pub(crate) bench: &'static str,
    pub(crate) backend: &'static str,
    /// The implementation that records: `onze`, `wgpu` or `best`.
    #[serde(rename = "impl")]
    pub(crate) side: &'static str,
    /// The type of context: `immediate`, `deferred` or `replay`.
    pub(crate) context: &'static str,
    pub(crate) threads: usize,
    /// Number of the driver's encoding threads, or 0 for wgpu.
    pub(crate) workers: u32,
    pub(crate) variant: &'static str,
    pub(crate) draws: u32,
    /// Time on the application's thread. On several threads, the time until the last thread was done.
    pub(crate) app_ns_per_draw: f64,
    /// 10th percentile of `app_ns_per_draw`.
    pub(crate) app_p10: f64,
    /// 90th percentile of `app_ns_per_draw`.
    pub(crate) app_p90: f64,
    /// Time per draw until everything was submitted, in nanoseconds.
    pub(crate) wall_ns_per_draw: f64,
    /// CPU time of the whole process per draw, in nanoseconds.
    pub(crate) cpu_ns_per_draw: f64,
    /// Time to store the minimum bytes per draw, [`Variant::least_bytes`].
    pub(crate) floor_ns_per_draw: f64,
    /// Recorded bytes per draw, if the driver's statistics report them.
    pub(crate) bytes_per_draw: Option<f64>,
    /// 10th percentile of `wall_ns_per_draw`. Only its ratio is reported.
    #[serde(skip)]
    pub(crate) wall_p10: f64,
    /// Time per draw until the frame was drawn, if measured. Only its ratio is reported.
    #[serde(skip)]
    pub(crate) drawn_ns_per_draw: Option<f64>,
}

impl Row {
    /// Returns the row's name without the implementation. Both sides have the same name.
    pub(crate) fn name(&self) -> String {
        match self.context {
            "deferred" => format!("deferred-{}/{}", self.threads, self.variant),
            context => format!("{context}/{}", self.variant),
        }
    }
}

/// A row to be measured on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planned {
    context: Context,
    variant: Variant,
}

#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) machine: Machine,
    pub(crate) rows: Vec<Row>,
}

/// Returns the rows that the command line selects, or an error if it selects neither rows nor single calls.
pub(crate) fn plan(args: &Args) -> Result<Vec<Planned>, Error> {
    let deferred = args.thread_counts().into_iter().map(Context::Deferred);
    let contexts: Vec<_> =
        [Context::Immediate].into_iter().chain(deferred).chain([Context::Replay]).collect();
    let all =
        contexts.into_iter().flat_map(|context| Variant::ALL.map(|variant| Planned { context, variant }));
    let all = all.filter(|row| row.context != Context::Replay || row.variant.is_replayed());
    let wanted = |row: &Planned| args.wants(&format!("{}/{}", row.context.name(), row.variant.name()));
    let plan: Vec<_> = all.filter(wanted).collect();
    match &args.filter {
        Some(word) if plan.is_empty() && !pieces::NAMES.iter().any(|name| args.wants(name)) => {
            Err(Error::NothingToMeasure(word.clone()))
        }
        _ => Ok(plan),
    }
}

pub(crate) fn run(args: &Args, plan: &[Planned]) -> Result<Measured, Error> {
    let work = || Workload::new(DRAWS, args.visible);
    let mut onze = OnzeDevice::new(args.backend(), args.workers(), work())?;
    let wgpu = WgpuDevice::new(args.backend(), &onze.device, work())?;
    let adapter = onze.device.adapter().clone();
    let mut floor = Floor::new();
    let mut rows = Vec::new();
    let progress = Progress::start(plan.len() as u64);
    for &planned in plan {
        progress.say(&format!("{}/{}", planned.context.name(), planned.variant.name()));
        rows.extend(pair(args, planned, &mut onze, wgpu.as_ref(), &mut floor)?);
        progress.step();
    }
    Ok(Measured { machine: Machine::look(args, &adapter.name), rows })
}

/// Measures a row on both sides, alternating frame by frame.
fn pair(
    args: &Args,
    planned: Planned,
    onze: &mut OnzeDevice,
    wgpu: Option<&WgpuDevice>,
    floor: &mut Floor,
) -> Result<Vec<Row>, Error> {
    let Planned { context, variant } = planned;
    let frames = args.frames();
    let is_drawn = args.visible || onze.is_gpu();
    let before = onze.device.statistics();
    let mut sides: Vec<(&'static str, Box<dyn Frames + '_>, Vec<Cost>)> = Vec::new();
    sides.push(("onze", Box::new(onze.frames(context, variant, DRAWS, EXECUTIONS)?), Vec::new()));
    if let Some(wgpu) = wgpu {
        let mut push = |side, form| -> Result<(), Error> {
            let frames = wgpu.frames(context, (variant, form), DRAWS, EXECUTIONS)?;
            sides.push((side, Box::new(frames), Vec::new()));
            Ok(())
        };
        push("wgpu", Form::Draws)?;
        if variant.is_boxes() {
            push("best", Form::Best)?;
        }
    }
    let mut floors = Vec::new();
    for frame in 0..frames.warm_up + frames.measured {
        for (_, side, costs) in &mut sides {
            let cost = side.frame()?;
            if frame >= frames.warm_up {
                costs.push(cost);
            }
        }
        floors.push(floor.store(variant.least_bytes(), DRAWS));
    }
    let floor = median(&floors);
    let mut rows: Vec<_> =
        sides.iter().map(|(side, _, costs)| row(args, planned, side, costs, floor, is_drawn)).collect();
    drop(sides);
    let done = onze.device.statistics() - before;
    // Count dispatches here, because the statistics count only draws.
    let draws = match variant {
        Variant::V6 => u64::from(DRAWS) * (frames.warm_up + frames.measured) as u64,
        _ => done.draws,
    };
    if draws > 0 {
        rows[0].bytes_per_draw = Some(done.recorded_bytes as f64 / draws as f64);
    }
    Ok(rows)
}

fn row(args: &Args, planned: Planned, side: &'static str, costs: &[Cost], floor: f64, is_drawn: bool) -> Row {
    let Planned { context, variant } = planned;
    let draws = if context == Context::Replay { DRAWS * EXECUTIONS } else { DRAWS };
    let per_draw = |part: fn(&Cost) -> std::time::Duration| -> Vec<f64> {
        costs.iter().map(|cost| part(cost).as_secs_f64() * 1e9 / f64::from(draws)).collect()
    };
    let (app, wall) = (per_draw(|cost| cost.app), per_draw(|cost| cost.wall));
    Row {
        bench: "record",
        backend: args.backend().name(),
        side,
        context: context.kind(),
        threads: context.threads(),
        workers: if side == "onze" { args.workers() } else { 0 },
        variant: variant.name(),
        draws,
        app_ns_per_draw: median(&app),
        app_p10: quantile(&app, 0.1),
        app_p90: quantile(&app, 0.9),
        wall_ns_per_draw: median(&wall),
        cpu_ns_per_draw: median(&per_draw(|cost| cost.cpu)),
        // A replay records nothing, so its floor is zero.
        floor_ns_per_draw: if context == Context::Replay { 0.0 } else { floor },
        // This is set later, because the statistics cover all frames together.
        bytes_per_draw: None,
        wall_p10: quantile(&wall, 0.1),
        drawn_ns_per_draw: is_drawn.then(|| median(&per_draw(|cost| cost.done))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(line: &str) -> Result<Vec<String>, Error> {
        let words = ["bench"].into_iter().chain(line.split_whitespace());
        let args = Args::parse_line(words.map(std::ffi::OsString::from)).unwrap();
        let name = |row: &Planned| format!("{}/{}", row.context.name(), row.variant.name());
        Ok(plan(&args)?.iter().map(name).collect())
    }

    #[test]
    fn all_contexts_have_all_variants_but_replays_no_dispatches() {
        let names = planned("--threads 3").unwrap();
        assert_eq!(names.len(), 5 * 11 - 1);
        for name in ["immediate/v0", "deferred-1/v5", "deferred-2/v3", "deferred-3/v1", "replay/v4"] {
            assert!(names.iter().any(|other| other == name), "{name}");
        }
    }

    #[test]
    fn a_filter_keeps_what_contains_the_word() {
        assert_eq!(planned("--filter immediate/v1").unwrap(), ["immediate/v1"]);
        assert_eq!(planned("--filter deferred-2").unwrap().len(), 11);
        assert!(planned("--filter map").unwrap().is_empty());
        assert!(matches!(planned("--filter nonsense"), Err(Error::NothingToMeasure(_))));
    }
}
