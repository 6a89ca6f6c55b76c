//! The command line.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};
use onze_benches::backend::Backend;

/// Measures the cost of recording with Onze and with raw wgpu in turns, and compares the ratios with the
/// project's goals.
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench", allow_negative_numbers = true)]
pub(crate) struct Args {
    /// Measure fewer frames and objects, in less than a minute
    #[arg(long)]
    pub(crate) quick: bool,

    /// Measure only rows and single calls whose name contains WORD, such as immediate/v1, deferred-2/v0,
    /// replay, map, create
    #[arg(long, value_name = "WORD")]
    pub(crate) filter: Option<String>,

    /// Backend that receives the commands
    #[arg(long, value_name = "BACKEND", default_value = "noop")]
    pub(crate) backend: BackendChoice,

    /// Draw visible triangles, and also measure the time until they are drawn, even on a software adapter
    #[arg(long, conflicts_with_all = ["publish", "soak"])]
    pub(crate) visible: bool,

    /// File for the report; record.svg and RESULTS.md are written beside it
    #[arg(long, value_name = "FILE", default_value = "target/bench/report.json")]
    pub(crate) json: PathBuf,

    /// Number of the driver's encoding threads; default: one less than the number of CPU cores, from 1 to 4
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(0..=256))]
    pub(crate) workers: Option<u32>,

    /// Maximum number of recording threads; default: one per CPU core, at least 2
    #[arg(long, value_name = "K", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub(crate) threads: Option<usize>,

    /// Also count the instructions of all threads with valgrind, which takes minutes; --publish does so too
    #[arg(long)]
    pub(crate) instructions: bool,

    /// Draw the frames of a counted run, where this program runs under valgrind
    #[arg(long, hide = true, num_args = 2, value_names = ["SIDE", "VARIANT"])]
    pub(crate) count: Vec<String>,

    /// Also write the figures to docs/book/src/performance.md, benches/RESULTS.md and docs/record.svg in the
    /// current folder
    // The published files contain all rows on the noop backend, so these options conflict.
    #[arg(long, conflicts_with_all = ["quick", "filter", "backend"])]
    pub(crate) publish: bool,

    /// Measure memory instead: draw many frames and fail if memory grows
    #[arg(long, conflicts_with_all = ["quick", "filter", "publish"])]
    pub(crate) soak: bool,

    /// Number of frames of the soak; default: 50000 on the null driver and 2000 on the software adapter
    #[arg(long, value_name = "N", requires = "soak", value_parser = RangedU64ValueParser::<u32>::new().range(100..=10_000_000))]
    pub(crate) frames: Option<u32>,
}

/// The values of `--backend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendChoice {
    /// wgpu without a GPU: only the cost of Onze and wgpu
    Noop,
    /// The best adapter of the machine
    Default,
    /// Onze's null driver: only the cost of the API and its runtime
    Null,
}

/// The reason for stopping before a measurement: a text to print, or an error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Text(String),
    Error(String),
}

impl Args {
    pub(crate) fn parse_line(line: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Self, Stop> {
        Self::try_parse_from(line).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Stop::Text(error.to_string()),
            _ => {
                let text = error.to_string();
                let sentence = text.lines().next().unwrap_or_default();
                Stop::Error(sentence.trim_start_matches("error: ").to_owned())
            }
        })
    }

    pub(crate) fn backend(&self) -> Backend {
        match self.backend {
            BackendChoice::Noop => Backend::Noop,
            BackendChoice::Default => Backend::Default,
            BackendChoice::Null => Backend::Null,
        }
    }

    /// Returns whether the filter selects a row or call named `name`.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|word| name.contains(word))
    }

    pub(crate) fn counts_instructions(&self) -> bool {
        self.instructions || self.publish
    }

    pub(crate) fn cores() -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    /// Returns the number of the driver's encoding threads. It is always explicit, because each row reports
    /// it.
    pub(crate) fn workers(&self) -> u32 {
        match self.backend() {
            Backend::Null => 0,
            _ => self.workers.unwrap_or_else(|| Self::cores().saturating_sub(1).clamp(1, 4) as u32),
        }
    }

    /// Returns the numbers of recording threads to measure: 1, 2, 4 and so on, and the maximum.
    pub(crate) fn thread_counts(&self) -> Vec<usize> {
        let most = self.threads.unwrap_or_else(|| Self::cores().max(2));
        let mut counts: Vec<_> = std::iter::successors(Some(1), |count| Some(count * 2))
            .take_while(|count| *count <= most)
            .collect();
        if counts.last() != Some(&most) {
            counts.push(most);
        }
        counts
    }

    /// Returns the numbers of warm-up frames and measured frames.
    pub(crate) fn frames(&self) -> Frames {
        if self.quick { Frames { warm_up: 4, measured: 11 } } else { Frames { warm_up: 10, measured: 60 } }
    }
}

/// Numbers of frames. The warm-up frames fill pools and caches, and the frames after them are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frames {
    pub(crate) warm_up: u32,
    pub(crate) measured: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args, Stop> {
        let words = ["bench"].into_iter().chain(line.split_whitespace());
        Args::parse_line(words.map(std::ffi::OsString::from))
    }

    #[test]
    fn without_options_everything_is_measured_on_the_noop_backend() {
        let args = parse("").unwrap();
        assert_eq!((args.backend(), args.wants("immediate/v0")), (Backend::Noop, true));
        assert!(args.frames().warm_up >= 10 && args.frames().measured >= 30);
        assert!(args.thread_counts().len() >= 2);
        assert!(!args.soak && !args.publish && !args.quick);
    }

    #[test]
    fn every_option_is_read() {
        let args =
            parse("--quick --filter v1 --backend null --json a/b.json --workers 3 --threads 6").unwrap();
        assert!(args.quick && args.wants("deferred-2/v1") && !args.wants("deferred-2/v0"));
        assert_eq!((args.backend(), args.workers()), (Backend::Null, 0));
        assert_eq!(args.thread_counts(), [1, 2, 4, 6]);
        assert_eq!(args.json, PathBuf::from("a/b.json"));
        assert_eq!(parse("--workers 3").unwrap().workers(), 3);
        assert_eq!(parse("--soak --frames 500").unwrap().frames, Some(500));
        assert!(parse("--visible --backend default").unwrap().visible && !parse("").unwrap().visible);
        assert_eq!(parse("--threads 1").unwrap().thread_counts(), [1]);
        assert!(parse("--instructions").unwrap().counts_instructions());
        assert!(
            parse("--publish").unwrap().counts_instructions() && !parse("").unwrap().counts_instructions()
        );
    }

    #[test]
    fn bad_values_give_one_sentence_that_names_the_option() {
        for (line, words) in [
            ("--backend toaster", "--backend"),
            ("--threads 0", "--threads"),
            ("--frames 500", "--soak"),
            ("--soak --quick", "--quick"),
            ("--publish --backend null", "--publish"),
            ("--publish --quick", "--publish"),
            ("--publish --visible", "--publish"),
            ("--unknown", "--unknown"),
            ("stray", "stray"),
        ] {
            let Err(Stop::Error(sentence)) = parse(line) else { panic!("{line} was accepted") };
            assert!(sentence.contains(words) || line.contains("--frames"), "{line}: {sentence}");
            assert!(!sentence.contains('\n'), "{sentence}");
        }
    }

    #[test]
    fn help_is_text_and_not_an_error() {
        assert!(matches!(parse("--help"), Err(Stop::Text(text)) if text.contains("--filter")));
    }
}
