//! Checks that all files, tests and rules in `CONTRACT.md` exist, and that every rule of the verifier has a
//! row.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod tables;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use onze_ddi::verifier::Rule;
use tables::{cells, has_test, root};

/// A row of the table, which states a clause.
#[derive(Debug)]
struct Clause {
    number: u32,
    words: String,
    paths: Vec<String>,
    tests: Vec<String>,
    /// The rules, or the reason why no rule enforces the clause.
    rules: Result<Vec<String>, String>,
}

/// Returns the names in a cell, without their backticks.
fn names(cell: &str) -> Vec<String> {
    cell.split("<br>").map(|name| name.trim().trim_matches('`').to_owned()).collect()
}

fn table() -> Vec<Clause> {
    let text = fs::read_to_string(root().join("ddi/CONTRACT.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| C"));
    rows.map(|row| {
        let [number, words, paths, tests, rules] = cells(row)[..] else { panic!("five cells: {row}") };
        Clause {
            number: number.trim_start_matches('C').parse().unwrap(),
            words: words.to_owned(),
            paths: names(paths),
            tests: names(tests),
            rules: match rules.strip_prefix('–') {
                Some(reason) => Err(reason.trim().to_owned()),
                None => Ok(names(rules)),
            },
        }
    })
    .collect()
}

#[test]
fn every_clause_has_a_number_in_order_and_its_own_text() {
    let table = table();
    let numbers: Vec<_> = table.iter().map(|clause| clause.number).collect();
    assert_eq!(numbers, (1..=table.len() as u32).collect::<Vec<_>>());
    assert!(table.len() >= 60, "only {} clauses", table.len());
    let silent: Vec<_> = table.iter().filter(|clause| clause.words.len() < 20).collect();
    assert!(silent.is_empty(), "{silent:?}");
    let different: BTreeSet<_> = table.iter().map(|clause| &clause.words).collect();
    assert_eq!(different.len(), table.len(), "two clauses say the same");
}

#[test]
fn every_path_exists() {
    for Clause { number, paths, .. } in table() {
        for path in paths {
            assert!(root().join(&path).is_file(), "C{number} is implemented in {path}, which does not exist");
        }
    }
}

#[test]
fn every_test_exists_in_its_file() {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for Clause { number, tests, .. } in table() {
        assert!(!tests.is_empty(), "C{number} has no test");
        for test in tests {
            let Some((path, name)) = test.split_once("::") else { panic!("C{number}: {test} is not a test") };
            let text = files.entry(path.to_owned()).or_insert_with_key(|path| {
                fs::read_to_string(root().join(path))
                    .unwrap_or_else(|error| panic!("C{number} is shown by {path}: {error}"))
            });
            assert!(has_test(text, name), "C{number} is shown by {name}, which is not a test in {path}");
        }
    }
}

#[test]
fn every_rule_has_a_row_and_every_row_a_rule_or_a_reason() {
    let mut known: BTreeMap<String, u32> =
        Rule::ALL.iter().map(|rule| (format!("{rule:?}"), rule.clause())).collect();
    for Clause { number, rules, .. } in table() {
        match rules {
            Err(reason) => assert!(reason.len() > 3, "C{number} has no rule and gives no reason"),
            Ok(rules) => {
                for rule in rules {
                    let clause = known.remove(&rule);
                    assert_eq!(
                        clause,
                        Some(number),
                        "C{number} names {rule}, which is not a rule of that clause"
                    );
                }
            }
        }
    }
    assert!(known.is_empty(), "rules without a row, and their clauses: {known:?}");
}

#[test]
fn ignored_tests_and_helpers_do_not_count() {
    let text = "#[test]\nfn runs() {}\n#[test]\n#[ignore]\nfn sleeps() {}\nfn helps() {}\n";
    assert!(has_test(text, "runs"));
    assert!(!has_test(text, "sleeps") && !has_test(text, "helps") && !has_test(text, "is_not_there"));
}
