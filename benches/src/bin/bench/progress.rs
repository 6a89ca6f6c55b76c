//! Progress: a bar on a terminal, and a line for each measurement elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::print::print_error;

/// Shows the progress on the standard error stream.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn start(steps: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(steps);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos:>3}/{len} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    pub(crate) fn say(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(message.to_owned()),
            None => print_error(message),
        }
    }

    pub(crate) fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
