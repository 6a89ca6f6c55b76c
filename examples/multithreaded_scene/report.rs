//! The measured costs of the modes, printed as a table and written as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ProcessTime;
use serde::Serialize;

use crate::picture::Likeness;

pub(crate) const RAW_WGPU: &str = "raw wgpu";

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct FrameCost {
    pub(crate) draws: u64,
    /// Wall time from the start of recording until the last recording thread was done.
    pub(crate) record: Duration,
    /// Recording time, summed over the recording threads, and larger than `record` if the threads ran in
    /// parallel.
    pub(crate) record_threads: Duration,
    pub(crate) execute: Duration,
    /// Wall time from the start of recording until everything was submitted to the GPU.
    pub(crate) submitted: Duration,
    /// Wall time from the start of recording until the GPU had finished the frame.
    pub(crate) frame: Duration,
    pub(crate) cpu: Duration,
}

/// Measures the CPU time of the process since the clock was created.
#[derive(Debug)]
pub(crate) struct CpuClock(Option<ProcessTime>);

impl CpuClock {
    pub(crate) fn start() -> Self {
        Self(ProcessTime::try_now().ok())
    }

    /// CPU time since the clock was created, or zero if the system does not report it.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.and_then(|start| start.try_elapsed().ok()).unwrap_or_default()
    }
}

/// One line of the table: medians over the frames of one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    pub(crate) mode: &'static str,
    pub(crate) lists: &'static str,
    pub(crate) threads: usize,
    /// Number of measured frames, excluding the first frame unless it is the only one.
    pub(crate) frames: usize,
    pub(crate) draws: u64,
    /// Wall time from the start of recording until the last thread was done, in milliseconds per frame.
    pub(crate) record_ms: f64,
    /// Recording time, summed over the recording threads, in nanoseconds per draw.
    pub(crate) record_ns_per_draw: f64,
    pub(crate) execute_ms: f64,
    /// Wall time from the start of recording until everything was submitted, in milliseconds per frame.
    pub(crate) submitted_ms: f64,
    /// Wall time from the start of recording until the GPU was done, in milliseconds per frame.
    pub(crate) frame_ms: f64,
    pub(crate) cpu_ms: f64,
    /// Time for recording and executing lists, relative to raw wgpu on one thread. The application's thread
    /// is busy for this time.
    pub(crate) record_ratio: Option<f64>,
    /// `submitted_ms` relative to raw wgpu on one thread, if raw wgpu was measured.
    pub(crate) submitted_ratio: Option<f64>,
    /// `cpu_ms` relative to raw wgpu on one thread, if raw wgpu was measured.
    pub(crate) cpu_ratio: Option<f64>,
}

impl Row {
    /// Computes the medians of `costs`, excluding the first frame unless it is the only one, because it
    /// creates pipelines and fills caches.
    pub(crate) fn new([mode, lists]: [&'static str; 2], threads: usize, costs: &[FrameCost]) -> Self {
        let measured = match costs {
            [_, rest @ ..] if !rest.is_empty() => rest,
            all => all,
        };
        let of = |part: fn(&FrameCost) -> Duration| {
            median(measured.iter().map(|cost| part(cost).as_secs_f64() * 1e3).collect())
        };
        let draws = measured.last().map_or(0, |cost| cost.draws);
        Self {
            mode,
            lists,
            threads,
            frames: measured.len(),
            draws,
            record_ms: of(|cost| cost.record),
            record_ns_per_draw: of(|cost| cost.record_threads) * 1e6 / draws.max(1) as f64,
            execute_ms: of(|cost| cost.execute),
            submitted_ms: of(|cost| cost.submitted),
            frame_ms: of(|cost| cost.frame),
            cpu_ms: of(|cost| cost.cpu),
            record_ratio: None,
            submitted_ratio: None,
            cpu_ratio: None,
        }
    }
}

/// Returns the median, which for an even number of values is the mean of the two middle values, and for an
/// empty list is zero.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let upper = values.get(values.len() / 2).copied().unwrap_or_default();
    let lower = values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default();
    f64::midpoint(lower, upper)
}

const RATIO: &str = "/ raw wgpu";

/// The results of a run, with the same fields as the JSON file.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) adapter: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) objects: u32,
    pub(crate) models: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// Whether all pictures of the library are identical, or `None` if nothing was drawn.
    pub(crate) identical: Option<bool>,
    pub(crate) differences: Vec<String>,
    /// The largest difference between a picture of raw wgpu and the library's picture, if both were drawn.
    pub(crate) raw_wgpu: Option<Likeness>,
}

impl Report {
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Sets the ratios of all rows to raw wgpu on one thread, if raw wgpu was measured.
    pub(crate) fn compare(&mut self) {
        let Some(base) = self.rows.iter().find(|row| row.mode == RAW_WGPU) else {
            return;
        };
        let (recorded, submitted, cpu) = (base.record_ms + base.execute_ms, base.submitted_ms, base.cpu_ms);
        let ratio = |value: f64, base: f64| (base > 0.0).then(|| value / base);
        for row in &mut self.rows {
            row.record_ratio = ratio(row.record_ms + row.execute_ms, recorded);
            row.submitted_ratio = ratio(row.submitted_ms, submitted);
            row.cpu_ratio = ratio(row.cpu_ms, cpu);
        }
    }

    /// Returns the rows as an aligned table, with columns for ratios only if [`Self::compare`] has set
    /// ratios.
    pub(crate) fn table(&self) -> String {
        const HEAD: [&str; 13] = [
            "mode",
            "lists",
            "threads",
            "draws",
            "record ms",
            "ns/draw",
            "execute ms",
            RATIO,
            "submitted ms",
            RATIO,
            "frame ms",
            "CPU ms",
            RATIO,
        ];
        let ratio = |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let mut lines = vec![HEAD.map(str::to_owned)];
        lines.extend(self.rows.iter().map(|row| {
            [
                row.mode.to_owned(),
                row.lists.to_owned(),
                row.threads.to_string(),
                row.draws.to_string(),
                format!("{:.2}", row.record_ms),
                format!("{:.0}", row.record_ns_per_draw),
                format!("{:.2}", row.execute_ms),
                ratio(row.record_ratio),
                format!("{:.2}", row.submitted_ms),
                ratio(row.submitted_ratio),
                format!("{:.2}", row.frame_ms),
                format!("{:.2}", row.cpu_ms),
                ratio(row.cpu_ratio),
            ]
        }));
        let is_compared = self.rows.iter().any(|row| row.submitted_ratio.is_some());
        let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
        let widths: [usize; 13] = std::array::from_fn(width);
        let mut table = String::new();
        for line in &lines {
            let mut text = String::new();
            for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
                if HEAD[column] == RATIO && !is_compared {
                    continue;
                }
                let _ = if column < 2 {
                    write!(text, "{cell:<width$}  ")
                } else {
                    write!(text, "{cell:>width$}  ")
                };
            }
            table.push_str(text.trim_end());
            table.push('\n');
        }
        table
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn cost(milliseconds: u64) -> FrameCost {
        let duration = Duration::from_millis(milliseconds);
        FrameCost {
            draws: 1000,
            record: duration,
            record_threads: duration * 2,
            execute: duration * 3,
            submitted: duration * 6,
            frame: duration * 4,
            cpu: duration * 5,
        }
    }

    fn report() -> Report {
        let driver = Row::new(["immediate", "driver"], 1, &[cost(900), cost(2)]);
        let runtime = Row::new(["per-chunk", "runtime"], 12, &[cost(9), cost(1000)]);
        Report {
            adapter: "an adapter".to_owned(),
            width: 64,
            height: 32,
            objects: 5,
            models: vec!["a.glb".to_owned()],
            rows: vec![driver, runtime],
            identical: Some(true),
            differences: Vec::new(),
            raw_wgpu: None,
        }
    }

    #[test]
    fn the_first_frame_is_left_out_where_there_are_others() {
        let row = Row::new(["per-pass", "driver"], 3, &[cost(900), cost(2), cost(4)]);
        assert_eq!((row.frames, row.draws), (2, 1000));
        assert!((row.record_ms - 3.0).abs() < 1e-9);
        assert!((row.record_ns_per_draw - 6000.0).abs() < 1e-6);
        assert!((row.execute_ms - 9.0).abs() < 1e-9);
        assert!((row.submitted_ms - 18.0).abs() < 1e-9);
        assert!((row.frame_ms - 12.0).abs() < 1e-9);
        assert!((row.cpu_ms - 15.0).abs() < 1e-9);
        let only = Row::new(["per-pass", "driver"], 3, &[cost(900)]);
        assert_eq!(only.frames, 1);
        assert!((only.record_ms - 900.0).abs() < 1e-9);
    }

    #[test]
    fn one_slow_frame_does_not_count() {
        let row = Row::new(["per-pass", "driver"], 3, &[cost(1), cost(2), cost(5000), cost(4)]);
        assert!((row.record_ms - 4.0).abs() < 1e-9);
        assert!(median(Vec::new()).abs() < 1e-9);
    }

    #[test]
    fn ratios_are_to_the_first_raw_wgpu_row() {
        let mut report = report();
        report.compare();
        assert!(report.rows.iter().all(|row| row.submitted_ratio.is_none() && row.cpu_ratio.is_none()));
        assert!(!report.table().contains(RATIO));
        report.rows.push(Row::new([RAW_WGPU, "-"], 1, &[cost(900), cost(8)]));
        report.rows.push(Row::new([RAW_WGPU, "-"], 2, &[cost(900), cost(4)]));
        report.compare();
        let ratios = report.rows.iter().map(|row| [row.record_ratio, row.submitted_ratio, row.cpu_ratio]);
        let ratios: Vec<_> = ratios.collect();
        let expected = [0.25, 125.0, 1.0, 0.5].map(|ratio| [Some(ratio); 3]);
        assert_eq!(ratios, expected);
        let table = report.table();
        let lines: Vec<_> = table.lines().collect();
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
        assert!(lines[0].ends_with(RATIO) && lines[1].ends_with(" 0.25"), "{table}");
        assert!(lines[3].starts_with("raw wgpu   -        "), "{table}");
    }

    #[test]
    fn the_table_is_aligned() {
        let table = report().table();
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
        assert!(lines[0].starts_with("mode ") && lines[2].starts_with("per-chunk  runtime "));
    }

    #[test]
    fn the_json_has_every_row() {
        let json: serde_json::Value = serde_json::from_str(&report().to_json().unwrap()).unwrap();
        assert_eq!(json["rows"][1]["mode"], "per-chunk");
        assert_eq!(json["rows"][1]["threads"], 12);
        assert_eq!(json["identical"], true);
    }

    #[test]
    fn the_cpu_clock_counts_work() {
        let clock = CpuClock::start();
        let mut value = 1u64;
        while clock.elapsed() < Duration::from_millis(1) {
            value = std::hint::black_box(value.wrapping_mul(31));
        }
        assert!(clock.elapsed() >= Duration::from_millis(1));
    }
}
