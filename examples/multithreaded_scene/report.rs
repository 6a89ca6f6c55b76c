//! What the modes cost: measured, printed as a table and written as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ProcessTime;
use serde::Serialize;

use crate::args::{Lists, Mode};

/// What one frame cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct FrameCost {
    /// Draw calls recorded.
    pub(crate) draws: u64,
    /// From the start of recording until the last recording thread was done.
    pub(crate) record: Duration,
    /// Time spent recording, added up over the recording threads.
    pub(crate) record_threads: Duration,
    /// Time that the immediate context's thread spent executing command lists.
    pub(crate) execute: Duration,
    /// From the start of the frame until the GPU had drawn it.
    pub(crate) frame: Duration,
    /// Processor time of the whole process, all threads together.
    pub(crate) cpu: Duration,
}

/// Measures processor time of the process from its creation on.
#[derive(Debug)]
pub(crate) struct CpuClock(Option<ProcessTime>);

impl CpuClock {
    /// Starts measuring.
    pub(crate) fn start() -> Self {
        Self(ProcessTime::try_now().ok())
    }

    /// Processor time since the start; zero where the system does not tell.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.and_then(|start| start.try_elapsed().ok()).unwrap_or_default()
    }
}

/// One line of the table: averages over the frames of one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    /// How the frames were recorded.
    pub(crate) mode: &'static str,
    /// Who recorded the command lists.
    pub(crate) lists: &'static str,
    /// Recording threads.
    pub(crate) threads: usize,
    /// Frames measured.
    pub(crate) frames: usize,
    /// Draw calls per frame.
    pub(crate) draws: u64,
    /// Wall time of recording, in milliseconds per frame.
    pub(crate) record_ms: f64,
    /// Time on the recording threads, in nanoseconds per draw.
    pub(crate) record_ns_per_draw: f64,
    /// Time executing command lists, in milliseconds per frame.
    pub(crate) execute_ms: f64,
    /// Whole frame until the GPU was done, in milliseconds.
    pub(crate) frame_ms: f64,
    /// Processor time of the process, in milliseconds per frame.
    pub(crate) cpu_ms: f64,
}

impl Row {
    /// Averages `costs`. The first frame is left out where there are others: it creates pipelines
    /// and fills caches.
    pub(crate) fn average(mode: Mode, lists: Lists, threads: usize, costs: &[FrameCost]) -> Self {
        let measured = match costs {
            [_, rest @ ..] if !rest.is_empty() => rest,
            all => all,
        };
        let frames = measured.len().max(1) as f64;
        let draws: u64 = measured.iter().map(|cost| cost.draws).sum();
        let total =
            |part: fn(&FrameCost) -> Duration| measured.iter().map(part).sum::<Duration>().as_secs_f64();
        Self {
            mode: mode.name(),
            lists: lists.name(),
            threads,
            frames: measured.len(),
            draws: measured.last().map_or(0, |cost| cost.draws),
            record_ms: total(|cost| cost.record) * 1e3 / frames,
            record_ns_per_draw: total(|cost| cost.record_threads) * 1e9 / draws.max(1) as f64,
            execute_ms: total(|cost| cost.execute) * 1e3 / frames,
            frame_ms: total(|cost| cost.frame) * 1e3 / frames,
            cpu_ms: total(|cost| cost.cpu) * 1e3 / frames,
        }
    }
}

/// Everything that a run has to say.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// The adapter's name.
    pub(crate) adapter: String,
    /// Width of the pictures in pixels.
    pub(crate) width: u32,
    /// Height of the pictures in pixels.
    pub(crate) height: u32,
    /// Scattered objects in the scene.
    pub(crate) objects: u32,
    /// The models' files.
    pub(crate) models: Vec<String>,
    /// The modes in the order in which they ran.
    pub(crate) rows: Vec<Row>,
    /// Whether all pictures were the same to the last bit.
    pub(crate) identical: bool,
    /// Which pictures differ from the first, in words.
    pub(crate) differences: Vec<String>,
}

impl Report {
    /// The report as JSON text.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The rows as an aligned table.
    pub(crate) fn table(&self) -> String {
        const HEAD: [&str; 9] =
            ["mode", "lists", "threads", "draws", "record ms", "ns/draw", "execute ms", "frame ms", "CPU ms"];
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
                format!("{:.2}", row.frame_ms),
                format!("{:.2}", row.cpu_ms),
            ]
        }));
        let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
        let widths: [usize; 9] = std::array::from_fn(width);
        let mut table = String::new();
        for line in &lines {
            let mut text = String::new();
            for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
                // Names stand on the left, numbers on the right.
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
            frame: duration * 4,
            cpu: duration * 5,
        }
    }

    fn report() -> Report {
        let driver = Row::average(Mode::Immediate, Lists::Driver, 1, &[cost(900), cost(2)]);
        let runtime = Row::average(Mode::PerChunk, Lists::Runtime, 12, &[cost(9), cost(1000)]);
        Report {
            adapter: "an adapter".to_owned(),
            width: 64,
            height: 32,
            objects: 5,
            models: vec!["a.glb".to_owned()],
            rows: vec![driver, runtime],
            identical: true,
            differences: Vec::new(),
        }
    }

    #[test]
    fn the_first_frame_is_left_out_where_there_are_others() {
        let row = Row::average(Mode::PerPass, Lists::Driver, 3, &[cost(900), cost(2), cost(4)]);
        assert_eq!((row.frames, row.draws), (2, 1000));
        assert!((row.record_ms - 3.0).abs() < 1e-9);
        assert!((row.record_ns_per_draw - 6000.0).abs() < 1e-6);
        assert!((row.execute_ms - 9.0).abs() < 1e-9);
        assert!((row.frame_ms - 12.0).abs() < 1e-9);
        assert!((row.cpu_ms - 15.0).abs() < 1e-9);
        let only = Row::average(Mode::PerPass, Lists::Driver, 3, &[cost(900)]);
        assert_eq!(only.frames, 1);
        assert!((only.record_ms - 900.0).abs() < 1e-9);
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
