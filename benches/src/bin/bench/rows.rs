//! The rows: each variant in each context, measured on both sides in turns.

use onze_benches::error::Error;
use onze_benches::workload::{Variant, Workload};
use serde::Serialize;

use crate::args::Args;
use crate::frames::{Context, Frames, OnzeDevice, WgpuDevice};
use crate::machine::Machine;
use crate::measure::{Cost, Floor, median, quantile};
use crate::pieces;
use crate::progress::Progress;

pub(crate) const DRAWS: u32 = 10_000;

/// Numbers of draws of the small frames.
pub(crate) const SMALL: [u32; 2] = [100, 1000];

/// The variants that are also measured in small frames.
const IN_SMALL_FRAMES: [Variant; 3] = [Variant::Scene, Variant::Boxes, Variant::V1];

/// The name of Onze's side without encoding threads.
pub(crate) const ALONE: &str = "onze-alone";

/// Number of executions of the list in a replayed frame.
pub(crate) const EXECUTIONS: u32 = 10;

/// A row of the report. Times are medians over the frames, in nanoseconds per draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    /// Name of the benchmark in the JSON. It is always `record`.
    pub(crate) bench: &'static str,
    pub(crate) backend: &'static str,
    /// The implementation that records: `onze`, `onze-alone` without encoding threads, or a form of wgpu's
    /// side.
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
        match (self.context, self.draws) {
            ("deferred", _) => format!("deferred-{}/{}", self.threads, self.variant),
            (context, draws) if SMALL.contains(&draws) => format!("{context}-{draws}/{}", self.variant),
            (context, _) => format!("{context}/{}", self.variant),
        }
    }
}

/// A row to be measured on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planned {
    context: Context,
    variant: Variant,
    draws: u32,
}

impl Planned {
    fn name(&self) -> String {
        let Self { context, variant, draws } = self;
        match *draws {
            DRAWS => format!("{}/{}", context.name(), variant.name()),
            draws => format!("{}-{draws}/{}", context.name(), variant.name()),
        }
    }
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
    let all = contexts
        .into_iter()
        .flat_map(|context| Variant::ALL.map(|variant| Planned { context, variant, draws: DRAWS }));
    let small = IN_SMALL_FRAMES
        .into_iter()
        .flat_map(|variant| SMALL.map(|draws| Planned { context: Context::Immediate, variant, draws }));
    let all = all.chain(small);
    let all = all.filter(|row| row.context != Context::Replay || row.variant.is_replayed());
    let plan: Vec<_> = all.filter(|row| args.wants(&row.name())).collect();
    match &args.filter {
        Some(word) if plan.is_empty() && !pieces::NAMES.iter().any(|name| pieces::is_wanted(args, name)) => {
            Err(Error::NothingToMeasure(word.clone()))
        }
        _ => Ok(plan),
    }
}

pub(crate) fn run(args: &Args, plan: &[Planned]) -> Result<Measured, Error> {
    let work = || Workload::new(DRAWS, args.visible);
    let mut onze = OnzeDevice::new(args.backend(), args.workers(), work())?;
    let mut alone = OnzeDevice::new(args.backend(), 0, work())?;
    let wgpu = WgpuDevice::new(args.backend(), &onze.device, work())?;
    let adapter = onze.device.adapter().clone();
    let mut floor = Floor::new();
    let mut rows = Vec::new();
    let progress = Progress::start(plan.len() as u64);
    for &planned in plan {
        progress.say(&planned.name());
        rows.extend(pair(args, planned, [&mut onze, &mut alone], wgpu.as_ref(), &mut floor)?);
        progress.step();
    }
    Ok(Measured { machine: Machine::look(args, &adapter.name), rows })
}

/// Measures a row on both sides, alternating frame by frame. Onze's immediate context is also measured on a
/// device without encoding threads.
fn pair(
    args: &Args,
    planned: Planned,
    [onze, alone]: [&mut OnzeDevice; 2],
    wgpu: Option<&WgpuDevice>,
    floor: &mut Floor,
) -> Result<Vec<Row>, Error> {
    let Planned { context, variant, draws } = planned;
    let frames = args.frames();
    let is_drawn = args.visible || onze.is_gpu();
    let before = onze.device.statistics();
    let mut sides: Vec<(&'static str, Box<dyn Frames + '_>, Vec<Cost>)> = Vec::new();
    sides.push(("onze", Box::new(onze.frames(context, variant, draws, EXECUTIONS)?), Vec::new()));
    if context == Context::Immediate && args.workers() > 0 {
        let frames = alone.frames(context, variant, draws, EXECUTIONS)?;
        sides.push((ALONE, Box::new(frames), Vec::new()));
    }
    if let Some(wgpu) = wgpu {
        for form in wgpu.forms(context, variant) {
            let frames = wgpu.frames(context, (variant, form), draws, EXECUTIONS)?;
            sides.push((form.name(), Box::new(frames), Vec::new()));
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
        floors.push(floor.store(variant.least_bytes(), draws));
    }
    let floor = median(&floors);
    let mut rows: Vec<_> =
        sides.iter().map(|(side, _, costs)| row(args, planned, side, costs, floor, is_drawn)).collect();
    drop(sides);
    let done = onze.device.statistics() - before;
    // Count dispatches here, because the statistics count only draws.
    let recorded = match variant {
        Variant::V6 => u64::from(draws) * (frames.warm_up + frames.measured) as u64,
        _ => done.draws,
    };
    if recorded > 0 {
        rows[0].bytes_per_draw = Some(done.recorded_bytes as f64 / recorded as f64);
    }
    Ok(rows)
}

fn row(args: &Args, planned: Planned, side: &'static str, costs: &[Cost], floor: f64, is_drawn: bool) -> Row {
    let Planned { context, variant, draws } = planned;
    let draws = if context == Context::Replay { draws * EXECUTIONS } else { draws };
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
        Ok(plan(&args)?.iter().map(Planned::name).collect())
    }

    #[test]
    fn all_contexts_have_all_variants_but_replays_no_dispatches() {
        let names = planned("--threads 3").unwrap();
        assert_eq!(names.len(), 5 * 12 - 1 + 3 * 2);
        for name in [
            "immediate/v0",
            "immediate-100/v1",
            "immediate-1000/boxes",
            "deferred-1/v5",
            "deferred-2/v3",
            "deferred-3/v1",
            "replay/v4",
        ] {
            assert!(names.iter().any(|other| other == name), "{name}");
        }
    }

    #[test]
    fn a_filter_keeps_what_contains_the_word() {
        assert_eq!(planned("--filter immediate/v1").unwrap(), ["immediate/v1"]);
        assert_eq!(planned("--filter deferred-2").unwrap().len(), 12);
        assert!(planned("--filter map").unwrap().is_empty());
        assert!(matches!(planned("--filter nonsense"), Err(Error::NothingToMeasure(_))));
    }
}
