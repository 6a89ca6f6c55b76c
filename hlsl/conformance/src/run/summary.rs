use std::{collections::HashMap, fmt::Write as _};

use super::FileResult;
use crate::report::without_names;

/// Formats the failures, their causes and the totals, limited to failures whose causes contain `filter` if
/// there is one.
pub fn summary<'a>(
    names: impl Iterator<Item = &'a str>,
    results: &[FileResult],
    filter: Option<&str>,
) -> String {
    let mut out = String::new();
    let mut causes: HashMap<String, (usize, String)> = HashMap::new();
    for (name, result) in names.zip(results) {
        for (line, message) in &result.failures {
            let cause = cause(message);
            if filter.is_none_or(|filter| cause.contains(filter)) {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{name}:{line}: {message}");
                causes.entry(cause).or_insert((0, format!("{name}:{line}"))).0 += 1;
            }
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(cause, (count, _))| (std::cmp::Reverse(*count), cause.clone()));
    if !causes.is_empty() {
        out.push_str("\ncauses:\n");
    }
    for (cause, (count, example)) in causes {
        let _ = writeln!(out, "{count:5} {cause}   [{example}]");
    }
    for (what, (passed, all)) in totals(results) {
        let _ = writeln!(out, "{what:10} {passed:5} of {all:5}");
    }
    out
}

/// Returns the number of passed items and the number of all items, for draws, for probes, and for files with
/// draws or probes.
pub fn totals(results: &[FileResult]) -> [(&'static str, (usize, usize)); 3] {
    let (mut draws, mut probes, mut files) = ((0, 0), (0, 0), (0, 0));
    for result in results {
        draws = (draws.0 + result.draws.0, draws.1 + result.draws.1);
        probes = (probes.0 + result.probes.0, probes.1 + result.probes.1);
        if result.draws.1 + result.probes.1 > 0 {
            files = (files.0 + usize::from(result.failures.is_empty()), files.1 + 1);
        }
    }
    [("A3 draws", draws), ("A3 probes", probes), ("A3 files", files)]
}

/// Returns a failure's message without names and values, so that similar failures have the same cause.
fn cause(message: &str) -> String {
    if message.starts_with("wrong: ") {
        return "wrong value".to_owned();
    }
    let line = message.lines().next().unwrap_or_default();
    without_names(&line.replace('`', "'"))
}
