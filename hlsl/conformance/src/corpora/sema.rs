//! DXC's error tests, with comments that state FXC's result for each line.
//!
//! A line has the comment `fxc-error {{X3004: …}}` if FXC reports an error, and `fxc-pass {{}}` if only DXC
//! reports one. FXC accepts lines without such a comment.

mod lines;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs, io,
    path::Path,
};

use onze_hlsl::{Code, Macro};

use self::lines::{Expected, Line, blanked, lines};
use super::{find_files, find_folder, profile, unit};
use crate::{
    compiler,
    engine::for_each,
    report::Filter,
    shader_test::Stage,
    unit::{Options, Unit},
};

/// The rows of the acceptance table: lines that FXC refuses, and lines that FXC accepts.
const MEASURES: [&str; 2] = ["A12 refused", "A12 accepted"];

/// Maximum number of compilations of a file, between which the lines with errors are removed to reveal errors
/// that they hid.
const MOST_ROUNDS: usize = 200;

/// A test: a shader, and FXC's result for each of its lines.
#[derive(Debug)]
pub struct Test {
    unit: Unit,
    lines: Vec<Line>,
}

impl Test {
    /// Returns the name of the test's file.
    pub fn file(&self) -> &str {
        &self.unit.file
    }
}

#[derive(Debug)]
struct Disagreement {
    line: usize,
    /// FXC's error numbers for the line, or an empty list if FXC accepts it.
    expected: Vec<u16>,
    /// The number and message of this compiler's error, or `None` if it accepts the line.
    found: Option<(u16, String)>,
}

/// The results of a test, which [`summary`] prints.
#[derive(Debug)]
pub struct Judged {
    /// The number of matching lines and the number of all lines, for each of [`MEASURES`].
    totals: [(usize, usize); 2],
    disagreements: Vec<Disagreement>,
}

/// Returns the tests in a folder that contain FXC's results.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn tests(root: &Path) -> io::Result<Vec<Test>> {
    let folder = find_folder(root, "test/SemaHLSL")?;
    let mut tests = Vec::new();
    for path in find_files(&folder, "hlsl")? {
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        if !text.contains("fxc-") {
            continue;
        }
        let mut unit = unit("A12", &folder, &path, ENTRY, Stage::Pixel)?;
        unit.macros = vec![Macro::new("VERIFY_FXC", "1")];
        if let Some(arguments) = text.lines().find_map(|line| line.split_once(":FXC_VERIFY_ARGUMENTS:")) {
            apply(arguments.1, &mut unit);
        }
        tests.push(Test { unit, lines: lines(&text) });
    }
    Ok(tests)
}

const ENTRY: &str = "entry_point_of_the_test";

fn apply(arguments: &str, unit: &mut Unit) {
    let words: Vec<_> = arguments.split_whitespace().collect();
    let behind = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    if let Some(entry) = behind("/E") {
        unit.entry = entry.to_owned();
    }
    if let Some((stage, model)) = behind("/T").and_then(profile) {
        (unit.stage, unit.model) = (stage, model);
    }
    unit.options = Options { backwards_compatible: words.contains(&"/Gec"), ..Options::default() };
}

/// Compiles each test until no lines with errors are left, and returns the results in the order of the tests.
pub fn run(tests: &[Test], threads: Option<usize>) -> Vec<Judged> {
    for_each(tests, threads, judge)
}

fn judge(test: &Test) -> Judged {
    let found = errors_by_line(test);
    let mut judged = Judged { totals: [(0, 0); 2], disagreements: Vec::new() };
    for (index, line) in test.lines.iter().enumerate() {
        let (measure, expected) = match &line.expected {
            Expected::Error(codes) => (0, codes.clone()),
            Expected::Accepted => (1, Vec::new()),
            Expected::Unknown => continue,
        };
        let found = found.get(&index).cloned();
        let agrees = match &found {
            Some((code, _)) => expected.contains(code),
            None => expected.is_empty(),
        };
        let (good, all) = &mut judged.totals[measure];
        *all += 1;
        *good += usize::from(agrees);
        if !agrees {
            judged.disagreements.push(Disagreement { line: index + 1, expected, found });
        }
    }
    judged
}

/// Returns the first error of each line that has one, with line numbers from 0.
fn errors_by_line(test: &Test) -> BTreeMap<usize, (u16, String)> {
    let mut found = BTreeMap::new();
    let mut gone = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let mut source = blanked(&test.lines, &gone);
        if test.unit.entry == ENTRY {
            _ = writeln!(source, "void {ENTRY}() {{}}");
        }
        let unit = Unit { source: source.into(), ..test.unit.clone() };
        let Err(errors) = compiler::compile(&unit) else { break };
        let before = gone.len();
        for error in errors.errors() {
            let line = error.place.line.saturating_sub(1) as usize;
            let is_here = *error.place.file == *unit.file && line < test.lines.len();
            if is_here && gone.insert(line) && !is_leftover(error.code) {
                found.insert(line, (error.code.number(), error.message.clone()));
            }
        }
        if gone.len() == before {
            break;
        }
    }
    found
}

/// Returns whether an error may be caused by the removal of a function's first or last line.
fn is_leftover(code: Code) -> bool {
    matches!(code, Code::MissingReturn | Code::VoidReturn)
}

/// Returns the number of matching lines and the number of all lines, for each measure.
pub fn totals(judged: &[Judged]) -> [(&'static str, (usize, usize)); 2] {
    let sum = |measure: usize| {
        judged.iter().fold((0, 0), |(good, all), judged| {
            let (more_good, more) = judged.totals[measure];
            (good + more_good, all + more)
        })
    };
    [(MEASURES[0], sum(0)), (MEASURES[1], sum(1))]
}

/// Formats the causes of mismatches and the totals, and also lists the lines if the filter is verbose.
pub fn summary(tests: &[Test], judged: &[Judged], filter: &Filter) -> String {
    let mut text = String::new();
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for (test, judged) in tests.iter().zip(judged) {
        for disagreement in &judged.disagreements {
            let cause = disagreement.cause();
            if filter.cause.as_ref().is_some_and(|wanted| !cause.contains(wanted.as_str())) {
                continue;
            }
            if filter.verbose {
                let message = disagreement.found.as_ref().map_or("", |(_, message)| message);
                let line = test.lines[disagreement.line - 1].text.trim();
                let shown = line.get(..line.floor_char_boundary(120)).unwrap_or(line);
                _ = writeln!(
                    text,
                    "{}:{}: {cause}: {message}\n    {shown}",
                    test.unit.file, disagreement.line
                );
            }
            *causes.entry(cause).or_default() += 1;
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (cause, count) in causes {
        _ = writeln!(text, "{count:5} {cause}");
    }
    for (measure, (good, all)) in totals(judged) {
        _ = writeln!(text, "{measure:14} {good:5} of {all:5}");
    }
    text
}

impl Disagreement {
    fn cause(&self) -> String {
        let numbers: Vec<_> = self.expected.iter().map(|code| format!("X{code}")).collect();
        match (&self.found, numbers.as_slice()) {
            (Some((code, _)), []) => format!("FXC accepts it, refused with X{code}"),
            (Some((code, _)), _) => format!("FXC gives {}, refused with X{code}", numbers.join(" or ")),
            (None, _) => format!("FXC gives {}, accepted", numbers.join(" or ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Judged {
        let mut unit = Unit::new("A12", "a", text, ENTRY, Stage::Pixel);
        apply(" /T vs_5_1 /Gec", &mut unit);
        assert_eq!((unit.stage, unit.options.backwards_compatible), (Stage::Vertex, true));
        judge(&Test { unit, lines: lines(text) })
    }

    #[test]
    fn lines_are_removed_until_all_errors_are_found() {
        let text = "float a b; // fxc-error {{X3000: no}}\nfloat c = d; // fxc-error {{X3004: no}}\n\
                    float e = f; // fxc-error {{X3000: no}}\nfloat g;\nfloat h = i; // fxc-pass {{}}\n\
                    float j; // fxc-error {{X3000: no}}\nvoid k(float l) { // fxc-error {{X3003: no}}\nfloat l = o;\n}\n";
        let judged = judged(text);
        assert_eq!(judged.totals, [(2, 5), (1, 3)]);
        let causes: Vec<_> = judged.disagreements.iter().map(Disagreement::cause).collect();
        assert_eq!(
            causes,
            [
                "FXC gives X3000, refused with X3004",
                "FXC accepts it, refused with X3004",
                "FXC gives X3000, accepted",
                "FXC gives X3003, accepted",
                "FXC accepts it, refused with X3004",
            ]
        );
    }
}
