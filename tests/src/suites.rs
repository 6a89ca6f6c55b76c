//! Checks that Cargo runs every test. Each file of `tests` must belong to exactly one test program, because
//! `autotests` is off. Programs with `test = false` in Cargo.toml must not contain tests.

use std::{collections::BTreeMap, fs, path::Path};

/// Returns every file name that follows `marker` in `text`, up to the closing quote.
fn files_after<'a>(text: &'a str, marker: &str) -> impl Iterator<Item = &'a str> {
    text.split(marker).skip(1).filter_map(|rest| rest.split('"').next())
}

/// Returns the contents of all Rust files in a folder, by file name.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect()
}

#[test]
fn every_test_file_belongs_to_one_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let suites = files(&folder.join("suites"));
    for suite in suites.keys() {
        assert!(manifest.contains(&format!("path = \"suites/{suite}\"")), "Cargo.toml has no test `{suite}`");
    }
    let modules = suites.values().flat_map(|text| files_after(text, "#[path = \"../tests/"));
    let programs: Vec<_> = modules.chain(files_after(&manifest, "path = \"tests/")).collect();
    for file in files(&folder.join("tests")).keys() {
        let count = programs.iter().filter(|program| *program == file).count();
        assert_eq!(count, 1, "`tests/{file}`: name it in one file of `suites`, or in Cargo.toml");
    }
}

#[test]
fn programs_that_are_not_tested_have_no_tests() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut programs = 0;
    for package in ["docs/book", "examples", "examples/comparison"].map(|folder| workspace.join(folder)) {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        for section in manifest.split("\n[").filter(|section| section.contains("\ntest = false")) {
            let Some(path) = files_after(section, "path = \"").next() else { continue };
            let text = fs::read_to_string(package.join(path)).unwrap();
            assert!(
                !text.contains("#[test]"),
                "`{path}`: delete `test = false` from its section of Cargo.toml"
            );
            programs += 1;
        }
    }
    assert!(programs > 30, "found {programs} programs");
}
