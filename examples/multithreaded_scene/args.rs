//! The command line: the options with their defaults and ranges, and one-sentence errors for invalid values.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};

/// Maximum width and height of the picture, in pixels: the limit of a D3D11 2D texture.
const MAX_EXTENT: u32 = 16384;

/// Draws one scene with the immediate context and with deferred contexts on several threads, checks that all
/// pictures are bit-identical, and compares the costs
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(name = "multithreaded_scene", allow_negative_numbers = true)]
pub(crate) struct Args {
    /// Number of frames drawn in each mode; default: 8, or with --window until the window is closed
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..=1_000_000))]
    pub(crate) frames: Option<u32>,

    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub(crate) size: Size,

    /// Folder for the pictures and the report
    #[arg(long, value_name = "DIR", default_value = "target/demo")]
    pub(crate) out: PathBuf,

    /// A glTF 2.0 model to place in the scene; may be given several times
    #[arg(long = "model", value_name = "FILE")]
    pub(crate) models: Vec<PathBuf>,

    /// Number of objects around the pool
    #[arg(long, value_name = "N", default_value = "4096", value_parser = RangedU64ValueParser::<u32>::new().range(0..=1_000_000))]
    pub(crate) objects: u32,

    /// Number of recording threads in the mode per-chunk; default: one per core, at least 2
    #[arg(long, value_name = "K", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub(crate) threads: Option<usize>,

    /// The contexts that record the scene
    #[arg(long, value_name = "MODE", default_value = "all")]
    pub(crate) mode: ModeChoice,

    /// The implementation of command lists
    #[arg(long, value_name = "KIND", default_value = "both")]
    pub(crate) lists: ListsChoice,

    /// Number of driver threads that encode recorded pages; default: the driver decides
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(0..=256))]
    pub(crate) workers: Option<u32>,

    /// Number of draws per page of a recording; default: the driver decides
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..=1_000_000))]
    pub(crate) page_draws: Option<u32>,

    /// Number of draws that the driver passes to an encoding thread at once; default: the driver decides
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..=1_000_000))]
    pub(crate) run_draws: Option<u32>,

    /// Check both sides of the driver interface while drawing
    #[arg(long)]
    pub(crate) verify: bool,

    /// Also draw the scene with raw wgpu, and compare the picture and the cost
    #[arg(long, conflicts_with = "window")]
    pub(crate) raw_wgpu: bool,

    /// Compile the shaders from HLSL instead of WGSL
    #[arg(long)]
    pub(crate) hlsl: bool,

    /// The kind of adapter; default: the first one found, hardware before software
    #[arg(long, value_name = "KIND")]
    pub(crate) adapter: Option<AdapterChoice>,

    /// Show the scene in a window instead of drawing it to files
    #[arg(long)]
    pub(crate) window: bool,

    /// Keep the window open after the last of --frames, until it is closed
    #[arg(long, requires = "window")]
    pub(crate) stay: bool,

    /// File for the report; default: report.json in the folder of --out
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Size of a picture in pixels, each side within `1..=16384`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// How a frame is recorded: the value of `--mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The immediate context records everything on one thread, as in a program without deferred contexts.
    Immediate,
    /// Each pass is recorded by a deferred context on a separate thread.
    PerPass,
    /// Each pass is recorded by several deferred contexts, each on its own thread, which balances passes of
    /// different sizes.
    PerChunk,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::Immediate, Self::PerPass, Self::PerChunk];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::PerPass => "per-pass",
            Self::PerChunk => "per-chunk",
        }
    }
}

/// The implementation that records the command lists of deferred contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lists {
    /// The driver records command lists natively, which D3D11 reports as `DriverCommandLists`.
    Driver,
    /// The runtime records command lists in software, as it does for drivers without native command lists.
    Runtime,
}

impl Lists {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::Runtime => "runtime",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeChoice {
    /// The immediate context alone
    Immediate,
    /// One deferred context per pass
    PerPass,
    /// Several deferred contexts per pass
    PerChunk,
    /// All three, one after the other
    All,
}

impl ModeChoice {
    pub(crate) fn modes(self) -> Vec<Mode> {
        match self {
            Self::Immediate => vec![Mode::Immediate],
            Self::PerPass => vec![Mode::PerPass],
            Self::PerChunk => vec![Mode::PerChunk],
            Self::All => Mode::ALL.to_vec(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListsChoice {
    /// The driver's command lists
    Driver,
    /// The runtime's command lists, in software
    Runtime,
    /// Both, one after the other
    Both,
}

impl ListsChoice {
    pub(crate) fn kinds(self) -> Vec<Lists> {
        match self {
            Self::Driver => vec![Lists::Driver],
            Self::Runtime => vec![Lists::Runtime],
            Self::Both => vec![Lists::Driver, Lists::Runtime],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AdapterChoice {
    /// A GPU
    Hardware,
    /// A CPU rasterizer
    Software,
    /// A driver that draws nothing, so only the cost of recording is measured
    Noop,
}

fn parse_size(text: &str) -> Result<Size, String> {
    let malformed = || "expected a width and a height in pixels, such as 1280x720".to_owned();
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(malformed)?;
    let extent = |text: &str| {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(malformed());
        }
        match text.parse() {
            Ok(value @ 1..=MAX_EXTENT) => Ok(value),
            _ => Err(format!("width and height must be within 1..={MAX_EXTENT}")),
        }
    };
    Ok(Size { width: extent(width)?, height: extent(height)? })
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Text(String),
    Error(String),
}

impl Args {
    /// Parses a command line whose first item is the program's name.
    pub(crate) fn parse_line<I>(line: I) -> Result<Self, Stop>
    where
        I: IntoIterator<Item: Into<std::ffi::OsString> + Clone>,
    {
        Self::try_parse_from(line).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Stop::Text(error.to_string()),
            _ => Stop::Error(one_sentence(&error.to_string())),
        })
    }

    pub(crate) fn headless_frames(&self) -> u32 {
        self.frames.unwrap_or(8)
    }

    /// Number of recording threads in the mode per-chunk, by default one per core, but at least 2 and at most
    /// 256.
    pub(crate) fn recording_threads(&self) -> usize {
        self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 256))
        })
    }

    pub(crate) fn report_path(&self) -> PathBuf {
        match &self.json {
            Some(path) => path.clone(),
            None => self.out.join("report.json"),
        }
    }
}

/// Returns the first paragraph of a parser's message without its prefix, because this paragraph describes the
/// error and the rest explains the usage.
fn one_sentence(message: &str) -> String {
    let paragraph = message.lines().take_while(|line| !line.trim().is_empty());
    let words: Vec<_> = paragraph.flat_map(str::split_whitespace).collect();
    let sentence = words.join(" ");
    // This is the standard library's message if a number is `-1` or `many`.
    let sentence = sentence.replace("invalid digit found in string", "expected a whole number");
    sentence.strip_prefix("error: ").unwrap_or(&sentence).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn parse(line: &str) -> Result<Args, Stop> {
        Args::parse_line(std::iter::once("scene").chain(line.split_whitespace()))
    }

    #[test]
    fn defaults_are_the_documented_ones() {
        let args = parse("").unwrap();
        assert_eq!(args.size, Size { width: 1280, height: 720 });
        assert_eq!(args.out, PathBuf::from("target/demo"));
        assert_eq!(args.report_path(), PathBuf::from("target/demo/report.json"));
        assert_eq!((args.objects, args.headless_frames()), (4096, 8));
        assert_eq!(args.mode.modes(), Mode::ALL);
        assert_eq!(args.lists.kinds(), [Lists::Driver, Lists::Runtime]);
        assert!(args.recording_threads() >= 2);
        assert!(
            !args.window
                && !args.stay
                && !args.verify
                && !args.raw_wgpu
                && !args.hlsl
                && args.adapter.is_none()
        );
    }

    #[test]
    fn every_option_is_read() {
        let args = parse(
            "--frames 3 --size 64x32 --out o --model a.glb --model b.gltf --objects 7 --threads 5 \
             --mode per-chunk --lists runtime --workers 0 --page-draws 9 --run-draws 8 \
             --verify --adapter software --window --stay --hlsl --json r.json",
        )
        .unwrap();
        assert_eq!(args.frames, Some(3));
        assert_eq!(args.size, Size { width: 64, height: 32 });
        assert_eq!(args.models, [PathBuf::from("a.glb"), PathBuf::from("b.gltf")]);
        assert_eq!((args.objects, args.recording_threads()), (7, 5));
        assert_eq!(args.mode.modes(), [Mode::PerChunk]);
        assert_eq!(args.lists.kinds(), [Lists::Runtime]);
        assert_eq!((args.workers, args.page_draws, args.run_draws), (Some(0), Some(9), Some(8)));
        assert!(args.verify && args.window && args.stay && args.hlsl);
        assert_eq!(args.adapter, Some(AdapterChoice::Software));
        assert_eq!(args.report_path(), PathBuf::from("r.json"));
    }

    #[test]
    fn the_comparison_with_wgpu_is_read() {
        let args = parse("--raw-wgpu --adapter noop").unwrap();
        assert!(args.raw_wgpu);
        assert_eq!(args.adapter, Some(AdapterChoice::Noop));
    }

    #[test]
    fn bad_values_give_one_sentence_that_names_the_option() {
        for (line, words) in [
            ("--size 0x720", "--size"),
            ("--size 1280x0", "1..=16384"),
            ("--size 16385x1", "1..=16384"),
            ("--size 99999999999x1", "1..=16384"),
            ("--size 1280", "such as 1280x720"),
            ("--size x", "such as 1280x720"),
            ("--size -1x5", "-1"),
            ("--size +1x5", "such as 1280x720"),
            ("--size 1x2x3", "such as 1280x720"),
            ("--size", "--size"),
            ("--threads 0", "--threads"),
            ("--threads many", "--threads"),
            ("--threads -1", "expected a whole number"),
            ("--frames 0", "--frames"),
            ("--frames -1", "--frames"),
            ("--page-draws 0", "--page-draws"),
            ("--mode sideways", "per-chunk"),
            ("--lists none", "runtime"),
            ("--adapter toaster", "hardware"),
            ("--raw-wgpu --window", "--window"),
            ("--stay", "--window"),
            ("--unknown", "--unknown"),
            ("stray", "stray"),
        ] {
            let Err(Stop::Error(sentence)) = parse(line) else {
                panic!("{line} was accepted");
            };
            assert!(sentence.contains(words), "{line}: {sentence}");
            assert!(!sentence.contains('\n') && !sentence.contains("Usage"), "{sentence}");
        }
    }

    #[test]
    fn help_is_text_and_not_an_error() {
        assert!(matches!(parse("--help"), Err(Stop::Text(text)) if text.contains("--page-draws")));
    }
}
