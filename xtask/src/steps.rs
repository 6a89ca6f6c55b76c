//! Steps that run in sequence, each printed and timed, with a table that summarises all steps.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::command::{self, cargo};
use crate::error::Error;

#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(&'static str, Option<OsString>)>,
    pub(crate) skipped: Option<&'static str>,
}

impl Step {
    pub(crate) fn cargo(name: &str, args: &[&str]) -> Self {
        let args = args.iter().copied().map(str::to_owned).collect();
        Self { name: name.to_owned(), args, env: Vec::new(), skipped: None }
    }

    pub(crate) fn with_env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name, Some(value.as_ref().to_owned())));
        self
    }

    pub(crate) fn without_env(mut self, name: &'static str) -> Self {
        self.env.push((name, None));
        self
    }

    pub(crate) fn run(&self, root: &Path) -> Result<(), Error> {
        println!("    cargo {}", self.args.join(" "));
        command::run(&mut self.command(root))
    }

    fn command(&self, root: &Path) -> Command {
        let mut command = cargo();
        command.args(&self.args).current_dir(root);
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed(Duration),
    Skipped(&'static str),
}

#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<(String, Outcome)>,
}

impl Report {
    /// Runs `work` as a step: prints its name, measures its time, and adds its name to an error.
    pub(crate) fn time<T>(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        println!("==> {name}");
        let start = Instant::now();
        let done =
            work().map_err(|error| Error::Step { step: name.to_owned(), reason: error.to_string() })?;
        let duration = start.elapsed();
        println!("==> {name}: done in {:.1} s", duration.as_secs_f64());
        self.rows.push((name.to_owned(), Outcome::Passed(duration)));
        Ok(done)
    }

    pub(crate) fn run(
        &mut self,
        steps: &[Step],
        mut run: impl FnMut(&Step) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for step in steps {
            if let Some(reason) = step.skipped {
                println!("==> {}: skipped ({reason})", step.name);
                self.rows.push((step.name.clone(), Outcome::Skipped(reason)));
            } else {
                self.time(&step.name, || run(step))?;
            }
        }
        Ok(())
    }

    /// Returns a table of the steps with their times in seconds, and with the totals in the last line.
    pub(crate) fn table(&self) -> String {
        let names = self.rows.iter().map(|(name, _)| name.as_str()).chain(["total"]);
        let width = names.map(|name| name.chars().count()).max().unwrap_or_default();
        let mut total = Duration::ZERO;
        let mut skipped = 0;
        let mut text = String::new();
        for (name, outcome) in &self.rows {
            match *outcome {
                Outcome::Passed(duration) => {
                    total += duration;
                    text += &format!("{name:width$} {:>8.1} s\n", duration.as_secs_f64());
                }
                Outcome::Skipped(reason) => {
                    skipped += 1;
                    text += &format!("{name:width$}  skipped ({reason})\n");
                }
            }
        }
        text += &format!("{:width$} {:>8.1} s\n", "total", total.as_secs_f64());
        text += &format!("steps: {} passed, 0 failed", self.rows.len() - skipped);
        if skipped > 0 {
            text += &format!(", {skipped} skipped");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, skipped: Option<&'static str>) -> Step {
        Step { skipped, ..Step::cargo(name, &["check"]) }
    }

    #[test]
    fn a_failed_step_is_named_and_ends_the_run() {
        let steps = ["first", "second", "third"].map(|name| step(name, None));
        let mut report = Report::default();
        let error = report.run(&steps, |step| match step.name.as_str() {
            "second" => {
                let (command, status) = ("cargo x".to_owned(), "exit status: 101".to_owned());
                Err(Error::Failed { command, status })
            }
            "third" => panic!("a step after the failed one ran"),
            _ => Ok(()),
        });
        assert_eq!(
            error.unwrap_err().to_string(),
            "the step `second` failed: `cargo x` failed (exit status: 101); the steps after it \
             did not run"
        );
        let names: Vec<_> = report.rows.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["first"]);
    }

    #[test]
    fn a_skipped_step_does_not_run() {
        let mut report = Report::default();
        let steps = [step("skipped", Some("not today")), step("run", None)];
        let mut run = Vec::new();
        report
            .run(&steps, |step| {
                run.push(step.name.clone());
                Ok(())
            })
            .unwrap();
        assert_eq!(run, ["run"]);
        assert_eq!(report.rows[0], ("skipped".to_owned(), Outcome::Skipped("not today")));
    }

    #[test]
    fn a_step_becomes_a_command_in_the_folder() {
        let step = Step::cargo("docs", &["doc", "--no-deps"])
            .with_env("RUSTDOCFLAGS", "-D warnings")
            .without_env("DISPLAY");
        let command = step.command(Path::new("root"));
        assert_eq!(command.get_current_dir(), Some(Path::new("root")));
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["doc", "--no-deps"]);
        let envs: Vec<_> = command.get_envs().collect();
        let flags = OsStr::new("-D warnings");
        assert!(envs.contains(&(OsStr::new("RUSTDOCFLAGS"), Some(flags))));
        assert!(envs.contains(&(OsStr::new("DISPLAY"), None)));
    }

    #[test]
    fn the_table_has_every_step_its_seconds_and_the_sum() {
        let row = |name: &str, outcome| (name.to_owned(), outcome);
        let report = Report {
            rows: vec![
                row("set-up", Outcome::Passed(Duration::from_millis(1500))),
                row("formatting", Outcome::Passed(Duration::from_millis(640))),
                row("demo", Outcome::Skipped("no GPU")),
            ],
        };
        let expected = "set-up          1.5 s\n\
                        formatting      0.6 s\n\
                        demo        skipped (no GPU)\n\
                        total           2.1 s\n\
                        steps: 2 passed, 0 failed, 1 skipped";
        assert_eq!(report.table(), expected);
    }
}
