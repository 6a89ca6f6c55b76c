//! Reports of failures by file and by cause, and the scores for each row of the acceptance table.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    time::Duration,
};

use crate::{
    engine::{Judged, Verdict},
    unit::{Refusal, Unit},
};

/// Options for printing a report, which do not affect the result.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Whether all messages of a failure are printed, or only the first.
    pub verbose: bool,
    /// A string that the cause of a failure must contain to be printed, or `None` to print all failures.
    pub cause: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
struct Failure {
    measure: &'static str,
    title: String,
    /// The message without names, so that similar failures have the same cause.
    cause: String,
    message: String,
}

/// The results of a suite: its failures and the number of cases.
#[derive(Debug, Default)]
pub struct Report {
    failures: Vec<Failure>,
    /// The number of passed cases and the number of all cases, for each row of the acceptance table.
    totals: BTreeMap<&'static str, (usize, usize)>,
    /// For each language, the number of compiled shaders that naga failed to write.
    unwritten: BTreeMap<&'static str, usize>,
    time: Duration,
}

impl Report {
    /// Creates a report from the shaders of a suite and their verdicts, which are in the same order.
    pub fn new(units: &[Unit], judged: &[Judged]) -> Report {
        let mut report = Report::default();
        for (unit, judged) in units.iter().zip(judged) {
            report.add(unit, judged);
        }
        report
    }

    fn add(&mut self, unit: &Unit, judged: &Judged) {
        self.time += judged.time;
        let failure = match &judged.verdict {
            Verdict::Panicked(message) => Some((message.clone(), message.clone())),
            Verdict::Differs(rows) => {
                Some(("the reflection differs from FXC's listing".to_owned(), rows.join("\n")))
            }
            Verdict::Accepted { .. } if unit.fails => {
                Some(("accepted, but an error is expected".to_owned(), String::new()))
            }
            Verdict::Accepted { unwritten } => {
                for (language, _) in unwritten {
                    *self.unwritten.entry(language).or_default() += 1;
                }
                unwritten.first().map(|(language, message)| {
                    (format!("{language}: {}", deepest(message)), format!("{language}: {message}"))
                })
            }
            Verdict::Refused { first, all } => wrongly_refused(unit, first).map(|cause| (cause, all.clone())),
        };
        let (passed, all) = self.totals.entry(unit.measure).or_default();
        *all += 1;
        match failure {
            None => *passed += 1,
            Some((cause, message)) => self.failures.push(Failure {
                measure: unit.measure,
                title: unit.title(),
                cause: without_names(&cause),
                message,
            }),
        }
    }

    /// Returns whether all cases passed, including cases that must be refused.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// Returns the number of passed cases and the number of all cases, for each row of the acceptance table.
    pub fn totals(&self) -> &BTreeMap<&'static str, (usize, usize)> {
        &self.totals
    }

    /// Returns the total compile time of all shaders, without naga's backends.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Prints the failures that the filter selects, followed by their causes and the totals.
    pub fn print(&self, filter: &Filter, out: &mut impl fmt::Write) -> fmt::Result {
        let wanted = |failure: &&Failure| {
            filter.cause.as_ref().is_none_or(|cause| failure.cause.contains(cause.as_str()))
        };
        for failure in self.failures.iter().filter(wanted) {
            let Failure { measure, title, cause, message } = failure;
            match filter.verbose {
                true => writeln!(out, "{measure} {title}: {cause}\n{message}\n")?,
                false => writeln!(out, "{measure} {title}: {cause}")?,
            }
        }
        let mut causes: HashMap<(&str, &str), (usize, &str)> = HashMap::new();
        for failure in self.failures.iter().filter(wanted) {
            causes.entry((failure.measure, &failure.cause)).or_insert((0, &failure.title)).0 += 1;
        }
        let mut causes: Vec<_> = causes.into_iter().collect();
        causes.sort_by_key(|((measure, cause), (count, _))| (std::cmp::Reverse(*count), *measure, *cause));
        if !causes.is_empty() {
            writeln!(out, "\ncauses:")?;
        }
        for ((measure, cause), (count, example)) in causes {
            writeln!(out, "{count:5} {measure} {cause}   [{example}]")?;
        }
        writeln!(out)?;
        for (language, count) in &self.unwritten {
            writeln!(out, "{count:5} modules that naga cannot write in {language}")?;
        }
        for (measure, (passed, all)) in &self.totals {
            writeln!(out, "{measure:8} {passed:5} of {all:5}")?;
        }
        writeln!(out, "compiled in {:.2} s of CPU time", self.time.as_secs_f64())
    }
}

/// Returns the cause of a failure if the first error is not the expected one.
fn wrongly_refused(unit: &Unit, first: &str) -> Option<String> {
    match unit.refusal {
        _ if !unit.fails => Some(first.to_owned()),
        Some(Refusal { code, .. }) if first.starts_with(&format!("X{code}:")) => None,
        Some(Refusal { code, reason }) => Some(format!("X{code} is expected ({reason}), found {first}")),
        // X9004 reports an unsupported feature, which hides the expected error of the test.
        None if first.starts_with("X9004") => Some(format!("the expected error is hidden by {first}")),
        None => None,
    }
}

/// Returns the innermost cause in naga's message, which has one cause per line with source lines and markers
/// between them.
fn deepest(message: &str) -> &str {
    message
        .lines()
        .map(|line| line.trim_start_matches([' ', '=', '│', '└', '─']))
        .rfind(|line| !line.is_empty())
        .unwrap_or(message)
}

/// Returns a message without quoted text and without the numbers of handles.
pub(crate) fn without_names(message: &str) -> String {
    let mut out = String::new();
    for (index, part) in message.split('\'').enumerate() {
        out.push_str(if index % 2 == 0 { part } else { "'…'" });
    }
    let mut short = String::new();
    let mut rest = out.as_str();
    while let Some(at) = rest.find('[') {
        let (before, after) = rest.split_at(at + 1);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        short.push_str(before);
        rest = &after[digits..];
    }
    short.push_str(rest);
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader_test::Stage;

    #[test]
    fn a_refusal_needs_the_expected_error_number() {
        let unit =
            |fails, refusal| Unit { fails, refusal, ..Unit::new("A11", "a", "", "main", Stage::Pixel) };
        let expected = Some(Refusal { code: 3502, reason: "an input" });
        assert_eq!(wrongly_refused(&unit(true, expected), "X3502: no"), None);
        assert!(wrongly_refused(&unit(true, expected), "X3000: no").is_some());
        assert_eq!(wrongly_refused(&unit(true, None), "X3000: no"), None);
        assert!(wrongly_refused(&unit(true, None), "X9004: no").is_some());
        assert!(wrongly_refused(&unit(false, None), "X3000: no").is_some());
    }

    #[test]
    fn causes_contain_neither_names_nor_handles() {
        assert_eq!(without_names("X3004: undeclared identifier 'sun'"), "X3004: undeclared identifier '…'");
        assert_eq!(without_names("Expression [12] is [3]"), "Expression [] is []");
        assert_eq!(deepest("error: a\n  ┌─ x\n = b\n"), "b");
    }
}
