//! Progress of a long run: a bar on a terminal, and plain lines elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::print::print_error;

#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    steps: u64,
    done: u64,
}

impl Progress {
    pub(crate) fn start(steps: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(steps);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos:>4}/{len} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, steps, done: 0 }
    }

    /// Shows a message beside the bar, or prints a line with the message and the percentage.
    pub(crate) fn say(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(message.to_owned()),
            None => print_error(&format!("[{:>3}%] {message}", self.percent())),
        }
    }

    pub(crate) fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    fn percent(&self) -> u64 {
        self.done * 100 / self.steps.max(1)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
