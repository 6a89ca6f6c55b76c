//! Helpers for tests that read Markdown tables: rows, cells, and lookups of the tests that a cell names.
#![allow(dead_code, unreachable_pub, reason = "shared by tests of several crates, which use parts of it")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::{Path, PathBuf};

/// Returns the workspace's root folder, to which paths in the tables are relative.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the cells of a table row, or an empty list if the line is not a row.
pub fn cells(line: &str) -> Vec<&str> {
    let row = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
    row.map(|row| row.split('|').map(str::trim).collect()).unwrap_or_default()
}

/// Whether `text` contains a test function with this name that is not ignored.
pub fn has_test(text: &str, name: &str) -> bool {
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let Some(at) = lines.iter().position(|line| line.starts_with(&format!("fn {name}("))) else {
        return false;
    };
    let attributes = || lines[..at].iter().rev().take_while(|line| line.starts_with('#'));
    attributes().any(|line| *line == "#[test]") && !attributes().any(|line| line.starts_with("#[ignore"))
}
