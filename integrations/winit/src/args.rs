//! Command-line options.

use std::path::PathBuf;

use clap::{Args, Parser};

use crate::{WindowDesc, size};

/// Options for [`WindowDesc::with_args`], for programs that also define other options. Add this struct to a
/// `clap::Parser` as a field with `#[command(flatten)]`, and pass it to [`WindowDesc::with`]. It is not
/// available in browsers, which have no command line.
#[derive(Args, Clone, Debug, Default)]
#[cfg_attr(docsrs, doc(cfg(feature = "args")))]
pub struct WindowArgs {
    /// Draw without a window, and write a picture of the last frame into this PNG file
    #[arg(long, value_name = "FILE.png")]
    pub out: Option<PathBuf>,
    /// End after this many frames; with --out, the default is 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", value_parser = size::parse)]
    pub size: Option<(u32, u32)>,
    /// Fill the monitor
    #[arg(long)]
    pub full_screen: bool,
}

/// The command line of a program that defines no other options.
#[derive(Parser, Debug)]
struct CommandLine {
    #[command(flatten)]
    window: WindowArgs,
}

impl WindowDesc {
    /// Applies the program's command line: `--out FILE.png`, `--frames N`, `--size WxH` and `--full-screen`;
    /// for `--help` and for unknown arguments, it prints a message and exits the process.
    ///
    /// In a browser, the address replaces the command line: `?size=WxH&frames=N`. Unknown parameters are left
    /// to the web page, but if a parameter's value is invalid, the parameter is ignored and an error is
    /// written to the console.
    pub fn with_args(self) -> Self {
        self.with(CommandLine::parse().window)
    }

    /// Applies parsed options to the description, but an option that is not given leaves its field unchanged.
    pub fn with(self, args: WindowArgs) -> Self {
        let (width, height) = args.size.unwrap_or((self.width, self.height));
        Self {
            width,
            height,
            full_screen: self.full_screen || args.full_screen,
            frames: args.frames.or(self.frames),
            picture: args.out.or(self.picture),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn desc(options: &str) -> Result<WindowDesc, clap::Error> {
        let words = std::iter::once("program").chain(options.split_whitespace());
        Ok(WindowDesc::new("Window", 640, 480).with(CommandLine::try_parse_from(words)?.window))
    }

    #[test]
    fn options_replace_what_the_program_asks_for() {
        let plain = desc("").unwrap();
        assert_eq!((plain.width, plain.height, plain.frames, plain.full_screen), (640, 480, None, false));
        assert_eq!(plain.picture, None);
        let all = desc("--size 10x20 --frames 3 --full-screen --out a/b.png").unwrap();
        assert_eq!((all.width, all.height, all.frames, all.full_screen), (10, 20, Some(3), true));
        assert_eq!(all.picture, Some(PathBuf::from("a/b.png")));
    }

    #[test]
    fn a_wrong_size_is_refused_with_an_example() {
        for size in ["10", "0x10", "10x0", "axb", "10x20x30"] {
            let error = desc(&format!("--size {size}")).unwrap_err().to_string();
            assert!(error.contains("640x480"), "{error}");
        }
    }
}
