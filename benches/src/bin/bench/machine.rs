//! The machine that produced the figures. Every report describes it.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::args::Args;

/// The machine and the parameters of the run, as the report stores them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    /// Number of CPU cores that the process may use. The machine may have more.
    pub(crate) cores: usize,
    /// Memory in GiB, or 0 if the system does not report it.
    pub(crate) memory_gib: u64,
    pub(crate) system: String,
    pub(crate) adapter: String,
    /// Mean number of runnable threads in the system over the last minute of the run, if the system reports
    /// it.
    pub(crate) load_average: Option<f64>,
    pub(crate) date: String,
    pub(crate) command: String,
    pub(crate) frames: u32,
    /// Whether this is a debug build. Its figures are meaningless.
    pub(crate) debug_build: bool,
}

impl Machine {
    pub(crate) fn look(args: &Args, adapter: &str) -> Self {
        let words: Vec<_> = std::env::args().skip(1).collect();
        Self {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
            cores: Args::cores(),
            memory_gib: field("/proc/meminfo", "MemTotal").map_or(0, |text| gib(&text)),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            adapter: adapter.to_owned(),
            load_average: load_average(),
            date: today(),
            command: ["cargo xtask bench"]
                .into_iter()
                .chain(words.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(" "),
            frames: args.frames().measured,
            debug_build: cfg!(debug_assertions),
        }
    }

    pub(crate) fn line(&self) -> String {
        let Self { processor, cores, memory_gib, system, adapter, .. } = self;
        let load = self.load_average.map_or_else(String::new, |load| format!("; load average {load:.1}"));
        format!("{processor}, {cores} cores, {memory_gib} GiB, {system}; adapter: {adapter}{load}")
    }
}

/// Returns the value of a field in a file with lines such as `name : value`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Rounds a size such as `24680324 kB` to gibibytes.
fn gib(text: &str) -> u64 {
    let kib: u64 = text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_default();
    (kib + (1 << 19)) >> 20
}

fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date(seconds / 86_400)
}

/// Returns the Gregorian date for a number of days since 1970-01-01.
fn date(days: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let (mut year, mut left) = (1970, days);
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if left < length {
            break;
        }
        (year, left) = (year + 1, left - length);
    }
    let mut month = 1;
    for length in [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        (month, left) = (month + 1, left - length);
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_777, "2026-11-20"),
            (20_818, "2026-12-31"),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn memory_is_rounded() {
        assert_eq!(gib("24680324 kB"), 24);
        assert_eq!(gib("nothing"), 0);
    }
}
